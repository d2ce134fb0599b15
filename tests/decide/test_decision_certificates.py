"""Certificates of decisions: written, checked again, and refused where something in them, the model or the reference is
changed."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from shared import call

import symcook as sc
from symcook.decide.certificate import StateMap, document
from symcook.decide.decision import decide, recheck, recogniser
from symcook.decide.finite import Finite
from symcook.errors import BadInput
from symcook.recipes import build, reference


def stack(deepest: int = 10**6) -> sc.Fold:
    """The depth of brackets, which forgets above the deepest one."""
    return sc.Fold(0, lambda d, b: -1 if d < 0 else min(d + 1, deepest) if b == "(" else d - 1, lambda d: d == 0)


def majority(weight: int = 1) -> sc.Transformer:
    builder = sc.Builder(words={"a": {"vote": weight}, "b": {"vote": -1}})
    mean = builder.add(sc.head(value={"mean": "vote"}, mask="future"))
    builder.readout("sign", "last", mean, weights=[1])
    return builder.build("majority")


COUNTER = sc.Fold(0, lambda d, letter: d + 1 if letter == "a" else d - 1, lambda d: d > 0)
CASES: dict[str, tuple[Any, Any, str]] = {
    "automata": (lambda: build("dyck-1-2"), lambda: reference("dyck-1-2"), "equal"),
    "a regular expression": (lambda: build("dyck-1-2"), lambda: r"(\((\(\))*\))*", "equal"),
    "two models": (lambda: build("dyck-1-2"), lambda: build("dyck-k-d", k=1, D=2), "equal"),
    "counts": (lambda: build("dyck-1"), lambda: reference("dyck-1"), "equal"),
    "a majority": (majority, lambda: COUNTER, "equal"),
    "a difference": (lambda: build("dyck-1-2"), lambda: reference("dyck-1"), "different"),
    "counts that differ": (lambda: majority(2), lambda: COUNTER, "different"),
    "labels": (lambda: build("induction-most-recent"), lambda: reference("induction-most-recent"), "equal"),
    "alone": (lambda: build("dyck-1-2"), lambda: None, "decided"),
}


def made(name: str) -> tuple[sc.Transformer, Any, dict[str, Any]]:
    model, against, verdict = CASES[name]
    found = decide(model(), against(), name="X")
    assert (found.verdict, found.status) == (verdict, "DECIDED")
    return model(), against(), json.loads(json.dumps(document(found)))


@pytest.mark.layer_one(0, 6)
@pytest.mark.parametrize("name", CASES)
def test_what_is_written_is_accepted_again(name: str) -> None:
    model, against, given = made(name)
    found = recheck(given, model, against, name=given["against"])
    assert found.verdict == CASES[name][2] and "certificate holds" in found.why


def leaves(given: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(given, dict | list):
        items = given.items() if isinstance(given, dict) else enumerate(given)
        return [leaf for key, part in items for leaf in leaves(part, (*path, key))]
    return [path]


def changed(given: dict[str, Any], path: tuple[Any, ...], draw: random.Random) -> dict[str, Any]:
    """The document with a leaf changed, or left out of its list."""
    new = copy.deepcopy(given)
    part: Any = new
    for key in path[:-1]:
        part = part[key]
    value = part[path[-1]]
    if isinstance(part, list) and draw.random() < 0.3:
        del part[path[-1]]
    elif isinstance(value, bool):
        part[path[-1]] = not value
    elif isinstance(value, int):
        part[path[-1]] = value + draw.choice([-2, -1, 1, 2])
    elif isinstance(value, str) and value[:1] == "q":
        part[path[-1]] = draw.choice(["q0", "q1", "q2", "q3"])
    else:
        part[path[-1]] = draw.choice([None, "", "1", "equal", "different", "(", "2/3", True])
    return new


WRONG: dict[str, Any] = {
    "automata": lambda: stack(1),
    "a regular expression": lambda: r"(\((\(\))*\))+\(*",
    "two models": lambda: build("dyck-k-d", k=1, D=3),
    "counts": lambda: stack(20),
    "a majority": lambda: sc.Fold(0, lambda d, x: d + 1 if x == "a" else max(d - 1, -30), lambda d: d > 0),
}


@pytest.mark.layer_one(6)
@pytest.mark.layer_two(every=3)
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("part", range(2))
def test_no_change_makes_it_true_of_a_reference_that_differs(name: str, part: int) -> None:
    """An equality is false here, and so every document that says so must be refused, whatever is changed in it."""
    model, _, given = made(name)
    against, draw = WRONG[name](), random.Random(f"{name} {part}")
    with pytest.raises(BadInput, match="must prove its answer about this model"):
        recheck(given, model, against, name=given["against"])
    places = leaves(given)
    for _ in range(15):
        new = changed(given, draw.choice(places), draw)
        try:
            found = recheck(new, model, against, name=given["against"])
        except BadInput:
            continue
        assert found.verdict == "different", new


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", ["automata", "a regular expression", "two models"])
def test_states_that_answer_are_not_called_unanswered(name: str) -> None:
    """All pairs of states are there, those with different answers as pairs of which one does not answer."""
    model, _, given = made(name)
    against = WRONG[name]()
    reference: Any = recogniser(model, against)
    shown = StateMap.of(Finite(model).automaton(), reference, model.alphabet)
    assert not shown.check()
    automata = {"automaton": shown.model.to_json(), "reference": shown.reference.to_json()}
    pairs = [[shown.model.names[p], shown.reference.names[q]] for p, q in shown.pairs]
    first = [name for name, answer in zip(shown.model.names, shown.model.answers, strict=True) if answer is None]
    for silent in ([first, list(shown.reference.names)], [list(shown.model.names), []]):
        with pytest.raises(BadInput, match="must prove its answer about this model"):
            recheck({**given, **automata, "map": pairs, "unanswered": silent}, model, against, name=given["against"])


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("name", ["automata", "counts", "a difference"])
def test_a_changed_part_is_refused(name: str) -> None:
    """By hand: what the verdict rests on, part by part."""
    model, against, given = made(name)
    broken = [{**given, "model": "0" * 64}, {**given, "alphabet": ["(", "x"]}, {**given, "verdict": "decided"}]
    broken += [{**given, "status": "OPEN"}, {**given, "against": "another"}, {**given, "more": 1}]
    broken += [{key: value for key, value in given.items() if key != "status"}]
    if name == "automata":
        broken += [{**given, "map": given["map"][:-1]}, {**given, "map": given["map"][1:]}]
        broken += [{**given, "map": [[p, "q0"] for p, _ in given["map"]]}]
        wrong = copy.deepcopy(given)
        wrong["automaton"]["final_states"] = []
        broken.append(wrong)
        silent = given["unanswered"]
        broken += [{**given, "unanswered": [[*silent[0], *given["automaton"]["final_states"]], silent[1]]}]
        broken += [{**given, "unanswered": [[*silent[0], "no state"], silent[1]]}]
    elif name == "counts":
        inside = given["invariants"]
        broken += [{**given, "invariants": {**inside, "multipliers": inside["multipliers"][:-1]}}]
        negative = [[[place, f"-{times}"] for place, times in one] for one in inside["multipliers"]]
        broken += [{**given, "invariants": {**inside, "multipliers": negative}}]
        broken += [{**given, "invariants": {**inside, "locations": inside["locations"][1:]}}]
    else:
        broken += [{**given, "word": ["(", ")"]}, {**given, "answers": given["answers"][::-1]}, {**given, "word": 3}]
    for one in broken:
        with pytest.raises(BadInput, match="must prove its answer about this model"):
            recheck(one, model, against, name=given["against"])


@pytest.mark.sweep
def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.json"
    code, out, _ = call(capsys, "decide", "dyck-1", "--certificate", str(file))
    assert code == 0 and "DECIDED: " in out and f"wrote {file}" in out
    code, out, _ = call(capsys, "decide", "dyck-1", "--check", str(file))
    assert code == 0 and "DECIDED: the certificate holds" in " ".join(out.split())
    code, out, _ = call(capsys, "decide", "dyck-1", "--check", str(file), "--json")
    assert list(json.loads(out)) == ["verdict", "word", "accepts", "states", "why", "formula"]
    for arguments, says in [
        (("dyck-1-2", "--check", str(file)), "another model"),
        (("dyck-1", "--check", str(tmp_path / "none.json")), "readable"),
        (("dyck-1", "--certificate", str(file)), "--force"),
        (("dyck-1", "--certificate", str(tmp_path / "c.txt")), "must end in .json"),
        (("dyck-1", "--check", str(file), "-o", str(tmp_path / "a.json")), "leave one out"),
        (("induction-most-frequent", "--certificate", str(tmp_path / "d.json")), "must be of a decision"),
    ]:
        code, _, err = call(capsys, "decide", *arguments)
        assert code == 2 and says in " ".join(err.split()), (arguments, err)
    (tmp_path / "bad.json").write_text("[1")
    code, _, err = call(capsys, "decide", "dyck-1", "--check", str(tmp_path / "bad.json"))
    assert code == 2 and "JSON" in err
