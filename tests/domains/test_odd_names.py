"""Names in closed forms: no two things of an answer have one text, and what is printed is what runs give.

`odd_names.drawn` has the models at random; 160 of them are in `sweep_odd_names.py`, more in a campaign.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from forms_said import compared, majority
from odd_names import asked

import symcook as sc
from symcook.closed import every_length
from symcook.domains.spelling import OWN_NAMES, WORDS
from symcook.errors import Undecided
from symcook.proof.statements import reader, vocabulary


def beside(weighting: str, other: str) -> sc.Transformer:
    """The sign of the first or last x minus another input, at each position."""
    b = sc.Builder(inputs=["x", other], positions={"one": "1"})
    b.add(sc.head(value={"m": "x"}, weighting=weighting))
    b.readout("sign", "each", ["m", other], weights=[1, -1])
    return b.build("beside")


@pytest.mark.parametrize(
    ("weighting", "other"), [("rightmost", "x_last"), ("leftmost", "x_1"), ("rightmost", "x_last_")]
)
def test_an_input_with_the_name_of_another_one_at_a_place(weighting: str, other: str) -> None:
    """The logit was 0, beside a proof; on the rows (1, 0), (5, 2) it is 5 and 3."""
    found = every_length(beside(weighting, other))
    assert found.forms[0].output["logit"] != "0"
    assert compared(found, 2)[1] > 400


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("name", ["S1", "r1", "p", "n1", "k1", "x_j", "p_j", "x_x"])
def test_an_input_with_the_name_of_a_sum(name: str) -> None:
    b = sc.Builder(inputs=[name, "y"], positions={"one": "1", "q": "1/i"})
    b.add(sc.head(value={"h": name}, mask="causal"))
    b.readout("sign", "each", ["h", name, "y"], weights=[1, 1, 1])
    assert compared(every_length(b.build("m")), 2)[1] > 300


@pytest.mark.layer_one(0, 1, 2, 3, 5, 6)
@pytest.mark.parametrize("name", ["k1", "p", "p1", "p_j", "S1", "x_last", "j", "k", "w"])
def test_a_symbol_with_the_name_of_a_count(name: str) -> None:
    b = sc.Builder(
        words={"a": {"v": 1}, "b": {"v": -1}, "c": {}}, positions={"one": "1", "q": "1/i"},
        parameters=[sc.Parameter(name, lower=0, upper=1)],
    )  # fmt: skip
    b.add(sc.head(value={"m": f"v + q - {name}*one"}, symbols=[name], mask="causal"))
    b.readout("sign", "each", "m", weights=[1])
    assert compared(every_length(b.build("m")), 2, {name: Fraction(1, 3)})[1] > 50


def test_a_lookup_beside_an_input_with_its_name() -> None:
    """x at the last x and x_x at the end had one text; x_last, on which the first depends, was explained nowhere."""
    b = sc.Builder(inputs=["x", "x_x"], positions={"here": "i", "square": "-i^2", "one": "1"})
    b.add(sc.head({("x", "here"): 2, ("one", "square"): 1}, {"g": "x"}, weighting="leftmost"))
    b.readout("sign", "last", ["g", "x_x"], weights=[1, 5])
    found = every_length(b.build("look"))
    assert compared(found, 2)[1] > 20
    assert found.forms[0].output == {"logit": "x(x(n)) + 5*x_x(n)"}


def test_an_input_that_is_written_to_is_another_thing_than_its_coordinate() -> None:
    embedding = sc.Embedding(sc.Space(("x", "one")), inputs=("x",), positions={"one": "1"})
    layer = sc.Layer(sc.head(value={"x": "one"}, weighting="average"))
    model = sc.Transformer("written", embedding, (layer,), sc.Readout("sign", "each", ("x",), [[1]]))
    found = every_length(model)
    assert found.forms[0].output == {"logit": "x@0(i) + 1"}
    assert compared(found, 3)[1] > 50


@pytest.mark.layer_one(1, 2, 4, 5, 6, 7)
@pytest.mark.parametrize("letters", ["10", "ba", "ni", "k1", ("all", "exp"), ('"', "'"), ("é", "v"), ("at", "w")])
def test_tokens_are_written_as_statements_read_them(letters: tuple[str, str]) -> None:
    """A digit was the number of another token."""
    first, second = letters
    b = sc.Builder(words={first: {"v": 1}, second: {"v": -1}}, positions={"q": "1/i"})
    b.add(sc.feedforward({"u": "relu(v + q)"}))
    b.add(sc.head(value={"m": "u"}, mask="causal"))
    b.readout("sign", "last", "m", weights=[1])
    found = every_length(b.build("m"))
    assert compared(found, 3)[1] > 50
    if letters == "10":
        (line,) = [line for line in found.forms[0].lines if line.startswith("logit")]
        assert 'at("1", j)' in line and found.model.prove(line, 1).status != "REFUTED"


def test_a_quoted_bracket_is_no_bracket() -> None:
    """A sum that names the token ) was not bracketed where it is divided."""
    assert asked(322, 1) is not None


def test_no_name_of_a_form_is_a_word_of_statements() -> None:
    assert {*reader.WORDS} <= WORDS and {*vocabulary.OWN_NAMES} == OWN_NAMES
    b = sc.Builder(inputs=["accept", "at"], positions={"q": "1/i"})
    b.add(sc.head(value={"m": "accept - at"}, mask="causal", weighting="rightmost"))
    b.readout("sign", "each", ["m", "accept"], weights=[1, 1])
    found = every_length(b.build("m"))
    assert found.forms[0].output == {"logit": '2*"accept"(i) - "at"(i)'}
    assert compared(found, 2)[1] > 300


def test_a_token_that_no_statement_can_have_is_refused() -> None:
    with pytest.raises(Undecided, match="both quotes"):
        every_length(majority(**{"'\"": 1, "b": -1}))


def test_a_pole_inside_an_exponential_is_left_out() -> None:
    """S = sum(j, 1, n, I[j < n]*exp(../(j - n))) has no value."""
    for scores, value in (({("p", "h"): 1}, "h"), ({("h", "h"): 1}, "y")):
        b = sc.Builder(words={"a": {"y": 1}, "b": {"y": 0}}, positions={"p": "n - i"})
        b.add(sc.head(None, {"h": "y"}, mask="strict-past"))
        b.add(sc.head(scores, {"g": value}, weighting="softmax"))
        b.readout("sign", "last", "g", weights=[1])
        assert compared(every_length(b.build("m")), 3)[1] > 90


def test_an_input_after_the_last_position_is_not_read() -> None:
    """The sum of the inputs behind each position: at the last one there is none."""
    b = sc.Builder(inputs=["x"], positions={"q": "1/i"})
    b.add(sc.head(value={"after": "x"}, mask="strict-past", weighting="leftmost"))
    b.add(sc.head(value={"m": "after"}, weighting="average"))
    for position in ("last", "each", "all"):
        b.readout("sign", position, ["m", "after"], weights=[1, -1])
        assert compared(every_length(b.build("m")), 2)[1] > 20


def test_a_verdict_on_all_positions_has_a_value_at_each() -> None:
    b = sc.Builder(words={"a": {"y": 1}, "b": {"y": -1}}, positions={"p": "n - i"})
    b.add(sc.head(None, {"h": "y"}, mask="strict-past"))
    b.readout("sign", "all", ["h", "p"], weights=[2, 1])
    found = every_length(b.build("m"))
    assert compared(found, 4)[1] > 100


@pytest.mark.parametrize("ends", [(None, None), ("BOS", None), ("BOS", "EOS")])
def test_a_temperature_that_is_zero_at_one_length_is_said(ends: tuple[str | None, str | None]) -> None:
    """log(n) is 0 at n = 1: a string of one position has no run."""
    before, after = ends
    words = {"a": {"y": 1}, "b": {"y": 0}} | {t: {"y": 2} for t in ends if t is not None}
    zero = sum(t is not None for t in ends) or 1
    temperature = "log(n)" if zero == 1 else "n - 2"
    b = sc.Builder(words=words, positions={"one": "1"}, before=before, after=after)
    b.add(sc.head({("one", "y"): 1}, {"g": "y"}, weighting="softmax", temperature=temperature))
    b.readout("sign", "last", "g", weights=[1])
    (form, *_) = every_length(b.build("m")).forms
    assert f"n is at least {zero + 1}" in form.meaning


@pytest.mark.layer_one(1, 3)
@pytest.mark.parametrize("seeds", [range(k, k + 5) for k in range(0, 25, 5)], ids=str)
def test_models_with_odd_names(seeds: range) -> None:
    reached = [found for seed in seeds if (found := asked(seed, 2)) is not None]
    assert sum(values for _, _, values in reached) > 50
