"""Which way a check takes: decided, merged, exhaustive, random, in this order; and what is proved, said beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

import symcook as sc
import symcook.decide
from symcook import Fold, build, claims
from symcook.__main__ import main
from symcook.decide.decision import Decision
from symcook.recipes import names, reference
from symcook.report.check import proved
from symcook.run import run
from symcook.spec.languages import dyck1, dyck_bounded
from symcook.verify import chunks, sweep
from symcook.verify.sweep import check


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few words are many."""
    monkeypatch.setattr(sweep, "AT_ONCE_FROM", 10)


def words(letters: str, longest: int) -> list[str]:
    return ["".join(word) for n in range(1, longest + 1) for word in product(letters, repeat=n)]


def test_each_is_taken_where_those_before_it_do_not_serve(soon: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def plain(word: str) -> bool:
        return dyck1(word)

    assert check(build("dyck-1-2"), reference("dyck-1-2"), 7).way == "decided"
    assert check(build("dyck-1"), dyck1, 7).way == "merged"  # decided too, which says no counts
    assert check(build("dyck-1"), plain, 7).way == "exhaustive"
    assert check(build("dyck-1"), dyck1, 7, workers=1).way == "exhaustive"  # divided: each word is run
    monkeypatch.setattr(chunks, "LIMIT", 10)
    assert check(build("dyck-1"), lambda word: not plain(word), 7).way == "random"


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("name", ["dyck-1-2", "dyck-k-d", "induction-most-recent"])
def test_what_is_decided_is_what_is_found_word_by_word(name: str, soon: None) -> None:
    model, right = build(name), reference(name)
    longest = 3 if name == "dyck-k-d" else 5  # of four symbols
    found = check(model, right, longest)
    each = check(model, right, longest, workers=1)
    own = {"method", "way"}
    assert {k: v for k, v in found.to_json().items() if k not in own} == {
        k: v for k, v in each.to_json().items() if k not in own
    }
    assert "for strings of every length" in found.method
    if model.decides:
        for n, strings, accepted in found.by_length:
            own_words = ["".join(word) for word in product(model.alphabet, repeat=n)]
            assert (strings, accepted) == (len(own_words), sum(run(model, word).accept is True for word in own_words))
        assert len(found.by_length) == longest


@pytest.mark.sweep
def test_differences_of_two_automata_are_all_counted(soon: None, monkeypatch: Any) -> None:
    model, shallow = build("dyck-1-2"), dyck_bounded("()", 1)
    monkeypatch.setattr(sweep.WordSweep, "merged", lambda *_: None)
    found = check(model, shallow, 9)
    assert found.way == "decided" and found.counterexample and found.first.input == "(())"
    wrong = [word for word in words("()", 9) if (run(model, word).accept is True) != shallow(word)]
    assert (found.strings, found.mismatches) == (2**10 - 2, len(wrong)) and not found.holds


@pytest.mark.parametrize("always", [True, False])
def test_what_is_decided_is_kept_where_the_empty_word_differs(always: bool, soon: None, monkeypatch: Any) -> None:
    """A model that accepts where no symbol is last, or an a, against a language that has all words, or none."""
    monkeypatch.setattr(sweep.WordSweep, "merged", lambda *_: None)
    embedding = sc.Embedding(
        sc.Space(("x", "h", "one")), {"a": {"x": 1}, "b": {"x": -1}, "$": {}}, positions={"one": 1}, after="$"
    )
    head = sc.Head(("x", "one"), ("h",), [[0, 1]], [[0, 0]], [[1, 0]], mask="strict-future", weighting="rightmost")
    readout = sc.Readout("sign", "last", ("h", "one"), [[1, "1/2"]])
    model = sc.Transformer("last", embedding, (sc.Layer(head),), readout)
    constant = Fold(0, lambda state, token: 0, lambda state: always)
    wrong = [word for word in words("ab", 8) if (model.run(word).accept is True) != always]
    found, empty = check(model, constant, 8), model.run("").accept is True
    assert found.way == "decided" and (found.strings, found.mismatches) == (2**9 - 2, len(wrong))
    assert found.counterexample is not None
    assert (found.empty_word, found.first.input) == (("agrees", wrong[0]) if empty is always else ("differs", ""))


def test_without_a_product_a_difference_is_found_at_its_smallest_word(soon: None, monkeypatch: Any) -> None:
    model, shallow = build("dyck-1-2"), dyck_bounded("()", 1)
    monkeypatch.setattr(sweep.WordSweep, "merged", lambda *_: None)
    monkeypatch.setattr(sweep.WordSweep, "differing", lambda *_: None)
    found = check(model, shallow, 9)
    assert found.way == "decided" and found.counterexample and found.first.input == "(())"
    first = next(k for k, word in enumerate(words("()", 9)) if (run(model, word).accept is True) != shallow(word))
    assert found.strings == first + 1 and found.mismatches == 1 and not found.holds
    late = check(build("dyck-1"), dyck_bounded("()", 4), 9)
    assert late.holds and late.way == "decided" and late.strings == 2**10 - 2
    assert late.method == "decided: the smallest string with different answers has length 10"
    monkeypatch.undo()


def test_ways_that_contradict_each_other_are_no_answer(soon: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symcook.decide, "decide", lambda model, fold: Decision("equal", model, "", why="planted"))
    with pytest.raises(AssertionError, match="one says that they agree, one does not"):
        check(build("dyck-1"), dyck_bounded("()", 2), 9)


def test_a_decision_that_stays_open_is_none(soon: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for verdict in ("open", "refused"):
        said = Decision(verdict, build("dyck-1-2"), "", why="planted")
        monkeypatch.setattr(symcook.decide, "decide", lambda model, fold, said=said: said)
        monkeypatch.setattr(sweep.WordSweep, "merged", lambda *_: None)
        assert check(build("dyck-1-2"), reference("dyck-1-2"), 7).way == "exhaustive"


def test_a_fold_of_the_wrong_answers_is_refused_as_ever(soon: None) -> None:
    from symcook.errors import BadInput

    with pytest.raises(BadInput, match="True or False"):
        check(build("dyck-1"), Fold(0, lambda state, token: 0, lambda state: "yes"), 7)


def test_states_that_are_not_hashable_are_refused_where_words_are_not_run_one_by_one(soon: None) -> None:
    from symcook.errors import BadInput

    listing = Fold([], lambda state, token: [*state, token], lambda state: dyck1("".join(state)))
    with pytest.raises(BadInput, match="hashable"):
        check(build("dyck-1"), listing, 7)
    assert check(build("dyck-1"), listing, 7, workers=1).holds


@pytest.mark.sweep
def test_what_is_proved_of_this_very_model_is_said(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    rows = claims.ledger

    def status(found: str, assuming: tuple[str, ...] = ()) -> None:
        def told(**given: Any) -> list[claims.Claim]:
            return [replace(row, status=found, assuming=assuming) for row in rows(**given)]

        monkeypatch.setattr(claims, "ledger", told)

    status("PROVED")
    assert main(["check", "dyck-1", "--max-length", "4"]) == 0
    line = "proved for strings of every length: accept <-> dyck(w, n) (cookbook.t3.dyck1, cookbook.s9.2.1.accept)"
    assert line in capsys.readouterr().out
    assert main(["check", "dyck-1", "--max-length", "4", "--json"]) == 0
    assert "cookbook.t3.dyck1" in json.loads(capsys.readouterr().out)["proved"]
    about = ("cookbook.t3.dyck1", "cookbook.t3.dyck12", "chiang2022.s5.2.threshold", "cookbook.s9.2.1.balance")
    said = {name: sorted(proved(model, about)) for name in names() if (model := build(name)).alphabet}
    assert {name: ids for name, ids in said.items() if ids} == {
        "dyck-1": ["cookbook.t3.dyck1"], "dyck-1-2": ["cookbook.t3.dyck12"]
    }  # fmt: skip
    for found, assuming in (("OPEN", ()), ("REFUTED", ()), ("PROVED", ("named.x",))):
        monkeypatch.undo()
        status(found, assuming)
        assert proved(build("dyck-1"), about) == {}
