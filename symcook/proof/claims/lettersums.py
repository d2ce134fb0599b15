"""Sums over positions: of what a letter decides they are sums of counts, of one position's term they are that term."""

from __future__ import annotations

from symcook.proof import normal
from symcook.proof.claims.casefacts import OPAQUE, WAITS
from symcook.proof.claims.farkas import whole
from symcook.proof.claims.lettercounts import LetterCounts, both, rewritten, zero_letter
from symcook.proof.claims.lettered import THERE
from symcook.proof.claims.truth import letter_at
from symcook.proof.normal import fkey, nf
from symcook.proof.search import reify
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, free, instantiate, loose, negation, replace, subterms, var


class LetterSums(LetterCounts):
    """What is known in a case, with sums."""

    def lettered_sum(self, a: int) -> str:
        """A sum of what a letter decides is a sum of counts."""
        root, g = self.root, self.g
        low, high, body = reify.atom(a)[2]
        inner = instantiate(body, (THERE,))
        letter = letter_at(inner[2][0]) or zero_letter(inner[2][0]) if inner[0] == "ind" else None
        if letter is not None and letter[0] == THERE and letter[1] in root.problem.letters:
            return self.count(a, letter[1], low, high)
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
        return self.give(a, label)

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
            return self.give(a, label)
        first, last = (self.need(end) for end in ends)
        if first is None or last is None:
            return WAITS
        summand = f"j. {g.text(inner)}"
        g.use("lem:sum_only", summand, *texts, g.text(place), lambda h: both(h, first, last), each, label=label)
        return self.give(a, label)

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
