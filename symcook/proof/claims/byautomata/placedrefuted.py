"""Cases that no string has: they are refuted by a minimal contradictory set of their suppositions.

One formula of the set is proved false from the others: a comparison by the values of its sides, a formula about all
positions at one position, or two tokens at one position by the order of positions.
"""

from __future__ import annotations

from collections.abc import Callable

from symcook.errors import Rejected
from symcook.proof.claims.byautomata.placed import DecideFirst, PlacedFacts, Unplaced, ordered, simple
from symcook.proof.claims.byautomata.placedbounds import partly_reduced
from symcook.proof.claims.byautomata.placedstates import carried_value, divide_carried
from symcook.proof.claims.byautomata.placedvalues import NEW, nameable
from symcook.proof.claims.bycounts.truth import letter_at
from symcook.proof.normal import FALSE as NFALSE
from symcook.proof.normal import fkey
from symcook.proof.search.attempts import attempted
from symcook.proof.search.ranges import at_most, equals, less_than
from symcook.proof.search.tactics import Goal, Stuck, try_auto
from symcook.proof.terms import (
    COMPARISONS,
    FALSE,
    Term,
    flatten,
    instantiate,
    negation,
    num,
    replace,
)

# --- Steps ------------------------------------------------------------------------------------------------------------


def divide(case: PlacedFacts, wanted: DecideFirst) -> None:
    """Close the goal by cases for the decision that is `wanted`: a case for each token at a position, for each
    combination that is carried along, or for a formula and its negation."""
    g = case.g
    if wanted.letter is not None:
        inside = case.inside(wanted.letter)

        def close(h: Goal, _: int, label: str) -> None:
            """Close the goal in the case of one token, which the fact `label` states."""
            inner = case.under(h)
            inner.suppose(label)
            inner.prove()

        return case.root.lettered.cases(g, g.text(wanted.letter), inside, close)
    if wanted.carried is not None:
        return divide_carried(case, wanted.carried, case.pending if g.goal == FALSE else "")
    label = g.fresh("is")
    for h in g.em(wanted.formula or FALSE, label):
        inner = case.under(h)
        inner.suppose(label)
        inner.prove()
    return None


def attempt(case: PlacedFacts, close: Callable[[PlacedFacts], None]) -> None:
    """Close the goal by `close`, or by cases, if `close` asks for a decision. A case that no string has is refuted
    instead."""
    while True:
        if case.context.empty:
            return case.refute()
        wanted = case.first_needs(close)
        if wanted is None:
            return None
        if not wanted.named:  # after a position was named, `close` is tried again
            return divide(case, wanted)


# --- Contradictions ---------------------------------------------------------------------------------------------------


def _minimal_core(case: PlacedFacts) -> list[str]:
    """The labels of a minimal set of suppositions that no string meets: without any of them, some string meets the
    others."""
    t = case.root.regular.t
    labels = sorted(case.supposed, key=lambda label: _dropping_rank(case.g.facts[label]))
    # `later[k]` are the strings that meet all formulas after number k.
    later = [t.language]
    for label in reversed(labels[1:]):
        later.insert(0, t.both(later[0], case.supposed[label]))
    # A formula is dropped if those that are kept and all later ones contradict each other without it.
    core, kept = list[str](), t.language
    for label, rest in zip(labels, later, strict=True):
        if t.meet(kept, rest):
            core.append(label)
            kept = t.both(kept, case.supposed[label])
    return core


def _dropping_rank(f: Term) -> int:
    """In which order formulas are dropped from a contradictory set: quantified formulas and connectives first, then
    comparisons, then tokens, and the order of positions last."""
    if ordered(f):
        return 3
    if letter_at(f):
        return 2
    return 1 if f[0] in COMPARISONS else 0


def refute_case(case: PlacedFacts) -> None:
    """Close a goal in a case that no string has."""
    case.root.step()
    g = case.g
    if not case.context.empty:
        raise Unplaced(f"a case that a string satisfies: {g.text(g.goal)[:80]}")
    core = _minimal_core(case)
    if g.goal != FALSE:
        g.contra(g.fresh("not"))
    facts = {label: g.facts[label] for label in core}
    # Positions and tokens alone contradict each other.
    if all(ordered(f) or letter_at(f) for f in facts.values()):
        return _clash_of_tokens(case, core)
    # Otherwise one formula is proved false by the others. Each is tried in a branch, which is dropped if it fails. In
    # the second round, undecided atoms at candidate positions may be asked for too.
    ranked = sorted((label for label in core if not ordered(facts[label])), key=lambda k: _falsifying_rank(facts[k]))
    first_error: Exception | None = None
    for nearer in (False, True):
        for label in ranked:
            trial = g.branch()
            inner = case.under(trial, label)
            inner.nearer_too = nearer
            try:
                falsify(inner, label)
            except (Stuck, Unplaced, Rejected) as error:
                first_error = first_error or error
                continue
            g.take(trial)
            return None
    raise first_error or Unplaced("a contradiction")


