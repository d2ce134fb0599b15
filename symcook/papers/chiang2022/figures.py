"""The figures of Chiang and Cholak 2022 for the recipes parity and first. Each value is a ball: an interval that is
proved to contain it.

In the paper, Figure 2 is about 1000 random strings; here each point is the mean over all strings of its length.
Figure 3 changes one entry of a matrix whose lower half is the negative of its upper half. Here both entries change, so
that the residual stream still consists of pairs (x, -x) and layer norm needs no centering. Figure 4 is about trained
transformers; here it has the attention, confidence and accuracy of the constructed transformers at `LENGTHS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import flint

from symcook.bounds.arguments import Bound, count
from symcook.errors import BadInput, Undecided, unknown
from symcook.locks import PRECISION
from symcook.numbers.balls import Ball, arb_of, ball, decide_sign, limit_for, refine
from symcook.papers.chiang2022.entropy import (
    Given,
    case_of,
    cross_entropy,
    hits,
    normed_parity_logit,
    ones_logit,
    parity_logit,
)
from symcook.papers.drawing import Make
from symcook.report.figure import DIGITS, DOTS, Curve, Figure, Point, decimal_text, exact

if TYPE_CHECKING:
    from flint import arb

# Lengths of strings: numbers of symbols, without CLS.
LENGTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 3000, 10_000, 100_000, 1_000_000)
NORMED = 1000  # the greatest length for PARITY with norms, whose closed form takes n^2 exponentials
FLAWED = 10_000  # the greatest length for the flawed FIRST, whose closed form takes n exponentials
WORD = 20  # the length of the strings of Figure 3
WEIGHTS = [Fraction(1, 2) + Fraction(k, 360) for k in range(198)]
"""The values of the weight of Figure 3: from 1/2 in steps of 1/360, below (n + 1)/n for n = WORD. From there on the
query of the string of 1s hits no position, so that its logit before the layer of Proposition 2 is 0, and the closed
form of this layer is 0/0 at epsilon 0."""
SETTING = "epsilon=0, eta=1/100"
"""The values of the symbols and arguments of the model in Figure 3."""
Announce = Callable[[str], None]
"""Reports progress: called before each value with a line on what is computed next."""


def tent(longest: int, progress: Announce) -> Figure:
    """Figure 1: the piecewise linear function of i - k that equals I[i = k] at integers."""
    places = [Fraction(k, 10) for k in range(-30, 31)]

    def value(x: Fraction) -> Fraction:
        return max(0, -x - 1) - 2 * max(0, -x) + max(Fraction(0), 1 - x)

    between = Curve("between integers", tuple((x, exact(value(x))) for x in places))
    at_integers = tuple((Fraction(x), exact(Fraction(int(x == 0)))) for x in range(-3, 4))
    return Figure(
        "figure-1",
        "Figure 1: max(0, k - i - 1) - 2 max(0, k - i) + max(0, k - i + 1)",
        "i - k",
        "value",
        (between, Curve("I[i = k]", at_integers, DOTS)),
    )


def entropies(name: str) -> Make:
    """The maker of Figure 2: cross-entropy against the length, without layer norm and with two values of epsilon."""

    def figure(longest: int, progress: Announce) -> Figure:
        """The figure up to length `longest`; the curves of PARITY with norms end at NORMED."""
        normed = f"{name}-layernorm"
        rows = [
            (name, "", "no layer norm"),
            (normed, "epsilon=1/100000, eta=1/10", "epsilon = 1/100000, Proposition 2's layer"),
            (normed, "epsilon=0, eta=1/10", "epsilon = 0, Proposition 2's layer"),
            (normed, "epsilon=0", "epsilon = 0, without that layer"),
        ]
        curves = []
        for model, values, label in rows:
            most = min(longest, NORMED) if model == "parity-layernorm" else longest
            curves.append(Curve(label, _over_lengths(model, values, most, lambda answer: answer.value, progress)))
        return Figure(
            "figure-2", f"Figure 2: mean cross-entropy of {name} over all strings of n symbols", "n", "bits",
            tuple(curves), (True, False), "c = 1; eta = 1/10 nats in Proposition 2's layer",
        )  # fmt: skip

    return figure


def sensitivity(what: str) -> Make:
    """The maker of Figure 3: cross-entropy or accuracy (`what`) of PARITY with norms against the weight by which a
    position learns k/n."""

    def figure(longest: int, progress: Announce) -> Figure:
        """The figure for strings of WORD symbols, whatever `longest` is."""
        points = []
        for weight in WEIGHTS:
            progress(f"figure 3, weight {decimal_text(weight)}")
            answer = _moved(weight)
            value = answer.value if what == "cross-entropy" else answer.extra["accuracy"]
            if isinstance(value, Ball):  # an accuracy may be the text "open" instead: no precision decided it
                points.append((weight, value))
        right = _right_interval(WORD)
        return Figure(
            f"figure-3-{what}", f"Figure 3: {what} of parity-layernorm over all strings of {WORD} symbols",
            "weight (row 6, column 2 of W^V of the first head, and its negative)",
            "bits" if what == "cross-entropy" else "share of words",
            (Curve(what, tuple(points)),), shown=(right.low, right.high),
            note=f"every string is decided correctly from {float(right.low):.6f} to {float(right.high):.6f}; {SETTING}",
        )  # fmt: skip

    return figure


@cache
def _moved(weight: Fraction) -> Bound:
    """The cross-entropy and accuracy of PARITY with norms at this value of Figure 3's weight."""
    return cross_entropy("parity-layernorm", WORD, SETTING, weight, digits=DIGITS)


