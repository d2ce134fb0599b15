"""Proves that no two rows of a table are equal, without a case for each pair of rows. Not trusted.

Each row has a number. A term in the entries of a row has that number as its value; this is proved row by row. Two rows
with equal entries have equal terms, so their numbers are equal too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from symcook.proof import normal
from symcook.proof.inequalities import reify
from symcook.proof.normal import nf
from symcook.proof.search.ranges import in_range, numbered_range
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, flatten, num, replace, subterms, var

EqualColumn = tuple[Term, str]
"""A column of the table: its entry in row r, as a term in r, and the label of the fact that rows r and e have the same
entry."""


def distinct(g: Goal, halved: Callable[..., None]) -> bool:
    """Close a goal ``all r in a..b. all e in a..b. (f(r) = f(e) & ..) -> r = e``, with numbers a and b. Returns whether
    the goal is closed; it stays open if it has another form, if an entry is no integer, or if two rows are equal.

    `halved` (of `computed`) closes a goal by cases over the values of an integer."""
    rows = _two_rows(g.goal)
    if rows is None:
        return False
    # A trial copy of the goal introduces both rows, r and e, and the facts that their columns are equal.
    trial = g.branch()
    r, e, same = trial.fresh("row"), trial.fresh("other"), trial.fresh("same")
    trial.intro(f"{r} ({r}_low {r}_high) {e} ({e}_low {e}_high)")
    facts = [f"{same}_{k}" for k in range(len(flatten("&", trial.goal[2][0])))]
    trial.intro(f"({' '.join(facts)})" if len(facts) > 1 else facts[0])
    columns = _columns(trial, facts, var(r, "Int"), var(e, "Int"))
    if columns is None:
        return False
    if number_labels := [label for term, label in columns if term == var(r, "Int")]:  # a column is the row's number
        trial.hyp(number_labels[0])
        g.take(trial)
        return True
    # The entries of each row as integers. The rows must differ, or no term in the columns has the number of the row.
    entries = {row: tuple(_entry(term, var(r, "Int"), row) for term, _ in columns) for row in rows}
    if None in {entry for row in entries.values() for entry in row} or len({*entries.values()}) < len(rows):
        return False
    # The rule "each row has the number that the term in its columns gives", used for both rows.
    rule = _number_rule(trial, _number(entries, [term for term, _ in columns]), var(r, "Int"), rows, halved)
    for name in (r, e):
        trial.use(rule, name, lambda h, name=name: in_range(h, name), label=f"{name}_is")
    _equal_numbers(trial, f"{r}_is", f"{e}_is", columns)
    g.take(trial)
    return True


def _number_rule(g: Goal, number: Term, r: Term, rows: range, halved: Callable[..., None]) -> str:
    """Prove that ``x = number(x)`` for each row x, where `number` is a term in r; the label of this fact."""
    x, rule, first, last = g.fresh("x"), g.fresh("number"), rows.start, rows.stop - 1
    at_x = g.text(replace(number, r, var(x, "Int")))

    def by_cases(h: Goal) -> None:
        h.intro(f"{x} ({x}_low {x}_high)")
        halved(h, x, first, last, f"{x}_low", f"{x}_high", lambda leaf, _, equal: leaf.rewrite(equal).true())

    g.have(f"all {x}:Int. {first} <= {x} & {x} <= {last} -> {x} = {at_x}", rule, by_cases)
    return rule


def _equal_numbers(g: Goal, of_row: str, of_other: str, columns: Sequence[EqualColumn]) -> None:
    """Close r = e. The facts `of_row` and `of_other` say that r and e are equal to a term in the columns at r and at e;
    the facts of `columns` rewrite the first of these terms to the second."""
    # the term of a column may be a part of another column's term, which must be rewritten before it
    longest_first = sorted(columns, key=lambda column: sum(1 for _ in subterms(column[0])), reverse=True)
    for number, (term, label) in enumerate(longest_first):
        if term in set(subterms(g.facts[of_row])):
            g.rewrite(label, of_row, f"{of_row}{number}")
            of_row = f"{of_row}{number}"
    # r = e is the difference of both equations
    g.close({"by": "pos", "eq": [["1", of_row], ["-1", of_other]]})


def _two_rows(f: Term) -> range | None:
    """The numbers of the rows, a to b, if the goal has the form that `distinct` closes; else None."""
    ranges = list[range]()
    for _ in range(2):
        values = numbered_range(f)
        if values is None:
            return None
        ranges.append(values)
        f = f[2][0][2][1]  # below the quantifier and its range
    ends_in_rows = f[0] == "->" and f[2][1][0] == "=" and [side[0] for side in f[2][1][2]] == ["bound", "bound"]
    return ranges[0] if ends_in_rows and ranges[0] == ranges[1] and ranges[0] else None


def _columns(g: Goal, facts: Sequence[str], r: Term, e: Term) -> list[EqualColumn] | None:
    """The columns in which the rows r and e are equal, by the facts with the labels `facts`. None if one of these facts
    is neither an equation nor equations for a range of indices, or if the text of a column is read as another term."""
    # The labels of single equations: equations for a range of indices are used at each index.
    equations = list[str]()
    for label in facts:
        fact = g.facts[label]
        if fact[0] == "=":
            equations.append(label)
            continue
        indices = numbered_range(fact)
        if indices is None or fact[2][0][2][1][0] != "=":
            return None
        for k in indices:
            equations.append(f"{label}_{k}")
            g.use(label, str(k), "!", label=equations[-1])
    # The left side of each equation in normal form is a column; the right side must be the same term at e.
    columns = list[EqualColumn]()
    for label in equations:
        term = reify.term(nf(g.facts[label][2][0]))
        both = ("=", None, (term, replace(term, r, e)))
        if both[2][0] == both[2][1]:  # a number, the same in all rows
            continue
        if g.formula(g.text(both)) != both:  # e.g. a numeral after a minus is read as another term
            return None
        columns.append((term, f"{label}_is"))
        g.have(both, f"{label}_is", lambda h, label=label: h.hyp(label))
    return columns


def _entry(column: Term, r: Term, row: int) -> int | None:
    """The entry of a column, a term in r, in the row with the number `row`; None unless it is an integer."""
    value = normal.constant(nf(replace(column, r, num(row))))
    return None if value is None or value.denominator != 1 else int(value)


def _number(entries: Mapping[int, Sequence[int | None]], columns: Sequence[Term]) -> Term:
    """A term in the columns whose value is the number of the row, for the rows of `entries`: {number: its entries in
    these columns}. No two rows have the same entries.

    The term is a sum over the values of the first column: I[column = value] times the term that distinguishes the rows
    with this value by the other columns. If all rows have the same value, the test is left out, since the term need not
    be right for other rows.
    """
    if len(entries) == 1:
        return num(*entries)
    column, *others = columns
    values = dict.fromkeys(row[0] for row in entries.values())
    terms = list[Term]()
    for value in values:
        number_of_rest = _number({row: entry[1:] for row, entry in entries.items() if entry[0] == value}, others)
        test = ("ind", None, (("=", None, (column, num(value or 0))),))
        terms.append(number_of_rest if len(values) == 1 else ("*", None, (test, number_of_rest)))
    return reduce(lambda total, term: ("+", None, (total, term)), terms)
