"""All words of a causal model at once, position by position: prefixes that the model cannot tell apart are one.

Prefixes with the same running sums are merged (`symcook.prefixes`). A sum that no later head averages again is *last*:
it reaches the answer alone. Where there is one such sum, prefixes that differ in nothing else (and have it on the same
side of zero) are merged too; of these the ones with the least and the greatest sum are kept, since whatever follows
adds the same to all of them, so that the others stay between. Where the two part at zero later, they stay one state:
which of the others are on which side is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from flint import fmpq

from symcook import prefixes
from symcook.domains.protocol import Coefficient
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import Result
from symcook.machine import unfollowed
from symcook.model.parts import Head
from symcook.model.rationals import rational
from symcook.model.transformer import Transformer
from symcook.prefixes import Behind, Level, Sum

MOST = 200_000
"""The greatest number of prefixes that are kept at one position."""
ZERO = fmpq(0)


class Column(NamedTuple):
    """One coordinate at one position, for all prefixes at once, and the numbers of the running sums that it is made
    of."""

    values: list[fmpq]
    made_of: frozenset[int]


class Position(Behind):
    """One position of words of length `n` (None where no number of the model knows it), behind many prefixes, one for
    each of `tokens`.

    `sums` are the running sums with this position, `fed` those that some head averages again, and `turns` the values
    that activations saw.
    """

    name: ClassVar[str] = "prefixes"

    def __init__(self, n: int | None) -> None:
        self.n = n

    def resume(self, sequence: Any, start: int, seen: int) -> None:
        super().resume(sequence, start, seen)
        self.length = self.n or self.length
        self.sums: list[list[fmpq]] = []
        self.fed: set[int] = set()
        self.turns: list[list[fmpq]] = []

    def _number(self, value: Coefficient) -> fmpq:
        value = (
            rational(value, {"i": Fraction(self.i), "n": Fraction(self.length)}) if isinstance(value, tuple) else value
        )
        return fmpq(value.numerator, value.denominator)

    def embed(self, table: Mapping[str, Coefficient]) -> Column:
        values = {token: self._number(value) for token, value in table.items()}
        return Column([values[token] for token in self.tokens], frozenset())

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

    def joined(self, before: Any, column: Column) -> Sum:
        self.fed |= column.made_of
        old = [ZERO] * len(self.tokens) if before is None else before
        self.sums.append([s + x for s, x in zip(old, column.values, strict=True)])
        return Sum(column.made_of | {len(self.sums) - 1}, self.sums[-1])

    def attend(self, queries: Any, keys: Any, values: Sequence[Sum], *rest: Any) -> list[Column]:
        return [Column([s / (self.seen + 1) for s in one.total], one.before) for one in values]


def mergeable(model: Transformer) -> bool:
    """Whether the words of a model can be gone through in this way (numbers apart, which must be rational)."""
    heads = any(isinstance(part, Head) for step in model.sublayers for part in step.parts)
    return heads and prefixes.averages(model, ("future",)) and not (model.readout.everywhere or model.readout.first)


class Prefixes(prefixes.Prefixes):
    """Kept prefixes: two entries for each, of the least and of the greatest last sum. `n` as for `Position`."""

    def __init__(self, model: Transformer, n: int | None) -> None:
        super().__init__(model, states=2)
        self.n = n

    def run(self, tokens: Sequence[str], origin: Any, row: Any) -> Result:
        return self.rational(row.tolist(), tuple(tuple(c * len(tokens) for c in head) for head in self.sums))

    def again(self, level: Level, points: Sequence[tuple[int, fmpq]]) -> Result:
        """The pass of a level for other sums: for the number of an entry, the share of the way to that of the next."""
        entries = [(level.origin[low], level.origin[low + 1], share) for low, share in points]
        sums = tuple(
            tuple([c[a] + share * (c[b] - c[a]) for a, b, share in entries] for c in head) for head in self.sums
        )
        return self.rational([level.tokens[low] for low, _ in points], sums)

    def rational(self, tokens: Sequence[str], sums: tuple[tuple[Any, ...], ...]) -> Result:
        try:
            return self.passed(tokens, Position(self.n), sums)
        except BadInput as error:
            raise NotExact("prefixes are merged by rational numbers", error.given) from None

    def merged(self, level: Level) -> tuple[tuple[tuple[Any, ...], ...], Any]:
        domain: Any = level.result.domain
        last = [k for k in range(len(domain.sums)) if k not in domain.fed]
        ends = domain.sums[last[0]] if len(last) == 1 else None
        others = [column for k, column in enumerate(domain.sums) if ends is None or k != last[0]]
        kept: dict[Any, list[int]] = {}
        keys = list(zip(*others, strict=True)) or [()] * len(level.origin)
        signs = [None] * len(keys) if ends is None else [(x > 0) - (x < 0) for x in ends]
        parted = {keys[low] for low in range(0, len(keys), 2) if signs[low] != signs[low + 1]}
        for entry, others_ in enumerate(keys):
            key = (others_, None if others_ in parted else signs[entry])
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
        assert level.result.memory is not None
        heads = level.result.memory.heads
        return tuple(tuple([one.total[e] for e in chosen] for one in head) for head in heads), chosen


def merged(model: Transformer, asked: range) -> Iterator[tuple[Prefixes, Level]]:
    """The words of each length that is asked for, in typed symbols.

    Raises NotExact where a number of the model is not rational, Undecided where too many prefixes stay apart.
    """
    once = unfollowed(model) is None  # the length is in no number of the model, so that one pass serves all lengths
    for n in asked[-1:] if once else asked:
        states = Prefixes(model, None if once else n + model.embedding.added)
        for level in states.levels():
            if level.n in asked and (once or level.n == n):
                yield states, level
            if level.n >= n:
                break
