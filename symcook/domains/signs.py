"""Signs of rational functions for all admissible values of their symbols: proved, never sampled.

A *sign set* is a bit mask of the signs that a value may take: NEGATIVE, ZERO, POSITIVE. What `Signs.of` returns
contains every sign that occurs; POSITIVE alone therefore means positive everywhere. One symbol on an interval is
decided exactly by counting roots (Sturm); several by the signs of coefficients after each variable is moved to
[0, oo); maxima by splitting at their breakpoints; what these leave open stays open (a set of more signs).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import flint
import sympy
from flint import fmpq, fmpq_poly

from symcook.domains.field import Field, Function, Value
from symcook.errors import BadInput, NotExact

NEGATIVE, ZERO, POSITIVE = 1, 2, 4
ANY = NEGATIVE | ZERO | POSITIVE
NONNEGATIVE, NONPOSITIVE, NONZERO = POSITIVE | ZERO, NEGATIVE | ZERO, POSITIVE | NEGATIVE

MAX_DEGREE = 64
MAX_BRANCHES = 64
MAX_BITS = 1 << 14
_FACTOR_TERMS = 200


def product(first: int, second: int) -> int:
    """The sign set of a product of values with the given sign sets.

    >>> product(NONPOSITIVE, NEGATIVE) == NONNEGATIVE
    True
    """
    return _PRODUCT[first][second]


def total(first: int, second: int) -> int:
    """The sign set of a sum of values with the given sign sets.

    >>> total(POSITIVE, NONNEGATIVE) == POSITIVE, total(POSITIVE, NEGATIVE) == ANY
    (True, True)
    """
    return _TOTAL[first][second]


def _pairs(first: int, second: int, sum_of: bool) -> int:
    signs = {NEGATIVE: -1, ZERO: 0, POSITIVE: 1}
    result = 0
    for a, x in signs.items():
        for b, y in signs.items():
            if first & a and second & b:
                result |= (ANY if x * y < 0 else _of_number(x + y)) if sum_of else _of_number(x * y)
    return result


def _of_number(value: Any) -> int:
    return POSITIVE if value > 0 else NEGATIVE if value < 0 else ZERO


_PRODUCT = [[_pairs(a, b, False) for b in range(8)] for a in range(8)]
_TOTAL = [[_pairs(a, b, True) for b in range(8)] for a in range(8)]


def flip(signs: int) -> int:
    """The sign set of the negated value."""
    return product(signs, NEGATIVE)


class Impossible(BadInput):
    """What was assumed holds for no admissible values of the symbols."""


@dataclass(frozen=True)
class Box:
    """The interval of a generator's values; None is an infinite side."""

    lower: fmpq | None = None
    upper: fmpq | None = None
    lower_open: bool = True
    upper_open: bool = True

    @property
    def empty(self) -> bool:
        if self.lower is None or self.upper is None:
            return False
        return self.lower > self.upper or (self.lower == self.upper and (self.lower_open or self.upper_open))

    @property
    def signs(self) -> int:
        """The signs of the values in the interval."""
        if self.empty:
            return 0
        result = 0
        if self.lower is None or self.lower < 0:
            result |= NEGATIVE
        if self.upper is None or self.upper > 0:
            result |= POSITIVE
        if self.contains(fmpq(0)):
            result |= ZERO
        return result

    def contains(self, x: fmpq) -> bool:
        below = self.lower is None or self.lower < x or (self.lower == x and not self.lower_open)
        return below and (self.upper is None or x < self.upper or (self.upper == x and not self.upper_open))

    def above(self, x: fmpq, is_open: bool) -> Box:
        """The part at or above `x`, or strictly above it."""
        if self.lower is not None and (self.lower > x or (self.lower == x and self.lower_open)):
            return self
        return replace(self, lower=x, lower_open=is_open)

    def below(self, x: fmpq, is_open: bool) -> Box:
        """The part at or below `x`, or strictly below it."""
        if self.upper is not None and (self.upper < x or (self.upper == x and self.upper_open)):
            return self
        return replace(self, upper=x, upper_open=is_open)


EVERYWHERE = Box()
Boxes = Mapping[int, Box]


