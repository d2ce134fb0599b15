"""Signs of rational functions for all admissible values of their symbols: proved, never sampled.

In goes a value of a field and an interval for each symbol; out comes a set of signs (`symcook.domains.intervals` has
these sets). The set contains every sign that occurs, so POSITIVE alone means positive everywhere. One symbol on an
interval is decided exactly by counting roots (Sturm); several symbols by the signs of the coefficients after each is
moved to [0, oo); maxima and steps by splitting at their breakpoints; a + b sqrt(u) by a, b and a^2 - b^2 u. Where these
methods fail, or take more than `MAX_STEPS` steps, the set has more signs than occur.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product as product_of
from math import comb, prod
from typing import Any

import flint
from flint import fmpq, fmpq_mpoly, fmpq_poly

from symcook.domains.field import Field, Function, Value
from symcook.domains.intervals import (
    ANY,
    EVERYWHERE,
    NEGATIVE,
    NONNEGATIVE,
    NONPOSITIVE,
    NONZERO,
    POSITIVE,
    ZERO,
    Span,
    flip,
    of_number,
    product,
    total,
    univariate,
)
from symcook.errors import BadInput
from symcook.locks import PRECISION
from symcook.model.symbols import tree_from_sympy
from symcook.numbers.evaluate import evaluate

MAX_DEGREE = 64
MAX_SHIFTED = 4096  # terms that moving one more variable may give
MAX_BRANCHES = 64
MAX_CORNERS = 1024
MAX_BITS = 1 << 14
FAR = 1 << 20  # exponents beyond it make no fraction, whose numbers would have millions of digits
MAX_STEPS = 400_000  # entries of monomials that one question may look at
ALL_STEPS = 20 * MAX_STEPS  # the same for all questions, after which each gets LEAST_STEPS
LEAST_STEPS = MAX_STEPS // 100
_SHORT = 24  # terms of polynomials that are combined with assumptions
_LONG, _ROOTS = 48, 4  # terms and roots of polynomials whose roots are isolated
_DEPTH = 2  # how deep questions about conjugates and discriminants, which are larger polynomials, may be nested
_BREAKS = ("max", "step")
_WIDEST = {
    "max": Span(fmpq(0), None, False),
    "step": Span(fmpq(0), fmpq(1), False, False),
    "sqrt": Span(fmpq(0), None, False),
    "exp": Span(fmpq(0), None),
    "erf": Span(fmpq(-1), fmpq(1)),
    "tanh": Span(fmpq(-1), fmpq(1)),
}
"""The values that a generator of each kind may take, whatever its argument is."""


class _Exhausted(Exception):
    """One question has used up its steps."""


class Impossible(BadInput):
    """What was assumed holds for no admissible values of the symbols."""


Boxes = Mapping[int, Span]


class KnownSigns:
    """Sign sets of the values of a field, given the intervals of its symbols (unbounded where none is given).

    >>> import sympy
    >>> field = Field()
    >>> x = field.symbol(sympy.Symbol("x"))
    >>> signs = KnownSigns(field, {sympy.Symbol("x"): Span(fmpq(0), fmpq(1), True, False)})
    >>> signs.of(fmpq(1) - x * x) == NONNEGATIVE, signs.of(x * x + fmpq(-1, 4)) == ANY
    (True, True)
    """

    def __init__(self, field: Field, symbols: Mapping[object, Span]) -> None:
        self.field = field
        self.symbols = dict(symbols)
        self._boxes: dict[int, Span] = {}
        self._assumed: list[tuple[Function, int]] = []
        self._facts: list[tuple[Function, int]] = []
        self._numbers: dict[int, bool] = {}
        self._left: int | None = None
        self._all = ALL_STEPS
        self._depth = 0

    def _within_steps(self, ask: Callable[[], int]) -> int:
        """The answer to a question, or ANY where it takes too many steps; questions inside it share its steps."""
        if self._left is not None:
            return ask()
        allowance = self._left = max(LEAST_STEPS, min(MAX_STEPS, self._all))
        try:
            return ask()
        except _Exhausted:
            return ANY
        finally:
            self._all -= allowance - self._left
            self._left = None

    def _spend(self, terms: int) -> None:
        """Charge the question for this many monomials, each with an exponent for every generator."""
        if self._left is not None:
            self._left -= (terms + 4) * (len(self.field.roots) + 4)
            if self._left < 0:
                raise _Exhausted

    def of(self, value: Value) -> int:
        """The signs that `value` may take; raises Impossible where no values of the symbols are left."""
        if isinstance(value, fmpq):
            return of_number(value)
        return self._within_steps(lambda: self._of(value))

    def _of(self, value: Function) -> int:
        """The signs of the numerator times those of the denominator, which is never zero."""
        self.field.lift(value)
        below = self.polynomial(value.den) & ~ZERO  # a value exists only where its denominator is not zero
        signs = product(self.polynomial(value.num), below)
        if not signs:
            raise Impossible("the ranges of the symbols must leave some values")
        return signs

    def assume(self, value: Function, signs: int) -> None:
        """Assume from now on that `value`, a polynomial, has its sign in `signs`.

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

    def know(self, value: Function, signs: int) -> None:
        """Note that `value`, a polynomial, has its sign in `signs`: proved elsewhere, not assumed."""
        self._facts.append((value, signs))

    def known(self, value: Function) -> int:
        """What `know` said of a polynomial."""
        self.field.lift(value)
        return self._fact(value.num)

    def _fact(self, p: fmpq_mpoly) -> int:
        """What is known of the sign of a polynomial or of a multiple of it."""
        signs = ANY
        for value, known in self._facts:
            self.field.lift(value)
            if len(value.num) == len(p):
                ratio = p.leading_coefficient() / value.num.leading_coefficient()
                if value.num * ratio == p:
                    signs &= known if ratio > 0 else flip(known)
        return signs

    def polynomial(self, p: fmpq_mpoly) -> int:
        """The signs that a polynomial of the field's present version may take."""
        return self._within_steps(lambda: self._ask(p))

    def _ask(self, p: fmpq_mpoly) -> int:
        """The signs of a polynomial, from its form and then from what was assumed."""
        signs = self._polynomial(p)
        if self._assumed and signs not in (POSITIVE, ZERO, NEGATIVE):
            signs &= self._from_assumptions(p, 2 if len(self._assumed) <= 6 else 1)
        return signs

    def _from_assumptions(self, p: fmpq_mpoly, depth: int) -> int:
        """p = c q + r for each assumed q and each c that cancels a term: the sign of a sum of known signs."""
        signs = ANY
        if not 0 < len(p) <= _SHORT:
            return signs
        terms = dict(p.terms())
        for value, known in self._assumed:
            self.field.lift(value)
            if len(value.num) > _SHORT:
                continue
            for ratio in {terms[m] / c for m, c in value.num.terms() if m in terms}:
                remaining = p - ratio * value.num
                signs_of_remaining = self._decide(remaining, {}, False)
                if depth > 1 and signs_of_remaining not in (POSITIVE, ZERO, NEGATIVE):
                    signs_of_remaining &= self._from_assumptions(remaining, depth - 1)
                signs &= total(known if ratio > 0 else flip(known), signs_of_remaining)
                if signs in (POSITIVE, ZERO, NEGATIVE):
                    return signs
        return signs

    def _polynomial(self, p: fmpq_mpoly) -> int:
        """The signs of a polynomial, by the methods in order of their cost."""
        signs = self._decide(p, {})
        if signs == ANY and any(self.field.generators[g].kind in _BREAKS for g in self._used(p)):
            signs = self._branches(p)
        # Conjugates and discriminants are larger than p and ask for
        # signs in turn: only for short polynomials, and not too deep.
        if signs in (POSITIVE, ZERO, NEGATIVE) or len(p) > _LONG or self._depth == _DEPTH:
            return signs
        self._depth += 1
        try:
            roots = [g for g in self._used(p) if self.field.generators[g].kind == "sqrt"]
            if 0 < len(roots) <= _ROOTS:
                signs &= self._conjugate(p, roots[-1])
            if signs == ANY and len(p) <= _SHORT:
                signs = self._quadratic(p)
        finally:
            self._depth -= 1
        return signs

    def _quadratic(self, p: fmpq_mpoly) -> int:
        """The signs of p = a x^2 + b x + c in a symbol, by 4 a p = (2 a x + b)^2 - (b^2 - 4 a c), if a has a sign."""
        degrees = p.degrees()
        for g in self._used(p):
            if degrees[g] != 2 or self.field.generators[g].kind != "symbol":
                continue
            parts: list[dict[Any, Any]] = [{}, {}, {}]
            for monomial, coefficient in p.terms():
                parts[int(monomial[g])][(*monomial[:g], 0, *monomial[g + 1 :])] = coefficient
            c, b, a = (self.field.ctx.from_dict(part) for part in parts)
            lead = self._decide(a, {})
            if lead not in (POSITIVE, NEGATIVE):
                continue
            discriminant = flip(self._polynomial(self.field.reduced(b * b - 4 * a * c)))
            signs = product(total(NONNEGATIVE, discriminant), lead)
            if signs != ANY:
                return signs
        return ANY

    def _conjugate(self, p: fmpq_mpoly, g: int) -> int:
        """The signs of a + b sqrt(u): where a and b sqrt(u) have opposite signs, a^2 - b^2 u says which is larger."""
        p = self.field.reduced(p)
        parts: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
        for monomial, c in p.terms():
            parts[int(monomial[g])][(*monomial[:g], 0, *monomial[g + 1 :])] = c
        a, b = (self.field.ctx.from_dict(part) for part in parts)
        first, second = self._polynomial(a), product(self._polynomial(b), self._box(g).signs)
        result, larger = 0, None
        for x in (NEGATIVE, ZERO, POSITIVE):
            for y in (NEGATIVE, ZERO, POSITIVE):
                if not (first & x and second & y):
                    continue
                if {x, y} == {NEGATIVE, POSITIVE}:
                    if larger is None:
                        larger = self._polynomial(self.field.reduced(a * a - b * b * self.field.argument(g)))
                    result |= larger if x == POSITIVE else flip(larger)
                else:
                    result |= total(x, y)
        return result

    def _used(self, p: fmpq_mpoly) -> list[int]:
        """The generators that occur in a polynomial."""
        return [g for g, degree in enumerate(p.degrees()) if degree]

    def _monomial(self, p: fmpq_mpoly, boxes: Boxes | None = None) -> int:
        """The signs of one term: those of its generators, of which even powers are not negative."""
        result = of_number(p.leading_coefficient())
        for g, degree in enumerate(p.degrees()):
            if degree:
                signs = self._box(g, boxes).signs
                result = product(result, signs if degree % 2 else product(signs, signs) & NONNEGATIVE)
        return result

    def _box(self, g: int, boxes: Boxes | None = None) -> Span:
        """The interval of a generator: one of the narrower `boxes` if it is there, else the known one."""
        if boxes and g in boxes:
            return boxes[g]
        if g not in self._boxes:
            kind = self.field.generators[g].kind
            self._boxes[g] = _WIDEST.get(kind, EVERYWHERE)  # what holds while an assumption asks for g in turn
            try:
                self._boxes[g] = self._find_box(g)
            except BaseException:
                del self._boxes[g]
                raise
        return self._boxes[g]

    def _find_box(self, g: int) -> Span:
        """The interval of a generator from its kind and argument."""
        generator = self.field.generators[g]
        if generator.kind == "symbol":
            return self.symbols.get(generator.argument, EVERYWHERE)
        if generator.kind in _BREAKS:
            return _WIDEST[generator.kind]
        # A number: a small ball around it.
        if self._numeric(g):
            with PRECISION, flint.ctx.workprec(128):
                return _enclosure(self._ball(g))
        if generator.kind == "sqrt":
            return Span(fmpq(0), None, self.of(generator.argument) == POSITIVE)
        if generator.kind in ("erf", "tanh"):
            signs = self.of(generator.argument)
            # Odd functions with values in (-1, 1), which have the sign of their argument.
            low, high = fmpq(-1 if signs & NEGATIVE else 0), fmpq(1 if signs & POSITIVE else 0)
            return Span(low, high, bool(low) or not signs & ZERO, bool(high) or not signs & ZERO)
        return self._exp_box(generator.argument, self.field.roots[g])

    def _numeric(self, g: int) -> bool:
        """Whether a generator is a number without symbols, maxima or steps."""
        if g not in self._numbers:
            generator = self.field.generators[g]
            if generator.kind in ("symbol", "constant", *_BREAKS) or isinstance(generator.argument, fmpq):
                self._numbers[g] = generator.kind not in ("symbol", *_BREAKS)
            else:
                self.field.lift(generator.argument)
                used = {*self._used(generator.argument.num), *self._used(generator.argument.den)}
                self._numbers[g] = all(map(self._numeric, used))
        return self._numbers[g]

    def _ball(self, g: int) -> flint.arb:
        """An enclosure of a generator that is a number, at flint's current precision."""
        generator = self.field.generators[g]
        if generator.kind == "constant":
            return number_ball(generator.argument, flint.ctx.prec)
        inside = self._value_ball(generator.argument)
        if generator.kind == "exp":
            return (inside / self.field.roots[g]).exp()
        if generator.kind == "sqrt":
            return inside.nonnegative_part().sqrt()
        return inside.erf() if generator.kind == "erf" else inside.tanh()

    def _value_ball(self, value: Value) -> flint.arb:
        """An enclosure of a value that is a number."""
        if isinstance(value, fmpq):
            return flint.arb(value)
        self.field.lift(value)
        return self._polynomial_ball(value.num) / self._polynomial_ball(value.den)

    def _polynomial_ball(self, p: fmpq_mpoly) -> flint.arb:
        """An enclosure of a polynomial in generators that are numbers."""
        values = {g: self._ball(g) for g in self._used(p)}
        total_ball = flint.arb(0)
        for monomial, c in p.terms():
            term = flint.arb(c)
            for g, value in values.items():
                term *= value ** int(monomial[g])
            total_ball += term
        return total_ball

    def _exp_box(self, base: Function, root: int) -> Span:
        """The interval of e^(base/root)."""
        self.field.lift(base)
        # From bounds of the exponent, if there are any.
        low, high = self._range(base)
        lower, upper = fmpq(0), None
        with PRECISION, flint.ctx.workprec(64):
            if low is not None and low > -FAR:  # beyond it the end of what is still small enough to be a fraction
                lower = _exp_ball(min(low, fmpq(FAR)), root).lower().fmpq() if low else fmpq(1)
            if high is not None and high < FAR:
                upper = _exp_ball(max(high, fmpq(-FAR)), root).upper().fmpq() if high else fmpq(1)
        # From the sign of the exponent: it tells on which side of 1 the power lies.
        signs = self.of(base)
        if signs & NEGATIVE == 0 and lower <= 1:
            return Span(fmpq(1), upper, not signs & ZERO, False)
        if signs & POSITIVE == 0 and (upper is None or upper >= 1):
            return Span(lower, fmpq(1), True, not signs & ZERO)
        return Span(lower, upper, lower == 0, False)

    def _range(self, value: Function) -> tuple[fmpq | None, fmpq | None]:
        """Bounds of a value by its terms, where all generators are nonnegative; (None, None) where not found."""
        # Bounds of a quotient only where the denominator is not negative.
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

    def _term_range(self, p: fmpq_mpoly) -> tuple[fmpq | None, fmpq | None]:
        """Bounds of a polynomial by its terms, one for each term and side; (None, None) where a generator may be
        negative."""
        self._spend(len(p))
        low: fmpq | None = fmpq(0)
        high: fmpq | None = fmpq(0)
        for monomial, c in p.terms():
            # The range of the monomial, whose generators are nonnegative; a negative coefficient swaps its ends.
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

    def _decide(self, p: fmpq_mpoly, boxes: Boxes, factors: bool = True) -> int:
        """The signs of a polynomial whose maxima are taken for any nonnegative numbers; without `factors`, what can be
        had without factoring it."""
        known = self._fact(p) if self._facts and len(p) else ANY
        return known if known in (POSITIVE, ZERO, NEGATIVE) else known & self._computed(p, boxes, factors)

    def _computed(self, p: fmpq_mpoly, boxes: Boxes, factors: bool) -> int:
        """The signs of a polynomial by its form: constants, single terms, numbers, one variable, and then coefficients
        and factors."""
        if len(p) == 0:
            return ZERO
        if p.is_constant():
            return of_number(p.leading_coefficient())
        self._spend(len(p))
        if len(p) == 1:
            return self._monomial(p, boxes)
        # A common monomial is taken out.
        content = p.term_content()
        if not content.is_constant():
            return product(self._monomial(content, boxes), self._decide(p / content, boxes, factors))
        used = self._used(p)
        if all(self._numeric(g) for g in used):
            return self._number(p)
        degrees = p.degrees()
        # One variable: exactly, by counting roots.
        if len(used) == 1 and degrees[used[0]] <= MAX_DEGREE:
            return univariate(_one_variable(p, used[0]), self._box(used[0], boxes))
        # Several variables: by the coefficients, and where these leave everything open by the signs of the factors.
        signs = self._coefficients(p, used, boxes)
        if signs == ANY and factors:
            lead, parts = self.field.factored(p)
            if len(parts) > 1 or parts[0][1] > 1:
                signs = of_number(lead)
                for part, power in parts:
                    sign_of_part = self._decide(part, boxes)
                    signs = product(
                        signs, sign_of_part if power % 2 else product(sign_of_part, sign_of_part) & NONNEGATIVE
                    )
        return signs

    def _number(self, p: fmpq_mpoly) -> int:
        """The sign of a number, by balls of growing precision; ANY if the number is zero or very small."""
        bits = 64
        while bits <= MAX_BITS:
            with PRECISION, flint.ctx.workprec(bits):
                value = self._polynomial_ball(p)
            if value > 0 or value < 0:
                return POSITIVE if value > 0 else NEGATIVE
            bits *= 4
        return ANY

    def _coefficients(self, p: fmpq_mpoly, used: list[int], boxes: Boxes) -> int:
        """Move each variable to [0, oo) and look at the signs of the coefficients there.

        x in [a, oo) is a + t; x in [a, b] is a + 1/(1/(b - a) + t), times the power of the denominator, which is
        positive. A free variable may occur with even exponents only. The polynomial is positive if at each choice of
        closed ends some monomial does not vanish.
        """
        degrees = p.degrees()
        free: list[int] = []
        at_zero: list[int] = []  # t = 0 occurs
        at_infinity: dict[int, int] = {}  # t = oo occurs, and the power that was multiplied
        # 1. Move each variable to [0, oo), and note which ends belong to its interval.
        for g in used:
            box = self._box(g, boxes)
            if box.empty:
                return 0
            if box.lower == box.upper and box.lower is not None:
                p = self._put(p, g, self.field.ctx.constant(box.lower))
                continue
            if (box.lower or box.upper) and len(p) * (degrees[g] + 1) > MAX_SHIFTED:  # take a larger interval
                box = EVERYWHERE if box.signs & NEGATIVE else Span(fmpq(0), None, box.signs == POSITIVE)
            x = self.field.ctx.gens()[g]
            if box.lower is None and box.upper is None:
                free.append(g)
            elif box.upper is None:
                if box.lower:
                    # [a, b]: x = a + y with y in [0, b - a], then y = 1/(1/(b
                    # - a) + t), times the power of the denominator. | # | 2
                    p = self._put(p, g, box.lower + x)
                if not box.lower_open:
                    at_zero.append(g)
            elif box.lower is None:
                p = self._put(p, g, box.upper - x)
                if not box.upper_open:
                    at_zero.append(g)
            else:
                p = self._put(p, g, box.lower + x)
                p = self._reversed(p, g, degrees[g])
                p = self._put(p, g, 1 / (box.upper - box.lower) + x)
                if not box.upper_open:
                    at_zero.append(g)
                if not box.lower_open:
                    at_infinity[g] = degrees[g]
        # 2. A sign of p needs all coefficients of one sign; a free variable must not have odd powers.
        terms = list(p.terms())
        if not terms:
            return ZERO
        if any(monomial[g] % 2 for monomial, _ in terms for g in free):
            return ANY
        signs = {c > 0 for _, c in terms}
        if len(signs) > 1:
            return ANY
        # 3. Strictly positive or negative, unless p is zero at a corner of the closed ends. There only the monomials
        # that have exactly the exponents of the corner are not zero.
        ends: dict[int, list[int]] = {g: [0] for g in at_zero + free}
        for g, d in at_infinity.items():
            ends.setdefault(g, []).append(d)
        corners = prod(map(len, ends.values()))
        strict = corners <= MAX_CORNERS
        if strict:
            self._spend(len(terms) * corners)
            strict = set(product_of(*ends.values())) <= {tuple(monomial[g] for g in ends) for monomial, _ in terms}
        return (POSITIVE if signs.pop() else NEGATIVE) | (0 if strict else ZERO)

    def _put(self, p: fmpq_mpoly, g: int, polynomial: fmpq_mpoly) -> fmpq_mpoly:
        """The polynomial with another one in place of a generator."""
        gens = list(self.field.ctx.gens())
        gens[g] = polynomial
        self._spend(len(p) * (p.degrees()[g] + 1) if len(polynomial) > 1 else len(p))
        return p.compose(*gens)

    def _reversed(self, p: fmpq_mpoly, g: int, degree: int) -> fmpq_mpoly:
        """g^degree times the polynomial at 1/g."""
        return self.field.ctx.from_dict({(*m[:g], degree - m[g], *m[g + 1 :]): c for m, c in p.terms()})

    def _branches(self, p: fmpq_mpoly) -> int:
        """Split at the breakpoints: max(0, u) is 0 where u <= 0 and u where u >= 0, and a step is 0 where u <= 0 and 1
        where u > 0; the intervals shrink where u has one symbol, in degree 1."""
        # All maxima and steps in p, those inside the arguments of others too: inner ones have smaller numbers.
        atoms: set[int] = set()
        waiting = self._used(p)
        while waiting:
            g = waiting.pop()
            if self.field.generators[g].kind in _BREAKS and g not in atoms:
                atoms.add(g)
                waiting += self._used(self.field.argument(g))
        remaining_branches = MAX_BRANCHES >> 2 * self._depth

        def walk(open_atoms: list[int], put: list[fmpq_mpoly], boxes: dict[int, Span]) -> int:
            """The signs of p with `put` for its generators, over both sides of each open maximum and step."""
            nonlocal remaining_branches
            if not open_atoms:
                remaining_branches -= 1
                if remaining_branches < 0:
                    return ANY
                return self._decide(self.field.reduced(self._composed(p, put)), boxes)
            g, *later_atoms = open_atoms
            argument = self._composed(self.field.argument(g), put)
            signs = self._decide(argument, boxes)
            result = 0
            step = self.field.generators[g].kind == "step"
            above = (POSITIVE, self.field.one) if step else (NONNEGATIVE, argument)
            for side, value in ((NONPOSITIVE, argument * 0), above):
                if signs & side and remaining_branches >= 0 and result != ANY:
                    smaller = self._smaller(argument, boxes, side)
                    if smaller is not None:
                        result |= walk(later_atoms, [*put[:g], value, *put[g + 1 :]], smaller)
            return result

        return walk(sorted(atoms), list(self.field.ctx.gens()), {})

    def _composed(self, p: fmpq_mpoly, put: list[fmpq_mpoly]) -> fmpq_mpoly:
        """p with a polynomial for each generator."""
        grown = 0
        for monomial in p.monoms():
            terms = 1
            for g, e in enumerate(monomial):
                if e and len(put[g]) > 1:
                    terms *= comb(min(len(put[g]) - 1 + e, MAX_STEPS), e)  # at most so many terms in the power
            grown += terms
        self._spend(grown)
        return p.compose(*put)

    def _smaller(self, argument: fmpq_mpoly, boxes: dict[int, Span], side: int) -> dict[int, Span] | None:
        """The boxes where a polynomial has the signs `side`, or larger ones; None where there is no such point."""
        used = self._used(argument) if len(argument) else []
        if len(used) != 1 or argument.degrees()[used[0]] != 1:
            return boxes
        box = _restricted(self._box(used[0], boxes), argument, side)
        return None if box.empty else {**boxes, used[0]: box}


def _restricted(box: Span, p: fmpq_mpoly, signs: int) -> Span:
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


def _one_variable(p: fmpq_mpoly, g: int) -> fmpq_poly:
    """A polynomial in the one generator g, by its coefficients."""
    coefficients = [fmpq(0)] * (p.degrees()[g] + 1)
    for monomial, c in p.terms():
        coefficients[monomial[g]] = c
    return fmpq_poly(coefficients)


def _exp_ball(exponent: fmpq, root: int) -> flint.arb:
    """An enclosure of e^(exponent/root)."""
    return flint.arb(exponent / root).exp()


def _enclosure(ball: flint.arb) -> Span:
    """The interval of a ball; everything where an end would need too long a fraction."""
    if not ball.is_finite() or any(abs(int(end.man_exp()[1])) > 64 * FAR for end in (ball.lower(), ball.upper())):
        return EVERYWHERE
    return Span(ball.lower().fmpq(), ball.upper().fmpq(), False, False)


def number_ball(number: object, bits: int) -> flint.arb:
    """An enclosure of an exact sympy number."""
    with PRECISION, flint.ctx.workprec(bits + 32):
        return evaluate(tree_from_sympy(number))
