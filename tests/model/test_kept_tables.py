"""Tables by the position are kept as trees: beside sympy's reading of their text."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

import symcook as sc
from symcook.compose.states import table_of
from symcook.model.entries import held_values, kept_number
from symcook.model.modelfile import _floats
from symcook.model.symbols import PositionTable, exact, from_sympy, lowered


def test_a_table_is_the_tree_that_sympy_gives_for_its_text() -> None:
    draw = random.Random(80)
    numbers = [Fraction(0), Fraction(1), Fraction(-1, 3), Fraction(7), Fraction(5, 2)]
    for _ in range(25):
        values, start = [draw.choice(numbers) for _ in range(draw.randint(1, 9))], draw.choice([0, 1])
        table, read = PositionTable.of(values, start), exact(table_of(values, start))
        assert lowered(table) == lowered(read)
        if isinstance(table, PositionTable):
            assert table.expression == read and kept_number(table_of(values, start), tables=True) == table


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("if(i < 2, 1/2, if(i = 3, -3, 0))", True),
        ("if(i < 2, 2/4, 0)", True),
        ("I[i < 2]", True),
        ("if(i < 0, 1, 2)", False),  # 2 everywhere
        ("if(i <= 2, 1, 2)", False),
        ("if(i < n, 1, 2)", False),
        ("if(n < 2, 1, 2)", False),
        ("if(i < 1/2, 1, 2)", False),
        ("if(i < 2, i, 2)", False),
        ("I[~(i < n & n < 4)]", False),
    ],
)
def test_which_texts_are_tables(text: str, kept: bool) -> None:
    number = kept_number(text, tables=True)
    assert isinstance(number, PositionTable) is kept
    assert lowered(number) == lowered(exact(text))


def test_a_model_with_tables_is_the_same_after_a_file(tmp_path: Path) -> None:
    state = {"embedding.weight": [[1, 0], [0, 1]], "positions.weight": [[1, 0], [-2, 0.5], [0, 3]],
             "output.weight": [[0, 1], [1, 0]]}  # fmt: skip
    model = sc.from_state_dict(state, vocabulary="ab")
    model.save(tmp_path / "m.json")
    again = sc.load(tmp_path / "m.json")
    assert isinstance(held_values(again.embedding.positions)["x0"], PositionTable)
    assert again == model and hash(again.embedding) == hash(model.embedding)
    assert from_sympy(again.embedding.positions["x0"]) == "if(i < 2, 1, if(i < 3, -2, 0))"
    # By hand: (x0, x1) = (2, 0), (-2, 3/2), (1, 3), and b is where x0 is larger.
    assert model.run("aba").outputs == again.run("aba").outputs == ["b", "a", "a"]


def test_large_matrices_of_floats_are_read_as_floats(tmp_path: Path) -> None:
    draw = random.Random(80)
    output = [[draw.random() - 0.5 for _ in range(65)] for _ in range(64)]  # more than 4,096 entries
    state = {"embedding.weight": [[float(r == c) for c in range(65)] for r in range(64)], "output.weight": output}
    model = sc.from_state_dict(state, vocabulary=[f"t{k}" for k in range(64)])
    model.save(tmp_path / "m.json")
    again = sc.load(tmp_path / "m.json")
    assert again == model and again.readout.weights.floats.tolist() == output
    assert again.readout.weights[3, 5] == exact(Fraction(output[3][5]))
    # The largest output of token k is that of the row with the largest entry in column k.
    best = max(range(64), key=lambda row: output[row][7])
    assert again.run(["t7"]).outputs == [f"t{best}"]


@pytest.mark.parametrize(
    ("ratios", "floats"),
    [
        ([(1, 2), (-3, 1), (0, 1)], [0.5, -3.0, 0.0]),
        ([(2**53 - 1, 2**999)], [(2**53 - 1) * 2.0**-999]),
        ([(1, 3), (1, 2)], None),
        ([(2**53 + 1, 2)], None),
        ([(1, 2**1074)], None),  # a float, but not in the range that is tested
        ([(1, 1), (2, 1)], None),
    ],
)
def test_which_ratios_are_floats(ratios: list[tuple[int, int]], floats: list[float] | None) -> None:
    assert _floats(ratios) == floats
    for (p, q), number in zip(ratios, floats or (), strict=False):
        assert Fraction(number) == Fraction(p, q)
