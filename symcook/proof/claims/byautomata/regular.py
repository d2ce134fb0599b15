"""Fragment A: a claim over finitely many values and positions, decided by automata (`tracks`).

Attention heads are not recognised by their shape. Whether one position is selected, whether the best keys agree, and
whether a condition holds on a prefix are decided by testing whether a set is empty (the rules are in `kinds` and
`values`).

A term that reads a position outside of the string has no value here. A formula with such a term has no truth value
either, unless the rest of the formula decides it. So a claim that is TRUE is true whatever values the functions have at
such positions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import NamedTuple

from symcook.proof import grammar
from symcook.proof.claims.byautomata.kinds import (
    ZERO,
    FiniteTerm,
    PlaceCases,
    PlaceTerm,
    TermKind,
    TotalTerm,
    TruthSets,
    nonempty,
)
from symcook.proof.claims.byautomata.tracks import LAST, MOST_STATES, Tracks, TrackSet
from symcook.proof.claims.byautomata.values import TermRules
from symcook.proof.claims.bycounts.parabolas import BestNear, best_near, polynomial
from symcook.proof.claims.bycounts.problem import HERE, LETTERS, Equation, OutsideFragment, Problem, at, at_place
from symcook.proof.search.attempts import attempted, result_of
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.terms import (
    COMPARISONS,
    FALSE,
    TRUE,
    Term,
    abstract,
    conj,
    flatten,
    free,
    imp,
    instantiate,
    num,
    replace,
    subterms,
    var,
)

AT = var("@", "Int")
"""The position at which a coordinate is read, as a variable with the name of its track."""


class RegularVerdict(NamedTuple):
    """The answer of the automata: whether the claim is true of all strings, or else a smallest string on which it is
    false, as numbers of tokens; and how many states the largest automaton had."""

    true: bool
    string: tuple[int, ...] | None
    states: int


class Regular(TermRules):
    """The automata of one problem. Kinds of terms, truths of formulas and kinds of coordinates are computed once; a
    coordinate is None while its equation is being read. `depth` is the number of bound variables that have a track."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(Tracks(max(problem.letters) + 1, problem.start))
        self.problem = problem
        self.kinds: dict[Term, TermKind] = {}
        self.truths: dict[Term, TruthSets] = {}
        self.coordinates: dict[str, TermKind | None] = {}
        self.depth = 0
        # Premises on the string alone restrict the strings of all automata; what was computed before is of no use then.
        plain = [line for line in (problem.word, *problem.needs) if {v[1][0] for v in free(line)} <= {"n", "w"}]
        strings = [self.formula(line) for line in plain]
        if any(not self.t.less(self.t.valid(), self.t.either(*truth_sets)).empty for truth_sets in strings):
            raise OutsideFragment("a hypothesis about the string depends on a position that no string has")
        self.t.restrict(self.t.both(*(truth_sets.yes for truth_sets in strings)))
        self.kinds.clear()
        self.truths.clear()
        # The other premises, and those on positions that the statement names, are read together with the claim.
        marked = [line for line in flatten("&", problem.some) if {v[1][0] for v in free(line)} & {*problem.marked}]
        self.premises = [line for line in (*problem.needs, *marked) if line not in plain]

    def decided(self) -> RegularVerdict:
        """The answer; OutsideFragment where the automata cannot give one."""
        claim = self.formula(self.problem.claim)
        for premise in self.premises:  # for example, that no divisor of a norm is 0
            premise_truths = self.formula(premise)
            claim = TruthSets(self.t.either(premise_truths.no, claim.yes), self.t.both(premise_truths.yes, claim.no))
        # `wrong` has the strings in which the claim is false for some named positions, `right` those in which it is
        # true for all. A string in neither set is doubtful: a smaller doubtful string may be a counterexample too.
        all_strings, marks = self.t.valid(), [f"@.{name}" for name in self.problem.marked]
        wrong = self.t.without(claim.no, *marks, LAST)
        right = self.t.without(self.t.complement(self.t.without(self.t.complement(claim.yes), *marks)), LAST)
        if self.t.less(all_strings, right).empty:
            return RegularVerdict(True, None, self.t.largest)
        string = self.t.smallest(wrong)
        doubtful = self.t.smallest(self.t.less(all_strings, self.t.either(right, wrong)))
        if string is None or (doubtful is not None and (len(doubtful), doubtful) < (len(string), string)):
            raise OutsideFragment(next(iter(self.doubts), "the statement depends on a position that no string has"))
        return RegularVerdict(False, string, self.t.largest)

    # --- Formulas ----------------------------------------------------------------------------------------------------

    def formula(self, f: Term) -> TruthSets:
        """Where a formula is true, and where it is false."""
        if f not in self.truths:
            self.truths[f] = self._formula(f)
        return self.truths[f]

    def _formula(self, f: Term) -> TruthSets:
        """The truth of a formula by that of its parts; a quantified formula has a new track for its variable."""
        tag, data, kids = f
        t = self.t
        if tag in ("true", "false"):
            truths = TruthSets(t.valid(), t.nothing)
            return truths if tag == "true" else _denied(truths)
        if tag == "~":
            return _denied(self.formula(kids[0]))
        if tag in ("&", "|", "->"):
            a, b = self.formula(kids[0]), self.formula(kids[1])
            if tag == "&":
                return self._all_of([a, b])
            a = _denied(a) if tag == "->" else a  # a -> b is ~a | b
            return TruthSets(t.either(a.yes, b.yes), t.both(a.no, b.no))
        if tag in COMPARISONS:
            return self.compared(tag, kids[0], kids[1])
        if data != "Int":
            raise OutsideFragment("the statement quantifies over numbers other than positions")
        y = self._track()
        try:
            return self._quantified(tag, instantiate(kids[0], (var(y, "Int"),)), y)
        finally:
            self.depth -= 1

    def _all_of(self, truths: Sequence[TruthSets]) -> TruthSets:
        """Where all of some formulas are true, and where one of them is false."""
        return TruthSets(
            self.t.both(*(truth_sets.yes for truth_sets in truths)),
            self.t.either(*(truth_sets.no for truth_sets in truths)),
        )

    def _quantified(self, tag: str, body: Term, y: str) -> TruthSets:
        """The truth of ``ex y. body`` or ``all y. body``; remainders and scores have rules of their own."""
        if tag == "ex" and (truths := self._divided(body, y)) is not None:
            return truths
        if tag == "all" and (truths := self._best(body, y)) is not None:
            return truths
        # "all" is read as the negation of "ex" of the negation.
        t, inner = self.t, body if tag == "ex" else ("~", None, (body,))
        guards = flatten("&", body) if tag == "ex" else _implied(body)[0]
        spilled = self._spilled(guards, y)
        truths = self.formula(inner)
        # True where a position y makes it true; false where it is false at all positions, and no number outside of the
        # string can meet the guards either.
        yes = t.without(truths.yes, y)
        no = t.less(t.complement(t.without(t.complement(truths.no), y)), spilled)
        return TruthSets(yes, no) if tag == "ex" else TruthSets(no, yes)

    def _track(self) -> str:
        """A new name of a track; the caller gives it back by `self.depth -= 1`."""
        self.depth += 1
        return f"@{self.depth}"

    def _spilled(self, guards: Sequence[Term], y: str) -> TrackSet:
        """The strings in which an integer that is no position may meet the guards of the variable `y`."""
        here, unit, low, high = var(y, "Int"), num(1), list[Term](), list[Term]()
        # a <= y or y <= b, with strict bounds moved by one
        for op, _, (a, b) in (guard for guard in guards if guard[0] in ("<=", "<")):
            if b == here and here not in free(a):
                low.append(a if op == "<=" else ("+", None, (a, unit)))
            elif a == here and here not in free(b):
                high.append(b if op == "<=" else ("-", None, (b, unit)))
        if not low or not high:
            raise OutsideFragment("the statement quantifies over all integers")
        first, last = self.problem.places
        # The range may hold a number, and begins before the string or ends after it. Of several bounds on one side, all
        # must be outside.
        nonempty_range = [self._not("<", b, a) for a in low for b in high]
        before = [self._not("<=", first, a) for a in low]
        after = [self._not("<=", b, last) for b in high]
        return self.t.either(self.t.both(*before, *nonempty_range), self.t.both(*after, *nonempty_range))

    def _best(self, body: Term, y: str) -> TruthSets | None:
        """The truth of ``all y. y in a range -> score(y) op score(k)``, where the score is a parabola in the position;
        None for any other formula. It is true where the range is empty. Elsewhere k and its two neighbours decide, if
        one of the three is in the range; otherwise it stays undecided."""
        here, (guards, end) = var(y, "Int"), _implied(body)
        if not all(_is_bound(g, here) for g in guards):
            return None
        parts = flatten("&", end)
        ends = [_implied(part)[1] for part in parts]
        nearest_by_part = [best_near(f, here, self.positional) if f[0] in ("<=", "<") else None for f in ends]
        if not any(nearest_by_part):
            return None
        nearest = nearest_by_part[0]
        # Several conclusions: each becomes a quantified formula of its own, read by this rule or by projection.
        if len(parts) > 1 or nearest is None:
            ranged = (("all", "Int", (abstract(_chain([*guards, part]), (here,)),)) for part in parts)
            return self._all_of([self.formula(part_in_range) for part_in_range in ranged])
        return self._nearest_is_best(guards, y, end[0], nearest)

    def _nearest_is_best(self, guards: Sequence[Term], y: str, op: str, nearest: BestNear) -> TruthSets:
        """The truth of ``all y. guards -> score(y) op score(k)``; `nearest` has k and the top of the parabola."""
        here, t, k, top = var(y, "Int"), self.t, nearest.place, nearest.top
        # For each of k - 1, k and k + 1: whether it is in the range, and whether its score is no better than that of k.
        # The parabola opens downward, so score(k - 1) <= score(k) means k - 1/2 <= top, and score(k + 1) <= score(k)
        # means top <= k + 1/2. At k itself the comparison is score(k) op score(k).
        neighbours = [("+", None, (k, num(step))) for step in (-1, 0, 1)]
        ranges = [reduce(conj, (replace(guard, here, place) for guard in guards)) for place in neighbours]
        inside = [self.formula(guards_there) for guards_there in ranges]
        true_at_k = t.valid() if op == "<=" else t.nothing
        best = [
            self.compared(op, ("-", None, (k, num(1, 2))), top),
            TruthSets(true_at_k, t.complement(true_at_k)),
            self.compared(op, top, ("+", None, (k, num(1, 2)))),
        ]
        empty = self.formula(("all", "Int", (abstract(_chain([*guards, FALSE]), (here,)),)))
        # The parabola is only known where its coordinates are read at positions of the string.
        low, high = self.problem.places
        defined = [self.formula(("<=", None, pair)).yes for r in nearest.read for pair in ((low, r), (r, high))]
        defined.append(t.complement(self._spilled(guards, y)))
        # Where none of the three is in the range, the whole range lies on one side of them: the truth is undecided.
        some_inside = t.either(*(in_range.yes for in_range in inside))
        no_better = [t.either(in_range.no, b.yes) for in_range, b in zip(inside, best, strict=True)]
        yes = t.both(some_inside, *no_better)
        no = t.either(*(t.both(in_range.yes, b.no) for in_range, b in zip(inside, best, strict=True)))
        return TruthSets(t.either(empty.yes, t.both(yes, *defined)), t.both(no, *defined))

    def _not(self, op: str, left: Term, right: Term) -> TrackSet:
        """Where a comparison may be false."""
        return self.t.complement(self.compared(op, left, right).yes)

    def _divided(self, body: Term, y: str) -> TruthSets | None:
        """The truth of ``ex q. T = m*q + r``, that T has the remainder r; the formula may also bound q. None for any
        other formula."""
        here = var(y, "Int")
        parts = flatten("&", body)
        equations = [part for part in parts if part[0] == "=" and here in free(part)]
        bounds = [part for part in parts if part not in equations]
        if len(equations) != 1 or any(bound_part[0] not in ("<=", "<") for bound_part in bounds):
            return None
        # The equation is factor*q + gap = 0. With m = |factor|, m*q is gap or -gap, a term without q.
        linear_form = linear(("-", None, equations[0][2]), here)
        if linear_form is None:
            return None
        factor, gap = linear_form
        if not factor or factor.denominator != 1 or gap is None:
            return None
        modulus = abs(int(factor))
        multiple = ("neg", None, (gap,)) if factor > 0 else gap  # m*q
        sets = [self._remainder(modulus, gap)]
        # A bound of q becomes a bound of m*q: the other side is multiplied by m.
        for op, _, sides in bounds:
            if here in free(sides[0]) & free(sides[1]) or not {here} & {sides[0], sides[1]}:
                return None
            low_side, high_side = (multiple if side == here else ("*", None, (num(modulus), side)) for side in sides)
            sets.append(self.formula((op, None, (low_side, high_side))))
        return self._all_of(sets)

    def _remainder(self, modulus: int, term: Term) -> TruthSets:
        """Where `modulus` divides `term`, and where it does not."""
        kind, t = self.kind(term), self.t
        if isinstance(kind, FiniteTerm):
            groups = ([d for v, d in kind.values.items() if bool(v % modulus) is nonzero] for nonzero in (False, True))
            return TruthSets(*(t.either(*sets) for sets in groups))
        if isinstance(kind, PlaceTerm):
            if [*map(abs, kind.sums.values())] not in ([], [1]) or kind.number.denominator != 1:
                raise OutsideFragment("the remainder of a sum of positions")
            # m divides x + c where x = -c modulo m, and -x + c where x = c modulo m. Without a position (as in
            # n - n + 2) the term is the number c.
            divisible = t.nothing if kind.number % modulus else t.valid()
            for track, sign in kind.sums.items():
                divisible = t.remainder(track, modulus, int(-kind.number * sign))
            return self._closed(TruthSets(divisible, t.complement(divisible)), kind)
        if isinstance(kind, TotalTerm) and not kind.normed:
            # The sum is that of v*|D| over the pairs (v, D). Only |D| modulo m matters: all remainders are tried.
            parts = [(v, d) for v, d in kind.terms if v]
            if all(v.denominator == 1 for v, _ in parts) and kind.number.denominator == 1:
                tallies = [t.tallied(d, kind.track, 0, modulus) for _, d in parts]
                yes, no = [], []
                for rests in product(range(modulus), repeat=len(parts)):
                    total = kind.number + sum(v * r for (v, _), r in zip(parts, rests, strict=True))
                    there = t.both(kind.where, *(tally[r] for tally, r in zip(tallies, rests, strict=True)))
                    (no if total % modulus else yes).append(there)
                return TruthSets(t.either(*yes), t.either(*no))
        raise OutsideFragment("the remainder of a term that is neither a position nor a count")

    # --- Comparisons -------------------------------------------------------------------------------------------------

    def compared(self, op: str, left: Term, right: Term) -> TruthSets:
        """Where a comparison is true, and where it is false."""
        return self._compared(op, self.kind(left), self.kind(right))

    # --- Terms -------------------------------------------------------------------------------------------------------

    def kind(self, t: Term) -> TermKind:
        """The kind of a term, computed once."""
        if t not in self.kinds:
            self.kinds[t] = self._kind(t)
        return self.kinds[t]

    def _kind(self, term: Term) -> TermKind:
        """The kind of a term by those of its parts; OutsideFragment for a term that no rule reads."""
        tag, data, kids = term
        t = self.t
        if tag == "num":
            return FiniteTerm({Fraction(*data): t.valid()})
        if tag == "var":
            return self._variable(data[0])
        if tag == "app":
            return self._applied(term)
        if tag == "ind":
            truths = self.formula(kids[0])
            return FiniteTerm(nonempty({Fraction(1): truths.yes, ZERO: truths.no}))
        if tag == "sum":
            return self._sum(term)
        # A sum divided by a term is read as a mean where possible: more can be decided of a mean than of its sum.
        if tag == "/" and kids[0][0] == "sum":
            return self._quotient(kids[0], kids[1])
        if tag in ("+", "-"):
            return self.added(self.kind(kids[0]), self.kind(kids[1]), 1 if tag == "+" else -1)
        if tag == "neg":
            return self._scaled(self.kind(kids[0]), Fraction(-1))
        if tag == "*":
            return self._times(self.kind(kids[0]), self.kind(kids[1]))
        if tag == "/":
            return self._over(self.kind(kids[0]), self.kind(kids[1]))
        if tag == "^":
            return self._power(self.kind(kids[0]), data)
        if tag == "fn":
            return self._function(data, [self.kind(k) for k in kids])
        raise OutsideFragment(f"the statement has the term {_text(term)}")

    def _variable(self, name: str) -> PlaceTerm:
        """A name is a position: the last one, a track, or one that the statement is about."""
        if name == "n":  # the number of positions: the last one, or one more where positions begin with 0
            return PlaceTerm({LAST: Fraction(1)}, Fraction(1 - self.problem.start))
        if name.startswith("@"):
            return PlaceTerm({name: Fraction(1)}, ZERO)
        if name in self.problem.marked:
            return PlaceTerm({f"@.{name}": Fraction(1)}, ZERO)
        raise OutsideFragment(f"the statement has the number {name}, which is not a position")

    def _power(self, base: TermKind, exponent: int) -> TermKind:
        """The power of `base` with an integer exponent; a base with infinitely many values is multiplied by itself."""
        if isinstance(base, FiniteTerm):
            return self.combined([base], lambda u: u**exponent)
        out: TermKind = FiniteTerm({Fraction(1): self.t.valid()})
        for _ in range(exponent):
            out = self._times(out, base)
        return out

    # --- Sums --------------------------------------------------------------------------------------------------------

    def _range(self, low: Term, high: Term, y: str) -> tuple[TrackSet, TrackSet]:
        """The positions y of the string in a range, and the strings in which the range may go beyond the string."""
        here = var(y, "Int")
        guards = (at_most(low, here), at_most(here, high))
        inside = self.t.both(*(self.formula(guard).yes for guard in guards))
        return inside, self._spilled(guards, y)

    def _sum(self, term: Term) -> TermKind:
        """The kind of a sum over a range of positions: the position that it selects, or by the kind of its terms."""
        low, high, body = term[2]
        y = self._track()
        try:
            inside, spilled = self._range(low, high, y)
            body = instantiate(body, (var(y, "Int"),))
            chosen = self._chosen(body, inside, y, spilled)
            return chosen or self._summed(self.kind(body), inside, spilled, y, (low, high))
        finally:
            self.depth -= 1

    def _chosen(self, body: Term, inside: TrackSet, y: str, spilled: TrackSet) -> PlaceTerm | PlaceCases | None:
        """The position that a sum of I[F(y)]*(k*y + c) selects, where at most one y has F; None for any other sum."""
        if body[0] != "*" or body[2][0][0] != "ind":
            return None
        value, t = self.kind(body[2][1]), self.t
        if not isinstance(value, PlaceTerm) or value.sums.keys() != {y} or value.relations:
            return None
        truths = self.formula(body[2][0][2][0])
        there = t.both(truths.yes, inside)
        if not self.single(there, y) or not spilled.empty or not t.less(inside, t.either(*truths)).empty:
            raise OutsideFragment("the statement adds several positions")
        # The strings in which no y is selected: the sum is 0 there.
        none = t.complement(t.without(there, y))
        place = self._placed_at(value, y, there)
        if none.empty:
            return place
        # That 0 is a case of its own, except where it is k*y at the position y = 0.
        if self.problem.start == 1 or value.number:
            return PlaceCases(((t.without(there, y), place), (none, PlaceTerm({}, ZERO))))
        # Positions begin with 0 and c is 0: an empty selection has the same sum as the selection of position 0.
        (z,) = place.bound
        return place._replace(relations=(t.either(*place.relations, t.both(none, t.at(z, 0))),))

    def _summed(self, kind: TermKind, inside: TrackSet, spilled: TrackSet, y: str, ends: tuple[Term, Term]) -> TermKind:
        """The sum of a term over the positions y of a range; in the strings `spilled`, the range may go beyond the
        string."""
        t = self.t
        parts = self._by_value(kind, inside)
        # The sum has a value where each term of the range has one.
        undefined = t.without(t.less(inside, t.either(*parts.values())), y)
        where = t.complement(t.either(undefined, spilled))
        nonzero = t.either(*(d for v, d in parts.items() if v))
        if not isinstance(kind, FiniteTerm):  # the sign of the sum alone is known
            return self.total(TotalTerm(tuple(parts.items()), y, where), ZERO)
        if nonzero.empty:
            return FiniteTerm({ZERO: where})
        # At most one term differs from 0: the sum has its values.
        if self.single(nonzero, y):
            values = {v: t.both(t.without(d, y), where) for v, d in parts.items() if v}
            values[ZERO] = t.less(where, t.without(nonzero, y))
            return FiniteTerm(nonempty(values))
        # Otherwise it is kept as a sum, on a new track; a count of the positions of a prefix or a suffix is a position.
        z = self._fresh()
        parts = {v: t.renamed(d, {y: z}) for v, d in parts.items()}
        if {v for v, d in parts.items() if not d.empty} <= {ZERO, Fraction(1)}:
            place = self._prefix(parts, z, ends) if t.complement(where).empty else None
            if place is not None:
                return place
        return TotalTerm(tuple((v, d) for v, d in parts.items() if not d.empty), z, where)

    def _by_value(self, kind: TermKind, inside: TrackSet) -> dict[Fraction, TrackSet]:
        """For each value, the positions of the range `inside` at which a term has that value. For a term with
        infinitely many values, its sign 1, -1 or 0 replaces the value."""
        if isinstance(kind, FiniteTerm):
            return {v: self.t.both(d, inside) for v, d in kind.values.items()}
        signs = zip((Fraction(1), Fraction(-1), ZERO), self.sign(kind), strict=True)
        return {v: self.t.both(d, inside) for v, d in signs}

    def _prefix(
        self, parts: Mapping[Fraction, TrackSet], y: str, ends: tuple[Term, Term]
    ) -> PlaceTerm | PlaceCases | None:
        """The number of positions with the value 1, where they are the first ones of the range or the last ones, as a
        position; None where neither is so, and where all positions have the value 1."""
        t, z = self.t, self._fresh()
        yes, no = parts[Fraction(1)], t.renamed(parts.get(ZERO, t.nothing), {y: z})
        if no.empty:
            return None
        low, high = (self.kind(end) for end in ends)
        # A lower end that is a number is turned into a position.
        if not isinstance(low, PlaceTerm):
            low = self.added(PlaceTerm({}, ZERO), low, 1)
        if not isinstance(low, PlaceTerm) or not isinstance(high, PlaceTerm):
            return None
        u = self._fresh()
        moved, any_marked = t.renamed(yes, {y: u}), t.without(yes, y)
        if t.both(yes, no, t.apart(z, y, -1, False)).empty:
            # No position with 0 is before one with 1: u is the last position with 1, and the number is u + 1 - low.
            last = t.less(moved, t.without(t.both(yes, t.apart(u, y, -1, False)), y))
            place = self._minus(PlaceTerm({u: Fraction(1)}, Fraction(1), (last,), (u,)), low)
        elif t.both(yes, no, t.apart(y, z, -1, False)).empty:
            # No position with 1 is before one with 0: u is the first position with 1, and the number is high + 1 - u.
            first = t.less(moved, t.without(t.both(yes, t.apart(y, u, -1, False)), y))
            place = self._minus(
                high._replace(number=high.number + 1), PlaceTerm({u: Fraction(1)}, ZERO, (first,), (u,))
            )
        else:
            return None
        none = t.complement(any_marked)
        return place if none.empty else PlaceCases(((any_marked, place), (none, PlaceTerm({}, ZERO))))

    def _quotient(self, total: Term, size: Term) -> TermKind:
        """A sum divided by its length, by the sum of its weights, or by a term whose sign is known."""
        a = self.kind(total)
        if size[0] == "sum" and size[2][:2] == total[2][:2]:
            weighted = self._weighted(total, size)
            if weighted is not None:
                return weighted
        b = self.kind(size)
        # Divided by the length of its range, high - low + 1, a sum is a mean with equal weights.
        if isinstance(a, TotalTerm) and not a.number:
            low, high, _ = total[2]
            length = self.added(
                self.added(self.kind(high), self.kind(low), -1), FiniteTerm({Fraction(1): self.t.valid()}), 1
            )
            if isinstance(length, PlaceTerm) and isinstance(b, PlaceTerm) and length[:2] == b[:2] and not length.bound:
                return self._single_valued(a._replace(normed=True, where=self.t.both(a.where, self._present(a))))
        return self._over(a, b)

    def _weighted(self, total: Term, size: Term) -> TermKind | None:
        """The mean of values with nonnegative weights, taken over the positions with a positive weight. None where
        `total` and `size` are not sums of weight*value and of the same weight, or where a weight may be negative."""
        low, high, weight = size[2]
        body, t = total[2][2], self.t
        if body[0] != "*" or body[2][0] != weight:
            return None
        y = self._track()
        try:
            inside, spilled = self._range(low, high, y)
            # Each weight of the range has to be known as positive or 0.
            weights = self.sign(self.kind(instantiate(weight, (var(y, "Int"),))))
            if not t.both(inside, t.less(inside, t.either(weights.positive, weights.zero))).empty or not spilled.empty:
                return None
            value = self.kind(instantiate(body[2][1], (var(y, "Int"),)))
        finally:
            self.depth -= 1
        inside = t.both(inside, weights.positive)
        # One position alone has a positive weight: the mean is the value there.
        if isinstance(value, PlaceTerm) and value.sums.keys() == {y} and not value.relations and self.single(inside, y):
            return self._placed_at(value, y, inside)
        # Otherwise the mean of the values; of infinitely many values, the mean of their signs.
        parts = self._by_value(value, inside)
        undefined = t.without(t.less(inside, t.either(*parts.values())), y)
        where = t.less(t.without(inside, y), undefined)  # without a positive weight the mean has no value
        z = self._fresh()
        mean = TotalTerm(tuple((v, t.renamed(d, {y: z})) for v, d in parts.items() if not d.empty), z, where, True)
        return self._single_valued(mean) if isinstance(value, FiniteTerm) else self.total(mean, ZERO)

    # --- Coordinates -------------------------------------------------------------------------------------------------

    def _applied(self, term: Term) -> TermKind:
        """The kind of a function of the statement, applied to one argument: a position."""
        head, *arguments = term[2]
        name = head[1][0]
        if len(arguments) > 1:
            raise OutsideFragment(f"the statement has the function {name} of two arguments")
        place = self.kind(arguments[0])
        if isinstance(place, FiniteTerm) and len(place.values) == 1:
            ((number, where),) = place.values.items()
            place = self._within(PlaceTerm({}, number), where)
        if isinstance(place, PlaceCases):
            return self.merged([(where, self._at(name, part_value)) for where, part_value in place.parts])
        if not isinstance(place, PlaceTerm):
            raise OutsideFragment(f"the statement reads {name} at {_text(arguments[0])}, which is not a position")
        return self._at(name, place)

    def _at(self, name: str, place: PlaceTerm) -> TermKind:
        """The kind of the coordinate `name`, or of the string ``w``, at a place."""
        if name == "w":
            symbols = {Fraction(s): self.t.symbol("@", s) for s in self.problem.letters}
            return self._moved(FiniteTerm(nonempty(symbols)), place)
        return self._moved(self.coordinate(name), place)

    def coordinate(self, name: str) -> TermKind:
        """The kind of a coordinate at the position of the track ``@``."""
        if name in self.coordinates:
            kind = self.coordinates[name]
            # None stands for a coordinate whose equation is being read.
            if kind is None:
                raise OutsideFragment(f"the coordinate {name}, which its own value defines")
            return kind
        equation = self.problem.equations.get(name)
        if equation is None:
            lines = "; ".join(self.problem.outside)
            raise OutsideFragment(f"the coordinate {name}, whose equation has another form ({lines[:200]})")
        self.coordinates[name] = None
        # The kind is stored for later uses at any depth, so its tracks are numbered from depth 0.
        depth, self.depth = self.depth, 0
        self.inside.append(name)
        try:
            self.coordinates[name] = kind = self._there(equation, self._defined_by(equation))
        except OutsideFragment as error:
            del self.coordinates[name]
            # The names of the coordinates that are being read stand before the reason, the outermost first.
            reason = str(error)
            raise OutsideFragment(reason if reason.startswith(f"in {name}:") else f"in {name}: {reason}") from None
        finally:
            self.depth = depth
            self.inside.pop()
        return kind

    def positional(self, name: str) -> Term | None:
        """A coordinate as a polynomial in the position `HERE`, or, where it has one value only, as that number; None
        for any other coordinate."""
        equation = self.problem.equations.get(name)
        if equation is None or equation.kind != "value" or equation.places != self.problem.places:
            return None
        if polynomial(equation.right):
            return equation.right
        if any(s[0] == "sum" for s in subterms(equation.right)) or name in self.inside:
            return None
        value = result_of(attempted(lambda: self._number(self.coordinate(name))))
        return None if value is None else num(value.numerator, value.denominator)

    def _there(self, equation: Equation, kind: TermKind) -> TermKind:
        """The kind of a coordinate, restricted to the positions at which its equation holds."""
        if equation.kind == "state" or equation.places == self.problem.places:
            return kind
        if not isinstance(kind, FiniteTerm):
            raise OutsideFragment("a coordinate is defined at other positions than those of the string")
        low, high = equation.places
        there = [self.formula(("<=", None, pair)).yes for pair in ((low, AT), (AT, high))]
        return self._within(kind, self.t.both(*there))

    def _defined_by(self, equation: Equation) -> TermKind:
        """The kind of a coordinate at `AT`, by the form of its equation (`Equation.kind`)."""
        right, size, old = (at_place(side, AT) for side in (equation.right, equation.size, equation.old))
        if equation.kind == "value":
            return self.kind(right)
        if equation.kind == "state":
            return self._state(equation)
        # The other forms are (c(i) - old)*size = right: c(i) is old + right/size.
        base = self.kind(old)
        if equation.kind == "norm":
            below = self.kind(size)
            zero = self.sign(below).zero
            added = self._over(self.kind(right), below)
            if not zero.empty:  # where the divisor is 0, nothing is added to `old`
                added = self._with_zero(added, zero)
        else:
            added = self._quotient(right, size) if right[0] == "sum" else self._over(self.kind(right), self.kind(size))
            if equation.empty is not None:
                # At this row a mean with a strict mask has no position to read: nothing is added.
                empty = self.formula(equals(AT, at_place(equation.empty, AT))).yes
                added = self._with_zero(added, empty)
        return self.added(base, added, 1)

    def recursion(self, equation: Equation) -> tuple[int, dict[int, list[int]]]:
        """A recursion over the symbols of a prefix, as of the automaton of ``matches``: its first value, and for each
        value the next one by the number of the symbol.

        At the row `equation.empty` nothing has been read: the value there may depend neither on the symbol nor on a
        value before. In each later row the value follows from the value before and the symbol.
        """
        name, begin = equation.name, equation.empty
        if begin is None or begin[0] != "num":
            raise OutsideFragment(f"in {name}: a recursion does not begin at a number")
        row = int(begin[1][0])
        # In the first row, the symbol and the value before are replaced by a symbol outside of the string. If the
        # value depends on either, it is undefined, and `_constant` raises.
        before, symbol = at(name, ("-", None, (HERE, num(1))), LETTERS), at("w", HERE, LETTERS)
        nowhere = at("w", num(self.problem.start - 1), LETTERS)
        first = self._constant(replace(_replaced(equation.right, {before: nowhere, symbol: nowhere}), HERE, begin))
        todo, moves = [first], dict[int, list[int]]()
        for value in todo:
            steps = (_replaced(equation.right, {before: num(value), symbol: num(s)}) for s in range(self.t.symbols))
            moves[value] = [self._constant(_at_later_rows(step, row + 1)) for step in steps]
            todo += [to for to in dict.fromkeys(moves[value]) if to not in todo]
            if len(todo) > MOST_STATES:
                raise OutsideFragment(f"the automaton of the statement has more than {MOST_STATES:,} states")
        return first, moves

    def _state(self, equation: Equation) -> FiniteTerm:
        """The values of a recursion, each where the automaton is in that state."""
        _, moves = self.recursion(equation)
        number = {value: k for k, value in enumerate(moves)}
        begin = equation.empty or num(0)
        rows = [[number[to] for to in row] for row in moves.values()]
        read = self.t.reached("@", rows, int(begin[1][0]) + 1 - self.problem.start)
        return FiniteTerm(nonempty({Fraction(v): read[k] for v, k in number.items()}))

    def _constant(self, t: Term) -> int:
        """The integer that a term is in all strings; OutsideFragment for any other term."""
        value = self._number(self.kind(t))
        if value is not None and value.denominator == 1:
            return int(value)
        raise OutsideFragment(f"a recursion with the value {_text(t)}")

    def _number(self, kind: TermKind) -> Fraction | None:
        """The one number that a term is; None where it has several values, or none somewhere."""
        if isinstance(kind, FiniteTerm) and len(kind.values) == 1:
            ((value, where),) = kind.values.items()
            if self.t.complement(where).empty:
                return value
        return None


