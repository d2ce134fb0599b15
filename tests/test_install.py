"""The proofs are found beside the package in a checkout and inside it where it is installed from a wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import symcook
from symcook.proof.files import proofs_directory

PACKAGE = Path(symcook.__file__).parent
ASK = "from symcook.proof.replay import proofs_directory as where, replay; print(where(), replay([{!r}])[0].status)"


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("layout", ["wheel", "checkout"])
def test_proofs_are_found(tmp_path: Path, layout: str) -> None:
    ignore = shutil.ignore_patterns("__pycache__", "_proofs")
    shutil.copytree(PACKAGE, tmp_path / "symcook", ignore=ignore)
    place = tmp_path / "symcook" / "_proofs" if layout == "wheel" else tmp_path / "proofs"
    shutil.copytree(proofs_directory(), place, ignore=ignore)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); " + ASK.format("cookbook.s4.7.gtzero")
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.split() == [str(place), "PROVED"]


def test_an_installation_without_proofs_says_so(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "symcook", ignore=shutil.ignore_patterns("__pycache__", "_proofs"))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from symcook.proof.replay import replay; replay()"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode != 0
    assert "the folder of proofs is missing" in done.stderr
