"""The architecture as a test: what each package may import at module level, and what stays lazy."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from checkout import ROOT, TESTS, parsed
from families import together

PACKAGE = ROOT / "symcook"
LAYERS = (
    ("__init__", "alarm", "declaration", "door", "errors", "files", "locks", "present"),
    ("model", "numbers", "programs"),
    ("compose",),
    ("domains",),
    ("walk",),
    ("dense",),
    ("forward",),
    ("machine",),
    ("words",),
    ("run",),
    ("decode", "derivation"),
    ("closed",),
    ("spec",),
    ("recipes", "compilers"),
    ("thought",),
    ("proof",),
    ("decide",),
    ("verify",),
    ("coq",),
    ("claims",),
    ("export",),
    ("bounds",),
    ("questions",),
    ("recount",),
    ("report",),
    ("papers",),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
HEAVY = {"sympy", "numpy", "mpmath", "flint", "rich"}
MAY_BE_HEAVY = {"domains", "numbers", "words", "bounds", "questions", "proof", "papers", "decide", "closed"}
SHIPPED = {PACKAGE / "export" / "run_npz.py"}
"""A script that users get as it is, with its imports at the top; what imports it does so in a function."""
MODULES = sorted(PACKAGE.rglob("*.py"))


def part(path: Path) -> str:
    """The package of symcook, or the module at its top, to which a file belongs."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(source: str, inside: bool) -> list[str]:
    """Full names of what a module imports when it is loaded (not in functions, not under TYPE_CHECKING); with `inside`
    those in its functions instead."""
    found: list[str] = []

    def walk(nodes: list[ast.stmt], deep: bool) -> None:
        for node in nodes:
            if isinstance(node, ast.Import) and deep == inside:
                found.extend(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, "imports are absolute"
                if deep == inside:
                    found.extend(f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                walk(node.orelse, deep)
            else:
                below = deep or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                    walk(getattr(node, field, []), below)

    walk(parsed(source).body, False)
    return found


def module_level_imports(source: str) -> list[str]:
    return imports(source, inside=False)


UPWARD = {
    "__init__.py": "the front door: each name is imported when it is first used",
    "model/answers.py": "an answer shows itself as the report says",
    "compose/builder.py": "a step may be a recipe by its name",
    "run.py": "a program says which strings it does not cover",
    "proof/replay.py": "a CHECKED certificate runs its check again",
}
"""The only modules that may import, in a function, what stands to their right; and why."""


def upward(where: str, names: list[str]) -> list[str]:
    """The imports among `names` of what stands to the right of `where`."""
    found = []
    for name in names:
        first, *rest = name.split(".")
        target = rest[0] if rest and rest[0] in RANK else "__init__"
        if first == "symcook" and target != where and RANK[target] > RANK[where]:
            found.append(name)
    return found


def test_nothing_is_imported_upwards_in_a_function_either() -> None:
    found = {
        str(path.relative_to(PACKAGE)): upward(part(path), imports(path.read_text(), inside=True)) for path in MODULES
    }
    assert {name: names for name, names in found.items() if names and name not in UPWARD} == {}


def test_the_note_has_the_layers_and_the_exceptions() -> None:
    """`notes/architecture.md` draws the same order, and says how many modules are excepted."""
    note = (ROOT / "notes" / "architecture.md").read_text(encoding="utf-8")
    drawn = note.partition("what stands to its left:\n\n`")[2].partition("`")[0]
    layers = [tuple(word.strip() for word in layer.split(",")) for layer in drawn.split("|")]
    assert layers == [tuple(n for n in names if n[:2] != "__") for names in LAYERS if names != ("__main__",)]
    words = ("one", "two", "three", "four", "five", "six")
    assert f"; {words[len(UPWARD) - 1]} modules are excepted by name" in note


def test_each_exception_is_one() -> None:
    for name in UPWARD:
        source = (PACKAGE / name).read_text()
        assert upward(part(PACKAGE / name), imports(source, inside=True)) or name == "__init__.py", name


def violations(where: str, source: str) -> list[str]:
    """Imports of a module in the part `where` that the architecture does not allow."""
    bad = []
    for name in module_level_imports(source):
        first = name.split(".")[0]
        bad += upward(where, [name])
        heavy = first in HEAVY and (where not in MAY_BE_HEAVY or first == "rich")
        if heavy or (first == "click" and where != "cli"):
            bad.append(name)
    return bad


def test_a_package_imports_only_what_stands_to_its_left() -> None:
    assert {part(path) for path in MODULES} <= RANK.keys(), "a part needs a place in LAYERS"
    found = {
        str(path.relative_to(PACKAGE)): violations(part(path), path.read_text())
        for path in MODULES
        if path not in SHIPPED
    }
    assert {name: bad for name, bad in found.items() if bad} == {}


@together(
    ("where", "source"),
    [
        ("model", "from symcook.forward import run"),
        ("model", "import symcook.domains"),
        ("recipes", "import sympy"),
        ("cli", "from rich.table import Table"),
        ("forward", "try:\n    import numpy\nexcept ImportError:\n    pass"),
        ("model", "class A:\n    import mpmath"),
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
    assert violations("model", source) == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "spec").glob("*.py")), ids=lambda p: p.name)
def test_references_share_no_code_with_recipes(path: Path) -> None:
    inside = [n for n in module_level_imports(path.read_text()) if n.startswith("symcook")]
    allowed = ("symcook.door", "symcook.errors", "symcook.programs", "symcook.spec")
    assert all(n.startswith(allowed) for n in inside), inside


@pytest.mark.parametrize("name", ["kernel", "terms", "grammar", "normal"])
def test_the_checker_needs_the_standard_library_only(name: str) -> None:
    import sys

    allowed = {*sys.stdlib_module_names, "symcook"}
    imports = module_level_imports((PACKAGE / "proof" / f"{name}.py").read_text())
    assert [n for n in imports if n.split(".")[0] not in allowed] == []
    inside = {n.split(".")[1] for n in imports if n.startswith("symcook.")}
    assert inside <= {"errors", "model", "proof"}, inside


def asks_a_readout(source: str) -> bool:
    """Whether a module asks a model's readout for its kind or position, or an embedding for its tokens at the ends."""
    asked = {"readout": ("kind", "position"), "embedding": ("before", "after")}
    found = (node for node in ast.walk(parsed(source)) if isinstance(node, ast.Attribute))
    owners = ((ast.unparse(node.value).split("."), node.attr) for node in found)
    return any(attribute in asked.get(of, ()) and "family" not in owner for (*owner, of), attribute in owners)


def test_few_files_ask_what_a_readout_is() -> None:
    """It answers itself: `verdicts`, `places`, `distance`. Bridges in proofs compare families, which have their own."""
    allowed = {"decode.py", "export/archive.py", "model/ends.py", "model/modelfile.py", "questions/tolerance.py",
               "report/construction.py", "report/model.py", "report/page/describe.py"}  # fmt: skip
    asking = {str(path.relative_to(PACKAGE)) for path in MODULES if asks_a_readout(path.read_text())}
    assert {name for name in asking if not name.startswith("proof/")} <= allowed
    assert asks_a_readout("def f(m):\n    return m.readout.kind == 'sign'")
    assert asks_a_readout("if embedding.before is None: ...")


def test_the_tests_lie_as_the_package_does() -> None:
    """A folder of tests for each package; what concerns the whole, or one module at the top, lies at the top."""
    folders = {path.parent.name for path in TESTS.glob("*/test_*.py")}
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == packages | {"attacks"}
    names = [path.name for path in TESTS.rglob("*.py")]
    assert len(names) == len(set(names))  # pytest imports them by these names


TRUSTED = sorted(path for path in (PACKAGE / "proof").glob("*.py") if path.name != "__init__.py")
"""The files that lie in the folder of proofs itself."""
IN_PROOF = (
    ("inequalities",), ("search",), ("audit",), ("claims",), ("statements",), ("bridges",), ("families", "programs"),
    ("own",),
)  # fmt: skip
"""The packages of symcook/proof, from left to right; its own files stand before all of them."""
UPWARD_IN_PROOF = {
    "statements/proving.py": "`Transformer.prove` asks whether the model is of a family, or compiled",
}
MOST_FILES = 21


def place_in_proof(name: str) -> int:
    """The place of a module of symcook.proof by its full name; 0 for what is trusted."""
    packages = [package for names in IN_PROOF for package in names]
    first = [*name.split("."), "", "", ""][2]
    return next((1 + rank for rank, names in enumerate(IN_PROOF) if first in names), 0) if first in packages else 0


def upward_in_proof(place: int, source: str) -> list[str]:
    """The imports of symcook.proof, those in functions too, that stand to the right of `place`."""
    names = [*imports(source, inside=False), *imports(source, inside=True)]
    return [name for name in names if name.startswith("symcook.proof.") and place_in_proof(name) > place]


def test_what_is_trusted_lies_in_the_folder_of_proofs_itself() -> None:
    from symcook.proof import CHECKER

    assert {f"proof/{path.name}" for path in TRUSTED} == {name for name in CHECKER if name.startswith("proof/")}


def test_in_proof_a_package_imports_only_what_stands_to_its_left() -> None:
    files = [*TRUSTED, *(PACKAGE / "proof").glob("*/**/*.py")]
    found = {
        path.relative_to(PACKAGE / "proof").as_posix(): upward_in_proof(
            place_in_proof(".".join(path.relative_to(ROOT).with_suffix("").parts)), path.read_text(encoding="utf-8")
        )
        for path in files
    }
    assert {name for name, names in found.items() if names} == UPWARD_IN_PROOF.keys(), found
    assert upward_in_proof(0, "def f():\n    from symcook.proof.search import tactics")
    assert upward_in_proof(2, "from symcook.proof.claims.counts import holds")


def test_decisions_by_counts_need_no_automata() -> None:
    for path in (PACKAGE / "proof" / "claims" / "bycounts").glob("*.py"):
        names = [name for inside in (False, True) for name in imports(path.read_text(encoding="utf-8"), inside=inside)]
        assert not [name for name in names if ".byautomata" in name], path.name


def test_a_package_of_proofs_is_small_and_says_what_it_is_for() -> None:
    for folder in (PACKAGE / "proof", *(path.parent for path in (PACKAGE / "proof").glob("*/**/__init__.py"))):
        assert len([*folder.glob("*.py")]) <= MOST_FILES, folder.name
        if folder.name not in ("proof", "own"):  # one is a list, the other an old name
            text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
            assert "For: " in text and "May import: " in text and text.count("\n") <= 6, folder.name


def test_the_old_name_of_the_users_statements_warns() -> None:
    from symcook.proof import own
    from symcook.proof.statements import certify

    with pytest.warns(DeprecationWarning, match="statements.certify"):
        assert own.certified is certify.certified
