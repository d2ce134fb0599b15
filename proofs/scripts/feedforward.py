"""Claims about feed-forward recipes (Cookbook, Sections 3, 4 and 6.4): proofs by cases of every relu."""

from __future__ import annotations

from script import Script

# --- Vectors: sums in which I[k = i] selects one term ---------------------------------------------------------------


# --- Boolean functions: a(i) + x(i) - 2 a(i) x(i) is 0 where the bits agree and 1 where they differ -----------------


SCRIPTS: dict[str, Script] = {}
