"""Where things lie in a checkout, for tests that read them."""

import ast
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent


@cache
def parsed(source: str) -> ast.Module:
    """The tree of a module, made once for all tests that read the package. None of them changes it."""
    return ast.parse(source)
