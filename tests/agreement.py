"""Random models whose words are merged, against plain loops over every word to length 7.

    python tests/agreement.py --count 2000

says for each kind of model how many agree with the loops, how many cannot be merged, and how many are wrong. The loops
are written here, in fractions (floats where a softmax is no fraction; near a tie its weights are powers of e with
fractions, `Soft`), and share nothing with the library but the numbers of a model.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

import symcook as sc
from symcook.errors import Unmerged
from symcook.spec.fold import Fold

READS = ("a", "b", "c", "d")
NAMES = (*READS, "one")
KINDS = ("uniform", "hard", "softmax")
LENGTH = 7
ADDED = ((None, None), (None, None), ("CLS", None), (None, "EOS"), ("BOS", "EOS"))
LABELS = ("p", "q", "r")
NONE = Fraction(0)


def drawn(kind: str, seed: int) -> sc.Transformer:
    """Two layers of one or two heads of a kind, each with a network, over two letters, with tokens added or not."""
    draw = random.Random(f"{kind} {seed}")
    numbers = [0, 0, 1, -1, 1, -1, 2, -2] if kind == "hard" else [0, 1, -1, 1, -1, 2, -3, Fraction(1, 2)]

    def rows(m: int, n: int) -> list[list[Any]]:
        return [[draw.choice(numbers) for _ in range(n)] for _ in range(m)]

    # irrational numbers are made once, so that their sums stay short
    soft = draw.choice([1, 1, 2]) if kind == "softmax" else 3

    def head(layer: int) -> sc.Head:
        writes = draw.sample(READS[1:], draw.choice([1, 1, 2]))
        width = draw.choice([1, 1, 2])
        scores = rows(width, 4), rows(width, 4)
        if kind == "uniform" or (kind == "softmax" and layer != soft):
            scores, weighting = ([[0] * 4], [[0] * 4]), draw.choice(["average", "softmax"])
        else:
            weighting = draw.choice(["average", "leftmost", "rightmost"]) if kind == "hard" else "softmax"
        mask = draw.choice(["future", "future", "strict-future"]) if kind != "softmax" else draw.choice(MASKS)
        return sc.Head(READS, tuple(writes), *scores, rows(len(writes), 4), mask, weighting)

    def layer(number: int) -> sc.Layer:
        heads = sc.SelfAttention(tuple(head(number) for _ in range(1 if number == soft else draw.choice([1, 1, 2]))))
        active = draw.choice(["relu", "relu", "step"])
        network = sc.FeedForward(READS, ("c", "d"), rows(2, 4), rows(2, 1), rows(2, 2), rows(2, 1), active)
        return sc.Layer(heads, draw.choice([network, network, None]))

    before, after = draw.choice(ADDED)
    tokens: dict[str, Any] = {t: {name: draw.choice([0, 1, -1, 2, -2]) for name in READS} for t in "xo"}
    tokens |= {one: {"c": 1, "d": 2} for one in (before, after) if one}
    tokens = {token: row | {"one": 1} for token, row in tokens.items()}
    positions = draw.choice([{}, {}, {}, {"d": "1/(i + 1)"}, {"b": "(-1)^i"}, {"d": "i/n"}])
    embedding = sc.Embedding(
        sc.Space(NAMES), words=tokens, positions=positions, start=draw.choice([0, 1]), before=before, after=after
    )
    place = draw.choice(["last", "last", "all", "each"]) if kind != "softmax" else draw.choice(["first", "last", "all"])
    if place == "each" and embedding.added:
        place = "last"
    what = draw.choice(["sign"] * 4 + ["zero"] + ["largest", "value"] * (place != "all" and kind != "softmax"))
    layers = tuple(layer(k) for k in range(1, min(soft, 2) + 1))
    reads = ("c", "d", "one") if what in ("sign", "largest") else ("c", "d")
    reads = draw.choice([("c",), ("d",), reads]) if what == "zero" else reads
    weights: Any = None if what not in ("sign", "largest") else rows(1 if what == "sign" else 3, 3)
    if what == "sign":  # a threshold that some word meets and others pass
        weights[0][:2] = draw.choice([[1, 0], [0, 1], [1, -1], [1, 2]])
        values = sc.Transformer("drawn", embedding, layers, sc.Readout("value", "last", READS))
        KNOWN.clear()
        PREFIXES.clear()
        with contextlib.suppress(Near):
            ends = [run(values, word)[-1] for n in (2, 3, 4) for word in itertools.product(values.alphabet, repeat=n)]
            scores = sorted(weights[0][0] * row["c"] + weights[0][1] * row["d"] for row in ends)
            weights[0][2] = -Fraction(scores[len(scores) // 2]).limit_denominator(1000)
    readout = sc.Readout(what, place, reads, weights, LABELS if what == "largest" else ())
    return sc.Transformer("drawn", embedding, layers, readout)


MASKS = ("none", "none", "future", "strict-future", "past", "strict-past")


def reader(model: sc.Transformer, seed: int) -> Fold:
    """A random automaton of three states, with answers such as the model's."""
    draw = random.Random(f"reader {seed}")
    moves = {(q, t): draw.randrange(3) for q in range(3) for t in model.alphabet}
    answers: list[Any] = [draw.choice([True, False]) for _ in range(3)]
    if model.readout.labelled:
        answers = [draw.choice(LABELS) for _ in range(3)]
    elif not model.decides:
        answers = [{"c": draw.choice([0, 1]), "d": Fraction(draw.choice([0, 1, 3]), 2)} for _ in range(3)]
    return Fold(0, lambda q, t: moves[q, t], lambda q: answers[q], each=model.readout.each)


