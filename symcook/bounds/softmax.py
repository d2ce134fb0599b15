"""How far softmax is from hardmax, given the gap between the greatest score and the others."""

from fractions import Fraction

import flint

from symcook.bounds.arguments import count, positive
from symcook.bounds.result import Bound, decided
from symcook.numbers.balls import ball, check_digits, refine


def softmax_hardmax(n: int | str, gamma: str | int | Fraction, ties: bool = False, digits: int | str = 30) -> Bound:
    """The supremum of the L1 distance between softmax and hardmax over n scores with gap at least gamma, against
    2 n e^-gamma (Cookbook, Lemma 5.3).

    ties: Allow score vectors whose maximum is not unique.

    There is at least 1 score; gamma is positive and at most 10^30, a term of the grammar without names. Scores have gap
    gamma when every score is the maximum M or at most M - gamma. Without `ties` the maximum is unique; with `ties` any
    number k of scores share it, and hardmax gives each of them 1/k. Relative radius at most 10^-digits.

    Why the value is sharp. Let k scores be maximal, 1 <= k <= n, and S = sum of e^(s_j - M) over the n - k others, so
    that 0 <= S <= (n - k) x with x = e^-gamma, where the upper end is reached by all others at M - gamma. Softmax gives
    1/(k + S) to a maximal position and S/(k + S) to all others together. The distance is therefore

        k (1/k - 1/(k + S)) + S/(k + S) = 2 S/(k + S),

    which grows with S: for given k its greatest value is d(k) = 2 (n - k) x/(k + (n - k) x). Written as
    2/(1 + k/((n - k) x)) it falls as k grows, and d(n) = 0. So the supremum is d(1) = 2 (n - 1) x/(1 + (n - 1) x), with
    and without ties, reached by one maximal score and all others exactly gamma below it. (Lemma 5.3 asks for a gap
    strictly greater than gamma; then the supremum is the same and is approached, not reached.)

    The means of values from an interval, under both weightings, differ by at most half of its length times that.

    For n = 1 there is one position, both weightings give it 1, and the value is exactly 0.

    Raises BadInput for n, gamma or digits out of range, Undecided where gamma > 0 stays open or the digits are not
    reached at the limit. Source: Cookbook, Definition 5.2 and Lemma 5.3.
    """
    wanted = check_digits(digits)
    many = count(n)
    text, gap = positive(gamma)
    others = flint.arb(flint.fmpz(many - 1))

    def value() -> flint.arb:
        mass = others * (-gap()).exp()
        return 2 * mass / (1 + mass)

    def claimed() -> flint.arb:
        return 2 * many * (-gap()).exp()

    sharp = refine(value, wanted, relative=True, what="the supremum")
    half = refine(lambda: value() / 2, wanted, relative=True, what="the error of a value")
    paper = refine(claimed, wanted, relative=True, what="the claimed bound")
    holds = decided(lambda: claimed() - value(), wanted, "the supremum <= 2 n e^-gamma")
    where = "by any one score" if many == 1 else "by one maximal score and all others exactly gamma below it"
    return Bound(
        kind="softmax-hardmax",
        parameters={"n": many, "gamma": text, "ties": bool(ties)},
        value=ball(sharp, wanted, relative=True),
        claimed=ball(paper, wanted, relative=True),
        holds=holds,
        attained=True,
        where=where,
        source="Cookbook, Lemma 5.3",
        labels=("supremum", "2 n e^-gamma"),
        proofs=(
            "cookbook.s5.7.lemma5.3",
            "yang2026.lemma32.hard",
            "lem.hard_soft_ties",
            "lem.hard_soft_ties_attained",
            "lem.hard_soft_value",
        ),
        extra={"error of a value in [0, 1]": ball(half, wanted, relative=True)},
    )
