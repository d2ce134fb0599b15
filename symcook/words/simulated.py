"""Merged prefixes in numbers of few bits: as one runtime computes them, and all that any runtime may beside it.

`Simulated` rounds every operation once, in the order written, as `symcook.domains.mp` does: a state is the running sums
as they come out, and prefixes with the same ones are one. `HullsAndRun` keeps them beside `Hulls`, whose verdict is the
exact model's where it is one, so that the smallest string on which the two differ is found among all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from symcook.domains.cells import Array
from symcook.domains.mp import Mp
from symcook.domains.protocol import Coefficient
from symcook.domains.rounding import Format
from symcook.errors import NotExact
from symcook.forward import Result
from symcook.model.ends import Readout
from symcook.model.transformer import Transformer
from symcook.present import present
from symcook.words import Word
from symcook.words.exact import Passes, Prefixes, PrefixLevel, by_length
from symcook.words.inputs import Strings
from symcook.words.rounded import MOST_STATES, Hulls, streams, told

STATES = 10_000
"""The greatest number of states whose runs are told apart."""
MOST_BITS = 25
"""Up to so many bits an operation of float64 that is rounded again is rounded once: 2 * 25 + 2 <= 53."""
FAR = 1000
"""Numbers whose exponents are greater in size are not simulated."""
HELD = 53
"""More bits than float64 has make sets that lie in those of float64."""


@dataclass(frozen=True)
class RunEntries:
    """A coordinate, or a sum of `count` terms, of every entry."""

    values: Array
    count: int = 1

    def take(self, entries: Array) -> RunEntries:
        return replace(self, values=self.values[entries])


class Simulated:
    """The operations on these numbers, of so many bits."""

    def __init__(self, bits: int) -> None:
        self.bits, self.domain = bits, Mp(bits, simulates=True)

    def number(self, value: Coefficient) -> float:
        return float(self.domain.number(value))

    def rounded(self, x: Array) -> Array:
        mantissa, exponent = np.frexp(x)
        if not np.isfinite(x).all() or (np.abs(exponent) > FAR).any():
            raise NotExact("numbers must be within float64", "one that is not")
        return np.ldexp(np.rint(np.ldexp(mantissa, self.bits)), exponent - self.bits)

    def values(self, numbers: Sequence[Coefficient]) -> RunEntries:
        return RunEntries(np.array([self.number(value) for value in numbers]))

    def position(self, term: Coefficient, i: int, n: int) -> RunEntries:
        self.domain.begin(("",), i)
        return RunEntries(np.array([float(self.domain.positions(term)[0])]))

    def linear(self, terms: Sequence[tuple[RunEntries, Coefficient]], bias: Coefficient, entries: int) -> RunEntries:
        parts = [np.full(entries, self.number(bias))] if bias != 0 or not terms else []
        for column, weight in terms:
            parts.append(column.values if weight == 1 else self.rounded(self.number(weight) * column.values))
        total = parts[0]
        for part in parts[1:]:
            total = self.rounded(total + part)
        return RunEntries(total)

    def activate(self, x: RunEntries, kind: str) -> RunEntries:
        return RunEntries(np.where(x.values > 0, x.values if kind == "relu" else 1.0, 0.0))

    def added(self, sums: RunEntries | None, x: RunEntries) -> RunEntries:
        return x if sums is None else RunEntries(self.rounded(sums.values + x.values), sums.count + 1)

    def mean(self, sums: RunEntries | None, entries: int) -> RunEntries:
        if sums is None:
            return RunEntries(np.zeros(entries))
        return RunEntries(self.rounded(sums.values / self.number(sums.count)))


class Pair(NamedTuple):
    """What any runtime may have, and what one has."""

    hull: Any
    run: RunEntries

    def take(self, entries: Array) -> Pair:
        return Pair(self.hull.take(entries), self.run.take(entries))


class HullsAndRun:
    """Both, for prefixes."""

    ends, says = 1, "strings with the same running sums as one"

    def __init__(self, hulls: Hulls, runs: Simulated) -> None:
        self.hulls, self.runs, self.entries = hulls, runs, 1

    def at(self, seen: int, entries: int) -> HullsAndRun:
        self.entries = entries
        self.hulls.at(seen, entries)
        return self

    def values(self, numbers: Sequence[Coefficient]) -> Pair:
        return Pair(self.hulls.values(numbers), self.runs.values(numbers))

    def position(self, term: Coefficient, i: int, n: int) -> Pair:
        return Pair(self.hulls.position(term, i, n), self.runs.position(term, i, n))

    def linear(self, terms: Sequence[tuple[Pair, Coefficient]], bias: Coefficient) -> Pair:
        hull = self.hulls.linear([(x.hull, weight) for x, weight in terms], bias)
        return Pair(hull, self.runs.linear([(x.run, weight) for x, weight in terms], bias, self.entries))

    def activate(self, x: Pair, kind: str) -> Pair:
        return Pair(self.hulls.activate(x.hull, kind), self.runs.activate(x.run, kind))

    def added(self, sums: Pair | None, x: Pair) -> Pair:
        hull = self.hulls.added(None if sums is None else sums.hull, x.hull)
        return Pair(hull, self.runs.added(None if sums is None else sums.run, x.run))

    def mean(self, sums: Pair | None) -> Pair:
        hull = self.hulls.mean(None if sums is None else sums.hull)
        return Pair(hull, self.runs.mean(None if sums is None else sums.run, self.entries))

    def merged(self, heads: Sequence[Sequence[Pair]], entries: int, labels: Array | None) -> tuple[Array, Array, Any]:
        codes = np.zeros(entries, dtype=np.int64) if labels is None else labels
        for one in (one for head in heads for one in head):
            values = np.unique(np.broadcast_to(one.run.values, entries), return_inverse=True)[1].reshape(-1)
            codes = np.unique(codes * entries + values, return_inverse=True)[1].reshape(-1)
        kept = [[one.hull for one in head] for head in heads]
        state, first, sums = self.hulls.merged(kept, entries, codes)
        if len(first) > STATES:
            raise NotExact(f"at most {STATES} prefixes may stay apart", len(first))
        found = tuple(
            tuple(Pair(hull, one.run.take(first)) for hull, one in zip(hulls, head, strict=True))
            for hulls, head in zip(sums, heads, strict=True)
        )
        return state, first, found


# --- Verdicts ---------------------------------------------------------------------------------------------------------


def said(readout: Readout, columns: Sequence[RunEntries], states: int) -> Array:
    """What a run says of each state."""
    values = np.array([np.broadcast_to(column.values, states) for column in columns])
    if readout.signed:
        return (values[0] > 0).astype(int)
    return (values == 0).all(axis=0).astype(int) if readout.decides else values.argmax(axis=0)


class ProvedInBits(NamedTuple):
    """Whether all that rounding may do gives the strings of a length their answers; where that is open, a string of the
    class (None: of no one class)."""

    holds: bool
    word: Word | None = None


class FewBits:
    """All strings of the lengths that are asked in turn, in numbers of so many bits. NotExact where prefixes of the
    model cannot be grouped."""

    says = HullsAndRun.says

    def __init__(self, model: Transformer, strings: Strings, longest: int) -> None:
        if not streams(model) or model.readout.everywhere or len(model.readout.groups) > 1:
            raise NotExact("prefixes are grouped where heads average what stands before", model.name)
        self.model, self.reader = model, strings.reader
        lengths = range(0 if model.embedding.added else 1, longest + 1)
        self.sets = Passes(lengths, self._sets)
        self.runs = Passes(lengths, self._runs)

    def proved(self, n: int, format: Format) -> ProvedInBits:
        """In one format, whatever a runtime does."""
        return self.sets.shown(format, n)

    def wrong(self, n: int, bits: int) -> tuple[Word, Any] | None:
        """The smallest string that is decided otherwise by a run of so many bits, and what it says. NotExact where that
        is not found in this way."""
        if bits > MOST_BITS:
            raise NotExact(f"at most {MOST_BITS} bits are simulated", bits)
        return self.runs.shown(bits, n)

    def wrong_of(self, words: Sequence[Word], bits: int) -> tuple[Word, Any] | None:
        """The same of some strings of one length, which are run together."""
        if bits > MOST_BITS:
            raise NotExact(f"at most {MOST_BITS} bits are simulated", bits)
        states = Prefixes(self.model, self._both(bits))
        sequences, letters = list(map(self.model.tokens, words)), list(self.model.embedding.words or ())
        result, sums = None, ()
        with np.errstate(over="ignore", invalid="ignore"):
            for place in range(len(sequences[0]) if sequences else 0):
                which = np.array([letters.index(sequence[place]) for sequence in sequences])
                result = states.run(tuple(letters), which, sums, depth=place)
                sums = tuple(tuple(one.total for one in head) for head in present(result.memory).heads)
        return None if result is None else self._first(result, np.arange(len(words)), words.__getitem__)

    def _both(self, bits: int) -> Any:
        return HullsAndRun(Hulls(self.model, Format(HELD)), Simulated(bits))

    def _first(self, result: Result, chosen: Array, word: Callable[[int], Word]) -> tuple[Word, Any] | None:
        """The first of the chosen entries that is decided otherwise."""
        domain: Any = result.domain
        pairs, states = list[Any](result.watched.values()), domain.numbers.entries
        right = told(self.model.readout, [pair.hull for pair in pairs], states)
        if (right[chosen] < 0).any() or domain.numbers.hulls.wild:
            raise NotExact("prefixes are grouped where all of a class have one answer", "a class that is open")
        gives = said(self.model.readout, [pair.run for pair in pairs], states)
        wrong = chosen[gives[chosen] != right[chosen]]
        if not len(wrong):
            return None
        first = int(gives[wrong[0]])
        return word(int(wrong[0])), bool(first) if self.model.decides else first

    def _sets(self, format: Format, lengths: Sequence[int]) -> Iterator[tuple[int, ProvedInBits]]:
        numbers = Hulls(self.model, replace(format, bits=min(format.bits, HELD)))

        def found(level: PrefixLevel, chosen: Array) -> ProvedInBits:
            if numbers.wild:
                return ProvedInBits(False)
            answers = told(self.model.readout, list(_watched(level).values()), len(level.origin))
            loose = chosen[answers[chosen] < 0]
            return ProvedInBits(not len(loose), level.word(int(loose[0])) if len(loose) else None)

        return self._levels(numbers, lengths, found)

    def _runs(self, bits: int, lengths: Sequence[int]) -> Iterator[tuple[int, tuple[Word, Any] | None]]:
        def found(level: PrefixLevel, chosen: Array) -> tuple[Word, Any] | None:
            return self._first(level.result, chosen, level.smallest)

        return self._levels(self._both(bits), lengths, found)

    def _levels(
        self, numbers: Any, lengths: Sequence[int], found: Callable[[PrefixLevel, Array], Any]
    ) -> Iterator[tuple[int, Any]]:
        """What is found at each length."""

        def begin(_: int | None) -> Prefixes:
            return Prefixes(self.model, numbers, None, self.reader)

        with np.errstate(over="ignore", invalid="ignore"):
            for level in by_length(self.model, lengths, begin):
                chosen = np.arange(len(level.origin))
                if self.reader is not None and level.labels is not None:
                    chosen = chosen[self.reader.accepting[level.labels]]
                if len(level.origin) > MOST_STATES:
                    raise NotExact(f"at most {MOST_STATES} prefixes may stay apart", len(level.origin))
                yield level.n, found(level, chosen)


def _watched(level: PrefixLevel) -> Mapping[str, Any]:
    return level.result.watched
