"""Every coordinate x beside -x, so that the mean is zero and a layer norm only scales.

Source: chiang2022, Section 4.3 and Appendix B; Cookbook, Section 6.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symcook.compose.routing import fresh
from symcook.errors import BadInput
from symcook.model.layers import Layer, SelfAttention
from symcook.model.parts import FeedForward, Head, LayerNorm
from symcook.model.space import Space
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer


def paired(
    model: Transformer, epsilon: Exact = 0, *, zero_variance: str = "refuse", name: str | None = None
) -> Transformer:
    """`model` over twice its coordinates, x and -x, with a post-norm after each of the two parts of every layer.

    Each coordinate c has a partner c_minus that holds -c at every position and after every part, so that each norm
    sees the mean 0 and divides by sqrt(mean square + epsilon), the same number for all coordinates of a position. The
    blocks read the coordinates of `model` and write both. A layer without attention or without a feed-forward part
    gets one that adds zero, since a norm stands behind each of the two. `epsilon` >= 0 and `zero_variance` are those of
    `symcook.model.parts.LayerNorm`. Raises BadInput for a model that has norms of its own, or inputs in place of
    words.
    Source: chiang2022, Section 4.3 and Appendix B.
    """
    if model.normed:
        raise BadInput("a model to be paired must be without layer norm", model.name)
    words = model.embedding.words
    if words is None:
        raise BadInput(
            "a model to be paired must read words, whose embedding can hold -x", f"{model.name} takes inputs"
        )
    minus: dict[str, str] = {}
    for one in model.space:
        minus[one] = fresh(f"{one}_minus", (*model.space, *minus.values(), *(p.name for p in model.parameters)))

    def both(row: Mapping[str, Any]) -> dict[str, Any]:
        return {c: value for one, given in row.items() for c, value in ((one, given), (minus[one], -given))}

    space = Space((*model.space, *minus.values()))
    norm = LayerNorm(tuple(space), epsilon=epsilon, zero_variance=zero_variance)
    embedding = replace(
        model.embedding,
        space=space,
        words={token: both(row) for token, row in words.items()},
        positions=both(model.embedding.positions),
    )
    return replace(
        model,
        name=f"{model.name} paired" if name is None else name,
        embedding=embedding,
        layers=tuple(_mirrored(layer, minus, norm) for layer in model.layers),
    )


def _mirrored(layer: Layer, minus: Mapping[str, str], norm: LayerNorm) -> Layer:
    """The layer that writes each coordinate and its partner, with both parts there and a norm behind each."""

    def two(writes: tuple[str, ...]) -> tuple[str, ...]:
        return (*writes, *(minus[c] for c in writes))

    one = next(iter(minus))
    heads = layer.attention.heads if layer.attention is not None else (Head((one,), (one,), [[0]], [[0]], [[0]]),)
    network = layer.feedforward or FeedForward((one,), (one,), W1=[[0]], b1=[0], W2=[[0]], b2=[0])
    return Layer(
        SelfAttention(tuple(replace(h, writes=two(h.writes), V=h.V.col_join(-h.V)) for h in heads)),
        replace(
            network,
            writes=two(network.writes),
            W2=network.W2.col_join(-network.W2),
            b2=network.b2.col_join(-network.b2),
        ),
        (norm,),
        (norm,),
        "post",
    )
