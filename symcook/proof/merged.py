"""Equations that differ by numbers alone as one for all numbers: what keeps the text of a long bridge short. Untrusted.

``f(1, i) = g(3, i)``, ``f(2, i) = g(3, i)``, ``f(3, i) = g(1, i)``, .. are
``all x__ in 1..m. f(x__, i) = (I[1 <= x__ & x__ <= 2]*g(3, i) + I[x__ = 3]*g(1, i) + ..)``: a number that is not the
same in all of them, nor on a line, is told case by case, which at each x__ is the number by computation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from symcook.proof.rows import joined
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
        return line if line and line.isalnum() else f"({line or _table(column)})"

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


def _table(column: Sequence[int]) -> str:
    """A term that has these values."""
    text = table_function({(k,): Fraction(value) for k, value in enumerate(column, 1)}).partition(". ")[2]
    return re.sub(r"\]\*1\b", "]", re.sub(r"\bv1__", INDEX, text))


def _cases(place: re.Match[str], column: Sequence[int], runs: bool) -> str:
    """A function at these numbers case by case: at each value, or with `runs` on each line that three are on."""
    on: dict[tuple[int, int], list[int]] = {}
    at, last = 0, len(column)
    while at < last:
        slope = column[at + 1] - column[at] if runs and at + 1 < last else 0
        end = next((k for k in range(at + 1, last) if column[k] != column[at] + (k - at) * slope), last)
        if slope and end < at + 3:
            slope, end = 0, at + 1
        on.setdefault((slope, column[at] - slope * (at + 1)), []).extend(range(at + 1, end + 1))
        at = end
    cases = []
    for (slope, start), some in on.items():
        line = _line([start + slope * k for k in (1, 2)], INDEX, 1)
        cases.append(f"I[{spans(some, INDEX)}]*{place[1]}{line}{place[2]}")
    return f"({joined(cases)})"