class Signs:
    """Sign sets of the values of a field, given the intervals of its symbols (unbounded where none is given).

    >>> field = Field()
    >>> x = field.symbol(sympy.Symbol("x"))
    >>> signs = Signs(field, {sympy.Symbol("x"): Box(fmpq(0), fmpq(1), True, False)})
    >>> signs.of(fmpq(1) - x * x) == NONNEGATIVE, signs.of(x * x + fmpq(-1, 4)) == ANY
    (True, True)
    """

    def __init__(self, field: Field, symbols: Mapping[Any, Box]) -> None:
        self.field = field
        self.symbols = dict(symbols)
        self._boxes: dict[int, Box] = {}
        self._assumed: list[tuple[Function, int]] = []

    def of(self, value: Value) -> int:
        """The signs that `value` may take; raises Impossible where no values of the symbols are left."""
        if isinstance(value, fmpq):
            return _of_number(value)
        self.field.lift(value)
        below = self.polynomial(value.den) & ~ZERO  # a value exists only where its denominator is not zero
        signs = product(self.polynomial(value.num), below)
        if not signs:
            raise Impossible("the ranges of the symbols must leave some values")
        return signs

    def assume(self, value: Function, signs: int) -> None:
        """Take for granted from now on that `value`, a polynomial, has its sign in `signs`.

        Raises Impossible where that is seen to hold for no admissible values.
        """
        self.field.lift(value)
        self._assumed.append((value, signs))
        used = self._used(value.num)
        if len(used) == 1 and self.field.generators[used[0]].kind == "symbol":
            symbol = self.field.generators[used[0]].argument
            self.symbols[symbol] = box = _restricted(self._box(used[0]), value.num, signs)
            if box.empty:
                raise Impossible("the ranges of the symbols must leave some values")
            self._boxes.clear()

    def polynomial(self, p: Any) -> int:
        """The signs that a polynomial of the field's present version may take."""
        return self._polynomial(p) if not self._assumed else self._with_assumptions(p, 2 if len(self._assumed) <= 6 else 1)

    def _with_assumptions(self, p: Any, depth: int) -> int:
        """p = c q + r for each assumed q and each c that cancels a term: the sign of a sum of known signs."""
        signs = self._polynomial(p)
        if not depth or not len(p):
            return signs
        terms = dict(p.terms())
        for value, known in self._assumed:
            self.field.lift(value)
            ratios = {terms[m] / c for m, c in value.num.terms() if m in terms}
            for ratio in ratios:
                if signs in (POSITIVE, ZERO, NEGATIVE):
                    return signs
                rest = self._with_assumptions(p - ratio * value.num, depth - 1)
                signs &= total(known if ratio > 0 else flip(known), rest)
        return signs

    def _polynomial(self, p: Any) -> int:
        signs = self._decide(p, {})
        if signs == ANY and any(self.field.generators[g].kind == "max" for g in self._used(p)):
            signs = self._branches(p)
        return signs

    def _used(self, p: Any) -> list[int]:
        return [g for g, degree in enumerate(p.degrees()) if degree]

    def _monomial(self, p: Any, boxes: Boxes | None = None) -> int:
        result = _of_number(p.leading_coefficient())
        for g, degree in enumerate(p.degrees()):
            if degree:
                signs = self._box(g, boxes).signs
                result = product(result, signs if degree % 2 else product(signs, signs) & NONNEGATIVE)
        return result

    def _box(self, g: int, boxes: Boxes | None = None) -> Box:
        if boxes and g in boxes:
            return boxes[g]
        if g not in self._boxes:
            self._boxes[g] = self._find_box(g)
        return self._boxes[g]

    def _find_box(self, g: int) -> Box:
        generator = self.field.generators[g]
        if generator.kind == "symbol":
            return self.symbols.get(generator.argument, EVERYWHERE)
        if generator.kind == "max":
            return Box(fmpq(0), None, False)
        if generator.kind == "constant":
            return _enclosure(number_ball(generator.argument, 128))
        if isinstance(generator.argument, fmpq):
            with flint.ctx.workprec(128):
                return _enclosure(_exp_ball(generator.argument, self.field.roots[g]))
        return self._exp_box(generator.argument, self.field.roots[g])

    def _exp_box(self, base: Function, root: int) -> Box:
        self.field.lift(base)
        low, high = self._range(base)
        lower, upper = fmpq(0), None
        with flint.ctx.workprec(64):
            if low is not None and low > -(1 << 20):
                lower = _exp_ball(low, root).lower().fmpq() if low else fmpq(1)
            if high is not None and high < 1 << 20:
                upper = _exp_ball(high, root).upper().fmpq() if high else fmpq(1)
        signs = self.of(base)
        if signs & NEGATIVE == 0 and lower <= 1:
            return Box(fmpq(1), upper, not signs & ZERO, False)
        if signs & POSITIVE == 0 and (upper is None or upper >= 1):
            return Box(lower, fmpq(1), True, not signs & ZERO)
        return Box(lower, upper, lower == 0, False)

    def _range(self, value: Function) -> tuple[fmpq | None, fmpq | None]:
        """Bounds of a value by its terms, where all generators are nonnegative; (None, None) where not found."""
        num, den = self._term_range(value.num), self._term_range(value.den)
        if den[0] is None or den[0] < 0:
            return None, None
        low, high = (1 / den[1] if den[1] else None), (1 / den[0] if den[0] else None)

        def scaled(bound: fmpq | None, small: fmpq | None, large: fmpq | None, side: int) -> fmpq | None:
            """The least (side -1) or greatest (side 1) product of `bound` with a number between small and large."""
            if bound is None:
                return None
            outward = bound * side > 0
            by = large if outward else small if small is not None else fmpq(0)
            return fmpq(0) if bound == 0 else None if by is None else bound * by

        return scaled(num[0], low, high, -1), scaled(num[1], low, high, 1)

    def _term_range(self, p: Any) -> tuple[fmpq | None, fmpq | None]:
        low: fmpq | None = fmpq(0)
        high: fmpq | None = fmpq(0)
        for monomial, c in p.terms():
            least: fmpq | None = fmpq(1)
            most: fmpq | None = fmpq(1)
            for g, e in enumerate(monomial):
                if e:
                    box = self._box(g)
                    if box.lower is None or box.lower < 0:
                        return None, None
                    least = least * box.lower**e
                    most = None if most is None or box.upper is None else most * box.upper**e
            first, second = (least, most) if c > 0 else (most, least)
            low = None if low is None or first is None else low + c * first
            high = None if high is None or second is None else high + c * second
        return low, high

    def _decide(self, p: Any, boxes: Boxes) -> int:
        """The signs of a polynomial whose maxima are taken for any nonnegative numbers."""
        if len(p) == 0:
            return ZERO
        if p.is_constant():
            return _of_number(p.leading_coefficient())
        if len(p) == 1:
            return self._monomial(p, boxes)
        content = p.term_content()
        if not content.is_constant():
            return product(self._monomial(content, boxes), self._decide(p / content, boxes))
        used = self._used(p)
        kinds = [self.field.generators[g] for g in used]
        if all(k.kind == "constant" or (k.kind == "exp" and isinstance(k.argument, fmpq)) for k in kinds):
            return self._number(p, used)
        degrees = p.degrees()
        if len(used) == 1 and degrees[used[0]] <= MAX_DEGREE:
            return univariate(_one_variable(p, used[0]), self._box(used[0], boxes))
        signs = self._coefficients(p, used, boxes)
        if signs == ANY and len(p) <= _FACTOR_TERMS:
            lead, factors = p.factor()
            if len(factors) > 1 or factors[0][1] > 1:
                signs = _of_number(lead)
                for factor, power in factors:
                    one = self._decide(factor, boxes)
                    signs = product(signs, one if power % 2 else product(one, one) & NONNEGATIVE)
        return signs

    def _number(self, p: Any, used: list[int]) -> int:
        """The sign of a number, by balls of growing precision. It stays open if the number is zero or very small."""
        bits = 64
        while bits <= MAX_BITS:
            with flint.ctx.workprec(bits):
                values = {}
                for g in used:
                    generator = self.field.generators[g]
                    if generator.kind == "exp":
                        values[g] = _exp_ball(generator.argument, self.field.roots[g])
                    else:
                        values[g] = number_ball(generator.argument, bits)
                total = flint.arb(0)
                for monomial, c in p.terms():
                    term = flint.arb(c)
                    for g in used:
                        term *= values[g] ** monomial[g]
                    total += term
            if total > 0 or total < 0:
                return POSITIVE if total > 0 else NEGATIVE
            bits *= 4
        return ANY

    def _coefficients(self, p: Any, used: list[int], boxes: Boxes) -> int:
        """Move each variable to [0, oo) and look at the signs of the coefficients there.

        x in [a, oo) is a + t; x in [a, b] is a + 1/(1/(b - a) + t), times the power of the denominator, which is
        positive. A free variable may occur with even exponents only. The polynomial is positive if some monomial is,
        everywhere: one whose variables cannot be at an end where they vanish.
        """
        degrees = p.degrees()
        free: list[int] = []
        at_zero: list[int] = []  # t = 0 occurs
        at_infinity: dict[int, int] = {}  # t = oo occurs, and the power that was multiplied
        for g in used:
            box = self._box(g, boxes)
            if box.empty:
                return 0
            if box.lower == box.upper and box.lower is not None:
                p = self._put(p, g, self.field.ctx.constant(box.lower))
                continue
            if degrees[g] > MAX_DEGREE and (box.lower or box.upper):
                box = EVERYWHERE if box.signs & NEGATIVE else Box(fmpq(0), None, box.signs == POSITIVE)
            x = self.field.ctx.gens()[g]
            if box.lower is None and box.upper is None:
                free.append(g)
            elif box.lower is None or box.upper is None:
                end, is_open = (box.lower, box.lower_open) if box.upper is None else (box.upper, box.upper_open)
                if end or box.lower is None:
                    p = self._put(p, g, end + x if box.upper is None else end - x)
                if not is_open:
                    at_zero.append(g)
            else:
                p = self._put(p, g, box.lower + x)
                p = self._reversed(p, g, degrees[g])
                p = self._put(p, g, 1 / (box.upper - box.lower) + x)
                if not box.upper_open:
                    at_zero.append(g)
                if not box.lower_open:
                    at_infinity[g] = degrees[g]
        terms = list(p.terms())
        if not terms:
            return ZERO
        if any(monomial[g] % 2 for monomial, _ in terms for g in free):
            return ANY
        signs = {c > 0 for _, c in terms}
        if len(signs) > 1:
            return ANY
        strict = any(
            not any(monomial[g] for g in at_zero + free) and all(monomial[g] == d for g, d in at_infinity.items())
            for monomial, _ in terms
        )
        return (POSITIVE if signs.pop() else NEGATIVE) | (0 if strict else ZERO)

    def _put(self, p: Any, g: int, polynomial: Any) -> Any:
        gens = list(self.field.ctx.gens())
        gens[g] = polynomial
        return p.compose(*gens)

    def _reversed(self, p: Any, g: int, degree: int) -> Any:
        return self.field.ctx.from_dict({(*m[:g], degree - m[g], *m[g + 1 :]): c for m, c in p.terms()})

    def _branches(self, p: Any) -> int:
        """Split at the maxima: max(0, u) is 0 where u <= 0 and u where u >= 0; the intervals shrink where u has one
        symbol, in degree 1."""
        atoms: set[int] = set()
        waiting = self._used(p)
        while waiting:
            g = waiting.pop()
            if self.field.generators[g].kind == "max" and g not in atoms:
                atoms.add(g)
                waiting += self._used(self._argument(g))
        left = MAX_BRANCHES

        def walk(rest: list[int], put: list[Any], boxes: dict[int, Box]) -> int:
            nonlocal left
            if not rest:
                left -= 1
                return ANY if left < 0 else self._decide(p.compose(*put), boxes)
            g, *others = rest
            argument = self._argument(g).compose(*put)
            signs = self._decide(argument, boxes)
            result = 0
            for side, value in ((NONPOSITIVE, argument * 0), (NONNEGATIVE, argument)):
                if signs & side and left >= 0 and result != ANY:
                    smaller = self._smaller(argument, boxes, side)
                    if smaller is not None:
                        result |= walk(others, [*put[:g], value, *put[g + 1 :]], smaller)
            return result

        return walk(sorted(atoms), list(self.field.ctx.gens()), {})

    def _argument(self, g: int) -> Any:
        argument = self.field.generators[g].argument
        self.field.lift(argument)
        return argument.num

    def _smaller(self, argument: Any, boxes: dict[int, Box], side: int) -> dict[int, Box] | None:
        """The boxes where a polynomial has the signs `side`, or larger ones; None where there is no such point."""
        used = self._used(argument) if len(argument) else []
        if len(used) != 1 or argument.degrees()[used[0]] != 1:
            return boxes
        box = _restricted(self._box(used[0], boxes), argument, side)
        return None if box.empty else {**boxes, used[0]: box}


