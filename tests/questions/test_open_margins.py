"""What few strings settle is asked of them; one string that stays open does not take the answer of the others away."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

import symcook as sc
from symcook.errors import Undecided


def majority() -> sc.Transformer:
    """The model of README: more a than b."""
    builder = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}, "c": {}})
    mean = builder.add(sc.head(value={"mean": "vote"}, mask="causal"))
    builder.readout("sign", "last", mean, weights=[1])
    return builder.build("majority")


def test_margins_that_classes_leave_open_are_those_of_all_strings() -> None:
    answer = majority().margin(5)
    for n in range(1, 6):
        votes = [word.count("a") - word.count("b") for word in itertools.product("abc", repeat=n)]
        row = answer.row(n)
        assert row["margin"] == min(abs(Fraction(vote, n)) for vote in votes) == 0
        assert row["accepted"] == min(Fraction(vote, n) for vote in votes if vote > 0)
        assert row["rejected"] == min(Fraction(-vote, n) for vote in votes if vote <= 0)
    assert "enclosed" not in answer.notes and "sides" not in answer.notes


def zero_in_balls() -> sc.Transformer:
    """Softmax heads whose outputs differ by nothing on strings that end with b, which balls cannot show: the logit is
    e^(1/3) x - e^(1/3) x by two ways of writing it."""
    space = ("a", "b", "one", "x", "y")
    words = {"a": {"a": 1, "one": 1}, "b": {"b": 1, "one": 1}}
    heads = [
        sc.Head(("a", "one"), (name,), Q=[[0, 1]], K=[[score, 0]], V=[[1, 0]], weighting="softmax")
        for name, score in (("x", "sqrt(2)"), ("y", "sqrt(8)/2"))
    ]
    readout = sc.Readout("sign", "last", ("x", "y", "a"), weights=[[1, -1, 1]])
    embedding = sc.Embedding(sc.Space(space), words=words)
    return sc.Transformer("zero in balls", embedding, (sc.Layer(sc.SelfAttention(tuple(heads))),), readout)


def test_one_open_string_leaves_the_others_their_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    from symcook.questions import margin

    monkeypatch.setattr(margin, "LIMIT_BITS", 256)
    answer = zero_in_balls().margin(inputs=["ab", "ba"])
    assert "the margin of ab was undecided" in answer.notes["undecided"]
    row = answer.row(2)
    margin_of_row: Any = row["margin"]
    middle, radius = Fraction(margin_of_row.mid), Fraction(margin_of_row.rad)
    assert row["word"] == "ba" and middle - radius <= 0 and middle + radius >= 1
    # A string whose logit is exactly 0, as of bb, has the smallest margin whatever that of the open one is.
    assert str(zero_in_balls().margin(inputs=["ab", "ba", "bb"]).row(2)["margin"]) == "0"
    with pytest.raises(Undecided):
        zero_in_balls().margin(inputs=["ab"])
