"""Checks by hulls over prefixes beside the same checks string by string."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import symcook as sc
from symcook.domains.batch import Listed
from symcook.domains.radii import Radii
from symcook.errors import BadInput, NotExact
from symcook.forward import forward
from symcook.model import transformer
from symcook.published.pretrained import ImportChoices, read_weights
from symcook.verify import hulled
from symcook.words import pathhulls
from symcook.words.pathhulls import PrefixGraph, run_hulls

BRACKETS = Path(__file__).parents[2] / "examples" / "brackets"
SETTINGS = {"symbols": "()", "labels": ["yes", "no"], "readout": "leads", "label": "yes", "position": "last"}


def depth_after(depth: int, symbol: str) -> int:
    """The depth after a symbol; -1 where a bracket was closed too early."""
    return -1 if depth < 0 else depth + 1 if symbol == "(" else depth - 1


BALANCED = sc.Fold(0, depth_after, lambda depth: depth == 0)


@pytest.fixture(scope="module")
def brackets() -> Any:
    """The trained GPT-2 of the examples."""
    return sc.from_pretrained(BRACKETS, **SETTINGS)


def coarse_classes(model: Any, length: int) -> PrefixGraph:
    """The prefixes grouped by their depth, cut at 2, so that classes have many strings."""
    return PrefixGraph(model, 0, lambda depth, token: min(2, max(-2, depth + (1, -1)[token])), length)


def imported(kind: str) -> Any:
    """A small random model with two symbols, of an architecture in `heads.json`; or that of the examples."""
    if kind == "brackets":
        return sc.from_pretrained(BRACKETS, **SETTINGS)
    stored = json.loads((BRACKETS.parents[1] / "tests" / "published" / "heads.json").read_text())["models"][kind]
    choices = ImportChoices(vocabulary=[*"abc"], symbols=["a", "b"], readout="leads", label="a", position="last")
    return read_weights(stored["weights"], stored["settings"], choices).model


@pytest.mark.parametrize(
    ("kind", "length"),
    [
        ("brackets", 4),
        pytest.param("brackets", 9, marks=pytest.mark.sweep),
        pytest.param("qwen3", 5, marks=pytest.mark.sweep),
        pytest.param("llama", 5, marks=pytest.mark.sweep),
    ],
)
def test_hull_of_a_class_contains_the_output_of_each_of_its_strings(
    kind: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformer, "MANY", 1)  # small models too run with products of matrices
    model = imported(kind)
    graph = coarse_classes(model, length)
    hulls = run_hulls(model, graph)
    everywhere = replace(model, readout=replace(model.readout, position="each"))
    strings = tuple(product(model.alphabet, repeat=length))
    system: Any = Radii()
    exact = forward(everywhere, Listed(strings), system)
    assert set(hulls.scores) == set(exact.scores)
    assert any((hull.rad[-1] > 1e-6).any() and (hull.rad[1] < 1e6).all() for hull in hulls.scores.values())
    numbers = [{(p.state, p.token): k for k, p in enumerate(level)} for level in graph.levels]
    for which, string in enumerate(strings):
        depth = 0
        for place, symbol in enumerate(string):
            token = model.alphabet.index(symbol)
            depth = min(2, max(-2, depth + (1, -1)[token]))
            number = numbers[place][depth, token]
            for name, hull in hulls.scores.items():
                value: Any = exact.scores[name]
                apart = abs(value.mid[place, which] - hull.mid[place, number])
                assert apart <= hull.rad[place, number] + value.rad[place, which]


def test_a_class_of_one_string_is_as_narrow_as_a_run_of_it(brackets: Any) -> None:
    graph = PrefixGraph(brackets, (), lambda prefix, token: (*prefix, token), 3)
    hulls = run_hulls(brackets, graph)
    scores: Any = list(hulls.scores.values())
    assert max(column.rad[2, : len(graph.levels[2])].max() for column in scores) < 1e-9


def test_number_of_strings_and_smallest_string_of_classes(brackets: Any) -> None:
    graph = coarse_classes(brackets, 6)
    assert [sum(prefixes.strings for prefixes in level) for level in graph.levels] == [2, 4, 8, 16, 32, 64]
    strings = list(product(brackets.alphabet, repeat=6))
    assert min(prefixes.smallest for prefixes in graph.levels[-1]) == strings[0]
    assert graph.levels[-1][0].smallest == strings[0]


def test_check_by_hulls_finds_what_the_check_string_by_string_finds(
    brackets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hulled, "FROM", 1)
    grouped = brackets.check(BALANCED, 6, domain="ball")
    assert (grouped.way, grouped.right_to, grouped.strings, grouped.open) == ("merged", 5, 126, 0)
    monkeypatch.setattr(hulled, "FROM", 1000)
    single = brackets.check(BALANCED, 6, domain="ball")
    assert (single.way, single.right_to, single.strings) == ("exhaustive", None, 126)
    assert (grouped.mismatches, grouped.first) == (single.mismatches, single.first)


@pytest.mark.parametrize("inputs", [None, "(a|b)*"])
def test_a_model_that_is_wrong_on_the_empty_string_is_right_to_no_length(
    inputs: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformer, "MANY", 1)
    monkeypatch.setattr(hulled, "FROM", 1)
    stored = json.loads((BRACKETS.parents[1] / "tests" / "published" / "heads.json").read_text())["models"]["bloom"]
    choices = ImportChoices(
        vocabulary=[*"abc"], symbols=["a", "b"], before="c", readout="leads", label="a", position="last"
    )
    model = read_weights(stored["weights"], stored["settings"], choices).model
    wrong = not model.run("", "ball").accept
    others = sc.Fold(True, lambda state, symbol: False, lambda empty: wrong if empty else None)
    answer = model.check(others, 3, inputs=inputs, domain="ball")
    assert (answer.way, answer.counterexample, answer.empty_word) == ("merged", "", "differs")
    assert answer.right_to == 0 and "right on every string" not in answer.text()


def test_strings_that_are_left_are_open(brackets: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the 126 strings 14 are few enough to be run one by one; the others must not count as right."""
    for name, value in (("FROM", 1), ("LISTED", 1), ("MOST_STRINGS", 20)):
        monkeypatch.setattr(hulled, name, value)
    answer = brackets.check(BALANCED, 6, inputs=r"(\(|\))*", domain="ball")
    assert answer.holds is None and answer.right_to < 6 and answer.open
    assert "is open: the logit differs from 0 by" in answer.why
    assert "hulls stop: the class of" in answer.text()
    # A check of all strings runs each of them, as without hulls.
    assert brackets.check(BALANCED, 6, domain="ball").counterexample == "(((())"


