"""All strings of a length at once, for models with hard heads: the possible rows of the residual stream by position.

Each position begins with a row for each token. After a head, it has a row for each value that the head may retrieve. An
entry of a row is a set that contains the exact number and the results of all runtimes (`symcook.domains.rounding`). The
exact run of a string and its run in any runtime are in the same row at each position, as long as both runs attend to
the same positions. So the scores of a query at two positions must be disjoint sets, or the same exact number. The
module does not record which rows of different positions belong to one string, so some rows may belong to no string.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

from flint import arb, fmpq

from symcook.domains.ball import BallColumn, BallValue
from symcook.domains.partsteps import combine
from symcook.domains.protocol import unknown_weighting
from symcook.domains.rounding import Rounding
from symcook.domains.rowwise import visible
from symcook.errors import BadInput, NotExact, Undecided
from symcook.locks import PRECISION
from symcook.model.parts import SOFT, Mask, Sublayer
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.steps import Attend
from symcook.model.transformer import Transformer
from symcook.walk import Walk

READS = StepsRead("the run over possible values", **STEP_WORDS)

MOST = 5_000
"""The greatest number of rows, of all positions together."""
SAYS = "by what may stand at each position"
"""The name of this method in a certificate."""
RowSets = tuple[BallValue, ...]
"""The sets of numbers of several coordinates in one row."""


def outputs(model: Transformer, n: int, domain: Rounding) -> dict[str, BallColumn]:
    """{name: the sets of values that the readout shows, one for each row of each position that it reads}. `n` is the
    length of the strings with the tokens that the model adds. Raises NotExact where this method does not apply."""
    if model.normed or not model.alphabet:
        raise NotExact(
            "sets of possible values are computed only for models that read strings and have no norms", model.name
        )
    weightings = {step.weighting for sublayer in READS.of(model).sublayers for _, step in sublayer.heads}
    # A head whose output is not read counts too: its temperature may leave the string without a run.
    if weightings & {*SOFT}:
        raise NotExact(
            "sets of possible values are computed only for heads that select one position", "softmax attention"
        )
    before, after = model.embedding.ends
    typed = [model.alphabet] * (n - len(before) - len(after))
    choices = [*((token,) for token in before), *typed, *((token,) for token in after)]
    with PRECISION, domain.context():
        try:
            return _Rows(model, choices, domain).shown()
        except (Undecided, BadInput) as error:
            raise NotExact("every step must be decided for all strings at once", str(error)) from None


class _Rows(Walk):
    """One run on the rows of all positions. The domain treats rows as it treats positions; `domain.rows` has the
    position of each row."""

    domain: Any

    def __init__(self, model: Transformer, choices: Sequence[Sequence[str]], domain: Rounding) -> None:
        tokens = [(place, token) for place, there in enumerate(choices) for token in there]
        super().__init__(model, tuple(token for _, token in tokens), domain, None, trace=False)
        self.n = len(choices)
        self._known = dict[int, tuple[BallValue, BallValue]]()
        self._numbers = dict[tuple[int, int], BallValue]()
        domain.rows, domain.length = tuple(place for place, _ in tokens), self.n

    def shown(self) -> dict[str, BallColumn]:
        """The values that the readout reads, in each row of its positions, after all sublayers."""
        wanted = self.model.live
        self.embed(wanted[0])
        for step, after in zip(READS.of(self.model).sublayers, wanted[1:], strict=True):
            self.add(step, self.stream, self.stream, after)
            self.merge(after)
        at = set(range(self.n)[place] for place in self.model.readout.places(self.n))
        rows = [row for row, place in enumerate(self.domain.rows) if place in at]
        return {name: [column[row] for row in rows] for name, column in self.read().columns().items()}

    def add(self, step: Sublayer, view: Any, asking: Any, wanted: set[str]) -> None:
        """One sublayer. Where it has heads that write something, each row is replaced by a row for every combination of
        values that they may retrieve."""
        if not step.heads:
            return super().add(step, view, asking, wanted)
        names, retrieved_by_head = list[str](), list[list[list[RowSets]]]()
        for head, attends in step.heads:
            written, queries, keys, values = self.offered(head, view, asking, wanted)
            if written:
                names += written
                retrieved_by_head.append(self.chosen(attends, queries, keys, values))
        # Each new row is an old row with one retrieved value of each head, which is then added to the stream.
        extended = [
            (row, sum(entries, ()))
            for row, choices in enumerate(zip(*retrieved_by_head, strict=True))
            for entries in product(*choices)
        ]
        if not retrieved_by_head:
            return None
        self.take([row for row, _ in extended])
        for k, name in enumerate(names):
            old = [(self.stream[name], 1)] if name in self.stream else []
            self.stream[name] = combine(self.domain, [*old, ([entries[k] for _, entries in extended], 1)], 0)
        return None

    def take(self, rows: Sequence[int]) -> None:
        """Keep only these rows, in this order; NotExact for more than `MOST`."""
        if len(rows) > MOST:
            raise NotExact(f"at most {MOST:,} rows may be kept", len(rows))
        self.domain.rows = tuple(self.domain.rows[row] for row in rows)
        self.stream = {name: [column[row] for row in rows] for name, column in self.stream.items()}
        self.zero = self.domain.linear([], 0)

    def merge(self, wanted: set[str]) -> None:
        """Merge the rows of a position that agree in all coordinates that are read later."""
        self.stream = {name: list(map(self.one, column)) for name, column in self.stream.items() if name in wanted}
        entries = zip(self.domain.rows, *(map(id, column) for column in self.stream.values()), strict=True)
        self.take(list({entry: row for row, entry in enumerate(entries)}.values()))

    def one(self, x: BallValue) -> BallValue:
        """A set as an object that can be compared by its id: all sets of the same single number are one object."""
        known = self._known.get(id(x))
        if known is None:  # the set is kept too, so that its id is not reused
            known = self._known[id(x)] = x, self._one(x)
        return known[1]

    def _one(self, x: BallValue) -> BallValue:
        """The object of a set: one for each exact number, else the set itself."""
        if isinstance(x, arb):
            if not x.is_exact():
                return x
            mantissa, exponent = x.man_exp()
            x = fmpq(mantissa) * fmpq(2) ** int(exponent)
        return self._numbers.setdefault((int(x.p), int(x.q)), x)

    def chosen(
        self, head: Attend, queries: Sequence[BallColumn], keys: Sequence[BallColumn], values: Sequence[BallColumn]
    ) -> list[list[RowSets]]:
        """For each row the values that the head may retrieve. NotExact for an average without scores."""
        if head.weighting not in ("average", "leftmost", "rightmost"):
            raise unknown_weighting(head.weighting)
        if head.weighting == "average" and not queries:
            raise NotExact(
                "sets of possible values are computed only for heads that select one position", head.weighting
            )
        # For each position, its different pairs of keys and values.
        offered: list[dict[Any, tuple[RowSets, RowSets]]] = [{} for _ in range(self.n)]
        entries = zip(*(map(self.one, column) for column in (*keys, *values)), strict=True)
        for place, row in zip(self.domain.rows, entries, strict=True):
            offered[place][tuple(map(id, row))] = row[: len(keys)], row[len(keys) :]
        # Equal queries at one position retrieve the same, so each is looked up once.
        known: dict[Any, list[RowSets]] = {}
        sets_by_row = []
        for row, place in enumerate(self.domain.rows):
            query = tuple(self.one(column[row]) for column in queries)
            key = (place, *map(id, query))
            if key not in known:
                sees = visible(Mask(head.mask), place, self.n)
                nothing = [(self.domain.nothing,) * len(values)]
                known[key] = self.brought(head.weighting, query, sees, offered) if sees else nothing
            sets_by_row.append(known[key])
        return sets_by_row

    def brought(
        self, weighting: str, query: RowSets, sees: range, offered: Sequence[dict[Any, tuple[RowSets, RowSets]]]
    ) -> list[RowSets]:
        """The sets of values that one query may retrieve from the positions that it sees. `offered` has, for each
        position, its possible (key, values). NotExact where scores overlap that need not be equal."""
        domain = self.domain
        # Without scores, the head retrieves from the first or last position seen.
        if not query:
            sees = sees[:1] if weighting == "leftmost" else sees[-1:]

        def score(key: RowSets) -> arb:
            """The set of scores of a key; 0 without a query."""
            return arb(domain.total([domain.times(q, k) for q, k in zip(query, key, strict=True)])) if query else arb(0)

        # For each position seen, its candidates (position, score, values).
        scored = [[(j, score(key), entries) for key, entries in offered[j].values()] for j in sees]
        # Whichever rows a string has, some position has a score of at least `least`, so a lower score is never chosen.
        least = max(min(a.lower() for _, a, _ in candidates) for candidates in scored)
        best = [candidate for candidates in scored for candidate in candidates if not candidate[1] < least]
        # Two rows at different positions whose scores overlap must have the same exact score: then both may be chosen.
        tied: dict[int, set[int]] = {k: {candidate[0]} for k, candidate in enumerate(best)}
        for (k, (i, a, x)), (m, (j, b, y)) in combinations(enumerate(best), 2):
            if i == j or a < b or b < a:
                continue
            if not (a.is_exact() and b.is_exact()):
                raise NotExact(
                    "the scores of a query at two positions must be different for all strings", "two that may be equal"
                )
            if weighting == "average" and (x != y or any(isinstance(value, arb) for value in (*x, *y))):
                raise NotExact("positions with equal scores must have equal values", "different values")
            tied[k].add(j)
            tied[m].add(i)
        results: dict[Any, RowSets] = {}
        for k, (_, _, entries) in enumerate(best):
            # The mean of m equal values is that value, but a runtime may round the sum differently for each m.
            for tie_count in range(1, (len(tied[k]) if weighting == "average" else 1) + 1):
                means = tuple(self.one(domain.mean([value] * tie_count)) for value in entries)
                results[tuple(map(id, means))] = means
        return list(results.values())
