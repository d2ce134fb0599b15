"""Heads whose scores are a parabola of the position, in a case of a proof by positions.

`selected` proves the value of such a head: the position nearest to the top of the parabola has the largest score, so
the head copies the value there. `by_products` proves the comparisons of polynomials in positions that this needs.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from math import floor

from symcook.proof import normal
from symcook.proof.claims.byautomata.placed import DecideFirst, PlacedFacts, Unplaced, simple
from symcook.proof.claims.byautomata.placedvalues import equal_by_values, reduced
from symcook.proof.claims.bycounts.bestplace import best_row
from symcook.proof.claims.bycounts.lettered import THERE
from symcook.proof.claims.bycounts.parabolas import parabola, written
from symcook.proof.claims.bycounts.problem import Equation, N, at_place
from symcook.proof.inequalities import reify
from symcook.proof.normal import ONE, fkey, nf
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.search.attempts import succeeds
from symcook.proof.search.ranges import at_most, equals, less_than
from symcook.proof.search.tactics import Goal, try_auto
from symcook.proof.terms import Term, free, imp, num, replace, subterms


def selected(case: PlacedFacts, t: Term, equation: Equation) -> str | None:
    """The label of c(i) = value for a head that selects one position by a parabola; None for any other head."""
    g, place = case.g, t[2][1]
    right, old = (at_place(x, place) for x in (equation.right, equation.old))
    # The mean is a row of a hard head whose scores are a parabola that opens downward.
    row = best_row(right) if right[0] == "sum" else None
    if row is None or row.last:
        return None
    low, high, score, value, _ = row
    scores = parabola(nf(written(score, case.root.regular.positional)[0]), THERE)
    if scores is None or scores.square > 0:
        return None
    used: dict[Term, str] = {}
    # The top is a sum of positions and a number: the best position is the integer of the range that is nearest to it.
    top = rounded(reduced(case, reify.term(scores.top), used))
    if top is None:
        return None
    p = _nearest_place(case, top, low, high)
    ends = [case.established(("<=", None, pair)) for pair in ((low, p), (p, high))]
    size_equation, sum_equation, run_equation, label = (
        g.fresh(stem) for stem in ("weights", "values", "mean", "selected")
    )

    def best(h: Goal) -> None:
        """Prove that p is in the range, and that every other position of the range has a smaller score."""
        least, most, others = h.split()
        least.hyp(ends[0])
        most.hyp(ends[1])
        if not _closed_before_cases(case, others):
            case.under(others).prove()

    texts = [g.text(low), g.text(high), g.text(p), f"j. {g.text(score)}", f"j. {g.text(value)}"]
    g.use("lem:single_best", *texts, best, label=f"{size_equation} {sum_equation}")
    # (c(i) - old)*size = sum by the run, where size = 1 and sum = value(p) by the lemma: c(i) = old + value(p).
    run = case.root.problem.label(equation.part, equation.truth)
    g.use(run, g.text(place), f"#{case.inside(place)}", label=run_equation)
    selected_value = ("+", None, (old, replace(value, THERE, p)))
    rows = [["1", run_equation], [g.text(("-", None, (old, t))), size_equation], ["1", sum_equation]]
    g.have(equals(t, selected_value), label, lambda h: h.close({"by": "pos", "eq": rows}))
    return equal_by_values(case, t, reduced(case, selected_value, used), used, label)


def _nearest_place(case: PlacedFacts, top: Term, low: Term, high: Term) -> Term:
    """The position of the range low..high that is nearest to `top`."""
    for first, second, end in ((low, top, low), (top, high, high)):
        order: Term = at_most(first, second)
        there = case.decided(order)
        if there is None:
            raise DecideFirst(order)
        if not there:
            return simple(end)
    return top


def _closed_before_cases(case: PlacedFacts, h: Goal) -> bool:
    """Close a goal that has no integer but the length n, by a fact that is proved once, before all cases. Returns
    False, and leaves the goal open, for any other goal and where the proof fails."""
    about_n = [k for k in case.orders if free(case.g.facts[k]) == {N} and fkey(case.g.facts[k]) != NTRUE]
    premise_labels = list({fkey(case.g.facts[k]): k for k in about_n}.values())
    if any(v[1][1] == "Int" for v in free(h.goal) - {N}):
        return False
    # The fact is: the known facts about n imply the goal.
    show = reduce(lambda end, k: imp(case.g.facts[k], end), premise_labels, h.goal)
    label = case.root.nearest.setdefault(show, f"nearest_{len(case.root.nearest)}")
    if not succeeds(lambda: case.root.lettered.known(label, show, lambda k: PlacedFacts(case.root, k).prove())):
        return False
    best = h.fresh("best")
    h.use(case.root.lettered.share(h, label), *(f"#{k}" for k in reversed(premise_labels)), label=best)
    h.hyp(best)
    return True


def by_products(case: PlacedFacts, f: Term) -> None:
    """Close a comparison of polynomials in positions, by products of facts about their order."""
    # For each two of the numbers and positions: the facts about their order, also with one of them shifted by a number
    # of the formula. DecideFirst where an order is undecided.
    numbers = sorted({abs(s[1][0]) for s in subterms(f) if s[0] == "num" and s[1][1] == 1} | {0, 1})
    names = sorted(free(f))
    order = [*case.orders]
    for a, b in [*product(map(num, numbers), names), *combinations(names, 2)]:
        for pair in ((a, b), (b, a)):
            _ask_order(case, *pair)
        steps = [sign * k for k in (numbers if a in names else [0]) for sign in (1, -1)]
        for shifted in dict.fromkeys(simple(("+", None, (b, num(step)))) for step in steps):
            if case.decided(equals(a, shifted)) is False:
                _ask_order(case, a, shifted)
            relations = (equals(a, shifted), less_than(a, shifted), less_than(shifted, a))
            order += [case.established(relation) for relation in relations if case.follows(relation)]
    if not try_auto(case.g, [*dict.fromkeys(order)], degree=2):
        raise Unplaced(f"the search has no rule for {case.g.text(f)[:80]}")


def _ask_order(case: PlacedFacts, a: Term, b: Term) -> None:
    """Raise DecideFirst for a <= b, if it is undecided and was not asked before."""
    half: Term = at_most(a, b)
    if case.decided(half) is None and half not in case.divided:
        case.divided.add(half)
        raise DecideFirst(half)


def rounded(place: Term) -> Term | None:
    """The integer nearest to a sum of positions and a number; None for any other term, and where two are equally
    near."""
    p = nf(place)
    # Only the constant is rounded; a half has two nearest integers.
    number = Fraction(p.get(ONE, 0))
    nearest = floor(number + Fraction(1, 2))
    if nearest - number == Fraction(1, 2) or any(c.denominator != 1 for m, c in p.items() if m != ONE):
        return None
    return reify.term(normal.add(p, {ONE: nearest - number})) if nearest != number else reify.term(p)
