"""Sinusoidal encodings and counting modulo m with them: against mpmath and counting by hand."""

from __future__ import annotations

import itertools
from typing import Any

import mpmath
import pytest
from families import together

from symcook.errors import BadInput, NotExact
from symcook.recipes import build
from symcook.verify.stated import check_recipe


def number(shown: Any) -> Any:
    return mpmath.mpf(shown["mid"] if isinstance(shown, dict) else shown)


@together("m", [1, 2, 3, 4, 5, 7])
@together("weighting", ["average", "leftmost", "rightmost", "softmax"])
@pytest.mark.sweep
def test_counting_modulo_m(m: int, weighting: str) -> None:
    """The empty word, words without the symbol, and words whose count passes m."""
    model = build("modulo", m=m, weighting=weighting, **({"N": 8} if weighting == "softmax" else {}))
    for word in ("", "a", "b", "bb", "aa", "aba", "abab", "baaab", "aaaaaa", "aaaaaaaa"):
        assert model.run(word, "ball").outputs == [str(word.count("a") % m)], word


@pytest.mark.parametrize("m", [1, 2, 4])
def test_where_sinusoids_are_rational_all_words_are_exact(m: int) -> None:
    found = check_recipe("modulo", 7, {"m": m})
    assert found.holds and found.strings == 2**8 - 2


def test_other_moduli_are_no_rational_numbers() -> None:
    with pytest.raises(NotExact, match="ball"):
        build("modulo", m=3).run("ab")
    assert check_recipe("modulo", 4, {"m": 3}, domain="ball").holds
    assert check_recipe("modulo", 4, {"m": 5}, domain="float64").holds


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("m", ["2", "3", "7/2"])
def test_a_count_is_a_point_of_the_circle(m: str) -> None:
    model = build("modulo-angle")
    with mpmath.workdps(40):
        turn = 2 * mpmath.pi / (mpmath.mpf(7) / 2 if m == "7/2" else int(m))
        for word in map("".join, itertools.product("ab", repeat=4)):
            for i, shown in enumerate(model.run(word, "ball", values={"m": m}).outputs or []):
                C = word[:i].count("a")
                assert abs(number(shown["cosines"]) - mpmath.cos(C * turn)) < 1e-25
                assert abs(number(shown["sines"]) - mpmath.sin(C * turn)) < 1e-25


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("name", "arguments"), [("modulo-angle", {}), ("sinusoidal", {"d": 6, "M": "50"})])
def test_check_compares_within_what_the_reference_is_right_to(name: str, arguments: dict[str, Any]) -> None:
    assert check_recipe(name, 4, arguments).holds


def test_check_notices_what_is_off_by_more(monkeypatch: pytest.MonkeyPatch) -> None:
    from symcook.spec import representations

    right = representations.sinusoids
    wrong = [lambda x: x + mpmath.mpf(10) ** -11, lambda x: -x]
    assert check_recipe("sinusoidal", 3).holds
    for change in wrong:

        def other(word: Any, d: int, M: Any, change: Any = change) -> Any:
            rows = right(word, d, M)
            return [{**row, "pe_1": type(row["pe_1"])(str(change(mpmath.mpf(float(row["pe_1"])))))} for row in rows]

        monkeypatch.setattr(representations, "sinusoids", other)
        assert not check_recipe("sinusoidal", 3).holds


@together(
    ("name", "arguments"),
    [
        ("sinusoidal", {"d": 3}),
        ("sinusoidal", {"d": 0}),
        ("sinusoidal", {"M": 0}),
        ("sinusoidal", {"M": -10000}),
        ("sinusoidal", {"alphabet": ""}),
        ("modulo", {"m": 0}),
        ("modulo", {"m": "3/2"}),
        ("modulo", {"alphabet": ""}),
        ("modulo", {"weighting": "soft"}),
        ("modulo", {"N": 0}),
        ("modulo-angle", {"alphabet": "aa"}),
    ],
)
def test_what_the_recipes_refuse(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        build(name, **arguments)


@pytest.mark.parametrize("m", [0, -2])
def test_a_modulus_is_positive(m: int) -> None:
    with pytest.raises(BadInput, match="0 < m"):
        build("modulo-angle").run("ab", "ball", values={"m": m})
    with pytest.raises(BadInput, match="length"):
        build("modulo", weighting="softmax", N=2).run("aaa", "ball")
