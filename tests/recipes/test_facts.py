"""What recipes say of themselves, evaluated against their models; and nonsense in either text is noticed."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest

from symcook import recipes
from symcook.__main__ import main
from symcook.errors import BadInput
from symcook.model.expr import names as free
from symcook.model.expr import parse_formula, parse_term
from symcook.recipes import build, info, names
from symcook.verify import grid, stated
from symcook.verify.stated import LENGTH, MOST, WORDS, Stated, check_facts, check_recipe

SHORTER = {"lookup-layernorm-hash": 2} | dict.fromkeys(
    ("first", "first-flawed", "first-layernorm", "lookup-almost-orthogonal", "parity", "parity-layernorm"), 4
)
"""The length for recipes with roots and exponentials, whose strings of length 6 take long."""
IN_BALLS = ("sign", "sign-norm", "selective-norm", "by-gelu", "multiply-gelu")
"""Recipes whose numbers are irrational: each point of a grid takes a millisecond, and they have a coarser one here."""


@pytest.mark.layer_one(0, 2, 3, 7, 10, 11, 17, 28, 39, 40, 42, 46)
@pytest.mark.parametrize("name", names())
@pytest.mark.layer_two(every=3)
def test_both_texts_hold_of_the_model(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On all inputs to length 6, but for a formula whose region ends before."""
    length = SHORTER.get(name, LENGTH)
    if name in IN_BALLS:
        monkeypatch.setattr(grid, "POINTS", 50)
    found = check_facts(name, length, most=MOST)
    assert [one.against for one in found if not one.holds] == []
    assert all(one.strings >= 2 for one in found)
    assert {one.against for one in found} >= {"its formula"}
    long = None if build(name).pointwise else length
    ends = "n" in free(parse_formula(info(name).region))
    assert all(one.max_length == long for one in found if one.against != "its formula" or not ends)


NONSENSE = {
    "gtzero": [("formula", "I[0 <= x]"), ("computes", "(relu(x) - relu(x - 2*eps))/eps")],
    "max": [("formula", "min(x, y)"), ("computes", "relu(x) + relu(y)")],
    "average": [("formula", "sum(j, 1, n, x(j))/(n + 1)"), ("formula", "sum(j, 1, i, x(j))/i")],
    "count": [("formula", "C(i)/n"), ("formula", "opens(n)/n + 0*w(i) + 1")],
    "first-position": [("formula", "I[i = 2]"), ("computes", "3*(relu(mean - 1/3) - relu(mean - 1/2))")],
    "dyck-1": [("formula", "opens(n) = closes(n)"), ("computes", "balance = 0"), ("computes", "total = 0")],
    "dyck-1-2": [("computes", "active(n) = 0")],
    "dyck-k-d": [("formula", "opens(n) = closes(n)")],
    "parity": [("formula", "mod(ones(n), 2) = 0"), ("computes", "s < 0")],
    "first": [("formula", "ex j in 1..n. w(j) = 1"), ("computes", "0 <= s")],
    "induction-most-frequent": [("formula", "w(i)")],
    "modulo": [("formula", "mod(C(n) + 1, m)")],
    # only where the formula is not asked
    "predecessor": [("formula", "value(i)"), ("computes", "if(i = 1, 0, value(i - 1))")],
    "predecessor-quadratic": [("computes", "if(i = 1, 0, relu(value(i - 1)))")],
    "lookup-one-hot": [("score", "-abs(query(i) - j)")],
    # only in the second output
    "modulo-angle": [("formula", "cos(2*pi*C(i)/(m + 1))"), ("formula", "if(k = 0, cos(2*pi*C(i)/m), sin(pi*C(i)/m))")],
    "selective-norm": [("formula", "sign(x)")],
}


