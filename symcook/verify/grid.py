"""The checks of feed-forward recipes on a grid, and what recipes say of themselves."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, NotExact
from symcook.model.expr import Tree, children, names, parse_formula, parse_term, show
from symcook.model.parts import FeedForward
from symcook.model.rationals import rational, truth
from symcook.model.symbols import Exact, fraction, symbol
from symcook.model.transformer import Parameter, Transformer
from symcook.numbers.columns import Column, valued
from symcook.recipes.words import WORDS, called, read
from symcook.run import run
from symcook.verify.answers import BLOCK, InputPart, Reference, braces, conjuncts, region_tree, rows
from symcook.verify.chunks import plan
from symcook.verify.comparison import DIGITS, Comparison, Numbers, Tally
from symcook.verify.sweep import Check, Progress, check, found

if TYPE_CHECKING:
    from symcook.recipes import Recipe

SYMBOLS = tuple(Fraction(1, q) for q in (1, 2, 7, 1000))
"""Values of a symbol that has no default."""
POINTS = 20_000
"""The greatest number of points of the product at one choice of the symbols, before the region restricts it."""

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

Point = dict[str, Fraction]


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
        raise BadInput("a grid needs a feed-forward recipe", model.name)
    settings = list(_settings(model, values or {}, tree))
    grids = [(setting, _points(model, inputs, tree, setting)) for setting in settings]
    total = sum(len(points) for _, points in grids)
    if total == 0:
        raise BadInput("the region must hold at some point of the grid", show(tree))
    from symcook.domains.batch import Grid

    numbers = numbers or Numbers()
    tasks: list[tuple[Comparison, Tally]] = []
    for setting, points in grids:
        if points:
            task = Comparison(model.bind(setting), reference, numbers, setting, within)
            before = sum(tally.strings for _, tally in tasks)
            tick = None if progress is None else lambda done, before=before: progress(before + done, total)
            tasks.append((task, task.compare(map(InputPart, Grid((points,)).blocks(BLOCK)), tick)))
    near = "" if within is None else f", within {show(within)}"
    method = f"{numbers.text}{near}, on {_describe(inputs, grids, tree)}; {tasks[-1][0].way(tasks[-1][1])}"
    return found(tasks, model.name, None, method, time.perf_counter() - start)


def _settings(model: Transformer, given: Mapping[str, Exact], region: Tree) -> Iterator[Point]:
    """Values of all symbols: what is given, else the default, else each of SYMBOLS that is valid."""
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
                raise BadInput(f"{name} must have a value here", "none", f"give one with {parameter.region}")
            choices[name] = valid
    parts = [part for part in conjuncts(region) if names(part) <= set(choices)]
    for combination in itertools.product(*choices.values()):
        setting = dict(zip(choices, combination, strict=True))
        if all(truth(part, setting) for part in parts):
            yield setting


def _valid(parameter: Parameter, value: Fraction) -> bool:
    try:
        parameter.check(value)
    except BadInput:
        return False
    return True


def _points(model: Transformer, inputs: Sequence[str], region: Tree, setting: Point) -> list[Point]:
    """The points of the grid inside the region, simple numbers first."""
    special = {name: _special(model, name, inputs, region, setting) for name in inputs}
    parts = list(conjuncts(region))
    own = {name: [part for part in parts if names(part) <= {name, *setting}] for name in inputs}
    cross = [part for part in parts if not any(part in own[name] for name in inputs)]

    def inside(name: str, candidates: Iterable[Fraction]) -> list[Fraction]:
        kept = (v for v in set(candidates) if all(truth(part, setting | {name: v}) for part in own[name]))
        return sorted(kept, key=lambda v: (max(abs(v.numerator), v.denominator), abs(v), v < 0))

    for level, extra in [*((level, True) for level in LEVELS), (_FEW, False)]:
        axes = [inside(name, [*level, *(special[name] if extra else ())]) for name in inputs]
        if math.prod(map(len, axes)) <= POINTS:
            combinations: Iterable[Sequence[Fraction]] = itertools.product(*axes)
            break
    else:
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


def _special(model: Transformer, name: str, inputs: Sequence[str], region: Tree, setting: Point) -> set[Fraction]:
    """Where something changes along one input: edges of the region, bends of first-layer ReLUs, symbols; the midpoints
    between such points, and points beyond the outermost."""
    turns = set(_edges(region, name, inputs, setting)) | set(_bends(model, name, setting))
    for value in setting.values():
        turns |= {value, -value}
    ordered = sorted(turns)
    near = {(a + b) / 2 for a, b in zip(ordered, ordered[1:], strict=False)}
    for edge in ordered:
        near |= {edge - Fraction(1, 1000), edge + Fraction(1, 1000)}
    if ordered:
        near |= {ordered[0] - 1, ordered[-1] + 1}
    for value in setting.values():
        near |= {value / 2, -value / 2, 2 * value, 1 - value, 1 + value}
    return turns | near


def _bends(model: Transformer, name: str, setting: Point) -> Iterator[Fraction]:
    """Zeros of the first layer's hidden units that look at the input `name` alone."""
    block = model.layers[0].feedforward
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


