"""The proof of a claim of fragment A by cases on positions: the entry, and how a goal is closed.

`prove` takes a claim that automata have found true, and returns its goal with a proof, or raises Unplaced. Goals are
closed by their connective (`_close`), existence statements by a named position, and comparisons by the values of their
sides or by bounds of a mean. If something has to be decided first, DecideFirst is raised, and the case is divided
(`placedrefuted.divide`).
"""

from __future__ import annotations

from symcook.proof.claims.byautomata.kinds import FiniteTerm
from symcook.proof.claims.byautomata.placed import (
    DecideFirst,
    PlacedFacts,
    PlacedRoot,
    PlacedRules,
    Unplaced,
    ordered,
    simple,
    tracked,
)
from symcook.proof.claims.byautomata.placedbest import by_products, selected
from symcook.proof.claims.byautomata.placedbounds import bound, finite, level, mean_of, partly_reduced
from symcook.proof.claims.byautomata.placedrefuted import attempt, contradicted_case, divide, falsify, refute_case
from symcook.proof.claims.byautomata.placedstates import carried_value
from symcook.proof.claims.byautomata.placedvalues import (
    THERE,
    VALUE_RULES,
    coordinate,
    defined,
    equal_by_values,
    put_values,
    reduced,
)
from symcook.proof.claims.byautomata.regular import Regular
from symcook.proof.claims.bycounts.atoms import SIDES
from symcook.proof.claims.bycounts.lettered import Lettered
from symcook.proof.claims.bycounts.parabolas import polynomial
from symcook.proof.claims.bycounts.problem import Equation, Problem, introduce
from symcook.proof.claims.bycounts.truth import letter_at
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.normal import fkey, nf
from symcook.proof.search.ranges import at_most, equals, ranged
from symcook.proof.search.tactics import Citable, Goal, try_auto
from symcook.proof.terms import (
    COMPARISONS,
    FALSE,
    Term,
    instantiate,
    loose,
    negation,
    num,
    replace,
    subterms,
    var,
)

# --- Goals ------------------------------------------------------------------------------------------------------------


def _prove_case(case: PlacedFacts) -> None:
    """Close the goal, which follows in this case."""
    case.root.step()
    g = case.g
    # Names and premises are introduced.
    while g.goal[0] in ("all", "->", "~"):
        # Instead of ~(a <= b), b < a is proved in a branch, and the goal follows from it.
        if g.goal[0] == "~" and g.goal[2][0][0] in ("<=", "<"):
            flipped = g.fresh("flip")
            inner = g.branch(negation(g.goal[2][0]))
            case.under(inner).prove()
            g.add({"by": "have", "show": g.text(inner.goal), "proof": inner.nodes, "as": flipped}, inner.goal)
            g.hyp(flipped)
            return
        label = g.fresh("x" if g.goal[0] == "all" else "if")
        sort, named = g.goal[1], g.goal[0] == "all"
        g.intro(label)
        if named:
            case.name(var(label, sort))
        else:
            case.suppose(label)
    # The goal is closed as a fact, or by a contradiction of the case, or by its connective. If a decision is missing,
    # the case is divided; if a position was named instead, the goal is tried again.
    while True:
        key = fkey(g.goal)
        if key == NTRUE:
            return g.true()
        if key in case.literals and case.literals[key] in g.facts:
            return g.hyp(case.literals[key])
        if case.context.empty:
            return case.refute()
        if g.goal == FALSE and case.pending:
            return falsify(case, case.pending)
        wanted = case.first_needs(_close)
        if wanted is None:
            return None
        if not wanted.named:
            return divide(case, wanted)


def _close(case: PlacedFacts) -> None:
    """Close a goal that is no implication, in a case that a string satisfies."""
    g, f = case.g, case.g.goal
    if f[0] == "&":
        for part in g.split():
            case.under(part).prove()
    elif f[0] == "|":
        # The side that follows; if neither does, a decision about a side that is undecided.
        sides = [case.decided(k) for k in f[2]]
        if True not in sides:
            raise case.split(f[2][sides.index(None)] if None in sides else f)
        g.pick("right" if sides[0] is not True else "left")
        case.prove()
    elif f[0] == "ex":
        _exists(case, f)
    elif f[0] in COMPARISONS:
        _compare(case, f)
    else:
        raise Unplaced("a case that a string satisfies")


def _exists(case: PlacedFacts, f: Term) -> None:
    """Close an existence statement that follows, by a named position or by contradiction."""
    g = case.g
    # A statement on a remainder follows from the carried remainder.
    if (fact := case.root.along.remainder(f)) is not None:
        value, value_label = carried_value(case, fact.carried, fact.place)
        if value != fact.residue:
            raise Unplaced("a remainder differs from the one that was proved")
        return fact.carried.close_goal(g, value_label, fact, case.inside(fact.place))
    for p in case.candidates():
        if case.follows(instantiate(f[2][0], (p,))):
            g.witness(g.text(p))
            return case.prove()
    # The statement follows, but no candidate is a witness: its negation is refuted.
    no = g.fresh("no")
    g.contra(no)
    case.suppose(no)
    return case.refute()


