"""Compiler from Turing machines to decoders: each token says what one step of the machine changed; then the output
follows.

This is the construction of Theorem 2 of Merrill and Sabharwal (2024), made exact for every machine. Position 0 holds
`$`; the input follows, then the tokens of steps, the first of which is the start. Masks are causal and strict,
attention is hard, and a layer norm stands before each sublayer. The model gets no positions. The variants "nonstrict"
(masks include the token itself) and "no-start" (no `$`, and one more layer first) differ where a docstring says so.

Layer 1. A uniform head computes u = 1/i and, for each tape, P = (position of the head before the token's own move)/i.
Layer norms turn (P, u), (P + u, u) and (P - u, u) into hashes: of the cell where the token wrote, and of the cells
where its head may have gone. The token's own move selects among them.

Layer 2. For each work tape a head looks for the last step that wrote on the cell where the head is now. Its score is
the cosine of the hashes minus a tie-break T_j = F(F(1/j)), F(x) = (1 - 1/sqrt(1 + x^2))/2. T is positive and
decreasing, and for all j smaller than the gap to a neighbouring cell. With weighting "rightmost" there is no T, and
equal scores are decided by place. For the input tape `$`, the input and the first step are candidates, each for the
cell of its own position: the nearest in angle is the cell itself, or a blank end.

Layer 3. There is one unit for each row of the table, and two more for each row and work tape, which compute flags. A
few units are for the first step and for the output.

Retrieval alone cannot tell whether a cell was ever visited. But the visited cells of a tape are an interval, and each
token writes two flags: whether its cell is the leftmost, or the rightmost, visited so far. So a token knows whether a
head has come to a fresh cell, and retrieval is used only where there is something to retrieve.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from symcook.errors import BadInput, require_known
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Program, Transformer
from symcook.programs import WEIGHTINGS
from symcook.programs.steps import END, START, MachineToken, OutputToken, StepToken, WrittenCell, first_token, labels
from symcook.programs.turing import TuringMachine

MASK = "strict-future"
"""The mask of all heads but in the variant "nonstrict"."""
MOVE = {1: "plus", -1: "minus", 0: "stay"}
"""The first part of the name of a move's bit; the tape's number follows."""
BitsByName = Mapping[str, int]
"""Integer factors by coordinate, most of them of bits."""
HALF = Fraction(1, 2)


class NamedUnit(NamedTuple):
    """A hidden unit: relu of a sum of coordinates and a bias, added to coordinates with weights."""

    terms: BitsByName
    bias: int
    adds: BitsByName


class UnitNetwork(list[NamedUnit]):
    """A feed-forward layer as a list of units."""

    def add(self, terms: BitsByName, bias: int, adds: BitsByName) -> None:
        """Add a unit; see `NamedUnit`."""
        self.append(NamedUnit(terms, bias, adds))

    @cached_property
    def readers(self) -> dict[str, list[tuple[int, int]]]:
        """For each coordinate the units that read it, by number, and their weights there. It is computed once, so no
        unit may be added afterwards."""
        reading_units: dict[str, list[tuple[int, int]]] = {}
        for number, unit in enumerate(self):
            for name, weight in unit.terms.items():
                reading_units.setdefault(name, []).append((number, weight))
        return reading_units

    def values(self, bits: Iterable[str]) -> dict[str, int]:
        """The sums that the units add to coordinates, if the coordinates `bits` are 1 and all others 0; coordinates to
        which no active unit adds are left out. No unit has a positive bias, so units that read none of `bits` are
        0."""
        sums: dict[int, int] = {}
        for name in bits:
            for number, weight in self.readers.get(name, ()):
                sums[number] = sums.get(number, 0) + weight
        totals: dict[str, int] = {}
        for number, total in sums.items():
            value = total + self[number].bias
            if value > 0:
                for name, weight in self[number].adds.items():
                    totals[name] = totals.get(name, 0) + value * weight
        return totals

    def part(self) -> FeedForward:
        """These units as a feed-forward layer."""
        reads = tuple(dict.fromkeys(name for unit in self for name in unit.terms))
        writes = tuple(dict.fromkeys(name for unit in self for name in unit.adds))
        return FeedForward(
            reads,
            writes,
            [[unit.terms.get(name, 0) for name in reads] for unit in self],
            [unit.bias for unit in self],
            [[unit.adds.get(name, 0) for unit in self] for name in writes],
            [0] * len(writes),
        )


class MachineDecoder:
    """The construction for one machine: its tokens as bits, its networks as units, and the model made of them.

    `states`, `letters` and `cells` give each state, input symbol and tape symbol its coordinate or number. `strict`:
    masks exclude the token itself. `marked`: $ stands before the input.
    """

    def __init__(self, machine: TuringMachine, weighting: str = "average", variant: str = "strict") -> None:
        require_known("weighting", weighting, WEIGHTINGS)
        self.machine, self.weighting = machine, weighting
        self.strict, self.marked = variant != "nonstrict", variant != "no-start"
        self.mask = MASK if self.strict else "future"
        self.first_column = "bos" if self.marked else "lead"
        self.tapes = range(1, machine.tapes + 1)
        self.all_tapes = range(machine.tapes + 1)  # tape 0 is the input
        self.states = {state: f"q{k}" for k, state in enumerate(machine.states)}
        self.letters = {letter: f"x{k}" for k, letter in enumerate(machine.input)}
        self.cells = {symbol: k for k, symbol in enumerate(machine.cells)}
        self.first = first_token(machine)

    # Tokens.

    def bits(self, token: MachineToken | str) -> dict[str, int]:
        """The coordinates that are 1 in the embedding of a token; a string is $, an input symbol, or END. END is never
        embedded: it has the bit `end` alone, for the readout."""
        entries = {"one": 1}
        if isinstance(token, StepToken):
            entries |= {"step": 1, self.states[token.state]: 1} | ({"first": 1} if token.first else {})
            for tape, written in zip(self.tapes, token.written, strict=True):
                entries[f"w{tape}_{self.cells[written.symbol]}"] = 1
                entries |= {f"left{tape}": 1} if written.leftmost else {}
                entries |= {f"right{tape}": 1} if written.rightmost else {}
                entries |= {f"fresh{tape}": 1} if token.fresh[tape - 1] else {}
            moves = token.moves
        elif isinstance(token, OutputToken):
            entries |= {"out": 1, f"o{self.cells[token.symbol]}": 1} | ({"last": 1} if token.rightmost else {})
            moves = (*[0] * len(self.tapes), 1)
        elif token == END:
            return {"end": 1}
        else:
            entries |= {"bos": 1} if token == START else {self.letters[token]: 1, "typed": 1}
            moves = (0, *[0] * len(self.tapes))
        return entries | {f"{MOVE[move]}{tape}": 1 for tape, move in enumerate(moves)}

    def token(self, bits: AbstractSet[str]) -> MachineToken | str | None:
        """The token, or END, whose answered bits are `bits`; None if there is none."""
        states = [state for state, name in self.states.items() if name in bits]
        symbols = [symbol for symbol, k in self.cells.items() if f"o{k}" in bits]
        moves = [[move for move, name in MOVE.items() if f"{name}{tape}" in bits] for tape in (0, *self.tapes)]
        cells = [[symbol for symbol, k in self.cells.items() if f"w{tape}_{k}" in bits] for tape in self.tapes]
        token: MachineToken | str | None = None
        if "end" in bits:
            token = END
        elif symbols:
            token = OutputToken(symbols[0], "last" in bits)
        elif states and all(moves) and all(cells):
            written = tuple(
                WrittenCell(of_tape[0], f"left{tape}" in bits, f"right{tape}" in bits)
                for tape, of_tape in zip(self.tapes, cells, strict=True)
            )
            fresh = tuple(f"fresh{tape}" in bits for tape in self.tapes)
            token = StepToken(states[0], written, tuple(directions[0] for directions in moves), fresh, "first" in bits)
        return token if token is not None and self.answered(token) == bits else None

    def answered(self, token: MachineToken | str) -> set[str]:
        """The bits of a token that the networks compute: all but `one`, and for an output token without its moves."""
        bits_set = set(self.bits(token)) - {"one"}
        if isinstance(token, OutputToken):
            bits_set &= {"out", "last", f"o{self.cells[token.symbol]}"}
        return bits_set

    # Networks.

    def own(self, tape: int) -> list[str]:
        """The coordinates of what the token itself wrote on a tape: one per symbol, then the flags leftmost and
        rightmost."""
        return [*(f"w{tape}_{k}" for k in self.cells.values()), f"left{tape}", f"right{tape}"]

    def got(self, tape: int) -> list[str]:
        """The coordinates of what the retrieved token wrote, in the order of `own`."""
        return [f"got_{name}" for name in self.own(tape)]

    def here(self, tape: int) -> list[str]:
        """The coordinates of what the cell under the head holds, in the order of `own`."""
        return [f"here_{name}" for name in self.own(tape)]

    @cached_property
    def selection(self) -> UnitNetwork:
        """The units that compute what the cell under each work head holds: the retrieved symbol; after a move of 0 the
        symbol that the token wrote itself; on a fresh cell the blank, with a flag for the edge at which the cell is."""
        network = UnitNetwork()
        for tape in self.tapes:
            fresh, stay, blank = f"fresh{tape}", f"stay{tape}", 0
            for k, (retrieved, own, here) in enumerate(
                zip(self.got(tape), self.own(tape), self.here(tape), strict=True)
            ):
                # The head moved to a visited cell: copy what the last write there was.
                network.add({retrieved: 1, fresh: -1, stay: -1}, 0, {here: 1})
                # The head stayed: copy what this token wrote itself.
                network.add({own: 1, stay: 1, fresh: -1}, -1, {here: 1})
                # A fresh cell is blank, and lies at the edge from which the head came. At the first step no head has
                # moved, and the cell is both leftmost and rightmost.
                if k == blank:
                    network.add({fresh: 1}, 0, {here: 1})
                side = {f"left{tape}": f"minus{tape}", f"right{tape}": f"plus{tape}"}.get(own)
                if side is not None:
                    network.add({fresh: 1, side: 1}, -1, {here: 1})
                    network.add({fresh: 1, "first": 1}, -1, {here: 1})
        return network

    @cached_property
    def transition(self) -> UnitNetwork:
        """The bits of the next token, each at a coordinate next_*."""
        network = UnitNetwork()
        self._add_rows(network)
        # After the input comes the first step; so $ and each input symbol answer with it.
        start = {f"next_{name}": 1 for name in self.bits(self.first) if name != "one"}
        network.add({"bos": 1, "typed": 1} if self.marked else {"typed": 1}, 0, start)
        self._add_output(network)
        return network

    def _add_rows(self, network: UnitNetwork) -> None:
        """Add the units of the table: the next step where the machine does not halt."""
        cells = self.cells
        # One unit for each row. It is 1 if all bits that it reads are 1: the state, the symbol read on the input, and
        # the symbols under the work heads.
        for (state, reads), (entered, writes, moves) in self.machine.rows.items():
            base = {self.states[state]: 1}
            if reads[0] in self.letters:
                base[f"read_{self.letters[reads[0]]}"] = 1
                bias = -len(self.tapes) - 1
            else:
                # A blank on the input has no bit of its own: it is read when no input symbol is.
                base |= {f"read_{letter}": -1 for letter in self.letters.values()}
                bias = -len(self.tapes)
            for tape in self.tapes:
                base[self.here(tape)[cells[reads[tape]]]] = 1
            adds = {"next_step": 1, f"next_{self.states[entered]}": 1}
            adds |= {f"next_{MOVE[move]}{tape}": 1 for tape, move in enumerate(moves)}
            adds |= {f"next_w{tape}_{cells[writes[tape - 1]]}": 1 for tape in self.tapes}
            network.add(base, bias, adds)
            for tape in self.tapes:
                # The cell under the head is written and then left. It stays the leftmost (rightmost) visited unless the
                # head moves off over that edge: then the head comes to a fresh cell.
                leftmost, rightmost = self.here(tape)[-2:]
                if_leftmost = f"next_left{tape}" if moves[tape] >= 0 else f"next_fresh{tape}"
                if_rightmost = f"next_right{tape}" if moves[tape] <= 0 else f"next_fresh{tape}"
                network.add(base | {leftmost: 1}, bias - 1, {if_leftmost: 1})
                network.add(base | {rightmost: 1}, bias - 1, {if_rightmost: 1})

    def _add_output(self, network: UnitNetwork) -> None:
        """Add the units of the output, once a state halts: the last tape to the right from its head on, up to the first
        blank cell or the rightmost visited one; then the end."""
        last = self.tapes[-1]
        *symbols, _, rightmost = self.here(last)
        output_goes_on = {self.states[state]: 1 for state in self.machine.halt} | {"out": 1, "last": -1}
        for k, symbol in enumerate(symbols[1:], 1):
            network.add(output_goes_on | {symbol: 1}, -1, {"next_out": 1, f"next_o{k}": 1})
        network.add(output_goes_on | {rightmost: 1, symbols[0]: -1}, -1, {"next_last": 1})
        network.add(output_goes_on | {symbols[0]: 1}, -1, {"next_end": 1})
        network.add({"last": 1}, 0, {"next_end": 1})

    # The model.

    def model(self, source: str, name: str) -> Transformer:
        """The model of the machine, with its plan."""
        tie = self.weighting == "average"
        # The embedding: $, the input symbols, and every token that a step can write.
        words: dict[str, dict[str, int]] = {}
        if self.marked:
            words[START] = {**self.bits(START), **({"u": 1} if self.strict else {})}
        words |= {letter: self.bits(letter) for letter in self.machine.input}
        tokens = labels(self.machine)
        words |= {label: self.bits(token) for token, label in tokens.items()}
        # Without $ a layer before the others finds the first position.
        layers = (self._first(tie), self._second(tie), self._third())
        layers = layers if self.marked else (self._lead(), *layers)
        # The residual stream: what is embedded, what sublayers write, and what norms read.
        parts = [part for layer in layers for part in layer.parts() if not isinstance(part, LayerNorm)]
        written = [name for part in parts for name in part.writes]
        names = dict.fromkeys([*(name for row in words.values() for name in row), *written])
        norms = [norm for layer in layers for norm in (*layer.attention_norms, *layer.feedforward_norms)]
        names |= dict.fromkeys(name for norm in norms for name in norm.reads)
        # The readout: the score of a token is the number of its bits that are set, minus the number of other bits that
        # are set, minus the number of its bits. So it is 0 for the token with exactly the bits that are set, and
        # negative for every other token.
        nexts = list(dict.fromkeys(name for unit in self.transition for name in unit.adds))
        rows = []
        for token in (*tokens, END):
            bits = {f"next_{name}" for name in self.answered(token)}
            rows.append([*(1 if name in bits else -1 for name in nexts), -len(bits)])
        space = Space(tuple(names))
        before = START if self.marked else None
        embedding = Embedding(space, words=words, before=before, start=0 if self.marked else 1)
        readout = Readout("largest", "last", (*nexts, "one"), rows, (*tokens.values(), END))
        model = Transformer(name, embedding, layers, readout, source="Merrill and Sabharwal (2024), Theorem 2")
        plan = self._plan(model)
        return replace(model, program=Program("tm", source, tuple(words), plan))

    def _lead(self) -> Layer:
        """The layer before the others without $: `lead` is 1 at the first position, where the mean of ones over the
        positions before is 0."""
        network = UnitNetwork()
        network.add({"one": 1, "later": -1}, 0, {"lead": 1})
        head = Head((_held("one"),), ("later",), [[0]], [[0]], [[1]], self.mask)
        norms = (_bits(["one"]),), (_bits(["one", "later"]),)  # before the head, and before the network
        return Layer(SelfAttention((head,)), _over(network.part()), *norms, "multi pre")

    def _mean_moves(self) -> tuple[Head, LayerNorm]:
        """The uniform head of layer 1 and the norm before it. The head writes u, the share of the first position, and
        for each tape P, the mean of its moves."""
        reads = [self.first_column, *(f"{sign}{tape}" for tape in self.all_tapes for sign in ("plus", "minus"))]
        rows = [[int(name == self.first_column) for name in reads]]
        rows += [[(name == f"plus{tape}") - (name == f"minus{tape}") for name in reads] for tape in self.all_tapes]
        none = [[0] * len(reads)]
        writes = ("u", *(f"P{tape}" for tape in self.all_tapes))
        return Head(tuple(map(_held, reads)), writes, none, none, rows, self.mask), _bits(reads)

    def _first(self, tie: bool) -> Layer:
        """Layer 1: the mean moves P and the share u, the hashes of cells, and the choice among them by the token's own
        move. With masks that include the token itself, u is 1/(i + 1) and P counts the own move; so P is where the head
        is, and the hash with the move undone is where it wrote. Without $, u averages over the first letter's position:
        it is 0 there and 1/(i - 1) later, and u + lead is never 0."""
        share = ("u",) if self.marked else ("u", "lead")
        # For each tape and each move: the hash of the cell where the head is after that move. With masks that include
        # the token itself, P is already after the move, so the move is undone: the hash is of where the token wrote.
        norms, network = [], UnitNetwork()
        gates = [f"{MOVE[move]}{tape}" for tape in self.all_tapes for move in (1, -1, 0)]
        norms.append(_bits(gates))
        for tape in self.all_tapes:
            for move in (1, -1, 0):
                stem = f"{MOVE[move]}hash{tape}"
                move_factors = dict.fromkeys(share, move if self.strict else -move)
                norms.append(_hash({f"P{tape}": 1, **move_factors}, dict.fromkeys(share, 1), stem))
                # `moved` is the cell whose hash depends on the move, `still` the cell whose hash is that of move 0.
                moved, still = ("at", "wrote") if self.strict else ("wrote", "at")
                for side in "ab":
                    for sign in (1, -1):
                        # relu(h + b - 1) - relu(-h + b - 1), with b the bit of the move, is the part h of a hash if
                        # b = 1. For the two other moves b = 0, and both ReLUs are 0, since |h| < 1.
                        terms = {f"{stem}_{side}": sign, _held(f"{MOVE[move]}{tape}"): 1}
                        if tape or self.strict:
                            network.add(terms, -1, {f"{moved}{tape}_{side}": sign})
                        if not move and (tape or not self.strict):
                            network.add({f"{stem}_{side}": sign}, 0, {f"{still}{tape}_{side}": sign})
        # The hash of the token's own position: an input symbol is on the cell of that number.
        cell = {"one": 1, "u": 1} if not self.marked else {"one": 1, "bos" if self.strict else "u": -1}
        norms.append(_hash(cell, dict.fromkeys(share, 1), "placehash"))
        for side in "ab":
            for sign in (1, -1):
                network.add({f"placehash_{side}": sign}, 0, {f"place_{side}": sign})
        part = network.part()
        if tie:
            norms.append(_tie("u", "tiehash"))
            part = _with_tie(part)
        head, before = self._mean_moves()
        return Layer(SelfAttention((head,)), part, (before,), tuple(norms), "multi pre")

    def _second(self, tie: bool) -> Layer:
        """Layer 2: the heads that retrieve symbols, and the units that select the symbol under each work head."""
        heads, norms = [], []
        # Each sublayer reads through a norm. The norm of a hash leaves the hash unchanged.
        stems = [*(f"at{tape}" for tape in self.all_tapes), *(f"wrote{tape}" for tape in self.tapes), "place"]
        norms += [_hash({f"{stem}_a": 1}, {f"{stem}_b": 1}, f"{stem}n") for stem in stems]
        if tie:
            norms.append(_tie("F", "tie"))
        values = [*self.letters.values(), *(name for tape in self.tapes for name in self.own(tape))]
        bos = ["bos"] * self.marked
        norms.append(_bits(["one", *bos, "typed", "first", "step", *values]))
        # A position that is no candidate has -3 in its score, more than a difference of two cosines can make up.
        bias: dict[str, int | Fraction] = {"one": -3}
        # The input head: among $, the input and the first step, the position whose cell is nearest.
        if self.letters:
            key = bias | dict.fromkeys([*bos, "typed", "first"], 3)
            read = "read" if self.marked else "found"
            values = {f"{read}_{letter}": letter for letter in self.letters.values()}
            heads.append(_look("at0", "place", key, values, "average", self.mask))
        # The work heads: among steps, the last one that wrote where the head is.
        for tape in self.tapes:
            key = bias | {"step": 3, **dict.fromkeys(bos, -1)}
            if tie:
                key["tie_one"] = HALF
            values = dict(zip(self.got(tape), self.own(tape), strict=True))
            heads.append(_look(f"at{tape}", f"wrote{tape}", key, values, self.weighting, self.mask))
        # Without $, an input head left of the input retrieves the first symbol; the units of `_right_of_start` discard
        # it.
        if self.marked:
            part = self.selection.part()
            inner, over = (_bits(list(part.reads)),), _over(part)
        else:
            part = UnitNetwork([*self.selection, *self._right_of_start()]).part()
            bits = [name for name in part.reads if name != "at0n_a"]
            inner = _bits(bits), _hash({"at0_a": 1}, {"at0_b": 1}, "at0n")
            over = replace(part, reads=tuple(_held(name) if name in bits else name for name in part.reads))
        return Layer(SelfAttention(tuple(heads)), over, tuple(norms), inner, "multi pre")

    def _right_of_start(self) -> Iterable[NamedUnit]:
        """Units for the model without $: copy a found symbol to `read_*` if the input head is on cell 1 or right of it.
        There 2 times the first part of the hash of the head's cell is at least 1; left of cell 1 it is at most 0."""
        for letter in self.letters.values():
            for bias, sign in ((-2, 1), (-3, -1)):
                yield NamedUnit({"at0n_a": 2, f"found_{letter}": 2}, bias, {f"read_{letter}": sign})

    def _third(self) -> Layer:
        """Layer 3: the units of the table, which compute the bits of the next token."""
        part = self.transition.part()
        return Layer(None, _over(part), (), (_bits(list(part.reads)),), "projected pre")

    def _plan(self, model: Transformer) -> tuple[tuple[str, str, str], ...]:
        """The plan: each coordinate with the sublayer that writes it, and what it holds."""
        sublayer_of = dict.fromkeys(model.space, "embedding")
        for number, layer in enumerate(model.layers, 1):
            for part in layer.parts():
                if isinstance(part, LayerNorm):
                    continue
                kind = "attention" if isinstance(part, Head) else "feed-forward"
                sublayer_of |= dict.fromkeys(part.writes, f"layer {number}, {kind}")
        meanings = self._meanings()
        return tuple((name, sublayer_of[name], meanings[name]) for name in model.space)

    def _meanings(self) -> dict[str, str]:
        """What each coordinate holds."""
        # u is 1 over the number of positions that the mask allows at position i, without $ one less.
        over = "1/i" if self.strict else "1/(i + 1)"
        over = over if self.marked else "1/(i - 1)"
        meanings = {
                 "one": "1", "bos": "the token is $", "typed": "an input symbol", "step": "a step", "out": "an output",
                 "first": "the start", "last": "an output whose cell is the rightmost visited", "u": over,
                 "end": "the end", "F": "F of u", "later": "there is a token before", "lead": "there is none",
                 }  # fmt: skip
        meanings |= {name: f"the state entered is {state}" for state, name in self.states.items()}
        meanings |= {name: f"the input symbol is {letter}" for letter, name in self.letters.items()}
        # Output symbols, and what the input head reads.
        meanings |= {f"o{k}": f"the output is {symbol}" for symbol, k in self.cells.items()}
        meanings |= {f"read_{name}": f"the input head reads {letter}" for letter, name in self.letters.items()}
        meanings |= {f"found_{name}": f"the input head found {letter}" for letter, name in self.letters.items()}
        for side, what in (("a", "first"), ("b", "second")):
            meanings[f"place_{side}"] = f"{what} part of the hash of the own position"
        # Tape 0 is the input; work tapes also have cells that are written, retrieved and read.
        for tape in self.all_tapes:
            head_name = f"work head {tape}" if tape else "the input head"
            meanings[f"P{tape}"] = (
                f"where {head_name} was {'before' if self.strict else 'behind'} the own move, times {over}"
            )
            for move, how in ((1, "right"), (-1, "left"), (0, "nowhere")):
                meanings[f"{MOVE[move]}{tape}"] = f"{head_name} moves {how}"
            for side, what in (("a", "first"), ("b", "second")):
                meanings[f"at{tape}_{side}"] = f"{what} part of the hash of where {head_name} is"
                meanings[f"wrote{tape}_{side}"] = f"{what} part of the hash of where {head_name} wrote"
            if not tape:
                continue
            meanings[f"fresh{tape}"] = f"{head_name} is on a cell that was never visited"
            cells = [*(f"holds {symbol}" for symbol in self.cells), "is the leftmost visited", "is the rightmost"]
            for own, retrieved, here, what in zip(self.own(tape), self.got(tape), self.here(tape), cells, strict=True):
                meanings[own] = f"the cell that was written on tape {tape} {what}"
                meanings[retrieved] = f"the same of the token that {head_name} retrieved"
                meanings[here] = f"the cell under {head_name} {what}"
        # The coordinates next_* that the last layer writes.
        return meanings | {f"next_{name}": f"of the next token: {what}" for name, what in meanings.items()}


