"""Limits of time: of the processor where the library sets them, by the clock where a user waits."""

from __future__ import annotations

import importlib
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TypeVar

import pytest

from symcook import alarm as alarm_module
from symcook.alarm import TimeUp, Until, alarm, raise_real, undisturbed, waiting
from symcook.proof.search.limits import OutOfTime, limited

T = TypeVar("T")
needs_timers = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")


@pytest.fixture(params=["signals", "a second thread"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Limits by signals, and by what Windows and other threads have."""
    if request.param != "signals":
        monkeypatch.setattr(alarm_module, "timers", lambda: False)
    elif not hasattr(signal, "setitimer"):
        pytest.skip("needs timers")
    return request.param


def nothing_is_left() -> bool:
    """No limit stands, and no timer runs."""
    timers = [getattr(signal, name) for name in ("ITIMER_PROF", "ITIMER_REAL") if hasattr(signal, name)]
    return not any(signal.getitimer(timer)[0] for timer in timers) and not alarm_module._own.limits


def work(seconds: float) -> None:
    """So much of the processor's time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_only_the_processors_time_counts(way: str) -> None:
    with alarm(0.05):
        time.sleep(0.2)
    with pytest.raises(TimeUp), alarm(0.05):
        work(5)


def test_an_import_is_not_cut_in_two(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    spin = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
    (tmp_path / "slow_to_import.py").write_text(f"{spin}whole = True\n")
    with pytest.raises(TimeUp), alarm(0.05):
        import slow_to_import  # type: ignore[import-not-found]

        work(5)
    assert sys.modules.pop("slow_to_import").whole and slow_to_import.whole
    # A limit that an imported file sets itself ends within that import.
    inside = "from symcook.alarm import TimeUp, alarm\nended = False\ntry:\n    with alarm(0.05):\n        WORK\n"
    inside += "except TimeUp:\n    ended = True\n"
    loop = "for _ in iter(int, 1): pass"
    (tmp_path / "sets_a_limit.py").write_text(inside.replace("WORK", loop))
    assert importlib.import_module("sets_a_limit").ended and sys.modules.pop("sets_a_limit")


def test_a_user_waits_by_the_clock(way: str) -> None:
    with pytest.raises(TimeUp), waiting(0.05):
        for _ in range(500):  # a second thread is not heard before a sleep has ended
            time.sleep(0.01)
    assert Until(1).clock == float("inf")


def test_a_limit_within_another_ends_by_both_and_leaves_the_outer_one(way: str) -> None:
    outer = Until(0.1)
    with pytest.raises(TimeUp) as over, alarm(outer), alarm(5):
        work(10)
    assert over.value.until is outer
    with pytest.raises(TimeUp) as over, alarm(outer := Until(0.2)):
        with pytest.raises(TimeUp), alarm(0.05):
            work(10)
        work(10)
    assert over.value.until is outer
    assert nothing_is_left()


def test_where_a_user_waits_the_library_is_told_how_long() -> None:
    with waiting(10):
        assert 9 < Until(60).left <= 10 and 4 < Until(60, 1 / 2).left <= 5 and Until(3, 1 / 2).left < 4
        with waiting(60):
            assert Until(60).left <= 10


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("wait", [waiting, alarm])
def test_what_is_limited_says_that_the_time_is_over(wait, way: str) -> None:
    with wait(0.1), pytest.raises(OutOfTime), limited(Until(60)):
        work(10)
    with pytest.raises(OutOfTime), limited(Until(60), 0.05):
        work(10)


@needs_timers
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


@needs_timers
def test_a_limit_that_is_dropped_leaves_no_timer_behind() -> None:
    """Where TimeUp comes just when an inner limit is set, nothing ends that one but the garbage collector."""
    before = signal.getsignal(signal.SIGALRM)

    def timer(seconds: float) -> AbstractContextManager[None]:
        return alarm_module._standing(alarm_module._Timer("REAL", "SIGALRM", seconds, Until(seconds)))

    dropped = timer(50)
    with timer(60):
        dropped.__enter__()
    with timer(40):
        assert 30 < signal.getitimer(signal.ITIMER_REAL)[0] <= 40
        dropped.__exit__(None, None, None)
        assert 30 < signal.getitimer(signal.ITIMER_REAL)[0] <= 40
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0) and signal.getsignal(signal.SIGALRM) == before


def test_threads_wait_by_themselves() -> None:
    """The second of two that overlap left the end of the first one to all that came later."""
    first, second = threading.Event(), threading.Event()

    def one() -> None:
        with suppress(TimeUp), waiting(0.5):  # which ends it on a busy machine
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


def in_a_thread(ask: Callable[[], T]) -> T:
    """What a thread other than the main one answers."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(ask).result(60)


def test_limits_hold_in_other_threads() -> None:
    """They had no effect there: `prove` in a server, and every limit on Windows."""

    def ask() -> tuple[bool, int]:
        outer = Until(0.1)
        with pytest.raises(TimeUp) as over, alarm(outer), alarm(5):
            work(10)
        return over.value.until is outer, len(alarm_module._own.limits)

    assert in_a_thread(ask) == (True, 0)


def test_a_limit_that_has_ended_raises_nothing_later(way: str) -> None:
    for _ in range(100):
        try:
            with alarm(0.001):
                work(0.001)
        except TimeUp:
            pass
    work(0.1)
    assert nothing_is_left()


def test_files_that_change_together_are_not_disturbed(way: str) -> None:
    done = []
    with pytest.raises(TimeUp), alarm(0.05):
        with undisturbed():
            work(0.2)
            done.append(1)
        work(10)
    assert done and nothing_is_left()


def test_no_users_code_takes_the_end_of_a_limit_for_its_own_error(way: str) -> None:
    def guarded() -> None:
        try:
            work(10)
        except BaseException as error:
            raise_real(error)

    with pytest.raises(TimeUp), alarm(0.05):
        guarded()


def test_a_search_for_a_proof_keeps_its_limit_in_a_thread() -> None:
    """Nothing but the checker looked at a clock there."""

    def search() -> None:
        with limited(Until(0.05)):
            work(10)

    with pytest.raises(OutOfTime):
        in_a_thread(search)
