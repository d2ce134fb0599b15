"""The README's commands are run, and what they print is compared with what the README shows."""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from checkout import ROOT

from symcook.__main__ import main
from symcook.claims import counts, ledger

PROMPT = "$ "


def commands(text: str) -> list[tuple[str, list[str]]]:
    """Each ``$ symcook ...`` or ``$ python ...`` line of the console blocks with the lines shown below it."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        prompted = any(line.startswith(PROMPT) for line in block.splitlines())
        shown: list[str] | None = None
        for line in block.splitlines():
            start = line.startswith(PROMPT) if prompted else line.startswith("symcook")
            if start:
                command = line.removeprefix(PROMPT)
                shown = []
                if command.split()[0] in ("symcook", "python"):
                    found.append((command, shown))
            elif shown is not None:
                shown.append(line.rstrip())
    return found


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether `printed` is what is shown; a shown line ``...`` stands for any lines, no lines for no comparison."""
    while shown and not shown[-1]:
        shown = shown[:-1]
    if not shown:
        return True
    pattern = r"\n".join(r"(?:.*)" if line.strip() == "..." else re.escape(line) for line in shown)
    return re.fullmatch(pattern, "\n".join(printed), re.DOTALL) is not None


README = commands((ROOT / "README.md").read_text())


def test_the_readme_commands_print_what_the_readme_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In the README's order and in one folder, since some commands use what others wrote."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)  # as without a terminal
    assert len(README) >= 12
    for command, shown in README:
        program, *arguments = shlex.split(command, comments=True)
        if program == "python":
            monkeypatch.setattr(sys, "argv", arguments)
            runpy.run_path(arguments[0], run_name="__main__")
            code = 0
        else:
            code = main(arguments)
        out, err = capsys.readouterr()
        assert code in (0, 1), (command, err)
        printed = [line.rstrip() for line in out.rstrip().splitlines()]
        assert matches(shown, printed), command + "\n" + "\n".join(printed)


def test_commands_are_found_and_compared() -> None:
    text = "```console\n$ symcook list\na\n...\nz\n$ cd x\n$ symcook\n```\n```python\nsymcook\n```\n"
    found = commands(text)
    assert found == [("symcook list", ["a", "...", "z"]), ("symcook", [])]
    assert matches(["a", "...", "z"], ["a", "b", "c", "z"])
    assert not matches(["a", "...", "z"], ["a", "b", "c"])
    assert not matches(["a"], ["a", "b"])


def test_the_python_in_the_readme_does_what_it_shows() -> None:
    text = "\n".join(re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE))
    example = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
    assert len(example.examples) >= 8
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_readme_counts_what_the_ledger_counts() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    rows = ledger()
    found = counts(rows)
    said = re.search(
        r"lists (\d+) rows .*?(\d+) of them claims.*?: (\d+) are PROVED, (\d+) CORRECTED, (\d+) CITED or EMPIRICAL and "
        r"(\d+) OPEN; of (\d+) definitions (\d+) are DEFINED",
        text,
    )
    assert said is not None
    every, total, proved, corrected, reported, still_open, definitions, defined = map(int, said.groups())
    assert (every, total) == (len(rows), found.total())
    assert proved == found["PROVED"] + found["PROVED assuming"]
    assert (corrected, reported) == (found["CORRECTED"], found["CITED"] + found["EMPIRICAL"])
    assert still_open == found["OPEN"] == total - proved - corrected - reported
    assert definitions == sum(row.kind == "definition" for row in rows)
    assert defined == sum(row.status == "DEFINED" for row in rows)
