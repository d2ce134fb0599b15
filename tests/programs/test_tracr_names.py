"""Programs as written for tracr: its names, numbers as symbols, floats, causal selectors; beside plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.programs import rasp

NAMES = """Annotator RASPExpr annotate TokensType IndicesType LengthType sop_not ConstantSOp Selector selector_not
selector_and selector_or Encoding get_encoding is_numerical is_categorical default_encoding default_name
DEFAULT_ANNOTATORS RASPEvaluator DefaultRASPEvaluator evaluate SelectorValue NumericValue Value VT RASPExprT SOpT T"""
"""The names of tracr's module that were missing here."""
EVERY = rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.TRUE)
UP_TO = rasp.Select(rasp.indices, rasp.indices, rasp.Comparison.LEQ)
SAME = rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ)
SMALLER = rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.LT)
MIRROR = rasp.Select(rasp.indices, rasp.length - rasp.indices - 1, rasp.Comparison.EQ)
BEFORE = rasp.Select(rasp.indices, rasp.indices, lambda k, q: q == k + 1)
Numbers = Sequence[Any]
PROGRAMS: dict[str, tuple[rasp.SOp, Callable[[Numbers], list[Any]]]] = {
    "reverse": (rasp.Aggregate(MIRROR, rasp.tokens), lambda w: list(reversed(w))),
    "width": (rasp.SelectorWidth(EVERY), lambda w: [len(w)] * len(w)),
    "histogram": (rasp.SelectorWidth(SAME), lambda w: [w.count(x) for x in w]),
    "smaller": (rasp.SelectorWidth(SMALLER), lambda w: [sum(y < x for y in w) for x in w]),
    "prefix mean": (
        rasp.numerical(rasp.Aggregate(UP_TO, rasp.tokens)),
        lambda w: [Fraction(sum(w[: i + 1])) / (i + 1) for i in range(len(w))],
    ),
    "mean": (rasp.Aggregate(EVERY, rasp.tokens), lambda w: [Fraction(sum(w)) / len(w)] * len(w)),
    "mapped": (rasp.Map(lambda x: x % 2 == 1, rasp.tokens * 3), lambda w: [x * 3 % 2 == 1 for x in w]),
    "table": (
        rasp.Map(lambda x: "pqrs"[x], rasp.Map(lambda x: x - 1, rasp.tokens)), lambda w: ["pqrs"[x - 1] for x in w],
    ),
    "halves": (
        rasp.LinearSequenceMap(rasp.tokens, rasp.indices, 0.5, -0.25),
        lambda w: [Fraction(x, 2) - Fraction(i, 4) for i, x in enumerate(w)],
    ),
    "divided": (rasp.tokens / 3 + 0.5, lambda w: [Fraction(x, 3) + Fraction(1, 2) for x in w]),
    "shares": (
        rasp.Aggregate(UP_TO, rasp.tokens == 2, default=0),
        lambda w: [Fraction(w[: i + 1].count(2), i + 1) for i in range(len(w))],
    ),
    "count": (
        rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, lambda k, q: k == 3)),
        lambda w: [w.count(3)] * len(w),
    ),
    "product": (rasp.SequenceMap(lambda x, i: x * 10 + i, rasp.tokens, rasp.indices),
                lambda w: [x * 10 + i for i, x in enumerate(w)]),
    "shifted": (
        rasp.Aggregate(rasp.Select(rasp.indices, rasp.indices - 1, rasp.Comparison.EQ), rasp.tokens),
        lambda w: [0, *w[:-1]],
    ),
    "not": (rasp.sop_not(rasp.tokens > 1), lambda w: [x <= 1 for x in w]),
}  # fmt: skip
CAUSAL: dict[str, tuple[rasp.SOp, Callable[[Numbers], list[Any]]]] = {
    "width": (rasp.SelectorWidth(EVERY), lambda w: list(range(1, len(w) + 1))),
    "histogram": (rasp.SelectorWidth(SAME), lambda w: [w[: i + 1].count(x) for i, x in enumerate(w)]),
    "mean": (
        rasp.Aggregate(EVERY, rasp.tokens), lambda w: [Fraction(sum(w[: i + 1])) / (i + 1) for i in range(len(w))],
    ),
    "later": (rasp.SelectorWidth(~UP_TO), lambda w: [0] * len(w)),
}  # fmt: skip


