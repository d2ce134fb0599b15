"""On a terminal lines fit and verdicts have colours; in a file and a pipe nothing depends on who looks."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

from symcook.__main__ import main
from symcook.claims import PAPERS
from symcook.report.document import columns, table

COLOUR = re.compile("\033\\[[0-9]*m")


def terminal(*words: str, width: int = 70, code: str = "", **more: str) -> str:
    """What a command, or some code of Python, writes to a terminal so many characters wide."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")} | {"TERM": "xterm"}
    done = subprocess.Popen(
        [sys.executable, *(("-c", code) if code else ("-m", "symcook", *words))],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment | more,
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    assert done.wait() in (0, 1)
    return written.decode().replace("\r\n", "\n")


COMMANDS = (
    ("show", "dyck-1-2"),
    ("show", "parity"),
    ("run", "dyck-1", "--input", "(())", "--trace"),
    ("list",),
    ("list", "--search", "softmax"),
    ("explain", "gtzero"),
    ("margin", "dyck-1-2", "--max-length", "3"),
    ("claims", "cookbook.s5.7.lemma5.3"),
    ("claims",),
    ("decide", "dyck-1-2"),
    ("tour",),
)


@pytest.mark.sweep
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_lines_fit(words: tuple[str, ...]) -> None:
    for line in COLOUR.sub("", terminal(*words)).splitlines():
        assert len(line) <= 70 or " " not in line.strip() or line.strip().startswith("symcook "), line


@pytest.mark.sweep
def test_verdicts_have_colours_on_a_terminal_alone(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("run", "dyck-1", "--input", "(())")
    assert "\033[32maccept\033[0m" in terminal(*words)
    assert "\033[31mreject\033[0m" in terminal("run", "dyck-1", "--input", "(")
    assert "\033" not in terminal(*words, NO_COLOR="1") and "\033" not in terminal(*words, TERM="dumb")
    assert "\033" not in terminal(*words, "--json")
    assert main(list(words)) == 0
    plain = capsys.readouterr().out
    assert "\033" not in plain and COLOUR.sub("", terminal(*words)) == plain


@pytest.mark.sweep
def test_a_file_has_the_same_lines_whatever_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(width: int) -> str:
        environment = {**os.environ, "COLUMNS": str(width)}
        words = [sys.executable, "-m", "symcook", "show", "dyck-1-2"]
        return subprocess.run(words, capture_output=True, text=True, env=environment, check=True).stdout

    assert piped(40) == piped(200)


@pytest.mark.sweep
def test_no_entry_of_a_matrix_is_cut_on_a_terminal_that_has_room() -> None:
    """A matrix that is too wide is turned over, or only described; numbers stay whole."""
    shown = COLOUR.sub("", terminal("show", "dyck-1-2", width=60))
    assert "W1" in shown and not re.search(r"^\s+-$", shown, re.M)


def test_columns_fit_and_lose_nothing() -> None:
    words = "some strings that are to be broken into several lines"
    rows = [["name", "words"], ["a-very-long-name-without-a-gap", words]]
    for width in (30, 40, 60, 200):
        drawn = table(rows[0], rows[1:], width)
        assert max(map(len, drawn.splitlines())) <= max(width, 30)
        for word in words.split():
            assert word in drawn, (width, word)
        assert re.sub(r"[\s─]", "", drawn).startswith("namewords")
    assert columns([("日本", "x"), ("a", "y")]) == "日本  x\na     y"


def test_the_list_is_searched(capsys: pytest.CaptureFixture[str]) -> None:
    import json

    assert main(["list", "--search", "BRACKET"]) == 0
    shown = capsys.readouterr().out
    assert "dyck-k-d" in shown and "9  Example Constructions" in shown and "gtzero" not in shown
    assert main(["list", "--search", "bracket", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"] for row in rows} >= {"dyck-1", "dyck-k-d"} and len(rows) < 10
    assert main(["list", "--search", "layer norm"]) == 0
    assert "6  Layer Normalization" in capsys.readouterr().out
    assert main(["list", "--search", "no such thing"]) == 1
    assert capsys.readouterr().out == "no recipe fits\n"
    assert main(["list", "--search"]) == 2


@pytest.mark.sweep
def test_what_a_terminal_is_too_narrow_for_is_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    """No number and no name is cut: papers become columns, a summary stands below its name."""
    from symcook.cli import listing

    shown = COLOUR.sub("", terminal("claims")).splitlines()
    assert shown[0].split() == ["paper", *PAPERS] and any(line.split()[:1] == ["rows"] for line in shown)
    monkeypatch.setattr(sys, "stdout", type("", (), {"isatty": lambda self: True})())
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size((60, 24)))
    text = "3  Basic\n  §3.3    count                     how often a symbol occurs, at all lengths"
    lines = listing.fitted(text).splitlines()
    monkeypatch.undo()
    assert lines == ["3  Basic", "  §3.3    count", "          how often a symbol occurs, at all lengths"]


def test_progress_stays_in_its_line() -> None:
    """On a narrow terminal too, where a longer line could not be drawn again in place."""
    code = (
        "import time; from symcook.cli.output import Progress\n"
        "with Progress('a long name ' * 9) as p: p.started = p.last = time.monotonic() - 9; p(1, 2)"
    )
    for width in (30, 120):
        shown = terminal(width=width, code=code)
        assert "a long name" in shown and max(map(len, re.split(r"[\r\n]", shown))) == min(78, width - 1)
