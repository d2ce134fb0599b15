"""Runs of the decoders of `compile tm --theorem 2`: the rows of the table that are used, then the output, and for each
token what its heads retrieve.

After the token at i, a head on cell h gives the score cos(h, h') - T/sqrt(j^2 + 1) to a token at j < i that says what
cell h' holds, and the score 1 - T to `$`, which stands for all cells that no token wrote. Here T = 1 - 1/sqrt(1 +
F(1/i)^2) and F(x) = (1 - 1/sqrt(1 + x^2))/2. Letter j stands for cell j, and cosines on the input tape are of cells
minus 1. Tokens that say nothing about a tape score 3 less, and are left out here.

Without `$` (`ahead`) the first letter takes its place: i and j are positions minus 1. One head looks one cell to the
right of the input head, with cosines of cells minus 2; the state holds what it finds until the next step. Another head
looks at a copy of what was read, on the cell of the input head. The input is read from the copy if that has a letter,
else it is what the state holds. All this is in addition to the tapes of the given machine.
Source: Merrill and Sabharwal (2024), Theorem 2 and footnote 8; `symcook show family-turing`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.compilers import genuine
from symcook.errors import BadInput
from symcook.locks import PRECISION
from symcook.programs.steps import AheadRow, at_first_letter, row_label
from symcook.programs.turing import LETTERS, TuringMachine, TuringRow, read_turing
from symcook.thought.retrieval import BITS, Looked, compared, cosine

if TYPE_CHECKING:
    from flint import arb

    from symcook.model.transformer import Transformer

AHEAD = (
    "The machine inside reads its input one symbol ahead: the next symbol is held in the state, and where the input "
    "head was before it reads a copy; tapes and heads are those of the machine that was given"
)
"""What is said once of a run without `$`."""
WritersByCell = dict[int, list[int]]
"""The positions that wrote on each cell of a tape, in their order."""


class RowToken(NamedTuple):
    """A token: its label, the row whose step it is or the symbol that it puts out, and the heads behind it."""

    label: str
    done: TuringRow | str
    heads: tuple[int, ...]


class FurtherHead(NamedTuple):
    """A head that the machine which reads ahead has more: what it is on, its cell, what it finds there and whence."""

    name: str
    cell: int
    reads: str
    looked: Looked | None


class RowFrame(NamedTuple):
    """The machine behind a token: its position and label (none for the first frame, which is of the last letter or `$`
    and says the first state), the row that was used or the symbol that was put out, the tapes, the heads, and for each
    head that reads a cell what it retrieved: None where no token was looked at, or the token wrote it, whose head stays
    (`stays`; its column finds `$` then). `held` is None where no letter is read ahead; `own` names the head, "input" or
    "ahead", that is on the cell of this very letter, which it does not see."""

    position: int
    label: str
    done: TuringRow | str
    tapes: tuple[dict[int, str], ...]
    heads: tuple[int, ...]
    looked: tuple[Looked | None, ...]
    further: tuple[FurtherHead, ...]
    held: str | None
    own: str

    def stays(self, tape: int) -> bool:
        """Whether the step left the head of a tape where it was, so that what it wrote is under it."""
        return tape in _staying(self.done)


def tokens(machine: TuringMachine, word: Sequence[str], ahead: bool = False) -> Iterator[RowToken]:
    """The tokens behind a word, by the table alone: the last one puts out a blank. They may never end. With `ahead`
    those of the decoder without `$`, of a word with a letter, whose input is read one letter ahead."""
    nothing = machine.blank
    behind, held_symbol = dict(enumerate(word[1:], 2)), word[0] if ahead else nothing
    copy: dict[int, str] = {}
    tapes: list[dict[int, str]] = [dict(enumerate(word, 1)), *({} for _ in range(machine.tapes))]
    heads, state = [machine.head, *[0] * machine.tapes], machine.start
    while state not in machine.halt:
        reads = tuple(tape.get(head, machine.blank) for tape, head in zip(tapes, heads, strict=True))
        label, row = row_label(state, reads), machine.rows[state, reads]
        # The decoder without $: its label also says the next symbol, the one held, and whether there is a copy.
        if ahead:
            at, following = heads[0], behind.get(heads[0] + 1, nothing)
            label = AheadRow(state, reads, following, held_symbol, copy.get(at, nothing) != nothing).label
            copy[at], held_symbol = reads[0], following if row.moves[0] == 1 else nothing
        for tape, head, symbol in zip(tapes[1:], heads[1:], row.writes, strict=True):
            tape[head] = symbol
        heads = [head + move for head, move in zip(heads, row.moves, strict=True)]
        state = row.state
        yield RowToken(label, row, tuple(heads))
    # The machine has halted: the last tape from the head on, to the first blank.
    while True:
        symbol = tapes[-1].get(heads[-1], machine.blank)
        heads[-1] += 1
        yield RowToken(f"={symbol}", symbol, tuple(heads))
        if symbol == machine.blank:
            return


class RowRun:
    """A run to at most `limit` tokens: `whole`, and whether it `ended`; then the blank that ends the output is the last
    token, which counts to the limit."""

    def __init__(self, machine: TuringMachine, word: Sequence[str], limit: int, ahead: bool = False) -> None:
        self.machine, self.word, self.ahead = machine, tuple(word), ahead
        self.whole = tuple(itertools.islice(tokens(machine, word, ahead), limit))
        self.ended = bool(self.whole) and self.whole[-1].done == machine.blank

    @property
    def last(self) -> dict[str, object]:
        """How it stopped, and its output."""
        output_symbols = [
            token.done for token in self.whole if isinstance(token.done, str) and token.done != self.machine.blank
        ]
        return {"stopped": "end" if self.ended else "limit", "output": "".join(output_symbols)}

    def frames(self) -> Iterator[RowFrame]:
        """The first frame, and one a token but for the blank that ends the output. The tapes are one object each, which
        goes on changing."""
        machine, n = self.machine, len(self.word)
        tapes = (dict(enumerate(self.word, 1)), *({} for _ in range(machine.tapes)))
        # What the input head can find behind the last input symbol; a strict mask hides that symbol itself.
        visible = range(1 + self.ahead, n)  # the last letter does not see itself
        rows_before = _RowsBefore(machine, self.ahead, {j: [j] for j in visible})
        start = (machine.head, *[0] * machine.tapes)
        held_symbol = self.word[0] if self.ahead else None
        yield self._frame(n, "", machine.start, tapes, start, rows_before, held_symbol)
        if n > self.ahead:
            rows_before.wrote[0][n] = [n]
        heads = start
        for position, (label, done, after) in enumerate(self.whole[: len(self.whole) - self.ended], n + 1):
            # An output symbol: no head is looked at.
            if isinstance(done, str):
                yield RowFrame(position, label, done, tapes, after, (), (), held_symbol, "")
                continue
            if held_symbol is not None:
                held_symbol = self._ahead(heads[0] + 1) if done.moves[0] == 1 else machine.blank
            for tape, head, symbol in zip(tapes[1:], heads[1:], done.writes, strict=True):
                tape[head] = symbol
            # A token sees the steps before it, so its own step is added afterwards.
            yield self._frame(position, label, done, tapes, after, rows_before, held_symbol)
            rows_before.add(position, heads, tapes[0].get(heads[0], machine.blank))
            heads = after

    def _ahead(self, cell: int) -> str:
        """What the head that reads ahead finds: the first letter is in no cell, as its column stands for blanks."""
        return self.word[cell - 1] if 2 <= cell <= len(self.word) else self.machine.blank

    def _frame(
        self, position: int, label: str, done: TuringRow | str, tapes: tuple[dict[int, str], ...],
        heads: tuple[int, ...], seen: _RowsBefore, held: str | None,
    ) -> RowFrame:  # fmt: skip
        """The frame behind a token that is no output."""
        import flint

        # The input head, or the head one cell further to the right that reads ahead.
        letters = heads[0] + self.ahead
        own = ("ahead" if self.ahead else "input") if not label and letters == position else ""
        stays = _staying(done)
        with PRECISION, flint.ctx.workprec(BITS):
            first = seen.found(0, letters, position)
            works = [
                None if tape in stays else seen.found(tape, head, position) for tape, head in enumerate(heads[1:], 1)
            ]
            if not self.ahead:
                return RowFrame(position, label, done, tapes, heads, (first, *works), (), None, own)
            # Without $ the symbol under the input head comes from the copy, the next one from the input.
            copied = None if 0 in stays else seen.copied(heads[0], position)
        blank = self.machine.blank
        there = tapes[0].get(heads[0], blank) if 0 in stays else seen.copy.get(heads[0], blank)
        further = (
            FurtherHead("copy", heads[0], there, copied),
            FurtherHead("ahead", letters, self._ahead(letters), first),
        )
        looked = (copied if there != blank else None, *works)
        return RowFrame(position, label, done, tapes, heads, looked, further, held, own)


def _staying(done: TuringRow | str) -> set[int]:
    """The tapes whose heads a step leaves where they were: none where it is no step."""
    return set() if isinstance(done, str) else {tape for tape, move in enumerate(done.moves) if not move}


def machine_of_table(model: Transformer) -> TuringMachine:
    """The machine whose table a decoder of --theorem 2 was made of. BadInput for another model, and for weights that
    are not the compiler's."""
    program = model.program
    if program is None or program.kind != "tm" or not program.theorem:
        raise BadInput("a model must be compiled from a Turing machine by --theorem 2", model.name)
    if not genuine(model):
        must = "a run by the table must have the weights that compile gives to the machine"
        raise BadInput(must, "other weights", "give --domain ball")
    return at_first_letter(read_turing(program.source))


