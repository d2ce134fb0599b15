"""Positions that the readout does not need are left out, and what is left is the same; short inputs in every domain."""

from __future__ import annotations

import random
from typing import Any

import pytest
from families import in_pairs

from symcook.domains import RUNNABLE, make_domain
from symcook.errors import NoRun
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import MASKS, WEIGHTINGS, FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Transformer
from symcook.run import run

NAMES = ("a", "b", "c")


def drawn(rng: random.Random, mask: str, weighting: str, position: str, tokens: tuple[str | None, str | None]) -> Any:
    """Two layers of two heads with asymmetric weights, a network, and tokens of the model's own."""

    def matrix(rows: int, columns: int) -> list[list[Any]]:
        return [[rng.choice([0, 1, -1, 2, "1/2"]) for _ in range(columns)] for _ in range(rows)]

    def layer(weighting: str, temperature: Any) -> Layer:
        heads = [
            Head(NAMES, (name,), matrix(2, 3), matrix(2, 3), matrix(1, 3), mask, weighting, temperature)
            for name in ("b", "c")
        ]
        network = FeedForward(NAMES, ("a",), matrix(2, 3), matrix(2, 1), matrix(1, 2), [["1/3"]])
        return Layer(SelfAttention(tuple(heads)), network)

    soft = weighting == "softmax"
    layers = (layer("average", 1), layer(weighting, rng.choice([1, "1/i", "n"]) if soft else 1))
    words = {"x": {"a": 1}, "y": {"a": "-1/2", "b": 1}, "B": {"c": 1}, "E": {"a": 1, "c": -1}}
    kept = {token: values for token, values in words.items() if token in ("x", "y", *tokens)}
    embedding = Embedding(Space(NAMES), kept, positions={"c": "i/n"}, before=tokens[0], after=tokens[1])
    return Transformer("drawn", embedding, layers, Readout("value", position, NAMES))


@pytest.mark.layer_one(0, 2)
@in_pairs(mask=MASKS, weighting=WEIGHTINGS, position=["first", "last"])
def test_one_position_is_the_same_as_in_the_whole_pass(mask: str, weighting: str, position: str) -> None:
    rng = random.Random(f"{mask} {weighting} {position}")
    for tokens in ((None, None), ("B", "E")):
        model = drawn(rng, mask, weighting, position, tokens)
        for word in ("" if any(tokens) else "y", "xyyx"):
            for name in RUNNABLE:
                # as a simulation mpmath answers where a tie of thirds stays open otherwise
                options = {"simulates": True} if name == "mpmath" else {}
                domain, other = make_domain(name, **options), make_domain(name, **options)
                narrow = forward(model, model.tokens(word), domain)
                whole = forward(model, model.tokens(word), other, trace=True, weights=False)
                with domain.context():
                    assert all(len(column) == 1 for column in narrow.stream.values())
                    found = [domain.show(value, 20) for value in narrow.values().values()]
                with other.context():
                    wanted = [other.show(value, 20) for value in whole.values().values()]
                if name.startswith("float"):  # products of matrices may add in another order
                    assert found == pytest.approx(wanted, rel=1e-2 if name == "float16" else 1e-5, abs=1e-5)
                else:
                    assert found == wanted, (name, word)


def normed(position: str, mask: str = "none") -> Transformer:
    """A post-norm with epsilon 0 behind the last attention: the entries are all equal, but for the first position."""
    head = Head(("a",), ("b",), [[0]], [[0]], [[1]], mask)
    embedding = Embedding(Space(("a", "b")), {"x": {"a": 2}, "y": {}}, positions={"b": "if(i = 1, 3, 1)"})
    norm = LayerNorm(("a", "b"), epsilon=0)
    return Transformer(
        "normed",
        embedding,
        (Layer(SelfAttention((head,)), None, (norm,), (), "post"),),
        Readout("value", position, ("a",)),
    )


@pytest.mark.parametrize("name", RUNNABLE)
def test_a_variance_of_zero_is_refused_at_every_position(name: str) -> None:
    # "xyxy": the mean of a is 1, so that position 1 holds (2, 4) and position 3 holds (2, 2)
    for position in ("first", "each"):
        with pytest.raises(NoRun, match="position 3"):
            run(normed(position), "xyxy", name)
    answer = run(normed("first"), "xy", name).output["a"]  # (2, 4) and (0, 2)
    assert float(answer["mid"] if isinstance(answer, dict) else answer) == -1


def test_a_gain_times_a_root_is_one_root() -> None:
    # the norm of (1, 1, -2) with epsilon 0 is (1, 1, -2)/sqrt(2); a gain of sqrt(2) makes it rational
    norm = LayerNorm(NAMES, gain=["sqrt(2)", "1/sqrt(3)", "-sqrt(8)"], epsilon=0)
    head = Head(("a",), ("b",), [[0]], [[0]], [[0]])
    embedding = Embedding(Space(NAMES), {"x": {"a": 1, "b": 1, "c": -2}})
    model = Transformer(
        "root", embedding, (Layer(SelfAttention((head,)), None, (norm,), (), "post"),), Readout("value", "last", NAMES)
    )
    assert run(model, "x").output == {"a": "1", "b": "sqrt(6)/6", "c": "4"}
