"""What `--json` prints stays: the keys of every command's own example are compared with the list that is committed.

`python tests/test_public_json.py --write` records them again after a change that was meant, which the changelog names.
The pages of commands show them.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import pytest
from checkout import ROOT

from symcook.__main__ import main
from symcook.cli.commands import COMMANDS
from symcook.cli.output import group

LIST = ROOT / "docs" / "pages" / "json_keys.json"
KINDS = {str: "text", bool: "true or false", int: "integer", float: "number", type(None): "null"}


def example(name: str) -> str:
    """The command line that the help of a command gives; empty where there is none."""
    with click.Context(group, info_name="symcook") as above:
        found: Any = group.get_command(above, name)
    return (found.epilog or "").strip()


def keys(value: object, path: str = "", depth: int = 2) -> dict[str, set[str]]:
    """The kinds of what stands at each path, `depth` keys deep; [] stands for any place of a list."""
    if isinstance(value, list):
        found: dict[str, set[str]] = {} if value else {f"{path}[]": {"nothing"}}
        for one in value:
            for place, kinds in keys(one, f"{path}[]", depth).items():
                found.setdefault(place, set()).update(kinds)
        return found
    if isinstance(value, dict) and value.keys() == {"mid", "rad"}:
        return {path: {"ball"}}
    if isinstance(value, dict) and depth:
        places = [keys(one, f"{path}.{key}" if path else key, depth - 1) for key, one in value.items()]
        return {place: kinds for part in places for place, kinds in part.items()}
    return {path: {"object" if isinstance(value, dict) else KINDS[type(value)]}}


def found(folder: Path) -> dict[str, dict[str, str]]:
    """By command the keys of its example, run in this folder, where one may read what another has written."""
    out, before = {}, Path.cwd()
    shutil.copytree(ROOT / "examples" / "brackets", folder / "my-gpt2")  # which the example of `import` reads
    os.chdir(folder)
    try:
        for name in COMMANDS:
            if line := example(name):
                said = io.StringIO()
                with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                    main([*shlex.split(line)[1:], "--json"])
                listed = keys(json.loads(said.getvalue()))
                out[name] = {path: " or ".join(sorted(kinds)) for path, kinds in listed.items()}
    finally:
        os.chdir(before)
    return out


@pytest.mark.sweep
def test_the_keys_are_those_of_the_list(tmp_path: Path) -> None:
    """A key that is gone, or has a value of another kind, breaks what reads it; a new one is to be listed."""
    assert found(tmp_path) == json.loads(LIST.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("python tests/test_public_json.py --write records the keys again")
    with tempfile.TemporaryDirectory() as place:
        LIST.write_text(json.dumps(found(Path(place)), indent=1) + "\n", encoding="utf-8")
