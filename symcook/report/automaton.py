"""An automaton: its size in one line, its states as a table, and its picture."""

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
    """The number of states and the alphabet of an automaton in one line: its repr."""
    return brief(f"<Automaton {_states(automaton)} over {' '.join(automaton.alphabet)}>")


def document(automaton: Automaton) -> Drawn:
    """The transition table of an automaton; a notebook shows its picture too."""
    title = f"automaton with {_states(automaton)} over {' '.join(automaton.alphabet)}, which begins in the first"
    header, *table = rows(automaton)
    part = Table(table, header) if len(automaton) <= SHOWN else PlainLines(["too many states to print"])
    table_document = Document(title, [part])
    return Drawn(table_document.text, lambda: page(picture(automaton), table_document.html()), table_document.displays)


def _states(automaton: Automaton) -> str:
    return f"{len(automaton)} state{'s' * (len(automaton) != 1)}"


def picture(automaton: Automaton) -> str:
    """The picture as an HTML image, so that its style does not change the page; "" with more than MOST states."""
    if len(automaton) > MOST:
        return ""
    source = b64encode(svg(automaton).encode()).decode()
    alt_text = f"the automaton of {_states(automaton)}; the table says the same"
    return f'<img src="data:image/svg+xml;base64,{source}" alt="{alt_text}" style="max-width:100%">'
