"""Compiled automata shown to run their program: on words, for all lengths, by a certificate; and what is changed is
noticed."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from automata_examples import FILES, LANGUAGES, letters
from proof.stored import second
from shared import call, document, refused, words

import symcook as sc
from symcook.decide.decoders import decide
from symcook.errors import BadInput
from symcook.proof import terms
from symcook.proof.bridges import decoders
from symcook.proof.bridges.bridge import Unbridged
from symcook.proof.replay import library
from symcook.spec.automata import tokens
from symcook.spec.programs import language
from symcook.verify.decoded import check_decoded

FIVE = next(file for file in FILES if file.stem == "dyck-to-depth-3")


def changed(path: Path, change: Any) -> Path:
    """A model file with another weight, under another name."""
    found = json.loads(path.read_text())
    change(found)
    other = path.with_name("changed.json")
    other.write_text(json.dumps(found))
    return other


@pytest.fixture
def stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert call(capsys, "compile", "dfa", FILES[-1], "-o", tmp_path / "m.json")[0] == 0
    return tmp_path / "m.json"


@pytest.mark.sweep
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.layer_two(every=2)
def test_a_certificate_ties_each_example_to_the_theorem(file: Path) -> None:
    start = time.process_time()
    found = decoders.prove(sc.compile("dfa", file.read_text(), name=file.stem))
    assert found.words == "PROVED" and found.theorem.status == "PROVED"
    assert time.process_time() - start < 60


@pytest.mark.sweep
def test_the_command_writes_what_the_second_checker_accepts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "compile", "dfa", FIVE, "-o", tmp_path / "m.json", "--prove")
    assert code == 0 and out.splitlines()[-1].startswith("PROVED")
    certificate = json.loads((tmp_path / "m.proof.json").read_text())
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates" / f"{certificate['id']}.json").write_text(json.dumps(certificate))
    for name in certificate["lemmas"]:
        kept = library().root / "certificates" / f"{name}.json"
        (tmp_path / "certificates" / kept.name).write_bytes(kept.read_bytes())
    said = second(tmp_path / "m.statement.txt", tmp_path / "certificates")
    assert any(certificate["id"] in line and "PROVED" in line for line in said)
    assert "--force" in refused(capsys, "compile", "dfa", "a", "-o", tmp_path / "m.json", "--prove")
    found = document(capsys, "compile", "dfa", "a*", "-o", tmp_path / "n.json", "--prove")
    assert found["verdict"] == "PROVED" and Path(found["certificate"]).is_file()


@pytest.mark.sweep
def test_a_changed_entry_has_no_certificate(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another successor in the weights, the program as it was: refused, and found by words."""

    def swap(found: dict[str, Any]) -> None:
        rows = found["layers"][1]["feedforward"]["W2"]
        rows[4], rows[5] = rows[5], rows[4]

    other = changed(stored, swap)
    with pytest.raises(Unbridged):
        decoders.prove(sc.load(other))
    found = document(capsys, "decide", other, code=1)
    assert found["verdict"] == "different" and found["word"] is not None
    checked = document(capsys, "check", other, "--max-length", "3", code=1)
    assert checked["mismatches"] > 0 and checked["got"] != checked["expected"]


def test_a_key_one_token_off_is_noticed(stored: Path) -> None:
    """The query looks at position k in place of k + 1."""

    def shift(found: dict[str, Any]) -> None:
        norm = found["layers"][1]["attention_norms"][0]
        place = norm["reads"].index("u")
        norm["projection"][0][place] = norm["projection"][2][place] = "0"

    other = sc.load(changed(stored, shift))
    with pytest.raises(Unbridged):
        decoders.prove(other)
    assert not check_decoded(other, 2).holds


@pytest.mark.sweep
def test_another_program_is_noticed(stored: Path) -> None:
    def other(found: dict[str, Any]) -> None:
        table = json.loads(found["program"]["source"])
        table["final_states"] = []
        found["program"]["source"] = json.dumps(table)

    model = sc.load(changed(stored, other))
    with pytest.raises(Unbridged):
        decoders.prove(model)
    assert check_decoded(model, 2).differs and model.check(max_length=2).differs
    assert decide(model).verdict == "different"

    def names(found: dict[str, Any]) -> None:
        found["program"]["source"] = found["program"]["source"].replace("odd", "even1")

    with pytest.raises(BadInput, match="must be that of its program"):
        decoders.prove(sc.load(changed(stored, names)))
    with pytest.raises(BadInput, match="compiled automaton"):
        decoders.prove(sc.build("dyck-1"))


