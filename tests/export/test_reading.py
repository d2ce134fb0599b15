"""Exports as exact models, and where two models part."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import dense
import numpy as np
import pytest
from families import together
from test_export import EVERYTHING

import symcook as sc
from symcook.__main__ import main
from symcook.errors import BadInput, Rejected, Undecided
from symcook.export.archive import arrays
from symcook.export.diff import COMPARED
from symcook.export.files import FORMATS
from symcook.export.reading import from_archive
from symcook.model.transformer import Transformer


@together("what", EVERYTHING)
def test_an_archive_read_and_written_again_is_the_same(what: str) -> None:
    """Masks, weightings, norms, tables by position and by length, readouts: bit for bit, and the same values."""
    model = EVERYTHING[what]
    m = arrays(model, "float64", 4)
    found = from_archive(m)
    again = arrays(found, "float64", 4)
    assert again.keys() == m.keys()
    for key in m:
        assert np.array_equal(m[key], again[key]), key
    assert found.max_length == (4 if "positions" in m else None)
    assert [layer.placement for layer in found.layers] == [layer.placement for layer in model.layers]
    tokens = dense.typed(model, "yx")
    for (wanted, _), (got, _) in zip(
        dense.read(model, tokens, dense.decimal(30)), dense.read(found, tokens, dense.decimal(30)), strict=True
    ):
        for a, b in zip(wanted.values(), got.values(), strict=True):
            assert abs(a - b) < 1e-12 * max(1, abs(a))


def test_an_array_that_is_gone_is_missed() -> None:
    """Each array of each step left out: no model with fewer parts is read. What may be left out is the projection of a
    norm and the factor of a head's scores, without which there is another model."""
    tried = 0
    for model in EVERYTHING.values():
        m = arrays(model, "float64", 3)
        for key in [one for one in m if one.startswith("step") and not one.endswith((".P", ".factor", ".layer"))]:
            tried += 1
            with pytest.raises(BadInput):
                from_archive({name: array for name, array in m.items() if name != key})
    assert tried > 100


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    ("kind", "dtype"), [("npz", "float32"), ("safetensors", "bfloat16"), ("safetensors", "float16")]
)
def test_weights_are_the_dyadic_numbers_that_floats_are(kind: str, dtype: str, tmp_path: Path) -> None:
    path = tmp_path / f"m{FORMATS[kind].ending}"
    sc.build("parity").export(path, format=kind, dtype=dtype, max_length=4)
    found = sc.from_npz(path) if kind == "npz" else sc.from_safetensors(path)
    m = arrays(sc.build("parity").bind(), dtype, 5)
    number = found.embedding.words["1"]  # type: ignore[index]
    row = m["embedding"][m["vocabulary"].tolist().index("1")]
    assert {name: Fraction(str(v)) for name, v in number.items()} == {
        name: Fraction(float(x)) for name, x in zip(m["coordinates"].tolist(), row, strict=True) if x
    }
    # a factor of the scores is one over a temperature, which need not be dyadic
    values = (value for value, _, where in found.expressions() if "temperature" not in where)
    denominators = {value.q for value in values if value.is_Rational}
    assert all(q & (q - 1) == 0 for q in denominators)
    assert found.embedding.before == "CLS" and found.max_length == 4 + 1  # typed symbols and CLS
    given = found.run("101", "ball", digits=30)
    assert given.accept == sc.build("parity").run("101").accept is False
    assert found.run("10", "ball").accept is True


def test_a_changed_export_is_not_read(tmp_path: Path) -> None:
    sc.build("dyck-1").export(tmp_path / "m.npz", max_length=3)
    sc.from_npz(str(tmp_path / "m.npz"))
    data = bytearray((tmp_path / "m.npz").read_bytes())
    data[7] ^= 1
    (tmp_path / "m.npz").write_bytes(data)
    with pytest.raises(Rejected):
        sc.from_npz(tmp_path / "m.npz")


