"""Models in numbers of few bits, on many strings of a length: one simulated run, and bounds on all runtimes.

`Simulated` is the arithmetic of one run: it rounds every operation once, in the order written, as `symcook.domains.mp`
does. Prefixes of strings are grouped into one state if their running sums are equal after rounding. `HullsAndRun` keeps
the sums of this run together with the intervals of `Hulls`, which contain the sums of every runtime. Where the
intervals decide, their verdict is that of the exact model. So `FewBits` finds the smallest string on which the run and
the exact model differ. `StringsInBits` runs a list of strings of one length at once, without grouping them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from typing import Any, ClassVar, NamedTuple

import numpy as np
from mpmath.libmp import fzero, to_float

from symcook.domains.cells import Array
from symcook.domains.mp import Mp, rounded
from symcook.domains.protocol import Coefficient, unknown_activation
from symcook.domains.rounding import Format
from symcook.domains.rowwise import Rowwise
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import Result, forward
from symcook.model.ends import Readout
from symcook.model.expr import Tree
from symcook.model.parts import Mask
from symcook.model.transformer import Transformer
from symcook.words import Word
from symcook.words.exact import Passes, Prefixes, PrefixLevel, by_length
from symcook.words.inputs import Strings
from symcook.words.rounded import MOST_STATES, Hulls, streams, told

STATES = 10_000
"""The greatest number of states that `HullsAndRun` keeps at one position."""
MOST_BITS = 25
"""The greatest number p of bits that is simulated. As 2p + 2 <= 53, an operation of float64 whose result is rounded to
p bits gives the same as one rounding of the exact result to p bits."""
FAR = 1000
"""Numbers other than 0 are simulated only between 2^-FAR and 2^FAR in size."""
FLOAT64_BITS = 53
"""Formats with more bits than float64 are treated as float64, whose rounding errors enclose theirs."""


NOT_IN_FLOAT64 = "numbers must be within float64", "one that is not"
"""The two parts of the error for a number beyond float64: what must hold, and what was given."""


def within(number: Any) -> float:
    """A number of mpmath's library as a float64; NotExact if it overflows or underflows there."""
    as_float = to_float(number)
    if not math.isfinite(as_float) or (as_float == 0 and number != fzero):
        raise NotExact(*NOT_IN_FLOAT64)
    return as_float


@lru_cache(4096)
def _number(value: Coefficient, bits: int) -> float:
    """A number of the model, rounded once to `bits` bits."""
    return within(rounded(value, bits))


@dataclass(frozen=True)
class RunEntries:
    """One coordinate, or a running sum, in every entry (a state with a next token)."""

    values: Array
    count: int = 1
    """The number of terms of a running sum."""

    def take(self, chosen: Array) -> RunEntries:
        """The chosen entries."""
        return replace(self, values=self.values[chosen])


