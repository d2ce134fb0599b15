"""The values of a run as terms, such that the equations of the run are true of them by computation."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import prod

from symcook.numbers.expsum import text
from symcook.numbers.roots import Root, root
from symcook.proof import grammar
from symcook.proof.instances import _integers
from symcook.proof.normal import constant, nf
from symcook.proof.ownruns import Runs
from symcook.proof.ownvalues import compact, written
from symcook.proof.search import reify
from symcook.proof.terms import Term, free, num, subterms


def terms(runs: Runs, by_equations: bool = False) -> list[str]:
    """The values of the leading names at the present word as texts of the grammar: numbers and those with one root as
    they are, others as their equation says it; `by_equations` all so. Spent where that takes too much work."""
    return _Writing(runs, by_equations).terms()


def shown(runs: Runs) -> dict[str, dict[int, str]]:
    """The same by name and position."""
    writing = _Writing(runs, False)
    for one in runs.parts:
        writing._rooted(*one)
    tables = {v: runs.values[v] for v in runs.order if isinstance(runs.values[v], dict) and v not in runs.words_of}
    return {v[1][0]: {i: grammar.show(writing._shown_at(v, i)) for i in table} for v, table in tables.items()}


class _Writing:
    """The texts of one word's values."""

    def __init__(self, runs: Runs, by_equations: bool) -> None:
        self.runs, self.by_equations = runs, by_equations
        self.roots = dict(runs.roots)
        self._shown: dict[tuple[Term, int], Term] = {}

    def terms(self) -> list[str]:
        for one in self.runs.parts:
            self._rooted(*one)
        return [self._term(v) for v in self.runs.order]

    def _term(self, v: Term) -> str:
        x = self.runs.values[v]
        if not isinstance(x, dict):
            return text(x)
        rest = self.runs.behind(v)
        parts = []
        for i in sorted(x):
            at = self._shown_at(v, i)
            if rest:
                at = reify.term(nf(("-", None, (at, written(rest)))))
            if at != num(0):
                parts.append(f"I[j = {i}]" + ("" if at == num(1) else f"*({grammar.show(at)})"))
        return "j. " + (" + ".join([*parts, *([text(rest)] if rest else [])]) or "0")

    def _shown_at(self, f: Term, i: int) -> Term:
        """f(i) as it is written."""
        if (f, i) not in self._shown:
            x, said = self.runs.values[f][i], self.runs.solved.get((f, i))
            if said is None or (isinstance(x, int | Fraction | Root) and not self.by_equations):
                at = self._rooted_term(f, i, x) if isinstance(x, Root) else written(x)
            else:
                plain = self._said(said, (i,))
                at = min(compact(nf(plain)), plain, key=_size)
            self._shown[f, i] = at
        return self._shown[f, i]

    def _said(self, t: Term, bound: tuple[int, ...]) -> Term:
        """A part of an equation with the values so written of what stands in it."""
        tag, data, kids = t
        if tag in ("num", "bound", "var"):
            return written(self.runs.value(t, bound))
        if tag == "app":
            place = self.runs.value(kids[1], bound)
            table = self.runs.values[kids[0]]
            if place not in table:
                return written(self.runs.value(t, bound))
            return self._shown_at(kids[0], place)
        if tag == "ind":
            return num(int(self.runs.truth(kids[0], bound)))
        if tag in ("sum", "prod"):
            low, high = (self.runs.whole(self.runs.value(k, bound)) for k in kids[:2])
            out = num(int(tag == "prod"))
            for k in _integers(low, high):
                out = _made("+" if tag == "sum" else "*", None, (out, self._said(kids[2], (k, *bound))))
            return out
        return _made(tag, data, tuple([self._said(k, bound) for k in kids]))

    def _rooted_term(self, f: Term, i: int, value: Root) -> Term:
        """A value with a root in terms of the roots that the equations before it have, where they give it: then that a
        product with one of these is what an equation says needs no more than sqrt(q)*sqrt(q) = q."""
        chosen = self.roots.get((f, i), ())
        unit = root(prod(chosen))
        if not isinstance(unit, Root) or unit.r != value.r:
            return written(value)
        factors = [written(x) for x in [value.q / unit.q] if x != 1]
        out, *more = [*factors, *(("fn", "sqrt", (written(q),)) for q in chosen)]
        for one in more:
            out = ("*", None, (out, one))
        return ("+", None, (out, written(value.p))) if value.p else out

    def _rooted(self, f: Term, part: Term, i: int) -> None:
        """Note of which roots f(i) is a product: those of one name in its equation, perhaps with one of another."""
        value = self.runs.values[f].get(i)
        if not isinstance(value, Root):
            return
        used = [roots for (g, _), roots in self.roots.items() if g in free(part) and g != f]
        ways = [*used, *(tuple(dict.fromkeys((*x, *y))) for x, y in product(used, used))]
        near = list(dict.fromkeys(q for roots in used for q in roots))
        ways += [c for many in range(1, len(near) + 1) for c in combinations(near, many)]
        if part[2][0][0] == "*":  # it is divided by one of them: rather a product with both
            ways.sort(key=len, reverse=True)
        for chosen in ways:
            unit = root(prod(chosen))
            if isinstance(unit, Root) and unit.r == value.r:
                self.roots[f, i] = chosen
                return


def _made(tag: str, data: object, kids: tuple[Term, ...]) -> Term:
    """A term with these parts, without what 0 and 1 add to it."""
    zero, one = num(0), num(1)
    if all(k[0] == "num" for k in kids) and (c := constant(nf((tag, data, kids)))) is not None:
        return written(c)
    a, b = kids[0] if kids else zero, kids[-1] if kids else zero
    if tag == "+" and zero in kids:
        return b if a == zero else a
    if tag == "-" and b == zero:
        return a
    if tag == "-" and a == zero:
        return ("neg", None, (b,))
    if tag == "*" and (zero in kids or one in kids):
        return zero if zero in kids else b if a == one else a
    if tag == "/" and (a == zero or b == one):
        return a
    return (tag, data, kids)


def _size(t: Term) -> int:
    return sum(1 for _ in subterms(t))
