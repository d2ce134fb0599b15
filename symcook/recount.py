"""The statuses of all claims, computed by replaying all proofs, and the lines of the ledger file that stores them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

from symcook.claims import Known, inventory, remarks, reviewed, row_digest, senses, status_of
from symcook.proof import replay


def recompute(progress: Callable[[str], None] | None = None) -> dict[str, Known]:
    """{id: what replay found} of all claims with a certificate, a status, a remark or a repeated statement, computed
    from the files on disk."""
    entries, remarks_by_name = reviewed(), remarks()  # read before the long replay: an invalid entry raises here
    verdicts = {verdict.id: verdict for verdict in replay.replay(progress=progress)}
    proved = {v.id for v in verdicts.values() if v.status == "PROVED"}
    corrections = {s.corrects: s.id for s in replay.statements().values() if s.corrects and s.id in proved}
    first_with_statement: dict[str, str] = {}  # {hash of a statement: the first row with it}
    statuses: dict[str, Known] = {}
    for name, row in inventory().items():
        entry, verdict = entries.get(name, {}), verdicts.get(name)
        # A row with the statement of an earlier row refers to that row.
        repeated = entry.get("same")
        if name in replay.statements():
            earlier = first_with_statement.setdefault(replay.statements()[name].digest, name)
            repeated = repeated if earlier == name else earlier
        status = status_of(entry.get("kind", row.kind), verdict.status if verdict else "OPEN", entry)
        if verdict is None and status == "OPEN" and repeated is None and name not in remarks_by_name:
            continue
        corrected = corrections.get(name) if status == "CORRECTED" else None
        assuming = verdict.assuming if verdict else ()
        statuses[name] = Known(status, row_digest(name, repeated), corrected, assuming, senses(name).lemmas, repeated)
    return statuses


def ignored() -> list[str]:
    """Lines about the files that a replay of everything ignores: rejected certificates, and those of no statement."""
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
