"""The lines of `hundred_lines.py`: pyright shows an error at the wrong ones and at no other, and symcook agrees."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import ROOT

import symcook as sc
from symcook.programs import rasp

LINES = ROOT / "tests" / "hundred_lines.py"
WRONG = "# wrong"
OTHER_ERRORS = (AttributeError, TypeError)
"""What Python itself raises for a wrong line: of a name that there is not, and of a call of tracr's names that does not
fit."""


def wrong() -> set[int]:
    """The numbers of the lines that are wrong."""
    lines = LINES.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith(WRONG)}


def statements() -> Iterator[tuple[str, ast.stmt]]:
    """Each line of each user, with the user's name."""
    for user in ast.parse(LINES.read_text(encoding="utf-8")).body:
        if isinstance(user, ast.FunctionDef):
            yield from ((user.name, line) for line in user.body[1:])


def test_there_are_a_hundred_lines_of_four_users() -> None:
    users = [user for user, _ in statements()]
    assert len(users) >= 100 and min(map(users.count, set(users))) >= 20 and len(set(users)) == 4
    assert 30 <= len(wrong()) < len(users) / 2
    assert wrong() <= {line.lineno for _, line in statements()}


def test_wrong_lines_are_refused_and_right_ones_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, as they would be typed: each user has the names that the lines before have set."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.print", lambda *given: list(map(str, given)))
    names: dict[str, dict[str, object]] = {}
    odd = []
    for user, line in statements():
        known = names.setdefault(user, {"sc": sc, "rasp": rasp, "Fraction": __import__("fractions").Fraction})
        code = compile(ast.Module([line], []), str(LINES), "exec")
        try:
            exec(code, known)
            refused = False
        except (sc.SymcookError, *OTHER_ERRORS) as error:
            refused = True
            assert isinstance(error, OTHER_ERRORS) or error.exit_code == 2, f"line {line.lineno}: {error}"
        if refused != (line.lineno in wrong()):
            odd.append(f"line {line.lineno} is {'refused' if refused else 'taken'}: {ast.unparse(line)}")
    assert odd == []


@pytest.mark.tools("pyright")
@pytest.mark.sweep
def test_pyright_shows_the_wrong_lines_and_no_other() -> None:
    words = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", str(LINES)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=500)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = {one["range"]["start"]["line"] + 1: one["message"] for one in found if one["severity"] == "error"}
    assert {line: text for line, text in errors.items() if line not in wrong()} == {}
    assert wrong() - set(errors) == set()
