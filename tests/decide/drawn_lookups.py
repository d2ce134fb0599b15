"""Drawn models that look up positions, and position functions that repeat: the automaton of `decide` beside exact runs
of all short strings. A script: python tests/decide/drawn_lookups.py [SEEDS] [FIRST]."""

from __future__ import annotations

import itertools
import random
import sys
from typing import Any

import symcook as sc

PLACES = (
    "mod(i, 2)", "mod(n - i, 3)", "cos(pi*i)", "cos(2*pi*i/3)", "sin(pi*(n - i)/2)", "sign(i - 2)", "(-1)^(n - i)",
    "mod(i^2, 3)", "I[i = 2]", "mod(2*i + 1, 4) - mod(i, 2)", "mod(i/3, 1)",
)  # fmt: skip
MASKS = ("none", "future", "strict-future", "past", "strict-past")


def drawn(rng: random.Random) -> sc.Transformer:
    """Two lookups, the second of what the first reads, and a feed-forward step between them."""
    ends = {key: end for key, end in (("before", "^"), ("after", "$")) if rng.random() < 0.3}
    words: dict[str, Any] = {
        symbol: {"one": 1, "x": rng.choice((0, 1, -1)), "d": rng.choice((0, 1, 2)), "e": rng.choice((0, 1))}
        for symbol in ("a", "b", *ends.values())
    }
    b = sc.Builder(
        words=words, positions={"t": "i", "s": "i^2", "f": rng.choice(PLACES)}, start=rng.randrange(2), **ends
    )
    for k, value in ((1, "x"), (2, "v1")):
        if k == 2:
            b.add(sc.feedforward(h=rng.choice(("relu(x + f)", "relu(x + f) - relu(v1 - e)", "relu(f - v1)"))))
            value = rng.choice(("v1", "h"))
        scale, moving = rng.choice((1, 2, 3)), rng.choice((0, 1))
        constant = rng.choice((0, 1, -1, 2, -2))
        data = rng.choice(((), ("d",), ("e",), ("d", "e")))
        query = ({"t": 2 * scale} if moving else {}) | {"one": 2 * scale * constant}
        query |= {name: rng.choice((2, -2)) * scale for name in data}
        score: dict[tuple[str, str], Any] = {(name, "t"): weight for name, weight in query.items() if weight}
        score["one", "s"] = -scale
        head = sc.head(
            score=score, value={f"v{k}": value}, mask=rng.choice(MASKS),
            weighting=rng.choice(("average", "leftmost", "rightmost")),
        )  # fmt: skip
        b.add(head)
    b.add(sc.feedforward(hit=rng.choice(("relu(v2 + x)", "relu(v2 - v1)", "relu(v2 - h)", "relu(f + v2)"))))
    b.readout("sign", "last", b.add(sc.head(value={"m": "hit"}, mask="none")), weights=[1])
    return b.build("drawn")


def compared(model: sc.Transformer, longest: int) -> str:
    """Whether the automaton agrees with the runs on all strings up to a length."""
    automaton = model.decide().automaton
    if automaton is None:
        return f"refused: {model.decide().why}"
    for size in range(0 if any(model.embedding.ends) else 1, longest + 1):
        for word in itertools.product(model.alphabet, repeat=size):
            if size and automaton(word) != model.run(list(word)).accept:
                return f"wrong at {''.join(word)}"
    return "agrees"


if __name__ == "__main__":
    seeds, first = (int(x) for x in (*sys.argv[1:], *("200", "0")[len(sys.argv) - 1 :]))
    count: dict[str, int] = {}
    for seed in range(first, first + seeds):
        outcome = compared(drawn(random.Random(seed)), 5)
        kind = outcome.partition(":")[0].partition(" at")[0]
        if kind != "agrees":
            print(seed, outcome[:300], flush=True)
        count[kind] = count.get(kind, 0) + 1
    print(count)
