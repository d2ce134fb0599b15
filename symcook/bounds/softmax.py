"""The distance of softmax from hardmax, given the gap between the maximum score and the others.

`softmax_hardmax` is for any scores, `quadratic_lookup` for scores whose error does not depend on n, and `temperature`
is a rule for the temperature.
"""

from __future__ import annotations

from fractions import Fraction

import flint

from symcook.bounds.arguments import Bound, against, count, decided, distance, exact, positive, shown
from symcook.bounds.sums import reach, squares
from symcook.door import check_digits
from symcook.errors import BadInput
from symcook.model.expr import parse_term
from symcook.model.rationals import rational
from symcook.numbers.balls import decide_sign


# Why the value is sharp. Let k scores be maximal, 1 <= k <= n, and S = sum of e^(s_j - M) over the n - k others, so
# that 0 <= S <= (n - k) x with x = e^-gamma, where the upper end is reached by all others at M - gamma. Softmax gives
# 1/(k + S) to a maximal position and S/(k + S) to all others together. The distance is therefore
#
#     k (1/k - 1/(k + S)) + S/(k + S) = 2 S/(k + S),
#
# which grows with S: for given k its greatest value is d(k) = 2 (n - k) x/(k + (n - k) x). Written as
# 2/(1 + k/((n - k) x)) it falls as k grows, and d(n) = 0. So the supremum is d(1) = 2 (n - 1) x/(1 + (n - 1) x), with
# and without ties, reached by one maximal score and all others exactly gamma below it. (Lemma 5.3 asks for a gap
# strictly greater than gamma; then the supremum is the same and is approached, not reached.)
#
# For n = 1 there is one position, both weightings give it 1, and the value is exactly 0.
def softmax_hardmax(n: int | str, gamma: str | int | Fraction, ties: bool = False, digits: int | str = 30) -> Bound:
    """The largest L1 distance between softmax and hardmax over n scores with gap gamma, against 2 n e^-gamma.

    Every score is the maximum, or at least gamma below the maximum. The value is a supremum, and attained.

    Arguments:
        n: int. How many scores there are; at least 1.
        gamma: exact. The gap: a positive number, at most 10^30.
        ties: bool (False). Allow several maximal scores; hardmax gives each of them the same weight.
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound. `extra` has the error of a retrieved value in [0, 1], which is half of the distance.

    Raises: BadInput: n, gamma or digits out of range. Undecided: the sign of gamma, or the digits at the limit.

    Example:

    >>> softmax_hardmax(64, 5, digits=4).holds
    True

    Source: Cookbook, Definition 5.2 and Lemma 5.3.
    """
    wanted = check_digits(digits)
    length = count(n)
    text, gap = positive(gamma)
    others = flint.arb(flint.fmpz(length - 1))

    def value() -> flint.arb:
        """d(1) of the comment above: 2 S/(1 + S) with S = (n - 1) x."""
        return distance(others * (-gap()).exp())

    where = "by any one score" if length == 1 else "by one maximal score and all others exactly gamma below it"
    return Bound(
        kind="softmax-hardmax",
        parameters={"n": length, "gamma": text, "ties": bool(ties)},
        **against(value, lambda: 2 * length * (-gap()).exp(), wanted, ("supremum", "2 n e^-gamma")),
        attained=True,
        where=where,
        source="Cookbook, Lemma 5.3",
        proofs=(
            "cookbook.s5.7.lemma5.3",
            "yang2026.lemma32.hard",
            "lem.hard_soft_ties",
            "lem.hard_soft_ties_attained",
            "lem.hard_soft_value",
        ),
        extra={"error of a value in [0, 1]": shown(lambda: value() / 2, wanted, "the error of a value")},
    )


