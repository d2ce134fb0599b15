"""Softmax for scores that fall off with the distance from the maximum: three lemmas of yang2026 with sharp constants.

`ziggurat` is Lemma 6, `table_lookup` Lemma 7 and `tie_break` Lemma 8. Each returns the supremum of the error and the
bound of the lemma; the comment before it has the derivation.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import isqrt

import flint

from symcook.bounds.arguments import Bound, against, count, distance, positive, shown
from symcook.bounds.sums import hyperbolic, squares
from symcook.door import check_digits
from symcook.errors import SymcookError, unknown
from symcook.locks import PRECISION
from symcook.numbers.evaluate import positive_on, zero

SHARP = {"a": "lem.tie_quadratic_sharp", "b": "lem.tie_right_sharp", "c": "lem.tie_left_sharp"}
"""Variant of Lemma 8 -> id of the lemma that 2 e^-gamma suffices."""
# Variant -> its scores, and the hardmax that they are compared with.
VARIANTS = {
    "a": "gamma n^2 (s_j - 1/j), rightmost",
    "b": "2 gamma n (s_j + j/(2 n)), rightmost",
    "c": "2 gamma n (s_j - j/(2 n)), leftmost",
}


# With x = e^-gamma the weights are greatest where s_j = s_p - gamma |j - p|; then the distance is 2 S/(1 + S) with
# S = T(p - 1) + T(n - p), T(m) = x + ... + x^m = x (1 - x^m)/(1 - x). T grows by less and less, so p = ceil(n/2) is
# the worst place, and over all n the supremum is 4 x/(1 + x), approached and not reached. "p at an end" is the
# supremum for p = 1 or n, where S = T(n - 1); over all n it is 2 x, half of what is claimed.
def ziggurat(gamma: str | int | Fraction, n: int | str | None = None, digits: int | str = 30) -> Bound:
    """The largest L1 distance for scores that fall by gamma a step from their maximum, against 4 e^-gamma.

    The scores satisfy s_j <= s_p - gamma |j - p| for some position p. If values are at most v_max in size, the error of
    the retrieved value is at most v_max times this distance, and attains that.

    Arguments:
        gamma: exact. A positive number, at most 10^30.
        n: int or None (None). The length; None means every length.
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound. "p at an end" in `extra` is the supremum if p is the first or the last position.

    Raises: BadInput: gamma, n or digits out of range.

    Example:

    >>> ziggurat(5, digits=4).holds
    True

    Source: yang2026, Lemma 6.
    """
    wanted = check_digits(digits)
    text, gap = positive(gamma)
    length = None if n is None else count(n)
    sides = (
        () if length is None else ((length - 1) // 2, length // 2)
    )  # the numbers of positions on either side of the maximum, which is in the middle

    def mass() -> flint.arb:
        """S of the comment above, as x (2 - x^a - x^b)/(1 - x) with a and b positions on either side; over all n, where
        both are infinite, as 2 x/(1 - x)."""
        x = (-gap()).exp()
        both = 2 - sum((_exponential(gap(), m) for m in sides), flint.arb(0))
        return x * both / (1 - x)

    def at_end() -> flint.arb:
        """The distance with the maximum at p = 1 or p = n."""
        x = (-gap()).exp()
        return distance(x * (1 if length is None else 1 - _exponential(gap(), length - 1)) / (1 - x))

    def difference() -> flint.arb:
        """(claimed - value) (1 + S) (1 - x)/(2 x) = E + 2 x (1 - E), E = x^(p - 1) + x^(n - p), or 0 over all n: linear
        in E from 0 to 2, and positive at both ends."""
        x = (-gap()).exp()
        ends = sum((_exponential(gap(), m) for m in sides), flint.arb(0))
        return ends + x * (2 - 2 * ends)

    return Bound(
        kind="ziggurat",
        parameters={"gamma": text} | ({} if length is None else {"n": length}),
        **against(lambda: distance(mass()), lambda: 4 * (-gap()).exp(), wanted, ("supremum", "4 e^-gamma"), difference),
        attained=length is not None,
        where=f"with the maximum at p = {sides[0] + 1} and slopes of gamma" if sides else "approached as n grows",
        source="yang2026, Lemma 6",
        proofs=(
            "yang2026.lemma6",
            "lem.ziggurat_sharp",
            "lem.ziggurat_exact",
            "lem.ziggurat_greatest",
            "lem.ziggurat_best",
        ),
        extra={"p at an end": shown(at_end, wanted, "the one-sided supremum")},
    )


def _exponential(gamma: flint.arb, m: int) -> flint.arb:
    """e^(-gamma m)."""
    return (-gamma * m).exp()


# --- Table lookup -----------------------------------------------------------------------------------------------------


# With x = e^-gamma, a positions to the left of t and b to the right, the error is |A(b) - A(a)|/(1 + S(a) + S(b)),
# where A(m) = sum of k x^(k^2) and S(m) = sum of x^(k^2) over k = 1..m. A position more on the shorter side makes the
# numerator smaller and the denominator greater; one more on the longer side, at distance k, adds weight at k, which
# is more than the mean so far. So t = 1 (or n) is the worst place and longer is worse: the supremum over all n is
# A/(1 + S) without end, approached and not reached.
#
# Times e^gamma this is f = (1 + 2 x^3 + 3 x^8 + ...)/(1 + x + x^4 + ...). For gamma >= 1 its supremum is 1,
# approached as gamma grows: f < 1 wherever 2 x^3 + 3 x^8 + ... < x + x^4 + .... "3/2 suffices from gamma" is the
# smallest gamma from which on f <= 3/2: see `least_gamma`.
def table_lookup(gamma: str | int | Fraction, n: int | str | None = None, digits: int | str = 30) -> Bound:
    """The largest error of a position that softmax attention looks up with scores gamma (2 t j - j^2), against (3/2)
    e^-gamma.

    The error is |sum_j softmax(gamma (2 t j - j^2))_j j - t|, and the value is its supremum over t.

    Arguments:
        gamma: exact. A positive number, at most 10^30; Lemma 7 assumes gamma >= 1.
        n: int or None (None). The length; None means every length.
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound. "3/2 suffices from gamma" in `extra` is the smallest gamma from which the factor 3/2 suffices.

    Raises: BadInput: gamma, n or digits out of range.

    Example:

    >>> table_lookup(5, digits=4).holds
    True

    Source: yang2026, Lemma 7.
    """
    wanted = check_digits(digits)
    text, gap = positive(gamma)
    length = None if n is None else count(n)
    ends = None if length is None else length - 1
    premise = {"premise of Lemma 7": "gamma >= 1, which fails"} if gap() < 1 else {}

    def value() -> flint.arb:
        """The error at t = 1, the worst position, with a = 0 positions to its left and b = n - 1 to its right."""
        mass, mean = squares(gap(), ends)
        return mean / (1 + mass)

    return Bound(
        kind="table-lookup",
        parameters={"gamma": text} | ({} if length is None else {"n": length}),
        **against(value, lambda: 3 * (-gap()).exp() / 2, wanted, ("largest error", "(3/2) e^-gamma")),
        attained=length is not None,
        where="approached as n grows, t at an end" if length is None else "at t = 1 and t = n",
        source="yang2026, Lemma 7",
        proofs=(
            "yang2026.lemma7",
            "lem.lookup_any",
            "lem.lookup_ends",
            "lem.lookup_three_halves",
            "lem.lookup_error",
            "lem.lookup_best",
        ),
        extra={
            "3/2 suffices from gamma": shown(least_gamma, wanted, "the smallest gamma"),
            "best for gamma >= 1": "1, approached as gamma grows",
            **premise,
        },
    )


def _moments(x: flint.arb) -> tuple[flint.arb, flint.arb]:
    """e^gamma A = sum of k x^(k^2 - 1), and S = sum of x^(k^2), over all k >= 1, for a ball within 0 <= x <= 9/10.

    The sum stops at a k where the ratio of consecutive terms is at most 2 x^(2 k + 1) <= 1/2. Twice the first dropped
    term then bounds the rest.
    """
    mean, mass = flint.arb(0), flint.arb(0)
    power, step, k = flint.arb(1), x * x * x, 1  # power = x^(k^2 - 1), step = x^(2 k + 1)
    while not (4 * step < 1 and k * power * flint.arb(2) ** flint.ctx.prec < 1):
        mean += k * power
        mass += power * x
        power *= step
        step *= x * x
        k += 1
    return mean + (2 * k * power).union(flint.arb(0)), mass + (2 * power).union(flint.arb(0))


def least_gamma() -> flint.arb:
    """The smallest gamma such that Lemma 7's 3/2 e^-gamma holds for it and every greater one, at flint's precision.

    With g(x) = 3/2 (1 + S) - e^gamma A, as functions of x = e^-gamma, the lemma's bound holds for every n and t exactly
    where g >= 0. Balls prove g > 0 on [0, 4/5] and g' < 0 on [4/5, 9/10], where g changes its sign.
    """
    if not _one_zero():
        raise SymcookError("rigorous intervals did not show where 3/2 stops to suffice")
    return -zero(_excess, _fall, *_ZERO_INTERVAL).log()


_ZERO_INTERVAL = Fraction(4, 5), Fraction(9, 10)  # an interval of x in which g of `least_gamma` has its only zero


def _excess(x: flint.arb) -> flint.arb:
    """g(x) of `least_gamma`."""
    mean, mass = _moments(x)
    return 3 * (1 + mass) / 2 - mean


@cache
def _one_zero() -> bool:
    """Whether g is positive on [0, 4/5] and falls on [4/5, 9/10]."""
    with PRECISION, flint.ctx.workprec(64):
        return positive_on(_excess, Fraction(0), _ZERO_INTERVAL[0]) and positive_on(
            lambda x: -_fall(x), *_ZERO_INTERVAL
        )


def _fall(x: flint.arb) -> flint.arb:
    """g'(x) = 3/2 sum of k^2 x^(k^2 - 1) - sum of k (k^2 - 1) x^(k^2 - 2), for 0 < x <= 9/10."""
    total = flint.arb(0)
    last = 40 + isqrt(8 * flint.ctx.prec)  # so that 0.9^(last^2) is below the precision
    for k in range(1, last):
        total += flint.arb(flint.fmpq(3 * k * k, 2)) * x ** (k * k - 1)
        total -= k * (k * k - 1) * (x ** (k * k - 2) if k > 1 else 0)
    tail = 2 * flint.arb(last) ** 3 * x ** (last * last - 2)  # each later term is less than half of the one before
    return total + tail.union(-tail)


