"""Random models with hard attention, and the same models as plain loops over words: `python hard_models.py [MODELS]`
compares their automata with the loops on all words to length 7 (5 over three letters) and counts.

A model is drawn as plain numbers. `answers` goes by these alone, in loops that share nothing with symcook.
"""

from __future__ import annotations

import itertools
import math
import random
import sys
from fractions import Fraction
from typing import Any

import symcook as sc

PLACES = {
    "parity": ("(-1)^i", lambda i, n: (-1) ** i),
    "share": ("i/n", Fraction),
    "inverse": ("1/(i + 1)", lambda i, n: Fraction(1, i + 1)),
    "third": ("I[i = 3]", lambda i, n: int(i == 3)),
    "end": ("I[i = n]", lambda i, n: int(i == n)),
}
SEES = {
    "none": lambda i, j: True,
    "future": lambda i, j: j <= i,
    "strict-future": lambda i, j: j < i,
    "past": lambda i, j: j >= i,
    "strict-past": lambda i, j: j > i,
}


def drawn(rng: random.Random) -> dict[str, Any]:
    """A model as plain numbers."""
    letters = rng.choice(["ab", "ab", "abc"])
    before, after = rng.choice([None, None, "CLS"]), rng.choice([None, None, None, "EOS"])
    tokens = [*letters, *(t for t in (before, after) if t)]
    table = {t: {c: rng.randint(-1, 2) for c in ("t", "u")} for t in tokens}
    places = [name for name in PLACES if rng.random() < 0.35]
    known = ["t", "u", "one", *(name for name in places if name not in ("share", "inverse"))]
    order = [name for name in places if name in ("share", "inverse")][:1]
    layers = []

    def some(most: int = 2) -> dict[str, int]:
        return {c: rng.choice([-1, 1, 1, 2]) for c in rng.sample(known, min(len(known), rng.randint(1, most)))}

    for number in range(rng.randint(1, 3)):
        heads = []
        for k in range(rng.randint(1, 2)):
            d = rng.choice([0, 1, 1, 2])
            keys = [some() for _ in range(d)]
            if order and keys and rng.random() < 0.5:
                keys[0][order[0]] = rng.choice([-1, 1, Fraction(1, 2), Fraction(-1, 2)])
            heads.append(
                {
                    "mask": rng.choice(list(SEES)),
                    "weighting": rng.choice(["leftmost", "rightmost", "leftmost", "rightmost", "average", "softmax"]),
                    "Q": [some() for _ in range(d)],
                    "K": keys,
                    "V": some(),
                    "writes": f"h{number}{k}" if rng.random() < 0.8 else "t",
                }
            )
        known = list(dict.fromkeys([*known, *(head["writes"] for head in heads)]))
        units = None
        if rng.random() < 0.7:
            units = [(some(3), rng.randint(-2, 1), rng.choice([-1, 1])) for _ in range(rng.randint(1, 2))]
        layers.append({"heads": heads, "units": units, "act": rng.choice(["relu", "step"]), "writes": f"f{number}"})
        if units:
            known.append(f"f{number}")
    kind = rng.choice(["sign", "zero", "largest"])
    reads = rng.sample(known, min(2, len(known)))
    rows = [[rng.choice([-1, 1, 2]) for _ in reads] for _ in range({"sign": 1, "zero": 0, "largest": 3}[kind])]
    position = rng.choice(["first", "last", "last", "each" if not before and not after else "last"])
    if kind != "largest" and rng.random() < 0.3:
        position = "all"
    return {
        "letters": letters, "before": before, "after": after, "table": table, "places": places, "layers": layers,
        "kind": kind, "reads": reads, "rows": rows, "position": position, "start": rng.choice([0, 1]),
        "names": [*known, *order],
    }  # fmt: skip


def model(spec: dict[str, Any]) -> sc.Transformer:
    """The same as a model."""
    space = sc.Space(tuple(spec["names"]))
    positions: dict[str, Any] = {"one": 1} | {name: PLACES[name][0] for name in spec["places"] if name in spec["names"]}
    embedding = sc.Embedding(
        space, words=spec["table"], positions=positions, start=spec["start"], before=spec["before"], after=spec["after"]
    )
    layers = []
    for layer in spec["layers"]:
        heads = []
        for h in layer["heads"]:
            reads = sorted({c for row in (*h["Q"], *h["K"], h["V"]) for c in row})
            matrix = lambda rows, reads=reads: [[row.get(c, 0) for c in reads] for row in rows]  # noqa: E731
            heads.append(
                sc.Head(
                    reads, (h["writes"],), matrix(h["Q"]), matrix(h["K"]), matrix([h["V"]]), h["mask"], h["weighting"]
                )
            )
        part = None
        if layer["units"]:
            reads = sorted({c for row, _, _ in layer["units"] for c in row})
            part = sc.FeedForward(
                reads, (layer["writes"],), [[row.get(c, 0) for c in reads] for row, _, _ in layer["units"]],
                [b for _, b, _ in layer["units"]], [[w for _, _, w in layer["units"]]], [0], layer["act"],
            )  # fmt: skip
        layers.append(sc.Layer(sc.SelfAttention(tuple(heads)), part))
    labels = ("x", "y", "z") if spec["kind"] == "largest" else ()
    readout = sc.Readout(spec["kind"], spec["position"], tuple(spec["reads"]), spec["rows"] or None, labels)
    return sc.Transformer("drawn", embedding, tuple(layers), readout)


