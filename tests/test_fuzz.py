"""A draw of the mutated command lines; all 30,000 by `python tests/fuzz.py 30000`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import fuzz
import pytest

FIRST, CASES = 40_000, 60
PLANTED = """
import json, sys
from pathlib import Path
import fuzz

def broken(words):
    Path(".new.json.tmp").write_text("{}")
    Path("new.json").write_text("{")
    Path("mine.json").write_text("")
    sys.stderr.write("Traceback (most recent call last)")
    return 4

fuzz.symcook = broken
fuzz.warm()
print(json.dumps([ending.faults for _, case, ending in fuzz.results(range(20)) if "--force" not in case.words]))
"""


def ran(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=Path(fuzz.__file__).parent)


pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")


@pytest.mark.sweep
def test_mutated_command_lines_end_as_they_may_and_leave_whole_files() -> None:
    done = ran(fuzz.__file__, CASES, "--first", FIRST)
    assert done.returncode == 0 and f"{CASES} cases, 0 with a fault" in done.stdout, done.stdout + done.stderr


@pytest.mark.sweep
def test_each_kind_of_fault_is_found() -> None:
    done = ran("-c", PLANTED)
    wanted = {"exit code 4", "a traceback", ".new.json.tmp is left", "new.json is not whole", "mine.json is changed"}
    found = json.loads(done.stdout)
    assert len(found) > 10 and sum(wanted <= set(faults) for faults in found) > len(found) / 2, (found, done.stderr)
