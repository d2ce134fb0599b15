"""Turing machines to decoders: one token a step, which says what the step changed, then the output.

The construction of Theorem 2 of Merrill and Sabharwal (2024) made exact for every machine. Position 0 holds $, then the
input, then the tokens of steps, the first of which is the start. Strict causal masks, hard attention, and a norm before
each part of each layer; no position is given to the model.

Layer 1. Uniform heads give u = 1/i and, for each tape, P = (the head before the token's own move)/i. Norms make hashes
of (P, u) and of (P + u, u), (P - u, u): where the token wrote, and where its head went; the own move selects.
Layer 2. A head a tape looks for the last step that wrote where the head stands now. Its score is the cosine of the
hashes less a tie-break: T_j = F(F(1/j)) with F(x) = (1 - 1/sqrt(1 + x^2))/2, positive, falling, and under the gap that
a neighbouring cell has, for all j. With weighting "rightmost" there is no T, and equal scores are decided by place.
On the input tape $, the input and the first step are candidates, each at its own position: the nearest in angle is the
cell itself, or a blank end.
Layer 3. One unit a row of the table, and two more a row and tape for flags.

Whether a cell was ever visited is not asked of a retrieved hash. What was visited of a tape is an interval, and what a
token writes carries two flags: the cell is the leftmost, the rightmost visited. So the token knows whether a head has
come to a fresh cell, and a retrieval is used only where there is something to retrieve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from symcook.errors import BadInput, require_known
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.layers import Layer, SelfAttention
from symcook.model.parts import FeedForward, Head, LayerNorm
from symcook.model.transformer import Program, Transformer
from symcook.programs.turing import LETTERS, TuringMachine, TuringRow

START, END = "$", "end"
WEIGHTINGS = ("average", "rightmost")
MASK = "strict-future"
MOST_TOKENS = 4_000
"""How many tokens a model may have: their embedding and readout are written out."""
MOVE = {1: "plus", -1: "minus", 0: "stay"}
Bits = Mapping[str, int]
HALF = Fraction(1, 2)


class Written(NamedTuple):
    """What a step left on a cell of a work tape: the symbol, and whether the cell is the leftmost, the rightmost that
    was visited by then."""

    symbol: str
    leftmost: bool
    rightmost: bool


@dataclass(frozen=True)
class StepToken:
    """A token of a step: the state entered, what was written, the moves, and which work heads are on fresh cells. The
    `first` one is the start, whose move of the input head is where it starts."""

    state: str
    written: tuple[Written, ...]
    moves: tuple[int, ...]
    fresh: tuple[bool, ...]
    first: bool = False


@dataclass(frozen=True)
class OutputToken:
    """A symbol of the output; whether its cell is the rightmost that was visited."""

    symbol: str
    rightmost: bool


MachineToken = StepToken | OutputToken


class Unit(NamedTuple):
    """A hidden unit: relu of a sum of coordinates and a bias, added to coordinates with weights."""

    terms: Bits
    bias: int
    adds: Bits


class Network(list[Unit]):
    """A feed-forward part as its units."""

    def add(self, terms: Bits, bias: int, adds: Bits) -> None:
        self.append(Unit(terms, bias, adds))

    def part(self) -> FeedForward:
        """As a part of a model."""
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
    """The construction for one machine: its tokens as bits, its networks as units, and the model made of them."""

    def __init__(self, machine: TuringMachine, weighting: str = "average") -> None:
        require_known("weighting", weighting, WEIGHTINGS)
        self.machine, self.weighting = machine, weighting
        self.tapes = range(1, machine.tapes + 1)
        self.states = {state: f"q{k}" for k, state in enumerate(machine.states)}
        self.letters = {letter: f"x{k}" for k, letter in enumerate(machine.input)}
        self.cells = {symbol: k for k, symbol in enumerate(machine.cells)}

    # Tokens.

    @cached_property
    def first(self) -> StepToken:
        """The token behind the input."""
        k, blank = self.machine.tapes, Written(self.machine.blank, True, True)
        moves = (self.machine.head, *[0] * k)
        return StepToken(self.machine.start, (blank,) * k, moves, (True,) * k, first=True)

    def bits(self, token: MachineToken | str) -> dict[str, int]:
        """The coordinates that are 1 in the embedding of a token; a string is $ or a letter of the input."""
        found = {"one": 1}
        if isinstance(token, StepToken):
            found |= {"step": 1, self.states[token.state]: 1} | ({"first": 1} if token.first else {})
            for tape, written in zip(self.tapes, token.written, strict=True):
                found[f"w{tape}_{self.cells[written.symbol]}"] = 1
                found |= {f"left{tape}": 1} if written.leftmost else {}
                found |= {f"right{tape}": 1} if written.rightmost else {}
                found |= {f"fresh{tape}": 1} if token.fresh[tape - 1] else {}
            moves = token.moves
        elif isinstance(token, OutputToken):
            found |= {"out": 1, f"o{self.cells[token.symbol]}": 1} | ({"last": 1} if token.rightmost else {})
            moves = (*[0] * len(self.tapes), 1)
        else:
            found |= {"bos": 1} if token == START else {self.letters[token]: 1, "typed": 1}
            moves = (0, *[0] * len(self.tapes))
        return found | {f"{MOVE[move]}{tape}": 1 for tape, move in enumerate(moves)}

    def tokens(self) -> Iterator[MachineToken]:
        """Every token that the model can answer with: for each thing that the table does, flags and fresh cells as the
        moves allow them; and the symbols of the output."""
        yield self.first
        shapes = {0: ((0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)), 1: ((0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1))}
        shapes[-1] = tuple((right, left, fresh) for left, right, fresh in shapes[1])
        for state, writes, moves in dict.fromkeys(self.machine.rows.values()):
            for choice in product(*(shapes[move] for move in moves[1:])):
                written = tuple(
                    Written(one, bool(left), bool(right)) for one, (left, right, _) in zip(writes, choice, strict=True)
                )
                yield StepToken(state, written, moves, tuple(bool(fresh) for _, _, fresh in choice))
        for symbol in self.machine.symbols:
            yield from (OutputToken(symbol, False), OutputToken(symbol, True))

    @cached_property
    def labels(self) -> dict[MachineToken, str]:
        """A name for each token that may be answered, other than the letters of the input."""
        taken = {START, END, *self.machine.input}
        found: dict[MachineToken, str] = {}
        for token in self.tokens():
            name = self.name(token)
            while name in taken:
                name += "'"
            taken.add(name)
            found[token] = name
            if len(found) > MOST_TOKENS:
                must = f"a machine must lead to at most {MOST_TOKENS} tokens"
                do = "use fewer states, symbols or tapes; integers run it without a model"
                raise BadInput(must, f"more ({len(self.machine.rows)} rows, {len(self.tapes)} tapes)", do)
        return found

    @cached_property
    def named(self) -> dict[str, MachineToken]:
        """The tokens by their names."""
        return {name: token for token, name in self.labels.items()}

    def name(self, token: MachineToken) -> str:
        """`carry(L;1<>R!)`: the state, the move of the input head, and for each work tape the symbol written, < and >
        where its cell is the leftmost and rightmost visited, the move, and ! where the head is on a fresh cell."""
        if isinstance(token, OutputToken):
            return f"={token.symbol}" + (">" if token.rightmost else "")
        if token.first:
            return f"{token.state}(start)"
        tapes = zip(token.written, token.moves[1:], token.fresh, strict=True)
        parts = (f"{w.symbol}{'<' * w.leftmost}{'>' * w.rightmost}{LETTERS[move]}{'!' * new}" for w, move, new in tapes)
        return f"{token.state}({LETTERS[token.moves[0]]};{';'.join(parts)})"

    def document(self, token: MachineToken) -> dict[str, Any]:
        """A token as ``run --steps --json`` prints it, without its position."""
        if isinstance(token, OutputToken):
            return {"token": token.symbol}
        if token.first:
            return {"token": token.state, "write": [], "move": []}
        moves = [LETTERS[move] for move in token.moves]
        return {"token": token.state, "write": [w.symbol for w in token.written], "move": moves}

    # Networks.

    def own(self, tape: int) -> list[str]:
        """What the token's own write on a tape is: its symbol and its flags as coordinates."""
        return [*(f"w{tape}_{k}" for k in self.cells.values()), f"left{tape}", f"right{tape}"]

    def got(self, tape: int) -> list[str]:
        """The same of the token that was retrieved."""
        return [f"got_{name}" for name in self.own(tape)]

    def here(self, tape: int) -> list[str]:
        """The same of the cell under the head."""
        return [f"here_{name}" for name in self.own(tape)]

    @cached_property
    def selection(self) -> Network:
        """What stands under each work head: what was retrieved, after a move of 0 what the token wrote itself, and on a
        fresh cell a blank, with a flag on the side from which the head came."""
        net = Network()
        for tape in self.tapes:
            fresh, stay, blank = f"fresh{tape}", f"stay{tape}", 0
            for k, (got, own, here) in enumerate(zip(self.got(tape), self.own(tape), self.here(tape), strict=True)):
                net.add({got: 1, fresh: -1, stay: -1}, 0, {here: 1})
                net.add({own: 1, stay: 1, fresh: -1}, -1, {here: 1})
                if k == blank:
                    net.add({fresh: 1}, 0, {here: 1})
                side = {f"left{tape}": f"minus{tape}", f"right{tape}": f"plus{tape}"}.get(own)
                if side is not None:
                    net.add({fresh: 1, side: 1}, -1, {here: 1})
                    net.add({fresh: 1, "first": 1}, -1, {here: 1})
        return net

    @cached_property
    def transition(self) -> Network:
        """The bits of the next token, each at a coordinate next_*."""
        net, cells = Network(), self.cells
        for (state, reads), (entered, writes, moves) in self.machine.rows.items():
            base = {self.states[state]: 1}
            if reads[0] in self.letters:
                base[f"read_{self.letters[reads[0]]}"] = 1
                bias = -len(self.tapes) - 1
            else:
                base |= {f"read_{letter}": -1 for letter in self.letters.values()}
                bias = -len(self.tapes)
            for tape in self.tapes:
                base[self.here(tape)[cells[reads[tape]]]] = 1
            adds = {"next_step": 1, f"next_{self.states[entered]}": 1}
            adds |= {f"next_{MOVE[move]}{tape}": 1 for tape, move in enumerate(moves)}
            adds |= {f"next_w{tape}_{cells[writes[tape - 1]]}": 1 for tape in self.tapes}
            net.add(base, bias, adds)
            for tape in self.tapes:
                left, right = self.here(tape)[-2:]
                keeps_left, keeps_right = moves[tape] >= 0, moves[tape] <= 0
                net.add(base | {left: 1}, bias - 1, {f"next_left{tape}" if keeps_left else f"next_fresh{tape}": 1})
                net.add(base | {right: 1}, bias - 1, {f"next_right{tape}" if keeps_right else f"next_fresh{tape}": 1})
        start = {f"next_{name}": 1 for name in self.bits(self.first) if name != "one"}
        net.add({"bos": 1, "typed": 1}, 0, start)
        last = self.tapes[-1]
        *symbols, _, right = self.here(last)
        going = {self.states[state]: 1 for state in self.machine.halt} | {"out": 1, "last": -1}
        for k, symbol in enumerate(symbols[1:], 1):
            net.add(going | {symbol: 1}, -1, {"next_out": 1, f"next_o{k}": 1})
        net.add(going | {right: 1, symbols[0]: -1}, -1, {"next_last": 1})
        net.add(going | {symbols[0]: 1}, -1, {"next_end": 1})
        net.add({"last": 1}, 0, {"next_end": 1})
        return net

    # The model.

    def model(self, source: str, name: str) -> Transformer:
        """The model, with its plan."""
        tapes, tie = range(self.machine.tapes + 1), self.weighting == "average"
        words: dict[str, dict[str, Any]] = {START: {**self.bits(START), "u": 1}}
        words |= {letter: self.bits(letter) for letter in self.machine.input}
        words |= {label: self.bits(token) for token, label in self.labels.items()}
        layers = (self._first(tie), self._second(tie), self._third())
        parts = [part for layer in layers for part in layer.parts() if not isinstance(part, LayerNorm)]
        written = [one for part in parts for one in part.writes]
        names = dict.fromkeys([*(one for row in words.values() for one in row), *written])
        looked = [one for layer in layers for norm in (*layer.attention_norms, *layer.feedforward_norms) for one in norm.reads]
        names |= dict.fromkeys(looked)
        nexts = [one for one in dict.fromkeys(one for unit in self.transition for one in unit.adds)]
        rows, labels = [], [*self.labels.values(), END]
        for bits in [*map(self.bits, self.labels), {"end": 1}]:
            bits = {f"next_{one}" for one in bits if one != "one"}
            rows.append([*(1 if one in bits else -1 for one in nexts), -len(bits)])
        space = Space(tuple(names))
        embedding = Embedding(space, words=words, before=START, start=0)
        readout = Readout("largest", "last", (*nexts, "one"), rows, tuple(labels))
        model = Transformer(name, embedding, layers, readout, source="Merrill and Sabharwal (2024), Theorem 2")
        plan = self._plan(model, tapes)
        return replace(model, program=Program("tm", source, tuple(words), plan, self.weighting))

    def _first(self, tie: bool) -> Layer:
        """u and P; hashes; where heads went."""
        tapes = range(self.machine.tapes + 1)
        reads = ["bos", *(f"{sign}{tape}" for tape in tapes for sign in ("plus", "minus"))]
        rows = [[int(name == "bos") for name in reads]]
        rows += [[(name == f"plus{tape}") - (name == f"minus{tape}") for name in reads] for tape in tapes]
        none = [[0] * len(reads)]
        writes = ("u", *(f"P{tape}" for tape in tapes))
        head = Head(tuple(_held(name) for name in reads), writes, none, none, rows, MASK)
        norms, net = [], Network()
        gates = [f"{MOVE[move]}{tape}" for tape in tapes for move in (1, -1, 0)]
        norms.append(_bits(gates))
        for tape in tapes:
            for move in (1, -1, 0):
                stem = f"{MOVE[move]}hash{tape}"
                norms.append(_hash({f"P{tape}": 1, "u": move}, {"u": 1}, stem))
                for side in "ab":
                    for sign in (1, -1):
                        terms = {f"{stem}_{side}": sign, _held(f"{MOVE[move]}{tape}"): 1}
                        net.add(terms, -1, {f"at{tape}_{side}": sign})
                        if tape and not move:
                            net.add({f"{stem}_{side}": sign}, 0, {f"wrote{tape}_{side}": sign})
        norms.append(_hash({"one": 1, "bos": -1}, {"u": 1}, "placehash"))
        for side in "ab":
            for sign in (1, -1):
                net.add({f"placehash_{side}": sign}, 0, {f"place_{side}": sign})
        part = net.part()
        if tie:
            norms.append(_tie("u", "tiehash"))
            part = _with_tie(part)
        return Layer(SelfAttention((head,)), part, (_bits(reads),), tuple(norms), "multi pre")

    def _second(self, tie: bool) -> Layer:
        """What each head retrieves, and what stands under it."""
        tapes = range(self.machine.tapes + 1)
        heads, norms = [], []
        stems = [*(f"at{tape}" for tape in tapes), *(f"wrote{tape}" for tape in self.tapes), "place"]
        norms += [_hash({f"{stem}_a": 1}, {f"{stem}_b": 1}, f"{stem}n") for stem in stems]
        if tie:
            norms.append(_tie("F", "tie"))
        values = [*self.letters.values(), *(name for tape in self.tapes for name in self.own(tape))]
        norms.append(_bits(["one", "bos", "typed", "first", "step", *values]))
        bias = {"one": -3}
        if self.letters:
            key = bias | {"bos": 3, "typed": 3, "first": 3}
            values = {f"read_{letter}": letter for letter in self.letters.values()}
            heads.append(_look("at0", "place", key, values, "average"))
        for tape in self.tapes:
            key: dict[str, Any] = bias | {"step": 3, "bos": -1}
            if tie:
                key["tie_one"] = HALF
            values = dict(zip(self.got(tape), self.own(tape), strict=True))
            heads.append(_look(f"at{tape}", f"wrote{tape}", key, values, self.weighting))
        part = self.selection.part()
        bits = _bits(list(part.reads))
        return Layer(SelfAttention(tuple(heads)), _over(part), tuple(norms), (bits,), "multi pre")

    def _third(self) -> Layer:
        """The next token."""
        part = self.transition.part()
        return Layer(None, _over(part), (), (_bits(list(part.reads)),), "projected pre")

    def _plan(self, model: Transformer, tapes: range) -> tuple[tuple[str, str, str], ...]:
        where = dict.fromkeys(model.space, "embedding")
        for number, layer in enumerate(model.layers, 1):
            for part in layer.parts():
                if isinstance(part, LayerNorm):
                    continue
                kind = "attention" if isinstance(part, Head) else "feed-forward"
                where |= dict.fromkeys(part.writes, f"layer {number}, {kind}")
        meanings = self._meanings(tapes)
        return tuple((name, where[name], meanings[name]) for name in model.space)

    def _meanings(self, tapes: range) -> dict[str, str]:
        """What each coordinate holds."""
        found = {"one": "1", "bos": "the token is $", "typed": "an input symbol", "step": "a step", "out": "an output",
                 "first": "the start", "last": "an output whose cell is the rightmost visited", "u": "1/i",
                 "end": "the end", "F": "F(1/i)"}  # fmt: skip
        found |= {name: f"the state entered is {state}" for state, name in self.states.items()}
        found |= {name: f"the input symbol is {letter}" for letter, name in self.letters.items()}
        found |= {f"o{k}": f"the output is {symbol}" for symbol, k in self.cells.items()}
        found |= {f"read_{name}": f"the input head reads {letter}" for letter, name in self.letters.items()}
        for side, what in (("a", "first"), ("b", "second")):
            found[f"place_{side}"] = f"{what} part of the hash of the own position"
        for tape in tapes:
            who = f"work head {tape}" if tape else "the input head"
            found[f"P{tape}"] = f"where {who} was before the own move, over i"
            for move, how in ((1, "right"), (-1, "left"), (0, "nowhere")):
                found[f"{MOVE[move]}{tape}"] = f"{who} moves {how}"
            for side, what in (("a", "first"), ("b", "second")):
                found[f"at{tape}_{side}"] = f"{what} part of the hash of where {who} is"
                found[f"wrote{tape}_{side}"] = f"{what} part of the hash of where {who} wrote"
            if not tape:
                continue
            found[f"fresh{tape}"] = f"{who} is on a cell that was never visited"
            cells = [*(f"holds {symbol}" for symbol in self.cells), "is the leftmost visited", "is the rightmost"]
            for own, got, here, what in zip(self.own(tape), self.got(tape), self.here(tape), cells, strict=True):
                found[own] = f"the cell that was written on tape {tape} {what}"
                found[got] = f"the same of the token that {who} retrieved"
                found[here] = f"the cell under {who} {what}"
        return found | {f"next_{name}": f"of the next token: {what}" for name, what in found.items()}


