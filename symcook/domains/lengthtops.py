"""Where the greatest of a head's scores is, by cases: at the top of a parabola, or at the first or last position of a
residue. With `symcook.domains.lengths`, of which this is a part, nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import fmpq

from symcook.domains.field import ONE, ZERO, Value
from symcook.domains.lengthsums import PositionSums, about
from symcook.domains.linear import Affine, Guard, NoRule, linear_form, minus
from symcook.domains.tables import CellTable
from symcook.domains.world import GuardedCell, World


class GreatestScores:
    """The places of greatest scores in one world."""

    def __init__(self, world: World, sums: PositionSums) -> None:
        self.world, self.sums = world, sums
        self.first: Affine = ({}, Fraction(world.start))

    def greatest(
        self, score: CellTable | None, weighting: str, low: Affine, high: Affine
    ) -> Iterator[tuple[Guard, Affine | None]]:
        """Where the greatest score is, by cases; None where a row sees nothing."""
        world, zero = self.world, CellTable.of(self.world, ZERO)
        for inside, seen in self.cut(minus(high, low), {}):
            if not inside:
                yield seen, None
                continue
            cells = [
                GuardedCell(g, c.value) for c in (score or zero).cells if (g := world.met(seen, c.guard)) is not None
            ]
            if len(cells) == 1 and "j" in world.names_in(cells[0].value):
                yield from self.top(cells[0].value, weighting, low, high, seen)
            else:
                yield from self.by_residue(cells, weighting, low, high, seen)

    def top(
        self, score: Value, weighting: str, low: Affine, high: Affine, seen: Guard
    ) -> Iterator[tuple[Guard, Affine]]:
        """Where a quadratic form has its maximum, or the nearest position that is seen; of a linear one an end."""
        world, coefficients = self.world, self.sums.powers(score)
        lead, slope = coefficients.get(2, ZERO), coefficients.get(1, ZERO)
        if set(coefficients) <= {0, 1} and (way := world.signs(slope, seen)) in ({1}, {-1}):
            yield seen, high if way == {1} else low
            return
        if set(coefficients) - {0, 1, 2} or world.signs(lead, seen) != {-1}:
            raise NoRule(f"a rule for {weighting} attention with scores that are no quadratic form with a maximum")
        place = linear_form(world.field, -slope / (lead * fmpq(2)))
        ends = (low, high) == (self.first, world.end)
        pointer = next(iter(place[0])) if place is not None and len(place[0]) == 1 and not place[1] else None
        if pointer in world.slots and place == ({pointer: 1}, 0) and ends and not world.whole(pointer):
            world.pointing.append(world.slots[pointer][0])  # said with the forms, as what they take for granted
            world.forget()
        if place is None or not all(world.whole(v) and c.denominator == 1 for v, c in place[0].items()):
            raise NoRule("a maximum of scores at an integer")
        for behind, g in self.cut(minus(place, low), seen):
            for before, inner in self.cut(minus(high, place), g) if behind else [(True, g)]:
                yield inner, low if not behind else place if before else high

    def cut(self, form: Affine, guard: Guard) -> list[tuple[bool, Guard]]:
        """The guard in two: where an integer is not negative, and where it is."""
        whole = self.world.linear(*form) * fmpq(2) + ONE
        return [(sign > 0, g) for sign, g in self.world.sign.split(whole, guard)]

    def by_residue(
        self, cells: Sequence[GuardedCell], weighting: str, low: Affine, high: Affine, seen: Guard
    ) -> Iterator[tuple[Guard, Affine]]:
        """The first or last position of the residues whose score is greatest, by the residue of that end."""
        world, last = self.world, weighting == "rightmost"
        moduli = {a[2] for c in cells for a in c.guard if a[:2] == ("mod", "j")}
        inside = [{a: h for a, h in c.guard.items() if about(a, "j")} for c in cells]
        if weighting == "average" or len(moduli) > 1 or any(a[:2] != ("mod", "j") for g in inside for a in g):
            raise NoRule(f"a rule for {weighting} attention with scores of several kinds")
        if any("j" in world.names_in(c.value) for c in cells):
            raise NoRule(f"a rule for {weighting} attention with scores that are no quadratic form with a maximum")
        m = max(moduli, default=1)
        for guard, end in self.sums.residue(high if last else low, m, seen):
            for region in self.regions(guard, cells):
                known = [
                    (held.get(("mod", "j", m), frozenset(range(m))), c.value)
                    for held, c in zip(inside, cells, strict=True)
                    if world.met(region, {a: h for a, h in c.guard.items() if not about(a, "j")}) is not None
                ]
                yield from self.first_of(self.ranked(known, region), end, m, last, low, high, region)

    def regions(self, guard: Guard, cells: Sequence[GuardedCell]) -> list[Guard]:
        """The guard cut up by what cells say beside the position j."""
        found = [guard]
        for cell in cells:
            outer = {a: h for a, h in cell.guard.items() if not about(a, "j")}
            parts = [outer, *(c.guard for c in self.sums.outside(outer))] if outer else [{}]
            found = [met for one in found for part in parts if (met := self.world.met(one, part)) is not None]
        return found

    def ranked(self, known: Sequence[tuple[frozenset[int], Value]], guard: Guard) -> list[frozenset[int]]:
        """The residues by their scores, the greatest first; those of equal scores together."""
        out: list[tuple[frozenset[int], Value]] = []
        for residues, score in known:
            for k, (others, other) in enumerate(out):
                signs = self.world.signs(score - other, guard)
                if len(signs) != 1:
                    raise NoRule("the order of scores")
                if signs == {0}:
                    out[k] = others | residues, other
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
        """The place from an end on that has a residue of the greatest rank which is there."""
        if not ranks:
            raise NoRule("scores at all positions that are seen")
        way = -1 if last else 1
        steps = next(d for d in range(m) if (end + way * d) % m in ranks[0])
        from_end = high if last else low
        place = from_end[0], from_end[1] + way * steps
        left = minus(place, low) if last else minus(high, place)
        for there, g in self.cut(left, guard):
            if there:
                yield g, place
            else:
                yield from self.first_of(ranks[1:], end, m, last, low, high, g)
