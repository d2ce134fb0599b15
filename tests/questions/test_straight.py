"""How far a weight may move where softmax has scores: exact ends, against exact runs of every string with the weight
inside of them, at them and beyond. Several heads, all masks, hard attention too, added tokens, every readout.

`python test_straight.py FIRST LAST` runs more seeds than the test and counts what was compared.
"""

from __future__ import annotations

import sys
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from choosers import chooser
from flint import fmpq

import symcook as sc
from symcook.domains.exact import Exact
from symcook.errors import NotExact, SymcookError
from symcook.forward import forward
from symcook.numbers.balls import Ball
from symcook.questions.moving import answer
from symcook.questions.straight import OneStraight
from symcook.questions.tolerance import free, tolerance

NEAR = Fraction(1, 10**20)


def weight(model: sc.Transformer, r: Any) -> str:
    number = r.randrange(len(model.layers)) + 1
    heads = len(model.layers[number - 1].attention.heads)  # type: ignore[union-attr]
    part = r.choice(["ff.W1[1,1]", "ff.b1[2]", "ff.W2[1,1]", "ff.W2[2,3]", "", "", ""])
    return f"L{number}." + (part or f"head{r.randint(1, heads)}.V[1,{r.randint(1, 4)}]")


def compared(seed: int) -> str:
    """What came of one seed: by which way, or why it was not asked."""
    drawn, r = chooser(seed, ("softmax", "softmax", "average", "rightmost"))
    n, name = r.choice([1, 2]), weight(drawn, r)
    try:
        found = tolerance(drawn, name, n, min_length=n)
    except SymcookError:
        return "refused"
    if not found.notes["ends"].startswith("exact"):
        return "balls"
    moved, value = free(drawn, [name])
    symbol, start, row = moved.parameters[-1].name, Fraction(int(value)), found.row(n)

    def answers(at: Fraction, words: Any = None) -> list[Any]:
        bound = moved.bind({symbol: at})
        words = product("xy", repeat=n) if words is None else words
        return [answer(forward(bound, bound.tokens(word), Exact())) for word in words]

    right, kind = answers(start), "without an end"
    for side, end in ((-1, "low"), (1, "high")):
        cell = row[end]
        place = Fraction(cell.mid) if isinstance(cell, Ball) else cell
        assert isinstance(place, Fraction) or place is None
        inside = [start + side * Fraction(k) for k in (1, 7, 100)] if place is None else []
        if place is not None:
            kind = "irrational" if isinstance(cell, Ball) else "rational" if kind != "irrational" else kind
            inside += [start + (place - start) * k / 4 for k in (1, 2, 3)]
            inside += [place - side * NEAR] * (abs(place - start) > NEAR)
        for at in inside:
            assert answers(at) == right, (seed, end, at)
        if place is not None:
            word = [str(row[f"{end}_word"])]
            here = place if isinstance(cell, Fraction) and not row[f"{end}_in"] else place + side * NEAR
            if isinstance(cell, Fraction) or row[f"{end}_in"]:  # else it may be at that one place
                assert answers(here, word) != answers(start, word), (seed, end)
            if isinstance(cell, Fraction) and row[f"{end}_in"]:
                assert answers(place) == right, (seed, end)
    return kind


@pytest.mark.sweep
def test_exact_ends_of_softmax_models() -> None:
    found = Counter(
        map(compared, (seed for seed in range(12) if seed != 7))
    )  # of 7 balls leave an answer open, after long
    assert found["rational"] and found["irrational"] and found["without an end"] > 5, found


def test_parity_beyond_what_balls_tell() -> None:
    """The logit is exactly zero from 5/3 on at 01 and from 5/6 down at 11: no interval of balls tells that."""
    row = sc.build("parity").tolerance("L1.head1.V[1,1]", 2, min_length=2).row(2)
    assert (row["low"], row["low_in"], row["high"], row["high_in"]) == (Fraction(5, 6), True, Fraction(5, 3), False)


def test_scores_that_move_are_left_to_balls() -> None:
    moved, _ = free(sc.build("parity").bind(), ["L2.head1.K[1,1]"])
    with pytest.raises(NotExact):
        OneStraight(moved, "01", moved.parameters[-1].name, fmpq(0)).probe(fmpq(1))


if __name__ == "__main__":
    print(Counter(map(compared, range(int(sys.argv[1]), int(sys.argv[2])))))
