"""The numbers of a run on one string, and the tactics that compare such numbers in a proof.

Numbers are exact: rational, with one square root (`Root`), or quotients of sums of exponentials (`ExpSum`). A number
that has none of these forms is `Closed`: a polynomial of `normal` without names. Sums of different roots, logarithms,
and exponentials of roots are such numbers. Two closed numbers with the same polynomial are equal; otherwise rigorous
intervals of rising precision tell them apart. If the intervals overlap at each precision, the comparison is undecided,
and Rejected is raised.

The tactics (`enclosed`, `divided`, `cancelled`) close a goal about numbers, or raise Stuck. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

from symcook.errors import BadInput, NotExact, Rejected
from symcook.locks import PRECISION
from symcook.numbers import expsum
from symcook.numbers.expsum import ExpSum, exp_of
from symcook.numbers.roots import Root, root
from symcook.proof import enclose, normal
from symcook.proof.inequalities import reify
from symcook.proof.normal import ONE, Mono, Poly, add, inverse, mul, nf, scale
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import COMPARISONS, FALSE, Term, conj, free, num, subterms

PRECISIONS = (64, 256, 1024)
"""The precisions of rigorous intervals, in bits, in the order in which they are tried. Each has four times the bits of
the one before."""
MAX_EXPONENT = 4_096
"""The largest absolute value of the exponent of a power that is computed. The result has up to so many digits times
those of the base; 24 claims of an unseen set needed at most 8."""
MAX_MONOMIALS = 400
"""The maximum number of monomials of a closed number. Nothing about a longer one would be proved in time."""
OPEN = (Rejected, BadInput, TypeError, ZeroDivisionError)
"""The errors raised if a value has no exact form here, or a comparison is undecided."""


class Closed:
    """A number given by a polynomial without names, which in this form is not rational."""

    def __init__(self, poly: Poly) -> None:
        self.poly = poly

    @cached_property
    def term(self) -> Term:
        """The number as a term."""
        return reify.term(self.poly)

    @cached_property
    def sign(self) -> int:
        """1 or -1; Rejected if no interval tells the number from 0."""
        for prec in PRECISIONS:
            decided_sign = decided(self.term, prec)
            if decided_sign:
                return decided_sign
        raise Rejected("symcook cannot decide whether a number is 0")


def decided(t: Term, prec: int) -> int:
    """The sign, 1 or -1, of a term without names, if a rigorous interval with `prec` bits decides it; else 0."""
    with PRECISION:
        if enclose.least_sign(t, {}, prec) == 1:
            return 1
        return -1 if enclose.least_sign(("neg", None, (t,)), {}, prec) == 1 else 0


OwnValue = Fraction | int | Root | ExpSum | Closed
"""A number of a run."""


RATIONAL = (int, Fraction)
"""The types of rational numbers. Almost all numbers are rational, so their arithmetic is done first and directly."""


def sign(x: OwnValue) -> int:
    """The sign of x: -1, 0 or 1. Rejected if it is undecided."""
    if type(x) in RATIONAL:
        return (x > 0) - (x < 0)  # type: ignore[operator]
    return x.sign if isinstance(x, Closed) else expsum.sign(x)


def plus(a: OwnValue, b: OwnValue) -> OwnValue:
    """a + b."""
    if type(a) in RATIONAL and type(b) in RATIONAL:
        return short(a + b)  # type: ignore[operator]
    return _exact_or_closed(lambda: a + b, lambda: normal.add(_poly(a), _poly(b)), a, b)  # type: ignore[operator]


def minus(a: OwnValue, b: OwnValue) -> OwnValue:
    """a - b."""
    if type(a) in RATIONAL and type(b) in RATIONAL:
        return short(a - b)  # type: ignore[operator]
    return _exact_or_closed(lambda: a - b, lambda: normal.add(_poly(a), _poly(b), -1), a, b)  # type: ignore[operator]


def times(a: OwnValue, b: OwnValue) -> OwnValue:
    """a*b."""
    if type(a) in RATIONAL and type(b) in RATIONAL:
        return short(a * b)  # type: ignore[operator]
    return _exact_or_closed(lambda: a * b, lambda: normal.mul(_poly(a), _poly(b)), a, b)  # type: ignore[operator]


def over(a: OwnValue, b: OwnValue) -> OwnValue:
    """a/b. Raises Rejected if b is 0, and if it is undecided whether b is 0."""
    if not sign(b):
        raise Rejected("the statement divides by zero")
    fraction = Fraction(a) if isinstance(a, int) else a
    return _exact_or_closed(lambda: fraction / b, lambda: normal.mul(_poly(a), _inverse(b)), a, b)  # type: ignore[operator]


def function(name: str, given: Sequence[OwnValue]) -> OwnValue:
    """The value of the function `name` of the grammar for the arguments `given`; Rejected if it has no value, or none
    that is an `OwnValue`."""
    a, b = given[0] if given else 0, given[-1] if given else 0
    if name in ("pow", "^"):  # a to the power of the integer b
        if not isinstance(b, int) or abs(b) > MAX_EXPONENT:
            raise Rejected("an exponent has no exact value on this string")
        if b < 0 and not sign(a):
            raise Rejected("the statement divides by zero")
        out: Any = Fraction(a) ** abs(b) if isinstance(a, int | Fraction) else _power(a, abs(b))
        return short(out) if b >= 0 else over(1, out)
    if name in ("relu", "abs"):
        if sign(a) > 0:
            return a
        return minus(0, a) if name == "abs" else 0
    if name in ("min", "max"):
        a_is_least = sign(minus(a, b)) <= 0
        return a if a_is_least is (name == "min") else b
    # A root or an exponential becomes a closed number if it is neither a `Root` nor an `ExpSum`.
    if name == "sqrt":
        if sign(a) < 0:
            raise Rejected("the statement takes the root of a negative number")
        return _exact_or_closed(lambda: root(a), lambda: normal._function("sqrt", [_poly(a)]), a)  # type: ignore[arg-type]
    if name == "exp":
        return _exact_or_closed(lambda: exp_of(a), lambda: normal._function("exp", [_poly(a)]), a)  # type: ignore[arg-type]
    if name == "log" and sign(a) <= 0:
        raise Rejected("the statement takes the logarithm of a number that is not positive")
    if name in ("log", "erf", "pi", "sin", "cos"):
        return _number_with(normal._function(name, [_poly(x) for x in given]))
    raise Rejected(f"'{name}' has no exact value on this string")


def written(x: OwnValue) -> Term:
    """The number `x` as a term."""
    return x.term if isinstance(x, Closed) else reify.term(_poly(x))


def compact(p: Poly) -> Term:
    """A short term with normal form `p`: a factor that many monomials share is written once, before a bracket."""
    # A monomial is a product of powers (atom, exponent), times an exponential. `uses` has, by atom, the number of
    # monomials that contain it.
    uses: dict[int, int] = {}
    for factors, _ in p:
        for a, _k in factors:
            uses[a] = uses.get(a, 0) + 1
    shared = [a for a, count in uses.items() if count > 1]
    if not shared:
        parts = [_product(m, c) for m, c in sorted(p.items(), key=lambda entry: repr(reify.product(entry[0])))]
        out = parts[0] if parts else reify.term({})
        for summand in parts[1:]:
            out = ("+", None, (out, summand))
        return out
    # Factor out the atom that saves most symbols, to its least power. Then do the same for the polynomial in the
    # bracket, and for the monomials without this atom.
    longest = max(shared, key=lambda a: ((uses[a] - 1) * len(repr(reify.atom(a))), repr(reify.atom(a))))
    least = min(k for factors, _ in p for a, k in factors if a == longest)
    inside: Poly = {}
    without_factor: Poly = {}
    for (factors, e), c in p.items():
        powers = dict(factors)
        if longest in powers:
            powers[longest] -= least
            inside[tuple((a, k) for a, k in sorted(powers.items()) if k), e] = c
        else:
            without_factor[factors, e] = c
    front = _atom(longest) if least == 1 else ("^", least, (_atom(longest),))
    out = ("*", None, (front, compact(inside)))
    return ("+", None, (compact(without_factor), out)) if without_factor else out


def _product(m: normal.Mono, c: normal.Number) -> Term:
    """The monomial `m` with the coefficient `c`, as a term."""
    parts = [_atom(a) if k == 1 else ("^", k, (_atom(a),)) for a, k in m[0]]
    parts.sort(key=repr)
    if m[1]:
        parts.append(("fn", "exp", (compact(normal._exponents[m[1]]),)))
    if c != 1 or not parts:
        parts.insert(0, reify.term({ONE: c}))
    out = parts[0]
    for factor in parts[1:]:
        out = ("*", None, (out, factor))
    return out


def _atom(a: int) -> Term:
    """An atom of normal forms as a term, with short terms inside an inverse or a function."""
    key = normal._keys[a]
    if key[0] == "inv":
        return ("/", None, (reify.term({ONE: 1}), compact(dict(key[1]))))
    if key[0] == "fn":
        return ("fn", key[1], tuple([compact(dict(k)) for k in key[2:]]))
    return reify.atom(a)


def short(x: OwnValue) -> OwnValue:
    """The number `x`, as an int if it is an integer, since arithmetic with ints is fastest."""
    return x.numerator if isinstance(x, Fraction) and x.denominator == 1 else x


def _exact_or_closed(exact: Callable[[], OwnValue], closed: Callable[[], Poly], *given: OwnValue) -> OwnValue:
    """The result of `exact`, unless one of the operands `given` is a closed number or the result has no exact form;
    then the closed number whose polynomial is the result of `closed`."""
    if not any(isinstance(x, Closed) for x in given):
        try:
            return short(exact())
        except (NotExact, TypeError):  # TypeError: the root of a sum of exponentials
            pass
    return _number_with(closed())


def _poly(x: OwnValue) -> Poly:
    """The normal form of a number."""
    if isinstance(x, Closed):
        return x.poly
    if isinstance(x, Root):  # p + q*sqrt(r)
        return normal.add(_rational(x.p), normal.scale(normal._function("sqrt", [_rational(x.r)]), x.q))
    if isinstance(x, ExpSum):  # its form has pairs for the terms of the numerator, triples for the denominator
        above = {_exponential(t[0]): normal._whole(t[1]) for t in x.form if len(t) == 2}
        below = {_exponential(t[1]): normal._whole(t[2]) for t in x.form if len(t) == 3}
        return above if below == {ONE: 1} else normal.mul(above, normal.inverse(below))
    return _rational(x)


def _rational(x: int | Fraction) -> Poly:
    """The normal form of a rational number."""
    return {ONE: cast("int | Fraction", short(x))} if x else {}


def _exponential(r: Fraction) -> Any:
    """The monomial exp(r)."""
    return ((), normal._exponent(_rational(r)))


def _inverse(x: OwnValue) -> Poly:
    """The normal form of 1/x."""
    return normal.inverse(_poly(x))


def _number_with(p: Poly) -> OwnValue:
    """The number with the normal form `p`, after simplification: rational, or closed. Rejected if it has too many
    monomials."""
    p = reduced(p)
    if len(p) > MAX_MONOMIALS:
        raise Rejected("a value has too many terms")
    c = normal.constant(p)
    return Closed(p) if c is None else short(c)


def reduced(p: Poly) -> Poly:
    """The polynomial of the same number, simplified by a*(1/a) = 1 and sqrt(q)^2 = q in each monomial. This is valid
    for the values of runs, which do not divide by 0 or take the root of a negative number."""
    for m in p:
        powers = dict(m[0])
        for a, k in m[0]:
            key = normal._keys[a]
            if key[0] == "fn" and key[1] == "sqrt" and k > 1:  # sqrt(q)^k = q^(k//2)*sqrt(q)^(k%2)
                cofactor, exponent = normal.power(dict(key[2]), k // 2), k % 2
            elif (
                key[0] == "inv" and (b := _inverted_atom(key)) in powers
            ):  # an atom b and its inverse cancel, as often as both occur
                cofactor = normal.power({((((b, 1),)), 0): 1}, 0)
                cancelling = min(k, powers[b])
                exponent, powers[b] = k - cancelling, powers[b] - cancelling
            else:
                continue
            # Replace this monomial by the reduced one times `cofactor`, and begin again with all monomials.
            powers[a] = exponent
            reduced_monomial = (tuple(sorted((x, e) for x, e in powers.items() if e)), m[1])
            without = {x: c for x, c in p.items() if x != m}
            return reduced(normal.add(without, normal.mul({reduced_monomial: p[m]}, cofactor)))
    return p


def _inverted_atom(key: normal.Key) -> int | None:
    """The atom a, if `key` is that of the inverse 1/a; None if it is the inverse of any other polynomial."""
    if len(key[1]) != 1:
        return None
    ((factors, e), c) = next(iter(key[1]))
    return factors[0][0] if len(factors) == 1 and factors[0][1] == 1 and not e and c == 1 else None


def _power(a: OwnValue, k: int) -> OwnValue:
    """a to the power of k >= 0."""
    out: Any = 1
    for _ in range(k):
        out = times(out, a)
    return out


MOST_CANCELLED = 400
"""The maximum number of steps in which `cancelled` cancels a factor of a monomial. Each step is a node of the
certificate."""


def enclosed(g: Goal, near: Sequence[str]) -> None:
    """Close a goal that is an inequality of numbers, if rigorous intervals show that its right side is larger. Or, with
    the label of one fact in `near`, close the goal ``false``, if rigorous intervals show that this comparison is false
    and that its sides differ. Stuck in all other cases."""
    tag, _, sides = g.fact(near[0]) if near else g.goal
    if len(near) > 1 or tag not in (COMPARISONS if near else ("<=", "<")) or (near and g.goal != FALSE):
        raise Stuck("no comparison")
    gap = add(nf(sides[1]), nf(sides[0]), -1)
    if not near:  # the right side is larger: its difference to the left one is positive
        return g.close({"by": "pos", "sum": [{"c": "1", "of": [_positive(g, whole_term(gap))]}]})
    # The fact is a false comparison. For a <= b and a < b, a - b is positive; for a = b, it is a - b or b - a.
    below = tag == "=" and decided(whole_term(gap), PRECISIONS[-1]) > 0
    sums = [{"c": "1", "of": [_positive(g, whole_term(gap if below else scale(gap, -1)))]}]
    if tag == "=":
        return g.close({"by": "pos", "sum": sums, "eq": [["-1" if below else "1", near[0]]]})
    g.close({"by": "pos", "sum": [*sums, {"c": "1", "of": [near[0]]}]})


def divided(g: Goal) -> None:
    """Close a goal ``x*d = c`` if x is c*(1/d): it is c times the fact d*(1/d) = 1. Stuck also if rigorous intervals do
    not show 0 < d."""
    if g.goal[0] != "=" or g.goal[2][0][0] != "*":
        raise Stuck("nothing is divided")
    (_, d), product_value = g.goal[2][0][2], nf(g.goal[2][1])
    divisor = whole_term(nf(d))
    one_less_quotient = add({ONE: 1}, mul(nf(divisor), inverse(nf(divisor))), -1)  # 1 - d*(1/d)
    if add(add(product_value, nf(g.goal[2][0]), -1), mul(product_value, one_less_quotient), -1):
        raise Stuck("the quotient is another")
    g.close({"by": "pos", "eq": [[g.text(reify.term(product_value)), _reciprocal(g, divisor)]]})


def cancelled(g: Goal) -> None:
    """Close a goal that is an equation of numbers, if it follows from sqrt(q)*sqrt(q) = q and a*(1/a) = 1. Each step
    cancels in one monomial of the difference of the two sides, until the difference is 0."""
    if g.goal[0] != "=":
        raise Stuck("no equation")
    difference = add(nf(g.goal[2][1]), nf(g.goal[2][0]), -1)
    whole_term(difference)
    # The goal is a sum of facts sqrt(q)*sqrt(q) = q and a*(1/a) = 1, each times a factor. By label: the factor so far;
    # by root or inverse: the label of its fact.
    factors: dict[str, Poly] = {}
    facts: dict[Term, str] = {}
    for _ in range(MOST_CANCELLED):
        if not difference:
            used = [[g.text(reify.term(p)), label] for label, p in factors.items() if p]
            return g.close({"by": "pos", "eq": used})
        cancelling = next(((m, x, y) for m in difference for x, y in [_cancelling(m)] if x is not None), None)
        if cancelling is None:
            raise Stuck("a part does not cancel")
        m, at, cofactor = cancelling
        if at not in facts:
            facts[at] = _square(g, at[2][0]) if at[0] == "fn" else _reciprocal(g, at[2][1])
        label = facts[at]
        # Subtract the fact times the factor with which the monomial cancels.
        fact_difference = add(nf(g.fact(label)[2][1]), nf(g.fact(label)[2][0]), -1)
        factor = scale({cofactor: 1}, -difference[m])
        factors[label] = add(factors.get(label, {}), factor)
        difference = add(difference, mul(factor, fact_difference), -1)
    raise Stuck("too many parts cancel")


def _cancelling(m: Mono) -> tuple[Term, Mono] | tuple[None, Mono]:
    """A root that is squared in the monomial, or an inverse 1/b of an atom b that is in the monomial too; and the
    monomial without the square or without b*(1/b). If there is neither, None and the whole monomial."""
    powers = dict(m[0])
    for a in powers:
        at = reify.atom(a)
        if at[:2] == ("fn", "sqrt") and powers[a] > 1:
            cancelled_powers = {a: 2}
        elif at[0] == "/" and (b := _single_atom(nf(at[2][1]))) in powers:
            cancelled_powers = {a: 1, b: 1}
        else:
            continue
        remaining = {x: k - cancelled_powers.get(x, 0) for x, k in powers.items()}
        return at, (tuple((x, k) for x, k in sorted(remaining.items()) if k), m[1])
    return None, m


def _single_atom(p: Poly) -> int | None:
    """The atom a, if the polynomial is a single atom with coefficient 1; None for any other polynomial."""
    ((factors, e), c) = next(iter(p.items()))
    return factors[0][0] if len(p) == len(factors) == c == 1 and not e and factors[0][1] == 1 else None


def _positive(g: Goal, t: Term) -> str:
    """Prove 0 < t by a rigorous interval; returns the label of this fact. Stuck if no precision suffices."""
    prec = next((prec for prec in PRECISIONS if decided(t, prec) > 0), None)
    if prec is None:
        raise Stuck("rigorous intervals do not tell a number from 0")
    label = g.fresh("ball")
    g.have(("<", None, (num(0), t)), label, lambda h: h.interval([], prec))
    return label


def _reciprocal(g: Goal, t: Term) -> str:
    """Prove 0 < t and then t*(1/t) = 1; returns the label of the second fact. Stuck if 0 < t is not proved."""
    label, zero, positive = g.fresh("inv"), g.fresh("zero"), _positive(g, t)
    sums = [{"c": "1", "of": [positive]}]
    proof = [{"by": "intro", "as": [zero]}, {"by": "pos", "sum": sums, "eq": [["1", zero]]}]
    product = ("*", None, (t, ("/", None, (num(1), t))))
    g.add({"by": "use", "fact": "ax:inv", "with": [g.text(t), proof], "as": label}, ("=", None, (product, num(1))))
    return label


def _square(g: Goal, t: Term) -> str:
    """Prove 0 < t and then sqrt(t)*sqrt(t) = t; returns the label of the second fact. Stuck if 0 < t is not proved."""
    label, positive = g.fresh("root"), _positive(g, t)
    proof = [{"by": "pos", "sum": [{"c": "1", "of": [positive]}]}]
    at = ("fn", "sqrt", (t,))
    facts = conj(("<=", None, (num(0), at)), ("=", None, (("*", None, (at, at)), t)))
    g.add({"by": "use", "fact": "ax:sqrt", "with": [g.text(t), proof], "as": [f"{label}_0", f"{label}_1"]}, facts)
    return f"{label}_1"


def whole_term(p: Poly) -> Term:
    """The term of a polynomial that is a number; Stuck if it has names, I[...], sums or products, since these have no
    rigorous intervals."""
    t = reify.term(p)
    if free(t) or any(x[0] in ("ind", "sum", "prod") for x in subterms(t)):
        raise Stuck("a comparison is not of numbers")
    return t
