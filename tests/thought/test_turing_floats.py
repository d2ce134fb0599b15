"""Machines in floats: where they err, found by running them, at or above what is certified."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import automata_examples
import pytest
from shared import call

import symcook as sc
from symcook.decode import extended, generate, stream
from symcook.errors import BadInput
from symcook.export.archive import arrays
from symcook.export.machine_steps import (
    ProgramRun,
    _bits,
    _cached,
    bits_needed,
    certified,
    program_run,
    shipped,
    steps_right,
)
from symcook.programs.running import speech_of
from symcook.programs.turing import read_turing
from symcook.run import run as one_run
from symcook.spec import turing
from symcook.thought.floats import FloatDecoder
from symcook.thought.retrieval import cosine, tie_break
from symcook.thought.running import MachineStream, run_machine

SWEEPER = """
input: 0
work symbols: a b
start: right
halt: never
right * a * -> right b a S R R
right * b * -> right a a S R R
right * _ * -> left  a b S L R
left  * a * -> left  b b S L L
left  * b * -> left  a b S L L
left  * _ * -> right b a S R L
"""
"""Two heads that sweep over ever more cells, for ever."""


SMALL = "input: a\nwork symbols: a\nstart: go\nhalt: done\ngo a * -> go a R R\ngo _ * -> back . L L\n"
SMALL += "back * a -> back . L L\nback * _ -> done . R R\n"


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("weighting", "dtype", "limit", "errs"),
    [
        ("average", "float16", 60, True),
        ("average", "float32", 100, True),
        ("average", "float64", 30, False),
        ("rightmost", "float16", 100, True),
    ],
)
def test_the_first_error_is_at_or_above_the_certified_bound(weighting: str, dtype: str, limit: int, errs: bool) -> None:
    model = sc.compile("tm", SWEEPER, weighting=weighting)
    found = steps_right(model, "", limit, dtype)
    for first in (found.first_wrong, found.first_wrong_cached):
        assert first is None or first > found.certified
    assert found.tried == limit and (not errs or found.first_wrong is not None)
    assert weighting == "rightmost" or found.certified > 1
    assert found.certified < limit or not errs


@pytest.mark.sweep
def test_what_is_certified_is_counted_to_the_first_other_answer() -> None:
    """Of a run that is certified whole as many as there are, and none behind an answer that is another one."""
    model = sc.compile("tm", SWEEPER)
    run = program_run(model, "", 3)
    wanted, m = list(run.answers), arrays(model, "float64", 4)
    assert certified(model, run.word, wanted, "float64") == len(wanted) == 3
    other = next(label for label in model.readout.labels if label not in wanted)
    for k in range(3):
        assert certified(model, run.word, [*wanted[:k], other, *wanted[k + 1 :]], "float64") == k
        changed = (*wanted[:k], other, *wanted[k + 1 :])
        assert shipped(model, m, ProgramRun(run.word, changed, False)) == k + 1
        assert _cached(model, run.word, changed, "float64") == k + 1
    assert shipped(model, m, run) is None and _cached(model, run.word, wanted, "float64") is None


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.sweep
def test_automata_err_at_or_above_the_certified_bound(dtype: str) -> None:
    """Behind a word of 40 letters: every answer of the table, and the verdict; float16 errs, float64 does not."""
    for file in automata_examples.FILES:
        model = sc.compile("dfa", file.read_text())
        letters = automata_examples.letters(file)
        word = [letters[k * k % len(letters)] for k in range(40)]
        found = steps_right(model, word, 60, dtype)
        assert found.tried == 42
        said = [speech_of(model).said(one)["token"] for one in program_run(model, word, 60).answers]
        assert said == automata_examples.walked(file, word)
        for first in (found.first_wrong, found.first_wrong_cached):
            assert first is None or first > found.certified
        assert (found.first_wrong is not None) is (dtype == "float16")
        assert dtype != "float64" or found.certified == 42


def test_bits_are_the_least_that_tell_gaps_apart() -> None:
    import flint

    for gap, p in (("1", 0), ("2", 0), ("0.75", 1), ("0.5", 1), ("0.4999", 2), ("0.125", 3), ("0.001", 10)):
        assert _bits(flint.arb(gap)) == p


def test_ten_million_steps_would_need_more_bits_and_the_bits_are_those_of_the_gaps() -> None:
    model = sc.compile("tm", SWEEPER)
    bits = bits_needed(run_machine(model, "", 300))
    assert bits[0] == 0 and max(bits[:100]) < max(bits[:300]) and max(bits) < 53
    import flint

    with flint.ctx.workprec(400):
        for j in (1, 2, 10, 1000):  # the inequality that the integers rest on
            far = max(j - 1, 0)
            near = 1 - max((cosine(far, h) for h in (far - 1, far + 1)), key=float)
            assert 0 < tie_break(j) < near and tie_break(j + 1) < tie_break(j)
            assert tie_break(j) <= flint.arb(1) / (64 * j**4)


@pytest.mark.sweep
def test_decoding_with_a_cache_is_that_of_the_forward_pass() -> None:
    for name in ("multiples-of-three", "odd-ones"):
        file = next(one for one in automata_examples.FILES if one.stem == name)
        model = sc.compile("dfa", file.read_text())
        for word in ("", "1", "0110", "1" * 12):
            walked = list(FloatDecoder(model).decode(word))
            said = speech_of(model)
            assert [said.said(one)["token"] for one in walked] == automata_examples.walked(file, word)
    model = sc.compile("tm", SWEEPER)
    decoder = FloatDecoder(model, "float64").decode("")
    assert tuple(next(decoder) for _ in range(30)) == generate(model, "", 30, "float64").appended


@pytest.mark.sweep
def test_what_is_said_of_names_and_of_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A continuation by what is shown and no token is answered with tokens that begin so; nothing extends an end."""
    file = tmp_path / "m.json"
    assert call(capsys, "compile", "tm", SMALL, "-o", file)[0] == 0
    code, _, said = call(capsys, "run", file, "--input", "a", "--then", "back")
    assert code == 2 and "such as back(L;aL) back(L;a>L)" in said and "go" not in said
    code, _, said = call(capsys, "run", file, "--input", "a", "--then", "xx")
    assert code == 2 and said.endswith(" ..\n") and said.count("(") == 8
    code, out, _ = call(capsys, "run", file, "--input", "a", "--then", "go(start)")
    assert code == 0 and out.endswith("continues so: 1 token, in one pass\n")
    model = sc.load(str(file))
    whole = extended(model, "a", 7)
    assert whole[1:] == (*generate(model, "a", 7, "ball").appended, "end")
    with pytest.raises(BadInput, match="by at most 7 steps: the model ends it with end"):
        extended(model, "a", 8)


