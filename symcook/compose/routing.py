"""Blocks on other coordinates: renaming, the routing lemma, and cancelling the residual connection.

`rename` gives coordinates other names, and `route` puts matrices before and after a block. `cancel_residual` changes a
block so that its input plus its new output is the old output. Source: Cookbook, Sections 4.2 and 8.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from symcook.errors import BadInput
from symcook.model.checks import Space, matrix
from symcook.model.entries import as_sympy
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.reads import PartsRead
from symcook.model.symbols import symbol
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    import sympy

READS = PartsRead("the renaming of coordinates")

PROJECTED = ("projected pre", "multi pre")
"""Placements in which blocks read the names that their norms write, not coordinates of the residual stream."""

Block = TypeVar("Block", FeedForward, Head, SelfAttention)
Part = TypeVar("Part", FeedForward, Head)


def rename(
    model: Transformer,
    names: Mapping[str, str] | None = None,
    *,
    symbols: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Transformer:
    """`model` with other names for some coordinates (and with them inputs) and declared symbols; same values.

    BadInput where an old name does not exist or two coordinates (two symbols) would get one name.
    """
    names, symbols = dict(names or {}), dict(symbols or {})
    model.space.require(list(names))
    for old in symbols:
        model.parameter(old)
    # All symbols are replaced at once, so that two may swap their names.
    if symbols:
        table = {symbol(old): symbol(new) for old, new in symbols.items()}
        parameters = tuple(replace(p, name=symbols.get(p.name, p.name)) for p in model.parameters)
        model = model.mapped(lambda value: value.subs(table, simultaneous=True), parameters)

    def new_name(coordinate: str) -> str:
        """The new name of a coordinate, or its old one."""
        return names.get(coordinate, coordinate)

    def row(values: Mapping[str, object]) -> dict[str, Any]:
        """The values by coordinate, with the coordinates renamed."""
        return {new_name(c): v for c, v in values.items()}

    # Coordinates are renamed in the space, in the embedding, and in each part that reads or writes them.
    old_embedding = model.embedding
    space = Space(tuple(map(new_name, model.space)))
    embedding = replace(
        old_embedding,
        space=space,
        words=old_embedding.words and {token: row(values) for token, values in old_embedding.words.items()},
        inputs=old_embedding.inputs and tuple(map(new_name, old_embedding.inputs)),
        positions=row(old_embedding.positions),
    )
    final: Any = model.final_norm  # of a kind that READS knows
    return replace(
        model,
        name=model.name if name is None else name,
        embedding=embedding,
        layers=tuple(_renamed(layer, new_name) for layer in READS.of(model).layers),
        readout=replace(model.readout, reads=tuple(map(new_name, model.readout.reads))),
        final_norm=final and _renamed_norm(final, new_name),
    )


def _renamed_norm(norm: LayerNorm, to: Callable[[str], str]) -> LayerNorm:
    """The norm with coordinates renamed. A norm with a projection writes names of its own, which stay."""
    writes = tuple(map(to, norm.writes)) if norm.projection is None else norm.writes
    return replace(norm, reads=tuple(map(to, norm.reads)), writes=writes)


def _renamed(layer: Layer, to: Callable[[str], str]) -> Layer:
    """The layer with coordinates renamed. A block after a projecting norm reads that norm's names, which stay."""
    local = layer.placement in PROJECTED

    def part(block: Part) -> Part:
        """A head or feed-forward sublayer with coordinates renamed."""
        reads = block.reads if local else tuple(map(to, block.reads))
        return replace(block, reads=reads, writes=tuple(map(to, block.writes)))

    return Layer(
        layer.attention and SelfAttention(tuple(part(head) for head in layer.attention.heads)),
        layer.feedforward and part(layer.feedforward),
        tuple(_renamed_norm(norm, to) for norm in layer.attention_norms),
        tuple(_renamed_norm(norm, to) for norm in layer.feedforward_norms),
        layer.placement,
    )


def fresh(base: str, taken: Iterable[str]) -> str:
    """`base`, or `base` with the smallest number that makes it new."""
    taken, name, count = set(taken), base, 1
    while name in taken:
        count += 1
        name = f"{base}_{count}"
    return name


def united(names: Iterable[str]) -> tuple[str, ...]:
    """The names in order, each once."""
    return tuple(dict.fromkeys(names))


def over(block: Part, reads: Sequence[str], writes: Sequence[str]) -> Part:
    """The same block over the coordinates `reads` and `writes`, which must include its own, with zero columns and rows
    for the others."""
    return _routed(block, reads, choice(block.reads, reads), writes, choice(writes, block.writes))


def choice(rows: Sequence[str | None], columns: Sequence[str]) -> sympy.ImmutableMatrix:
    """The 0/1 matrix with a 1 where the name of the row is that of the column; a row of None is zero."""
    import sympy

    return sympy.ImmutableMatrix(len(rows), len(columns), lambda r, c: int(rows[r] == columns[c]))


