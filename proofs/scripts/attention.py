"""Claims about attention (Cookbook, Section 5): averages, the first position, lookups, softmax against hardmax."""

from __future__ import annotations

from script import Script

SCRIPTS: dict[str, Script] = {}
