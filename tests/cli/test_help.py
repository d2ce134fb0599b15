"""The help of each command is short, and `symcook explain` has the rest: commands in full, and the languages."""

from __future__ import annotations

import re
import shlex
from importlib.resources import files
from pathlib import Path

import pytest
from shared import call, document, refused

from symcook.cli.commands import COMMANDS, GROUPS, see_also
from symcook.cli.pages import LANGUAGES, OTHER_NAMES

SHOWN = re.compile(r"```console\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_is_short(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """At most three lines of prose, the options, an example, what to read then; at most 60 lines of 80 characters."""
    code, out, _ = call(capsys, name, "--help")
    lines = out.splitlines()
    assert code == 0 and len(lines) <= 60
    assert all(len(line) <= 80 or line.startswith("  symcook ") for line in lines)  # a command to paste is one line
    prose = [line for line in lines[1 : lines.index("Options:")] if line.strip() and "Usage: " not in line]
    assert 1 <= len([line for line in prose if not line.startswith("  " * 4)]) <= 3
    assert out.count("For example:") == (name not in ("tour", "completion"))
    end = " ".join(out.partition("See also: ")[2].split())
    assert end == ", ".join(f"symcook {one}" for one in see_also(name))


def test_each_command_is_in_one_group(capsys: pytest.CaptureFixture[str]) -> None:
    named = [name for names in GROUPS.values() for name in names]
    assert named == list(COMMANDS)
    _, out, _ = call(capsys, "--help")
    assert [out.index(f"\n{group}:\n") for group in GROUPS] == sorted(out.index(f"\n{group}:\n") for group in GROUPS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_of_a_command_has_all_that_is_said_of_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Of what the help has, too; what stands below "See also" is there to be read."""
    code, out, _ = call(capsys, "explain", name)
    assert code == 0 and f"symcook {name} --help" in out
    whole = " ".join(out.split())
    prose = call(capsys, name, "--help")[1].partition("\n\n")[2].partition("Options:")[0]
    assert " ".join(prose.split()) in whole
    for one in see_also(name):
        command, *page = one.split()
        assert command in COMMANDS and all(part in (*LANGUAGES, *COMMANDS) for part in page)


@pytest.mark.parametrize("name", [one for one in LANGUAGES if one != "grammar"])
def test_the_page_of_a_language_fits_and_its_commands_answer_so(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = files("symcook").joinpath("data", "languages", f"{name}.md").read_text(encoding="utf-8")
    assert call(capsys, "explain", name)[1].startswith(text.rstrip())
    assert max(map(len, text.splitlines())) <= 100 and len(text.splitlines()) <= 60 and "See also:" in text
    monkeypatch.chdir(tmp_path)
    for block in SHOWN.findall(text):
        for part in block.split("$ symcook ")[1:]:
            line, _, wanted = part.partition("\n")
            code, out, _ = call(capsys, *shlex.split(line))
            assert code == 0, line
            for one in wanted.split("...\n"):
                assert one in out, line


def test_no_recipe_has_the_name_of_a_page() -> None:
    """`count` is a recipe, and so no other name of the language that counts."""
    from symcook.recipes import names
    from symcook.recipes.operations import operation

    pages = {*COMMANDS, *LANGUAGES, *OTHER_NAMES}
    assert not pages & {*names()} and not [one for one in pages if operation(one) is not None]


def test_other_names_of_languages(capsys: pytest.CaptureFixture[str]) -> None:
    for name, language in OTHER_NAMES.items():
        assert call(capsys, "explain", name) == call(capsys, "explain", language)
    assert document(capsys, "explain", "tm")["page"].startswith("# Turing machines\n")
    assert "given: tn;" in refused(capsys, "explain", "tn")


def test_a_file_of_that_name_is_the_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tm").write_text("x", encoding="utf-8")
    assert "Turing machines" not in call(capsys, "explain", "tm")[1]