def row_run(model: Transformer, machine: TuringMachine, word: str | Sequence[str], limit: int) -> RowRun:
    """The run of that model by the table of its machine. BadInput for a word that it does not take."""
    typed = machine.word(word)
    model.tokens(typed)  # BadInput where nothing stands in front of the first token
    return RowRun(machine, typed, limit, ahead=not model.embedding.added)


class _RowsBefore:
    """What columns can look at: of each tape the positions that wrote on its cells, of letters and of the copy."""

    def __init__(self, machine: TuringMachine, ahead: bool, letters: WritersByCell) -> None:
        self.least = int(ahead)
        """The position of `$`, or of the letter in its place."""
        self.blank, self.copy = machine.blank, dict[int, str]()
        self.wrote: list[WritersByCell] = [letters, *({} for _ in range(machine.tapes))]
        self.copies: WritersByCell = {}

    def add(self, position: int, heads: Sequence[int], read: str) -> None:
        """A step at `position`, whose heads were on these cells before, and the input head read there."""
        for cells, head in zip((self.copies, *self.wrote[1:]), heads, strict=True):
            cells.setdefault(head, []).append(position)
        self.copy[heads[0]] = read

    def found(self, tape: int, head: int, position: int) -> Looked | None:
        """What the head of a tape retrieves behind the token at a position."""
        return self._found(self.wrote[tape], head, position, 0 if tape else 1 + self.least)

    def copied(self, head: int, position: int) -> Looked | None:
        """What the head on the copy of the input retrieves."""
        return self._found(self.copies, head, position, 1)

    def _found(self, cells: Mapping[int, list[int]], head: int, position: int, first: int) -> Looked | None:
        """What one head retrieves; None behind the first token of all, where it sees nothing. Cells are hashed less
        `first`."""
        from flint import arb

        i = position - self.least
        if i == 0:
            return None
        inverse = arb(1) / i
        share = (1 - 1 / (1 + inverse * inverse).sqrt()) / 2
        tie = 1 - 1 / (1 + share * share).sqrt()
        scores: list[tuple[arb, int]] = [(1 - tie, self.least)]
        # Candidates for the two greatest scores: the cell itself and the nearest ones on both sides, which lose least
        # by angle; of each the last two writes, which lose least by the tie-break.
        below, above = [cell for cell in cells if cell < head], [cell for cell in cells if cell > head]
        for cell in (*([head] if head in cells else []), *sorted(below)[-1:], *sorted(above)[:1]):
            for j in cells[cell][-2:]:
                score = cosine(head - first, cell - first) - tie / arb((j - self.least) ** 2 + 1).sqrt()
                scores.append((score, j))
        return compared(scores)


