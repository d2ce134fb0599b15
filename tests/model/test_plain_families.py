"""What reaches the trusted reader of families without being refused before: it makes no falsehood.

Either the reader refuses it, or the checker does where it reads the statement, or its equations leave values open.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from proof import family_cases
from proof.family_cases import FAMILIES

from symcook.errors import BadInput, Rejected
from symcook.model.family import Family
from symcook.model.plainfamily import PlainFamily
from symcook.proof.familyrel import FamilyRelation
from symcook.proof.replay import Statement
from symcook.report.trust import first_checker

INDUCTION: dict[str, Any] = json.loads((FAMILIES / "induction-most-recent.json").read_text())
DYCK: dict[str, Any] = json.loads((FAMILIES / "dyck-k-d.json").read_text())
MAX: dict[str, Any] = json.loads((FAMILIES / "max.json").read_text())


def changed(document: dict[str, Any], value: Any, *path: Any) -> dict[str, Any]:
    made = copy.deepcopy(document)
    at = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return made


def read(document: dict[str, Any], choices: dict[str, str] | None = None) -> None:
    """Read a statement about the family as a checker does."""
    family = PlainFamily(document, choices)
    made = FamilyRelation(family)
    front = ["n:Int", "w:Int->Int"] if not family.pointwise else []
    word = "" if family.vocabulary is None else f"{made.word()} -> "
    text = f"all {', '.join([*front, *made.names])}. {made.premises()} -> {word}({made.run()}) -> 0 = 0"
    assert Statement("lem.plain", text).formula


HEAD = ("layers", 0, "attention", 0)
MEANT_TWICE = [
    changed(INDUCTION, {f"all {c} in 1..S. before({c})": f"is({c})"}, *HEAD, "writes") for c in "inwj"
] + [
    changed(INDUCTION, {"all c in 1..S. before(c)": "sum(n, 1, S, is(n))"}, *HEAD, "writes"),
    changed(INDUCTION, [*INDUCTION["space"], "S"], "space"),
    changed(changed(DYCK, [*DYCK["space"], "n"], "space"), {"n": "1"}, "embedding", "positions"),
    changed(DYCK, "i in 1..D", "layers", 0, "for"),
    changed(DYCK, "token in 1..D", "layers", 0, "for"),
    changed(DYCK, {"K": "1 <= K", "D": "1 <= D", "n": "1 <= n"}, "sizes"),
    changed(MAX, "x in 2..K", "layers", 1, "for"),
]  # fmt: skip
NOT_AT_ALL_SIZES = [
    changed(DYCK, {"K": "1 <= K & active = 1", "D": "1 <= D"}, "sizes"),
    changed(DYCK, {"K": "1 <= K & (all c in 1..K. token(c) = 1)", "D": "1 <= D"}, "sizes"),
    changed(DYCK, "K + (K - 2)*token", "embedding", "vocabulary"),
    changed(DYCK, "8 + (K - 2)*token", "longest"),
    changed(DYCK, "1 + (K - 2)*i", "layers", 0, "layers", 0, "attention", 0, "scale"),
    changed(DYCK, {"left": "(K - 2)*token*active"}, "layers", 0, "layers", 0, "attention", 0, "writes"),
    changed(DYCK, {"left": "i*token"}, "layers", 0, "layers", 0, "attention", 0, "writes"),
    changed(DYCK, {"left": "I[token = 1]*token"}, "layers", 0, "layers", 0, "attention", 0, "writes"),
    changed(DYCK, {"active": "relu(relu(active))"}, "layers", 0, "layers", 1, "feedforward"),
    changed(DYCK, {"active": "active"}, "layers", 0, "layers", 1, "feedforward"),
    changed(DYCK, {"active": "relu(active)*relu(token)"}, "layers", 0, "layers", 1, "feedforward"),
    changed(DYCK, {"share": "token"}, "embedding", "positions"),
    changed(DYCK, "one*active*share", "layers", 0, "layers", 0, "attention", 0, "score"),
    changed(DYCK, "max(one, 1)*active", "layers", 0, "layers", 0, "attention", 0, "score"),
    changed(DYCK, "nearest", "layers", 0, "layers", 0, "attention", 0, "weighting"),
    changed(DYCK, "sideways", "layers", 0, "layers", 0, "attention", 0, "mask"),
    changed(INDUCTION, {"all c in 1..S. before(c)": "found(c) + 1"}, *HEAD, "writes"),  # of found nothing is there yet
    changed(INDUCTION, {"all c in 1..S. before(c)": "is"}, *HEAD, "writes"),
    changed(INDUCTION, {"all c in 1..S. before(c)": "is(c, c)"}, *HEAD, "writes"),
    changed(DYCK, "one*active/one", "layers", 0, "layers", 0, "attention", 0, "score"),
    changed(DYCK, {"active": "relu(active*token)"}, "layers", 0, "layers", 1, "feedforward"),
]  # fmt: skip


@pytest.mark.parametrize("document", [INDUCTION, DYCK, MAX])
def test_a_family_is_read(document: dict[str, Any]) -> None:
    read(document)


@pytest.mark.parametrize("case", range(len(MEANT_TWICE)))
def test_a_name_that_means_two_things_is_refused_by_the_checker(case: int) -> None:
    with pytest.raises((BadInput, Rejected)):
        read(MEANT_TWICE[case])
    with pytest.raises(BadInput):
        Family(MEANT_TWICE[case])


@pytest.mark.parametrize("case", range(len(NOT_AT_ALL_SIZES)))
def test_what_is_a_transformer_at_one_size_alone_is_refused_by_the_reader(case: int) -> None:
    with pytest.raises((BadInput, Rejected)):
        read(NOT_AT_ALL_SIZES[case])
    with pytest.raises(BadInput):
        Family(NOT_AT_ALL_SIZES[case])


def test_what_a_norm_makes_is_read_behind_that_norm_alone() -> None:
    """Elsewhere the reader of files refuses it, and for the relation it is a coordinate of which nothing is there."""
    before = family_cases.OWN["before"]
    with pytest.raises(BadInput, match="coordinates; given: v"):
        Family(changed(before, "v", "layers", 0, "attention_norms", 0, "writes", "v2"))
    layer: dict[str, Any] = {"feedforward": {"y": "relu(v) - 1"}}
    document = changed(before, [*before["layers"], layer], "layers")
    with pytest.raises(BadInput, match="coordinates; given: v"):
        Family(document)
    assert "relu(0) - 1" in FamilyRelation(PlainFamily(document)).run()


def test_a_size_that_is_no_whole_number_stands_in_brackets() -> None:
    document = {**MAX, "space": ["x"], "embedding": {**MAX["embedding"], "inputs": ["x"]}}
    document["layers"] = [{"feedforward": {"x": "relu(x)/K"}}]
    document["readout"] = {"kind": "value", "position": "each", "reads": ["x"]}
    assert "relu(x)/(1/2)" in FamilyRelation(PlainFamily(document), {"K": "1/2"}).run()


def test_families_are_less_than_430_lines_of_what_is_trusted() -> None:
    lines = {one.path: one.lines for one in first_checker()}
    assert lines["symcook/model/plainfamily.py"] + lines["symcook/proof/familyrel.py"] < 430
