"""Statements about a model with symbols: they are about all values of the symbols in their intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from shared import call, refused

import symcook as sc
from symcook.errors import BadInput
from symcook.model.modelfile import to_document
from symcook.proof.statements.shortruns import points


def scaled(lower: Any = 0, upper: Any = None) -> sc.Transformer:
    """The mean vote times a symbol g."""
    b = sc.Builder(
        words={"a": {"v": 1}, "b": {"v": -1}},
        parameters=[
            sc.Parameter("g", lower=lower, upper=upper, lower_open=lower is not None, upper_open=upper is not None)
        ],
    )  # fmt: skip
    mean = b.add(sc.head(value={"m": "g*v"}, symbols=["g"], mask="causal"))
    b.readout("sign", "last", mean, weights=[1])
    return b.build("scaled")


def test_a_statement_is_about_all_values() -> None:
    answer = scaled().prove("m(n) = g*(count(a) - count(b))/n")
    assert answer.status == "PROVED" and "g:Real" in answer.claim.text and "0 < g" in answer.claim.text


def test_a_counterexample_says_at_which_value() -> None:
    answer = scaled().prove("m(n) <= 1")
    assert (answer.status, answer.counterexample, answer.shown) == ("REFUTED", "a", "a at g = 2")
    assert answer.to_json()["values"] == {"g": "2"}
    assert scaled(0, 1).prove("m(n) <= 1").status != "REFUTED"


def test_a_value_that_is_given_is_the_only_one() -> None:
    assert scaled().prove("m(n) <= 1", values={"g": 1}).status == "PROVED"


def test_the_sign_of_a_symbol_is_known() -> None:
    assert sc.build("gtzero").prove("eps <= x -> out = 1").status == "PROVED"
    assert sc.build("gtzero").prove("out = 1").shown == "x=0 at eps = 1"


def test_a_bound_name_is_no_symbol() -> None:
    with pytest.raises(BadInput, match="the statement binds 'g', which is a symbol of the model; take another name"):
        scaled().prove("all g in 1..n. m(g) <= 1")


def test_a_second_model_has_values() -> None:
    with pytest.raises(BadInput, match="a second model must have values for its symbols; given: g"):
        scaled().prove("accept <-> other.accept", other=scaled())


@pytest.mark.parametrize(
    ("lower", "upper", "first"), [(0, None, "1"), (None, None, "1"), (2, 3, "5/2"), (None, "-7/3", "-10/3")]
)
def test_the_values_that_are_tried(lower: Any, upper: Any, first: str) -> None:
    assert str(points(to_document(scaled(lower, upper)))[0]["g"]) == first


@pytest.mark.sweep
def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scaled().save(tmp_path / "m.json")
    file = str(tmp_path / "m.json")
    code, out, _ = call(capsys, "prove", file, "--statement", "accept <-> count(b) < count(a)")
    assert code == 0 and out.startswith("PROVED")
    assert call(capsys, "prove", file)[0] == 0  # checked again
    code, out, _ = call(capsys, "prove", file, "--statement", "m(n) <= 1")
    assert code == 1 and "a at g = 2" in out
    refused(capsys, "prove", file, "--statement", "m(n) <= h")


@pytest.mark.sweep
def test_what_was_tried_is_said_to_be_some_values() -> None:
    found = scaled(lower=None).prove("g != 100003", seconds=20)
    assert found.status == "OPEN" and "positions at the tried values of g, not proved" in str(found.why)
