"""Turing machines in a transformer: what the command line prints beside runs by the book, and beside what is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import machines_at_random
import pytest
from shared import call, document, refused, words

import symcook as sc
from symcook.decode import continued, generate
from symcook.errors import BadInput, NotExact
from symcook.model.modelfile import dumps, loads
from symcook.programs.steps import END, labels, tokens
from symcook.programs.turing import read_turing
from symcook.spec.turing import execute
from symcook.thought.frames import differences, frames, text
from symcook.thought.integers import IntegerDecoder
from symcook.thought.running import machine_of, run_machine

MACHINES = Path(__file__).parents[2] / "examples" / "machines"
Machine = tuple[int, str]


def plus_one(word: str) -> str:
    value, width = int(word or "0", 2) + 1, len(word)
    return f"{value:b}".zfill(width)


def product_of(word: str) -> str:
    ones, _, others = word.partition("0")
    return "1" * (len(ones) * len(others))


KNOWN: dict[str, tuple[list[str], Callable[[str], str], Callable[[str], int | None]]] = {
    "increment": (list(words(5, "01", 0)), plus_one, lambda word: 2 * len(word) + 3),
    "copy": (list(words(5, "01", 0)), lambda word: word, lambda word: 2 * len(word) + 2),
    "palindromes": (
        list(words(5, "ab", 0)),
        lambda word: "y" if word == word[::-1] else "n",
        lambda word: 3 * len(word) + 3 if word == word[::-1] else None,
    ),
    "unary-multiplication": (
        ["1101", "110111", "11101111", "0", "10", "01"],
        product_of,
        lambda word: {"1101": 14, "110111": 32, "11101111": 54}.get(word),
    ),
    "parity-printed": (list(words(5, "01", 0)), lambda word: str(word.count("1") % 2), lambda word: len(word) + 3),
}
BEAVERS = {
    "busy-beaver-2": (6, 4),
    "busy-beaver-3-ones": (14, 6),
    "busy-beaver-3-steps": (21, 5),
    "busy-beaver-4": (107, 13),
}


def shipped(name: str, weighting: str = "average") -> sc.Transformer:
    return sc.compile("tm", (MACHINES / f"{name}.tm").read_text(), name=name, weighting=weighting)


def lines(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[Any]]:
    code, out, _ = call(capsys, *arguments, "--json")
    return code, [json.loads(line) for line in out.splitlines()]


@pytest.mark.layer_one(0, 1, 3, 4)
@pytest.mark.parametrize("name", KNOWN)
def test_shipped_machines_put_out_what_they_should_in_as_many_steps(name: str) -> None:
    given, output, steps = KNOWN[name]
    machine = read_turing((MACHINES / f"{name}.tm").read_text())
    decoder = IntegerDecoder(machine)
    for word in given:
        by_the_book = execute(machine, word, 1000)
        assert by_the_book.ended and by_the_book.output == output(word), word
        assert steps(word) in (None, by_the_book.steps), word
        run = list(decoder.run(tuple(word), 1000))
        assert machines_at_random.wrong(by_the_book, [one.token for one in run], len(word) + 1, True) == 0, word


def test_no_head_of_the_printed_model_stays_where_it_is() -> None:
    machine = read_turing((MACHINES / "parity-printed.tm").read_text())
    assert all(abs(move) == 1 for row in machine.rows.values() for move in row.moves) and machine.head == 0


@pytest.mark.parametrize("name", BEAVERS)
def test_busy_beavers(name: str) -> None:
    steps, ones = BEAVERS[name]
    machine = read_turing((MACHINES / f"{name}.tm").read_text())
    run = list(IntegerDecoder(machine).run((), 1000))
    moved = [one for one in run if hasattr(one.token, "written")]
    assert len(moved) == steps + 1
    tape: dict[int, str] = {}
    for one in moved[1:]:
        tape[one.heads[1]] = one.token.written[0].symbol  # type: ignore[union-attr]
    assert sum(symbol == "1" for symbol in tape.values()) == ones
    assert machines_at_random.wrong(execute(machine, (), 1000), [one.token for one in run], 1, True) == 0


@pytest.mark.layer_one(1)
@pytest.mark.layer_two(*(2 * k + k % 2 for k in range(len(BEAVERS) + 4)))  # each machine, with either weighting
@pytest.mark.parametrize("weighting", ["average", "rightmost"])
@pytest.mark.parametrize("name", [*BEAVERS, "copy", "increment", "parity-printed", "unary-multiplication"])
def test_the_whole_model_of_every_shipped_machine_in_balls(name: str, weighting: str) -> None:
    model = shipped(name, weighting)
    for word in KNOWN.get(name, (["", ""],))[0][1:4:2]:
        for limit in (0, 1, 40):
            run = run_machine(model, word, limit, "ball")
            assert (
                machines_at_random.wrong(execute(machine_of(model), word, limit), run.tokens, len(word) + 1, run.ended)
                == 0
            )


@pytest.mark.sweep
def test_by_place_the_model_is_exact_and_with_the_tie_break_it_names_balls() -> None:
    for name, word in (("increment", "11"), ("busy-beaver-2", "")):
        model = shipped(name, "rightmost")
        run = run_machine(model, word, 100, "exact")
        assert (
            run.ended
            and machines_at_random.wrong(execute(machine_of(model), word, 100), run.tokens, len(word) + 1, True) == 0
        )
    with pytest.raises(NotExact, match="ball"):
        run_machine(shipped("busy-beaver-2"), "", 10, "exact")


@pytest.mark.sweep
def test_random_machines_in_integers() -> None:
    for seed in range(20):
        machine = machines_at_random.drawn(seed)
        for word in machines_at_random.words_for(machine, seed):
            for limit in (0, 60):
                assert machines_at_random.integers(machine, word, limit)[1] == 0, (seed, word)


@pytest.mark.sweep
@pytest.mark.parametrize("weighting", ["average", "rightmost"])
def test_random_machines_in_balls(weighting: str) -> None:
    for seed in range(5):
        machine = machines_at_random.drawn(seed, True)
        for word in machines_at_random.words_for(machine, seed):
            assert machines_at_random.in_balls(machine, word, 40, weighting)[1] == 0, (seed, word)


def test_one_pass_checks_a_run_and_finds_the_first_change() -> None:
    model = shipped("increment")
    run = run_machine(model, "101", 100)
    said = [labels(run.machine)[token] for token in run.tokens] + [END]
    assert continued(model, "101", said, "ball").agrees
    other = next(name for name in labels(run.machine).values() if name != said[4])
    assert continued(model, "101", [*said[:4], other, *said[5:]], "ball").first == 4


@pytest.mark.sweep
def test_what_each_machine_does_at_the_edges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No input, no steps, a machine that halts at once, and a blank in the output."""
    rows = "input: a\nwork symbols: a b\nstart: s\nhalt: h\n"
    cases = {
        "at once": (rows.replace("start: s", "start: h") + "s * * -> h . S S\n", ["", "a"]),
        "a blank": (
            rows + "s * * -> t a S R\nt * * -> u _ S R\nu * * -> v b S L\nv * * -> w . S L\nw * * -> h . S S",
            [""],
        ),
        "an output like the input": (rows + "s * * -> h a S S\n", ["a", "aa"]),
    }
    for name, (source, given) in cases.items():
        (tmp_path / "m.tm").write_text(source)
        assert call(capsys, "compile", "tm", tmp_path / "m.tm", "-o", tmp_path / "m.json", "--force")[0] == 0
        machine = read_turing(source)
        for word in given:
            for limit in (0, 1, 2, 50):
                for domain in ([], ["--domain", "ball"], ["--domain", "float64"]):
                    run = execute(machine, word, limit)
                    code, said = lines(capsys, "run", tmp_path / "m.json", "--input", word, "--steps", limit, *domain)
                    last = {"stopped": "end" if run.ended else "limit", "output": run.output}
                    assert said == [*run.documents, last] and code == (0 if run.ended else 3), (name, word, limit)


