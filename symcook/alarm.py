"""A limit of time that ends what stands under it wherever it is, so that nothing below has to look at the time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TimeUp(BaseException):
    """The time that something may take is over. No error of ours: nothing on the way may take it for an open answer."""


@contextmanager
def alarm(seconds: float, processor: bool = False) -> Iterator[None]:
    """TimeUp is raised under ``with`` behind so many seconds by the clock, or of the `processor` where other programs'
    time is not to count; without effect where there are no timers (Windows, and outside the main thread)."""
    import signal

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise TimeUp

    timer, number = (signal.ITIMER_PROF, signal.SIGPROF) if processor else (signal.ITIMER_REAL, signal.SIGALRM)
    before = signal.signal(number, late)
    # no time left is little time: 0 would be none at all; and again: Python drops what is raised inside some callbacks
    signal.setitimer(timer, max(seconds, 1e-3), 1)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)
