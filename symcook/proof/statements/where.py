"""Definitions behind a statement: ``F where s := t, r(i) := u``.

A definition is an abbreviation. The reader puts its right side, with the arguments in place of the names in brackets,
wherever the formula or another definition has its name, so that nothing after the reader knows of definitions. A right
side has no other free names than those that the statement has everywhere: its own arguments, n, coordinates, symbols of
the model and names of other definitions. Names that it binds are renamed where they are bound around it too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from symcook.model import expr
from symcook.model.expr import Tree
from symcook.proof.statements.secondrun import parted
from symcook.proof.statements.trees import mapped

if TYPE_CHECKING:
    from symcook.proof.statements.reader import SentenceReader

WHERE = "where"
"""The word between a formula and the definitions of names in it."""
RANGES = ("sum", "prod", "all in", "ex in")
"""The tags of trees that bind one name over a range; its ends are outside of its scope."""


class NameDefinition(NamedTuple):
    """A definition behind a statement: the arguments of the name, the right side, and where it begins in the text."""

    arguments: tuple[str, ...]
    body: Tree
    column: int


class WhereClause:
    """The definitions behind the statement of a reader."""

    def __init__(self, reader: SentenceReader) -> None:
        self.reader = reader
        self.known: dict[str, NameDefinition] = {}
        self.used: set[str] = set()
        self.nodes = 0  # of the trees that were put in place of names

    def whole(self, read: Callable[[], Tree]) -> Tree:
        """The tree of the statement without definitions; `read` reads a formula up to the end of the tokens. BadInput
        for an invalid definition, and for one that is not used."""
        reader, begin = self.reader, self.begin()
        if begin is None:
            return read()
        tokens = reader.tokens
        reader.tokens = [*tokens[:begin], ("end", "", tokens[begin][2])]
        tree = read()
        reader.tokens, reader.at = tokens, begin + 1
        self.definition()
        while reader.peek() == ",":
            reader.take()
            self.definition()
        if reader.tokens[reader.at][0] != "end":
            raise reader.error("does not end")
        self.check(tree)
        tree = self.put(tree, frozenset(), ())
        for name in self.known.keys() - self.used:
            raise reader.wrong(f"the definition of {name} is not used", self.known[name].column)
        return tree

    def begin(self) -> int | None:
        """The number of the token ``where``: outside of brackets, with a name behind it. None without definitions."""
        tokens, depth = self.reader.tokens, 0
        for k, (kind, text, _) in enumerate(tokens):
            depth += (text in ("(", "[")) - (text in (")", "]"))
            after = tokens[k + 1] if kind != "end" else tokens[k]
            if (kind, text, depth) == ("name", WHERE, 0) and after[0] == "name" and after[1] not in expr.KEYWORDS:
                return k
        return None

    def definition(self) -> None:
        """Read ``s := t`` or ``r(i, j) := t``."""
        reader = self.reader
        kind, name, column = reader.tokens[reader.at]
        meant = {*reader.coordinates, *reader.symbols, *reader.KEYWORDS, *expr.RESERVED, "n", "w"}
        if kind != "name" or not expr.valid_name(name) or name in meant or name in self.known:
            what = (
                "after where a name must follow"
                if kind != "name"
                else f"the name {name} has a meaning already; define another name"
            )
            raise reader.wrong(what, column)
        reader.take()
        arguments: list[str] = []
        if reader.peek() == "(":
            reader.take()
            arguments.append(reader.variable())
            while reader.peek() == ",":
                reader.take()
                arguments.append(reader.variable())
            reader.take(")")
        reader.take(":")
        reader.take("=")
        if len({*arguments}) != len(arguments):
            raise reader.wrong(f"two arguments of {name} have the same name", column)
        self.known[name] = NameDefinition(tuple(arguments), reader.tree(0), column)

    def check(self, tree: Tree) -> None:
        """BadInput where a defined name is bound too, or where a right side has a name that is bound around it."""
        bound = {*binders(tree)}.union(*(binders(d.body) for d in self.known.values()))
        arguments = {argument for d in self.known.values() for argument in d.arguments}
        for name, definition in self.known.items():
            if name in bound | arguments:
                raise self.reader.wrong(f"the statement both binds and defines {name}", definition.column)
            free = {*free_names(definition.body, frozenset(definition.arguments))}
            for outer in sorted(free & (bound | arguments)):
                what = f"the definition of {name} has {outer}, which is bound elsewhere; write {name}({outer}) := .."
                raise self.reader.wrong(what, definition.column)
        within = arguments.union(*(binders(d.body) for d in self.known.values()))
        for name, definition in self.known.items():
            for word, prefix in prefixed(definition.body):
                if word in within:
                    what = f"the definition of {name} binds {word}; {prefix} takes a position of the statement"
                    raise self.reader.wrong(what, definition.column)

    def put(self, tree: Tree, around: frozenset[str], inside: tuple[str, ...]) -> Tree:
        """`tree` with definitions in place of defined names. `around` are the names that are bound around it, `inside`
        the definitions that are being written out."""
        tag = tree[0]
        if tag in ("name", "call") and tree[1] in self.known:
            return self.expanded(tree, around, inside)
        if tag in RANGES:
            low, high = (self.put(part, around, inside) for part in tree[2:4])
            return self.same(tree, (tag, tree[1], low, high, self.put(tree[4], around | {tree[1]}, inside)))
        if tag in ("all", "ex"):
            return self.same(tree, (*tree[:3], self.put(tree[3], around | {tree[1]}, inside)))
        if tag == "lambda":
            return self.same(tree, (*tree[:2], self.put(tree[2], around.union(tree[1]), inside)))
        if tag == "call":
            fixed = 1 if tree[2] and (tree[1] == "holds" or tree[2][0][0] == "given") else 0  # no term
            parts = (*tree[2][:fixed], *(self.put(part, around, inside) for part in tree[2][fixed:]))
            return self.same(tree, ("call", tree[1], parts))
        return self.same(tree, mapped(tree, lambda part: self.put(part, around, inside)))

    def same(self, old: Tree, new: Tree) -> Tree:
        """The old tree if the new one equals it in all parts; else the new one, whose text is that of the old one."""
        if len(old) == len(new) and all(x is y or x == y for x, y in zip(old, new, strict=True)):
            return old
        return self.reader.stands(new, old)

    def expanded(self, tree: Tree, around: frozenset[str], inside: tuple[str, ...]) -> Tree:
        """The right side of the definition of a name, with the arguments that `tree` gives it."""
        name, given = tree[1], tree[2] if tree[0] == "call" else ()
        definition, reader = self.known[name], self.reader
        _, begin, end = reader.spans.get(id(tree), (tree, definition.column, None))
        if len(given) != len(definition.arguments):
            shown = f"{name}({', '.join(definition.arguments)})" if definition.arguments else name
            raise reader.wrong(f"{name} must be given the arguments of its definition, {shown}", begin, end)
        if name in inside:
            raise reader.wrong(f"the definition of {name} uses itself", definition.column)
        self.used.add(name)
        values = tuple(self.put(argument, around, inside) for argument in given)
        if any(value[0] in ("lambda", "given") or expr.is_formula(value) for value in values):
            raise reader.wrong(f"an argument of {name} must be a number", begin, end)
        body = self.put(definition.body, frozenset(definition.arguments), (*inside, name))
        caught = around.union(*map(free_names, values)) if values else around
        result = self.filled(body, dict(zip(definition.arguments, values, strict=True)), caught)
        if self.nodes > expr.MAX_NODES:
            raise reader.wrong("the statement is too long with its definitions written out", definition.column)
        return reader.stands(result, tree)

    def filled(self, tree: Tree, values: Mapping[str, Tree], caught: frozenset[str]) -> Tree:
        """`tree` with these `values` of names; names that it binds are renamed if they are `caught`."""
        self.nodes += 1
        tag = tree[0]
        if tag == "name":
            return values.get(tree[1], tree)
        if tag in RANGES:
            low, high = (self.filled(part, values, caught) for part in tree[2:4])
            (name,), inner = self.renamed((tree[1],), values, caught)
            return (tag, name, low, high, self.filled(tree[4], inner, caught | {name}))
        if tag in ("all", "ex"):
            (name,), inner = self.renamed((tree[1],), values, caught)
            return (tag, name, tree[2], self.filled(tree[3], inner, caught | {name}))
        if tag == "lambda":
            names, inner = self.renamed(tree[1], values, caught)
            return (tag, names, self.filled(tree[2], inner, caught.union(names)))
        if tag == "given":
            return tree
        if (place := lone(tree)) in values:
            return ("call", tree[1], (values[place],))
        if tag == "call" and tree[1] == "holds":
            return (*tree[:2], (tree[2][0], *(self.filled(part, values, caught) for part in tree[2][1:])))
        return mapped(tree, lambda part: self.filled(part, values, caught))

    def renamed(
        self, names: tuple[str, ...], values: Mapping[str, Tree], caught: frozenset[str]
    ) -> tuple[tuple[str, ...], dict[str, Tree]]:
        """New names for bound `names` that are caught, and `values` with them."""
        inner, new = {**values}, list[str]()
        for name in names:
            chosen, number = name, 0
            while chosen in caught or (chosen != name and chosen in self.reader.names):
                number += 1
                chosen = f"{name}{number}"
            inner[name] = ("name", chosen)
            new.append(chosen)
        return tuple(new), inner


def binders(tree: Tree) -> Iterator[str]:
    """The names that a tree binds."""
    if tree[0] in (*RANGES, "all", "ex"):
        yield tree[1]
    elif tree[0] == "lambda":
        yield from tree[1]
    if tree[0] != "given":
        for part in expr.children(tree):
            yield from binders(part)


def lone(tree: Tree) -> str:
    """The name i in ``logit(i)``, which the reader leaves open: a position, or a label of the readout. "" for others.

    Where a definition binds it, it is a position."""
    alone = tree[0] == "call" and parted(tree[1])[1] == "logit" and len(tree[2]) == 1 and tree[2][0][0] == "given"
    return tree[2][0][1] if alone and expr.valid_name(tree[2][0][1]) else ""


def prefixed(tree: Tree) -> Iterator[tuple[str, str]]:
    """The words in the prefixes of names about other strings, such as p in ``changed(p, a).x``, each with its prefix:
    the prefix is text, in which nothing is put in the place of a name."""
    if tree[0] in ("name", "call"):
        prefix, _ = parted(tree[1])
        yield from ((word, prefix) for word in re.findall(r"\w+", prefix.partition("(")[2]))
    if tree[0] != "given":
        for part in expr.children(tree):
            yield from prefixed(part)


def free_names(tree: Tree, bound: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names of numbers that are free in a tree; those of functions are not among them."""
    tag = tree[0]
    if tag == "name":
        return frozenset() if tree[1] in bound else frozenset((tree[1],))
    if place := lone(tree):
        return frozenset() if place in bound else frozenset((place,))
    if tag == "given" or (tag == "call" and tree[1] == "holds"):
        return frozenset() if tag == "given" else frozenset().union(*(free_names(x, bound) for x in tree[2][1:]))
    if tag in RANGES:
        ends = free_names(tree[2], bound) | free_names(tree[3], bound)
        return ends | free_names(tree[4], bound | {tree[1]})
    if tag in ("all", "ex", "lambda"):
        own = {tree[1]} if tag != "lambda" else {*tree[1]}
        return free_names(tree[-1], bound | own)
    return frozenset().union(*(free_names(part, bound) for part in expr.children(tree)))
