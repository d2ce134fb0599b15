"""The one forward pass: every domain runs through `forward`, which never looks at what a column holds.

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
"""The greatest length of an input whose attention weights a trace keeps."""


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
    """Run `model` on `sequence` in `domain`. The sequence is what `Domain.begin` takes; the model's symbols are either
    bound to values or left to a domain that keeps them. Coordinates that nothing reads later, and positions that the
    readout does not need, are computed for a `trace` only; `Result.steps` is empty without it. Without
    `weights` a trace has no attention weights. With `after` only the positions behind those remembered are run, in
    the domain that ran them (`symcook.machine` says when that is the same); `sequence` is the whole input. Without
    `answers` nothing is computed that the positions behind do not need.

    There is a run iff every norm is defined at every position, and every temperature, whether the readout needs them or
    not: what is left out is never what may refuse. NoRun is raised where there is none.

    In a domain that rounds without being a runtime's simulation, a verdict within the rounding bound stays open, and
    Undecided is raised where a choice on the way does."""
    with PRECISION, domain.context():
        try:
            walk = _walk(model, domain)(model, sequence, domain, after, trace)
            result = replace(walk.result(answers, MOST_WEIGHTS if weights else 0), bound=_bounded)
        except NoRun as error:
            raise NoRun(error.must, f"{error.given}{_of(model, sequence)}", error.do) from None
    # Rounded numbers: the same pass once more in intervals, and only verdicts that both agree on stand.
    if rounds(domain) and not domain.simulates:
        bounded = _bounded(result, after, answers)
        sure: Any = bounded.verdicts
        verdicts = None if result.verdicts is None else domain.agreeing(result.verdicts, sure)
        result = replace(result, verdicts=verdicts, bounded=bounded)
    if result.memory is None:
        return result
    return replace(result, memory=replace(result.memory, result=replace(result, memory=None)))


def _walk(model: Transformer, domain: object) -> type[Walk]:
    """How a model goes through a number system: by matrices where it is dense and the system has them. Its own class
    must say so, as one that derives from it may have another arithmetic."""
    if "matrices" not in vars(type(domain)) or not model.dense:
        return Walk
    from symcook.dense import DensePass

    return DensePass


def _of(model: Transformer, sequence: object) -> str:
    """A word in a message; nothing of rows and of what stands for many words."""
    if model.embedding.inputs is not None or type(sequence) is not tuple or None in sequence:
        return ""
    return f" of {model.embedding.said(model.embedding.typed(sequence))}"


def _bounded(
    result: Result[Column, Value, Verdicts, Verdict], after: Memory[Column] | None = None, answers: bool = True
) -> Result:
    """The same pass over sets that hold the exact values and all that the rounding of the result's domain may make of
    them. Raises Undecided where rounding leaves a choice on the way open."""
    if not rounds(result.domain):
        raise RuntimeError("a run in a number system that does not round has no bounded twin")
    before = None if after is None or after.result is None else after.result.bounded
    domain = result.domain.rounding() if before is None else before.domain
    known = before.memory if before is not None else after and Memory()
    return forward(result.model, result.sequence, domain, trace=bool(result.steps), after=known, answers=answers)
