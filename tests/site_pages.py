"""The generators of the site's pages, which lie beside the pages and not in the package."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from unittest import mock

import pytest
from checkout import ROOT

NEEDS = {"ledger": ("jinja2", "latex2mathml"), "mathematics": ("latex2mathml",), "extension": ("jinja2", "sphinx")}


def load(name: str) -> ModuleType:
    """docs/pages/NAME.py; the test is skipped where the extra `docs` is not installed."""
    for needed in NEEDS.get(name, ()):
        pytest.importorskip(needed, reason="needs the extra docs")
    with mock.patch.object(sys, "path", [str(ROOT / "docs"), str(ROOT / "proofs"), *sys.path]):
        return importlib.import_module(f"pages.{name}")
