"""Statements that are proved from the closed forms of their model: the lines that `derive` prints."""

from __future__ import annotations

import pytest

import symcook as sc
from symcook.closed import every_length
from symcook.model.modelfile import to_document
from symcook.proof.statements import certify
from symcook.proof.statements.inturn import by_forms


def test_a_printed_verdict_is_proved() -> None:
    (*_, line) = every_length(sc.build("dyck-1")).forms[0].lines
    assert line.startswith("accept <-> ") and sc.build("dyck-1").prove(line).status == "PROVED"


@pytest.mark.sweep
@pytest.mark.parametrize(
    "name", ["dyck-1", pytest.param("first", marks=pytest.mark.campaign), "first-position", "modulo"]
)
@pytest.mark.layer_two(every=3)
def test_the_lines_of_the_readout_are_proved(name: str) -> None:
    model = sc.build(name)
    lines = dict.fromkeys(line for form in every_length(model).forms for line in form.lines)
    for line in lines:
        answer = model.prove(line, 60)
        assert answer.status == "PROVED", (line, answer.why)


@pytest.mark.sweep
def test_a_false_line_is_not_proved_from_the_forms() -> None:
    document = to_document(sc.build("dyck-1"))
    for line in ('balance(n) = (2*count("(") - n + 1)/n', 'accept <-> 2*count("(") = n'):
        statement = certify.claim(document, line)
        assert by_forms(document, certify.library(statement, certify.citable()), statement, 5) is None


def test_a_statement_about_more_than_the_run_has_no_proof_from_the_forms() -> None:
    document = to_document(sc.build("dyck-1"))
    statement = certify.claim(document, 'matches("()") -> accept')
    assert by_forms(document, certify.library(statement, certify.citable()), statement, 5) is None
