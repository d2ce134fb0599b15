"""Feed-forward layers, Boolean representations, layer norm and assembly (Cookbook, Sections 3, 4, 6 and 8)."""

from __future__ import annotations

from script import Script

SCRIPTS: dict[str, Script] = {}

# --- Lemmas -----------------------------------------------------------------------------------------------------------


# --- Boolean functions, conditionals ----------------------------------------------------------------------------------


# --- Residual connections ---------------------------------------------------------------------------------------------


# --- Section 6 --------------------------------------------------------------------------------------------------------


# --- Section 8: routing -----------------------------------------------------------------------------------------------


# --- Section 8.3: two transformers side by side -----------------------------------------------------------------------


THREE_INDEX, TWO_INDEX = "l p q. 0", "l p. 0"
