"""Which statements may have ``permuted.NAME``: those that relate terms or formulas to the same on the permuted string.

``accept <-> permuted.accept`` is stated for the string with two neighbours swapped (`symcook.proof.strings`). If such a
statement is true of every string, it is true of all permutations: each is a sequence of swaps of neighbours, and
``<->``, ``->``, ``=`` and ``<=`` are transitive. So a premise must not depend on the order of the string, and the
strings between must have runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symcook.model.expr import Tree, children
from symcook.proof.statements.secondrun import PERMUTED, parted
from symcook.proof.statements.trees import mentioned

if TYPE_CHECKING:
    from symcook.proof.statements.vocabulary import ModelMeaning

PREFIX = f"{PERMUTED}."
_RELATIONS = ("<->", "->", "=", "<=")


def refused(tree: Tree, meaning: ModelMeaning) -> str | None:
    """Why a statement must not have ``permuted.NAME``; None where it may."""
    if meaning.relation.deviations:
        return (
            "the model may have no run on some strings, because a norm refuses them, so permuted.NAME is not available"
        )
    bound = {"n", "pi", *meaning.symbols}
    while tree[0] in ("all in", "->"):
        first = tree[2:4] if tree[0] == "all in" else tree[1:2]
        if not all(_fixed(part, bound) for part in first):
            break
        bound = bound | ({tree[1]} if tree[0] == "all in" else set())
        tree = tree[-1]
    parts, todo = [], [tree]
    while todo:
        part = todo.pop()
        if part[0] == "&":
            todo += part[1:]
        else:
            parts.append(part)
    right = all(part[0] in _RELATIONS and _same(part[1], part[2], bound) for part in parts)
    ends = f"{meaning.relation.low}..{meaning.relation.high}"
    shape = f"write accept <-> permuted.accept or v(i) = permuted.v(i), perhaps after all i in {ends}. and n < 9 ->"
    return (
        None
        if right
        else f"a statement with permuted. must compare a value with the same value of the permuted string; {shape}"
    )


def _same(left: Tree, right: Tree, bound: set[str]) -> bool:
    """Whether one side is about the string, and the other the same about the permuted string."""
    pairs = ((left, right), (right, left))
    return any(not _permuted(plain) and _without_prefix(other, bound) == plain for other, plain in pairs)


def _permuted(tree: Tree) -> bool:
    """Whether a name in the tree is about the permuted string."""
    return any(parted(name)[0] == PREFIX for name in mentioned(tree))


def _without_prefix(tree: Tree, bound: set[str]) -> Any:
    """The tree without the prefix ``permuted.``; None if a name that depends on the string does not have it."""
    if tree[0] in ("name", "call"):
        prefix, name = parted(tree[1])
        if prefix != PREFIX and not (tree[0] == "name" and tree[1] in bound):
            return None
        if tree[0] == "name":
            return ("name", name)
        arguments = tuple(_argument(a, bound) for a in tree[2])
        return None if None in arguments else ("call", name, arguments)
    inner = bound | ({tree[1]} if tree[0] in ("sum", "prod", "all in", "ex in", "all", "ex") else set())
    parts = {id(part): _without_prefix(part, inner) for part in children(tree)}
    if None in parts.values():
        return None
    return tuple(parts.get(id(part), part) for part in tree)


def _argument(tree: Tree, bound: set[str]) -> Any:
    """An argument of a name: a token or label, or a term as in `_without_prefix`."""
    return tree if tree[0] == "given" else _without_prefix(tree, bound)


def _fixed(tree: Tree, bound: set[str]) -> bool:
    """Whether a formula or term has only names of `bound`, so that it does not depend on the order of the string."""
    return tree[0] != "call" and (
        tree[1] in bound if tree[0] == "name" else all(_fixed(c, bound) for c in children(tree))
    )
