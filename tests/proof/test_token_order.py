"""Models that differ in the order of their tokens alone share a hash: no certificate passes for the other by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import symcook as sc
from symcook.__main__ import main
from symcook.model import modelfile

SENTENCES = {
    "accept <-> count(a) > count(b)": "OPEN",  # its numbers of tokens are others now
    "1 <= n": "OPEN",
    "at(a,1) -> 0 < x(1)": "OPEN",
}


def votes(words: dict[str, dict[str, Any]]) -> sc.Transformer:
    b = sc.Builder(words=words)
    b.readout("sign", "last", b.attention("mean", reads="x"), weights=[1])
    return b.build("votes")


def turned(path: Path) -> None:
    """The model with its tokens in the other order, as a program that sorts keys may write it."""
    document = json.loads(path.read_text())
    document["embedding"]["words"] = dict(reversed(document["embedding"]["words"].items()))
    path.write_text(json.dumps(document))


def answer(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    code = main(["prove", "votes.json", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code == (3 if found["status"] == "OPEN" else 0)
    return found


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_claim_is_checked_for_the_order_as_it_is(
    sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = votes({"a": {"x": 1}, "b": {"x": -1}}).save("votes.json")
    before = modelfile.load(path)
    assert main(["prove", "votes.json", "--statement", sentence]) == 0
    assert answer(capsys)["status"] == "PROVED"
    turned(path)
    after = modelfile.load(path)
    assert before.alphabet == ("a", "b") and after.alphabet == ("b", "a")
    assert modelfile.model_hash(before) == modelfile.model_hash(after)
    found = answer(capsys)
    assert found["status"] == SENTENCES[sentence] and "belongs to another model" in found["reason"]
    assert main(["prove", "votes.json", "--statement", sentence, "--force"]) == 0  # it is true of this one too
    assert answer(capsys)["status"] == "PROVED"


def test_a_statement_that_names_no_token_is_the_same_and_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = votes({"a": {"x": 1}, "b": {"x": 1}}).save("votes.json")
    assert main(["prove", "votes.json", "--statement", "1 <= n"]) == 0
    turned(path)
    assert answer(capsys)["status"] == "PROVED"


def test_weights_name_their_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = votes({"a": {"x": 1}, "b": {"x": -1}}).save("votes.json")
    for name in ("one", "other"):
        assert main(["export", "votes.json", "-o", f"{name}.npz", "--max-length", "3"]) == 0
        assert main(["verify-export", f"{name}.npz"]) == 0
        model = sc.from_npz(f"{name}.npz")
        assert [model(word).accept for word in ("a", "b", "aab", "abb")] == [True, False, True, False]
        turned(path)
