"""The equations of a model beside those of its family, block by block: a bridge is made of this. Untrusted.

`BlockRecord` notes which functions each block defines. `Matching` finds, for each function of the
family at each index, the model's function that is its value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from symcook.model.family import Family
from symcook.model.instance import Instance, label
from symcook.model.plainfamily import FamilyLayer, Range, Repeat
from symcook.proof.definitions import PartsRow
from symcook.proof.familyrel import FamilyRelation, Held, before_first
from symcook.proof.rows import Right, RunEquations
from symcook.proof.runrel import Relation
from symcook.proof.runvalues import Call

RecordedCells = dict[str, dict[tuple[int, ...], "str | None"]]
"""By function of the family and by index: a term in the model's functions, None for zero."""


class BlockValues:
    """The functions that the equations of one block define.

    `norms`: for each norm its mean, its standard deviation, and its outputs by coordinate. `writes`: the new value of
    each coordinate. `parts`: what each head adds, if several heads write one coordinate."""

    def __init__(self) -> None:
        self.norms: list[tuple[str, str, dict[str, Any]]] = []
        self.writes: dict[str, Any] = {}
        self.parts: list[str] = []


class BlockRecord(RunEquations):
    """Equations with a record of what each block defines."""

    @cached_property
    def blocks(self) -> list[BlockValues]:
        """The blocks up to now."""
        return []

    def _stream(self) -> None:
        """Note the functions of the residual stream after the embedding or a block."""
        raise NotImplementedError

    def _write(self, name: str, number: int, right: Right) -> None:
        super()._write(name, number, right)
        if self.blocks:
            self.blocks[-1].writes[name] = self.held[name]

    def _norm(self, number: int, norm: object) -> dict[str, Any]:
        first = len(self.definitions)
        outputs = super()._norm(number, norm)
        mean, deviation = (definition.function for definition in self.definitions[first : first + 2])
        self.blocks[-1].norms.append((mean, deviation, outputs))
        return outputs

    def _part(self, number: int, blocks: Sequence[object], norms: Sequence[object], placement: str) -> None:
        self.blocks.append(BlockValues())
        first = len(self.definitions)
        super()._part(number, blocks, norms, placement)
        sums = (definition.row for definition in self.definitions[first:] if isinstance(definition.row, PartsRow))
        self.blocks[-1].parts = [function for row in sums for head in row.heads for function in head.reads()]
        self._stream()


class Recorded(BlockRecord, Relation):
    """A model's equations. `streams` are the functions of the residual stream after the embedding and after each
    block. `written`, if given, writes the value of a function in the texts."""

    def __init__(self, model: Mapping[str, Any], written: Call | None = None) -> None:
        self.written = written
        self.streams: list[dict[str, str]] = []
        super().__init__(model)

    @property
    def order(self) -> list[str]:
        """All functions in order."""
        return [*self.sorts()]

    def _embed(self) -> None:
        self.call = self.written or self.call
        super()._embed()
        self._stream()

    def _stream(self) -> None:
        self.streams.append(dict(self.held))


class RecordedFamily(BlockRecord, FamilyRelation):
    """The equations of a family."""

    def __init__(self, *given: Any) -> None:
        # for each block: the loop around it, and the stream after it
        self.streams: list[tuple[tuple[Range, ...], dict[str, Held]]] = []
        # for each coordinate that a loop writes: its value before round 1, and its value before the loop
        self.starts: list[tuple[str, Held, Held | None]] = []
        super().__init__(*given)

    def _embed(self) -> None:
        super()._embed()
        self._stream()

    def _stream(self) -> None:
        self.streams.append((self.rounds, dict(self.held)))

    def _repeat(self, part: Repeat, number: int) -> int:
        before, known = dict(self.held), {*self.functions}
        next_number = super()._repeat(part, number)
        started = [name for name in dict.fromkeys(part.written) if self.held[name][0] not in known]
        for index in part.over:
            for name in started:
                self.starts.append((name, (self.held[name][0], (before_first(index.low),)), before.get(name)))
        return next_number