def _falsifying_rank(f: Term) -> int:
    """In which order formulas are tried: quantified formulas, then comparisons and connectives, then tokens."""
    inner = f[2][0] if f[0] == "~" else f
    if inner[0] in ("all", "ex"):
        return 0
    return 2 if letter_at(inner) else 1


def _clash_of_tokens(case: PlacedFacts, core: list[str]) -> None:
    """Close a goal by facts about the order of positions that contradict each other, or by two tokens at one
    position."""
    g, problem, lettered = case.g, case.root.problem, case.root.lettered
    if try_auto(g, case.orders, degree=1, rounds=0):
        return None
    tokens = [(simple(letter[0]), letter[1], k) for k in core if (letter := letter_at(g.facts[k]))]
    ends = [(lettered.low, problem.before), (lettered.high, problem.after)]
    added = [(place, a, lettered.share(g, lettered.added(a))) for place, a in ends if a is not None]
    # Two tokens at one position: of two facts, or of a fact and a token that the model adds at an end.
    for n, (place, letter, label) in enumerate(tokens):
        for other_place, second, other_label in [*tokens[:n], *added]:
            if letter != second and _equal_by_order(case, place, other_place):
                _absurd_tokens(case, place, label, other_place, other_label)
                return None
    # A token that the model adds at one end only, at a position that is not that end. Where it is undecided whether the
    # position is away from the end, that is decided first.
    added_ends = [place for place, a in ends if a is not None]
    for place, letter, label in tokens:
        added_token = letter in (problem.before, problem.after)
        if added_token and not any(_equal_by_order(case, place, end) for end in added_ends):
            first = at_most(place, lettered.low)
            away = negation(first) if letter == problem.before else less_than(place, lettered.high)
            if case.truth(away) is None and not try_auto(case.g.branch(away), case.orders, degree=1, rounds=0):
                return divide(case, DecideFirst(away))
            return _added_token_inside(case, place, label)
    # Otherwise the facts do not order the positions: an order is decided, so that each case has one more fact. For two
    # positions with p <= q, the order q <= p decides whether they are equal.
    for n, (place, *_) in enumerate(tokens):
        for other_place, *_ in [*tokens[:n], *added]:
            for f in (at_most(place, other_place), at_most(other_place, place)):
                if case.truth(f) is None:
                    return divide(case, DecideFirst(f))
    raise Unplaced("the search has no rule for an order of positions")


def _equal_by_order(case: PlacedFacts, place: Term, other_place: Term) -> bool:
    """Whether two positions are equal by the facts about the order."""
    if place == other_place:
        return True
    return try_auto(case.g.branch(equals(place, other_place)), case.orders, degree=1, rounds=0)


def _absurd_tokens(case: PlacedFacts, place: Term, label: str, other_place: Term, other_label: str) -> None:
    """Close a goal by different tokens at two positions that are equal: `label` is for `place`, `other_label` for
    `other_place`."""
    g, label, other_label = case.g, _with_normal_place(case, label), _with_normal_place(case, other_label)
    if place[0] == "num":  # a number is not rewritten, since it may also occur as a token
        place, label, other_place, other_label = other_place, other_label, place, label
    if place != other_place:
        same, moved = g.fresh("same"), g.fresh("token")
        g.have(equals(place, other_place), same, lambda h: h.auto(case.orders, degree=1, rounds=0))
        g.rewrite(same, label, moved)
        label = moved
    clash = g.fresh("token")
    g.rewrite(other_label, label, clash)
    g.absurd(clash)


def _with_normal_place(case: PlacedFacts, label: str) -> str:
    """The label of the fact about a token, with the position in normal form."""
    (place, letter), new = letter_at(case.g.facts[label]) or (num(0), 0), case.g.fresh("plain")
    if simple(place) == place:
        return label
    case.g.have(case.root.lettered.is_letter(simple(place), letter), new, lambda h: h.hyp(label))
    return new