@pytest.mark.sweep
def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "inc.json"
    made = document(capsys, "compile", "tm", MACHINES / "increment.tm", "-o", file)
    assert made["layers"] == 3 and made["heads"] == 3 and made["operators"] == 45 and made["certificate"] is None
    assert "the cell under work head 1 holds 0" in call(capsys, "show", file)[1].replace("\n", " ")
    code, out, _ = call(capsys, "run", file, "--input", "1011", "--steps", "100")
    assert code == 0 and out.endswith("ended; output: 1100\n") and "write 1  move L L" in out
    code, out, _ = call(capsys, "run", file, "--input", "1011", "--steps", "3")
    assert code == 3 and "limit of 3" in out
    code, out, _ = call(capsys, "run", file, "--input", "1011", "--steps", "100", "--trace")
    assert code == 0 and "reads 1 from token 14; next best token 13" in out
    code, said = lines(capsys, "run", file, "--input", "1", "--steps", "100", "--trace")
    assert code == 0 and said[0]["looked"][0]["position"] == 1 and said[-1]["output"] == "10"
    assert "must not contain the blank" in refused(capsys, "run", file, "--input", "1_", "--steps", "9")
    assert "one of the machine's input" in refused(capsys, "run", file, "--input", "2", "--steps", "9")
    assert "--steps 100" in refused(capsys, "run", file, "--input", "1")
    assert "must answer them" in refused(capsys, "decide", file)
    assert "the file of a Turing machine must exist" in refused(capsys, "compile", "tm", "no.tm", "-o", tmp_path / "x")
    assert "line 1" in refused(capsys, "compile", "tm", "a b c", "-o", tmp_path / "x")
    code, _, why = call(capsys, "compile", "tm", "1RB1LB_1LA1RZ", "-o", tmp_path / "x", "--prove")
    assert code == 3 and (tmp_path / "x").exists() and "--theorem 2" in why and "PROVED" not in why
    code, said = lines(capsys, "run", file, "--input", "2", "--steps", "9")
    assert code == 2 and len(said) == 1 and said[0]["error"]["given"] == "2"


