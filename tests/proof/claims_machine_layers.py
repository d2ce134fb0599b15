"""How many layers know what is on the tapes: the printed layers on short walks, and a decoder of a machine."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from proof.adequacy import F, Shared, adequate, column
from proof.claims_machines import CASES, decoder, offered, wanted
from proof.claims_merrill import ROWS, TABLE, TIES, attend, dot, near, phi, same

BLANK = F(-1)
Walk = tuple[int, ...]
WALKS: list[tuple[tuple[int, ...], Walk, Walk]] = [
    ((7,), (0,), (0, 0, 1)),
    ((-1,), (0,), (0, 0, 1)),
    ((-1,), (0, 1), (0, 0, 1, 0)),
    ((-1, 5), (0,), (0, 0, 0, 1)),
    ((-1, 5), (0, 1), (0, 0, 0, 1, 2)),
    ((-1,), (0, 2), (0, 0, 0, 1)),
    ((-1,), (0,), (0, 0, 0)),
    ((-1,), (0,), (0, 2, 1)),
]
"""The input, where the input head stands from behind it on, and where another head does from token 0 on."""


def printed() -> Iterator[dict[str, Any]]:
    for symbols, cell, place in WALKS:
        n, i = len(symbols), len(place) - 1
        sigma = column(symbols) | {j: F(3 * j) for j in range(n + 1, i + 1)}
        mix = {j: F(1) if j <= n else F(cell[j - n - 1], j) for j in range(1, i + 1)}
        keys = [phi(mix[j], F(1, j)) for j in range(1, i + 1)]
        scores = [dot(keys[-1], key) - int(j > n) for j, key in enumerate(keys[:-1], 1)]
        best, found = attend(scores, keys[:-1])
        yield {
            "dif()": TABLE, "tie()": TIES, "k": ROWS["k"], "len": F(n), "i": F(i),
            "cell()": dict.fromkeys(range(n + 1), F(0)) | column(cell, n + 1),
            "place()": column(place, 0), "sigma()": sigma, "wrote()": column(range(5, 6 + i), 0), "blank0": BLANK,
            "p": [F(p) for p in range(-2, 6)],
            "tape()": {p: sigma[p + 1] if 0 <= p < n else BLANK for p in range(-3, 9)},
            "mix()": [mix, mix | {1: F(2)}], "weight()": {j: F(int(j - 1 in best), len(best)) for j in range(1, i)},
            "hash()": column(range(4)) | dict(enumerate(found, 1)), "walk": (symbols, cell, place),
            "read": (found, keys[-1], sum((sigma[j + 1] for j in best), F(0)) / len(best)),
        }  # fmt: skip


def contents() -> Iterator[dict[str, Any]]:
    """At each token behind a word, what the heads stand on, and at the last letter, whose column knows no letter."""
    for machine, word in CASES:
        steps = machine.run(word)
        tokens = [0, *word, *wanted(machine, steps.rows, [*steps.output, 0])]
        last = len(steps.rows)
        for taken in range(len(tokens) - len(word)):
            d, f = min(taken, last), max(taken - last, 0)
            heads = [head + f * (t == machine.output_tape) for t, head in enumerate(steps.heads[d])]
            symbols = [tape.get(head, 0) for tape, head in zip(steps.tapes[d], heads, strict=True)]
            known = symbols if taken else [0] * len(symbols)
            if 1 <= taken <= last:  # a head that stays finds $
                moves = machine.rows[steps.rows[d - 1] - 1][4]
                known = [known[0], *(one if move else 0 for one, move in zip(known[1:], moves[1:], strict=True))]
            given = tokens[: len(word) + taken + 1]
            v = decoder("merrill2024.thm2", "family-turing", machine, F(machine.first), given) | {
                "n": F(len(given)), "N": F(last), "m": F(len(word)), "d": F(d), "f": F(f), "steps": taken,
                "e": [F(e) for e in range(-2, 4)], **steps.instance(), "on": symbols, "right": True,
                **offered({"found": lambda t, c, known=known: F(int(known[int(t)] == c))}),
            }  # fmt: skip
            yield v
            yield v | {"found()": [lambda t, c: F(2)], "right": False}


def both() -> Iterator[dict[str, Any]]:
    return (walk | one for walk, one in zip(itertools.cycle(printed()), contents(), strict=False))


LAYERS = Shared(both)


@adequate("merrill2024.thm2.layers", at=LAYERS, false=True)
def the_printed_layers(v: Any) -> bool | None:
    """Symbols by the printed heads, beside tapes that are written step by step."""
    symbols, cell, place = v["walk"]
    i = len(place) - 1
    steps = [abs(a - b) for a, b in itertools.pairwise(cell)]
    if steps != [1] * (i - len(symbols) - 1) or max(abs(a - b) for a, b in itertools.pairwise(place)) > 1:
        return None
    if place[-1] == place[-2]:
        return None
    found, own, symbol = v["read"]
    content = dict(enumerate(symbols)).get(cell[-1], BLANK)
    keys = [phi(F(place[j], j), F(1, j)) for j in range(1, i + 1)]
    scores = [dot(keys[-1], key) - phi(TIES[j])[0] for j, key in enumerate(keys[:-1], 1)]
    _, out = attend(scores, [[*key, F(4 + j)] for j, key in enumerate(keys[:-1], 1)])
    visits = [j for j in range(1, i) if place[j] == place[i]]
    work = near(out[4], F(5 + visits[-1])) if visits else not same(out[:4], keys[-1])
    return near(symbol if same(found, own) else BLANK, content) and work


@adequate(
    "merrill2024.thm2.layers.corrected",
    at=LAYERS,
    misses=[
        ("found(t, c) = I[c = a(t, d, h(t, d) + I[t = K]*f)]", "found(t, c) = I[c = a(t, d, h(t, d))]"),
        ("found(t, c) = I[c = a(t, d, ", "found(t, c) = I[c = a(0, d, "),
        ("+ I[read(t, r) = a(t,", "+ I[read(t, r) = 1 - a(t,"),
        ("match(0 - 1, r, n - 1) = 0 &", "match(0, r, n - 1) = 0 &"),
        ("1 <= d + f &", "0 <= d + f &"),
        ("all r in 1..R. move(t, r) != 0)", "all r in 1..R. move(t, r) != 2)"),
    ],
)
def layer_by_layer(v: Any) -> bool | None:
    """Two layers know the symbol on tape 0, each further one that of the next tape, as do heads beside each other."""
    if not v["right"] or not v["steps"]:
        return None
    rows, tapes = range(1, int(v["R"][0]) + 1), range(1, int(v["K"][0]) + 1)
    if any(v["move()"][0](F(t), F(r)) == 0 for t in tapes for r in rows):  # of machines whose heads move
        return None
    match, read, found = v["match()"][0], v["read()"][0], v["found()"][0]
    i, known = v["n"] - 1, True
    for (t, symbol), r in itertools.product(enumerate(v["on"]), rows):
        more = match(F(t), F(r), i) - match(F(t - 1), F(r), i)
        known = known and near(more, int(read(F(t), F(r)) == symbol)) and match(F(-1), F(r), i) == 0
        known = known and all(found(F(t), F(c)) == int(c == symbol) for c in range(int(v["G"][0]) + 1))
    return known
