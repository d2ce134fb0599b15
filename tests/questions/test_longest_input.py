"""Without a maximum length, a question over finitely many inputs goes to the longest of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared import document, refused

import symcook as sc


@pytest.mark.parametrize("name", ["margin", "temperature", "precision", "entropy"])
def test_the_longest_input_is_the_maximum_length(name: str) -> None:
    model = sc.build("first")
    ask = getattr(model, name)
    answer = ask(inputs=["1", "011"])
    assert answer.parameters["max_length"] == 3 and [row["n"] for row in answer.rows][-1] == 3
    assert answer.to_json() == ask(3, inputs=iter(["1", "011"])).to_json() == ask(inputs=iter(["1", "011"])).to_json()
    for without in ({}, {"inputs": "1*"}):
        with pytest.raises(sc.errors.BadInput, match="maximum length must be given"):
            ask(**without)


def test_a_file_of_strings_needs_no_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "short").write_text("1\n0110\n")
    found = document(capsys, "margin", "parity", "--inputs", tmp_path / "short")
    assert [row["n"] for row in found["rows"]] == [1, 4]
    assert "give --max-length 8" in refused(capsys, "margin", "parity")


def test_hardsoft_takes_no_input_away() -> None:
    model = sc.build("induction-most-recent")
    assert model.hardsoft("1/4", inputs=["ABAB" * 2]).status == "CHECKED 8"
    assert model.hardsoft("1/4", max_length=1).status == "CHECKED 1"
