"""Values of expressions with functions of positions, as x(j): columns of values or definitions; exact, or in balls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from symcook.errors import BadInput, NotExact, Undecided
from symcook.locks import PRECISION
from symcook.model.expr import Tree, is_formula, show
from symcook.model.meaning import Meaning
from symcook.model.rationals import Rationals
from symcook.numbers.balls import arb_of, fraction_of
from symcook.numbers.evaluate import Balls


class Column:
    """A value for each position; the first position has the number `first`.

    `column[place]` does not check the place (one before the first counts from the end): ask `place in column` before.
    """

    def __init__(self, values: Sequence[object], first: int = 1) -> None:
        self.values, self.first = values, first

    def __contains__(self, place: int) -> bool:
        return 0 <= place - self.first < len(self.values)

    def __getitem__(self, place: int) -> Any:
        return self.values[place - self.first]


class _Known(Meaning[Any, Any]):
    """A number system with functions: `values["x()"]` is a `Column`, or (argument, term) of a definition. Other names
    in the term of a definition have their values in `outer`, not those of variables that are bound where it is
    called."""

    def __init__(
        self, values: Mapping[str, object], steps: list[int] | None = None, outer: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(values, steps)
        self.outer = values if outer is None else outer

    def under(self, name: str, j: int) -> Any:
        return type(self)({**self.values, name: j}, self.steps, self.outer)

    def call(self, name: str, arguments: list[Fraction | int], tree: Tree) -> Any:
        """The value of a column at a position, of a function that is defined by a term, or of one of the grammar."""
        function = self.values.get(f"{name}()") if len(arguments) == 1 else None
        if isinstance(function, tuple):
            inner = {**self.outer, function[0]: arguments[0]}
            return type(self)(inner, self.steps, self.outer).term(function[1])
        if function is not None:
            place = self.whole(arguments[0], tree[2][0])
            if place not in function:
                raise BadInput(f"{name} must be read at a position of the input", place, "give a position of the input")
            return self.made(function[place])
        return super().call(name, arguments, tree)

    def whole(self, value: Any, tree: Tree) -> int:
        """`value`, the value of `tree`, as an integer; BadInput where it is no integer."""
        raise NotImplementedError

    def made(self, value: object) -> Any:
        """An entry of a column as a number of this number system; NotExact where it is none."""
        raise NotImplementedError


class Exactly(_Known, Rationals):
    """Rational values; NotExact for any other."""

    def name(self, name: str) -> Fraction | int:
        return self.made(super().name(name))

    def whole(self, value: Fraction | int, tree: Tree) -> int:
        if value.denominator != 1:
            raise _no_position(str(value))
        return int(value)

    def made(self, value: object) -> Any:
        if not isinstance(value, (int, Fraction)):
            raise NotExact("every value must be rational here", str(value))
        return value


class Enclosed(_Known, Balls):
    """Values in balls, at flint's current precision."""

    def whole(self, value: flint.arb, tree: Tree) -> int:
        """The integer, computed exactly if the tree is rational: a ball does not show that its number is an integer.

        Undecided where only a ball is known that contains an integer and is wider than a point.
        """
        exactly = Exactly(self.values, self.steps, self.outer)
        try:
            return exactly.whole(exactly.term(tree), tree)
        except NotExact:
            integer = value.unique_fmpz() if value.is_exact() else None
        if integer is not None:
            return int(integer)
        if value.is_finite() and not value.contains_integer():
            raise _no_position(show(tree))
        raise Undecided("the rigorous intervals do not determine which position an expression means.")

    def made(self, value: object) -> Any:
        if not isinstance(value, (int, Fraction, flint.arb)):
            raise NotExact("every value must be a number or an interval here", str(value))
        return arb_of(value)


def _no_position(given: str) -> BadInput:
    return BadInput("a position must be an integer", given, "give an integer")


def valued(tree: Tree, values: Mapping[str, object], near: Fraction | None, bits: int = 184) -> bool | Fraction:
    """The truth of a formula or the value of a term at `values`: in rational arithmetic, or, with `near`, in balls.

    With `near`, the value is a rational number within `near` of the exact one. Raises NotExact for an irrational value
    without `near`, and Undecided where the balls do not decide the truth or are too wide.
    """
    if near is None:
        exactly = Exactly(values)
        return exactly.formula(tree) if is_formula(tree) else Fraction(exactly.term(tree))
    with PRECISION, flint.ctx.workprec(bits):
        enclosed = Enclosed(values)
        if is_formula(tree):
            if (truth := enclosed.formula(tree)) is None:
                raise Undecided(f"the rigorous intervals do not decide {show(tree)}.")
            return truth
        ball = enclosed.term(tree)
        if not ball.is_finite() or ball.rad() > arb_of(near):
            raise Undecided(f"the rigorous intervals do not determine the value of {show(tree)}.")
        return fraction_of(ball.mid())
