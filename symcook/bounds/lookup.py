"""The quadratic lookup with soft attention: scores gamma (2 q j - j^2), maximal at j = q; an error free of n."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isqrt

import flint

from symcook.bounds.arguments import count, positive
from symcook.bounds.result import Bound, decided, shown
from symcook.bounds.scores import Deficits
from symcook.errors import BadInput, Undecided
from symcook.numbers.balls import ball, check_digits, refine

MAX_TERMS = 2_000_000


def deficits(n: int, q: int) -> Deficits:
    """How far the scores 2 q j - j^2 are below their maximum q^2, for j = 1..n: the squares (j - q)^2.

    >>> deficits(4, 3).text()
    '2*(2*x + x^4)/(1 + 2*x + x^4)'
    """
    found: dict[Fraction | int, int] = {k * k: (k <= q - 1) + (k <= n - q) for k in range(1, max(q - 1, n - q) + 1)}
    return Deficits(1, found)


def quadratic_lookup(
    gamma: str | int | Fraction, n: int | str | None = None, q: int | str | None = None, digits: int | str = 30
) -> Bound:
    """||onehot(q) - softmax(gamma (2 q j - j^2))||_1, its supremum over q and, without n, over n; and 4 e^-gamma.

    gamma: positive. n: the length; without it every length is meant. q: the position looked up, 1..n; without it the
    worst one. Relative radius at most 10^-digits.

    The weight at distance k from q is proportional to x^(k^2) with x = e^-gamma, so that the distance is 2 S/(1 + S)
    with S = T(q - 1) + T(n - q), T(m) = sum of x^(k^2) over k = 1..m. T grows by less and less, so S is greatest in the
    middle, q = ceil(n/2), and over all n its supremum is 2 T(infinity) = theta(x) - 1, approached and not reached. So
    the error does not grow with n, while Lemma 5.3 gives 2 n e^-gamma.

    Claimed: 4 e^-gamma, as Lemma 6 of yang2026 gives for scores that fall by gamma a step (here (j - q)^2 >= |j - q|).
    "free of n" is the bound 4 x/(1 + 2 x - x^3) of `lem.quadratic_l1`, from k^2 >= 3 k - 2.

    Raises BadInput for gamma, n, q or digits. Source: Cookbook, Section 5.3.4 and Lemma 5.3; yang2026, Lemmas 6 and 7.
    """
    wanted = check_digits(digits)
    text, ball_of = positive(gamma)
    length = None if n is None else count(n)
    at = None if q is None else count(q, "q")
    if at is not None and length is None:
        raise BadInput("a position needs a length", f"q = {at}", "give --n as well")
    if at is not None and length is not None and at > length:
        raise BadInput("q must be a position from 1 to n", f"q = {at}, n = {length}")
    place = at if at is not None else None if length is None else (length + 1) // 2

    def beyond() -> flint.arb:
        """S without its terms at distance 1."""
        if length is None or place is None:
            return 2 * _beyond(ball_of())
        few, many = sorted((place - 1, length - place))
        return _both(ball_of(), few, many)

    sides = 2 if length is None or place is None else (place > 1) + (place < length)

    def value() -> flint.arb:
        found = sides * (-ball_of()).exp() + beyond()
        return 2 * found / (1 + found)

    def difference() -> flint.arb:
        """(claimed - value) (1 + S), without the cancellation of 4 x against 2 S."""
        x, rest = (-ball_of()).exp(), beyond()
        return (4 - 2 * sides) * x + 4 * x * (sides * x + rest) - 2 * rest

    def claimed() -> flint.arb:
        return 4 * (-ball_of()).exp()

    def free() -> flint.arb:
        x = (-ball_of()).exp()
        return 4 * x / (1 + 2 * x - x**3)

    sharp = refine(value, wanted, relative=True, what="the supremum")
    paper = refine(claimed, wanted, relative=True, what="the claimed bound")
    holds = decided(difference, wanted, "the supremum <= 4 e^-gamma")
    extra = {"free of n": shown(free, wanted)}
    if length is not None:

        def general() -> flint.arb:
            return 2 * length * (-ball_of()).exp()

        extra["2 n e^-gamma"] = shown(general, wanted)
    parameters: dict[str, int | bool | str] = {"gamma": text}
    parameters |= {name: v for name, v in (("n", length), ("q", at)) if v is not None}
    return Bound(
        kind="lookup",
        parameters=parameters,
        value=ball(sharp, wanted, relative=True),
        claimed=ball(paper, wanted, relative=True),
        holds=holds,
        attained=length is not None,
        where=f"at q = {place}" if length is not None else "approached as n grows, q in the middle",
        source="Cookbook, Section 5.3.4; yang2026, Lemma 6",
        labels=("L1 distance" if at is not None else "supremum", "4 e^-gamma"),
        proofs=("lem.quadratic_l1", "lem.quadratic_l1_simple", "lem.quadratic_greatest"),
        extra=extra,
    )


def _powers(x: flint.arb) -> Iterator[flint.arb]:
    """x^(k^2) for k = 2, 3, ..., each by two multiplications."""
    square = x * x
    step = square * x  # x^(2 k - 1)
    power = x * step
    while True:
        yield power
        step *= square
        power *= step


def _reach(gamma: flint.arb, bits: int) -> int | None:
    """A k from which on e^(-gamma k^2) is smaller than e^(-4 gamma) by more than that many bits; None if unknown."""
    least = (bits * flint.arb.const_log2() / gamma).abs_upper()  # gamma (k^2 - 4) >= bits log 2
    if not least < 4 * MAX_TERMS**2:
        return None
    whole = least.ceil().unique_fmpz()
    return None if whole is None else isqrt(int(whole) + 4) + 1


def _both(gamma: flint.arb, few: int, many: int) -> flint.arb:
    """The sums of e^(-gamma k^2) over k = 2..few and over k = 2..many, few <= many, added; small terms as one ball."""
    end = _reach(gamma, flint.ctx.prec + many.bit_length() + 1)
    last = many if end is None else min(many, end)
    if last > MAX_TERMS:
        raise Undecided(f"more than {MAX_TERMS} positions matter here; give a greater gamma or a smaller n.")
    total, powers = flint.arb(0), _powers((-gamma).exp())
    for k in range(2, last + 1):
        power = next(powers)
        total += 2 * power if k <= few else power
    if last < many:
        rest = (max(few - last, 0) + many - last) * next(powers)  # no later term is greater
        total += rest.union(flint.arb(0))
    return total


def _beyond(gamma: flint.arb) -> flint.arb:
    """sum of e^(-gamma k^2) over all k >= 2; a tail below the last bit is one ball."""
    last = _reach(gamma, flint.ctx.prec) if gamma > 1 else None
    if last is None:
        return (_theta(gamma) - 1) / 2 - (-gamma).exp()
    x = (-gamma).exp()
    powers = _powers(x)
    total = sum((next(powers) for _ in range(2, last + 1)), flint.arb(0))
    return total + (next(powers) / (1 - x)).union(flint.arb(0))


def _theta(gamma: flint.arb) -> flint.arb:
    """sum of e^(-gamma k^2) over all integers k: the Jacobi theta function at tau = i gamma/pi."""
    tau = flint.acb(0, gamma / flint.arb.pi())
    return flint.acb.modular_theta(flint.acb(0), tau)[2].real
