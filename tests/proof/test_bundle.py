"""``prove .. --bundle DIR``: the folder is checked by its own command, in an environment with nothing installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from shared import call, document, refused
from test_own_renamed import votes


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command of README.txt in the folder, with an empty environment, with nothing of symcook to import."""
    text = (folder / "README.txt").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("Check"))
    program, *words = line.split()[1:]
    assert program == "python3" and words[:2] == ["-I", "-S"]
    return subprocess.run([sys.executable, *words], cwd=folder, env={}, capture_output=True, text=True, check=False)


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Path:
    """The bundle of a proof with lemmas."""
    monkeypatch.chdir(tmp_path)
    votes("ab").save("votes.json")
    said = "accept <-> count(a) > count(b)"
    code, out, _ = call(capsys, "prove", "votes.json", "--statement", said, "--bundle", "out")
    assert code == 0 and "Bundle       out: python3 -I -S checker.py statement.txt proof.json lemmas" in out
    return tmp_path / "out"


def test_the_command_accepts_the_proof_and_no_corrupted_copy(bundle: Path, tmp_path: Path) -> None:
    found = check(bundle)
    assert found.returncode == 0 and "PROVED   own.votes" in found.stdout, found
    assert "accept <-> count(a) > count(b)" in (bundle / "README.txt").read_text(encoding="utf-8")

    def corrupted(name: str, old: str, new: str) -> subprocess.CompletedProcess[str]:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(bundle, copy)
        text = (copy / name).read_text(encoding="utf-8")
        assert old in text, (name, old)
        (copy / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        return check(copy)

    certificate = json.loads((bundle / "proof.json").read_text(encoding="utf-8"))
    lemma = sorted(certificate["lemmas"])[0]
    for name, old, new in (
        ("statement.txt", "vote(i) = I[w(i) = 0]", "vote(i) = I[w(i) = 1]"),
        ("statement.txt", "model: ", "model: 0"),
        ("proof.json", certificate["statement"], "0" * 64),
        ("proof.json", '"by": "intro"', '"by": "hyp"'),
        ("proof.json", f'"{lemma}"', '"lem.none"'),
        (f"lemmas/{lemma}.json", '"by"', '"bye"'),
    ):
        found = corrupted(name, old, new)
        assert found.returncode == 1 and "rejected" in found.stdout, (name, old, found)
    (bundle / "proof.json").unlink()
    assert check(bundle).returncode == 1  # a file that is missing is no proof


def test_a_refutation_and_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    votes("ab").save("votes.json")
    row = document(capsys, "prove", "votes.json", "--statement", "count(a) <= 1", "--bundle", "out", code=1)
    assert (row["status"], row["bundle"]) == ("REFUTED", "out")
    assert row["check"].startswith("python3 -I -S checker.py statement.txt proof.json")
    found = check(tmp_path / "out")
    assert found.returncode == 0 and "REFUTED  own.votes" in found.stdout


def test_a_stored_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(capsys, "prove", "cookbook.s5.7.lemma5.3", "--bundle", "lemma")[0] == 0
    found = check(tmp_path / "lemma")
    assert found.returncode == 0 and "PROVED   cookbook.s5.7.lemma5.3" in found.stdout


def test_a_bundle_is_a_new_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    votes("ab").save("votes.json")
    os.mkdir("there")
    for folder in ("there", "no/where", "votes.json"):
        error = refused(capsys, "prove", "votes.json", "--statement", "accept -> 1 <= n", "--bundle", folder)
        assert "a bundle must be a new folder in a folder that exists" in error
    assert sorted(os.listdir()) == ["there", "votes.json"]
    refused(capsys, "prove", "votes.json", "--bundle", "out")
    refused(capsys, "prove", "--bundle", "out")
    refused(capsys, "prove", "cookbook.s5.7.lemma5.3", "--bundle", "out", "--json")
    assert not Path("out").exists()


@pytest.mark.sweep
def test_an_open_statement_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    votes("ab").save("votes.json")
    said = "all p in 1..n. all q in 1..n. swapped(p, q).accept <-> accept"
    code, _, _ = call(capsys, "prove", "votes.json", "--statement", said, "--bundle", "out", "--seconds", "1")
    assert (code, os.listdir()) == (3, ["votes.json"])
