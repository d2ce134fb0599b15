"""Recipes in every format, and a table of what is guaranteed.

    python examples/pack.py FOLDER [--table FILE.md]

FOLDER/<format>/<model>-<length>-<dtype> has the weights and the certificate: of some recognisers in two sizes, and of
the recipes on numbers whose symbols all have defaults in one, with their default arguments. A format whose package is
missing is left out, and a model that a format cannot express, and said so. The table has for each recogniser and type
the lengths at which every decision is guaranteed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import symcook as sc
from symcook.export.files import FORMATS
from symcook.export.guarantee import guarantee
from symcook.recipes import info, names

MODELS = {
    "dyck-1": (16, 256),
    "dyck-1-nonuniform": (8, 16),
    "parity": (8, 24),
    "first": (16, 64),
    "first-flawed": (6, 31),
    "first-layernorm": (6, 31),
    "parity-layernorm": (6, 31),
}
"""The recognisers, each with a small and a large greatest length."""
ROWS = 4
"""The greatest length of models that read rows of numbers."""
DTYPES = ("float64", "float32", "float16", "bfloat16")


def main() -> None:
    parser = argparse.ArgumentParser(description="recipes in every format, with a table of guarantees")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", type=Path)
    given = parser.parse_args()
    for kind, format in FORMATS.items():
        if format.needs is not None and find_spec(format.needs) is None:
            print(f"{kind} is left out: pip install 'symcook[{format.needs.replace('_', '')}]'", file=sys.stderr)
            continue
        (given.folder / kind).mkdir(parents=True, exist_ok=True)
        for name, lengths in MODELS.items():
            for length in lengths:
                write(sc.build(name), given.folder / kind / f"{name}-{length}-float32{format.ending}", kind, length)
        for name, model in on_numbers():
            length = None if model.pointwise else ROWS
            write(model, given.folder / kind / f"{name}-float32{format.ending}", kind, length)
    if given.table is not None:
        given.table.write_text(table(), encoding="utf-8", newline="\n")


def write(model: sc.Transformer, target: Path, kind: Any, length: int | None) -> None:
    """One export; a model that the format cannot express is left out, and said so."""
    print(target, file=sys.stderr, flush=True)
    try:
        model.export(target, format=kind, dtype="float32", max_length=length, force=True)
    except sc.BadInput as error:
        print(f"  left out: {error}", file=sys.stderr)


def on_numbers() -> Iterator[tuple[str, sc.Transformer]]:
    """The recipes that read numbers and can be built by their names alone, all symbols set."""
    for name in names():
        if any(argument.default is None for argument in info(name).arguments):
            continue
        model = sc.build(name)
        if not model.alphabet and all(p.default is not None for p in model.parameters):
            yield name, model


def _ranges(found: list[list[int]], added: int) -> str:
    typed = [(low - added, high - added) for low, high in found]
    return ", ".join(f"{low}-{high}" if low < high else str(low) for low, high in typed) or "none"


def table() -> str:
    """The guarantees as a page."""
    lines = [
        "# Guarantees\n",
        "Made by `python examples/pack.py FOLDER --table docs/reference/guarantees.md`; do not edit. The lengths",
        "at which every decision is guaranteed in any runtime of the floating-point error model",
        "([exports.md](../guides/exports.md)) that divides behind",
        "the sums of attention, and after a stroke, where these are others, in one that divides weights first.",
        "They count typed symbols. The last column is of the first order.\n",
        f"| model | to length | {' | '.join(DTYPES)} | the first word that is not certain, and in which type |",
        "| --- " * (len(DTYPES) + 3) + "|",
    ]
    for name, (_, length) in MODELS.items():
        cells, ends, model = [], "", sc.build(name).bind()
        added = model.embedding.added
        for dtype in DTYPES:
            print(f"{name} {dtype}", file=sys.stderr, flush=True)
            found = guarantee(model, dtype, length + added)
            orders = dict.fromkeys(_ranges(part["ranges"], added) for part in (found, found["divided_first"]))
            cells.append(" / ".join(orders))
            if found["open"] and not ends:
                first = found["open"][0]
                ends = f"{dtype}: {first['input'] or 'the empty word'}, {found['why']}"
        lines.append(f"| {name} | {length} | {' | '.join(cells)} | {ends or 'nowhere to there'} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
