"""The figures of Chiang and Cholak 2022 for the recipes parity and first, as tables of balls and as pictures.

The paper draws Figure 2 over 1000 random strings; here each point is the mean over all words of its length, a ball.
Figure 3 names one entry of a matrix whose lower half is the negative of the upper one; here both entries move, so that
the stream stays paired and norms need no centering. What Figure 4 trains for is shown of the constructions: attention,
confidence and accuracy at every length.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from symcook.bounds.entropy import cross_entropy
from symcook.bounds.result import Bound
from symcook.bounds.sensitive import RightWeights, right_weights
from symcook.errors import BadInput, unknown
from symcook.files import exists, ordinary, put
from symcook.numbers.balls import Ball, arb_of, ball, refine
from symcook.report.curves import drawn
from symcook.report.plots import PICTURES, decimal_text

DIGITS = 10
LENGTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 3000, 10_000, 100_000, 1_000_000)
NORMED = 1000  # the closed form of PARITY with norms takes n^2 exponentials
FLAWED = 10_000  # that of the flawed FIRST takes n
WORD = 20  # symbols of the words of Figure 3
WEIGHTS = [Fraction(1, 2) + Fraction(k, 360) for k in range(198)]
"""The weights of Figure 3. From (n + 1)/n on, the word of 1s alone hits no position and has no value at epsilon 0."""
SETTING = "epsilon=0, eta=1/100"
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#000000")  # apart for every kind of colour vision
DASHES = ("-", "--", "-.", ":")
MARKED = 60
"""Up to so many points a curve has a mark at each."""
Point = tuple[Fraction, Ball]
Ask = Callable[[str], None]


@dataclass(frozen=True)
class Curve:
    label: str
    points: tuple[Point, ...]
    joined: bool = True


@dataclass(frozen=True)
class Figure:
    """A picture with its numbers: curves over one axis. `shown` are vertical lines, with what they say, and `grey`
    intervals that are shaded."""

    name: str
    title: str
    across: str
    up: str
    curves: tuple[Curve, ...]
    logarithmic: tuple[bool, bool] = (False, False)
    note: str = ""
    shown: tuple[Fraction, ...] = ()
    legend: str = "upper right"
    """Where up to two curves have their legend; that of more stands above them."""
    grey: tuple[tuple[Fraction, Fraction], ...] = ()
    bars: tuple[tuple[Fraction, Fraction | None, Fraction | None], ...] = ()
    """Where, from and to: intervals that stand upright; None where one has no end."""
    level: tuple[Fraction, str] | None = None
    """A horizontal line, with what it is."""

    def csv(self) -> str:
        """A line for each point: the curve, where it is, and the ball."""
        lines = ["curve,at,mid,rad"]
        for curve in self.curves:
            for at, value in curve.points:
                lines.append(f'"{curve.label}",{decimal_text(at)},{value.mid},{value.rad}')
        return "\n".join(lines) + "\n"


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
        (between, Curve("I[i = k]", whole, False)),
    )


def entropies(name: str) -> Callable[[int, Ask], Figure]:
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


def sensitive(what: str) -> Callable[[int, Ask], Figure]:
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


FIGURES: dict[str, tuple[Callable[[int, Ask], Figure], ...]] = {
    "parity": (tent, entropies("parity"), sensitive("cross-entropy"), sensitive("accuracy"), tolerances),
    "first": (entropies("first"), attention, confidence, accuracy),
}


def figures() -> dict[str, tuple[Callable[[int, Ask], Figure], ...]]:
    """The figures by recipe: those of Chiang and Cholak 2022, and of the Cookbook its figures and the comparators."""
    from symcook.report.comparators import COMPARATORS
    from symcook.report.cookbook import COOKBOOK

    return FIGURES | COMPARATORS | COOKBOOK


def exact(value: Fraction | int) -> Ball:
    """A rational number as a ball."""
    return ball(arb_of(Fraction(value)), DIGITS)


def _lengths(longest: int) -> list[int]:
    return [n for n in LENGTHS if n <= longest]


def _over_lengths(model: str, values: str, longest: int, of: Callable[[Bound], Any], done: Ask) -> tuple[Point, ...]:
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


def _both_scales(name: str, title: str, up: str, longest: int, of: Callable[[Any], Any]) -> Figure:
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


# --- Pictures and files -----------------------------------------------------------------------------------------------


def write(
    name: str, folder: str | Path, longest: int, *, force: bool = False, done: Ask = lambda _: None
) -> list[Path]:
    """Write each figure as CSV and, with matplotlib, as SVG and PNG, all of them or none; the files, in order.

    Raises BadInput for a recipe without figures, and for files that exist or cannot be written.
    """
    place = ordinary(folder, "the folder of figures", "-o figures") if Path(folder).name else Path(folder)
    if place.exists() and not place.is_dir():
        raise BadInput("the place of figures must be a folder", place)
    known = figures()
    if name not in known:
        raise unknown("recipe with figures", name, list(known))
    endings = (".csv", *(PICTURES if find_spec("matplotlib") is not None else ()))
    if not force:
        for old in sorted(place.glob(f"{name}-figure-*")) if place.is_dir() else ():
            raise exists(old)
    contents: dict[Path, bytes] = {}
    made = [folder for folder in (place, *place.parents) if not folder.exists()]
    try:
        place.mkdir(parents=True, exist_ok=True)  # before the work, which takes minutes
        for make in known[name]:
            figure = make(longest, done)
            for ending in endings:
                content = figure.csv().encode("ascii") if ending == ".csv" else picture(figure, ending[1:])
                contents[place / f"{name}-{figure.name}{ending}"] = content
        put(contents, force=force)
        made = []
    except FileExistsError as error:
        raise exists(error.filename) from None
    except OSError as error:
        raise BadInput("the place of figures must be writable", f"{place} ({error.strerror})") from error
    finally:
        for folder in made:
            with contextlib.suppress(OSError):  # someone else has put a file there
                folder.rmdir()
    return list(contents)


def picture(figure: Figure, form: str = "svg") -> bytes:
    """A figure as an SVG or PNG file, on white, so that it is read in print and on a dark page.

    Raises BadInput where matplotlib is not installed or not importable.
    """

    def draw(sheet: Any) -> None:
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

        axes = sheet.subplots()
        for k, curve in enumerate(figure.curves):
            colour, dash = COLOURS[k % len(COLOURS)], DASHES[(k + k // len(COLOURS)) % len(DASHES)]
            xs, ys = [float(at) for at, _ in curve.points], [float(value.mid) for _, value in curve.points]
            mark = "s" if not curve.joined else "o" if len(xs) <= MARKED else ""
            line = axes.plot(xs, ys, color=colour, label=curve.label, linewidth=1.4, marker=mark, markersize=3)[0]
            line.set_linestyle(dash if curve.joined else "")
            line.set_zorder(3 if curve.joined else 2)  # marks one beside the other would hide a line
        for start, end in figure.grey:
            axes.axvspan(float(start), float(end), color="#bbbbbb", alpha=0.5, linewidth=0)
        _upright(axes, figure)
        for at in figure.shown:
            axes.axvline(float(at), color="#000000", linewidth=0.8, linestyle=":")
        axes.set(xlabel=figure.across, ylabel=figure.up)
        axes.set_title(figure.title, fontsize=11)
        for side, wanted in zip("xy", figure.logarithmic, strict=True):
            if wanted:
                axes.set(**{f"{side}scale": "log"})
                axis = axes.xaxis if side == "x" else axes.yaxis
                axis.set_minor_formatter(NullFormatter())
                low, high = axes.get_xlim() if side == "x" else axes.get_ylim()
                if low > 0 and high < 100 * low:  # one power of ten alone would say little
                    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axis.set_major_formatter(FuncFormatter(lambda at, _: f"{at:g}"))
        if not figure.logarithmic[0] and all(at.denominator == 1 for c in figure.curves for at, _ in c.points):
            axes.xaxis.get_major_locator().set_params(integer=True)
        if len({at for curve in figure.curves for at, _ in curve.points}) == 1:
            axes.set_xticks([float(figure.curves[0].points[0][0])])
        axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        if len(figure.curves) > 2 or figure.bars:  # a box with so many lines would cover a curve
            sheet.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)
        elif len(figure.curves) > 1 or figure.level is not None:
            axes.legend(framealpha=0.9, edgecolor="#cccccc", loc=figure.legend, fontsize=9)
        if figure.note:
            sheet.supxlabel(figure.note, fontsize=8, color="#555555", x=0.99, ha="right")

    return drawn(draw, (7.2, 4.6), form)


def _upright(axes: Any, figure: Figure) -> None:
    """The bars of a figure, those without an end up to the edge, and its level."""
    if figure.level is not None:
        axes.axhline(float(figure.level[0]), color="#000000", linewidth=0.9, linestyle=":", label=figure.level[1])
    ends = [float(x) for _, *sides in figure.bars for x in (*sides, figure.level and figure.level[0]) if x is not None]
    if not figure.bars:
        return
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.2 * (high - low) or 1.0
    for at, start, end in figure.bars:
        bottom, top = (low - room if start is None else float(start)), (high + room if end is None else float(end))
        style: dict[str, Any] = {"color": "#999999", "alpha": 0.45, "linewidth": 9, "solid_capstyle": "butt"}
        axes.plot([float(at)] * 2, [bottom, top], zorder=1, **style)
    axes.set(ylim=(low - room, high + room))
