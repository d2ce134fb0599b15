"""The Containerfile, done as it says without a daemon: what it copies is all that its installation needs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from checkout import ROOT

BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


def copied(text: str, folder: Path) -> Path:
    """The folder /source of the image, below `folder`."""
    for line in re.findall(r"^COPY (.+)$", text, re.MULTILINE):
        *names, target = line.split()
        place = folder / target.lstrip("/")
        for name in names:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, place)
    return folder / "source"


def wheel(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-c", BUILD, str(target)]
    return subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)


@pytest.mark.tools("hatchling")
def test_what_is_copied_builds(tmp_path: Path) -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    source = copied(text, tmp_path / "image")
    assert "pip install --no-cache-dir /source" in text
    (source / "symcook" / "data" / "list.txt").unlink(missing_ok=True)  # which the checkout has when it was installed
    done = wheel(source, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next((tmp_path / "out").glob("*.whl"))) as made:
        names = set(made.namelist())
    assert {"symcook/__main__.py", "symcook/data/list.txt", "symcook/_proofs/checker.py"} <= names
    (source / "hatch_build.py").unlink()
    assert wheel(source, tmp_path / "out").returncode != 0
