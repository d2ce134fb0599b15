"""Closed forms and exact runs with logarithms, roots and denominators of a known sign, against plain numbers."""

from __future__ import annotations

from fractions import Fraction

import dense
import pytest
import sympy
from families import together

import symcook as sc
from symcook.closed import every_length
from symcook.errors import NotExact
from symcook.model.symbols import exact


def soft(score: str, temperature: str) -> sc.Transformer:
    """The share of the tokens a, of scores that are 0 at b."""
    head = sc.Head(("a", "one"), ("m",), [[0, 1]], [[score, 0]], [[1, 0]], "none", "softmax", temperature)
    words = {"a": {"a": 1, "one": 1}, "b": {"one": 1}}
    embedding = sc.Embedding(sc.Space(("a", "one", "m")), words=words)
    return sc.Transformer("soft", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("m",)))


def number(text: object) -> sympy.Float:
    return exact(str(text)).evalf(30)


LOGS = ("1/log(2)", "1/log(3)", "1/log(n)", "1/(log(6*n) - log(2))", "1/(log(2) - log(3) + log(9))", "1/(1 - log(2))")


@together("score", ["3/2", "-3/2", "7/3", "2", "-1/2"])
@together("temperature", LOGS)
def test_exponentials_of_logarithms(score: str, temperature: str) -> None:
    """e^(s log m) is m^s, a rational or a root: in closed forms, and in exact runs where they have it."""
    model = soft(score, temperature)
    for word in ("ab", "bba"):
        expected = sympy.Float(dense.read(model, word, dense.decimal(40))[-1][0]["m"], 40)
        assert abs(number(sc.derive(model, word).output["m"]) - expected) < sympy.Rational(1, 10**25)
        try:
            found = model.run(word, "exact").output["m"]
        except NotExact:
            continue
        assert abs(number(found) - expected) < sympy.Rational(1, 10**25)


@together("divisor", ["c - 2", "2 - c", "c^2 - 3", "-1 - c", "(c - 2)*(c - 3)"])
@together("activation", ["relu", "step"])
def test_a_unit_of_a_quotient(divisor: str, activation: str) -> None:
    """relu and step of x over a divisor of one sign or the other, for 0 < c < 1."""
    network = sc.FeedForward(("x",), ("y",), [[f"1/({divisor})"]], [0], [[1]], [0], activation)
    embedding = sc.Embedding(sc.Space(("x", "y")), inputs=("x",))
    symbol = (sc.Parameter("c", lower=0, upper=1),)
    model = sc.Transformer("unit", embedding, (sc.Layer(None, network),), sc.Readout("value", "last", ("y",)), symbol)
    found = exact(sc.derive(model, [{"x": "x"}]).output["y"])
    for x in (-3, 0, 2):
        for c in (Fraction(1, 4), Fraction(3, 4)):
            inside = x / Fraction(str(exact(divisor).subs(exact("c"), exact(c))))
            expected = max(inside, Fraction(0)) if activation == "relu" else int(inside > 0)
            assert found.subs({exact("x"): x, exact("c"): exact(c)}) == exact(expected)


@pytest.mark.parametrize("names", [("c", "d"), ("w", "c"), ("w", "w_"), ("w_", "w__")])
def test_the_tokens_have_a_name_that_no_symbol_has(names: tuple[str, str]) -> None:
    embedding = sc.Embedding(sc.Space(("x",)), words={"a": {"x": names[0]}, "b": {"x": names[1]}})
    ending, parameters = sc.Readout("value", "last", ("x",)), tuple(map(sc.Parameter, names))
    model = sc.Transformer("named", embedding, (), ending, parameters=parameters)
    found = every_length(model).expressions["x"]
    bases = {str(base) for base in found.atoms(sympy.IndexedBase)}
    assert len(bases) == 1 and not bases & {*names}