def _added_token_inside(case: PlacedFacts, place: Term, label: str) -> None:
    """Close a goal by a token that the model adds at an end, and that is at a position inside: tokens there are typed
    ones."""
    g, lettered, typed = case.g, case.root.lettered, case.g.fresh("typed")
    ready = g.branch(FALSE)
    inside = lambda h: _close_range(h, case.orders)  # noqa: E731
    ready.use(lettered.share(ready, lettered.typed), ready.text(place), inside, label=typed)
    parts = case.root.problem.typed
    labels = [typed] if len(parts) == 1 else [ready.fresh("one") for _ in parts]
    goals = [ready] if len(parts) == 1 else ready.cases(typed, *labels)
    for h, is_typed in zip(goals, labels, strict=True):
        new = h.fresh("token")
        h.rewrite(is_typed, label, new)
        h.absurd(new)
    g.take(ready)


def falsify(case: PlacedFacts, label: str) -> None:
    """Close the goal by a fact that the other suppositions contradict, by the form of the fact."""
    g, f = case.g, case.g.facts[label]
    tag, _, kids = f
    if tag in COMPARISONS and not letter_at(f):
        attempt(case, lambda c: _false_comparison(c, label))
    elif case.root.along.remainder(f) is not None:
        attempt(case, lambda c: _other_remainder(c, label))
    elif tag == "all" or (tag == "~" and kids[0][0] == "ex" and case.root.along.remainder(kids[0]) is None):
        attempt(case, lambda c: _false_instance(c, label))
    elif tag == "|":
        # Each part of a disjunction is refuted by itself.
        labels = [g.fresh("or") for _ in flatten("|", f)]
        for h, case_label in zip(g.cases(label, *labels), labels, strict=True):
            inner = case.under(h)
            inner.suppose(case_label)
            inner.refute()
    elif tag == "->":
        # A -> B: B is a new fact if A follows; if A is undecided, it is decided first.
        so = g.fresh("then")
        if case.follows(kids[0]):
            premise_label = case.established(kids[0])
            g.use(label, f"#{premise_label}", label=so, premises=0)
            case.suppose(so)
            return case.refute()
        attempt(case, lambda c: _decide_premise(c, label))
    elif tag == "~":
        # ~(A | B | ..): each of ~A, ~B, .. becomes a fact.
        if kids[0][0] == "|":
            for part in flatten("|", kids[0]):
                _deny_part(case, label, part)
            return case.refute()
        attempt(case, lambda c: c.g.absurd(c.established(kids[0]), label))
    else:
        raise Unplaced(f"the search found no way to refute {g.text(f)[:80]}")
    return None


def _deny_part(case: PlacedFacts, label: str, part: Term) -> None:
    """Add ~part, which follows from ~(.. | part | ..)."""
    new, disjunction = case.g.fresh("neither"), case.g.facts[label][2][0]

    def proof(h: Goal) -> None:
        """From `part` follows the disjunction, which the fact denies."""
        yes, either = h.fresh("yes"), h.fresh("either")
        h.intro(yes)
        h.have(disjunction, either, lambda k: _close_disjunction(k, part, yes))
        h.absurd(either, label)

    case.g.have(("~", None, (part,)), new, proof)
    case.suppose(new)


def _other_remainder(case: PlacedFacts, label: str) -> None:
    """Close a goal by a fact about a remainder that differs from the carried remainder."""
    fact = case.root.along.remainder(case.g.facts[label])
    if fact is not None:
        value, value_label = carried_value(case, fact.carried, fact.place)
        if value == fact.residue:
            raise Unplaced("the search found no fact that contradicts a remainder")
        same = case.g.fresh("rest")
        fact.carried.have_formula(case.g, label, fact, same)
        fact.carried.contradiction(case.g, same, value_label)


def _decide_premise(case: PlacedFacts, label: str) -> None:
    """Decide the premise A of a fact A -> B, then close the goal by the fact; Unplaced where A is false."""
    a = case.g.facts[label][2][0]
    if not case.decide(a):
        raise Unplaced("the search found no fact that contradicts an implication")
    falsify(case, label)


def contradicted_case(case: PlacedFacts, label: str) -> bool:
    """Close the goal by a comparison that the case contradicts. Returns False, and changes nothing, where the fact is
    no comparison, or where that needs a decision or fails."""
    if case.g.facts[label][0] not in COMPARISONS:
        return False
    trial = case.g.branch()
    inner = case.under(trial)
    if attempted(lambda: inner.first_needs(lambda c: _false_comparison(c, label))) is not None:
        return False
    case.g.take(trial)
    return True


