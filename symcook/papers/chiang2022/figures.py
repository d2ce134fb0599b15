"""The figures of Chiang and Cholak 2022 for the recipes parity and first, as tables of balls and as pictures.

The paper draws Figure 2 over 1000 random strings; here each point is the mean over all words of its length, a ball.
Figure 3 names one entry of a matrix whose lower half is the negative of the upper one; here both entries move, so that
the stream stays paired and norms need no centering. What Figure 4 trains for is shown of the constructions: attention,
confidence and accuracy at every length.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from symcook.bounds.result import Bound
from symcook.numbers.balls import Ball, arb_of, ball, refine
from symcook.papers.chiang2022.entropy import cross_entropy
from symcook.papers.chiang2022.weights import RightWeights, right_weights
from symcook.papers.drawing import Make
from symcook.report.figure import DIGITS, DOTS, Curve, Figure, Point, decimal_text, exact

if TYPE_CHECKING:
    from flint import arb

LENGTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 3000, 10_000, 100_000, 1_000_000)
NORMED = 1000  # the closed form of PARITY with norms takes n^2 exponentials
FLAWED = 10_000  # that of the flawed FIRST takes n
WORD = 20  # symbols of the words of Figure 3
WEIGHTS = [Fraction(1, 2) + Fraction(k, 360) for k in range(198)]
"""The weights of Figure 3. From (n + 1)/n on, the word of 1s alone hits no position and has no value at epsilon 0."""
SETTING = "epsilon=0, eta=1/100"
Ask = Callable[[str], None]


def tent(longest: int, done: Ask) -> Figure:
    """Figure 1: the piecewise linear function that is I[i = k] on the integers."""
    places = [Fraction(k, 10) for k in range(-30, 31)]

    def value(x: Fraction) -> Fraction:
        return max(0, -x - 1) - 2 * max(0, -x) + max(Fraction(0), 1 - x)

    between = Curve("between integers", tuple((x, exact(value(x))) for x in places))
    whole = tuple((Fraction(x), exact(Fraction(int(x == 0)))) for x in range(-3, 4))
    return Figure(
        "figure-1",
        "Figure 1: max(0, k - i - 1) - 2 max(0, k - i) + max(0, k - i + 1)",
        "i - k",
        "value",
        (between, Curve("I[i = k]", whole, DOTS)),
    )


def entropies(name: str) -> Make:
    """Figure 2: cross-entropy against the length, without layer norm and with two of its epsilons."""

    def figure(longest: int, done: Ask) -> Figure:
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
            curves.append(Curve(label, _over_lengths(model, values, most, lambda answer: answer.value, done)))
        return Figure(
            "figure-2", f"Figure 2: mean cross-entropy of {name} over all words of n symbols", "n", "bits",
            tuple(curves), (True, False), "c = 1; eta = 1/10 nats in Proposition 2's layer",
        )  # fmt: skip

    return figure


def sensitive(what: str) -> Make:
    """Figure 3: cross-entropy or accuracy of PARITY with norms against the weight that gives k/n."""

    def figure(longest: int, done: Ask) -> Figure:
        found = []
        for weight in WEIGHTS:
            done(f"figure 3, weight {decimal_text(weight)}")
            answer = _moved(weight)
            value = answer.value if what == "cross-entropy" else answer.extra["accuracy"]
            if isinstance(value, Ball):
                found.append((weight, value))
        right = _right(WORD)
        return Figure(
            f"figure-3-{what}", f"Figure 3: {what} of parity-layernorm over all words of {WORD} symbols",
            "weight (row 6, column 2 of W^V of the first head, and its negative)",
            "bits" if what == "cross-entropy" else "share of words",
            (Curve(what, tuple(found)),), shown=(right.low, right.high),
            note=f"every word is right from {float(right.low):.6f} to {float(right.high):.6f}; {SETTING}",
        )  # fmt: skip

    return figure


@cache
def _moved(weight: Fraction) -> Bound:
    return cross_entropy("parity-layernorm", WORD, SETTING, weight, digits=DIGITS)


def tolerances(longest: int, done: Ask) -> Figure:
    """Beside Figure 3: how far its weight may go from 1 with every word right, against the length."""
    sides: tuple[list[Point], list[Point]] = ([], [])
    for n in (3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80):
        if n <= longest:
            done(f"the interval of Figure 3's weight, n = {n}")
            right = _right(n)
            for side, (one, other) in zip(sides, ((right.low, right.below), (right.high, right.above)), strict=True):
                side.append((Fraction(n), ball(arb_of(abs(one - 1)).union(arb_of(abs(other - 1))), 5)))
    return Figure(
        "figure-3-interval", "Beside Figure 3: how far its weight may go from 1 with every word of n symbols right",
        "n", "distance",
        (Curve("below 1", tuple(sides[0])), Curve("above 1", tuple(sides[1]))), (True, True), "epsilon = 0",
    )  # fmt: skip


def attention(longest: int, done: Ask) -> Figure:
    """Of what Figure 4 tests: how much CLS attends to the first symbol in FIRST."""
    title = "To Figure 4: attention of CLS on the first symbol in first"
    return _both_scales("figure-4-attention", title, "weight", longest, lambda weight: weight)


def confidence(longest: int, done: Ask) -> Figure:
    """Of what Figure 4 tests: the probability of the right answer in FIRST, the same for every word."""
    title = "To Figure 4: probability of the right answer in first"
    return _both_scales(
        "figure-4-confidence", title, "probability", longest, lambda weight: 1 / (1 + (-weight / 2).exp())
    )


def accuracy(longest: int, done: Ask) -> Figure:
    """Of what Figure 4 tests: the share of words that FIRST and its flawed variant of Section 5.2 answer rightly."""
    curves = []
    for model, most in (("first-flawed", FLAWED), ("first", longest)):
        for scaled, label in ((False, "plain"), (True, "scores times log n")):
            values = f"scaled={'yes' if scaled else 'no'}"
            points = _over_lengths(model, values, min(longest, most), lambda answer: answer.extra["accuracy"], done)
            curves.append(Curve(f"{model}, {label}", points))
    title = "To Figure 4: share of words of n symbols that first and first-flawed answer rightly"
    return Figure("figure-4-accuracy", title, "n", "share of words", tuple(curves), (True, False), "c = 1")


FIGURES: dict[str, tuple[Make, ...]] = {
    "parity": (tent, entropies("parity"), sensitive("cross-entropy"), sensitive("accuracy"), tolerances),
    "first": (entropies("first"), attention, confidence, accuracy),
}


def _lengths(longest: int) -> list[int]:
    return [n for n in LENGTHS if n <= longest]


def _over_lengths(model: str, values: str, longest: int, of: Callable[[Bound], object], done: Ask) -> tuple[Point, ...]:
    """What a model's cross-entropy says at each length; a value that is no ball has no place."""
    points = []
    for n in _lengths(longest):
        done(f"cross-entropy of {model}{f' at {values}' if values else ''}, n = {n}")
        found = of(cross_entropy(model, n, values or None, digits=DIGITS))
        if isinstance(found, Ball):
            points.append((Fraction(n), found))
    return tuple(points)


@cache
def _right(n: int) -> RightWeights:
    return right_weights("parity-layernorm", n, "epsilon=0")


def _both_scales(name: str, title: str, up: str, longest: int, of: Callable[[arb], arb]) -> Figure:
    """A function of the weight of position 1 among n + 1 scores, which is 1/(1 + n e^-c), with c = 1 or log(n + 1)."""

    def value(n: int, scaled: bool) -> Ball:
        def compute() -> Any:
            return of(1 / (1 + n / (arb_of(n + 1) if scaled else arb_of(1).exp())))

        return ball(refine(compute, DIGITS, relative=True), DIGITS, relative=True)

    curves = [
        Curve(label, tuple((Fraction(n), value(n, scaled)) for n in _lengths(longest)))
        for scaled, label in ((False, "plain"), (True, "scores times log n"))
    ]
    return Figure(name, title, "n", up, tuple(curves), (True, False), "c = 1; CLS stands before the n symbols")
