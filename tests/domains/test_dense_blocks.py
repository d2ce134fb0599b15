"""Dense models by products of matrices, beside the walk coordinate by coordinate, on random models with every norm,
mask, weighting and activation.

``python tests/domains/test_dense_blocks.py MODELS [SEED]`` draws more of them.
"""

import math
import random
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from families import together
from flint import arb, ctx, fmpq

from symcook import Embedding, FeedForward, Layer, LayerNorm, Readout, Space, Transformer, from_state_dict
from symcook.domains import make_domain, radii
from symcook.domains.ball import ACTIVATIONS as BALL_ACTIVATIONS
from symcook.domains.batch import Listed, Words
from symcook.domains.radii import Radii
from symcook.errors import BadInput, NoRun, NotExact, Undecided
from symcook.forward import forward
from symcook.locks import PRECISION
from symcook.model.parts import ACTIVATIONS, MASKS, SMOOTH, WEIGHTINGS
from symcook.verify.comparison import Comparison, Numbers

WIDTH, HIDDEN, LETTERS = 8, 32, "abc"


def state(rng, layers, norm, fine):
    """Random weights: floats, or with few values, so that positions tie."""

    def entry():
        return rng.gauss(0, 0.4) if fine else Fraction(rng.choice((-3, -2, -1, 1, 2, 3)), 4)

    def table(*shape):
        return [entry() for _ in range(shape[0])] if len(shape) == 1 else [table(*shape[1:]) for _ in range(shape[0])]

    d, found = WIDTH, {"embedding.weight": table(len(LETTERS), WIDTH), "output.weight": table(2, WIDTH)}
    if rng.random() < 0.5:
        found["positions.weight"] = table(8, d)
    for layer in range(layers):
        at = f"layers.{layer}."
        found |= {at + "self_attn.in_proj_weight": table(3 * d, d), at + "self_attn.out_proj.weight": table(d, d)}
        found |= {at + "linear1.weight": table(HIDDEN, d), at + "linear1.bias": table(HIDDEN)}
        found |= {at + "linear2.weight": table(d, HIDDEN), at + "linear2.bias": table(d)}
        if norm == "none" or rng.random() < 0.5:
            found |= {at + "self_attn.in_proj_bias": table(3 * d), at + "self_attn.out_proj.bias": table(d)}
        for name in ("norm1", "norm2") if norm != "none" else ():
            found |= {f"{at}{name}.weight": table(d), f"{at}{name}.bias": table(d)}
    if norm == "pre":
        found |= {"norm.weight": table(d), "norm.bias": table(d)}
    return found


def drawn(seed):
    """A dense model and a word."""
    rng = random.Random(seed)
    norm = ("none", "pre", "post")[seed % 3]
    weights = state(rng, rng.choice((1, 2)), norm, rng.random() < 0.5)
    activation = rng.choice([kind for kind in ACTIVATIONS if kind != "step"])
    model = from_state_dict(weights, vocabulary=LETTERS, heads=2, norm=norm, activation=activation, labels="xy")
    layers = []
    for layer in model.layers:
        rules = {"mask": rng.choice(MASKS), "weighting": rng.choice((*WEIGHTINGS, "softmax", "softmax"))}
        if rng.random() < 0.3:
            rules["temperature"] = "1/(1 + log(i + n))"
        if layer.attention is not None:
            heads = tuple(replace(head, **rules) for head in layer.attention.heads)
            layer = replace(layer, attention=replace(layer.attention, heads=heads))
        if layer.feedforward is not None and rng.random() < 0.1:
            layer = replace(layer, feedforward=replace(layer.feedforward, activation="step"))
        layers.append(layer)
    model = replace(model, layers=tuple(layers))
    return model, tuple(rng.choice(LETTERS) for _ in range(rng.randint(1, 7)))


def by_coordinates(model):
    """The same model, walked coordinate by coordinate."""
    other = replace(model)
    other.__dict__["dense"] = False
    return other


def ran(model, word, domain):
    """A pass, and the values of all coordinates and scores at each of its positions; None where a choice is open."""
    try:
        found = forward(model, word, domain)
    except Undecided:
        return None, None
    with PRECISION, domain.context():
        columns = {**found.stream, **found.scores}
        return found, {name: [domain.read(column, k) for k in found.everywhere] for name, column in columns.items()}


