"""One forward pass of a model in a number system, sublayer by sublayer, without looking into the values of columns.

A `Walk` takes a model, an input and a number system (`symcook.domains.protocol.Domain`), and returns a `Result`: the
residual stream, the readout's scores and its verdicts. A column is the values of a coordinate at all positions.
Coordinates that are zero by construction are never computed. Without a trace, positions that the readout does not need
are not computed if the number system allows it.

Source: Cookbook, Definitions 2.1 to 2.3 and Section 2.2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Any, Generic, NamedTuple, TypeGuard, TypeVar, cast

from symcook.domains.partsteps import TermsAndBias, columns_of, combine, head_of, row, terms_of
from symcook.domains.protocol import (
    TEMPERATURE,
    Coefficient,
    Column,
    Domain,
    Follows,
    Rounded,
    Value,
    Verdict,
    Verdicts,
)
from symcook.errors import BadInput, Undecided
from symcook.model.expr import Tree
from symcook.model.parts import SOFT, Part, SelfAttention, Sublayer
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.steps import Attend, ByDistance, Products, attention, unknown_step
from symcook.model.symbols import lowered, to_sympy
from symcook.model.transformer import Transformer

READS = StepsRead("the forward pass", **STEP_WORDS)


def rounds(
    domain: Domain[Column, Value, Verdicts, Verdict],
) -> TypeGuard[Rounded[Column, Value, Verdicts, Verdict]]:
    """Whether the operations of a domain round. (`isinstance` would take a tenth of the time of a short run.)"""
    return hasattr(domain, "rounding")


def follows(
    domain: Domain[Column, Value, Verdicts, Verdict],
) -> TypeGuard[Follows[Column, Value, Verdicts, Verdict]]:
    """Whether a domain can leave positions out, and can continue a pass after its last position."""
    return hasattr(domain, "resume")


@cache
def position_from_zero(start: int) -> Coefficient:
    """The position counted from 0, as a term in i; `start` is the number of the first one."""
    return lowered(("i", "i - 1")[start])


NO_MEMORY = "a number system that cannot leave positions out has no memory to read"
"""The message of a defect: an operation of `Follows` was needed in another number system."""


@dataclass(frozen=True)
class Snapshot(Generic[Column]):
    """The residual stream after a sublayer, for traces."""

    layer: int
    part: str
    """The kind of the sublayer, or "embedding"."""
    columns: Mapping[str, Column]
    """The coordinates that are not zero by construction; all coordinates in a dense pass (`symcook.dense`)."""
    attention: tuple[tuple[Column, ...], ...] = ()
    """For each head the weights: a column for each key position; () for a head that writes nothing."""


@dataclass(frozen=True)
class Memory(Generic[Column]):
    """What a pass over the first positions leaves for a pass over later positions."""

    seen: int = 0
    """The number of these positions."""
    heads: tuple[tuple[Column, ...], ...] = ()
    """For each head that writes, in order: its keys and then its values at these positions."""
    result: Result | None = None
    """The result of their pass: a readout at the first or at all positions needs its verdicts and columns."""


@dataclass(frozen=True)
class Result(Generic[Column, Value, Verdicts, Verdict]):
    """The end of a forward pass.

    If the readout reads one position, nothing is traced, and the domain can leave positions out, columns have one
    entry, that of `place`.
    """

    model: Transformer
    sequence: Any
    """The input as the domain takes it."""
    domain: Domain[Column, Value, Verdicts, Verdict]
    stream: Mapping[str, Column]
    """The residual stream after the last layer, by coordinate."""
    scores: Mapping[str, Column]
    """The scores by label: ``logit`` for a sign readout, probabilities for a distribution."""
    verdicts: Verdicts | None
    """At each position the verdict, or for a readout of kind largest or groups the index of the label; None for a
    readout of values or of a distribution."""
    steps: tuple[Snapshot[Column], ...]
    """The trace; empty without one."""
    bounded: Result | None = None
    """For a domain that rounds: the same pass in sets that contain all values that rounding may give."""
    bound: Callable[[Result], Result] | None = None
    """The function that computes `bounded` when it is needed."""
    memory: Memory[Column] | None = None
    """For a pass over later positions; None for a pass over a whole input."""

    @property
    def place(self) -> int:
        """The index in columns that the readout reads; the last one for a readout at each or all positions."""
        return self.model.readout.shown

    @property
    def places(self) -> Sequence[int]:
        """The indices in columns that the readout reads, and whose answers count."""
        readout = self.model.readout
        return readout.counted(self.sequence, self.everywhere) if readout.everywhere else [self.place]

    @property
    def everywhere(self) -> Sequence[int]:
        """All indices of columns."""
        return self.domain.places_of(next(iter(self.stream.values())))

    @property
    def answered(self) -> Sequence[int]:
        """The indices of the readout's answers: `places` for a readout at each position, else `place` alone."""
        return self.places if self.model.readout.each else [self.place]

    @property
    def accept(self) -> Verdict | None:
        """The verdict; None if it is undecided, or if the model decides nothing."""
        if self.verdicts is None or not self.model.decides:
            return None
        return self.model.readout.verdict(self.domain, self.verdicts)

    @property
    def answers(self) -> list[Verdict]:
        """The readout's answers at `answered`: verdicts or indices of labels; [] for a readout of values."""
        return [] if self.verdicts is None else self._answers(self.verdicts)

    def _answers(self, verdicts: Verdicts) -> list[Verdict]:
        """The answers by these verdicts, which may be those of another pass."""
        readout, domain = self.model.readout, self.domain
        return (
            [domain.verdict(verdicts, at) for at in self.places]
            if readout.each
            else [readout.verdict(domain, verdicts)]
        )

    @cached_property
    def reliable(self) -> bool | None:
        """Whether the answer is known to be the exact one: its margin is above the rounding bound of the domain's
        arithmetic (`symcook.domains.rounding`). In a domain that does not round: whether every answer is decided. None
        for a readout of values or of a distribution."""
        if self.verdicts is None or not rounds(self.domain):
            return None if self.verdicts is None else None not in self.answers
        try:
            if (bounded := self.bounded) is None:
                if self.bound is None:
                    raise RuntimeError("a pass that rounds must know the pass that bounds it")
                bounded = self.bound(self)
            bounded_verdicts: Any = bounded.verdicts
        except (Undecided, BadInput):  # a choice of a head is undecided, or whether there is a run at all
            return False
        return None not in self._answers(self.domain.agreeing(self.verdicts, bounded_verdicts))

    def label(self, place: int) -> str | None:
        """The label of the largest score at an index; None if it is undecided, or for a readout without verdicts."""
        index: Any = None if self.verdicts is None else self.domain.verdict(self.verdicts, place)
        return None if index is None else self.model.readout.label(int(index))

    def columns(self) -> dict[str, Column]:
        """The columns that the readout shows: the coordinates that it reads and its logit, or the scores by label."""
        if self.model.readout.labels:
            return dict(self.scores)
        return {name: self.stream[name] for name in self.model.readout.reads} | dict(self.scores)

    @property
    def watched(self) -> dict[str, Column]:
        """The columns that determine the answer: the logit, the scores by label, or else the coordinates read."""
        return dict(self.scores) or self.columns()

    def values(self, place: int | None = None) -> dict[str, Value]:
        """The values of `columns` at one index (by default the readout's)."""
        at = self.place if place is None else place
        return {name: self.domain.read(column, at) for name, column in self.columns().items()}


