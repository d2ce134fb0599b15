"""The words that pages and messages no longer use (docs/glossary.toml), found in any text, and sentences too long to be
read at once."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from checkout import ROOT

TABLE = ROOT / "docs" / "glossary.toml"
FENCE = re.compile(r"^[ >]*(```+|:::+)[^\n]*\n.*?^[ >]*\1[ ]*$", re.DOTALL | re.MULTILINE)
NOT_PROSE = (
    FENCE,
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"(`+)(?!`).*?(?<!`)\1", re.DOTALL),  # code
    re.compile(r"^> .*$", re.MULTILINE),  # a quotation
    re.compile(r'"[^"\n]{1,200}"|“[^”]{1,200}”'),
    re.compile(r"(?<=\])\([^)\s]*\)|<[^>]*>|https?://\S+"),  # where links lead, and tags
    re.compile(r"(?<![\w-])--[a-z][\w-]*"),  # an option
)


@dataclass(frozen=True)
class Term:
    """A row of the glossary."""

    write: str
    means: str
    old: str
    patterns: tuple[re.Pattern[str], ...]
    ordinary: tuple[re.Pattern[str], ...]


@cache
def terms() -> tuple[Term, ...]:
    def compiled(sources: list[str]) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(source, re.IGNORECASE | re.MULTILINE) for source in sources)

    return tuple(
        Term(row["term"], row.get("means", ""), row.get("old", ""), compiled(row.get("pattern", [])),
             compiled(row.get("except", [])))
        for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["term"]
    )  # fmt: skip


def blank(found: re.Match[str]) -> str:
    """As many lines and characters, so that places stay."""
    return re.sub(r"[^\n]", " ", found[0])


def prose(markdown: str) -> str:
    """A text without its code, quotations, options and the targets of its links, at the same places."""
    for pattern in NOT_PROSE:
        markdown = pattern.sub(blank, markdown)
    return markdown


def old_terms(text: str) -> list[str]:
    """Each old term in a text of prose: its line, its words there, and the term to write."""
    problems = []
    for term in terms():
        rest = text
        for pattern in term.ordinary:
            rest = pattern.sub(blank, rest)
        for pattern in term.patterns:
            for match in pattern.finditer(rest):
                line = text.count("\n", 0, match.start()) + 1
                problems.append((line, f"line {line}: {match[0].strip()!r}; write: {term.write}"))
    return [problem for _, problem in sorted(problems)]


LONG = 30
"""How many words a sentence may have."""
_END = re.compile(r"(?<=[.!?:])[)\"'”*_]*\s+(?=[A-Z`*(\[\"“0-9]|symcook |$)|\n\s*\n|\n(?= *(?:[-*] |\d+\. |#|\|))|\|")


def long_sentences(markdown: str) -> list[str]:
    """Each sentence of more than `LONG` words, with the number of its words; code in it counts as one word a piece."""
    text = re.sub(r"^ {4}.*$", "", FENCE.sub("\n\n", markdown), flags=re.MULTILINE)  # code is no sentence
    text = re.sub(r"<!--.*?-->|<[^>]*>", "", text, flags=re.DOTALL)
    text = re.sub(r"(`+)(?!`)(.*?)(?<!`)\1", "code", text, flags=re.DOTALL)
    text = re.sub(r"\]\([^)\s]*\)|\]\[[^\]]*\]", "]", text)
    found = []
    for sentence in _END.split(text):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > LONG:
            found.append(f"{len(words)} words: {' '.join(words)}")
    return found
