"""Heads with biases and with a slope by the distance in every number system, beside numpy."""

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from biased_heads import KINDS, LETTERS, ROTARY, SPACE, drawn, drawn_rotary, stream
from flint import arb
from norms_and_gates import matrix
from test_norms_and_gates import columns, number

import symcook as sc
from symcook.domains import make_domain
from symcook.domains.ball import BallDomain
from symcook.domains.batch import Listed
from symcook.domains.radii import Radii
from symcook.errors import BadInput, NotExact
from symcook.forward import _bounded, _pass_class, forward
from symcook.model.modelfile import dumps, loads
from symcook.walk import Walk

FAR_FROM_NUMPY = {"float64": 1e-9, "ball": 1e-9, "mpmath": 1e-9, "float32": 1e-2}
HARD = ("average", "leftmost", "rightmost")


@pytest.mark.layer_two(every=12)
@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in KINDS for seed in range(30)])
def test_random_softmax_heads_are_what_numpy_computes(kind: str, seed: int) -> None:
    model = drawn(kind, seed)
    assert loads(dumps(model)) == model
    for word in [word for n in (1, 2, 3) for word in product(LETTERS, repeat=n)][seed % 5 :: 5]:
        expected = stream(model, word)
        scale = 1 + np.abs(expected).max()
        for system, apart in FAR_FROM_NUMPY.items():
            # With a trace all positions are computed, without one the readout's alone.
            for trace in (True, False):
                found = columns(forward(model, model.tokens(word), make_domain(system), trace=trace), SPACE)
                assert np.abs(found - (expected if trace else expected[-1:])).max() < apart * scale, (system, word)
        # The error model: its sets hold the exact values, of which the balls are far narrower.
        rounded = _bounded(forward(model, model.tokens(word), make_domain("float32"), trace=True))
        exact = forward(model, model.tokens(word), BallDomain(200), trace=True)
        for name in SPACE:
            both = zip(map(arb, rounded.stream[name]), map(arb, exact.stream[name]), strict=True)
            assert all(wide.overlaps(value) for wide, value in both), (name, word)


@pytest.mark.layer_one(0, 4, 8)
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in KINDS for seed in range(10)])
@pytest.mark.layer_two(every=2)
def test_random_hard_heads_are_what_numpy_computes(kind: str, seed: int) -> None:
    """In exact arithmetic, in which each of several scores may be the greatest."""
    model = drawn(kind, seed, HARD[seed % 3])
    for word in [word for n in (1, 2, 3) for word in product(LETTERS, repeat=n)][seed % 3 :: 3]:
        expected = stream(model, word)
        for system in ("exact", "ball"):
            for trace in (True, False):
                found = columns(forward(model, model.tokens(word), make_domain(system), trace=trace), SPACE)
                assert np.abs(found - (expected if trace else expected[-1:])).max() < 1e-12, (system, word)


@pytest.mark.layer_two(every=12)
@pytest.mark.layer_one(0, 33)
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in ROTARY for seed in range(30)])
def test_random_rotary_heads_are_what_numpy_computes(kind: str, seed: int) -> None:
    model = drawn_rotary(kind, seed)
    assert loads(dumps(model)) == model
    for word in [word for n in (1, 2, 3) for word in product(LETTERS, repeat=n)][seed % 9 :: 9]:
        expected = stream(model, word)
        scale = 1 + np.abs(expected).max()
        for system, apart in FAR_FROM_NUMPY.items():
            for trace in (True, False):
                found = columns(forward(model, model.tokens(word), make_domain(system), trace=trace), SPACE)
                assert np.abs(found - (expected if trace else expected[-1:])).max() < apart * scale, (system, word)
        rounded = _bounded(forward(model, model.tokens(word), make_domain("float32"), trace=True))
        exact = forward(model, model.tokens(word), BallDomain(200), trace=True)
        for name in SPACE:
            both = zip(map(arb, rounded.stream[name]), map(arb, exact.stream[name]), strict=True)
            assert all(wide.overlaps(value) for wide, value in both), (name, word)


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("seed", range(9))
def test_quarter_turns_are_exact(seed: int) -> None:
    """Of hard heads, whose values are rational."""
    model = drawn_rotary("rotary", seed, HARD[seed % 3], quarter=True)
    for word in [word for n in (1, 2, 3) for word in product(LETTERS, repeat=n)][seed % 3 :: 3]:
        expected = stream(model, word)
        for trace in (True, False):
            found = columns(forward(model, model.tokens(word), make_domain("exact"), trace=trace), SPACE)
            assert np.abs(found - (expected if trace else expected[-1:])).max() < 1e-12, word


PLUS_ONE = "softmax-plus-one"


