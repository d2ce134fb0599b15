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
SCALES = ("log", "linear")
HOLDS = {True: "true", False: "false", None: "undecided"}
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
"""By kind, what the vertical axis shows; other kinds show the name of their value."""
WORDS = {
    "error": ("", ""), "gelu-relu": ("proved ", "tight: "), "sensitivity": ("", "tight: "), "cross-entropy": ("", ""),
}  # fmt: skip
"""By kind, what stands before the names of the two curves where no paper claims the one or the other is not sharp."""


@dataclass(frozen=True)
class Sweep:
    """The answers of one kind at increasing values of the argument `name`; the values are exact text."""

    kind: str
    name: str
    values: tuple[str, ...]
    answers: tuple[Bound, ...]
    digits: int
    logarithmic: bool = False
    """Whether the values lie evenly by their logarithms, and the axis has these."""

    @property
    def holds(self) -> bool | None:
        """Whether what is claimed holds at every value; None where some are undecided and none fails, or nothing is
        claimed at any."""
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
            both = (answer.value.mid, answer.value.rad, *(("", "") if claimed is None else (claimed.mid, claimed.rad)))
            lines.append(",".join((value, *both, "" if claimed is None else HOLDS[answer.holds])))
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
        """The values at which something is claimed."""
        return [(v, a) for v, a in zip(self.values, self.answers, strict=True) if a.claimed is not None]

    def text(self) -> str:
        """How often the claim holds, in words, and between which values it does not."""
        lines = [f"{self.kind}: {len(self.values)} values of {self.name} from {_ends(self.values)}"]
        for verdict, word in ((True, "holds"), (False, "fails"), (None, "is undecided")):
            at = [v for v, a in self.claims() if a.holds is verdict]
            if at:
                counted = f"{len(at)} of them, {f'from {_ends(at)}' if len(at) > 1 else f'at {brief(at[0], 40)}'}"
                lines.append(f"  the claim {word} at {'all of them' if len(at) == len(self.values) else counted}")
        silent = len(self.values) - len(self.claims())
        if silent:
            lines.append(f"  nothing is claimed at {'all of them' if silent == len(self.values) else silent}")
        return "\n".join(lines)


