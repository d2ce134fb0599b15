"""Inequalities over a box by enclosures: `em` splits on ``x <= q`` with `interval` leaves.

With one variable, the box is cut into intervals from the left, each as long as its enclosure allows; a balanced tree of
splits has their ends. With several variables, boxes are halved, each on the side of the name that helps most. Nothing
here is trusted: the checker computes the enclosure of each leaf again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from symcook.locks import PRECISION
from symcook.model.rationals import quotient
from symcook.present import present
from symcook.proof import enclose
from symcook.proof.normal import constant, nf
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import Term, free

PRECISIONS = (64, 128, 256)
"""The precisions of enclosures, in bits, that are tried in this order. Two sides that 256 bits do not tell apart are
mostly equal."""
DEPTH = 20
"""How often the side of a single name may be halved. With k names, it is k times this number for all sides together, so
that one side may be halved more often. Intervals of 2^-20 of the range end the search for a comparison that is an
equation at one point."""
BOXES = 1000
"""The maximum number of boxes in a cover. The checker encloses each of them again."""
NARROWER = 16
"""An interval is made narrower by at most this part of it, so that its end is a simple fraction; its width is sought to
the same part."""

Box = dict[Term, tuple[Fraction, Fraction]]
"""By name, its lower and its upper bound."""


@dataclass(frozen=True)
class _Leaf:
    """A box over which the enclosure with `prec` bits proves the comparison."""

    prec: int


@dataclass(frozen=True)
class _Split:
    """A box that is cut at the value `at` of a name: `left` has the smaller values."""

    name: Term
    at: Fraction
    left: _Leaf | _Split
    right: _Leaf | _Split


class _Search:
    """The comparison to prove: `difference`, its right side minus its left side, must have at least the sign `least`,
    which is 0 or 1. `leaves` is the number of boxes of the cover so far, `boxes` its maximum."""

    def __init__(self, goal: Term, precisions: Sequence[int], boxes: int) -> None:
        a, b = goal[2]
        self.difference: Term = ("-", None, (b, a))
        self.least = 1 if goal[0] == "<" else 0
        self.precisions, self.boxes, self.leaves = precisions, boxes, 0

    def decided(self, box: Box) -> int | None:
        """The first precision at which the enclosure over the box proves the comparison; None if it does at none that
        is tried. Unless the box is a point, a higher precision is tried only where the lowest gives no enclosure."""
        for prec in self.precisions:
            with PRECISION:
                sign = enclose.least_sign(self.difference, box, prec)
            if sign is None and prec == self.precisions[0]:  # a term may be undefined only for want of digits
                continue
            if sign is not None and sign >= self.least:
                return prec
            if any(low < high for low, high in box.values()):
                return None  # the box is too wide: more digits do not help
        return None

    def leaf(self, box: Box) -> _Leaf | None:
        """The box as a leaf of the cover; None if its enclosure does not prove the comparison. Stuck if the cover has
        too many boxes."""
        prec = self.decided(box)
        if prec is None:
            return None
        self.leaves += 1
        if self.leaves > self.boxes:
            raise Stuck(f"the cover needs more than {self.boxes} boxes")
        return _Leaf(prec)

    def point(self, values: dict[Term, Fraction]) -> None:
        """Stuck, with this point as the reason, if the comparison is not even proved at the point."""
        if self.decided({v: (q, q) for v, q in values.items()}) is None:
            where = ", ".join(f"{v[1][0]} = {quotient(q)}" for v, q in values.items())
            raise Stuck(f"the two sides touch or are the wrong way round at {where}")


def bounds(g: Goal) -> tuple[Box, dict[Term, tuple[str, str]]]:
    """The box that numeric bounds among the facts give for the names of the goal, and the labels of the two bounds of
    each name. Stuck if a bound is missing."""
    low: dict[Term, tuple[Fraction, str]] = {}
    high: dict[Term, tuple[Fraction, str]] = {}
    for label, (tag, _, sides) in g.facts.items():
        if tag not in ("<=", "<"):
            continue
        a, b = sides
        if a[0] == "var" and (c := constant(nf(b))) is not None and (a not in high or c < high[a][0]):
            high[a] = (Fraction(c), label)
        elif b[0] == "var" and (c := constant(nf(a))) is not None and (b not in low or c > low[b][0]):
            low[b] = (Fraction(c), label)
    names = sorted(free(g.goal), key=lambda v: v[1])
    for v in names:
        if v not in low or v not in high:
            raise g.stuck(f"{v[1][0]} has no numeric bound on both sides")
    return {v: (low[v][0], high[v][0]) for v in names}, {v: (low[v][1], high[v][1]) for v in names}


def cover(g: Goal, *, depth: int = DEPTH, boxes: int = BOXES, precisions: Sequence[int] = PRECISIONS) -> None:
    """Close a comparison over the box that the bounds on its names give, or Stuck.

    `depth` bounds how often sides are halved (see `DEPTH`), `boxes` the number of boxes.
    """
    if g.goal[0] not in ("<=", "<"):
        raise Stuck(f"a cover by intervals proves comparisons only; the goal is {g.text(g.goal)}")
    box, labels = bounds(g)
    if any(low > high for low, high in box.values()):
        raise Stuck("the bounds contradict each other")
    search = _Search(g.goal, precisions, boxes)
    if len(box) == 1:
        ((v, (low, high)),) = box.items()
        tree = _balanced(v, _scan(search, v, low, high, depth))
    else:
        tree = _halve(search, box, depth * len(box), box)
    _emit(g, tree, labels)


# --- One variable ---------------------------------------------------------------------------------------------------


def _scan(search: _Search, v: Term, low: Fraction, high: Fraction, depth: int) -> list[tuple[Fraction, _Leaf]]:
    """The right ends of intervals that cover `low` to `high`, each with its leaf. Stuck if an interval would be too
    narrow.

    The width of an interval is doubled while its enclosure proves the comparison. Bisection then finds the greatest
    width with a relative error of 1/16.
    """
    single_leaf = search.leaf({v: (low, high)})
    if single_leaf is not None:
        return [(high, single_leaf)]
    if low == high:
        raise Stuck(f"the value at {v[1][0]} = {quotient(low)} is undecided")
    intervals: list[tuple[Fraction, _Leaf]] = []
    narrowest = (high - low) / 2**depth
    left_end, width = low, (high - low) / 2
    while left_end < high:
        width = min(width, high - left_end)
        # `good_width` is the greatest width tried at which the interval is decided, `bad_width` the least at which it
        # is not; None before there is such a width.
        good_width, bad_width = Fraction(0), None
        while bad_width is None or (good_width == 0 or bad_width > good_width * (1 + Fraction(1, NARROWER))):
            if search.decided({v: (left_end, left_end + width)}) is not None:
                good_width = width
                if left_end + width == high:
                    break
                middle = None if bad_width is None else (good_width + bad_width) / 2
                width = min(2 * width, high - left_end) if middle is None else middle
            else:
                bad_width = width
                width = (good_width + bad_width) / 2
                if bad_width < narrowest:  # say at which of the ends the comparison fails, if it does
                    search.point({v: left_end})
                    search.point({v: left_end + bad_width})
                    where = f"{v[1][0]} = {quotient(left_end)}"
                    raise Stuck(f"an interval at {where} is too narrow: the two sides of the comparison are too close")
        # The interval is made a little narrower, so that its end is a simple fraction in the certificate.
        widest_end = left_end + good_width
        end = widest_end if widest_end == high else simplest(widest_end - good_width / NARROWER, widest_end)
        leaf = search.leaf({v: (left_end, end)})
        if leaf is None:  # the enclosure over a narrower interval need not be narrower
            end = widest_end
            leaf = search.leaf({v: (left_end, end)})
        if leaf is None:
            raise Stuck(f"the enclosure over an interval at {v[1][0]} = {quotient(left_end)} is unstable")
        intervals.append((end, leaf))
        left_end, width = end, good_width
    return intervals


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the least denominator in [low, high]."""
    # Without an integer in the interval, both ends have the same integer part: the fraction is this part plus the
    # inverse of the simplest fraction between the inverses of the remainders.
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest(-high, -low)
    integer = -(-low.numerator // low.denominator)
    if integer <= high:
        return Fraction(integer)
    return integer - 1 + 1 / simplest(1 / (high - integer + 1), 1 / (low - integer + 1))


def _balanced(v: Term, parts: Sequence[tuple[Fraction, _Leaf]]) -> _Leaf | _Split:
    """A balanced tree of splits of `v` over intervals, which are given by their right ends."""
    if len(parts) == 1:
        return parts[0][1]
    middle = len(parts) // 2
    return _Split(v, parts[middle - 1][0], _balanced(v, parts[:middle]), _balanced(v, parts[middle:]))


# --- Several variables ----------------------------------------------------------------------------------------------


def _halve(search: _Search, box: Box, depth: int, whole_box: Box) -> _Leaf | _Split:
    """A tree of splits over a box, which is halved until enclosures prove the comparison. Stuck after `depth` halvings,
    of all sides together, of one box.
    `whole_box` is the box of the goal."""
    leaf = search.leaf(box)
    if leaf is not None:
        return leaf
    wide = [v for v, (low, high) in box.items() if low < high]
    if depth == 0 or not wide:
        for corner in (0, 1):
            search.point({v: ends[corner] for v, ends in box.items()})
        search.point({v: (low + high) / 2 for v, (low, high) in box.items()})
        raise Stuck("a box is too small: the two sides of the comparison are too close")
    # Choose the name whose side is halved: by how many of its halves are decided; then by whether the box is decided if
    # the name is fixed at its middle, so that the enclosure depends on this name most; then by the length of its side
    # in proportion to the whole box.
    best: tuple[tuple[int, Fraction], Term] | None = None
    for v in wide:
        low, high = box[v]
        decided_halves = sum(search.decided(half) is not None for half in _halves(box, v))
        middle_slice = {**box, v: ((low + high) / 2,) * 2}
        middle_decides = search.decided(middle_slice) is not None
        first, last = whole_box[v]
        rank = (2 * decided_halves + middle_decides, (high - low) / (last - first))
        if best is None or rank > best[0]:
            best = (rank, v)
    v = present(best)[1]
    left, right = _halves(box, v)
    return _Split(
        v, left[v][1], _halve(search, left, depth - 1, whole_box), _halve(search, right, depth - 1, whole_box)
    )


def _halves(box: Box, v: Term) -> tuple[Box, Box]:
    """The two halves of a box, which is cut in the middle of the side of `v`."""
    low, high = box[v]
    middle = (low + high) / 2
    return {**box, v: (low, middle)}, {**box, v: (middle, high)}


# --- The proof ------------------------------------------------------------------------------------------------------


def _emit(g: Goal, tree: _Leaf | _Split, labels: dict[Term, tuple[str, str]]) -> None:
    """Close the goal by the nodes of a tree. `labels` has the facts that bound each name below and above."""
    if isinstance(tree, _Leaf):
        g.interval([label for pair in labels.values() for label in pair], tree.prec)
        return
    name = tree.name[1][0]
    side = g.fresh("c")
    left, right = g.em(f"{name} <= {quotient(tree.at)}", side)
    low, high = labels[tree.name]
    _emit(left, tree.left, {**labels, tree.name: (low, side)})
    _emit(right, tree.right, {**labels, tree.name: (side, high)})
