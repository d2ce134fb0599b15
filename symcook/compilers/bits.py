"""Truths at a position as Boolean functions of bits, and the feed-forward layers that compute new bits from them.

A truth is a set of letters, or a decision diagram over bits that coordinates hold. `Bits` combines truths without any
layer; `hold` writes one into a coordinate, as a sum of ReLUs, one for each disjoint cube. A function that is too large
for one layer is cut in two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

from symcook.compilers.booleans import BoolNode, Cube, Diagrams, cubes, variables
from symcook.programs.formula import letters_text

Truth = BoolNode | frozenset[str]
"""A set of letters where the letter at the position alone decides, else a function of bits."""
MOST = 32
"""How many cubes, and variables, a Boolean part may have; one with more is cut, and the cut is a coordinate."""
FEW_VARIABLES = 10
"""How many bits a disjunction may be of to be made a decision diagram."""

MOST_UNITS = 256
"""How many conjunctions a disjunction may be of in one network."""
LONG = 100
"""How many terms a sum may have without brackets."""


class CubeSum(NamedTuple):
    """A sum of cubes of coordinates, of which one at most holds; where it is `negative`, 1 less that."""

    negative: bool
    cubes: tuple[tuple[tuple[str, int], ...], ...]


class Bits:
    """The coordinates of a model as they are made, and the truths that they hold. `written` takes a new network."""

    letters, truths = "letters", "truth"
    """What the names of coordinates that hold whether the letter is in a set, and a function of bits, begin with."""

    def __init__(self, alphabet: Sequence[str], written: Callable[[dict[str, str]], None]) -> None:
        self.alphabet, self.every = tuple(alphabet), frozenset(alphabet)
        self.diagrams = Diagrams()
        self.meanings: dict[str, str] = {}
        self.sets: dict[str, frozenset[str]] = {}
        self.titles: dict[BoolNode, str] = {}
        self.cut = False
        self._written = written
        self.names: list[str] = []
        """The coordinate of each variable."""
        self._numbers: dict[str, int] = {}
        self._atoms: dict[frozenset[str], BoolNode] = {}
        self.held: dict[BoolNode, str] = {}
        self.sums: dict[str, CubeSum] = {}
        """What the coordinates are that hold a function."""
        self._sums: dict[tuple[str, ...], str] = {}
        self._used: dict[str, int] = {}

    def new(self, stem: str, meaning: str) -> str:
        """A fresh coordinate."""
        self._used[stem] = self._used.get(stem, 0) + 1
        name = f"{stem}{self._used[stem]}"
        self.meanings[name] = meaning
        return name

    def bit(self, name: str) -> BoolNode:
        """The truth that a coordinate of 0 and 1 holds."""
        if name not in self._numbers:
            self._numbers[name] = len(self.names)
            self.names.append(name)
        return self.diagrams.variable(self._numbers[name])

    def truth(self, truth: Truth) -> Truth:
        """A truth; constants as sets of letters."""
        return (self.every if truth else frozenset()) if isinstance(truth, bool) else truth

    def node(self, truth: Truth) -> BoolNode:
        """A truth as a function of bits: a set of letters is a bit of the embedding, or the negation of one."""
        if not isinstance(truth, frozenset):
            return truth
        if truth in (frozenset(), self.every):
            return bool(truth)
        if self.every - truth in self._atoms:
            return self.diagrams.negation(self._atoms[self.every - truth])
        if truth not in self._atoms:
            name = self.new(self.letters, letters_text(truth, self.alphabet))
            self.sets[name] = truth
            self._atoms[truth] = self.bit(name)
        return self._atoms[truth]

    def negation(self, a: Truth) -> Truth:
        a = self.truth(a)
        return self.every - a if isinstance(a, frozenset) else self.truth(self.diagrams.negation(a))

    def both(self, *truths: Truth) -> Truth:
        return reduce(self._both, map(self.truth, truths), self.every)

    def _both(self, a: Truth, b: Truth) -> Truth:
        if isinstance(a, frozenset) and isinstance(b, frozenset):
            return a & b
        return self.truth(self._few(self.diagrams.both, a, b))

    def either(self, a: Truth, b: Truth) -> Truth:
        a, b = self.truth(a), self.truth(b)
        if isinstance(a, frozenset) and isinstance(b, frozenset):
            return a | b
        return self.truth(self._few(self.diagrams.either, a, b))

    def choose(self, test: Truth, a: Truth, b: Truth) -> Truth:
        """a where the test is true, b elsewhere."""
        test, a, b = map(self.truth, (test, a, b))
        if isinstance(test, frozenset) and isinstance(a, frozenset) and isinstance(b, frozenset):
            return (test & a) | (b - test)
        return self.truth(self._few(self.diagrams.choice, test, a, b))

    def _few(self, make: Callable[..., BoolNode], *truths: Truth) -> BoolNode:
        """A function of truths; of coordinates that hold them where it is too large to be one network."""
        nodes = [self.node(truth) for truth in truths]
        combined = make(*nodes)
        small = cubes(combined, MOST) is not None or cubes(self.diagrams.negation(combined), MOST) is not None
        if small and len(variables(combined)) <= MOST:
            return combined
        self.cut = True
        return make(*(node if isinstance(node, bool) else self.bit(self.hold(node)) for node in nodes))

    def disjoint(self, truths: Sequence[Truth], meaning: str) -> Truth:
        """The disjunction of truths of which at most one holds."""
        parts = [part for part in map(self.truth, truths) if part != frozenset()]
        sets = frozenset().union(*(part for part in parts if isinstance(part, frozenset)))
        # Sets of letters are joined at once; all of them are one more bit.
        nodes = [self.node(part) for part in parts if not isinstance(part, frozenset)]
        if not nodes:
            return sets
        if sets:
            nodes.append(self.node(sets))
        # Few variables: one decision diagram. Else a sum of cubes in one network, or of two halves.
        if len(set().union(*map(variables, nodes))) <= FEW_VARIABLES:
            return reduce(self.either, nodes)
        cubes_of_parts = [cubes(node, MOST) or cubes(self.bit(self.hold(node)), MOST) or [] for node in nodes]
        units = tuple(self._unit(cube) for part in cubes_of_parts for cube in part)
        if len(units) > MOST_UNITS and len(nodes) > 1:
            middle = len(nodes) // 2
            return self.disjoint([self.disjoint(half, meaning) for half in (nodes[:middle], nodes[middle:])], meaning)
        if units not in self._sums:
            self._sums[units] = self.new("some", meaning)
            self._written({self._sums[units]: halved(units)})
        return self.bit(self._sums[units])

    def _unit(self, cube: Cube) -> str:
        """A network that is 1 where a conjunction holds, else 0."""
        return f"relu({self._total(cube)})"

    def _total(self, cube: Cube) -> str:
        """A sum that is 1 where a conjunction holds, else at most 0."""
        ones = 1 - sum(value for _, value in cube)
        signs = " ".join(f"{'+' if value else '-'} {self.names[variable]}" for variable, value in cube)
        return f"{signs.removeprefix('+ ')} + {ones}"

    def hold(self, f: BoolNode) -> str:
        """The coordinate that holds a function; made where there is none."""
        if f not in self.held:
            self.held[f] = self._new_holder(f)
        if f in self.titles:
            self.meanings[self.held[f]] = self.titles[f]
        return self.held[f]

    def _new_holder(self, f: BoolNode) -> str:
        """The coordinate of a function: one that is there, or a new one that a network writes."""
        if isinstance(f, bool):
            self.meanings["one" if f else "zero"] = "true" if f else "false"
            return "one" if f else "zero"
        if there := self._there(f):
            return there
        # The sum of disjoint cubes of the function, or 1 less that of its negation where this has fewer.
        cubes_of, negative = cubes(f, MOST), False
        negated_cubes = cubes(self.diagrams.negation(f), MOST)
        if cubes_of is None or (negated_cubes is not None and len(negated_cubes) < len(cubes_of)):
            cubes_of, negative = negated_cubes or [], True
        literals = tuple(tuple((self.names[variable], int(value)) for variable, value in cube) for cube in cubes_of)
        texts = [" & ".join("~" * (1 - value) + name for name, value in cube) for cube in literals]
        text, network = " | ".join(texts), halved([*map(self._unit, cubes_of)])
        name = self.new(self.truths, f"~({text})" if negative else text)
        self._written({name: f"1 - ({network})" if negative else network})
        self.sums[name] = CubeSum(negative, literals)
        return name

    def _there(self, f: tuple[int, BoolNode, BoolNode]) -> str | None:
        """The coordinate of a bit or a set of letters, which needs no network."""
        if f[1:] == (False, True):
            return self.names[f[0]]
        if f[1:] == (True, False) and self.names[f[0]] in self.sets:  # the other letters, in the embedding too
            others = self.every - self.sets[self.names[f[0]]]
            name = self.new(self.letters, letters_text(others, self.alphabet))
            self.sets[name] = others
            return name
        return None


def halved(units: Sequence[str]) -> str:
    """A sum as a formula of weights, bracketed in halves where it is long."""
    if len(units) <= LONG:
        return " + ".join(units)
    middle = len(units) // 2
    return f"({halved(units[:middle])}) + ({halved(units[middle:])})"
