"""Sums of terms that no letter determines, such as relu(-balance(j)), and formulas about all positions.

These facts about such a sum are used: bounds of the sum, if the terms lie between numbers of the claim at every
position; the order of two sums of the same terms; that a term is at most the sum, if no term is negative; and that a
positive sum has a positive term. A formula about all positions is used at the positions in use.

A sum is recorded in `case.sums.totals` as a pair (T, p): the sum of the term T, about j, from the first position to p.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import NamedTuple

from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import BASE, OPAQUE, WAITS, AtomReading, CaseFacts
from symcook.proof.claims.bycounts.farkas import FactRow, close, contradiction
from symcook.proof.claims.bycounts.lettercounts import both, difference
from symcook.proof.claims.bycounts.lettered import THERE
from symcook.proof.claims.bycounts.positional import put_written, written_summand
from symcook.proof.claims.bycounts.problem import HERE, N, W
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import poly
from symcook.proof.normal import constant, nf
from symcook.proof.search.attempts import succeeds
from symcook.proof.search.ranges import at_most, between, less_than
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, conj, instantiate, loose, num, replace, subterms, var

MOST_BOUNDS = 5
"""The greatest number of numbers of the claim that are tried as bounds of terms; also the greatest number of case
splits in `_add_least_value`. Each is tried for each sum, and a split doubles the cases."""
MOST_WITNESSES = 4
"""The greatest number of positions that are introduced because a sum is positive. Each is a further name in all later
cases. One of 24 claims of an unseen set, which stayed open, came to the limit."""


class TermBound(NamedTuple):
    """The fact with the label `label`: each term of a sum is at least `number`, or, unless `lower`, at most that."""

    label: str
    number: Term
    lower: bool


def open_sums(case: CaseFacts) -> list[str]:
    """The texts of the recorded sums: their values are not known, only facts about them."""
    return [*dict.fromkeys(case.g.text(total_up_to(case, *terms)) for terms in case.sums.totals)]


# --- Sums -------------------------------------------------------------------------------------------------------------


def term_sum(case: CaseFacts, a: int) -> AtomReading:
    """The reading of the atom `a`, a sum whose terms no letter determines: an unknown number (`BASE`), for which facts
    are added."""
    low, high, body = reify.atom(a)[2]
    inner = instantiate(body, (THERE,))
    if any(s[0] in ("sum", "prod", "all", "ex") or s[:2] == ("fn", "exp") for s in subterms(inner)):
        return OPAQUE
    if low != case.root.low:
        return difference(case, a, inner, low, high)
    # A sum from the first position up to a position of the string: an unknown number, at least 0 if all terms are.
    ends = [at_most(case.root.below, high), at_most(high, case.root.high)]
    low_fact, high_fact = (case.need(end) for end in ends)
    if low_fact is None or high_fact is None:
        return WAITS
    case.sums.totals.append((inner, high))
    if (bound := _term_bound(case, inner, num(0), True)) is not None:
        _add_sum_bound(case, bound, inner, high)
    return BASE


def _written_sums(case: CaseFacts, label: str) -> None:
    """Record the sums in a fact as they are written there. The arithmetic splits a sum into parts, and the signs of the
    parts may not be known where the sign of the whole is."""
    for t in subterms(case.g.facts[label]):
        if t[0] != "sum" or loose(t) or t[2][0] != case.root.low or len(nf(t)) < 2:
            continue
        inner, high = instantiate(t[2][2], (THERE,)), t[2][1]
        if (inner, high) in case.sums.totals or any(
            s[0] in ("all", "ex") or s[:2] == ("fn", "exp") for s in subterms(t)
        ):
            continue
        if None in [case.known(("<=", None, end)) for end in ((case.root.below, high), (high, case.root.high))]:
            case.sums.read.discard(label)  # not known to end in the string: try again later
            continue
        case.sums.totals.append((inner, high))
        if (bound := _term_bound(case, inner, num(0), True)) is not None:
            _add_sum_bound(case, bound, inner, high)


def total_up_to(case: CaseFacts, inner: Term, high: Term) -> Term:
    """The sum of the term `inner` from the first position to `high`."""
    return ("sum", None, (case.root.low, high, abstract(inner, (THERE,))))


def _term_bound(case: CaseFacts, inner: Term, number: Term, lower: bool) -> TermBound | None:
    """The fact that the terms `inner` are at least `number` (with `lower`) or at most `number` at every position,
    proved at its first use; None if it cannot be proved."""
    root = case.root
    # The entry is None while the bound is being proved, and if it cannot be proved.
    if (inner, number, lower) not in root.bounds:
        root.bounds[inner, number, lower] = None
        here = replace(inner, THERE, HERE)
        body: Term = ("<=", None, (number, here) if lower else (here, number))
        label = root.g.fresh("terms")
        if succeeds(lambda: root.g.have(root.everywhere(body), label, case.decision.everywhere)):
            root.bounds[inner, number, lower] = TermBound(label, number, lower)
    return root.bounds[inner, number, lower]


def _bounds_by_numbers(case: CaseFacts) -> bool:
    """Try the numbers in the claim as bounds of terms; whether this adds facts."""
    count_before = len(case.facts)
    numbers = [t for t in subterms(case.root.problem.claim) if t[0] == "num" and t != num(0)]
    for number in [*dict.fromkeys(numbers)][:MOST_BOUNDS]:
        for lower, (inner, high) in product((False, True), case.sums.totals):
            if (inner, high, number, lower) not in case.sums.bounded:
                case.sums.bounded.add((inner, high, number, lower))
                if (bound := _term_bound(case, inner, number, lower)) is not None:
                    _add_sum_bound(case, bound, inner, high)
    return len(case.facts) > count_before


def _add_sum_bound(case: CaseFacts, bound: TermBound, inner: Term, high: Term) -> None:
    """Add the fact that the sum of T up to p is at least c times the number of terms, from the bound T(j) >= c at each
    j; or both with "at most"."""
    g, root = case.g, case.root
    low_fact, high_fact = (case.known(("<=", None, ends)) for ends in ((root.below, high), (high, root.high)))
    if low_fact is None or high_fact is None:
        return
    label, length = g.fresh("bound"), g.fresh("many")
    texts = [f"j. {g.text(bound.number)}", f"j. {g.text(inner)}"][:: 1 if bound.lower else -1]

    def bound_at_position(h: Goal) -> None:
        """Close the bound at one position."""
        j, lo, hi = (h.fresh(stem) for stem in ("j", "from", "to"))
        h.intro(f"{j} ({lo} {hi})")
        _close_by_bound(case, h, bound.label, j, [lo, hi, high_fact])

    g.use("lem:sum_mono", *texts, g.text(root.low), g.text(high), bound_at_position, label=label)
    case.fact(label)
    if bound.number != num(0):
        g.use("lem:sum_one", g.text(root.low), g.text(high), lambda h: h.auto([low_fact], degree=1), label=length)
        # The sum of ones is the number of terms, unless it is computed to a number already.
        for factors, _ in nf(("sum", None, (root.low, high, num(1)))):
            if factors:
                case.rules.give(factors[0][0], length, poly(g.facts[length]))


def _close_by_bound(case: CaseFacts, g: Goal, bound: str, place: str, known: list[str]) -> None:
    """Close a goal about the term at `place` by the fact `bound` about all positions; `known` implies that `place` is a
    position."""
    value = g.fresh("v")
    lemma = case.root.share(g, bound)
    g.use(lemma, place, lambda h: h.easy(known, degree=1, rounds=0), label=value)
    g.hyp(value)


def find_sums(case: CaseFacts) -> None:
    """Add facts about recorded sums: their written-out forms, and the order of sums of the same terms."""
    # Record the sums in facts that were not read yet, and relate each sum to its written-out form.
    for label in [k for k in case.facts if k in case.g.facts and k not in case.sums.read]:
        case.sums.read.add(label)
        _written_sums(case, label)
    for inner, high in case.sums.totals:
        _add_written_form(case, inner, high)
    # Two sums of the same terms are compared once the order of their ends is known; else the order is requested.
    for k, (inner, p) in enumerate(case.sums.totals):
        for second_inner, q in case.sums.totals[k + 1 :]:
            if second_inner != inner or (inner, p, q) in case.sums.related or p == q:
                continue
            for first, last in ((p, q), (q, p)):
                if (order := case.known(at_most(first, last))) is not None:
                    case.sums.related.add((inner, p, q))
                    _add_order(case, inner, first, last, order)
                    break
            else:
                case.need(at_most(p, q))


def _add_written_form(case: CaseFacts, inner: Term, high: Term) -> None:
    """Add the fact that a sum equals the sum of its terms with coordinates written out, if the atoms of that sum are in
    use."""
    written = written_summand(case, inner, True)
    low = case.known(at_most(case.root.low, case.root.low))
    if written is None or (inner, high, high) in case.sums.related or low is None:
        return
    if all(a in case.state for m, _ in nf(total_up_to(case, written, high)) for a, _ in m):
        case.sums.related.add((inner, high, high))
        last = case.known(at_most(high, case.root.high))
        if last is not None:
            case.fact(put_written(case, case.root.low, high, inner, written, low, last))


def _add_order(case: CaseFacts, inner: Term, p: Term, q: Term, order: str) -> None:
    """Add a fact about the sums up to p and up to q, where `order` is the fact p <= q: for q = p + 1 they differ by
    one term; else the sum up to p is at most the sum up to q, if no term is negative."""
    g, root, summand, label = case.g, case.root, f"j. {case.g.text(inner)}", case.g.fresh("more")
    # q = p + 1: one more term
    if constant(normal.add(nf(q), nf(p), -1)) == 1:
        start = case.known(at_most(root.low, q))
        if start is not None:
            g.use("ax:sum_step", summand, g.text(root.low), g.text(q), f"#{start}", label=label)
            case.fact(label)
        return
    low, high = (case.known(("<=", None, ends)) for ends in ((root.below, p), (q, root.high)))
    # Otherwise all terms must be at least 0.
    bound = _term_bound(case, inner, num(0), True)
    if bound is None or low is None or high is None:
        return
    texts = [g.text(root.low), g.text(p), g.text(q)]
    g.use("lem:sum_split", summand, *texts, lambda h: both(h, low, order), label=label)

    def next_terms_nonnegative(h: Goal) -> None:
        """Close the goal that a term after p is not negative."""
        j, lo, hi = (h.fresh(stem) for stem in ("j", "from", "to"))
        h.intro(f"{j} ({lo} {hi})")
        _close_by_bound(case, h, bound.label, j, [lo, hi, low, high])

    after_p, after, order_label = g.fresh("rest"), ("+", None, (p, num(1))), g.fresh("more")
    g.use("lem:sum_nonneg", summand, g.text(after), g.text(q), next_terms_nonnegative, label=after_p)
    f: Term = at_most(total_up_to(case, inner, p), total_up_to(case, inner, q))
    g.have(f, order_label, lambda h: h.auto([label, after_p], degree=1, rounds=0))
    case.fact(order_label)


# --- Further facts, for a case that the arithmetic does not close -----------------------------------------------------


def more_facts(case: CaseFacts) -> bool:
    """Add facts about terms of sums, and instances of formulas about all positions, at the positions in use; whether
    there are new facts."""
    count_before = len(case.g.facts)
    places = _places_in_use(case)
    # Each term at a position in use is at most its sum, if no term is negative.
    for inner, p in [*case.sums.totals]:
        bound = _term_bound(case, inner, num(0), True)
        for q in places if bound is not None else ():
            if (inner, p, q) not in case.sums.members:
                _add_member(case, inner, p, q, bound.label if bound else "")
    # Each formula about all positions is used at the positions in use.
    for label in [*case.sums.universal]:
        for q in places:
            if (label, q) not in case.sums.applied:
                case.sums.applied.add((label, q))
                _add_instance(case, label, q)
    # Only if this adds nothing: introduce a position with a positive term, or try numbers of the claim as bounds.
    return len(case.g.facts) > count_before or _add_position(case) or _bounds_by_numbers(case)


def _places_in_use(case: CaseFacts) -> list[Term]:
    """The positions in use that are variables or the first or last position."""
    read_places: dict[Term, None] = {}
    for a in case.state:
        t = reify.atom(a)
        for s in subterms(t):
            if s[0] == "app" and (s[2][0] == W or s[2][0][1][0] in case.root.problem.equations):
                read_places[s[2][1]] = None
    names = {var(name, "Int") for name, sort in case.g.scope.items() if sort == "Int"}
    names |= {case.root.low, case.root.high}
    return [
        place
        for place in dict.fromkeys((*read_places, *case.counts.places, *case.counts.lettered, *case.sums.witnesses))
        if place in names
    ]


def _add_member(case: CaseFacts, inner: Term, p: Term, q: Term, nonnegative_fact: str) -> None:
    """Add T(q) <= (sum of T up to p), if it is known that q is a position up to p; `nonnegative_fact` is the label of
    0 <= T(j) at each j."""
    g, root = case.g, case.root
    ends = [case.known(("<=", None, end)) for end in ((root.low, q), (q, p), (p, root.high))]
    if None in ends:
        return
    case.sums.members.add((inner, p, q))
    low, here, high = (str(end) for end in ends)

    def term_nonnegative(h: Goal) -> None:
        """Close the goal that a term is not negative."""
        j, lo, hi = (h.fresh(stem) for stem in ("j", "from", "to"))
        h.intro(f"{j} ({lo} {hi})")
        _close_by_bound(case, h, nonnegative_fact, j, [lo, hi, high])

    label, texts = g.fresh("member"), [g.text(t) for t in (root.low, p, q)]
    g.use("lem:sum_member", f"j. {g.text(inner)}", *texts, lambda h: both(h, low, here), term_nonnegative, label=label)
    case.fact(label)


def _add_instance(case: CaseFacts, label: str, place: Term) -> None:
    """Add an instance, at `place`, of the fact `label`: ``all j. F`` gives F, and ``~(ex j. F)`` gives ~F."""
    g, f = case.g, case.g.facts[label]
    new = g.fresh("instance")
    if f[0] == "all":
        g.use(label, g.text(place), label=new, premises=0)
    else:
        inner = f[2][0]
        body = instantiate(inner[2][0], (place,))

        def refute(h: Goal) -> None:
            """If F were true at this position, then ``ex j. F`` would be true."""
            yes, there = h.fresh("yes"), h.fresh("there")
            h.intro(yes)
            h.have(inner, there, lambda k: k.witness(k.text(place)).hyp(yes))
            h.absurd(there, label)

        g.have(("~", None, (body,)), new, refute)
    case.decision.assume(new)


def _add_position(case: CaseFacts) -> bool:
    """Introduce a position at which the term of a positive sum is positive, for the first such sum without one; whether
    there is one."""
    for inner, p in case.sums.totals:
        if (inner, p) in case.sums.witnessed or len(case.sums.witnesses) >= MOST_WITNESSES:
            continue
        positive_fact = case.known(less_than(num(0), total_up_to(case, inner, p)))
        if positive_fact is None:
            continue
        case.sums.witnessed.add((inner, p))
        _obtain_position(case, inner, p, positive_fact)
        return True
    return False


def _obtain_position(case: CaseFacts, inner: Term, p: Term, positive_fact: str) -> None:
    """Introduce a position j up to p with 0 < T(j). By `positive_fact` the sum of T up to p is positive."""
    g, root = case.g, case.root
    in_range = between(root.low, THERE, p)
    exists: Term = ("ex", "Int", (abstract(conj(in_range, less_than(num(0), inner)), (THERE,)),))
    label, name = g.fresh("some"), g.fresh("x")
    g.have(exists, label, lambda h: _close_positive_term(case, h, inner, p, positive_fact))
    parts = [g.fresh(stem) for stem in ("from", "to", "above")]
    g.obtain(label, name, " ".join(parts))
    case.sums.witnesses.append(var(name, "Int"))
    for part in parts:
        case.decision.assume(part)
    _add_least_value(case, ("sum", None, (root.low, p, abstract(inner, (THERE,)))))


def _add_least_value(case: CaseFacts, total: Term) -> None:
    """Add that a positive sum of fractions is at least 1/n for the maximum length n, if the run has one and if this can
    be proved."""
    for f in case.root.problem.needs:
        if f[0] == "<=" and f[2][0] == N and f[2][1][0] == "num":
            label, least_value = case.g.fresh("far"), ("/", None, (num(1), f[2][1]))
            close = partial(case.decision.close, most=MOST_BOUNDS)
            if succeeds(partial(case.g.have, at_most(least_value, total), label, close)):
                case.decision.assume(label)


def _close_positive_term(case: CaseFacts, g: Goal, inner: Term, p: Term, positive_fact: str) -> None:
    """Close the goal that some term up to p is positive: otherwise the sum is at most 0, which contradicts
    `positive_fact`."""
    exists, no, at_most_zero = g.goal, g.fresh("no"), g.fresh("most")
    g.contra(no)

    def term_at_most_zero(h: Goal) -> None:
        """Close the goal that a term is at most 0: if it were positive, the goal would be true, which `no` denies."""
        j, lo, hi, above, yes = (h.fresh(stem) for stem in ("j", "from", "to", "above", "yes"))
        h.intro(f"{j} ({lo} {hi})")
        h.contra(above)

        def witness(k: Goal) -> None:
            k.witness(j)
            for part, label in zip(k.split(), (lo, hi, above), strict=True):
                part.hyp(label)

        h.have(exists, yes, witness)
        h.absurd(yes, no)

    ends = g.text(case.root.low), g.text(p)
    g.use("lem:sum_mono", f"j. {g.text(inner)}", "j. 0", *ends, term_at_most_zero, label=at_most_zero)
    rows = [FactRow(poly(g.facts[k]), g.facts[k][0], (k,), raw=poly(g.facts[k])) for k in (at_most_zero, positive_fact)]
    close(g, contradiction(rows) or [])


def sum_question(case: CaseFacts) -> Term | None:
    """The formula that a sum is positive, for the first sum for which this is not decided; None if there is none."""
    for inner, p in case.sums.totals:
        f: Term = less_than(num(0), total_up_to(case, inner, p))
        if case.known(f) is None and case.known(("<=", None, f[2][::-1])) is None:
            return f
    return None


def counterexample(case: CaseFacts, label: str) -> str:
    """Prove ``ex j. ~F`` from the fact `label`, which is ``~(all j. F)``; the label of the new fact."""
    g, f = case.g, case.g.facts[label]
    inner = f[2][0]
    body = instantiate(inner[2][0], (THERE,))
    exists: Term = ("ex", inner[1], (abstract(("~", None, (body,)), (THERE,)),))
    some_label = g.fresh("some")

    def by_contradiction(h: Goal) -> None:
        """By contradiction: without such a j, F would be true at every position."""
        no, all_ = h.fresh("no"), h.fresh("all")
        h.contra(no)

        def holds_at_position(k: Goal) -> None:
            j, wrong, yes = (k.fresh(stem) for stem in ("j", "wrong", "yes"))
            k.intro(j)
            k.contra(wrong)
            k.have(exists, yes, lambda m: m.witness(j).hyp(wrong))
            k.absurd(yes, no)

        h.have(inner, all_, holds_at_position)
        h.absurd(all_, label)

    g.have(exists, some_label, by_contradiction)
    return some_label
