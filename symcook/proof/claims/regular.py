"""Fragment A: a claim over finitely many values and positions, decided by automata (`tracks`).

A term is finitely valued, a position, a sum or mean of finitely many values (compared with what lies on one side of
them, or counted up to a bound), or known by its sign. No shape of a head is looked for: that one place is selected,
that the best keys agree, that a condition holds on a prefix, are questions of emptiness.

Where a term reads a position that no string has, it has no value here: a formula has then no truth value either, unless
the rest decides it. So a claim that is TRUE is true whatever the functions are at such positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import count, product
from math import ceil, floor, isqrt
from typing import NamedTuple

from symcook.proof import grammar
from symcook.proof.claims.problem import Equation, N, Outside, Problem, at_place
from symcook.proof.claims.tracks import LAST, Automaton, Tracks
from symcook.proof.terms import COMPARISONS, Term, flatten, free, instantiate, num, var

AT = var("@", "Int")
"""The position of a coordinate, as a track."""
MOST_COUNTED = 60
MOST_VALUES = 64
ZERO = Fraction(0)
TESTS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "=": lambda a, b: a == b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
}


class Truth(NamedTuple):
    """Where a formula is true, and where it is false; elsewhere it depends on positions that no string has."""

    yes: Automaton
    no: Automaton


class Finite(NamedTuple):
    """A term with finitely many values: where it has each."""

    values: Mapping[Fraction, Automaton]


class Place(NamedTuple):
    """A sum of multiples of tracks and a number, where the tracks `bound` are those that the relations determine."""

    sums: Mapping[str, Fraction]
    number: Fraction
    relations: tuple[Automaton, ...] = ()
    bound: tuple[str, ...] = ()


class Total(NamedTuple):
    """A sum: `number`, and v for each position of the track `track` in D, for all (v, D) of `terms`. With `normed` it
    is divided by the number of these positions; `terms` has then those of the value 0 too. It means that `where`."""

    terms: tuple[tuple[Fraction, Automaton], ...]
    track: str
    where: Automaton
    normed: bool = False
    number: Fraction = ZERO


class Sign(NamedTuple):
    """Where a term is positive, where it is negative, and where it is 0."""

    positive: Automaton
    negative: Automaton
    zero: Automaton


class Cases(NamedTuple):
    """A position that one of several places is: where it is each."""

    parts: tuple[tuple[Automaton, Place], ...]


Kind = Finite | Place | Total | Sign | Cases


class Verdict(NamedTuple):
    """What the automata find: whether the claim is true of all strings, or else a smallest one of which it is false, as
    numbers of its tokens; and how many states the largest automaton had."""

    true: bool
    string: tuple[int, ...] | None
    states: int


class Regular:
    """The automata of one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.t = Tracks(max(problem.letters) + 1, problem.start)
        self.kinds: dict[Term, Kind] = {}
        self.truths: dict[Term, Truth] = {}
        self.coordinates: dict[str, Kind | None] = {}
        self.doubts: dict[str, None] = {}
        self.inside: list[str] = []
        self.numbers = count()
        self.depth = 0
        plain = [line for line in (problem.word, *problem.needs) if {v[1][0] for v in free(line)} <= {"n", "w"}]
        self.t.restrict(self.t.both(*[self.formula(line).yes for line in plain]))
        self.kinds.clear()
        self.truths.clear()
        self.premises = [line for line in problem.needs if line not in plain]

    def decided(self) -> Verdict:
        """The answer; Outside where the claim is none of this fragment."""
        claim = self.formula(self.problem.claim)
        for premise in self.premises:  # as that a norm does not refuse the string
            given = self.formula(premise)
            claim = Truth(self.t.either(given.no, claim.yes), self.t.both(given.yes, claim.no))
        whole = self.t.valid()
        wrong = self.t.without(claim.no, LAST)
        right = self.t.without(claim.yes, LAST)
        if self.t.less(whole, right).empty:
            return Verdict(True, None, self.t.largest)
        string = self.t.smallest(wrong)
        doubtful = self.t.smallest(self.t.less(whole, self.t.either(right, wrong)))
        if string is None or (doubtful is not None and (len(doubtful), doubtful) < (len(string), string)):
            raise Outside(next(iter(self.doubts), "it depends on a position that no string has"))
        return Verdict(False, string, self.t.largest)

    # --- Formulas ----------------------------------------------------------------------------------------------------

    def formula(self, f: Term) -> Truth:
        """Where a formula is true, and where it is false."""
        if f not in self.truths:
            self.truths[f] = self._formula(f)
        return self.truths[f]

    def _formula(self, f: Term) -> Truth:
        tag, data, kids = f
        t = self.t
        if tag in ("true", "false"):
            return Truth(*((t.valid(), t.nothing) if tag == "true" else (t.nothing, t.valid())))
        if tag == "~":
            return Truth(*self.formula(kids[0])[::-1])
        if tag in ("&", "|", "->"):
            a, b = self.formula(kids[0]), self.formula(kids[1])
            if tag == "&":
                return Truth(t.both(a.yes, b.yes), t.either(a.no, b.no))
            a = Truth(*a[::-1]) if tag == "->" else a
            return Truth(t.either(a.yes, b.yes), t.both(a.no, b.no))
        if tag in COMPARISONS:
            return self.compared(tag, kids[0], kids[1])
        if data != "Int":
            raise Outside("it quantifies over numbers that are no positions")
        y = self._track()
        body = instantiate(kids[0], (var(y, "Int"),))
        try:
            if tag == "ex" and (found := self._divided(body, y)) is not None:
                return found
            inner = body if tag == "ex" else ("~", None, (body,))
            guards = flatten("&", body) if tag == "ex" else _premises(body)
            spilled = self._spilled(guards, y)
            found = self.formula(inner)
        finally:
            self.depth -= 1
        yes = t.without(found.yes, y)
        no = t.less(t.complement(t.without(t.complement(found.no), y)), spilled)
        return Truth(yes, no) if tag == "ex" else Truth(no, yes)

    def _track(self) -> str:
        self.depth += 1
        return f"@{self.depth}"

    def _fresh(self) -> str:
        return f"@z{next(self.numbers)}"

    def _spilled(self, guards: Sequence[Term], y: str) -> Automaton:
        """Where a number that is no position may meet the guards of a variable."""
        here, one, low, high = var(y, "Int"), num(1), list[Term](), list[Term]()
        for op, _, (a, b) in (guard for guard in guards if guard[0] in ("<=", "<")):
            if b == here and here not in free(a):
                low.append(a if op == "<=" else ("+", None, (a, one)))
            elif a == here and here not in free(b):
                high.append(b if op == "<=" else ("-", None, (b, one)))
        if not low or not high:
            raise Outside("it quantifies over all integers")
        first, last = self.problem.places
        some = [self._not("<", b, a) for a in low for b in high]
        before, after = [self._not("<=", first, a) for a in low], [self._not("<=", b, last) for b in high]
        return self.t.either(self.t.both(*before, *some), self.t.both(*after, *some))

    def _not(self, op: str, left: Term, right: Term) -> Automaton:
        """Where a comparison may be false."""
        return self.t.complement(self.compared(op, left, right).yes)

    def _divided(self, body: Term, y: str) -> Truth | None:
        """The truth of ``ex q. T = m*q + r`` without a range for q: T has the remainder r."""
        if body[0] != "=" or var(y, "Int") not in free(body):
            return None
        found = _linear(("-", None, body[2]), var(y, "Int"))
        if found is None or not found[0] or found[0].denominator != 1 or found[1] is None:
            return None
        modulus, kind, t = abs(int(found[0])), self.kind(found[1]), self.t
        if isinstance(kind, Finite):
            groups = [(v % modulus == 0, d) for v, d in kind.values.items()]
            return Truth(t.either(*(d for good, d in groups if good)), t.either(*(d for good, d in groups if not good)))
        if isinstance(kind, Place):
            (track, sums), *more = kind.sums.items()
            if more or abs(sums) != 1 or kind.number.denominator != 1:
                raise Outside("the remainder of a sum of positions")
            good = t.remainder(track, modulus, int(-kind.number * sums) % modulus)
            return self._closed(Truth(good, t.complement(good)), kind)
        if isinstance(kind, Total) and not kind.normed:
            parts = [(v, d) for v, d in kind.terms if v]
            if all(v.denominator == 1 for v, _ in parts) and kind.number.denominator == 1:
                tallies = [t.tallied(d, kind.track, 0, modulus) for _, d in parts]
                yes, no = [], []
                for rests in product(range(modulus), repeat=len(parts)):
                    whole = kind.number + sum(v * r for (v, _), r in zip(parts, rests, strict=True))
                    there = t.both(kind.where, *(one[r] for one, r in zip(tallies, rests, strict=True)))
                    (no if whole % modulus else yes).append(there)
                return Truth(t.either(*yes), t.either(*no))
        raise Outside("the remainder of what is no position and no count")

    # --- Comparisons -------------------------------------------------------------------------------------------------

    def compared(self, op: str, left: Term, right: Term) -> Truth:
        """Where a comparison holds."""
        return self._compared(op, self.kind(left), self.kind(right))

    def _compared(self, op: str, a: Kind, b: Kind) -> Truth:
        t = self.t
        for one, turned in ((a, False), (b, True)):
            if isinstance(one, Cases):
                found = [(w, self._compared(op, a, p) if turned else self._compared(op, p, b)) for w, p in one.parts]
                return Truth(*(t.either(*(t.both(w, each[k]) for w, each in found)) for k in (0, 1)))
        if isinstance(a, Finite) and isinstance(b, Finite):
            found = self.combined([a, b], lambda u, v: Fraction(TESTS[op](u, v)))
            return Truth(*(found.values.get(Fraction(k), t.nothing) for k in (1, 0)))
        if isinstance(a, Place) and isinstance(b, Place):
            return self._placed(op, self._minus(a, b))
        for one, other, turned in ((a, b, False), (b, a, True)):
            if isinstance(other, Finite) and isinstance(one, Place | Total):
                yes, no = [], []
                for value, where in other.values.items():
                    found = self._against(op, one, value, turned)
                    yes.append(t.both(found.yes, where))
                    no.append(t.both(found.no, where))
                return Truth(t.either(*yes), t.either(*no))
        return _signed(op, self.sign(self.added(a, b, -1)), t)

    def _against(self, op: str, kind: Place | Total, value: Fraction, turned: bool) -> Truth:
        """Where kind op value; or, turned, value op kind."""
        if isinstance(kind, Place):
            scale = Fraction(-1 if turned else 1)
            sums = {track: k * scale for track, k in kind.sums.items()}
            return self._placed(op, kind._replace(sums=sums, number=(kind.number - value) * scale))
        found = self.total(kind, value)
        return _signed(op, Sign(found.negative, found.positive, found.zero) if turned else found, self.t)

    def _minus(self, a: Place, b: Place) -> Place:
        sums = dict(a.sums)
        for track, k in b.sums.items():
            sums[track] = sums.get(track, ZERO) - k
        return Place(
            {track: k for track, k in sums.items() if k},
            a.number - b.number,
            a.relations + b.relations,
            tuple(dict.fromkeys(a.bound + b.bound)),
        )

    def _placed(self, op: str, gap: Place) -> Truth:
        """Where gap op 0."""
        t = self.t
        sums = gap.sums
        if not sums:
            good = TESTS[op](gap.number, ZERO)
            yes = t.valid() if good else t.nothing
            return self._closed(Truth(yes, t.complement(yes)), gap)
        scale = abs(next(iter(sums.values())))
        bound = -gap.number / scale  # x - y op bound
        tracks = {k / scale: track for track, k in sums.items()}
        if len(tracks) != len(sums) or not {*tracks} <= {1, -1}:
            raise Outside(f"it compares a sum of positions: {_spelled(sums)}")
        x, y = tracks.get(Fraction(1)), tracks.get(Fraction(-1))
        if op == "=" and bound.denominator != 1:
            yes = t.nothing
        elif x is not None and y is not None:
            yes = t.apart(x, y, floor(bound) if op != "<" else ceil(bound) - 1, op == "=")
        elif x is not None:
            yes = t.at(x, floor(bound) if op != "<" else ceil(bound) - 1, op == "=")
        elif y is not None and op == "=":
            yes = t.at(y, -int(bound))
        else:  # -y <= bound, or <: no y below -bound
            least = ceil(-bound) if op != "<" else floor(-bound) + 1
            yes = t.complement(t.at(str(y), least - 1, False))
            yes = t.both(yes, t.valid(str(y)))
        return self._closed(Truth(yes, t.less(t.valid(*sums), yes)), gap)

    def _closed(self, found: Truth, place: Place) -> Truth:
        """The same where the bound tracks of a place are those of its relations."""
        return Truth(*(self._determined(one, place) for one in found))

    def _determined(self, a: Automaton, place: Place) -> Automaton:
        return self.t.without(self.t.both(a, *place.relations), *place.bound) if place.relations else a

    def total(self, kind: Total, value: Fraction) -> Sign:
        """Where a sum or mean is above, below and at a value."""
        t, value = self.t, value - kind.number
        there = [(v, t.without(d, kind.track), d) for v, d in kind.terms]
        if kind.normed or not value:
            above = t.either(*(some for v, some, _ in there if v > value))
            below = t.either(*(some for v, some, _ in there if v < value))
            if not t.both(above, below, kind.where).empty:
                self._doubt(
                    f"it compares a {'mean' if kind.normed else 'sum'} of smaller and larger terms with {value}"
                )
            out = (t.less(above, below), t.less(below, above), t.less(t.complement(above), below))
            return Sign(*(t.both(one, kind.where) for one in out))
        parts = [(v, d) for v, _, d in there if v and not d.empty]
        if len({v > 0 for v, _ in parts}) > 1:
            raise Outside("it compares a sum of positive and negative terms with a number that is not 0")
        most = [floor(abs(value / v)) + 1 for v, _ in parts]
        if max(most, default=0) > MOST_COUNTED:
            raise Outside(f"it compares a count with {max(most) - 1}")
        if not parts or (value > 0) is not (parts[0][0] > 0):
            nothing, whole = t.nothing, kind.where
            return Sign(nothing, whole, nothing) if value > 0 else Sign(whole, nothing, nothing)
        tallies = [t.tallied(d, kind.track, k) for (_, d), k in zip(parts, most, strict=True)]
        groups: dict[int, list[Automaton]] = {1: [], -1: [], 0: []}
        for counts in product(*(range(k + 1) for k in most)):
            whole = sum(v * k for (v, _), k in zip(parts, counts, strict=True)) - value
            there_too = t.both(kind.where, *(one[k] for one, k in zip(tallies, counts, strict=True)))
            groups[(whole > 0) - (whole < 0)].append(there_too)
        return Sign(*(t.either(*groups[k]) for k in (1, -1, 0)))

    def sign(self, kind: Kind) -> Sign:
        """Where a term is positive, negative and 0."""
        t = self.t
        if isinstance(kind, Sign):
            return kind
        if isinstance(kind, Cases):
            return self._signs([(where, self.sign(place)) for where, place in kind.parts])
        if isinstance(kind, Total):
            return self.total(kind, ZERO)
        if isinstance(kind, Place):
            zero = self._placed("=", kind).yes
            positive, negative = self._placed("<=", kind).no, self._placed("<", kind).yes
            return Sign(positive, negative, zero)
        return Sign(*(t.either(*(d for v, d in kind.values.items() if test(v))) for test in _SIGNS))

    # --- Terms -------------------------------------------------------------------------------------------------------

    def kind(self, t: Term) -> Kind:
        """What a term is."""
        if t not in self.kinds:
            self.kinds[t] = self._kind(t)
        return self.kinds[t]

    def _kind(self, term: Term) -> Kind:
        tag, data, kids = term
        t = self.t
        if tag == "num":
            return Finite({Fraction(*data): t.valid()})
        if tag == "var":
            if term == N:
                return Place({LAST: Fraction(1)}, Fraction(1 - self.problem.start))
            if data[0].startswith("@"):
                return Place({data[0]: Fraction(1)}, ZERO)
            raise Outside(f"it has the number {data[0]}, which is no position")
        if tag == "app":
            return self._applied(term)
        if tag == "ind":
            found = self.formula(kids[0])
            return Finite(_nonempty({Fraction(1): found.yes, ZERO: found.no}))
        if tag == "sum":
            return self._sum(term)
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
            a = self.kind(kids[0])
            if isinstance(a, Finite):
                return self.combined([a], lambda u: u**data)
            out: Kind = Finite({Fraction(1): t.valid()})
            for _ in range(data):
                out = self._times(out, a)
            return out
        if tag == "fn":
            return self._function(data, kids)
        raise Outside(f"it has the term {_text(term)}")

    def combined(self, kinds: Sequence[Finite], function: Callable[..., Fraction | None]) -> Finite:
        """The values of a function of finitely valued terms; None is no value."""
        out: dict[Fraction, list[Automaton]] = {}

        def walk(left: Sequence[Finite], values: list[Fraction], where: Automaton) -> None:
            if where.empty:
                return
            if not left:
                value = function(*values)
                if value is not None:
                    out.setdefault(value, []).append(where)
                return
            for value, there in left[0].values.items():
                walk(left[1:], [*values, value], self.t.both(where, there))

        walk(kinds, [], self.t.valid())
        if len(out) > MOST_VALUES:
            raise Outside(f"it has a term with more than {MOST_VALUES} values")
        return Finite({value: self.t.either(*parts) for value, parts in out.items()})

    def added(self, a: Kind, b: Kind, factor: int) -> Kind:
        """a + b, or a - b where the factor is -1."""
        if isinstance(a, Finite) and isinstance(b, Finite):
            return self.combined([a, b], lambda u, v: u + factor * v)
        if isinstance(a, Cases):
            return self.merged([(where, self.added(place, b, factor)) for where, place in a.parts])
        if isinstance(b, Cases):
            return self.merged([(where, self.added(a, place, factor)) for where, place in b.parts])
        b = self._scaled(b, Fraction(factor))
        for one, other in ((a, b), (b, a)):
            if isinstance(other, Finite) and len(other.values) == 1 and isinstance(one, Place | Total):
                ((value, _),) = other.values.items()
                return one._replace(number=one.number + value)
            if isinstance(other, Finite) and isinstance(one, Total) and one.normed:
                return self._mapped(one, other, lambda v, q: v + q)
        if isinstance(a, Place) and isinstance(b, Place):
            return self._minus(a, b._replace(sums={x: -k for x, k in b.sums.items()}, number=-b.number))
        if isinstance(a, Total) and isinstance(b, Total) and not a.normed and not b.normed:
            moved = tuple((v, self.t.renamed(d, {b.track: a.track})) for v, d in b.terms)
            where = self.t.both(a.where, b.where)
            return Total(a.terms + moved, a.track, where, False, a.number + b.number)
        p, q, t = self.sign(a), self.sign(b), self.t
        positive = t.either(t.both(p.positive, t.either(q.positive, q.zero)), t.both(p.zero, q.positive))
        negative = t.either(t.both(p.negative, t.either(q.negative, q.zero)), t.both(p.zero, q.negative))
        if not t.both(p.positive, q.negative).empty or not t.both(p.negative, q.positive).empty:
            self._doubt("it adds a positive term and a negative one, neither of which has finitely many values")
        return Sign(positive, negative, t.both(p.zero, q.zero))

    def _doubt(self, what: str) -> None:
        """Note what stays undecided."""
        self.doubts[": ".join([*self.inside[:1], what])] = None

    def _mapped(self, one: Total, other: Finite, function: Callable[[Fraction, Fraction], Fraction]) -> Total:
        """A sum or mean whose terms are those of `one` changed by the value of `other`."""
        terms: dict[Fraction, list[Automaton]] = {}
        for v, d in one.terms:
            for q, where in other.values.items():
                terms.setdefault(function(v, q), []).append(self.t.both(d, where))
        where = self.t.both(one.where, self.t.either(*other.values.values()))
        made = tuple((v, self.t.either(*parts)) for v, parts in terms.items())
        return Total(made, one.track, where, one.normed, ZERO)

    def merged(self, parts: Sequence[tuple[Automaton, Kind]]) -> Kind:
        """What is one thing or another, each where it says."""
        t = self.t
        places = [(where, kind) for where, kind in parts if isinstance(kind, Place)]
        finite = [(where, kind) for where, kind in parts if isinstance(kind, Finite)]
        if len(places) == len(parts):
            return Cases(tuple(places))
        if len(finite) == len(parts):
            values = dict.fromkeys(v for _, kind in finite for v in kind.values)
            return Finite({v: t.either(*(t.both(w, k.values[v]) for w, k in finite if v in k.values)) for v in values})
        return self._signs([(where, self.sign(kind)) for where, kind in parts])

    def _signs(self, parts: Sequence[tuple[Automaton, Sign]]) -> Sign:
        t = self.t
        return Sign(*(t.either(*(t.both(where, sign[k]) for where, sign in parts)) for k in (0, 1, 2)))

    def _scaled(self, a: Kind, factor: Fraction) -> Kind:
        if factor == 1:
            return a
        if isinstance(a, Cases):
            return self.merged([(where, self._scaled(place, factor)) for where, place in a.parts])
        if isinstance(a, Finite):
            return self.combined([a], lambda u: u * factor)
        if factor and isinstance(a, Place):
            return a._replace(sums={x: k * factor for x, k in a.sums.items()}, number=a.number * factor)
        if factor and isinstance(a, Total):
            return a._replace(terms=tuple((v * factor, d) for v, d in a.terms), number=a.number * factor)
        return self._times(Finite({factor: self.t.valid()}), self.sign(a))

    def _times(self, a: Kind, b: Kind) -> Kind:
        if isinstance(a, Finite) and isinstance(b, Finite):
            return self.combined([a, b], lambda u, v: u * v)
        for one, other in ((a, b), (b, a)):
            if isinstance(other, Finite) and len(other.values) == 1 and (value := next(iter(other.values))):
                if not isinstance(one, Sign):
                    return self._scaled(one, value)
            elif isinstance(other, Finite) and isinstance(one, Total) and not one.number:
                return self._mapped(one, other, lambda v, q: v * q)
        p, q, t = self.sign(a), self.sign(b), self.t
        positive = t.either(t.both(p.positive, q.positive), t.both(p.negative, q.negative))
        negative = t.either(t.both(p.positive, q.negative), t.both(p.negative, q.positive))
        return Sign(positive, negative, t.either(p.zero, q.zero))

    def _over(self, a: Kind, b: Kind) -> Kind:
        if isinstance(b, Finite):
            inverse = self.combined([b], lambda v: 1 / v if v else None)  # by 0 there is no value
            return self._times(a, inverse)
        below = self.sign(b)
        return self._times(self.sign(a), below._replace(zero=self.t.nothing))

    def _function(self, name: str, kids: Sequence[Term]) -> Kind:
        t, kinds = self.t, [self.kind(k) for k in kids]
        finite = [k for k in kinds if isinstance(k, Finite)]
        if name in _EXACT and len(finite) == len(kinds):
            return self.combined(finite, _EXACT[name])
        if name in ("exp", "pow") and (name == "exp" or isinstance(kinds[0], Finite)):
            if name == "pow" and isinstance(kinds[0], Finite) and {*kinds[0].values} <= {Fraction(-1), Fraction(1)}:
                return self._parity(kinds[0], kinds[1])
            if name == "exp" or (isinstance(kinds[0], Finite) and min(kinds[0].values) > 0):
                return Sign(self._defined(kinds), t.nothing, t.nothing)
        if name in ("relu", "abs", "sqrt") and len(kids) == 1:
            if name == "sqrt" and finite:
                roots = [_root(v) for v in finite[0].values]
                if None not in roots:
                    return self.combined(finite, _root)
            a = self.sign(kinds[0])
            if name == "abs":
                return Sign(t.either(a.positive, a.negative), t.nothing, a.zero)
            zero = a.zero if name == "sqrt" else t.either(a.zero, a.negative)
            return Sign(a.positive, t.nothing, zero)
        raise Outside(f"it has {name} of a term with infinitely many values")

    def _parity(self, base: Finite, exponent: Kind) -> Kind:
        """Powers of 1 and -1."""
        if not isinstance(exponent, Place) or len(exponent.sums) != 1 or {*exponent.sums.values()} > {1, -1}:
            raise Outside("it has a power of -1 whose exponent is no position")
        (track,) = exponent.sums
        even = self._determined(self.t.remainder(track, 2, int(exponent.number) % 2), exponent)
        odd = self._determined(self.t.remainder(track, 2, int(exponent.number + 1) % 2), exponent)
        return self.combined([base, Finite({ZERO: even, Fraction(1): odd})], lambda u, r: u if r else Fraction(1))

    def _defined(self, kinds: Iterable[Kind]) -> Automaton:
        """Where terms have a value."""
        parts = []
        for kind in kinds:
            if isinstance(kind, Finite):
                parts.append(self.t.either(*kind.values.values()))
            elif isinstance(kind, Cases):
                parts.append(self.t.either(*(where for where, _ in kind.parts)))
            elif isinstance(kind, Place):
                parts.append(self._determined(self.t.valid(), kind))
            elif isinstance(kind, Total):
                parts.append(kind.where)
            else:
                parts.append(self.t.either(*kind))
        return self.t.both(*parts)

    # --- Sums --------------------------------------------------------------------------------------------------------

    def _range(self, low: Term, high: Term, y: str) -> tuple[Automaton, Automaton]:
        """The positions y of a range, and where the range leaves the string."""
        here = var(y, "Int")
        guards = (("<=", None, (low, here)), ("<=", None, (here, high)))
        inside = self.t.both(*(self.formula(one).yes for one in guards))
        return inside, self._spilled(guards, y)

    def _sum(self, term: Term) -> Kind:
        low, high, body = term[2]
        y = self._track()
        try:
            inside, spilled = self._range(low, high, y)
            body = instantiate(body, (var(y, "Int"),))
            chosen = self._chosen(body, inside, y, spilled)
            kind = chosen or self.kind(body)
            return kind if chosen else self._summed(kind, inside, spilled, y, (low, high))
        finally:
            self.depth -= 1

    def _chosen(self, body: Term, inside: Automaton, y: str, spilled: Automaton) -> Place | None:
        """The place of a sum of I[F(y)]*(k*y + c) where one y has F; 0 where none has."""
        if body[0] != "*" or body[2][0][0] != "ind":
            return None
        value, t = self.kind(body[2][1]), self.t
        if not isinstance(value, Place) or value.sums.keys() != {y} or value.relations:
            return None
        found = self.formula(body[2][0][2][0])
        there = t.both(found.yes, inside)
        if not self.single(there, y) or not spilled.empty or not t.less(inside, t.either(*found)).empty:
            raise Outside("it adds several positions")
        none = t.complement(t.without(there, y))
        if not none.empty and (self.problem.start == 1 or value.number):
            raise Outside("it has the sum of a position that may not exist")
        place = self._placed_at(value, y, there)
        if none.empty:
            return place
        (z,) = place.bound
        return place._replace(relations=(t.either(*place.relations, t.both(none, t.at(z, 0))),))

    def _placed_at(self, value: Place, y: str, there: Automaton) -> Place:
        """A multiple of y and a number, at the only y of a set."""
        z = self._fresh()
        return Place({z: value.sums[y]}, value.number, (self.t.renamed(there, {y: z}),), (z,))

    def single(self, a: Automaton, y: str) -> bool:
        """Whether there is at most one position y."""
        z = self._fresh()
        return self.t.both(a, self.t.renamed(a, {y: z}), self.t.apart(y, z, -1, False)).empty

    def _summed(self, kind: Kind, inside: Automaton, spilled: Automaton, y: str, ends: tuple[Term, Term]) -> Kind:
        t = self.t
        if isinstance(kind, Total | Place | Cases):
            kind = self.sign(kind)
        if isinstance(kind, Sign):
            signs = zip((Fraction(1), Fraction(-1), ZERO), kind, strict=True)
            parts = {v: t.both(d, inside) for v, d in signs}
        else:
            parts = {v: t.both(d, inside) for v, d in kind.values.items()}
        undefined = t.without(t.less(inside, t.either(*parts.values())), y)
        where = t.complement(t.either(undefined, spilled))
        other = t.either(*(d for v, d in parts.items() if v))
        if isinstance(kind, Sign):
            return self.total(Total(tuple(parts.items()), y, where), ZERO)
        if other.empty:
            return Finite({ZERO: where})
        if self.single(other, y):
            values = {v: t.both(t.without(d, y), where) for v, d in parts.items() if v}
            values[ZERO] = t.less(where, t.without(other, y))
            return Finite(_nonempty(values))
        z = self._fresh()
        parts = {v: t.renamed(d, {y: z}) for v, d in parts.items()}
        if {v for v, d in parts.items() if not d.empty} <= {ZERO, Fraction(1)}:
            place = self._prefix(parts, z, ends) if t.complement(where).empty else None
            if place is not None:
                return place
        return Total(tuple((v, d) for v, d in parts.items() if not d.empty), z, where)

    def _prefix(self, parts: Mapping[Fraction, Automaton], y: str, ends: tuple[Term, Term]) -> Place | Cases | None:
        """The number of positions with 1, where these are the first ones of the range, or the last ones."""
        t, z = self.t, self._fresh()
        yes, no = parts[Fraction(1)], t.renamed(parts.get(ZERO, t.nothing), {y: z})
        if no.empty:
            return None
        low, high = (self.kind(one) for one in ends)
        if not isinstance(low, Place):
            low = self.added(Place({}, ZERO), low, 1)
        if not isinstance(low, Place) or not isinstance(high, Place):
            return None
        u = self._fresh()
        moved, some = t.renamed(yes, {y: u}), t.without(yes, y)
        if t.both(yes, no, t.apart(z, y, -1, False)).empty:  # none with 0 before one with 1: up to the last with 1
            last = t.less(moved, t.without(t.both(yes, t.apart(u, y, -1, False)), y))
            place = self._minus(Place({u: Fraction(1)}, Fraction(1), (last,), (u,)), low)
        elif t.both(yes, no, t.apart(y, z, -1, False)).empty:
            first = t.less(moved, t.without(t.both(yes, t.apart(y, u, -1, False)), y))
            place = self._minus(high._replace(number=high.number + 1), Place({u: Fraction(1)}, ZERO, (first,), (u,)))
        else:
            return None
        none = t.complement(some)
        return place if none.empty else Cases(((some, place), (none, Place({}, ZERO))))

    def _quotient(self, total: Term, size: Term) -> Kind:
        """A sum divided by its length, by the sum of its weights, or by what has a sign."""
        a = self.kind(total)
        if size[0] == "sum" and size[2][:2] == total[2][:2]:
            found = self._weighted(total, size)
            if found is not None:
                return found
        b = self.kind(size)
        if isinstance(a, Total) and not a.number:
            low, high, _ = total[2]
            length = self.added(
                self.added(self.kind(high), self.kind(low), -1), Finite({Fraction(1): self.t.valid()}), 1
            )
            if isinstance(length, Place) and isinstance(b, Place) and length[:2] == b[:2] and not length.bound:
                return self._single_valued(a._replace(normed=True, where=self.t.both(a.where, self._present(a))))
        return self._over(a, b)

    def _weighted(self, total: Term, size: Term) -> Kind | None:
        """A mean of values by weights that are not negative: over the positions with a positive weight."""
        low, high, weight = size[2]
        body, t = total[2][2], self.t
        if body[0] != "*" or body[2][0] != weight:
            return None
        y = self._track()
        try:
            inside, spilled = self._range(low, high, y)
            weights = self.sign(self.kind(instantiate(weight, (var(y, "Int"),))))
            if not t.both(inside, t.less(inside, t.either(weights.positive, weights.zero))).empty or not spilled.empty:
                return None
            value = self.kind(instantiate(body[2][1], (var(y, "Int"),)))
        finally:
            self.depth -= 1
        inside = t.both(inside, weights.positive)
        if isinstance(value, Place) and value.sums.keys() == {y} and not value.relations and self.single(inside, y):
            return self._placed_at(value, y, inside)
        if not isinstance(value, Finite):
            sign = self.sign(value)
            parts = dict(zip((Fraction(1), Fraction(-1), ZERO), (t.both(d, inside) for d in sign), strict=True))
        else:
            parts = {v: t.both(d, inside) for v, d in value.values.items()}
        undefined = t.without(t.less(inside, t.either(*parts.values())), y)
        where = t.less(t.without(inside, y), undefined)  # without weights there is no value
        z = self._fresh()
        made = Total(tuple((v, t.renamed(d, {y: z})) for v, d in parts.items() if not d.empty), z, where, True)
        return self._single_valued(made) if isinstance(value, Finite) else self.total(made, ZERO)

    def _present(self, total: Total) -> Automaton:
        """Where a sum has a term."""
        return self.t.either(*(self.t.without(d, total.track) for _, d in total.terms))

    def _single_valued(self, mean: Total) -> Kind:
        """A mean that never has two different values is finitely valued."""
        t = self.t
        there = [(v, t.both(t.without(d, mean.track), mean.where)) for v, d in mean.terms]
        if any(not t.both(a, b).empty for k, (_, a) in enumerate(there) for _, b in there[:k]):
            return mean
        return Finite(_nonempty(dict(there)))

    # --- Coordinates -------------------------------------------------------------------------------------------------

    def _applied(self, term: Term) -> Kind:
        """A function of the statement at a place."""
        head, *arguments = term[2]
        name = head[1][0]
        if len(arguments) > 1:
            raise Outside(f"it has the function {name} of two arguments")
        place = self.kind(arguments[0])
        if isinstance(place, Finite) and len(place.values) == 1:
            place = Place({}, next(iter(place.values)))
        if isinstance(place, Cases):
            return self.merged([(where, self._at(name, one)) for where, one in place.parts])
        if not isinstance(place, Place):
            raise Outside(f"it reads {name} at {_text(arguments[0])}, which is no position")
        return self._at(name, place)

    def _at(self, name: str, place: Place) -> Kind:
        if name == "w":
            symbols = {Fraction(s): self.t.symbol("@", s) for s in self.problem.letters}
            return self._moved(Finite(_nonempty(symbols)), place)
        return self._moved(self.coordinate(name), place)

    def coordinate(self, name: str) -> Kind:
        """What a coordinate is at the track ``@``."""
        if name in self.coordinates:
            found = self.coordinates[name]
            if found is None:
                raise Outside(f"the coordinate {name}, which its own value defines")
            return found
        equation = self.problem.equations.get(name)
        if equation is None:
            lines = "; ".join(self.problem.outside)
            raise Outside(f"the coordinate {name}, whose equation has another form ({lines[:200]})")
        self.coordinates[name] = None
        depth, self.depth = self.depth, 0
        self.inside.append(name)
        try:
            self.coordinates[name] = found = self._defined_by(equation)
        except Outside as error:
            del self.coordinates[name]
            raise Outside(f"{name}: {error}" if not str(error).startswith(f"{name}:") else str(error)) from None
        finally:
            self.depth = depth
            self.inside.pop()
        return found

    def _defined_by(self, equation: Equation) -> Kind:
        right, size, old = (at_place(one, AT) for one in (equation.right, equation.size, equation.old))
        if equation.kind == "value":
            return self.kind(right)
        base = self.kind(old)
        if equation.kind == "norm":
            below = self.kind(size)
            zero = self.sign(below).zero
            added = self._over(self.kind(right), below)
            if not zero.empty:  # there it has no more than its bias
                added = self._with_zero(added, zero)
        else:
            added = self._quotient(right, size) if right[0] == "sum" else self._over(self.kind(right), self.kind(size))
            if equation.empty is not None:
                empty = self.formula(("=", None, (AT, at_place(equation.empty, AT)))).yes
                added = self._with_zero(added, empty)
        return self.added(base, added, 1)

    def _with_zero(self, kind: Kind, where: Automaton) -> Kind:
        """The same, and 0 at some places."""
        t = self.t
        if isinstance(kind, Finite):
            values = {v: t.less(d, where) for v, d in kind.values.items()}
            values[ZERO] = t.either(values.get(ZERO, t.nothing), where)
            return Finite(_nonempty(values))
        if isinstance(kind, Total):
            terms = [(v, t.less(d, where)) for v, d in kind.terms]
            one = t.both(where, t.apart("@", kind.track, 0, True))  # the 0 stands at the place itself
            return kind._replace(terms=(*terms, (-kind.number, one)), where=t.either(kind.where, where))
        sign = self.sign(kind)
        return Sign(t.less(sign.positive, where), t.less(sign.negative, where), t.either(sign.zero, where))

    def _moved(self, kind: Kind, place: Place) -> Kind:
        """What is known at the track ``@``, at a place."""
        t = self.t
        if place.number.denominator != 1 or not (
            not place.sums or (len(place.sums) == 1 and next(iter(place.sums.values())) == 1)
        ):
            raise Outside(f"it reads the position {_spelled(place.sums, place.number)}")
        track = next(iter(place.sums), None)
        if track is not None and not place.number and not place.relations:
            relations, bound, at = (), (), track
        else:
            at = self._fresh()
            number = int(place.number)
            where = t.at(at, number) if track is None else t.apart(at, track, number, True)
            relations, bound = (where, *place.relations), (at, *place.bound)

        def put(a: Automaton) -> Automaton:
            moved = t.renamed(a, {"@": at})
            return t.without(t.both(moved, *relations), *bound) if relations else moved

        if isinstance(kind, Finite):
            return Finite(_nonempty({v: put(d) for v, d in kind.values.items()}))
        if isinstance(kind, Sign):
            return Sign(*(put(d) for d in kind))
        if isinstance(kind, Total):
            return kind._replace(terms=tuple((v, put(d)) for v, d in kind.terms), where=put(kind.where))
        if isinstance(kind, Cases):
            return Cases(tuple((put(where), self._put(one, at, relations, bound)) for where, one in kind.parts))
        return self._put(kind, at, relations, bound)

    def _put(self, kind: Place, at: str, relations: tuple[Automaton, ...], bound: tuple[str, ...]) -> Place:
        names = {"@": at} | {z: self._fresh() for z in kind.bound}
        sums = {names.get(x, x): k for x, k in kind.sums.items()}
        own = tuple(self.t.renamed(d, names) for d in kind.relations)
        return Place(sums, kind.number, own + relations, tuple(names[z] for z in kind.bound) + bound)


