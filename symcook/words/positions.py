"""Which answers of a model count, where its readout looks at every position: the last, all, or those after a symbol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.ends import Readout

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

AFTER = "after:"
"""The beginning of the option "after:SYMBOL"."""


@dataclass(frozen=True, repr=False)
class AnswersAfter(Readout):
    """A readout at each position whose answers count after the first `symbol` of a string, and nowhere else."""

    symbol: str = ""

    def counted(self, sequence: Sequence[str], places: Sequence[int]) -> Sequence[int]:
        """Those of `places` that come after the first occurrence of the symbol in the string: none where it does not
        occur. Many strings in one pass (no tuple) keep all of `places`."""
        if not isinstance(sequence, tuple):  # for many strings in one pass, the caller leaves out the other answers
            return places
        first = sequence.index(self.symbol) if self.symbol in sequence else len(sequence)
        return [place for place in places if place % len(sequence) > first]


def symbol_of(model: Transformer, positions: str) -> str:
    """The symbol of "after:SYMBOL". BadInput for another text, and for a symbol that no string has."""
    symbol = positions.removeprefix(AFTER)
    words = model.embedding.words or ()
    if not positions.startswith(AFTER) or symbol not in words:
        must = f"positions must be last, all or after:SYMBOL, with a symbol of {' '.join(words)}"
        raise BadInput(must, positions or "nothing", f"give for example --positions {AFTER}{next(iter(words))}")
    return symbol


def at_positions(model: Transformer, positions: str | None) -> Transformer:
    """The model with a readout that answers only where answers count.

    Arguments:
        positions: "last", "all" or "after:SYMBOL"; None for the model as it is.

    Raises BadInput where the readout has one position, `positions` is no such text or has an unknown symbol, and for
    answers after a symbol where the readout gives one answer to the whole string.
    """
    if positions is None:
        return model
    readout = model.readout
    if not readout.everywhere:
        must = "positions can be chosen only for a model with an answer at every position"
        raise BadInput(must, f"a readout {readout.where} of {model.name}", "leave --positions out")
    if positions == "all":
        return model
    if positions == "last":
        return replace(model, readout=replace(readout, position="last"))
    symbol = symbol_of(model, positions)
    if not readout.each:
        raise BadInput(
            "answers after a symbol can be compared only for a model that answers at each position",
            f"{positions}, for {model.name}, which gives one answer for each string",
            "give --positions last or all",
        )
    readout_fields = {field.name: getattr(readout, field.name) for field in fields(Readout)}
    return replace(model, readout=AnswersAfter(**readout_fields, symbol=symbol))


def reference_at(model: Transformer, reference: Callable[[Any], Any], positions: str | None) -> Callable[[Any], Any]:
    """`reference` restricted to the answers that count. For "last" it gives the last answer alone; for "after:SYMBOL"
    all answers, with None (any answer is right) where none counts. An answer that is no sequence stays. `model` is the
    model before `at_positions` changed its readout."""
    if positions in (None, "all") or not model.readout.each:
        return reference

    def restricted(given: Sequence[str]) -> Any:
        """The answers of the reference that count, None at the others."""
        answers = reference(given)
        if not isinstance(answers, Sequence) or (isinstance(answers, str) and not model.readout.labelled):
            return answers
        if positions == "last":
            return answers[-1] if answers else answers
        tokens = model.embedding.surround(tuple(given))
        symbol = symbol_of(model, str(positions))
        first = tokens.index(symbol) if symbol in tokens else len(tokens)
        return [answer if place > first else None for place, answer in enumerate(answers)]

    return restricted
