"""The examples in docstrings run as they read."""

import doctest
import importlib
import pkgutil

import symcook

MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(symcook.__path__, "symcook.")
    if not m.name.startswith("symcook._proofs") and not m.name.endswith("__main__")
)


def test_examples() -> None:
    """What fails is shown by doctest."""
    assert [name for name in MODULES if doctest.testmod(importlib.import_module(name)).failed] == []


def test_some_examples_exist() -> None:
    """Guards against a search that finds nothing."""
    finder = doctest.DocTestFinder()
    found = [t for name in MODULES for t in finder.find(importlib.import_module(name)) if t.examples]
    assert len(found) >= 10
