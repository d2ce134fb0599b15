"""The README, the tour and the site's pages: what they run is run, and what it prints is compared with what they show.

`python tests/test_readme.py --write [PAGE]...` records outputs and pictures again after a change that was meant; read
the difference before you commit it. Lines that are ``...`` stay, and stand for any lines.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest
from checkout import ROOT

import symcook
from symcook.__main__ import main
from symcook.claims import PAPERS, ledger

PROMPT = "$ "
ANY = "..."
STOP = "  # Ctrl-C"
"""Behind a command that is stopped by hand."""
TOUR = ROOT / "tests" / "tour.md"
MADE = (
    *("reference/recipes", "reference/commands", "reference/api"),
    *("errata", "notes", "glossary", "notebooks", "gallery", "reference/precision"),
)
"""Folders below docs whose pages are made of data; docs/pages/extension.py has the same list."""


def written() -> list[Path]:
    """The pages of the site that somebody wrote."""
    made = tuple(f"{place}/" for place in MADE)
    pages = sorted((ROOT / "docs").rglob("*.md"))
    return [page for page in pages if not page.relative_to(ROOT / "docs").as_posix().startswith(made)]


PAGES = (ROOT / "README.md", TOUR, *(page for page in written() if page != TOUR))
PICTURES = sorted((ROOT / "docs").glob("trace-*.svg"))
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@dataclass(frozen=True)
class Shown:
    """A command, or an input of Python, and the lines that a page shows below it: those from `start` on."""

    command: str
    start: int
    lines: list[str]


def blocks(text: str, language: str) -> Iterator[tuple[int, list[str]]]:
    """The number of its first line, from 0, and the lines of each block of a language."""
    lines, opened = text.splitlines(), None
    for number, line in enumerate(lines):
        if opened is None and line.startswith("```"):
            opened = number
        elif opened is not None and line == "```":
            if lines[opened] == f"```{language}":
                yield opened + 1, lines[opened + 1 : number]
            opened = None


def commands(text: str) -> list[Shown]:
    """Each ``$ symcook ...`` or ``$ python ...`` line of the console blocks with the lines shown below it."""
    found: list[Shown] = []
    for first, lines in blocks(text, "console"):
        shown: list[str] | None = None
        for number, line in enumerate(lines, first):
            if line.startswith(PROMPT):
                command, shown = line.removeprefix(PROMPT), []
                if command.split()[0] in ("symcook", "python"):
                    found.append(Shown(command, number + 1, shown))
            elif shown is not None:
                shown.append(line)
    return found


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether `printed` is what is shown."""
    pattern = r"\n".join(r"(?:.*)" if line.strip() == ANY else re.escape(line) for line in shown)
    return re.fullmatch(pattern, "\n".join(printed), re.DOTALL) is not None


