"""GELU in place of ReLU, and products: errors against mpmath's erf and tanh, and checks that know of an error."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from families import together

from symcook.errors import BadInput
from symcook.model.expr import parse_term
from symcook.model.rationals import rational
from symcook.recipes import build, error, reference
from symcook.recipes.feedforward.gelu import RECIPES
from symcook.verify import grid
from symcook.verify.stated import check_recipe
from symcook.verify.sweep import check

FORMS = {
    "erf": lambda z: z / 2 * (1 + mpmath.erf(z / mpmath.sqrt(2))),
    "tanh": lambda z: z / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (z + mpmath.mpf("0.044715") * z**3))),
    "sigmoid": lambda z: z / (1 + mpmath.exp(-mpmath.mpf("1.702") * z)),
}
"""Eqs. (24) to (26), by mpmath."""


def ball(model: Any, point: dict[str, Any], **values: Any) -> Fraction:
    found = model.run(point, "ball", digits=25, values=values).output["out"]
    return Fraction(found["mid"] if isinstance(found, dict) else found)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("form", ["erf", "tanh"])
def test_products(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "POINTS", 500)
    model, gelu = build("multiply-gelu", form=form), FORMS[form]
    with mpmath.workdps(30):
        for x, y in itertools.product(("1/10", "-1/3", "0", "2"), repeat=2):
            a, b = (mpmath.mpf(Fraction(v).numerator) / Fraction(v).denominator for v in (x, y))
            wanted = mpmath.sqrt(mpmath.pi / 2) * (gelu(a + b) - gelu(a) - gelu(b))
            found = ball(model, {"x": x, "y": y})
            assert abs(mpmath.mpf(found.numerator) / found.denominator - wanted) < 1e-20
            bound = (abs(Fraction(x)) + abs(Fraction(y))) ** 3 / 12
            assert abs(found - Fraction(x) * Fraction(y)) <= bound + Fraction(1, 10**20)
            assert rational(parse_term(error("multiply-gelu")), {"x": Fraction(x), "y": Fraction(y)}) == bound
    assert check_recipe("multiply-gelu", None, {"form": form}).holds


def test_weights_of_the_product_as_printed() -> None:
    block: Any = build("multiply-gelu").layers[0].feedforward
    assert block.W1.tolist() == [[1, 1], [1, 0], [0, 1]] and list(block.b1) == [0, 0, 0] and list(block.b2) == [0]
    assert [round(float(w), 9) for w in block.W2] == [1.253314137, -1.253314137, -1.253314137]


@pytest.mark.sweep
@together("f", RECIPES)
def test_every_relu_recipe_by_gelu_stays_within_its_error(f: str) -> None:
    """The dense formula W2 GELU(c (W1 x + b1))/c + b2 by mpmath, the error bound, and the reference of the ReLU
    recipe.
    """
    inner = build(f)
    values = {p.name: Fraction(1, 3) for p in inner.parameters}
    block: Any = inner.bind(values).layers[0].feedforward
    names = inner.embedding.inputs or ()
    for form, gelu in FORMS.items():
        model = build("by-gelu", f=f, form=form)
        term = parse_term(error("by-gelu", f=f, form=form))
        for c in (Fraction(10), Fraction(300)):
            for point in itertools.islice(itertools.product((0, 1), repeat=len(names)), 1, 4):
                given = dict(zip(names, map(Fraction, point), strict=True))
                found = ball(model, given, c=c, **values)
                hidden = [sum(w * given[n] for w, n in zip(block.W1.row(r), block.reads, strict=True)) + block.b1[r]
                          for r in range(block.hidden)]  # fmt: skip
                with mpmath.workdps(30):
                    scaled = [gelu(mpmath.mpf(str(c)) * mpmath.mpf(h.p) / h.q) / mpmath.mpf(str(c)) for h in hidden]
                    wanted = sum(mpmath.mpf(w.p) / w.q * s for w, s in zip(block.W2, scaled, strict=True))
                    wanted += mpmath.mpf(block.b2[0].p) / block.b2[0].q
                    assert abs(mpmath.mpf(found.numerator) / found.denominator - wanted) < 1e-18
                exact = reference(f, {}, values)(given)["out"]
                assert abs(found - exact) <= rational(term, given | values | {"c": c}) + Fraction(1, 10**18)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("f", ["gtzero", "max"])
def test_checks_with_an_error_find_what_is_beyond_it(f: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "POINTS", 500)
    found = check_recipe("by-gelu", None, {"f": f}, {"c": 5} if f == "max" else {"c": 5, "eps": 1})
    assert found.holds and found.domain == "ball" and "within" in found.method
    model, spec = build("by-gelu", f=f), reference(f, {}, {"eps": Fraction(1)} if f == "gtzero" else {})
    values = {"c": 5} if f == "max" else {"c": 5, "eps": 1}
    names = model.embedding.inputs or ()

    def alone(point: dict[str, Fraction]) -> Any:
        return spec({name: point[name] for name in names})

    tight = check(model, alone, values=values, domain="ball", error="1/10^6")
    assert not tight.holds and tight.mismatches > 0
    wide = check(model, alone, values=values, domain="ball", error="1")
    assert wide.holds
    floats = check(model, alone, values=values, domain="float64", error="1")
    assert floats.holds


def test_bad_arguments_are_refused() -> None:
    for arguments in ({"f": "rumelhart-parity"}, {"f": "by-gelu"}, {"form": "relu"}):
        with pytest.raises(BadInput):
            build("by-gelu", **arguments)
    with pytest.raises(BadInput):
        build("multiply-gelu", form="sigmoid")
    with pytest.raises(BadInput, match="c must"):
        build("by-gelu").bind({"c": 0})
