"""Formulas in a notebook: MathML that says what the formula says, drawn and with its tags dropped."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from fractions import Fraction
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest

import symcook as sc
from symcook.model.expr import parse_formula, parse_term
from symcook.report.mathml import math as drawn

UNSEEN = re.compile(r'<mtext style="display:none">[^<]*</mtext>')
BACK = {
    "≤": "<=",
    "≠": "!=",
    "∧": "&",
    "∨": "|",
    "⇒": "->",
    "⇔": "<->",
    "·": "*",
    "ε": "eps",
    "γ": "gamma",
    "δ": "delta",
    "√": "sqrt",
    "−": "-",
    "π": "pi",
}


def bare(page: str) -> str:
    """What is left where the tags are dropped, in the letters of the grammar."""
    text = unescape(re.sub("<[^>]*>", "", page))
    for sign, word in BACK.items():
        text = text.replace(sign, word)
    return re.sub(r"\be\^\(", "exp(", text)


def value(node: ElementTree.Element, at: Mapping[str, float]) -> float:
    """What the drawn formula says, read by an engine of its own: rows as arithmetic with brackets."""
    return eval(spelled(node), {"__builtins__": {}}, {**at, "E": math.e, "max": max, "min": min})


def spelled(node: ElementTree.Element) -> str:
    children = [child for child in node if child.get("style") != "display:none"]
    if node.tag in ("mi", "mo", "mn"):
        text = node.text or ""
        if node.get("mathvariant") == "normal":
            return "E"
        return {"·": "*", "−": "-", "ε": "eps", "γ": "gamma"}.get(text, f"({text}*one)" if node.tag == "mn" else text)
    if node.tag == "msub":
        return "".join(child.text or "" for child in children)
    parts = [spelled(child) for child in children]
    if node.tag == "mfrac":
        return f"(({parts[0]})/({parts[1]}))"
    if node.tag == "msup":
        return f"(({parts[0]})**({parts[1]}))"
    assert node.tag in ("math", "mrow"), node.tag
    return "".join(parts) if node.tag == "mrow" else f"({''.join(parts)})"


def terms(depth: int, rng: random.Random) -> Any:
    if depth == 0:
        return rng.choice([("num", rng.choice([-3, -1, 0, 1, 2, 7]), rng.choice([1, 1, 3, 4])),
                           ("name", rng.choice(["x", "y1", "eps", "gamma"]))])  # fmt: skip
    tag = rng.choice(["+", "-", "*", "*", "/", "^", "neg", "exp", "max"])
    one = terms(depth - 1, rng)
    if tag == "neg":
        return ("neg", one)
    if tag == "exp":
        return ("call", "exp", (one,))
    if tag == "^":
        return ("^", one, ("num", rng.choice([2, 3]), 1))
    other = terms(rng.randrange(depth), rng)
    return ("call", "max", (one, other)) if tag == "max" else (tag, one, other)


def known(tree: Any, at: Mapping[str, float]) -> float:
    """The value of a tree by its definition."""
    tag, *rest = tree
    if tag == "num":
        return rest[0] / rest[1]
    if tag == "name":
        return at[rest[0]]
    if tag == "call":
        given = [known(one, at) for one in rest[1]]
        return math.exp(given[0]) if rest[0] == "exp" else max(given)
    given = [known(one, at) for one in rest]
    if tag == "neg":
        return -given[0]
    first, second = given
    return {"+": first + second, "-": first - second, "*": first * second}[tag] if tag in "+-*" else (
        first / second if tag == "/" else first**second
    )  # fmt: skip


@pytest.mark.sweep
def test_drawn_and_bare_formulas_say_what_the_formula_says() -> None:
    rng, at, tried = random.Random(27), {"x": 1.25, "y1": -0.5, "eps": 0.125, "gamma": 2.0, "one": 1}, 0
    for _ in range(3000):
        tree = terms(rng.randrange(4), rng)
        try:
            wanted = known(tree, at)
        except (ZeroDivisionError, OverflowError):
            continue
        if isinstance(wanted, complex) or not math.isfinite(wanted) or abs(wanted) > 1e100:
            continue
        page = drawn(tree)
        root = ElementTree.fromstring(page)
        assert value(root, at) == pytest.approx(wanted, rel=1e-9, abs=1e-9), page
        assert known(parse_term(bare(page)), at) == pytest.approx(wanted, rel=1e-9, abs=1e-9), bare(page)
        tried += 1
    assert tried > 2000


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("x/y", ["mfrac"]),
        ("x^2", ["msup"]),
        ("exp(-gamma)", ["msup", "γ"]),
        ("eps", ["ε"]),
        ("x12", ["msub"]),
        ("sqrt(x)", ["msqrt"]),
        ("floor(x)", ["⌊", "⌋"]),
    ],
)
def test_terms_are_typeset(text: str, seen: list[str]) -> None:
    page = drawn(parse_term(text))
    assert all(sign in page for sign in seen)


def test_conditions_are_typeset() -> None:
    page = drawn(parse_formula("0 < x & (x <= 1 | x != y)"))
    assert UNSEEN.sub("", bare(page)) == "0<x&(x<=1|x!=y)"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("(all j in 1..n. j <= 2*p_j) & 2*k = n", "(∀j∈1..n.j<=2*p_j)&2*k=n"),
        ("ex j in 1..n. x = j | y = j", "∃j∈1..n.x=j|y=j"),
        ("~(x < y & y < 1)", "¬(x<y&y<1)"),
    ],
)
def test_quantified_conditions_are_typeset(text: str, seen: str) -> None:
    """Signs and no words; what is meant can be read with the tags dropped too."""
    from symcook.report.mathml import lines

    page = drawn(parse_formula(text))
    assert bare(page) == seen and "<mtext>" not in page
    each = re.findall("<math .*?</math>", lines(parse_formula(text)))
    assert "".join(map(bare, each)).replace(" ", "") == seen.replace(" ", "")
    assert len(each) == (2 if seen.startswith("(") else 1)


def test_sums_indicators_and_cases_are_typeset() -> None:
    assert bare(drawn(parse_term("sum(j, 1, n, I[x < j]*y/j)"))) == "∑(j=1..n)([x<j]*y)/j"
    assert bare(drawn(parse_term("1 + if(x < 1, 2, 3)"))) == "1+({2 if x<1; 3 otherwise)"
    assert bare(drawn(parse_term("2*sum(j, 1, n, j + 1)"))) == "2*(∑(j=1..n)(j+1))"


def test_a_derivation_in_a_notebook_is_typeset() -> None:
    page = sc.build("gtzero").derive()._repr_html_()
    assert "<mfrac>" in page and "ε" in page
    assert 'title="(max(0, x) - max(0, -eps + x))/eps"' in page  # the text, to copy
    first, second = sc.derive_cases(sc.build("min"))
    assert "<mo>&lt;</mo>" in first._repr_html_() and "<mo>≤</mo>" in second._repr_html_()
    assert "dyck-1" in sc.build("dyck-1").derive("(())")._repr_html_()


def test_the_cells_read_back_as_the_closed_forms() -> None:
    import sympy

    for name in ("gtzero", "max", "clip", "round", "multiply-gelu", "scale"):
        found = sc.build(name).derive()
        for text in found.output.values():
            (page,) = re.findall(rf'title="{re.escape(text)}">(<math .*?</math>)', found._repr_html_())
            again: Any = sympy.sympify(parse_and_show(bare(page)))
            assert sympy.simplify(again - sympy.sympify(parse_and_show(text))) == 0, name


def parse_and_show(text: str) -> str:
    from symcook.model.expr import show

    return show(parse_term(text)).replace("max(", "Max(").replace("min(", "Min(").replace("^", "**")


def test_a_very_long_formula_is_text() -> None:
    space = sc.Space(("x", "y"))
    network = sc.FeedForward(
        ("x",), ("y",), [[k + 1] for k in range(60)], [f"1/{k + 2}" for k in range(60)], [[1] * 60], [0]
    )
    model = sc.Transformer("long", sc.Embedding(space, inputs=("x",)), (sc.Layer(None, network),),
                           sc.Readout("value", "last", ("y",)))  # fmt: skip
    found = model.derive()
    assert len(found.output["y"]) > 400
    page = found._repr_html_()
    assert found.output["y"] in unescape(page)


def test_fractions_of_any_kind() -> None:
    assert drawn(("num", -1, 2)).startswith('<math displaystyle="true"><mrow><mo>−</mo><mfrac>')
    assert bare(drawn(("num", -1, 2))) == "-1/2" and Fraction(-1, 2) == Fraction(bare(drawn(("num", -1, 2))))
