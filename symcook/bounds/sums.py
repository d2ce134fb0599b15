"""Sums of many terms of a smooth function: term by term where few matter, else by the formula of Euler and Maclaurin.

For f analytic near [0, m] the sum over k = 1..m is

    integral of f over [0, m] + (f(m) - f(0))/2 + sum of B_2j/(2 j)! (f^(2j - 1)(m) - f^(2j - 1)(0)) over j = 1..p + R,

with |R| <= 2 zeta(2 p)/(2 pi)^(2 p) times the integral of |f^(2 p)|. By Cauchy's estimate |f^(2 p)(t)| is at most
(2 p)!/r^(2 p) times the greatest |f| on the circle of radius r around t, so that R is tiny where r is much greater than
p. All enclosures are at flint's precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import flint

from symcook.errors import Undecided

FEW = 20_000
"""So many terms are added one by one without trying anything else."""
MAX_TERMS = 2_000_000

Series = flint.arb_series


class Smooth(NamedTuple):
    """A function on t >= 0: its power series, its integral over [0, m], and what bounds it around [0, m].

    series: for a series in t. integral: m None means no end, where f and all its derivatives vanish. reach: r, and a
    bound of the integral over t in [0, m] of the greatest |f| on the circle of radius r around t.
    """

    series: Callable[[Series], Series]
    integral: Callable[[int | None], flint.arb]
    reach: tuple[flint.arb, flint.arb]


def euler_maclaurin(f: Smooth, m: int | None) -> flint.arb | None:
    """The sum of f over 1..m; None where the remainder does not get below the last bit."""
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
    total = f.integral(m) + remainder.union(-remainder)
    for place, sign in ends:
        found = _coefficients(f.series, place, 2 * order)
        total += sign * found[0] / 2
        for j in range(1, order + 1):  # f^(2j - 1)/(2j - 1)! is the coefficient
            total += sign * flint.arb(flint.fmpq.bernoulli(2 * j)) / (2 * j) * found[2 * j - 1]
    return total


def _coefficients(series: Callable[[Series], Series], place: int, many: int) -> list[flint.arb]:
    """The first `many` Taylor coefficients at a place, at least one."""
    many = max(many, 1)
    before, flint.ctx.cap = flint.ctx.cap, many + 1  # flint drops what is beyond its cap, without a word
    try:
        found = series(Series([place, 1], many))
        return [found[k] for k in range(many)]
    finally:
        flint.ctx.cap = before


# --- Powers x^(k^2) ---------------------------------------------------------------------------------------------------


def squares(gamma: flint.arb, m: int | None, first: int = 1) -> tuple[flint.arb, flint.arb]:
    """The sums of x^(k^2) and of k x^(k^2) over k = first..m, for x = e^-gamma; m None: no end.

    gamma > 0, first at least 1. For m beyond `reach` the balls hold the sums to every end from there on. Raises
    Undecided where more than MAX_TERMS terms matter and no formula serves.
    """
    if m is not None and m < first:
        return flint.arb(0), flint.arb(0)
    end = reach(gamma, first)
    last = end if m is None or (end is not None and end < m) else m
    if last is None or last > FEW:
        found = [euler_maclaurin(f, m) for f in _gaussians(gamma, m)]
        mass, mean = found
        if mass is not None and mean is not None:
            early = [(-gamma * k * k).exp() for k in range(1, first)]
            return mass - sum(early, flint.arb(0)), mean - sum((k * t for k, t in enumerate(early, 1)), flint.arb(0))
        if last is None or last > MAX_TERMS:
            raise Undecided(f"more than {MAX_TERMS} positions matter here; give a greater gamma or fewer digits.")
    x = (-gamma).exp()
    mass, mean = flint.arb(0), flint.arb(0)
    power, step, square = x ** (first * first), x ** (2 * first + 1), x * x
    for k in range(first, last + 1):
        mass += power
        mean += k * power
        power *= step
        step *= square
    if last != m:  # beyond `last` the terms fall, and so they are below the integrals from there on
        rest = (-gamma * last * last).exp() / (2 * gamma)
        mass, mean = mass + (rest / last).union(flint.arb(0)), mean + rest.union(flint.arb(0))
    return mass, mean


def reach(gamma: flint.arb, first: int) -> int | None:
    """A k with e^(-gamma (k^2 - first^2))/gamma below the last bit; None if it is beyond all that is added. Terms from
    there on are in the balls of `squares`, and are not added one by one."""
    bits = (flint.ctx.prec * flint.arb.const_log2() - gamma.min(1).log()) / gamma + first * first
    root = (bits.abs_upper().sqrt() + 1).upper()
    if not root < 2 * MAX_TERMS:
        return None
    whole = root.ceil().unique_fmpz()
    return None if whole is None else int(whole)


def _gaussians(gamma: flint.arb, m: int | None) -> tuple[Smooth, Smooth]:
    """e^(-gamma t^2) and t e^(-gamma t^2).

    For |z - t| <= r: |e^(-gamma z^2)| <= e^(gamma r^2) e^(-gamma s^2) with s = max(0, t - r), and |z| <= t + r. The
    integrals of e^(-gamma s^2) and of (t + r) e^(-gamma s^2) over t are at most r + w and 2 r^2 + 2 r w + 1/(2 gamma),
    w = sqrt(pi/gamma)/2.
    """
    radius = (flint.arb(flint.ctx.prec) / gamma).sqrt() / 2
    grown, width = (gamma * radius * radius).exp(), (flint.arb.pi() / gamma).sqrt() / 2

    def area(end: int | None) -> flint.arb:
        return width if end is None else width * (gamma.sqrt() * end).erf()

    def moment(end: int | None) -> flint.arb:
        return 1 / (2 * gamma) if end is None else -(-gamma * end * end).expm1() / (2 * gamma)

    def bell(t: Series) -> Series:
        return (-gamma * t * t).exp()

    return (
        Smooth(bell, area, (radius, grown * (radius + width))),
        Smooth(lambda t: t * bell(t), moment, (radius, grown * (2 * radius * (radius + width) + 1 / (2 * gamma)))),
    )


# --- Powers x^(n k/(n - k)) -------------------------------------------------------------------------------------------


def hyperbolic(gamma: flint.arb, n: int) -> flint.arb:
    """The sum of x^(n k/(n - k)) over k = 1..n - 1, for x = e^-gamma, gamma > 0.

    Each exponent is above the one before by 1 at least, so that a term over 1 - x bounds it and all later ones. Where
    n - t is above L, |z - t| <= r <= L gives Re(n z/(n - z)) = Re(n^2/(n - z)) - n >= n^2/(n - t + r) - n >= -r, so
    that |f| <= e^(gamma r). The last L terms are added one by one. Raises Undecided where more than MAX_TERMS terms
    matter and no formula serves.
    """
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
            assert end is not None
            v = flint.arb(flint.fmpq(n * n, n - end))
            start, stop = (gamma * n).expint(2) * n, (gamma * v).expint(2) * n * n / v
            return (gamma * n).exp() * (start - stop)

        def term(t: Series) -> Series:
            return (-gamma * n * t / (n - t)).exp()

        size = (gamma * radius).exp() * smooth
        found = euler_maclaurin(Smooth(term, area, (radius, size)), smooth)
        if found is not None:
            total, first = found, smooth + 1
    if last - first >= MAX_TERMS:
        raise Undecided(
            f"more than {MAX_TERMS} positions matter here; give a greater gamma, a smaller n or fewer digits."
        )
    for k in range(first, last + 1):
        total += (-gamma * flint.arb(flint.fmpq(n * k, n - k))).exp()
    if last < n - 1:
        beyond = (-gamma * flint.arb(flint.fmpq(n * (last + 1), n - last - 1))).exp()
        total += (beyond / -(-gamma).expm1()).union(flint.arb(0))
    return total
