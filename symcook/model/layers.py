"""Layers: heads side by side, a feed-forward part, the norms around both, and the steps that a forward pass takes.

Source of the definitions: Cookbook, Definition 2.2 and Section 6.2; merrill2024, Definition 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from symcook.door import door
from symcook.errors import BadInput
from symcook.model.answers import Named
from symcook.model.checks import Put, changes, coordinates, freeze, instance, listed, one_of
from symcook.model.parts import FeedForward, Head, LayerNorm, Part

PLACEMENTS = ("none", "post", "pre", "projected pre", "multi pre")


@door()
@dataclass(frozen=True, repr=False)
class SelfAttention(Named):
    """Heads side by side; each adds its output to the coordinates that it writes."""

    REPORT = "model"

    heads: tuple[Head, ...]

    def __post_init__(self) -> None:
        freeze(self, heads=listed(self.heads, "self-attention", "heads"))
        for head in self.heads:
            instance("a part of self-attention", head, Head)
        if not self.heads:
            raise BadInput("self-attention must have at least one head", "none", "leave the attention out")

    def mapped(self, put: Put) -> SelfAttention:
        """These heads with the substitution `put` made in every number; itself where none changes."""
        new = changes({"heads": self.heads}, lambda heads: _mapped(heads, put))
        return replace(self, **new) if new else self


@door()
@dataclass(frozen=True, repr=False)
class Layer(Named):
    """z := z + attention(z), then z := z + feedforward(z); either part may be absent. Source: Cookbook, Def. 2.2.

    attention: a `SelfAttention`, or one `Head`, which becomes one.

    With norms, for each of the two parts f (Cookbook, Section 6.2; merrill2024, Definition 1):
    "post"            z := LN(z + f(z)), one norm over the whole stream;
    "pre"             z := z + f(LN(z)), one norm over the whole stream;
    "projected pre"   z := z + f(LN(P z)), one norm with a projection; f reads the names that the norm writes;
    "multi pre"       the same with several such norms side by side.
    """

    REPORT = "model"

    attention: Any = None
    feedforward: FeedForward | None = None
    attention_norms: tuple[LayerNorm, ...] = ()
    feedforward_norms: tuple[LayerNorm, ...] = ()
    placement: str = "none"

    def __post_init__(self) -> None:
        if isinstance(self.attention, Head):
            freeze(self, attention=SelfAttention((self.attention,)))
        if self.attention is None and self.feedforward is None:
            raise BadInput("a layer must have an attention or a feed-forward part", "neither")
        for what, kind in (("attention", SelfAttention), ("feedforward", FeedForward)):
            part = getattr(self, what)
            if part is not None and not isinstance(part, kind):
                raise BadInput(f"the {what} of a layer must be a {kind.__name__}", type(part).__name__)
        if self.attention is not None:
            instance("the attention of a layer", self.attention, SelfAttention)
        if self.feedforward is not None:
            instance("the feed-forward part of a layer", self.feedforward, FeedForward)
        one_of("placement of a norm", self.placement, PLACEMENTS)
        for name, part in (("attention", self.attention), ("feedforward", self.feedforward)):
            norms = getattr(self, f"{name}_norms")
            norms = (
                (norms,) if isinstance(norms, LayerNorm) else listed(norms, f"the norms of the {name}", "layer norms")
            )
            freeze(self, **{f"{name}_norms": norms})
            for norm in norms:
                instance(f"a norm of the {name}", norm, LayerNorm)
            self._check_norms(name, part, norms)

    def _check_norms(self, name: str, part: object, norms: tuple[LayerNorm, ...]) -> None:
        wanted = 0 if part is None or self.placement == "none" else 1
        if len(norms) != wanted and not (self.placement == "multi pre" and wanted and norms):
            raise BadInput(f"placement {self.placement} needs {wanted or 'no'} norm for the {name}", len(norms))
        projected = self.placement in ("projected pre", "multi pre")
        for norm in norms:
            if (norm.projection is not None) != projected:
                must = f"placement {self.placement} needs norms with{'' if projected else 'out'} projection"
                raise BadInput(must, name)
        if projected and part is not None:
            coordinates([n for norm in norms for n in norm.writes], f"the norms of the {name}")

    def sublayers(self, number: int) -> Iterator[Sublayer]:
        """The attention and the feed-forward part as steps; the one place that says what a placement means."""
        for block, norms in self.blocks():
            if self.placement == "post":
                yield Sublayer(number, block, after=norms[0])
            else:
                yield Sublayer(number, block, before=norms)

    def mapped(self, put: Put) -> Layer:
        """This layer with the substitution `put` made in every number; itself where none changes."""
        names = ("attention", "feedforward", "attention_norms", "feedforward_norms")
        new = changes({name: getattr(self, name) for name in names}, lambda part: _mapped(part, put))
        return replace(self, **new) if new else self

    def blocks(self) -> Iterator[tuple[SelfAttention | FeedForward, tuple[LayerNorm, ...]]]:
        """The attention, then the feed-forward part, each with its norms."""
        if self.attention is not None:
            yield self.attention, self.attention_norms
        if self.feedforward is not None:
            yield self.feedforward, self.feedforward_norms

    def parts(self) -> Iterator[Head | FeedForward | LayerNorm]:
        """Everything with reads, writes and matrices: heads, feed-forward part and norms."""
        for block, norms in self.blocks():
            yield from norms
            if isinstance(block, SelfAttention):
                yield from block.heads
            else:
                yield block


def _mapped(given: Any, put: Put) -> Any:
    """A part or each of several with the substitution `put` made; what was given where nothing changes."""
    if isinstance(given, tuple):
        new = tuple(part.mapped(put) for part in given)
        return new if any(one is not part for one, part in zip(new, given, strict=True)) else given
    return None if given is None else given.mapped(put)


@dataclass(frozen=True)
class Sublayer:
    """One step of the forward pass over the residual stream z, with no word about placements left in it.

    `before` are the norms whose outputs the block reads, by the names that they write; without any it reads z itself.
    What the block gives is added to z; then `after`, where there is one, is put in place of what it reads. `block` is
    None for the final norm. `layer` counts from 1.
    """

    layer: int
    block: SelfAttention | FeedForward | None
    before: tuple[LayerNorm, ...] = ()
    after: LayerNorm | None = None

    @property
    def kind(self) -> str:
        """attention, feed-forward or final norm."""
        if self.block is None:
            return "final norm"
        return "feed-forward" if isinstance(self.block, FeedForward) else "attention"

    @property
    def parts(self) -> tuple[Head | FeedForward, ...]:
        """The heads, the feed-forward part, or nothing."""
        if isinstance(self.block, SelfAttention):
            return self.block.heads
        return () if self.block is None else (self.block,)

    @property
    def named_parts(self) -> Iterator[tuple[str, Head | FeedForward]]:
        """The parts, each with what a sentence calls it."""
        for number, part in enumerate(self.parts, 1):
            what = f"head {number}" if isinstance(part, Head) else "the feed-forward part"
            yield f"{what} of layer {self.layer}", part

    @property
    def norms(self) -> tuple[LayerNorm, ...]:
        return self.before if self.after is None else (*self.before, self.after)

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """Everything with fields, in the order in which it acts: norms before, parts, the norm behind."""
        return (*self.before, *self.parts, *(() if self.after is None else (self.after,)))
