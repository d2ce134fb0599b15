"""The answer to a question about a model: a table with a row for each length, and functions that questions share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.answers import Reply
from symcook.model.extent import Extent
from symcook.model.rationals import quotient
from symcook.model.transformer import Transformer
from symcook.numbers.balls import AlikeByText, Ball

if TYPE_CHECKING:
    from symcook.words.inputs import Language, Strings

AnswerCell = Ball | Fraction | int | str | bool | None
"""An exact number, a ball (rigorous interval), text such as a string, a truth value, or None if a row has no value in a
column."""


@dataclass(frozen=True, repr=False, eq=False)
class Answer(AlikeByText, Reply):
    """The answer to a question about a model, as a table."""

    REPORT = "question"  # the module of symcook.report that displays it
    holds, status = None, "COMPUTED"  # a table has no yes or no

    kind: str
    """The name of the question, such as "tolerance"."""
    model: str
    """The name of the model."""
    parameters: Mapping[str, Any]
    """Arguments of the question by name; not every question stores all of them."""
    columns: tuple[str, ...]
    """The names of the columns; "n" is the length in typed symbols."""
    rows: tuple[Mapping[str, AnswerCell], ...]
    """The rows, shortest length first: by column, the cell."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Remarks by name, such as the method, the decisions that stayed open, or the paper's bound."""
    shown: tuple[str, ...] = ()
    """The columns that a picture shows as curves over n."""
    vertical: str = ""
    """The label of the vertical axis of the picture."""
    title: str = ""
    """The title of the picture."""
    nothing: Mapping[str, str] = field(default_factory=dict)
    """By column, what an empty cell means."""
    logarithmic: bool = False
    """Whether the vertical axis of the picture is logarithmic."""
    by: str = ""
    """The column that distinguishes the rows of one length: each of its values has a curve. "" if a length has one
    row."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of the JSON document, for results that do not depend on the length."""
    inputs: Strings | None = None
    """The strings that the question is about; None if it does not say."""
    extent: Extent = field(kw_only=True)
    """The strings and the values of parameters that the answer is about, as its sentences name them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        asked = {"inputs": self.inputs.says} if self.inputs is not None and self.inputs.restricted else {}
        object.__setattr__(self, "notes", MappingProxyType(asked | dict(self.notes)))
        object.__setattr__(self, "rows", tuple(MappingProxyType(dict(row)) for row in self.rows))

    def row(self, n: int, one: AnswerCell = None) -> Mapping[str, AnswerCell]:
        """The row of the length `n`. If a length has several rows, the one with the value `one` in the column `by`, or
        without `one` the first. KeyError if there is no such row."""
        for row in self.rows:
            if row["n"] == n and (one is None or row.get(self.by) == one):
                return row
        raise KeyError(n if one is None else (n, one))

    def to_json(self) -> dict[str, Any]:
        """The answer as a JSON document with "kind", "recipe" (the model's name), "parameters", "rows" and "notes", and
        with the keys of `extra`, `inputs` and `extent`. In rows, fractions are text and balls are {"mid", "rad"}."""
        rows = [{name: cell_json(row.get(name)) for name in self.columns} for row in self.rows]
        return {
            "kind": self.kind,
            "recipe": self.model,
            "parameters": dict(self.parameters),
            "rows": rows,
            "notes": dict(self.notes),
            **self.extra,
            **({} if self.inputs is None else self.inputs.to_json()),
            **self.extent.to_json(),
        }


def cell_json(cell: AnswerCell) -> Any:
    """The JSON value of a cell: fractions are text, integers and truth values stay as they are."""
    if isinstance(cell, Ball):
        return cell.to_json()
    return quotient(cell) if isinstance(cell, Fraction) else cell


@contextmanager
def keeping(rows: Sized, answered: Callable[[], Answer]) -> Iterator[None]:
    """A context for the computation of `rows`. If an error or interruption ends it and there are rows, the exception
    gets the attribute `found`: the answer so far, with the note "ended", which says that longer lengths were not
    tested. `rows` is a list or dict that the computation fills; `answered` makes the answer from the rows so far."""
    try:
        yield
    except BaseException as error:
        if rows:
            answer = answered()
            ended = f"lengths above {answer.rows[-1]['n']} were not tested"
            error.found = replace(answer, notes={**answer.notes, "ended": ended})  # type: ignore[attr-defined]
        raise


MAX_LENGTH = 1_000_000
"""The maximum length, in symbols, that a question may ask about."""


def lengths(model: Transformer, longest: int, shortest: int = 0, decides: bool = True) -> range:
    """The lengths of strings, in typed symbols, from `shortest` to `longest`. Length 0 is left out if the model has no
    run on the empty string.

    BadInput for an invalid length, if the model does not read strings, and with `decides` if it does not decide.
    """
    if not model.alphabet:
        raise BadInput("the model must read strings", f"{model.name}, which reads numbers", "choose another model")
    if decides:
        must = "the model must decide (a readout by sign, zero test or largest score)"
        model.readout.require(must, ("sign", "zero", "largest"), "choose one that decides")
    if isinstance(longest, bool) or not isinstance(longest, int) or not 1 <= longest <= MAX_LENGTH:
        must = f"the maximum length must be an integer from 1 to {MAX_LENGTH:,}"
        raise BadInput(must, longest, "give --max-length N")
    model.check_length(longest + model.embedding.added)
    if isinstance(shortest, bool) or not isinstance(shortest, int) or not 0 <= shortest <= longest:
        raise BadInput(f"the smallest length must be an integer from 0 to {longest}", shortest, "give --min-length 1")
    return range(max(shortest, model.embedding.shortest), longest + 1)


def asked_strings(
    model: Transformer,
    max_length: int | None,
    shortest: int = 0,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    decides: bool = True,
) -> Strings:
    """The strings that a question is about: those of `inputs` (None: all) with `shortest` to `max_length` symbols.
    Without `max_length`, and if there are finitely many inputs, the strings go up to the length of the longest.

    BadInput as `lengths` and `symcook.words.inputs.strings` raise it, and for no maximum length where the strings have
    none.
    """
    from symcook.words.inputs import listed, longest, strings

    if max_length is None:
        lengths(model, 1, 0, decides)  # BadInput for a model that the question is not about
        inputs = listed(inputs)
        max_length = 0 if inputs is None else longest(model, inputs, 0)
        if not max_length:
            missing = "none" if inputs is None else "none, and infinitely many inputs"
            raise BadInput("the maximum length must be given", missing, "give --max-length 8")
    return strings(model, lengths(model, max_length, shortest, decides), inputs, sample, seed, positions)
