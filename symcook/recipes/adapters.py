"""How a reference of `symcook.spec` is asked about a recipe: each adapter takes the reference, the recipe's arguments
and the values of its symbols, and returns a function of one input (or a Fold)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symcook.recipes import kit

Adapter = Callable[[Callable[..., Any], Mapping[str, Any], Mapping[str, Any]], Callable[[Any], Any]]


def no_arguments(function: Callable[..., object], arguments: Mapping[str, object], values: Mapping[str, object]) -> Any:
    """A reference that is the same for every argument of the recipe."""
    return lambda given: function(given)


def with_arguments(
    function: Callable[..., object], arguments: Mapping[str, object], values: Mapping[str, object]
) -> Callable[[Any], Any]:
    """A reference that is given the arguments of the recipe, and no symbols."""
    return lambda given: function(given, **arguments)


def decides(fold: kit.Fold, arguments: Mapping[str, object], values: Mapping[str, object]) -> kit.Fold:
    """The reference of a language: its fold, whatever builds the model."""
    return fold


def made_with(*passed: str) -> Adapter:
    """A reference that is made from the arguments `passed`: a function of words, or a fold."""
    return lambda make, arguments, values: make(*(arguments[one] for one in passed))


def passing(*passed: str) -> Adapter:
    """A reference on one input that is given the arguments `passed` too."""

    def adapt(function: Callable[..., object], arguments: Mapping[str, object], values: Mapping[str, object]) -> Any:
        chosen = {one: arguments[one] for one in passed}
        return lambda given: function(given, **chosen)

    return adapt


def of_rows(inputs: tuple[str, ...], output: str, *passed: str) -> Adapter:
    """Lift a reference on plain lists, which is given the arguments `passed` too, to rows {input: value} and answers
    {output: value}."""

    def adapt(function: Callable[..., object], arguments: Mapping[str, object], values: Mapping[str, object]) -> Any:
        ask = passing(*passed)(function, arguments, values)

        def answer(rows: Any) -> list[dict[str, Any]]:
            plain = [row[inputs[0]] if len(inputs) == 1 else tuple(row[name] for name in inputs) for row in rows]
            return [{output: value} for value in ask(plain)]

        return answer

    return adapt


def named(output: str, *passed: str) -> Adapter:
    """Lift a reference on words, which is given the arguments `passed` too and has a number for each position, to
    answers {output: value}."""

    def adapt(function: Callable[..., object], arguments: Mapping[str, object], values: Mapping[str, object]) -> Any:
        ask = passing(*passed)(function, arguments, values)
        return lambda word: [{output: value} for value in ask(word)]

    return adapt


def named_fold(output: str) -> Callable[[kit.Fold, Mapping[str, Any], Mapping[str, Any]], kit.Fold]:
    """Lift a fold that has a number for each state to answers {output: value}."""

    def adapt(fold: kit.Fold, arguments: Mapping[str, object], values: Mapping[str, object]) -> kit.Fold:
        return kit.replace(fold, answer=lambda state: {output: fold.answer(state)})

    return adapt
