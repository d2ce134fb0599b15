"""Names, values and guards of a world as sympy expressions, for sympy's own functions and for numpy.

Counts and parameters have the names of the printed forms, as symbols. The token at a place is `w[place]`, its number in
the alphabet; an input at a place is `x[place]`, the count of a up to it `counts(a)[place]`. Sums without a rule are
sympy's sums in values, and symbols with a definition in conditions, which sympy would rewrite for long; so are long
values and chosen positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy

from symcook.domains.field import Value
from symcook.domains.linear import Guard, LinearAtom
from symcook.domains.names import (
    CHOSEN,
    COUNT,
    INPUT,
    KEY,
    LONG,
    PREFIX,
    SUM,
    SYMBOL,
    Affine,
    FormName,
    I,
    J,
    N,
    name_of,
    place_of,
)
from symcook.domains.spelling import Spelling
from symcook.model.symbols import symbol
from symcook.numbers.evaluable import FirstOrLast
from symcook.numbers.named import BoundVariable, SympySum, TermSymbol


class SympyForms:
    """Writes names, values and guards of one answer as sympy expressions; names are those of its `spelling`."""

    def __init__(self, spelling: Spelling, numbers: Mapping[str, int]) -> None:
        """`numbers` maps each token to its number."""
        self.spelling, self.world, self.numbers = spelling, spelling.world, numbers
        self.parameters = {parameter.name: parameter.symbol for parameter in spelling.domain.parameters}
        self.known: dict[FormName, Any] = {}
        self.definitions: dict[Any, Any] = {}
        """{symbol of a sum in a condition, of a long value or of a chosen position: what it is}. What a definition
        contains is defined before it."""
        own = {*spelling.texts.coordinates, *spelling.texts.symbols}
        tokens = "w"
        while tokens in own:  # the model gives this name to something else
            tokens += "_"
        self.tokens: Any = sympy.IndexedBase(tokens, integer=True)

    def name(self, name: FormName) -> Any:
        """A name as an expression."""
        if name not in self.known:
            self.known[name] = self._name(name)
        return self.known[name]

    def _name(self, name: FormName) -> Any:
        """`name`, when it is first asked for."""
        if name in (I, N):
            return symbol("i" if name == I else "n")
        if name.kind == SYMBOL:
            return self.parameters[name.of]
        if name.kind == KEY:
            return BoundVariable(self.spelling.name(name), integer=True)
        if name.kind == INPUT:
            given: Any = sympy.IndexedBase(name.of, real=True)
            return given[self.linear(*place_of(name))]
        if name.kind == LONG:
            return self.defined(name, self.value(self.world.named[name][0]))
        if name.kind == SUM:
            return self.sum(name)
        if name.kind == PREFIX:
            counted: Any = sympy.IndexedBase(f"counts({self.spelling.texts.token(name.of)})", integer=True)
            return counted[self.name(name.at)]
        if name.kind == CHOSEN:
            return self.chosen(name)
        if name.kind != COUNT:
            raise RuntimeError(f"no sympy expression of {name}")
        return TermSymbol(self.spelling.name(name), integer=True, nonnegative=True)

    def called(self, name: FormName) -> str:
        """The text of the symbol of a sum, a long value or a chosen position."""
        stem = {SUM: "S", LONG: "r", CHOSEN: "q"}[name.kind]
        return self.spelling.texts.fresh(("symbol", name), f"{stem}{name.number}")

    def defined(self, name: FormName, value: Any) -> Any:
        """The symbol of a name with this definition."""
        nonnegative = name in self.world.sums or -1 not in self.world.named[name][1]
        named = sympy.Symbol(self.called(name), real=True, **({"nonnegative": True} if nonnegative else {}))
        self.definitions.setdefault(named, value)
        return named

    def chosen(self, name: FormName) -> Any:
        """The symbol of a chosen position."""
        choice, named = self.world.choices[name], sympy.Symbol(self.called(name), integer=True)
        condition = sympy.Or(*map(self.guard, choice.guards))
        ends = self.linear(*choice.low), self.linear(*choice.high)
        found = FirstOrLast(choice.last, self.name(choice.key), *ends, condition, self.world.start)
        self.definitions.setdefault(named, found)
        return named

    def token(self, place: Any) -> Any:
        """The number of the token at a place."""
        return self.tokens[place]

    def value(self, value: Value) -> Any:
        """A value as an expression."""
        expression = self.world.field.to_sympy(value)
        return expression.xreplace({s: self.name(name_of(s)) for s in expression.free_symbols})

    def linear(self, terms: Mapping[FormName, int | Fraction], constant: int | Fraction = 0) -> Any:
        """A linear form as an expression."""
        rational = [sympy.Rational(c.numerator, c.denominator) * self.name(v) for v, c in terms.items()]
        return sympy.Add(*rational, sympy.Rational(constant.numerator, constant.denominator))

    def sum(self, name: FormName) -> Any:
        """A sum without a rule."""
        one = self.world.sums[name]
        # A sum for each cell: sympy rewrites a Piecewise with many conditions for long.
        parts = [(self.value(cell.value), self.guard(cell.guard)) for cell in one.cells]
        bodies = [value if test == sympy.true else sympy.Piecewise((value, test), (0, True)) for value, test in parts]
        place = self.name(J), self.linear(*one.low), self.linear(*one.high)
        sums: list[Any] = [SympySum(body, place) for body in bodies]
        return sympy.Add(*sums)

    def guard(self, guard: Guard) -> Any:
        """A guard as a condition. If the guard fixes the token at a numbered place, the condition says that this place
        exists."""
        fixed = [a[1] for a in guard if a[0] == "letter" and isinstance(a[1], int)]
        exists = [self.name(N) >= max(fixed) + 1 - self.world.start] if fixed else []
        return sympy.And(*exists, *(self.atom(atom, held) for atom, held in guard.items()))

    def atom(self, atom: LinearAtom, held: Any) -> Any:
        """The condition that an atom has one of the values `held`."""
        if atom[0] == "letter":
            place = sympy.Integer(atom[1]) if isinstance(atom[1], int) else self.linear(*self.place(atom[1]))
            equal: list[Any] = [sympy.Eq(self.token(place), number) for number in sorted(self.numbers[t] for t in held)]
            return sympy.Or(*equal)
        if atom[0] == "mod":
            residues: list[Any] = [sympy.Eq(sympy.Mod(self.name(atom[1]), atom[2]), r) for r in sorted(held)]
            return sympy.Or(*residues)
        if atom[0] == "some":
            total = self.defined(atom[1], self.name(atom[1]))
            return sympy.Gt(total, 0) if True in held else sympy.Eq(total, 0)
        form = self.linear(dict(atom[1]), atom[2] if atom[0] == "sign" else 0)
        if atom[0] == "sign":
            relations: dict[int, Any] = {1: sympy.Gt, -1: sympy.Lt, 0: sympy.Eq}
            return sympy.Or(*(relations[sign](form, 0) for sign in sorted(held)))
        low, high = held
        if low == high:
            return sympy.Eq(form, low)
        return sympy.And(*([form >= low] if low is not None else []), *([form <= high] if high is not None else []))

    def place(self, name: FormName) -> Affine:
        """The place of the token of an atom: n stands for the last position."""
        return self.world.end if name == N else place_of(name)
