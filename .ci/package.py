"""The package as one parsed tree, which all checks of text read: each file is read, parsed and walked once."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "symcook"
SHIPPED = "symcook/export/run_npz.py"
"""A script that users get as it is: its imports stand at the top, its parameters have no types."""


@dataclass(frozen=True)
class Import:
    """One imported name, in full: of a module, or of what stands in one."""

    name: str
    line: int
    lazy: bool  # in a function


@dataclass(frozen=True)
class Module:
    """A file of Python: its path below the root, its name for an import, its text."""

    path: str
    text: str

    @property
    def name(self) -> str:
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def part(self) -> str:
        """The package of symcook, or the module at its top, to which the file belongs."""
        return self.path.split("/")[1].removesuffix(".py")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def imports(self) -> list[Import]:
        """What the module imports when it runs: not what stands under TYPE_CHECKING."""
        return list(_imports(self.tree.body, lazy=False))


def _imports(nodes: list[ast.stmt], lazy: bool) -> Iterator[Import]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield from (Import(f"{base}.{alias.name}", node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imports(node.orelse, lazy)
        else:
            below = lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                yield from _imports(getattr(node, field, []), below)


Modules = Mapping[str, Module]
"""Files of the package by their paths."""


def given(texts: Mapping[str, str]) -> dict[str, Module]:
    """Modules with these texts, by path."""
    return {path: Module(path, text) for path, text in texts.items()}


def read(root: Path = ROOT) -> dict[str, Module]:
    """All files of the package, by path."""
    paths = sorted((root / PACKAGE).rglob("*.py"))
    return given({path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths})
