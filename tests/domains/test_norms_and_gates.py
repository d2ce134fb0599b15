"""RMS norms and gated units in every number system, beside numpy, which computes them from the papers' definitions."""

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from flint import arb
from norms_and_gates import LETTERS, SPACE, drawn, floats, matrix, part_of, stream

import symcook as sc
from symcook.domains import make_domain
from symcook.domains.ball import BallDomain
from symcook.domains.batch import Listed, Words
from symcook.domains.radii import Radii
from symcook.errors import BadInput, NoRun, NotExact
from symcook.forward import _bounded, _pass_class, forward
from symcook.model.modelfile import dumps, loads
from symcook.walk import Walk

FAR_FROM_NUMPY = {"float64": 1e-9, "ball": 1e-9, "mpmath": 1e-9, "float32": 1e-2}


def number(value: Any) -> float:
    return float(value.mid()) if hasattr(value, "mid") else float(value)


def columns(result: Any, names: Any = SPACE) -> Any:
    """The stream at the end, a row for each position."""
    domain = result.domain
    return np.array(
        [[number(domain.read(result.stream[n], k)) for n in names] for k in domain.places_of(result.stream[names[0]])]
    )


@pytest.mark.layer_two(every=6)
@pytest.mark.layer_one(3, 32)
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in ("RMSNorm", "GatedUnits") for seed in range(30)])
def test_random_models_are_what_numpy_computes(kind: str, seed: int) -> None:
    model = drawn(kind, seed)
    assert any(type(part).__name__ == kind for step in model.sublayers for part in step.all_parts)
    assert loads(dumps(model)) == model
    for word in [word for n in (1, 2, 3) for word in product(LETTERS, repeat=n)][seed % 5 :: 5]:
        expected = stream(model, word)
        scale = 1 + np.abs(expected).max()
        for system, apart in FAR_FROM_NUMPY.items():
            found = columns(forward(model, model.tokens(word), make_domain(system), trace=True))
            assert np.abs(found - expected).max() < apart * scale, (system, word)
        # The error model: its sets hold the exact values, of which the balls are far narrower.
        rounded = _bounded(forward(model, model.tokens(word), make_domain("float32"), trace=True))
        exact = forward(model, model.tokens(word), BallDomain(200), trace=True)
        for name in SPACE:
            both = zip(map(arb, rounded.stream[name]), map(arb, exact.stream[name]), strict=True)
            assert all(wide.overlaps(value) for wide, value in both), (name, word)


def test_gates_by_relu_are_exact_and_rational() -> None:
    """By hand: relu(2 - 1)*(2 + 3) = 5, times 1/2, and the other unit is 0."""
    gate = sc.GatedUnits(("v",), ("m",), [[1], [-1]], [[1], [1]], [["1/2", 7]], "relu", [-1, 1], [3, 0])
    embedding = sc.Embedding(sc.Space(("v", "m")), {"a": {"v": 2}, "b": {"v": Fraction(1, 3)}})
    model = sc.Transformer("m", embedding, (sc.Layer(None, gate),), sc.Readout("value", "last", ("m",)))
    assert model.run("a", domain="exact").output == {"m": "5/2"}
    assert model.run("b", domain="exact").output == {"m": "14/9"}  # 7*(1 - 1/3)*(1/3)


def small(norm: Any, **row: Any) -> sc.Transformer:
    embedding = sc.Embedding(sc.Space(("v", "m")), {"a": row})
    head = sc.Head(("v",), ("m",), [], [], [[0]])
    layer, readout = sc.Layer(head, None, norm, (), "post"), sc.Readout("value", "last", ("v", "m"))
    return sc.Transformer("m", embedding, (layer,), readout)


def test_an_rms_norm_with_one_root_is_exact() -> None:
    """3 and 4 over sqrt((9 + 16)/2); with an epsilon of 12 over sqrt(49/2)."""
    run = small(sc.RMSNorm(("v", "m")), v=3, m=4).run("a", domain="exact")
    assert run.output == {"v": "3*sqrt(2)/5", "m": "4*sqrt(2)/5"}
    run = small(sc.RMSNorm(("v", "m"), gain=[2, -1], epsilon=12), v=3, m=4).run("a", domain="exact")
    assert run.output == {"v": "6*sqrt(2)/7", "m": "-4*sqrt(2)/7"}


@pytest.mark.parametrize("system", ["exact", "ball", "mpmath", "float64", "float32", "symbolic"])
def test_zeros_have_the_outcome_that_the_norm_declares(system: str) -> None:
    refuses, gives = (small(sc.RMSNorm(("v", "m"), zero_square=word)) for word in ("refuse", "zero"))
    with pytest.raises(NoRun, match="an RMS norm with epsilon = 0 must meet an entry that is not zero; given: zero at"):
        forward(refuses, ("a",), make_domain(system))
    result = forward(gives, ("a",), make_domain(system))
    assert [str(result.domain.read(result.stream[name], -1)).rstrip("0.") for name in ("v", "m")] == ["", ""]


