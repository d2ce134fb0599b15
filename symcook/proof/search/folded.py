"""What is computed once for all rows of a table, and not at each token or pair of rows: in bridges of many equations.
Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations

from symcook.proof import normal
from symcook.proof.normal import nf
from symcook.proof.search import reify
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, conj, flatten, instantiate, loose, num, replace, subterms, var

Test = tuple[tuple[int, int], ...]
"""Columns of a table with the values that they have."""


def added_up(g: Goal) -> bool:
    """Put for the right side of an equation what its normal form says, where that is shorter: sums over all rows of a
    table, say, are computed once, and not at each token. Whether it is."""
    right = g.goal[2][1]
    short = reify.term(nf(right))
    equal = ("=", None, (right, short))
    if _work(short) >= _work(right) or not _reads_back(g, equal):
        return False
    label = g.fresh("sum")
    g.have(equal, label, Goal.true)
    g.rewrite(label)
    return True


def folded(g: Goal, each: Callable[[Goal], None]) -> bool:
    """The same below quantifiers, where sums between numbers stand: `each` closes the goal with what is shorter in
    their place, and the goal follows. Whether there is such a sum."""
    trial, names = g._branch(g.goal), list[str]()
    while trial.goal[0] in ("all", "->"):
        names.append(("" if trial.goal[0] == "all" else "#") + trial.fresh("below"))
        trial.intro(names[-1].lstrip("#"))
    if trial.goal[0] != "=" or not any(map(_summed, subterms(trial.goal[2][1]))) or not added_up(trial):
        return False

    def shorter(f: Term, given: Sequence[str]) -> Term:
        if not given:
            return trial.goal
        if f[0] == "->":
            return ("->", None, (f[2][0], shorter(f[2][1], given[1:])))
        name = var(given[0], f[1])
        return ("all", f[1], (abstract(shorter(instantiate(f[2][0], (name,)), given[1:]), (name,)),))

    short, said = g.fresh("short"), g.fresh("said")
    g.have(shorter(g.goal, names), short, each)
    g.intro(" ".join(name.lstrip("#") for name in names))
    g.use(short, *names, label=said)
    added_up(g)
    g.hyp(said)
    return True


def _reads_back(g: Goal, f: Term) -> bool:
    """Whether its text is read as the same: a numeral behind a minus is another term."""
    return g.formula(g.text(f)) == f


def _work(t: Term) -> int:
    """How many symbols there are, with those below a sum between numbers once for each."""
    symbols = 1 + sum(_work(k) for k in t[2])
    if not _summed(t):
        return symbols
    low, high = (int(normal.constant(nf(end)) or 0) for end in t[2][:2])
    return symbols * max(1, high - low + 1)


def _summed(t: Term) -> bool:
    """Whether it is a sum between two numbers."""
    return t[0] == "sum" and not any(loose(end) or normal.constant(nf(end)) is None for end in t[2][:2])


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
        if not _reads_back(g, equal):
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
