"""The values of a run of a family: what its equations, read from their text, ask of each name, one after another.

An equation is linear in the value that it is about, so that two trials give it. Nothing of the kernel is used.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from proof.statement_truth import EXACT, divide, inward, looks, of_values, outward, parts, tree_of

WANTED = ("name", "wanted")
Values = Mapping[str, Any]
Term = Callable[[Values], Any]
"""A term, given the values of names: the numbers that are computed with."""


@dataclass(frozen=True, eq=False)
class Equation:
    """``all x in a..b. F = 0``, of the first F that determines the value: differences of sides, where WANTED stands in
    place of the value at the indices `at`, of which some are names that it binds."""

    name: str
    at: tuple[tuple[str, Term], ...]
    ranges: tuple[tuple[str, Term, Term], ...]
    sides: tuple[Term, ...]

    def bound(self, given: Values, asked: tuple[Any, ...]) -> Values | None:
        """What the bound names are where the value at the indices `asked` is meant; None where it is not."""
        env: dict[str, Any] = {}
        for (name, index), value in zip(self.at, asked, strict=True):
            if name:
                env[name] = value
            elif index(given) != value:
                return None
        known = {**given, **env}
        return env if all(low(known) <= env[name] <= high(known) for name, low, high in self.ranges) else None

    def places(self, given: Values) -> Iterator[Values]:
        """What the bound names may be."""
        spans = [range(int(low(given)), int(high(given)) + 1) for _, low, high in self.ranges]
        for chosen in itertools.product(*spans):
            yield dict(zip((name for name, _, _ in self.ranges), chosen, strict=True))


def first_call(tree: Any, names: set[str]) -> Any:
    """The leftmost value of a run in a term."""
    if tree[0] == "call" and tree[1] in names:
        return tree
    found = (first_call(part, names) for part in tree if isinstance(part, tuple) and part)
    return next((one for one in found if one is not None), None)


def replaced(tree: Any, old: Any) -> Any:
    if tree == old:
        return WANTED
    return tuple(replaced(part, old) for part in tree) if isinstance(tree, tuple) else tree


@cache
def equations(family: str, names: tuple[str, ...], given: tuple[str, ...]) -> tuple[Equation, ...]:
    """Those of ``run(family-NAME)`` where `given` has values; what is only greater than 0 needs none. The second part
    of a head's says what it adds where it sees nothing."""
    out = []
    for tree in parts(("&", tree_of(f"run({family})"))):
        ranges = []
        while tree[0] == "all in":
            ranges.append(tree[1:4])
            tree = tree[4]
        said = [one[2] if one[0] == "->" else one for one in parts(("&", tree))]
        if said[0][0] != "=":
            continue
        head, bound = first_call(said[0][1], set(names)), [name for name, _, _ in ranges]

        def term(tree: Any, known: tuple[str, ...] = (*names, *given, *bound, WANTED[1])) -> Term:
            made = of_values(tree, known)
            return lambda env: made(env, {}, None, None)

        out.append(
            Equation(
                head[1],
                tuple((one[1] if one[0] == "name" and one[1] in bound else "", term(one)) for one in head[2]),
                tuple((name, term(low), term(high)) for name, low, high in ranges),
                tuple(term(replaced(("-", *one[1:3]), head)) for one in said),
            )
        )
    return tuple(out)


def run_values(family: str, names: tuple[str, ...], given: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """The functions `names` of the run of ``family-NAME``, where `given` has sizes, tables, the word w and the number
    n of positions; 0 where an equation leaves a value open, and out of reach."""
    look = looks()
    tables = {name: outward(look(value)) for name, value in given.items()}  # what was asked of a table stays known
    known = dict(tables)
    of: dict[str, list[Equation]] = {name: [] for name in names}
    all_of_them = equations(family, names, tuple(sorted(given)))
    for equation in all_of_them:
        of[equation.name].append(equation)

    def solve(equation: Equation, env: Values) -> Any:
        for side in equation.sides:
            zero, one = (side({**known, **env, "wanted": trial}) for trial in (0, 1))
            if not (isinstance(zero, EXACT) and isinstance(one, EXACT)):
                zero, one = outward(zero), outward(one)  # of balls the midpoints
            if zero != one:
                return whole(divide(zero, zero - one))
        return 0

    def function(name: str) -> Callable[..., Any]:
        kept: dict[tuple[Any, ...], Any] = {}

        def value(*at: Any) -> Any:
            if at not in kept:
                whole_at = tuple(map(whole, at))
                found = ((equation, equation.bound(tables, whole_at)) for equation in of[name])
                kept[at] = next((solve(one, env) for one, env in found if env is not None), 0)
            return kept[at]

        return value

    inside = {name: function(name) for name in names}
    known |= {name: outward(one) for name, one in inside.items()}
    for equation in all_of_them:  # in their order, so that none waits for a long chain of others
        for env in equation.places(tables):
            inside[equation.name](*(index({**tables, **env}) for _, index in equation.at))
    return {name: known[name] for name in names}


def whole(at: Any) -> Any:
    """A number as an integer where it is one."""
    return inward(outward(at)) if type(at) is not int else at
