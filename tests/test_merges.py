"""Two branches that each add a recipe with a proof are merged by git alone: what both write are sets of lines."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from checkout import ROOT

RECORDS = {
    "proofs/built.txt": "model.{} 1{} 2{}\n",
    "symcook/data/coq.txt": "theorem model.{} 1{} 2{}\n",
    "symcook/data/ledger.jsonl": '{{"id": "zz.{}", "status": "PROVED", "digest": "1{}2{}"}}\n',
}
"""What a branch adds to each file that all branches add to."""


def git(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", "-C", str(root), *who, *arguments], check=False, capture_output=True, text=True)


def merged(root: Path, attributes: bool) -> int:
    """The code of a merge of two branches, each of which adds what a recipe with a proof adds, at the same places."""
    for name in RECORDS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    if attributes:
        shutil.copy(ROOT / ".gitattributes", root)
    git(root, "init", "-q", "-b", "main")
    for branch in ("main", "double", "triple"):
        git(root, "checkout", "-q", "-b", branch, "main")
        for name, line in RECORDS.items() if branch != "main" else ():
            path = root / name
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            path.write_text("".join(sorted([*lines, line.format(branch, *branch[:2])])), encoding="utf-8")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", branch)
    return git(root, "merge", "-q", "double").returncode


def test_lines_of_both_branches_are_there(tmp_path: Path) -> None:
    assert merged(tmp_path, attributes=True) == 0
    for name, line in RECORDS.items():
        text = (tmp_path / name).read_text(encoding="utf-8")
        added = [line.format(branch, *branch[:2]) for branch in ("double", "triple")]
        assert all(one in text for one in added), name
        before = (ROOT / name).read_text(encoding="utf-8").splitlines()
        assert sorted(text.splitlines()) == sorted([*before, *"".join(added).splitlines()]), name


def test_without_the_attributes_they_conflict(tmp_path: Path) -> None:
    assert merged(tmp_path, attributes=False) == 1


@pytest.mark.parametrize("name", RECORDS)
def test_each_file_that_all_branches_add_to_is_merged_by_union(name: str) -> None:
    said = git(ROOT, "check-attr", "merge", "--", name).stdout
    if not said:
        pytest.skip("no git")
    assert said == f"{name}: merge: union\n"
