"""Steps as signs, exponentials as hyperbolic functions: equal at points, never longer; a symbol stays a symbol."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import flint
import pytest
import sympy
from families import together

import symcook as sc
from symcook.model.symbols import exact, from_sympy, tree_from_sympy
from symcook.numbers.evaluate import evaluate
from symcook.numbers.shorter import shorter

FOUND = {
    "(1 - exp(2*c))/(8*(exp(2*c) + 1))": "-tanh(c)/8",
    "exp(c) - exp(-c)": "2*sinh(c)",
    "d*(exp(c) + exp(-c))/2": "d*cosh(c)",
    "d + (exp(3*c) - 1)/(exp(3*c) + 1)": "d + tanh(3*c/2)",
    "(exp(c/2) - exp(-c/2))^2": "2*cosh(c) - 2",
    "(exp(c*d) - 1)/(exp(c*d) + 1)": "tanh(c*d/2)",
}
KEPT = [
    "exp(c)", "exp(c)/(exp(c) + 1)", "exp(c)/(exp(c) + 3)", "exp(c) + exp(d)", "max(0, exp(c) - 1)", "c^2 - d",
    "exp(2)/(exp(2) + 1)",
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), FOUND.items())
def test_what_is_found(text: str, wanted: str) -> None:
    assert from_sympy(shorter(exact(text))) == wanted


@pytest.mark.parametrize("text", KEPT)
def test_what_stays(text: str) -> None:
    assert shorter(exact(text)) == exact(text)


@pytest.mark.sweep
def test_what_is_found_is_equal_and_shorter() -> None:
    """Random quotients of sums of powers of exp(k c), by balls; some must change, or the test sees nothing."""
    rng = random.Random(3)
    changed = 0
    for _ in range(40):
        k = rng.choice(["c", "2*c", "c/2", "-c", "c*d"])
        top, bottom = (
            " + ".join(f"({rng.randint(-2, 2)})*exp({p}*({k}))" for p in rng.sample([-1, 0, 1, 2], 2)) for _ in "ab"
        )
        forms = [f"({top})/({bottom} + 1/7)*d", f"d*(exp({k}) - exp(-({k})))/3", f"(exp({k}) - 1)/(exp({k}) + 1) - d"]
        value = exact(rng.choice(forms))
        found = shorter(value)
        assert len(from_sympy(found)) <= len(from_sympy(value))
        changed += found != value
        for point in (("3/10", "17/10"), ("-11/10", "2/5"), ("5/2", "-4/5")):
            with flint.ctx.workprec(256):
                numbers = dict(zip("cd", map(Fraction, point), strict=True))
                a, b = (evaluate(tree_from_sympy(e), numbers) for e in (value, found))
                assert abs(a - b) <= abs(a) / 10**40 + flint.arb(10) ** -45
    assert changed >= 10  # most random quotients have no shorter form, the others have


def test_a_soft_head_derives_to_a_tanh() -> None:
    b = sc.Builder(words={"a": {"x": 1}, "b": {"x": -1}}, positions={"one": 1})
    c = b.symbol("c", default=1, lower=0)
    b.add(sc.head({("one", "x"): c}, {"y": "x"}, weighting="softmax"))
    b.readout("sign", "last", "y", weights=[1])
    assert b.build("m").derive("ab").output["y"] == "tanh(c)"


x, y = (sympy.Symbol(name, real=True) for name in "xy")


def step(test: Any) -> Any:
    """I[test], as the symbolic domain writes it."""
    return sympy.Piecewise((1, test), (0, True))


SIGNS = [
    (step(x > 0) - step(x < 0), sympy.sign(x)),
    (3 * step(x > 0) - 3 * step(-x > 0) + y, y + 3 * sympy.sign(x)),
    (y * step(x - y > 0) - y * step(y - x > 0) + 2, y * sympy.sign(x - y) + 2),
    (step(x > 0) * step(y > 0) - step(x < 0) * step(y > 0), step(y > 0) * sympy.sign(x)),
    (2 * step(x > 0) - 2 * step(x < 0) - step(y > 0) + step(y < 0), 2 * sympy.sign(x) - sympy.sign(y)),
    (step(x > 0) + step(x < 0), None),
    (step(x > 0) - 2 * step(x < 0), None),
    (step(x >= 0) - step(x < 0), None),
    (step(x > 0) - step(x <= 0), None),
    (step(x > 0) - step(x < 0) + y * step(x > 0), None),
    ((step(x > 0) - step(x < 0)) ** 2, None),
    (step(x > 1) - step(x < 0), None),
    (step(x > 1) - step(x < -1), None),
]


@together(("before", "wanted"), SIGNS)
def test_steps_as_signs(before: Any, wanted: Any) -> None:
    after = shorter(before)
    assert after == (before if wanted is None else wanted)
    for a in (-2, sympy.Rational(-1, 3), 0, sympy.Rational(1, 3), 1, 5):
        for b in (-1, 0, 1, 3):
            assert sympy.expand((before - after).subs({x: a, y: b})) == 0


def test_a_network_of_steps_derives_to_a_sign() -> None:
    space = sc.Space(("x", "y"))
    layer = sc.Layer(feedforward=sc.feedforward({"y": "step(2*x - 1) - step(1 - 2*x)"}))
    model = sc.Transformer("s", sc.Embedding(space, inputs=("x",)), (layer,), sc.Readout("value", "last", ("y",)))
    found = model.derive()
    assert str(found.expressions["y"]) == "sign(x - 1/2)"
    assert r"\operatorname{sign}\left(x - \frac{1}{2}\right)" in found._repr_latex_()
