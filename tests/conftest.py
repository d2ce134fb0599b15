"""A session replays the stored certificates once: its workers share a folder of verdicts (see proof/stored.py).

A test marked `sampled(k)` runs one in k of its cases, others on the next day: which, goes by the day of the commit, so
that a run can be repeated. `pytest --every-case` runs all of them.
"""

from __future__ import annotations

import collections
import gc
import os
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from checkout import in_sample

FOLDER = "SYMCOOK_VERDICTS"
DAY = "SYMCOOK_DAY"  # of the year, of the commit; 0 where there is none
BEGIN = {"coq": 0, "proof": 1, "attacks": 2, "report": 3, "cli": 4}  # the file that takes longest, and those on proofs


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-case", action="store_true", help="run all cases of the tests of which a sample is run")


def day_of_commit() -> str:
    asked = ["git", "log", "-1", "--format=%cd", "--date=format:%j"]
    try:
        said = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False).stdout
    except OSError:  # no git
        said = ""
    return said.strip() or "0"


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all is collected
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; what tests start would ignore it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "sampled(k): one in k of its cases runs; all with --every-case")
    if DAY not in os.environ:  # the workers take over what is found here
        os.environ[DAY] = day_of_commit()
    if FOLDER not in os.environ:  # neither a worker nor a run of CI
        made = tempfile.TemporaryDirectory(prefix="symcook-verdicts-")
        os.environ[FOLDER] = made.name
        config.add_cleanup(made.cleanup)
        config.add_cleanup(lambda: os.environ.pop(FOLDER, None))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file goes to one worker, which makes what its tests share once. Every other worker begins at the end of the
    collection: what all tests of proofs read is then read by few."""
    from xdist.scheduler import LoadFileScheduling

    class FromBothEnds(LoadFileScheduling):
        def _assign_work_unit(self, node: Any) -> None:
            if self.nodes.index(node) % 2:
                self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
            super()._assign_work_unit(node)

    config.option.loadscopereorder = False
    return FromBothEnds(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: BEGIN.get(item.path.parent.name, len(BEGIN)))
    if config.getoption("--every-case"):
        return
    day = int(os.environ[DAY])
    left_out, numbers = set(), collections.Counter[str]()
    for item in items:
        if mark := item.get_closest_marker("sampled"):
            family = item.nodeid.partition("[")[0]
            if not in_sample(family, numbers[family], *mark.args, day):
                left_out.add(item)
            numbers[family] += 1
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """What is imported and collected by now stays; the collector need not look at it after every few terms."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 20, 50)
