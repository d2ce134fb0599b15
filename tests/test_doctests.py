"""The examples in docstrings run as they read."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import symcook

MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(symcook.__path__, "symcook.")
    if not m.name.startswith("symcook._proofs") and not m.name.endswith("__main__")
)


def test_examples() -> None:
    """Every module can be imported; what fails is shown by doctest, which is slow to look through what has none."""
    modules = [importlib.import_module(name) for name in MODULES]
    found = {m.__name__: doctest.testmod(m) for m in modules if ">>>" in Path(str(m.__file__)).read_text("utf-8")}
    assert [name for name, result in found.items() if result.failed] == []
    assert sum(result.attempted for result in found.values()) >= 10  # against a search that finds nothing
