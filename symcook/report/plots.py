"""A bound over a range of one of its arguments: a CSV file with every radius, and a picture of both curves."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook import bounds
from symcook.errors import BadInput, Undecided, unknown
from symcook.model.answers import brief
from symcook.report.figure import COLOURS, Curve, Figure, decimal_text, plot_targets, write_plot

if TYPE_CHECKING:
    from symcook.bounds.arguments import Bound
    from symcook.numbers.balls import Ball

STEPS = 41
"""The number of values where the range gives none."""
MAX_STEPS = 1000
WHOLE = {"n": "length n", "q": "position q", "bits": "fractional bits"}
BROKEN = {
    "gamma": "score gap gamma",
    "c": "factor c",
    "error": "target error",
    "delta": "error delta of the embedding",
    "tau": "temperature tau",
    "weight": "weight",
}
"""The arguments that a bound can run over, with the names of their axes: integers, and rational numbers."""
LINEAR = ("gamma", "q", "bits")
"""The arguments in which bounds are exponential: their axis is logarithmic only for a very long range."""
SCALES = ("log", "linear")
HOLDS = {True: "true", False: "false", None: "undecided"}
"""The last column of the CSV file, by `Bound.holds`."""
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


@dataclass(frozen=True)
class Sweep:
    """The bounds of one kind at increasing values of the argument `name`."""

    kind: str
    name: str
    values: tuple[str, ...]
    """The values of the argument, as exact text."""
    answers: tuple[Bound, ...]
    """The bound at each of the values."""
    digits: int
    """The decimal digits of every ball."""
    logarithmic: bool = False
    """Whether the logarithms of the values are evenly spaced, and the axis is logarithmic."""

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds at every value with a claim.

        None if some values are undecided and none fails, or if nothing is claimed at any value.
        """
        verdicts = {answer.holds for _, answer in self.claims()}
        return False if False in verdicts else True if verdicts == {True} else None

    @property
    def fixed(self) -> dict[str, int | bool | str]:
        """The arguments that stay the same."""
        return {name: value for name, value in self.answers[0].parameters.items() if name != self.name}

    def csv(self) -> str:
        """A line for each value: the argument, both balls as exact decimals, and whether the claim holds there."""
        lines = [f"{self.name},value_mid,value_rad,claimed_mid,claimed_rad,holds"]
        for value, answer in zip(self.values, self.answers, strict=True):
            claimed = answer.claimed
            balls = (answer.value.mid, answer.value.rad, *(("", "") if claimed is None else (claimed.mid, claimed.rad)))
            lines.append(",".join((value, *balls, "" if claimed is None else HOLDS[answer.holds])))
        return "\n".join(lines) + "\n"

    def to_json(self) -> dict[str, Any]:
        """{"kind", "over", "parameters", "rows": [{argument, "value", "claimed", "holds"}], "holds"}."""
        return {
            "kind": self.kind,
            "over": self.name,
            "parameters": self.fixed,
            "rows": [
                {self.name: value} | {key: a.to_json()[key] for key in ("value", "claimed", "holds")}
                for value, a in zip(self.values, self.answers, strict=True)
            ],
            "holds": self.holds,
        }

    def claims(self) -> list[tuple[str, Bound]]:
        """(value, bound) for the values at which something is claimed."""
        return [(v, a) for v, a in zip(self.values, self.answers, strict=True) if a.claimed is not None]

    def text(self) -> str:
        """At how many values the claim holds, fails or is undecided, with the first and the last of them."""
        lines = [f"{self.kind}: {len(self.values)} values of {self.name} from {_ends(self.values)}"]
        for verdict, word in ((True, "holds"), (False, "fails"), (None, "is undecided")):
            at = [v for v, a in self.claims() if a.holds is verdict]
            if at:
                which = f"from {_ends(at)}" if len(at) > 1 else f"at {brief(at[0], 40)}"
                counted = f"{len(at)} of them, {which}"
                lines.append(f"  the claim {word} at {'all of them' if len(at) == len(self.values) else counted}")
        without_claim = len(self.values) - len(self.claims())
        if without_claim:
            lines.append(
                f"  nothing is claimed at {'all of them' if without_claim == len(self.values) else without_claim}"
            )
        return "\n".join(lines)


