"""Trees of the grammar: the names in them, and substitution for names and calls. Untrusted."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

from symcook.model.expr import Tree, children


def mentioned(tree: object) -> set[str]:
    """All names that occur in a tree or in a tuple of trees, of variables and of functions. A bound name is among them
    only if the body of its binder uses it."""
    if not isinstance(tree, tuple):
        return set()
    if tree[:1] == ("lambda",):  # its tree[1] is the tuple of bound names, which is not a tree
        return mentioned(tree[2])
    own = {tree[1]} if tree[:1] in (("name",), ("call",)) else set()
    return own.union(*map(mentioned, tree))


def mapped(tree: Tree, put: Callable[[Tree], Tree]) -> Tree:
    """`tree` with each of its direct parts replaced by `put` of the part. A part that is no tree, such as a bound name
    or a number, stays."""
    if tree[0] == "call":
        return ("call", tree[1], tuple(map(put, tree[2])))
    parts = {id(part) for part in children(tree)}
    return tuple(put(part) if id(part) in parts else part for part in tree)


Calls = Mapping[str, Callable[[tuple[Tree, ...]], Tree]]
"""By function name: from the arguments of a call, the tree that replaces the call."""


def replaced(tree: Tree, put: Mapping[str, Tree], calls: Calls) -> Tree:
    """`tree` with each free name replaced as in `put`, and each call as in `calls`. A sum, product or range quantifier
    whose bound name occurs in one of the trees of `put` gets another bound name. The names that ``all``, ``ex`` and
    lambdas bind are not treated as bound: they must not be in `put`, nor in its trees."""
    tag = tree[0]
    if tag == "name":
        return calls[tree[1]](()) if tree[1] in calls else put.get(tree[1], tree)
    if tag == "call" and tree[1] in calls:
        return calls[tree[1]](tuple(replaced(argument, put, calls) for argument in tree[2]))
    if tag in ("sum", "prod", "all in", "ex in"):
        name, body = tree[1], tree[4]
        low, high = (replaced(bound_end, put, calls) for bound_end in tree[2:4])
        inner_put = {key: value for key, value in put.items() if key != name}
        caught = set().union(*map(mentioned, inner_put.values()))
        if name in caught:
            new = next(f"{name}{k}" for k in itertools.count(1) if f"{name}{k}" not in caught | mentioned(body))
            inner_put[name], name = ("name", new), new
        return (tag, name, low, high, replaced(body, inner_put, calls))
    return mapped(tree, lambda part: replaced(part, put, calls))


def apart(tree: Tree, bound: frozenset[str]) -> Tree:
    """`tree` with the names bound by sums, products and range quantifiers renamed, so that none of them is bound inside
    the scope of the same name. `bound` are the names that are bound around `tree`."""
    tag = tree[0]
    if tag in ("sum", "prod", "all in", "ex in"):
        name, body = tree[1], tree[4]
        if name in bound:
            name = next(f"{name}{k}" for k in itertools.count(1) if f"{name}{k}" not in bound | mentioned(body))
            body = replaced(body, {tree[1]: ("name", name)}, {})
        return (tag, name, apart(tree[2], bound), apart(tree[3], bound), apart(body, bound | {name}))
    return mapped(tree, lambda part: apart(part, bound))


def bound_around(tree: Tree, part: Tree) -> frozenset[str] | None:
    """The names that sums, products and range quantifiers bind around the `part` (that very tree) of `tree`; None if it
    is no part of it."""
    if tree is part:
        return frozenset()
    for inner in children(tree):
        if (names := bound_around(inner, part)) is not None:
            binds = tree[0] in ("sum", "prod", "all in", "ex in") and inner is tree[4]
            return names | {tree[1]} if binds else names
    return None
