"""What a release has to say: its version and authors in one voice, each lost name below *Breaks*, and what is packed.

`python tests/test_release.py --released` records what is public in the version that is released.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from checkout import ROOT, TESTS

import symcook

sys.path.insert(0, str(ROOT / ".ci"))  # its scripts import each other
changelog, lowest, release = map(importlib.import_module, ("changelog", "lowest", "release"))

RELEASED = TESTS / "test_release.json"
"""What was public in the last release: its version, {name of Python: signature}, {command: its options}."""


def public() -> dict[str, dict[str, object]]:
    read = lambda name: json.loads((TESTS / name).read_text(encoding="utf-8"))  # noqa: E731
    return {"names": read("test_public_api.json"), "commands": read("test_public_commands.json")}


def parameters(signature: str) -> dict[str, bool]:
    """{parameter: whether it has a default} of a signature as it is listed."""
    depth, parts = 0, [""]
    for mark in signature.rpartition(" -> ")[0][1:-1]:
        depth += (mark in "([{") - (mark in ")]}")
        if mark == "," and not depth:
            parts.append("")
        else:
            parts[-1] += mark
    named = [part.strip() for part in parts if re.match(r"\s*\w", part)]
    return {re.split(r"\W", part)[0]: " = " in part or "=" in part.partition("'")[0] for part in named}


def lost(before: dict[str, dict], now: dict[str, dict]) -> list[str]:
    """What was public and is not: names, parameters and their defaults; commands and options."""
    found = []
    for name, signature in before["names"].items():
        if name not in now["names"]:
            found.append(name)
        elif signature.startswith("("):
            old, new = parameters(signature), parameters(now["names"][name])
            if [one for one, default in old.items() if one not in new or (default and not new[one])]:
                found.append(name)
    for command, options in before["commands"].items():
        if command not in now["commands"]:
            found.append(command)
        else:
            found += [f"{command} {one}" for one in options if one not in now["commands"][command]]
    return found


def test_each_lost_name_stands_below_breaks() -> None:
    """By its last part in code: `Domain.length`; an option as `run --bits`."""
    before = json.loads(RELEASED.read_text(encoding="utf-8"))
    assert before["version"] == symcook.__version__
    said = changelog.breaks(ROOT)
    assert [one for one in lost(before, public()) if one.rpartition(".")[2] not in re.split(r"[`().]", said)] == []


def test_what_is_lost_is_found() -> None:
    before = {
        "names": {"a": "", "f": "(x: 'tuple[int, str]' = (1, 2), *, y: 'str') -> 'int'", "g": "(z: 'T' = 1) -> 'int'"},
        "commands": {"run": ["--input", "--bits"], "old": []},
    }
    assert lost(before, before) == []
    now = {
        "names": {"f": "(x: 'tuple[int, str]', *, y: 'str' = 'b') -> 'int'", "g": "(w: 'int' = 1) -> 'int'"},
        "commands": {"run": ["--input"]},
    }
    assert lost(before, now) == ["a", "f", "g", "run --bits", "old"]


def test_version_authors_and_links_agree() -> None:
    assert list(release.problems(ROOT)) == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of what a release changes."""
    for name in ("symcook/__init__.py", "CITATION.cff", "CHANGELOG.md", "pyproject.toml", "paper/paper.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "one.md").write_text("*Breaks*: `x` is gone.\n", encoding="utf-8")
    return tmp_path


def test_one_command_writes_the_version_everywhere(root: Path) -> None:
    assert release.set_version("9.8.7", root) == 0
    assert list(release.problems(root)) == [] and release.version_of(root) == "9.8.7"
    assert "`x` is gone." in (root / "CHANGELOG.md").read_text(encoding="utf-8").partition("## 9.8.7")[2]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("symcook/__init__.py", '__version__ = "', '__version__ = "9'),
        ("CITATION.cff", "date-released: 2", "date-released: 1"),
        ("pyproject.toml", "The symcook authors", "A. Person"),
        ("pyproject.toml", "[project.urls]", '[project.urls]\nRepository = "https://code.example/symcook"'),
        ("paper/paper.md", "The symcook authors", "Nobody"),
    ],
)
def test_what_disagrees_is_named(root: Path, name: str, old: str, new: str) -> None:
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), encoding="utf-8")
    assert list(release.problems(root))


def test_addresses_stand_in_one_place() -> None:
    """No page has an address of the project; what pyproject.toml will have, a release repeats."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(told["urls"]) <= {"Repository", "Documentation", "Issues"}
    assert all(one.startswith("https://") for one in told["urls"].values())
    pages = [ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for address in re.findall(r"https?://[^\s)\"'>]+", page.read_text(encoding="utf-8")):
            assert "symcook" not in address or address in told["urls"].values(), (page, address)


def test_classifiers_name_what_is_tested() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    systems = [one for one in told["classifiers"] if one.startswith("Operating System")]
    assert systems == ["Operating System :: POSIX :: Linux"]
    versions = re.findall(r"Python :: (3\.\d+)", " ".join(told["classifiers"]))
    tested = re.findall(r"3\.\d+", re.findall(r"Tested are (.*?);", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))[0])
    assert versions == tested and told["requires-python"] == f">={versions[0]}"
    page = (ROOT / "docs" / "reference" / "project.md").read_text(encoding="utf-8")
    assert f"Tested are Linux and Python {', '.join(versions[:-1])} and {versions[-1]}." in page


def test_each_dependency_has_a_lowest_version() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "numpy==1.26" in lowest.lowest(told["dependencies"])
    assert lowest.lowest(["a-b[c,d]>=1.2.3,<2"]) == ["a-b==1.2.3"]
    with pytest.raises(SystemExit, match="NAME>=VERSION; given: numpy"):
        lowest.lowest(["numpy"])


def test_the_workflow_names_what_there_is() -> None:
    """Its scripts exist; it covers three systems and the versions that pyproject.toml allows."""
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    for system in ("ubuntu", "macos", "windows"):
        assert f'{system}-latest, python: "3.11", versions: lowest' in text and f"{system}-latest," in text
    for script in re.findall(r"\.ci/\w+\.py", text):
        assert (ROOT / script).is_file()


def test_a_table_shows_sizes_by_folder(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.whl", "w") as packed:
        packed.writestr("symcook/a.py", "12345")
        packed.writestr("symcook/model/b.py", "1")
        packed.writestr("symcook/model/c.py", "23")
    shown = release.table(tmp_path / "x.whl").splitlines()
    assert shown[0].endswith("packed, 8 unpacked")
    assert [line.split() for line in shown[1:]] == [
        ["symcook", "1", "files", "5", "bytes"],
        ["symcook/model", "2", "files", "3", "bytes"],
    ]


def test_the_paper_has_what_journals_of_software_ask() -> None:
    """Statement of need, a short length, each work that is cited in its list and the other way round."""
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    head, body = text.split("---\n", 2)[1:]
    for key in ("title", "tags", "authors", "affiliations", "date", "bibliography"):
        assert re.search(rf"(?m)^{key}:", head), key
    assert {"# Summary", "# Statement of need", "# References"} <= set(body.splitlines())
    assert 250 <= len(body.split()) <= 1_000
    keys = re.findall(r"(?m)^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"))
    assert sorted(keys) == sorted(set(re.findall(r"@(\w+)", body)))


if __name__ == "__main__":
    if sys.argv[1:] != ["--released"]:
        sys.exit("python tests/test_release.py --released records what is public in this release")
    told = {"version": symcook.__version__, **public()}
    RELEASED.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8", newline="\n")
