"""How large the coordinates of a model can be in absolute value, over all strings: a bound by constants, where one is
found.

The bound follows the model block by block with the triangle inequality. It is right and seldom tight.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symcook.model.expr import Tree
from symcook.model.parts import FeedForward, Head, LayerNorm, Sublayer
from symcook.model.reads import PartsRead
from symcook.model.symbols import Number
from symcook.model.transformer import Transformer

READS = PartsRead("the sizes of coordinates")
Sizes = Mapping[str, Fraction | None]
"""{coordinate: a number that its absolute value does not exceed; None where none is found}."""
WITHIN_ONE = frozenset({"cos", "sin", "tanh", "sign"})
"""Functions of the grammar whose values are from -1 to 1."""


def size(number: Number) -> Fraction | None:
    """A bound of the absolute value of a number of a model."""
    if isinstance(number, Fraction):
        return abs(number)
    from symcook.numbers.balls import fraction_of
    from symcook.numbers.evaluate import evaluate

    ball = evaluate(number).abs_upper()
    return fraction_of(ball) if ball.is_finite() else None


def plus(*parts: Fraction | None) -> Fraction | None:
    """A bound of a sum, from those of its terms."""
    known = [part for part in parts if part is not None]
    return sum(known, Fraction(0)) if len(known) == len(parts) else None


def times(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    """A bound of a product. Zero times anything is zero."""
    if a == 0 or b == 0:
        return Fraction(0)
    return None if a is None or b is None else a * b


def row(weights: Mapping[Any, Number], sizes: Mapping[Any, Fraction | None]) -> Fraction | None:
    """A bound of one row of a matrix times the coordinates."""
    return plus(*(times(size(weight), sizes.get(name, Fraction(0))) for name, weight in weights.items()))


def embedded(model: Transformer) -> dict[str, Fraction | None]:
    """Bounds of the coordinates of the embedding."""
    embedding, found = model.embedding, dict[str, Fraction | None]()
    for name in model.space:
        table = embedding.tables.get(name, {})
        sizes = [size(number) for number in table.values()]
        largest = None if None in sizes else max((one for one in sizes if one is not None), default=Fraction(0))
        if name in (embedding.inputs or ()):
            largest = None
        place = embedding.places.get(name, Fraction(0))
        found[name] = plus(largest, abs(place) if isinstance(place, Fraction) else of_position(place, embedding.start))
    return found


def of_position(tree: Tree, start: int) -> Fraction | None:
    """A bound of a position function for all i and n, where i counts from `start` and n from 1."""
    tag = tree[0]
    if tag == "num":
        return abs(Fraction(tree[1], tree[2]))
    if tag == "ind":
        return Fraction(1)
    if tag == "neg":
        return of_position(tree[1], start)
    if tag == "call":
        return Fraction(1) if tree[1] in WITHIN_ONE else None
    if tag == "if":
        branches = [of_position(branch, start) for branch in tree[2:4]]
        known = [branch for branch in branches if branch is not None]
        return max(known) if len(known) == 2 else None
    if tag == "/" and tree[1:3] == (("name", "i"), ("name", "n")):
        return Fraction(1)
    if tag in ("+", "-", "*", "/", "^"):
        a = of_position(tree[1], start)
        if tag == "^":  # an exponent of at least 0
            return Fraction(1) if a is not None and a <= 1 and least(tree[2], start) is not None else None
        if tag == "/":
            low = least(tree[2], start)
            return None if a is None or not low else a / low
        b = of_position(tree[2], start)
        return times(a, b) if tag == "*" else plus(a, b)
    return None


def least(tree: Tree, start: int) -> Fraction | None:
    """A number above or equal to 0 that a position function is at least; None where none is found."""
    tag = tree[0]
    if tag == "num":
        return Fraction(tree[1], tree[2]) if tree[1] >= 0 else None
    if tag == "name" and tree[1] in ("i", "n"):
        return Fraction(start if tree[1] == "i" else 1)
    if tag in ("+", "*"):
        a, b = least(tree[1], start), least(tree[2], start)
        return None if a is None or b is None else a + b if tag == "+" else a * b
    if tag == "^":
        base, exponent = least(tree[1], start), least(tree[2], start)
        return Fraction(1) if base is not None and base >= 1 and exponent is not None else None
    return None


def seen(step: Sublayer, sizes: Sizes) -> Sizes:
    """Bounds of what the block of a step reads."""
    if not step.before:
        return sizes
    return {name: bound for norm in step.before for name, bound in normalised(norm).items()}


def normalised(norm: LayerNorm) -> dict[str, Fraction | None]:
    """Bounds of the outputs of a norm: of m entries with mean 0 and variance at most 1, none is over m."""
    m, numbers = Fraction(len(norm.writes)), norm.lowered
    rows = zip(norm.writes, numbers["gain"], numbers["bias"], strict=True)
    return {name: plus(times(size(gain), m), size(bias)) for name, gain, bias in rows}


def added(part: Head | FeedForward, sizes: Sizes) -> dict[str, Fraction | None]:
    """Bounds of what a head or a feed-forward layer adds, from those of what it reads."""
    match part:
        case Head():  # a mean of values, or 0
            return {name: row(weights, sizes) for name, weights in zip(part.writes, part.lowered["V"], strict=True)}
        case FeedForward():
            numbers = part.lowered
            inside = [
                plus(row(weights, sizes), size(bias))
                for weights, bias in zip(numbers["W1"], numbers["b1"], strict=True)
            ]
            # relu, gelu and its approximations are no larger than their arguments.
            hidden = [Fraction(1)] * len(inside) if part.activation == "step" else inside
            outputs = zip(part.writes, numbers["W2"], numbers["b2"], strict=True)
            return {name: plus(row(weights, dict(enumerate(hidden))), size(bias)) for name, weights, bias in outputs}
        case _:
            READS.refuse(type(part))


def sizes_after(model: Transformer, steps: int) -> dict[str, Fraction | None]:
    """Bounds of the coordinates after so many sublayers of the model."""
    sizes = embedded(model)
    for step in READS.of(model).sublayers[:steps]:
        view = seen(step, sizes)
        for part in step.parts:
            for name, bound in added(part, view).items():
                sizes[name] = plus(sizes[name], bound)
        if step.after is not None:
            sizes |= normalised(step.after)
    return sizes
