"""The score gap of a hard head in a given model: how far the greatest score is above the next, over all words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from symcook.bounds.constants import product, score_form
from symcook.bounds.models import words_of_length
from symcook.domains.exact import Exact
from symcook.domains.rowwise import visible
from symcook.errors import BadInput, NotExact
from symcook.forward import forward
from symcook.model.parts import Head
from symcook.model.transformer import Transformer

GAP_WORDS = 2**12
"""The greatest number of words that are run to find the score gap of a hard head."""

Stream = list[dict[str, Fraction]]
"""The residual stream: for each position the value of each coordinate."""


class Gap(NamedTuple):
    """`least`: the least difference of the two greatest scores of a row, None where no row sees two positions; `size`:
    the greatest L1 norm of the stream before the head."""

    least: Fraction | None
    size: Fraction


def streams(model: Transformer, layers: int, length: int, name: str) -> list[Stream]:
    """The stream after the first `layers` layers, for every word of `length` typed symbols.

    Only these layers are run: what comes later may be irrational. BadInput for more than GAP_WORDS words and where a
    value is not rational.
    """
    first = replace(model, layers=model.layers[:layers], final_norm=None)
    found = []
    try:
        for word in words_of_length(model, length, GAP_WORDS, name):
            columns = forward(first, model.tokens(word), Exact(), trace=True, weights=False).steps[-1].columns
            rows = range(length + model.embedding.added)
            found.append([{c: _rational(column[i]) for c, column in columns.items()} for i in rows])
    except NotExact as error:
        raise BadInput(f"the scores of {name} must be rational", str(error)) from None
    return found


def _rational(value: object) -> Fraction:
    if not isinstance(value, (int, Fraction)):
        raise NotExact("the stream before a hard head must be rational", value)
    return Fraction(value)


def score_gap(head: Head, before: Sequence[Stream], start: int, label: str) -> Gap:
    """The gap of a head over the streams that it reads; BadInput for a row whose maximum is not unique.

    start: the number of the first position, and label: what the head is called, both for the message.
    """
    form = score_form(head)
    least: Fraction | None = None
    for stream in before:
        reads = [[row.get(c, Fraction(0)) for c in head.reads] for row in stream]
        queries = product(reads, form)
        for i, query in enumerate(queries):
            seen = sorted(_dot(query, reads[j]) for j in visible(head.sees, i, len(stream)))
            if len(seen) < 2:
                continue
            gap = seen[-1] - seen[-2]
            if gap == 0:
                must = f"a hard head must have a score gap at every position, and {label} has none"
                raise BadInput(must, f"a tie at position {start + i}", "errors break ties")
            least = gap if least is None else min(least, gap)
    return Gap(least, max(_norm(row) for stream in before for row in stream))


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def _norm(row: Mapping[str, Fraction]) -> Fraction:
    return sum((abs(v) for v in row.values()), Fraction(0))
