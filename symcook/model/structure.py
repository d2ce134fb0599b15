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
from symcook.model.parts import Sublayer
from symcook.model.reads import KIND_NAMES, STEP_WORDS, StepsRead
from symcook.model.steps import Attend, LinearMap, attention, unknown_step
from symcook.model.symbols import exact, from_sympy, tree_from_sympy
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    from sympy import Expr

READS = StepsRead("the comparison of structures", **STEP_WORDS)
ZERO = Fraction(0)
LENGTH = 12
"""Position functions that sympy does not prove equal are compared numerically on inputs up to this length."""
LONGEST = 32
"""Where the maximum length of a model is at most this, they are compared at all positions of all inputs."""
SHOWN = 60
"""A position function whose text is longer than this is shown by one of its values."""


@dataclass(frozen=True)
class Difference:
    """A property of two models with different values: `what` names it, `first` and `second` are the values as text.

    `decided` is False where the values may be equal. `limit` is True for the first position and for the maximum length,
    which runs on short inputs do not show.
    """

    what: str
    first: str
    second: str
    decided: bool = True
    limit: bool = False

    def __str__(self) -> str:
        if not self.decided:
            return f"symcook cannot decide whether {self.what} is the same: {self.first} and {self.second}"
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
    # Coordinates. `called` maps the names of `other` to those of `one`, `there` is its inverse.
    called = {name: name for name in other.space} if names is None else names
    there = {called[name]: name for name in other.space}
    for name in dict.fromkeys((*one.space, *there)):
        if name not in there or name not in one.space:
            first, second = ("absent", "there") if name not in one.space else ("there", "absent")
            yield Difference(f"the coordinate {name}", first, second)
    # Tokens and lengths.
    ours, theirs = one.embedding, other.embedding
    for end in ("before", "after"):
        if (first_token := getattr(ours, end)) != (second_token := getattr(theirs, end)):
            yield Difference(f"the token {end} every input", first_token or "none", second_token or "none")
    if ours.start != theirs.start:
        yield Difference("the number of the first position", str(ours.start), str(theirs.start), limit=True)
    if one.max_length != other.max_length:
        longest, other_longest = (str(model.max_length or "unlimited") for model in (one, other))
        yield Difference("the maximum length", longest, other_longest, limit=True)
    # Position functions. One that a model does not have counts as zero.
    starts = ours.start, theirs.start
    longest_shared = min((model.max_length for model in (one, other) if model.max_length is not None), default=None)
    for name in dict.fromkeys((*ours.positions, *(called[name] for name in theirs.positions))):
        first_value, second_value = (
            exact(f) for f in (ours.positions.get(name, 0), theirs.positions.get(there.get(name, name), 0))
        )
        same, place = _same_function(first_value, second_value, starts, longest_shared, near)
        if same is not True:
            yield Difference(
                *_shown(f"the position function of {name}", first_value, second_value, place), same is False
            )
    # Sublayers, and the output layer.
    yield from _sublayers(one, other, called)
    for part in ("kind", "position", "reads", "labels", "groups"):
        first_value, second_value = getattr(one.readout, part), getattr(other.readout, part)
        if part == "reads":
            second_value = tuple(called.get(name, name) for name in second_value)
        if first_value != second_value:
            yield Difference(f"the {part} of the readout", str(first_value), str(second_value))


def _same_function(
    left: Expr, right: Expr, starts: tuple[int, int], longest: int | None, near: Fraction
) -> tuple[bool | None, tuple[dict[str, int], dict[str, int]] | None]:
    """Whether two position functions are equal (within `near`) at all positions of all inputs, None where that is not
    decided; and, where they are not, the first position at which they differ, as {"i", "n"} in each model.

    `starts` are the numbers of the first position in the two models, `longest` is the maximum length, if any.
    """
    import sympy
    from flint import arb

    from symcook.numbers.evaluate import evaluate

    # Equal as expressions. This shows nothing where the models number positions differently: i is not the same then.
    if starts[0] == starts[1]:
        if left == right:
            return True, None
        try:
            if sympy.cancel(left - right) == 0:
                return True, None
        except sympy.PolynomialError:  # with cases
            pass
    # Numerically. Where the maximum length is small, all positions of all inputs are compared. Otherwise short inputs
    # are compared, which can find a difference but not prove equality.
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
            except (BadInput, Undecided):  # no value at this position, or a symbol without a value
                equal = False
                continue
            if apart > tolerance:
                return False, (places[0], places[1])
            equal &= apart <= tolerance
    return True if equal else None, None


def _shown(
    what: str, left: Expr, right: Expr, place: tuple[dict[str, int], dict[str, int]] | None
) -> tuple[str, str, str]:
    """The fields `what`, `first` and `second` of a `Difference` of two position functions. Long functions are shown by
    their values at `place`, where they differ."""
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
    """Differences in the kinds of sublayers. Where the kinds agree: differences in the masks and weightings of heads,
    and in the coordinates that each sublayer writes. Heads are compared in order; their numbers may differ."""
    kinds, other_kinds = (", ".join(map(_kind, READS.of(model).sublayers)) or "none" for model in (one, other))
    if kinds != other_kinds:
        yield Difference("the sequence of sublayers", kinds, other_kinds)
        return
    own_names = {name: name for name in one.space}
    for ours, theirs in zip(READS.of(one).sublayers, READS.of(other).sublayers, strict=True):
        for number, ((_, step), (_, other_step)) in enumerate(zip(ours.heads, theirs.heads, strict=False), 1):
            for what in ("mask", "weighting"):
                if (value := getattr(step, what)) != (other_value := getattr(other_step, what)):
                    yield Difference(f"the {what} of head {number} of layer {ours.layer}", value, other_value)
        kinds, other_kinds = (_kinds(step) for step in (ours, theirs))
        if kinds != other_kinds:
            yield Difference(f"the list of parts of the {_kind(ours)}", kinds, other_kinds)
        written, other_written = _written(ours, own_names), _written(theirs, called)
        if written != other_written:
            listed, other_listed = (", ".join(sorted(names)) or "none" for names in (written, other_written))
            yield Difference(f"the list of coordinates that the {_kind(ours)} writes", listed, other_listed)


def _kind(step: Sublayer) -> str:
    """A sublayer in words, with its number of norms: "attention of layer 1 (norms: 1)"."""
    norms = len(step.before) + (step.after is not None)
    return f"{step.kind} of layer {step.layer}" + (f" (norms: {norms})" if norms and step.block is not None else "")


def _kinds(step: Sublayer) -> str:
    """The kinds of the parts of a sublayer, without heads, whose numbers may differ."""
    return ", ".join(KIND_NAMES[type(part).__name__] for part in step.all_parts if not attention(part.steps)) or "none"


def _written(step: Sublayer, called: Mapping[str, str]) -> set[str]:
    """The coordinates that a sublayer writes with a nonzero weight or bias, by the names that `called` gives them."""
    written = set[str]()
    for part in step.parts:
        match part.steps:
            case LinearMap(_, matrix, bias) | Attend(_, LinearMap(_, matrix, bias), _, _):
                matrices = [getattr(part, name) for name in (matrix, bias) if name is not None]
            case other:
                unknown_step("the comparison of structures", other)
        for row, name in enumerate(part.writes):
            if any(entry != 0 for matrix in matrices for entry in matrix[row, :]):
                written.add(called[name])
    return written