def _row(weights: dict[str, Any], x: dict[str, Any]) -> Any:
    return sum(w * x[c] for c, w in weights.items())


def answers(spec: dict[str, Any], word: str) -> list[Any]:
    """The answer of the model to a word (at each position for each), by loops."""
    tokens = [t for t in (spec["before"], *word, spec["after"]) if t]
    n = len(tokens)
    stream = []
    for place, token in enumerate(tokens):
        x = dict.fromkeys(spec["names"], 0) | spec["table"][token] | {"one": 1}
        for name in spec["places"]:
            x[name] = PLACES[name][1](place + spec["start"], n)
        stream.append(x)
    for layer in spec["layers"]:
        new = [dict(x) for x in stream]
        for h in layer["heads"]:
            for i, x in enumerate(stream):
                seen = [j for j in range(n) if SEES[h["mask"]](i, j)]
                if not seen:
                    continue
                query = [_row(q, x) for q in h["Q"]]
                scores = {j: sum(q * _row(k, stream[j]) for q, k in zip(query, h["K"], strict=True)) for j in seen}
                values = {j: _row(h["V"], stream[j]) for j in seen}
                if any(map(math.isnan, scores.values())):
                    new[i][h["writes"]] = math.nan
                    continue
                top = max(scores.values())
                best = [j for j in seen if scores[j] == top]
                if h["weighting"] == "softmax":
                    best = seen
                    if len(set(scores.values())) > 1 and len(set(values.values())) > 1:
                        new[i][h["writes"]] = math.nan  # no automaton may depend on it
                        continue
                if h["weighting"] in ("leftmost", "rightmost"):
                    got = values[best[0 if h["weighting"] == "leftmost" else -1]]
                else:
                    got = sum(values[j] for j in best) * Fraction(1, len(best))
                new[i][h["writes"]] += got
        stream = new
        if layer["units"]:
            for x in stream:
                units = []
                for row, bias, _ in layer["units"]:
                    a = _row(row, x) + bias
                    units.append(a if math.isnan(a) else max(0, a) if layer["act"] == "relu" else int(a > 0))
                x[layer["writes"]] += sum(w * u for (_, _, w), u in zip(layer["units"], units, strict=True))
    found: list[Any] = []
    for x in stream:
        values = [x[c] for c in spec["reads"]]
        assert not any(map(math.isnan, values))
        if spec["kind"] == "zero":
            found.append(all(v == 0 for v in values))
            continue
        scores = [sum(w * v for w, v in zip(row, values, strict=True)) for row in spec["rows"]]
        found.append(scores[0] > 0 if spec["kind"] == "sign" else "xyz"[scores.index(max(scores))])
    if spec["position"] == "each":
        return found
    return [all(found) if spec["position"] == "all" else found[0 if spec["position"] == "first" else -1]]


def words(spec: dict[str, Any]) -> list[str]:
    """The words of one model: to length 7 over two letters, 5 over three, and the empty one where it is an input."""
    least = 0 if spec["before"] or spec["after"] else 1
    longest = 7 if len(spec["letters"]) == 2 else 5
    return ["".join(w) for n in range(least, longest + 1) for w in itertools.product(spec["letters"], repeat=n)]


def compared(spec: dict[str, Any]) -> str:
    """ "agrees", "refused: why", or "wrong at word"."""
    from symcook.decide.finite import Finite, Missing, OutOfReach

    try:
        found = Finite(model(spec)).automaton()
    except (OutOfReach, Missing) as error:
        return f"refused: {error}"
    for word in words(spec):
        expected = answers(spec, word)
        got = [found(word[:end]) for end in range(1, len(word) + 1)] if spec["position"] == "each" else [found(word)]
        if got != expected:
            return f"wrong at {word}: {got}, {expected}"
    return "agrees"


if __name__ == "__main__":
    count: dict[str, int] = {}
    for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2000):
        outcome = compared(drawn(random.Random(seed)))
        kind = outcome.partition(":")[0] if outcome.startswith("refused") else outcome.partition(" at")[0]
        for why in (
            ("an average", "a softmax", "outweigh", "infinitely many", "periodic", "after it")
            if kind == "refused"
            else ()
        ):
            kind = f"refused: {why}" if why in outcome else kind
        count[kind] = count.get(kind, 0) + 1
        if kind == "wrong":
            print(seed, outcome, flush=True)
    print(count)