@together(
    ("changes", "says"),
    [
        ({"format": None}, "export of symcook"),
        ({"format": np.array("symcook npz 3")}, "format"),
        ({"embedding": None}, "none called embedding"),
        ({"step1.head1.Q": None}, "none called step1.head1.Q"),
        ({"step1.head1.mask": np.array("causal")}, "mask"),
        ({"step1.head1.V": np.zeros((2, 3))}, "columns"),
        ({"step1.head1.V": np.full((4, 4), np.inf)}, "finite"),
        ({"step2.b1": np.zeros(7)}, "columns|entries|shape"),
        ({"embedding": np.zeros((5, 4))}, "shapes"),
        ({"readout.kind": np.array("odd")}, "readout"),
        ({"readout.kind": np.array("argmax")}, "must be spelled as in the list of its values"),
        ({"step1.head1.weighting": np.array("ahat")}, "must be spelled as in the list of its values"),
        ({"readout.reads": np.array(["nobody"])}, "nobody"),
        ({"steps": np.array("many")}, "shapes"),
    ],
)
def test_bad_archives(changes: dict[str, Any], says: str) -> None:
    m = arrays(sc.build("dyck-1"), "float64", 3) | changes
    with pytest.raises(BadInput, match=says):
        from_archive({key: value for key, value in m.items() if value is not None})


def test_bad_files(tmp_path: Path) -> None:
    for path, read in ((tmp_path / "no.npz", sc.from_npz), (tmp_path, sc.from_npz), ("m.txt", sc.from_safetensors)):
        with pytest.raises(BadInput):
            read(path)
    (tmp_path / "m.npz").write_bytes(b"PK rubbish")
    with pytest.raises(BadInput, match="whole"):
        sc.from_npz(tmp_path / "m.npz")


# --- diff ------------------------------------------------------------------------------------------------------------


def changed(model: Transformer, field: str, row: int, column: int, by: Any) -> Transformer:
    """The first head with one weight changed."""
    layer = model.layers[0]
    head = layer.attention.heads[0]
    weights = getattr(head, field).tolist()
    weights[row][column] += by
    heads = (replace(head, **{field: weights}), *layer.attention.heads[1:])
    return replace(model, layers=(replace(layer, attention=replace(layer.attention, heads=heads)), *model.layers[1:]))


def test_the_first_place_at_which_two_models_part() -> None:
    """By hand: with twice the balance behind the first attention, "(" already differs there, at position 1."""
    model = sc.build("dyck-1")
    other = changed(model, "V", 0, 0, 1)
    found = model.diff(other)
    assert not found.same and found.structure == () and found.inputs == 2 + 4 + 8 + 16 + 32 + 64
    assert found.first == {
        "input": "(", "layer": 1, "part": "attention", "position": 1, "coordinate": "balance",
        "first": "1", "second": "2",
    }  # fmt: skip
    assert model.diff(model).same and model.diff(model, 4).inputs == 2 + 4 + 8 + 16
    assert "layer 1, attention, position 1, balance" in found.text() and "differ" in repr(found)
    assert "<" in found._repr_html_() and found.latex()


@pytest.mark.sweep
def test_a_difference_below_the_tolerance_is_none() -> None:
    model = sc.build("dyck-1")
    other = changed(model, "V", 0, 0, Fraction(1, 10**40))
    assert not model.diff(other).same
    assert model.diff(other, tolerance="1/10^39").same
    assert not model.diff(other, tolerance="1/10^41").same
    with pytest.raises(BadInput, match="negative"):
        model.diff(other, tolerance=-1)


def test_the_first_sentence_says_how_far_two_models_may_part() -> None:
    """x is 1 or 9/8, and the second model may have a coordinate that the first lacks."""

    def valued(x: str, *more: str) -> sc.Transformer:
        embedding = sc.Embedding(sc.Space(("x", *more)), words={"a": {"x": x}})
        return sc.Transformer("m", embedding, (), sc.Readout("value", "last", ("x",)))

    for one, other, tolerance, says in [
        (valued("1"), valued("1"), "0", "m (first) and m (second) do not differ, on 2 inputs"),
        (valued("1"), valued("9/8"), "1/4", "m (first) and m (second) do not differ by more than 1/4, on 2 inputs"),
        (valued("1"), valued("9/8"), "0", "m (first) and m (second) differ, on 2 of 2 inputs"),
        (valued("1"), valued("9/8"), "1/9", "m (first) and m (second) differ by more than 1/9, on 2 of 2 inputs"),
        (valued("1"), valued("1", "y"), "0", "m (first) and m (second) are built differently and agree, on 2 inputs"),
        (valued("1"), valued("9/8", "y"), "1/4",
         "m (first) and m (second) are built differently and agree within 1/4, on 2 inputs"),
    ]:  # fmt: skip
        assert one.diff(other, 2, tolerance=tolerance).text().splitlines()[0] == says


