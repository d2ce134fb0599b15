"""Machines, one whose heads stay, and what tapes and heads are step by step, by documents of the interpreter in
`symcook.spec` played on dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symcook.programs.turing import TuringMachine
from symcook.spec import turing

COPY = """\
input: a
work symbols: a
start: go
halt: done
head: 1
go   a * -> go   a R R
go   _ * -> back . L L
back * a -> back . L L
back * _ -> done . R R
"""
NOT = """\
input: a b
work symbols: a b
start: go
halt: done
head: 1
go   a a -> back a R R
go   a * -> go   b R L
go   b * -> go   a R R
go   _ * -> back . L L
back a * -> back a L R
back b * -> done a R L
back _ * -> done . R L
"""
STAYS = """\
input: a
work symbols: a
start: go
halt: done
head: 1
go   a * -> back a S S
go   _ * -> done . L S
back * a -> go   . R R
back * _ -> done . S S
"""
"""Both heads stay, together and alone."""


def played(machine: TuringMachine, word: Sequence[str], limit: int) -> Iterator[tuple[list[dict[int, str]], list[int]]]:
    """Tapes and heads behind the start and each document, to this many of them."""
    tapes: list[dict[int, str]] = [dict(enumerate(word, 1)), *({} for _ in range(machine.tapes))]
    heads = [machine.head, *[0] * machine.tapes]
    for one in turing.execute(machine, word, limit).documents:
        if "move" not in one:
            heads[-1] += 1
        for k, symbol in enumerate(one.get("write", ()), 1):  # type: ignore[arg-type, var-annotated]
            tapes[k][heads[k]] = symbol
        for k, move in enumerate(one.get("move", ())):  # type: ignore[arg-type, var-annotated]
            heads[k] += {"L": -1, "S": 0, "R": 1}[move]
        yield [{**tape} for tape in tapes], [*heads]
