"""All words of every length at once, where each position looks back by plain averages: states of running sums.

What such a model does at position i is a function of the token there and of the running sums of its heads. So it goes
over positions once (`symcook.prefixes`), and at each keeps a set of states, in which words with the same state are one.
Two states become one interval hull where they differ only in sums behind the first attention, as long as these have the
same sign; sums of token values are kept apart as they are. A verdict on a state holds for all its words; merging can
only leave one open, never make one wrong. The values are those of `symcook.export.states`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from symcook import prefixes
from symcook.export.states import LEAST, OPEN, Arithmetic, Array, Values
from symcook.forward import Result
from symcook.machine import unfollowed
from symcook.model.parts import FeedForward, Head
from symcook.model.transformer import Transformer
from symcook.prefixes import Behind, Level, Sum

MOST_STATES = 20_000


def streams(model: Transformer) -> bool:
    """Whether a deciding model over words can be followed by its running sums."""
    readout = model.readout
    if model.embedding.words is None or not readout.answers or readout.first:
        return False
    if readout.everywhere and model.embedding.ends[1]:
        return False
    parts = [part for step in model.sublayers for part in step.parts]
    turns = all(part.activation in ("relu", "step") for part in parts if isinstance(part, FeedForward))
    # a temperature that depends on the position may leave the words of some length without a run
    soft = (part.lowered["temperature"] for part in parts if isinstance(part, Head) and part.weighting == "softmax")
    return turns and prefixes.averages(model) and unfollowed(model) is None and not any(type(t) is tuple for t in soft)


class Position(Behind):
    """One position in the arithmetic of the error model, behind so many states."""

    name = "states"
    states = 1

    def __init__(self, arithmetic: Arithmetic, places: int, start: int) -> None:
        self.by, self.places, self.start = arithmetic, places, start
        self.columns: dict[Any, Values] = {}
        self.linear, self.activate = arithmetic.linear, arithmetic.activate

    def embed(self, table: Mapping[str, Any]) -> Values:
        import numpy as np

        given = [self.by.number(table[token]) for token in self.tokens]
        return Values(*(np.repeat([getattr(v, f)[0] for v in given], self.states) for f in ("low", "high", "grid")))

    def positions(self, term: Any) -> Values:
        import numpy as np

        if term not in self.columns:
            domain = self.by.domain
            with domain.context():
                domain.begin(("",) * self.places, self.start)
                self.columns[term] = self.by.column(domain.positions(term))
        return self.columns[term].take(np.full(self.states * len(self.tokens), self.seen))

    def joined(self, before: Any, column: Values) -> Sum:
        before = self.by.empty(self.states * len(self.tokens)) if before is None else before
        return Sum(before, self.by.added(before, column))

    def attend(self, queries: Any, keys: Any, values: Sequence[Sum], mask: str, *rest: Any) -> list[Values]:
        return [self.by.mean(one.total if mask == "future" else one.before) for one in values]  # of nothing, zero


class Prefixes(prefixes.Prefixes):
    """The states after the positions so far."""

    def __init__(self, model: Transformer, dtype: str, n_max: int, divides_first: bool = False) -> None:
        super().__init__(model)
        self.arithmetic = Arithmetic(dtype, divides_first)
        self.domain = Position(self.arithmetic, n_max + 1, model.embedding.start)
        wanted, heads = model.live, model.sublayers[0].parts if model.sublayers else ()
        held = wanted[0] & {*model.embedding.tables, *model.embedding.places}
        rows = [zip(head.writes, head.lowered["V"], strict=True) for head in heads if isinstance(head, Head)]
        self.kept = sum(any(name in wanted[1] and held & weights.keys() for name, weights in row) for row in rows)
        """How many heads average what depends on the token and the position alone."""

    def lengths(self) -> Iterator[tuple[dict[str, Values], Callable[[int], tuple[str, ...]]]]:
        """What the readout shows at the last position of every length in turn, in all states, and a word of a state."""
        import numpy as np

        for level in self.levels():
            size, shown = len(level.origin), level.result.columns()
            if not self.model.readout.labels:
                shown = {name: shown[name] for name in (*self.model.readout.reads, *level.result.scores)}
            whole = {n: v if len(v.low) == size else v.take(np.zeros(size, dtype=int)) for n, v in shown.items()}
            yield whole, lambda state, level=level: self.word(level, state)

    def run(self, tokens: Sequence[str], origin: Array, row: Array) -> Result:
        self.domain.states = self.states
        old = tuple(tuple(one.moved(lambda _, array: array[origin]) for one in head) for head in self.sums)
        return self.passed(tokens, self.domain, old)

    def merged(self, level: Level) -> tuple[Any, Array]:
        import numpy as np

        assert level.result.memory is not None
        heads = [[one.total for one in head] for head in level.result.memory.heads]
        columns = []
        for number, head in enumerate(heads):
            for value in map(self.arithmetic.value, head):
                sign = np.select(
                    [value.low > 0, value.high < 0, (value.low == 0) & (value.high == 0)], [1.0, -1.0, 0.0], 2.0
                )
                exact = (value.low == value.high) & (value.grid > OPEN) & (number < self.kept)
                columns += [exact.astype(float), np.where(exact, value.low, sign)]
        table = np.array(columns).T if columns else np.zeros((len(level.origin), 1))
        _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(which.reshape(-1), kind="stable")
        starts = np.searchsorted(which.reshape(-1)[order], np.arange(len(first)))

        def hull(name: str, array: Array) -> Array:
            return (np.minimum if name in LEAST else np.maximum).reduceat(array[order], starts)

        return tuple(tuple(one.moved(hull) for one in head) for head in heads), first
