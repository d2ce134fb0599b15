"""Write the model files that statements name: proofs/models/NAME.json, each equal to its recipe (a test compares them).
The constructions below have no recipe, or are one with other arguments.

python proofs/models.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from symcook.compose import confident
from symcook.model.modelfile import save
from symcook.recipes import build, names

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

MODELS = Path(__file__).resolve().parent / "models"


def predecessor() -> Transformer:
    """The predecessor of Section 5.4: two rightmost heads and the mean of Section 5.2 in a layer, two conditionals."""
    from symcook.model.ends import Embedding, Readout
    from symcook.model.layers import Layer, SelfAttention
    from symcook.model.parts import FeedForward, Head
    from symcook.model.space import Space
    from symcook.model.transformer import Transformer

    reads = ("one", "alternating", "value")
    odds = Head(reads, ("odds",), [[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]], mask="future", weighting="rightmost")
    evens = Head(reads, ("evens",), [[1, 0, 0]], [[0, -1, 0]], [[0, 0, 1]], mask="future", weighting="rightmost")
    mean = Head(("alternating",), ("mean",), [[0]], [[0]], [[-1]], mask="future")
    tests = FeedForward(
        ("mean", "alternating"),
        ("first", "even"),
        W1=[[1, 0], [1, 0], [0, 1], [0, 1]],
        b1=["-1/3", "-2/3", 0, -1],
        W2=[[3, -3, 0, 0], [0, 0, 1, -1]],
        b2=[0, 0],
    )
    joined = FeedForward(("even", "evens", "odds"), ("pred",), [[1, 1, 0], [-1, 0, 1]], [-1, 0], [[1, 1]], [0])
    zeroed = FeedForward(("first", "pred"), ("out",), [[1, 0], [-1, 1]], [-1, 0], [[1, 1]], [0])
    return Transformer(
        "predecessor",
        Embedding(
            Space(("one", "alternating", "value", "odds", "evens", "mean", "first", "even", "pred", "out")),
            inputs=("value",),
            positions={"one": 1, "alternating": "(-1)^i"},
        ),
        (Layer(SelfAttention((odds, evens, mean)), tests), Layer(None, joined), Layer(None, zeroed)),
        Readout("value", "each", ("out",)),
        source="Cookbook, Section 5.4",
    )


def predecessor_strict() -> Transformer:
    """The predecessor by the strict future mask and rightmost hard attention, all scores zero."""
    from symcook.model.ends import Embedding, Readout
    from symcook.model.layers import Layer, SelfAttention
    from symcook.model.parts import Head
    from symcook.model.space import Space
    from symcook.model.transformer import Transformer

    head = Head(("value",), ("out",), [[0]], [[0]], [[1]], mask="strict-future", weighting="rightmost")
    return Transformer(
        "predecessor-strict",
        Embedding(Space(("value", "out")), inputs=("value",)),
        (Layer(SelfAttention((head,))),),
        Readout("value", "each", ("out",)),
        source="Cookbook, Section 5.4",
    )


def last_position() -> Transformer:
    """1 at the last position and 0 elsewhere: uniform past-masked attention to (-1)^(i + 1), by softmax."""
    from symcook.model.ends import Embedding, Readout
    from symcook.model.layers import Layer, SelfAttention
    from symcook.model.parts import FeedForward, Head
    from symcook.model.space import Space
    from symcook.model.transformer import Transformer

    head = Head(("alternating",), ("mean",), [[0]], [[0]], [[-1]], mask="past", weighting="softmax")
    thirds = ["-1/3", "-2/3"]
    test = FeedForward(("mean",), ("last",), [[1], [1], [-1], [-1]], [*thirds, *thirds], [[3, -3, 3, -3]], [0])
    return Transformer(
        "last-position",
        Embedding(
            Space(("alternating", "mean", "last")), words={"0": {}, "1": {}}, positions={"alternating": "(-1)^i"}
        ),
        (Layer(SelfAttention((head,)), test),),
        Readout("value", "each", ("last",)),
        source="yang2026, Proposition 10 (b)",
    )


def sign_norm() -> Transformer:
    """The layer norm of two numbers: 1 for the greater, -1 for the less, and 0 for both where they are equal."""
    from symcook.model.ends import Embedding, Readout
    from symcook.model.layers import Layer
    from symcook.model.parts import FeedForward, LayerNorm
    from symcook.model.space import Space
    from symcook.model.transformer import Transformer

    pair = ("x", "y")
    nothing = FeedForward(pair, pair, [[0, 0]], [0], [[0], [0]], [0, 0])
    return Transformer(
        "sign-norm",
        Embedding(Space(pair), inputs=pair),
        (Layer(None, nothing, (), (LayerNorm(pair, zero_variance="zero"),), "post"),),
        Readout("value", "last", ("x",)),
        source="Cookbook, Section 6.4",
    )


def variant(name: str, recipe: str, **arguments: object) -> Callable[[], Transformer]:
    """A recipe with other arguments than its defaults, stored under a name of its own."""
    return lambda: replace(build(recipe, **arguments), name=name)


def surer(name: str, recipe: str) -> Callable[[], Transformer]:
    """A recipe behind the layer of Chiang and Cholak's Proposition 2, whose answers have the logits 1 and -1."""
    return lambda: replace(confident(build(recipe), 1), name=name)


OTHERS: dict[str, Callable[[], Transformer]] = {
    "predecessor": predecessor,
    "predecessor-strict": predecessor_strict,
    "last-position": last_position,
    "sign-norm": sign_norm,
    "parity-scaled": variant("parity-scaled", "parity", scaled="yes"),
    "first-scaled": variant("first-scaled", "first", scaled="yes"),
    "first-flawed-scaled": variant("first-flawed-scaled", "first-flawed", scaled="yes"),
    "first-layernorm-scaled": variant("first-layernorm-scaled", "first-layernorm", scaled="yes"),
    "first-layernorm-surer": surer("first-layernorm-surer", "first-layernorm"),
    "parity-layernorm-surer": surer("parity-layernorm-surer", "parity-layernorm"),
}
"""Stored models that are no recipe, or one with other arguments."""


def main() -> None:
    MODELS.mkdir(exist_ok=True)
    for name in names():
        save(build(name), MODELS / f"{name}.json", force=True)
    for name, make in OTHERS.items():
        save(make(), MODELS / f"{name}.json", force=True)


if __name__ == "__main__":
    main()
