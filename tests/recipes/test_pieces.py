"""Feed-forward recipes of several variables: max-min, formulas, conditionals over an interval. Expected values:
Python's own
max, min and Boolean operators."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest
from families import together

from symcook.errors import BadInput
from symcook.recipes import build, region
from symcook.verify.stated import check_recipe


def out(name: str, point: dict[str, Any], **arguments: Any) -> Fraction:
    return Fraction(build(name, **arguments).run(point).output["out"])


POINTS = [{"x": Fraction(a, 2), "y": Fraction(b, 3), "z": Fraction(c)} for a in (-3, 0, 5) for b in (-4, 0, 7)
          for c in (-1, 0, 2)]  # fmt: skip


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("pieces", "function", "depth"),
    [
        ("x; y; z", lambda x, y, z: max(x, y, z), 3),
        ("x, y, z", lambda x, y, z: min(x, y, z), 3),
        ("x + y - z", lambda x, y, z: x + y - z, 1),
        ("0; x; y + z - 1, 2*x; 1/2 - y", lambda x, y, z: max(0, x, min(y + z - 1, 2 * x), Fraction(1, 2) - y), 4),
        ("x, y; z, -x; y - 3*z, 4, x; 1", lambda x, y, z: max(min(x, y), min(z, -x), min(y - 3 * z, 4, x), 1), 5),
    ],
)
def test_max_min(pieces: str, function: Any, depth: int) -> None:
    model = build("max-min", pieces=pieces)
    assert len(model.layers) == depth
    names = model.embedding.inputs or ()
    for point in POINTS:
        given = {name: point[name] for name in names}
        assert Fraction(model.run(given).output["out"]) == function(**point)
    assert check_recipe("max-min", None, {"pieces": pieces}).holds


FORMULAS = [
    ("p & (q | ~r)", lambda p, q, r: p and (q or not r), 2),
    ("p", lambda p: p, 1),
    ("~p", lambda p: not p, 1),
    ("p | q | r | s", lambda p, q, r, s: p or q or r or s, 1),
    ("p & q & r & s", lambda p, q, r, s: p and q and r and s, 1),
    ("p -> q", lambda p, q: not p or q, 1),
    ("p <-> q", lambda p, q: p == q, 2),
    ("~(p <-> q) <-> ~(r <-> s)", lambda p, q, r, s: (p + q + r + s) % 2 == 0, 4),
    ("(p & q) | (r & s)", lambda p, q, r, s: (p and q) or (r and s), 3),
    ("p & ~p", lambda p: False, 1),
    ("true | p", lambda p: True, 1),
]


@together(("text", "function", "most"), FORMULAS)
@together("bits", ["numbers", "signs"])
def test_formulas(text: str, function: Any, most: int, bits: str) -> None:
    model = build("boolean-formula", formula=text, bits=bits)
    names = model.embedding.inputs or ()
    low = 0 if bits == "numbers" else -1
    block: Any = model.layers[0].feedforward
    assert block.hidden <= most
    for chosen in itertools.product((False, True), repeat=len(names)):
        point = {name: 1 if bit else low for name, bit in zip(names, chosen, strict=True)}
        assert Fraction(model.run(point).output["out"]) == (1 if function(*chosen) else low)
    found = check_recipe("boolean-formula", None, {"formula": text, "bits": bits})
    assert found.holds and found.strings == 2 ** len(names)


def test_random_formulas_never_need_more_than_half_the_rows() -> None:
    drawn = random.Random(5)
    for m in (2, 3, 4):
        names = "pqrs"[:m]
        rows = list(itertools.product((0, 1), repeat=m))
        for _ in range(6):
            true = [row for row in rows if drawn.random() < 0.5] or rows[:1]
            cases = [" & ".join(n if bit else f"~{n}" for n, bit in zip(names, row, strict=True)) for row in true]
            model = build("boolean-formula", formula=" | ".join(f"({case})" for case in cases))
            block: Any = model.layers[0].feedforward
            assert block.hidden <= 2 ** (m - 1)
            for row in rows:
                point = dict(zip(model.embedding.inputs or (), row, strict=True))
                assert Fraction(model.run(point).output["out"]) == (row in true)


@pytest.mark.layer_one(3)
@pytest.mark.parametrize(("low", "high"), [("0", "1"), ("-2", "3"), ("1/2", "5/2"), ("-1", "0")])
def test_conditionals_over_an_interval(low: str, high: str) -> None:
    given = {"low": low, "high": high}
    a, b = Fraction(low), Fraction(high)
    inner = [a, (a + b) / 2, b]
    for p, x, y in itertools.product((0, 1), inner, inner):
        assert out("if", {"p": p, "x": x, "y": y}, **given) == (x if p else y)
    assert out("if", {"p": 1, "x": a - 1, "y": b}, **given) != a - 1
    assert check_recipe("if", None, given).holds
    assert (f"{low} <= x & y <= {high}" in region("if", **given)) or low == "0"


@together(
    ("name", "arguments"),
    [
        ("if", {"low": 1, "high": 1}),
        ("if", {"low": "x"}),
        ("max-min", {"pieces": "3"}),
        ("max-min", {"pieces": "x*y"}),
        ("max-min", {"pieces": "x;;y"}),
        ("max-min", {"pieces": "out"}),
        ("max-min", {"pieces": "relu(x)"}),
        ("max-min", {"pieces": ";".join("x" for _ in range(65))}),
        ("max-min", {"pieces": 3}),
        ("boolean-formula", {"formula": "p + q"}),
        ("boolean-formula", {"formula": "p &"}),
        ("boolean-formula", {"formula": "out"}),
        ("boolean-formula", {"formula": "true"}),
        ("boolean-formula", {"formula": "a&b&c&d&e&f&g&h&k"}),
        ("boolean-formula", {"bits": "01"}),
    ],
)
def test_bad_arguments_are_refused(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        build(name, **arguments)
    assert "\n" not in str(caught.value)
