"""Definitions 11, 14 and 19 of yang2026: what `truths` and `counttruths` say, and the interpreter of formulas.

The truths here are those of a recursion over trees, read off the paper; every small formula, every short word, every
position with the first and the last.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from proof import claims_counting as counting
from proof.adequacy import column
from proof.claims_counting import LEFT, MORE, POSITION, RIGHT, Line
from proof.statement_truth import evaluate

from symcook.programs.reading import read_formula
from symcook.spec.logic import truths

Tree = tuple
F = Fraction
WORDS = ["".join(w) for n in (1, 2, 3, 4) for w in itertools.product("ab", repeat=n)]
NUMBERS = {"not": 1, "and": 2, "or": 3, "since": 4, "until": 5, "prev": 6, "next": 7}
SAYS = ("all n:Int, w:Int->Int, m:Int, op:Int->Int, a:Int->Int, l:Int->Int, r:Int->Int, z:Int*Int->Int. 1 <= n -> "
        "truths(op, a, l, r, z, m, w, n)")  # fmt: skip


@cache
def satisfied(tree: Tree, word: str, i: int) -> bool:
    """Positions are 1..n; there is none beside them."""
    op, *parts = tree
    inside = range(1, len(word) + 1)

    def at(k: int, j: int) -> bool:
        return j in inside and satisfied(parts[k], word, j)

    meant: dict[str, Callable[[], bool]] = {
        "Q": lambda: word[i - 1] == parts[0],
        "not": lambda: not at(0, i),
        "and": lambda: at(0, i) and at(1, i),
        "or": lambda: at(0, i) or at(1, i),
        "prev": lambda: at(0, i - 1),
        "next": lambda: at(0, i + 1),
        "since": lambda: any(at(1, j) and all(at(0, k) for k in range(j, i + 1)) for j in range(1, i + 1)),
        "until": lambda: any(at(1, j) and all(at(0, k) for k in range(i, j + 1)) for j in range(i, len(word) + 1)),
    }
    return meant[op]()


def trees(operators: Sequence[str], depth: int) -> list[Tree]:
    if depth == 0:
        return [("Q", "a"), ("Q", "b")]
    below = trees(operators, depth - 1)
    made = [(op, x) for op in operators if op in ("not", "prev", "next") for x in below]
    made += [(op, x, y) for op in operators if op not in ("not", "prev", "next") for x in below for y in below]
    return [*below, *made]


def written(tree: Tree) -> str:
    op, *parts = tree
    if op == "Q":
        return f"Q_{parts[0]}"
    word = {"not": "~", "and": "&", "or": "|"}.get(op, op)
    inner = [f"({written(part)})" for part in parts]
    return f"{word} {inner[0]}" if len(inner) == 1 else f"{inner[0]} {word} {inner[1]}"


def lines(tree: Tree) -> list[tuple[int, int, int, int]]:
    """The tree as an array of lines, those that are read before those that read."""
    op, *parts = tree
    if op == "Q":
        return [(0, "ab".index(parts[0]), 1, 1)]
    out: list[tuple[int, int, int, int]] = []
    ends = []
    for part in parts:
        out += [(a, b, c + len(out) * (a != 0), d + len(out) * (a != 0)) for a, b, c, d in lines(part)]
        ends.append(len(out))
    return [*out, (NUMBERS[op], 0, ends[0], ends[-1])]


def shown(tree: Tree, word: str, table: dict[Any, Any]) -> bool:
    """Whether `truths` holds of a table."""
    rows = lines(tree)
    given = dict(zip(("op()", "a()", "l()", "r()"), (column(cells) for cells in zip(*rows, strict=True)), strict=True))
    given |= {"n": F(len(word)), "m": F(len(rows)), "w()": column("ab".index(x) for x in word), "z()": table}
    return evaluate(SAYS, given)[0]


def parts_of(tree: Tree) -> list[Tree]:
    return [tree] if tree[0] == "Q" else [*(x for part in tree[1:] for x in parts_of(part)), tree]


def compare(operators: Sequence[str]) -> int:
    """The interpreter at every formula of depth 2, the statements' word at each fifteenth."""
    told = 0
    for number, tree in enumerate(trees(operators, 2)):
        read = read_formula(written(tree), "ab")
        for word in WORDS:
            places = range(1, len(word) + 1)
            expected = [satisfied(tree, word, i) for i in places]
            assert truths(read, word)[-1] == expected, (written(tree), word)
        if number % 15:
            continue
        for word in WORDS[number % 3 :: 7]:
            rows = parts_of(tree)
            places = range(1, len(word) + 1)
            right = {(f, i): F(satisfied(x, word, i)) for f, x in enumerate(rows, 1) for i in places}
            assert shown(tree, word, right), (written(tree), word)
            for cell in [*right][-len(word) :]:  # nothing else is the truth of the last line
                assert not shown(tree, word, right | {cell: 1 - right[cell]}), (written(tree), word, cell)
            told += 1
    return told


