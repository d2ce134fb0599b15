"""Definitions of yang2026 beside those of `test_definitions.py`: what the library has for them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from proof.claims_softmax import ahardmax, has_gap, lhardmax, retrieved, rhardmax
from proof.paper import softmax

from symcook.domains.exact import Exact
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import parse_formula
from symcook.model.parts import FeedForward, Head, Layer, SelfAttention
from symcook.model.rationals import truth
from symcook.model.transformer import Transformer
from symcook.recipes import build

F = Fraction
NAMES = ("s", "v", "p", "c")
TABLE = {"x": [0, 5], "y": [1, -2], "z": [3, F(1, 2)]}
WORDS = ["".join(w) for n in (1, 2, 3) for w in itertools.product("xyz", repeat=n)]


def scored(*heads: Head, **more: Any) -> Transformer:
    """Heads whose scores at j are the entry s of the symbol there."""
    words = {t: {"s": s, "v": v} for t, (s, v) in TABLE.items()}
    layers = (Layer(SelfAttention(heads), FeedForward(("c",), ("c",), [[1]], [0], [[2]], [1])),) if heads else ()
    return Transformer(
        "definition",
        Embedding(Space((*NAMES, "one")), words={t: e | {"one": 1} for t, e in words.items()}, **more),
        layers,
        Readout("value", "each", ("c",)),
    )


def reading(weighting: str, **more: Any) -> Head:
    return Head(("s", "v", "one"), ("c",), [[0, 0, 1]], [[1, 0, 0]], [[0, 1, 0]], "none", weighting, **more)


def columns(model: Transformer, word: Sequence[str], part: str) -> list[dict[str, Any]]:
    """The stream at each position after the last part of this name."""
    steps = [step for step in forward(model, word, Exact(), trace=True, weights=False).steps if step.part == part]
    found = steps[-1].columns
    return [{name: found[name][i] if name in found else F(0) for name in (*NAMES, "one")} for i in range(len(word))]


def test_notation() -> None:
    """yang2026.s2.1.notation: [n], I[b], rows and columns; what a model gives is as long as what it reads."""
    for n in (1, 4):
        assert truth(
            parse_formula(f"sum(k, 1, {n}, k) = {sum(range(1, n + 1))} & all k in 1..{n}. 1 <= k & k <= {n}"), {}
        )
    assert truth(parse_formula("I[1 < 2] = 1 & I[2 < 1] = 0"), {})
    W = FeedForward(("a", "b"), ("a",), [[1, 2], [3, 4]], [0, 0], [[5, 6]], [0]).W1
    assert [list(W[0, :]), list(W[:, 1])] == [[1, 2], [2, 4]]
    for word in WORDS:
        assert len(columns(scored(reading("average")), word, "attention")) == len(word)


def test_input() -> None:
    """yang2026.s2.2.input: x_i = WE(w_i) + PE_n(i) before the first layer, also where both write one coordinate."""
    model = scored(positions={"p": "i/n", "v": "n"})
    for word in WORDS:
        n = len(word)
        for i, (symbol, found) in enumerate(zip(word, columns(model, word, "embedding"), strict=True), 1):
            s, v = TABLE[symbol]
            assert [found[name] for name in NAMES] == [s, v + n, F(i, n), 0]


def test_a_transformer_maps_strings_to_strings() -> None:
    """yang2026.s2.2.transformer: layers between an input and an output layer, which gives a symbol a position."""
    model = build("induction-most-recent")
    for n in (1, 2, 3, 4):
        for word in itertools.product("AB", repeat=n):
            shown = forward(model, word, Exact()).verdicts
            assert shown is not None and len(shown) == n
            assert all(model.readout.labels[int(at)] in "ABCD" for at in shown)  # type: ignore[arg-type]
    parts = [step.part for step in forward(scored(reading("average")), "xy", Exact(), trace=True).steps]
    assert parts == ["embedding", "attention", "feed-forward"]


def test_output() -> None:
    """yang2026.s2.2.output: the last activations are embeddings of symbols, and the symbol at position n decides."""
    symbols = {"t": {"yes": 1, "no": 0}, "f": {"yes": 0, "no": 1}}
    model = Transformer(
        "definition",
        Embedding(Space(("yes", "no")), words=symbols),
        (),
        Readout("sign", "last", ("yes", "no"), [[1, -1]]),
    )
    for n in (1, 2, 3):
        for word in itertools.product("tf", repeat=n):
            found = forward(model, word, Exact(), trace=True)
            assert [{name: found.stream[name][i] for name in ("yes", "no")} for i in range(n)] == [
                symbols[t] for t in word
            ]
            assert model.run("".join(word)).accept is (word[-1] == "t")


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("tau", [F(1), F(1, 3)])
def test_the_four_kinds(tau: Fraction) -> None:
    """yang2026.def4: softmax, softmax_tau, ahardmax; lhardmax and rhardmax in one transformer."""
    for word in WORDS:
        scores, values = ([F(TABLE[t][k]) for t in word] for k in (0, 1))
        for name, hard in (("average", ahardmax), ("leftmost", lhardmax), ("rightmost", rhardmax)):
            found = columns(scored(reading(name)), word, "attention")
            assert {row["c"] for row in found} == {sum(a * x for a, x in zip(hard(scores), values, strict=True))}
        both = columns(scored(reading("leftmost"), reading("rightmost")), word, "attention")
        wanted = [sum(a * x for a, x in zip(hard(scores), values, strict=True)) for hard in (lhardmax, rhardmax)]
        assert {row["c"] for row in both} == {sum(wanted)}
        mean = float(retrieved(softmax([s / tau for s in scores]), values))
        shown = scored(reading("softmax", temperature=tau)).run(word, "float64").output
        assert float(shown["c"]) == pytest.approx(mean + 2 * max(mean, 0) + 1, rel=1e-12)


def gap_of(model: Transformer, n: int) -> Fraction | None:
    """The least difference between the greatest score and another one, over words, layers and positions."""
    found = []
    for word in itertools.product("xyz", repeat=n):
        scores = [row["s"] for row in columns(model, word, "embedding")]
        found += [max(scores) - s for s in scores if s != max(scores)]
    return min(found, default=None)


def test_gap_of_a_layer() -> None:
    """yang2026.s5.gap: the scores of every input of length n at every position have gap gamma(n), not more."""
    model = scored(reading("average"))
    assert [gap_of(model, n) for n in (1, 2, 3)] == [None, 1, 1]
    for n in (2, 3):
        rows = [[F(TABLE[t][0]) for t in word] for word in itertools.product("xyz", repeat=n)]
        assert all(has_gap(row, gap_of(model, n)) for row in rows)
        assert not all(has_gap(row, F(3, 2)) for row in rows)


def test_softened() -> None:
    """yang2026.s5.hat: `soften` keeps every parameter; softmax at a temperature takes the place of hard attention."""
    model = scored(reading("average"), positions={"p": "i/n"})
    soft = model.soften("t")
    assert soft.embedding == model.embedding and soft.readout == model.readout
    (old,), (new,) = model.layers, soft.layers
    assert old.feedforward == new.feedforward
    (hard,), (mild,) = old.attention.heads, new.attention.heads
    assert (hard.weighting, mild.weighting, str(mild.temperature)) == ("average", "softmax", "t")
    assert replace(mild, weighting="average", temperature=1) == hard


def test_greatest_input() -> None:
    """yang2026.s5.xmax: the maximum of 1 and all entries over all inputs of length n, which are finitely many."""
    model = scored(positions={"p": "n*i"})
    for n in (1, 2, 3):
        entries = [
            abs(row[name])
            for word in itertools.product("xyz", repeat=n)
            for row in columns(model, word, "embedding")
            for name in (*NAMES, "one")
        ]
        assert max(1, *entries) == max(5, n * n)
        assert len(entries) == 3**n * n * 5
