"""How operations grow: seconds and exponents by size, in this one process, beside a loop that tells the machine apart.

    python benchmarks/growth.py [--json FILE] [--only WORD]

Every size of an operation is run five times, in turn with a fixed loop of Python and numpy; shown are the median
seconds of the processor, and that median over the loop's, which a busy or slower machine moves little. The exponent is
the slope of log seconds by log size between the two greatest sizes. Versions are compared by the ratios to the loop.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import imported
import numpy as np

import symcook as sc
from symcook.export.guarantee import guarantee
from symcook.recipes import reference

RUNS = 5


def loop() -> int:
    """A fixed amount of work: Python integers, a dictionary, arrays."""
    total, seen = 0, dict[int, int]()
    for k in range(100_000):
        seen[k & 1023] = total = (total * 31 + k) & 0xFFFFFFFF
    numbers = np.arange(200_000, dtype=np.float64)
    for _ in range(10):
        numbers = np.sqrt(numbers * numbers + 1)
    return total + int(numbers[-1]) + len(seen)


def ran(recipe: str, letters: str, domain: Any) -> Callable[[int], Any]:
    model = sc.build(recipe)
    return lambda n: model.run(letters * (n // len(letters)), domain)


def automaton(states: int) -> Any:
    """Compile a counter of so many states, with a second letter that swaps two."""
    names = [f"q{k}" for k in range(states)]
    moves = {name: {"a": names[(k + 1) % states], "b": names[1 - k] if k < 2 else name} for k, name in enumerate(names)}
    table = {"states": names, "input_symbols": ["a", "b"], "transitions": moves, "initial_state": "q0"}
    return sc.compile("dfa", json.dumps({**table, "final_states": ["q0"]}))


def imported_margins() -> Callable[[int], Any]:
    """The margins of so many strings in a GPT of 85,344 weights with learned positions."""
    model, words = imported.model(imported.state()), imported.strings(20)
    return lambda n: model.margin(imported.POSITIONS, inputs=words[:n], positions="last")


def operations() -> dict[str, tuple[Callable[[int], Any], Sequence[int]]]:
    """By name, each with its sizes."""
    dyck, parity, nested = sc.build("dyck-1"), sc.build("parity"), reference("dyck-1")
    nested_kinds = sc.build("dyck-k-d").bind()
    return {
        "run dyck-1, exact": (ran("dyck-1", "()", "exact"), (400, 800, 1600)),
        "run dyck-1, float64": (ran("dyck-1", "()", "float64"), (4000, 8000, 16000)),
        "check dyck-1, merged": (lambda n: dyck.check(nested, max_length=n), (50, 100, 200)),
        "margin dyck-1": (lambda n: dyck.margin(n), (25, 50, 100)),
        "margin parity": (lambda n: parity.margin(n), (10, 20, 40)),
        "tolerance dyck-1": (lambda n: dyck.tolerance("L1.head1.V[1,1]", n), (10, 20, 40)),
        "tolerance parity": (lambda n: parity.tolerance("L1.head1.V[1,1]", n, min_length=n), (25, 50, 100)),
        "precision dyck-1": (lambda n: dyck.precision(n, formats=()), (8, 16, 32)),
        "precision parity": (lambda n: parity.precision(n, min_length=n, formats=()), (25, 50, 100)),
        "certificate dyck-k-d": (lambda n: guarantee(nested_kinds, "float64", n), (4, 8, 16)),
        "hardsoft dyck-1": (lambda n: dyck.hardsoft("1/4", max_length=n), (25, 50, 100)),
        "sensitivity parity": (lambda n: sc.bound("sensitivity", model="parity", n=n), (10, 20, 40)),
        "compile an automaton": (automaton, (10, 20, 40)),
        "margins of an imported GPT, strings": (imported_margins(), (5, 10, 20)),
    }


def measured(what: str, run: Callable[[int], Any], sizes: Sequence[int]) -> dict[str, Any]:
    """The medians of all sizes, of which one run each is left out, since it imports and fills tables."""
    run(sizes[0])
    seconds, loops = {n: list[float]() for n in sizes}, list[float]()
    for _ in range(RUNS):
        for n in sizes:
            for work, times in ((loop, loops), (lambda n=n: run(n), seconds[n])):
                start = time.thread_time()
                work()
                times.append(time.thread_time() - start)
    found = {n: median(times) for n, times in seconds.items()}
    last, before = sizes[-1], sizes[-2]
    slope = math.log(found[last] / found[before]) / math.log(last / before)
    loops_each = {str(n): found[n] / median(loops) for n in sizes}
    return {"what": what, "seconds": {str(n): found[n] for n in sizes}, "loops": loops_each, "exponent": slope}


def shown(row: dict[str, Any]) -> str:
    sizes = (f"{n}: {seconds:.3f} s ({row['loops'][n]:.1f})" for n, seconds in row["seconds"].items())
    return f"{row['what']:24} n^{row['exponent']:.1f}  " + ", ".join(sizes)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How operations grow: seconds, times the fixed loop, exponents.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table there too")
    parser.add_argument("--only", default="", metavar="WORD", help="the operations whose names have this in them")
    options = parser.parse_args(arguments)
    if options.json is not None and not options.json.parent.is_dir():
        parser.error(f"the directory {options.json.parent} must exist")
    rows = []
    for what, operation in operations().items():
        if options.only in what:
            rows.append(measured(what, *operation))
            print(shown(rows[-1]), flush=True)
    if options.json is not None:
        document = {"symcook": sc.__version__, "python": platform.python_version(), "processor": platform.machine()}
        options.json.write_text(json.dumps({**document, "rows": rows}, indent=2) + "\n", encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
