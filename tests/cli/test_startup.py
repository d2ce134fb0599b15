"""What a shell waits for: the quick commands import nothing heavy, and importing symcook costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest
from families import together

HEAVY = ("sympy", "numpy", "mpmath", "flint", "rich", "symcook.model.transformer")
SCRIPT = """
import json, sys
code = 0
if {arguments!r} is not None:
    from symcook.__main__ import main
    code = main({arguments!r})
else:
    import symcook, symcook.__main__
print(json.dumps([code, sorted(m for m in sys.modules if m in {names!r})]), file=sys.stderr)
"""


def loaded(arguments: list[str] | None, names: tuple[str, ...] = HEAVY) -> list[str]:
    """Which of `names` are imported after a command, which must succeed."""
    script = SCRIPT.format(arguments=arguments, names=names)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    code, found = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return found


@together(
    "arguments",
    [None, [], ["--help"], ["--version"], ["list"], ["list", "--json"], ["run", "--help"], ["completion", "bash"]])
def test_nothing_heavy_is_imported(arguments: list[str] | None) -> None:
    assert loaded(arguments) == []


@pytest.mark.parametrize("arguments", [None, [], ["--help"], ["list"]], ids=str)
def test_not_even_click(arguments: list[str] | None) -> None:
    assert loaded(arguments, ("click",)) == []


def test_claims_need_no_sympy() -> None:
    assert loaded(["claims", "--json"], ("sympy", "numpy", "mpmath", "rich")) == []


def test_the_test_sees_an_import() -> None:
    assert loaded(["run", "--help"], ("click", *HEAVY)) == ["click"]
    assert [name for name in HEAVY if find_spec(name) is None] == []  # these are the names of what is imported
