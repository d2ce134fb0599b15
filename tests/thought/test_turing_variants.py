"""Machines without strict masks or without $: what fails, on a shortest walk or word, and that a decoder can do it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import machines_at_random
import pytest
from shared import call, refused

import symcook as sc
from symcook.compilers import genuine
from symcook.compilers.turing import MachineDecoder, NamedUnit, compiled
from symcook.domains import make_domain
from symcook.forward import forward
from symcook.model.modelfile import dumps, loads
from symcook.programs.turing import read_turing, written
from symcook.spec.turing import execute
from symcook.thought.heads import last_write
from symcook.thought.running import run_machine


@pytest.mark.layer_one(10)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("variant", ["nonstrict", "no-start"])
@pytest.mark.layer_two(every=3)
def test_random_machines_run_by_variants(seed: int, variant: str) -> None:
    machine = machines_at_random.drawn(seed, small=True)
    model = compiled(machine, written(machine), "random", variant=variant)
    heads = [head for layer in model.layers if layer.attention is not None for head in layer.attention.heads]
    assert {head.mask for head in heads} == {"future" if variant == "nonstrict" else "strict-future"}
    assert model.embedding.added == (variant == "nonstrict")
    for word in machines_at_random.words_for(machine, seed):
        if not (word or model.embedding.added):
            continue
        book = execute(machine, word, 20)
        for domain in ("ball", "integers"):
            found = run_machine(model, word, 20, domain)
            assert machines_at_random.wrong(book, found.tokens, len(word) + 1, found.ended) == 0, (word, domain)


LEFT = """input: 1 2
work symbols: 0 1
start: p
halt: h
p 1 * -> p . L S
p 2 * -> p . R S
p _ * -> h 1 R R
"""


@pytest.mark.sweep
def test_without_a_token_in_front_a_unit_reads_the_blank_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """No token stands for cell 0: the nearest is the first letter's. Without the unit that asks for the sign of the
    head's cell that letter is read; the shortest word that tells is 1, whose head goes left once."""
    machine = read_turing(LEFT)
    words = [word for n in (1, 2, 3) for word in product("12", repeat=n)]

    def wrong() -> list[tuple[str, ...]]:
        model = compiled(machine, LEFT, "left", variant="no-start")
        found = {word: run_machine(model, word, 12, "ball") for word in words}
        return [w for w, run in found.items() if machines_at_random.wrong(
            execute(machine, w, 12), run.tokens, len(w) + 1, run.ended)]  # fmt: skip

    assert wrong() == []

    def ungated(decoder: MachineDecoder) -> Iterator[NamedUnit]:
        for letter in decoder.letters.values():
            yield NamedUnit({f"found_{letter}": 1, "at0n_a": 0}, 0, {f"read_{letter}": 1})

    monkeypatch.setattr(MachineDecoder, "_right_of_start", ungated)
    assert wrong()[0] == ("1",) and ("2",) not in wrong()


@pytest.mark.sweep
def test_a_machine_without_a_token_in_front_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, file = tmp_path / "left.tm", tmp_path / "m.json"
    source.write_text(LEFT)
    assert call(capsys, "compile", "tm", source, "-o", file, "--variant", "no-start")[0] == 0
    assert genuine(loads(file.read_text()))
    code, out, _ = call(capsys, "run", file, "--input", "12", "--steps", 20, "--trace")
    assert code == 0 and "cell   0   _ [_] 1  2  _   reads _: before the first symbol" in out
    for domain in ("ball", "float64"):
        assert call(capsys, "run", file, "--input", "12", "--steps", 20, "--domain", domain)[0] == 0
        refused(capsys, "run", file, "--input", "", "--steps", 20, "--domain", domain)
    refused(capsys, "run", file, "--input", "", "--steps", 20)
    code, out, _ = call(capsys, "check", file, "--max-length", 2)
    assert code == 0 and "6 inputs of 6" in out
    assert call(capsys, "report", file, "--input", "12", "-o", tmp_path / "m.html")[0] == 0
    code, out, _ = call(capsys, "export", file, "-o", tmp_path / "m.npz", "--max-length", 1, "--json")
    assert code == 0 and [each["length"] for each in json.loads(out)["decoding"]["lengths"]] == [1]


@pytest.mark.parametrize("letter", ["$", "end"])
def test_a_letter_that_is_called_like_a_token_of_the_decoder_is_refused(
    letter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "named.tm"
    source.write_text(f"input: {letter} 1\nwork symbols: 0\nstart: p\nhalt: h\np * * -> h 0 S S\n")
    assert letter in refused(capsys, "compile", "tm", source, "-o", tmp_path / "m.json")


def found_by(tie: str, mask: str, cells: tuple[int, ...]) -> list[object]:
    """The number of the row that the printed heads find at each row."""
    rows = [{"cell": Fraction(cell), "value": Fraction(k)} for k, cell in enumerate(cells, 1)]
    result = forward(last_write(tie, mask), tuple(rows), make_domain("ball"))
    return [float(result.stream["found"][k]) for k in range(len(cells))]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("tie", ["norms", "printed"])
def test_the_printed_heads_find_the_own_column_without_strict_masks(tie: str) -> None:
    """Query and key are one hash there: a row sees itself, on its own cell, and is the last there. Every walk of at
    most 3 rows on which a cell is visited again is answered by the row itself, not by the last one before; of 2 rows
    there is one, of a head that stays. With moves of 1 and -1, as printed, the shortest has 3 rows."""
    wrong = []
    for count in (1, 2, 3):
        for moves in product((-1, 0, 1), repeat=count - 1):
            cells = tuple(sum(moves[:k]) for k in range(count))
            before = [j for j in range(1, count) if cells[j - 1] == cells[-1]]
            assert found_by(tie, "future", cells) == list(range(1, count + 1))
            if before:
                wrong.append(cells)
                assert found_by(tie, "strict-future", cells)[-1] == before[-1]
    assert min(wrong, key=len) == (0, 0)
    assert [cells for cells in wrong if len(cells) == 3 and cells[0] != cells[1] != cells[2]] == [(0, -1, 0), (0, 1, 0)]


@pytest.mark.sweep
def test_commands_take_it_or_say_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.json"
    assert call(capsys, "compile", "tm", "1RB1LB_1LA1RZ", "-o", file, "--variant", "nonstrict")[0] == 0
    assert genuine(loads(file.read_text())) and genuine(loads(dumps(sc.compile("tm", "1RB1LB_1LA1RZ"))))
    for more in ((), ("--domain", "ball")):
        code, out, _ = call(capsys, "run", file, "--input", "", "--steps", 20, *more)
        assert code == 0 and "output: 11" in out.replace("\n", " ")
    for wrong in (("--variant", "no-start"), ("--variant", "nonstrict", "--weighting", "rightmost")):
        refused(capsys, "compile", "tm", "1RB1LB_1LA1RZ", "-o", tmp_path / "n.json", *wrong)
