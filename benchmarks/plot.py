"""The ratios of several versions as one picture: what got faster, what got slower.

    python benchmarks/run.py --json 0.1.0.json          in a checkout of each version
    python benchmarks/plot.py 0.1.0.json 0.2.0.json -o ratios.svg

A curve a line of the benchmarks, over the versions in the order given, on a logarithmic axis: how many times faster our side is than its partner
(naive sympy, mpmath, dense numpy, torch, tracr), or a tenth where it takes ten times as long. Needs matplotlib (`pip install 'symcook[plots]'`).
"""  # noqa: E501

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path


def curves(records: Sequence[dict]) -> dict[str, list[float | None]]:
    """For each line its speed beside its partner's in each record; None where a record does not have it."""
    found: dict[str, list[float | None]] = {}
    for place, record in enumerate(records):
        for row in record["rows"]:
            if "missing" in row:
                continue
            curve = found.setdefault(f"{row['part']}: {row['what']}", [None] * len(records))
            curve[place] = row["other"] / row["seconds"]
    return found


def named(record: dict, path: Path) -> str:
    """The version of a record; the file's name where it was written before there was one."""
    return record.get("symcook", path.stem)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Draw the ratios of several versions.")
    parser.add_argument("records", type=Path, nargs="+", help="what run.py --json wrote, a file a version")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.svg|png|pdf")
    options = parser.parse_args(arguments)
    records = []
    for path in options.records:
        try:
            records.append(json.loads(path.read_text(encoding="utf-8")))
            curves(records[-1:])
        except (OSError, ValueError, KeyError, TypeError) as error:
            parser.error(f"a record must be a file of run.py --json; given: {path} ({type(error).__name__})")
    if options.output.suffix not in (".svg", ".png", ".pdf") or not options.output.parent.is_dir():
        parser.error(f"the picture must be a .svg, .png or .pdf in a folder that is there; given: {options.output}")
    try:
        import matplotlib
    except ImportError:
        parser.error("matplotlib must be installed to draw: pip install 'symcook[plots]'")
    matplotlib.use("svg" if options.output.suffix == ".svg" else "agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(11, 7), layout="constrained")
    for what, values in sorted(curves(records).items()):
        axes.plot(range(len(values)), [float("nan") if v is None else v for v in values], marker="o", label=what[:80])
    axes.set_yscale("log")
    axes.axhline(1, color="0.5", linewidth=0.8)
    axes.set_xticks(range(len(records)), [named(*pair) for pair in zip(records, options.records, strict=True)])
    axes.set_ylabel("how many times faster than its partner")
    figure.legend(loc="outside right center", fontsize=6)
    figure.savefig(options.output)
    plt.close(figure)
    print(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
