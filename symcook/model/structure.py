"""The structure of a model: what two models must share before their numbers are compared.

`differences` is the one place that says whether two models have the same structure. `diff` prints its sentences, and
an instance certificate is made only where there are none: a model whose blocks write other coordinates has other runs,
even if its answers are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symcook.errors import BadInput, Undecided
from symcook.model.parts import Head, Sublayer
from symcook.model.symbols import exact, from_sympy, tree_from_sympy
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    from sympy import Expr

ZERO = Fraction(0)
LENGTH = 12
"""Position functions that are not seen to be equal are compared in numbers at inputs up to this length."""
LONGEST = 32
"""Where no input of a model is longer than this, they are compared at all positions there are."""
SHOWN = 60
"""A position function of more characters is shown by a value."""


@dataclass(frozen=True)
class Difference:
    """What two models have in common by name and not by value; `decided` is False where that is not known. `limit` is
    True of the first position and the maximum length, which no run on a shorter input shows."""

    what: str
    first: str
    second: str
    decided: bool = True
    limit: bool = False

    def __str__(self) -> str:
        if not self.decided:
            return f"whether {self.what}, {self.first} and {self.second}, is the same is undecided"
        return f"{self.what} is {self.first} and {self.second}"


def differences(
    one: Transformer, other: Transformer, names: Mapping[str, str] | None = None, near: Fraction = ZERO
) -> Iterator[Difference]:
    """Each difference in structure between two models; nothing where they share all of it.

    Arguments:
        one, other: the models.
        names: for each coordinate of `other` what it is called in `one`; without it, the same.
        near: position functions are the same where their values are at most so far apart.

    Compared are coordinates, added tokens, the first position, the maximum length, position functions, sublayers (kind
    and norms), the mask and weighting of heads, which coordinates each sublayer writes, and the output layer. Weights
    are not.
    """
    # Coordinates, by the names that they have in `one`.
    called = {name: name for name in other.space} if names is None else names
    there = {called[name]: name for name in other.space}
    for name in dict.fromkeys((*one.space, *there)):
        if name not in there or name not in one.space:
            here, far = (("there", "absent"), ("absent", "there"))[name not in one.space]
            yield Difference(f"the coordinate {name}", here, far)
    # Tokens and lengths.
    ours, theirs = one.embedding, other.embedding
    for end in ("before", "after"):
        if (ours_end := getattr(ours, end)) != (theirs_end := getattr(theirs, end)):
            yield Difference(f"the token {end} every input", ours_end or "none", theirs_end or "none")
    if ours.start != theirs.start:
        yield Difference("the number of the first position", str(ours.start), str(theirs.start), limit=True)
    if one.max_length != other.max_length:
        longest, far_longest = (str(model.max_length or "unlimited") for model in (one, other))
        yield Difference("the maximum length", longest, far_longest, limit=True)
    # Position functions. Where a model has none for a coordinate, it is zero.
    starts = ours.start, theirs.start
    most = min((model.max_length for model in (one, other) if model.max_length is not None), default=None)
    for name in dict.fromkeys((*ours.positions, *(called[name] for name in theirs.positions))):
        ours_value, theirs_value = (
            exact(f) for f in (ours.positions.get(name, 0), theirs.positions.get(there.get(name, name), 0))
        )
        same, place = _same_function(ours_value, theirs_value, starts, most, near)
        if same is not True:
            yield Difference(
                *_shown(f"the position function of {name}", ours_value, theirs_value, place), same is False
            )
    # Sublayers, and the output layer.
    yield from _sublayers(one, other, called)
    for part in ("kind", "position", "reads", "labels", "groups"):
        ours_value, theirs_value = getattr(one.readout, part), getattr(other.readout, part)
        if part == "reads":
            theirs_value = tuple(called.get(name, name) for name in theirs_value)
        if ours_value != theirs_value:
            yield Difference(f"the {part} of the readout", str(ours_value), str(theirs_value))


def _same_function(
    left: Expr, right: Expr, starts: tuple[int, int], longest: int | None, near: Fraction
) -> tuple[bool | None, tuple[dict[str, int], dict[str, int]] | None]:
    """Whether two position functions are equal at all positions of all inputs, None where that is not decided; and the
    first position with two values, as the models number it."""
    import sympy
    from flint import arb

    from symcook.numbers.evaluate import evaluate

    # Equal as expressions. With another first position i means another index, so only numbers can tell.
    if starts[0] == starts[1]:
        if left == right:
            return True, None
        try:
            if sympy.cancel(left - right) == 0:
                return True, None
        except sympy.PolynomialError:  # with cases
            pass
    # In numbers: all positions of all inputs, where the longest is short; else a difference may be found, and no
    # equality.
    trees, tolerance = (tree_from_sympy(left), tree_from_sympy(right)), arb(near.numerator) / near.denominator
    equal = longest is not None and longest <= LONGEST
    for n in range(1, (longest if longest is not None and equal else LENGTH) + 1):
        for k in range(n):
            places = tuple({"i": start + k, "n": n} for start in starts)
            try:
                values = (
                    evaluate(tree, {name: arb(number) for name, number in place.items()})
                    for tree, place in zip(trees, places, strict=True)
                )
                apart = abs(next(values) - next(values))
            except (BadInput, Undecided):  # no value there, or a symbol without one
                equal = False
                continue
            if apart > tolerance:
                return False, (places[0], places[1])
            equal &= apart <= tolerance
    return True if equal else None, None


def _shown(
    what: str, left: Expr, right: Expr, place: tuple[dict[str, int], dict[str, int]] | None
) -> tuple[str, str, str]:
    """What two position functions are called, and how they are written: long ones by their values where they differ."""
    texts = from_sympy(left), from_sympy(right)
    if max(map(len, texts)) <= SHOWN:
        return what, *texts
    if place is None:
        first, second = (text if len(text) <= SHOWN else f"{text[:SHOWN]}..." for text in texts)
        return what, first, second
    first, second = (
        from_sympy(function.subs({symbol: at[str(symbol)] for symbol in function.free_symbols if str(symbol) in at}))
        for function, at in zip((left, right), place, strict=True)
    )
    return f"{what} at i = {place[0]['i']}, n = {place[0]['n']}", first, second


def _sublayers(one: Transformer, other: Transformer, called: Mapping[str, str]) -> Iterator[Difference]:
    """Differences in the kinds of sublayers; where these agree, in heads and in what each sublayer writes."""
    kinds, far_kinds = (", ".join(map(_kind, model.sublayers)) or "none" for model in (one, other))
    if kinds != far_kinds:
        yield Difference("the sequence of sublayers", kinds, far_kinds)
        return
    same = {name: name for name in one.space}
    for ours, theirs in zip(one.sublayers, other.sublayers, strict=True):
        heads = ([part for part in step.parts if isinstance(part, Head)] for step in (ours, theirs))
        for place, (head, far) in enumerate(zip(*heads, strict=False), 1):
            for what in ("mask", "weighting"):
                if (own_value := getattr(head, what)) != (far_value := getattr(far, what)):
                    yield Difference(
                        f"the {what} of head {place} of layer {ours.layer}", str(own_value), str(far_value)
                    )
        written, far_written = _written(ours, same), _written(theirs, called)
        if written != far_written:
            listed, far_listed = (", ".join(sorted(names)) or "none" for names in (written, far_written))
            yield Difference(f"the list of coordinates that the {_kind(ours)} writes", listed, far_listed)


def _kind(step: Sublayer) -> str:
    norms = len(step.before) + (step.after is not None)
    return f"{step.kind} of layer {step.layer}" + (f" (norms: {norms})" if norms and step.block is not None else "")


def _written(step: Sublayer, called: Mapping[str, str]) -> set[str]:
    """The coordinates that a sublayer writes, without those whose weights are all 0."""
    written = set[str]()
    for part in step.parts:
        matrices = (part.V,) if isinstance(part, Head) else (part.W2, part.b2)
        for row, name in enumerate(part.writes):
            if any(entry != 0 for matrix in matrices for entry in matrix[row, :]):
                written.add(called[name])
    return written