def compiled(machine: TuringMachine, source: str, name: str, weighting: str = "average") -> Transformer:
    """The decoder of a machine, with its program and plan."""
    return MachineDecoder(machine, weighting).model(source, name)


def _held(name: str) -> str:
    """What a norm over bits calls a bit that goes through it."""
    return f"{name}_held"


def _bits(names: Sequence[str]) -> LayerNorm:
    """A norm that leaves bits as they are: (b, 1 - b) of each has mean 1/2 and variance 1/4 whatever the bits."""
    names = list(dict.fromkeys(names))
    reads = tuple(dict.fromkeys([*names, "one"]))
    rows = []
    for name in names:
        rows.append([int(one == name) for one in reads])
        rows.append([int(one == "one") - int(one == name) for one in reads])
    writes = tuple(f"{name}_{kind}" for name in names for kind in ("held", "not"))
    return LayerNorm(reads, writes, gain=[HALF] * len(writes), bias=[HALF] * len(writes), projection=rows)


def _hash(x: Bits, y: Bits, stem: str) -> LayerNorm:
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
    """The part with one more unit, F = relu(1/2 - 1/(2 sqrt(1 + u^2)))."""
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
    """The part as it reads what a norm over bits writes."""
    return replace(part, reads=tuple(map(_held, part.reads)))


def _look(query: str, key: str, added: Mapping[str, Any], values: Mapping[str, str], weighting: str) -> Head:
    """A head whose score is the cosine of two hashes plus what keys add."""
    held = {name if name.startswith("tie_") else _held(name): value for name, value in added.items()}
    reads = [f"{query}n_a", f"{query}n_b", f"{key}n_a", f"{key}n_b", _held("one"), *held, *map(_held, values.values())]
    reads = list(dict.fromkeys(reads))
    Q = [[2 * int(one == f"{query}n_{side}") for one in reads] for side in "ab"]
    K = [[int(one == f"{key}n_{side}") for one in reads] for side in "ab"]
    Q.append([int(one == _held("one")) for one in reads])
    K.append([held.get(one, 0) for one in reads])
    V = [[int(one == _held(name)) for one in reads] for name in values.values()]
    return Head(tuple(reads), tuple(values), Q, K, V, MASK, weighting)
