"""Piecewise linear functions of several variables, as maxima of minima: Cookbook, Section 4.1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symcook.compose import rename
from symcook.errors import BadInput
from symcook.recipes import Argument, Recipe, kit
from symcook.recipes.arguments import fraction, split
from symcook.recipes.feedforward import Adapted, RecipeOutputs, recipe

MOST_PIECES = 64
"""The maximum number of affine pieces in all groups together."""
AffineForm = tuple[tuple[tuple[str, "kit.Fraction"], ...], "kit.Fraction"]
"""An affine form: the coefficient of each input, and the constant."""


def _pieces(given: object, name: str) -> tuple[tuple[AffineForm, ...], ...]:
    """The reader of groups of affine forms, from text such as ``0; x, y``, which means max(0, min(x, y))."""
    must = f"{name} must be affine expressions, separated by ',' in a minimum and by ';' between minima"
    if not isinstance(given, str) or not given.strip():
        raise BadInput(must, given or "nothing", f"give text such as {name}=0; x, y")
    groups = tuple(tuple(_affine(piece, must) for piece in split(group, ",")) for group in split(given, ";"))
    if sum(map(len, groups)) > MOST_PIECES:
        raise BadInput(
            f"{name} must have at most {MOST_PIECES} affine pieces", sum(map(len, groups)), "give fewer pieces"
        )
    if not inputs(groups):
        raise BadInput(f"{name} must name an input", given, f"give text such as {name}=0; x, y")
    return groups


def _affine(text: str, must: str) -> AffineForm:
    """The coefficients and the constant of an affine expression; BadInput for any other."""
    if not text.strip():
        raise BadInput(must, "an empty piece", "give text such as 2*x - y + 1/2")
    kit.parse_term(text)  # a text such as "x) + (y" is wrong, though relu(x) + (y) below is not
    try:
        block = kit.feedforward({"piece": f"relu({text})"})
    except BadInput:
        raise BadInput(must, text.strip(), "give text such as 2*x - y + 1/2") from None
    kit.Space((*block.reads, "out"))  # BadInput for an input that is called out
    weights = [fraction(value, "a coefficient") for value in block.W1]
    named = tuple((input_name, c) for input_name, c in zip(block.reads, weights, strict=True) if c)
    return named, fraction(block.b1[0], "a constant")


def inputs(pieces: tuple[tuple[AffineForm, ...], ...]) -> tuple[str, ...]:
    """The inputs that occur in the pieces, in alphabetical order."""
    return tuple(sorted({input_name for group in pieces for named, _ in group for input_name, _ in named}))


def _evaluated(function: Callable[..., RecipeOutputs], known: Mapping[str, Any]) -> Adapted:
    """The reference with the groups as its argument; coefficients are given as dictionaries."""
    groups = [[(dict(named), constant) for named, constant in group] for group in known["pieces"]]
    return lambda given: function(given, groups=groups)


@recipe(
    summary="a piecewise linear function of several variables: a maximum of minima",
    source="Cookbook, Section 4.1 (several variables)",
    formula="max(0, min(x, y))",
    uniformity="No weight depends on the length. With g minima of at most h pieces there are 1 + ceil(log2 h) + "
    "ceil(log2 g) layers.",
    claims="t1.cpwl s4.1.def4.1_cpwl s4.1.multivariate_depth",
    arguments=(Argument("pieces", "0; x, y", "affine pieces: ',' inside a minimum, ';' between the minima", _pieces),),
    adapt=_evaluated,
)
def max_min(this: Recipe, pieces: tuple[tuple[AffineForm, ...], ...]) -> kit.Transformer:
    """Every continuous piecewise linear function is the maximum of minima of its pieces; a layer computes the pieces,
    and each further one the minimum or maximum of pairs.

    out = max over groups of min over the affine pieces of a group.

    pieces: groups separated by ';' of affine expressions separated by ',', at most 64 in all; their names are the
    inputs. Layer 1 computes every piece, v = relu(v) - relu(-v); then pairs of a group become their minimum, as in
    Section 4.4, and at last pairs of groups their maximum; an odd one is copied. A function of several variables needs
    this depth in general: max(0, x, y) is no layer (Table 1 says "R^d -> R, exact"). The text cites Arora et al. 2018
    for O(log k) layers.
    """
    input_names = inputs(pieces)
    names_taken = set(input_names)

    def fresh(level: int, place: int) -> str:
        """A new coordinate for number `place` of the layer `level`; not the name of an input."""
        name = f"v{level}_{place}"
        while name in names_taken:
            name += "_"
        names_taken.add(name)
        return name

    # The first layer: a unit for each piece v and one for -v, since v = relu(v) - relu(-v).
    all_pieces = [piece for group in pieces for piece in group]
    names = [fresh(0, place) for place in range(1, len(all_pieces) + 1)]
    rows = [[dict(named).get(input_name, 0) for input_name in input_names] for named, _ in all_pieces]
    constants = [constant for _, constant in all_pieces]
    first_weights, piece_numbers = [*rows, *([-c for c in row] for row in rows)], range(len(all_pieces))
    first = kit.FeedForward(
        input_names,
        tuple(names),
        first_weights,
        [*constants, *(-c for c in constants)],
        [[int(k == r) for k in piece_numbers] + [-int(k == r) for k in piece_numbers] for r in piece_numbers],
        [0] * len(all_pieces),
    )
    # `level` has the coordinates of each group. Each further layer replaces pairs by their minimum, until every group
    # has one coordinate; then pairs of groups by their maximum, until there is one group.
    layers, space, unused_names = [kit.Layer(None, first)], [*input_names, *names], iter(names)
    level = [[next(unused_names) for _ in group] for group in pieces]
    while len(level) > 1 or len(level[0]) > 1:
        minimum = any(len(group) > 1 for group in level)
        formulas: dict[str, str] = {}
        groups = level if minimum else [[group[0] for group in level]]
        merged = []
        for group in groups:
            merged.append([])
            for place in range(0, len(group), 2):
                # The last of an odd number of coordinates is paired with itself, and so copied.
                a, b = group[place], (group[place : place + 2])[-1]
                name = fresh(len(layers), len(formulas) + 1)
                # min(a, b) = a - relu(a - b), max(a, b) = a + relu(b - a), and a = relu(a) - relu(-a).
                change = "" if a == b else f" - relu({a} - {b})" if minimum else f" + relu({b} - {a})"
                formulas[name] = f"relu({a}) - relu(-{a}){change}"
                merged[-1].append(name)
        layers.append(kit.Layer(None, kit.feedforward(formulas)))
        space += formulas
        level = merged if minimum else [[piece_name] for piece_name in merged[0]]
    model = this.model(
        kit.Embedding(kit.Space(tuple(space)), inputs=input_names),
        tuple(layers),
        kit.Readout("value", "last", (level[0][0],)),
    )
    return rename(model, {level[0][0]: "out"})
