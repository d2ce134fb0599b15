"""How answers and models show themselves, and what a model can be asked: `VERBS` of the front door, as methods.

Each kind of answer has a module in `symcook.report`, imported when it is needed, with at least two functions of an
answer: `line`, its repr, and `document`, which text, HTML and LaTeX print. This module is below `symcook.report` and
the commands, so it imports from `symcook.report` only inside its methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from importlib import import_module
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from symcook import VERBS
from symcook.declaration import load
from symcook.door import door

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")
LINE = 118
"""The largest length of a repr."""
EMPTY_STRING = "the empty string"
"""How answers name the input without symbols."""


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


def grouped(count: int) -> str:
    """A number as prose has it: with separators from five digits on.

    >>> grouped(8190), grouped(33554430)
    ('8190', '33,554,430')
    """
    return f"{count:,}" if abs(count) > 9_999 else str(count)


class KeptAnswers(dict[Any, Any]):
    """A cache of an object, which is empty in its copies and pickles."""

    def __reduce__(self) -> tuple[Any, ...]:
        return KeptAnswers, ()


class Named:
    """A value whose repr is one line that says what it is; the repr of a dataclass would list all that it holds."""

    REPORT: ClassVar[str]
    """The module of `symcook.report` that formats this kind of value."""

    @cached_property
    def kept(self) -> KeptAnswers:
        """A cache for number systems: what they compute from the numbers of this value, once for all runs."""
        return KeptAnswers()

    def _report(self) -> Any:
        """The module that formats this value."""
        return import_module(f"symcook.report.{self.REPORT}")

    def __repr__(self) -> str:
        return self._report().line(self)


class Shown(Named):
    """An answer that can be shown as text, as LaTeX, and in a notebook."""

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


class Reply(Shown):
    """The answer to a declared question: what its command prints, writes to files, and ends with."""

    @property
    def holds(self) -> bool:
        """Whether nothing that was claimed is false; the command's exit code is 1 where something is."""
        return True

    def write(self, targets: Sequence[Path], force: bool) -> Sequence[Path]:
        """Write the files `targets`, all or none, and return those that were written."""
        return self._report().write(self, targets, force)


class Several(Shown, tuple[T, ...], Generic[T]):
    """Answers of one kind, in their order: a tuple that shows each of them."""

    REPORT = "document"


class Verb:
    """The descriptor by which a function of a model becomes a method of it. `home` is "module:function", imported when
    the method is first used."""

    def __init__(self, home: str) -> None:
        self.home = home

    @cached_property
    def method(self) -> Callable[..., Any]:
        """The function as a method. Its own door, which would count the model as an argument, is replaced by one whose
        messages count only the other arguments."""
        import inspect

        function: Any = load(self.home)

        @wraps(function.__wrapped__)
        def asked(*given: object, **named: object) -> Any:
            """The function without its own door."""
            return function.__wrapped__(*given, **named)

        first, *others = inspect.signature(function).parameters.values()
        asked.__signature__ = inspect.Signature([first.replace(name="self"), *others])  # type: ignore[attr-defined]
        return door(**function.hints)(asked)

    def __get__(self, model: object, owner: object = None) -> Any:
        return self.method if model is None else MethodType(self.method, model)


class Verbs:
    """The questions that a `Transformer` answers."""

    if TYPE_CHECKING:
        from symcook.bounds.hardsoft import hardsoft
        from symcook.compose.cooling import soften
        from symcook.decide.decoders import decide
        from symcook.derivation import derive
        from symcook.export import export
        from symcook.export.diff import diff
        from symcook.model.modelfile import save
        from symcook.proof.statements.proving import prove
        from symcook.questions.entropy import entropy
        from symcook.questions.margin import margin
        from symcook.questions.precision import precision
        from symcook.questions.temperature import temperature
        from symcook.questions.tolerance import tolerance
        from symcook.run import run, run_many
        from symcook.verify.sweep import check

        __call__ = run


for name, home in VERBS.items():
    setattr(Verbs, name, Verb(home))