def turning(states: int) -> str:
    """An automaton of so many states, which counts the letters a round in a circle."""
    names = [f"s{k}" for k in range(states)]
    table = {s: {"a": names[(k + 1) % states], "b": s} for k, s in enumerate(names)}
    return json.dumps({
        "states": names, "input_symbols": ["a", "b"], "transitions": table, "initial_state": "s0",
        "final_states": ["s0"]})  # fmt: skip


def without_a_proof(capsys: pytest.CaptureFixture[str], folder: Path, states: int, *options: str) -> Path:
    """The model of an automaton that `compile` writes, though it has not proved anything of it."""
    (folder / "x.json").write_text(turning(states))
    code, out, err = call(capsys, "compile", "dfa", folder / "x.json", "-o", folder / "m.json", "--prove", *options)
    assert code == 3 and "PROVED" not in out + err and "wrote" in out and (folder / "m.json").is_file()
    assert not (folder / "m.proof.json").exists()
    return folder / "m.json"


@pytest.mark.sweep
def test_what_is_too_long_for_the_checker_has_no_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is written, nothing is said to be proved; what it answers rests on the theorem alone."""
    monkeypatch.setattr(terms, "MAX_SIZE", 2_000)  # symbols of a formula that a checker takes, not 60,000
    file = without_a_proof(capsys, tmp_path, 4)
    found = document(capsys, "decide", file)
    assert (found["verdict"], found["states"]) == ("equal", 4) and "without a certificate" in found["why"]
    monkeypatch.undo()
    found = document(capsys, "decide", file)
    assert found["verdict"] == "equal" and "without a certificate" not in found["why"]


def test_a_check_counts_what_is_accepted(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "check", stored, "--max-length", "4")
    assert found["strings"] == 30 and found["mismatches"] == 0 and found["empty_word"] == "agrees"
    assert found["by_length"] == [{"n": n, "strings": 2**n, "accepted": 2 ** (n - 1)} for n in range(1, 5)]
    assert "--max-length" in refused(capsys, "check", stored)
    assert "at most" in refused(capsys, "check", stored, "--max-length", "40")


@pytest.mark.sweep
def test_decisions_for_all_lengths(stored: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert document(capsys, "decide", stored) | {"why": ""} == {
        "verdict": "equal", "word": None, "accepts": None, "states": 2, "why": "", "formula": None}  # fmt: skip
    assert document(capsys, "decide", stored, "--against", "0*1(0|10*1)*")["verdict"] == "equal"
    found = document(capsys, "decide", stored, "--against", "0*1(0|1)*", code=1)
    assert (found["word"], found["accepts"]) == ("11", "reference")
    assert document(capsys, "decide", stored, "--against", FILES[-1])["verdict"] == "equal"
    (tmp_path / "odd.py").write_text(
        "from symcook import Fold\nodd = Fold(0, lambda s, a: s ^ (a == '1'), lambda s: s == 1)\n"
    )
    assert document(capsys, "decide", stored, "--against", f"{tmp_path / 'odd.py'}:odd")["verdict"] == "equal"
    assert "--prove" in refused(capsys, "decide", stored, "--certificate", tmp_path / "c.json")
    assert document(capsys, "decide", stored, "--against", stored)["verdict"] == "equal"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_interpreter_says_what_the_language_is(file: Path) -> None:
    model = sc.compile("dfa", file.read_text())
    assert model.program is not None
    fold = language(model.program)
    for word in words(6, "".join(letters(file)), 0):
        assert fold(word) is LANGUAGES[file.stem](word), word
    from symcook.programs.running import program_table

    assert len(tokens(program_table(model.program), "")) == 2


def test_an_unknown_language_is_called_by_its_name() -> None:
    program = sc.compile("dfa", FILES[0].read_text()).program
    assert program is not None
    with pytest.raises(BadInput, match="language of a program must be a known name; given: dfs; did you mean dfa"):
        language(replace(program, kind="dfs"))
    with pytest.raises(BadInput, match="given: a program of srasp"):
        language(replace(program, kind="srasp"))


@pytest.mark.sweep
def test_a_specification_of_a_decoder_is_told_what_compares_languages():
    model = sc.compile("dfa", "a*b", alphabet="ab")
    assert model.check(max_length=4).holds
    with pytest.raises(BadInput, match="symcook decide compares languages"):
        model.check(lambda string: True, max_length=2)
    with pytest.raises(BadInput, match="must be used without workers"):
        model.check(max_length=2, workers=2)
