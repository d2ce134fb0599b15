"""Figures 1 and 2 of the Cookbook, and pictures of its comparators, Eqs. (29) to (34).

GELU nears ReLU; the running counts of three words of brackets; and what each comparator gives, what is meant, and where
they differ, on a grey ground as in the paper.
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
GELU = parse_term("x/2*(1 + erf(c*x/sqrt(2)))")
PANELS = {
    "left": ("(()())", "a member: no prefix closes more, and both counts end alike"),
    "center": ("())(()", "no member: the counts end alike, but at k = 3 more are closed"),
    "right": ("(()(()", "no member: no prefix closes more, but the counts differ in the end"),
}
"""Words of six brackets, classified as the caption of Figure 2 classifies its panels."""
WIDTH = Fraction(1)
"""The tolerance in the pictures; other tolerances stretch them."""
PLACES = [Fraction(k, 20) for k in range(-50, 51)]


def gelu(longest: int, done: Callable[[str], None]) -> Figure:
    """Figure 1: GELU(c x)/c for three scales beside ReLU(x)."""
    places = [Fraction(k, 20) for k in range(-60, 61)]

    def scaled(x: Fraction, c: int) -> Point:
        return x, ball(refine(lambda: evaluate(GELU, {"x": arb_of(x), "c": c}), DIGITS), DIGITS)

    curves = [Curve(f"GELU({c} x)/{c}" if c > 1 else "GELU(x)", tuple(scaled(x, c) for x in places)) for c in SCALES]
    wanted = Curve("ReLU(x)", tuple((x, exact(max(x, Fraction(0)))) for x in places))
    return Figure("figure-1", "Figure 1: GELU(c x)/c nears ReLU(x)", "x", "value", (*curves, wanted))


def counts(panel: str) -> Make:
    """A panel of Figure 2: how many brackets have been opened and closed up to each position."""

    def figure(longest: int, done: Callable[[str], None]) -> Figure:
        word, what = PANELS[panel]
        curves = [
            Curve(label, tuple((Fraction(k), exact(n)) for k, n in enumerate(accumulate(b == c for b in word), 1)))
            for label, c in (("opened, O_k", "("), ("closed, C_k", ")"))
        ]
        title = f"Figure 2, {panel}: {word}"
        return Figure(f"figure-2-{panel}", title, "k", "count", tuple(curves), note=what, legend="upper left")

    return figure


def comparator(name: str) -> Make:
    """The figure of a comparator by name, a curve of its model's exact values and the indicator that it stands for."""

    def figure(longest: int, done: Callable[[str], None]) -> Figure:
        info = recipes.info(name)
        # The width of the ramp is an input of some comparators, and a parameter of the others.
        by_input = "tolerance" in info.formula
        model = recipes.build(name)
        meant, inside = parse_term(info.formula), parse_formula(recipes.region(name))
        key = "tolerance" if by_input else "eps"
        network_points = []
        for x in PLACES:
            point = {"x": x, key: WIDTH} if by_input else {"x": x}
            value = model.run(point, values={} if by_input else {key: WIDTH}).output["out"]
            network_points.append((x, exact(Fraction(value))))
        # What the formula gives at the same places, and the places at which it need not be what the model gives.
        wanted = tuple((x, exact(rational(meant, {"x": x, key: WIDTH}))) for x in PLACES)
        off = [x for x in PLACES if not truth(inside, {"x": x, key: WIDTH})]
        step = PLACES[1] - PLACES[0]
        # the region misses open intervals that end on the grid; at a single point in one, as x = 0, it is cut in two
        starts = [x for x in off if x - step not in off]
        ends = [x for x in off if x + step not in off]
        grey = tuple((a - step, b + step) for a, b in zip(starts, ends, strict=True))
        number = info.source.rpartition("Eq. ")[2]
        return Figure(
            "figure-comparator",
            f"{name}, Eq. {number}, with {'tolerance' if by_input else 'eps'} = 1",
            "x",
            "value",
            (Curve("what the network gives", tuple(network_points)), Curve("what is meant", wanted, DOTS)),
            note="grey: where the comparison is not exact",
            legend="center right" if name.startswith("eq") else "upper left",
            grey=grey,
        )

    return figure


COMPARED = ("gtzero", "gezero", "eqzero", "gtzero-input", "gezero-input", "eqzero-input")
FIGURES: dict[str, tuple[Make, ...]] = {
    **{name: (comparator(name),) for name in COMPARED},
    "by-gelu": (gelu,),
    "dyck-1": tuple(counts(panel) for panel in PANELS),
}
