"""Exports of decoders: they name their greatest number of steps, and the script beside the weights refuses more."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import automata_examples
import numpy as np
import pytest
from shared import call, document

import symcook as sc
from symcook.errors import BadInput, Rejected
from symcook.export import archive
from symcook.export.machine_steps import program_run
from symcook.export.verify import verify_export
from symcook.spec.turing import execute

WALK = "input: 1\nwork symbols: a\nstart: p\nhalt: h\np * * -> p a R R\n"
"""A machine that goes on for ever."""
ODD = next(one for one in automata_examples.FILES if one.stem == "odd-ones")


def script(file: Path, *more: object) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "symcook.export.run_npz", file.name, *map(str, more)],
        capture_output=True, text=True, check=False, cwd=file.parent,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def in_floats(file: Path, word: str, steps: int) -> Iterator[str]:
    """The labels that the stored weights go on with, by the arrays alone."""
    m = dict(np.load(file))
    places, labels = m["vocabulary"].tolist(), m["readout.labels"].tolist()
    tokens = ["$", *word]
    for _ in range(steps):
        z = archive.evaluate(m, archive.embed(m, np.array([[places.index(token) for token in tokens]])))
        label = labels[int(archive.shown(m, z)[0, -1].argmax())]
        yield label
        tokens.append(label)


def compiled(capsys: pytest.CaptureFixture[str], folder: Path, kind: str, source: Path | str) -> Path:
    assert call(capsys, "compile", kind, source, "-o", folder / "m.json")[0] == 0
    return folder / "m.json"


@pytest.mark.sweep
def test_a_machine_in_float32_names_its_greatest_number_of_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = compiled(capsys, tmp_path, "tm", WALK)
    file = tmp_path / "m.npz"
    said = document(capsys, "export", model, "-o", file, "--dtype", "float32", "--max-length", 1)
    promised = said["decoding"]
    assert promised["program"]["kind"] == "tm" and promised["words_to"] == 1 and promised["asked"] == 100
    lengths = promised["lengths"]
    assert [each["words"] for each in lengths] == [1, 1]
    assert promised["steps"] == min(each["steps"] for each in lengths) < 100
    machine = sc.load(model)
    for each in lengths:
        for word in map("".join, itertools.product("1", repeat=each["length"])):
            book = execute(_machine(machine), tuple(word), 100)  # by the book, without tokens of its own
            run = program_run(machine, word, each["steps"])
            shown = list(in_floats(file, word, len(run.answers)))
            assert shown == list(run.answers)  # what is promised holds in the shipped arithmetic
            assert len(book.documents) >= min(each["steps"], len(run.answers) - run.ended)
    with_steps = promised["lengths"][1]["steps"]
    code, out, _ = script(file, "1", "--steps", with_steps)
    assert code == 3 and len(out.splitlines()) == with_steps
    code, out, err = script(file, "1", "--steps", with_steps + 1)
    assert code == 2 and out == "" and f"at most {with_steps} steps" in err and err.count("\n") == 1
    code, out, err = script(file, "11", "--steps", 1)
    assert code == 2 and "at most 1 symbols" in err
    assert verify_export(file)["decoding"] == promised


def _machine(model: sc.Transformer) -> Any:
    from symcook.thought.running import machine_of

    return machine_of(model)


@pytest.mark.sweep
def test_more_than_is_certain_is_refused_and_nothing_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = compiled(capsys, tmp_path, "tm", WALK)
    code, _, err = call(
        capsys, "export", model, "-o", tmp_path / "m.npz", "--dtype", "float32", "--max-length", 1, "--steps", 50
    )
    assert code == 2 and "which any runtime gets right" in err and err.count("\n") == 1
    assert not (tmp_path / "m.npz").exists()
    more = ("--steps", 50, "--max-length", 1, "--dtype", "float16", "--json")
    found = json.loads(call(capsys, "export", model, "-o", tmp_path / "m.npz", *more)[1])
    assert found["error"]["given"] == "50"
    code, out, _ = call(capsys, "export", model, "-o", tmp_path / "m.npz", "--max-length", 1, "--steps", 50)
    assert code == 0 and "decodes 50 steps after strings of at most 1 symbols" in out


@pytest.mark.sweep
def test_at_the_last_certain_step_nothing_is_said_of_the_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A machine halts at its first step; behind it float16 is certain of no answer, so that the end is not denied."""
    source = tmp_path / "once.tm"
    source.write_text("input: 1\nwork symbols: a\nstart: p\nhalt: h\np * * -> h a R R\n")
    model, file = compiled(capsys, tmp_path, "tm", source), tmp_path / "m.npz"
    promised = document(capsys, "export", model, "-o", file, "--dtype", "float16", "--max-length", 1)["decoding"]
    assert promised["lengths"][1]["steps"] == 2
    code, out, err = script(file, "1", "--steps", 2)
    assert code == 3 and len(out.splitlines()) == 2
    assert err.endswith("stopped at the limit of 2 steps, and the next answer is not certain\n")
    code, out, err = script(file, "1", "--steps", 1)
    assert code == 3 and len(out.splitlines()) == 1 and err.endswith("limit of 1 steps, before the end\n")


