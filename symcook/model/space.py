"""Named coordinates and the 0/1 matrices that a choice of names induces. The only place where an index appears."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symcook.door import door
from symcook.errors import BadInput, require_known
from symcook.model.expr import ARITY, valid_name

if TYPE_CHECKING:
    import sympy

BOUND = frozenset({"i", "j", "k", "n", "w", "logit"})
"""Names kept for positions, lengths, words and the readout's scalar."""


def listed(values: object, what: str, of: str) -> tuple[Any, ...]:
    """A tuple of what was given in order; BadInput for text and for whatever is no sequence."""
    if isinstance(values, str):
        raise BadInput(f"{what} must be a tuple of {of}", values, f"write ({values!r},)" if len(values) < 40 else None)
    if isinstance(values, (bytes, Mapping, Set)) or not isinstance(values, Iterable):
        raise BadInput(f"{what} must be a tuple of {of}", type(values).__name__)
    try:
        return tuple(values)
    except TypeError:  # an array without dimensions
        raise BadInput(f"{what} must be a tuple of {of}", type(values).__name__) from None


@door()
@dataclass(frozen=True)
class Space:
    """An ordered set of named coordinates: the residual stream of a model.

    >>> space = Space(("open", "balance"))
    >>> space.routing(("balance",))
    Matrix([[0, 1]])

    Raises BadInput where a name repeats, is no identifier, or is one of the reserved names. A function's name, as cos,
    may name a coordinate; a symbol or an input may not have it, since these stand in formulas.
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", listed(self.names, "a space", "coordinate names"))
        if not self.names:
            raise BadInput("a space must have at least one coordinate", "none")
        seen: set[str] = set()
        for name in self.names:
            if not isinstance(name, str) or not (valid_name(name) or name in ARITY) or name in BOUND:
                must = "a coordinate's name must be an identifier, no reserved word and not one of i, j, k, n, w, logit"
                raise BadInput(must, name)
            if name in seen:
                raise BadInput("coordinates must have different names", name)
            seen.add(name)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    @door()
    def require(self, names: Sequence[str]) -> None:
        """Raise BadInput, with the nearest name, where one of `names` is not a coordinate."""
        for name in names:
            require_known("coordinate", name, self.names)

    @door()
    def routing(self, names: Sequence[str]) -> sympy.ImmutableMatrix:
        """The matrix R, len(names) x len(self), that reads `names` out of a vector of this space.

        Its transpose writes them. Source: Cookbook, Section 8.2, Lemma 8.1.
        """
        import sympy

        names = listed(names, "what is read", "coordinate names")
        self.require(names)
        return sympy.ImmutableMatrix(len(names), len(self), lambda r, c: int(self.names[c] == names[r]))
