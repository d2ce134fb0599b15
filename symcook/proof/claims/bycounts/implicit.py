"""Numbers that an equation gives implicitly: square roots, and the values of a layer norm.

A layer norm divides by its deviation, which is the root of a sum of squares. So a radicand is written as a sum of
squares (`squares`). The root of a single square is an absolute value. For any other root r the facts are 0 <= r and
r*r = radicand. The value of a norm is its numerator over its deviation, or its bias where the deviation is 0.

The functions here return the reading of an atom `a`: how much a case knows of it (see `AtomReading`).
"""

from __future__ import annotations

import math
from fractions import Fraction

from symcook.proof import normal
from symcook.proof.claims.bycounts.casefacts import BASE, OPAQUE, AtomReading, CaseFacts
from symcook.proof.claims.bycounts.farkas import EquationFactors, Rules
from symcook.proof.claims.bycounts.lettercounts import rewritten
from symcook.proof.claims.bycounts.problem import HERE, Equation, W, at_place, everywhere
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import divide, poly
from symcook.proof.normal import ONE, Mono, Poly, add, fkey, mul, nf
from symcook.proof.search.ranges import at_most, equals, less_than
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, flatten, num, var

Squares = list[tuple[Fraction, Poly]]
"""A sum of squares: pairs (c, p) of a positive number and a polynomial, for the sum of all c*p^2."""


# --- Roots ------------------------------------------------------------------------------------------------------------


def root_of(case: CaseFacts, a: int) -> AtomReading:
    """The reading of a square root. The root of a single square gets an absolute value as its value; any other root
    gets a value for its square. `OPAQUE` if the radicand is not found to be a sum of squares."""
    g, root = case.g, reify.atom(a)
    x = root[2][0]
    # The radicand as a sum of squares, after coordinates are replaced by their values.
    p, multipliers = _unfolded(case, nf(x))
    sum_of_squares = squares(p)
    if sum_of_squares is None:
        return OPAQUE
    rows = case.rows_of(multipliers)
    label = case.stated(equals(x, reify.term(p)), rows)
    # One square c*q^2 where c has a rational root: sqrt(c*q^2) = |sqrt(c)*q|.
    if len(sum_of_squares) == 1 and (scale := _rational_root(sum_of_squares[0][0])) is not None:
        u = reify.term(normal.scale(sum_of_squares[0][1], scale))
        value = g.fresh("root")  # sqrt(x) = abs(u), from x = u*u
        g.use(
            case.root.share(g, _absolute_value_lemma(case)),
            g.text(x),
            g.text(u),
            lambda h: rewritten(h, label),
            label=value,
        )
        return case.give(a, value)
    # 0 <= x, a sum of squares with positive factors; so 0 <= sqrt(x) and sqrt(x)*sqrt(x) = x.
    nonnegative, positive, square = g.fresh("least"), g.fresh("root"), g.fresh("square")
    sums = [{"c": str(c), "of": [], "sq": g.text(reify.term(q))} for c, q in sum_of_squares]
    claim: Term = at_most(num(0), x)
    proof = [{"by": "pos", "sum": sums, "eq": rows}]
    g.add({"by": "have", "show": g.text(claim), "proof": proof, "as": nonnegative}, claim)
    g.use("ax:sqrt", g.text(x), f"#{nonnegative}", label=f"{positive} {square}")
    case.fact(positive)
    case.rules.product((((a, 2),), 0), square, poly(g.facts[square]))
    return BASE


def constant_root(case: CaseFacts, a: int) -> AtomReading:
    """The reading of the root of a number: its square has a value."""
    x, square = case.g.text(reify.atom(a)[2][0]), case.g.fresh("square")
    case.g.use("ax:sqrt", x, Goal.true, label=f"{case.g.fresh('root')} {square}")
    case.rules.product((((a, 2),), 0), square, poly(case.g.facts[square]))
    return BASE


