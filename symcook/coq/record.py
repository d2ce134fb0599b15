"""What Coq has accepted, as the ledger shows it: symcook/data/coq.json, by `proofs/coq.py --check --record`.

For each id it has two hashes: of the statement, whose meaning is the theorem, and of the certificate that was
translated. A row counts only while both are those of today, for the id and for all its lemmas, and while the files that
say what a theorem means are the same; for a claim about a stored model also that of the model. A later run adds to the
record what it has checked. The file is a note of the runs that wrote it, made on one machine; nothing protects it from
being forged but checking again (`proofs/coq.py --sample 40 --check`, or `--all --check`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from symcook.coq.certificate import certificate
from symcook.coq.checker import statements
from symcook.coq.models import model_text, models_of, stored_models
from symcook.coq.statement import tree_text
from symcook.proof.replay import proofs_directory

PATH = Path(__file__).resolve().parent.parent / "data" / "coq.json"
EMPTY: dict[str, Any] = {"rows": {}, "models": {}, "assumptions": []}
MEANING = ("Meaning", "Tree")  # of proofs/coq: what a theorem about a tree says
WORD = re.compile(r"\w+")
SINES = re.compile(r'^ +\| "(?:sin|cos)", .*\n', re.MULTILINE)


def certificate_of(name: str) -> tuple[str | None, Mapping[str, str]]:
    """The sha256 of the stored certificate of a statement, None where there is none, and the lemmas that it lists."""
    path = certificates_folder() / f"{name}.json"
    return certificate(path) if path.is_file() else (None, {})


@cache
def certificates_folder() -> Path:
    return proofs_directory() / "certificates"


@cache
def meanings() -> str:
    """The files that say what a theorem means."""
    return "".join((proofs_directory() / "coq" / f"{file}.v").read_text(encoding="utf-8") for file in MEANING)


@cache
def meaning_hash() -> str:
    """The sha256 of these files without the lines of sine and cosine, which nothing else reaches."""
    return hashlib.sha256(SINES.sub("", meanings()).encode()).hexdigest()


@cache
def sines_hash() -> str:
    """The sha256 of the lines that say what sine and cosine mean."""
    return hashlib.sha256("".join(SINES.findall(meanings())).encode()).hexdigest()


@cache
def model_hash(name: str) -> str:
    """The sha256 of the text by which Coq knows a stored model, and of what the words in it mean."""
    model = (proofs_directory() / "coq" / "Model.v").read_bytes()
    return hashlib.sha256(meaning_hash().encode() + model + model_text(name).encode()).hexdigest()


def made(version: str, seen: Mapping[str, bool], models: Mapping[str, bool], axioms: Iterable[str]) -> str:
    """The text of coq.json. `seen` and `models` say of each id, and of each stored model, whether Coq has accepted it.
    What was recorded before stays, where it is still of today and is not among these."""
    before = stored() if stored().get("coq") == version else EMPTY
    rows = {name: today(name) for name in before["rows"] if name not in seen and not stale([name])}
    rows |= {name: today(name) for name, accepted in seen.items() if accepted}
    known = {name: model_hash(name) for name in before["models"] if name not in models and not stale_models([name])}
    known |= {name: model_hash(name) for name, accepted in models.items() if accepted}
    head = {
        "coq": version,
        "assumptions": sorted({*before["assumptions"], *axioms}),
        "meaning": meaning_hash(),
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
    rows = stored()["rows"] if stored().get("meaning") == meaning_hash() else {}
    return [name for name in names if name not in statements() or rows.get(name) != today(name)]


def stale_models(names: Iterable[str]) -> list[str]:
    """Those stored models whose run Coq has not seen as it is today."""
    known = stored_models()  # others are of no account
    return [name for name in names if name not in known or stored()["models"].get(name) != model_hash(name)]


def today(name: str) -> list[str | None]:
    return row(name, statements()[name].digest)


def row(name: str, digest: str) -> list[str | None]:
    """What is recorded of a statement: its hash and that of its certificate; where sine or cosine occurs in it also
    that of their meaning."""
    return [digest, certificate_of(name)[0], *([sines_hash()] if has_sines(name) else [])]


@cache
def has_sines(name: str) -> bool:
    """Whether sine or cosine occurs in a statement. Its text and the definitions that it names are looked at first:
    without these words it need not be read."""
    statement = statements()[name]
    words, new = set[str](), set(WORD.findall(statement.text))
    while new:
        words |= new
        new = set().union(*(named(statement.known[word]) for word in new & statement.known.keys())) - words
    if not words & {"sin", "cos"}:
        return False
    return re.search(r'\["fn","(sin|cos)",', tree_text(statement.formula)) is not None


@cache
def named(definition: Any) -> frozenset[str]:
    """The words of a definition's body."""
    return frozenset(WORD.findall(repr(definition.body)))


def coq_hash(name: str, digest: str) -> str:
    """`digest`, the hash of the statement `name` today, where Coq has accepted it by the proofs of today; else ""."""
    if stored().get("meaning") != meaning_hash():
        return ""
    todo, seen = [(name, digest)], set()
    while todo:
        one, wanted = todo.pop()
        if one not in statements() or stored()["rows"].get(one) != row(one, wanted):
            return ""
        if stale_models(models_of(one)):
            return ""
        seen.add(one)
        todo += [(lemma, its) for lemma, its in certificate_of(one)[1].items() if lemma not in seen]
    return digest
