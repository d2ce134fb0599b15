"""Definitions of many parameters, which nobody reads by place: written out at the arguments that a text gives them."""

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
"""With more parameters than these a definition is written out."""


def long_calls(tree: Any, known: Mapping[str, Definition]) -> Iterator[Tree]:
    """What of a tree calls such a definition, the outermost calls alone."""
    if isinstance(tree, tuple):
        if tree[:1] == ("call",) and tree[1] in known and len(tree[2]) > MANY:
            yield tree
        else:
            for part in tree:
                yield from long_calls(part, known)


def unfolded(tree: Any, known: Mapping[str, Definition]) -> Tree:
    """A call of such a definition as what it says of its arguments, those within it as well."""
    if not isinstance(tree, tuple):
        return tree
    if tree[:1] == ("call",) and tree[1] in known and len(tree[2]) > MANY:
        definition = known[tree[1]]
        return unfolded(tidy(put(definition.tree, dict(zip(definition.params, tree[2], strict=True)))), known)
    return tuple([unfolded(part, known) for part in tree])


def met(tree: Any, values: Mapping[str, Collection[int]]) -> Any:
    """A formula or term without the cases that a table never has: `values` are the numbers that entries may be.

    >>> from symcook.model.expr import parse_term, show
    >>> show(met(parse_term("I[op(f) = 0 & a = 1 | op(f) = 5 & b = 1]"), {"op": (0, 1)}))
    'I[op(f) = 0 & a = 1]'
    """
    if not isinstance(tree, tuple) or not tree:
        return tree
    tag, *kids = tree
    # An entry of a table compared with a number that no entry is: false.
    if tag == "=" and kids[0][0] == "call" and kids[0][1] in values and kids[1][0] == "num":
        return tree if kids[1][2] == 1 and kids[1][1] in values[kids[0][1]] else FALSE
    # What is false with it: a conjunction, a case of a disjunction, an indicator, which is then 0.
    chosen = (tag, *(met(operand, values) for operand in kids))
    if tag in ("&", "|") and FALSE in chosen[1:]:
        return FALSE if tag == "&" else chosen[2] if chosen[1] == FALSE else chosen[1]
    return ZERO if chosen == ("ind", FALSE) else chosen


def put(tree: Tree, values: Mapping[str, Tree]) -> Tree:
    """A tree with values for its free names; a function is a name or written out.

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
        free_names = set[str]().union(*map(_free, inner.values()))
        fresh = {name: _other(name, free_names) if name in free_names else name for name in bound}
        inner |= {name: ("name", fresh_name) for name, fresh_name in fresh.items() if name != fresh_name}
        head = tuple(fresh.values()) if tag == "lambda" else fresh[tree[1]]
        # The ends of a range are outside of the scope of its name; a sort has no names.
        ends = [bound_end if tag in ("all", "ex") else put(bound_end, values) for bound_end in tree[2:-1]]
        return (tag, head, *ends, put(tree[-1], inner))
    return (
        tag,
        *(put(operand, values) if isinstance(operand, tuple) and tag != "num" else operand for operand in tree[1:]),
    )


def _free(tree: Any) -> set[str]:
    """The names and functions of a tree that nothing in it binds."""
    if not isinstance(tree, tuple) or not tree or tree[0] == "fun":
        return set()
    if tree[0] in BINDERS:
        bound = tree[1] if tree[0] == "lambda" else (tree[1],)
        return set[str]().union(*map(_free, tree[2:-1]), _free(tree[-1]) - {*bound})
    own = {tree[1]} if tree[0] in ("name", "call") else set[str]()
    return own.union(*map(_free, tree))


def _other(name: str, taken: set[str]) -> str:
    """The name with the first number after it that makes it a new one."""
    return next(fresh_name for k in count(1) if (fresh_name := f"{name}{k}") not in taken)
