"""Equations that differ by numbers alone as one for all numbers: what keeps the text of a long bridge short. Untrusted.

``f(1, i) = g(3, i)``, ``f(2, i) = g(3, i)``, ``f(3, i) = g(1, i)``, .. are
``all x__ in 1..m. f(x__, i) = (I[1 <= x__ & x__ <= 2]*g(3, i) + I[x__ = 3]*g(1, i) + ..)``: a number that is not the
same in all of them, nor on a line, is told case by case, which at each x__ is the number by computation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from symcook.proof.runtext import joined
from symcook.proof.search.computed import affine, spans, table_function

INDEX = "x__"
FEWEST = 4
"""So many equations become one."""
_NUMBER = re.compile(r"(?<![\w^/.])\d+(?![\w/.])", re.ASCII)
"""A whole number that may be a term: no exponent and no part of a fraction."""
_PARTIAL = re.compile(r"\b(sqrt|log|pow)\(|/(?![0-9])", re.ASCII)
_BESIDE = re.compile(r" (?:[=<&|]|<=|!=|->|<->) |, |\\. ")
"""What stands between two sums."""
_PIECE = re.compile(rf"[(\[\])]| \+ |{_BESIDE.pattern}|[^()\[\] ,.]+|.", re.DOTALL)
_PLACE = re.compile(r"([A-Za-z_]\w*\()#(, \w+\)|\))|#", re.ASCII)
"""Where a number stands in a shape: as the first argument of a function, or elsewhere."""


def merged(texts: Sequence[str]) -> list[str]:
    """The same conjunction in fewer parts. Those that may be undefined come first, as each part is a condition of those
    behind it.

    >>> merged([f"f({k}, i) = g({k + 3}, i) - h({k // 4}, i)" for k in range(1, 5)])
    ['(all x__ in 1..4. f(x__, i) = g(x__ + 3, i) - (I[1 <= x__ & x__ <= 3]*h(0, i) + I[x__ = 4]*h(1, i)))']
    """
    alike: dict[str, list[list[int]]] = {}
    for text in texts:
        if not _PARTIAL.search(text):
            alike.setdefault(_NUMBER.sub("#", text), []).append(_numbers(text))
    together = [one for shape, rows in alike.items() for one in _together(shape, rows)]
    return [*filter(_PARTIAL.search, texts), *together]


def summed(text: str) -> str:
    """A text whose terms that follow one another and differ by numbers on a line are a sum over numbers.

    >>> summed("g(i) = sqrt((f(1, i) - m(i))^2 + (f(2, i) - m(i))^2 + ((f(3, i) - m(i))^2 + (f(4, i) - m(i))^2))")
    'g(i) = sqrt(sum(v__, 1, 4, (f(v__, i) - m(i))^2))'
    """
    return _Sums(text).read()[0]


class _Sums:
    """Reads a text from bracket to bracket."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def read(self) -> tuple[str, list[str]]:
        """What stands before the next closing bracket, with its sums; and its terms where it is one sum."""
        done, terms, term, inner = "", list[str](), "", list[str]()
        while (piece := _PIECE.match(self.text, self.at)) is not None and piece[0] not in (")", "]"):
            self.at = piece.end()
            if piece[0] in ("(", "["):
                inside, its = self.read()
                inner = its if not term and piece[0] == "(" else []
                term += f"{piece[0]}{inside}{self.text[self.at]}"
                self.at += 1
                continue
            if piece[0] == " + ":
                terms += inner or [term]
            elif _BESIDE.fullmatch(piece[0]):
                done += _sum([*terms, *(inner or [term])]) + piece[0]
                terms = []
            else:
                term, inner = term + piece[0], []
                continue
            term, inner = "", []
        terms += inner or [term]
        return done + _sum(terms), [] if done or len(terms) == 1 else terms


def _sum(terms: list[str]) -> str:
    """A sum of these terms."""
    found, at = list[str](), 0
    while at < len(terms):
        many = _alike(terms[at:])
        found.append(terms[at] if many < FEWEST else _over(terms[at : at + many]))
        at += max(1, many if many >= FEWEST else 1)
    return joined(found)


