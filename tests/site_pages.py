"""The generators of the site's pages, which lie beside the pages and not in the package."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from unittest import mock

import pytest
from checkout import ROOT

drawn = pytest.mark.tools("jinja2", "latex2mathml", "sphinx")
"""For a test of a generator that needs the extra `docs`: those of the ledger, of formulas, and the extension."""


def load(name: str) -> ModuleType:
    """docs/pages/NAME.py."""
    with mock.patch.object(sys, "path", [str(ROOT / "docs"), str(ROOT / "proofs"), *sys.path]):
        return importlib.import_module(f"pages.{name}")