# --- Comparisons ------------------------------------------------------------------------------------------------------


def _compare(case: PlacedFacts, f: Term) -> None:
    """Close a comparison that follows."""
    g = case.g
    if (letter := letter_at(f)) is not None:
        return _close_token(case, *letter)
    if ordered(f):
        return _compare_places(case, f)
    if _unfold(case, g):
        return _compare(case, g.goal)
    # Atoms are replaced by their values. A mean or a sum without a value must be bounded: one is possible.
    used: dict[Term, str] = {}
    unbounded: list[Term] = []
    sides = [partly_reduced(case, k, used, unbounded) for k in f[2]]
    if not unbounded:
        put_values(case, g, used)
        if fkey(g.goal) == NTRUE:
            return g.true()
        if ordered(g.goal):
            return _compare(case, g.goal)
        return by_products(case, g.goal) if polynomial(g.goal) else _stuck(case, g.goal)
    if len(unbounded) > 1:
        raise Unplaced("the search has no rule for two means in one comparison")
    if f[0] == "=":
        return _close_equation(case)
    number_and_side = level(case, (f[0], None, tuple(sides)), unbounded[0])
    if number_and_side is None:
        raise Unplaced(f"the search found no bound of {g.text(unbounded[0])[:60]}")
    label = bound(case, unbounded[0], f[0], *number_and_side)
    return g.auto([label, *used.values()], degree=1, rounds=0)


def _compare_places(case: PlacedFacts, f: Term) -> None:
    """Close a comparison of positions that follows: by facts about their order, by products of these, or by
    contradiction."""
    g = case.g
    if try_auto(g, case.orders, degree=1, rounds=0):
        return None
    if f[0] == "=":
        return _close_equation(case)
    if any(sum(k for _, k in factors) > 1 for factors, _ in nf(("-", None, f[2]))):
        return by_products(case, f)
    # The facts about the order do not imply it, so the tokens do: its negation is supposed, and refuted by them.
    no = g.fresh("no")
    g.contra(no)
    case.suppose(no)
    return case.refute()


def _close_equation(case: PlacedFacts) -> None:
    """Close an equation by the two inequalities."""
    for half in case.g.antisym():
        case.under(half).prove()


def _unfold(case: PlacedFacts, g: Goal) -> bool:
    """Rewrite one part of the goal without finitely many values: a coordinate that is no mean by the right side of its
    equation, or relu, abs, min or max by its value on the side that holds. Returns whether a part was rewritten."""
    for t in subterms(g.goal):
        # A coordinate that is neither finite nor a mean is replaced by the right side of its equation.
        if t[0] == "app" and len(t[2]) == 2 and t[2][1] and not loose(t) and not finite(case, t):
            equation = case.root.problem.equations.get(t[2][0][1][0])
            if equation is not None and equation.kind == "value" and equation.right[0] not in ("/", "sum"):
                g.rewrite(defined(case, t[2][0][1][0], t[2][1])[1])
                return True
        # relu, abs, min or max is replaced by its value, after it is decided on which side of 0 or of each other the
        # arguments are.
        if t[0] == "fn" and t[1] in SIDES and not loose(t) and not finite(case, t):
            low, high = (num(0), t[2][0]) if len(t[2]) == 1 else t[2]
            order = at_most(low, high)
            value = case.decide(order)
            order_label, label = case.established(order if value else ("~", None, (order,))), g.fresh("side")
            # The premise of the axiom: the fact itself, or a proof from the negated order.
            premise = (
                f"#{order_label}"
                if value
                else (lambda h, order_label=order_label: h.auto([order_label], degree=1, rounds=0))
            )
            name = SIDES[t[1]][not value]
            g.use(f"ax:{t[1]}_{name}", *(g.text(x) for x in t[2]), premise, label=label)
            g.rewrite(label)
            return True
    return False


def _stuck(case: PlacedFacts, f: Term) -> None:
    """Raise Unplaced: no rule closes the goal."""
    raise Unplaced(f"the search has no rule for {case.g.text(f)[:80]}")


