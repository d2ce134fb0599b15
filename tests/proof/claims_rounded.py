"""Claims of merrill2024 about operations over D_p: a head whose operations are truncated to p bits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proof.adequacy import adequate, column

F = Fraction


def truncated(x: F, p: int) -> F:
    """The first p bits of a number."""
    if x == 0:
        return x
    power = F(2) ** (math.floor(math.log2(abs(x))) + 1 - p)
    return F(math.floor(abs(x) / power)) * power * (1 if x > 0 else -1)


def root(x: F, p: int) -> F:
    """A square root, truncated."""
    scale = 4 ** (2 * p + 8)
    return truncated(F(math.isqrt(math.floor(x * scale)), math.isqrt(scale)), p)


def total(terms: list[F], p: int) -> F:
    found = F(0)
    for term in terms:
        found = truncated(found + term, p)
    return found


def hashed(x: F, y: F, p: int) -> tuple[F, F, F, list[F]]:
    """The layer norm of (x, y, -x, -y): mean, variance, deviation, entries."""
    entries = [x, y, -x, -y]
    mean = truncated(total(entries, p) / 4, p)
    parts = [truncated(e - mean, p) for e in entries]
    variance = truncated(total([truncated(e * e, p) for e in parts], p) / 4, p)
    deviation = root(variance, p)
    return mean, variance, deviation, [truncated(e / deviation, p) for e in parts]


def lookup(query: list[int], value: list[F], p: int) -> dict[str, dict[Any, F]]:
    """What a head of the printed hashes holds, for queries (q, 1) and keys (1, 1/j)."""
    n = len(query)
    inverse = [truncated(F(1, j), p) for j in range(1, n + 1)]
    asked = [hashed(F(q), F(1), p) for q in query]
    keys = [hashed(F(1), one, p) for one in inverse]
    score = {
        (i, j): total([truncated(a * b, p) for a, b in zip(asked[i - 1][3], keys[j - 1][3], strict=True)], p)
        for i in range(1, n + 1)
        for j in range(1, n + 1)
    }
    found = []
    for i in range(1, n + 1):
        best = [j for j in range(1, n + 1) if all(score[i, k] <= score[i, j] for k in range(1, n + 1))]
        found.append(truncated(total([value[j - 1] for j in best], p) / len(best), p))
    names = {"query": query, "value": value, "one": [1] * n, "inverse": inverse, "found": found}
    for stem, norms in (("a", asked), ("b", keys)):
        tail = "" if stem == "a" else "_"
        names |= {f"{name}{tail}": [one[k] for one in norms] for k, name in enumerate(("mu1", "under", "dev1"))}
        held = "query" if stem == "a" else "at"
        for c in range(4):
            names[f"y1_{stem}{c + 1}"] = names[f"{held}{c + 1}"] = [one[3][c] for one in norms]
    return {f"{name}()": column(entries) for name, entries in names.items()} | {"score()": score}


def lookups() -> Iterator[dict[str, Any]]:
    """With enough bits, and with so few that a neighbour has the same score."""
    for query, p in (
        ([1], 11), ([1], 12), ([2, 1], 15), ([2, 2], 16), ([1, 3, 2], 18), ([3, 3, 3], 24), ([4, 1, 2, 3], 19),
        ([1], 10), ([2, 1], 14), ([6] * 6, 4), ([5, 6] * 3, 5),
    ):  # fmt: skip
        values = [F(2 * k + 1, 3) for k in range(len(query))]
        run = lookup(query, values, p)
        for a in (1, len(query)):
            for q in {query[a - 1], 1}:
                named = {"n": F(len(query)), "p": F(p), "u": F(2, 2**p), "a": F(a), "q": F(q)}
                yield run | named


@adequate(
    "merrill2024.s3.1.precision",
    at=lookups(),
    misses=[
        ("pow(1/(1 - u), 3) - 1", "pow(1/(1 - u), 0) - 1"),
        ("found(a) - value(q)", "found(a) - value(1) - 1"),
        ("+ 11 <= p", "- 11 <= p"),
    ],
)
def found_over_few_bits(instance: Any) -> bool | None:
    """4 log2(n) + 11 bits retrieve the value of the position that is asked for, up to truncations of the answer."""
    n, p, a, q = (int(instance[name]) for name in ("n", "p", "a", "q"))
    if instance["query()"][a] != q or 2 ** (p - 11) < n**4:
        return None
    value, found = instance["value()"][q], instance["found()"][a]
    return abs(found - value) * 2**p <= 3 * 2 * abs(value) * 2
