"""How many modules of symcook a command enters: those in which it calls a function, imports not counted.

    python benchmarks/modules.py [COMMAND ...]

Without a COMMAND it takes one `run`, `prove` and `export`. Each runs in a process of its own. What is
called while a module is loaded does not count, nor do the bodies of modules and classes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence

COMMANDS = (
    ("run", "dyck-1", "--input", "(())"),
    ("prove", "cookbook.s5.7.lemma5.3"),
    ("export", "dyck-1-nonuniform", "--set", "N=4", "-o", "dyck-1.npz"),
)

TRACE = """
import inspect, sys
entered, loading = set(), 0

def called(frame, event, given):
    global loading
    code = frame.f_code
    if code.co_name == "<module>" and event in ("call", "return"):
        loading += 1 if event == "call" else -1
    name = frame.f_globals.get("__name__", "")
    if event == "call" and not loading and code.co_flags & inspect.CO_OPTIMIZED and name.split(".")[0] == "symcook":
        entered.add(name)

from symcook.__main__ import main
sys.setprofile(called)
code = main(sys.argv[1:])
sys.setprofile(None)
print(code, *sorted(entered), file=sys.stderr)
"""


def entered(command: Sequence[str]) -> list[str]:
    """The modules that a command enters; RuntimeError where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        call = [sys.executable, "-c", TRACE, *command]
        done = subprocess.run(call, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    code, *modules = done.stderr.splitlines()[-1].split()
    if code != "0":
        raise RuntimeError(f"{' '.join(command)} must succeed: {done.stderr}")
    return modules


def main(arguments: Sequence[str]) -> int:
    for command in (arguments,) if arguments else COMMANDS:
        modules = entered(command)
        print(f"{len(modules):4} {' '.join(command)}")
        print("     " + " ".join(name.removeprefix("symcook.") for name in modules))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