def _unfolded(case: CaseFacts, p: Poly) -> tuple[Poly, EquationFactors]:
    """The polynomial p after each coordinate whose equation is linear in coordinates at the same position, such as the
    mean of a norm, is replaced by its value; and the factors of the equations used."""
    rules, multipliers = Rules(), EquationFactors()
    for a in dict.fromkeys(a for m, _ in p for a, _ in m):
        key = normal._keys[a]
        equation = case.root.problem.equations.get(key[1]) if key[0] == "app" else None
        if equation is None or equation.kind != "value" or equation.name in case.root.values:
            continue
        # The right side must be a sum of multiples of coordinates at the same position.
        right = nf(equation.right)
        if all(not m[1] and len(m[0]) == 1 and m[0][0][1] == 1 and _is_coordinate_here(m[0][0][0]) for m in right):
            place = reify.term(dict(key[3]))
            inside = case.inside(place)
            if inside is not None:
                case.g.use(
                    case.root.problem.label(equation.part),
                    case.g.text(place),
                    f"#{inside}",
                    label=(label := case.g.fresh("mean")),
                )
                rules.give(a, label, poly(case.g.facts[label]))
    return rules.reduce(p, multipliers), multipliers


def _absolute_value_lemma(case: CaseFacts) -> str:
    """The label of the fact ``all x u. x = u*u -> sqrt(x) = abs(u)``, which is proved at its first use."""
    x, u = var("x", "Real"), var("u", "Real")
    equal: Term = equals(x, ("*", None, (u, u)))
    body: Term = ("->", None, (equal, equals(("fn", "sqrt", (x,)), ("fn", "abs", (u,)))))
    claim: Term = ("all", "Real", (abstract(("all", "Real", (abstract(body, (u,)),)), (x,)),))

    # With a = abs(u) and s = sqrt(x): 0 <= a, 0 <= s and s*s = x = u*u = a*a. If s < a or a < s, the squares differ.
    def prove_claim(g: Goal) -> None:
        """By cases on the sign of u: |u| is u or -u."""
        g.intro("x u is")
        g.have("0 <= u*u", "square", lambda h: h.auto([], squares=["u"]))
        g.use("ax:sqrt", "x", lambda h: h.auto(["is", "square"], degree=1), label="least root")
        for h, side, size in zip(g.em("0 <= u", "side"), ("pos", "neg"), ("u", "-u"), strict=True):
            h.use(f"ax:abs_{side}", "u", lambda k: k.auto(["side"], degree=1), label="abs")
            h.rewrite("abs")
            h.have(f"0 <= {size}", "known", lambda k: k.auto(["side"], degree=1))
            for k in h.antisym():
                k.contra("no")
                k.auto(["no", "known", "least", "root", "is"], degree=2)

    return case.root.known("root.of.square", claim, prove_claim)


# --- Norms ------------------------------------------------------------------------------------------------------------


def norm_value(case: CaseFacts, a: int, equation: Equation, place: Term, inside: str) -> AtomReading:
    """The reading of a layer norm's value at `place`: its numerator over its deviation, or its bias where the deviation
    is 0. `inside` is the label of the fact that `place` is a position."""
    g, size = case.g, at_place(equation.size, place)
    # The run's line about a norm has a second part if the norm has a value where its deviation is 0.
    parts_at_place = everywhere(case.root.problem.run[equation.part])
    parts = 1 if parts_at_place is None else len(flatten("&", parts_at_place[1]))
    label, at_zero = g.fresh("at"), g.fresh("also")
    g.use(
        case.root.problem.label(equation.part),
        g.text(place),
        f"#{inside}",
        label=f"{label} {at_zero}" if parts > 1 else label,
    )
    positive: Term = less_than(num(0), size)
    # Without a second part the run has a premise that the deviation is positive.
    if case.known(positive) is None and parts == 1:
        _premise_positive(case, positive, equation, place, inside)
    if case.known(positive) is not None:
        return case.clear(a, label, size)
    if parts == 1:
        return OPAQUE
    at_least_zero, at_most_zero = (case.known(("<=", None, ends)) for ends in ((num(0), size), (size, num(0))))
    if at_most_zero is None or at_least_zero is None:
        return case.want(positive)
    zero, value = g.fresh("zero"), g.fresh("bias")  # 0 <= size <= 0, so size = 0, where the run gives the bias
    g.have(equals(size, num(0)), zero, lambda h: equal_by(h, at_most_zero, at_least_zero))
    g.use(at_zero, f"#{zero}", label=value)
    return case.give(a, value)