def _alike(terms: list[str]) -> int:
    """How many of the first terms differ by numbers on a line alone."""
    shape, first = _NUMBER.sub("#", terms[0]), _numbers(terms[0])
    if len(terms) < FEWEST or "(" not in shape or "u__" in shape or _NUMBER.sub("#", terms[1]) != shape:
        return 1
    steps = [b - a for a, b in zip(first, _numbers(terms[1]), strict=True)]
    many = 1
    for k, term in enumerate(terms):
        if _NUMBER.sub("#", term) != shape or _numbers(term) != [a + k * s for a, s in zip(first, steps, strict=True)]:
            break
        many = k + 1
    return many if any(steps) else 1


def _over(terms: list[str]) -> str:
    """Terms that differ by numbers on a line as a sum over numbers, those of the first that grows by 1."""
    columns = list(zip(*map(_numbers, terms), strict=True))
    start = next((one[0] for one in columns if one[1] - one[0] == 1), 1)
    index = "u__" if "v__" in terms[0] else "v__"
    shape = _NUMBER.sub("#", terms[0])
    return f"sum({index}, {start}, {start + len(terms) - 1}, {_filled(shape, columns, index, start)})"


def _numbers(text: str) -> list[int]:
    return [int(k) for k in _NUMBER.findall(text)]


def _together(shape: str, rows: list[list[int]]) -> list[str]:
    """The texts of one shape as one text, or as they are where that is no shorter."""
    apart = [_filled(shape, [[k] for k in row]) for row in rows]
    if len(rows) < FEWEST:
        return apart
    orders = [rows, *(sorted(rows, key=lambda row: row[k:] + row[:k]) for k in range(len(rows[0])))]
    best = min((_filled(shape, list(zip(*some, strict=True))) for some in orders), key=len)
    return [f"(all {INDEX} in 1..{len(rows)}. {best})"] if len(best) < sum(map(len, apart)) else apart


def _filled(shape: str, columns: Sequence[Sequence[int]], index: str = INDEX, start: int = 1) -> str:
    """The text of a shape whose numbers have these values at the index `start`, and so on."""
    given = iter(columns)

    def put(place: re.Match[str]) -> str:
        column = next(given)
        line = _line(column, index, start)
        if place[1] and line:
            return f"{place[1]}{line}{place[2]}"
        if place[1]:
            return min((_cases(place, column, runs) for runs in (False, True)), key=len)
        return (
            line
            if re.fullmatch(r"\w+", line, re.ASCII)
            else f"({line or _values(dict(enumerate(map(Fraction, column), 1)))})"
        )

    return _PLACE.sub(put, shape)


def _line(column: Sequence[int], index: str, begin: int) -> str:
    """A number, or what is on a line; empty where that is none."""
    if len(set(column)) == 1:
        return str(column[0])
    start, slope = affine({(k,): value for k, value in enumerate(column, begin)}) or (0, 0)
    if not slope:
        return ""
    term = index if slope == 1 else f"{slope}*{index}"
    return term if not start else f"{term} {'+' if start > 0 else '-'} {abs(start)}"


def _values(row: Mapping[int, Fraction]) -> str:
    """A term of the index that has these values."""
    text = table_function({(k,): value for k, value in row.items()}).partition(". ")[2]
    return re.sub(r"\]\*1\b", "]", re.sub(r"\bv1__", INDEX, text))


def _cases(place: re.Match[str], column: Sequence[int], runs: bool) -> str:
    """A function at these numbers case by case: at each value, or with `runs` on each line that three are on."""
    cases = [
        f"I[{spans(some, INDEX)}]*{place[1]}{line}{place[2]}"
        for line, some in lines(dict(enumerate(column, 1)), INDEX, runs)
    ]
    return f"({joined(cases)})"


