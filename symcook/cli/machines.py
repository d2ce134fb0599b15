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
    """Print at most `limit` tokens after the string, each as it comes, or with `trace` the tapes after each token, and
    how the run stopped. The exit code: 0 at its end, 3 at the limit."""
    from symcook.programs.steps import document
    from symcook.thought.running import INTEGERS, MachineStream

    symbols = _given(word, tokens)
    # A trace is printed after the run, as frames of the tapes; else each token is printed as it comes.
    if trace and domain is not None:
        raise BadInput("--trace of a Turing machine must stand without --domain", domain, "leave one out")
    run = MachineStream(chosen.model, symbols, limit, domain or INTEGERS, bits)
    if trace:
        _traced(run, as_json)
    else:
        for position, token in enumerate(run, len(run.word) + 1):
            fields = {"position": position, **document(token)}
            say_line(json.dumps(fields) if as_json else _words(fields))
    # How the run stopped and, in rounded numbers, the first token that is not the machine's.
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
    """Run to the end, then print the tapes after each token (or, as JSON, what it changes)."""
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
    """Print the tapes after each of at most `limit` tokens of a decoder of --theorem 2, and what its heads retrieve;
    its tokens are rows of a transition table, which gives the tapes. As JSON it prints what each token changes. The
    exit code: 0 at the end of the run, 3 at the limit."""
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


def _words(fields: dict[str, object]) -> str:
    """A token as a line: its position, its name, and what it writes and where it moves, tape by tape."""
    parts = [f"{fields['position']:>6}", str(fields["token"])]
    for key in ("write", "move"):
        by_tape = fields.get(key)
        if isinstance(by_tape, list) and by_tape:
            parts.append(f"{key} {' '.join(by_tape)}")
    return "  ".join(parts)
