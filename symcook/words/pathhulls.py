"""All strings of a set at once in certified floats: prefixes in classes, and a hull of each class at each position.

A `PrefixGraph` has the classes of prefixes at each position: prefixes with the same last token that lead a reader to
the same state. A string is a path through the classes. `PathHulls` runs a dense causal model on the whole graph at
once: a number is a ball that contains the values of all prefixes of the class. Everything but attention is as in
`symcook.domains.radii`. A head's output is a mean over the path, and its ends are found over all paths to the class:

    the mean is at most t if the sum over the path of weight * (value - t) is at most 0,

and the largest such sum is found class by class. The bound t is then lowered by that sum over the largest sum of
weights. So a mean over many positions stays narrow where all paths agree up to the order of their tokens.

The hulls of two classes, and of two coordinates of one class, are independent of each other: a verdict that they leave
open is open, and a decided verdict holds for every string of the class.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from symcook.domains.floatmatrices import FloatArray
from symcook.domains.protocol import Coefficient
from symcook.domains.radii import DEEPEST, EXP_ERROR, TINY, UNIT, MidRadius, Radii, balls, exponential
from symcook.errors import NotExact
from symcook.forward import Result, forward
from symcook.model.parts import Mask

if TYPE_CHECKING:
    from symcook.domains.cells import Array
    from symcook.model.transformer import Transformer
    from symcook.words import Word

MOST_CLASSES = 6000
"""The greatest number of classes at all positions together."""
MOST_WORK = 6 * 10**9
"""The greatest number of products of a weight and a value in one head, which take about a minute."""
AT_ONCE = 2**21
"""About how many sums of paths are kept at once."""
ROUNDS = 3
"""How often the ends of a mean are improved."""


@dataclass(frozen=True)
class PrefixClass:
    """The prefixes of one length with one last token that lead the reader to one state."""

    state: Hashable
    token: int
    """The index of the last token in the alphabet; -1 for a token that the model adds."""
    before: tuple[int, ...]
    """The classes, at the position before, of these prefixes without their last token."""
    strings: int
    """How many prefixes there are."""
    smallest: Word
    """The smallest one."""


class PrefixGraph:
    """The classes of all prefixes up to a length, for a reader with states.

    Arguments:
        model: Transformer. Its alphabet, and the tokens that it adds before a string.
        start: hashable. The state of the empty prefix.
        step: function of a state and the index of a token. The next state; None if no string continues so.
        length: int. The greatest number of typed tokens.
    """

    def __init__(
        self, model: Transformer, start: Hashable, step: Callable[[Any, int], Hashable | None], length: int
    ) -> None:
        self.model = model
        added = model.embedding.ends[0]
        level = [PrefixClass(start, -1, (0,), 1, ())] if added else []
        self.levels: list[list[PrefixClass]] = [level for _ in added]
        """The classes at each position, in the order of their smallest prefixes."""
        for _ in range(length):
            level = self._next(level or [PrefixClass(start, -1, (0,), 1, ())], step)
            if not level:
                break
            self.levels.append(level)
            if sum(map(len, self.levels)) > MOST_CLASSES:
                must = f"prefixes in hulls must form at most {MOST_CLASSES:,} classes"
                raise NotExact(must, f"more at length {len(self.levels) - len(added)}", "give a smaller --max-length")

    def _next(self, level: list[PrefixClass], step: Callable[[Any, int], Hashable | None]) -> list[PrefixClass]:
        """The classes of the prefixes with one more token."""
        joined: dict[tuple[Hashable, int], list[int]] = {}
        for place, prefixes in enumerate(level):
            for token in range(len(self.model.alphabet)):
                state = step(prefixes.state, token)
                if state is not None:
                    joined.setdefault((state, token), []).append(place)
        classes = [
            PrefixClass(
                state,
                token,
                tuple(places),
                sum(level[place].strings for place in places),
                (*min((level[place].smallest for place in places), key=self.rank), self.model.alphabet[token]),
            )
            for (state, token), places in joined.items()
        ]
        return sorted(classes, key=lambda prefixes: self.rank(prefixes.smallest))

    def rank(self, word: Word) -> tuple[int, ...]:
        """The place of a string among those of its length, in the order of the alphabet."""
        return tuple(map(self.model.alphabet.index, word))

    # What a domain reads of a batch of strings (`symcook.domains.batch.Listed`): here an entry for each class.

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.choices())

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def size(self) -> int:
        """The greatest number of classes at a position. A position with fewer classes repeats its first one."""
        return max(map(len, self.levels))

    @cached_property
    def _choices(self) -> list[tuple[str, ...]]:
        added = [(token,) for token in self.model.embedding.ends[0]]
        return [*added, *[self.model.alphabet] * (len(self.levels) - len(added))]

    def choices(self) -> list[tuple[str, ...]]:
        """The tokens at each position."""
        return self._choices

    def digits(self) -> list[Array]:
        """At each position, for each class the index of its last token among the choices."""
        return [np.array([max(prefixes.token, 0) for prefixes in self.padded(level)]) for level in self.levels]

    def padded(self, level: list[PrefixClass]) -> list[PrefixClass]:
        """The classes of a position, and the first one again until there are `size`."""
        return level + level[:1] * (self.size - len(level))

    @cached_property
    def before(self) -> list[Array]:
        """At each position, for each class the classes before it: a row for each class, filled by its first entry."""
        tables = []
        for level in self.levels:
            most = max(len(prefixes.before) for prefixes in level)
            rows = [p.before + p.before[:1] * (most - len(p.before)) for p in self.padded(level)]
            tables.append(np.array(rows))
        return tables


class PathHulls(Radii):
    """The domain of balls around the values of classes of prefixes; columns have an entry for each position and class.
    `begin` accepts a `PrefixGraph`."""

    matrices: ClassVar[bool] = True
    name: ClassVar[str] = "radii"  # weights are kept as for `Radii`

    def begin(self, sequence: Any, start: int) -> None:
        self.graph: PrefixGraph = sequence
        super().begin(sequence, start)
        self._asking = slice(None)
        self._factor: Coefficient = 1

    def factors(self, factor: Coefficient) -> FloatArray:
        """For each row the factor of its scores, and its error. A row is a position with a class."""
        return np.repeat(super().factors(factor), self.size, axis=0)[self._asking]

    def attend(
        self, queries: MidRadius, keys: MidRadius, values: MidRadius, mask: Mask, weighting: str, factor: Coefficient
    ) -> MidRadius:
        """The output of a head for each value column, over all paths to a class."""
        if mask is not Mask.FUTURE or weighting not in ("softmax", "average"):
            must = "in hulls, each head must be a causal softmax or average over the positions up to its own"
            raise NotExact(must, f"{weighting} with the mask {mask}", "give fewer strings")
        if weighting == "average" and len(queries):
            raise NotExact("in hulls, a head with scores must be a softmax", weighting, "give fewer strings")
        places, size, width = self.length, self.size, len(values)
        if places * size * places * size * width * ROUNDS > MOST_WORK:
            must = "the sums over paths must be fewer"
            raise NotExact(must, f"{places * size:,} classes and {width} coordinates", "give a smaller --max-length")
        self._factor = factor
        low, high = values.mid - values.rad, values.mid + values.rad
        low, high = (end.transpose(1, 2, 0) for end in (low - np.abs(low) * UNIT * 2, high + np.abs(high) * UNIT * 2))
        # Arrays from here on have the axes position, class, coordinate; rows are positions with classes.
        ends = [np.empty((places, size, width)) for _ in range(2)]
        step = max(1, AT_ONCE // (size * size * width))
        for first in range(0, places, step):
            last = min(first + step, places)
            self._asking = slice(first * size, last * size)
            weights = self._weights(queries, keys, first, last)
            for end, found in zip(ends, self._means(weights, low, high, first, last), strict=True):
                end[first:last] = found
        below, above = (end.transpose(2, 0, 1) for end in ends)
        mid = (below + above) / 2
        return balls(mid, np.maximum(above - mid, mid - below) + np.abs(mid) * 4 * UNIT)

    def _weights(self, queries: MidRadius, keys: MidRadius, first: int, last: int) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest weights, up to a factor for each row, of the positions and classes up to `last`:
        arrays over rows, positions and classes."""
        size, rows = self.size, (last - first) * self.size
        if not len(queries):
            ones = np.ones((rows, last, size))
            return ones, ones

        def flat(columns: MidRadius, start: int, end: int) -> MidRadius:
            """The entries of some positions in one row, as positions of one string."""
            mid, rad = (part[:, start:end].reshape(len(columns), -1, 1) for part in (columns.mid, columns.rad))
            return MidRadius(mid, rad, columns.norm[start:end].reshape(-1, 1))

        scores = self._scores(flat(queries, first, last), flat(keys, 0, last), self._factor)
        mid, rad = (part[0].reshape(rows, last, size) for part in (scores.mid, scores.rad))
        # A row sees the positions up to its own.
        own = np.repeat(np.arange(first, last), size)
        seen = (np.arange(last)[None] <= own[:, None])[:, :, None]
        highest = np.where(seen, mid + rad, -np.inf).max(axis=(1, 2), keepdims=True)
        rounding = (np.abs(mid) + rad + np.abs(highest)) * (4 * UNIT)
        least, most = mid - rad - rounding - highest, np.minimum(mid + rad + rounding - highest, 0.0)
        # exp(-DEEPEST) is an upper bound of all smaller weights, and 0 a lower one.
        low = np.where(least > -DEEPEST, exponential(np.clip(least, -DEEPEST, 0)) * (1 - 2 * EXP_ERROR), 0.0)
        high = exponential(np.clip(most, -DEEPEST, 0)) * (1 + 2 * EXP_ERROR)
        known = np.isfinite(rad) & np.isfinite(highest)
        return np.where(seen & known, low, 0.0), np.where(seen, np.where(known, high, 1.0 + 2 * EXP_ERROR), 0.0)

    def _means(
        self, weights: tuple[FloatArray, FloatArray], low: FloatArray, high: FloatArray, first: int, last: int
    ) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest mean of the values, over all paths to each class at the positions from `first` to
        `last`."""
        size, width = self.size, low.shape[2]
        light, heavy = weights
        # The sums of weights themselves, as columns of values 1.
        ones = np.ones((len(light), 1, 1))
        least, most = self._sums(weights, lambda place: (ones, ones), first, last, 1)
        slack = 1 + (2 * last + 16) * UNIT
        least, most = least / slack, most * slack
        with np.errstate(all="ignore"):
            middle = np.nan_to_num((low[:last] + high[:last]) / 2, nan=0.0, posinf=0.0, neginf=0.0)
            # The greatest size of a value at the positions up to each.
            reach = np.maximum(np.abs(low[:last]).max(axis=1), np.abs(high[:last]).max(axis=1))
            reach = np.maximum.accumulate(reach)[first:, None]
            start = np.einsum("rpc,pcd->rd", heavy, middle) / heavy.sum(axis=(1, 2))[:, None]
            shape = (last - first, size, width)
            below = above = start.reshape(shape)
            bounds = np.full(shape, -np.inf), np.full(shape, np.inf)
            for _ in range(ROUNDS):
                at_most, at_least = above.reshape(-1, 1, width), below.reshape(-1, 1, width)
                sums = self._sums(
                    weights,
                    lambda place, lo=at_least, hi=at_most: (low[place][None] - lo, high[place][None] - hi),  # type: ignore[misc]
                    first,
                    last,
                    width,
                )
                # Each sum has at most `last` products, of sizes at most `reach` and the bound.
                off = most * (2 * last + 16) * UNIT * (reach + np.maximum(np.abs(below), np.abs(above)))
                under, over = sums[0] - off, sums[1] + off
                # A sum of at most s changes the mean by at most s over the least, or if s < 0 over the largest, sum of
                # weights.
                down = np.where(under < 0, under / least, under / most)
                up = np.where(over > 0, over / least, over / most)
                below = below + down - (np.abs(below) + np.abs(down)) * 8 * UNIT - TINY
                above = above + up + (np.abs(above) + np.abs(up)) * 8 * UNIT + TINY
                bounds = np.fmax(bounds[0], below), np.fmin(bounds[1], above)
                if not np.isfinite(below).all() or not np.isfinite(above).all():
                    break
        return bounds

    def _sums(
        self,
        weights: tuple[FloatArray, FloatArray],
        ends: Callable[[int], tuple[FloatArray, FloatArray]],
        first: int,
        last: int,
        width: int,
    ) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest sum over a path of weight times value, for the classes at the positions from
        `first` to `last`: arrays over positions, classes and coordinates. `ends` gives the ends of the values at a
        position, arrays over rows, classes and coordinates."""
        size, (light, heavy) = self.size, weights
        found = [np.empty((last - first, size, width)) for _ in range(2)]
        sums: list[FloatArray] = []
        for place in range(last):
            # Rows of positions before this one are done.
            done = max(place - first, 0) * size
            by = light[done:, place, :, None], heavy[done:, place, :, None]
            value = [part[done:] if len(part) == len(light) else part for part in ends(place)]
            terms = [take(by[0] * v, by[1] * v) for take, v in zip((np.minimum, np.maximum), value, strict=True)]
            if place:
                table = self.graph.before[place]
                skipped = done - max(place - 1 - first, 0) * size
                for end, take in enumerate((np.minimum, np.maximum)):
                    earlier = sums[end][skipped:]
                    joined = earlier[:, table[:, 0]]
                    for column in table.T[1:]:
                        joined = take(joined, earlier[:, column])
                    terms[end] = terms[end] + joined
            sums = terms
            if place >= first:
                own = np.arange(size)
                for end in range(2):
                    found[end][place - first] = sums[end][own, own]
        return found[0], found[1]


