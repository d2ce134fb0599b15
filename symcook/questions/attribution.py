"""What each part of a model adds to a logit, directly: the embedding, each head, each hidden unit, each bias.

The residual stream before the output layer is a sum of what the parts wrote, and a logit is linear in it; so the logit
is the sum of their direct contributions. What a part does by way of later parts counts for those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.domains.partsteps import columns_of
from symcook.errors import BadInput, unknown
from symcook.locks import PRECISION
from symcook.model.answers import Reply
from symcook.model.expr import show
from symcook.model.extent import Extent
from symcook.model.parts import Part
from symcook.model.steps import Centre, DivideByRms, Read, ScaleEntries, attention, unknown_step
from symcook.model.symbols import Number, exact, from_sympy
from symcook.numbers.evaluate import float_of
from symcook.questions.activations import last_map

if TYPE_CHECKING:
    from symcook.questions.activations import Activations
    from symcook.run import Run


@dataclass(frozen=True, repr=False)
class Attribution(Reply):
    """The direct contributions to a logit at one position."""

    REPORT = "attribution"

    model: str
    given: str
    """The input as text."""
    position: int
    """The position i, as statements and traces count it (`embedding.start` is the first)."""
    label: str | None
    """The label whose score it is; None for the logit of a sign readout."""
    logit: Any
    """The logit. Numbers are sympy's, and exact, for a run in exact numbers; else floats."""
    parts: Mapping[str, Any]
    """{part: its contribution}, in the order of the model: embedding, positions, L1.head1, L1.ff.unit1, L1.ff.b2 and so
    on. Their sum is the logit."""
    factor: Any = None
    """1/sqrt(variance + epsilon) of the final norm in this run; None without a final norm."""
    extent: Extent = field(kw_only=True)
    """The values of the parameters in this run."""

    holds = None
    status = "COMPUTED"

    @property
    def why(self) -> str | None:
        """What holds for this run alone; None without a final norm."""
        if self.factor is None:
            return None
        return f"with the final norm at the factor of this run, {self.text_of(self.factor)}, which other inputs change"

    @staticmethod
    def text_of(number: Any) -> str:
        """A number as text."""
        return repr(number) if isinstance(number, float) else from_sympy(number)

    def to_json(self) -> dict[str, Any]:
        """{"model", "input", "position", "label", "logit", "parts": [{"part", "value"}], "final_norm_factor"}; numbers
        are text where they are exact, else floats."""

        def shown(number: Any) -> Any:
            return number if number is None or isinstance(number, float) else from_sympy(number)

        return {
            "model": self.model,
            "input": self.given,
            "position": self.position,
            "label": self.label,
            "logit": shown(self.logit),
            "parts": [{"part": name, "value": shown(value)} for name, value in self.parts.items()],
            "final_norm_factor": shown(self.factor),
            **self.extent.to_json(),
        }


def attribution(run: Run, label: str | None = None, position: int | None = None) -> Attribution:
    """The direct contributions to a logit of a run; see `symcook.run.Run.attribution`."""
    activations: Any = run._activations
    as_exact = activations.system.name == "exact"
    logits = activations.logits(as_exact)
    readout, length = run.result.model.readout, len(logits)
    # The position, and the row of the output layer.
    start = activations.model.embedding.start
    at = readout.shown % length if position is None else position - start
    if position is not None and (isinstance(position, bool) or not 0 <= at < length):
        raise BadInput(
            f"a position must be one of the {length} positions of the input, counted from {start}",
            position,
            f"give a position from {start} to {start + length - 1}",
        )
    if label is None and readout.labels:
        if not readout.labelled or readout.groups:
            raise BadInput(
                "the label whose logit is attributed must be given",
                "none",
                f'for example attribution("{readout.labels[0]}")',
            )
        label = activations.result.label(activations.places[at])
    if label is not None and label not in readout.labels:
        raise unknown(
            "label", label, readout.labels, None if readout.labels else "leave the label out: the model has no labels"
        )
    row = readout.rows[readout.labels.index(label) if label is not None else 0]
    logit = logits[at, readout.labels.index(label)] if label is not None else logits[at]
    # What each part wrote at this position, then its share of the logit.
    with PRECISION, activations.system.context():
        written = {
            name: {c: activations.value(activations.system.read(column, at), as_exact) for c, column in columns.items()}
            for name, columns in _written(activations)
        }
    weights = {c: _number(weight, as_exact) for c, weight in row.items()}
    norm = activations.model.final_norm
    if norm is None:
        factor, parts = None, {name: _dot(weights, values) for name, values in written.items()}
    else:
        final = FinalNorm(norm, as_exact)
        factor = final.factor(activations, written, at)
        parts = final.contributions(weights, written, factor)
    name = activations.model.name
    return Attribution(name, run.given, at + start, label, logit, parts, factor, extent=run.extent)


