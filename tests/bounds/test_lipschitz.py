"""Least Lipschitz constants against brute force: formulas of the recipes typed here and numpy's layer norm, at many
pairs of points. No code of `symcook.bounds.layer` is used for what is expected.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from families import together

from symcook import bounds
from symcook.bounds.layer import beside
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Layer
from symcook.model.transformer import Transformer

Function = Callable[[Sequence[Fraction]], Sequence[Fraction]]
FORMULAS: dict[str, tuple[int, str | None, Function]] = {
    "min": (2, None, lambda x: [min(x)]),
    "add": (2, None, lambda x: [x[0] + x[1]]),
    "if": (3, None, lambda x: [max(x[0] + x[1] - 1, 0) + max(x[2] - x[0], 0)]),  # type: ignore[list-item]
    "gtzero": (1, "eps=1/8", lambda x: [min(max(x[0] * 8, 0), 1)]),  # type: ignore[list-item]
    "eqzero": (1, "eps=1/8", lambda x: [max(0, 1 - abs(x[0]) * 8)]),  # type: ignore[list-item]
    "clip": (1, "delta=1/3", lambda x: [min(max(x[0], Fraction(-1, 3)), Fraction(1, 3))]),
    "cpwl": (1, "points=0,0; 1,1; 2,0", lambda x: [min(x[0], 2 - x[0])]),
    "scale": (1, "c=-7/2", lambda x: [-x[0] * 7 / 2]),
    "zero": (1, None, lambda x: [Fraction(0)]),
}
NORMS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "max": lambda v: max(map(abs, v)),
    "sum": lambda v: sum(map(abs, v), Fraction(0)),
}


def steepest(function: Function, inputs: int, norm: str, seed: int = 1, points: int = 60) -> Fraction:
    """The greatest quotient of changes over many points and steps to neighbours along all signs."""
    rng = random.Random(seed)
    best = Fraction(0)
    for _ in range(points):
        x = [Fraction(rng.randint(-300, 300), 150) for _ in range(inputs)]
        for signs in itertools.product((-1, 0, 1), repeat=inputs):
            if any(signs):
                z = [a + Fraction(s, 10**6) for a, s in zip(x, signs, strict=True)]
                change = [b - a for a, b in zip(function(x), function(z), strict=True)]
                best = max(best, NORMS[norm](change) / NORMS[norm]([Fraction(s, 10**6) for s in signs]))
    return best


def constant(found: Any) -> Fraction:
    return Fraction(found.value.mid)


@together("norm", NORMS)
@together("name", FORMULAS)
def test_a_recipe(name: str, norm: str) -> None:
    inputs, values, function = FORMULAS[name]
    if name == "cpwl":
        values = None  # its default points
    found = bounds.lipschitz(name, norm=norm, values=values)
    assert constant(found) == steepest(function, inputs, norm)
    assert found.holds
    assert found.claimed is not None
    assert Fraction(found.claimed.mid) >= constant(found)


def network(W1: Any, b1: Any, W2: Any, b2: Any) -> Transformer:
    ins, outs = [f"x{k}" for k in range(len(W1[0]))], [f"y{k}" for k in range(len(W2))]
    block = FeedForward(tuple(ins), tuple(outs), W1, b1, W2, b2)
    embedding = Embedding(Space((*ins, *outs)), inputs=tuple(ins))
    return Transformer("made", embedding, (Layer(None, block),), Readout("value", "last", tuple(outs)))


def affine(row: Any, x: Sequence[Fraction], b: Any) -> Fraction:
    return sum((a * e for a, e in zip(row, x, strict=True)), Fraction(b))


def plain(W1: Any, b1: Any, W2: Any, b2: Any) -> Function:
    def function(x: Sequence[Fraction]) -> list[Fraction]:
        hidden = [max(affine(row, x, b), Fraction(0)) for row, b in zip(W1, b1, strict=True)]
        return [affine(row, hidden, b) for row, b in zip(W2, b2, strict=True)]

    return function


@pytest.mark.layer_one(4)
@pytest.mark.parametrize("seed", range(6))
def test_random_networks(seed: int) -> None:
    """Small weights, so that every cell is wide enough to be met by one of the points; with a hidden unit that is
    constant, one that occurs twice, and two that are never positive together."""
    rng = random.Random(seed)
    inputs, outputs = rng.choice([(1, 1), (2, 1), (2, 2)])
    rows = [[rng.randint(-2, 2) for _ in range(inputs)] for _ in range(2)]
    W1 = [*rows, rows[0], [-e for e in rows[1]], [0] * inputs]
    b1 = [Fraction(1, 2), Fraction(1, 2), Fraction(-3, 2), Fraction(-3, 4), rng.randint(-1, 1)]
    W2 = [[rng.randint(-3, 3) for _ in W1] for _ in range(outputs)]
    matrices = (W1, b1, W2, [1] * outputs)
    for norm in NORMS:
        answer = bounds.lipschitz(network(*matrices), norm=norm)
        assert constant(answer) == steepest(plain(*matrices), inputs, norm, seed, 200)
        assert answer.claimed is not None
        assert Fraction(answer.claimed.mid) == operator(W2, norm) * operator(W1, norm)


def operator(rows: Any, norm: str) -> Fraction:
    """The greatest norm of A s over the corners of the unit ball: signs, or one entry."""
    inputs = len(rows[0])
    if norm == "max":
        corners = list(itertools.product((-1, 1), repeat=inputs))
    else:
        corners = [tuple(int(a == b) for b in range(inputs)) for a in range(inputs)]
    images = [
        [sum((Fraction(a) * x for a, x in zip(row, x_, strict=True)), Fraction(0)) for row in rows] for x_ in corners
    ]
    return max(NORMS[norm](image) for image in images)


@pytest.mark.parametrize(
    ("matrices", "said"),
    [
        (([[1], [-1]], [0, 0], [[1, 2]], [0]), "of degree 1, without biases"),
        (([[1], [1]], [3, 3], [[1, -1]], [0]), "of degree 1"),  # the biases cancel
        (([[0], [1]], [3, 0], [[1, 1]], [-3]), "of degree 1"),
        (([[1]], [0], [[1]], [1]), "no: f(2 x) is not 2 f(x) at x0 = "),
        (([[1], [1]], [0, -5], [[1, 1]], [0]), "no: f("),
    ],
)
def test_homogeneity(matrices: Any, said: str) -> None:
    found = str(bounds.lipschitz(network(*matrices)).extra["homogeneous"])
    assert found.startswith(said)
    if said.startswith("no"):
        c, x = int(found.split("(")[1].split()[0]), Fraction(found.rsplit("= ", 1)[1])
        function = plain(*matrices)
        assert function([c * x]) != [c * y for y in function([x])]
    else:
        assert found == said
        for x, c in itertools.product((Fraction(-7, 3), Fraction(0), Fraction(5, 2)), (0, Fraction(1, 2), 9)):
            assert plain(*matrices)([c * x]) == [c * y for y in plain(*matrices)([x])]


def normalised(x: Any, gain: Any, epsilon: float) -> Any:
    """Layer norm of rows by numpy's own mean and variance."""
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + epsilon) * gain


