"""Take out of proofs/scripts what has a proof text: entries of SCRIPTS, then functions and names that nothing uses.

    python proofs/retire.py

After a merge that brings scripts back, run it again. It goes with the last script.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

build: Any = import_module("build")  # the file beside this one, not the package of that name
FOLDER: Path = build.HERE / "scripts"
KEPT = frozenset({"script", "sides", "places"})


def without_entries(source: str, done: set[str]) -> str:
    """The source with the entries of SCRIPTS left out whose id is in `done`."""
    lines = source.splitlines(keepends=True)
    edits = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) or not isinstance(node.value, ast.Dict):
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if not isinstance(target, ast.Name) or target.id != "SCRIPTS":
            continue
        kept = []
        for key, value in zip(node.value.keys, node.value.values, strict=True):
            if not (isinstance(key, ast.Constant) and key.value in done):
                head = "**" if key is None else f"{ast.get_source_segment(source, key)}: "
                kept.append(f"{head}{ast.get_source_segment(source, value)}")
        if len(kept) == len(node.value.keys):
            continue
        whole, old = (ast.get_source_segment(source, x) or "" for x in (node, node.value))
        new = whole[: len(whole) - len(old)] + "{" + ", ".join(kept) + ("," if kept else "") + "}"
        if not kept and isinstance(node, ast.AugAssign):
            new = "pass" if node.col_offset else ""
        edits.append((node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, new))
    for first, begin, last, end, new in sorted(edits, reverse=True):
        lines[first - 1 : last] = [lines[first - 1][:begin] + new + lines[last - 1][end:]]
    return "".join(lines)


def names_of(node: ast.stmt) -> list[str]:
    """The names that a statement at top level gives; none where it does something else as well."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [t.id for t in targets if isinstance(t, ast.Name)] if all(isinstance(t, ast.Name) for t in targets) else []


def unused(name: str, trees: dict[str, ast.Module]) -> list[tuple[int, int]]:
    """First and last line of what nothing in the module or another one uses."""
    wanted = {
        alias.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == name
        for alias in node.names
    }
    uses: dict[str, set[int]] = {}
    body = trees[name].body
    for number, top in enumerate(body):
        for x in ast.walk(top):
            if isinstance(x, ast.Name) and (isinstance(x.ctx, ast.Load) or isinstance(top, ast.AugAssign)):
                uses.setdefault(x.id, set()).add(number)
    out = []
    for number, top in enumerate(body):
        given = names_of(top)
        if not given or "SCRIPTS" in given or any(uses.get(n, set()) - {number} or n in wanted for n in given):
            continue
        decorators = getattr(top, "decorator_list", [])
        out.append((min([top.lineno, *(d.lineno for d in decorators)]), top.end_lineno or top.lineno))
        after = body[number + 1] if number + 1 < len(body) else None
        described = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if after is not None and described and not isinstance(top, ast.FunctionDef):
            out.append((after.lineno, after.end_lineno or after.lineno))
    return out


def ruff(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "ruff", *arguments, str(FOLDER)], check=False)


def main() -> int:
    done = set(build.texts())
    files: dict[str, Path] = {p.stem: p for p in sorted(FOLDER.glob("*.py"))}
    for path in files.values():
        path.write_text(without_entries(path.read_text(encoding="utf-8"), done), encoding="utf-8")
    changed = True
    while changed:
        changed = False
        ruff("check", "-q", "--fix", "--select", "F401,I001")
        trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in files.items()}
        for name in [n for n in files if n not in KEPT]:
            spans = sorted(set(unused(name, trees)), reverse=True)
            lines = files[name].read_text(encoding="utf-8").splitlines(keepends=True)
            for first, last in spans:
                del lines[first - 1 : last]
            files[name].write_text("".join(lines), encoding="utf-8")
            changed = changed or bool(spans)
    ruff("format", "-q")
    return 0


if __name__ == "__main__":
    sys.exit(main())
