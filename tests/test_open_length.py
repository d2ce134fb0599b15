"""A number system that does not know how long the input is runs through the one forward pass.

Its columns are formulas, for each token that may stand at a position, in the counts of tokens before that position and
in the whole input; its verdicts are conditions on these. What it says of all words in one pass is what `Exact` says of
each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import pytest
import sympy

from symcook.domains.exact import Exact
from symcook.domains.protocol import Coefficient, Domain
from symcook.errors import NoRun, NotExact
from symcook.forward import follows, forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import names, show
from symcook.model.parts import MASKS, FeedForward, Head, Layer, Mask, SelfAttention
from symcook.model.symbols import to_sympy
from symcook.model.transformer import Transformer

TOKENS = ("a", "b")
BEFORE = {t: sympy.Symbol(f"before_{t}", integer=True, nonnegative=True) for t in TOKENS}
WHOLE = {t: sympy.Symbol(f"whole_{t}", integer=True, nonnegative=True) for t in TOKENS}
INDEX = sympy.Add(1, *BEFORE.values())
LENGTH = sympy.Add(*WHOLE.values())
SOMEWHERE = 1
"""The one place that a column has by itself: a position of which nothing is known."""

Column = Mapping[str, Any]


@dataclass(frozen=True)
class Condition:
    """A column of verdicts at one place, or (None) at all of them."""

    column: Column
    place: int | None

    def holds(self, word: str, at: int) -> Any:
        """What it says of a word; `at` is the position where the place is not one."""
        if self.place is None:
            return all(entry(self.column, word, k) for k in range(len(word)))
        return entry(self.column, word, {0: 0, -1: len(word) - 1}.get(self.place, at))


def entry(column: Column, word: str, at: int) -> Any:
    """The value of a column at one position of a word."""
    counts = {BEFORE[t]: sympy.Integer(word[:at].count(t)) for t in TOKENS}
    counts |= {WHOLE[t]: sympy.Integer(word.count(t)) for t in TOKENS}
    found = sympy.sympify(column[word[at]]).subs(counts)
    return bool(found) if found in (True, False) else found


class OpenLength:
    name: ClassVar[str] = "open"

    def context(self) -> AbstractContextManager[None]:
        return nullcontext()

    def begin(self, sequence: Any, start: int) -> None:
        assert sequence is None and start == 1

    def require_positive(self, term: Coefficient, must: str) -> None:
        value = self._term(term).subs(WHOLE["b"], LENGTH - WHOLE["a"])
        n = sympy.Symbol("n", integer=True, positive=True)
        if not value.subs(LENGTH, n).is_positive:
            raise NoRun(must, f"{show(term) if isinstance(term, tuple) else term} at some length")

    def _term(self, term: Coefficient) -> Any:
        if not isinstance(term, tuple):
            return sympy.Rational(term.numerator, term.denominator)
        assert names(term) <= {"i", "n"}
        return to_sympy(term, {"i": INDEX, "n": LENGTH})

    def embed(self, table: Mapping[str, Coefficient]) -> Column:
        return {t: self._term(table.get(t, 0)) for t in TOKENS}

    def input(self, name: str) -> Column:
        raise NotExact("strings are read here", name)

    def positions(self, expression: Coefficient) -> Column:
        return dict.fromkeys(TOKENS, self._term(expression))

    def units(self, most: int) -> list[Column]:
        return []

    def linear(self, terms: Sequence[tuple[Column, Coefficient]], bias: Coefficient) -> Column:
        return {t: sum((self._term(w) * c[t] for c, w in terms), self._term(bias)) for t in TOKENS}

    def activate(self, column: Column, kind: str) -> Column:
        assert kind == "relu"
        return {t: sympy.Max(0, column[t]) for t in TOKENS}

    def layer_norm(self, columns: Sequence[Column], epsilon: Coefficient, zero_variance: str) -> list[Column]:
        raise NotExact("no norms", "a norm")

    def attend(
        self,
        queries: Sequence[Column],
        keys: Sequence[Column],
        values: Sequence[Column],
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> list[Column]:
        if queries or weighting in ("leftmost", "rightmost"):
            raise NotExact("averages only", weighting)
        return [{t: self._mean(column, mask, t) for t in TOKENS} for column in values]

    def _mean(self, column: Column, mask: Mask, here: str) -> Any:
        """Of what a position with the token `here` sees: counts of each token before, here and after it."""
        if any(column[t].free_symbols & {*BEFORE.values()} for t in TOKENS):
            raise NotExact("an average must be of tokens", str(column))
        before, self_, after = int(mask.before), int(mask.here), int(mask.after)
        same = {t: int(t == here) for t in TOKENS}
        counts = {t: before * BEFORE[t] + self_ * same[t] + after * (WHOLE[t] - BEFORE[t] - same[t]) for t in TOKENS}
        many = sum(counts.values())
        return sum(counts[t] * column[t] for t in TOKENS) / sympy.Max(1, many)  # of nothing zero

    def distribution(self, columns: Sequence[Column]) -> list[Column]:
        raise NotExact("no softmax", "a distribution")

    def largest(self, columns: Sequence[Column]) -> Column:
        def first(t: str) -> Any:
            best = [sympy.And(*(c[t] >= other[t] for other in columns)) for c in columns]
            return sympy.Piecewise(*((k, one) for k, one in enumerate(best[:-1])), (len(best) - 1, True))

        return {t: first(t) for t in TOKENS}

    def positive(self, column: Column) -> Column:
        return {t: column[t] > 0 for t in TOKENS}

    def zero(self, column: Column) -> Column:
        return {t: sympy.Eq(column[t], 0) for t in TOKENS}

    def both(self, first: Column, second: Column) -> Column:
        return {t: sympy.And(first[t], second[t]) for t in TOKENS}

    def every(self, verdicts: Column) -> Condition:
        return Condition(verdicts, None)

    def verdict(self, verdicts: Column, place: int) -> Condition:
        return Condition(verdicts, place)

    def places_of(self, column: Column) -> Sequence[int]:
        return [SOMEWHERE]

    def read(self, column: Column, place: int) -> Condition:
        return Condition(column, place)

    def show(self, value: Condition, digits: int) -> object:
        return str(value.column)

    def settled(self, value: Condition, digits: int) -> bool:
        return True


def model(readout: Readout, mask: str = "none", weighting: str = "average", temperature: Any = 1) -> Transformer:
    """Votes of tokens and of positions, their mean under a mask, and a unit that holds it back."""
    words: Any = {"a": {"vote": 1, "one": 1}, "b": {"vote": -1, "one": 1}}
    space = Space(("vote", "one", "place", "mean", "seen", "up"))
    reads = ("vote", "one")
    heads = Head(reads, ("mean", "seen"), [], [], [[1, 0], [0, 1]], mask, weighting, temperature)
    unit = FeedForward(("mean", "place"), ("up",), [[1, 0], [2, -1]], ["0", "-1/3"], [[1, "1/2"]], [0], "relu")
    embedding = Embedding(space, words=words, positions={"place": "i/n"})
    return Transformer("votes", embedding, (Layer(SelfAttention((heads,)), unit),), readout)


SIGN: Callable[[str], Readout] = lambda position: Readout("sign", position, ("up", "mean"), [["2", "-1/2"]])  # noqa: E731
READOUTS = (
    SIGN("last"), SIGN("first"), SIGN("each"), SIGN("all"),
    Readout("zero", "each", ("mean", "up")), Readout("zero", "all", ("mean",)), Readout("zero", "last", ("mean", "up")),
    Readout("largest", "each", ("up", "mean"), [[1, 0], [0, 1], [1, 1]], ("p", "q", "r")),
    Readout("value", "last", ("up", "place")),
)  # fmt: skip
INPUTS = ["".join(word) for n in range(1, 4) for word in product(TOKENS, repeat=n)] + ["abbab", "bbaa"]


def checked(domain: Domain[Any, Any, Any, Any]) -> Domain[Any, Any, Any, Any]:
    return domain  # pyright reads here that this is a domain


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.layer_two(every=4)
@pytest.mark.sweep
def test_one_pass_says_what_each_word_says(mask: str) -> None:
    for readout in READOUTS:
        one = model(readout, mask)
        for trace in (False, True):
            said = forward(one, None, checked(OpenLength()), trace=trace)
            assert said.reliable in (None, True) and all(not step.attention for step in said.steps if trace)
        for word in INPUTS:
            known = forward(one, tuple(word), Exact())
            where = readout.places(len(word)) if readout.each else [len(word) - 1]
            if readout.answers:
                (answer,) = said.answers
                assert [answer.holds(word, at) for at in where] == known.answers, (readout, word)
            for at in where if readout.each else [0]:
                place = SOMEWHERE if readout.each else said.place
                shown = {name: value.holds(word, at) for name, value in said.values(place).items()}
                assert shown == known.values(at if readout.each else None), (readout, word)
        assert (said.accept is None) == (not readout.decides)


def test_temperatures_are_asked_of_the_domain() -> None:
    """Positive at every length, or refused by the domain in whose words it is."""
    at_all = model(SIGN("last"), weighting="softmax", temperature="n^2 + 1")
    assert forward(at_all, None, checked(OpenLength())).accept is not None
    with pytest.raises(NoRun, match="a temperature must be positive; given: n - 2 at some length"):
        forward(model(SIGN("last"), weighting="softmax", temperature="n - 2"), None, checked(OpenLength()))


def test_what_it_does_not_offer() -> None:
    """It has no positions to leave out, nothing is asked of its length, and no refusal is lost on the way."""
    assert not follows(checked(OpenLength())) and not hasattr(OpenLength, "length")
    with pytest.raises(NotExact, match="averages only"):
        forward(model(SIGN("last"), weighting="leftmost"), None, checked(OpenLength()))
