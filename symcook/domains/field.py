"""Rational functions over the rationals in generators that are added when they first occur.

A value is a `flint.fmpq`, or a `Function`: a quotient of two multivariate polynomials that is not a rational constant,
in lowest terms (of large polynomials only a common monomial is cancelled). A generator is a symbol, an exponential
exp(b/q), a max(0, u), a step I[u > 0], a root sqrt(u), an erf(u) or tanh(u), or an irrational constant. Powers of roots
and steps are folded: sqrt(u)^2 = u, I[u > 0]^2 = I[u > 0]. Otherwise generators are treated as independent. Where they
are not (as max(0, x) and x), equal values may have different quotients. So a quotient that is not the constant 0 may
still have the value 0; `symcook.domains.signs` decides whether it has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd, lcm
from typing import Any, TypeAlias

import sympy
from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from symcook.errors import Undecided
from symcook.model.expr import valid_name

Value: TypeAlias = "fmpq | Function"
"""fmpq or Function."""

ZERO = fmpq(0)
ONE = fmpq(1)
# Beyond these limits Undecided is raised.
MAX_TERMS = 5_000  # terms of a numerator or denominator
MAX_SHOWN = 5_000  # numbers and names in one shown value, including those inside maxima and exponentials
MAX_GENERATORS = 400
ENTIRE = ("cos", "erf", "sin", "tanh")
"""The functions that are generators of their own, and have a value at every number."""
MAX_WORK = 20_000_000  # products of terms in all arithmetic of one field
# Beyond these limits a polynomial is not factored, or a common factor of two is not searched for.
_FACTOR_TERMS, _FACTOR_DEGREE = 40, 40
_GCD_WORK = 200_000  # the product of the two numbers of terms
_GCD_DEGREE = 2_000  # the smaller total degree; roots of exponentials make large ones


@dataclass(frozen=True)
class Generator:
    """A generator, by its kind.

    "symbol", "constant": `argument` is the sympy symbol or number. "exp": e^(argument/q), with q from `Field.roots`.
    "max": max(0, argument). "step": I[argument > 0]. "sqrt": the root of a nonnegative argument. One of `ENTIRE`: the
    function. Arguments of "max", "step" and "sqrt" are rationals, or polynomials in generators that are older.
    """

    kind: str
    argument: Any


class Field:
    """The generators met so far and the polynomial ring over them.

    >>> field = Field()
    >>> x, eps = field.symbol(sympy.Symbol("x")), field.symbol(sympy.Symbol("eps"))
    >>> field.to_sympy((x * x - eps * eps) / (x + eps))
    -eps + x
    """

    def __init__(self) -> None:
        self.generators: list[Generator] = []
        self.roots: list[int] = []
        """For each generator: q, where an "exp" generator is e^(argument/q); 1 for other kinds."""
        self._index: dict[Any, int] = {}
        """(kind, key of the argument) -> the index of the generator."""
        self._history: list[tuple[int, ...]] = [()]
        """For each earlier version, `roots` at its end; the last entry, for the present version, is not filled in
        yet."""
        self.version = 0
        """Increases when `roots` or the size of the ring changes. A function of an earlier version must then be
        rewritten (`lift`) before it is combined with newer ones."""
        self._sympy: dict[int, Any] = {}
        """Index of a generator -> its argument as a sympy expression."""
        self._folding: list[int] = []
        """The indices of "sqrt" and "step" generators, whose powers `reduced` folds."""
        self._sizes: dict[int, int] = {}
        """Index of a generator -> the result of `_size`."""
        self._work = 0
        """The number of products of terms so far, at most `MAX_WORK`."""
        self._context(8)

    def _context(self, capacity: int) -> None:
        """Make the polynomial ring in `capacity` generators."""
        self.ctx: fmpq_mpoly_ctx = fmpq_mpoly_ctx.get([f"g{k}" for k in range(capacity)], Ordering.lex)
        self.one: fmpq_mpoly = self.ctx.constant(1)
        self.gens = self.ctx.gens()

    def _begin_version(self) -> None:
        """Begin a new version: existing functions have exponents that are valid for the present one."""
        self._history[-1] = tuple(self.roots)
        self._history.append(())
        self.version += 1

    def _add_generator(self, key: object, generator: Generator) -> int:
        """Add a generator, and return its index. A full ring is replaced by one with twice as many generators."""
        if len(self.generators) >= MAX_GENERATORS:
            raise self.too_large(f"{MAX_GENERATORS} maxima and exponentials")
        if len(self.generators) == len(self.gens):
            self._begin_version()
            self._context(2 * len(self.gens))
        self._index[key] = len(self.generators)
        self.generators.append(generator)
        self.roots.append(1)
        return self._index[key]

    def generator(self, index: int) -> Function:
        """The generator itself as a value."""
        return Function(self, self.gens[index], self.one)

    def symbol(self, symbol: object) -> Function:
        """The value of a sympy symbol."""
        return self._generator_value("symbol", symbol, symbol)

    def constant(self, number: object) -> Function:
        """The value of an irrational sympy number. Two such numbers are the same generator if their sympy forms are
        equal."""
        return self._generator_value("constant", number, number)

    def maximum(self, argument: Value) -> Function:
        """max(0, argument) as a generator, which is added if it is new; Undecided if the argument is too long."""
        self._require_short(argument)
        return self._generator_value("max", self.key(argument), argument)

    def function(self, kind: str, argument: Value) -> Function:
        """A generator of kind "step" or "sqrt", or of one of `ENTIRE`, with that argument."""
        return self._generator_value(kind, self.key(argument), argument)

    def _generator_value(self, kind: str, key: object, argument: object) -> Function:
        """The generator of a kind and key as a value; it is added if it is new."""
        index = self._index.get((kind, key))
        if index is None:
            index = self._add_generator((kind, key), Generator(kind, argument))
            if kind in ("sqrt", "step"):
                self._folding.append(index)
        return self.generator(index)

    def reduced(self, polynomial: fmpq_mpoly) -> fmpq_mpoly:
        """The polynomial with squares of roots and powers of steps folded."""
        degrees = polynomial.degrees()
        for g in reversed(self._folding):  # newest first, since an argument has older generators only
            if degrees[g] < 2:
                continue
            # sqrt(u)^(2k + r) = u^k sqrt(u)^r: group the terms by k. A power of a step is the step itself (k = 0).
            parts: dict[int, dict[Any, Any]] = {}
            root = self.generators[g].kind == "sqrt"
            for monomial, c in polynomial.terms():
                power = int(monomial[g])
                square, exponent = (power // 2, power % 2) if root else (0, min(power, 1))
                part, key = parts.setdefault(square, {}), (*monomial[:g], exponent, *monomial[g + 1 :])
                part[key] = part.get(key, ZERO) + c
            inside = self.argument(g)
            polynomial = self.ctx.constant(0)
            for square, part in parts.items():
                polynomial = polynomial + self.ctx.from_dict(part) * inside**square
            if polynomial.is_zero():
                break
            degrees = polynomial.degrees()
        return polynomial

    def argument(self, index: int) -> Any:
        """The argument of a "max", "step" or "sqrt" generator as a polynomial of the present version."""
        argument = self.generators[index].argument
        if isinstance(argument, fmpq):
            return self.ctx.constant(argument)
        self.lift(argument)
        return argument.num

    def exponential(self, base: Value, exponent: Fraction) -> tuple[int, int]:
        """(g, k) such that generator g to the power k is e to exponent * base. A new denominator of `exponent` begins a
        new version: polynomials made before are then stale, and so are powers k that earlier calls returned."""
        key = ("exp", self.key(base))
        index = self._index.get(key)
        if index is None:
            self._require_short(base)
            index = self._add_generator(key, Generator("exp", base))
            self.roots[index] = exponent.denominator
        if self.roots[index] % exponent.denominator:
            self._begin_version()
            self.roots[index] = lcm(self.roots[index], exponent.denominator)
        return index, int(exponent * self.roots[index])

    def monomial(self, powers: Mapping[int, int]) -> fmpq_mpoly:
        """The polynomial that is one product of powers of generators."""
        exponents = [0] * len(self.gens)
        for index, power in powers.items():
            exponents[index] = power
        return self.ctx.from_dict({tuple(exponents): 1})

    def lift(self, f: Function) -> None:
        """Rewrite a function of an earlier version over the present generators, in place."""
        if f.version == self.version:
            return
        old_roots = self._history[f.version]
        factors = [self.roots[g] // old_roots[g] for g in range(len(old_roots))]
        f.num, f.den = (self.one if p.is_one() else self._lifted(p, factors) for p in (f.num, f.den))
        f.version, f.text = self.version, None

    def _lifted(self, polynomial: fmpq_mpoly, factors: Sequence[int]) -> fmpq_mpoly:
        """A polynomial of an earlier version over the present generators. Exponents of the g-th generator are
        multiplied by the g-th of `factors`, since its root q has become larger by that factor."""
        size, width = len(self.gens), len(factors)
        return self.ctx.from_dict(
            {
                (*(e * k for e, k in zip(monomial[:width], factors, strict=True)), *(0,) * (size - width)): c
                for monomial, c in polynomial.terms()
            }
        )

    def polynomial_key(self, polynomial: fmpq_mpoly) -> Any:
        """A hashable key of a polynomial of the present version. It is the same at every later version."""
        roots = self.roots

        def power(e: int, root: int) -> tuple[int, int]:
            """The exponent e/root in lowest terms."""
            common = gcd(e, root)
            return e // common, root // common

        return tuple(
            (tuple([(g, *power(int(e), roots[g])) for g, e in enumerate(monomial) if e]), int(c.p), int(c.q))
            for monomial, c in polynomial.terms()
        )

    def key(self, value: Value) -> Any:
        """A hashable key of a value. It is the same at every version."""
        if isinstance(value, fmpq):
            return value
        self.lift(value)
        return self.polynomial_key(value.num), self.polynomial_key(value.den)

    def written(self, value: Function) -> tuple[int, str, str]:
        """A hashable key of a value, valid for the present version only. It is faster to compute than `key`."""
        self.lift(value)
        if value.text is None:
            value.text = self.version, str(value.num), "1" if value.den is self.one else str(value.den)
        return value.text

    def too_large(self, what: str) -> Undecided:
        """The error that a closed form has more than `what`; it names symbols that the user may set."""
        symbols = (g.argument.name for g in self.generators if g.kind == "symbol")
        names = [name for name in symbols if valid_name(name)]  # the others stand for no symbol that can be set
        shown_names = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
        do = f"set one of its symbols ({shown_names}), or give a shorter input" if names else "give a shorter input"
        return Undecided(f"the closed form has more than {what}; {do}.")

    def times(self, first: fmpq_mpoly, second: fmpq_mpoly) -> fmpq_mpoly:
        """The product of two polynomials; Undecided if the work of this field exceeds `MAX_WORK`."""
        if first is self.one or second is self.one:
            return second if first is self.one else first
        self._work += len(first) * len(second)
        if self._work > MAX_WORK:
            raise self.too_large(f"{MAX_WORK:,} products of terms in its making")
        return first * second

    def _bounded_power(self, polynomial: fmpq_mpoly, exponent: int) -> fmpq_mpoly:
        """A power of a polynomial; Undecided if it may have more than `MAX_TERMS` terms."""
        terms = len(polynomial)
        if terms > 1 and exponent > 1 and comb(min(terms, MAX_TERMS) - 1 + exponent, exponent) > MAX_TERMS:
            raise self.too_large(f"{MAX_TERMS} terms")
        return polynomial**exponent

    def quotient(self, num: fmpq_mpoly, den: fmpq_mpoly) -> Value:
        """num / den in lowest terms (see `_common_factor`), den with leading coefficient 1. Both are polynomials of the
        present version; Undecided if one has more than `MAX_TERMS` terms."""
        if self._folding:
            num, den = self.reduced(num), den if den is self.one else self.reduced(den)
        if num.is_zero():
            return ZERO
        if len(num) > MAX_TERMS or len(den) > MAX_TERMS:
            raise self.too_large(f"{MAX_TERMS} terms")
        if den.is_constant():
            if den is not self.one and (lead := den.leading_coefficient()) != 1:
                num = num * (ONE / lead)
            return num.leading_coefficient() if num.is_constant() else Function(self, num, self.one)
        common = self._common_factor(num, den)
        if not common.is_constant():
            num, den = num / common, den / common
            if den.is_constant():
                return self.quotient(num, den)
        lead = den.leading_coefficient()
        if lead != 1:
            inverse = ONE / lead
            num, den = num * inverse, den * inverse
        return Function(self, num, den)

    def power(self, num: fmpq_mpoly, den: fmpq_mpoly, exponent: int) -> Value:
        """(num / den)^exponent, for a quotient in lowest terms; Undecided if it may have too many terms."""
        numerator, denominator = self._bounded_power(num, exponent), self._bounded_power(den, exponent)
        return self.quotient(numerator, denominator) if self._folding else Function(self, numerator, denominator)

    def _common_factor(self, num: fmpq_mpoly, den: fmpq_mpoly) -> fmpq_mpoly:
        """The greatest common factor; for large polynomials, only the common monomial factor."""
        degree = min(num.total_degree(), den.total_degree())
        if len(num) * len(den) < _GCD_WORK and degree <= _GCD_DEGREE:
            return num.gcd(den)
        return num.term_content().gcd(den.term_content())

    def factored(self, polynomial: fmpq_mpoly) -> tuple[fmpq, list[tuple[fmpq_mpoly, int]]]:
        """(c, [(factor, power), ...]) whose product is the polynomial; a large polynomial is returned as one factor."""
        if len(polynomial) > _FACTOR_TERMS or polynomial.total_degree() > _FACTOR_DEGREE:
            return ONE, [(polynomial, 1)]
        if polynomial.total_degree() == 1:
            numbers = polynomial.coeffs()
            content = fmpq(gcd(*(int(c.p) for c in numbers)), lcm(*(int(c.q) for c in numbers)))
            content = content if numbers[0] > 0 else -content
            return content, [(polynomial if content == 1 else polynomial * (ONE / content), 1)]
        return polynomial.factor()

    def to_sympy(self, value: Value) -> Any:
        """The sympy expression of a value: integers without common factor above and below the fraction bar.

        Raises Undecided where it would have more than `MAX_SHOWN` numbers and names.
        """
        if isinstance(value, fmpq):
            return sympy.Rational(int(value.p), int(value.q))
        self._require_short(value)
        self.lift(value)
        numerator, denominator = self._integral(value.num), self._integral(value.den)
        ratio = numerator[1] / denominator[1]
        num, den = self._sum(numerator[0]), self._sum(denominator[0])
        factor = sympy.Rational(int(ratio.p), int(ratio.q))
        return (
            factor * num if den == 1 else sympy.Mul(factor, num, 1 / den)
        )  # sympy would expand a product of two arguments

    def size(self, value: Value) -> int:
        """The number of numbers and names of the value when it is written out; above `MAX_SHOWN` a lower bound of
        it."""
        if isinstance(value, fmpq):
            return 1
        result = 0
        for polynomial in (value.num, value.den):
            for monomial in polynomial.monoms():
                result += 1 + sum(self._size(g) for g, e in enumerate(monomial) if e)
                if result > MAX_SHOWN:
                    return result
        return result

    def _require_short(self, value: Value) -> None:
        """Raise Undecided if the value is longer than `MAX_SHOWN`."""
        if self.size(value) > MAX_SHOWN:
            raise self.too_large(f"{MAX_SHOWN} numbers and names")

    def _size(self, index: int) -> int:
        """The number of numbers and names of a generator when it is written out."""
        if index not in self._sizes:
            generator = self.generators[index]
            inner = 1 if generator.kind in ("symbol", "constant") else 1 + self.size(generator.argument)
            self._sizes[index] = inner
        return self._sizes[index]

    def _integral(self, polynomial: fmpq_mpoly) -> tuple[list[tuple[Any, Any]], fmpq]:
        """The terms with integer coefficients without common factor, and the rational factor taken out."""
        terms = list(polynomial.terms())
        bottom = lcm(*(int(c.q) for _, c in terms))
        integers = [int(c * bottom) for _, c in terms]
        content = sympy.igcd(*integers) if len(integers) > 1 else abs(integers[0])
        monomials = [monomial for monomial, _ in terms]
        return list(zip(monomials, (w // content for w in integers), strict=True)), fmpq(int(content), bottom)

    def _sum(self, terms: Sequence[tuple[Sequence[int], int]]) -> Any:
        """The sympy expression of a polynomial, from its (exponents, coefficient) pairs."""
        return sympy.Add(
            *(
                sympy.Mul(sympy.Integer(c), *(self._power(g, e) for g, e in enumerate(monomial) if e))
                for monomial, c in terms
            )
        )

    def _power(self, index: int, exponent: int) -> Any:
        """The sympy expression of a power of a generator."""
        generator = self.generators[index]
        if generator.kind in ("symbol", "constant"):
            return generator.argument**exponent
        argument = self._sympy.get(index)
        if argument is None:
            argument = self._sympy[index] = self.to_sympy(generator.argument)
        if generator.kind == "exp":
            return sympy.exp(argument * sympy.Rational(exponent, self.roots[index]))
        if generator.kind == "sqrt":
            return argument ** sympy.Rational(exponent, 2)
        if generator.kind == "step":
            return sympy.Piecewise((1, argument > 0), (0, True))
        if generator.kind in ENTIRE:
            return getattr(sympy, generator.kind)(argument) ** exponent
        return sympy.Max(0, argument, evaluate=False) ** exponent  # evaluating it would make sympy compare for long


class Function:
    """A quotient num / den of polynomials that is not a rational constant. It supports + - * / with Function and fmpq
    on either side. Only `Field.lift` changes the polynomials, and keeps the value; `names` and `text` are filled in
    later."""

    __slots__ = ("den", "field", "names", "num", "text", "version")

    def __init__(self, field: Field, num: fmpq_mpoly, den: fmpq_mpoly) -> None:
        self.field = field
        self.num = num
        self.den = den
        self.version = field.version
        self.names: frozenset[Any] | None = None
        """The names of its symbols, once they have been computed (None before); `lift` does not change them."""
        self.text: tuple[int, str, str] | None = None
        """The result of `Field.written`, once it has been computed."""

    def _lift_both(self, other: Function) -> None:
        """Rewrite both functions for the present version."""
        field = self.field
        field.lift(self)
        field.lift(other)

    def __add__(self, other: Value) -> Value:
        """The sum; `self` for the summand 0. Operands of earlier versions are lifted in place."""
        if isinstance(other, fmpq):
            if not other:
                return self
            self.field.lift(self)
            # in lowest terms: a common factor of num + c den and den divides num
            return Function(self.field, self.num + other * self.den, self.den)
        self._lift_both(other)
        field = self.field
        if self.den is other.den or self.den == other.den:
            return field.quotient(self.num + other.num, self.den)
        num = field.times(self.num, other.den) + field.times(other.num, self.den)
        return field.quotient(num, field.times(self.den, other.den))

    __radd__ = __add__

    def __neg__(self) -> Function:
        self.field.lift(self)
        return Function(self.field, -self.num, self.den)

    def __sub__(self, other: Value) -> Value:
        return self + -other

    def __rsub__(self, other: Value) -> Value:
        return -self + other

    def __mul__(self, other: Value) -> Value:
        """The product; Undecided if the work of the field is used up."""
        if isinstance(other, fmpq):
            if not other:
                return ZERO
            self.field.lift(self)
            return Function(self.field, self.num * other, self.den)
        self._lift_both(other)
        field = self.field
        return field.quotient(field.times(self.num, other.num), field.times(self.den, other.den))

    __rmul__ = __mul__

    def __truediv__(self, other: Value) -> Value:
        if isinstance(other, fmpq):
            return self * (ONE / other)
        self._lift_both(other)
        field = self.field
        return field.quotient(field.times(self.num, other.den), field.times(self.den, other.num))

    def __rtruediv__(self, other: fmpq) -> Value:
        self.field.lift(self)
        return self.field.quotient(self.den * other, self.num)

    def __pow__(self, exponent: int) -> Value:
        """An integer power, also a negative one."""
        if exponent == 0:
            return ONE
        base: Value = self if exponent > 0 else ONE / self
        if isinstance(base, fmpq):
            return base ** abs(exponent)
        base.field.lift(base)
        return base.field.power(base.num, base.den, abs(exponent))

    def __eq__(self, other: object) -> bool:
        """Whether both have the same quotient. Equal values may have different ones if generators are dependent."""
        if not isinstance(other, Function):
            return NotImplemented
        self._lift_both(other)
        return bool(self.num == other.num and self.den == other.den)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Function {self.field.to_sympy(self)}>"


def function_of(value: Value) -> Function:
    """The value itself, for a caller that knows that it is not a rational constant."""
    if not isinstance(value, Function):
        raise RuntimeError(f"a Function is expected here, not {type(value).__name__}")
    return value


def polynomial_of(field: Field, polynomial: fmpq_mpoly) -> Value:
    """A polynomial of the present version as a value, with roots and steps folded."""
    return field.quotient(polynomial, field.one)
