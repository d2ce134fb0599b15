"""The result of a check (`Check`), built from the tallies of one or several comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.answers import EMPTY_STRING, Reply
from symcook.model.extent import Extent
from symcook.verify.comparison import Comparison, Counterexample, LengthCount, Tally

if TYPE_CHECKING:
    from symcook.words.inputs import Strings

WAYS = ("decided", "merged", "exhaustive", "random")
"""The ways to check, in the order in which they are tried: by a decision procedure for all lengths, by grouped
prefixes, string by string, and on random strings. Random strings can only show that model and reference differ."""


@dataclass(frozen=True, repr=False)
class Check(Reply):
    """The result of a check. `strings` counts the inputs of length 1 and more that were compared, `mismatches` the
    inputs on which model and reference differ, `open` the inputs whose answer the domain leaves undecided.

    None of these counts includes the empty string: `empty_word` says whether model and reference agree on it
    ("agrees", "differs" or "open"; None where it is no input of the model). It can be the counterexample "".
    """

    REPORT = "check"

    recipe: str
    max_length: int | None
    strings: int
    mismatches: int
    first: Counterexample | None
    """The first input on which they differ, with both answers and the options that run it again."""
    method: str
    """How the inputs were compared, as a sentence part for the report; `way` is the keyword."""
    seconds: float
    domain: str = "exact"
    """The number system in which the model was run."""
    open: int = 0
    first_open: str | None = None
    """The first input that stayed undecided."""
    empty_word: str | None = None
    against: str = "its specification"
    """What the model was compared with, in words."""
    stated: int = 0
    """On how many inputs the recipe's `formula` was also evaluated, and agrees with the model."""
    stated_to: int | None = None
    """The greatest length of the inputs that `stated` counts; None on a grid, and where `formula` was not evaluated.
    With `stated` 0, `formula` is about no string up to this length."""
    way: str = "exhaustive"
    """Which of `WAYS` gave the result."""
    by_length: tuple[LengthCount, ...] = ()
    """Where all strings are compared: for each length, how many there are and how many the model accepts. () for other
    checks."""
    inputs: Strings | None = None
    """The strings that were compared, where these are not all."""
    free: int = 0
    """On how many inputs, the empty string included, the specification answers None, so that any answer is right."""
    right_to: int | None = None
    """Where prefixes were grouped in hulls (`symcook.verify.hulled`): the greatest length such that the model is right
    on all strings up to it that were asked, the empty one included; None in other checks."""
    stopped: str | None = None
    """Where hulls left an answer open first, and by how much; None where they decided every string, and in other
    checks."""

    values: Mapping[str, str] = field(default_factory=dict)
    """The values of the model's parameters, as text; empty on a grid, which has several (`method` names them)."""

    @property
    def extent(self) -> Extent:
        """The strings up to `right_to`, and the values, that the check is about."""
        language = None if self.inputs is None or self.inputs.language is None else "the inputs"
        return Extent(language, int(self.empty_word is None), self.right_to, values=self.values)

    @property
    def differs(self) -> bool:
        """Whether model and reference differ on an input."""
        return self.mismatches > 0 or self.empty_word == "differs"

    @property
    def undecided(self) -> bool:
        """Whether the answer to an input stayed undecided."""
        return self.open > 0 or self.empty_word == "open"

    @property
    def holds(self) -> bool | None:
        """Whether model and reference agree on everything that was compared; None if they differ on no input and the
        answer to one is undecided."""
        return False if self.differs else None if self.undecided else True

    @property
    def status(self) -> str:
        """AGREES, DIFFERS or OPEN (undecided)."""
        return {True: "AGREES", False: "DIFFERS", None: "OPEN"}[self.holds]

    @property
    def counterexample(self) -> str | None:
        """The input of `first`, as text; None if no difference was found."""
        return None if self.first is None else self.first.input

    @property
    def why(self) -> str | None:
        """The reason why no answer was found; None if model and reference agree or differ."""
        if self.holds is not None:
            return None
        why = f"the answer to {(self.first_open if self.open else None) or EMPTY_STRING} is undecided"
        return f"{why}; {self.stopped}" if self.stopped else why

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook check --json``."""
        first = self.first
        return {
            "recipe": self.recipe,
            "max_length": self.max_length,
            "strings": self.strings,
            "mismatches": self.mismatches,
            "counterexample": self.counterexample,
            "method": self.method,
            "domain": self.domain,
            "open": self.open,
            "first_open": self.first_open,
            "empty_word": self.empty_word,
            "against": self.against,
            "stated": self.stated,
            "stated_to": self.stated_to,
            "way": self.way,
            "by_length": [count._asdict() for count in self.by_length],
            "got": None if first is None else first.got,
            "expected": None if first is None else first.expected,
            **({"free": self.free} if self.free else {}),
            **({} if self.right_to is None else {"right_to": self.right_to, "stopped": self.stopped}),
            **self.extent.to_json(),
        } | ({} if self.inputs is None else self.inputs.to_json())


def found(
    tasks: Sequence[tuple[Comparison, Tally]],
    name: str,
    max_length: int | None,
    method: str,
    seconds: float,
    empty_word: str | None = None,
) -> Check:
    """The `Check` of one or several comparisons of a model with their tallies; on a grid there is one comparison for
    each assignment of values to the symbols. BadInput where the specification leaves every input free."""
    free, strings = sum(tally.free for _, tally in tasks), sum(tally.strings for _, tally in tasks)
    # Every model satisfies a specification that answers None everywhere: most likely a mistake of its author.
    if 0 < free == strings + (empty_word is not None):
        positions = tasks[0][0].positions
        if positions is None:
            must = "the specification must give an answer for at least one input"
            raise BadInput(must, f"None for all {free}", "return an answer where one answer is right")
        must = "the specification must give an answer for at least one input at the positions that are compared"
        given = f"none for any of the {free} inputs (positions: {positions})"
        raise BadInput(must, given, "give other --positions or inputs")
    # The counterexample (and the first undecided input) of the first comparison that has one.
    counterexamples = (task.counterexample(tally.first[1]) for task, tally in tasks if tally.first is not None)
    open_inputs = (task.text(tally.first_open[1]) for task, tally in tasks if tally.first_open is not None)
    return Check(
        recipe=name,
        max_length=max_length,
        strings=strings,
        mismatches=sum(tally.mismatches for _, tally in tasks),
        first=next(counterexamples, None),
        method=method,
        seconds=seconds,
        domain=tasks[0][0].numbers.domain,
        open=sum(tally.open for _, tally in tasks),
        first_open=next(open_inputs, None),
        empty_word=empty_word,
        free=free,
    )


def duration(seconds: float) -> str:
    """A number of seconds in words, in the first unit of which there are fewer than 120, else in years, below two years
    in days.

    >>> duration(50), duration(7000), duration(4 * 10**5), duration(10**9)
    ('50 seconds', '117 minutes', '111 hours', '31.7 years')
    """
    for size, unit in ((1, "second"), (60, "minute"), (3600, "hour"), (86400, "day")):
        count = round(seconds / size)
        if count < 120:
            return f"{count} {unit}{'s' * (count != 1)}"
    years = seconds / (365 * 86400)
    return f"{count} days" if years < 2 else f"{years:.3g} years"
