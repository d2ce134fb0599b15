"""A verdict of the checker as an answer that prints as a report, like all answers; the checker itself prints none."""

from __future__ import annotations

from dataclasses import dataclass, fields
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
        return self._report().verdict_json(self)

    @classmethod
    def of(cls, found: replay.Verdict) -> ShownVerdict:
        """The same verdict, as one that prints as a report."""
        return cls(**{field.name: getattr(found, field.name) for field in fields(found)})