# --- Loops ------------------------------------------------------------------------------------------------------------


def run(model: sc.Transformer, word: Sequence[str], exact: bool = False) -> list[dict[str, Any]]:
    """The stream at every position, one position after the other: that of a prefix is known where no head looks ahead
    and no number knows the length."""
    tokens = model.embedding.surround(tuple(word))
    heads = [head for layer in model.layers if layer.attention for head in layer.attention.heads]
    if "i/n" in map(str, model.embedding.positions.values()) or any("future" not in head.mask for head in heads):
        rows = [[embedded(model, token, i, len(tokens)) for i, token in enumerate(tokens)]]
        for layer in model.layers:
            rows.append(behind(layer, rows[-1], range(len(tokens)), exact))
        return rows[-1]
    for n in range(1, len(tokens) + 1):
        if (exact, tokens[:n]) not in PREFIXES:
            before = [PREFIXES[exact, tokens[:k]] for k in range(1, n)]
            rows = [embedded(model, tokens[n - 1], n - 1, n)]
            for number, layer in enumerate(model.layers):
                rows += behind(layer, [row[number] for row in before] + rows[-1:], range(n - 1, n), exact)
            PREFIXES[exact, tokens[:n]] = rows
    return [PREFIXES[exact, tokens[:n]][-1] for n in range(1, len(tokens) + 1)]


PREFIXES: dict[tuple[bool, tuple[str, ...]], list[dict[str, Any]]] = {}
"""By prefix, exact or not, the stream at its last position, before each layer and behind all."""
KNOWN: dict[Any, Any] = {}
"""The numbers of a part, and of a token at a position."""


def embedded(model: sc.Transformer, token: str, place: int, n: int) -> dict[str, Any]:
    if (token, place, n) not in KNOWN:
        i = place + model.embedding.start
        at = {"1/(i + 1)": Fraction(1, i + 1), "(-1)**i": Fraction((-1) ** i), "i/n": Fraction(i, n)}
        row = {name: Fraction(str((model.embedding.words or {})[token].get(name, 0))) for name in NAMES}
        for name, term in model.embedding.positions.items():
            row[name] += at[str(term)]
        KNOWN[token, place, n] = row
    return KNOWN[token, place, n]


def behind(layer: sc.Layer, stream: list[dict[str, Any]], places: range, exact: bool) -> list[dict[str, Any]]:
    """The stream behind a layer at some positions."""
    heads = layer.attention.heads if layer.attention else ()
    added = [attended(head, stream, places, exact) for head in heads]
    found = [
        {name: stream[i][name] + sum(one[k].get(name, 0) for one in added) for name in NAMES}
        for k, i in enumerate(places)
    ]
    return found if layer.feedforward is None else [fed(layer.feedforward, row) for row in found]


def matrix(m: Any) -> list[list[Fraction]]:
    return [[Fraction(str(m[r, c])) for c in range(m.shape[1])] for r in range(m.shape[0])]


def known(part: Any) -> Any:
    if id(part) not in KNOWN:
        names = ("Q", "K", "V") if isinstance(part, sc.Head) else ("W1", "b1", "W2", "b2")
        KNOWN[id(part)] = part, {name: matrix(getattr(part, name)) for name in names}
    return KNOWN[id(part)][1]


def times(rows: list[list[Fraction]], row: dict[str, Any]) -> list[Any]:
    return [sum((w * row[name] for w, name in zip(line, READS, strict=True) if w), Fraction(0)) for line in rows]