def _premises(f: Term) -> list[Term]:
    """What a chain of implications supposes."""
    out = []
    while f[0] == "->":
        out += flatten("&", f[2][0])
        f = f[2][1]
    return out


def _signed(op: str, sign: Sign, t: Tracks) -> Truth:
    """Where a term with this sign is op 0."""
    if op == "=":
        return Truth(sign.zero, t.either(sign.positive, sign.negative))
    if op == "<":
        return Truth(sign.negative, t.either(sign.positive, sign.zero))
    return Truth(t.either(sign.negative, sign.zero), sign.positive)


def _linear(t: Term, y: Term) -> tuple[Fraction, Term | None] | None:
    """A term as k*y + rest: k and the rest; None where it is not linear in y."""
    tag, _, kids = t
    if t == y:
        return Fraction(1), None
    if y not in free(t):
        return ZERO, t
    if tag in ("+", "-"):
        a, b = (_linear(k, y) for k in kids)
        if a is None or b is None:
            return None
        sign = 1 if tag == "+" else -1
        rest = (tag, None, (a[1] or num(0), b[1])) if b[1] is not None else a[1]
        return a[0] + sign * b[0], rest
    if tag == "*":
        for one, other in (kids, kids[::-1]):
            if one[0] == "num" and (found := _linear(other, y)) is not None and found[1] is None:
                return Fraction(*one[1]) * found[0], None
    return None


