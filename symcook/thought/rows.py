"""Runs of decoders that `compile tm --theorem 2` makes: the rows of the table that are used, then the output.

Of each token it is said what its heads retrieve. A head on cell h behind the token at i has the score
cos(h, h') - T/sqrt(j^2 + 1) for the token at j < i that says what cell h' holds, and 1 - T for `$`, which holds for
all cells that no token wrote; T = 1 - 1/sqrt(1 + F(1/i)^2), F(x) = (1 - 1/sqrt(1 + x^2))/2. Letter j stands on cell
j, and cosines on the input tape are of cells less 1. Tokens that say nothing of a tape are 3 below, and left out.
Source: Merrill and Sabharwal (2024), Theorem 2; `symcook show family-turing`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.programs.steps import AheadRow, row_label
from symcook.programs.turing import LETTERS, TuringMachine, TuringRow
from symcook.thought.retrieval import BITS, Looked, compared, cosine

if TYPE_CHECKING:
    from flint import arb


class RowToken(NamedTuple):
    """A token: its label, the row whose step it is or the symbol that it puts out, and the heads behind it."""

    label: str
    done: TuringRow | str
    heads: tuple[int, ...]


def tokens(machine: TuringMachine, word: Sequence[str], ahead: bool = False) -> Iterator[RowToken]:
    """The tokens behind a word, by the table alone: the last one puts out a blank. They may never end. With `ahead`
    those of the decoder without `$`, of a word with a letter, whose input is read one letter ahead."""
    nothing = machine.blank
    behind, held = dict(enumerate(word[1:], 2)), word[0] if ahead else nothing
    copy: dict[int, str] = {}
    tapes: list[dict[int, str]] = [dict(enumerate(word, 1)), *({} for _ in range(machine.tapes))]
    heads, state = [machine.head, *[0] * machine.tapes], machine.start
    while state not in machine.halt:
        reads = tuple(tape.get(head, machine.blank) for tape, head in zip(tapes, heads, strict=True))
        label, row = row_label(state, reads), machine.rows[state, reads]
        if ahead:
            at, following = heads[0], behind.get(heads[0] + 1, nothing)
            label = AheadRow(state, reads, following, held, copy.get(at, nothing) != nothing).label
            copy[at], held = reads[0], following if row.moves[0] == 1 else nothing
        for tape, head, symbol in zip(tapes[1:], heads[1:], row.writes, strict=True):
            tape[head] = symbol
        heads = [head + move for head, move in zip(heads, row.moves, strict=True)]
        state = row.state
        yield RowToken(label, row, tuple(heads))
    while True:
        symbol = tapes[-1].get(heads[-1], machine.blank)
        heads[-1] += 1
        yield RowToken(f"={symbol}", symbol, tuple(heads))
        if symbol == machine.blank:
            return


def differences(machine: TuringMachine, word: Sequence[str], limit: int) -> tuple[dict[str, Any], list[str]]:
    """A run to at most `limit` tokens as `symcook.thought.frames.differences` has it, and the labels of its tokens.

    The first entry, with "given", is none of them: it is the last letter, or `$`, which says the first state. The blank
    that ends the output counts to the limit, and is left out.
    """
    n, start = len(word), (machine.head, *[0] * machine.tapes)
    whole = tuple(itertools.islice(tokens(machine, word), limit))
    ended = bool(whole) and whole[-1].done == machine.blank
    first: dict[str, object] = {"position": n, "token": machine.start, "write": [], "move": [], "given": True}
    wrote: list[dict[int, list[int]]] = [{} for _ in start]
    for j in range(1, n):
        wrote[0][j] = [j]
    found, before = [first | _looked(wrote, start, n)], start
    if n:
        wrote[0][n] = [n]
    for position, (_, done, heads) in enumerate(whole[: len(whole) - ended], n + 1):
        one: dict[str, object] = {"position": position}
        if isinstance(done, TuringRow):
            one |= {"token": done.state, "write": list(done.writes), "move": [LETTERS[move] for move in done.moves]}
            one |= _looked(wrote, heads, position)
            for cells, head in zip(wrote[1:], before[1:], strict=True):
                cells.setdefault(head, []).append(position)
        else:
            one["token"] = done
        found.append(one)
        before = heads
    ends = {"blank": machine.blank, "start": machine.start, "halt": list(machine.halt), "heads": list(start)}
    output = "".join(one.done for one in whole if isinstance(one.done, str) and one.done != machine.blank)
    last = {"stopped": "end" if ended else "limit", "output": output}
    labels = [one.label for one in whole[: len(whole) - ended]]
    return {"input": list(word), **ends, "tokens": found, **last}, labels


def _looked(wrote: Sequence[Mapping[int, list[int]]], heads: Sequence[int], i: int) -> dict[str, object]:
    """What each head retrieves behind the token at `i`, of the positions that wrote on each cell before it."""
    import flint

    with flint.ctx.workprec(BITS):
        pairs = enumerate(zip(wrote, heads, strict=True))
        found = [_found(cells, head, i, int(tape == 0)) for tape, (cells, head) in pairs]
    shown = [one and {"position": one.position, "rival": one.rival, "gap": one.gap} for one in found]
    return {"looked": shown, "fresh": []}


def _found(cells: Mapping[int, list[int]], head: int, i: int, first: int) -> Looked | None:
    """What one head retrieves; None in front of a word's first token, where it sees nothing."""
    from flint import arb

    if i == 0:
        return None
    x = arb(1) / i
    small = (1 - 1 / (1 + x * x).sqrt()) / 2
    tie = 1 - 1 / (1 + small * small).sqrt()
    scores: list[tuple[arb, int]] = [(1 - tie, 0)]
    below, above = [cell for cell in cells if cell < head], [cell for cell in cells if cell > head]
    for cell in (*([head] if head in cells else []), *sorted(below)[-1:], *sorted(above)[:1]):
        for j in cells[cell][-2:]:
            scores.append((cosine(head - first, cell - first) - tie / arb(j * j + 1).sqrt(), j))
    return compared(scores)
