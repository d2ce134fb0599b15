"""Limits of time, which end what stands under them wherever it is, so that nothing below has to look at the time.

The library's own limits are in seconds of the processor: a busy machine then finds and accepts what a quiet one does.
Only `waiting`, under which a command does what a user waits for, goes by the clock.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager


class TimeUp(BaseException):
    """The time that something may take is over, by the limit `until`. No error of ours: nothing on the way may take it
    for an open answer."""

    def __init__(self, until: Until) -> None:
        self.until = until


class Until:
    """A moment: when so many `seconds` of the processor are spent from now on, or this `part` of the time that a user
    still waits."""

    def __init__(self, seconds: float, part: float = 1) -> None:
        self.processor = time.process_time() + seconds
        now = time.monotonic()
        self.clock = now + part * (_waits.until - now)

    @property
    def left(self) -> float:
        """The seconds that are left, at most; 0 or fewer where the time is over."""
        return min(self.processor - time.process_time(), self.clock - time.monotonic())


class _Waits(threading.local):
    """When the user of this thread has waited long enough, by the clock."""

    until = math.inf


_waits = _Waits()


def timers() -> bool:
    """Whether there are timers: not on Windows, and not outside of the main thread."""
    import signal

    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def alarm(limit: float | Until) -> Iterator[None]:
    """TimeUp is raised under ``with`` after so many seconds of the processor, or at that moment; without effect where
    there are no timers."""
    if not timers():
        yield
        return
    until = limit if isinstance(limit, Until) else Until(limit)
    with ExitStack() as stack:
        if until.clock < math.inf:
            stack.enter_context(_timer("REAL", "SIGALRM", until.clock - time.monotonic(), until))
        if until.processor < math.inf:
            stack.enter_context(_timer("PROF", "SIGPROF", until.processor - time.process_time(), until))
        yield


@contextmanager
def waiting(seconds: float) -> Iterator[None]:
    """A user waits so many seconds for what stands under ``with``: each `Until` made there ends by then, and TimeUp is
    raised where nothing below has ended in time."""
    before = _waits.until
    _waits.until = min(before, time.monotonic() + seconds)
    try:
        with alarm(Until(math.inf)):
            yield
    finally:
        _waits.until = before


_standing: list[Callable[[], None]] = []
"""What undoes the limits that have not ended, the outermost first. TimeUp may come just where one is set or stopped:
that one is dropped, those around it undo it, and where it ends later it leaves all as it is."""


@contextmanager
def _timer(timer: str, number: str, seconds: float, until: Until) -> Iterator[None]:
    """TimeUp after so many seconds of this timer, or sooner where a limit around it ends sooner.

    The time may end while the timer is set, and while it is stopped: TimeUp then leaves no timer behind either.
    """
    import signal

    which, sign = getattr(signal, f"ITIMER_{timer}"), getattr(signal, number)
    clock = time.process_time if timer == "PROF" else time.monotonic
    over = False

    def late(*_: object) -> None:
        """The handler of the signal; a signal that comes after the end is ignored."""
        if not over:
            raise TimeUp(until)

    # What was set before: the time that is left of a limit around this one, and its handler.
    around, begun, before = signal.getitimer(which)[0], clock(), signal.getsignal(sign)

    def undo() -> None:
        """Stops this limit and lets the one around it go on with the time that it has left."""
        nonlocal over
        over = True
        signal.setitimer(which, 0)
        signal.signal(sign, before)
        if around:
            signal.setitimer(which, max(around - (clock() - begun), 1e-3), 1)

    try:
        try:
            _standing.append(undo)
            signal.signal(sign, before if 0 < around < seconds else late)
            # no time left is little time: 0 would be none at all; and again: Python drops what some callbacks raise
            signal.setitimer(which, max(min(seconds, around or seconds), 1e-3), 1)
            yield
        finally:
            over = True  # the next line too may be where the time ends
    finally:
        over = True
        while undo in _standing:
            _standing[-1]()
            _standing.pop()
