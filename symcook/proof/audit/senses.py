"""What the stored certificates of an id say, read without a replay: a status and what it assumes.

A certificate names its sense and its lemmas. If the checker accepts it, the status is the one found here, by the rules
of `symcook.proof.replay`. So a stored status with another sense is noticed at once. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from symcook.proof.audit.certificatefile import certificate, sense

ASSUMED = ("named.", "oracle.")
"""How the ids of statements begin that are used without a certificate."""


class StatusOfSenses(NamedTuple):
    """What certificates say of an id."""

    status: str
    """PROVED, DECIDED, CHECKED N, REFUTED, CORRECTED, or OPEN where there is no certificate whose lemmas are proved."""
    corrections: tuple[str, ...] = ()
    """For CORRECTED: the ids of the proved statements that correct it."""
    assuming: frozenset[str] = frozenset()
    """The ids of the statements without a proof on which the status depends."""


def said(name: str, stored: Mapping[str, Sequence[Path]], correcting: Mapping[str, Sequence[str]]) -> StatusOfSenses:
    """What the certificates of `name` say. `stored` has the files of the certificates of each id, `correcting` the ids
    of the statements that correct an id."""
    for wanted in ("refuted", "proved", ""):
        for path in stored.get(name, ()):
            assuming = _assumed(path, stored) if sense(path) == wanted else None
            if assuming is None:
                continue
            decided = any(other.startswith("oracle.") for other in assuming)
            if wanted == "refuted" and not decided:
                return _corrected(name, assuming, stored, correcting)
            if wanted == "proved":
                return StatusOfSenses("DECIDED" if decided else "PROVED", (), assuming)
            if not wanted and (length := _checked(path)):
                return StatusOfSenses(f"CHECKED {length}", (), assuming)
    return StatusOfSenses("OPEN")


def _corrected(
    name: str, assuming: frozenset[str], stored: Mapping[str, Sequence[Path]], correcting: Mapping[str, Sequence[str]]
) -> StatusOfSenses:
    """What is said of a refuted id: CORRECTED if a statement that corrects it is proved."""
    proved = {other: said(other, stored, {}) for other in correcting.get(name, ())}
    corrections = tuple(other for other, found in proved.items() if found.status == "PROVED")
    if not corrections:
        return StatusOfSenses("REFUTED", (), assuming)
    return StatusOfSenses("CORRECTED", corrections, assuming.union(*(proved[other].assuming for other in corrections)))


def _assumed(path: Path, stored: Mapping[str, Sequence[Path]]) -> frozenset[str] | None:
    """The assumptions below a certificate; None if a lemma below it has no proof, or an assumption is refuted."""
    assuming: set[str] = set()
    seen: set[str] = set()
    pending = [*certificate(path)[1]]
    while pending:
        lemma = pending.pop()
        if lemma in seen:
            continue
        seen.add(lemma)
        senses = {sense(file): file for file in stored.get(lemma, ())}
        if lemma.startswith(ASSUMED):
            if "refuted" in senses:
                return None
            assuming.add(lemma)
        elif "proved" in senses:
            pending += certificate(senses["proved"])[1]
        else:
            return None
    return frozenset(assuming)


def _checked(path: Path) -> int | None:
    """The length to which the certificate of a check goes; None if the file is none."""
    try:
        length = json.loads(path.read_bytes())["check"]["max_length"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    return length if type(length) is int and length > 0 else None