@contextlib.contextmanager
def reader(page: Path) -> Iterator[None]:
    """An empty folder with the examples and the files that a page has its reader save (a block of Python whose first
    line is a comment with its name), without a terminal."""
    home = Path.cwd()
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, environment, clear=True):
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        for _, lines in blocks(page.read_text(encoding="utf-8"), "python"):
            if name := re.fullmatch(r"# (\w+\.py)", lines[0]):
                (Path(folder) / name[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(home)


def output(command: str) -> list[str]:
    """The lines that a command prints to stdout; AssertionError where it fails."""
    program, *arguments = shlex.split(command, comments=True)
    if command.endswith(STOP):
        return interrupted(arguments)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        if program == "python":
            with mock.patch.object(sys, "argv", arguments):
                runpy.run_path(arguments[0], run_name="__main__")
            code = 0
        else:
            code = main(arguments)
    assert code in (0, 1), (command, err.getvalue())
    return [line.rstrip() for line in out.getvalue().rstrip().splitlines()]


def interrupted(arguments: list[str]) -> list[str]:
    """What a sweep says that Ctrl-C ends once its first second is written down, with the page's number of strings: how
    many that are is a matter of speed."""
    log = Path(arguments[arguments.index("--resume") + 1] + "-wal")
    command = [sys.executable, "-m", "symcook", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (log.exists() and log.stat().st_size > 20_000):  # what it is of takes 16,512
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (130, ""), err
    return [re.sub(r"[\d,]+(?= of [\d,]+ strings)", "265,728", err.splitlines()[-1])]


class Python(doctest.DocTestRunner):
    """What the inputs of a page print, where that is not what it shows."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.wrong: list[tuple[int, doctest.Example, str]] = []

    def report_failure(self, out: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self.wrong.append(((test.lineno or 0) + example.lineno, example, got))

    def report_unexpected_exception(
        self, out: object, test: doctest.DocTest, example: doctest.Example, exc_info: object
    ) -> None:
        self.wrong.append(((test.lineno or 0) + example.lineno, example, f"an exception: {exc_info}"))


def python(page: Path) -> tuple[int, list[tuple[int, doctest.Example, str]]]:
    """How many inputs the Python of a page has, and what those print that print something else than is shown.

    Blocks share their names. One without prompts is run as it is, unless it is a file of the reader's.
    """
    runner, names, count = Python(), {}, 0
    for first, lines in blocks(page.read_text(encoding="utf-8"), "python"):
        text = "\n".join(lines) + "\n"
        test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), first)
        count += len(test.examples)
        if test.examples:
            runner.run(test, clear_globs=False)
            names = test.globs
        elif not re.fullmatch(r"# \w+\.py", lines[0]):
            exec(compile(text, str(page), "exec"), names)
    return count, runner.wrong


def again(shown: list[str], printed: list[str]) -> list[str]:
    """What a page has to show of `printed`: all of it, or the lines that it showed around each ``...``.

    Before the first and behind the last ``...`` stand as many lines as before; between two as many, from the line that
    is most alike.
    """
    if ANY not in [line.strip() for line in shown]:
        return printed
    parts: list[list[str]] = [[]]
    for line in shown:
        if line.strip() == ANY:
            parts.append([])
        else:
            parts[-1].append(line)
    kept, low, high = [printed[: len(parts[0])]], len(parts[0]), len(printed) - len(parts[-1])
    for part in parts[1:-1]:
        alike = (
            [len(Counter(line) & Counter(part[0])) - abs(len(line) - len(part[0])) for line in printed[low:high]]
            if part
            else []
        )
        at = low + (alike.index(max(alike)) if alike else 0)
        kept.append(printed[at : at + len(part)])
        low = at + len(part)
    kept.append(printed[max(high, low) :])
    marks = [line for line in shown if line.strip() == ANY]
    found = list(kept[0])
    for mark, part in zip(marks, kept[1:], strict=True):
        found += [mark, *part]
    return found


def recorded(page: Path) -> str:
    """A page with what its commands and its Python print today."""
    lines = page.read_text(encoding="utf-8").splitlines()
    changes: list[tuple[int, int, list[str]]] = []
    with reader(page):
        for shown in commands("\n".join(lines)):
            printed = output(shown.command)
            if not matches(shown.lines, printed):
                changes.append((shown.start, len(shown.lines), again(shown.lines, printed)))
        for line, example, got in python(page)[1]:
            start = line + example.source.count("\n")
            changes.append((start, example.want.count("\n"), got.splitlines()))
        if page == TOUR:
            for picture in PICTURES:
                shutil.copyfile(picture.name, picture)
    for start, count, new in sorted(changes, reverse=True):
        lines[start : start + count] = new
    return "\n".join(lines) + "\n"


@pytest.mark.layer_one(0)  # the README
@each_page
def test_the_commands_print_what_the_page_shows(page: Path) -> None:
    """In its order and in one folder, as some commands use what others wrote; the tour draws the README's pictures."""
    found = commands(page.read_text(encoding="utf-8"))
    assert len(found) >= 6 or page not in PAGES[:2]
    with reader(page):
        for shown in found:
            printed = output(shown.command)
            assert matches(shown.lines, printed), shown.command + "\n" + "\n".join(printed)
        drawn = {
            path.name: path.read_bytes() for path in Path().glob("*.svg") if path.name in {p.name for p in PICTURES}
        }
    assert drawn == ({path.name: path.read_bytes() for path in PICTURES} if page == TOUR else {})


@pytest.mark.sweep
@each_page
def test_the_python_does_what_the_page_shows(page: Path) -> None:
    with reader(page):
        count, wrong = python(page)
    assert count >= 8 or page != TOUR
    assert wrong == []


def test_the_readme_counts_what_the_ledger_counts() -> None:
    """Each number of its sentences, counted here: they add up."""
    claims = [row for row in ledger() if row.kind != "definition" and row.same is None]
    found = Counter(row.status + " assuming" * bool(row.assuming) for row in claims)
    assert {row.paper for row in claims} == set(PAPERS) and found["PROVED assuming"] == 1
    types = Counter(row.slip for row in claims if row.status == "CORRECTED")
    text = " ".join(PAGES[0].read_text(encoding="utf-8").split())
    for sentence in (
        f"lists the {len(claims)} mathematical statements of four papers",
        f"- {found['PROVED']} are PROVED. One more assumes a theorem, which its entry names.",
        f"- {found['CORRECTED']} are CORRECTED, with a counterexample and a proved correction ([errata]): "
        f"{types['wrong']} false statements, {types['missing hypothesis']} missing hypotheses, "
        f"{types['misprint']} misprints, {types['boundary']} boundary cases (such as the empty string).",
        f"- {found['OPEN']} are OPEN: neither proved nor refuted.",
        f"- {sum(found[one] for one in REST)} need no proof here: {found['CITED']} are CITED from other work, "
        f"{found['EMPIRICAL']} are EMPIRICAL, {found['NO CLAIM']} make NO CLAIM.",
    ):
        assert sentence in text
    assert set(found) == {"PROVED", "PROVED assuming", "CORRECTED", "OPEN", *REST}


REST = ("CITED", "EMPIRICAL", "NO CLAIM")
"""The statuses of statements that the papers do not prove, or that state nothing."""


def test_commands_are_found_and_compared() -> None:
    text = "```console\n$ symcook list\na\n...\nz\n$ cd x\n$ symcook\n```\n```python\n$ symcook\n```\n"
    assert commands(text) == [Shown("symcook list", 2, ["a", "...", "z"]), Shown("symcook", 7, [])]
    assert matches(["a", "...", "z"], ["a", "b", "c", "z"])
    assert not matches(["a", "...", "z"], ["a", "b", "c"])
    assert not matches(["a"], ["a", "b"])
    assert not matches([], ["a"])


def test_what_is_recorded_again_is_shown_as_before() -> None:
    printed = ["A", "b", "c", "score  5", "e", "z"]
    assert again(["a"], printed) == printed
    assert again(["a", "...", "z"], printed) == ["A", "...", "z"]
    assert again(["...", "score  4", "...", "y"], printed) == ["...", "score  5", "...", "z"]
    assert again(["a", "..."], ["A"]) == ["A", "..."]
    for shown in (["a", "...", "z"], ["...", "score  4", "..."], ["..."]):
        assert matches(again(shown, printed), printed)


def test_a_page_is_recorded_again(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    right = (
        "```console\n$ python own.py\n3\n```\n\n```python\n# own.py\nprint(1 + 2)\n```\n\n"
        "```python\n>>> 1 + 1\n2\n>>> x = [\n...     5]\n>>> x\n[5]\n```\n"
    )
    page.write_text(right.replace("3\n", "4\n").replace("\n2\n", "\n7\n8\n").replace("[5]", "[6]"), encoding="utf-8")
    assert recorded(page) == right


if __name__ == "__main__":
    if sys.argv[1:2] != ["--write"]:
        sys.exit("python tests/test_readme.py --write [PAGE]... records the outputs of the README and pages again")
    if ROOT not in Path(symcook.__file__).parents:
        sys.exit(f"symcook is imported from {symcook.__file__}; set PYTHONPATH to this checkout")
    for page in [Path(name).resolve() for name in sys.argv[2:]] or PAGES:
        before, after = page.read_text(encoding="utf-8"), recorded(page)
        page.write_text(after, encoding="utf-8")
        print(f"{page.relative_to(ROOT)}: {'as before' if before == after else 'recorded again'}")
