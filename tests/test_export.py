"""Exported weights and their certificate: what they compute, what the certificate claims, and nothing half-written."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from symcook.__main__ import main
from symcook.errors import BadInput
from symcook.export import npz
from symcook.export.certificate import _float, compare
from symcook.export.files import targets, write
from symcook.modelfile import model_hash
from symcook.numbers.expsum import exp_of
from symcook.recipes import build
from symcook.symbols import symbol

EXAMPLE = Path(__file__).parent.parent / "examples" / "run_npz.py"


def export(folder: Path, *arguments: str, code: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and certificate of an export to ``folder/m.npz``."""
    assert main(["export", *arguments, "--format", "npz", "-o", str(folder / "m.npz")]) == code
    with np.load(folder / "m.npz", allow_pickle=False) as archive:
        arrays = dict(archive)
    return arrays, json.loads((folder / "m.certificate.json").read_text())


def example(folder: Path, given: str) -> list[str]:
    command = [sys.executable, str(EXAMPLE), str(folder / "m.npz"), given]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_archive_of_dyck_1(tmp_path: Path) -> None:
    m, certificate = export(tmp_path, "dyck-1")
    assert list(m["coordinates"]) == ["token", "balance", "error", "total"]
    assert list(m["vocabulary"]) == ["(", ")"]
    assert m["embedding"].tolist() == [[1, 0, 0, 0], [-1, 0, 0, 0]]
    assert (str(m["layer1.mask"]), str(m["layer1.weighting"])) == ("future", "average")
    assert all(np.isfinite(a).all() for a in m.values() if a.dtype.kind == "f")
    assert all(a.dtype.kind in "fiU" for a in m.values())
    assert certificate["model_hash"] == model_hash(build("dyck-1"))
    assert certificate["dtype"] == "float64"
    assert certificate["greatest_length"] == 16
    assert certificate["compared"]["inputs"] == 2**17 - 2
    assert certificate["compared"]["complete"] is True
    assert certificate["weights_sha256"] == hashlib.sha256((tmp_path / "m.npz").read_bytes()).hexdigest()
    assert {"id", "status"} == set(certificate["claims"][0])
    assert "Cookbook" in certificate["source"]


def test_the_greatest_length_stops_before_the_first_wrong_float(tmp_path: Path) -> None:
    """With eps = 1/4096 a zero test of a float total leaves a rounding error, which the strict sign takes for yes."""
    m, certificate = export(tmp_path, "dyck-1-nonuniform")
    length, first = certificate["greatest_length"], certificate["compared"]["first_difference"]
    assert length < 16
    assert len(first) == length + 1
    exact = build("dyck-1-nonuniform").run(first).accept
    said = example(tmp_path, first)[0] == "accept"
    assert said != exact
    for word in itertools.islice(itertools.product("()", repeat=7), 0, None, 5):
        tokens = np.array([["()".index(t) for t in word]])
        assert npz.verdicts(m, npz.evaluate(m, npz.embed(m, tokens)))[0] == build("dyck-1").run("".join(word)).accept


