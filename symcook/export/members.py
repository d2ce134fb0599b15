"""Which family a model is a member of: the shipped families with proved theorems about runs that round.

A model is a member if it has the weights of the family at some size, coordinate by coordinate in the same order, and as
many tokens. Its coordinates may have other names. So each run of the model is a run of the family at that size, and
what is proved about all sizes holds for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

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
    name, or NAME_LABEL for one of several."""
    from symcook.model.instance import Instance, label

    at_sizes = Instance(_family(family_name), sizes)
    written = ((name, place) for name, places in at_sizes.cells.items() for place in places)
    return all(
        name not in mentioned or own == label(name, place) or (place and own.startswith(f"{name}_"))
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
    """The hash of a model with the places of coordinates instead of their names."""
    places = {name: f"#{place}" for place, name in enumerate(model.space.names)}

    def named(text: str) -> str:
        """The place of a coordinate; any other text with a # more where it begins with one, so that no two texts
        become one."""
        return places.get(text, f"#{text}" if text.startswith("#") else text)

    def placed(part: Any) -> Any:
        if isinstance(part, dict):
            return {named(key): placed(value) for key, value in part.items()}
        if isinstance(part, list):
            return [placed(value) for value in part]
        return named(part) if isinstance(part, str) else part

    return numbered_hash(placed(to_document(model)))
