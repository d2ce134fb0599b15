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
"""The maximum number of cubes, and of variables, of a Boolean function that one network computes. A larger function is
computed from coordinates that hold its parts."""
FEW_VARIABLES = 10
"""The maximum number of bits of a disjunction that becomes a decision diagram."""
MOST_UNITS = 256
"""The maximum number of conjunctions of a disjunction that one network computes."""
LONG = 100
"""The maximum number of terms of a sum without brackets."""


class CubeSum(NamedTuple):
    """A coordinate as a sum of disjoint cubes, each of (coordinate, 0 or 1) pairs; if `negative`, 1 minus that sum."""

    negative: bool
    cubes: tuple[tuple[tuple[str, int], ...], ...]


class Bits:
    """The coordinates of a model while it is compiled, and the truths that they hold.

    `written` is called for each new network, with {coordinate: formula}.
    """

    letters, truths = "letters", "truth"
    """How the names of coordinates begin: those of a set of letters, and those of a function of bits."""

    def __init__(self, alphabet: Sequence[str], written: Callable[[dict[str, str]], None]) -> None:
        self.alphabet, self.every = tuple(alphabet), frozenset(alphabet)
        self.diagrams = Diagrams()
        self.meanings: dict[str, str] = {}
        """By coordinate: what the coordinate holds, for the plan."""
        self.sets: dict[str, frozenset[str]] = {}
        """By coordinate of the embedding: the letters for which it is 1."""
        self.titles: dict[BoolNode, str] = {}
        """By function: the meaning of its coordinate where the program has a name for it."""
        self.cut = False
        """Whether a function was too large for one network."""
        self._written = written
        self.names: list[str] = []
        """The coordinate of each variable of the diagrams."""
        self._numbers: dict[str, int] = {}
        """The variable of each coordinate: the inverse of `names`."""
        self._atoms: dict[frozenset[str], BoolNode] = {}
        """The bit of each set of letters that has a coordinate."""
        self.held: dict[BoolNode, str] = {}
        """The coordinate that holds a function."""
        self.sums: dict[str, CubeSum] = {}
        """The sum that a coordinate written by `hold` is."""
        self._sums: dict[tuple[str, ...], str] = {}
        """The coordinate of a disjunction of `disjoint`, by the formulas of its units."""
        self._used: dict[str, int] = {}
        """How many coordinates have names with this stem."""

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
        """The truth in its normal form: constants are sets of letters."""
        return (self.every if truth else frozenset()) if isinstance(truth, bool) else truth

    def node(self, truth: Truth) -> BoolNode:
        """A truth as a function of bits. A set of letters is a bit of the embedding, which is made if there is none, or
        the negation of one; the empty set and the set of all letters are constants."""
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
        """The negation of a truth."""
        a = self.truth(a)
        return self.every - a if isinstance(a, frozenset) else self.truth(self.diagrams.negation(a))

    def both(self, *truths: Truth) -> Truth:
        """The conjunction of truths; true for none."""
        return reduce(self._both, map(self.truth, truths), self.every)

    def _both(self, a: Truth, b: Truth) -> Truth:
        """The conjunction of two truths in normal form."""
        if isinstance(a, frozenset) and isinstance(b, frozenset):
            return a & b
        return self.truth(self._few(self.diagrams.both, a, b))

    def either(self, a: Truth, b: Truth) -> Truth:
        """The disjunction of two truths."""
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
        """The function `make` of truths. If it is too large for one network, the truths are written to coordinates
        first, and the result is a function of these bits."""
        nodes = [self.node(truth) for truth in truths]
        combined = make(*nodes)
        small = cubes(combined, MOST) is not None or cubes(self.diagrams.negation(combined), MOST) is not None
        if small and len(variables(combined)) <= MOST:
            return combined
        self.cut = True
        return make(*(node if isinstance(node, bool) else self.bit(self.hold(node)) for node in nodes))

    def disjoint(self, truths: Sequence[Truth], meaning: str) -> Truth:
        """The disjunction of truths. The caller must ensure that at most one of them holds at a position."""
        parts = [part for part in map(self.truth, truths) if part != frozenset()]
        sets = frozenset().union(*(part for part in parts if isinstance(part, frozenset)))
        nodes = [self.node(part) for part in parts if not isinstance(part, frozenset)]
        if not nodes:
            return sets
        # All sets of letters are joined into one set, which is one more bit.
        if sets:
            nodes.append(self.node(sets))
        # Few variables: one decision diagram. Else a network with a unit for each cube, or two networks, one for each
        # half of the truths.
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
        """The formula of a unit that is 1 where a conjunction holds, else 0."""
        return f"relu({self._total(cube)})"

    def _total(self, cube: Cube) -> str:
        """A sum that is 1 where a conjunction holds, else at most 0."""
        ones = 1 - sum(value for _, value in cube)
        signs = " ".join(f"{'+' if value else '-'} {self.names[variable]}" for variable, value in cube)
        return f"{signs.removeprefix('+ ')} + {ones}"

    def hold(self, f: BoolNode) -> str:
        """The coordinate that holds a function; a new one if there is none yet."""
        if f not in self.held:
            self.held[f] = self._new_holder(f)
        if f in self.titles:
            self.meanings[self.held[f]] = self.titles[f]
        return self.held[f]

    def _new_holder(self, f: BoolNode) -> str:
        """A coordinate for a function that none holds yet: a constant, a bit of the embedding, or a coordinate that a
        new network writes."""
        if isinstance(f, bool):
            self.meanings["one" if f else "zero"] = "true" if f else "false"
            return "one" if f else "zero"
        if existing := self._there(f):
            return existing
        # The network is the sum of the disjoint cubes of the function, or 1 minus that of its negation if that has
        # fewer cubes.
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
        """The coordinate of a bit, or of the negation of a set of letters, for which a new coordinate of the embedding
        is made; None for a function that needs a network."""
        if f[1:] == (False, True):
            return self.names[f[0]]
        # The negation of a set of letters is the set of the other letters: a bit of the embedding too.
        if f[1:] == (True, False) and self.names[f[0]] in self.sets:
            other_letters = self.every - self.sets[self.names[f[0]]]
            name = self.new(self.letters, letters_text(other_letters, self.alphabet))
            self.sets[name] = other_letters
            return name
        return None


def halved(units: Sequence[str]) -> str:
    """The sum of formulas. A long sum is bracketed in halves, so that its syntax tree stays shallow."""
    if len(units) <= LONG:
        return " + ".join(units)
    middle = len(units) // 2
    return f"({halved(units[:middle])}) + ({halved(units[middle:])})"
