"""That the functions of rounds exist, which are given by values of the round before and by each other.

By induction on the number of rounds. Where there are functions for q of them, the values of one more exist as those of
a model without rounds do, and the functions for q + 1 are ``if(t = q + 1, the new value, the old one)``. Untrusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from symcook.proof.search import automation
from symcook.proof.search.automation import Hint, Level
from symcook.proof.search.ranges import PositionRange, range_of, ranged
from symcook.proof.search.tactics import Goal, Stuck, Tactic
from symcook.proof.terms import Sort, Term, abstract, conj, imp, instantiate, num, subterms, var

ROUND = var("t#", "Int")
Existing = Callable[[Goal, Sequence[tuple[str, Sort]], Sequence[Term]], None]
"""Obtain functions of these names, each by its equation among the parts, which become facts."""


@dataclass(frozen=True)
class Repeated:
    """Functions of a round, what is said of them before all rounds, and in the round `ROUND` from `low` to `high`."""

    low: Term
    high: Term
    functions: tuple[Term, ...]
    before: tuple[Term, ...]
    steps: tuple[Term, ...]

    def parts(self, last: Term) -> list[Term]:
        """What is said of them where `last` is the last round."""
        return [*self.before, *(ranged(self.low, last, step, ROUND) for step in self.steps)]

    def exist(self, last: Term) -> Term:
        """There are such functions."""
        formula = reduce(conj, self.parts(last))
        for f in reversed(self.functions):
            formula = ("ex", f[1][1], (abstract(formula, [f]),))
        return formula

    def obtain(self, g: Goal, some: str, last: Term, names: Sequence[str], stem: str) -> list[str]:
        """Obtain what the fact `some` speaks of, and the labels of the parts."""
        labels = [f"{stem}_{k}" for k in range(len(self.parts(last)))]
        for k, name in enumerate(names, 1):
            inner = g.fresh("from_")
            g.obtain(some, name, " ".join(labels) if k == len(names) else inner)
            some = inner
        return labels


def repeated(wanted: Sequence[Term], parts: Sequence[Term]) -> Repeated:
    """The functions of `wanted` that repeat over one range; Stuck where none does."""
    over = {part: step_range for part in parts if (step_range := _in_rounds(part, wanted)) is not None}
    first = next(((low, high) for low, high, step in over.values() if _about(step, wanted)), None)
    if first is None:
        without = ", ".join(w[1][0] for w in wanted)
        raise Stuck(f"no equation gives one of {without} by those before it")
    steps = tuple(step for low, high, step in over.values() if (low, high) == first and _about(step, wanted))
    functions = tuple(f for f in wanted if any(f in _about(step, wanted) for step in steps))
    before = tuple(part for part in parts if part not in over and _about(part, functions) and _starts(part, functions))
    return Repeated(*first, functions, before, steps)


def _in_rounds(part: Term, wanted: Sequence[Term]) -> PositionRange | None:
    """The rounds that a part begins with, and what it says of those of `wanted` in the round `ROUND`."""
    step_range = range_of(part, ROUND) if part[0] == "all" else None
    if step_range is None or not any(
        applied[0] == "app" and applied[2][0] in wanted and applied[2][1] == ROUND
        for applied in subterms(step_range.body)
    ):
        return None
    return step_range


def _about(part: Term, among: Sequence[Term]) -> set[Term]:
    """The functions of which a part speaks."""
    return {variable for variable in subterms(part) if variable[0] == "var"} & {*among}


def _starts(part: Term, functions: Sequence[Term]) -> bool:
    """Whether a part gives values before all rounds: it begins with one of the functions, at a number."""
    while part[0] in ("all", "->"):
        part = part[2][-1]
    return part[0] == "=" and part[2][0][0] == "app" and part[2][0][2][0] in functions


def obtain(g: Goal, found: Repeated, solve: Existing, levels: Sequence[Level]) -> None:
    """Obtain the functions, with what is said of them as facts."""
    start = ("-", None, (found.low, num(1)))
    q = var("q#", "Int")
    body = imp(("<=", None, (start, q)), imp(("<=", None, (q, found.high)), found.exist(q)))
    every, all_of_them = g.fresh("rounds"), ("all", "Int", (abstract(body, [q]),))

    def by_induction(h: Goal) -> None:
        before, top = h.fresh("before"), h.fresh("top")
        base, step = h.induct(h.fresh("q"), h.fresh("low"), before)
        base.intro(top)
        _none(base, found)
        automation.prove(base, [Hint(top)], levels)
        step.intro(top)
        _one_more(step, found, before, solve, levels)

    g.have(all_of_them, every, by_induction)
    some = g.fresh("some")
    g.use(every, g.text(found.high), label=some, premises=2)
    found.obtain(g, some, found.high, [f[1][0] for f in found.functions], g.fresh("round"))


def _none(g: Goal, found: Repeated) -> None:
    """Witnesses for no round: what is said of them before all, and 0."""
    values_before = {}
    for part in found.before:
        inside = list[Term]()
        while part[0] in ("all", "->"):
            if part[0] == "all":
                inside.append(var(f"x#{len(inside)}", "Int"))
                part = instantiate(part[2][0], (inside[-1],))
            else:
                part = part[2][1]
        call, value = part[2]
        if [*call[2][2:]] != inside:
            raise Stuck(f"no equation for all values of {call[2][0][1][0]} before all rounds")
        values_before[call[2][0]] = abstract(value, [ROUND, *inside])
    for f in found.functions:
        g.witness(g.text(("lam", f[1][1][1], (values_before.get(f, num(0)),))))


def _one_more(g: Goal, found: Repeated, before: str, solve: Existing, levels: Sequence[Level]) -> None:
    """The step of the induction."""
    (q,) = (var(name, "Int") for name in [*g.scope][-1:])
    new = ("+", None, (q, num(1)))
    exists_label = g.fresh("some")
    g.use(before, label=exists_label, premises=1)
    olds = [g.fresh(f"{f[1][0]}_") for f in found.functions]
    labels = found.obtain(g, exists_label, q, olds, g.fresh("old"))
    # the values of the new round are functions of their own, of the other arguments
    news = {f: _later(f, g.fresh(f"{f[1][0]}_new")) for f in found.functions}
    parts = [_put(instantiate(abstract(step, [ROUND]), (new,)), new, news) for step in found.steps]
    old = {f: var(name, f[1][1]) for f, name in zip(found.functions, olds, strict=True)}
    parts = [instantiate(abstract(part, [*old]), [*old.values()]) for part in parts]
    solve(g, [f[1] for f in news.values()], parts)
    for k, part in enumerate(parts):
        if part not in g.facts.values():
            g.have(part, g.fresh(f"step{k}_"), closing(levels[:2]))
    for f in found.functions:
        inside = [ROUND, *(var(f"x#{k}", "Int") for k in range(1, len(f[1][1][1])))]
        is_new: Term = ("ind", None, (("=", None, (ROUND, new)),))
        mine = _call(news[f], inside[1:])
        elsewhere: Term = ("-", None, (num(1), is_new))
        value = ("+", None, (("*", None, (is_new, mine)), ("*", None, (elsewhere, _call(old[f], inside)))))
        g.witness(g.text(("lam", f[1][1][1], (abstract(value, inside),))))
    goals = g.split() if g.goal[0] == "&" else [g]
    for h, label in zip(goals, labels, strict=True):
        if label in labels[: len(found.before)]:
            _elsewhere(h, new, levels)
            continue
        t, low, last, upto, at = (h.fresh(stem) for stem in ("t", "from_low", "to_last", "upto", "at"))
        h.intro(t)
        h.intro(f"({low} {last})")
        earlier, there = h.em(f"{t} <= {h.text(q)}", upto)
        there.have(f"{t} = {h.text(new)}", at, closing(levels, upto, last))
        there.rewrite(at)
        if not automation.immediate(there):
            raise there.stuck("the new round is not as its equation says")
        earlier.use(label, t, label=earlier.fresh("as"))
        _elsewhere(earlier, new, levels)


def _elsewhere(g: Goal, new: Term, levels: Sequence[Level]) -> None:
    """Close a goal in which no round is the new one by a fact of the old functions."""
    tests = {test for test in subterms(g.goal) if test[0] == "ind" and test[2][0][0] == "=" and test[2][0][2][1] == new}
    for test in sorted(tests, key=str):
        label = g.fresh("other")
        g.have(("=", None, (test, num(0))), label, closing(levels))
        g.rewrite(label)
    if not automation.immediate(g):
        raise g.stuck("the rounds before the new one are not as they were")


def closing(levels: Sequence[Level], *labels: str) -> Tactic:
    """The automation, with the facts of these labels."""

    def close(g: Goal) -> None:
        automation.prove(g, [*map(Hint, labels)], levels)

    return close


def _later(f: Term, name: str) -> Term:
    """The function without its first argument."""
    tag, arguments, value = f[1][1]
    return var(name, (tag, arguments[1:], value) if arguments[1:] else value)


def _call(f: Term, arguments: Sequence[Term]) -> Term:
    return ("app", None, (f, *arguments)) if arguments else f


def _put(t: Term, new: Term, news: dict[Term, Term]) -> Term:
    """`t` with the values at the round `new` as those of functions without that argument."""
    kids = tuple([_put(child, new, news) for child in t[2]])
    if t[0] == "app" and t[2][0] in news and t[2][1] == new:
        return _call(news[t[2][0]], kids[2:])
    return (t[0], t[1], kids)
