"""``run --steps``: a model continues a string with its own answers, and each token is printed when it is generated.
``run --then``: whether the model continues the string with the tokens that the user gives."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from symcook.cli.options import Chosen, exact_or_balls, in_balls, need_values
from symcook.cli.output import say, say_line, say_or_json
from symcook.errors import BadInput
from symcook.model.answers import EMPTY_STRING

if TYPE_CHECKING:
    from symcook.decode import Continued
    from symcook.programs.speech import Speech

LIMIT = 3
"""The exit code of a run that has not ended: after the requested number of tokens, or at a token that is wrong or no
symbol."""


def given_word(chosen: Chosen, speech: Speech, word: str | None, tokens: str | None, rows: str | None) -> Sequence[str]:
    """The symbols of --input or --tokens; the empty string without either of them. Raises BadInput for both of them,
    and for a model that reads numbers."""
    if rows is not None or not chosen.model.alphabet:
        raise BadInput("--steps must be used with a model that reads strings", chosen.name, "leave --steps out")
    if word is not None and tokens is not None:
        raise BadInput("one input must be given", "--input and --tokens", "use one of them")
    if tokens is not None:
        return speech.word(tokens.split())
    return speech.word(word or "")


def run_steps(
    chosen: Chosen,
    word: str | None,
    tokens: str | None,
    rows: str | None,
    limit: int,
    domain: str | None,
    digits: int,
    bits: int | None,
    trace: bool,
    as_json: bool,
) -> int:
    """Print at most `limit` tokens after the string, each when it is generated, and how the run stopped.

    With `trace` the positions to which each head attended follow each token. In rounded numbers, the run of a decoder
    that was compiled from a program stops at the first token that differs from the program's. Returns the exit code: 0
    if the run ended, else `LIMIT`.
    """
    from symcook.decode import stream
    from symcook.programs.running import decodes, speech_of

    need_values(chosen)
    speech, domain = speech_of(chosen.model), in_balls(domain, chosen.model)
    symbols = given_word(chosen, speech, word, tokens, rows)
    emitted: list[str] = []
    first = 1 - len(chosen.model.embedding.ends[0])  # input symbols are 1, 2, ...; tokens before them 0, -1, ...
    labels: Iterator[str | None] = stream(chosen.model, symbols, limit, domain, digits, values=chosen.values, bits=bits)
    # In rounded numbers the tokens are compared with those of the program itself.
    numbers = rounding(domain, bits) if decodes(chosen.model) else None
    answers = wrong = None
    if numbers is not None:
        from symcook.export.machine_steps import program_run
        from symcook.thought.running import rounded_labels

        answers = program_run(chosen.model, symbols, limit).answers
        labels = rounded_labels(labels)
    # Each token is printed, with --trace also what the heads attended to when the model generated it.
    for position, token in enumerate(labels, len(symbols) + 1):
        if token is None:
            wrong = position
            break
        emitted.append(token)
        if answers is not None and answers[len(emitted) - 1 : len(emitted)] != (token,):
            wrong = position
        looks = _attended(chosen, (*symbols, *emitted[:-1]), domain, digits, bits) if trace else []
        document = {"position": position, **speech.said(token), **({"looks": looks} if trace else {})}
        say_line(json.dumps(document) if as_json else f"{position:>6}  {speech.text(token)}")
        before = chosen.model.embedding.surround((*symbols, *emitted[:-1]))
        for look in [] if as_json else looks:
            at, count = look["at"], len(look["at"])
            where = f"{at[0]} ({speech.text(before[at[0] - first])})" if count == 1 else f"{count} positions"
            say_line(f"        layer {look['layer']}, head {look['head']}: looked at {where}")
        if wrong is not None:
            break
    # The run stopped in one of four ways: at a token that is not a symbol, a wrong token, the end, or the limit.
    ended = bool(emitted) and emitted[-1] in speech.ends and wrong is None
    no_symbol = bool(emitted) and emitted[-1] not in (
        *chosen.model.alphabet,
        *speech.ends,
    )  # only rounding can cause this
    why = "no symbol" if no_symbol else "wrong" if wrong is not None else "end" if ended else "limit"
    right_count = len(emitted) if wrong is None else wrong - len(symbols) - 1
    last = {"stopped": why, "output": speech.output(emitted if why == "no symbol" else emitted[:right_count])}
    if as_json:
        say_line(json.dumps(last | ({} if wrong is None else {"first_wrong": wrong})))
    elif ended and speech.verdict:
        say(f"ended with {last['output']}")
    elif why == "no symbol":
        say(f"stopped at {emitted[-1]}, which the model does not read")
    else:
        say(stopped(last, limit, "program"))
    if numbers is not None and (emitted or wrong is not None) and not as_json:
        say(right(numbers, wrong, "program"))
    return 0 if ended else LIMIT


def stopped(last: Mapping[str, object], limit: int, whose: str) -> str:
    """The line that says how a run stopped; `whose` is "machine" or "program"."""
    output = last["output"] or EMPTY_STRING
    if last["stopped"] == "end":
        return f"ended; output: {output}"
    if last["stopped"] == "wrong":
        return f"stopped at a token that is not the {whose}'s; output before it: {output}"
    return f"stopped at the limit of {limit} tokens, before the end; give more with --steps"


def rounding(domain: str | None, bits: int | None) -> str | None:
    """The name, in a sentence, of numbers in which every operation is rounded; None for other number systems."""
    if bits is not None:
        return f"{bits} bits"
    return domain if domain is not None and domain.startswith("float") else None


def right(numbers: str, wrong: int | None, whose: str) -> str:
    """The line about a run in rounded numbers: all tokens are right, or the first position at which one is wrong."""
    return f"{numbers}: " + (f"every token is the {whose}'s" if wrong is None else f"wrong from position {wrong} on")


def _attended(
    chosen: Chosen, word: Sequence[str], domain: str | None, digits: int, bits: int | None
) -> list[dict[str, Any]]:
    """{"layer", "head", "at"} for each head, in the numbers of the run: `at` are the key positions to which the last
    position attends (weight not 0). A head without such positions is left out."""
    from symcook.run import run

    def traced(numbers: Any) -> Any:
        return run(chosen.model, word, numbers, values=chosen.values, digits=digits, bits=bits, trace=True).result

    result, _ = exact_or_balls(domain, traced)
    first, looks = 1 - len(chosen.model.embedding.ends[0]), []
    for step in result.steps:
        for head, columns in enumerate(step.attention, 1):
            at = [first + k for k, column in enumerate(columns) if column[len(columns) - 1] != 0]
            if at:
                looks.append({"layer": step.layer, "head": head, "at": at})
    return looks


def run_then(
    chosen: Chosen,
    word: str | None,
    tokens: str | None,
    then: str,
    domain: str | None,
    digits: int,
    as_json: bool,
) -> int:
    """Print whether the model continues the string with the tokens `then`; return the exit code."""
    from symcook.decode import continued
    from symcook.programs.running import speech_of

    need_values(chosen)
    speech = speech_of(chosen.model)
    symbols = given_word(chosen, speech, word, tokens, None)
    if not then.split():
        raise BadInput("--then must have at least one token", then or "nothing", "give the tokens with spaces between")
    # A state of an automaton may have the name of a verdict.
    readings = speech.readings(then.split())
    answers = [continued(chosen.model, symbols, read, domain, digits, values=chosen.values) for read in readings]
    answer = next(filter(attrgetter("agrees"), answers), answers[0])
    position = None if answer.first is None else len(symbols) + 1 + answer.first
    document: dict[str, Any] = {"agrees": answer.agrees, "domain": domain or "exact", "position": position}
    document["expected"] = None if answer.first is None else speech.said(answer.tokens[answer.first])["token"]
    document["answer"] = None if answer.first is None else speech.said(answer.answers[answer.first])["token"]
    say_or_json(as_json, lambda: document, lambda: _then_text(chosen, answer, document))
    return 0 if answer.agrees else 1


def _then_text(chosen: Chosen, answer: Continued, document: dict[str, Any]) -> str:
    """The answer of ``run --then`` in words, which name the number system where every operation is rounded."""
    numbers = rounding(document["domain"], None)
    # Decoding token by token adds in another order, so that floats may give other tokens there.
    name = chosen.name if numbers is None else f"{chosen.name}, in one pass in {numbers},"
    if answer.agrees:
        way = ", in one pass" if numbers is None else ""
        return f"{name} continues so: {len(answer.tokens)} token{'s' * (len(answer.tokens) != 1)}{way}"
    ends = ", which ends the run," * (document["answer"] == document["expected"])
    output = f"{name} outputs {document['answer']}{ends}"
    return f"{output} at position {document['position']}, not {document['expected']}"
