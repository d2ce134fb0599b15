"""Work that a bridge does once for a whole table, instead of once for each row or pair of rows. Untrusted.

`shortened` simplifies a goal before its cases, `swapped` takes the index with fewer values first, and `distinct` proves
that no two rows of a table are equal without a look at each pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations

from symcook.proof import normal
from symcook.proof.normal import fkey, nf
from symcook.proof.search import reify
from symcook.proof.search.ranges import ANY, numbered_range, range_of
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
"""A conjunction of tests ``column = value``, as pairs of both."""


def shortened(g: Goal, each: Callable[[Goal], None]) -> bool:
    """Replace the goal by a shorter one with the same normal form, which `each` closes; whether there is a shorter one.

    Numbers are then computed once, instead of once in each case."""
    shorter = Shorter().of(g.goal)
    if 5 * work(shorter) > 4 * work(g.goal) or not reads_back(g, shorter) or fkey(shorter) != fkey(g.goal):
        return False
    label = g.fresh("short")
    g.have(shorter, label, each)
    g.hyp(label)
    return True


def swapped(g: Goal, each: Callable[[Goal], None]) -> bool:
    """Close ``all x in a..b. all y in c..d. F`` by `each`, with y before x, if all ends are numbers and y has fewer
    values than x; whether the goal has this form. With y known, more of F may be a number."""
    goal = g.goal
    found = range_of(goal, ANY)
    of_x, of_y = numbered_range(goal), None if found is None else numbered_range(found.body)
    if of_x is None or of_y is None or len(of_y) >= len(of_x):
        return False
    x, y, swapped, instance = (g.fresh(stem) for stem in ("x", "y", "swapped", "said"))
    names = var(x, "Int"), var(y, "Int")
    outer = instantiate(goal[2][0], names[:1])
    within = instantiate(outer[2][1][2][0], names[1:])
    exchanged = imp(within[2][0], ("all", "Int", (abstract(imp(outer[2][0], within[2][1]), names[:1]),)))
    g.have(("all", "Int", (abstract(exchanged, names[1:]),)), swapped, each)
    g.intro(f"{x} ({x}_low {x}_high) {y} ({y}_low {y}_high)")
    g.use(swapped, y, lambda h: _both(h, y), x, lambda h: _both(h, x), label=instance)
    g.hyp(instance)
    return True


class Shorter:
    """Makes terms and formulas shorter, with the same normal form.

    A term that is a number becomes a numeral. A sum between numbers is written out if few of its terms are not 0, or
    always with `always`."""

    def __init__(self, always: bool = False) -> None:
        self.always = always
        self.seen: dict[int, tuple[Term, Term]] = {}
        self.names = 0

    def of(self, t: Term) -> Term:
        """The shorter term."""
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
        parts = tuple(map(self.of, kids))
        rebuilt = t if all(a is b for a, b in zip(kids, parts, strict=True)) else (tag, data, parts)
        return _computed(rebuilt)

    def _under(self, body: Term, sort: Sort) -> Term:
        """The shorter body of a binder."""
        self.names += 1
        name = var(f"s{self.names}__", sort)
        return abstract(self.of(instantiate(body, (name,))), (name,))

    def _sum(self, t: Term) -> Term:
        """A shorter sum or product: written out, or with shorter parts."""
        tag, data, (low, high, body) = t
        ends = self.of(low), self.of(high)
        kept = (tag, data, (*ends, self._under(body, "Int")))
        if tag != "sum" or any(end[0] != "num" or end[1][1] != 1 for end in ends):
            return kept
        first, last = (end[1][0] for end in ends)
        if last - first > MANY:
            return kept
        terms = [self.of(instantiate(body, (num(k),))) for k in range(first, last + 1)]
        total = _added([term for term in terms if term != num(0)])
        return total if self.always or 2 * work(total) < work(kept) + sum(1 for _ in subterms(kept)) else kept


MANY = 1000
"""The maximum number of terms of a sum that is written out."""


def _added(terms: Sequence[Term]) -> Term:
    """The sum of these terms, bracketed in halves, with adjacent numbers added."""
    if len(terms) < 2:
        return terms[0] if terms else num(0)
    half = len(terms) // 2
    return _computed(("+", None, (_added(terms[:half]), _added(terms[half:]))))


def _computed(t: Term) -> Term:
    """A term or formula, simplified where parts are numbers or truth values."""
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
    """A term or comparison of numbers as a numeral, or as true or false; unchanged if it has no value."""
    if t[0] in COMPARISONS:
        return {normal.TRUE: TRUE, normal.FALSE: FALSE}.get(fkey(t), t)
    if t[0] == "/" and t[2][1] == num(0):
        return t
    value = normal.constant(nf(t))
    return t if value is None else num(value.numerator, value.denominator)


def reads_back(g: Goal, f: Term) -> bool:
    """Whether the text of a formula is read as this formula. (A numeral after a minus is read as another term.)"""
    return g.formula(g.text(f)) == f


def work(t: Term) -> int:
    """The number of symbols of a term, where the body of a sum between numbers counts once for each summand."""
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
    """Close ``all r in a..b. all e in a..b. (f(r) = f(e) & ..) -> r = e``, with numbers a and b; whether that was done.

    Not each pair of rows is compared. A term in the columns f(r), .. gives the number of the row (`numbered`): this is
    proved for each row, and equal columns then have equal terms. `halved` closes a goal at each value of an integer."""
    rows = _two_rows(g.goal)
    if rows is None:
        return False
    trial = g._branch(g.goal)
    r, e, same = trial.fresh("row"), trial.fresh("other"), trial.fresh("same")
    trial.intro(f"{r} ({r}_low {r}_high) {e} ({e}_low {e}_high)")
    parts = [f"{same}_{k}" for k in range(len(flatten("&", trial.goal[2][0])))]
    trial.intro(f"({' '.join(parts)})" if len(parts) > 1 else parts[0])
    ends = rows.start, rows.stop - 1
    columns = _columns(trial, parts, var(r, "Int"), var(e, "Int"))
    if own_labels := [label for term, label in columns or () if term == var(r, "Int")]:  # the row's own number
        trial.hyp(own_labels[0])
        g.take(trial)
        return True
    column_values = None if columns is None else [_values(term, var(r, "Int"), rows) for term, _ in columns]
    if columns is None or column_values is None or None in column_values:
        return False
    coefficients = numbered(rows, [column for column in column_values if column is not None])
    if coefficients is None:
        return False
    number, x, rule = _term(coefficients, [term for term, _ in columns]), trial.fresh("x"), trial.fresh("number")
    at_x = trial.text(replace(number, var(r, "Int"), var(x, "Int")))

    def each(leaf_goal: Goal) -> None:
        leaf_goal.intro(f"{x} ({x}_low {x}_high)")
        halved(leaf_goal, x, *ends, f"{x}_low", f"{x}_high", lambda leaf, _, equal: leaf.rewrite(equal).true())

    trial.have(f"all {x}:Int. {ends[0]} <= {x} & {x} <= {ends[1]} -> {x} = {at_x}", rule, each)
    for name in (r, e):
        ranged = trial.fresh("ranged")
        trial.have(f"{ends[0]} <= {name} & {name} <= {ends[1]}", ranged, lambda h, name=name: _both(h, name))
        trial.use(rule, name, f"#{ranged}", label=f"{name}_is")
    equation = f"{r}_is"
    for k, (term, label) in enumerate(columns):
        if term in set(subterms(trial.facts[equation])):
            trial.rewrite(label, equation, f"{equation}{k}")
            equation = f"{equation}{k}"
    trial._emit({"by": "pos", "eq": [["1", equation], ["-1", f"{e}_is"]]}, True)
    g.take(trial)
    return True


def _both(h: Goal, name: str) -> None:
    """Close ``a <= name & name <= b`` by the facts name_low and name_high."""
    for part, label in zip(h.split(), (f"{name}_low", f"{name}_high"), strict=True):
        part.hyp(label)


def _two_rows(f: Term) -> range | None:
    """The numbers of both ranges if the goal has the form that `distinct` closes; else None."""
    ranges = list[range]()
    for _ in range(2):
        values = numbered_range(f)
        if values is None:
            return None
        ranges.append(values)
        f = f[2][0][2][1]
    rows = f[0] == "->" and f[2][1][0] == "=" and [side[0] for side in f[2][1][2]] == ["bound", "bound"]
    return ranges[0] if rows and ranges[0] == ranges[1] else None


def _columns(g: Goal, parts: Sequence[str], r: Term, e: Term) -> list[tuple[Term, str]] | None:
    """The columns in which the rows r and e are equal: each as a term in r, with the label of the equation. None if one
    of the facts `parts` is neither an equation nor equations for a range of indices."""
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
    columns = list[tuple[Term, str]]()
    for label in equations:
        term = reify.term(nf(g.facts[label][2][0]))
        equal = ("=", None, (term, replace(term, r, e)))
        if equal[2][0] == equal[2][1]:  # a number
            continue
        if not reads_back(g, equal):
            return None
        columns.append((term, f"{label}_is"))
        g.have(equal, f"{label}_is", lambda h, label=label: h.hyp(label))
    return columns


def _values(term: Term, r: Term, rows: range) -> list[int] | None:
    """The values of a column in all rows; None unless all are integers."""
    values = [normal.constant(nf(replace(term, r, num(k)))) for k in rows]
    return None if any(v is None or v.denominator != 1 for v in values) else [int(v or 0) for v in values]


def numbered(rows: Sequence[int], columns: Sequence[Sequence[int]]) -> dict[Test, Fraction] | None:
    """Each row's number as a sum of coefficients over the tests that the row passes; None if no sum was found.

    Tests are about one column; if that is not enough, about the first column and one other, then two others.

    >>> numbered([1, 2, 3, 4], [[0, 0, 1, 1], [5, 6, 5, 6]])
    {(): Fraction(4, 1), ((0, 0),): Fraction(-2, 1), ((1, 5),): Fraction(-1, 1)}
    """
    tests: list[Test] = [(), *(((k, v),) for k, column in enumerate(columns) for v in dict.fromkeys(column))]
    others = range(1, len(columns))
    for size in range(3):
        for extra in combinations(others, size) if size else ():
            chosen = (0, *extra)
            rows_seen = dict.fromkeys(zip(*(columns[k] for k in chosen), strict=True))
            tests += [tuple(zip(chosen, values, strict=True)) for values in rows_seen]
        coefficients = _solved(rows, columns, tests)
        if coefficients is not None:
            return coefficients
    return None


def _solved(
    rows: Sequence[int], columns: Sequence[Sequence[int]], tests: Sequence[Test]
) -> dict[Test, Fraction] | None:
    """Coefficients of tests that add up to the number of each row, by elimination; earlier tests are preferred."""
    pivots: list[tuple[int, dict[int, Fraction]]] = []
    last = len(tests)
    for place, row in enumerate(rows):
        equation = {t: Fraction(1) for t, test in enumerate(tests) if all(columns[k][place] == v for k, v in test)}
        equation[last] = Fraction(row)
        for pivot, pivot_row in pivots:
            if factor := equation.get(pivot, Fraction(0)):
                for t, value in pivot_row.items():
                    equation[t] = equation.get(t, Fraction(0)) - factor * value
        equation = {t: value for t, value in equation.items() if value}
        if not equation:
            continue
        pivot = min(equation)
        if pivot == last:
            return None
        pivots.append((pivot, {t: value / equation[pivot] for t, value in equation.items()}))
    solution: dict[int, Fraction] = {}
    for pivot, row in reversed(pivots):
        known = sum(
            (value * solution.get(t, Fraction(0)) for t, value in row.items() if t not in (pivot, last)), Fraction(0)
        )
        solution[pivot] = row.get(last, Fraction(0)) - known
    return {tests[pivot]: solution[pivot] for pivot in sorted(solution) if solution[pivot]}


def _term(coefficients: Mapping[Test, Fraction], columns: Sequence[Term]) -> Term:
    """The sum of `numbered` as a term in the columns."""
    terms = list[Term]()
    for test, coefficient in coefficients.items():
        number = num(coefficient.numerator, coefficient.denominator)
        if not test:
            terms.append(number)
            continue
        holds = [("=", None, (columns[k], num(v))) for k, v in test]
        terms.append(("*", None, (number, ("ind", None, (reduce(conj, holds),)))))
    total = terms[0]
    for one in terms[1:]:
        total = ("+", None, (total, one))
    return total
