"""The layer-norm hash: how far apart its scores are, and how many bits tell them apart."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isqrt

import flint

from symcook.bounds.arguments import count
from symcook.bounds.result import Bound, shown
from symcook.errors import BadInput
from symcook.numbers.balls import Ball, arb_of, check_digits, decide_sign

MAX_SEARCH = 256
"""The greatest N up to which the least precision is looked for: every one of the N^2 scores is rounded at every p."""


def gap(q: int, k: int) -> flint.arb:
    """1 - phi_q . phi_k = (q - k)^2/(A (A + q k + 1)) with A = sqrt((q^2 + 1)(k^2 + 1)), at flint's precision."""
    root = flint.arb(flint.fmpz((q * q + 1) * (k * k + 1))).sqrt()
    return flint.arb(flint.fmpz((q - k) ** 2)) / (root * (root + flint.fmpz(q * k + 1)))


def tie_break(i: int) -> Fraction:
    """f(i) of Definition 7 of merrill2024: 1/1000 - i/10^10 up to 4, then 6/(100 i (i - 1)(i - 2)(i - 3))."""
    return Fraction(1, 1000) - Fraction(i, 10**10) if i <= 4 else Fraction(6, 100 * i * (i - 1) * (i - 2) * (i - 3))


def layernorm_hash(n: int | str, tie_break: bool = False, search: bool = False, digits: int | str = 30) -> Bound:
    """The least gap of the scores of the layer-norm hash over positions up to n, against 1/(2 n^4) (Cookbook, Section
    5.3.3; merrill2024, Lemma 8).

    tie_break: Also the tie-breaking term of merrill2024, Definition 7.
    search: Also the least precision that tells all positions apart.

    The gap is 1 - phi_q . phi_k over integers 1 <= q != k <= n, n at least 2. phi_x = (x, 1, -x, -1)/sqrt(2 x^2 + 2)
    has norm 1 (merrill2024, Definition 3); the lh(x) of the Cookbook is twice as long, so that its scores and gaps are
    4 times these. Relative radius at most 10^-digits.

    phi_q . phi_k is the cosine of the angle between (q, 1) and (k, 1), and the gap grows with |q - k|/(q k + 1). That
    is least for the neighbours n and n - 1, where the gap lies between 1/(2 n^4) and 1/(2 n^4) + 21/(20 n^5).

    `tie_break`: the greatest tie-breaking term f(n) that a query at position n meets, of Definition 7, which Lemma 10
    bounds by 1/(2 n^4), is given with what it leaves of the gap. `search`: the least p such that with p bits or more
    the argmax is right for each q, all operations rounded; n at most 256, see `least_precision`.

    Raises BadInput for n or digits. Source: Cookbook, Section 5.3.3; merrill2024, Definitions 3 and 7, Lemmas 8 and 10.
    """
    wanted = check_digits(digits)
    many = count(n, least=2)

    def claimed() -> flint.arb:
        return 1 / flint.arb(flint.fmpz(2 * many**4))

    extra: dict[str, Ball | str] = {
        "Cookbook's scale": shown(lambda: 4 * gap(many, many - 1), wanted),
        "gap times 2 n^4": shown(lambda: gap(many, many - 1) / claimed(), wanted),
    }
    proofs = ["merrill2024.lemma8", "lem.hash_gap_least", "lem.hash_gap_bounds"]
    if tie_break:
        term = _tie_break(many)
        extra["tie-breaking term"] = shown(lambda: arb_of(term), wanted)
        extra["what it leaves"] = shown(lambda: gap(many, many - 1) - arb_of(term), wanted)
        proofs.append("merrill2024.lemma10")
    if search:
        if many > MAX_SEARCH:
            raise BadInput(f"n must be at most {MAX_SEARCH} where the precision is searched for", many)
        extra["least precision"] = f"{least_precision(many)} bits"
    # value >= 1/(2 n^4): two positive numbers whose quotient is at least 1 + 1/n
    holds = decide_sign(lambda: gap(many, many - 1) - claimed(), "the least gap >= 1/(2 n^4)") >= 0
    parameters: dict[str, int | bool | str] = {"n": many}
    return Bound(
        kind="layernorm-hash",
        parameters=parameters | ({"tie_break": True} if tie_break else {}) | ({"search": True} if search else {}),
        value=shown(lambda: gap(many, many - 1), wanted, "the least gap"),
        claimed=shown(claimed, wanted, "the claimed bound"),
        holds=holds,
        attained=True,
        where="by q = n and k = n - 1",
        source="Cookbook, Section 5.3.3; merrill2024, Lemma 8",
        labels=("least gap", "1/(2 n^4)"),
        proofs=tuple(proofs),
        extra=extra,
    )


_tie_break = tie_break  # the name of an option below


def least_precision(n: int) -> int:
    """The least p such that from p bits on every lookup 1..n finds its own position, and it alone.

    Each operation is rounded to the nearest number of p bits, ties to even: x^2, x^2 + 1, 2 x^2 + 2, its root, x/root
    and 1/root for the two different components (the others are their negatives), the two products and their sum, which
    is half of the score. With u = 2^-p the components are off by a factor within 3 u, the sums, at most 1/2, by 4 u, up
    to terms in u^2; half of the least gap is more than 1/(4 n^4). So p >= 4 log2(n) + 6 is always enough, and the
    search goes down from above that.
    """
    top = 4 * (n - 1).bit_length() + 12
    if not all(_right(n, top)):
        raise BadInput("the argmax must be right at the precision where the search starts", f"{top} bits, n = {n}")
    p = top
    while p > 1 and all(_right(n, p - 1)):
        p -= 1
    return p


def _right(n: int, p: int) -> Iterator[bool]:
    """For each query from n down: whether its own score is greater than every other one.

    Components are multiples of one power of two; integers stand for them, which is some 20 times faster than fractions.
    """
    exact = [_code(x, p) for x in range(1, n + 1)]
    unit = max(component.denominator for code in exact for component in code)
    codes = [(int(a * unit), int(b * unit)) for a, b in exact]

    def score(q: int, k: int) -> int:
        (a, b), (c, d) = codes[q - 1], codes[k - 1]
        return _rounded_whole(_rounded_whole(a * c, p) + _rounded_whole(b * d, p), p)

    for q in range(n, 0, -1):
        own = score(q, q)
        yield all(score(q, k) < own for k in range(1, n + 1) if k != q)


def _rounded_whole(value: int, p: int) -> int:
    """A positive integer rounded to p significant bits, as `rounded` does."""
    shift = value.bit_length() - p
    if shift <= 0:
        return value
    whole, rest, half = value >> shift, value & ((1 << shift) - 1), 1 << (shift - 1)
    return (whole + (rest > half or (rest == half and whole & 1))) << shift


def _code(x: int, p: int) -> tuple[Fraction, Fraction]:
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
    whole = Fraction(round(scaled))  # ties to even
    return (1 if value > 0 else -1) * (whole / 2**shift if shift >= 0 else whole * 2**-shift)


def rounded_root(value: Fraction, p: int) -> Fraction:
    """The square root of `value` > 0 rounded to p significant bits, to the nearest, ties to even.

    >>> rounded_root(Fraction(2), 4)
    Fraction(11, 8)
    """
    top, bottom = value.numerator, value.denominator
    shift = p + 2 + (bottom.bit_length() + 1) // 2
    root = isqrt((top << 2 * shift) // bottom)
    exact = root * root * bottom == top << 2 * shift
    # Below a root that is not exact the true one lies strictly between root and root + 1: a half decides the rounding.
    return rounded(Fraction(2 * root + (0 if exact else 1), 2 << shift), p)
