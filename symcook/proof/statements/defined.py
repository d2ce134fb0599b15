"""The names of the library's definitions, without the proofs."""

from __future__ import annotations

import re
from functools import cache

from symcook.proof.files import proofs_directory


@cache
def defined_names() -> frozenset[str]:
    """The names that proofs/statements/definitions.txt defines."""
    text = (proofs_directory() / "statements" / "definitions.txt").read_text(encoding="utf-8")
    return frozenset(re.findall(r"^(\w+)(?:\(.*?\))? :=", text, re.MULTILINE))
