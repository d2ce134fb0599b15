"""Every set in a fold is read, whatever was read before it: sets of equal size are no longer taken for one another."""

from __future__ import annotations

import pytest

from symcook.decide.allowed import NotAllowed, require_allowed
from symcook.spec.fold import Fold


def three_sets(state: int, symbol: str) -> int:
    if state in {1000, 2000}:
        return 1
    if state in {3000, 4000}:
        return 2
    return 3 if state in {5000, 6000} else state


def floats_behind(state: int, symbol: str) -> int:
    if state in {1000, 2000}:
        return 1
    return 2 if state in {2.5, 3.5} else state


def is_seven(state: int) -> bool:
    return state == 7


def test_the_integers_of_all_sets_are_found() -> None:
    assert {1000, 2000, 3000, 4000, 5000, 6000} <= {*require_allowed(Fold(0, three_sets, is_seven))}


def test_floats_in_a_later_set_are_refused() -> None:
    with pytest.raises(NotAllowed):
        require_allowed(Fold(0, floats_behind, is_seven))
