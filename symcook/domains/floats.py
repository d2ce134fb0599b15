"""Floats: the numbers that a user's runtime computes, in memory that grows with n and not with n^2 (see `BLOCK`).

float64, float32 and float16: every column is a numpy array of that type over the positions. Inside one operation
(scores, weights, sums, layer norm) float16 computes in float32, as runtimes do, and running sums are taken in float64.
Fast, not exact, never a proof: `symcook.domains.rounding` bounds the effect of rounding. A value outside the range of
the type is rejected.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, ClassVar

import numpy as np

from symcook.domains.exact import value_at
from symcook.domains.floatmatrices import FloatMatrices
from symcook.domains.protocol import (
    MEAN_SQUARE,
    VARIANCE,
    Coefficient,
    refuse_zero_root,
    unknown_activation,
    unknown_weighting,
)
from symcook.domains.rowwise import Going
from symcook.errors import BadInput
from symcook.model.expr import Tree, names
from symcook.model.meaning import MAX_RANGE, Meaning
from symcook.model.parts import PLUS_ONE, SIGMOIDS, SOFT, Mask
from symcook.model.symbols import Number
from symcook.numbers.evaluate import float_of

FloatColumn = np.ndarray[Any, Any]
FloatColumns = Sequence[FloatColumn]
Scale = FloatColumn | None
"""The factor of the scores at each row; None: 1 everywhere."""
Flags = np.ndarray[Any, np.dtype[np.bool_]] | np.bool_
"""A truth for each position, or one for all."""
Many = FloatColumn | float
"""A number for each position, or one for all."""
FloatTruth = tuple[Flags, Flags]
"""(where a comparison holds in floats, where that is certain)."""

BLOCK = 2**17
"""About the number of scores in memory at once: attention is computed in blocks of rows, of at least one row each."""

NEAR = 2.0**-40
"""Relative distance below which a comparison in a position function is left to exact arithmetic."""

REVERSED = {
    "average": "average", "softmax": "softmax", PLUS_ONE: PLUS_ONE, "leftmost": "rightmost", "rightmost": "leftmost"
}  # fmt: skip
"""The weightings, each with the same one on the reversed sequence."""


class Float64(FloatMatrices, Going[FloatColumn, float, "bool | int | None"]):
    """The domain of numpy float64 arrays over positions.

    >>> domain = Float64()
    >>> domain.begin(("a", "b", "a"), 1)
    >>> domain.attend([], [], [domain.embed({"a": 1, "b": 4})], Mask.STRICT_FUTURE, "average", 1)[0].tolist()
    [0.0, 1.0, 2.5]
    """

    matrices: ClassVar[bool] = True
    name: ClassVar[str] = "float64"
    kind: ClassVar[Any] = np.float64
    wide: ClassVar[Any] = np.float64
    """The type used inside one operation (scores, weights, sums, layer norm); `kind` is that of columns."""
    simulates = True
    rows: range = range(0)

    def context(self) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")

    def joined(self, before: FloatColumn | None, column: FloatColumn) -> FloatColumn:
        return column if before is None else np.concatenate([before, column])

    def rounding(self) -> Any:
        from symcook.domains.rounding import FORMATS, Rounding

        return Rounding(*FORMATS[self.name])

    def embed(self, table: Mapping[str, Coefficient]) -> FloatColumn:
        tokens = {token: place for place, token in enumerate(table)}
        places = np.fromiter((tokens[token] for token in self._sequence), np.intp, len(self._sequence))
        return self._stored(np.array([float_of(value) for value in table.values()]))[places]

    def input(self, name: str) -> FloatColumn:
        return self._stored(np.array([float_of(row[name]) for row in self._sequence]))

    def positions(self, expression: int | Number) -> FloatColumn:
        """The expression in float64 at all positions at once, rounded to the type. Where float64 gives no finite value,
        or cannot decide a comparison, the exact value is rounded instead."""
        if not isinstance(expression, tuple) or "i" not in names(expression):
            return self._stored(np.full(len(self.rows), _constant(expression, self.length)))
        places = np.array(self.rows, dtype=np.float64) + self._start
        with np.errstate(all="ignore"):
            values = _Terms({"i": places, "n": float(self.length)}).term(expression)
        values = np.broadcast_to(values, places.shape).copy()
        for place in np.flatnonzero(~np.isfinite(values)):
            values[place] = float_of(value_at(expression, self._start + self.rows[place], self.length))
        return self._stored(values)

    def linear(self, terms: Sequence[tuple[FloatColumn, Coefficient]], bias: Coefficient) -> FloatColumn:
        total = np.full(len(terms[0][0] if terms else self.rows), self._weight(bias))
        for column, coefficient in terms:
            total += column if coefficient == 1 else column * self._weight(coefficient)
        return self._stored(total)

    def activate(self, column: FloatColumn, kind: str) -> FloatColumn:
        """The activation of each entry; a gelu is computed in float64."""
        if kind == "relu":
            return np.maximum(column, self.kind(0))
        if kind == "step":
            return np.where(np.isnan(column), column, (column > 0).astype(self.kind))
        # A gelu is x times `upper`, a factor between 0 and 1. Where `upper` underflows to 0, the value is 0 (not nan).
        x = column.astype(np.float64)
        if kind == "gelu":
            half = math.sqrt(0.5)
            flat = x.ravel().tolist()
            upper = np.fromiter((0.5 * math.erfc(-half * t) for t in flat), np.float64, len(flat)).reshape(x.shape)
        elif kind == "gelu-tanh":
            upper = _logistic(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
        elif kind in SIGMOIDS:
            upper = _logistic(float(SIGMOIDS[kind]) * x)
        else:
            raise unknown_activation(kind)
        return self._stored(np.where(upper == 0, 0.0, x * upper))

    def layer_norm(self, columns: FloatColumns, epsilon: Coefficient, zero_variance: str) -> Any:
        """(x - mean)/sqrt(variance + epsilon), all positions at once."""
        stacked = np.array(columns, dtype=self.wide)
        stacked -= stacked.mean(axis=0)
        return _in_form_of(columns, self._divided(stacked, epsilon, zero_variance, VARIANCE))

    def rms_norm(self, columns: FloatColumns, epsilon: Coefficient, zero_square: str) -> Any:
        stacked = np.array(columns, dtype=self.wide)
        return _in_form_of(columns, self._divided(stacked, epsilon, zero_square, MEAN_SQUARE))

    def multiply(self, left: FloatColumn, right: FloatColumn) -> FloatColumn:
        return self._stored(left.astype(self.wide) * right)

    def _divided(self, stacked: Any, epsilon: Coefficient, zero: str, must: tuple[str, str]) -> Any:
        """x/sqrt(mean of squares + epsilon) of the entries, in their place; `must` is what NoRun says of a root of
        zero."""
        total = np.mean(stacked * stacked, axis=0) + self.wide(float_of(epsilon))
        empty = np.flatnonzero(total == 0)
        if empty.size:
            refuse_zero_root(zero, self._start + self.rows[int(empty[0])], must)
            total[empty] = 1
            stacked[:, empty] = 0
        stacked /= np.sqrt(self._finite(total))
        return self._stored(stacked)

    def attend(
        self,
        queries: FloatColumns,
        keys: FloatColumns,
        values: FloatColumns,
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> Any:
        """The output of a head for each value column; see `_causal_attention`. An anti-causal mask is run as the causal
        mask of the reversed sequence."""
        if weighting not in REVERSED:
            raise unknown_weighting(weighting)
        scale = None if factor == 1 else self.positions(factor)
        if weighting == PLUS_ONE and not len(queries):  # scores of 0
            queries, keys = [self.linear([], 0)], [np.zeros(self.length, self.kind)]
        if not mask.before:  # reverse everything, and exchange leftmost and rightmost
            queries, keys, values = ([column[::-1] for column in part] for part in (queries, keys, values))
            scale = None if scale is None else scale[::-1]
            rows = range(self.length - self.rows.stop, self.length - self.rows.start)
            reversed_output = self._causal_attention(
                queries, keys, values, mask.mirrored, REVERSED[weighting], scale, rows
            )
            return _in_form_of(values, self._stored(np.array(reversed_output)[:, ::-1]))
        columns = np.asarray(self._causal_attention(queries, keys, values, mask, weighting, scale, self.rows))
        return _in_form_of(values, self._stored(columns))

    def _causal_attention(
        self,
        queries: FloatColumns,
        keys: FloatColumns,
        values: FloatColumns,
        mask: Mask,
        weighting: str,
        scale: Scale,
        rows: range,
    ) -> Any:
        """Attention of the positions `rows` under a mask that lets each position see the earlier ones.

        Running sums if all scores are equal; one scan if hard scores do not depend on the row; else blocks of rows.
        """
        n, hard = self.length, weighting not in SOFT
        if not len(queries):
            # Equal scores: running sums.
            columns = [_equal_scores(v, mask, weighting) for v in values]
        elif hard and all(bool(np.all(q == q[0])) for q in queries):
            # Hard attention with one query for all rows: one scan over the scores.
            first = np.stack([q[:1] for q in queries], axis=1).astype(self.wide)
            scores = _scores(first, np.stack(keys).astype(self.wide), hard, np.empty((2, n), self.wide))[0]
            columns = _records_scan(self._finite(scores), values, mask, weighting)
        else:
            return self._blocks(queries, keys, values, mask, weighting, scale, rows)
        # In both cases row i sees position i. Under a strict mask it sees what row i - 1 sees without strictness.
        if not mask.here:
            columns = [np.concatenate([np.zeros(1, column.dtype), column[: n - 1]]) for column in columns]
        return [column[rows.start : rows.stop] for column in columns]

    def _blocks(
        self,
        queries: FloatColumns,
        keys: FloatColumns,
        values: FloatColumns,
        mask: Mask,
        weighting: str,
        scale: Scale,
        rows: range,
    ) -> FloatColumn:
        """Attention of the positions `rows`, in blocks of rows as products of matrices."""
        n = self.length
        # The values, and a column of ones: its product with the weights is their total.
        table = np.empty((len(values) + 1, n), self.wide)
        table[:-1], table[-1] = values, 1
        table = table.T
        results = np.zeros((len(values), len(rows)), self.wide)
        step = max(1, BLOCK // n)
        query_rows = np.ascontiguousarray(np.asarray(queries, dtype=self.wide).T)
        key_columns = np.ascontiguousarray(keys, dtype=self.wide)
        # All blocks use the same memory: allocating it anew would cost more than the exponentials.
        room = np.empty((2, min(step, len(rows)) * n), self.wide)
        for first in rows[::step]:
            last = min(first + step, rows.stop)
            block = slice(first - rows.start, last - rows.start)
            # The scores of the block: -inf at positions that a row does not see.
            seen_end = n if mask.after else last
            scores = _scores(query_rows[block], key_columns[:, :seen_end], weighting not in SOFT, room)
            if scale is not None:
                scores *= scale[block, None].astype(self.wide, copy=False)
            if not mask.after:
                np.copyto(scores[:, first:], -np.inf, where=_hidden(last - first, mask.here))
            top = scores.max(axis=1, keepdims=True)
            # Check the range, without the first row of a strict mask, which sees no position.
            self._finite(top[not mask.here and first == 0 :])
            if weighting == PLUS_ONE:
                top = np.maximum(top, 0)
            # leftmost, rightmost: the first or last maximum; average: all maxima; softmax: exponentials.
            if weighting in ("leftmost", "rightmost"):
                positions_chosen = (
                    scores.argmax(axis=1) if weighting == "leftmost" else seen_end - 1 - scores[:, ::-1].argmax(axis=1)
                )
                results[:, block] = table[positions_chosen, :-1].T
            else:
                if weighting in SOFT:
                    scores -= top
                    weights = np.exp(scores, out=scores)
                else:
                    weights = np.equal(scores, top, out=scores, casting="unsafe")
                sums = weights @ table[:seen_end]
                if weighting == PLUS_ONE:
                    sums[:, -1:] += np.exp(-top)
                results[:, block] = (sums[:, :-1] / sums[:, -1:]).T
        # The first row of a strict mask sees no position.
        if not mask.here and rows.start == 0:
            results[:, 0] = 0
        return results

    def narrow(self, columns: Any, place: int) -> Any:
        if not isinstance(columns, np.ndarray):
            return super().narrow(columns, place)
        self.rows = self.rows[place:][:1]
        return columns[:, place:][:, :1]

    def distribution(self, columns: FloatColumns) -> list[FloatColumn]:
        scores = np.stack([column.astype(self.wide) for column in columns])
        scores -= scores.max(axis=0)
        weights = np.exp(scores, out=scores)
        weights /= weights.sum(axis=0)
        return [self._stored(row) for row in weights]

    def largest(self, columns: FloatColumns) -> list[int | None]:
        scores = np.stack(columns)
        best_columns = scores.argmax(axis=0)
        unknown = np.asarray(np.isnan(scores).any(axis=0))
        pairs = zip(best_columns.tolist(), unknown.tolist(), strict=True)
        return [None if skip else index for index, skip in pairs]

    def positive(self, column: FloatColumn) -> list[bool | None]:
        return [None if x != x else x > 0 for x in column.tolist()]

    def zero(self, column: FloatColumn) -> list[bool | None]:
        return [None if x != x else x == 0 for x in column.tolist()]

    def read(self, column: FloatColumn, place: int) -> float:
        return float(column[place])

    def show(self, value: float, digits: int) -> float:
        return value

    def _weight(self, value: Coefficient) -> Any:
        """A coefficient rounded to the type."""
        return self._stored(np.array([float_of(value)]))[0]

    def _stored(self, values: FloatColumn) -> FloatColumn:
        """`values` rounded to the type; BadInput if one is outside its range."""
        stored = values.astype(self.kind, copy=False)
        if stored is values:
            return self._finite(values)
        if not np.isfinite(stored).all():
            self._refuse(values[~np.isfinite(stored)][0], self.kind)
        return stored

    def _finite(self, values: FloatColumn) -> FloatColumn:
        """`values` itself; BadInput if one is not finite, i.e. outside the range of its type."""
        if not np.isfinite(values).all():
            self._refuse(values[~np.isfinite(values)].flat[0], values.dtype)
        return values

    def _refuse(self, value: float, kind: np.dtype | type[np.floating]) -> None:
        """Raise BadInput for a value outside the range of the type `kind`."""
        limit = f"{float(np.finfo(kind).max):.6g}"
        shown_value = "one beyond" if not math.isfinite(value) else f"{float(value):.6g}"
        wider = "" if self.kind is np.float64 else "--domain float64 or "
        raise BadInput(
            f"a value in {self.name} must stay between -{limit} and {limit}",
            shown_value,
            f"use {wider}--domain ball (rigorous intervals)",
        )


class Float32(Float64):
    """The domain of numpy float32 arrays."""

    matrices: ClassVar[bool] = True
    name: ClassVar[str] = "float32"
    kind: ClassVar[Any] = np.float32
    wide: ClassVar[Any] = np.float32


class Float16(Float64):
    """The domain of numpy float16 arrays, which computes in float32 inside one operation."""

    matrices: ClassVar[bool] = True
    name: ClassVar[str] = "float16"
    kind: ClassVar[Any] = np.float16
    wide: ClassVar[Any] = np.float32


def _in_form_of(model_columns: FloatColumns, columns: FloatColumn) -> Any:
    """`columns` in the form of `model_columns`: one array, or a list of columns."""
    return columns if isinstance(model_columns, np.ndarray) else list(columns)


def _logistic(x: FloatColumn) -> FloatColumn:
    """1/(1 + e^-x), with the small exponential on either side."""
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1.0) / (1.0 + small)


def _scores(queries: FloatColumn, keys: FloatColumn, compared: bool, room: FloatColumn) -> FloatColumn:
    """queries (rows x d) times keys (d x columns), in the first half of `room`.

    Scores that are `compared` are summed over d from left to right, so that equal keys have equal scores. A product of
    matrices does not guarantee that.
    """
    shape = (queries.shape[0], keys.shape[1])
    total, products = (part[: shape[0] * shape[1]].reshape(shape) for part in room)
    if not compared and len(keys) > 1:  # for one key dimension the plain products are faster
        return np.matmul(queries, keys, out=total)
    np.multiply.outer(queries[:, 0], keys[0], out=total)
    for d in range(1, keys.shape[0]):
        total += np.multiply.outer(queries[:, d], keys[d], out=products)
    return total


@lru_cache(maxsize=64)
def _hidden(rows: int, here: bool) -> Flags:
    """For consecutive positions, the table (row, position) of what a causal mask hides: later positions, and without
    `here` the row's own."""
    return np.triu(np.ones((rows, rows), dtype=bool), 1 if here else 0)


