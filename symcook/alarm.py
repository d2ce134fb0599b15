"""Time limits, which interrupt a computation wherever it is, so that the computation need not look at the time.

The library's own limits (`alarm`) are in seconds of processor time, so that the results on a busy machine are those on
an idle one. Only the limit of a command for which a user waits (`waiting`) is in real time.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager


class TimeUp(BaseException):
    """The time of a computation is over, by the limit `until`.

    It is not an error of symcook: no handler in between must take it for an undecided answer.
    """

    def __init__(self, until: Until) -> None:
        self.until = until


def raise_real(error: BaseException) -> None:
    """Raise an error again that is not the doing of a user's code: a Ctrl-C, or the end of a time limit. Whatever else
    that code raises, SystemExit too, is an answer that it does not give."""
    if type(error) in (KeyboardInterrupt, TimeUp):
        raise error


class Until:
    """A time limit: the moment at which `seconds` of processor time are spent from now on, or the fraction `part` of
    the remaining time of the surrounding `waiting`, whichever is earlier."""

    def __init__(self, seconds: float, part: float = 1) -> None:
        self.processor = time.process_time() + seconds
        now = time.monotonic()
        self.clock = now + part * (_waits.until - now)

    @property
    def left(self) -> float:
        """The remaining seconds, of processor time or of real time, whichever are fewer; 0 or negative if the time is
        over."""
        return min(self.processor - time.process_time(), self.clock - time.monotonic())


class _Waits(threading.local):
    """For each thread the end of its innermost `waiting`, by `time.monotonic`; infinite outside of any."""

    until = math.inf


_waits = _Waits()


def timers() -> bool:
    """Whether timers can be set: not on Windows, and only in the main thread."""
    import signal

    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def alarm(limit: float | Until) -> Iterator[None]:
    """A context in which TimeUp is raised after `limit` seconds of processor time, or at the moment `limit`.

    It has no effect where there are no timers.
    """
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
    """A context with a limit of `seconds` in real time, for a computation for which a user waits.

    Each `Until` that this thread makes in it ends by then at the latest. TimeUp is raised at the limit if there are
    timers (`timers`).
    """
    before = _waits.until
    _waits.until = min(before, time.monotonic() + seconds)
    try:
        with alarm(Until(math.inf)):
            yield
    finally:
        _waits.until = before


_standing: list[Callable[[], None]] = []
"""For each limit that has not ended, the outermost first, a function that undoes it.

TimeUp may be raised just while a limit is being set or stopped, so that its own end is not reached. Then a limit around
it undoes it; its own end, if it comes later, does nothing."""


@contextmanager
def _timer(timer: str, number: str, seconds: float, until: Until) -> Iterator[None]:
    """A context in which TimeUp is raised after `seconds` of one timer, or sooner if a limit around it ends sooner.

    timer, number: "REAL" and "SIGALRM", or "PROF" and "SIGPROF". If the time ends while the timer is being set or
    stopped, no timer of this limit remains either.
    """
    import signal

    which, sign = getattr(signal, f"ITIMER_{timer}"), getattr(signal, number)
    clock = time.process_time if timer == "PROF" else time.monotonic
    over = False

    def on_signal(*_: object) -> None:
        """The handler of the signal; a signal that comes after the end is ignored."""
        if not over:
            raise TimeUp(until)

    # What was set before: the remaining time of a limit around this one (0: none), and its handler.
    time_of_outer, begun, outer_handler = signal.getitimer(which)[0], clock(), signal.getsignal(sign)

    def undo() -> None:
        """Stop this limit, and set the limit around it again, if there is one, with its remaining time."""
        nonlocal over
        over = True
        signal.setitimer(which, 0)
        signal.signal(sign, outer_handler)
        if time_of_outer:
            signal.setitimer(which, max(time_of_outer - (clock() - begun), 1e-3), 1)

    try:
        try:
            _standing.append(undo)
            signal.signal(sign, outer_handler if 0 < time_of_outer < seconds else on_signal)
            # At least 1 ms, since 0 would set no timer. The signal is repeated each second, since Python drops
            # exceptions that are raised in some callbacks.
            signal.setitimer(which, max(min(seconds, time_of_outer or seconds), 1e-3), 1)
            yield
        finally:
            over = True  # set first: the time may end at the next line
    finally:
        over = True
        while undo in _standing:
            _standing[-1]()
            _standing.pop()
