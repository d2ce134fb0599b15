"""Which layer a test is of, in which order tests run, what processor time they take, and verdicts that a session
shares: it replays the stored certificates once (see proof/stored.py)."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.expression import Expression

import symcook

FOLDER = "SYMCOOK_VERDICTS"
FAILED = os.environ.pop("SYMCOOK_FAILED", None)
"""The file for the names of the tests that failed, one a line; None in a worker, and where nobody asked."""
LAYER_ONE = "not slow and not sweep"  # as in pyproject.toml
BEGIN = {"coq": 0, "proof": 1, "attacks": 2, "report": 3, "cli": 4}  # the file that takes longest, and those on proofs


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(100_000, 20, 50)  # as the command line sets it, from the first test on
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; what tests start would ignore it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.markexpr == LAYER_ONE and any("::" in one for one in config.args):
        config.option.markexpr = ""  # who names a test means it, of whichever layer it is
    if FOLDER not in os.environ:  # neither a worker nor a run of CI
        made = tempfile.TemporaryDirectory(prefix="symcook-verdicts-")
        os.environ[FOLDER] = made.name
        config.add_cleanup(made.cleanup)
        config.add_cleanup(lambda: os.environ.pop(FOLDER, None))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of sweeps (`sweep_*.py`) is read only by a run that asks for sweeps, or for the campaign `cases`."""
    asked = Expression.compile(config.option.markexpr or "sweep")
    wanted = asked.evaluate(lambda name, **_: name in ("sweep", "campaign"))
    return True if collection_path.name.startswith("sweep_") and not wanted else None


class Backwards(pytest.Dir):
    """A folder whose last file is read first."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        return reversed([*super().collect()])


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Each second worker reads the tests from the end, so that it does not compile what its neighbour compiles too."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    return Backwards.from_parent(parent, path=path) if int(worker[2:]) % 2 else None


def pytest_collection_finish() -> None:
    collected[0] = held()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With -n a file goes to one process, as `--dist loadfile` has it: what its tests share is made once.

    Files go in the order of `BEGIN`: xdist would begin with those of most tests, and some of the longest have few.
    """
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            """What Coq's tests share takes some seconds, so that all their files go to one process."""
            return "coq" if "tests/coq/" in nodeid else super()._split_scope(nodeid)

    config.option.loadscopereorder = False
    return Files(config, log) if config.getoption("dist") == "load" else None


def chosen(case: int, *numbers: int, every: int = 0) -> bool:
    """Whether the mark `layer_two` names the case: by its number, or as each so many-th from 0 on."""
    return case in numbers or (every > 0 and case % every == 0)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sweeps are the tests of a file of sweeps, and the cases of a test that `layer_one` does not name. Where the mark
    `layer_two` names some of these, or each so many-th, the others are of the campaign `cases`, and no sweeps."""
    before: Counter[str] = Counter()
    taken: list[pytest.Item] = []
    left: list[pytest.Item] = []
    asked = config.option.markexpr
    for item in items:
        test = item.nodeid.partition("[")[0]
        kept, more = map(item.get_closest_marker, ("layer_one", "layer_two"))
        first = not kept or before[test] in kept.args
        if item.path.name.startswith("sweep_") or not first:
            item.add_marker(pytest.mark.sweep)
        if more and not chosen(before[test], *more.args, **more.kwargs) and not (kept and first):
            item.add_marker(pytest.mark.campaign)
        not_here = item.get_closest_marker("campaign") and asked and "campaign" not in asked
        (left if not_here else taken).append(item)
        before[test] += 1
    if left:
        config.hook.pytest_deselected(items=left)
    items[:] = sorted(taken, key=lambda item: (BEGIN.get(item.path.parent.name, len(BEGIN)), item.path))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """What the README's command does not install is missed in words."""
    for mark in item.iter_markers("tools"):
        for name in mark.args:
            if find_spec(name) is None:
                pytest.skip(f"{name} is not installed: pip install '.[dev]'")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """From here on the time is that of the test, and no more that of its fixtures."""
    item.stash[CALLED] = processor_time()
    return (yield)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """After a file its own caches go. Caches that the file imports stay, as other files use them, until the process has
    grown by `GROWN`; then they and those of symcook go too, with all garbage. No later collection looks at what is
    left: a collection of a large process takes as long as a hundred tests."""
    for child in multiprocessing.active_children():  # else this test would be charged for what an earlier one started
        child.join(5)
    item.stash[SPENT] = processor_time()
    yield
    if nextitem is None or nextitem.path != item.path:
        modules = [item.getparent(pytest.Module).obj]  # type: ignore[union-attr]
        grown = held() > collected[0] + GROWN
        if grown:
            modules = [one for one in [*sys.modules.values()] if str(getattr(one, "__file__", "")).startswith(OWN)]
        for cached in (one for module in modules for one in caches(module)):
            cached.cache_clear()
        if grown:
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            collected[0] = held()