def _equal_scores(column: FloatColumn, mask: Mask, weighting: str) -> FloatColumn:
    """Attention with equal scores, where each row sees itself and the earlier positions (mask none: all positions)."""
    n = len(column)
    if weighting in ("leftmost", "rightmost"):
        if weighting == "rightmost" and not mask.after:
            return column
        return np.full(n, column[0 if weighting == "leftmost" else -1])
    if mask.after:
        return np.full(n, column.sum(dtype=np.float64) / n)
    return np.cumsum(column, dtype=np.float64) / np.arange(1, n + 1)


def _records_scan(scores: FloatColumn, values: FloatColumns, mask: Mask, weighting: str) -> list[FloatColumn]:
    """Hard attention with scores that do not depend on the row, where each row sees itself and the earlier positions
    (mask none: all positions). One pass over the records of the running maximum."""
    n = len(scores)
    if mask.after:
        best = np.flatnonzero(scores == scores.max())
        if weighting != "average":
            best = best[:1] if weighting == "leftmost" else best[-1:]
        return [np.full(n, v[best].sum(dtype=np.float64) / max(len(best), 1)) for v in values]
    # A record is a score above all scores before it. Between records the maximum stays the same.
    top = np.maximum.accumulate(scores)
    record = np.concatenate([[True], scores[1:] > top[:-1]])
    if weighting != "average":
        best = record if weighting == "leftmost" else scores == top
        positions_chosen = np.maximum.accumulate(np.where(best, np.arange(n), 0))
        return [v[positions_chosen] for v in values]
    # The mean: in each segment from a record to the next, a running mean of the values at maximum scores.
    starts = np.flatnonzero(record)
    ends = np.append(starts[1:], n)
    maximal = scores == top
    results = [v.astype(np.float64) for v in values]
    long = ends - starts > 1  # in a segment of length 1 the value is already the mean
    for first, end in zip(starts[long], ends[long], strict=True):
        count = np.cumsum(maximal[first:end])
        for result in results:
            result[first:end] = np.cumsum(np.where(maximal[first:end], result[first:end], 0)) / count
    return results