@together("gain", ["1", "-3", "1, 2, 1/2", "2, 2, 1", "0, 0, 5", "1, -1/2, 3, 0"])
@together("epsilon", ["1/100", "4"])
def test_layer_norm(gain: str, epsilon: str) -> None:
    parts = [float(Fraction(part)) for part in gain.split(",")]
    d = max(len(parts), 3)
    factors = np.array(parts * d if len(parts) == 1 else parts)
    found = bounds.layer_norm(d, epsilon, gain, digits=20)
    least, small = float(Decimal(found.value.mid)), float(Fraction(epsilon))
    rng = np.random.default_rng(7)
    best = 0.0
    for scale in (1e-3, 1e-2, 1.0, 10.0):
        x, z = (rng.normal(size=(5000, d)) * scale for _ in range(2))
        change = normalised(x, factors, small) - normalised(z, factors, small)
        best = max(best, float((np.linalg.norm(change, axis=1) / np.linalg.norm(x - z, axis=1)).max()))
    assert best <= least * (1 + 1e-9)
    assert best >= 0.98 * least
    assert found.holds


def derivative(x: Any, gain: Any, epsilon: float) -> Any:
    """The matrix of derivatives of layer norm at x."""
    d, y = len(x), x - x.mean()
    root = np.sqrt((y**2).mean() + epsilon)
    return gain[:, None] * ((np.eye(d) - 1 / d) / root - np.outer(y, y) / (d * root**3))


def grown(gain: Any, epsilon: float, norm: str) -> float:
    """The greatest operator norm of the derivative, over all signs at the points between a and -b of mean 0."""
    d, best = len(gain), 0.0
    factors = gain if norm == "sum" else np.ones(d)
    for i, signs in itertools.product({*map(list(gain).index, gain)}, itertools.product((1, -1), repeat=d)):
        a, b = (v - v.mean() for v in (np.eye(d)[i], factors * signs))
        way = a / np.linalg.norm(a) - b / np.linalg.norm(b) if np.linalg.norm(b) > 0 else a
        way = way / np.linalg.norm(way) if np.linalg.norm(way) > 1e-9 else np.zeros(d)
        for t in np.linspace(0, 0.9, 19):
            found = np.abs(derivative(np.sqrt(t * d * epsilon / (1 - t)) * way, gain, epsilon))
            best = max(best, found.sum(axis=1 if norm == "max" else 0).max())
    return best