def _routed(block: Part, reads: Sequence[str], right: object, writes: Sequence[str], left: object) -> Part:
    """The block with `right` applied to what it reads, and `left` to what it writes."""
    READS.parts((block,))
    if isinstance(block, FeedForward):
        changed = {"W1": block.W1 * right, "W2": left * block.W2, "b2": left * block.b2}
    else:
        changed = {"Q": block.Q * right, "K": block.K * right, "V": left * block.V * right}
    return replace(block, reads=tuple(reads), writes=tuple(writes), **changed)


def route(
    block: Block,
    *,
    reads: Sequence[str | None] | None = None,
    writes: Sequence[str | None] | None = None,
    left: object = None,
    right: object = None,
) -> Block:
    """L o block o R: the block on R x, with L applied to what it adds.

    A feed-forward part becomes (W1 R, b1, L W2, L b2), a head (WQ R, WK R, L WV R). In self-attention every head is
    routed; the block's coordinates are then those of all heads, in order. `reads` are the coordinates to which R is
    applied, and `right` is R, of shape |block's reads| x |reads|. `writes` are the coordinates to which L writes, and
    `left` is L, of shape |writes| x |block's writes|. Without a matrix, the names replace the block's names in order: a
    name may occur twice, and None drops a coordinate (the block reads zero there, or its output there is dropped).
    BadInput for a matrix of another shape.
    Source: Cookbook, Section 8.2, Lemma 8.1.

    >>> block = FeedForward(("x",), ("out",), W1=[[1]], b1=[0], W2=[[1]], b2=[0])
    >>> route(block, reads=("a", "b"), right=[[2, -3]]).W1
    Matrix([[2, -3]])
    """
    if isinstance(block, SelfAttention):
        old_reads = united(name for head in block.heads for name in head.reads)
        old_writes = united(name for head in block.heads for name in head.writes)
    else:
        old_reads, old_writes = block.reads, block.writes
    new_reads, R = _side(old_reads, reads, right, "right", False)
    new_writes, L = _side(old_writes, writes, left, "left", True)
    if isinstance(block, SelfAttention):
        heads = (over(head, old_reads, old_writes) for head in block.heads)
        return SelfAttention(tuple(_routed(head, new_reads, R, new_writes, L) for head in heads))
    return _routed(block, new_reads, R, new_writes, L)


def _side(
    old: Sequence[str], names: Sequence[str | None] | None, given: object, what: str, is_left: bool
) -> tuple[tuple[str, ...], Any]:
    """The new names of one side of a block, and the matrix between the old names and the new ones. `given` is the
    caller's matrix or None, `what` its name for messages."""
    if isinstance(names, str):
        raise BadInput("names must be a tuple of coordinate names", names, f"write ('{names}',)")
    names = old if names is None else tuple(names)
    # Without a matrix each old name has a new one. Equal names become one coordinate; None drops the old one.
    if given is None:
        if len(names) != len(old):
            verb = "writes" if is_left else "reads"
            must = f"without a matrix `{what}` there must be a name for each of the {len(old)} that the block {verb}"
            raise BadInput(must, len(names), f"give {len(old)} names, or a matrix")
        new = united(name for name in names if name is not None)
        return new, choice(new, names) if is_left else choice(names, new)  # type: ignore[arg-type]
    # With a matrix the names belong to its other side and must all be different.
    given_names = tuple(name for name in names if name is not None)
    if len(set(names)) != len(names) or len(given_names) != len(names):
        raise BadInput(
            f"with a matrix `{what}` the names must be different",
            ", ".join(map(str, names)),
            "give the coordinates different names",
        )
    shape = (len(given_names), len(old)) if is_left else (len(old), len(given_names))
    return given_names, as_sympy(matrix(given, shape, f"the matrix `{what}`"))


def cancel_residual(block: FeedForward) -> FeedForward:
    """f' with x + f'(x) = f(x) on every coordinate x that f writes: the residual connection cancelled.

    Two hidden units for each written coordinate, below those of f: W1 = [f.W1; I; -I], W2 = [f.W2, -I, I]. This is
    exact for relu and for every form of gelu, where act(x) - act(-x) = x; BadInput for step, where it is not.
    Source: Cookbook, Section 4.2.
    """
    import sympy

    if block.activation == "step":
        raise BadInput("the activation must satisfy x = act(x) - act(-x)", "step", "use relu or gelu")
    reads = united((*block.reads, *block.writes))
    wide, written_coordinates = over(block, reads, block.writes), choice(block.writes, reads)
    m = len(block.writes)
    identity = sympy.eye(m)
    return replace(
        wide,
        W1=sympy.ImmutableMatrix.vstack(wide.W1, written_coordinates, -written_coordinates),
        b1=sympy.ImmutableMatrix.vstack(wide.b1, sympy.zeros(2 * m, 1)),
        W2=sympy.ImmutableMatrix.hstack(wide.W2, -identity, identity),
    )
