"""What a shell waits for before the quick commands answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

from timing import Row, best, longer, same


def call(*arguments: str) -> Callable[[], int]:
    quiet = subprocess.DEVNULL
    return lambda: subprocess.run([sys.executable, *arguments], check=False, stdout=quiet, stderr=quiet).returncode


COMMANDS = {"--help": 5, "list": 5, "run dyck-1 --input (())": 25, "prove cookbook.t3.dyck1": 30}
"""How many times as long as Python alone each may take."""


def rows() -> Iterator[Row]:
    for command, wanted in COMMANDS.items():
        what = f"symcook {command}, against python -c pass"
        ours, floor, code, _ = best(call("-m", "symcook", *command.split()), call("-c", "pass"), 9)
        same(code == 0, what)
        yield longer(what, ours, floor, wanted)
