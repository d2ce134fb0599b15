"""Figures 1 and 2 of Yang et al. (2026): the orders of the table, and where the patterns are greatest."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest
from shared import call


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import symcook.papers.drawing as drawing

    folder = tmp_path_factory.mktemp("figures")
    drawing.write("tie-break", folder / "f", 8)
    return folder / "f"


def curves(file: Path) -> dict[str, dict[int, Fraction]]:
    found: dict[str, dict[int, Fraction]] = {}
    with file.open() as stream:
        for row in csv.DictReader(stream):
            found.setdefault(row["curve"], {})[int(Fraction(row["at"]))] = Fraction(row["mid"])
    return found


@pytest.mark.sweep
def test_figure_1_is_its_table(drawn: Path) -> None:
    """Doubling n multiplies the greatest entry by 1, 2, 4, 8, and halves the temperature of (a)."""
    entries = curves(drawn / "tie-break-figure-1-positions.csv")
    wanted = {"12a": 1, "12b": 2, "15a": 1, "15b": 2, "20a": 4, "20b": 8}
    assert {name: entries[f"Theorem {name}"][64] / entries[f"Theorem {name}"][32] for name in wanted} == wanted
    colds = curves(drawn / "tie-break-figure-1-temperature.csv")
    for name in wanted:
        ratio = colds[f"Theorem {name}"][32] / colds[f"Theorem {name}"][64]
        assert ratio == (2 if name.endswith("a") else 1) and colds[f"Theorem {name}"][1] == 1


@pytest.mark.sweep
def test_figure_2_has_its_peaks(drawn: Path) -> None:
    """The position where each pattern is greatest."""
    found = curves(drawn / "tie-break-figure-2.csv")
    peaks = {label.partition(" (")[0]: max(points, key=lambda j: points[j]) for label, points in found.items()}
    assert peaks == {
        "ziggurat": 5,
        "table lookup": 5,
        "rightmost, -1/j": 5,
        "rightmost, j/(2n)": 5,
        "leftmost, -j/(2n)": 2,
    }


@pytest.mark.sweep
def test_the_command_draws_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "report", "tie-break", "-o", tmp_path / "f")
    assert code == 0 and "figure-1-positions.csv" in out and "figure-2.csv" in out
