"""What a refusal advises can be done: its command has the options that it names. `shared.refused` looks at each
sentence that any test meets; here are those of files that exist, for every command that writes one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click
import pytest
from checkout import ROOT
from shared import call, misadvised, options, refused

from symcook.cli.commands import COMMANDS
from symcook.cli.output import group

WRITES: dict[str, tuple[tuple[str, ...], str]] = {
    "new": (("family-max", "--set", "K=2", "-o"), ".json"),
    "compile": (("ltl", "Q_a", "--alphabet", "ab", "-o"), ".json"),
    "decide": (("dyck-1-2", "-o"), ".json"),
    "decide --certificate": (("dyck-1-2", "--certificate"), ".json"),
    "derive": (("dyck-1", "-o"), ".json"),
    "run --svg": (("dyck-1", "--input", "()", "--svg"), ".svg"),
    "report": (("dyck-1", "-o"), ".html"),
    "export": (("dyck-1", "-o"), ".npz"),
    "hardsoft": (("dyck-1-2", "--error", "1/4", "--max-length", "2", "-o"), ".json"),
}


def writers() -> set[str]:
    """The commands with an option whose value is a file to write."""
    every = ((name, group.get_command(click.Context(group), name)) for name in COMMANDS)
    words = re.compile(r"\b(write|draw|figures|page of|file for)\b", re.IGNORECASE)
    return {
        name
        for name, found in every
        if found is not None
        for p in found.params
        if isinstance(p, click.Option) and re.search(r"FILE|DIR", p.metavar or "") and words.search(p.help or "")
    }


def test_every_command_that_writes_is_here() -> None:
    assert {name.split()[0] for name in WRITES} >= writers() - {"margin", "tolerance", "temperature", "precision"}


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", WRITES)
def test_a_file_that_exists_is_kept_and_the_advice_works(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line, ending = WRITES[name]
    command = name.split()[0]
    target = tmp_path / f"there{ending}"
    target.write_text("mine")
    said = refused(capsys, command, *line, target)
    assert "there" in said and target.read_text() == "mine"
    assert "--force" in said or "force" in said
    if name != "export":  # slow
        assert call(capsys, command, *line, target, "--force")[0] in (0, 3) and target.read_text() != "mine"


@pytest.mark.sweep
def test_each_option_that_a_refusal_names_is_one() -> None:
    """Of some command, in every literal of the package that stands in a BadInput."""
    known = {one for name in COMMANDS for one in options(name)} | {"--debug", "--help", "--version", "--json"}
    found = []
    for path in sorted((ROOT / "symcook").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("BadInput", "unknown", "Undecided"):
                for text in (str(n.value) for n in ast.walk(node) if isinstance(n, ast.Constant)):
                    named = re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)
                    found += [(path.name, one) for one in named if one not in known]
    assert found == []


def test_wrong_advice_is_seen() -> None:
    assert misadvised("derive", "symcook: x must be; given: y; add --forces to replace it.") == ["--forces"]
    assert misadvised("list", "symcook: x must be; given: y; give --input.") == ["--input"]
    assert misadvised("list", "symcook: x must be; given: y; see symcook run --input.") == []
    assert misadvised("list", "symcook: x must be; given: --input.") == []
