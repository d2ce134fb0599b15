"""Appendix A of Yang et al. 2026 about networks of ReLU layers: how many pieces they have, and what rounding takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from proof.adequacy import ODD, F, adequate, column


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


def rounding_networks() -> Iterator[dict[str, Any]]:
    cases = [(STEP, 1, 1), (RAMP, 1, 2), (STAIRS, 2, 1), (TEETH, 1, 1), (SAME, 2, 0), (SAME, 2, 1), (STEP, 2, 1)]
    for network, p, extra in cases:
        P, Q = 2**p, 2**extra
        values = [network.value(F(k, Q)) for k in range(P * Q)]
        near = [F(min(P - 1, (2 * k + Q) // (2 * Q))) for k in range(P * Q)]
        for image_of in [values] if all(v.denominator == 1 for v in values) else [], [near]:
            for points in image_of:
                yield network.instance() | {
                    "p": F(p), "e": F(extra), "P": F(P), "Q": F(Q), "r()": column(points, start=0),
                    "x": lambda env: [env["k"] / env["Q"], env["k"]], "network": network,
                }  # fmt: skip


@adequate(
    "yang2026.lemma27",
    at=rounding_networks(),
    misses=[
        ("pow(2, p) <= pow(2*m, L)", "pow(2, p) < pow(2*m, L)"),
        ("1 <= p & 1 <= e", "1 <= p & 0 <= e"),
        ("-> out = r(k)", "-> out <= r(k)"),
    ],
)
def rounds(v: Any) -> bool | None:
    p, extra = int(v["p"]), int(v["e"])
    P, Q = 2**p, 2**extra
    image_of = [v["r()"][k] for k in range(P * Q)]
    nearest = all(abs(y * Q - k) == min(abs(z * Q - k) for z in range(P)) for k, y in enumerate(image_of))
    if extra < 1 or not nearest or any(v["network"].value(F(k, Q)) != y for k, y in enumerate(image_of)):
        return None
    return (2 * int(v["m"])) ** int(v["L"]) >= P


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
