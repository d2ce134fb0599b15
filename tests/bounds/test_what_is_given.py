"""What kinds of bounds are given, at the ends: counts, exact numbers, rational numbers, settings and words of a length;
and what a bound is made of."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import pytest

import symcook as sc
from symcook.bounds import arguments
from symcook.bounds.arguments import Bound, against, count, decided, exact, positive, rational_positive, words_of_length
from symcook.errors import BadInput
from symcook.numbers.balls import Ball

F = Fraction


@pytest.mark.parametrize(("value", "least", "found"), [
    (1, 1, 1), ("7", 1, 7), (" 12 ", 1, 12), (0, 0, 0), (2**13_999, 1, 2**13_999), (2**14_000 - 1, 1, 2**14_000 - 1),
    (2**14_000, 1, None), (0, 1, None), (-1, 0, None), (1, 2, None), ("0", 1, None), (True, 0, None), (1.0, 1, None),
    ("x", 1, None), ("", 1, None), ("1/2", 1, None), ("-3", 1, None), ("1" * 4300, 1, None), (None, 1, None),
])  # fmt: skip
def test_counts(value: Any, least: int, found: int | None) -> None:
    if found is None:
        with pytest.raises(BadInput, match=f"many must be an integer of at least {least} and below 2\\^14000"):
            count(value, "many", least)
    else:
        assert count(value, "many", least) == found


def test_counts_of_bits() -> None:
    assert count(31, "bits", bits=5) == 31 == count("31", "bits", bits=5)
    with pytest.raises(BadInput, match="below 2\\^5"):
        count(32, "bits", bits=5)


@pytest.mark.parametrize(("value", "text"), [
    (3, "3"), (F(6, 4), "3/2"), ("log(2)", "log(2)"), ("10^30", "10^30"), (10**30, str(10**30)),
    ("1/10^300", "1/10^300"),
])  # fmt: skip
def test_positive_numbers(value: Any, text: str) -> None:
    said, ball = positive(value, "rate")
    assert said == text == exact(value, "rate")[0]
    with flint.ctx.workprec(80):
        assert ball() > 0 and ball().rel_accuracy_bits() >= 70


@pytest.mark.parametrize(("value", "must"), [
    (0, "rate must be positive"), ("-1", "rate must be positive"), ("log(1/2)", "rate must be positive"),
    (10**30 + 1, "rate must be at most 10\\^30"), ("2*10^30", "rate must be at most 10\\^30"),
    (1.5, "rate must be exact"), (True, "rate must be exact"), (None, "rate must be exact"),
    ("x + 1", "rate must be a number without names"), ("1 +", "rate must be a number;"),
])  # fmt: skip
def test_what_is_no_positive_number(value: Any, must: str) -> None:
    with pytest.raises(BadInput, match=must):
        positive(value, "rate")


@pytest.mark.parametrize(("value", "found"), [
    (1, F(1)), ("3/4", F(3, 4)), (F(1, 7), F(1, 7)), (" 2 ", F(2)), ("2^-3", F(1, 8)), (0, None), ("-1/2", None),
    (F(-1, 3), None), (0.5, None), (True, None), ("log(2)", None), ("k", None), (None, None), ("0", None),
])  # fmt: skip
def test_positive_rational_numbers(value: Any, found: F | None) -> None:
    if found is None:
        with pytest.raises(BadInput, match="delta must be"):
            rational_positive(value, "delta")
    else:
        got = rational_positive(value, "delta")
        assert type(got) is F and got == found


@pytest.mark.parametrize(("letters", "n", "limit", "fits"), [
    (2, 3, 8, True), (2, 3, 7, False), (3, 2, 9, True), (3, 2, 8, False), (1, 10**6, 1, True), (2, 0, 1, True),
    (2, 10**9, 2**16, False), (2, 16, 2**16, True), (2, 17, 2**16, False), (4, 3, 64, True),
])  # fmt: skip
def test_words_of_a_length(letters: int, n: int, limit: int, fits: bool) -> None:
    words: dict[str, Any] = {token: {"a": k} for k, token in enumerate("xyzu"[:letters])}
    embedding = sc.Embedding(sc.Space(("a",)), words=words)
    model = sc.Transformer("m", embedding, (), sc.Readout("value", "last", ("a",)))
    if fits:
        found = words_of_length(model, n, limit, "m")
        if n < 20:
            every = list(found)
            assert len(every) == len(set(every)) == letters**n and all(len(word) == n for word in every)
    else:
        with pytest.raises(BadInput, match=f"m must have at most {limit} strings of length n, as it is") as error:
            words_of_length(model, n, limit, "m", ", as it is")
        assert f"{letters}^{n}" in str(error.value)


def test_what_is_decided() -> None:
    """At least zero: zero is, and what balls leave open has no answer."""
    with flint.ctx.workprec(64):
        assert decided(lambda: flint.arb(0), 10, "zero") is True
        assert decided(lambda: flint.arb(2) - 1, 10, "one") is True
        assert decided(lambda: flint.arb(-1), 10, "less") is False
        assert decided(lambda: flint.arb(0, 1), 10, "open") is None
    third = lambda: flint.arb(1) / 3  # noqa: E731
    both = against(third, lambda: flint.arb(1) / 2, 12, ("one", "other"))
    assert (both["holds"], both["labels"]) == (True, ("one", "other"))
    assert both["value"].mid.startswith("0.333333333333") and both["claimed"].mid == "0.5"
    assert against(lambda: flint.arb(1) / 2, third, 12, ("one", "other"))["holds"] is False
    assert against(third, third, 12, ("one", "other"), lambda: flint.arb(-1))["holds"] is False


def test_what_a_bound_is_made_of() -> None:
    """Its defaults, its document with and without a claim, and facts that nobody changes behind its back."""
    given: dict[str, Any] = {"n": 3}
    ball = Ball("1/2", "0")
    plain = Bound("kind", given, ball, None, None, True)
    given["n"] = 4
    assert dict(plain.parameters) == {"n": 3} and (plain.where, plain.source, plain.proofs) == ("", "", ())
    assert plain.labels == ("tight value", "claimed")
    assert dict(plain.extra) == {} == plain.verdicts() == plain.statements
    with pytest.raises(TypeError):
        plain.parameters["n"] = 5  # type: ignore[index]
    document = plain.to_json()
    assert document == {
        "kind": "kind", "parameters": {"n": 3}, "value": ball.to_json(), "claimed": None, "holds": None,
        "attained": True, "extra": {}, "proofs": {}, "statements": {},
    }  # fmt: skip
    more = Bound("kind", {}, ball, ball, False, False, extra={"a": "text", "b": ball})
    assert more.to_json()["claimed"] == ball.to_json() and more.to_json()["extra"] == {"a": "text", "b": ball.to_json()}


def test_models_and_settings() -> None:
    assert arguments.settings({"a": 1}) == {"a": 1} and arguments.settings("a=1,b = x=y") == {"a": "1", "b": "x=y"}
    model, name, of_model = arguments.read_model("gtzero", "eps=1/8")
    assert name == "gtzero" and not model.parameters and of_model == {"eps": "1/8"}
    same, name, _ = arguments.read_model(sc.build("gtzero"), {"eps": F(1, 8)})
    assert same == model and name == "gtzero"
    for given, must in ((3, "must be the name of a recipe"), ("gtzero", "the parameter eps must have a value here")):
        with pytest.raises(BadInput, match=must):
            arguments.read_model(given, {} if given == 3 else None)  # type: ignore[arg-type]
    for values in ({"eps": 1, "other": 2}, {"other": 2}):
        with pytest.raises(BadInput, match="other"):
            arguments.read_model("gtzero", values)
