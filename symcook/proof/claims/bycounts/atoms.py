"""How each atom of a comparison is expressed by counts and positions.

A coordinate at a position is replaced by means of its equation. A sum whose terms the symbols decide is replaced by
counts. For an inverse, the comparison is multiplied by its divisor. For a function with two sides, such as relu, the
side is decided; a truth value I[F] is 1 or 0 once F is decided. `ATOM_RULES` has the rule of each kind: a function of
the facts of a case and of the atom's number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symcook.proof import normal
from symcook.proof.claims.bycounts.bestplace import best_sum
from symcook.proof.claims.bycounts.casefacts import BASE, OPAQUE, WAITS, AtomReading, CaseFacts
from symcook.proof.claims.bycounts.circle import circle_point
from symcook.proof.claims.bycounts.divided import division_question, floor_sum
from symcook.proof.claims.bycounts.implicit import constant_root, norm_value, root_of
from symcook.proof.claims.bycounts.lettercounts import letter_bit, zero_letter
from symcook.proof.claims.bycounts.lettersums import lettered_sum, show_bit
from symcook.proof.claims.bycounts.positional import positional_sum, sign_of
from symcook.proof.claims.bycounts.powers import power_sum
from symcook.proof.claims.bycounts.problem import Equation, at_place
from symcook.proof.claims.bycounts.quantified import quantified_question
from symcook.proof.claims.bycounts.termsums import term_sum
from symcook.proof.claims.bycounts.truth import letter_at
from symcook.proof.inequalities import reify
from symcook.proof.normal import fkey
from symcook.proof.search.ranges import equals, less_than
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import TRUE, Term, free, negation, num

AtomRule = Callable[[CaseFacts, int], AtomReading]
"""A rule reads an atom, given by its number: it may add facts, and returns how the arithmetic treats the atom."""

SIDES = {"relu": ("pos", "neg"), "abs": ("pos", "neg"), "min": ("left", "right"), "max": ("right", "left")}
"""The two axioms of each function with two sides: for the order 0 <= x or x <= y, and for its negation."""


def _base(case: CaseFacts, atom: int) -> AtomReading:
    """The reading of a name in the claim: a number of the linear arithmetic."""
    return BASE


# --- Coordinates ------------------------------------------------------------------------------------------------------


def _coordinate(case: CaseFacts, atom: int) -> AtomReading:
    """The reading of c(place): by its value for each letter, by its proved cases, or by its equation in the run."""
    # The key of an application is (tag, name, sort, normal form of the argument).
    key = normal._keys[atom]
    name, place = key[1], reify.term(dict(key[3]))
    equation = case.root.problem.equations.get(name)
    if name == "w" or equation is None:
        return BASE if name == "w" else OPAQUE
    if equation.kind == "state":
        return _state(case, atom)
    # The equations of other coordinates hold only at the positions of the string.
    inside = case.inside(place)
    if inside is None:
        return WAITS
    if name in case.root.values:
        return case.give(atom, _at_position(case, case.root.share(case.g, case.root.valued(name)), place, inside))
    if (reading := _by_form(case, atom, name, place, inside)) is not None:
        return reading
    if equation.kind == "value":
        run = case.root.problem.label(equation.part, equation.truth)
        return case.give(atom, _at_position(case, run, place, inside))
    if equation.kind == "norm":
        return norm_value(case, atom, equation, place, inside)
    return _mean(case, atom, equation, place, inside)


def _at_position(case: CaseFacts, fact: str, place: Term, inside: str) -> str:
    """The label of a fact about all positions, at one position."""
    label = case.g.fresh("at")
    case.g.use(fact, case.g.text(place), f"#{inside}", label=label)
    return label


def _state(case: CaseFacts, atom: int) -> AtomReading:
    """The reading of an automaton's state: its value where a fact is c(place) = NUMBER, else opaque."""
    equations = (k for k in case.facts if k in case.g.facts and case.g.facts[k][0] == "=")
    label = next((k for k in equations if case.g.facts[k][2][0] == reify.atom(atom)), None)
    return OPAQUE if label is None else case.give(atom, label)


def _mean(case: CaseFacts, atom: int, equation: Equation, place: Term, inside: str) -> AtomReading:
    """The reading of a mean, whose equation is c(place)*size = T: T/size for a size other than 0. A strict mean over
    no position has its own value."""
    # The equation of a strict mean has two parts: `label` for all other positions, and `also` for the row `empty`.
    g, strict = case.g, equation.kind == "strict"
    label, also = g.fresh("at"), g.fresh("also")
    run = case.root.problem.label(equation.part, equation.truth)
    g.use(run, g.text(place), f"#{inside}", label=f"{label} {also}" if strict else label)
    if strict and equation.empty is not None:
        empty = at_place(equation.empty, place)
        first = empty == case.root.low
        less: Term = ("<", None, (empty, place) if first else (place, empty))
        if (end := case.known(negation(less))) is not None:
            # place = empty, since one inequality is known and the other one is an end of the range.
            bound = case.literals[fkey(case.root.inside(place)[2][0 if first else 1])]
            equal, value = g.fresh("equal"), label.replace("at", "empty")
            g.have(equals(place, empty), equal, lambda h: h.auto([end, bound], degree=1, rounds=0))
            g.use(also, f"#{equal}", label=value)
            return case.give(atom, value)
        if case.need(less) is None:
            return WAITS
    return case.clear(atom, label, at_place(equation.size, place))


