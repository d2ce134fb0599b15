"""What the equations of a model and of its family are for, block by block, and which of the model's functions is the
value of each of the family's: what a bridge is made of. Untrusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from symcook.model.family import Family
from symcook.model.instance import Instance, label
from symcook.model.plainfamily import FamilyHead, FamilyLayer, Norm, Range, Repeat, Write
from symcook.proof.familyrel import FamilyRelation, Held, before_first
from symcook.proof.rows import Right
from symcook.proof.runrel import Model, Relation
from symcook.proof.runvalues import Call

RecordedCells = dict[str, dict[tuple[int, ...], "str | None"]]


class BlockValues:
    """What the equations of one block are for: its norms (mean, deviation, and what they make), what it writes, and
    what each head adds, where several heads write one coordinate."""

    def __init__(self) -> None:
        self.norms: list[tuple[Any, Any, dict[str, Any]]] = []
        self.writes: dict[str, Any] = {}
        self.parts: list[Any] = []


class Recorded(Relation):
    """A relation that keeps what is held after the embedding and after each block, its blocks, and its functions in
    order. With `written` its texts have the values of functions as this writes them."""

    def __init__(self, model: Mapping[str, Any], written: Call | None = None) -> None:
        self.written = written
        self.streams: list[dict[str, str]] = []
        self.blocks: list[BlockValues] = []
        self.order: list[str] = list(model["embedding"]["inputs"] or ())
        super().__init__(model)

    def _define(self, fresh: str, text: Right) -> str:
        self.order.append(super()._define(fresh, text))
        return self.order[-1]

    def _embed(self) -> None:
        self.call = self.written or self.call
        super()._embed()
        self.streams.append(dict(self.held))

    def _write(self, name: str, number: int, right: Right) -> None:
        super()._write(name, number, right)
        if self.blocks:
            self.blocks[-1].writes[name] = self.held[name]

    def _norm(self, number: int, norm: Model) -> dict[str, str]:
        start = len(self.order)
        made = super()._norm(number, norm)
        self.blocks[-1].norms.append((self.order[start], self.order[start + 1], made))
        return made

    def _part(self, *given: Any) -> None:
        self.blocks.append(block := BlockValues())
        start = len(self.order)
        super()._part(*given)
        known = {
            *block.writes.values(),
            *(fn for mean, root, made in block.norms for fn in (mean, root, *made.values())),
        }
        block.parts = [fn for fn in self.order[start:] if fn not in known]
        self.streams.append(dict(self.held))


class RecordedFamily(FamilyRelation):
    """The same for a family: a block has the number of those before it."""

    def __init__(self, *given: Any) -> None:
        self.blocks: dict[int, BlockValues] = {}
        self.streams: list[tuple[tuple[Range, ...], dict[str, Held]]] = []  # the round, and what is held after a block
        self.starts: list[tuple[str, Held, Held | None]] = []  # where a repetition begins, with the old value
        super().__init__(*given)

    def _embed(self) -> None:
        super()._embed()
        self.streams.append(((), dict(self.held)))

    def _repeat(self, part: Repeat, number: int) -> int:
        old, first = dict(self.held), {*self.functions}
        made = super()._repeat(part, number)
        begun = [name for name in dict.fromkeys(part.written) if self.held[name][0] not in first]
        for index in part.over:
            for name in begun:
                self.starts.append((name, (self.held[name][0], (before_first(index.low),)), old.get(name)))
        return made

    def _part(
        self, number: int, blocks: Sequence[FamilyHead | tuple[Write, ...]], norms: Sequence[Norm], placement: str
    ) -> None:
        block, start = self.block, len(self.functions)
        super()._part(number, blocks, norms, placement)
        known = {held[0] for held in block.writes.values()}
        known |= {fn for mean, root, made in block.norms for fn in (mean, root, *(held[0] for held in made.values()))}
        block.parts = [fn for fn in list(self.functions)[start:] if fn not in known]
        self.streams.append((self.rounds, dict(self.held)))

    @property
    def block(self) -> BlockValues:
        return self.blocks.setdefault(len(self.streams), BlockValues())

    def _write(self, name: str, number: int, right: Right) -> None:
        super()._write(name, number, right)
        self.block.writes[name] = self.held[name]

    def _norm(self, number: int, norm: Norm) -> dict[str, Held]:
        start = len(self.functions)
        made = super()._norm(number, norm)
        mean, root = list(self.functions)[start : start + 2]
        self.block.norms.append((mean, root, made))
        return made


class Matching:
    """The blocks of a family at values beside those of a model."""

    def __init__(self, family: Family, at: Instance, own: Recorded, far: RecordedFamily, called: Mapping[str, str]):
        """`called` has the model's coordinate for each of the instance's."""
        self.family, self.at, self.own, self.far, self.called = family, at, own, far, called
        self.rounds: list[tuple[int, dict[str, Held], dict[str, Any]]] = []
        streams, k = far.streams, 0
        while k < len(streams):
            loop = streams[k][0]
            many = sum(over is loop for over, _ in streams[k:]) if loop else 1
            rounds = [dict(zip((one.name for one in loop), map(Fraction, t), strict=True)) for t in at._cells(loop)]
            self.rounds += [(m, streams[m][1], env) for env in rounds for m in range(k, k + many)]
            k += many

    def cells(self) -> RecordedCells:
        """For each function of the family and each of its indices the model's function, or a difference of two; None
        where that is zero."""
        out: RecordedCells = {fn: {} for fn in self.far.functions}
        for (_, held, env), names in zip(self.rounds, self.own.streams, strict=True):
            for x, (fn, first) in held.items():
                start = tuple(int(self.at.number(one, {**self.at.env, **env})) for one in first)
                for cell in self.at.cells[x]:
                    out[fn].setdefault((*start, *cell), names.get(self.called[label(x, cell)]))
        for x, (fn, first), old in self.far.starts:
            start, before = (
                tuple(int(self.at.number(one, self.at.env)) for one in (held[1] if held else ()))
                for held in ((fn, first), old)
            )
            for cell in self.at.cells[x]:
                out[fn][*start, *cell] = out[old[0]][*before, *cell] if old else None
        layers = [layer for part in self.family.layers for layer in part.layers for block in _blocks(layer) if block]
        for place, (k, _, env) in enumerate(self.rounds[1:]):
            self._inside(out, layers[k - 1], k, place, {**self.at.env, **env})
        return out

    def _inside(self, out: RecordedCells, layer: FamilyLayer, k: int, place: int, env: dict[str, Any]) -> None:
        """The same for what the stream does not show: the norms of a block, what it writes before a norm, and what each
        head adds."""
        far, own, before = self.far.blocks[k], self.own.blocks[place], self.own.streams[place]
        heads = self._of_heads(k)
        norms = layer.attention_norms if heads else layer.feedforward_norms
        rounds = next(part.over for part in self.family.layers if any(one is layer for one in part.layers))
        start = tuple(int(env[one.name]) for one in rounds)
        for norm, (mean, root, made), (mu, dev, theirs) in zip(norms, far.norms, own.norms, strict=True):
            out[mean][start], out[root][start] = mu, dev
            names = iter(theirs.values())
            for name, (fn, _) in made.items():
                over = next((w.to.over for w in norm.writes if w.to.name == name), self.family.space.get(name, ()))
                for cell in self.at._cells(over, env):
                    here = next(names) if norm.writes else theirs[self.called[label(name, cell)]]
                    out[fn][*start, *cell] = here
        for name, (fn, first) in far.writes.items():
            key = tuple(int(self.at.number(one, env)) for one in first)
            for cell in self.at.cells[name]:
                c = self.called[label(name, cell)]
                out[fn].setdefault((*key, *cell), own.writes.get(c, before.get(c)))
        if heads:
            self._parts(out, layer, far, own, before, start, env)

    def _parts(
        self, out: RecordedCells, layer: FamilyLayer, far: BlockValues, own: BlockValues,
        before: Mapping[str, str], start: tuple[int, ...], env: dict[str, Any],
    ) -> None:  # fmt: skip
        """What each head adds; one that is alone to write a coordinate adds what that is more than before."""
        actual = [
            (head, here)
            for head in layer.heads
            for here in self.at.indices(head, env)
            if any(True for write in head.writes for _ in self.at.cells_at(write, here, env))
        ]
        theirs: dict[str, list[int]] = {}
        for number, (head, here) in enumerate(actual):
            for write in head.writes:
                for cell in self.at.cells_at(write, here, env):
                    theirs.setdefault(label(write.to.name, cell), []).append(number)
        functions = iter(own.parts)
        parts = {(n, c): next(functions) for c, numbers in theirs.items() if len(numbers) > 1 for n in numbers}
        wanted = [(head, write) for head in layer.heads for write in head.writes]
        mine = iter(far.parts)
        for name in dict.fromkeys(write.to.name for _, write in wanted):
            writers = [(head, write) for head, write in wanted if write.to.name == name]
            if len(writers) == 1 and not writers[0][0].over:
                continue
            for head, write in writers:
                fn = next(mine)
                for number, (other, here) in enumerate(actual):
                    if other is not head:
                        continue
                    at = tuple(int(here[one.name]) for one in head.over)
                    for cell in self.at.cells_at(write, here, env):
                        c = label(name, cell)
                        new, old = own.writes.get(self.called[c]), before.get(self.called[c])
                        alone = f"{new} - {old}" if old else new
                        out[fn][*start, *at, *cell] = parts.get((number, c), alone)

    def _of_heads(self, k: int) -> bool:
        """Whether a block of the family, by its number, is one of heads."""
        flat = [block is _blocks(layer)[0] for part in self.family.layers for layer in part.layers
                for block in _blocks(layer) if block]  # fmt: skip
        return flat[k - 1]


def _blocks(layer: FamilyLayer) -> tuple[Any, Any]:
    return layer.heads, layer.feedforward
