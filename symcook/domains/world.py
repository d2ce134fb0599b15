"""Facts about the positions and counts of a string of any length: names, guards, and values under a guard.

A *guard* is a conjunction of atoms (`symcook.domains.linear`), such as the token at a position, the residue of a
number, or the interval of a linear form. `World` answers two kinds of questions for the tables: whether a guard may
hold, and which signs a value may have where it holds. A *form row* is a linear form in names
(`symcook.domains.names`) that is not negative. Facts of names and atoms of guards become form rows, whose consistency
is decided by elimination.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import sympy
from flint import fmpq, fmpq_mpoly

from symcook.domains.consistency import Consistency, FormRow, GivenForm, IntegerPoint, Premises, minus_terms, row
from symcook.domains.field import ONE, ZERO, Field, Function, Value, polynomial_of
from symcook.domains.linear import (
    LOG,
    SCALE,
    STRICT,
    Guard,
    KeptGuard,
    LinearAtom,
    LinearForm,
    NoRule,
    guard_key,
    linear_form,
)
from symcook.domains.names import (
    CHOSEN,
    COUNT,
    INPUT,
    KEY,
    LENGTH,
    LONG,
    POSITION,
    PREFIX,
    SUM,
    Affine,
    FormName,
    I,
    J,
    N,
    count,
    given,
    letter_of,
    name_of,
    place_key,
    place_of,
    stands_at,
)
from symcook.domains.tablesigns import TableSigns

MOST_LOOSE = 6
"""In `loosened`, the greatest distance that the end of an interval is moved."""
NO_NAMES = frozenset[FormName]()


class GuardedCell(NamedTuple):
    """A guard, and the value of the coordinate where it holds."""

    guard: Guard
    value: Value


@dataclass(frozen=True)
class NamedSum:
    """The sum over low <= j <= high of the value of the cell that holds at j (0 if none does). `kept` says that no term
    is negative."""

    cells: tuple[GuardedCell, ...]
    low: Affine
    high: Affine
    kept: bool


@dataclass(frozen=True)
class PositionChoice:
    """The position that a head chooses: the first or last one in low..high at which the guard of a cell holds, and the
    first position of the string where there is none: so that it is a position under every guard. The cells are at the
    position `key`."""

    guards: tuple[Guard, ...]
    key: FormName
    low: Affine
    high: Affine
    last: bool


class _Consequences:
    """The rows of a guard with the facts of their names, and the names. `answers` remembers which further rows may hold
    together with them."""

    __slots__ = ("answers", "names", "premises")

    def __init__(self, premises: Premises, names: frozenset[FormName]) -> None:
        self.premises, self.names = premises, names
        self.answers: dict[tuple[FormRow, ...], bool] = {}


class World:
    """The names of positions and counts with their facts, which hold under every guard, and the field of the values.

    `letters` are the input symbols. The last of them has no count of its own, since the position and the other counts
    determine it. `before` and `after` are the tokens that the model adds (None: it adds none), `start` is the number of
    the first position, and `most` is the greatest length of an input (None: no limit).
    """

    def __init__(self, letters: Sequence[str], start: int, before: str | None, after: str | None, most: int | None):
        self.letters, self.start, self.before, self.after, self.most = tuple(letters), start, before, after, most
        self.tokens = tuple(t for t in (before, *letters, after) if t is not None)
        self.field = Field()
        # The least n, and the number of tokens that the model adds.
        self.fewest = max(1, (before is not None) + (after is not None))
        self.added = (before is not None) + (after is not None)
        # The last position in text.
        self.last = "n" if start == 1 else "n - 1"
        self.positive: dict[FormName, tuple[Fraction | None, bool, Fraction | None]] = {}
        """Symbol of the model or long value -> (lower end, whether it is excluded, upper end)."""
        # Names that stand for values.
        self.sums: dict[FormName, NamedSum] = {}
        """Name of a sum without a rule -> the sum."""
        self._sums: dict[Any, FormName] = {}
        """Key of a sum -> its name."""
        self.choices: dict[FormName, PositionChoice] = {}
        """Name of a chosen position -> how it is chosen."""
        self._choices: dict[Any, FormName] = {}
        """Key of a choice -> the name of its position."""
        self.named: dict[FormName, tuple[Value, set[int]]] = {}
        """Name of a long value -> (the value, its signs)."""
        self.pointing: list[str] = []
        """The names of inputs that are assumed to be positions of the string; the closed forms state the assumption."""
        self.gaps: dict[FormName, Value] = {}
        """Given number that a head reads as a position -> the score there less that of another position j."""
        self._consistency = Consistency(self._with_positions)
        self._cells: dict[FormName, Function] = {}
        """Name -> its value in the field."""
        self._names: dict[int, frozenset[FormName]] = {}
        """Index of a generator -> the result of `names_of`."""
        self.sign = TableSigns(self)
        self.forget()

    def forget(self) -> None:
        """Drop all stored results, after a fact about the positions was added."""
        # The results of `_consequences`, `met`, `equalities`, `facts` and `rows`, by their arguments.
        self._implied: dict[Any, _Consequences | None] = {}
        self._met: dict[Any, Guard | None] = {}
        self._equalities: dict[Any, dict[FormName, Value]] = {}
        self._facts: dict[frozenset[FormName], Premises] = {}
        self._rows: dict[Any, tuple[tuple[FormRow, ...], frozenset[FormName]]] = {}
        self.sign.forget()

    # --- Values ---------------------------------------------------------------------------------------------------

    def name(self, name: FormName) -> Function:
        """The value of a name."""
        if name not in self._cells:
            self._cells[name] = self.field.symbol(letter_of(name))
        return self._cells[name]

    def take(self, name: FormName, value: Function) -> None:
        """Take `value` for the value of a name."""
        self._cells[name] = value

    def input(self, name: str, place: Affine) -> Value:
        """The value of the input `name` at a place."""
        return self.name(given(name, place))

    def moved_inputs(self, names: Collection[FormName], name: FormName, place: Affine) -> dict[FormName, Value]:
        """Name -> its replacement, for the input numbers among `names` that are read at a place which depends on the
        position `name`, if this becomes `place`."""
        new: dict[FormName, Value] = {}
        for one in sorted(v for v in names if v.kind == INPUT):
            terms, constant = place_of(one)
            moved = self.linear({}, constant)
            # The place may itself contain an input number (as a pointer does) or a chosen position, which are replaced
            # too.
            inner = self.moved_inputs(terms, name, place) | {name: self.linear(*place)}
            inner |= {v: self.name(w) for v, w in self.moved_choices(terms, name, place).items()}
            for v, c in terms.items():
                moved = moved + inner.get(v, self.name(v)) * fmpq(c.numerator, c.denominator)
            if (form := linear_form(self.field, moved)) != (terms, constant):
                if form is None:
                    raise NoRule(f"{one.of} at a place that is no position")
                new[one] = self.input(one.of, form)
        return new

    def linear(self, terms: Mapping[FormName, int | Fraction], constant: int | Fraction = 0) -> Value:
        """The value of a linear form."""
        values = [(self.name(name), c) for name, c in terms.items() if c]
        out = self.field.ctx.constant(fmpq(constant.numerator, constant.denominator))
        for value, c in values:
            self.field.lift(value)
            out = out + (value.num if c == 1 else value.num * fmpq(c.numerator, c.denominator))
        return polynomial_of(self.field, out)

    def sum(self, one: NamedSum) -> Value:
        """The value of a sum without a rule: its name, or minus the name of its negative."""
        # A sum and its negative share a name: the one with positive leading coefficients has it.
        if not one.kept and all(not isinstance(c.value, fmpq) and _has_negative_lead(c.value) for c in one.cells):
            cells = tuple(GuardedCell(c.guard, -c.value) for c in one.cells)
            nonnegative = all(-1 not in self.signs(c.value, c.guard) for c in cells)
            return -self.sum(NamedSum(cells, one.low, one.high, nonnegative))
        # Equal sums, whatever the order of their cells, get one name.
        cells = frozenset((frozenset(c.guard.items()), self.field.key(c.value)) for c in one.cells)
        ends = ((tuple(sorted(terms.items())), c) for terms, c in (one.low, one.high))
        name = self._sums.setdefault((cells, *ends, one.kept), FormName(SUM, number=len(self.sums) + 1))
        if name in self.sums:
            return self.name(name)
        self.sums[name] = one
        return self.name(name)

    def chosen(self, choice: PositionChoice) -> FormName:
        """The name of a chosen position; equal choices have one name."""
        guards = frozenset(frozenset(guard.items()) for guard in choice.guards)
        key = guards, choice.key, place_key(choice.low), place_key(choice.high), choice.last
        if key not in self._choices:
            inside = {v for guard in choice.guards for atom in guard for v in named_in(atom)}
            inside |= {*choice.low[0], *choice.high[0]}
            free = tuple(p for p in (I, J) if any(self.moves(v, p) for v in inside))
            name = self._choices[key] = FormName(CHOSEN, at=free, number=len(self.choices) + 1)
            self.choices[name] = choice
        return self._choices[key]

    def moved_choices(self, names: Collection[FormName], name: FormName, place: Affine) -> dict[FormName, FormName]:
        """Name -> its replacement, for the chosen positions among `names`, and those up to which they count, that
        depend on the position `name`, if this becomes `place`."""
        at = {v: v.at if v.kind == PREFIX else v for v in names}
        moving = {v for v in at.values() if v.kind == CHOSEN and stands_at(v, name)}
        new = {v: self.moved_choice(v, name, place) for v in sorted(moving)}
        return {v: count(v.of, new[p]) if v.kind == PREFIX else new[p] for v, p in at.items() if p in new}

    def short(self, value: Value, guard: Guard, most: int) -> Value:
        """The value itself, or a name for it if its size is above `most` and it does not depend on i. A value and its
        negative share a name under guards that leave the value the same signs, which are stored with the name."""
        if isinstance(value, fmpq) or self.field.size(value) <= most or I in self.names_in(value):
            return value
        self.field.lift(value)
        sign = fmpq(-1 if value.num.leading_coefficient() < 0 else 1)
        signs = self.signs(value * sign, guard)
        # A name stands for a value with its signs. A guard that leaves the value other signs gets another name.
        for name, named in self.named.items():
            if named == (value * sign, signs):
                return self.name(name) * sign
        name = FormName(LONG, number=len(self.named) + 1)
        self.named[name] = value * sign, signs
        if -1 not in signs:
            self.positive[name] = (Fraction(0), 0 not in signs, None)
        return self.name(name) * sign

    def depends(self, one: FormName, name: FormName) -> bool:
        """Whether the sum called `one` depends on the position `name`; its own summation index j does not count."""
        return any(stands_at(v, name) for v in self._free(one))

    def moves(self, name: FormName, position: FormName) -> bool:
        """Whether a name is the position (i or j), a count up to it, an input number at it, or a sum that depends on
        it."""
        return stands_at(name, position) or (name in self.sums and self.depends(name, position))

    def _free(self, one: FormName) -> set[FormName]:
        """The names on which a sum depends: those of its ends, its terms and its inner sums, without its index j."""
        named_sum = self.sums[one]
        inside = self.names_inside(one)
        for inner_sum in inside & set(self.sums):
            inside = inside | self._free(inner_sum)
        return {v for v in inside if not stands_at(v, J)} | {*named_sum.low[0], *named_sum.high[0]}

    def names_inside(self, one: FormName) -> set[FormName]:
        """The names in the terms and guards of a sum, with its summation index j."""
        cells = self.sums[one].cells
        inside = {v for c in cells for v in self.names_in(c.value)}
        return inside | {v for c in cells for a in c.guard for v in named_in(a)}

    @cached_property
    def end(self) -> Affine:
        """The last position."""
        return {N: Fraction(1)}, Fraction(self.start - 1)

    def names_in(self, value: Value) -> frozenset[FormName]:
        """All names in a value, also inside exponentials and roots."""
        if isinstance(value, fmpq):
            return NO_NAMES
        if value.names is None:
            self.field.lift(value)
            used = [g for p in _polynomials(value) for g, degree in enumerate(p.degrees()) if degree]
            value.names = NO_NAMES.union(*map(self.names_of, used))
        return value.names

    def _names_in_argument(self, argument: object) -> frozenset[FormName]:
        """The names in the argument of an exponential, a root or a constant."""
        if isinstance(argument, sympy.Basic):
            return frozenset(map(name_of, argument.free_symbols))
        return self.names_in(argument)  # type: ignore[arg-type]

    def put(self, value: Value, new: Mapping[FormName, Value]) -> Value:
        """The value with the values `new` in place of names. NoRule if a denominator becomes zero."""
        if isinstance(value, fmpq) or not new or self.names_in(value).isdisjoint(new):
            return value
        # First find the new value of each generator that contains a replaced name, then compose the polynomials with
        # them.
        moved: dict[int, Value] = {}
        for polynomial in _polynomials(value):
            for g, degree in enumerate(polynomial.degrees()):
                if degree and g not in moved and not self.names_of(g).isdisjoint(new):
                    moved[g] = self._substituted_generator(g, new)
        self.field.lift(value)
        denominator = self._composed(value.den, moved) if value.den is not self.field.one else ONE
        if isinstance(denominator, fmpq) and denominator == 0:
            raise NoRule("a value after a division by zero")
        return self._composed(value.num, moved) / denominator

    def names_of(self, g: int) -> frozenset[FormName]:
        """The names in a generator."""
        if g not in self._names:
            generator = self.field.generators[g]
            self._names[g] = (
                frozenset((name_of(generator.argument),))
                if generator.kind == "symbol"
                else self._names_in_argument(generator.argument)
            )
        return self._names[g]

    def _composed(self, polynomial: fmpq_mpoly, moved: Mapping[int, Value]) -> Value:
        """The polynomial with the values `moved` in place of some generators."""
        functions = [v for v in moved.values() if isinstance(v, Function)]
        for function in functions:
            self.field.lift(function)
        if all(function.den is self.field.one for function in functions):  # polynomials: one composition
            gens = [*self.field.gens]
            for g, value in moved.items():
                gens[g] = self.field.ctx.constant(value) if isinstance(value, fmpq) else value.num
            return polynomial_of(self.field, polynomial.compose(*gens, ctx=self.field.ctx))
        # Fractions: group the terms by the powers of the replaced generators, so that each product is computed once.
        parts: dict[tuple[int, ...], dict[Any, Any]] = {}
        for monomial, c in polynomial.terms():
            key = tuple(int(monomial[g]) for g in moved)
            remaining = tuple(0 if g in moved else e for g, e in enumerate(monomial))
            parts.setdefault(key, {})[remaining] = c
        grouped = [(key, polynomial_of(self.field, self.field.ctx.from_dict(part))) for key, part in parts.items()]
        out: Value = ZERO
        for key, term in grouped:
            for e, value in zip(key, moved.values(), strict=True):
                if e:
                    term = term * value**e
            out = out + term
        return out

    def _substituted_generator(self, g: int, new: Mapping[FormName, Value]) -> Value:
        """The value of a generator with the values `new` in place of names; NoRule for a constant that contains a
        replaced name."""
        generator = self.field.generators[g]
        if generator.kind == "symbol":
            return new.get(name_of(generator.argument), self.field.generator(g))
        # log n, where n becomes a number.
        if generator.kind == "constant" and generator.argument == LOG and isinstance(number := new.get(N), fmpq):
            return self.number(("call", "log", (("num", int(number.p), int(number.q)),)))
        if generator.kind == "constant" and isinstance(generator.argument, sympy.Basic):
            if not self.names_of(g).isdisjoint(new):
                raise NoRule(f"{generator.argument} at another place")
            return self.field.generator(g)
        # Exponentials, roots and other functions: replace in the argument.
        inside = self.put(generator.argument, new)
        if generator.kind == "exp":
            return self.exponential(inside * fmpq(1, self.field.roots[g]))
        if generator.kind == "sqrt":
            return self.root(inside)
        if isinstance(inside, fmpq):  # a function of one number
            return self.number(("call", generator.kind, (("num", int(inside.p), int(inside.q)),)))
        return self.field.function(generator.kind, inside)

    # Functions that `Lengths` sets: e to a value, the root of a value, and the value of a number.
    exponential: Callable[[Value], Value]
    root: Callable[[Value], Value]
    number: Callable[[Any], Value]
    of_symbols: Callable[[fmpq_mpoly], set[int]]
    """The signs of a polynomial in symbols of the model only; also set by `Lengths`."""
    moved_choice: Callable[[FormName, FormName, Affine], FormName]
    """The name that a chosen position has if a position (i or j) becomes a place; also set by `Lengths`."""

    # --- Facts and guards -----------------------------------------------------------------------------------------

    def domain(self, atom: LinearAtom) -> Any:
        """All values that an atom may have: tokens, residues, signs or truth values; the infinite interval for a
        form."""
        if atom[0] == "letter":
            if isinstance(atom[1], int):
                # At a fixed position: the first one has the token `before` if the model adds it; a later one may be the
                # end.
                first = atom[1] == self.start
                ends = [self.before] if first and self.before is not None else self.letters
                may_be_end = self.after is not None and not (first and self.before is not None)
                return frozenset([*ends, *([self.after] if may_be_end else [])])
            return frozenset(self.tokens)
        if atom[0] == "mod":
            return frozenset(range(atom[2]))
        if atom[0] == "sign":
            return frozenset((-1, 0, 1))
        return (None, None) if atom[0] == "form" else frozenset((False, True))

    def facts(self, names: frozenset[FormName]) -> Premises:
        """The facts of some names, as premises."""
        if names not in self._facts:
            self._facts[names] = Premises([*map(row, self._facts_of(names))])
        return self._facts[names]

    def _facts_of(self, names: frozenset[FormName]) -> Iterator[GivenForm]:
        """The facts of some names and of the names that occur in these facts, as forms that are not negative."""
        todo, visited = [*sorted(names), N], set[FormName]()
        while todo:
            v = todo.pop()
            if v in visited:
                continue
            visited.add(v)
            # The length is between its least and greatest value.
            if v == N:
                yield {N: 1}, -self.fewest
                if self.most is not None:
                    yield {N: -1}, self.most + self.added
            # A position of the string.
            elif v.kind in (POSITION, KEY):
                yield from self._position_facts(v)
            # A count is at least 0. The sum of the counts is at most the length of the input.
            elif v.kind == COUNT:
                yield {v: 1}, 0
                others = {w: -1 for w in names | visited if w.kind == COUNT}
                yield {N: 1, **others}, -self.added
            # A count up to a position is at most the count in the string, and the other symbols have space on both
            # sides: the positions after `at` are at least k - p, and those up to `at` at least the sum of the counts.
            elif v.kind == PREFIX:
                todo += [count(v.of), v.at]
                yield {v: 1}, 0
                yield {count(v.of): 1, v: -1}, 0
                yield {N: 1, v.at: -1, count(v.of): -1, v: 1}, self.end[1]
                others = {w: -1 for w in names | visited if w.kind == PREFIX and w.at == v.at}
                yield {v.at: 1, **others}, 1 - self.start - (self.before is not None)
            elif (v.kind == INPUT and self.whole(v)) or v.kind == CHOSEN:
                yield from self._position_facts(v)
            # A symbol of the model, in its declared range.
            elif v in self.positive:
                low, _, high = self.positive[v]
                if low is not None:
                    yield {v: 1}, -low
                if high is not None:
                    yield {v: -1}, high

    def _position_facts(self, v: FormName) -> tuple[GivenForm, GivenForm]:
        """The facts that a number is a position of the string: at least the first one, at most the last one."""
        return ({v: 1}, -self.start), ({N: 1, v: -1}, self.end[1])

    def _with_positions(self, point: dict[FormName, int]) -> IntegerPoint:
        """`point` with values added to it for i, j and the counts up to them, if they are missing: those of the other
        position, or of the end of the string. Without n, nothing is added.

        A point with more names answers more of the later questions. Its numbers have the denominator `point[SCALE]`.
        """
        length, unit = point.get(N), point[SCALE]
        if length is None:
            return point
        for v, other in ((I, J), (J, I)):
            if v not in point and other in point:
                counts = {count(name.of, v): x for name, x in point.items() if name.kind == PREFIX and name.at == other}
                point |= {v: point[other], **counts}
        if I not in point:
            last = length + (self.start - 1) * unit
            point |= {I: last, J: last}
            point |= {count(name.of, v): x for name, x in [*point.items()] if name.kind == COUNT for v in (I, J)}
        return point

    def rows(self, atom: LinearAtom, held: Any) -> tuple[tuple[FormRow, ...], frozenset[FormName]]:
        """(form rows that follow from an atom with the values `held`, the names in these rows), without facts of the
        names."""
        key = atom, held
        if key not in self._rows:
            rows = _within(atom[1], *held) if atom[0] == "form" else tuple(map(row, self._rows_of(atom, held)))
            self._rows[key] = rows, frozenset(v for terms, _ in rows for v, _ in terms)
        return self._rows[key]

    def _rows_of(self, atom: LinearAtom, held: Any) -> Iterator[GivenForm]:
        """Forms that are not negative if an atom has one of the values `held`. For tokens and residues they are only
        necessary, not sufficient."""
        # An excluded sign bounds the form from one side, strictly if 0 is excluded too.
        if atom[0] == "sign":
            for sign in (1, -1):
                if -sign not in held:
                    above = {} if 0 in held else {STRICT: -1}
                    yield {v: sign * c for v, c in atom[1]} | above, sign * atom[2]
        # The token at i or j.
        elif atom[0] == "letter" and atom[1] in (I, J):
            yield from self._token_rows(atom[1], held)
        # A number with one of these residues: at least the smallest such number that is not below its lower end.
        elif atom[0] == "mod":
            named: FormName = atom[1]
            low = self.fewest if named == N else 0 if named.kind in (COUNT, PREFIX) else self.start
            yield {named: 1}, -min(r if r >= low else r + atom[2] for r in held) if low <= atom[2] else -low
        # The token at a fixed position, which must exist.
        elif atom[0] == "letter" and isinstance(atom[1], int):
            yield {N: 1}, self.start - 1 - int(atom[1])
            if atom[1] == self.start and self.before is None:
                yield from self._empty_input_rows(held, self.after)
        elif atom[:2] == ("letter", N) and self.after is None:
            yield from self._empty_input_rows(held, self.before)

    def _token_rows(self, v: FormName, held: frozenset[str]) -> Iterator[GivenForm]:
        """Forms that are not negative if the token at position v is one of `held`: about v and the counts up to it."""
        first, last = self._position_facts(v)
        # A token added by the model is at its end of the string, and at no other position.
        if self.before is not None and self.before not in held:
            yield first[0], first[1] - 1
        elif held == frozenset((self.before,)):
            yield {v: -1}, self.start
        if self.after is not None and self.after not in held:
            yield last[0], last[1] - 1
        elif held == frozenset((self.after,)):
            yield {N: -1, v: 1}, -self.end[1]
        # An input symbol is counted at its own position: its count up to there is at least 1.
        if len(held) == 1 and (letter := next(iter(held))) in self.letters[:-1]:
            yield {count(letter, v): 1}, -1
        elif held == frozenset((self.letters[-1],)):
            others = {count(a, v): -1 for a in self.letters[:-1]}
            yield {v: 1, **others}, -self.start - (self.before is not None)

    @staticmethod
    def _empty_input_rows(held: frozenset[str], added: str | None) -> Iterator[GivenForm]:
        """Forms about the length that follow from the tokens `held` at one end, if the model adds only the token
        `added`, at the other end. The added token is at both ends iff the input is empty."""
        if added is not None and added in held and len(held) == 1:
            yield {N: -1}, 1
        elif added is not None and added not in held:
            yield {N: 1}, -2

    def possible(self, guard: Guard, *more: FormRow) -> bool:
        """Whether a guard may hold together with further form rows. False is certain, True is not."""
        return self._answer(self._consequences(guard), more)

    def possible_each(self, guard: Guard, groups: Iterable[tuple[FormRow, ...]]) -> Iterator[bool]:
        """`possible` for each of several groups of further rows."""
        premises = self._consequences(guard)
        return (self._answer(premises, more) for more in groups)

    def _answer(self, implied: _Consequences | None, more: tuple[FormRow, ...]) -> bool:
        """Whether further rows may hold together with the consequences of a guard; remembered."""
        if implied is None:
            return False
        if (answer := implied.answers.get(more)) is None:
            new_names = {v for terms, _ in more for v, _ in terms if v not in implied.names}
            facts = self.facts(implied.names | new_names).rows if new_names else ()
            answer = implied.answers[more] = self._consistency.possible(implied.premises, [*more, *facts])
        return answer

    def _consequences(self, guard: Guard) -> _Consequences | None:
        """`_consequences_of`, remembered."""
        key = guard_key(guard)
        if key not in self._implied:
            self._implied[key] = self._consequences_of(guard)
        return self._implied[key]

    def _consequences_of(self, guard: Guard) -> _Consequences | None:
        """The rows of a guard with the facts of their names; None if an atom has no value left, or if residues
        contradict a form."""
        if not all(guard.values()) or not self._parities(guard):
            return None
        rows_by_atom = [self.rows(atom, allowed) for atom, allowed in guard.items()]
        names = frozenset([N]).union(*[names for _, names in rows_by_atom])
        own_rows = [form_row for rows, _ in rows_by_atom for form_row in rows]
        return _Consequences(Premises(own_rows, self.facts(names)), names)

    def _parities(self, guard: Guard) -> bool:
        """Whether the residues in a guard agree with its forms that equal one number. The residue of a form follows
        from those of its names."""
        moduli = {a[2] for a in guard if a[0] == "mod"}
        for atom, allowed in guard.items() if moduli else ():
            if atom[0] != "form" or allowed[0] is None or allowed[0] != allowed[1]:
                continue
            for m in moduli:
                residues = [guard.get(("mod", v, m)) for v, c in atom[1] if c % m]
                if all(x is not None and len(x) == 1 for x in residues):
                    total = sum(c * next(iter(guard["mod", v, m])) for v, c in atom[1] if c % m)
                    if (total - allowed[0]) % m:
                        return False
        return True

    def met(self, first: Guard, second: Guard) -> Guard | None:
        """The conjunction of two guards; None if they cannot both hold."""
        if not second:
            return first if self.possible(first) else None
        key = guard_key(first), guard_key(second)
        if key not in self._met:
            conjunction = self.joined(first, second)
            self._met[key] = conjunction if conjunction is not None and self.possible(conjunction) else None
        return self._met[key]

    @staticmethod
    def joined(first: Guard, second: Guard) -> Guard | None:
        """The conjunction of two guards; None if one of its atoms has no value left. Whether all atoms can hold
        together is not checked."""
        # 1. Intersect intervals and sets of values, atom by atom.
        out = KeptGuard(first)
        for atom, allowed in second.items():
            if atom not in out:
                out[atom] = allowed
            elif atom[0] == "form":
                low = max((x for x in (out[atom][0], allowed[0]) if x is not None), default=None)
                high = min((x for x in (out[atom][1], allowed[1]) if x is not None), default=None)
                if low is not None and high is not None and low > high:
                    return None
                out[atom] = (low, high)
            else:
                out[atom] = out[atom] & allowed
                if not out[atom]:
                    return None
        # 2. Move the ends of the interval of a single name inwards to numbers with an allowed residue.
        moduli = [a for a in out if a[0] == "mod"]
        for atom, allowed in list(out.items()) if moduli else ():
            if atom[0] == "form" and len(atom[1]) == 1:
                for m in [a[2] for a in moduli if a[1] == atom[1][0][0]]:
                    allowed_residues = out["mod", atom[1][0][0], m]
                    low, high = allowed
                    while low is not None and low % m not in allowed_residues:
                        low += 1
                    while high is not None and high % m not in allowed_residues:
                        high -= 1
                    if low is not None and high is not None and low > high:
                        return None
                    out[atom] = allowed = low, high
        return out

    def complement(self, atom: LinearAtom, held: Any) -> list[Any]:
        """The parts of an atom's domain outside `held`: the set of other values, or the intervals below and above."""
        if atom[0] != "form":
            others = self.domain(atom) - held
            return [others] if others else []
        low, high = held
        return [*([(None, low - 1)] if low is not None else []), *([(high + 1, None)] if high is not None else [])]

    def implied(self, guard: Guard, atom: LinearAtom, held: Any) -> bool:
        """Whether a guard implies that an atom has one of the values `held`; False for the token at a position that may
        not exist, and where the guard and the condition cannot both hold."""
        # A fixed position that may not exist.
        if (
            atom[0] == "letter"
            and isinstance(atom[1], int)
            and self.possible(guard, (((N, -1),), atom[1] - self.start))
        ):
            return False
        outside = self.complement(atom, held)
        if atom[0] == "form" and not any(a[0] == "mod" for a in guard):  # then its rows are equivalent to it
            groups = (self.rows(atom, interval)[0] for interval in (held, *outside))
            may_hold, *may_fail = self.possible_each(guard, groups)
            return may_hold and not any(may_fail)
        return self.met(guard, {atom: held}) is not None and not any(
            self.met(guard, {atom: values}) is not None for values in outside
        )

    def loosened(self, guard: Guard, atom: LinearAtom) -> Any:
        """The interval of a form in a guard, widened by integers that the other atoms exclude anyway (at most
        `MOST_LOOSE` on each side)."""
        interval = guard[atom]
        if atom[0] != "form" or interval[0] == interval[1]:
            return interval
        low, high = interval
        for _ in range(MOST_LOOSE):
            if low is None or self.possible({**guard, atom: (low - 1, low - 1)}):
                break
            low -= 1
        for _ in range(MOST_LOOSE):
            if high is None or self.possible({**guard, atom: (high + 1, high + 1)}):
                break
            high += 1
        return low, high

    def shortened(self, guard: Guard) -> Guard:
        """A guard without the atoms that its other atoms imply, which are removed one by one."""
        for atom in sorted(guard, key=lambda a: (a[0] != "mod", a[0] != "letter")):
            others = KeptGuard({a: h for a, h in guard.items() if a != atom})
            if self.implied(others, atom, guard[atom]):
                guard = others
        return guard

    def equalities(self, guard: Guard) -> dict[FormName, Value]:
        """Name -> its value under a guard, from atoms that fix a number, a place or a sum: each form that equals one
        number is solved for one of its names with the coefficient 1 or -1, if it has one."""
        key = guard_key(guard)
        if key not in self._equalities:
            self._equalities[key] = self._solve_equalities(guard)
        return self._equalities[key]

    def _solve_equalities(self, guard: Guard) -> dict[FormName, Value]:
        """`equalities`, computed."""
        new: dict[FormName, Value] = {}
        for atom, allowed in guard.items():
            if atom[0] == "form" and allowed[0] is not None and allowed[0] == allowed[1]:
                # A form that equals one number: solve it for j or i if possible, else for a count up to one of them,
                # else for any name. Its coefficient must be 1 or -1.
                names = [v for v, c in atom[1] if abs(c) == 1 and v not in new]
                solved_name = (
                    next((v for v in (J, I) if v in names), None)
                    or next((v for v in names if v.kind == PREFIX), None)
                    or (names[0] if names else None)
                )
                if solved_name is None:
                    continue
                c = dict(atom[1])[solved_name]
                solution = self.linear(
                    {v: Fraction(-d, c) for v, d in atom[1] if v != solved_name}, Fraction(allowed[0], c)
                )
                solution = self.put(solution, new)
                # Put the new solution into the earlier ones.
                if solved_name not in self.names_in(solution):
                    new = {v: self.put(x, {solved_name: solution}) for v, x in new.items()} | {solved_name: solution}
            elif atom[:2] == ("letter", N) or atom[:2] == ("letter", self.start):
                if self.added == 1 and len(allowed) == 1 and next(iter(allowed)) in (self.before, self.after):
                    new.setdefault(N, fmpq(1))  # the input is empty
            elif atom[0] == "letter" and isinstance(atom[1], FormName) and allowed == frozenset((self.before,)):
                # The token before the input is at the first position.
                new.setdefault(atom[1], fmpq(self.start))
            elif atom[0] == "some" and allowed == frozenset((False,)):
                # A sum of nonnegative terms that is 0.
                new[atom[1]] = ZERO
        if new.get(N) == fmpq(self.added):  # an empty input
            new |= {count(a, position): ZERO for a in self.letters[:-1] for position in (None, I, J)}
        for v in (I, J):  # counts up to the end of the string are the counts in the string
            if v in new:
                position = linear_form(self.field, new[v])
                if position is not None and position == self.end:
                    new |= {count(a, v): self.name(count(a)) for a in self.letters[:-1]}
        return new

    def tidy(self, guard: Guard, value: Value) -> Value:
        """The value with the substitution of `equalities`."""
        return value if isinstance(value, fmpq) else self.put(value, self.equalities(guard))

    # --- Signs ----------------------------------------------------------------------------------------------------

    def signs(self, value: Value, guard: Guard) -> set[int]:
        """The signs that a value may have where a guard holds: a superset of those that occur."""
        return self.sign.of(value, guard)

    def whole(self, name: FormName) -> bool:
        """Whether a name is an integer: a position, the length, a count, or an input number that is a position."""
        integer = name.kind in (POSITION, KEY, LENGTH, COUNT, PREFIX, CHOSEN)
        return integer or (name.kind == INPUT and name.of in self.pointing)


def _within(form: LinearForm, low: int | None, high: int | None) -> tuple[FormRow, ...]:
    """The rows that a form, whose coefficients have no common factor, is between two integers (None: no bound)."""
    above = () if low is None else ((form, -low),)
    return above if high is None else (*above, (minus_terms(form), high))


def named_in(atom: LinearAtom) -> list[FormName]:
    """The names in an atom."""
    if atom[0] in ("form", "sign"):
        return [x for x, _ in atom[1]]
    if atom[0] == "letter" and isinstance(atom[1], FormName):
        return [*place_of(atom[1])[0]]
    return [atom[1]] if isinstance(atom[1], FormName) else []


def _polynomials(value: Function) -> tuple[fmpq_mpoly, ...]:
    """The polynomials of a value that may contain names."""
    return (value.num,) if value.den is value.field.one else (value.num, value.den)


def _has_negative_lead(value: Function) -> bool:
    """Whether the leading coefficient of the numerator is negative."""
    value.field.lift(value)
    return value.num.leading_coefficient() < 0
