"""A Turing machine inside a transformer, a thousand steps of two heads that sweep over ever more cells; an automaton in
floats to the first wrong token. The other side is the interpreter, for scale."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

from timing import Row, best, longer, same

from symcook.compilers import compile
from symcook.domains.ball import BallDomain
from symcook.machine import Machine
from symcook.programs.steps import document, labels
from symcook.programs.turing import read_turing
from symcook.spec.turing import execute
from symcook.thought.floats import FloatDecoder
from symcook.thought.integers import IntegerDecoder

SWEEPER = """
input: 0
work symbols: a b
start: right
halt: never
right * a * -> right b a S R R
right * b * -> right a a S R R
right * _ * -> left  a b S L R
left  * a * -> left  b b S L L
left  * b * -> left  a b S L L
left  * _ * -> right b a S R L
"""
STEPS = 1000
MODULO = """{"states": ["0", "1", "2"], "input_symbols": ["a", "b"], "initial_state": "0", "final_states": ["0"],
"transitions": {"0": {"a": "1", "b": "0"}, "1": {"a": "2", "b": "1"}, "2": {"a": "0", "b": "2"}}}"""


def in_balls(weighting: str) -> list[str]:
    """The labels by the forward pass in balls, one column a token."""
    machine = Machine(compile("tm", SWEEPER, weighting=weighting), BallDomain(128))
    state, found = machine.start(), []
    for _ in range(STEPS):
        found.append(str(machine.result(state).label(-1)))
        state = machine.advance(state, found[-1])
    return found


def rows() -> Iterator[Row]:
    machine = read_turing(SWEEPER)
    names = labels(machine)
    by_the_book = execute(machine, (), STEPS).documents

    def integers() -> list[str]:
        return [names[step.token] for step in IntegerDecoder(machine).run((), STEPS)]

    def book() -> object:
        return execute(machine, (), STEPS)

    wanted = integers()
    told = [document(step.token) for step in IntegerDecoder(machine).run((), STEPS)]
    same([{key: one[key] for key in ("token", "write", "move")} for one in by_the_book] == told, "the machine")
    decoder = FloatDecoder(compile("tm", SWEEPER))
    models = {
        "integers": (integers, 5),
        "float64 with a cache": (lambda: list(itertools.islice(FloatDecoder(decoder.model).decode(""), STEPS)), 1),
        "balls, by place": (lambda: in_balls("rightmost"), 1),
        "balls, with the tie-break": (lambda: in_balls("average"), 1),
    }
    for name, (run, repeats) in models.items():
        ours, other, found, _ = best(run, book, repeats, time.process_time)
        what = f"{STEPS} steps of a machine with two work tapes in {name}, against its interpreter"
        same(found == wanted, what)
        yield longer(what, ours, other, None)
    model = compile("dfa", MODULO)
    word = ["ab"[k * k % 7 % 2] for k in range(20_000)]

    def walked() -> list[str]:
        states = [0]
        for letter in word:
            states.append((states[-1] + (letter == "a")) % 3)
        return [*map(str, states), "yes" if states[-1] == 0 else "no"]

    def floats() -> list[str]:
        return list(FloatDecoder(model).decode(word))

    ours, other, found, right = best(floats, walked, 1, time.process_time)
    from symcook.programs.running import speech_of

    said = [str(speech_of(model).said(label)["token"]) for label in found]
    wrong = next((k for k, pair in enumerate(itertools.zip_longest(said, right), 1) if pair[0] != pair[1]), None)
    what = f"an automaton on {len(word)} letters in float64, against a walk; the first wrong token is number {wrong}"
    yield longer(what, ours, other, None, first_wrong=wrong)
