"""What the heads of random average-hard models meet, their errors by layer at a temperature, and those of all words
in float64: each against a forward pass in fractions that is written here, and the formulas of
`symcook.bounds.hardsoft`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp, tanh
from typing import Any

import flint
import pytest
import sympy

import symcook as sc
from symcook.bounds.hardruns import runs
from symcook.bounds.warmth import BITS, ByLayer, Floats, error_in_balls, soft_at
from symcook.words import every

NAMES = ("a", "b", "c")
Rows = list[list[Fraction]]
MASKS = {
    "none": lambda i, j: True, "future": lambda i, j: j <= i, "strict-future": lambda i, j: j < i,
    "past": lambda i, j: j >= i, "strict-past": lambda i, j: j > i,
}  # fmt: skip


@dataclass
class Drawn:
    """A model as plain numbers: rows of words, a coordinate that is i/n, and layers of heads and perhaps a network."""

    words: dict[str, list[Fraction]]
    place: int | None
    before: bool
    layers: list[tuple[list[tuple[Rows, Rows, Rows, list[int], str, str, Fraction]], Any]]


def drawn(seed: int) -> Drawn:
    r = random.Random(seed)

    def number() -> Fraction:
        return Fraction(r.choice([0, 0, 0, 1, -1, 2, -3]), r.choice([1, 1, 2, 3]))

    def rows(m: int, n: int) -> Rows:
        return [[number() for _ in range(n)] for _ in range(m)]

    layers = []
    for _ in range(r.choice([1, 2, 2])):
        heads = []
        for _ in range(r.choice([1, 2])):
            writes = sorted(r.sample(range(3), r.choice([1, 2])))
            scored = r.random() < 0.8
            Q, K = (rows(2, 3), rows(2, 3)) if scored else ([[Fraction(0)] * 3], [[Fraction(0)] * 3])
            scale = r.choice([Fraction(1), Fraction(1, 2), Fraction(3)])
            heads.append((Q, K, rows(len(writes), 3), writes, r.choice([*MASKS]), "average", scale))
        network = (rows(2, 3), rows(2, 1), rows(2, 2), rows(2, 1)) if r.random() < 0.6 else None
        layers.append((heads, network))
    words = {w: [number() for _ in NAMES] for w in "xy"}
    before = r.random() < 0.4
    if before:
        words["^"] = [Fraction(1), Fraction(0), Fraction(1, 2)]
    return Drawn(words, r.choice([None, 1]), before, layers)


def model(d: Drawn) -> sc.Transformer:
    embedding = sc.Embedding(
        sc.Space(NAMES), words={w: {c: x for c, x in zip(NAMES, row, strict=True) if x} for w, row in d.words.items()},
        positions={} if d.place is None else {NAMES[d.place]: "i/n"}, start=1, before="^" if d.before else None,
    )  # fmt: skip
    layers = []
    for heads, network in d.layers:
        parts = tuple(
            sc.Head(NAMES, tuple(NAMES[w] for w in writes), Q, K, V, mask, kind, scale=scale)
            for Q, K, V, writes, mask, kind, scale in heads
        )
        block = network and sc.FeedForward(NAMES, ("b", "c"), *network, activation="relu")
        layers.append(sc.Layer(sc.SelfAttention(parts), block))
    return sc.Transformer("drawn", embedding, tuple(layers), sc.Readout("value", "each", NAMES))


def dot(x: Any, y: Any) -> Any:
    return sum(a * b for a, b in zip(x, y, strict=True))


def form(head: Any) -> Rows:
    """scale Q^T K."""
    Q, K, scale = head[0], head[1], head[6]
    return [[scale * sum(q[a] * k[b] for q, k in zip(Q, K, strict=True)) for b in range(3)] for a in range(3)]


def passes(d: Drawn, word: str, tau: float | None = None) -> tuple[list[Any], list[tuple[Any, Any, Any]]]:
    """The stream before each layer and at the end; by head the rows it reads, the gap and whether scores are tied. With
    tau by softmax, in floats."""
    tokens = ("^" if d.before else "") + word
    n = len(tokens)
    one: Any = Fraction if tau is None else float
    x = [[one(v) for v in d.words[t]] for t in tokens]
    for i in range(n):
        if d.place is not None:
            x[i][d.place] += one(Fraction(i + 1, n))
    streams, met = [], []
    for heads, network in d.layers:
        streams.append(x)
        new = [list(row) for row in x]
        for head in heads:
            M, V, writes, mask, least, tied = form(head), head[2], head[3], head[4], None, False
            for i in range(n):
                sees = [j for j in range(n) if MASKS[mask](i, j)]
                if not sees:
                    continue
                scores = [dot(x[i], [dot(M[a], x[j]) for a in range(3)]) for j in sees]
                top = max(scores)
                if tau is None:
                    weights = [Fraction(s == top, scores.count(top)) for s in scores]
                    others = [top - s for s in scores if s != top]
                    least = min([*others, *([] if least is None else [least])], default=None)
                    tied = tied or scores.count(top) > 1
                else:
                    raw = [exp((s - top) / tau) if any(map(any, M)) else 1.0 for s in scores]
                    weights = [w / sum(raw) for w in raw]
                for k, w in enumerate(writes):
                    new[i][w] += sum(p * dot(V[k], x[j]) for p, j in zip(weights, sees, strict=True))
            met.append((x, least, tied))
        x = new
        if network is not None:
            W1, b1, W2, b2 = network
            hidden = [[max(dot(w, row) + b[0], one(0)) for w, b in zip(W1, b1, strict=True)] for row in x]
            x = [
                [row[0], *(row[k + 1] + dot(W2[k], h) + b2[k][0] for k in range(2))]
                for row, h in zip(x, hidden, strict=True)
            ]
    return [*streams, x], met


CASES = range(24)


@pytest.mark.layer_one(0, 2, 3, 4, 14, 15, 18, 22)
@pytest.mark.parametrize("seed", CASES)
def test_what_heads_meet_on_all_words(seed: int) -> None:
    d = drawn(seed)
    m, n = model(d), 3
    found = runs(m, n, every(m.alphabet, n))
    words = ["".join(w) for w in product("xy", repeat=n)]
    assert ["".join(w) for w in found.words] == words
    streams, met = zip(*(passes(d, w) for w in words), strict=True)
    for end, wanted in zip(found.ends, streams, strict=True):
        for c, name in enumerate(NAMES):
            assert [Fraction(str(v)) for v in end.get(name, [0] * len(wanted[-1]))] == [row[c] for row in wanted[-1]]
    for k in range(len(d.layers)):
        assert Fraction(str(found.greatest[k])) == max(abs(v) for s in streams for row in s[k] for v in row)
    assert Fraction(str(found.greatest[-1])) == max(abs(v) for s in streams for row in s[-1] for v in row)
    heads = [(k, h, head) for k, (parts, _) in enumerate(d.layers, 1) for h, head in enumerate(parts, 1)]
    for number, (k, h, head) in enumerate(heads):
        sizes, M, V = found.heads[k, h], form(head), head[2]
        if not sizes.ranges:  # its values are zero
            assert all(dot(V[w], row) == 0 for one in met for row in one[number][0] for w in range(len(V)))
            continue
        gaps = [one[number][1] for one in met]
        least = min((g for g in gaps if g is not None), default=None)
        assert (sizes.gap is None) == (least is None)
        if sizes.gap is not None:
            shown = ("^" if d.before else "") + words[gaps.index(least)]
            assert Fraction(str(sizes.gap[0])) == least and sizes.gap[1].endswith(shown[-n:])
        first = next((w for w, one in zip(words, met, strict=True) if one[number][2]), None)
        assert (sizes.tied is None) == (first is None) and (first is None or str(sizes.tied).endswith(first))
        rows = [row for one in met for row in one[number][0]]
        assert [Fraction(str(v)) for v in sizes.queries] == [
            max(abs(dot(row, [M[a][b] for a in range(3)])) for row in rows) for b in range(3)
        ]
        assert [Fraction(str(v)) for v in sizes.keys] == [max(abs(dot(M[a], row)) for row in rows) for a in range(3)]
        values = [[[dot(v, row) for v in V] for row in one[number][0]] for one in met]
        assert [Fraction(str(v)) for v in sizes.ranges] == [
            max(max(v[w] for v in one) - min(v[w] for v in one) for one in values) for w in range(len(V))
        ]
        assert Fraction(str(sizes.apart)) == max(
            sum(abs(p - q) for p, q in zip(u, v, strict=True)) for one in values for u in one for v in one
        )


def bound(d: Drawn, found: Any, tau: float) -> float:
    """The formulas of `symcook.bounds.hardsoft` in floats."""
    e, whole = [0.0] * 3, 0.0
    for k, (heads, network) in enumerate(d.layers, 1):
        added, more, length = [0.0] * 3, 0.0, found.n + d.before
        for h, head in enumerate(heads, 1):
            sizes, M, V = found.heads[k, h], form(head), [[float(abs(v)) for v in row] for row in head[2]]
            w = 0.0
            if any(map(any, M)) and sizes.ranges:
                q, z = ([float(Fraction(str(v))) for v in side] for side in (sizes.queries, sizes.keys))
                T = dot(q, e) + dot(z, e) + sum(float(abs(M[a][b])) * e[a] * e[b] for a in range(3) for b in range(3))
                T = min(T, (max(q) + max(z)) * whole + max(float(abs(v)) for row in M for v in row) * whole**2)
                x = exp(-float(Fraction(str(sizes.gap[0]))) / tau) if sizes.gap else 0.0
                w = min(2 * (length - 1) * x / (1 + (length - 1) * x) + 2 * tanh(T / (2 * tau)), 2)
            for place, c in enumerate(head[3]):
                spread = float(Fraction(str(sizes.ranges[place]))) if sizes.ranges else 0.0
                added[c] += w / 2 * spread + dot(V[place], e)
            more += w / 2 * float(Fraction(str(sizes.apart))) + max(map(sum, zip(*V, strict=True))) * whole
        e = [x + y for x, y in zip(e, added, strict=True)]
        whole = min(sum(e), whole + more)
        if network is not None:
            W1, W2 = ([[float(abs(v)) for v in row] for row in network[k]] for k in (0, 2))
            both = [[sum(W2[w][u] * W1[u][c] for u in range(2)) for c in range(3)] for w in range(2)]
            e = [e[0], e[1] + dot(both[0], e), e[2] + dot(both[1], e)]
            whole = min(sum(e), whole * (1 + max(map(sum, zip(*both, strict=True)))))
    return min(sum(e), whole)


@pytest.mark.layer_one(0, 2, 14)
@pytest.mark.parametrize("seed", CASES)
def test_errors_of_soft_attention(seed: int) -> None:
    """By layer as the formulas say, and no word is off by more; of all words at once, and in balls, what a pass by
    softmax in floats has; and a temperature below which nothing more than is allowed is off."""
    d = drawn(seed)
    m, n = model(d), 3
    found = runs(m, n, every(m.alphabet, n))
    layers, floats = ByLayer(m, found), Floats(m, found)
    words = ["".join(w) for w in product("xy", repeat=n)]
    ends, calls = [passes(d, w)[0][-1] for w in words], list[int]()
    for tau in (Fraction(1, 50), Fraction(1, 3), Fraction(2)):
        soft = [passes(d, w, float(tau))[0][-1] for w in words]
        off = [
            max(sum(abs(u - float(v)) for u, v in zip(x, y, strict=True)) for x, y in zip(s, e, strict=True))
            for s, e in zip(soft, ends, strict=True)
        ]
        assert floats.errors(tau).tolist() == pytest.approx(off, rel=1e-9, abs=1e-12)
        with flint.ctx.workprec(BITS):
            most = float(layers.error(tau).mid())
        assert most == pytest.approx(bound(d, found, float(tau)), rel=1e-9, abs=1e-300)
        assert max(off) <= most * (1 + 1e-9) + 1e-12
        calls.clear()
        worst, where = error_in_balls(soft_at(m, tau), found.words, found.ends, flint.arb(1), lambda: calls.append(1))
        assert float(worst.mid()) == pytest.approx(max(off), rel=1e-9, abs=1e-12) and len(calls) == len(words)
        assert off[where] == pytest.approx(max(off), rel=1e-9, abs=1e-12)
    for allowed in (Fraction(1, 100), Fraction(1)):
        tau, needed = layers.warmest(allowed), floats.needed(allowed, Fraction(1, 1000))
        if tau is None:
            assert bound(d, found, 2.0**40) <= allowed * (1 + 1e-9)
        else:
            assert bound(d, found, float(tau)) <= allowed < bound(d, found, float(tau) * 1.002) * (1 + 1e-6)
        if needed is not None and floats.errors(Fraction(1, 1000)).max() <= allowed:
            at, near = needed
            assert floats.errors(at).max() <= allowed < floats.errors(at * Fraction(1001, 1000)).max()
            warm = floats.errors(at * Fraction(1001, 1000)).tolist()
            shown = [warm[k] for k in near]
            assert shown[0] == max(warm) and shown == sorted(shown, reverse=True)
            assert set(near) == {k for k, w in enumerate(warm) if w > 0.98 * float(allowed)}
        elif needed is None:
            assert floats.errors(Fraction(2) ** 39).max() <= allowed


def test_heads_without_scores_stay_as_they_are() -> None:
    found = 0
    for seed in CASES:
        m = model(drawn(seed))
        soft = soft_at(m, Fraction(1, 7))
        for layer, other in zip(m.layers, soft.layers, strict=True):
            for head, one in zip(layer.attention.heads, other.attention.heads, strict=True):  # type: ignore[union-attr]
                pairs = zip(head.Q.tolist(), head.K.tolist(), strict=True)
                plain = not any(any(q) and any(k) for q, k in pairs)
                wanted = ("average", sympy.Integer(1)) if plain else ("softmax", sympy.Rational(1, 7))
                assert (one.weighting, one.temperature) == wanted
                found += plain
    assert found > 5
