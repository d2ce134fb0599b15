"""Terms as a machine computes them: how far a computed value may be from the exact value of the same term.

A machine that does each operation with relative error at most u, and with absolute error at most v on top, computes
for a term T of numbers that it holds some x with

    abs(x - T) <= pow(1/(1 - u), c)*M - S

S is T with every sum a sum of absolute values. M is S with v added wherever a result may underflow; without v it is S.
c is the largest number of roundings on a path from a leaf of T to its root. The rule for a sum of terms, in any order,
is Lemma 3.1 of Higham, Accuracy and Stability of Numerical Algorithms (2002).

`NearTerm` is such a term, and `ErrorRules` has a rule for each operation. A sum that is a part of a larger sum has no
order of its own: its terms are summed with the others in any order. `ErrorRules.computed` is for a sum that the machine
finishes before it goes on. Trusted. Standard library only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from symcook.model.expr import Tree, names, parse_term, show
from symcook.proof.runtext import rational, readable

ZERO: Tree = ("num", 0, 1)
ONE: Tree = ("num", 1, 1)


class CountSum(NamedTuple):
    """A whole number and terms, of which it is the sum."""

    number: int
    terms: tuple[Tree, ...] = ()

    def plus(self, *others: CountSum) -> CountSum:
        """The sum."""
        all_of = (self, *others)
        return CountSum(sum(one.number for one in all_of), tuple(term for one in all_of for term in one.terms))

    def times(self, factor: Tree) -> CountSum:
        """The product."""
        own = () if not self.number else (factor,) if self.number == 1 else (_times(_integer(self.number), factor),)
        return CountSum(0, (*own, *(_times(term, factor) for term in self.terms)))

    @property
    def tree(self) -> Tree:
        """The count as a term."""
        total = _sum([*self.terms, *([_integer(self.number)] if self.number > 0 or not self.terms else [])])
        return ("-", total, _integer(-self.number)) if self.number < 0 else total


def largest(counts: Sequence[CountSum]) -> CountSum:
    """A count that is at least each of these, whose terms are at least zero."""
    terms: Counter[Tree] = reduce(lambda a, b: a | b, (Counter(one.terms) for one in counts))
    return CountSum(max(one.number for one in counts), tuple(terms.elements()))


class Wholeness(NamedTuple):
    """Conditions under which a term is a whole number, or the quotient of one with so many roundings since."""

    conditions: tuple[Tree, ...] = ()
    count: CountSum = CountSum(0)

    def beside(self, other: Wholeness) -> Wholeness:
        """Both at once."""
        return Wholeness(tuple(dict.fromkeys((*self.conditions, *other.conditions))), self.count.plus(other.count))


WHOLE = Wholeness()
"""Of a term that is always a whole number."""


class NearTerm(NamedTuple):
    """A term as a machine computes it: a sum of `leaves` products."""

    value: Tree
    """The exact value."""
    size: Tree
    """S: the same with absolute values."""
    most: Tree
    """M: the size with what may underflow."""
    count: CountSum = CountSum(0)
    """The largest number of roundings of a leaf before it is added."""
    leaves: CountSum = CountSum(1)
    """How many terms are added."""
    whole: Wholeness | None = None
    """When floats compute it exactly, up to a quotient; None where no condition is known."""

    @property
    def exact(self) -> bool:
        """Whether it is one number, without a rounding."""
        return self.count == CountSum(0) and self.leaves == CountSum(1)

    def negated(self) -> NearTerm:
        """The term with the other sign."""
        return self._replace(value=("neg", self.value))


def held(tree: Tree) -> NearTerm:
    """A number that the machine holds."""
    return exactly(tree, absolute(tree), Wholeness((integer(tree),)))


def exactly(tree: Tree, size: Tree | None = None, whole: Wholeness = WHOLE) -> NearTerm:
    """A term whose value is computed exactly; without `size` it is at least zero. It is whole where `whole` holds."""
    size = tree if size is None else size
    return NearTerm(tree, size, size, whole=whole)


def integer(tree: Tree) -> Tree:
    """That a term is a whole number."""
    name = "k"
    while name in names(tree):
        name += "_"
    return ("ex", name, "Int", ("=", tree, ("name", name)))


def absolute(tree: Tree) -> Tree:
    """The absolute value of a term."""
    return ("call", "abs", (tree,))


def power_of_two(value: Fraction | None) -> bool:
    """Whether a number is zero, or plus or minus a power of two."""
    if value is None:
        return False
    above, below = abs(value.numerator), value.denominator
    return above & (above - 1) == 0 and below & (below - 1) == 0


@dataclass(frozen=True)
class ErrorRules:
    """Operations with relative error at most `unit` and, where `tiny` is given, absolute error at most `tiny`. With
    `floats` sums and products of whole numbers are exact where the size of the result is at most 1/unit."""

    unit: Tree
    tiny: Tree | None = None
    floats: bool = False

    # --- numbers ---

    def entry(self, tree: Tree, size: Tree, exact: bool = False) -> NearTerm:
        """A number of the model, which is rounded where it is stored, or exact."""
        whole = WHOLE if _whole(tree) else None
        return NearTerm(tree, size, size if exact else self._lost(size), CountSum(0 if exact else 1), whole=whole)

    def number(self, text: str) -> NearTerm:
        """A weight by its text; a power of two is stored exactly."""
        value, tree = rational(text), parse_term(readable(text))
        size = absolute(tree) if value is None else tree if value >= 0 else _fraction(-value)
        return self.entry(tree, size, power_of_two(value))

    def listed(self, tree: Tree) -> NearTerm:
        """An entry of a table, as of the table of positions: rounded once, or exact where it is zero, one, or a power
        of a power of two."""
        base = tree[2][0] if tree[:2] == ("call", "pow") else tree
        indicator = tree[0] == "ind" or (tree[0] == "neg" and tree[1][0] == "ind")
        exact = indicator or (not names(base) and power_of_two(rational(show(base))))
        return self.entry(tree, absolute(tree), exact)

    # --- operations ---

    def product(self, a: NearTerm, b: NearTerm, exact: bool = False) -> NearTerm:
        """The product of two computed values, rounded unless `exact`: one of the two is zero, one or a power of two."""
        return self.scaled(self.computed(a), self.computed(b), exact)

    def scaled(self, factor: NearTerm, term: NearTerm, exact: bool = False) -> NearTerm:
        """A sum of which each term is multiplied by a factor."""
        value, size = _times(factor.value, term.value), _times(factor.size, term.size)
        most = size if self.tiny is None else self._lost(_times(factor.most, term.most))
        whole = factor.whole.beside(term.whole) if factor.whole and term.whole else None
        if whole and whole.count != CountSum(0):  # a product of quotients is rounded
            whole = whole._replace(count=whole.count.plus(CountSum(1)))
        count = factor.count.plus(term.count, CountSum(0 if exact else 1))
        return NearTerm(value, size, most, count, term.leaves, whole)

    def weighted(self, weight: str, value: NearTerm) -> NearTerm:
        """A value times a stored weight."""
        if weight in ("1", "-1"):
            return value if weight == "1" else value.negated()
        stored = self.number(weight)
        return self.scaled(stored, value, exact=stored.exact)

    def power(self, base: NearTerm, exponent: int) -> NearTerm:
        """A power of a computed value with an exponent above zero, as a product."""
        at = reduce(self.product, [self.computed(base)] * exponent)
        value, size = (("^", part, ("num", exponent, 1)) for part in self.computed(base)[:2])
        return at._replace(value=value, size=size, most=size if self.tiny is None else at.most)

    def added(self, terms: Iterable[NearTerm]) -> NearTerm:
        """A sum, in any order together with what it is a term of."""
        parts = list(terms)
        if len(parts) < 2:
            return parts[0] if parts else exactly(ZERO)
        value, size, most = (_sum([one[k] for one in parts]) for k in range(3))
        wholes = [one.whole for one in parts if one.whole and one.whole.count == CountSum(0)]
        whole = reduce(Wholeness.beside, wholes) if len(wholes) == len(parts) else None
        count, leaves = largest([one.count for one in parts]), CountSum(0).plus(*(one.leaves for one in parts))
        return NearTerm(value, size, most, count, leaves, whole)

    def summed(self, index: tuple[str, Tree, Tree], term: NearTerm, terms: Tree) -> NearTerm:
        """A sum over a range; `terms` is how many terms are not zero, and at least one."""
        of = [("sum", *index, part) for part in term[:3]]
        whole = term.whole if term.whole and term.whole.count == CountSum(0) else None
        if whole:
            each = (("all in", *index, one) if index[0] in names(one) else one for one in whole.conditions)
            whole = Wholeness(tuple(each))
        return NearTerm(*of, term.count, term.leaves.times(terms), whole)

    def computed(self, term: NearTerm) -> NearTerm:
        """A sum after all its terms are added. The sum of two held numbers is rounded once, so its size is that of the
        result; of more terms the partial sums may be large."""
        if term.leaves == CountSum(1):
            return term
        pair = term.count == CountSum(0) and term.leaves == CountSum(2)
        size = absolute(term.value) if pair else term.size
        most = size if self.tiny is None else ("+", size if pair else term.most, _times(term.leaves.tree, self.tiny))
        return NearTerm(term.value, size, most, term.count.plus(term.leaves, CountSum(-1)), whole=term.whole)

    def quotient(self, a: NearTerm, below: Tree, stored: int = 0, least: Tree | None = None) -> NearTerm:
        """A computed value divided by a number, or times its rounded inverse: two roundings. `stored` is how many the
        divisor has itself, `least` its absolute value where it may be below zero."""
        a, least = self.computed(a), least or below
        value, size = ("/", a.value, below), ("/", a.size, least)
        most = size if self.tiny is None else self._lost(_times(a.most, self._lost(("/", ONE, least))))
        roundings = CountSum(2 + stored)
        whole = a.whole and Wholeness(self._fits(a), a.whole.count.plus(roundings))
        return NearTerm(value, size, most, a.count.plus(roundings), whole=whole)

    def function(self, tree: Tree, size: Tree, roundings: int) -> NearTerm:
        """A value of a function of held numbers, with so many roundings."""
        return NearTerm(tree, size, self._lost(size), CountSum(roundings))

    def _lost(self, size: Tree) -> Tree:
        """A size with what the last operation may lose by underflow."""
        return size if self.tiny is None else ("+", size, self.tiny)

    # --- inequalities ---

    def near(self, name: Tree, at: NearTerm) -> str:
        """What is known of a number that the machine computes as `at`."""
        at = self.computed(at)
        if at.exact:
            return f"{show(name)} = {show(at.value)}"
        off = absolute(("-", name, at.value))
        error = self._relative(at.count, at.size)
        if self.tiny is not None:
            error = ("-", ("*", self._growth(at.count), at.most), at.size)
        near: Tree = ("<=", off, error)
        if not self.floats or at.whole is None:
            return show(near)
        exact: Tree = ("=", name, at.value)
        if at.whole.count != CountSum(0):
            exact = ("<=", off, self._relative(at.whole.count, absolute(at.value)))
        return show(("&", near, ("->", reduce(lambda a, b: ("&", a, b), self._fits(at)), exact)))

    def _growth(self, count: CountSum) -> Tree:
        """The largest factor that so many roundings make."""
        return ("call", "pow", (("/", ONE, ("-", ONE, self.unit)), count.tree))

    def _relative(self, count: CountSum, size: Tree) -> Tree:
        """The error of so many roundings."""
        return ("*", ("-", self._growth(count), ONE), size)

    def _fits(self, at: NearTerm) -> tuple[Tree, ...]:
        """The conditions under which a computed term is exact up to its quotients."""
        if at.whole is None or at.whole.count != CountSum(0):
            return () if at.whole is None else at.whole.conditions
        return (*at.whole.conditions, ("<=", _times(at.size, self.unit), ONE))


def _whole(tree: Tree) -> bool:
    """Whether a number of the model is whole by its form: a polynomial in i and n with whole coefficients."""
    if tree[0] in ("name", "num"):
        return tree[1] in ("i", "n") if tree[0] == "name" else tree[2] == 1
    return tree[0] == "ind" or (tree[0] in ("neg", "+", "-", "*", "^") and all(map(_whole, tree[1:])))


def _times(a: Tree, b: Tree) -> Tree:
    return b if a == ONE else a if b == ONE else ("*", a, b)


def _sum(terms: Sequence[Tree]) -> Tree:
    return reduce(lambda a, b: ("+", a, b), terms)


def _integer(value: int) -> Tree:
    return ("num", value, 1)


def _fraction(value: Fraction) -> Tree:
    whole = _integer(value.numerator)
    return whole if value.denominator == 1 else ("/", whole, _integer(value.denominator))
