"""A model as the JSON document that the evaluator of its page reads: rationals as text, other numbers as trees of the
grammar, rows of matrices by name. `unfit` says whether the evaluator, which has only rational numbers, can run it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.errors import NotExact, SymcookError
from symcook.model.expr import Tree, names, show
from symcook.model.parts import (
    NETWORKS,
    NORMS,
    PLUS_ONE,
    BiasedHead,
    FeedForward,
    GatedUnits,
    Head,
    LayerNorm,
    Part,
    RMSNorm,
    RotaryHead,
)
from symcook.model.rationals import quotient, rational
from symcook.model.reads import BIASED_HEADS, KIND_NAMES, NORMS_AND_GATES, ROTARY_HEADS, PartsRead
from symcook.model.symbols import Number, from_sympy, lowered

if TYPE_CHECKING:
    from symcook.model.transformer import Parameter, Transformer

READS = PartsRead("the evaluator of the page", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY_HEADS)

TRIED = 16
"""The greatest length up to which `unfit` tests whether position functions are rational."""
KINDS = {
    Head: "head", FeedForward: "feedforward", GatedUnits: "gated", LayerNorm: "norm", RMSNorm: "rms-norm",
}  # fmt: skip
"""The names of the parts in the document."""


def described(model: Transformer, values: Mapping[str, Fraction | None]) -> dict[str, Any]:
    """The model for the evaluator; `values` are the first values of its parameters, None for one without a value."""
    embedding, readout = model.embedding, model.readout
    # Numbers are text ("-1/2") or trees. A row of a matrix is {coordinate: entry} without the entries that are 0.
    return {
        "name": model.name,
        "space": list(model.space),
        "inputs": None if embedding.inputs is None else list(embedding.inputs),
        "alphabet": list(embedding.alphabet),
        "input_symbols": list(model.input_symbols),
        "before": embedding.before,
        "after": embedding.after,
        "spelled": embedding.spelled,
        "start": embedding.start,
        "max_length": model.max_length,
        "pointwise": model.pointwise,
        "tables": {name: _numbers(column) for name, column in embedding.tables.items()},
        "positions": _numbers(embedding.places),
        "steps": [
            {
                "layer": step.layer if step.block is not None else len(model.layers),
                "kind": step.kind,
                "before": list(map(_part, step.before)),
                "parts": list(map(_part, step.parts)),
                "after": None if step.after is None else _part(step.after),
            }
            for step in READS.of(model).sublayers
        ],
        "readout": {
            "kind": readout.kind,
            "position": readout.position,
            "reads": list(readout.reads),
            "labels": list(readout.labels),
            "groups": list(readout.groups),
            "weights": list(map(_numbers, readout.rows)),
        },
        "symbols": [_symbol(parameter, values.get(parameter.name)) for parameter in model.parameters],
    }


def _number(value: Number | int) -> Any:
    """A rational number as the text p/q; any other number as its tree."""
    return _tree(value) if isinstance(value, tuple) else quotient(Fraction(value))


def _tree(tree: object) -> Any:
    """A tree as lists, with its integers as text: JavaScript would read large ones as floats."""
    if isinstance(tree, (tuple, list)):
        return list(map(_tree, tree))
    return str(tree) if isinstance(tree, int) else tree


def _numbers(row: Mapping[str, Number] | Mapping[int, Number]) -> dict[str, Any]:
    """A row with numbers as text or trees, and its keys as text."""
    return {str(name): _number(value) for name, value in row.items()}


def _part(part: Part) -> dict[str, Any]:
    """A head, a feed-forward layer or a norm: its kind, the coordinates that it reads and writes, and its fields."""
    fields: dict[str, Any] = {"kind": KINDS[type(part)], "reads": list(part.reads), "writes": list(part.writes)}
    for name, kind in part.FIELDS.items():
        value = part.lowered.get(name)
        if kind == "word":
            fields[name] = getattr(part, name)
        elif value is None:
            fields[name] = None
        elif kind == "number":
            fields[name] = _number(value)
        else:
            fields[name] = [_number(row) if kind[1] == "one" else _numbers(row) for row in value]
    return fields


def _symbol(parameter: Parameter, value: Fraction | None) -> dict[str, Any]:
    """A parameter of the model with its value and the bounds of its region."""
    return {
        "name": parameter.name,
        "value": None if value is None else quotient(value),
        "region": parameter.region,
        "lower": None if parameter.lower is None else _number(lowered(parameter.lower)),
        "upper": None if parameter.upper is None else _number(lowered(parameter.upper)),
        "lower_open": parameter.lower_open,
        "upper_open": parameter.upper_open,
    }


def unfit(model: Transformer, values: Mapping[str, Fraction | None]) -> str:
    """The reason why the evaluator cannot run the model, as the end of a sentence; "" if it can."""
    return next(_reasons(model, values), "")


def _reasons(model: Transformer, values: Mapping[str, Fraction | None]) -> Iterator[str]:
    """Each reason why the evaluator cannot run the model; after a parameter without a rational value no other one."""
    for name, value in values.items():
        if value is None:
            yield f"the parameter {name} has no rational value"
            return
    # Parts that the evaluator does not read, and parts whose values are irrational though all weights are rational.
    known = {name: value for name, value in values.items() if value is not None}
    for step in READS.of(model).sublayers:
        for part in step.all_parts:
            if isinstance(part, (BiasedHead, RotaryHead)):
                yield f"layer {step.layer} has {KIND_NAMES[type(part).__name__]}"
            if isinstance(part, Head) and part.weighting == PLUS_ONE:
                yield f"layer {step.layer} has softmax with a one below"
            if isinstance(part, Head):
                soft, temperature = part.weighting == "softmax", part.lowered["temperature"]
                if soft and not part.uniform:
                    yield f"layer {step.layer} has softmax attention, whose weights are exponentials"
                # Hard attention does not use its temperature, but where that is not positive there is no run.
                if isinstance(temperature, tuple) and (soft or names(temperature) & values.keys()):
                    yield f"layer {step.layer} has an irrational temperature"
            if isinstance(part, NETWORKS) and part.activation not in ("relu", "step"):
                yield f"layer {step.layer} has the activation {part.activation}"
            if isinstance(part, NORMS) and part.epsilon != 0 and isinstance(part.lowered["epsilon"], Fraction):
                norm = KIND_NAMES[type(part).__name__]
                yield f"layer {step.layer} has {norm} with epsilon = {from_sympy(part.epsilon)}, and so roots"
    if model.readout.normalized:
        yield "its readout is a softmax of scores"
    # Entries of the model that are irrational at these values of the parameters, or at a position. Scales and
    # temperatures may be irrational: hard attention does not use them, and softmax attention is a reason above.
    for value, indexed, where in model.expressions():
        number = lowered(value)
        if not isinstance(number, tuple) or where.startswith(("the temperature", "the scale")):
            continue
        if not indexed and not _rational(number, known):
            yield f"{where} has {show(number)}, which is not rational"
        if indexed and (at := _irrational_position(model, number, known)) is not None:
            yield f"{where} is not rational at i = {at[0]}, n = {at[1]}"


def _rational(tree: Tree, values: Mapping[str, Fraction]) -> bool:
    """Whether the exact evaluator finds a rational value for a term; True too if it refuses the term."""
    try:
        rational(tree, values)
    except NotExact:
        return False
    except SymcookError:  # a zero below, say: the page refuses it in its own words
        pass
    return True


def _irrational_position(model: Transformer, tree: Tree, values: Mapping[str, Fraction]) -> tuple[int, int] | None:
    """The first (i, n) at which a position function has an irrational value, for lengths n up to TRIED; else None."""
    longest = min(TRIED, model.max_length or TRIED)
    start = model.embedding.start
    # A function that does not depend on n is tested at the greatest length alone.
    for n in range(1, longest + 1) if "n" in names(tree) else (longest,):
        for i in range(start, start + n):
            if not _rational(tree, {**values, "i": Fraction(i), "n": Fraction(n)}):
                return i, n
    return None