def test_check_by_hulls_on_a_language(brackets: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hulled, "FROM", 1)
    answer = brackets.check(BALANCED, 16, inputs=r"(\(\))*", domain="ball")
    assert (answer.right_to, answer.counterexample, answer.mismatches) == (6, "()()()()", 2)
    assert answer.to_json()["right_to"] == 6
    assert "right on every string of the inputs of length 1 to 6" in answer.text()
    assert "right on every string of length 1 to 5\n" in brackets.check(BALANCED, 6, domain="ball").text()


def test_many_strings_are_decided_at_once(brackets: Any) -> None:
    """A specification that allows any answer after the first closing bracket."""
    first = sc.Fold(0, lambda state, symbol: 1 if state or symbol == ")" else 0, lambda state: None if state else False)
    answer = brackets.check(first, 16, domain="ball")
    assert answer.holds and answer.right_to == 16 and answer.strings == 2**17 - 2
    assert answer.free == 2**17 - 2 - 16


def test_too_many_classes_and_models_that_look_ahead_are_refused(
    brackets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pathhulls, "MOST_CLASSES", 5)
    with pytest.raises(NotExact, match="at most 5 classes"):
        coarse_classes(brackets, 6)
    monkeypatch.undo()
    with pytest.raises(NotExact, match="dense causal model"):
        run_hulls(sc.build("dyck-1"), coarse_classes(sc.build("dyck-1"), 3))
    monkeypatch.setattr(pathhulls, "MOST_WORK", 5)
    with pytest.raises(NotExact, match="sums over paths"):
        run_hulls(brackets, coarse_classes(brackets, 6))


