"""Deterministic automata as tables: read from JSON with the keys of automata-lib, minimised, and printed.

Regular expressions are read by `symcook.programs.regular`; the meaning of a table is defined in
`symcook.spec.automata`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from symcook.errors import BadInput
from symcook.files import parsed, repeated
from symcook.model.answers import Shown

KEYS = ("states", "input_symbols", "transitions", "initial_state")
"""The keys that the JSON of an automaton must have, besides "final_states" or "answers"."""
ANSWERS = ("final_states", "answers")
"""The keys of which it must have one."""
UNUSED = ("allow_partial",)
"""The keys of automata-lib that it may have: a table is complete in any case."""


@dataclass(frozen=True, repr=False)
class Automaton(Shown):
    """A complete deterministic automaton with the states 0, 1, ..., which begins in state 0.

    alphabet: the letters. moves: for each state the next state for each letter, in the order of the alphabet. answers:
    for each state True (accepted), False, a label, or None for no answer. names: the names of the states.

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
        """The state after `letter` is read in `state`. BadInput for a letter outside the alphabet."""
        if letter not in self.places:
            raise BadInput(
                f"every symbol must be in the alphabet {' '.join(self.alphabet)}",
                letter or "nothing",
                "give only symbols of the alphabet",
            )
        return self.moves[state][self.places[letter]]

    def answer(self, state: int) -> Any:
        """The answer for a string that ends in this state: True, False, a label, or None."""
        return self.answers[state]

    def accepts(self, state: int) -> bool:
        """Whether a string that ends in this state is accepted."""
        return self.answers[state] is True

    def __call__(self, word: Iterable[str]) -> Any:
        """The answer for a string, given as text or as a sequence of letters."""
        state = self.initial
        for letter in word:
            state = self.step(state, letter)
        return self.answers[state]

    def counts(self, longest: int, accepted: Callable[[object], bool] = lambda answer: answer is True) -> list[int]:
        """The number of accepted strings of each length from 0 to `longest`. `accepted` says which answers count."""
        # `strings_to`: how many strings lead to each state. Each round makes the strings longer by one letter.
        strings_to = {self.initial: 1}
        result = []
        for _ in range(longest + 1):
            result.append(sum(count for state, count in strings_to.items() if accepted(self.answers[state])))
            next_strings_to: dict[int, int] = {}
            for state, count in strings_to.items():
                for to in self.moves[state]:
                    next_strings_to[to] = next_strings_to.get(to, 0) + count
            strings_to = next_strings_to
        return result

    @property
    def operators(self) -> int:
        """The number of transitions."""
        return sum(map(len, self.moves))

    @property
    def alive(self) -> frozenset[int]:
        """The states from which some string is accepted."""
        # Search backwards from the accepting states; `before` has the predecessors of each state.
        before: dict[int, set[int]] = {}
        for state, row in enumerate(self.moves):
            for to in row:
                before.setdefault(to, set()).add(state)
        alive = {state for state, answer in enumerate(self.answers) if answer is True}
        todo = [*alive]
        while todo:
            further = before.get(todo.pop(), set()) - alive
            alive |= further
            todo += further
        return frozenset(alive)

    @property
    def decides(self) -> bool:
        """Whether all answers are True, False or None, that is, none is a label."""
        return all(answer in (True, False, None) for answer in self.answers)

    def to_json(self) -> dict[str, Any]:
        """The automaton with the keys of automata-lib, as `table_of` reads it. If some answer is a label, it has the
        key "answers" instead of "final_states"; with "final_states", no answer (None) becomes False."""
        transitions = {
            name: {letter: self.names[to] for letter, to in zip(self.alphabet, row, strict=True)}
            for name, row in zip(self.names, self.moves, strict=True)
        }
        ends: dict[str, Any] = {
            "final_states": [self.names[k] for k, answer in enumerate(self.answers) if answer is True]
        }
        if not self.decides:
            ends = {"answers": dict(zip(self.names, self.answers, strict=True))}
        return {
            "states": list(self.names),
            "input_symbols": list(self.alphabet),
            "transitions": transitions,
            "initial_state": self.names[0],
            **ends,
        }

    def over(self, alphabet: Sequence[str]) -> Automaton:
        """The same automaton with its letters in the order of `alphabet`. BadInput for another set of letters."""
        if sorted(alphabet) != sorted(self.alphabet):
            must = f"the automaton must be over the alphabet {' '.join(alphabet)}"
            raise BadInput(must, " ".join(self.alphabet), "give one over exactly these symbols")
        order = [self.alphabet.index(letter) for letter in alphabet]
        return replace(self, alphabet=tuple(alphabet), moves=tuple(tuple(row[k] for k in order) for row in self.moves))

    def minimal(self) -> Automaton:
        """The automaton with the fewest states and the same answers. Its states are numbered in the order in which a
        breadth-first search finds them, so that equal languages over one alphabet have equal tables. The states have
        new names, q0, q1, ..."""
        numbers: dict[Any, int] = {}
        classes = [numbers.setdefault((type(answer), answer), len(numbers)) for answer in self.answers]
        # Moore's algorithm. At first a class is the states with equal answers; then classes are split by the classes of
        # the next states, until nothing changes.
        while True:
            finer_numbers: dict[tuple[int, ...], int] = {}
            finer = [
                finer_numbers.setdefault((class_number, *(classes[to] for to in row)), len(finer_numbers))
                for class_number, row in zip(classes, self.moves, strict=True)
            ]
            if len(finer_numbers) == len(numbers):
                break
            classes, numbers = finer, finer_numbers  # type: ignore[assignment]
        # One state of each class represents it.
        member: dict[int, int] = {}
        for state, class_number in enumerate(classes):
            member.setdefault(class_number, state)
        rows = {class_number: [classes[to] for to in self.moves[state]] for class_number, state in member.items()}
        return reached(
            classes[0], rows.__getitem__, lambda class_number: self.answers[member[class_number]], self.alphabet
        )