def _nonempty(values: Mapping[Fraction, Automaton]) -> dict[Fraction, Automaton]:
    return {v: d for v, d in values.items() if not d.empty}


def _root(value: Fraction) -> Fraction | None:
    """The rational root of a number; None where it has none."""
    if value < 0:
        return None
    above, below = isqrt(value.numerator), isqrt(value.denominator)
    root = Fraction(above, below)
    return root if root * root == value else None


def _text(t: Term) -> str:
    """A term in an answer, without the marks of tracks."""
    return grammar.show(t).replace("@", "i")[:100]


def _spelled(sums: Mapping[str, Fraction], number: Fraction = ZERO) -> str:
    """A sum of positions in an answer."""
    names = {track: "n" if track == LAST else chr(ord("i") + k) for k, track in enumerate(sums)}
    parts = [f"{'' if k == 1 else '-' if k == -1 else f'{k}*'}{names[track]}" for track, k in sums.items()]
    return " + ".join([*parts, *([str(number)] if number or not parts else [])]).replace("+ -", "- ")


_SIGNS: tuple[Callable[[Fraction], bool], ...] = (lambda v: v > 0, lambda v: v < 0, lambda v: v == 0)
_EXACT: Mapping[str, Callable[..., Fraction]] = {
    "relu": lambda v: max(v, ZERO),
    "abs": lambda v: abs(v),
    "min": lambda u, v: min(u, v),
    "max": lambda u, v: max(u, v),
}
