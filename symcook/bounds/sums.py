"""Sums of many terms of a smooth function: term by term if few terms matter, else by the Euler-Maclaurin formula.

For f analytic near [0, m] the sum over k = 1..m is

    integral of f over [0, m] + (f(m) - f(0))/2 + sum of B_2j/(2 j)! (f^(2j - 1)(m) - f^(2j - 1)(0)) over j = 1..p + R,

with |R| <= 2 zeta(2 p)/(2 pi)^(2 p) times the integral of |f^(2 p)|. By Cauchy's estimate |f^(2 p)(t)| is at most
(2 p)!/r^(2 p) times the largest |f| on the circle of radius r around t, so that R is very small if r is much greater
than p. All enclosures are at flint's precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

import flint

from symcook.bounds.arguments import Bound, count, shown
from symcook.door import check_digits
from symcook.errors import BadInput, Undecided
from symcook.numbers.balls import Ball, arb_of, decide_sign
from symcook.present import present

FEW = 20_000
"""Up to this many terms are always added one by one."""
MAX_TERMS = 2_000_000
"""The largest number of terms that are added one by one."""


class Smooth(NamedTuple):
    """A function f on t >= 0.

    series: f of a power series in t. integral: its integral over [0, m]; m is None for infinity, where f and all its
    derivatives tend to 0 (`hyperbolic` takes no None). reach: (r, a bound of the integral over t in [0, m] of the
    largest |f| on the circle of radius r around t).
    """

    series: Callable[[flint.arb_series], flint.arb_series]
    integral: Callable[[int | None], flint.arb]
    reach: tuple[flint.arb, flint.arb]


def euler_maclaurin(f: Smooth, m: int | None) -> flint.arb | None:
    """The sum of f over 1..m (m None: infinity); None if the remainder does not get below the precision."""
    # 1. Find the order p at which the remainder is below the precision; give up if it increases before.
    radius, size = f.reach
    last = flint.arb(2) ** -flint.ctx.prec
    step = (2 * flint.arb.pi() * radius) ** -2
    remainder, order = 4 * size, 0
    while order == 0 or not remainder < last:  # the bound for p is that for p - 1 times 2 p (2 p - 1)/(2 pi r)^2
        order += 1
        factor = 2 * order * (2 * order - 1) * step
        if not factor < 1:
            return None
        remainder *= factor
    ends = [(0, -1)] if m is None else [(0, -1), (m, 1)]
    # 2. The integral, the remainder as a ball, and the corrections at both ends (at 0 only if m is infinite).
    total = f.integral(m) + remainder.union(-remainder)
    for place, sign in ends:
        coefficients = _coefficients(f.series, place, 2 * order)
        total += sign * coefficients[0] / 2
        for j in range(1, order + 1):  # the coefficient is f^(2j - 1)/(2j - 1)!
            total += sign * flint.arb(flint.fmpq.bernoulli(2 * j)) / (2 * j) * coefficients[2 * j - 1]
    return total


def _coefficients(
    series: Callable[[flint.arb_series], flint.arb_series], place: int, count_wanted: int
) -> list[flint.arb]:
    """The first `count_wanted` Taylor coefficients at a place."""
    before, flint.ctx.cap = flint.ctx.cap, count_wanted + 1  # flint drops terms of higher order than its cap
    try:
        coefficients = series(flint.arb_series([place, 1], count_wanted))
        return [coefficients[k] for k in range(count_wanted)]
    finally:
        flint.ctx.cap = before


# --- Powers x^(k^2) ---------------------------------------------------------------------------------------------------


def squares(gamma: flint.arb, m: int | None, first: int = 1) -> tuple[flint.arb, flint.arb]:
    """The sums of x^(k^2) and of k x^(k^2) over k = first..m, for x = e^-gamma; m None: infinity.

    gamma > 0, first at least 1. If m is greater than `reach` and terms are added one by one, the balls contain the sums
    up to every end >= reach; by the formula, sums up to such ends differ by less than the precision. Raises Undecided
    if more than MAX_TERMS terms matter and the formula does not apply.
    """
    # An empty sum.
    if m is not None and m < first:
        return flint.arb(0), flint.arb(0)
    end = reach(gamma, first)
    # The last term that matters: `end`, or m if that is smaller.
    last = end if m is None or (end is not None and end < m) else m
    if last is None or last > FEW:
        # Many terms: by the formula, minus the terms before `first`.
        integrals = [euler_maclaurin(f, m) for f in _gaussians(gamma, m)]
        mass, mean = integrals
        if mass is not None and mean is not None:
            early = [(-gamma * k * k).exp() for k in range(1, first)]
            return mass - sum(early, flint.arb(0)), mean - sum((k * t for k, t in enumerate(early, 1)), flint.arb(0))
        if last is None or last > MAX_TERMS:
            raise Undecided(
                f"more than {MAX_TERMS:,} positions have a weight that counts; give a greater gamma or fewer digits."
            )
    # Few terms: one by one, with each power x^(k^2) from the one before.
    x = (-gamma).exp()
    mass, mean = flint.arb(0), flint.arb(0)
    power, step, square = x ** (first * first), x ** (2 * first + 1), x * x
    for k in range(first, last + 1):
        mass += power
        mean += k * power
        power *= step
        step *= square
    if last != m:  # after `last` the terms decrease, so that their sums are below the integrals
        tail = (-gamma * last * last).exp() / (2 * gamma)
        mass, mean = mass + (tail / last).union(flint.arb(0)), mean + tail.union(flint.arb(0))
    return mass, mean


def reach(gamma: flint.arb, first: int) -> int | None:
    """A k such that e^(-gamma (k^2 - first^2))/gamma is below the precision; None if k is at least 2 MAX_TERMS. In
    `squares`, later terms are contained in the ball, and are not added one by one."""
    square_bound = (flint.ctx.prec * flint.arb.const_log2() - gamma.min(1).log()) / gamma + first * first
    root = square_bound.abs_upper().sqrt().upper()
    if not root < 2 * MAX_TERMS:
        return None
    steps_needed = root.ceil().unique_fmpz()
    return int(present(steps_needed))


def _gaussians(gamma: flint.arb, m: int | None) -> tuple[Smooth, Smooth]:
    """The functions e^(-gamma t^2) and t e^(-gamma t^2), with bounds for the sums over 1..m.

    For |z - t| <= r: |e^(-gamma z^2)| <= e^(gamma r^2) e^(-gamma s^2) with s = max(0, t - r), and |z| <= t + r. The
    integrals of e^(-gamma s^2) and of (t + r) e^(-gamma s^2) over t are r + w and 3 r^2/2 + 2 r w + 1/(2 gamma), with
    w = sqrt(pi/gamma)/2. For r = sqrt(p/gamma)/2 and a precision p of 4 bits or more w <= r and 1/gamma <= r^2, so that
    they are at most 2 r and 4 r^2, and e^(gamma r^2) is e^(p/4).
    """
    radius = (flint.arb(flint.ctx.prec) / gamma).sqrt() / 2
    growth, width = (flint.arb(flint.ctx.prec) / 4).exp(), (flint.arb.pi() / gamma).sqrt() / 2

    def area(end: int | None) -> flint.arb:
        """The integral of e^(-gamma t^2) from 0."""
        return width if end is None else width * (gamma.sqrt() * end).erf()

    def moment(end: int | None) -> flint.arb:
        """The integral of t e^(-gamma t^2) from 0."""
        return 1 / (2 * gamma) if end is None else -(-gamma * end * end).expm1() / (2 * gamma)

    def bell(t: flint.arb_series) -> flint.arb_series:
        return (-gamma * t * t).exp()

    return (
        Smooth(bell, area, (radius, growth * 2 * radius)),
        Smooth(lambda t: t * bell(t), moment, (radius, growth * 4 * radius**2)),
    )


# --- Powers x^(n k/(n - k)) -------------------------------------------------------------------------------------------


def hyperbolic(gamma: flint.arb, n: int) -> flint.arb:
    """The sum of x^(n k/(n - k)) over k = 1..n - 1, for x = e^-gamma, gamma > 0.

    Consecutive exponents differ by at least 1, so a term divided by 1 - x bounds the sum of it and all later terms. For
    n - t > L and |z - t| <= r <= L: Re(n z/(n - z)) = Re(n^2/(n - z)) - n >= n^2/(n - t + r) - n >= -r, so
    |f| <= e^(gamma r) there. The last L terms are added one by one. Raises Undecided if more than MAX_TERMS terms
    matter and the formula does not apply.
    """
    # Terms up to `last` matter. Up to `smooth`, which is `margin` (L above) before the end, the formula applies.
    bits = (flint.ctx.prec * flint.arb.const_log2() - gamma.min(1).log()) / gamma
    reach = bits.abs_upper().ceil().unique_fmpz()
    last = n - 1 if reach is None else min(n - 1, n * int(reach) // (n + int(reach)) + 1)  # n k/(n - k) >= reach
    margin = 8 * flint.ctx.prec + n.bit_length()
    smooth = min(last, n - 1 - margin)
    total, first = flint.arb(0), 1
    if last > FEW and smooth > 0:
        radius = flint.arb(margin).min(flint.ctx.prec / (8 * gamma))

        def area(end: int | None) -> flint.arb:
            """With v = n^2/(n - t): the integral of n^2/v^2 e^(gamma (n - v)), by the exponential integral E_2."""
            v = flint.arb(flint.fmpq(n * n, n - present(end)))
            start, stop = (gamma * n).expint(2) * n, (gamma * v).expint(2) * n * n / v
            return (gamma * n).exp() * (start - stop)

        def term(t: flint.arb_series) -> flint.arb_series:
            return (-gamma * n * t / (n - t)).exp()

        size = (gamma * radius).exp() * smooth
        tail_sum = euler_maclaurin(Smooth(term, area, (radius, size)), smooth)
        if tail_sum is not None:
            total, first = tail_sum, smooth + 1
    # Add the other terms one by one; the next term divided by 1 - x bounds those after `last`.
    if last - first >= MAX_TERMS:
        raise Undecided(
            f"more than {MAX_TERMS:,} positions have a weight that counts; "
            "give a greater gamma, a smaller n or fewer digits."
        )
    for k in range(first, last + 1):
        total += (-gamma * flint.arb(flint.fmpq(n * k, n - k))).exp()
    if last < n - 1:
        beyond = (-gamma * flint.arb(flint.fmpq(n * (last + 1), n - last - 1))).exp()
        total += (beyond / -(-gamma).expm1()).union(flint.arb(0))
    return total


MAX_SEARCH = 256
"""The largest n for which the smallest precision is searched: each of the n^2 scores is rounded for each p."""


def gap(q: int, k: int) -> flint.arb:
    """1 - phi_q . phi_k = (q - k)^2/(A (A + q k + 1)) with A = sqrt((q^2 + 1)(k^2 + 1)), at flint's precision."""
    root = flint.arb(flint.fmpz((q * q + 1) * (k * k + 1))).sqrt()
    return flint.arb(flint.fmpz((q - k) ** 2)) / (root * (root + flint.fmpz(q * k + 1)))


