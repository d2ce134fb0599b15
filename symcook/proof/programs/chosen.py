"""A selection of an S-RASP program as an equation: the value at the first or last selected position is a sum.

A theorem of a program says of a selection f(i), for all j: if j is selected and no nearer position is, then
f(i) = V(j); if no position is selected, f(i) is a default D. `chosen` reads these two formulas, and gives the value

    sum(j, low, high, I[j is selected & no nearer position is]*V(j)) + I[no position is selected]*D

for which `shown` proves them. Nothing here is trusted.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from symcook.proof.claims.bycounts.problem import HERE
from symcook.proof.search.tactics import Goal
from symcook.proof.statements.transfer import against, cases_of, combined, from_facts, last_fact, parts_of
from symcook.proof.terms import Term, abstract, flatten, instantiate, var

J = var("j#", "Int")
"""The selected position."""


class SelectedValue(NamedTuple):
    """A selection at `HERE`: what is true of the position `J` that gives the value, and when there is none."""

    name: Term
    """The function of the line."""
    low: Term
    high: Term
    nearest: Term
    """J is selected, and no nearer position is."""
    chosen: Term
    """The value at J."""
    none: Term
    """No position is selected."""
    default: Term

    @property
    def value(self) -> Term:
        """The value of the line, as a sum."""
        weighted = ("*", None, (("ind", None, (self.nearest,)), self.chosen))
        total = ("sum", None, (self.low, self.high, abstract(weighted, (J,))))
        return ("+", None, (total, ("*", None, (("ind", None, (self.none,)), self.default))))


def selection(body: Term) -> SelectedValue | None:
    """The selection that a premise of the theorem states at `HERE`; None for another formula."""
    parts = flatten("&", body)
    if len(parts) != 2 or parts[0][0] != "all" or parts[1][0] != "->":
        return None
    there, (none, without) = instantiate(parts[0][2][0], (J,)), parts[1][2]
    if there[0] != "->" or there[2][1][0] != "->" or without[0] != "=":
        return None
    (inside, then), (name, default) = there[2], without[2]
    nearest, value = then[2]
    bounds = flatten("&", inside)
    fits = [len(bounds) == 2, nearest[0] == "&", value[0] == "=", name[0] == "app"]
    if not all(fits) or name[2][1:] != (HERE,) or value[2][0] != name or bounds[0][2][1] != J or bounds[1][2][0] != J:
        return None
    return SelectedValue(name[2][0], bounds[0][2][0], bounds[1][2][1], nearest, value[2][1], none, default)


def shown(g: Goal, defined: str) -> None:
    """Close the goal that a line is a selection at each position, by the fact `defined` that it is the sum."""
    place, inside, here = g.fresh("i"), g.fresh("in"), g.fresh("here")
    g.intro([place, inside])
    parts_of(g, inside)
    g.use(defined, place, f"#{inside}", label=here)
    total, default = g.fact(here)[2][1][2]
    found, none = g.split()
    _found(found, here, total, default)
    _none(none, here, total, default)


def _summand(g: Goal, total: Term, place: str) -> tuple[Term, Term]:
    """The condition and the value of the summand of `total` at a name of a position."""
    product = instantiate(total[2][2], (var(place, "Int"),))
    return product[2][0][2][0], product[2][1]


def _found(g: Goal, here: str, total: Term, default: Term) -> None:
    """Close the goal that the line has the value at the position that is nearest of those selected."""
    place, inside, nearest = g.fresh("j"), g.fresh("in"), g.fresh("nearest")
    g.intro([place, inside, nearest])
    parts_of(g, inside)
    parts_of(g, nearest)
    condition, value = _summand(g, total, place)
    summed, function = g.fresh("sum"), g.text(("lam", ("Int",), (total[2][2],)))
    g.use(
        "lem:sum_only", function, *map(g.text, total[2][:2]), place, f"#{inside}",
        partial(_zero_elsewhere, total=total, place=place), label=summed,
    )  # fmt: skip
    # The indicator of this position is 1, that of "none" is 0.
    is_one, is_not = cases_of(g, condition)
    against(is_not, nearest)
    one = last_fact(is_one)
    some, nothing = cases_of(is_one, default[2][0][2][0])
    selected = some.fresh("selected")
    some.have(condition[2][0], selected, from_facts)
    _denied_at(some, default[2][0][2][0], place, inside, selected)
    zero, factors = last_fact(nothing), [nothing.text(t) for t in (value, default[2][1])]
    combined(nothing, ("1", here), ("1", summed), (factors[0], one), (factors[1], zero))


def _denied_at(g: Goal, none: Term, place: str, inside: str, selected: str) -> None:
    """Close any goal: no position is selected, as the fact `none` says, but `place` is."""
    label = next(k for k, f in reversed(g.facts.items()) if f == none)
    denied = g.fresh("denied")
    g.use(label, place, f"#{inside}", label=denied, premises=0)
    g.absurd(selected, denied)


def _zero_elsewhere(g: Goal, total: Term, place: str) -> None:
    """Close the goal that the summands at all positions other than `place`, which is nearest, are 0."""
    other, inside, differs = g.fresh("m"), g.fresh("in"), g.fresh("differs")
    g.intro([other, inside, differs])
    parts_of(g, inside)
    condition, value = _summand(g, total, other)
    is_one, is_zero = cases_of(g, condition)
    combined(is_zero, (is_zero.text(value), last_fact(is_zero)))
    # Both would be nearest: the one denies the other.
    mine, theirs = _summand(g, total, place)[0], condition
    is_one.contra(is_one.fresh("not"))
    # If the nearer positions are those after x, the range of "nearer" begins after x.
    opened = instantiate(mine[2][1][2][0], (var("k#", "Int"),))
    after = any(part[2][0][0] == "+" for part in flatten("&", opened[2][0]))
    order, strict = is_one.fresh("order"), is_one.fresh("strict")
    below, above = is_one.em(f"{other} < {place}", order)
    above.have(f"{place} < {other}", strict, partial(_strictly, low=order, differs=differs))
    for case, less, more in ((below, other, place), (above, place, other)):
        case.use("ax:int_lt", less, more, f"#{order if case is below else strict}", label=case.fresh("step"))
    for case, denying, denied_place, selected in (
        (below if after else above, theirs, place, mine), (above if after else below, mine, other, theirs),
    ):  # fmt: skip
        there, denied = case.fresh("there"), case.fresh("denied")
        case.have(selected[2][0], there, from_facts)
        unique = next(k for k, f in case.facts.items() if f == denying[2][1])
        case.use(unique, denied_place, _between, label=denied)
        case.absurd(there, denied)


def _strictly(g: Goal, low: str, differs: str) -> None:
    """Close a goal a < b by the facts a <= b and ~(b = a)."""
    less, more = g.goal[2]
    high, same = g.fresh("high"), g.fresh("same")
    g.contra(high)

    def equal(h: Goal) -> None:
        first, other = (h.branch(("<=", None, pair)) for pair in ((more, less), (less, more)))
        first.hyp(high)
        other.hyp(low)
        h.close({"by": "antisym", "left": first.nodes, "right": other.nodes})

    g.have(("=", None, (more, less)), same, equal)
    g.absurd(same, differs)


def _between(g: Goal) -> None:
    """Close the goal that a position is in a range, by the comparisons among the facts."""
    few = g.branch()
    few.facts = {k: f for k, f in g.facts.items() if f[0] in ("<", "<=", "=", "~") and f[0] != "all"}
    few.hidden |= g.facts.keys() - few.facts.keys()
    few.easy()
    g.take(few)


def _none(g: Goal, here: str, total: Term, default: Term) -> None:
    """Close the goal that the line has the default where no position is selected."""
    none, summed = g.fresh("none"), g.fresh("sum")
    g.intro([none])
    function = g.text(("lam", ("Int",), (total[2][2],)))

    def zero(h: Goal) -> None:
        place, inside = h.fresh("j"), h.fresh("in")
        h.intro([place, inside])
        condition, value = _summand(h, total, place)
        is_one, is_zero = cases_of(h, condition)
        combined(is_zero, (is_zero.text(value), last_fact(is_zero)))
        selected = is_one.fresh("selected")
        is_one.have(condition[2][0], selected, from_facts)
        _denied_at(is_one, default[2][0][2][0], place, inside, selected)

    g.use("lem:sum_ext", function, "k. 0", *map(g.text, total[2][:2]), zero, label=summed)
    is_none, is_not = cases_of(g, default[2][0][2][0])
    against(is_not, none)
    combined(is_none, ("1", here), ("1", summed), (is_none.text(default[2][1]), last_fact(is_none)))

