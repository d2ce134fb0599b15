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
    lemmas: tuple[str, ...] = ()
    """The labels of the lemmas that the certificates list, those of the corrections too, in order."""


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
                return _corrected(name, StatusOfSenses("REFUTED", (), assuming, _labels(path)), stored, correcting)
            if wanted == "proved":
                return StatusOfSenses("DECIDED" if decided else "PROVED", (), assuming, _labels(path))
            if not wanted and (length := _checked(path)):
                return StatusOfSenses(f"CHECKED {length}", (), assuming)
    return StatusOfSenses("OPEN")


def _corrected(
    name: str, refuted: StatusOfSenses, stored: Mapping[str, Sequence[Path]], correcting: Mapping[str, Sequence[str]]
) -> StatusOfSenses:
    """What is said of a refuted id: CORRECTED if a statement that corrects it is proved."""
    said_of = {other: said(other, stored, {}) for other in correcting.get(name, ())}
    proved = {other: one for other, one in said_of.items() if one.status == "PROVED"}
    if not proved:
        return refuted
    both = (refuted, *proved.values())
    lemmas = {lemma for one in both for lemma in one.lemmas}
    assuming = frozenset[str]().union(*(one.assuming for one in both))
    return StatusOfSenses("CORRECTED", tuple(proved), assuming, tuple(sorted(lemmas)))


def _labels(path: Path) -> tuple[str, ...]:
    """The labels of the lemmas that a certificate lists, without what is assumed, as `replay` finds them in the
    proof."""
    return tuple(sorted(name.removeprefix("lem.") for name in certificate(path)[1] if not name.startswith(ASSUMED)))


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
