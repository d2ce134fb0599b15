"""Whether an instance of a family, on a machine that rounds, satisfies the rounded relation of the family.

The values of the family's functions are those of the instance's coordinates, as `test_family_relation.Run` finds them.
What stands in a ReLU has a name of its own for each form of the family: the machine's unit that is nearest to the form
takes its place.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
from proof.family_cases import case, chosen, family
from proof.roundedruns import ERRORS, MODES
from proof.roundingmachine import Bits, Machine, Style, evaluated, mpf
from proof.test_family_relation import Run

from symcook.model.expr import parse_formula
from symcook.model.modelfile import to_document
from symcook.proof.roundings import RoundedRun

FAMILIES = (
    "lookup-one-hot",
    "lookup-quadratic",
    "lookup-almost-orthogonal",
    "network",
    "soft",
    "ends",
    "table",
    "boolean",
)
"""Families without norms and without rounds."""


class FamilyMachine:
    """An instance at random on a machine at random, with the parts of the family's relation."""

    def __init__(self, name: str, seed: int) -> None:
        rng = random.Random(f"{name} {seed}")
        read = family(name, chosen(name, rng))
        values, make = case(name, rng)
        self.run = Run(read, values, make())
        document = json.loads(json.dumps(to_document(self.run.model)))
        longest = int(document["max_length"] or 4)
        n = rng.randint(min(2, longest), min(4, longest))
        of = Bits(rng.choice((3, 4, 5, 8)), rng.choice(MODES), rng)
        self.machine = Machine(document, of, Style.drawn(rng), n, rng)
        self.rounded = RoundedRun(self.run.far, ERRORS[:1])
        self.parts = [(text, parse_formula(text)) for text in self.rounded.parts]
        self.place = self.machine.places[0]

    def outside(self) -> list[str]:
        """The parts of the relation that the run does not satisfy."""
        names = self._names()
        return [text for text, tree in self.parts if not evaluated(tree, names)]

    def _names(self) -> dict[str, Any]:
        machine, at = self.machine, self.run.at.env
        names: dict[str, Any] = {"unit_of_error": mpf(machine.of.unit), "n": mpmath.mpf(machine.n)}
        names |= {"w": lambda i: mpmath.mpf(machine.tokens[i])}
        names |= {name: self._exactly(at[name]) for name in (*self.run.family.sizes, *self.run.family.tables)}
        names |= {name: self._function(name) for name in self.run.far.functions}
        for (stem, key), call in self.rounded.made.items():
            names[call[1]] = self._unit(call, names) if stem == "unit" else self._of_head(stem, key)
        return names

    def _exactly(self, value: Any) -> Any:
        """A size, or a table as a function."""
        if callable(value):
            return lambda *at: self._exactly(value(*at))
        return mpmath.mpf(int(value.numerator)) / int(value.denominator)

    def _function(self, name: str) -> Callable[..., Any]:
        def held(*at: int) -> Any:
            cell, place = (at, self.place) if self.run.own.pointwise else (at[:-1], at[-1])
            own = self.run.called.get((name, cell))
            return mpmath.mpf(0) if own is None else mpf(self.machine.values[own][place])

        return held

    def _of_head(self, stem: str, key: Any) -> Callable[..., Any]:
        assert not key.over
        values = self.machine.kept[stem, key.layer, key.head]
        return lambda *at: mpf(values[at[0] if len(at) == 1 else at])

    def _unit(self, call: Any, names: dict[str, Any]) -> Callable[..., Any]:
        (form,) = {tree[1][2][0][2] for _, part in self.parts for tree in _bounds(part) if tree[1][2][0][1] == call}
        indices = [one[1] for one in call[2]]

        def nearest(*at: int) -> Any:
            scope = dict(zip(indices, at, strict=True))
            exact = evaluated(form, {**names, **{name: mpmath.mpf(k) for name, k in scope.items()}})
            units = [row[scope.get("i", self.place)] for key, row in self.machine.kept.items() if key[0] == "unit"]
            return min(map(mpf, units), key=lambda unit: abs(unit - exact))

        return nearest


def _bounds(tree: Any) -> Iterator[Any]:
    """The inequalities abs(NAME - FORM) <= ERROR in a part."""
    if tree[0] == "<=" and tree[1][0] == "call" and tree[1][1] == "abs" and tree[1][2][0][0] == "-":
        yield tree
    elif tree[0] in ("all in", "&", "->"):
        for part in tree[4:] if tree[0] == "all in" else tree[1:]:
            yield from _bounds(part)
