"""The position of a head's maximum score, by cases: an end, a parabola's vertex, a given number that is a position, a
first or last position of a residue, or the first or last position with the best score, which gets a name.

From the scores of a head, as a table in j, and the range that a row sees, this module computes guards, each with the
position of the maximum as a linear form. It is a part of `symcook.domains.lengths`. Its results need not be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import fmpq

from symcook.domains.field import ONE, ZERO, Value
from symcook.domains.lengthsums import PositionSums, about
from symcook.domains.linear import Guard, KeptGuard, NoRule, linear_form, minus
from symcook.domains.names import CHOSEN, INPUT, KEY, Affine, FormName, I, J, given, place_of, stands_at
from symcook.domains.tables import CellTable, moved_guard, moved_names, within
from symcook.domains.world import GuardedCell, NamedSum, PositionChoice, World, named_in
from symcook.present import present

KEPT = FormName(KEY, number=1)
"""The variable in the definition of a chosen position."""
OTHER = FormName(KEY, number=2)
"""A second position that a row sees, in comparisons of scores."""
MOST_RANKED = 64
"""Scores with more cells than this are not ranked."""
MOST_SPLITS = 8
"""So many orders of two scores may be split into cases, one inside of the other."""
ScoreRanks = list[list[GuardedCell]]
"""Cells of scores by decreasing score. Cells of one rank have equal scores, or one score that rises or falls with j."""


class Unordered(Exception):
    """Raised where the order of two scores depends on the row or the string; `difference` is that of the scores."""

    def __init__(self, difference: Value) -> None:
        super().__init__()
        self.difference = difference


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
            by_rule = self.top if len(cells) == 1 and J in world.names_in(cells[0].value) else self.by_residue
            try:
                yield from list(by_rule(cells, weighting, low, high, guard))
            except NoRule as missing:
                if (pointer := self.pointer(cells, low, high, guard)) is not None:
                    yield guard, pointer
                else:
                    yield from self.best(cells, weighting, low, high, guard, missing)

    def pointer(self, cells: Sequence[GuardedCell], low: Affine, high: Affine, seen: Guard) -> Affine | None:
        """The given number that is assumed to be a position and whose score is certainly greater than that of every
        other position; None if there is none, or not all positions are seen."""
        world = self.world
        if (low, high) != (self.first, world.end):
            return None
        for name in world.pointing:
            place: Affine = {given(name, ({I: Fraction(1)}, Fraction(0))): Fraction(1)}, Fraction(0)
            greatest = CellTable(world, cells).at(J, place).under(seen).cells
            before, after = self.sides_of(place)
            if greatest and all(
                self.greater(own.value, c.value, common)
                for own in greatest
                for c in cells
                for side in (before, after)
                if (both := world.met(own.guard, c.guard)) is not None and (common := world.met(both, side)) is not None
            ):
                if len(cells) == len(greatest) == 1:
                    self.world.gaps[next(iter(place[0]))] = greatest[0].value - cells[0].value
                return place
        return None

    def sides_of(self, place: Affine) -> tuple[Guard, Guard]:
        """The guards that j is before a place, and behind it."""
        form, shift = minus(({J: Fraction(1)}, Fraction(0)), place)
        return present(within((form, shift), (None, -1))), present(within((form, shift), (1, None)))

    def greater(self, a: Value, b: Value, guard: Guard) -> bool:
        """Whether a is certainly greater than b where a guard holds: their difference is positive, or a and the
        difference of their squares are. The squares have no roots where the numbers are roots of quotients."""
        if self.world.signs(a - b, guard) == {1}:
            return True
        return self.world.signs(a, guard) == {1} and self.world.signs(a * a - b * b, guard) == {1}

    def top(
        self, cells: Sequence[GuardedCell], weighting: str, low: Affine, high: Affine, seen: Guard
    ) -> Iterator[tuple[Guard, Affine]]:
        """The position of the maximum of one score in j: of a linear score an end; of a concave quadratic score its
        vertex, or the end that is nearest to it. NoRule for any other score, and where the vertex may be no integer."""
        world, coefficients = self.world, self.sums.powers(cells[0].value)
        if any(world.moves(v, J) for coefficient in coefficients.values() for v in world.names_in(coefficient)):
            raise NoRule("a maximum of scores that depend on the position by more than its powers")
        lead, slope = coefficients.get(2, ZERO), coefficients.get(1, ZERO)
        if set(coefficients) <= {0, 1} and (slope_signs := world.signs(slope, seen)) in ({1}, {-1}):
            yield seen, high if slope_signs == {1} else low
            return
        if set(coefficients) - {0, 1, 2} or world.signs(lead, seen) != {-1}:
            raise NoRule(f"a rule for {weighting} attention with scores that are not a quadratic form with a maximum")
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
            raise NoRule(f"a rule for {weighting} attention with scores that are not a quadratic form with a maximum")
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

    # --- Ranks of scores ------------------------------------------------------------------------------------------

    def best(
        self, cells: Sequence[GuardedCell], weighting: str, low: Affine, high: Affine, seen: Guard, missing: NoRule
    ) -> Iterator[tuple[Guard, Affine]]:
        """The first or last position with the best score that occurs: a name, by its definition, where no rule gives
        the position. Raises `missing` for the weighting average, unless no two positions have the best score."""
        for guard, rank, everywhere in self.ranked_cases(cells, low, high, seen, missing):
            places = [self.pinned(c.guard) for c in rank]
            if not everywhere and places[0] is not None and all(place == places[0] for place in places):
                yield guard, places[0]
                continue
            directions = {self.direction(c.value, seen) for c in rank}
            direction = directions.pop()
            if directions or (not direction and any(self.moves(c.value) for c in rank)):
                raise missing  # the score neither rises nor falls with the position
            if weighting == "average" and not direction:
                raise missing
            last = direction > 0 if direction else weighting == "rightmost"
            if everywhere:
                yield guard, high if last else low
            else:
                yield guard, ({self.chosen(rank, low, high, last): Fraction(1)}, Fraction(0))

    def chosen(self, rank: Sequence[GuardedCell], low: Affine, high: Affine, last: bool) -> FormName:
        """The name of the first or last position of low..high that is in one of the cells. NoRule where these speak of
        chosen positions themselves: the definition would be too long to read."""
        names = {v for c in rank for atom in c.guard for v in named_in(atom)} | {*low[0], *high[0]}
        if any(v.kind == CHOSEN for name in names for v in (name, *place_of(name)[0])):
            raise NoRule("a position that is chosen by what heads found at chosen positions")
        there: Affine = {KEPT: Fraction(1)}, Fraction(0)
        guards = tuple(guard for c in rank if (guard := moved_guard(self.world, c.guard, J, there)) is not None)
        return self.world.chosen(PositionChoice(guards, KEPT, low, high, last))

    @staticmethod
    def pinned(guard: Guard) -> Affine | None:
        """The place to which a guard fixes j; None if it does not."""
        for atom, held in guard.items():
            form = dict(atom[1]) if atom[0] == "form" else {}
            if abs(c := form.pop(J, 0)) == 1 and held[0] == held[1] and not any(stands_at(v, J) for v in form):
                return {v: Fraction(-x * c) for v, x in form.items()}, Fraction(held[0] * c)
        return None

    def ranked_cases(
        self,
        cells: Sequence[GuardedCell],
        low: Affine,
        high: Affine,
        seen: Guard,
        missing: NoRule,
        splits: int = MOST_SPLITS,
    ) -> Iterator[tuple[Guard, Sequence[GuardedCell], bool]]:
        """(guard, the cells with the best score that occurs, whether all positions are in them) for each case of which
        scores occur."""
        world, rest, cells = self.world, [seen], self.unpinned(cells)
        try:
            ranks = self.ranks(cells, missing)
        except Unordered as error:
            if not splits:
                raise missing from None
            for _, part in world.sign.split(error.difference, seen):
                there = [GuardedCell(g, c.value) for c in cells if (g := world.met(part, c.guard)) is not None]
                yield from self.ranked_cases(there, low, high, part, missing, splits - 1)
            return
        for number, rank in enumerate(ranks, 1):
            if number == len(ranks):
                yield from ((guard, rank, True) for guard in rest)
                return
            # What the case says anyway is left out of the definitions of sums and chosen positions.
            rank = [
                GuardedCell(KeptGuard({a: h for a, h in c.guard.items() if seen.get(a) != h}), c.value) for c in rank
            ]
            counted, absent = self.summed(rank, ONE, low, high), list[Guard]()
            for guard in rest:
                for cell in counted.under(guard).cells:
                    for sign, part in world.sign.split(cell.value, cell.guard):
                        if sign > 0:
                            yield part, rank, False
                        else:
                            absent.append(part)
            rest = absent

    def unpinned(self, cells: Sequence[GuardedCell]) -> list[GuardedCell]:
        """The cells, where one that fixes j has the score of another cell that moves with j, if that is equal there."""
        moving = [c.value for c in cells if self.moves(c.value)]
        out = list[GuardedCell]()
        for cell in cells:
            alike = (v for v in moving if self.pinned(cell.guard) and self.world.tidy(cell.guard, v) == cell.value)
            out.append(GuardedCell(cell.guard, next(alike, cell.value)))
        return out

    def summed(self, rank: Sequence[GuardedCell], value: Value | CellTable, low: Affine, high: Affine) -> CellTable:
        """The sum of a value over the positions of low..high that are in one of the cells: by the rules for sums, else
        one name for all cells."""
        world, out = self.world, CellTable.of(self.world, ZERO)
        values = value if isinstance(value, CellTable) else CellTable.of(world, value)
        cells = [
            GuardedCell(guard, v.value)
            for c in rank
            for v in values.cells
            if v.value != 0 and (guard := world.met(c.guard, v.guard)) is not None
        ]
        try:
            for cell in cells:
                out = out + self.sums.part(cell, low, high)
        except NoRule:
            nonnegative = all(-1 not in world.signs(c.value, c.guard) for c in cells)
            return CellTable.of(world, world.sum(NamedSum(tuple(cells), low, high, nonnegative)))
        return out

    def ranks(self, cells: Sequence[GuardedCell], missing: NoRule) -> ScoreRanks:
        """The cells by decreasing score. Raises `missing` where two scores cannot be compared, and Unordered where
        their order is not the same in all cases."""
        if len(cells) > MOST_RANKED:
            raise missing
        world, there, ranks = self.world, ({OTHER: Fraction(1)}, Fraction(0)), ScoreRanks()
        # Each cell at another position: its guard (None if it cannot hold there) and its score.
        elsewhere = {
            id(c): (moved_guard(world, c.guard, J, there), world.put(c.value, moved_names(world, c.value, J, there)))
            for c in cells
        }
        for cell in cells:
            orders = [
                {self.order(cell, other, *elsewhere[id(other)], missing) for other in rank} - {None} for rank in ranks
            ]
            # Every rank before the place of the cell must be of greater scores, and every one behind it of less.
            behind = max((k + 1 for k, order in enumerate(orders) if -1 in order), default=0)
            equal = [k for k, order in enumerate(orders) if 0 in order]
            place = equal[0] if equal else behind
            before, later = orders[:place], orders[place + 1 if equal else place :]
            if len(equal) > 1 or {0, 1} & set().union(*before) or {0, -1} & set().union(*later):
                raise missing
            if equal and orders[place] != {0}:
                raise missing
            if equal:
                ranks[place].append(cell)
            else:
                ranks.insert(place, [cell])
        return ranks

    def order(self, a: GuardedCell, b: GuardedCell, guard: Guard | None, score: Value, missing: NoRule) -> int | None:
        """The sign of the score of a at one position less that of b at another, where b has this guard and score; None
        if it is not known and they cannot both occur. A score that moves with j has the same rank as itself alone."""
        world = self.world
        common = None if guard is None else world.met(a.guard, guard)
        if common is not None and a.value == b.value and self.moves(a.value):
            if not self.direction(a.value, {}):
                raise missing
            return 0
        difference = a.value - score
        signs = world.signs(difference, {} if common is None else common)
        if len(signs) == 1:
            return next(iter(signs))
        if common is None:
            return None
        raise missing if self.moves(a.value) or self.moves(b.value) else Unordered(difference)

    def moves(self, score: Value) -> bool:
        """Whether a score depends on the position j."""
        return any(self.world.moves(v, J) for v in self.world.names_in(score))

    def direction(self, score: Value, seen: Guard) -> int:
        """1 for a score that rises with the position, -1 for one that falls, 0 for any other one."""
        world, there = self.world, ({OTHER: Fraction(1)}, Fraction(0))
        if not self.moves(score):
            return 0
        later = world.put(score, moved_names(world, score, J, there)) - score
        before = present(within(({J: Fraction(1), OTHER: Fraction(-1)}, Fraction(0)), (None, -1)))
        joined = world.met(seen, before)
        signs = {0} if joined is None else world.signs(later, joined)
        return next(iter(signs)) if len(signs) == 1 else 0
