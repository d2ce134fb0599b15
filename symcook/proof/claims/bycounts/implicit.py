"""Numbers that an equation gives implicitly: square roots, and the divisor of a layer norm.

A radicand is written as a sum of squares (`squares`), since the deviation that a layer norm divides by is the root
of one. The root of a single square is an absolute value; any other root r is known by 0 <= r and r*r = radicand. The
value of a norm is its numerator over its deviation, or its bias where the deviation is 0.
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
"""Positive numbers and polynomials: the sum of number*polynomial^2."""


# --- Roots ------------------------------------------------------------------------------------------------------------


def root_of(case: CaseFacts, a: int) -> AtomReading:
    """The reading of a square root: the root of a single square is an absolute value, any other is known by its
    square."""
    g, root = case.g, reify.atom(a)
    x = root[2][0]
    # The radicand as a sum of squares, its coordinates put in where that helps.
    p, multipliers = _unfolded(case, nf(x))
    sum_of_squares = squares(p)
    if sum_of_squares is None:
        return OPAQUE
    rows = case.rows_of(multipliers)
    label = case.stated(equals(x, reify.term(p)), rows)
    # One square: the root of c*q^2 is |sqrt(c)*q|, where c has a rational root.
    if len(sum_of_squares) == 1 and (scale := _root(sum_of_squares[0][0])) is not None:
        u = reify.term(normal.scale(sum_of_squares[0][1], scale))
        value = g.fresh("root")  # sqrt(x) = abs(u), from x = u*u
        g.use(
            case.root.share(g, _absolute(case)),
            g.text(x),
            g.text(u),
            lambda h: rewritten(h, label),
            label=value,
        )
        return case.give(a, value)
    # 0 <= x, a sum of squares with positive factors; so 0 <= sqrt(x) and sqrt(x)*sqrt(x) = x.
    least, positive, square = g.fresh("least"), g.fresh("root"), g.fresh("square")
    sums = [{"c": str(c), "of": [], "sq": g.text(reify.term(q))} for c, q in sum_of_squares]
    f: Term = at_most(num(0), x)
    g._emit({"by": "have", "show": g.text(f), "proof": [{"by": "pos", "sum": sums, "eq": rows}], "as": least})
    g._bind(least, f)
    g.use("ax:sqrt", g.text(x), f"#{least}", label=f"{positive} {square}")
    case.fact(positive)
    case.rules.product((((a, 2),), 0), square, poly(g.facts[square]))
    return BASE


def constant_root(case: CaseFacts, a: int) -> AtomReading:
    """The reading of the root of a number: it is known by its square."""
    x, square = case.g.text(reify.atom(a)[2][0]), case.g.fresh("square")
    case.g.use("ax:sqrt", x, Goal.true, label=f"{case.g.fresh('root')} {square}")
    case.rules.product((((a, 2),), 0), square, poly(case.g.facts[square]))
    return BASE


def _unfolded(case: CaseFacts, p: Poly) -> tuple[Poly, EquationFactors]:
    """A polynomial in which coordinates are replaced where they are linear in others, as the mean of a norm is; and
    the factors of the equations used."""
    rules, multipliers = Rules(), EquationFactors()
    for a in dict.fromkeys(a for m, _ in p for a, _ in m):
        key = normal._keys[a]
        equation = case.root.problem.equations.get(key[1]) if key[0] == "app" else None
        if equation is None or equation.kind != "value" or equation.name in case.root.values:
            continue
        # a sum of multiples of coordinates at the same position
        right = nf(equation.right)
        if all(not m[1] and len(m[0]) == 1 and m[0][0][1] == 1 and _here(m[0][0][0]) for m in right):
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


def _absolute(case: CaseFacts) -> str:
    """The label of: sqrt(x) = abs(u) if x = u*u."""
    x, u = var("x", "Real"), var("u", "Real")
    equal: Term = equals(x, ("*", None, (u, u)))
    body: Term = ("->", None, (equal, equals(("fn", "sqrt", (x,)), ("fn", "abs", (u,)))))
    show: Term = ("all", "Real", (abstract(("all", "Real", (abstract(body, (u,)),)), (x,)),))

    # With a = abs(u): 0 <= a, 0 <= s = sqrt(x), s*s = x = u*u = a*a. Were s < a or a < s, the squares would differ.
    def proof(g: Goal) -> None:
        """By the sign of u: |u| is u or -u, and a difference between it and the root would be one between the
        squares."""
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

    return case.root.known("root.of.square", show, proof)


# --- Norms ------------------------------------------------------------------------------------------------------------


def norm_value(case: CaseFacts, a: int, equation: Equation, place: Term, inside: str) -> AtomReading:
    """The reading of a layer norm's value: its numerator over its deviation, or its bias where the deviation is 0."""
    g, size = case.g, at_place(equation.size, place)
    # A run with a layer norm may say what it gives where the deviation is 0: then it has two parts.
    line = everywhere(case.root.problem.run[equation.part])
    parts = 1 if line is None else len(flatten("&", line[1]))
    label, at_zero = g.fresh("at"), g.fresh("also")
    g.use(
        case.root.problem.label(equation.part),
        g.text(place),
        f"#{inside}",
        label=f"{label} {at_zero}" if parts > 1 else label,
    )
    positive: Term = less_than(num(0), size)
    # Else the run supposes that the deviation is positive.
    if case.known(positive) is None and parts == 1:
        _premise_positive(case, positive, equation, place, inside)
    if case.known(positive) is not None:
        return case.clear(a, label, size)
    if parts == 1:
        return OPAQUE
    least, most = (case.known(("<=", None, ends)) for ends in ((num(0), size), (size, num(0))))
    if most is None or least is None:
        return case.want(positive)
    zero, value = g.fresh("zero"), g.fresh("bias")  # 0 <= size <= 0, so size = 0, where the run gives the bias
    g.have(equals(size, num(0)), zero, lambda h: equal_by(h, most, least))
    g.use(at_zero, f"#{zero}", label=value)
    return case.give(a, value)


