"""The benchmark's sides agree before anything is timed, and its command says what it did."""

from __future__ import annotations

import importlib
import json
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest
from checkout import ROOT

from symcook.recipes import build
from symcook.spec.languages import dyck1, dyck1_grammar

FOLDER = ROOT / "benchmarks"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch):
    """A module of the benchmark. Both sides of a line run once: that they agree is tested here, and not how fast."""
    monkeypatch.syspath_prepend(str(FOLDER))

    def module(name: str) -> ModuleType:
        found = importlib.import_module(name)
        if hasattr(found, "best") and name != "timing":
            best = importlib.import_module("timing").best
            monkeypatch.setattr(found, "best", lambda first, second, _, *clock: best(first, second, 1, *clock))
        return found

    return module


def test_all_sides_of_the_sweeps_are_right(load, monkeypatch: pytest.MonkeyPatch) -> None:
    sweeps = load("sweeps")
    monkeypatch.setattr(sweeps, "LENGTH", 7)
    model = build("dyck-1")
    expected = [[dyck1("".join(w)) for w in product("()", repeat=n)] for n in range(1, 8)]
    sides = (sweeps.verdicts(model), sweeps.verdicts(model, True), sweeps.one_by_one(model), sweeps.dense_floats(),
             sweeps.lean_floats())  # fmt: skip
    for side in sides:
        assert [found.tolist() for found in side] == expected
    for make in (sweeps.wide, sweeps.unequal):
        heavy = make(90)
        assert all((a == b).all() for a, b in zip(sweeps.verdicts(heavy), sweeps.one_by_one(heavy), strict=True))


@pytest.mark.sweep
def test_the_references_of_the_benchmark_are_right(load, monkeypatch: pytest.MonkeyPatch) -> None:
    sweeps = load("sweeps")
    monkeypatch.setattr(sweeps, "LENGTH", 6)
    monkeypatch.setattr(sweeps, "SOFT_LENGTH", 3)
    for n in range(7):
        assert all(sweeps.nested(w) is dyck1_grammar(w) for w in map("".join, product("()", repeat=n)))
    assert [row["ratio_is"] for row in (*sweeps.references(), sweeps.remembered())] == ["faster"] * 3


@pytest.mark.sweep
def test_merged_words_of_the_benchmark_are_right(load, monkeypatch: pytest.MonkeyPatch) -> None:
    merging = load("merging")
    monkeypatch.setattr(merging, "SHORT", 6)
    for name in ("dyck-1", "dyck-1-zero-one", "parity"):
        _, _, found, short = merging.sides(name, range(1, 7))
        assert found.by_length == short.by_length and found.wrong == 0 and short.way == "exhaustive"
        assert [count.accepted for count in found.by_length] == [merging.accepted(name, n) for n in range(1, 7)]


@pytest.mark.sweep
def test_decisions_and_checks_of_the_benchmark_are_right(load) -> None:
    lengths = load("lengths")
    for name, arguments, short, _ in lengths.DECIDED[:-1]:  # the last one takes seconds
        _, _, found, swept = lengths.decided(name, arguments, short)
        assert found.verdict == "equal" and swept.holds and swept.way == "exhaustive"
    _, _, long, short = lengths.checked("dyck-1", 40, 9)
    assert long.by_length[:9] == short.by_length and (long.way, short.way) == ("merged", "exhaustive")


def test_sides_that_disagree_stop_the_run(load) -> None:
    sweeps = load("sweeps")
    right = sweeps.verdicts(build("dyck-1"))
    wrong = [found.copy() for found in right]
    wrong[-1][-1] = not wrong[-1][-1]
    sweeps.equal(right, right, "same")
    with pytest.raises(SystemExit, match="disagree"):
        sweeps.equal(right, wrong, "planted")


