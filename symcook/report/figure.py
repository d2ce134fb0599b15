"""A picture with its numbers: curves of balls over one axis, as a CSV file and, with matplotlib, as SVG and PNG.

The numbers are balls, whose decimals are kept as text. Only coordinates on the paper are floats. On a logarithmic axis
the coordinate is the logarithm, so that values such as e^(-10^6) can be drawn too. Pictures need matplotlib
(`pip install 'symcook[plots]'`), CSV files do not.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.files import exists, ordinary, put, vacant
from symcook.locks import PRECISION
from symcook.model.rationals import decimal_text
from symcook.numbers.balls import Ball, arb_of, ball

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis
    from matplotlib.figure import Figure as Sheet

PICTURES = (".svg", ".png")
MISSING = "for the pictures install matplotlib: pip install 'symcook[plots]'"
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#000000")  # apart for every kind of colour vision
DASHES = ("-", "--", "-.", ":")
DOTS = {"linestyle": "", "marker": "s"}
"""The style of a curve whose points are not joined."""
INCHES = (7.2, 4.8)
"""Width and height of a picture."""
MARKED = 60
"""A curve with more points than this has no marks at them."""
DIGITS = 10
"""The decimal digits of a rational number that is drawn as a ball (`exact`)."""
Point = tuple[Fraction, Ball]
"""The exact horizontal value and the ball above it."""


@dataclass(frozen=True)
class Curve:
    """A label and points from left to right; `style` has matplotlib options that replace those of `_draw`."""

    label: str
    points: tuple[Point, ...]
    style: Mapping[str, Any] = field(default_factory=dict)

    @property
    def joined(self) -> bool:
        """Whether its points are joined by a line."""
        return bool(self.style.get("linestyle", "-"))


@dataclass(frozen=True)
class Figure:
    """Curves over one axis. A logarithmic axis leaves out values that are 0 or negative."""

    name: str
    title: str
    horizontal: str
    """The label of the horizontal axis."""
    vertical: str
    """The label of the vertical axis."""
    curves: tuple[Curve, ...]
    logarithmic: tuple[bool, bool] = (False, False)
    """Whether the horizontal and the vertical axis are logarithmic."""
    note: str = ""
    """A line in small letters under the picture."""
    shown: tuple[Fraction, ...] = ()
    """The horizontal values of vertical lines."""
    legend: str = "upper right"
    """The place of the legend of at most two joined curves; with more, or with bars, it is above the picture."""
    grey: tuple[tuple[Fraction, Fraction], ...] = ()
    """Shaded intervals of the horizontal axis: (start, end)."""
    bars: tuple[tuple[Fraction, Fraction | None, Fraction | None], ...] = ()
    """Vertical intervals: (horizontal value, low end, high end); an end that is None is not bounded."""
    level: tuple[Fraction, str] | None = None
    """A horizontal line: its value and its label in the legend."""
    below: str = ""
    """A second, smaller title."""

    def csv(self) -> str:
        """A line for each point: the label of the curve, the horizontal value, and the ball."""
        lines = ["curve,at,mid,rad"]
        for curve in self.curves:
            for at, value in curve.points:
                lines.append(f'"{curve.label}",{decimal_text(at)},{value.mid},{value.rad}')
        return "\n".join(lines) + "\n"

    def picture(self, form: str = "svg") -> bytes:
        """An SVG or PNG file with a white background, so that it is readable in print and on a dark page.

        Raises BadInput where matplotlib is not installed or not importable.
        """
        return drawn(lambda sheet: _draw(sheet, self), INCHES, form)


def exact(value: Fraction | int) -> Ball:
    """A rational number as a ball."""
    return ball(arb_of(Fraction(value)), DIGITS)


# --- The picture ------------------------------------------------------------------------------------------------------


def drawn(draw: Callable[[Sheet], None], inches: tuple[float, float], form: str) -> bytes:
    """The SVG or PNG file of what `draw` draws on an empty matplotlib figure of this size; always the same bytes.

    Raises BadInput where matplotlib is not installed or not importable.
    """
    _check_matplotlib()
    import matplotlib

    with matplotlib.rc_context({"font.size": 10, "svg.hashsalt": "symcook", "font.family": "DejaVu Sans"}):
        figure = sheet(inches)
        draw(figure)
        return _file_bytes(figure, form)


def sheet(inches: tuple[float, float]) -> Sheet:
    """An empty matplotlib figure of this size; a notebook shows it as PNG.

    Raises BadInput where matplotlib is not installed or not importable.
    """
    _check_matplotlib()
    from matplotlib.figure import Figure as Sheet

    figure: Any = Sheet(figsize=inches, layout="constrained")
    figure._repr_png_ = partial(_file_bytes, figure, "png")  # not made by pyplot, which would show the figure twice
    return figure


def _file_bytes(figure: Sheet, form: str) -> bytes:
    """The bytes of a file of the format `form`. An SVG gets no date, so that the same figure gives the same file."""
    buffer = BytesIO()
    figure.savefig(buffer, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)
    return buffer.getvalue()


def _check_matplotlib() -> None:
    """Raise BadInput if matplotlib is not installed or cannot be imported."""
    if find_spec("matplotlib") is None:
        raise BadInput("pictures need matplotlib", "an installation without it", MISSING)
    try:
        import matplotlib.figure  # noqa: F401
    except (ImportError, ValueError) as error:  # such as a MPLBACKEND that it does not know
        raise BadInput("matplotlib must be importable for a picture", error, "see whether Python imports it") from None


def _draw(sheet: Any, figure: Figure) -> None:
    """Draws a figure on an empty sheet."""
    # The curves, each with its colour and dashes; a curve with many points has no marks.
    axes = sheet.subplots()
    for k, curve in enumerate(figure.curves):
        style: dict[str, Any] = {
            "color": COLOURS[k % len(COLOURS)],
            "linestyle": DASHES[(k + k // len(COLOURS)) % len(DASHES)],
            "linewidth": 1.4,
            "marker": "o",
            "markersize": 3,
            "zorder": 3 if curve.joined else 2,  # lines over unjoined marks, which would hide them
        } | dict(curve.style)
        if curve.joined and len(curve.points) > MARKED:
            style["marker"] = ""
        axis_values = zip(
            figure.logarithmic, *curve.points, strict=True
        )  # (is logarithmic, values) for each of the two axes
        axes.plot(*([place(x, log) for x in numbers] for log, *numbers in axis_values), label=curve.label, **style)
    # Shaded intervals, bars and vertical lines; then the titles.
    for start, end in figure.grey:
        axes.axvspan(float(start), float(end), color="#bbbbbb", alpha=0.5, linewidth=0)
    _draw_bars(axes, figure)
    for at in figure.shown:
        axes.axvline(float(at), color="#000000", linewidth=0.8, linestyle=":")
    axes.set(xlabel=figure.horizontal, ylabel=figure.vertical)
    if figure.below:
        sheet.suptitle(figure.title, fontsize=12)
        axes.set_title(figure.below, fontsize=10, color="#444444", parse_math=False)
    else:
        axes.set_title(figure.title, fontsize=11)
    # Values on a logarithmic axis may be beyond the range of floats: the axis shows logarithms, and gets its own ticks.
    points = [point for curve in figure.curves for point in curve.points]
    for axis, is_logarithmic, *numbers in zip((axes.xaxis, axes.yaxis), figure.logarithmic, *points, strict=True):
        if is_logarithmic:
            _set_logarithmic_axis(axis, [at for x in numbers if not math.isnan(at := place(x))])
    horizontal_values = {
        *figure.shown,
        *(at for at, *_ in (*points, *figure.bars)),
        *(at for ends in figure.grey for at in ends),
    }
    if not figure.logarithmic[0] and horizontal_values:
        _set_linear_axis(axes.xaxis, sorted(horizontal_values))
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    # The legend of more than two lines, or of bars, would cover a part of the picture: it goes above. One curve alone
    # needs no legend.
    if sum(curve.joined for curve in figure.curves) > 2 or figure.bars:
        sheet.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    elif len(figure.curves) > 1 or figure.level is not None:
        axes.legend(framealpha=0.9, edgecolor="#cccccc", loc=figure.legend, fontsize=9)
    if figure.note:
        sheet.supxlabel(figure.note, fontsize=8, color="#555555", x=0.99, ha="right", wrap=True)


def _draw_bars(axes: Axes, figure: Figure) -> None:
    """Draws the level and the bars of a figure. A bar without an end goes to the edge of the picture."""
    if figure.level is not None:
        axes.axhline(float(figure.level[0]), color="#000000", linewidth=0.9, linestyle=":", label=figure.level[1])
    ends = [float(x) for _, *sides in figure.bars for x in (*sides, figure.level and figure.level[0]) if x is not None]
    if not figure.bars:
        return
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    margin = 0.2 * (high - low) or 1.0
    for at, start, end in figure.bars:
        bottom, top = (low - margin if start is None else float(start)), (high + margin if end is None else float(end))
        style: dict[str, Any] = {"color": "#999999", "alpha": 0.45, "linewidth": 9, "solid_capstyle": "butt"}
        axes.plot([float(at)] * 2, [bottom, top], zorder=1, **style)
    axes.set(ylim=(low - margin, high + margin))


# --- Places on logarithmic axes ---------------------------------------------------------------------------------------


def place(value: Fraction | Ball, logarithmic: bool = True) -> float:
    """The coordinate of a number, or of the midpoint of a ball, on an axis.

    On a logarithmic axis this is the decimal logarithm, however small the number is, and nan for numbers <= 0.

    >>> place(Ball("0.01", "0")), place(Fraction(10**400)), place(Ball("1e-434294", "0")), place(Ball("0", "0"))
    (-2.0, 400.0, -434294.0, nan)
    """
    import flint

    if not logarithmic:
        return float(value if isinstance(value, Fraction) else value.mid)
    with PRECISION, flint.ctx.workprec(128):
        number = arb_of(value) if isinstance(value, Fraction) else flint.arb(value.mid)
        return float((number.log() / flint.arb(10).log()).mid()) if number > 0 else math.nan


def _set_linear_axis(axis: Any, places: Sequence[Fraction]) -> None:
    """Set the limits of the horizontal axis to the sorted values `places`; if all are integers, ticks are integers. A
    single value is the only tick.

    matplotlib alone would leave out values where nothing is drawn, such as a point without a place on the other axis.
    """
    if all(at.denominator == 1 for at in places):
        axis.get_major_locator().set_params(integer=True)
    low, high = float(places[0]), float(places[-1])
    if low == high:
        axis.set_ticks([low])
    else:
        axis.axes.set_xlim(low - 0.045 * (high - low), high + 0.045 * (high - low))


def _set_logarithmic_axis(axis: XAxis | YAxis, places: Sequence[float]) -> None:
    """Set the limits and ticks of an axis that shows logarithms; `places` are the logarithms of its points."""
    if not places:
        axis.set_ticks([])
        return
    low, high = min(places), max(places)
    margin = max(0.045 * (high - low), 0.08 if axis.axis_name == "y" else 0, 1e-9 * abs(low))
    ticks, between = log_ticks(low - margin, high + margin)
    axis.set_ticks([at for at, _ in ticks], labels=[label for _, label in ticks])
    axis.set_ticks(between, minor=True)
    axis.axes.set(**{f"{axis.axis_name}lim": (low - margin, high + margin)})


def log_ticks(low: float, high: float) -> tuple[list[tuple[float, str]], list[float]]:
    """The ticks of an axis of decimal logarithms from `low` to `high`: (coordinate, label) of each, and the coordinates
    of the minor ticks between them.

    >>> log_ticks(0, 3)[0]
    [(0.0, '1'), (1.0, '10'), (2.0, '100'), (3.0, '1000')]
    >>> [label for _, label in log_ticks(-400_000, 0)[0]][:2]
    ['$10^{-400000}$', '$10^{-350000}$']
    """
    # Several powers of ten: ticks at the powers, or at every `step`-th of them; minor ticks at 2 to 9 times a power.
    span, bottom = high - low, math.floor(low)
    if span >= 2.5:
        step = _round_step(span / 8)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        ticks = [(float(k * step), _label(1, k * step)) for k in range(first, last + 1)]
        inside = [k + math.log10(m) for k in range(bottom, math.ceil(high)) for m in range(2, 10)] if step == 1 else []
        return ticks, [coordinate for coordinate in inside if low <= coordinate <= high]
    # About one power of ten: ticks at 1, 2 and 5 times a power. Less: evenly spaced numbers. The unit is 10^bottom.
    if span >= 0.75:
        numbers = [Fraction(m) * 10**k for k in range(math.ceil(span) + 1) for m in (1, 2, 5)]
    else:
        ends = 10 ** (low - bottom), 10 ** (high - bottom)
        step = Fraction(10) ** math.floor(math.log10((ends[1] - ends[0]) / 3))
        step *= max(m for m in (1, 2, 5) if m * step <= (ends[1] - ends[0]) / 3)
        numbers = [k * step for k in range(math.ceil(ends[0] / step), math.floor(ends[1] / step) + 1)]
    coordinates = [(bottom + math.log10(number), _label(number, bottom)) for number in numbers if number > 0]
    return [(coordinate, label) for coordinate, label in coordinates if low <= coordinate <= high], []


def _round_step(size: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50, ... that is at least `size`."""
    if size <= 1:
        return 1
    power = 10 ** math.floor(math.log10(size))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= size)


