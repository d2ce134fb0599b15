"""Frames of a machine's run: what each head reads, from which token, and how far below the next candidate's score is.

`text` prints a frame; `differences` returns the whole run as one JSON document of what each step changes, from which a
page rebuilds the tapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from symcook.programs.steps import OutputToken, StepToken, document, shown
from symcook.programs.turing import TuringMachine
from symcook.thought.retrieval import Looked, lookups
from symcook.thought.running import MachineRun

AROUND = 12
"""Cells on each side of a head that a frame shows."""


class Frame(NamedTuple):
    """The machine behind a token: its position, what it is, the tapes, the heads, and what each head looked up to read
    the cell under it (None where it needs no token)."""

    position: int
    token: StepToken | OutputToken
    tapes: tuple[dict[int, str], ...]
    heads: tuple[int, ...]
    looked: tuple[Looked | None, ...]


def frames(run: MachineRun) -> Iterator[Frame]:
    """One frame for each token. All frames share the dictionaries of the tapes, which change from one to the next."""
    tapes: list[dict[int, str]] = [dict(enumerate(run.word, 1)), *({} for _ in range(run.machine.tapes))]
    n = len(run.word)
    for count, (step, looked) in enumerate(zip(run.steps, lookups(run), strict=True)):
        heads = list(step.heads)
        if isinstance(step.token, StepToken):
            if not step.token.first:
                for k, written in enumerate(step.token.written, 1):
                    tapes[k][heads[k]] = written.symbol
            heads = [head + move for head, move in zip(heads, step.token.moves, strict=True)]
        else:
            heads[-1] += 1
        yield Frame(n + 1 + count, step.token, tuple(tapes), tuple(heads), looked)


def text(run: MachineRun, frame: Frame) -> str:
    """A frame as lines: the token, then for each tape its cells with the head's in brackets and where it is from."""
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
        lines.append(f"  {name:<7} cell {head:>3}  {cells}  {_said(machine, frame, tape)}".rstrip())
    return "\n".join(lines)


def strip(machine: TuringMachine, tape: dict[int, str], head: int) -> str:
    """The cells of a tape about its head, which stands in brackets."""
    cells = [*tape, head, 0]
    low, high = max(min(cells) - 1, head - AROUND), min(max(cells) + 1, head + AROUND)
    parts = []
    for cell in range(low, high + 1):
        symbol = tape.get(cell, machine.blank)
        parts.append(f"[{symbol}]" if cell == head else f" {symbol} ")
    return "".join(parts)


def _said(machine: TuringMachine, frame: Frame, tape: int) -> str:
    """Where a head has the symbol that it reads: from a token and by what gap, or from no token."""
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
    """For each token what it changes, and what each head looked up behind it."""
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
    """The whole run as JSON: the machine's ends, its heads at the start, what each token changes, the output."""
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
