"""Random models against their bounds: perturbed embeddings, run by a plain forward pass that is written here.

    python tests/bound_error.py [COUNT] [SEED]

makes COUNT models (1000), with queries unlike keys, every mask and weighting, added tokens, position functions,
temperatures, all placements of norms and a final norm, and for each a bound for a delta about as large as the bound
allows. Every change of the embedding that is tried, some random, some climbing, must stay below the bound. Prints how
many models had which parts; exit 1 with the seed of each model that exceeds its bound.
"""

import random
import sys
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np

from symcook.bounds import error_propagation
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.symbols import exact, symbol
from symcook.model.transformer import Transformer

F = Fraction
MASKS = {
    "none": lambda i, n: range(n),
    "future": lambda i, n: range(i + 1),
    "strict-future": lambda i, n: range(i),
    "past": lambda i, n: range(i, n),
    "strict-past": lambda i, n: range(i + 1, n),
}
CLOSE = 1e-9
TEMPERATURES = ("1", "1/2", "2", "1/i", "1/n", "(i+1)/3", "1/log(n+2)")


# --- A plain forward pass in float64: a stream is an array, positions by coordinates --------------------------------


def number(value):
    return float(value.evalf(20))


@cache
def array(matrix):
    return np.array([[number(matrix[r, c]) for c in range(matrix.shape[1])] for r in range(matrix.shape[0])]).reshape(
        matrix.shape
    )


@cache
def at(expression, i, n):
    return number(exact(expression).subs({symbol("i"): i, symbol("n"): n}))


def choose(head, scores, i, n):
    top = scores.max()
    if head.weighting == "softmax":
        factor = number(head.scale) / at(head.temperature, i, n)
        raw = np.exp(factor * (scores - top))
        return raw / raw.sum()
    best = np.flatnonzero(scores >= top - CLOSE)
    best = {"average": best, "leftmost": best[:1], "rightmost": best[-1:]}[head.weighting]
    row = np.zeros(len(scores))
    row[best] = 1 / len(best)
    return row


def attended(head, stream, names, start):
    """Head by head: c_i = sum_j alpha_ij V x_j over the coordinates `names` of `stream`."""
    n = len(stream)
    x = stream[:, [names.index(c) for c in head.reads]]
    queries, keys, values = (x @ array(m).T for m in (head.Q, head.K, head.V))
    out = np.zeros((n, len(head.writes)))
    for i in range(n):
        seen = list(MASKS[head.mask](i, n))
        if seen:
            out[i] = choose(head, keys[seen] @ queries[i], start + i, n) @ values[seen]
    return out


def normalised(norm, stream, names):
    x = stream[:, [names.index(c) for c in norm.reads]]
    if norm.projection is not None:
        x = x @ array(norm.projection).T
    centred = x - x.mean(axis=1, keepdims=True)
    below = np.sqrt((centred**2).mean(axis=1, keepdims=True) + number(norm.epsilon))
    return centred / below * array(norm.gain)[:, 0] + array(norm.bias)[:, 0]


def whole(norm, stream, names):
    """A norm over the whole stream, its columns in the order of `names`."""
    out = np.empty_like(stream)
    out[:, [names.index(c) for c in norm.writes]] = normalised(norm, stream, names)
    return out


def passed(model, stream):
    """The stream after the last layer and the final norm."""
    names, stream = list(model.space), stream.copy()
    for layer in model.layers:
        for block, norms in layer.blocks():
            view, seen = stream, names
            if layer.placement not in ("none", "post"):
                seen = [c for norm in norms for c in norm.writes]
                view = np.concatenate([normalised(norm, stream, names) for norm in norms], axis=1)
            added = np.zeros_like(stream)
            if isinstance(block, FeedForward):
                x = view[:, [seen.index(c) for c in block.reads]]
                inside = np.maximum(x @ array(block.W1).T + array(block.b1)[:, 0], 0)
                added[:, [names.index(c) for c in block.writes]] = inside @ array(block.W2).T + array(block.b2)[:, 0]
            else:
                for head in block.heads:
                    added[:, [names.index(c) for c in head.writes]] += attended(head, view, seen, model.embedding.start)
            stream = stream + added
            if layer.placement == "post":
                stream = whole(norms[0], stream, names)
    return stream if model.final_norm is None else whole(model.final_norm, stream, names)


