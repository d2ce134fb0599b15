"""Frames of a decoder whose tokens are rows of a table, as text: tapes, heads, and what each head retrieved."""

from __future__ import annotations

from symcook.programs.turing import TuringMachine
from symcook.thought.frames import strip
from symcook.thought.retrieval import Looked
from symcook.thought.rows import RowFrame, RowRun


def lines(run: RowRun, frame: RowFrame) -> str:
    """A frame as lines: the token, then for each tape its cells with the head's in brackets and whence it is read; a
    letter ahead also the heads that the machine has more."""
    machine, n = run.machine, len(run.word)
    # The first frame has no token of its own, and an output token moves no work head that is shown.
    if not frame.label:
        what = f"the last symbol, {run.word[-1]}" if n else "$"
        first = f"position {frame.position}  step 0  {frame.done}  token {what}"
    elif isinstance(frame.done, str):
        return f"position {frame.position}  output {frame.done}  token {frame.label}"
    else:
        first = f"position {frame.position}  step {frame.position - n}  {frame.done.state}  token {frame.label}"
    text_lines = [first]
    for tape, (head, looked) in enumerate(zip(frame.heads, frame.looked, strict=True)):
        name = f"work {tape}" if tape else "input"
        symbol = frame.tapes[tape].get(head, machine.blank)
        # The machine that reads ahead has its input from the copy, or from its state.
        if not tape and frame.held is not None:
            copied = "copied by the token itself" if frame.stays(0) and symbol != machine.blank else "held in the state"
            what_is_read = f"reads {symbol}: " + (_whence(run, looked) if looked else copied)
        else:
            what_is_read = (
                f"reads {symbol}: {_whence(run, looked, frame.own == name, bool(tape) and frame.stays(tape))}"
            )
        text_lines.append(_line(machine, name, head, f"{strip(machine, frame.tapes[tape], head)}  {what_is_read}"))
    # Its two further heads: on the copy, and on the next symbol.
    for name, cell, symbol, looked in frame.further:
        what_is_read = _whence(run, looked, frame.own == name, name == "copy" and frame.stays(0))
        text_lines.append(_line(machine, name, cell, f"finds {symbol}: {what_is_read}"))
    return "\n".join(text_lines)


def _line(machine: TuringMachine, name: str, cell: int, said: str) -> str:
    return f"  {name:<7} cell {cell:>3}  {said}"


def _whence(run: RowRun, looked: Looked | None, own: bool = False, stays: bool = False) -> str:
    """From which token, and by how much the next best is below it."""
    if stays:
        return "written by the token itself"
    if looked is None:
        return "a blank, as no token is before this one"
    where = f"from token {looked.position}"
    if looked.position == int(run.ahead):
        where += ", as no earlier one says what is there"
    if own:
        where = f"the symbol of this token; {where}"
    return where if looked.rival is None else f"{where}; next best token {looked.rival}, {looked.gap} below"
