"""A closed or full stream, and Ctrl-C where Python would drop it: one sentence and an exit code, never a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LOST = """
import sys, time
from symcook import __main__ as entry
from symcook.__main__ import main

class Callback:
    def __del__(self):
        raise KeyboardInterrupt  # as a signal does that arrives inside a callback of the import system

def dispatch(arguments):
    Callback()
    end = time.monotonic() + 20
    while time.monotonic() < end:
        pass
    return 0

entry.dispatch = dispatch
sys.exit(main())
"""


def shell(redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A quick command: what it answers does not matter here."""
    command = [sys.executable, "-m", "symcook", *(arguments or ("list",))]
    line = ["sh", "-c", f'exec "$@" {redirection}', "sh", *command]
    return subprocess.run(line, capture_output=True, text=True)


def test_a_closed_stdout_is_said() -> None:
    done = shell(">&-")
    assert done.returncode == 2
    assert done.stderr.startswith("symcook: the standard output must be open") and done.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_stdout_is_said() -> None:
    done = shell(">/dev/full")
    assert done.returncode == 2
    assert done.stderr.startswith("symcook: ") and "No space left" in done.stderr and done.stderr.count("\n") == 1


def test_a_closed_stderr_puts_nothing_into_the_answer() -> None:
    done = shell("2>&-", "list", "--json")
    assert (done.returncode, done.stdout[0], done.stdout[-2]) == (0, "[", "]")
    done = shell("2>&-", "run", "dyck-1", "--input", "()", "--bits", "x")
    assert (done.returncode, done.stdout) == (2, "")
    assert shell(">&- 2>&-").returncode == 2


def test_an_interruption_that_python_drops_comes_again() -> None:
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (130, "symcook: interrupted\n")
