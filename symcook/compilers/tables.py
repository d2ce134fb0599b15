"""Compiler from Turing machines to decoders whose tokens are rows of the transition table (`--theorem 2`): instances of
the family turing; without `$`, of the family turing-no-start, whose table is that of a machine that reads its input one
symbol ahead.

A theorem about the family holds of each instance: `symcook prove FILE` gives the bridge and the theorem.
Source: Merrill and Sabharwal (2024), Theorem 2 and footnote 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from symcook.errors import BadInput
from symcook.model.checks import MAX_LABEL
from symcook.programs import MACHINES
from symcook.programs.steps import (
    ahead_labels,
    ahead_rows,
    at_first_letter,
    row_label,
    table_labels,
    table_symbols,
    used_rows,
)
from symcook.programs.turing import read_turing, written

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.model.instance import Instance
    from symcook.model.transformer import Transformer
    from symcook.programs.turing import TuringMachine

FAMILIES = {"strict": "turing", "no-start": "turing-no-start"}
"""The name of the family, by variant."""


class _Row(NamedTuple):
    """A row of an instance's transition table, with states and symbols as numbers. `reads`, `writes` and `moves` have
    an entry for each tape; tape 0 is the input, whose entry in `writes` is 0."""

    state: int
    to: int
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    moves: tuple[int, ...]


def settings(machine: TuringMachine, variant: str = "strict") -> dict[str, str]:
    """The sizes and tables of the family whose instance runs this machine, which must begin at its first input symbol.
    BadInput if the variant needs an input symbol and the machine has none.

    Rows that certainly no run uses (`used_rows`) are left out. For "no-start" the table is that of a machine that reads
    ahead: the string on tape 0 begins at its second symbol; a state is a state of the given machine together with the
    symbol or blank read ahead; tape 1 is a copy of what was read; the work tapes of the given machine follow.
    """
    if variant == "no-start" and not machine.input:
        raise BadInput(
            "the variant for nonempty strings must have a Turing machine with input symbols",
            "none",
            "leave --variant out",
        )
    # States count from 1 and symbols from 0, the blank.
    number = {state: k for k, state in enumerate(machine.states, 1)}
    symbol = {cell: k for k, cell in enumerate(table_symbols(machine))}
    ahead, letters = variant == "no-start", len(machine.input)
    # How many states of the instance belong to a state of the machine: for "no-start" one for each symbol read ahead,
    # and one for the blank.
    held_letters = letters + 1 if ahead else 1
    rows = list(_ahead(machine, number, symbol) if ahead else _rows(machine, number, symbol))
    tapes, first = range(machine.tapes + 1 + ahead), (number[machine.start] - 1) * held_letters + 1
    return {
        # Q states, S input symbols, G symbols besides the blank, K tapes besides tape 0, R rows.
        "Q": str(len(number) * held_letters), "S": str(letters), "G": str(len(symbol) - 1), "K": str(len(tapes) - 1),
        "R": str(len(rows)),
        "first": " ".join(str(first + c) for c in range(1, letters + 1)) if ahead else str(first),
        "final": " ".join(str(int(state in machine.halt)) for state in machine.states for _ in range(held_letters)),
        "from": " ".join(str(row.state) for row in rows),
        "to": " ".join(str(row.to) for row in rows),
        "read": " ".join(str(row.reads[t]) for t in tapes for row in rows),
        "print": " ".join(str(row.writes[t]) for t in tapes for row in rows),
        "move": " ".join(str(row.moves[t]) for t in tapes for row in rows),
    }  # fmt: skip


def _rows(machine: TuringMachine, number: Mapping[str, int], symbol: Mapping[str, int]) -> Iterator[_Row]:
    """The rows of the machine's own table, as far as `used_rows` has them."""
    for (state, reads), row in used_rows(machine).items():
        writes = (0, *(symbol[cell] for cell in row.writes))
        yield _Row(number[state], number[row.state], tuple(symbol[cell] for cell in reads), writes, row.moves)


def _ahead(machine: TuringMachine, number: Mapping[str, int], symbol: Mapping[str, int]) -> Iterator[_Row]:
    """The rows of the machine that reads ahead. When it moves right on the input, its state holds the next symbol, and
    after any other move the blank. It copies what it reads to tape 1."""

    def at(state: str, held: str) -> int:
        """The number of the instance state for a state of the machine and the symbol that it holds."""
        return (number[state] - 1) * (len(machine.input) + 1) + symbol[held] + 1

    for row_ahead in ahead_rows(machine):
        row = machine.rows[row_ahead.state, row_ahead.reads]
        on_input, *on_others = (symbol[read] for read in row_ahead.reads)
        yield _Row(
            at(row_ahead.state, row_ahead.held),
            at(row.state, row_ahead.ahead if row.moves[0] == 1 else machine.blank),
            (symbol[row_ahead.ahead], on_input * row_ahead.copied, *on_others),
            (0, on_input, *(symbol[write] for write in row.writes)),
            (row.moves[0], *row.moves),
        )


def instance(machine: TuringMachine, variant: str = "strict") -> Instance:
    """The instance of the variant's family that runs a machine. The machine is first changed to begin at the first
    input symbol (`at_first_letter`). BadInput if there is no instance."""
    from symcook.recipes.models import instance_of

    return instance_of(_family(variant), settings(at_first_letter(machine), variant))


