"""Closed forms of softmax heads over symbols of several scores: what they divide by is a sum of powers of e times
counts, which is positive since the counts together are a number of positions."""

from __future__ import annotations

import itertools
import math
from math import prod
from random import Random

import pytest
from flint import fmpq
from forms_said import Answer

import symcook as sc
from symcook.domains.names import I, N, count
from symcook.domains.tablesigns import POSITIVE
from symcook.domains.world import World
from symcook.errors import BadInput

CASES: list[tuple[dict[str, object], dict[str, object]]] = [
    ({"a": 1, "b": 2}, {}),
    ({"a": 1, "b": -2, "c": "1/2"}, {}),
    ({"a": 1, "b": -2, "c": "1/2"}, {"cls": True}),
    ({"a": 1, "b": -2}, {"cls": True, "mask": "strict-causal", "readout": "each"}),
    ({"a": 0, "b": "1/3", "c": 1}, {"readout": "each", "query": 2}),
    ({"a": 1, "b": 2, "c": 3, "d": -1, "e": 0}, {}),
    ({"a": 1, "b": 2}, {"mask": "anti-causal", "readout": "each"}),
    ({"a": 1, "b": -2, "c": "1/2"}, {"mask": "anti-causal", "readout": "each", "cls": True}),
    ({"a": 1, "b": -2}, {"mask": "strict-anti-causal", "readout": "each", "query": -1}),
    ({"a": 1, "b": -2, "c": "1/2"}, {"mask": "strict-anti-causal", "readout": "first"}),
]


def soft(scores: dict[str, object], cls: bool = False, mask: str = "causal", readout: str = "last", query: int = 1):
    """The softmax mean of the scores of the symbols, with each score times `query` as its exponent."""
    words = {symbol: {"x": score, "one": query} for symbol, score in scores.items()}
    added = {"before": "CLS"} if cls else {}
    b = sc.Builder(words=words | ({"CLS": {"x": 1, "one": 1}} if cls else {}), **added)
    matrices = {"Q": [[1, 0]], "K": [[0, 1]], "V": [[0, 1]]}
    b.attention("mean", ["one", "x"], weighting="softmax", mask=mask, **matrices)
    b.readout("value", readout, "mean")
    return b.build("soft")


@pytest.mark.layer_one(0, 3)
@pytest.mark.parametrize("scores, named", CASES)
@pytest.mark.layer_two(every=4)
def test_the_form_is_what_the_model_computes(scores, named) -> None:
    model = soft(scores, **named)
    answer = Answer(sc.derive(model))
    strings = ("".join(s) for n in range(1, 4) for s in itertools.product(model.alphabet, repeat=n))
    assert sum(map(answer.compare, strings)) > 0



@pytest.mark.parametrize("low, high", [(1, 2), (-1, 1), (0, 1), (-1, -2), (1, 0)])
def test_signs_at_the_ends_of_a_count(low: int, high: int) -> None:
    """low*e*count(a, i) + high*(i - count(a, i)) has the signs that it has at pairs of counts with a sum of at least 1,
    and 0 is among them only where it is among these."""
    world = World(("a", "b"), 1, None, None, None)
    world.of_symbols = lambda _: POSITIVE  # a power of e is
    a, i = world.name(count("a", I)), world.name(I)
    e = world.field.function("exp", fmpq(1))
    value = a * e * fmpq(low) + (i - a) * fmpq(high)
    pairs = [(k, n - k) for n in range(1, 9) for k in range(n + 1)]
    met = {(x > 0) - (x < 0) for first, second in pairs for x in [low * math.e * first + high * second]}
    assert met <= world.signs(value, {}) and (low * high < 0 or world.signs(value, {}) == met)


@pytest.mark.parametrize("low, high", [(1, 2), (2, 1), (-1, 1), (0, 1), (-2, -1), (1, 0)])
def test_signs_at_the_ends_of_a_count_behind_a_position(low: int, high: int) -> None:
    """The same with the counts behind position i, each of which is a difference of two."""
    world = World(("a", "b"), 1, None, None, None)
    world.of_symbols = lambda _: POSITIVE
    a, upto, i, n = (world.name(name) for name in (count("a"), count("a", I), I, N))
    e = world.field.function("exp", fmpq(1))
    value = (a - upto) * e * fmpq(low) + (n - i - a + upto) * fmpq(high)
    pairs = [(k, many - k) for many in range(8) for k in range(many + 1)]
    met = {(x > 0) - (x < 0) for first, second in pairs for x in [low * math.e * first + high * second]}
    assert met <= world.signs(value, {}) and (low * high < 0 or world.signs(value, {}) == met)


def test_what_a_form_misses_is_named_in_words_of_statements() -> None:
    b = sc.Builder(words={"a": {"x": 1, "one": 1}, "b": {"x": 2, "one": 1}, "CLS": {"one": 1}}, before="CLS")
    b.attention("u", ["one", "x"], Q=[[1, 0]], K=[[0, 1]], V=[[0, 1]], weighting="softmax", mask="causal")
    b.add(sc.head(value={"v": "u"}, mask="causal"))
    b.feedforward("z", ["u", "v"], W1=[[2, -1]], b1=[0], W2=[[1]])
    b.readout("value", "last", "z")
    with pytest.raises(BadInput, match=r"given: z: a unit needs the sign of .*count\(a") as caught:
        sc.derive(b.build("far"))
    assert "sum 1" not in str(caught.value)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("seed", range(6))
def test_signs_of_random_factors_hold_every_sign_that_occurs(seed: int) -> None:
    """Random polynomials in counts of strings and of their beginnings, at all strings to length 5 and their positions,
    also where the first symbol is known."""
    rng, world = Random(seed), World(("a", "b", "c"), 1, None, None, None)
    names = [count("a"), count("b"), count("a", I), count("b", I), I, N]
    strings = ["".join(s) for n in range(1, 6) for s in itertools.product("abc", repeat=n)]
    points = [
        (s, [s.count("a"), s.count("b"), s[:i].count("a"), s[:i].count("b"), i, len(s)])
        for s in strings
        for i in range(1, len(s) + 1)
    ]
    for _ in range(12):
        terms = [(rng.sample(range(6), rng.choice((1, 1, 2))), rng.choice((-2, -1, 1, 2))) for _ in range(3)]
        constant = rng.choice((-1, 0, 0, 1))
        value = sum((prod((world.name(names[k]) for k in ks), start=fmpq(c)) for ks, c in terms), start=fmpq(constant))
        for first in (None, "a", "c"):
            guard = {} if first is None else {("letter", 1): frozenset((first,))}
            at = (x for s, x in points if first in (None, s[0]))
            totals = [constant + sum(c * prod(x[k] for k in ks) for ks, c in terms) for x in at]
            assert {(v > 0) - (v < 0) for v in totals} <= world.signs(value, guard), (terms, constant, first)
