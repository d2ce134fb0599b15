"""Soft attention at a temperature in place of hard attention, and hard attention in place of soft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from symcook.door import door
from symcook.errors import BadInput
from symcook.model.layers import SelfAttention
from symcook.model.parts import Head
from symcook.model.symbols import exact, symbol
from symcook.model.transformer import Parameter, Transformer


@door()
def soften(model: Transformer, tau: str = "tau") -> Transformer:
    """`model` with softmax attention at a temperature that is the symbol `tau` > 0 in every head with scores.

    The scores of a hard head (average, leftmost, rightmost) are divided by tau; those of a softmax head, whose
    temperature may depend on i and n, by tau times that. A head whose scores are all zero stays as it is. As tau goes
    to 0 softmax goes to average-hard attention; where leftmost or rightmost attention breaks a tie it does not, so that
    the two may differ at every temperature. Raises BadInput where tau is declared already or no head has scores.
    Source: Cookbook, Section 5.7.
    """
    if any(p.name == tau for p in model.parameters):
        raise BadInput("the temperature must have a name of its own", tau, 'write soften("t")')
    if not any(not head.uniform for head in _heads(model)):
        raise BadInput("a model to be softened must have a head with scores", model.name)

    def soft(head: Head) -> Head:
        if head.uniform:
            return head
        given = head.temperature if head.weighting == "softmax" else 1
        return replace(head, weighting="softmax", temperature=given * symbol(tau))

    parameters = (*model.parameters, Parameter(tau, lower=0))
    return replace(model, name=f"{model.name} softened", layers=_layers(model, soft), parameters=parameters)


def harden(model: Transformer) -> Transformer:
    """`model` with average-hard attention in place of softmax: the limit of `soften` as its temperature goes to 0.

    A symbol that stood in temperatures alone is no symbol of it any more.
    Source: Cookbook, Definition 5.2.
    """

    def hard(head: Head) -> Head:
        return replace(head, weighting="average", temperature=1) if head.weighting == "softmax" else head

    found = replace(model, name=f"{model.name} hardened", layers=_layers(model, hard))
    cooled = {one.name for head in _heads(model) for one in head.temperature.free_symbols}
    gone = cooled - {one.name for value, _, _ in found.expressions(symbolic=True) for one in value.free_symbols}
    return replace(found, parameters=tuple(p for p in model.parameters if p.name not in gone))


def plain_scores(model: Transformer) -> Transformer:
    """`model` with the scale of every head inside its queries, where roots in both may cancel."""

    def scaled(head: Head) -> Head:
        return replace(head, Q=(head.Q * head.scale).applyfunc(exact), scale=1) if head.scale != 1 else head

    return replace(model, layers=_layers(model, scaled))


def _heads(model: Transformer) -> list[Head]:
    steps = (step.block for step in model.sublayers)
    return [head for block in steps if isinstance(block, SelfAttention) for head in block.heads]


def _layers(model: Transformer, change: Callable[..., Any]) -> tuple[Any, ...]:
    return tuple(
        layer
        if layer.attention is None
        else replace(layer, attention=SelfAttention(tuple(map(change, layer.attention.heads))))
        for layer in model.layers
    )