def embedded(model, word):
    """The stream before the first layer for a word of typed symbols."""
    embedding, names = model.embedding, list(model.space)
    tokens = [t for t in (embedding.before, *word, embedding.after) if t is not None]
    stream = np.zeros((len(tokens), len(names)))
    for k, token in enumerate(tokens):
        for c, value in embedding.words[token].items():
            stream[k, names.index(c)] += number(value)
        for c, value in embedding.positions.items():
            stream[k, names.index(c)] += at(value, embedding.start + k, len(tokens))
    return stream


# --- Random models ----------------------------------------------------------------------------------------------------


def entry(rng):
    return F(rng.randint(-6, 6), rng.choice([1, 2, 3, 4]))


def matrix(rng, rows, columns):
    return [[entry(rng) for _ in range(columns)] for _ in range(rows)]


def some(rng, names, least=1):
    return tuple(sorted(rng.sample(list(names), rng.randint(min(least, len(names)), len(names)))))


def head(rng, view, space, kind):
    reads = some(rng, view, 2)
    if kind == "hard" and "p" in view and "p" not in reads:
        reads = (*reads, "p")
    keys, writes = rng.randint(1, 2), some(rng, space)
    Q, K = matrix(rng, keys, len(reads)), matrix(rng, keys, len(reads))
    if kind == "uniform":
        Q = [[F(0)] * len(reads) for _ in range(keys)]
    weighting = rng.choice(["average", "leftmost", "rightmost"]) if kind == "hard" else kind
    return Head(
        reads,
        writes,
        Q=Q,
        K=K,
        V=matrix(rng, len(writes), len(reads)),
        mask=rng.choice(list(MASKS)),
        weighting="average" if kind == "uniform" else weighting,
        temperature=rng.choice(TEMPERATURES),
        scale=rng.choice([1, "1/sqrt(d_key)"]),
    )


def network(rng, view, space):
    reads, writes, hidden = some(rng, view), some(rng, space), rng.randint(1, 3)
    return FeedForward(
        reads,
        writes,
        W1=matrix(rng, hidden, len(reads)),
        b1=matrix(rng, hidden, 1),
        W2=matrix(rng, len(writes), hidden),
        b2=matrix(rng, len(writes), 1),
    )


def norm(rng, reads, writes=None):
    projection = None if writes is None else matrix(rng, len(writes), len(reads))
    size = len(reads if writes is None else writes)
    return LayerNorm(
        reads,
        writes or (),
        gain=matrix(rng, size, 1),
        bias=matrix(rng, size, 1),
        epsilon=F(1, rng.choice([1, 2, 4, 16])),
        projection=projection,
    )


def layer(rng, space, kinds):
    norms_too = ["post"] if "hard" in kinds else ["post", "pre", "projected pre", "multi pre"]  # a gap needs rationals
    placement = rng.choice(["none"] * 4 + norms_too)
    view, norms = space, [(), ()]
    parts = rng.choice(["both", "attention", "attention", "network"])
    if placement in ("post", "pre"):
        norms = [(norm(rng, space),), (norm(rng, space),)]
    elif placement != "none":
        groups = [("u", "v")] if placement == "projected pre" else [("u",), ("v", "r")]
        view = tuple(c for group in groups for c in group)
        norms = [tuple(norm(rng, some(rng, space, 2), group) for group in groups) for _ in range(2)]
    heads = tuple(head(rng, view, space, rng.choice(kinds)) for _ in range(rng.randint(1, 2)))
    attends, feeds = parts != "network", parts != "attention"
    return Layer(
        SelfAttention(heads) if attends else None,
        network(rng, view, space) if feeds else None,
        norms[0] if attends else (),
        norms[1] if feeds else (),
        placement,
    )


