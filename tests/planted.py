"""What each layer of tests notices of planted changes: `python tests/planted.py [--count K] [--seed S] [--only AREA]`.

K changes of each area are drawn by the seed (the hash of the commit, where none is given) from the operators of
`tests/mutants.py`. For each the tests of the changed package run, then the others that `tests/affected.py` names: layer
one first, and the sweeps where that notices nothing. A line a change says which test noticed it; changes that
`mutants_accepted.json` excuses are not drawn. Whether what nobody notices makes a difference, a person has to say.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path

import affected
import mutants
from checkout import ROOT

AREAS = {
    "kernel": ["proof/kernel.py", "proof/terms.py", "proof/normal.py", "proof/runrel.py", "proof/definitions.py"],
    "domains": ["domains/*", "numbers/*"],
    "provers": ["proof/*/*"],
    "compilers": ["compilers/*", "export/*"],
    "questions": ["questions/*", "bounds/*"],
}
LAYERS = {"layer one": "not slow and not sweep", "sweeps": "sweep and not slow"}


def noticed(tree: Path, files: list[str], marks: str, processes: int) -> str:
    """The first test that fails; empty where none does."""
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=no", "-rfE", "-n", str(processes), "-m", marks, *files]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    said = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return said[0] if said else "" if done.returncode in (0, 5) else f"exit {done.returncode}"


def tried(tree: Path, change: mutants.Change, processes: int) -> str:
    """Which layer notices a change that is put into a copy of the tree, and by which test."""
    target = tree / "symcook" / change.module
    source = target.read_bytes()
    own = f"tests/{change.module.split('/')[0]}/"
    files = affected.tests_of([f"symcook/{change.module}"], affected.read(), affected.below())
    parts = [[path for path in files if path.startswith(own)], [path for path in files if not path.startswith(own)]]
    target.write_bytes(mutants.changed(source, change) or source)
    try:
        for layer, marks in LAYERS.items():
            for part in filter(None, parts):
                if test := noticed(tree, part, marks, processes):
                    return f"{layer}: {test}"
    finally:
        target.write_bytes(source)
    return "nothing"


def main() -> int:
    parser = argparse.ArgumentParser(description="What each layer notices of planted changes.")
    parser.add_argument("--count", type=int, default=8, help="changes of each area (8)")
    parser.add_argument("--seed", type=int, help="their order (the hash of the commit)")
    parser.add_argument("--only", choices=AREAS, nargs="+", default=[*AREAS], help="areas (all)")
    parser.add_argument("--processes", type=int, default=2, help="at once (2)")
    options = parser.parse_args()
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    seed = int(head, 16) if options.seed is None else options.seed
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=partial(mutants.left_out, ROOT), symlinks=True)
        for area in options.only:
            drawn = (one for one in mutants.choose(AREAS[area], seed, 10 * options.count))
            reasons = mutants.accepted()
            kept = [one for one in drawn if mutants.reason(one, reasons) is None][: options.count]
            for change in kept:
                result = tried(tree, change, options.processes)
                counts[result.partition(":")[0]] += 1
                print(f"{area}  {change}\n    {result}", flush=True)
    print(f"seed {seed}: " + ", ".join(f"{many} by {layer}" for layer, many in counts.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
