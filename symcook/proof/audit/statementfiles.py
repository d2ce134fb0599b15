"""A digest of each stored statement: of its own lines, and of the definitions, models and families that it names.

Nothing is parsed, so that the command line can check quickly, at each start, whether a record still fits. Two texts
with the same digest are the same statement; a statement that is written differently has another digest. Standard
library only.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path

from symcook.proof import records
from symcook.proof.audit.seals import digest

_WORD = re.compile(r"\w+")
"""A word of a statement, which may be the name of a definition."""


class StatementFiles:
    """The statements of a folder of proofs. `texts` has their lines by id; `corrects` has, by id, the id of the
    statement that a correction corrects, or None."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.texts: dict[str, str] = {}
        self.corrects: dict[str, str | None] = {}
        for path in sorted((root / "statements").glob("*.txt"), key=lambda path: path.stem):
            name = ""
            for line in _lines(path):  # ``[id]`` begins a statement
                head = re.fullmatch(r"\[(.+)\]|corrects:(.+)", line)
                name = head[1] if head and head[1] else name
                if name:
                    self.texts[name] = f"{self.texts.get(name, '')}{line}\n"
                    self.corrects[name] = head[2].strip() if head and head[2] else self.corrects.get(name)
        self._digests: dict[str, str] = {}
        self._words: dict[str, frozenset[str]] = {}

    @cached_property
    def parts(self) -> dict[str, str]:
        """The text of each definition by its name, and the text of the file of each stored model and family by a key
        such as ``(max`` and ``(family-max``."""
        texts: dict[str, str] = {}
        name = ""
        for line in _lines(self.root / "statements" / "definitions.txt"):
            head = _WORD.match(line)
            name = head[0] if head else name  # a line that begins with a blank continues the one before
            texts[name] = f"{texts.get(name, '')}{line}\n"
        for folder, prefix in (("models", "("), ("families", "(family-")):
            for path in (self.root / folder).glob("*.json"):
                texts[prefix + path.stem] = path.read_bytes().decode("utf-8")
        return texts

    def digest(self, name: str) -> str:
        """The digest of the lines of statement `name` and of all parts that it names; empty for an unknown name."""
        if name in self.texts and name not in self._digests:
            self._digests[name] = digest(self.texts[name], *self.meant(self.texts[name]))
        return self._digests.get(name, "")

    def meant(self, text: str) -> list[str]:
        """The texts of all parts that `text` names, directly or through other parts: its meaning depends only on
        them."""
        names = set(self._named(text))
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in self._words:
                self._words[name] = self._named(self.parts[name])
            new = self._words[name] - names
            names |= new
            todo += new
        return [self.parts[name] for name in sorted(names)]

    def _named(self, text: str) -> frozenset[str]:
        """The keys in `parts` of the parts that a text names."""
        names = {*_WORD.findall(text), *(f"({name}" for name in records.NAME.findall(text))}
        return frozenset(names & self.parts.keys())


@cache
def statement_files(root: Path) -> StatementFiles:
    """The statements of a folder of proofs, read once."""
    return StatementFiles(root)


def _lines(path: Path) -> list[str]:
    """The lines of a file without comments, empty lines and blanks at their ends."""
    text = path.read_bytes().decode("utf-8") if path.is_file() else ""
    lines = (line.rstrip() for line in text.split("\n"))
    return [line for line in lines if line and not line.lstrip().startswith("#")]
