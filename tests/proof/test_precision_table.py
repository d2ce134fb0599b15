"""The table of what a construction costs in bits says what the statements of its theorems say."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from site_pages import load

from symcook.model.expr import parse_term
from symcook.model.rationals import rational
from symcook.proof import prove
from symcook.proof.replay import statements

AT = {"eps": "(1/4)", "B": "1"}
"""What the rows about almost orthogonal codes are at."""
SIZES = {"n": 9, "N": 9, "m": 9, "S": 9, "R": 9}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return load("precision").rows()


def number(text: str, **more: int) -> Any:
    return rational(parse_term(text), SIZES | more)


def test_each_bound_is_a_premise_of_its_theorem(rows: list[dict[str, str]]) -> None:
    """1/u is at least `inverse` in the premises: as it is written there, or at the constants of `AT`."""
    for row in rows:
        written = " ".join(statements()[row["theorem"]].written.split())
        if row["bits"] == "any" and row["says"] == "fails":
            assert "0 < u" in written and "*u" not in written
            continue
        found = set()
        for piece in re.split(r" (?:&|->) |\. ", written):
            above = re.fullmatch(r"(?:(.+)\*)?[uh] <=? (.+)", piece) or re.fullmatch(r"1 <= (.+)\*(u)", piece)
            if above and "pow" not in piece:
                sides = [above[1] or "1", above[2] if above[2] != "u" else "1"]
                for name, value in AT.items():
                    sides = [re.sub(rf"\b{name}\b", value, text) for text in sides]
                found.add(number(sides[0]) / number(sides[1]))
        assert number(row["inverse"]) in found, row


def test_bits_are_the_logarithm_of_the_bound(rows: list[dict[str, str]]) -> None:
    for row in rows:
        if row["bits"] != "any":
            text = re.sub(r"log2 (\w)", r"log2(\1)", row["bits"].partition(",")[0]).replace("n(n", "n*(n")
            bits = eval(re.sub(r"(\d) log2", r"\1*log2", text), {"log2": math.log2, **SIZES})
            assert abs(bits - math.log2(number(row["inverse"]))) < 0.01, row


def test_each_row_is_proved_and_its_arithmetic_is_that_of_the_run(rows: list[dict[str, str]]) -> None:
    for row in rows:
        run = "rounded" if row["arithmetic"] == "errors" else "floats"
        assert f"run({run}-" in statements()[row["theorem"]].written
        assert row["says"] == ("fails" if "-> ex " in statements()[row["theorem"]].written else "suffices")


@pytest.mark.sweep
def test_the_theorems_are_accepted(rows: list[dict[str, str]]) -> None:
    assert {verdict.status for verdict in prove(*{row["theorem"] for row in rows})} == {"PROVED"}


def test_the_page_has_each_row(rows: list[dict[str, str]]) -> None:
    ((name, page),) = load("precision").pages()
    assert name == "index" and all(page.count(f"| `{row['theorem']}` |") >= 1 for row in rows)
    assert "| 4 log2 n + 10 suffice | `lem.rounded_lookup_hash` |" in page
    assert "| 4 log2 n + 3 fail | `lem.rounded_lookup_hash_needs` |" in page
