"""The list of recipes, made when symcook is built, and a wheel compressed as far as deflate goes."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIST = "import sys; sys.path.insert(0, sys.argv[1]); from symcook.cli.listing import store; store()"


class Build(BuildHookInterface):
    """What stands in the wheel beside the files of the checkout, and how it is packed."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """What `symcook list` prints, from the recipes. It is no file of the checkout, since each recipe changes it."""
        subprocess.run([sys.executable, "-I", "-S", "-c", LIST, self.root], check=True)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """What hatchling wrote at zlib's usual level, entry by entry at the highest one."""
        if not artifact_path.endswith(".whl"):
            return
        made, smaller = Path(artifact_path), Path(artifact_path).with_suffix(".smaller")
        with zipfile.ZipFile(made) as old, zipfile.ZipFile(smaller, "w") as new:
            for entry in old.infolist():
                new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED, compresslevel=9)
        smaller.replace(made)
