"""Folds: functions of words that read a word once, from left to right, with a state."""

from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

from symcook.door import door
from symcook.errors import BadInput

STEADY = "the states of a specification must not change once they are reached"


@door()
@dataclass(frozen=True)
class Fold:
    """A function of strings that keeps a state: `step` gives the state after each token, `answer` the value of a state.

    It is called with a text or a sequence of tokens. With a Fold as the specification, `check` calls `step` for each
    state and token instead of each string. It calls it twice, and the results must be equal. States must be hashable;
    equal states must have equal answers and equal successors. `symcook explain fold` shows which Python code `decide`
    can read.

    Arguments:
        start: hashable. The state before the first token.
        step: function of a state and a token. The next state.
        answer: function of a state. The answer.
        each: bool (False). The answers after every token, as a list.

    Returns: Fold, a function of a string.

    Raises: BadInput: a state is not hashable or changes in place; raised when `check` meets the state.

    Example:

    >>> parity = Fold(False, lambda odd, token: odd != (token == "1"), lambda odd: odd)
    >>> parity("0111"), parity("")
    (True, False)
    >>> Fold(0, lambda length, token: length + 1, lambda length: length, each=True)("aba")
    [1, 2, 3]
    """

    start: Hashable
    step: Callable[[Any, str], Hashable]
    answer: Callable[[Any], Any]
    each: bool = False

    def __call__(self, word: Iterable[str]) -> Any:
        """The answer to a word; with `each`, the list of the answers after every token, [] for the empty word."""
        state = self.start if steady(self.start) else deepcopy(self.start)  # a step may change it in place
        answers = []
        for token in word:
            state = self.step(state, token)
            if self.each:
                answers.append(self.answer(state))
        return answers if self.each else self.answer(state)


def steady(state: object) -> bool:
    """Whether a state may be stored: it is hashable, and is compared by its value or has no attributes; a tuple or
    frozenset if its parts are. Any other object could be changed in place after it was stored, unnoticed."""
    if isinstance(state, tuple | frozenset):
        return all(map(steady, state))
    by_value = type(state).__eq__ is not object.__eq__ or isinstance(state, Enum | type)
    return type(state).__hash__ is not None and (by_value or not hasattr(state, "__dict__"))


def exact(state: object) -> Hashable:
    """A key of a state that is equal for equal states whose parts also have the same types: for Python True, 1 and 1.0
    are equal. Parts of tuples, frozensets and dataclasses, and of their subclasses, are told apart; any other object is
    compared as its class compares it."""
    kind = type(state)
    if isinstance(state, tuple):
        return (kind, *map(exact, state))
    if isinstance(state, frozenset):
        return kind, frozenset(map(exact, state))
    if is_dataclass(state) and not isinstance(state, type):
        return (kind, state, *(exact(getattr(state, field.name)) for field in fields(state)))
    return state if kind in (int, str, type(None)) else (kind, state)  # type: ignore[return-value]


def same(one: object, other: object) -> bool:
    """Whether two values are equal, and of the same types in all parts: True is not 1."""
    return type(one) is type(other) and bool(exact(one) == exact(other))


def require_steady(state: object) -> None:
    """Raise BadInput for a state that is not `steady`, since a step may change it in place."""
    if not steady(state):
        raise BadInput(STEADY, f"a {type(state).__name__}", "use numbers, text and tuples of them")
