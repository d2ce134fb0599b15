"""The results of `symcook.bounds.hardruns`, for all strings of a length at once.

That is possible if no head has scores. Prefixes of strings are then grouped into classes by their running sums
(`symcook.words.exact`). The largest entries of a class are those at its smallest and largest sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from symcook.bounds.hardruns import ZERO, HardRuns, entered, head_places, runs
from symcook.domains.cells import Array
from symcook.errors import NotExact, Undecided
from symcook.forward import Memory, Result, forward
from symcook.model.transformer import Transformer
from symcook.words.exact import Entries, ExactNumbers, Prefixes, PrefixLevel, by_length, mergeable


def grouped(model: Transformer, lengths: Sequence[int]) -> list[HardRuns] | None:
    """`runs` over all strings of each length, but with only one string in `words`; None if the model does not allow
    it."""
    if any(not place.head.uniform for place in head_places(model)):
        return None
    if not mergeable(model) or model.embedding.ends[1]:
        return None
    by_length_runs: list[HardRuns] = []
    try:
        # Run one string of each length for the data that does not depend on the string. The largest entries and the
        # logits are those of all strings.
        for level in by_length(model, lengths, lambda n: _GreatestEntries(model, ExactNumbers(), n)):
            level_runs = runs(model, level.n, [(model.alphabet[0],) * level.n])
            _require_linear(level.result)
            level_runs.greatest = list(level.states.greatest)  # type: ignore[attr-defined]
            level_runs.logits = _logits(level) if model.readout.signed else []
            by_length_runs.append(level_runs)
    except (NotExact, Undecided):
        return None
    return by_length_runs


class _GreatestEntries(Prefixes):
    """Prefixes that record in `greatest` the largest absolute entry before each layer, and at the end."""

    def run(
        self,
        tokens: tuple[str, ...],
        which: Array,
        sums: tuple[tuple[Entries | None, ...], ...],
        answers: bool = True,
        depth: int | None = None,
    ) -> Result:
        """Run one more position for all prefixes, and update `greatest`, which begins anew at the first position.
        NotExact if an activation has its kink inside a class."""
        domain: Any = self.position(self.numbers, self.n, which)
        used_depth = len(self.parents) if depth is None else depth
        result = forward(
            self.model, tokens, domain, after=Memory(used_depth, sums), answers=answers, trace=True, weights=False
        )
        _require_linear(result)
        if not used_depth:
            self.greatest = [ZERO] * (len(self.model.layers) + 1)
        for layer, columns in entered(self.model, [step.columns for step in result.steps]):
            sizes = (abs(x) for column in columns.values() for x in column.values)
            self.greatest[layer] = max(self.greatest[layer], *sizes, ZERO)
        return result


def _require_linear(result: Result) -> None:
    """Raise NotExact if an activation has its kink between the smallest and the largest sum of a class. Without a kink
    all values are linear in the sum, so that the largest entries are those at its two ends."""
    numbers: Any = result.domain.numbers  # type: ignore[attr-defined]
    # `turns` has the arguments of activations: at even places for the smallest sum of a class, at odd ones for the
    # largest.
    for values in numbers.turns:
        for low, high in zip(values[::2], values[1::2], strict=True):
            if low * high < 0 or (numbers.jumps and low != high and not low * high):
                raise NotExact(
                    "to test prefixes in groups, each activation must keep its sign for all prefixes of a group",
                    "one that changes it",
                )


def _logits(level: PrefixLevel) -> list[fmpq]:
    """The logits at the smallest and the largest sum of each class; those of its other strings are between them.
    NotExact if a class has strings of both answers."""
    watched: Any = level.result.watched
    (logits,) = (column.values for column in watched.values())
    if any((low > 0) != (high > 0) for low, high in zip(logits[::2], logits[1::2], strict=True)):
        raise NotExact(
            "to test prefixes in groups, all prefixes of a group must have the same answer",
            "a group with an undecided answer",
        )
    return list(logits)
