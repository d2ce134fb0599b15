"""Write proofs/expanded.txt: all definitions and statements in one file, with models written out, for checker.py.

    python proofs/expand.py            write the file
    python proofs/expand.py --check    exit with 1 where it is not up to date

A statement that names a stored model (run, word, accept) is stored by that name; this file has its equations.
"""

from __future__ import annotations

import sys
from pathlib import Path

from symcook.proof.replay import Library

HEAD = """\
# Made by proofs/expand.py from proofs/statements and proofs/models; not to be edited.
# The equations of each stored model are written out, so that proofs/checker.py needs nothing else.
"""


def shared_definitions(folder: Path) -> list[str]:
    """The lines of definitions.txt, without comments."""
    lines = (folder / "definitions.txt").read_text(encoding="utf-8").split("\n")
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def text(root: Path) -> str:
    """What proofs/expanded.txt must be."""
    shared = shared_definitions(root / "statements")
    statements = Library(root).statements.values()
    for one in statements:  # what a statement may use beyond the shared definitions would be lost here
        if len(one.known) != len(shared):
            raise SystemExit(f"{one.id}: a definition of its own is not supported; put it into definitions.txt")
    first = "\n".join(f"define: {line}" for line in shared)
    return "\n\n".join([HEAD + first, *(one.block for one in statements)]) + "\n"


def main(arguments: list[str]) -> int:
    """Write the file, or compare it."""
    root = Path(__file__).resolve().parent  # not the copy inside an installed package
    path = root / "expanded.txt"
    wanted = text(root)
    if arguments == ["--check"]:
        same = path.is_file() and path.read_text(encoding="utf-8") == wanted
        print("proofs/expanded.txt is up to date" if same else "proofs/expanded.txt is stale: run proofs/expand.py")
        return 0 if same else 1
    if arguments:
        print("usage: python proofs/expand.py [--check]", file=sys.stderr)
        return 2
    path.write_text(wanted, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
