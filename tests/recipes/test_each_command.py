"""Each recipe under each command, as a reader of the papers tries them: every one answers, and the answers agree.

What a recipe is given is made of what it declares: a word over its alphabet, rows of its inputs, 1/2 for a symbol
without a default. What it should answer comes from its reference, which shares no code with it.
"""

import json
from fractions import Fraction
from functools import cache

import pytest
from families import together
from shared import call, document, refused

from symcook.errors import NotExact
from symcook.model.expr import parse_formula
from symcook.model.rationals import truth
from symcook.papers.drawing import figures
from symcook.recipes import build, info, names, reference
from symcook.verify import grid

NAMES = names()
INSIDE = {"query": ("1", "2", "1"), "value": ("0", "1", "1/2"), "score": ("0", "1", "0"), "tolerance": ("1/2",)} | {
    "p": ("1",), "q": ("0",), "r": ("1",), "y": ("1/2",)
}  # fmt: skip
"""Inputs that must lie in a range, by position; all others are 1, 0 and 3."""
ONE_SYMBOL = ("induction-most-recent", "induction-most-frequent", "first-position", "last-position")
OUTSIDE = {
    "gtzero": ({"x": "1/8"}, "1/4"),
    "eqzero": ({"x": "1/8"}, "3/4"),
    "round": ({"x": "1/2"}, "1/2"),
    "if": ({"p": "1/2", "x": "1", "y": "2"}, "2"),
    "boolean": ({"p1": "1/2", "p2": "1"}, "1/2"),
    "convert-boolean": ({"x": "1/2"}, "0"),
}
"""Inputs outside of the region of a recipe, and what its printed weights give there, worked out by hand."""


def symbols(name):
    model = build(name)
    return [part for p in model.parameters if p.default is None for part in ("--set", f"{p.name}=1/2")]


@cache
def irrational(name):
    """Whether a recipe has no exact value at its default arguments: run and check then take balls, and say so."""
    model, (_, sequence) = build(name), given(name)
    try:
        model.run(sequence, "exact", values={p.name: "1/2" for p in model.parameters if p.default is None})
    except NotExact:
        return True
    return False


def of_gelu(model):
    """Whether a part of the model has GELU."""
    return any(layer.feedforward and layer.feedforward.activation.startswith("gelu") for layer in model.layers)


def column(name):
    return INSIDE.get(name, ("1", "0", "3"))


def given(name):
    """The options that give an input, and the input as a reference takes it."""
    model = build(name)
    inputs = model.embedding.inputs
    if inputs is None:
        word = "".join(model.alphabet[k % len(model.alphabet)] for k in (0, 1, 0, 1))
        return ["--input", word], word
    if model.pointwise:
        row = {one: column(one)[k % len(column(one))] for k, one in enumerate(inputs)}
        row = {one: value if set(inputs) - {"x1", "x2", "x3"} else "1" for one, value in row.items()}
        return [p for one, v in row.items() for p in ("--set", f"{one}={v}")], _numbers(row)
    rows = [{one: column(one)[k] for one in inputs} for k in range(3)]
    return ["--rows", "; ".join(", ".join(row.values()) for row in rows)], [_numbers(row) for row in rows]


def _numbers(row):
    return {one: Fraction(value) for one, value in row.items()}


def number(shown):
    return Fraction(shown["mid"]) if isinstance(shown, dict) else Fraction(shown)


@pytest.mark.parametrize("name", NAMES)
def test_show_and_explain(capsys, name):
    code, out, err = call(capsys, "show", name)
    assert (code, err) == (0, "")
    assert out.startswith(f"{name}\n")
    assert info(name).paper in out or name == "last-position"  # its stored model has the paper's id
    code, out, _ = call(capsys, "show", name, "--latex")
    assert code == 0
    assert r"\begin{aligned}" in out
    code, out, _ = call(capsys, "explain", name)
    assert code == 0
    assert info(name).source in out
    assert all(claim in out for claim in info(name).claims)