def made(seed):
    """A model, a length, and a seeded generator for what else is chosen."""
    rng = random.Random(seed)
    space = (*"abcd"[: rng.randint(2, 4)], "p")
    letters, extra = "xyz"[: rng.randint(1, 3)], rng.choice([(), (), ("BOS",), ("EOS",), ("BOS", "EOS")])
    words = {t: {c: entry(rng) for c in some(rng, space, 0)} for t in (*letters, *extra)}
    positions = {"p": rng.choice(["i", "1/i", "i/n", "i*i"])} | rng.choice([{}, {"a": "1"}, {"a": "1/n"}])
    embedding = Embedding(
        Space(space),
        words=words,
        positions=positions,
        before="BOS" if "BOS" in extra else None,
        after="EOS" if "EOS" in extra else None,
    )
    kinds = rng.choice([["hard"], ["hard", "uniform"], ["softmax"], ["softmax", "uniform"], ["hard", "softmax"]])
    layers = tuple(layer(rng, space, kinds) for _ in range(rng.choice([1, 1, 2])))
    final = norm(rng, space) if rng.random() < 0.1 else None
    return (
        Transformer(f"random {seed}", embedding, layers, Readout("value", "last", (space[0],)), final_norm=final),
        rng.randint(1, 4),
        rng,
    )


# --- The attack -------------------------------------------------------------------------------------------------------


def bounded(model, length, rng, **options):
    """A bound and its delta, the first that is not refused as too large; or the refusal."""
    delta = F(rng.randint(1, 9), 10 ** rng.randint(0, 2))
    for _ in range(14):
        try:
            return error_propagation(model, delta, n=length, digits=15, **options), delta
        except BadInput as error:
            if "smaller delta" not in str(error):
                return str(error.must), None
            delta *= F(2, 5)
    return "delta stays too large", None


def changes(rng, shape, delta):
    """A change of L1 norm delta at each position: one coordinate, all of them, or one position alone."""
    change = np.zeros(shape)
    for i in range(shape[0]):
        if rng.random() < 0.8:
            chosen = rng.sample(range(shape[1]), rng.choice([1, 1, 2, shape[1]]))
            shares = [rng.choice([-1, 1]) * rng.random() for _ in chosen]
            change[i, chosen] = np.array(shares) / max(sum(map(abs, shares)), 1e-9) * delta
    return change


def reached(model, length, delta, rng, words=3, tries=12, climbs=8):
    """The greatest change after the last layer that a search finds."""
    best = 0.0
    for _ in range(words):
        start = embedded(model, [rng.choice(model.alphabet) for _ in range(length)])
        clean = passed(model, start)

        def grown(change, start=start, clean=clean):
            return float(np.abs(passed(model, start + change) - clean).sum(axis=1).max())

        found = [changes(rng, start.shape, delta) for _ in range(tries)]
        top = max(found, key=grown)
        for _ in range(climbs):
            mixed = changes(rng, start.shape, delta)
            rows = [i for i in range(len(start)) if rng.random() < 0.5]
            mixed[rows] = top[rows]
            top = max(top, mixed, key=grown)
        best = max(best, grown(top))
    return best


def attack(seed, **options):
    """What one model came to: ("exceeded" or "kept", bound, reached), or ("refused", why)."""
    model, length, rng = made(seed)
    found, delta = bounded(model, length, rng, **options)
    if delta is None:
        return "refused", found, None
    value = float(found.value.mid) + float(found.value.rad)
    most = reached(model, length, float(delta), rng)
    kept = most <= value * (1 + CLOSE) + CLOSE * 1e-3
    return "kept" if kept else "exceeded", value, most


def kinds(model):
    for one in model.layers:
        yield f"{one.placement} norm" if one.placement != "none" else "no norm"
        for block, _ in one.blocks():
            if isinstance(block, FeedForward):
                yield "feed-forward"
            else:
                yield f"{len(block.heads)} heads"
                for h in block.heads:
                    yield "uniform" if h.uniform else h.weighting if h.weighting == "softmax" else "hard"
    if model.final_norm is not None:
        yield "final norm"
    if model.embedding.added:
        yield "added tokens"


def main(count=1000, first=0):
    outcomes, parts, refusals, tight, wrong = Counter(), Counter(), Counter(), [], []
    for seed in range(first, first + count):
        outcome, value, most = attack(seed)
        outcomes[outcome] += 1
        if outcome == "refused":
            refusals[value.split(" of random")[0][:70]] += 1
            continue
        parts.update(set(kinds(made(seed)[0])))
        if value:
            tight.append(most / value)
        if outcome == "exceeded":
            wrong.append(seed)
            print(f"seed {seed}: {most} is above the bound {value}")
    print(dict(outcomes), dict(parts), dict(refusals), sep="\n")
    tight.sort()
    print("reached of the bound:", [round(float(q), 3) for q in np.quantile(tight, [0.1, 0.5, 0.9, 1])])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
