"""A stored certificate as a file: its hash and the lemmas that it lists, without its proof. Standard library only."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

HEAD = re.compile(
    rb'\s*\{\s*"grammar":\s*1,\s*"id":\s*"[\w.-]*",\s*"statement":\s*"[0-9a-f]*",\s*"lemmas":\s*(\{[^{}]*\})(?:,\s*"sense":\s*"(\w+)")?'
)
"""The beginning of a certificate as symcook writes it; the groups are its lemmas and its sense."""


def certificate(path: Path) -> tuple[str, Mapping[str, str]]:
    """The sha256 of the file in hexadecimal, and {id: hash of the statement} of the lemmas that it lists; no lemmas
    where the file is no certificate. This is no check: `replay` reads certificates strictly.

    OSError where there is no such file. A file that does not change is read once."""
    at = path.stat()
    return _read(path, at.st_mtime_ns, at.st_size)[:2]


def sense(path: Path) -> str:
    """The value of "sense" in the file, "proved" or "refuted"; "" where it has none."""
    at = path.stat()
    return _read(path, at.st_mtime_ns, at.st_size)[2]


@cache
def _read(path: Path, changed: int, size: int) -> tuple[str, Mapping[str, str], str]:
    """Hash, lemmas and sense of a file. `changed` and `size` are part of the cache's key: a changed file is read
    again."""
    content = path.read_bytes()
    return hashlib.sha256(content).hexdigest(), *_head(content)


def _head(content: bytes) -> tuple[Mapping[str, str], str]:
    """The lemmas and the sense of a certificate; ({}, "") where it is not one.

    In certificates written by symcook both come before the proof, so that only the beginning is parsed; a file that
    does not begin so is parsed completely.
    """
    head = HEAD.match(content)
    try:
        if head and head[2]:
            return json.loads(head[1]), head[2].decode()
        data = json.loads(content)
        lemmas, meant = data.get("lemmas"), data.get("sense")
    except (ValueError, RecursionError, AttributeError):
        return {}, ""
    return lemmas if isinstance(lemmas, dict) else {}, meant if isinstance(meant, str) else ""
