"""The record of what Coq has accepted, which the ledger shows: symcook/data/coq.txt, written by `proofs/coq.py --check
--record`.

A line of a theorem has an id and a digest of the following: the files that judge (`symcook.proof.JUDGES`), the version
of Coq, the hash of the statement, the hash of the certificate that was translated, and whether the certificate proves
or refutes. A line is valid only while the digest is that of the current files, for the id and for all its lemmas. A
claim about a stored model also needs a valid line of that model, with a digest of the model's text for Coq. A later run
adds lines, and drops those that are no longer valid and those of what it did not accept.

The file only notes what runs on one machine have found. It is not protected against forgery, except that everything can
be checked again (`proofs/coq.py --sample 12 --check`, or `--all --check`).
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
"""The file of the record."""


def certificate_of(name: str) -> tuple[str | None, Mapping[str, str]]:
    """The sha256 of the stored certificate of a statement (None if there is none), and {lemma: digest} of the lemmas
    that it lists."""
    path = certificates_folder() / f"{name}.json"
    return certificate(path) if path.is_file() else (None, {})


def sense_of(name: str) -> str:
    """Whether the stored certificate of a statement proves or refutes it: "proved" or "refuted"; without a certificate
    "proved"."""
    path = certificates_folder() / f"{name}.json"
    return sense(path) if path.is_file() else "proved"


@cache
def certificates_folder() -> Path:
    """The folder of stored certificates."""
    return proofs_directory() / "certificates"


@cache
def stored() -> frozenset[str]:
    """The lines of the record, read once in a process."""
    return seals.read(PATH)


def theorem_line(name: str, statement: str) -> str:
    """The line of a theorem that is valid with the current files; `statement` is the hash of its statement."""
    hashes = (statement, str(certificate_of(name)[0]), sense_of(name))
    return f"theorem {name} {seals.digest(seals.judge_digest('coq'), VERSION, *hashes)}"


def model_line(name: str) -> str:
    """The line of a stored model that is valid with the current files. It records that Coq has accepted that the
    model's run satisfies its relation."""
    return f"model {name} {seals.digest(seals.judge_digest('coq'), VERSION, model_hash(name))}"


@cache
def model_hash(name: str) -> str:
    """The digest of the Coq text of a stored model."""
    return seals.digest(model_text(name))


def sound() -> frozenset[str]:
    """The lines of the record; none if the record lists an axiom other than Coq's own."""
    return frozenset() if foreign(named("axiom", stored())) else stored()


@cache
def named(kind: str, lines: frozenset[str]) -> tuple[str, ...]:
    """The names in the lines of a kind (theorem, model or axiom), valid or not."""
    return tuple(sorted({line.split(" ")[1] for line in lines if line.startswith(f"{kind} ")}))


def stale(names: Iterable[str]) -> list[str]:
    """The ids among `names` that Coq has not accepted with the current statements, certificates and judging files;
    also those that are ids of no statement. Their lemmas are not looked at."""
    return [n for n in names if n not in statements() or theorem_line(n, statements()[n].digest) not in sound()]


def stale_models(names: Iterable[str]) -> list[str]:
    """The stored models among `names` whose line is not valid with the current files; other names are left out."""
    return [name for name in names if name in stored_models() and model_line(name) not in sound()]


def added(theorems: Mapping[str, bool], models: Mapping[str, bool], assumed: Iterable[str]) -> set[str]:
    """The lines of the record after a run. `theorems` and `models` say for each id and each stored model of the run
    whether Coq has accepted it; `assumed` are the axioms used. A line of any other id or model stays if it is valid,
    and the axioms of the record stay if such a line does."""
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
    """`digest`, the current hash of the statement `name`, if Coq has accepted its current proof and those of all its
    lemmas, with no circle among them; else ""."""
    return digest if _stands(name, digest, {}) else ""


def _stands(name: str, digest: str, known: dict[str, bool], lemma: bool = False) -> bool:
    """Whether the lines of a statement and of all its lemmas are valid. A `lemma` must also be proved, not refuted.

    `known` has the results so far. A statement has the entry False while its lemmas are checked, so that no circle of
    lemmas is accepted.
    """
    if (lemma and sense_of(name) != "proved") or name not in statements():
        return False
    if theorem_line(name, digest) not in sound():
        return False
    if name not in known:
        known[name] = False
        lemmas = certificate_of(name)[1].items()
        known[name] = not stale_models(models_of(name)) and all(
            _stands(lemma_name, lemma_digest, known, True) for lemma_name, lemma_digest in lemmas
        )
    return known[name]
