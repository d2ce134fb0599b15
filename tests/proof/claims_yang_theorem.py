"""Adequacy of Theorem 26 of yang2026, with one coordinate, from the paper's words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from proof.adequacy import adequate, column
from proof.claims_softmax import ahardmax, has_gap
from proof.paper import at_most, softmax
from proof.statement_truth import CONTEXT, real

F = Fraction

UNIFORM, SHARP = ((0, 0, 1), (1, F(-1, 2), 1, 0)), ((1, 1, 1), (0, 0, 0, 0))
"""(query, key, value), (W_1, b_1, W_2, b_2): uniform attention, and scores x_i x_j without a network."""


Attend = Callable[[list[Any]], list[Any]]


def one_layer(weights: Any, x: list[Any], attend: Attend, past: bool) -> tuple[list[Any], list[Any]]:
    """What attention and the whole layer make of one number a position, without a mask or with a past mask."""
    (q, k, value), (w1, b1, w2, b2) = weights
    c, out = [], []
    for i, own in enumerate(x):
        seen = x[i:] if past else x
        alpha = attend([q * own * k * other for other in seen])
        c.append(sum(a * value * other for a, other in zip(alpha, seen, strict=True)) + own)
        out.append(w2 * max(w1 * c[-1] + b1, 0 * c[-1]) + b2 + c[-1])
    return c, out


def runs(weights: Any, masks: str, x: list[Any], attend: Attend) -> list[list[list[Any]]]:
    """The activations and what attention leaves, by layer; layer 0 first. A layer has a past mask (p) or none (-)."""
    found = [[x], [x]]
    for mask in masks:
        c, x = one_layer(weights, x, attend, mask == "p")
        found[0].append(x)
        found[1].append(c)
    return found


def indexed(rows: list[list[Any]]) -> dict[tuple[int, int, int], Any]:
    return {(t, 1, i): x for t, row in enumerate(rows) for i, x in enumerate(row, 1)}


def word_of(env: Any) -> list[F]:
    return [env["we"][int(env["letter"][i]), 1] for i in range(1, int(env.get("n", env.get("m", 0))) + 1)]


def soft_with(tau: Any) -> Attend:
    return lambda scores: softmax([real(s) / real(tau) for s in scores])


def past(masks: str, layer: Any) -> bool:
    return masks[int(layer) - 1] == "p"


def theorems() -> Iterator[dict[str, Any]]:
    for weights, masks, gap, alpha in (
        (UNIFORM, "-", lambda m: F(m), F(1)),
        (UNIFORM, "-p", lambda m: F(1, 2), F(1)),
        (SHARP, "-", lambda m: F(1), F(1, 3)),
        (SHARP, "p", lambda m: F(1, 4), F(5)),
        (SHARP, "-", lambda m: F(2), F(1)),
        (UNIFORM, "p", lambda m: F(1, m), F(1, 2)),
    ):
        numbers = [*weights[0], *weights[1]]
        named = dict(zip(("Q()", "K()", "V()", "W()", "b()", "U()", "g()"), numbers, strict=True))
        fields = {
            name: {(t, 1) if name in ("b()", "g()") else (t, 1, 1): F(x) for t in (1, 2)} for name, x in named.items()
        }

        def cold(n: Any, gap: Any = gap) -> Any:
            n = int(n)
            return real(gap(n)) / (60 * (CONTEXT.log(real(n) / real(gap(n))) + (n == 1) or 1))

        def words_of(env: Any) -> list[Any]:
            return [column(w) for w in itertools.product((1, 2), repeat=int(env.get("n", env.get("m", 0))))]

        def hard(env: Any, part: int, weights: Any = weights, masks: str = masks) -> list[Any]:
            return [indexed(runs(weights, masks, word_of(env), ahardmax)[part])]

        def soft(env: Any, part: int, weights: Any = weights, masks: str = masks) -> list[Any]:
            return [indexed(runs(weights, masks, word_of(env), soft_with(env["tau"](env["n"])))[part])]

        yield fields | {
            "L": F(len(masks)),
            "d": F(1),
            "k": F(2),
            "p": F(1),
            "we()": {(1, 1): F(0), (2, 1): F(1)},
            "pe()": [lambda m, i, a: F(0)],
            "o()": [lambda m, t, i, masks=masks: (i - 1) * past(masks, t)],
            "w()": [lambda m, t, i, masks=masks: m - (i - 1) * past(masks, t)],
            "X()": [lambda m: F(1)],
            "gamma()": [gap],
            "eps()": [lambda m, alpha=alpha: alpha / m],
            "alpha": alpha,
            "beta": F(1),
            "m": [F(1), F(2)],
            "n": [F(1), F(2), F(3)],
            "letter()": words_of,
            "h()": lambda env, hard=hard: hard(env, 0),
            "c()": lambda env, hard=hard: hard(env, 1),
            "tau()": [cold],
            "C": [F(70)],
            "N": [F(1), F(2)],
            "v()": lambda env, soft=soft: soft(env, 0),
            "u()": lambda env, soft=soft: soft(env, 1),
            "is": (weights, masks, gap, alpha, cold),
        }


THEOREMS = tuple(theorems())


def theorem(v: Any, printed: bool) -> bool | None:
    weights, masks, gap, alpha, cold = v["is"]
    (q, k, _), _ = weights
    for m in (1, 2):
        for letters in itertools.product((0, 1), repeat=m):
            for mask, x in zip(masks, runs(weights, masks, [F(a) for a in letters], ahardmax)[0], strict=False):
                seen = [x[i:] if mask == "p" else x for i in range(m)]
                if not all(has_gap([q * own * k * e for e in row], gap(m)) for own, row in zip(x, seen, strict=True)):
                    return None
        if not printed and gap(m) > 1:
            return None
    if any(gap(n) >= n for n in (2, 3)):  # log(n x_max/gamma) is at most 0
        return False
    for n in (1, 2, 3):
        for letters in itertools.product((0, 1), repeat=n):
            x = [F(a) for a in letters]
            hard, soft = (runs(weights, masks, x, a)[0][-1] for a in (ahardmax, soft_with(cold(n))))
            if not all(at_most(abs(real(a) - real(b)), alpha / n) for a, b in zip(hard, soft, strict=True)):
                return False
    return all(at_most(1 / cold(n), 70 / gap(n) * CONTEXT.log(real(n) / real(gap(n)))) for n in (2, 3))


@adequate("yang2026.thm26", at=THEOREMS, false=True)
def theorem_printed(v: Any) -> bool | None:
    return theorem(v, True)


@adequate(
    "yang2026.thm26.corrected",
    at=THEOREMS,
    misses=[
        ("gamma(m) <= 1 & ", ""),
        ("<= C*(1/gamma(n)*log(n*X(n)/gamma(n)))", "<= C/999*(1/gamma(n)*log(n*X(n)/gamma(n)))"),
        ("<= eps(n)", "<= -eps(n)"),
        ("0 < tau(m)", "9 < tau(m)"),
    ],
)
def theorem_corrected(v: Any) -> bool | None:
    return theorem(v, False)
