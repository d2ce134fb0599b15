"""The commands margin, tolerance, temperature and precision as a user meets them."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

import pytest
from families import together
from shared import call, document, refused


def test_margin(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "margin", "dyck-1", "--max-length", 4)
    assert set(found) == {"kind", "recipe", "parameters", "rows", "notes"}
    assert found["rows"] == [
        {"n": 1, "margin": "1", "word": "("},
        {"n": 2, "margin": "1/2", "word": ")("},
        {"n": 3, "margin": "1/3", "word": found["rows"][2]["word"]},
        {"n": 4, "margin": "1/12", "word": "())("},
    ]
    code, out, _ = call(capsys, "margin", "parity", "--max-length", 2, "--set", "c=2")
    assert code == 0
    assert out.splitlines()[:3] == [
        "margin of parity, with c = 2",
        "  n  margin                       string            accepted                     rejected",
        "  0  0                            the empty string  -                            0",
    ]


def test_tolerance(capsys: pytest.CaptureFixture[str]) -> None:
    line = ("tolerance", "dyck-1-nonuniform", "--set", "N=8", "--free", "L2.ff.b1[1]", "--max-length", 4)
    rows = document(capsys, *line)["rows"]
    assert rows[3] | {"low_word": "", "high_word": ""} == {
        "n": 4, "low": "0", "low_in": False, "low_word": "", "high": "1/64", "high_in": True, "high_word": "",
    }  # fmt: skip
    assert document(capsys, *line, "--min-length", 3)["rows"] == rows[2:]


def test_temperature(capsys: pytest.CaptureFixture[str]) -> None:
    row = document(capsys, "temperature", "first-flawed", "--max-length", 2)["rows"][1]
    assert row["root"] == "x = 1/2, x = e^(-1/tau)"
    assert row["tau"]["mid"].startswith("1.4426950408")
    assert "every" in call(capsys, "temperature", "dyck-1", "--max-length", 2)[1]


def test_precision(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "precision", "first", "--max-length", 2, "--format", "float16")
    assert list(found["formats"]) == ["float16"]
    assert found["formats"]["float16"]["guaranteed"] == 2
    assert [row["n"] for row in found["rows"]] == [1, 2]


@pytest.mark.sweep
@pytest.mark.tools  # with matplotlib it writes pictures too
def test_plots(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = tmp_path / "margin"
    line = ("margin", "first-flawed", "--max-length", 3, "--plot", place)
    found = document(capsys, *line)
    assert found["files"][0] == f"{place}.csv"
    rows = list(csv.DictReader((tmp_path / "margin.csv").read_text().splitlines()))
    assert [row["n"] for row in rows] == ["0", "1", "2", "3"]
    assert (rows[2]["margin"], rows[2]["word"]) == (found["rows"][2]["margin"]["mid"], "10")
    assert (rows[0]["margin"], rows[0]["margin_rad"]) == ("0.5", "0")
    if find_spec("matplotlib") is not None:
        assert (tmp_path / "margin.svg").read_text().startswith("<?xml")
        assert (tmp_path / "margin.png").read_bytes().startswith(b"\x89PNG")
    assert "must not exist yet" in refused(capsys, *line)
    assert call(capsys, *line, "--force")[0] == 0


@together(
    ("line", "said"),
    [
        (("margin", "dyck-1"), "must be given; given: none; give --max-length"),
        (("margin", "gtzero", "--max-length", 3), "must read strings"),
        (("margin", "dyck-1", "--max-length", 0), "from 1 to"),
        (("margin", "dyck-1-nonuniform", "--max-length", 65), "at most 64"),
        (("margin", "dyck-1", "--max-length", 3, "--force"), "--force must come with --plot"),
        (("margin", "dyck-1", "--max-length", 3, "--plot", "no/such/place"), "folder for a plot must exist"),
        (("tolerance", "dyck-1", "--max-length", 3), "the weight that moves must be given"),
        (("tolerance", "dyck-1", "--max-length", 3, "--free", "L1.head1.V[x,y]"), "row of L1.head1.V"),
        (("temperature", "first", "--max-length", 3, "--min-length", 4), "smallest length"),
        (("precision", "first", "--max-length", 3, "--format", "float8"), "did you mean"),
        (("tolerence", "dyck-1"), "did you mean tolerance?"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], line: tuple[object, ...], said: str) -> None:
    assert said in refused(capsys, *line)


def test_an_answer_in_every_form() -> None:
    import symcook as sc

    found = sc.build("first-flawed").margin(2)
    assert repr(found).startswith("<Answer margin of first-flawed, with c = 1: n = 2, margin = 0.0761168847")
    assert "<td" in found._repr_html_()
    assert r"\pm" in found.latex()
