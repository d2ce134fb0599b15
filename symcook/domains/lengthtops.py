"""The position of a head's maximum score, by cases: an end, a parabola's vertex, or a first or last position of a
residue.

From the scores of a head, as a table in j, and the range that a row sees, this module computes guards, each with the
position of the maximum as a linear form. It is a part of `symcook.domains.lengths`. Its results need not be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import fmpq

from symcook.domains.field import ONE, ZERO, Value
from symcook.domains.lengthsums import PositionSums, about
from symcook.domains.linear import Guard, NoRule, linear_form, minus
from symcook.domains.names import INPUT, Affine, J
from symcook.domains.tables import CellTable
from symcook.domains.world import GuardedCell, World


class GreatestScores:
    """The positions of maximum scores in one world (`World`)."""

    def __init__(self, world: World, sums: PositionSums) -> None:
        self.world, self.sums = world, sums
        self.first: Affine = ({}, Fraction(world.start))

    def greatest(
        self, score: CellTable | None, weighting: str, low: Affine, high: Affine
    ) -> Iterator[tuple[Guard, Affine | None]]:
        """(guard, position of the maximum score in low..high) for each case; the position is None if the range is
        empty."""
        world, zero = self.world, CellTable.of(self.world, ZERO)
        for inside, guard in self.cut(minus(high, low), {}):
            if not inside:
                yield guard, None
                continue
            cells = [
                GuardedCell(case, c.value)
                for c in (score or zero).cells
                if (case := world.met(guard, c.guard)) is not None
            ]
            if len(cells) == 1 and J in world.names_in(cells[0].value):
                yield from self.top(cells[0].value, weighting, low, high, guard)
            else:
                yield from self.by_residue(cells, weighting, low, high, guard)

    def top(
        self, score: Value, weighting: str, low: Affine, high: Affine, seen: Guard
    ) -> Iterator[tuple[Guard, Affine]]:
        """The position of the maximum of one score in j: of a linear score an end; of a concave quadratic score its
        vertex, or the end that is nearest to it. NoRule for any other score, and where the vertex may be no integer."""
        world, coefficients = self.world, self.sums.powers(score)
        if any(world.moves(v, J) for coefficient in coefficients.values() for v in world.names_in(coefficient)):
            raise NoRule("a maximum of scores that depend on the position by more than its powers")
        lead, slope = coefficients.get(2, ZERO), coefficients.get(1, ZERO)
        if set(coefficients) <= {0, 1} and (slope_signs := world.signs(slope, seen)) in ({1}, {-1}):
            yield seen, high if slope_signs == {1} else low
            return
        if set(coefficients) - {0, 1, 2} or world.signs(lead, seen) != {-1}:
            raise NoRule(f"a rule for {weighting} attention with scores that are no quadratic form with a maximum")
        # The vertex is -slope/(2 lead). If it is an input number, the result assumes that this number is a position:
        # the assumption is recorded in `pointing`.
        peak = linear_form(world.field, -slope / (lead * fmpq(2)))
        whole_range = (low, high) == (self.first, world.end)
        pointer = next(iter(peak[0])) if peak is not None and len(peak[0]) == 1 and not peak[1] else None
        is_input = pointer is not None and pointer.kind == INPUT and not world.whole(pointer)
        if pointer is not None and is_input and peak == ({pointer: 1}, 0) and whole_range:
            world.pointing.append(pointer.of)
            world.forget()  # earlier answers did not use the assumption
        whole = peak is not None and all(world.whole(v) and c.denominator == 1 for v, c in peak[0].items())
        if peak is None or not whole or Fraction(peak[1]).denominator != 1:
            raise NoRule("a maximum of scores at an integer")
        # The vertex, clamped to low..high.
        for at_least_low, from_low in self.cut(minus(peak, low), seen):
            for at_most_high, case in self.cut(minus(high, peak), from_low) if at_least_low else [(True, from_low)]:
                yield case, low if not at_least_low else peak if at_most_high else high

    def cut(self, form: Affine, guard: Guard) -> list[tuple[bool, Guard]]:
        """The guard split by the sign of an integer form: pairs (True, guard and form >= 0) and (False, guard and form
        < 0)."""
        odd_form = self.world.linear(*form) * fmpq(2) + ONE  # never 0, as it is odd
        return [(sign > 0, half) for sign, half in self.world.sign.split(odd_form, guard)]

    def by_residue(
        self, cells: Sequence[GuardedCell], weighting: str, low: Affine, high: Affine, seen: Guard
    ) -> Iterator[tuple[Guard, Affine]]:
        """For scores that depend on j only by its residue, or not at all: the first or last position with a residue of
        maximum score. NoRule for the weighting average.

        There is a case for each residue of the end where the search starts (`high` for rightmost, else `low`)."""
        world, rightmost = self.world, weighting == "rightmost"
        moduli = {a[2] for c in cells for a in c.guard if a[:2] == ("mod", J)}
        on_j = [{atom: values for atom, values in c.guard.items() if about(world, atom, J)} for c in cells]
        if weighting == "average" or len(moduli) > 1 or any(a[:2] != ("mod", J) for guard in on_j for a in guard):
            raise NoRule(f"a rule for {weighting} attention with scores of several kinds")
        if any(world.moves(v, J) for c in cells for v in world.names_in(c.value)):
            raise NoRule(f"a rule for {weighting} attention with scores that are no quadratic form with a maximum")
        modulus = max(moduli, default=1)
        for guard, residue in self.sums.residue(high if rightmost else low, modulus, seen):
            for region in self.regions(guard, cells):
                scores = [
                    (at_j.get(("mod", J, modulus), frozenset(range(modulus))), c.value)
                    for at_j, c in zip(on_j, cells, strict=True)
                    if world.met(region, {a: h for a, h in c.guard.items() if not about(world, a, J)}) is not None
                ]
                yield from self.first_of(self.ranked(scores, region), residue, modulus, rightmost, low, high, region)

    def regions(self, guard: Guard, cells: Sequence[GuardedCell]) -> list[Guard]:
        """The guard split by the atoms of the cells that are not about the position j."""
        regions = [guard]
        for cell in cells:
            outer = {a: h for a, h in cell.guard.items() if not about(self.world, a, J)}
            parts = [outer, *(c.guard for c in self.sums.outside(outer))] if outer else [{}]
            regions = [
                common for region in regions for part in parts if (common := self.world.met(region, part)) is not None
            ]
        return regions

    def ranked(self, scores: Sequence[tuple[frozenset[int], Value]], guard: Guard) -> list[frozenset[int]]:
        """Sets of residues by decreasing score, from pairs (residues, score). Residues with equal scores are in one
        set."""
        out: list[tuple[frozenset[int], Value]] = []
        for residues, score in scores:
            for k, (ranked_residues, ranked_score) in enumerate(out):
                signs = self.world.signs(score - ranked_score, guard)
                if len(signs) != 1:
                    raise NoRule("the order of scores")
                if signs == {0}:
                    out[k] = ranked_residues | residues, ranked_score
                    break
                if signs == {1}:
                    out.insert(k, (residues, score))
                    break
            else:
                out.append((residues, score))
        return [residues for residues, _ in out]

    def first_of(
        self, ranks: Sequence[frozenset[int]], end: int, m: int, last: bool, low: Affine, high: Affine, guard: Guard
    ) -> Iterator[tuple[Guard, Affine]]:
        """The position nearest to an end of low..high with a residue of the best rank that occurs in the range.

        The end is `high` if `last`, else `low`; `end` is its residue modulo m. `ranks` has sets of residues, best
        first; NoRule where the range may have none of them."""
        if not ranks:
            raise NoRule("scores at all positions that are seen")
        direction = -1 if last else 1
        steps = next(d for d in range(m) if (end + direction * d) % m in ranks[0])
        from_end = high if last else low
        place = from_end[0], from_end[1] + direction * steps
        remaining = minus(place, low) if last else minus(high, place)
        for in_range, case in self.cut(remaining, guard):
            if in_range:
                yield case, place
            else:
                yield from self.first_of(ranks[1:], end, m, last, low, high, case)
