"""What is public stays: every name with its signature is compared with the list that is committed.

`python tests/test_public_api.py --write` records it again after a change that was meant, which the changelog names.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from checkout import ROOT
from site_pages import load

import symcook

LIST = Path(__file__).with_suffix(".json")


def found() -> dict[str, str]:
    return load("api").surface()


def test_names_and_signatures_are_those_of_the_list() -> None:
    """A name that is gone, or takes other arguments, breaks what people have written; a new one is to be listed."""
    assert found() == json.loads(LIST.read_text(encoding="utf-8"))


def test_the_list_has_what_the_front_door_has() -> None:
    listed = json.loads(LIST.read_text(encoding="utf-8"))
    assert set(symcook.__all__) == {name for name in listed if "." not in name}
    for verb in symcook.VERBS:
        assert f"Transformer.{verb}" in listed
    assert "(" in listed["build"] and listed["Builder.add"].startswith("(self")


def test_the_command_line_is_that_of_the_list() -> None:
    """Commands and their options are public too."""
    listed = json.loads(LIST.with_name("test_public_commands.json").read_text(encoding="utf-8"))
    assert load("commands").surface() == listed


def test_each_dependency_has_its_licence_on_the_page() -> None:
    import re
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *(one for name in extras if name not in ("test", "dev") for one in extras[name])]
    page = (ROOT / "docs" / "reference" / "licences.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| ([a-z][\w-]*) \| ", page, re.MULTILINE)[1:]
    assert set(listed) == {re.split(r"[^\w-]", one)[0] for one in asked}


def test_a_page_shows_what_a_model_is_asked() -> None:
    """Each verb once, with its arguments a line and its docstring; types stand without quotes, code without escapes."""
    made = load("api")
    page = made.page("Transformer")
    for verb in symcook.VERBS:
        if verb != "__call__":
            assert page.count(f"\n## {verb.replace('_', chr(92) + '_')}\n") == 1, verb
    assert "\n    max_length: int | None = None,\n" in page and "A function of a model as its method" not in page
    assert '`bind({"c": 4})`' in page and "'int'" not in page


def test_the_old_name_of_the_users_statements_warns() -> None:
    from symcook.proof import own
    from symcook.proof.statements import certify

    with pytest.warns(DeprecationWarning, match="statements.certify"):
        assert own.certified is certify.certified


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("python tests/test_public_api.py --write records the public names again")
    for place, what in ((LIST, found()), (LIST.with_name("test_public_commands.json"), load("commands").surface())):
        place.write_text(json.dumps(what, indent=1) + "\n", encoding="utf-8")


def test_pages_of_names_differ_by_more_than_case() -> None:
    """On many disks the pages of `Head` and `head` would be one file."""
    files = [load("api").file_name(name).lower() for name in symcook.__all__]
    assert len(set(files)) == len(files)