def _edges(region: Tree, name: str, inputs: Sequence[str], setting: Point) -> Iterator[Fraction]:
    """Values of one input at which a comparison of the region, affine in it on either side of zero, turns."""
    others = (Fraction(0), Fraction(1), Fraction(1, 2), Fraction(-1))
    for atom, bound in _atoms(region, {}):
        if name not in names(atom):
            continue
        free = [other for other in inputs if other != name and other in names(atom)]
        for combination in itertools.product(others, repeat=len(free)):
            fixed = setting | bound | dict(zip(free, combination, strict=True))
            for far in (10**6, -(10**6)):
                try:
                    a, b, c = (
                        rational(("-", atom[1], atom[2]), fixed | {name: Fraction(far + step)}) for step in range(3)
                    )
                except BadInput:
                    continue  # not rational there, or a name of a wider scope: no edge from this atom
                if a - 2 * b + c == 0 and a != b:
                    yield far - a / (b - a)


def _atoms(tree: Tree, bound: Point) -> Iterator[tuple[Tree, Point]]:
    """The comparisons in a formula, with the values of variables that range over given integers."""
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


def _describe(inputs: Sequence[str], grids: Sequence[tuple[Point, list[Point]]], region: Tree) -> str:
    """The grid in words: how many values each input and each symbol takes, and their extremes."""
    parts = []
    for name in inputs:
        taken = {point[name] for _, points in grids for point in points}
        parts.append(f"{name}: {_extent(taken)}")
    for name in grids[0][0]:
        parts.append(f"{name} in {braces(sorted({s[name] for s, _ in grids}, reverse=True))}")
    where = "" if region == ("true",) else f", in the region {show(region)} and at its edges"
    return f"a rational grid ({'; '.join(parts)}){where}"


def _extent(values: set[Fraction]) -> str:
    ordered = sorted(values)
    if len(ordered) <= 8:
        return braces(ordered)
    return f"{len(ordered)} values from {ordered[0]} to {ordered[-1]}"


LENGTH = 6
"""The greatest length of an input on which `check` evaluates both texts."""
MOST = 2000
"""To how many inputs it keeps where there are more to that length."""
NEAR = Fraction(1, 10**20)
"""How far a value that is not rational may lie from what the text gives, beside the recipe's own error."""

_DEFINED = {f"{name}()": (argument, parse_term(text)) for name, (argument, text, _) in WORDS.items() if text}


