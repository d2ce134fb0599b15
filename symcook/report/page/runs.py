"""What a page shows without computing it: values that symbols begin with, a first input, runs of models that have no
rational values, and soft attention beside hard attention. All of it is the library's, exact or in balls."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook import words
from symcook.compose.cooling import all_heads, harden, soften
from symcook.errors import BadInput, NotExact, SymcookError
from symcook.locks import PRECISION
from symcook.model.answers import EMPTY_STRING, brief
from symcook.model.expr import parse_term
from symcook.model.rationals import quotient, rational
from symcook.model.symbols import Exact, from_sympy, lowered
from symcook.programs.running import speech_of
from symcook.report.document import near, value_text
from symcook.run import Run, prepare, run

if TYPE_CHECKING:
    from symcook.model.transformer import Parameter, Transformer

TypedInput = Sequence[object]
"""An input: tokens that are typed, or rows of numbers."""
Softness = dict[str, Any]
"""Soft attention beside hard attention: temperatures, and by length an input and the answers."""
USUAL = ("1/8", "1/4", "1/2", "1", "2", "3", "4", "1/10", "-1", "0")
"""Values that a symbol without default begins with: the first that is valid."""
_WHOLE = ("3/4", "1", "3/2", "2", "3", "4", "6", "8", "16", "64", "1000")
STOPS = (*(f"1/{2**k}" for k in range(16, 0, -1)), *_WHOLE)
"""The stops of a slider, where they are valid."""
BEFOREHAND, SECONDS = 24, 2
"""The inputs of a model whose runs are computed beforehand, and the processor seconds after which there are no more."""
LONGEST = 12
"""The greatest length of one that is found here, with the tokens that the model adds."""
SHOWN = 48
"""The characters of an exact value that stands as it is; a longer one stands as a ball."""
TEMPERATURES = ("4", "2", "1", "1/2", "1/4", "1/8", "1/16", "1/32", "1/64")
LENGTHS, SOFT_SECONDS = 8, 1
"""The lengths at which soft attention is shown, and the processor seconds after which there are no more."""


def first_values(model: Transformer, given: Mapping[str, Exact]) -> dict[str, str]:
    """A value for each symbol, as text: what is given, its default, or one of the usual ones."""
    return {parameter.name: _value(parameter, given.get(parameter.name)) for parameter in model.parameters}


def _value(parameter: Parameter, given: Exact | None) -> str:
    """The value of a parameter: what is given, its default, or the first usual one that lies in its region."""
    if given is not None or parameter.default is not None:
        value: Any = parameter.default if given is None else given
        return from_sympy(parameter.check(value))
    middle = (
        [(parameter.lower + parameter.upper) / 2] if parameter.lower is not None and parameter.upper is not None else []
    )
    ends = [end for end in (parameter.upper, parameter.lower) if end is not None]
    for tried in (*USUAL, *middle, *ends):
        with suppress(BadInput):
            return from_sympy(parameter.check(tried))
    beyond: Any = parameter.upper if parameter.lower is None else parameter.lower
    return from_sympy(parameter.check(beyond - 1 if parameter.lower is None else beyond + 1))


def stops(one: Parameter, value: str) -> list[str]:
    """What the slider of a symbol stops at, from the smallest to the greatest; its value among them."""
    texts = {}
    for tried in (*STOPS, value):
        with suppress(SymcookError):
            texts[rational(parse_term(from_sympy(one.check(tried))))] = tried
    return [quotient(at) for at in sorted(texts)]


def as_rational(value: str) -> Fraction | None:
    """The rational number that a value is; None where it is none."""
    try:
        return rational(parse_term(value))
    except SymcookError:
        return None


# --- Inputs ---


def longest(model: Transformer) -> int:
    """How many symbols an input has at most that is found here."""
    most = LONGEST if model.max_length is None else min(LONGEST, model.max_length)
    return max(1, most - model.embedding.added)


def letters(model: Transformer) -> tuple[str, ...]:
    """What words are made of: the letters of the program that a model was compiled from, else its own."""
    if model.program is None:
        return model.alphabet
    return speech_of(model).letters if model.program.kind == "tm" else model.program.alphabet


def inputs(model: Transformer) -> Iterator[TypedInput]:
    """Inputs of the model from the shortest on: words in the order of the alphabet, or rows of small numbers."""
    least = 0 if model.embedding.added else 1
    if model.embedding.inputs is None:
        for n in range(least, longest(model) + 1):
            yield from words.every(letters(model), n)
        return
    names = model.embedding.inputs
    for shift in range(8):
        for n in (1,) if model.pointwise else range(1, min(6, longest(model)) + 1):
            yield [{name: str((k * (j + 1) + j + shift) % 4) for j, name in enumerate(names)} for k in range(1, n + 1)]


def first_input(model: Transformer, values: Mapping[str, str]) -> TypedInput:
    """What a page begins with: of the first words that the model accepts a longest one, with all letters and as often
    as can be; without one, or where it decides nothing, some word with all letters."""
    if model.embedding.inputs is not None:
        every = list(itertools.islice(inputs(model), 6))
        return every[0] if model.pointwise else max(every, key=len)
    alphabet = letters(model)
    count = min(longest(model), 6 if len(alphabet) < 6 else len(alphabet))
    usual = tuple(itertools.islice(itertools.cycle((*alphabet, *alphabet[:-1])), count))
    answers = _verdicts(model, values)
    if answers is None:
        return usual
    accepted = []
    for word in itertools.islice(inputs(model), 64):
        with suppress(SymcookError):
            if answers(word):
                accepted.append(word)
    return max(accepted, key=lambda word: (len(word), *sorted(map(word.count, alphabet))), default=usual)


def _verdicts(model: Transformer, values: Mapping[str, str]) -> Callable[[Any], object] | None:
    """What says whether a word is accepted: the run, or for a decoder of an automaton its program; None where nothing
    is decided."""
    if model.program is not None and model.program.kind == "dfa":
        from symcook.programs.running import program_table

        return program_table(model.program)
    bound = model.bind(values)
    return (lambda word: run(bound, word).accept) if model.decides else None


def typed(model: Transformer, given: TypedInput) -> str:
    """An input as it is typed on the page."""
    if model.embedding.inputs is None:
        return model.embedding.written([str(token) for token in given])
    rows = [given] if isinstance(given, Mapping) else given
    return "; ".join(", ".join(map(from_sympy, row.values())) for row in prepare(model, rows)[0])


# --- Runs ---


def rational_on(model: Transformer, first: TypedInput, others: Iterable[TypedInput]) -> str:
    """Why a model with norms is not run in the page, as the end of a sentence; empty where it is: where the first run
    holds rational numbers alone, and so does one of two others at least."""
    if why := _irrational(model, first):
        return why
    reasons = [_irrational(model, other_input) for other_input in others]
    return max(reasons, default="") if 2 * sum(map(bool, reasons)) > len(reasons) else ""


def _irrational(model: Transformer, given: TypedInput) -> str:
    """A value of a run that is not rational, as the end of a sentence."""
    try:
        traced_run = run(model, given, trace=True)
    except NotExact:
        return f"a value is no rational number on {typed(model, given) or EMPTY_STRING}"
    except SymcookError:
        return ""
    for step in traced_run.trace:
        for name, column in step["coordinates"].items():
            strange = next((value for value in column if as_rational(value) is None), None)
            if strange is not None:
                return f"{name} is {brief(strange, 60)} on {typed(model, given) or EMPTY_STRING}"
    return ""


def beforehand(model: Transformer, given: TypedInput) -> list[dict[str, Any]]:
    """The first runs of a model, that of `given` in front, as the evaluator of the page would give them. `model` has
    values for all its symbols."""
    documents: dict[str, dict[str, Any]] = {}
    end = time.process_time() + SECONDS
    for typed_input in itertools.chain([given], inputs(model)):
        text = typed(model, typed_input)
        if text not in documents:
            with suppress(SymcookError):
                documents[text] = traced(model, typed_input) | {"typed": text}
        if len(documents) == BEFOREHAND or (documents and time.process_time() > end):
            break
    return list(documents.values())


def traced(model: Transformer, given: TypedInput) -> dict[str, Any]:
    """A run with its trace: exact values where they are short, balls where they are not."""
    balls = run(model, given, "ball", trace=True, digits=12)
    try:
        exact: Run | None = run(model, given, trace=True)
    except SymcookError:
        exact = None
    in_balls = balls.to_json()
    answers = {key: in_balls[key] for key in ("accept", "output", "outputs", "trace") if key in in_balls}
    joined_answers: Any = _joined(
        answers, None if exact is None else {key: exact.to_json().get(key) for key in answers}
    )
    tokens = model.embedding.inputs is None
    places = list(balls.result.sequence) if tokens else None
    every = balls.result.everywhere
    at = {"place": every[balls.result.place], "places": [every[place] for place in balls.result.places]}
    return joined_answers | {"input": places} | at


def _joined(ball: object, exact: object) -> object:
    """The values of a document: exact where there are short ones, else balls, each with what it is about."""
    if isinstance(ball, dict) and ball.keys() != {"mid", "rad"}:
        return {key: _joined(value, exact[key] if isinstance(exact, dict) else None) for key, value in ball.items()}
    if isinstance(ball, list):
        return [_joined(value, exact[k] if isinstance(exact, list) else None) for k, value in enumerate(ball)]
    if not isinstance(ball, dict):
        return ball
    if isinstance(exact, str) and len(exact) <= SHOWN:
        return exact if isinstance(lowered(exact), Fraction) else [exact, near(ball)]
    return [value_text(ball), near(ball)]


# --- Soft against hard ---


def softness(model: Transformer, given: TypedInput) -> Softness | None:
    """What soft attention gives in place of hard attention, by length and temperature, in balls; None for a model
    whose heads are all plain averages. `model` has values for all its symbols; inputs are `given`, repeated and cut."""
    if all(head.averages for head in all_heads(model)) or model.pointwise:
        return None
    # The model with softmax attention of an open temperature, once at each temperature, and with hard attention.
    soft, hard = soften(model, "temperature_of_the_page"), harden(model)
    name = soft.parameters[-1].name
    colder, end = [(tau, soft.bind({name: tau})) for tau in TEMPERATURES], time.process_time() + SOFT_SECONDS
    rows = []
    for n in range(1, min(LENGTHS, longest(model)) + 1):
        # One row is always there; after that the time decides how many more.
        repeated = tuple(itertools.islice(itertools.cycle(given), n)) if given else ()
        if len(repeated) < n or (rows and time.process_time() > end):
            break
        try:
            rows.append(
                {
                    "typed": typed(model, repeated),
                    "hard": _answer(hard, repeated),
                    "soft": [_answer(at, repeated) for _, at in colder],
                }
            )
        except SymcookError:
            continue
    # What the page explains beside the table: heads that are softmax anyway, and unique-hard ones, which break ties.
    scored = [head.weighting for head in all_heads(model) if not head.averages]
    own, ties = "softmax" in scored, "leftmost" in scored or "rightmost" in scored
    return {"temperatures": list(TEMPERATURES), "rows": rows, "own": own, "ties": ties} if rows else None


def _answer(model: Transformer, given: TypedInput) -> dict[str, Any]:
    """The verdict or labels and the values of one run, as balls of ten digits."""
    answered = run(model, given if model.embedding.inputs is None else list(given), "ball", digits=10)
    with PRECISION, answered.result.domain.context():
        watched = {
            name: answered.result.domain.show(answered.result.domain.read(column, answered.result.place), 10)
            for name, column in answered.result.watched.items()
        }
    answer: Any = answered.accept if model.decides else answered.outputs[-1] if model.readout.labelled else None  # type: ignore[index]
    return {"answer": answer, "values": {name: [value_text(v), near(v)] for name, v in watched.items()}}
