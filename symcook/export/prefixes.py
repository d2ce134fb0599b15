"""All words of every length at once, where each position looks back by plain averages: states of running sums.

What such a model does at position i is a function of the token there and of the running sums of its heads. So it goes
over positions once, and at each keeps a set of states, in which words with the same state are one. Two states become
one interval hull where they differ only in sums behind the first attention, as long as these have the same sign; sums
of token values are kept apart as they are. A verdict on a state holds for all its words; merging can only leave one
open, never make one wrong. The values are those of `symcook.export.states`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from symcook.export.states import LEAST, OPEN, Arithmetic, Array, Sums, Values
from symcook.forward import live
from symcook.model.expr import names
from symcook.model.parts import FeedForward, Head
from symcook.model.transformer import Transformer

MOST_STATES = 20_000


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
    if part.weighting == "softmax" and not isinstance(part.lowered["temperature"], Fraction):
        return False  # which may leave the words of some length without a run
    return part.uniform and part.mask in ("future", "strict-future") and part.weighting in ("average", "softmax")


Key = tuple[int, int, str]
"""A running sum: step, head and coordinate written."""


class Prefixes:
    """The states after the positions so far. `length` counts them, with a token that the model adds in front."""

    def __init__(self, model: Transformer, dtype: str, n_max: int, divides_first: bool = False) -> None:
        self.model, self.arithmetic = model, Arithmetic(dtype, divides_first)
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
            found.append((name, [(arithmetic.mean(seen), 1)], 0))  # zero of a row that sees nothing
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
            return (np.minimum if name in LEAST else np.maximum).reduceat(array[order], starts)

        self.sums = {key: each.moved(hull) for key, each in sums.items()}
        self.parents.append((origin[0][first], origin[1][first]))
        self.length, self.states = self.length + 1, len(first)


def _follow(prefixes: Prefixes, states: Array, tokens: Array) -> Callable[[int], list[str]]:
    """The word of a state that has not been kept."""
    return lambda state: [*prefixes.word(states[state]), tokens[state]]
