"""A run of numbers whose functions keep their names where an equation is looked at case by case: so a case has the
values that stand in it, and not the terms of all of them. Untrusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from symcook.model.rationals import quotient
from symcook.proof import normal
from symcook.proof.bridges.computed import FEW, Computed
from symcook.proof.bridges.sharedvalues import Shorter
from symcook.proof.normal import fkey, height, nf
from symcook.proof.search.ranges import numbered_range
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import (
    COMPARISONS,
    Sort,
    Term,
    abstract,
    conj,
    flatten,
    free,
    imp,
    instantiate,
    loose,
    measure,
    subterms,
    var,
)

TIMES, LONG = 2, 500
"""So many times longer, and so long, an equation is with terms in the place of names, if they stay."""
LONG_VALUE = 300
"""A value of more symbols is put as a number where it is one."""
WHOLE = 45_000
"""So many symbols all equations have at most with terms in the place of names; then the longest terms get names."""


@dataclass(frozen=True)
class Witnesses:
    """Witnesses of a run: their names, and each as a text and as the term that it is."""

    names: Sequence[Term]
    texts: Sequence[str]
    values: Sequence[Term]

    def kept(self, g: Goal, body: Term) -> list[int]:
        """Which of them keep their names in `body`, which has them as loose indices; `g` is the goal with the terms in
        their places. Those that are functions of a number and more, and stand below no quantifier of a term."""
        if measure(g.goal)[1] < max(LONG, TIMES * measure(body)[1]) or not _many(g.goal):
            return []
        staying = _may_stay([instantiate(body, self.names[::-1])])
        return [k for k, v in enumerate(self.names) if v in staying and self._is_long(k)]

    def _is_long(self, k: int) -> bool:
        """Whether it is a function of a number and more, and no name."""
        return self.values[k][0] == "lam" and len(self.names[k][1][1][1]) > 1

    def shorter(self, g: Goal, body: Term) -> tuple[Witnesses, dict[Term, str]]:
        """The witnesses for `body`, all equations, where those that would make it too long are names of functions that
        are obtained as there is one of their values; and the facts that say what these are."""
        parts = flatten("&", instantiate(body, self.names[::-1]))
        times = Counter(t for part in parts for t in subterms(part) if t[0] == "var")
        more = [times[v] * (_symbols(value) - 1) for v, value in zip(self.names, self.values, strict=True)]
        symbols_all, may_stay = sum(more) + sum(map(_symbols, parts)), _may_stay(parts)
        texts, values, values_told = list(self.texts), list(self.values), dict[Term, str]()
        for k in sorted(range(len(more)), key=more.__getitem__, reverse=True):
            if symbols_all <= WHOLE:
                break
            name = self.names[k]
            if name not in may_stay or not self._is_long(k):
                continue
            value_said, there, values_told[name] = _valued(name, values[k]), g.fresh("there"), g.fresh("value")
            text = texts[k]
            exists = ("ex", name[1][1], (abstract(value_said, (name,)),))
            g.have(exists, there, lambda h, text=text: h.witness(text).intro_all().true())
            g.obtain(there, name[1][0], values_told[name])
            texts[k], values[k], symbols_all = name[1][0], name, symbols_all - more[k]
        return Witnesses(self.names, texts, values), values_told


def _symbols(t: Term) -> int:
    return sum(1 for _ in subterms(t))


def _may_stay(parts: Sequence[Term]) -> set[Term]:
    """The variables that stand below no quantifier of a term."""
    inside = [t for part in parts for t in subterms(_inside(part))]
    return {t for t in inside if t[0] == "var"} - {v for t in inside if t[0] in ("all", "ex") for v in free(t)}


def named(g: Goal, run: Witnesses, told: Mapping[Term, str], body: Term, known: Computed) -> None:
    """Close a goal, which is `body` with the witnesses in their places, by a claim about all functions that have their
    values; or as it is. Of the functions `told` facts say what they are."""
    kept_names = run.kept(g, body)
    if kept_names and g.first(lambda h: _claimed(h, run, kept_names, told, body, known)):
        return
    (_Named(known, told) if free(g.goal) & told.keys() else known).settle(g)


def _claimed(
    g: Goal, run: Witnesses, kept: Sequence[int], told: Mapping[Term, str], body: Term, known: Computed
) -> None:
    """By a claim about functions that keep their names."""
    mixed = [v if k in kept else run.values[k] for k, v in enumerate(run.names)]
    says = [_valued(run.names[k], run.values[k]) for k in kept]
    claim = imp(reduce(conj, says), instantiate(body, mixed[::-1]))
    for k in reversed(kept):
        claim = ("all", run.names[k][1][1], (abstract(claim, (run.names[k],)),))
    rule, claim_label, values = g.fresh("run"), g.fresh("said"), [g.fresh(f"value{k}_") for k in range(len(kept))]

    def proved(h: Goal) -> None:
        h.intro(" ".join(run.names[k][1][0] for k in kept))
        h.intro(f"({' '.join(values)})" if len(values) > 1 else values[0])
        _Named(known, {**told, **{run.names[k]: label for k, label in zip(kept, values, strict=True)}}).settle(h)

    def same(h: Goal) -> None:
        for part in h.split() if len(kept) > 1 else [h]:
            part.intro_all().true()

    g.have(claim, rule, proved)
    g.use(rule, *[run.texts[k] for k in kept], same, label=claim_label)
    g.hyp(claim_label)


def _valued(name: Term, value: Term) -> Term:
    """``all b, a. f(a, b) = ..``, what the lambda `value` says of a function of this name: it counts its variables from
    the first."""
    sorts: Sequence[Sort] = value[1]
    args = [("bound", (k, sort), ()) for k, sort in enumerate(sorts)]
    out: Term = ("=", None, (("app", None, (name, *args)), value[2][0]))
    for sort in sorts:
        out = ("all", sort, (out,))
    return out


def _inside(f: Term) -> Term:
    """What ``all x in a..b. ..`` says of the numbers."""
    while f[0] == "all" and f[2][0][0] == "->":
        f = instantiate(f[2][0], (var(f"{height(f)}#", f[1]),))[2][1]
    return f


def _many(f: Term) -> bool:
    """Whether it is about more numbers than a few."""
    return len(numbered_range(f) or ()) > FEW


class _Named(Computed):
    """The same where functions have names, and the facts with these labels say what their values are."""

    def __init__(self, known: Computed, values: Mapping[Term, str]) -> None:
        super().__init__(known.differs, {}, searching=True, long=True)
        self.values = values

    def settle(self, g: Goal) -> None:
        if g.goal[0] not in COMPARISONS:
            super().settle(g)
            return
        short = g.formula(g.text(Shorter(always=True).of(g.goal)))
        if short == g.goal or fkey(short) != fkey(g.goal):
            self._valued(g)
            return
        label = g.fresh("short")
        g.have(short, label, self._valued)
        g.hyp(label)

    def _valued(self, g: Goal) -> None:
        """With the values in their places."""
        for at in dict.fromkeys(t for t in subterms(g.goal) if t[0] == "app" and t[2][0] in self.values):
            if not any(loose(k) or normal.constant(nf(k)) is None for k in at[2][1:]):
                g.rewrite(self._value(g, at))
        super().settle(g)

    def _value(self, g: Goal, at: Term) -> str:
        """The label of an equation that says what a value is, as a number where its term is long."""
        label, trial = g.fresh("at"), g._branch(g.goal)

        def used(h: Goal) -> Goal:
            return h.use(self.values[at[2][0]], *map(h.text, reversed(at[2][1:])), label=label)

        value = used(trial).facts[label][2][1]
        number = normal.constant(nf(value)) if _symbols(value) > LONG_VALUE else None
        if number is None:
            used(g)
        else:
            g.have(f"{g.text(at)} = {quotient(number)}", label, lambda h: used(h).hyp(label))
        return label
