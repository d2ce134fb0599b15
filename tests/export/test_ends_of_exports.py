"""Where exports end: what the runs of a decoder may cost, and models whose inputs are not alike."""

from __future__ import annotations

from pathlib import Path

import automata_examples
import pytest
from shared import call

import symcook as sc
from symcook.errors import BadInput
from symcook.export import decoding as module
from symcook.export.archive import arrays
from symcook.export.decoding import COLUMN, decoding
from symcook.export.diff import diff
from symcook.export.guarantee import weights

ODD = next(one for one in automata_examples.FILES if one.stem == "odd-ones")


def test_decoding_ends_where_the_runs_of_a_length_would_cost_too_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column costs its products with both orders and 250 beside them; a run has its letters' first column and one
    for each answer. What is just enough for a length serves it."""
    assert call(capsys, "compile", "dfa", ODD, "-o", tmp_path / "m.json")[0] == 0
    model = sc.load(tmp_path / "m.json")
    m = arrays(model, "float32", 8)
    column = 2 * (weights(model) + COLUMN)
    first, second = column * (1 + 2), column * 2 * (1 + 3)  # a state for each letter and one before, then the verdict
    for most, to in (
        (0, 0),
        (first + column, 0),
        (first + 3 * column, 0),
        (first + second - 1, 0),
        (first + second, 1),
    ):
        monkeypatch.setattr(module, "MOST_PRODUCTS", most)
        found = decoding(model, m, "float32", 3, 9)
        assert found is not None and found["words_to"] == to, most
        assert f"the runs of {2 ** (to + 1)} words of length {to + 1} would have too many" in found["why"]
    monkeypatch.setattr(module, "MOST_PRODUCTS", 10**9)
    found = decoding(model, m, "float32", 1, 9)
    assert found is not None and (found["words_to"], found["why"]) == (1, "this is the greatest length asked for")


def made(before: str | None = None) -> sc.Transformer:
    words = {"a": {"v": 1}, "b": {"v": -1}} | ({before: {}} if before else {})
    b = sc.Builder(words=words, before=before) if before else sc.Builder(words=words)
    b.readout("sign", "last", ("v",), weights=[1])
    return b.build("made")


def test_models_that_read_a_word_at_different_lengths_part_there() -> None:
    """One puts a token in front: that is what the structure says, and the first input has another length."""
    found = diff(made(), made("$"), 1)
    assert found.first is not None and not found.same
    assert {key: found.first[key] for key in ("layer", "part", "position", "coordinate", "first", "second")} == {
        "layer": 0, "part": "length", "position": None, "coordinate": None, "first": "1", "second": "2",
    }  # fmt: skip
    assert found.inputs == 2 and found.different == 2 and found.max_length == 1
    assert any("the token before every input is none and $" in line for line in found.structure)


def test_lengths_that_are_compared() -> None:
    assert diff(made(), made()).max_length == 6 and diff(made(), made(), 1).same
    for length in (0, 65):
        with pytest.raises(BadInput, match="from 1 to 64"):
            diff(made(), made(), length)