def reached(
    start: Hashable,
    steps: Callable[[Any], Iterable[Hashable]],
    answer: Callable[[Any], Any],
    alphabet: Sequence[str],
    most: int = 200_000,
) -> Automaton:
    """The automaton of all states that can be reached from `start`, found by a breadth-first search.

    `steps(state)` gives the next state for each letter in order, and `answer(state)` its answer. BadInput if there are
    more than `most` states.
    """
    numbers, states, moves = {start: 0}, [start], []
    for state in states:  # the list grows while it is traversed
        row = []
        for to in steps(state):
            if to not in numbers:
                if len(states) == most:
                    must = f"a specification must reach at most {most} states to be an automaton"
                    raise BadInput(must, "more", "symcook check compares strings one by one")
                numbers[to] = len(states)
                states.append(to)
            row.append(numbers[to])
        moves.append(tuple(row))
    return Automaton(tuple(alphabet), tuple(moves), tuple(map(answer, states)))


def read_table(text: str, name: str = "the text") -> Automaton:
    """The automaton of a JSON text from the file `name`. BadInput, with a line where possible, if it is not one. This
    includes a repeated key (two transitions of a state for one letter), which JSON readers accept silently."""
    document = parsed(text, "an automaton must be a JSON file", name, object_pairs_hook=dict)
    lines: dict[tuple[str, ...], int] = {}
    for path, line in _keys(text):
        if path in lines:
            of = " by ".join(path[1:]) or path[0]
            must = "an automaton must have one transition for each state and symbol, and each key once"
            raise BadInput(must, f"{of} in line {lines[path]} and in line {line}", "leave one out")
        lines[path] = line
    return table_of(document, lines)


