"""The words of a statement that take the name of a stored model or of a family, in one table, with the patterns that
find them.

A statement about a model has calls such as ``run(dyck-1)``, ``names(family-max)`` or ``run(rounded-first; u)``. They
are text that is written out before the statement is read (`runrel`, `familyrel`, `records`, `roundings`), so they are
found by patterns. Every reader of statements takes its pattern from here. Trusted. Standard library only.
"""

from __future__ import annotations

import re

OF_MODELS = ("run", "word", "accept")
"""The words of a stored model that stand in a statement as a formula."""
OF_FAMILIES = (*OF_MODELS, "premises", "answer", "names")
"""The words of a family."""
OF_ROUNDED_RUNS = ("run", "accept", "names")
"""The words of a run that rounds."""
ARITHMETICS = ("rounded", "floats")
"""What the name of a run that rounds begins with, before a hyphen."""

_MODEL = r"[A-Za-z0-9][A-Za-z0-9-]*"
_FAMILY = r"[A-Za-z0-9][\w-]*"
_ARGUMENTS = r"((?:;[^;()]*)*)"


def _one_of(words: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(words)})"


MODEL_CALL = re.compile(rf"\b({_one_of(OF_MODELS)})\(\s*({_MODEL})\s*\)")
"""A word about a stored model: the word, and the name."""
NAMES_CALL = re.compile(rf"\bnames\(\s*(?!family-)({_MODEL})\s*\)")
"""The list of the names of a stored model's run: the name of the model."""
FAMILY_CALL = re.compile(rf"\b({_one_of(OF_FAMILIES)})\(\s*family-({_FAMILY})\s*{_ARGUMENTS}\)", re.ASCII)
"""A word about a family: the word, the name, and the text of the arguments with the semicolons before them."""
ROUNDED_CALL = re.compile(
    rf"\b({_one_of(OF_ROUNDED_RUNS)})\(\s*({_one_of(ARITHMETICS)})-((?:family-)?{_FAMILY})\s*{_ARGUMENTS}\)", re.ASCII
)
"""A word about a run that rounds: the word, the arithmetic, the name of the model or family, and the arguments."""
RECORD = re.compile(rf"\b(all|ex)\s+(\w+)\s*:\s*run\(\s*({_MODEL})\s*(?:,\s*(\w+)\s*)?\)\s*\.")
"""A quantifier over a run with a name: the quantifier, the name, the model, and the string."""
LIST = re.compile(rf"\bnames\(\s*{_FAMILY}\s*{_ARGUMENTS}\)", re.ASCII)
"""Any list of names."""
UNREAD = re.compile(r"\bnames\((?!\s*family-)|:\s*run\(")
"""What is left where a list of names or a named run could not be read."""
NAME = re.compile(
    rf"(?:\b{_one_of(OF_FAMILIES)}\(\s*|\(\s*(?=family-|{_one_of(ARITHMETICS)}-))(?:{_one_of(ARITHMETICS)}-)?((?:family-)?{_MODEL})"
)
"""The name of a model or a family in a call of any of the words."""
WORD = re.compile(rf"\b{_one_of(OF_FAMILIES)}\(")
"""Where a call may begin."""
REWRITTEN = re.compile(rf"\bnames\(|:\s*run\(|\(\s*(?:family|{'|'.join(ARITHMETICS)})-")
"""What is written out even where run(NAME) of a stored model stays, as for readers: lists of names, named runs, words
about families and about runs that round."""


def mentions(text: str, name: str) -> bool:
    """Whether a text has a word about the stored model `name`."""
    return any(call[2] == name for call in MODEL_CALL.finditer(text))
