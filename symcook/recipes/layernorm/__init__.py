"""Layer norm as a part that computes: Cookbook, Section 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.registry import info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from symcook.model.layers import Layer
    from symcook.model.transformer import Parameter, Transformer

NOTHING_SHARED = "No weight depends on the length; the same layers work at every position."


def at_a_point(
    name: str,
    space: Sequence[str],
    inputs: Sequence[str],
    outputs: Sequence[str],
    layers: Sequence[Layer],
    parameters: Sequence[Parameter] = (),
) -> Transformer:
    """A model over numbers without attention, which shows `outputs`."""
    from symcook.model.ends import Embedding, Readout
    from symcook.model.space import Space
    from symcook.model.transformer import Transformer

    return Transformer(
        name,
        Embedding(Space(tuple(space)), inputs=tuple(inputs)),
        tuple(layers),
        Readout("value", "last", tuple(outputs)),
        parameters=tuple(parameters),
        source=info(name).source,
    )
