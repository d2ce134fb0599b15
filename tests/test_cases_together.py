"""A family in one test fails where any of its cases does, and names all of these."""

from __future__ import annotations

import inspect
import itertools
from pathlib import Path

import pytest
from families import every, in_pairs, in_parts, pairwise, together


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
    @in_parts(3, "number", range(10))
    def small_in_parts(number: int, seen: list[int]) -> None:
        seen.append(number)

    assert list(inspect.signature(small_in_parts).parameters) == ["seen", "part"]
    assert [(mark.name, mark.args) for mark in small_in_parts.pytestmark] == [("parametrize", ("part", range(3)))]
    seen: list[int] = []
    for part in range(3):
        small_in_parts(seen=seen, part=part)
    assert seen == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    with pytest.raises(AssertionError, match="4 of 4"):
        in_parts(3, "number", range(4, 14))(small)(part=0)


@in_parts(2, "number", [1, 2])
def test_parts_are_given_fixtures(number: int, tmp_path: Path) -> None:
    assert number in (1, 2) and tmp_path.is_dir()


@pytest.mark.parametrize("sizes", [(1,), (2, 3), (3, 3, 3), (2, 8, 2), (5, 5, 5), (4, 1, 3, 2)])
def test_any_two_values_meet_in_a_row(sizes: tuple[int, ...]) -> None:
    lists = [[f"{column}{k}" for k in range(size)] for column, size in zip("abcd", sizes, strict=False)]
    rows = pairwise(*lists)
    for one, other in itertools.combinations(range(len(lists)), 2):
        met = {(row[one], row[other]) for row in rows}
        assert met == set(itertools.product(lists[one], lists[other]))
    assert len(rows) <= 1 + 1.5 * max((a * b for a, b in itertools.combinations(sizes, 2)), default=0)
    assert set(rows) <= set(itertools.product(*lists)) and len(rows) == len(set(rows))


def test_a_family_in_pairs_is_parametrized_by_its_rows() -> None:
    @in_pairs(number=[1, 2], word=("a", "b"))
    def of_two(word: str, number: int) -> None:
        pass

    (mark,) = of_two.pytestmark
    assert mark.args[0] == ("number", "word") and sorted(mark.args[1]) == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]
