"""Deterministic automata: read, written, minimised, counted and told apart by their shortest word.

A *recogniser* is anything with `initial`, `step(state, letter)` and `answer(state)`: an `Automaton`, or a `Fold` behind
`Asked`. Two of them are compared pair of states by pair of states, so that one of them may have no end of states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from symcook.errors import BadInput
from symcook.files import text_of
from symcook.model.answers import Shown
from symcook.programs.automata import AutomatonTable, reached, read_table, table_of
from symcook.spec.fold import Fold, require_steady

StatePair = tuple[Hashable, Hashable]
Value = TypeVar("Value")
STATES = 200_000
"""The greatest number of states, or of pairs of states, that is gone through."""


class Answering(Protocol):
    """What reads a word letter by letter. An answer is True or False, a label, or None where there is none: the empty
    word is no input of a model that adds no token."""

    @property
    def initial(self) -> Any: ...

    def step(self, state: Any, letter: str) -> Hashable: ...

    def answer(self, state: Any) -> Any: ...


@dataclass(frozen=True, repr=False)
class Automaton(Shown):
    """A complete deterministic automaton, whose states are 0, 1, ... and which begins in 0.

    alphabet: the letters. moves: for each state the next one by each letter, in the order of the alphabet. answers: for
    each state True (accepted), False, a label, or None for no answer. names: what the states are called.

    >>> odd = Automaton(("0", "1"), ((0, 1), (1, 0)), (False, True))
    >>> odd("0111"), odd.counts(3), odd.accepts(odd.step(odd.initial, "1"))
    (True, [0, 1, 2, 4], True)
    """

    REPORT = "automaton"

    alphabet: tuple[str, ...]
    moves: tuple[tuple[int, ...], ...]
    answers: tuple[Any, ...]
    names: tuple[str, ...] = ()
    places: dict[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {letter: k for k, letter in enumerate(self.alphabet)})
        if not self.names:
            object.__setattr__(self, "names", tuple(f"q{state}" for state in range(len(self.moves))))

    initial = 0

    def __len__(self) -> int:
        return len(self.moves)

    def step(self, state: int, letter: str) -> int:
        """The next state; BadInput for a letter outside of the alphabet."""
        if letter not in self.places:
            raise BadInput(f"every symbol must be in the alphabet {' '.join(self.alphabet)}", letter or "nothing")
        return self.moves[state][self.places[letter]]

    def answer(self, state: int) -> Any:
        """True, False, a label, or None."""
        return self.answers[state]

    def accepts(self, state: int) -> bool:
        """Whether a word that ends in this state is accepted."""
        return self.answers[state] is True

    def __call__(self, word: Iterable[str]) -> Any:
        """The answer to a word: text, or a sequence of letters."""
        state = self.initial
        for letter in word:
            state = self.step(state, letter)
        return self.answers[state]

    @property
    def decides(self) -> bool:
        """Whether it accepts and rejects, rather than to answer with labels."""
        return self.table.decides

    def fold(self) -> Fold:
        """The same as a reference of `check`, whose states are the names."""
        numbers = {name: state for state, name in enumerate(self.names)}
        answer = self.accepts if self.decides else self.answer
        return Fold(
            self.names[self.initial],
            lambda name, letter: self.names[self.step(numbers[name], letter)],
            lambda name: answer(numbers[name]),
        )

    @property
    def table(self) -> AutomatonTable:
        """What it says, without what can be asked of it."""
        return AutomatonTable(self.alphabet, self.moves, self.answers, self.names)

    def over(self, alphabet: Sequence[str]) -> Automaton:
        """The same with its letters in another order; BadInput where they are others."""
        return Automaton(*self.table.over(alphabet))

    def minimal(self) -> Automaton:
        """The automaton with the fewest states and the same answers. States are numbered as the words that first reach
        them, shorter ones before longer ones, so that equal languages over one alphabet have equal automata."""
        return Automaton(*self.table.minimal())

    def counts(self, longest: int, accepted: Callable[[object], bool] = lambda answer: answer is True) -> list[int]:
        """How many words of each length from 0 to `longest` are accepted."""
        ways = {self.initial: 1}
        result = []
        for _ in range(longest + 1):
            result.append(sum(many for state, many in ways.items() if accepted(self.answers[state])))
            further: dict[int, int] = {}
            for state, many in ways.items():
                for to in self.moves[state]:
                    further[to] = further.get(to, 0) + many
            ways = further
        return result

    def to_json(self) -> dict[str, Any]:
        """The automaton by the names of automata-lib; "answers" in place of "final_states" where they are labels."""
        return self.table.to_json()


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
        try:
            first, second = ask(), ask()
            same = bool(first == second)
        except (Exception, SystemExit) as error:  # a reference of the user's may leave
            given = f"{what}: {type(error).__name__}: {error}"
            raise BadInput("the specification must answer every string", given, "repair the specification") from error
        if not same:
            given = f"{_shown(first)} and {_shown(second)} as {what}"
            raise BadInput("the specification must give the same answer twice", given, "repair the specification")
        return first

    def _hashable(self, state: object) -> None:
        try:
            hash(state)
        except TypeError as error:
            must = "the states of a specification must be hashable"
            raise BadInput(must, f"{_shown(state)} ({type(state).__name__})", "use tuples in place of lists") from error
        require_steady(state)


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception as error:  # an object of the user's
        return f"what cannot be printed ({type(error).__name__})"


def explored(fold: Answering | Fold, alphabet: Sequence[str], most: int = STATES) -> Automaton:
    """The automaton of the states that words reach, at most `most`; BadInput where there are more."""
    start = fold.start if isinstance(fold, Fold) else fold.initial

    def steps(state: Any) -> list[Hashable]:
        return [fold.step(state, letter) for letter in alphabet]

    return Automaton(*reached(start, steps, fold.answer, alphabet, most))


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
    ended: Callable[[Any], bool] = getattr(second, "ended", lambda _: False)
    start: StatePair = (first.initial, second.initial)
    came: dict[StatePair, tuple[StatePair, str] | None] = {start: None}
    level, length, asked = [start], 0, False

    def differ(pair: StatePair) -> tuple[Any, Any] | None:
        nonlocal asked
        one = first.answer(pair[0])
        other = None if one is None else second.answer(pair[1])  # which need not answer where nothing is compared
        asked = asked or other is not None
        return None if other is None or one == other else (one, other)

    def word(pair: StatePair) -> tuple[str, ...]:
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
                    return Parted(None, pairs=len(came), length=length)
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
        for pair, many in ways.items():
            answer = first.answer(pair[0])
            other = None if answer is None else second.answer(pair[1])
            different += many * (other is not None and answer != other)
        counts.append(different)
        if length == longest:
            break
        further: dict[StatePair, int] = {}
        for (state, other_state), many in ways.items():
            for letter in alphabet:
                to = first.step(state, letter), second.step(other_state, letter)
                further[to] = further.get(to, 0) + many
        if len(further) > most:
            return None
        ways = further
    return counts


def from_json(document: object) -> Automaton:
    """An automaton by the names of automata-lib, sets as lists: "states", "input_symbols", "transitions" {state:
    {letter: state}}, "initial_state", and "final_states" or "answers" {state: label}. BadInput where it is not
    complete, with the pair that is missing."""
    return Automaton(*table_of(document))


def read(path: str | Path) -> Automaton:
    """The automaton of a JSON file; BadInput names the line where one is to blame."""
    return Automaton(*read_table(text_of(path, "an automaton"), str(path)))