def _ends(values: Sequence[str]) -> str:
    """The first and the last value; long ones are cut."""
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
    """Write `place`.csv, and with matplotlib `place`.svg and `place`.png; the answers, and the files that were written.

    kind: a kind of bound; arguments: those of its function, without the one that `over` names. over: see `read_over`.
    digits: of every ball. force: replace existing files. progress: called with how many values are done, and of how
    many. Each file appears whole or not at all.

    Raises BadInput for any of these, Undecided where a value cannot be had to that many digits.
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
    """The answers of a kind over a range of one argument; see `plot_bound`."""
    from symcook.door import check_digits

    wanted = check_digits(digits)
    name, values, logarithmic = read_over(kind, over)
    if name in arguments:
        raise BadInput(f"{name} must be given once", f"{name} = {arguments[name]}, and over {over}", "leave one out")
    answers = []
    for k, value in enumerate(values):
        try:
            answers.append(bounds.bound(kind, **arguments, **{name: value}, digits=wanted))
        except Undecided as error:
            raise Undecided(f"at {name} = {decimal_text(value)}: {error}") from None
        if progress is not None:
            progress(k + 1, len(values))
    return Sweep(kind, name, tuple(map(decimal_text, values)), tuple(answers), wanted, logarithmic)


# --- The range --------------------------------------------------------------------------------------------------------


def read_over(kind: str, over: str) -> tuple[str, list[int] | list[Fraction], bool]:
    """The argument, its values, and whether its axis is logarithmic, from `NAME=FROM:TO[:STEPS][:SCALE]`.

    FROM < TO are rational, or integers for an argument that is an integer; both ends are among the values. STEPS values
    (41) lie evenly on the axis: integers are rounded, and of other values those between the ends have a few digits.
    SCALE is log or linear; without it the axis is logarithmic where TO is at least 10 FROM, or 1000 FROM for gamma, q
    and bits, of which bounds are powers.

    >>> read_over("softmax-hardmax", "n=1:1000:4")
    ('n', [1, 10, 100, 1000], True)
    >>> [str(value) for value in read_over("lookup", "gamma=1/10:10:3:log")[1]]
    ['1/10', '1', '10']

    Raises BadInput for another form, an argument that the kind has not or that is no number, and FROM >= TO.
    """
    form = "write it as NAME=FROM:TO or NAME=FROM:TO:STEPS, for example n=1:1024:21, at the end :log or :linear"
    # The parts of the text.
    name, equals, range_text = (part.strip() for part in over.partition("="))
    parts = [part.strip() for part in range_text.split(":")]
    scale = parts.pop() if parts[-1] in SCALES else None
    if not equals or not name or len(parts) not in (2, 3) or not all(parts):
        raise BadInput("a range must have a name and two ends", over or "nothing", form)
    # The argument.
    ranged = [a.name for a in bounds.kind(kind).arguments if a.name in (*WHOLE, *BROKEN)]
    if not ranged:
        raise BadInput("a kind must have an argument that is a number to run over", kind, "there is nothing to plot")
    if name not in ranged:
        raise unknown(f"argument of {kind} that is a number", name, ranged)
    # The ends, the number of steps, and the scale.
    low, high = (_end(name, part) for part in parts[:2])
    if low >= high:
        raise BadInput("a range must begin below its end", f"{name} from {parts[0]} to {parts[1]}", form)
    steps = parts[2] if len(parts) == 3 else str(STEPS)
    if not steps.isascii() or not steps.isdecimal() or len(steps) > 9 or not 2 <= int(steps) <= MAX_STEPS:
        raise BadInput(f"the number of steps must be an integer from 2 to {MAX_STEPS}", steps)
    logarithmic = scale == "log" if scale is not None else high >= (1000 if name in LINEAR else 10) * low
    if name in WHOLE:
        return name, _integers(int(low), int(high), int(steps), logarithmic), logarithmic
    return name, _fractions(low, high, int(steps), logarithmic), logarithmic


def _end(name: str, text: str) -> Fraction:
    """An end of the range; BadInput where it is not positive, or not an integer for an argument that is one."""
    from symcook.bounds.arguments import number_tree, rational_value

    what = f"each end of the range of {name}"
    value = rational_value(number_tree(text, what), what)
    if value <= 0 or (name in WHOLE and value.denominator > 1):
        kind = "positive integers" if name in WHOLE else "positive"
        raise BadInput(f"the ends of the range of {name} must be {kind}", text)
    return value


def _between(low: Fraction, high: Fraction, steps: int, logarithmic: bool) -> Iterator[Callable[[], Any]]:
    """The inner values as functions to balls: evenly spaced, themselves or by their logarithms."""
    from symcook.numbers.balls import arb_of

    for k in range(1, steps - 1):
        part = Fraction(k, steps - 1)
        if not logarithmic:
            yield lambda part=part: arb_of(low + (high - low) * part)
        else:
            yield lambda part=part: arb_of(low) * (arb_of(high / low).log() * arb_of(part)).exp()


def _integers(low: int, high: int, steps: int, logarithmic: bool) -> list[int]:
    """About evenly spaced integers; where they are few, all of them."""
    if high - low < steps:
        return list(range(low, high + 1))
    from symcook.numbers.balls import ball, refine

    digits = len(str(high.bit_length())) + high.bit_length() * 3 // 10 + 3
    between = _between(Fraction(low), Fraction(high), steps, logarithmic)
    inner = (round(Fraction(ball(refine(compute, digits), digits).mid)) for compute in between)
    return sorted({low, *inner, high})


def _fractions(low: Fraction, high: Fraction, steps: int, logarithmic: bool) -> list[Fraction]:
    """Evenly spaced values, rounded to as few digits as keep them apart."""
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


def curves(found: Sweep) -> Figure:
    """Both curves, and marks where the claim fails or is undecided."""
    first, places = found.answers[0], [Fraction(value) for value in found.values]
    before, sharp = WORDS.get(found.kind, ("claimed: ", "tight: "))
    claims = tuple((at, a.claimed) for at, a in zip(places, found.answers, strict=True) if a.claimed is not None)
    values = tuple((at, a.value) for at, a in zip(places, found.answers, strict=True))
    # the claim's squares are hollow and larger, so that both curves are seen where they meet
    hollow = {"linestyle": "--", "marker": "s", "markersize": 6.5, "markerfacecolor": "none"}
    drawn = [Curve(f"{before}{_symbols(first.labels[1])}", claims, hollow)] if claims else []
    drawn.append(Curve(f"{sharp}{_symbols(first.labels[0])}", values, {"color": COLOURS[1], "linestyle": "-"}))
    for verdict, word, mark in ((False, "the claim fails", "x"), (None, "undecided", "+")):
        at = [v for v, a in zip(values, found.answers, strict=True) if a.claimed and a.holds is verdict]
        if at:
            style = {"linestyle": "", "marker": mark, "markersize": 8, "color": COLOURS[3], "zorder": 4}
            drawn.append(Curve(word, tuple(at[:: len(at) // 40 + 1]), style))  # marks that stay apart
    settings = ", ".join(f"{k} = {str(v).lower() if isinstance(v, bool) else v}" for k, v in found.fixed.items())
    return Figure(
        "bound",
        f"{brief(first.source, 55)}: {drawn[0].label.replace('claimed:', 'claimed')}",
        _greek({**WHOLE, **BROKEN}[found.name]),
        _greek(QUANTITIES.get(found.kind, first.labels[0])),
        tuple(drawn),
        (found.logarithmic or max(places[-1], 1 / places[0]) >= 10**300, True),
        "; ".join(_notes(found)),
        legend="best",
        below=_greek(brief(f"{found.kind}: {settings}" if settings else found.kind, 90)),
    )


def _notes(found: Sweep) -> list[str]:
    """What the picture says in small letters: how near the curves are, the radii, and what is not shown."""
    ratios = [_ratio(a.claimed, a.value) for _, a in found.claims()]
    known = [r for r in ratios if math.isfinite(r)]
    notes = [f"every radius at most $10^{{-{found.digits}}}$ of the value"]
    if known:
        least, most = f"{min(known):.6g}", f"{max(known):.6g}"
        times = f"{least} to {most}" if least != most else f"about {least}"
        notes.insert(0, f"the dashed curve is {times} times the solid one")
    zeros = [x for x, a in zip(found.values, found.answers, strict=True) if a.value.mid == "0"]
    if zeros:
        where = zeros[0] if len(zeros) == 1 else f"{zeros[0]} to {zeros[-1]}"
        notes.append(f"value 0 at {_greek(found.name)} = {brief(where, 40)}: not on this axis")
    return notes


def _ratio(claimed: Any, value: Ball) -> float:
    """The quotient of two balls, about; not finite where it is none, or beyond floats."""
    import flint

    return float((flint.arb(claimed.mid) / flint.arb(value.mid)).mid())


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