@pytest.mark.layer_one(0, 1, 2, 3, 7, 10, 11, 12, 13, 14, 15, 30)
@pytest.mark.parametrize("name", NAMES)
def test_run(capsys, name):
    options, sequence = given(name)
    found = document(capsys, "run", name, *options, *symbols(name))
    assert found["domain"] == ("ball" if irrational(name) else "exact")
    code, out, _ = call(capsys, "run", name, *options, *symbols(name))
    assert code == 0
    assert ("rigorous intervals, not exact numbers" in out) == irrational(name)
    if irrational(name):
        assert "use --domain ball" in refused(capsys, "run", name, *options, "--domain", "exact")
    if of_gelu(build(name)):
        return  # they have an error; test_gelu_recipes bounds it
    values = {p.name: Fraction(1, 2) for p in build(name).parameters if p.default is None}
    wanted = reference(name, {}, values)(sequence)
    if "accept" in found:
        assert found["accept"] == wanted
    elif isinstance(wanted, dict):
        assert {one: number(v) for one, v in found["output"].items() if one in wanted} == wanted
    elif isinstance(found["outputs"][0], str) and build(name).readout.kind == "largest":
        assert found["outputs"] == list(wanted)
    else:
        parts = [one.values() if isinstance(one, dict) and "mid" not in one else [one] for one in found["outputs"]]
        shown = [value for part in parts for value in part]
        known = [value for row in wanted for value in row.values()]
        near = Fraction(1, 10**12) if info(name).error else 0
        assert all(abs(number(v) - value) <= near for v, value in zip(shown, known, strict=True))


@pytest.mark.layer_one(0, 6, 9, 10, 21, 22, 27, 29)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("modulo-angle", "parity-layernorm")])
def test_derive_says_what_run_says(capsys, name):
    options, _ = given(name)
    found = document(capsys, "run", name, *options, *symbols(name), "--domain", "ball")
    forms = document(capsys, "derive", name, *([] if build(name).pointwise else options))
    assert isinstance(forms, dict) != (build(name).pointwise and build(name).normed)
    (form,) = document(capsys, "derive", name, *options, *symbols(name), "--cases")
    assert form["output"].keys() == found["output"].keys()
    if not irrational(name) and not form["symbols"]:
        exactly = document(capsys, "run", name, *options, *symbols(name))["output"]
        assert {one: Fraction(v) for one, v in form["output"].items()} == {one: number(v) for one, v in exactly.items()}
    if "label" in form:
        ran = document(capsys, "run", name, *options)
        assert [one["label"] for one in form.get("outputs", [form])] == ran.get("outputs", [ran["output"]])


def test_a_closed_form_has_no_sine_of_a_symbol(capsys):
    assert "cos(2*pi/m); set m (as --set m=3)" in refused(capsys, "derive", "modulo-angle", "--input", "ab")


@pytest.mark.sweep
def test_a_closed_form_that_grows_too_large_says_what_to_do(capsys):
    code, out, err = call(capsys, "derive", "parity-layernorm", "--input", "01")
    assert (code, out) == (3, "")
    assert "leave --input out for the forms at every length" in err
    assert len(document(capsys, "derive", "parity-layernorm", code=3)) == 3


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("d", "cases"), [(1, 5), (2, 10)])
def test_the_cases_of_sign_cover_all_and_say_what_run_says(capsys, d, cases):
    arguments = ("--set", f"d={d}")
    forms = document(capsys, "derive", "sign", *arguments)
    assert len(forms) == cases
    assert "max(" not in json.dumps([form["output"] for form in forms])
    inputs = ["x"] if d == 1 else ["x1", "x2"]
    for entries in ([0, 0], [2, 1], [2, -1], [-3, -1], [-2, 2], [Fraction(1, 2), 3], [-1, Fraction(-1, 3)]):
        point = dict(zip(inputs, map(Fraction, entries), strict=False)) | {"delta": Fraction(1)}
        held = [form for form in forms if all(truth(parse_formula(one), point) for one in form["conditions"])]
        assert len(held) == 1
        options = [part for one, v in point.items() for part in ("--set", f"{one}={v}")]
        wanted = document(capsys, "run", "sign", *arguments, *options, "--domain", "ball")["output"]
        for one in inputs:
            assert abs(_value(held[0]["output"][one], point) - float(wanted[one]["mid"])) < 1e-12


def _value(text, point):
    from math import sqrt

    put = {one: float(value) for one, value in point.items()}
    return eval(text.replace("^", "**"), {"sqrt": sqrt, **put})


