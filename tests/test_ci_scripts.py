"""The scripts of .ci: code tokens with their ceilings, and the changelog from its pieces."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from checkout import ROOT


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"ci_{name}", ROOT / ".ci" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


size, changelog = script("size"), script("changelog")


@pytest.mark.parametrize(
    ("source", "tokens"),
    [
        ("", 0),
        ("x = 1\n", 3),
        ("# a comment\n\nx = 1  # another\n", 3),
        ('"""What it is."""\n\nx = 1\n', 3),
        ('def f():\n    """What\n    it does."""\n    return "text"\n', 7),
        ('A = "ä"; "alone"; B = 2\n', 6),
        ('"a docstring" "in two parts"\nx = 1\n', 3),
        ('x = f"{a:{b}} {c!r}"\n', 3),  # an f-string is one token in each version of Python
        ("x = [\n    1,  # one\n\n    2,\n]\n", 8),
    ],
)
def test_code_is_counted_and_words_are_not(source: str, tokens: int) -> None:
    assert size.code_tokens(source) == tokens


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two packages, under git."""
    for path, text in {
        "symcook/a/x.py": "x = 1\n" * 40,
        "symcook/b.py": "y = 2\n",
        "notes/decisions.md": "# Decisions\n",
        ".ci/ceilings.txt": "# a comment\na 200\nb.py 100\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(root), *who, *arguments], check=True, capture_output=True)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "x")


def write(root: Path, name: str, text: str) -> None:
    (root / name).write_text(text, encoding="utf-8")


def test_a_package_above_its_ceiling_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert size.main([], project) == 0
    assert "a                      120       200      80" in capsys.readouterr().out
    write(project, "symcook/a/z.py", "x = 1\n" * 30)
    assert size.main([], project) == 1
    assert capsys.readouterr().err == "a: 210 tokens, above its ceiling 200\n"
    write(project, "symcook/a/z.py", "# x = 1\n" * 30)
    assert size.main([], project) == 0


def test_a_package_without_a_ceiling_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, "symcook/c.py", "x = 1\n")
    assert size.main([], project) == 1
    assert "c.py: no ceiling" in capsys.readouterr().err
    (project / ".ci" / "ceilings.txt").unlink()  # all of them gone is no way out
    assert size.main([], project) == 1


def test_ceilings_fall_and_do_not_rise(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, "symcook/a/x.py", "x = 1\n" * 20)
    write(project, "symcook/b.py", "y = 2\n" * 50)
    assert size.main(["--set"], project) == 1
    assert size.read_ceilings((project / ".ci" / "ceilings.txt").read_text()) == {"a": 100, "b.py": 100}
    assert capsys.readouterr().err == "b.py: 150 tokens, above its ceiling 100\n"


@pytest.mark.parametrize("committed", [False, True])
def test_a_ceiling_rises_with_a_reason_only(project: Path, capsys: pytest.CaptureFixture[str], committed: bool) -> None:
    write(project, ".ci/ceilings.txt", "a 300\nb.py 100\n")
    if committed:
        commit(project)
        write(project, ".ci/ceilings.txt", "a 200\nb.py 100\n")
        commit(project)
    assert size.main([], project) == 1
    assert '"Ceiling of a: 300" must stand in notes/decisions.md' in capsys.readouterr().err
    for said in ("Ceiling of a: 301. More.", "Ceiling of b.py: 300. More.", "Ceiling of a: 300."):
        write(project, "notes/decisions.md", f"- **{said}**\n")
        assert size.main([], project) == 1, said
    write(project, "notes/decisions.md", "- **Ceiling of `a`: 300.** It has what b had.\n")
    assert size.main([], project) == 0


@pytest.mark.parametrize("text", ["a\n", "a x\n", "a 1\na 2\n", "a -1\n"])
def test_a_line_that_is_no_ceiling_is_refused(text: str) -> None:
    with pytest.raises(SystemExit, match="a line must be a package and its ceiling"):
        size.read_ceilings(text)


CHANGES = "# Changelog\n\nWords.\n\n## Unreleased\n\n- Before.\n\n## 0.2.0 - 2026-11-24\n\n- Old.\n"


@pytest.fixture
def changes(tmp_path: Path) -> Path:
    (tmp_path / "changes").mkdir()
    write(tmp_path, "changes/b.md", "- Second.\n")
    write(tmp_path, "changes/a.md", "First.\n")
    write(tmp_path, "CHANGELOG.md", CHANGES)
    return tmp_path


def test_pieces_are_gathered_in_order_and_go(changes: Path) -> None:
    assert changelog.main(["--check"], changes) == 0
    assert changelog.main([], changes) == 0
    lines = "- Before.\n- First.\n- Second.\n"
    assert (changes / "CHANGELOG.md").read_text() == CHANGES.replace("- Before.\n", lines)
    assert list((changes / "changes").iterdir()) == []
    assert changelog.main([], changes) == 0  # nothing is there, and nothing changes
    assert (changes / "CHANGELOG.md").read_text() == CHANGES.replace("- Before.\n", lines)


def test_a_release_takes_all_and_leaves_room_for_the_next(changes: Path) -> None:
    assert changelog.main(["0.3.0"], changes) == 0
    text = (changes / "CHANGELOG.md").read_text()
    assert text.startswith("# Changelog\n\nWords.\n\n## Unreleased\n\n## 0.3.0 - 20")
    assert "\n\n- Before.\n- First.\n- Second.\n\n## 0.2.0 - 2026-11-24\n\n- Old.\n" in text
    write(changes, "changes/c.md", "Third.")
    assert changelog.main([], changes) == 0
    assert "## Unreleased\n\n- Third.\n\n## 0.3.0 - " in (changes / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("text", ["", "- One.\n- Two.\n"])
def test_a_piece_is_one_line(changes: Path, text: str) -> None:
    write(changes, "changes/a.md", text)
    with pytest.raises(SystemExit, match=r"changes/a\.md must be one line"):
        changelog.main(["--check"], changes)
    assert (changes / "CHANGELOG.md").read_text() == CHANGES


def test_the_pieces_of_this_project_can_be_gathered() -> None:
    assert changelog.main(["--check"]) == 0