class Simulated:
    """The arithmetic of one run with `bits` bits, on arrays of float64 that hold its numbers.

    Results are right for at most `MOST_BITS` bits. `dropped` is the number of bits of a float64 that rounding clears.
    """

    def __init__(self, bits: int) -> None:
        self.bits, self.dropped = bits, 53 - bits

    @cached_property
    def domain(self) -> Mp:
        """The scalar domain of the same numbers, for position functions and exponentials."""
        return Mp(self.bits, simulates=True)

    def number(self, value: Coefficient) -> float:
        """A number of the model, rounded once."""
        return _number(value, self.bits)

    def codes(self, x: Array) -> Array:
        """An integer for each number, such that two integers are equal if and only if the numbers are."""
        return (x + 0.0).view(np.int64) >> self.dropped  # adding 0.0 turns -0.0 into 0.0

    def rounded(self, x: Array) -> Array:
        """Numbers rounded to nearest, after `check`."""
        self.check(x)
        return self.nearest(x)

    def check(self, x: Array) -> None:
        """Raises NotExact if a number is NaN, or too large or too small in size (`FAR`)."""
        sizes = np.abs(x)
        if not (sizes < 2.0**FAR).all() or ((sizes < 2.0**-FAR) & (sizes != 0)).any():
            raise NotExact(*NOT_IN_FLOAT64)

    def nearest(self, x: Array) -> Array:
        """Numbers rounded to nearest, ties to even. A number that `check` refuses may give anything.

        The bits of a float64, read as an integer, grow with its size. Half a unit is added to that integer: a carry
        into the exponent is what rounding up to a power of two needs. A mantissa of one bit is always odd, since it is
        the implicit 1.
        """
        bits, last = x.view(np.int64), 1 << self.dropped
        odd = (bits >> self.dropped) & 1 if self.dropped < 52 else 1
        return ((bits + (last // 2 - 1 + odd)) & -last).view(np.float64)

    def product(self, a: Array | float, b: Array) -> Array:
        """The rounded product."""
        return self.unless_lost(a * b, np.not_equal(a, 0) & (b != 0))

    def unless_lost(self, results: Array, nonzero: Array) -> Array:
        """`results` rounded. `nonzero` says which exact results are not 0; NotExact where float64 has 0 for one."""
        if ((results == 0) & nonzero).any():
            raise NotExact(*NOT_IN_FLOAT64)
        return self.rounded(results)

    def values(self, numbers: Sequence[Coefficient]) -> RunEntries:
        """The rounded number of each token."""
        return RunEntries(np.array([self.number(value) for value in numbers]))

    def position(self, term: Coefficient, i: int, n: int) -> RunEntries:
        """The value of a position function, a column of one entry."""
        self.domain.begin(("",), i)
        return RunEntries(np.array([within(self.domain.positions(term)[0]._mpf_)]))

    def linear(self, terms: Sequence[tuple[RunEntries, Coefficient]], bias: Coefficient, entries: int) -> RunEntries:
        """The weighted sum of columns and a bias, rounded after each product and each addition, in the order
        written."""
        parts = [np.full(entries, self.number(bias))] if bias != 0 or not terms else []
        for column, weight in terms:
            parts.append(column.values if weight == 1 else self.product(self.number(weight), column.values))
        total = parts[0]
        for part in parts[1:]:
            total = self.rounded(total + part)
        return RunEntries(total)

    def activate(self, x: RunEntries, kind: str) -> RunEntries:
        """A ReLU or step of a column, which is exact."""
        if kind not in ("relu", "step"):
            raise unknown_activation(kind)
        return RunEntries(np.where(x.values > 0, x.values if kind == "relu" else 1.0, 0.0))

    def added(self, sums: RunEntries | None, x: RunEntries) -> RunEntries:
        """The running sum with one more term, rounded."""
        return x if sums is None else RunEntries(self.rounded(sums.values + x.values), sums.count + 1)

    def mean(self, sums: RunEntries | None, entries: int) -> RunEntries:
        """The average of all terms of a running sum, rounded; 0 for no terms."""
        if sums is None:
            return RunEntries(np.zeros(entries))
        return RunEntries(self.rounded(sums.values / self.number(sums.count)))


class StringsInBits(Rowwise[Any]):
    """The domain that runs many strings of one length at once in numbers of `bits` bits.

    A column is an array with a row for each position; a row has an entry for each string, or one entry for all strings.
    `begin` takes the indices of the tokens, a row for each position. The comparisons give None: `said` takes the
    verdicts from the columns.
    """

    name: ClassVar[str] = "simulated"
    in_order: ClassVar[bool] = True

    def __init__(self, bits: int, tokens: Sequence[str]) -> None:
        super().__init__()
        self.runs, self.tokens = Simulated(bits), tokens
        self.nothing = self.number(0)
        self._powers: dict[float, float] = {}
        """{x: e^x}."""
        self._alike: dict[float, Array] = {}
        """{number: the row that has this number for all strings}."""

    def number(self, value: Coefficient) -> Array:
        """A number of the model, rounded, as a row of one entry."""
        return np.array([self.runs.number(value)])

    def position(self, term: Tree, i: int) -> Array:
        """The value of a position function at position i."""
        self.runs.domain.length = self.length
        return np.array([within(self.runs.domain.position(term, i)._mpf_)])

    def positions(self, expression: Coefficient) -> Any:
        """The column of a position function."""
        return np.array(super().positions(expression))

    def embed(self, table: Mapping[str, Coefficient]) -> Any:
        """The column of a table of token values; one entry in each row where, at every position, all strings have the
        same value."""
        column = np.array([self.runs.number(table[token]) for token in self.tokens])[np.array(self._sequence)]
        return column[:, :1] if (column == column[:, :1]).all() else column

    def linear(self, terms: Sequence[tuple[Any, Coefficient]], bias: Coefficient) -> Any:
        """The weighted sum of columns and a bias: a product for each weight other than 1, then their sum in this
        order."""
        parts = [] if bias == 0 and terms else [np.full((len(self.rows), 1), self.number(bias))]
        parts += [column if weight == 1 else self.times(self.number(weight), column) for column, weight in terms]
        return self.total(parts)

    def activate(self, column: Any, kind: str) -> Any:
        """A ReLU or step of a column."""
        if kind not in ("relu", "step"):
            raise NotExact("in float simulation, an activation must be relu or step", kind)
        return np.where(column > 0, column if kind == "relu" else 1.0, 0.0)

    def normalised(self, entries: Sequence[Array], epsilon: Array, zero_variance: str, i: int) -> list[Array]:
        """NotExact: norms are not simulated."""
        raise NotExact("in float simulation, a model must have no norms", "a norm")

    def times(self, a: Array, b: Array) -> Array:
        """The rounded product."""
        return self.runs.product(a, b)

    def over(self, a: Array, b: Array) -> Array:
        """The rounded quotient."""
        return self.runs.unless_lost(a / b, a != 0)

    def total(self, parts: Sequence[Array]) -> Array:
        """The sum of all parts, added in order."""
        return self.sums(parts)[-1] if len(parts) else self.nothing

    def running(self, column: Sequence[Array]) -> list[Array]:
        """The sums of the first 0, 1, 2, ... rows of a column."""
        return self.sums([self.nothing, *column])

    def sums(self, parts: Sequence[Array]) -> list[Array]:
        """The sums of the first 1, 2, ... parts, of which there must be one, added in this order. All sums before
        rounding are checked at the end, in one array."""
        running, totals = [parts[0]], list[Array]()
        for part in parts[1:]:
            totals.append(running[-1] + part)
            running.append(self.runs.nearest(totals[-1]))
        if totals:
            self.runs.check(_stacked(totals))
        return running

    def means(self, sums: Sequence[Array], counts: Sequence[int]) -> Any:
        """The quotients of sums by their numbers of terms; 0 for no terms."""
        divisors = np.array([self.number(count or 1) for count in counts])
        rows = [summed if count else self.nothing for summed, count in zip(sums, counts, strict=True)]
        return self.over(_stacked(rows), divisors)

    def attend(self, queries: Any, keys: Any, values: Any, mask: Mask, weighting: str, factor: Coefficient) -> Any:
        """The result of attention as in `Rowwise`; rows that are equal for all strings are kept once."""
        query_rows, key_rows = (list(map(self.shared_rows, part)) for part in (queries, keys))
        columns_attended = super().attend(query_rows, key_rows, list(map(list, values)), mask, weighting, factor)
        return list(map(_stacked, columns_attended))

    def scales(self, factor: Coefficient) -> Sequence[Any] | None:
        """The factors of the scores by position; None where the factor is the number 1."""
        return None if factor == 1 else self.shared_rows(self.positions(factor))

    def shared_rows(self, column: Any) -> list[Array]:
        """The rows of a column. A row whose entries are all equal is cut to one entry, and equal ones are one object,
        so that `Rowwise` computes with them once."""
        rows = zip(column, (column == column[:, :1]).all(axis=1), strict=True)
        return [self._alike.setdefault(float(row[0]), row[:1]) if same else row for row, same in rows]

    def weights(self, scores: Sequence[Array]) -> list[Array]:
        """The weights of softmax before division: exponentials of the scores less the greatest."""
        top = reduce(np.maximum, scores)
        return [self.power(self.runs.rounded(score - top)) for score in scores]

    def power(self, x: Array) -> Array:
        """e^x, computed by mpmath once for each different number."""
        distinct, places = np.unique(x, return_inverse=True)
        for exponent in set(distinct.tolist()) - self._powers.keys():
            self._powers[exponent] = within(self.runs.domain.mp.exp(exponent)._mpf_)
        return self.runs.rounded(
            np.array([self._powers[exponent] for exponent in distinct.tolist()])[places.reshape(-1)]
        )

    def best(self, scores: Sequence[Array], weighting: str, i: int, first: int) -> Sequence[int]:
        """The positions that hard attention chooses; NotExact where the scores differ between strings."""
        if all(len(score) == 1 for score in scores):
            return super().best([float(score[0]) for score in scores], weighting, i, first)  # type: ignore[list-item]
        raise NotExact(
            "in float simulation, each head must select the same positions for all strings", "different positions"
        )

    def is_positive(self, x: Array) -> None:
        """No verdict: `said` takes it from the columns."""
        return None

    is_zero = is_positive

    def first_largest(self, scores: Sequence[Array]) -> None:
        """No verdict: `said` takes it from the columns."""
        return None


def _stacked(rows: Sequence[Array]) -> Array:
    """One array of rows, each of which has an entry for each string or one entry for all."""
    stacked = np.empty(np.broadcast_shapes((len(rows), *[1] * rows[0].ndim), *{row.shape for row in rows}))
    for row_index, row in enumerate(rows):
        stacked[row_index] = row
    return stacked


class Pair(NamedTuple):
    """One coordinate or running sum: `hull` contains it for every runtime, `run` is its value in the simulated run."""

    hull: Any
    run: RunEntries

    def take(self, chosen: Array) -> Pair:
        """The chosen entries."""
        return Pair(self.hull.take(chosen), self.run.take(chosen))


class HullsAndRun:
    """The arithmetic of `Hulls` (all runtimes) and of `Simulated` (one run), on pairs of their numbers.

    `at` says with how many `entries` (states with a next token) the next operations compute.
    """

    ends, says = 1, "strings with the same running sums grouped"

    def __init__(self, hulls: Hulls, runs: Simulated) -> None:
        self.hulls, self.runs, self.entries = hulls, runs, 1

    def at(self, seen: int, entries: int) -> HullsAndRun:
        """The arithmetic of the next position, with so many entries: the same object."""
        self.entries = entries
        self.hulls.at(seen, entries)
        return self

    def values(self, numbers: Sequence[Coefficient]) -> Pair:
        """The column of a value for each token."""
        return Pair(self.hulls.values(numbers), self.runs.values(numbers))

    def position(self, term: Coefficient, i: int, n: int) -> Pair:
        """The value of a position function, a column of one entry."""
        return Pair(self.hulls.position(term, i, n), self.runs.position(term, i, n))

    def linear(self, terms: Sequence[tuple[Pair, Coefficient]], bias: Coefficient) -> Pair:
        """The weighted sum of columns and a bias."""
        hull = self.hulls.linear([(x.hull, weight) for x, weight in terms], bias)
        return Pair(hull, self.runs.linear([(x.run, weight) for x, weight in terms], bias, self.entries))

    def activate(self, x: Pair, kind: str) -> Pair:
        """A ReLU or step of a column."""
        return Pair(self.hulls.activate(x.hull, kind), self.runs.activate(x.run, kind))

    def added(self, sums: Pair | None, x: Pair) -> Pair:
        """The running sum with one more term."""
        hull = self.hulls.added(None if sums is None else sums.hull, x.hull)
        return Pair(hull, self.runs.added(None if sums is None else sums.run, x.run))

    def mean(self, sums: Pair | None) -> Pair:
        """The average of all terms of a running sum."""
        hull = self.hulls.mean(None if sums is None else sums.hull)
        return Pair(hull, self.runs.mean(None if sums is None else sums.run, self.entries))

    def merged(self, heads: Sequence[Sequence[Pair]], entries: int, labels: Array | None) -> tuple[Array, Array, Any]:
        """As `Hulls.merged`, but prefixes whose sums differ in the simulated run stay apart. NotExact for more than
        `STATES` states."""
        runs = [np.broadcast_to(self.runs.codes(pair.run.values), entries) for head in heads for pair in head]
        hulls_of_heads = [[pair.hull for pair in head] for head in heads]
        state, first, sums = self.hulls.merged(hulls_of_heads, entries, labels, runs)
        if len(first) > STATES:
            raise NotExact(f"prefixes that the model tells apart must form at most {STATES} groups", len(first))
        pairs = tuple(
            tuple(Pair(hull, pair.run.take(first)) for hull, pair in zip(hulls, head, strict=True))
            for hulls, head in zip(sums, heads, strict=True)
        )
        return state, first, pairs


# --- Verdicts ---------------------------------------------------------------------------------------------------------


def said(readout: Readout, columns: Sequence[RunEntries], states: int) -> Array:
    """In each state the verdict (0 or 1) of the simulated run, or the index of its label."""
    values = np.array([np.broadcast_to(column.values, states) for column in columns])
    rule, _ = readout.choice()
    if rule == "positive":
        return (values[0] > 0).astype(int)
    return (values == 0).all(axis=0).astype(int) if rule == "zero" else values.argmax(axis=0)


def tokens_of(model: Transformer, words: Sequence[Word]) -> list[Word]:
    """Each of several strings of one length with the tokens that the model adds. BadInput where the first has a symbol
    outside the alphabet."""
    model.tokens(words[0])
    return list(map(model.embedding.surround, words))


def together(model: Transformer, typed: Array, bits: int) -> list[RunEntries]:
    """Runs several strings of one length at once in numbers of `bits` bits: the values that decide the answer.

    `typed` has the indices of their symbols, a row for each position. NotExact if they cannot run together, or if the
    readout gives no answer or looks at every position.
    """
    if bits > MOST_BITS or model.readout.everywhere or not model.readout.answers:
        raise NotExact(f"at most {MOST_BITS} bits are simulated, at one position", bits)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        result = forward(model, _with_added_tokens(model, typed), StringsInBits(bits, _tokens(model)))
    return [RunEntries(np.broadcast_to(column[result.place], typed.shape[1])) for column in result.watched.values()]


def _tokens(model: Transformer) -> list[str]:
    """The alphabet, then the tokens that the model adds."""
    return [*model.alphabet, *model.embedding.surround(())]


def _with_added_tokens(model: Transformer, typed: Array) -> Array:
    """The indices of typed symbols with those of the added tokens (into `_tokens`), a row for each position."""
    added = [np.full((1, typed.shape[1]), len(model.alphabet) + k) for k in range(model.embedding.added)]
    before = len(model.embedding.ends[0])
    return np.concatenate([*added[:before], typed, *added[before:]])


def nearest_first(model: Transformer, words: Sequence[Word]) -> Sequence[Word]:
    """Strings of one length, those closest to another answer first, by a run in `MOST_BITS` bits; in the given order
    where there is no such run."""
    try:
        columns = [column.values for column in together(model, numbered(model, words), MOST_BITS)]
    except (NotExact, Undecided, BadInput):
        return words
    distances = [model.readout.distance(row, max, float) or 0 for row in zip(*columns, strict=True)]
    return [words[k] for k in np.argsort(distances, kind="stable")]


def numbered(model: Transformer, words: Sequence[Word]) -> Array:
    """The indices in the alphabet of the symbols of one or more strings of one length: a row for each position, a
    column for each string."""
    codes = {token: k for k, token in enumerate(model.alphabet)}
    return np.array([[codes[token] for token in word] for word in words], dtype=np.int64).T


def written(model: Transformer, typed: Array) -> list[Word]:
    """The strings that `numbered` gives `typed` for."""
    return [tuple(map(model.alphabet.__getitem__, numbers)) for numbers in typed.T.tolist()]


class ProvedInBits(NamedTuple):
    """Whether it is proved that every runtime gives every string of one length its exact answer."""

    holds: bool
    word: Word | None = None
    """Where that is not proved, a string whose verdict is undecided, or None."""
    entries: tuple[Prefixes, Array] | None = None
    """The states, and the verdict of each entry, -1 where it is undecided; None where no verdict is known."""

    def verdicts(self, typed: Array) -> Array:
        """The verdict on each of several strings of this length, given as `numbered` does; -1 where undecided."""
        if self.entries is None:
            return np.full(typed.shape[1], -1)
        states, answers = self.entries
        return answers[states.reached(typed)]


class FewBits:
    """All strings, length by length, in numbers of few bits: whether every runtime decides them as the exact model
    does, and the smallest string that one run decides otherwise.

    `sets` proves the first, with one pass for each format; `runs` searches for the second, with one pass for each
    number of bits. So lengths must be asked for in ascending order. NotExact if prefixes of the model cannot be
    grouped.
    """

    says = HullsAndRun.says

    def __init__(self, model: Transformer, strings: Strings, longest: int) -> None:
        if not streams(model) or model.readout.everywhere or len(model.readout.groups) > 1:
            raise NotExact("to test prefixes in groups, every head must average earlier positions", model.name)
        self.model, self.reader = model, strings.reader
        lengths = range(model.embedding.shortest, longest + 1)
        self.sets = Passes(lengths, self._hull_verdicts)
        self.runs = Passes(lengths, self._run_verdicts)

    def proved(self, n: int, format: Format) -> ProvedInBits:
        """Whether every runtime in one format decides the strings of length `n` as the exact model does."""
        return self.sets.shown(format, n)

    def wrong(self, n: int, bits: int) -> tuple[Word, Any] | None:
        """The smallest string of length `n` that a run in `bits` bits decides otherwise than the exact model, with the
        run's answer; None where there is no such string. NotExact if a group of prefixes leaves it undecided."""
        if bits > MOST_BITS:
            raise NotExact(f"at most {MOST_BITS} bits are simulated", bits)
        return self.runs.shown(bits, n)

    def _both_numbers(self, bits: int) -> Any:
        """The arithmetic of all runtimes together with that of one run. Its intervals, in float64, contain the exact
        values."""
        return HullsAndRun(Hulls(self.model, Format(FLOAT64_BITS)), Simulated(bits))

    def _first_wrong(self, result: Result, accepted: Array, word: Callable[[int], Word]) -> tuple[Word, Any] | None:
        """The first of the `accepted` entries that the run decides otherwise than the exact model, as a string, and the
        run's answer; None where there is none. NotExact where the intervals leave one of these entries undecided."""
        domain: Any = result.domain
        pairs, states = list[Any](result.watched.values()), domain.numbers.entries
        # The exact verdicts come from the intervals, which must decide every accepted entry.
        exact_verdicts = told(self.model.readout, [pair.hull for pair in pairs], states)
        if (exact_verdicts[accepted] < 0).any() or domain.numbers.hulls.wild:
            raise NotExact(
                "to test prefixes in groups, all prefixes of a group must have the same answer",
                "a group with an undecided answer",
            )
        run_verdicts = said(self.model.readout, [pair.run for pair in pairs], states)
        wrong = accepted[run_verdicts[accepted] != exact_verdicts[accepted]]
        if not len(wrong):
            return None
        run_answer = int(run_verdicts[wrong[0]])
        return word(int(wrong[0])), bool(run_answer) if self.model.decides else run_answer

    def _hull_verdicts(self, format: Format, lengths: Sequence[int]) -> Iterator[tuple[int, ProvedInBits]]:
        """For each length, whether the intervals of all runtimes decide every string."""
        numbers = Hulls(self.model, replace(format, bits=min(format.bits, FLOAT64_BITS)))

        def verdicts_of(level: PrefixLevel, chosen: Array) -> ProvedInBits:
            """What the intervals prove at one length."""
            if numbers.wild:
                return ProvedInBits(False)
            answers = told(self.model.readout, list(_answer_columns(level).values()), len(level.origin))
            undecided = chosen[answers[chosen] < 0]
            word = level.word(int(undecided[0])) if len(undecided) else None
            return ProvedInBits(not len(undecided), word, (level.states, answers.astype(np.int16)))

        return self._at_each_length(numbers, lengths, verdicts_of)

    def _run_verdicts(self, bits: int, lengths: Sequence[int]) -> Iterator[tuple[int, tuple[Word, Any] | None]]:
        """For each length, the first string that the run decides otherwise than the exact model."""

        def first_wrong(level: PrefixLevel, chosen: Array) -> tuple[Word, Any] | None:
            """The first wrong string of one length."""
            return self._first_wrong(level.result, chosen, level.smallest)

        return self._at_each_length(self._both_numbers(bits), lengths, first_wrong)

    def _at_each_length(
        self, numbers: Any, lengths: Sequence[int], at_length: Callable[[PrefixLevel, Array], Any]
    ) -> Iterator[tuple[int, Any]]:
        """Each length with what `at_length` gives for its level of prefixes and the indices of the entries that are
        strings of the set."""

        def begin(_: int | None) -> Prefixes:
            """The states of the empty prefix."""
            return Prefixes(self.model, numbers, None, self.reader)

        levels = iter(by_length(self.model, lengths, begin))
        while True:
            # Set anew for each length: a setting that stays over a `yield` holds in the caller too, and cannot be taken
            # back by another thread that collects this generator as garbage.
            with np.errstate(over="ignore", invalid="ignore"):
                level = next(levels, None)
                if level is None:
                    return
                chosen = np.arange(len(level.origin))
                if self.reader is not None and level.labels is not None:
                    chosen = chosen[self.reader.accepting[level.labels]]
                if len(level.origin) > MOST_STATES:
                    must = f"prefixes that the model tells apart must form at most {MOST_STATES} groups"
                    raise NotExact(must, len(level.origin))
                found = at_length(level, chosen)
            yield level.n, found


def _answer_columns(level: PrefixLevel) -> Mapping[str, Any]:
    """The columns from which the answer is taken."""
    return level.result.watched
