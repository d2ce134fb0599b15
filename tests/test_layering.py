"""The architecture as a test: what each package may import at module level, and what stays lazy."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "symcook"
LAYERS = (
    ("__init__", "errors", "expr", "rationals", "symbols", "numbers"),
    ("space",),
    ("blocks",),
    ("compose", "modelfile"),
    ("protocol", "forward"),
    ("domains",),
    ("decode", "derive"),
    ("spec",),
    ("recipes", "compilers"),
    ("proof",),
    ("verify",),
    ("coq",),
    ("bounds",),
    ("claims",),
    ("export",),
    ("report",),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
HEAVY = {"sympy", "numpy", "mpmath", "flint", "rich"}
MAY_BE_HEAVY = {"domains", "numbers", "bounds", "proof"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def part(path: Path) -> str:
    """The package of symcook, or the module at its top, to which a file belongs."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def module_level_imports(source: str) -> list[str]:
    """Full names of what a module imports when it is loaded: not in functions, not under TYPE_CHECKING."""
    found: list[str] = []

    def walk(nodes: list[ast.stmt]) -> None:
        for node in nodes:
            if isinstance(node, ast.Import):
                found.extend(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, "imports are absolute"
                found.extend(f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                walk(node.orelse)
            elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for field in ("body", "orelse", "finalbody", "handlers"):
                    walk(getattr(node, field, []))

    walk(ast.parse(source).body)
    return found


def violations(where: str, source: str) -> list[str]:
    """Imports of a module in the part `where` that the architecture does not allow."""
    bad = []
    for name in module_level_imports(source):
        first, *rest = name.split(".")
        if first == "symcook":
            target = rest[0] if rest else "__init__"
            target = target if target in RANK else "__init__"
            if target != where and RANK[target] > RANK[where]:
                bad.append(name)
        heavy = first in HEAVY and (where not in MAY_BE_HEAVY or first == "rich")
        if heavy or (first == "click" and where != "cli"):
            bad.append(name)
    return bad


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_package_imports_only_what_stands_to_its_left(path: Path) -> None:
    where = part(path)
    assert where in RANK, f"{where} needs a place in LAYERS"
    assert violations(where, path.read_text()) == []


@pytest.mark.parametrize(
    ("where", "source"),
    [
        ("blocks", "from symcook.forward import run"),
        ("expr", "import symcook.blocks"),
        ("recipes", "import sympy"),
        ("cli", "from rich.table import Table"),
        ("forward", "try:\n    import numpy\nexcept ImportError:\n    pass"),
        ("blocks", "class A:\n    import mpmath"),
        ("domains", "import rich"),
        ("report", "import click"),
    ],
)
def test_the_layering_test_sees_a_violation(where: str, source: str) -> None:
    assert violations(where, source)


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    import sympy",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import sympy",
        "from symcook.errors import BadInput",
    ],
)
def test_the_layering_test_allows_what_is_lazy(source: str) -> None:
    assert violations("blocks", source) == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "spec").glob("*.py")), ids=lambda p: p.name)
def test_references_share_no_code_with_recipes(path: Path) -> None:
    inside = [n for n in module_level_imports(path.read_text()) if n.startswith("symcook")]
    assert all(n.startswith(("symcook.errors", "symcook.spec")) for n in inside), inside


@pytest.mark.parametrize("name", ["kernel", "terms", "grammar", "normal"])
def test_the_checker_needs_the_standard_library_only(name: str) -> None:
    import sys

    allowed = {*sys.stdlib_module_names, "symcook"}
    imports = module_level_imports((PACKAGE / "proof" / f"{name}.py").read_text())
    assert [n for n in imports if n.split(".")[0] not in allowed] == []
    inside = {n.split(".")[1] for n in imports if n.startswith("symcook.")}
    assert inside <= {"errors", "expr", "proof"}, inside
