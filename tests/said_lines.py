"""Each line of closed forms as a statement: `prove` reads it, and it is true of short strings, as the equations that it
is about have it (`Runs`). `forms_said` evaluates the lines with an evaluator of its own."""

from __future__ import annotations

import re

from symcook.closed import EveryLength, every_length
from symcook.errors import BadInput, NotExact, Undecided
from symcook.model.transformer import Transformer
from symcook.proof.statements import certify
from symcook.proof.statements.proving import document_of
from symcook.proof.statements.shortruns import Runs

WORK = 40_000
"""The evaluated symbols for one line."""
OPEN = (BadInput, NotExact, Undecided)


def lines(found: EveryLength) -> list[str]:
    """The lines of all cases, and those of the coordinates before the output."""
    return [*dict.fromkeys([*(line for form in found.forms for line in form.lines), *found.way_lines()])]


def accepted(found: EveryLength, tried: bool = True, alike: bool = False) -> tuple[int, int]:
    """(lines, strings' lengths that were evaluated in all). An error for a line that `prove` refuses, and for one that
    is false of a string, or whose strings have no run although the forms have them. With `alike`, of lines
    that differ in numbers alone only the first."""
    document, lengths = document_of(found.model, {}), 0
    said = lines(found)
    if alike:
        said = [*{re.sub("[0-9]+", "0", line): line for line in reversed(said)}.values()]
    for line in said:
        statement = certify.claim(document, line)
        if tried:
            runs = Runs(statement, document)
            runs.budget = runs.limit = WORK
            answer = runs.tried(4)
            assert answer.word is None, (found.model.name, line, answer)
            lengths += answer.length
    return len(said), lengths


def formed(model: Transformer) -> EveryLength | None:
    """The closed forms of a model; None where it has none."""
    try:
        return every_length(model)
    except OPEN:
        return None