def compiled(
    machine: TuringMachine, source: str, name: str, weighting: str = "average", variant: str = "strict"
) -> Transformer:
    """The decoder of a machine, with its program and plan. `variant` "nonstrict" has masks that include the position
    itself; "no-start" has no $ before the input, for inputs of at least one symbol. BadInput if an input symbol is
    called like a token of the decoder, for "no-start" without input symbols, and for "nonstrict" with rightmost."""
    reserved = next((token for token in (START, END) if token in machine.input), None)
    if reserved is not None:
        must = f"no symbol of a compiled machine's input must be called {START} or {END}, which its decoder has already"
        raise BadInput(must, reserved, "give the symbol another name")
    if variant == "no-start" and not machine.input:
        must = "the input alphabet must have a symbol, as the decoder of this variant has no $ before the input"
        raise BadInput(must, "none", "leave --variant out, or give nonstrict")
    if variant == "nonstrict" and weighting == "rightmost":
        must = "masks that include the token itself need a tie-break, as equal keys are made in different ways"
        raise BadInput(must, f"weighting {weighting}", "give --weighting average")
    return MachineDecoder(machine, weighting, variant).model(source, name)


def _held(name: str) -> str:
    """The name of a bit after a norm of `_bits`."""
    return f"{name}_held"


def _bits(names: Sequence[str]) -> LayerNorm:
    """A norm that leaves bits as they are: (b, 1 - b) of each has mean 1/2 and variance 1/4 whatever the bits."""
    names = list(dict.fromkeys(names))
    reads = tuple(dict.fromkeys([*names, "one"]))
    rows = []
    for name in names:
        rows.append([int(read == name) for read in reads])
        rows.append([int(read == "one") - int(read == name) for read in reads])
    writes = tuple(f"{name}_{kind}" for name in names for kind in ("held", "not"))
    return LayerNorm(reads, writes, gain=[HALF] * len(writes), bias=[HALF] * len(writes), projection=rows)


