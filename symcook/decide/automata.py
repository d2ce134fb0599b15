"""Deterministic automata: read, explored, and distinguished by their shortest string.

A *recogniser* is anything with `initial`, `step(state, letter)` and `answer(state)`: an `Automaton`, or a `Fold`
wrapped in `Asked`. Two recognisers are compared on the pairs of states that strings reach (`parted`), so that one of
them may have infinitely many states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from symcook.errors import BadInput
from symcook.files import text_of
from symcook.programs.automata import Automaton, reached, read_table
from symcook.spec.automata import language
from symcook.spec.fold import Fold, require_steady

StatePair = tuple[Hashable, Hashable]
Value = TypeVar("Value")
STATES = 200_000
"""The greatest number of states, or of pairs of states, that are visited."""


class Answering(Protocol):
    """What reads a word letter by letter. An answer is True or False, a label, or None where there is none: the empty
    word is no input of a model that adds no token."""

    @property
    def initial(self) -> Any: ...

    def step(self, state: Any, letter: str) -> Hashable: ...

    def answer(self, state: Any) -> Any: ...


class Asked:
    """A Fold as a recogniser. Each step and each answer is asked twice: BadInput where they differ, where the Fold
    raises, where a state is not hashable, and where an answer is none of `answers`, nor None: any will do."""

    def __init__(self, fold: Fold, answers: Sequence[object] = (True, False)) -> None:
        self.fold, self.answers, self.initial = fold, answers, fold.start
        self.free = False
        """Whether it has answered None."""
        self._hashable(fold.start)

    def step(self, state: Hashable, letter: str) -> Hashable:
        to = self._twice(lambda: self.fold.step(state, letter), f"a step by {letter} from the state {_shown(state)}")
        self._hashable(to)
        return to

    def answer(self, state: Hashable) -> Any:
        """The fold's answer; BadInput if it is not one of the allowed ones."""
        answer = self._twice(lambda: self.fold.answer(state), f"an answer in the state {_shown(state)}")
        if type(answer).__name__ == "bool" and type(answer) is not bool:  # numpy's
            answer = bool(answer)
        if answer is None:
            self.free = True
        elif answer not in self.answers or (type(answer) is not bool and True in self.answers):
            must = f"the specification must answer {' or '.join(map(str, self.answers))}"
            raise BadInput(must, f"{_shown(answer)} in the state {_shown(state)}", "repair the specification")
        return answer

    def _twice(self, ask: Callable[[], Value], what: str) -> Value:
        """A result that is computed twice; BadInput if the fold raises or gives two results."""
        try:
            first, second = ask(), ask()
            same = bool(first == second)
        except (Exception, SystemExit) as error:  # a reference of the user's may leave
            failure = f"{what}: {type(error).__name__}: {error}"
            raise BadInput("the specification must answer every string", failure, "repair the specification") from error
        if not same:
            failure = f"{_shown(first)} and {_shown(second)} as {what}"
            raise BadInput("the specification must give the same answer twice", failure, "repair the specification")
        return first

    def _hashable(self, state: object) -> None:
        try:
            hash(state)
        except TypeError as error:
            must = "the states of a specification must be hashable"
            raise BadInput(must, f"{_shown(state)} ({type(state).__name__})", "use tuples in place of lists") from error
        require_steady(state)


def _shown(value: object) -> str:
    """A value of the user's in a message."""
    try:
        return repr(value)
    except Exception as error:  # an object of the user's
        return f"what cannot be printed ({type(error).__name__})"


def folded(reference: Answering) -> Fold:
    """An automaton, or what is `Asked`, as a fold, which answers None where there is no answer."""
    if isinstance(reference, Asked):
        return reference.fold
    if not isinstance(reference, Automaton):
        raise TypeError(f"a {type(reference).__name__} is no fold")
    fold, answers = language(reference), dict(zip(reference.names, reference.answers, strict=True))
    return Fold(fold.start, fold.step, lambda state: answers[state])


