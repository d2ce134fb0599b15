"""Tables of the lengths domain at a word: guards and values evaluated by themselves, for comparison with runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath
from flint import fmpq

from symcook.domains.field import Value
from symcook.domains.lengths import OutOfRules
from symcook.domains.linear import Guard
from symcook.domains.names import CHOSEN, COUNT, PLACE, PREFIX, FormName, I, J, N, name_of
from symcook.domains.tables import CellTable
from symcook.domains.world import World
from symcook.model.transformer import Transformer

MP = mpmath.mp.clone()
MP.dps = 40


class AtWord:
    """What the names of a world are at one word of a model."""

    def __init__(self, model: Transformer, world: World, word: Sequence[str], values: Mapping[str, Any] | None = None):
        self.world, self.start = world, model.embedding.start
        self.tokens = model.embedding.surround(tuple(word))
        self.values = {name: Fraction(value) for name, value in (values or {}).items()}

    @property
    def positions(self) -> range:
        return range(self.start, self.start + len(self.tokens))

    def token(self, place: int) -> str:
        return self.tokens[place - self.start]

    def name(self, name: FormName, at: Mapping[FormName, int]) -> Any:
        if name in at:
            return Fraction(at[name])
        if name == N:
            return Fraction(len(self.tokens))
        if name.kind == PLACE:
            return int(sum((c * self.name(v, at) for v, c in name.at[0]), name.at[1]))
        if name.kind == CHOSEN:
            one = self.world.choices[name]
            low, high = (int(self.linear(terms, at) + c) for terms, c in (one.low, one.high))
            places = [p for p in range(low, high + 1) if any(self.holds(g, {**at, one.key: p}) for g in one.guards)]
            return places[-1 if one.last else 0] if places else self.start
        if name.kind == COUNT:
            return Fraction(self.tokens.count(name.of))
        if name.kind == PREFIX:
            return Fraction(self.tokens[: int(self.name(name.at, at)) - self.start + 1].count(name.of))
        if name in self.world.sums:
            one = self.world.sums[name]
            low, high = (int(self.linear(terms, at) + c) for terms, c in (one.low, one.high))
            return sum((self.cells(one.cells, {**at, J: j}, True) for j in range(low, high + 1)), Fraction(0))
        if name in self.world.named:
            return self.value(self.world.named[name][0], at)
        return self.values[name.of]

    def linear(self, terms: Mapping[FormName, Fraction], at: Mapping[FormName, int]) -> Any:
        return sum((c * self.name(v, at) for v, c in terms.items()), Fraction(0))

    def cells(self, cells: Any, at: Mapping[FormName, int], partial: bool = False) -> Any:
        held = [c for c in cells if self.holds(c.guard, at)]
        assert len(held) == 1 or (partial and not held), (held, at)
        return self.value(held[0].value, at) if held else Fraction(0)

    def holds(self, guard: Guard, at: Mapping[FormName, int]) -> bool:
        for atom, held in guard.items():
            if atom[0] == "letter":
                place = atom[1] if isinstance(atom[1], int) else int(self.name(atom[1], at))
                place = len(self.tokens) + self.start - 1 if atom[1] == N else place
                if place not in self.positions or self.token(place) not in held:
                    return False
            elif atom[0] == "mod":
                if int(self.name(atom[1], at)) % atom[2] not in held:
                    return False
            elif atom[0] == "some":
                if (self.name(atom[1], at) != 0) not in held:
                    return False
            else:
                x = self.linear({v: Fraction(c) for v, c in atom[1]}, at)
                if (held[0] is not None and x < held[0]) or (held[1] is not None and x > held[1]):
                    return False
        return True

    def value(self, value: Value, at: Mapping[FormName, int]) -> Any:
        if isinstance(value, fmpq):
            return Fraction(int(value.p), int(value.q))
        self.world.field.lift(value)
        above, below = (self.polynomial(p, at) for p in (value.num, value.den))
        return (
            above / below
            if isinstance(above, Fraction) and isinstance(below, Fraction)
            else _number(above) / _number(below)
        )

    def polynomial(self, polynomial: Any, at: Mapping[FormName, int]) -> Any:
        out: Any = Fraction(0)
        for monomial, c in polynomial.terms():
            term: Any = Fraction(int(c.p), int(c.q))
            for g, e in enumerate(monomial):
                if e:
                    term = _times(term, self.generator(g, at) ** int(e))
            out = _plus(out, term)
        return out

    def generator(self, g: int, at: Mapping[FormName, int]) -> Any:
        one = self.world.field.generators[g]
        if one.kind == "symbol":
            return self.name(name_of(one.argument), at)
        if one.kind == "constant":
            found = one.argument.subs({s: len(self.tokens) for s in one.argument.free_symbols})
            return MP.mpf(str(found.evalf(45)))
        inside = self.value(one.argument, at)
        if one.kind == "exp":
            return MP.exp(_number(inside) / self.world.field.roots[g])
        assert one.kind == "sqrt"
        return MP.sqrt(_number(inside))


def _number(x: Any) -> Any:
    return MP.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def _times(a: Any, b: Any) -> Any:
    return a * b if isinstance(a, Fraction) and isinstance(b, Fraction) else _number(a) * _number(b)


def _plus(a: Any, b: Any) -> Any:
    return a + b if isinstance(a, Fraction) and isinstance(b, Fraction) else _number(a) + _number(b)


def alike(a: Any, b: Any) -> bool:
    """Exactly, or to 25 digits where one is no fraction."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    return abs(_number(a) - _number(b)) < MP.mpf(10) ** -25


def at_each(found: AtWord, column: CellTable | OutOfRules) -> list[Any]:
    """The values of a column at all positions of the word; none of one that is out of reach."""
    return [] if isinstance(column, OutOfRules) else [found.cells(column.cells, {I: i}) for i in found.positions]


def words(alphabet: Sequence[str], longest: int, empty: bool) -> Iterator[tuple[str, ...]]:
    for length in range(0 if empty else 1, longest + 1):
        yield from itertools.product(alphabet, repeat=length)