def tie_break(i: int) -> Fraction:
    """f(i) of Definition 7 of merrill2024: 1/1000 - i/10^10 up to 4, then 6/(100 i (i - 1)(i - 2)(i - 3))."""
    return Fraction(1, 1000) - Fraction(i, 10**10) if i <= 4 else Fraction(6, 100 * i * (i - 1) * (i - 2) * (i - 3))


# phi_q . phi_k is the cosine of the angle between (q, 1) and (k, 1), and the gap grows with |q - k|/(q k + 1). That
# is least for the neighbours n and n - 1, where the gap lies between 1/(2 n^4) and 1/(2 n^4) + 21/(20 n^5).
def layernorm_hash(n: int | str, tie_break: bool = False, search: bool = False, digits: int | str = 30) -> Bound:
    """The smallest score gap of the layer-norm hash over positions up to n, against 1/(2 n^4).

    The gap is 1 - phi_q . phi_k over 1 <= q != k <= n, where phi_x = (x, 1, -x, -1)/sqrt(2 x^2 + 2). The hash of the
    Cookbook is twice as long, so that its gaps are 4 times these.

    Arguments:
        n: int. The last position; at least 2.
        tie_break: bool (False). Also the largest tie-breaking term of merrill2024, Definition 7, and the gap that
            remains.
        search: bool (False). Also the smallest p such that with p bits or more the argmax is right for each q, with all
            operations rounded; n is then at most 256.
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound.

    Raises: BadInput: n or digits out of range.

    Example:

    >>> layernorm_hash(8, digits=4).holds
    True

    Source: Cookbook, Section 5.3.3; merrill2024, Definitions 3 and 7, Lemmas 8 and 10.
    """
    wanted = check_digits(digits)
    length = count(n, least=2)

    def claimed() -> flint.arb:
        """The claimed bound 1/(2 n^4)."""
        return 1 / flint.arb(flint.fmpz(2 * length**4))

    # Further values, some of them only with the two options.
    extra: dict[str, Ball | str] = {
        "Cookbook's scale": shown(lambda: 4 * gap(length, length - 1), wanted),
        "gap times 2 n^4": shown(lambda: gap(length, length - 1) / claimed(), wanted),
    }
    proofs = ["merrill2024.lemma8", "lem.hash_gap_least", "lem.hash_gap_bounds"]
    if tie_break:
        term = _tie_break(length)
        extra["tie-breaking term"] = shown(lambda: arb_of(term), wanted)
        extra["what it leaves"] = shown(lambda: gap(length, length - 1) - arb_of(term), wanted)
        proofs.append("merrill2024.lemma10")
    if search:
        if length > MAX_SEARCH:
            raise BadInput(
                f"n must be at most {MAX_SEARCH} to search for the smallest precision",
                length,
                "give a smaller --n, or leave --search out",
            )
        extra["smallest precision"] = f"{least_precision(length)} bits"
    # Balls decide value >= 1/(2 n^4), since the quotient of the two is at least 1 + 1/n.
    holds = decide_sign(lambda: gap(length, length - 1) - claimed(), "the smallest gap >= 1/(2 n^4)") >= 0
    parameters: dict[str, int | bool | str] = {"n": length}
    return Bound(
        kind="layernorm-hash",
        parameters=parameters | ({"tie_break": True} if tie_break else {}) | ({"search": True} if search else {}),
        value=shown(lambda: gap(length, length - 1), wanted, "the smallest gap"),
        claimed=shown(claimed, wanted, "the claimed bound"),
        holds=holds,
        attained=True,
        where="by q = n and k = n - 1",
        source="Cookbook, Section 5.3.3; merrill2024, Lemma 8",
        labels=("smallest gap", "1/(2 n^4)"),
        proofs=tuple(proofs),
        extra=extra,
    )