class _Terms(Meaning[Many, FloatTruth]):
    """Evaluates terms of the grammar in float64, at all positions at once; truths are `FloatTruth`.

    An entry of the result that is not finite is unknown: at a pole, outside the range, or after a comparison of numbers
    too close for floats. The caller computes such positions exactly.
    """

    def number(self, p: int, q: int) -> float:
        return _float(Fraction(p, q))

    def name(self, name: str) -> Many:
        return np.pi if name == "pi" and "pi" not in self.values else self.values[name]

    def divide(self, a: Many, b: Many, tree: Tree) -> Many:
        return np.where(np.equal(b, 0), np.nan, np.divide(a, b))

    def power(self, a: Many, b: Many, tree: Tree) -> Many:
        power = np.power(np.asarray(a, dtype=np.float64), b)
        return np.where(np.isfinite(a) & np.isfinite(b), power, np.nan)

    def call(self, name: str, arguments: list[Many], tree: Tree) -> Many:
        """A function of its arguments; nan where floats cannot decide the value."""
        if name in ("min", "max"):
            return reduce(np.minimum if name == "min" else np.maximum, arguments)
        if name == "mod":
            a, b = arguments
            return a - b * self.call("floor", [np.divide(a, b)], tree)
        (x,) = arguments
        if name in ("floor", "sign"):  # near a jump a rounding could change the answer: leave it to exact arithmetic
            jump = np.rint(x) if name == "floor" else 0
            doubtful = np.abs(x - jump) <= 1e-9 * np.maximum(1, np.abs(x))
            return np.where(doubtful, np.nan, np.floor(x) if name == "floor" else np.sign(x))
        if name == "erf":
            flat = np.asarray(x, dtype=np.float64)
            return np.array([math.erf(t) for t in flat.ravel().tolist()]).reshape(flat.shape)
        if name == "log":
            return np.where(np.greater(x, 0), np.log(x), np.nan)  # nan also at 0, where log has no value
        if name in ("sin", "cos", "exp", "sqrt", "sinh", "cosh", "tanh", "abs"):
            return getattr(np, name)(x)
        return np.nan

    def at(self, places: Flags, **bound: Many) -> _Terms:
        """The evaluation at the positions `places` only, with values there for bound variables."""
        all_values: Mapping[str, Any] = self.values
        values = {k: v[places] if np.shape(v) else v for k, v in all_values.items()}
        return _Terms({**values, **bound}, self.steps)

    def choose(self, truth: FloatTruth, yes: Tree, no: Tree) -> Many:
        """Each branch is evaluated only at the positions that take it, so that a pole in the other one does not
        matter."""
        holds, certain = (np.broadcast_to(part, np.shape(self.values["i"])) for part in truth)
        result = np.full(holds.shape, np.nan)
        for places, branch in ((holds & certain, yes), (~holds & certain, no)):
            if places.any():
                result[places] = self.at(places).term(branch)
        return result

    def fold(self, tree: Tree) -> Many:
        """A sum or product over a range. Step k adds or multiplies the k-th term at all positions whose range has that
        many terms. It is nan everywhere if floats cannot decide whether the ends are integers, or if a range is too
        long."""
        tag, name, low, high, body = tree
        shape = np.shape(self.values["i"])
        first, last = (np.broadcast_to(self.term(end), shape) for end in (low, high))
        total = np.full(shape, 0.0 if tag == "sum" else 1.0)
        if not (_whole(low) and _whole(high) and (np.maximum(abs(first), abs(last)) < 2.0**53).all()):
            return total * np.nan  # nan everywhere: floats cannot decide whether the ends are integers
        lengths = last - first + 1
        if (lengths > MAX_RANGE).any():
            return total * np.nan
        for step in range(int(lengths.max(initial=0))):
            places = step < lengths
            value = self.at(places, **{name: first[places] + step}).term(body)
            total[places] = total[places] + value if tag == "sum" else total[places] * value
        return total

    def compare(self, tag: str, a: Many, b: Many, tree: Tree) -> FloatTruth:
        """A comparison. It is certain for integers below 2^53, and for numbers that are far enough apart."""
        truth = np.equal(a, b) if tag == "=" else np.less_equal(a, b) if tag == "<=" else np.less(a, b)
        size = np.maximum(np.abs(a), np.abs(b))
        if _whole(tree[1]) and _whole(tree[2]):
            return truth, np.less(size, 2.0**53)
        far_apart = np.greater(np.abs(np.subtract(a, b)), NEAR * np.maximum(size, 1.0))
        return truth, far_apart & np.isfinite(size)

    def truth(self, known: bool) -> FloatTruth:
        return np.bool_(known), np.bool_(True)

    def negation(self, a: FloatTruth) -> FloatTruth:
        return ~a[0], a[1]

    def both(self, a: FloatTruth, b: FloatTruth) -> FloatTruth:
        return a[0] & b[0], a[1] & b[1]


@lru_cache(maxsize=256)
def _constant(expression: int | Number, length: int) -> float:
    """The nearest float64 to a number, or to a term without i, for strings of this length."""
    return float_of(value_at(expression, 1, length))


def _whole(tree: Tree) -> bool:
    """Whether a term is built from integers by +, - and * only, so that float64 computes it exactly below 2^53."""
    if tree[0] == "num":
        return tree[2] == 1
    if tree[0] == "name":
        return tree[1] != "pi"  # i, n, and the variables of sums
    return tree[0] in ("neg", "+", "-", "*") and all(_whole(part) for part in tree[1:])


def _float(value: Fraction) -> float:
    """The nearest float; nan outside the range."""
    try:
        return float(value)
    except OverflowError:
        return math.nan
