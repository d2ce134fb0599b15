"""An automaton: its states in a line, as a table, and as a picture."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from symcook.decide.drawing import MOST, rows, svg
from symcook.model.answers import brief
from symcook.report.document import Document, Drawn, PlainLines, Table
from symcook.report.markup import page

if TYPE_CHECKING:
    from symcook.decide.automata import Automaton

SHOWN = 40
"""The greatest number of states whose table is printed."""


def line(automaton: Automaton) -> str:
    """Its size and letters in a line: the repr."""
    return brief(f"<Automaton {_states(automaton)} over {' '.join(automaton.alphabet)}>")


def document(automaton: Automaton) -> Drawn:
    """Its table, with its picture in a notebook."""
    title = f"automaton with {_states(automaton)} over {' '.join(automaton.alphabet)}, which begins in the first"
    header, *table = rows(automaton)
    part = Table(table, header) if len(automaton) <= SHOWN else PlainLines(["too many states to print"])
    table_document = Document(title, [part])
    return Drawn(table_document.text, lambda: page(picture(automaton), table_document.html()), table_document.displays)


def _states(automaton: Automaton) -> str:
    return f"{len(automaton)} state{'s' * (len(automaton) != 1)}"


def picture(automaton: Automaton) -> str:
    """The picture as an image of its own, whose style changes nothing around it; empty where there are too many
    states."""
    if len(automaton) > MOST:
        return ""
    source = b64encode(svg(automaton).encode()).decode()
    words = f"the automaton of {_states(automaton)}; the table says the same"
    return f'<img src="data:image/svg+xml;base64,{source}" alt="{words}" style="max-width:100%">'
