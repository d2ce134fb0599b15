"""The lowest version of each dependency that pyproject.toml allows, as constraints for pip.

    python .ci/lowest.py > lowest.txt && pip install -c lowest.txt .
"""

from __future__ import annotations

import re
import sys
import tomllib

from package import ROOT


def lowest(requirements: list[str]) -> list[str]:
    """`numpy==1.26` of "numpy>=1.26". SystemExit where a requirement has no lowest version."""
    found = []
    for requirement in requirements:
        parts = re.fullmatch(r"([\w-]+)(?:\[[\w,-]+\])?>=([\d.]+)(?:,<[\d.]+)?", requirement)
        if parts is None:
            raise SystemExit(f"a dependency must be written NAME>=VERSION; given: {requirement}")
        found.append(f"{parts[1]}=={parts[2]}")
    return found


if __name__ == "__main__":
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    sys.stdout.write("\n".join(lowest(project["dependencies"])) + "\n")
