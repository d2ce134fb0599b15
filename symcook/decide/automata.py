"""Deterministic automata: read from files, made from folds, and compared by the shortest string with two answers.

A *recogniser* is anything with `initial`, `step(state, letter)` and `answer(state)`, such as an `Automaton`, or a
`Fold` wrapped in `Asked`. Two recognisers are compared on the pairs of states that strings reach (`parted`). They may
have infinitely many states, since the search stops at a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from symcook.alarm import raise_real
from symcook.decide.allowed import ATOMS
from symcook.errors import BadInput
from symcook.files import text_of
from symcook.programs.automata import Automaton, reached, read_table
from symcook.spec.automata import language
from symcook.spec.fold import Fold, exact, same

StatePair = tuple[Hashable, Hashable]
Value = TypeVar("Value")
STATES = 200_000
"""The greatest number of states, or of pairs of states, that are visited, unless the caller gives another one."""


class Answering(Protocol):
    """A recogniser: it reads a string symbol by symbol.

    An answer is True, False or a label; None where there is no answer, for example to the empty string, which is not an
    input of a model that adds no token.
    """

    @property
    def initial(self) -> Any: ...

    def step(self, state: Any, letter: str) -> Hashable: ...

    def answer(self, state: Any) -> Any: ...


class Asked:
    """A Fold of the user's as a recogniser, which computes each step and each answer twice. Its states are the numbers
    of the fold's states, in the order in which they occur.

    BadInput where the two results differ, where the Fold raises, where a state is not made of integers, text, True,
    False, None and tuples, and where an answer is neither one of `answers` nor None. None means that any answer is
    right.
    """

    initial = 0

    def __init__(self, fold: Fold, answers: Sequence[object] = (True, False)) -> None:
        self.fold, self.answers = fold, tuple(answers)
        self.free = False
        """Whether the Fold has answered None so far."""
        self.states: list[Any] = []
        """The states of the fold, by number."""
        self.numbers: dict[Hashable, int] = {}
        """{exact key of a state: its number}."""
        self._number(fold.start)

    def step(self, state: int, letter: str) -> int:
        """The number of the fold's state after one more symbol."""
        known = self.states[state]
        return self._number(
            self._twice(
                lambda: self.fold.step(known, letter), lambda: f"a step by {letter} from the state {_shown(known)}"
            )
        )

    def answer(self, state: int) -> Any:
        """The fold's answer; BadInput if it is not one of the allowed ones."""
        known = self.states[state]
        answer = self._twice(lambda: self.fold.answer(known), lambda: f"an answer in the state {_shown(known)}")
        if answer is None:
            self.free = True
        elif not any(same(answer, allowed) for allowed in self.answers):
            must = f"the specification must answer {' or '.join(map(str, self.answers))}"
            raise BadInput(must, f"{_shown(answer)} in the state {_shown(known)}", "repair the specification")
        return answer

    def _twice(self, ask: Callable[[], Value], what: Callable[[], str]) -> Value:
        """The result of `ask`, computed twice; BadInput if `ask` raises or gives two results. `what` names the
        result."""
        try:
            first, second = ask(), ask()
            equal = same(first, second)
        except BaseException as error:
            raise_real(error)
            failure = f"{what()}: {type(error).__name__}: {error}"
            raise BadInput("the specification must answer every string", failure, "repair the specification") from error
        if not equal:
            failure = f"{_shown(first)} and {_shown(second)} as {what()}"
            raise BadInput(
                "the specification must give the same answer each time that it is asked about one state",
                failure,
                "repair the specification",
            )
        return first

    def _number(self, state: object) -> int:
        """The number of a state; a new state gets the next one."""
        _require_parts(state)
        number = self.numbers.setdefault(exact(state), len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number


def _require_parts(state: object) -> None:
    """BadInput where a state has a part of another type than `ATOMS` and tuple; a subclass is another type."""
    if type(state) is tuple:
        for part in state:
            _require_parts(part)
    elif type(state) not in ATOMS:
        must = "the states of a specification must be made of integers, text, True, False, None and tuples"
        do = "use tuples in place of lists" if isinstance(state, list) else None
        raise BadInput(must, f"{_shown(state)} ({type(state).__name__})", do)


def _shown(value: object) -> str:
    """The repr of a user's value, for a message."""
    try:
        return repr(value)
    except Exception as error:  # raised by the user's class
        return f"what cannot be printed ({type(error).__name__})"


def folded(reference: Answering) -> Fold:
    """`reference`, an `Automaton` or an `Asked`, as a fold, which answers None where there is no answer; TypeError for
    any other recogniser. The fold of an `Asked` is not computed twice."""
    if isinstance(reference, Asked):
        return reference.fold
    if not isinstance(reference, Automaton):
        raise TypeError(f"a {type(reference).__name__} is no fold")
    fold, answers = language(reference), dict(zip(reference.names, reference.answers, strict=True))
    return Fold(fold.start, fold.step, lambda state: answers[state])


def explored(fold: Answering | Fold, alphabet: Sequence[str], most: int = STATES) -> Automaton:
    """The automaton of the states of `fold` that strings reach; BadInput where there are more than `most`."""
    start = fold.start if isinstance(fold, Fold) else fold.initial

    def steps(state: Any) -> list[Hashable]:
        """The next state by each symbol."""
        return [fold.step(state, letter) for letter in alphabet]

    return reached(start, steps, fold.answer, alphabet, most)


class Parted(NamedTuple):
    """The result of a comparison of two recognisers."""

    word: tuple[str, ...] | None
    """The shortest string with two different answers; None where none was found."""
    answers: tuple[Any, Any] = (None, None)
    """The two answers to `word`."""
    pairs: int = 0
    """How many pairs of states were reached."""
    length: int | None = None
    """The length up to which all strings were compared, where the search stopped at its limit; None where a string was
    found, or where all strings of every length were compared."""
    asked: bool = True
    """Whether any two answers were compared."""


def parted(first: Answering, second: Answering, alphabet: Sequence[str], most: int = STATES) -> Parted:
    """The comparison of two recognisers. Its `word` is the shortest string with two different answers; of several, the
    first in the order of `alphabet`.

    The search stops after `most` pairs of states. A string to which one of the two gives no answer (None) is not
    compared. If the second has a method `ended`, a string is skipped, with all that begin with it, where `ended` is
    true of the second's state.
    """
    # Breadth-first search over pairs of states. `came` maps a pair to the pair before it and the symbol between them.
    ended: Callable[[Any], bool] = getattr(second, "ended", lambda _: False)
    start: StatePair = (first.initial, second.initial)
    came: dict[StatePair, tuple[StatePair, str] | None] = {start: None}
    level, length, asked = [start], 0, False

    def differ(pair: StatePair) -> tuple[Any, Any] | None:
        """The two answers in a pair of states, if they differ."""
        nonlocal asked
        first_answer = first.answer(pair[0])
        # Where the first gives no answer, the second may be unable to answer.
        second_answer = None if first_answer is None else second.answer(pair[1])
        asked = asked or second_answer is not None
        equal = second_answer is None or same(first_answer, second_answer)
        return None if equal else (first_answer, second_answer)

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
        next_level = []
        for pair in level:
            for letter in alphabet:
                to = first.step(pair[0], letter), second.step(pair[1], letter)
                if to in came or ended(to[1]):
                    continue
                came[to] = pair, letter
                next_level.append(to)
                if (answers := differ(to)) is not None:
                    return Parted(word(to), answers, len(came))
                if len(came) >= most:
                    return Parted(None, pairs=len(came), length=length, asked=asked)
        level, length = next_level, length + 1
    return Parted(None, pairs=len(came), asked=asked)


def differing(
    first: Answering, second: Answering, alphabet: Sequence[str], longest: int, most: int = STATES
) -> list[int] | None:
    """On how many strings of each length from 0 to `longest` two recognisers give different answers; None where the
    strings of one length reach more than `most` pairs of states. As in `parted`, only strings with two answers
    count; unlike there, a method `ended` is not asked."""
    # How many strings of the current length lead to each pair of states.
    strings_to: dict[StatePair, int] = {(first.initial, second.initial): 1}
    counts = []
    for length in range(longest + 1):
        different = 0
        for pair, strings in strings_to.items():
            answer = first.answer(pair[0])
            second_answer = None if answer is None else second.answer(pair[1])
            different += strings * (second_answer is not None and not same(answer, second_answer))
        counts.append(different)
        if length == longest:
            break
        next_strings_to: dict[StatePair, int] = {}
        for (state, other_state), strings in strings_to.items():
            for letter in alphabet:
                to = first.step(state, letter), second.step(other_state, letter)
                next_strings_to[to] = next_strings_to.get(to, 0) + strings
        if len(next_strings_to) > most:
            return None
        strings_to = next_strings_to
    return counts


def read(path: str | Path) -> Automaton:
    """The automaton of a JSON file. BadInput names the faulty line where the error is in one line."""
    return read_table(text_of(path, "an automaton"), str(path))
