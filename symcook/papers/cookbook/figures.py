"""Figures 1 and 2 of the Cookbook, and figures of its comparators, Eqs. (29) to (34).

Figure 1: GELU approximates ReLU. Figure 2: the running counts of brackets in three words. For a comparator: the output
of the network and the intended indicator, with a grey background where they may differ, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate

from symcook import recipes
from symcook.model.expr import parse_formula, parse_term
from symcook.model.rationals import rational, truth
from symcook.numbers.balls import arb_of, ball, refine
from symcook.numbers.evaluate import evaluate
from symcook.papers.drawing import Make
from symcook.report.figure import DIGITS, DOTS, Curve, Figure, Point, exact

SCALES = (1, 2, 5)
"""The values of c in Figure 1."""
GELU = parse_term("x/2*(1 + erf(c*x/sqrt(2)))")
"""GELU(c x)/c."""
PANELS = {
    "left": ("(()())", "a member: no prefix closes more, and both counts end alike"),
    "center": ("())(()", "no member: the counts end alike, but at k = 3 more are closed"),
    "right": ("(()(()", "no member: no prefix closes more, but the counts differ in the end"),
}
"""By panel of Figure 2: a word of six brackets, and the note with the classification of the paper's caption."""
WIDTH = Fraction(1)
"""The tolerance in the figures of comparators; another tolerance would only stretch them."""
PLACES = [Fraction(k, 20) for k in range(-50, 51)]
"""The values of x in the figures of comparators."""


def gelu(longest: int, progress: Callable[[str], None]) -> Figure:
    """Figure 1: GELU(c x)/c for three scales c, and ReLU(x)."""
    places = [Fraction(k, 20) for k in range(-60, 61)]

    def scaled(x: Fraction, c: int) -> Point:
        return x, ball(refine(lambda: evaluate(GELU, {"x": arb_of(x), "c": c}), DIGITS), DIGITS)

    curves = [Curve(f"GELU({c} x)/{c}" if c > 1 else "GELU(x)", tuple(scaled(x, c) for x in places)) for c in SCALES]
    relu = Curve("ReLU(x)", tuple((x, exact(max(x, Fraction(0)))) for x in places))
    return Figure("figure-1", "Figure 1: GELU(c x)/c nears ReLU(x)", "x", "value", (*curves, relu))


def counts(panel: str) -> Make:
    """The maker of a panel of Figure 2: the numbers of ( and of ) up to each position."""

    def figure(longest: int, progress: Callable[[str], None]) -> Figure:
        """The panel; its string is fixed, so that `longest` does not matter."""
        word, what = PANELS[panel]
        curves = [
            Curve(label, tuple((Fraction(k), exact(n)) for k, n in enumerate(accumulate(b == c for b in word), 1)))
            for label, c in (("opened, O_k", "("), ("closed, C_k", ")"))
        ]
        title = f"Figure 2, {panel}: {word}"
        return Figure(f"figure-2-{panel}", title, "k", "count", tuple(curves), note=what, legend="upper left")

    return figure


def comparator(name: str) -> Make:
    """The maker of a comparator's figure: the exact values of its model, and the indicator that it approximates."""

    def figure(longest: int, progress: Callable[[str], None]) -> Figure:
        """The figure; it is about numbers, so that `longest` does not matter."""
        info = recipes.info(name)
        # The width of the ramp is an input of some comparators, and a parameter of the others.
        by_input = "tolerance" in info.formula
        model = recipes.build(name)
        intended, inside = parse_term(info.formula), parse_formula(recipes.region(name))
        key = "tolerance" if by_input else "eps"
        network_points = []
        for x in PLACES:
            point = {"x": x, key: WIDTH} if by_input else {"x": x}
            value = model.run(point, values={} if by_input else {key: WIDTH}).output["out"]
            network_points.append((x, exact(Fraction(value))))
        # The values of the formula at the same places, and the places outside the region where both are equal.
        intended_points = tuple((x, exact(rational(intended, {"x": x, key: WIDTH}))) for x in PLACES)
        inexact = [x for x in PLACES if not truth(inside, {"x": x, key: WIDTH})]
        step = PLACES[1] - PLACES[0]
        # Outside the region are open intervals that end on the grid. An interval is cut in two at a single point where
        # both are equal, such as x = 0.
        starts = [x for x in inexact if x - step not in inexact]
        ends = [x for x in inexact if x + step not in inexact]
        grey = tuple((a - step, b + step) for a, b in zip(starts, ends, strict=True))
        number = info.source.rpartition("Eq. ")[2]
        return Figure(
            "figure-comparator",
            f"{name}, Eq. {number}, with {'tolerance' if by_input else 'eps'} = 1",
            "x",
            "value",
            (Curve("what the network gives", tuple(network_points)), Curve("what is meant", intended_points, DOTS)),
            note="grey: where the comparison is not exact",
            legend="center right" if name.startswith("eq") else "upper left",
            grey=grey,
        )

    return figure


# The comparators with a figure.
COMPARED = ("gtzero", "gezero", "eqzero", "gtzero-input", "gezero-input", "eqzero-input")
OF_LENGTHS: tuple[str, ...] = ()
"""No figure here goes up to a maximum length."""
FIGURES: dict[str, tuple[Make, ...]] = {
    **{name: (comparator(name),) for name in COMPARED},
    "by-gelu": (gelu,),
    "dyck-1": tuple(counts(panel) for panel in PANELS),
}
