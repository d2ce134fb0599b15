"""A verdict of the checker as an answer that prints as a report, like all answers; the checker itself prints none."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from symcook.model.answers import Reply
from symcook.proof import replay


@dataclass(frozen=True, repr=False)
class ShownVerdict(Reply, replay.Verdict):
    """A `symcook.proof.replay.Verdict` that prints as a report."""

    REPORT = "verdict"

    @property
    def holds(self) -> bool | None:
        """Whether the statement is proved; False if its negation is (REFUTED, and CORRECTED: false as stated)."""
        return {"PROVED": True, "REFUTED": False, "CORRECTED": False}.get(self.status)

    @property
    def why(self) -> str | None:
        """The reason why the stored proof is not accepted; None if it is accepted."""
        return self.reason or None

    def to_json(self) -> dict[str, Any]:
        """One entry of ``symcook prove --json``."""
        return verdict_json(self)

    @classmethod
    def of(cls, found: replay.Verdict) -> ShownVerdict:
        """The same verdict, as one that prints as a report."""
        return cls(**{field.name: getattr(found, field.name) for field in fields(found)})


def verdict_json(verdict: replay.Verdict) -> dict[str, Any]:
    """One entry of ``prove --json``; the path of the certificate is relative to the folder of proofs."""
    from symcook.proof.audit.source import unasked

    stored = verdict.certificate
    return {
        "id": verdict.id,
        "status": verdict.status,
        "nodes": verdict.nodes,
        "lemmas": list(verdict.lemmas),
        "named": list(verdict.named),
        "oracles": list(verdict.oracles),
        "certificate": None if stored is None else f"certificates/{Path(stored).name}",
        "seconds": round(verdict.seconds, 4),
        "assuming": list(verdict.assuming),
        "rejected": list(verdict.rejected),
        "unasked": unasked(replay.statements()[verdict.id]) if verdict.status == "PROVED" else [],
    }
