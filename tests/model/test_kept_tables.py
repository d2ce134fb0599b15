"""Tables by the position are kept as trees: beside sympy's reading of their text."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import symcook as sc
from symcook.compose.states import table_of
from symcook.model.entries import kept_number
from symcook.model.symbols import PositionTable, exact, from_sympy, lowered


def test_a_table_is_the_tree_that_sympy_gives_for_its_text() -> None:
    draw = random.Random(80)
    numbers = [Fraction(0), Fraction(1), Fraction(-1, 3), Fraction(7), Fraction(5, 2)]
    for _ in range(25):
        values, start = [draw.choice(numbers) for _ in range(draw.randint(1, 9))], draw.choice([0, 1])
        table, read = PositionTable.of(values, start), exact(table_of(values, start))
        assert lowered(table) == lowered(read)
        if isinstance(table, PositionTable):
            assert table.expression == read and kept_number(table_of(values, start)) == table


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
    number = kept_number(text)
    assert isinstance(number, PositionTable) is kept
    assert lowered(number) == lowered(exact(text))


def test_a_model_with_tables_is_the_same_after_a_file(tmp_path) -> None:
    state = {"embedding.weight": [[1, 0], [0, 1]], "positions.weight": [[1, 0], [-2, 0.5], [0, 3]],
             "output.weight": [[0, 1], [1, 0]]}  # fmt: skip
    model = sc.from_state_dict(state, vocabulary="ab")
    model.save(tmp_path / "m.json")
    again = sc.load(tmp_path / "m.json")
    assert again == model and hash(again.embedding) == hash(model.embedding)
    assert from_sympy(again.embedding.positions["x0"]) == "if(i < 2, 1, if(i < 3, -2, 0))"
    # By hand: (x0, x1) = (2, 0), (-2, 3/2), (1, 3), and b is where x0 is larger.
    assert model.run("aba").outputs == again.run("aba").outputs == ["b", "a", "a"]