@pytest.mark.layer_one(0, 1, 2, 3, 10, 28, 29, 30, 31, 39, 40)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.layer_two(every=3)
def test_check(capsys, name, monkeypatch):
    monkeypatch.setattr(grid, "POINTS", 50 if irrational(name) or info(name).error else 2_000)
    long = [] if build(name).pointwise else ["--max-length", "2"]
    found = document(capsys, "check", name, *long, *symbols(name))
    assert (found["mismatches"], found["open"]) == (0, 0)
    assert found["strings"] > 1
    assert found["domain"] == ("ball" if irrational(name) or info(name).error else "exact")


@pytest.mark.layer_one(22, 40, 42, 71)
@pytest.mark.parametrize(
    ("ending", "name"),
    [
        *(("npz", name) for name in NAMES),
        *(("onnx", name) for name in NAMES),
        *(("safetensors", name) for name in NAMES[::6]),  # the arrays of npz in another file
    ],
)
@pytest.mark.layer_two(every=4)
def test_export(capsys, tmp_path, name, ending):
    pytest.importorskip({"onnx": "onnxruntime"}.get(ending, "numpy"))
    pytest.importorskip({"npz": "numpy"}.get(ending, ending))
    long = [] if build(name).pointwise else ["--max-length", "2"]
    target = tmp_path / f"m.{ending}"
    if ending == "onnx" and of_gelu(build(name)):
        assert "has no erf in float64" in refused(capsys, "export", name, "-o", target)
        long = ["--dtype", "float32"]
    found = document(capsys, "export", name, "-o", target, *long, *symbols(name))
    assert target.stat().st_size
    assert found["compared"]["first_difference"] is None


@pytest.mark.parametrize("name", sorted(OUTSIDE))
def test_outside_of_the_region_a_run_is_exact_and_says_so(capsys, name):
    point, wanted = OUTSIDE[name]
    options = [part for one, v in point.items() for part in ("--set", f"{one}={v}")]
    code, out, _ = call(capsys, "run", name, *options, *symbols(name))
    assert code == 0
    assert f"out  {wanted}\n" in out
    assert "outside the region where it is" in out


@pytest.mark.parametrize("name", [name for name in NAMES if name not in figures()])
def test_a_recipe_without_figures_names_those_that_have_some(capsys, tmp_path, name):
    assert "recipe with figures" in refused(capsys, "report", name, "-o", tmp_path)


@together(
    ("line", "said"),
    [
        ("induction-most-recent alphabet=", "alphabet must be different printable symbols"),
        ("count alphabet=a", "the alphabet must have at least two symbols"),
        ("dyck-k-d k=0", "k must be an integer from 1 to 100"),
        ("dyck-k-d D=0", "D must be an integer from 1 to 100"),
        ("dyck-1-nonuniform N=0", "N must be an integer from 1"),
        ("lookup-one-hot N=0", "N must be an integer from 1"),
        ("lookup-quadratic N=", "N must be a rational number; given: nothing"),
        ("tie-break gamma=0", "gamma must satisfy 0 < gamma"),
        ("gtzero eps=", "eps must have a value; given: --set eps="),
        ("max-min pieces=x*y", "pieces must be affine expressions"),
        ("convert-boolean given=open", "as a feed-forward network is continuous and open has no gap"),
    ],
)
def test_bad_arguments_are_named(capsys, line, said):
    name, setting = line.split()
    assert said in refused(capsys, "show", name, "--set", setting)


@pytest.mark.parametrize("name", ONE_SYMBOL)
def test_an_alphabet_of_one_symbol_is_one(capsys, name):
    found = document(capsys, "check", name, "--max-length", "4", "--set", "alphabet=a")
    assert (found["strings"], found["mismatches"], found["open"]) == (4, 0, 0)


def test_an_encoding_that_is_lacking_is_named():
    from symcook.compose import serial
    from symcook.errors import BadInput

    with pytest.raises(BadInput, match="the input query of the second model among the coordinates of the first"):
        serial(build("average"), build("lookup-quadratic"))


def test_explain_says_whose_formula_it_shows(capsys):
    assert "formula by default" in call(capsys, "explain", "boolean", "--set", "table=0001")[1]
    assert "formula by default" not in call(capsys, "explain", "boolean", "--set", "table=0110")[1]