def test_definition_11() -> None:
    """prev is false at the first position, next at the last: there is no position beside."""
    assert compare(("not", "and", "or", "prev", "next")) > 50
    assert satisfied(("prev", ("not", ("Q", "a"))), "b", 1) is False


@pytest.mark.sweep
def test_definition_14() -> None:
    """Both sides are asked at the witness's position."""
    assert compare(("not", "and", "since", "until")) > 50
    assert not satisfied(("since", ("Q", "a"), ("Q", "b")), "b", 1)


def cases() -> Iterator[tuple[Line, ...]]:
    a = Line(0, 0)
    for predicate in (counting.odd, counting.mixed):
        yield a, Line(POSITION, predicate=predicate)
        yield a, Line(LEFT, left=1, predicate=predicate), Line(RIGHT, left=2, predicate=predicate)
    for lefts, rights, bound in (({1: 1}, {}, 0), ({}, {1: 1}, 1), ({1: 2}, {1: -1}, -1), ({1: -1, 2: 1}, {2: 2}, 1)):
        yield a, Line(0, 1), Line(MORE, lefts=lefts, rights=rights, bound=bound)


def test_definition_19() -> None:
    """Predicates of all lengths, at a position and of counts from 0 on; comparisons of sums with whole factors."""
    says = ("all n:Int, w:Int->Int, m:Int, N:Int, op:Int->Int, a:Int->Int, l:Int->Int, r:Int->Int, t:Int*Int->Int, "
            "p:Int*Int->Int, q:Int*Int->Int, C:Int->Int, z:Int*Int->Int. 1 <= n -> "
            "counttruths(op, a, l, r, t, N, p, q, C, z, m, w, n)")  # fmt: skip
    tried = 0
    for rows, word in itertools.product(cases(), WORDS[:14]):
        letters, n, many, longest = ["ab".index(x) for x in word], len(word), len(rows), 3
        pairs = list(itertools.product(range(1, many + 1), repeat=2))
        sizes = list(itertools.product(range(1, longest + 1), range(longest + 1)))
        given = {
            "n": F(n), "m": F(many), "N": F(longest), "w()": column(letters), "op()": column(x.op for x in rows),
            "a()": column(x.letter for x in rows), "l()": column(x.left for x in rows),
            "r()": column(x.right for x in rows), "C()": column(x.bound for x in rows),
            "t()": {(f, s * (longest + 1) + k): F(x.predicate(s, k)) for f, x in enumerate(rows, 1) for s, k in sizes},
            "p()": {(f, e): F(rows[f - 1].lefts.get(e, 0)) for f, e in pairs},
            "q()": {(f, e): F(rows[f - 1].rights.get(e, 0)) for f, e in pairs},
        }  # fmt: skip
        truth = counting.truths(rows, letters)
        right = {(f, i): F(x) for f, row in enumerate(truth, 1) for i, x in enumerate(row, 1)}
        assert evaluate(says, given | {"z()": right})[0], (rows, word)
        for i in range(1, n + 1):
            wrong = right | {(many, i): 1 - right[many, i]}
            assert not evaluate(says, given | {"z()": wrong})[0], (rows, word, i)
        tried += 1
    assert tried == 8 * 14