# --- Breaking ties ----------------------------------------------------------------------------------------------------


# For a maximum at p each other position can be chosen by itself. On the side where ties are allowed a tie is worst;
# on the other the score is 1 lower. With x = e^-gamma the exponents of x are, in (a), n^2 (1/j - 1/p) for j < p and
# n^2 (1 - 1/p + 1/j) for j > p; in (b), p - j and 2 n - (j - p); (c) is (b) mirrored. The distance is 2 S/(1 + S)
# with S the sum of these powers, and the greatest over p is taken. In (b), going from p to p + 1 adds x^p and
# removes x^(n + p), so p = n is worst: S = x + ... + x^(n - 1), and the distance stays below 2 x, half of what is
# claimed.
#
# In (a) p = n is worst too, where the exponents are a_k = n k/(n - k) for k = 1..n - 1. A falling convex function,
# here x^e, has no smaller sum over these than over those of another p, b_1 <= b_2 <= ..., if for each m the sum of
# the m least a is at most that of the m least b (Karamata, Tomic). With q = n - 1 - m terms left out on either side
# that says T(q) - n^2 H_q + q n <= n^2 (n - p)(p - 1)/p, where T(q) is the sum of the q greatest b, n^2 H_q - q n
# that of the q greatest a, and the right side that of all b less that of all a; H are harmonic numbers. The exponents
# to the right of p are above those to its left.
#
# - q <= n - p: T(q)/n^2 = q (1 - 1/p) + H_(p + q) - H_p, and H_(p + q) - H_p - H_q = -sum of q/(i (q + i)) over
#   i = 1..p, which is at most -q/(q + 1) <= -q/n.
# - q = n - s with s < p: what is left to show is that the sum of i/(n (n - i)) - i/(p (p - i)) over i = 0..s - 1 is
#   not positive, and no term is, as p <= n.
def tie_break(variant: str, gamma: str | int | Fraction, n: int | str, digits: int | str = 30) -> Bound:
    """The largest L1 distance to unique-hard attention after scores are changed to break ties, against 4 e^-gamma.

    The scores s have gap at least 1. If values are at most v_max in size, the largest error is v_max times the
    distance.

    Arguments:
        variant: str. The part of Lemma 8. "a": gamma n^2 (s_j - 1/j), for the rightmost maximum; "b": 2 gamma n (s_j +
            j/(2 n)), for the rightmost maximum; "c": 2 gamma n (s_j - j/(2 n)), for the leftmost maximum.
        gamma: exact. A positive number, at most 10^30.
        n: int. The length.
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound.

    Raises: BadInput: an unknown variant, or gamma, n or digits out of range.

    Example:

    >>> tie_break("b", 5, 16, digits=4).holds
    True

    Source: yang2026, Lemma 8.
    """
    wanted = check_digits(digits)
    if variant not in VARIANTS:
        raise unknown("variant", str(variant), tuple(VARIANTS))
    text, gap = positive(gamma)
    length = count(n)

    def mass() -> flint.arb:
        """S for the worst p, which is n ((c) is mirrored). In (b) and (c) S = x + ... + x^(n - 1)."""
        if variant == "a":
            return hyperbolic(gap(), length)
        x = (-gap()).exp()
        return x * (1 - _exponential(gap(), length - 1)) / (1 - x)

    return Bound(
        kind="tie-break",
        parameters={"variant": variant, "gamma": text, "n": length},
        **against(lambda: distance(mass()), lambda: 4 * (-gap()).exp(), wanted, ("supremum", "4 e^-gamma")),
        attained=True,
        where=f"with scores {VARIANTS[variant]}; ties on the one side, a gap of 1 on the other",
        source="yang2026, Lemma 8",
        proofs=(f"yang2026.lemma8{variant}", SHARP[variant]),
    )
