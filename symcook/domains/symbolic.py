"""Closed forms for one input: rational functions of declared symbols, exponentials, roots, and undecided maxima and
steps.

Terms of the grammar are computed with polynomials (`symcook.domains.field`) and shown as sympy expressions. Signs are
proved (`symcook.domains.signs`). A comparison holds for all admissible values of the symbols, or for none, or it is
undecided. A ReLU of undecided sign is written max(0, u). An undecided comparison of scores, or a division by a value
that may be zero, raises Branching, unless cases are split: then `Choices` says which side to follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, ClassVar

import sympy
from flint import fmpq, fmpq_mpoly, fmpz

from symcook.domains.exact import value_at
from symcook.domains.field import ONE, ZERO, Field, Function, Value, function_of, polynomial_of
from symcook.domains.intervals import ANY, NEGATIVE, NONNEGATIVE, NONPOSITIVE, NONZERO, POSITIVE, Span
from symcook.domains.intervals import ZERO as NULL
from symcook.domains.protocol import (
    MEAN_SQUARE,
    VARIANCE,
    Coefficient,
    refuse_zero_root,
    unknown_activation,
    unknown_weighting,
)
from symcook.domains.rowwise import Rowwise
from symcook.domains.signs import Impossible, KnownSigns
from symcook.errors import BadInput, Branching, NotExact
from symcook.model.expr import Tree, names, show
from symcook.model.meaning import Meaning
from symcook.model.parts import SIGMOIDS, SOFT
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.symbols import Number, at, from_sympy, lowered, to_sympy
from symcook.model.transformer import Parameter, Transformer
from symcook.numbers.roots import squarefree

READS = StepsRead("the symbolic run", **STEP_WORDS)

SymbolicColumn = list[Value]
"""A value for each position."""

_RELATION = {POSITIVE: "0 < {}", NONPOSITIVE: "{} <= 0", NEGATIVE: "{} < 0", NULL: "{} = 0", NONZERO: "~({} = 0)"}
"""Sign set -> the condition that a value has a sign in it, as text."""
MAX_POWER = 4096  # exponents of integer powers
_FACTOR_BITS = 96  # integers under a root are split into primes up to this size


class Choices:
    """The side to take at each undecided comparison, in the order in which the pass meets the comparisons.

    `advance` goes to the next sequence of sides, depth first, until all have been visited; each sequence needs a new
    pass. `met` is called at each undecided comparison.
    """

    def __init__(self, met: Callable[[], None] | None = None) -> None:
        self._call = met
        self._taken: list[tuple[int, int]] = []
        """For each comparison: (index of the side taken, number of sides)."""
        self._met = 0
        """The number of comparisons that the present pass has met."""

    def take(self, options: int) -> int:
        """The index of the side to follow at the next comparison, which has `options` sides."""
        if self._call is not None:
            self._call()
        if self._met == len(self._taken):
            self._taken.append((0, options))
        self._met += 1
        return self._taken[self._met - 1][0]

    def advance(self) -> bool:
        """Go to the next sequence of sides; False if there is none."""
        self._met = 0
        while self._taken:
            side, options = self._taken.pop()
            if side + 1 < options:
                self._taken.append((side + 1, options))
                return True
        return False


class Symbolic(Rowwise):
    """The domain of closed forms in `parameters` (declared symbols with their intervals) and `inputs`, for one input.

    An input is a name, for a real number, or a Parameter with an interval. With `choices`, undecided comparisons are
    split, and `conditions` lists the sides taken. Implements `symcook.domains.protocol.Domain`.

    >>> from symcook.model.symbols import symbol
    >>> domain = Symbolic(inputs=("x",))
    >>> domain.begin(({"x": lowered(symbol("x"))},), 1)
    >>> x = domain.input("x")
    >>> up, down = (domain.activate(domain.linear([(x, c)], 0), "relu") for c in (1, -1))
    >>> domain.show(domain.read(domain.linear([(up, 1), (down, -1)], 0), 0), 30)
    'x'

    Raises Branching if a maximum of scores or a division is undecided, NotExact for values without a closed form here.
    """

    name: ClassVar[str] = "symbolic"
    nothing = ZERO

    def __init__(
        self,
        parameters: Sequence[Parameter] = (),
        inputs: Sequence[Parameter | str] = (),
        choices: Choices | None = None,
    ) -> None:
        super().__init__()
        self._field = Field()
        self._choices = choices
        self._sides: dict[int, int] = {}
        """Index of a maximum or step that was resolved -> the sign of its argument, POSITIVE or NONPOSITIVE."""
        self.conditions: list[str] = []
        """The sides taken so far, as formulas in the grammar."""
        boxes, named = {}, {}
        for declared in (*inputs, *parameters):
            parameter = Parameter(declared) if isinstance(declared, str) else declared
            boxes[parameter.symbol] = _interval(parameter)
            named[parameter.name] = self._field.symbol(parameter.symbol)
        self._terms = _Closed(self, named)
        self._signs = KnownSigns(self._field, boxes)

    def positions(self, expression: Coefficient) -> SymbolicColumn:
        if not isinstance(expression, tuple) or names(expression) <= {"i", "n"}:
            return super().positions(expression)
        places = ({"i": self._start + row, "n": self.length} for row in self.rows)
        return [self.number(at(expression, place)) for place in places]

    def position(self, term: Tree, i: int) -> Value:
        return self.number(value_at(term, i, self.length))

    def activation(self, x: Value, kind: str) -> Value:
        if kind == "relu":
            return self.relu(x)
        return self.step(x) if kind == "step" else self._gelu(x, kind)

    def layer_norm(
        self, columns: Sequence[SymbolicColumn], epsilon: Coefficient, zero_variance: str
    ) -> list[SymbolicColumn]:
        self._not_negative(epsilon)
        return super().layer_norm(columns, epsilon, zero_variance)

    def rms_norm(
        self, columns: Sequence[SymbolicColumn], epsilon: Coefficient, zero_square: str
    ) -> list[SymbolicColumn]:
        self._not_negative(epsilon)
        return super().rms_norm(columns, epsilon, zero_square)

    def _not_negative(self, epsilon: Coefficient) -> None:
        """BadInput if the epsilon of a norm may be negative for some values of its symbols."""
        added = self.number(epsilon)
        if self._signs.of(added) & NEGATIVE:
            must = "epsilon of a layer norm must not be negative for any value of its symbols"
            raise BadInput(must, self._text(added), "declare the symbol with a lower end of 0")

    def check_temperatures(self, model: Transformer) -> None:
        """BadInput if a temperature may be negative for some values of its symbols, also for heads that nothing reads.

        The test is on the factor of the scores, its inverse, so that an infinite temperature (factor 0) is accepted.
        """
        for head, step in (head for sublayer in READS.of(model).sublayers for head in sublayer.heads):
            factor = head.lowered["factor"]
            if step.weighting not in SOFT or not isinstance(factor, tuple) or names(factor) <= {"i", "n"}:
                continue
            for place in range(self._start, self._start + self.length):
                value = self.number(at(factor, {"i": place, "n": self.length}))
                if self._signs.of(value) & NEGATIVE:
                    where = f"{show(head.lowered['temperature'])} at i = {place}, n = {self.length}"
                    do = "declare its symbols with ranges at which it is"
                    raise BadInput("a temperature must be positive for all values of its symbols", where, do)

    def best(self, scores: Sequence[Value], weighting: str, i: int, first: int) -> list[int]:
        return self._chosen(list(scores), weighting, (i, range(first, first + len(scores))))

    def first_largest(self, scores: Sequence[Value]) -> int | None:
        best, rival = self._first(list(scores), range(len(scores)), None)
        return best if rival is None else None

    def is_positive(self, x: Value) -> bool | None:
        return _verdict(self._signs.of(x), POSITIVE)

    def is_zero(self, x: Value) -> bool | None:
        return _verdict(self._signs.of(x), NULL)

    def read(self, column: SymbolicColumn, place: int) -> Any:
        """The entry as a sympy expression."""
        return self._field.to_sympy(column[place])

    def show(self, value: object, digits: int) -> str:
        return from_sympy(value)

    def resolve(self, values: Sequence[Value]) -> SymbolicColumn:
        """The values with each maximum and step replaced by the side of a case; cases must be on. Undecided ones are
        split here, which adds conditions. Maxima and steps inside exponentials, roots and other functions stay."""
        field, resolved = self._field, {}
        for value in values:
            if isinstance(value, Function):
                field.lift(value)
                for polynomial in (value.num, value.den):
                    self._resolve(polynomial, resolved)
        gens = [resolved.get(g, gen) for g, gen in enumerate(field.ctx.gens())]
        return [self._put(value, gens) if isinstance(value, Function) else value for value in values]

    def _put(self, value: Function, gens: Sequence[fmpq_mpoly]) -> Value:
        """The value with the polynomials `gens` in place of the generators."""
        field = self._field
        denominator = field.reduced(value.den.compose(*gens))
        if denominator.is_zero():  # a denominator is never 0: the conditions contradict each other
            raise Impossible("some values of the symbols must satisfy the conditions of a case")
        return field.quotient(value.num.compose(*gens), denominator)

    def _resolve(self, polynomial: fmpq_mpoly, put: dict[int, fmpq_mpoly]) -> None:
        """Fill `put`: index of a maximum or step in a polynomial -> the polynomial that replaces it. That is 0 or the
        resolved argument for a maximum, and 0 or 1 for a step."""
        field = self._field
        for g, degree in enumerate(polynomial.degrees()):
            kind = field.generators[g].kind if degree else ""
            if kind not in ("max", "step") or g in put:
                continue
            self._resolve(field.argument(g), put)
            inner = field.argument(g).compose(*(put.get(k, gen) for k, gen in enumerate(field.ctx.gens())))
            if g not in self._sides:
                value = polynomial_of(field, inner)
                signs = self._signs.of(value)
                if signs & POSITIVE and signs & (NONPOSITIVE if kind == "step" else NEGATIVE):
                    signs = self._split(value, signs, (POSITIVE, NONPOSITIVE))
                self._sides[g] = POSITIVE if signs & POSITIVE else NONPOSITIVE
            above = inner if kind == "max" else field.one
            put[g] = above if self._sides[g] == POSITIVE else inner * 0

    def decide(self, value: Value, kind: str) -> bool | None:
        """The verdict of a readout of `kind` sign or zero on one entry. With cases it is decided by a split; else it
        may be None."""
        if self._choices is not None:
            (value,) = self.resolve([value])
        wanted = POSITIVE if kind == "sign" else NULL
        signs = self._signs.of(value)
        verdict = _verdict(signs, wanted)
        if verdict is None and self._choices is not None:
            opposite = NONPOSITIVE if wanted == POSITIVE else NONZERO
            return self._split(value, signs, (wanted, opposite)) == wanted
        return verdict

    def number(self, value: int | Number) -> Value:
        """The value of an exact number or a term in the declared symbols; see the class for what it raises."""
        if isinstance(value, tuple):
            return self._terms.term(value)
        return fmpq(value.numerator, value.denominator)

    def _power(self, base: Value, exponent: int) -> Value:
        """An integer power; a negative one needs a base that is not zero (`_require_nonzero`). BadInput for an exponent
        above `MAX_POWER`."""
        if abs(exponent) > MAX_POWER:
            raise BadInput(
                f"an exponent must be at most {MAX_POWER} in a closed form", exponent, "use a smaller exponent"
            )
        if exponent < 0:
            self._require_nonzero(base)
        return base**exponent

    def _require_nonzero(self, value: Value) -> None:
        """BadInput if a value is zero for all symbols. If it may be zero, the case is split, or Branching is raised."""
        signs = self._signs.of(value)
        if signs == NULL:
            raise BadInput(
                "a denominator must not be zero", self._text(value), "exclude the values at which it is zero"
            )
        if signs & NULL:
            signs = self._split(value, signs, (POSITIVE, NEGATIVE, NULL), "a division needs its denominator nonzero")
            if signs == NULL:
                raise self._undefined("a denominator must not be zero", value, "0")

    def relu(self, value: Value) -> Value:
        """max(0, value): the value or 0 if its sign is known, else written with a generator.

        For equal maxima to get equal generators, factors of known sign are taken out, and the rest u gets a positive
        leading coefficient by max(0, -u) = max(0, u) - u.
        """
        if isinstance(value, fmpq):
            return value if value > 0 else ZERO
        signs = self._signs.of(value)
        if not signs & NEGATIVE:
            return value
        if not signs & POSITIVE:
            return ZERO
        field = self._field
        factor, inner = self._sign_factored(value)
        inner_value = polynomial_of(field, inner)
        if inner.leading_coefficient() > 0:
            return factor * field.maximum(inner_value)
        return factor * (field.maximum(-inner_value) + inner_value)

    def step(self, value: Value) -> Value:
        """I[value > 0]: 0 or 1 if the sign is known, else a generator. Positive factors are taken out."""
        signs = self._signs.of(value)
        if signs == POSITIVE or not signs & POSITIVE:
            return ONE if signs == POSITIVE else ZERO
        field = self._field
        factor, inner = self._sign_factored(value)
        if self._signs.of(factor) != POSITIVE:  # where the factor is 0, the rest may have another sign
            value = function_of(value)
            inner = value.num * value.den
        return field.function("step", polynomial_of(field, inner))

    def sqrt(self, value: Value, signs: int | None = None) -> Value:
        """The root of a nonnegative value, with squares taken out. `signs` are the signs that it may have, if known.

        Each prime and each factor of known sign gets its own generator, so that equal roots cancel; sqrt(u^2) is
        max(0, u) + max(0, -u). Branching if the value may be negative and cases are not split.
        """
        if isinstance(value, fmpq):
            return self._number_root(value)
        signs = self._signs.of(value) if signs is None else signs
        must = "the argument of sqrt must not be negative"
        if signs == NEGATIVE:
            raise BadInput(must, self._text(value))
        # Undecided: with cases, the value is positive, zero or negative; in the last case the model has no value.
        if signs & NEGATIVE:
            signs = self._split(value, signs, (POSITIVE, NULL, NEGATIVE), "a root needs its argument not negative")
            if signs == NEGATIVE:
                raise self._undefined(must, value, "negative")
        if signs == NULL:
            return ZERO
        # sqrt(c prod s^(2k) prod u) = sqrt(c) prod |s|^k prod sqrt(u), and |s| = max(0, s) + max(0, -s).
        rational, squares, inside = self._under_root(value, signs)
        result = self._number_root(rational)
        for square, half in squares:
            result = result * (self.relu(square) + self.relu(-square)) ** half
        positive = POSITIVE if signs == POSITIVE else NONNEGATIVE  # where the value is not 0, no factor is 0
        for factor in inside:
            factor = function_of(factor)
            if self._signs.known(factor) & ~positive:
                self._signs.know(factor, positive)
            result = result * self._field.function("sqrt", factor)
        return result

    def _under_root(self, value: Function, signs: int) -> tuple[fmpq, list[tuple[Value, int]], SymbolicColumn]:
        """(c, [(s, k), ...], [u, ...]) with value = c prod s^(2 k) prod u, where each u is a polynomial that is
        nonnegative for all admissible symbols. `signs` has the signs of the value."""
        field = self._field
        field.lift(value)
        rational, unrooted, squares, inside = ONE, field.one, [], []
        # `single`: a positive value has only one factor with an odd power. Its sign follows from the number and need
        # not be computed.
        factorings = [(field.factored(polynomial), side) for polynomial, side in ((value.num, 1), (value.den, -1))]
        single = (
            signs == POSITIVE and sum(int(power) % 2 for (_, factors), _ in factorings for _, power in factors) == 1
        )
        for (lead, factors), side in factorings:
            rational = rational * lead**side
            for factor, power in factors:
                content, factor = _primitive(factor)
                rational *= content ** (side * int(power))
                # Even powers go out of the root. With an odd power, one factor stays inside, made positive if its sign
                # is known, and else collected in `unrooted`.
                half, odd = divmod(side * int(power), 2)
                if half:
                    squares.append((polynomial_of(field, factor), half))
                if not odd:
                    continue
                factor_signs = ANY if single else self._signs.polynomial(factor)
                if factor_signs & POSITIVE and factor_signs & NEGATIVE:
                    unrooted = unrooted * factor
                elif factor_signs & NEGATIVE:
                    rational = -rational
                    inside.append(polynomial_of(field, -factor))
                else:
                    inside.append(polynomial_of(field, factor))
        # The factors of unknown sign stay together, since only their product is known to be nonnegative.
        if not unrooted.is_constant():
            if signs != POSITIVE:  # where another factor is 0, their product may be negative: keep all factors together
                content, unrooted = _primitive(value.num * value.den)
                rational, squares, inside = abs(content), [(polynomial_of(field, value.den), -1)], []
            else:
                content, unrooted = _primitive(unrooted)
                rational, content = abs(rational * content), content * rational
            inside.append(polynomial_of(field, unrooted if content > 0 else -unrooted))
        return rational, squares, inside

    def _number_root(self, value: fmpq) -> Value:
        """The root of a rational: a rational times a generator for each prime under the root. A number that is too long
        to factor gets one generator."""
        if value < 0:
            raise BadInput("the argument of sqrt must not be negative", value)
        outside, inside = squarefree(int(value.p) * int(value.q))
        result: Value = fmpq(outside, int(value.q))
        too_long = inside.bit_length() > _FACTOR_BITS
        for prime in [inside] if too_long else [int(p) for p, _ in fmpz(inside).factor()] if inside else [0]:
            result = result * (fmpq(prime) if prime < 2 else self._field.function("sqrt", fmpq(prime)))
        return result

    def normalised(self, entries: Sequence[Value], epsilon: Value, zero_variance: str, i: int) -> SymbolicColumn:
        """(x - mean)/sqrt(variance + epsilon) of the entries at position `i`."""
        if self._choices is not None:
            entries = self.resolve(entries)
        mean = self.mean(entries)
        return self._divided([value - mean for value in entries], epsilon, zero_variance, i, VARIANCE)

    multiplies = True

    def by_rms(self, entries: Sequence[Value], epsilon: Value, zero_square: str, i: int) -> SymbolicColumn:
        if self._choices is not None:
            entries = self.resolve(entries)
        return self._divided(entries, epsilon, zero_square, i, MEAN_SQUARE)

    def _divided(
        self, centred: Sequence[Value], epsilon: Value, zero: str, i: int, must: tuple[str, str]
    ) -> SymbolicColumn:
        """x/sqrt(mean of squares + epsilon) of the entries; `must` is what NoRun says of a root of zero."""
        variance = self.mean([value * value for value in centred]) + epsilon
        # A sum of squares and an epsilon >= 0 is nonnegative, and positive if one of them is never 0.
        if all(self._signs.of(value) & NULL for value in (epsilon, *centred)):
            signs = NONNEGATIVE & self._signs.of(variance)
        else:
            signs = POSITIVE
        if signs == NONNEGATIVE:
            why = f"the layer norm of position {i} needs to know whether its variance is zero"
            root = self._square_root(variance)
            if root is None:
                signs = self._split(variance, signs, (POSITIVE, NULL), why)
            else:  # split by the sign of `root`, since the result contains it too
                side = self._split(root, self._signs.of(root), (POSITIVE, NEGATIVE, NULL), why)
                signs = NULL if side == NULL else POSITIVE
        if signs == NULL:
            refuse_zero_root(zero, i, must)
            return [ZERO] * len(centred)
        divisor = self.sqrt(variance, POSITIVE)
        return [value / divisor for value in centred]

    def _square_root(self, value: Value) -> Function | None:
        """u if the value is a positive number times u^2 and cases are split, else None."""
        if self._choices is None:
            return None
        rational, squares, inside = self._under_root(function_of(value), NONNEGATIVE)
        root, power = squares[0] if len(squares) == 1 else (ONE, 0)
        return root if power == 1 and isinstance(root, Function) and not inside and rational > 0 else None

    def _gelu(self, value: Value, kind: str) -> Value:
        """x Phi(x) = x/2 (1 + erf(x/sqrt 2)), or one of its approximations x logistic(u) = x/2 (1 + tanh(u/2)):
        Cookbook, Section 4.6, Eqs. 25 and 26."""
        if kind == "gelu":
            odd_part = self._odd_function("erf", value / self.sqrt(fmpq(2)))
        elif kind == "gelu-tanh":
            odd_part = self._odd_function(
                "tanh", self.number(lowered("sqrt(2/pi)")) * (value + fmpq(44715, 1000000) * value**3)
            )
        elif kind in SIGMOIDS:
            share = SIGMOIDS[kind] / 2
            odd_part = self._odd_function("tanh", fmpq(share.numerator, share.denominator) * value)
        else:
            raise unknown_activation(kind)
        return value * (odd_part + ONE) * fmpq(1, 2)

    def _odd_function(self, kind: str, value: Value) -> Value:
        """erf or tanh of a value; the argument gets a positive leading coefficient, since both functions are odd."""
        if isinstance(value, fmpq):
            if value <= 0:
                return -self._field.function(kind, -value) if value else ZERO
        elif value.num.leading_coefficient() < 0:
            return -self._field.function(kind, -value)
        return self._field.function(kind, value)

    def _sign_factored(self, value: Value) -> tuple[Value, Any]:
        """(f, p) with value = f p, where f is nonnegative for all admissible symbols and p is a polynomial, which has
        the factors of unknown sign only."""
        field, value = self._field, function_of(value)
        field.lift(value)
        num, den = value.num, value.den
        denominator_signs = self._signs.polynomial(den)
        if (
            denominator_signs & NONNEGATIVE and denominator_signs & NEGATIVE
        ):  # a denominator of unknown sign: multiply both sides of the fraction by it
            factor, inside = field.quotient(field.one, den * den), num * den
        else:
            factor, inside = field.quotient(field.one, den), num
            if denominator_signs & NEGATIVE:
                factor, inside = -factor, -inside
        # Even powers and factors of known sign go to f; the sign of a negative factor goes to p.
        lead, factors = field.factored(inside)
        factor = factor * abs(lead)
        remaining = field.ctx.constant(1 if lead > 0 else -1)
        for factor_taken, power in factors:
            signs = self._signs.polynomial(factor_taken)
            even = power // 2 * 2
            if even:
                factor = factor * polynomial_of(field, factor_taken**even)
            if power % 2:
                if not signs & NEGATIVE:
                    factor = factor * polynomial_of(field, factor_taken)
                elif not signs & POSITIVE:
                    factor, remaining = factor * polynomial_of(field, -factor_taken), -remaining
                else:
                    remaining = remaining * factor_taken
        return factor, remaining

    def _exponential(self, exponent: Value) -> Value:
        """e to a value."""
        powers, factor = self._exponent_powers(exponent)
        field = self._field
        numerator = field.monomial({g: k for g, k in powers.items() if k > 0})
        denominator = field.monomial({g: -k for g, k in powers.items() if k < 0})
        return factor * field.quotient(numerator, denominator)

    def _exponent_powers(self, exponent: Value) -> tuple[dict[int, int], fmpq]:
        """e to a value: (index of an exponential generator -> its power, rational factor from logarithms).

        Each product of generators in the exponent gets its own exponential generator. For example e^(2/tau + 1/2) is
        X^4 Y with Y = e^(1/2), and X = e^(1/(2 tau)) if halves of 1/tau occur elsewhere.
        """
        field = self._field
        if isinstance(exponent, fmpq):
            parts: list[tuple[Value, fmpq]] = [(ONE, exponent)] if exponent else []
        else:
            field.lift(exponent)
            den = exponent.den
            parts = [
                (field.quotient(field.ctx.from_dict({monomial: 1}), den), c) for monomial, c in exponent.num.terms()
            ]
        # e^(c log m) = m^floor(c) e^((c - floor(c)) log m): the integer part is a rational factor.
        factor = ONE
        base_and_coefficient = []
        for base, c in parts:
            argument = self._logarithm(base)
            if argument is not None:
                integer = int(c.p) // int(c.q)
                factor *= _rational_power(argument, integer)
                c = c - integer
            if c:
                base_and_coefficient.append((base, Fraction(int(c.p), int(c.q))))
        for base, c in base_and_coefficient:
            field.exponential(base, c)  # fixes the roots of the generators first: the powers below depend on them
        powers: dict[int, int] = {}
        for base, c in base_and_coefficient:
            g, k = field.exponential(base, c)
            powers[g] = powers.get(g, 0) + k
        return powers, factor

    def _logarithm(self, base: Value) -> fmpq | None:
        """m if the value is log(m) with a rational m, else None."""
        if isinstance(base, fmpq) or len(base.num) != 1 or not base.den.is_constant() or base.num.total_degree() != 1:
            return None
        generator = self._field.generators[next(g for g, e in enumerate(base.num.degrees()) if e)]
        if generator.kind != "constant" or not isinstance(generator.argument, sympy.log):
            return None
        inside: Any = generator.argument.args[0]
        return fmpq(int(inside.p), int(inside.q)) if inside.is_Rational else None

    def weights(self, scores: Sequence[Value]) -> SymbolicColumn:
        """e^score for each score, times a common factor such that no weight has exponentials in its denominator."""
        exponents = [score - scores[0] for score in scores]
        for exponent in exponents:
            self._exponent_powers(exponent)  # fixes the roots of the generators first
        powers_and_factors = [self._exponent_powers(exponent) for exponent in exponents]
        used = {g for powers, _ in powers_and_factors for g in powers}
        least_powers = {g: min(powers.get(g, 0) for powers, _ in powers_and_factors) for g in used}
        return [
            factor
            * polynomial_of(self._field, self._field.monomial({g: powers.get(g, 0) - least_powers[g] for g in used}))
            for powers, factor in powers_and_factors
        ]

    def _chosen(self, scores: SymbolicColumn, weighting: str, row: tuple[int, range]) -> list[int]:
        """The indices among `scores` that hard attention chooses in a row; `row` has its position and the positions it
        sees."""
        if weighting == "average":
            return self._all_maxima(scores, row)
        if weighting not in ("leftmost", "rightmost"):
            raise unknown_weighting(weighting)
        order = range(len(scores)) if weighting == "leftmost" else range(len(scores))[::-1]
        best, rival = self._first(scores, order, self._choices)
        if rival is not None:
            raise self._open(scores, rival, best, row)
        return [best]

    def _first(self, scores: SymbolicColumn, order: Sequence[int], choices: Choices | None) -> tuple[int, int | None]:
        """(index of the first maximum score in an order, None). Without `choices`, None may be the index of a score
        that is chosen instead for some symbols; with `choices`, undecided comparisons are split."""
        best = order[0]
        for j in order[1:]:
            difference = scores[j] - scores[best]
            signs = self._signs.of(difference)
            if choices is not None and signs & POSITIVE and signs & NONPOSITIVE:
                signs = self._split(difference, signs, (POSITIVE, NONPOSITIVE))
            if signs == POSITIVE:
                best = j
        # With cases every comparison was decided. Without, check that `best` is greater than all earlier scores, and at
        # least as great as all later ones.
        if choices is not None:
            return best, None
        allowed = NEGATIVE
        for j in order:
            if j == best:
                allowed = NONPOSITIVE
            elif self._signs.of(scores[j] - scores[best]) & ~allowed:
                return best, j
        return best, None

    def _all_maxima(self, scores: SymbolicColumn, row: tuple[int, range]) -> list[int]:
        """The indices of the maximum scores; Branching if the order of two scores depends on the symbols."""
        if self._choices is not None:
            return self._all_maxima_by_cases(scores)
        best = 0
        for j in range(1, len(scores)):
            if self._signs.of(scores[j] - scores[best]) == POSITIVE:
                best = j
        chosen = []
        for j, score in enumerate(scores):
            signs = self._signs.of(score - scores[best]) if j != best else NULL
            if signs == NULL:
                chosen.append(j)
            elif signs != NEGATIVE:
                raise self._open(scores, j, best, row)
        return chosen

    def _open(self, scores: SymbolicColumn, j: int, best: int, row: tuple[int, range]) -> Branching:
        """The error that the order of scores j and `best` depends on the symbols."""
        i, keys_seen = row
        places = [f"{self._short_text(scores[k])} (position {keys_seen[k]})" for k in (j, best)]
        return Branching(
            f"the attention of position {i} needs to know which is greater, {' or '.join(places)}; "
            "set the symbols in them, or split cases (--cases)."
        )

    def _all_maxima_by_cases(self, scores: SymbolicColumn) -> list[int]:
        """The indices of the maximum scores, where each undecided comparison is split into greater, equal and less."""
        chosen = [0]
        for j in range(1, len(scores)):
            difference = scores[j] - scores[chosen[0]]
            signs = self._signs.of(difference)
            if signs not in (POSITIVE, NULL, NEGATIVE):
                signs = self._split(difference, signs, (POSITIVE, NULL, NEGATIVE))
            if signs == POSITIVE:
                chosen = [j]
            elif signs == NULL:
                chosen.append(j)
        return chosen

    def _undefined(self, must: str, value: Value, what: str) -> BadInput:
        """The error that the model has no value in a case."""
        do = "declare its symbols with ranges that leave these values out"
        where = f"where {' & '.join(self.conditions)}" if self.conditions else "for all their values"
        return BadInput(must, f"{self._text(value)}, which is {what} {where}", do)

    def _split(self, value: Value, signs: int, sides: Sequence[int], why: str = "a comparison is undecided") -> int:
        """Choose one of `sides` (sign sets) that `signs` allows, and return it. If several are possible, the chosen one
        is assumed from this call on and listed in `conditions`. Branching if cases are not split; Impossible if none is
        possible."""
        if self._choices is None:
            do = "set the symbols in it, or split cases (--cases)"
            raise Branching(f"{why}: the sign of {self._short_text(value)}; {do}.")
        field = self._field
        (value,) = self.resolve([value])  # the conditions then decide its maxima too
        # Do not split again what earlier conditions decide.
        signs &= self._signs.of(value)
        options = [side for side in sides if signs & side]
        if not options:
            raise Impossible("some values of the symbols must satisfy the conditions of a case")
        if len(options) == 1:
            return options[0]
        side = options[self._choices.take(len(options))]
        factor, inner = self._sign_factored(value)
        core = polynomial_of(field, inner)
        condition_value = core
        if self._signs.of(factor) & NULL:  # where the factor is 0, the core may have another sign
            value = function_of(value)
            field.lift(value)
            core, condition_value = polynomial_of(field, value.num * value.den), value
        if isinstance(core, Function):
            self._signs.assume(core, side & signs)
        self.conditions.append(_RELATION[side & signs].format(self._text(condition_value)))
        return side

    def _text(self, value: Value) -> str:
        """The value as text in the grammar."""
        return from_sympy(self._field.to_sympy(value))

    def _short_text(self, value: Value) -> str:
        """The value as text for a message, unless it is too long."""
        if self._field.size(value) > 100:
            return "a long expression"
        return self._text(value)


class _Closed(Meaning[Value, Any]):
    """Evaluates terms in declared symbols. A term without symbols and without a closed form is a constant, by its sympy
    form. Results are remembered in `memo`."""

    def __init__(self, domain: Symbolic, values: Mapping[str, Value]) -> None:
        super().__init__(values)
        self.domain = domain
        self.memo: dict[Tree, Value] = {}

    def term(self, tree: Tree) -> Value:
        """The value of a term; NotExact for a symbol inside of a term without a normal form."""
        value = self.memo.get(tree)
        if value is None:
            # A term without a normal form must be a constant.
            closed = tree[0] != "call" or tree[1] in ("exp", "sqrt", "min", "max", "relu", "abs", "pow")
            value = super().term(tree) if closed and tree[0] not in ("if", "ind", "sum", "prod") else self.opaque(tree)
            self.memo[tree] = value
        return value

    def number(self, p: int, q: int) -> Value:
        return fmpq(p, q)

    def name(self, name: str) -> Value:
        if name == "pi":
            return self.domain._field.constant(sympy.pi)
        if name not in self.values:
            raise BadInput("every symbol must be declared", name, "declare it as a parameter")
        return self.values[name]

    def divide(self, a: Value, b: Value, tree: Tree) -> Value:
        return a * self.domain._power(b, -1)

    def power(self, a: Value, b: Value, tree: Tree) -> Value:
        if not isinstance(b, fmpq) or b.q > 2:
            return self.opaque(tree)
        return self.domain._power(a if b.q == 1 else self.domain.sqrt(a), int(b.p))

    def call(self, name: str, arguments: list[Value], tree: Tree) -> Value:
        """A function with a normal form: exp, sqrt, or one that maxima express."""
        relu, first = self.domain.relu, arguments[0]
        if name == "exp":
            return self.domain._exponential(first)
        if name == "sqrt":
            return self.domain.sqrt(first)
        if name in ("relu", "abs"):
            return relu(first) if name == "relu" else relu(first) + relu(-first)
        # max(a, b) = b + relu(a - b), and min(a, b) = -max(-a, -b).
        sign = ONE if name == "max" else -ONE
        first, *others = (sign * a for a in arguments)
        for argument in others:
            first = argument + relu(first - argument)
        return sign * first

    def opaque(self, tree: Tree) -> Value:
        """A term as a constant; NotExact if it has a declared symbol."""
        if symbols := sorted(names(tree)):
            must = (
                "a symbol of a closed form must stand in sums, products, integer powers, square roots, exponentials "
                "and maxima, which have one normal form"
            )
            settings = " ".join(f"--set {name}=3" for name in symbols)
            do = f"set {', '.join(symbols)} (as {settings}): the closed form is then a constant"
            raise NotExact(must, show(tree), do)
        value = to_sympy(tree, {})
        number = lowered(value)
        return self.domain._field.constant(value) if isinstance(number, tuple) else self.domain.number(number)


def _verdict(signs: int, wanted: int) -> bool | None:
    """True if `signs` is exactly `wanted`, False if it has no sign of `wanted`, else None (undecided)."""
    if signs == wanted:
        return True
    return None if signs & wanted else False


def _primitive(polynomial: fmpq_mpoly) -> tuple[fmpq, Any]:
    """(c, p) with polynomial = c p, p with coprime integer coefficients, the leading one positive."""
    coefficients = [c for _, c in polynomial.terms()]
    bottom = lcm(*(int(c.q) for c in coefficients))
    content = fmpq(gcd(*(int(c * bottom) for c in coefficients)), bottom)
    if polynomial.leading_coefficient() < 0:
        content = -content
    return content, polynomial * (1 / content)


def _rational_power(base: fmpq, exponent: int) -> fmpq:
    """base^exponent for an integer exponent; NotExact if it is too long."""
    from symcook.model.rationals import power

    try:
        value = power(Fraction(int(base.p), int(base.q)), Fraction(exponent))
    except BadInput as error:
        raise NotExact(error.must, f"({base})^{exponent}", "run it in rigorous intervals") from None
    return fmpq(value.numerator, value.denominator)


def _interval(parameter: Parameter) -> Span:
    """The interval of a declared symbol. An irrational end is moved outwards, to 0 or to infinity."""

    def end(bound: Any, side: int) -> fmpq | None:
        """The lower (side -1) or upper (side 1) end as a rational."""
        if bound is None:
            return None
        if bound.is_Rational:
            return fmpq(int(bound.p), int(bound.q))
        return fmpq(0) if (bound * side).is_negative else None

    return Span(
        end(parameter.lower, -1),
        end(parameter.upper, 1),
        parameter.lower_open,
        parameter.upper_open,
    )