class Walk(Generic[Column, Value, Verdicts, Verdict]):
    """One forward pass. `stream` has the coordinates that are not zero everywhere by construction."""

    def __init__(
        self,
        model: Transformer,
        sequence: object,
        domain: Domain[Column, Value, Verdicts, Verdict],
        after: Memory[Column] | None,
        trace: bool,
    ) -> None:
        """Begin the pass in the domain: over the whole input or, with `after`, over the positions that `after` has not
        seen."""
        self.model, self.sequence, self.domain, self.trace, self.after = model, sequence, domain, trace, after
        self.embedding, self.sublayers = model.embedding, READS.of(model).sublayers
        self.heads: list[tuple[Column, ...]] = []
        if after is None:
            domain.begin(_lowered(sequence), self.embedding.start)
        else:
            if not follows(domain):
                raise RuntimeError(NO_MEMORY)
            domain.resume(_lowered(sequence), self.embedding.start, after.seen)
            self.seen = after.seen + len(domain.indices())
        self.zero = domain.linear([], 0)
        self.stream: dict[str, Column] = {}
        self.steps: list[Snapshot[Column]] = []
        self.weights: list[tuple[Column, ...]] = []
        """The attention weights of the heads since the last step of the trace."""
        self.before_cut: dict[int, Offers] = {}
        """What heads offer that was computed before the stream was cut to the readout's position, by their identity."""

    def result(self, answers: bool, most_weights: int) -> Result[Column, Value, Verdicts, Verdict]:
        """The result of the pass. Without `answers` it stops when only the readout's answers remain to be computed."""
        # `last` is the step from which on only the readout's position is needed. A silent pass stops there: it computes
        # only the keys and values that later positions read.
        silent, self.most_weights = not answers and not self.trace, most_weights
        check_temperatures(self.model, self.domain)
        wanted = self.model.live
        self.embed(set(self.model.space) if self.trace else wanted[0])
        self.step(0, "embedding")
        last = self.last_needed()
        if last == 0:
            self.narrow({})
        for place, (step, after) in enumerate(zip(self.sublayers, wanted[1:], strict=True), 1):
            if silent and last is not None and place > last:
                break
            view = self.view(step)
            # Only the keys and values of this step are still needed; a domain that gathers makes them in attention.
            if silent and place == last:
                compute = self.attention if getattr(self.domain, "gathers", False) else self.offered
                for part in step.parts:
                    if attention(part.steps):
                        compute(part, view, view, after)
                break
            asking = view
            if place == last:
                # Keys and values have all positions. So they are made before the cut: it would leave one entry of a
                # column that depends on the position alone, or is constant.
                heads = [part for part in step.parts if attention(part.steps)]
                self.before_cut = {id(head): self.offers(head, view, after) for head in heads}
                asking = self.narrow(view)
            self.add(step, view, asking, set(self.model.space) if self.trace else after)
            if step.after is not None:
                self.overwrite(step.after)
            self.step(step.layer if step.block is not None else len(self.model.layers), step.kind)
        # The last norm may refuse some position: all positions were needed up to the end.
        if last is not None and last > len(self.sublayers):
            self.narrow({})
        if silent and last is not None:
            return self.ended({}, {}, None)
        return self.read()

    def last_needed(self) -> int | None:
        """The number of the last step that needs all positions before its block, for attention or a norm that may
        refuse.

        From its block on only the readout's position is needed. A norm after a block that may refuse makes the next
        step count. 0 if there is no such step; one more than the number of steps if the last norm may refuse. None if
        all positions are needed to the end, or the domain cannot leave any out.
        """
        if self.trace or self.model.readout.everywhere or not follows(self.domain):
            return None
        last = 0
        for place, step in enumerate(self.sublayers, 1):
            if isinstance(step.block, SelfAttention) or any(norm.refuses for norm in step.before):
                last = place
            if step.after is not None and step.after.refuses:
                last = place + 1
        return last

    def narrow(self, view: Mapping[str, Column]) -> Mapping[str, Column]:
        """Cut the stream to the readout's position; return the view cut in the same way."""
        asking = self.cut(view)
        self.stream = dict(asking) if view is self.stream else self.cut(self.stream)
        self.zero = self.domain.linear([], 0)
        return asking

    def cut(self, columns: Mapping[str, Column]) -> dict[str, Column]:
        """The columns, cut to the readout's position."""
        if not follows(self.domain):
            raise RuntimeError(NO_MEMORY)
        return dict(zip(columns, self.domain.narrow(list(columns.values()), self.model.readout.place), strict=True))

    def step(self, layer: int, part: str) -> None:
        """Record the stream after a sublayer, if the pass is traced."""
        if self.trace:
            self.steps.append(Snapshot(layer, part, dict(self.stream), tuple(self.weights)))
            self.weights = []

    @cached_property
    def units(self) -> list[Column]:
        """For each position the column that is 1 at this position and 0 elsewhere. The averages of these columns by a
        head are its weights. Empty if no weights are recorded."""
        return self.domain.units(self.most_weights) if self.trace else []

    def embed(self, wanted: set[str]) -> None:
        """Put the wanted coordinates of the embedding into the stream."""
        embedding, domain = self.embedding, self.domain
        for name in self.model.space:
            if name not in wanted:
                continue
            terms: list[tuple[Column, Coefficient]] = []
            if name in embedding.tables:
                terms.append((domain.embed(embedding.tables[name]), 1))
            elif embedding.inputs is not None and name in embedding.inputs:
                terms.append((domain.input(name), 1))
            if name in embedding.places:
                terms.append((domain.positions(embedding.places[name]), 1))
            if terms:
                self.stream[name] = combine(domain, terms, 0)

    def normalised(self, norm: Part) -> dict[str, Column]:
        """The output columns of a norm of the stream."""
        return self.once(norm, self.stream, norm.reads, lambda: self._normalised(norm))

    def _normalised(self, norm: Part) -> dict[str, Column]:
        """Compute the output of a norm of the stream."""
        columns = columns_of(norm, norm.steps)(self.domain, self.stream)
        return dict(zip(norm.writes, columns.values(), strict=True))

    def overwrite(self, norm: Part) -> None:
        """Replace the coordinates that a norm writes."""
        self.stream.update(self.normalised(norm))

    def once(
        self, block: object, view: Mapping[str, Column], reads: Sequence[str], compute: Callable[[], Found]
    ) -> Found:
        """The output of a block, `compute()`.

        When positions are run one by one, a domain that `recalls` computes it once for positions with the same entries
        in the coordinates `reads`.
        """
        if self.after is None or self.trace or not getattr(self.domain, "recalls", False):
            return compute()
        domain: Any = self.domain
        return domain.recalled((self.model, block), [view[name] for name in reads if name in view], compute)

    def view(self, step: Sublayer) -> Mapping[str, Column]:
        """The columns that a block reads: the stream, or the outputs of its norms."""
        if not step.before:
            return self.stream
        return {name: column for norm in step.before for name, column in self.normalised(norm).items()}

    def add(self, step: Sublayer, view: Mapping[str, Column], asking: Mapping[str, Column], wanted: set[str]) -> None:
        """Add the outputs of a block to the stream, after all of them have been computed from one view.

        `view` has all positions, for keys and values. `asking` is the view at the positions of the stream, for queries
        and feed-forward layers.
        """
        added: list[Added[Column]] = []
        for part in step.parts:
            if attention(part.steps):
                added += self.attention(part, view, asking, wanted)
            else:
                added += self.once(part, asking, part.reads, partial(self.pointwise, part, asking, wanted))
        for name, (terms, bias) in added:
            old: list[tuple[Column, Coefficient]] = [(self.stream[name], 1)] if name in self.stream else []
            self.stream[name] = combine(self.domain, [*old, *terms], bias)

    def attention(
        self, head: Part, view: Mapping[str, Column], asking: Mapping[str, Column], wanted: set[str]
    ) -> list[Added[Column]]:
        """The outputs of a head, by coordinate."""
        written, queries, keys, values = self.offered(head, view, asking, wanted)
        if not written:
            self.weights += [()] if self.units else []
            return []
        functions = head_of(head, _indices(head, wanted))
        rule = functions.mask, functions.weighting, head.lowered["factor"]
        outputs = self.domain.attend(queries, keys, values, *rule)
        if self.units:  # computed separately from the values, so that a trace does not change how these are rounded
            self.weights.append(tuple(self.domain.attend(queries, keys, self.units, *rule)))
        return [(name, ([(column, 1)], 0)) for name, column in zip(written, outputs, strict=True)]

    def offered(
        self, head: Part, view: Mapping[str, Column], asking: Mapping[str, Column], wanted: set[str]
    ) -> tuple[list[str], list[Column], Sequence[Column], Sequence[Column]]:
        """The coordinates that a head writes, its queries, its keys, and its values (a column for each coordinate).

        Keys and values include those of positions of an earlier pass.
        """
        domain, functions = self.domain, head_of(head, _indices(head, wanted))
        written, asked, keys, values = self.before_cut.pop(id(head), None) or self.offers(head, view, wanted)
        if not written:
            return [], [], [], []
        cut: dict[int, TermsAndBias[Column]]
        if asking is not view:
            cut = functions.queries(domain, asking)
            asked = {d: cut[d] for d in asked}
        queries = [combine(domain, terms, bias) for terms, bias in asked.values()]
        if functions.per_position != 0:
            queries.append(domain.linear([], 1))
        keys_and_values = (keys, values) if self.after is None else self.remembered(self.after, keys, values)
        return written, queries, keys_and_values[0], keys_and_values[1]

    def offers(self, head: Part, view: Mapping[str, Column], wanted: set[str]) -> Offers:
        """What a head offers at all positions of this pass: keys and values, and the queries there as terms."""
        domain, functions = self.domain, head_of(head, _indices(head, wanted))
        rows = functions.values(domain, view)
        rows = {k: sum_ for k, sum_ in rows.items() if _filled(sum_)}
        if not rows:
            return Offers([], {}, [], [])
        # A query or a key that is zero adds 0 to every score.
        asked, offered = functions.queries(domain, view), functions.keys(domain, view)
        asked = {d: query for d, query in asked.items() if _filled(query) and _filled(offered[d])}
        keys = [combine(domain, *offered[d]) for d in asked]
        values = [combine(domain, *sum_) for sum_ in rows.values()]
        if functions.per_position != 0:
            # A query of 1 and a key that grows with the position make slope (j - i), up to a number that is the same
            # for all scores of a row.
            keys.append(domain.linear([(domain.positions(self.index), functions.per_position)], 0))
        return Offers([head.writes[k] for k in rows], asked, keys, values)

    @property
    def index(self) -> Coefficient:
        """The position as a term in i, counted from 0."""
        return position_from_zero(self.embedding.start)

    def remembered(
        self, after: Memory[Column], keys: list[Column], values: list[Column]
    ) -> tuple[Sequence[Column], Sequence[Column]]:
        """The keys and values of an earlier pass, joined with those of this pass; both are recorded for later
        passes."""
        if not follows(self.domain):
            raise RuntimeError(NO_MEMORY)
        new, join = (*keys, *values), self.domain.joined
        old = after.heads[len(self.heads)] if after.heads else [None] * len(new)
        columns = tuple(join(before, column) for before, column in zip(old, new, strict=True))
        self.heads.append(columns)
        return columns[: len(keys)], columns[len(keys) :]

    def pointwise(self, part: Part, view: Mapping[str, Column], wanted: set[str]) -> list[Added[Column]]:
        """The outputs of a part that computes each position by itself, by coordinate."""
        domain, rows = self.domain, terms_of(part, part.steps, _indices(part, wanted))
        added = [(part.writes[k], sum_) for k, sum_ in rows(domain, view).items() if _filled(sum_)]
        if self.after is not None and getattr(domain, "recalls", False):
            return [(name, ([(combine(domain, *sum_), 1)], 0)) for name, sum_ in added]
        return added

    def read(self) -> Result[Column, Value, Verdicts, Verdict]:
        """The end of the pass: the readout's scores and verdicts."""
        readout, domain = self.model.readout, self.domain
        scores = self.once(readout, self.stream, readout.reads, self.scores)
        full = self.full()
        verdicts = readout.verdicts(domain, [full[name] for name in readout.reads], list(scores.values()))
        if readout.normalized:
            scores = dict(zip(scores, domain.distribution(list(scores.values())), strict=True))
        return self.ended(full, scores, verdicts)

    def full(self) -> Mapping[str, Column]:
        """The stream with all coordinates; those that nothing has written are zero."""
        return {name: self.stream.get(name, self.zero) for name in self.model.space}

    def scores(self) -> dict[str, Column]:
        """The scores of the readout, by label."""
        readout = self.model.readout
        named = zip(readout.labels or ("logit",), readout.rows, strict=False)
        return {label: combine(self.domain, row(weights, self.stream), 0) for label, weights in named}

    def ended(
        self, full: Mapping[str, Column], scores: Mapping[str, Column], verdicts: Verdicts | None
    ) -> Result[Column, Value, Verdicts, Verdict]:
        """The result of the pass, joined with that of an earlier pass if there is one."""
        if self.after is not None and self.after.result is not None:
            full, scores, verdicts = self.behind(self.after.result, full, scores, verdicts)
        steps, memory = tuple(self.steps), self.after and Memory(self.seen, tuple(self.heads))
        return Result(self.model, self.sequence, self.domain, full, scores, verdicts, steps, memory=memory)

    def behind(
        self,
        before: Result[Column, Value, Verdicts, Verdict],
        full: Mapping[str, Column],
        scores: Mapping[str, Column],
        verdicts: Verdicts | None,
    ) -> tuple[Mapping[str, Column], Mapping[str, Column], Verdicts | None]:
        """Stream, scores and verdicts for the readout, joined with those of an earlier pass (`before`).

        A readout at the first position keeps those of the earlier pass, a readout at the last one those of this pass.
        """
        if self.model.readout.first:
            return before.stream, before.scores, before.verdicts
        if self.model.readout.last:
            return full, scores, verdicts
        if not self.model.readout.everywhere:
            raise BadInput(
                "a run that goes on position by position must be of a model that answers at the first or last "
                "position, at each or at all",
                f"a readout {self.model.readout.where}",
                "run the whole string",
            )
        if not follows(self.domain):
            raise RuntimeError(NO_MEMORY)
        join = self.domain.joined
        read = {name: join(before.stream[name], full[name]) for name in self.model.readout.reads}
        joined_scores = {name: join(before.scores[name], column) for name, column in scores.items()}
        if before.verdicts is not None and verdicts is not None:
            verdicts = self.domain.joined_verdicts(before.verdicts, verdicts)
        return read, joined_scores, verdicts