def use_premises(case: CaseFacts) -> bool:
    """Whether premises of the run, as that a deviation is positive, give new facts at the positions in use."""
    places = dict.fromkeys(
        reify.atom(a)[2][1] for a in case.state if reify.atom(a)[0] == "app" and reify.atom(a)[2][0] != W
    )
    before = len(case.facts)
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
    return len(case.facts) > before


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
    """A polynomial of degree two as a sum of squares, by completing the square for one atom after the other; None
    where it is no such sum."""
    out: Squares = []
    while p:
        # The square of an atom, or the constant, with a positive factor c: c*(x + ..)^2 takes away all monomials with
        # x.
        lead = next((m for m in sorted(p, key=repr) if _half(m) is not None), None)
        if lead is None or p[lead] < 0:
            return None
        x = _half(lead)
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
        out.append((c, linear))
    return out


def _half(m: Mono) -> Mono | None:
    """The square root of a monomial that is 1 or the square of an atom; None for any other."""
    if m == ONE:
        return ONE
    return ((((m[0][0][0], 1),), 0)) if not m[1] and len(m[0]) == 1 and m[0][0][1] == 2 else None


def _root(c: Fraction) -> Fraction | None:
    """The square root of a positive number; None where that is irrational."""
    p, q = math.isqrt(c.numerator), math.isqrt(c.denominator)
    return Fraction(p, q) if p * p == c.numerator and q * q == c.denominator else None


def _here(a: int) -> bool:
    """Whether an atom is a coordinate at `HERE`."""
    t = reify.atom(a)
    return t[0] == "app" and t[2][1:] == (HERE,)


def equal_by(g: Goal, most: str, least: str) -> None:
    """Close a = b by the labels of a <= b and b <= a."""
    for h, label in zip(g.antisym(), (most, least), strict=True):
        h.hyp(label)