@pytest.mark.layer_two(every=12)
@pytest.mark.layer_one(0, 65)
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in ("biases", *ROTARY[:2]) for seed in range(30)])
def test_softmax_with_a_one_below_is_what_numpy_computes(kind: str, seed: int) -> None:
    model = drawn(kind, seed, PLUS_ONE) if kind == "biases" else drawn_rotary(kind, seed, PLUS_ONE)
    assert loads(dumps(model)) == model
    for word in [word for n in (1, 2, 3) for word in product(LETTERS, repeat=n)][seed % 9 :: 9]:
        expected = stream(model, word)
        scale = 1 + np.abs(expected).max()
        for system, apart in FAR_FROM_NUMPY.items():
            for trace in (True, False):
                found = columns(forward(model, model.tokens(word), make_domain(system), trace=trace), SPACE)
                assert np.abs(found - (expected if trace else expected[-1:])).max() < apart * scale, (system, word)
        rounded = _bounded(forward(model, model.tokens(word), make_domain("float32"), trace=True))
        exact = forward(model, model.tokens(word), BallDomain(200), trace=True)
        for name in SPACE:
            both = zip(map(arb, rounded.stream[name]), map(arb, exact.stream[name]), strict=True)
            assert all(wide.overlaps(value) for wide, value in both), (name, word)


def test_a_one_below_by_hand() -> None:
    """Of ab with the score of each x: (e - e^-1)/(1 + e + e^-1); without scores 2 values over 3."""
    embedding = sc.Embedding(sc.Space(("x", "y")), {"a": {"x": 1}, "b": {"x": -1}})

    def said(head: sc.Head, word: str) -> Any:
        model = sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("y",)))
        return model.run(word).output["y"]

    mean = sc.Head(("x",), ("y",), [], [], [[1]], "none", PLUS_ONE)
    assert [said(mean, word) for word in ("a", "aa", "aab")] == ["1/2", "2/3", "1/4"]
    one = sc.Head(("x",), ("y",), [[1]], [[1]], [[1]], "none", PLUS_ONE)
    assert said(one, "aa") == "exp(1)/(exp(1) + 1/2)"
    with pytest.raises(
        BadInput, match="must not have this weighting; given: softmax-plus-one"
    ):
        sc.BiasedHead(("v",), ("v",), [], [], [[1]], weighting=PLUS_ONE, slope=1)


def test_other_turns_are_not_exact() -> None:
    embedding = sc.Embedding(sc.Space(("x", "y")), {"a": {"x": 1}, "b": {"x": -1}})
    head = sc.RotaryHead(("x",), ("y",), [[1], [0]], [[1], [0]], [[1]], [1], mask="causal", weighting="rightmost")
    model = sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("y",)))
    with pytest.raises(NotExact, match=r"rational in exact arithmetic; given: .*cos"):
        model.run("ab", domain="exact")
    # cos(1) > cos(0) cos(1)... : the position itself has the score 1, the one before cos(1) below it.
    assert model.run("ab", domain="ball").output == {"y": {"mid": "-1", "rad": "0"}}


def test_a_rotary_head_that_cannot_be_made_is_refused_in_one_sentence() -> None:
    sides: Any = ("v",), ("v",), [[1], [0]], [[1], [0]], [[1]]
    with pytest.raises(BadInput, match="must have an angle for each pair of key dimensions; given: 2 for 2"):
        sc.RotaryHead(*sides, [1, 2])
    with pytest.raises(
        BadInput, match="a head with rotary angles or norms of queries must have at least one key dimension"
    ):
        sc.RotaryHead(("v",), ("v",), [], [], [[1]], [])
    with pytest.raises(BadInput, match="must norm both queries and keys, or neither"):
        sc.RotaryHead(*sides, q_gain=[1, 1])
    with pytest.raises(BadInput, match="epsilon of a norm of queries and keys must not be negative; given: -1"):
        sc.RotaryHead(*sides, q_gain=[1, 1], k_gain=[1, 1], qk_epsilon=-1)
    with pytest.raises(BadInput, match=r"k_gain .*2 x 1"):
        sc.RotaryHead(*sides, q_gain=[1, 1], k_gain=[1])


def test_a_slope_by_hand() -> None:
    """Of the string ab, weights e^(-1/2) and 1; with a scale of 2 the slope is the same."""
    embedding = sc.Embedding(sc.Space(("x", "y")), {"a": {"x": 1}, "b": {"x": -1}})
    for scale in (1, 2, "1/sqrt(3)"):
        more: dict[str, Any] = {"mask": "causal", "weighting": "softmax", "slope": "1/2", "scale": scale}
        head = sc.BiasedHead(("x",), ("y",), [], [], [[2]], **more)
        model = sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("y",)))
        assert model.run("ab").output == {"y": "(-2*exp(1/2) + 2)/(exp(1/2) + 1)"}


def test_a_bias_of_values_is_the_mean_of_itself() -> None:
    embedding = sc.Embedding(sc.Space(("x", "y")), {"a": {"x": 1}, "b": {"x": -1}})
    head = sc.BiasedHead(("x",), ("y",), [[1]], [[0]], [[0]], [1], [5], ["1/3"], mask="strict-causal", slope=-1)
    model = sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("y",)))
    assert [model.run(word).output["y"] for word in ("a", "ab", "aba")] == ["0", "1/3", "1/3"]


