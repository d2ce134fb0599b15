"""Time limits, which interrupt a computation wherever it is, so that the computation need not look at the time.

Limits are in seconds of processor time (`alarm`, `spending`), so that the results on a busy machine are those on an
idle one. Only the limit of a question for which a user waits (`waiting`) is in real time.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any


class TimeUp(BaseException):
    """The time of a computation is over, by the limit `until`.

    It is not an error of symcook: no handler in between must take it for an undecided answer.
    """

    def __init__(self, until: Until) -> None:
        self.until = until


def raise_real(error: BaseException) -> None:
    """Raise an error again that is not the doing of a user's code: a Ctrl-C, or the end of a time limit. Whatever else
    that code raises, SystemExit too, is an answer that it does not give."""
    if type(error) is KeyboardInterrupt or isinstance(error, TimeUp):
        raise error


class Until:
    """A time limit: the moment at which `seconds` of processor time are spent from now on, or the fraction `part` of
    the remaining time of the surrounding `waiting` or `spending`, whichever is earlier."""

    def __init__(self, seconds: float, part: float = 1) -> None:
        spent = time.process_time()
        self.processor = spent + min(seconds, part * (_own.processor - spent))
        now = time.monotonic()
        self.clock = now + part * (_own.until - now)

    @property
    def left(self) -> float:
        """The remaining seconds, of processor time or of real time, whichever are fewer; 0 or negative if the time is
        over."""
        return min(self.processor - time.process_time(), self.clock - time.monotonic())


def timers() -> bool:
    """Whether the system's timers can raise TimeUp: not on Windows, and only in the main thread."""
    import signal

    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


class _Thread(threading.local):
    """What each thread has of its own."""

    def __init__(self) -> None:
        self.until = math.inf
        """The end of the innermost `waiting`, by `time.monotonic`; infinite outside of any."""
        self.processor = math.inf
        """The end of the innermost `spending`, by `time.process_time`; infinite outside of any."""
        self.limits: list[_Limit] = []
        """The limits that have not ended, the outermost first.

        TimeUp may be raised just while a limit is being set or stopped, so that its own end is not reached. Then a
        limit around it stops it; its own end, if it comes later, does nothing."""
        self.lock = threading.RLock()
        """Whoever holds it is not interrupted by a limit of this thread that goes by a second thread."""


_own = _Thread()


@contextmanager
def alarm(limit: float | Until) -> Iterator[None]:
    """A context in which TimeUp is raised after `limit` seconds of processor time, or at the moment `limit`.

    In the main thread of a system with interval timers, signals raise it. In other threads, and on Windows, a second
    thread does, as soon as Python code runs: a function written in C, such as `time.sleep`, returns first.
    """
    until = limit if isinstance(limit, Until) else Until(limit)
    with ExitStack() as stack:
        if not timers():
            if until.left < math.inf:
                stack.enter_context(_standing(_Watch(until)))
        else:
            if until.clock < math.inf:
                stack.enter_context(_standing(_Timer("REAL", "SIGALRM", until.clock - time.monotonic(), until)))
            if until.processor < math.inf:
                left = until.processor - time.process_time()
                stack.enter_context(_standing(_Timer("PROF", "SIGPROF", left, until)))
        yield


@contextmanager
def waiting(seconds: float) -> Iterator[None]:
    """A context with a limit of `seconds` in real time, for a computation for which a user waits.

    Each `Until` that this thread makes in it ends by then at the latest. TimeUp is raised at the limit.
    """
    with _limited("until", time.monotonic() + seconds):
        yield


@contextmanager
def spending(seconds: float) -> Iterator[None]:
    """A context with a limit of `seconds` of processor time, so that another process on this machine takes nothing from
    the computation.

    Each `Until` that this thread makes in it ends by then at the latest. TimeUp is raised at the limit.
    """
    with _limited("processor", time.process_time() + seconds):
        yield


