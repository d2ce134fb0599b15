"""Boolean parts in the proofs of compiled formulas: only bits on which a case turns are split."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared import second_checker

import symcook as sc
from symcook.errors import Undecided
from symcook.programs.reading import formula_of
from symcook.proof.programs import compiledprograms, formulas
from symcook.proof.statements import certify

WIDE = "Q_a & prev Q_b & next Q_b & prev prev Q_b | Q_b & prev Q_c & next next Q_c"
"""Five heads beside three letters, 96 cases, of which the letters ask for eight."""


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    "source", [WIDE, "prev Q_a & next Q_b & prev prev Q_c & next next Q_a & prev next prev Q_b & Q_c"]
)
def test_many_bits_of_which_few_are_asked_for(source: str, tmp_path: Path) -> None:
    model = sc.compile("ltl", source, alphabet="abc")
    statement, found = compiledprograms.prove(model, 300)
    assert found.verdict is not None and found.verdict.words == "PROVED", found.missing
    done = second_checker(tmp_path, statement, found.certificate or {})
    assert done.returncode == 0, done.stdout + done.stderr


def nested(many: int) -> str:
    """So many operators, each inside of the next."""
    made = "Q_a"
    for place in range(many):
        made = ("prev ({})", "Q_b since ({})", "~({})", "({}) | Q_c", "({}) since Q_c")[place % 5].format(made)
    return made


@pytest.mark.sweep
@pytest.mark.parametrize("many, rows", [(100, False), (200, True)])
@pytest.mark.layer_two(every=2)
def test_so_many_operators_inside_of_one_another_have_a_certificate(many: int, rows: bool, tmp_path: Path) -> None:
    """What the statement supposes is bracketed in halves, so that its depth is that of its names; beyond 120 truth
    functions these are rows of functions of two arguments. Shorter formulas keep theirs."""
    statement, found = compiledprograms.prove(sc.compile("ltl", nested(many), alphabet="abc"), 300)
    assert found.verdict is not None and found.verdict.words == "PROVED", found.missing
    assert statement.text.count(") -> (") < 10 and ("z1:Int*Int->Int" in statement.text) == rows
    done = second_checker(tmp_path, statement, found.certificate or {})
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("op", ["prev", "next"])
def test_an_operator_beside_what_is_nowhere_true_is_false(op: str) -> None:
    model = sc.compile("ltl", f"{op} (Q_a & Q_b & prev Q_a) | Q_c since Q_a", alphabet="abc")
    found = compiledprograms.prove(model, 60)[1]
    assert found.verdict is not None and found.verdict.words == "PROVED", found.missing


@pytest.mark.sweep
def test_a_false_claim_about_a_long_formula_is_refuted_by_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Premises in halves are met by runs as those that stand one by one are."""
    from symcook.model.modelfile import to_document

    monkeypatch.setattr(certify, "LONG", 10)
    said = formulas.sentence(formula_of(sc.compile("ltl", f"({nested(20)}) | Q_a", alphabet="abc").program))
    document = to_document(sc.compile("ltl", nested(20), alphabet="abc"))
    claim = certify.claim(document, said)
    assert "& (all i in 1..n. z3(i) = " in claim.text and "-> (all i in 1..n. z3(i) = " not in claim.text
    answer = certify.settle(claim, document, None, 60)
    assert answer.tried is not None and answer.tried.word is not None
    assert answer.verdict is not None and answer.verdict.status == "REFUTED"


def test_too_many_cases_are_refused() -> None:
    heads = [f"{'prev ' * k}Q_a" for k in range(1, 9)]
    parity = heads[0]
    for one in heads[1:]:
        parity = f"({parity}) <-> {one}"
    with pytest.raises(Undecided, match="more than 1024 cases"):
        compiledprograms.prove(sc.compile("ltl", parity, alphabet="ab"))
