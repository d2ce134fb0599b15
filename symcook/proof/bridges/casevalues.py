"""Closes the goal that a model has a run whose values are given numbers, without very long formulas. Not trusted.

The witness for a function is a table of numbers, so it is a long term: written out in each equation, such terms make
the equations too long. Here some functions keep their names instead, and a fact says which values a named function has.
Where an equation is closed case by case, a case then contains only the values that it needs."""

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
from symcook.proof.search.tactics import Goal, intro_all, try_each
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
"""Functions keep their names in an equation only if writing out their terms makes it at least TIMES times as long, and
at least LONG symbols long."""
LONG_VALUE = 300
"""The value of a function with more symbols than this is replaced by a numeral if it is a number. A numeral has fewer
symbols than that, so that the equation gets shorter."""
WHOLE = 45_000
"""The maximum number of symbols of all equations with the terms written out; above it the longest terms get names. The
checker reads at most 60,000 (`terms.MAX_SIZE`), and a quarter of them is left for the premises."""


@dataclass(frozen=True)
class Witnesses:
    """The witnesses of a run, one for each variable that the statement about the run quantifies."""

    names: Sequence[Term]
    """The variables: terms ("var", (name, sort), ())."""
    texts: Sequence[str]
    """The witness for each variable, as a text."""
    values: Sequence[Term]
    """The witness for each variable, as a term; the variable itself where it keeps its name."""

    def kept(self, g: Goal, body: Term) -> list[int]:
        """The indices of the witnesses that keep their names in the equation `body`, where they are loose variables;
        the goal of `g` is `body` with the terms written out.

        These are all tables that occur below no quantifier, if the goal is long and has many cases; else none."""
        if measure(g.goal)[1] < max(LONG, TIMES * measure(body)[1]) or not _has_many_cases(g.goal):
            return []
        may_stay = _rewritable([instantiate(body, self.names[::-1])])
        return [k for k, name in enumerate(self.names) if name in may_stay and self._is_long(k)]

    def _is_long(self, k: int) -> bool:
        """Whether the witness with index k is a table: a lambda with two or more arguments, and not a name."""
        # the sort of a function is ("fun", sorts of its arguments, sort of its values)
        return self.values[k][0] == "lam" and len(self.names[k][1][1][1]) > 1

    def shorter(self, g: Goal, body: Term) -> tuple[Witnesses, dict[Term, str]]:
        """The witnesses with the longest tables replaced by names, so that `body`, the conjunction of all equations,
        has at most `WHOLE` symbols; and for each such name the label of the fact that says which values it has.

        Such a name is obtained in `g` from a proof that a function with these values exists."""
        parts = flatten("&", instantiate(body, self.names[::-1]))
        # Writing out a witness replaces one symbol by many, at each use of its name.
        uses = Counter(t for part in parts for t in subterms(part) if t[0] == "var")
        added_symbols = [
            uses[variable] * (_symbols(value) - 1) for variable, value in zip(self.names, self.values, strict=True)
        ]
        total, may_stay = sum(added_symbols) + sum(map(_symbols, parts)), _rewritable(parts)
        # The witness that adds most symbols gets a name first.
        texts, values, value_facts = list(self.texts), list(self.values), dict[Term, str]()
        for k in sorted(range(len(added_symbols)), key=added_symbols.__getitem__, reverse=True):
            if total <= WHOLE:
                break
            name = self.names[k]
            if name not in may_stay or not self._is_long(k):
                continue
            equation, exists_label = _value_equation(name, values[k]), g.fresh("there")
            value_facts[name], text = g.fresh("value"), texts[k]
            # "Some function has these values", by the table itself as the witness; the name stands for that function.
            exists = ("ex", name[1][1], (abstract(equation, (name,)),))
            g.have(exists, exists_label, lambda h, text=text: intro_all(h.witness(text)).true())
            g.obtain(exists_label, name[1][0], value_facts[name])
            texts[k], values[k], total = name[1][0], name, total - added_symbols[k]
        return Witnesses(self.names, texts, values), value_facts


def _symbols(t: Term) -> int:
    """The number of symbols of a term."""
    return sum(1 for _ in subterms(t))


def _rewritable(parts: Sequence[Term]) -> set[Term]:
    """The variables of the parts that occur below no quantifier, other than the leading ``all x in a..b`` of a part: a
    value can be rewritten only at these occurrences."""
    bodies = [t for part in parts for t in subterms(_below_ranges(part))]
    return {t for t in bodies if t[0] == "var"} - {v for t in bodies if t[0] in ("all", "ex") for v in free(t)}


def named(g: Goal, run: Witnesses, value_facts: Mapping[Term, str], body: Term, computed: Computed) -> None:
    """Close a goal, which is the equation `body` with the witnesses written out. `value_facts` has, for each function
    that keeps its name in all equations, the label of the fact about its values.

    If more functions should keep their names here, a claim about all functions with these values is tried first; then
    the goal is closed as it is."""
    kept_indices = run.kept(g, body)
    if kept_indices and try_each(g, lambda h: _close_by_claim(h, run, kept_indices, value_facts, body, computed)):
        return
    (_NamedFunctions(computed, value_facts) if free(g.goal) & value_facts.keys() else computed).settle(g)


