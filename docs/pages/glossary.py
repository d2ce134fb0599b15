"""The page *Glossary*, from the table of terms in docs/glossary.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent / "glossary.toml"
HEAD = """\
# Glossary

The words of these pages, of the messages and of the help, one line each. Names of options and values are as you type
them. Python calls and files of statements use the same ones.
"""


def page() -> str:
    """The terms that have a meaning, by the alphabet."""
    rows = [row for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["term"] if "means" in row]
    lines = [f"{row['term']}\n  {row['means']}\n" for row in sorted(rows, key=lambda row: row["term"].lower())]
    return "\n".join([HEAD, ":::{glossary}", *lines, ":::"]) + "\n"  # with a colon, each meaning would be a term
