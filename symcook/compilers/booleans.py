"""Boolean functions of numbered variables: as ordered decision diagrams, in which equal functions are equal objects,
and as sums of disjoint cubes (conjunctions of which at most one is true)."""

from __future__ import annotations

BoolNode = bool | tuple[int, "BoolNode", "BoolNode"]
"""True, False, or (variable, where it is false, where it is true), variables ascending; equal functions are equal."""
Cube = tuple[tuple[int, bool], ...]


class Diagrams:
    """Makes decision diagrams; remembers what it made."""

    def __init__(self) -> None:
        self._known: dict[tuple[BoolNode, BoolNode, BoolNode], BoolNode] = {}

    def variable(self, number: int) -> BoolNode:
        return (number, False, True)

    def negation(self, f: BoolNode) -> BoolNode:
        return self.choice(f, False, True)

    def both(self, f: BoolNode, g: BoolNode) -> BoolNode:
        return self.choice(f, g, False)

    def either(self, f: BoolNode, g: BoolNode) -> BoolNode:
        return self.choice(f, True, g)

    def choice(self, f: BoolNode, g: BoolNode, h: BoolNode) -> BoolNode:
        """g where f is true, h elsewhere."""
        if isinstance(f, bool):
            return g if f else h
        if g == h:
            return g
        if g is True and h is False:
            return f
        key = (f, g, h)
        if key not in self._known:
            first = min(function[0] for function in key if not isinstance(function, bool))
            low, high = (self.choice(*(_at(function, first, value) for function in key)) for value in (False, True))
            self._known[key] = low if low == high else (first, low, high)
        return self._known[key]


def _at(f: BoolNode, variable: int, value: bool) -> BoolNode:
    if isinstance(f, bool) or f[0] != variable:
        return f
    return f[2] if value else f[1]


def cubes(f: BoolNode, most: int) -> list[Cube] | None:
    """Disjoint cubes, each a conjunction of variables and negated ones, of which exactly one is true where f is; None
    where that takes more than `most`."""
    products: list[Cube] = []
    open_ = [((), f)]
    while open_:
        literals, remaining = open_.pop()
        if remaining is True:
            products.append(literals)
            if len(products) > most:
                return None
        elif remaining is not False:
            variable, low, high = remaining
            open_ += [((*literals, (variable, False)), low), ((*literals, (variable, True)), high)]
    return products


def variables(f: BoolNode) -> set[int]:
    """The variables on which it depends."""
    numbers: set[int] = set()
    visited: set[BoolNode] = set()
    open_ = [f]
    while open_:
        node = open_.pop()
        if not isinstance(node, bool) and node not in visited:
            visited.add(node)
            numbers.add(node[0])
            open_ += node[1:]
    return numbers
