"""What Coq has accepted, as the ledger shows it: symcook/data/coq.json, written by `proofs/coq.py --all --record`.

For each id it has the hash of the statement, whose meaning is the theorem, and the hash of the certificate that was
translated. A row counts only while both are those of today; nothing in the file is written by hand.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from symcook.proof.replay import proofs_directory

PATH = Path(__file__).resolve().parent.parent / "data" / "coq.json"


def certificate_hash(name: str) -> str | None:
    """The sha256 of a stored certificate, None where there is none."""
    path = proofs_directory() / "certificates" / f"{name}.json"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def made(version: str, theorems: int, accepted: dict[str, str], axioms: Iterable[str]) -> str:
    """The text of coq.json: `accepted` has the hash of each statement by id, of `theorems` that there are."""
    rows = {name: {"statement": digest, "certificate": certificate_hash(name)} for name, digest in accepted.items()}
    document = {"coq": version, "theorems": theorems, "assumptions": sorted(axioms), "rows": dict(sorted(rows.items()))}
    return json.dumps(document, indent=1) + "\n"


@cache
def stored() -> dict[str, Any]:
    return json.loads(PATH.read_text(encoding="utf-8")) if PATH.is_file() else {"rows": {}}


def coq_hash(name: str, digest: str) -> str:
    """The hash of the statement that Coq has accepted by the certificate of today; "" where it has not."""
    row = stored()["rows"].get(name)
    current = row is not None and row["statement"] == digest and row["certificate"] == certificate_hash(name)
    return digest if current else ""
