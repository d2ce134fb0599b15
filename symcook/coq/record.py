"""What Coq has accepted, as the ledger shows it: symcook/data/coq.json, by `proofs/coq.py --all --check --record`.

For each id it has two hashes: of the statement, whose meaning is the theorem, and of the certificate that was
translated. A row counts only while both are those of today, for the id and for all its lemmas, and while the files that
say what a theorem means are the same. The file is a note of the run that wrote it, made on one machine; nothing
protects it from being forged but checking again (`proofs/coq.py --sample 40 --check`, or `--all --check`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from symcook.proof.replay import proofs_directory

PATH = Path(__file__).resolve().parent.parent / "data" / "coq.json"
MEANING = ("Meaning", "Tree")  # of proofs/coq: what a theorem about a tree says


def certificate_hash(name: str) -> str | None:
    """The sha256 of a stored certificate, None where there is none."""
    content = certificate(name)
    return hashlib.sha256(content).hexdigest() if content else None


def certificate(name: str) -> bytes:
    path = proofs_directory() / "certificates" / f"{name}.json"
    return path.read_bytes() if path.is_file() else b""


@cache
def meaning_hash() -> str:
    """The sha256 of the files that say what a theorem means."""
    texts = [(proofs_directory() / "coq" / f"{file}.v").read_bytes() for file in MEANING]
    return hashlib.sha256(b"".join(texts)).hexdigest()


def made(version: str, theorems: int, accepted: Mapping[str, str], axioms: Iterable[str]) -> str:
    """The text of coq.json: `accepted` has the hash of each statement by id, of `theorems` that there are."""
    head = {"coq": version, "theorems": theorems, "assumptions": sorted(axioms), "meaning": meaning_hash()}
    rows = [f"  {json.dumps(n)}: {json.dumps([s, certificate_hash(n)])}" for n, s in sorted(accepted.items())]
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    return "\n".join(["{", *lines, ' "rows": {', ",\n".join(rows), " }", "}", ""])


@cache
def stored() -> dict[str, Any]:
    return json.loads(PATH.read_text(encoding="utf-8")) if PATH.is_file() else {"rows": {}}


def changed(names: Iterable[str]) -> list[str]:
    """Those whose certificate is another one than Coq has accepted; new ones too if everything was accepted then."""
    rows, theorems = stored()["rows"], stored().get("theorems")
    asked = [name for name in names if name in rows or len(rows) == theorems]
    return [name for name in asked if name not in rows or rows[name][1] != certificate_hash(name)]


def coq_hash(name: str, digest: str) -> str:
    """`digest`, the hash of the statement `name` today, where Coq has accepted it by the proofs of today; else ""."""
    if stored().get("meaning") != meaning_hash():
        return ""
    todo, seen = [(name, digest)], set()
    while todo:
        one, wanted = todo.pop()
        if stored()["rows"].get(one) != [wanted, certificate_hash(one)]:
            return ""
        seen.add(one)
        content = certificate(one)
        lemmas = json.loads(content)["lemmas"] if content else {}
        todo += [(lemma, its) for lemma, its in lemmas.items() if lemma not in seen]
    return digest