@contextmanager
def _limited(clock: str, end: float) -> Iterator[None]:
    """A context that ends at the latest at `end` by a clock of `_Thread`, "until" or "processor"."""
    before = getattr(_own, clock)
    setattr(_own, clock, min(before, end))
    try:
        with alarm(Until(math.inf)):
            yield
    finally:
        setattr(_own, clock, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A context that delays Ctrl-C and time limits of this thread until its end, so that several files change
    together."""
    delayed: list[int] = []
    handlers: dict[int, Any] = {}
    with _own.lock:
        _take_what_came()
        try:
            if threading.current_thread() is threading.main_thread():
                import signal

                for kind in (getattr(signal, name, None) for name in ("SIGINT", "SIGALRM", "SIGPROF")):
                    if kind is not None and callable(handler := signal.getsignal(kind)):
                        handlers[kind] = handler
                        signal.signal(kind, lambda number, _: delayed.append(number))
            yield
        finally:
            for kind, handler in handlers.items():
                signal.signal(kind, handler)
            for number in dict.fromkeys(delayed):
                signal.raise_signal(number)


def _take_what_came() -> None:
    """Python raises an exception that another thread has sent when a function is called."""


@contextmanager
def _standing(limit: _Limit) -> Iterator[None]:
    """A context in which the limit stands. If the time ends while it is being set or stopped, nothing of it remains
    either."""
    limits = _own.limits
    try:
        try:
            limits.append(limit)
            limit.start()
            yield
        finally:
            limit.over = True  # set first: the time may end at the next line
    finally:
        limit.over = True
        while limit in limits:
            limits[-1].stop()
            limits.pop()


BETWEEN_IMPORTS = 0.01
"""Seconds after which a limit tries again whose time ended within an import."""


def _imports(frame: FrameType | None) -> int:
    """The number of imports that are under way in a thread with this frame."""
    count = 0
    while frame is not None:
        count += frame.f_code.co_filename == "<frozen importlib._bootstrap>"
        frame = frame.f_back
    return count


class _Limit:
    """A limit of time, which raises TimeUp once it is started and until it is over.

    It does not interrupt an import that began after it: half a package would stay, and a second import of the rest
    would make classes of which the first half knows nothing."""

    over = False

    def __init__(self, until: Until) -> None:
        self.until = until
        self.imports = _imports(sys._getframe())

    def importing(self, frame: FrameType | None) -> bool:
        """Whether a thread with this frame is in an import that began after the limit was made."""
        return _imports(frame) > self.imports

    def start(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        """Stop this limit; a second call does nothing more."""
        raise NotImplementedError


class _Timer(_Limit):
    """A limit by one timer of the system: "REAL" and "SIGALRM", or "PROF" and "SIGPROF". TimeUp is raised after
    `seconds`, or sooner if a limit around it ends sooner."""

    def __init__(self, timer: str, number: str, seconds: float, until: Until) -> None:
        import signal

        super().__init__(until)
        self.which, self.sign = getattr(signal, f"ITIMER_{timer}"), getattr(signal, number)
        self.clock = time.process_time if timer == "PROF" else time.monotonic
        self.seconds = seconds
        # What was set before: the remaining time of a limit around this one (0: none), and its handler.
        self.time_of_outer, self.begun = signal.getitimer(self.which)[0], self.clock()
        self.outer_handler = signal.getsignal(self.sign)

    def on_signal(self, _: int, frame: FrameType | None) -> None:
        """The handler of the signal; a signal that comes after the end is ignored."""
        import signal

        if self.over:
            return
        if self.importing(frame):
            signal.setitimer(self.which, BETWEEN_IMPORTS, 1)
        else:
            raise TimeUp(self.until)

    def start(self) -> None:
        import signal

        sooner = 0 < self.time_of_outer < self.seconds
        signal.signal(self.sign, self.outer_handler if sooner else self.on_signal)
        # At least 1 ms, since 0 would set no timer. The signal is repeated each second, since Python drops
        # exceptions that are raised in some callbacks.
        signal.setitimer(self.which, max(min(self.seconds, self.time_of_outer or self.seconds), 1e-3), 1)

    def stop(self) -> None:
        """Stop this limit, and set the limit around it again, if there is one, with its remaining time."""
        import signal

        self.over = True
        signal.setitimer(self.which, 0)
        signal.signal(self.sign, self.outer_handler)
        if self.time_of_outer:
            signal.setitimer(self.which, max(self.time_of_outer - (self.clock() - self.begun), 1e-3), 1)


class _Watch(_Limit):
    """A limit by a second thread, which waits and then sends TimeUp to the thread that made the limit."""

    def __init__(self, until: Until) -> None:
        super().__init__(until)
        self.lock, self.ended = _own.lock, threading.Event()
        self.thread = threading.get_ident()
        # Python makes the exception in the other thread and gives it nothing, so that its class has the moment.
        self.kind = type("TimeUpOfThread", (TimeUp,), {"__init__": lambda error: TimeUp.__init__(error, until)})

    def start(self) -> None:
        threading.Thread(target=self._watch, daemon=True).start()

    def stop(self) -> None:
        with self.lock:
            self.over = True
            self.ended.set()
            self._send(None)  # what was sent and not raised yet is taken back; a limit around this one sends again

    def _watch(self) -> None:
        """Send TimeUp when the time is over, and again each second until the limit ends."""
        while not self.ended.wait(max(min(self.until.left, threading.TIMEOUT_MAX), 1e-3)):
            if self.until.left > 0:
                continue  # the processor did something else meanwhile
            with self.lock:
                if self.over:
                    return
                if self.importing(sys._current_frames().get(self.thread)):
                    continue
                if not self._send(self.kind):
                    return
            self.ended.wait(1)

    def _send(self, kind: type[TimeUp] | None) -> bool:
        """Have the thread raise this, or nothing. False if the thread has ended."""
        import ctypes

        sent = ctypes.py_object() if kind is None else ctypes.py_object(kind)
        return ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), sent) > 0
