"""Words and models for the evaluator of a model's page: every recipe that it runs, and random models with all that a
model may have. What the library says of them is the expected answer; no code is shared with the evaluator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import symcook as sc
from symcook.errors import BadInput
from symcook.model.ends import POSITIONS
from symcook.model.parts import MASKS, WEIGHTINGS
from symcook.model.symbols import fraction
from symcook.recipes import names
from symcook.report.page.describe import described, unfit

ODD = ("constructor", "__proto__", "toString", "x", "y", "length", "hasOwnProperty")
"""Names of coordinates and symbols that JavaScript has of its own."""
ALPHABETS = ("ab", "01", ("<b>", "&amp;", "__proto__"), ("constructor", "b"), "é𝔸")
SIZES = (0, 1, -1, 2, Fraction(1, 2), Fraction(-3, 7))
POSITION = ("1/i", "i", "i/n", "(-1)^i", "I[i = 1]", "if(i < n, 1, -2)", "mod(i, 3)", "sum(j, 1, i, 1/j)",
            "max(i, n - i)", "floor(n/2)", "-(i^2)", "abs(i - 2) + c", "c*i", "sqrt(i^2)")  # fmt: skip


def values(model: sc.Transformer) -> dict[str, Fraction]:
    """The symbols at their defaults; 1/8 where there is none."""
    return {p.name: Fraction(1, 8) if p.default is None else Fraction(fraction(p.default)) for p in model.parameters}


def fits(model: sc.Transformer) -> bool:
    return not unfit(model, values(model))


def document(model: sc.Transformer) -> dict[str, Any]:
    return described(model, values(model))


@cache
def recipes() -> dict[str, sc.Transformer]:
    """The recipes that the evaluator runs."""
    every = {name: sc.build(name) for name in names()}
    return {name: model for name, model in every.items() if fits(model)}


FORMULAS = ("Q_b & prev (~Q_c since Q_a)", "once (Q_a & ~prev Q_a)", "next Q_a until Q_b", "historically (Q_a | Q_c)")
COUNTS = ("#left[Q_a] > #left[Q_b]", "2*#right[Q_a] = 3*#left[Q_b] + 1", "MOD(3, 1)(#left[Q_a])")


@cache
def compiled() -> tuple[sc.Transformer, ...]:
    """Models of formulas, which keep their program."""
    pairs = [("ltl", text) for text in FORMULAS] + [("count", text) for text in COUNTS]
    every = [sc.compile(kind, text, alphabet="abc") for kind, text in pairs]
    return tuple(model for model in every if fits(model))


def typed(model: sc.Transformer, given: Any) -> str:
    """An input as a user of the page types it."""
    if model.embedding.inputs is None:
        return model.embedding.written(given)
    return "; ".join(", ".join(str(row[name]) for name in model.embedding.inputs or ()) for row in given)


def some_input(model: sc.Transformer, random: Random, longest: int = 8) -> Any:
    """A word or rows that the model takes, the empty string among them."""
    limit = longest if model.max_length is None else min(longest, model.max_length - model.embedding.added)
    if model.embedding.inputs is None:
        least = 0 if model.embedding.added else 1
        return tuple(random.choice(model.alphabet) for _ in range(random.randint(least, max(least, limit))))
    count = 1 if model.pointwise else random.randint(1, limit)
    return [
        {name: Fraction(random.randint(-6, 6), random.choice((1, 1, 2, 3))) for name in model.embedding.inputs}
        for _ in range(count)
    ]


def expected(model: sc.Transformer, given: Any) -> dict[str, Any] | None:
    """What ``symcook run --json --trace`` says; {"refused": ...} where there is no run; None where it is irrational."""
    try:
        said = model.run(given, trace=True, values=values(model)).to_json()
    except sc.NotExact:
        return None
    except BadInput as error:
        return {"refused": type(error).__name__}
    if model.program is not None:  # the page shows verdicts as such
        bits = said.get("outputs") if model.decides else None
        said |= {} if bits is None else {"outputs": [bit == "1" for bit in bits]}
    kept = {key: said[key] for key in ("accept", "output", "outputs", "trace") if key in said}
    return None if "sqrt" in json.dumps(kept) else kept


def some_model(random: Random) -> sc.Transformer:
    """A small random model: tokens in front and behind, several heads with Q unlike K, every mask and hard weighting,
    steps, norms, every readout, odd names, a symbol."""
    space = sc.Space(tuple(random.sample(ODD, random.randint(2, len(ODD)))))
    coordinates = tuple(space)

    def number() -> Any:
        return random.choice(SIZES)

    def matrix(rows: int, columns: int) -> list[list[Any]]:
        return [[number() if random.random() < 0.6 else 0 for _ in range(columns)] for _ in range(rows)]

    def some(least: int = 1) -> tuple[str, ...]:
        return tuple(random.sample(coordinates, random.randint(least, len(coordinates))))

    def head(reads: tuple[str, ...]) -> sc.Head:
        writes, keys = some(), random.randint(0, 2)
        same = random.random() < 0.3
        Q = matrix(keys, len(reads))
        K = Q if same else matrix(keys, len(reads))
        V = matrix(len(writes), len(reads))
        weighting = random.choice(WEIGHTINGS)
        if weighting == "softmax":
            Q = [[0] * len(reads) for _ in Q]
        return sc.Head(reads, writes, Q, K, V, mask=random.choice(MASKS), weighting=weighting)

    def network(reads: tuple[str, ...]) -> Any:
        hidden, writes, activation = random.randint(1, 3), some(), random.choice(("relu", "step"))
        if random.random() < 0.3:
            sides = (matrix(hidden, len(reads)), matrix(hidden, len(reads)), matrix(len(writes), hidden))
            biases = {"gate_bias": [number() for _ in range(hidden)], "down_bias": [number() for _ in writes]}
            return sc.GatedUnits(reads, writes, *sides, activation, **biases)
        return sc.FeedForward(
            reads, writes, matrix(hidden, len(reads)), [number() for _ in range(hidden)], matrix(len(writes), hidden),
            [number() for _ in writes], activation=activation,
        )  # fmt: skip

    def norm() -> Any:  # of two entries, so that its root is that of a square
        zero = random.choice(("refuse", "zero"))
        reads = some()
        one = [[number() or 1 for _ in reads]]
        projection = [*one, [-x for x in one[0]]]
        if random.random() < 0.5:
            return sc.RMSNorm(reads, ("view1", "view2"), gain=[number(), 2], projection=projection, zero_square=zero)
        return sc.LayerNorm(reads, ("view1", "view2"), projection=projection, zero_variance=zero)

    def layer() -> sc.Layer:
        normed = random.random() < 0.3
        reads = ("view1", "view2") if normed else some()
        attention = sc.SelfAttention(tuple(head(reads) for _ in range(random.randint(1, 3))))
        feedforward = network(reads) if random.random() < 0.7 else None
        if not normed:
            return sc.Layer(attention, feedforward)
        norms = (norm(),)
        return sc.Layer(attention, feedforward, norms, norms if feedforward else (), "projected pre")

    alphabet = list(random.choice(ALPHABETS))
    added = {side: token for side, token in (("before", "CLS"), ("after", "EOS")) if random.random() < 0.35}
    if random.random() < 0.2:
        added = {"before": "BOS"}
    words = {token: {c: number() for c in some()} for token in (*alphabet, *added.values())}
    if random.random() < 0.2:
        embedding: dict[str, Any] = {"inputs": some(), "positions": {}}
    else:
        embedding = {"words": words, "positions": {}, **added}
    for name in some(0) if random.random() < 0.8 else ():
        embedding["positions"][name] = random.choice(POSITION)
    kind = random.choice(("value", "sign", "zero", "largest", "groups"))
    position = random.choice(POSITIONS if kind in ("sign", "zero") else POSITIONS[:-1])
    reads = some()
    labels = ("L", "toString", "<i>")[: random.randint(1, 3)] if kind in ("largest", "groups") else ()
    weights = matrix(len(labels) or 1, len(reads)) if kind in ("sign", "largest", "groups") else None
    groups = ((len(labels),), (1,) * len(labels), (len(labels) - 1, 1))[random.randrange(3 if len(labels) > 1 else 1)]
    readout = sc.Readout(kind, position, reads, weights, labels, groups if kind == "groups" else ())
    start = random.choice((0, 1))
    if start == 0:
        embedding["positions"] = {c: p for c, p in embedding["positions"].items() if p != "1/i"}
    parameters = (sc.Parameter("c", "1/3", 0, 1),)
    layers = tuple(layer() for _ in range(random.randint(1, 3)))
    return sc.Transformer("random", sc.Embedding(space, start=start, **embedding), layers, readout, parameters)


def cases(count: int, seed: int) -> Iterator[tuple[sc.Transformer, list[tuple[Any, dict[str, Any]]]]]:
    """So many inputs: half of them over the recipes in turn (three seeds reach all), half over random models, each
    with what is expected."""
    random = Random(seed)
    known = [*recipes().values(), *compiled()]
    made = 0
    for turn in range(count):
        model = known[(24 * seed + turn // 2) % len(known)] if turn % 2 else some_model(random)
        found: list[tuple[Any, dict[str, Any]]] = []
        for _ in range(4):
            given = some_input(model, random)
            said = expected(model, given)
            if said is not None:
                found.append((typed(model, given), said))
        if found:
            yield model, found
            made += len(found)
        if made >= count:
            return
    raise AssertionError(f"only {made} cases")
