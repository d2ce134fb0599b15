"""Dense models by products of matrices, beside the walk coordinate by coordinate, on random models with every norm,
mask, weighting and activation.

``python tests/domains/test_dense_blocks.py MODELS [SEED]`` draws more of them.
"""

import random
import sys
from dataclasses import replace
from fractions import Fraction

from families import together
from symcook import from_state_dict
from symcook.domains import make_domain
from symcook.errors import Undecided
from symcook.forward import forward
from symcook.locks import PRECISION
from symcook.model.parts import ACTIVATIONS, MASKS, WEIGHTINGS

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
        return "" if new is old else f"open on one way only: {old and 'matrices' or 'coordinates'}"
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
    return ""


@together("seed", range(12))
def test_random_dense_models_have_the_answers_of_the_walk_by_coordinates(seed):
    """Balls overlap and are narrow; floats lie in the sets of what rounding may do, which hold the exact values."""
    assert different(seed) == ""


def main():
    models, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong = [(seed, text) for seed in range(first, first + models) if (text := different(seed))]
    print(*wrong, f"{len(wrong)} of {models} differ", sep="\n")


if __name__ == "__main__":
    main()
