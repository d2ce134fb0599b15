"""What runs of machines cost, as figures: counts against loops over the weights' sizes and the interpreter's run."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from checkout import ROOT

import symcook as sc
from symcook.__main__ import main
from symcook.model.parts import Head
from symcook.papers.merrill2024.figures import SAID
from symcook.programs.turing import read_turing
from symcook.spec import turing

SOURCE = ROOT / "examples" / "machines" / "palindromes.tm"


@pytest.mark.sweep
def test_the_figures_are_the_interpreters_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, folder = tmp_path / "machine.json", tmp_path / "figures"
    assert main(["compile", "tm", str(SOURCE), "-o", str(model)]) == 0
    capsys.readouterr()
    assert main(["report", str(model), "-o", str(folder), "--max-length", "4", "--json"]) == 0
    files = [Path(file).name for file in json.loads(capsys.readouterr().out)["files"] if file.endswith(".csv")]
    assert files == [f"machine-figure-{name}.csv" for name in ("tokens", "operations", "space")]
    found = {
        (row["curve"], int(row["at"])): int(row["mid"])
        for name in files
        for row in csv.DictReader((folder / name).read_text(encoding="utf-8").splitlines())
    }
    assert {curve for curve, _ in found} == set(SAID.values())
    machine = read_turing(SOURCE.read_text(encoding="utf-8"))
    loaded = sc.load(model)
    heads = [part for step in loaded.sublayers for part in step.parts if isinstance(part, Head) and not part.uniform]
    for word in ("", "a", "ab", "abab"):
        run = turing.execute(machine, word, 10_000)
        tokens = run.steps + 1 + len(run.output)
        columns = 1 + len(word) + tokens
        assert found[SAID["tokens"], run.steps] == tokens
        assert found[SAID["columns"], run.steps] == columns
        assert found[SAID["pairs"], run.steps] == sum(1 for _ in heads for i in range(columns) for _ in range(i))
        places = [{machine.head}, *({0} for _ in range(machine.tapes))]
        at = [machine.head, *[0] * machine.tapes]
        for document in run.documents:
            if "move" not in document:  # a symbol of the output is read, then the last head goes on
                places[-1].add(at[-1])
                at[-1] += 1
            for k, move in enumerate(document.get("move", ())):  # type: ignore[arg-type, var-annotated]
                at[k] += {"L": -1, "S": 0, "R": 1}[move]
                places[k].add(at[k])
        assert found[SAID["cells"], run.steps] == sum(map(len, places)), word


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("kind", "source", "says"),
    [("dfa", "(ab)*", "must be compiled from a Turing machine"), ("tm", "1RB1RA_1LA1LB", "must end within")],
)
def test_what_has_no_such_figure_is_said(
    kind: str, source: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "machine.json"
    assert main(["compile", kind, source, "-o", str(model)]) == 0
    capsys.readouterr()
    assert main(["report", str(model), "-o", str(tmp_path / "figures")]) == 2
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1 and not (tmp_path / "figures").exists()
