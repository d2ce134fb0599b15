"""Sums over positions whose terms the letters decide, as sums of counts of letters.

If the term at j depends on the letter at j alone, with the value T_a for the letter a, the sum over a range is the
sum of T_a*C_a with the number C_a of letters a in the range. A sum whose terms have a factor I[j = p] is its one
term at p. `lettered_sum` makes that equation a fact, or asks the case for what has to be decided first.
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
    """What a term is where a letter stands: a constant, or None; and the values of truths that were put in."""

    value: Term | None
    bits: Mapping[str, Poly]


WAITS_VALUE = LetterValue(None, {"": {}})
"""Something has to be decided first."""


def lettered_sum(case: CaseFacts, a: int) -> AtomReading:
    """The reading of a sum whose terms the letters decide: a sum of counts."""
    root, g = case.root, case.g
    low, high, body = reify.atom(a)[2]
    inner = instantiate(body, (THERE,))
    if not root.problem.letters and _only_at(inner) is None:
        return OPAQUE
    # I[w(j) = a]: a count.
    letter = letter_at(inner[2][0]) or zero_letter(inner[2][0]) if inner[0] == "ind" else None
    if letter is not None and letter[0] == THERE and letter[1] in root.problem.letters:
        return count_of(case, a, letter[1], low, high)
    # A factor I[j = p]: the term of one position.
    if (place := _only_at(inner)) is not None:
        return _selected(case, a, low, high, inner, place)
    # Else a term that the letter at j decides. Coordinates at other positions are put in first.
    outer = _constants(case, inner)
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
    start, end = case.need(at_most(root.low, low)), case.need(at_most(high, root.high))
    if start is None or end is None:
        return WAITS
    return case.give(a, _as_counts(case, reify.atom(a), by_symbol, outer, start, end))


def _as_counts(
    case: CaseFacts, total: Term, by_symbol: Mapping[int, LetterValue], outer: list[str], start: str, end: str
) -> str:
    """The label of: a sum of T(j) is the sum of T_a*C_a over the letters, as T(j) is the sum of T_a*I[w(j) = a] at each
    j, whichever letter it has. `outer` are equations for coordinates elsewhere, `start` and `end` place the range."""
    root, g = case.root, case.g
    low, high, body = total[2]
    by_letter = {b: value for b, (value, _) in by_symbol.items() if value is not None}
    inner, right = instantiate(body, (THERE,)), root.weighted(by_letter, lambda b: root.bit(THERE, b))
    label = g.fresh("sum")

    def each(h: Goal) -> None:
        """T(j) is that sum at one position j, by the letter there."""
        h.intro(f"{(j := h.fresh('j'))} ({(lo := h.fresh('from'))} {(hi := h.fresh('to'))})")
        there = var(j, "Int")
        inside = h.fresh("inside")
        h.have(root.inside(there), inside, lambda k: k.easy([lo, hi, start, end], degree=1, rounds=0))

        def close(k: Goal, b: int, here: str) -> None:
            for outer_label in outer:
                k.rewrite(outer_label)
            root.computed(k, there, inside, here, by_symbol[b].bits)

        root.cases(h, j, inside, close)

    texts = [f"j. {g.text(inner)}", f"j. {g.text(right)}", g.text(low), g.text(high)]
    g.use("lem:sum_ext", *texts, each, label=label)
    return label


def _value_at_letter(case: CaseFacts, t: Term, letter: int) -> LetterValue:
    """The constant that a term about j is where a letter stands there. Truth values in it, as that no key of a range
    is larger, are put in; their labels come with their factors."""
    with_letter = case.root.put(t, THERE, letter)
    if with_letter is None:
        return LetterValue(None, {})
    p, bits = nf(with_letter), {}
    # A truth value I[F] is replaced by 0 or 1; what F needs is decided first.
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
    """The quantified formula F where a monomial is I[F], with a power of e or without."""
    if len(m[0]) != 1 or m[0][0][1] != 1:
        return None
    key = normal._keys[m[0][0][0]]
    f = reify.formula(key[1]) if key[0] == "ind" else None
    return f if f is not None and f[0] in ("all", "ex") else None


def show_bit(case: CaseFacts, g: Goal, f: Term, value: bool) -> None:
    """Close I[F] = 1 or I[F] = 0: the case in which F has the other value contradicts what is decided."""
    known = {*g.facts}
    for h, holds in zip(g.ind(f, f"{g.fresh('f')} {(v := g.fresh('v'))}"), (True, False), strict=True):
        if holds is value:
            h.hyp(v)
        else:
            new = [k for k in h.facts if k not in known and k != v and h.facts[k][0] != "|"]
            false = next((k for k in new if case.truth(h.facts[k]) is False), None)
            if false is None:
                raise OutsideFragment(f"it has the condition {grammar.show(f)}")
            case.deny(h, false)


def _selected(case: CaseFacts, a: int, low: Term, high: Term, inner: Term, place: Term) -> AtomReading:
    """The reading of a sum with one term alone, where j = p: this term, or 0 where p is outside of the range."""
    g = case.g
    ends = [at_most(low, place), at_most(place, high)]
    # If p is known to be outside, all terms are 0; else it has to be inside.
    away = [case.known(negation(end)) for end in ends]
    label, outside = g.fresh("sum"), next((x for x in away if x is not None), None)
    # The summand has the factor I[F] for a formula F that says j = p.
    is_there = next(x for x in subterms(inner) if x[0] == "ind" and _only_at(x) is not None)[2][0]

    def zero(h: Goal, name: str, known: list[str]) -> None:
        """The term of another position is 0."""
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

    def each(h: Goal) -> None:
        """The terms of all positions are 0 where p is outside; else those of all but p."""
        name, start, end, apart = (h.fresh(stem) for stem in ("j", "from", "to", "other"))
        h.intro(f"{name} ({start} {end})" + ("" if outside else f" {apart}"))
        zero(h, name, [start, end] if outside else [apart])

    # The terms at all j but p are 0, as j = p is false there: sum = T(p), or 0 where p is not in the range.
    texts = [g.text(low), g.text(high)]
    if outside is not None:
        g.use("lem:sum_ext", f"j. {g.text(inner)}", "j. 0", *texts, each, label=label)
        return case.give(a, label)
    # p is in the range
    first, last = (case.need(end) for end in ends)
    if first is None or last is None:
        return WAITS
    summand = f"j. {g.text(inner)}"
    g.use("lem:sum_only", summand, *texts, g.text(place), lambda h: both(h, first, last), each, label=label)
    return case.give(a, label)


def _constants(case: CaseFacts, inner: Term) -> list[str] | None:
    """The labels of c(p) = NUMBER for the coordinates at other positions in a summand, as those of a query; None
    where a letter has to be decided first."""
    labels: list[str] = []
    for t in dict.fromkeys(x for x in subterms(inner) if x[0] == "app" and not loose(x) and THERE not in free(x)):
        name, place = t[2][0][1][0], t[2][1]
        if name not in case.root.values:
            continue
        # The letter there must be decided, but where all letters give one value.
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
        # One value for all letters: that is the equation. Else the letter there is put in.
        if letter is None or len({*values.values()}) == 1:
            labels.append(at_it)
            continue
        here = case.literals[fkey(case.root.is_letter(place, letter))]

        def proof(h: Goal, at_it: str = at_it, here: str = here) -> None:
            h.rewrite(at_it)
            h.rewrite(here)
            h.true()

        g.have(equals(t, values[letter]), label, proof)
        labels.append(label)
    return labels


def _only_at(inner: Term) -> Term | None:
    """The position p where a summand has a factor I[j = p]."""
    atoms = (a for factors, _ in nf(inner) for a, _ in factors)
    return next((place for a in atoms if (place := _place_of(a)) is not None), None)


def _place_of(a: int) -> Term | None:
    """The position p where an atom is I[0 = p - j] or I[0 = j - p], with an integer p that does not depend on j."""
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
