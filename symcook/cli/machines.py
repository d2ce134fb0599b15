"""``run --steps`` of a model that was compiled from a Turing machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from symcook.cli.options import Chosen
from symcook.cli.output import say, say_line
from symcook.cli.steps import right, rounding, stopped
from symcook.errors import BadInput

if TYPE_CHECKING:
    from symcook.thought.running import MachineStream


def run_machine(
    chosen: Chosen,
    word: str | None,
    tokens: str | None,
    limit: int,
    domain: str | None,
    bits: int | None,
    trace: bool,
    as_json: bool,
) -> int:
    """Print at most `limit` tokens behind the word, each as it comes, with what its heads look up where that is to be
    traced, and how the run stopped. The exit code: 0 at its end, 3 at the limit."""
    from symcook.programs.steps import document
    from symcook.thought.running import INTEGERS, MachineStream

    symbols = _given(word, tokens)
    if trace and domain is not None:
        raise BadInput("--trace of a Turing machine must stand without --domain", domain, "leave one out")
    run = MachineStream(chosen.model, symbols, limit, domain or INTEGERS, bits)
    if trace:
        _traced(run, as_json)
    else:
        for position, token in enumerate(run, len(run.word) + 1):
            fields = {"position": position, **document(token)}
            say_line(json.dumps(fields) if as_json else _words(fields))
    last = run.run.last
    numbers = rounding(domain, bits)
    wrong = run.wrong
    if as_json:
        say_line(json.dumps(last | ({} if wrong is None else {"first_wrong": wrong})))
    else:
        say(stopped(last, limit, "machine"))
    if numbers is not None and not as_json:
        say(right(numbers, wrong, "machine"))
    return 0 if run.ended else 3


def _traced(run: MachineStream, as_json: bool) -> None:
    from symcook.thought.frames import changes, frames, text

    for _ in run:
        pass
    if as_json:
        for change in changes(run.run):
            say_line(json.dumps(change))
    else:
        for frame in frames(run.run):
            say(text(run.run, frame))


def trace_rows(chosen: Chosen, word: str | None, tokens: str | None, limit: int, as_json: bool) -> int:
    """Print the tapes behind each of at most `limit` tokens of a decoder of --theorem 2, whose tokens are rows of a
    table, with what its heads retrieve, by that table; as JSON what each token changes. The exit code as above."""
    from symcook.thought.rows import AHEAD, changes, machine_of_table, row_run
    from symcook.thought.rowtext import lines

    run = row_run(chosen.model, machine_of_table(chosen.model), _given(word, tokens), limit)
    if as_json:
        for change in (*changes(run), run.last):
            say_line(json.dumps(change))
        return 0 if run.ended else 3
    if run.ahead:
        say(f"{AHEAD}.")
    for frame in run.frames():
        say(lines(run, frame))
    say(stopped(run.last, limit, "machine"))
    return 0 if run.ended else 3


def _given(word: str | None, tokens: str | None) -> str | list[str]:
    """The input: a word, or tokens with spaces between."""
    if word is not None and tokens is not None:
        raise BadInput("one input must be given", "--input and --tokens", "use one of them")
    return tokens.split() if tokens is not None else word or ""


def _words(shown: dict[str, object]) -> str:
    """A token as a line."""
    parts = [f"{shown['position']:>6}", str(shown["token"])]
    for key in ("write", "move"):
        parts_of_key = shown.get(key)
        if isinstance(parts_of_key, list) and parts_of_key:
            parts.append(f"{key} {' '.join(parts_of_key)}")
    return "  ".join(parts)