def _hash(x: BitsByName, y: BitsByName, stem: str) -> LayerNorm:
    """(x, y)/sqrt(2(x^2 + y^2)) as `stem`_a and `stem`_b: a norm of (x, y, -x, -y), halved."""
    reads = tuple(dict.fromkeys([*x, *y]))
    rows = [[sign * side.get(name, 0) for name in reads] for sign in (1, -1) for side in (x, y)]
    writes = tuple(f"{stem}_{kind}" for kind in "abcd")
    return LayerNorm(reads, writes, gain=[HALF] * 4, projection=rows)


def _tie(x: str, stem: str) -> LayerNorm:
    """1/sqrt(1 + x^2) as `stem`_one: a norm of (x, 1, -x, -1) and four zeros, halved."""
    rows = [[1, 0], [0, 1], [-1, 0], [0, -1], *[[0, 0]] * 4]
    kinds = ("x", "one", "less", "minus", *(f"zero{k}" for k in range(4)))
    return LayerNorm((x, "one"), tuple(f"{stem}_{kind}" for kind in kinds), gain=[HALF] * 8, projection=rows)


def _with_tie(part: FeedForward) -> FeedForward:
    """The feed-forward layer with one more unit, F = relu(1/2 - 1/(2 sqrt(1 + u^2)))."""
    rows = [[*part.W1[k, :], 0] for k in range(part.hidden)] + [[0] * len(part.reads) + [-HALF]]
    sums = [[*part.W2[k, :], 0] for k in range(len(part.writes))] + [[0] * part.hidden + [1]]
    return FeedForward(
        (*part.reads, "tiehash_one"),
        (*part.writes, "F"),
        rows,
        [*part.b1, HALF],
        sums,
        [0] * (len(part.writes) + 1),
    )


