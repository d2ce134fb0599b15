"""All words of every length at once, where each position looks back by plain averages: states of running sums.

What such a model does at position i is a function of the token there and of the running sums of its heads. So it goes
over positions once, and at each keeps a set of states, in which words with the same state are one. Two states become
one interval hull where they differ only in sums behind the first attention, as long as these have the same sign; sums
of token values are kept apart as they are. A verdict on a state holds for all its words; merging can only leave one
open, never make one wrong.

Every value is a pair of float64 ends, rounded outwards, around the exact number and all that the error model of
`symcook.domains.rounding` allows. With it stands the exponent e of a grid: above `OPEN`, float and exact value are one
number, a multiple of 2^e, in every word of the state; as in that module a step whose every intermediate result is a
number of the format is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from symcook.export import enclosure
from symcook.forward import live
from symcook.model.expr import names
from symcook.model.parts import FeedForward, Head
from symcook.model.transformer import Transformer

OPEN = -(10**6)
"""The exponent of a value that rounding may have moved."""
ZERO = 10**6
"""The exponent of zero, a multiple of everything."""
MOST_STATES = 20_000

Array = Any


def streams(model: Transformer) -> bool:
    """Whether a deciding model over words can be followed by its running sums."""
    embedding, readout = model.embedding, model.readout
    if embedding.words is None or model.normed or readout.kind not in ("sign", "zero", "largest"):
        return False
    if readout.position != "last" and (embedding.after is not None or readout.position == "first"):
        return False
    if any("n" in names(t) for t in embedding.places.values() if isinstance(t, tuple)):
        return False
    return all(_steps_back(part) for step in model.sublayers for part in step.parts)


def _steps_back(part: Head | FeedForward) -> bool:
    if isinstance(part, FeedForward):
        return part.activation in ("relu", "step")
    return part.uniform and part.mask in ("future", "strict-future") and part.weighting in ("average", "softmax")


@dataclass
class Values:
    """One coordinate in all states: ends and exponent of the grid, arrays (S)."""

    low: Array
    high: Array
    grid: Array

    def take(self, states: Array) -> Values:
        return Values(self.low[states], self.high[states], self.grid[states])


_LEAST = ("low", "grid", "largest", "below")
"""The fields of a running sum that a hull takes the least of; of the others it takes the greatest."""


@dataclass
class Sums:
    """A running sum in all states (S): the ends of the exact sum of its terms, the sum of their sizes, the exponent of
    their grid; the greatest lower end and the least upper end of a term; how far below and above zero one may be."""

    low: Array
    high: Array
    size: Array
    grid: Array
    largest: Array
    smallest: Array
    below: Array
    above: Array
    count: int = field(default=0)

    def moved(self, put: Callable[[str, Array], Array]) -> Sums:
        arrays = {f.name: put(f.name, getattr(self, f.name)) for f in fields(self) if f.name != "count"}
        return replace(self, **arrays)


def _down(x: Array) -> Array:
    import numpy as np

    return np.nextafter(x, -np.inf)


def _up(x: Array) -> Array:
    import numpy as np

    return np.nextafter(x, np.inf)


def _exponents(x: Array) -> tuple[Array, Array]:
    """Of each number the greatest e with x a multiple of 2^e (`ZERO` of zero), and its bits from there."""
    import numpy as np

    mantissa, exponent = np.frexp(x)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(float))[1] - 1
    grid = np.where(x == 0, ZERO, exponent - 53 + lowest)
    return grid, np.where(x == 0, 0, exponent - grid)


class Arithmetic:
    """The operations of the error model on `Values`, in one format."""

    def __init__(self, dtype: str) -> None:
        from symcook.domains.rounding import Rounding

        self.domain = enclosure.domain(dtype)
        assert isinstance(self.domain, Rounding)
        self.format = self.domain.stored
        self.bits, self.least = self.format.bits, self.format.least or OPEN // 2
        self.unit = 2.0**-self.bits
        self.tiny = 2.0 ** max(self.least - self.bits, -1074)
        self.end = 2.0 ** ((self.format.most or 1024) - 1) * (2 - 2 * self.unit)
        self._known: dict[Any, Values] = {}

    def number(self, value: Any) -> Values:
        """A given number, rounded to the format: arrays of one entry."""
        if value not in self._known:
            with self.domain.context():
                self._known[value] = self.column([self.domain.number(value)])
        return self._known[value]

    def column(self, entries: Sequence[Any]) -> Values:
        """Sets of the rounding domain, one an entry."""
        import numpy as np

        ends = [enclosure.ends(x) for x in entries]
        low, high = (np.array([pair[k] for pair in ends]) for k in (0, 1))
        exact = (low == high) & np.array([self.format.holds(x) for x in entries])
        return Values(low, high, np.where(exact, _exponents(np.where(exact, low, 0))[0], OPEN))

    def fits(self, low: Array, high: Array, grid: Array) -> Values:
        """What overflows, or is not a number, may be anything."""
        import numpy as np

        wild = ~(np.maximum(np.abs(low), np.abs(high)) < self.end)
        return Values(np.where(wild, -np.inf, low), np.where(wild, np.inf, high), np.where(wild, OPEN, grid))

    def rounded(self, low: Array, high: Array, exact: Array, grid: Array) -> Values:
        """Results once rounded; those on which `exact` stand on their grid. Rounding keeps signs."""
        import numpy as np

        below = _down(low - _up(np.abs(low) * self.unit + self.tiny))
        above = _up(high + _up(np.abs(high) * self.unit + self.tiny))
        below, above = np.where(low >= 0, np.maximum(below, 0), below), np.where(high <= 0, np.minimum(above, 0), above)
        return self.fits(np.where(exact, low, below), np.where(exact, high, above), np.where(exact, grid, OPEN))

    def held(self, size: Array, grid: Array) -> Array:
        """Whether multiples of 2^grid up to `size` are numbers of the format, with all their bits."""
        import numpy as np

        power = np.ldexp(1.0, np.clip(grid + self.bits, -1074, 1023))
        return (size == 0) | ((grid >= self.least) & (size <= power) & (size < self.end))

    def times(self, c: Values, x: Values) -> Values:
        import numpy as np

        products = np.array([a * b for a in (c.low, c.high) for b in (x.low, x.high)])
        low, high = products.min(axis=0), products.max(axis=0)
        size = np.abs(products).max(axis=0)
        zero = ((c.low == 0) & (c.high == 0)) | ((x.low == 0) & (x.high == 0))
        grid = np.where(zero, ZERO, np.where((c.grid > OPEN) & (x.grid > OPEN), c.grid + x.grid, OPEN))
        exact = zero | ((grid > OPEN) & self.held(size, grid))
        low, high = np.where(zero, 0.0, low), np.where(zero, 0.0, high)
        return self.rounded(np.where(exact, low, _down(low)), np.where(exact, high, _up(high)), exact, grid)

    def total(self, terms: Sequence[Values]) -> Values:
        """The sum of numbers of the format, in any order; of one that one."""
        if len(terms) == 1:
            return terms[0]
        sums = self.empty(1)
        for term in terms:
            sums = self.added(sums, term)
        return self.value(sums)

    def linear(self, terms: Sequence[tuple[Values, Any]], bias: Any) -> Values:
        parts = [] if bias == 0 and terms else [self.number(bias)]
        parts += [x if c == 1 else self.times(self.number(c), x) for x, c in terms]
        return self.total(parts)

    def empty(self, states: int) -> Sums:
        import numpy as np

        zeros = np.zeros(states)
        return Sums(zeros, zeros, zeros, np.full(states, ZERO), zeros, zeros, zeros, zeros)

    def added(self, sums: Sums, x: Values) -> Sums:
        """The sum with one term more."""
        import numpy as np

        size = np.maximum(np.abs(x.low), np.abs(x.high))
        grid = np.minimum(sums.grid, x.grid)
        total = _up(sums.size + size)
        plain = (grid > OPEN) & self.held(sums.size + size, grid)  # then the sums below are exact
        low, high = sums.low + x.low, sums.high + x.high
        return Sums(
            np.where(plain, low, _down(low)),
            np.where(plain, high, _up(high)),
            np.where(plain, sums.size + size, total),
            np.where(plain, grid, OPEN),
            np.maximum(sums.largest, x.low),
            np.minimum(sums.smallest, x.high),
            np.minimum(sums.below, x.low),
            np.maximum(sums.above, x.high),
            sums.count + 1,
        )

    def value(self, sums: Sums) -> Values:
        """What the sum may come out as. Numbers of one sign sum to no less than the largest of them."""
        import math

        import numpy as np

        error = max(sums.count - 1, 1) * self.unit
        growth = error / (1 - error) if error < 0.5 else math.expm1(error)  # (1 + u)^(k - 1) - 1 is below both
        slack = _up(_up(sums.size * (growth * (1 + 2.0**-40))) + self.tiny)
        low, high = _down(sums.low - slack), _up(sums.high + slack)
        low = np.where(sums.below >= 0, np.maximum(low, sums.largest), low)
        high = np.where(sums.above <= 0, np.minimum(high, sums.smallest), high)
        exact = sums.grid > OPEN
        return self.fits(np.where(exact, sums.low, low), np.where(exact, sums.high, high), sums.grid)

    def over(self, x: Values, count: int) -> Values:
        """A sum over the number of its terms."""
        import numpy as np

        by = self.number(count)
        ends = np.array([a / b for a in (x.low, x.high) for b in (by.low, by.high)])
        low, high = ends.min(axis=0), ends.max(axis=0)
        zero = (x.low == 0) & (x.high == 0)
        grid, bits = _exponents(np.where(np.isfinite(low), low, 0))
        alone = (x.grid > OPEN) & (x.low == x.high) & (by.grid > OPEN) & (bits + _exponents(by.low)[1] <= 53)
        exact = zero | (alone & (low * by.low == x.low) & (bits <= self.bits) & self.held(np.abs(low), grid))
        return self.rounded(np.where(exact, low, _down(low)), np.where(exact, high, _up(high)), exact, grid)

    def activate(self, x: Values, kind: str) -> Values:
        import numpy as np

        if kind == "relu":
            return Values(np.maximum(x.low, 0), np.maximum(x.high, 0), x.grid)
        low, high = (x.low > 0).astype(float), (x.high > 0).astype(float)
        return Values(low, high, np.where((low == high) | (x.grid > OPEN), 0, OPEN))


Key = tuple[int, int, str]
"""A running sum: step, head and coordinate written."""


class Prefixes:
    """The states after the positions so far. `length` counts them, with a token that the model adds in front."""

    def __init__(self, model: Transformer, dtype: str, n_max: int) -> None:
        self.model, self.arithmetic = model, Arithmetic(dtype)
        self.wanted = live(model)
        self.sums: dict[Key, Sums] = {}
        self.length, self.states = 0, 1
        self.parents: list[tuple[Array, Array]] = []
        """For each position and state, the state before and the token, of one of its words."""
        domain = self.arithmetic.domain
        with domain.context():
            domain.begin(("",) * (n_max + 1), model.embedding.start)
            self.places = {
                name: self.arithmetic.column(domain.positions(term)) for name, term in model.embedding.places.items()
            }

    def lengths(self) -> Iterator[tuple[dict[str, Values], Callable[[int], list[str]]]]:
        """What the readout shows at the last position of every length in turn, in all states, and a word of a state."""
        embedding = self.model.embedding
        if embedding.before is not None:
            shown, sums, origin = self.step([embedding.before])
            self.keep(sums, origin)
            if embedding.after is None:
                yield shown, self.word
        if embedding.after is not None:
            yield self.step([embedding.after])[0], self.word
        while True:
            shown, sums, origin = self.step(self.model.alphabet)
            states, tokens = origin
            if embedding.after is None:
                word = _follow(self, states, tokens)
                yield shown, word
            self.keep(sums, origin)
            if embedding.after is not None:
                yield self.step([embedding.after])[0], self.word

    def word(self, state: int) -> list[str]:
        """The tokens of a word that ends in a state, without those that the model adds."""
        found = []
        for states, tokens in reversed(self.parents):
            found.append(tokens[state])
            state = states[state]
        typed = found[::-1]
        return typed[self.model.embedding.before is not None :]

    def step(self, tokens: Sequence[str]) -> tuple[dict[str, Values], dict[Key, Sums], tuple[Array, Array]]:
        """One position more, for each state and token: what the readout shows there, the sums, and where from."""
        import numpy as np

        count, size = len(tokens), self.states
        before = np.tile(np.arange(size), count)
        origin = (before, np.repeat(np.array(list(tokens), dtype=object), size))
        stream = self.embedded(tokens, size, self.wanted[0])
        sums: dict[Key, Sums] = {}
        for number, (step, wanted) in enumerate(zip(self.model.sublayers, self.wanted[1:], strict=True)):
            added: list[tuple[str, list[tuple[Values, Any]], Any]] = []
            for h, part in enumerate(step.parts):
                if isinstance(part, Head):
                    added += self.attended(part, (number, h), stream, wanted, before, sums)
                else:
                    added += self.network(part, stream, wanted)
            for name, terms, bias in added:
                old = [(stream[name], 1)] if name in stream else []
                stream[name] = self.arithmetic.linear(old + terms, bias)
        return self.read(stream, size * count), sums, origin

    def embedded(self, tokens: Sequence[str], size: int, wanted: set[str]) -> dict[str, Values]:
        import numpy as np

        embedding, arithmetic, stream = self.model.embedding, self.arithmetic, dict[str, Values]()
        for name in wanted:
            terms: list[tuple[Values, Any]] = []
            if name in embedding.tables:
                given = [arithmetic.number(embedding.tables[name][token]) for token in tokens]
                ends = (np.repeat([getattr(v, f)[0] for v in given], size) for f in ("low", "high", "grid"))
                terms.append((Values(*ends), 1))
            if name in self.places:
                terms.append((self.places[name].take(np.full(size * len(tokens), self.length)), 1))
            if terms:
                stream[name] = arithmetic.linear(terms, 0)
        return stream

    def row(self, weights: Mapping[Any, Any], view: Mapping[Any, Values]) -> list[tuple[Values, Any]]:
        return [(view[name], weight) for name, weight in weights.items() if name in view]

    def attended(
        self,
        head: Head,
        key: tuple[int, int],
        stream: Mapping[str, Values],
        wanted: set[str],
        before: Array,
        sums: dict[Key, Sums],
    ) -> list[tuple[str, list[tuple[Values, Any]], Any]]:
        arithmetic, found = self.arithmetic, []
        for name, weights in zip(head.writes, head.lowered["V"], strict=True):
            terms = self.row(weights, stream) if name in wanted else []
            if not terms:
                continue
            old = self.sums.get((*key, name)) or arithmetic.empty(self.states)
            old = old.moved(lambda _, array: array[before])
            sums[(*key, name)] = new = arithmetic.added(old, arithmetic.linear(terms, 0))
            seen = new if head.mask == "future" else old
            mean = arithmetic.value(seen)  # zero of a row that sees nothing
            found.append((name, [(arithmetic.over(mean, seen.count) if seen.count else mean, 1)], 0))
        return found

    def network(
        self, block: FeedForward, stream: Mapping[str, Values], wanted: set[str]
    ) -> list[tuple[str, list[tuple[Values, Any]], Any]]:
        numbers, hidden = block.lowered, dict[int, Values]()
        rows = zip(block.writes, numbers["W2"], numbers["b2"], strict=True)
        written = [(name, weights, bias) for name, weights, bias in rows if name in wanted and (weights or bias != 0)]
        for h in sorted(set().union(*(weights for _, weights, _ in written))):
            inside = self.arithmetic.linear(self.row(numbers["W1"][h], stream), numbers["b1"][h])
            hidden[h] = self.arithmetic.activate(inside, block.activation)
        return [(name, self.row(weights, hidden), bias) for name, weights, bias in written]

    def read(self, stream: Mapping[str, Values], size: int) -> dict[str, Values]:
        """The coordinates that the readout reads, or the scores by label, in all states."""
        import numpy as np

        readout, found = self.model.readout, dict[str, Values]()
        if not readout.labels:
            found |= {name: stream.get(name) or self.arithmetic.number(0) for name in readout.reads}
        for label, weights in zip(readout.labels or ("logit",), readout.rows, strict=False):
            found[label] = self.arithmetic.linear(self.row(weights, stream), 0)
        return {name: v if len(v.low) == size else v.take(np.zeros(size, dtype=int)) for name, v in found.items()}

    def keep(self, sums: Mapping[Key, Sums], origin: tuple[Array, Array]) -> None:
        """Take the step: words with the same state become one."""
        import numpy as np

        size = len(origin[0])
        columns = []
        for key, each in sums.items():
            value = self.arithmetic.value(each)
            sign = np.select(
                [value.low > 0, value.high < 0, (value.low == 0) & (value.high == 0)], [1.0, -1.0, 0.0], 2.0
            )
            exact = (value.low == value.high) & (value.grid > OPEN) & (key[0] == 0)
            columns += [exact.astype(float), np.where(exact, value.low, sign)]
        table = np.array(columns).T if columns else np.zeros((size, 1))
        _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(which.reshape(-1), kind="stable")
        starts = np.searchsorted(which.reshape(-1)[order], np.arange(len(first)))

        def hull(name: str, array: Array) -> Array:
            return (np.minimum if name in _LEAST else np.maximum).reduceat(array[order], starts)

        self.sums = {key: each.moved(hull) for key, each in sums.items()}
        self.parents.append((origin[0][first], origin[1][first]))
        self.length, self.states = self.length + 1, len(first)


def _follow(prefixes: Prefixes, states: Array, tokens: Array) -> Callable[[int], list[str]]:
    """The word of a state that has not been kept."""
    return lambda state: [*prefixes.word(states[state]), tokens[state]]
