"""The quadratic lookup with soft attention: scores gamma (2 q j - j^2), maximal at j = q; an error free of n."""

from __future__ import annotations

from fractions import Fraction

import flint

from symcook.bounds.arguments import count, positive
from symcook.bounds.result import Bound, shown
from symcook.bounds.scores import Deficits
from symcook.bounds.sums import reach, squares
from symcook.errors import BadInput
from symcook.numbers.balls import ball, check_digits, refine


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
    """The L1 distance between softmax of the scores gamma (2 q j - j^2) and the position q, for every length or one,
    against 4 e^-gamma (Cookbook, Section 5.3.4; yang2026, Lemma 6).

    q Q: The position that is looked up; without it the worst one.

    The value is the supremum over q in 1..n and, without n, over n; gamma is positive. Relative radius at most
    10^-digits.

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
        gamma = ball_of()
        if length is None or place is None:
            return 2 * squares(gamma, None, 2)[0]
        few, many = sorted((place - 1, length - place))
        near = reach(gamma, 2)
        if few == many or (near is not None and near < few):  # then one ball holds either sum
            return 2 * squares(gamma, many, 2)[0]
        return squares(gamma, few, 2)[0] + squares(gamma, many, 2)[0]

    sides = 2 if length is None or place is None else (place > 1) + (place < length)

    def value() -> flint.arb:
        found = sides * (-ball_of()).exp() + beyond()
        return 2 * found / (1 + found)

    def claimed() -> flint.arb:
        return 4 * (-ball_of()).exp()

    def free() -> flint.arb:
        x = (-ball_of()).exp()
        return 4 * x / (1 + 2 * x - x**3)

    sharp = refine(value, wanted, relative=True, what="the supremum")
    paper = refine(claimed, wanted, relative=True, what="the claimed bound")
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
        holds=True,  # for every gamma, n and q: lem.quadratic_l1_simple
        attained=length is not None,
        where=f"at q = {place}" if length is not None else "approached as n grows, q in the middle",
        source="Cookbook, Section 5.3.4; yang2026, Lemma 6",
        labels=("L1 distance" if at is not None else "supremum", "4 e^-gamma"),
        proofs=("lem.quadratic_l1", "lem.quadratic_l1_simple", "lem.quadratic_greatest"),
        extra=extra,
    )
