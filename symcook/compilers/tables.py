"""Machines to instances of the family turing, whose tokens are the rows of the table (`--theorem 2`).

What is proved of the family holds of each of them: `symcook prove FILE` makes the bridge and gives the theorem.
Source: Merrill and Sabharwal (2024), Theorem 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from symcook.errors import BadInput
from symcook.programs import MACHINES
from symcook.programs.steps import row_label, table_labels, table_symbols
from symcook.programs.turing import LETTERS

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.programs.turing import TuringMachine

FAMILY = "turing"


def settings(machine: TuringMachine) -> dict[str, str]:
    """The sizes and tables of the family at which its instance runs this machine. A machine of the printed model begins
    at the first letter and moves each head at each step; BadInput for others."""
    if not machine.input:
        raise BadInput("a machine for --theorem 2 must have letters of the input", "none", "leave --theorem out")
    if machine.head != 1:
        must = "a machine for --theorem 2 must begin at the first letter"
        raise BadInput(must, f"head: {machine.head}", "write head: 1, or leave --theorem out")
    for (state, reads), row in machine.rows.items():
        if 0 in row.moves:
            must = "a machine for --theorem 2 must move each head at each step"
            given = f"{state} {' '.join(reads)} -> .. {' '.join(LETTERS[move] for move in row.moves)}"
            raise BadInput(must, given, "write L and R in place of S, or leave --theorem out")
    number = {state: k for k, state in enumerate(machine.states, 1)}
    symbol = {one: k for k, one in enumerate(table_symbols(machine))}
    tapes, rows = range(machine.tapes + 1), machine.rows.items()
    writes = [["0" if t == 0 else str(symbol[row.writes[t - 1]]) for _, row in rows] for t in tapes]
    return {
        "Q": str(len(number)), "S": str(len(machine.input)), "G": str(len(symbol) - 1), "K": str(machine.tapes),
        "R": str(len(machine.rows)), "first": str(number[machine.start]),
        "final": " ".join(str(int(state in machine.halt)) for state in machine.states),
        "from": " ".join(str(number[state]) for state, _ in machine.rows),
        "to": " ".join(str(number[row.state]) for _, row in rows),
        "read": " ".join(str(symbol[reads[t]]) for t in tapes for (_, reads), _ in rows),
        "print": " ".join(one for tape in writes for one in tape),
        "move": " ".join(str(row.moves[t]) for t in tapes for _, row in rows),
    }  # fmt: skip


def compiled(machine: TuringMachine, source: str, name: str) -> Transformer:
    """The decoder: behind a word it puts out the rows that the machine uses, `state(reads)`, then the output with a
    mark before each symbol, up to a blank."""
    from symcook.model.family import load, shipped
    from symcook.model.transformer import Program
    from symcook.recipes.models import instance_of, said

    family = load(shipped(FAMILY))
    at = instance_of(family, settings(machine))
    model = at.model(table_labels(machine), name)
    program = Program("tm", source, machine.input, tuple(_plan(machine)), MACHINES)
    return replace(model, source=f"{family.source}; {said(family, at.values)}", program=program)


def _plan(machine: TuringMachine) -> Iterator[tuple[str, str, str]]:
    """Which coordinate holds what. At position i the norm before layer 1's network divides all by one number N."""
    heads = ["the input head", *(f"work head {t}" for t in range(1, machine.tapes + 1))]
    symbols, last = table_symbols(machine), f"layer {machine.tapes + 3}"
    yield "one", "embedding", "1"
    yield "bos", "embedding", "the token is $"
    for k, letter in enumerate(machine.input, 1):
        yield f"x{k}", "embedding", f"the token is letter {letter}"
    for k, state in enumerate(machine.states, 1):
        yield f"s{k}", "embedding", f"the state entered is {state}"
    yield "halt", "embedding", "that state halts, or the token is of the output"
    for t, head in enumerate(heads):
        yield f"plus{t}", "embedding", f"{head} moves right"
        yield f"minus{t}", "embedding", f"{head} moves left"
        yield f"cand{t}", "embedding", f"the token says what a cell of {'the input' if t == 0 else f'tape {t}'} holds"
        for c, symbol in enumerate(symbols):
            yield f"sym{t}_{c}", "embedding", f"that is {symbol}"
        yield f"p{t}", "layer 1", f"where {head} was before the own move, over i"
        yield f"at{t}", "layer 1, feed-forward", f"where {head} is, over i N"
    yield "u", "layer 1", "1/i"
    yield "share", "layer 1, feed-forward", "1/(i N)"
    yield "small", "layer 1, feed-forward", "F(1/i), the first half of the tie-break"
    for r, (state, reads) in enumerate(machine.rows, 1):
        yield f"match{r}", "layers 2 on", f"how many heads read what the row {row_label(state, reads)} says"
    for c, symbol in enumerate(symbols):
        yield f"got{c}", f"layer {machine.tapes + 2}", f"{heads[-1]} reads {symbol}"
    yield "blank", "layer 2", "what the input head reads is no letter"
    for number, what in enumerate(table_labels(machine)):
        yield f"o{number}", last, f"score of {what}"
