"""How both sides of a line are timed: in turn, in this one process, the best of a few runs each."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]


def best(
    first: Callable[[], Any], second: Callable[[], Any], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, float, Any, Any]:
    """Least seconds of both, run in turn, and their last results. With `time.thread_time` as the clock, for sides that
    keep to this thread, what other programs take of a busy machine does not count."""
    times: list[list[float]] = [[], []]
    results: list[Any] = [None, None]
    gc.collect()
    gc.disable()  # as timeit does: a collection belongs to whatever has been allocated before
    try:
        for _ in range(repeats):
            for side, run in enumerate((first, second)):
                start = clock()
                results[side] = run()
                times[side].append(clock() - start)
    finally:
        gc.enable()
    return min(times[0]), min(times[1]), *results


def peak(run: Callable[[], Any]) -> float:
    """The most MiB held at once while `run` runs, as far as Python and numpy allocate them."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def faster(what: str, ours: float, theirs: float, wanted: float | None, **more: Any) -> Row:
    """A line that says how many times faster the first side is, where at least `wanted` is asked (None: nothing is)."""
    met = None if wanted is None else theirs / ours >= wanted
    return _row(what, ours, theirs, theirs / ours, "faster", wanted, met, more)


def longer(what: str, ours: float, theirs: float, wanted: float | None, **more: Any) -> Row:
    """A line that says how many times longer the first side takes, where at most `wanted` is asked (None: nothing)."""
    met = None if wanted is None else ours / theirs <= wanted
    return _row(what, ours, theirs, ours / theirs, "longer", wanted, met, more)


def _row(
    what: str,
    ours: float,
    theirs: float,
    ratio: float,
    word: str,
    wanted: float | None,
    met: bool | None,
    more: dict[str, Any],
) -> Row:
    if "limit" in more:  # seconds of the processor that are wanted
        met = ours <= more["limit"]
    row = {"what": what, "seconds": ours, "other": theirs, "ratio": ratio, "ratio_is": word}
    return row | {"wanted": wanted, "met": met} | more


def absent(name: str, install: str) -> Row:
    """A line for a partner that is not installed here, which has no numbers."""
    return {"what": f"{name} is not installed, so nothing is measured beside it ({install})", "missing": name}


def same(agree: bool, what: str) -> None:
    """Stop where the two sides have different answers."""
    if not agree:
        raise SystemExit(f"{what}: the two sides disagree; no ratio of them means anything")
