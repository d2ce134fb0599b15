"""Bounds against plain loops, small and each day: errors in types of floats against a runtime that rounds and sums in
any order, cross-entropies and intervals of a weight against all words, points of cells, rounding, gaps of the hash."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import dense
import mpmath
import numpy as np
import pytest
from families import together
from flint import arb, fmpq
from runtimes import Runtime

import symcook as sc
from symcook import bounds
from symcook.bounds import layer
from symcook.bounds import sums as hashes
from symcook.bounds.error import FLOATS
from symcook.bounds.moved import Moved, Off
from symcook.papers.chiang2022.entropy import cross_entropy
from symcook.papers.chiang2022.figures import right_weights
from symcook.questions.tolerance import free

# --- Types of floats --------------------------------------------------------------------------------------------------

NAMES = ("a", "b", "c")


def network(activation: str, W1: Any = (("1/3", 1),), b1: Any = ("-1/7",)) -> sc.FeedForward:
    return sc.FeedForward(("a", "b"), ("c",), [list(row) for row in W1], list(b1), [["5/3"] * len(W1)], [0], activation)


def soft(weighting: str = "softmax", mask: str = "future") -> sc.Head:
    return sc.Head(("a", "b"), ("c",), [["3/2", 1]], [["1/3", "-1"]], [["2/3", "1"]], mask, weighting)


def made(part: Any, norm: bool = False) -> sc.Transformer:
    words = {"x": {"a": 1, "b": "1/3"}, "y": {"a": "-2/7", "b": "3/5"}}
    norms = (sc.LayerNorm(NAMES, gain=[1, "1/3", 2], bias=[0, "1/7", 0], epsilon="1/10"),) if norm else ()
    here = (None, part, (), norms) if isinstance(part, sc.FeedForward) else (part, None, norms, ())
    step = sc.Layer(*here, "post" if norm else "none")
    return sc.Transformer(
        "made", sc.Embedding(sc.Space(NAMES), words=words), (step,), sc.Readout("value", "last", NAMES)
    )


MODELS = {
    "relu": made(network("relu", (("1/3", 1), ("1", "-1/3")), ("-1/7", 0))),
    "step": made(network("step")),
    "step at its threshold": made(network("step", ((0, 0),), (0,))),  # exactly 0 in every type
    "gelu": made(network("gelu")),
    "gelu-tanh": made(network("gelu-tanh")),
    "gelu-sigmoid": made(network("gelu-sigmoid")),
    "softmax": made(soft()),
    "average": made(sc.Head(("a", "b"), ("c",), [[0, 0]], [[0, 0]], [["2/3", 1]], "none", "average")),
    "rightmost": made(soft("rightmost", "past")),
    "norm": made(network("relu"), norm=True),
}


@together("dtype", ["float32", "bfloat16"])
@together("delta", [None, "1/10^20"])
def test_a_root_of_the_length_is_rounded(dtype: str, delta: Any) -> None:
    """sqrt(3) is all that there is, whether or not the embedding may change too."""
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {}}, positions={"a": "sqrt(n)"})
    part = sc.FeedForward(("b",), ("b",), [[1]], [[0]], [[1]], [[0]])
    model = sc.Transformer("root", embedding, (sc.Layer(None, part),), sc.Readout("value", "last", ("a", "b")))
    found = bounds.error_propagation(model, n=3, dtype=dtype, delta=delta).value
    exact = dense.run(model, "xxx", dense.decimal(40))[-1]
    floats = Runtime(dtype, seed=1).run(model, "xxx")[-1]
    with mpmath.workdps(40):
        off = Fraction(str(abs(exact["a"] - floats["a"])))
    unit = Fraction(1, 2 ** {"float32": 24, "bfloat16": 8}[dtype])
    assert unit / 4 < off <= Fraction(found.mid) + Fraction(found.rad) <= 8 * unit


@together("scores", [(0,), (0, 0), (0, 1), (-1, 2), (1, 0, -1)])
def test_the_roundings_of_a_softmax_at_their_worst(scores: tuple[int, ...]) -> None:
    """Every difference, exponential (by 4 units of the last place), product, sum and quotient rounded up or down, in
    all ways, at 8 bits: below the bound. One weight alone cancels, which the bound does not know."""
    domain, unit = Moved(200, [], Fraction(0), FLOATS["bfloat16"]), mpmath.mpf(2) ** -8
    k = len(scores)
    values = [1, -1, "1/3"][:k]
    with domain.context(), mpmath.workdps(40):
        wholes, held = [arb(s) for s in scores], [arb(fmpq(*Fraction(v).as_integer_ratio())) for v in values]
        exps = [mpmath.exp(s) for s in scores]
        numbers = [mpmath.mpf(Fraction(v).numerator) / Fraction(v).denominator for v in values]
        exact = mpmath.fsum(e * v for e, v in zip(exps, numbers, strict=True)) / mpmath.fsum(exps)
        size = mpmath.fsum(e * abs(v) for e, v in zip(exps, numbers, strict=True)) / mpmath.fsum(exps)
        off = mpmath.exp(2 * max(map(abs, scores)) * unit) * (1 + 8 * unit) - 1
        worst = mpmath.mpf(0)
        for ups in product((1, -1), repeat=4 * k - 1):
            sign = iter(ups)
            weights = [e * (1 + next(sign) * off) for e in exps]
            terms = [w * v * (1 + next(sign) * unit) for w, v in zip(weights, numbers, strict=True)]
            above, below = terms[0], weights[0]
            for j in range(1, k):
                above, below = (
                    (above + terms[j]) * (1 + next(sign) * unit),
                    (below + weights[j]) * (1 + next(sign) * unit),
                )
            worst = max(worst, abs(above / below * (1 + next(sign) * unit) - exact))
        found = domain.soft_rounding(wholes, arb(str(size)), held)
        low, high = (mpmath.mpf(end.str(30, radius=False)) for end in (found.lower(), found.upper()))
        assert worst <= high and low <= 12 * worst


def test_what_moves_a_divisor_moves_the_quotient() -> None:
    """a/(b + d) for d up to 1/10 on both sides, a still or moving with it."""
    domain = Moved(200, ["m"], Fraction(1, 10))
    with domain.context():
        domain.begin(("x",), 1)
        for a, b in ((1, 2), (3, "1/2"), (-5, 4), ("1/3", -2)):
            dividend, divisor = Fraction(a), Fraction(b)
            for share in (0, 1, -2):
                top = Off(domain, arb(fmpq(*dividend.as_integer_ratio())), domain.one(0, arb(share)) if share else None)
                under = Off(domain, arb(fmpq(*divisor.as_integer_ratio())), domain.one(0, arb(1)))
                steps = [Fraction(k, 100) for k in range(-10, 11)]
                worst = max(abs((dividend + share * d) / (divisor + d) - dividend / divisor) for d in steps)
                moved = Fraction(str(domain.over(top, under).moved.str(30, radius=False)))
                assert worst <= moved * (1 + Fraction(1, 10**20)) and moved <= 2 * worst + Fraction(1, 5)


@together("dtype", ["float32", "bfloat16"])
@together("what", MODELS)
def test_a_bound_in_a_type_of_floats_holds_and_is_of_its_size(dtype: str, what: str) -> None:
    """The change of the stream at every position of every word, in runs with drawn orders of sums: below the bound,
    which is a few units of the last place."""
    model, n = MODELS[what], 3
    found = bounds.error_propagation(model, n=n, dtype=dtype).value
    bound = Fraction(found.mid) + Fraction(found.rad)
    unit, worst = Fraction(1, 2 ** {"float32": 24, "bfloat16": 8}[dtype]), Fraction(0)
    for seed, word in enumerate(product("xy", repeat=n)):
        exact = dense.run(model, word, dense.decimal(40))
        floats = Runtime(dtype, seed=seed).run(model, word)
        for one, other in zip(exact, floats, strict=True):
            with mpmath.workdps(40):
                off = Fraction(str(mpmath.fsum(abs(one[name] - other[name]) for name in NAMES)))
            worst = max(worst, off)
    assert worst <= bound <= 120 * unit
    assert worst > 0


def test_a_change_before_a_norm_of_close_entries() -> None:
    """Entries that lie close, where the norm is steep: no change of one entry moves the stream further than the bound,
    and some change moves it nearly so far."""
    norm = sc.LayerNorm(NAMES, gain=[1, "1/3", 2], epsilon="1/100")
    network = sc.FeedForward(("a",), ("c",), [[0]], [0], [[0]], [0])
    delta, worst = Fraction(1, 10**6), mpmath.mpf(0)

    def stream(entries: Any) -> Any:
        words = {"x": dict(zip(NAMES, map(str, entries), strict=True))}
        layer = sc.Layer(None, network, (), (norm,), "post")
        return sc.Transformer(
            "n", sc.Embedding(sc.Space(NAMES), words=words), (layer,), sc.Readout("value", "last", NAMES)
        )

    entries = [Fraction(1, 10), Fraction(2, 5), Fraction(1, 4)]
    with mpmath.workdps(40):
        (clean,) = dense.run(stream(entries), "x", dense.decimal(40))
        for k, sign in product(range(3), (1, -1)):
            moved = [e + sign * delta * (j == k) for j, e in enumerate(entries)]
            (found,) = dense.run(stream(moved), "x", dense.decimal(40))
            worst = max(worst, mpmath.fsum(abs(found[name] - clean[name]) for name in NAMES))
        bound = mpmath.mpf(bounds.error_propagation(stream(entries), delta, n=1).value.mid)
        assert worst <= bound * (1 + mpmath.mpf(10) ** -5) <= worst * (1 + mpmath.mpf(10) ** -4)


# --- Cross-entropy, and how far a weight may move ---------------------------------------------------------------------


def parity_logit(word: Any, weight: Fraction, c: int = 1) -> Any:
    """chiang2022, Section 3.2, with the weight of Figure 3: every position has learnt weight k/n."""
    n = len(word) + 1
    ones = weight * sum(token == "1" for token in word) / n
    hit = [
        max(0, ones - Fraction(i + 1, n)) - 2 * max(0, ones - Fraction(i, n)) + max(0, ones - Fraction(i - 1, n))
        for i in range(n)
    ]
    total = mpmath.mpf(0)
    for sign in (-1, 1):
        shares = [mpmath.exp(-sign * c * (-1) ** i) for i in range(n)]
        heard = mpmath.fsum(s * mpmath.mpf(h.numerator) / h.denominator for s, h in zip(shares, map(Fraction, hit)))  # noqa: B905
        total += sign * heard / mpmath.fsum(shares)
    return total


@together(("weight", "c"), [("1", 1), ("1", 3), ("1/2", 1), ("4/3", 2), ("0", 1)])
@together("n", [1, 2, 3, 4])
def test_cross_entropy_of_parity_over_all_words(n: int, weight: str, c: int) -> None:
    with mpmath.workdps(40):
        bits = []
        for word in product("01", repeat=n):
            s = parity_logit(word, Fraction(weight), c)
            member = word.count("1") % 2 == 1
            bits.append(mpmath.log(1 + mpmath.exp(-s if member else s), 2))
        expected = mpmath.fsum(bits) / len(bits)
        found = cross_entropy("parity", n, f"c={c}", weight=weight).value
        assert abs(mpmath.mpf(found.mid) - expected) <= mpmath.mpf(found.rad) + mpmath.mpf(10) ** -28


def within(found: Any, right: Any) -> None:
    """Every word is decided rightly from `low` to `high`, at 3 weights, and some are not at `below` and `above`."""
    with mpmath.workdps(30):
        for k in range(3):
            assert right(found.low + (found.high - found.low) * Fraction(k, 2))
        assert not right(found.below) and not right(found.above)
    assert 0 < found.low - found.below < Fraction(1, 500) and 0 < found.above - found.high < Fraction(1, 500)


@together("n", [3, 4])
def test_the_weights_that_leave_parity_right(n: int) -> None:
    def right(weight: Fraction) -> bool:
        return all(
            (parity_logit(word, weight) > mpmath.mpf(10) ** -20) == (word.count("1") % 2 == 1)
            for word in product("01", repeat=n)
        )

    within(right_weights("parity", n, None, digits=3), right)


NORMED = ["L1.head1.V[ones,one]", "-L1.head1.V[ones_minus,one]"]


def test_the_weights_that_leave_parity_behind_norms_right() -> None:
    """By the dense pass of the model with the weight, and with minus it beside it."""
    moved, _ = free(sc.build("parity-layernorm").bind({"epsilon": "1/10"}), NORMED)

    def right(weight: Fraction) -> bool:
        model, number = moved.bind({"free": weight}), dense.decimal(30)
        return all(
            dense.accepts(model, dense.typed(model, word), number) == (word.count("1") % 2 == 1)
            for word in product("01", repeat=3)
        )

    within(right_weights("parity-layernorm", 3, "epsilon=1/10", digits=3), right)


@pytest.mark.sweep
@together("n", [1, 2, 3])
@together("eta", [None, "2/5"])
def test_cross_entropy_behind_norms_over_all_words(n: int, eta: str | None) -> None:
    """By the dense pass of the recipe."""
    given = {} if eta is None else {"eta": eta}
    model = sc.build("parity-layernorm", **given).bind({"epsilon": "1/10"})
    with mpmath.workdps(40):
        bits = []
        for word in product("01", repeat=n):
            rows = dense.read(model, dense.typed(model, word), dense.decimal(40))
            s = rows[0 if model.readout.position == "first" else -1][0]["logit"]
            bits.append(mpmath.log(1 + mpmath.exp(-s if word.count("1") % 2 else s), 2))
        found = cross_entropy("parity-layernorm", n, {"epsilon": "1/10", **given}).value
        assert (
            abs(mpmath.mpf(found.mid) - mpmath.fsum(bits) / len(bits)) <= mpmath.mpf(found.rad) + mpmath.mpf(10) ** -28
        )


# --- Cells ------------------------------------------------------------------------------------------------------------


@together("seed", range(12))
def test_points_of_cells_and_beside_them(seed: int) -> None:
    """A point of a cell gives each unit its sign and no unit 0, all sign vectors of random points are there, and what
    lies beside a point changes no sign that is not 0."""
    rng = random.Random(seed)
    inputs = rng.choice([1, 2, 3])
    units = [tuple(Fraction(rng.choice([0, 1, -1, 20, "1/7"])) for _ in range(inputs + 1)) for _ in range(3)]

    def at(unit: Any, point: Any) -> Fraction:
        return sum((u * x for u, x in zip(unit[:-1], point, strict=True)), unit[-1])

    known = set()
    for signs, point in layer.cells(units, inputs):
        for unit, sign in zip(units, signs, strict=True):
            if any(unit[:-1]):
                assert at(unit, point) > 0 if sign else at(unit, point) < 0
        known.add(tuple(map(bool, signs)))
        for near in layer.beside(point, units):
            assert near != point
            assert all(at(u, near) * at(u, point) > 0 for u in units if at(u, point) != 0)
    for _ in range(200):
        point = [Fraction(rng.randint(-400, 400), rng.choice([1, 7, 100])) for _ in range(inputs)]
        values = [at(unit, point) for unit in units]
        if all(values):
            assert tuple(v > 0 for v in values) in known
    flat = [(*[Fraction(1)] * inputs, Fraction(0))]
    assert len(list(layer.beside((Fraction(0),) * inputs, flat))) == inputs  # every unit is 0 there


def test_what_is_no_multiple_at_four_times_a_point() -> None:
    """f = relu(x + 10) - 2 relu(x + 5) + relu(x), a hat: f(-5) is twice f(-5/2), and f(-10) = 0 not four times it."""
    network = sc.FeedForward(("x",), ("y",), [[1]] * 3, [10, 5, 0], [[1, -2, 1]], [0])
    embedding = sc.Embedding(sc.Space(("x", "y")), inputs=("x",))
    model = sc.Transformer("t", embedding, (sc.Layer(None, network),), sc.Readout("value", "last", ("y",)))
    assert bounds.lipschitz(model).extra["homogeneous"] == "no: f(4 x) is not 4 f(x) at x = -5/2"


# --- The hash ---------------------------------------------------------------------------------------------------------


def test_gaps_of_codes() -> None:
    """1 less the product of two codes, for any two numbers in either order, by the definition of the hash."""
    with mpmath.workdps(50):
        for q, k in product(range(1, 8), repeat=2):
            codes = [[mpmath.mpf(v) / mpmath.sqrt(2 * (x * x + 1)) for v in (x, 1, -x, -1)] for x in (q, k)]
            expected = 1 - mpmath.fdot(*codes)
            found = hashes.gap(q, k)
            assert abs(mpmath.mpf(str(found.mid().str(30, radius=False))) - expected) < mpmath.mpf(10) ** -12


@together("kind", [np.float16, np.float32])
def test_numbers_of_either_sign_are_rounded_as_numpy_does(kind: Any) -> None:
    rng, bits = random.Random(2), int(np.finfo(kind).nmant) + 1
    for _ in range(60):
        value = Fraction(rng.choice([-1, 1]) * rng.randint(10**3, 10**6), 2 ** rng.randint(5, 16))
        assert hashes.rounded(value, bits) == Fraction(float(np.array(float(value)).astype(kind)))
        assert hashes.rounded(-value, bits) == -hashes.rounded(value, bits)
