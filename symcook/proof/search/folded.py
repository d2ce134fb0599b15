"""What is computed once for all rows of a table, and not at each token or pair of rows: in bridges of many equations.
Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations

from symcook.proof import normal
from symcook.proof.normal import fkey, nf
from symcook.proof.search import reify
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import (
    COMPARISONS,
    FALSE,
    TRUE,
    Sort,
    Term,
    abstract,
    conj,
    flatten,
    imp,
    instantiate,
    loose,
    num,
    replace,
    subterms,
    var,
)

Test = tuple[tuple[int, int], ...]
"""Columns of a table with the values that they have."""


def shortened(g: Goal, each: Callable[[Goal], None]) -> bool:
    """Close a goal by `each` with a shorter one in its place, which is the same up to normal forms: numbers are
    computed once, and not in each case that is told apart. Whether there is such a goal."""
    short = Shorter().of(g.goal)
    if 5 * work(short) > 4 * work(g.goal) or not reads_back(g, short) or fkey(short) != fkey(g.goal):
        return False
    label = g.fresh("short")
    g.have(short, label, each)
    g.hyp(label)
    return True


def swapped(g: Goal, each: Callable[[Goal], None]) -> bool:
    """Close ``all x in a..b. all y in c..d. ..`` with numbers by `each`, which closes what says it of y first, where y
    has fewer: at a y much of it may be a number. Whether the goal is of that form."""
    f = g.goal
    if not over_numbers(f) or not over_numbers(inner := instantiate(f[2][0], (var("#", "Int"),))[2][1]):
        return False
    of_x, of_y = ([int(normal.constant(nf(end)) or 0) for end in ends_of(one)] for one in (f, inner))
    if of_y[1] - of_y[0] >= of_x[1] - of_x[0]:
        return False
    x, y, label, said = (g.fresh(stem) for stem in ("x", "y", "swapped", "said"))
    names = var(x, "Int"), var(y, "Int")
    outer = instantiate(f[2][0], names[:1])
    within = instantiate(outer[2][1][2][0], names[1:])
    other = imp(within[2][0], ("all", "Int", (abstract(imp(outer[2][0], within[2][1]), names[:1]),)))
    g.have(("all", "Int", (abstract(other, names[1:]),)), label, each)
    g.intro(f"{x} ({x}_low {x}_high) {y} ({y}_low {y}_high)")
    g.use(label, y, lambda h: _both(h, y), x, lambda h: _both(h, x), label=said)
    g.hyp(said)
    return True


def over_numbers(f: Term) -> bool:
    """Whether it is ``all x in a..b`` with numbers a and b."""
    if f[:2] != ("all", "Int") or f[2][0][0] != "->" or f[2][0][2][0][0] != "&":
        return False
    return all(normal.constant(nf(end)) is not None for end in ends_of(f))


def ends_of(f: Term) -> list[Term]:
    """a and b of ``all x in a..b``."""
    low, high = f[2][0][2][0][2]
    return [instantiate(end, (var("#", "Int"),)) for end in (low[2][0], high[2][1])]


class Shorter:
    """Terms and formulas in fewer symbols, with the same normal form: what is a number is one, and a sum between
    numbers is written out where few of its terms are left, or with `apart` always."""

    def __init__(self, apart: bool = False) -> None:
        self.apart = apart
        self.seen: dict[int, tuple[Term, Term]] = {}
        self.names = 0

    def of(self, t: Term) -> Term:
        if not t[2]:
            return t
        known = self.seen.get(id(t))
        if known is None or known[0] is not t:
            known = self.seen[id(t)] = t, self._made(t)
        return known[1]

    def _made(self, t: Term) -> Term:
        tag, data, kids = t
        if tag in ("all", "ex"):
            return (tag, data, (self._under(kids[0], data),))
        if tag in ("sum", "prod"):
            return self._sum(t)
        if tag == "lam":
            return t
        new = tuple(map(self.of, kids))
        made = t if all(a is b for a, b in zip(kids, new, strict=True)) else (tag, data, new)
        return _computed(made)

    def _under(self, body: Term, sort: Sort) -> Term:
        self.names += 1
        name = var(f"s{self.names}__", sort)
        return abstract(self.of(instantiate(body, (name,))), (name,))

    def _sum(self, t: Term) -> Term:
        tag, data, (low, high, body) = t
        ends = self.of(low), self.of(high)
        made = (tag, data, (*ends, self._under(body, "Int")))
        if tag != "sum" or any(one[0] != "num" or one[1][1] != 1 for one in ends):
            return made
        first, last = (one[1][0] for one in ends)
        if last - first > MANY:
            return made
        terms = [self.of(instantiate(body, (num(k),))) for k in range(first, last + 1)]
        left = _added([one for one in terms if one != num(0)])
        return left if self.apart or 2 * work(left) < work(made) + sum(1 for _ in subterms(made)) else made


MANY = 1000
"""A sum of more terms is not written out."""


def _added(terms: Sequence[Term]) -> Term:
    """A sum in halves, with the numbers in it added up."""
    if len(terms) < 2:
        return terms[0] if terms else num(0)
    half = len(terms) // 2
    return _computed(("+", None, (_added(terms[:half]), _added(terms[half:]))))


def _computed(t: Term) -> Term:
    """A term or formula with parts that are short, where they say what it is."""
    tag, _, kids = t
    if tag in ("&", "|"):
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
    """What is said of numbers, or made of them, as a number or as true or false; the term where it is none."""
    if t[0] in COMPARISONS:
        return {normal.TRUE: TRUE, normal.FALSE: FALSE}.get(fkey(t), t)
    if t[0] == "/" and t[2][1] == num(0):
        return t
    value = normal.constant(nf(t))
    return t if value is None else num(value.numerator, value.denominator)


def reads_back(g: Goal, f: Term) -> bool:
    """Whether its text is read as the same: a numeral behind a minus is another term."""
    return g.formula(g.text(f)) == f


def work(t: Term) -> int:
    """How many symbols there are, with those below a sum between numbers once for each."""
    symbols = 1
    for k in t[2]:
        symbols += work(k)
    if t[0] != "sum":
        return symbols
    ends = [normal.constant(nf(end)) for end in t[2][:2] if not loose(end)]
    if len(ends) < 2 or None in ends:
        return symbols
    return symbols * max(1, int((ends[1] or 0) - (ends[0] or 0)) + 1)


# --- Rows that differ ------------------------------------------------------------------------------------------------


def distinct(g: Goal, halved: Callable[..., None]) -> bool:
    """Close ``all r in a..b. all e in a..b. (f(r) = f(e) & ..) -> r = e``, with numbers a and b, without looking at all
    pairs: the number of a row is a term of its columns, f(r) and the others. `halved` closes a goal at each value of an
    integer. Whether the goal is of that form, and there is such a term."""
    ends = _two_rows(g.goal)
    if ends is None:
        return False
    trial = g._branch(g.goal)
    r, e, same = trial.fresh("row"), trial.fresh("other"), trial.fresh("same")
    trial.intro(f"{r} ({r}_low {r}_high) {e} ({e}_low {e}_high)")
    parts = [f"{same}_{k}" for k in range(len(flatten("&", trial.goal[2][0])))]
    trial.intro(f"({' '.join(parts)})" if len(parts) > 1 else parts[0])
    rows = range(ends[0], ends[1] + 1)
    columns = _columns(trial, parts, var(r, "Int"), var(e, "Int"))
    if own := [label for term, label in columns or () if term == var(r, "Int")]:  # a column that is the row's number
        trial.hyp(own[0])
        g.take(trial)
        return True
    values = None if columns is None else [_values(term, var(r, "Int"), rows) for term, _ in columns]
    if columns is None or values is None or None in values:
        return False
    found = numbered(rows, [one for one in values if one is not None])
    if found is None:
        return False
    number, x, rule = _term(found, [term for term, _ in columns]), trial.fresh("x"), trial.fresh("number")
    at_x = trial.text(replace(number, var(r, "Int"), var(x, "Int")))

    def each(h: Goal) -> None:
        h.intro(f"{x} ({x}_low {x}_high)")
        halved(h, x, *ends, f"{x}_low", f"{x}_high", lambda leaf, _, equal: leaf.rewrite(equal).true())

    trial.have(f"all {x}:Int. {ends[0]} <= {x} & {x} <= {ends[1]} -> {x} = {at_x}", rule, each)
    for name in (r, e):
        ranged = trial.fresh("ranged")
        trial.have(f"{ends[0]} <= {name} & {name} <= {ends[1]}", ranged, lambda h, name=name: _both(h, name))
        trial.use(rule, name, f"#{ranged}", label=f"{name}_is")
    said = f"{r}_is"
    for k, (term, label) in enumerate(columns):
        if term in set(subterms(trial.facts[said])):
            trial.rewrite(label, said, f"{said}{k}")
            said = f"{said}{k}"
    trial._emit({"by": "pos", "eq": [["1", said], ["-1", f"{e}_is"]]}, True)
    g.take(trial)
    return True


def _both(h: Goal, name: str) -> None:
    for part, label in zip(h.split(), (f"{name}_low", f"{name}_high"), strict=True):
        part.hyp(label)


def _two_rows(f: Term) -> tuple[int, int] | None:
    """a and b of such a goal."""
    found = list[tuple[int, int]]()
    for _ in range(2):
        if f[:2] != ("all", "Int") or f[2][0][0] != "->" or f[2][0][2][0][0] != "&":
            return None
        low, high = f[2][0][2][0][2]
        ends = [normal.constant(nf(instantiate(end, (var("#", "Int"),)))) for end in (low[2][0], high[2][1])]
        if None in ends:
            return None
        found.append((int(ends[0] or 0), int(ends[1] or 0)))
        f = f[2][0][2][1]
    rows = f[0] == "->" and f[2][1][0] == "=" and [one[0] for one in f[2][1][2]] == ["bound", "bound"]
    return found[0] if rows and found[0] == found[1] else None


def _columns(g: Goal, parts: Sequence[str], r: Term, e: Term) -> list[tuple[Term, str]] | None:
    """The columns of two rows that are the same: each as a term of r, and the label of the equation. None where the
    facts `parts` say anything else."""
    equations = list[str]()
    for label in parts:
        if g.facts[label][0] == "=":
            equations.append(label)
            continue
        fact = g.facts[label]
        if fact[0] != "all" or fact[2][0][0] != "->" or fact[2][0][2][0][0] != "&":
            return None
        low, high = fact[2][0][2][0][2]
        ends = [normal.constant(nf(instantiate(end, (r,)))) for end in (low[2][0], high[2][1])]
        if None in ends or fact[2][0][2][1][0] != "=":
            return None
        for k in range(int(ends[0] or 0), int(ends[1] or 0) + 1):
            equations.append(f"{label}_{k}")
            g.use(label, str(k), "!", label=equations[-1])
    found = list[tuple[Term, str]]()
    for label in equations:
        term = reify.term(nf(g.facts[label][2][0]))
        equal = ("=", None, (term, replace(term, r, e)))
        if equal[2][0] == equal[2][1]:  # a number
            continue
        if not reads_back(g, equal):
            return None
        found.append((term, f"{label}_is"))
        g.have(equal, f"{label}_is", lambda h, label=label: h.hyp(label))
    return found


def _values(term: Term, r: Term, rows: range) -> list[int] | None:
    """The numbers of a column in its rows; None where one is no integer."""
    values = [normal.constant(nf(replace(term, r, num(k)))) for k in rows]
    return None if any(v is None or v.denominator != 1 for v in values) else [int(v or 0) for v in values]


def numbered(rows: Sequence[int], columns: Sequence[Sequence[int]]) -> dict[Test, Fraction] | None:
    """Each row's number as a sum over what its columns are, one by one, or the first and one or two more if that is not
    enough.

    >>> numbered([1, 2, 3, 4], [[0, 0, 1, 1], [5, 6, 5, 6]])
    {(): Fraction(4, 1), ((0, 0),): Fraction(-2, 1), ((1, 5),): Fraction(-1, 1)}
    """
    tests: list[Test] = [(), *(((k, v),) for k, column in enumerate(columns) for v in dict.fromkeys(column))]
    others = range(1, len(columns))
    for size in range(3):
        for more in combinations(others, size) if size else ():
            together = (0, *more)
            met = dict.fromkeys(zip(*(columns[k] for k in together), strict=True))
            tests += [tuple(zip(together, one, strict=True)) for one in met]
        found = _solved(rows, columns, tests)
        if found is not None:
            return found
    return None


def _solved(
    rows: Sequence[int], columns: Sequence[Sequence[int]], tests: Sequence[Test]
) -> dict[Test, Fraction] | None:
    """Numbers of tests that add up to the number of each row; the first tests are taken."""
    pivots: list[tuple[int, dict[int, Fraction]]] = []
    last = len(tests)
    for place, row in enumerate(rows):
        left = {t: Fraction(1) for t, test in enumerate(tests) if all(columns[k][place] == v for k, v in test)}
        left[last] = Fraction(row)
        for at, other in pivots:
            if factor := left.get(at, Fraction(0)):
                for t, value in other.items():
                    left[t] = left.get(t, Fraction(0)) - factor * value
        left = {t: value for t, value in left.items() if value}
        if not left:
            continue
        at = min(left)
        if at == last:
            return None
        pivots.append((at, {t: value / left[at] for t, value in left.items()}))
    found: dict[int, Fraction] = {}
    for at, row in reversed(pivots):
        rest = sum((value * found.get(t, Fraction(0)) for t, value in row.items() if t not in (at, last)), Fraction(0))
        found[at] = row.get(last, Fraction(0)) - rest
    return {tests[at]: found[at] for at in sorted(found) if found[at]}


def _term(found: Mapping[Test, Fraction], columns: Sequence[Term]) -> Term:
    """The sum as a term."""
    terms = list[Term]()
    for test, value in found.items():
        number = num(value.numerator, value.denominator)
        if not test:
            terms.append(number)
            continue
        holds = [("=", None, (columns[k], num(v))) for k, v in test]
        terms.append(("*", None, (number, ("ind", None, (reduce(conj, holds),)))))
    total = terms[0]
    for one in terms[1:]:
        total = ("+", None, (total, one))
    return total
