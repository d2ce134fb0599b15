"""The values that terms have in a case of a proof by positions: numbers, or named positions.

A coordinate has the value of the right side of its equation, and I[F] is 1 or 0 by the decision about F. A sum is 0 if
all its terms are 0; it is its only other term; or it is the number of positions before or after a named one. Each value
is proved as a fact of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, product

from symcook.proof.claims.byautomata.placed import DecideFirst, PlacedFacts, Unplaced, simple
from symcook.proof.claims.bycounts.problem import W
from symcook.proof.claims.bycounts.truth import letter_at
from symcook.proof.normal import constant, nf
from symcook.proof.search.ranges import at_most, between, equals, ranged
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, instantiate, loose, num, replace, subterms, var

THERE, MARK, NEW = var("j'", "Int"), var("m'", "Int"), var("x'", "Int")
"""Variables for the position of a term of a sum, for the position at which such terms change, and for a position that
has no name yet."""
ATOMS = ("app", "sum", "ind", "fn")
"""The tags of atoms, the terms that have a value of their own."""


# --- Terms ------------------------------------------------------------------------------------------------------------


def reduced(case: PlacedFacts, t: Term, used: dict[Term, str]) -> Term:
    """A term in which each atom is replaced by its value; `used` gets the label of each equation atom = value."""
    tag, data, kids = t
    if tag in ATOMS:
        value, label = value_of(case, t)
        used[t] = label
        return value
    # A product is 0 if one factor is I[F] with F false; the other factors need no value then.
    if tag == "*":
        for factor in kids:
            if factor[0] == "ind" and case.decided(factor[2][0]) is False:
                used[factor] = value_of(case, factor)[1]
                return num(0)
    if tag in ("num", "var"):
        return t
    return simple((tag, data, tuple([reduced(case, k, used) for k in kids])))


def number_of(case: PlacedFacts, t: Term) -> Fraction | None:
    """The number that a term is by computation; None for a term with atoms or positions."""
    number = constant(nf(t))
    return None if number is None else Fraction(number)


def put_values(case: PlacedFacts, g: Goal, used: dict[Term, str]) -> None:
    """Rewrite a goal by the equations `used`: each atom in it is replaced by its value."""
    for atom, label in used.items():
        if replace(g.goal, atom, num(0)) != g.goal:
            g.rewrite(label)


def value_of(case: PlacedFacts, t: Term) -> tuple[Term, str]:
    """The value of an atom, and the label of the equation."""
    if t not in case.values:
        case.root.step()
        value = case.root.rules.values[t[0]](case, t)
        if isinstance(value, str):
            value = case.g.facts[value][2][1], value
        case.values[t] = value
    return case.values[t]


def equal_by_values(case: PlacedFacts, t: Term, value: Term, used: dict[Term, str], first: str = "") -> str:
    """The label of t = value. It is proved by rewriting t with the equation `first`, if given, and then all atoms with
    the equations `used`, after which both sides are equal by computation."""
    label = case.g.fresh("v")

    def proof(h: Goal) -> None:
        """Rewrite, then compute."""
        if first:
            h.rewrite(first)
        put_values(case, h, used)
        h.true()

    case.g.have(equals(t, value), label, proof)
    return label


def coordinate(case: PlacedFacts, t: Term) -> str | tuple[Term, str]:
    """The label of the value of a coordinate at a position, or of the token there."""
    name, place = t[2][0][1][0], t[2][1]
    if name == "w":
        letter, label = case.at_letter(place)
        return (
            (num(letter), label) if case.g.facts[label][2][0] == t else equal_by_values(case, t, num(letter), {}, label)
        )
    used: dict[Term, str] = {}
    right, label = defined(case, name, place)
    return equal_by_values(case, t, reduced(case, right, used), used, label)


def defined(case: PlacedFacts, name: str, place: Term) -> tuple[Term, str]:
    """The right side of the equation of a coordinate at a position, and the label of c(place) = right."""
    equation = case.root.problem.equations.get(name)
    if equation is None or equation.kind != "value":
        raise Unplaced(f"the search has no rule for the coordinate {name}")
    label = case.g.fresh("is")
    run = case.root.problem.label(equation.part, equation.truth)
    case.g.use(run, case.g.text(place), f"#{case.inside(place)}", label=label)
    return case.g.facts[label][2][1], label


def _function(case: PlacedFacts, t: Term) -> str:
    """The label of the value of a function whose value is a number."""
    used: dict[Term, str] = {}
    arguments = tuple([reduced(case, k, used) for k in t[2]])
    new = simple((t[0], t[1], arguments))
    if number_of(case, new) is None:
        raise Unplaced(f"the search has no rule for the function {t[1]} of a position")
    return equal_by_values(case, t, new, used)


def _truth_value(case: PlacedFacts, t: Term) -> str:
    """The label of I[F] = 1 or I[F] = 0, for a formula F that follows or whose negation does."""
    f = t[2][0]
    letter = letter_at(f)
    token_fact = None if letter is None else case.letters.get(simple(letter[0]))
    # F is an equation for the token at a position, and that token is known.
    if letter is not None and token_fact is not None and case.g.facts[token_fact[1]][2][0] == f[2][0]:
        return equal_by_values(case, t, num(int(token_fact[0] == letter[1])), {}, token_fact[1])
    # Otherwise by cases on I[F]: the case of the other value contradicts the decision about F.
    value = case.decide(f)
    label, decision_label = case.g.fresh("v"), case.established(f if value else ("~", None, (f,)))

    def proof(h: Goal) -> None:
        """By the two cases F, I[F] = 1 and ~F, I[F] = 0."""
        names = h.fresh("f"), h.fresh("v")
        before = {*h.facts}
        for k, holds in zip(h.ind(f, " ".join(names)), (True, False), strict=True):
            if holds is value:
                k.hyp(names[1])
                continue
            # The facts that the case adds about F: ~F, or the parts of F where F is a conjunction.
            parts = [x for x in k.facts if x not in before and x != names[1] and k.facts[x][0] != "|"]
            k.contra(k.fresh("no"))
            if not value:
                joined_label = k.fresh("whole")
                k.have(f, joined_label, _close_by_parts)
                k.absurd(joined_label, decision_label)
            else:
                k.absurd(decision_label, parts[0])

    case.g.have(equals(t, num(int(value))), label, proof)
    return label


# --- Sums -------------------------------------------------------------------------------------------------------------


def _sum(case: PlacedFacts, t: Term) -> str:
    """The label of the value of a sum whose terms are all 0, or all but one, or which are 1 before or after some
    position and 0 elsewhere. DecideFirst where none of this follows."""
    low, high, body = t[2]
    term = instantiate(body, (THERE,))
    zero = equals(term, num(0))
    if (value := one_value(case, t)) is not None:
        return value
    # 1 before p and 0 from there on, or 0 up to p and 1 after it
    counted = [_is_count(term, zero, last) for last in (False, True)]
    for last, f in enumerate(counted):
        for p in case.candidates():
            if case.follows(ranged(low, high, replace(f, MARK, p), THERE)):
                return _count(case, t, p, bool(last))
    raise _decision_for_sum(case, t, zero, counted)


def _selects(case: PlacedFacts, low: Term, high: Term, zero: Term, p: Term) -> bool:
    """Whether all terms but that at p are 0, and p is in the range."""
    inside = between(low, p, high)
    same = equals(THERE, p)
    return case.follows(inside) and case.follows(ranged(low, high, ("|", None, (same, zero)), THERE))


def prove_each(case: PlacedFacts, h: Goal, *labels: str) -> None:
    """Close a goal about all positions of a range, which is introduced with the label `labels[0]`."""
    inner = case.under(h)
    name = h.fresh("j")
    h.intro(f"{name} {labels[0]}")
    inner.name(var(name, "Int"))
    inner.suppose(labels[0])
    inner.prove()


def _no_term(case: PlacedFacts, t: Term) -> str:
    """The label of t = 0, for a sum t all terms of which are 0."""
    g, (low, high, _) = case.g, t[2]
    same, label = g.fresh("same"), g.fresh("v")
    f = g.text(("lam", ("Int",), (t[2][2],)))
    g.use("lem:sum_ext", f, "j. 0", g.text(low), g.text(high), lambda h: prove_each(case, h, h.fresh("in")), label=same)
    g.have(equals(t, num(0)), label, lambda h: h.hyp(same))
    return label


def _one_term(case: PlacedFacts, t: Term, p: Term) -> str:
    """The label of the value of a sum t all terms of which are 0 but the one at p."""
    g, (low, high, body) = case.g, t[2]
    first = g.fresh("only")
    inside = case.established(between(low, p, high))

    def others(h: Goal) -> None:
        """The term at any other position is 0."""
        name, in_range, apart = h.fresh("j"), h.fresh("in"), h.fresh("apart")
        inner = case.under(h)
        h.intro(f"{name} {in_range} {apart}")
        inner.name(var(name, "Int"))
        inner.suppose(in_range)
        inner.suppose(apart)
        inner.prove()

    f = g.text(("lam", ("Int",), (body,)))
    g.use("lem:sum_only", f, g.text(low), g.text(high), g.text(p), f"#{inside}", others, label=first)
    used: dict[Term, str] = {}
    return equal_by_values(case, t, reduced(case, instantiate(body, (p,)), used), used, first)


def _is_count(term: Term, zero: Term, last: bool) -> Term:
    """The formula that a term is 1 before the position `MARK` and 0 from there on; with `last`, 0 up to it and 1
    after it."""
    there = ("<", None, (MARK, THERE) if last else (THERE, MARK))
    counted_once = equals(term, num(1))
    return ("&", None, (("->", None, (there, counted_once)), ("|", None, (there, zero))))


def _count(case: PlacedFacts, t: Term, p: Term, last: bool) -> str:
    """The label of the value of a sum t that counts the positions of its range before p, or with `last` after p."""
    g, (low, high, body) = case.g, t[2]
    same, length, label = g.fresh("same"), g.fresh("many"), g.fresh("v")
    f = g.text(("lam", ("Int",), (body,)))
    below = ("-", None, (low, num(1))) if last else low
    above = high if last else ("+", None, (high, num(1)))
    inside = case.established(between(below, p, above))
    bit = f"{g.text(p)} < j" if last else f"j < {g.text(p)}"
    texts = g.text(low), g.text(high)
    g.use("lem:sum_ext", f, f"j. I[{bit}]", *texts, lambda h: prove_each(case, h, h.fresh("in")), label=same)
    lemma = f"lem:count_{'after' if last else 'before'}"
    g.use(lemma, *texts, g.text(p), f"#{inside}", label=length)
    value = simple(("-", None, (high, p) if last else (p, low)))

    def proof(h: Goal) -> None:
        """The sum is that of the indicators, which the lemma gives."""
        h.rewrite(same)
        h.rewrite(length)
        h.true()

    g.have(equals(t, value), label, proof)
    return label


def _decision_for_sum(case: PlacedFacts, t: Term, zero: Term, counted: list[Term]) -> DecideFirst:
    """What to decide about a sum that has no value yet: whether its range is empty; the order of two positions, if its
    terms change at one of them; or a name for the first or the last position of its range with some token."""
    low, high, _ = t[2]
    if case.decided(f := at_most(low, high)) is None:
        return DecideFirst(f)

    def ends(f: Term, p: Term) -> Term:
        """The formula that the terms change from one value to the other at p."""
        return ranged(low, high, replace(f, MARK, p), THERE)

    # A count up to the later, or the earlier, of two named positions.
    for (p, q), f in product(combinations(map(simple, case.places), 2), counted):
        order: Term = at_most(p, q)
        if case.decided(order) is None and case.follows(("|", None, (ends(f, p), ends(f, q)))):
            return DecideFirst(order)
    # Otherwise a position NEW without a name: one that decides the sum alone, or else together with a named one.
    near_new = [NEW, *(("+", None, (NEW, num(k))) for k in (1, -1))]
    alone = ("|", None, (equals(THERE, NEW), zero))
    wanted = [ranged(low, high, alone, THERE), *(ends(f, p) for f in counted for p in near_new)]
    either = [("|", None, (ends(f, NEW), ends(f, p))) for f in counted for p in case.places]
    question = nameable(case, low, high, wanted) or nameable(case, low, high, either) or _symbol_read(case, t)
    if question is None:
        raise Unplaced(f"the search found no position that decides {case.g.text(t)[:80]}")
    return question


def _symbol_read(case: PlacedFacts, t: Term) -> DecideFirst | None:
    """What symbol is at a position that all terms of a sum read, as in ``I[w(j) = w(i)]``, if that is undecided; None
    where it is decided at all of them."""
    for s in subterms(t[2][2]):
        if s[0] == "app" and s[2][0] == W and len(s[2]) == 2 and not loose(s[2][1]):
            place = simple(s[2][1])
            if case.follows(case.root.lettered.inside(place)) and not any(
                case.follows(case.root.lettered.is_letter(place, a)) for a in case.root.problem.letters
            ):
                return DecideFirst(letter=place)
    return None


def one_value(case: PlacedFacts, t: Term) -> str | None:
    """The label of the value of a sum all terms of which are 0, or all but the one at a candidate position; None for
    any other sum."""
    low, high, body = t[2]
    zero = equals(instantiate(body, (THERE,)), num(0))
    if case.follows(ranged(low, high, zero, THERE)):
        return _no_term(case, t)
    place = next((p for p in case.candidates() if _selects(case, low, high, zero, p)), None)
    return None if place is None else _one_term(case, t, place)


def nameable(case: PlacedFacts, low: Term, high: Term, wanted: list[Term]) -> DecideFirst | None:
    """Name a position of a range with some token, any, the first or the last, for which one of the formulas `wanted`
    about `NEW` follows. Returns DecideFirst for what has to be decided before, or the empty DecideFirst after a
    position was named; None where no such position helps."""
    letter = case.root.lettered.is_letter
    inside = between(low, NEW, high)
    for order in (None, (THERE, NEW), (NEW, THERE)):
        for a in case.root.problem.letters:
            # Each of these positions is named once.
            key = (low, high, order, a)
            exists = ranged(low, high, letter(THERE, a), THERE, "ex")
            if key in case.extremes or case.decided(exists) is False:
                continue
            # NEW is a position of the range with the token; where an order is given, the first or the last one.
            there = ("&", None, (inside, letter(NEW, a)))
            if order is not None:
                no_other = ("->", None, (("<", None, order), ("~", None, (letter(THERE, a),))))
                there = ("&", None, (there, ranged(low, high, no_other, THERE)))
            truths = case.root.truths(there)
            if truths is None:
                continue
            # Would one of the formulas follow in the strings in which NEW is that position?
            within = case.root.regular.t.both(case.context, truths.yes)
            if any(case.follows(f, within) for f in wanted):
                if case.decided(exists) is None:
                    return DecideFirst(exists)
                case.extremes.add(key)
                if order is None:
                    case.suppose(case.established(exists))
                else:
                    _name_extreme(case, exists, a, low, high, order[0] == NEW)
                return DecideFirst()
    return None


def _name_extreme(case: PlacedFacts, some: Term, a: int, low: Term, high: Term, last: bool) -> None:
    """Name the first or the last position of a range with a token."""
    g, label = case.g, case.g.fresh("there")
    lemma = f"lem:{'last' if last else 'first'}_place"
    exists_label = case.established(some)
    g.use(lemma, "w", str(a), g.text(low), g.text(high), f"#{exists_label}", label=label)
    case.suppose(label)


VALUE_RULES: Mapping[str, Callable[[PlacedFacts, Term], str]] = {
    "fn": _function,
    "ind": _truth_value,
    "sum": _sum,
}
"""The functions that give an atom its value, by tag; coordinates have theirs in `placedcases`."""


def _close_by_parts(g: Goal) -> None:
    """Close a goal by a fact, or a conjunction by facts that are its parts. A part that was a fact before the
    conjunction was taken apart has the label of that fact."""
    for part in g.split() if g.goal[0] == "&" else [g]:
        part.hyp(next(label for label, fact in part.facts.items() if fact == part.goal))
