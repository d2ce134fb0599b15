"""The run of a model is a list of typed definitions, and what finds proofs reads these."""

from __future__ import annotations

from symcook.model import modelfile
from symcook.model.expr import parse_term
from symcook.proof.definitions import DefinedRun, EmbeddingRow, HardRow, MeanRow, SoftRow, UnitsRow
from symcook.proof.runrel import Relation, stored_model
from symcook.proof.runvalues import Combination, Expressed, Score, Weighted, at_position
from symcook.recipes import build


def run_of(model: str) -> DefinedRun:
    return Relation(modelfile.to_document(build(model))).whole


def test_the_definitions_of_dyck_1_are_typed_and_print_its_equations() -> None:
    """Merrill, 2024: the balance is the mean of the tokens' values, the error what a ReLU keeps of it."""
    whole = run_of("dyck-1")
    token, balance, error, total = whole.definitions
    assert token.row == EmbeddingRow(tokens=(("1", 0), ("-1", 1)), position=None)
    assert isinstance(balance.row, MeanRow) and balance.row.value == Combination((Weighted("1", "token"),))
    assert isinstance(error.row, UnitsRow) and [*error.reads()] == ["balance"]
    assert isinstance(total.row, MeanRow) and (total.row.seen.low, total.row.seen.high) == ("1", "i")
    assert balance.text == "balance(i) = sum(j, 1, i, token(j))/i"
    assert whole.parts == [one.everywhere for one in whole.definitions]


def test_heads_have_their_scores() -> None:
    head = run_of("predecessor-quadratic").of["found"].row
    assert isinstance(head, HardRow) and head.ties == "average" and isinstance(head.score, Score)
    assert head.score.at("k") == "2*before(i)*index(k) + -one(i)*square(k)"
    assert [*head.score.queries()] == ["before", "one"] and [*head.score.keys()] == ["index", "square"]
    renamed = head.equation("f(i)", lambda name, place: at_position(name.upper(), place))
    assert "2*BEFORE(i)*INDEX(k)" in renamed and "index" not in renamed
    soft = run_of("first").definitions
    assert any(isinstance(one.row, SoftRow) for one in soft)


def test_every_function_that_an_equation_names_is_read() -> None:
    """The names in the text, found by looking for them, in models with norms, projections and heads of all kinds."""
    for name in ("automaton-nonstrict-parity", "parity-layernorm-surer"):
        whole = Relation(stored_model(name)).whole
        for one in whole.definitions:
            words = words_of(one.text)
            assert {*one.reads()} == words & whole.of.keys() - {one.function}, (name, one.function)


def test_of_a_term_of_a_family_every_function_is_read_that_the_grammar_does_not_have() -> None:
    term = parse_term("relu(x(i) - 2*f(i, k)) + sin(g(n))")
    assert [*Expressed(term).reads()] == ["x", "f", "g"]


def words_of(text: str) -> set[str]:
    return {word for word in "".join(x if x.isalnum() or x == "_" else " " for x in text).split()}