def test_batches_refuse_in_one_sentence() -> None:
    gate = sc.GatedUnits(("v",), ("m",), [[1]], [[1]], [[1]], "relu")
    embedding = sc.Embedding(sc.Space(("v", "m")), {"a": {"v": 2}})
    for layer, what in ((sc.Layer(None, gate), "gated units"), (small(sc.RMSNorm(("v", "m"))).layers[0], "RMS norm")):
        model = sc.Transformer("m", embedding, (layer,), sc.Readout("value", "last", ("m",)))
        with pytest.raises(NotExact, match=f"many strings at once, a model must have no {what}; given: {what}"):
            forward(model, Words(("a",), 1), make_domain("batch"))


def dense_model() -> sc.Transformer:
    draw, names = Random(4), tuple(f"c{k}" for k in range(16))

    def layer() -> sc.Layer:
        sides = matrix(draw, 4, 16), matrix(draw, 4, 16), matrix(draw, 16, 16)
        head = sc.Head(names, names, *sides, "future", "softmax", scale="1/64")
        gate = sc.GatedUnits(names, names, matrix(draw, 24, 16), matrix(draw, 24, 16), matrix(draw, 16, 24), "silu",
                             gate_bias=[row[0] for row in matrix(draw, 24, 1)])  # fmt: skip
        norms = [sc.RMSNorm(names, epsilon="1/100", gain=[row[0] for row in matrix(draw, 16, 1)]) for _ in range(2)]
        return sc.Layer(head, gate, (norms[0],), (norms[1],), "pre")

    words = {token: {name: Fraction(draw.randint(-4, 4), 2) for name in names} for token in "abc"}
    readout = sc.Readout("value", "last", names)
    embedding = sc.Embedding(sc.Space(names), words)
    return sc.Transformer("d", embedding, (layer(), layer()), readout, final_norm=sc.RMSNorm(names, epsilon="1/100"))


def test_dense_passes_are_the_walk_and_radii_hold_the_values() -> None:
    model = dense_model()
    assert model.dense
    tokens, names = model.tokens("abcab"), tuple(model.space)
    for system, apart in (("float64", 1e-10), ("float32", 1e-2), ("ball", 1e-12)):
        assert _pass_class(model, make_domain(system)) is not Walk
        dense = forward(model, tokens, make_domain(system))
        walk: Any = Walk(model, tokens, domain := make_domain(system), None, False)
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
            assert abs(float(value.mid()) - column.mid[-1][k]) <= column.rad[-1][k] < 1e-5


def test_what_cannot_be_made_is_refused_in_one_sentence() -> None:
    with pytest.raises(BadInput, match="an RMS norm must read at least one coordinate"):
        sc.RMSNorm(())
    with pytest.raises(BadInput, match="epsilon of an RMS norm must not be negative; given: -1"):
        sc.RMSNorm(("v",), epsilon=-1)
    with pytest.raises(BadInput, match="an RMS norm without projection must write the same coordinates that it reads"):
        sc.RMSNorm(("v",), ("w",))
    with pytest.raises(BadInput, match="outcome of a mean square of zero"):
        sc.RMSNorm(("v",), zero_square="one")
    with pytest.raises(BadInput, match="activation"):
        sc.GatedUnits(("v",), ("v",), [[1]], [[1]], [[1]], "swish")
    with pytest.raises(BadInput, match=r"up .*1 x 1"):
        sc.GatedUnits(("v",), ("v",), [[1]], [[1, 2]], [[1]])
    with pytest.raises(BadInput, match="the kind of a part must be norm or rms-norm; given: gated"):
        loads(dumps(small(sc.RMSNorm(("v", "m")), v=1)).replace('"rms-norm"', '"gated"'))


def test_numpy_is_right_about_a_layer_that_is_computed_by_hand() -> None:
    """The reference of these tests itself: x = (3, 4) over sqrt(25/2), and 2 silu(1)*3."""
    norm = small(sc.RMSNorm(("v", "m")), v=3, m=4).layers[0].attention_norms[0]
    assert np.allclose(part_of(norm, np.array([[3.0, 4.0]]), ("v", "m")), np.array([[3, 4]]) / np.sqrt(12.5))
    gate = sc.GatedUnits(("v",), ("m",), [[1]], [[3]], [[2]], "silu")
    assert np.allclose(part_of(gate, np.array([[1.0]]), ("v",)), 6 / (1 + np.exp(-1)))
    assert floats(gate.down).shape == (1, 1)