def _over(part: FeedForward) -> FeedForward:
    """The feed-forward layer that reads the bits of `part` through a norm of `_bits`."""
    return replace(part, reads=tuple(map(_held, part.reads)))


def _look(
    query: str,
    key: str,
    added: Mapping[str, int | Fraction],
    values: Mapping[str, str],
    weighting: str,
    mask: str,
) -> Head:
    """A head whose score is the cosine of two hashes plus a term of the key.

    `query` and `key` are the stems of the hashes, `added` is {coordinate: factor} of the term, `values` is
    {coordinate written: bit read}.
    """
    # Bits are read after a norm of `_bits`, which renames them; a tie-break is read from its own norm.
    held_values = {name if name.startswith("tie_") else _held(name): value for name, value in added.items()}
    reads = [
        f"{query}n_a",
        f"{query}n_b",
        f"{key}n_a",
        f"{key}n_b",
        _held("one"),
        *held_values,
        *map(_held, values.values()),
    ]
    reads = list(dict.fromkeys(reads))
    Q = [[2 * int(name == f"{query}n_{side}") for name in reads] for side in "ab"]
    K: list[list[int | Fraction]] = [[int(name == f"{key}n_{side}") for name in reads] for side in "ab"]
    Q.append([int(name == _held("one")) for name in reads])
    K.append([held_values.get(name, 0) for name in reads])
    V = [[int(read == _held(name)) for read in reads] for name in values.values()]
    return Head(tuple(reads), tuple(values), Q, K, V, mask, weighting)