def _restricted(box: Box, p: Any, signs: int) -> Box:
    """The part of the box of the one variable of `p` where p has its sign in `signs`, or a larger part."""
    g = next(g for g, degree in enumerate(p.degrees()) if degree)
    coefficients = _one_variable(p, g).coeffs()
    if len(coefficients) != 2 or signs == NONZERO:
        return box
    root = -coefficients[0] / coefficients[1]
    if coefficients[1] < 0:
        signs = flip(signs)
    if not signs & POSITIVE:
        box = box.below(root, not signs & ZERO)
    if not signs & NEGATIVE:
        box = box.above(root, not signs & ZERO)
    return box


def _one_variable(p: Any, g: int) -> fmpq_poly:
    coefficients = [fmpq(0)] * (p.degrees()[g] + 1)
    for monomial, c in p.terms():
        coefficients[monomial[g]] = c
    return fmpq_poly(coefficients)


def univariate(p: fmpq_poly, box: Box) -> int:
    """Exactly the signs that a polynomial in one variable takes on an interval.

    >>> univariate(fmpq_poly([1, -2, 1]), Box(fmpq(0), None)) == NONNEGATIVE  # (x - 1)^2
    True
    """
    if box.empty:
        return 0
    if p.degree() <= 0:
        return _of_number(p[0])
    if box.lower is not None and box.lower == box.upper:
        return _of_number(p(box.lower))
    if p.degree() == 1:
        return _linear(p, box)
    lead, factors = p.factor_squarefree()
    result, odd = 0, fmpq_poly([lead])
    for factor, power in factors:
        ends = [e for e in (box.lower, box.upper) if e is not None and factor(e) == 0]
        if any(box.contains(e) for e in ends) or _roots_inside(factor, box):
            result |= ZERO
        if power % 2:
            odd *= factor
    if _roots_inside(odd, box):
        return result | POSITIVE | NEGATIVE
    return result | _of_number(odd(_inner_point(odd, box)))


