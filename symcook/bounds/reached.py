"""How far each coordinate of a model moves at most, over all words of a length: `moved` run word by word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from flint import arb

from symcook.bounds.moved import Moved, Off
from symcook.domains.rounding import FORMATS, Format
from symcook.errors import Undecided
from symcook.forward import forward
from symcook.model.symbols import symbol
from symcook.model.transformer import Parameter, Transformer
from symcook.words import every

MOST_WORK = 2_000_000
"""Where the `work` is more, only the constants of the parts are shown."""
FLOATS: Mapping[str, Format] = {name: inner[0] for name, inner in FORMATS.items()} | {"bfloat16": Format(8, -126, 128)}
"""The types of floats in which weights are stored and every operation is rounded."""


@dataclass
class Moves:
    """What was found: for each part the greatest change of the whole stream at a position (the sum over coordinates),
    and for each coordinate after the last part, and each score of the readout, the greatest change and where."""

    parts: list[tuple[str, arb]] = field(default_factory=list)
    coordinates: dict[str, tuple[arb, int, str]] = field(default_factory=dict)
    scores: dict[str, tuple[arb, int, str]] = field(default_factory=dict)
    words: int = 0

    @property
    def stream(self) -> arb:
        """The greatest change of the stream after the last part."""
        return self.parts[-1][1]


def work(model: Transformer, length: int, delta: Fraction | None) -> int:
    """Words times their length times the sources of error: what `moves` takes grows with it."""
    entries = len(model.space) if delta else 0
    return max(1, len(model.alphabet)) ** min(length, 64) * length * ((length + model.embedding.added) * entries + 8)


def moves(model: Transformer, length: int, delta: Fraction | None, dtype: str | None, bits: int) -> Moves:
    """All words of `length` typed symbols (rows of any numbers where the model reads numbers).

    Raises Undecided where a choice on the way (the greatest score of hard attention, a step, a divisor, the root of a
    variance) may be another one under the errors, or a bound is not finite.
    """
    names = [f"moved{k}" for k in range(len(model.space))] if delta else []
    opened = _opened(model, names)
    found = Moves()
    for word, sequence in _inputs(model, length):
        domain = Moved(bits, names, delta or Fraction(0), None if dtype is None else FLOATS[dtype])
        result = forward(opened, sequence, domain, trace=True, weights=False)
        with domain.context():
            _collect(found, result, domain, word)
        found.words += 1
    return found


def _opened(model: Transformer, names: Sequence[str]) -> Transformer:
    """The model with a number added to each entry of the embedding."""
    if not names:
        return model
    embedding = model.embedding
    positions = {c: embedding.positions.get(c, 0) + symbol(name) for c, name in zip(model.space, names, strict=True)}
    parameters = (*model.parameters, *(Parameter(name) for name in names))
    return replace(model, embedding=replace(embedding, positions=positions), parameters=parameters)


def _inputs(model: Transformer, length: int) -> Iterator[tuple[str, Any]]:
    if not model.alphabet:
        yield "any", tuple(dict.fromkeys(model.embedding.inputs or (), 0) for _ in range(length))
        return
    for word in every(model.alphabet, length):
        yield model.embedding.written(word), model.tokens(word)


def _collect(found: Moves, result: Any, domain: Moved, word: str) -> None:
    for k, step in enumerate(result.steps):
        largest = arb(0)
        for place in range(domain.length):
            entries = [column[place] for column in step.columns.values() if isinstance(column[place], Off)]
            largest = largest.max(_finite(domain.total_size(entries)))
        label = f"layer {step.layer} {step.part}" if step.layer else step.part
        if k == len(found.parts):
            found.parts.append((label, largest))
        else:
            found.parts[k] = (label, found.parts[k][1].max(largest))
    for name, column in result.steps[-1].columns.items():
        for place, entry in enumerate(column):
            _greatest(found.coordinates, name, entry, place + result.model.embedding.start, word)
    start, places = result.model.embedding.start, result.model.readout.places(domain.length)
    for name, column in result.scores.items():
        for place in places:
            _greatest(found.scores, name, column[place], place + start, word)


def _greatest(table: dict[str, tuple[arb, int, str]], name: str, entry: Off, place: int, word: str) -> None:
    size = _finite(entry.moved)
    if name not in table or size > table[name][0]:
        table[name] = (size, place, word)


def _finite(x: arb) -> arb:
    if not x.is_finite():
        raise Undecided("the change has no bound")
    return x


def few_enough(model: Transformer, length: int, delta: Fraction | None) -> bool:
    """Whether all words of a length are few enough to be gone through."""
    return work(model, length, delta) <= MOST_WORK