def run_hulls(model: Transformer, graph: PrefixGraph) -> Result:
    """The run of a model on all strings of a graph, with an answer and the residual stream for each class. NotExact for
    a model that is not dense or not causal, and for more work than `MOST_WORK`."""
    causal = model.unfollowed() is None and not model.embedding.ends[1]
    if not model.dense or not causal or not (model.readout.last or model.readout.everywhere):
        must = "prefixes in hulls must be those of a dense causal model that answers at the last position"
        raise NotExact(must, model.unfollowed() or model.name, "give fewer strings")
    everywhere = replace(model, readout=replace(model.readout, position="each"))
    return forward(everywhere, graph, PathHulls(), trace=True, weights=False)  # type: ignore[arg-type]


def widths(result: Result, place: int, number: int) -> list[tuple[str, float]]:
    """For each block its name, and how wide the hull of a class is after it: the norm of the radii over the norm of the
    midpoints. The class is the one with this number at this position."""
    found = []
    for step in result.steps:
        columns: Any = [*step.columns.values()]
        mid, rad = (np.array([getattr(column, part)[place, number] for column in columns]) for part in ("mid", "rad"))
        name = f"layer {step.layer}, {step.part}" if step.layer else step.part
        with np.errstate(all="ignore"):
            found.append((name, float(np.linalg.norm(rad) / (np.linalg.norm(mid) + TINY))))
    return found