# The weight at distance k from q is proportional to x^(k^2) with x = e^-gamma, so that the distance is 2 S/(1 + S)
# with S = T(q - 1) + T(n - q), T(m) = sum of x^(k^2) over k = 1..m. T grows by less and less, so S is greatest in the
# middle, q = ceil(n/2), and over all n its supremum is 2 T(infinity) = theta(x) - 1, approached and not reached. So
# the error does not grow with n, while Lemma 5.3 gives 2 n e^-gamma.
#
# Claimed: 4 e^-gamma, as Lemma 6 of yang2026 gives for scores that fall by gamma a step (here (j - q)^2 >= |j - q|).
# "free of n" is the bound 4 x/(1 + 2 x - x^3) of `lem.quadratic_l1`, from k^2 >= 3 k - 2.
def quadratic_lookup(
    gamma: str | int | Fraction, n: int | str | None = None, q: int | str | None = None, digits: int | str = 30
) -> Bound:
    """The L1 distance between softmax of the scores gamma (2 q j - j^2) and the position q, against 4 e^-gamma.

    The value is the supremum over the positions q and lengths n that are not given.

    Arguments:
        gamma: exact. A positive number, at most 10^30.
        n: int or None (None). The length; None means every length.
        q: int or None (None). The position that is looked up, from 1 to n; None means the worst one.
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound. Its dictionary `extra` has under "free of n" the bound 4 x/(1 + 2 x - x^3) with x = e^-gamma,
    which holds for every n.

    Raises: BadInput: gamma, n, q or digits out of range.

    Example:

    >>> quadratic_lookup(5, n=64, digits=4).holds
    True

    Source: Cookbook, Section 5.3.4 and Lemma 5.3; yang2026, Lemmas 6 and 7.
    """
    wanted = check_digits(digits)
    text, ball_of = positive(gamma)
    length = None if n is None else count(n)
    position = None if q is None else count(q, "q")
    if position is not None and length is None:
        raise BadInput("a position q needs the number of positions, n", f"q = {position}", "give --n as well")
    if position is not None and length is not None and position > length:
        raise BadInput(
            "q must be a position from 1 to n", f"q = {position}, n = {length}", "give a --q that is at most n"
        )
    # The worst q is the middle. Without n there are infinitely many positions on both sides.
    place = position or (0 if length is None else (length + 1) // 2)
    sides = (None, None) if length is None else (place - 1, length - place)
    """The number of positions on either side of q; None: infinitely many."""
    # The number of sides with a position, each of which has one term x.
    neighbours = sum(side != 0 for side in sides)

    def beyond() -> flint.arb:
        """S without its terms at distance 1."""
        gamma, (first_side, second_side) = ball_of(), sides
        # Both sides are equally long, or infinite.
        if first_side is None or second_side is None or first_side == second_side:
            return 2 * squares(gamma, second_side, 2)[0]
        shorter_side, longer_side = sorted((first_side, second_side))
        end = reach(gamma, 2)
        if (
            end is not None and end < shorter_side
        ):  # then the ball of the longer side contains the sum of the shorter one
            return 2 * squares(gamma, longer_side, 2)[0]
        return squares(gamma, shorter_side, 2)[0] + squares(gamma, longer_side, 2)[0]

    def value() -> flint.arb:
        return distance(neighbours * (-ball_of()).exp() + beyond())

    def difference() -> flint.arb:
        """(claimed - value) (1 + S), computed so that 4 x does not cancel against 2 S."""
        x, beyond_sum = (-ball_of()).exp(), beyond()
        return (4 - 2 * neighbours) * x + 4 * x * (neighbours * x + beyond_sum) - 2 * beyond_sum

    def free() -> flint.arb:
        """The bound 4 x/(1 + 2 x - x^3) of `lem.quadratic_l1`."""
        x = (-ball_of()).exp()
        return 4 * x / (1 + 2 * x - x**3)

    extra = {"free of n": shown(free, wanted)}
    if length is not None:
        extra["2 n e^-gamma"] = shown(lambda: 2 * length * (-ball_of()).exp(), wanted)
    parameters: dict[str, int | bool | str] = {"gamma": text}
    parameters |= {name: v for name, v in (("n", length), ("q", position)) if v is not None}
    labels = ("L1 distance" if position is not None else "supremum", "4 e^-gamma")
    return Bound(
        kind="lookup",
        parameters=parameters,
        **against(value, lambda: 4 * (-ball_of()).exp(), wanted, labels, difference),
        attained=length is not None,
        where=f"at q = {place}" if length is not None else "approached as n grows, q in the middle",
        source="Cookbook, Section 5.3.4; yang2026, Lemma 6",
        proofs=("lem.quadratic_l1", "lem.quadratic_l1_simple", "lem.quadratic_greatest"),
        extra=extra,
    )


SMALLEST = {"float16": 24, "bfloat16": 133, "float32": 149, "float64": 1074}
"""Float format -> the k such that 2^-k is its smallest positive (subnormal) number."""


# Why the value is sharp. With x = e^(-gamma/tau) the greatest error is (n - 1) x/(1 + (n - 1) x): the weight that
# softmax gives to the other positions, where the value is 0 and the maximum's is 1 (or the reverse). It is at most
# delta exactly when x <= delta/((1 - delta)(n - 1)), that is tau <= gamma/log((n - 1)(1 - delta)/delta). Where that
# logarithm is not positive every tau will do.
#
# Claimed: tau = gamma/log(2 n/delta), from 2 n e^(-gamma/tau) = delta; for delta = 1/4 the rule gamma/log(8 n) of
# Section 5.7. It holds where it is at most the sharp value; "slack" is their quotient, and "error at the rule" the
# greatest error there.
#
# Rounding. Once e^(-gamma/tau) rounds to zero (to the nearest, ties to even, subnormal numbers kept), the row is
# exactly hard. The least positive number 2^-k rounds to zero up to 2^-(k + 1), so that tau = gamma/((k + 1) log 2) is
# the greatest such temperature; with `bits` = p fractional bits, k = p.
def temperature(
    n: int | str,
    gamma: str | int | Fraction,
    error: str | int | Fraction = "1/4",
    bits: int | str | None = None,
    digits: int | str = 30,
) -> Bound:
    """The largest temperature that keeps the error of retrieved values below a target, against gamma/log(2 n/error).

    One score is the maximum, and every other score is at least gamma below it.

    Arguments:
        n: int. How many scores there are; at least 2.
        gamma: exact. The score gap: a positive number, at most 10^30.
        error: exact ("1/4"). The largest error of a value in [0, 1]; between 0 and 1.
        bits: int or None (None). Fractional bits of a fixed-point format, which is added to the float formats.
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound. `extra` has the largest temperature at which the other weights round to zero, by float format.

    Raises: BadInput: n, gamma, error, bits or digits out of range.

    Example:

    >>> temperature(64, 5, digits=4).holds
    True

    Source: Cookbook, Section 5.7.
    """
    wanted = check_digits(digits)
    length = count(n, least=2)
    text, gap = positive(gamma)
    target, delta = exact(error, "error")
    places = None if bits is None else count(bits, "bits", bits=30)
    # The target must be between 0 and 1, and below the error of equal weights.
    for side, sign in (("greater than 0", lambda: delta()), ("less than 1", lambda: 1 - delta())):
        if decide_sign(sign, f"error {side}") <= 0:
            raise BadInput("the error must be between 0 and 1", target, "give for example --error 1/4")

    def odds() -> flint.arb:
        """The number whose logarithm is in the sharp temperature: (n - 1) (1 - delta)/delta."""
        return (length - 1) * (1 - delta()) / delta()

    share = Fraction(length - 1, length)  # the error of equal weights; balls cannot decide that the target equals it
    if _is_number(target, share) or decide_sign(lambda: odds() - 1, "(n - 1)(1 - error)/error > 1") <= 0:
        raise BadInput(
            "the error must be below (n - 1)/n, where every temperature reaches it",
            f"{target}, n = {length}",
            "give a smaller --error",
        )

    def value() -> flint.arb:
        """The sharp temperature."""
        return gap() / odds().log()

    def claimed() -> flint.arb:
        """The temperature of the rule."""
        return gap() / (2 * length / delta()).log()

    def at_rule() -> flint.arb:
        """The greatest error at the temperature of the rule."""
        x = delta() / (2 * length)
        return (length - 1) * x / (1 + (length - 1) * x)

    # The rule's temperature is at most the sharp one iff the argument of its logarithm is at least the other argument.
    holds = decided(lambda: 2 * length / delta() - odds(), wanted, "the rule's tau <= the tight tau")
    extra = {
        "slack": shown(lambda: value() / claimed(), wanted, "the slack"),
        "error at the rule": shown(at_rule, wanted, "the error"),
    }
    # For each format, the temperature up to which weights round to zero.
    formats = {**SMALLEST, **({} if places is None else {f"{places} fractional bits": places})}
    for name, k in formats.items():
        extra[f"hard in {name}"] = shown(lambda k=k: vanishing(gap(), k), wanted, "a temperature")
    parameters: dict[str, int | bool | str] = {"n": length, "gamma": text, "error": target}
    return Bound(
        kind="temperature",
        parameters=parameters if places is None else {**parameters, "bits": places},
        value=shown(value, wanted, "the largest temperature"),
        claimed=shown(claimed, wanted, "the rule's temperature"),
        holds=holds,
        attained=True,
        where="with one maximal score and all others exactly gamma below it",
        source="Cookbook, Section 5.7",
        labels=("largest tau", "gamma/log(2 n/error)"),
        proofs=("cookbook.s5.7.tau", "lem.hard_soft_value", "cookbook.s5.7.precision"),
        extra=extra,
    )


def _is_number(text: str, number: Fraction) -> bool:
    """Whether the text is a rational number equal to `number`."""
    try:
        return rational(parse_term(text)) == number
    except BadInput:  # not rational, or too large to compute exactly
        return False


def vanishing(gamma: flint.arb, k: int) -> flint.arb:
    """The largest tau at which e^(-gamma/tau) rounds to zero, in a format with the smallest positive number 2^-k."""
    return gamma / ((k + 1) * flint.arb.const_log2())
