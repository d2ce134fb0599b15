"""Statuses of all claims, computed anew by replay, and the lines of the ledger file that stores them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict

from symcook.claims import DEFINITION, Known, inventory, remarks, reviewed, row_digest
from symcook.proof import replay


def status_of(kind: str, found: str, entry: Mapping[str, str]) -> str:
    """The status of a row of this kind where replay gives `found` and the list of reviewed rows has `entry`.

    What is refuted stays refuted. A definition is no claim that could be proved: it is DEFINED where a test is named.
    Every other row is what replay gives; a row without a proof may be CITED, EMPIRICAL or NO CLAIM.
    """
    if found in ("REFUTED", "CORRECTED"):
        return found
    if kind == DEFINITION and "test" in entry:
        return "DEFINED"
    if found != "OPEN":
        return found
    facts = (word for word in ("CITED", "EMPIRICAL", "NO CLAIM") if word.lower() in entry)
    return next(facts, "OPEN")


def recompute(progress: Callable[[str], None] | None = None) -> dict[str, Known]:
    """Statuses of all claims that have one, by replay and by the list of reviewed rows, from the files on disk."""
    entries, remarks_by_name = reviewed(), remarks()  # before the replay, as a faulty entry is found here
    verdicts = {verdict.id: verdict for verdict in replay.replay(progress=progress)}
    proved = {v.id for v in verdicts.values() if v.status == "PROVED"}
    corrections = {s.corrects: s.id for s in replay.statements().values() if s.corrects and s.id in proved}
    first: dict[str, str] = {}  # the first row with a statement, by the hash of the statement
    statuses: dict[str, Known] = {}
    for name, row in inventory().items():
        entry, verdict = entries.get(name, {}), verdicts.get(name)
        # A row with the statement of an earlier row refers to that row.
        same = entry.get("same")
        if name in replay.statements():
            earlier = first.setdefault(replay.statements()[name].digest, name)
            same = same if earlier == name else earlier
        status = status_of(entry.get("kind", row.kind), verdict.status if verdict else "OPEN", entry)
        if verdict is None and status == "OPEN" and same is None and name not in remarks_by_name:
            continue
        corrected = corrections.get(name) if status == "CORRECTED" else None
        used = [v for v in (verdict, verdicts.get(corrected or "")) if v is not None]
        lemmas = tuple(sorted({lemma for v in used for lemma in v.lemmas}))
        assuming = verdict.assuming if verdict else ()
        statuses[name] = Known(status, row_digest(name, same), corrected, assuming, lemmas, same)
    return statuses


def ignored() -> list[str]:
    """What a replay of everything refuses or cannot place: rejected certificates, and files of no statement."""
    verdicts = replay.replay()
    refused = [f"{verdict.id}: rejected {rejection}" for verdict in verdicts for rejection in verdict.rejected]
    return refused + replay.library().problems()


def rows(found: dict[str, Known]) -> list[str]:
    """The lines of the ledger file."""
    lines = []
    for name, known in found.items():
        row = {k: v for k, v in asdict(known).items() if v and k != "rests"}
        lines.append(json.dumps({"id": name, **row, "digest": known.sealed(name)}))
    return lines