def _keys(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """For each key of an object in a JSON text: the path of keys that leads to it, and its line."""
    around: list[str | None] = []  # the key of each object or list that is open
    key: str | None = None  # the last key, until its value has been read
    for sign in re.finditer(r'"(?:\\.|[^"\\])*"|[{}\[\],:]', text):
        if sign[0] in ("{", "["):
            around.append(key)
            key = None
        elif sign[0] in ("}", "]"):
            around.pop()
        elif sign[0][0] == '"' and re.compile(r"\s*:").match(text, sign.end()):
            key = json.loads(sign[0])
            if key is not None:
                outer = [outer_key for outer_key in around[1:] if outer_key is not None]
                yield (*outer, str(key)), text.count("\n", 0, sign.start()) + 1
        elif sign[0] == ",":
            key = None


def table_of(document: object, lines: Mapping[tuple[str, ...], int] | None = None) -> Automaton:
    """The automaton of a JSON object with the keys of automata-lib, with lists for sets.

    The keys are "states", "input_symbols", "transitions" {state: {letter: state}}, "initial_state", and "final_states"
    or "answers" {state: label}. BadInput if a key or a transition is missing or wrong; if `lines` has the lines of the
    keys' paths (see `_keys`), the message names the line.
    """
    if not isinstance(document, Mapping) or any(key not in document for key in KEYS):
        keys_given = document if isinstance(document, Mapping) else {}
        failure = next((f"no {key}" for key in KEYS if keys_given and key not in keys_given), "no object")
        raise BadInput(
            f"an automaton must be a JSON object with {', '.join(KEYS)} and final_states",
            failure,
            "add the keys that are missing",
        )
    # Another key may say that the states mean something else, such as the acceptance of an automaton on infinite words.
    read = (*KEYS, *ANSWERS, *UNUSED)
    if others := [key for key in document if key not in read]:
        raise BadInput(f"an automaton must have only the keys {', '.join(read)}", others[0], "leave this key out")
    if all(key in document for key in ANSWERS):
        raise BadInput(f"an automaton must have {' or '.join(ANSWERS)}", "both", "leave one out")
    states, letters = (_names(document[key], key) for key in ("states", "input_symbols"))
    for letter in letters:
        if letter.split() != [letter]:
            raise BadInput(
                "a symbol of an automaton must be text without white space",
                repr(letter),
                "give the symbol another name",
            )
    numbers = {name: k for k, name in enumerate(states)}

    def line(*path: str) -> str:
        """The line of a key, for a message; "" if it is not known."""
        return f" in line {lines[path]}" if lines and path in lines else ""

    def state(name: object, where: str, line_text: str = "") -> int:
        """The number of a state. BadInput for an unknown name, with its place as `where` and `line_text` have it."""
        if isinstance(name, bool) or not isinstance(name, (str, int)) or str(name) not in numbers:
            raise BadInput(f"{where} must be one of its states", f"{_shown(name)}{line_text}", "name it in states")
        return numbers[str(name)]

    table = document["transitions"]
    if not isinstance(table, Mapping):
        raise BadInput(
            "transitions must map each state to {symbol: state}",
            type(table).__name__,
            'write for example "transitions": {"q0": {"a": "q1"}}',
        )
    for name in table:
        state(name, "a state in transitions", line("transitions", str(name)))
    initial = state(document["initial_state"], "the initial state", line("initial_state"))
    moves = []
    for name in states:  # every symbol must lead from every state to one of the states
        row = _row(table.get(name, {}), name, letters, line)
        moves.append([
            state(row[letter], f"the state after {name} by {letter}", line("transitions", name, letter))
            for letter in letters
        ])  # fmt: skip
    answers = _answers(document, states, state)
    # The states are renumbered: the initial one is 0, the others keep their order.
    order = [initial, *(k for k in range(len(states)) if k != initial)]
    rank = {old: new for new, old in enumerate(order)}
    return Automaton(
        letters,
        tuple(tuple(rank[to] for to in moves[old]) for old in order),
        tuple(answers[old] for old in order),
        tuple(states[old] for old in order),
    )


def _row(row: object, name: str, letters: Sequence[str], line: Callable[..., str]) -> Mapping[str, object]:
    """The transitions of one state, {symbol: state}. BadInput if a symbol is missing or unknown."""
    if not isinstance(row, Mapping):
        raise BadInput(
            "transitions must map each state to {symbol: state}",
            f"{_shown(row)} for {name}",
            'write for example "transitions": {"q0": {"a": "q1"}}',
        )
    for letter in row:
        if letter not in letters:
            failure = f"{letter} in the state {name}{line('transitions', name, str(letter))}"
            raise BadInput(
                f"a transition must read one of {' '.join(letters)}",
                failure,
                "leave the transition out, or add its symbol to input_symbols",
            )
    for letter in letters:
        if letter not in row:
            failure = f"none from {name} by {letter}{line('transitions', name)}"
            raise BadInput(
                "an automaton must have a transition for each state and symbol", failure, "add this transition"
            )
    return row


def _answers(
    document: Mapping[str, Any], states: Sequence[str], state: Callable[[object, str], int]
) -> list[str | bool | None]:
    """The answer of each state: its label, or whether it is final. `state` is the function of `table_of` that gives a
    state's number."""
    if "answers" in document:
        labels = document["answers"]
        if not isinstance(labels, Mapping) or any(name not in labels for name in states):
            raise BadInput(
                "answers must give each state a label",
                _shown(labels),
                'write "answers": {STATE: LABEL, ...} with every state',
            )
        for name in labels:
            state(name, "a state in answers")
        answers = [labels[name] for name in states]
        if any(not isinstance(answer, (str, bool, type(None))) for answer in answers):
            raise BadInput(
                "an answer must be text, true, false or null",
                _shown(answers),
                'write for example "answers": {"q0": true, "q1": "low"}',
            )
        return answers
    if "final_states" not in document:
        raise BadInput("an automaton must have final_states", "none", "give a list, which may be empty")
    final = document["final_states"]
    if not isinstance(final, list):
        raise BadInput(
            "final_states must be a list of states", type(final).__name__, 'write for example "final_states": ["q0"]'
        )
    ends = {state(name, "a final state") for name in final}
    return [k in ends for k in range(len(states))]


def _names(given: object, what: str) -> tuple[str, ...]:
    """A list of names, as strings. BadInput if the list is empty, or has a name twice."""
    if not isinstance(given, list) or not given or not all(type(name) in (str, int) for name in given):
        raise BadInput(
            f"{what} must be a list of names, at least one", _shown(given), f'write for example "{what}": ["a", "b"]'
        )
    names = tuple(map(str, given))
    if (twice := repeated(names)) is not None:
        raise BadInput(f"{what} must not repeat a name", twice, "leave one of the two out")
    return names


def _shown(value: object) -> str:
    """A value as a message shows it."""
    try:
        return repr(value)
    except Exception as error:  # an object of the user's
        return f"what cannot be printed ({type(error).__name__})"
