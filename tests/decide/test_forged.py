"""Certificates of decisions that were forged: by hand, as they were once accepted, and by rule, each part changed to
another value of its kind. Each is refused, or its answer is still true."""

from __future__ import annotations

import copy
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from attacks.forged_fields import changes
from shared import call
from test_decision_certificates import CASES, made

import symcook as sc
from symcook.compilers import compile
from symcook.decide.automata import Automaton
from symcook.decide.certificate import StateMap, document
from symcook.decide.decision import Decision, decide, recheck, recogniser
from symcook.decide.finite import Finite
from symcook.errors import BadInput
from symcook.spec.fold import Fold


def still_true(found: Decision, original: Decision, model: sc.Transformer, against: Any) -> bool:
    """Whether a certificate that was accepted has the verdict of the original, and a string on which the two differ."""
    if found.verdict != original.verdict or (found.word is None) is not (original.word is None):
        return False
    if found.word is None:
        return True
    accepts = model.run(found.word).accept if found.word or model.embedding.added else None
    return found.answers == (accepts, against(found.word)) and accepts is not against(found.word)


def forged(name: str, draws: int, seed: int = 0) -> int:
    """How many of some forgeries of a certificate, drawn by a seed, are refused; the others must be still true."""
    model, against, given = made(name)
    original = recheck(given, model, against, name=given["against"])
    count = sum(1 for _ in changes(given))  # one after the other: each is a whole certificate
    wanted = {*random.Random(f"{name} {seed}").sample(range(count), min(draws, count))}
    refused = 0
    for new in (new for number, new in enumerate(changes(given)) if number in wanted):
        if json.dumps(new) == json.dumps(given):
            continue
        try:
            found = recheck(copy.deepcopy(new), model, against, name=given["against"])
        except BadInput as error:
            assert "\n" not in str(error)
            refused += 1
            continue
        assert still_true(found, original, model, against), new
    return refused


