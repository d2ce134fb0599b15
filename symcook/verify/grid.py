"""Checks of feed-forward recipes on a grid of rational points: simple numbers, and points at which a unit or the region
changes."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from symcook.door import Progress
from symcook.errors import BadInput
from symcook.model.expr import Tree, children, names, show
from symcook.model.meaning import conjuncts
from symcook.model.parts import FeedForward
from symcook.model.rationals import rational, truth
from symcook.model.reads import NORMS_AND_GATES, PartsRead
from symcook.model.symbols import Exact, fraction, symbol
from symcook.model.transformer import Parameter, Transformer
from symcook.verify.answers import BLOCK, InputPart, Reference, braces, region_tree
from symcook.verify.comparison import Comparison, Numbers, Tally
from symcook.verify.findings import Check, found

READS = PartsRead("the check on a grid", **NORMS_AND_GATES)

SYMBOLS = tuple(Fraction(1, q) for q in (1, 2, 7, 1000))
"""The values of a symbol that has no default; only those that are valid are used."""
POINTS = 20_000
"""The greatest number of grid points at one assignment of the symbols, before the region restricts them."""

_FEW = [Fraction(v) for v in (0, 1)]
_SMALL = [*_FEW, *map(Fraction, (-1, 2)), Fraction(1, 2)]
_MEDIUM = [
    *_SMALL,
    *map(Fraction, (-2, 3, 1000, -1000)),
    *(Fraction(p, q) for p, q in ((-1, 2), (1, 7), (-1, 7), (1, 1000))),
]
_FINE = [*_MEDIUM, *(Fraction(k, 4) for k in range(-16, 17)), *(Fraction(k, 3) for k in (-7, -2, -1, 1, 2, 7)),
         Fraction(-1, 1000), Fraction(10), Fraction(-10)]  # fmt: skip
LEVELS = (_FINE, _MEDIUM, _SMALL, _FEW)
"""The values that each input may take, from the finest grid to the coarsest."""

GridPoint = dict[str, Fraction]
"""{name: value}, of inputs or of symbols."""


def check_grid(
    model: Transformer,
    reference: Reference,
    region: str | Tree | None = None,
    *,
    values: Mapping[str, Exact] | None = None,
    progress: Progress | None = None,
    numbers: Numbers | None = None,
    within: Tree | None = None,
) -> Check:
    """Compare a feed-forward recipe with `reference` on its grid inside `region` (a formula over inputs and symbols).

    The reference is given {input or symbol: Fraction} and returns {coordinate: Fraction} (or a number, or a bool
    where the model decides). `values` sets symbols; `numbers` says in which the model is run, `within` how far off it
    may be. Raises BadInput where the grid would be empty or too large, or the reference returns something else than
    exact numbers.
    """
    start = time.perf_counter()
    tree = region_tree(region)
    inputs = model.embedding.inputs
    if inputs is None or not model.pointwise:
        raise BadInput(
            "a grid needs a feed-forward recipe", model.name, "give a recipe that computes a function of numbers"
        )
    # For every assignment of the symbols, the points of its grid inside the region.
    settings = list(_settings(model, values or {}, tree))
    grids = [(setting, _points(model, inputs, tree, setting)) for setting in settings]
    total = sum(len(points) for _, points in grids)
    if total == 0:
        raise BadInput(
            "the region must hold at some point of the grid", show(tree), "choose a grid with points in the region"
        )
    from symcook.domains.batch import Grid

    numbers = numbers or Numbers()
    tasks: list[tuple[Comparison, Tally]] = []
    for setting, points in grids:
        if points:
            task = Comparison(model.bind(setting), reference, numbers, setting, within)
            # Progress counts the points of all assignments together.
            before = sum(tally.strings for _, tally in tasks)
            tick = None if progress is None else lambda done, before=before: progress(before + done, total)
            tasks.append((task, task.compare(map(InputPart, Grid((points,)).blocks(BLOCK)), tick)))
    tolerance = "" if within is None else f", within {show(within)}"
    method = f"{numbers.text}{tolerance}, on {_describe(inputs, grids, tree)}; {tasks[-1][0].way(tasks[-1][1])}"
    return found(tasks, model.name, None, method, time.perf_counter() - start)


def _settings(model: Transformer, given: Mapping[str, Exact], region: Tree) -> Iterator[GridPoint]:
    """Every assignment of the symbols inside the region: the given value, else the default, else each valid one of
    `SYMBOLS`."""
    fixed = {name: fraction(value) for name, value in model.values(given, require=False).items()}
    choices: dict[str, list[Fraction]] = {}
    for parameter in model.parameters:
        name = parameter.name
        if name in fixed:
            choices[name] = [fixed[name]]
        elif parameter.default is not None:
            choices[name] = [fraction(parameter.default)]
        else:
            valid = [v for v in SYMBOLS if _valid(parameter, v)]
            if not valid:
                raise BadInput(
                    f"the parameter {name} must have a value", "none", f"give a value with {parameter.region}"
                )
            choices[name] = valid
    parts = [part for part in conjuncts(region) if names(part) <= set(choices)]
    for combination in itertools.product(*choices.values()):
        setting = dict(zip(choices, combination, strict=True))
        if all(truth(part, setting) for part in parts):
            yield setting


def _valid(parameter: Parameter, value: Fraction) -> bool:
    """Whether a symbol may have this value."""
    try:
        parameter.check(value)
    except BadInput:
        return False
    return True


def _points(model: Transformer, inputs: Sequence[str], region: Tree, setting: GridPoint) -> list[GridPoint]:
    """The points of the grid inside the region, simple numbers first."""
    # Conditions on one input and the symbols restrict this input (`own`); all others are checked at the end (`cross`).
    special = {name: _special(model, name, inputs, region, setting) for name in inputs}
    parts = conjuncts(region)
    own = {name: [part for part in parts if names(part) <= {name, *setting}] for name in inputs}
    cross = [part for part in parts if not any(part in own[name] for name in inputs)]

    def inside(name: str, candidates: Iterable[Fraction]) -> list[Fraction]:
        """The candidates that the conditions on this input allow, simple numbers first."""
        own_values = (v for v in set(candidates) if all(truth(part, setting | {name: v}) for part in own[name]))
        return sorted(own_values, key=lambda v: (max(abs(v.numerator), v.denominator), abs(v), v < 0))

    # The finest level with at most `POINTS` points, special values included; if none fits, the coarsest without special
    # values.
    for level, extra in [*((level, True) for level in LEVELS), (_FEW, False)]:
        axes = [inside(name, [*level, *(special[name] if extra else ())]) for name in inputs]
        if math.prod(map(len, axes)) <= POINTS:
            combinations: Iterable[Sequence[Fraction]] = itertools.product(*axes)
            break
    else:  # there are too many inputs even for two values each
        combinations = _one_at_a_time([inside(name, [*_SMALL, *special[name]]) for name in inputs])
    result = [dict(zip(inputs, values, strict=True)) for values in combinations]
    if cross:
        result = [point for point in result if all(truth(part, point | setting) for part in cross)]
    return result


def _one_at_a_time(axes: Sequence[Sequence[Fraction]]) -> Iterator[Sequence[Fraction]]:
    """Points that differ in at most one input from a base point, whose inputs all have their k-th value, k < 3."""
    if all(axes):
        for base in range(3):
            middle = [axis[min(base, len(axis) - 1)] for axis in axes]
            yield middle
            for place, axis in enumerate(axes):
                yield from ([*middle[:place], v, *middle[place + 1 :]] for v in axis if v != middle[place])


def _special(model: Transformer, name: str, inputs: Sequence[str], region: Tree, setting: GridPoint) -> set[Fraction]:
    """Values of one input at which something changes: edges of the region, zeros of first-layer units, and the values
    of symbols; also the midpoints between them, and points near and beyond them."""
    turns = set(_edges(region, name, inputs, setting)) | set(_bends(model, name, setting))
    for value in setting.values():
        turns |= {value, -value}
    ordered = sorted(turns)
    beside = {(a + b) / 2 for a, b in zip(ordered, ordered[1:], strict=False)}
    for edge in ordered:
        beside |= {edge - Fraction(1, 1000), edge + Fraction(1, 1000)}
    if ordered:
        beside |= {ordered[0] - 1, ordered[-1] + 1}
    for value in setting.values():
        beside |= {value / 2, -value / 2, 2 * value, 1 - value, 1 + value}
    return turns | beside


def _bends(model: Transformer, name: str, setting: GridPoint) -> Iterator[Fraction]:
    """The zeros of the hidden units of the first layer that read the input `name` only."""
    block = READS.of(model).layers[0].feedforward
    if not isinstance(block, FeedForward) or name not in block.reads:
        return
    table = {symbol(key): value for key, value in setting.items()}
    at = block.reads.index(name)
    for h in range(block.hidden):
        weights = [w.subs(table) for w in block.W1[h, :]]
        zero = block.b1[h].subs(table)
        if weights[at] != 0 and all(w == 0 for c, w in enumerate(weights) if c != at):
            point = -zero / weights[at]
            if point.is_Rational:
                yield fraction(point)


def _edges(region: Tree, name: str, inputs: Sequence[str], setting: GridPoint) -> Iterator[Fraction]:
    """Values of one input at which a comparison in the region may change its truth. They are found for comparisons that
    are affine in the input for large values of either sign."""
    samples = (Fraction(0), Fraction(1), Fraction(1, 2), Fraction(-1))
    for atom, bound in _atoms(region, {}):
        if name not in names(atom):
            continue
        free = [name_free for name_free in inputs if name_free != name and name_free in names(atom)]
        for combination in itertools.product(samples, repeat=len(free)):
            assigned = setting | bound | dict(zip(free, combination, strict=True))
            # Three consecutive values far from 0 show whether the difference of both sides is affine there, and where
            # that line is 0.
            for far in (10**6, -(10**6)):
                try:
                    a, b, c = (
                        rational(("-", atom[1], atom[2]), assigned | {name: Fraction(far + step)}) for step in range(3)
                    )
                except BadInput:
                    continue  # a value is not rational, or a name has no value: no edge from this comparison
                if a - 2 * b + c == 0 and a != b:
                    yield far - a / (b - a)


def _atoms(tree: Tree, bound: GridPoint) -> Iterator[tuple[Tree, GridPoint]]:
    """The comparisons in a formula, each with values of the quantified variables around it (at most 65 of each).
    Comparisons under a quantifier whose ends have no rational value are left out."""
    if tree[0] in ("=", "<=", "<"):
        yield tree, bound
    elif tree[0] in ("all in", "ex in"):
        try:
            low, high = rational(tree[2], bound), rational(tree[3], bound)
        except BadInput:
            return
        for j in range(math.ceil(low), min(math.floor(high), math.ceil(low) + 64) + 1):
            yield from _atoms(tree[4], bound | {tree[1]: Fraction(j)})
    else:
        for child in children(tree):
            yield from _atoms(child, bound)


def _describe(inputs: Sequence[str], grids: Sequence[tuple[GridPoint, list[GridPoint]]], region: Tree) -> str:
    """The grid in words: how many values each input and each symbol takes, and their extremes."""
    parts = []
    for name in inputs:
        values_taken = {point[name] for _, points in grids for point in points}
        parts.append(f"{name}: {_extent(values_taken)}")
    for name in grids[0][0]:
        parts.append(f"{name} in {braces(sorted({s[name] for s, _ in grids}, reverse=True))}")
    where = "" if region == ("true",) else f", in the region {show(region)} and at its edges"
    return f"a rational grid ({'; '.join(parts)}){where}"


def _extent(values: set[Fraction]) -> str:
    """A set of numbers as text: all of them, or how many and the extremes."""
    ordered = sorted(values)
    if len(ordered) <= 8:
        return braces(ordered)
    return f"{len(ordered)} values from {ordered[0]} to {ordered[-1]}"
