"""The forward pass: `forward` runs a model in any number system, without looking into the values of columns.

Source: Cookbook, Definitions 2.1 to 2.3 and Section 2.2.3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symcook.domains.protocol import (
    Column,
    Domain,
    Value,
    Verdict,
    Verdicts,
)
from symcook.errors import NoRun
from symcook.locks import PRECISION
from symcook.model.transformer import Transformer
from symcook.walk import Memory as Memory
from symcook.walk import Result as Result
from symcook.walk import Snapshot as Snapshot
from symcook.walk import Walk
from symcook.walk import check_temperatures as check_temperatures
from symcook.walk import follows as follows
from symcook.walk import rounds as rounds

MOST_WEIGHTS = 32
"""The greatest length of an input for which a trace has attention weights."""


def forward(
    model: Transformer,
    sequence: object,
    domain: Domain[Column, Value, Verdicts, Verdict],
    *,
    trace: bool = False,
    weights: bool = True,
    after: Memory[Column] | None = None,
    answers: bool = True,
) -> Result[Column, Value, Verdicts, Verdict]:
    """Run `model` on `sequence` in the number system `domain`.

    sequence: the whole input, as `Domain.begin` takes it. The model's parameters have values, or the domain keeps them
    as symbols. trace: record the residual stream after each sublayer (`Result.steps`); then coordinates that nothing
    reads later and positions that the readout does not need are computed too, which other passes leave out where they
    can. weights: whether a trace has
    attention weights. after: the memory of a pass over the first positions; only the later positions are run, in the
    domain that ran the first ones (`symcook.machine` says when the result is the same). answers: whether the readout's
    answers are computed, and not only what later positions need.

    Raises NoRun if the input has no run: a norm or a temperature is not defined at some position, even if the readout
    does not need it. Only computations that cannot refuse are left out.

    In a domain that rounds, and does not simulate a runtime, a verdict within the rounding bound remains open.
    Undecided is raised if rounding leaves a choice of an attention head open.
    """
    with PRECISION, domain.context():
        try:
            walk = _pass_class(model, domain)(model, sequence, domain, after, trace)
            result = replace(walk.result(answers, MOST_WEIGHTS if weights else 0), bound=_bounded)
        except NoRun as error:
            raise NoRun(error.must, f"{error.given}{_of_string(model, sequence)}", error.do) from None
    # Rounded numbers: the same pass again in intervals; a verdict remains only if both passes agree.
    if rounds(domain) and not domain.simulates:
        bounded = _bounded(result, after, answers)
        bounded_verdicts: Any = bounded.verdicts
        verdicts = None if result.verdicts is None else domain.agreeing(result.verdicts, bounded_verdicts)
        result = replace(result, verdicts=verdicts, bounded=bounded)
    if result.memory is None:
        return result
    # A later pass needs this result, but not its memory.
    return replace(result, memory=replace(result.memory, result=replace(result, memory=None)))


def _pass_class(model: Transformer, domain: object) -> type[Walk]:
    """The class of the pass: `DensePass` for a dense model in a number system with matrix products, else `Walk`.

    The class of the number system itself must have `matrices`: a class derived from it may compute differently.
    """
    if "matrices" not in vars(type(domain)) or not model.dense:
        return Walk
    from symcook.dense import DensePass

    return DensePass


def _of_string(model: Transformer, sequence: object) -> str:
    """The string of an input, for a message; "" for rows, and for an input that represents many strings."""
    if model.embedding.inputs is not None or type(sequence) is not tuple or None in sequence:
        return ""
    return f" of {model.embedding.said(model.embedding.typed(sequence))}"


def _bounded(
    result: Result[Column, Value, Verdicts, Verdict], after: Memory[Column] | None = None, answers: bool = True
) -> Result:
    """The same pass in sets that contain the exact values and all values that rounding in the result's domain may give.

    Raises Undecided if rounding leaves a choice of an attention head open.
    """
    if not rounds(result.domain):
        raise RuntimeError("a run in a number system that does not round has no bounded twin")
    before = None if after is None or after.result is None else after.result.bounded
    domain = result.domain.rounding() if before is None else before.domain
    memory_before = before.memory if before is not None else after and Memory()
    return forward(
        result.model, result.sequence, domain, trace=bool(result.steps), after=memory_before, answers=answers
    )
