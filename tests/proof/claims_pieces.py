"""Appendix A of Yang et al. 2026 about networks of ReLU layers: how many pieces they have, and what rounding takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from proof.adequacy import ODD, F, adequate, column
from proof.statement_truth import CONTEXT, real


@dataclass(frozen=True)
class Network:
    """Layers of m units: weights from the input, of each layer after the first (a row a unit), biases, weights out."""

    first: Sequence[Any]
    later: Sequence[Sequence[Sequence[Any]]]
    biases: Sequence[Sequence[Any]]
    out: Sequence[Any]
    bias: Any

    def units(self, x: F) -> list[list[F]]:
        """The units of each layer on x."""
        found = [[max(F(w) * x + b, F(0)) for w, b in zip(self.first, self.biases[0], strict=True)]]
        for rows, offsets in zip(self.later, self.biases[1:], strict=True):
            sums = (sum((F(w) * u for w, u in zip(row, found[-1], strict=True)), F(0)) for row in rows)
            found.append([max(s + b, F(0)) for s, b in zip(sums, offsets, strict=True)])
        return found

    def value(self, x: F) -> F:
        return sum((F(v) * u for v, u in zip(self.out, self.units(x)[-1], strict=True)), F(self.bias))

    def instance(self) -> dict[str, Any]:
        """Sizes and tables, and of each run its units and what it puts out, or another number."""

        def units(env: Any) -> list[Any]:
            found = self.units(env["x"])
            return [{(k, u): e for k, layer in enumerate(found, 1) for u, e in enumerate(layer, 1)}]

        layers = enumerate(self.later, 2)
        return {
            "L": F(len(self.biases)),
            "m": F(len(self.first)),
            "A()": column(self.first),
            "W()": {(k, u, v): F(w) for k, r in layers for u, row in enumerate(r, 1) for v, w in enumerate(row, 1)},
            "b()": {(k, u): F(b) for k, row in enumerate(self.biases, 1) for u, b in enumerate(row, 1)},
            "V()": column(self.out),
            "c": F(self.bias),
            "h()": lambda env: [column(self.units(env["x"])[0])],
            "z2_h()": units,
            "out": lambda env: [self.value(env["x"]), self.value(env["x"]) + ODD],
        }


STEP = Network([-2], [], [[1]], [-1], 1)
"""0 at 0 and 1 from 1/2 on: rounds to one bit, ties up, with a single unit."""
RAMP = Network([4, 4], [], [[-1, -2]], [1, -1], 0)
"""0 to 1/4 and 1 from 1/2 on."""
STAIRS = Network([-2, 1], [[[1, 0], [0, -2]]], [[1, F(-3, 2)], [0, 2]], [-1, -1], 3)
"""0, 1, 1, 1, 2, 3, 3, 3 at 0, 1/2, ..., 7/2."""
TEETH = Network([1, 1], [[[2, -4], [2, -4]]], [[0, F(-1, 2)], [0, F(-1, 2)]], [2, -4], 0)
"""Two teeth between 0 and 1: a tooth of a tooth."""
SAME = Network([1], [], [[0]], [1], 0)


SATURATED = Network([-1], [], [[3]], [-1], 3)
"""3 - relu(3 - x): integers from 0 on to 0, 1, 2 and 3."""
STAIRCASE = Network([1] * 14, [], [[F(-k, 2) for k in range(14)]], [2, -2] * 7, 0)
"""0, 1, 1, 2, 2, ..., 7, 7 at 0, 1/2, ..., 15/2."""
CLIPPED = Network([1, 1], [], [[0, -7]], [1, -1], 0)
"""Integers to 0, ..., 7, by two units."""


def padded(entries: Iterable[Any]) -> dict[int, F]:
    """The entries from 1 on, and 0 outside: P and Q may be other numbers than there are."""
    return defaultdict(F, column(entries))


def numbers(network: Network, fine: Sequence[F], coarse: Sequence[F], rounded: Sequence[int]) -> dict[str, Any]:
    """Numbers of p' and of p bits, and to which of these each of those is rounded, counted from 1."""
    return network.instance() | {
        "p": F(len(coarse).bit_length() - 1), "q": F(len(fine).bit_length() - 1),
        "P": F(len(coarse)), "Q": F(len(fine)),
        "g()": padded(fine), "y()": padded(coarse), "r()": padded(rounded),
        "x": lambda env: [padded(fine)[env["k"]], padded(fine)[env["k"]] + ODD],
        "network": network, "lists": (fine, coarse, rounded),
    }  # fmt: skip


