"""What the library computes for a page beforehand: first values of parameters, a first input, runs of models whose
values are not all rational, and the comparison of softmax with hard attention. Values are exact or balls."""

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
from symcook.report.document import near, value_text
from symcook.run import Run, prepare, run

if TYPE_CHECKING:
    from symcook.model.transformer import Parameter, Transformer

TypedInput = Sequence[object]
"""An input: symbols, or rows of numbers."""
Softness = dict[str, Any]
"""The comparison of softmax with hard attention as JSON; `softness` makes it.

"temperatures"; "rows": for each length an input and the answers with hard attention and at each temperature; "own":
whether the model has softmax heads; "ties": whether it has unique-hard heads."""
USUAL = ("1/8", "1/4", "1/2", "1", "2", "3", "4", "1/10", "-1", "0")
"""The first of these values that is valid is the first value of a parameter without a default."""
_WHOLE = ("3/4", "1", "3/2", "2", "3", "4", "6", "8", "16", "64", "1000")
STOPS = (*(f"1/{2**k}" for k in range(16, 0, -1)), *_WHOLE)
"""The stops of a slider; those that are not valid for a parameter are left out."""
BEFOREHAND, SECONDS = 24, 8
"""The greatest number of runs that are computed beforehand, and the processor seconds after which no more are."""
LONGEST = 12
"""The greatest length of an input that is chosen here, with special tokens."""
SHOWN = 48
"""The greatest number of characters of an exact value; a longer one is shown as a ball."""
TEMPERATURES = ("4", "2", "1", "1/2", "1/4", "1/8", "1/16", "1/32", "1/64")
LENGTHS, SOFT_SECONDS = 8, 4
"""The greatest length at which softmax attention is shown, and the processor seconds after which no more is."""


def first_values(model: Transformer, given: Mapping[str, Exact]) -> dict[str, str]:
    """{parameter: its first value, as text}; see `_first_value`."""
    return {parameter.name: _first_value(parameter, given.get(parameter.name)) for parameter in model.parameters}


def _first_value(parameter: Parameter, given: Exact | None) -> str:
    """The first value of a parameter: the value given, its default, or the first valid one of USUAL.

    If none of them is valid: the middle or an end of its region, or a number beyond its only bound.
    """
    if given is not None or parameter.default is not None:
        value: Any = parameter.default if given is None else given
        return from_sympy(parameter.check(value))
    middle = (
        [(parameter.lower + parameter.upper) / 2] if parameter.lower is not None and parameter.upper is not None else []
    )
    ends = [end for end in (parameter.upper, parameter.lower) if end is not None]
    for candidate in (*USUAL, *middle, *ends):
        with suppress(BadInput):
            return from_sympy(parameter.check(candidate))
    bound: Any = parameter.upper if parameter.lower is None else parameter.lower
    return from_sympy(parameter.check(bound - 1 if parameter.lower is None else bound + 1))


def stops(parameter: Parameter, value: str) -> list[str]:
    """The stops of a parameter's slider in increasing order, among them its present value if that is rational."""
    stop_of = {}
    for candidate in (*STOPS, value):
        with suppress(SymcookError):
            stop_of[rational(parse_term(from_sympy(parameter.check(candidate))))] = candidate
    return [quotient(at) for at in sorted(stop_of)]


def as_rational(value: str) -> Fraction | None:
    """The value of a text as a rational number; None if it is not rational."""
    try:
        return rational(parse_term(value))
    except SymcookError:
        return None


# --- Inputs ---


def longest(model: Transformer) -> int:
    """The greatest number of symbols of an input that is chosen here, without special tokens; at least 1."""
    most = LONGEST if model.max_length is None else min(LONGEST, model.max_length)
    return max(1, most - model.embedding.added)


def inputs(model: Transformer) -> Iterator[TypedInput]:
    """Inputs of the model: all strings with at most `longest` symbols, the shortest first; or some rows of the numbers
    0 to 3, in 8 groups, each with the shortest first."""
    least = model.embedding.shortest
    if model.embedding.inputs is None:
        for n in range(least, longest(model) + 1):
            yield from words.every(model.input_symbols, n)
        return
    names = model.embedding.inputs
    for shift in range(8):
        for n in (1,) if model.pointwise else range(1, min(6, longest(model)) + 1):
            yield [{name: str((k * (j + 1) + j + shift) % 4) for j, name in enumerate(names)} for k in range(1, n + 1)]


def first_input(model: Transformer, values: Mapping[str, str]) -> TypedInput:
    """The input that a page shows first.

    Of the first 64 strings, it is a longest one that the model accepts, with its symbols as evenly distributed as
    possible. If the model accepts none of them or decides nothing, it is a string with all symbols, or as many as
    `longest` permits. For a model over rows it is a longest of the first 6 inputs, or the first if it reads one row.
    """
    if model.embedding.inputs is not None:
        every = list(itertools.islice(inputs(model), 6))
        return every[0] if model.pointwise else max(every, key=len)
    alphabet = model.input_symbols
    count = min(longest(model), 6 if len(alphabet) < 6 else len(alphabet))
    all_symbols = tuple(itertools.islice(itertools.cycle((*alphabet, *alphabet[:-1])), count))
    answers = _verdicts(model, values)
    if answers is None:
        return all_symbols
    accepted = []
    for word in itertools.islice(inputs(model), 64):
        with suppress(SymcookError):
            if answers(word):
                accepted.append(word)
    # Of the longest strings, the one whose rarest symbol occurs most often, then its second rarest, and so on.
    return max(accepted, key=lambda word: (len(word), *sorted(map(word.count, alphabet))), default=all_symbols)


