"""The one forward pass: every domain runs through `forward`, which never looks at what a column holds.

Source: Cookbook, Definitions 2.1 to 2.3 and Section 2.2.3.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symcook.blocks import FeedForward, Head, Transformer
from symcook.errors import BadInput, Undecided, unknown
from symcook.protocol import Column, Domain, Verdict
from symcook.symbols import from_sympy, symbol

DOMAINS = {
    "symbolic": "symcook.domains.symbolic:Symbolic",
    "exact": "symcook.domains.exact:Exact",
    "batch": "symcook.domains.batch:Batch",
    "ball": "symcook.domains.ball:Ball",
    "float64": "symcook.domains.floats:Float64",
}
RUNNABLE = ("exact", "ball", "float64")
"""The domains that run one input to numbers."""


@dataclass(frozen=True)
class Step:
    """What stood in the residual stream after a part of a layer: for traces."""

    layer: int
    part: str
    columns: Mapping[str, Column]


@dataclass(frozen=True)
class Result:
    """The end of a forward pass: the residual stream, the logit if the readout has one, and the verdict."""

    model: Transformer
    domain: Domain
    stream: Mapping[str, Column]
    logit: Column | None
    verdicts: Sequence[Verdict] | None
    steps: tuple[Step, ...]

    @property
    def place(self) -> int:
        """The index at which the readout looks; the last one for each and all."""
        return 0 if self.model.readout.position == "first" else -1

    @property
    def accept(self) -> Verdict:
        """True, False, or None where it stays open; None too where the model decides nothing."""
        if self.verdicts is None:
            return None
        if self.model.readout.position == "all":
            verdict = self.verdicts[0]
            for other in self.verdicts[1:]:
                verdict = self.domain.both(verdict, other)
            return verdict
        return self.verdicts[self.place]

    def columns(self) -> dict[str, Column]:
        """What the readout shows: the coordinates that it reads, and the logit if there is one."""
        shown = {name: self.stream[name] for name in self.model.readout.reads}
        return shown if self.logit is None else shown | {"logit": self.logit}

    def values(self, place: int | None = None) -> dict[str, Any]:
        """The values of `columns` at one index (by default where the readout looks)."""
        at = self.place if place is None else place
        return {name: self.domain.read(column, at) for name, column in self.columns().items()}


def forward(model: Transformer, sequence: Any, domain: Domain) -> Result:
    """Run `model` on `sequence` in `domain`. The sequence is what `Domain.begin` takes; the model's symbols are either
    bound to values or left to a domain that keeps them."""
    with domain.context():
        return _forward(model, sequence, domain)


def _forward(model: Transformer, sequence: Any, domain: Domain) -> Result:
    embedding = model.embedding
    domain.begin(sequence, embedding.start)
    stream: dict[str, Column] = {}
    zero = domain.linear([], 0)

    def add(name: str, terms: list[tuple[Column, Any]], bias: Any = 0) -> None:
        old = [(stream[name], 1)] if name in stream else []
        stream[name] = combine(old + terms, bias)

    def combine(terms: list[tuple[Column, Any]], bias: Any) -> Column:
        if bias == 0 and len(terms) == 1 and terms[0][1] == 1:
            return terms[0][0]
        return domain.linear(terms, bias)

    def row(weights: Any, index: int, names: Sequence[str]) -> list[tuple[Column, Any]]:
        """The terms of one row of a matrix: nonzero entries at coordinates that hold something."""
        entries = ((name, weights[index, c]) for c, name in enumerate(names) if name in stream)
        return [(stream[name], weight) for name, weight in entries if weight != 0]

    def attention(head: Head) -> list[tuple[str, Column]]:
        """What a head adds, by coordinate."""
        _check_temperature(head, embedding.start, domain.length)
        queries, keys = [], []
        for d in range(head.Q.shape[0]):
            query, key = row(head.Q, d, head.reads), row(head.K, d, head.reads)
            if query and key:
                queries.append(combine(query, 0))
                keys.append(combine(key, 0))
        rows = [(name, row(head.V, r, head.reads)) for r, name in enumerate(head.writes)]
        rows = [(name, terms) for name, terms in rows if terms]
        values = [combine(terms, 0) for _, terms in rows]
        outputs = domain.attend(queries, keys, values, head.mask, head.weighting, head.factor)
        return [(name, column) for (name, _), column in zip(rows, outputs, strict=True)]

    def feedforward(block: FeedForward) -> None:
        hidden = [
            domain.activate(combine(row(block.W1, h, block.reads), block.b1[h]), block.activation)
            if any(block.W2[r, h] != 0 for r in range(len(block.writes)))
            else None
            for h in range(block.hidden)
        ]
        rows = []
        for r, name in enumerate(block.writes):
            terms = [(column, block.W2[r, h]) for h, column in enumerate(hidden) if block.W2[r, h] != 0]
            rows.append((name, terms, block.b2[r]))
        for name, terms, bias in rows:
            if terms or bias != 0:
                add(name, terms, bias)

    for name in model.space:
        if embedding.words is not None and any(values.get(name, 0) != 0 for values in embedding.words.values()):
            stream[name] = domain.embed({token: values.get(name, 0) for token, values in embedding.words.items()})
        elif embedding.inputs is not None and name in embedding.inputs:
            stream[name] = domain.input(name)
        if name in embedding.positions:
            add(name, [(domain.positions(embedding.positions[name]), 1)])
    steps = [Step(0, "embedding", dict(stream))]
    for number, layer in enumerate(model.layers, 1):
        if layer.attention is not None:
            added = [part for head in layer.attention.heads for part in attention(head)]
            for name, column in added:  # after all heads have read the same stream
                add(name, [(column, 1)])
            steps.append(Step(number, "attention", dict(stream)))
        if layer.feedforward is not None:
            feedforward(layer.feedforward)
            steps.append(Step(number, "feed-forward", dict(stream)))

    readout = model.readout
    logit, verdicts = None, None
    if readout.kind == "sign":
        logit = combine(row(readout.weights, 0, readout.reads), 0)
        verdicts = domain.positive(logit)
    elif readout.kind == "zero":
        for name in readout.reads:
            verdict = domain.zero(stream.get(name, zero))
            verdicts = verdict if verdicts is None else list(map(domain.both, verdicts, verdict))
    full = {name: stream.get(name, zero) for name in model.space}
    return Result(model, domain, full, logit, verdicts, tuple(steps))


def _check_temperature(head: Head, start: int, length: int) -> None:
    """BadInput where a temperature that depends on i or n is negative at some position of this length; one that is zero
    there is refused as a denominator."""
    i, n = symbol("i"), symbol("n")
    if head.weighting != "softmax" or not head.temperature.free_symbols & {i, n}:
        return
    at_length = head.temperature.subs(n, length)
    for place in range(length if i in at_length.free_symbols else 1):
        if at_length.subs(i, start + place).is_negative:
            where = f"{from_sympy(head.temperature)} at i = {start + place}, n = {length}"
            raise BadInput("a temperature must be positive", where)


def make_domain(name: str, **options: Any) -> Domain:
    """A domain by name; BadInput with the nearest name where there is none."""
    if name not in DOMAINS:
        raise unknown("domain", name, list(DOMAINS))
    module, attribute = DOMAINS[name].split(":")
    return getattr(importlib.import_module(module), attribute)(**options)


def domains_for(name: str, digits: int) -> Any:
    """The domains to try, one after the other, until the answer has `digits` digits: more than one for balls alone."""
    if name != "ball":
        return [make_domain(name)]
    from symcook.domains.ball import LIMIT_BITS
    from symcook.numbers.balls import bits_for, ladder

    first = bits_for(digits)
    return (make_domain("ball", bits=bits) for bits in ladder(first, max(LIMIT_BITS, 4 * first)))


@dataclass(frozen=True)
class Run:
    """One input run to its answer. `accept` is None where the model decides nothing or the answer stayed open."""

    result: Result
    digits: int
    given: str

    @property
    def accept(self) -> bool | None:
        return self.result.accept

    @property
    def undecided(self) -> bool:
        """Whether the model decides but an answer that it gives stayed open at the limit."""
        result = self.result
        if result.verdicts is None or result.model.readout.position != "each":
            return result.model.decides and result.accept is None
        return any(verdict is None for verdict in result.verdicts)

    @property
    def output(self) -> dict[str, Any]:
        """The values at the readout's position, as JSON has them."""
        return self._shown(self.result.values())

    @property
    def outputs(self) -> list[Any] | None:
        """An answer for each position where the readout gives one: a verdict, a value, or values by coordinate."""
        result, readout = self.result, self.result.model.readout
        if readout.position != "each":
            return None
        if result.verdicts is not None:
            return list(result.verdicts)
        rows = [self._shown(result.values(place)) for place in range(result.domain.length)]
        return [row[readout.reads[0]] for row in rows] if len(readout.reads) == 1 else rows

    def _shown(self, values: Mapping[str, Any]) -> dict[str, Any]:
        with self.result.domain.context():
            return {name: self.result.domain.show(value, self.digits) for name, value in values.items()}

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook run --json``."""
        model = self.result.model
        document: dict[str, Any] = {"recipe": model.name, "input": self.given, "domain": self.result.domain.name}
        if model.decides:
            document["accept"] = self.accept
        document["output"] = self.output
        if self.outputs is not None:
            document["outputs"] = self.outputs
        return document


def show_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of inputs as text, for answers that name their input."""
    return "; ".join(", ".join(f"{name}={from_sympy(value)}" for name, value in row.items()) for row in rows)