def _false_comparison(case: PlacedFacts, label: str) -> None:
    """Close a goal by a comparison that is false."""
    g, f = case.g, case.g.facts[label]
    if f[0] != "=":
        so = g.fresh("so")
        g.have(negation(f), so, lambda h: case.under(h).prove())
        return g.auto([so, label], degree=1, rounds=0)
    # A false equation: either its sides have values, or one side is strictly below the other.
    used: dict[Term, str] = {}
    unbounded: list[Term] = []
    for k in f[2]:
        partly_reduced(case, k, used, unbounded)
    if unbounded:
        for sides in (f[2], f[2][::-1]):
            if case.follows(less := ("<", None, sides)):
                so = g.fresh("so")
                g.have(less, so, lambda h: case.under(h).prove())
                return g.auto([so, label], degree=1, rounds=0)
        raise DecideFirst(("<=", None, f[2]))
    # Atoms are replaced by their values one after the other; the equation that results is false, or is about positions.
    rewritten = label
    for atom, equation_label in used.items():
        if replace(g.facts[rewritten], atom, num(0)) != g.facts[rewritten]:
            new = g.fresh("at")
            g.rewrite(equation_label, rewritten, new)
            rewritten = new
    if fkey(g.facts[rewritten]) == NFALSE:
        return g.absurd(rewritten)
    if not ordered(g.facts[rewritten]):
        raise Unplaced("the search compares only positions and numbers")
    case.suppose(rewritten)
    return case.refute()


def _false_instance(case: PlacedFacts, label: str) -> None:
    """Close a goal by a fact ``all x. body`` that is false at some position, or ``~ex x. body`` whose body is true at
    one."""
    g, f = case.g, case.g.facts[label]
    is_existence = f[0] == "~"
    body = f[2][0][2][0] if is_existence else f[2][0]
    # First, a candidate position that refutes the fact.
    for p in case.candidates():
        body_there = instantiate(body, (p,))
        if is_existence:
            if case.follows(body_there):
                fact_label = g.fresh("some")
                g.have(f[2][0], fact_label, lambda h, p=p: _close_by_witness(case, h, p))
                return g.absurd(fact_label, label)
            continue
        if body_there[0] == "->" and case.follows(body_there[2][0]) and case.answer(body_there) is False:
            fact_label, so = case.established(body_there[2][0]), g.fresh("at")
            g.use(label, g.text(p), f"#{fact_label}", label=so, premises=0)
            case.suppose(so)
            return case.refute()
    # Otherwise a new position is named; or, where `nearer_too` allows it, something is decided at a candidate. For the
    # first, the body must begin with the bounds low <= x and x <= high.
    body_there = instantiate(body, (NEW,))
    parts = flatten("&", body_there if is_existence else body_there[2][0])
    if len(parts) > 1 and parts[0][2][1:] == (NEW,) and parts[1][2][:1] == (NEW,):
        low, high = parts[0][2][0], parts[1][2][1]
        question = nameable(case, low, high, [body_there if is_existence else ("~", None, (body_there,))])
        if question is not None:
            raise question
    if not case.nearer_too:
        raise Unplaced(f"the search found no position that refutes {g.text(f)[:80]}")
    raise _atom_to_decide(case, label, body)


def _close_by_witness(case: PlacedFacts, h: Goal, p: Term) -> None:
    """Close an existence statement by the witness p, at which its body follows."""
    h.witness(h.text(p))
    case.under(h).prove()


def _atom_to_decide(case: PlacedFacts, label: str, body: Term) -> DecideFirst:
    """The decision to ask for where no candidate refutes the fact `label`: an undecided atom of its body at a candidate
    that is a position; Unplaced where there is none."""
    for p in case.candidates():
        if not case.follows(case.root.lettered.inside(p)):
            continue
        there = instantiate(body, (p,))
        if case.decided(there) is None:
            for part in _atoms(there):
                if case.decided(part) is None:
                    return case.split(part)
    raise Unplaced(f"the search found no position that refutes {case.g.text(case.g.facts[label])[:80]}")


def _close_range(g: Goal, orders: list[str]) -> None:
    """Close the goal that a position is in a range, by facts about the order of positions."""
    for part in g.split():
        part.auto(orders, degree=1, rounds=0)


def _atoms(f: Term) -> list[Term]:
    """The comparisons in a formula that are not under a quantifier."""
    if f[0] in COMPARISONS:
        return [f]
    return [] if f[0] in ("all", "ex", "true", "false") else [part for k in f[2] for part in _atoms(k)]


def _close_disjunction(g: Goal, part: Term, label: str) -> None:
    """Close a disjunction by one of its parts."""
    while g.goal[0] == "|" and g.goal != part:
        side = "left" if part in flatten("|", g.goal[2][0]) else "right"
        g.pick(side)
    g.hyp(label)
