"""Words merged into classes, with counts, against the same words one and all, in processor time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

from timing import Row, best, faster, same

from symcook.questions.margin import margin
from symcook.recipes import build, reference
from symcook.verify.findings import Check
from symcook.verify.merged import Merged, merged
from symcook.verify.sweep import check

SHORT = 10
"""All words to this length are run one and all."""
LINES = (
    ("dyck-1", range(100, 101), 0.05),
    ("dyck-1", range(1000, 1001), 1),
    ("dyck-1", range(1, 1001), 1.5),
    ("dyck-1-zero-one", range(1000, 1001), 4),
    ("parity", range(100, 101), 0.05),
    ("parity", range(1000, 1001), 1.5),
)
"""Recipes, lengths, and the seconds that are wanted."""


def accepted(name: str, n: int) -> int:
    """How many words of length n are members: a Catalan number, or half of them."""
    if name == "parity":
        return 2 ** (n - 1)
    return 0 if n % 2 else math.comb(n, n // 2) // (n // 2 + 1)


def sides(name: str, lengths: range, repeats: int = 1) -> tuple[float, float, Merged, Check]:
    """Seconds of both: the words of `lengths` merged, and all to `SHORT` one by one."""
    model = build(name)
    bound, fold = model.bind(), reference(name)
    return best(lambda: merged(bound, fold, lengths), lambda: check(model, fold, SHORT), repeats, time.process_time)


def rows() -> Iterator[Row]:
    for name, lengths, limit in LINES:
        ours, other, found, short = sides(name, lengths, 3)
        many = f"length {lengths[0]}" if len(lengths) == 1 else f"lengths {lengths[0]} to {lengths[-1]}"
        what = f"{name}, all words of {many} merged and counted, against those to length {SHORT} run one and all"
        right = all(count == (n, 2**n, accepted(name, n)) for n, count in zip(lengths, found.by_length, strict=True))
        same(right and found.wrong == 0 and short.holds is True, what)
        yield faster(what, ours, other, None, limit=limit)
    parity = build("parity")
    what = "margin parity to length 100, against to length 50"
    ours, other, long, short = best(lambda: margin(parity, 100), lambda: margin(parity, 50), 1, time.process_time)
    same([row["n"] for row in long.rows][:50] == [row["n"] for row in short.rows][:50], what)
    yield faster(what, ours, other, None, limit=2)