def compiled(machine: TuringMachine, source: str, name: str, variant: str = "strict") -> Transformer:
    """The decoder of a machine. After a string it outputs the rows that the machine uses, as `state(reads)`, then the
    output with a mark before each symbol, up to a blank.

    `variant` "no-start" has no $ before the string, which must be nonempty; its rows are those of
    `symcook.programs.steps.ahead_rows`, by their labels. The model's source names the instance if that text is short
    enough. A machine that begins left of the first symbol is replaced by `at_first_letter`.
    """
    from symcook.model.transformer import Program
    from symcook.recipes.models import said

    moved = at_first_letter(machine)
    if moved.rows != machine.rows:
        source = written(moved)
    machine, family_instance = moved, instance(moved, variant)
    family = family_instance.family
    labels = table_labels(machine) if variant == "strict" else ahead_labels(machine)
    model = family_instance.model(labels, name)
    program = Program("tm", source, machine.input, tuple(_plan(machine, labels, variant)), MACHINES)
    source_text = f"{family.source}; {said(family, family_instance.values)}"
    return replace(model, source=source_text if len(source_text) <= MAX_LABEL else family.source, program=program)


def told(model: Transformer) -> tuple[Family, Instance] | None:
    """The family and the instance of a model that `compiled` made, found from its program, since the model's source
    need not name the tables. Its source must begin with that of the family. None for any other model."""
    program = model.program
    if program is None or program.kind != "tm" or program.theorem != MACHINES:
        return None
    for variant in FAMILIES:
        family = _family(variant)
        if model.source.partition(";")[0] == family.source:
            return family, instance(read_turing(program.source), variant)
    return None


def _family(variant: str) -> Family:
    """The family of a variant, loaded from the library's files."""
    from symcook.model.family import load, shipped

    return load(shipped(FAMILIES[variant]))


def _plan(machine: TuringMachine, labels: Sequence[str], variant: str) -> Iterator[tuple[str, str, str]]:
    """The plan of the decoder: (coordinate, where it is written, what it holds). N is the number by which the layer
    norm before the first feed-forward layer divides."""
    symbols, works = table_symbols(machine), range(1, machine.tapes + 1)
    heads = ["the input head", *(f"work head {t}" for t in works)]
    cells = ["the input", *(f"tape {t}" for t in works)]
    states, before, zero = list(machine.states), 0, "the token is $"
    rows = [row_label(state, reads) for state, reads in used_rows(machine)]
    words = set_in = "embedding"
    # The machine that reads ahead has two more layers, two more heads, and states that hold a symbol.
    if variant == "no-start":
        heads[:1], cells[:1] = ["the head that reads ahead", "the input head"], ["the input", "the copy of the input"]
        states = [
            f"{state}, holding {held_symbol}" for state in states for held_symbol in (machine.blank, *machine.input)
        ]
        rows, before, zero = [row.label for row in ahead_rows(machine)], 2, "the position is the first"
        words, set_in = "layer 2", "embedding, layer 2"
        yield "later", "layer 1", "0 at the first position, 1 at all later positions"
        for k, letter in enumerate(machine.input, 1):
            yield f"letter{k}", "embedding", f"the token is letter {letter}"
            yield f"lead{k}", words, f"the word begins with {letter}; 0 at the first position"
    before_layer, last = f"layer {before + 1}", f"layer {before + len(heads) + 2}"
    later_text = " behind the first position" * (before > 0)
    # The token itself.
    yield "one", "embedding", "1"
    yield "bos", words, zero
    for k, letter in enumerate(machine.input, 1):
        yield f"x{k}", words, f"the token is letter {letter}{later_text}"
    for k, state in enumerate(states, 1):
        yield f"s{k}", set_in, f"the state entered is {state}"
    yield "halt", set_in, "that state halts, or the token is of the output"
    # For each head: its move, what the token wrote for it, and its position.
    for t, head in enumerate(heads):
        yield f"plus{t}", "embedding", f"{head} moves right"
        yield f"minus{t}", "embedding", f"{head} moves left"
        yield f"cand{t}", set_in, f"the token has the content of a cell of {cells[t]} holds"
        yield f"stay{t}", "embedding", f"{head} stays on what the token wrote" if t else "0: the input is not written"
        for c, symbol in enumerate(symbols):
            yield f"sym{t}_{c}", set_in, f"that is {symbol}"
        yield f"p{t}", before_layer, f"where {head} was before the own move, over i"
        yield f"at{t}", f"{before_layer}, feed-forward", f"where {head} is, over i N"
    yield "u", before_layer, "1/i, behind i tokens"
    yield "share", f"{before_layer}, feed-forward", "1/(i N)"
    yield "small", f"{before_layer}, feed-forward", "F(1/i), the first half of the tie-break"
    # The row of the table that matches, the symbol to output, and the scores of the tokens.
    for r, row in enumerate(rows, 1):
        yield f"match{r}", f"layers {before + 2} on", f"how many heads read what the row {row} says"
    for c, symbol in enumerate(symbols):
        yield f"got{c}", f"layer {before + len(heads) + 1}", f"{heads[-1]} reads {symbol}"
    yield "blank", f"layer {before + 2}", f"what {heads[0]} reads is no letter"
    for number, what in enumerate(labels):
        yield f"o{number}", last, f"score of {what}"
