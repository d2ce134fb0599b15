"""A bound over a range as a picture: both curves, drawn with matplotlib.

The numbers are balls and stay text; only the places on paper are floats, and those are logarithms, so that values such
as e^(-10^6) have a place too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.report.plots import BROKEN, MISSING, WHOLE, decimal_text

if TYPE_CHECKING:
    from symcook.numbers.balls import Ball
    from symcook.report.plots import Sweep

_L1 = "L1 distance of softmax and hardmax"
QUANTITIES = {
    "softmax-hardmax": _L1,
    "softmax": _L1,
    "lookup": _L1,
    "ziggurat": _L1,
    "tie-break": _L1,
    "table-lookup": "error of the position looked up (in positions)",
    "layernorm-hash": "least gap of the scores",
    "gelu-relu": "greatest difference of GELU(c x)/c and ReLU(x)",
    "temperature": "temperature tau",
    "error": "error of the output",
    "sensitivity": "change of the output when one symbol changes",
    "cross-entropy": "mean cross-entropy in bits",
}
"""By kind, what the vertical axis shows; other kinds show the name of their value."""
WORDS = {
    "error": ("", ""), "gelu-relu": ("proved ", "sharp: "), "sensitivity": ("", "sharp: "), "cross-entropy": ("", ""),
}  # fmt: skip
"""By kind, what stands before the names of the two curves where no paper claims the one or the other is not sharp."""
SHARP, CLAIMED, FAILS = "#0072B2", "#D55E00", "#000000"  # apart for every kind of colour vision
INCHES = (7.2, 4.8)
MARKED = 101
"""Up to so many values the curves have a mark at each."""


def picture(found: Sweep, form: str = "svg") -> bytes:
    """The two curves as an SVG or PNG file; a value of exactly 0 has no place on a logarithmic axis and is left out.

    Raises BadInput where matplotlib is not installed or not importable.
    """
    first = found.answers[0]

    def draw(figure: Any) -> None:
        figure.get_layout_engine().set(rect=(0, 0.035, 1, 0.965))
        axes = figure.subplots()
        _curves(axes, found)
        axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend(framealpha=0.9, edgecolor="#cccccc")
        before = WORDS.get(found.kind, ("claimed ", ""))[0]
        about = f"{before}{_symbols(first.labels[1])}" if found.claims() else _symbols(first.labels[0])
        figure.suptitle(f"{_cut(first.source, 55)}: {about}", fontsize=12)
        given = ", ".join(f"{k} = {str(v).lower() if isinstance(v, bool) else v}" for k, v in found.fixed.items())
        title = _greek(_cut(f"{found.kind}: {given}" if given else found.kind, 90))
        axes.set_title(title, fontsize=10, color="#444444", parse_math=False)
        small = {"ha": "right", "va": "bottom", "fontsize": 7.5, "color": "#555555"}
        figure.text(0.995, 0.005, "; ".join(_notes(found)), **small)

    return drawn(draw, INCHES, form)


def drawn(draw: Callable[[Any], None], inches: tuple[float, float], form: str) -> bytes:
    """What `draw` puts on a matplotlib figure of this size, as an SVG or PNG file; the bytes depend on nothing else.

    Raises BadInput where matplotlib is not installed or not importable.
    """
    if find_spec("matplotlib") is None:
        raise BadInput("a picture must have matplotlib", "an installation without it", MISSING)
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except (ImportError, ValueError) as error:  # such as a MPLBACKEND that it does not know
        raise BadInput("matplotlib must be importable for a picture", error, "see whether Python imports it") from None
    with matplotlib.rc_context({"font.size": 10, "svg.hashsalt": "symcook", "font.family": "DejaVu Sans"}):
        figure = Figure(figsize=inches, layout="constrained")
        draw(figure)
        buffer = BytesIO()
        figure.savefig(buffer, format=form, dpi=150, metadata={"Date": None} if form == "svg" else None)
    return buffer.getvalue()


def _curves(axes: Any, found: Sweep) -> None:
    """Both curves, the places where the claim fails, and the axes."""
    first = found.answers[0]
    xs, logarithmic = _across(found)
    values = [log10(answer.value) for answer in found.answers]
    claims = [None if answer.claimed is None else log10(answer.claimed) for answer in found.answers]
    words = WORDS.get(found.kind, ("claimed: ", "sharp: "))
    lines = (  # the claim's squares are hollow and larger, so that both curves are seen where they meet
        (words[0], first.labels[1], claims, {"color": CLAIMED, "linestyle": "--", "marker": "s", "markersize": 6.5}),
        (words[1], first.labels[0], values, {"color": SHARP, "marker": "o", "markersize": 3}),
    )
    for word, label, ys, style in lines:
        if ys is claims and not found.claims():
            continue
        if len(xs) > MARKED:
            style |= {"marker": ""}
        places = [math.nan if y is None else y for y in ys]
        axes.plot(xs, places, label=f"{word}{_symbols(label)}", linewidth=1.4, markerfacecolor="none", **style)
    for verdict, word, mark in ((False, "the claim fails", "x"), (None, "undecided", "+")):
        at = [k for k, a in enumerate(found.answers) if a.claimed and a.holds is verdict and values[k] is not None]
        if at:
            at = at[:: len(at) // 40 + 1]  # marks that stay apart
            places = [xs[k] for k in at], [values[k] for k in at]
            axes.plot(*places, mark, color=FAILS, markersize=8, label=word, zorder=3)
    axes.set_xlabel(_greek({**WHOLE, **BROKEN}[found.name]))
    axes.set_ylabel(_greek(QUANTITIES.get(found.kind, first.labels[0])))
    if logarithmic:
        _logarithmic(axes, "x", xs)
    else:
        axes.xaxis.get_major_locator().set_params(integer=found.name in WHOLE)
        axes.set_xlim(xs[0] - 0.045 * (xs[-1] - xs[0]), xs[-1] + 0.045 * (xs[-1] - xs[0]))
    _logarithmic(axes, "y", [y for y in (*values, *claims) if y is not None])


def _notes(found: Sweep) -> list[str]:
    """What the picture says in small letters: how near the curves are, the radii, and what is not shown."""
    ratios = [claimed_over_value(a.claimed, a.value) for a in found.answers if a.claimed is not None]
    known = [r for r in ratios if r is not None]
    notes = [f"every radius at most $10^{{-{found.digits}}}$ of the value"]
    if known:
        least, most = f"{min(known):.6g}", f"{max(known):.6g}"
        times = f"{least} to {most}" if least != most else f"about {least}"
        notes.insert(0, f"the dashed curve is {times} times the solid one")
    zeros = [x for x, a in zip(found.values, found.answers, strict=True) if a.value.mid == "0"]
    if zeros:
        where = zeros[0] if len(zeros) == 1 else f"{zeros[0]} to {zeros[-1]}"
        notes.append(f"value 0 at {_greek(found.name)} = {_cut(where, 40)}: not on this axis")
    return notes


# --- Places on logarithmic axes ---------------------------------------------------------------------------------------


def log10(ball: Ball) -> float | None:
    """The place of a ball's middle on a logarithmic axis, however small it is; None for 0 and below.

    >>> from symcook.numbers.balls import Ball
    >>> log10(Ball("0.01", "0")), log10(Ball("1e-434294", "0")), log10(Ball("0", "0"))
    (-2.0, -434294.0, None)
    """
    parts = _parts(ball.mid)
    return None if parts is None else math.log10(parts[0]) + parts[1]


def claimed_over_value(claimed: Ball, value: Ball) -> float | None:
    """The quotient of two positive balls, about; None for others and beyond floats."""
    above, below = _parts(claimed.mid), _parts(value.mid)
    if above is None or below is None or abs(above[1] - below[1]) > 300:
        return None
    return above[0] / below[0] * 10.0 ** (above[1] - below[1])


def _parts(text: str) -> tuple[float, int] | None:
    """A positive decimal as a float from 1 to 10 and a power of ten; None for 0 and below."""
    mantissa, _, exponent = text.partition("e")
    whole, _, broken = mantissa.partition(".")
    digits = (whole + broken).lstrip("0")
    if not digits or mantissa.startswith("-"):
        return None
    return float(f"{digits[0]}.{digits[1:18]}"), len(digits) - len(broken) - 1 + int(exponent or "0")


def _across(found: Sweep) -> tuple[list[float], bool]:
    """The places of the argument's values, and whether they are logarithms."""
    exact = [Fraction(value) for value in found.values]
    if not found.logarithmic and max(exact[-1], 1 / exact[0]) < 10**300:
        return [float(value) for value in exact], False
    places = []
    for value in exact:
        above, below = _parts(str(value.numerator)), _parts(str(value.denominator))
        assert above is not None and below is not None  # the ends are positive
        places.append(math.log10(above[0] / below[0]) + (above[1] - below[1]))
    return places, True


