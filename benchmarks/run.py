"""Speed as ratios: both sides of each line run in turn in this one process, so that the machine cancels out.

    python benchmarks/run.py [--json FILE]
        [--only starts|sweeps|merging|lengths|derivations|attention|bounds|exports|imported|machines|others]

Prints a table and with --json writes it as well. Every line is the best of a few runs of each side; a side that gives
another answer than its partner stops the run, but for integers beyond 53 bits, where floats round. Nothing here is a
test with a time limit; a line says whether its ratio is the wanted one, where one is wanted.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from timing import Row

import symcook

PARTS = (
    "starts", "sweeps", "merging", "lengths", "derivations", "attention", "bounds", "exports", "imported", "machines",
    "others",
)  # fmt: skip


def shown(row: Row) -> str:
    """A row as one line of text."""
    if "missing" in row:
        return f"--- {row['what']}"
    mark = {True: "ok ", False: "NOT", None: "   "}[row["met"]]
    bound = ""
    if row["wanted"] is not None:
        bound = f" ({'at least' if row['ratio_is'] == 'faster' else 'at most'} {row['wanted']:g})"
    peaks = (f", {key.replace('_', ' ')} {row[key]:.1f}" for key in ("peak_mib", "other_peak_mib") if key in row)
    memory = "".join(peaks)
    limit = f", at most {row['limit']:g} s" if "limit" in row else ""
    seconds = f"{row['seconds']:.4g} s{limit}, {row['other']:.4g} s{memory}"
    return f"{mark} {row['ratio']:9.2f}x {row['ratio_is']}{bound}  {row['what']} ({seconds})"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure both sides of every line and print their ratio.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there too")
    parser.add_argument("--only", choices=PARTS, help="one part of the table")
    options = parser.parse_args(arguments)
    if options.json is not None and not options.json.parent.is_dir():
        parser.error(f"the directory {options.json.parent} must exist")
    lines: list[Row] = []
    for part in PARTS if options.only is None else (options.only,):
        for row in importlib.import_module(part).rows():
            lines.append({"part": part, **row})
            print(shown(row), flush=True)
    if options.json is not None:
        document = {"symcook": symcook.__version__, "python": platform.python_version()}
        document |= {"processor": platform.machine(), "rows": lines}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