def rounding_networks() -> Iterator[dict[str, Any]]:
    """Multiples of 1/2^e rounded to integers, by networks that do it and others; integers rounded to fewer bits."""
    cases = [(STEP, 1, 1), (RAMP, 1, 2), (STAIRS, 2, 1), (TEETH, 1, 1), (SAME, 2, 0), (SAME, 2, 1), (STEP, 2, 1)]
    for network, p, extra in [*cases, (STAIRCASE, 3, 1)]:
        P, Q = 2**p, 2**extra
        values = [network.value(F(k, Q)) for k in range(P * Q)]
        near = [F(min(P - 1, (2 * k + Q) // (2 * Q))) for k in range(P * Q)]
        for image_of in [values] if all(v in range(P) for v in values) else [], [near]:
            for points in image_of:
                fine = [F(k, Q) for k in range(P * Q)]
                yield numbers(network, fine, [F(k) for k in range(P)], [int(y) + 1 for y in points])
    for network, p, more in ((SATURATED, 2, 1), (SATURATED, 2, 2), (CLIPPED, 3, 1), (SAME, 1, 1)):
        fine, coarse = [F(k) for k in range(2 ** (p + more))], [F(k) for k in range(2**p)]
        yield numbers(network, fine, coarse, [min(k, 2**p - 1) + 1 for k in range(len(fine))])


ROUNDING_NETWORKS = tuple(rounding_networks())


def rounds(v: Any, apart: bool) -> bool | None:
    fine, coarse, rounded = v["lists"]
    if not 1 <= v["p"] < v["q"] or any(y not in fine for y in coarse):
        return None
    if any(abs(coarse[k - 1] - x) > min(abs(y - x) for y in coarse) for k, x in zip(rounded, fine, strict=True)):
        return None
    if any(v["network"].value(x) != coarse[k - 1] for k, x in zip(rounded, fine, strict=True)):
        return None
    if apart and any(not any(a < x < b for x in fine) for a, b in zip(coarse, coarse[1:], strict=False)):
        return None
    return (2 * int(v["m"])) ** int(v["L"]) >= len(coarse)


@adequate("yang2026.lemma27", at=ROUNDING_NETWORKS, false=True)
def rounds_printed(v: Any) -> bool | None:
    return rounds(v, apart=False)


@adequate(
    "yang2026.lemma27.corrected",
    at=ROUNDING_NETWORKS,
    misses=[
        ("pow(2, p) <= pow(2*m, L)", "pow(2, p) < pow(2*m, L)"),
        ("& (all k in 1..P - 1. ex l in 1..Q. y(k) < g(l) & g(l) < y(k + 1))", ""),
        ("-> out = y(r(k))", "-> out <= y(r(k))"),
    ],
)
def rounds_apart(v: Any) -> bool | None:
    return rounds(v, apart=True)


def narrow_networks() -> Iterator[dict[str, Any]]:
    """Lengths, an exponent and a least length, with networks of one layer that round."""
    for v in ROUNDING_NETWORKS:
        if v["L"] == 1:
            for C, D in ((F(1), F(4)), (F(0), F(4)), (F(1), F(1, 2))):
                yield v | {"C": C, "D": D, "eps": [CONTEXT.log(2) / 2], "N": [F(8)], "n": [F(1), F(8), F(20), F(10**4)]}


NARROW = tuple(narrow_networks())


def wide(v: Any, apart: bool) -> bool | None:
    if v["C"] <= 0:
        return None
    asked = [n for n in v["n"] if n >= 8 and log_at_most(n, v["p"])]
    if not apart:
        asked = [n for n in asked if real(v["p"]) <= real(v["D"]) * CONTEXT.log(real(n))]
    powers = [CONTEXT.exp(v["eps"][0] * CONTEXT.log(real(n))) for n in asked]
    return rounds(v, apart) is None or all(power <= real(v["m"]) for power in powers)


def log_at_most(n: F, p: F) -> bool:
    return CONTEXT.log(real(n)) <= real(p)


@adequate("yang2026.lemma27.width", at=NARROW, false=True)
def wide_printed(v: Any) -> bool | None:
    return wide(v, apart=False)


@adequate(
    "yang2026.lemma27.width.corrected",
    at=NARROW,
    misses=[
        ("exp(eps*log(n)) <= m", "exp(4*eps*log(n)) <= m"),
        ("& C*log(n) <= p", ""),
        ("& (all k in 1..P - 1. ex l in 1..Q. y(k) < g(l) & g(l) < y(k + 1))", ""),
    ],
)
def wide_apart(v: Any) -> bool | None:
    return wide(v, apart=True)


POINTS = [F(k, 8) for k in (-3, 0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 25)]


def cut_networks() -> Iterator[dict[str, Any]]:
    half = F(1, 2)
    known: list[tuple[Network, list[F], list[tuple[int, int]], int]] = [
        (STEP, [half], [(2, 0), (0, 1)], 2),
        (RAMP, [F(1, 4), half], [(0, 0), (4, -1), (0, 1)], 4),
        (STAIRS, [half, F(3, 2), F(5, 2)], [(2, 0), (0, 1), (2, -2), (0, 3)], 2),
        (TEETH, [F(k, 4) for k in range(5)], [(0, 0), (4, 0), (-4, 2), (4, -2), (-4, 4), (0, 0)], 4),
        (SAME, [F(0)], [(0, 0), (1, 0)], 1),
    ]
    for network, breaks, lines, steep in known:

        def piece(x: Any, breaks: list[F] = breaks) -> F:
            return F(1 + sum(x > b for b in breaks))

        yield network.instance() | {
            "piece()": [piece, lambda x: F(1)],
            "a()": lambda env, piece=piece, lines=lines: [lambda x: F(lines[int(piece(x)) - 1][0])],
            "e()": lambda env, piece=piece, lines=lines: [lambda x: F(lines[int(piece(x)) - 1][1])],
            "K": [F(steep)], "x": POINTS, "y": POINTS, "network": network,
        }  # fmt: skip


@adequate(
    "yang2026.lemma27.pieces",
    at=cut_networks(),
    misses=[
        ("pow(2*m, L)", "pow(m, L)"),
        ("out = a(x)*x + e(x)", "out = a(x)*x"),
        ("<= K*abs(x - y)", "<= K*abs(x - y)/2"),
    ],
)
def pieces(v: Any) -> bool:
    """Pieces are counted by the slopes between neighbours of a grid on which all corners lie."""
    network, grid = v["network"], [F(k, 8) for k in range(-8, 33)]
    slopes = [network.value(y) - network.value(x) for x, y in zip(grid, grid[1:], strict=False)]
    count = 1 + sum(s != t for s, t in zip(slopes, slopes[1:], strict=False))
    return count <= (2 * int(v["m"])) ** int(v["L"])