def _ends(values: Sequence[str]) -> str:
    """The text "FIRST to LAST" for the values; a long value is cut."""
    return " to ".join(v if len(v) <= 40 else f"{v[:30]}... ({len(v)} characters)" for v in (values[0], values[-1]))


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

    kind: a kind of bound. arguments: those of its function, without the argument that `over` names. over: see
    `read_over`. digits: the decimal digits of every ball. force: replace existing files. progress: called with the
    number of values that are done and the number of all values. Each file is written completely or not at all.

    Raises BadInput if one of these is invalid, Undecided if a value cannot be computed to that many digits.
    """
    targets = plot_targets(place, force)
    swept = sweep(kind, over, digits=digits, progress=progress, **arguments)
    write_plot(targets, swept.csv(), curves(swept), force)
    return swept, tuple(targets)


def sweep(
    kind: str,
    over: str,
    *,
    digits: int | str = 30,
    progress: Callable[[int, int], None] | None = None,
    **arguments: object,
) -> Sweep:
    """The bounds of a kind over a range of one argument; see `plot_bound` for the arguments."""
    from symcook.door import check_digits

    checked_digits = check_digits(digits)
    name, values, logarithmic = read_over(kind, over)
    if name in arguments:
        raise BadInput(f"{name} must be given once", f"{name} = {arguments[name]}, and over {over}", "leave one out")
    answers = []
    for k, value in enumerate(values):
        try:
            answers.append(bounds.bound(kind, **arguments, **{name: value}, digits=checked_digits))
        except Undecided as error:
            raise Undecided(f"at {name} = {decimal_text(value)}: {error}") from None
        if progress is not None:
            progress(k + 1, len(values))
    return Sweep(kind, name, tuple(map(decimal_text, values)), tuple(answers), checked_digits, logarithmic)


# --- The range --------------------------------------------------------------------------------------------------------


def read_over(kind: str, over: str) -> tuple[str, list[int] | list[Fraction], bool]:
    """The argument, its values, and whether its axis is logarithmic, from `NAME=FROM:TO[:STEPS][:SCALE]`.

    0 < FROM < TO are rational, or integers for an argument that is an integer; both ends are among the values. There
    are STEPS values (41 if STEPS is missing), evenly spaced on the axis. Integers are rounded, and there are fewer of
    them where several round to one; other values between the ends are rounded to a few digits. SCALE is log or linear;
    without it the axis is logarithmic where TO is at least 10 FROM, or 1000 FROM for gamma, q and bits, in which bounds
    are exponential.

    >>> read_over("softmax-hardmax", "n=1:1000:4")
    ('n', [1, 10, 100, 1000], True)
    >>> [str(value) for value in read_over("lookup", "gamma=1/10:10:3:log")[1]]
    ['1/10', '1', '10']

    Raises BadInput for another form, for an argument that the kind does not have or that is not a number, for FROM >=
    TO, for an end that is not positive, and for STEPS other than 2 to 1000.
    """
    form = "write it as NAME=FROM:TO or NAME=FROM:TO:STEPS, for example n=1:1024:21, at the end :log or :linear"
    # The parts of the text.
    name, equals, range_text = (part.strip() for part in over.partition("="))
    parts = [part.strip() for part in range_text.split(":")]
    scale = parts.pop() if parts[-1] in SCALES else None
    if not equals or not name or len(parts) not in (2, 3) or not all(parts):
        raise BadInput("a range must have a name and two ends", over or "nothing", form)
    # The argument.
    numeric_arguments = [a.name for a in bounds.kind(kind).arguments if a.name in (*WHOLE, *BROKEN)]
    if not numeric_arguments:
        raise BadInput("a kind must have an argument that is a number to run over", kind, "there is nothing to plot")
    if name not in numeric_arguments:
        raise unknown(f"argument of {kind} that is a number", name, numeric_arguments)
    # The ends, the number of steps, and the scale.
    low, high = (_range_end(name, part) for part in parts[:2])
    if low >= high:
        raise BadInput("a range must begin below its end", f"{name} from {parts[0]} to {parts[1]}", form)
    steps = parts[2] if len(parts) == 3 else str(STEPS)
    if not steps.isascii() or not steps.isdecimal() or len(steps) > 9 or not 2 <= int(steps) <= MAX_STEPS:
        raise BadInput(f"the number of steps must be an integer from 2 to {MAX_STEPS}", steps)
    logarithmic = scale == "log" if scale is not None else high >= (1000 if name in LINEAR else 10) * low
    if name in WHOLE:
        return name, _integers(int(low), int(high), int(steps), logarithmic), logarithmic
    return name, _fractions(low, high, int(steps), logarithmic), logarithmic


def _range_end(name: str, text: str) -> Fraction:
    """An end of the range of the argument `name`; raises BadInput if it is not positive, or should be an integer."""
    from symcook.bounds.arguments import number_tree, rational_value

    what = f"each end of the range of {name}"
    value = rational_value(number_tree(text, what), what)
    if value <= 0 or (name in WHOLE and value.denominator > 1):
        kind = "positive integers" if name in WHOLE else "positive"
        raise BadInput(f"the ends of the range of {name} must be {kind}", text)
    return value


def _between(low: Fraction, high: Fraction, steps: int, logarithmic: bool) -> Iterator[Callable[[], Any]]:
    """The values between the ends, as functions that compute balls: evenly spaced, or with evenly spaced logarithms."""
    from symcook.numbers.balls import arb_of

    for k in range(1, steps - 1):
        share = Fraction(k, steps - 1)
        if not logarithmic:
            yield lambda share=share: arb_of(low + (high - low) * share)
        else:
            yield lambda share=share: arb_of(low) * (arb_of(high / low).log() * arb_of(share)).exp()


def _integers(low: int, high: int, steps: int, logarithmic: bool) -> list[int]:
    """At most `steps` about evenly spaced integers from `low` to `high`; all integers if there are at most `steps`."""
    if high - low < steps:
        return list(range(low, high + 1))
    from symcook.numbers.balls import ball, refine

    # Enough decimal digits for the integer part of `high` (at most 0.302 for each bit) and some after the point.
    digits = len(str(high.bit_length())) + high.bit_length() * 3 // 10 + 3
    between = _between(Fraction(low), Fraction(high), steps, logarithmic)
    inner = (round(Fraction(ball(refine(compute, digits), digits).mid)) for compute in between)
    return sorted({low, *inner, high})


def _fractions(low: Fraction, high: Fraction, steps: int, logarithmic: bool) -> list[Fraction]:
    """Evenly spaced values from `low` to `high`, rounded to 1, 2, 4, ... digits until all of them are different."""
    from symcook.numbers.balls import ball, refine

    digits = 1
    while True:
        between = _between(low, high, steps, logarithmic)
        inner = (ball(refine(f, digits, relative=True), digits, relative=True).mid for f in between)
        values = [low, *map(Fraction, inner), high]
        if all(a < b for a, b in zip(values, values[1:], strict=False)):
            return values
        digits *= 2


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
    settings = ", ".join(f"{k} = {str(v).lower() if isinstance(v, bool) else v}" for k, v in swept.fixed.items())
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
