"""What ends a question early loses no length that was finished."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asked import induction

import symcook as sc
from symcook.__main__ import main
from symcook.errors import BadInput, Undecided

QUESTIONS: dict[str, Callable[..., sc.Answer]] = {
    "margin, by prefixes": lambda longest, **how: sc.build("dyck-1").margin(longest, **how),
    "margin, by strings": lambda longest, **how: alike().margin(longest, **how),
    "temperature": lambda longest, **how: sc.build("first-flawed").temperature(longest, **how),
    "tolerance": lambda longest, **how: induction().tolerance("readout[unit]", longest, **how),
    "precision": lambda longest, **how: induction().precision(longest, **how),
    "entropy": lambda longest, **how: sc.build("first-flawed").entropy(longest, **how),
}


def alike() -> sc.Transformer:
    """No two words have the same answers: there is one at each position, its own symbol's."""
    space = sc.Space(("a", "weight"))
    embedding = sc.Embedding(space, {"a": {"a": 1}, "b": {"a": -1}}, positions={"weight": "2^i"})
    head = sc.Head(("a", "weight"), ("a",), [[0, 0]], [[0, 0]], [[0, 0]])
    return sc.Transformer("alike", embedding, (sc.Layer(head),), sc.Readout("sign", "each", ("a", "weight"), [[1, 1]]))


@pytest.mark.layer_one(0, 1, 5, 6, 7, 11, 12, 13)
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("how", [KeyboardInterrupt, Undecided("open"), BadInput("too many")], ids=str)
def test_what_was_finished_is_kept(name: str, how: Any) -> None:
    """It ends at length 2 of 4: what is kept is what is answered to length 2, with a note, and it is no answer to 4."""

    def progress(n: int, _last: int) -> None:
        if n == 2:
            raise how

    with pytest.raises(BaseException) as error:
        QUESTIONS[name](4, progress=progress)
    kept, short = error.value.found, QUESTIONS[name](2)  # type: ignore[attr-defined]
    assert kept.to_json()["rows"] == short.to_json()["rows"] != []
    notes = {key: note.removesuffix(" (the maximum length)") for key, note in short.notes.items()}
    assert dict(kept.notes) == {**notes, "ended": "lengths above 2 were not tested"}
    assert "ended" not in QUESTIONS[name](4).notes


def test_nothing_is_kept_where_nothing_was_finished() -> None:
    with pytest.raises(BadInput) as error:
        sc.build("dyck-1").margin(0)
    assert not hasattr(error.value, "found")


def test_the_command_prints_what_was_finished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From some length on there are too many words: the lengths before are answered, and it ends as it did."""
    monkeypatch.setattr("symcook.words.cells.MOST", 100)
    file = str(tmp_path / "alike.json")
    alike().save(file)
    assert main(["margin", file, "--max-length", "40"]) == 2
    out, err = capsys.readouterr()
    assert " 6 " in out and "ended: lengths above 6 were not tested" in out
    assert "at most 100" in err and "given: 128 at length 7" in err
    assert main(["margin", file, "--max-length", "40", "--json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert [row["n"] for row in said["rows"]] == [*range(1, 7)] and "above 6" in said["notes"]["ended"]
