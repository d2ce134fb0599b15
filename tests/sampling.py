"""Which tests run, and a record of a run.

A run has `RUN` seconds of tests, by the times that were recorded when last every test ran. What takes no longer than
`LONG` runs each time, as does what is not recorded yet; so do folders whose package the last commit changed, the
shortest first, as far as all these take under two minutes. What takes longer has turns in the time that is left: it is
dealt out, the longest first, to as many turns as that takes, and it goes by the number of commits whose turn it is. So
as many commits in a row run everything, and a run can be repeated. `pytest --every-case` runs everything, and so does a
tree without its history, or without a record; `tests/every_case.py` makes the record.
"""

from __future__ import annotations

import collections
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from checkout import RECORD, ROOT, dealt, of_folder

TURN = "SYMCOOK_TURN"  # the number of commits; empty where the history is not there
RUN = 600  # seconds of tests in a run, of all its workers together
LEAST = 100  # seconds of these that are left to turns in any case
LONG = 0.2  # seconds: what takes no longer has no turns
WHOLE = 120  # seconds that the folders may take that a change has touched


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-case", action="store_true", help="run all tests, and not those whose turn it is")
    parser.addoption("--record", metavar="FILE", help="write how many tests passed, and how long they took")


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


def in_turn(record: dict[str, Any], touched: set[str], turn: int) -> dict[str, bool]:
    """Of each long test, whether it runs now, where a change has touched these folders."""
    seconds, long, whole, room = record["seconds"], record["long"], set[str](), WHOLE
    for folder in sorted(touched & seconds.keys(), key=lambda name: (seconds[name], name)):
        if (room := room - seconds[folder]) <= 0:
            break
        whole.add(folder)
    now = {test: of_folder(test) in whole for test in long}
    turns = {test: took for test, took in long.items() if not now[test]}
    always = sum(seconds.values()) - sum(turns.values())
    return now | dict.fromkeys(dealt(turns, max(LEAST, RUN - always), turn), True)


def pytest_configure() -> None:
    if TURN not in os.environ:  # the workers take over what is found here
        os.environ[TURN] = turn()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--every-case") or not os.environ[TURN] or not RECORD.exists():
        return
    now = in_turn(json.loads(RECORD.read_text(encoding="utf-8")), changed(), int(os.environ[TURN]))
    left_out = {item for item in items if now.get(item.nodeid) is False}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """With --record: how the tests ended, which failed, how long those of each folder took, and which were long."""
    if not (path := config.getoption("--record")):
        return
    ended: dict[str, int] = {}
    failed: set[str] = set()
    took: collections.Counter[str] = collections.Counter()
    for kind, reports in terminalreporter.stats.items():
        if kind in ("passed", "failed", "error", "skipped", "xfailed", "xpassed"):
            ended[kind] = len(reports)
        if kind in ("failed", "error"):
            failed.update(report.nodeid for report in reports)
        for report in reports:
            if hasattr(report, "duration"):
                took[report.nodeid] += report.duration
    seconds: collections.Counter[str] = collections.Counter()
    for test, one in took.items():
        seconds[of_folder(test)] += one
    said = {
        "ended": ended,
        "failed": sorted(failed),
        "seconds": {name: round(whole, 1) for name, whole in sorted(seconds.items())},
        "long": {test: round(one, 1) for test, one in sorted(took.items()) if one > LONG},
    }
    Path(path).write_text(json.dumps(said), encoding="utf-8")