class Matching:
    """The blocks of a family at given sizes, with its loops unrolled, next to the blocks of a model.

    `rounds` has for each block of the model: the number of the family's block, the stream after it, and the values of
    the loop indices."""

    def __init__(self, family: Family, at: Instance, own: Recorded, far: RecordedFamily, called: Mapping[str, str]):
        """`at` is the family's instance; `called` has the model's coordinate for each of the instance's."""
        self.family, self.at, self.own, self.far, self.called = family, at, own, far, called
        self.rounds: list[tuple[int, dict[str, Held], dict[str, Any]]] = []
        streams, first = far.streams, 0
        while first < len(streams):
            loop = streams[first][0]
            blocks = sum(over is loop for over, _ in streams[first:]) if loop else 1
            rounds = [
                dict(zip((range_.name for range_ in loop), map(Fraction, t), strict=True)) for t in at._cells(loop)
            ]
            self.rounds += [(place, streams[place][1], env) for env in rounds for place in range(first, first + blocks)]
            first += blocks

    def cells(self) -> RecordedCells:
        """For each function of the family at each index: the model's function, a difference of two, or None for 0."""
        out: RecordedCells = {fn: {} for fn in self.far.functions}
        for (_, functions_at, env), names in zip(self.rounds, self.own.streams, strict=True):
            for name, (fn, start_terms) in functions_at.items():
                start = tuple(int(self.at.number(start_term, {**self.at.env, **env})) for start_term in start_terms)
                for cell in self.at.cells[name]:
                    out[fn].setdefault((*start, *cell), names.get(self.called[label(name, cell)]))
        for name, (fn, start_terms), old in self.far.starts:
            start, before = (
                tuple(int(self.at.number(start_term, self.at.env)) for start_term in (value[1] if value else ()))
                for value in ((fn, start_terms), old)
            )
            for cell in self.at.cells[name]:
                out[fn][*start, *cell] = out[old[0]][*before, *cell] if old else None
        layers = [layer for part in self.family.layers for layer in part.layers for block in _blocks(layer) if block]
        for place, (k, _, env) in enumerate(self.rounds[1:]):
            self._inside(out, layers[k - 1], k, place, {**self.at.env, **env})
        return out

    def _inside(self, out: RecordedCells, layer: FamilyLayer, k: int, place: int, env: dict[str, Any]) -> None:
        """Add the functions of a block that are not in the stream after it: its norms, what it writes before a norm,
        and what each head adds."""
        far, own, before = self.far.blocks[k - 1], self.own.blocks[place], self.own.streams[place]
        heads = self._of_heads(k)
        norms = layer.attention_norms if heads else layer.feedforward_norms
        over = next(
            part.over for part in self.family.layers if any(family_layer is layer for family_layer in part.layers)
        )
        start = tuple(int(env[range_.name]) for range_ in over)
        for norm, (mean, root, outputs), (own_mean, own_root, own_out) in zip(norms, far.norms, own.norms, strict=True):
            out[mean][start], out[root][start] = own_mean, own_root
            names = iter(own_out.values())
            for name, (fn, _) in outputs.items():
                ranges = next((w.to.over for w in norm.writes if w.to.name == name), self.family.space.get(name, ()))
                for cell in self.at._cells(ranges, env):
                    own_function = next(names) if norm.writes else own_out[self.called[label(name, cell)]]
                    out[fn][*start, *cell] = own_function
        for name, (fn, start_terms) in far.writes.items():
            key = tuple(int(self.at.number(start_term, env)) for start_term in start_terms)
            for cell in self.at.cells[name]:
                own_name = self.called[label(name, cell)]
                out[fn].setdefault((*key, *cell), own.writes.get(own_name, before.get(own_name)))
        if heads:
            self._parts(out, layer, far, own, before, start, env)

    def _parts(
        self, out: RecordedCells, layer: FamilyLayer, far: BlockValues, own: BlockValues,
        before: Mapping[str, str], start: tuple[int, ...], env: dict[str, Any],
    ) -> None:  # fmt: skip
        """Add what each head adds to a coordinate. A single writer adds the difference of its new and its old value."""
        written_heads = [
            (head, here)
            for head in layer.heads
            for here in self.at.indices(head, env)
            if any(True for write in head.writes for _ in self.at.cells_at(write, here, env))
        ]
        numbers_of: dict[str, list[int]] = {}
        for number, (head, here) in enumerate(written_heads):
            for write in head.writes:
                for cell in self.at.cells_at(write, here, env):
                    numbers_of.setdefault(label(write.to.name, cell), []).append(number)
        functions = iter(own.parts)
        parts = {(n, at): next(functions) for at, numbers in numbers_of.items() if len(numbers) > 1 for n in numbers}
        wanted = [(head, write) for head in layer.heads for write in head.writes]
        mine = iter(far.parts)
        for name in dict.fromkeys(write.to.name for _, write in wanted):
            writers = [(head, write) for head, write in wanted if write.to.name == name]
            if len(writers) == 1 and not writers[0][0].over:
                continue
            for head, write in writers:
                fn = next(mine)
                for number, (writer, here) in enumerate(written_heads):
                    if writer is not head:
                        continue
                    at = tuple(int(here[range_.name]) for range_ in head.over)
                    for cell in self.at.cells_at(write, here, env):
                        name_at = label(name, cell)
                        new, old = own.writes.get(self.called[name_at]), before.get(self.called[name_at])
                        difference = f"{new} - {old}" if old else new
                        out[fn][*start, *at, *cell] = parts.get((number, name_at), difference)

    def _of_heads(self, k: int) -> bool:
        """Whether a block of the family, by its number, has heads."""
        flat = [block is _blocks(layer)[0] for part in self.family.layers for layer in part.layers
                for block in _blocks(layer) if block]  # fmt: skip
        return flat[k - 1]


def _blocks(layer: FamilyLayer) -> tuple[Any, Any]:
    """The heads and the feed-forward sublayer of a layer; either may be empty."""
    return layer.heads, layer.feedforward
