"""Arithmetic and comparisons of terms that automata know: the rules by kind of term (`kinds`).

A comparison of two kinds gives the strings in which it is true and in which it is false; a sum, a product or a
function of kinds gives a kind again. Where no rule fits exactly, only the sign of a term is kept. Where that is not
determined either, the strings are left out of all answers and the reason is put down in `doubts`, or OutsideFragment is
raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import count, product
from math import ceil, floor

from symcook.proof.claims.byautomata.kinds import (
    EXACT,
    SIGNS,
    TESTS,
    ZERO,
    FiniteTerm,
    PlaceCases,
    PlaceTerm,
    SignTerm,
    TermKind,
    TotalTerm,
    TruthSets,
    anywhere,
    nonempty,
    root,
    signed,
    spelled,
)
from symcook.proof.claims.byautomata.tracks import Tracks, TrackSet
from symcook.proof.claims.bycounts.problem import OutsideFragment

MOST_COUNTED = 60
"""To compare a sum with a number, positions are counted at most up to this number. The automaton that counts has a
state for each number."""
MOST_VALUES = 64
"""The greatest number of values of a term with finitely many values. Sums of two such terms have a case for each pair.
24 claims of an unseen set needed at most 6."""


class TermRules:
    """The rules, over the strings of `t`. `doubts` are the reasons why something stays undecided, in order; `inside`
    are the coordinates whose equations are being read, the outermost first."""

    def __init__(self, t: Tracks) -> None:
        self.t = t
        self.doubts: dict[str, None] = {}
        self.inside: list[str] = []
        self.numbers = count()

    def _fresh(self) -> str:
        """A name of a track that no term has."""
        return f"@z{next(self.numbers)}"

    def _compared(self, op: str, a: TermKind, b: TermKind) -> TruthSets:
        """The truth of ``a op b`` by the kinds of the two sides."""
        t = self.t
        # A side that is a position by cases: each case by itself. `turned` means that the side is b.
        for piecewise, turned in ((a, False), (b, True)):
            if isinstance(piecewise, PlaceCases):
                by_case = [
                    (w, self._compared(op, a, p) if turned else self._compared(op, p, b)) for w, p in piecewise.parts
                ]
                return TruthSets(*(t.either(*(t.both(w, truths[k]) for w, truths in by_case)) for k in (0, 1)))
        if isinstance(a, FiniteTerm) and isinstance(b, FiniteTerm):
            truth_value = self.combined([a, b], lambda u, v: Fraction(TESTS[op](u, v)))
            return TruthSets(*(truth_value.values.get(Fraction(k), t.nothing) for k in (1, 0)))
        # Two positions: their difference against 0.
        if isinstance(a, PlaceTerm) and isinstance(b, PlaceTerm):
            return self._placed(op, self._minus(a, b))
        for placed_term, finite, turned in ((a, b, False), (b, a, True)):
            if isinstance(finite, FiniteTerm) and isinstance(placed_term, PlaceTerm | TotalTerm):
                yes, no = [], []
                for value, where in finite.values.items():
                    compared = self._against(op, placed_term, value, turned)
                    yes.append(t.both(compared.yes, where))
                    no.append(t.both(compared.no, where))
                return TruthSets(t.either(*yes), t.either(*no))
        # All other kinds: by the sign of the difference.
        return signed(op, self.sign(self.added(a, b, -1)), t)

    def _against(self, op: str, kind: PlaceTerm | TotalTerm, value: Fraction, turned: bool) -> TruthSets:
        """The truth of ``kind op value``, or, with `turned`, of ``value op kind``."""
        if isinstance(kind, PlaceTerm):
            scale = Fraction(-1 if turned else 1)
            sums = {track: k * scale for track, k in kind.sums.items()}
            return self._placed(op, kind._replace(sums=sums, number=(kind.number - value) * scale))
        sign = self.total(kind, value)
        return signed(op, SignTerm(sign.negative, sign.positive, sign.zero) if turned else sign, self.t)

    def _minus(self, a: PlaceTerm, b: PlaceTerm) -> PlaceTerm:
        """The difference of two sums of positions; tracks that cancel each other are left out."""
        sums = dict(a.sums)
        for track, k in b.sums.items():
            sums[track] = sums.get(track, ZERO) - k
        return PlaceTerm(
            {track: k for track, k in sums.items() if k},
            a.number - b.number,
            a.relations + b.relations,
            tuple(dict.fromkeys(a.bound + b.bound)),
        )

    def _placed(self, op: str, gap: PlaceTerm) -> TruthSets:
        """Where ``gap op 0`` is true, and where it is false."""
        t = self.t
        sums = gap.sums
        # A number against 0: it is true of all strings, or of none.
        if not sums:
            good = TESTS[op](gap.number, ZERO)
            yes = t.valid() if good else t.nothing
            return self._closed(TruthSets(yes, t.complement(yes)), gap)
        # With factors of one size the gap is x - y, x or -y, up to a positive scale.
        scale = abs(next(iter(sums.values())))
        bound = -gap.number / scale  # x - y op bound
        tracks = {k / scale: track for track, k in sums.items()}
        if len(tracks) != len(sums) or not {*tracks} <= {1, -1}:
            # Any other sum is compared only where the comparison has one truth value at all positions of all strings.
            good = anywhere(op, gap, t.start)
            if good is None:
                raise OutsideFragment(f"the statement compares a sum of positions: {spelled(sums)}")
            yes = t.valid(*sums) if good else t.nothing
            return self._closed(TruthSets(yes, t.less(t.valid(*sums), yes)), gap)
        # Over the integers: x - y < b means x - y <= ceil(b) - 1, and an equation needs a whole number.
        x, y = tracks.get(Fraction(1)), tracks.get(Fraction(-1))
        if op == "=" and bound.denominator != 1:
            yes = t.nothing
        elif x is not None and y is not None:
            yes = t.apart(x, y, floor(bound) if op != "<" else ceil(bound) - 1, op == "=")
        elif x is not None:
            yes = t.at(x, floor(bound) if op != "<" else ceil(bound) - 1, op == "=")
        elif y is not None and op == "=":
            yes = t.at(y, -int(bound))
        else:  # -y <= bound, or -y < bound: y is at least `least`
            least = ceil(-bound) if op != "<" else floor(-bound) + 1
            yes = t.complement(t.at(str(y), least - 1, False))
            yes = t.both(yes, t.valid(str(y)))
        return self._closed(TruthSets(yes, t.less(t.valid(*sums), yes)), gap)

    def _closed(self, truths: TruthSets, place: PlaceTerm) -> TruthSets:
        """The sets `truths` with the bound tracks of a place put where its relations say, and dropped."""
        return TruthSets(*(self._determined(truth_set, place) for truth_set in truths))

    def _determined(self, a: TrackSet, place: PlaceTerm) -> TrackSet:
        """The strings of `a` in which the bound tracks of a place are marked as its relations say; the bound tracks are
        dropped."""
        return self.t.without(self.t.both(a, *place.relations), *place.bound) if place.relations else a

    def total(self, kind: TotalTerm, value: Fraction) -> SignTerm:
        """Where a sum or mean is above, below and at a value."""
        t, value = self.t, value - kind.number
        # (v, the strings with a term v, the same strings with its positions marked)
        marked = [(v, t.without(d, kind.track), d) for v, d in kind.terms]
        # A mean lies above a number if some term does and none lies below, whatever the weights are. The same holds for
        # a sum compared with 0.
        if kind.normed or not value:
            above = t.either(*(strings for v, strings, _ in marked if v > value))
            below = t.either(*(strings for v, strings, _ in marked if v < value))
            if not t.both(above, below, kind.where).empty:
                total = "mean" if kind.normed else "sum"
                self._doubt(f"the statement compares a {total} of smaller and larger terms with {value}")
            out = (t.less(above, below), t.less(below, above), t.less(t.complement(above), below))
            return SignTerm(*(t.both(sign_set, kind.where) for sign_set in out))
        # A sum against another number: the terms must have one sign, so that it is enough to count up to the number.
        parts = [(v, d) for v, _, d in marked if v and not d.empty]
        if len({v > 0 for v, _ in parts}) > 1:
            raise OutsideFragment("the statement compares a sum of positive and negative terms with a nonzero number")
        # The sum is 0 or has the other sign than the value: it lies on one side of the value everywhere.
        if not parts or (value > 0) is not (parts[0][0] > 0):
            nothing, everywhere = t.nothing, kind.where
            return SignTerm(nothing, everywhere, nothing) if value > 0 else SignTerm(everywhere, nothing, nothing)
        # Each count stops where the terms v alone make the sum pass the value.
        most = [floor(abs(value / v)) + 1 for v, _ in parts]
        if max(most) > MOST_COUNTED:
            raise OutsideFragment(f"the statement compares a count with {max(most) - 1}")
        # By how many positions have each v.
        tallies = [t.tallied(d, kind.track, k) for (_, d), k in zip(parts, most, strict=True)]
        groups: dict[int, list[TrackSet]] = {1: [], -1: [], 0: []}
        for counts in product(*(range(k + 1) for k in most)):
            total = sum(v * k for (v, _), k in zip(parts, counts, strict=True)) - value
            strings = t.both(kind.where, *(tally[k] for tally, k in zip(tallies, counts, strict=True)))
            groups[(total > 0) - (total < 0)].append(strings)
        return SignTerm(*(t.either(*groups[k]) for k in (1, -1, 0)))

    def sign(self, kind: TermKind) -> SignTerm:
        """The sign of a term, as far as it is known."""
        t = self.t
        if isinstance(kind, SignTerm):
            return kind
        if isinstance(kind, PlaceCases):
            return self._signs([(where, self.sign(place)) for where, place in kind.parts])
        if isinstance(kind, TotalTerm):
            return self.total(kind, ZERO)
        if isinstance(kind, PlaceTerm):
            zero = self._placed("=", kind).yes
            positive, negative = self._placed("<=", kind).no, self._placed("<", kind).yes
            return SignTerm(positive, negative, zero)
        return SignTerm(*(t.either(*(d for v, d in kind.values.items() if test(v))) for test in SIGNS))

    def combined(self, kinds: Sequence[FiniteTerm], function: Callable[..., Fraction | None]) -> FiniteTerm:
        """A function of terms with finitely many values, computed for all combinations of values. Where the function
        returns None, the result has no value."""
        out: dict[Fraction, list[TrackSet]] = {}

        def walk(remaining_kinds: Sequence[FiniteTerm], values: list[Fraction], where: TrackSet) -> None:
            """Go through the values of the remaining kinds; in the strings `where`, the kinds before have `values`."""
            if where.empty:
                return
            if not remaining_kinds:
                value = function(*values)
                if value is not None:
                    out.setdefault(value, []).append(where)
                return
            for value, there in remaining_kinds[0].values.items():
                walk(remaining_kinds[1:], [*values, value], self.t.both(where, there))

        walk(kinds, [], self.t.valid())
        if len(out) > MOST_VALUES:
            raise OutsideFragment(f"the statement has a term with more than {MOST_VALUES} values")
        return FiniteTerm({value: self.t.either(*parts) for value, parts in out.items()})

    def added(self, a: TermKind, b: TermKind, factor: int) -> TermKind:
        """a + b, or a - b where the factor is -1."""
        if isinstance(a, FiniteTerm) and isinstance(b, FiniteTerm):
            return self.combined([a, b], lambda u, v: u + factor * v)
        if isinstance(a, PlaceCases):
            return self.merged([(where, self.added(place, b, factor)) for where, place in a.parts])
        if isinstance(b, PlaceCases):
            return self.merged([(where, self.added(a, place, factor)) for where, place in b.parts])
        # From here on it is a + b.
        b = self._scaled(b, Fraction(factor))
        # A number added to a position or a sum; finitely many values added to a mean change each of its terms.
        for summand, finite in ((a, b), (b, a)):
            if (
                isinstance(finite, FiniteTerm)
                and len(finite.values) == 1
                and isinstance(summand, PlaceTerm | TotalTerm)
            ):
                ((value, where),) = finite.values.items()
                return self._within(summand._replace(number=summand.number + value), where)
            if isinstance(finite, FiniteTerm) and isinstance(summand, TotalTerm) and summand.normed:
                return self._mapped(summand, finite, lambda v, q: v + q)
        if isinstance(a, PlaceTerm) and isinstance(b, PlaceTerm):
            return self._minus(a, b._replace(sums={x: -k for x, k in b.sums.items()}, number=-b.number))
        # Two sums over one track are one sum.
        if isinstance(a, TotalTerm) and isinstance(b, TotalTerm) and not a.normed and not b.normed:
            moved = tuple((v, self.t.renamed(d, {b.track: a.track})) for v, d in b.terms)
            where = self.t.both(a.where, b.where)
            return TotalTerm(a.terms + moved, a.track, where, False, a.number + b.number)
        # All other kinds: by the signs, except where one term is positive and the other negative.
        p, q, t = self.sign(a), self.sign(b), self.t
        positive = t.either(t.both(p.positive, t.either(q.positive, q.zero)), t.both(p.zero, q.positive))
        negative = t.either(t.both(p.negative, t.either(q.negative, q.zero)), t.both(p.zero, q.negative))
        if not t.both(p.positive, q.negative).empty or not t.both(p.negative, q.positive).empty:
            self._doubt("the statement adds a positive and a negative term, both with infinitely many values")
        return SignTerm(positive, negative, t.both(p.zero, q.zero))

    def _doubt(self, what: str) -> None:
        """Add a reason to `doubts`, with the outermost coordinate that is being read before it."""
        self.doubts[": ".join([*self.inside[:1], what])] = None

    def _mapped(
        self, total: TotalTerm, finite: FiniteTerm, function: Callable[[Fraction, Fraction], Fraction]
    ) -> TotalTerm:
        """A sum or mean whose terms are those of `total` changed by the value of `finite`. The number of a sum must be
        0; that of a mean is added to each term before, which gives the same mean.

        Terms that become equal are one term in a mean, whose weights are unknown. In a sum they stay apart where they
        share a position, which counts for each of them."""
        t, terms = self.t, list[tuple[Fraction, TrackSet]]()
        for v, d in total.terms:
            changed: dict[Fraction, list[TrackSet]] = {}
            for q, where in finite.values.items():
                changed.setdefault(function(v + total.number, q), []).append(t.both(d, where))
            for value, parts in changed.items():
                there = t.either(*parts)
                for k, (old, held) in enumerate(terms):
                    if old == value and (total.normed or not value or t.both(held, there).empty):
                        terms[k] = value, t.either(held, there)
                        break
                else:
                    terms.append((value, there))
        where = t.both(total.where, t.either(*finite.values.values()))
        return TotalTerm(tuple(terms), total.track, where, total.normed, ZERO)

    def merged(self, parts: Sequence[tuple[TrackSet, TermKind]]) -> TermKind:
        """The kind of a term that is defined by cases: for each case its strings, and the kind of the term there."""
        t = self.t
        places = [(where, kind) for where, kind in parts if isinstance(kind, PlaceTerm)]
        finite = [(where, kind) for where, kind in parts if isinstance(kind, FiniteTerm)]
        if len(places) == len(parts):
            return PlaceCases(tuple(places))
        if len(finite) == len(parts):
            values = dict.fromkeys(v for _, kind in finite for v in kind.values)
            return FiniteTerm(
                {v: t.either(*(t.both(w, k.values[v]) for w, k in finite if v in k.values)) for v in values}
            )
        return self._signs([(where, self.sign(kind)) for where, kind in parts])

    def _signs(self, parts: Sequence[tuple[TrackSet, SignTerm]]) -> SignTerm:
        """The sign of a term by cases."""
        t = self.t
        return SignTerm(*(t.either(*(t.both(where, sign[k]) for where, sign in parts)) for k in (0, 1, 2)))

    def _scaled(self, a: TermKind, factor: Fraction) -> TermKind:
        """A kind times a number."""
        if factor == 1:
            return a
        if isinstance(a, PlaceCases):
            return self.merged([(where, self._scaled(place, factor)) for where, place in a.parts])
        if isinstance(a, FiniteTerm):
            return self.combined([a], lambda u: u * factor)
        if factor and isinstance(a, PlaceTerm):
            return a._replace(sums={x: k * factor for x, k in a.sums.items()}, number=a.number * factor)
        if factor and isinstance(a, TotalTerm):
            return a._replace(terms=tuple((v * factor, d) for v, d in a.terms), number=a.number * factor)
        # The factor is 0, or only the sign of the term is known: the product of signs.
        return self._times(FiniteTerm({factor: self.t.valid()}), self.sign(a))

    def _times(self, a: TermKind, b: TermKind) -> TermKind:
        """The product of two kinds: exact where one has finitely many values and the other allows it, else by signs."""
        if isinstance(a, FiniteTerm) and isinstance(b, FiniteTerm):
            return self.combined([a, b], lambda u, v: u * v)
        for factor, finite in ((a, b), (b, a)):
            # One number that is not 0 scales the other kind. One of several numbers multiplies each term of a sum.
            if isinstance(finite, FiniteTerm) and len(finite.values) == 1 and (value := next(iter(finite.values))):
                if not isinstance(factor, SignTerm):
                    return self._within(self._scaled(factor, value), finite.values[value])
            elif isinstance(finite, FiniteTerm) and isinstance(factor, TotalTerm) and not factor.number:
                return self._mapped(factor, finite, lambda v, q: v * q)
        # Otherwise by signs.
        p, q, t = self.sign(a), self.sign(b), self.t
        positive = t.either(t.both(p.positive, q.positive), t.both(p.negative, q.negative))
        negative = t.either(t.both(p.positive, q.negative), t.both(p.negative, q.positive))
        return SignTerm(positive, negative, t.either(p.zero, q.zero))

    def _over(self, a: TermKind, b: TermKind) -> TermKind:
        """The quotient of two kinds; where the divisor is 0 there is no value."""
        if isinstance(b, FiniteTerm):
            inverse = self.combined([b], lambda v: 1 / v if v else None)
            zero, quotient = b.values.get(ZERO, self.t.nothing), self._times(a, inverse)
        else:
            below = self.sign(b)
            zero, quotient = below.zero, self._times(self.sign(a), below._replace(zero=self.t.nothing))
        return quotient if zero.empty else self._within(quotient, self.t.complement(zero))

    def _within(self, kind: TermKind, where: TrackSet) -> TermKind:
        """The kind in the strings `where`; elsewhere it has no value."""
        t = self.t
        if t.complement(where).empty:
            return kind
        if isinstance(kind, PlaceTerm):
            return kind._replace(relations=(*kind.relations, where))
        if isinstance(kind, PlaceCases):
            return PlaceCases(tuple((t.both(there, where), place) for there, place in kind.parts))
        if isinstance(kind, TotalTerm):
            return kind._replace(where=t.both(kind.where, where))
        if isinstance(kind, SignTerm):
            return SignTerm(*(t.both(there, where) for there in kind))
        return FiniteTerm(nonempty({value: t.both(there, where) for value, there in kind.values.items()}))

    def _function(self, name: str, kinds: Sequence[TermKind]) -> TermKind:
        """A function of terms: exact where each has finitely many values, else by its sign."""
        t = self.t
        finite = [k for k in kinds if isinstance(k, FiniteTerm)]
        if name in EXACT and len(finite) == len(kinds):
            return self.combined(finite, EXACT[name])
        # exp is positive, and so is a power of a positive base; a power of -1 or 1 depends on the exponent's parity.
        if name == "exp":
            return SignTerm(self._defined(kinds), t.nothing, t.nothing)
        if name == "pow" and isinstance(kinds[0], FiniteTerm):
            if {*kinds[0].values} <= {Fraction(-1), Fraction(1)}:
                return self._parity(kinds[0], kinds[1])
            if min(kinds[0].values) > 0:
                return SignTerm(self._defined(kinds), t.nothing, t.nothing)
        if name in ("relu", "abs", "sqrt") and len(kinds) == 1:
            # Rational roots are exact; an irrational one has a sign alone.
            if name == "sqrt" and finite:
                roots = [root(v) for v in finite[0].values]
                if None not in roots:
                    return self.combined(finite, root)
            a = self.sign(kinds[0])
            if name == "abs":
                return SignTerm(t.either(a.positive, a.negative), t.nothing, a.zero)
            zero = a.zero if name == "sqrt" else t.either(a.zero, a.negative)
            return SignTerm(a.positive, t.nothing, zero)
        raise OutsideFragment(f"the statement has {name} of a term with infinitely many values")

    def _parity(self, base: FiniteTerm, exponent: TermKind) -> TermKind:
        """The power of a base with the values 1 and -1, by the parity of its exponent, a position."""
        if not isinstance(exponent, PlaceTerm) or len(exponent.sums) != 1 or {*exponent.sums.values()} - {1, -1}:
            raise OutsideFragment("the statement has a power of -1 whose exponent is not a position")
        if exponent.number.denominator != 1:
            raise OutsideFragment("the statement has a power of -1 whose exponent is no integer")
        (track,) = exponent.sums
        even = self._determined(self.t.remainder(track, 2, int(exponent.number) % 2), exponent)
        odd = self._determined(self.t.remainder(track, 2, int(exponent.number + 1) % 2), exponent)
        return self.combined([base, FiniteTerm({ZERO: even, Fraction(1): odd})], lambda u, r: u if r else Fraction(1))

    def _defined(self, kinds: Iterable[TermKind]) -> TrackSet:
        """The strings in which all of some terms have a value."""
        parts = []
        for kind in kinds:
            if isinstance(kind, FiniteTerm):
                parts.append(self.t.either(*kind.values.values()))
            elif isinstance(kind, PlaceCases):
                parts.append(self.t.either(*(where for where, _ in kind.parts)))
            elif isinstance(kind, PlaceTerm):
                parts.append(self._determined(self.t.valid(), kind))
            elif isinstance(kind, TotalTerm):
                parts.append(kind.where)
            else:
                parts.append(self.t.either(*kind))
        return self.t.both(*parts)

    def single(self, a: TrackSet, y: str) -> bool:
        """Whether each string of `a`, with its other tracks, has at most one position y."""
        z = self._fresh()
        return self.t.both(a, self.t.renamed(a, {y: z}), self.t.apart(y, z, -1, False)).empty

    def _placed_at(self, value: PlaceTerm, y: str, there: TrackSet) -> PlaceTerm:
        """The term k*y + c of `value` at the only position y of the set `there`."""
        z = self._fresh()
        return PlaceTerm({z: value.sums[y]}, value.number, (self.t.renamed(there, {y: z}),), (z,))

    def _present(self, total: TotalTerm) -> TrackSet:
        """The strings in which a sum has at least one term."""
        return self.t.either(*(self.t.without(d, total.track) for _, d in total.terms))

    def _single_valued(self, mean: TotalTerm) -> TermKind:
        """A mean whose terms have one value in each string is that value, a term with finitely many values; any other
        mean is returned as it is."""
        t = self.t
        strings_by_value = [(v, t.both(t.without(d, mean.track), mean.where)) for v, d in mean.terms]
        if any(not t.both(a, b).empty for k, (_, a) in enumerate(strings_by_value) for _, b in strings_by_value[:k]):
            return mean
        return FiniteTerm(nonempty(dict(strings_by_value)))

    def _with_zero(self, kind: TermKind, where: TrackSet) -> TermKind:
        """The term that is 0 in the set `where` and as `kind` says elsewhere."""
        t = self.t
        if isinstance(kind, FiniteTerm):
            values = {v: t.less(d, where) for v, d in kind.values.items()}
            values[ZERO] = t.either(values.get(ZERO, t.nothing), where)
            return FiniteTerm(nonempty(values))
        if isinstance(kind, TotalTerm):
            # In `where`, the only term is -number, at the position ``@`` itself: with number the sum is 0.
            terms = [(v, t.less(d, where)) for v, d in kind.terms]
            zero_place = t.both(where, t.apart("@", kind.track, 0, True))
            return kind._replace(terms=(*terms, (-kind.number, zero_place)), where=t.either(kind.where, where))
        sign = self.sign(kind)
        return SignTerm(t.less(sign.positive, where), t.less(sign.negative, where), t.either(sign.zero, where))

    def _moved(self, kind: TermKind, place: PlaceTerm) -> TermKind:
        """The kind of a term at `place`, from its kind at the track ``@``."""
        t = self.t
        # Only a number, or one track plus a number, is read.
        factors = [*place.sums.values()]
        if place.number.denominator != 1 or factors not in ([], [1]):
            raise OutsideFragment(f"the statement reads the position {spelled(place.sums, place.number)}")
        track = next(iter(place.sums), None)
        # A track itself takes the place of ``@``; any other place gets a track of its own, which a relation determines.
        if track is not None and not place.number and not place.relations:
            relations, bound, at = (), (), track
        else:
            at = self._fresh()
            number = int(place.number)
            where = t.at(at, number) if track is None else t.apart(at, track, number, True)
            relations, bound = (where, *place.relations), (at, *place.bound)

        def put(a: TrackSet) -> TrackSet:
            """The set with the mark ``@`` moved to the place."""
            moved = t.renamed(a, {"@": at})
            return t.without(t.both(moved, *relations), *bound) if relations else moved

        # Each set of the kind is moved. A position relative to ``@`` gets the relations of the place as well.
        if isinstance(kind, FiniteTerm):
            return FiniteTerm(nonempty({v: put(d) for v, d in kind.values.items()}))
        if isinstance(kind, SignTerm):
            return SignTerm(*(put(d) for d in kind))
        if isinstance(kind, TotalTerm):
            return kind._replace(terms=tuple((v, put(d)) for v, d in kind.terms), where=put(kind.where))
        if isinstance(kind, PlaceCases):
            return PlaceCases(
                tuple((put(where), self._put(part_value, at, relations, bound)) for where, part_value in kind.parts)
            )
        return self._put(kind, at, relations, bound)

    def _put(self, kind: PlaceTerm, at: str, relations: tuple[TrackSet, ...], bound: tuple[str, ...]) -> PlaceTerm:
        """A position that is known relative to ``@``, at the track `at`; its own bound tracks get new names."""
        names = {"@": at} | {z: self._fresh() for z in kind.bound}
        sums = {names.get(x, x): k for x, k in kind.sums.items()}
        own_relations = tuple(self.t.renamed(d, names) for d in kind.relations)
        return PlaceTerm(sums, kind.number, own_relations + relations, tuple(names[z] for z in kind.bound) + bound)
