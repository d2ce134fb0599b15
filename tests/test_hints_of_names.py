"""Names that a user expects, and that an answer does not have: the message says what to write."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import pytest

import symcook as sc
from symcook.errors import BadInput


@cache
def first() -> Any:
    return sc.build("first")


@cache
def forms() -> Any:
    return first().derive()


@cache
def run() -> Any:
    return first().run("10")


@cache
def bound() -> Any:
    return sc.bound("softmax-hardmax", n=64, gamma=5, digits=5)


@cache
def weights() -> Any:
    return sc.build("gtzero").arrays(values={"eps": "1/4"})


@pytest.mark.parametrize(
    ("ask", "do"),
    [
        (lambda: first().subs({"c": 1}), r"write model\.bind\(c=\.\.\)"),
        (lambda: first().free_symbols, r"write model\.symbols"),
        (lambda: first().c, r'write model\.symbols\["c"\]'),
        (lambda: forms().logit, r'write form\.expressions\["logit"\]'),
        (lambda: forms().forms[1].expr, r'write form\.expressions\["logit"\]'),
        (lambda: forms().forms[1].limit, r'write form\.expressions\["logit"\]\.limit\(\.\.\)'),
        (lambda: first().derive("10").evalf, r'write form\.expressions\["s"\]\.evalf\(\.\.\)'),
        (lambda: run().logit, r"write run\.logits"),
        (lambda: run().hit, r'write run\.array\("hit"\)'),
        (lambda: first().run_many(["10"]).accept, r"write \[run\.accept for run in runs\]"),
        (lambda: weights().guaranteed, r'write arrays\.document\["guaranteed"\]'),
        (lambda: bound().value.lower, r"write Fraction\(ball\.mid\) - Fraction\(ball\.rad\)"),
        (lambda: bound().value - bound().claimed, r"compute with \.interval\(\)"),
        (lambda: 1 / bound().value, r"compute with \.interval\(\)"),
        (lambda: sc.bounds("softmax-hardmax"), r"write bound\(\.\.\)"),  # type: ignore[attr-defined, operator]
    ],
)
def test_a_name_of_elsewhere_has_advice(ask: Callable[[], Any], do: str) -> None:
    with pytest.raises((AttributeError, BadInput), match=do):
        ask()


def test_an_entry_of_the_certificate_is_no_array() -> None:
    with pytest.raises(KeyError, match="guaranteed.*document"):
        weights()["guaranteed"]
    assert "guaranteed" not in weights() and weights().get("guaranteed") is None


def test_advice_changes_nothing_else() -> None:
    """Copies, `hasattr`, `dir` and other names are as before."""
    model = first()
    assert copy.copy(model) == model and not hasattr(model, "free_symbols")
    assert not any(name in dir(model) for name in ("advice", "free_symbols", "c"))
    with pytest.raises(AttributeError, match="no attribute 'nothing_like_it'$"):
        _ = run().nothing_like_it
    assert abs(mpmath.mpf(bound().value) - mpmath.mpf(bound().value.mid)) < 1e-12


@pytest.mark.parametrize(
    ("w", "n", "must"),
    [
        ([1, 0, 1], 3, "w must begin with CLS"),
        ([1, 0, 1], 4, "w must begin with CLS"),
        ([2, 1, 0], 4, "for each of the n positions, special tokens included; given: 3 numbers, and n = 4"),
        ("101", 3, "given: 4 numbers, and n = 3"),
        ([2, 2, 1], 3, "no such token elsewhere"),
        ([7, 7, 7], 3, r"a string, or numbers of tokens: 0 \(0\), 1 \(1\), 2 \(CLS\)"),
        ([0.5, 1], 2, "numbers of tokens"),
        (3, 3, "numbers of tokens"),
    ],
)
def test_an_array_that_is_no_string_is_refused(w: Any, n: int, must: str) -> None:
    with pytest.raises(BadInput, match=must):
        forms().lambdify("w", "n", "c")(w, n, 1.0)


def test_a_string_is_an_array_of_tokens() -> None:
    """e/(2 (n + e - 1)) for the string 101 and CLS."""
    function, e = forms().lambdify("w", "n", "c"), 2.718281828459045
    for w in ("101", [2, 1, 0, 1]):
        assert abs(function(w, 4, 1.0)["logit"].item() - e / (2 * (3 + e))) < 1e-12
