"""Claims of merrill2024: the layer-norm hash, the tie-breaking term, lookups by saturated attention."""

from __future__ import annotations

from script import Script

from symcook.proof.search.tactics import Tactic

# --- Definition 6 and its closed form ---------------------------------------------------------------------------------


# --- Claims: layer norm, Definitions 6 and 7, Lemmas 9 and 10 ---------------------------------------------------------


# --- Claims: reading a tape from the rightmost match ------------------------------------------------------------------


# Positions 1000, 1001, ..., 1001, 1000: the early match loses more by the tie-breaking term than it gains.


# --- Claims: reading the input tape -----------------------------------------------------------------------------------


# A head that goes left from 0 to -3 and comes back: it meets -2 twice, outside of the input.


# --- Claims: Theorems 1 and 2, step by step ---------------------------------------------------------------------------


# --- Proposition 1 ----------------------------------------------------------------------------------------------------


SCRIPTS: dict[str, Script | Tactic] = {}
