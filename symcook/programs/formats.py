"""Formats that symcook does not read, recognised by their content, so that messages can name them."""

from __future__ import annotations

import re

from symcook.errors import BadInput
from symcook.files import parsed

_COMMENTS = r"(?:\s|//[^\n]*\n|/\*.*?\*/|#[^\n]*\n)*"
BEGINNINGS = {
    "DOT, the format of Graphviz": _COMMENTS + r'(?:strict\s+)?(?:di)?graph\b\s*(?:"[^"]*"|[\w.-]+)?\s*\{',
    "HOA": r"\s*HOA:",
    "AUT, the format of Aldebaran": r"\s*des\s*\(\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\)",
    "JFLAP": r"(?:\s*<[?!][^>]*>)*\s*<structure\b[^>]*>",
    "XML": r"\s*<(?:[?!]|\w[^>]*/>|\w[^>]*>.*</)",
}
"""{format: how a text in it begins}; the first that fits is its format."""
OPERATORS = frozenset("|*+?()[].\\")
"""Signs of a regular expression, which lists of strings do not have."""


def format_of(text: str) -> str | None:
    """The name of the format of a text that is no program of ours; None where it may be one.

    >>> format_of("HOA: v1"), format_of("(ab)*")
    ('HOA', None)
    """
    return next((name for name, start in BEGINNINGS.items() if re.match(start, text, re.DOTALL)), None)


def listed(text: str) -> str | None:
    """What a text is that has strings one after another and could be read as an expression; None for any other text.

    A list of numbers in JSON, such as [0], is an expression too.

    >>> listed("ab\\nba"), listed('["ab", "ba"]'), listed("a* |\\nb")
    ('a list of strings', 'a list in JSON', None)
    """
    try:
        document = parsed(text, "JSON", "the text")
    except BadInput:
        document = None
    if isinstance(document, list) and any(not isinstance(entry, int) for entry in document):
        return "a list in JSON"
    lines = [line for line in text.splitlines() if line.strip()]
    return "a list of strings" if len(lines) > 1 and not OPERATORS & {*text} else None