def attended(head: Any, stream: list[dict[str, Any]], places: range, exact: bool) -> list[dict[str, Any]]:
    m, found = known(head), []
    keys, values = [times(m["K"], row) for row in stream], [times(m["V"], row) for row in stream]
    for i in places:
        seen = [
            j
            for j in range(len(stream))
            if {"none": True, "future": j <= i, "strict-future": j < i, "past": j >= i, "strict-past": j > i}[head.mask]
        ]
        query = times(m["Q"], stream[i])
        scores = [sum((q * k for q, k in zip(query, keys[j], strict=True)), Fraction(0)) for j in seen]
        if not seen:
            weights: list[Any] = []
        elif head.weighting == "softmax" and len(set(scores)) > 1:
            top = max(scores)
            if exact:
                below = Counter(score - top for score in scores)
                weights = [Soft({score - top: Fraction(1)}, below) for score in scores]
            else:
                exps = [math.exp(score - top) for score in scores]
                whole = sum(exps)
                weights = [e / whole for e in exps]
        else:
            top = max(scores)
            best = [k for k, score in enumerate(scores) if score == top]
            best = {"leftmost": best[:1], "rightmost": best[-1:]}.get(head.weighting, best)
            weights = [Fraction(int(k in best), len(best)) for k in range(len(seen))]
        parts = {
            name: [w * values[j][k] for w, j in zip(weights, seen, strict=True)] for k, name in enumerate(head.writes)
        }
        found.append({name: sum(part, Fraction(0)) for name, part in parts.items()})
    return found


def fed(network: Any, row: dict[str, Any]) -> dict[str, Any]:
    m = known(network)
    hidden = [x + b[0] for x, b in zip(times(m["W1"], row), m["b1"], strict=True)]
    positive = [above(x) for x in hidden]  # of relu too: behind it a tie would look like a fraction
    active = [x * positive[k] if network.activation == "relu" else Fraction(positive[k]) for k, x in enumerate(hidden)]
    new = dict(row)
    for name, weights, bias in zip(network.writes, m["W2"], m["b2"], strict=True):
        new[name] += sum((w * x for w, x in zip(weights, active, strict=True)), Fraction(0)) + bias[0]
    return new


@dataclass(frozen=True)
class Soft:
    """A number at a position behind a softmax over several scores: the sum of fractions times e to fractions, over the
    positive sum that all the numbers there have below. It is zero where all fractions are (Lindemann and Weierstrass).
    """

    above: dict[Fraction, Fraction]
    below: dict[Fraction, int]

    def __add__(self, other: Any) -> Soft:
        more = other.above if isinstance(other, Soft) else {q: other * many for q, many in self.below.items()}
        assert not isinstance(other, Soft) or other.below == self.below
        return Soft({q: self.above.get(q, NONE) + more.get(q, NONE) for q in {*self.above, *more}}, self.below)

    def __mul__(self, factor: Fraction) -> Soft:
        return Soft({q: factor * x for q, x in self.above.items()}, self.below)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Soft:
        return self * Fraction(-1)

    @property
    def sign(self) -> int:
        terms = {q: x for q, x in self.above.items() if x}
        for digits in itertools.count(30, 30) if terms else ():
            with localcontext() as context:
                context.prec = digits
                each = [Decimal(x.numerator) / x.denominator * (Decimal(q.numerator) / q.denominator).exp()
                        for q, x in terms.items()]  # fmt: skip
                total, error = sum(each), sum(map(abs, each)) * Decimal(10) ** (4 - digits)
            if abs(total) > error:
                return 1 if total > 0 else -1
        return 0

    def __gt__(self, other: Fraction) -> bool:
        return (self + -other).sign > 0

    def __lt__(self, other: Fraction) -> bool:
        return (self + -other).sign < 0


class Near(Exception):
    """A float too near to zero to say its sign."""


def above(x: Any) -> bool:
    if isinstance(x, float) and abs(x) < 1e-9:
        raise Near
    return x > 0


def answer(model: sc.Transformer, row: dict[str, Any]) -> Any:
    readout = model.readout
    shown = [row[name] for name in readout.reads]
    if readout.kind == "value":
        return dict(zip(readout.reads, shown, strict=True))
    if readout.kind == "zero":
        return not any(above(x) or above(-x) for x in shown)
    scores = [sum((w * x for w, x in zip(line, shown, strict=True)), Fraction(0)) for line in matrix(readout.weights)]
    return above(scores[0]) if readout.kind == "sign" else LABELS[scores.index(max(scores))]


def said(model: sc.Transformer, word: Sequence[str]) -> Any:
    try:
        rows = [answer(model, row) for row in run(model, word)]
    except Near:  # a tie of a softmax, or nearly
        rows = [answer(model, row) for row in run(model, word, exact=True)]
    place = model.readout.position
    return all(rows) if place == "all" else rows if place == "each" else rows[0 if place == "first" else -1]


