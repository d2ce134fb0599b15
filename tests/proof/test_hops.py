"""The tower of formulas for k hops against hops that are followed, on all short words."""

from __future__ import annotations

import itertools

import pytest
from proof.claims_hops import depths, hop, tower


@pytest.mark.parametrize(("size", "longest"), [(1, 7), (2, 6), (3, 5)])
@pytest.mark.parametrize("k", range(5))
def test_the_formula_says_where_the_hops_lead(size: int, longest: int, k: int) -> None:
    formula, ends = tower(size, k)
    assert max(depths(formula)[line - 1] for line in ends) == (k + 1 if k else 0)
    for n in range(1, longest + 1):
        for word in itertools.product(range(size), repeat=n):
            ahead = [hop(word, i, k) for i in range(1, n + 1)]
            rows = formula.truths(word)
            assert [rows[line - 1] for line in ends] == [
                [p > 0 and word[p - 1] == c for p in ahead] for c in range(size)
            ]


def test_hops_by_hand() -> None:
    assert [hop((0, 1, 0, 1, 1), i, 1) for i in range(6)] == [0, 0, 0, 2, 3, 5]
    assert [hop((0, 1, 0, 1, 1), 4, k) for k in range(4)] == [4, 3, 2, 0]
