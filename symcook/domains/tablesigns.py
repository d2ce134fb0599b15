"""Signs of values in positions, lengths and counts, where a guard holds: proved for all of them, never sampled.

From a value and a guard, this module computes a set of signs, a superset of those that occur. The signs of a linear
form in integers are decided by elimination (`symcook.domains.consistency`). Any other value is factored. In a factor,
each name is replaced by its lower end plus a variable >= 0; if all coefficients then have one sign, it is that of the
factor. Otherwise the factor is compared with a lower bound that has fewer names.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, gcd, prod
from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpq_mpoly

from symcook.domains.consistency import FormRow, row
from symcook.domains.field import MAX_TERMS, ONE, ZERO, Function, Generator, Value, function_of, polynomial_of
from symcook.domains.linear import (
    LOG,
    Bounds,
    Guard,
    NoRule,
    form_atom,
    fraction,
    guard_key,
    linear_form,
    minus,
    sign_atom,
    thresholds,
    unit,
)
from symcook.domains.names import (
    CHOSEN,
    COUNT,
    INPUT,
    KEY,
    POSITION,
    PREFIX,
    Affine,
    FormName,
    J,
    N,
    count,
    letter_of,
    name_of,
    place_of,
)

if TYPE_CHECKING:
    from symcook.domains.world import World


MOST_COUNTS = 4
"""A factor with more counts is not examined at the ends of each of them: two ends of each make 2^k factors."""
POSITIVE = {1}  # sets of signs have the elements -1, 0 and 1


class TableSigns:
    """The signs of the values of a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.forget()

    def forget(self) -> None:
        """Drop all stored results, after the world has got new facts."""
        self._factors: dict[Any, list[tuple[Value, int, bool]]] = {}
        """Key of a value -> the result of `factors`."""
        self._factor_signs: dict[Any, set[int]] = {}
        """(key of a factor, key of a guard) -> the result of `factor`."""

    def of(self, value: Value, guard: Guard) -> set[int]:
        """The signs that a value may have where a guard holds: a superset of those that occur."""
        # First put 0 for the sums that are zero under the guard.
        if self.world.sums:
            zero_sums = {
                a[1]: ZERO for a, allowed in guard.items() if a[0] == "some" and allowed == frozenset((False,))
            }
            value = self.world.put(value, zero_sums) if zero_sums else value
        if isinstance(value, fmpq):
            return {(value > 0) - (value < 0)}
        # The product of the signs of the factors; a factor of the denominator is never zero.
        out = {1}
        for factor, power, in_numerator in self.factors(value):
            factor_signs = self.factor(factor, guard)
            if factor_signs != POSITIVE:
                out = {s * t ** int(power) for s in out for t in factor_signs if in_numerator or t}
        return out

    def defined(self, value: Value, guard: Guard) -> bool:
        """Whether a value certainly exists where a guard holds: no denominator in it is zero, also inside of
        exponentials and roots, no root is that of a negative number, and each input is read at a position of the
        string."""
        if isinstance(value, fmpq):
            return True
        field = self.world.field
        field.lift(value)
        if value.den is not field.one and 0 in self.of(polynomial_of(field, value.den), guard):
            return False
        field.lift(value)
        used = {g for p in (value.num, value.den) for g, degree in enumerate(p.degrees()) if degree}
        return all(self._exists(field.generators[g], guard) for g in sorted(used))

    def _exists(self, generator: Generator, guard: Guard) -> bool:
        """Whether a generator certainly has a value where a guard holds. A sum without a rule always has one (see
        `PositionSums.named`), and so has log n."""
        world, argument = self.world, generator.argument
        if generator.kind == "constant":
            return True
        if generator.kind != "symbol":
            root = generator.kind == "sqrt"
            return self.defined(argument, guard) and not (root and -1 in self.of(argument, guard))
        name = name_of(argument)
        if name in world.named:
            return self.defined(world.named[name][0], guard)
        if name.kind != INPUT:
            return True
        place = place_of(name)
        # It is a place before the first position, or behind the last one, if one of these forms is not negative.
        last = world.end[0], world.end[1] + 1
        outside = minus(({}, Fraction(world.start - 1)), place), minus(place, last)
        inner = all(self._exists(Generator("symbol", letter_of(v)), guard) for v in place[0])
        return inner and not any(world.possible(guard, row(form)) for form in outside)

    def factors(self, value: Function) -> list[tuple[Value, int, bool]]:
        """(factor, power, whether it belongs to the numerator) for each factor of a value. All are made at once: a
        question about one may add generators, after which polynomials that were made before are stale."""
        field, key = self.world.field, self.world.field.written(value)
        if key in self._factors:
            return self._factors[key]
        signed_factors = self._factors[key] = list[tuple[Value, int, bool]]()
        for polynomial, in_numerator in ((value.num, True), (value.den, False)):
            if polynomial is field.one:
                continue
            lead, factors = field.factored(polynomial)
            if lead < 0:
                signed_factors.append((-ONE, 1, in_numerator))
            signed_factors += [(polynomial_of(field, factor), int(power), in_numerator) for factor, power in factors]
        return signed_factors

    def factor(self, value: Value, guard: Guard) -> set[int]:
        """The signs of a polynomial that is not factored further; remembered."""
        if isinstance(value, fmpq):
            return {(value > 0) - (value < 0)}
        key = self.world.field.written(value), guard_key(guard)
        if key not in self._factor_signs:
            self._factor_signs[key] = self._compute_factor(value, guard)
        return self._factor_signs[key]

    def _compute_factor(self, value: Function, guard: Guard) -> set[int]:
        """`factor`, computed."""
        world = self.world
        form, out = linear_form(world.field, value), set[int]()
        integral = form is not None and all(world.whole(v) for v in form[0])
        with_inputs = form is not None and not integral and self.given(form[0])
        # A linear form: each sign that is possible under the facts and the guard. For integers, the form is > 0 iff it
        # is at least its least positive value (`above`; `step` divides all coefficients), so no weaker test is needed.
        # The result is a superset even so, since `World.possible` is certain only where it is False.
        if form is not None and (integral or with_inputs):
            upward, constant = row(form)
            downward, step = tuple([(v, -x) for v, x in upward]), gcd(*(x for _, x in upward)) if integral else 1
            above, below = (constant % step or step, -constant % step or step) if integral else (0, 0)
            rows_by_sign: dict[int, tuple[FormRow, ...]]
            rows_by_sign = {1: ((upward, constant - above),), -1: ((downward, -constant - below),)}
            if not constant % step:
                rows_by_sign[0] = (upward, constant), (downward, -constant)
            answers = world.possible_each(guard, rows_by_sign.values())
            out = {sign for sign, possible in zip(rows_by_sign, answers, strict=True) if possible}
            if integral:
                return out
        # Any other factor: by coefficients.
        best = self._by_coefficients(value, guard)
        if form is not None and with_inputs:
            # For a form with input numbers, the guard may have an atom about its sign.
            atom, sign = sign_atom(*form)
            best &= {sign * s for s in guard.get(atom, (-1, 0, 1))} & {s for s in (-1, 0, 1) if s in out}
        # If a sign is still undecided, use a lower bound `low`: the sign of the value is at least the least sign of
        # `low`.
        for sign in (1, -1):
            if -sign in best and (low := self.lower(value if sign > 0 else -value, guard)) is not None:
                least = min(self.of(low, guard))
                best &= {sign * s for s in (-1, 0, 1) if s >= least}
        return best & self._between_ends(value, guard) if len(best) > 1 else best

    def _between_ends(self, value: Function, guard: Guard) -> set[int]:
        """The signs of a factor that is linear in a count, from those where the count is the least and where it is the
        greatest that the other counts of the factor leave; all signs where it is not linear in one, or has too many
        counts."""
        world, degrees = self.world, self._numerator(value).degrees()
        linear_in = {
            name_of(generator.argument): degree == 1
            for generator, degree in zip(world.field.generators, degrees, strict=False)
            if degree and generator.kind == "symbol"
        }
        counts = sorted((v for v in linear_in if v.kind in (COUNT, PREFIX)), key=lambda v: v.kind == PREFIX)
        if len(counts) <= MOST_COUNTS:
            for name in counts:
                if linear_in[name] and not self._inside_another(value, name):
                    ends = [world.linear(terms, constant) for terms, constant in self._count_ends(name, counts, guard)]
                    signs = {sign for end in ends for sign in self.of(world.put(value, {name: end}), guard)}
                    return {*range(min(signs), max(signs) + 1)} if signs else signs
        return {-1, 0, 1}

    def _count_ends(self, name: FormName, counts: Sequence[FormName], guard: Guard) -> tuple[Affine, Affine]:
        """The least and the greatest value of a count, as linear forms in the other counts of a factor. A count of the
        string of which the factor has the part up to a position is at least this part, and the symbols behind the
        position have as many places as there are positions behind it."""
        world, plus, less = self.world, Fraction(1), Fraction(-1)
        least: Affine = {}, self._low_of(name, guard)
        alike = [v for v in counts if (v.kind, v.at) == (name.kind, name.at) and v != name]
        greatest = dict.fromkeys(alike, less)
        places = {v.at for v in counts if v.kind == PREFIX and v.of == name.of}
        if name.kind == PREFIX:
            return least, (greatest | {name.at: plus}, Fraction(1 - world.start - (world.before is not None)))
        if len(places) != 1:
            absent = [v for letter in world.letters if (v := count(letter)) != name and v not in alike]
            return least, (greatest | {N: plus}, -sum((self._low_of(v, guard) for v in absent), Fraction(world.added)))
        (at,) = places
        part = {count(name.of, at): plus}
        behind = greatest | {count(v.of, at): plus for v in alike} | {N: plus, at: less}
        return (part, Fraction(0)), (behind | part, Fraction(world.end[1]))

    def _low_of(self, name: FormName, guard: Guard) -> Fraction:
        """The lower end of a count; 0 if none is known."""
        least = self.least(name, guard)
        return Fraction(0) if least is None else least[0]

    def given(self, terms: dict[FormName, Fraction]) -> bool:
        """Whether the names of a form are integers and input numbers, with at least one input number."""
        world = self.world
        return any(v.kind == INPUT for v in terms) and all(v.kind == INPUT or world.whole(v) for v in terms)

    # --- From lower ends --------------------------------------------------------------------------------------------

    def least(self, name: FormName, guard: Guard) -> tuple[Fraction, bool] | None:
        """(lower end of a name, whether the end is excluded); None if none is known."""
        world = self.world
        if name in world.positive:
            low, strict, _ = world.positive[name]
            return None if low is None else (low, strict)
        if name in world.sums:
            if not world.sums[name].kept:
                return None
            return Fraction(0), guard.get(("some", name)) == frozenset((True,))
        if not world.whole(name):
            return None
        # An integer: start from its general lower end and that of the guard, and go past small integers that cannot
        # occur.
        low = world.fewest if name == N else 0 if name.kind in (COUNT, PREFIX) else world.start
        if name.kind in (COUNT, PREFIX):  # at least 1 where a position that it counts has its symbol
            own = frozenset((name.of,))
            counted = (atom for atom, held in guard.items() if atom[0] == "letter" and held == own)
            low = int(any(name.kind == COUNT or atom[1] == name.at for atom in counted))
        own_bounds = guard.get(("form", ((name, 1),)), (None, None))[0]
        low = low if own_bounds is None else max(low, own_bounds)
        while low < 3 and not world.possible(guard, (((name, -1),), int(low))):
            low += 1
        return Fraction(low), False

    def _by_coefficients(self, value: Function, guard: Guard) -> set[int]:
        """The signs of a factor, from its coefficients after each name is replaced by its lower end plus a variable >=
        0."""
        world, best = self.world, set[int]((-1, 0, 1))
        polynomial = self._numerator(value)
        used = [g for g, degree in enumerate(polynomial.degrees()) if degree]
        if any(world.field.generators[g].kind not in ("symbol", "exp", "sqrt", "constant") for g in used):
            return best
        # A polynomial in symbols of the model only.
        if {v for g in used for v in world.names_of(g)} <= set(world.positive) - set(world.named):
            best = world.of_symbols(polynomial)
        if len(best) == 1:
            return best
        # Powers of e have the lower end 0. If there are any, a second attempt takes the end 1 for those with a positive
        # exponent; the signs that both attempts allow remain.
        powers = any(world.field.generators[g].kind == "exp" for g in used)
        for ends_at_one in (False, True) if powers else (False,):
            moved, strict = self._from_low_ofs(value, guard, ends_at_one)
            if moved is None:
                continue
            coefficients = moved.coeffs()
            for sign in (1, -1):
                if all(sign * c >= 0 for c in coefficients):
                    certain = any(all(g in strict for g, e in enumerate(m) if e) for m in moved.monoms())
                    best &= {sign} if certain else {0, sign}
        return best

    def _numerator(self, value: Function) -> fmpq_mpoly:
        """The numerator in the field's present version."""
        self.world.field.lift(value)
        return value.num

    def _from_low_ofs(self, value: Function, guard: Guard, ends_at_one: bool) -> tuple[fmpq_mpoly | None, set[int]]:
        """(polynomial, strict): the factor with each generator replaced by its lower end plus a variable, and the
        generators that are strictly above their ends. The polynomial is None if a generator has no lower end, or if it
        would be too long. With `ends_at_one`, powers of e with a positive exponent have the lower end 1."""
        field, ends, strict = self.world.field, dict[int, fmpq](), set[int]()
        degrees = self._numerator(value).degrees()
        for g, generator in [(g, field.generators[g]) for g, degree in enumerate(degrees) if degree]:
            if generator.kind == "symbol":
                low = self.least(name_of(generator.argument), guard)
                if low is None:
                    return None, strict
                ends[g] = fmpq(low[0].numerator, low[0].denominator)
                strict |= {g} if low[1] else set()
            elif generator.kind == "constant" and not (generator.argument.is_positive or generator.argument == LOG):
                return None, strict
            else:
                # Exponentials and constants are positive, log n only from n = 2 on, and a root where its argument is.
                # e^u > 1 for u > 0.
                positive = True
                if generator.kind == "constant" and generator.argument == LOG:
                    positive = not self.world.possible(guard, (((N, -1),), 1))
                elif generator.kind == "sqrt":
                    positive = self.of(generator.argument, guard) == POSITIVE
                strict |= {g} if positive else set()
                if ends_at_one and generator.kind == "exp" and self.of(generator.argument, guard) == {1}:
                    ends[g] = ONE
        polynomial, gens = self._numerator(value), field.gens
        most_terms = prod(
            [int(degree) + 1 for degree in polynomial.degrees()]
        )  # a bound of the terms that one monomial becomes
        if len(polynomial) * most_terms > MAX_TERMS:
            counts = (prod(e + 1 for g, e in enumerate(m) if g in ends) for m in polynomial.monoms())
            if sum(counts) > MAX_TERMS:
                return None, strict
        moved = [x + ends[g] if ends.get(g) else x for g, x in enumerate(gens)]
        return polynomial.compose(*moved, ctx=field.ctx), strict

    # --- By lower bounds ------------------------------------------------------------------------------------------

    def lower(self, value: Function, guard: Guard) -> Value | None:
        """A lower bound of a value that has fewer names, or None. It comes from an end of a form in the guard, from the
        least value of a sum, or from the upper end of a name in which the polynomial is decreasing."""
        world = self.world
        # The linear terms in integers form one linear form: the guard may have an end of it.
        integer_terms, sums, other_names = self.apart(value)
        if integer_terms and other_names:
            atom, factor = form_atom(integer_terms)
            low, high = guard.get(atom, (None, None))
            end = low if factor > 0 else high
            if end is not None:
                return value - world.linear(integer_terms) + fmpq((factor * end).numerator, (factor * end).denominator)
        # A sum: replace it by its least value, or by its greatest one if its coefficient is negative.
        for name, c in sums.items():
            least = self.smallest(name, guard) if c > 0 else None
            end = least if c > 0 else self.greatest(name)
            if end is not None:
                return value + (end - world.name(name)) * fmpq(c.numerator, c.denominator)
        # A name with only negative coefficients: replace it by its upper end.
        polynomial = self._numerator(value)
        for g, degree in enumerate(polynomial.degrees()):
            generator = world.field.generators[g] if degree else None
            name = name_of(generator.argument) if generator is not None and generator.kind == "symbol" else None
            end = self.upper(name) if name is not None else None
            if (
                name is not None
                and end is not None
                and all(c < 0 for m, c in polynomial.terms() if m[g])
                and not self._inside_another(value, name)
                and self._all_nonnegative(value, guard)
            ):
                return world.put(value, {name: end})
        return None

    def apart(self, value: Function) -> tuple[dict[FormName, Fraction], dict[FormName, Fraction], bool]:
        """(coefficients of the linear terms in integers, those of sums, whether the value has anything besides integer
        terms and a constant). A sum counts as something besides."""
        integer_terms, sums, other_names = dict[FormName, Fraction](), dict[FormName, Fraction](), False
        for monomial, c in self._numerator(value).terms():
            used = [(g, e) for g, e in enumerate(monomial) if e]
            generator = self.world.field.generators[used[0][0]] if len(used) == 1 and used[0][1] == 1 else None
            name = name_of(generator.argument) if generator is not None and generator.kind == "symbol" else None
            number = fraction(int(c.p), int(c.q))
            if name is not None and self.world.whole(name):
                integer_terms[name] = number
            elif name is not None and name in self.world.sums:
                sums[name] = number
            elif used:
                other_names = True
        return integer_terms, sums, other_names or bool(sums)

    def _inside_another(self, value: Function, name: FormName) -> bool:
        """Whether a name stands in the argument of a root, a power of e or a sum of a polynomial too, so that the
        polynomial need not decrease in it."""
        world = self.world
        for g, degree in enumerate(self._numerator(value).degrees()):
            generator = world.field.generators[g] if degree else None
            if generator is None:
                continue
            if generator.kind != "symbol":
                if name in world.names_of(g):
                    return True
            elif (one := name_of(generator.argument)) in world.sums and name in world._free(one):
                return True
        return False

    def _all_nonnegative(self, value: Function, guard: Guard) -> bool:
        """Whether all generators of a polynomial are certainly at least 0."""
        field = self.world.field
        for g, degree in enumerate(self._numerator(value).degrees()):
            if degree and field.generators[g].kind == "symbol":
                low = self.least(name_of(field.generators[g].argument), guard)
                if low is None or low[0] < 0:
                    return False
            elif degree and field.generators[g].kind not in ("exp", "sqrt"):
                return False
        return True

    def upper(self, name: FormName) -> Value | None:
        """An upper end of a name, which may contain another name; None if none is known."""
        world = self.world
        if name in world.positive:
            high = world.positive[name][2]
            return None if high is None else fmpq(high.numerator, high.denominator)
        if name == N:
            return None if world.most is None else fmpq(world.most + world.added)
        if name.kind in (POSITION, KEY, INPUT, CHOSEN):
            return world.linear(*world.end) if world.whole(name) else None
        return world.linear({N: 1}, -world.added) if world.whole(name) else None

    def smallest(self, name: FormName, guard: Guard) -> Value | None:
        """A lower bound of a sum of nonnegative terms: 0, or the least positive value of a term if the sum is not 0
        under the guard. None if no bound is known."""
        world, named_sum = self.world, self.world.sums[name]
        if not named_sum.kept:
            return None
        if guard.get(("some", name)) != frozenset((True,)):
            return ZERO
        # Each term must be (an integer form)/(a denominator in j with nonnegative coefficients, common to all terms). A
        # nonzero term is at least the least positive value of the form, divided by the denominator at the upper end.
        units, denominators = set[Fraction](), dict[Any, Value]()
        for cell in named_sum.cells:
            top, bottom = linear_form(world.field, cell.value), ONE
            if not isinstance(cell.value, fmpq):
                world.field.lift(cell.value)
                if any(c < 0 for _, c in cell.value.den.terms()):
                    return None
                bottom = polynomial_of(world.field, cell.value.den)
                top = linear_form(world.field, polynomial_of(world.field, cell.value.num))
            if top is None or not all(map(world.whole, top[0])) or not world.names_in(bottom) <= {J}:
                return None
            units.add(unit(*top) if top[0] else top[1])
            denominators[world.field.key(bottom)] = bottom
        if len(denominators) != 1:
            return None
        (bottom,) = denominators.values()
        return fmpq(min(units).numerator, min(units).denominator) / world.put(
            bottom, {J: world.linear(*named_sum.high)}
        )

    def greatest(self, name: FormName) -> Value | None:
        """An upper bound of a sum whose terms are at most 1: how many positions it goes over. None if a term may be
        greater, or if the range may have a negative length."""
        world, named_sum = self.world, self.world.sums[name]
        terms, constant = minus(named_sum.high, named_sum.low)
        if any(not isinstance(c.value, fmpq) or c.value > 1 for c in named_sum.cells):
            return None
        if not all(map(world.whole, terms)) or world.possible({}, row(minus(({}, Fraction(-2)), (terms, constant)))):
            return None
        return world.linear(terms, constant + 1)

    # --- Cases ----------------------------------------------------------------------------------------------------

    def split(self, value: Value, guard: Guard, weak: bool = False) -> list[tuple[int, Guard]]:
        """(sign, part of the guard) pairs that cover the guard, where the value has this sign on the part. If `weak`, a
        part with the sign 1 or -1 may also have values 0. NoRule if the sign of a factor cannot be found by cases."""
        signs = self.of(value, guard)
        if len(signs) == 1:
            return [(next(iter(signs)), guard)]
        if weak and not {1, -1} <= signs:
            return [(1 if 1 in signs else -1, guard)]
        value = function_of(value)
        # Split the guard by the first factor of unknown sign, and each part by the later factors.
        for factor, _, _ in self.factors(value):
            if isinstance(factor, Function) and len(self.factor(factor, guard)) > 1:
                below = self._sign_where_negative(value, factor, guard) if weak else 0
                cases = self.parts(factor, guard, below)
                return [part for case in cases for part in self.split(value, case, weak)]
        raise NoRule("the sign of", value)

    def _sign_where_negative(self, value: Function, factor: Function, guard: Guard) -> int:
        """The sign that a factor has where the value is negative; 0 if the other factors do not determine it."""
        out = {-1}
        for factor_below, power, _ in self.factors(value):
            if factor_below is not factor:
                out = {s * t ** int(power) for s in out for t in self.factor(factor_below, guard)}
            elif power % 2 == 0:
                return 0
        return out.pop() if len(out) == 1 else 0

    def parts(self, value: Function, guard: Guard, below: int = 0) -> list[Guard]:
        """Parts of the guard that cover it, by whether a sum is zero, by the sign of a linear factor, or by the sign of
        its linear part in integers. If `below` is not 0, the signs 0 and `below` of a linear factor share a part.
        NoRule where none of these applies."""
        world = self.world
        # A sum without a rule: zero or not.
        for name in sorted(world.names_in(value) & set(world.sums)):
            if ("some", name) not in guard:
                return [{**guard, ("some", name): frozenset((x,))} for x in (False, True)]
        form = linear_form(world.field, value)
        # A form with input numbers: its sign is an atom.
        if form is not None and self.given(form[0]):
            atom, sign = sign_atom(*form)
            groups = _sign_groups(sorted(self.factor(value, guard)), below)
            cases = [(group, {atom: frozenset(sign * s for s in group)}) for group in groups]
            return self._possible_parts(value, guard, cases if sign > 0 else cases[::-1])
        if form is not None and all(world.whole(v) for v in form[0]):
            atom, factor = form_atom(form[0])
            # A form in integers: intervals below, at and above its zero.
            direction, zero = (1 if factor > 0 else -1), -form[1] / factor
            groups = _sign_groups(sorted(self.factor(value, guard), key=lambda s: s * direction), below)
            ends = {-1: (None, ceil(zero) - 1), 0: (int(zero), int(zero)), 1: (floor(zero) + 1, None)}
            cut = [(group, [ends[direction * s] for s in group]) for group in groups]
            cases = [(group, {atom: (parts[0][0], parts[-1][1])}) for group, parts in cut]
            return self._possible_parts(value, guard, sorted(cases, key=lambda case: case[0] == (0,)))
        # Any other factor: split by its linear part in integers, which may outweigh the other terms where it is not 0.
        integer_terms, _, _ = self.apart(value)
        if not integer_terms or len(self.of(world.linear(integer_terms), guard)) == 1:
            raise NoRule("the sign of", value)
        atom, under, over = thresholds(integer_terms, Fraction(0))
        halves: list[Bounds] = [(None, under), (over, None), (under + 1, under + 1)]
        return [case for half in halves if (case := world.met(guard, {atom: half})) is not None]

    def _possible_parts(
        self, value: Function, guard: Guard, parts: Sequence[tuple[tuple[int, ...], Guard]]
    ) -> list[Guard]:
        """Those of `parts` (signs of the factor, condition) that may hold under the guard, as guards. The signs on each
        part are remembered, so that they are not computed again."""
        out = []
        for signs, part in parts:
            if (common := self.world.met(guard, part)) is not None:
                self._factor_signs[self.world.field.written(value), guard_key(common)] = set(signs)
                out.append(common)
        return out


def _sign_groups(signs: Sequence[int], below: int) -> list[tuple[int, ...]]:
    """The signs in their order, each as a group of one; if `below` is not 0, it forms one group with 0."""
    if not below or not {0, below} <= set(signs):
        return [(s,) for s in signs]
    return [tuple(s for s in signs if s in (0, below)) if sign == below else (sign,) for sign in signs if sign]
