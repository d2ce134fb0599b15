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
from symcook.errors import BadInput

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T", bound="Reply")
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

    def _advice(self, name: str) -> str | None:
        """What to write in place of the attribute `name`, which this value does not have; None if that is unknown."""
        return None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """AttributeError with `_advice`. Names with an underscore, which other libraries look for, have none."""
            if hasattr(type(self), name):  # a property raised AttributeError: raise its own again
                return object.__getattribute__(self, name)
            text = f"{type(self).__name__} has no attribute {name!r}"
            do = None if name.startswith("_") else self._advice(name)
            if do is not None:
                raise AttributeError(f"{text}; {do}")
            raise AttributeError(text, name=name, obj=self)


class Shown(Named):
    """A value that can be shown as text, as LaTeX, and in a notebook: a model, an automaton, or an answer (`Reply`)."""

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
    """An answer. Every public question returns one, and all have this shape.

    >>> from symcook.recipes import build
    >>> found = build("dyck-1").check(lambda string: string.count("(") == string.count(")"), 2)
    >>> found.holds, found.status, found.counterexample
    (False, 'DIFFERS', ')(')
    """

    holds: bool | None
    """Whether the answer is yes. None if it is undecided, and if the question has no yes or no. `bool` of the answer
    is the same, and raises BadInput for None."""
    status: str
    """The outcome in one or two words, such as PROVED, DIFFERS or OPEN."""
    counterexample: str | None = None
    """What shows that the answer is no, as text: an input ("" for the empty string) or parameters. None without one."""
    why: str | None = None
    """The reason for the status, as text. None if there is nothing to add to the status."""

    if TYPE_CHECKING:

        def to_json(self) -> Any:
            """What the command prints with ``--json``."""

    def __bool__(self) -> bool:
        """`holds`, where it is True or False. So `assert model.check(..)` fails where model and specification differ,
        and raises BadInput where this is undecided."""
        if self.holds is None:
            must = "only an answer that is yes or no can be used as a truth value"
            raise BadInput(must, f"an answer with the status {self.status}", "compare answer.holds or answer.status")
        return self.holds

    def write(self, targets: Sequence[Path], force: bool) -> Sequence[Path]:
        """Write the files `targets`, all or none, and return those that were written."""
        return self._report().write(self, targets, force)


class Several(Reply, tuple[T, ...], Generic[T]):
    """Answers of one kind, in their order: a tuple that shows each of them.

    As one answer it holds if all of them hold, and does not hold if one of them does not. Status, counterexample and
    reason are those of the first answer that does not hold, else of the first with no yes or no, else of the first.
    """

    REPORT = "document"

    @property
    def _deciding(self) -> T | None:
        """The answer that decides about all of them; None without any."""
        return min(self, key=lambda one: (False, None, True).index(one.holds), default=None)

    @property
    def holds(self) -> bool | None:
        """Whether all answers hold; None if none fails and one has no yes or no."""
        return None if self._deciding is None else self._deciding.holds

    @property
    def status(self) -> str:
        """The status of the answer that decides."""
        return "NONE" if self._deciding is None else self._deciding.status

    @property
    def counterexample(self) -> str | None:
        """The counterexample of the answer that decides."""
        return None if self._deciding is None else self._deciding.counterexample

    @property
    def why(self) -> str | None:
        """The reason of the answer that decides."""
        return None if self._deciding is None else self._deciding.why

    def to_json(self) -> list[Any]:
        """The documents of the answers, in their order."""
        return [one.to_json() for one in self]


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
        from symcook.compose.interventions import patched, with_weights, without
        from symcook.decide.decoders import decide
        from symcook.derivation import derive
        from symcook.export import arrays, export
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
