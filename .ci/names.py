"""Names of classes, aliases and variables, and the types of parameters."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from package import SHIPPED, Module, Modules

SHARED = {
    "Box": 2, "Cases": 2, "Comparison": 2, "Exact": 2, "Key": 2, "Mono": 2, "Node": 5, "Number": 3,
    "Poly": 2, "Progress": 2, "Proof": 2, "Sort": 2, "Term": 2, "Tree": 2,
}  # fmt: skip
"""Names that several modules give to a class or an alias today, and how many do, at most one of them a class. None may
come to it, and no number may grow: find a name that says which of them is meant, or import the one that there is."""
VAGUE = {
    *("found", "given", "got", "held", "kept", "made", "met", "one", "put", "rest", "said", "shown", "some", "told"),
    "whole",
}
"""Words that say of a value neither what it is nor what it is for."""
Places = Mapping[str, list[str]]
"""For a name the places, FILE:LINE, that give it."""


def classes(modules: Modules) -> Places:
    """For each name of classes where it is defined."""
    found: dict[str, list[str]] = defaultdict(list)
    for module in modules.values():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{module.path}:{node.lineno}")
    return found


def aliases(modules: Modules) -> Places:
    """For each name with a capital that a module gives to something else at its top, where it does so. Type variables
    are left out: one stands for whatever is put for it."""
    found: dict[str, list[str]] = defaultdict(list)
    for module in modules.values():
        for node in module.tree.body:
            names = list[ast.expr]()
            if isinstance(node, ast.Assign) and not ast.unparse(node.value).startswith("TypeVar("):
                names = node.targets
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                names = [node.target]
            for name in names:
                if isinstance(name, ast.Name) and name.id[0].isupper() and not name.id.isupper():
                    found[name.id].append(f"{module.path}:{node.lineno}")
    return found


def a_name_means_one_thing(modules: Modules) -> Iterator[str]:
    """No class takes the name of another; no alias that of a class or of another, but for those counted in SHARED."""
    own, other = classes(modules), aliases(modules)
    for name, places in own.items():
        for place in places[1:]:
            yield f"{place}: {places[0]} has a class {name} too"
    double = {name: [*own.get(name, ()), *places] for name, places in other.items()}
    for name, places in double.items():
        if len(places) > SHARED.get(name, 1):
            yield f"{places[-1]}: {name} is given at {', '.join(places[:-1])} too"
    for name, count in SHARED.items():
        if len(double.get(name, ())) < count and any(module.part == "proof" for module in modules.values()):
            yield f".ci/names.py:1: SHARED must say {len(double.get(name, ()))} of {name}, and nothing of one"


def what_was_given_is_no_option(modules: Modules) -> Iterator[str]:
    """What an error of the library says was given names no option, since Python's users have arguments. (What must hold
    and what to do may: `symcook.errors` reads both with arguments.)"""
    for module in modules.values():
        if module.part in ("cli", "__main__"):
            continue
        for node in module.nodes:
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("BadInput", "NotExact", "NoRun"):
                given = [*node.args[1:2], *(one.value for one in node.keywords if one.arg == "given")]
                texts = [one.value for part in given for one in ast.walk(part) if isinstance(one, ast.Constant)]
                if any("--" in one for one in texts if isinstance(one, str)):
                    yield f"{module.path}:{node.lineno}: {ast.unparse(given[0])} names an option"


def vague_variables(modules: Modules) -> list[str]:
    """The places where a variable is called by a word of `VAGUE`. CI prints their number; it is no limit."""
    return [
        f"{module.path}:{node.lineno}: {node.id}"
        for module in modules.values()
        for node in module.nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id.strip("_") in VAGUE
    ]


def words(node: ast.AST) -> set[str]:
    """The names in a type, those inside of quotes too; what an option beside it says is none."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and ast.unparse(node.value) == "Annotated":
        return words(node.slice.elts[0])
    found = set[str]()
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            found.add(one.id)
        elif isinstance(one, ast.Attribute):
            found.add(one.attr)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            found |= words(ast.parse(one.value, mode="eval"))
    return found


def meant(node: ast.expr | None) -> Iterator[str]:
    """The names that an alias stands for by itself, or as one of several: not those inside of brackets."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        yield node.value
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from meant(node.left)
        yield from meant(node.right)


def names_of_any(modules: Modules) -> dict[str, set[str]]:
    """For each module, by name, the names that are Any: itself, aliases of it, and those of other modules."""
    found = {module.name: {"Any"} for module in modules.values()}
    asked = {
        module.name: [one for one in module.nodes if isinstance(one, (ast.ImportFrom, ast.Assign, ast.AnnAssign))]
        for module in modules.values()
    }
    while True:
        before = sum(map(len, found.values()))
        for name, nodes in asked.items():
            for node in nodes:
                if isinstance(node, ast.ImportFrom):
                    others = found.get(node.module or "", set())
                    found[name] |= {one.asname or one.name for one in node.names if one.name in others}
                elif found[name] & set(meant(node.value)):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    found[name] |= {one.id for one in targets if isinstance(one, ast.Name)}
        if sum(map(len, found.values())) == before:
            return found


def parameters(module: Module) -> Iterator[tuple[str, ast.arg]]:
    """Each parameter but self and cls, with the name of its function."""
    for node in module.nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            given = node.args
            more = [one for one in (given.vararg, given.kwarg) if one is not None]
            for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *more):
                if one.arg not in ("self", "cls"):
                    yield node.name, one


def parameters_have_types(modules: Modules) -> Iterator[str]:
    """Every parameter has a type."""
    for module in modules.values():
        if module.path != SHIPPED:
            for function, one in parameters(module):
                if one.annotation is None:
                    yield f"{module.path}:{one.lineno}: {function}({one.arg}) must have a type"


def loose_parameters(modules: Modules) -> list[str]:
    """The places of parameters whose type has Any in it, under this name or another. CI prints their number; it is no
    limit."""
    typed = {path: module for path, module in modules.items() if path != SHIPPED}
    anys = names_of_any(typed)
    return [
        f"{module.path}:{one.lineno}: {function}({one.arg})"
        for module in typed.values()
        for function, one in parameters(module)
        if one.annotation is not None and words(one.annotation) & anys[module.name]
    ]
