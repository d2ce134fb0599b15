"""Cases that no string has: they are refuted by a smallest set of what is supposed there.

Of such a set one formula is false by the others, which prove that: a comparison by the values of its sides, a formula
about all positions at one of them, several tokens at one position by the order of positions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from symcook.errors import Rejected
from symcook.proof.claims.placed import DecideFirst, PlacedFacts, Unplaced, ordered, simple
from symcook.proof.claims.placedbest import PlacedBest
from symcook.proof.claims.placedvalues import NEW
from symcook.proof.claims.truth import letter_at
from symcook.proof.normal import FALSE as NFALSE
from symcook.proof.normal import fkey
from symcook.proof.search.ranges import at_most, equals, less_than
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import (
    COMPARISONS,
    FALSE,
    Term,
    flatten,
    instantiate,
    negation,
    num,
    replace,
)


class PlacedRefutations(PlacedBest):
    """What is known in a case, with ways to refute it; `pending` is a fact that the rest contradicts."""

    pending = ""
    nearer_too = False

    def inherit(self, other: PlacedFacts, without: str = "") -> None:
        super().inherit(other, without)
        self.pending = without or (other.pending if isinstance(other, PlacedRefutations) else "")
        self.nearer_too = isinstance(other, PlacedRefutations) and other.nearer_too

    # --- Steps -------------------------------------------------------------------------------------------------------

    def divide(self, wanted: DecideFirst) -> None:
        """A case for each token at a position, or for a formula and its negation."""
        g = self.g
        if wanted.letter is not None:
            inside = self.inside(wanted.letter)

            def close(h: Goal, _: int, label: str) -> None:
                case = self.under(h)
                case.suppose(label)
                case.prove()

            return self.root.lettered.cases(g, g.text(wanted.letter), inside, close)
        if wanted.carried is not None:
            return self.divide_carried(wanted.carried, self.pending if g.goal == FALSE else "")
        label = g.fresh("is")
        for h in g.em(wanted.formula or FALSE, label):
            case = self.under(h)
            case.suppose(label)
            case.prove()
        return None

    def attempt(self, way: Callable[[Self], None]) -> None:
        """Close the goal by a way that may ask for a decision."""
        while True:
            if self.context.empty:
                return self.refute()
            try:
                return way(self)
            except DecideFirst as wanted:
                if wanted.named:
                    continue
                return self.divide(wanted)

    def established(self, f: Term) -> str:
        """The label of a formula that follows: proved where it is not yet known."""
        if f[0] == "~" and f[2][0][0] in ("<=", "<", "~"):
            f = negation(f[2][0])
        key = fkey(f)
        if key in self.literals and self.g.facts.get(self.literals[key]) == f:
            return self.literals[key]
        label = self.g.fresh("so")
        self.g.have(f, label, lambda h: self.under(h).prove())
        self.literals[key] = label
        if ordered(f) and f[0] in COMPARISONS:
            self.order(label)
        return label

    # --- Contradictions ----------------------------------------------------------------------------------------------

    def core(self) -> list[str]:
        """A smallest set of suppositions that no string meets."""
        t = self.root.regular.t
        labels = sorted(self.supposed, key=lambda label: self._rank(self.g.facts[label]))
        for label in [*labels]:
            rest = [self.supposed[k] for k in labels if k != label]
            if t.both(*rest).empty:
                labels.remove(label)
        return labels

    @staticmethod
    def _rank(f: Term) -> int:
        """What is left out first: what is long."""
        return 3 if ordered(f) else 2 if letter_at(f) else 1 if f[0] in COMPARISONS else 0

    def refute(self) -> None:
        """Close a goal in a case that no string has."""
        self.root.step()
        g = self.g
        if not self.context.empty:
            raise Unplaced(f"a case that some string has: {g.text(g.goal)[:80]}")
        core = self.core()
        if g.goal != FALSE:
            g.contra(g.fresh("not"))
        facts = {label: g.facts[label] for label in core}
        if all(ordered(f) or letter_at(f) for f in facts.values()):
            return self.clash(core)
        ranked = sorted((label for label in core if not ordered(facts[label])), key=lambda k: self._way(facts[k]))
        failed: Exception | None = None
        for nearer in (False, True):  # positions that are not named yet are looked for where nothing else serves
            for label in ranked:
                trial = g._branch(g.goal)
                case = self.under(trial, label)
                case.nearer_too = nearer
                try:
                    case.falsify(label)
                except (Stuck, Unplaced, Rejected) as error:
                    failed = failed or error
                    continue
                g.take(trial)
                return None
        raise failed or Unplaced("a contradiction")

    @staticmethod
    def _way(f: Term) -> int:
        inner = f[2][0] if f[0] == "~" else f
        return 0 if inner[0] in ("all", "ex") else 2 if letter_at(inner) else 1

    def clash(self, core: list[str]) -> None:
        """Positions whose order contradicts itself, or with two tokens at one of them."""
        g, problem, lettered = self.g, self.root.problem, self.root.lettered
        if g.try_auto(self.orders, degree=1, rounds=0):
            return None
        tokens = [(simple(letter[0]), letter[1], k) for k in core if (letter := letter_at(g.facts[k]))]
        ends = [(lettered.low, problem.before), (lettered.high, problem.after)]
        added = [(place, a, lettered.share(g, lettered.added(a))) for place, a in ends if a is not None]
        for n, (place, letter, label) in enumerate(tokens):
            for other, second, known in [*tokens[:n], *added]:
                if letter != second and self.together(place, other):
                    self.absurd_tokens(place, label, other, known)
                    return None
        inner = [place for place, a in ends if a is not None]
        for place, letter, label in tokens:
            if letter in (problem.before, problem.after) and not any(self.together(place, end) for end in inner):
                first = at_most(place, lettered.low)
                away = negation(first) if letter == problem.before else less_than(place, lettered.high)
                if self.truth(away) is None and not self.g._branch(away).try_auto(self.orders, degree=1, rounds=0):
                    return self.divide(DecideFirst(away))
                return self.inside_out(place, label)
        for n, (place, *_) in enumerate(tokens):  # the order follows from integers that are close
            for other, *_ in [*tokens[:n], *added]:
                f = at_most(place, other)
                if self.truth(f) is None:
                    return self.divide(DecideFirst(f))
        raise Unplaced("an order of positions")

    def together(self, place: Term, other: Term) -> bool:
        """Whether two positions are one by what is known of their order."""
        if place == other:
            return True
        return self.g._branch(equals(place, other)).try_auto(self.orders, degree=1, rounds=0)

    def absurd_tokens(self, place: Term, label: str, other: Term, known: str) -> None:
        """Two tokens at one position."""
        g, label, known = self.g, self.plain(label), self.plain(known)
        if place[0] == "num":  # a number may be a token too, and is not put in for another place
            place, label, other, known = other, known, place, label
        if place != other:
            same, moved = g.fresh("same"), g.fresh("token")
            g.have(equals(place, other), same, lambda h: h.auto(self.orders, degree=1, rounds=0))
            g.rewrite(same, label, moved)
            label = moved
        two = g.fresh("token")
        g.rewrite(known, label, two)
        g.absurd(two)

    def plain(self, label: str) -> str:
        """The label of the same token with its position in normal form."""
        (place, letter), new = letter_at(self.g.facts[label]) or (num(0), 0), self.g.fresh("plain")
        if simple(place) == place:
            return label
        self.g.have(self.root.lettered.is_letter(simple(place), letter), new, lambda h: h.hyp(label))
        return new

    def inside_out(self, place: Term, label: str) -> None:
        """A token that the model adds stands at its end alone."""
        g, lettered, typed = self.g, self.root.lettered, self.g.fresh("typed")
        ready = g._branch(FALSE)
        ready.use(
            lettered.share(ready, lettered.typed), ready.text(place), lambda h: _both(h, self.orders), label=typed
        )
        parts = self.root.problem.typed
        labels = [typed] if len(parts) == 1 else [ready.fresh("one") for _ in parts]
        goals = [ready] if len(parts) == 1 else ready.cases(typed, *labels)
        for h, one in zip(goals, labels, strict=True):
            new = h.fresh("token")
            h.rewrite(one, label, new)
            h.absurd(new)
        g.take(ready)

    def falsify(self, label: str) -> None:
        """Close the goal by a fact that the rest contradicts."""
        g, f = self.g, self.g.facts[label]
        tag, _, kids = f
        if tag in COMPARISONS and not letter_at(f):
            self.attempt(lambda c: c.unequal(label))
        elif self.root.along.remainder(f) is not None:
            self.attempt(lambda c: c.other_rest(label))
        elif tag == "all" or (tag == "~" and kids[0][0] == "ex" and self.root.along.remainder(kids[0]) is None):
            self.attempt(lambda c: c.instance(label))
        elif tag == "|":
            labels = [g.fresh("or") for _ in flatten("|", f)]
            for h, one in zip(g.cases(label, *labels), labels, strict=True):
                case = self.under(h)
                case.suppose(one)
                case.refute()
        elif tag == "->":
            so = g.fresh("then")
            if self.follows(kids[0]):
                known = self.established(kids[0])
                g.use(label, f"#{known}", label=so, premises=0)
                self.suppose(so)
                return self.refute()
            self.attempt(lambda c: c.implied(label))
        elif tag == "~":
            if kids[0][0] == "|":
                for part in flatten("|", kids[0]):
                    self.denied(label, part)
                return self.refute()
            self.attempt(lambda c: c.g.absurd(c.established(kids[0]), label))
        else:
            raise Unplaced(f"no way to refute {g.text(f)[:80]}")
        return None

    def denied(self, label: str, part: Term) -> None:
        """~part from ~(.. | part | ..)."""
        new, whole = self.g.fresh("neither"), self.g.facts[label][2][0]

        def proof(h: Goal) -> None:
            yes, either = h.fresh("yes"), h.fresh("either")
            h.intro(yes)
            h.have(whole, either, lambda k: _pick(k, part, yes))
            h.absurd(either, label)

        self.g.have(("~", None, (part,)), new, proof)
        self.suppose(new)

    def other_rest(self, label: str) -> None:
        """A remainder, where there is another one."""
        found = self.root.along.remainder(self.g.facts[label])
        if found is not None:
            rest, known = self.carried(found.carried, found.place)
            if rest == found.rest:
                raise Unplaced("a remainder that nothing contradicts")
            same = self.g.fresh("rest")
            found.carried.found(self.g, label, found, same)
            found.carried.apart(self.g, same, known)

    def implied(self, label: str) -> None:
        """A -> B where A is open: it is decided."""
        a = self.g.facts[label][2][0]
        if not self.decide(a):
            raise Unplaced("an implication that nothing contradicts")
        self.falsify(label)

    def contradicted(self, label: str) -> bool:
        if self.g.facts[label][0] not in COMPARISONS:
            return False
        trial = self.g._branch(self.g.goal)
        try:
            self.under(trial).unequal(label)
        except (DecideFirst, Stuck, Unplaced, Rejected):
            return False
        self.g.take(trial)
        return True

    def unequal(self, label: str) -> None:
        """A comparison that is false: its negation is proved."""
        g, f = self.g, self.g.facts[label]
        if f[0] != "=":
            so = g.fresh("so")
            g.have(negation(f), so, lambda h: self.under(h).prove())
            return g.auto([so, label], degree=1, rounds=0)
        used: dict[Term, str] = {}
        unbounded: list[Term] = []
        for k in f[2]:
            self.partly(k, used, unbounded)
        if unbounded:
            for sides in (f[2], f[2][::-1]):
                if self.follows(less := ("<", None, sides)):
                    so = g.fresh("so")
                    g.have(less, so, lambda h: self.under(h).prove())
                    return g.auto([so, label], degree=1, rounds=0)
            raise DecideFirst(("<=", None, f[2]))
        at = label
        for atom, known in used.items():
            if replace(g.facts[at], atom, num(0)) != g.facts[at]:
                new = g.fresh("at")
                g.rewrite(known, at, new)
                at = new
        if fkey(g.facts[at]) == NFALSE:
            return g.absurd(at)
        if not ordered(g.facts[at]):
            raise Unplaced("values that are no numbers")
        self.suppose(at)
        return self.refute()

    def instance(self, label: str) -> None:
        """A formula about all positions, at one where it is false."""
        g, f = self.g, self.g.facts[label]
        some = f[0] == "~"
        body = f[2][0][2][0] if some else f[2][0]
        for p in self.candidates():
            there = instantiate(body, (p,))
            if some:
                if self.follows(there):
                    known = g.fresh("some")
                    g.have(f[2][0], known, lambda h, p=p: self._witnessed(h, p))
                    return g.absurd(known, label)
                continue
            if there[0] == "->" and self.follows(there[2][0]) and self.answer(there) is False:
                known, so = self.established(there[2][0]), g.fresh("at")
                g.use(label, g.text(p), f"#{known}", label=so, premises=0)
                self.suppose(so)
                return self.refute()
        there = instantiate(body, (NEW,))
        parts = flatten("&", there if some else there[2][0])
        if len(parts) > 1 and parts[0][2][1:] == (NEW,) and parts[1][2][:1] == (NEW,):
            low, high = parts[0][2][0], parts[1][2][1]
            found = self.nameable(low, high, [there if some else ("~", None, (there,))])
            if found is not None:
                raise found
        if not self.nearer_too:
            raise Unplaced(f"no position refutes {g.text(f)[:80]}")
        raise self.nearer(label, body)

    def _witnessed(self, h: Goal, p: Term) -> None:
        h.witness(h.text(p))
        self.under(h).prove()

    def nearer(self, label: str, body: Term) -> DecideFirst:
        """What to decide where no position is known to be one: how two positions lie, or which token stands at one."""
        for p in self.candidates():
            if not self.follows(self.root.lettered.inside(p)):
                continue
            there = instantiate(body, (p,))
            if self.decided(there) is None:
                for part in _atoms(there):
                    if self.decided(part) is None:
                        return self.split(part)
        raise Unplaced(f"no position refutes {self.g.text(self.g.facts[label])[:80]}")


def _both(g: Goal, orders: list[str]) -> None:
    """Both ends of a range, by the order of positions."""
    for part in g.split():
        part.auto(orders, degree=1, rounds=0)


def _atoms(f: Term) -> list[Term]:
    """The comparisons in a formula, those under quantifiers left out."""
    if f[0] in COMPARISONS:
        return [f]
    return [] if f[0] in ("all", "ex", "true", "false") else [part for k in f[2] for part in _atoms(k)]


def _pick(g: Goal, part: Term, label: str) -> None:
    """A disjunction by one of its parts."""
    while g.goal[0] == "|" and g.goal != part:
        side = "left" if part in flatten("|", g.goal[2][0]) else "right"
        g.pick(side)
    g.hyp(label)
