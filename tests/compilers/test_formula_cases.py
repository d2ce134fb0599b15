"""Boolean parts in the proofs of compiled formulas: only bits on which a case turns are split."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared import second_checker

import symcook as sc
from symcook.errors import Undecided
from symcook.proof import formulas

WIDE = "Q_a & prev Q_b & next Q_b & prev prev Q_b | Q_b & prev Q_c & next next Q_c"
"""Five heads beside three letters, 96 cases, of which the letters ask for eight."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "source", [WIDE, "prev Q_a & next Q_b & prev prev Q_c & next next Q_a & prev next prev Q_b & Q_c"]
)
def test_many_bits_of_which_few_are_asked_for(source: str, tmp_path: Path) -> None:
    model = sc.compile("ltl", source, alphabet="abc")
    statement, found = formulas.prove(model, 300)
    assert found.verdict is not None and found.verdict.words == "PROVED", found.missing
    done = second_checker(tmp_path, statement, found.certificate or {})
    assert done.returncode == 0, done.stdout + done.stderr


def test_too_many_cases_are_refused() -> None:
    heads = [f"{'prev ' * k}Q_a" for k in range(1, 9)]
    parity = heads[0]
    for one in heads[1:]:
        parity = f"({parity}) <-> {one}"
    with pytest.raises(Undecided, match="more than 64 cases"):
        formulas.prove(sc.compile("ltl", parity, alphabet="ab"))
