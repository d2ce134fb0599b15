"""Which package may import which, and what is imported only where it is needed. `tests/affected.py` asks it too."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from package import ROOT, SHIPPED, Import, Module, Modules

LAYERS = (
    ("__init__", "alarm", "declaration", "door", "errors", "files", "locks", "present"),
    ("model", "numbers", "programs"),
    ("compose", "published"),
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
UPWARD = {
    "__init__.py": "the front door: each name is imported when it is first used",
    "model/answers.py": "an answer shows itself as the report says",
    "compose/builder.py": "a step may be a recipe by its name",
    "run.py": "a program says which strings it does not cover",
    "proof/statements/languages.py": "a statement about languages is asked of `decide` too",
    "proof/replay.py": "a CHECKED certificate runs its check again",
}
"""The only modules that may import, in a function, what stands to their right; and why."""
IN_PROOF = (
    ("inequalities",), ("search",), ("audit",), ("claims",), ("statements",), ("bridges",), ("families", "programs"),
    ("own",),
)  # fmt: skip
"""The packages of symcook/proof, from left to right; its own files, which are trusted, stand before all of them."""
UPWARD_IN_PROOF = {
    "statements/proving.py": "`Transformer.prove` asks whether the model is of a family",
    "statements/strategies.py": "a statement is asked of all who may know it: also of the prover of compiled programs",
}
READOUT = {"decode.py", "export/archive.py", "model/ends.py", "model/modelfile.py",
           "report/construction.py", "report/model.py", "report/page/describe.py"}  # fmt: skip
"""Who asks a readout what it is. Elsewhere it answers itself: `verdicts`, `places`, `distance`. Bridges in proofs
compare families, which have their own."""


def inside(module: Module) -> str:
    """The path of a file below symcook/."""
    return module.path.partition("/")[2]


def target(one: Import) -> str:
    """The part of symcook that is imported; empty for another project's."""
    first, *rest = one.name.split(".")
    if first != "symcook":
        return ""
    return rest[0] if rest and rest[0] in RANK else "__init__"


def upward(module: Module, lazy: bool) -> list[Import]:
    """The imports of what stands to the right of a module."""
    rank = RANK[module.part]
    return [one for one in module.imports if one.lazy == lazy and RANK.get(target(one), -1) > rank
            and target(one) != module.part]  # fmt: skip


def imports_to_the_left(modules: Modules) -> Iterator[str]:
    """A package imports only what stands to its left; in a function too, but for the modules that are named."""
    for module in modules.values():
        if module.part not in RANK:
            yield f"{module.path}:1: {module.part} needs a place in LAYERS of .ci/layers.py"
            continue
        bad = [] if module.path == SHIPPED else upward(module, lazy=False)
        lazily = upward(module, lazy=True)
        for one in bad + (lazily if inside(module) not in UPWARD else []):
            yield f"{module.path}:{one.line}: {one.name} stands to the right of {module.part}"
        if inside(module) in UPWARD and not lazily and module.part != "__init__":
            yield f"{module.path}:1: it imports nothing to its right, so that UPWARD must not name it"


def heavy_is_lazy(modules: Modules) -> Iterator[str]:
    """sympy, numpy, mpmath and flint are imported when needed, rich always; click in cli alone; all are absolute."""
    for module in modules.values():
        for one in module.imports:
            first = one.name.split(".")[0]
            heavy = first in HEAVY and (module.part not in MAY_BE_HEAVY or first == "rich")
            if not one.lazy and module.path != SHIPPED and (heavy or (first == "click" and module.part != "cli")):
                yield f"{module.path}:{one.line}: {first} must be imported in the function that needs it"
            if one.name.startswith("."):
                yield f"{module.path}:{one.line}: an import must be absolute"


def apart(modules: Modules) -> Iterator[str]:
    """References share no code with recipes; the proof checker's core needs the standard library only; decisions by
    counts need no automata."""
    standard = {*sys.stdlib_module_names, "symcook"}
    for module in modules.values():
        where = inside(module)
        for one in module.imports:
            first, second, *_ = [*one.name.split("."), ""]
            if where.startswith("spec/") and not one.lazy and first == "symcook":
                allowed = second in ("door", "errors", "programs", "spec")
            elif where in {f"proof/{name}.py" for name in ("kernel", "terms", "grammar", "normal")} and not one.lazy:
                allowed = first in standard and (first != "symcook" or second in ("errors", "model", "proof"))
            elif where.startswith("proof/claims/bycounts/"):
                allowed = ".byautomata" not in one.name
            else:
                continue
            if not allowed:
                yield f"{module.path}:{one.line}: {one.name} must not be used here"


def few_ask_a_readout(modules: Modules) -> Iterator[str]:
    """Few files ask what a readout is, or an embedding for its tokens at the ends: these answer themselves."""
    asked = {"readout": ("kind", "position"), "embedding": ("before", "after")}
    for module in modules.values():
        if inside(module) in READOUT or inside(module).startswith("proof/"):
            continue
        for node in module.nodes:
            if isinstance(node, ast.Attribute):
                *owner, of = ast.unparse(node.value).split(".")
                if node.attr in asked.get(of, ()) and "family" not in owner:
                    yield f"{module.path}:{node.lineno}: a {of} must not be asked for its {node.attr} here"


