"""The examples in docstrings run as they read."""

import doctest
import importlib
import pkgutil

import pytest

import symcook

MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(symcook.__path__, "symcook.")
    if not m.name.startswith("symcook._proofs") and not m.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_some_examples_exist() -> None:
    """Guards against a search that finds nothing."""
    finder = doctest.DocTestFinder()
    found = [t for name in MODULES for t in finder.find(importlib.import_module(name)) if t.examples]
    assert len(found) >= 10
