"""Matches the equations of a model with those of its family, block by block, as a bridge needs it. Not trusted.

`BlockRecord` records which functions each block defines. `Matching` finds, for each function of the
family at each index, the function of the model that has the same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from symcook.errors import BadInput
from symcook.model.family import Family
from symcook.model.instance import Instance, label
from symcook.model.plainfamily import FamilyLayer, Range, Repeat
from symcook.proof.definitions import NormDeviation, NormMean, PartsRow
from symcook.proof.familyrel import FamilyRelation, Held, before_first
from symcook.proof.rows import Right, RunEquations
from symcook.proof.runrel import Relation
from symcook.proof.runvalues import Call

RecordedCells = dict[str, dict[tuple[int, ...], "str | None"]]
"""By function of the family and by index: the text of a term in the model's functions, or None for zero."""


class BlockValues:
    """The functions that the equations of one block define.

    `norms`: for each norm its mean, its standard deviation, and its outputs by coordinate. `writes`: the new value of
    each coordinate. `parts`: what each head adds, if several heads write one coordinate."""

    def __init__(self) -> None:
        self.norms: list[tuple[str, str, dict[str, Any]]] = []
        self.writes: dict[str, Any] = {}
        self.parts: list[str] = []


class BlockRecord(RunEquations):
    """Equations with a record of what each block defines. The methods below extend steps of `RunEquations`, which
    writes the equations in the order of the layers."""

    @cached_property
    def blocks(self) -> list[BlockValues]:
        """What each block defines, for the blocks whose equations are written so far."""
        return []

    def _stream(self) -> None:
        """Note the functions of the residual stream after the embedding or a block."""
        raise NotImplementedError

    def _write(self, name: str, number: int, right: Right) -> None:
        super()._write(name, number, right)
        if self.blocks:  # the embedding writes coordinates too, before the first block
            self.blocks[-1].writes[name] = self.held[name]

    def _norm(self, number: int, norm: object) -> dict[str, Any]:
        first = len(self.definitions)
        outputs = super()._norm(number, norm)
        # the first two functions that a layer norm defines are its mean and its standard deviation
        mean, deviation = self.definitions[first : first + 2]
        if not (isinstance(mean.row, NormMean) and isinstance(deviation.row, NormDeviation)):
            raise BadInput(
                "a model that is compared with a family must have no norms except layer norms", type(mean.row).__name__
            )
        self.blocks[-1].norms.append((mean.function, deviation.function, outputs))
        return outputs

    def _part(self, number: int, blocks: Sequence[object], norms: Sequence[object], placement: str) -> None:
        self.blocks.append(BlockValues())
        first = len(self.definitions)
        super()._part(number, blocks, norms, placement)
        sums = (definition.row for definition in self.definitions[first:] if isinstance(definition.row, PartsRow))
        self.blocks[-1].parts = [function for row in sums for head in row.heads for function in head.reads()]
        self._stream()


class Recorded(BlockRecord, Relation):
    """A model's equations. `streams` has the residual stream after the embedding and after each block, as
    {coordinate: function}. `written`, if given, returns the text of a function's value at a position."""

    def __init__(self, model: Mapping[str, Any], written: Call | None = None) -> None:
        self.written = written
        self.streams: list[dict[str, str]] = []
        super().__init__(model)

    @property
    def order(self) -> list[str]:
        """All functions, in the order of their definitions."""
        return [*self.sorts()]

    def _embed(self) -> None:
        self.call = self.written or self.call
        super()._embed()
        self._stream()

    def _stream(self) -> None:
        self.streams.append(dict(self.held))


class RecordedFamily(BlockRecord, FamilyRelation):
    """The equations of a family. A value in a stream (`Held`) is a function with the terms of its first indices."""

    def __init__(self, *given: Any) -> None:
        # for the embedding and each block: the ranges of the loop around it (empty without one), the stream after it
        self.streams: list[tuple[tuple[Range, ...], dict[str, Held]]] = []
        # for each coordinate that a loop writes: its name, the value that stands for "before round 1", and the value
        # before the loop, None for zero: both are equal
        self.starts: list[tuple[str, Held, Held | None]] = []
        super().__init__(*given)

    def _embed(self) -> None:
        super()._embed()
        self._stream()

    def _stream(self) -> None:
        self.streams.append((self.rounds, dict(self.held)))

    def _repeat(self, part: Repeat, number: int) -> int:
        """As in `FamilyRelation`; also notes in `starts` the values before the loop."""
        stream_before, functions_before = dict(self.held), {*self.functions}
        # the loop gives a coordinate that it writes a new function, with the number of the round as an index
        next_number = super()._repeat(part, number)
        new_names = [name for name in dict.fromkeys(part.written) if self.held[name][0] not in functions_before]
        for index in part.over:
            for name in new_names:
                self.starts.append((name, (self.held[name][0], (before_first(index.low),)), stream_before.get(name)))
        return next_number


