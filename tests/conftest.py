"""A session replays the stored certificates once: its workers share a folder of verdicts (see proof/stored.py)."""

from __future__ import annotations

import gc
import os
import signal
import tempfile

import pytest

FOLDER = "SYMCOOK_VERDICTS"


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; what tests start would ignore it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if FOLDER not in os.environ:  # neither a worker nor a run of CI
        made = tempfile.TemporaryDirectory(prefix="symcook-verdicts-")
        os.environ[FOLDER] = made.name
        config.add_cleanup(made.cleanup)
        config.add_cleanup(lambda: os.environ.pop(FOLDER, None))


def pytest_collection_finish() -> None:
    """What is imported and collected by now stays; the collector need not look at it after every few terms."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)
