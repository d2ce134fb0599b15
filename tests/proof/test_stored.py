"""Verdicts that are kept for a run count only for the files that they were made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from proof import stored

from symcook import claims

NAME = "lem.sum_one"


def test_a_kept_verdict_counts_with_its_hash_only() -> None:
    (made,) = stored.fitting({}, [NAME]).values()
    row = made.__dict__ | {"nodes": 77}
    kept = json.loads(json.dumps({NAME: row | {"rests": claims.row_digest(NAME)}}))
    assert stored.fitting(kept, [NAME])[NAME].__dict__ == row
    for rests in ("", claims.row_digest("lem.sum_mono"), "0" * 64):
        assert stored.fitting({NAME: row | {"rests": rests}}, [NAME])[NAME] == made
    assert made.status == "PROVED" and made.nodes != 77


def test_what_the_second_checker_printed_counts_for_its_files_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(stored.VARIABLE, str(tmp_path))
    expanded = tmp_path / "expanded.txt"
    expanded.write_text("[a]\n", encoding="utf-8")
    assert stored.second_lines(expanded) is None
    files = [stored.ROOT / "checker.py", expanded, *(stored.ROOT / "certificates").glob("*.json")]
    lines = [f"{one}  name\n" for one in stored.hashes(*files)]
    (tmp_path / stored.SECOND).write_text("kept\n", encoding="utf-8")
    (tmp_path / stored.FILES).write_text("".join(lines), encoding="utf-8")
    assert stored.second_lines(expanded) == ["kept"]
    (tmp_path / stored.FILES).write_text("".join(lines[1:]), encoding="utf-8")
    assert stored.second_lines(expanded) is None
    (tmp_path / stored.FILES).write_text("".join(lines), encoding="utf-8")
    expanded.write_text("[b]\n", encoding="utf-8")
    assert stored.second_lines(expanded) is None


def test_a_file_of_the_folder_is_made_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(stored.VARIABLE, str(tmp_path))
    made: list[str] = []

    def make() -> str:
        made.append("x")
        return "text"

    assert [stored.once("a", make), stored.once("a", make), made] == ["text", "text", ["x"]]
