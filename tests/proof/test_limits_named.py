"""Each number that decides how long a search is has a name and a sentence."""

from __future__ import annotations

import re

from checkout import ROOT

NUMBER = re.compile(r'^_?[A-Z][A-Z0-9_]*(?:, [A-Z_]+)*(?:: \w+)? = [-\d(][^"\n#]*\n(?!""")', re.MULTILINE)
"""A constant that is a number, without a docstring and without a comment on its line."""


def test_each_limit_of_a_search_has_a_sentence() -> None:
    proof = ROOT / "symcook" / "proof"
    folders = [folder for folder in proof.iterdir() if folder.is_dir() and folder.name != "audit"]
    without = [
        f"{file.relative_to(ROOT)}: {found[0].strip()}"
        for folder in folders
        for file in folder.rglob("*.py")
        for found in NUMBER.finditer(file.read_text(encoding="utf-8"))
        if re.search(r"= -?[\d(].*\d", found[0]) and '"' not in found[0]
    ]
    assert not without
