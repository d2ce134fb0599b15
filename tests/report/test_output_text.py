"""The output of a machine is one text for one output, wherever it is printed; the page reads text as `run` does."""

from __future__ import annotations

import json
import shutil
import subprocess
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

import symcook as sc
from symcook.decode import stream
from symcook.errors import BadInput
from symcook.model.typedtext import text_of_tokens, tokens_of_text
from symcook.programs.running import speech_of
from symcook.programs.speech import Speech
from symcook.programs.turing import read_turing
from symcook.report.page.machine import machine_runs
from symcook.spec.turing import execute
from symcook.thought.rows import machine_of_table, row_run
from symcook.thought.running import run_machine

LONG_SYMBOLS = """input: a b
work symbols: 1 0 10
start: s
halt: h
s a * -> one 1 S R
s b * -> h 10 S S
s _ * -> h . S S
one * * -> h 0 S L
"""
"""After a it outputs the symbols 1 and 0, after b the symbol 10."""
TEXTS = {"a": "1 0", "b": "10 "}
STEPPER = Path(sc.__file__).parent / "report" / "page" / "stepper.js"


def stepper(script: str, given: Any) -> Any:
    """What a script that has `SymcookMachine` prints, as JSON, given a document on its standard input."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    start = f"const SymcookMachine = require({json.dumps(str(STEPPER))});"
    start += "const given = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
    done = subprocess.run(
        [node, "-e", start + script], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.sweep
def test_output_text_differs_for_two_outputs() -> None:
    machine = read_turing(LONG_SYMBOLS)
    first, second = sc.compile("tm", LONG_SYMBOLS), sc.compile("tm", LONG_SYMBOLS, theorem="2")
    for word, text in TEXTS.items():
        assert execute(machine, word, 50).output == text
        assert run_machine(first, word, 50).output == text
        assert row_run(second, machine_of_table(second), word, 50).last == {"stopped": "end", "output": text}
        assert speech_of(second).output(list(stream(second, word, 50))) == text


@pytest.mark.sweep
def test_output_text_on_the_page() -> None:
    for theorem in ("", "2"):
        runs = machine_runs(sc.compile("tm", LONG_SYMBOLS, theorem=theorem), "a")
        assert runs is not None
        said = {run["typed"]: run["output"] for run in runs["runs"] if run["typed"] in TEXTS}
        assert said["a"] == TEXTS["a"] and said.items() <= TEXTS.items()
        script = "console.log(JSON.stringify(given.words.map((w) => SymcookMachine.run(given.table, w).output)));"
        assert stepper(script, {"table": runs["table"], "words": list(TEXTS)}) == list(TEXTS.values())


@pytest.mark.parametrize("symbols", [("1", "0"), ("1", "0", "10"), ("x", "xx"), ("up", "down"), ("a", "b", "ab", "ba")])
def test_output_text_is_read_back(symbols: tuple[str, ...]) -> None:
    """Of every output of at most four symbols; of decoders that are no machines, too."""
    speech = Speech(symbols, ends=frozenset({"end"}))
    for n in range(1, 5):
        for output in product(symbols, repeat=n):
            text = speech.output([*output, "end"])
            assert text == text_of_tokens(output, symbols)
            assert tokens_of_text(text, symbols) == output  # a space follows a single symbol such as 10


def test_stepper_reads_text_as_tokens_of_text() -> None:
    """3,000 texts over seven alphabets: the tokens of `tokens_of_text`, or both refuse."""
    random = Random(73)
    alphabets = ["ab", ["a", "b", "ab"], ["up", "down"], ["a", "bb"], ["1", "0", "10"], ["x"], ["é", "𝔸", "a"]]
    asked, wanted = [], []
    for _ in range(3000):
        letters = list(random.choice(alphabets))
        parts = [*letters, " ", "  ", "a", "z", "\t"]
        text = "".join(random.choices(parts, k=random.randrange(5)))
        asked.append([letters, text])
        try:
            tokens = tokens_of_text(text, letters)
            wanted.append(None if {*tokens} - {*letters} else list(tokens))
        except BadInput:
            wanted.append(None)
    script = """
      const table = (alphabet) => (
        { alphabet, least: 0, moves: [alphabet.map(() => 0)], names: ["q"], answers: [true] });
      console.log(JSON.stringify(given.map(([letters, text]) => {
        try { return SymcookMachine.run(table(letters), text).input; } catch (error) {
          if (error instanceof SymcookMachine.Refusal) return null; else throw error; } })));"""
    found = stepper(script, asked)
    assert [pair for pair in zip(asked, found, wanted, strict=True) if pair[1] != pair[2]] == []
    assert sum(tokens is not None for tokens in wanted) > 500
