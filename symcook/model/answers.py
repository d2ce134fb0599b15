"""How answers and models show themselves: each kind has a module in `symcook.report`, imported when it is needed.

Beside `symcook.model.verbs` this is the only module of values that names what stands above them. A module of the report
has two functions of an answer: `line`, its repr, and `document`, which text, HTML and LaTeX print.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

from symcook.door import door

T = TypeVar("T")
LINE = 118
"""The greatest length of a repr."""


def brief(text: str, most: int = LINE) -> str:
    """Text on one line, cut in its middle where it is longer than `most`.

    >>> brief("0123456789", 7)
    '012…789'
    """
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[: most - 1 - half]}…{text[len(text) - half :]}"


class Named:
    """What has a line of its own: its repr says what it is, not all that it holds."""

    REPORT: ClassVar[str]
    """The module of `symcook.report` that knows how this looks."""

    def _report(self) -> Any:
        return import_module(f"symcook.report.{self.REPORT}")

    def __repr__(self) -> str:
        return self._report().line(self)


class Shown(Named):
    """An answer that shows itself: as text, as LaTeX, and in a notebook."""

    @door()
    def text(self) -> str:
        """What the command prints."""
        return self._report().document(self).text()

    @door()
    def latex(self, document: bool = False) -> str:
        """Displays for a paper (packages amsmath and amssymb), or with `document` a complete document."""
        from symcook.report.markup import latex

        return latex(self._report().document(self).displays(), document)

    def _repr_html_(self) -> str:
        return self._report().document(self).html()

    def _repr_latex_(self) -> str:
        from symcook.report.markup import notebook

        return notebook(self._report().document(self).displays())


class Several(Shown, tuple[T, ...], Generic[T]):
    """Answers of one kind, in their order: a tuple that shows each of them."""

    REPORT = "several"
