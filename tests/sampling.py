"""Which cases run, and a record of the run.

A test marked `sampled(k)` runs one in k of its cases, the others take their turns: whose turn it is goes by the number
of commits, so that k commits in a row run all of them and a run can be repeated. Folders whose package the last commit
changed run whole, the shortest first, as far as all these take under two minutes. `pytest --every-case` runs all cases;
so does a tree without its history. `tests/every_case.py` records such a run.
"""

from __future__ import annotations

import collections
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from checkout import RECORD, ROOT, in_sample, of_folder

TURN = "SYMCOOK_TURN"  # the number of commits; empty where the history is not there
WHOLE = 120  # processor seconds that all cases of the folders may take that a change has touched


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
    config.addinivalue_line("markers", "sampled(k): one in k of its cases runs; all with --every-case")
    if TURN not in os.environ:  # the workers take over what is found here
        os.environ[TURN] = turn()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
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
