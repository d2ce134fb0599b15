"""A family in one test fails where any of its cases does, and names all of these."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from families import by_turns, every, together


def small(number: int) -> None:
    assert number < 3
    if number == 0:
        with pytest.raises(ValueError, match="never"):
            pass


def test_all_failing_cases_are_named() -> None:
    every([1, 2], small)
    every([(1,), (2,)], small)
    with pytest.raises(AssertionError, match=r"3 of 5 cases fail:\n0: Failed: .*\n3: AssertionError: (.*\n)+4: Asser"):
        every(range(5), small)
    with pytest.raises(AssertionError, match="no cases"):
        every([], small)


def test_a_function_of_cases_is_one_test_with_what_else_it_asks_for() -> None:
    @together("number", [1, 2])
    def alone(number: int) -> None:
        small(number)

    @together(("number", "word"), [(1, "a"), (2, "b"), (4, "c"), (5, "d")])
    def of_two(word: str, seen: list[str], number: int) -> None:
        seen.append(word)
        small(number)

    alone()
    assert [list(inspect.signature(f).parameters) for f in (alone, of_two)] == [[], ["seen"]]
    seen: list[str] = []
    with pytest.raises(AssertionError, match=r"2 of 4 cases fail:\n\(4, 'c'\): AssertionError: (.*\n)+\(5, 'd'\): "):
        of_two(seen=seen)
    assert seen == ["a", "b", "c", "d"]


@together(("number", "text"), [(1, "1"), (2, "2")])
def test_fixtures_are_handed_on(number: int, text: str, tmp_path: Path) -> None:
    assert (str(number), tmp_path.is_dir()) == (text, True)


def test_parts_hold_every_case_once() -> None:
    @by_turns(3, "number", range(10))
    def small_in_parts(number: int, seen: list[int]) -> None:
        seen.append(number)

    assert list(inspect.signature(small_in_parts).parameters) == ["seen", "part"]
    assert {mark.name: mark.args for mark in small_in_parts.pytestmark} == {
        "parametrize": ("part", range(3)), "sampled": (3,)
    }  # fmt: skip
    seen: list[int] = []
    for part in range(3):
        small_in_parts(seen=seen, part=part)
    assert seen == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    with pytest.raises(AssertionError, match="4 of 4"):
        by_turns(3, "number", range(4, 14))(small)(part=0)


@by_turns(2, "number", [1, 2])
def test_parts_take_turns(number: int, tmp_path: Path) -> None:
    assert number in (1, 2) and tmp_path.is_dir()
