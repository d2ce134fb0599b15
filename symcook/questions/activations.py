"""The numbers of a run as arrays: the residual stream, attention, logits, and activations by TransformerLens's names.

A run is repeated once with a trace, in the number system that it was made in, and its numbers are read from the trace
and computed again by the operations of that number system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from symcook.errors import BadInput, unknown
from symcook.forward import forward
from symcook.locks import PRECISION
from symcook.model.expr import parse_term
from symcook.model.parts import Head, LayerNorm, SelfAttention, Sublayer
from symcook.model.reads import PartsRead
from symcook.model.symbols import Number, exact
from symcook.numbers.evaluate import float_of
from symcook.walk import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from symcook.run import Run

READS = PartsRead("the arrays of a run")
StreamColumns = Mapping[str, Any]
"""{coordinate: its column}; a coordinate that is zero by construction may be left out."""


class Activations:
    """What a run computed, by name. Layers and heads count from 1, as in ``L1.head1``."""

    def __init__(self, run: Run) -> None:
        result = run.result
        self.model = result.model
        self.steps = READS.of(self.model).sublayers
        self.result: Result = result
        if not result.steps:
            # A pass over all positions and coordinates, in a copy of the number system, which remembers a pass.
            self.result = forward(self.model, result.sequence, copy(result.domain), trace=True, weights=False)
        self.system: Any = self.result.domain
        self.digits = run.digits
        self.snapshots = self.result.steps

    @cached_property
    def zero(self) -> Any:
        """The column of zeros."""
        return self.system.linear([], 0)

    @cached_property
    def places(self) -> Sequence[int]:
        """The indices of the positions."""
        return self.result.everywhere

    # StreamColumns of the residual stream.

    def before(self, number: int) -> StreamColumns:
        """The residual stream before the sublayer with this index in `Transformer.sublayers`."""
        return self.snapshots[number].columns

    def after(self, number: int) -> StreamColumns:
        """The residual stream after the sublayer with this index."""
        return self.snapshots[number + 1].columns

    def view(self, number: int, step: Sublayer) -> StreamColumns:
        """What the block of a sublayer reads: the residual stream, or the outputs of the norms before it."""
        stream = self.before(number)
        if not step.before:
            return stream
        return {name: column for norm in step.before for name, column in self.normalised(norm, stream).items()}

    def normalised(self, norm: LayerNorm, stream: StreamColumns) -> StreamColumns:
        """The output of a norm."""
        if norm.projection is None:
            entries = [stream.get(name, self.zero) for name in norm.reads]
        else:
            entries = [self.row(weights, stream) for weights in norm.lowered["projection"]]
        columns = self.system.layer_norm(entries, norm.lowered["epsilon"], norm.zero_variance)
        rows = zip(norm.writes, columns, norm.lowered["gain"], norm.lowered["bias"], strict=True)
        return {name: self.sum([(column, gain)], bias) for name, column, gain, bias in rows}

    def sum(self, terms: Sequence[tuple[Any, Number]], bias: Number = Fraction(0)) -> Any:
        """A weighted sum of columns, and a bias."""
        return self.system.linear([(column, weight) for column, weight in terms if weight != 0], bias)

    def row(self, weights: Mapping[Any, Number], columns: Mapping[Any, Any], bias: Number = Fraction(0)) -> Any:
        """One row of a matrix times columns, and a bias."""
        return self.sum([(columns[name], weight) for name, weight in weights.items() if name in columns], bias)

    # Heads and feed-forward layers.

    def attentions(self) -> Iterator[tuple[int, Sublayer, tuple[Head, ...]]]:
        """The attention sublayers: index, step and heads."""
        for number, step in enumerate(self.steps):
            if isinstance(step.block, SelfAttention):
                yield number, step, step.block.heads

    def head(self, layer: int, head: int) -> tuple[int, Sublayer, Head]:
        """The head of a layer, both counted from 1. BadInput, with the heads that there are, for another one."""
        names = []
        for number, step, heads in self.attentions():
            for place, part in enumerate(heads, 1):
                if (step.layer, place) == (layer, head):
                    return number, step, part
                names.append(f"layer {step.layer}, head {place}")
        known = f"known: {'; '.join(names)}" if names else "the model has no head"
        raise BadInput("a head must be one of the model, counted from 1", f"layer {layer}, head {head}", known)

    def queries(self, head: Head, view: StreamColumns) -> list[Any]:
        """The columns of Q x."""
        return [self.row(weights, view) for weights in head.lowered["Q"]]

    def keys(self, head: Head, view: StreamColumns) -> list[Any]:
        """The columns of K x."""
        return [self.row(weights, view) for weights in head.lowered["K"]]

    def contents(self, head: Head, view: StreamColumns) -> dict[str, Any]:
        """{written coordinate: column of V x}."""
        return {name: self.row(row, view) for name, row in zip(head.writes, head.lowered["V"], strict=True)}

    def attend(self, head: Head, view: StreamColumns, values: Sequence[Any]) -> list[Any]:
        """The averages of value columns by the weights of a head."""
        rule = head.sees, head.weighting, head.lowered["factor"]
        pairs = [] if head.uniform else list(zip(self.queries(head, view), self.keys(head, view), strict=True))
        return self.system.attend([query for query, _ in pairs], [key for _, key in pairs], values, *rule)

    def weights(self, head: Head, view: StreamColumns) -> list[Any]:
        """The attention weights: for each key position the column over the query positions."""
        return self.attend(head, view, self.system.units(len(self.places)))

    def outputs(self, head: Head, view: StreamColumns) -> dict[str, Any]:
        """{written coordinate: the column that the head adds to it}."""
        contents = self.contents(head, view)
        return dict(zip(contents, self.attend(head, view, list(contents.values())), strict=True))

    def units(self, number: int, step: Sublayer) -> dict[int, Any]:
        """{hidden unit, counted from 0: the column of its activation} of a feed-forward sublayer."""
        part: Any = step.block
        view, numbers = self.view(number, step), part.lowered
        return {
            unit: self.system.activate(self.row(numbers["W1"][unit], view, numbers["b1"][unit]), part.activation)
            for unit in range(part.hidden)
        }

    def network(self, number: int, step: Sublayer) -> dict[str, Any]:
        """{written coordinate: the column that a feed-forward sublayer adds to it}."""
        part: Any = step.block
        units, numbers = self.units(number, step), part.lowered
        rows = zip(part.writes, numbers["W2"], numbers["b2"], strict=True)
        return {name: self.row(weights, units, bias) for name, weights, bias in rows}

    # Numbers.

    def value(self, number: Any, as_exact: bool) -> Any:
        """A number of the run as a float, or with `as_exact` as an exact number of sympy."""
        if not as_exact:
            return nearest_float(self.system, number, self.digits)
        if self.system.name != "exact":
            must = "exact numbers must come from a run in exact numbers"
            raise BadInput(must, f"a run in the number system {self.system.name}", "leave domain out of run")
        return exact(number if isinstance(number, Fraction) else self.system.show(number, self.digits))

    def array(self, columns: Sequence[Any], as_exact: bool = False) -> NDArray[Any]:
        """StreamColumns side by side: shape (positions, columns)."""
        with PRECISION, self.system.context():
            read = [[self.value(self.system.read(c, at), as_exact) for c in columns] for at in self.places]
        filled = np.empty((len(self.places), len(columns)), dtype=object if as_exact else np.float64)
        for at, row in enumerate(read):
            for c, number in enumerate(row):
                filled[at, c] = number
        return filled

    # What a run is asked.

    def coordinate(self, name: str, as_exact: bool) -> NDArray[Any]:
        """The values of a coordinate at the end of the run: shape (positions,)."""
        if name not in self.model.space:
            do = "write .logits for the scores of the output layer" if name in ("logit", "logits", "score") else None
            raise unknown("coordinate", name, tuple(self.model.space), do)
        return self.array([self.snapshots[-1].columns.get(name, self.zero)], as_exact)[:, 0]

    def attention(self, layer: int, head: int, as_exact: bool) -> NDArray[Any]:
        """The weights of a head: shape (positions, positions), a row for each position that attends."""
        number, step, part = self.head(layer, head)
        with PRECISION, self.system.context():
            return self.array(self.weights(part, self.view(number, step)), as_exact)

    def logits(self, as_exact: bool = False) -> NDArray[Any]:
        """The scores of the output layer before any softmax: (positions,) for a sign, else (positions, labels)."""
        readout = self.model.readout
        if not readout.rows:
            do = f'read a coordinate: run.array("{readout.reads[0]}")'
            raise BadInput("the model must have logits", "an output layer without weights", do)
        stream = self.snapshots[-1].columns
        with PRECISION, self.system.context():
            scores = self.array([self.row(weights, stream) for weights in readout.rows], as_exact)
        return scores if readout.labels else scores[:, 0]


def nearest_float(system: Any, number: Any, digits: int) -> float:
    """A number of a number system as the nearest float64; that of the midpoint for an interval."""
    if isinstance(number, (Fraction, float)):
        return float_of(number) if isinstance(number, Fraction) else number
    shown = system.show(number, max(digits, 20))
    if isinstance(shown, Mapping):
        return float(shown["mid"])
    return float_of(parse_term(shown)) if system.name == "exact" else float(shown)