def place_in_proof(name: str) -> int:
    """The place of a module of symcook.proof by its full name; 0 for what is trusted."""
    first = [*name.split("."), "", "", ""][2]
    return next((1 + rank for rank, names in enumerate(IN_PROOF) if first in names), 0)


def proofs_in_order(modules: Modules) -> Iterator[str]:
    """In symcook/proof a package imports only what stands to its left; each is small and says what it is for."""
    folders: dict[str, list[Module]] = {}
    for module in modules.values():
        where = inside(module)
        if not where.startswith("proof/"):
            continue
        folders.setdefault(module.path.rpartition("/")[0], []).append(module)
        if where == "proof/__init__.py":
            continue
        place = place_in_proof(module.name)
        own = (one for one in module.imports if one.name.startswith("symcook.proof."))
        bad = [one for one in own if place_in_proof(one.name) > place]
        excepted = where.removeprefix("proof/") in UPWARD_IN_PROOF
        for one in bad if not excepted else ():
            yield f"{module.path}:{one.line}: {one.name} stands to the right in symcook/proof"
        if excepted and not bad:
            yield f"{module.path}:1: it imports nothing to its right, so that UPWARD_IN_PROOF must not name it"
    for folder, found in folders.items():
        first = next((one for one in found if one.path.endswith("/__init__.py")), None)
        text = ast.get_docstring(first.tree) or "" if first else ""
        if folder.rpartition("/")[2] not in ("proof", "own") and (  # one is a list, the other an old name
            "For: " not in text or "May import: " not in text or text.count("\n") > 6
        ):
            yield f'{folder}/__init__.py:1: it must say "For: " and "May import: " in at most six lines'


def trusted_files_lie_together(modules: Modules) -> Iterator[str]:
    """What proof.CHECKER names in the folder of proofs is what lies in that folder itself."""
    first = modules.get("symcook/proof/__init__.py")
    lie = {inside(one) for one in modules.values() if re.fullmatch(r"symcook/proof/(?!__init__)\w+\.py", one.path)}
    for node in first.tree.body if first else ():
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(one, ast.Name) and one.id == "CHECKER" for one in targets) and node.value:  # type: ignore[union-attr]
            names = {one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant)}  # type: ignore[union-attr]
            for name in sorted({name for name in names if str(name).startswith("proof/")} ^ lie):
                yield f"{first.path}:{node.lineno}: CHECKER and the folder differ in {name}"  # type: ignore[union-attr]
            return
    yield "symcook/proof/__init__.py:1: CHECKER must be written there"


def the_note_draws_the_layers(root: Path = ROOT) -> Iterator[str]:
    """notes/architecture.md draws the same order, and says how many modules are excepted."""
    note = (root / "notes" / "architecture.md").read_text(encoding="utf-8")
    before, _, rest = note.partition("what stands to its left:\n\n`")
    line = before.count("\n") + 3
    layers = [tuple(word.strip() for word in layer.split(",")) for layer in rest.partition("`")[0].split("|")]
    if layers != [tuple(n for n in names if n[:2] != "__") for names in LAYERS if names != ("__main__",)]:
        yield f"notes/architecture.md:{line}: it must draw the layers as LAYERS of .ci/layers.py has them"
    words = ("one", "two", "three", "four", "five", "six")
    if f"; {words[len(UPWARD) - 1]} modules are excepted by name" not in note:
        yield f"notes/architecture.md:{line}: {words[len(UPWARD) - 1]} modules are excepted by name"


def tests_lie_as_the_package(root: Path = ROOT) -> Iterator[str]:
    """A folder of tests for each package; names of files are unique, as pytest imports them by these."""
    tests = root / "tests"
    folders = {path.parent.name for kind in ("test", "sweep") for path in tests.glob(f"*/{kind}_*.py")}
    packages = {path.parent.name for path in (root / "symcook").glob("*/__init__.py")}
    for name in sorted(folders ^ (packages | {"attacks"})):
        yield f"tests/{name}:1: folders of tests must be the packages, and attacks"
    seen: dict[str, Path] = {}
    for path in sorted(tests.rglob("*.py")):
        if path.name in seen:
            yield f"{path.relative_to(root)}:1: {seen[path.name].relative_to(root)} has the same name"
        seen[path.name] = path


def needs(modules: Modules) -> dict[str, set[str]]:
    """For each module those of the package that it imports, in functions too, by name."""
    names = {module.name for module in modules.values()}
    found: dict[str, set[str]] = {}
    for module in modules.values():
        wanted = {one.name if one.name in names else one.name.rpartition(".")[0] for one in module.imports}
        found[module.name] = (wanted & names) - {module.name}
    return found


def no_circles(modules: Modules) -> Iterator[str]:
    """No module needs one that needs it, imports inside of functions counted."""
    graph = needs(modules)
    paths = {module.name: module.path for module in modules.values()}
    reached = {name: _reached(graph, name) for name in graph}
    for name in graph:
        if name in reached[name]:
            others = sorted(one for one in reached[name] if name in reached[one] and one != name)
            yield f"{paths[name]}:1: it needs what needs it: {', '.join(others) or name}"


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    seen, left = set[str](), [start]
    while left:
        new = graph[left.pop()] - seen
        seen |= new
        left += new
    return seen
