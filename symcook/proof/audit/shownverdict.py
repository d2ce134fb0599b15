"""A verdict of the checker as an answer that prints as a report, like all answers; the checker itself prints none."""

from __future__ import annotations

from dataclasses import dataclass, fields

from symcook.model.answers import Shown
from symcook.proof import replay


@dataclass(frozen=True, repr=False)
class ShownVerdict(Shown, replay.Verdict):
    """A `symcook.proof.replay.Verdict` that prints as a report."""

    REPORT = "verdict"

    @classmethod
    def of(cls, found: replay.Verdict) -> ShownVerdict:
        """The same verdict, as one that prints as a report."""
        return cls(**{field.name: getattr(found, field.name) for field in fields(found)})
