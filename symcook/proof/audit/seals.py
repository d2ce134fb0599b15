"""Records of accepted results: lines with hashes, each of which is valid only while its hashes are those of the files.

A record is a set of lines in a text file. Their order has no meaning, a repeated line counts once, and a line that does
not fit the present files has no effect. So branches that each add to a record are merged line by line
(``merge=union`` in .gitattributes), and a merge can at worst make a line invalid. Standard library only.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from symcook.proof import JUDGES
from symcook.proof.files import proofs_directory

PACKAGE = Path(__file__).resolve().parent.parent.parent
"""The folder of the package symcook."""


def digest(*parts: str | bytes) -> str:
    """The first 128 bits, in hexadecimal, of the sha256 over `parts`, each after its length."""
    total = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()[:32]


def read(path: Path) -> frozenset[str]:
    """The lines of a record; the empty set where the file is missing or is not text."""
    try:
        text = path.read_bytes().decode("utf-8") if path.is_file() else ""
    except UnicodeDecodeError:
        return frozenset()
    return frozenset(line for line in text.split("\n") if line)


def text(lines: Iterable[str]) -> str:
    """The text of a record with these lines, sorted."""
    return "".join(f"{line}\n" for line in sorted(set(lines)))


def write(path: Path, lines: Iterable[str]) -> None:
    """Write a record. An interruption leaves the file as it was before."""
    draft = path.with_name(path.name + ".part")
    draft.write_text(text(lines), encoding="utf-8", newline="\n")
    os.replace(draft, path)


def judging(judge: str) -> list[Path]:
    """The files of a judge (see `symcook.proof.JUDGES`)."""
    folders = {"symcook": PACKAGE, "proofs": proofs_directory()}
    return [folders[name.partition("/")[0]] / name.partition("/")[2] for name in JUDGES[judge]]


@cache
def judge_digest(judge: str) -> str:
    """The digest of the files of a judge: what the judge has accepted stays valid while its files do not change."""
    return digest(*(path.read_bytes() for path in judging(judge)))
