"""RASP's aggregate and selector_width: the mean over the selected positions, and their number.

Selected positions have the maximum score, so an average-hard head returns their mean. A width is a lookup: a head
computes the share of the positions that are selected, or, if integers must be equal, one over their number (the mean of
a bit that only one of them has). A second head then finds the number. Source: Weiss et al. (2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from symcook.compilers.bits import halved
from symcook.compilers.booleans import BoolNode, variables
from symcook.compilers.numbers import Atom, Form, LinearFactors, add_to
from symcook.compilers.selection import (
    AFTER,
    BEFORE,
    MASK_OF,
    SIDES,
    Equality,
    Selections,
    SelectorCase,
    SelectorCases,
)
from symcook.compilers.values import SEEN, Look, ProgramValue, Truth
from symcook.errors import BadInput
from symcook.programs.srasp import Srasp


class Share(NamedTuple):
    """A lookup of the number of other positions that are selected: the coordinate `share` with their share among all
    positions, the cases of the selector, and `own`, the truth that a position selects itself."""

    share: str
    cases: SelectorCases
    own: Truth


class OneSided(NamedTuple):
    """The number of selected positions strictly on one side (`total`): the cases there, the coordinate `share` with
    their share, and the coordinate `count` with the number that is looked up by the share. Both are "" if there is no
    lookup."""

    side: str
    cases: SelectorCases
    share: str
    count: str
    total: Form


class RangeMean(NamedTuple):
    """A head that computes the mean of the number `value` over positions that a mask allows. `row` is the linear form
    that it averages; `plain`: all scores are 0."""

    mask: str
    value: Form
    row: LinearFactors
    plain: bool


class Aggregates(Selections):
    """The heads of aggregates and widths."""

    def __init__(self, program: Srasp) -> None:
        super().__init__(program)
        self.shares: dict[str, Share] = {}
        """By the coordinate of the count."""
        self.besides: dict[int, list[OneSided]] = {}
        """The one-sided counts of each line of the program."""
        self.means: dict[str, RangeMean] = {}
        """By the coordinate of the mean."""

    def fixed(self, cases: SelectorCases, given: dict[int, bool]) -> SelectorCases:
        """The cases with the values `given` for variables of sides and equalities, whose numbers are negative."""
        return self._cases([(here, self.restrict(there, given)) for here, there in cases])

    # Widths

    def width(self, cases: SelectorCases, shown: str, equal: tuple[int, ...] = ()) -> Form:
        """The number of positions that satisfy the condition C of the cases and the equalities `equal`.

        An equality E of integers in C is split off: the count of C(E) is the count of C(true) with E, plus the count of
        C(false), minus the count of C(false) with E.
        """
        # Variables below BEFORE stand for equalities. Split off one of them.
        variable = min((v for case in cases for v in variables(case.there) if v < BEFORE), default=None)
        if variable is None and equal:  # nothing left to split: all equalities in `equal` must hold
            return self._tied(cases, [self.equalities[AFTER - 2 - v] for v in equal], shown)
        if variable is None:
            return self._all(cases, shown)
        true, false = (self.fixed(cases, {variable: value}) for value in (True, False))
        total = self.width(true, shown, (*equal, variable))
        if any(case.there is not False for case in false):
            total = total.plus(self.width(false, shown, equal)).plus(self.width(false, shown, (*equal, variable)), -1)
        return total

    def _all(self, cases: SelectorCases, shown: str) -> Form:
        """The number of selected positions, for cases without equalities."""
        before, here, after = (self.fixed(cases, SIDES[side]) for side in "<=>")
        own = self.indicator(self._own(here, ()))
        # If both sides select alike, one lookup counts all positions. It counts the position itself by the rule of the
        # sides; replace that by the position's own case.
        if before == after:
            return self._everywhere(before, shown).plus(own).plus(self.indicator(self._own(before, ())), -1)
        return self._beside("left", before, shown).plus(own).plus(self._beside("right", after, shown))

    def _share(self, mask: str, cases: SelectorCases, subtracted: str, shown: str) -> str:
        """A coordinate with the share of selected positions among those that a mask allows, minus a correction:
        `subtracted` is the end of the network's formula, such as " - relu(...)"."""
        units = []
        for here, there in cases:
            if there is False:
                continue
            test = self.hold(self.node(here))
            units.append(f"relu({test})" if there is True else f"relu({test} + {self.mean_of(there, mask)} - 1)")
        return self.network("share", f"share {mask}: {shown}", halved(units) + subtracted)

    def mean_of(self, there: BoolNode, mask: str = "none") -> str:
        """The coordinate with the mean of a truth over the positions that a mask allows."""

        def make() -> str:
            """Add the head."""
            bit = self.hold(there)
            name = self.new("mean", f"mean behind the mask {mask} of {self.meanings[bit]}")
            self.looks.append(Look(None, {name: {bit: Fraction(1)}}, mask))
            return name

        return self.once(("mean", mask, there), make)

    def _everywhere(self, cases: SelectorCases, shown: str) -> Form:
        """The number of selected positions among all, if both sides have the same cases.

        The share of the other positions is k/n with k < n, so k can be looked up."""
        own = self._own(cases, ())
        if all(case.there is False for case in cases):
            return self.number(0)
        if cases[0] == (self.every, True):
            return self.position("last", "both").plus(self.number(1))

        def make() -> Form:
            """Add the share and the lookup; the result is the count of selected positions other than i."""
            less = f" - relu({self.hold(self.node(own))} + {self.place('inverse')} - 1)"
            share = self._share("none", cases, less, shown)
            count = self.new("count", f"how many others: {shown}")
            self.lookup({share: Fraction(2)}, count, "both", unit="inverse")
            self.shares[count] = Share(share, cases, own)
            return self.atom(count, "both")

        return self.once(("everywhere", cases), make).plus(self.indicator(own))

    def _beside(self, side: str, cases: SelectorCases, shown: str) -> Form:
        """The number of selected positions strictly on one side."""
        total = self.number(0)
        # A case that selects all positions of the side, or the only case, is a plain count of its truth. All further
        # cases share one lookup.
        for here, there in cases:
            if there is True or (there is not False and len(cases) == 1):
                total = total.plus(self.gate(here, self.count(side, self.truth(there), shown)))
        undecided = tuple(case for case in cases if not isinstance(case.there, bool))

        def make() -> tuple[str, str]:
            """Add the share and the lookup of the cases `undecided`; the coordinates of both."""
            direction = "before" if side == "left" else "behind"
            share = self._share(f"strict-{SEEN[side]}", undecided, "", shown)
            count = self.new("count", f"how many {direction}: {shown}")
            self.lookup({share: Fraction(2)}, count, side, unit=f"inverse_{direction}")
            return share, count

        share, count = self.once(("beside", side, undecided), make) if undecided and len(cases) > 1 else ("", "")
        total = total.plus(self.atom(count, side)) if count else total
        self.besides.setdefault(self.now, []).append(OneSided(side, cases, share, count, total))
        return total

    def _tied(self, cases: SelectorCases, equalities: Sequence[Equality], shown: str) -> Form:
        """The number of selected positions where integers are equal.

        If there are C of them, r = 1/C is the mean of a bit that only the first (or last) of them has. The score
        2 r/j - 1/j^2 is maximal at 1/j = r, so a head finds j = C."""
        total = self.number(0)
        for side, side_cases in self.groups(cases, "none"):
            if side == "=":  # the position itself alone: no head
                total = total.plus(self.indicator(self._own(side_cases, equalities)))
                continue
            mask = MASK_OF[side]
            before_allowed = "<" in side
            # A first head tests whether a position is selected at all: if none is, the mean r would not be defined.
            some_selected = self.look("left", mask, side_cases, equalities, None, shown).found
            if self.truth(some_selected) == frozenset():
                continue
            # A bit for the first selected position: no position before it (for the last one: after it) has the same
            # integers.
            same = [equality._replace(query=equality.key) for equality in equalities]
            is_some = self.hold(self.node(some_selected))
            values: dict[str, LinearFactors] = {}
            units = [f"relu(1 - {is_some})"]
            for case in side_cases:
                if case.there is False:
                    continue
                op, beyond = ("right", "strict-future") if before_allowed else ("left", "strict-past")
                repeated = self.look(op, beyond, (SelectorCase(self.every, case.there),), same, None, shown).found
                first = self.both(self.truth(case.there), self.negation(repeated))
                mean = self.new("mean", f"one over how many: {shown}")
                values[mean] = {self.hold(self.node(first)): Fraction(1)}
                units.append(f"relu({self.hold(self.node(case.here))} + {mean} + {is_some} - 2)")
            # r is the mean of that bit over the selected positions: 1/C, and 1 where none is selected.
            self.looks.append(Look(self.selecting(side_cases, equalities), values, mask))
            inverse = self.network("inverse_of", f"one over how many, or 1: {shown}", halved(units))
            local = ">" not in side
            others = self.atom(self._inverted(inverse, local, shown), "left" if local else "both")
            total = total.plus(others).plus(self.indicator(some_selected))
        return total

    def _inverted(self, inverse: str, local: bool, shown: str) -> str:
        """The coordinate with C - 1, looked up by the coordinate of 1/C at position C. With `local` all selected
        positions are at most i, so C is too."""
        count = self.new("count", f"how many more than one: {shown}")
        self.squares[count] = self.new("square", f"({self.meanings[count]})^2")
        index, index_square, before, before_square = map(
            self.place, ("inverse_index", "inverse_index_square", "before", "before_square")
        )
        score = {(inverse, index): Fraction(2), (self.place("one"), index_square): Fraction(-1)}
        values = {count: {before: Fraction(1)}, self.squares[count]: {before_square: Fraction(1)}}
        self.looks.append(Look(score, values, "future" if local else "none"))
        return count

    # Aggregates

    def aggregate(self, cases: SelectorCases, value: ProgramValue, default: ProgramValue, shown: str) -> ProgramValue:
        """The mean of a number or truth over the selected positions, or the symbol at the first selected position; the
        default if no position is selected. BadInput if the mean is over positions that are not selected alike before,
        at and after i."""
        if isinstance(value, dict):
            return self.nearest("left", "none", cases, value, default, shown)
        value, default = (term if isinstance(term, Form) else self.indicator(term) for term in (value, default))  # type: ignore[arg-type]
        cases, equalities = self.equal(cases, shown)
        groups = self.groups(cases, "none")
        if not groups:
            return default
        if len(groups) > 1:
            must = "an aggregate must select by one rule at all positions, or on one side of i: a head has one mask"
            raise BadInput(must, shown, "aggregate each side by itself")
        ((side, side_cases),) = groups
        # No mean is needed if only the position itself can be selected, or if the value is constant.
        own = self._own(side_cases, equalities)
        if side == "=":
            return self.between(own, value, default)
        mask = MASK_OF[side]
        constant = value.constant
        certain = "=" in side and own == self.every
        some_selected = self.every if certain else self._found(mask, side_cases, equalities, shown)
        if constant is not None:
            return self.between(some_selected, value, default)
        result = self.number(0)
        # The mean is the sum of two means: that of the bounded part, which a gate can clear, and that of the atoms; see
        # `_grown`.
        grows = Form(self.number(0).table, {}, value.atoms)
        bounded = value.plus(grows, -1)
        if bounded.constant is not None:
            result = result.plus(self.gate(some_selected, bounded))
        else:
            low, high = bounded.span()
            row = self._with_one(bounded)
            mean = self._mean_of(self.selecting(side_cases, equalities), row, mask, shown, value)
            atom = Atom(mean, "mean", max(abs(low), abs(high)), mask.endswith("future"))
            result = result.plus(self.gate(some_selected, Form(self.number(0).table, {}, {atom: Fraction(1)})))
        if value.atoms:
            result = result.plus(self._grown(mask, side_cases, equalities, grows, some_selected, shown))
        return result.plus(self.gate(self.negation(some_selected), default))

    def _found(self, mask: str, cases: SelectorCases, equalities: Sequence[Equality], shown: str) -> Truth:
        """The truth that at least one position is selected."""
        if cases == (SelectorCase(self.every, True),) and not equalities:
            return self._some(mask)
        return self.look("left", mask, cases, equalities, None, shown).found

    def _with_one(self, form: Form) -> LinearFactors:
        """A number as a linear form in coordinates, without a constant."""
        row = self.linear(form)
        if "" in row:
            add_to(row, [(self.place("one"), row.pop(""))])
        return row

    def _mean_of(
        self, score: dict[tuple[str, str], Fraction] | None, row: LinearFactors, mask: str, shown: str, value: Form
    ) -> str:
        """A coordinate with the mean of `row` over the positions with the maximum score. `row` is a linear form for a
        part of `value`: from `aggregate`, `value` without its atoms; from `_grown`, `value` minus its value at the
        first or last position."""
        mean = self.new("mean", f"mean: {shown}")
        self.looks.append(Look(score, {mean: row}, mask))
        self.means[mean] = RangeMean(mask, value, row, score is None)
        return mean

    def _grown(
        self,
        mask: str,
        cases: SelectorCases,
        equalities: Sequence[Equality],
        value: Form,
        some_selected: Truth,
        shown: str,
    ) -> Form:
        """The mean of an unbounded number over the selected positions, and 0 if no position is selected.

        A gate cannot clear an unbounded number. So, if none is selected, the head attends to the first (or last)
        position alone. The value there is subtracted from all values first, and added again if one is selected.
        BadInput if the number has a mean among its atoms and there may be no selected position."""
        at_first = not mask.endswith("past")
        local = mask.endswith("future") and value.side == "left" and value.whole
        # The value at the first (last) position. A number of side "left" is 0 at the first position, one of side
        # "right" at the last, so that no head is needed.
        at_end = self.number(0)
        if value.side != ("left" if at_first else "right"):
            place_at_end, sign = ("index", -1) if at_first else ("index", 1)
            where = f"at the {'first' if at_first else 'last'} position"
            # A head with the score -j (or j) copies the atoms from that position.
            names = {atom: self.new("end", f"{self.meanings[atom.name]}, {where}") for atom in value.atoms}
            self.looks.append(
                Look({(self.place("one"), self.place(place_at_end)): Fraction(sign)},
                     {name: {atom.name: Fraction(1)} for atom, name in names.items()}, "none")
            )  # fmt: skip
            if any(atom.side == "mean" for atom in value.atoms) and self.truth(some_selected) != self.every:
                raise BadInput(
                    "an aggregate of means that grow with n must select a position in every string",
                    shown,
                    "give the selector a position in every string, for example its own",
                )
            ends = {
                Atom(name, "both" if atom.side != "mean" else "mean"): value.atoms[atom] for atom, name in names.items()
            }
            at_end = Form(value.table, {}, ends)
        row = self._with_one(value.plus(at_end, -1))
        if self.truth(some_selected) == self.every:  # nothing to clear
            mean = self._mean_of(self.selecting(cases, equalities), row, mask, shown, value)
            return Form(value.table, {}, {Atom(mean, "mean", None, local): Fraction(1)}).plus(at_end)
        # Gate the scores by `some_selected`: if no position is selected, the only score left is the one added below,
        # which is maximal at the first (last) position.
        gated = tuple(SelectorCase(self.both(here, some_selected), there) for here, there in cases)
        score = self.selecting(tuple(case for case in gated if self.truth(case.here) != frozenset()), ()) or {}
        is_some, none_selected = self.hold(self.node(some_selected)), self.hold(self.node(self.negation(some_selected)))
        for equality in equalities:
            queries = equality._replace(query=self.gate(some_selected, equality.query))
            for (query, key), factor in (self.selecting((), (queries,)) or {}).items():
                pair = (is_some if query == "one" else query, key)
                score[pair] = score.get(pair, Fraction(0)) + factor
        away = self.place("before" if at_first else "behind")
        score[none_selected, away] = score.get((none_selected, away), Fraction(0)) - 1
        mean = self._mean_of(score, row, mask, shown, value)
        total = Form(value.table, {}, {Atom(mean, "mean", None, local): Fraction(1)})
        return total.plus(self.gate(some_selected, at_end))
