"""An index may not be bound twice in one place: the reader that theorems rest on takes it, so `Family` refuses it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from symcook.errors import BadInput
from symcook.model.family import Family
from symcook.model.plainfamily import PlainFamily

C = "all c in 1..S. "
KINDS: dict[str, Any] = {
    "symcook family": 1, "name": "kinds", "sizes": {"S": "1 <= S"},
    "tables": {f"{C}all d in 1..S. t(c, d)": {"values": "Int", "where": [f"{C}all d in 1..S. 0 <= t(c, d)"]}},
    "space": [f"{C}is(c)", f"{C}all d in 1..S. pair(c, d)", "load"],
    "embedding": {"vocabulary": "S + 1", "words": {f"{C}is(c)": "I[w = c]", "load": "sum(c, 1, S, t(c, c)*I[w = c])"}},
    "layers": [
        {"for": "r in 1..S", "layers": [{"attention": [{
            "for": "h in 1..S", "score": "0", "mask": "future", "weighting": "average",
            "writes": {f"{C}all d in 1..S. pair(c, d)": "I[h = r]*is(c)"},
        }]}]},
    ],
    "readout": {"kind": "sign", "position": "last", "score": "load"},
}  # fmt: skip
CHANGES = [
    ("t(c, d)", "t(c, c)"), ("0 <= t(c, d)", "(all c in 1..S. 0 <= t(c, d))"), ("pair(c, d)", "pair(c, c)"),
    ("sum(c, 1, S, t(c, c)*I[w = c])", "sum(c, 1, S, sum(c, 1, S, t(c, c)*I[w = c]))"), ("h in 1..S", "r in 1..S"),
    ("r in 1..S", "h in 1..S"), ("I[h = r]*is(c)", "sum(c, 1, S, I[h = r]*is(c))"),
    ("I[h = r]*is(c)", "sum(h, 1, S, I[h = r]*is(c))"), ("I[h = r]*is(c)", "I[ex c in 1..S. c = r]*is(c)"),
]  # fmt: skip


def changed(part: Any, old: str, new: str) -> Any:
    """A document with one text in place of another; where indices become one, so do those of the ranges."""
    if isinstance(part, dict):
        return {changed(key, old, new): changed(value, old, new) for key, value in part.items()}
    if isinstance(part, list):
        return [changed(value, old, new) for value in part]
    text = part.replace(old, new) if isinstance(part, str) else part
    return text.replace("all d in", "all c in") if text != part and "(c, c)" in new and "all d" in text else text


def test_the_family_itself_is_one() -> None:
    assert Family(deepcopy(KINDS)).space.keys() == {"is", "pair", "load"}


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_an_index_that_is_bound_twice_is_refused(old: str, new: str) -> None:
    document = changed(deepcopy(KINDS), old, new)
    assert document != KINDS
    with pytest.raises(BadInput, match=r"an index must have a new name|must sum over an index of its own"):
        Family(document)


def test_the_reader_below_takes_it() -> None:
    plain = {key: value for key, value in changed(deepcopy(KINDS), "pair(c, d)", "pair(c, c)").items()}
    assert [index.name for index in PlainFamily(plain).space["pair"]] == ["c", "c"]