@pytest.mark.sweep
def test_an_automaton_decodes_to_its_verdict_in_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = compiled(capsys, tmp_path, "dfa", ODD)
    file = tmp_path / "m.npz"
    promised = document(capsys, "export", model, "-o", file, "--max-length", 2)["decoding"]
    assert promised["steps"] == 100 and promised["words_to"] == 2
    for word in ("", "01"):
        code, out, _ = script(file, word, "--steps", 100)
        assert code == 0 and [line.split()[1] for line in out.splitlines()] == automata_examples.walked(ODD, word)
    assert script(file, "11", "--steps", 2)[0] == 3
    for wrong in ("-1", "101"):
        assert script(file, "11", "--steps", wrong)[0] == 2
    assert script(file, "1x", "--steps", "3")[0] == 2
    assert script(file, "1 1")[0] == 0  # one pass, as of any model


@pytest.mark.sweep
def test_the_code_beside_torch_weights_refuses_more(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    model = sc.compile("dfa", ODD.read_text())
    said = model.export(tmp_path / "m.pt", format="torch", max_length=2, steps=12)
    assert said["decoding"]["steps"] == 12

    def run(*given: str) -> tuple[int, str, str]:
        start = [sys.executable, "m.py", *given]
        done = subprocess.run(start, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    code, out, _ = run("01", "--steps", "12")
    assert code == 0 and [line.split()[1] for line in out.splitlines()] == automata_examples.walked(ODD, "01")
    assert run("01", "--steps", "1")[0] == 3
    for word, steps in (("01", "13"), ("01", "-1"), ("011", "1"), ("a", "1")):
        code, out, err = run(word, "--steps", steps)
        assert code == 2 and out == "" and err.count("\n") == 1
    assert run("0 1")[0] == 0
    verify_export(tmp_path / "m.pt")


@pytest.mark.sweep
@pytest.mark.parametrize("ending", ["safetensors", "onnx"])
@pytest.mark.layer_two(every=2)
def test_other_formats_name_it_too(ending: str, tmp_path: Path) -> None:
    if ending == "onnx":
        pytest.importorskip("onnx")
    file = tmp_path / f"m.{ending}"
    found = sc.compile("dfa", ODD.read_text()).export(file, format=ending, max_length=2, steps=12)
    assert found["decoding"]["steps"] == 12 == verify_export(file)["decoding"]["steps"]


def test_other_models_decode_no_steps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(capsys, "export", "dyck-1", "-o", tmp_path / "m.npz", "--steps", 3)
    assert code == 2 and "automaton or a Turing machine" in err
    assert document(capsys, "export", "dyck-1", "-o", tmp_path / "m.npz", "--max-length", 4)["decoding"] is None
    assert script(tmp_path / "m.npz", "()", "--steps", 1)[0] == 2
    with pytest.raises(BadInput, match="integer of at least 0"):
        sc.compile("dfa", "a*").export(tmp_path / "n.npz", steps=-1)


@pytest.mark.sweep
def test_a_certificate_that_says_more_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from symcook.export.files import sealed

    file = tmp_path / "m.npz"
    sc.compile("tm", WALK).export(file, dtype="float32", max_length=1, steps=None)
    certificate = tmp_path / "m.certificate.json"
    said = json.loads(certificate.read_text())
    said["decoding"]["lengths"][1]["steps"] += 1
    certificate.write_bytes(sealed(said)[0])
    with pytest.raises(Rejected, match="decoding"):
        verify_export(file)
