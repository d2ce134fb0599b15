"""A claim about probabilities as a claim about the numbers in the exponents of their formulas.

exp is monotone: ``exp(u)/(exp(u) + exp(v)) <= 1/2`` holds exactly if ``u <= v``. A comparison of quotients of sums of
powers of e is multiplied out. If two powers a*exp(u) and b*exp(v) are left, it compares u - v with log(b/a). If this
number is not rational, a rational number near it is taken, on the side that makes the claim stronger. So the new claim
implies the claim, and automata, counts and the automation can read it.

`prove` proves the new claim, and then the claim from it. Nothing here is trusted.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import NamedTuple

from symcook.alarm import Until
from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.claims.bycounts.problem import problem
from symcook.proof.inequalities import reify
from symcook.proof.normal import nf
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.elaborate import written
from symcook.proof.search.opengoal import NoResult
from symcook.proof.search.tactics import Citable, Goal, Stuck
from symcook.proof.statements.exactvalues import decided
from symcook.proof.statements.inparts import InParts
from symcook.proof.statements.transfer import Transfer
from symcook.proof.terms import COMPARISONS, Term, abstract, instantiate, num, subterms, var

STEPS = 10_000
"""A logarithm that is not rational is replaced by a multiple of 1/10,000. A claim that needs more digits stays open."""
LARGEST = 32
"""The largest absolute value of such a logarithm. exp(32) is about 8*10^13."""
BITS = 64
"""The precision of the intervals that find it, in bits."""


class ExponentOrder(NamedTuple):
    """The comparison ``less*exp(u) OP more*exp(v)``, in which the denominators `positive` of a comparison of quotients
    are multiplied out. `sign` is OP: "<", "<=" or "="."""

    sign: str
    less: Fraction
    u: Term
    more: Fraction
    v: Term
    positive: tuple[Term, ...]

    @property
    def ratio(self) -> Fraction:
        """exp(u - v) is compared with this number."""
        return self.more / self.less

    def bound(self, stronger: bool) -> Fraction | None:
        """The number that u - v is compared with: log of `ratio` if that is 0, else a multiple of 1/`STEPS` below it
        (above it without `stronger`). None if the logarithm is too large."""
        if self.ratio == 1:
            return Fraction(0)
        if self.sign == "=":
            return None
        low, high = -LARGEST * STEPS, LARGEST * STEPS
        if not _exp_below(Fraction(low, STEPS), self.ratio) or _exp_below(Fraction(high, STEPS), self.ratio):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _exp_below(Fraction(middle, STEPS), self.ratio) else (low, middle)
        return Fraction(low if stronger else high, STEPS)

    def compared(self, bound: Fraction) -> Term:
        """The comparison u OP v + bound."""
        p = normal.add(nf(self.v), {normal.ONE: bound}) if bound else nf(self.v)
        return (self.sign, None, (self.u, reify.term(p)))


def _exp_below(x: Fraction, c: Fraction) -> bool:
    """Whether exp(x) is less than c, by intervals."""
    term = ("-", None, (num(c.numerator, c.denominator), ("fn", "exp", (num(x.numerator, x.denominator),))))
    return decided(term, BITS) == 1


def order(f: Term) -> ExponentOrder | None:
    """A comparison of quotients of sums of powers of e as an `ExponentOrder`; None for any other formula."""
    if f[0] not in COMPARISONS or not any(t[:2] == ("fn", "exp") for t in subterms(f)):
        return None
    left, right = (_fraction(side) for side in f[2])
    if left is None or right is None:
        return None
    (top, bottom), (other_top, other_bottom) = left, right
    try:
        p, positive = nf(top), [t for t in (bottom, other_bottom) if t is not None]
        q = nf(other_top)
        if bottom != other_bottom:
            p = normal.mul(p, nf(other_bottom or num(1)))
            q = normal.mul(q, nf(bottom or num(1)))
        difference = normal.add(p, q, -1)
    except Rejected:
        return None
    if len(difference) != 2 or any(factors for factors, _ in difference):
        return None
    (less, c), (more, d) = sorted(difference.items(), key=lambda part: part[1] < 0)
    if c < 0 or d > 0:
        return None
    if less[1] == more[1]:
        return None
    u, v = (reify.term(normal._exponents[m[1]]) for m in (less, more))
    return ExponentOrder(f[0], Fraction(c), u, Fraction(-d), v, tuple(dict.fromkeys(positive)))


def _fraction(t: Term) -> tuple[Term, Term | None] | None:
    """A term as a numerator and a positive denominator, None for 1. None for a quotient whose denominator is not a sum
    of powers of e and positive numbers, and where quotients with different denominators are added."""
    tag, _, kids = t
    if tag == "/":
        top, bottom = _fraction(kids[0]), kids[1]
        if top is None:
            return None
        if bottom[0] == "num":
            return (("/", None, (top[0], bottom)), top[1])
        if top[1] is not None or not _positive(bottom):
            return None
        return top[0], bottom
    if tag in ("+", "-"):
        left, right = (_fraction(kid) for kid in kids)
        if left is None or right is None:
            return None
        if left[1] == right[1]:
            return (tag, None, (left[0], right[0])), left[1]
        bottom = left[1] or right[1]
        if (left[1] is not None and right[1] is not None) or bottom is None:
            return None
        parts = [top if own is not None else ("*", None, (top, bottom)) for top, own in (left, right)]
        return (tag, None, (parts[0], parts[1])), bottom
    if tag == "*":
        left, right = (_fraction(kid) for kid in kids)
        if left is None or right is None or (left[1] is not None and right[1] is not None):
            return None
        return ("*", None, (left[0], right[0])), left[1] or right[1]
    if tag == "neg":
        inner = _fraction(kids[0])
        return None if inner is None else (("neg", None, (inner[0],)), inner[1])
    return t, None


def _positive(t: Term) -> bool:
    """Whether a term is a sum of powers of e, positive numbers, and products of them."""
    if t[0] in ("+", "*"):
        return all(map(_positive, t[2]))
    return t[:2] == ("fn", "exp") or (t[0] == "num" and t[1][0] > 0)


class Orders(Transfer):
    """Proves a claim from the claim in which each `ExponentOrder` is replaced by the comparison of its exponents."""

    def __init__(self) -> None:
        super().__init__(())
        self.made: dict[tuple[Term, bool], Term | None] = {}

    def stronger(self, f: Term, positive: bool = True) -> Term:
        """A formula that implies `f` (is implied by it, if `positive` is false), in which each `ExponentOrder` is
        replaced; `f` itself where there is none."""
        tag, data, kids = f
        if tag in COMPARISONS:
            return self.instead(f, positive) or f
        if tag in ("&", "|"):
            return (tag, data, tuple(self.stronger(kid, positive) for kid in kids))
        if tag == "~":
            return (tag, data, (self.stronger(kids[0], not positive),))
        if tag == "->":
            return (tag, data, (self.stronger(kids[0], not positive), self.stronger(kids[1], positive)))
        if tag in ("all", "ex"):
            name = var(f"place'{sum(t[0] in ('all', 'ex') for t in subterms(f))}", data)
            body = self.stronger(instantiate(kids[0], (name,)), positive)
            return (tag, data, (abstract(body, (name,)),))
        return f

    def instead(self, f: Term, positive: bool) -> Term | None:
        """What replaces a comparison; None for nothing."""
        if (f, positive) not in self.made:
            compared, bound = order(f), None
            if compared is not None:
                bound = compared.bound(positive)
            self.made[f, positive] = None if compared is None or bound is None else compared.compared(bound)
        return self.made[f, positive]

    def close(self, g: Goal, label: str, back: bool = False) -> None:
        """Close a goal f by the fact `label`, which is `stronger` of f; with `back` a goal that `stronger` makes of the
        fact."""
        own, instead = (g.fact(label), g.goal) if back else (g.goal, g.fact(label))
        if own == instead:
            g.hyp(label)
        elif own[0] in COMPARISONS:
            compared = order(own)
            bound = None if compared is None else compared.bound(not back)
            if compared is None or bound is None:
                raise Stuck("a comparison that is not replaced")
            given = g.fresh("given")
            g.have(g.fact(label), given, lambda h: h.hyp(label))
            written(g, [f"  {line}" for line in _lines(g, compared, bound, given, back)])
        else:
            super().close(g, label, back)


def _lines(g: Goal, compared: ExponentOrder, bound: Fraction, given: str, back: bool) -> list[str]:
    """The lines that close the goal of a comparison: from the comparison of its exponents by `bound`, which has the
    label `given`, or with `back` the other way round."""
    sign, (x, y) = compared.sign, map(g.text, compared.compared(bound)[2])
    u, v = f"exp({g.text(compared.u)})", f"exp({g.text(compared.v)})"
    numbers = (compared.less, compared.more, compared.ratio)
    less, more, ratio = (g.text(num(c.numerator, c.denominator)) for c in numbers)
    multiplied = f"({less})*{u} {sign} ({more})*{v}"
    positive = [g.text(t) for t in compared.positive]
    lines = [f"above{k}': 0 < {t} by exp_pos" for k, t in enumerate(positive)]
    lines += [f"power1': 0 < {u} by exp_pos", f"power2': 0 < {v} by exp_pos"]
    hints = [*(f"above{k}'" for k in range(len(positive))), "power1'", "power2'"]
    power = f"exp({y})"
    # exp(v + bound) = exp(v)*exp(bound), and exp(bound) is at most the ratio, or at least with `back`.
    factor = f"exp({g.text(num(bound.numerator, bound.denominator))})"
    first, second = (f"({ratio})", factor) if back else (factor, f"({ratio})")
    near = [
        f"end': {first} <= {second}", "grows': all x:Real, y:Real, z:Real. x <= y -> 0 < z -> z*x <= z*y",
        f"near': {v}*{first} <= {v}*{second} by grows'({first}; {second}; {v})[end', power2']",
    ] if bound else [f"near': {power} = {v}"]  # fmt: skip
    if not back:
        return [
            *lines, *near, f"order': {u} {sign} {power} by exp_order({x}; {y}), {given}",
            f"multiplied': {multiplied} by order', near'", f"qed by multiplied', {', '.join(hints)}",
        ]  # fmt: skip
    return [
        *lines, *near, f"multiplied': {multiplied} by {given}, {', '.join(hints)}",
        f"order': {u} {sign} {power} by multiplied', near'", f"qed by exp_order({x}; {y}), order'",
    ]  # fmt: skip


def prove(home: Citable, statement: Statement, seconds: float) -> Goal | Failed:
    """The goal of a statement with a proof by the order of exponents, found within `seconds`; or the reason why there
    is none."""
    search = partial(_proved, home, statement, seconds)
    return attempted(search, Until(seconds), because="the exponents are not compared: ")


def _proved(home: Citable, statement: Statement, seconds: float) -> Goal:
    """What `prove` returns; raises NoResult without a proof."""
    orders, whole = Orders(), problem(statement)
    claim = orders.stronger(whole.claim)
    if claim == whole.claim:
        raise NoResult("the statement compares no powers of e")
    parts, g = InParts(whole, home, Until(seconds)), Goal(home, statement.formula, {}, {})
    parts.prove(g, claim, orders.close)
    return g
