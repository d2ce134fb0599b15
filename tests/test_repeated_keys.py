"""A JSON object that repeats a key: readers would drop one of its values, so each file of a user refuses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shared import refused

import symcook as sc
from symcook.files import parsed
from symcook.recipes.models import _table

MACHINE = """{"machine": "x", "input": "a", "start": "q", "start": "r", "halt": "h", "rows": []}"""


def test_every_reader_of_json_refuses_a_repeated_key() -> None:
    assert parsed('{"a": {"b": 1}, "b": {"b": 1}}', "must", "file") == {"a": {"b": 1}, "b": {"b": 1}}
    for text in ('{"a": 1, "a": 1}', '[{"b": {"a": 1, "\\u0061": 2}}]'):
        with pytest.raises(sc.BadInput, match="the key a is there twice"):
            parsed(text, "must", "file")


def test_a_machine_with_two_starts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(MACHINE)
    assert "the key start is there twice" in refused(
        capsys, "compile", "tm", str(tmp_path / "m.json"), "-o", str(tmp_path / "o.json")
    )


def test_an_index_of_a_table_that_is_there_twice(tmp_path: Path) -> None:
    """Also under two spellings."""
    for text in ('{"1": 2, "1": 3}', '{"1": 2, "01": 3}', '{"1, 2": 2, "1,2": 3}'):
        (tmp_path / "table.json").write_text(text)
        with pytest.raises(sc.BadInput, match=r"is there twice|must have each index once"):
            _table(str(tmp_path / "table.json"))
    (tmp_path / "table.json").write_text(json.dumps({"1": 2, "2": 3}))
    assert _table(str(tmp_path / "table.json")) == {(1,): 2, (2,): 3}