@pytest.mark.sweep
def test_the_command_writes_what_it_prints(load, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, starts = load("run"), load("starts")
    out = tmp_path / "speed.json"
    assert run.main(["--only", "starts", "--json", str(out)]) == 0
    rows = json.loads(out.read_text())["rows"]
    assert len(rows) == len(capsys.readouterr().out.splitlines()) == len(starts.COMMANDS)
    assert all(row["ratio"] == pytest.approx(row["seconds"] / row["other"]) for row in rows)
    assert all(row["met"] is (row["ratio"] <= row["wanted"]) for row in rows)
    with pytest.raises(SystemExit) as stop:
        run.main(["--json", str(tmp_path / "missing" / "speed.json")])
    assert stop.value.code == 2


@pytest.mark.tools("matplotlib")
def test_ratios_of_versions_are_drawn(load, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line that one version does not have is a gap, and a record without a version has the name of its file."""
    plot = load("plot")
    row = {"part": "sweeps", "what": "x", "seconds": 1.0, "other": 4.0}
    records = [{"rows": [row]}, {"symcook": "0.2.0", "rows": [{**row, "seconds": 0.5}, {**row, "what": "y"}]}]
    assert plot.curves(records) == {"sweeps: x": [4.0, 8.0], "sweeps: y": [None, 4.0]}
    for name, record in zip(("old.json", "new.json"), records, strict=True):
        (tmp_path / name).write_text(json.dumps(record), encoding="utf-8")
    assert plot.main([*map(str, (tmp_path / "old.json", tmp_path / "new.json")), "-o", str(tmp_path / "r.svg")]) == 0
    (tmp_path / "other.json").write_text("[1]")
    for bad in (["none.json", "-o", "r.svg"], ["other.json", "-o", "r.svg"], ["old.json", "-o", "none/r.svg"]):
        with pytest.raises(SystemExit) as left:
            plot.main([str(tmp_path / one) if one != "-o" else one for one in bad])
        assert left.value.code == 2
    drawn = (tmp_path / "r.svg").read_text(encoding="utf-8")
    assert "<svg" in drawn and "0.2.0" in drawn.replace("<!-- ", "") and "old" in drawn
    assert capsys.readouterr().out.startswith("wrote ")


def test_a_missing_partner_is_named(load, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    """The line has no numbers, and pictures and comparisons of versions pass over it."""
    run, plot = load("run"), load("plot")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run.main(["--only", "others", "--json", str(tmp_path / "rows.json")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in said] == ["torch", "tracr"] and all("not installed" in line for line in said)
    record = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert [row["missing"] for row in record["rows"]] == ["torch", "tracr"] and plot.curves([record]) == {}


@pytest.mark.sweep
def test_attention_of_the_benchmark_runs(load, monkeypatch: pytest.MonkeyPatch) -> None:
    """At small sizes: both sides agree, of balls and of floats."""
    attention = load("attention")
    for name, size in (("ROW", 16), ("LAYER", 8), ("LONG", 32)):
        monkeypatch.setattr(attention, name, size)
    assert [row["ratio_is"] for row in attention.rows()] == ["faster"] * 2 + ["longer"] + ["faster"] * 2


@pytest.mark.sweep
def test_a_command_enters_no_module_of_another(load) -> None:
    modules = load("modules")
    found = {command[0]: {name.removeprefix("symcook.") for name in modules.entered(command)}
             for command in modules.COMMANDS}  # fmt: skip
    assert {"forward", "run", "domains.exact"} <= found["run"] and {"proof.kernel", "proof.replay"} <= found["prove"]
    assert "numbers.expsum" not in found["run"], "it is loaded, and no function of it is called"
    audit = ("senses", "seals", "certificatefile", "statementfiles")
    ledger = {"proof.files", *(f"proof.audit.{name}" for name in audit)}
    assert not any(name.startswith("proof.") for name in found["run"] | (found["export"] - ledger))
    assert not {"forward", "run"} & found["prove"]
    with pytest.raises(RuntimeError, match="must be"):
        modules.entered(("run", "dyck-1", "--input", "x"))


@pytest.mark.sweep
def test_growth_tells_exponents_and_takes_the_names_that_are_asked_for(load, tmp_path, monkeypatch, capsys) -> None:
    growth = load("growth")
    monkeypatch.setattr(
        growth, "operations", lambda: {"slow": (lambda n: sum(range(n * n)), (200, 800)), "other": None}
    )
    assert growth.main(["--only", "slow", "--json", str(tmp_path / "growth.json")]) == 0
    (row,) = json.loads((tmp_path / "growth.json").read_text())["rows"]
    assert 1.5 < row["exponent"] < 2.5 and set(row["loops"]) == {"200", "800"} and "slow" in capsys.readouterr().out


@pytest.mark.sweep
def test_every_operation_of_the_growth_table_runs(load) -> None:
    assert all(run(2) is not None for run, _ in load("growth").operations().values())


@pytest.mark.sweep
def test_an_imported_model_of_the_benchmark_is_that_of_numpy(load, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a small width: the margin and all answers agree with numpy's."""
    imported = load("imported")
    for name, size in (("WIDTH", 6), ("HIDDEN", 8), ("LAYERS", 1), ("POSITIONS", 7)):
        monkeypatch.setattr(imported, name, size)
    assert [row["ratio_is"] for row in imported.rows()] == ["longer"] * 2
