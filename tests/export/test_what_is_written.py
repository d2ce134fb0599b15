"""Small facts of what is written and read: names, sizes, where certificates stand, how far a rounding may be off."""

from __future__ import annotations

import contextlib
import io
import random
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint
import mpmath
import numpy as np
import pytest
from families import together
from test_export import EVERYTHING
from test_lens import trained

import symcook as sc
from symcook.errors import BadInput
from symcook.export import DEFAULT_LENGTH, export, run_npz, torch_code
from symcook.export.archive import _ArchiveWriter, _relative, arrays, cast
from symcook.export.files import beside, certificate_of
from symcook.export.lens import Lens
from symcook.export.reading import from_archive
from symcook.model.expr import parse_term


def rows_of_numbers(many: int) -> sc.Transformer:
    names = tuple("abcd"[:many])
    return sc.Transformer("t", sc.Embedding(sc.Space(names), inputs=names), (), sc.Readout("value", "each", names))


@together("many", [1, 2, 3, 4])
def test_the_example_of_rows_has_a_number_for_each_input(many: int) -> None:
    shown = torch_code.example(arrays(rows_of_numbers(many), "float32", 2))
    assert len(shown.strip("'").split(",")) == many and {float(x) for x in shown.strip("'").split(",")} >= {0.0}


def test_where_the_certificate_of_a_file_stands(tmp_path: Path) -> None:
    names = {"m.npz": "m", "m.onnx": "m.onnx", "m.pt": "m.pt", "m.pth": "m.pth", "m.safetensors": "m.safetensors"}
    for name, stem in names.items():
        assert beside(tmp_path / name) == tmp_path / f"{stem}.certificate.json"
    assert beside(tmp_path / "m.py") == tmp_path / "m.pt.certificate.json"
    (tmp_path / "m.pth").write_bytes(b"")
    assert beside(tmp_path / "m.py") == tmp_path / "m.pth.certificate.json"
    older = tmp_path / "m.certificate.json"
    assert certificate_of(tmp_path / "m.onnx") == beside(tmp_path / "m.onnx")
    older.write_text("{}")
    assert certificate_of(tmp_path / "m.onnx") == older
    beside(tmp_path / "m.onnx").write_text("{}")
    assert certificate_of(tmp_path / "m.onnx") == beside(tmp_path / "m.onnx")


def test_tables_by_length_are_read_without_what_no_position_has() -> None:
    """A table over positions and lengths has one number for each position of each length, and norms have names."""
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}}, positions={"b": "1/(i + 7*n)"})
    norm = sc.LayerNorm(("a", "b"), ("p", "q"), projection=[[1, 2], [0, 1]], epsilon=1)
    head = sc.Head(("p",), ("a",), [[1]], [[1]], [[1]])
    layer = sc.Layer(sc.SelfAttention((head,)), None, (norm,), (), "projected pre")
    model = sc.Transformer("t", embedding, (layer,), sc.Readout("value", "last", ("a",)))
    found = from_archive(arrays(model, "float64", 5))
    text = str(dict(found.embedding.positions)["b"])
    values = {Fraction(float(1 / (i + 7 * n))) for n in range(1, 6) for i in range(1, n + 1)}
    assert {value for value in values if str(value) not in text} == set()
    assert text.count("/") == len([1 for n in range(1, 6) for i in range(1, n + 1)])
    assert found.layers[0].attention_norms[0].writes == ("step1_norm1_0", "step1_norm1_1")


LAST = {
    "another activation": ("activation", lambda a: np.array("gelu")),
    "a bias inside": ("b1", lambda a: a + np.eye(len(a))[0]),
    "a bias behind": ("b2", lambda a: a + np.eye(len(a))[0]),
    "nothing": ("W2", lambda a: 0 * a),
    "more inside": ("W1", lambda a: 2 * a),
    "more of one unit": ("W1", lambda a: a + np.eye(*a.shape)),
    "more behind": ("W2", lambda a: 3 * a),
    "one more behind": ("W2", lambda a: a + np.eye(*a.shape)[:, ::-1]),
}


@together("what", LAST)
def test_a_last_network_that_is_no_copy_of_a_norm_is_refused(what: str) -> None:
    m = arrays(trained(4), "float64", 4)
    Lens(m)
    key, change = LAST[what]
    name = f"step{int(m['steps'])}.{key}"
    with pytest.raises(BadInput, match=r"the final norm of the model; given: (none at all|a last feed-.* more)"):
        Lens(m | {name: change(m[name])})


# --- How far roundings may be off -----------------------------------------------------------------------------------

DTYPES = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}


