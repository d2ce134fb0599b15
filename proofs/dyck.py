from __future__ import annotations
from script import Script
SCRIPTS: dict[str, Script] = {}
