"""``weight(L, H, i, j)`` and ``score(L, H, i, j)`` in a statement, as trees of the formula (see
`symcook.proof.attention`).

A masked position has no score. So a score is read only where the ranges and premises around it imply that the query
sees the key: ``all i in 1..n. all j in 1..i. score(1, 1, i, j) <= 0`` for a causal head.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symcook.errors import Rejected
from symcook.model.expr import Tree, parse_term
from symcook.proof.statements.places import AtMost, around, implied
from symcook.proof.statements.trees import apart, bound_around, mentioned, replaced

if TYPE_CHECKING:
    from symcook.proof.attention import AttendedHead
    from symcook.proof.statements.secondrun import OtherModel
    from symcook.proof.statements.vocabulary import ModelMeaning


def made(
    whole: Tree, call: Tree, kind: str, places: Sequence[Tree], meaning: ModelMeaning, second: OtherModel | None
) -> Tree:
    """The tree of a `call` of weight or score (`kind`) in the statement `whole`. `places` are its arguments in the
    names of the formula. Rejected for a head that the model does not have, and for a score that may be masked."""
    head = _head(call, meaning)
    query, key = call[2][2:]
    if kind == "score":
        _require_visible(whole, call, head, meaning, second)
        text = head.score
    else:
        unused = next(f"j{k}" for k in itertools.count(1) if f"j{k}" not in {*meaning.taken, *mentioned((query, key))})
        text = head.weight(unused)
    tree = parse_term(text)
    if second is not None:
        tree = second.renamed(tree)
    put: dict[str, Tree] = {"i": places[2], ("j" if kind == "score" else unused): places[3]}
    around_call = bound_around(whole, call) or frozenset()
    return replaced(apart(tree, frozenset(mentioned(tuple(places))) | around_call), put, {})


def _head(call: Tree, meaning: ModelMeaning) -> AttendedHead:
    """The head that the first two arguments name."""
    layer, number = (argument[1] if argument[0] == "num" and argument[2] == 1 else None for argument in call[2][:2])
    if layer is None or number is None:
        raise Rejected("the layer and the head must be numbers, counted from 1")
    by_layer = meaning.relation.heads
    if not by_layer:
        raise Rejected("the model has no heads")
    if layer not in by_layer:
        layers = ", ".join(map(str, by_layer))
        raise Rejected(f"layer {layer} has no heads; the layers with heads are {layers}")
    if not 1 <= number <= len(by_layer[layer]):
        raise Rejected(f"layer {layer} has {len(by_layer[layer])} heads, counted from 1")
    head = by_layer[layer][number - 1]
    if head is None:
        raise Rejected("the head writes nothing")
    return head


def _require_visible(
    whole: Tree, call: Tree, head: AttendedHead, meaning: ModelMeaning, second: OtherModel | None
) -> None:
    """Rejected unless the query is a position of the string, and sees the key, by the ranges and premises around the
    call."""
    query, key = call[2][2:]
    length = ("name", "n") if second is None else second.length
    shown = {"i": query, "n": length}
    ends = [replaced(parse_term(text), shown, {}) for text in (head.seen.low, head.seen.high)]
    string = [replaced(parse_term(text), shown, {}) for text in (meaning.relation.low, meaning.relation.high)]
    known = around(whole, call, meaning if second is None else second.first)
    wanted: list[AtMost] = [(string[0], query), (query, string[1]), (ends[0], key), (key, ends[1])]
    if not all(implied(known, low, high) for low, high in wanted):
        window = f"the positions {head.seen.low} to {head.seen.high}"
        ranges = (
            f"all i in {meaning.relation.low}..{meaning.relation.high}. all j in {head.seen.low}..{head.seen.high}."
        )
        raise Rejected(f"a masked position has no score; position i sees {window}; write it in {ranges}")
