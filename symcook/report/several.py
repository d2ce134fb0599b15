"""Several answers: one under the other."""

from __future__ import annotations

from typing import Any

from symcook.model.answers import Several
from symcook.report.markup import Display, page

MOST = 40
"""The lines of a repr."""


def line(found: Several) -> str:
    """A line each, as of a tuple; of many answers the first and the last: the repr."""
    lines = [repr(one) for one in found]
    if len(lines) > MOST:
        lines[MOST - 2 : -1] = [f"... {len(lines) - MOST + 1} more"]
    shown = ",\n ".join(lines)
    return f"({shown},)" if len(lines) == 1 else f"({shown})"


def text(found: Several) -> str:
    """The text of each."""
    return "\n\n".join(one.text() for one in found)


def html(found: Several) -> str:
    """The page of each."""
    return page(*(one._repr_html_() for one in found))


def displays(found: Several) -> list[Display]:
    """The displays of each."""
    return [display for one in found for display in _displays(one)]


def _displays(one: Any) -> list[Display]:
    return one._report().displays(one)