def _coordinate(case: PlacedFacts, t: Term) -> str | tuple[Term, str]:
    """The value of a coordinate at a position with its label, or the label alone, by the form of its equation;
    DecideFirst where the case does not determine the value."""
    name, place = t[2][0][1][0], t[2][1]
    equation = case.root.problem.equations.get(name)
    if equation is not None and equation.kind == "state":
        return _state_value(case, t, name, place)
    if name == "w" or equation is None or (equation.kind == "value" and equation.right[0] != "/"):
        return coordinate(case, t)
    if equation.empty is not None and case.decide(equals(place, equation.empty)):
        return _at_empty(case, t, equation, equation.empty)
    if (label := selected(case, t, equation)) is not None:
        return label
    # Any other mean: of its finitely many values, the one that follows in this case.
    kind = case.root.regular.kind(tracked(t))
    if not isinstance(kind, FiniteTerm):
        raise Unplaced(f"the search has no rule for the value of {name}")
    values = (num(v.numerator, v.denominator) for v in kind.values)
    value = next((value for value in values if case.follows(equals(t, value))), None)
    if value is None:
        raise _some_token(case, mean_of(case, t).low, mean_of(case, t).high)
    return _by_bounds(case, t, value)


def _state_value(case: PlacedFacts, t: Term, name: str, place: Term) -> tuple[Term, str]:
    """The state of an automaton at a position, from the carried value, with the label of an equation whose left side is
    `t` as it is written."""
    value, label = carried_value(case, case.root.along.state(name), place)
    if case.g.facts[label][2][0] == t:
        return num(value), label
    value_label, label = label, case.g.fresh("v")
    case.g.have(equals(t, num(value)), label, lambda h: h.hyp(value_label))
    return num(value), label


def _by_bounds(case: PlacedFacts, t: Term, value: Term) -> str:
    """The label of t = value for a mean, proved by the two bounds t <= value and value <= t."""
    label = case.g.fresh("v")

    def proof(h: Goal) -> None:
        """Each of the two inequalities by a bound of the mean, or by cases if the bound needs a decision."""
        for half, above in zip(h.antisym(), (False, True), strict=True):
            attempt(case.under(half), lambda c, above=above: c.g.hyp(bound(c, t, "<=", value, above)))

    case.g.have(equals(t, value), label, proof)
    return label


def _some_token(case: PlacedFacts, low: Term, high: Term) -> DecideFirst:
    """The question whether a token occurs in a range, for the first token for which that is undecided."""
    for a in case.root.problem.letters:
        f = ranged(low, high, case.root.lettered.is_letter(THERE, a), THERE, "ex")
        if case.decided(f) is None:
            return DecideFirst(f)
    raise Unplaced("the search has no rule for a mean of several values")


def _at_empty(case: PlacedFacts, t: Term, equation: Equation, empty: Term) -> str:
    """The label of the value of a strict mean at the row `empty`, with no position to read."""
    # The equation has two parts: the mean, and the value at the row `empty`.
    g, place = case.g, t[2][1]
    mean_label, empty_label = g.fresh("mean"), g.fresh("empty")
    run = case.root.problem.label(equation.part)
    g.use(run, g.text(place), f"#{case.inside(place)}", label=f"{mean_label} {empty_label}")
    is_empty = case.established(equals(place, empty))
    label, used = g.fresh("is"), {}
    g.use(empty_label, f"#{is_empty}", label=label)
    return equal_by_values(case, t, reduced(case, g.facts[label][2][1], used), used, label)


def _close_token(case: PlacedFacts, place: Term, letter: int) -> None:
    """Close the goal that a token is at a position."""
    g, place = case.g, simple(place)
    token_fact = case.letters.get(place)
    if token_fact is not None and token_fact[0] == letter:
        return g.hyp(token_fact[1])
    known_place = case.same_place(place)
    # The token is known at an equal position, written in another way: one is rewritten into the other. A number is not
    # rewritten, since it may also occur as a token.
    if known_place is not None and case.letters[known_place][0] == letter:
        same, known_there = case.established(equals(known_place, place)), case.letters[known_place][1]
        if replace(there := g.facts[known_there][2][0], known_place, place) != there and known_place[0] != "num":
            g.rewrite(same, known_there, moved := g.fresh("token"))
            return g.hyp(moved)
        if replace(g.goal, place, known_place) != g.goal and place[0] != "num":
            g.rewrite(same, rev=True)
            return g.hyp(known_there)
    if token_fact is not None:
        raise Unplaced("two different tokens at one position")
    raise DecideFirst(letter=place)


RULES = PlacedRules(_prove_case, refute_case, contradicted_case, {**VALUE_RULES, "app": _coordinate})
"""The functions by which cases are decided."""


def prove(problem: Problem, library: Citable, regular: Regular) -> Goal:
    """The goal of a statement with its proof; Unplaced where a case stays open."""
    g = Goal(library, problem.statement.formula, {}, {})
    introduce(problem, g)
    main = g.branch()
    case = PlacedFacts(PlacedRoot(regular, Lettered(problem, g), RULES), main)
    for name in problem.marked:
        case.name(var(name, "Int"))
    case.suppose("some")
    case.prove()
    g.take(main)
    return g
