"""Surer answers by layer norm: one more layer, whose norm makes every logit as large as every other."""

from __future__ import annotations

from dataclasses import replace

from symcook.errors import BadInput
from symcook.model.ends import Readout
from symcook.model.layers import Layer
from symcook.model.parts import FeedForward, Head
from symcook.model.symbols import exact
from symcook.model.transformer import Transformer


def confident(model: Transformer, logit: object) -> Transformer:
    """`model` with the same verdicts and, where its norms have epsilon = 0, with the logit `logit` or -`logit`.

    One more layer: its attention does nothing; its feed-forward part turns the d coordinates into (s, -s, 0, ..., 0),
    s being the old logit, by x - x + (W x, -W x, 0, ..., 0) with 2d hidden units relu(x) and relu(-x); its norm divides
    by sqrt(2 s^2/d + epsilon). The new logit is the first coordinate times logit/sqrt(d/2). `logit` is positive, in
    nats. Where s = 0 and epsilon = 0 there is nothing to divide by, and the norm gives zero: those of PARITY are so at
    every position but CLS, and a norm that refused there would leave the model without a run.
    Raises BadInput for a model whose readout is no sign, or whose last part has no norm over the whole stream.
    Source: chiang2022, Proposition 2.
    """
    import sympy

    wanted = exact(logit)
    if not wanted.is_positive:
        raise BadInput("the logit of a surer model must be a positive number", wanted)
    last = model.sublayers[-1].after if model.sublayers else None
    if model.readout.kind != "sign":
        raise BadInput("a model to be made surer must decide by a sign", f"its readout is {model.readout.kind}")
    if last is None or model.final_norm is not None:
        raise BadInput("a model to be made surer must have a post-norm in its last layer", model.name)
    names = tuple(model.space)
    if len(names) < 2:
        raise BadInput("a model to be made surer must have at least two coordinates", len(names))
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
    weight = wanted / sympy.sqrt(sympy.Rational(len(names), 2))
    return replace(
        model,
        name=f"{model.name} surer",
        layers=(*model.layers, Layer(nothing, network, (last,), (replace(last, zero_variance="zero"),), "post")),
        readout=Readout("sign", model.readout.position, names[:1], [[weight]]),
    )
