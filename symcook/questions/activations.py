"""The numbers of a run as arrays: the residual stream, attention, logits, and activations by TransformerLens's names.

A run is repeated once with a trace, in the number system that it was made in, and its numbers are read from the trace
and computed again by the operations of that number system, from the steps of each part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from symcook.domains.partsteps import HeadFunctions, TermsAndBias, columns_of, combine, head_of, row, terms_of
from symcook.errors import BadInput, unknown
from symcook.forward import forward
from symcook.locks import PRECISION
from symcook.model.expr import parse_term
from symcook.model.parts import Part, Sublayer
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.steps import LinearMap, unknown_step
from symcook.model.symbols import Number, exact
from symcook.numbers.evaluate import float_of
from symcook.walk import Result, position_from_zero

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from symcook.run import Run

READS = StepsRead("the arrays of a run", **STEP_WORDS)
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

    def normalised(self, norm: Part, stream: StreamColumns) -> StreamColumns:
        """The output of a norm."""
        return dict(zip(norm.writes, columns_of(norm, norm.steps)(self.system, stream).values(), strict=True))

    def row(self, weights: Mapping[Any, Number], columns: Mapping[Any, Any], bias: Number = Fraction(0)) -> Any:
        """One row of a matrix times columns, and a bias."""
        return self.system.linear(row(weights, columns), bias)

    def summed(self, terms: Mapping[int, TermsAndBias[Any]]) -> list[Any]:
        """The columns of the entries of a step."""
        return [combine(self.system, *entry) for entry in terms.values()]

    # Heads and feed-forward layers.

    def head(self, layer: int, head: int) -> tuple[int, Sublayer, Part]:
        """The head of a layer, both counted from 1. BadInput, with the heads that there are, for another one."""
        names = []
        for number, step in enumerate(self.steps):
            for place, (part, _) in enumerate(step.heads, 1):
                if (step.layer, place) == (layer, head):
                    return number, step, part
                names.append(f"layer {step.layer}, head {place}")
        known = f"known: {'; '.join(names)}" if names else "the model has no head"
        raise BadInput("a head must be one of the model, counted from 1", f"layer {layer}, head {head}", known)

    def queries(self, head: Part, view: StreamColumns) -> list[Any]:
        """The columns of the queries."""
        return self.summed(head_of(head, None).queries(self.system, view))

    def keys(self, head: Part, view: StreamColumns) -> list[Any]:
        """The columns of the keys."""
        return self.summed(head_of(head, None).keys(self.system, view))

    def contents(self, head: Part, view: StreamColumns) -> dict[str, Any]:
        """{written coordinate: its column of values}."""
        return dict(zip(head.writes, self.summed(head_of(head, None).values(self.system, view)), strict=True))

    def attend(self, head: Part, view: StreamColumns, values: Sequence[Any]) -> list[Any]:
        """The averages of value columns by the weights of a head."""
        functions = head_of(head, None)
        queries, keys = self._compared(functions, view)
        return self.system.attend(queries, keys, values, functions.mask, functions.weighting, head.lowered["factor"])

    def _compared(self, functions: HeadFunctions, view: StreamColumns) -> tuple[list[Any], list[Any]]:
        """The queries and keys of whose products scores are made, as the forward pass takes them: without those that
        are zero, and with a key that grows with the position if scores depend on the distance."""
        asked, offered = functions.queries(self.system, view), functions.keys(self.system, view)
        # A side without terms and with bias 0 is zero.
        both = [d for d in asked if any(asked[d]) and any(offered[d])]
        queries, keys = (self.summed({d: side[d] for d in both}) for side in (asked, offered))
        if functions.per_position != 0:
            queries.append(self.system.linear([], 1))
            index = self.system.positions(position_from_zero(self.model.embedding.start))
            keys.append(self.system.linear([(index, functions.per_position)], 0))
        return queries, keys

    def weights(self, head: Part, view: StreamColumns) -> list[Any]:
        """The attention weights: for each key position the column over the query positions."""
        return self.attend(head, view, self.system.units(len(self.places)))

    def outputs(self, head: Part, view: StreamColumns) -> dict[str, Any]:
        """{written coordinate: the column that the head adds to it}."""
        contents = self.contents(head, view)
        return dict(zip(contents, self.attend(head, view, list(contents.values())), strict=True))

    def units(self, part: Part, view: StreamColumns) -> dict[int, Any]:
        """{hidden unit, counted from 0: its column} of a feed-forward layer."""
        return dict(columns_of(part, last_map(part).of)(self.system, view))

    def network(self, part: Part, view: StreamColumns) -> dict[str, Any]:
        """{written coordinate: the column that a feed-forward layer adds to it}."""
        return dict(zip(part.writes, self.summed(terms_of(part, part.steps)(self.system, view)), strict=True))

    # Numbers.

    def value(self, number: Any, as_exact: bool) -> Any:
        """A number of the run as a float, or with `as_exact` as an exact number of sympy."""
        if not as_exact:
            return nearest_float(self.system, number, self.digits)
        if self.system.name != "exact":
            must = "exact activations can be read only from a run in exact arithmetic"
            raise BadInput(must, f"a run in the number system {self.system.name}", "leave domain out of run")
        return exact(number if isinstance(number, Fraction) else self.system.show(number, self.digits))

    def array(self, columns: Sequence[Any], as_exact: bool = False) -> NDArray[Any]:
        """StreamColumns side by side: shape (positions, columns)."""
        with PRECISION, self.system.context():
            read = [[self.value(self.system.read(c, at), as_exact) for c in columns] for at in self.places]
        filled = np.empty((len(self.places), len(columns)), dtype=object if as_exact else np.float64)
        for at, numbers in enumerate(read):
            for c, number in enumerate(numbers):
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


def last_map(part: Part) -> LinearMap:
    """The linear map from hidden units to outputs, the last step of a feed-forward layer."""
    match part.steps:
        case LinearMap(_, _, _) as step:
            return step
    unknown_step("the arrays of a run", part.steps)


def nearest_float(system: Any, number: Any, digits: int) -> float:
    """A number of a number system as the nearest float64; that of the midpoint for an interval."""
    if isinstance(number, (Fraction, float)):
        return float_of(number) if isinstance(number, Fraction) else number
    shown = system.show(number, max(digits, 20))
    if isinstance(shown, Mapping):
        return float(shown["mid"])
    return float_of(parse_term(shown)) if system.name == "exact" else float(shown)