def tolerances(longest: int, progress: Announce) -> Figure:
    """For Figure 3: how far the weight may move from 1 such that every string stays right, against some lengths from 3
    to 80, up to `longest`."""
    sides: tuple[list[Point], list[Point]] = ([], [])
    for n in (3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80):
        if n <= longest:
            progress(f"the interval of Figure 3's weight, n = {n}")
            right = _right_interval(n)
            # The exact end is between a right weight and a wrong one: the ball contains both.
            for side, (low_end, high_end) in zip(
                sides, ((right.low, right.below), (right.high, right.above)), strict=True
            ):
                side.append((Fraction(n), ball(arb_of(abs(low_end - 1)).union(arb_of(abs(high_end - 1))), 5)))
    return Figure(
        "figure-3-interval", "With Figure 3: how far its weight may be from 1 with every string decided correctly",
        "n", "distance",
        (Curve("below 1", tuple(sides[0])), Curve("above 1", tuple(sides[1]))), (True, True), "epsilon = 0",
    )  # fmt: skip


def attention(longest: int, progress: Announce) -> Figure:
    """For Figure 4: the attention of CLS to the first symbol in FIRST, against the length."""
    title = "To Figure 4: attention of CLS on the first symbol in first"
    return _both_scales("figure-4-attention", title, "weight", longest, lambda weight: weight)


def confidence(longest: int, progress: Announce) -> Figure:
    """For Figure 4: the probability of the right answer in FIRST, which is the same for all strings of a length."""
    # The logit of the right answer is half the attention to the first symbol.
    title = "To Figure 4: probability of the right answer in first"
    return _both_scales(
        "figure-4-confidence", title, "probability", longest, lambda weight: 1 / (1 + (-weight / 2).exp())
    )


def accuracy(longest: int, progress: Announce) -> Figure:
    """For Figure 4: the share of strings that FIRST and its flawed variant of Section 5.2 answer correctly."""
    curves = []
    for model, most in (("first-flawed", FLAWED), ("first", longest)):
        for scaled, label in ((False, "plain"), (True, "scores times log n")):
            values = f"scaled={'yes' if scaled else 'no'}"
            points = _over_lengths(model, values, min(longest, most), lambda answer: answer.extra["accuracy"], progress)
            curves.append(Curve(f"{model}, {label}", points))
    title = "With Figure 4: share of strings of n symbols that first and first-flawed answer correctly"
    return Figure("figure-4-accuracy", title, "n", "share of words", tuple(curves), (True, False), "c = 1")


FIGURES: dict[str, tuple[Make, ...]] = {
    "parity": (tent, entropies("parity"), sensitivity("cross-entropy"), sensitivity("accuracy"), tolerances),
    "first": (entropies("first"), attention, confidence, accuracy),
}
OF_LENGTHS: tuple[str, ...] = ("parity", "first")
"""The recipes with a figure that goes up to a maximum length."""


def _lengths_up_to(longest: int) -> list[int]:
    """The lengths of a curve, up to `longest`."""
    return [n for n in LENGTHS if n <= longest]


def _over_lengths(
    model: str, values: str, longest: int, value_of: Callable[[Bound], object], progress: Announce
) -> tuple[Point, ...]:
    """A point for each length: the value that `value_of` reads from the model's cross-entropy, if it is a ball."""
    points = []
    for n in _lengths_up_to(longest):
        progress(f"cross-entropy of {model}{f' at {values}' if values else ''}, n = {n}")
        value = value_of(cross_entropy(model, n, values or None, digits=DIGITS))
        if isinstance(value, Ball):
            points.append((Fraction(n), value))
    return tuple(points)


@cache
def _right_interval(n: int) -> RightWeights:
    """The interval of weights of Figure 3 at which all strings of n symbols are right, at epsilon 0."""
    return right_weights("parity-layernorm", n, "epsilon=0")


