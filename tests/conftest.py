"""Which cases run, and verdicts that a session shares: it replays the stored certificates once (see proof/stored.py).

A test marked `sampled(k)` runs one in k of its cases, the others take their turns: whose turn it is goes by the number
of commits, so that k commits in a row run all of them and a run can be repeated. Folders whose package the last commit
changed run whole, the shortest first, as far as all these take under a minute. `pytest --every-case` runs all cases; so
does a tree without its history. `tests/every_case.py` records such a run.
"""

from __future__ import annotations

import collections
import gc
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import RECORD, ROOT, in_sample, of_folder

FOLDER = "SYMCOOK_VERDICTS"
TURN = "SYMCOOK_TURN"  # the number of commits; empty where the history is not there
WHOLE = 60  # processor seconds that all cases of the folders may take that a change has touched
BEGIN = {"coq": 0, "proof": 1, "attacks": 2, "report": 3, "cli": 4}  # the file that takes longest, and those on proofs


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-case", action="store_true", help="run all cases of the tests of which a sample is run")
    parser.addoption("--record", metavar="FILE", help="write how many tests passed, and the seconds of each folder")


def git(*words: str) -> str:
    """What git says of this checkout; nothing where there is no git, or no such commit."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def turn() -> str:
    whole = git("rev-parse", "--is-shallow-repository") == "false"
    return git("rev-list", "--count", "--first-parent", "HEAD") if whole else ""


def changed() -> set[str]:
    """The folders of tests whose package the last commit, or an edit since, has changed."""
    return {of_folder(path) for path in git("diff", "--name-only", "HEAD~1").splitlines()} - {""}


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(100_000, 20, 50)  # as the command line sets it, from the first test on
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; what tests start would ignore it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "sampled(k): one in k of its cases runs; all with --every-case")
    if TURN not in os.environ:  # the workers take over what is found here
        os.environ[TURN] = turn()
    if FOLDER not in os.environ:  # neither a worker nor a run of CI
        made = tempfile.TemporaryDirectory(prefix="symcook-verdicts-")
        os.environ[FOLDER] = made.name
        config.add_cleanup(made.cleanup)
        config.add_cleanup(lambda: os.environ.pop(FOLDER, None))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With -n a file goes to one process, as `--dist loadfile` has it: what its tests share is made once.

    Files go in the order of `BEGIN`: xdist would begin with those of most tests, and some of the longest have few.
    """
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log) if config.getoption("dist") == "load" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: BEGIN.get(item.path.parent.name, len(BEGIN)))
    if config.getoption("--every-case") or not os.environ[TURN]:
        return
    seconds = json.loads(RECORD.read_text(encoding="utf-8"))["seconds"] if RECORD.exists() else {}
    whole, room = set[str](), WHOLE
    for folder in sorted(changed() & seconds.keys(), key=lambda name: (seconds[name], name)):
        if (room := room - seconds[folder]) <= 0:
            break
        whole.add(folder)
    left_out, numbers = set(), collections.Counter[str]()
    for item in items:
        if mark := item.get_closest_marker("sampled"):
            family = item.nodeid.partition("[")[0]
            its_turn = in_sample(family, numbers[family], *mark.args, int(os.environ[TURN]))
            if not its_turn and of_folder(family) not in whole:
                left_out.add(item)
            numbers[family] += 1
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session", autouse=True)
def replayed_once() -> Iterator[None]:
    """Proofs that cite stored lemmas do not replay these again where that was done in this run (proof/stored.py)."""
    if not (Path(__file__).parent / "proof").is_dir():  # a project of test_sample.py
        yield
        return
    from proof import stored

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored.Library, "_settle", stored.settled)
        yield


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """With --record: how the tests ended, which failed, and how long those of each folder took."""
    if not (path := config.getoption("--record")):
        return
    ended: dict[str, int] = {}
    failed: set[str] = set()
    seconds: collections.Counter[str] = collections.Counter()
    for kind, reports in terminalreporter.stats.items():
        if kind in ("passed", "failed", "error", "skipped", "xfailed", "xpassed"):
            ended[kind] = len(reports)
        if kind in ("failed", "error"):
            failed.update(report.nodeid for report in reports)
        for report in reports:
            if hasattr(report, "duration"):
                seconds[of_folder(report.nodeid)] += report.duration
    rounded = {name: round(took, 1) for name, took in sorted(seconds.items())}
    said = {"ended": ended, "failed": sorted(failed), "seconds": rounded}
    Path(path).write_text(json.dumps(said), encoding="utf-8")
