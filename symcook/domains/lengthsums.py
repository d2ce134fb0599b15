"""Sums of tables over positions, by rules for a single position, counts of tokens, and powers of the position.

The sum of a table in j over low <= j <= high is again a table, whose guards distinguish which ends apply. Each cell is
summed by one of three rules: its guard leaves a single position (`single`); its value does not depend on j, and the sum
counts tokens (`upto`); or its value is a polynomial in j, perhaps for some residues of j, and Faulhaber's formula
applies (`series`). The sum of cells without a rule gets a name, and its body and limits are stored (`named`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any

import sympy
from flint import fmpq

from symcook.domains.field import ONE, ZERO, Value, function_of
from symcook.domains.linear import Guard, KeptGuard, NoRule, minus
from symcook.domains.names import Affine, FormName, I, J, N, count, letter_of, stands_at
from symcook.domains.tables import CellTable, moved_guard, moved_names, within
from symcook.domains.world import GuardedCell, NamedSum, World
from symcook.present import present

MOST_PLACES = 4
"""A position with a fixed number may be at most this far after the first one: each has its own case."""


class PositionSums:
    """The sums of the tables of one world."""

    def __init__(self, world: World) -> None:
        self.world = world

    def total(self, table: CellTable, low: Affine, high: Affine) -> CellTable:
        """The sum of a table in j over low <= j <= high."""
        out, unsummed = CellTable.of(self.world, ZERO), []
        for cell in table.cells:
            if isinstance(cell.value, fmpq) and cell.value == 0:
                continue
            if any(self.world.depends(s, J) for s in self.world.names_in(cell.value) & set(self.world.sums)):
                raise NoRule("a sum over sums without a rule")
            try:
                out = out + self.part(cell, low, high)
            except NoRule:
                unsummed.append(cell)
        return out + self.named(unsummed, low, high) if unsummed else out

    def named(self, cells: list[GuardedCell], low: Affine, high: Affine) -> CellTable:
        """The sum of cells without a rule: a table whose values are names of sums, with one for each region."""
        world = self.world
        # Split each guard: its atoms about j stay inside the sum; the other ones divide all cases into regions.
        outer = [{a: h for a, h in c.guard.items() if not about(world, a, J)} for c in cells]
        inner = [GuardedCell({a: h for a, h in c.guard.items() if about(world, a, J)}, c.value) for c in cells]
        regions: list[Guard] = [{}]
        for guard in outer:
            parts = [guard, *(c.guard for c in self.outside(guard))] if guard else [{}]
            regions = [common for r in regions for g in parts if (common := world.met(r, g)) is not None]
        # In each region, the cells whose outer guard holds there form one named sum.
        out = []
        for region in regions:
            region_cells = [c for c, guard in zip(inner, outer, strict=True) if world.met(region, guard) is not None]
            # A value that exists in the region alone keeps it as a condition, so that the sum has a value everywhere.
            for k, (guard, value) in enumerate(region_cells):
                if not world.sign.defined(value, guard):
                    region_cells[k] = GuardedCell(present(world.joined(region, guard)), value)
            nonnegative = all(-1 not in world.signs(c.value, {**region, **c.guard}) for c in region_cells)
            value = world.sum(NamedSum(tuple(region_cells), low, high, nonnegative)) if region_cells else ZERO
            out.append(GuardedCell(region, value))
        return CellTable(world, out).merged()

    def part(self, cell: GuardedCell, low: Affine, high: Affine) -> CellTable:
        """The sum over one cell. The atoms of its guard about j become ends, tokens and residues of the range of j."""
        world = self.world
        # 1. Sort the atoms: tokens at j, residues of j, bounds of j (`lows`, `highs`), and `outer` ones that are not
        # about j.
        lows, highs, outer = [low], [high], {}
        letters: frozenset[str] | None = None
        residues: tuple[int, frozenset[int]] | None = None
        place: Affine | None = None
        for atom, allowed in cell.guard.items():
            if atom == ("letter", J):
                letters = allowed
            elif atom[:2] == ("mod", J):
                if residues is not None:
                    raise NoRule("a sum over two residues")
                residues = atom[2], allowed
            elif about(world, atom, J):
                form = dict(atom[1]) if atom[0] == "form" else {}
                if abs(form.get(J, 0)) != 1 or any(v != J and stands_at(v, J) for v in form):
                    raise NoRule("a sum over counts up to j")
                # low <= c*j + form <= high with c = 1 or -1 gives bounds of j; for c = -1 they change sides.
                c = form[J]
                end_form = {v: Fraction(-x * c) for v, x in form.items() if v != J}
                ends = [
                    None if x is None else (end_form, Fraction(x * c)) for x in (allowed if c == 1 else allowed[::-1])
                ]
                if ends[0] is not None and ends[0] == ends[1]:
                    place = ends[0]
                lows += [ends[0]] if ends[0] is not None else []
                highs += [ends[1]] if ends[1] is not None else []
            else:
                outer[atom] = allowed
        # 2. The guard fixes j by an equation, or by a token that the model adds at one end.
        if letters is not None and letters == frozenset((world.before,)):
            place = {}, Fraction(world.start)
        if letters is not None and letters == frozenset((world.after,)):
            place = world.end
        if place is not None:
            return self.single(cell, place, lows, highs)
        if any(v != J and stands_at(v, J) for v in world.names_in(cell.value)):
            raise NoRule("a sum over counts up to j")
        # 3. Otherwise one case for each lower and each upper end that may apply; the sum over an empty range is 0.
        out = []
        for guard, first in self.extreme(lows, outer, 1):
            for inner, last in self.extreme(highs, guard, -1):
                # last - first + 2 is positive iff last >= first - 1:
                # an empty range of length 0 needs no case of its own.
                for sign, g in world.sign.split(world.linear(*minus(last, first)) + fmpq(2), inner):
                    if sign > 0:
                        ranged_sum = self.ranged(cell.value, letters, residues, first, last)
                        out += ranged_sum.under(g).cells
                    else:
                        out.append(GuardedCell(g, ZERO))
        return CellTable(world, [*out, *self.outside(outer)]).merged()

    def outside(self, guard: Guard) -> list[GuardedCell]:
        """Cells with the value 0 that cover all cases outside a guard: for each k those in which the first k - 1 atoms
        hold and the k-th fails (two for an interval with two ends, none where that is impossible)."""
        out, inside, atoms = list[GuardedCell](), KeptGuard({}), list(guard.items())
        fixed_positions = [a[1] for a in guard if a[0] == "letter" and isinstance(a[1], int)]
        if fixed_positions:  # a token at a fixed position also requires that the position exists
            atoms.insert(0, (("form", ((N, 1),)), (max(fixed_positions) + 1 - self.world.start, None)))
        for atom, allowed in atoms:
            for values in self.world.complement(atom, allowed):
                common = self.world.met(inside, {atom: values})
                if common is not None:
                    out.append(GuardedCell(common, ZERO))
            further = self.world.met(inside, {atom: allowed})
            if further is None:
                break
            inside = further
        return out

    def single(self, cell: GuardedCell, place: Affine, lows: list[Affine], highs: list[Affine]) -> CellTable:
        """The term of a cell at j = `place`, if the place lies between all ends; 0 elsewhere."""
        world = self.world
        guard = moved_guard(world, cell.guard, J, place)
        for end, sign in [*((x, 1) for x in lows), *((x, -1) for x in highs)]:
            if guard is not None:
                terms, c = minus(place, end)
                inside = within(({v: sign * x for v, x in terms.items()}, sign * c), (0, None))
                guard = None if inside is None else world.met(guard, inside)
        if guard is None:
            return CellTable.of(world, ZERO)
        # Atoms that the others imply are dropped: `outside` makes a cell for each.
        for atom in list(guard):
            others = {a: h for a, h in guard.items() if a != atom}
            if world.implied(others, atom, guard[atom]):
                guard = others
        value = world.put(cell.value, moved_names(world, cell.value, J, place))
        if any(stands_at(v, J) for v in world.names_in(value)):
            raise NoRule("a count up to a position that is a count")
        return CellTable(world, [GuardedCell(guard, world.tidy(guard, value)), *self.outside(guard)]).merged()

    def extreme(self, ends: list[Affine], guard: Guard, sign: int) -> list[tuple[Guard, Affine]]:
        """The largest of several lower ends (sign 1), or the smallest of several upper ends (-1): (guard, end) for each
        case."""
        cases: list[tuple[Guard, Affine]] = [(guard, ends[0])]
        for end in ends[1:]:
            refined = []
            for g, best in cases:
                terms, c = minus(end, best)
                for s, part in self.world.sign.split(self.world.linear(terms, c) * fmpq(sign), g):
                    refined.append((part, end if s > 0 else best))
            cases = refined
        return cases

    def ranged(
        self,
        value: Value,
        letters: frozenset[str] | None,
        residues: tuple[int, frozenset[int]] | None,
        first: Affine,
        last: Affine,
    ) -> CellTable:
        """The sum of `value` over first <= j <= last, where last >= first - 1 (equality: an empty range).

        `letters` restricts j to positions with these tokens, `residues` (modulus, residues) to these residues; None: no
        restriction.
        """
        world = self.world
        if letters is not None:
            # The value times a difference of two counts.
            if residues is not None or J in world.names_in(value):
                raise NoRule("a sum over positions of symbols")
            before_range = self.upto(letters, (first[0], first[1] - 1))
            in_range = self.upto(letters, last) + before_range.map(lambda number: -number)
            return in_range.map(lambda number: number * value)
        coefficients = self.powers(value)
        # No restriction: j = first + t for t = 0, ..., last - first.
        if residues is None:
            return CellTable.of(
                world, self.series(coefficients, world.linear(*first), fmpq(1), world.linear(*minus(last, first)))
            )
        # A case for the residues r of `first` and s of `last`. For each allowed residue, `begin` and `end` are the
        # first and last position of the range with it.
        m, residues_allowed = residues
        out: list[GuardedCell] = []
        for guard, r in self.residue(first, m, {}):
            for inner, s in self.residue(last, m, guard):
                total: Value = ZERO
                for residue in residues_allowed:
                    begin = (first[0], first[1] + (residue - r) % m)
                    end = (last[0], last[1] - (s - residue) % m)
                    steps = world.linear(*minus(end, begin)) * fmpq(1, m)
                    total = total + self.series(coefficients, world.linear(*begin), fmpq(m), steps)
                out.append(GuardedCell(inner, world.tidy(inner, total)))
        return CellTable(world, out).merged()

    def residue(self, place: Affine, m: int, guard: Guard) -> list[tuple[Guard, int]]:
        """The residue of a place modulo m: (guard, residue) for each case of the residues of its names. The
        coefficients and the constant of the place must be integers."""
        terms, constant = place
        cases: list[tuple[Guard, int]] = [(guard, int(constant))]
        for v, c in terms.items():
            if int(c) % m:
                cases = [
                    (common, total + int(c) * r)
                    for g, total in cases
                    for r in range(m)
                    if (common := self.world.met(g, {("mod", v, m): frozenset((r,))})) is not None
                ]
        return [(g, total % m) for g, total in cases]

    def powers(self, value: Value) -> dict[int, Value]:
        """A value as a polynomial in j: power of j -> coefficient. NoRule if it is not one."""
        world = self.world
        if J not in world.names_in(value):
            return {0: value}
        world.name(J)
        value = function_of(value)
        world.field.lift(value)
        index = world.field._index["symbol", letter_of(J)]
        coefficients: dict[int, Any] = {}
        for monomial, c in value.num.terms():
            without_j = (*monomial[:index], 0, *monomial[index + 1 :])
            coefficients.setdefault(int(monomial[index]), {})[without_j] = c
        denominator = world.field.quotient(value.den, world.field.one)
        # j must occur nowhere else: not in the denominator, nor inside an exponential or a root.
        out = {
            d: world.field.quotient(world.field.ctx.from_dict(part), world.field.one) / denominator
            for d, part in coefficients.items()
        }
        if any(J in world.names_in(x) for x in (denominator, *out.values())):
            raise NoRule("a sum of quotients or powers in j")
        return out

    def series(self, coefficients: Mapping[int, Value], first: Value, step: Value, steps: Value) -> Value:
        """The sum of c_d (first + step t)^d over all d and t = 0, .., steps, with the coefficients c_d."""
        out: Value = ZERO
        for d, c in coefficients.items():
            for e in range(d + 1):
                binomial = fmpq(comb(d, e))
                out = out + c * binomial * first ** (d - e) * step**e * _power_sum(e, steps)
        return out

    def upto(self, letters: frozenset[str], place: Affine) -> CellTable:
        """The number of positions up to a place that have one of these tokens. The place must be a number near the
        first position, the end, i or i - 1; else NoRule."""
        world = self.world
        terms, constant = place
        input_symbols = [t for t in world.letters if t in letters]
        start = world.start
        if not terms:
            # A place with a fixed number: add up the positions one by one.
            if constant - start > MOST_PLACES:
                raise NoRule(f"a symbol more than {MOST_PLACES} positions after the first one")
            out = CellTable.of(world, ZERO)
            for p in range(start, int(constant) + 1):
                atom = ("letter", p)
                common_letters, all_letters = letters & world.domain(atom), world.domain(atom)
                if common_letters == all_letters:
                    out = out + CellTable.of(world, ONE)
                elif common_letters:
                    out = out + CellTable.cases(
                        world, atom, [(common_letters, ONE), (all_letters - common_letters, ZERO)]
                    )
            return out
        if place == world.end:
            # The end of the string: the counts of the tokens, and the number of input symbols.
            counts, all_symbols = [count(a) for a in world.letters[:-1]], world.linear({N: 1}, -world.added)
            added = sum(t in letters for t in (world.before, world.after) if t is not None)
        elif terms == {I: Fraction(1)} and constant == 0 and world.after is None:
            # Position i: the counts up to i, and the number of input symbols up to i.
            counts = [count(a, I) for a in world.letters[:-1]]
            all_symbols = world.linear({I: 1}, 1 - start - (world.before is not None))
            added = int(world.before is not None and world.before in letters)
        elif terms == {I: Fraction(1)} and constant == -1:
            # Position i - 1: the count up to i without the token at i.
            atom = ("letter", I)
            all_letters = world.domain(atom)
            minus_at_i = CellTable.cases(world, atom, [(letters, fmpq(-1)), (all_letters - letters, ZERO)])
            return self.upto(letters, (terms, Fraction(0))) + minus_at_i
        else:
            raise NoRule("symbols up to a position that is a count")
        # The last symbol has no count of its own: its count is the number of all input symbols minus the other counts.
        total: Value = fmpq(added)
        for name, letter in zip(counts, world.letters, strict=False):
            if letter in input_symbols:
                total = total + world.name(name)
        if world.letters[-1] in input_symbols:
            total = total + all_symbols
            for name in counts:
                total = total - world.name(name)
        return CellTable.of(world, total)


def about(world: World, atom: Any, name: FormName) -> bool:
    """Whether an atom contains the position `name` (i or j), a count up to it, an input number at it, or a sum that
    depends on it."""
    if atom[0] == "some":
        return world.depends(atom[1], name)
    if atom[0] in ("form", "sign"):
        return any(stands_at(v, name) for v, _ in atom[1])
    return isinstance(atom[1], FormName) and stands_at(atom[1], name)


@lru_cache(maxsize=64)
def _faulhaber(d: int) -> tuple[fmpq, ...]:
    """The coefficients of the sum of t^d over t = 0, .., x as a polynomial in x."""
    x = sympy.Symbol("x")
    points = [(t, sum(k**d for k in range(t + 1))) for t in range(d + 2)]
    polynomial = sympy.Poly(sympy.interpolate(points, x), x)
    return tuple(fmpq(int(c.p), int(c.q)) for c in reversed(polynomial.all_coeffs()))


def _power_sum(d: int, steps: Value) -> Value:
    """The sum of t^d over t = 0, .., steps, by Faulhaber's formula."""
    out: Value = ZERO
    for k, c in enumerate(_faulhaber(d)):
        out = out + c * steps**k if k else out + c
    return out
