"""Frames of a decoder whose tokens are rows of a table, as text: tapes, heads, and what each head retrieved."""

from __future__ import annotations

from symcook.programs.turing import TuringMachine
from symcook.thought.frames import strip
from symcook.thought.retrieval import Looked
from symcook.thought.rows import RowFrame, RowRun


def lines(run: RowRun, frame: RowFrame) -> str:
    """A frame as lines: the token; for each tape its cells, with the head's cell in brackets, and from where its symbol
    is read; and a line for each further head of a machine that reads ahead."""
    machine, n = run.machine, len(run.word)
    # The first line. The first frame has no generated token; after an output token no heads are shown.
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
        # A machine that reads ahead reads its input from the copy, or from its state.
        if not tape and frame.held is not None:
            copied = "copied by the token itself" if frame.stays(0) and symbol != machine.blank else "held in the state"
            what_is_read = f"reads {symbol}: " + (_whence(run, looked) if looked else copied)
        else:
            what_is_read = (
                f"reads {symbol}: {_whence(run, looked, frame.own == name, bool(tape) and frame.stays(tape))}"
            )
        text_lines.append(_line(machine, name, head, f"{strip(machine, frame.tapes[tape], head)}  {what_is_read}"))
    # The two further heads of a machine that reads ahead: on the copy, and on the next symbol.
    for name, cell, symbol, looked in frame.further:
        what_is_read = _whence(run, looked, frame.own == name, name == "copy" and frame.stays(0))
        text_lines.append(_line(machine, name, cell, f"finds {symbol}: {what_is_read}"))
    return "\n".join(text_lines)


def _line(machine: TuringMachine, name: str, cell: int, remark: str) -> str:
    """The line of one head: its name, its cell, and a remark."""
    return f"  {name:<7} cell {cell:>3}  {remark}"


def _whence(run: RowRun, looked: Looked | None, own: bool = False, stays: bool = False) -> str:
    """From which token a symbol is read, and by how much the next best score is lower, as text. `own` says that the
    head is on the cell of the present input symbol, and `stays` that the token itself wrote the cell."""
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
