"""Proposition 1 of Merrill and Sabharwal (2024) as a function on models: several norms before a part as one a layer."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import flint
import pytest

import symcook as sc
from symcook.compose import one_norm
from symcook.domains import make_domain
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import forward

TRIPLES = ((3, 4), (4, 3), (5, 12), (8, 15), (0, 1))


def drawn(seed: int) -> sc.Transformer:
    """A model with one to four norms before each part, with gains and biases at random: of even seeds of (a, b, -a, -b)
    with four zeros and of (1, -1), which are rational where a, b and a third integer are the sides of a right triangle;
    else also (x, y, -x, -y) and (x, x + y, 2 y) of what parts write."""
    draw, rational = random.Random(seed), seed % 2 == 0
    names = ("a", "b", "c", "c2", "one")
    words = {
        token: {"one": 1} | dict(zip("ab", draw.choice(TRIPLES), strict=True)) | {"c": draw.randint(-3, 3)}
        for token in "xyz"
    }
    layers = []
    for number in range(draw.randint(1, 2)):
        attention = tuple(_norm(draw, f"n{number}_{k}", rational) for k in range(draw.randint(1, 4)))
        network = tuple(_norm(draw, f"m{number}_{k}", rational) for k in range(draw.randint(1, 4)))
        seen, read = ([name for norm in norms for name in norm.writes] for norms in (attention, network))
        head = sc.Head(
            tuple(seen), ("c",), [_row(draw, seen)], [_row(draw, seen)], [_row(draw, seen)],
            draw.choice(("none", "future", "strict-future")),
        )  # fmt: skip
        units = [_row(draw, read) for _ in range(2)]
        part = sc.FeedForward(
            tuple(read), ("c", "c2") if rational else ("a", "b"), units, [1, -1], [[1, 0], [0, 1]], [0, 0]
        )
        layers.append(sc.Layer(head, part, attention, network, "multi pre"))
    if not rational and draw.random() < 0.5:
        layers.append(sc.Layer(None, sc.FeedForward(names, ("c",), [[1, 0, 0, 1, 1]], [0], [[1]], [0]),
                               (), (sc.LayerNorm(names),), "pre"))  # fmt: skip
    embedding = sc.Embedding(sc.Space(names), words=words)
    return sc.Transformer("drawn", embedding, tuple(layers), sc.Readout("value", "each", ("a", "b", "c")))


def _norm(draw: random.Random, stem: str, rational: bool) -> sc.LayerNorm:
    kind = draw.choice(("padded", "padded", "sign") if rational else ("hash", "hash", "sign", "any"))
    rows = {
        "hash": [[1, 0], [0, 1], [-1, 0], [0, -1]],
        "padded": [[1, 0], [0, 1], [-1, 0], [0, -1], *[[0, 0]] * 4],
        "sign": [[0, 1], [0, -1]],
        "any": [[1, 0], [1, 1], [0, 2]],
    }[kind]
    reads = ("a", "b") if kind == "padded" else ("c", "one") if kind != "hash" or draw.random() < 0.5 else ("a", "one")
    gain, bias = ([Fraction(draw.randint(-4, 4), 2) for _ in rows] for _ in range(2))
    return sc.LayerNorm(reads, tuple(f"{stem}_{k}" for k in range(len(rows))), gain=gain, bias=bias, projection=rows)


def _row(draw: random.Random, names: list[str]) -> list[int]:
    return [draw.choice((0, 0, 1, -1, 2)) for _ in names]


@pytest.mark.sweep
def test_random_models_are_the_same_with_one_norm_a_layer() -> None:
    """Every coordinate at every position, exactly where numbers are, else in balls, unless a tie of irrational scores
    stays open; k + 1 layers for k norms."""
    exact = several = opened = 0
    for seed in range(40):
        model = drawn(seed)
        made = one_norm(model)
        wanted = sum(
            1 if layer.placement == "pre" else sum(1 + len(norms) * (len(norms) > 1) for _, norms in layer.blocks())
            for layer in model.layers
        )
        assert len(made.layers) == wanted
        assert all(layer.placement == "projected pre" for layer in made.layers) or made.space == model.space
        several += wanted > len(model.layers)
        for word in ("x", "xyz", "zzyx"):
            domain = "exact"
            try:
                pairs = [forward(one, tuple(word), make_domain("exact"), trace=True) for one in (model, made)]
                exact += 1
            except NotExact:
                domain = "ball"
                try:
                    pairs = [forward(one, tuple(word), make_domain("ball"), trace=True) for one in (model, made)]
                except Undecided:  # a tie of irrational scores
                    opened += 1
                    continue
            for name, place in itertools.product(model.space, range(len(word))):
                one, other = (found.stream[name][place] for found in pairs)
                same = one == other if domain == "exact" else bool(abs(one - other) < flint.arb("1e-20"))
                assert same, (seed, word, name, place, one, other)
    assert exact > 20 and several > 30 and opened < 20


def test_a_decoder_runs_with_one_norm_a_layer() -> None:
    from symcook.decode import generate

    for model, word in ((sc.compile("dfa", "(ab)*"), "abab"), (sc.compile("tm", "1RB1LB_1LA1RZ"), "")):
        made = one_norm(model)
        assert {layer.placement for layer in made.layers} == {"projected pre"}
        assert all(len(norms) == 1 for layer in made.layers for _, norms in layer.blocks())
        assert generate(made, word, 12, "ball").appended == generate(model, word, 12, "ball").appended


def test_by_hand_the_factor_is_that_of_the_paper() -> None:
    """Two norms of (3, 4, -3, -4) and (1, -1): of length 1 each, that of both is 1/sqrt(2) of them; here it is 1."""
    first = sc.LayerNorm(("x", "y"), tuple("pqrs"), projection=[[1, 0], [0, 1], [-1, 0], [0, -1]])
    second = sc.LayerNorm(("x", "y"), tuple("tu"), projection=[[1, -1], [-1, 1]])
    part = sc.FeedForward(tuple("pqrstu"), ("z",), [[0, 1, 0, 0, 0, 1]], [0], [[1]], [0])
    layer = sc.Layer(None, part, (), (first, second), "multi pre")
    embedding = sc.Embedding(sc.Space(tuple("xyz")), words={"a": {"x": 3, "y": 4}})
    model = sc.Transformer("by hand", embedding, (layer,), sc.Readout("value", "last", ("z",)))
    made = one_norm(model)
    assert len(made.layers) == 3
    z = forward(made, ("a",), make_domain("ball"), trace=True).stream["z"][0]
    assert abs(z * z - 0) > 0 and abs(float(z) - (4 / (12.5**0.5) + 1)) < 1e-12


def test_what_has_no_variance_of_one_is_refused() -> None:
    model = sc.compile("dfa", "a*")
    layer = model.layers[0]
    from dataclasses import replace

    for change in ({"epsilon": "1/100"}, {"zero_variance": "zero"}):
        norms = (replace(layer.attention_norms[0], **change), *layer.attention_norms[0:1])
        norms = (norms[0], replace(norms[1], writes=tuple(f"other_{k}" for k in range(len(norms[1].writes)))))
        other = replace(model, layers=(replace(layer, attention_norms=norms), *model.layers[1:]))
        with pytest.raises(BadInput, match="epsilon 0 and no value"):
            one_norm(other)
    post = sc.Layer(
        None, sc.FeedForward(("a",), ("a",), [[1]], [0], [[1]], [0]), (), (sc.LayerNorm(("a", "b")),), "post"
    )
    word = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}})
    plain = sc.Transformer("post", word, (post,), sc.Readout("value", "last", ("a",)))
    assert one_norm(plain) == plain  # nothing to do
