"""Rows of hard attention: the value at the one position with the largest score, or at the last of several.

Candidates are the positions at which the goal reads the value, the ends of the row, and the top of the parabola, if the
scores are one. That a candidate has the largest score is proved as a goal of its own, about any other position of the
row.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import OPAQUE, WAITS, AtomReading, CaseFacts
from symcook.proof.claims.bycounts.farkas import whole
from symcook.proof.claims.bycounts.lettercounts import both
from symcook.proof.claims.bycounts.lettered import THERE
from symcook.proof.claims.bycounts.parabolas import parabola
from symcook.proof.claims.bycounts.positional import written_summand
from symcook.proof.inequalities import reify
from symcook.proof.normal import fkey, nf
from symcook.proof.search.attempts import succeeds
from symcook.proof.search.ranges import at_most, between, equals, less_than, ranged
from symcook.proof.terms import (
    Term,
    flatten,
    free,
    instantiate,
    loose,
    negation,
    num,
    replace,
    subterms,
    var,
)

OTHER = var("k", "Int")
"""The variable for another position of the row."""
MOST_CASES = 12
"""The greatest number of cases in the proof that a position has the largest score. Each case is a proof of its own."""


class BestRow(NamedTuple):
    """The sum of value(j) over all j in low..high that have the largest score; with `last`, over the last of them
    only. `score` and `value` are written at the position `THERE`."""

    low: Term
    high: Term
    score: Term
    value: Term
    last: bool

    def at(self, place: Term) -> Term:
        """The score at a position."""
        return replace(self.score, THERE, place)

    def premises(self, place: Term) -> list[Term]:
        """The formulas that together say that a position has the largest score, or is the last that has it."""

        def compared(low: Term, high: Term, tag: str, apart: bool = False) -> Term:
            """The formula: at each position of a range, the score is less (or, with the tag <=, not greater) than at
            `place`; with `apart`, `place` itself is left out."""
            body: Term = (tag, None, (self.at(OTHER), self.at(place)))
            body = ("->", None, (("~", None, (equals(OTHER, place),)), body)) if apart else body
            return ranged(low, high, body, OTHER)

        if not self.last:
            return [compared(self.low, self.high, "<", apart=True)]
        after = ("+", None, (place, num(1)))
        return [compared(self.low, place, "<="), compared(after, self.high, "<")]


def best_row(total: Term) -> BestRow | None:
    """A sum as the row of a hard head; None for any other sum."""
    low, high, body = total[2]
    parts = nf(instantiate(body, (THERE,)))
    # The summand is I[all k. ..]*value: one truth value of this form is a factor of all its monomials.
    marks = {a for (factors, _) in parts for a, k in factors if k == 1 and normal._keys[a][0] == "ind"}
    marks = [a for a in marks if normal._keys[a][1][0] == "all" and all(a in dict(m[0]) for m in parts)]
    if len(marks) != 1:
        return None
    # The condition is ``low <= k & k <= high -> score(k) <= score(j)``; for the last position with the largest score,
    # the conclusion has a second part, ``j < k -> score(k) < score(j)``.
    inner = instantiate(reify.formula(normal._keys[marks[0]][1])[2][0], (OTHER,))
    if inner[0] != "->" or fkey(inner[2][0]) != fkey(between(low, OTHER, high)):
        return None
    most, *later = flatten("&", inner[2][1])
    gap = nf(most[2][1]) if most[:2] == ("<=", None) and most[2][0] == num(0) else {}
    # The gap is score(j) - score(k): score(j) is its part that depends on j.
    here = {m: c for m, c in gap.items() if THERE in free(reify.product(m))}
    score = reify.term(here)
    if not here or nf(("-", None, (score, replace(score, THERE, OTHER)))) != gap:
        return None
    strict: Term = ("->", None, (less_than(THERE, OTHER), ("<", None, most[2])))
    if later and (len(later) > 1 or fkey(later[0]) != fkey(strict)):
        return None
    # The value is the summand without its factor I[..].
    value = {(tuple(x for x in m[0] if x[0] != marks[0]), m[1]): c for m, c in parts.items()}
    return BestRow(low, high, score, reify.term(value), bool(later))


def best_sum(case: CaseFacts, a: int) -> AtomReading:
    """The reading of a row of hard attention, by the value at the position with the largest score; OPAQUE for any other
    sum, and where no candidate is that position; WAITS while a decision is needed."""
    row = best_row(reify.atom(a))
    if row is None or (row.last and row.low != num(1)) or row[:3] in case.sums.sought:
        return OPAQUE
    undecided: list[Term] = []
    places = dict.fromkeys(_candidates(case, row))
    # Candidates for which this is a fact already come first.
    for place in sorted(places, key=lambda place: fkey(row.premises(place)[0]) not in case.literals):
        # The place must be in the row. If that is undecided, the next candidates are tried before it is asked.
        ends: list[Term] = [at_most(row.low, place), at_most(place, row.high)]
        inside = [label for end in ends if (label := case.known(end)) is not None]
        if len(inside) < len(ends):
            undecided += [end for end in ends if case.known(end) is None and case.known(negation(end)) is None]
        elif (best := _best_facts(case, row, place)) is not None:
            return case.give(a, _row_equation(case, row, place, [*inside, *best]))
    for end in undecided[:1]:
        case.want(end)
    return WAITS if case.wanted else OPAQUE


def _best_facts(case: CaseFacts, row: BestRow, place: Term) -> list[str] | None:
    """The labels of the facts that a position has the largest score; None where their proof fails."""
    labels: list[str] = []
    for premise in row.premises(place):
        label = case.literals.get(fkey(premise))
        if label is None:
            label = case.g.fresh("best")
            case.sums.sought.add(row[:3])  # so that this proof does not read the same row again
            close = partial(case.decision.close, most=MOST_CASES, waiting=False)
            proved = succeeds(partial(case.g.have, premise, label, close))
            case.sums.sought.discard(row[:3])
            if not proved:
                return None
            case.literals[fkey(premise)] = label
        labels.append(label)
    return labels


def _row_equation(case: CaseFacts, row: BestRow, place: Term, known: list[str]) -> str:
    """The label of the equation row = value(place). For a row that only sums weights (the value 1), the label of the
    equation for their sum."""
    g, label = case.g, case.g.fresh("row")
    texts = [g.text(place), f"j. {g.text(row.score)}", f"j. {g.text(row.value)}"]
    if row.last:
        g.use("lem:right_row", g.text(row.high), *texts, lambda h: both(h, *known), label=label)
        return label
    ends = g.text(row.low), g.text(row.high)
    g.use("lem:single_best", *ends, *texts, lambda h: both(h, *known), label=f"{label}.1 {label}")
    return f"{label}.1" if row.value == num(1) else label


def _candidates(case: CaseFacts, row: BestRow) -> Iterator[Term]:
    """Positions that may have the largest score, the most likely ones first."""
    if (top := _top(case, row)) is not None:
        yield top
    read = [t[2] for t in subterms(case.g.goal) if t[0] == "app" and not loose(t[2][1])]
    of_value = {t[2][0] for t in subterms(row.value) if t[0] == "app"}
    yield from (place for name, place in read if name in of_value or not of_value)
    yield from (row.high, reify.term(nf(("-", None, (row.high, num(1))))), row.low)


def _top(case: CaseFacts, row: BestRow) -> Term | None:
    """The position at the top of the parabola, if the scores are one; None for other scores, and for a top that is not
    an integer. Where the parabola opens upward, it is the position with the smallest score, which is no use as a
    candidate, and does no harm."""
    scores = at_most(num(0), written_summand(case, row.score) or row.score)
    top_of = parabola(case.row(case.g.fresh("score"), scores).poly, THERE)
    if top_of is None:
        return None
    top = top_of.top
    # Each monomial must have an integer coefficient, no power of e, and only integers as factors.
    for (factors, exponent), coefficient in top.items():
        if coefficient != int(coefficient) or exponent or not all(whole(a) for a, _ in factors):
            return None
    return reify.term(top)
