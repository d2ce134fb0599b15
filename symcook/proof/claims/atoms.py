"""What is known in one case of a decision by counts: each atom of a comparison is put down to counts and positions.

An atom is a coordinate at a position (its equation gives it), a sum (of what letters decide: counts), an inverse (the
comparison is multiplied by what it divides by), a function with two sides (the side is decided), a truth value I[F].
What has to be decided before is collected in `wanted`; what stays as it is, is `opaque`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from symcook.errors import Rejected
from symcook.locks import PRECISION
from symcook.proof import enclose, grammar, normal
from symcook.proof.claims.farkas import FactRow, Rules, close, contradiction, tightened, whole
from symcook.proof.claims.lettered import THERE, Lettered
from symcook.proof.claims.problem import OutsideFragment, at_place
from symcook.proof.claims.truth import DecidedFormulas, letter_at
from symcook.proof.normal import ONE, Poly, constant, fkey, mul, nf
from symcook.proof.search import reify
from symcook.proof.search.linear import poly
from symcook.proof.search.simplex import Effort
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, free, instantiate, loose, negation, num, replace, subterms, var

SIDES = {"relu": ("pos", "neg"), "abs": ("pos", "neg"), "min": ("left", "right"), "max": ("right", "left")}
WORK = 20_000_000
MOST_CLEARED = 8
BASE, RULE, OPAQUE, WAITS = "base", "rule", "opaque", "waits"


class Atoms(DecidedFormulas):
    """What is known at a goal, and what its atoms are."""

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
        self.clash: tuple[str, str] | None = None  # facts that contradict each other
        self.pending: dict[Term, int] = {}  # places where a letter was decided
        self.enclosed: set[Any] = set()
        self.tally = [0]
        self.effort = Effort(WORK)

    def inherit(self, other: Atoms) -> None:
        """Take over what is known in a case around."""
        self.rules, self.rows = other.rules.copy(), dict(other.rows)
        self.facts, self.hypotheses = [*other.facts], [*other.hypotheses]
        self.literals, self.places, self.ordered = dict(other.literals), [*other.places], {*other.ordered}
        self.supposed, self.counted_already = [*other.supposed], {*other.counted_already}
        self.enclosed, self.pending = {*other.enclosed}, dict(other.pending)
        self.lettered_places = dict(other.lettered_places)
        self.state = {a: how for a, how in other.state.items() if how != WAITS}
        self.tally, self.effort = other.tally, other.effort

    def opaque(self) -> list[str]:
        """The terms that are not put down to counts."""
        return [self.g.text(reify.atom(a)) for a, how in self.state.items() if how in (OPAQUE, WAITS)]

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
            for place, letter in self.pending.items():
                if place not in self.lettered_places:
                    self._bit(place, letter)
            self._orders()
            self._letters_wanted()
            self._enclosures()
            changed = changed or len(self.facts) > before
        out: dict[str, FactRow] = {}
        for label, row in self.rows.items():
            if label in self.facts:
                out[label] = row
                if (tight := tightened(row)) is not None:
                    out[f"{label}'"] = tight
        return out

    def _enclosures(self) -> None:
        """Constants as e^2 and sqrt(2) that stand before what is not negative: bounds by rational numbers."""
        for m in dict.fromkeys(m for row in self.rows.values() for m in row.poly):
            closed = tuple(x for x in m[0] if not free(reify.atom(x[0])))
            rest = [reify.atom(a) for a, k in m[0] if (a, k) not in closed for _ in range(k)]
            if m in self.enclosed or not (closed or m[1]) or constant(normal._exponents[m[1]]) is None:
                continue
            factors = [self.known(("<=", None, (num(0), t))) for t in rest]
            if None in factors:
                continue
            self.enclosed.add(m)
            term = reify.product((closed, m[1]))
            for k, (bound, way) in enumerate(zip(enclosure(term) or (), (1, -1), strict=False)):
                label, f = self.g.fresh("about"), ("<=", None, (bound, term)[::way])
                self.g.have(f, label, lambda h: h.interval([], 96))
                p = mul(poly(f), {(tuple(x for x in m[0] if x not in closed), 0): 1})
                self.facts.append(key := f"{label}.{k}")
                self.rows[key] = FactRow(p, "<=", (label, *(x for x in factors if x)), raw=p)

    def _letters_wanted(self) -> None:
        """Letters' bits that are multiplied with other atoms: which letter stands there is wanted."""
        for row in self.rows.values():
            for m, e in row.poly:
                if sum(k for _, k in m) + (e != 0) > 1:
                    for a, _ in m:
                        if normal._keys[a][0] == "ind" and self.state.get(a) == BASE:
                            f = reify.formula(normal._keys[a][1])
                            place, letter = letter_at(f) or _zero_letter(f) or (num(0), -1)
                            wanted = self.root.is_letter(place, letter)
                            self.wanted.setdefault(fkey(wanted), wanted)

    def _reducible(self, p: Poly) -> bool:
        return self.rules._step(p) is not None or any(
            self.state.get(a) not in (BASE, OPAQUE) for m, _ in p for a, _ in m
        )

    def row(self, label: str) -> FactRow:
        """A fact with everything put in that is known, and without inverses."""
        f = self.g.facts[label]
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
            p = self.rules.reduce(raw, made)
            if not any(self.resolve(a) == RULE for a in dict.fromkeys(a for m, _ in p for a, _ in m)):
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
            p, made = self.settled(poly(negation(f)))
            against = self.g.fresh("against")
            rows = [r for r in self.rows.values()]
            rows += [t for r in self.rows.values() if (t := tightened(r)) is not None]
            extra = FactRow(p, negation(f)[0], (against,), made, raw=poly(negation(f)))
            rows += [extra, *([t] if (t := tightened(extra)) is not None else [])]
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

    def _var(self, a: int) -> str:
        return BASE

    def _app(self, a: int) -> str:
        key = normal._keys[a]
        name, place = key[1], reify.term(dict(key[3]))
        if name == "w" or name not in self.root.problem.equations:
            return BASE if name == "w" else OPAQUE
        equation = self.root.problem.equations[name]
        inside = self.inside(place)
        if inside is None:
            return WAITS
        label, other = self.g.fresh("at"), self.g.fresh("also")
        if name in self.root.values:
            self.g.use(self.root.share(self.g, self.root.valued(name)), self.g.text(place), f"#{inside}", label=label)
            return self._give(a, label)
        run = f"{'truth' if equation.truth else 'run'}.{equation.part}"
        if equation.kind == "value":
            self.g.use(run, self.g.text(place), f"#{inside}", label=label)
            return self._give(a, label)
        if equation.kind in ("norm", "state"):
            return OPAQUE
        many = equation.kind == "strict"
        self.g.use(run, self.g.text(place), f"#{inside}", label=f"{label} {other}" if many else label)
        if many and equation.empty is not None:
            empty = at_place(equation.empty, place)
            same = ("=", None, (place, empty))
            less = ("<", None, (empty, place) if empty == self.root.low else (place, empty))
            if (end := self.known(negation(less))) is not None:
                side = 0 if empty == self.root.low else 1
                bound = self.literals[fkey(self.root.inside(place)[2][side])]
                ends = [f"#{end}", f"#{bound}"]
                self.g.have(
                    same, equal := self.g.fresh("equal"), lambda h: h.auto([x[1:] for x in ends], degree=1, rounds=0)
                )
                self.g.use(other, f"#{equal}", label=label.replace("at", "empty"))
                return self._give(a, label.replace("at", "empty"))
            if self.need(less) is None:
                return WAITS
        return self._clear(a, label, at_place(equation.size, place))

    def _give(self, a: int, label: str) -> str:
        """An equation gives an atom its value."""
        p = poly(self.g.facts[label])
        if (((a, 1),), 0) not in p or any(a in dict(m) and m != ((a, 1),) for m, _ in p):
            return OPAQUE
        self.rules.give(a, label, p)
        return RULE

    def _clear(self, a: int, label: str, size: Term) -> str:
        """The equation `label` gives the product of an atom and a size: the size must be positive, or negative."""
        sign = self.known(("<", None, (num(0), size))) or self.known(("<", None, (size, num(0))))
        if sign is None:
            self.wanted.setdefault(fkey(f := ("<", None, (num(0), size))), f)
            return WAITS
        p, made = self.settled(poly(self.g.facts[label]))
        if any(self.state.get(b) == WAITS for m, _ in p for b, _ in m if b != a):
            return WAITS
        if made:  # in terms of counts
            rows = [[self.g.text(reify.term(q)), k] for k, q in made.items() if q] + [["1", label]]
            label = self.g.fresh("sized")
            f = ("=", None, (num(0), reify.term(p)))
            self.g._emit({"by": "have", "show": self.g.text(f), "proof": [{"by": "pos", "eq": rows}], "as": label})
            self.g._bind(label, f)
            p = poly(f)
        leads = [m for m in p if a in dict(m[0]) and len(m[0]) + (m[1] != 0) > 1 and m[0]]
        if not leads:
            return OPAQUE
        lead = max(leads, key=lambda m: repr(reify.product(m)))
        self.rules.product(lead, label, p)
        return f"clear:{sign}"

    def _inv(self, a: int) -> str:
        key = normal._keys[a]
        size = reify.term(dict(key[1]))
        for less in (("<", None, (num(0), size)), ("<", None, (size, num(0)))):
            if (sign := self.known(less)) is not None:
                zero, label = self.g.fresh("zero"), self.g.fresh("inv")

                def apart(h: Goal, sign: str = sign, zero: str = zero) -> None:
                    h.intro(zero).auto([sign, zero], degree=1, rounds=0)

                self.g.use("ax:inv", self.g.text(size), apart, label=label)
                return self._clear(a, label, size)
        self.wanted.setdefault(fkey(f := ("<", None, (num(0), size))), f)
        return WAITS

    def _fn(self, a: int) -> str:
        t = reify.atom(a)
        if t[1] not in SIDES:
            return OPAQUE if free(t) else BASE
        order = ("<=", None, (num(0), t[2][0]) if len(t[2]) == 1 else t[2])
        for f, name in zip((order, negation(order)), SIDES[t[1]], strict=True):
            side = self.known(f)
            if side is not None:
                label = self.g.fresh("side")
                given = f"#{side}" if f is order else (lambda h, side=side: h.auto([side], degree=1, rounds=0))
                self.g.use(f"ax:{t[1]}_{name}", *[self.g.text(x) for x in t[2]], given, label=label)
                return self._give(a, label)
        self.wanted.setdefault(fkey(order), order)
        return WAITS

    def _ind(self, a: int) -> str:
        key = normal._keys[a]
        f = reify.formula(key[1])
        if (letter := letter_at(f)) is None and f[0] == "=":
            letter = letter_at(("=", None, f[2][::-1])) or _zero_letter(f)
        if letter is not None:
            return self._bit(*letter)
        value = self.truth(f)
        if value is None:
            if (part := self.undecided(f)) is None:
                return OPAQUE
            self.wanted.setdefault(fkey(part), part)
            return WAITS
        label = self.g.fresh("bit")
        self.g.have(("=", None, (("ind", None, (f,)), num(int(value)))), label, lambda h: self._shown(h, f, value))
        return self._give(a, label)

    def _shown(self, g: Goal, f: Term, value: bool) -> None:
        """I[F] has its value."""
        known = {*g.facts}
        for h, holds in zip(g.ind(f, f"{g.fresh('f')} {(v := g.fresh('v'))}"), (True, False), strict=True):
            if holds is value:
                h.hyp(v)
            else:
                new = [k for k in h.facts if k not in known and k != v and h.facts[k][0] != "|"]
                false = next((k for k in new if self.truth(h.facts[k]) is False), None)
                if false is None:
                    raise OutsideFragment(f"it has the condition {grammar.show(f)}")
                self.deny(h, false)

    # --- Letters and counts ------------------------------------------------------------------------------------------

    def _bit(self, place: Term, letter: int) -> str:
        """I[w(place) = letter]: the count grows by it."""
        if letter not in self.root.problem.letters:
            return OPAQUE
        if place not in self.lettered_places:
            inside = self.inside(place)
            if inside is None:
                return WAITS
            self.lettered_places[place] = None
            for b in self.root.problem.letters:
                self._step(place, b)
            self.place(place)
            self.place(reify.term(nf(("-", None, (place, num(1))))))
        return BASE

    def _step(self, place: Term, letter: int) -> None:
        g, bit = self.g, self.root.bit(place, letter)
        label = g.fresh("bit")
        less, more = (("<=", None, ends) for ends in ((num(0), bit), (bit, num(1))))

        def either(h: Goal) -> None:
            for k in h.ind(self.root.is_letter(place, letter), f"{h.fresh('f')} {(v := h.fresh('v'))}"):
                k.rewrite(v)
                k.true()

        for f in (less, more):
            label = g.fresh("bit")
            g.have(f, label, either)
            self.fact(label)
        low = self.known(("<=", None, (self.root.low, place)))
        step = g.fresh("step")
        g.use("ax:sum_step", f"j. I[w(j) = {letter}]", g.text(self.root.low), g.text(place), f"#{low}", label=step)
        if poly(g.facts[step]):
            self.fact(step)

    def place(self, place: Term) -> None:
        """The counts up to a position, and how they lie to those up to other positions."""
        if place in self.places:
            return
        below = ("<=", None, (self.root.below, place))
        low, high = self.need(below), self.need(("<=", None, (place, self.root.high)))
        if low is None or high is None:
            return
        self.places.append(place)
        g = self.g
        label = g.fresh("total")
        g.use(self.root.share(g, self.root.total()), g.text(place), lambda h: _both(h, low, high), label=label)
        self.fact(label)
        start = self.root.below
        first = self.known(("<=", None, (start, start))) or ""
        for a in self.root.problem.letters:
            label = g.fresh("least")
            grows = self.root.share(g, self.root.grows(a))
            g.use(grows, g.text(start), g.text(place), lambda h: _both(h, first, low), label=label)
            self.fact(label)
        for a in (self.root.problem.before, self.root.problem.after):
            if a is not None:
                self._once(place, a, low, high)

    def _once(self, place: Term, letter: int, low: str, high: str) -> None:
        """The count of a letter that the model adds."""
        root, g = self.root, self.g
        if letter == root.problem.before:
            first, last = self.need(("<=", None, (root.low, place))), high
        else:
            before = reify.term(nf(("-", None, (root.high, num(1)))))
            first, last = low, self.need(("<=", None, (place, before)))
        if first is None or last is None:
            if letter != root.problem.before and self.known(("<=", None, (root.high, place))) is not None:
                self._bit(root.high, letter)
            return
        label = g.fresh("once")
        once = root.share(g, root.once(letter))
        g.use(once, g.text(place), lambda h: h.easy([first, last], degree=1, rounds=0), label=label)
        self.fact(label)

    def _orders(self) -> None:
        """The counts up to two positions, where it is known which comes first; else the order is wanted."""
        if self.root.high not in self.places and self.places:
            self.place(self.root.high)
        for k, p in enumerate(self.places):
            for q in self.places[k + 1 :]:
                if (p, q) in self.ordered:
                    continue
                for a, b in ((p, q), (q, p)):
                    order = self.known(("<=", None, (a, b)))
                    if order is not None:
                        self._grow(a, b, order)
                        self.ordered.add((p, q))
                        break
                else:
                    self.need(("<=", None, (p, q)))

    def _grow(self, p: Term, q: Term, order: str) -> None:
        g = self.g
        low = self.known(("<=", None, (self.root.below, p)))
        if low is None:
            return
        for a in self.root.problem.letters:
            label = g.fresh("more")
            grows = self.root.share(g, self.root.grows(a))
            g.use(grows, g.text(p), g.text(q), lambda h: _both(h, low, order), label=label)
            self.fact(label)

    def _sum(self, a: int) -> str:
        """A sum of what a letter decides is a sum of counts."""
        root, g = self.root, self.g
        low, high, body = reify.atom(a)[2]
        inner = instantiate(body, (THERE,))
        letter = letter_at(inner[2][0]) or _zero_letter(inner[2][0]) if inner[0] == "ind" else None
        if letter is not None and letter[0] == THERE and letter[1] in root.problem.letters:
            return self._count(a, letter[1], low, high)
        if (place := _only_at(inner)) is not None:
            return self._selected(a, low, high, inner, place)
        outer = self._constants(inner)
        if outer is None:
            return WAITS
        put = inner
        for label in outer:
            put = replace(put, *g.facts[label][2])
        values = {b: root.at_letter(put, THERE, b) for b in root.problem.letters}
        if any(value is None for value in values.values()):
            return OPAQUE
        start, end = self.need(("<=", None, (root.low, low))), self.need(("<=", None, (high, root.high)))
        if start is None or end is None:
            return WAITS
        by_letter = {b: value for b, value in values.items() if value is not None}
        right = root.weighted(by_letter, lambda b: root.bit(THERE, b))
        label = g.fresh("sum")

        def each(h: Goal) -> None:
            h.intro(f"{(j := h.fresh('j'))} ({(lo := h.fresh('from'))} {(hi := h.fresh('to'))})")
            there = var(j, "Int")
            inside = h.fresh("inside")
            h.have(root.inside(there), inside, lambda k: k.easy([lo, hi, start, end], degree=1, rounds=0))

            def close(k: Goal, _: int, case: str) -> None:
                for label in outer:
                    k.rewrite(label)
                root.computed(k, there, inside, case)

            root.cases(h, j, inside, close)

        texts = [f"j. {g.text(inner)}", f"j. {g.text(right)}", g.text(low), g.text(high)]
        g.use("lem:sum_ext", *texts, each, label=label)
        return self._give(a, label)

    def _selected(self, a: int, low: Term, high: Term, inner: Term, place: Term) -> str:
        """A sum of which one position alone has a term, as j = p: the term there, or 0 where that is outside."""
        g = self.g
        ends = [("<=", None, (low, place)), ("<=", None, (place, high))]
        away = [self.known(negation(end)) for end in ends]
        label, outside = g.fresh("sum"), next((x for x in away if x is not None), None)
        is_there = next(x for x in subterms(inner) if x[0] == "ind" and THERE in free(x))[2][0]

        def zero(h: Goal, name: str, known: list[str]) -> None:
            """The term of another position is 0."""
            f = replace(is_there, THERE, var(name, "Int"))
            here, apart = h.ind(f, f"{(there := h.fresh('f'))} {(v := h.fresh('v'))}")
            if outside is None:
                here.have(
                    ("=", None, (var(name, "Int"), place)), (same := here.fresh("same")), lambda k: k.auto([there])
                )
                here.contra(here.fresh("no"))
                here.absurd(same, known[-1])
            else:
                here.contra(here.fresh("no"))
                here.auto([there, outside, *known], degree=1, rounds=0)
            rewritten(apart, v)

        def each(h: Goal) -> None:
            name, start, end, other = (h.fresh(stem) for stem in ("j", "from", "to", "other"))
            h.intro(f"{name} ({start} {end})" + ("" if outside else f" {other}"))
            zero(h, name, [start, end] if outside else [other])

        texts = [g.text(low), g.text(high)]
        if outside is not None:
            g.use("lem:sum_ext", f"j. {g.text(inner)}", "j. 0", *texts, each, label=label)
            return self._give(a, label)
        first, last = (self.need(end) for end in ends)
        if first is None or last is None:
            return WAITS
        summand = f"j. {g.text(inner)}"
        g.use("lem:sum_only", summand, *texts, g.text(place), lambda h: _both(h, first, last), each, label=label)
        return self._give(a, label)

    def _constants(self, inner: Term) -> list[str] | None:
        """Labels of c(p) = NUMBER for the coordinates at other positions in a summand, as those of a query; None where
        they wait for a letter."""
        found: list[str] = []
        for t in dict.fromkeys(x for x in subterms(inner) if x[0] == "app" and not loose(x) and THERE not in free(x)):
            name, place = t[2][0][1][0], t[2][1]
            if name not in self.root.values:
                continue
            values = self.root.values[name]
            letter = next((b for b in values if fkey(self.root.is_letter(place, b)) in self.literals), None)
            if letter is None and len({*values.values()}) > 1:
                rest = [b for b in values if self.truth(self.root.is_letter(place, b)) is None]
                if rest:
                    self.wanted.setdefault(fkey(f := self.root.is_letter(place, rest[0])), f)
                return None
            inside = self.inside(place)
            if inside is None:
                return None
            g, label, at_it = self.g, self.g.fresh("query"), self.g.fresh("at")
            g.use(self.root.share(g, self.root.valued(name)), g.text(place), f"#{inside}", label=at_it)
            if letter is None or len({*values.values()}) == 1:
                found.append(at_it)
                continue
            here = self.literals[fkey(self.root.is_letter(place, letter))]

            def proof(h: Goal, at_it: str = at_it, here: str = here) -> None:
                h.rewrite(at_it)
                h.rewrite(here)
                h.true()

            g.have(("=", None, (t, values[letter])), label, proof)
            found.append(label)
        return found

    def _count(self, a: int, letter: int, low: Term, high: Term) -> str:
        """A count from the first position on is a base; another one is a difference of two."""
        root, g = self.root, self.g
        if low == root.low:
            if high not in self.places:
                self.place(high)
            return BASE if high in self.places else WAITS
        empty = self.known(("<", None, (high, low)))
        bit, label = f"j. I[w(j) = {letter}]", g.fresh("sum")
        if empty is not None:
            g.use("ax:sum_empty", bit, g.text(low), g.text(high), f"#{empty}", label=label)
            return self._give(a, label)
        before = reify.term(nf(("-", None, (low, num(1)))))
        first = self.need(("<=", None, (root.below, before)))
        last = self.need(("<=", None, (before, high)))
        if first is None or last is None:
            return WAITS
        texts = [g.text(root.low), g.text(before), g.text(high)]
        g.use("lem:sum_split", bit, *texts, lambda h: _both(h, first, last), label=label)
        return self._give(a, label)

    def lettered(self, label: str, place: Term, letter: int) -> None:
        """The fact `label` says which letter stands at a place."""
        g = self.g
        for b in {letter, *self.root.problem.letters}:
            value = g.fresh("bit")
            equation = ("=", None, (self.root.bit(place, b), num(int(b == letter))))
            g.have(equation, value, lambda h: rewritten(h, label))
            self._settled(value, place, b)
            if b != letter:
                no = g.fresh("not")
                f = ("~", None, (self.root.is_letter(place, b),))

                def other(h: Goal) -> None:
                    also = h.fresh("also")
                    h.intro(also)
                    h.rewrite(label, also, (new := h.fresh("also")))
                    h.absurd(new)

                g.have(f, no, other)
                self.literals.setdefault(fkey(f), no)

    def unlettered(self, label: str, place: Term, letter: int) -> None:
        """The fact `label` says that this letter does not stand at a place."""
        value = self.g.fresh("bit")
        f = ("=", None, (self.root.bit(place, letter), num(0)))

        def zero(h: Goal) -> None:
            here, away = h.ind(self.root.is_letter(place, letter), f"{h.fresh('f')} {(v := h.fresh('v'))}")
            f = next(k for k, fact in here.facts.items() if fact == self.root.is_letter(place, letter))
            here.absurd(f, label)
            away.hyp(v)

        self.g.have(f, value, zero)
        self._settled(value, place, letter)

    def _settled(self, label: str, place: Term, letter: int) -> None:
        """The bit of a letter at a place has a value."""
        p = nf(self.root.bit(place, letter))
        if len(p) == 1:
            ((m, _),) = p
            self.pending[place] = letter
            self.rules.give(m[0][0], label, poly(self.g.facts[label]))


