"""Where things lie in a checkout, for tests that read them; and which tests have their turn."""

import ast
from collections.abc import Mapping
from functools import cache
from math import ceil
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
RECORD = TESTS / "every_case.json"  # of the last run of every case, written by tests/every_case.py


@cache
def parsed(source: str) -> ast.Module:
    """The tree of a module, made once for all tests that read the package. None of them changes it."""
    return ast.parse(source)


def dealt(seconds: Mapping[str, float], room: float, turn: int) -> set[str]:
    """Which of these have their turn, so that one takes about `room` seconds: each in one of as many turns as that
    takes. The longest are dealt out first, so that no turn has many of them."""
    turns = max(1, ceil(sum(seconds.values()) / room))
    return {*sorted(seconds, key=lambda name: (-seconds[name], name))[turn % turns :: turns]}


def of_folder(path: str) -> str:
    """The folder of tests that a file of the project, or a test of that name, belongs to; "" for the files of none."""
    top, *rest = path.partition("::")[0].split("/")
    if top == "proofs":
        return "coq" if rest[0] in ("coq", "coq.py") else "proof"
    return rest[0] if top in ("symcook", "tests") and len(rest) > 1 else ""
