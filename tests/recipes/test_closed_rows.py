"""Closed forms at every length of models whose rows are numbers: lookups by quadratic scores and neighbours, against
exact runs on random rows."""

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import forms_said
import pytest
from flint import fmpq
from forms_said import Answer
from shared import refused

import symcook as sc
from symcook.domains.names import I
from symcook.domains.tables import CellTable
from symcook.domains.world import GuardedCell
from symcook.proof.statements import inturn
from symcook.recipes import build


def compared(model: sc.Transformer, draw: random.Random, cases: int, query: bool = False) -> None:
    answer, inputs = Answer(sc.derive(model)), model.embedding.inputs or ()
    for _ in range(cases):
        n = draw.randint(1, 7)
        rows = [{name: Fraction(draw.randint(-6, 9), draw.choice([1, 2, 4])) for name in inputs} for _ in range(n)]
        if query:
            rows = [row | {"query": Fraction(draw.randint(1, n))} for row in rows]
        assert answer.compare(rows) >= n


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("name", ["predecessor", "predecessor-quadratic", "predecessor-strict"])
@pytest.mark.layer_two(every=2)
def test_the_value_before(name: str) -> None:
    """For any numbers, not only for those of the recipe's region."""
    compared(build(name), random.Random(name), 120)
    found = sc.derive(build(name))
    assert any(form.output["out"] == "value(i - 1)" and "2 <= i" in form.conditions for form in found.forms)


@pytest.mark.sweep
def test_a_lookup_takes_for_granted_that_queries_are_positions() -> None:
    found = sc.derive(build("lookup-quadratic"))
    (form,) = found.forms
    assert form.output == {"found": "value(query(i))"}
    assert form.assumptions == ("(all i in 1..n. ex q in 1..n. query(i) = q)",)
    assert form.lines == ("(all i in 1..n. ex q in 1..n. query(i) = q) -> all i in 1..n. found(i) = value(query(i))",)
    compared(build("lookup-quadratic"), random.Random(1), 120, query=True)


def test_a_lookup_that_sees_a_part_of_the_string() -> None:
    """A query behind the row reads the value there, one before the row's end the last value that the row sees: said
    with the assumption that the query is a position, without which the maximum may be between two positions."""
    b = sc.Builder(inputs=("query", "value"), positions={"one": "1", "index": "i", "square": "i^2"})
    pair = {("query", "index"): 2, ("one", "square"): -1}
    b.readout("value", "each", b.add(sc.head(pair, {"found": "value"}, mask="future", weighting="rightmost")))
    found = sc.derive(b.build("behind"))
    assert found.region == "(all i in 1..n. ex q in 1..n. query(i) = q)"
    assert forms_said.compared(found, 2) == (39, 510)


MASKS = ("none", "future", "strict-future", "past", "strict-past")


@pytest.mark.layer_one(6, 8, 10, 11, 18, 23, 26, 28, 32, 35, 36, 37)
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.layer_two(every=2)
def test_hard_heads_by_place(seed: int) -> None:
    """Parabolas over positions, signs of positions and no scores at all, under any mask, the first or last of ties."""
    draw = random.Random(seed)
    keys = {"one": "1", "index": "i", "square": "i^2", "sign": "(-1)^i", "third": "cos(2*pi*i/3)"}
    b = sc.Builder(inputs=("value",), positions=keys, start=draw.choice([0, 1]))
    kind = draw.choice(["none", "top", "sign", "both"])
    shift = draw.choice([-2, -1, 0, 1, 2])
    pairs: dict[Any, Any] = {
        "none": {},
        "top": {("index", "index"): 2, ("one", "square"): -1, ("one", "index"): 2 * shift},
        "sign": {("one", "sign"): draw.choice([1, -1, 2])},
        "both": {("sign", "sign"): draw.choice([1, -1])},
    }
    how: Any = {"mask": draw.choice(MASKS), "weighting": draw.choice(["leftmost", "rightmost"])}
    held = b.add(sc.head(pairs[kind] or None, {"held": "value"}, **how))
    b.readout("value", "each", held)
    compared(b.build("drawn"), draw, 25)


def test_one_row_has_no_length(capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, "derive", "tie-break")


@pytest.mark.layer_one(1, 4)
@pytest.mark.parametrize(
    "name", ["lookup-quadratic", "predecessor-strict", "predecessor-quadratic", "first-position", "prefix-average"]
)
def test_forms_of_rows_are_proved(name: str) -> None:
    proof = inturn.prove(sc.derive(build(name)), seconds=60)
    assert proof.whole, proof.missing
    assert proof.verdict.status == "PROVED" and not proof.verdict.assuming
    if name == "lookup-quadratic":  # what is taken for granted stands in the statement
        assert "(all i in 1..n. ex q in 1..n. query(i) = q) -> " in proof.statement.text


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("start", [0, 1])
def test_a_mean_of_the_token_in_front_is_proved(start: int) -> None:
    """1/n of what is 1 at the token in front alone."""
    b = sc.Builder(words={"a": {}, "b": {}, "BOS": {"begin": 1}}, before="BOS", start=start)
    b.readout("value", "each", b.add(sc.head(value={"inverse": "begin"}, mask="future")))
    proof = inturn.prove(sc.derive(b.build("in-front")), seconds=60)
    assert proof.whole and proof.verdict.status == "PROVED", proof.missing
    assert ("1/(i + 1)" if start == 0 else "1/i") in proof.statement.text


@pytest.mark.parametrize("place", [0, 1])
def test_a_planted_place_is_not_proved(place: int) -> None:
    """The value at position i itself, or at the first one, in place of the one before."""
    found = sc.derive(build("predecessor-strict"))
    world = found.each.domain.world
    (last,) = [one for one in found.each.coordinates if one.part == "attention"]
    wrong = world.input("value", ({I: Fraction(1)}, Fraction(0)) if place == 0 else ({}, Fraction(1)))
    cells = [GuardedCell(c.guard, c.value if isinstance(c.value, fmpq) else wrong) for c in last.column.cells]
    each = replace(found.each)
    each.__dict__["domain"] = found.each.domain
    each.__dict__["coordinates"] = [
        replace(one, column=CellTable(world, cells)) if one is last else one for one in found.each.coordinates
    ]
    planted = replace(found, each=each)
    proof = inturn.prove(planted, seconds=10)
    assert "out" in proof.missing and not proof.whole
