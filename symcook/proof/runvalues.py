"""The values that the definitions of a run read: a weighted sum of functions, a score, a term of a family.

How the value of a function at a position is written is an argument of all that prints (`Call`), so that the same
definition has other names elsewhere. Trusted. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, Protocol

from symcook.model.expr import ARITY, Tree, children, parse_term, show
from symcook.model.plainfamily import Declared, Range
from symcook.proof.runtext import bracketed, joined, product, times

Call = Callable[[str, str], str]
"""The text of the value of a function at a position."""


def at_position(function: str, place: str) -> str:
    """The value of a function of positions."""
    return f"{function}({place})"


def at_once(function: str, _place: str) -> str:
    """The value where there is one position, and functions are numbers."""
    return function


class ValueAt(Protocol):
    """A value that a definition reads, at a position."""

    def at(self, place: str, call: Call = at_position) -> str:
        """Its text."""
        ...

    def reads(self) -> Iterator[str]:
        """The functions in it, in the order of the text."""
        ...


class Weighted(NamedTuple):
    """A function times a weight, which is the text of a number."""

    weight: str
    function: str


@dataclass(frozen=True)
class Combination:
    """A sum of functions at one position, each times its weight."""

    terms: tuple[Weighted, ...]

    def entries(self, place: str, call: Call) -> list[tuple[str, str]]:
        """The weights with the texts of what they multiply."""
        return [(weight, call(function, place)) for weight, function in self.terms]

    def at(self, place: str, call: Call = at_position) -> str:
        return joined(times(*entry) for entry in self.entries(place, call))

    def reads(self) -> Iterator[str]:
        return (function for _, function in self.terms)

    @property
    def function(self) -> str | None:
        """The function that it is, where it is one with weight 1."""
        return self.terms[0].function if [weight for weight, _ in self.terms] == ["1"] else None


def alone(function: str) -> Combination:
    """The value of one function."""
    return Combination((Weighted("1", function),))


@dataclass(frozen=True)
class Bracketed:
    """A value in brackets."""

    value: ValueAt

    def at(self, place: str, call: Call = at_position) -> str:
        return f"({self.value.at(place, call)})"

    def reads(self) -> Iterator[str]:
        return self.value.reads()


@dataclass(frozen=True)
class Expressed:
    """A term of a family, whose functions have indices of their own; `other` is the same at position k."""

    tree: Tree
    other: Tree | None = None

    def at(self, place: str, call: Call = at_position) -> str:
        return show(self.other if place == "k" and self.other is not None else self.tree)

    def reads(self) -> Iterator[str]:
        return _called(self.tree)


@dataclass(frozen=True)
class Score:
    """The score of row i at a position: products of a query at i and a key there, times a scale and divided by a
    temperature, where `factor` has these."""

    products: tuple[tuple[Combination, Combination], ...]
    factor: tuple[str, ...] = ()

    def at(self, place: str, call: Call = at_position) -> str:
        pairs = [(query.entries("i", call), key.entries(place, call)) for query, key in self.products]
        if len(pairs) == 1:
            return product(self.factor, pairs[0])
        products = joined(product((), pair) for pair in pairs)
        return product(self.factor, [[("1", f"({products})")]]) if self.factor else products

    def queries(self) -> Iterator[str]:
        """The functions that it reads at i."""
        return (function for query, _ in self.products for function in query.reads())

    def keys(self) -> Iterator[str]:
        """The functions that it reads at the other position."""
        return (function for _, key in self.products for function in key.reads())

    def reads(self) -> Iterator[str]:
        return (function for pair in self.products for side in pair for function in side.reads())


@dataclass(frozen=True)
class BiasedScore:
    """The score of row i at a position: products of a query at i and a key there, times a scale, and a slope times the
    distance from i to there, both divided by a temperature."""

    products: tuple[tuple[ValueAt, ValueAt], ...]
    scale: str
    slope: str
    temperature: str = "1"

    def at(self, place: str, call: Call = at_position) -> str:
        products = joined(f"({query.at('i', call)})*({key.at(place, call)})" for query, key in self.products)
        terms = [times(self.scale, f"({products})")] if self.products else []
        terms += [] if self.slope == "0" else [times(self.slope, f"({place} - i)")]
        return joined(terms) if self.temperature == "1" else f"({joined(terms)})/{bracketed(self.temperature)}"

    def reads(self) -> Iterator[str]:
        return (function for pair in self.products for side in pair for function in side.reads())


class NormEntries(Protocol):
    """The entries that a norm is of."""

    def total(self, each: Callable[[str], str], call: Call) -> str:
        """The sum of what is made of each."""
        ...

    @property
    def count(self) -> str: ...

    def parts(self) -> Iterator[ValueAt]:
        """The entries in the order of the text."""
        ...


@dataclass(frozen=True)
class ListedEntries:
    """Entries one by one."""

    values: tuple[ValueAt, ...]

    def total(self, each: Callable[[str], str], call: Call) -> str:
        return joined(each(value.at("i", call)) for value in self.values)

    @property
    def count(self) -> str:
        return str(len(self.values))

    def parts(self) -> Iterator[ValueAt]:
        return iter(self.values)


@dataclass(frozen=True)
class RangedEntries:
    """The entries of a norm, each at all its indices."""

    entries: tuple[tuple[Declared, Expressed], ...]

    def total(self, each: Callable[[str], str], call: Call) -> str:
        """The sum of what is made of each."""
        texts = ((to.over, each(entry.at("i", call))) for to, entry in self.entries)
        return joined(f"({show(summed(over, parse_term(text)))})" for over, text in texts)

    @property
    def count(self) -> str:
        return f"({self.total(lambda _: '1', at_position)})"

    def parts(self) -> Iterator[ValueAt]:
        return (entry for _, entry in self.entries)


def summed(over: Sequence[Range], term: Tree) -> Tree:
    """The sum of a term over indices."""
    return reduce(lambda inner, index: ("sum", *index, inner), reversed(over), term)


def _called(tree: Tree) -> Iterator[str]:
    """The functions that a term of a family calls."""
    if tree[0] == "call" and tree[1] not in ARITY:
        yield tree[1]
    for part in children(tree):
        yield from _called(part)
