"""Figures 1 and 2 of the Cookbook: GELU nears ReLU, and the running counts of three words of brackets."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate

from symcook.model.expr import parse_term
from symcook.numbers.balls import arb_of, ball, refine
from symcook.numbers.evaluate import evaluate
from symcook.report.figures import DIGITS, Ask, Curve, Figure, Point, exact

SCALES = (1, 2, 5)
GELU = parse_term("x/2*(1 + erf(c*x/sqrt(2)))")
PANELS = {
    "left": ("(()())", "a member: no prefix closes more, and both counts end alike"),
    "center": ("())(()", "no member: the counts end alike, but at k = 3 more are closed"),
    "right": ("(()(()", "no member: no prefix closes more, but the counts differ in the end"),
}
"""Words of six brackets, classified as the caption of Figure 2 classifies its panels."""


def gelu(longest: int, done: Ask) -> Figure:
    """Figure 1: GELU(c x)/c for three scales beside ReLU(x)."""
    places = [Fraction(k, 20) for k in range(-60, 61)]

    def scaled(x: Fraction, c: int) -> Point:
        return x, ball(refine(lambda: evaluate(GELU, {"x": arb_of(x), "c": c}), DIGITS), DIGITS)

    curves = [Curve(f"GELU({c} x)/{c}" if c > 1 else "GELU(x)", tuple(scaled(x, c) for x in places)) for c in SCALES]
    wanted = Curve("ReLU(x)", tuple((x, exact(max(x, Fraction(0)))) for x in places))
    return Figure("figure-1", "Figure 1: GELU(c x)/c nears ReLU(x)", "x", "value", (*curves, wanted))


def counts(panel: str) -> Callable[[int, Ask], Figure]:
    """A panel of Figure 2: how many brackets have been opened and closed up to each position."""

    def figure(longest: int, done: Ask) -> Figure:
        word, what = PANELS[panel]
        curves = [
            Curve(label, tuple((Fraction(k), exact(n)) for k, n in enumerate(accumulate(b == c for b in word), 1)))
            for label, c in (("opened, O_k", "("), ("closed, C_k", ")"))
        ]
        title = f"Figure 2, {panel}: {word}"
        return Figure(f"figure-2-{panel}", title, "k", "count", tuple(curves), note=what, legend="upper left")

    return figure


COOKBOOK = {"by-gelu": (gelu,), "dyck-1": tuple(counts(panel) for panel in PANELS)}
