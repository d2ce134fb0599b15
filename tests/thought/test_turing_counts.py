"""Counts of a run beside what an instrumented run does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import symcook as sc
from symcook.domains.ball import BallDomain
from symcook.machine import Machine
from symcook.programs.steps import END
from symcook.thought.counts import counts, expected
from symcook.thought.floats import FloatDecoder
from symcook.thought.running import run_machine

MACHINES = Path(__file__).parents[2] / "examples" / "machines"


class Counting(BallDomain):
    """Balls that count how many positions each comparing row sees."""

    pairs = 0

    def best(self, scores: Any, weighting: str, i: int, first: int) -> Any:
        self.pairs += len(scores)
        return super().best(scores, weighting, i, first)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("name", "word"), [("increment", "101"), ("copy", ""), ("unary-multiplication", "1101")])
def test_counts_are_those_of_an_instrumented_run(name: str, word: str) -> None:
    model = sc.compile("tm", (MACHINES / f"{name}.tm").read_text())
    found = counts(model, run_machine(model, word, 1000))
    domain = Counting(128)
    machine = Machine(model, domain)
    state, label, columns = machine.start(), "", 1
    for letter in word:
        state, columns = machine.advance(state, letter), columns + 1
    tokens = 0
    while (label := str(machine.result(state).label(-1))) != END:
        state, tokens, columns = machine.advance(state, label), tokens + 1, columns + 1
    assert (found.tokens, found.columns, found.pairs) == (tokens, columns, domain.pairs)
    decoder = FloatDecoder(model)
    assert len(list(decoder.decode(word))) == tokens + 1
    heads = [part for _, parts in decoder.blocks for part in parts if hasattr(part, "head") and not part.head.uniform]
    kept = sum(part.count * (part.keys.shape[1] + part.values.shape[1]) for part in heads)
    assert found.cached == kept + len(model.layers[0].attention.heads[0].writes)


def test_they_grow_as_the_theorems_say() -> None:
    """Tokens with the steps, pairs at most with the square of letters and steps, bits stored with both."""
    model = sc.compile("tm", (MACHINES / "copy.tm").read_text())
    for n in (0, 1, 10, 100, 1000):
        found = expected(model, n, 2 * n + 2, n)
        assert found.tokens == found.steps + 1 + n and found.columns == 4 * n + 4
        assert found.pairs <= 2 * 2 * (n * n + found.tokens**2 + 1)
        assert found.stored_bits <= (found.token_bits + 2) * (n + 1 + found.tokens)