def changes(run: RowRun) -> Iterator[dict[str, Any]]:
    """For the first state and each token what it changes, and what each head retrieves behind it. The first entry, with
    "given", is none of the tokens: it is the last letter, or `$`, which says the first state."""
    for frame in run.frames():
        change: dict[str, Any] = {"position": frame.position}
        if not frame.label:
            change |= {"token": frame.done, "write": [], "move": [], "given": True}
        elif isinstance(frame.done, str):
            yield change | {"token": frame.done}
            continue
        else:
            moves = [LETTERS[move] for move in frame.done.moves]
            change |= {"token": frame.done.state, "write": list(frame.done.writes), "move": moves}
        change |= {"looked": [_shown(looked) for looked in frame.looked], "fresh": []}
        if frame.held is not None:
            further = [head._asdict() | {"looked": _shown(head.looked)} for head in frame.further]
            change |= {"held": frame.held, "further": further}
        yield change


def document(run: RowRun) -> tuple[dict[str, Any], list[str]]:
    """A run as `symcook.thought.frames.differences` has it, and the labels of its tokens. The blank that ends the
    output counts to the limit, and is left out."""
    machine = run.machine
    start = [machine.head, *[0] * machine.tapes]
    ends = {"blank": machine.blank, "start": machine.start, "halt": list(machine.halt), "heads": start}
    labels = [token.label for token in run.whole[: len(run.whole) - run.ended]]
    return {"input": list(run.word), **ends, "tokens": list(changes(run)), **run.last}, labels


def _shown(looked: Looked | None) -> dict[str, object] | None:
    """A retrieval as a document."""
    return looked and {"position": looked.position, "rival": looked.rival, "gap": looked.gap}
