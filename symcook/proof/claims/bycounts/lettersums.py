"""Sums over positions whose terms depend only on letters, written as sums of letter counts.

Let the term at j depend on the letter at j alone, with the value T_a for the letter a. Then the sum over a range is the
sum of T_a*C_a over the letters, where C_a is the number of letters a in the range. A sum whose terms have a factor
I[j = p] is equal to its term at p. `lettered_sum` adds this equation as a fact, or requests the decisions that it needs
first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from symcook.proof import grammar, normal
from symcook.proof.claims.bycounts.casefacts import OPAQUE, WAITS, AtomReading, CaseFacts
from symcook.proof.claims.bycounts.farkas import whole
from symcook.proof.claims.bycounts.lettercounts import both, count_of, rewritten, zero_letter
from symcook.proof.claims.bycounts.lettered import THERE, fixed
from symcook.proof.claims.bycounts.problem import OutsideFragment
from symcook.proof.claims.bycounts.quantified import range_question
from symcook.proof.claims.bycounts.truth import letter_at
from symcook.proof.inequalities import reify
from symcook.proof.normal import Mono, Poly, fkey, nf
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, free, instantiate, loose, negation, num, replace, subterms, var


class LetterValue(NamedTuple):
    """The value of a term at a position with a given letter."""

    value: Term | None
    """The constant value; None if the letter does not determine it."""
    bits: Mapping[str, Poly]
    """The equations I[F] = 0 or I[F] = 1 that were used: by label, the polynomial that they are multiplied by."""


WAITS_VALUE = LetterValue(None, {"": {}})
"""Stands for a value that needs a decision first."""


def lettered_sum(case: CaseFacts, a: int) -> AtomReading:
    """The reading of the atom `a`, a sum whose terms depend only on letters: its value is a sum of counts. `OPAQUE` for
    another sum, `WAITS` while a decision is needed."""
    root, g = case.root, case.g
    low, high, body = reify.atom(a)[2]
    inner = instantiate(body, (THERE,))
    if not root.problem.letters and _factor_position(inner) is None:
        return OPAQUE
    # I[w(j) = a]: a count.
    letter = letter_at(inner[2][0]) or zero_letter(inner[2][0]) if inner[0] == "ind" else None
    if letter is not None and letter[0] == THERE and letter[1] in root.problem.letters:
        return count_of(case, a, letter[1], low, high)
    # A factor I[j = p]: the term of one position.
    if (place := _factor_position(inner)) is not None:
        return _single_term_sum(case, a, low, high, inner, place)
    # Else a term that the letter at j must determine. Coordinates at other positions are replaced by numbers first.
    outer = _coordinate_equations(case, inner)
    if outer is None:
        return WAITS
    with_constants = inner
    for label in outer:
        with_constants = replace(with_constants, *g.facts[label][2])
    by_symbol = {b: _value_at_letter(case, with_constants, b) for b in root.problem.letters}
    if WAITS_VALUE in by_symbol.values():
        return WAITS
    if any(value is None for value, _ in by_symbol.values()):
        return OPAQUE
    low_fact, high_fact = case.need(at_most(root.low, low)), case.need(at_most(high, root.high))
    if low_fact is None or high_fact is None:
        return WAITS
    return case.give(a, _as_counts(case, reify.atom(a), by_symbol, outer, low_fact, high_fact))


def _as_counts(
    case: CaseFacts, total: Term, by_symbol: Mapping[int, LetterValue], outer: list[str], start: str, end: str
) -> str:
    """Prove that `total`, a sum of T(j), is the sum of T_a*I[w(j) = a] over j and the letters a; the label of this
    fact. `by_symbol` has T_a. `outer` are the labels of equations for coordinates at other positions; `start` and `end`
    are the labels of the facts that the range lies in the string."""
    root, g = case.root, case.g
    low, high, body = total[2]
    by_letter = {b: value for b, (value, _) in by_symbol.items() if value is not None}
    inner, right = instantiate(body, (THERE,)), root.weighted(by_letter, lambda b: root.bit(THERE, b))
    label = g.fresh("sum")

    def term_equals(h: Goal) -> None:
        """At one position j, T(j) equals the sum of T_a*I[w(j) = a]: by cases on the letter there."""
        h.intro(f"{(j := h.fresh('j'))} ({(lo := h.fresh('from'))} {(hi := h.fresh('to'))})")
        there = var(j, "Int")
        inside = h.fresh("inside")
        h.have(root.inside(there), inside, lambda k: k.easy([lo, hi, start, end], degree=1, rounds=0))

        def close_letter(k: Goal, b: int, here: str) -> None:
            for outer_label in outer:
                k.rewrite(outer_label)
            root.computed(k, there, inside, here, by_symbol[b].bits)

        root.cases(h, j, inside, close_letter)

    texts = [f"j. {g.text(inner)}", f"j. {g.text(right)}", g.text(low), g.text(high)]
    g.use("lem:sum_ext", *texts, term_equals, label=label)
    return label


def _value_at_letter(case: CaseFacts, t: Term, letter: int) -> LetterValue:
    """The constant value of the term `t`, about j, if `letter` is at j. Truth values in it, such as "no key of a range
    is greater", are replaced by 0 or 1. `WAITS_VALUE`, with a request, if a count has to be compared first to decide
    one of them."""
    with_letter = case.root.put(t, THERE, letter)
    if with_letter is None:
        return LetterValue(None, {})
    p, bits = nf(with_letter), {}
    # Replace each monomial c*I[F] (perhaps times a power of e) by c or 0.
    for m, c in [*p.items()]:
        f = _quantified_bit(m)
        if f is None:
            continue
        if case.truth(f) is None and (question := range_question(case, f)) is not None:
            case.want(question)
            return WAITS_VALUE
        value = case.truth(f)
        if value is None:
            continue
        label = case.g.fresh("best")
        equation: Term = equals(("ind", None, (f,)), num(int(value)))
        case.g.have(equation, label, lambda h, f=f, value=value: show_bit(case, h, f, value))
        bits[label] = {((), m[1]): c}
        p = normal.add(p, {m: c}, -1)
        p = normal.add(p, bits[label]) if value else p
    return LetterValue(fixed(p, names=True), bits)


def _quantified_bit(m: Mono) -> Term | None:
    """The quantified formula F if a monomial is I[F], perhaps times a power of e; else None."""
    if len(m[0]) != 1 or m[0][0][1] != 1:
        return None
    key = normal._keys[m[0][0][0]]
    f = reify.formula(key[1]) if key[0] == "ind" else None
    return f if f is not None and f[0] in ("all", "ex") else None


def show_bit(case: CaseFacts, g: Goal, f: Term, value: bool) -> None:
    """Close I[F] = 1 (with `value`) or I[F] = 0, by cases on F: the other value of F contradicts the facts."""
    labels_before = {*g.facts}
    for h, holds in zip(g.ind(f, f"{g.fresh('f')} {(v := g.fresh('v'))}"), (True, False), strict=True):
        if holds is value:
            h.hyp(v)
        else:
            new_labels = [k for k in h.facts if k not in labels_before and k != v and h.facts[k][0] != "|"]
            false_label = next((k for k in new_labels if case.truth(h.facts[k]) is False), None)
            if false_label is None:
                raise OutsideFragment(f"the statement has the condition {grammar.show(f)}")
            case.deny(h, false_label)


def _single_term_sum(case: CaseFacts, a: int, low: Term, high: Term, inner: Term, place: Term) -> AtomReading:
    """The reading of the atom `a`, a sum whose terms have the factor I[j = `place`]: the term at `place`, or 0 if
    `place` is outside the range."""
    g = case.g
    ends = [at_most(low, place), at_most(place, high)]
    # Is p, the place, known to be outside the range? If not, it must be inside.
    outside_labels = [case.known(negation(end)) for end in ends]
    label, outside = g.fresh("sum"), next((x for x in outside_labels if x is not None), None)
    # The formula F of the factor I[F], which is equivalent to j = p.
    is_there = next(x for x in subterms(inner) if x[0] == "ind" and _factor_position(x) is not None)[2][0]

    def other_is_zero(h: Goal, name: str, known: list[str]) -> None:
        """Close the goal that the term at the position `name` is 0, as F is false there. `known` has the facts that it
        is not p, or, if p is outside the range, that it is in the range."""
        f = replace(is_there, THERE, var(name, "Int"))
        here, apart = h.ind(f, f"{(there := h.fresh('f'))} {(v := h.fresh('v'))}")
        if outside is None:
            here.have(equals(var(name, "Int"), place), (same := here.fresh("same")), lambda k: k.auto([there]))
            here.contra(here.fresh("no"))
            here.absurd(same, known[-1])
        else:
            here.contra(here.fresh("no"))
            here.auto([there, outside, *known], degree=1, rounds=0)
        rewritten(apart, v)

    def each_is_zero(h: Goal) -> None:
        """Close the goal that the terms of all positions are 0, or, if p is in the range, of all positions but p."""
        name, start, end, apart = (h.fresh(stem) for stem in ("j", "from", "to", "other"))
        h.intro(f"{name} ({start} {end})" + ("" if outside else f" {apart}"))
        other_is_zero(h, name, [start, end] if outside else [apart])

    # p is outside the range: the sum is 0.
    texts = [g.text(low), g.text(high)]
    if outside is not None:
        g.use("lem:sum_ext", f"j. {g.text(inner)}", "j. 0", *texts, each_is_zero, label=label)
        return case.give(a, label)
    # p is in the range: the sum is T(p).
    low_fact, high_fact = (case.need(end) for end in ends)
    if low_fact is None or high_fact is None:
        return WAITS
    summand = f"j. {g.text(inner)}"
    g.use(
        "lem:sum_only",
        summand,
        *texts,
        g.text(place),
        lambda h: both(h, low_fact, high_fact),
        each_is_zero,
        label=label,
    )
    return case.give(a, label)


def _coordinate_equations(case: CaseFacts, inner: Term) -> list[str] | None:
    """The labels of facts c(p) = NUMBER, for the coordinates c in a summand that are read at a position p other than j
    (such as those of a query). None if a letter has to be decided first."""
    labels: list[str] = []
    for t in dict.fromkeys(x for x in subterms(inner) if x[0] == "app" and not loose(x) and THERE not in free(x)):
        name, place = t[2][0][1][0], t[2][1]
        if name not in case.root.values:
            continue
        # The letter at p must be decided, unless all letters give the same value.
        values = case.root.values[name]
        letter = next((b for b in values if fkey(case.root.is_letter(place, b)) in case.literals), None)
        if letter is None and len({*values.values()}) > 1:
            undecided = [b for b in values if case.truth(case.root.is_letter(place, b)) is None]
            if undecided:
                case.want(case.root.is_letter(place, undecided[0]))
            return None
        inside = case.inside(place)
        if inside is None:
            return None
        g, label, at_it = case.g, case.g.fresh("query"), case.g.fresh("at")
        g.use(case.root.share(g, case.root.valued(name)), g.text(place), f"#{inside}", label=at_it)
        # With one value for all letters, `valued` is the equation already. Else the letter at p is put in.
        if letter is None or len({*values.values()}) == 1:
            labels.append(at_it)
            continue
        here = case.literals[fkey(case.root.is_letter(place, letter))]

        def close_value(h: Goal, at_it: str = at_it, here: str = here) -> None:
            h.rewrite(at_it)
            h.rewrite(here)
            h.true()

        g.have(equals(t, values[letter]), label, close_value)
        labels.append(label)
    return labels


def _factor_position(inner: Term) -> Term | None:
    """The position p if a summand has a factor I[j = p]; else None."""
    atoms = (a for factors, _ in nf(inner) for a, _ in factors)
    return next((place for a in atoms if (place := _position_in_bit(a)) is not None), None)


def _position_in_bit(a: int) -> Term | None:
    """The position p if an atom is I[0 = p - j] or I[0 = j - p], with an integer p that does not depend on j; else
    None."""
    key = normal._keys[a]
    if key[0] != "ind" or key[1][0] != "=":
        return None
    gap = nf(reify.formula(key[1])[2][1])
    j = ((next(iter(nf(THERE)))[0][0][0], 1),), 0
    without_j = {m: c for m, c in gap.items() if m != j}
    atoms = [b for m, _ in without_j for b, _ in m]
    if abs(gap.get(j, 0)) != 1 or any(THERE in free(reify.atom(b)) or not whole(b) for b in atoms):
        return None
    return reify.term(normal.scale(without_j, -gap[j]))
