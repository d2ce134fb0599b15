"""Functions of words that read them once, from the left to the right, and keep a state."""

from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from enum import Enum
from typing import Any

from symcook.door import door
from symcook.errors import BadInput

STEADY = "the states of a specification must not change once they are reached"


@door()
@dataclass(frozen=True)
class Fold:
    """`answer` of the state that `step` reaches from `start` over the tokens of a word; with `each` the list of these
    answers, one after every token.

    It is called like a function of words (text, or a sequence of tokens). `symcook check` takes it as a reference, and
    then asks it twice a state and token, which must give the same, instead of once a word: states must be hashable, and
    states that are equal must have equal answers and equal successors.

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
        state = self.start if steady(self.start) else deepcopy(self.start)  # a step may change it in place
        answers = []
        for token in word:
            state = self.step(state, token)
            if self.each:
                answers.append(self.answer(state))
        return answers if self.each else self.answer(state)


def steady(state: object) -> bool:
    """Whether a state is compared by what it holds: an object with attributes of its own that is equal to itself alone,
    or that cannot be hashed, may be changed in place, and nobody who keeps it would notice."""
    if isinstance(state, tuple | frozenset):
        return all(map(steady, state))
    by_value = type(state).__eq__ is not object.__eq__ or isinstance(state, Enum | type)
    return type(state).__hash__ is not None and (by_value or not hasattr(state, "__dict__"))


def require_steady(state: object) -> None:
    """BadInput for a state that a step may change in place."""
    if not steady(state):
        raise BadInput(STEADY, f"a {type(state).__name__}", "use numbers, text and tuples of them")