@pytest.mark.layer_one(2, 3, 4)
@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    facts = info(name)
    if name in IN_BALLS:
        monkeypatch.setattr(grid, "POINTS", 50)
    for kind, text in NONSENSE[name]:
        monkeypatch.setitem(recipes._RECIPES, name, facts._replace(**{kind: text}))
        wrong = [one for one in check_facts(name, 3) if not one.holds]
        assert wrong, text  # of one ReLU layer the weights are made from `computes`, and the formula then fails
    length = () if build(name).pointwise else ("--max-length", "3")
    assert main(["check", name, *length, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["counterexample"] is not None
    assert build(name).pointwise or said["against"] in ("its formula", "its `computes`")


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", ["max", "count"])  # on a grid, and of words
def test_a_formula_is_asked_within_its_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The weights are exact, so that a formula that is 1/4 too great is right within 1/4, and within no less."""
    facts = info(name)
    monkeypatch.setattr(grid, "POINTS", 500)
    for error, holds in (("1/4", True), ("2^-2", True), ("1/4 - 1/10^25", False), ("0", False)):
        wrong = facts._replace(formula=f"{facts.formula} + 1/4", error=error, computes=facts.computes or facts.formula)
        monkeypatch.setitem(recipes._RECIPES, name, wrong)
        assert all(one.holds for one in check_facts(name, 3)) is holds, error
    monkeypatch.setitem(recipes._RECIPES, name, facts._replace(error="1/2 - 1"))
    with pytest.raises(BadInput, match=r"must not be negative; given: 1/2 - 1 = -1/2"):
        check_facts(name, 3)


@pytest.mark.parametrize(
    ("kind", "text", "free"),
    [
        ("formula", "frobs(i)", r"frobs\(\.\.\)"),
        ("formula", "y(1)", r"y\(\.\.\)"),
        ("formula", "q + n", "q"),
        ("formula", "share(i)", r"share\(\.\.\)"),  # a coordinate: nothing of the input
        ("computes", "shares(i) + p", r"p, shares\(\.\.\)"),
    ],
)
def test_a_recipe_with_a_text_of_unknown_words_is_not_made(
    kind: str, text: str, free: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(recipes._RECIPES, "count", info("count")._replace(**{kind: text}))
    must = rf"`{kind}` of the recipe count must use only names of .*; declare or replace {free}\.$"
    with pytest.raises(BadInput, match=must):
        build("count")
    for command in ("check", "explain", "show"):
        assert main([command, "count"]) == 2
        assert re.search(must, capsys.readouterr().err.strip().replace("\n", " "))


def test_a_text_that_leaves_its_positions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(recipes._RECIPES, "count", info("count")._replace(formula="w(n + 1)"))
    with pytest.raises(BadInput, match="position"):
        check_recipe("count", 3)


def test_the_words_of_formulas_mean_what_their_table_says() -> None:
    """Counted by hand, on all words to length 4 of two brackets and of four."""

    def value(name: str, word: str, text: str) -> Any:
        return Stated(build(name), "formula", parse_term(text), {}, "exact")(word)[-1]

    for length in range(1, 5):
        for letters in itertools.product("01", repeat=length):
            word = "".join(letters)
            told = [value("first-position", word, f"{name}(n)") for name in ("w", "C", "ones", "opens", "closes")]
            zeros, ones = word.count("0"), word.count("1")
            assert told == [int(word[-1]), zeros, ones, zeros, ones]
    assert {"w", "C", "ones", "opens", "closes", "bracket", "gelu"} == set(WORDS)


def test_which_inputs_were_tried_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["check", "dyck-1", "--max-length", "8"]) == 0
    assert "agree with the model on 126 inputs up to length 6 too" in capsys.readouterr().out  # 2 + 4 + ... + 64
    assert LENGTH == 6 and MOST == 2**14
    monkeypatch.setattr(stated, "MOST", 83)
    assert check_recipe("dyck-k-d", 3).stated == 4 + 16  # to length 3 there are 84
    monkeypatch.setattr(stated, "MOST", 84)
    assert check_recipe("dyck-k-d", 3).stated == 4 + 16 + 64
    assert check_recipe("dyck-1", 4, domain="float64").stated == 0
    assert check_recipe("count", 4, {"by": "i"}).stated == 0  # the texts are those of the default arguments


@pytest.mark.parametrize(
    "text", ["mod(C(n), m) + 1/2", "mod(C(n), m) - m", "mod(C(n), m) + m", "mod(C(n), m) + 1/10^30",
             "if(mod(C(n), m) = 0, -1/2, mod(C(n), m))", "mod(C(n), m) + sqrt(2)/10^3"]
)  # fmt: skip
def test_what_is_the_number_of_no_label_is_a_difference(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two labels, of the numbers 0 and 1."""
    monkeypatch.setitem(recipes._RECIPES, "modulo", info("modulo")._replace(formula=text, computes=text))
    found = check_recipe("modulo", 3)
    assert not found.holds and found.against == "its formula" and found.open == 0
    assert found.counterexample is not None and found.first.expected not in ("0", "1")


def test_lengths_are_those_of_the_region(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Words of two letters: 4 + 8 + 16 + 32 + 64 from n = 2 to 6, and 4 + 16 + 64 of the even lengths."""
    facts = info("dyck-1")
    right, wrong = facts.formula, f"~({facts.formula})"
    for region, inside, strings in (("2 <= n", "2 <= n", 124), ("mod(n, 2) = 0", "mod(n, 2) = 0 & 1 <= n", 84)):
        text = f"({inside} -> {right}) & (~({inside}) -> {wrong})"
        if region != "2 <= n":  # the empty string lies in it
            text = f"n = 0 & {right} | 1 <= n & ({text})"
        monkeypatch.setitem(recipes._RECIPES, "dyck-1", facts._replace(formula=text, region=region))
        found = check_recipe("dyck-1", 6)
        assert found.holds and (found.stated, found.stated_to) == (strings, 6)
        monkeypatch.setitem(recipes._RECIPES, "dyck-1", facts._replace(formula=f"~({text})", region=region))
        found = check_recipe("dyck-1", 6)
        assert (found.holds, found.mismatches, found.against) == (False, strings, "its formula")
    monkeypatch.setitem(recipes._RECIPES, "dyck-1", facts._replace(formula=wrong, region="7 <= n"))
    found = check_recipe("dyck-1", 8)
    assert found.holds and (found.stated, found.stated_to) == (0, 6)
    assert "the recipe's formula covers no string up to length 6, so it was not evaluated" in found.text()


def test_explain_says_what_the_words_mean(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "dyck-1"]) == 0
    said = capsys.readouterr().out
    assert "opens(i)" in said and WORDS["opens"][2] in said and "ones(i)" not in said
    assert main(["explain", "dyck-1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["where"]["closes(i)"] == WORDS["closes"][2]
