"""The page on expressions says what is so: each example has the values that stand beside it, in every number system."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from families import together

import symcook
import symcook as sc
from symcook.__main__ import dispatch
from symcook.model.modelfile import dumps, loads

PAGE = (Path(symcook.__file__).parent / "data" / "grammar.md").read_text(encoding="utf-8")
EXAMPLES = [
    (line.split("`")[1], [Fraction(v.strip()) for v in line.rsplit("|", 2)[1].split(",")])
    for line in PAGE.split("Twenty position functions")[1].split("Statements about a model")[0].splitlines()
    if line.startswith("| `")
]


def test_there_are_twenty() -> None:
    assert len(EXAMPLES) == 20


@together(("function", "values"), EXAMPLES)
@together("domain", ["exact", "ball", "mpmath", "float64"])
def test_an_example_has_its_values(function: str, values: list[Fraction], domain: str) -> None:
    b = sc.Builder(words="ab", positions={"p": function})
    b.readout("value", "each", "p")
    model = b.build("m")
    assert loads(dumps(model)) == model
    if domain == "exact" and "pi" in function:
        return  # sympy's sine is no rational here; balls enclose it
    for got, value in zip(model.run("abba", domain).outputs or [], values, strict=True):
        if isinstance(got, dict):
            assert abs(Fraction(got["mid"]) - value) <= Fraction(got["rad"])
        elif isinstance(got, float):
            assert abs(Fraction(got) - value) < Fraction(1, 10**12)
        else:
            assert abs(Fraction(got) - value) < Fraction(1, 10**25)


@together(
    ("function", "values"),
    [
        ("floor(-i/2)", [-1, -1, -2, -2]),
        ("mod(-i, 3)", [2, 1, 0, 2]),
        ("mod(i, -3)", [-2, -1, 0, -2]),
        ("mod(i/2, 1/3)", [Fraction(1, 6), 0, Fraction(1, 6), 0]),
        ("floor((i/10)*10)", [1, 2, 3, 4]),
        ("floor(sqrt(2)*i)", [1, 2, 4, 5]),
        ("sign(i/3 - 2/3)", [-1, 0, 1, 1]),
        ("floor(log(2^i)/log(2) + 1/2)", [1, 2, 3, 4]),
    ],
)
def test_floor_mod_and_sign_at_their_steps(function: str, values: list[Fraction]) -> None:
    """By hand; where a float would fall on the wrong side of a step, the exact value decides."""
    b = sc.Builder(words="ab", positions={"p": function})
    b.readout("value", "each", "p")
    model = b.build("m")
    for domain in ("exact", "float64", "float32"):
        tolerance = Fraction(1, 10**6)
        for got, value in zip(model.run("abba", domain).outputs or [], values, strict=True):
            assert abs(Fraction(got) - value) < tolerance


@pytest.mark.parametrize("function", ["floor(i, 2)", "mod(i)", "mod(i, 0)", "sign()", "floor(x)"])
def test_what_has_no_value_is_refused(function: str) -> None:
    with pytest.raises(sc.BadInput):
        b = sc.Builder(words="ab", positions={"p": function})
        b.readout("value", "each", "p")
        b.build("m").run("ab")


def test_the_page_is_shown_and_named_where_the_grammar_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["explain", "grammar"]) == 0
    assert "sum(j, 1, floor(n/2), I[j < i])" in capsys.readouterr().out
    with pytest.raises(sc.BadInput, match="symcook explain grammar"):
        dispatch(["run", "gtzero", "--set", "eps=1/(2", "--set", "x=1"])


@pytest.mark.layer_one(1, 5, 6, 7)
@pytest.mark.parametrize("line", re.findall(r"^\| `.*\|$", PAGE.split("Statements about a model")[1], re.M))
def test_an_example_of_a_statement_is_one(line: str) -> None:
    """About a model with the readout that its word needs."""
    cells = [cell.strip().strip("`") for cell in line.replace("\\|", "|").strip("|").split("|")]
    kind = {"answer": "largest", "probability": "distribution"}.get(cells[0].partition("(")[0], "sign")
    b = sc.Builder(words={"a": {"x": 1}, "b": {}})
    if "(1, 1, " in cells[-1]:  # of a head
        b.attention("share", "x")
    labels = {} if kind == "sign" else {"weights": [[1], [0]], "labels": ("yes", "no")}
    b.readout(kind, "last", "x", **(labels or {"weights": [1]}))
    assert b.build("m").prove(cells[-1], seconds=2).statement == cells[-1]


def test_every_function_of_the_page_is_one_and_none_is_missing() -> None:
    from symcook.model.expr import ARITY
    from symcook.model.meaning import ROUNDED
    from symcook.proof import rounded

    row = next(line for line in PAGE.splitlines() if line.startswith("| functions"))
    assert set(re.findall(r"[a-z]+", row.split("`")[1])) == {*ARITY, *ROUNDED}
    assert rounded.ROUNDED == ROUNDED
