"""Functions of words that read them once, from the left to the right, and keep a state."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from symcook.door import door


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
        state = self.start
        answers = []
        for token in word:
            state = self.step(state, token)
            if self.each:
                answers.append(self.answer(state))
        return answers if self.each else self.answer(state)
