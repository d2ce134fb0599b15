"""The facts of one case of a decision by counts, and the rows of the linear arithmetic that are made from them.

A fact is a comparison with a label in the proof. Its row is the same comparison with each atom expressed by counts and
positions (`atoms`). Formulas that have to be decided before that is possible are collected in `wanted`. An atom without
a rule is opaque: a number that may have any value. Atoms are read by `CaseDecision.read`, a method that is passed in,
so that the rules of atoms can import this file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from symcook.errors import Rejected
from symcook.locks import PRECISION
from symcook.proof import enclose, normal
from symcook.proof.claims.bycounts.casestate import CaseState
from symcook.proof.claims.bycounts.farkas import FactRow, Rules, close, contradiction
from symcook.proof.claims.bycounts.lettered import Lettered
from symcook.proof.claims.bycounts.truth import DecidedFormulas, comparisons, letter_at
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import poly
from symcook.proof.inequalities.simplex import Effort
from symcook.proof.normal import ONE, Mono, Poly, constant, fkey, mul
from symcook.proof.search.opengoal import NoResult
from symcook.proof.search.ranges import at_most, equals, less_than
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, free, negation, num, var

if TYPE_CHECKING:
    from symcook.proof.claims.counts import CountedPoint

WORK = 20_000_000
"""The effort for the arithmetic of one decision (`simplex.Effort`). It is a count, so that the same claims are proved
on every machine."""
BITS = 96
"""The precision of the kernel's enclosure of a constant, in bits; `enclosure` asks for 2^-40 of the constant, so that
there are bits to spare for the cancellations in its term."""
MOST_CLEARED = 8
"""The greatest number of denominators by which one comparison is multiplied. Each multiplies the number of monomials.
24 claims of an unseen set needed at most 2."""


class AtomState(Enum):
    """How the arithmetic treats an atom of a comparison."""

    BASE = auto()
    """A number of the linear arithmetic, such as a count."""
    RULE = auto()
    """An equation replaces it (`Rules`)."""
    OPAQUE = auto()
    """No rule reads it: it is a number that may have any value."""
    WAITS = auto()
    """A formula in `wanted` has to be decided before it can be read."""


class ClearedAtom(NamedTuple):
    """An atom that is a quotient: comparisons are multiplied by its denominator. The fact `label` states whether the
    denominator is positive or negative."""

    label: str


BASE, RULE, OPAQUE, WAITS = AtomState
AtomReading = AtomState | ClearedAtom
"""What a rule returns for an atom: how the arithmetic treats it."""


class Unclosed(NoResult):
    """The arithmetic does not close a case. `counts` is a point at which no row is false, if there is one, and `opaque`
    the texts of terms without a rule."""

    def __init__(self, counts: CountedPoint | None, opaque: tuple[str, ...]) -> None:
        super().__init__(", ".join(opaque))
        self.counts, self.opaque = counts, opaque


class CaseDecision(Protocol):
    """The part of a case that decides: it reads atoms by their kind, and closes the goals that rules open."""

    def read(self, atom: int) -> AtomReading:
        """How the arithmetic treats an atom."""
        ...

    def find(self) -> None:
        """Add the facts that follow from the present ones."""
        ...

    def assume(self, label: str) -> None:
        """Add a fact to the case."""
        ...

    def close(self, g: Goal, most: int = ..., waiting: bool = True) -> None:
        """Close a branch of the goal by a decision of its own, with at most so many cases."""
        ...

    def everywhere(self, g: Goal) -> None:
        """Close a goal about any position by a decision of its own."""
        ...


@dataclass
class CountedPlaces(CaseState):
    """The positions up to which symbols are counted."""

    places: list[Term] = field(default_factory=list)
    """The positions themselves."""
    lettered: dict[Term, None] = field(default_factory=dict)
    """Positions whose symbol matters: the counts up to the position are those before it plus the bits of the symbol."""
    ordered: set[tuple[Term, Term]] = field(default_factory=set)
    """Pairs of positions whose counts have been compared."""
    pending: dict[Term, int] = field(default_factory=dict)
    """Position -> the symbol that was decided there."""


@dataclass
class KnownRemainders(CaseState):
    """Quotients by numbers, and the formulas about remainders."""

    quotients: dict[tuple[Term, int], tuple[Term, tuple[str, str]]] = field(default_factory=dict)
    """(term, number) -> the quotient of the term by the number, and the labels of its two bounds."""
    compared: dict[Any, Term] = field(default_factory=dict)
    """Key -> formula, for the formulas about remainders whose truth value I[..] is in a comparison."""
    solving: bool = False
    """Whether equations between integers are solved; set as soon as there is a quotient, or a formula about a remainder
    in the claim or among the facts."""

    def add(self, of: tuple[Term, int], name: str, labels: tuple[str, str]) -> None:
        """Store that the integer `name` is the quotient of the term and the number in `of`, by the facts `labels`."""
        self.quotients.setdefault(of, (var(name, "Int"), labels))
        self.solving = True


@dataclass
class SumsOfTerms(CaseState):
    """Sums whose terms the symbols do not decide, and facts about all positions. The sets have the arguments for which
    a rule of `termsums` was applied, so that no rule is applied twice."""

    totals: list[tuple[Term, Term]] = field(default_factory=list)
    """The sums in use: their term, and the position up to which it is summed."""
    read: set[str] = field(default_factory=set)
    """Texts of the facts whose sums are in use."""
    related: set[tuple[Term, Term, Term]] = field(default_factory=set)
    """(summand, p, q): the sums up to p and up to q were compared."""
    members: set[tuple[Term, Term, Term]] = field(default_factory=set)
    """(summand, p, q): the sum up to p was compared with its term at q."""
    bounded: set[tuple[Term, Term, Term, bool]] = field(default_factory=set)
    """(summand, end, number, whether it is a lower bound): the sum was bounded by a bound of its terms."""
    universal: list[str] = field(default_factory=list)
    """Labels of the facts about all positions that counts do not decide."""
    applied: set[tuple[str, Term]] = field(default_factory=set)
    """(label, position): the fact about all positions was applied at the position."""
    witnesses: list[Term] = field(default_factory=list)
    """Positions that were named as witnesses."""
    witnessed: set[tuple[Term, Term]] = field(default_factory=set)
    """(summand, end): a position with a positive term was named for the positive sum."""
    sought: set[tuple[Term, Term, Term]] = field(default_factory=set)
    """Rows of hard attention (low, high, score) whose best position is being proved."""


class CaseFacts(DecidedFormulas):
    """The facts of a goal, their rows for the arithmetic, and the equations that replace atoms."""

    def __init__(self, root: Lettered, g: Goal, decision: CaseDecision) -> None:
        super().__init__(g)
        self.root, self.decision = root, decision
        self.rules = Rules()
        self.facts: list[str] = []  # labels of the comparisons that take part in the arithmetic
        self.rows: dict[str, FactRow] = {}  # label -> its row
        self.state: dict[int, AtomReading] = {}  # atom -> how it was read
        self.wanted: dict[object, Term] = {}  # key -> formula that has to be decided first
        self.counts, self.remainders, self.sums = CountedPlaces(), KnownRemainders(), SumsOfTerms()
        self.quantified: set[object] = set()  # quantified formulas that are facts, or whose negations are
        self.renewed = False  # whether facts were added after the rows were made
        self.clash: tuple[str, str] | None = None  # labels of two facts that contradict each other
        self.enclosed: set[Any] = set()  # monomials for which `_enclosures` has nothing more to add
        self.premises_at: set[tuple[int, Term]] = set()  # premises of the run (by number) used at a position
        self.effort = Effort(WORK)

    def under(self, g: Goal, decision: CaseDecision) -> CaseFacts:
        """The same facts for a branch of the goal; atoms that wait are read again there."""
        inner = self.copy()
        inner.g, inner.decision, inner.wanted, inner.renewed = g, decision, {}, False
        inner.state = self._known_readings()
        return inner

    def _known_readings(self) -> dict[int, AtomReading]:
        """How atoms were read, without those that wait."""
        return {atom: reading for atom, reading in self.state.items() if reading != WAITS}

    def opaque(self) -> list[str]:
        """The texts of the terms for which the arithmetic has no rule, or not yet."""
        return [self.g.text(reify.atom(a)) for a, reading in self.state.items() if reading in (OPAQUE, WAITS)]

    def waits(self, a: int) -> bool:
        """Whether an atom cannot be read before something is decided."""
        return self.state.get(a) == WAITS

    # --- Rows --------------------------------------------------------------------------------------------------------

    def rows_now(self) -> dict[str, FactRow]:
        """The rows of all facts, by label, with all atoms replaced that have a rule now. Reading a fact may add other
        facts."""
        self.wanted = {}
        self.state = self._known_readings()
        changed = True
        while changed:
            changed = False
            for label in [*self.facts]:
                # A row is made again if an atom in it has got a rule since.
                row = self.rows.get(label)
                if row is None or (label in self.g.facts and self._reducible(row.poly)):
                    self.rows[label] = new = self.row(label)
                    changed = changed or row is None or new.poly != row.poly
            # Facts about atoms of the rows: counts up to positions, sums, bounds of constants.
            before = len(self.facts)
            self.decision.find()
            self._enclosures()
            changed = changed or len(self.facts) > before
        # A row that can be tightened, since its values are integers, has a second row: its label gets a prime.
        out: dict[str, FactRow] = {}
        for label, row in self.rows.items():
            if label in self.facts:
                out[label] = row
                if (tight := row.tightened) is not None:
                    out[f"{label}'"] = tight
        return out

    def _enclosures(self) -> None:
        """Add rational bounds of constants, such as e^2 and sqrt(2), for each monomial whose other factors are known
        not to be negative."""
        for m in dict.fromkeys(m for row in self.rows.values() for m in row.poly):
            if m in self.enclosed:
                continue
            # The constant factors of the monomial, and the others, which must be known not to be negative.
            closed = tuple(x for x in m[0] if not free(reify.atom(x[0])))
            open_factors = [reify.atom(a) for a, k in m[0] if (a, k) not in closed for _ in range(k)]
            if not (closed or m[1]):
                self.enclosed.add(m)
                continue
            factors = [self.known(at_most(num(0), t)) for t in open_factors]
            if None in factors:
                continue
            self.enclosed.add(m)
            # A power of e whose exponent has variables is no constant: it has other bounds.
            if constant(normal._exponents[m[1]]) is None:
                self._exponential(m, [x for x in factors if x])
                continue
            # Two facts, low <= constant and constant <= high, and their rows, multiplied by the other factors.
            term = reify.product((closed, m[1]))
            for k, (bound, direction) in enumerate(zip(enclosure(term) or (), (1, -1), strict=False)):
                label, f = self.g.fresh("about"), ("<=", None, (bound, term)[::direction])
                self.g.have(f, label, lambda h: h.interval([], BITS))
                p = mul(poly(f), {(tuple(x for x in m[0] if x not in closed), 0): 1})
                self.facts.append(key := f"{label}.{k}")
                self.rows[key] = FactRow(p, "<=", (label, *(x for x in factors if x)), raw=p)

    def _exponential(self, m: Mono, factors: list[str]) -> None:
        """Add that a power of e is positive, and at least 1 if its exponent is known not to be negative, multiplied by
        `factors`, which are facts that factors are not negative."""
        g, power = self.g, reify.term(normal._exponents[m[1]])
        positive, label = g.fresh("power"), g.fresh("one")
        g.use("ax:exp_pos", g.text(power), label=positive)
        up = self.known(at_most(num(0), power))
        if up is not None:
            least, f = g.fresh("least"), at_most(num(1), ("fn", "exp", (power,)))
            g.use("ax:exp_ge", g.text(power), label=least)
            g.have(f, label, lambda h: h.auto([least, up], degree=1, rounds=0))
        for fact in (positive, *([label] if up is not None else [])):
            p = mul(poly(g.facts[fact]), {(m[0], 0): 1})
            self.facts.append(key := f"{fact}.{len(self.facts)}")
            self.rows[key] = FactRow(p, "<=", (fact, *factors), raw=p)

    def _reducible(self, p: Poly) -> bool:
        """Whether an atom or a product in a polynomial can be replaced, or an atom has to be read or cleared."""
        return self.rules._step(p) is not None or any(
            self.state.get(a) not in (BASE, OPAQUE) for m, _ in p for a, _ in m
        )

    def row(self, label: str, f: Term | None = None) -> FactRow:
        """The row of the fact `label`, or of the formula f that will have this label: with all atoms replaced that have
        a rule, and multiplied by the denominators of quotients."""
        f = self.g.facts[label] if f is None else f
        raw, of = poly(f), [label]
        times: Poly = {ONE: 1}
        while True:
            # An atom that is a quotient is cleared: the whole fact is multiplied by its denominator, until none is
            # left.
            p, multipliers = self.settled(raw)
            readings = (self.state.get(a) for m, _ in p for a, _ in m)
            cleared = next((reading for reading in readings if isinstance(reading, ClearedAtom)), None)
            if cleared is None or len(of) > MOST_CLEARED:
                return FactRow(p, f[0], (label,) if f[0] == "=" else tuple(of), multipliers, None, times, raw)
            factor = poly(self.g.facts[cleared.label])
            raw, times = mul(raw, factor), mul(times, factor)
            of.append(cleared.label)

    def settled(self, raw: Poly) -> tuple[Poly, dict[str, Poly]]:
        """The polynomial with all atoms replaced that have a rule, and {label: factor} of the equations that were
        used."""
        # Reading an atom may add a rule, after which the polynomial is reduced again.
        while True:
            multipliers: dict[str, Poly] = {}
            p, products = self.rules.reduce(raw, multipliers), len(self.rules.products)
            readings = [self.resolve(a) for a in dict.fromkeys(a for m, _ in p for a, _ in m)]
            if RULE not in readings and len(self.rules.products) == products:
                return p, multipliers

    # --- What follows ------------------------------------------------------------------------------------------------

    def known(self, f: Term) -> str | None:
        """The label of a comparison that is a fact, or that is proved here by arithmetic; None where it does not
        follow."""
        key = fkey(f)
        if key in self.literals:
            return self.literals[key]
        # It holds by computation; or it is false; or it follows if the rows contradict its negation.
        if key == normal.TRUE:
            self.g.have(f, (label := self.g.fresh("so")), Goal.true)
        elif key == normal.FALSE or fkey(negation(f)) in self.literals:
            return None
        else:
            against = self.g.fresh("against")
            negated_row = self.row(against, negation(f))
            rows = [r for r in self.rows.values()]
            rows += [t for r in self.rows.values() if (t := r.tightened) is not None]
            rows += [negated_row, *([t] if (t := negated_row.tightened) is not None else [])]
            refutation = contradiction(rows, self.effort)
            if refutation is None:
                return None

            def proof(h: Goal) -> None:
                h.contra(against)
                close(h, refutation)

            self.g.have(f, (label := self.g.fresh("so")), proof)
        self.literals[key] = label
        return label

    def need(self, f: Term) -> str | None:
        """The label of a comparison that follows; where it does not follow, it is added to `wanted`, and None is
        returned."""
        label = self.known(f)
        if label is None:
            self.want(f)
        return label

    def want(self, f: Term) -> AtomState:
        """Add a formula to `wanted`, and return WAITS."""
        self.wanted.setdefault(fkey(f), f)
        return WAITS

    def follows(self, f: Term) -> bool:
        """Whether a formula is true, after each comparison in it was tried by arithmetic."""
        for part in comparisons(f):
            if letter_at(part) is None:
                # For a = b, both inequalities are tried.
                sides = (part[2], part[2][::-1]) if part[0] == "=" else (part[2],)
                for side in sides:
                    order: Term = ("<=" if part[0] == "=" else part[0], None, side)
                    if self.truth(order) is None and self.known(order) is None:
                        self.known(negation(order))
        return self.truth(f) is True

    def inside(self, place: Term) -> str | None:
        """The label of the fact that a term is a position of the string; None where that has to be decided first."""
        f = self.root.inside(place)
        if fkey(f) in self.literals:
            return self.literals[fkey(f)]
        ends = [self.need(part) for part in f[2]]
        if None in ends:
            return None
        label = self.g.fresh("inside")
        proofs = [[{"by": "hyp", "of": end}] for end in ends]
        self.g.add({"by": "have", "show": self.g.text(f), "proof": [{"by": "split", "proofs": proofs}], "as": label}, f)
        self.literals[fkey(f)] = label
        return label

    def fact(self, label: str) -> None:
        """Add the fact `label` to those that take part in the arithmetic."""
        self.facts.append(label)

    # --- Atoms -------------------------------------------------------------------------------------------------------

    def resolve(self, a: int) -> AtomReading:
        """How the arithmetic treats an atom. Each atom is read once."""
        if a in self.rules.single:
            return RULE
        # While an atom is read it waits, since its rule may read a fact that has the same atom.
        if a not in self.state:
            self.state[a] = WAITS
            try:
                self.state[a] = self.decision.read(a)
            except Rejected:
                self.state[a] = OPAQUE
        return self.state[a]

    def rows_of(self, multipliers: Mapping[str, Poly]) -> list[list[str]]:
        """The pairs [factor, label] of equations, as a node of the proof has them."""
        return [[self.g.text(reify.term(p)), label] for label, p in multipliers.items() if p]

    def stated(self, f: Term, rows: list[list[str]]) -> str:
        """The label of the equation f, which is a combination of the equations in `rows` by their factors."""
        if fkey(f) in self.literals and fkey(f) != normal.TRUE:
            return self.literals[fkey(f)]
        label = self.g.fresh("equal")
        proof = [{"by": "pos", "eq": rows}] if rows else [{"by": "true"}]
        self.g.add({"by": "have", "show": self.g.text(f), "proof": proof, "as": label}, f)
        return label

    def give(self, a: int, label: str) -> AtomReading:
        """Replace an atom by means of an equation; OPAQUE where the equation does not determine it."""
        p = poly(self.g.facts[label])
        if (((a, 1),), 0) not in p or any(a in dict(m) and m != ((a, 1),) for m, _ in p):
            return OPAQUE
        self.rules.give(a, label, p)
        return RULE

    def clear(self, a: int, label: str, size: Term) -> AtomReading:
        """Read the atom `a` by the equation `label`, which gives the product of the atom and `size`; it has to be known
        whether the size is positive or negative."""
        positive: Term = less_than(num(0), size)
        sign = self.known(positive) or self.known(less_than(size, num(0)))
        if sign is None:
            return self.want(positive)
        row = self.row(label)
        p = row.poly
        if any(self.waits(b) for m, _ in p for b, _ in m if b != a):
            return WAITS
        # If reading changed the equation, it is stated again in terms of counts, in which it is used later.
        if row.made or row.times != {ONE: 1}:
            f = equals(num(0), reify.term(p))
            label = self.stated(f, [*self.rows_of(row.made), [self.g.text(reify.term(row.times)), label]])
            p = poly(f)
        # The products in the equation that have the atom as a factor. If there are none, the size is a number, and the
        # equation gives the atom itself.
        leads = [m for m in p if a in dict(m[0]) and len(m[0]) + (m[1] != 0) > 1 and m[0]]
        if not leads:
            return self.give(a, label)
        # If all these products have a power of e, comparisons are multiplied by the size. Otherwise one product without
        # such a power is replaced by means of the equation.
        leads = [m for m in leads if not m[1]]
        if not leads:
            self.rules.divided[a] = label, p
            return ClearedAtom(self._written(sign))
        lead = max(leads, key=lambda m: repr(reify.product(m)))
        self.rules.product(lead, label, p)
        return ClearedAtom(sign)

    def _written(self, label: str) -> str:
        """The label of the inequality `label` rewritten as its row, with all atoms replaced that have a rule. Where the
        row was multiplied by denominators, `label` itself."""
        row, new = self.row(label), self.g.fresh("size")
        if row.of != (label,):
            return label
        f: Term = (row.tag, None, (num(0), reify.term(row.poly)))

        def proof(h: Goal) -> None:
            """By contradiction: the row minus the negated inequality."""
            h.contra(no := h.fresh("no"))
            against = FactRow(poly(negation(f)), h.facts[no][0], (no,), raw=poly(negation(f)))
            close(h, [(Fraction(1), row), (Fraction(1), against)])

        self.g.have(f, new, proof)
        return new


def enclosure(t: Term) -> tuple[Term, Term] | None:
    """Rational numbers below and above a constant, whose difference is less than the constant times 2^-40; None where
    Arb cannot evaluate the term, as for I[..]."""
    from flint import ctx

    from symcook.numbers.balls import fraction_of

    with PRECISION, ctx.workprec(128):
        try:
            x = enclose._ball(t, {})
        except enclose._Unknown:
            return None
        low, high = fraction_of(x.lower()), fraction_of(x.upper())
    if not low or not high:
        raise Rejected("a constant factor is zero")
    # Both ends are rounded outward to multiples of 2^-bits, about 44 bits below the leading one.
    bits = 44 - max(abs(low), abs(high)).numerator.bit_length() + max(abs(low), abs(high)).denominator.bit_length()
    scale = Fraction(2) ** bits
    ends = Fraction(math.floor(low * scale)) / scale, Fraction(math.ceil(high * scale)) / scale
    return num(ends[0].numerator, ends[0].denominator), num(ends[1].numerator, ends[1].denominator)
