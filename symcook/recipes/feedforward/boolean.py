from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symcook.recipes import kit
from symcook.recipes.arguments import bits
from symcook.recipes.feedforward import Adapted, pointwise
from symcook.recipes.registry import Argument, Recipe, recipe

MAX_BITS = 12


def _bit_count(table: tuple[int, ...]) -> int:
    return len(table).bit_length() - 1


def _bit_names(table: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"p{c}" for c in range(1, _bit_count(table) + 1))


def _all_bits(table: tuple[int, ...]) -> str:
    return " & ".join(f"({name} = 0 | {name} = 1)" for name in _bit_names(table))


def _named_bits(function: Callable[..., Any], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Adapted:
    table = arguments["table"]
    return lambda given: function(given, table=table, names=_bit_names(table))


@recipe(
    kind="feed-forward",
    summary="any Boolean function of m bits, from its truth table",
    source="Cookbook, Section 4.8, Eq. (35)",
    formula="I[p1 + p2 = 1]",
    computes="relu(p2 - p1) + relu(p1 - p2)",
    region="(p1 = 0 | p1 = 1) & (p2 = 0 | p2 = 1)",
    largest=False,
    uniformity="No weight depends on the length. The hidden width is 2^m for m bits.",
    claims=(
        "cookbook.t1.boolean",
        "cookbook.s4.8.boolean_ffn",
        "cookbook.s4.8.hidden_indicator",
        "cookbook.s4.8.boolean_size",
    ),
    reference="symcook.spec.feedforward:boolean",
    arguments=(
        Argument(
            "table",
            "0110",
            "2^m bits, one for each assignment k = 0 ... 2^m - 1; p1 is the first bit of k",
            bits(MAX_BITS),
        ),
    ),
    adapt=_named_bits,
    region_of=_all_bits,
)
def boolean(this: Recipe, table: tuple[int, ...]) -> kit.Transformer:
    """One hidden unit for each assignment, 1 where the input is that one; the output adds those that are true.

    out = sum_k table_k relu((2 xi_k - 1) . p - 1 . xi_k + 1) = the entry of `table` at the assignment p.

    table: 2^m bits, m from 1 to 12, for the assignments xi_0 to xi_(2^m - 1) in order. Inputs p1 to pm; p1 is the most
    significant bit of k, as the displayed rows (-1 ... -1 1) for k = 1 have it. So 0110 is exclusive or, and 0100 is
    "p2 and not p1". Region: every input is 0 or 1; elsewhere the table says nothing, so that no larger region is looked
    for. Size: 2^m hidden units.
    """
    m = _bit_count(table)
    assignments = [[k >> (m - 1 - c) & 1 for c in range(m)] for k in range(len(table))]
    weights = {
        "W1": [[2 * bit - 1 for bit in xi] for xi in assignments],
        "b1": [1 - sum(xi) for xi in assignments],
        "W2": [list(table)],
        "b2": [0],
    }
    return pointwise(this, _bit_names(table), weights=weights)
