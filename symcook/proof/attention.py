"""What ``weight(L, H, i, j)`` and ``score(L, H, i, j)`` mean in a statement: the attention weight and the score that
head H of layer L, both counted from 1, gives to position j (the key) at position i (the query).

The score is the product of query and key, times the scale and divided by the temperature. The weight is what the value
at j is multiplied by in the equation of the head, divided by the sum of the weights; it is 0 where the mask hides j.

Trusted: a statement about weights and scores means what is printed here. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symcook.proof.definitions import HardRow, HeadRow, SoftRow, Window
from symcook.proof.runvalues import BiasedScore, Call, Score, ValueAt


@dataclass(frozen=True)
class AttendedHead:
    """A head of a model. `factor` has the text of its scale and of its temperature."""

    row: HeadRow
    factor: tuple[str, str]
    call: Call

    @property
    def seen(self) -> Window:
        """The positions that position i sees."""
        return self.row.seen

    @property
    def _score(self) -> ValueAt | None:
        """The score with its scale and temperature; None where it is 0 everywhere."""
        score = self.row.score if isinstance(self.row, (HardRow, SoftRow)) else None
        if isinstance(score, BiasedScore):
            return replace(score, temperature=self.factor[1])
        return replace(score, factor=self.factor) if isinstance(score, Score) else score

    @property
    def score(self) -> str:
        """The score that i gives to j, as text with the names i and j; j must be a position that i sees."""
        return "0" if self._score is None else self._score.at("j", self.call)

    def weight(self, place: str) -> str:
        """The weight that i gives to the position `place`, as text with the name i.

        A sum over the positions that i sees, in which one summand is not 0: where i sees none, nothing is divided."""
        weight, (_, total) = self.row.weight(self.call) or "1", self.row.summed(self.call)
        one_position = isinstance(self.row, HardRow) and self.row.ties != "average"
        share = weight if one_position else f"({weight})/({total})"
        return f"sum(j, {self.seen.low}, {self.seen.high}, I[j = {place}]*({share}))"