def _logarithmic(axes: Any, side: str, places: list[float]) -> None:
    """Give an axis on which logarithms stand its limits and ticks."""
    axis = axes.xaxis if side == "x" else axes.yaxis
    if not places:
        axis.set_ticks([])
        return
    low, high = min(places), max(places)
    room = max(0.045 * (high - low), 0.08 if side == "y" else 0, 1e-9 * abs(low))
    ticks, between = log_ticks(low - room, high + room)
    axis.set_ticks([place for place, _ in ticks], labels=[label for _, label in ticks])
    axis.set_ticks(between, minor=True)
    axes.set(**{f"{side}lim": (low - room, high + room)})


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
    shown = str(exponent)
    if abs(exponent) >= 10**7:
        mantissa, _, power = f"{exponent:.3e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        shown = rf"{mantissa} \times 10^{{{int(power)}}}"
    tens = f"10^{{{shown}}}"
    return f"${tens}$" if exact == 1 else rf"${decimal_text(exact)} \times {tens}$"


def _greek(text: str) -> str:
    for name, letter in (("gamma", "γ"), ("delta", "δ"), ("tau", "τ")):
        text = re.sub(rf"\b{name}\b", letter, text)
    return text


def _symbols(label: str) -> str:
    """A label such as "2 n e^-gamma" with its powers raised.

    >>> print(_symbols("2 n e^-gamma"), _symbols("2 n e^(-gamma gap)"))
    2 n e$^{-γ}$ 2 n e$^{-γ\\ gap}$
    """

    def raised(found: re.Match[str]) -> str:
        power = (found[1] or found[2]).replace(" ", "\\ ")
        return f"$^{{{power}}}$"

    return re.sub(r"\^(?:\(([^()]*)\)|(-?\w+))", raised, _greek(label))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
