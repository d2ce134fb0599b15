"""Figures of the costs of a compiled machine's runs against the number of steps of the machine. The counts are exact.

Source: Merrill and Sabharwal (2024), Corollary 2.1 (tokens), Theorem 3 (operations of a machine that simulates the
decoder) and Theorem 4 (space of such a machine, compared with the cells of the original machine).
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
"""No recipe has figures here: `of_machine` makes those of a compiled machine."""
OF_LENGTHS: tuple[str, ...] = ()
TOKENS = 5_000
"""The greatest number of tokens of a run; the first longer run and those on longer strings are left out."""
GROUPS = {
    "tokens": ("Corollary 2.1: tokens by steps", ("tokens", "columns")),
    "operations": ("Theorem 3: operations by steps", ("pairs", "products", "sums", "units")),
    "space": ("Theorem 4: space by steps", ("cells", "stored_bits", "cached")),
}
"""By name of a figure: its title, and the counts of `RunCounts` that it shows, as well as "cells" (see `visited`)."""
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
"""The label of each count."""


def of_machine(model: Transformer) -> tuple[Make, ...]:
    """The makers of the figures of a model compiled from a Turing machine. Raises BadInput for another model."""
    machine_of(model)
    return tuple(_maker(model, name) for name in GROUPS)


def visited(run: MachineRun) -> int:
    """The number of cells, on all tapes, that the heads visit during a run: at the start, after each step, and while
    the output is read."""
    visited_cells: list[set[int]] = [set() for _ in range(run.machine.tapes + 1)]
    for step in run.steps:
        moves = step.token.moves if isinstance(step.token, StepToken) else itertools.repeat(0)
        for cells_seen, head, move in zip(visited_cells, step.heads, moves, strict=False):
            cells_seen.add(head + move)
    return sum(map(len, visited_cells))


def measured(model: Transformer, longest: int) -> Iterator[tuple[int, dict[str, int]]]:
    """The number of steps and the counts of the runs on the strings a b c .. a b c .., for the symbols of the machine,
    at lengths 1, 2, 4, .. up to `longest`, and at length 0 if the empty string is an input. Runs after the first one
    with more than `TOKENS` tokens are not made. The order is by number of steps; of runs with the same number the last
    one counts. `model` is compiled from a machine."""
    letters = machine_of(model).input
    empty = [0] if model.embedding.added else []  # without an added token, an empty word is no input
    lengths = [*empty, *itertools.takewhile(lambda n: n <= longest, (2**k for k in range(20)))] if letters else [0]
    documents: dict[int, dict[str, int]] = {}  # by number of steps: the counts
    for n in lengths:
        run = run_machine(model, tuple(itertools.islice(itertools.cycle(letters), n)), TOKENS)
        if not run.ended:
            break
        run_counts = counts(model, run)
        documents[run_counts.steps] = run_counts.to_json() | {"cells": visited(run)}
    yield from sorted(documents.items())


def _maker(model: Transformer, name: str) -> Make:
    """The maker of the figure `name` of `GROUPS`: a curve for each of its counts."""
    title, keys = GROUPS[name]

    def figure(longest: int, progress: Callable[[str], None]) -> Figure:
        """The figure for strings of at most `longest` symbols."""
        progress(name)
        # A logarithmic axis has no place for a run of 0 steps.
        points = [(steps, run_counts) for steps, run_counts in measured(model, longest) if steps]
        if not points:
            must = f"the machine must end within {TOKENS} tokens on one of the strings that are tried"
            raise BadInput(must, model.name, "symcook run --steps says how far it comes")
        curves = tuple(
            Curve(SAID[key], tuple((Fraction(steps), exact(run_counts[key])) for steps, run_counts in points))
            for key in keys
        )
        note = "exact counts; strings that repeat the symbols in turn"
        return Figure(f"figure-{name}", f"{model.name}: {title}", "steps of the machine", "count", curves, (True, True),
                      note=note)  # fmt: skip

    return figure