_tie_break = tie_break  # `layernorm_hash` has an argument of the same name


def least_precision(n: int) -> int:
    """The smallest p such that with p bits or more each query 1..n has its own position as the only maximum.

    Each operation is rounded to the nearest number of p bits, ties to even: x^2, x^2 + 1, 2 x^2 + 2, its root, x/root
    and 1/root for the two different components (the others are their negatives), the two products and their sum, which
    is half of the score. With u = 2^-p the components have relative errors of at most 3 u. The sums, which are at most
    1/2, have errors of at most 4 u, up to terms in u^2. Half of the smallest gap is more than 1/(4 n^4). So
    p >= 4 log2(n) + 6 always suffices, and the search goes down from above that. With one bit the query 1 has two
    maxima, so the search ends before p = 0.
    """
    top = 4 * (n - 1).bit_length() + 12
    if not all(_right(n, top)):
        raise BadInput(
            "the argmax must be right at the precision where the search starts",
            f"{top} bits, n = {n}",
        )
    p = top
    while all(_right(n, p - 1)):
        p -= 1
    return p


def _right(n: int, p: int) -> Iterator[bool]:
    """For each query from n down to 1: whether the score of its own position is greater than every other score.

    Components are multiples of one power of two, and are represented by integers, which is about 20 times faster than
    fractions.
    """
    exact = [_rounded_components(x, p) for x in range(1, n + 1)]
    unit = max(component.denominator for code in exact for component in code)
    codes = [(int(a * unit), int(b * unit)) for a, b in exact]

    def score(q: int, k: int) -> int:
        """Half of the rounded score of query q and key k, in units of the integers."""
        (a, b), (c, d) = codes[q - 1], codes[k - 1]
        return _rounded_whole(_rounded_whole(a * c, p) + _rounded_whole(b * d, p), p)

    for q in range(n, 0, -1):
        own_score = score(q, q)
        yield all(score(q, k) < own_score for k in range(1, n + 1) if k != q)


