"""Numbers at a word: exact ones as in the exact domain, and where these end closed terms, compared by balls.

A `Closed` number is a polynomial of `normal` without names: what roots of different numbers, logarithms or exponentials
of roots give. Two are equal where their polynomials are; else balls of rising precision tell them apart, or nothing
does, and then nothing is decided.
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
MAX_EXPONENT = 4_096
MAX_MONOMIALS = 400
"""A closed number with more parts is not computed with: nothing about it would be proved in time."""
OPEN = (Rejected, BadInput, TypeError, ZeroDivisionError)
"""What says that a value or a comparison has no exact form here."""


class Closed:
    """A number that is a polynomial without names and, as it is written, no rational."""

    def __init__(self, poly: Poly) -> None:
        self.poly = poly

    @cached_property
    def term(self) -> Term:
        return reify.term(self.poly)

    @cached_property
    def sign(self) -> int:
        """1 or -1; Rejected where balls do not tell the number from 0."""
        for prec in PRECISIONS:
            sign_found = decided(self.term, prec)
            if sign_found:
                return sign_found
        raise Rejected("a number cannot be told from 0")


def decided(t: Term, prec: int) -> int:
    """1 or -1 where an enclosure with `prec` bits of a term without names has this sign; else 0."""
    with PRECISION:
        if enclose.least_sign(t, {}, prec) == 1:
            return 1
        return -1 if enclose.least_sign(("neg", None, (t,)), {}, prec) == 1 else 0


OwnValue = Fraction | int | Root | ExpSum | Closed


RATIONAL = (int, Fraction)
"""The types of almost all numbers, which are computed with at once."""


def sign(x: OwnValue) -> int:
    """-1, 0 or 1; Rejected where that is not decided."""
    if type(x) in RATIONAL:
        return (x > 0) - (x < 0)  # type: ignore[operator]
    return x.sign if isinstance(x, Closed) else expsum.sign(x)


def plus(a: OwnValue, b: OwnValue) -> OwnValue:
    if type(a) in RATIONAL and type(b) in RATIONAL:
        return short(a + b)  # type: ignore[operator]
    return _either(lambda: a + b, lambda: normal.add(_poly(a), _poly(b)), a, b)  # type: ignore[operator]


def minus(a: OwnValue, b: OwnValue) -> OwnValue:
    if type(a) in RATIONAL and type(b) in RATIONAL:
        return short(a - b)  # type: ignore[operator]
    return _either(lambda: a - b, lambda: normal.add(_poly(a), _poly(b), -1), a, b)  # type: ignore[operator]


def times(a: OwnValue, b: OwnValue) -> OwnValue:
    if type(a) in RATIONAL and type(b) in RATIONAL:
        return short(a * b)  # type: ignore[operator]
    return _either(lambda: a * b, lambda: normal.mul(_poly(a), _poly(b)), a, b)  # type: ignore[operator]


def over(a: OwnValue, b: OwnValue) -> OwnValue:
    """a/b. Raises Rejected where b is 0, or is not told from it."""
    if not sign(b):
        raise Rejected("the statement divides by zero")
    fraction = Fraction(a) if isinstance(a, int) else a
    return _either(lambda: fraction / b, lambda: normal.mul(_poly(a), _inverse(b)), a, b)  # type: ignore[operator]


def function(name: str, given: Sequence[OwnValue]) -> OwnValue:
    """The value of a function of the grammar; Rejected where it has none here."""
    a, b = given[0] if given else 0, given[-1] if given else 0
    if name in ("pow", "^"):
        if not isinstance(b, int) or abs(b) > MAX_EXPONENT:
            raise Rejected("an exponent has no exact value here")
        if b < 0 and not sign(a):
            raise Rejected("the statement divides by zero")
        out: Any = Fraction(a) ** abs(b) if isinstance(a, int | Fraction) else _power(a, abs(b))
        return short(out) if b >= 0 else over(1, out)
    if name in ("relu", "abs"):
        positive = sign(a) > 0
        return a if positive else minus(0, a) if name == "abs" else 0
    if name in ("min", "max"):
        return a if (sign(minus(a, b)) <= 0) is (name == "min") else b
    if name == "sqrt":
        if sign(a) < 0:
            raise Rejected("the statement takes the root of a negative number")
        return _either(lambda: root(a), lambda: normal._function("sqrt", [_poly(a)]), a)  # type: ignore[arg-type]
    if name == "exp":
        return _either(lambda: exp_of(a), lambda: normal._function("exp", [_poly(a)]), a)  # type: ignore[arg-type]
    if name == "log" and sign(a) <= 0:
        raise Rejected("the statement takes the logarithm of a number that is not positive")
    if name in ("log", "erf", "pi", "sin", "cos"):
        return _closed(normal._function(name, [_poly(x) for x in given]))
    raise Rejected(f"'{name}' has no exact value here")


def written(x: OwnValue) -> Term:
    """The number as a term."""
    return x.term if isinstance(x, Closed) else reify.term(_poly(x))


def compact(p: Poly) -> Term:
    """A term with normal form `p`; what is long in several monomials is written once before a bracket."""
    saved: dict[int, int] = {}
    for factors, _ in p:
        for a, _k in factors:
            saved[a] = saved.get(a, 0) + 1
    many = [a for a, count in saved.items() if count > 1]
    if not many:
        parts = [_product(m, c) for m, c in sorted(p.items(), key=lambda entry: repr(reify.product(entry[0])))]
        out = parts[0] if parts else reify.term({})
        for summand in parts[1:]:
            out = ("+", None, (out, summand))
        return out
    longest = max(many, key=lambda a: ((saved[a] - 1) * len(repr(reify.atom(a))), repr(reify.atom(a))))
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
    key = normal._keys[a]
    if key[0] == "inv":
        return ("/", None, (reify.term({ONE: 1}), compact(dict(key[1]))))
    if key[0] == "fn":
        return ("fn", key[1], tuple([compact(dict(k)) for k in key[2:]]))
    return reify.atom(a)


def short(x: OwnValue) -> OwnValue:
    return x.numerator if isinstance(x, Fraction) and x.denominator == 1 else x


def _either(exact: Callable[[], OwnValue], closed: Callable[[], Poly], *given: OwnValue) -> OwnValue:
    if not any(isinstance(x, Closed) for x in given):
        try:
            return short(exact())
        except (NotExact, TypeError):  # TypeError: the root of a sum of exponentials
            pass
    return _closed(closed())


def _poly(x: OwnValue) -> Poly:
    if isinstance(x, Closed):
        return x.poly
    if isinstance(x, Root):
        return normal.add(_rational(x.p), normal.scale(normal._function("sqrt", [_rational(x.r)]), x.q))
    if isinstance(x, ExpSum):
        above = {_exponential(t[0]): normal._whole(t[1]) for t in x.form if len(t) == 2}
        below = {_exponential(t[1]): normal._whole(t[2]) for t in x.form if len(t) == 3}
        return above if below == {ONE: 1} else normal.mul(above, normal.inverse(below))
    return _rational(x)


def _rational(x: int | Fraction) -> Poly:
    return {ONE: cast("int | Fraction", short(x))} if x else {}


def _exponential(r: Fraction) -> Any:
    return ((), normal._exponent(_rational(r)))


def _inverse(x: OwnValue) -> Poly:
    return normal.inverse(_poly(x))


def _closed(p: Poly) -> OwnValue:
    p = reduced(p)
    if len(p) > MAX_MONOMIALS:
        raise Rejected("a value has too many parts")
    c = normal.constant(p)
    return Closed(p) if c is None else short(c)


def reduced(p: Poly) -> Poly:
    """The same number with a*(1/a) = 1 and sqrt(q)^2 = q in each monomial; only for a that is not 0, as all here."""
    for m in p:
        powers = dict(m[0])
        for a, k in m[0]:
            key = normal._keys[a]
            if key[0] == "fn" and key[1] == "sqrt" and k > 1:
                other, exponent = normal.power(dict(key[2]), k // 2), k % 2
            elif key[0] == "inv" and (b := _single(key)) in powers:
                other, exponent = normal.power({((((b, 1),)), 0): 1}, 0), k
                least = min(k, powers[b])
                exponent, powers[b] = k - least, powers[b] - least
            else:
                continue
            powers[a] = exponent
            reduced_monomial = (tuple(sorted((x, e) for x, e in powers.items() if e)), m[1])
            without = {x: c for x, c in p.items() if x != m}
            return reduced(normal.add(without, normal.mul({reduced_monomial: p[m]}, other)))
    return p


def _single(key: normal.Key) -> int | None:
    """a, where an inverse is that of the one atom a."""
    if len(key[1]) != 1:
        return None
    ((factors, e), c) = next(iter(key[1]))
    return factors[0][0] if len(factors) == 1 and factors[0][1] == 1 and not e and c == 1 else None


def _power(a: OwnValue, k: int) -> OwnValue:
    out: Any = 1
    for _ in range(k):
        out = times(out, a)
    return out


MOST_CANCELLED = 400


def enclosed(g: Goal, near: Sequence[str]) -> None:
    """An inequality without names that balls decide; or a contradiction from a comparison that they find false."""
    tag, _, sides = g.fact(near[0]) if near else g.goal
    if len(near) > 1 or tag not in (COMPARISONS if near else ("<=", "<")) or (near and g.goal != FALSE):
        raise Stuck("no comparison")
    gap = add(nf(sides[1]), nf(sides[0]), -1)
    if not near:
        return g._emit({"by": "pos", "sum": [{"c": "1", "of": [_positive(g, whole_term(gap))]}]}, True)
    below = tag == "=" and decided(whole_term(gap), PRECISIONS[-1]) > 0
    sums = [{"c": "1", "of": [_positive(g, whole_term(gap if below else scale(gap, -1)))]}]
    if tag == "=":
        return g._emit({"by": "pos", "sum": sums, "eq": [["-1" if below else "1", near[0]]]}, True)
    g._emit({"by": "pos", "sum": [*sums, {"c": "1", "of": [near[0]]}]}, True)


def divided(g: Goal) -> None:
    """x*d = c where x has 1/d in it: it is c times d*(1/d) = 1."""
    if g.goal[0] != "=" or g.goal[2][0][0] != "*":
        raise Stuck("nothing is divided")
    (_, d), c = g.goal[2][0][2], nf(g.goal[2][1])
    divisor = whole_term(nf(d))
    of_one = add({ONE: 1}, mul(nf(divisor), inverse(nf(divisor))), -1)
    if add(add(c, nf(g.goal[2][0]), -1), mul(c, of_one), -1):
        raise Stuck("the quotient is another")
    g._emit({"by": "pos", "eq": [[g.text(reify.term(c)), _reciprocal(g, divisor)]]}, True)


def cancelled(g: Goal) -> None:
    """An equation without names that sqrt(q)*sqrt(q) = q and a*(1/a) = 1 make true, monomial by monomial."""
    if g.goal[0] != "=":
        raise Stuck("no equation")
    gap_left = add(nf(g.goal[2][1]), nf(g.goal[2][0]), -1)
    whole_term(gap_left)
    factors: dict[str, Poly] = {}
    facts: dict[Term, str] = {}
    for _ in range(MOST_CANCELLED):
        if not gap_left:
            used = [[g.text(reify.term(p)), label] for label, p in factors.items() if p]
            return g._emit({"by": "pos", "eq": used}, True)
        cancelling = next(((m, x, y) for m in gap_left for x, y in [_cancelling(m)] if x is not None), None)
        if cancelling is None:
            raise Stuck("a part does not cancel")
        m, at, cofactor = cancelling
        if at not in facts:
            facts[at] = _square(g, at[2][0]) if at[0] == "fn" else _reciprocal(g, at[2][1])
        label = facts[at]
        gap = add(nf(g.fact(label)[2][1]), nf(g.fact(label)[2][0]), -1)
        times = scale({cofactor: 1}, -gap_left[m])
        factors[label] = add(factors.get(label, {}), times)
        gap_left = add(gap_left, mul(times, gap), -1)
    raise Stuck("too many parts cancel")


def _cancelling(m: Mono) -> tuple[Term, Mono] | tuple[None, Mono]:
    """A root that is squared in a monomial, or the inverse of an atom that is in it too; and the rest of it."""
    powers = dict(m[0])
    for a in powers:
        at = reify.atom(a)
        if at[:2] == ("fn", "sqrt") and powers[a] > 1:
            less = {a: 2}
        elif at[0] == "/" and (b := _alone(nf(at[2][1]))) in powers:
            less = {a: 1, b: 1}
        else:
            continue
        powers_left = {x: k - less.get(x, 0) for x, k in powers.items()}
        return at, (tuple((x, k) for x, k in sorted(powers_left.items()) if k), m[1])
    return None, m


def _alone(p: Poly) -> int | None:
    """The atom that a polynomial is."""
    ((factors, e), c) = next(iter(p.items()))
    return factors[0][0] if len(p) == len(factors) == c == 1 and not e and factors[0][1] == 1 else None


def _positive(g: Goal, t: Term) -> str:
    """The label of ``0 < t`` by an enclosure; Stuck where there is none."""
    prec = next((prec for prec in PRECISIONS if decided(t, prec) > 0), None)
    if prec is None:
        raise Stuck("rigorous intervals do not tell a number from 0")
    label = g.fresh("ball")
    g.have(("<", None, (num(0), t)), label, lambda h: h.interval([], prec))
    return label


def _reciprocal(g: Goal, t: Term) -> str:
    """The label of t*(1/t) = 1, for a t that balls find positive."""
    label, zero, positive = g.fresh("inv"), g.fresh("zero"), _positive(g, t)
    sums = [{"c": "1", "of": [positive]}]
    proof = [{"by": "intro", "as": [zero]}, {"by": "pos", "sum": sums, "eq": [["1", zero]]}]
    g._emit({"by": "use", "fact": "ax:inv", "with": [g.text(t), proof], "as": label})
    g._bind(label, ("=", None, (("*", None, (t, ("/", None, (num(1), t)))), num(1))))
    return label


def _square(g: Goal, t: Term) -> str:
    """The label of sqrt(t)*sqrt(t) = t, for a t that balls find positive."""
    label, positive = g.fresh("root"), _positive(g, t)
    proof = [{"by": "pos", "sum": [{"c": "1", "of": [positive]}]}]
    g._emit({"by": "use", "fact": "ax:sqrt", "with": [g.text(t), proof], "as": [f"{label}_0", f"{label}_1"]})
    at = ("fn", "sqrt", (t,))
    g._bind([f"{label}_0", f"{label}_1"], conj(("<=", None, (num(0), at)), ("=", None, (("*", None, (at, at)), t))))
    return f"{label}_1"


def whole_term(p: Poly) -> Term:
    """The term of a polynomial; Stuck where it has names or I[...], which have no enclosure."""
    t = reify.term(p)
    if free(t) or any(x[0] in ("ind", "sum", "prod") for x in subterms(t)):
        raise Stuck("a comparison is not of numbers")
    return t