def _by_form(case: CaseFacts, atom: int, name: str, place: Term, inside: str) -> AtomReading | None:
    """The reading of a coordinate by its proved cases, for the case that applies; None where it has no such cases, or
    where nothing can decide which applies."""
    guards = [guard for guard, _ in case.root.cases_of(name, place)]
    if not guards:
        return None
    # The first case whose condition holds; if none is known to hold, a part of a condition has to be decided.
    number = next((k for k, guard in enumerate(guards) if guard == TRUE or case.follows(guard)), None)
    if number is None:
        part = next((part for guard in guards if (part := case.undecided(guard)) is not None), None)
        return None if part is None else case.want(part)
    g, fact = case.g, case.root.share(case.g, case.root.forms[name])
    stem, guard = g.fresh("case"), guards[number]
    labels = [stem] if len(guards) == 1 else [f"{stem}_{k}" for k in range(len(guards))]
    g.use(fact, g.text(place), f"#{inside}", label=" ".join(labels), premises=0)
    label = labels[number]
    if guard != TRUE:  # guard -> c(place) = value
        g.use(label, lambda h: case.show(h, guard), label=(label := g.fresh("value")))
    return case.give(atom, label)


# --- Sums, inverses, functions, truth values --------------------------------------------------------------------------


def _sum(case: CaseFacts, atom: int) -> AtomReading:
    """The reading by the first rule of sums that fits."""
    for rule in (floor_sum, power_sum, lettered_sum, best_sum, positional_sum, term_sum):
        if (reading := rule(case, atom)) != OPAQUE:
            return reading
    return OPAQUE


def _inverse(case: CaseFacts, atom: int) -> AtomReading:
    """The reading of 1/size: size*inv(size) = 1, once it is decided whether the size is positive or negative."""
    g, size = case.g, reify.term(dict(normal._keys[atom][1]))
    positive: Term = less_than(num(0), size)
    sign = case.known(positive) or case.known(less_than(size, num(0)))
    if sign is None:
        return case.want(positive)
    zero, label = g.fresh("zero"), g.fresh("inv")

    def apart(h: Goal) -> None:
        """Prove that the size is not 0, by its sign."""
        h.intro(zero).auto([sign, zero], degree=1, rounds=0)

    g.use("ax:inv", g.text(size), apart, label=label)
    return case.clear(atom, label, size)


def _function(case: CaseFacts, atom: int) -> AtomReading:
    """The reading of a function: relu, abs, min and max by the side that applies; cos and sin, roots, and powers of -1
    by their own rules. A function of constants is a number of the arithmetic."""
    t = reify.atom(atom)
    if t[1] in ("cos", "sin") and free(t):
        return circle_point(case, atom, t)
    if t[1] == "sqrt":
        return root_of(case, atom) if free(t) else constant_root(case, atom)
    if t[1] == "pow" and t[2][0] == num(-1):
        return sign_of(case, atom)
    if t[1] not in SIDES:
        return OPAQUE if free(t) else BASE
    # The first axiom is for 0 <= x, or x <= y, and the second for its opposite.
    order: Term = ("<=", None, (num(0), t[2][0]) if len(t[2]) == 1 else t[2])
    for f, name in zip((order, negation(order)), SIDES[t[1]], strict=True):
        side = case.known(f)
        if side is not None:
            label = case.g.fresh("side")
            premise = f"#{side}" if f is order else (lambda h, side=side: h.auto([side], degree=1, rounds=0))
            case.g.use(f"ax:{t[1]}_{name}", *[case.g.text(x) for x in t[2]], premise, label=label)
            return case.give(atom, label)
    return case.want(order)


def _truth_value(case: CaseFacts, atom: int) -> AtomReading:
    """The reading of I[F]: 1 or 0 where F is decided. I[w(p) = a] is kept as a number of the arithmetic."""
    key = normal._keys[atom][1]
    compared = case.remainders.compared
    f = compared[key] if key in compared else reify.formula(key)
    # F says which symbol is at a position, in one of the forms in which such an equation is written.
    if (letter := letter_at(f)) is None and f[0] == "=":
        letter = letter_at(("=", None, f[2][::-1])) or zero_letter(f)
    if letter is not None:
        return letter_bit(case, *letter)
    # I[F] is 0 or 1 if F is decided. Formulas about remainders in `compared` are decided by `CountedCase.choice`.
    question, value = None if key in compared else division_question(case, f), case.truth(f)
    if value is None:
        if key in compared:
            return WAITS
        question = question or case.undecided(f) or quantified_question(case, f)
        return OPAQUE if question is None else case.want(question)
    label = case.g.fresh("bit")
    equation: Term = equals(("ind", None, (f,)), num(int(value)))
    case.g.have(equation, label, lambda h: show_bit(case, h, f, value))
    return case.give(atom, label)


ATOM_RULES: Mapping[str, AtomRule] = {
    "var": _base,
    "app": _coordinate,
    "sum": _sum,
    "inv": _inverse,
    "fn": _function,
    "ind": _truth_value,
}
"""The rule that reads an atom, by its tag."""
