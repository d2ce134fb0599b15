"""All words of a causal model at once, position by position: prefixes that the model cannot tell apart are one.

Where every head takes plain means of what stands up to here, all that a prefix leaves behind are the running sums of
what the heads average. Prefixes with the same sums are merged. A sum that no later head averages again is *last*: it
reaches the answer alone. Where there is one such sum, prefixes that differ in nothing else (and have it on the same
side of zero) are merged too; of these the ones with the least and the greatest sum are kept, since whatever follows
adds the same to all of them, so that the others stay between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from flint import fmpq

from symcook.domains.protocol import Coefficient
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import Result, forward
from symcook.model.layers import SelfAttention
from symcook.model.rationals import rational
from symcook.model.transformer import Transformer

MOST = 200_000
"""The greatest number of prefixes that are kept at one position."""
ZERO = fmpq(0)


class Column(NamedTuple):
    """One coordinate at one position, for all prefixes at once, and the numbers of the running sums that it is made
    of."""

    values: list[fmpq]
    made_of: frozenset[int]


class Prefixes:
    """The domain of one position behind many prefixes: `tokens` at it, `before` the running sums behind each prefix,
    `seen` how many positions there are with this one.

    `sums` are the running sums with this position, `fed` those that some head averages again, and `turns` the values
    that activations saw.
    """

    name: ClassVar[str] = "prefixes"
    length = 1

    def __init__(self, tokens: Sequence[str], i: int, n: int, seen: int, before: Sequence[list[fmpq]] | None) -> None:
        self.tokens, self.i, self.n, self.seen, self.before = tokens, i, n, seen, before
        self.sums: list[list[fmpq]] = []
        self.fed: set[int] = set()
        self.turns: list[list[fmpq]] = []

    def context(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def begin(self, sequence: Any, start: int) -> None:
        pass

    def _number(self, value: Coefficient) -> fmpq:
        value = rational(value, {"i": Fraction(self.i), "n": Fraction(self.n)}) if isinstance(value, tuple) else value
        return fmpq(value.numerator, value.denominator)

    def embed(self, table: Mapping[str, Coefficient]) -> Column:
        values = {token: self._number(value) for token, value in table.items()}
        return Column([values.get(token, ZERO) for token in self.tokens], frozenset())

    def positions(self, expression: Coefficient) -> Column:
        return Column([self._number(expression)] * len(self.tokens), frozenset())

    def linear(self, terms: Sequence[tuple[Column, Coefficient]], bias: Coefficient) -> Column:
        total = [self._number(bias)] * len(self.tokens)
        for column, weight in terms:
            factor = self._number(weight)
            total = [t + factor * x for t, x in zip(total, column.values, strict=True)]
        return Column(total, frozenset().union(*(column.made_of for column, _ in terms)))

    def activate(self, column: Column, kind: str) -> Column:
        if kind not in ("relu", "step"):
            raise NotExact("prefixes are merged by rational numbers", kind)
        self.turns.append(column.values)
        one = fmpq(1)
        found = [(one if kind == "step" else x) if x > 0 else ZERO for x in column.values]
        return Column(found, column.made_of)

    def attend(
        self,
        queries: Sequence[Column],
        keys: Sequence[Column],
        values: Sequence[Column],
        mask: str,
        weighting: str,
        factor: Coefficient,
    ) -> list[Column]:
        result = []
        for column in values:
            number = len(self.sums)
            self.fed |= column.made_of
            if self.before is None:
                self.sums.append(column.values)
            else:
                self.sums.append([s + x for s, x in zip(self.before[number], column.values, strict=True)])
            result.append(Column([s / self.seen for s in self.sums[number]], column.made_of | {number}))
        return result

    def layer_norm(self, columns: Sequence[Column], epsilon: Coefficient, zero_variance: str) -> list[Column]:
        raise NotExact("prefixes are merged by rational numbers", "a layer norm")

    def largest(self, columns: Sequence[Column]) -> list[None]:
        return [None]

    def positive(self, column: Column) -> list[None]:
        return [None]

    def zero(self, column: Column) -> list[None]:
        return [None]

    def both(self, first: None, second: None) -> None:
        return None


def mergeable(model: Transformer) -> bool:
    """Whether the words of a model can be gone through in this way (numbers apart, which must be rational)."""
    heads = [h for step in model.sublayers if isinstance(step.block, SelfAttention) for h in step.block.heads]
    causal = all(h.uniform and h.mask == "future" and h.weighting in ("average", "softmax") for h in heads)
    return causal and not model.normed and model.readout.position == "last" and bool(heads)


def by_length(model: Transformer) -> bool:
    """Whether the length is in no number of the model, so that one pass serves all lengths."""
    return not any("n" in {str(s) for s in value.free_symbols} for value, _, _ in model.expressions(symbolic=True))


class Prefix(NamedTuple):
    """The last token of a prefix, and the prefix before it."""

    token: str
    before: Prefix | None


def word(prefix: Prefix | None) -> tuple[str, ...]:
    """The whole of a prefix; None is the empty one."""
    tokens = []
    while prefix is not None:
        tokens.append(prefix.token)
        prefix = prefix.before
    return tuple(reversed(tokens))


class Pair(NamedTuple):
    """What was merged: the numbers of the entries with the least and with the greatest last sum, which are the same
    where nothing lies between, and the words there."""

    low: int
    high: int
    words: tuple[Prefix | None, Prefix | None]


class Level(NamedTuple):
    """All words of one length: the pass at the last position, with an entry for each of the pairs' ends."""

    n: int
    result: Result
    domain: Prefixes
    pairs: list[Pair]
    again: Any
    """The same pass for other sums: (number of an entry, share of the way from low to high) to a Result."""