def _written(activations: Activations) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each part, and the columns that it adds to the residual stream."""
    embedding, system = activations.model.embedding, activations.system
    tokens = {name: system.embed(table) for name, table in embedding.tables.items()}
    yield "embedding", tokens or {name: system.input(name) for name in embedding.inputs or ()}
    if embedding.places:
        yield "positions", {name: system.positions(place) for name, place in embedding.places.items()}
    for number, step in enumerate(activations.steps):
        if step.block is None:
            continue
        if step.after is not None:
            must = "contributions to a logit are computed only for models without norms after blocks"
            raise BadInput(must, f"layer {step.layer}", "set a head or unit to zero with without(..), and compare")
        view = activations.view(number, step)
        for place, part in enumerate(step.parts, 1):
            if attention(part.steps):
                yield f"L{step.layer}.head{place}", activations.outputs(part, view)
                continue
            last, numbers = last_map(part), part.lowered
            for unit, column in activations.units(part, view).items():
                rows = zip(part.writes, numbers[last.matrix], strict=True)
                added = {name: system.linear([(column, row[unit])], 0) for name, row in rows if unit in row}
                yield f"L{step.layer}.ff.unit{unit + 1}", added
            all_biases = () if last.bias is None else numbers[last.bias]
            biases = {name: bias for name, bias in zip(part.writes, all_biases, strict=False) if bias != 0}
            if biases:
                yield f"L{step.layer}.ff.{last.bias}", {name: system.linear([], bias) for name, bias in biases.items()}


def _number(number: Number, as_exact: bool) -> Any:
    """A number of the model as sympy's, or as the nearest float."""
    if not as_exact:
        return float_of(number)
    return exact(number if isinstance(number, Fraction) else show(number))


def _dot(weights: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    """The sum of weight times value."""
    zero = exact(0) if any(not isinstance(weight, float) for weight in weights.values()) else 0.0
    return sum((weight * values[name] for name, weight in weights.items() if name in values), zero)


class FinalNorm:
    """The final norm of a model at a factor that is held fixed: then it is linear, so that contributions add up."""

    def __init__(self, norm: Part, as_exact: bool) -> None:
        self.norm, self.as_exact = norm, as_exact
        # Whether the mean is subtracted, and the gain and bias of each entry. A norm after a block has no projection.
        match norm.steps:
            case ScaleEntries(DivideByRms(Centre(Read()), _, _) as divided, gain, bias):
                self.centred, self.what = True, "a variance"
            case ScaleEntries(DivideByRms(Read(), _, _) as divided, gain, bias):
                self.centred, self.what = False, "a mean of squares"
            case _:
                unknown_step("attribution", norm.steps)
        self.divided = divided
        self.gains = [_number(number, as_exact) for number in norm.lowered[gain]]
        self.biases = [] if bias is None else [_number(number, as_exact) for number in norm.lowered[bias]]

    def entries(self, values: Mapping[str, Any]) -> list[Any]:
        """The entries that are divided by the root, for what one part wrote or for the residual stream."""
        entries = [values.get(name, 0) for name in self.norm.reads]
        if not self.centred:
            return entries
        mean = sum(entries) / (exact(len(entries)) if self.as_exact else float(len(entries)))
        return [entry - mean for entry in entries]

    def factor(self, activations: Activations, written: Mapping[str, Mapping[str, Any]], at: int) -> Any:
        """1/sqrt(variance + epsilon) at the position, or that of the mean of squares: what entries are multiplied by.
        BadInput where all entries are zero."""
        names = dict.fromkeys(name for values in written.values() for name in values)
        entries = self.entries({name: sum(values.get(name, 0) for values in written.values()) for name in names})
        last = max(number for number, step in enumerate(activations.steps) if step.block is None)
        with PRECISION, activations.system.context():
            outputs = columns_of(self.norm, self.divided)(activations.system, activations.before(last)).values()
            normed = [activations.value(activations.system.read(column, at), self.as_exact) for column in outputs]
        apart = [(entry, value) for entry, value in zip(entries, normed, strict=True) if value != 0]
        if not apart:
            place = at + activations.model.embedding.start
            raise BadInput(
                f"the final norm must meet {self.what} above zero", f"zero at position {place}", "give another input"
            )
        entry, value = max(apart, key=lambda pair: abs(pair[1])) if not self.as_exact else apart[0]
        return value / entry

    def contributions(
        self, weights: Mapping[str, Any], written: Mapping[str, Mapping[str, Any]], factor: Any
    ) -> dict[str, Any]:
        """The contributions to a logit, with that of the norm's bias."""
        writes, parts = self.norm.writes, {}
        for name, values in written.items():
            scaled = [entry * factor * gain for entry, gain in zip(self.entries(values), self.gains, strict=True)]
            parts[name] = _dot(weights, dict(zip(writes, scaled, strict=True)))
        if self.biases:
            parts["final norm bias"] = _dot(weights, dict(zip(writes, self.biases, strict=True)))
        return parts
