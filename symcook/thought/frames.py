"""Frames of a machine's run: the machine after each token, what each head reads, from which token, and how far below
the score of the next candidate is.

`text` returns a frame as text. `differences` returns the whole run as one JSON document with the changes of each step,
from which a page rebuilds the tapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from symcook.programs.steps import OutputToken, StepToken, document, shown
from symcook.programs.turing import TuringMachine
from symcook.thought.retrieval import Looked, lookups
from symcook.thought.running import MachineRun

AROUND = 12
"""The number of cells on each side of a head that a frame shows."""


class Frame(NamedTuple):
    """The machine after a token. The input tape comes first in each tuple, then the work tapes."""

    position: int
    """The position of the token."""
    token: StepToken | OutputToken
    tapes: tuple[dict[int, str], ...]
    """By tape: the symbol of each cell that has one."""
    heads: tuple[int, ...]
    """By tape: the cell of the head."""
    looked: tuple[Looked | None, ...]
    """By tape: what the head retrieved to read its cell; None if it needs no token for that."""


def frames(run: MachineRun) -> Iterator[Frame]:
    """One frame for each token of a run in integers. All frames share the dictionaries of the tapes, which change from
    frame to frame."""
    tapes: list[dict[int, str]] = [dict(enumerate(run.word, 1)), *({} for _ in range(run.machine.tapes))]
    n = len(run.word)
    for count, (step, looked) in enumerate(zip(run.steps, lookups(run), strict=True)):
        heads = list(step.heads)  # where the heads were before the token
        if isinstance(step.token, StepToken):
            if not step.token.first:  # the start token writes nothing
                for k, written in enumerate(step.token.written, 1):
                    tapes[k][heads[k]] = written.symbol
            heads = [head + move for head, move in zip(heads, step.token.moves, strict=True)]
        else:
            heads[-1] += 1
        yield Frame(n + 1 + count, step.token, tuple(tapes), tuple(heads), looked)


def text(run: MachineRun, frame: Frame) -> str:
    """A frame as lines: the token, then for each tape its cells, with the head's cell in brackets, and from which token
    its symbol is read. For an output token, only the first line."""
    machine = run.machine
    number = frame.position - len(run.word) - 1
    if isinstance(frame.token, OutputToken):
        what = f"output {frame.token.symbol}"
    else:
        what = f"step {number}  {frame.token.state}"
    lines = [f"position {frame.position}  {what}  token {shown(frame.token)}"]
    if isinstance(frame.token, OutputToken):
        return lines[0]
    for tape, head in enumerate(frame.heads):
        name = f"work {tape}" if tape else "input"
        cells = strip(machine, frame.tapes[tape], head)
        lines.append(f"  {name:<7} cell {head:>3}  {cells}  {_reading(machine, frame, tape)}".rstrip())
    return "\n".join(lines)


def strip(machine: TuringMachine, tape: dict[int, str], head: int) -> str:
    """The cells of a tape around its head, as text, with the head's cell in brackets."""
    cells = [*tape, head, 0]
    low, high = max(min(cells) - 1, head - AROUND), min(max(cells) + 1, head + AROUND)
    parts = []
    for cell in range(low, high + 1):
        symbol = tape.get(cell, machine.blank)
        parts.append(f"[{symbol}]" if cell == head else f" {symbol} ")
    return "".join(parts)


def _reading(machine: TuringMachine, frame: Frame, tape: int) -> str:
    """What the head of a tape reads, as text: the symbol, with the token that it is retrieved from and the score gap,
    or the reason why it needs no token."""
    token, looked = frame.token, frame.looked[tape]
    if not isinstance(token, StepToken):
        raise RuntimeError(f"a StepToken is expected here, not {type(token).__name__}")
    symbol = frame.tapes[tape].get(frame.heads[tape], machine.blank)
    if looked is None:
        if tape and token.fresh[tape - 1]:
            return f"reads {symbol}: never visited"
        return f"reads {symbol}: " + ("what it wrote itself" if tape else "before the first symbol")
    where = f"reads {symbol} from token {looked.position}"
    return where if looked.rival is None else f"{where}; next best token {looked.rival}, {looked.gap} below"


def changes(run: MachineRun) -> list[dict[str, object]]:
    """For each token of a run in integers, as JSON: what it changes and, for a step, what each head retrieved after
    it."""
    documents = []
    for frame in frames(run):
        looked = [
            None if lookup is None else {"position": lookup.position, "rival": lookup.rival, "gap": lookup.gap}
            for lookup in frame.looked
        ]
        lookup_entries: dict[str, object] = {}
        if isinstance(frame.token, StepToken):
            lookup_entries = {
                "looked": looked,
                "fresh": [tape for tape, fresh in enumerate(frame.token.fresh, 1) if fresh],
            }
        documents.append({"position": frame.position, **document(frame.token), **lookup_entries})
    return documents


def differences(run: MachineRun) -> dict[str, object]:
    """A whole run in integers as JSON: the machine's start and halting states, its heads at the start, what each token
    changes, and the output."""
    machine = run.machine
    return {
        "input": list(run.word),
        "blank": machine.blank,
        "start": machine.start,
        "halt": list(machine.halt),
        "heads": [machine.head, *[0] * machine.tapes],
        "domain": run.domain,
        "tokens": changes(run),
        **run.last,
    }