def test_other_models_are_refused() -> None:
    with pytest.raises(BadInput, match="causal"):
        FloatDecoder(sc.build("dyck-1"))
    model = sc.compile("tm", SWEEPER)
    layers = list(model.layers)
    part = layers[2].feedforward
    layers[2] = replace(layers[2], feedforward=replace(part, activation="gelu"))
    with pytest.raises(BadInput, match="activation gelu"):
        FloatDecoder(replace(model, layers=tuple(layers)))


def test_floats_answer_where_the_readout_looks_and_to_the_greatest_length() -> None:
    """The run in floats is that of the model in the file: not of one that answers at another position, and no longer
    than the model's inputs may be. The machine's run has 9 tokens after the added one."""
    model = sc.compile("tm", "1RB1LB_1LA1RZ")
    assert len(run_machine(model, "", 20, "float64").tokens) == 9
    first = replace(model, readout=replace(model.readout, position="first"))
    for domain in ("float64", "ball"):
        with pytest.raises(BadInput, match="must answer at the last position or at each"):
            run_machine(first, "", 20, domain)
        with pytest.raises(BadInput, match="an input must have length at most 4"):
            run_machine(replace(model, max_length=4), "", 20, domain)
        assert len(run_machine(replace(model, max_length=4), "", 3, domain).tokens) == 3


@pytest.mark.sweep
def test_a_run_in_floats_says_where_it_goes_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sweeper.tm").write_text(SWEEPER)
    call(capsys, "compile", "tm", tmp_path / "sweeper.tm", "-o", tmp_path / "m.json")

    def said(*more: object) -> tuple[int, Any]:
        code, out, _ = call(capsys, "run", tmp_path / "m.json", "--input", "", "--steps", 60, *more, "--json")
        return code, [json.loads(line) for line in out.splitlines()]

    code, right = said()
    assert code == 3 and "first_wrong" not in right[-1]
    code, found = said("--domain", "float16")
    wrong = found[-1]["first_wrong"]
    assert found[: wrong - 1] == right[: wrong - 1] and found[:-1] != right[:-1]  # a flag may be wrong first
    assert "first_wrong" not in said("--domain", "float64")[1][-1]


