"""The notebooks of examples/notebooks run, and every answer in them shows itself as HTML."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
SECONDS = 600
"""What a cell may take on a busy machine."""


def read(path: Path) -> Any:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: pip install nbclient ipykernel")
    return nbformat.read(path, as_version=4)


RUN = """
import sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=int(sys.argv[3]), kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[2])
"""
"""In a process of its own: what a client leaves behind when it ends is no matter of the tests."""


def executed(path: Path, folder: Path) -> Any:
    """A notebook run by a kernel of the Python that runs this; AssertionError with what a cell said."""
    for name in ("nbclient", "ipykernel"):
        pytest.importorskip(name, reason=f"{name} is not installed: pip install nbclient ipykernel")
    words = [sys.executable, "-W", "ignore", "-c", RUN, str(path), str(folder / "done.ipynb"), str(SECONDS)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return read(folder / "done.ipynb")


def test_they_are_numbered() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04"]


@pytest.mark.sweep
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_the_answers_that_it_is_stored_with(path: Path, tmp_path: Path) -> None:
    """Where this fails: jupyter execute --inplace examples/notebooks/*.ipynb"""
    shown, ran = 0, executed(path, tmp_path).cells
    for cell, stored in zip(ran, read(path).cells, strict=True):
        if cell.cell_type == "markdown":
            continue
        told = [[output.get("data", {}).get("text/plain") for output in one.outputs] for one in (cell, stored)]
        assert told[0] == told[1]
        for output in cell.outputs:
            assert output.output_type == "execute_result", output
            plain = output.data["text/plain"]
            assert "text/html" in output.data or "(Parameter(" in plain or plain.startswith("array("), output.data
            shown += 1
    assert shown >= 4


@pytest.mark.sweep
def test_a_cell_that_fails_is_an_error(tmp_path: Path) -> None:
    """The test above can fail."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: pip install nbclient ipykernel")
    new = nbformat.v4
    wrong = new.new_notebook(cells=[new.new_code_cell("import symcook as sc\nsc.build('no-such-recipe')")])
    nbformat.write(wrong, tmp_path / "wrong.ipynb")
    with pytest.raises(AssertionError, match="no-such-recipe"):
        executed(tmp_path / "wrong.ipynb", tmp_path)
