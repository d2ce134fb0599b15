"""Models in which every coordinate x has a partner -x, so that the mean is zero and a layer norm only scales.

`paired` makes such a model from a model without norms. `confident` adds a layer after which, with norms of epsilon 0,
the logit of every string has the same absolute value, unless it is 0. Source: chiang2022, Section 4.3, Appendix B and
Proposition 2; Cookbook, Section 6.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symcook.compose.routing import fresh
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.reads import PartsRead
from symcook.model.symbols import Exact, exact
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    import sympy

READS = PartsRead("the pairing of coordinates")


def paired(
    model: Transformer, epsilon: Exact = 0, *, zero_variance: str = "refuse", name: str | None = None
) -> Transformer:
    """`model` over twice its coordinates, x and -x, with a post-norm after each of the two sublayers of every layer.

    Each coordinate c has a partner c_minus that is -c at every position and after every sublayer. So each norm sees the
    mean 0 and divides by sqrt(mean square + epsilon), the same number for all coordinates of a position. The blocks
    read the coordinates of `model` and write both. A layer without attention or without a feed-forward sublayer gets
    one that adds zero, since each of the two is followed by a norm. `epsilon` >= 0 and `zero_variance` are those of
    `symcook.model.parts.LayerNorm`. Raises BadInput for a model that has norms of its own, or that reads inputs instead
    of strings.
    Source: chiang2022, Section 4.3 and Appendix B.
    """
    # With norms in the model, or inputs that are arbitrary numbers, the pairs would not add up to 0.
    if model.normed:
        raise BadInput(
            "a model whose coordinates are doubled to x and -x must have no layer norm",
            model.name,
            "give a model without layer norm",
        )
    words = model.embedding.words
    if words is None:
        raise BadInput(
            "a model whose coordinates are doubled to x and -x must read strings: its embedding holds -x",
            f"{model.name} takes inputs",
            "give a model over strings",
        )
    # Each coordinate gets a partner, with a name that is free.
    minus: dict[str, str] = {}
    for coordinate in model.space:
        minus[coordinate] = fresh(
            f"{coordinate}_minus", (*model.space, *minus.values(), *(p.name for p in model.parameters))
        )

    def both(row: Mapping[str, sympy.Expr]) -> dict[str, Any]:
        """The values by coordinate, with the negative values of their partners."""
        return {
            c: value
            for coordinate, value_of_coordinate in row.items()
            for c, value in ((coordinate, value_of_coordinate), (minus[coordinate], -value_of_coordinate))
        }

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
        layers=tuple(_mirrored(layer, minus, norm) for layer in READS.of(model).layers),
    )


def _mirrored(layer: Layer, minus: Mapping[str, str], norm: LayerNorm) -> Layer:
    """The layer that writes each coordinate and its partner, with attention, a feed-forward sublayer, and a norm after
    each."""

    def two(writes: tuple[str, ...]) -> tuple[str, ...]:
        """The coordinates and their partners."""
        return (*writes, *(minus[c] for c in writes))

    # A missing sublayer is replaced by one that adds 0 to some coordinate.
    some = next(iter(minus))
    heads = layer.attention.heads if layer.attention is not None else (Head((some,), (some,), [[0]], [[0]], [[0]]),)
    network = layer.feedforward or FeedForward((some,), (some,), W1=[[0]], b1=[0], W2=[[0]], b2=[0])
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


def confident(model: Transformer, logit: object) -> Transformer:
    """`model` with the same verdicts and, where its norms have epsilon = 0, with the logit `logit` or -`logit`.

    One more layer: its attention does nothing. Its feed-forward sublayer turns the d coordinates into
    (s, -s, 0, ..., 0), where s is the old logit: it adds -x + (W x, -W x, 0, ..., 0) to x, with 2d hidden units relu(x)
    and relu(-x). Its norm divides by sqrt(2 s^2/d + epsilon). The new logit is the first coordinate times
    logit/sqrt(d/2). `logit` is positive, in nats. Where s = 0 and epsilon = 0, the norm gives zero. This occurs in
    PARITY, at every position but CLS: a norm that refused a variance of zero would leave the model without a run.
    Raises BadInput for a model whose readout is no sign, whose last sublayer has no norm over the whole stream after
    it, that has a final norm or fewer than two coordinates, and for a logit that is not positive. Source: chiang2022,
    Proposition 2.
    """
    import sympy

    # The model must have a sign readout, a post-norm at its end, and two coordinates.
    wanted = exact(logit)
    if not wanted.is_positive:
        raise BadInput("the logit that a model is scaled to must be a positive number", wanted, "give for example 1")
    last = READS.of(model).sublayers[-1].after if READS.of(model).sublayers else None
    model.readout.require("a model to be made surer must decide by a sign", ("sign",))
    if last is None or model.final_norm is not None:
        raise BadInput(
            "to scale its logits, a model must have a post-norm in its last layer",
            model.name,
            'symcook scales the logits of a model with norm="post"',
        )
    names = tuple(model.space)
    if len(names) < 2:
        raise BadInput(
            "to scale its logits, a model must have at least two coordinates",
            len(names),
            "give a model with more coordinates",
        )
    # The layer's output is (W2 W1) x = (signs s - I) x, by relu(x) - relu(-x) = x; added to x it leaves signs times s.
    identity = sympy.eye(len(names))
    old = dict(zip(model.readout.reads, model.readout.weights, strict=True))
    s = sympy.Matrix([[old.get(name, 0) for name in names]])
    signs = sympy.Matrix([1, -1, *[0] * (len(names) - 2)])
    network = FeedForward(
        names,
        names,
        W1=identity.col_join(-identity),
        b1=[0] * (2 * len(names)),
        W2=(signs * s - identity).row_join(identity - signs * s),
        b2=[0] * len(names),
    )
    nothing = Head(names[:1], names[:1], [[0]], [[0]], [[0]])
    # The norm then gives sqrt(d/2) or -sqrt(d/2) in the first coordinate.
    weight = wanted / sympy.sqrt(sympy.Rational(len(names), 2))
    return replace(
        model,
        name=f"{model.name} surer",
        layers=(
            *READS.of(model).layers,
            Layer(nothing, network, (last,), (replace(last, zero_variance="zero"),), "post"),
        ),
        readout=replace(model.readout, reads=names[:1], weights=[[weight]]),
    )