@pytest.mark.layer_one(0, 1, 5, 6, 8)
@pytest.mark.parametrize("name", CASES)
def test_what_is_changed_is_refused_or_still_true(name: str) -> None:
    assert forged(name, 2 if name == "labels" else 6) > 0


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("name", ["automata", "a difference", "alone"])
def test_a_flipped_bit_is_refused_or_still_true(name: str, tmp_path: Path) -> None:
    """The file as bytes, each with one bit flipped."""
    model, against, given = made(name)
    text, draw = json.dumps(given).encode(), random.Random(name)
    original = recheck(given, model, against, name=given["against"])
    for _ in range(40):
        flipped = bytearray(text)
        place = draw.randrange(len(text) * 8)
        flipped[place // 8] ^= 1 << place % 8
        try:
            new = json.loads(flipped)
            found = recheck(new, model, against, name=given["against"])
        except (BadInput, ValueError):
            continue
        assert still_true(found, original, model, against), bytes(flipped)


def difference(against: Any, word: list[str], answers: list[Any]) -> dict[str, Any]:
    """A certificate of a difference between dyck-1 and a reference."""
    found = decide(sc.build("dyck-1"), against, name="X")
    made_here = {**document(found), "verdict": "different", "word": word, "answers": answers}
    return {key: value for key, value in made_here.items() if key != "invariants"}


OWN = Fold(0, lambda d, b: -1 if d < 0 else d + 1 if b == "(" else d - 1, lambda d: d == 0)
FREE = Fold(0, lambda d, b: -1 if d < 0 else d + 1 if b == "(" else d - 1, lambda d: None if d == 1 else d == 0)


@pytest.mark.layer_one(2, 4)
@pytest.mark.parametrize(
    ("against", "word", "answers"),
    [
        (OWN, [], [None, True]),  # the model has no answer to the empty string
        (FREE, ["("], [False, None]),  # any answer will do
        (OWN, ["(", ")"], [True, True]),
        (OWN, ["("], [0, False]),
        (OWN, ["(", "x"], [False, True]),
        (OWN, "()", [True, False]),
    ],
)
def test_what_is_no_difference_is_none(against: Fold, word: Any, answers: list[Any]) -> None:
    model = sc.build("dyck-1")
    with pytest.raises(BadInput, match="must prove its answer about this model"):
        recheck(difference(against, word, answers), model, against, name="X")


SILENT = Fold(0, lambda d, b: -1 if d < 0 else min(d + 1, 3) if b == "(" else d - 1, lambda d: None)


def test_an_equality_with_what_never_answers_is_none() -> None:
    """The map of states is closed and pairs no two answers, since there are none to compare."""
    model = sc.build("dyck-1-2")
    reference: Any = recogniser(model, SILENT)
    evidence = StateMap.of(Finite(model).automaton(), reference, model.alphabet)
    assert evidence.check()
    given = document(Decision("equal", model, "X", certificate=evidence))
    with pytest.raises(BadInput, match="an answer for at least one string; given: None for all of them"):
        recheck(json.loads(json.dumps(given)), model, SILENT, name="X")


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize(
    ("name", "against"),
    [
        ("dyck-1", FREE),  # by invariants
        ("dyck-1-2", replace(SILENT, answer=lambda d: None if d == 1 else d == 0)),  # by a map of states, or a string
        ("dyck-1-2", Automaton(("(", ")"), ((1, 2), (1, 2), (1, 2)), (None, False, False), ("s", "o", "c"))),
    ],
)
def test_what_is_free_is_said_again(name: str, against: Any) -> None:
    model = sc.build(name)
    found = decide(model, against, name="X")
    again = recheck(json.loads(json.dumps(document(found))), model, against, name="X")
    assert (again.verdict, again.free, again.empty) == (found.verdict, found.free, found.empty)
    assert found.free is None or not found.empty


def test_only_a_search_calls_a_string_the_smallest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.json"
    against = r"(\(\))*"
    code, out, _ = call(capsys, "decide", "dyck-1", "--against", against, "--certificate", str(file))
    assert code == 1 and "smallest string: (())" in out
    given = json.loads(file.read_text())
    file.write_text(json.dumps({**given, "word": list("((()))()")}))
    code, out, _ = call(capsys, "decide", "dyck-1", "--against", against, "--check", str(file))
    assert code == 1 and "a string that differs: ((()))()" in out and "smallest" not in out


def with_flag(low: Any, high: Any) -> Fold:
    """The stack of dyck-1, with a mark of whether it was ever below 0, which is `low` or `high`."""

    def step(s: Any, t: str) -> Any:
        depth = s[0] + (1 if t == "(" else -1)
        return depth, high if s[1] == high or depth < 0 else low

    return Fold((0, low), step, lambda s: s[0] == 0 and s[1] == low)


def test_the_states_are_those_that_the_fold_makes() -> None:
    """In the file the mark is false or true, the fold's own is 0 or 1: equal for Python, but never reached."""
    model, booleans, integers = sc.build("dyck-1"), with_flag(False, True), with_flag(0, 1)
    given = json.loads(json.dumps(document(decide(model, booleans, name="X"))))
    assert recheck(given, model, booleans, name="X").verdict == "equal"
    with pytest.raises(BadInput, match="must prove its answer about this model"):
        recheck(given, model, integers, name="X")
    shapes = [location["shape"] for location in given["invariants"]["locations"]]
    assert [s["tuple"][1] for s in shapes].count(False) > 0
    # A kind of states that no string reaches is refused, too, though nothing follows from it.
    locations = given["invariants"]["locations"]
    more = {**locations[0], "shape": {"tuple": [{"hole": 0}, "x"]}, "inequalities": [{"terms": [], "constant": -1}]}
    longer = {**given, "invariants": {**given["invariants"], "locations": [*locations, more]}}
    with pytest.raises(BadInput, match="a state that no string reaches"):
        recheck(longer, model, booleans, name="X")


def test_states_of_other_types_are_other_states() -> None:
    """1 and True are two states: they are equal for Python, but the answers in them are different."""

    def step(s: Any, t: str) -> Any:
        if t == "a":
            return 1 if s else True  # True: the first a of a run; 1: a later one
        return 0

    first = Fold(0, step, lambda s: s is True, each=True)
    builder = sc.Builder(words={"a": {"x": 1}, "b": {"x": -1}})
    builder.readout("sign", "each", ("x",), weights=[1])
    model = builder.build("is a")
    assert first("aa") == [True, False]
    found = model.check(first, 4)
    assert not found.holds and found.mismatches == 1 + 3 + 8  # the strings with aa
    labels = Fold(0, step, lambda s: (False, True)[s], each=True)
    assert model.decide(labels).verdict == "equal"
    told = Fold(0, step, lambda s: s, each=True)
    with pytest.raises(BadInput, match="True or False; given: 0"):
        model.decide(told)


def test_a_decoder_has_no_certificate_here() -> None:
    model = compile("dfa", "(aa)*")
    for verdict in ("equal", "different"):
        with pytest.raises(BadInput, match="that it has made itself"):
            document(Decision(verdict, model, "", word=("a",), answers=(True, False)))
    with pytest.raises(BadInput, match="answer in one pass"):
        recheck({}, model)
