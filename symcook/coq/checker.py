"""The second checker (proofs/checker.py) as a library: terms, reader, normal form, enclosures, and certificates by id.

Its limits are lifted here: what is translated has been checked already, and Coq judges the translation. Python's limit
of recursion is lifted inside `deep` only.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from symcook.proof.replay import proofs_directory, uncollected

DEPTH = 30_000


@contextmanager
def deep() -> Iterator[None]:
    """Room for the recursion over long terms; also a decorator. Threads that need it run inside of one that has it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@cache
def checker() -> Any:
    """The module proofs/checker.py."""
    spec = importlib.util.spec_from_file_location("symcook_second_checker", proofs_directory() / "checker.py")
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.WHOLE = module.WHOLE | {"whole"}  # an integer that is cast as a whole, see reading.py
    module.MAX_SIZE = module.MAX_DEPTH = module.MAX_STORED = 10**9
    return module


@cache
@deep()
@uncollected()
def statements() -> dict[str, Any]:
    """The statements of proofs/expanded.txt by id."""
    return checker().read_statements((proofs_directory() / "expanded.txt").read_text(encoding="utf-8"))


@cache
@deep()
@uncollected()
def certificates() -> dict[str, dict[str, Any]]:
    """The stored certificates that are proofs, by id, each after those of its lemmas."""
    found = [(p.name, json.loads(p.read_bytes())) for p in sorted((proofs_directory() / "certificates").glob("*.json"))]
    return {data["id"]: data for _, data in checker().in_order(found) if "proof" in data}
