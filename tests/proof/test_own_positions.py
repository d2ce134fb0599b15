"""Terms at positions that no string has, messages that name the last position, and imported models."""

from __future__ import annotations

from typing import Any

import pytest
from test_own_renamed import votes

import symcook as sc
from symcook.errors import BadInput
from symcook.model.modelfile import dumps, loads, to_document
from symcook.proof.statements import certify

ONE, ZERO = votes(), votes("ab", start=0, before="^", after="$")


@pytest.mark.parametrize("model, sentence, said", [
    (ONE, "mean(0) = 1", "column 1, 'mean(0)': no string has the position 0; positions are 1 to n"),
    (ONE, "accept & mean(n + 1) = 1", "column 10, 'mean(n + 1)': no string has the position n + 1"),
    (ONE, "all i in 1..n. vote(i + n) = 1", "column 16, 'vote(i + n)': no string has the position i + n"),
    (ONE, "ex i in n + 1..n + 2. vote(i) = 0", "'vote(i)': no string has the position i"),
    (ONE, "all i in 1..n. i < 1 -> vote(i) = 1", "'vote(i)': no string has the position i"),
    (ONE, "at(a, n + 1)", "'at(a, n + 1)': no string has the position n + 1"),
    (ONE, "w(0) = 1", "'w(0)': no string has the position 0"),
    (ONE, "holds(Q_a, 0)", "no string has the position 0"),
    (ONE, "appended(a).mean(n + 2) = 1", "no string has the position n + 2; positions are 1 to n + 1"),
    (ONE, "deleted(p).mean(n) = 1", "no string has the position n; positions are 1 to n - 1; the last is n - 1"),
    (ONE, "prefix(p).mean(p + 1) = 1", "no string has the position p + 1; positions are 1 to p"),
    (ONE, "changed(p, a).mean(p - n) = 1", "no string has the position p - n"),
    (ZERO, "mean(n) = 1", "no string has the position n; positions are 0 to n - 1; the last is n - 1"),
    (ZERO, "mean@0(-1) = 1", "no string has the position"),
    (ZERO, "mean(n - 1) <= swapped(p, n - 1).mean(0)",  # the first part has a position: the prefix is what is wrong
     "no string has the positions that swapped(p, n - 1).NAME is about; positions of symbols are 1 to n - 2"),
    (ZERO, "accept -> appended(a).accept | prefix(0).accept", "positions that prefix(0).NAME is about"),
])  # fmt: skip
def test_a_term_at_a_position_that_no_string_has_is_refused(model: sc.Transformer, sentence: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        certify.claim(to_document(model), sentence)
    assert said in str(caught.value)


@pytest.mark.parametrize("model, sentence", [
    (ONE, "all i in 1..n. 2 <= i -> vote(i - 1) <= 1"),
    (ONE, "all i in 0..n. 1 <= i -> vote(i) <= 1"),
    (ONE, "vote(5) <= 1"),  # some strings have it
    (ONE, "all i in 1..n. i + 1 <= n -> vote(i + 1) <= 1"),
    (ONE, "sum(i, 0, n, I[1 <= i]*vote(i)) <= n"),
    (ONE, 'matches("a*", 0)'),
    (ONE, "appended(a).mean(n + 1) <= 1 & prefix(p).mean(p) <= 1 & deleted(p).mean(n - 1) <= 1"),
    (ONE, "all x:Real. x < 0 -> x < 1"),
    (ZERO, "mean(0) <= 1 & mean(n - 1) <= 1"),
])  # fmt: skip
def test_other_terms_are_not(model: sc.Transformer, sentence: str) -> None:
    certify.claim(to_document(model), sentence)


def test_a_model_has_no_position_beyond_its_maximum_length() -> None:
    b = sc.Builder(words={"a": {"x": 1}, "b": {}}, max_length=4)
    b.readout("sign", "last", "x", weights=[1])
    model = b.build("short")
    certify.claim(to_document(model), "x(4) <= 1")
    with pytest.raises(BadInput, match="no string has the position 5"):
        certify.claim(to_document(model), "x(5) <= 1")


def test_the_position_of_a_permutation_has_a_name_that_no_parameter_has() -> None:
    b = sc.Builder(words={"a": {"x": "p"}, "b": {}}, parameters=[sc.Parameter("p")])
    b.readout("sign", "last", b.add(sc.head(value={"m": "x"})), weights=[1])
    model = b.build("with p")
    claim = certify.claim(to_document(model), "m(n) <= permuted.m(n)")
    assert "p:Real" in claim.text and "p1:Int" in claim.text


@pytest.mark.parametrize("sentence, one, zero", [
    ("mean & accept", "mean(n)", "mean(n - 1)"),
    ("mean <= 1", "is written mean(n)", "is written mean(n - 1)"),
    ("vote(k) <= 1", "bind it: all k in 1..n. F", "bind it: all k in 0..n - 1. F"),
    ("forall i. accept", "all i in 1..n.", "all i in 0..n - 1."),
    ("∀ i. accept", "write all for", "write all for"),
    ("score(1, 1, n, n) <= permuted.mean(n)", "all i in 1..n.", "all i in 0..n - 1."),
])  # fmt: skip
def test_advice_names_the_positions_of_the_model(sentence: str, one: str, zero: str) -> None:
    for model, said in ((ONE, one), (ZERO, zero)):
        with pytest.raises(BadInput) as caught:
            certify.claim(to_document(model), sentence)
        assert said in str(caught.value), caught.value


def state(rows: int) -> dict[str, Any]:
    """One coordinate of the token and one of the position."""
    return {
        "embedding.weight": [[1, 0], [-1, 0]], "positions.weight": [[0, k * k] for k in range(rows)],
        "output.weight": [[1, 0], [-1, 1]],
    }  # fmt: skip


def test_an_imported_model_counts_from_1_and_an_old_file_as_it_says() -> None:
    model = sc.from_state_dict(state(4), vocabulary="ab", norm="none", activation="relu", heads=1)
    assert model.embedding.start == 1
    # The row k of the table is at the k-th position, whatever its number is.
    name = model.space.names[1]
    for word in ("a", "ab", "abba"):
        values = model.run(word, trace=True).trace[-1]["coordinates"][name]
        assert [int(str(x)) for x in values] == [k * k for k in range(len(word))]
    assert model.prove(f"{name}(n) = (n - 1)^2").status == "PROVED"
    with pytest.raises(BadInput, match="no string has the position 0"):
        certify.claim(to_document(model), f"{name}(0) = 0")
    # An old file says that it counts from 0.
    text = dumps(model).replace('"start": 1', '"start": 0').replace("i < ", "i + 1 < ")
    old = loads(text)
    assert old.embedding.start == 0 and old.run("abba").outputs == model.run("abba").outputs