CACHE = type(cache(int))
OWN = tuple(f"{Path(file).parent}{os.sep}" for file in (__file__, symcook.__file__))
GROWN = 150
"""By how many MB a process may grow before all caches go."""
collected = [0]
"""How many MB the process held after its last collection; at first, what it holds when the tests are read."""


def held() -> int:
    """How many MB this process holds; 0 where that is not known."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() >> 20
    except OSError:
        return 0


def caches(module: Any) -> Iterator[Any]:
    """The caches that a module makes: its functions. A cache inside an object may be of an iterator, which cannot be
    read again."""
    for value in [*vars(module).values()]:
        if isinstance(value, CACHE) and value.__module__ == module.__name__:
            yield value


SPENT, CALLED = pytest.StashKey[float](), pytest.StashKey[float]()
"""The processor time before a test's fixtures, and before the test."""
LISTED, MOST = 1, 10
"""Seconds of processor time: a test that takes more is listed; or fails, where it is of layer one. What a fixture
takes is not counted for the second: other tests use it too."""
QUIET = 0.015
"""The processor time of `pace`'s sum in seconds on a core of the machine for which MOST was chosen, with nothing
beside it."""


def pace() -> float:
    """How many times as long this machine takes now as the one for which MOST was chosen; at least 1."""
    taken = []
    for _ in range(5):
        before = time.process_time()
        sum(number * number % 7 for number in range(200_000))
        taken.append(time.process_time() - before)
    return max(1.0, min(taken) / QUIET)


spent: dict[str, float] = {}
"""By test, in the process that prints."""
memory = [0]
"""The most that each worker held, in MB."""


def processor_time() -> float:
    """Of this process and of what it has started and waited for."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """What a test has taken goes with its report to the process that prints."""
    report: Any = yield
    if call.when == "setup":
        return report
    taken = processor_time() - item.stash[SPENT]
    layers = map(item.get_closest_marker, ("sweep", "slow", "campaign", "tools"))
    dear = call.when == "call" and report.passed and not any(layers)
    own = processor_time() - item.stash[CALLED] if dear else 0
    if own > MOST and own > MOST * pace():
        report.outcome = "failed"
        report.longrepr = f"{own:.0f} s of processor time; over {MOST} s it must have the mark sweep or slow"
    if call.when == "teardown":
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        report.user_properties.append(("spent", (taken, most)))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    properties: dict[str, Any] = dict(report.user_properties) if report.when == "teardown" else {}
    if "spent" in properties:
        spent[report.nodeid], most = properties["spent"]
        memory[0] = max(memory[0], most)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The processor time of each folder, and the tests that took long; into the file `FAILED` those that failed."""
    if FAILED is not None:
        reports = [one for kind in ("failed", "error") for one in terminalreporter.getreports(kind)]
        names = dict.fromkeys(one.nodeid for one in reports)
        Path(FAILED).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    if not spent or hasattr(terminalreporter.config, "workerinput"):
        return
    folders: Counter[str] = Counter()
    for test, seconds in spent.items():
        folders["/".join(test.partition("::")[0].split("/")[:-1])] += seconds  # type: ignore[assignment]
    terminalreporter.section("processor time")
    said = ", ".join(f"{name} {seconds:.0f}" for name, seconds in folders.most_common())
    terminalreporter.line(f"{sum(spent.values()):.0f} s: {said}; the greatest process held {memory[0]} MB")
    long = sorted(((seconds, test) for test, seconds in spent.items() if seconds > LISTED), reverse=True)
    for seconds, test in long:
        terminalreporter.line(f"{seconds:6.1f} s  {test}")


@pytest.fixture(scope="session", autouse=True)
def replayed_once() -> Iterator[None]:
    """Proofs that cite stored lemmas do not replay these again where that was done in this run (proof/stored.py)."""
    from proof import stored

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored.Library, "_settle", stored.settled)
        yield
