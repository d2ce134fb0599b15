"""The tokens of a Turing machine's decoder: one for each step, which says what the step changed, then the output.

Besides the symbol that was written, a token has two flags for each work tape (its cell is the leftmost, the rightmost
visited so far) and one for each work head (it is on a fresh cell). So a token knows by itself whether its heads are on
cells that were visited before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from symcook.errors import BadInput
from symcook.files import repeated
from symcook.programs.turing import LETTERS, Reads, TuringMachine, TuringRow

START, END = "$", "end"
"""The token before the input, and the token that ends the output."""
MOST_TOKENS = 20_000
"""The maximum number of tokens of a model, since its file has a row of the embedding and readout for each."""


class WrittenCell(NamedTuple):
    """A cell of a work tape after a step has written it: its symbol, and whether it is the leftmost and the rightmost
    cell visited so far."""

    symbol: str
    leftmost: bool
    rightmost: bool


@dataclass(frozen=True)
class StepToken:
    """The token of a step: the state entered, the cell written on each work tape, the moves of the input head and the
    work heads, and for each work head whether it is then on a cell never visited before.

    The token with `first` is the start of the run; its move of the input head is the cell where that head starts.
    """

    state: str
    written: tuple[WrittenCell, ...]
    moves: tuple[int, ...]
    fresh: tuple[bool, ...]
    first: bool = False


@dataclass(frozen=True)
class OutputToken:
    """The token of an output symbol; `rightmost`: whether its cell is the rightmost visited."""

    symbol: str
    rightmost: bool


MachineToken = StepToken | OutputToken


def first_token(machine: TuringMachine) -> StepToken:
    """The first token after the input: the start state, with every work head on a fresh cell."""
    k, blank = machine.tapes, WrittenCell(machine.blank, True, True)
    return StepToken(machine.start, (blank,) * k, (machine.head, *[0] * k), (True,) * k, first=True)


def tokens(machine: TuringMachine) -> Iterator[MachineToken]:
    """Every token that a decoder may output: the start; for each row that may be used, its action with every
    combination of flags that its moves allow; and the symbols that may be output, which some row writes on the last
    tape."""
    yield first_token(machine)
    # For each move of a work head the possible flags (leftmost, rightmost, fresh). A head that moves off the rightmost
    # cell to the right comes to a fresh cell, so that the cell it leaves is no longer the rightmost.
    flags_of_move: dict[int, tuple[tuple[int, int, int], ...]]
    flags_of_move = {0: ((0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)), 1: ((0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1))}
    flags_of_move[-1] = tuple((right, left, fresh) for left, right, fresh in flags_of_move[1])
    used = used_rows(machine)
    for state, writes, moves in dict.fromkeys(used.values()):
        for choice in product(*(flags_of_move[move] for move in moves[1:])):
            written = tuple(
                WrittenCell(symbol, bool(left), bool(right))
                for symbol, (left, right, _) in zip(writes, choice, strict=True)
            )
            yield StepToken(state, written, moves, tuple(bool(fresh) for _, _, fresh in choice))
    symbols_written = {row.writes[-1] for row in used.values()}
    for symbol in machine.symbols:
        if symbol in symbols_written:
            yield from (OutputToken(symbol, False), OutputToken(symbol, True))


@lru_cache(maxsize=16)
def used_rows(machine: TuringMachine) -> Mapping[tuple[str, Reads], TuringRow]:
    """The rows that may be used: an upper bound, from the states that can be reached and the symbols that can be
    written on each work tape, in any combination. The result is cached and must not be changed."""
    states, cells = {machine.start}, [{machine.blank} for _ in range(machine.tapes)]
    while True:
        used = {
            (state, reads): row
            for (state, reads), row in machine.rows.items()
            if state in states
            and all(read in cell_symbols for read, cell_symbols in zip(reads[1:], cells, strict=True))
        }
        # Add the states and symbols of these rows, until there is nothing new (a least fixed point).
        size_before = len(states), *map(len, cells)
        for row in used.values():
            states.add(row.state)
            for cell_symbols, symbol in zip(cells, row.writes, strict=True):
                cell_symbols.add(symbol)
        if size_before == (len(states), *map(len, cells)):
            return used


@lru_cache(maxsize=16)
def labels(machine: TuringMachine) -> Mapping[MachineToken, str]:
    """A name for each token that a decoder may output, different from START, END and the input symbols. BadInput if
    there are more than MOST_TOKENS. The result is cached and must not be changed."""
    names_taken = {START, END, *machine.input}
    names: dict[MachineToken, str] = {}
    for token in tokens(machine):
        name = shown(token)
        while name in names_taken:
            name += "'"
        names_taken.add(name)
        names[token] = name
        if len(names) > MOST_TOKENS:
            must = f"a Turing machine must lead to at most {MOST_TOKENS:,} tokens"
            too_many = f"more, with {len(machine.rows)} rows and {machine.tapes} tapes"
            raise BadInput(must, too_many, "use fewer states, symbols or tapes")
    return names


def shown(token: MachineToken) -> str:
    """A token as text, such as `carry(L;1<>R!)`: the state, the move of the input head, and for each work tape the
    symbol written, < if its cell is the leftmost visited, > if it is the rightmost, the move, and ! if the head is then
    on a fresh cell."""
    if isinstance(token, OutputToken):
        return f"={token.symbol}" + (">" if token.rightmost else "")
    if token.first:
        return f"{token.state}(start)"
    tapes = zip(token.written, token.moves[1:], token.fresh, strict=True)
    parts = (f"{w.symbol}{'<' * w.leftmost}{'>' * w.rightmost}{LETTERS[move]}{'!' * new}" for w, move, new in tapes)
    return f"{token.state}({LETTERS[token.moves[0]]};{';'.join(parts)})"


def table_labels(machine: TuringMachine) -> tuple[str, ...]:
    """The tokens of the decoder of `--theorem 2` in the order of their numbers: `START`, the letters, the rows that
    may be used, and for each symbol, the blank first, `=` and the symbol. BadInput if two are equal."""
    return _different(machine, (row_label(state, reads) for state, reads in used_rows(machine)))


def ahead_labels(machine: TuringMachine) -> tuple[str, ...]:
    """The tokens of the decoder of `--theorem 2` without `$`, in the order of their numbers. Token 0 is still called
    `START`, but no input has it and it is never output. The rows are those of the machine that reads ahead, by their
    labels."""
    return _different(machine, (row_ahead.label for row_ahead in ahead_rows(machine)))


def _different(machine: TuringMachine, rows: Iterable[str]) -> tuple[str, ...]:
    """All tokens of a decoder of `--theorem 2`, given the labels of its rows. BadInput if two are equal."""
    names = (START, *machine.input, *rows, *(f"={symbol}" for symbol in table_symbols(machine)))
    if (twice := repeated(names)) is not None:
        raise BadInput(
            "input symbols, rows and output symbols must have different names",
            f"{twice} twice",
            "give the symbol or the state another name",
        )
    return names


def at_first_letter(machine: TuringMachine) -> TuringMachine:
    """An equivalent machine that begins at the first letter (cell 1), as the machines of --theorem 2 do.

    If the given machine begins to the left of it, new states first move the input head left to where that machine
    begins, one cell a step, and leave the work tapes unchanged. A machine without input symbols needs no such steps,
    since its input is blank everywhere.
    """
    if machine.head == 1 or not machine.input:
        return replace(machine, head=1)
    rows, start = dict(machine.rows), machine.start
    choices = [(*machine.input, machine.blank), *[machine.cells] * machine.tapes]
    # The states are added from the last step to the first: the state `before` moves left from `cell` to cell - 1.
    for cell in range(machine.head + 1, 2):
        before = f"{machine.start}<{cell}"
        while before in machine.states:
            before += "'"
        for reads in product(*choices):
            rows[before, reads] = TuringRow(start, reads[1:], (-1, *[0] * machine.tapes))
        start = before
    return replace(machine, start=start, head=1, rows=rows)


class AheadRow(NamedTuple):
    """A row of the machine that reads its input one letter ahead of a given machine and otherwise does the same.

    state, reads: the row of the given machine that it performs. ahead: the next letter of the input, or the blank.
    held: the letter that the state holds, or the blank. copied: whether the input symbol of `reads` comes from the copy
    of the input, because the head has been there before; else it is `held`.
    """

    state: str
    reads: tuple[str, ...]
    ahead: str
    held: str
    copied: bool

    @property
    def label(self) -> str:
        """`go(a,_)>b`: the row go(a,_), where b is next and a is held; `go(a,_)>b@c` where a is copied and c held."""
        return f"{row_label(self.state, self.reads)}>{self.ahead}{f'@{self.held}' * self.copied}"


def ahead_rows(machine: TuringMachine) -> Iterator[AheadRow]:
    """The rows in the order of their numbers. A row whose input symbol is neither a letter nor the blank never applies
    and is left out."""
    cells = (machine.blank, *machine.input)
    for state, reads in used_rows(machine):
        if reads[0] not in cells:
            continue
        # The pairs (held, copied): either the symbol read is on the copy, and the state holds any letter or blank; or
        # it is what the state holds. A blank is never on the copy.
        sources = [(symbol, True) for symbol in cells] * (reads[0] != machine.blank) + [(reads[0], False)]
        for ahead, (held_symbol, copied) in product(cells, sources):
            yield AheadRow(state, reads, ahead, held_symbol, copied)


def row_label(state: str, reads: Iterable[str]) -> str:
    """The label of the row for a state and the symbols read."""
    return f"{state}({','.join(reads)})"


def table_symbols(machine: TuringMachine) -> tuple[str, ...]:
    """The blank, the letters, and then the symbols that only work tapes have."""
    return (machine.blank, *machine.input, *(symbol for symbol in machine.symbols if symbol not in machine.input))


def document(token: MachineToken) -> dict[str, object]:
    """A token as ``run --steps --json`` prints it, without its position."""
    if isinstance(token, OutputToken):
        return {"token": token.symbol}
    if token.first:
        return {"token": token.state, "write": [], "move": []}
    moves = [LETTERS[move] for move in token.moves]
    return {"token": token.state, "write": [w.symbol for w in token.written], "move": moves}