def at_once(model: sc.Transformer, n: int) -> Iterator[Any]:
    """What the model says of each word of length n, in order, whose heads are all softmax: in floats for all of them at
    once; None where a float is too near to zero."""
    tokens = [model.embedding.surround(word) for word in itertools.product(model.alphabet, repeat=n)]
    size = len(tokens[0])
    places = [{t: embedded(model, t, i, size) for t in {word[i] for word in tokens}} for i in range(size)]
    stream = np.array([[[float(at[t][name]) for name in NAMES] for at, t in zip(places, word, strict=True)]
                       for word in tokens])  # fmt: skip
    near = np.zeros(len(tokens), dtype=bool)

    def zero(x: Any) -> Any:
        nonlocal near
        near = near | (np.abs(x) < 1e-9).reshape(len(near), -1).any(axis=1)
        return x

    def column(names: Sequence[str]) -> list[int]:
        return [NAMES.index(name) for name in names]

    def floats(rows: list[list[Fraction]]) -> Any:
        return np.array([[float(x) for x in row] for row in rows])

    i, j = np.indices((size, size))
    seen = {"none": i == i, "future": j <= i, "strict-future": j < i, "past": j >= i, "strict-past": j > i}
    for layer in model.layers:
        read, added = stream[:, :, column(READS)], np.zeros_like(stream)
        for head in layer.attention.heads if layer.attention else ():
            m = known(head)
            query, key, value = (read @ floats(m[name]).T for name in "QKV")
            scores = np.where(seen[head.mask], query @ key.transpose(0, 2, 1), -np.inf)
            top = scores.max(axis=2, keepdims=True)
            exps = np.exp(scores - np.where(np.isinf(top), 0, top))
            whole = exps.sum(axis=2, keepdims=True)
            added[:, :, column(head.writes)] += exps / np.where(whole == 0, 1, whole) @ value
        stream = stream + added
        if layer.feedforward is not None:
            m, read = known(layer.feedforward), stream[:, :, column(READS)]
            inside = read @ floats(m["W1"]).T + floats(m["b1"])[:, 0]
            active = np.maximum(inside, 0) if layer.feedforward.activation == "relu" else (zero(inside) > 0) * 1.0
            stream[:, :, column(layer.feedforward.writes)] += active @ floats(m["W2"]).T + floats(m["b2"])[:, 0]
    readout = model.readout
    where = {"first": [0], "last": [-1], "all": range(size)}[readout.position]
    shown = zero(stream[:, where][:, :, column(readout.reads)] if readout.kind == "zero" else
                 stream[:, where][:, :, column(readout.reads)] @ floats(matrix(readout.weights)).T)  # fmt: skip
    said = (shown == 0) if readout.kind == "zero" else (shown > 0)
    yield from (None if close else bool(one.all()) for close, one in zip(near, said, strict=True))


def words(model: sc.Transformer, most: int) -> Iterator[tuple[str, ...]]:
    for n in range(1, most + 1):
        yield from itertools.product(model.alphabet, repeat=n)


def answers(model: sc.Transformer, kind: str, most: int) -> Iterator[tuple[tuple[str, ...], Any]]:
    for n in range(1, most + 1):
        floats = at_once(model, n) if kind == "softmax" else itertools.repeat(None)
        for word, got in zip(itertools.product(model.alphabet, repeat=n), floats, strict=False):
            yield word, said(model, word) if got is None else got


def outcome(kind: str, seed: int, most: int = LENGTH) -> str:
    """ "agree", "open: why", or "WRONG" with what differs."""
    from symcook.verify.merged import merged

    KNOWN.clear()
    PREFIXES.clear()
    model = drawn(kind, seed)
    fold = reader(model, seed)
    bound = model.bind()
    try:
        found = merged(bound, fold, most)
    except Unmerged as error:
        return f"open: {error.must}"
    accepted, wrong = Counter[int](), list[tuple[str, ...]]()
    for word, got in answers(model, kind, most):
        accepted[len(word)] += (got[-1] if model.readout.each else got) is True  # a word is accepted at its end
        if got != fold(word):
            wrong.append(word)
    lengths = [(n, 2**n, accepted[n] if model.decides else None) for n in range(1, most + 1)]
    expected = lengths, len(wrong), wrong[0] if wrong else None
    given = [tuple(count) for count in found.by_length], found.wrong, found.smallest
    return "agree" if given == expected else f"WRONG: {given} in place of {expected}"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--length", type=int, default=LENGTH)
    options.add_argument("--kind", choices=KINDS, action="append")
    given = options.parse_args()
    for kind in given.kind or KINDS:
        start, found = time.process_time(), Counter[str]()
        for seed in range(given.first, given.first + given.count):
            result = outcome(kind, seed, given.length)
            if result.startswith("WRONG"):
                print(f"{kind} {seed} {result}", flush=True)
                result = "WRONG"
            found[result] += 1
        print(f"{kind}: {dict(found.most_common())}, {time.process_time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
