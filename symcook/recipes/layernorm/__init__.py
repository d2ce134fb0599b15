"""Layer norm as a part that computes: Cookbook, Section 6."""

from __future__ import annotations

from collections.abc import Sequence

from symcook.recipes import kit
from symcook.recipes.registry import Recipe

NOTHING_SHARED = "No weight depends on the length; the same layers work at every position."


def at_a_point(
    this: Recipe,
    space: Sequence[str],
    inputs: Sequence[str],
    outputs: Sequence[str],
    layers: Sequence[kit.Layer],
    parameters: Sequence[kit.Parameter] = (),
) -> kit.Transformer:
    """A model over numbers without attention, which shows `outputs`."""
    return this.model(
        kit.Embedding(kit.Space(tuple(space)), inputs=tuple(inputs)),
        tuple(layers),
        kit.Readout("value", "last", tuple(outputs)),
        parameters=tuple(parameters),
    )
