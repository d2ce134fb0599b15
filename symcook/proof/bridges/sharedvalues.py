"""Makes goals shorter before they are split into cases: numbers are then computed once, not in each case. Not trusted.

`shortened` simplifies a goal. `swapped` exchanges two quantifiers, so that the index with fewer values comes first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symcook.proof import normal
from symcook.proof.normal import fkey, nf
from symcook.proof.search.ranges import ANY, in_range, numbered_range, range_of
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import (
    COMPARISONS,
    FALSE,
    TRUE,
    Sort,
    Term,
    abstract,
    imp,
    instantiate,
    loose,
    num,
    subterms,
    var,
)


def shortened(g: Goal, close: Callable[[Goal], None]) -> bool:
    """Close the goal by a shorter one, which `close` closes. Returns False, with the goal still open, unless the
    shorter goal takes at most 4/5 of the work, its text is read as the same formula, and it has the same normal form.
    Raises what `close` raises.

    Numbers are then computed once, instead of once in each case."""
    shorter = Shorter().of(g.goal)
    if 5 * work(shorter) > 4 * work(g.goal) or not reads_back(g, shorter) or fkey(shorter) != fkey(g.goal):
        return False
    label = g.fresh("short")
    g.have(shorter, label, close)
    g.hyp(label)
    return True


def swapped(g: Goal, close: Callable[[Goal], None]) -> bool:
    """Close ``all x in a..b. all y in c..d. F`` by the goal with y before x, which `close` closes. Returns False, with
    the goal still open, unless all ends are numbers and y has fewer values than x.

    At a given y, more parts of F may be numbers, which are then computed once for all x."""
    goal = g.goal
    outer_range = range_of(goal, ANY)
    of_x, of_y = numbered_range(goal), None if outer_range is None else numbered_range(outer_range.body)
    if of_x is None or of_y is None or len(of_y) >= len(of_x):
        return False
    x, y, swapped_label, instance = (g.fresh(stem) for stem in ("x", "y", "swapped", "said"))
    # The same formula with the quantifiers exchanged: all y in c..d. all x in a..b. F
    names = var(x, "Int"), var(y, "Int")
    outer = instantiate(goal[2][0], names[:1])
    within = instantiate(outer[2][1][2][0], names[1:])
    exchanged = imp(within[2][0], ("all", "Int", (abstract(imp(outer[2][0], within[2][1]), names[:1]),)))
    g.have(("all", "Int", (abstract(exchanged, names[1:]),)), swapped_label, close)
    # It is used at each x and y of the goal.
    g.intro(f"{x} ({x}_low {x}_high) {y} ({y}_low {y}_high)")
    g.use(swapped_label, y, lambda h: in_range(h, y), x, lambda h: in_range(h, x), label=instance)
    g.hyp(instance)
    return True


class Shorter:
    """Makes terms and formulas shorter, with the same normal form.

    A term that is a number becomes a numeral. A sum whose ends are numbers is written out if that is short enough
    because most of its terms are 0; with `always` it is written out even if that is longer."""

    def __init__(self, always: bool = False) -> None:
        self.always = always
        self.seen: dict[int, tuple[Term, Term]] = {}  # by id(term): the term, which keeps the id valid, and the result
        self.names = 0  # how many fresh variables have been made

    def of(self, t: Term) -> Term:
        """The shorter term or formula."""
        if not t[2]:
            return t
        entry = self.seen.get(id(t))
        if entry is None or entry[0] is not t:
            entry = self.seen[id(t)] = t, self._shorter_term(t)
        return entry[1]

    def _shorter_term(self, t: Term) -> Term:
        """The shorter term for one that is not in `seen` and has parts."""
        tag, data, kids = t
        if tag in ("all", "ex"):
            return (tag, data, (self._in_binder(kids[0], data),))
        if tag in ("sum", "prod"):
            return self._sum(t)
        if tag == "lam":
            return t
        short_kids = tuple(map(self.of, kids))
        rebuilt = t if all(old is new for old, new in zip(kids, short_kids, strict=True)) else (tag, data, short_kids)
        return _folded(rebuilt)

    def _in_binder(self, body: Term, sort: Sort) -> Term:
        """The shorter body of a binder. Its loose variable is a fresh name meanwhile."""
        self.names += 1
        name = var(f"s{self.names}__", sort)
        return abstract(self.of(instantiate(body, (name,))), (name,))

    def _sum(self, t: Term) -> Term:
        """A shorter sum or product: written out, or with shorter parts."""
        tag, data, (low, high, body) = t
        ends = self.of(low), self.of(high)
        unchanged = (tag, data, (*ends, self._in_binder(body, "Int")))
        if tag != "sum" or any(end[0] != "num" or end[1][1] != 1 for end in ends):
            return unchanged
        first, last = (end[1][0] for end in ends)
        if last - first > MANY:
            return unchanged
        terms = [self.of(instantiate(body, (num(k),))) for k in range(first, last + 1)]
        total = _balanced_sum([term for term in terms if term != num(0)])
        # Written out, the sum must have less work than the mean of its work and its length as it is.
        return (
            total
            if self.always or 2 * work(total) < work(unchanged) + sum(1 for _ in subterms(unchanged))
            else unchanged
        )


MANY = 1000
"""A sum is written out only if its last index exceeds its first by at most this number. Written out, each term is a
subterm of the goal."""


def _balanced_sum(terms: Sequence[Term]) -> Term:
    """The sum of these terms as a balanced tree, with adjacent numbers added."""
    if len(terms) < 2:
        return terms[0] if terms else num(0)
    half = len(terms) // 2
    return _folded(("+", None, (_balanced_sum(terms[:half]), _balanced_sum(terms[half:]))))


def _folded(t: Term) -> Term:
    """A term or formula, simplified at its root if its parts are numbers or truth values."""
    tag, _, kids = t
    if tag in ("&", "|"):  # `unit` can be left out, `zero` decides the whole
        unit, zero = (TRUE, FALSE) if tag == "&" else (FALSE, TRUE)
        return zero if zero in kids else kids[0] if kids[1] == unit else kids[1] if kids[0] == unit else t
    if tag == "ind" and kids[0] in (TRUE, FALSE):
        return num(int(kids[0] == TRUE))
    if tag in ("=", "<=", "<", "+", "-", "*", "/", "neg", "fn", "^") and all(k[0] == "num" for k in kids):
        return _number(t)
    if tag == "~" and kids[0] in (TRUE, FALSE):
        return FALSE if kids[0] == TRUE else TRUE
    if tag == "->" and TRUE in kids:
        return kids[1]
    if tag == "*":
        return num(0) if num(0) in kids else kids[1] if kids[0] == num(1) else kids[0] if kids[1] == num(1) else t
    if tag in ("+", "-") and kids[1] == num(0):
        return kids[0]
    return kids[1] if tag == "+" and kids[0] == num(0) else t


def _number(t: Term) -> Term:
    """A term or comparison of numbers as a numeral, or as true or false; unchanged if it has no value."""
    if t[0] in COMPARISONS:
        return {normal.TRUE: TRUE, normal.FALSE: FALSE}.get(fkey(t), t)
    if t[0] == "/" and t[2][1] == num(0):
        return t
    value = normal.constant(nf(t))
    return t if value is None else num(value.numerator, value.denominator)


def reads_back(g: Goal, f: Term) -> bool:
    """Whether the text of the formula f is read as f. (A numeral after a minus, for one, is read as another term.)"""
    return g.formula(g.text(f)) == f


def work(t: Term) -> int:
    """The number of symbols of a term; those of a sum whose ends are numbers count once for each summand."""
    symbols = 1
    for k in t[2]:
        symbols += work(k)
    if t[0] != "sum":
        return symbols
    ends = [normal.constant(nf(end)) for end in t[2][:2] if not loose(end)]
    if len(ends) < 2 or None in ends:
        return symbols
    return symbols * max(1, int((ends[1] or 0) - (ends[0] or 0)) + 1)
