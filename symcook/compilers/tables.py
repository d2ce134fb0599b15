"""Machines to instances of the family turing, whose tokens are the rows of the table (`--theorem 2`).

What is proved of the family holds of each of them: `symcook prove FILE` makes the bridge and gives the theorem.
Source: Merrill and Sabharwal (2024), Theorem 2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from symcook.errors import BadInput
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
    symbol = {one: k for k, one in enumerate(_symbols(machine))}
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


def compiled(machine: TuringMachine, name: str) -> Transformer:
    """The decoder: behind a word it puts out the rows that the machine uses, `state(reads)`, then the output with a
    mark before each symbol, up to a blank."""
    from symcook.model.family import load, shipped
    from symcook.recipes.models import instance_of, said

    family = load(shipped(FAMILY))
    at = instance_of(family, settings(machine))
    rows = [f"{state}({','.join(reads)})" for state, reads in machine.rows]
    tokens = ["$", *machine.input, *rows, *(f"={one}" for one in _symbols(machine))]
    if len({*tokens}) < len(tokens):
        twice = next(one for k, one in enumerate(tokens) if one in tokens[:k])
        raise BadInput("letters, rows and symbols of the output must have different names", twice)
    return replace(at.model(tokens, name), source=f"{family.source}; {said(family, at.values)}")


def _symbols(machine: TuringMachine) -> tuple[str, ...]:
    """The blank, the letters, and what only work tapes hold."""
    others = [one for one in machine.symbols if one not in machine.input]
    return (machine.blank, *machine.input, *others)
