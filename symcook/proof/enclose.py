"""Rigorous enclosures of terms over a box, with Arb: the one computation of the kernel that is not exact.

Every operation of Arb returns a ball that contains every value of the operation on its arguments. Without a finite
enclosure (a pole inside the box, a root of a ball that reaches below zero) there is no answer, never a wrong one.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symcook.errors import Rejected
from symcook.proof.normal import MAX_RANGE, Clock
from symcook.proof.terms import Term, instantiate, num

TermBox = Mapping[Term, tuple[Fraction, Fraction]]


class _Unknown(Exception):
    """A term has no finite enclosure here."""


def least_sign(t: Term, box: TermBox, prec: int) -> int | None:
    """The sign of the lower end of an enclosure of `t` over `box` with `prec` bits; None where there is none."""
    try:
        import flint
    except ImportError:
        raise Rejected("'interval' needs python-flint") from None
    before = flint.ctx.prec
    flint.ctx.prec = prec
    try:
        ball = _ball(t, box)
        if not ball.is_finite():
            return None
        low = ball.lower()  # the exact lower end, rounded down
        return 1 if low > 0 else 0 if low >= 0 else -1
    except _Unknown:
        return None
    finally:
        flint.ctx.prec = before


def _exact(q: Fraction) -> Any:
    import flint

    return flint.arb(flint.fmpq(q.numerator, q.denominator))


def _ball(t: Term, box: TermBox) -> Any:
    # An enclosure of a term: a ball for each part, then Arb's operation.
    import flint

    Clock.spend(20)
    tag, data, kids = t
    if tag == "num":
        return _exact(Fraction(*data))
    if tag == "var":
        low, high = box[t]
        return _exact(low).union(_exact(high))
    if tag in ("sum", "prod"):
        return _fold(t, box)
    # Indicators and functions of the statement have no enclosure.
    if tag not in ("+", "-", "*", "/", "neg", "^", "fn"):
        raise _Unknown
    args = []
    for k in kids:
        args.append(_ball(k, box))
    if tag == "+":
        return args[0] + args[1]
    if tag == "-":
        return args[0] - args[1]
    if tag == "*":
        return args[0] * args[1]
    # A divisor that may be 0: no finite quotient.
    if tag == "/":
        if args[1].contains(0):
            raise _Unknown
        return args[0] / args[1]
    if tag == "neg":
        return -args[0]
    if tag == "^":
        return _power(args[0], data, flint.arb)
    return _function(data, args, kids, flint.arb)


def _power(x: object, k: int, arb: Any) -> Any:
    """x^k by multiplication (Arb's own power refuses balls around zero); an even power is not negative."""
    out = arb(1)
    for bit in bin(k)[2:]:
        out = out * out
        if bit == "1":
            out = out * x
    return out if k % 2 else out.max(arb(0))


def _function(name: str, args: list[Any], kids: tuple[Term, ...], arb: Any) -> Any:
    # A function of enclosures; a root or logarithm needs an argument that is surely in its domain.
    if name == "pi":
        return arb.pi()
    if name == "pow":
        if kids[1][0] != "num" or kids[1][1][0] < 0 or kids[1][1][0] > MAX_RANGE:
            raise _Unknown
        return _power(args[0], kids[1][1][0], arb)
    if name == "relu":
        return args[0].max(arb(0))
    if name in ("min", "max"):
        return getattr(args[0], name)(args[1])
    if name == "abs":
        return abs(args[0])
    if (name == "log" and not args[0] > 0) or (name == "sqrt" and not args[0] >= 0):
        raise _Unknown
    if name not in ("exp", "log", "sqrt", "erf"):
        raise Rejected(f"'{name}' has no enclosure")
    return getattr(args[0], name)()


def _fold(t: Term, box: TermBox) -> Any:
    # Written out between numerals.
    import flint

    tag, _, (low, high, body) = t
    if low[0] != "num" or high[0] != "num" or high[1][0] - low[1][0] >= MAX_RANGE:
        raise _Unknown
    out = flint.arb(0 if tag == "sum" else 1)
    for k in range(low[1][0], high[1][0] + 1):
        value = _ball(instantiate(body, (num(k),)), box)
        out = out + value if tag == "sum" else out * value
    return out
