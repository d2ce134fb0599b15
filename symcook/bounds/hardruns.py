"""Exact runs of a hard-attention model on strings of one length: its residual streams, and the scores of each head.

`runs` returns for one length the smallest score gap of each head, whether its scores are tied, and the largest sizes of
its queries, keys and values. `symcook.bounds.hardsoft` computes temperatures from these data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeVar

from flint import fmpq

from symcook.bounds.arguments import entry
from symcook.bounds.growth import rows_of, score_form
from symcook.domains.ball import BallColumn, BallColumns, BallDomain, BallValue
from symcook.domains.protocol import Coefficient
from symcook.errors import BadInput, NotExact
from symcook.forward import Snapshot, forward
from symcook.model.parts import Head, Mask, SelfAttention
from symcook.model.reads import PartsRead
from symcook.model.transformer import Transformer
from symcook.words import Word

READS = PartsRead("the record of hard heads")

ZERO = fmpq(0)
Stream = TypeVar("Stream")
Met = tuple[fmpq | None, bool]
"""For a head in one run: (the smallest gap of its scores, whether some maximum is tied)."""
Sparse = list[tuple[int, int, Fraction]]
"""The nonzero entries of a matrix: (row, column, value)."""


def sparse(rows: Sequence[Sequence[Fraction]]) -> Sparse:
    """The nonzero entries of a matrix."""
    return [(r, c, value) for r, row in enumerate(rows) for c, value in enumerate(row) if value]


class HeadPlace(NamedTuple):
    """A head with its layer and number, both from 1."""

    layer: int
    number: int
    head: Head

    def __str__(self) -> str:
        return f"layer {self.layer} head {self.number}"


def head_places(model: Transformer) -> list[HeadPlace]:
    """The heads in order."""
    return [
        HeadPlace(layer, number, head)
        for layer, layer_parts in enumerate(READS.of(model).layers, 1)
        for number, head in enumerate(layer_parts.attention.heads if layer_parts.attention else (), 1)
    ]


@dataclass
class HeadSizes:
    """Data of a head over all strings of a length."""

    gap: tuple[fmpq, str] | None = None
    """The smallest difference between a maximum score and another score of its row, with the string; None if all scores
    of each row are equal."""
    tied: str | None = None
    """The first string in which a row has two maximum scores."""
    queries: list[fmpq] = field(default_factory=list)
    """For each coordinate that the head reads, the largest |x M|, where M = scale Q^T K and x is a query position. Like
    `keys` and `ranges` it is empty if the head was left out of all runs, since its values are zero."""
    keys: list[fmpq] = field(default_factory=list)
    """For each coordinate that the head reads, the largest |M z|, where z is a key position."""
    ranges: list[fmpq] = field(default_factory=list)
    """For each coordinate that the head writes, the largest difference of two values in a string."""
    apart: fmpq = ZERO
    """The largest L1 distance of two values in a string."""


@dataclass
class HardRuns:
    """The runs of the strings of one length."""

    n: int
    """The number of input symbols."""
    words: list[Word]
    """The strings that were run."""
    ends: list[dict[str, list[fmpq]]]
    """For each of these strings, the residual stream at the end: coordinate -> its value at each position."""
    greatest: list[fmpq]
    """The largest absolute entry before each layer (first that of the embeddings), then the one at the end."""
    heads: dict[tuple[int, int], HeadSizes]
    """(layer, number) of a head -> its data."""
    logits: list[fmpq] | None = None
    """If `words` has only some of the strings (`symcook.bounds.hardgroups`): logits that include the largest and the
    smallest one of all strings on either side of 0; empty unless the readout is by a sign. Else None."""


class _RecordingDomain(BallDomain):
    """The ball domain, which computes with rationals as long as it can, faster than the exact domain. It records for
    each head the smallest gap of its scores, and whether some are tied."""

    sifts = False  # all scores are needed for the gap

    def __init__(self) -> None:
        super().__init__()
        self.met: list[Met] = []
        """The record of each head of the present run, in order."""

    def attend(
        self,
        queries: BallColumns,
        keys: BallColumns,
        values: BallColumns,
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> list[BallColumn]:
        """Attention, with a new record for the head. Without queries all scores are equal: tied if some row sees two
        positions."""
        tied = not queries and self.length > (1 if mask.here else 2)
        self.met.append((None, tied))
        return super().attend(queries, keys, values, mask, weighting, factor)

    def best(self, scores: Sequence[BallValue], weighting: str, i: int, first: int) -> Sequence[int]:
        """The positions of the maximum; updates the record of the head."""
        rationals = [score for score in scores if isinstance(score, fmpq)]
        if len(rationals) < len(scores):
            raise NotExact(
                "every attention score must be rational", f"one at position {i}", "give a model with rational scores"
            )
        top = max(rationals)
        gap, tied = self.met[-1]
        for score in rationals:
            if score != top and (gap is None or top - score < gap):
                gap = top - score
        self.met[-1] = gap, tied or rationals.count(top) > 1
        return super().best(scores, weighting, i, first)


def runs(model: Transformer, n: int, words: Iterable[Word], tick: Callable[[], None] | None = None) -> HardRuns:
    """The exact runs of `words`, of `n` input symbols each. BadInput if a value is irrational. `tick` is called after
    each string."""
    places = head_places(model)
    tables = {place: _HeadWeights(place.head) for place in places}
    hard_runs = HardRuns(n, [], [], [ZERO] * (len(model.layers) + 1), {place[:2]: HeadSizes() for place in places})
    domain = _RecordingDomain()
    for word in words:
        domain.met = []
        try:
            result = forward(model, model.tokens(word), domain, trace=True, weights=False)
            word_text = model.embedding.written(word)
            _record_run(model, tables, result.steps, domain.met, word_text, hard_runs)
        except NotExact as error:
            must = "the values of an average-hard model must be rational"
            raise BadInput(
                must,
                f"{error}, at the string {model.embedding.written(word)}",
                "give a model that is defined on every string",
            ) from None
        hard_runs.words.append(word)
        hard_runs.ends.append(_all_rational(result.steps[-1].columns))
        if tick is not None:
            tick()
    return hard_runs


def _all_rational(columns: Mapping[str, BallColumn]) -> dict[str, list[fmpq]]:
    """The residual stream itself; NotExact if a value is irrational."""
    rational_columns = {name: [x for x in column if isinstance(x, fmpq)] for name, column in columns.items()}
    for name, column in columns.items():
        if len(rational_columns[name]) < len(column):
            raise NotExact(
                "a value of the residual stream must be rational", f"one of {name}", "give a model with rational values"
            )
    return rational_columns


def entered(model: Transformer, streams: Sequence[Stream]) -> Iterator[tuple[int, Stream]]:
    """(index of a layer from 0, the residual stream before it) for each layer, and (number of layers, the stream at the
    end). `streams` are those of a traced run: one before each sublayer, then the one at the end."""
    layer = 0
    for step, before in zip(READS.of(model).sublayers, streams, strict=False):
        if step.layer != layer:
            layer = step.layer
            yield layer - 1, before
    yield len(model.layers), streams[-1]


def flint_of(value: Fraction) -> fmpq:
    """A Fraction as a number of flint."""
    return fmpq(value.numerator, value.denominator)


class _HeadWeights:
    """The nonzero entries of the matrices M = scale Q^T K (`form`) and V (`values`) of a head, and its scale."""

    def __init__(self, head: Head) -> None:
        scale = Fraction(1) if head.uniform else entry(head.scale)
        self.scale = scale
        self.form = [(r, c, flint_of(scale * value)) for r, c, value in sparse(score_form(head))]
        self.values = [(r, c, flint_of(value)) for r, c, value in sparse(rows_of(head.V))]


def _record_run(
    model: Transformer,
    tables: Mapping[HeadPlace, _HeadWeights],
    steps: Sequence[Snapshot[BallColumn]],
    met: Sequence[Met],
    word: str,
    totals: HardRuns,
) -> None:
    """Update `totals` with one run: the largest entries, and for each head its gap, ties and sizes. `met` has the
    records of the heads that the forward pass ran."""
    records = iter(met)
    # The largest entry before each layer.
    streams = [_all_rational(step.columns) for step in steps]
    for layer, before in entered(model, streams):
        totals.greatest[layer] = max(totals.greatest[layer], _largest_entry(before))
    # Each head, in the order of the records.
    for step, before in zip(READS.of(model).sublayers, streams, strict=False):
        if isinstance(step.block, SelfAttention):
            for number, head in enumerate(step.block.heads, 1):
                sizes, weights = totals.heads[step.layer, number], tables[HeadPlace(step.layer, number, head)]
                if not any(head.reads[c] in before for _, c, _ in weights.values):
                    continue  # all values are zero: the forward pass leaves the head out, so that it has no record
                gap, tied = next(records)
                # Scores were compared without the scale.
                if gap is not None:
                    gap = gap * flint_of(weights.scale)
                    if sizes.gap is None or gap < sizes.gap[0]:
                        sizes.gap = gap, word
                if tied and sizes.tied is None:
                    sizes.tied = word
                _update_sizes(sizes, head, weights, _rows_read(head, before))


def _largest_entry(columns: Mapping[str, Sequence[fmpq]]) -> fmpq:
    """The largest absolute entry."""
    return max((abs(x) for column in columns.values() for x in column), default=ZERO)


def _rows_read(head: Head, columns: Mapping[str, Sequence[fmpq]]) -> list[tuple[fmpq, ...]]:
    """The rows of coordinates that a head reads, over all positions, each different row once."""
    length = len(next(iter(columns.values())))
    columns_read = [columns.get(name, [ZERO] * length) for name in head.reads]
    return list(dict.fromkeys(zip(*columns_read, strict=True)))


def _update_sizes(sizes: HeadSizes, head: Head, weights: _HeadWeights, rows: Sequence[Sequence[fmpq]]) -> None:
    """Update `sizes` with one run, of which the head reads `rows`: the largest |x M| and |M z|, and the differences of
    values."""
    if not sizes.ranges:
        sizes.ranges = [ZERO] * len(head.writes)
        sizes.queries, sizes.keys = [ZERO] * len(head.reads), [ZERO] * len(head.reads)
    # For each position: the query side x M, the key side M z, and the value.
    values = []
    for row in rows:
        query_side, key_side, value = [ZERO] * len(row), [ZERO] * len(row), [ZERO] * len(head.writes)
        for a, b, m in weights.form:
            query_side[b] += row[a] * m
            key_side[a] += m * row[b]
        for w, k, v in weights.values:
            value[w] += v * row[k]
        sizes.queries = [max(x, abs(y)) for x, y in zip(sizes.queries, query_side, strict=True)]
        sizes.keys = [max(x, abs(y)) for x, y in zip(sizes.keys, key_side, strict=True)]
        values.append(value)
    # By coordinate, and in the L1 norm between any two positions.
    for w, column in enumerate(zip(*values, strict=True)):
        sizes.ranges[w] = max(sizes.ranges[w], max(column) - min(column))
    for k, first_value in enumerate(values):
        for second_value in values[:k]:
            distance = sum((abs(x - y) for x, y in zip(first_value, second_value, strict=True)), ZERO)
            sizes.apart = max(sizes.apart, distance)