def different(seed):
    """What is wrong with one model; "" where nothing is."""
    model, word = drawn(seed)
    if not model.dense:
        return "not dense"
    plain = by_coordinates(model)
    new, values = ran(model, word, make_domain("ball", bits=200))
    old, expected = ran(plain, word, make_domain("ball", bits=200))
    if new is None or old is None:
        return "" if new is old else "open on one way only"
    for name, balls in expected.items():
        for ball, other in zip(balls, values[name], strict=True):
            if not ball.overlaps(other) or other.rad() > 1e-30:
                return f"{name}: {ball} and {other}"
    if new.verdicts != old.verdicts:
        return f"verdicts {new.verdicts} and {old.verdicts}"
    for name in ("float64", "float32", "float16"):
        found, floats = ran(model, word, make_domain(name))
        sets = ran(model, word, make_domain(name).rounding())[1]
        for way in (sets, ran(plain, word, make_domain(name).rounding())[1]):
            for coordinate, balls in (way or {}).items():
                exact = expected[coordinate]
                for number, ball, true in zip(floats[coordinate], balls, exact, strict=True):
                    if not ball.contains(number) and way is sets:
                        return f"{name} {coordinate}: {number} outside {ball}"
                    if not ball.overlaps(true):
                        return f"{name} {coordinate}: the exact {true} outside {ball}"
        if found.reliable and found.verdicts[-1] != old.verdicts[-1]:
            return f"{name} is called reliable and wrong"
    return uncertified(model, word)


def uncertified(model, word):
    """What is wrong with floats that carry a certified error, on a few strings of one length."""
    words = [*product(LETTERS, repeat=2)] if len(word) == 2 else [word, word[::-1], LETTERS[0] * len(word)]
    domain = Radii()
    try:
        found = forward(model, Listed(tuple(words)), domain)
    except NotExact:
        return ""
    for code, one in enumerate(words):
        result, expected = ran(by_coordinates(model), one, make_domain("ball", bits=200))
        if result is None:
            continue
        for name, column in {**found.stream, **found.scores}.items():
            for place, true in enumerate(expected[name]):
                mid, rad = float(column.mid[place, code]), float(column.rad[place, code])
                if rad != float("inf") and not arb(mid, rad).contains(true):
                    return f"{one} {name} at {place}: {true} outside {mid} +/- {rad}"
        for verdict, true in zip(found.verdicts, result.verdicts, strict=True):
            if verdict[code] not in (-1, true):
                return f"{one}: {verdict[code]} for {true}"
    return ""


@pytest.mark.sweep
@together("seed", range(6))
def test_random_dense_models_have_the_answers_of_the_walk_by_coordinates(seed):
    """Balls overlap and are narrow; floats lie in the sets of what rounding may do, which hold the exact values."""
    assert different(seed) == ""


def test_exponentials_made_of_products_are_within_their_error():
    """Against Arb, down to where numbers become small; and the two parts of log 2 leave nothing out that counts."""
    points = [0.0, -(2.0**-30), -0.34657, -0.34658, -math.log(2), -1.0, -17.5, -699.9, -radii.DEEPEST]
    points += [-random.Random(k).uniform(0, radii.DEEPEST) for k in range(2000)]
    with PRECISION, ctx.workprec(128):
        for x, y in zip(points, radii.exponential(np.array(points)).tolist(), strict=True):
            assert abs(arb(y) / arb(x).exp() - 1) < radii.EXP_ERROR / 4
        assert abs(arb.const_log2() - arb(radii.LOG_2[0]) - arb(radii.LOG_2[1])) < 2.0**-84
    assert Fraction(radii.LOG_2[0]).denominator <= 2**33