def _close_by_claim(
    g: Goal, run: Witnesses, kept: Sequence[int], value_facts: Mapping[Term, str], body: Term, computed: Computed
) -> None:
    """Close the goal by ``all f. (all i. f(i) = value(i)) -> body``, for all functions f of the indices `kept`, used
    with the witnesses for f."""
    # The claim: the functions of `kept` are variables, all other witnesses are written out.
    arguments = [name if k in kept else run.values[k] for k, name in enumerate(run.names)]
    equations = [_value_equation(run.names[k], run.values[k]) for k in kept]
    claim = imp(reduce(conj, equations), instantiate(body, arguments[::-1]))
    for k in reversed(kept):
        claim = ("all", run.names[k][1][1], (abstract(claim, (run.names[k],)),))
    rule, instance, value_labels = g.fresh("run"), g.fresh("said"), [g.fresh(f"value{k}_") for k in range(len(kept))]

    def close_claim(h: Goal) -> None:
        h.intro(" ".join(run.names[k][1][0] for k in kept))
        h.intro(f"({' '.join(value_labels)})" if len(value_labels) > 1 else value_labels[0])
        kept_facts = {run.names[k]: label for k, label in zip(kept, value_labels, strict=True)}
        _NamedFunctions(computed, {**value_facts, **kept_facts}).settle(h)

    def close_equations(h: Goal) -> None:
        for part in h.split() if len(kept) > 1 else [h]:
            intro_all(part).true()

    g.have(claim, rule, close_claim)
    g.use(rule, *[run.texts[k] for k in kept], close_equations, label=instance)
    g.hyp(instance)


def _value_equation(name: Term, value: Term) -> Term:
    """``all b, a. f(a, b) = ..``: that the function `name` has the values of the lambda `value`.

    The index of a bound variable of the lambda counts its arguments from the first, so the quantifiers are in the
    opposite order: the innermost one is for the first argument."""
    sorts: Sequence[Sort] = value[1]
    arguments = [("bound", (k, sort), ()) for k, sort in enumerate(sorts)]
    equation: Term = ("=", None, (("app", None, (name, *arguments)), value[2][0]))
    for sort in sorts:
        equation = ("all", sort, (equation,))
    return equation


def _below_ranges(f: Term) -> Term:
    """F for the formula ``all x in a..b. .. all y in c..d. F``, with fresh variables in the place of x, .., y."""
    while f[0] == "all" and f[2][0][0] == "->":
        f = instantiate(f[2][0], (var(f"{height(f)}#", f[1]),))[2][1]
    return f


def _has_many_cases(f: Term) -> bool:
    """Whether the formula is ``all x in a..b. F`` for numbers a and b with more than `FEW` values of x."""
    return len(numbered_range(f) or ()) > FEW


class _NamedFunctions(Computed):
    """Closes goals in which some functions have names; `values` has the label of the fact about the values of each."""

    def __init__(self, computed: Computed, values: Mapping[Term, str]) -> None:
        super().__init__(computed.differs, {}, searching=True, long=True)
        self.values = values

    def settle(self, g: Goal) -> None:
        """As `Computed.settle`; in a comparison, named functions of numbers are first replaced by their values."""
        if g.goal[0] not in COMPARISONS:
            super().settle(g)
            return
        # A comparison is shortened first: with its sums written out, it applies the functions to numbers.
        short = g.formula(g.text(Shorter(always=True).of(g.goal)))
        if short == g.goal or fkey(short) != fkey(g.goal):
            self._settle_with_values(g)
            return
        label = g.fresh("short")
        g.have(short, label, self._settle_with_values)
        g.hyp(label)

    def _settle_with_values(self, g: Goal) -> None:
        """Close the goal after each application of a named function to numbers is rewritten to its value."""
        for application in dict.fromkeys(t for t in subterms(g.goal) if t[0] == "app" and t[2][0] in self.values):
            if not any(loose(k) or normal.constant(nf(k)) is None for k in application[2][1:]):
                g.rewrite(self._value_fact(g, application))
        super().settle(g)

    def _value_fact(self, g: Goal, application: Term) -> str:
        """The label of a new fact ``application = value``; a long value that is a number is written as a numeral."""
        label, trial = g.fresh("at"), g.branch()

        def with_value(h: Goal) -> Goal:
            return h.use(self.values[application[2][0]], *map(h.text, reversed(application[2][1:])), label=label)

        value = with_value(trial).facts[label][2][1]
        number = normal.constant(nf(value)) if _symbols(value) > LONG_VALUE else None
        if number is None:
            with_value(g)
        else:
            g.have(f"{g.text(application)} = {quotient(number)}", label, lambda h: with_value(h).hyp(label))
        return label
