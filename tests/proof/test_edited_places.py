"""Positions of edits that are terms, as in ``swapped(p - 1, p).accept``; runs of the model are the truth."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache

import pytest

import symcook as sc

Test = Callable[[Callable[[str], bool], str, int], bool]


@cache
def majority(added: bool) -> sc.Transformer:
    """More a's than b's; with BOS at position 0 and EOS, or without added tokens."""
    words = {"a": {"vote": 1}, "b": {"vote": -1}} | ({"BOS": {}, "EOS": {}} if added else {})
    ends = {"before": "BOS", "after": "EOS", "start": 0} if added else {}
    b = sc.Builder(words=words, **ends)
    b.readout("sign", "last", b.add(sc.head(value={"mean": "vote"}, mask="causal")), weights=[1])
    return b.build("majority")


def put(w: str, k: int, s: str) -> str:
    """The string with s in the place of the symbol with the index k."""
    return w[:k] + s + w[k + 1 :]


def swap(w: str, k: int) -> str:
    """The string with the symbols with the indices k and k + 1 exchanged."""
    return w[:k] + w[k + 1] + w[k] + w[k + 2 :]


# In the tests, the symbol at position p has the index k.
CLAIMS: list[tuple[str, Test]] = [
    ("at(a, p - 1) & at(b, p) -> (accept <-> swapped(p - 1, p).accept)",
     lambda m, w, k: k < 1 or w[k - 1 : k + 1] != "ab" or m(w) == m(swap(w, k - 1))),
    ("accept <-> swapped(p, p+1).accept", lambda m, w, k: k > len(w) - 2 or m(w) == m(swap(w, k))),
    ("accept -> changed(p + 1, a).accept", lambda m, w, k: k > len(w) - 2 or not m(w) or m(put(w, k + 1, "a"))),
    ("accept -> changed(p - 1, b).accept", lambda m, w, k: k < 1 or not m(w) or m(put(w, k - 1, "b"))),
    ("at(b, p + 1) & accept -> deleted(p + 1).accept",
     lambda m, w, k: k > len(w) - 2 or w[k + 1] == "a" or not m(w) or m(w[: k + 1] + w[k + 2 :])),
    ("at(a, p) & prefix(p - 1).accept -> prefix(p).accept",
     lambda m, w, k: k < 1 or w[k] == "b" or not m(w[:k]) or m(w[: k + 1])),
    ("prefix(p - 1).accept -> prefix(p).accept", lambda m, w, k: k < 1 or not m(w[:k]) or m(w[: k + 1])),
    ("at(b, p - 2) -> (changed(p - 2, a).accept | ~accept)",
     lambda m, w, k: k < 2 or w[k - 2] == "a" or m(put(w, k - 2, "a")) or not m(w)),
]  # fmt: skip


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("added", [False, True], ids=["plain", "added"])
@pytest.mark.parametrize("sentence, test", CLAIMS, ids=[said for said, _ in CLAIMS])
@pytest.mark.layer_two(every=3)
def test_an_edit_at_a_term_is_answered_as_runs_have_it(sentence: str, test: Test, added: bool) -> None:
    model = majority(added)
    runs = cache(lambda word: bool(model.run(word).accept))
    strings = ["".join(w) for size in range(1, 6) for w in itertools.product("ab", repeat=size)]
    false = [(w, k) for w in strings for k in range(len(w)) if not test(runs, w, k)]
    answer = model.prove(sentence, seconds=20)
    assert answer.status == ("REFUTED" if false else "PROVED")
    if false:
        assert str(answer.counterexample) == false[0][0]


def test_two_ways_to_write_a_position_are_one() -> None:
    answer = majority(False).prove("changed(p-1, a).mean(n) = changed(p - 1, a).mean(n)")
    assert answer.status == "PROVED"