def _rounded_whole(value: int, p: int) -> int:
    """A positive integer rounded to p significant bits, like `rounded`."""
    shift = value.bit_length() - p
    if shift <= 0:
        return value
    quotient, remainder, half = value >> shift, value & ((1 << shift) - 1), 1 << (shift - 1)
    return (quotient + (remainder > half or (remainder == half and quotient & 1))) << shift


def _rounded_components(x: int, p: int) -> tuple[Fraction, Fraction]:
    """The components x/root and 1/root of phi_x, with each operation rounded to p bits."""
    square = rounded(rounded(rounded(Fraction(x * x), p) + 1, p) * 2, p)
    root = rounded_root(square, p)
    return rounded(x / root, p), rounded(1 / root, p)


def rounded(value: Fraction, p: int) -> Fraction:
    """`value` rounded to p significant bits, to the nearest, ties to even.

    >>> rounded(Fraction(11, 8), 2), rounded(Fraction(5, 4), 2)
    (Fraction(3, 2), Fraction(1, 1))
    """
    if not value:
        return value
    top, bottom = abs(value.numerator), value.denominator
    shift = p - (top.bit_length() - bottom.bit_length())  # 2^shift |value| is between 2^(p - 1) and 2^(p + 1)
    scaled = Fraction(top << max(shift, 0), bottom << max(-shift, 0))
    if scaled >= 1 << p:
        shift, scaled = shift - 1, scaled / 2
    mantissa = Fraction(round(scaled))  # ties to even
    return (1 if value > 0 else -1) * (mantissa / 2**shift if shift >= 0 else mantissa * 2**-shift)


def rounded_root(value: Fraction, p: int) -> Fraction:
    """The square root of `value` > 0 rounded to p significant bits, to the nearest, ties to even.

    >>> rounded_root(Fraction(2), 4)
    Fraction(11, 8)
    """
    top, bottom = value.numerator, value.denominator
    shift = p + 2 + (bottom.bit_length() + 1) // 2
    root = isqrt((top << 2 * shift) // bottom)
    exact = root * root * bottom == top << 2 * shift
    # If the root is not exact, the true one is strictly between root and root + 1: root + 1/2 rounds to the same
    # number.
    return rounded(Fraction(2 * root + (0 if exact else 1), 2 << shift), p)
