"""How the commands print: text or one JSON document on stdout, progress on stderr."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from symcook.alarm import TimeUp, alarm
from symcook.errors import Undecided
from symcook.report.text import WIDE


def say(text: str = "") -> None:
    """Print to stdout."""
    print(text)


_answered = False
"""Whether this command has printed its JSON document."""


def begin() -> None:
    """A command begins: nothing is printed yet."""
    global _answered
    _answered = False


def print_json(document: Any) -> None:
    """Print one JSON document; a float that JSON cannot write becomes text."""
    global _answered
    import json

    print(json.dumps(_finite(document), indent=2, allow_nan=False))
    _answered = True


def say_or_json(as_json: bool, data: Callable[[], Any], text: Callable[[], str]) -> None:
    """Print an answer as JSON or as text."""
    if as_json:
        print_json(data())
    else:
        say(text())


def failed(error: dict[str, Any]) -> None:
    """Print a failure as the one JSON document; an answer that stayed open has been printed as what it is."""
    if not _answered:
        print_json({"error": error})


def _finite(value: Any) -> Any:
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return repr(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def line_width() -> int:
    """How many characters a line may have: the terminal's width, or `WIDE` where there is no terminal."""
    import shutil

    return max(40, shutil.get_terminal_size((WIDE, 0)).columns)


class Progress:
    """Progress of what stands under ``with``: redrawn in place on the terminal that stderr is, clean afterwards; silent
    when quick, and where stderr is a file or a pipe, which holds what a reader wants to keep."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.started = self.last = time.monotonic()
        self.drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self.drawn:
            print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)

    def __call__(self, done: Any, total: Any = None) -> None:
        now = time.monotonic()
        if now - self.started < 1 or now - self.last < 0.2 or sys.stderr is None or not sys.stderr.isatty():
            return
        self.last, self.drawn = now, True
        text = f"{self.what}: {done}" + (f" of {total}" if total is not None else "")
        print(f"\r{text:<78}", end="", file=sys.stderr, flush=True)


@contextmanager
def within(seconds: int, what: str, do: str) -> Iterator[None]:
    """Undecided where what stands under ``with`` takes longer."""
    try:
        with alarm(seconds):
            yield
    except TimeUp:
        plural = "s" * (seconds != 1)
        must = f"{what} within {seconds} second{plural}; {do}, or give more time with --seconds"
        raise Undecided(f"{must}.") from None


class Waiting:
    """Around a computation that has no steps to count: says on stderr how long it has taken, silent when quick."""

    def __init__(self, what: str) -> None:
        self.progress = Progress(what)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._tell, daemon=True)

    def _tell(self) -> None:
        while not self.over.wait(0.5):
            self.progress(f"{time.monotonic() - self.progress.started:.0f} s")

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *given: object) -> None:
        self.over.set()
        self.thread.join()
        self.progress.__exit__(*given)
