"""Numbers are written in one way: fractions as p/q with all their digits, decimals with exponents as in 1.5e-8."""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from typing import Any

import flint
import pytest
from families import together

from symcook.derivation import derive
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import numeral, parse_term, show
from symcook.model.modelfile import save
from symcook.model.parts import FeedForward, Layer
from symcook.model.rationals import decimal, quotient, rewritten
from symcook.model.symbols import exact, from_sympy
from symcook.model.transformer import Transformer
from symcook.report.document import value_text
from symcook.verify.sweep import check

SMALLEST = 640  # Python may be told to write no integer with more digits than this


def model_of(*values: Any) -> Transformer:
    words = {token: {"x": value} for token, value in zip("abcdefgh", values, strict=False)}
    nothing = FeedForward(("x",), ("x",), [[0]], [0], [[0]], [0])
    return Transformer(
        "numbers", Embedding(Space(("x",)), words=words), (Layer(None, nothing),), Readout("value", "last", ("x",))
    )


@together("digits", [1, 599, 600, 601, 640, 641, 4300, 4301, 5000, 40_000])
def test_integers_of_any_length_are_written(digits: int) -> None:
    """flint reads and writes integers without Python's limit."""
    number = 7 * 10 ** (digits - 1) + 3 * (digits > 1)
    for value in (number, -number):
        assert numeral(value) == str(flint.fmpz(value))
        assert quotient(value) == str(flint.fmpz(value)) == quotient(Fraction(value))
    assert quotient(Fraction(-1, number)) == f"-1/{flint.fmpz(number)}" or number == 1
    assert show(("num", number, 1)) == numeral(number) == from_sympy(exact(number))


def test_the_limit_may_be_set_as_low_as_python_allows() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(SMALLEST)
    try:
        assert len(numeral(10**2000)) == 2001 and len(from_sympy(exact(Fraction(1, 3**2000)))) > 900
    finally:
        sys.set_int_max_str_digits(before)


def test_long_numbers_in_answers(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """1/7^4000 * ... has more than 4300 digits with its numerator: shown by run, derive and check."""
    from symcook.__main__ import main

    long = Fraction(10**1800 + 1, 7**1900)
    scale = FeedForward(("x",), ("x",), [[long]], [0], [[1]], [0])
    embedding = Embedding(Space(("x",)), words={"a": {"x": long}})
    model = Transformer("long", embedding, (Layer(None, scale),), Readout("value", "last", ("x",)))
    right = long + long**2
    text = f"{flint.fmpz(right.numerator)}/{flint.fmpz(right.denominator)}"
    assert len(text) > 6000
    assert model.run("a").output == {"x": text} and derive(model, "a").output == {"x": text}
    found = check(model, lambda word: 0, 1).first
    assert found is not None and text in str(found)
    path, spec = tmp_path / "long.json", tmp_path / "spec.py"
    save(model, path)
    spec.write_text("def zero(word):\n    return 0\n")
    for command, code in (("run", 0), ("derive", 0)):
        for more in ([], ["--json"]):
            assert main([command, str(path), "--input", "a", *more]) == code
            out = re.sub(r"\s", "", capsys.readouterr().out)
            short = f"{text[:60]}...{text[-30:]}({len(text)}characters"
            assert text in out if more else short in out and len(out) < 400
    for more in ([], ["--json"]):
        assert main(["check", str(path), "--spec", f"{spec}:zero", "--max-length", "1", *more]) == 1
        assert "Traceback" not in capsys.readouterr().err


@together(
    ("text", "shown"),
    [
        ("0", "0"),
        ("0.0", "0"),
        ("1", "1"),
        ("-2.50", "-2.5"),
        ("1e-7", "0.0000001"),
        ("1e-8", "1e-8"),
        ("1.50e-08", "1.5e-8"),
        ("-1.25e+30", "-1.25e30"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e21"),
        ("123456789012345678901234.0", "123456789012345678901234"),
        ("9.9e-320", "9.9e-320"),
        ("12e3", "12000"),
        ("00.1", "0.1"),
    ],
)
def test_one_notation_for_decimals(text: str, shown: str) -> None:
    assert rewritten(text) == shown
    assert Fraction(shown) == Fraction(text)


def test_decimals_of_digits_and_a_place() -> None:
    assert decimal("-0", 3) == "0" and decimal("1200", -2) == "12" and decimal("5", -1) == "0.5"


NUMBERS = ["1/3", "-1/8", "3/10^9", "10^25", "1/2^40", "12345", "0"]


@pytest.mark.parametrize("domain", ["exact", "ball", "mpmath", "float64", "float32"])
def test_every_domain_writes_numbers_alike(domain: str) -> None:
    """Text that the grammar of fractions or of decimals reads, without signs and zeros in exponents."""
    model = model_of(*NUMBERS)
    for token, text in zip("abcdefgh", NUMBERS, strict=False):
        value: Any = model.run(token, domain).output["x"]
        shown = value["mid"] if domain == "ball" else value_text(value)
        pattern = r"-?\d+(/\d+)?" if domain == "exact" else r"-?(0|[1-9]\d*)(\.\d*[1-9])?(e-?[1-9]\d*)?"
        assert re.fullmatch(pattern, shown), shown
        right = Fraction(exact(text).p, exact(text).q)
        assert abs(Fraction(shown) - right) <= abs(right) / 10**6


def test_the_three_ways_are_one() -> None:
    model = model_of("3/10^9", "1.5*10^30", "1/2^40")
    for token, shown in (("a", "3e-9"), ("b", "1.5e30")):
        assert model.run(token, "ball").output["x"]["mid"] == shown
        assert model.run(token, "mpmath").output["x"] == shown
        assert value_text(model.run(token, "float64").output["x"]) == shown


def test_a_term_with_a_long_number_is_read_back() -> None:
    tree = parse_term("9" * 3000 + "/7")
    assert parse_term(show(tree)) == tree