@pytest.mark.parametrize(
    ("recipe", "given", "options"),
    [
        ("dyck-1", "(())", ["--input", "(())"]),
        ("dyck-1", "())(", ["--input", "())("]),
        ("dyck-1-nonuniform", "()()", ["--input", "()()"]),
        ("average", "1; 2; 6", ["--rows", "1; 2; 6"]),
        ("prefix-average", "1; 2; 6", ["--rows", "1; 2; 6"]),
        ("lookup-quadratic", "2,5; 1,7; 3,9", ["--rows", "2,5; 1,7; 3,9"]),
        ("first-position", None, []),
        ("add", "1,2", ["--set", "x=1", "--set", "y=2"]),
    ],
)
def test_the_example_reproduces_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], recipe: str, given: str | None, options: list[str]
) -> None:
    export(tmp_path, recipe, *([] if recipe == "add" else ["--max-length", "6"]))
    if given is None:
        given = build(recipe).alphabet[0] * 5
        options = ["--input", given]
    capsys.readouterr()
    assert main(["run", recipe, *options, "--domain", "float64", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    lines = example(tmp_path, given)
    if "accept" in answer:
        assert lines.pop(0) == ("accept" if answer["accept"] else "reject")
    shown = {line.split()[0]: [float(v) for v in line.split()[1:]] for line in lines}
    expected = {name: value for name, value in answer["output"].items() if name != "logit"}
    for name, value in expected.items():
        assert shown[name][-1] == pytest.approx(value, rel=1e-12, abs=1e-12)
    if "outputs" in answer and "accept" not in answer:
        assert shown[next(iter(expected))] == pytest.approx(answer["outputs"], rel=1e-12, abs=1e-12)


def test_position_tables(tmp_path: Path) -> None:
    m, certificate = export(tmp_path, "first-position", "--max-length", "6")
    tables = certificate["position_tables"]
    model = build("first-position")
    assert tables["N"] == 6
    assert set(tables["tables"]) >= set(model.embedding.positions)
    for name, expression in model.embedding.positions.items():
        column = list(m["coordinates"]).index(name)
        start = model.embedding.start
        for n in range(1, 7):
            exact = [expression.subs({symbol("i"): start + p, symbol("n"): n}) for p in range(n)]
            assert m["positions"][n - 1, :n, column].tolist() == [float(v) for v in exact]
            assert tables["tables"][name]["values"][n - 1] == [str(v) for v in exact]


def test_symbols_are_set_and_named(tmp_path: Path) -> None:
    m, certificate = export(tmp_path, "gtzero", "--set", "eps=1/3")
    assert certificate["symbols"] == {"eps": "1/3"}
    assert certificate["greatest_length"] is None
    assert certificate["compared"]["largest_difference"] < 1e-12
    assert m["layer1.W2"][1].tolist() == [3.0, -3.0]


def test_float32(tmp_path: Path) -> None:
    m, certificate = export(tmp_path, "dyck-1", "--dtype", "float32", "--max-length", "10")
    assert m["layer1.V"].dtype == np.float32
    assert certificate["dtype"] == "float32"
    assert certificate["greatest_length"] == 10
    assert main(["export", "gtzero", "--set", "eps=1/10^60", "--dtype", "float32", "-o", str(tmp_path / "x.npz")]) == 2
    assert not (tmp_path / "x.npz").exists()


def test_the_comparison_sees_a_wrong_weight() -> None:
    model = build("dyck-1")
    arrays = npz.arrays(model, "float64", 8)
    assert compare(model, arrays, 8)["greatest_length"] == 8
    wrong = {**arrays, "layer2.V": arrays["layer2.V"] * 0}
    found = compare(model, wrong, 8)
    # Without the total every balanced word is accepted; )( is the shortest that is not well nested.
    assert (found["greatest_length"], found["first_difference"], found["complete"]) == (1, ")(", False)
    mean = build("average")
    arrays = npz.arrays(mean, "float64", 4)
    assert compare(mean, arrays, 4)["greatest_length"] == 4
    assert compare(mean, {**arrays, "layer1.V": arrays["layer1.V"] * (1 + 1e-6)}, 4)["greatest_length"] == 0
    assert compare(mean, {**arrays, "layer1.V": arrays["layer1.V"] * np.nan}, 4)["greatest_length"] == 0


def test_an_existing_file_needs_force(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("m.npz", "m.certificate.json"):
        (tmp_path / name).write_text("precious")
        assert main(["export", "dyck-1", "-o", str(tmp_path / "m.npz"), "--max-length", "3"]) == 2
        assert "--force" in capsys.readouterr().err
        assert (tmp_path / name).read_text() == "precious"
        (tmp_path / name).unlink()
        assert list(tmp_path.iterdir()) == []
    (tmp_path / "m.npz").write_text("old")
    assert main(["export", "dyck-1", "-o", str(tmp_path / "m.npz"), "--max-length", "3", "--force"]) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.certificate.json", "m.npz"]


def test_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights, certificate = targets(str(tmp_path / "m.npz"), force=False)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "chmod", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(weights, certificate, {"a": np.zeros(2)}, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(BadInput, match="writable"):
            targets(str(tmp_path / "m.npz"), force=False)
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_where_nothing_can_be_made(tmp_path: Path) -> None:
    """What cannot be written is bad input also where permissions look fine."""
    weights = tmp_path / ("m" * 300 + ".npz")
    with pytest.raises((BadInput, OSError)):
        write(*targets(str(weights), force=False), {"a": np.zeros(2)}, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["folder.npz", "missing/m.npz", "m", "m.json", ""])
def test_bad_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(BadInput):
        targets(target, force=True)


def test_exact_values_become_the_nearest_floats():
    e = exp_of(1)
    assert _float(Fraction(1, 3)) == 1 / 3
    assert _float(e / (e + 1)) == float(mpmath.e / (mpmath.e + 1))
    near = e - Fraction("2.71828182845904523536028747135266249775724709369995")  # cancels to about 9.6e-51
    with mpmath.workdps(80):
        expected = float(mpmath.e - mpmath.mpf("2.71828182845904523536028747135266249775724709369995"))
    assert _float(near) == expected