@pytest.mark.sweep
@pytest.mark.parametrize("options", [(), ("--theorem", "2")])
def test_bits_say_where_a_run_goes_wrong(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At p bits a run is that of the whole network at p bits, token by token on the prefix, and wrong from where it
    leaves the interpreter's; with enough bits nowhere. Bits without mpmath are refused."""
    file, right = tmp_path / "m.json", turing.execute(read_turing(SMALL), "aaaa", 40)
    assert call(capsys, "compile", "tm", SMALL, "-o", file, *options)[0] == 0
    model, seen = sc.load(str(file)), 0
    truth = program_run(model, "aaaa", 40).answers
    for bits in (4, 6, 8, 12, 53):
        said = list[str]()
        for token in islice(stream(model, "aaaa", 40, "mpmath", bits=bits), 8):
            said.append(token)
            if token not in model.alphabet:  # which rounding alone puts out
                break
        for k, token in enumerate(said):
            asked = replace(model, readout=replace(model.readout, position="last"))
            assert one_run(asked, ("a",) * 4 + tuple(said[:k]), "mpmath", bits=bits).result.label(-1) == token
        asked = ("run", file, "--input", "aaaa", "--steps", 40, "--domain", "mpmath", "--bits", bits)
        code, out, _ = call(capsys, *asked)
        wrong = next((k for k, pair in enumerate(zip(said, truth, strict=False), 5) if pair[0] != pair[1]), None)
        if bits == 53:
            assert code == 0 and f"output: {right.output}\n53 bits: every token is the " in out
        elif wrong is not None:
            seen += 1
            assert out.endswith(f"{bits} bits: wrong from position {wrong} on\n")
            assert json.loads(call(capsys, *asked, "--json")[1].splitlines()[-1])["first_wrong"] == wrong
    assert seen >= 2
    code, _, said_why = call(capsys, "run", file, "--input", "aaaa", "--steps", 40, "--bits", 12)
    assert code == 2 and "must go with the number system mpmath" in said_why


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("options", [(), ("--theorem", "2")])
def test_a_wrong_run_stops_where_it_is_wrong(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy of 60 letters in float16: the last token that is shown is the first wrong one, and the exit code is 3.
    What the machine of the book puts out begins with the output before it."""
    file, word = tmp_path / "m.json", "0110" * 15
    assert (
        call(capsys, "compile", "tm", Path(__file__).parents[2] / "examples/machines/copy.tm", "-o", file, *options)[0]
        == 0
    )
    asked = ("run", file, "--input", word, "--steps", 400, "--domain", "float16")
    code, out, _ = call(capsys, *asked, "--json")
    *tokens, last = map(json.loads, out.splitlines())
    truth = program_run(sc.load(str(file)), word, 400)
    assert code == 3 and last["stopped"] == "wrong" and word.startswith(last["output"])
    assert tokens[-1]["position"] == last["first_wrong"] < len(word) + len(truth.answers)
    code, out, _ = call(capsys, *asked)
    whose = "program" if options else "machine"
    assert code == 3 and f"stopped at a token that is not the {whose}'s; output before it: " in out
    assert out.endswith(f"float16: wrong from position {last['first_wrong']} on\n")


@pytest.mark.parametrize("weighting", ["rightmost", "leftmost", "average"])
@pytest.mark.parametrize("mask", ["future", "strict-future"])
def test_a_head_without_scores_breaks_ties_as_its_weighting_says(weighting: str, mask: str) -> None:
    b = sc.Builder(words={"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}})
    written = b.add(sc.head(value={"p": "x", "q": "y"}, mask=mask, weighting=weighting))
    b.readout("largest", "last", written, labels=("a", "b"))
    model = b.build("m")
    for word in ("a", "b", "ab", "aab", "abb", "baa", "bab"):
        decoder = FloatDecoder(model)
        assert [decoder.push(token) for token in word][-1] == one_run(model, word).outputs[-1], word


@pytest.mark.parametrize("domain", ["float64", "ball"])
def test_what_comes_after_the_limit_is_not_looked_at(domain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The third label is not one of the machine's; runs of at most two tokens stop at their limit."""
    model = sc.compile("tm", SMALL)
    right = [*islice(stream(model, "a", 9), 2)]

    def labels(self: MachineStream) -> Iterator[str]:
        yield from (*right, "nonsense", right[0])

    monkeypatch.setattr(MachineStream, "_generated", labels)
    for limit in (0, 1, 2):
        run = run_machine(model, "a", limit, domain)
        assert len(run.tokens) == limit and run.wrong is None and not run.ended
    if domain == "float64":
        run = run_machine(model, "a", 3, domain)
        assert run.wrong == len("a") + 3 and len(run.tokens) == 2 and not run.ended
    else:
        with pytest.raises(BadInput, match="a step that the machine in the model file can take"):
            run_machine(model, "a", 3, domain)


@pytest.mark.parametrize("options", [(), ("--theorem", "2")])
def test_a_run_that_rounding_ends_is_wrong_there(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In 3 bits a variance becomes zero at position 9, so that there is no token at 10."""
    stay, file = "work symbols: 1\ninput: a\nstart: q\nhalt: h\nq * * -> q 1 S S\n", tmp_path / "m.json"
    assert call(capsys, "compile", "tm", stay, "-o", file, *options)[0] == 0
    asked = ("run", file, "--input", "a", "--steps", 20, "--domain", "mpmath", "--bits", 3)
    code, out, _ = call(capsys, *asked)
    assert code == 3 and out.endswith("3 bits: wrong from position 10 on\n")
    assert json.loads(call(capsys, *asked, "--json")[1].splitlines()[-1])["first_wrong"] == 10