def test_a_later_position_and_a_longer_word() -> None:
    """Only what position 2 sees of position 1 differs: a strict mask in place of one that sees itself is seen at once,
    one that differs from no mask needs a second position."""
    model = sc.build("dyck-1")
    layer = model.layers[0]
    head = replace(layer.attention.heads[0], mask="none")
    other = replace(
        model, layers=(replace(layer, attention=replace(layer.attention, heads=(head,))), *model.layers[1:])
    )
    first = model.diff(other).first
    assert first is not None
    assert (first["input"], first["position"], first["coordinate"]) == ("()", 1, "balance")
    assert (first["first"], first["second"]) == ("1", "0")


def test_other_coordinates_and_steps_are_named() -> None:
    found = sc.build("dyck-1").diff(sc.build("dyck-1-nonuniform"))
    assert any("the coordinate accepted is absent and there" in line for line in found.structure)
    with pytest.raises(BadInput, match="same inputs"):
        sc.build("dyck-1").diff(sc.build("parity"))


@pytest.mark.sweep
def test_a_model_and_its_export(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def said(arguments: Sequence[str], code: int) -> Any:
        assert main(list(arguments)) == code
        return capsys.readouterr()

    said(["export", "parity", "-o", "m.safetensors", "--dtype", "float16", "--max-length", "5"], 0)
    document = json.loads(said(["diff", "parity", "m.safetensors", "--json"], 1).out)
    assert document["first"]["input"] == "0" and not document["same"] and document["max_length"] == 5
    assert said(["diff", "parity", "m.safetensors", "--tolerance", "1/100"], 0).out.startswith("parity (first) and")
    said(["export", "dyck-1", "-o", "d.npz", "--max-length", "3"], 0)
    assert "do not differ" in said(["diff", "dyck-1", "d.npz"], 0).out
    for bad in ("dyck-1", "dyck-1 x.npz", "d.npz d.npz --set x=1", "dyck-1 d.npz --tolerance -1"):
        assert said(["diff", *bad.split()], 2).err.count("\n") == 1


def test_diff_reads_onnx_and_names_what_it_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnx")
    place = str(tmp_path / "d.onnx")
    sc.build("dyck-1").export(place, format="onnx", max_length=3)
    assert main(["diff", "dyck-1", place, "--max-length", "3"]) == 0
    assert main(["diff", "dyck-1-nonuniform", place, "--max-length", "3"]) == 1
    capsys.readouterr()
    for ending in (".pt", ".pth"):
        assert main(["diff", "dyck-1", str(tmp_path / f"d{ending}")]) == 2
        assert "must end in one of .npz, .safetensors, .onnx" in capsys.readouterr().err


@pytest.mark.sweep
def test_a_comparison_says_that_it_stops_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "p.npz")  # with tables of positions, to length 3
    assert main(["export", "parity", "-o", place, "--max-length", "3"]) == 0
    capsys.readouterr()
    for asked, says in (
        (("--max-length", "5"), f"  up to length 3, not 5: {place} takes no longer inputs\n"),
        ((), f"  up to length 3, not 6: {place} takes no longer inputs\n"),
        (("--max-length", "3"), ""),
    ):
        for models in (("parity", place), (place, "parity")):
            line = ["diff", *models, *asked, "--tolerance", "1e-9"]
            assert main(line) == 0
            first, _, rest = capsys.readouterr().out.partition("\n")
            assert "on 15 inputs" in first and rest.endswith(says) and (says or "takes nothing" not in rest)
            assert main([*line, "--json"]) == 0
            assert json.loads(capsys.readouterr().out)["max_length"] == 3


def test_open_and_different_inputs_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of six inputs two stay open and three differ; the first that differs is shown."""
    from symcook.export import diff as module

    answers = iter(["open", None, {"layer": 1}, "open", {"layer": 2}, {"layer": 3}])

    def run(one: object, other: object, near: object, positions: object) -> Any:
        answer = next(answers)
        if answer == "open":
            raise Undecided("a choice")
        return answer, True

    monkeypatch.setattr(module, "_compared", run)
    model = sc.build("dyck-1")
    found = model.diff(model, 2)
    assert (found.inputs, found.open, found.different) == (6, 2, 3)
    assert found.first == {"input": "((", "layer": 1} and not found.same


@pytest.mark.parametrize("length", [0, -1, COMPARED + 1])
def test_lengths_that_are_not_compared(length: Any) -> None:
    model = sc.build("dyck-1")
    with pytest.raises(BadInput, match=rf"from 1 to {COMPARED}"):
        model.diff(model, length)
