"""Inequalities over a box by enclosures: `em` splits on ``x <= q`` with `interval` leaves.

One variable: from the left, each interval as long as its enclosure allows; their ends make a balanced tree. Several
variables: halves, always of the name that helps most. Nothing here is trusted; a leaf that was found is checked again.
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
DEPTH = 20
BOXES = 1000

Box = dict[Term, tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class _Leaf:
    prec: int


@dataclass(frozen=True)
class _Split:
    name: Term
    at: Fraction
    left: _Leaf | _Split
    right: _Leaf | _Split


class _Search:
    """The comparison to prove, as `difference` of its sides with at least the sign `least`; `leaves` counts the boxes
    of the cover."""

    def __init__(self, goal: Term, precisions: Sequence[int], boxes: int) -> None:
        a, b = goal[2]
        self.difference: Term = ("-", None, (b, a))
        self.least = 1 if goal[0] == "<" else 0
        self.precisions, self.boxes, self.leaves = precisions, boxes, 0

    def decided(self, box: Box) -> int | None:
        """The first precision at which the enclosure over the box decides the comparison."""
        for prec in self.precisions:
            with PRECISION:
                sign = enclose.least_sign(self.difference, box, prec)
            if sign is None and prec == self.precisions[0]:  # undefined at few digits may be defined at more
                continue
            if sign is not None and sign >= self.least:
                return prec
            if any(low < high for low, high in box.values()):
                return None  # more digits do not help where the box is too wide
        return None

    def leaf(self, box: Box) -> _Leaf | None:
        """The box as a leaf of the cover; None where its enclosure decides nothing, Stuck where there are too many."""
        prec = self.decided(box)
        if prec is None:
            return None
        self.leaves += 1
        if self.leaves > self.boxes:
            raise Stuck(f"the cover needs more than {self.boxes} boxes")
        return _Leaf(prec)

    def point(self, values: dict[Term, Fraction]) -> None:
        """Stuck with a reason where not even the value at one point is decided."""
        if self.decided({v: (q, q) for v, q in values.items()}) is None:
            where = ", ".join(f"{v[1][0]} = {quotient(q)}" for v, q in values.items())
            raise Stuck(f"the two sides touch or are the wrong way round at {where}")


def bounds(g: Goal) -> tuple[Box, dict[Term, tuple[str, str]]]:
    """The box that numeric bounds among the facts give for the names of the goal, and the labels of the bounds."""
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
    """Close a comparison over the box that the bounds on its names give; Stuck where it cannot.

    `depth` bounds how often a name is halved, `boxes` the size of the cover.
    """
    if g.goal[0] not in ("<=", "<"):
        raise Stuck(f"a cover is for a comparison: {g.text(g.goal)}")
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
    """Right ends of the intervals from `low` to `high`, each with its leaf; Stuck where one would be too narrow.

    The width of an interval is doubled while its enclosure decides, then found by bisection to a part in 16.
    """
    single_leaf = search.leaf({v: (low, high)})
    if single_leaf is not None:
        return [(high, single_leaf)]
    if low == high:
        raise Stuck(f"the value at {v[1][0]} = {quotient(low)} is not decided")
    intervals: list[tuple[Fraction, _Leaf]] = []
    narrowest = (high - low) / 2**depth
    left_end, width = low, (high - low) / 2
    while left_end < high:
        width = min(width, high - left_end)
        good_width, bad_width = Fraction(0), None  # the widest interval known to be decided, the narrowest known not to be
        while bad_width is None or (good_width == 0 or bad_width > good_width * Fraction(17, 16)):
            if search.decided({v: (left_end, left_end + width)}) is not None:
                good_width = width
                if left_end + width == high:
                    break
                width = min(2 * width, high - left_end) if bad_width is None else (good_width + bad_width) / 2
            else:
                bad_width = width
                width = (good_width + bad_width) / 2
                if bad_width < narrowest:  # say at which of the ends the comparison fails, if it does
                    search.point({v: left_end})
                    search.point({v: left_end + bad_width})
                    raise Stuck(f"an interval at {v[1][0]} = {quotient(left_end)} is too narrow: the two sides come close")
        # A little narrower, so that the end is a simple fraction in the certificate.
        end = left_end + good_width if left_end + good_width == high else simplest(left_end + good_width * Fraction(15, 16), left_end + good_width)
        leaf = search.leaf({v: (left_end, end)})
        if leaf is None:  # enclosures need not be monotone
            end = left_end + good_width
            leaf = search.leaf({v: (left_end, end)})
        if leaf is None:
            raise Stuck(f"the enclosure over an interval at {v[1][0]} = {quotient(left_end)} changes its mind")
        intervals.append((end, leaf))
        left_end, width = end, good_width
    return intervals


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the least denominator in [low, high]."""
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
    """A tree of splits over a box, halved until enclosures decide; Stuck after `depth` halvings."""
    leaf = search.leaf(box)
    if leaf is not None:
        return leaf
    wide = [v for v, (low, high) in box.items() if low < high]
    if depth == 0 or not wide:
        for corner in (0, 1):
            search.point({v: ends[corner] for v, ends in box.items()})
        search.point({v: (low + high) / 2 for v, (low, high) in box.items()})
        raise Stuck("a box is too small: the two sides come close")
    # Halve the name by which most halves are decided, then the one on which the enclosure depends most (fixed at the
    # middle it decides), then the one whose side is longest in proportion.
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
    """A box cut in the middle of the side of `v`."""
    low, high = box[v]
    middle = (low + high) / 2
    return {**box, v: (low, middle)}, {**box, v: (middle, high)}


# --- The proof ------------------------------------------------------------------------------------------------------


def _emit(g: Goal, tree: _Leaf | _Split, labels: dict[Term, tuple[str, str]]) -> None:
    """Close the goal by a tree; `labels` has the facts that bound each name below and above."""
    if isinstance(tree, _Leaf):
        g.interval([label for pair in labels.values() for label in pair], tree.prec)
        return
    name = tree.name[1][0]
    side = g.fresh("c")
    left, right = g.em(f"{name} <= {quotient(tree.at)}", side)
    low, high = labels[tree.name]
    _emit(left, tree.left, {**labels, tree.name: (low, side)})
    _emit(right, tree.right, {**labels, tree.name: (side, high)})
