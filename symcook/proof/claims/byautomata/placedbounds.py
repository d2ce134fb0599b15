"""Means and sums compared with numbers, in a case of a proof by positions: by a bound of all terms, strict for one.

A mean is S/W, where S is the weighted sum of the terms and W the sum of the weights. Without weights, W is the number
of positions. So S - v*W is the sum of weight*(term - v): it is not negative where no term is below v, and positive
where one term is also above v.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from symcook.proof import normal
from symcook.proof.claims.byautomata.kinds import FiniteTerm, PlaceCases, PlaceTerm
from symcook.proof.claims.byautomata.placed import PlacedFacts, Unplaced, simple, tracked
from symcook.proof.claims.byautomata.placedvalues import (
    ATOMS,
    THERE,
    equal_by_values,
    number_of,
    one_value,
    prove_each,
    reduced,
)
from symcook.proof.claims.bycounts.problem import at_place
from symcook.proof.inequalities import reify
from symcook.proof.normal import add, nf
from symcook.proof.search.attempts import attempted
from symcook.proof.search.ranges import at_most, between, equals, less_than, ranged
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, instantiate, num, replace, var


class TermGap(NamedTuple):
    """How far a term of a mean is from a bound `level`: `gap` is term - level, or level - term for an upper bound;
    `no_less` says that the gap is not negative, and `weighted` is weight*gap."""

    gap: Term
    no_less: Term
    weighted: Term


class PlacedMean(NamedTuple):
    """A term t with (t - old)*size = sum(j, low, high, weight*term), by the fact `label`. Without a weight all weights
    are 1; without a size t is the sum itself. `weight` and `term` are written at the position `THERE`."""

    low: Term
    high: Term
    weight: Term | None
    term: Term
    size: Term | None = None
    old: Term = num(0)
    label: str = ""


def partly_reduced(case: PlacedFacts, t: Term, used: dict[Term, str], unbounded: list[Term]) -> Term:
    """A term in which each atom with finitely many values is replaced by its value; the other atoms are added to
    `unbounded`."""
    tag, data, kids = t
    if tag in ("app", "sum") and not finite(case, t):
        if t not in unbounded:
            unbounded.append(t)
        return t
    # A product is reduced as a whole, since one factor 0 is enough, unless a factor has no value.
    if tag in ATOMS or tag in ("num", "var") or (tag == "*" and not any(_is_open(case, k) for k in kids)):
        return reduced(case, t, used)
    return simple((tag, data, tuple([partly_reduced(case, k, used, unbounded) for k in kids])))


def _is_open(case: PlacedFacts, t: Term) -> bool:
    """Whether a term has a coordinate or a sum with infinitely many values."""
    if t[0] in ("app", "sum"):
        return not finite(case, t)
    return t[0] not in ATOMS and any(_is_open(case, k) for k in t[2])


def finite(case: PlacedFacts, t: Term) -> bool:
    """Whether a term has finitely many values, or is a position; DecideFirst where it is undecided whether a strict
    mean has a position to read."""
    equation = case.root.problem.equations.get(t[2][0][1][0]) if t[0] == "app" else None
    # A strict mean has one value at the row with no position to read.
    empty = equation.empty if equation is not None and equation.kind == "strict" else None
    if empty is not None and case.decide(equals(t[2][1], empty)):
        return True
    kind = attempted(lambda: case.root.regular.kind(tracked(t)))
    return isinstance(kind, FiniteTerm | PlaceTerm | PlaceCases)


def mean_of(case: PlacedFacts, t: Term) -> PlacedMean:
    """The parts of a sum, or of a coordinate that is a mean; Unplaced for any other coordinate."""
    if t[0] == "sum":
        return PlacedMean(t[2][0], t[2][1], None, instantiate(t[2][2], (THERE,)))
    name, place = t[2][0][1][0], t[2][1]
    equation = case.root.problem.equations.get(name)
    if t[0] != "app" or equation is None:
        raise Unplaced(f"the search has no rule for the bounds of {case.g.text(t)}")
    run = case.root.problem.label(equation.part, equation.truth)
    label = case.g.fresh("mean")
    inside = f"#{case.inside(place)}"
    right, size, old = (at_place(x, place) for x in (equation.right, equation.size, equation.old))
    # c(i) = S/W: its fact is brought into the form c(i)*W = S, which the facts of other means have.
    if equation.kind == "value" and right[0] == "/" and right[2][0][0] == "sum":
        case.g.use(run, case.g.text(place), inside, label=label)
        right, size = right[2]
        quotient = _parts(case, right, size)
        return quotient._replace(label=_times_size(case, t, quotient, label))
    if equation.kind not in ("average", "strict") or right[0] != "sum":
        raise Unplaced(f"the search has no rule for the bounds of {name}")
    # The fact of a strict mean has a second part, for the row with no position to read.
    labels = label if equation.kind == "average" else f"{label} {case.g.fresh('empty')}"
    case.g.use(run, case.g.text(place), inside, label=labels)
    return _parts(case, right, size)._replace(old=old, label=label)


def _parts(case: PlacedFacts, right: Term, size: Term) -> PlacedMean:
    """The weights and the terms of a mean S/W, where S is the sum `right`, and W is `size`. The caller adds `old` and
    `label`."""
    low, high, body = right[2]
    body = instantiate(body, (THERE,))
    if size[0] == "sum":
        weight = instantiate(size[2][2], (THERE,))
        if size[2][:2] != (low, high) or body[0] != "*" or body[2][0] != weight:
            raise Unplaced("the search has no rule for the weights of a mean")
        return PlacedMean(low, high, weight, body[2][1], size)
    return PlacedMean(low, high, None, body, size)


def _times_size(case: PlacedFacts, t: Term, mean: PlacedMean, label: str) -> str:
    """The label of t*size = S, from t = S/size."""
    g = case.g
    inverse, out = g.fresh("inv"), g.fresh("clear")
    # size*(1/size) = 1 by the axiom, since the size is not 0.
    positive = _positive_size(case, mean)

    def apart(h: Goal) -> None:
        """Prove that the size is not 0, since it is positive."""
        zero = h.fresh("zero")
        h.intro(zero).auto([positive, zero], degree=1, rounds=0)

    size, total = mean.size or num(1), _total(case, mean)
    g.use("ax:inv", g.text(size), apart, label=inverse)
    product_equation = equals(("*", None, (t, size)), total)

    def proof(h: Goal) -> None:
        """Replace t by S/size, and add S times the equation size*(1/size) = 1."""
        h.rewrite(label)
        h.close({"by": "pos", "eq": [[h.text(total), inverse]]})

    g.have(product_equation, out, proof)
    return out


def _total(case: PlacedFacts, mean: PlacedMean) -> Term:
    """The sum S of weighted terms."""
    body = mean.term if mean.weight is None else ("*", None, (mean.weight, mean.term))
    return ("sum", None, (mean.low, mean.high, abstract(body, (THERE,))))


def _positive_size(case: PlacedFacts, mean: PlacedMean) -> str:
    """The label of 0 < W, for the sum W of the weights."""
    g, size = case.g, mean.size or num(1)
    f = less_than(num(0), size)
    label = g.fresh("size")
    # Without weights W is the number of positions: automata decide that it is positive.
    if mean.weight is None:
        return case.established(f)
    texts = [g.text(("lam", ("Int",), (abstract(mean.weight, (THERE,)),))), g.text(mean.low), g.text(mean.high)]
    if mean.weight[0] == "fn" and mean.weight[1] == "exp":
        not_empty = case.established(at_most(mean.low, mean.high))

        def above(h: Goal) -> None:
            """A weight exp(..) is positive everywhere."""
            name, in_range, so = h.fresh("j"), h.fresh("in"), h.fresh("so")
            h.intro(f"{name} {in_range}")
            h.use("ax:exp_pos", h.text(replace(mean.weight, THERE, var(name, "Int"))[2][0]), label=so)  # type: ignore[arg-type]
            h.hyp(so)

        g.use("lem:sum_positive", *texts, f"#{not_empty}", above, label=label)
        return label
    # Other weights are not negative, and one of them is 1.
    p = _position_with(case, mean, equals(mean.weight, num(1)))
    zero = at_most(num(0), mean.weight)
    member, used = g.fresh("member"), {}
    inside = case.established(between(mean.low, p, mean.high))
    nonnegative = _everywhere(case, mean, zero)
    g.use("lem:sum_member", *texts, g.text(p), f"#{inside}", f"#{nonnegative}", label=member)
    weight_there = replace(mean.weight, THERE, p)
    weight_equation = equal_by_values(case, weight_there, reduced(case, weight_there, used), used)
    g.have(f, label, lambda h: h.auto([member, weight_equation], degree=1, rounds=0))
    return label


def _everywhere(case: PlacedFacts, mean: PlacedMean, f: Term) -> str:
    """The label of the fact that f holds at all positions of the range."""
    return case.established(ranged(mean.low, mean.high, f, THERE))


def _position_with(case: PlacedFacts, mean: PlacedMean, f: Term) -> Term:
    """A position of the range at which f holds, which gets a name if no candidate is one; DecideFirst where it is
    undecided whether there is such a position."""
    for p in case.candidates():
        if case.follows(between(mean.low, p, mean.high)) and case.follows(replace(f, THERE, p)):
            return p
    exists = ranged(mean.low, mean.high, f, THERE, "ex")
    if not case.follows(exists):
        raise case.split(exists)
    label = case.established(exists)
    before = len(case.places)
    case.suppose(label)
    return case.places[before]


def bound(case: PlacedFacts, t: Term, op: str, v: Term, above: bool) -> str:
    """The label of v op t, or of t op v where it is not `above`; op is <= or <."""
    g, mean = case.g, mean_of(case, t)
    used: dict[Term, str] = {}
    old = reduced(case, mean.old, used)
    goal = (op, None, (v, t) if above else (t, v))
    label, so = g.fresh("bound"), g.fresh("sum")
    if mean.size is None:
        return _sum_bound(case, t, mean, op, v, above)
    # t = old + S/W, so v op t is 0 op S - (v - old)*W, the sum of weight*(term - (v - old)).
    terms = _term_gap(mean, simple(("-", None, (v, old))), above)
    texts = [g.text(("lam", ("Int",), (abstract(terms.weighted, (THERE,)),))), g.text(mean.low), g.text(mean.high)]
    facts = [so, positive_size := _positive_size(case, mean), mean.label]
    nonnegative = g.fresh("least")
    _no_term_below(case, mean, terms, nonnegative)
    if op == "<":
        facts += _sum_above(case, mean, terms, texts, nonnegative, so)
    else:
        g.use("lem:sum_nonneg", *texts, f"#{nonnegative}", label=so)
    if mean.weight is None:  # W is the number of positions
        length = g.fresh("many")
        g.use("lem:sum_one", *texts[1:], lambda h: h.auto([positive_size], degree=1, rounds=0), label=length)
        facts.append(length)
    g.have(goal, label, lambda h: _close_bound(h, mean, facts, used))
    return label


def _term_gap(mean: PlacedMean, level: Term, above: bool) -> TermGap:
    """How far a term of the mean is above `level`, or below it where not `above`."""
    gap = ("-", None, (mean.term, level) if above else (level, mean.term))
    no_less = ("<=", None, (level, mean.term) if above else (mean.term, level))
    return TermGap(gap, no_less, gap if mean.weight is None else ("*", None, (mean.weight, gap)))


def _no_term_below(case: PlacedFacts, mean: PlacedMean, terms: TermGap, label: str) -> None:
    """Prove the fact `label`: weight*gap is not negative at any position of the range."""

    def at_position(h: Goal) -> None:
        """Prove it at one position: a weight exp(..) is positive, so that the gap decides; any other product is proved
        by values."""
        name, in_range = h.fresh("j"), h.fresh("in")
        inner = case.under(h)
        h.intro(f"{name} {in_range}")
        inner.name(place := var(name, "Int"))
        inner.suppose(in_range)
        weight = None if mean.weight is None else replace(mean.weight, THERE, place)
        if weight is None or weight[0] != "fn":
            inner.prove()
            return
        no_less, positive = h.fresh("more"), h.fresh("pos")
        h.have(replace(terms.no_less, THERE, place), no_less, lambda k: inner.under(k).prove())
        h.use("ax:exp_pos", h.text(weight[2][0]), label=positive)
        h.auto([no_less, positive])

    every = at_most(num(0), terms.weighted)
    case.g.have(ranged(mean.low, mean.high, every, THERE), label, at_position)


def _sum_above(
    case: PlacedFacts, mean: PlacedMean, terms: TermGap, texts: list[str], nonnegative: str, label: str
) -> list[str]:
    """Prove the fact `label`, that the sum is at least its term at a position p where the gap is positive. Returns the
    labels of the facts by which that term is positive."""
    p = _position_with(case, mean, ("<", None, terms.no_less[2]))
    inside = case.established(between(mean.low, p, mean.high))
    case.g.use("lem:sum_member", *texts, case.g.text(p), f"#{inside}", f"#{nonnegative}", label=label)
    gap_there = replace(terms.gap, THERE, p)
    gap_positive = case.established(less_than(num(0), gap_there))
    if mean.weight is None:
        return [gap_positive]
    return [gap_positive, _weight_fact(case, replace(mean.weight, THERE, p), gap_positive, gap_there)]


def _close_bound(g: Goal, mean: PlacedMean, facts: list[str], used: dict[Term, str]) -> None:
    """Close the bound of a mean by its equation, rewritten by the equations `used`, and by the facts of its sum."""
    no = g.fresh("no")
    g.contra(no)
    labels = facts
    if used:
        equation = g.fresh("clear")
        g.use(mean.label, label=equation)
        for value_label in used.values():
            rewritten_equation = g.fresh("clear")
            g.rewrite(value_label, equation, rewritten_equation)
            equation = rewritten_equation
        labels = [equation if label == mean.label else label for label in facts]
    g.auto([*labels, no])


def _weight_fact(case: PlacedFacts, weight: Term, gap_positive: str, gap: Term) -> str:
    """The label of 0 < weight*gap for a weight exp(..), else of weight = its value."""
    g, label = case.g, case.g.fresh("weight")
    if weight[0] == "fn":
        pos = g.fresh("pos")
        g.use("ax:exp_pos", g.text(weight[2][0]), label=pos)
        g.have(less_than(num(0), ("*", None, (weight, gap))), label, lambda h: h.auto([pos, gap_positive]))
        return label
    used: dict[Term, str] = {}
    return equal_by_values(case, weight, reduced(case, weight, used), used)


def _sum_bound(case: PlacedFacts, t: Term, mean: PlacedMean, op: str, v: Term, above: bool) -> str:
    """The label of the bound as in `bound`, for a sum whose terms have one sign."""
    g = case.g
    goal = (op, None, (v, t) if above else (t, v))
    label, so, nonnegative = g.fresh("bound"), g.fresh("sum"), g.fresh("least")
    # All terms but one may be 0: then the sum is that term.
    if (value_label := one_value(case, t)) is not None:
        g.have(goal, label, lambda h: h.auto([value_label], degree=1, rounds=0))
        return label
    # A lower bound needs terms that are not negative. An upper bound is a lower bound of the sum of their negatives.
    term = mean.term if above else ("neg", None, (mean.term,))
    f = g.text(("lam", ("Int",), (abstract(term, (THERE,)),)))
    texts = [f, g.text(mean.low), g.text(mean.high)]
    facts = [so]
    no_term_below_0 = ranged(mean.low, mean.high, at_most(num(0), term), THERE)
    g.have(no_term_below_0, nonnegative, lambda h: prove_each(case, h, h.fresh("in")))
    value = v if above else ("neg", None, (v,))
    # A bound below 0, or the bound 0 with <=, follows from that. A higher bound must be reached by one term alone.
    level = number_of(case, value)
    if level is None:
        raise Unplaced(f"the search has no rule for a sum compared with {g.text(v)}")
    if level < 0 or (op == "<=" and not level):
        g.use("lem:sum_nonneg", *texts, f"#{nonnegative}", label=so)
    else:
        p = _position_with(case, mean, (op, None, (value, term)))
        inside = case.established(between(mean.low, p, mean.high))
        g.use("lem:sum_member", *texts, g.text(p), f"#{inside}", f"#{nonnegative}", label=so)
        facts.append(case.established((op, None, (value, replace(term, THERE, p)))))
    g.have(goal, label, lambda h: h.auto(facts, degree=1, rounds=0))
    return label


def level(case: PlacedFacts, f: Term, t: Term) -> tuple[Term, bool] | None:
    """A comparison in which t is the only atom, solved for t: (v, True) for v op t, (v, False) for t op v, with the
    number v; None for any other comparison."""
    # right - left = scale*t + number, which is compared with 0
    p = add(nf(f[2][1]), nf(f[2][0]), -1)
    (lead,) = nf(t)
    scale = p.get(lead)
    if scale is None or any(m != lead and m[0] for m in p):
        return None
    without_lead = {m: c for m, c in p.items() if m != lead}
    return reify.term(normal.scale(without_lead, Fraction(-1) / Fraction(scale))), scale > 0
