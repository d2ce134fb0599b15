"""What docs/guides/robustness.md says of the shipped models is what the questions answer."""

from __future__ import annotations

import re

import pytest
from checkout import ROOT

import symcook as sc
from symcook.questions.precision import RUNTIMES
from symcook.questions.precision import _Length as Length
from symcook.words.inputs import strings

NOTE = (ROOT / "docs" / "guides" / "robustness.md").read_text()


def test_the_margins_of_parity() -> None:
    found = sc.build("parity").margin(6)
    assert "0.1206 at 2, 0.0269 at 6" in NOTE
    assert found.row(2)["margin"].mid.startswith("0.1206")
    assert found.row(6)["margin"].mid.startswith("0.0269")


def cells(model: str) -> list[str]:
    """The row of a model: its name, margin, word, tau(n), bits that are enough, and how far float16 carries it."""
    (line,) = (line for line in NOTE.splitlines() if line.startswith(f"| `{model}` |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def enough(model: str, n: int) -> int | None:
    return sc.build(model).precision(n, min_length=n, formats=()).row(n)["enough"]


def proved(model: str, name: str, n: int) -> bool:
    bound = sc.build(model).bind()
    return Length(bound, strings(bound, range(n, n + 1)), n).proved(*RUNTIMES[name])


@pytest.mark.sweep
def test_the_bits_that_are_enough() -> None:
    """Against runs of every word: test_precision.py."""
    for model, least in (("dyck-1", 1), ("parity", 2), ("first", 2)):
        said = re.findall(r"(\d+) at (\d+)", cells(model)[4])
        assert len(said) >= least
        for bits, n in said:
            assert enough(model, int(n)) == int(bits), (model, n)
    assert cells("dyck-1-nonuniform")[4] == "none from n = 3 on"
    assert [enough("dyck-1-nonuniform", n) is None for n in (2, 3, 4)] == [False, True, True]


@pytest.mark.sweep
def test_the_bits_of_parity_beside() -> None:
    assert "For PARITY of n = 3, 7, 15 and 31 symbols, where every i/(n + 1) is exact, 6 or 7 bits are enough" in NOTE
    assert {enough("parity", n) for n in (3, 7, 15, 31)} == {6, 7}
    assert "PARITY is guaranteed to n = 1 only, since at n = 2 nine bits are needed" in NOTE
    assert [proved("parity", "bfloat16", n) for n in (1, 2)] == [True, False]
    assert enough("parity", 2) == 9


@pytest.mark.sweep
def test_how_far_float16_carries() -> None:
    for model in ("dyck-1", "parity", "first"):
        to, more = re.fullmatch(r"(\d+)( or more)?", cells(model)[5]).groups()  # type: ignore[union-attr]
        assert all(proved(model, "float16", n) for n in range(1, int(to) + 1)), model
        assert more or not proved(model, "float16", int(to) + 1), model
    assert cells("dyck-1-nonuniform")[5] == "none" and not proved("dyck-1-nonuniform", "float16", 1)
    assert "bfloat16 carries FIRST to n = 20 or more, `dyck-1` to 8 or more" in NOTE
    assert proved("first", "bfloat16", 20) and proved("dyck-1", "bfloat16", 8)


@pytest.mark.sweep
def test_the_rows_of_an_answer() -> None:
    assert sc.build("dyck-1").precision(6, min_length=6, formats=()).row(6)["enough"] == 3
    assert sc.build("first").precision(4, min_length=4, formats=()).row(4)["enough"] == 5
    assert sc.build("dyck-1-nonuniform").precision(3, min_length=3, formats=()).row(3)["enough"] is None
    assert sc.build("first-flawed").margin(3).row(3)["margin"].mid.startswith("0.0246")
