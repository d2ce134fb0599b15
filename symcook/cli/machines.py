"""``symcook run --steps`` for a model that was compiled from a Turing machine."""

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
    """Print at most `limit` tokens after the string, or with `trace` the tapes after each token, and how the run
    stopped.

    Returns the exit code: 0 if the run ended, 3 if it reached the limit or, in rounded numbers, a wrong token.
    """
    from symcook.programs.steps import document
    from symcook.thought.running import INTEGERS, MachineStream

    symbols = _input_string(word, tokens)
    # A trace is printed after the run, as frames of the tapes. Without it each token is printed when it is generated.
    if trace and domain is not None:
        raise BadInput("--trace of a Turing machine must be used without --domain", domain, "leave one out")
    run = MachineStream(chosen.model, symbols, limit, domain or INTEGERS, bits)
    if trace:
        _traced(run, as_json)
    else:
        for position, token in enumerate(run, len(run.word) + 1):
            fields = {"position": position, **document(token)}
            say_line(json.dumps(fields) if as_json else _token_line(fields))
    # How the run stopped; in rounded numbers also the first token that differs from the machine's.
    last = run.run.last
    numbers = rounding(domain, bits)
    wrong = run.wrong
    if as_json:
        say_line(json.dumps(last | ({} if wrong is None else {"first_wrong": wrong})))
    else:
        say(stopped(last, limit, "machine"))
    if numbers is not None and (last["stopped"] != "limit" or limit) and not as_json:
        say(right(numbers, wrong, "machine"))
    return 0 if run.ended else 3


def _traced(run: MachineStream, as_json: bool) -> None:
    """Run to the end, then print the tapes after each token (as JSON only the changes of each token)."""
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
    """Print the tapes after each of at most `limit` tokens of a decoder of --theorem 2, and what its heads retrieve.

    The tokens are rows of the machine's transition table, which determine the tapes. As JSON only the changes of each
    token are printed. Returns the exit code: 0 if the run ended, 3 if it reached the limit.
    """
    from symcook.thought.rows import AHEAD, changes, machine_of_table, row_run
    from symcook.thought.rowtext import lines

    run = row_run(chosen.model, machine_of_table(chosen.model), _input_string(word, tokens), limit)
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


def _input_string(word: str | None, tokens: str | None) -> str | list[str]:
    """The input string of --input or --tokens; "" without either of them."""
    if word is not None and tokens is not None:
        raise BadInput("one input must be given", "--input and --tokens", "use one of them")
    return tokens.split() if tokens is not None else word or ""


def _token_line(fields: dict[str, object]) -> str:
    """A token as a line: its position, its name, and for each tape the symbol that it writes and its move."""
    parts = [f"{fields['position']:>6}", str(fields["token"])]
    for key in ("write", "move"):
        by_tape = fields.get(key)
        if isinstance(by_tape, list) and by_tape:
            parts.append(f"{key} {' '.join(by_tape)}")
    return "  ".join(parts)