@together("kind", [*SMOOTH])
def test_gelus_by_series_are_within_their_error_and_slope(kind):
    """What is left of the series by Taylor's theorem, over a ball around each point of the table; that no slope there
    is above the bound; and values at random, beyond the table too."""
    half, far = fmpq(1, 2 * radii.PIECES), radii.FAR[kind]
    with PRECISION, ctx.workprec(128):
        for k in range(-far * radii.PIECES, far * radii.PIECES + 1):
            found = radii.taylor(arb(fmpq(k, radii.PIECES)) + arb(0, half), kind, radii.TERMS + 1)
            assert abs(found[radii.TERMS]) * half**radii.TERMS < radii.GELU_ERROR / 8
            assert abs(found[1]) < radii.STEEPEST
        points = [random.Random(k).uniform(-far - 6, far + 6) / (1 + k % 5) for k in range(400)]
        points += [-far, far, -far - 0.01, far + 0.01]
        for x, y in zip(points, radii.gelu(np.array(points), kind).tolist(), strict=True):
            assert abs(BALL_ACTIVATIONS[kind](arb(x)) - y) < radii.GELU_ERROR / 8 * (1 + abs(y))


def test_a_check_in_balls_has_the_answers_of_one_string_after_the_other():
    """On all strings of length 2; and where both labels have one score, the floats leave every answer open."""
    model = drawn(0)[0]
    model = replace(model, readout=replace(model.readout, position="last"))
    plain, piece = by_coordinates(model), Words(tuple(LETTERS), 2)
    answers = [tuple(plain.run("".join(word), domain="ball").result.answers) for word in piece]
    assert [*Comparison(model, lambda word: None, Numbers("ball")).certified(piece, 2)] == answers
    even = replace(model, readout=replace(model.readout, weights=[[1] * WIDTH, [1] * WIDTH]))
    assert {*Comparison(even, lambda word: None, Numbers("ball")).certified(piece, 2)} == {(-1,)}
    wrong = plain.readout.labels[1 - answers[3][0]]
    check = model.check(lambda word: wrong if word == "ba" else None, 2, domain="ball")
    assert (check.mismatches, check.first.input) == (1, "ba") and "certified errors" in check.method


SIXTEEN = tuple(f"c{k}" for k in range(16))


def sixteen(words, weight, scale, readout, norms=()):
    """A dense model that adds relu(weight times the sum) times `scale` to its first coordinate, 32 times."""
    hidden = FeedForward(SIXTEEN, ("c0",), [[weight] * 16] * 32, [[0]] * 32, [[scale] * 32], [[0]], activation="relu")
    layer = Layer(None, hidden, (), norms, "pre" if norms else "none")
    embedding = Embedding(Space(SIXTEEN), words={t: dict(zip(SIXTEEN, row, strict=True)) for t, row in words.items()})
    model = Transformer("sixteen", embedding, (layer,), Readout("sign", "last", ("c0", "c1"), [readout]))
    assert model.dense
    return model


def test_weights_below_all_normal_floats_are_for_balls_to_decide():
    """1e-330 has the float 0, which is off by more than any part of it."""
    rows = {t: [1, 1] + [sign * 10**300] * 14 for t, sign in (("x", 1), ("y", -1))}
    model = sixteen(rows, Fraction(1, 10**330), 10**40, [1, -2])
    assert [model.run(word).accept for word in "xy"] == [True, False]
    assert model.check(lambda word: word == "x", 1, domain="ball").mismatches == 0


def test_weights_above_all_floats_are_for_balls_to_decide():
    for sign in (1, -1):
        model = sixteen({"x": [1] * 16}, 1, sign * 10**340, [1, -1])
        assert model.check(lambda word, sign=sign: sign > 0, 1, domain="ball").mismatches == 0
        with pytest.raises(BadInput, match="must stay between"):
            model.run("x", domain="float64")


def test_a_string_without_a_run_has_no_verdict_in_floats_with_an_error():
    """Of equal entries a norm with epsilon 0 has no value."""
    model = sixteen({"x": [*range(16)], "z": [1] * 16}, 1, 1, [1, -1], (LayerNorm(SIXTEEN),))
    assert model.check(lambda word: False, 2, domain="ball", inputs=["xx"]).mismatches == 0
    with pytest.raises(NoRun):
        model.check(lambda word: False, 2, domain="ball", inputs=["xx", "zx"])


def main():
    models, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong = [(seed, text) for seed in range(first, first + models) if (text := different(seed))]
    print(*wrong, f"{len(wrong)} of {models} differ", sep="\n")


if __name__ == "__main__":
    main()
