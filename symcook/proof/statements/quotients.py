"""Lines of a proof about quotients: a comparison of quotients with positive denominators is multiplied out.

| label | line |
| --- | --- |
| ``ratios'1``, .. | quotients compare as what they are multiplied out, for each sign |
| ``divided'``, ``undivided'`` | one quotient as an equation without one, and the other way round |
| ``crossed'1``, .. | a comparison, multiplied out |
| ``quotient'1``, .. | the comparison, by that line |

The lines are untrusted, as all lines that strategies write.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from symcook.proof import grammar
from symcook.proof.normal import constant, nf
from symcook.proof.terms import Term, free, num, subterms

show = grammar.show
RATIOS = {"<=": "ratios'1", "<": "ratios'2", "=": "ratios'3"}
"""The labels of the lines that quotients are compared by, by the sign of the comparison."""
DIVIDED = """divided': all x:Real, y:Real, t:Real. 0 < t -> x*t = y -> x = y/t
  given x y t above' times'
  whole': (x*t)*(1/t) = x by above'
  qed by whole', times'
undivided': all x:Real, y:Real, t:Real. 0 < t -> x = y/t -> x*t = y
  given x y t above' quotient'
  whole': (y/t)*t = y by above'
  qed by whole', quotient'
"""
"""The lines about one quotient."""


def quotient_lines() -> str:
    """The lines about all quotients, which the other lines cite."""
    return "".join(map(ratios, RATIOS)) + DIVIDED


def multiplied_out(part: Term, number: int, hints: Iterable[str]) -> str:
    """The lines of a comparison `part` that is multiplied out, by these hints: ``crossed'NUMBER`` and, with the
    comparison itself, ``quotient'NUMBER``. "" if it has no quotients."""
    (top, below), (other_top, other_below) = (fraction(side) for side in part[2])
    if not below and not other_below:
        return ""
    by, lines, positive = ", ".join(hints), "", list[str]()
    for k, t in enumerate(dict.fromkeys([*below, *other_below])):
        positive.append(f"above{number}'{k}")
        lines += f"above{number}'{k}: 0 < {show(t)} by exp_pos, {by}\n"
    left, right = [*_factors(top), *other_below], [*_factors(other_top), *below]
    sides = f"{show(_product(left))} {part[0]} {show(_product(right))}"
    above = ", ".join(positive)
    # A common power of e is left out first.
    for t in [t for t in dict.fromkeys(left) if t[:2] == ("fn", "exp") and t in right]:
        left.remove(t)
        right.remove(t)
        less = f"{show(_product(left))} {part[0]} {show(_product(right))}"
        lines += f"crossed''{number}: {less} by {by}, {above}\n"
        by = f"crossed''{number}, power''{number}"
        lines += f"power''{number}: 0 < {show(t)} by exp_pos\n"
        break
    lines += f"crossed'{number}: {sides} by {by}, {above}\n"
    sign, (x, y) = part[0], map(show, part[2])
    (p, t), (q, u) = ((show(top), show(_product(below))), (show(other_top), show(_product(other_below))))
    lines += (
        f"quotient'{number}: {x} {sign} {y}\n  whole': ({p})/({t}) {sign} ({q})/({u})\n"
        f"    positive': 0 < {t} & 0 < {u} by {above}\n"
        f"    qed by {RATIOS[sign]}({p}; {q}; {t}; {u}), positive', crossed'{number}\n"
        f"  left': {x} = ({p})/({t}) by {above}\n  right': {y} = ({q})/({u}) by {above}\n"
        f"  qed by whole', left', right'\n"
    )
    return lines


def fraction(t: Term) -> tuple[Term, list[Term]]:
    """A term as a numerator and the factors of its denominator."""
    tag, data, kids = t
    if tag == "/" and rational(kids[1]) is None:
        top, below = fraction(kids[0])
        return top, [*below, kids[1]]
    if tag in ("+", "-"):
        (x, below), (y, other_below) = (fraction(kid) for kid in kids)
        if below == other_below:
            return (tag, data, (x, y)), below
        return (tag, data, (_times_all(x, other_below), _times_all(y, below))), [*below, *other_below]
    if tag == "*":
        (x, below), (y, other_below) = (fraction(kid) for kid in kids)
        return ("*", None, (x, y)), [*below, *other_below]
    if tag == "neg":
        x, below = fraction(kids[0])
        return ("neg", None, (x,)), below
    return t, []


def ratios(sign: str) -> str:
    """The line that compares two quotients by what they are multiplied out."""
    return (
        f"{RATIOS[sign]}: all x:Real, y:Real, t:Real, u:Real. 0 < t & 0 < u -> x*u {sign} y*t -> x/t {sign} y/u\n"
        f"  given x y t u (above' below') over'\n  parts': 0 < (1/t)*(1/u) by above', below'\n"
        f"  whole': (x*u)*((1/t)*(1/u)) {sign} (y*t)*((1/t)*(1/u)) by over', parts'\n"
        f"  first': (x*u)*((1/t)*(1/u)) = x/t by below'\n  second': (y*t)*((1/t)*(1/u)) = y/u by above'\n"
        f"  qed by whole', first', second'\n"
    )


def _times_all(t: Term, factors: Sequence[Term]) -> Term:
    """A term times these factors."""
    return _product([t, *factors])


def _product(factors: Sequence[Term]) -> Term:
    """The product of these factors."""
    out = factors[0] if factors else num(1)
    for factor in factors[1:]:
        out = ("*", None, (out, factor))
    return out


def _factors(t: Term) -> list[Term]:
    """The factors of a product."""
    return [x for kid in t[2] for x in _factors(kid)] if t[0] == "*" else [t]


def rational(t: Term) -> Fraction | None:
    """The value of a term if it is a rational number."""
    value = None if free(t) or any(x[0] in ("sum", "prod", "bound", "fn") for x in subterms(t)) else constant(nf(t))
    return None if value is None else Fraction(value)
