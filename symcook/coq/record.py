"""What Coq has accepted, as the ledger shows it: symcook/data/coq.json, by `proofs/coq.py --check --record`.

For each id it has half of one sha256: over the hash of the statement, whose meaning is the theorem, the hash of the
certificate that was translated, and whether that proves it or refutes it. A row counts only while all three are those
of today, for the id and for all its lemmas, and while everything by which files are written and judged is the same:
files of Coq by hand, the writer, the judge, the version of Coq. For a claim about a stored model its text for Coq
counts too. A later run adds to the record what it has checked. The file is a note of the runs that wrote it, made on
one machine; nothing protects it from being forged but checking again (`proofs/coq.py --sample 12 --check`, or
`--all --check`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from symcook.coq.certificate import certificate, sense
from symcook.coq.checker import statements
from symcook.coq.chk import VERSION, foreign
from symcook.coq.models import model_text, models_of, stored_models
from symcook.proof.replay import proofs_directory

PATH = Path(__file__).resolve().parent.parent / "data" / "coq.json"
EMPTY: dict[str, Any] = {"rows": {}, "models": {}, "assumptions": []}
NOT_WRITERS = ("record.py", "certificate.py", "own.py")  # of symcook/coq: they read the record, or do not count there


def certificate_of(name: str) -> tuple[str | None, Mapping[str, str]]:
    """The sha256 of the stored certificate of a statement, None where there is none, and the lemmas that it lists."""
    path = certificates_folder() / f"{name}.json"
    return certificate(path) if path.is_file() else (None, {})


def sense_of(name: str) -> str:
    """Whether it proves the statement or refutes it, where there is one."""
    path = certificates_folder() / f"{name}.json"
    return sense(path) if path.is_file() else "proved"


@cache
def certificates_folder() -> Path:
    return proofs_directory() / "certificates"


def writers() -> list[Path]:
    """All by which files are written and judged: those of Coq by hand, the writer and the judge, and the checker that
    reads for them."""
    root = proofs_directory()
    ours = [path for path in Path(__file__).parent.glob("*.py") if path.name not in NOT_WRITERS]
    return sorted(
        [*(root / "coq").glob("*.v"), *ours, root / "checker.py", root / "coq.py"], key=lambda path: path.name
    )


@cache
def tools_hash() -> str:
    """The sha256 of these files."""
    hashes = (f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in writers())
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


@cache
def model_hash(name: str) -> str:
    """The sha256 of the text by which Coq knows a stored model."""
    return hashlib.sha256(model_text(name).encode()).hexdigest()


def valid() -> bool:
    """Whether the record is of the tools of today, of the version of Coq that they need, and rests on Coq's own axioms
    only."""
    known = stored()
    of_today = known.get("tools") == tools_hash() and str(known.get("coq")).startswith(f"{VERSION}.")
    return of_today and not foreign(known["assumptions"])


def made(version: str, seen: Mapping[str, bool], models: Mapping[str, bool], axioms: Iterable[str]) -> str:
    """The text of coq.json. `seen` and `models` say of each id, and of each stored model, whether Coq has accepted it.
    What was recorded before stays, where it is still of today and is not among these."""
    before = stored() if valid() and stored()["coq"] == version else EMPTY
    rows = {name: today(name) for name in before["rows"] if name not in seen and not stale([name])}
    rows |= {name: today(name) for name, accepted in seen.items() if accepted}
    known = {name: model_hash(name) for name in before["models"] if name not in models and not stale_models([name])}
    known |= {name: model_hash(name) for name, accepted in models.items() if accepted}
    head = {
        "coq": version,
        "assumptions": sorted({*before["assumptions"], *axioms}),
        "tools": tools_hash(),
        "models": dict(sorted(known.items())),
    }
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    written = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(rows.items())]
    return "\n".join(["{", *lines, ' "rows": {', ",\n".join(written), " }", "}", ""])


@cache
def stored() -> dict[str, Any]:
    return json.loads(PATH.read_text(encoding="utf-8")) if PATH.is_file() else EMPTY


def stale(names: Iterable[str]) -> list[str]:
    """Those that Coq has not accepted by the certificates of today."""
    rows = stored()["rows"] if valid() else {}
    return [name for name in names if name not in statements() or rows.get(name) != today(name)]


def stale_models(names: Iterable[str]) -> list[str]:
    """Those stored models whose run Coq has not seen as it is today."""
    known = stored_models()  # others are of no account
    seen = stored()["models"] if valid() else {}
    return [name for name in names if name not in known or seen.get(name) != model_hash(name)]


def today(name: str) -> str:
    return row(name, statements()[name].digest)


def row(name: str, digest: str) -> str:
    """What is recorded of a statement: half the sha256 over its hash, its certificate's, and the sense of that."""
    return hashlib.sha256(f"{digest} {certificate_of(name)[0]} {sense_of(name)}".encode()).hexdigest()[:32]


def coq_hash(name: str, digest: str) -> str:
    """`digest`, the hash of the statement `name` today, where Coq has accepted it by the proofs of today, and all its
    lemmas are proved so, none by itself; else ""."""
    if not valid():
        return ""
    return digest if _stands(name, digest, {}) else ""


def _stands(name: str, digest: str, known: dict[str, bool], lemma: bool = False) -> bool:
    """Whether a row and those of its lemmas are of today. `known`: False while a statement's own lemmas are looked at,
    so that none stands by itself."""
    if (lemma and sense_of(name) != "proved") or name not in statements():
        return False
    if stored()["rows"].get(name) != row(name, digest):
        return False
    if name not in known:
        known[name] = False
        lemmas = certificate_of(name)[1].items()
        known[name] = not stale_models(models_of(name)) and all(_stands(one, its, known, True) for one, its in lemmas)
    return known[name]