def _both_scales(name: str, title: str, vertical: str, longest: int, function: Callable[[arb], arb]) -> Figure:
    """A figure of `function` of the attention to the first symbol. Its score is c, and the n other scores are 0, so the
    attention is 1/(1 + n e^-c), with c = 1, or c = log(n + 1) if scores are scaled."""

    def value(n: int, scaled: bool) -> Ball:
        def compute() -> Any:
            return function(1 / (1 + n / (arb_of(n + 1) if scaled else arb_of(1).exp())))

        return ball(refine(compute, DIGITS, relative=True), DIGITS, relative=True)

    curves = [
        Curve(label, tuple((Fraction(n), value(n, scaled)) for n in _lengths_up_to(longest)))
        for scaled, label in ((False, "plain"), (True, "scores times log n"))
    ]
    return Figure(name, title, "n", vertical, tuple(curves), (True, False), "c = 1; CLS precedes the n symbols")


# The interval of right weights.

LOGITS = {"parity": parity_logit, "parity-layernorm": normed_parity_logit}
"""By model: the function for its logit."""
FIRST = Fraction(9973, 10007)
"""The first distance from the weight 1, which bisection halves. Its denominator is a prime greater than every length,
so at the tested weights no query is exactly at a position, or midway between two."""
MAX_LENGTH = 200  # the greatest length that `right_weights` takes
HALVINGS = 60  # how often an interval of weights may be halved before its logit counts as undecided
BITS = 128  # the precision of a logit on an interval of weights


class RightWeights(NamedTuple):
    """Exact weights with below < low <= 1 <= high < above: every string of the length is answered correctly at all
    weights from `low` to `high`, and some string is not at the weights `below` and `above`."""

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
    # With 2 symbols, a query may go beyond the last position while the answer is still right.
    if not 3 <= length <= MAX_LENGTH:
        raise BadInput(
            f"the length of the strings in a figure must be from 3 to {MAX_LENGTH}",
            length,
            "give for example --max-length 100",
        )
    case, _ = case_of(model, length, values)
    # The layer of Proposition 2 only rescales the logit. At epsilon 0 it is left out: the sign is the same without it,
    # and where the logit is 0 the layer has no value.
    if case.target is not None and case.epsilon == 0:
        case = case._replace(target=None)
    (low, below), (high, above) = (_end_of_interval(model, case, side, Fraction(1, 10**digits)) for side in (-1, 1))
    return RightWeights(below, low, high, above)


def _end_of_interval(model: str, case: Given, side: int, near: Fraction) -> tuple[Fraction, Fraction]:
    """How far the weight may move from 1 downwards (`side` -1) or upwards (1): a weight up to which all strings are
    right, and a wrong weight at a distance of at most `near` from it."""
    # Distances from 1: at `good` all strings are right, at `bad` one is wrong. Bisection until they differ by `near`.
    good, bad = Fraction(0), FIRST
    if _all_right(model, case, 1 + side * bad):
        raise Undecided(f"every string of {case.n - 1} symbols stays right up to the weight {1 + side * bad}")
    while bad - good > near:
        middle = (good + bad) / 2
        if _all_right(model, case, 1 + side * middle):
            good = middle
        else:
            bad = middle
    # Bisection has tested single weights. Now prove it for all weights from 1 to the last right one, for each number k
    # of 1s from 1 on: with k = 0 the weight does not matter.
    for k in range(1, case.n):
        if not _right_between(model, case, k, side, Fraction(0), good, HALVINGS):
            raise Undecided(f"the answer of strings with {k} symbols 1 is undecided up to the weight {1 + side * good}")
    return 1 + side * good, 1 + side * bad


def _all_right(model: str, case: Given, weight: Fraction) -> bool:
    """Whether all strings are answered correctly at one weight. A logit of 0 is the answer "even"; so is the result if
    the query hits no position."""
    for k in range(case.n):
        logit = partial(ones_logit, LOGITS[model], case, weight, k)
        sign = decide_sign(logit, "a logit", limit_for(30)) if hits(weight * k, case.n) else 0
        if (sign > 0) != (k % 2 == 1):
            return False
    return True


def _right_between(model: str, case: Given, k: int, side: int, start: Fraction, end: Fraction, halvings: int) -> bool:
    """Whether the strings with k symbols 1 are proved right at all weights 1 + side d, start <= d <= end < 1/k.

    At such a weight the query is k (1 + side d), between the positions k and k + side. The logit is enclosed for the
    whole interval of d, which is halved where its sign is not decided.
    """
    if end * k >= 1:
        return False
    with PRECISION, flint.ctx.workprec(BITS):
        distance = (arb_of(start) * k).union(arb_of(end) * k)  # a ball: the distance of the query from position k
        hit_by_position = {i: t for i, t in ((k, 1 - distance), (k + side, distance)) if 0 <= i < case.n}
        logit = LOGITS[model](case, k + side * distance, hit_by_position)
        if logit > 0 if k % 2 == 1 else logit < 0:
            return True
    if not halvings:
        return False
    middle = (start + end) / 2
    return _right_between(model, case, k, side, start, middle, halvings - 1) and _right_between(
        model, case, k, side, middle, end, halvings - 1
    )
