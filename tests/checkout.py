"""Where things lie in a checkout, for tests that read them; and which cases of the long families have their turn."""

import ast
from functools import cache
from hashlib import sha256
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
RECORD = TESTS / "every_case.json"  # of the last run of every case, written by tests/every_case.py


@cache
def parsed(source: str) -> ast.Module:
    """The tree of a module, made once for all tests that read the package. None of them changes it."""
    return ast.parse(source)


def in_sample(family: str, number: int, count: int, turn: int) -> bool:
    """Whether the case of that number in a family is among the one in `count` whose turn it is.

    They follow each other, so that each turn has its share; families begin at different turns.
    """
    return (int(sha256(family.encode()).hexdigest()[:8], 16) + number + turn) % count == 0


def of_folder(path: str) -> str:
    """The folder of tests that a file of the project, or a test of that name, belongs to; "" for the files of none."""
    top, *rest = path.partition("::")[0].split("/")
    if top == "proofs":
        return "coq" if rest[0] in ("coq", "coq.py") else "proof"
    return rest[0] if top in ("symcook", "tests") and len(rest) > 1 else ""
