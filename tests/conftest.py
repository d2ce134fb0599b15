"""In which order tests run, and verdicts that a session shares: it replays the stored certificates once (see
proof/stored.py)."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.expression import Expression

FOLDER = "SYMCOOK_VERDICTS"
CACHE = type(cache(int))
BEGIN = {"coq": 0, "proof": 1, "attacks": 2, "report": 3, "cli": 4}  # the file that takes longest, and those on proofs


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(100_000, 20, 50)  # as the command line sets it, from the first test on
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; what tests start would ignore it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if FOLDER not in os.environ:  # neither a worker nor a run of CI
        made = tempfile.TemporaryDirectory(prefix="symcook-verdicts-")
        os.environ[FOLDER] = made.name
        config.add_cleanup(made.cleanup)
        config.add_cleanup(lambda: os.environ.pop(FOLDER, None))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of sweeps (`sweep_*.py`) is read only by a run that asks for sweeps."""
    asked = Expression.compile(config.option.markexpr or "sweep")
    wanted = asked.evaluate(lambda name, **_: name == "sweep")
    return True if collection_path.name.startswith("sweep_") and not wanted else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With -n a file goes to one process, as `--dist loadfile` has it: what its tests share is made once.

    Files go in the order of `BEGIN`: xdist would begin with those of most tests, and some of the longest have few.
    """
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.name.startswith("sweep_"):
            item.add_marker(pytest.mark.sweep)
    items.sort(key=lambda item: BEGIN.get(item.path.parent.name, len(BEGIN)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """What the README's command does not install is missed in words."""
    for mark in item.iter_markers("tools"):
        for name in mark.args:
            if find_spec(name) is None:
                pytest.skip(f"{name} is not installed: pip install '.[dev]'")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """After a file its own caches and garbage go, and no later collection looks at the rest. Else a process grows to
    four gigabytes, and a collection in it takes as long as a hundred tests. Caches that the file imports stay: other
    files use them."""
    yield
    if nextitem is None or nextitem.path != item.path:
        module = item.getparent(pytest.Module).obj  # type: ignore[union-attr]
        for one in vars(module).values():
            if isinstance(one, CACHE) and one.__module__ == module.__name__:
                one.cache_clear()
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def replayed_once() -> Iterator[None]:
    """Proofs that cite stored lemmas do not replay these again where that was done in this run (proof/stored.py)."""
    from proof import stored

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored.Library, "_settle", stored.settled)
        yield
