"""Pictures of the comparators, Eqs. (29) to (34) of the Cookbook: what the network gives, what is meant, and where they
differ, on a grey ground as in the paper."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symcook import recipes
from symcook.model.expr import parse_formula, parse_term
from symcook.model.rationals import rational, truth
from symcook.report.figures import Ask, Curve, Figure, exact

WIDTH = Fraction(1)
"""The tolerance in the pictures; other tolerances stretch them."""
PLACES = [Fraction(k, 20) for k in range(-50, 51)]


def comparator(name: str) -> Callable[[int, Ask], Figure]:
    """The figure of a comparator by name, a curve of its model's exact values and the indicator that it stands for."""

    def figure(longest: int, done: Ask) -> Figure:
        info = recipes.info(name)
        by_input = "tolerance" in info.formula
        model = recipes.build(name)
        meant, inside = parse_term(info.formula), parse_formula(recipes.region(name))
        key = "tolerance" if by_input else "eps"
        got = []
        for x in PLACES:
            point = {"x": x, key: WIDTH} if by_input else {"x": x}
            value = model.run(point, values={} if by_input else {key: WIDTH}).output["out"]
            got.append((x, exact(Fraction(value))))
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
            (Curve("what the network gives", tuple(got)), Curve("what is meant", wanted, False)),
            note="grey: where the comparison is not exact",
            legend="center right" if name.startswith("eq") else "upper left",
            grey=grey,
        )

    return figure


COMPARATORS = {
    name: (comparator(name),) for name in ("gtzero", "gezero", "eqzero", "gtzero-input", "gezero-input", "eqzero-input")
}
