"""Exported weights and their certificate: what they compute, what the certificate claims, and nothing half-written."""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import dense
import mpmath
import numpy as np
import pytest
from checkout import ROOT

import symcook as sc
from symcook import claims
from symcook.__main__ import main
from symcook.domains.batch import Grid, Words
from symcook.errors import BadInput
from symcook.export import archive, run_npz
from symcook.export.certificate import _array_of, _nearest_float, compare
from symcook.export.files import targets, write
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.modelfile import model_hash
from symcook.model.parts import ACTIVATIONS, MASKS, WEIGHTINGS, FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.symbols import symbol
from symcook.model.transformer import Transformer
from symcook.numbers.expsum import exp_of
from symcook.recipes import build

EXAMPLE = ROOT / "examples" / "run_npz.py"


def export(folder: Path, *arguments: str, code: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and certificate of an export to ``folder/m.npz``."""
    assert main(["export", *arguments, "--format", "npz", "-o", str(folder / "m.npz")]) == code
    with np.load(folder / "m.npz", allow_pickle=False) as archive:
        arrays = dict(archive)
    return arrays, json.loads((folder / "m.certificate.json").read_text())


def example(folder: Path, given: str) -> list[str]:
    """What examples/run_npz.py prints, in this process: symcook/export/run_npz.py is the same file."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        run_npz.main(str(folder / "m.npz"), given)
    return out.getvalue().splitlines()


@pytest.mark.parametrize(
    "block",
    [
        Words(("a", "bb", "c"), 6, ("^", "a"), ("$",)),
        Words(("a", "bb"), 101, ("^",) * 98),  # more positions than an array has axes
        Words(("a",), 1),
        Grid(tuple([{"x": Fraction(k)} for k in options] for options in ((0, 1, 2), (5,), (-1, 7)))),
    ],
)
def test_the_inputs_of_a_block_are_spread_in_its_order(block: Any) -> None:
    made = {"^": 5, "a": 1, "bb": 2, "c": 3, "$": 7}.get if isinstance(block, Words) else lambda row: float(row["x"])
    assert _array_of(block, made).tolist() == [[made(one) for one in sequence] for sequence in block]


def test_the_example_is_a_script(tmp_path: Path) -> None:
    export(tmp_path, "dyck-1", "--max-length", "6")
    command = [sys.executable, str(EXAMPLE), str(tmp_path / "m.npz"), "(())"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout.splitlines(), done.stderr) == (example(tmp_path, "(())"), "")


@pytest.mark.sweep
def test_archive_of_dyck_1(tmp_path: Path) -> None:
    m, certificate = export(tmp_path, "dyck-1")
    assert list(m["coordinates"]) == ["token", "balance", "error", "total"]
    assert list(m["vocabulary"]) == ["(", ")"]
    assert m["embedding"].tolist() == [[1, 0, 0, 0], [-1, 0, 0, 0]]
    assert (str(m["step1.head1.mask"]), str(m["step1.head1.weighting"])) == ("future", "average")
    assert all(np.isfinite(a).all() for a in m.values() if a.dtype.kind == "f")
    assert all(a.dtype.kind in "fiU" for a in m.values())
    assert certificate["model_hash"] == model_hash(build("dyck-1"))
    assert certificate["dtype"] == "float64"
    assert certificate["greatest_length"] == 16
    assert certificate["compared"]["inputs"] == 2**17 - 2
    assert certificate["compared"]["complete"] is True
    assert certificate["weights_sha256"] == hashlib.sha256((tmp_path / "m.npz").read_bytes()).hexdigest()
    assert {"id", "status"} == set(certificate["claims"][0])
    assert (certificate["guaranteed"]["length"], certificate["guaranteed"]["ranges"]) == (16, [[1, 16]])
    assert "Cookbook" in certificate["source"]


def test_claims_are_named_or_refused(tmp_path: Path) -> None:
    """An id that is no claim is not left out, nor is one id without a list read letter by letter."""
    name = "cookbook.s9.2.1.accept"
    model, target = build("dyck-1"), tmp_path / "m.npz"
    for given in (["nonsense.1"], [name, "cookbook.s9.2.1.acept"], name):
        with pytest.raises(BadInput, match="claim"):
            model.export(target, claims=given, max_length=1)
    assert not list(tmp_path.iterdir())
    names = [name, "cookbook.s9.2.1.balance", name]
    shown = model.export(target, claims=names, max_length=1)["claims"]
    assert shown == [{"id": one, "status": claims.stored_rows()[one][0]["status"]} for one in names]


def test_the_greatest_length_stops_before_the_first_wrong_float(tmp_path: Path) -> None:
    """With eps = 1/4096 a zero test of a float total leaves a rounding error, which the strict sign takes for yes."""
    m, certificate = export(tmp_path, "dyck-1-nonuniform")
    length, first = certificate["greatest_length"], certificate["compared"]["first_difference"]
    assert length < 16
    assert len(first) == length + 1
    exact = build("dyck-1-nonuniform").run(first).accept
    said = example(tmp_path, first)[0] == "accept"
    assert said != exact
    for word in itertools.islice(itertools.product("()", repeat=7), 0, None, 5):
        tokens = np.array([["()".index(t) for t in word]])
        z = archive.evaluate(m, archive.embed(m, tokens))
        assert archive.verdicts(m, z)[0] == build("dyck-1").run("".join(word)).accept


@pytest.mark.layer_one(6, 7)
@pytest.mark.parametrize(
    ("recipe", "given", "options"),
    [
        ("dyck-1", "(())", ["--input", "(())"]),
        ("dyck-1", "())(", ["--input", "())("]),
        ("dyck-1-nonuniform", "()()", ["--input", "()()"]),
        ("average", "1; 2; 6", ["--rows", "1; 2; 6"]),
        ("prefix-average", "1; 2; 6", ["--rows", "1; 2; 6"]),
        ("lookup-quadratic", "2,5; 1,7; 3,9", ["--rows", "2,5; 1,7; 3,9"]),
        ("first-position", None, []),
        ("add", "1,2", ["--set", "x=1", "--set", "y=2"]),
    ],
)
def test_the_example_reproduces_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], recipe: str, given: str | None, options: list[str]
) -> None:
    export(tmp_path, recipe, *([] if recipe == "add" else ["--max-length", "6"]))
    if given is None:
        given = build(recipe).alphabet[0] * 5
        options = ["--input", given]
    capsys.readouterr()
    assert main(["run", recipe, *options, "--domain", "float64", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    lines = example(tmp_path, given)
    if "accept" in answer:
        assert lines.pop(0) == ("accept" if answer["accept"] else "reject")
    shown = {line.split()[0]: [float(v) for v in line.split()[1:]] for line in lines}
    expected = {name: value for name, value in answer["output"].items() if name != "logit"}
    for name, value in expected.items():
        assert shown[name][-1] == pytest.approx(value, rel=1e-12, abs=1e-12)
    if "outputs" in answer and "accept" not in answer:
        assert shown[next(iter(expected))] == pytest.approx(answer["outputs"], rel=1e-12, abs=1e-12)


def test_position_tables(tmp_path: Path) -> None:
    m, certificate = export(tmp_path, "first-position", "--max-length", "6")
    tables = certificate["position_tables"]
    model = build("first-position")
    assert tables["N"] == 6
    assert set(tables["tables"]) >= set(model.embedding.positions)
    for name, expression in model.embedding.positions.items():
        column = list(m["coordinates"]).index(name)
        start = model.embedding.start
        for n in range(1, 7):
            exact = [expression.subs({symbol("i"): start + p, symbol("n"): n}) for p in range(n)]
            assert m["positions"][:n, column].tolist() == [float(v) for v in exact]
            assert tables["tables"][name]["values"][n - 1] == [str(v) for v in exact]


def test_symbols_are_set_and_named(tmp_path: Path) -> None:
    m, certificate = export(tmp_path, "gtzero", "--set", "eps=1/3")
    assert certificate["symbols"] == {"eps": "1/3"}
    assert certificate["greatest_length"] is None
    assert certificate["compared"]["largest_difference"] < 1e-12
    assert m["step1.W2"][1].tolist() == [3.0, -3.0]


def test_float32(tmp_path: Path) -> None:
    m, certificate = export(tmp_path, "dyck-1", "--dtype", "float32", "--max-length", "10")
    assert m["step1.head1.V"].dtype == np.float32
    assert certificate["dtype"] == "float32"
    assert certificate["greatest_length"] == 10
    assert main(["export", "gtzero", "--set", "eps=1/10^60", "--dtype", "float32", "-o", str(tmp_path / "x.npz")]) == 2
    assert not (tmp_path / "x.npz").exists()


def test_the_comparison_sees_a_wrong_weight() -> None:
    model = build("dyck-1")
    arrays = archive.arrays(model, "float64", 8)
    assert compare(model, arrays, 8)["greatest_length"] == 8
    wrong = {**arrays, "step3.head1.V": arrays["step3.head1.V"] * 0}
    found = compare(model, wrong, 8)
    # Without the total every balanced word is accepted; )( is the shortest that is not well nested.
    assert (found["greatest_length"], found["first_difference"], found["complete"]) == (1, ")(", False)
    mean = build("average")
    arrays = archive.arrays(mean, "float64", 4)
    assert compare(mean, arrays, 4)["greatest_length"] == 4
    assert compare(mean, {**arrays, "step1.head1.V": arrays["step1.head1.V"] * (1 + 1e-6)}, 4)["greatest_length"] == 0
    assert compare(mean, {**arrays, "step1.head1.V": arrays["step1.head1.V"] * np.nan}, 4)["greatest_length"] == 0


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_the_ending_of_the_file_is_the_format(tmp_path: Path, ending: str) -> None:
    """As in a file that is written with the format in words."""
    build("gtzero").export(tmp_path / f"a.{ending}", values={"eps": 1})
    build("gtzero").export(tmp_path / f"b.{ending}", values={"eps": 1}, format=ending)
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_an_existing_file_needs_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("m.npz", "m.certificate.json"):
        (tmp_path / name).write_text("precious")
        assert main(["export", "dyck-1", "-o", str(tmp_path / "m.npz"), "--max-length", "3"]) == 2
        assert "--force" in capsys.readouterr().err
        assert (tmp_path / name).read_text() == "precious"
        (tmp_path / name).unlink()
        assert list(tmp_path.iterdir()) == []
    (tmp_path / "m.npz").write_text("old")
    assert main(["export", "dyck-1", "-o", str(tmp_path / "m.npz"), "--max-length", "3", "--force"]) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.certificate.json", "m.npz"]


def test_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights, certificate = targets(str(tmp_path / "m.npz"), force=False)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "chmod", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(weights, certificate, {".npz": b"data"}, {}, force=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(BadInput, match="writable"):
            targets(str(tmp_path / "m.npz"), force=False)
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_where_nothing_can_be_made(tmp_path: Path) -> None:
    """What cannot be written is bad input also where permissions look fine."""
    weights = tmp_path / ("m" * 300 + ".npz")
    with pytest.raises((BadInput, OSError)):
        write(*targets(str(weights), force=False), {".npz": b"data"}, {}, force=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["folder.npz", "missing/m.npz", "m", "m.json", ""])
def test_bad_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(BadInput):
        targets(target, force=True)


def test_exact_values_become_the_nearest_floats():
    e = exp_of(1)
    assert _nearest_float("1/3") == 1 / 3
    assert _nearest_float(str(e / (e + 1))) == float(mpmath.e / (mpmath.e + 1))
    near = e - Fraction("2.71828182845904523536028747135266249775724709369995")  # cancels to about 9.6e-51
    with mpmath.workdps(80):
        expected = float(mpmath.e - mpmath.mpf("2.71828182845904523536028747135266249775724709369995"))
    assert _nearest_float(str(near)) == expected


# --- Every block: the arrays, what `evaluate` makes of them, and the example, against the dense pass -----------------

SPACE = Space(("a", "b", "c"))
WORDS = {"x": {"a": 1, "b": "1/2"}, "y": {"a": -1, "c": 1}, "BOS": {"c": 2}}
VALUE = Readout("value", "each", SPACE.names)


def with_layers(*layers: Layer, readout: Readout = VALUE, before: str | None = "BOS", **more: Any) -> Transformer:
    embedding = Embedding(SPACE, words=WORDS, positions={"b": "i/n"}, before=before)
    return Transformer("wide", embedding, layers, readout, **more)


def a_head(mask: str = "future", weighting: str = "average", reads: tuple[str, ...] = ("a", "c"), **more: Any) -> Head:
    facts: dict[str, Any] = {"Q": [[1, 1]], "K": [[1, 0]], "V": [[1, 2], [0, "1/2"]]} | more
    return Head(reads, ("b", "c"), mask=mask, weighting=weighting, **facts)


def a_network(activation: str = "relu", reads: tuple[str, ...] = ("a", "b", "c")) -> FeedForward:
    width = len(reads)
    W1 = [[1] * width, [-1, *[1] * (width - 1)]]
    return FeedForward(reads, ("b", "a"), W1, [0, "1/2"], [[1, -1], ["1/3", 0]], ["1/7", 0], activation)


def everything() -> dict[str, Transformer]:
    found = {
        f"{mask} {weighting}": with_layers(
            Layer(
                SelfAttention((a_head(mask, weighting, temperature="2/n"), a_head(mask, weighting, V=[[0, 1], [1, 0]])))
            )
        )
        for mask in MASKS
        for weighting in WEIGHTINGS
    }
    found |= {kind: with_layers(Layer(None, a_network(kind))) for kind in ACTIVATIONS}
    whole = LayerNorm(("c", "a", "b"), gain=[3, 1, 2], bias=["1/3", 0, 1], epsilon="1/10")
    inner = LayerNorm(("a", "c", "b"), ("u", "v"), [1, 2], [0, 1], "1/100", [[1, 0, 2], [0, 1, -1]])
    other = LayerNorm(("b", "c"), ("s", "t"), [1, -1], ["1/2", 0], "1/50", [[1, 1], [2, 0]], "zero")
    two, heads = ("u", "v"), a_head(reads=("v", "u"))
    found |= {
        "post": with_layers(Layer(a_head(), a_network(), whole, whole, "post"), Layer(None, a_network())),
        "pre": with_layers(Layer(a_head(), a_network("gelu"), whole, whole, "pre"), final_norm=whole),
        "projected pre": with_layers(Layer(heads, a_network(reads=two), inner, inner, "projected pre")),
        "multi pre": with_layers(
            Layer(a_head(reads=("s", "u")), a_network(reads=two), (inner, other), (other, inner), "multi pre")
        ),
    }
    weights = [[1, 0, 0], [0, 1, 0], ["1/2", 0, 1]]
    for kind in ("largest", "distribution"):
        for position in ("each", "last", "first"):
            readout = Readout(kind, position, SPACE.names, weights, ("x", "y", "EOS"))
            found[f"{kind} {position}"] = with_layers(Layer(a_head()), readout=readout)
    return found


EVERYTHING = everything()


@pytest.mark.parametrize("what", EVERYTHING)
def test_every_block_as_arrays(what: str, tmp_path: Path) -> None:
    model = EVERYTHING[what]
    number = {token: k for k, token in enumerate(WORDS)}
    arrays = archive.arrays(model, "float64", 5)
    for word in ("x", "yx", "xxyx"):
        tokens = dense.typed(model, word)
        z = archive.evaluate(arrays, archive.embed(arrays, np.array([[number[t] for t in tokens]])))
        expected = dense.read(model, tokens, dense.decimal(30))
        got = archive.shown(arrays, z)[0]
        for row, (wanted, _) in zip(got, expected, strict=True):
            assert row.tolist() == pytest.approx([float(v) for v in wanted.values()], rel=1e-12, abs=1e-12)
        if model.readout.kind == "largest":
            said = np.atleast_1d(archive.verdicts(arrays, z)[0]).tolist()
            answers = [answer for _, answer in expected]
            assert said == {"each": answers, "last": answers[-1:], "first": answers[:1]}[model.readout.position]
    np.savez(tmp_path / "m.npz", **arrays)
    place = {"each": slice(None), "last": slice(-1, None), "first": slice(1)}[model.readout.position]
    lines = example(tmp_path, "xxyx")
    if model.readout.kind == "largest":
        labels = [model.readout.labels[answer] for answer in answers[place]]
        assert lines.pop(0) == ", ".join(labels)
    for name, line in zip(expected[0][0], lines, strict=True):
        assert line.split()[0] == name
        values = [float(wanted[name]) for wanted, _ in expected[place]]
        assert [float(v) for v in line.split()[1:]] == pytest.approx(values, rel=1e-12, abs=1e-12)


def test_the_largest_difference_is_that_of_all_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third in float32 over the grid, where the last point -1/1000 is not the worst: in blocks of any size."""
    from symcook.export import certificate

    model = build("scale").bind({"c": "1/3"})
    arrays = archive.arrays(model, "float32", 1)
    found = []
    for size in (1000, 3, 1):
        monkeypatch.setattr(certificate, "BLOCK", size)
        found.append(compare(model, arrays, 1)["largest_difference"])
    third = np.float32(1) / np.float32(3)
    by_hand = [abs(float(np.float32(float(v)) * third) - float(v / 3)) for v in certificate.GRID]
    assert found == [max(by_hand)] * 3 and max(by_hand) > 2 * by_hand[-1]


@pytest.mark.layer_one(0, 2)
@pytest.mark.parametrize("what", ["past rightmost", "none softmax", "gelu", "post", "multi pre", "largest each"])
def test_certificates_of_the_new_blocks(what: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    EVERYTHING[what].save(path)
    arrays, certificate = export(tmp_path, str(path), "--max-length", "3")
    assert certificate["greatest_length"] == 1 + 3 and certificate["compared"]["complete"]  # BOS counts there
    assert certificate["compared"]["inputs"] == 1 + 2 + 4 + 8
    assert str(arrays["before"]) == "BOS" and arrays["vocabulary"].tolist() == list(WORDS)
    difference = certificate["compared"]["largest_difference"]
    assert difference is None if what == "largest each" else difference < 1e-12


@pytest.mark.layer_one(0, 1, 4)
@pytest.mark.parametrize("what", ["past rightmost", "gelu", "pre", "multi pre", "distribution each"])
def test_the_comparison_sees_wrong_weights_of_the_new_blocks(what: str) -> None:
    model = EVERYTHING[what]
    arrays = archive.arrays(model, "float64", 3)
    assert compare(model, arrays, 3)["greatest_length"] == 3
    changed = 0
    for key, array in arrays.items():
        if key.startswith(("step", "readout.w")) and array.dtype.kind == "f" and np.any(array):
            found = compare(model, {**arrays, key: array * 1.5}, 3)
            changed += found["greatest_length"] < 3
    assert changed >= 2


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("step1.head1.mask", "causal"),
        ("step1.head1.weighting", "hard"),
        ("step2.activation", "swish"),
        ("step1.before1.zero_variance", "nan"),
    ],
)
def test_unknown_names_are_refused(key: str, name: str, tmp_path: Path) -> None:
    layer = EVERYTHING["pre"].layers[0]
    model = with_layers(replace(layer, attention_norms=(replace(layer.attention_norms[0], epsilon=0),)))
    arrays = archive.arrays(model, "float64", 3) | {key: np.array(name)}
    if key.endswith("zero_variance"):  # with equal entries at a position, where the name is asked
        arrays["embedding"], arrays["positions"] = arrays["embedding"] * 0, arrays["positions"] * 0
    with pytest.raises(BadInput):
        archive.evaluate(arrays, archive.embed(arrays, np.array([[2, 0, 1]])))
    np.savez(tmp_path / "m.npz", **arrays)
    command = [sys.executable, str(EXAMPLE), str(tmp_path / "m.npz"), "xy"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "unknown name" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("outcome", ["zero", "refuse"])
def test_zero_variance_in_arrays(outcome: str, tmp_path: Path) -> None:
    norm = LayerNorm(SPACE.names, bias=[1, 2, 3], zero_variance=outcome)
    network = FeedForward(("a",), ("a",), [[0]], [0], [[0]], [0])
    embedding = Embedding(SPACE, words={"x": {"a": 1, "b": 1, "c": 1}, "y": {"a": 1}})
    model = Transformer("flat", embedding, (Layer(None, network),), VALUE, final_norm=norm)
    arrays = archive.arrays(model, "float64", 2)
    z = archive.evaluate(arrays, archive.embed(arrays, np.array([[0, 1]])), refuse=False)
    assert np.isfinite(z[0, 1]).all()
    np.savez(tmp_path / "m.npz", **arrays)
    if outcome == "zero":
        assert z[0, 0].tolist() == [1, 2, 3]
        assert example(tmp_path, "xy")[0].startswith("  a 1.0 ")
        return
    assert np.isnan(z[0, 0]).all()
    command = [sys.executable, str(EXAMPLE), str(tmp_path / "m.npz"), "xy"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "a variance above zero" in done.stderr
    found = compare(model, arrays, 1)  # of x and y the second has a run
    assert (found["inputs"], found["no_run"], found["complete"]) == (1, {"inputs": 1, "first": "x"}, True)


def test_lengths_are_those_of_what_one_types(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """BOS and EOS stand around every word; positions are counted with them."""
    path = tmp_path / "model.json"
    embedding = Embedding(SPACE, words=WORDS | {"EOS": {}}, before="BOS", after="EOS")
    Transformer("both", embedding, (Layer(a_head()),), VALUE).save(path)
    assert main(["export", str(path), "-o", str(tmp_path / "m.npz"), "--max-length", "1"]) == 0
    certificate = json.loads((tmp_path / "m.certificate.json").read_text())
    assert certificate["compared"]["inputs"] == 1 + 2 and certificate["position_tables"]["N"] == 3
    assert "to length 1 (3 inputs compared)" in capsys.readouterr().out
    assert main(["export", str(path), "-o", str(tmp_path / "m.npz"), "--max-length", "0"]) == 2


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_the_greatest_rounding_error_is_that_of_a_loop_over_all(dtype: str) -> None:
    """Products of two float32, which most types do not hold: the count and the greatest relative error."""
    rng = random.Random(1)
    table = [[Fraction(rng.randint(-(2**24), 2**24) * rng.randint(1, 2**30), 2**53) for _ in range(40)] for _ in "ab"]
    names = tuple(f"x{k}" for k in range(40))
    head = sc.Head(names, ("x0", "x1"), [[0] * 40], [[0] * 40], table)
    embedding = sc.Embedding(sc.Space(names), words={"a": {"x0": 1}})
    model = sc.Transformer("t", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("x0",)))
    roundings: dict[str, Any] = {}
    stored = archive.arrays(model, dtype, 1, roundings)["step1.head1.V"][:2]
    entries = zip(stored.ravel().tolist(), [v for row in table for v in row], strict=True)
    pairs = [(Fraction(x), v) for x, v in entries]
    off = [abs(x - v) / abs(v) for x, v in pairs if x != v]
    found = roundings["step1.head1.V"]
    assert found["rounded"] == len(off) > 0 and len(found["first"]) == min(len(off), 50)
    assert max(off) <= Fraction(found["greatest_relative_error"]) <= max(off) * Fraction(1 + 2.0**-40)


@pytest.mark.sweep
def test_an_export_says_what_ends_the_comparison(capsys, tmp_path, monkeypatch):
    """Values of layer norm are compared one by one, with fewer values an input at greater lengths."""
    monkeypatch.chdir(tmp_path)
    assert main(["export", "lookup-layernorm-hash", "-o", "m.npz"]) == 0
    assert "length 4 has 256 more inputs, and at most 300 are compared one by one" in capsys.readouterr().out
    compared = json.loads((tmp_path / "m.certificate.json").read_text())["compared"]
    assert compared["greatest_length"] == 3 and compared["inputs"] == 10**2 + 3**4 + 2**6
    assert not compared["complete"] and compared["first_difference"] is None
    assert main(["export", "dyck-1", "--max-length", "4", "-o", "d.npz"]) == 0
    assert "more inputs" not in capsys.readouterr().out
