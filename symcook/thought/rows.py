"""Runs of the decoders of `compile tm --theorem 2`. Their tokens are the rows of the transition table that are used,
then the output; a frame also has what each head retrieves after a token.

After the token at i, a head on cell h gives the score cos(h, h') - T/sqrt(j^2 + 1) to a token at j < i that wrote cell
h', and the score 1 - T to `$`, which stands for all cells that no token wrote. Here T = 1 - 1/sqrt(1 + F(1/i)^2) and
F(x) = (1 - 1/sqrt(1 + x^2))/2. Input symbol j stands for cell j, and on the input tape cosines are of cells minus 1.
Tokens that wrote nothing on a tape have a score lower by 3, and are left out here.

Without `$` (`ahead`) the first input symbol takes its place, and i and j are positions minus 1. The decoder then has
two further heads. One looks one cell to the right of the input head, with cosines of cells minus 2; the state holds the
symbol that it finds until the next step. The other head is on the cell of the input head and looks at a copy of the
symbols that were read. The input is read from the copy if that has a symbol there, else from the state. The copy and
the further heads are in addition to the tapes of the machine that was given.
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
"""The remark that is printed once for a run without `$`."""
WritersByCell = dict[int, list[int]]
"""By cell of a tape: the positions of the tokens that wrote on it, in rising order."""


class RowToken(NamedTuple):
    """A token that the decoder generates."""

    label: str
    done: TuringRow | str
    """The row of the table whose step it is, or the symbol that it outputs."""
    heads: tuple[int, ...]
    """The cells of the heads after it: of the input tape, then of each work tape."""


class FurtherHead(NamedTuple):
    """One of the two heads that only a machine which reads ahead has."""

    name: str
    """"copy" or "ahead"."""
    cell: int
    """The cell that it is on."""
    reads: str
    """The symbol that it finds there."""
    looked: Looked | None
    """What it retrieves; None if it needs no token."""


class RowFrame(NamedTuple):
    """The machine after a token. The first frame is after the last input symbol, or after `$`. Tuples have the input
    tape first, then the work tapes."""

    position: int
    label: str
    """The token's label; "" for the first frame."""
    done: TuringRow | str
    """The row of the table that was used, or the symbol that was output; for the first frame the start state."""
    tapes: tuple[dict[int, str], ...]
    """By tape: the symbol of each cell that has one."""
    heads: tuple[int, ...]
    """By tape: the cell of the head."""
    looked: tuple[Looked | None, ...]
    """By tape: what its head retrieves. None if there is no token to look at, and for a work head that did not move
    (`stays`): then the token itself has written the cell, and its column retrieves `$`. A machine that reads ahead has
    in the place of the input tape what the head on the copy retrieves, and None if the copy has no symbol there or the
    input head did not move. Empty after an output token."""
    further: tuple[FurtherHead, ...]
    """The further heads of a machine that reads ahead; empty after an output token."""
    held: str | None
    """The symbol read ahead that the state holds; None for a machine that does not read ahead."""
    own: str
    """The head, "input" or "ahead", that is on the cell of the input symbol at this position, which it does not see; ""
    if there is none."""

    def stays(self, tape: int) -> bool:
        """Whether the step left the head of a tape where it was, so that what it wrote is under it."""
        return tape in _staying(self.done)


