"""Decimals with an exponent are exact wherever a user gives a number; expected values by Python's own Decimal."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from shared import document, refused

import symcook as sc
from symcook.model.expr import parse_term
from symcook.model.rationals import plain, rational
from symcook.model.symbols import exact, symbol


def test_a_decimal_is_the_number_that_python_reads() -> None:
    draw = random.Random(5)
    for _ in range(300):
        text = f"{draw.randint(0, 99)}{draw.choice(['', f'.{draw.randint(0, 999):03d}'])}"
        text += f"{draw.choice('eE')}{draw.choice(['', '+', '-'])}{draw.randint(0, 40)}"
        value = exact(text)
        assert Fraction(int(value.p), int(value.q)) == Fraction(Decimal(text)), text
        twice = exact(f"2^1 * {text}^2 / 3")
        assert Fraction(int(twice.p), int(twice.q)) == 2 * Fraction(Decimal(text)) ** 2 / 3, text


@pytest.mark.parametrize("text", ["e5", "x1e5", "a.1e5", "exp(1)", "1/2", "eps", "one + e"])
def test_names_stay(text: str) -> None:
    assert plain(text) == text


def test_numbers_beyond_reason_are_refused() -> None:
    for text in ("1e5000", "1e-5000", "1e" + "9" * 4000):
        with pytest.raises(sc.BadInput, match="below 14,000 bits"):
            exact(text)


def test_the_limit_is_one_for_all_ways_to_write_a_number() -> None:
    """A number and its denominator together have at most 14000 bits, and one written in digits at most 4000 of these;
    values by Python's own integers."""
    for text, value in (
        ("2^7001", 2**7001),
        ("2^7000*2", 2**7001),
        ("2^13998", 2**13998),
        ("2^-13998", Fraction(1, 2**13998)),
        ("(3/2)^5400", Fraction(3, 2) ** 5400),
        ("1e3501", 10**3501),
        ("1e3999", 10**3999),
        ("1e-3999", Fraction(1, 10**3999)),
        ("1e0000001", 10),
        ("1e-" + "0" * 5000 + "2", Fraction(1, 100)),
        ("0e999999", 0),
        (f"1.{'0' * 3899}1e3900", 10**3900 + 1),
        ("(-1)^100001", -1),
    ):
        assert Fraction(int(exact(text).p), int(exact(text).q)) == value, text[:20]
        assert rational(parse_term(plain(text))) == value, text[:20]
    for text in ("2^13999", "2^-13999", "2^13998*2", "1e4215", "1e-4215", "(3/2)^5420", "7^(2*10^30)"):
        for read in (exact, lambda text: rational(parse_term(plain(text)))):
            with pytest.raises(sc.BadInput, match="below 14,000 bits"):
                read(text)
    assert exact("sum(j, 3600, 3600, x*2^j)").coeff(symbol("x")) == 2**3600


def test_a_root_of_a_square_is_rational() -> None:
    for p in range(30):
        for q in range(1, 12):
            text = f"sqrt({p}/{q})"
            root = next((Fraction(a, b) for a in range(30) for b in range(1, 12) if a * a * q == p * b * b), None)
            if root is None:
                with pytest.raises(sc.NotExact):
                    rational(parse_term(text))
            else:
                assert rational(parse_term(text)) == root, text


def test_every_option_reads_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert document(capsys, "diff", "dyck-1", "dyck-1", "--tolerance", "1e-5")["tolerance"] == "1/100000"
    assert document(capsys, "run", "gtzero", "--set", "x=1e-3", "--set", "eps=1e-2")["output"] == {"out": "1/10"}
    assert document(capsys, "run", "average", "--rows", "1e-1; 2")["output"] == {"mean": "21/20"}
    tent = document(capsys, "run", "cpwl", "--set", "points=0,0; 1e1,1; 20,0", "--set", "x=5")
    assert tent["output"] == {"out": "1/2"}
    short, long = (
        document(capsys, "bound", "temperature", "--n", "8", "--gamma", gamma, "--error", error)
        for gamma, error in (("5e-1", "1e-2"), ("1/2", "1/100"))
    )
    assert short == long
    assert "14,000 bits" in refused(capsys, "run", "gtzero", "--set", "x=1e99999", "--set", "eps=1")
