"""How far a number may go while something stays right: steps and halvings, and then intervals that show all between."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symcook.errors import Undecided

HALVINGS = 60


def last_right(
    right_at: Callable[[Fraction], bool], first: Fraction, limit: Fraction, near: Fraction
) -> tuple[Fraction, Fraction | None]:
    """The last place seen to be right, from 0 on, and one at most `near` behind it that is not.

    Steps begin with `first` and are doubled; where `limit` is reached and right, the second place is None.
    """
    good, bad = Fraction(0), first
    while right_at(bad):
        good, bad = bad, 2 * bad
        if good >= limit:
            return good, None
    while bad - good > near:
        middle = (good + bad) / 2
        good, bad = (middle, bad) if right_at(middle) else (good, middle)
    return good, bad


def show_between(right_between: Callable[[Fraction, Fraction], bool], start: Fraction, end: Fraction) -> None:
    """Show that all is right from `start` to `end`, by intervals that are halved where needed.

    right_between: whether all is right on an interval, False where that is not shown. Raises Undecided where an
    interval stays open after HALVINGS halvings.
    """
    todo = [(start, end, HALVINGS)] if end > start else []
    while todo:
        low, high, left = todo.pop()
        if right_between(low, high):
            continue
        if left == 0:
            raise Undecided(f"the answer stayed open between {float(low):.12g} and {float(high):.12g}")
        middle = (low + high) / 2
        todo += [(middle, high, left - 1), (low, middle, left - 1)]