@together("gain", ["1", "-3", "1, 2, 1/2", "0, 0, 5", "1, -1/2, 3, 0", "1, 1, 1, 1, 9"])
@together(("norm", "name"), [("sum", "sum of entries"), ("max", "largest entry")])
def test_layer_norm_in_the_other_norms(gain: str, norm: str, name: str) -> None:
    """No derivative at random points exceeds the constant, some reach it, and quotients of differences stay below."""
    parts = [float(Fraction(part)) for part in gain.split(",")]
    d, epsilon = max(len(parts), 3), 1 / 100
    factors = np.array(parts * d if len(parts) == 1 else parts)
    extra: Any = bounds.layer_norm(d, "1/100", gain, digits=20).extra
    least, proved = (float(Decimal(extra[key].mid)) for key in (f"{name}, smallest", f"{name}, proved"))
    assert least <= proved * (1 + 1e-9)
    assert grown(factors, epsilon, norm) == pytest.approx(least, rel=3e-3)
    rng = np.random.default_rng(3)
    axis = 1 if norm == "max" else 0
    for scale in (1e-3, 1e-1, 1.0):
        points = rng.normal(size=(100, d)) * scale
        assert all(np.abs(derivative(x, factors, epsilon)).sum(axis=axis).max() <= least * (1 + 1e-9) for x in points)
        change = normalised(points, factors, epsilon) - normalised(points[::-1], factors, epsilon)
        size = {"max": lambda v: np.abs(v).max(axis=1), "sum": lambda v: np.abs(v).sum(axis=1)}[norm]
        assert (size(change) <= least * (1 + 1e-9) * size(points - points[::-1])).all()


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("d", [57, 58, 64])
def test_where_layer_norm_is_steeper_than_at_zero(d: int) -> None:
    """One entry against signs, by a search over how many are positive: steeper away from equal entries from 58 on."""
    best = 0.0
    for k in range(1, d):
        signs = np.array([1.0] * k + [-1.0] * (d - k))
        a, b = np.eye(d)[0] - 1 / d, signs - signs.mean()
        way = a / np.linalg.norm(a) - b / np.linalg.norm(b)
        way = way / np.linalg.norm(way) if np.linalg.norm(way) > 1e-9 else np.zeros(d)
        for t in np.linspace(0, 0.9, 37):
            found = derivative(np.sqrt(t * d / (1 - t)) * way, np.ones(d), 1.0)
            best = max(best, float(np.abs(found[0]).sum()))
    extra: Any = bounds.layer_norm(d, 1, digits=20).extra
    least = float(Decimal(extra["largest entry, smallest"].mid))
    assert str(extra["sum of entries, smallest"]) == str(extra["largest entry, smallest"])
    assert best == pytest.approx(least, rel=1e-3)
    assert (least > 2 - 2 / d + 1e-9) == (d >= 58)


def test_too_many_sums_of_gains() -> None:
    gain = ", ".join(str(2**k) for k in range(16))
    extra = bounds.layer_norm(16, 1, gain).extra
    assert extra["sum of entries, smallest"] == "not known: more than 10,000 sums of gains"


def test_layer_norm_by_hand() -> None:
    """Equal gains: |gain|/sqrt(epsilon). Gains 1 and 0: w = (1, -1)/sqrt(2) keeps half of its square."""
    assert Fraction(bounds.layer_norm(5, "1/100", "-3").value.mid) == 30
    assert Decimal(bounds.layer_norm(2, 1, "1, 0", digits=20).value.mid) ** 2 - Decimal("0.5") < Decimal("1e-19")


@together(
    ("call", "match"),
    [
        (lambda: bounds.layer_norm(3, 0), "not Lipschitz"),
        (lambda: bounds.layer_norm(3, "-1"), "positive"),
        (lambda: bounds.layer_norm(1, 1), "at least 2"),
        (lambda: bounds.layer_norm(65, 1), "at most 64"),
        (lambda: bounds.layer_norm(3, 1, "1, 2"), "d = 3"),
        (lambda: bounds.layer_norm(3, 1, "0"), "an entry other than 0"),
        (lambda: bounds.lipschitz("parity"), "one feed-forward layer"),
        (lambda: bounds.lipschitz("sign-norm"), "one feed-forward layer"),
        (lambda: bounds.lipschitz("multiply-gelu"), "one feed-forward layer"),
        (lambda: bounds.lipschitz("gtzero"), "value"),
        (lambda: bounds.lipschitz("min", norm="two"), "norm"),
    ],
)
def test_bad_input(call: Callable[[], Any], match: str) -> None:
    with pytest.raises(BadInput, match=match):
        call()


def test_units_that_are_never_positive_together() -> None:
    """relu(x) - relu(-x - 1) has the slopes 1, 0 and 1; both units together would have 2."""
    for norm in NORMS:
        found = bounds.lipschitz(network([[1], [-1]], [0, -1], [[1, -1]], [0]), norm=norm)
        assert constant(found) == 1 and found.claimed is not None and Fraction(found.claimed.mid) == 2


def test_a_point_is_moved_so_little_that_no_unit_changes_its_sign() -> None:
    """What is looked at of a cell lies in that cell: with one unit near the point and one far from it."""
    units = [(Fraction(1), Fraction(0), Fraction(-1, 10)), (Fraction(0), Fraction(-1), Fraction(7))]
    point = (Fraction(0), Fraction(0))
    moved = [*beside(point, units)]
    assert [sum(a != b for a, b in zip(x, point, strict=True)) for x in moved] == [1, 1]
    for x in moved:
        assert x[0] < Fraction(1, 10) and x[1] < 7