class _States(NamedTuple):
    """Kept prefixes: two entries for each, of the least and of the greatest last sum; `sums` by sum and entry."""

    sums: list[list[fmpq]]
    words: list[Prefix | None]
    """By entry."""


def levels(model: Transformer, longest: int, n: int | None = None) -> Iterator[Level]:
    """The words of each length to `longest`, in typed symbols; with `n` (with added tokens) for that n alone.

    Raises NotExact where a number of the model is not rational, Undecided where too many prefixes stay apart.
    """
    embedding = model.embedding
    states: _States | None = None
    i = embedding.start
    count = 0
    if embedding.before is not None:
        states, level = _step(model, states, (embedding.before,), i, n or 1, count)
        states = states._replace(words=[None] * len(states.words))
        level = level._replace(pairs=[pair._replace(words=(None, None)) for pair in level.pairs])
        yield from _answered(model, states, level, i, n)
        i, count = i + 1, 1
    elif embedding.after is not None:  # the empty word is the token behind it
        level = _step(model, None, (embedding.after,), i, n or 1, 0)[1]
        yield level._replace(pairs=[pair._replace(words=(None, None)) for pair in level.pairs])
    for length in range(1, longest + 1):
        total = n if n is not None else length + embedding.added
        states, level = _step(model, states, model.alphabet, i, total, count)
        i, count = i + 1, count + 1
        yield from _answered(model, states, level._replace(n=length), i - 1, n)


def _answered(model: Transformer, states: _States, level: Level, i: int, n: int | None) -> Iterator[Level]:
    """The level itself, or what it is with the token that the model puts behind every word."""
    after = model.embedding.after
    if after is None:
        yield level
        return
    total = n if n is not None else level.n + model.embedding.added
    _, found = _step(model, states, (after,), i + 1, total, level.n + (model.embedding.before is not None))
    words = [pair._replace(words=tuple(w and w.before for w in pair.words)) for pair in found.pairs]
    yield found._replace(n=level.n, pairs=words)


def _step(
    model: Transformer, states: _States | None, tokens: Sequence[str], i: int, n: int, count: int
) -> tuple[_States, Level]:
    """One more position: every kept prefix with every token, and the prefixes that are then kept. `count` positions
    stand before it."""
    old = 2 if states is None else len(states.words)
    many = old * len(tokens)
    row = [token for token in tokens for _ in range(old)]
    before = None if states is None else [column * len(tokens) for column in states.sums]

    def run(row: Sequence[str], before: Sequence[list[fmpq]] | None) -> tuple[Result, Prefixes]:
        domain = Prefixes(row, i, n, count + 1, before)
        try:
            return forward(model, ("",), domain), domain  # type: ignore[arg-type]
        except BadInput as error:
            raise NotExact("prefixes are merged by rational numbers", error.given) from None

    result, domain = run(row, before)
    words = [Prefix(token, None if states is None else states.words[k % old]) for k, token in enumerate(row)]
    pairs = [Pair(k, k + 1, (words[k], words[k + 1])) for k in range(0, many, 2)]

    def again(points: Sequence[tuple[int, fmpq]]) -> tuple[Result, Prefixes]:
        picked = [row[low] for low, _ in points]
        if before is None:
            return run(picked, None)
        sums = [[c[low] + share * (c[low + 1] - c[low]) for low, share in points] for c in before]
        return run(picked, sums)

    return _merged(domain, words), Level(0, result, domain, pairs, again)


def _merged(domain: Prefixes, words: Sequence[Prefix]) -> _States:
    last = [k for k in range(len(domain.sums)) if k not in domain.fed]
    ends = domain.sums[last[0]] if len(last) == 1 else None
    others = [column for k, column in enumerate(domain.sums) if ends is None or k != last[0]]
    kept: dict[Any, list[int]] = {}
    for entry in range(len(words)):
        sign = None if ends is None else (ends[entry] > 0) - (ends[entry] < 0)
        key = (sign, *((int(c[entry].p), int(c[entry].q)) for c in others))
        known = kept.get(key)
        if known is None:
            kept[key] = [entry, entry]
        elif ends is not None:
            if ends[entry] < ends[known[0]]:
                known[0] = entry
            if ends[entry] > ends[known[1]]:
                known[1] = entry
    if len(kept) > MOST:
        raise Undecided(f"more than {MOST} prefixes stay apart; give a smaller --max-length.")
    chosen = [entry for pair in kept.values() for entry in pair]
    return _States([[column[e] for e in chosen] for column in domain.sums], [words[e] for e in chosen])