def test_a_model_file_keeps_its_machine_and_integers_refuse_other_weights() -> None:
    model = shipped("copy")
    again = loads(dumps(model))
    assert again == model and again.program == model.program
    assert run_machine(again, "01", 99).output == "01"
    reads = [list(row) for row in model.readout.weights.tolist()]
    reads[0][0] += 1
    from dataclasses import replace

    other = replace(model, readout=replace(model.readout, weights=reads))
    with pytest.raises(BadInput, match="weights that symcook compile gives"):
        run_machine(other, "01", 99)
    assert run_machine(other, "01", 1, "ball").tokens


@pytest.mark.sweep
def test_every_token_of_a_run_is_among_those_of_the_model() -> None:
    for seed in range(200):
        machine = machines_at_random.drawn(seed, True)
        known = set(tokens(machine))
        for word in machines_at_random.words_for(machine, seed):
            assert {step.token for step in IntegerDecoder(machine).run(word, 60)} <= known, (seed, word)


def test_frames_are_the_tapes_of_a_run_by_the_book() -> None:
    model = shipped("unary-multiplication")
    run = run_machine(model, "1101", 100)
    *_, last = frames(run)
    by_the_book = execute(run.machine, "1101", 100)
    for tape, expected in zip(last.tapes, by_the_book.tapes, strict=True):
        held = {place: symbol for place, symbol in tape.items() if symbol != "_"}
        assert held == {place: symbol for place, symbol in expected.items() if symbol != "_"}
    shown = [text(run, frame) for frame in frames(run)]
    assert len(shown) == len(run.tokens) and shown[0].startswith("position 5  step 0  load")
    data = differences(run)
    assert data["output"] == "11" and len(data["tokens"]) == len(run.tokens) and data["stopped"] == "end"
    assert len(json.dumps(data)) < 200 * len(run.tokens)


def test_generate_goes_to_the_end_label() -> None:
    model = shipped("busy-beaver-2")
    found = generate(model, "", 100, "ball")
    assert found.ended and found.end == END and len(found.appended) == 6 + 1 + 2
