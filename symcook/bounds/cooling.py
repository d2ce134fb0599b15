"""How small a temperature makes soft attention as good as hard attention, and when it makes it the same."""

from __future__ import annotations

from fractions import Fraction

import flint

from symcook.bounds.arguments import count, exact, positive
from symcook.bounds.result import Bound, decided, shown
from symcook.errors import BadInput
from symcook.model.expr import parse_term
from symcook.model.rationals import rational
from symcook.numbers.balls import check_digits, decide_sign

SMALLEST = {"float16": 24, "bfloat16": 133, "float32": 149, "float64": 1074}
"""By format, the k for which 2^-k is the least positive number (subnormal)."""


def temperature(
    n: int | str,
    gamma: str | int | Fraction,
    error: str | int | Fraction = "1/4",
    bits: int | str | None = None,
    digits: int | str = 30,
) -> Bound:
    """The greatest temperature that keeps the error of retrieved values below a target, against gamma/log(2 n/error)
    (Cookbook, Section 5.7), and where weights round to zero in each float format.

    error E: The greatest error of a value in [0, 1].
    bits P: Fractional bits of a fixed-point format.

    There are n >= 2 scores with the gap gamma > 0: the maximum is unique and every other score is at least gamma below
    it. The target error is between 0 and 1. Relative radius at most 10^-digits.

    Why the value is sharp. With x = e^(-gamma/tau) the greatest error is (n - 1) x/(1 + (n - 1) x): the weight that
    softmax gives to the other positions, where the value is 0 and the maximum's is 1 (or the reverse). It is at most
    delta exactly when x <= delta/((1 - delta)(n - 1)), that is tau <= gamma/log((n - 1)(1 - delta)/delta). Where that
    logarithm is not positive every tau will do.

    Claimed: tau = gamma/log(2 n/delta), from 2 n e^(-gamma/tau) = delta; for delta = 1/4 the rule gamma/log(8 n) of
    Section 5.7. It holds where it is at most the sharp value; "slack" is their quotient, and "error at the rule" the
    greatest error there.

    Rounding. Once e^(-gamma/tau) rounds to zero (to the nearest, ties to even, subnormal numbers kept), the row is
    exactly hard. The least positive number 2^-k rounds to zero up to 2^-(k + 1), so that tau = gamma/((k + 1) log 2) is
    the greatest such temperature; with `bits` = p fractional bits, k = p.

    Raises BadInput for n, gamma, error, bits or digits. Source: Cookbook, Section 5.7.
    """
    wanted = check_digits(digits)
    many = count(n, least=2)
    text, gap = positive(gamma)
    target, delta = exact(error, "error")
    places = None if bits is None else count(bits, "bits", bits=30)
    for side, sign in (("greater than 0", lambda: delta()), ("less than 1", lambda: 1 - delta())):
        if decide_sign(sign, f"error {side}") <= 0:
            raise BadInput("the error must be between 0 and 1", target, "give for example --error 1/4")

    def odds() -> flint.arb:
        return (many - 1) * (1 - delta()) / delta()

    share = Fraction(many - 1, many)  # the error of equal weights; balls do not tell that the two are the same
    if _same(target, share) or decide_sign(lambda: odds() - 1, "(n - 1)(1 - error)/error > 1") <= 0:
        raise BadInput("the error must be below (n - 1)/n, where every temperature reaches it", f"{target}, n = {many}")

    def value() -> flint.arb:
        return gap() / odds().log()

    def claimed() -> flint.arb:
        return gap() / (2 * many / delta()).log()

    def at_rule() -> flint.arb:
        x = delta() / (2 * many)
        return (many - 1) * x / (1 + (many - 1) * x)

    holds = decided(lambda: 2 * many / delta() - odds(), wanted, "the rule's tau <= the sharp tau")
    extra = {
        "slack": shown(lambda: value() / claimed(), wanted, "the slack"),
        "error at the rule": shown(at_rule, wanted, "the error"),
    }
    formats = {**SMALLEST, **({} if places is None else {f"{places} fractional bits": places})}
    for name, k in formats.items():
        extra[f"hard in {name}"] = shown(lambda k=k: vanishing(gap(), k), wanted, "a temperature")
    parameters: dict[str, int | bool | str] = {"n": many, "gamma": text, "error": target}
    return Bound(
        kind="temperature",
        parameters=parameters if places is None else {**parameters, "bits": places},
        value=shown(value, wanted, "the greatest temperature"),
        claimed=shown(claimed, wanted, "the rule's temperature"),
        holds=holds,
        attained=True,
        where="with one maximal score and all others exactly gamma below it",
        source="Cookbook, Section 5.7",
        labels=("greatest tau", "gamma/log(2 n/error)"),
        proofs=("cookbook.s5.7.tau", "lem.hard_soft_value", "cookbook.s5.7.precision"),
        extra=extra,
    )


def _same(text: str, number: Fraction) -> bool:
    """Whether the text is a rational number, and that one."""
    try:
        return rational(parse_term(text)) == number
    except BadInput:  # not rational, or too large to compute exactly
        return False


def vanishing(gamma: flint.arb, k: int) -> flint.arb:
    """The greatest tau at which e^(-gamma/tau) rounds to zero where 2^-k is the least positive number."""
    return gamma / ((k + 1) * flint.arb.const_log2())