def tokens(machine: TuringMachine, word: Sequence[str], ahead: bool = False) -> Iterator[RowToken]:
    """The tokens that are generated after the input `word`, by the table alone. The last token outputs a blank; if
    the machine does not halt, there is no last one. With `ahead` they are those of the decoder without `$`, which reads
    its input one symbol ahead, and `word` must not be empty."""
    blank_symbol = machine.blank
    # For `ahead`: the input symbols by cell, without the first, which is held at the start; and the copy, by cell.
    unread, held_symbol = dict(enumerate(word[1:], 2)), word[0] if ahead else blank_symbol
    copy: dict[int, str] = {}
    tapes: list[dict[int, str]] = [dict(enumerate(word, 1)), *({} for _ in range(machine.tapes))]
    heads, state = [machine.head, *[0] * machine.tapes], machine.start
    while state not in machine.halt:
        reads = tuple(tape.get(head, machine.blank) for tape, head in zip(tapes, heads, strict=True))
        label, row = row_label(state, reads), machine.rows[state, reads]
        # The label of the decoder without $ also has the next symbol, the symbol that is held, and whether the cell has
        # a copy.
        if ahead:
            input_cell, following = heads[0], unread.get(heads[0] + 1, blank_symbol)
            label = AheadRow(
                state, reads, following, held_symbol, copy.get(input_cell, blank_symbol) != blank_symbol
            ).label
            copy[input_cell], held_symbol = reads[0], following if row.moves[0] == 1 else blank_symbol
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
    """A run of at most `limit` tokens. `whole` has the tokens, and `ended` says whether the run came to its end. If
    so, the last token is the blank that ends the output, and counts as one of the `limit` tokens."""

    def __init__(self, machine: TuringMachine, word: Sequence[str], limit: int, ahead: bool = False) -> None:
        self.machine, self.word, self.ahead = machine, tuple(word), ahead
        self.whole = tuple(itertools.islice(tokens(machine, word, ahead), limit))
        self.ended = bool(self.whole) and self.whole[-1].done == machine.blank

    @property
    def last(self) -> dict[str, object]:
        """How the run stopped, and its output, as JSON."""
        output_symbols = [
            token.done for token in self.whole if isinstance(token.done, str) and token.done != self.machine.blank
        ]
        return {"stopped": "end" if self.ended else "limit", "output": self.machine.output_text(output_symbols)}

    def frames(self) -> Iterator[RowFrame]:
        """The first frame, then one for each token except the blank that ends the output. All frames share the
        dictionaries of the tapes, which change from frame to frame."""
        machine, n = self.machine, len(self.word)
        tapes = (dict(enumerate(self.word, 1)), *({} for _ in range(machine.tapes)))
        # The input symbols that a head can retrieve in the first frame: the strict mask hides the last symbol from
        # itself, and without $ the first symbol stands for blanks.
        visible = range(1 + self.ahead, n)
        rows_before = _RowsBefore(machine, self.ahead, {j: [j] for j in visible})
        start = (machine.head, *[0] * machine.tapes)
        held_symbol = self.word[0] if self.ahead else None
        yield self._frame(n, "", machine.start, tapes, start, rows_before, held_symbol)
        if n > self.ahead:
            rows_before.wrote[0][n] = [n]
        heads = start
        for position, (label, done, after) in enumerate(self.whole[: len(self.whole) - self.ended], n + 1):
            # After an output symbol, the frame shows no heads.
            if isinstance(done, str):
                yield RowFrame(position, label, done, tapes, after, (), (), held_symbol, "")
                continue
            if held_symbol is not None:
                held_symbol = self._ahead(heads[0] + 1) if done.moves[0] == 1 else machine.blank
            for tape, head, symbol in zip(tapes[1:], heads[1:], done.writes, strict=True):
                tape[head] = symbol
            # A token sees only the steps before it, so its own step is added after its frame.
            yield self._frame(position, label, done, tapes, after, rows_before, held_symbol)
            rows_before.add(position, heads, tapes[0].get(heads[0], machine.blank))
            heads = after

    def _ahead(self, cell: int) -> str:
        """The symbol that the head which reads ahead finds in a cell. It does not find the first input symbol, whose
        column stands for blanks."""
        return self.word[cell - 1] if 2 <= cell <= len(self.word) else self.machine.blank

    def _frame(
        self, position: int, label: str, done: TuringRow | str, tapes: tuple[dict[int, str], ...],
        heads: tuple[int, ...], seen: _RowsBefore, held: str | None,
    ) -> RowFrame:  # fmt: skip
        """The frame after the last input symbol or `$`, or after a step. `seen` has the earlier positions that
        wrote."""
        import flint

        # The cell of the head that looks at input symbols: the input head, or the head one cell to its right that reads
        # ahead.
        letters = heads[0] + self.ahead
        own = ("ahead" if self.ahead else "input") if not label and letters == position else ""
        stays = _staying(done)
        with PRECISION, flint.ctx.workprec(BITS):
            input_lookup = seen.found(0, letters, position)
            works = [
                None if tape in stays else seen.found(tape, head, position) for tape, head in enumerate(heads[1:], 1)
            ]
            if not self.ahead:
                return RowFrame(position, label, done, tapes, heads, (input_lookup, *works), (), None, own)
            # Without $ the symbol under the input head comes from the copy, and the next symbol from the input.
            copied = None if 0 in stays else seen.copied(heads[0], position)
        blank = self.machine.blank
        copy_symbol = tapes[0].get(heads[0], blank) if 0 in stays else seen.copy.get(heads[0], blank)
        further = (
            FurtherHead("copy", heads[0], copy_symbol, copied),
            FurtherHead("ahead", letters, self._ahead(letters), input_lookup),
        )
        looked = (copied if copy_symbol != blank else None, *works)
        return RowFrame(position, label, done, tapes, heads, looked, further, held, own)


def _staying(done: TuringRow | str) -> set[int]:
    """The tapes whose heads a step does not move; empty for a token that is not a step."""
    return set() if isinstance(done, str) else {tape for tape, move in enumerate(done.moves) if not move}