def prepare(model: Transformer, given: Any) -> tuple[Any, str]:
    """The checked sequence and its text, from a word (text or tokens) or from rows of inputs."""
    if model.embedding.inputs is None:
        tokens = model.tokens(given)
        return tokens, "".join(tokens) if all(len(t) == 1 for t in tokens) else " ".join(tokens)
    rows = model.rows([given] if isinstance(given, Mapping) else given)
    return rows, show_rows(rows)


def run(
    model: Transformer,
    given: Any,
    domain: str = "exact",
    *,
    values: Mapping[str, Any] | None = None,
    digits: int = 30,
) -> Run:
    """Run one input to numbers: a word, or rows {input: value} (a single mapping for a feed-forward recipe).

    `domain` is exact, ball or float64; `values` sets declared symbols. For balls the precision doubles until every
    shown value has radius at most 10^-digits max(1, |mid|) and the verdict is decided; where the limit comes first, the
    run says so (`Run.undecided`) or raises Undecided. Raises BadInput for an input that the model does not take.
    """
    if domain not in RUNNABLE:
        raise unknown("domain", domain, list(RUNNABLE))
    from symcook.numbers.balls import check_digits

    digits = check_digits(digits)
    bound = model.bind(values)
    sequence, text = prepare(bound, given)
    if bound.embedding.inputs is not None and any(v.free_symbols for row in sequence for v in row.values()):
        raise BadInput("inputs must be numbers", text, "use derive for symbols")
    last, reason = None, None
    for system in domains_for(domain, digits):
        try:
            result = forward(bound, sequence, system)
        except Undecided as error:
            reason = error
            continue
        last = Run(result, digits, text)
        wanted = range(system.length) if bound.readout.position == "each" else [result.place]
        with system.context():
            known = all(system.settled(v, digits) for place in wanted for v in result.values(place).values())
        if known and not last.undecided:
            return last
    if last is None:
        raise reason or Undecided("the run stayed undecided")
    if not last.undecided:
        raise Undecided(f"the values of {text} have fewer than {digits} digits at the greatest working precision.")
    return last