def _linear(p: fmpq_poly, box: Box) -> int:
    slope = POSITIVE if p[1] > 0 else NEGATIVE
    root = -p[0] / p[1]
    if box.lower is not None and root <= box.lower:
        return slope | (ZERO if box.contains(root) else 0)
    if box.upper is not None and root >= box.upper:
        return flip(slope) | (ZERO if box.contains(root) else 0)
    return ANY


def _roots_inside(p: fmpq_poly, box: Box) -> int:
    """The number of different roots of a squarefree polynomial strictly inside an interval (Sturm)."""
    for end in (box.lower, box.upper):
        if end is not None and p(end) == 0:
            p = p // fmpq_poly([-end, 1])
    chain = [p, p.derivative()]
    while chain[-1].degree() > 0:
        chain.append(-(chain[-2] % chain[-1]))

    def changes(values: list[Any]) -> int:
        signs = [v > 0 for v in values if v != 0]
        return sum(a != b for a, b in zip(signs, signs[1:], strict=False))

    def at(end: fmpq | None, side: int) -> list[Any]:
        if end is not None:
            return [q(end) for q in chain]
        return [q[q.degree()] * (side if q.degree() % 2 else 1) if q.degree() >= 0 else fmpq(0) for q in chain]

    return changes(at(box.lower, -1)) - changes(at(box.upper, 1))


