"""D at the place of a counterexample: what is left of a statement there has no denominator that vanishes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symcook.errors import Rejected
from symcook.proof import kernel
from symcook.proof.normal import constant, nf
from symcook.proof.search.tactics import Goal, Stuck, Tactic
from symcook.proof.terms import Term, flatten, free, num, var

LINEAR: dict[str, Any] = {"degree": 1, "rounds": 0}


def at_a_place(g: Goal) -> None:
    """Close each part of D by what its terms are made of."""
    g.leaves("", leaf)


def leaf(h: Goal) -> None:
    """One part of D: a denominator that is not 0, a radicand or an exponent that is not negative."""
    if h.try_contradiction() or h.try_auto(**LINEAR):
        return
    either = [k for k, f in h.facts.items() if f[0] == "|" and k not in h.taken]
    for ways in (either[-1:], []):
        trial = h._branch(h.goal)
        try:
            if ways:
                fact = flatten("|", h.facts[ways[0]])
                stem = h.fresh("way")
                labels = [" ".join(f"{stem}_{n}" for n in range(len(flatten("&", part)))) for part in fact]
                trial.taken.add(ways[0])
                for part in trial.cases(ways[0], *labels):
                    leaf(part)
            else:
                decided(trial)
        except (Stuck, Rejected):
            if not ways:
                integers(h)
                return
            continue
        h.take(trial)
        return


def decided(h: Goal) -> None:
    """By the sign of the term that must not be 0, or must not be negative."""
    if h.goal[0] == "<":
        h.hyp(positive(h, h.goal[2][1]))
        return
    if h.goal[0] == "<=":
        h.hyp(above(h, h.goal[2][1]))
        return
    failed: Exception = Stuck(f"no denominator is seen:\n{h.show()}")
    for label, fact in reversed(list(h.facts.items())):
        if fact[0] == "=" and fact[2][1] == num(0):
            trial = h._branch(h.goal)
            try:
                trial.auto([positive(trial, fact[2][0]), label], **LINEAR)
            except (Stuck, Rejected) as error:
                failed = error
                continue
            h.take(trial)
            return
    raise failed


def finite(h: Goal) -> None:
    """A condition about integers between numbers: as it is, or for each of their values."""
    trial = h._branch(h.goal)
    try:
        trial.blast(degree=1, rounds=0)
        h.take(trial)
        return
    except (Stuck, Rejected):
        pass
    h.intro_all()
    for part in h.split() if h.goal[0] == "&" else [h]:
        if part.goal[0] in ("&", "all", "->"):
            finite(part)
        else:
            integers(part, finite)


def integers(h: Goal, then: Tactic | None = None) -> None:
    """Every value of an Int between numbers, one after the other; the last of them with such bounds that occurs."""
    low: dict[Term, tuple[int, str]] = {}
    high: dict[Term, tuple[int, str]] = {}
    for label, kids in ((k, f[2]) for k, f in h.facts.items() if f[0] == "<="):
        for name, end, where in ((kids[1], kids[0], low), (kids[0], kids[1], high)):
            if name[0] == "var" and name[1][1] == "Int" and (c := constant(nf(end))) is not None:
                where[name] = (int(c), label)
    seen = free(h.goal) if h.goal[0] != "false" else {*low}
    names = [name for name in low if name in high and name in seen and high[name][0] - low[name][0] <= 8]
    if not names:
        raise Stuck(f"no integer between numbers:\n{h.show()}")
    name = names[-1]
    (first, above_it), (last, below_it) = low[name], high[name]
    text = name[1][0]
    rest, known = h, above_it
    for value in range(first, last):
        label, after = rest.fresh("most"), rest.fresh("least")
        here, rest = rest.em(f"{text} <= {value}", label)
        at(here, text, value, [known, label], then)
        rest.use("ax:int_lt", str(value), text, f"#{label}", label=after)
        rest.have(f"{value + 1} <= {text}", f"{after}_is", use=after, **LINEAR)
        known = f"{after}_is"
    at(rest, text, last, [known, below_it], then)


def at(h: Goal, name: str, value: int, bounds: list[str], then: Tactic | None) -> None:
    """The same goal, with a number in place of the name."""
    zeros = [k for k, f in h.facts.items() if f[0] == "=" and f[2][1] == num(0) and var(name, "Int") in free(f)]
    label = h.fresh("is")
    h.have(f"{name} = {value}", label, use=bounds, **LINEAR)
    if h.goal[0] != "false":
        h.rewrite(label)
        (then or leaf)(h)
    elif zeros:
        h.rewrite(label, zeros[-1], h.fresh("put"))
        decided(h)
    else:
        raise Stuck(f"no denominator has this name:\n{h.show()}")


def positive(h: Goal, t: Term) -> str:
    """The label of 0 < t."""
    label = h.fresh("pos")

    def proof(e: Goal) -> None:
        tag, name, kids = t
        if e.try_auto(**LINEAR):
            return
        if not free(t) and enclosed(e):
            return
        if tag == "fn" and name == "exp":
            e.use("ax:exp_pos", e.text(kids[0]), label="done").hyp("done")
        elif tag == "fn" and name == "sqrt":
            inner = positive(e, kids[0])
            stem = e.fresh("root")
            e.use("lem:sqrt_positive", e.text(kids[0]), f"#{inner}", label=" ".join(f"{stem}_{k}" for k in range(4)))
            e.hyp(f"{stem}_0")
        elif tag == "sum" and kids[2][0] == "fn" and kids[2][1] == "exp":
            terms = e.text(("lam", ("Int",), (kids[2],)))
            e.use("lem:sum_positive", terms, e.text(kids[0]), e.text(kids[1]), None, exponential, label="total")
            e.auto("total", **LINEAR)
        elif tag == "sum" and kids[2][0] == "ind":
            scores = e.text(("lam", ("Int",), (kids[2][2][0][2][0][2][1][2][0],)))
            e.use("lem:hm_count", scores, e.text(kids[1]), label="total").auto("total", **LINEAR)
        elif tag == "+":
            some(e, lambda x: both(x, above, positive, kids), lambda x: both(x, positive, above, kids))
        elif tag == "*":
            both(e, positive, positive, kids)
        elif tag == "/":
            top = positive(e, kids[0])
            stem = inverted(e, kids[1])
            e.auto([top, f"{stem}_i"])
        elif tag == "^":
            e.auto([positive(e, kids[0])])
        elif tag == "var":
            values = [k for k, f in e.facts.items() if f[0] == "=" and f[2][0] == t and f[2][1] != num(0)]
            if not values:
                raise Stuck(f"no value is known:\n{e.show()}")
            e.auto([positive(e, e.facts[values[-1]][2][1]), values[-1]], **LINEAR)
        else:
            raise Stuck(f"no rule for the sign:\n{e.show()}")

    h.have(("<", None, (num(0), t)), label, proof)
    return label


def above(h: Goal, t: Term) -> str:
    """The label of 0 <= t."""
    label = h.fresh("above")

    def proof(e: Goal) -> None:
        tag, power, kids = t
        if e.try_auto(**LINEAR):
            return
        if tag == "^" and power == 2:
            e._emit({"by": "pos", "sum": [{"c": "1", "of": [], "sq": e.text(kids[0])}]}, True)
        elif tag == "sum":
            terms = e.text(("lam", ("Int",), (kids[2],)))
            every = lambda x: x.intro_all().hyp(above(x, x.goal[2][1]))  # noqa: E731
            e.use("lem:sum_nonneg", terms, e.text(kids[0]), e.text(kids[1]), every, label="total").hyp("total")
        elif tag in ("+", "*"):
            both(e, above, above, kids)
        elif tag == "/":
            top = above(e, kids[0])
            stem = inverted(e, kids[1])
            e.auto([top, f"{stem}_i"])
        else:
            e.auto([positive(e, t)], **LINEAR)

    h.have(("<=", None, (num(0), t)), label, proof)
    return label


def inverted(e: Goal, t: Term) -> str:
    """0 < 1/t as the label with _i at the end."""
    label, stem = positive(e, t), e.fresh("inv")
    e.positive(e.text(t), stem, lambda x: x.hyp(label))
    return stem


def exponential(g: Goal) -> None:
    g.intro_all().use("ax:exp_pos", g.text(g.goal[2][1][2][0]), label="done").hyp("done")


def both(e: Goal, left: Callable[[Goal, Term], str], right: Callable[[Goal, Term], str], kids: Sequence[Term]) -> None:
    e.auto([left(e, kids[0]), right(e, kids[1])])


def some(e: Goal, *ways: Tactic) -> None:
    """Close `e` by the first way that works."""
    if not e.first(*ways):
        raise Stuck(f"none of {len(ways)} ways works:\n{e.show()}")


def enclosed(e: Goal) -> bool:
    """Close the goal by an enclosure, where it has no names and one decides it."""
    trial = e._branch(e.goal)
    trial.interval([], 64)
    try:
        kernel.check(e.goal, trial.nodes)
    except Rejected:
        return False
    e.interval([], 64)
    return True
