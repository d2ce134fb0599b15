"""Exact batches: all inputs of a block at once, as integers over denominators that are known before any input is seen.

A column is a list of cells (`symcook.domains.cells`), one for each position. A cell has integer numerators for all
inputs of the block, ONE positive denominator and ONE bound on the numerators' magnitude. Denominator and bound follow
from the model and the length alone. The bound chooses the carrier (int32, int64, Python integers), so no overflow
occurs.

Inputs that share a prefix share its values: a cell that depends on the first j tokens has |alphabet|^j entries, and two
cells of different sizes are combined by broadcasting the smaller one over its extensions. For all strings of length n,
a causal model therefore costs about as much as its last position alone. Its earlier positions are the runs of all
shorter strings, so one pass serves every length (`Transformer.unfollowed`).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from symcook.domains.cells import (
    FEW,
    ONE,
    UNBOUNDED,
    ZERO,
    Array,
    Cell,
    aligned,
    carrier,
    combine,
    constant,
    divide,
    floating,
    hard,
    irrational,
    largest,
    product,
    relu,
    step,
)
from symcook.domains.exact import ExactValue, Logs, at_position, coefficient, logarithmic, soft_mean
from symcook.domains.protocol import Coefficient, unknown_activation, unknown_weighting
from symcook.domains.rowwise import Going, visible
from symcook.errors import NotExact
from symcook.model.expr import show
from symcook.model.parts import SMOOTH, Mask
from symcook.model.symbols import Number
from symcook.numbers.expsum import text

SMALL = 512
"""Up to this many entries, a dictionary finds equal ones faster than sorting an array."""

__all__ = ["Batch", "Cell", "Grid", "Listed", "Words", "carrier"]

_BALL = "use --domain ball (rigorous intervals)"


@dataclass(frozen=True)
class Words:
    """All strings of length n over `alphabet` that begin with `prefix` and end with `suffix`, in the order of the
    alphabet. n counts prefix and suffix.

    The code of a string is its index in that order: the first free token is the most significant digit.

    >>> block = Words(("a", "b"), 3, ("b",))
    >>> block.size, list(block)[2]
    (4, ('b', 'b', 'a'))
    """

    alphabet: tuple[str, ...]
    n: int
    prefix: tuple[str, ...] = ()
    suffix: tuple[str, ...] = ()

    @property
    def free(self) -> int:
        """The number of positions whose token varies."""
        return self.n - len(self.prefix) - len(self.suffix)

    @property
    def size(self) -> int:
        """The number of strings."""
        return len(self.alphabet) ** self.free

    def choices(self) -> list[tuple[str, ...]]:
        """The tokens that may stand at each position."""
        fixed = [[(token,) for token in tokens] for tokens in (self.prefix, self.suffix)]
        return [*fixed[0], *[self.alphabet] * self.free, *fixed[1]]

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return itertools.product(*self.choices())

    def cut(self, n: int) -> Words:
        """The block of the prefixes of length n of these strings, each once."""
        return Words(self.alphabet, n, self.prefix[:n], self.suffix[: max(0, n - self.n + len(self.suffix))])

    def blocks(self, limit: int) -> Iterator[Words]:
        """Consecutive blocks of at most `limit` strings. A block with one free position is not divided further."""
        if self.size <= limit or self.free <= 1:
            yield self
            return
        for token in self.alphabet:
            yield from Words(self.alphabet, self.n, (*self.prefix, token), self.suffix).blocks(limit)


@dataclass(frozen=True)
class Grid:
    """All sequences of rows {input: Fraction}, where each position has its own list of rows to choose from.

    The batch of a feed-forward recipe is one position with all points of a grid. Order as in `Words`.
    """

    rows: tuple[Sequence[Mapping[str, Fraction]], ...]

    @property
    def size(self) -> int:
        """The number of sequences."""
        return math.prod(len(options) for options in self.rows)

    def choices(self) -> list[Sequence[Mapping[str, Fraction]]]:
        """The rows that may stand at each position."""
        return list(self.rows)

    def __iter__(self) -> Iterator[tuple[Mapping[str, Fraction], ...]]:
        return itertools.product(*self.rows)

    def blocks(self, limit: int) -> Iterator[Grid]:
        """Consecutive blocks of at most `limit` sequences."""
        if self.size <= limit:
            yield self
            return
        place = next(p for p, options in enumerate(self.rows) if len(options) > 1)  # divide the first choice
        options = self.rows[place]
        step = max(1, limit * len(options) // self.size)
        for start in range(0, len(options), step):
            part = (*self.rows[:place], options[start : start + step], *self.rows[place + 1 :])
            yield from Grid(part).blocks(limit)


@dataclass(frozen=True)
class Listed:
    """Given strings of one length, at least one. Prefixes are not shared: every cell has an entry for each string."""

    words: tuple[tuple[str, ...], ...]

    @property
    def size(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.words)

    def choices(self) -> list[tuple[str, ...]]:
        """The different tokens at each position; `digits` says which one each string has."""
        return self._choices

    @cached_property
    def _choices(self) -> list[tuple[str, ...]]:
        return [tuple(dict.fromkeys(tokens)) for tokens in zip(*self.words, strict=True)]

    def digits(self) -> list[Array]:
        """At each position, for each string the index of its token among the choices."""
        return [_numbered(*pair) for pair in zip(zip(*self.words, strict=True), self.choices(), strict=True)]


InputBlock = Words | Grid | Listed
"""A set of inputs that one pass runs."""


def digits(block: Words | Grid, code: Any) -> list[Any]:
    """For the input with index `code` in the order of the block: at each position, the index of its choice there. For
    an array of codes, the digits are arrays.

    >>> digits(Words(("a", "b"), 3, ("b",)), 2)
    [0, 1, 0]
    """
    result = []
    for options in reversed(block.choices()):  # the last position varies fastest
        code, digit = divmod(code, len(options))
        result.append(digit)
    return result[::-1]


def nth(block: InputBlock, code: int) -> tuple[Any, ...]:
    """The input with index `code` in the order of the block."""
    if isinstance(block, Listed):
        return block.words[code]
    return tuple(options[digit] for options, digit in zip(block.choices(), digits(block, code), strict=True))


BatchColumn = list[Cell]
BatchColumns = Sequence[BatchColumn]


class Batch(Going[BatchColumn, Cell, Array]):
    """The domain of exact batches. `begin` accepts `Words`, a `Grid` or `Listed` strings.

    NotExact is raised for gelu, layer norm, a distribution as readout, irrational weights that are not numbers with one
    square root, irrational biases, embeddings and position functions, and a softmax over many combinations of scores
    and values.

    With `floats`, every carrier is float64: the same operations, rounded beyond 2^53. It serves to compare speeds; its
    results are not exact.
    """

    name: ClassVar[str] = "batch"

    def __init__(self, floats: bool = False) -> None:
        self.kinds = floating if floats else carrier
        """The number type for integers of a given bound."""
        self.size = 1
        """The number of inputs in the batch."""

    def begin(self, sequence: InputBlock, start: int) -> None:
        """Take a block. For listed strings, cells have an entry for each string; otherwise one for each prefix."""
        self._choices: list[Any] = list(sequence.choices())
        super().begin(self._choices, start)
        self.size = sequence.size
        # For listed strings, the digits at each position; None where cells are indexed by prefixes.
        self._digits = sequence.digits() if isinstance(sequence, Listed) else None
        # The number of choices at each position, and the number of prefixes before each position.
        self._radix = tuple(len(options) for options in self._choices)
        self._prefixes = list(itertools.accumulate(self._radix, lambda a, b: a * b, initial=1))

    def block(self, sequence: Sequence[Any]) -> Grid:
        """The grid of a sequence whose entries are rows, or tuples of rows to choose from."""
        return Grid(tuple(options if isinstance(options, tuple) else (options,) for options in sequence))

    def embed(self, table: Mapping[str, Coefficient]) -> BatchColumn:
        """The token table, one cell for each position."""
        exact = {token: rational(value) for token, value in table.items()}
        return [self._given(place, [exact[token] for token in self._choices[place]]) for place in self.rows]

    def input(self, name: str) -> BatchColumn:
        return [self._given(place, [rational(row[name]) for row in self._choices[place]]) for place in self.rows]

    def _given(self, place: int, values: list[Fraction]) -> Cell:
        """The cell of a value that depends on the token at `place` alone: `values` has one value for each choice
        there."""
        denominator = math.lcm(*(v.denominator for v in values))
        numerators = [v.numerator * (denominator // v.denominator) for v in values]
        bound = max(map(abs, numerators))
        row = np.array(numerators, dtype=self.kinds(bound))
        if self._digits is not None:
            codes = self._digits[place]
        elif len(set(numerators)) > 1:
            codes = np.repeat(np.arange(len(row), dtype=np.int32), self._prefixes[place])
        else:
            return Cell(row[:1], denominator, bound)
        wide = row.dtype.kind == "O" or row.dtype == np.int64
        return Cell(row, denominator, bound, codes) if wide else Cell(row[codes], denominator, bound)

    def positions(self, expression: Coefficient) -> BatchColumn:
        places = (self._start + row for row in self.rows)
        return [constant(at_position(expression, i, self.length), self.kinds) for i in places]

    def linear(self, terms: Sequence[tuple[BatchColumn, Coefficient]], bias: Coefficient) -> BatchColumn:
        """The weighted sums of cells: integers, or numbers of the exact domain if a weight is a root."""
        columns = [column for column, _ in terms]
        weights: list[Any] = [coefficient(weight) for _, weight in terms]
        shift = rational(bias)
        if not terms:
            return [constant(shift, self.kinds)] * len(self.rows)
        rows = zip(*columns, strict=True)
        if self.kinds is not floating and not all(isinstance(weight, Fraction) for weight in weights):
            return [irrational(list(zip(cells, weights, strict=True)), shift) for cells in rows]
        return [combine(list(zip(cells, weights, strict=True)), shift, self.kinds) for cells in rows]

    def activate(self, column: BatchColumn, kind: str) -> BatchColumn:
        if kind == "relu":
            return [relu(cell) for cell in column]
        if kind == "step":
            return [step(cell, self.kinds) for cell in column]
        if kind not in SMOOTH:
            raise unknown_activation(kind)
        raise NotExact("in exact runs of many strings at once, an activation must be relu or step", kind, _BALL)

    def multiply(self, left: BatchColumn, right: BatchColumn) -> BatchColumn:
        raise NotExact("in exact runs of many strings at once, a model must have no gated units", "gated units", _BALL)

    def rms_norm(self, columns: BatchColumns, epsilon: Coefficient, zero_square: str) -> list[BatchColumn]:
        raise NotExact("in exact runs of many strings at once, a model must have no RMS norm", "RMS norm", _BALL)

    def layer_norm(self, columns: BatchColumns, epsilon: Coefficient, zero_variance: str) -> list[BatchColumn]:
        raise NotExact("in exact runs of many strings at once, a model must have no layer norm", "layer norm", _BALL)

    def distribution(self, columns: BatchColumns) -> list[BatchColumn]:
        raise NotExact(
            "in exact runs of many strings at once, a readout must not be a distribution (softmax)", "softmax", _BALL
        )

    def attend(
        self,
        queries: BatchColumns,
        keys: BatchColumns,
        values: BatchColumns,
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> list[BatchColumn]:
        """The output of a head for each value column, row by row."""
        if weighting not in ("average", "softmax", "leftmost", "rightmost"):
            raise unknown_weighting(weighting)
        # Without queries all scores are equal: the first or last position, or a plain mean.
        if not queries:
            if weighting in ("leftmost", "rightmost"):
                return [self._ends(column, mask, 0 if weighting == "leftmost" else -1) for column in values]
            return [self._mean_values(column, mask) for column in values]
        if weighting == "softmax" and self.kinds is floating:
            raise NotExact(
                "in float runs of many strings at once, attention must be hard unless all scores are equal",
                "softmax",
                _BALL,
            )
        zero, rows = constant(ZERO, self.kinds), []
        for number, place in enumerate(self.rows):
            visible_places = visible(mask, place, self.length)
            scores = [self._score([q[number] for q in queries], [k[j] for k in keys]) for j in visible_places]
            seen_values = [[v[j] for j in visible_places] for v in values]
            # Three cases: the row sees no position; softmax whose scores may differ; hard attention, also for a softmax
            # whose scores are all zero (bound 0), which is a plain mean.
            if not visible_places:
                rows.append([zero] * len(values))
            elif weighting == "softmax" and any(score.bound for score in scores):
                rows.append(self._soft(scores, seen_values, logarithmic(factor, self._start + place, self.length)))
            else:
                hard_weighting = "average" if weighting == "softmax" else weighting
                rows.append(hard(scores, seen_values, hard_weighting, self.kinds))
        return [list(column) for column in zip(*rows, strict=True)]

    def _soft(
        self, scores: Sequence[Cell], rows: Sequence[Sequence[Cell]], factor: tuple[ExactValue, Logs]
    ) -> list[Cell]:
        """One row of softmax in numbers of the exact domain: one cell for each row of values in `rows`.

        Inputs that have the same combinations of score and values equally often share the computation. `factor` is the
        factor of the scores in the form of `logarithmic`. NotExact if sharing saves little, since the inputs then may
        as well be run one by one.
        """
        # 1. Number the combinations of a score and values that occur. `table` has their numbers: a row for each visible
        # position, a column for each input.
        numbers: dict[tuple[Any, ...], int] = {}
        combination_codes = []
        for cells_at_position in zip(scores, *rows, strict=True):
            distinct, codes = _combinations(cells_at_position)
            combination_codes.append(
                np.array([numbers.setdefault(entry, len(numbers)) for entry in distinct], dtype=np.int32)[codes]
            )
        size = max(map(len, combination_codes))
        table = np.stack([np.tile(codes, size // len(codes)) for codes in combination_codes])
        # 2. The order of positions does not matter for a mean: sort each column, and find the different columns.
        table.sort(axis=0)
        different, codes = np.unique(table, axis=1, return_inverse=True)
        if different.shape[1] > max(FEW, size // 8):
            raise NotExact(
                "in exact runs of many strings at once, softmax must meet few different rows of scores",
                different.shape[1],
                _BALL,
            )
        # 3. Compute one mean for each different column and each row of values. Scores are taken relative to the first
        # one, since a common factor of all weights cancels.
        combinations, counted = list(numbers), [Counter(column) for column in different.T.tolist()]
        result = []
        for r in range(1, len(rows) + 1):
            means = np.empty(len(counted), dtype=object)
            for k, counts in enumerate(counted):
                entries = [combinations[number] for number in counts]
                differences = [entry[0] - entries[0][0] for entry in entries]
                means[k] = soft_mean(differences, *factor, [entry[r] for entry in entries], [*counts.values()])
            result.append(Cell(means, 1, UNBOUNDED, codes.reshape(-1).astype(np.int32)))
        return result

    def _score(self, query: Sequence[Cell], key: Sequence[Cell]) -> Cell:
        """The score of a query and a key."""
        parts = [product(q, k, self.kinds) for q, k in zip(query, key, strict=True)]
        return parts[0] if len(parts) == 1 else combine([(part, ONE) for part in parts], ZERO, self.kinds)

    def _ends(self, column: BatchColumn, mask: Mask, end: int) -> BatchColumn:
        """The first (end 0) or last (end -1) value that each row sees; 0 for a row that sees none."""
        visible_places = (visible(mask, row, self.length) for row in self.rows)
        return [column[places[end]] if places else constant(ZERO, self.kinds) for places in visible_places]

    def _mean_values(self, column: BatchColumn, mask: Mask) -> BatchColumn:
        """The mean of the values that each row sees, as a sum divided once. For causal and anti-causal masks these are
        running sums, from the first or the last position."""
        if (mask.before and mask.after) or len(self.rows) == 1:
            visible_places = visible(mask, self.rows[0], self.length)
            total = combine([(column[j], ONE) for j in visible_places], ZERO, self.kinds)
            return [divide(total, max(1, len(visible_places)))] * len(self.rows)
        inward = column if mask.before else column[::-1]
        sums = itertools.accumulate(inward, lambda a, b: combine([(a, ONE), (b, ONE)], ZERO, self.kinds))
        totals = [constant(ZERO, self.kinds), *sums]
        counts = [len(visible(mask, row, self.length)) for row in self.rows]
        return [divide(totals[count], max(1, count)) for count in counts]

    def positive(self, column: BatchColumn) -> list[Array]:
        return [cell.each(lambda table: table > 0) for cell in column]

    def zero(self, column: BatchColumn) -> list[Array]:
        return [cell.each(lambda table: table == 0) for cell in column]

    def largest(self, columns: BatchColumns) -> list[Array]:
        return [largest(cells, self.kinds) for cells in zip(*columns, strict=True)]

    def paired(self, first: list[Array], second: list[Array], size: int) -> list[Array]:
        """size*first + second at each position."""
        pairs = (
            aligned(first_codes.astype(np.int64), second_codes)
            for first_codes, second_codes in zip(first, second, strict=True)
        )
        return [(size * first_codes + second_codes).reshape(-1) for first_codes, second_codes in pairs]

    def conjunction(self, first: Array, second: Array) -> Array:
        x, y = aligned(first, second)
        return (x & y).reshape(-1)

    def full(self, entries: Array, length: int | None = None) -> Array:
        """The entries of a verdict or cell extended to one for each input, in the order of the block. With a `length`,
        to one for each prefix of that length, in the order of `Words.cut`; for `Listed` strings it is ignored."""
        if self._digits is not None:
            return np.repeat(entries, self.size) if len(entries) < self.size else entries
        radix = self._radix[:length]
        size = math.prod(radix)
        if len(entries) == 1:
            return np.repeat(entries, size)
        if len(entries) < size:
            entries = np.tile(entries, size // len(entries))
        return entries[_order(tuple(r for r in radix if r > 1))]

    def show(self, value: Cell, digits: int) -> list[str]:
        return [text(p * Fraction(1, value.denominator)) for p in self.full(value.numerators).tolist()]


def _combinations(cells: Sequence[Cell]) -> tuple[list[tuple[Any, ...]], Array]:
    """The different combinations of exact values of several cells, and for each entry the index of its combination."""
    tables, size = [cell.numerators for cell in cells], max(cell.size for cell in cells)
    if size <= SMALL:
        listed = list(zip(*(table.tolist() * (size // len(table)) for table in tables), strict=True))
        distinct = list(dict.fromkeys(listed))
        codes = _numbered(listed, distinct)
    else:
        # Add one cell after the other: number the pairs of the code so far and the value in this cell.
        codes = np.zeros(1, dtype=np.int64)
        for table in tables:
            before, here = aligned(codes, np.unique(table, return_inverse=True)[1].reshape(-1))
            pairs = (before * (here.max() + 1) + here).reshape(-1)
            codes = np.unique(pairs, return_inverse=True)[1].reshape(-1)
        entries = np.unique(codes, return_index=True)[1]
        distinct = list(zip(*(table[entries % len(table)].tolist() for table in tables), strict=True))
    return [
        tuple([_divided(x, cell.denominator) for x, cell in zip(row, cells, strict=True)]) for row in distinct
    ], codes


def _numbered(entries: Sequence[Any], options: Sequence[Any]) -> Array:
    """For each entry its index among the options."""
    number = {option: k for k, option in enumerate(options)}
    return np.fromiter(map(number.__getitem__, entries), np.int64, len(entries))


def _divided(value: Any, below: int) -> Any:
    """An exact value divided by an integer."""
    return Fraction(value, below) if isinstance(value, int) else value * Fraction(1, below)


@lru_cache(maxsize=32)
def _order(radix: tuple[int, ...]) -> Array:
    """The index in a cell of each input, in the order of the block. Blocks have the first position as the most
    significant digit, cells as the least significant one.

    >>> _order((2, 3)).tolist()
    [0, 2, 4, 1, 3, 5]
    """
    order = np.zeros(1, dtype=np.int64)
    for place in range(len(radix)):
        step = math.prod(radix[:place])
        order = (order[:, None] + np.arange(radix[place]) * step).reshape(-1)
    return order


def rational(value: int | Number) -> Fraction:
    """A coefficient as a Fraction; NotExact for a tree, which stands for a number that is not rational."""
    if isinstance(value, tuple):
        must, do = "exact batches need rational numbers", "exact or interval arithmetic takes one input"
        raise NotExact(must, show(value), do)
    return Fraction(value)