def _inner_point(p: fmpq_poly, box: Box) -> fmpq:
    """A point strictly inside a box that has more than one point; p has no root inside, so any one will do."""
    if box.lower is not None and box.upper is not None:
        return (box.lower + box.upper) / 2
    if box.lower is not None:
        return box.lower + 1
    return fmpq(0) if box.upper is None else box.upper - 1


def _exp_ball(exponent: fmpq, root: int) -> flint.arb:
    return flint.arb(exponent / root).exp()


def _enclosure(ball: flint.arb) -> Box:
    if not ball.is_finite():
        return EVERYWHERE
    return Box(ball.lower().fmpq(), ball.upper().fmpq(), False, False)


def number_ball(number: Any, bits: int) -> flint.arb:
    """An enclosure of an exact sympy number; NotExact where it has a function without a ball here."""
    with flint.ctx.workprec(bits + 32):
        return _ball(number)


def _ball(e: Any) -> flint.arb:
    if e.is_Rational:
        return flint.arb(fmpq(int(e.p), int(e.q)))
    if e is sympy.pi:
        return flint.arb.pi()
    if e is sympy.E:
        return flint.arb(1).exp()
    if e.is_Add or e.is_Mul:
        total = flint.arb(0 if e.is_Add else 1)
        for a in e.args:
            total = total + _ball(a) if e.is_Add else total * _ball(a)
        return total
    if e.is_Pow and e.exp == sympy.Rational(1, 2):
        return _ball(e.base).sqrt()
    if e.is_Pow or isinstance(e, sympy.exp):
        base, exponent = e.as_base_exp()
        return _ball(exponent).exp() if base is sympy.E else _ball(base) ** _ball(exponent)
    name = type(e).__name__
    if name in ("log", "sin", "cos", "sinh", "cosh", "tanh", "erf", "Abs") and len(e.args) == 1:
        argument = _ball(e.args[0])
        return abs(argument) if name == "Abs" else getattr(argument, name)()
    if isinstance(e, (sympy.Max, sympy.Min)):
        values = [_ball(a) for a in e.args]
        best = values[0]
        for value in values[1:]:
            best = best.max(value) if isinstance(e, sympy.Max) else best.min(value)
        return best
    if e.free_symbols:
        raise BadInput("every symbol must be declared", sorted(s.name for s in e.free_symbols)[0])
    raise NotExact("a number must be built from the functions of the grammar", e, "use --domain ball")
