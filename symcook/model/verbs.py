"""What a model can be asked: each verb is a function of a model, which the front door names and which is imported when
it is used. What a verb takes, answers and raises, its function says."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from types import MethodType
from typing import TYPE_CHECKING, Any

from symcook import VERBS
from symcook.declaration import load
from symcook.door import door


class Verb:
    """A function of a model as its method."""

    def __init__(self, home: str) -> None:
        self.home = home

    @cached_property
    def method(self) -> Callable[..., Any]:
        """The function behind the door, which speaks of what is given beside the model."""
        import inspect

        function: Any = load(self.home)

        @wraps(function.__wrapped__)
        def asked(*given: object, **named: object) -> Any:
            return function.__wrapped__(*given, **named)

        first, *others = inspect.signature(function).parameters.values()
        asked.__signature__ = inspect.Signature([first.replace(name="self"), *others])  # type: ignore[attr-defined]
        return door(**function.hints)(asked)

    def __get__(self, model: object, owner: object = None) -> Any:
        return self.method if model is None else MethodType(self.method, model)


class Verbs:
    """The questions that a `Transformer` answers."""

    if TYPE_CHECKING:
        from symcook.compose.cooling import soften
        from symcook.derivation import derive
        from symcook.export import export
        from symcook.export.diff import diff
        from symcook.model.modelfile import save
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
