"""Which family a model is a member of: the shipped families with proved theorems about runs that round.

A model is a member if it has the weights of the family at some size, coordinate by coordinate in the same order, and as
many tokens. Its coordinates may have other names. So each run of the model is a run of the family at that size, and
what is proved about all sizes holds for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING

from symcook.compose.routing import rename
from symcook.errors import BadInput
from symcook.model.modelfile import numbered_hash, to_document
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    from symcook.model.family import Family

MOST_MEMBERS = 200
"""The greatest size that is tried."""


def size_of_member(model: Transformer, family_name: str) -> dict[str, int] | None:
    """The value of the size at which the family of this name is the model; None if it is not, or if the family has
    tables or several sizes. The choices of the family are its first ones."""
    from symcook.model.instance import Instance, instance

    family = _family(family_name)
    if family.tables or len(family.sizes) != 1 or len(family.layers) > len(model.layers):
        return None
    if (family.vocabulary is None) is not (model.embedding.words is None):
        return None
    (size,) = family.sizes
    for value in range(1, MOST_MEMBERS + 1):
        try:
            width = len(Instance(family, {size: value}).space)
            if width > len(model.space):
                return None
            if width == len(model.space):
                tokens = None if model.embedding.words is None else [*model.embedding.words]
                return {size: value} if _same(model, instance(family, {size: value}, tokens)) else None
        except BadInput:  # a size or a number of tokens that the family does not have
            continue
    return None


def named_alike(model: Transformer, family_name: str, sizes: Mapping[str, int], mentioned: Collection[str]) -> bool:
    """Whether the coordinates that a statement about the family mentions have their names in this member too: the same
    name, or for one of several NAME_LABEL, whose label is its numbers, or its tokens."""
    from symcook.model.instance import Instance, label

    at_sizes, alphabet = Instance(_family(family_name), sizes), model.alphabet
    written = ((name, place) for name, places in at_sizes.cells.items() for place in places)

    def allowed(name: str, place: tuple[int, ...]) -> set[str]:
        """The names that the coordinate may have."""
        if not place:
            return {name}
        labels = [[*map(str, place)]]
        if all(1 <= number <= len(alphabet) for number in place):
            labels.append([alphabet[number - 1] for number in place])
        return {label(name, place), *(f"{name}_{'_'.join(texts)}" for texts in labels)}

    return all(
        name not in mentioned or own in allowed(name, place)
        for own, (name, place) in zip(model.space.names, written, strict=True)
    )


@cache
def _family(name: str) -> Family:
    """A shipped family."""
    from symcook.model.family import load, shipped

    return load(shipped(name))


def _same(model: Transformer, member: Transformer) -> bool:
    """Whether two models of equal width have equal weights, by the places of their coordinates."""
    return _by_place(model) == _by_place(member)


def _by_place(model: Transformer) -> str:
    """The hash of a model whose coordinates are named by their places. Nothing else gets another name: a kind of
    readout, a token or a weighting may have the text of a coordinate's name."""
    places = {name: f"place_{place}" for place, name in enumerate(model.space.names)}
    return numbered_hash(to_document(rename(model, places)))