class Matching:
    """The blocks of a family at given sizes, with its loops unrolled, next to the blocks of a model.

    `rounds` has an entry for the embedding and for each block of the model: the number of the family's block (0 for the
    embedding), the family's stream after it, and the values of the loop indices."""

    def __init__(self, family: Family, at: Instance, own: Recorded, far: RecordedFamily, called: Mapping[str, str]):
        """`at` is the family's instance; `own` has the equations of the model, `far` those of the family; `called` has
        the model's coordinate for each coordinate of the instance."""
        self.family, self.at, self.own, self.far, self.called = family, at, own, far, called
        self.rounds: list[tuple[int, dict[str, Held], dict[str, Any]]] = []
        streams, group_start = far.streams, 0
        while group_start < len(streams):
            # The blocks of one loop have the same tuple of ranges; a block outside loops is a group of its own.
            loop = streams[group_start][0]
            block_count = sum(over is loop for over, _ in streams[group_start:]) if loop else 1
            rounds = [
                dict(zip((range_.name for range_ in loop), map(Fraction, t), strict=True)) for t in at._cells(loop)
            ]
            self.rounds += [
                (place, streams[place][1], env)
                for env in rounds
                for place in range(group_start, group_start + block_count)
            ]
            group_start += block_count

    def cells(self) -> RecordedCells:
        """For each function of the family at each index: the model's function, a difference of two, or None for 0.
        Raises ValueError, KeyError, StopIteration or IndexError if a block of the model has other norms or heads.

        An index of a function is the numbers of the loop's rounds, if any, followed by the coordinate's own indices."""
        cells: RecordedCells = {fn: {} for fn in self.far.functions}
        # The streams. A function stays in the stream until its coordinate is written again: its first place counts.
        for (_, family_stream, env), model_stream in zip(self.rounds, self.own.streams, strict=True):
            for name, (fn, start_terms) in family_stream.items():
                start = tuple(int(self.at.number(start_term, {**self.at.env, **env})) for start_term in start_terms)
                for cell in self.at.cells[name]:
                    cells[fn].setdefault((*start, *cell), model_stream.get(self.called[label(name, cell)]))
        # The value before round 1 of a loop (at index `start`) is the value before the loop (at index `before`).
        for name, (fn, start_terms), old in self.far.starts:
            start, before = (
                tuple(int(self.at.number(start_term, self.at.env)) for start_term in (value[1] if value else ()))
                for value in ((fn, start_terms), old)
            )
            for cell in self.at.cells[name]:
                cells[fn][*start, *cell] = cells[old[0]][*before, *cell] if old else None
        # Functions inside a block. A layer has one or two blocks, so `layers` repeats it for each of its blocks.
        layers = [layer for part in self.family.layers for layer in part.layers for block in _sublayers(layer) if block]
        for model_number, (family_number, _, env) in enumerate(self.rounds[1:]):
            self._add_inner(cells, layers[family_number - 1], family_number, model_number, {**self.at.env, **env})
        return cells

    def _add_inner(
        self, cells: RecordedCells, layer: FamilyLayer, family_number: int, model_number: int, env: dict[str, Any]
    ) -> None:
        """Add the functions of a block that are not in the stream after it to `cells`: those of its norms, the values
        that it writes before a norm, and what each head adds.

        `family_number` counts the family's blocks from 1, `model_number` the model's from 0; `env` has the sizes and
        the values of the loop indices."""
        family_block, model_block = self.far.blocks[family_number - 1], self.own.blocks[model_number]
        stream_before = self.own.streams[model_number]
        has_heads = self._has_heads(family_number)
        norms = layer.attention_norms if has_heads else layer.feedforward_norms
        over = next(
            part.over for part in self.family.layers if any(family_layer is layer for family_layer in part.layers)
        )
        loop_values = tuple(int(env[range_.name]) for range_ in over)
        # Norms. A norm that writes other coordinates has its outputs in one order in the family and in the model.
        for norm, (mean, deviation, outputs), (own_mean, own_root, own_outputs) in zip(
            norms, family_block.norms, model_block.norms, strict=True
        ):
            cells[mean][loop_values], cells[deviation][loop_values] = own_mean, own_root
            model_outputs = iter(own_outputs.values())
            for name, (fn, _) in outputs.items():
                ranges = next((w.to.over for w in norm.writes if w.to.name == name), self.family.space.get(name, ()))
                for cell in self.at._cells(ranges, env):
                    own_function = next(model_outputs) if norm.writes else own_outputs[self.called[label(name, cell)]]
                    cells[fn][*loop_values, *cell] = own_function
        # Written values: those before a norm after the sublayer are new, the others are in the stream already.
        for name, (fn, start_terms) in family_block.writes.items():
            first_indices = tuple(int(self.at.number(start_term, env)) for start_term in start_terms)
            for cell in self.at.cells[name]:
                own_name = self.called[label(name, cell)]
                cells[fn].setdefault(
                    (*first_indices, *cell), model_block.writes.get(own_name, stream_before.get(own_name))
                )
        if has_heads:
            self._add_heads(cells, layer, family_block, model_block, stream_before, loop_values, env)

    def _add_heads(
        self, cells: RecordedCells, layer: FamilyLayer, family_block: BlockValues, model_block: BlockValues,
        stream_before: Mapping[str, str], loop_values: tuple[int, ...], env: dict[str, Any],
    ) -> None:  # fmt: skip
        """Add to `cells` what each head adds to a coordinate. The model has a function for it only if several heads
        write the coordinate; for a single writer it is the coordinate's new value minus its old value."""
        # The model's heads in order: each head of the family at each of its indices, if it writes a coordinate there.
        written_heads = [
            (head, head_env)
            for head in layer.heads
            for head_env in self.at.indices(head, env)
            if any(True for write in head.writes for _ in self.at.cells_at(write, head_env, env))
        ]
        # By cell: the numbers of the heads that write it. The model's functions follow the same order.
        numbers_of: dict[str, list[int]] = {}
        for number, (head, head_env) in enumerate(written_heads):
            for write in head.writes:
                for cell in self.at.cells_at(write, head_env, env):
                    numbers_of.setdefault(label(write.to.name, cell), []).append(number)
        model_functions = iter(model_block.parts)
        parts = {
            (number, cell_name): next(model_functions)
            for cell_name, numbers in numbers_of.items()
            if len(numbers) > 1
            for number in numbers
        }
        # The family's functions: one for each head that writes a coordinate, unless it is the only one that does and
        # has no indices.
        family_writes = [(head, write) for head in layer.heads for write in head.writes]
        family_functions = iter(family_block.parts)
        for name in dict.fromkeys(write.to.name for _, write in family_writes):
            writers = [(head, write) for head, write in family_writes if write.to.name == name]
            if len(writers) == 1 and not writers[0][0].over:
                continue
            for head, write in writers:
                fn = next(family_functions)
                for number, (writer, head_env) in enumerate(written_heads):
                    if writer is not head:
                        continue
                    head_index = tuple(int(head_env[range_.name]) for range_ in head.over)
                    for cell in self.at.cells_at(write, head_env, env):
                        cell_name = label(name, cell)
                        coordinate = self.called[cell_name]
                        new, old = model_block.writes.get(coordinate), stream_before.get(coordinate)
                        difference = f"{new} - {old}" if old else new
                        cells[fn][*loop_values, *head_index, *cell] = parts.get((number, cell_name), difference)

    def _has_heads(self, family_number: int) -> bool:
        """Whether the block of the family with this number, counted from 1, has heads (else it is feed-forward)."""
        is_heads_block = [block is _sublayers(layer)[0] for part in self.family.layers for layer in part.layers
                          for block in _sublayers(layer) if block]  # fmt: skip
        return is_heads_block[family_number - 1]


def _sublayers(layer: FamilyLayer) -> tuple[Any, Any]:
    """The heads and the feed-forward sublayer of a layer; either may be empty."""
    return layer.heads, layer.feedforward
