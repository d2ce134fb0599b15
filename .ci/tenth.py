"""A plugin of pytest: a tenth of the tests, drawn by their names, the same on each machine.

PYTHONPATH=.ci pytest -p tenth runs the tenth 0, and SYMCOOK_TENTH=3 before it the tenth 3.
"""

from __future__ import annotations

import os
import zlib
from typing import Any


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    number = int(os.environ.get("SYMCOOK_TENTH", "0"))
    drawn = [item for item in items if zlib.crc32(item.nodeid.encode()) % 10 == number]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(drawn)])
    items[:] = drawn