@together("dtype", DTYPES)
def test_what_a_rounding_may_be_off_is_at_least_what_it_is(dtype: str) -> None:
    """Of rational numbers, of floats and of those that are subnormal: the largest first; each bound is at least the
    error and, where numbers are not subnormal, not above that of half of the last bit."""
    r, bits = random.Random(4), DTYPES[dtype]
    writer = _ArchiveWriter(rows_of_numbers(1), dtype, 2, {})
    least = Fraction(2) ** {"float64": -1022, "float16": -14}.get(dtype, -126)
    for small in (1, least * 2, least / 2**6):
        for _ in range(20):
            exact = [Fraction(r.choice([1, -1]) * r.randint(1, 10**4), r.randint(1, 10**4)) * small for _ in range(9)]
            near = np.array([float(x) for x in exact])
            floats = r.random() < 0.3
            exact = [Fraction(x) for x in near.tolist()] if floats else exact
            values: Any = near if floats else [(x.numerator, x.denominator) for x in exact]
            result = cast(near, dtype)
            off = [k for k, x in enumerate(exact) if Fraction(float(result[k])) != x]
            found = list(writer.possible_errors(off, values, result)) if off else []
            assert sorted(k for k, _ in found) == off
            assert [most for _, most in found] == sorted((most for _, most in found), reverse=True)
            for k, most in found:
                stored = Fraction(float(result[k]))
                error, told = abs(stored - exact[k]) / abs(exact[k]), Fraction(_relative(values[k], float(stored)))
                assert error <= told <= error * (1 + Fraction(1, 2**48)) and error <= most
                if abs(stored) >= least:
                    assert most <= 2.0**-bits / (1 - 2.0**-bits) * (1 + 2.0**-19)


@together("dtype", DTYPES)
def test_the_greatest_relative_error_of_small_weights(dtype: str) -> None:
    """Numbers of a few last places of the type, and others that are off by much less."""
    last = Fraction(2) ** {"float64": -1074, "float32": -149, "float16": -24, "bfloat16": -133}[dtype]
    weights = [last * Fraction(17, 5), Fraction(1, 3), last * Fraction(301, 10), Fraction(7, 10)]
    words = {"x": dict(zip("abcd", weights, strict=True)), "y": {"a": 1}}
    embedding = sc.Embedding(sc.Space(tuple("abcd")), words=words)
    roundings: dict[str, Any] = {}
    m = arrays(sc.Transformer("t", embedding, (), sc.Readout("value", "each", ("a",))), dtype, 2, roundings)
    off = [abs(Fraction(float(x)) - w) / w for x, w in zip(m["embedding"][0], weights, strict=True)]
    told = Fraction(roundings["embedding"]["greatest_relative_error"])
    assert roundings["embedding"]["rounded"] == 4 and max(off) == Fraction(2, 17)
    assert max(off) <= told <= max(off) * (1 + Fraction(1, 2**48))


def test_trees_may_be_off_by_anything() -> None:
    """A number that is no rational is always looked at."""
    writer = _ArchiveWriter(rows_of_numbers(1), "float32", 2, {})
    values: Any = [(1, 3), parse_term("sqrt(2)"), (1, 10)]
    near = np.array([1 / 3, 2**0.5, 0.1])
    found = list(writer.possible_errors([0, 1, 2], values, cast(near, "float32")))
    assert found[0] == (1, np.inf) and sorted(k for k, _ in found[1:]) == [0, 2]
    assert list(writer.possible_errors([1], values, cast(near, "float32"))) == [(1, np.inf)]


def test_numbers_that_are_not_rational_are_off_by_no_more_than_is_said() -> None:
    """In each type, against mpmath at 60 digits."""
    trees = {"sqrt(2)": "sqrt(2)", "exp(3)": "exp(3)", "log(10)/7": "log(10)/7", "-cos(1)": "-cos(1)"}
    with mpmath.workdps(60):
        for tree, text in trees.items():
            exact = eval(text, {name: getattr(mpmath, name) for name in ("sqrt", "exp", "log", "cos")})
            for dtype in DTYPES:
                stored = float(cast(np.array([float(exact)]), dtype)[0])
                error, told = abs((mpmath.mpf(stored) - exact) / exact), _relative(parse_term(tree), stored)
                assert error <= told <= error * (1 + 1e-9) + 2.0**-50, (tree, dtype)


