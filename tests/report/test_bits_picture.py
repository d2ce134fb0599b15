"""The picture and the table of the tutorial on bits: what was measured lies where the theorems allow it."""

from __future__ import annotations

import csv
import re
import runpy
from fractions import Fraction
from math import log2
from typing import Any

import pytest
from checkout import ROOT
from site_pages import drawn, load

import symcook as sc
from symcook.export.archive import cast
from symcook.model.expr import parse_term
from symcook.model.rationals import rational

PAGE = (ROOT / "docs" / "tutorials" / "bits.md").read_text(encoding="utf-8")
LINES = (ROOT / "symcook/data/precision.tsv").read_text(encoding="utf-8").splitlines()
THEOREMS = list(csv.DictReader(LINES, delimiter="\t"))
ROWS = [
    [int(number.replace(",", "")) for number in row.split()]
    for row in re.findall(r"^ +\d+ +[\d,]+ +[\d,]+ +[\d,]+ +[\d,]+$", PAGE, re.MULTILINE)
]


def inverse(what: str, says: str, n: int) -> Fraction:
    """1/u of a theorem at length n: it is proved from u <= 1/inverse on, or fails from there."""
    (row,) = (row for row in THEOREMS if row["what"] == what and row["says"] == says)
    return Fraction(rational(parse_term(row["inverse"]), {"n": Fraction(n)}))


@pytest.mark.parametrize(("what", "column"), [("lookup by -(x - j)^2", 1), ("lookup by layer-norm hashes", 3)])
def test_what_is_proved_is_the_greatest_length_of_the_theorem(what: str, column: int) -> None:
    """And the first wrong position is beyond it; it is not before the length at which some arithmetic fails by half."""
    assert len(ROWS) == 8
    for row in ROWS:
        bits, proved, wrong = row[0], row[column], row[column + 1]
        assert inverse(what, "suffices", proved) <= 2**bits < inverse(what, "suffices", proved + 1)
        assert proved < wrong
    assert all(inverse(what, "fails", row[column + 1]) >= 2 ** row[0] for row in ROWS)


@pytest.mark.parametrize(
    ("name", "longest", "numbers", "column"),
    [
        ("lookup-quadratic", 20, {"domain": "mpmath", "bits": 8}, 2),
        ("lookup-layernorm-hash", 10, {"domain": "mpmath", "bits": 11}, 4),
        ("lookup-layernorm-hash", 20, {"domain": "mpmath", "bits": 16}, 4),
    ],
)
def test_three_scores_find_what_a_run_finds(name: str, longest: int, numbers: dict[str, Any], column: int) -> None:
    (wrong,) = (row[column] for row in ROWS if row[0] == numbers["bits"])
    run = sc.build(name).run([{"query": i, "value": i % 2} for i in range(1, longest + 1)], trace=True, **numbers)
    found = [float(value) for value in run.trace[-1]["coordinates"]["found"]]
    assert next(i for i, value in enumerate(found, 1) if value != i % 2) == wrong


def test_bfloat16_of_the_script_is_that_of_exports() -> None:
    """Rounded to nearest, ties to even. The answers are those of 8 bits with unlimited exponents, up to the page's."""
    script = runpy.run_path(str(ROOT / "examples" / "bfloat16.py"))
    numbers = [0.0, 1.0, 1 + 2.0**-8, 1 + 3 * 2.0**-8, 257.0, 259.0, -1 / 3, 1e-30, 3.0e38]
    assert [script["rounded"](x) for x in numbers] == cast(numbers, "bfloat16").tolist()
    assert script["rounded"](257.0) == 256 and script["rounded"](259.0) == 260
    model = sc.build("dyck-1")
    for string in ("()", "(()", "())(", "(()())", ")(()", "(((())))", "()()())"):
        assert script["balanced"](string) is model.run(string, "mpmath", bits=8).accept


@drawn
def test_the_picture_has_all_points() -> None:
    made = load("bits")
    curves = {curve.name: curve for curve in made.curves(PAGE)}
    assert {name: len(curve.measured) for name, curve in curves.items()} == {"hashes": 8, "2qj - j²": 8, "dyck-1": 7}
    for curve in curves.values():
        factor, summand = curve.enough
        assert all(bits < factor * log2(length) + summand for bits, length in curve.measured)
    picture = made.svg(PAGE)
    assert picture.count("<circle") == 23 + 1 and picture.count('class="proved') == 4
