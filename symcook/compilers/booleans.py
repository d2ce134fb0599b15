"""Boolean functions of numbered variables, as ordered decision diagrams and as disjoint cubes.

Equal functions have equal diagrams. Cubes are conjunctions; where they are disjoint, at most one of them is true.
"""

from __future__ import annotations

BoolNode = bool | tuple[int, "BoolNode", "BoolNode"]
"""True, False, or (variable, diagram where it is false, diagram where it is true). Variables ascend on every path, and
the two diagrams differ, so that equal functions are equal tuples."""
Cube = tuple[tuple[int, bool], ...]
"""A conjunction, as the (variable, value) pairs that it requires."""


class Diagrams:
    """Makes decision diagrams, and remembers the results of `choice`."""

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
            # Split on the first variable of the three diagrams; where it makes no difference, it is left out.
            first = min(function[0] for function in key if not isinstance(function, bool))
            low, high = (self.choice(*(_at(function, first, value) for function in key)) for value in (False, True))
            self._known[key] = low if low == high else (first, low, high)
        return self._known[key]


def _at(f: BoolNode, variable: int, value: bool) -> BoolNode:
    """f with the value set for a variable that does not come after its first one."""
    if isinstance(f, bool) or f[0] != variable:
        return f
    return f[2] if value else f[1]


def cubes(f: BoolNode, most: int) -> list[Cube] | None:
    """Disjoint cubes whose disjunction is f: one is true where f is true, none elsewhere. None where there would be
    more than `most`."""
    products: list[Cube] = []
    pending = [((), f)]
    while pending:
        literals, remaining = pending.pop()
        if remaining is True:
            products.append(literals)
            if len(products) > most:
                return None
        elif remaining is not False:
            variable, low, high = remaining
            pending += [((*literals, (variable, False)), low), ((*literals, (variable, True)), high)]
    return products


def variables(f: BoolNode) -> set[int]:
    """The variables on which f depends."""
    numbers: set[int] = set()
    visited: set[BoolNode] = set()
    pending = [f]
    while pending:
        node = pending.pop()
        if not isinstance(node, bool) and node not in visited:
            visited.add(node)
            numbers.add(node[0])
            pending += node[1:]
    return numbers
