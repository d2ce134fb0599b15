"""Limits of time: of the processor where the library sets them, by the clock where a user waits."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from symcook import alarm as alarm_module
from symcook.alarm import TimeUp, Until, alarm, waiting
from symcook.proof.search.limits import OutOfTime, limited

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")


def work(seconds: float) -> None:
    """So much of the processor's time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_only_the_processors_time_counts() -> None:
    with alarm(0.05):
        time.sleep(0.2)
    with pytest.raises(TimeUp), alarm(0.05):
        work(5)


def test_a_user_waits_by_the_clock() -> None:
    with pytest.raises(TimeUp), waiting(0.05):
        time.sleep(5)
    assert Until(1).clock == float("inf")


def test_a_limit_within_another_ends_by_both_and_leaves_the_outer_one() -> None:
    outer = Until(0.1)
    with pytest.raises(TimeUp) as over, alarm(outer), alarm(5):
        work(10)
    assert over.value.until is outer
    with pytest.raises(TimeUp) as over, alarm(outer := Until(0.2)):
        with pytest.raises(TimeUp), alarm(0.05):
            work(10)
        work(10)
    assert over.value.until is outer
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0) == signal.getitimer(signal.ITIMER_REAL)


def test_where_a_user_waits_the_library_is_told_how_long() -> None:
    with waiting(10):
        assert 9 < Until(60).left <= 10 and 4 < Until(60, 1 / 2).left <= 5 and Until(3, 1 / 2).left < 4
        with waiting(60):
            assert Until(60).left <= 10


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("wait", [waiting, alarm])
def test_what_is_limited_says_that_the_time_is_over(wait) -> None:
    with wait(0.1), pytest.raises(OutOfTime), limited(Until(60)):
        work(10)
    with pytest.raises(OutOfTime), limited(Until(60), 0.05):
        work(10)


def test_a_time_that_ends_while_the_timer_is_set_leaves_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a millisecond passes between two steps: TimeUp was raised again and again, in any code."""
    set_timer, handlers = signal.setitimer, [signal.getsignal(one) for one in (signal.SIGPROF, signal.SIGALRM)]

    def slow(which: int, seconds: float, interval: float = 0) -> None:
        set_timer(which, seconds, interval)
        if seconds:
            time.sleep(0.01)
            work(0.02)

    monkeypatch.setattr(signal, "setitimer", slow)
    for wait in (alarm, waiting):
        with pytest.raises(TimeUp), wait(0):
            pass
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0) == signal.getitimer(signal.ITIMER_REAL)
    assert handlers == [signal.getsignal(one) for one in (signal.SIGPROF, signal.SIGALRM)]


def test_a_limit_that_is_dropped_leaves_no_timer_behind() -> None:
    """Where TimeUp comes just when an inner limit is set, nothing ends that one but the garbage collector."""
    before = signal.getsignal(signal.SIGALRM)
    dropped = alarm_module._timer("REAL", "SIGALRM", 50, Until(50))
    with alarm_module._timer("REAL", "SIGALRM", 60, Until(60)):
        dropped.__enter__()
    with alarm_module._timer("REAL", "SIGALRM", 40, Until(40)):
        assert 30 < signal.getitimer(signal.ITIMER_REAL)[0] <= 40
        dropped.__exit__(None, None, None)
        assert 30 < signal.getitimer(signal.ITIMER_REAL)[0] <= 40
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0) and signal.getsignal(signal.SIGALRM) == before


def test_threads_wait_by_themselves() -> None:
    """The second of two that overlap left the end of the first one to all that came later."""
    first, second = threading.Event(), threading.Event()

    def one() -> None:
        with waiting(0.01):
            first.set()
            second.wait(60)

    def other() -> None:
        first.wait(60)
        with waiting(500):
            second.set()
            threads[0].join(60)
            time.sleep(0.02)
            left.append(Until(400).left)

    left: list[float] = []
    threads = [threading.Thread(target=one), threading.Thread(target=other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert left[0] > 200 and Until(400).clock == float("inf")
