"""What a readout and an embedding answer, so that nobody else asks of which kind they are."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from checkout import ROOT

import symcook as sc
from symcook.domains import make_domain
from symcook.forward import forward

WEIGHTS: dict[str, Any] = {"sign": [[1, -1]], "largest": [[1, 0], [0, 1], [1, 1]], "distribution": [[1, 0], [0, 1]]}
LABELS = {"largest": ("p", "q", "r"), "distribution": ("p", "q")}
ASKS = re.compile(r"\breadout\.(?:kind|position)\b(?![\"'])|\bembedding\.(?:before|after)\b")


def readout(kind: str, position: str) -> sc.Readout:
    return sc.Readout(kind, position, ("a", "b"), WEIGHTS.get(kind), LABELS.get(kind, ()))


def test_where_it_looks_and_answers() -> None:
    """Of four positions: the first, the last, each, and all of which one answer comes."""
    looks = {"first": [0], "last": [3], "each": [0, 1, 2, 3], "all": [0, 1, 2, 3]}
    answers = looks | {"all": [3]}
    for position in looks:
        one = readout("zero", position)
        assert list(one.places(4)) == looks[position] and list(one.answered(4)) == answers[position]
        assert (one.each, one.everywhere) == (position == "each", position in ("each", "all"))
        assert range(4)[one.shown] == (0 if position == "first" else 3)
        assert (one.first, one.last, one.together) == tuple(position == word for word in ("first", "last", "all"))
        assert one.at("low", "high") == {"first": "low", "last": "high"}.get(position)
        assert one.continues is (position in ("last", "each"))
        assert one.mirrored().places(4) == range(4)[::-1][one.shown :][:1] or one.everywhere
        assert not one.places(0) and not one.answered(0)
        if one.everywhere:
            with pytest.raises(RuntimeError, match="one position"):
                _ = one.place
        else:
            assert one.place == one.shown
        assert one.mirrored().mirrored() == one


def test_what_it_gives() -> None:
    kinds = ("value", "sign", "zero", "largest", "distribution")
    found = {k: readout(k, "last") for k in kinds}
    assert [k for k in kinds if found[k].decides] == ["sign", "zero"]
    assert [k for k in kinds if found[k].answers] == ["sign", "zero", "largest"]
    assert [k for k in kinds if found[k].labelled] == ["largest"] and [k for k in kinds if found[k].signed] == ["sign"]


def test_one_verdict_of_many() -> None:
    domain = make_domain("exact")
    for verdicts in ([True, True, False], [False, True, True], [True, True, True], [True, None, True], [None, False]):
        assert readout("zero", "all").verdict(domain, verdicts) is (
            None if all(v is not False for v in verdicts) and None in verdicts else all(verdicts)
        )
        assert readout("zero", "first").verdict(domain, verdicts) is verdicts[0]
        assert readout("zero", "last").verdict(domain, verdicts) is verdicts[-1]


def test_distances() -> None:
    """By hand: |logit|, the greatest coordinate unless all are zero, the two greatest scores."""
    values = [Fraction(-3), Fraction(2)]
    assert readout("sign", "last").distance(values[:1], max) == 3
    assert readout("sign", "last").distance([Fraction(0)], max) == 0
    assert readout("zero", "last").distance(values, max) == 3
    assert readout("zero", "last").distance([Fraction(0)] * 2, max) is None
    assert readout("largest", "last").distance([*values, Fraction(5)], max, lambda x: x) == 3
    assert readout("largest", "last").distance(values[:1], max, lambda x: x) is None


@pytest.mark.parametrize("kind", ["value", "sign", "zero", "largest"])
def test_a_result_has_the_answers_of_its_columns(kind: str) -> None:
    """Whether a pass kept one position or all: what is read there is what stands at that position of a trace."""
    words = {"x": {"a": 1}, "y": {"b": 2}}
    embedding = sc.Embedding(sc.Space(("a", "b")), words=words, positions={"b": "i"})
    for position in ("first", "last", "each", "all") if kind in ("sign", "zero") else ("first", "last", "each"):
        model = sc.Transformer("ends", embedding, (), readout(kind, position))
        for domain in ("exact", "ball", "float64", "mpmath"):
            kept, whole = (forward(model, tuple("xyy"), make_domain(domain), trace=t) for t in (False, True))
            assert kept.answers == whole.answers and len(kept.places) == len(model.readout.places(3))
            for place, at in zip(kept.places, model.readout.places(3), strict=True):
                assert [c[place] for c in kept.watched.values()] == [c[at] for c in whole.watched.values()]
            assert len(kept.answered) == (3 if position == "each" else 1)


def test_tokens_that_are_added() -> None:
    words: dict[str, Any] = {"x": {"a": 1}, "^": {}, "$": {}}
    for before in (None, "^"):
        for after in (None, "$"):
            embedding = sc.Embedding(sc.Space(("a",)), words=words, before=before, after=after)
            assert embedding.ends == ((before,) if before else (), (after,) if after else ())
            whole = embedding.surround(["x", None])
            assert list(whole) == [*filter(None, [before]), "x", None, *filter(None, [after])]
            assert list(embedding.typed(whole)) == ["x", None] and embedding.added == len(whole) - 2


def test_few_ask_of_which_kind_they_are() -> None:
    found = {
        str(path.relative_to(ROOT / "symcook"))
        for path in sorted((ROOT / "symcook").rglob("*.py"))
        if any(ASKS.search(line) and "m['readout" not in line for line in path.read_text().splitlines())
    }
    assert found == {
        # they write it
        "model/modelfile.py", "export/archive.py", "report/model.py", "report/page/describe.py", "decode.py",
        "proof/bridges/bridge.py", "report/construction.py",  # of a family's, which is a text
    }  # fmt: skip
