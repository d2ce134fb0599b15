"""The wheel, compressed as far as deflate goes: certificates are half of it."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Smallest(BuildHookInterface):
    """What hatchling wrote at zlib's usual level, entry by entry at the highest one."""

    PLUGIN_NAME = "custom"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        made, smaller = Path(artifact_path), Path(artifact_path).with_suffix(".smaller")
        with zipfile.ZipFile(made) as old, zipfile.ZipFile(smaller, "w") as new:
            for entry in old.infolist():
                new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED, compresslevel=9)
        smaller.replace(made)
