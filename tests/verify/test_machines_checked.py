"""``check`` of a compiled Turing machine: its tokens beside those of the interpreter, word by word."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from shared import call, document, refused

import symcook as sc
from symcook.decode import stream
from symcook.verify.decoded import TOKENS, check_decoded

COPY = """input: 0 1
work symbols: 0 1
start: q
halt: h
q 0 * -> q 0 R R
q 1 * -> q 1 R R
q _ * -> b . S L
b * * -> b . S L
b * _ -> h . S R
"""
FLIP = COPY.replace("-> q 0", "-> q x").replace("-> q 1", "-> q 0").replace("-> q x", "-> q 1")


@pytest.mark.sweep
@pytest.mark.parametrize("weighting", ["average", "rightmost"])
def test_a_machine_agrees_with_its_interpreter(
    weighting: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """2 + 4 + 8 words and the empty one; a machine has no verdict to count."""
    (tmp_path / "copy.tm").write_text(COPY)
    file = tmp_path / "m.json"
    assert call(capsys, "compile", "tm", tmp_path / "copy.tm", "-o", file, "--weighting", weighting)[0] == 0
    found = document(capsys, "check", file, "--max-length", "3")
    assert found["strings"] == 14 and found["mismatches"] == 0 and found["empty_word"] == "agrees"
    assert found["by_length"] == [{"n": n, "strings": 2**n, "accepted": None} for n in (1, 2, 3)]
    assert f"at most {TOKENS} a string" in found["method"]


@pytest.mark.sweep
def test_other_weights_differ_at_the_smallest_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Weights that flip letters, under the program that copies them; the replay shows it."""
    sc.compile("tm", FLIP).save(tmp_path / "m.json")
    found = json.loads((tmp_path / "m.json").read_text())
    found["program"]["source"] = COPY
    (tmp_path / "m.json").write_text(json.dumps(found))
    shown = document(capsys, "check", tmp_path / "m.json", "--max-length", "2", code=1)
    assert shown["mismatches"] == 6 and shown["counterexample"] == "0"
    out = call(capsys, "check", tmp_path / "m.json", "--max-length", "2")[1]
    line = out.partition("replay: symcook ")[2].splitlines()[0]
    code, out, _ = call(capsys, *line.split())
    assert code == 0 and out.endswith("ended; output: 1\n")


@pytest.mark.sweep
def test_a_machine_that_never_halts_is_compared_to_a_limit() -> None:
    found = check_decoded(sc.compile("tm", "1RB1LA_1LA1RB"), 1)
    assert found.holds and found.strings == 0


def test_a_machine_is_not_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sc.compile("tm", COPY).save(tmp_path / "m.json")
    assert "check compares" in refused(capsys, "decide", tmp_path / "m.json")


NAMED = """
input: a b
work symbols: SYMBOL
start: s
halt: h
s * * -> t . R S
t b * -> h SYMBOL S S
t * * -> h . S S
"""
"""It outputs its symbol after strings whose second letter is b, and nothing after shorter ones."""


@pytest.mark.parametrize(("symbol", "label"), [("end", "end"), ("s", "s(start)")])
def test_a_symbol_that_is_called_as_the_end_or_the_start_is_another_token(symbol: str, label: str) -> None:
    """The rows of two labels are exchanged, so that a symbol is output in place of the end, or of the start."""
    model = sc.compile("tm", NAMED.replace("SYMBOL", symbol))
    first, second = (model.readout.labels.index(one) for one in (label, f"={symbol}>"))
    weights = [list(model.readout.weights.row(k)) for k in range(len(model.readout.labels))]
    weights[first], weights[second] = weights[second], weights[first]
    other = replace(model, readout=replace(model.readout, weights=weights))
    assert f"={symbol}>" in list(stream(other, "a", 5))
    found = check_decoded(other, 1)
    assert found.holds is False and f"={symbol}" in found.first.got
