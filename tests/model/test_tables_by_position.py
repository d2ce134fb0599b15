"""The text of a table by position in a model file is what sympy prints after it has read the text."""

import random
from fractions import Fraction
from pathlib import Path

import pytest

import symcook as sc
from symcook.compose.states import table_of
from symcook.model.expr import parse_term
from symcook.model.modelfile import _is_table
from symcook.model.symbols import exact, from_sympy


@pytest.mark.parametrize("seed", range(4))
def test_a_table_is_written_as_sympy_reads_it(seed: int) -> None:
    rng = random.Random(seed)
    values = [Fraction(rng.randint(-9, 9), rng.choice((1, 2, 3, 2**40))) for _ in range(rng.randint(2, 40))]
    text = from_sympy(exact(table_of(values, rng.choice((0, 1)))))
    assert _is_table(parse_term(text))
    assert from_sympy(exact(text)) == text


def test_a_model_with_a_table_is_read_back_as_it_was(tmp_path: Path) -> None:
    weights = {"embedding.weight": [[1, 0], [0, 1]], "positions.weight": [[1, 0], [0, -3], [2, 2]]}
    model = sc.from_state_dict(weights, vocabulary="ab")
    model.save(tmp_path / "m.json")
    assert sc.load(tmp_path / "m.json") == model
