"""Models that the questions are asked about, and what plain loops say of their words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import dense
import mpmath

import symcook as sc


def induction() -> sc.Transformer:
    """Accept iff what stood behind earlier places with the last symbol's token was mostly 1, by two hard heads: one
    takes the token before, by scores that peak there, the other averages where it is the own one."""
    names = ("zero", "one", "place", "square", "unit", "zero_before", "one_before", "found")
    words = {"0": {"zero": 1, "unit": 1}, "1": {"one": 1, "unit": 1}}
    embedding = sc.Embedding(sc.Space(names), words=words, positions={"place": "i", "square": "i^2"})
    before = sc.Head(
        ("zero", "one", "place", "square", "unit"),
        ("zero_before", "one_before"),
        Q=[[0, 0, 2, 0, -2], [0, 0, 0, 0, -1]],
        K=[[0, 0, 1, 0, 0], [0, 0, 0, 1, 0]],
        V=[[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]],
        mask="future",
    )
    match = sc.Head(
        ("zero", "one", "zero_before", "one_before"),
        ("found",),
        Q=[[1, 0, 0, 0], [0, 1, 0, 0]],
        K=[[0, 0, 1, 0], [0, 0, 0, 1]],
        V=[[-1, 1, 0, 0]],
        mask="strict-future",
    )
    readout = sc.Readout("sign", "last", ("found", "unit"), weights=[[1, "-1/7"]])
    return sc.Transformer("induction", embedding, (sc.Layer(before), sc.Layer(match)), readout)


def last_symbol(weighting: str = "average") -> sc.Transformer:
    """Accept iff the last symbol is 1, by hard attention with the scores j/2."""
    names = ("zero", "one", "place", "unit", "found")
    words = {"0": {"zero": 1, "unit": 1}, "1": {"one": 1, "unit": 1}}
    embedding = sc.Embedding(sc.Space(names), words=words, positions={"place": "i"})
    reads = ("zero", "one", "place", "unit")
    head = sc.Head(reads, ("found",), [[0, 0, 0, 1]], [[0, 0, "1/2", 0]], [[-1, 1, 0, 0]], weighting=weighting)
    readout = sc.Readout("sign", "last", ("found",), weights=[[1]])
    return sc.Transformer("last symbol", embedding, (sc.Layer(head),), readout)


def words(letters: Any, n: int) -> Iterator[tuple[str, ...]]:
    """Every word of a length."""
    yield from itertools.product(letters, repeat=n)


def shown(model: sc.Transformer, word: Any, number: Any) -> tuple[dict[str, Any], Any]:
    """What the readout sees and says of a word, by the dense pass."""
    found = dense.read(model, dense.typed(model, word), number)
    return found[0 if model.readout.position == "first" else -1]


def dyck(word: Any) -> Fraction | None:
    """The greater of |total| and |balance| of dyck-1, from the Cookbook's Section 9.2.1; None where both are 0."""
    height, errors = 0, Fraction(0)
    for i, token in enumerate(word, 1):
        height += 1 if token == "(" else -1
        errors += max(Fraction(0), -Fraction(height, i))
    size = max(errors / len(word), abs(Fraction(height, len(word))))
    return size or None


def parity(word: Any, c: Any = 1) -> Any:
    """The logit of PARITY in mpmath: Section 3.2 of chiang2022, position by position."""
    n = len(word) + 1
    ones = mpmath.mpf(sum(token == "1" for token in word)) / n
    hit = [
        max(0, ones - mpmath.mpf(i + 1) / n)
        - 2 * max(0, ones - mpmath.mpf(i) / n)
        + max(0, ones - mpmath.mpf(i - 1) / n)
        for i in range(n)
    ]
    rising = [mpmath.exp(c * (-1) ** i) for i in range(n)]
    falling = [mpmath.exp(-c * (-1) ** i) for i in range(n)]
    odd = sum(w * h for w, h in zip(falling, hit, strict=True)) / sum(falling)
    even = sum(w * h for w, h in zip(rising, hit, strict=True)) / sum(rising)
    return odd - even


def first(word: Any, flawed: bool = False) -> Any:
    """The logit of FIRST in mpmath, Section 3.3, or of the flawed one, Section 5.2."""
    n, e = len(word) + 1, mpmath.e
    values = [mpmath.mpf(1) / 2 if token == "1" else -mpmath.mpf(1) / 2 for token in word]
    if not values:
        return -mpmath.mpf(1) / 2 if flawed else mpmath.mpf(0)
    if not flawed:
        return e / (e + n - 1) * values[0]
    return (e * values[0] + sum(values[1:]) - mpmath.mpf(1) / 2) / (e + n - 1)
