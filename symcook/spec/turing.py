"""Turing machines run by the book: a dictionary a tape, a head an integer. It shares the table with the compiler, and
no word of how a transformer would do it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symcook.programs.turing import LETTERS, TuringMachine

TokenDocument = dict[str, object]


@dataclass(frozen=True)
class TuringRun:
    """What a machine did within a limit of documents: one for the start, one a step, one a symbol of the output."""

    documents: tuple[TokenDocument, ...]
    output: str
    ended: bool
    steps: int
    tapes: tuple[dict[int, str], ...]


def execute(machine: TuringMachine, word: Sequence[str], limit: int) -> TuringRun:
    """The run of `machine` on `word`, to at most `limit` documents in the form of ``run --steps --json``."""
    tapes: list[dict[int, str]] = [{}, *({} for _ in range(machine.tapes))]
    tapes[0] = {place: symbol for place, symbol in enumerate(word, 1)}
    documents: list[TokenDocument] = []
    going = _documents(machine, tapes)
    for document in going:
        if len(documents) == limit:
            break
        documents.append({"position": len(word) + 1 + len(documents), **document})
    else:
        return _done(documents, tapes, True)
    return _done(documents, tapes, False)


def _done(found: list[TokenDocument], tapes: list[dict[int, str]], ended: bool) -> TuringRun:
    """The run, with its output and the number of its steps; the first token is no step."""
    steps = max(0, sum("write" in token_document for token_document in found) - 1)
    output = "".join(str(token_document["token"]) for token_document in found if "write" not in token_document)
    return TuringRun(tuple(found), output, ended, steps, tuple(tapes))


def _documents(machine: TuringMachine, tapes: list[dict[int, str]]) -> Iterator[TokenDocument]:
    """The tokens of a run: the start state, each step with what it writes and moves, and the output."""
    heads = [machine.head] + [0] * machine.tapes
    state = machine.start
    yield {"token": state, "write": [], "move": []}
    while state not in machine.halt:
        reads = tuple(tape.get(head, machine.blank) for tape, head in zip(tapes, heads, strict=True))
        state, writes, moves = machine.rows[state, reads]
        for k, symbol in enumerate(writes, 1):
            tapes[k][heads[k]] = symbol
        heads = [head + move for head, move in zip(heads, moves, strict=True)]
        yield {"token": state, "write": list(writes), "move": [LETTERS[move] for move in moves]}
    # Halted: the output is on the last tape, from its head to the first blank on the right.
    place = heads[-1]
    while tapes[-1].get(place, machine.blank) != machine.blank:
        yield {"token": tapes[-1][place]}
        place += 1
