"""A picture with its numbers: curves of balls over one axis, as a CSV file and, with matplotlib, as SVG and PNG.

The numbers are balls and stay text; only the places on paper are floats, on a logarithmic axis those of logarithms, so
that values such as e^(-10^6) have a place too. Pictures need matplotlib (`pip install 'symcook[plots]'`), CSV files do
not.
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
"""How a curve is drawn whose points are not joined."""
INCHES = (7.2, 4.8)
MARKED = 60
"""Up to so many points a curve has a mark at each."""
DIGITS = 10
Point = tuple[Fraction, Ball]


@dataclass(frozen=True)
class Curve:
    """A label and points from left to right; `style` is what matplotlib draws in another way than by default."""

    label: str
    points: tuple[Point, ...]
    style: Mapping[str, Any] = field(default_factory=dict)

    @property
    def joined(self) -> bool:
        """Whether its points are joined by a line."""
        return bool(self.style.get("linestyle", "-"))


@dataclass(frozen=True)
class Figure:
    """Curves over one axis. `shown` are vertical lines, `grey` intervals that are shaded, and what is 0 or below has no
    place on a logarithmic axis."""

    name: str
    title: str
    horizontal: str
    vertical: str
    curves: tuple[Curve, ...]
    logarithmic: tuple[bool, bool] = (False, False)
    note: str = ""
    shown: tuple[Fraction, ...] = ()
    legend: str = "upper right"
    """Where up to two lines have their legend; that of more stands above them."""
    grey: tuple[tuple[Fraction, Fraction], ...] = ()
    bars: tuple[tuple[Fraction, Fraction | None, Fraction | None], ...] = ()
    """Where, from and to: intervals that stand upright; None where one has no end."""
    level: tuple[Fraction, str] | None = None
    """A horizontal line, with what it is."""
    below: str = ""
    """A second, smaller title."""

    def csv(self) -> str:
        """A line for each point: the curve, where it is, and the ball."""
        lines = ["curve,at,mid,rad"]
        for curve in self.curves:
            for at, value in curve.points:
                lines.append(f'"{curve.label}",{decimal_text(at)},{value.mid},{value.rad}')
        return "\n".join(lines) + "\n"

    def picture(self, form: str = "svg") -> bytes:
        """An SVG or PNG file, on white, so that it is read in print and on a dark page.

        Raises BadInput where matplotlib is not installed or not importable.
        """
        return drawn(lambda sheet: _draw(sheet, self), INCHES, form)


def exact(value: Fraction | int) -> Ball:
    """A rational number as a ball."""
    return ball(arb_of(Fraction(value)), DIGITS)


def decimal_text(value: Fraction | int) -> str:
    """A decimal where that is exact, else p/q.

    >>> decimal_text(Fraction(1, 80)), decimal_text(Fraction(1, 3)), decimal_text(10**20)
    ('0.0125', '1/3', '100000000000000000000')
    """
    exact = Fraction(value)
    twos = (exact.denominator & -exact.denominator).bit_length() - 1
    fives, remaining = 0, exact.denominator >> twos
    while remaining % 5 == 0:
        fives, remaining = fives + 1, remaining // 5
    places = max(twos, fives)
    if remaining > 1 or not places:
        return str(exact)
    digits = str(int(exact * 10**places)).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


# --- The picture ------------------------------------------------------------------------------------------------------


def drawn(draw: Callable[[Sheet], None], inches: tuple[float, float], form: str) -> bytes:
    """What `draw` puts on a matplotlib figure of this size, as an SVG or PNG file; the bytes depend on nothing else.

    Raises BadInput where matplotlib is not installed or not importable.
    """
    _importable()
    import matplotlib

    with matplotlib.rc_context({"font.size": 10, "svg.hashsalt": "symcook", "font.family": "DejaVu Sans"}):
        figure = sheet(inches)
        draw(figure)
        return _saved(figure, form)


def sheet(inches: tuple[float, float]) -> Sheet:
    """An empty matplotlib figure of this size, which shows itself in a notebook.

    Raises BadInput where matplotlib is not installed or not importable.
    """
    _importable()
    from matplotlib.figure import Figure as Sheet

    figure: Any = Sheet(figsize=inches, layout="constrained")
    figure._repr_png_ = partial(_saved, figure, "png")  # pyplot, which would show it, would show it twice
    return figure


def _saved(figure: Sheet, form: str) -> bytes:
    """The bytes of a file of this form; an SVG has no date, so that the same figure gives the same file."""
    buffer = BytesIO()
    figure.savefig(buffer, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)
    return buffer.getvalue()


def _importable() -> None:
    """BadInput where matplotlib is not installed or cannot be imported."""
    if find_spec("matplotlib") is None:
        raise BadInput("a picture must have matplotlib", "an installation without it", MISSING)
    try:
        import matplotlib.figure  # noqa: F401
    except (ImportError, ValueError) as error:  # such as a MPLBACKEND that it does not know
        raise BadInput("matplotlib must be importable for a picture", error, "see whether Python imports it") from None


def _draw(sheet: Any, figure: Figure) -> None:
    """Draws a figure on an empty sheet."""
    # The curves, each with a colour and dashes of its own; many points have no marks.
    axes = sheet.subplots()
    for k, curve in enumerate(figure.curves):
        style: dict[str, Any] = {
            "color": COLOURS[k % len(COLOURS)],
            "linestyle": DASHES[(k + k // len(COLOURS)) % len(DASHES)],
            "linewidth": 1.4,
            "marker": "o",
            "markersize": 3,
            "zorder": 3 if curve.joined else 2,  # marks one beside the other would hide a line
        } | dict(curve.style)
        if curve.joined and len(curve.points) > MARKED:
            style["marker"] = ""
        sides = zip(figure.logarithmic, *curve.points, strict=True)
        axes.plot(*([place(x, log) for x in numbers] for log, *numbers in sides), label=curve.label, **style)
    # Shaded intervals, bars and vertical lines; then the titles.
    for start, end in figure.grey:
        axes.axvspan(float(start), float(end), color="#bbbbbb", alpha=0.5, linewidth=0)
    _upright(axes, figure)
    for at in figure.shown:
        axes.axvline(float(at), color="#000000", linewidth=0.8, linestyle=":")
    axes.set(xlabel=figure.horizontal, ylabel=figure.vertical)
    if figure.below:
        sheet.suptitle(figure.title, fontsize=12)
        axes.set_title(figure.below, fontsize=10, color="#444444", parse_math=False)
    else:
        axes.set_title(figure.title, fontsize=11)
    # Logarithmic axes have ticks of their own, as numbers may be beyond the range of floats.
    points = [point for curve in figure.curves for point in curve.points]
    for axis, wanted, *numbers in zip((axes.xaxis, axes.yaxis), figure.logarithmic, *points, strict=True):
        if wanted:
            _logarithmic(axis, [at for x in numbers if not math.isnan(at := place(x))])
    across = {*figure.shown, *(at for at, *_ in (*points, *figure.bars)), *(at for ends in figure.grey for at in ends)}
    if not figure.logarithmic[0] and across:
        _linear(axes.xaxis, sorted(across))
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    if sum(curve.joined for curve in figure.curves) > 2 or figure.bars:  # a box of so many lines would cover a curve
        sheet.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    elif len(figure.curves) > 1 or figure.level is not None:
        axes.legend(framealpha=0.9, edgecolor="#cccccc", loc=figure.legend, fontsize=9)
    if figure.note:
        sheet.supxlabel(figure.note, fontsize=8, color="#555555", x=0.99, ha="right")


def _upright(axes: Axes, figure: Figure) -> None:
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


# --- Places on logarithmic axes ---------------------------------------------------------------------------------------


def place(value: Fraction | Ball, logarithmic: bool = True) -> float:
    """Where a number, or the middle of a ball, stands on an axis: on a logarithmic one by its decimal logarithm,
    however small it is, and nan for 0 and below.

    >>> place(Ball("0.01", "0")), place(Fraction(10**400)), place(Ball("1e-434294", "0")), place(Ball("0", "0"))
    (-2.0, 400.0, -434294.0, nan)
    """
    import flint

    if not logarithmic:
        return float(value if isinstance(value, Fraction) else value.mid)
    with PRECISION, flint.ctx.workprec(128):
        number = arb_of(value) if isinstance(value, Fraction) else flint.arb(value.mid)
        return float((number.log() / flint.arb(10).log()).mid()) if number > 0 else math.nan


def _linear(axis: Any, places: Sequence[Fraction]) -> None:
    """Give the horizontal axis its limits, for what has no place upwards too, and ticks at integers where all are."""
    if all(at.denominator == 1 for at in places):
        axis.get_major_locator().set_params(integer=True)
    low, high = float(places[0]), float(places[-1])
    if low == high:
        axis.set_ticks([low])
    else:
        axis.axes.set_xlim(low - 0.045 * (high - low), high + 0.045 * (high - low))


def _logarithmic(axis: XAxis | YAxis, places: Sequence[float]) -> None:
    """Give an axis on which logarithms stand its limits and ticks."""
    if not places:
        axis.set_ticks([])
        return
    low, high = min(places), max(places)
    room = max(0.045 * (high - low), 0.08 if axis.axis_name == "y" else 0, 1e-9 * abs(low))
    ticks, between = log_ticks(low - room, high + room)
    axis.set_ticks([at for at, _ in ticks], labels=[label for _, label in ticks])
    axis.set_ticks(between, minor=True)
    axis.axes.set(**{f"{axis.axis_name}lim": (low - room, high + room)})


def log_ticks(low: float, high: float) -> tuple[list[tuple[float, str]], list[float]]:
    """Places and labels of the ticks of an axis of decimal logarithms from `low` to `high`, and the places between.

    >>> log_ticks(0, 3)[0]
    [(0.0, '1'), (1.0, '10'), (2.0, '100'), (3.0, '1000')]
    >>> [label for _, label in log_ticks(-400_000, 0)[0]][:2]
    ['$10^{-400000}$', '$10^{-350000}$']
    """
    span, bottom = high - low, math.floor(low)
    if span >= 2.5:
        step = _round(span / 8)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        ticks = [(float(k * step), _label(1, k * step)) for k in range(first, last + 1)]
        inside = [k + math.log10(m) for k in range(bottom, math.ceil(high)) for m in range(2, 10)] if step == 1 else []
        return ticks, [place for place in inside if low <= place <= high]
    if span >= 0.75:
        numbers = [Fraction(m) * 10**k for k in range(math.ceil(span) + 1) for m in (1, 2, 5)]
    else:
        ends = 10 ** (low - bottom), 10 ** (high - bottom)
        step = Fraction(10) ** math.floor(math.log10((ends[1] - ends[0]) / 3))
        step *= max(m for m in (1, 2, 5) if m * step <= (ends[1] - ends[0]) / 3)
        numbers = [k * step for k in range(math.ceil(ends[0] / step), math.floor(ends[1] / step) + 1)]
    places = [(bottom + math.log10(number), _label(number, bottom)) for number in numbers if number > 0]
    return [(place, label) for place, label in places if low <= place <= high], []


def _round(size: float) -> int:
    """The least of 1, 2, 5, 10, 20, 50, ... that is at least `size`."""
    if size <= 1:
        return 1
    power = 10 ** math.floor(math.log10(size))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= size)


def _label(number: Fraction | int, exponent: int) -> str:
    """number times 10^exponent: plain where that is short, else with a power of ten."""
    exact = Fraction(number)
    if exact >= 10:
        exact, exponent = exact / 10, exponent + 1
    if abs(exponent) <= 4:
        return decimal_text(exact * Fraction(10) ** exponent)
    exponent_text = str(exponent)
    if abs(exponent) >= 10**7:
        mantissa, _, power = f"{exponent:.3e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        exponent_text = rf"{mantissa} \times 10^{{{int(power)}}}"
    tens = f"10^{{{exponent_text}}}"
    return f"${tens}$" if exact == 1 else rf"${decimal_text(exact)} \times {tens}$"


# --- The files --------------------------------------------------------------------------------------------------------


def endings() -> tuple[str, ...]:
    """Those of the files of a figure: pictures only where matplotlib is there."""
    return (".csv", *(PICTURES if find_spec("matplotlib") is not None else ()))


def plot_targets(place: str | Path, force: bool) -> list[Path]:
    """The CSV file and, where matplotlib is there, the pictures; BadInput where they cannot be written."""
    start = Path(place)
    if start.name:
        ordinary(place, "the place of a plot", "--plot bound")
    if str(place).endswith(("/", os.sep)):
        raise BadInput("the place of a plot must be a name, not a folder", place, f"give for example {place}bound")
    if start.suffix in (".csv", *PICTURES) or not start.name:
        must = "the place of a plot must be a name without ending"
        raise BadInput(must, place, "give for example --plot bound, which is written to bound.csv")
    folder = start.parent
    if not folder.is_dir():
        raise BadInput("the folder for a plot must exist", folder, "make it first")
    folder_name = "the current folder" if str(folder) == "." else folder
    targets = [start.with_name(start.name + ending) for ending in endings()]
    for target in targets:
        vacant(target, force)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput("the folder for a plot must be writable", folder_name, "give another --plot")
    return targets


def write_plot(targets: Sequence[Path], csv: str, figure: Figure, force: bool) -> None:
    """Write the numbers and the pictures at `plot_targets`, all or none."""
    pictures = {target: figure.picture(target.suffix[1:]) for target in targets[1:]}
    write_files({targets[0]: csv.encode()} | pictures, force)


def write_files(contents: Mapping[Path, bytes], force: bool) -> None:
    """Write all or none; BadInput where the folder does not take them."""
    try:
        put(contents, force=force)
    except FileExistsError as error:
        raise exists(error.filename) from None
    except OSError as error:
        raise BadInput("the target of a plot must be writable", f"{next(iter(contents))} ({error.strerror})") from error