def _denied(truths: TruthSets) -> TruthSets:
    """The truth of a negation."""
    return TruthSets(truths.no, truths.yes)


def _replaced(t: Term, values: Mapping[Term, Term]) -> Term:
    """The term with each key of `values` replaced by its value."""
    for old, new in values.items():
        t = replace(t, old, new)
    return t


def _at_later_rows(t: Term, row: int) -> Term:
    """The term as it is at each row i from `row` on: ``k <= i`` is true there for each number k up to `row`.
    OutsideFragment where the term depends on i otherwise."""
    for compared in {*subterms(t)}:
        if (
            compared[0] == "<="
            and compared[2][0][0] == "num"
            and compared[2][1] == HERE
            and Fraction(*compared[2][0][1]) <= row
        ):
            t = replace(t, compared, TRUE)
    if HERE in free(t):
        raise OutsideFragment(f"a recursion that reads {_text(t)}")
    return t


def _implied(f: Term) -> tuple[list[Term], Term]:
    """The premises of a chain of implications, and its conclusion."""
    premises = []
    while f[0] == "->":
        premises += flatten("&", f[2][0])
        f = f[2][1]
    return premises, f


def _chain(parts: Sequence[Term]) -> Term:
    """The chain of implications whose conclusion is the last formula and whose premises are the others."""
    return reduce(lambda end, premise: imp(premise, end), reversed(parts))


def _is_bound(f: Term, y: Term) -> bool:
    """Whether a comparison bounds a variable from one side."""
    return f[0] in ("<=", "<") and y in f[2] and y not in free(f[2][0]) & free(f[2][1])


def linear(t: Term, y: Term) -> tuple[Fraction, Term | None] | None:
    """A term as k*y + c: the number k and the term c, which is None where it is 0; None where t is not linear in y, or
    is written in another way, as with a quotient."""
    tag, _, kids = t
    if t == y:
        return Fraction(1), None
    if y not in free(t):
        return ZERO, t
    if tag in ("+", "-"):
        a, b = (linear(k, y) for k in kids)
        if a is None or b is None:
            return None
        sign = 1 if tag == "+" else -1
        constant_part = (tag, None, (a[1] or num(0), b[1])) if b[1] is not None else a[1]
        return a[0] + sign * b[0], constant_part
    if tag == "*":
        for factor, cofactor in (kids, kids[::-1]):
            if factor[0] == "num" and (inner := linear(cofactor, y)) is not None and inner[1] is None:
                return Fraction(*factor[1]) * inner[0], None
    return None


def _text(t: Term) -> str:
    """A term in an answer, without the marks of tracks."""
    return grammar.show(t).replace("@", "i")[:100]
