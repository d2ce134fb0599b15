"""What runs of a compiled machine cost, against the steps of the machine: exact counts, from runs in integers.

Source: Merrill and Sabharwal (2024), Corollary 2.1 (tokens by steps), Theorem 3 (operations of a machine that simulates
the decoder) and Theorem 4 (its space beside the cells of the machine).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction

from symcook.errors import BadInput
from symcook.model.transformer import Transformer
from symcook.papers.drawing import Make
from symcook.programs.steps import StepToken
from symcook.report.figure import Curve, Figure, exact
from symcook.thought.counts import counts
from symcook.thought.running import MachineRun, machine_of, run_machine

FIGURES: dict[str, tuple[Make, ...]] = {}
"""No recipe has one: `of_machine` makes those of a compiled machine."""
TOKENS = 5_000
"""A run of more tokens is left out."""
GROUPS = {
    "tokens": ("Corollary 2.1: tokens by steps", ("tokens", "columns")),
    "operations": ("Theorem 3: operations by steps", ("pairs", "products", "sums", "units")),
    "space": ("Theorem 4: space by steps", ("cells", "stored_bits", "cached")),
}
"""The figures: a title, and which counts of `RunCounts` they show; `cells` are those of the tapes that heads visit."""
SAID = {
    "tokens": "tokens put out",
    "columns": "columns, with the input",
    "pairs": "scores of pairs",
    "products": "products in scores",
    "sums": "additions of means",
    "units": "hidden units",
    "cells": "cells that heads visit",
    "stored_bits": "bits of all tokens and two counters",
    "cached": "numbers in a cache",
}


def of_machine(model: Transformer) -> tuple[Make, ...]:
    """The figures of a model that was compiled from a Turing machine; BadInput for any other."""
    machine_of(model)
    return tuple(_figure(model, name) for name in GROUPS)


def visited(run: MachineRun) -> int:
    """How many cells of all tapes the heads stand on during a run: at the start, behind each step, and on what is put
    out."""
    places: list[set[int]] = [set() for _ in range(run.machine.tapes + 1)]
    for step in run.steps:
        moves = step.token.moves if isinstance(step.token, StepToken) else itertools.repeat(0)
        for cells_seen, head, move in zip(places, step.heads, moves, strict=False):
            cells_seen.add(head + move)
    return sum(map(len, places))


def measured(model: Transformer, longest: int) -> Iterator[tuple[int, dict[str, int]]]:
    """For words of the letters in turn, at lengths that double, the steps and the counts of the run, as far as it ends
    within `TOKENS`. `model` is compiled from a machine."""
    letters = machine_of(model).input
    empty = [0] if model.embedding.added else []  # nothing stands behind it without a token in front
    lengths = [*empty, *itertools.takewhile(lambda n: n <= longest, (2**k for k in range(20)))] if letters else [0]
    documents: dict[int, dict[str, int]] = {}
    for n in lengths:
        run = run_machine(model, tuple(itertools.islice(itertools.cycle(letters), n)), TOKENS)
        if not run.ended:
            break
        run_counts = counts(model, run)
        documents[run_counts.steps] = run_counts.to_json() | {"cells": visited(run)}
    yield from sorted(documents.items())


def _figure(model: Transformer, name: str) -> Make:
    """The maker of a figure of one of the `GROUPS`: a curve of a model's counts for each key of the group."""
    title, keys = GROUPS[name]

    def figure(longest: int, done: Callable[[str], None]) -> Figure:
        """The figure for strings of at most `longest` symbols."""
        done(name)
        # A run of 0 steps has no place on a logarithmic axis.
        points = [(steps, run_counts) for steps, run_counts in measured(model, longest) if steps]
        if not points:
            must = f"the machine must end within {TOKENS} tokens on one of the strings that are tried"
            raise BadInput(must, model.name, "symcook run --steps says how far it comes")
        curves = tuple(
            Curve(SAID[key], tuple((Fraction(steps), exact(run_counts[key])) for steps, run_counts in points))
            for key in keys
        )
        note = "exact counts; words of the letters in turn"
        return Figure(f"figure-{name}", f"{model.name}: {title}", "steps of the machine", "count", curves, (True, True),
                      note=note)  # fmt: skip

    return figure
