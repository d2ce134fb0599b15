"""What is known in one case of a decision by counts: facts, and the rows of the arithmetic that are made of them.

Each atom of a comparison is put down to counts and positions: see `atoms`. What has to be decided before is collected
in `wanted`; what stays as it is, is `opaque`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.errors import Rejected
from symcook.locks import PRECISION
from symcook.proof import enclose, normal
from symcook.proof.claims.farkas import FactRow, Rules, close, contradiction
from symcook.proof.claims.lettered import Lettered
from symcook.proof.claims.truth import DecidedFormulas
from symcook.proof.normal import ONE, Mono, Poly, constant, fkey, mul
from symcook.proof.search import reify
from symcook.proof.search.linear import poly
from symcook.proof.search.simplex import Effort
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, free, negation, num, var

if TYPE_CHECKING:
    from symcook.proof.claims.counts import CountedPoint

WORK = 20_000_000
MOST_CLEARED = 8
BASE, RULE, OPAQUE, WAITS = "base", "rule", "opaque", "waits"


class Unclosed(Exception):
    """A case that no arithmetic closes: the counts there, and what the procedure cannot read in it."""

    def __init__(self, counts: CountedPoint | None, opaque: tuple[str, ...]) -> None:
        super().__init__(", ".join(opaque))
        self.counts, self.opaque = counts, opaque


class CaseFacts(DecidedFormulas):
    """What is known at a goal: facts, the rows of the arithmetic, and equations that put in what atoms are."""

    def __init__(self, root: Lettered, g: Goal) -> None:
        super().__init__(g)
        self.root = root
        self.rules = Rules()
        self.facts: list[str] = []  # comparisons that take part in the arithmetic
        self.rows: dict[str, FactRow] = {}
        self.hypotheses: list[str] = []  # facts of several comparisons
        self.state: dict[int, str] = {}
        self.places: list[Term] = []
        self.lettered_places: dict[Term, int | None] = {}
        self.ordered: set[tuple[Term, Term]] = set()
        self.wanted: dict[object, Term] = {}
        self.supposed: list[Term] = []  # quantified formulas that are facts, or whose negations are
        self.counted_already: set[object] = set()
        self.quotients: dict[tuple[Term, int], tuple[Term, tuple[str, str]]] = {}  # of a term by a number, with labels
        self.compared: dict[Any, Term] = {}  # by key the formulas about remainders that the claim has as numbers
        self.solving = False  # whether equations between integers are solved, which remainders ask for
        self.renewed = False  # whether more is known since the rows were made
        self.clash: tuple[str, str] | None = None  # facts that contradict each other
        self.pending: dict[Term, int] = {}  # places where a letter was decided
        self.enclosed: set[Any] = set()
        self.premises_at: set[tuple[int, Term]] = set()  # lines of the run that restrict it, with the places
        self.tally = [0]
        self.effort = Effort(WORK)

    def inherit(self, other: CaseFacts) -> None:
        """Take over what is known in a case around."""
        self.rules, self.rows = other.rules.copy(), dict(other.rows)
        self.facts, self.hypotheses = [*other.facts], [*other.hypotheses]
        self.literals, self.places, self.ordered = dict(other.literals), [*other.places], {*other.ordered}
        self.supposed, self.counted_already = [*other.supposed], {*other.counted_already}
        self.clash, self.quotients = other.clash, dict(other.quotients)
        self.compared, self.solving = other.compared, other.solving
        self.enclosed, self.pending = {*other.enclosed}, dict(other.pending)
        self.premises_at = {*other.premises_at}
        self.lettered_places = dict(other.lettered_places)
        self.state = {a: how for a, how in other.state.items() if how != WAITS}
        self.tally, self.effort = other.tally, other.effort

    def opaque(self) -> list[str]:
        """The terms that are not put down to counts."""
        return [self.g.text(reify.atom(a)) for a, how in self.state.items() if how in (OPAQUE, WAITS)]

    def has_quotient(self, of: tuple[Term, int], name: str, labels: tuple[str, str]) -> None:
        """An integer is the quotient of a term by a number, as facts of these labels say."""
        self.quotients.setdefault(of, (var(name, "Int"), labels))
        self.solving = True

    def waits(self, a: int) -> bool:
        """Whether it is not known as yet what an atom is."""
        return self.state.get(a) == WAITS

    # --- Rows --------------------------------------------------------------------------------------------------------

    def rows_now(self) -> dict[str, FactRow]:
        """The rows of all facts; those of facts that are found on the way too."""
        self.wanted = {}
        self.state = {a: how for a, how in self.state.items() if how != WAITS}
        changed = True
        while changed:  # reading a fact may bring others
            changed = False
            for label in [*self.facts]:
                row = self.rows.get(label)
                if row is None or (label in self.g.facts and self._reducible(row.poly)):
                    self.rows[label] = new = self.row(label)
                    changed = changed or row is None or new.poly != row.poly
            before = len(self.facts)
            self.found()
            self._enclosures()
            changed = changed or len(self.facts) > before
        out: dict[str, FactRow] = {}
        for label, row in self.rows.items():
            if label in self.facts:
                out[label] = row
                if (tight := row.tightened) is not None:
                    out[f"{label}'"] = tight
        return out

    def _enclosures(self) -> None:
        """Constants as e^2 and sqrt(2) that stand before what is not negative: bounds by rational numbers."""
        for m in dict.fromkeys(m for row in self.rows.values() for m in row.poly):
            if m in self.enclosed:
                continue
            closed = tuple(x for x in m[0] if not free(reify.atom(x[0])))
            rest = [reify.atom(a) for a, k in m[0] if (a, k) not in closed for _ in range(k)]
            if not (closed or m[1]):
                self.enclosed.add(m)
                continue
            factors = [self.known(("<=", None, (num(0), t))) for t in rest]
            if None in factors:
                continue
            self.enclosed.add(m)
            if constant(normal._exponents[m[1]]) is None:
                self._exponential(m, [x for x in factors if x])
                continue
            term = reify.product((closed, m[1]))
            for k, (bound, way) in enumerate(zip(enclosure(term) or (), (1, -1), strict=False)):
                label, f = self.g.fresh("about"), ("<=", None, (bound, term)[::way])
                self.g.have(f, label, lambda h: h.interval([], 96))
                p = mul(poly(f), {(tuple(x for x in m[0] if x not in closed), 0): 1})
                self.facts.append(key := f"{label}.{k}")
                self.rows[key] = FactRow(p, "<=", (label, *(x for x in factors if x)), raw=p)

    def _exponential(self, m: Mono, factors: list[str]) -> None:
        """A power of e with a name in its exponent, times what is not negative: at least 0, or 1 for a positive one."""
        g, power = self.g, reify.term(normal._exponents[m[1]])
        positive, label = g.fresh("power"), g.fresh("one")
        g.use("ax:exp_pos", g.text(power), label=positive)
        up = self.known(("<=", None, (num(0), power)))
        if up is not None:
            least, f = g.fresh("least"), ("<=", None, (num(1), ("fn", "exp", (power,))))
            g.use("ax:exp_ge", g.text(power), label=least)
            g.have(f, label, lambda h: h.auto([least, up], degree=1, rounds=0))
        for fact in (positive, *([label] if up is not None else [])):
            p = mul(poly(g.facts[fact]), {(m[0], 0): 1})
            self.facts.append(key := f"{fact}.{len(self.facts)}")
            self.rows[key] = FactRow(p, "<=", (fact, *factors), raw=p)

    def found(self) -> None:
        """What is known brings more facts."""

    def _reducible(self, p: Poly) -> bool:
        return self.rules._step(p) is not None or any(
            self.state.get(a) not in (BASE, OPAQUE) for m, _ in p for a, _ in m
        )

    def row(self, label: str, f: Term | None = None) -> FactRow:
        """A fact, or a formula that will be one, with everything put in that is known, and without inverses."""
        f = self.g.facts[label] if f is None else f
        raw, of = poly(f), [label]
        times: Poly = {ONE: 1}
        while True:
            p, made = self.settled(raw)
            ways = (self.state.get(a, "") for m, _ in p for a, _ in m)
            cleared = next((how.removeprefix("clear:") for how in ways if how.startswith("clear:")), None)
            if cleared is None or len(of) > MOST_CLEARED:
                return FactRow(p, f[0], (label,) if f[0] == "=" else tuple(of), made, None, times, raw)
            factor = poly(self.g.facts[cleared])
            raw, times = mul(raw, factor), mul(times, factor)
            of.append(cleared)

    def settled(self, raw: Poly) -> tuple[Poly, dict[str, Poly]]:
        """A polynomial with everything put in that is known, and what the equations are multiplied by."""
        while True:
            made: dict[str, Poly] = {}
            p, products = self.rules.reduce(raw, made), len(self.rules.products)
            ways = [self.resolve(a) for a in dict.fromkeys(a for m, _ in p for a, _ in m)]
            if RULE not in ways and len(self.rules.products) == products:
                return p, made

    # --- What follows ------------------------------------------------------------------------------------------------

    def known(self, f: Term) -> str | None:
        """The label of a comparison that was decided, or that follows by arithmetic; None where it does not."""
        key = fkey(f)
        if key in self.literals:
            return self.literals[key]
        if key == normal.TRUE:
            self.g.have(f, (label := self.g.fresh("so")), Goal.true)
        elif key == normal.FALSE or fkey(negation(f)) in self.literals:
            return None
        else:
            against = self.g.fresh("against")
            extra = self.row(against, negation(f))
            rows = [r for r in self.rows.values()]
            rows += [t for r in self.rows.values() if (t := r.tightened) is not None]
            rows += [extra, *([t] if (t := extra.tightened) is not None else [])]
            found = contradiction(rows, self.effort)
            if found is None:
                return None

            def proof(h: Goal) -> None:
                h.contra(against)
                close(h, found)

            self.g.have(f, (label := self.g.fresh("so")), proof)
        self.literals[key] = label
        return label

    def need(self, f: Term) -> str | None:
        """The same; what does not follow is wanted."""
        label = self.known(f)
        if label is None:
            self.wanted.setdefault(fkey(f), f)
        return label

    def inside(self, place: Term) -> str | None:
        """The label that a term is a position."""
        f = self.root.inside(place)
        if fkey(f) in self.literals:
            return self.literals[fkey(f)]
        ends = [self.need(part) for part in f[2]]
        if None in ends:
            return None
        label = self.g.fresh("inside")
        proofs = [[{"by": "hyp", "of": end}] for end in ends]
        self.g._emit({"by": "have", "show": self.g.text(f), "proof": [{"by": "split", "proofs": proofs}], "as": label})
        self.g._bind(label, f)
        self.literals[fkey(f)] = label
        return label

    def fact(self, label: str) -> None:
        """A fact of counts takes part in the arithmetic."""
        self.facts.append(label)

    # --- Atoms -------------------------------------------------------------------------------------------------------

    def resolve(self, a: int) -> str:
        """What an atom is: a base, opaque, one that waits for a decision; a rule was made; or it is cleared."""
        if a in self.rules.single:
            return RULE
        how = self.state.get(a)
        if how is None:
            self.state[a] = WAITS  # what it asks for on the way may speak of it
            try:
                how = getattr(self, f"_{normal._keys[a][0]}", lambda _: OPAQUE)(a)
            except Rejected:
                how = OPAQUE
            self.state[a] = how
        return how

    def rows_of(self, made: Mapping[str, Poly]) -> list[list[str]]:
        """What equations are multiplied by, as a proof has it."""
        return [[self.g.text(reify.term(p)), label] for label, p in made.items() if p]

    def stated(self, f: Term, rows: list[list[str]]) -> str:
        """The label of an equation that follows from others by computation."""
        if fkey(f) in self.literals and fkey(f) != normal.TRUE:
            return self.literals[fkey(f)]
        label = self.g.fresh("equal")
        proof = [{"by": "pos", "eq": rows}] if rows else [{"by": "true"}]
        self.g._emit({"by": "have", "show": self.g.text(f), "proof": proof, "as": label})
        self.g._bind(label, f)
        return label

    def give(self, a: int, label: str) -> str:
        """An equation gives an atom its value."""
        p = poly(self.g.facts[label])
        if (((a, 1),), 0) not in p or any(a in dict(m) and m != ((a, 1),) for m, _ in p):
            return OPAQUE
        self.rules.give(a, label, p)
        return RULE

    def clear(self, a: int, label: str, size: Term) -> str:
        """The equation `label` gives the product of an atom and a size: the size must be positive, or negative."""
        sign = self.known(("<", None, (num(0), size))) or self.known(("<", None, (size, num(0))))
        if sign is None:
            self.wanted.setdefault(fkey(f := ("<", None, (num(0), size))), f)
            return WAITS
        row = self.row(label)
        p, made = row.poly, row.made
        if any(self.state.get(b) == WAITS for m, _ in p for b, _ in m if b != a):
            return WAITS
        if made or row.times != {ONE: 1}:  # in terms of counts
            f = ("=", None, (num(0), reify.term(p)))
            label = self.stated(f, [*self.rows_of(made), [self.g.text(reify.term(row.times)), label]])
            p = poly(f)
        leads = [m for m in p if a in dict(m[0]) and len(m[0]) + (m[1] != 0) > 1 and m[0]]
        if not leads:  # the size is a number
            return self.give(a, label)
        leads = [m for m in leads if not m[1]]
        if not leads:
            self.rules.divided[a] = label, p
            return f"clear:{self._written(sign)}"
        lead = max(leads, key=lambda m: repr(reify.product(m)))
        self.rules.product(lead, label, p)
        return f"clear:{sign}"

    def _written(self, label: str) -> str:
        """An inequality in terms of counts."""
        row, new = self.row(label), self.g.fresh("size")
        if row.of != (label,):
            return label
        f: Term = (row.tag, None, (num(0), reify.term(row.poly)))

        def proof(h: Goal) -> None:
            h.contra(no := h.fresh("no"))
            against = FactRow(poly(negation(f)), h.facts[no][0], (no,), raw=poly(negation(f)))
            close(h, [(Fraction(1), row), (Fraction(1), against)])

        self.g.have(f, new, proof)
        return new


def enclosure(t: Term) -> tuple[Term, Term] | None:
    """Rational numbers below and above a constant, apart by less than its 2^-40th part; None where Arb has none, as for
    I[..]."""
    from flint import ctx

    from symcook.numbers.balls import fraction_of

    with PRECISION, ctx.workprec(128):
        try:
            x = enclose._ball(t, {})
        except enclose._Unknown:
            return None
        low, high = fraction_of(x.lower()), fraction_of(x.upper())
    if not low or not high:
        raise Rejected("a constant is zero")
    bits = 44 - max(abs(low), abs(high)).numerator.bit_length() + max(abs(low), abs(high)).denominator.bit_length()
    scale = Fraction(2) ** bits
    ends = Fraction(math.floor(low * scale)) / scale, Fraction(math.ceil(high * scale)) / scale
    return num(ends[0].numerator, ends[0].denominator), num(ends[1].numerator, ends[1].denominator)
