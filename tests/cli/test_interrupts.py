"""Ctrl-C at any moment of a command: exit 130 and at most one line, and never a traceback through symcook."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import symcook
from symcook.__main__ import main
from symcook.files import put

PACKAGE = str(Path(symcook.__file__).resolve().parent)
SCRIPT = f"#!{sys.executable}\nimport sys\nfrom symcook.__main__ import main\nsys.exit(main())\n"
"""What an installer writes."""
MOMENTS, TURNS = 16, 2


def interrupted(command: list[str], after: float) -> tuple[int, str, str]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


@pytest.mark.layer_one(0)
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for another process")
@pytest.mark.parametrize("first", range(TURNS))
@pytest.mark.parametrize(
    ("start", "arguments"),
    [("script", ["run", "dyck-1", "--input", "(())"]), ("module", ["explain", "dyck-1"])],
    ids=str,
)
def test_no_moment_shows_a_traceback_of_ours(start: str, arguments: list[str], first: int, tmp_path: Path) -> None:
    """Each turn has moments of the whole span."""
    (tmp_path / "symcook").write_text(SCRIPT)
    (tmp_path / "symcook").chmod(0o755)
    command = [str(tmp_path / "symcook")] if start == "script" else [sys.executable, "-m", "symcook"]
    begun = time.monotonic()
    subprocess.run([*command, *arguments], capture_output=True, check=True)
    span, caught, rounds = time.monotonic() - begun, 0, 0
    while caught == 0:  # each round has moments between those of the rounds before
        rounds += 1
        assert rounds <= 10
        for k in range(first, MOMENTS, TURNS):
            code, _, err = interrupted([*command, *arguments], span * (k + 1 / rounds) / MOMENTS)
            frames = re.findall(r"File \"([^\"]*)\", line \d+, in (\S+)", err)
            # A line of a module of ours may stand there: one that runs before `main` does.
            assert not any(file.startswith(PACKAGE) and name != "<module>" for file, name in frames), err
            if not frames:  # else Python's own start: before a line of ours has run
                assert code in (0, 130, -signal.SIGINT) and err in ("", "symcook: interrupted\n"), (code, err)
            caught += code == 130


@pytest.mark.parametrize("said", [True, False])
def test_what_breaks_by_ctrl_c_is_no_defect(
    said: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as stopped:
            if said:
                raise ImportError("initialization failed") from stopped
            raise SystemError("a module is broken")  # noqa: B904  (as compiled modules do)

    monkeypatch.setattr("symcook.run.run", broken)
    assert main(["run", "dyck-1", "--input", "()"]) == 130
    assert capsys.readouterr() == ("", "symcook: interrupted\n")


def test_an_interrupted_import_that_tells_no_cause_is_no_defect(tmp_path: Path) -> None:
    """A compiled module may drop the interruption and raise an error of its own."""
    script = (
        "import sys, signal, symcook.__main__ as entry\n"
        "def dispatch(arguments):\n"
        "    try:\n        signal.raise_signal(signal.SIGINT)\n"
        "    except KeyboardInterrupt:\n        pass\n"
        "    raise ImportError('cannot initialise')\n"
        "entry.dispatch = dispatch\n"
        "sys.exit(entry.main())\n"
    )
    done = subprocess.run([sys.executable, "-c", script, "tour"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "symcook: interrupted\n")


def test_importing_symcook_imports_nothing_else() -> None:
    """Each module more is a longer time in which Python answers Ctrl-C with a traceback."""
    ask = "import sys; before = set(sys.modules); import symcook.__main__; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "symcook", "symcook.__main__"]


def test_who_interrupts_after_the_writing_is_told_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    target = tmp_path / "m.json"
    line = ["new", "family-count", "--set", "S=1", "-o", str(target)]
    with monkeypatch.context() as patched:
        patched.setattr("symcook.cli.families.say_or_json", stopped)
        assert main(line) == 130
        assert capsys.readouterr() == ("", f"symcook: interrupted; these files were written before: {target}\n")
    assert symcook.load(target).name == "count"
    with monkeypatch.context() as patched:
        patched.setattr("symcook.run.run", stopped)
        assert main(["run", "dyck-1", "--input", "()"]) == 130
        assert capsys.readouterr() == ("", "symcook: interrupted\n")


def test_ctrl_c_between_two_files_leaves_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They change together: it waits until the second one is in its place."""
    targets = [tmp_path / name for name in ("a.npz", "a.certificate.json")]
    replace = os.replace

    def replaced(*places: Path) -> None:
        replace(*places)
        signal.raise_signal(signal.SIGINT)

    for target in targets:
        target.write_bytes(b"old")
    monkeypatch.setattr(os, "replace", replaced)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        put(dict.fromkeys(targets, b"new"), force=True)
    assert [target.read_bytes() for target in targets] == [b"new", b"new"] and len(list(tmp_path.iterdir())) == 2
    assert signal.getsignal(signal.SIGINT) is before