def machine_of_table(model: Transformer) -> TuringMachine:
    """The machine from whose table a decoder of --theorem 2 was compiled. BadInput for any other model, and if the
    weights are not those of the compiler."""
    program = model.program
    if program is None or program.kind != "tm" or not program.theorem:
        must = "a model must be compiled from a Turing machine by --theorem 2"
        raise BadInput(must, model.name, "compile one: symcook compile tm 1RB1LB_1LA1RZ --theorem 2 -o beaver.json")
    if not genuine(model):
        must = "the fast run by the transition table must have the weights that symcook compile gives the machine"
        raise BadInput(must, "other weights", "give --domain ball (rigorous intervals)")
    return at_first_letter(read_turing(program.source))


def row_run(model: Transformer, machine: TuringMachine, word: str | Sequence[str], limit: int) -> RowRun:
    """The run of `model`, a decoder of --theorem 2, by the table of its `machine`. BadInput for an invalid input."""
    typed = machine.word(word)
    model.tokens(typed)  # BadInput for an empty input, if the model adds no $
    return RowRun(machine, typed, limit, ahead=not model.embedding.added)


class _RowsBefore:
    """What the heads of a column can retrieve: the earlier positions that wrote on the cells of each tape and of the
    copy. `wrote` has the input tape first, whose writers are the input symbols."""

    def __init__(self, machine: TuringMachine, ahead: bool, letters: WritersByCell) -> None:
        self.least = int(ahead)
        """The position of `$`, or of the input symbol in its place."""
        self.blank, self.copy = machine.blank, dict[int, str]()
        self.wrote: list[WritersByCell] = [letters, *({} for _ in range(machine.tapes))]
        self.copies: WritersByCell = {}

    def add(self, position: int, heads: Sequence[int], read: str) -> None:
        """Add a step at `position`. Its heads were on the cells `heads` before, and the input head read the symbol
        `read`."""
        for cells, head in zip((self.copies, *self.wrote[1:]), heads, strict=True):
            cells.setdefault(head, []).append(position)
        self.copy[heads[0]] = read

    def found(self, tape: int, head: int, position: int) -> Looked | None:
        """What the head of a tape retrieves on the cell `head`, after the token at `position`."""
        return self._found(self.wrote[tape], head, position, 0 if tape else 1 + self.least)

    def copied(self, head: int, position: int) -> Looked | None:
        """What the head on the copy of the input retrieves on the cell `head`, after the token at `position`."""
        return self._found(self.copies, head, position, 1)

    def _found(self, cells: Mapping[int, list[int]], head: int, position: int, first: int) -> Looked | None:
        """What a head on the cell `head` retrieves, where `cells` has the writers of its tape. Hashes are of cells
        minus `first`. None after the first token of all, which sees no other."""
        from flint import arb

        i = position - self.least
        if i == 0:
            return None
        inverse = arb(1) / i
        share = (1 - 1 / (1 + inverse * inverse).sqrt()) / 2
        tie = 1 - 1 / (1 + share * share).sqrt()
        scores: list[tuple[arb, int]] = [(1 - tie, self.least)]
        # The candidates for the two largest scores are the cell itself and the nearest cells on both sides, whose
        # cosines are largest; and for each cell the last two writers, whose tie-breaks are smallest.
        below, above = [cell for cell in cells if cell < head], [cell for cell in cells if cell > head]
        for cell in (*([head] if head in cells else []), *sorted(below)[-1:], *sorted(above)[:1]):
            for j in cells[cell][-2:]:
                score = cosine(head - first, cell - first) - tie / arb((j - self.least) ** 2 + 1).sqrt()
                scores.append((score, j))
        return compared(scores)


def changes(run: RowRun) -> Iterator[dict[str, Any]]:
    """For each frame, as JSON: what its token changes and, except for an output token, what each head retrieves after
    it. The first entry, with "given", is for no generated token, but for the last input symbol or `$`, which gives the
    start state."""
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
    """A run as a document like that of `symcook.thought.frames.differences`, and the labels of its tokens, without the
    blank that ends the output."""
    machine = run.machine
    start = [machine.head, *[0] * machine.tapes]
    ends = {"blank": machine.blank, "start": machine.start, "halt": list(machine.halt), "heads": start}
    labels = [token.label for token in run.whole[: len(run.whole) - run.ended]]
    return {"input": list(run.word), **ends, "tokens": list(changes(run)), **run.last}, labels


def _shown(looked: Looked | None) -> dict[str, object] | None:
    """A retrieval as JSON; None without one."""
    return looked and {"position": looked.position, "rival": looked.rival, "gap": looked.gap}
