"""bound error in a type of floats alone: against all orders of a sum, and against the error model said once more.

Weights and words are numbers of the type, so that roundings are all that moves. The numbers below are pairs, the exact
one and what roundings on the way add up to at most; the words of `symcook.domains.rounding` say what each step adds.
"""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from families import together
from runtimes import Runtime

import symcook as sc
from symcook.bounds import error_propagation

F = Fraction
MP = mpmath.mp.clone()
MP.dps = 50
TYPES = {"float32": (24, -126, 128), "float16": (11, -14, 16), "bfloat16": (8, -126, 128)}
NAMES = ("a", "b", "c", "d")


def bound(model: sc.Transformer, dtype: str, n: int) -> mpmath.mpf:
    found = error_propagation(model, n=n, dtype=dtype).value
    return MP.mpf(found.mid) + MP.mpf(found.rad)


def model(*layers: sc.Layer, words: Any = None, positions: Any = None) -> sc.Transformer:
    embedding = sc.Embedding(
        sc.Space(NAMES), words=words or {"x": {"a": 1, "b": "3/2"}}, positions=positions or {}, start=1
    )
    return sc.Transformer("made", embedding, layers, sc.Readout("value", "last", NAMES))


def network(
    W1: Any, b1: Any, W2: Any, b2: Any, kind: str = "relu", reads: Any = ("a", "b"), writes: Any = ("c",)
) -> sc.Layer:
    return sc.Layer(None, sc.FeedForward(reads, writes, W1, b1, W2, b2, kind))


# --- All orders -------------------------------------------------------------------------------------------------------


def orders(terms: list[Fraction], runtime: Runtime) -> set[float]:
    """What a sum may come to: two of the terms at a time, whichever."""
    if len(terms) == 1:
        return {float(terms[0])}
    found: set[float] = set()
    for j, k in itertools.combinations(range(len(terms)), 2):
        rest = [t for i, t in enumerate(terms) if i not in (j, k)]
        found |= orders([*rest, F(runtime.round(float(terms[j] + terms[k])))], runtime)
    return found


@together("dtype", ["float16", "bfloat16"])
def test_a_sum_whose_exact_value_is_a_number_of_the_type(dtype: str) -> None:
    """(256 + 1) - 1 in bfloat16 is 255, since 257 is no number of it: what cancels in the end is lost on the way. In a
    network, in averages, and in a softmax with equal scores."""
    big = F(2) ** TYPES[dtype][0]
    for terms in (
        [big, F(1), F(-1)],
        [big, F(1), F(-1), F(0)],
        [F(1), F(1), F(2), F(-4)],
        [big / 2, F(3), F(-3), F(0)],
    ):
        words, k = {"x": {"a": 1}}, len(terms)
        exact, runtime = sum(terms, F(0)), Runtime(dtype)
        kept = [t for t in terms if t]
        worst = max(abs(F(total) - exact) for total in orders(kept, runtime))
        made = network([[1]] * k, [0] * k, [[str(t) for t in terms]], [0], reads=("a",))
        assert MP.mpf(worst.numerator) / worst.denominator <= bound(model(made, words=words), dtype, 1), terms
        if k != 4:  # the average of four is divided without rounding
            continue
        worst = max(abs(F(runtime.round(total / 4)) - exact / 4) for total in orders(kept, runtime))
        places = dict(zip(range(1, 5), terms, strict=True))
        at = " + ".join(f"({places[p]})*({q})" for p, q in LAGRANGE.items())
        for weighting in ("average", "softmax"):
            head = sc.Head(("a", "b"), ("c",), [[0, 1]], [[0, 1]], [[1, 0]], "none", weighting)
            plain = sc.Head(("a",), ("c",), [[0]], [[0]], [[1]], "none", weighting)
            for one in (head, plain):
                made = model(sc.Layer(one), words={"x": {"b": 1}}, positions={"a": at})
                assert MP.mpf(worst.numerator) / worst.denominator <= bound(made, dtype, 4), (terms, weighting)


LAGRANGE = {
    1: "(2 - i)*(3 - i)*(4 - i)/6",
    2: "(i - 1)*(3 - i)*(4 - i)/2",
    3: "(i - 1)*(i - 2)*(4 - i)/2",
    4: "(i - 1)*(i - 2)*(i - 3)/6",
}
"""Polynomials that are 1 at one of the positions 1 to 4, and 0 at the others."""
