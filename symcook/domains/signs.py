"""Signs of rational functions for all admissible values of their symbols: proved, never sampled.

From a value of a field and an interval for each symbol, this module computes a sign set (`symcook.domains.intervals`).
It contains every sign that occurs, so POSITIVE alone means positive everywhere. A polynomial in one symbol on an
interval is decided exactly by counting roots (Sturm). For several symbols, each is moved to [0, oo), and the signs of
the coefficients there are compared. Maxima and steps are split at their breakpoints. The sign of a + b sqrt(u) follows
from those of a, b and a^2 - b^2 u. If these methods fail, or take too many steps (`MAX_STEPS`, fewer after
`ALL_STEPS`), the set may have more signs than occur.
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

# Limits: beyond them a method is not used, and the sign set stays larger.
MAX_DEGREE = 64  # degree of a polynomial in one variable whose roots are counted
MAX_SHIFTED = 4096  # terms of a polynomial after one more variable is moved to [0, oo)
MAX_BRANCHES = 64  # branches of maxima and steps that are split
MAX_CORNERS = 1024  # corners at which a polynomial is tested for zero
MAX_BITS = 1 << 14  # precision at which a number is compared with zero
FAR = 1 << 20  # exponents of e beyond it get no bound as a fraction, which would have millions of digits
MAX_STEPS = 400_000  # steps of one question; a step is one entry of a monomial
ALL_STEPS = 20 * MAX_STEPS  # steps of all questions together; later ones get LEAST_STEPS each
LEAST_STEPS = MAX_STEPS // 100
_SHORT = 24  # terms of a polynomial that is combined with assumptions
_LONG, _ROOTS = 48, 4  # terms, and square roots, of a polynomial whose conjugate is computed
_DEPTH = 2  # nesting of questions about conjugates and discriminants, which are larger polynomials
_BREAKS = ("max", "step")  # kinds of generators with a breakpoint, at which cases are split
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
    """Raised when one question has used up its steps."""


class Impossible(BadInput):
    """Raised if the assumptions hold for no admissible values of the symbols."""


Boxes = Mapping[int, Span]
"""Index of a generator -> an interval of its values, in a branch where it is smaller than in general."""


class KnownSigns:
    """Sign sets of the values of a field, from the intervals of its symbols (without one, the real line).

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
        """Index of a generator -> the interval of its values (`_box`)."""
        self._assumed: list[tuple[Function, int]] = []
        """(polynomial, sign set) for each call of `assume`."""
        self._facts: list[tuple[Function, int]] = []
        """(polynomial, sign set) for each call of `know`."""
        self._numbers: dict[int, bool] = {}
        """Index of a generator -> the result of `_numeric`."""
        self._steps_left: int | None = None
        """The steps left for the question that is being answered; None outside of a question."""
        self._all_steps_left = ALL_STEPS
        """The steps left for all further questions."""
        self._depth = 0
        """The nesting of questions about conjugates and discriminants, at most `_DEPTH`."""

    def _within_steps(self, ask: Callable[[], int]) -> int:
        """The result of `ask`, or ANY if it takes too many steps; questions inside of it share its steps."""
        if self._steps_left is not None:
            return ask()
        allowance = self._steps_left = max(LEAST_STEPS, min(MAX_STEPS, self._all_steps_left))
        try:
            return ask()
        except _Exhausted:
            return ANY
        finally:
            self._all_steps_left -= allowance - self._steps_left
            self._steps_left = None

    def _spend(self, terms: int) -> None:
        """Count the steps of going through this many monomials, each with an exponent for every generator."""
        if self._steps_left is not None:
            self._steps_left -= (terms + 4) * (len(self.field.roots) + 4)
            if self._steps_left < 0:
                raise _Exhausted

    def of(self, value: Value) -> int:
        """The signs that `value` may take; Impossible if the assumptions leave no values of the symbols."""
        if isinstance(value, fmpq):
            return of_number(value)
        return self._within_steps(lambda: self._of(value))

    def _of(self, value: Function) -> int:
        """The product of the sign sets of numerator and denominator."""
        self.field.lift(value)
        denominator_signs = (
            self.polynomial(value.den) & ~ZERO
        )  # `value` is defined only where its denominator is not zero
        signs = product(self.polynomial(value.num), denominator_signs)
        if not signs:
            raise Impossible("some values of the symbols must satisfy all their ranges")
        return signs

    def assume(self, value: Function, signs: int) -> None:
        """Assume from now on that `value`, a polynomial, has its sign in `signs`.

        Raises Impossible if `value` is linear in one symbol and this leaves no value of the symbol. Other
        contradictions may be noticed by later questions only.
        """
        self.field.lift(value)
        self._assumed.append((value, signs))
        used = self._generators_in(value.num)
        if len(used) == 1 and self.field.generators[used[0]].kind == "symbol":
            symbol = self.field.generators[used[0]].argument
            self.symbols[symbol] = box = _restricted(self._box(used[0]), value.num, signs)
            if box.empty:
                raise Impossible("some values of the symbols must satisfy all their ranges")
            self._boxes.clear()

    def know(self, value: Function, signs: int) -> None:
        """Record that `value`, a polynomial, has its sign in `signs`. The caller has proved it; it is not an
        assumption."""
        self._facts.append((value, signs))

    def known(self, value: Function) -> int:
        """The sign set of a polynomial that was recorded by `know` for it or for a multiple of it; else ANY."""
        self.field.lift(value)
        return self._recorded(value.num)

    def _recorded(self, p: fmpq_mpoly) -> int:
        """The sign set of a polynomial that `_facts` has for it or for a multiple of it; else ANY."""
        signs = ANY
        for value, value_signs in self._facts:
            self.field.lift(value)
            if len(value.num) == len(p):
                ratio = p.leading_coefficient() / value.num.leading_coefficient()
                if value.num * ratio == p:
                    signs &= value_signs if ratio > 0 else flip(value_signs)
        return signs

    def polynomial(self, p: fmpq_mpoly) -> int:
        """The signs that a polynomial of the field's present version may take."""
        return self._within_steps(lambda: self._with_assumptions(p))

    def _with_assumptions(self, p: fmpq_mpoly) -> int:
        """The signs of a polynomial, from its form, and then from the assumptions."""
        signs = self._polynomial(p)
        if self._assumed and signs not in (POSITIVE, ZERO, NEGATIVE):
            signs &= self._from_assumptions(p, 2 if len(self._assumed) <= 6 else 1)
        return signs

    def _from_assumptions(self, p: fmpq_mpoly, depth: int) -> int:
        """The signs of p from p = c q + r, for each assumed q and each c that cancels a term of p. Up to `depth`
        assumptions are combined."""
        signs = ANY
        if not 0 < len(p) <= _SHORT:
            return signs
        terms = dict(p.terms())
        for value, value_signs in self._assumed:
            self.field.lift(value)
            if len(value.num) > _SHORT:
                continue
            for ratio in {terms[m] / c for m, c in value.num.terms() if m in terms}:
                remaining = p - ratio * value.num
                signs_of_remaining = self._decide(remaining, {}, False)
                if depth > 1 and signs_of_remaining not in (POSITIVE, ZERO, NEGATIVE):
                    signs_of_remaining &= self._from_assumptions(remaining, depth - 1)
                signs &= total(value_signs if ratio > 0 else flip(value_signs), signs_of_remaining)
                if signs in (POSITIVE, ZERO, NEGATIVE):
                    return signs
        return signs

    def _polynomial(self, p: fmpq_mpoly) -> int:
        """The signs of a polynomial without assumptions, by the methods in order of their cost."""
        signs = self._decide(p, {})
        if signs == ANY and any(self.field.generators[g].kind in _BREAKS for g in self._generators_in(p)):
            signs = self._branches(p)
        # Conjugates and discriminants are larger polynomials, whose signs are computed in turn: only for short p, and
        # with limited nesting.
        if signs in (POSITIVE, ZERO, NEGATIVE) or len(p) > _LONG or self._depth == _DEPTH:
            return signs
        self._depth += 1
        try:
            roots = [g for g in self._generators_in(p) if self.field.generators[g].kind == "sqrt"]
            if 0 < len(roots) <= _ROOTS:
                signs &= self._conjugate(p, roots[-1])
            if signs == ANY and len(p) <= _SHORT:
                signs = self._quadratic(p)
        finally:
            self._depth -= 1
        return signs

    def _quadratic(self, p: fmpq_mpoly) -> int:
        """The signs of p = a x^2 + b x + c in a symbol x, by 4 a p = (2 a x + b)^2 - (b^2 - 4 a c), if a is positive
        everywhere or negative everywhere; else ANY."""
        degrees = p.degrees()
        for g in self._generators_in(p):
            if degrees[g] != 2 or self.field.generators[g].kind != "symbol":
                continue
            parts: list[dict[Any, Any]] = [{}, {}, {}]
            for monomial, coefficient in p.terms():
                parts[int(monomial[g])][(*monomial[:g], 0, *monomial[g + 1 :])] = coefficient
            c, b, a = (self.field.ctx.from_dict(part) for part in parts)
            # `discriminant` has the signs of 4 a c - b^2.
            lead = self._decide(a, {})
            if lead not in (POSITIVE, NEGATIVE):
                continue
            discriminant = flip(self._polynomial(self.field.reduced(b * b - 4 * a * c)))
            signs = product(total(NONNEGATIVE, discriminant), lead)
            if signs != ANY:
                return signs
        return ANY

    def _conjugate(self, p: fmpq_mpoly, g: int) -> int:
        """The signs of p = a + b sqrt(u), where g is the generator sqrt(u). If a and b sqrt(u) have opposite signs, the
        sign of a^2 - b^2 u says which is larger."""
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

    def _generators_in(self, p: fmpq_mpoly) -> list[int]:
        """The generators that occur in a polynomial."""
        return [g for g, degree in enumerate(p.degrees()) if degree]

    def _monomial(self, p: fmpq_mpoly, boxes: Boxes | None = None) -> int:
        """The signs of a polynomial with one term, from those of its generators; even powers are not negative."""
        result = of_number(p.leading_coefficient())
        for g, degree in enumerate(p.degrees()):
            if degree:
                signs = self._box(g, boxes).signs
                result = product(result, signs if degree % 2 else product(signs, signs) & NONNEGATIVE)
        return result

    def _box(self, g: int, boxes: Boxes | None = None) -> Span:
        """The interval of a generator: that of `boxes` if there is one, else the general one."""
        if boxes and g in boxes:
            return boxes[g]
        if g not in self._boxes:
            kind = self.field.generators[g].kind
            self._boxes[g] = _WIDEST.get(kind, EVERYWHERE)  # used while computing the interval needs that of g
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
        # A number: the ends of a small ball around it.
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
        """Whether a generator is a number: without symbols, maxima and steps."""
        if g not in self._numbers:
            generator = self.field.generators[g]
            if generator.kind in ("symbol", "constant", *_BREAKS) or isinstance(generator.argument, fmpq):
                self._numbers[g] = generator.kind not in ("symbol", *_BREAKS)
            else:
                self.field.lift(generator.argument)
                used = {*self._generators_in(generator.argument.num), *self._generators_in(generator.argument.den)}
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
        values = {g: self._ball(g) for g in self._generators_in(p)}
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
        # 1. Bounds from those of the exponent, if it has any.
        low, high = self._range(base)
        lower, upper = fmpq(0), None
        with PRECISION, flint.ctx.workprec(64):
            # An end beyond FAR is replaced by a weaker one, whose power is short enough as a fraction.
            if low is not None and low > -FAR:
                lower = _exp_ball(min(low, fmpq(FAR)), root).lower().fmpq() if low else fmpq(1)
            if high is not None and high < FAR:
                upper = _exp_ball(max(high, fmpq(-FAR)), root).upper().fmpq() if high else fmpq(1)
        # 2. The sign of the exponent says on which side of 1 the power is.
        signs = self.of(base)
        if signs & NEGATIVE == 0 and lower <= 1:
            return Span(fmpq(1), upper, not signs & ZERO, False)
        if signs & POSITIVE == 0 and (upper is None or upper >= 1):
            return Span(lower, fmpq(1), True, not signs & ZERO)
        return Span(lower, upper, lower == 0, False)

    def _range(self, value: Function) -> tuple[fmpq | None, fmpq | None]:
        """(lower bound, upper bound) of a value from bounds of its terms. They are computed only if all generators are
        nonnegative and the denominator is bounded below by 0; None is no bound."""
        # The denominator must not be negative; its inverse is between `low` and `high`.
        num, den = self._term_range(value.num), self._term_range(value.den)
        if den[0] is None or den[0] < 0:
            return None, None
        low, high = (1 / den[1] if den[1] else None), (1 / den[0] if den[0] else None)

        def scaled(bound: fmpq | None, small: fmpq | None, large: fmpq | None, side: int) -> fmpq | None:
            """The least (side -1) or greatest (side 1) product of `bound` with a number between small and large."""
            if bound is None:
                return None
            outward = bound * side > 0
            factor = large if outward else small if small is not None else fmpq(0)
            return fmpq(0) if bound == 0 else None if factor is None else bound * factor

        return scaled(num[0], low, high, -1), scaled(num[1], low, high, 1)

    def _term_range(self, p: fmpq_mpoly) -> tuple[fmpq | None, fmpq | None]:
        """(lower bound, upper bound) of a polynomial: the sums of the bounds of its terms. None is no bound; both are
        None if a generator may be negative."""
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
        """The signs of a polynomial, in which each max(0, u) counts as any nonnegative number. Without `factors`, it is
        not factored, which is faster."""
        recorded = self._recorded(p) if self._facts and len(p) else ANY
        return recorded if recorded in (POSITIVE, ZERO, NEGATIVE) else recorded & self._computed(p, boxes, factors)

    def _computed(self, p: fmpq_mpoly, boxes: Boxes, factors: bool) -> int:
        """`_decide` without recorded facts, by the form of p: a constant, one term, a number, one variable, several
        variables."""
        if len(p) == 0:
            return ZERO
        if p.is_constant():
            return of_number(p.leading_coefficient())
        self._spend(len(p))
        if len(p) == 1:
            return self._monomial(p, boxes)
        # Take out a common monomial.
        content = p.term_content()
        if not content.is_constant():
            return product(self._monomial(content, boxes), self._decide(p / content, boxes, factors))
        used = self._generators_in(p)
        if all(self._numeric(g) for g in used):
            return self._number_sign(p)
        degrees = p.degrees()
        # One variable: exactly, by counting roots.
        if len(used) == 1 and degrees[used[0]] <= MAX_DEGREE:
            return univariate(_one_variable(p, used[0]), self._box(used[0], boxes))
        # Several variables: by the coefficients, and if these decide nothing by the signs of the factors.
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

    def _number_sign(self, p: fmpq_mpoly) -> int:
        """The sign of a number, by balls of increasing precision; ANY if the number is zero, or so small that
        `MAX_BITS` bits do not show its sign."""
        bits = 64
        while bits <= MAX_BITS:
            with PRECISION, flint.ctx.workprec(bits):
                value = self._polynomial_ball(p)
            if value > 0 or value < 0:
                return POSITIVE if value > 0 else NEGATIVE
            bits *= 4
        return ANY

    def _coefficients(self, p: fmpq_mpoly, used: list[int], boxes: Boxes) -> int:
        """The signs of p, from the signs of its coefficients after each variable x is replaced by t in [0, oo).

        x in [a, oo) is a + t. x in [a, b] is a + 1/(1/(b - a) + t), and p is multiplied by a power of the denominator,
        which is positive. A variable on the whole line stays; it may have even exponents only. With nonnegative
        coefficients, p is positive if at each corner (choice of closed ends) some monomial is not zero.
        """
        degrees = p.degrees()
        free: list[int] = []
        at_zero: list[int] = []  # variables for which t = 0 belongs to the interval
        # Variables for which t = oo belongs to the interval, with the power of the denominator that p was multiplied
        # by.
        at_infinity: dict[int, int] = {}
        # 1. Replace each variable, and note which ends belong to its interval.
        for g in used:
            box = self._box(g, boxes)
            if box.empty:
                return 0
            if box.lower == box.upper and box.lower is not None:
                p = self._with_replaced(p, g, self.field.ctx.constant(box.lower))
                continue
            if (box.lower or box.upper) and len(p) * (
                degrees[g] + 1
            ) > MAX_SHIFTED:  # avoid too many terms: take a larger interval that begins at 0 or has no ends
                box = EVERYWHERE if box.signs & NEGATIVE else Span(fmpq(0), None, box.signs == POSITIVE)
            x = self.field.ctx.gens()[g]
            if box.lower is None and box.upper is None:
                free.append(g)
            elif box.upper is None:
                if box.lower:
                    p = self._with_replaced(p, g, box.lower + x)
                if not box.lower_open:
                    at_zero.append(g)
            elif box.lower is None:
                p = self._with_replaced(p, g, box.upper - x)
                if not box.upper_open:
                    at_zero.append(g)
            else:
                # [a, b]: x = a + y with y in [0, b - a], then y = 1/(1/(b - a) + t); the polynomial is multiplied by
                # the denominator to the power of its degree.
                p = self._with_replaced(p, g, box.lower + x)
                p = self._reversed(p, g, degrees[g])
                p = self._with_replaced(p, g, 1 / (box.upper - box.lower) + x)
                if not box.upper_open:
                    at_zero.append(g)
                if not box.lower_open:
                    at_infinity[g] = degrees[g]
        # 2. The method needs coefficients of one sign, and no odd powers of free variables.
        terms = list(p.terms())
        if not terms:
            return ZERO
        if any(monomial[g] % 2 for monomial, _ in terms for g in free):
            return ANY
        signs = {c > 0 for _, c in terms}
        if len(signs) > 1:
            return ANY
        # 3. p is never zero, unless it is zero at a corner. There only the monomials are nonzero whose exponents are
        # exactly those of the corner: 0 at t = 0, the full power at t = oo.
        ends: dict[int, list[int]] = {g: [0] for g in at_zero + free}
        for g, d in at_infinity.items():
            ends.setdefault(g, []).append(d)
        corners = prod(map(len, ends.values()))
        strict = corners <= MAX_CORNERS
        if strict:
            self._spend(len(terms) * corners)
            strict = set(product_of(*ends.values())) <= {tuple(monomial[g] for g in ends) for monomial, _ in terms}
        return (POSITIVE if signs.pop() else NEGATIVE) | (0 if strict else ZERO)

    def _with_replaced(self, p: fmpq_mpoly, g: int, polynomial: fmpq_mpoly) -> fmpq_mpoly:
        """p with `polynomial` in place of the generator g."""
        gens = list(self.field.ctx.gens())
        gens[g] = polynomial
        self._spend(len(p) * (p.degrees()[g] + 1) if len(polynomial) > 1 else len(p))
        return p.compose(*gens)

    def _reversed(self, p: fmpq_mpoly, g: int, degree: int) -> fmpq_mpoly:
        """p at 1/g, times g^degree."""
        return self.field.ctx.from_dict({(*m[:g], degree - m[g], *m[g + 1 :]): c for m, c in p.terms()})

    def _branches(self, p: fmpq_mpoly) -> int:
        """The signs of p, from all cases of its maxima and steps: max(0, u) is 0 where u <= 0 and u where u >= 0; a
        step is 0 where u <= 0 and 1 where u > 0. If u is linear in one symbol, the interval of the symbol shrinks in
        each case."""
        # All maxima and steps in p and in their arguments. Inner ones have smaller indices, so they come first below.
        atoms: set[int] = set()
        waiting = self._generators_in(p)
        while waiting:
            g = waiting.pop()
            if self.field.generators[g].kind in _BREAKS and g not in atoms:
                atoms.add(g)
                waiting += self._generators_in(self.field.argument(g))
        remaining_branches = MAX_BRANCHES >> 2 * self._depth

        def walk(open_atoms: list[int], put: list[fmpq_mpoly], boxes: dict[int, Span]) -> int:
            """The signs of p over both sides of each of `open_atoms`. `put` has the polynomial that replaces each
            generator, with the sides chosen so far; `boxes` has the intervals on these sides."""
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
                    smaller = self._reduced_boxes(argument, boxes, side)
                    if smaller is not None:
                        result |= walk(later_atoms, [*put[:g], value, *put[g + 1 :]], smaller)
            return result

        return walk(sorted(atoms), list(self.field.ctx.gens()), {})

    def _composed(self, p: fmpq_mpoly, put: list[fmpq_mpoly]) -> fmpq_mpoly:
        """p with the polynomials `put` in place of its generators."""
        term_count = 0
        for monomial in p.monoms():
            terms = 1
            for g, e in enumerate(monomial):
                if e and len(put[g]) > 1:
                    terms *= comb(min(len(put[g]) - 1 + e, MAX_STEPS), e)  # a bound of the number of terms of the power
            term_count += terms
        self._spend(term_count)
        return p.compose(*put)

    def _reduced_boxes(self, argument: fmpq_mpoly, boxes: dict[int, Span], side: int) -> dict[int, Span] | None:
        """`boxes` reduced to the points where a polynomial has a sign in `side`, or larger boxes; None if no such point
        exists."""
        used = self._generators_in(argument) if len(argument) else []
        if len(used) != 1 or argument.degrees()[used[0]] != 1:
            return boxes
        box = _restricted(self._box(used[0], boxes), argument, side)
        return None if box.empty else {**boxes, used[0]: box}


def _restricted(box: Span, p: fmpq_mpoly, signs: int) -> Span:
    """The part of `box`, the interval of the only variable of `p`, where p has its sign in `signs`, or a larger
    part."""
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
    """p, whose only generator is g, as a polynomial in one variable."""
    coefficients = [fmpq(0)] * (p.degrees()[g] + 1)
    for monomial, c in p.terms():
        coefficients[monomial[g]] = c
    return fmpq_poly(coefficients)


def _exp_ball(exponent: fmpq, root: int) -> flint.arb:
    """An enclosure of e^(exponent/root)."""
    return flint.arb(exponent / root).exp()


def _enclosure(ball: flint.arb) -> Span:
    """The interval of a ball; the whole line if an end would be too long as a fraction."""
    if not ball.is_finite() or any(abs(int(end.man_exp()[1])) > 64 * FAR for end in (ball.lower(), ball.upper())):
        return EVERYWHERE
    return Span(ball.lower().fmpq(), ball.upper().fmpq(), False, False)


def number_ball(number: object, bits: int) -> flint.arb:
    """An enclosure of an exact sympy number."""
    with PRECISION, flint.ctx.workprec(bits + 32):
        return evaluate(tree_from_sympy(number))
