"""Lookups (Cookbook, Section 5.3 and Table 5): codes in blocks, the layer-norm hash, quadratic maximization."""

from __future__ import annotations

from script import Script

from symcook.proof.search.tactics import Tactic

SCRIPTS: dict[str, Script | Tactic] = {}
