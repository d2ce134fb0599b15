"""The printed constructions of Yang et al. (2026), against the readings of definitions that the other tests of formulas
have: all words to length 5 at every position, in balls."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from compilers.test_counting import truth as count_truth
from compilers.test_counting import words
from compilers.test_counting import written as count_written
from shared import call, document, refused

import symcook as sc
from symcook.errors import BadInput
from symcook.programs import THEOREMS

Tree = tuple
LTL = {"12": ("prev", "next"), "13": ("prev",), "15": ("since", "until"), "16": ("since",),
       "17": ("prev", "next", "since", "until"), "18": ("prev", "since")}  # fmt: skip
COUNTS = {"20": ("left", "right"), "21": ("left",), "22": ("left", "right"), "23": ("left",)}
TEMPORAL = {"22": ("prev", "next", "since", "until"), "23": ("prev", "since")}


def drawn(r: random.Random, theorem: str, operators: int) -> Tree:
    """A formula in the operators of a theorem."""
    number = theorem[:2]
    if operators <= 0:
        return ("in", r.choice("ab"))
    sides = COUNTS.get(number, ())
    counting = ("compared", "modulo", "table", "compared") if sides else ()
    op = r.choice((*LTL.get(number, ()), *TEMPORAL.get(number, ()), *counting, "~", "&"))
    if op in ("~", "prev", "next"):
        return (op, drawn(r, theorem, operators - 1))
    if op in ("&", "since", "until"):
        return (op, drawn(r, theorem, operators // 2), drawn(r, theorem, operators - 1 - operators // 2))
    inner = (r.choice(sides), drawn(r, theorem, operators - 1))
    if op == "modulo":
        divisor = r.randrange(1, 4)
        return (op, divisor, r.randrange(divisor), None if r.random() < 0.3 else inner)
    if op == "table":
        return (op, "".join(r.choice("01") for _ in range(6)), None if r.random() < 0.3 else inner)
    terms = tuple((r.choice((1, 2, -1, -2)), r.choice(sides), drawn(r, theorem, (operators - 1) // 2)) for _ in (0, 1))
    return (op, terms, r.choice(("=", "!=", "<", "<=", ">", ">=")), r.randrange(-2, 3))


def mixed(tree: Tree, word: str) -> tuple[bool, ...]:
    """The truth of a formula; until and next as the mirror images of since and previous."""
    op, n = tree[0], len(word)
    if op in ("next", "until", "~", "prev", "&", "since"):
        rows = [mixed(one, word) for one in tree[1:]]
        f, g = rows[0], rows[-1]
        if op in ("next", "prev"):
            return (*f[1:], False) if op == "next" else (False, *f[:-1])
        if op == "until":
            return tuple(any(g[j] and all(f[i : j + 1]) for j in range(i, n)) for i in range(n))
        if op == "since":
            return tuple(any(g[j] and all(f[j : i + 1]) for j in range(i + 1)) for i in range(n))
        return tuple(not a if op == "~" else a and b for a, b in zip(f, g, strict=True))
    if op == "compared":

        def count(side: str, inner: Tree, i: int) -> int:
            row = mixed(inner, word)
            return sum(row[: i + 1] if side == "left" else row[i:])

        signs = {"=": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
        return tuple(
            getattr(sum(factor * count(side, inner, i) for factor, side, inner in tree[1]), signs[tree[2]])(tree[3])
            for i in range(n)
        )
    if op in ("modulo", "table"):
        inner = tree[3] if op == "modulo" else tree[2]
        row = () if inner is None else mixed(inner[1], word)
        numbers = [i + 1 if inner is None else sum(row[: i + 1] if inner[0] == "left" else row[i:]) for i in range(n)]
        return tuple(k % tree[1] == tree[2] if op == "modulo" else tree[1][k] == "1" for k in numbers)
    return count_truth(tree, word)


def answers(model: sc.Transformer, word: str) -> list[Any]:
    return list(model.run(word, "ball").outputs or ())


@pytest.mark.layer_one(0, 12, 13, 30)
@pytest.mark.parametrize("theorem", THEOREMS)
@pytest.mark.parametrize("size", [2, 5])
def test_printed_constructions_answer_as_formulas_drawn_at_random(size: int, theorem: str) -> None:
    """The words of lengths 1 to 4, and some of length 5."""
    r = random.Random(f"{theorem} {size}")
    tree = drawn(r, theorem, size)
    model = sc.compile("count", count_written(tree), alphabet="ab", theorem=theorem)
    for word in [*words(4), *r.sample(words(5)[30:], 8)]:
        assert answers(model, word) == list(mixed(tree, word)), (count_written(tree), word)


@pytest.mark.layer_one(6)
@pytest.mark.parametrize("theorem", THEOREMS)
@pytest.mark.layer_two(every=3)
def test_more_formulas_to_length_five(theorem: str) -> None:
    r = random.Random(f"more {theorem}")
    for _ in range(2):
        tree = drawn(r, theorem, r.randrange(1, 7))
        model = sc.compile("count", count_written(tree), alphabet="ab", theorem=theorem)
        for word in words(5):
            assert answers(model, word) == list(mixed(tree, word)), (count_written(tree), word)


@pytest.mark.parametrize("theorem, source, said", [
    ("15a", "prev Q_a", "--theorem 12a"),
    ("12b", "Q_a since Q_b", "--theorem 15b"),
    ("12a", "prev Q_a since next Q_b", "--theorem 17a"),
    ("20a", "prev Q_a", "not contain prev"),
    ("20b", "#left[prev Q_a] > 0", "--theorem 22b"),
    ("17a", "ODD", "predicates of the position"),
    ("15a", "#left[Q_a] > 1", "--theorem 20a"),
    ("16a", "Q_a until Q_b", "see earlier positions only"),
    ("13b", "next Q_a", "--theorem 12b"),
    ("18a", "prev next Q_a", "see earlier positions only"),
    ("21", "#right[Q_a] > 0", "see earlier positions only"),
    ("23", "#left[prev next Q_a] > 0", "--theorem 22a"),
    ("15b", "output x = true;", "one truth"),
])  # fmt: skip
def test_a_theorem_refuses_what_it_does_not_cover(theorem: str, source: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        sc.compile("count", source, alphabet="ab", theorem=theorem)
    assert said in f"{caught.value} {caught.value.do}"


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    "theorem, source", [("18b", "prev Q_a since Q_b"), ("22a", "next (#right[Q_a] >= #left[Q_b])")]
)
def test_from_the_command_line(theorem: str, source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.json"
    line = ("compile", "count", source, "--alphabet", "ab", "-o", file)
    assert call(capsys, *line, "--theorem", theorem)[0] == 0
    ran = document(capsys, "run", file, "--input", "abba")
    assert all(bit in ("0", "1") for bit in ran["outputs"]) and len(ran["outputs"]) == 4
    assert document(capsys, "check", file, "--max-length", "4")["mismatches"] == 0
    assert "Plan" in call(capsys, "show", file)[1]
    refused(capsys, *line, "--theorem", "16a", "--force")


@pytest.mark.layer_one(0, 1, 3)
@pytest.mark.parametrize("theorem, powers", [("20a", 2), ("20b", 3), ("21", 2), ("22b", 3), ("12a", 0), ("12b", 1),
                                             ("13b", 2), ("17b", 1)])  # fmt: skip
def test_position_encodings_are_those_of_the_theorem(theorem: str, powers: int) -> None:
    """Figure 1: the greatest entry grows like this power of n."""
    source = "#left[Q_a] > 1" if theorem[0] == "2" else "prev Q_a"
    model = sc.compile("count", source, alphabet="ab", theorem=theorem)
    greatest = {}
    for n in (4, 8):
        first = model.run("a" * n, trace=True).trace[0]["coordinates"]
        greatest[n] = max(abs(Fraction(one)) for name in model.embedding.positions for one in first[name])
    assert greatest[8] / greatest[4] == 2**powers
