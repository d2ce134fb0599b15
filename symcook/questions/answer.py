"""The answer to a question: a row for each length, with exact numbers or balls and the word that decides it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.answers import Reply
from symcook.model.rationals import quotient
from symcook.model.transformer import Transformer
from symcook.numbers.balls import Ball

if TYPE_CHECKING:
    from symcook.words.inputs import Strings

AnswerCell = Ball | Fraction | int | str | bool | None
"""An exact number, a ball, text (a word), or None where there is nothing to say."""


@dataclass(frozen=True, repr=False)
class Answer(Reply):
    """What a question about a model came to. Each row maps every name of `columns` to a cell; its "n" is the length in
    typed symbols. `notes` are sentences with a name: how words were gone through, what stayed open, the paper's bound.

    `shown` names the columns whose numbers a picture has over n, `vertical` what they are.
    """

    REPORT = "question"

    kind: str
    model: str
    parameters: Mapping[str, Any]
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, AnswerCell], ...]
    notes: Mapping[str, str] = field(default_factory=dict)
    shown: tuple[str, ...] = ()
    vertical: str = ""
    title: str = ""
    nothing: Mapping[str, str] = field(default_factory=dict)
    """By column, what an empty cell means."""
    logarithmic: bool = False
    by: str = ""
    """The column whose entries part the rows into curves, where one length has several."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What is not by length, as JSON has it."""
    inputs: Strings | None = None
    """What was asked about, where it is known."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        asked = {"inputs": self.inputs.says} if self.inputs is not None and self.inputs.restricted else {}
        object.__setattr__(self, "notes", MappingProxyType(asked | dict(self.notes)))
        object.__setattr__(self, "rows", tuple(MappingProxyType(dict(row)) for row in self.rows))

    def row(self, n: int, one: AnswerCell = None) -> Mapping[str, AnswerCell]:
        """The row of one length. Where lengths have several, that of `one` entry of the column `by`, without it the
        first. KeyError where there is none."""
        for row in self.rows:
            if row["n"] == n and (one is None or row.get(self.by) == one):
                return row
        raise KeyError(n if one is None else (n, one))

    def to_json(self) -> dict[str, Any]:
        """{"kind", "recipe", "parameters", "rows", "notes"}: in rows exact numbers are text, balls {"mid", "rad"}."""
        rows = [{name: cell_json(row.get(name)) for name in self.columns} for row in self.rows]
        return {
            "kind": self.kind,
            "recipe": self.model,
            "parameters": dict(self.parameters),
            "rows": rows,
            "notes": dict(self.notes),
            **self.extra,
            **({} if self.inputs is None else self.inputs.to_json()),
        }


def cell_json(cell: AnswerCell) -> Any:
    """A cell as JSON has it; integers that count something stay numbers."""
    if isinstance(cell, Ball):
        return cell.to_json()
    return quotient(cell) if isinstance(cell, Fraction) else cell


@contextmanager
def keeping(rows: Sized, answered: Callable[[], Answer]) -> Iterator[None]:
    """An error or interruption that ends a question early gets the answer so far as its attribute `found`, if there are
    `rows`; the note "ended" says that longer lengths were not tested."""
    try:
        yield
    except BaseException as error:
        if rows:
            answer = answered()
            ended = f"lengths above {answer.rows[-1]['n']} were not tested"
            error.found = replace(answer, notes={**answer.notes, "ended": ended})  # type: ignore[attr-defined]
        raise


MAX_LENGTH = 1_000_000


def lengths(model: Transformer, longest: int, shortest: int = 0, decides: bool = True) -> range:
    """The lengths to ask about, in typed symbols, from `shortest`; 0 where the model takes the empty word alone.

    BadInput where the model does not read words or, with `decides`, does not decide about them.
    """
    if not model.alphabet:
        raise BadInput("the model must read strings", f"{model.name}, which reads numbers", "choose a language model")
    if decides:
        must = "the model must decide (a readout by sign, zero test or largest score)"
        model.readout.require(must, ("sign", "zero", "largest"), "choose one that decides")
    if isinstance(longest, bool) or not isinstance(longest, int) or not 1 <= longest <= MAX_LENGTH:
        must = f"the maximum length must be an integer from 1 to {MAX_LENGTH:,}"
        raise BadInput(must, longest, "give --max-length N")
    model.check_length(longest + model.embedding.added)
    if isinstance(shortest, bool) or not isinstance(shortest, int) or not 0 <= shortest <= longest:
        raise BadInput(f"the smallest length must be an integer from 0 to {longest}", shortest, "give --min-length 1")
    return range(max(shortest, 0 if model.embedding.added else 1), longest + 1)
