"""The two retrievals beside loops over all short walks, and where each stops being right."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest

from symcook.domains import make_domain
from symcook.forward import forward
from symcook.thought.heads import TIES, certainly_right, input_tape, last_write, printed_tie
from symcook.thought.retrieval import tie_break


def walks(length: int) -> Iterator[tuple[int, ...]]:
    """All walks from 0 with steps of at most 1."""
    for moves in itertools.product((-1, 0, 1), repeat=length - 1):
        yield tuple(itertools.accumulate(moves, initial=0))


def found(tie: str, cells: Sequence[int], values: Sequence[int], mask: str = "strict-future") -> list[Fraction]:
    model = last_write(tie, mask)
    rows = model.rows([{"cell": cell, "value": value} for cell, value in zip(cells, values, strict=True)])
    result = forward(model, rows, make_domain("exact" if tie == "rightmost" else "ball"))
    return [Fraction(str(result.stream["found"][k])) for k in range(len(cells))]


def last(cells: Sequence[int], i: int) -> int | None:
    return next((j for j in range(i - 1, -1, -1) if cells[j] == cells[i]), None)


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("tie", TIES)
def test_the_last_write_on_every_short_walk(tie: str) -> None:
    draw = random.Random(5)
    for cells in [*walks(4), *draw.sample(list(walks(7)), 25)]:
        values = [3**k for k in range(len(cells))]
        answers = found(tie, cells, values)
        for i in range(len(cells)):
            j = last(cells, i)
            if j is not None:
                assert answers[i] == values[j], (cells, i)
                assert certainly_right(cells, i + 1, tie) is True
            else:
                assert certainly_right(cells, i + 1, tie) is None


@pytest.mark.parametrize(("tie", "first"), [("norms", 4), ("printed", 512)])
def test_far_cells_too_early_are_not_told_apart(tie: str, first: int) -> None:
    """A false neighbour: a jump to a cell far from 0, where the tie-break is larger than the gap."""
    far = (2**k for k in range(20))
    wrong = next(h for h in far if certainly_right((h + 1, h, h + 1), 3, tie) is False)
    assert wrong == first
    cells = (wrong + 1, wrong, wrong + 1)
    assert found(tie, cells, (1, 3, 9))[2] != 1 and found("rightmost", cells, (1, 3, 9))[2] == 1


def test_without_a_strict_mask_a_position_finds_itself() -> None:
    assert found("rightmost", (0, 1, 0), (1, 3, 9), "future") == [1, 3, 9]


def test_both_tie_breaks_are_under_every_gap() -> None:
    """At all j to 3,000 exactly: positive, falling, and less than 1/(2 j^4)."""
    import flint

    for j in range(1, 3001):
        assert 0 < printed_tie(j + 1) < printed_tie(j) and printed_tie(j) < Fraction(1, 2 * j**4)
        with flint.ctx.workprec(200):
            assert 0 < tie_break(j + 1) < tie_break(j) and 64 * flint.arb(j) ** 4 * tie_break(j) <= 1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_input_tape(n: int) -> None:
    model = input_tape()
    cells = list(range(-2, n + 4))
    rows = [{"cell": 0, "value": 3**k, "inside": 1} for k in range(n)]
    rows += [{"cell": cell, "value": -1, "inside": 0} for cell in cells]
    result = forward(model, model.rows(rows), make_domain("ball"))
    for k, cell in enumerate(cells):
        assert Fraction(str(result.stream["found"][n + k])) == 3 ** (min(max(cell, 1), n) - 1), cell
