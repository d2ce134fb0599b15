"""Machines without strict masks: what fails of the printed heads, on a shortest walk, and that a decoder can do it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import machines_at_random
import pytest
from shared import call, refused

import symcook as sc
from symcook.compilers import genuine
from symcook.compilers.turing import compiled
from symcook.domains import make_domain
from symcook.forward import forward
from symcook.model.modelfile import dumps, loads
from symcook.programs.turing import written
from symcook.spec.turing import execute
from symcook.thought.heads import last_write
from symcook.thought.running import run_machine


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(48))
def test_random_machines_run_with_masks_that_see_the_own_column(seed: int) -> None:
    machine = machines_at_random.drawn(seed, small=True)
    model = compiled(machine, written(machine), "random", variant="nonstrict")
    heads = [head for layer in model.layers if layer.attention is not None for head in layer.attention.heads]
    assert {head.mask for head in heads} == {"future"}
    for word in machines_at_random.words_for(machine, seed):
        found = run_machine(model, word, 20, "ball")
        book = execute(machine, word, 20)
        assert machines_at_random.wrong(book, found.tokens, len(word) + 1, found.ended) == 0, word


def found_by(tie: str, mask: str, cells: tuple[int, ...]) -> list[object]:
    """The number of the row that the printed heads find at each row."""
    rows = [{"cell": Fraction(cell), "value": Fraction(k)} for k, cell in enumerate(cells, 1)]
    result = forward(last_write(tie, mask), tuple(rows), make_domain("ball"))
    return [float(result.stream["found"][k]) for k in range(len(cells))]


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


def test_commands_take_it_or_say_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.json"
    assert call(capsys, "compile", "tm", "1RB1LB_1LA1RZ", "-o", file, "--variant", "nonstrict")[0] == 0
    assert genuine(loads(file.read_text())) and genuine(loads(dumps(sc.compile("tm", "1RB1LB_1LA1RZ"))))
    for more in ((), ("--domain", "ball")):
        code, out, _ = call(capsys, "run", file, "--input", "", "--steps", 20, *more)
        assert code == 0 and "output: 11" in out.replace("\n", " ")
    for wrong in (("--variant", "no-start"), ("--variant", "nonstrict", "--weighting", "rightmost")):
        refused(capsys, "compile", "tm", "1RB1LB_1LA1RZ", "-o", tmp_path / "n.json", *wrong)
