"""Claims about Dyck-1 (Cookbook, Section 9.2.1), from the run relation of the stored models, for all lengths."""

from __future__ import annotations

from script import Script

# --- The least nonzero values ---------------------------------------------------------------------------------------


# --- The network with a tolerance -----------------------------------------------------------------------------------


SCRIPTS: dict[str, Script] = {}