Found = TypeVar("Found")
Added = tuple[str, TermsAndBias[Column]]
"""A coordinate, and what is added to it."""


class Offers(NamedTuple):
    """What a head offers at all positions: the coordinates that it writes, its queries there by index as terms, its
    keys and its values."""

    written: Any
    asked: Any
    keys: Any
    values: Any


def _indices(part: Part, wanted: Collection[str]) -> tuple[int, ...]:
    """The indices of the coordinates that a part writes and that are wanted."""
    return tuple(k for k, name in enumerate(part.writes) if name in wanted)


def _filled(terms_and_bias: TermsAndBias[Column]) -> bool:
    """Whether a sum has a term or a bias; any other one is zero."""
    return bool(terms_and_bias[0]) or terms_and_bias[1] != 0


def _lowered(sequence: object) -> object:
    """The input as a domain takes it: the numbers in rows of inputs are lowered; any other input is unchanged."""
    if isinstance(sequence, tuple) and sequence and isinstance(sequence[0], Mapping):
        return tuple({name: lowered(value) for name, value in row.items()} for row in sequence)
    return sequence


def check_temperatures(model: Transformer, domain: Domain) -> None:
    """Raise NoRun if a temperature that is not a rational number, such as one with i or n in it, is not positive at
    some position of the domain's input."""
    # Every pass comes here, so the terms are found once for each model.
    if "temperatures" not in model.kept:
        model.kept["temperatures"] = tuple(_temperatures(model))
    for temperature in model.kept["temperatures"]:
        domain.require_positive(temperature, TEMPERATURE)


def may_lack_runs(model: Transformer) -> bool:
    """Whether an input may have no run: a norm may refuse it, or a temperature is not seen to be positive."""
    if any(norm.refuses for step in READS.of(model).sublayers for norm in (*step.before, step.after) if norm):
        return True
    return not all(to_sympy(cast("Tree", one), model.symbols).is_positive for one in _temperatures(model))


def _temperatures(model: Transformer) -> Iterator[Coefficient]:
    """The temperatures of softmax attention that are no rational numbers."""
    for head, step in (head for sublayer in READS.of(model).sublayers for head in sublayer.heads):
        match step:
            case Attend(
                Products(_, _, _, temperature) | ByDistance(Products(_, _, _, temperature), _), _, _, weighting
            ):
                if weighting in SOFT and not isinstance(head.lowered[temperature], Fraction):
                    yield head.lowered[temperature]
            case unknown:
                unknown_step("the forward pass", unknown)
