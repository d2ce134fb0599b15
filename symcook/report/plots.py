"""A bound over a range of one of its arguments (`symcook.bounds.sweeps`): the files of a plot, and its picture."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.bounds.sweeps import BROKEN, WHOLE, Sweep, sweep
from symcook.model.answers import brief
from symcook.report.figure import COLOURS, Curve, Figure, plot_targets, write_plot

if TYPE_CHECKING:
    from symcook.numbers.balls import Ball

_L1 = "L1 distance of softmax and hardmax"
QUANTITIES = {
    "softmax-hardmax": _L1,
    "softmax": _L1,
    "lookup": _L1,
    "ziggurat": _L1,
    "tie-break": _L1,
    "table-lookup": "error of the position looked up (in positions)",
    "layernorm-hash": "smallest gap of the scores",
    "gelu-relu": "largest difference of GELU(c x)/c and ReLU(x)",
    "temperature": "temperature tau",
    "error": "error of the output",
    "sensitivity": "change of the output when one symbol changes",
    "cross-entropy": "mean cross-entropy in bits",
}
"""By kind, the label of the vertical axis; for other kinds it is the label of their value."""
WORDS = {
    "error": ("", ""), "gelu-relu": ("proved ", "tight: "), "sensitivity": ("", "tight: "), "cross-entropy": ("", ""),
}  # fmt: skip
"""By kind, the words before the labels of the claimed curve and of the computed curve.

For other kinds they are "claimed: " and "tight: ". For these kinds no paper claims the first, or the second is not
tight."""


def plot_bound(
    kind: str,
    over: str,
    place: str | Path,
    *,
    digits: int | str = 30,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **arguments: object,
) -> tuple[Sweep, tuple[Path, ...]]:
    """Write `place`.csv, and with matplotlib `place`.svg and `place`.png; return the sweep and the files written.

    The arguments are those of `symcook.bounds.sweeps.sweep`; with `force`, existing files are replaced. Each file is
    written completely or not at all. Raises BadInput and Undecided as `sweep` does.
    """
    targets = plot_targets(place, force)
    swept = sweep(kind, over, digits=digits, progress=progress, **arguments)
    write_plot(targets, swept.csv(), curves(swept), force)
    return swept, tuple(targets)


# --- The picture ------------------------------------------------------------------------------------------------------


def curves(swept: Sweep) -> Figure:
    """The picture of a sweep: both curves, and marks where the claim fails or is undecided."""
    first, positions = swept.answers[0], [Fraction(value) for value in swept.values]
    before_claim, before_value = WORDS.get(swept.kind, ("claimed: ", "tight: "))
    claims = tuple((at, a.claimed) for at, a in zip(positions, swept.answers, strict=True) if a.claimed is not None)
    values = tuple((at, a.value) for at, a in zip(positions, swept.answers, strict=True))
    # The squares of the claimed curve are hollow and larger, so that both curves are visible where they meet.
    hollow = {"linestyle": "--", "marker": "s", "markersize": 6.5, "markerfacecolor": "none"}
    drawn = [Curve(f"{before_claim}{_symbols(first.labels[1])}", claims, hollow)] if claims else []
    drawn.append(Curve(f"{before_value}{_symbols(first.labels[0])}", values, {"color": COLOURS[1], "linestyle": "-"}))
    for verdict, word, mark in ((False, "the claim fails", "x"), (None, "undecided", "+")):
        at = [v for v, a in zip(values, swept.answers, strict=True) if a.claimed and a.holds is verdict]
        if at:
            style = {"linestyle": "", "marker": mark, "markersize": 8, "color": COLOURS[3], "zorder": 4}
            drawn.append(Curve(word, tuple(at[:: len(at) // 40 + 1]), style))  # at most 40 marks: they do not overlap
    settings = swept.settings
    return Figure(
        "bound",
        f"{brief(first.source, 55)}: {drawn[0].label.replace('claimed:', 'claimed')}",
        _greek({**WHOLE, **BROKEN}[swept.name]),
        _greek(QUANTITIES.get(swept.kind, first.labels[0])),
        tuple(drawn),
        (swept.logarithmic or max(positions[-1], 1 / positions[0]) >= 10**300, True),
        "; ".join(_notes(swept)),
        legend="best",
        below=_greek(brief(f"{swept.kind}: {settings}" if settings else swept.kind, 90)),
    )


def _notes(swept: Sweep) -> list[str]:
    """The notes under the picture: the ratio of the curves, the radii, and the values that are not shown."""
    ratios = [_ratio(a.claimed, a.value) for _, a in swept.claims()]
    known = [r for r in ratios if math.isfinite(r)]
    notes = [f"every radius at most $10^{{-{swept.digits}}}$ of the value"]
    if known:
        least, most = f"{min(known):.6g}", f"{max(known):.6g}"
        times = f"{least} to {most}" if least != most else f"about {least}"
        notes.insert(0, f"the dashed curve is {times} times the solid one")
    zeros = [x for x, a in zip(swept.values, swept.answers, strict=True) if a.value.mid == "0"]
    if zeros:
        where = zeros[0] if len(zeros) == 1 else f"{zeros[0]} to {zeros[-1]}"
        notes.append(f"value 0 at {_greek(swept.name)} = {brief(where, 40)}: not on this axis")
    return notes


def _ratio(claimed: Any, value: Ball) -> float:
    """About claimed/value, from the midpoints; not finite if `value` is 0 or the ratio is beyond floats."""
    import flint

    return float((flint.arb(claimed.mid) / flint.arb(value.mid)).mid())


def _greek(text: str) -> str:
    """The text with Greek letters in place of gamma, delta and tau."""
    for name, letter in (("gamma", "γ"), ("delta", "δ"), ("tau", "τ")):
        text = re.sub(rf"\b{name}\b", letter, text)
    return text


def _symbols(label: str) -> str:
    """A label such as "2 n e^-gamma" with its powers raised.

    >>> print(_symbols("2 n e^-gamma"), _symbols("2 n e^(-gamma gap)"))
    2 n e$^{-γ}$ 2 n e$^{-γ\\ gap}$
    """

    def raised(match: re.Match[str]) -> str:
        """The exponent after ^, without its brackets, as LaTeX."""
        power = (match[1] or match[2]).replace(" ", "\\ ")
        return f"$^{{{power}}}$"

    return re.sub(r"\^(?:\(([^()]*)\)|(-?\w+))", raised, _greek(label))
