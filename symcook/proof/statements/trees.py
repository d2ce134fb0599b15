"""Trees of the grammar with others in the place of their parts. Untrusted."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

from symcook.model.expr import Tree, children


def mentioned(tree: object) -> set[str]:
    """The names in a tree, those of functions too."""
    if not isinstance(tree, tuple):
        return set()
    if tree[:1] == ("lambda",):  # what it binds is a tuple of names, and no tree
        return mentioned(tree[2])
    own = {tree[1]} if tree[:1] in (("name",), ("call",)) else set()
    return own.union(*map(mentioned, tree))


def mapped(tree: Tree, put: Callable[[Tree], Tree]) -> Tree:
    """The tree with others in the place of its direct parts."""
    if tree[0] == "call":
        return ("call", tree[1], tuple(map(put, tree[2])))
    own = {id(part) for part in children(tree)}
    return tuple(put(part) if id(part) in own else part for part in tree)


Calls = Mapping[str, Callable[[tuple[Tree, ...]], Tree]]
"""What stands for the call of a function, by the function."""


def replaced(tree: Tree, put: Mapping[str, Tree], calls: Calls) -> Tree:
    """A tree with others in place of names and of calls; bound names that would catch one of these are renamed."""
    tag = tree[0]
    if tag == "name":
        return calls[tree[1]](()) if tree[1] in calls else put.get(tree[1], tree)
    if tag == "call" and tree[1] in calls:
        return calls[tree[1]](tuple(replaced(argument, put, calls) for argument in tree[2]))
    if tag in ("sum", "prod", "all in", "ex in"):
        name, body = tree[1], tree[4]
        low, high = (replaced(bound_end, put, calls) for bound_end in tree[2:4])
        inner = {key: value for key, value in put.items() if key != name}
        caught = set().union(*map(mentioned, inner.values()))
        if name in caught:
            new = next(f"{name}{k}" for k in itertools.count(1) if f"{name}{k}" not in caught | mentioned(body))
            inner[name], name = ("name", new), new
        return (tag, name, low, high, replaced(body, inner, calls))
    return mapped(tree, lambda part: replaced(part, put, calls))


def apart(tree: Tree, bound: frozenset[str]) -> Tree:
    """A tree in which no name is bound where it is bound already."""
    tag = tree[0]
    if tag in ("sum", "prod", "all in", "ex in"):
        name, body = tree[1], tree[4]
        if name in bound:
            name = next(f"{name}{k}" for k in itertools.count(1) if f"{name}{k}" not in bound | mentioned(body))
            body = replaced(body, {tree[1]: ("name", name)}, {})
        return (tag, name, apart(tree[2], bound), apart(tree[3], bound), apart(body, bound | {name}))
    return mapped(tree, lambda part: apart(part, bound))