def words(alphabet: Sequence[Any], longest: int) -> list[list[Any]]:
    return [list(word) for n in range(1, longest + 1) for word in product(alphabet, repeat=n)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_over_numbers_is_what_it_is_in_python(name: str) -> None:
    program, reference = PROGRAMS[name]
    model = sc.compile("srasp", program, alphabet=[1, 2, 3])
    for word in words([1, 2, 3], 3):
        assert model.run(word).outputs == reference(word), word
    again = sc.compile("srasp", model.program.source)  # type: ignore[union-attr]
    assert again.layers == model.layers  # what is kept is the whole program


@pytest.mark.parametrize("name", CAUSAL)
def test_selectors_of_a_causal_program_select_up_to_the_position(name: str) -> None:
    program, reference = CAUSAL[name]
    model = sc.compile("srasp", program, alphabet={3, 1}, causal=True)
    for word in words([1, 3], 4):
        assert model.run(word).outputs == reference(word), word


def test_text_symbols_stay_text() -> None:
    """An alphabet of texts is one of texts, also where these are numerals."""
    model = sc.compile("srasp", rasp.Aggregate(MIRROR, rasp.tokens), alphabet=["1", "2"])
    assert model.run(["1", "2"]).outputs == ["2", "1"]
    with pytest.raises(BadInput, match="write int"):
        sc.compile("srasp", rasp.Map(lambda x: x % 2, rasp.tokens), alphabet="12")


def test_floats_are_the_numbers_that_they_are() -> None:
    model = sc.compile("srasp", rasp.tokens * 2, alphabet=[0.5, -1.25, 3])
    assert model.alphabet == ("1/2", "-5/4", "3")
    assert model.run([0.5, -1.25, 3]).outputs == [1, Fraction(-5, 2), 6]
    third = sc.compile("srasp", rasp.Full(0.1), alphabet="ab").run("a").outputs
    assert third == [Fraction(0.1)] != [Fraction(1, 10)]
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(BadInput):
            sc.compile("srasp", rasp.Full(wrong), alphabet="ab")


def test_the_names_of_tracr_are_there() -> None:
    assert len(NAMES.split()) == 29 and all(hasattr(rasp, name) for name in NAMES.split())
    assert isinstance(rasp.tokens, rasp.TokensType) and isinstance(SAME, rasp.Selector)
    assert isinstance(rasp.indices, rasp.SOp) and isinstance(EVERY, rasp.RASPExpr)
    named = rasp.numerical(rasp.Map(lambda x: x, rasp.tokens)).named("here").annotated(more=1)
    assert named.name == named.label == "here" and rasp.is_numerical(named) and named.annotations["more"] == 1
    assert rasp.is_categorical(rasp.indices + 1) and rasp.get_encoding(named) is rasp.Encoding.NUMERICAL
    both = rasp.selector_or(rasp.selector_and(SAME, UP_TO), rasp.selector_not(EVERY))
    model = sc.compile("srasp", rasp.SelectorWidth(both), alphabet="ab")
    assert model.run("abaa").outputs == [1, 1, 2, 3]


def test_what_has_no_program_for_every_length_is_refused() -> None:
    for ask, text in (
        (lambda: rasp.ConstantSOp([1, 2]), "write Full(value), or Map(f, indices)"),
        (lambda: rasp.evaluate(rasp.tokens, [1]), "must be compiled with an alphabet"),
        (lambda: rasp.tokens([1]), "must be compiled with an alphabet"),
        (lambda: rasp.Selector(rasp.tokens), "made by Select"),  # type: ignore[arg-type]
        (lambda: rasp.Select(rasp.tokens, rasp.tokens, "=="), "write Comparison.EQ"),  # type: ignore[arg-type]
        (lambda: rasp.Map("f", rasp.tokens), "must be a function"),  # type: ignore[arg-type]
        (lambda: sc.compile("srasp", "x = in(i)", alphabet="ab", causal=True), "causal must be used only with"),
    ):
        with pytest.raises(BadInput) as error:
            ask()
        assert text in str(error.value)