def use_premises(case: CaseFacts) -> bool:
    """Add premises of the run, such as "the deviation is positive at each position", at the positions in use. Returns
    whether this adds facts."""
    places = dict.fromkeys(
        reify.atom(a)[2][1] for a in case.state if reify.atom(a)[0] == "app" and reify.atom(a)[2][0] != W
    )
    count_before = len(case.facts)
    for k, line in enumerate(case.root.problem.run):
        if line not in case.root.problem.needs or everywhere(line) is None:
            continue
        for place in places:
            if (k, place) not in case.premises_at and (inside := case.inside(place)) is not None:
                case.premises_at.add((k, place))
                label = case.g.fresh("premise")
                case.g.use(case.root.problem.label(k), case.g.text(place), f"#{inside}", label=label)
                case.literals.setdefault(fkey(case.g.facts[label]), label)
                case.fact(label)
    return len(case.facts) > count_before


def _premise_positive(case: CaseFacts, positive: Term, equation: Equation, place: Term, inside: str) -> None:
    """Add the run's premise that the deviation is positive, at one position, if the run has this premise."""
    for k, line in enumerate(case.root.problem.run):
        premise = everywhere(line)
        if premise is not None and premise[1] == less_than(num(0), equation.size):
            label = case.g.fresh("positive")
            case.g.use(case.root.problem.label(k), case.g.text(place), f"#{inside}", label=label)
            case.literals[fkey(positive)] = label
            case.fact(label)


def squares(p: Poly) -> Squares | None:
    """A polynomial of degree two as a sum of squares, by completing the square for one atom after the other. None if
    this fails; then the polynomial may be negative somewhere."""
    found_squares: Squares = []
    while p:
        # Choose a monomial c*x^2 with c > 0, for an atom x, or the constant (x = 1). Subtracting c*(x + ..)^2 removes
        # all monomials with x; if some remain, this fails.
        lead = next((m for m in sorted(p, key=repr) if _root_of_monomial(m) is not None), None)
        if lead is None or p[lead] < 0:
            return None
        x = _root_of_monomial(lead)
        if x is None:
            return None
        c = Fraction(p[lead])
        linear: Poly = {x: 1}
        for m, b in p.items():
            if m != lead and (cofactor := divide(m, x)) is not None and not m[1]:
                linear = add(linear, {cofactor: Fraction(b) / (2 * c)})
        p = add(p, mul(linear, linear), -c)
        if any(divide(m, x) is not None for m in p) and x != ONE:
            return None
        found_squares.append((c, linear))
    return found_squares


def _root_of_monomial(m: Mono) -> Mono | None:
    """The square root of a monomial that is 1 or the square of an atom; None for any other monomial."""
    if m == ONE:
        return ONE
    return ((((m[0][0][0], 1),), 0)) if not m[1] and len(m[0]) == 1 and m[0][0][1] == 2 else None


def _rational_root(c: Fraction) -> Fraction | None:
    """The square root of a positive number; None if it is irrational."""
    p, q = math.isqrt(c.numerator), math.isqrt(c.denominator)
    return Fraction(p, q) if p * p == c.numerator and q * q == c.denominator else None


def _is_coordinate_here(a: int) -> bool:
    """Whether an atom is a coordinate at the position `HERE`, the variable of the run's equations."""
    t = reify.atom(a)
    return t[0] == "app" and t[2][1:] == (HERE,)


def equal_by(g: Goal, most: str, least: str) -> None:
    """Close a = b by the labels of a <= b and b <= a."""
    for h, label in zip(g.antisym(), (most, least), strict=True):
        h.hyp(label)
