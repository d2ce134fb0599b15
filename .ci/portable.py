"""What is read and written is the same on each system: the encoding is named, and lines end in one character."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from package import ROOT, Module, Modules, given

FOLDERS = ("proofs", "docs", ".ci", "benchmarks", "examples")
COQ = ("symcook/coq/judge.py", "symcook/coq/chk.py", "symcook/coq/development.py")
"""Files that judge, and run where Coq does: what they read and write is ASCII."""


def files_are_the_same_on_each_system(modules: Modules) -> Iterator[str]:
    """A text that is read or written has its encoding, one that is written its end of lines."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))] if modules else []
    others = given({path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths})
    for module in (*modules.values(), *others.values()):
        if module.path not in COQ:
            yield from _problems(module)


def _problems(module: Module) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, ast.Call) and (mode := _mode(node)) is not None and "b" not in mode:
            named = {one.arg for one in node.keywords}
            for word in ("encoding", *(["newline"] if set(mode) & set("wax+") else [])):
                if word not in named:
                    yield f"{module.path}:{node.lineno}: {ast.unparse(node.func)} must have {word}="


def _mode(node: ast.Call) -> str | None:
    """The mode in which a call opens a text; None of another call."""
    what = ast.unparse(node.func)
    constants = [one.value for one in node.args if isinstance(one, ast.Constant)]
    modes = [one for one in constants if isinstance(one, str) and one and set(one) <= set("rwaxbt+")]
    if what == "open" or what in ("os.fdopen", "io.open"):
        return modes[-1] if modes else "r"
    if what.startswith("tempfile.") and what.endswith("TemporaryFile"):
        return modes[-1] if modes else "w+b"
    name = what.rpartition(".")[2]
    if name == "open" and isinstance(node.func, ast.Attribute) and what != "os.open":
        return modes[0] if modes else None  # of a path; without a mode it may be anybody's method
    if name in ("run", "Popen", "check_output") and any(one.arg == "text" for one in node.keywords):
        return "r"
    if name == what or what.startswith("formatter."):
        return None  # a function of ours, or click's, which writes no file
    return {"read_text": "r", "write_text": "w"}.get(name)
