"""A family of small cases in few tests: pytest takes longer for a test than many of them do."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Sequence, Set
from typing import Any, TypeVar

import pytest

Case = TypeVar("Case")


def every(cases: Iterable[Any], check: Callable[..., None]) -> None:
    """`check` of each case, a tuple or one value; where some fail, all of these are named with what they say."""
    many, wrong = 0, []
    for case in cases:
        many += 1
        try:
            check(*(case if isinstance(case, tuple) else (case,)))
        except (Exception, pytest.fail.Exception) as error:
            wrong.append(f"{case!r:.200}: {type(error).__name__}: {str(error)[:500]}")
    assert many, "no cases"
    assert not wrong, f"{len(wrong)} of {many} cases fail:\n" + "\n".join(wrong)


def smallest(cases: Iterable[Case], features: Callable[[Case], Set[Any]], size: Callable[[Case], int]) -> list[Case]:
    """The smallest cases with each feature: in order of size those that have one which none before has."""
    seen, chosen = set[Any](), list[Case]()
    for case in sorted(cases, key=size):
        if not features(case) <= seen:
            seen |= features(case)
            chosen.append(case)
    return chosen


def together(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """What `pytest.mark.parametrize` makes many tests of as one test, for cases of which each takes next to nothing.

    What else the function asks for (fixtures) all cases share.
    """
    return lambda test: _joined(test, names, [list(cases)])


def in_parts(
    count: int, names: str | Sequence[str], cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The same in so many tests, each of which may go to a process of its own where they take long."""
    every_case = list(cases)
    parts = [every_case[part::count] for part in range(count)]

    def made(test: Callable[..., None]) -> Callable[..., None]:
        return pytest.mark.parametrize("part", range(count))(_joined(test, names, parts))

    return made


def _joined(test: Callable[..., None], names: str | Sequence[str], parts: list[list[Any]]) -> Callable[..., None]:
    given = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    alone = isinstance(names, str) and len(given) == 1
    signature = inspect.signature(test)
    rest = [p for name, p in signature.parameters.items() if name not in given]
    assert len(rest) + len(given) == len(signature.parameters) and "part" not in signature.parameters, given

    def whole(part: int = 0, **fixtures: Any) -> None:
        def check(*case: Any) -> None:
            test(**dict(zip(given, case, strict=True)), **fixtures)

        every([(case,) if alone else tuple(case) for case in parts[part]], check)

    if len(parts) > 1:
        rest.append(inspect.Parameter("part", inspect.Parameter.KEYWORD_ONLY))
    whole.__name__, whole.__qualname__, whole.__doc__ = test.__name__, test.__qualname__, test.__doc__
    vars(whole).update(vars(test))  # the marks that stand below
    whole.__module__ = test.__module__
    whole.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
    return whole


def in_pairs(**lists: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """`pytest.mark.parametrize` over so few rows that any two values of two lists meet in one of them.

    Nearly every fault that a choice of options shows is shown by two of them, and the whole product has many times as
    many rows: a family of this size need not take turns.
    """
    return pytest.mark.parametrize(tuple(lists), pairwise(*map(list, lists.values())))


def pairwise(*lists: list[Any]) -> list[tuple[Any, ...]]:
    """Rows of the product in which each pair of values of two lists occurs: one by one that with most new pairs."""

    def pairs(row: tuple[int, ...]) -> set[tuple[int, int, int, int]]:
        return {(a, row[a], b, row[b]) for a, b in itertools.combinations(range(len(row)), 2)}

    product = list(itertools.product(*(range(len(one)) for one in lists)))
    missing, rows = set().union(*map(pairs, product)), []
    while missing:
        rows.append(max(product, key=lambda row: len(pairs(row) & missing)))
        missing -= pairs(rows[-1])
    return [tuple(one[k] for one, k in zip(lists, row, strict=True)) for row in rows]