@dataclass(frozen=True)
class Stated:
    """A text about a recipe's model as a reference: asked for an input, it gives what the text says of it.

    `kind` is "formula" or "computes". `coordinate` is the number of the coordinate that is asked for, k in the text. In
    the domain "exact" a number that is not rational is NotExact; in "ball" it comes as a rational within `NEAR` of it.
    """

    model: Transformer
    kind: str
    tree: Tree
    symbols: Mapping[str, Any]
    coordinate: int
    domain: str

    def __call__(self, given: object) -> Any:
        try:
            return self._answers(given, "exact")
        except NotExact:
            if self.domain == "exact":
                raise
        return self._answers(given, "ball")

    @cached_property
    def _own(self) -> set[str]:
        """What `computes` names that is not given with the input: coordinates, as a run leaves them."""
        named = names(self.tree) | called(self.tree) if self.kind == "computes" else set()
        return named - set(self.model.embedding.inputs or ())

    def _answers(self, given: object, domain: str) -> Any:
        known, columns = self._input(given)
        before, positions = len(self.model.embedding.ends[0]), known["n"] + self.model.embedding.added
        if not self._own.isdisjoint(self.model.space.names):
            stream = self._stream(given, domain)
            columns = {name: Column(values, 1 - before) for name, values in stream.items()} | columns
        known |= _DEFINED | {f"{name}()": column for name, column in columns.items()}

        def at(i: int) -> Any:
            own = {name: column[i] for name, column in columns.items() if i in column}
            return self._answer(valued(self.tree, {**known, "i": i, **own}, None if domain == "exact" else NEAR))

        found = [at(index + 1 - before) for index in self.model.readout.answered(positions)]
        return found if self.model.readout.each else found[0]

    def _input(self, given: Any) -> tuple[dict[str, Any], dict[str, Column]]:
        """n, k and the symbols; and the letters of a word as numbers, or the inputs of rows, from position 1."""
        embedding = self.model.embedding
        point = dict(given) if isinstance(given, Mapping) else {}
        if embedding.inputs is None and not isinstance(given, Mapping):
            tokens = embedding.typed(self.model.tokens(given))
            columns = {"w": Column([self.model.alphabet.index(token) for token in tokens])}
            length = len(tokens)
        else:
            rows = [given] if isinstance(given, Mapping) else given
            columns = {name: Column([row[name] for row in rows]) for name in embedding.inputs or ()}
            length = len(rows)
        return {**self.symbols, **point, "n": length, "k": self.coordinate}, columns

    def _stream(self, given: object, domain: str) -> dict[str, list[Any]]:
        """The last values of all coordinates, position by position."""
        inputs = self.model.embedding.inputs
        point = given if isinstance(given, Mapping) else self.symbols
        bound = self.model.bind({one.name: point[one.name] for one in self.model.parameters})
        shown = {name: given[name] for name in inputs} if inputs and isinstance(given, Mapping) else given
        result = run(bound, shown, domain, digits=DIGITS, trace=True).result
        places = result.everywhere
        return {name: [result.domain.read(column, place) for place in places] for name, column in result.stream.items()}

    def _answer(self, value: bool | Fraction) -> Any:
        readout = self.model.readout
        if isinstance(value, bool) and not self.model.decides:
            value = Fraction(value)
        return readout.labels[int(value)] if readout.labelled else value


def parts(info: Recipe, model: Transformer) -> list[tuple[str, Tree, int, Transformer]]:
    """The texts of a recipe to be evaluated: kind, tree, number of the coordinate, and the model that reads only it."""
    found = []
    for kind in ("formula", "computes"):
        if kind == "computes" and info.computes == info.formula:
            break  # evaluated already, where the region is
        tree = read(getattr(info, kind), model.decides)
        if model.readout.answers or model.readout.labels:
            found.append((kind, tree, 0, model))
            continue
        reads = model.readout.reads if "k" in names(tree) else model.readout.reads[:1]
        for number, name in enumerate(reads):
            found.append((kind, tree, number, replace(model, readout=replace(model.readout, reads=(name,)))))
    return found


def check_facts(
    name: str, max_length: int = LENGTH, values: Mapping[str, Exact] | None = None, most: int | None = None
) -> list[Check]:
    """`formula` and `computes` of the recipe `name`, with its default arguments, against the model.

    The formula on all inputs to `max_length` in the recipe's region and within its error, `computes` everywhere; a
    feed-forward recipe on its grid. With `most` only to the greatest length with at most so many inputs. `against` of
    each Check says which text it is about. Raises BadInput for a text that cannot be evaluated.
    """
    from symcook import recipes

    info, model = recipes.info(name), recipes.build(name)
    symbols: dict[str, Any] = {key: value for key, value in info.read({}).items() if isinstance(value, (int, Fraction))}
    if not model.pointwise:
        symbols |= {key: fraction(value) for key, value in model.values(values).items()}
    length = None if model.pointwise else _length(model.bind(values), info.region, symbols, max_length, most)
    out = []
    for kind, tree, number, narrowed in parts(info, model):
        region = info.region if kind == "formula" else None
        how: dict[str, Any] = {"values": values, "region": region}
        error = recipes.error(name) if kind == "formula" else "0"
        try:
            found = check(narrowed, Stated(model, kind, tree, symbols, number, "exact"), length, **how)
        except NotExact:
            how |= {"domain": "ball", "error": f"{error} + 1/{NEAR.denominator}"}
            found = check(narrowed, Stated(model, kind, tree, symbols, number, "ball"), length, **how)
        out.append(replace(found, against=f"its {kind}" if kind == "formula" else "its `computes`"))
    return out


def _length(model: Transformer, region: str, symbols: Mapping[str, object], max_length: int, most: int | None) -> int:
    """The greatest length to which the inputs are few enough, and which for words lies in the region."""
    inside = parse_formula(region)
    length = 1
    for n in range(1, max_length + 1):
        if model.embedding.inputs is None:
            total, holds = plan(model, n).total, valued(inside, {**symbols, "n": n}, NEAR)
        else:
            total, holds = rows(model, n, inside).total, True
        if not holds or (most is not None and total > most):
            break
        length = n
    return length