def explored(fold: Answering | Fold, alphabet: Sequence[str], most: int = STATES) -> Automaton:
    """The automaton of the states that words reach, at most `most`; BadInput where there are more."""
    start = fold.start if isinstance(fold, Fold) else fold.initial

    def steps(state: Any) -> list[Hashable]:
        return [fold.step(state, letter) for letter in alphabet]

    return reached(start, steps, fold.answer, alphabet, most)


class Parted(NamedTuple):
    """What a comparison came to: the smallest word with two answers, or None; these answers; how many pairs of states
    were met; and up to which length all words were compared, None where that is every length."""

    word: tuple[str, ...] | None
    answers: tuple[Any, Any] = (None, None)
    pairs: int = 0
    length: int | None = None
    asked: bool = True
    """Whether two answers were compared at all."""


def parted(first: Answering, second: Answering, alphabet: Sequence[str], most: int = STATES) -> Parted:
    """The shortest word to which two recognisers give two answers, the first of these in the order of `alphabet`.

    After `most` pairs of states it stops, and says up to which length it found none. Where one of them gives no answer
    (None) nothing is compared, and no further where the second has `ended` in a state.
    """
    # Breadth first over pairs of states; `came` has for each the pair before it and the symbol.
    ended: Callable[[Any], bool] = getattr(second, "ended", lambda _: False)
    start: StatePair = (first.initial, second.initial)
    came: dict[StatePair, tuple[StatePair, str] | None] = {start: None}
    level, length, asked = [start], 0, False

    def differ(pair: StatePair) -> tuple[Any, Any] | None:
        nonlocal asked
        """The two answers in a pair of states, if they differ."""
        first_answer = first.answer(pair[0])
        # The second need not answer where nothing is compared.
        second_answer = None if first_answer is None else second.answer(pair[1])
        asked = asked or second_answer is not None
        return None if second_answer is None or first_answer == second_answer else (first_answer, second_answer)

    def word(pair: StatePair) -> tuple[str, ...]:
        """The string that leads to a pair of states."""
        letters = []
        while (step := came[pair]) is not None:
            pair, letter = step
            letters.append(letter)
        return tuple(reversed(letters))

    if (answers := differ(start)) is not None:
        return Parted((), answers, 1)
    while level:
        further = []
        for pair in level:
            for letter in alphabet:
                to = first.step(pair[0], letter), second.step(pair[1], letter)
                if to in came or ended(to[1]):
                    continue
                came[to] = pair, letter
                further.append(to)
                if (answers := differ(to)) is not None:
                    return Parted(word(to), answers, len(came))
                if len(came) >= most:
                    return Parted(None, pairs=len(came), length=length, asked=asked)
        level, length = further, length + 1
    return Parted(None, pairs=len(came), asked=asked)


def differing(
    first: Answering, second: Answering, alphabet: Sequence[str], longest: int, most: int = STATES
) -> list[int] | None:
    """On how many strings of each length from 0 to `longest` two recognisers give different answers; None where one
    length reaches more than `most` pairs of states. Where one gives no answer nothing is compared, as in `parted`."""
    ways: dict[StatePair, int] = {(first.initial, second.initial): 1}
    counts = []
    for length in range(longest + 1):
        different = 0
        for pair, strings in ways.items():
            answer = first.answer(pair[0])
            second_answer = None if answer is None else second.answer(pair[1])
            different += strings * (second_answer is not None and answer != second_answer)
        counts.append(different)
        if length == longest:
            break
        further: dict[StatePair, int] = {}
        for (state, other_state), strings in ways.items():
            for letter in alphabet:
                to = first.step(state, letter), second.step(other_state, letter)
                further[to] = further.get(to, 0) + strings
        if len(further) > most:
            return None
        ways = further
    return counts


def read(path: str | Path) -> Automaton:
    """The automaton of a JSON file; BadInput names the line where one is to blame."""
    return read_table(text_of(path, "an automaton"), str(path))
