"""The operations shared by all number systems whose columns are lists with one value for each position.

A number system defines a few operations on its values. From them this module builds the operations of the protocol: the
positions that a mask lets a row see, the effect of a weighting on scores, and the order of sums. Positions with the
same entries share one result, the same object; results are remembered by the ids of the entries. So entries that are
the same object are equal numbers, even if a comparison of their values is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import lru_cache, reduce
from itertools import accumulate
from operator import add
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

from symcook.domains.protocol import Coefficient, unknown_weighting
from symcook.errors import BadInput, NoRun, Undecided
from symcook.model.expr import Tree, names, parse_term, show
from symcook.model.parts import PLUS_ONE, Mask
from symcook.model.symbols import symbol, to_sympy

if TYPE_CHECKING:
    import sympy


class Quantity(Protocol):
    """The operators that the numbers of a system support."""

    def __add__(self, other: Self, /) -> Any: ...

    def __sub__(self, other: Self, /) -> Any: ...

    def __mul__(self, other: Self, /) -> Any: ...

    def __truediv__(self, other: Self, /) -> Any: ...

    def __gt__(self, other: Self | int, /) -> bool: ...


Value = TypeVar("Value", bound=Quantity)
"""A number of the system."""
Held = TypeVar("Held")
"""A column: a list or array over positions."""
Entry = TypeVar("Entry")
"""The entry of a column at one position."""
Verdict = TypeVar("Verdict")
"""True, False, None or an index; in a batch an array of these."""
EntryKey = tuple[int, ...]
"""The ids of the entries at one position."""
RowColumn = list[Value]
RowColumns = Sequence[RowColumn[Value]]
Result = TypeVar("Result")
Scores = Callable[[int, Any], Sequence[Value]]
"""A function of the index of a row (in `rows`) and the positions that it sees, or some of them: a value for each."""


class Positions(Generic[Held, Entry, Verdict]):
    """A number system that runs a sequence, and knows the positions that columns have entries for."""

    length = 0
    """The number of positions of the sequence."""
    rows: Sequence[int] = range(0)
    """The positions (from 0) that columns have entries for."""

    def context(self) -> AbstractContextManager[object]:
        return nullcontext()

    def begin(self, sequence: Any, start: int) -> None:
        self._sequence, self._start = tuple(sequence), start
        self.length = len(self._sequence)
        self.rows = range(self.length)

    def indices(self) -> list[tuple[int, int]]:
        return [(self._start + row, self.length) for row in self.rows]

    def paired(self, first: Sequence[int | None], second: Sequence[int | None], size: int) -> list[int | None]:
        """size*first + second at each position; None where either is None."""
        pairs = zip(first, second, strict=True)
        return [
            None if first_place is None or second_place is None else size * first_place + second_place
            for first_place, second_place in pairs
        ]

    def require_positive(self, term: Coefficient, must: str) -> None:
        """Raises NoRun if the term is certainly not positive at some position. A pole and an undecided sign are
        accepted.

        A term that sympy knows to be positive for all i and n needs no evaluation. Otherwise each position is evaluated
        in balls, and by sympy if the ball has no certain sign, at a pole, or if the term has a declared symbol."""
        indices = self.indices()
        if not isinstance(term, tuple) or not names(term) & {"i", "n"} or _positive_from(term, indices[0][0]):
            return
        from symcook.numbers.evaluate import evaluate

        # Only a term without declared symbols has a value in balls.
        plain = names(term) <= {"i", "n"}
        for i, n in indices if "i" in names(term) else indices[:1]:
            try:
                value = evaluate(term, {"i": i, "n": n}) if plain else None
            except BadInput:  # a pole, as that of 1/log(i) at 1: an infinite temperature, which makes all scores zero
                value = None
            if value is not None and value > 0:
                continue
            not_positive = value is not None and value <= 0
            if not_positive or _sympy(term).subs({symbol("i"): i, symbol("n"): n}).is_nonpositive:
                raise NoRun(must, f"{show(term)} at i = {i}, n = {n}", "give values at which it is positive")

    def positions(self, expression: Coefficient) -> Held:
        raise NotImplementedError

    def units(self, most: int) -> list[Held]:
        indices = self.indices()
        return [] if len(indices) > most else [self.positions(_indicator(i)) for i, _ in indices]

    # Verdicts are lists over positions.

    def conjunction(self, first: Verdict, second: Verdict) -> Verdict:
        """Kleene's `and` of two verdicts: False if one is False, else None (undecided) if one is None, else True."""
        order: Any = (False, None)
        return next((verdict for verdict in order if first is verdict or second is verdict), first)

    def both(self, first: Sequence[Verdict], second: Sequence[Verdict]) -> list[Verdict]:
        return [
            self.conjunction(first_verdict, second_verdict)
            for first_verdict, second_verdict in zip(first, second, strict=True)
        ]

    def every(self, verdicts: Sequence[Verdict]) -> Verdict:
        return reduce(self.conjunction, verdicts)

    def verdict(self, verdicts: Sequence[Verdict], place: int) -> Verdict:
        return verdicts[place]

    def agreeing(self, verdicts: Sequence[Verdict], sure: Sequence[Verdict]) -> list[Verdict | None]:
        """The verdicts on which both agree; None elsewhere."""
        return [
            first_verdict if first_verdict == second_verdict else None
            for first_verdict, second_verdict in zip(verdicts, sure, strict=True)
        ]

    def places_of(self, column: Held) -> range:
        entries: Any = column
        return range(len(entries))

    def read(self, column: Held, place: int) -> Entry:
        entries: Any = column
        return entries[place]

    def settled(self, value: Entry, digits: int) -> bool:
        return True

    # What a number system must define itself, if it has it: these operations are refused by all that do not.

    def activate(self, column: Any, kind: str) -> Any:
        raise _without("activations")

    def layer_norm(self, columns: Any, epsilon: Coefficient, zero_variance: str) -> Any:
        raise _without("layer norms")

    def rms_norm(self, columns: Any, epsilon: Coefficient, zero_square: str) -> Any:
        raise _without("RMS norms")

    def multiply(self, left: Any, right: Any) -> Any:
        raise _without("products of coordinates")

    def attend(self, queries: Any, keys: Any, values: Any, mask: Mask, weighting: str, factor: Coefficient) -> Any:
        raise _without("heads")

    def distribution(self, columns: Any) -> Any:
        raise _without("probabilities")


