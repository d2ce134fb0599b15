"""What every bound says beside its numbers, and the small ends of some: roots at ties, refusals, sizes by words."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from families import every

import symcook as sc
from symcook import bounds
from symcook.bounds.sums import rounded, rounded_root
from symcook.errors import BadInput

ONE: dict[str, dict[str, Any]] = {
    "softmax-hardmax": {"n": 5, "gamma": 2},
    "softmax": {"scores": "3, 1/2, 0", "gamma": 2},
    "lookup": {"gamma": 2},
    "ziggurat": {"gamma": 2},
    "table-lookup": {"gamma": 2},
    "tie-break": {"variant": "a", "gamma": 2, "n": 5},
    "layernorm-hash": {"n": 4},
    "lipschitz": {"model": "min"},
    "layer-norm": {"d": 3, "epsilon": "1/10"},
    "gelu-multiply": {},
    "gelu-relu": {},
    "temperature": {"n": 6, "gamma": 1, "error": "1/10"},
    "error": {"model": "dyck-1", "delta": "1/1000", "n": 3},
    "sensitivity": {"model": "dyck-1", "n": 3},
}


def test_every_answer_names_its_inputs_source_and_proofs() -> None:
    def check(name: str) -> None:
        found = bounds.bound(name, **ONE[name])
        assert found.kind == name and found.where and found.source
        assert all(found.labels) and found.labels != ("tight value", "claimed")
        assert found.proofs and set(found.statements) == set(found.proofs)
        assert all(str(value) for value in found.extra.values()) and (found.extra or name == "tie-break")
        assert found.holds is True

    every([name for name in bounds.KINDS if name in ONE], check)


def test_roots_are_rounded_as_squares_say() -> None:
    """Of squares the root is exact, and a tie goes to the even number; of others, the side on which the square of the
    point halfway between two numbers lies decides."""
    for p in (1, 2, 3, 4, 6):
        for top in range(1, 64):
            for bottom in (1, 2, 3, 8, 10, 16):
                x = Fraction(top, bottom)
                assert rounded_root(x * x, p) == rounded(x, p), (x, p)
                found, step = rounded_root(x, p), Fraction(1)
                while step <= found:
                    step *= 2
                while step > found:
                    step /= 2
                step /= 2 ** (p - 1)  # the distance of numbers of p bits at `found`
                below = step / 2 if found != step * 2 ** (p - 1) else step / 4
                assert (found - below) ** 2 <= x <= (found + step / 2) ** 2, (x, p)


@pytest.mark.sweep
def test_numbers_are_rounded_to_the_nearest() -> None:
    """Among all numbers of p bits near by, by brute force; of two as near the one with an even last digit."""
    for p in (1, 2, 3, 5):
        grid = {Fraction(m) * Fraction(2) ** e: m for e in range(-12, 8) for m in range(2 ** (p - 1), 2**p)}
        for top in range(1, 90):
            for bottom in (1, 3, 7, 8, 64):
                x = Fraction(top, bottom)
                best = min(abs(x - g) for g in grid)
                near = sorted(g for g in grid if abs(x - g) == best)
                expected = near[0] if len(near) == 1 or grid[near[0]] % 2 == 0 else near[1]
                if p == 1 and len(near) == 2:  # all numbers of one bit are odd: the one with more zeros behind it
                    expected = near[1]
                assert rounded(x, p) == expected and rounded(-x, p) == -expected, (x, p)


def row_model(*layers: sc.Layer) -> sc.Transformer:
    embedding = sc.Embedding(sc.Space(("x", "y")), inputs=("x",))
    return sc.Transformer("made", embedding, layers, sc.Readout("value", "last", ("y",)))


def test_a_lipschitz_constant_is_that_of_one_layer_alone() -> None:
    network = sc.FeedForward(("x",), ("y",), [[2]], [[0]], [[3]], [[0]])
    norm = sc.LayerNorm(("x", "y"), epsilon=1)
    assert Fraction(bounds.lipschitz(row_model(sc.Layer(None, network))).value.mid) == 6
    for model in (
        row_model(sc.Layer(None, network), sc.Layer(None, network)),
        row_model(sc.Layer(None, network, (), (norm,), "pre")),
        row_model(sc.Layer(None, network, (), (norm,), "post")),
    ):
        with pytest.raises(BadInput, match="one feed-forward layer with relu"):
            bounds.lipschitz(model)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_an_error_by_words_is_said_behind_each_part(dtype: str) -> None:
    """With a type of floats alone: what is behind the last part is the answer, and what is before it no greater."""
    found = bounds.error_propagation("dyck-1", dtype=dtype, n=3)
    behind = [Fraction(str(v).split(" ")[0]) for name, v in found.extra.items() if name.startswith("after ")]
    assert len(behind) == 1 + len(sc.build("dyck-1").sublayers)
    assert abs(behind[-1] - Fraction(found.value.mid)) <= behind[-1] * Fraction(1, 100)
    assert 0 <= behind[0] <= behind[-1]


UNIT = {"float16": Fraction(1, 2**11), "bfloat16": Fraction(1, 2**8)}


@pytest.mark.parametrize("dtype", list(UNIT))
def test_a_softmax_is_off_by_a_few_roundings(dtype: str) -> None:
    """Two values 0 and 1 with scores 0 and 1: exact inputs, so that all error is that of the softmax. It is at most
    60 units (two exponentials of 8 units each, their sum, two products, a quotient, with what scores are off), and no
    less than the 8 units of an exponential times both weights, which a runtime may have."""
    embedding = sc.Embedding(sc.Space(("v", "m")), words={"x": {}, "y": {"v": 1}})
    head = sc.Head(("v",), ("m",), [[1]], [[1]], [[1]], "none", "softmax")
    model = sc.Transformer("soft", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("m",)))
    found = bounds.error_propagation(model, dtype=dtype, n=2)
    (said,) = [str(v) for name, v in found.extra.items() if name == "coordinate m"]
    off = Fraction(said.removeprefix("at most ").split(",")[0].split(" ")[0])
    share = Fraction(math.e / (1 + math.e))
    unit = UNIT[dtype]
    assert 8 * unit * share * (1 - share) < off < 60 * unit


def test_scores_that_occur_often_far_below_the_greatest() -> None:
    """So far apart that no polynomial is made of them; each counts as often as it occurs, against mpmath."""
    for scores, gamma in [
        ([0, *[Fraction(-1, 97)] * 5, *[Fraction(-1000, 89)] * 7, Fraction(-3)], Fraction(1, 3)),
        ([5, 5, *[Fraction(-7, 3)] * 4, *[Fraction(-10001, 13)] * 3], Fraction(1, 50)),
        ([0, *[-1] * 3, *[-2] * 4, *[-4] * 2, -50_000], Fraction(1, 10)),
        ([0, *[-100_000] * 9], Fraction(1, 10**5)),
    ]:
        best = max(scores)
        steps = [Fraction(gamma * (s - best)) for s in scores]
        weights = [mpmath.exp(mpmath.mpf(step.numerator) / step.denominator) for step in steps]
        rest = mpmath.fsum(w for w, s in zip(weights, scores, strict=True) if s != best)
        expected = 2 * rest / mpmath.fsum(weights)
        found = bounds.softmax_of_scores(scores, gamma)
        assert abs(mpmath.mpf(found.value.mid) - expected) < mpmath.mpf(10) ** -14, scores


def test_a_residual_connection_is_among_the_proofs() -> None:
    """Of every part, and not of a norm behind all of them, which has none."""
    norm = sc.LayerNorm(("x", "y"), epsilon=1)
    network = sc.FeedForward(("x",), ("y",), [[2]], [[0]], [[3]], [[0]])
    embedding = sc.Embedding(sc.Space(("x", "y")), inputs=("x",))
    readout = sc.Readout("value", "last", ("y",))
    for layers, final, there in [((sc.Layer(None, network),), None, True), ((), norm, False)]:
        model = sc.Transformer("made", embedding, layers, readout, final_norm=final)
        found = bounds.error_propagation(model, delta="1/1000", constants=True)
        assert ("cookbook.s7.2.prop7.4" in found.proofs) == there, found.proofs


def test_all_ways_to_bound_an_error_are_said_side_by_side() -> None:
    found = bounds.error_propagation("dyck-1", delta="1/1000", n=2)
    alone = bounds.error_propagation("dyck-1", delta="1/1000", constants=True)
    for name, said in alone.extra.items():
        if name.startswith("after "):
            constants, papers = str(said).removesuffix(")").split(" (papers ")
            assert f"(constants {constants}; papers {papers})" in str(found.extra[name]), name
            assert Fraction(str(found.extra[name]).split(" ")[0]) <= Fraction(constants)


def mean_of(weighting: str, weight: Fraction) -> sc.Transformer:
    head = sc.Head(("a",), ("m",), [[0]], [[0]], [[weight]], "none", weighting)
    embedding = sc.Embedding(sc.Space(("a", "m")), words={"x": {}, "y": {"a": 1}})
    return sc.Transformer("mean", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("m",)))


def test_one_symbol_in_a_mean() -> None:
    """1/8 of the mean of n values 0 or 1 changes by 1/(8 n), and no bound is proved where the first value is taken, on
    which all depends: there the change is 1/8."""
    for n in (1, 2, 5):
        found = bounds.sensitivity(mean_of("average", Fraction(1, 8)), n)
        assert found.claimed is not None
        assert abs(Fraction(found.claimed.mid) - Fraction(1, 8 * n)) < Fraction(1, 10**20)
        assert abs(Fraction(found.value.mid) - Fraction(1, 8 * n)) < Fraction(1, 10**20)
        first = bounds.sensitivity(mean_of("leftmost", Fraction(1, 8)), n)
        assert first.claimed is None and Fraction(first.value.mid) == Fraction(1, 8)


def test_the_changed_position_is_counted_behind_a_token_in_front() -> None:
    """gelu of each symbol by itself: where it stands it changes by gelu(1), and nowhere else."""
    network = sc.FeedForward(("a",), ("m",), [[1]], [[0]], [[1]], [[0]], "gelu")
    for before in (None, "CLS"):
        words: dict[str, Any] = {"x": {}, "y": {"a": 1}} | ({before: {}} if before else {})
        embedding = sc.Embedding(sc.Space(("a", "m")), words=words, before=before)
        model = sc.Transformer("gelu", embedding, (sc.Layer(None, network),), sc.Readout("value", "each", ("m",)))
        found = bounds.sensitivity(model, 2)
        own = found.extra["at the changed position"]
        assert Fraction(found.value.mid) == 0 and not isinstance(own, str)
        assert abs(float(Fraction(own.mid)) - (1 + math.erf(1 / math.sqrt(2))) / 2) < 1e-12