def test_a_fold_that_fails_is_asked_string_by_string(brackets: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hulled, "FROM", 1)
    failing = sc.Fold(0, lambda state, symbol: 1 // (3 - state), lambda state: True)
    with pytest.raises(BadInput, match=r"must answer every input"):
        brackets.check(sc.Fold(0, lambda state, symbol: 1 // (1 - state), lambda state: True), 3, domain="ball")
    assert brackets.check(failing, 1, domain="ball").strings == 2


def everywhere(model: Any, position: str) -> Any:
    """The model with a readout at each position, or at all of them."""
    return replace(model, readout=replace(model.readout, position=position))


def one_by_one(model: Any, fold: sc.Fold, length: int, inside: Any) -> tuple[int, str | None]:
    """How many strings of `inside` a model is wrong on, and the first of them, from a run of each string in balls."""
    wrong = []
    for n in range(1, length + 1):
        for string in map("".join, product(model.alphabet, repeat=n)):
            state, wanted = fold.start, []
            for symbol in string:
                state = fold.step(state, symbol)
                wanted.append(fold.answer(state))
            found = model.run(string, "ball").result.answers
            kind = bool if model.decides else model.readout.label
            if inside(string) and any(
                w is not None and kind(a) != w for a, w in zip(found, wanted[-len(found) :], strict=True)
            ):
                wrong.append(string)
    return len(wrong), wrong[0] if wrong else None


ALWAYS = sc.Fold(0, depth_after, lambda depth: None if depth < 0 else depth > 0 and depth != 3, each=True)
OPENING = sc.Fold(True, lambda good, symbol: good and symbol == "(", lambda good: not good)


@pytest.mark.parametrize(
    ("position", "fold", "inputs", "length"),
    [
        ("each", ALWAYS, None, 3),
        pytest.param("each", ALWAYS, None, 5, marks=pytest.mark.sweep),
        pytest.param("each", ALWAYS, r"\((\(|\))*", 5, marks=pytest.mark.sweep),
        pytest.param("each", sc.Fold(0, lambda s, x: 0, lambda s: True, each=True), None, 5, marks=pytest.mark.sweep),
        ("all", OPENING, None, 3),
        pytest.param("all", BALANCED, r"(\(|\))*\)", 5, marks=pytest.mark.sweep),
    ],
)
def test_answers_at_each_and_at_all_positions_are_those_of_each_string(
    brackets: Any, position: str, fold: sc.Fold, inputs: str | None, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hulled, "FROM", 1)
    model = everywhere(brackets, position)
    inside = {None: lambda s: True, r"\((\(|\))*": lambda s: s[0] == "("}.get(inputs, lambda s: s[-1] == ")")
    answer = model.check(fold, length, inputs=inputs, domain="ball")
    assert answer.way == "merged" and answer.open == 0
    assert (answer.mismatches, answer.counterexample) == one_by_one(model, fold, length, inside)
    shortest = len(answer.counterexample) if answer.counterexample else length + 1
    assert answer.right_to in {shortest - 1, 0}


@pytest.mark.sweep
@pytest.mark.parametrize("readout", ["leads", "positive"])
def test_a_model_with_a_token_before_the_string(readout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a readout at all positions that of the token before the string counts too; of several labels each."""
    monkeypatch.setattr(transformer, "MANY", 1)
    monkeypatch.setattr(hulled, "FROM", 1)
    stored = json.loads((BRACKETS.parents[1] / "tests" / "published" / "heads.json").read_text())["models"]["bloom"]
    label = {"label": "a"} if readout == "leads" else {}
    choices = ImportChoices(
        vocabulary=[*"abc"], symbols=["a", "b"], before="c", readout=readout, position="last", **label
    )
    model = read_weights(stored["weights"], stored["settings"], choices).model
    if readout == "leads":
        model = everywhere(model, "all")
        wanted: Any = True
    else:
        first = model.run("ab", "ball").result
        wanted = first.label(-1)
    constant = sc.Fold(2, lambda state, symbol: state % 2, lambda state: None if state == 2 else wanted)
    answer = model.check(constant, 4, domain="ball")
    assert answer.way == "merged" and answer.open == 0
    assert (answer.mismatches, answer.counterexample) == one_by_one(model, constant, 4, lambda s: True)


def test_a_length_up_to_which_a_model_is_right_is_one_of_the_inputs(
    brackets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The language of inputs is named, since the strings outside it are not compared."""
    monkeypatch.setattr(hulled, "FROM", 1)
    opened = sc.Fold(0, depth_after, lambda depth: depth == 0 if depth < 3 else True)
    answer = brackets.check(opened, 4, inputs=r"(\(|\))*\(", domain="ball")
    assert answer.holds is False
    assert f"right on every string of the inputs of length 1 to {answer.right_to}" in answer.text()
