"""The straight-line style: a model as a list of steps. Source: Cookbook, Section 8.1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from symcook.blocks import (
    Embedding,
    FeedForward,
    Head,
    Layer,
    LayerNorm,
    Parameter,
    Readout,
    SelfAttention,
    Transformer,
)
from symcook.compose.heads import single_head
from symcook.compose.routing import choice, fresh, route, united
from symcook.compose.stacking import diagonal, joint_parameters, least, shifted, written
from symcook.errors import BadInput, unknown
from symcook.space import Space
from symcook.symbols import exact, symbol


class Builder:
    """A model step by step: each step names what it reads and writes fresh coordinates.

    Steps are packed: each goes into the earliest place at which all that it reads is there, attention before
    feed-forward part in a layer, so that the depth is the least that the steps allow. Only a feed-forward step whose
    activation is another than that of the steps in its place moves up.

    >>> b = Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    >>> mean = b.attention("mean", reads="vote", mask="future")
    >>> b.readout("sign", "last", mean, weights=[1])
    >>> b.build("majority").run("aba").accept
    True

    Source: Cookbook, Section 8.1: each component is set exactly once.
    """

    def __init__(
        self,
        *,
        words: Mapping[str, Mapping[str, Any]] | None = None,
        inputs: Iterable[str] | None = None,
        positions: Mapping[str, Any] | None = None,
        parameters: Iterable[Parameter] = (),
        start: int = 1,
        before: str | None = None,
        after: str | None = None,
        max_length: int | None = None,
    ) -> None:
        self._names: list[str] = []
        self._positions = dict(positions or {})
        given = None if inputs is None else _names(inputs)
        self._names += united((*(c for row in (words or {}).values() for c in row), *(given or ()), *self._positions))
        self._embedding: dict[str, Any] = {
            "words": words, "inputs": given, "start": start, "before": before, "after": after
        }  # fmt: skip
        self._parameters = tuple(parameters)
        self._steps: list[Head | FeedForward] = []
        self._readout: Readout | None = None
        self._max_length = max_length

    def attention(
        self,
        writes: str | Iterable[str],
        reads: str | Iterable[str],
        *,
        Q: Any = None,
        K: Any = None,
        V: Any = None,
        mask: str = "none",
        weighting: str = "average",
        temperature: Any = 1,
        scale: Any = 1,
    ) -> tuple[str, ...]:
        """A head. Without Q and K the scores are zero; without V it copies what it reads, in order. Returns `writes`.

        Shapes as in `symcook.blocks.Head`.
        """
        reads, writes = _names(reads), _names(writes)
        if (Q is None) != (K is None):
            raise BadInput("queries and keys must be given together", "one of Q and K")
        if V is None:
            if len(reads) != len(writes):
                must = "a head without V must write as many coordinates as it reads"
                raise BadInput(must, f"{len(writes)} and {len(reads)}")
            V = choice(reads, reads)
        zero = [[0] * len(reads)]
        Q, K = (zero, zero) if Q is None else (Q, K)
        return self._add(Head(reads, writes, Q, K, V, mask, weighting, temperature, scale))

    def feedforward(
        self, writes: str | Iterable[str], reads: str | Iterable[str], *, W1: Any, b1: Any, W2: Any, b2: Any = None,
        activation: str = "relu",
    ) -> tuple[str, ...]:  # fmt: skip
        """A feed-forward part; b2 is zero unless given. Returns `writes`. Shapes as in `symcook.blocks.FeedForward`."""
        reads, writes = _names(reads), _names(writes)
        b2 = [0] * len(writes) if b2 is None else b2
        return self._add(FeedForward(reads, writes, W1, b1, W2, b2, activation))

    def add(self, block: Head | FeedForward) -> tuple[str, ...]:
        """A block made elsewhere, as by `symcook.weights.head` and `feedforward`, as a step. Returns what it writes."""
        if not isinstance(block, (Head, FeedForward)):
            raise BadInput("a step must be a head or a feed-forward part", type(block).__name__)
        return self._add(block)

    def symbol(self, name: str, default: Any = None, **region: Any) -> str:
        """Declare a symbol (`symcook.blocks.Parameter`) that weights may name. Returns its name."""
        self._parameters = joint_parameters(self._parameters, (Parameter(name, default, **region),))
        return name

    def recipe(
        self,
        writes: str | Iterable[str],
        recipe: str | Transformer,
        *,
        reads: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> tuple[str, ...]:
        """The blocks of a recipe (or of any model that takes inputs) on coordinates of this model. Returns `writes`.

        `reads` maps each input to a coordinate here (itself where it is left out), `writes` renames what its readout
        shows, in order; other coordinates get fresh names. `values` sets its symbols to numbers, or to expressions in
        the symbols declared here, which the caller keeps in the region; the others are declared here too. `arguments`
        are those of the recipe.
        BadInput for a model with words, norms, a deciding readout, or one that writes onto an input.
        """
        from symcook.recipes import build

        model = build(recipe, **arguments) if isinstance(recipe, str) else recipe
        writes, start = _names(writes), self._embedding["start"]
        _check_inline(model, writes)
        model = single_head(shifted(self._opened(model, values) if values else model, start))
        names: dict[str, str] = dict(zip(model.readout.reads, writes, strict=True))
        given = {one: one for one in model.embedding.inputs or ()}
        for one, here in (reads or {}).items():
            if one not in given:
                raise unknown("input", one, list(given))
            given[one] = here
        Space(tuple(self._names)).require(list(given.values()))
        for one in model.space:
            if one not in names and one not in given:
                names[one] = fresh(f"{writes[0]}_{one}", (*self._names, *writes, *names.values()))
        self._take(names.values())
        self._positions |= {names[one]: value for one, value in model.embedding.positions.items()}
        to = given | names
        for layer in model.layers:  # of one head each: heads of one layer read one stream, steps read what is there
            for part in layer.parts():
                assert not isinstance(part, LayerNorm)  # _check_inline let none through
                self._steps.append(_inlined(part, to))
        self._parameters = joint_parameters(self._parameters, model.parameters)
        self._max_length = least((self._max_length, None if model.pointwise else model.max_length))
        return writes

    def readout(
        self,
        kind: str,
        position: str,
        reads: str | Iterable[str],
        *,
        weights: Any = None,
        labels: Iterable[str] = (),
    ) -> None:
        """What is looked at, and where; as in `symcook.blocks.Readout`."""
        reads = _names(reads)
        Space(tuple(self._names)).require(reads)
        self._readout = Readout(kind, position, reads, weights, tuple(labels))

    def build(self, name: str, *, source: str = "", packed: bool = True) -> Transformer:
        """The model. Without `packed` every step is a layer of its own, in the order of the steps."""
        if self._readout is None:
            raise BadInput("a model must have a readout", "none", "call readout(...) first")
        embedding = Embedding(Space(tuple(self._names)), positions=self._positions, **self._embedding)
        layers = _packed(self._steps) if packed else tuple(_alone(step) for step in self._steps)
        return Transformer(name, embedding, layers, self._readout, self._parameters, self._max_length, source)

    def _opened(self, model: Transformer, values: Mapping[str, Any]) -> Transformer:
        """`model` with numbers, or expressions in the symbols declared here, for some of its symbols."""
        table = {}
        for name, value in values.items():
            table[symbol(name)] = given = exact(value)
            parameter = model.parameter(name)
            if not given.free_symbols:
                parameter.check(given)
        used = {free.name for value in table.values() for free in value.free_symbols}
        here = {p.name: p for p in self._parameters}
        for name in sorted(used - set(here)):
            raise BadInput("a symbol must be declared before it is used", name, f"call symbol('{name}') first")
        rest = (p for p in model.parameters if p.name not in values)
        parameters = joint_parameters(rest, (here[name] for name in sorted(used)))
        return model.mapped(lambda value: value.subs(table, simultaneous=True), parameters)

    def _add(self, step: Head | FeedForward) -> tuple[str, ...]:
        Space(tuple(self._names)).require(step.reads)
        self._take(step.writes)
        self._steps.append(step)
        return step.writes

    def _take(self, names: Iterable[str]) -> None:
        names = tuple(names)
        for name in names:
            if name in self._names:
                raise BadInput("each step must write fresh coordinates", name, "give it another name")
        self._names = list(Space((*self._names, *names)))


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _check_inline(model: Transformer, writes: Sequence[str]) -> None:
    if model.embedding.inputs is None:
        raise BadInput("a recipe that is inlined must take inputs", model.name)
    if model.final_norm is not None or any(layer.placement != "none" for layer in model.layers):
        raise BadInput("a recipe that is inlined must be without layer norm", model.name)
    if model.readout.kind != "value":
        raise BadInput("a recipe that is inlined must have a readout of values", f"{model.name}: {model.readout.kind}")
    changed = written(model) | {*model.embedding.positions, *model.readout.reads}
    touched = sorted(changed & set(model.embedding.inputs))
    if touched:
        raise BadInput("a recipe that is inlined must write fresh coordinates", f"{model.name} writes {touched[0]}")
    if len(writes) != len(model.readout.reads):
        shown = ", ".join(model.readout.reads)
        raise BadInput(f"there must be a name for each output of {model.name}: {shown}", len(writes))


def _inlined(part: Any, to: Mapping[str, str]) -> Head | FeedForward:
    """`part` on the coordinates `to`; two inputs may be one coordinate here."""
    return route(part, reads=tuple(to[name] for name in part.reads), writes=tuple(to[name] for name in part.writes))


def _alone(step: Head | FeedForward) -> Layer:
    return Layer(SelfAttention((step,))) if isinstance(step, Head) else Layer(None, step)


def _packed(steps: Sequence[Head | FeedForward]) -> tuple[Layer, ...]:
    """The steps in layers of least depth, with the values that they have one after the other.

    A step comes after every earlier one that writes what it reads, and not before an earlier one that reads what it
    writes. Place 2 l is the attention of layer l, place 2 l + 1 its feed-forward part.
    """
    written: dict[str, int] = {}
    read: dict[str, int] = {}
    places: dict[int, list[Any]] = {}
    for step in steps:
        before = [written[name] + 1 for name in step.reads if name in written]
        before += [read[name] for name in step.writes if name in read]
        place = max(before, default=0)
        place += (place + isinstance(step, FeedForward)) % 2
        while isinstance(step, FeedForward) and places.get(place, [step])[0].activation != step.activation:
            place += 2
        places.setdefault(place, []).append(step)
        for name in step.reads:
            read[name] = max(place, read.get(name, 0))
        for name in step.writes:
            written[name] = max(place, written.get(name, 0))
    return tuple(
        _level(places.get(2 * level, []), places.get(2 * level + 1, []))
        for level in range(max(places, default=-1) // 2 + 1)
    )


def _level(heads: Sequence[Head], networks: Sequence[FeedForward]) -> Layer:
    return Layer(SelfAttention(tuple(heads)) if heads else None, diagonal(networks) if networks else None)