def _only_at(inner: Term) -> Term | None:
    """The position p where a summand has a factor I[j = p]."""
    for (factors, _), _ in nf(inner).items():
        for a, _ in factors:
            key = normal._keys[a]
            if key[0] == "ind" and key[1][0] == "=":
                p = nf(reify.formula(key[1])[2][1])
                j = ((next(iter(nf(THERE)))[0][0][0], 1),), 0
                rest = {m: c for m, c in p.items() if m != j}
                inside = {x for m, _ in rest for b, _ in m for x in free(reify.atom(b))}
                if abs(p.get(j, 0)) == 1 and THERE not in inside and all(whole(b) for m, _ in rest for b, _ in m):
                    return reify.term(normal.scale(rest, -p[j]))
    return None


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


def _zero_letter(f: Term) -> tuple[Term, int] | None:
    """The same for a formula as `reify` writes it: 0 = a - w(p) or 0 = w(p) - a."""
    if f[0] != "=" or f[2][0] != num(0):
        return None
    p = nf(f[2][1])
    atoms = [m for m in p if m != ONE]
    if len(atoms) != 1 or len(atoms[0][0]) != 1 or atoms[0][1]:
        return None
    key = normal._keys[atoms[0][0][0][0]]
    if key[0] != "app" or key[1] != "w" or abs(p[atoms[0]]) != 1:
        return None
    return reify.term(dict(key[3])), int(-p.get(ONE, 0) / p[atoms[0]])


def _both(g: Goal, *labels: str) -> None:
    """Close a conjunction of facts, those that are plain by computation."""
    for part, label in zip(g.split(), labels, strict=True):
        part.true() if fkey(part.goal) == normal.TRUE else part.hyp(label)


def rewritten(g: Goal, label: str) -> None:
    """Close a goal that computing shows once an equation is put in."""
    g.rewrite(label)
    g.true()
