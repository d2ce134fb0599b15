"""Sinusoidal encodings and counting with them (the Cookbook's Section 3.5.2): claims written from the paper's words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from proof.adequacy import ODD, adequate, column
from proof.paper import at_most, same
from proof.statement_truth import CONTEXT, real

F = Fraction
TURN = 2 * CONTEXT.pi


def angle(i: Any, c: int, d: int, M: Any) -> Any:
    """i/M^(2c/d)."""
    return real(i) / CONTEXT.power(real(M), CONTEXT.mpf(2 * c) / d)


def encoding(i: int, d: int, M: Any) -> list[Any]:
    """pe(i, 0) to pe(i, d - 1): cosines at 2c, sines at 2c + 1."""
    return [f(angle(i, c, d, M)) for c in range(d // 2) for f in (CONTEXT.cos, CONTEXT.sin)]


def encoded() -> Iterator[dict[str, Any]]:
    for n in range(5):
        rows = [encoding(i, 4, 10000) for i in range(1, n + 1)]
        columns = {f"pe_{k}()": [{i: row[k] for i, row in enumerate(rows, 1)}] for k in range(4)}
        if n:
            columns["pe_2()"].append({i: x + real(ODD) for i, x in columns["pe_2()"][0].items()})
        yield {
            "n": F(n),
            **columns,
            "d": [F(2), F(4), F(6), F(0)],
            "c": [F(0), F(1), F(2), F(-1)],
            "M": [F(10000), F(1), F(3, 2), F(1, 50)],
            "i": [F(0), F(1), F(7)],
            "k": [F(0), F(3), F(-2)],
        }


@adequate(
    "s3.5.2.sinusoidal",
    at=encoded(),
    misses=[
        ("- sin(k)*pe_1(i)", "+ sin(k)*pe_1(i)"),
        ("sin(k/100)*pe_2(i)", "sin(k)*pe_2(i)"),
        ("pe_2(i)^2 + pe_3(i)^2 = 1", "pe_2(i)^2 + pe_1(i)^2 = 1"),
        ("= 100)", "= 10)"),
        ("all m in 1..6", "all m in 0..6"),
        ("< 1))", "< 0))"),
        ("- sinusoid(k, c, d, M)*sinusoid(i, c, d, M)", "+ sinusoid(k, c, d, M)*sinusoid(i, c, d, M)"),
        ("= sinusoid(k, c, d, M)*", "= -sinusoid(k, c, d, M)*"),
    ],
)
def rotations(v: Any) -> bool:
    """Each pair of pe(i + k) is that of pe(i), as a complex number, times that of the angle of k."""
    pairs = [(2, 0), (4, 0), (4, 1), (6, 2)]
    for (d, c), M in itertools.product(pairs, (10000, 1, F(3, 2))):
        for i in range(6):
            here = CONTEXT.mpc(*encoding(i, d, M)[2 * c : 2 * c + 2])
            for k in range(-2, 4):
                there = CONTEXT.mpc(*encoding(i + k, d, M)[2 * c : 2 * c + 2])
                turned = here * CONTEXT.expj(angle(k, c, d, M))
                if not (same(there.real, turned.real) and same(there.imag, turned.imag) and same(abs(there), 1)):
                    return False
        if any(CONTEXT.cos(angle(m, c, d, M)) >= 1 for m in range(1, 7)):
            return False
    return True


def looked_up(word: list[int], m: int) -> dict[str, dict[int, Any]]:
    """The columns of the counting model on a word with BOS (2) before it, position by position."""
    columns: dict[str, dict[int, Any]] = {name: {} for name in NAMES}
    for i in range(len(word)):
        point = CONTEXT.expj(TURN * i / m)
        hits, begins = ([int(a == b) for a in word[: i + 1]] for b in (0, 2))
        share, inverse = F(sum(hits), i + 1), F(sum(begins), i + 1)
        scores = [2 * share * j - inverse * j * j for j in range(i + 1)]
        best = [CONTEXT.expj(TURN * j / m) for j in range(i + 1) if scores[j] == max(scores)]
        found = sum(best, CONTEXT.mpc(0)) / len(best)
        own = (begins[-1], hits[-1], i, i * i)
        values = (*map(F, own), point.real, point.imag, share, inverse, found.real, found.imag)
        for name, value in zip(NAMES, values, strict=True):
            columns[name][i] = value
    return columns


NAMES = ("begin", "hit", "index", "square", "cosine", "sine", "share", "inverse", "cosines", "sines")


def of_modulus(name: str, word: list[int]) -> Callable[[Mapping[str, Any]], Any]:
    """The values of a column, for m = 2 where no modulus is bound."""

    def offer(bound: Mapping[str, Any]) -> list[dict[int, Any]]:
        right = looked_up(word, int(bound["m"]) if bound.get("m") else 2)[name]
        return [right, {i: real(x) + real(ODD) for i, x in right.items()}] if name == "share" else [right]

    return offer


def counted() -> Iterator[dict[str, Any]]:
    for word in ([2], [2, 0], [2, 1], [2, 0, 0], [2, 0, 1, 0, 0], [2, 1, 0, 0, 0, 0], [], [0, 0], [2, 2], [2, 3]):
        yield {
            "n": F(len(word)),
            "m": [F(m) for m in range(4)],
            "w()": column(word, 0),
            **{f"{name}()": of_modulus(name, word) for name in NAMES},
            "r": [F(r) for r in range(-1, 5)],
            "q": [F(q) for q in range(-6, 8)],
            "i": [F(i) for i in (0, 1, 2, 5, -3)],
            "M": lambda bound: [CONTEXT.mpf(3), CONTEXT.power(7 * real(bound["m"]) / TURN, 2)],
            "P": lambda bound: [bound["m"], 7 * bound["m"]],
            "word": word,
        }


@adequate(
    "s3.5.2.parity",
    at=counted(),
    misses=[
        ("cosines(n - 1) < -cosines(n - 1)", "-cosines(n - 1) < cosines(n - 1)"),
        ("odd(sum(j, 1, n - 1,", "odd(sum(j, 1, n - 2,"),
        ("+ sin(2*pi*r/m)*sines(i) = 1)", "- sin(2*pi*r/m)*sines(i) = 1)"),
        ("+ sin(2*pi*r/m)*sines(i) = 1)", "+ sin(2*pi*r/m)*sines(i) = 0)"),
        ("= m*q + r) -> cos", "= m*q - r) -> cos"),
        ("-> 6 <=", "-> 9 <="),
        ("= sin(2*pi*i/P)", "= -sin(2*pi*i/P)"),
        ("= cos(2*pi*i/P)", "= sin(2*pi*i/P)"),
    ],
)
def residues(v: Any) -> bool:
    """The point that is read at the end is that of the count modulo m, so that no other residue has it, and a pair of
    an encoding as printed goes round in P positions, a multiple of m. Nothing is claimed of other words."""
    word = v["word"]
    if not word or word[0] != 2 or not set(word[1:]) <= {0, 1}:
        return True
    for m in (1, 2, 3):
        columns = looked_up(word, m)
        for i in range(len(word)):
            read = CONTEXT.mpc(columns["cosines"][i], columns["sines"][i])
            for r in range(m):
                product = (read * CONTEXT.expj(-TURN * r / m)).real
                is_it = word[1 : i + 1].count(0) % m == r
                if not (same(product, 1) if is_it else at_most(product, 1 - real(F(6, m * m)))):
                    return False
        M = CONTEXT.power(7 * m / TURN, 2)
        if M < 1 or not all(same(angle(i, 1, 4, M), TURN * i / (7 * m)) for i in range(5)):
            return False
    return (word.count(0) % 2 == 1) == (looked_up(word, 2)["cosines"][len(word) - 1] < 0)
