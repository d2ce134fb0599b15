"""Names in definitions after ``where`` that text hides: a position in a prefix, and in ``logit(i)``."""

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.model.modelfile import to_document
from symcook.proof.statements import certify


def votes(position: str, **ends: str) -> sc.Transformer:
    """The mean of the votes up to each position."""
    tokens = {"a": {"vote": 1}, "b": {"vote": -1}} | {token: {"vote": 3} for token in ends.values()}
    b = sc.Builder(words=tokens, **ends)
    b.readout("sign", position, b.add(sc.head(value={"mean": "vote"}, mask="causal")), weights=[1])
    return b.build("votes")


@pytest.mark.parametrize("sentence", [
    "r(1) = r(2) where r(j) := changed(j, a).mean(n)",
    "all i in 1..n. r(i) = r(1) where r(p) := deleted(p).mean(n - 1)",
    "r(1) = s(2) where r(j) := s(j), s(k) := swapped(k, j).mean(n)",
    "r(p) where r(k) := all p in 1..n. changed(p, a).mean(n) <= k",
])  # fmt: skip
def test_a_prefix_has_no_name_that_a_definition_binds(sentence: str) -> None:
    with pytest.raises(BadInput, match="takes a position of the statement"):
        certify.claim(to_document(votes("last")), sentence)


def test_a_prefix_has_positions_of_the_statement() -> None:
    assert votes("last").prove("x <= 1 where x := changed(p, a).vote(p)").status == "PROVED"


@pytest.mark.layer_one(0, 1, 3)
@pytest.mark.parametrize("sentence, status", [
    ("all j in 1..n. r(1) = logit(j) where r(j) := logit(j)", "REFUTED"),
    ("all j in 1..n. r(1) = mean(j) where r(j) := logit(j)", "REFUTED"),
    ("all i in 1..n. r(i) = n*logit(i) where r(k) := sum(i, 1, n, logit(i)) + 0*k", "REFUTED"),
    ("all i in 1..n. r(i) = mean(i) where r(k) := logit(k)", "PROVED"),
])  # fmt: skip
def test_a_position_in_logit_is_the_argument_of_a_definition(sentence: str, status: str) -> None:
    assert votes("each").prove(sentence, seconds=60).status == status


@pytest.mark.sweep
def test_a_token_that_is_added_at_both_ends() -> None:
    """The equations of a second run have it at both; strings with edits are refused."""
    plain, both = votes("last"), votes("last", before="#", after="#")
    assert plain.prove("n + 2 = other.n & other.vote(1) = 3 & other.vote(other.n) = 3", other=both).status == "PROVED"
    with pytest.raises(BadInput, match="adds '#' at both ends"):
        certify.claim(to_document(both), "appended(a).accept")