class Going(Positions[Held, Entry, Verdict]):
    """A number system that can continue an input (`symcook.domains.protocol.Follows`). Columns are lists or arrays."""

    def narrow(self, columns: Sequence[Held], place: int) -> list[Held]:
        """The columns cut to their entry at `place`. From this call on, it is the only row."""
        self.rows = self.rows[place:][:1]
        sliceable: Sequence[Any] = columns
        return [column[place:][:1] for column in sliceable]

    def resume(self, sequence: object, start: int, seen: int) -> None:
        self.begin(sequence, start)
        # Only the positions after the first `seen` ones have rows.
        self._sequence, self.rows = self._sequence[seen:], self.rows[seen:]

    def joined(self, before: Held | None, column: Held) -> Held:
        entries_before: Any = before
        return column if before is None else entries_before + column

    def joined_verdicts(self, before: Sequence[Verdict], verdicts: Sequence[Verdict]) -> list[Verdict]:
        return [*before, *verdicts]


class Memos:
    """A cache of results for each operation of a pass. A pass calls its operations in the same order each time, so the
    k-th operation gets the k-th cache; `place` is the index of the next operation."""

    def __init__(self) -> None:
        self.place, self._kept = 0, list[dict[EntryKey, Any]]()

    def __next__(self) -> dict[EntryKey, Any]:
        while self.place >= len(self._kept):  # a recalled block skips operations that have no cache yet
            self._kept.append({})
        self.place += 1
        return self._kept[self.place - 1]


