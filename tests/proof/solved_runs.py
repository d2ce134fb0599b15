"""The values of a run of a family: what its equations, read from their text, ask of each name, one after another.

An equation is linear in the value that it is about, so that two trials give it. Nothing of the kernel is used.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from proof.statement_truth import parts, tree_of, worth

WANTED = ("name", "wanted")


@dataclass(frozen=True)
class Equation:
    """``all x in a..b. F = 0``, of the first F that determines the value: differences of sides, where WANTED stands in
    place of the value at the indices `at`."""

    name: str
    at: tuple[Any, ...]
    ranges: tuple[tuple[str, Any, Any], ...]
    sides: tuple[Any, ...]

    def bound(self, known: dict[str, Any], asked: tuple[Any, ...]) -> dict[str, Any] | None:
        """What the bound names are where the value at the indices `asked` is meant; None where it is not."""
        env: dict[str, Any] = {}
        ours = {name for name, _, _ in self.ranges}
        for tree, value in zip(self.at, asked, strict=True):
            if tree[0] == "name" and tree[1] in ours:
                env[tree[1]] = Fraction(value)
            elif worth(tree, known) != value:
                return None
        inside = (worth(low, known | env) <= env[name] <= worth(high, known | env) for name, low, high in self.ranges)
        return env if all(inside) else None


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
def equations(family: str, names: tuple[str, ...]) -> tuple[Equation, ...]:
    """Those of ``run(family-NAME)``; what is only greater than 0 needs none. The second part of a head's says what it
    adds where it sees nothing."""
    out = []
    for tree in parts(("&", tree_of(f"run({family})"))):
        ranges = []
        while tree[0] == "all in":
            ranges.append(tree[1:4])
            tree = tree[4]
        said = [one[2] if one[0] == "->" else one for one in parts(("&", tree))]
        if said[0][0] != "=":
            continue
        head = first_call(said[0][1], set(names))
        sides = tuple(replaced(("-", *one[1:3]), head) for one in said)
        out.append(Equation(head[1], head[2], tuple(ranges), sides))
    return tuple(out)


def run_values(family: str, names: tuple[str, ...], given: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """The functions `names` of the run of ``family-NAME``, where `given` has sizes, tables, the word w and the number
    n of positions; 0 where an equation leaves a value open, and out of reach."""
    kept: dict[tuple[str, tuple[Any, ...]], Any] = {}
    known = dict(given)
    of: dict[str, list[Equation]] = {name: [] for name in names}
    for equation in equations(family, names):
        of[equation.name].append(equation)

    def solve(equation: Equation, env: dict[str, Any]) -> Any:
        for side in equation.sides:
            zero, one = (worth(side, known | env | {"wanted": Fraction(trial)}) for trial in (0, 1))
            if zero != one:
                return zero / (zero - one)
        return Fraction(0)

    def value(name: str, *at: Any) -> Any:
        if (name, at) not in kept:
            found = ((equation, equation.bound(given, at)) for equation in of[name])
            kept[name, at] = next((solve(one, env) for one, env in found if env is not None), Fraction(0))
        return kept[name, at]

    known |= {name: lambda *at, name=name: value(name, *map(whole, at)) for name in names}
    for equation in equations(family, names):  # in their order, so that none waits for a long chain of others
        for env in places(equation.ranges, given):
            known[equation.name](*(worth(tree, given | env) for tree in equation.at))
    return {name: known[name] for name in names}


def whole(at: Any) -> Any:
    """An index as an integer where it is one: rationals take long to look up."""
    return at.numerator if at.denominator == 1 else at


def places(ranges: tuple[tuple[str, Any, Any], ...], given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    spans = [range(int(worth(low, given)), int(worth(high, given)) + 1) for _, low, high in ranges]
    for chosen in itertools.product(*spans):
        yield {name: Fraction(at) for (name, _, _), at in zip(ranges, chosen, strict=True)}