def lines(values: Mapping[int, int], index: str, runs: bool = True) -> list[tuple[str, list[int]]]:
    """Lines, as terms of an index, and the numbers at which these values are on them."""
    on: dict[tuple[int, int], list[int]] = {}
    keys, at = sorted(values), 0
    while at < len(keys):
        slope, end = 0, at + 1
        if runs and at + 2 < len(keys):
            slope = values[keys[at + 1]] - values[keys[at]]
        while end < len(keys) and keys[end] - keys[at] == end - at:
            if values[keys[end]] != values[keys[at]] + slope * (end - at):
                break
            end += 1
        if slope and end < at + 3:
            slope, end = 0, at + 1
        on.setdefault((slope, values[keys[at]] - slope * keys[at]), []).extend(keys[at:end])
        at = end
    return [(_line([start + slope * k for k in (1, 2)], index, 1), some) for (slope, start), some in on.items()]


def conjuncts(text: str) -> list[str]:
    """The parts of a conjunction, as they stand between the signs that are outside of all brackets; the text where it
    is none.

    >>> conjuncts("a & (b & c) & I[d & e] = 1"), conjuncts("a & b -> c")
    (['a', '(b & c)', 'I[d & e] = 1'], ['a & b -> c'])
    """
    found, depth = [""], 0
    for one in re.split(r"( (?:&|\||->|<->) |[()\[\]])", text):
        depth += (one in ("(", "[")) - (one in (")", "]"))
        if one == " & " and not depth:
            found.append("")
        elif one in (" | ", " -> ", " <-> ") and not depth:
            return [text]
        else:
            found[-1] += one
    return [text] if re.match(r"all |ex ", text) else found


def parts_of(text: str) -> list[str]:
    """The same, with those of conjunctions in brackets."""
    found = conjuncts(text)
    if len(found) > 1:
        return [part for one in found for part in parts_of(one)]
    inside = text[1:-1]
    return parts_of(inside) if _whole(text) and len(conjuncts(inside)) > 1 else [text]


def _whole(text: str) -> bool:
    """Whether the first bracket of a text is closed by its last sign."""
    depth = 0
    for k, one in enumerate(text):
        depth += (one == "(") - (one == ")")
        if not depth:
            return k == len(text) - 1 and k > 0
    return False


_ENTRY = re.compile(r"(\w+)\((-?\d+(?:, -?\d+)*)\) = (-?\d+(?:/\d+)?)", re.ASCII)


def tables(parts: Sequence[str]) -> list[str]:
    """The same parts, in which entries of a table, ``f(1, 2) = 3``, are rows, over the index that has most numbers.

    >>> tables(["0 < K", *(f"f({k}, {c}) = {k // 3}" for k in (1, 2, 3) for c in (0, 1))])
    ['0 < K', '(all x__ in 1..3. f(x__, 0) = I[x__ = 3])', '(all x__ in 1..3. f(x__, 1) = I[x__ = 3])']
    """
    entries: dict[str, dict[tuple[int, ...], Fraction]] = {}
    for part in parts:
        if entry := _ENTRY.fullmatch(part):
            entries.setdefault(entry[1], {})[*map(int, entry[2].split(", "))] = Fraction(entry[3])
    others = [part for part in parts if not _ENTRY.fullmatch(part)]
    return others + [row for name, one in entries.items() for row in _rows(name, one)]


def _rows(name: str, entries: Mapping[tuple[int, ...], Fraction]) -> list[str]:
    """The entries of a table row by row."""
    at = max(range(len(next(iter(entries)))), key=lambda k: len({key[k] for key in entries}))
    rows: dict[tuple[int, ...], dict[int, Fraction]] = {}
    for key, value in entries.items():
        rows.setdefault(key[:at] + key[at + 1 :], {})[key[at]] = value
    found = []
    for key, row in rows.items():
        if len(row) == 1:
            ((k, value),) = row.items()
            found.append(f"{name}({', '.join(map(str, (*key[:at], k, *key[at:])))}) = {value}")
            continue
        args = ", ".join([*map(str, key[:at]), INDEX, *map(str, key[at:])])
        found.append(f"(all {INDEX} in {min(row)}..{max(row)}. {name}({args}) = {_values(row)})")
    return found