class Rowwise(Positions[list[Value], Value, "bool | int | None"], Generic[Value]):
    """The operations of `symcook.domains.protocol.Domain`, built from operations on single numbers. Operations that use
    a cache must be called in the same order in each pass (`Memos`).

    A subclass defines `number`, `position`, `activation`, `normalised`, `weights` and `show`, and overrides other
    methods where its numbers need that.
    """

    nothing: Any
    """Zero."""
    multiplies: ClassVar[bool] = False
    """Whether `times` gives the product of any two values; in some systems one of them must be a number."""
    in_order: ClassVar[bool] = False
    """Whether each sum must be taken from left to right."""

    def __init__(self) -> None:
        self._memo = Memos()
        """For each operation of a pass, its results by the ids of the entries."""
        self._placed: dict[object, RowColumn[Value]] = {}
        """(term in i and n, start, length, rows) -> its column."""

    # What a number system defines, or may redefine.

    def number(self, value: Coefficient) -> Value:
        """An exact number."""
        raise NotImplementedError

    def _factor(self, value: Coefficient) -> Value:
        """A number that the model has, where a subclass can remember it by its id."""
        return self.number(value)

    def position(self, term: Tree, i: int) -> Value:
        """A term in i and n at position `i`."""
        raise NotImplementedError

    def activation(self, x: Value, kind: str) -> Value:
        """One of `symcook.model.parts.ACTIVATIONS`."""
        raise NotImplementedError

    def normalised(self, entries: Sequence[Value], epsilon: Value, zero_variance: str, i: int) -> Sequence[Value]:
        """(x - mean)/sqrt(variance + epsilon) of the entries at position `i`; see `layer_norm` of the protocol."""
        raise NotImplementedError

    def by_rms(self, entries: Sequence[Value], epsilon: Value, zero_square: str, i: int) -> Sequence[Value]:
        """x/sqrt(mean of squares + epsilon) of the entries at position `i`; see `rms_norm` of the protocol."""
        raise _without("RMS norms")

    def weights(self, scores: Sequence[Value]) -> Sequence[Value]:
        """e^score for each score, up to a positive factor that is the same for all."""
        raise NotImplementedError

    def shares(self, scores: Sequence[Value]) -> Iterable[Value]:
        """The softmax of the scores."""
        weights = self.weights(scores)
        total = self.total(weights)
        return [self.over(weight, total) for weight in weights]

    def show(self, value: Value, digits: int) -> object:
        """See the protocol."""
        raise NotImplementedError

    def times(self, a: Value, b: Value) -> Value:
        """a b."""
        return a * b

    def over(self, a: Value, b: Value) -> Value:
        """a/b, where b is not zero."""
        return a / b

    def total(self, parts: Sequence[Value]) -> Value:
        """The sum from left to right; 0 of no entries, and for one entry the same object."""
        return reduce(add, parts) if parts else self.nothing

    def running(self, column: Sequence[Value]) -> Sequence[Value]:
        """The sums of the first 0, 1, ... entries."""
        return list(accumulate(column, initial=self.nothing))

    def mean(self, entries: Sequence[Value]) -> Value:
        """The mean; 0 of no entries."""
        return self.over(self.total(entries), self.number(len(entries))) if entries else self.nothing

    def scales(self, factor: Coefficient) -> Sequence[Any] | None:
        """The factor of the scores at each row, as `softmax` accepts it; None if it is 1 everywhere."""
        return None if factor == 1 else self.positions(factor)

    def softmax(self, scores: Sequence[Value], scale: Value | None, rows: Sequence[Sequence[Value]]) -> Sequence[Value]:
        """The weighted mean of each row of values, with weights e^(scale score); a scale of None is 1."""
        weights = self.weights(scores if scale is None else [self.times(scale, score) for score in scores])
        total = self.total(weights)
        sums = (self.total([self.times(w, x) for w, x in zip(weights, row, strict=True)]) for row in rows)
        return [self.over(part, total) for part in sums]

    def best(self, scores: Sequence[Value], weighting: str, i: int, first: int) -> Sequence[int]:
        """The indices that get the weight in hard attention: those of the maximum score, or the first or last of them.

        `i` and `first` are the positions of the row and of the first score, for the message of an undecided comparison.
        """
        top = max(scores)
        return _ends([j for j, score in enumerate(scores) if score == top], weighting)

    def leading(
        self, queries: RowColumns[Value], keys: RowColumns[Value]
    ) -> Callable[[int, range], Sequence[int]] | None:
        """A function of the index of a row and the range it sees: the positions that may have the maximum score. None
        if nothing is faster than to compute all scores."""
        return None

    def shared(self, value: Value) -> Value:
        """The one object for all numbers equal to `value`, in a system that can look it up fast; else `value`
        itself."""
        return value

    def alike(self, scores: Sequence[Value], values: RowColumns[Value]) -> Sequence[int] | None:
        """If all positions that may get weight certainly have the same values: a list with one of their indices, since
        an undecided comparison of their scores does not matter. Else None."""
        return None

    def first_largest(self, scores: Sequence[Value]) -> int | None:
        """The index of the first maximum score; None if undecided."""
        return scores.index(max(scores))

    def is_positive(self, x: Value) -> bool | None:
        """Whether x > 0; None if undecided."""
        return bool(x > 0)

    def is_zero(self, x: Value) -> bool | None:
        """Whether x = 0; None if undecided."""
        return bool(x == 0)

    # Operations that are the same in every number system.

    def begin(self, sequence: object, start: int) -> None:
        super().begin(sequence, start)
        self._memo = Memos()

    def embed(self, table: Mapping[str, Coefficient]) -> RowColumn[Value]:
        values = {token: self._factor(table[token]) for token in set(self._sequence)}
        return [values[token] for token in self._sequence]

    def input(self, name: str) -> RowColumn[Value]:
        return [self.number(row[name]) for row in self._sequence]

    def positions(self, expression: Coefficient) -> RowColumn[Value]:
        """The column of a term. It is stored for later runs with the same start, length and rows: do not change it."""
        if not isinstance(expression, tuple):
            return [self.number(expression)] * len(self.rows)
        key = (expression, self._start, self.length, self.rows)
        if key not in self._placed:  # computed once for all strings of one length
            self._placed[key] = [self.position(expression, self._start + place) for place in self.rows]
        return self._placed[key]

    def linear(self, terms: Sequence[tuple[RowColumn[Value], Coefficient]], bias: Coefficient) -> RowColumn[Value]:
        """The weighted sum of columns and a bias, added from left to right beginning with the bias."""
        if not terms:
            return [self.number(bias)] * len(self.rows)
        first = [] if bias == 0 else [self.number(bias)]
        factors = [None if weight == 1 else self.number(weight) for _, weight in terms]
        times, total = self.times, self.total

        def row(entries: Sequence[Value]) -> Value:
            """The sum at one position."""
            parts = [x if c is None else times(c, x) for c, x in zip(factors, entries, strict=True)]
            return total(first + parts if first else parts)

        return self.each([column for column, _ in terms], row)

    def activate(self, column: RowColumn[Value], kind: str) -> RowColumn[Value]:
        return self.each([column], lambda entries: self.activation(entries[0], kind))

    def multiply(self, left: RowColumn[Value], right: RowColumn[Value]) -> RowColumn[Value]:
        if not self.multiplies:
            return super().multiply(left, right)
        return self.each([left, right], lambda entries: self.times(*entries))

    def rms_norm(self, columns: RowColumns[Value], epsilon: Coefficient, zero_square: str) -> list[RowColumn[Value]]:
        return self._normed(columns, epsilon, zero_square, self.by_rms)

    def layer_norm(
        self, columns: RowColumns[Value], epsilon: Coefficient, zero_variance: str
    ) -> list[RowColumn[Value]]:
        return self._normed(columns, epsilon, zero_variance, self.normalised)

    def _normed(
        self, columns: RowColumns[Value], epsilon: Coefficient, zero: str, normed: Callable[..., Sequence[Value]]
    ) -> list[RowColumn[Value]]:
        """A norm at each position, computed once for positions with the same entries; see the protocol."""
        floor, memo, rows = self._factor(epsilon), next(self._memo), []
        for place, entries in zip(self.rows, zip(*columns, strict=True), strict=True):
            key = tuple(map(id, entries))
            if key not in memo:  # the entries are stored too, so that their ids are not reused
                memo[key] = normed(entries, floor, zero, self._start + place), entries
            rows.append(memo[key][0])
        return _columns(rows)

    def attend(
        self,
        queries: RowColumns[Value],
        keys: RowColumns[Value],
        values: RowColumns[Value],
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> list[RowColumn[Value]]:
        """The output of a head for each value column; see the protocol."""
        seen = [visible(mask, place, self.length) for place in self.rows]
        if weighting == PLUS_ONE:
            return self.soft_plus_one(queries, keys, values, seen, factor)
        # Without queries all scores are equal: the first or last position, or a plain mean.
        if not queries:
            return [self.plain(column, seen, weighting) for column in values]
        if weighting == "softmax":
            return self.soft(queries, keys, values, seen, factor)
        score, leading = self.scoring(queries, keys, compared=True), self.leading(queries, keys)

        def chosen(number: int, sees: range) -> Sequence[int]:
            """The positions that get the weight in a row."""
            i, first = self.rows[number] + self._start, sees.start + self._start
            # `leading` may leave few positions. If their comparison is undecided, all scores are compared.
            if leading is not None:
                few = leading(number, sees)
                if len(few) == 1:
                    return few
                with suppress(Undecided):
                    return [few[j] for j in self.best(score(number, few), weighting, i, first)]
            scores = score(number, sees)
            try:
                best = self.best(scores, weighting, i, first)
            except Undecided:
                # The comparison does not matter if all candidates have the same values.
                best = self.alike(scores, [column[sees.start : sees.stop] for column in values])
                if best is None:
                    raise
            return [sees.start + j for j in best]

        def row(number: int, sees: range) -> Sequence[Value]:
            places = chosen(number, sees)
            return [self.mean([column[j] for j in places]) for column in values]

        return self._by_query(queries, seen, len(values), row)

    def soft(
        self,
        queries: RowColumns[Value],
        keys: RowColumns[Value],
        values: RowColumns[Value],
        seen: Sequence[range],
        factor: Coefficient,
    ) -> list[RowColumn[Value]]:
        """Softmax attention; `seen` has for each row the range that it sees."""
        return self._soft(queries, keys, values, seen, factor, [])

    def soft_plus_one(
        self,
        queries: RowColumns[Value],
        keys: RowColumns[Value],
        values: RowColumns[Value],
        seen: Sequence[range],
        factor: Coefficient,
    ) -> list[RowColumn[Value]]:
        """Softmax attention with a one below: as if each row saw one more position, with a score and values of 0."""
        return self._soft(queries, keys, values, seen, factor, [self.nothing])

    def _soft(
        self,
        queries: RowColumns[Value],
        keys: RowColumns[Value],
        values: RowColumns[Value],
        seen: Sequence[range],
        factor: Coefficient,
        more: Sequence[Value],
    ) -> list[RowColumn[Value]]:
        """Softmax of the scores of each row and of the scores `more`, whose values are these numbers too."""
        score, scales = self.scoring(queries, keys, compared=False), self.scales(factor)

        def row(number: int, sees: range) -> Sequence[Value]:
            scores = score(number, sees) if queries else [self.nothing] * len(sees)
            entries = [[*column[sees.start : sees.stop], *more] for column in values]
            return self.softmax([*scores, *more], None if scales is None else scales[number], entries)

        return self._by_query(queries if scales is None else [*queries, scales], seen, len(values), row)

    def scoring(self, queries: RowColumns[Value], keys: RowColumns[Value], compared: bool) -> Scores[Value]:
        """A function of the index of a row and some positions: the scores there. Positions whose keys are the same
        objects get the same object as score.

        If scores are only `compared`, they may be replaced by other numbers in the same order."""

        def scores(number: int, sees: Sequence[int]) -> Sequence[Value]:
            """The scores of row `number` at the positions `sees`."""
            query = [column[number] for column in queries]
            memo: dict[tuple[int, ...], Value] = {}
            row_scores = []
            for j in sees:
                key = [column[j] for column in keys]
                ids = tuple(map(id, key))
                if ids not in memo:
                    memo[ids] = self.total([self.times(q, k) for q, k in zip(query, key, strict=True)])
                row_scores.append(memo[ids])
            return row_scores

        return scores

    def _by_query(
        self, columns: Sequence[Sequence[object]], seen: Sequence[range], width: int, compute: Scores[Value]
    ) -> list[RowColumn[Value]]:
        """Columns from the rows that `compute` returns, `width` entries a row. `compute` gets the index of a row and
        the range that it sees, as a function of the type `Scores` does, but it returns one value for each value column.
        It is called once for all rows that see the same positions and have the same entries in `columns`. A row that
        sees no position has zeros."""
        rows, memo = [], dict[Any, Sequence[Value]]()
        for number, (sees, *entries) in enumerate(zip(seen, *columns, strict=True)):
            key = (sees, *map(id, entries))
            if key not in memo:
                memo[key] = compute(number, sees) if sees else [self.nothing] * width
            rows.append(memo[key])
        return _columns(rows)

    def plain(self, column: RowColumn[Value], seen: Sequence[range], weighting: str) -> RowColumn[Value]:
        """Attention with all scores zero: the first or last entry that each row sees, or their mean, which is a sum (or
        running sum) divided once."""
        if weighting in ("leftmost", "rightmost"):
            return [column[_ends(sees, weighting)[0]] if sees else self.nothing for sees in seen]
        if weighting not in ("average", "softmax"):
            raise unknown_weighting(weighting)
        if all(sees == seen[0] for sees in seen):
            return [self.mean(column[seen[0].start : seen[0].stop])] * len(seen)
        # The ranges begin all at the first position, or end all at the last one: take running sums from that side. Rows
        # that see the same number of positions share a sum.
        back = seen[0].start < seen[-1].start
        if back and self.in_order:
            return [self.mean(column[sees.start : sees.stop]) for sees in seen]
        sums = self.running(column[::-1] if back else column)
        return self.means([sums[len(sees)] for sees in seen], list(map(len, seen)))

    def means(self, sums: Sequence[Value], counts: Sequence[int]) -> RowColumn[Value]:
        """Each sum divided by its number of terms; 0 where that number is 0."""
        pairs = zip(sums, counts, strict=True)
        return [self.over(total, self.number(count)) if count else self.nothing for total, count in pairs]

    def each(self, columns: RowColumns[Value], compute: Callable[[Sequence[Value]], Value]) -> RowColumn[Value]:
        """The column of `compute(entries)` at each position, computed once for positions with the same entries."""
        memo, result = next(self._memo), []
        for entries in zip(*columns, strict=True):
            key = tuple(map(id, entries))
            stored = memo.get(key)
            if stored is None:  # the entries are stored too, so that their ids are not reused
                stored = memo[key] = self.shared(compute(entries)), entries
            result.append(stored[0])
        return result

    def distribution(self, columns: RowColumns[Value]) -> list[RowColumn[Value]]:
        return _columns(map(self.shares, zip(*columns, strict=True)))

    def largest(self, columns: RowColumns[Value]) -> list[int | None]:
        return [self.first_largest(scores) for scores in zip(*columns, strict=True)]

    def positive(self, column: RowColumn[Value]) -> list[bool | None]:
        return list(map(self.is_positive, column))

    def zero(self, column: RowColumn[Value]) -> list[bool | None]:
        return list(map(self.is_zero, column))


class Shortening(Rowwise[Value], Going[list[Value], Value, "bool | int | None"]):
    """A row-wise number system that can continue an input (`Going`). It keeps the results of earlier positions, so that
    equal positions share one object, whether they run together or one after the other."""

    recalls: ClassVar[bool] = False
    """Whether a decoder may call `recalled`. Sums are then taken in another order than in a pass over all positions.
    Systems that simulate one order of rounding must leave it False."""

    def __init__(self) -> None:
        super().__init__()
        self._recalled: dict[tuple[int, ...], tuple[Any, ...]] = {}
        """ids of a block and of its entries: (result, number of operations that it took, the block, its columns)."""

    def begin(self, sequence: object, start: int) -> None:
        super().begin(sequence, start)
        self._recalled = {}

    def resume(self, sequence: object, start: int, seen: int) -> None:
        memos, recalled = self._memo, self._recalled
        super().resume(sequence, start, seen)
        # `begin` has replaced both caches: put them back, from the first operation on.
        memos.place, self._memo, self._recalled = 0, memos, recalled

    def recalled(self, block: Sequence[object], columns: RowColumns[Value], compute: Callable[[], Result]) -> Result:
        """The result of `compute` for a block at one position, computed once for positions with the same entries. Where
        there is more than one row, it is computed each time."""
        if len(self.rows) != 1:
            return compute()
        key = (*map(id, block), *(id(column[0]) for column in columns))
        stored_result = self._recalled.get(key)
        if stored_result is None:  # `block` and `columns` are stored too, so that their ids are not reused
            place, computed = self._memo.place, compute()
            self._recalled[key] = computed, self._memo.place - place, block, columns
            return computed
        self._memo.place += stored_result[1]  # skip the caches of the operations in the block
        return stored_result[0]


def visible(mask: Mask, row: int, length: int) -> range:
    """The indices (from 0) that row `row` of `length` sees under a mask; an empty range if it sees none.

    >>> [list(visible(Mask.STRICT_FUTURE, row, 3)) for row in range(3)]
    [[], [0], [0, 1]]
    """
    return range(0 if mask.before else row + (not mask.here), length if mask.after else row + mask.here)


@lru_cache(maxsize=4096)
def _indicator(place: int) -> Coefficient:
    """The term in i that is 1 at the position i = `place` and 0 elsewhere."""
    return parse_term(f"I[i = {place}]")


@lru_cache(maxsize=256)
def _positive_from(term: Tree, start: int) -> bool:
    """Whether sympy can prove that a term in i and n is positive for all integers i and n >= 1, where i >= 0 if `start`
    is 0, else i >= 1. A resumed run has a larger `start`, but sympy knows nonnegative and positive integers only."""
    import sympy

    i, n = symbol("i"), symbol("n")
    table = {i: sympy.Symbol("i", integer=True, **{"positive" if start else "nonnegative": True})}
    table[n] = sympy.Symbol("n", integer=True, positive=True)
    return bool(_sympy(term).xreplace(table).is_positive)


def _sympy(term: Tree) -> sympy.Expr:
    """A term as a sympy expression."""
    return to_sympy(term, {name: symbol(name) for name in names(term)})


def _without(what: str) -> BadInput:
    """The refusal of an operation that a number system has not."""
    return BadInput(
        f"the number system must support {what}, which the model has",
        "a number system without them",
        "use another number system",
    )


def _ends(places: Sequence[int], weighting: str) -> Sequence[int]:
    """The positions among tied ones that get the weight: the first, the last, or all."""
    if weighting == "average":
        return places
    if weighting not in ("leftmost", "rightmost"):
        raise unknown_weighting(weighting)
    return places[:1] if weighting == "leftmost" else places[-1:]


def _columns(rows: Iterable[Iterable[Entry]]) -> list[list[Entry]]:
    """The columns of a table given by its rows."""
    return [[*column] for column in zip(*rows, strict=True)]
