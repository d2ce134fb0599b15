"""Letters at positions, and counts up to positions: the axioms of counts where a case asks for them."""

from __future__ import annotations

from symcook.proof import normal
from symcook.proof.claims.casefacts import BASE, OPAQUE, WAITS, CaseFacts
from symcook.proof.claims.lettered import THERE
from symcook.proof.claims.truth import letter_at
from symcook.proof.normal import ONE, fkey, nf
from symcook.proof.search import reify
from symcook.proof.search.linear import poly
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, num


class LetterCounts(CaseFacts):
    """What is known in a case, with letters and counts."""

    def found(self) -> None:
        """The counts next to letters that were decided, those up to positions in use, and their order."""
        for place, letter in self.pending.items():
            if place not in self.lettered_places:
                self.bit(place, letter)
        self._orders()
        self._letters_wanted()

    def _letters_wanted(self) -> None:
        """Letters' bits that are multiplied with other atoms: which letter stands there is wanted."""
        for row in self.rows.values():
            for m, e in row.poly:
                if sum(k for _, k in m) + (e != 0) > 1:
                    for a, _ in m:
                        if normal._keys[a][0] == "ind" and self.state.get(a) == BASE:
                            f = reify.formula(normal._keys[a][1])
                            place, letter = letter_at(f) or zero_letter(f) or (num(0), -1)
                            wanted = self.root.is_letter(place, letter)
                            self.wanted.setdefault(fkey(wanted), wanted)

    def bit(self, place: Term, letter: int) -> str:
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
        g.use(self.root.share(g, self.root.total()), g.text(place), lambda h: both(h, low, high), label=label)
        self.fact(label)
        start = self.root.below
        first = self.known(("<=", None, (start, start))) or ""
        for a in self.root.problem.letters:
            label = g.fresh("least")
            grows = self.root.share(g, self.root.grows(a))
            g.use(grows, g.text(start), g.text(place), lambda h: both(h, first, low), label=label)
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
                self.bit(root.high, letter)
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
            g.use(grows, g.text(p), g.text(q), lambda h: both(h, low, order), label=label)
            self.fact(label)

    def count(self, a: int, letter: int, low: Term, high: Term) -> str:
        """A count from the first position on is a base; another one is a difference of two."""
        if low == self.root.low:
            if high not in self.places:
                self.place(high)
            return BASE if high in self.places else WAITS
        return self.difference(a, self.root.bit(THERE, letter), low, high)

    def difference(self, a: int, inner: Term, low: Term, high: Term) -> str:
        """A sum is 0 over no position, else a difference of two sums from the first position on."""
        root, g = self.root, self.g
        empty = self.known(("<", None, (high, low)))
        summand, label = f"j. {g.text(inner)}", g.fresh("sum")
        if empty is not None:
            g.use("ax:sum_empty", summand, g.text(low), g.text(high), f"#{empty}", label=label)
            return self.give(a, label)
        before = reify.term(nf(("-", None, (low, num(1)))))
        first = self.need(("<=", None, (root.below, before)))
        last = self.need(("<=", None, (before, high)))
        if first is None or last is None:
            return WAITS
        texts = [g.text(root.low), g.text(before), g.text(high)]
        g.use("lem:sum_split", summand, *texts, lambda h: both(h, first, last), label=label)
        return self.give(a, label)

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


def zero_letter(f: Term) -> tuple[Term, int] | None:
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


def both(g: Goal, *labels: str) -> None:
    """Close a conjunction of facts, those that are plain by computation."""
    for part, label in zip(g.split(), labels, strict=True):
        part.true() if fkey(part.goal) == normal.TRUE else part.hyp(label)


def rewritten(g: Goal, label: str) -> None:
    """Close a goal that computing shows once an equation is put in."""
    g.rewrite(label)
    g.true()
