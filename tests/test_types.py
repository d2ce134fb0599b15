"""Parameters say what they take: few have the type Any, under this name or another, and none has no type."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from checkout import ROOT, parsed

PACKAGE = ROOT / "symcook"
SHIPPED = "export/run_npz.py"
"""A script that users get as it is, without types."""
MOST = 0.027
"""The greatest share of parameters whose type has Any in it, or is Any under another name."""


def modules(package: Path = PACKAGE) -> dict[str, ast.Module]:
    """The modules of a package by their full names."""
    paths = sorted(path for path in package.rglob("*.py") if path != package / SHIPPED)
    named = {".".join(path.relative_to(package.parent).with_suffix("").parts): path for path in paths}
    return {name.removesuffix(".__init__"): parsed(path.read_text()) for name, path in named.items()}


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


def other_names(trees: Mapping[str, ast.Module]) -> dict[str, set[str]]:
    """For each module the names that are Any: itself, aliases of it, and those of other modules."""
    found = {name: {"Any"} for name in trees}
    while True:
        before = sum(map(len, found.values()))
        for name, tree in trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module in found:
                    found[name] |= {one.asname or one.name for one in node.names if one.name in found[node.module]}
                elif isinstance(node, (ast.Assign, ast.AnnAssign)) and found[name] & set(meant(node.value)):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    found[name] |= {one.id for one in targets if isinstance(one, ast.Name)}
        if sum(map(len, found.values())) == before:
            return found


def parameters(tree: ast.Module) -> Iterator[tuple[str, ast.arg]]:
    """Each parameter but self and cls, with the name of its function."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            given = node.args
            rest = [one for one in (given.vararg, given.kwarg) if one is not None]
            for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *rest):
                if one.arg not in ("self", "cls"):
                    yield node.name, one


def measured(trees: Mapping[str, ast.Module]) -> tuple[int, list[str], list[str]]:
    """How many parameters there are; those whose type has Any in it, and those that have none."""
    count, loose, bare, names = 0, list[str](), list[str](), other_names(trees)
    for module, tree in trees.items():
        for function, one in parameters(tree):
            count += 1
            said = f"{module}: {function}({one.arg})"
            if one.annotation is None:
                bare.append(said)
            elif words(one.annotation) & names[module]:
                loose.append(said)
    return count, loose, bare


@cache
def found() -> tuple[int, list[str], list[str]]:
    return measured(modules())


def test_every_parameter_has_a_type() -> None:
    assert found()[2] == []


def test_few_of_them_are_any() -> None:
    count, loose, _ = found()
    packages = Counter(name.split(":")[0].split(".")[1] for name in loose)
    assert count > 5_000 and len(loose) <= MOST * count, f"{len(loose)} of {count}: {packages.most_common()}"


def test_the_measure_sees_any_under_other_names(tmp_path: Path) -> None:
    package = tmp_path / "one"
    package.mkdir()
    (package / "a.py").write_text(
        "from typing import Any\nValue = Any\nPair = tuple[Any, int]\nEither = int | Value\n"
        "def f(a: Value, b: Pair, c: 'list[Any]', *d: int, e, **g: Either) -> Any: ...\n"
    )
    (package / "b.py").write_text(
        "import typing\nfrom one.a import Value as Number\nclass A:\n"
        "    def g(self, a: Number, b: typing.Any, c: str) -> None:\n        def h(cls, x: int | None) -> None: ...\n"
    )
    count, loose, bare = measured(modules(package))
    assert (count, bare) == (10, ["one.a: f(e)"])
    assert loose == [f"one.a: f({x})" for x in "acg"] + ["one.b: g(a)", "one.b: g(b)"]


if __name__ == "__main__":
    total, several, _ = found()
    print(*several, f"{len(several)} of {total}, {100 * len(several) / total:.1f} %", sep="\n")
