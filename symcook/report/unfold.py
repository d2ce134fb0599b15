"""Calls of definitions with many parameters, replaced by the body of the definition with the arguments put in.

Nobody can read a call with more than six arguments by their places.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from symcook.model.expr import Tree
from symcook.model.plainfamily import ZERO
from symcook.report.terms import tidy

if TYPE_CHECKING:
    from symcook.proof.grammar import Definition

BINDERS = ("all", "ex", "all in", "ex in", "sum", "prod", "lambda")
FALSE: Tree = ("false",)
MANY = 6
"""A call with more arguments than this is replaced."""


def long_calls(tree: Any, known: Mapping[str, Definition]) -> Iterator[Tree]:
    """The calls with more than MANY arguments in a tree; calls within such a call are left out."""
    if isinstance(tree, tuple):
        if tree[:1] == ("call",) and tree[1] in known and len(tree[2]) > MANY:
            yield tree
        else:
            for part in tree:
                yield from long_calls(part, known)


def unfolded(tree: Any, known: Mapping[str, Definition]) -> Tree:
    """The tree with all calls with more than MANY arguments replaced, also those in their arguments and bodies."""
    if not isinstance(tree, tuple):
        return tree
    if tree[:1] == ("call",) and tree[1] in known and len(tree[2]) > MANY:
        definition = known[tree[1]]
        return unfolded(tidy(put(definition.tree, dict(zip(definition.params, tree[2], strict=True)))), known)
    return tuple([unfolded(part, known) for part in tree])


def met(tree: Any, values: Mapping[str, Collection[int]]) -> Any:
    """A formula or term without cases that cannot occur. `values`: {table: the numbers that its entries may be}.

    >>> from symcook.model.expr import parse_term, show
    >>> show(met(parse_term("I[op(f) = 0 & a = 1 | op(f) = 5 & b = 1]"), {"op": (0, 1)}))
    'I[op(f) = 0 & a = 1]'
    """
    if not isinstance(tree, tuple) or not tree:
        return tree
    tag, *kids = tree
    # An entry of a table equated with a number that no entry can be: false.
    if tag == "=" and kids[0][0] == "call" and kids[0][1] in values and kids[1][0] == "num":
        return tree if kids[1][2] == 1 and kids[1][1] in values[kids[0][1]] else FALSE
    # A conjunction with a false operand is false, a disjunction is its other operand, and I[false] is 0.
    simplified = (tag, *(met(operand, values) for operand in kids))
    if tag in ("&", "|") and FALSE in simplified[1:]:
        return FALSE if tag == "&" else simplified[2] if simplified[1] == FALSE else simplified[1]
    return ZERO if simplified == ("ind", FALSE) else simplified


def put(tree: Tree, values: Mapping[str, Tree]) -> Tree:
    """A tree with values in place of its free names; the value of a function is a name or a lambda.

    >>> from symcook.model.expr import parse_term, show
    >>> function = ("lambda", ("a", "b"), parse_term("a*b*j"))
    >>> show(put(parse_term("sum(j, 1, n, f(j, a))"), {"f": function, "a": ("name", "k")}))
    'sum(j1, 1, n, j1*k*j)'
    """
    tag = tree[0]
    if tag == "name":
        return values.get(tree[1], tree)
    if tag == "call":
        arguments = tuple(put(argument, values) for argument in tree[2])
        function = values.get(tree[1], ("name", tree[1]))
        if function[0] == "lambda":
            return put(function[2], dict(zip(function[1], arguments, strict=True)))
        return ("call", function[1], arguments)
    if tag in BINDERS:
        bound = tree[1] if tag == "lambda" else (tree[1],)
        # A bound name hides the free one, and is renamed where a value would be captured by it.
        inner = {name: value for name, value in values.items() if name not in bound}
        free_names = set[str]().union(*map(_free_names, inner.values()))
        fresh = {name: _fresh_name(name, free_names) if name in free_names else name for name in bound}
        inner |= {name: ("name", fresh_name) for name, fresh_name in fresh.items() if name != fresh_name}
        head = tuple(fresh.values()) if tag == "lambda" else fresh[tree[1]]
        # The ends of a range are outside of the scope of its name; a sort has no names.
        ends = [bound_end if tag in ("all", "ex") else put(bound_end, values) for bound_end in tree[2:-1]]
        return (tag, head, *ends, put(tree[-1], inner))
    return (
        tag,
        *(put(operand, values) if isinstance(operand, tuple) and tag != "num" else operand for operand in tree[1:]),
    )


def _free_names(tree: Any) -> set[str]:
    """The free names of a tree, with those of functions."""
    if not isinstance(tree, tuple) or not tree or tree[0] == "fun":
        return set()
    if tree[0] in BINDERS:
        bound = tree[1] if tree[0] == "lambda" else (tree[1],)
        return set[str]().union(*map(_free_names, tree[2:-1]), _free_names(tree[-1]) - {*bound})
    own_name = {tree[1]} if tree[0] in ("name", "call") else set[str]()
    return own_name.union(*map(_free_names, tree))


def _fresh_name(name: str, taken: set[str]) -> str:
    """The first of name1, name2, .. that is not `taken`."""
    return next(fresh_name for k in count(1) if (fresh_name := f"{name}{k}") not in taken)
