"""The weights for which PARITY's network answers every word of a length rightly: Figure 3 of chiang2022."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import flint

from symcook.bounds.arguments import count
from symcook.errors import BadInput, Undecided, unknown
from symcook.numbers.balls import arb_of, decide_sign, limit_for
from symcook.papers.chiang2022.entropy import Given, case_of, hits, normed_parity_logit, ones_logit, parity_logit

LOGITS = {"parity": parity_logit, "parity-layernorm": normed_parity_logit}
FIRST = Fraction(9973, 10007)
"""The first step from the weight 1. A denominator that no word's length has, so that no step ends at a tie."""
MAX_LENGTH = 200
HALVINGS = 60
BITS = 128


class RightWeights(NamedTuple):
    """All words of the length are right from `low` to `high`; at `below` and at `above` some word is wrong. Exact."""

    below: Fraction
    low: Fraction
    high: Fraction
    above: Fraction


def right_weights(
    model: str, n: int | str, values: str | Mapping[str, object] | None = None, digits: int = 6
) -> RightWeights:
    """The interval around 1 of the weight of Figure 3 in which every word of n symbols gets the right answer.

    model: parity or parity-layernorm; n from 3 to MAX_LENGTH, CLS not counted; values as in `cross_entropy`; digits:
    how near each inner end lies to the outer one, in decimals. Between the inner ends every logit is enclosed for
    whole intervals of weights, which are halved until its sign is known; at the outer ends one word is wrong.

    Raises BadInput for another model or length, Undecided where a sign stays open.
    Source: chiang2022, Section 5.1 and Figure 3.
    """
    if model not in LOGITS:
        raise unknown("model with the weight of Figure 3", model, list(LOGITS))
    length = count(n)
    if not 3 <= length <= MAX_LENGTH:  # of two symbols, one word may go beyond the last position and stay right
        raise BadInput(f"the length must be from 3 to {MAX_LENGTH} here", length)
    case, _ = case_of(model, length, values)
    if case.target is not None and case.epsilon == 0:  # the layer keeps the sign, and has no value at 0
        case = case._replace(target=None)
    (low, below), (high, above) = (_reach(model, case, side, Fraction(1, 10**digits)) for side in (-1, 1))
    return RightWeights(below, low, high, above)


def _reach(model: str, case: Given, side: int, near: Fraction) -> tuple[Fraction, Fraction]:
    """How far the weight may go from 1 on one side: the last that is right, and one nearby that is not."""
    good, bad = Fraction(0), FIRST
    if _all_right(model, case, 1 + side * bad):
        raise Undecided(f"every word of {case.n - 1} symbols stays right up to the weight {1 + side * bad}")
    while bad - good > near:
        middle = (good + bad) / 2
        if _all_right(model, case, 1 + side * middle):
            good = middle
        else:
            bad = middle
    for k in range(1, case.n):
        if not _right_between(model, case, k, side, Fraction(0), good, HALVINGS):
            raise Undecided(f"the answer of words with {k} symbols 1 stayed open up to the weight {1 + side * good}")
    return 1 + side * good, 1 + side * bad


def _all_right(model: str, case: Given, weight: Fraction) -> bool:
    """Whether the words with each number of 1s are right at one weight."""
    for k in range(case.n):
        logit = partial(ones_logit, LOGITS[model], case, weight, k)
        sign = decide_sign(logit, "a logit", limit_for(30)) if hits(weight * k, case.n) else 0
        if (sign > 0) != (k % 2 == 1):
            return False
    return True


def _right_between(model: str, case: Given, k: int, side: int, start: Fraction, end: Fraction, halvings: int) -> bool:
    """Whether the words with k symbols 1 are right at all weights 1 + side d, start <= d <= end < 1/k."""
    if end * k >= 1:
        return False
    with flint.ctx.workprec(BITS):
        moved = (arb_of(start) * k).union(arb_of(end) * k)  # from k to k + 1 or k - 1
        hit = {i: t for i, t in ((k, 1 - moved), (k + side, moved)) if 0 <= i < case.n}
        logit = LOGITS[model](case, k + side * moved, hit)
        if logit > 0 if k % 2 == 1 else logit < 0:
            return True
    if not halvings:
        return False
    middle = (start + end) / 2
    return _right_between(model, case, k, side, start, middle, halvings - 1) and _right_between(
        model, case, k, side, middle, end, halvings - 1
    )
