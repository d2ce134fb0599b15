"""The inputs of a check: every word, or a stated set of sequences of rows, block by block."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.machine import unfollowed
from symcook.model.expr import Tree, names, parse_formula, show
from symcook.model.rationals import truth
from symcook.model.transformer import Transformer
from symcook.words import every

if TYPE_CHECKING:
    from symcook.domains.batch import Grid, Words

LIMIT = 2**34
"""The greatest number of inputs that one check takes on."""
BLOCK = 2**16
"""The number of inputs that one batch holds: memory is bounded whatever the length."""
BUDGET = 2**12
"""The number of sequences of one length over which a set of row values may spread; longer ones take fewer values."""
ROW_VALUES = (
    (Fraction(0), Fraction(1), Fraction(-1), Fraction(2), Fraction(1, 2)),
    (Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2)),
    (Fraction(0), Fraction(1), Fraction(-1)),
    (Fraction(0), Fraction(1)),
)
"""Sets of input values for sequences of rows; the first that keeps within BUDGET is used."""


def region_tree(region: str | Tree | None) -> Tree:
    """A region as a tree; without one, everything is inside."""
    return ("true",) if region is None else parse_formula(region) if isinstance(region, str) else region


def conjuncts(tree: Tree) -> Iterator[Tree]:
    """The parts of a conjunction."""
    if tree[0] == "&":
        yield from conjuncts(tree[1])
        yield from conjuncts(tree[2])
    else:
        yield tree


@dataclass(frozen=True)
class Source:
    """The inputs of a check: how many, in words, and part by part."""

    total: int
    text: str
    parts: Callable[[], Iterable[Part]]


@dataclass(frozen=True)
class Part:
    """Inputs that one pass runs: all of `block`, and where `lengths` are given, its words cut to these lengths instead,
    which count the tokens that the model adds. They need a model whose runs share prefixes."""

    block: Words | Grid
    lengths: tuple[int, ...] = ()

    @property
    def pieces(self) -> tuple[tuple[int, Words | Grid], ...]:
        """The lengths, and the inputs of each."""
        from symcook.domains.batch import Words

        block = self.block
        if not isinstance(block, Words):
            return ((len(block.rows), block),)
        return tuple((n, block.cut(n)) for n in self.lengths or (block.n,))

    @property
    def size(self) -> int:
        """The number of inputs."""
        return sum(piece.size for _, piece in self.pieces)


def words(model: Transformer, max_length: int) -> Source:
    """All words of length 1 to `max_length`, which does not count the tokens that the model adds.

    Where runs share prefixes, one pass over the words of length n serves the shorter ones too: the lengths up to the
    greatest that fits one block, then as many more again, block by block of words with a common prefix.
    """
    from symcook.domains.batch import Words

    letters = len(model.alphabet)
    allowed = LIMIT if letters == 1 else 1
    while letters > 1 and sum(letters**n for n in range(1, allowed + 2)) <= LIMIT:
        allowed += 1
    if max_length > allowed:
        must = f"a check must have at most {LIMIT} inputs, which is length {allowed} over {letters} symbols"
        raise BadInput(must, f"length {max_length}", f"give --max-length {allowed} or less")
    total = sum(letters**n for n in range(1, max_length + 1))
    before, after = model.embedding.ends
    added = len(before) + len(after)

    def parts() -> Iterator[Part]:
        if unfollowed(model) is not None or after:
            for n in range(1, max_length + 1):
                yield from map(Part, Words(model.alphabet, n + added, before, after).blocks(BLOCK))
            return
        stride = max_length if letters == 1 else 1
        while letters > 1 and letters ** (stride + 1) <= BLOCK:
            stride += 1
        done = 0
        while done < max_length:
            last = min(done + stride, max_length)
            lengths = tuple(n + added for n in range(done + 1, last + 1))
            for prefix in every(model.alphabet, max(0, last - stride)):
                yield Part(Words(model.alphabet, last + added, (*before, *prefix)), lengths)
            done = last

    return Source(total, "", parts)


def rows(model: Transformer, max_length: int, region: Tree) -> Source:
    """Sequences of rows. An input that the region ties to n runs through the positions that it allows, and then every
    input that the region leaves free has one generic value a position; any other runs through a set of small values.

    Where the product over all positions would pass BUDGET, fewer values are taken, and at last a generic sequence alone
    (of positions, or of values) in its n cyclic shifts.
    """
    from symcook.domains.batch import Grid

    inputs = model.embedding.inputs or ()
    conditions = list(conjuncts(region))
    tied = [name for name in inputs if any({"n", name} <= names(part) for part in conditions)]
    own = {name: [part for part in conditions if names(part) <= {"n", name}] for name in inputs}
    single = [name for name in inputs if tied and not any(name in names(part) for part in own[name])]
    varied = [name for name in inputs if name not in single]
    for part in conditions:
        if not any(part in own[name] for name in inputs):
            raise BadInput("the region of a model over rows must speak of one input at a time, and of n", show(part))

    def allowed(name: str, candidates: Iterable[Fraction], n: int) -> list[Fraction]:
        result = [v for v in candidates if all(truth(part, {name: v, "n": Fraction(n)}) for part in own[name])]
        if not result:
            raise BadInput(f"the region must hold for some value of {name}", show(region))
        return result

    def choose(n: int) -> tuple[str, list[dict[str, Fraction]], bool]:
        """At length n: what the rows are in words, the rows, and whether all combinations of them are taken."""
        positions = [Fraction(j) for j in range(1, n + 1)]
        for values in ROW_VALUES:
            sets = {name: allowed(name, positions if name in tied else values, n) for name in varied}
            choices = [dict(zip(sets, c, strict=True)) for c in itertools.product(*sets.values())]
            if len(choices) ** n <= BUDGET:
                text = ", ".join(f"{k} in {'1..n' if k in tied else braces(v)}" for k, v in sets.items())
                return f"all with {text}", choices, True
        if tied:
            return f"every {' and '.join(tied)} at every position (one list, shifted cyclically)", choices, False
        generics = [dict.fromkeys(inputs, generic(place)) for place in range(1, n + 1)]
        return "generic values, shifted cyclically", generics, False

    def grids(n: int) -> Iterator[Grid]:
        _, choices, whole = choose(n)
        fixed = [dict.fromkeys(single, generic(place)) for place in range(1, n + 1)]
        for shift in range(1 if whole else len(choices)):
            places = [choices if whole else [choices[(place + shift) % len(choices)]] for place in range(n)]
            yield Grid(tuple([row | fixed[p] for row in options] for p, options in enumerate(places)))

    total = 0
    said: list[list[Any]] = []
    for n in range(1, max_length + 1):
        text, choices, whole = choose(n)
        total += len(choices) ** n if whole else len(choices)
        if said and said[-1][0] == text:
            said[-1][2] = n
        else:
            said.append([text, n, n])
    parts_said = [f"length {a} to {b}: {text}" if a < b else f"length {a}: {text}" for text, a, b in said]
    if single:
        parts_said.append(f"{', '.join(single)} generic")

    def parts() -> Iterator[Part]:
        for n in range(1, max_length + 1):
            for grid in grids(n):
                yield from map(Part, grid.blocks(BLOCK))

    return Source(total, f"on sequences of rows, {'; '.join(parts_said)}", parts)


def braces(values: Iterable[Fraction]) -> str:
    """A set of numbers as text."""
    return "{" + ", ".join(map(str, values)) + "}"


def generic(place: int) -> Fraction:
    """A value for position `place`, so chosen that averages over different sets of positions differ."""
    return Fraction((-3) ** place, 2 * place + 1)
