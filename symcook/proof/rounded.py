"""What floor, mod and sign are in a statement, whose grammar has none of them: terms of the grammar.

    sign(t)               I[0 < t] - I[t < 0]
    mod(a, m)             I[ex q in -M..M. a = m*q + 1] + ... + (m - 1)*I[ex q in -M..M. a = m*q + m - 1]
    mod(floor(a/k), m)    the same of a and k*m, where a rest r counts as r/k rounded down
    floor(a/m)            (a - mod(a, m))/m
    floor(a/m)            sum(q, 1, M, I[m*q <= a]) - sum(q, 1, M, I[a < m*(1 - q)])
    mod(t, m)             t - m*floor(t/m)

a is an integer and M is abs(a); of what is never negative M is a, and the half below zero is left out. m is n or a
literal; in the lines with remainders a literal from 2 to `MOST`, and mod(a - c, m) is that of a + ((-c) mod m). The
first floor is for places where no integer must stand, as one must at the end of a sum. A term t that is no a/m is
refused. `symcook.model.meaning` has the same functions in expressions; tests compare the two.
Trusted, as a position function means what is written here. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import reduce

from symcook.model.expr import Tree

ROUNDED = {"floor": 1, "mod": 2, "sign": 1}
"""The functions with their number of arguments."""
MOST = 20
ZERO: Tree = ("num", 0, 1)
ONE: Tree = ("num", 1, 1)
Integers = Mapping[str, bool]
"""The names of integers, and whether they are never negative."""
RoundingError = Callable[[Tree, str], Exception]


class RoundedTerms:
    """Puts terms for the functions; `taken` are names that nothing new may have, `own` functions that are called like
    one of these. `fail` makes the error about a part."""

    def __init__(self, taken: Collection[str], fail: RoundingError, own: Collection[str] = ()) -> None:
        self.taken, self.fail, self.own = taken, fail, own

    def put(self, tree: Tree, integers: Integers, end: bool = False) -> Tree:
        """`tree` without the functions; at the `end` of a range an integer stands."""
        tag = tree[0]
        if tag in ("sum", "prod", "all in", "ex in"):
            low, high = (self.put(part, integers, True) for part in tree[2:4])
            return (tag, tree[1], low, high, self.put(tree[4], _inner(tree, integers)))
        if tag in ("all", "ex", "lambda"):
            inner = {**integers, tree[1]: False} if tree[2] == "Int" else integers
            return (*tree[:-1], self.put(tree[-1], inner))
        if tag != "call":
            return (tag, *(self.put(part, integers, end) if isinstance(part, tuple) else part for part in tree[1:]))
        # The argument of mod is an integer place, as an end is.
        _, name, given = tree
        t, *others = (self.put(part, integers, end or name == "mod") for part in given)
        if name in self.own or ROUNDED.get(name) != len(given):
            return (tag, name, (t, *others))
        if name == "sign":
            return ("-", ("ind", ("<", ZERO, t)), ("ind", ("<", t, ZERO)))
        term = self.mod(given[0], t, others[0], integers) if name == "mod" else self.floor(t, integers, end)
        if term is None:
            raise self.fail(tree, f"{name} takes sums, products and parts of positions and lengths")
        return term

    def mod(self, given: Tree, t: Tree, m: Tree, integers: Integers) -> Tree | None:
        """mod(t, m), where t is `given` without the functions."""
        floors = given[:2] == ("call", "floor") and "floor" not in self.own
        remainder = self.rest(self.put(given[2][0], integers, True) if floors else t, m, integers, floors)
        below = remainder or self.floor(("/", t, m), integers, True)
        return remainder or (below and ("-", t, ("*", m, below)))

    def floor(self, t: Tree, integers: Integers, end: bool) -> Tree | None:
        # a/m: by the remainder where m is a small literal, else by counting multiples; None for another term.
        a, m = _fraction(t, integers) or (t, ZERO)
        remainder = None if end or m == ONE else self.rest(a, m, integers, False)
        if m in (ZERO, ONE) or remainder is not None:
            return ("/", ("-", a, remainder), m) if remainder else None if m == ZERO else a
        q, low, high = self.places(a, integers)
        above: Tree = ("sum", q, ONE, high, ("ind", ("<=", ("*", m, ("name", q)), a)))
        below: Tree = ("sum", q, ONE, high, ("ind", ("<", a, ("*", m, ("-", ONE, ("name", q))))))
        return above if low == ZERO else ("-", above, below)

    def rest(self, t: Tree, m: Tree, integers: Integers, floors: bool) -> Tree | None:
        """mod(t, m) for an integer t, mod(floor(t), m) where it `floors`; None where no literal stands."""
        a, k = _fraction(t, integers) or (t, ZERO)
        most = k[1] * m[1] if k[0] == m[0] == "num" and m[2] == 1 and (floors or k == ONE) else 0
        if not max(1, k[1]) < most <= MOST:
            return None
        a = ("+", a[1], ("num", -a[2][1] % most, 1)) if a[0] == "-" and a[2][0] == "num" else a
        (q, low, high), out = self.places(a, integers), list[Tree]()
        for remainder in range(k[1], most):
            multiple: Tree = ("+", ("*", ("num", most, 1), ("name", q)), ("num", remainder, 1))
            out.append(_times(("num", remainder // k[1], 1), ("ind", ("ex in", q, low, high, ("=", a, multiple)))))
        return reduce(lambda x, y: ("+", x, y), out)

    def places(self, t: Tree, integers: Integers) -> tuple[str, Tree, Tree]:
        """A name that nothing around and in the integer t has, and ends between which t and all its parts are."""
        used = {*words(t), *integers, *self.taken}
        name = next(q for q in (f"q{number or ''}" for number in range(len(used) + 1)) if q not in used)
        size: Tree = t if _natural(t, integers) else ("call", "abs", (t,))
        return name, ZERO if size is t else ("neg", size), size


def _fraction(t: Tree, integers: Integers) -> tuple[Tree, Tree] | None:
    """a of sort Int and m with t = a/m; m is made of n and literals from 1 on. None for another term."""
    tag = t[0]
    if tag in ("num", "name", "ind"):
        known = tag != "name" or t[1] in integers
        return (("num", t[1], 1), ("num", t[2], 1)) if tag == "num" else (t, ONE) if known else None
    if tag == "sum":
        summand = _fraction(t[4], _inner(t, integers))
        return ((*t[:4], summand[0]), ONE) if summand and summand[1] == ONE else None
    parts = [_fraction(part, integers) for part in t[1:]] if tag in ("neg", "+", "-", "*", "/") else [None]
    if None in parts:
        return None
    (a, k), (b, m) = parts[0], parts[-1]  # type: ignore[misc]
    if tag in ("neg", "*"):
        return (("neg", a), k) if tag == "neg" else (_times(a, b), _times(k, m))
    if tag == "/":
        return (_times(m, a), _times(k, b)) if b == ("name", "n") or (b[0] == "num" and b[1]) else None
    return ((tag, a, b), k) if k == m else ((tag, _times(m, a), _times(k, b)), _times(k, m))


def _times(a: Tree, b: Tree) -> Tree:
    return ("num", a[1] * b[1], 1) if a[0] == b[0] == "num" else b if a == ONE else a if b == ONE else ("*", a, b)


def _natural(t: Tree, integers: Integers) -> bool:
    """Whether a term of sort Int is seen to be never negative."""
    if t[0] == "name":
        return integers[t[1]]
    parts, inner = (t[4:], _inner(t, integers)) if t[0] == "sum" else (t[1:], integers)
    return t[0] in ("num", "ind") or (t[0] in ("sum", "+", "*") and all(_natural(part, inner) for part in parts))


def _inner(t: Tree, integers: Integers) -> Integers:
    """The integers under the binder of a range: the name is never negative where its low end is a numeral."""
    return {**integers, t[1]: t[2][0] == "num"}


def words(t: object) -> set[str]:
    """All text in a tree, the names among it."""
    return {t} if isinstance(t, str) else set().union(*map(words, t)) if isinstance(t, tuple) else set()