def _label(factor: Fraction | int, exponent: int) -> str:
    """The label of factor * 10^exponent: a plain decimal if the exponent is small, else with a power of ten."""
    mantissa_value = Fraction(factor)
    if mantissa_value >= 10:
        mantissa_value, exponent = mantissa_value / 10, exponent + 1
    if abs(exponent) <= 4:
        return decimal_text(mantissa_value * Fraction(10) ** exponent)
    exponent_text = str(exponent)
    if abs(exponent) >= 10**7:
        mantissa, _, power = f"{exponent:.3e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        exponent_text = rf"{mantissa} \times 10^{{{int(power)}}}"
    tens = f"10^{{{exponent_text}}}"
    return f"${tens}$" if mantissa_value == 1 else rf"${decimal_text(mantissa_value)} \times {tens}$"


# --- The files --------------------------------------------------------------------------------------------------------


def endings() -> tuple[str, ...]:
    """The endings of the files of a figure; pictures only if matplotlib is installed."""
    return (".csv", *(PICTURES if find_spec("matplotlib") is not None else ()))


def plot_targets(place: str | Path, force: bool) -> list[Path]:
    """The paths of the CSV file and, if matplotlib is installed, of the pictures of a plot called `place`.

    Raises BadInput where they cannot be written, or exist already without `force`, and where `place` is no name without
    an ending.
    """
    path = Path(place)
    if path.name:
        ordinary(place, "the place of a plot", "--plot bound")
    if str(place).endswith(("/", os.sep)):
        raise BadInput("the place of a plot must be a name, not a folder", place, f"give for example {place}bound")
    if path.suffix in (".csv", *PICTURES) or not path.name:
        must = "the place of a plot must be a name without ending"
        raise BadInput(must, place, "give for example --plot bound, which is written to bound.csv")
    folder = path.parent
    if not folder.is_dir():
        raise BadInput("the folder for a plot must exist", folder, "make this folder first")
    folder_name = "the current folder" if str(folder) == "." else folder
    targets = [path.with_name(path.name + ending) for ending in endings()]
    for target in targets:
        vacant(target, force)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput("the folder for a plot must be writable", folder_name, "give another --plot")
    return targets


def write_plot(targets: Sequence[Path], csv: str, figure: Figure, force: bool) -> None:
    """Write the CSV text to the first of `plot_targets` and the pictures to the others, all or none."""
    pictures = {target: figure.picture(target.suffix[1:]) for target in targets[1:]}
    write_files({targets[0]: csv.encode()} | pictures, force)


def write_files(contents: Mapping[Path, bytes], force: bool) -> None:
    """Write all files or none; raise BadInput if the folder is not writable, or without `force` if a file exists."""
    try:
        put(contents, force=force)
    except FileExistsError as error:
        raise exists(error.filename) from None
    except OSError as error:
        raise BadInput(
            "the target of a plot must be writable",
            f"{next(iter(contents))} ({error.strerror})",
            "give another name, or make the folder writable",
        ) from error
