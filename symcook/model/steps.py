"""What a part computes, as steps: a few operations, each with a class of its own, which an engine reads by `match`.

A part is one expression over the coordinates that it reads (`Read`). The leaves of a step are names of fields of the
part (``matrix="W1"``), never numbers. So one function for each kind of part serves a model with exact numbers, a model
file with numbers as text, and the arrays of an export; and nothing is computed here. A match on steps ends with
`unknown_step`, and each case names every field of its step (tests/model/test_steps.py reads the code for both): an
engine refuses what it does not know, and overlooks no bias.

Trusted: a statement about a model reads its parts by these expressions. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from symcook.errors import BadInput


@dataclass(frozen=True)
class Read:
    """The coordinates that the part reads."""


@dataclass(frozen=True)
class LinearMap:
    """matrix x + bias."""

    of: PartStep
    matrix: str
    bias: str | None


@dataclass(frozen=True)
class Activate:
    """A function of one variable (`symcook.model.parts.ACTIVATIONS`), entry by entry."""

    of: PartStep
    kind: str


@dataclass(frozen=True)
class Multiply:
    """The product of two vectors, entry by entry."""

    left: PartStep
    right: PartStep


@dataclass(frozen=True)
class Centre:
    """Each entry minus the mean of all entries. As a matrix, I - J/m, it would be rounded in another way."""

    of: PartStep


@dataclass(frozen=True)
class DivideByRms:
    """x/sqrt(mean of squares + epsilon). Where the root is zero: no run ("refuse"), or zeros ("zero")."""

    of: PartStep
    epsilon: str
    zero: str


@dataclass(frozen=True)
class ScaleEntries:
    """gain x + bias, entry by entry."""

    of: PartStep
    gain: str
    bias: str | None


@dataclass(frozen=True)
class Rotate:
    """Of 2 h entries the pair k, k + h turned by the angle number k times the position i: x cos - y sin, x sin + y
    cos."""

    of: PartStep
    angles: str


@dataclass(frozen=True)
class Products:
    """The scores of attention: the dot product of the query at i with the key at j, times scale/temperature."""

    queries: PartStep
    keys: PartStep
    scale: str
    temperature: str


@dataclass(frozen=True)
class ByDistance:
    """Scores that fall or grow with the distance: (scale times the dot product + slope (j - i))/temperature."""

    products: Products
    slope: str


@dataclass(frozen=True)
class Attend:
    """The mean of the values at the positions that the mask lets a row see, weighted by their scores."""

    scores: Products | ByDistance
    values: PartStep
    mask: str
    weighting: str


PartStep = Read | LinearMap | Activate | Multiply | Centre | DivideByRms | ScaleEntries | Rotate | Attend
PartFields = Mapping[str, Any]
"""The fields of a part by name. Only its words are used here, and whether a matrix is None."""


def _head(part: PartFields) -> PartStep:
    """An attention head."""
    scores = Products(LinearMap(Read(), "Q", None), LinearMap(Read(), "K", None), "scale", "temperature")
    return Attend(scores, LinearMap(Read(), "V", None), part["mask"], part["weighting"])


def _biased(part: PartFields) -> PartStep:
    """An attention head with biases."""
    sides = LinearMap(Read(), "Q", "q_bias"), LinearMap(Read(), "K", "k_bias")
    scores = ByDistance(Products(*sides, "scale", "temperature"), "slope")
    return Attend(scores, LinearMap(Read(), "V", "v_bias"), part["mask"], part["weighting"])


def _rotary(part: PartFields) -> PartStep:
    """An attention head with rotary positions and norms of its queries and keys, where it has them."""

    def side(name: str, bias: str, gain: str) -> PartStep:
        step: PartStep = LinearMap(Read(), name, bias)
        if part[gain] is not None:
            step = ScaleEntries(DivideByRms(step, "qk_epsilon", "zero"), gain, None)
        return step if part["angles"] is None else Rotate(step, "angles")

    scores = Products(side("Q", "q_bias", "q_gain"), side("K", "k_bias", "k_gain"), "scale", "temperature")
    return Attend(scores, LinearMap(Read(), "V", "v_bias"), part["mask"], part["weighting"])


def _network(part: PartFields) -> PartStep:
    """A feed-forward layer with one activation."""
    return LinearMap(Activate(LinearMap(Read(), "W1", "b1"), part["activation"]), "W2", "b2")


def _gated(part: PartFields) -> PartStep:
    """A feed-forward layer with gated units."""
    gate = Activate(LinearMap(Read(), "gate", "gate_bias"), part["activation"])
    return LinearMap(Multiply(gate, LinearMap(Read(), "up", "up_bias")), "down", "down_bias")


def _projected(part: PartFields) -> PartStep:
    """What a norm is of: the coordinates that it reads, or their projection."""
    return Read() if part["projection"] is None else LinearMap(Read(), "projection", None)


def _layer_norm(part: PartFields) -> PartStep:
    """A layer norm."""
    return ScaleEntries(DivideByRms(Centre(_projected(part)), "epsilon", part["zero_variance"]), "gain", "bias")


def _rms_norm(part: PartFields) -> PartStep:
    """A norm that does not subtract the mean."""
    return ScaleEntries(DivideByRms(_projected(part), "epsilon", part["zero_square"]), "gain", None)


LOWERINGS: Mapping[str, Mapping[str, Callable[[PartFields], PartStep]]] = {
    "head": {"head": _head, "biased": _biased, "rotary": _rotary},
    "network": {"network": _network, "gated": _gated},
    "norm": {"norm": _layer_norm, "rms-norm": _rms_norm},
}
"""For each place where a part may stand, the kinds of parts that may stand there, and the steps of each. A part of the
kind that the place is named after does not say its kind in a model file or an archive; any other one does, by the key
"kind"."""


def kind_of(part: Mapping[str, Any], place: str) -> str:
    """The kind of a part of a model file or an archive at a place."""
    kind = str(part.get("kind", place))
    if kind not in LOWERINGS[place]:
        raise BadInput(f"the kind of a part must be {' or '.join(LOWERINGS[place])}", kind)
    return kind


def steps_of(part: Mapping[str, Any], place: str) -> PartStep:
    """The steps of a part of a model file or an archive at a place."""
    return LOWERINGS[place][kind_of(part, place)](part)


def unknown_step(engine: str, step: object) -> NoReturn:
    """The refusal of a step by an engine that does not know it."""
    raise BadInput(f"a part must have only steps that {engine} knows", type(step).__name__)


def attention(step: PartStep) -> Attend | None:
    """The step of a head; None for a part that computes each position by itself."""
    return step if isinstance(step, Attend) else None


def fixed_numbers(step: PartStep) -> frozenset[str]:
    """The names of the fields whose numbers are the same at all positions."""
    match step:
        case Read():
            return frozenset()
        case LinearMap(of, matrix, bias) | ScaleEntries(of, matrix, bias):
            return fixed_numbers(of) | {matrix} | ({bias} if bias is not None else frozenset())
        case Activate(of, _) | Centre(of):
            return fixed_numbers(of)
        case Rotate(of, angles):
            return fixed_numbers(of) | {angles}
        case DivideByRms(of, epsilon, _):
            return fixed_numbers(of) | {epsilon}
        case Multiply(left, right):
            return fixed_numbers(left) | fixed_numbers(right)
        case Attend(Products(queries, keys, _, _), values, _, _):
            return fixed_numbers(queries) | fixed_numbers(keys) | fixed_numbers(values)
        case Attend(ByDistance(products, slope), values, mask, weighting):
            return fixed_numbers(Attend(products, values, mask, weighting)) | {slope}
    unknown_step("what names numbers", step)


def placed_numbers(step: PartStep) -> tuple[str, ...]:
    """The names of the fields whose numbers may depend on the position i and the length n."""
    match step:
        case Attend(Products(_, _, scale, temperature), _, _, _):
            return scale, temperature
        case Attend(ByDistance(Products(_, _, scale, temperature), _), _, _, _):
            return scale, temperature
        case Read() | LinearMap(_, _, _) | Activate(_, _) | Multiply(_, _):
            return ()
        case Centre(_) | DivideByRms(_, _, _) | ScaleEntries(_, _, _) | Rotate(_, _):
            return ()
    unknown_step("what names numbers", step)
