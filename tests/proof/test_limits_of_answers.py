"""What limits an answer is said in Python and in JSON as on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared import document

import symcook as sc


@pytest.fixture(scope="module")
def votes() -> sc.Transformer:
    """More a than b."""
    builder = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    mean = builder.add(sc.head(value={"mean": "vote"}, mask="future"))
    builder.readout("sign", "last", mean, weights=[1])
    return builder.build("votes")


@pytest.mark.sweep
def test_positions_that_a_string_does_not_have(
    votes: sc.Transformer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence, limit = "at(a, 2) -> at(a, 3)", "the statement names positions that this string does not have"
    answer = votes.prove(sentence)
    assert answer.counterexample == "aa" and answer.limits == limit == answer.to_json()["limits"]
    assert "names positions that this string does not have" in repr(answer)  # which is one line, cut in its middle
    assert limit in answer.text() and limit in answer._repr_html_()
    votes.save(tmp_path / "m.json")
    assert document(capsys, "prove", tmp_path / "m.json", "--statement", sentence, code=1)["limits"] == limit
    # A string that has all positions of its statement has no limit.
    whole = votes.prove("3 <= n & at(a, 2) -> at(a, 3)")
    assert whole.counterexample == "aab" and whole.limits == "" and "limits" not in whole.to_json()


def test_what_is_true_for_want_of_cases(votes: sc.Transformer) -> None:
    answer = votes.prove("at(a, 1) & at(b, 1) -> accept")
    assert answer.status == "OPEN" and answer.vacuous and answer.to_json()["vacuous"] is True
    assert answer.words == "OPEN (vacuous)" and "no string meets its premises" in repr(answer)
    plain = votes.prove("accept <-> count(a) > count(b)")
    assert not plain.vacuous and "vacuous" not in plain.to_json()
