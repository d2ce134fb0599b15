"""GELU (Cookbook, Section 4.6): both forms, their remainder, products by three units, ReLU as a limit."""

from __future__ import annotations

from script import Script

SCRIPTS: dict[str, Script] = {}


# --- The remainders --------------------------------------------------------------------------------------------------


# --- Products --------------------------------------------------------------------------------------------------------


# --- Products, nearly with the least constant ------------------------------------------------------------------------


# --- Lagrange's form: bounded Lipschitz functions on [0, 1] ----------------------------------------------------------