def dense_model(slope: Any) -> sc.Transformer:
    """With heads that have a slope or, of None, rotary ones with norms."""
    draw, names = Random(4), tuple(f"c{k}" for k in range(16))

    def layer() -> sc.Layer:
        sides = matrix(draw, 4, 16), matrix(draw, 4, 16), matrix(draw, 16, 16)
        biases = [[row[0] for row in matrix(draw, size, 1)] for size in (4, 4, 16)]
        head: Any
        if slope is None:
            gains: Any = {"q_gain": [1, 2, -1, "1/2"], "k_gain": [1, 1, 3, 1], "qk_epsilon": "1/10"}
            head = sc.RotaryHead(names, names, *sides, ["1/3", 0], *biases, **gains, mask="causal", weighting="softmax")
        else:
            head = sc.BiasedHead(names, names, *sides, *biases, "future", "softmax", slope, scale="1/64")
        return sc.Layer(head, None, (sc.RMSNorm(names, epsilon="1/100"),), (), "pre")

    words = {token: {name: draw.randint(-4, 4) for name in names} for token in "abc"}
    readout = sc.Readout("value", "last", names)
    return sc.Transformer("d", sc.Embedding(sc.Space(names), words), (layer(), layer()), readout)


@pytest.mark.parametrize("slope", [0, "1/3", "sqrt(2)", None])
def test_dense_passes_are_the_walk_and_radii_hold_the_values(slope: Any) -> None:
    model = dense_model(slope)
    assert model.dense
    tokens, names = model.tokens("abcab"), tuple(model.space)
    for system, apart in (("float64", 1e-10), ("float32", 1e-2), ("ball", 1e-12)):
        assert _pass_class(model, make_domain(system)) is not Walk
        for trace in (False, True):
            dense = forward(model, tokens, make_domain(system), trace=trace)
            walk: Any = Walk(model, tokens, domain := make_domain(system), None, trace)
            with domain.context():
                walked = walk.result(True, 0)
            assert np.abs(columns(dense, names) - columns(walked, names)).max() < apart
    strings = [model.tokens(word) for word in product("abc", repeat=2)]
    radii: Any = Radii()
    held: Any = forward(model, Listed(tuple(strings)), radii)
    for k, string in enumerate(strings):
        exact = forward(model, string, BallDomain(200)).values()
        for name, value in exact.items():
            column = held.stream[name]
            assert abs(number(value) - column.mid[-1][k]) <= column.rad[-1][k] < 1e-5


def sign(seed: int, kind: str, weighting: str) -> sc.Transformer:
    readout = sc.Readout("sign", "last", SPACE, [[1, -1, "1/2", 1]])
    return drawn(kind, seed, weighting, readout=readout)


@pytest.mark.layer_one(0, 5, 7)
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in KINDS for seed in range(8)])
def test_a_check_is_numpy_on_all_strings(kind: str, seed: int) -> None:
    """Through whichever engine answers: strings one by one, in batches, or grouped."""
    model = sign(seed, kind, HARD[seed % 3])

    def accepts(word: Any) -> bool:
        return bool(stream(model, word)[-1] @ [1, -1, 0.5, 1] > 0)

    assert model.check(accepts, 3).holds


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("seed", range(6))
def test_a_check_by_merged_prefixes_is_numpy(seed: int) -> None:
    model = sign(seed, "both", HARD[seed % 3])
    parity = sc.Fold(0, lambda state, token: (state + (token == "a")) % 2, lambda state: state == 0)
    from symcook.errors import Unmerged
    from symcook.verify.merged import merged

    try:
        found = merged(model, parity, 4)
    except (Unmerged, NotExact):
        return
    words = [word for n in range(1, 5) for word in product(LETTERS, repeat=n)]
    wrong = sum((stream(model, w)[-1] @ [1, -1, 0.5, 1] > 0) != (w.count("a") % 2 == 0) for w in words)
    assert (found.wrong, found.covered) == (wrong, len(words))


def test_what_cannot_be_made_is_refused_in_one_sentence() -> None:
    with pytest.raises(BadInput, match=r"q_bias .*1 x 1"):
        sc.BiasedHead(("v",), ("v",), [[1]], [[1]], [[1]], [1, 2])
    with pytest.raises(BadInput, match="the scale of a head must be positive"):
        sc.BiasedHead(("v",), ("v",), [[1]], [[1]], [[1]], scale=0)
    with pytest.raises(BadInput, match="mask"):
        sc.BiasedHead(("v",), ("v",), [[1]], [[1]], [[1]], mask="window")
    embedding = sc.Embedding(sc.Space(("v",)), {"a": {"v": 2}})
    head = sc.BiasedHead(("v",), ("v",), [[1]], [[1]], [[1]])
    model = sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("v",)))
    with pytest.raises(BadInput, match="must have no other keys"):
        loads(dumps(model).replace('"kind": "biased",', ""))
    with pytest.raises(BadInput, match="the kind of a part must be head or biased or rotary; given: gated"):
        loads(dumps(model).replace('"biased"', '"gated"'))
