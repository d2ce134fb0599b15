"""The name of a class or an alias means one thing, and no module needs one that needs it, imports inside of functions
counted."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping

from checkout import parsed
from test_types import PACKAGE, SHIPPED, modules

SHARED = {
    "Box": 2, "Cases": 2, "Comparison": 2, "Exact": 2, "Key": 2, "Mono": 2, "Node": 5, "Number": 3,
    "Poly": 2, "Progress": 2, "Proof": 2, "Sort": 2, "Term": 2, "Tree": 2,
}  # fmt: skip
"""Names that several modules give to a class or an alias today, and how many do, at most one of them a class. None may
come to it, and no number may grow: find a name that says which of them is meant, or import the one that there is."""


def everything() -> dict[str, ast.Module]:
    """All modules, the script without types among them."""
    return modules() | {"symcook.export.run_npz": parsed((PACKAGE / SHIPPED).read_text())}


def classes(trees: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """For each name of classes the modules that have one."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module)
    return found


def aliases(trees: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """For each name with a capital that a module gives to something else at its top, the modules that do so.
    Type variables are left out: one stands for whatever is put for it."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, tree in trees.items():
        for node in tree.body:
            names = list[ast.expr]()
            if isinstance(node, ast.Assign) and not ast.unparse(node.value).startswith("TypeVar("):
                names = node.targets
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                names = [node.target]
            for name in names:
                if isinstance(name, ast.Name) and name.id[0].isupper() and not name.id.isupper():
                    found[name.id].append(module)
    return found


def needs(trees: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """For each module those of its package that it imports, in functions too, but not for types alone."""
    found: dict[str, set[str]] = {}
    for module, tree in trees.items():
        typing = {
            id(inside)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            for part in node.body
            for inside in ast.walk(part)
        }
        names = list[str]()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import) and id(node) not in typing:
                names += [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom) and id(node) not in typing:
                full = (f"{node.module}.{one.name}" for one in node.names)
                names += [one if one in trees else str(node.module) for one in full]
        found[module] = {name for name in names if name in trees and name != module}
    return found


def circles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """The greatest sets of modules that all reach each other."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen, left = set[str](), [start]
        while left:
            new = graph[left.pop()] - seen
            seen |= new
            left += new
        reached[start] = seen
    sets = {frozenset(other for other in reached[one] if one in reached[other]) for one in graph if one in reached[one]}
    return [set(one) for one in sets]


def test_no_class_takes_the_name_of_another() -> None:
    assert {name: where for name, where in classes(everything()).items() if len(where) > 1} == {}


def test_no_alias_takes_the_name_of_a_class_or_of_another() -> None:
    """The numbers are those of today, so that the list ends as names do."""
    trees = everything()
    own, other = classes(trees), aliases(trees)
    found = {name: [*own.get(name, ()), *where] for name, where in other.items()}
    double = {name: where for name, where in found.items() if len(where) > 1}
    assert {name: where for name, where in double.items() if len(where) != SHARED.get(name)} == {}
    assert SHARED.keys() == double.keys()


def test_no_modules_need_each_other() -> None:
    assert circles(needs(everything())) == []


def test_both_are_seen() -> None:
    """Two classes of one name, aliases, and a circle of which one side is inside of a function."""
    trees = {
        "p.a": "class A: ...\nfrom p import b\n",
        "p.b": "def f():\n    class A: ...\n    import p.c\n",
        "p.c": "from p.a import A\nBoth = A\nCell: TypeAlias = int\nMOST = 1\nT = TypeVar('T')\n",
        "p.d": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import p.e\n",
        "p.e": "import p.d\n",
    }
    read = {name: parsed(text) for name, text in trees.items()}
    assert classes(read) == {"A": ["p.a", "p.b"]}
    assert aliases(read) == {"Both": ["p.c"], "Cell": ["p.c"]}
    assert circles(needs(read)) == [{"p.a", "p.b", "p.c"}]


VAGUE = {
    "found",
    "given",
    "got",
    "held",
    "kept",
    "made",
    "met",
    "one",
    "put",
    "rest",
    "said",
    "shown",
    "some",
    "told",
    "whole",
}
"""Words that say of a value neither what it is nor what it is for."""
MOST_VAGUE = 175


def vague(trees: Iterable[ast.Module]) -> int:
    """How often a variable is called by a vague word where it gets a value."""
    names = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name))
    return sum(isinstance(node.ctx, ast.Store) and node.id.strip("_") in VAGUE for node in names)


def test_few_variables_are_called_by_words_that_say_nothing() -> None:
    """They were 3,240 of 41,000, every thirteenth. The number may only fall."""
    assert vague([ast.parse("one, found = f(x)\nfor rest in found: held = rest[one]\nvalue = given")]) == 4
    assert vague(everything().values()) <= MOST_VAGUE
