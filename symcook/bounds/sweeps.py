"""Bounds over a range of one argument: the values as columns, as arrays and as CSV.

`symcook.report.plots` draws them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symcook.bounds.arguments import written_settings
from symcook.bounds.kinds import kind as kind_of
from symcook.errors import BadInput, Undecided, unknown
from symcook.model.answers import Reply, brief
from symcook.model.rationals import decimal_text, number_of

if TYPE_CHECKING:
    import numpy

    from symcook.bounds.arguments import Bound

STEPS = 41
"""The number of values where the range gives none."""
MAX_STEPS = 1000
"""The greatest number of values in a range."""
MAX_VALUES = 100_000
"""The greatest number of values where they are given one by one."""
HOLDS = {True: "true", False: "false", None: "undecided"}
"""The last column of the CSV file, by `Bound.holds`."""
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


@dataclass(frozen=True, repr=False)
class Sweep(Reply):
    """The bounds of one kind at several values of the argument `name`."""

    REPORT = "sweep"

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
    def status(self) -> str:
        """HOLDS, FAILS or OPEN, of what is claimed at all values; COMPUTED if nothing is."""
        return {True: "HOLDS", False: "FAILS", None: "OPEN"}[self.holds] if self.claims() else "COMPUTED"

    @property
    def counterexample(self) -> str | None:
        """The first value at which the claim fails; None if it is not known to fail."""
        return next((f"{self.name} = {value}" for value, answer in self.claims() if answer.holds is False), None)

    @property
    def columns(self) -> Mapping[str, tuple[Any, ...]]:
        """{name: one entry for each value}: the argument as exact numbers, "value" and "claimed" as balls (None where
        nothing is claimed), and "holds"."""
        return MappingProxyType(
            {
                self.name: tuple(map(Fraction, self.values)),
                "value": tuple(answer.value for answer in self.answers),
                "claimed": tuple(answer.claimed for answer in self.answers),
                "holds": tuple(answer.holds for answer in self.answers),
            }
        )

    def array(self, column: str) -> numpy.ndarray:
        """A column of numbers as a float64 array; nan where nothing is claimed. BadInput for a column that there is
        not, and for a number that is no float (`Ball.__float__`)."""
        import numpy as np

        if column not in (self.name, "value", "claimed"):
            raise unknown("column of numbers", column, (self.name, "value", "claimed"))
        return np.array([float("nan") if entry is None else float(entry) for entry in self.columns[column]])

    @property
    def fixed(self) -> dict[str, int | bool | str]:
        """The arguments that stay the same."""
        return {name: value for name, value in self.answers[0].parameters.items() if name != self.name}

    @property
    def settings(self) -> str:
        """The arguments that stay the same, and the values of the parameters of the model, as text; "" without any."""
        return written_settings(self.fixed) + self.answers[0].extent.at_values

    def csv(self) -> str:
        """A line for each value: the argument, both balls as exact decimals, and whether the claim holds there."""
        lines = [f"{self.name},value_mid,value_rad,claimed_mid,claimed_rad,holds"]
        for value, answer in zip(self.values, self.answers, strict=True):
            claimed = answer.claimed
            balls = (answer.value.mid, answer.value.rad, *(("", "") if claimed is None else (claimed.mid, claimed.rad)))
            lines.append(",".join((value, *balls, "" if claimed is None else HOLDS[answer.holds])))
        return "\n".join(lines) + "\n"

    def to_json(self) -> dict[str, Any]:
        """{"kind", "over", "parameters", "rows": [{argument, "value", "claimed", "holds"}], "holds"}, and the
        keys of `Bound.extent`."""
        return {
            "kind": self.kind,
            "over": self.name,
            "parameters": self.fixed,
            "rows": [
                {self.name: value} | {key: a.to_json()[key] for key in ("value", "claimed", "holds")}
                for value, a in zip(self.values, self.answers, strict=True)
            ],
            "holds": self.holds,
            **self.answers[0].extent.to_json(),
        }

    def claims(self) -> list[tuple[str, Bound]]:
        """(value, bound) for the values at which something is claimed."""
        return [(v, a) for v, a in zip(self.values, self.answers, strict=True) if a.claimed is not None]

    def summary(self) -> str:
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


def sweep(
    kind: str,
    over: str,
    *,
    digits: int | str = 30,
    progress: Callable[[int, int], None] | None = None,
    **arguments: object,
) -> Sweep:
    """The bounds of a kind over a range of one argument.

    kind: a kind of bound. over: see `read_over`. digits: the decimal digits of every ball. progress: called with the
    number of values that are done and the number of all values. arguments: those of the kind's function, without the
    one that `over` names. Raises BadInput if one of these is invalid, Undecided if a value cannot be computed to that
    many digits.
    """
    name, values, logarithmic = read_over(kind, over)
    if name in arguments:
        raise BadInput(f"{name} must be given once", f"{name} = {arguments[name]}, and over {over}", "leave one out")
    return at_values(kind, name, values, logarithmic, digits=digits, progress=progress, **arguments)


def runs_over(kind: str, arguments: Mapping[str, object]) -> str | None:
    """The argument whose value is a range, a list, a tuple or an array of numbers, if there is one; BadInput for
    several."""
    numbers = {argument.name for argument in kind_of(kind).arguments} & {*WHOLE, *BROKEN}
    several = [
        name
        for name, value in arguments.items()
        if name in numbers and (isinstance(value, (range, list, tuple)) or getattr(value, "ndim", 0))
    ]
    if len(several) > 1:
        raise BadInput(
            "only one argument of a bound may have several values", " and ".join(several), "give one a number"
        )
    return several[0] if several else None


def at_values(
    kind: str,
    name: str,
    at: Iterable[object],
    logarithmic: bool = False,
    /,
    *,
    digits: int | str = 30,
    progress: Callable[[int, int], None] | None = None,
    **arguments: object,
) -> Sweep:
    """The bounds of a kind at each of the values `at` of the argument `name`; see `sweep`."""
    from symcook.door import check_digits, fits

    checked_digits, answers = check_digits(digits), list[Any]()
    dimensions = getattr(at, "ndim", 1)
    if dimensions != 1:
        must = f"the values of {name} must be a one-dimensional array or a list"
        raise BadInput(must, f"an array of {dimensions} dimensions", "give a list of numbers")
    values = [_exact_value(name, value) for value in islice(at, MAX_VALUES + 1)]
    function = kind_of(kind).load()
    fits(function, kind, (), {**arguments, name: 1})
    if not 1 <= len(values) <= MAX_VALUES:
        raise BadInput(
            f"a bound must have from 1 to {MAX_VALUES:,} values of {name}",
            len(values),
            "give at least one value, or fewer",
        )
    for k, value in enumerate(values):
        try:
            answers.append(function(**arguments, **{name: value}, digits=checked_digits))
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
    form = "write the range as NAME=FROM:TO or NAME=FROM:TO:STEPS, for example n=1:1024:21, at the end :log or :linear"
    # The parts of the text.
    name, equals, range_text = (part.strip() for part in over.partition("="))
    parts = [part.strip() for part in range_text.split(":")]
    scale = parts.pop() if parts[-1] in SCALES else None
    if not equals or not name or len(parts) not in (2, 3) or not all(parts):
        raise BadInput("a range must have a name and two ends", over or "nothing", form)
    # The argument.
    numeric_arguments = [a.name for a in kind_of(kind).arguments if a.name in (*WHOLE, *BROKEN)]
    if not numeric_arguments:
        raise BadInput(
            "a bound must have a numeric argument to be plotted over a range", kind, "there is nothing to plot"
        )
    if name not in numeric_arguments:
        raise unknown(f"argument of {kind} that is a number", name, numeric_arguments)
    # The ends, the number of steps, and the scale.
    low, high = (_range_end(name, part) for part in parts[:2])
    if low >= high:
        raise BadInput(
            "the first end of a range must be below the second", f"{name} from {parts[0]} to {parts[1]}", form
        )
    steps = parts[2] if len(parts) == 3 else str(STEPS)
    if not steps.isascii() or not steps.isdecimal() or len(steps) > 9 or not 2 <= int(steps) <= MAX_STEPS:
        raise BadInput(
            f"the number of steps must be an integer from 2 to {MAX_STEPS}", steps, "write for example n=1:1024:21"
        )
    logarithmic = scale == "log" if scale is not None else high >= (1000 if name in LINEAR else 10) * low
    if name in WHOLE:
        return name, _integers(int(low), int(high), int(steps), logarithmic), logarithmic
    return name, _fractions(low, high, int(steps), logarithmic), logarithmic


def _exact_value(name: str, value: Any) -> int | Fraction:
    """One of several values of the argument `name`, as an exact number."""
    from symcook.bounds.arguments import number_tree, rational_value

    number = rational_value(number_tree(value, name), name) if isinstance(value, str) else number_of(value)
    if number is None:
        must = f"each value of {name} must be exact and rational"
        raise BadInput(must, repr(value), 'give integers, or text such as "1/2"')
    if number <= 0 or (name in WHOLE and number.denominator > 1):
        raise BadInput(
            f"each value of {name} must be {'a positive integer' if name in WHOLE else 'positive'}",
            number,
            "give greater values",
        )
    return int(number) if name in WHOLE else number


def _range_end(name: str, text: str) -> Fraction:
    """An end of the range of the argument `name`; raises BadInput if it is not positive, or should be an integer."""
    from symcook.bounds.arguments import number_tree, rational_value

    what = f"each end of the range of {name}"
    value = rational_value(number_tree(text, what), what)
    if value <= 0 or (name in WHOLE and value.denominator > 1):
        kind = "positive integers" if name in WHOLE else "positive"
        raise BadInput(f"the ends of the range of {name} must be {kind}", text, "give for example n=1:1024")
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

    # Enough decimal digits for the integer part of `high` (0.301 for each bit, taken as 0.3) and some after the point.
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
