"""Several answers: one under the other."""

from __future__ import annotations

from typing import Any

from symcook.model.answers import Several
from symcook.report.document import Drawn
from symcook.report.markup import page

MOST = 40
"""The lines of a repr."""


def line(found: Several) -> str:
    """A line each, as of a tuple; of many answers the first and the last: the repr."""
    lines = [repr(one) for one in found]
    if len(lines) > MOST:
        lines[MOST - 2 : -1] = [f"... {len(lines) - MOST + 1} more"]
    shown = ",\n ".join(lines)
    return f"({shown},)" if len(lines) == 1 else f"({shown})"


def document(found: Several) -> Drawn:
    """Each, one under the other."""
    each: list[Any] = [one._report().document(one) for one in found]
    return Drawn(
        lambda: "\n\n".join(one.text() for one in each),
        lambda: page(*(one.html() for one in each)),
        lambda: [display for one in each for display in one.displays()],
    )
