"""Tables of guarded cells: the value of a coordinate at a generic position of a string of any length.

A guard is a conjunction of conditions: the token at a position is in a set of tokens, the residue of a number is in a
set of residues, or a linear form such as i - k or 2*p - i is in an integer interval. A cell has a guard and a value, a
rational function of `symcook.domains.field`. The guards of a table exclude each other and cover all cases, so a table
is a piecewise function. If a guard fixes the number of a form, the form is solved for a name, which is replaced in the
value of the cell. Equal values then have equal quotients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Any

from flint import fmpq

from symcook.domains.field import Value
from symcook.domains.linear import (
    Bounds,
    Guard,
    KeptGuard,
    LinearAtom,
    NoRule,
    form_atom,
    linear_form,
    minus,
    sign_atom,
)
from symcook.domains.names import (
    CHOSEN,
    KEY,
    PLACE,
    POSITION,
    PREFIX,
    Affine,
    FormName,
    I,
    J,
    N,
    count,
    place_name,
    place_of,
    stands_at,
)
from symcook.domains.world import GuardedCell, NamedSum, PositionChoice, World
from symcook.present import present

MOST_CELLS = 400
"""The greatest number of cells of one table; a table with more raises NoRule when it is made."""


class CellTable:
    """The cells of a piecewise function over one world. Sums, products and quotients are computed on common guards."""

    __slots__ = ("cells", "world")

    def __init__(self, world: World, cells: Iterable[GuardedCell]) -> None:
        self.world, self.cells = world, tuple(cells)
        if len(self.cells) > MOST_CELLS:
            raise NoRule(f"more than {MOST_CELLS} cells")

    @staticmethod
    def of(world: World, value: Value) -> CellTable:
        """The table with the same value everywhere."""
        return CellTable(world, [GuardedCell({}, value)])

    @staticmethod
    def cases(world: World, atom: LinearAtom, values: Iterable[tuple[Any, Value]]) -> CellTable:
        """The table with the value v where an atom has one of the values `allowed`, for each pair (allowed, v)."""
        cells = ((g, v) for allowed, v in values if world.possible(g := KeptGuard({atom: allowed})))
        return CellTable(world, [GuardedCell(g, world.tidy(g, v)) for g, v in cells]).merged()

    def join(self, right: CellTable, combine: Callable[[Value, Value], Value]) -> CellTable:
        """The table of combine(value here, value in `right`), on the common guards of both tables."""
        out = []
        for a in self.cells:
            for b in right.cells:
                guard = self.world.met(a.guard, b.guard)
                if guard is not None:
                    out.append(GuardedCell(guard, self.world.tidy(guard, combine(a.value, b.value))))
        return CellTable(self.world, out).merged()

    def __add__(self, other: CellTable) -> CellTable:
        """The sum. If one of the tables is a constant, the other one keeps its guards, and cells are not merged."""
        world = self.world
        for table, alone in ((self, other), (other, self)):
            if len(alone.cells) == 1 and not alone.cells[0].guard:  # a constant: no cells need to be merged
                added = alone.cells[0].value
                if added == 0:
                    return table
                return CellTable(
                    world, [GuardedCell(c.guard, world.tidy(c.guard, c.value + added)) for c in table.cells]
                )
        return self.join(other, lambda x, y: x + y)

    def __mul__(self, other: CellTable) -> CellTable:
        return self.join(other, lambda x, y: x * y)

    def __truediv__(self, other: CellTable) -> CellTable:
        for cell in other.cells:
            if 0 in self.world.signs(cell.value, cell.guard):
                raise NoRule("a division by what may be zero")
        return self.join(other, lambda x, y: x / y)

    def map(self, each: Callable[[Value], Value]) -> CellTable:
        """The table with the function `each` applied to each value."""
        return CellTable(self.world, [GuardedCell(c.guard, each(c.value)) for c in self.cells]).merged()

    def split(self, each: Callable[[int, Value], Value], weak: bool = False) -> CellTable:
        """The table of each(sign, value). Cells are split so that the sign is known; if `weak`, a value 0 may count as
        positive or negative. NoRule where a sign cannot be split."""
        world = self.world
        parts = [(c, s, g) for c in self.cells for s, g in world.sign.split(c.value, c.guard, weak)]
        return CellTable(world, [GuardedCell(g, world.tidy(g, each(s, c.value))) for c, s, g in parts]).merged()

    def beside(self, other: CellTable) -> CellTable:
        """The values of this table on the common guards of both tables; cells are not merged."""
        common = ((self.world.met(a.guard, b.guard), a.value) for a in self.cells for b in other.cells)
        return CellTable(self.world, [GuardedCell(g, v) for g, v in common if g is not None])

    def value_at(self, guard: Guard) -> Value:
        """The value where a guard holds, which must be possible and lie in one cell: the first cell that meets it is
        taken."""
        cell = next(c for c in self.cells if self.world.met(c.guard, guard) is not None)
        return self.world.tidy(guard, cell.value)

    def under(self, guard: Guard) -> CellTable:
        """The cells restricted to a guard: a table that covers the guard only."""
        cells = ((self.world.met(c.guard, guard), c.value) for c in self.cells)
        return CellTable(self.world, [GuardedCell(g, self.world.tidy(g, v)) for g, v in cells if g is not None])

    def at(self, name: FormName, place: Affine) -> CellTable:
        """The table with the linear form `place` in place of the position `name`. Cells that become impossible are left
        out. NoRule where a count up to `place` has no name."""
        world, counts = self.world, {count(a, name) for a in self.world.letters}
        out = []
        for cell in self.cells:
            moved = moved_guard(world, cell.guard, name, place)
            if moved is not None:
                value = world.put(cell.value, moved_names(world, cell.value, name, place))
                if not counts.isdisjoint(world.names_in(value)):
                    raise NoRule("a count at another position")
                out.append(GuardedCell(moved, world.tidy(moved, value)))
        return CellTable(world, out).merged()

    def merged(self) -> CellTable:
        """The same function with fewer cells: cells with the same value are merged if their guards differ in one
        atom."""
        if len(self.cells) == 1 and not self.cells[0].guard:
            return self
        cells = [part for cell in self.cells for part in self._as_two_points(cell)]
        # First (`alike`) merge cells with equal values. Then merge a cell at a single point into one whose value is the
        # same at this point. After each merge, start again from the first cell.
        for alike in (True, False):
            a = 0
            while a < len(cells):
                for b, candidate in enumerate(cells):
                    if a == b or not (alike or _at_single_point(candidate)):
                        continue
                    if equal(cells[a].value, candidate.value) is not alike:
                        continue
                    merged_cell = self._merged_pair(cells[a], candidate, alike)
                    if merged_cell is not None:
                        cells[min(a, b)] = merged_cell
                        del cells[max(a, b)]
                        a = -1
                        break
                a += 1
        return CellTable(self.world, cells)

    def _as_two_points(self, cell: GuardedCell) -> list[GuardedCell]:
        """A cell in which some form has exactly two possible values, as two cells, which may merge with other cells."""
        if isinstance(cell.value, fmpq):
            return [cell]
        world = self.world
        for atom, interval in list(cell.guard.items()):
            if atom[0] != "form" or interval[0] == interval[1]:
                continue
            low, high = interval
            if low is None and high is not None and not self._may_be_in(cell, atom, (None, high - 2)):
                low = high - 1
            if high is None and low is not None and not self._may_be_in(cell, atom, (low + 2, None)):
                high = low + 1
            if low is not None and high is not None and high - low == 1:
                guards = (world.met(cell.guard, {atom: (pair, pair)}) for pair in (low, high))
                return [GuardedCell(g, world.tidy(g, cell.value)) for g in guards if g is not None]
        return [cell]

    def _may_be_in(self, cell: GuardedCell, atom: LinearAtom, held: Bounds) -> bool:
        """Whether the form `atom` may have a value in the interval `held` in a cell."""
        return self.world.possible(cell.guard, *self.world.rows(atom, held)[0])

    def _merged_pair(self, a: GuardedCell, b: GuardedCell, same_value: bool) -> GuardedCell | None:
        """One cell that equals both; None if that is not possible. With `same_value`, both have the same value.
        Otherwise b must be at a single value of a form, where the value of a equals that of b."""
        # 1. The guards may differ in one atom. `differing` has the atoms of both with different values, `one_sided` the
        # atoms of one guard only.
        differing = [x for x, allowed in a.guard.items() if x in b.guard and b.guard[x] != allowed]
        if len(differing) > 1:
            return None
        one_sided = [*(x for x in a.guard if x not in b.guard), *(x for x in b.guard if x not in a.guard)]
        if not differing and not one_sided:
            return None
        value = a.value
        if not same_value:
            # 2. b must fix one form that a does not fix, and the value of a must equal that of b there, without a pole.
            fixed = [x for x in b.guard if x in differing or x in one_sided]
            if not (len(fixed) == 1 and fixed[0][0] == "form" and len({*b.guard[fixed[0]]}) == 1):
                return None
            if (interval := a.guard.get(fixed[0])) is None or interval[0] == interval[1]:
                return None
            try:
                if not equal(self.world.tidy(b.guard, a.value), b.value):
                    return None
            except NoRule:  # the value of a has a pole there
                return None
            if not self.world.sign.defined(a.value, b.guard):  # it may have a pole
                return None
        first, second = dict(a.guard), dict(b.guard)
        # 3. For an atom of one guard only, either the other guard implies it (then it is added there), or this is the
        # one atom in which the guards differ (the other one allows all of its values).
        for atom in one_sided:
            has, lacks = (first, second) if atom in first else (second, first)
            interval = has[atom] = self.world.loosened(has, atom)
            if self.world.implied(lacks, atom, interval):
                lacks[atom] = interval
            elif differing:
                return None
            else:
                differing, lacks[atom] = [atom], self.world.domain(atom)
        # 4. The guards are equivalent: keep the shorter one.
        if not differing:
            return GuardedCell(a.guard, value) if len(a.guard) <= len(b.guard) else GuardedCell(b.guard, value)
        # 5. They differ in one atom: take the union of its values. A gap between two intervals must be impossible.
        atom = differing[0]
        guard = {x: allowed for x, allowed in first.items() if x != atom}
        joined_values, gap = union(atom, first[atom], second[atom])
        if gap is not None and self.world.met(guard, {atom: gap}) is not None:
            return None
        if joined_values != self.world.domain(atom) and not self.world.implied(guard, atom, joined_values):
            guard[atom] = joined_values
        elif atom[0] == "letter" and isinstance(atom[1], int) and atom not in one_sided:
            # All tokens at a fixed position: what remains is that the position exists.
            exists = form_atom({N: Fraction(1)})[0], (atom[1] - self.world.start + 1, None)
            if not self.world.implied(guard, *exists):
                if exists[0] in guard:
                    return None
                guard[exists[0]] = exists[1]
        # 6. Remove the atoms added in step 3 that the other atoms imply.
        for x in [x for x in guard if x in one_sided]:
            others = {y: allowed for y, allowed in guard.items() if y != x}
            if self.world.implied(others, x, guard[x]):
                guard = others
        return GuardedCell(KeptGuard(guard), value)

    def __repr__(self) -> str:
        return "; ".join(f"{dict(c.guard)}: {c.value}" for c in self.cells)


def _at_single_point(cell: GuardedCell) -> bool:
    """Whether the guard of a cell fixes the number of a form."""
    return any(atom[0] == "form" and allowed[0] == allowed[1] for atom, allowed in cell.guard.items())


def moved_sums(world: World, value: Value, name: FormName, place: Affine) -> dict[FormName, Value]:
    """Name of each sum in `value` that depends on the position `name` -> the same sum with `place` as this position."""
    return {
        s: moved_sum(world, s, name, place)
        for s in sorted(world.names_in(value) & set(world.sums))
        if world.depends(s, name)
    }


def moved_sum(world: World, one: FormName, name: FormName, place: Affine) -> Value:
    """The sum called `one` with `place` instead of the position `name`."""
    named_sum, cells = world.sums[one], world.sums[one].cells
    if name != J:
        if J in place[0] and any(stands_at(v, name) for v in world.names_inside(one)):
            raise NoRule("a sum over positions within another sum over positions")
        cells = CellTable(world, cells).at(name, place).cells
    ends = []
    for terms, c in (named_sum.low, named_sum.high):
        factor = terms.get(name, Fraction(0))
        moved = {v: x for v, x in terms.items() if v != name}
        for v, x in place[0].items():
            moved[v] = moved.get(v, Fraction(0)) + factor * x
        ends.append((moved, c + factor * place[1]))
    return world.sum(NamedSum(cells, ends[0], ends[1], named_sum.kept))


def equal(a: Value, b: Value) -> bool:
    """Whether two values have equal quotients (values of different quotients may still be equal)."""
    return type(a) is type(b) and a == b


def union(atom: LinearAtom, a: Any, b: Any) -> tuple[Any, Bounds | None]:
    """(union of two values of an atom, None); for intervals (hull of both, gap between them or None)."""
    if atom[0] != "form":
        return a | b, None
    (low, high), (second_low, second_high) = sorted((a, b), key=lambda x: (x[0] is not None, x[0] or 0))
    hull = low, None if high is None or second_high is None else max(high, second_high)
    return hull, (
        high + 1,
        second_low - 1,
    ) if high is not None and second_low is not None and second_low > high + 1 else None


def moved_names(world: World, value: Value, name: FormName, place: Affine) -> dict[FormName, Value]:
    """Name -> its replacement, for the names in `value` that depend on the position `name`, if that becomes `place`."""
    used = world.names_in(value)
    new = {v: world.linear(*form) for v, form in replaced(world, name, place).items() if v in used}
    if world.sums:
        new |= moved_sums(world, value, name, place)
    new |= {v: world.name(w) for v, w in world.moved_choices(used, name, place).items()}
    return new | world.moved_inputs(used, name, place)


def replaced(world: World, name: FormName, place: Affine) -> dict[FormName, Affine]:
    """Name -> its replacement, for the position `name` and the counts up to it, if the position becomes `place`. Counts
    are missing if the counts up to `place` have no names."""
    terms, constant = place
    counted = world.letters[:-1]
    # At the end: the counts of the whole string. At i or j: the counts up to it. At the first position, if the model
    # adds a token there: 0.
    if place == world.end:
        counts: dict[str, Affine] = {a: ({count(a): Fraction(1)}, Fraction(0)) for a in counted}
    elif len(terms) == 1 and constant == 0 and _counted_to(position := next(iter(terms))):
        counts = {a: ({count(a, position): Fraction(1)}, Fraction(0)) for a in counted}
    elif not terms and constant == world.start and world.before is not None:
        counts = dict.fromkeys(counted, ({}, Fraction(0)))
    else:
        counts = {}
    return {name: place, **{count(a, name): form for a, form in counts.items()}}


def _counted_to(name: FormName) -> bool:
    """Whether the counts up to a name have names: up to a generic position, and up to a chosen one."""
    return name.kind in (POSITION, KEY, CHOSEN)


def moved_place(world: World, at: Affine, name: FormName, place: Affine) -> Affine:
    """The place `at`, with the linear form `place` in place of the position `name`. NoRule where that is no place."""
    value = world.put(world.linear(*at), moved_names(world, world.linear(*at), name, place))
    form = linear_form(world.field, value)
    return present(form)


def moved_choice(world: World, one: FormName, name: FormName, place: Affine) -> FormName:
    """The chosen position that `one` becomes, with the linear form `place` in place of the position `name`."""
    choice, guards = world.choices[one], list[Guard]()
    for guard in choice.guards:
        moved = moved_guard(world, guard, name, place)
        if moved is not None:
            guards.append(moved)
    low, high = (moved_place(world, end, name, place) for end in (choice.low, choice.high))
    return world.chosen(PositionChoice(tuple(guards), choice.key, low, high, choice.last))


def substituted(terms: Mapping[FormName, int], new: Mapping[FormName, Affine]) -> Affine:
    """A linear form with the forms `new` in place of some names."""
    out, constant = dict[FormName, Fraction | int](), Fraction(0)
    for v, c in terms.items():
        inner, added = new.get(v, ({v: 1}, 0))
        constant += c * added
        for w, d in inner.items():
            out[w] = out.get(w, 0) + c * d
    return {v: Fraction(c) for v, c in out.items() if c}, constant


def moved_guard(world: World, guard: Guard, name: FormName, place: Affine) -> Guard | None:
    """A guard with the linear form `place` in place of the position `name`; None if it then cannot hold."""
    out: Guard = {}
    for atom, allowed in guard.items():
        try:
            new = moved_atom(world, atom, allowed, name, place)
        except NoRule:
            if not world.possible(out):
                return None
            raise
        merged = None if new is None else world.joined(out, new)
        if merged is None:
            return None
        out = merged
    return out if world.possible(out) else None


def moved_atom(world: World, atom: LinearAtom, held: Any, name: FormName, place: Affine) -> Guard | None:
    """The condition that `atom` has one of the values `held`, with the linear form `place` in place of the position
    `name`, as a guard; None if it then cannot hold."""
    at: Any = atom[1]
    if atom[0] == "letter" and isinstance(at, FormName) and stands_at(at, name):
        return _letter_at(world, held, moved_place(world, place_of(at), name, place))
    if atom[0] == "mod" and (at == name or (at.kind == CHOSEN and stands_at(at, name))):
        return _residue_at(world, atom[2], held, moved_place(world, ({at: Fraction(1)}, Fraction(0)), name, place))
    if atom[0] == "sign" and any(stands_at(v, name) for v, _ in atom[1]):
        # The sign of a form with input numbers, which are now read at the new place, as are the position and counts.
        unmoved = world.linear(dict(atom[1]), atom[2])
        moved = moved_names(world, unmoved, name, place)
        if any(stands_at(v, name) and v not in moved for v, _ in atom[1]):
            raise NoRule("a count at another position")
        value = world.put(unmoved, moved)
        form = linear_form(world.field, value)
        form = present(form)
        new_atom, sign = sign_atom(*form)
        return {new_atom: frozenset(sign * s for s in held)}
    if atom[0] == "some" and world.depends(atom[1], name):
        # Whether a sum is zero: the moved sum has another name, or is 0 itself.
        moved = moved_sum(world, atom[1], name, place)
        moved_name = next(iter(world.names_in(moved)), None)
        return {("some", moved_name): held} if moved_name else {} if False in held else None
    if atom[0] == "form" and any(stands_at(v, name) for v, _ in atom[1]):
        # An interval of a linear form.
        terms = dict(atom[1])
        new = replaced(world, name, place)
        for v, value in world.moved_inputs(terms, name, place).items():
            form = linear_form(world.field, value)
            form = present(form)
            new[v] = form
        new |= {v: ({w: Fraction(1)}, Fraction(0)) for v, w in world.moved_choices(terms, name, place).items()}
        form = substituted(terms, new)
        if any(v.kind == PREFIX and v.at == name for v in form[0]):
            raise NoRule("a count at another position")
        return within(form, held)
    return {atom: held}


def within(form: Affine, held: Bounds) -> Guard | None:
    """The guard that a linear form is in the integer interval `held`; None if that is impossible."""
    terms, c = form
    low, high = held
    if not terms:
        return {} if (low is None or c >= low) and (high is None or c <= high) else None
    atom, factor = form_atom(terms)
    ends = [None if x is None else (x - c) / factor for x in ((low, high) if factor > 0 else (high, low))]
    return {atom: (None if ends[0] is None else ceil(ends[0]), None if ends[1] is None else floor(ends[1]))}


def _letter_at(world: World, held: frozenset[str], place: Affine) -> Guard | None:
    """The guard that the token at `place` is in `held`; None if that is impossible. NoRule where the token at such a
    place has no atom."""
    terms, constant = place
    if held == world.domain(("letter", I)):
        return {}
    # All input symbols, or only the token added before the input: a condition on the place alone.
    if world.after is None and held == frozenset(world.letters):
        return within((terms, constant), (world.start + 1, None))
    if world.after is None and held == frozenset((world.before,)):
        return within((terms, constant), (world.start, world.start))
    # Otherwise the place must be a whole number.
    if any(not world.whole(v) or c.denominator != 1 for v, c in terms.items()) or Fraction(constant).denominator != 1:
        raise NoRule("the symbol at a place that is no whole number")
    if place == world.end:
        if world.after is not None:
            return {} if world.after in held else None
        return {("letter", N): held}
    atom = ("letter", place_name(place) if terms else int(constant))
    all_tokens = world.domain(atom)
    choice = world.choices.get(atom[1]) if isinstance(atom[1], FormName) else None
    if choice is not None:  # it is chosen among the places of some tokens
        all_tokens &= frozenset().union(*(guard.get(("letter", choice.key), all_tokens) for guard in choice.guards))
    possible_tokens = held & all_tokens
    if not possible_tokens:
        return None
    guard: Guard = {} if possible_tokens == all_tokens else {atom: possible_tokens}
    named = atom[1]
    apart = isinstance(named, FormName) and named.kind in (PLACE, CHOSEN)
    return _beside_added(world, guard, possible_tokens, place) if apart else guard


def _beside_added(world: World, guard: Guard, tokens: frozenset[str], place: Affine) -> Guard | None:
    """A guard on the token at a place, with what it says of the place: an added token stands at its end of the string,
    and no other token does. Else two guards, on the token and on the place, could speak of one string."""
    start = world.start
    ends = ((world.before, place, start, (start + 1, None)), (world.after, minus(place, world.end), 0, (None, -1)))
    for token, form, there, elsewhere in ends:
        if token is None or (token in tokens and len(tokens) > 1):
            continue
        said = within(form, (there, there) if token in tokens else elsewhere)
        joined = None if said is None else world.joined(guard, said)
        if joined is None:
            return None
        guard = joined
    return guard


def _residue_at(world: World, m: int, held: frozenset[int], place: Affine) -> Guard | None:
    """The guard that the residue of `place` modulo m is in `held`, as a condition on the only name whose coefficient is
    not a multiple of m; None if that is impossible. NoRule for any other place that is not a number."""
    terms, constant = place
    if not terms:
        return {} if int(constant) % m in held else None
    if any(c.denominator != 1 for c in terms.values()):
        raise NoRule("a residue of a fraction")
    nonzero_terms = {v: int(c) % m for v, c in terms.items() if int(c) % m}
    if len(nonzero_terms) != 1:
        raise NoRule("a residue of a sum")
    ((v, c),) = nonzero_terms.items()
    fits = frozenset(r for r in range(m) if (c * r + int(constant)) % m in held)
    return {("mod", v, m): fits} if fits else None
