"""Reference of compiled Turing machines: runs a machine directly, with a dictionary for each tape and an integer for
each head. With the compiler it shares only the table of the machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symcook.programs.turing import LETTERS, TuringMachine

TokenDocument = dict[str, object]
"""One token of a run, as ``run --steps --json`` writes it."""


@dataclass(frozen=True)
class TuringRun:
    """The run of a machine, up to a maximum number of documents."""

    documents: tuple[TokenDocument, ...]
    """One document for the start, one for each step, and one for each symbol of the output."""
    output: str
    """The output symbols as one text (`TuringMachine.output_text`)."""
    ended: bool
    """Whether the run ended within the maximum, including its output."""
    steps: int
    """The number of steps among the documents."""
    tapes: tuple[dict[int, str], ...]
    """The contents of the tapes by place, the input tape first. A place without an entry is blank."""


def execute(machine: TuringMachine, word: Sequence[str], limit: int) -> TuringRun:
    """The run of `machine` on `word`, up to `limit` documents."""
    tapes: list[dict[int, str]] = [{}, *({} for _ in range(machine.tapes))]
    tapes[0] = {place: symbol for place, symbol in enumerate(word, 1)}
    documents: list[TokenDocument] = []
    run_documents = _documents(machine, tapes)
    for document in run_documents:
        if len(documents) == limit:
            break
        documents.append({"position": len(word) + 1 + len(documents), **document})
    else:  # no break: the machine has ended
        return _run_of(machine, documents, tapes, True)
    return _run_of(machine, documents, tapes, False)


def _run_of(
    machine: TuringMachine, documents: list[TokenDocument], tapes: list[dict[int, str]], ended: bool
) -> TuringRun:
    """The run with these documents. Documents with "write" are the start and the steps, the others the output."""
    steps = max(0, sum("write" in token_document for token_document in documents) - 1)
    symbols = [str(token_document["token"]) for token_document in documents if "write" not in token_document]
    return TuringRun(tuple(documents), machine.output_text(symbols), ended, steps, tuple(tapes))


def _documents(machine: TuringMachine, tapes: list[dict[int, str]]) -> Iterator[TokenDocument]:
    """The documents of a run: the start state, each step with its writes and moves, and the output. `tapes` is changed
    meanwhile."""
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
