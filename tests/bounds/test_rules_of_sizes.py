"""What is said of a soft model beyond the lengths that were run: where sizes grow by no rule that is known, nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import symcook as sc
from symcook.bounds.hardsoft import hardsoft
from symcook.report.hardsoft import document as shown

NAMES = ("a", "b", "c", "m", "p")


def model(position: str, *weightings: str) -> sc.Transformer:
    """Heads that look a symbol up, and average, or choose, what stands beside it and its position's number."""
    heads = [sc.Head(NAMES[:3], (name,), [[1, 0, 0]], [[1, 0, 0]], [[0, 1, 1]], "future", weighting)
             for name, weighting in zip(("m", "p"), weightings, strict=False)]  # fmt: skip
    words: dict[str, Any] = {"x": {"a": 1}, "y": {"b": 1}}
    embedding = sc.Embedding(sc.Space(NAMES), words=words, positions={"c": position})
    readout = sc.Readout("value", "last", ("m",))
    return sc.Transformer("m", embedding, (sc.Layer(sc.SelfAttention(tuple(heads))),), readout)


@pytest.mark.parametrize(("position", "size"), [("i", "n"), ("3*i^2", "3*n^2"), ("4^i", None), ("i^5", None)])
@pytest.mark.parametrize("gap", [None, "1/2"])
@pytest.mark.sweep
def test_sizes_that_grow_by_no_rule(position: str, size: str | None, gap: str | None) -> None:
    """The greatest entry is 4^n or n^5, which no c n^k with k <= 3 holds: no expression is given, and the soft model
    takes no longer words. Where there is one, each length has at most it."""
    found = hardsoft(model(position, "average"), "1/10", gap, max_length=4)
    assert found.soft is not None and (found.x_max, found.h_max) == (size, (size,))
    document = found.to_json()
    assert (document["x_max"], document["h_max"]) == (size, [size])
    assert (found.soft.max_length is None) is (size is not None)
    said = repr(shown(found))
    assert f"x_max(n) = {size or 'none'}, h_max by layer: {size or 'none'}" in said
    temperature = str(found.soft.layers[0].attention.heads[0].temperature)  # type: ignore[union-attr]
    assert ("log(" in temperature) is (size is not None)


def test_how_ties_are_broken_is_said_with_its_sign() -> None:
    """The leftmost of tied scores stays the greatest where later ones get less, the rightmost where they get more."""
    found = hardsoft(model("0", "leftmost", "rightmost"), "1/10", max_length=3)
    for head, sign, weighting in zip(found.heads, "-+", ("leftmost", "rightmost"), strict=True):
        assert head.untied is not None and head.ties and head.word == "xx"
        start, end = head.untied.split(" (")[0], head.untied.split(")*i/n ")[1]
        assert (start, end) == (f"scores {sign}", f"in place of {weighting}")
        assert Fraction(head.untied.split("(")[1].split(")")[0]) > 0


def test_a_gap_that_is_claimed_and_is_not_there() -> None:
    """The first word whose scores differ is yx, by 1: a gap of 2 is refuted by it, and of 1 it is not. Then nothing
    else is said."""
    found = hardsoft(model("0", "average"), "1/10", "2", max_length=3)
    assert found.fails is not None and found.status == "REFUTED" and found.gamma == "2"
    assert (found.fails.n, found.fails.word, found.fails.head, found.fails.least) == (2, "yx", "layer 1 head 1", 1)
    assert (found.x_max, found.h_max, found.constants, found.rows, found.soft) == (None, (), {}, (), None)
    document = found.to_json()
    assert document["fails"] == {"n": 2, "word": "yx", "head": "layer 1 head 1", "gap": "1"}
    assert set(document) == {"heads", "gamma", "fails", "status"} and document["status"] == "REFUTED"
    assert "gamma = 2 is more than the gap 1 of layer 1 head 1 at the string yx, n = 2" in " ".join(
        repr(shown(found)).split()
    )
    good = hardsoft(model("0", "average"), "1/10", "1", max_length=3)
    assert good.fails is None and good.status == "CHECKED 3" and len(good.rows) == 3
