"""What Coq has accepted, as the ledger shows it: symcook/data/coq.txt, by `proofs/coq.py --check --record`.

A line has an id and a digest: over the hash of the statement, whose meaning is the theorem, the hash of the certificate
that was translated, whether that proves it or refutes it, and the files that judge (`symcook.proof.JUDGES`). It counts
only while all of these are those of today, for the id and for all its lemmas. For a claim about a stored model the line
of that model counts too, which is over its text for Coq. A later run adds what it has checked. The file is a note of
the runs that wrote it, made on one machine; nothing protects it from being forged but checking again (`proofs/coq.py
--sample 12 --check`, or `--all --check`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from symcook.coq.checker import statements
from symcook.coq.chk import VERSION, foreign
from symcook.coq.models import model_text, models_of, stored_models
from symcook.proof.audit import seals
from symcook.proof.audit.certificatefile import certificate, sense
from symcook.proof.replay import proofs_directory

PATH = Path(__file__).resolve().parent.parent / "data" / "coq.txt"


def certificate_of(name: str) -> tuple[str | None, Mapping[str, str]]:
    """The sha256 of the stored certificate of a statement, None where there is none, and the lemmas that it lists."""
    path = certificates_folder() / f"{name}.json"
    return certificate(path) if path.is_file() else (None, {})


def sense_of(name: str) -> str:
    """ "proved" or "refuted": what the stored certificate of a statement shows; "proved" where there is none."""
    path = certificates_folder() / f"{name}.json"
    return sense(path) if path.is_file() else "proved"


@cache
def certificates_folder() -> Path:
    """The folder of stored certificates."""
    return proofs_directory() / "certificates"


@cache
def stored() -> frozenset[str]:
    """The lines of the record."""
    return seals.read(PATH)


def theorem_line(name: str, statement: str) -> str:
    """The line of a theorem that Coq accepts today; `statement` is the hash of its statement."""
    hashes = (statement, str(certificate_of(name)[0]), sense_of(name))
    return f"theorem {name} {seals.digest(seals.judge_digest('coq'), VERSION, *hashes)}"


def model_line(name: str) -> str:
    """The line of a stored model of which Coq accepts today that its run satisfies the relation."""
    return f"model {name} {seals.digest(seals.judge_digest('coq'), VERSION, model_hash(name))}"


@cache
def model_hash(name: str) -> str:
    """The digest of the text by which Coq knows a stored model."""
    return seals.digest(model_text(name))


def sound() -> frozenset[str]:
    """The lines of the record, where it rests on Coq's own axioms only; else none."""
    return frozenset() if foreign(named("axiom", stored())) else stored()


@cache
def named(kind: str, lines: frozenset[str]) -> tuple[str, ...]:
    """The names in the lines of a kind (theorem, model or axiom), whether or not they are still valid."""
    return tuple(sorted({line.split(" ")[1] for line in lines if line.startswith(f"{kind} ")}))


def stale(names: Iterable[str]) -> list[str]:
    """Those of these ids that Coq has not accepted with the statements, certificates and judges as they are now."""
    return [n for n in names if n not in statements() or theorem_line(n, statements()[n].digest) not in sound()]


def stale_models(names: Iterable[str]) -> list[str]:
    """Those of these models whose run Coq has not checked as it is now."""
    return [name for name in names if name in stored_models() and model_line(name) not in sound()]


def added(theorems: Mapping[str, bool], models: Mapping[str, bool], assumed: Iterable[str]) -> set[str]:
    """The lines of the record after a run. `theorems` and `models`: for each id, and each stored model, whether Coq has
    accepted it now. An earlier line of another id or model stays if it is still valid."""
    lines = stored()
    again = {
        theorem_line(n, statements()[n].digest) for n in {*named("theorem", lines)} & {*statements()} - {*theorems}
    }
    again |= {model_line(name) for name in {*named("model", lines)} & {*stored_models()} - {*models}}
    still_sound = again & sound()
    new = {theorem_line(name, statements()[name].digest) for name, accepted in theorems.items() if accepted}
    new |= {model_line(name) for name, accepted in models.items() if accepted}
    return still_sound | new | {f"axiom {name}" for name in (*(named("axiom", lines) if still_sound else ()), *assumed)}


def coq_hash(name: str, digest: str) -> str:
    """`digest`, the hash of the statement `name` as it is now, if Coq has accepted its current proof and those of all
    its lemmas, without a circle; else ""."""
    return digest if _stands(name, digest, {}) else ""


def _stands(name: str, digest: str, known: dict[str, bool], lemma: bool = False) -> bool:
    """Whether the lines of a statement and of its lemmas are valid now. `known` has the results so far; a statement is
    False in it while its own lemmas are looked at, so that no circle of lemmas is accepted."""
    if (lemma and sense_of(name) != "proved") or name not in statements():
        return False
    if theorem_line(name, digest) not in sound():
        return False
    if name not in known:
        known[name] = False
        lemmas = certificate_of(name)[1].items()
        known[name] = not stale_models(models_of(name)) and all(
            _stands(lemma_name, its, known, True) for lemma_name, its in lemmas
        )
    return known[name]
