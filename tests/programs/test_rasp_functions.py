"""Functions of RASP programs that look at more than the value: a table, a set, a type, a text, bits of a number.

Expected values are those of the function in plain Python, at each symbol.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.programs import rasp

RIGHT: dict[str, Callable[[Any], Any]] = {
    "a table in a sum": lambda x: x + {2: 5}.get(x, 0),
    "a set in a sum": lambda x: x + (1 if x in {2, 3} else 0),
    "the length of the text": lambda x: x + len(str(x)),
    "a formatted text": lambda x: 5 * x + (f"{x}" == "2"),
    "bits": lambda x: x & 1,
    "bits or": lambda x: x | 4,
    "all bits": lambda x: ~x,
    "a truth and a number": lambda x: (x > 1) & x,
    "both": lambda x: x and 5,
    "none": lambda x: x if x is not None else 0,
}
TYPES: dict[str, Callable[[Any], Any]] = {
    "isinstance in a sum": lambda x: x + 1 if isinstance(x, int) else x,
    "isinstance": lambda x: 1 if isinstance(x, int) else 0,
    "type": lambda x: x * 2 if type(x) is int else x,
    "repr": lambda x: len(repr(x)),
}


@pytest.mark.parametrize("what", RIGHT)
def test_a_function_is_that_of_the_values(what: str) -> None:
    f = RIGHT[what]
    model = sc.compile("srasp", rasp.Map(f, rasp.tokens), alphabet=[0, 1, 2, 3, 12])
    assert model.run([0, 1, 2, 3, 12]).outputs == [f(x) for x in (0, 1, 2, 3, 12)]


@pytest.mark.parametrize("what", TYPES)
def test_a_function_that_asks_for_the_type_is_refused(what: str) -> None:
    with pytest.raises(BadInput, match="one result for a number"):
        sc.compile("srasp", rasp.Map(TYPES[what], rasp.tokens), alphabet=[0, 1, 2])


@pytest.mark.parametrize("f", [
    lambda x: {0: 5}.get(x, 7), lambda x: 1 if x in {1, 2} else 0, lambda x: x + len(str(x)),
    lambda x: 1 if isinstance(x, int) else 0, lambda x: x + 1 if isinstance(x, int) else x, lambda x: x & 1,
])  # fmt: skip
def test_a_function_of_unbounded_numbers_is_arithmetic(f: Callable[[Any], Any]) -> None:
    with pytest.raises(BadInput):
        sc.compile("srasp", rasp.Map(f, rasp.indices), alphabet="ab")


def test_a_predicate_with_a_table_selects_by_values() -> None:
    nexts = {"a": "b", "b": "c"}
    selector = rasp.Select(rasp.tokens, rasp.tokens, lambda k, q: nexts.get(q) == k)
    model = sc.compile("srasp", rasp.SelectorWidth(selector), alphabet="abc")
    assert model.run("abcba").outputs == [2, 1, 0, 1, 2]


def test_a_predicate_that_asks_for_the_type_of_either_side_is_refused() -> None:
    predicates: list[Callable[[Any, Any], Any]] = [
        lambda k, q: isinstance(q, int) and k == q, lambda k, q: isinstance(k, int) and k == q,
    ]  # fmt: skip
    for predicate in predicates:
        with pytest.raises(BadInput, match="one result for a number"):
            selector = rasp.Select(rasp.tokens, rasp.tokens, predicate)
            sc.compile("srasp", rasp.SelectorWidth(selector), alphabet=[1, 2])


def test_a_function_may_choose_among_sequences() -> None:
    chosen = rasp.Map(lambda x: rasp.indices if x == "a" else rasp.length + x.count("b"), rasp.tokens)
    assert sc.compile("srasp", chosen, alphabet="ab").run("abba").outputs == [0, 5, 5, 3]


def test_operators_of_numbers_are_those_of_tracr() -> None:
    """In tracr `x & y` is the function `x and y`, and `x | y` is `x or y`: of numbers no truth."""
    word = [0, 1, 2]
    for made, right in (
        (rasp.tokens & 5, [0, 5, 5]), (rasp.tokens | 5, [5, 1, 2]), (5 | rasp.tokens, [5, 1, 2]),
        (5 & rasp.tokens, [0, 1, 2]), (rasp.tokens & rasp.tokens, [0, 1, 2]),
        (rasp.tokens & (rasp.tokens > 1), [False, False, True]), (rasp.tokens | (rasp.tokens < 1), [1, 1, 2]),
        ((rasp.tokens > 1) & rasp.tokens, [0, 0, 2]), (~rasp.tokens, [True, False, False]),
        ((rasp.tokens > 0) & (rasp.tokens < 2), [False, True, False]),
    ):  # fmt: skip
        assert sc.compile("srasp", made, alphabet=[0, 1, 2]).run(word).outputs == right


def test_a_sequence_is_neither_yes_nor_no() -> None:
    """Of Python's own `if` and `and` there was a TypeError without a sentence."""
    with pytest.raises(BadInput, match=r"a sequence must not be used as yes or no; given: .*; write Map\(lambda"):
        bool(rasp.tokens == "a")