def _verdicts(model: Transformer, values: Mapping[str, str]) -> Callable[[Any], object] | None:
    """A function that says whether a string is accepted: the run, or the automaton that the model was compiled from.

    None if the model decides nothing.
    """
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
    """The reason why the page does not compute runs of a model with norms, as the end of a sentence; "" if it does.

    It does if all values of the run on `first` are rational, and those of at least half of the runs on `others`.
    """
    if why := _irrational(model, first):
        return why
    reasons = [_irrational(model, other_input) for other_input in others]
    return max(reasons, default="") if 2 * sum(map(bool, reasons)) > len(reasons) else ""


def _irrational(model: Transformer, given: TypedInput) -> str:
    """A value of a run that is not rational, as the end of a sentence; "" if there is none, or if the run raises
    another error than NotExact."""
    try:
        traced_run = run(model, given, trace=True)
    except NotExact:
        return f"a value is irrational on {typed(model, given) or EMPTY_STRING}"
    except SymcookError:
        return ""
    for step in traced_run.trace:
        for name, column in step["coordinates"].items():
            strange = next((value for value in column if as_rational(value) is None), None)
            if strange is not None:
                return f"{name} is {brief(strange, 60)} on {typed(model, given) or EMPTY_STRING}"
    return ""


def beforehand(model: Transformer, given: TypedInput) -> list[dict[str, Any]]:
    """The runs on `given` and on the shortest inputs, in the form in which the evaluator of the page returns runs.

    `model` has values for all its parameters.
    """
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
    """A run with its trace as JSON: short values are exact, longer ones are balls."""
    balls = run(model, given, "ball", trace=True, digits=12)
    try:
        exact: Run | None = run(model, given, trace=True)
    except SymcookError:
        exact = None
    in_balls = balls.to_json()
    answers = {key: in_balls[key] for key in ("accept", "output", "outputs", "trace") if key in in_balls}
    joined_answers: Any = _exact_or_ball(
        answers, None if exact is None else {key: exact.to_json().get(key) for key in answers}
    )
    tokens = model.embedding.inputs is None
    places = list(balls.result.sequence) if tokens else None
    every = balls.result.everywhere
    readout_places = {"place": every[balls.result.place], "places": [every[place] for place in balls.result.places]}
    return joined_answers | {"input": places} | readout_places


def _exact_or_ball(ball: object, exact: object) -> object:
    """The documents of a run in balls and of an exact run (or None) joined.

    A short rational value is its text. Any other value is [text, float], where the text is exact if it is short, else
    the ball.
    """
    if isinstance(ball, dict) and ball.keys() != {"mid", "rad"}:
        return {
            key: _exact_or_ball(value, exact[key] if isinstance(exact, dict) else None) for key, value in ball.items()
        }
    if isinstance(ball, list):
        return [_exact_or_ball(value, exact[k] if isinstance(exact, list) else None) for k, value in enumerate(ball)]
    if not isinstance(ball, dict):
        return ball
    if isinstance(exact, str) and len(exact) <= SHOWN:
        return exact if isinstance(lowered(exact), Fraction) else [exact, near(ball)]
    return [value_text(ball), near(ball)]


# --- Soft against hard ---


def softness(model: Transformer, given: TypedInput) -> Softness | None:
    """The answers with hard attention and with softmax at each temperature, by length, in balls.

    None for a model whose heads all have uniform weights, or whose parts read one row, or if no run succeeds. `model`
    has values for all its parameters. The input of length n is `given`, repeated and cut to n.
    """
    if all(head.averages for head in all_heads(model)) or model.pointwise:
        return None
    # The model with softmax attention, whose temperature is a parameter, and the model with hard attention.
    soft, hard = soften(model, "temperature_of_the_page"), harden(model)
    name = soft.parameters[-1].name
    models, end = [(tau, soft.bind({name: tau})) for tau in TEMPERATURES], time.process_time() + SOFT_SECONDS
    rows = []
    for n in range(1, min(LENGTHS, longest(model)) + 1):
        # The first length is always computed; after that the time limit decides.
        repeated = tuple(itertools.islice(itertools.cycle(given), n)) if given else ()
        if len(repeated) < n or (rows and time.process_time() > end):
            break
        try:
            rows.append(
                {
                    "typed": typed(model, repeated),
                    "hard": _answer(hard, repeated),
                    "soft": [_answer(at, repeated) for _, at in models],
                }
            )
        except SymcookError:
            continue
    # The page explains two cases: the model itself has softmax heads, or unique-hard heads, which break ties.
    scored = [head.weighting for head in all_heads(model) if not head.averages]
    own, ties = "softmax" in scored, "leftmost" in scored or "rightmost" in scored
    return {"temperatures": list(TEMPERATURES), "rows": rows, "own": own, "ties": ties} if rows else None


def _answer(model: Transformer, given: TypedInput) -> dict[str, Any]:
    """The verdict or label, and the values that the readout reads, of one run in balls of ten digits."""
    answered = run(model, given if model.embedding.inputs is None else list(given), "ball", digits=10)
    with PRECISION, answered.result.domain.context():
        watched = {
            name: answered.result.domain.show(answered.result.domain.read(column, answered.result.place), 10)
            for name, column in answered.result.watched.items()
        }
    answer: Any = None
    if model.decides:
        answer = answered.accept
    elif model.readout.labelled:
        answer = answered.outputs_shown[-1]  # type: ignore[index]
    return {"answer": answer, "values": {name: [value_text(v), near(v)] for name, v in watched.items()}}