def test_what_a_model_was_built_from_is_written(tmp_path: Path) -> None:
    """The recipe of the model, or the one that is given; it must build this model."""
    model = sc.build("dyck-1")
    first = model.export(tmp_path / "a.npz", max_length=2)
    assert first["recipe"] == "dyck-1" and sc.build(first["recipe"], **first["arguments"]).bind() == model.bind()
    given = {"recipe": "count", "arguments": {"alphabet": "abc"}}
    other = export(sc.build("count", alphabet="abc"), tmp_path / "b.npz", max_length=2, built=given)
    assert {key: other[key] for key in given} == given
    for wrong in ({"recipe": "parity"}, {"recipe": "mine"}, {"recipe": "dyck-1", "n": 3}, given, {"recipes": "dyck-1"}):
        with pytest.raises(sc.BadInput):
            export(model, tmp_path / "c.npz", max_length=2, built=wrong)


TEMPERATURES = {"by position": "i + 2", "by length": "(i + 2)/(7*n)", "one": "3/7"}


@together("what", [*EVERYTHING, *TEMPERATURES])
def test_rounded_numbers_are_named_by_where_they_stand(what: str) -> None:
    """Each is the entry of the array at its index, as near to the exact number as is said; and as many are counted as
    there are entries that differ from what float64 has."""
    model = EVERYTHING.get(what)
    if model is None:
        head = sc.Head(("a",), ("b",), [["1/3"]], [[3]], [["1/7"]], "future", "softmax", TEMPERATURES[what])
        embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {"b": "2/3"}})
        model = sc.Transformer("t", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("b",)))
    roundings: dict[str, Any] = {}
    m = arrays(model, "float16", 3, roundings)
    wide = arrays(model, "float64", 3)
    assert roundings.keys() <= m.keys()
    for key, array in m.items():
        off = (array != wide[key]).sum() if array.dtype.kind == "f" else 0
        entry = roundings.get(key, {"rounded": 0, "first": [], "greatest_relative_error": 0.0})
        assert entry["rounded"] >= off and len(entry["first"]) == min(entry["rounded"], 50)
        places = {tuple(one["index"]) for one in entry["first"]}
        assert len(places) == len(entry["first"])
        for one in entry["first"]:
            place = tuple(one["index"]) if array.ndim else ()
            assert float(array[place]).hex() == one["stored"], (key, one)
            exact = float(evaluated(one["exact"]))
            assert abs(wide[key][place] - exact) <= 1e-15 * abs(exact) and exact != float(array[place])
            assert abs(float(array[place]) - exact) <= abs(exact) * entry["greatest_relative_error"] * (1 + 1e-9)
    if what in TEMPERATURES:
        assert "step1.head1.factor" in roundings


def evaluated(text: str) -> Any:
    from symcook.numbers.evaluate import evaluate

    with flint.ctx.workprec(100):
        return flint.arb(evaluate(parse_term(text))).mid()


@together("dtype", ["float16", "float32", "float64"])
def test_the_script_reads_rows_in_the_type_of_the_weights(dtype: str) -> None:
    path = Path(tempfile.mkdtemp()) / "m.npz"
    rows_of_numbers(2).export(path, dtype=dtype)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        run_npz.main(str(path), "0.1,0.7")
    wanted = np.array([0.1, 0.7], dtype=dtype).tolist()
    assert said.getvalue().split("\n")[:2] == [f"  a {wanted[0]}", f"  b {wanted[1]}"]


@pytest.mark.sweep
@together(
    ("longest", "before", "length"),
    [(3, None, 3), (3, "^", 2), (None, None, DEFAULT_LENGTH), (99, "^", DEFAULT_LENGTH)],
)
def test_the_length_that_is_exported_by_default_is_one_that_the_model_has(
    longest: int | None, before: str | None, length: int
) -> None:
    """In typed symbols, at most the greatest length of the model without what it adds."""
    embedding = sc.Embedding(sc.Space(("a",)), words={"x": {"a": 1}, "^": {}}, positions={"a": "1/i"}, before=before)
    model = sc.Transformer("t", embedding, (), sc.Readout("value", "last", ("a",)), max_length=longest)
    path = Path(tempfile.mkdtemp()) / "m.npz"
    model.export(path)
    assert len(np.load(path)["positions"]) == length + (before is not None)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("exponent", [39, 400])
def test_a_wider_type_is_advised_where_it_would_do(dtype: str, exponent: int) -> None:
    """10^39 is beyond all types but float64, 10^400 beyond that too; a type that was asked for is no advice."""
    words = {"x": {"s": 10**exponent}}
    embedding = sc.Embedding(sc.Space(("s",)), words=words)
    model = sc.Transformer("t", embedding, (), sc.Readout("value", "last", ("s",)))
    if dtype == "float64" and exponent == 39:
        assert arrays(model, dtype, 1)["embedding"].tolist() == [[1e39]]
        return
    with pytest.raises(BadInput, match=f"every weight must fit {dtype}") as refused:
        arrays(model, dtype, 1)
    assert refused.value.do == ("use --dtype float64" if exponent == 39 else "choose other values of the symbols")
