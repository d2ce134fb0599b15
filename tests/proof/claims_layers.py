"""Feed-forward layers, Boolean representations, layer norm and assembly: claims written from the paper's words."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from adequacy import ODD, adequate, column, table, wrong

F = Fraction
RANDOM = random.Random(46)


def number() -> F:
    return F(RANDOM.randint(-12, 12), RANDOM.randint(1, 6))


def numbers(n: int) -> list[F]:
    return [number() for _ in range(n)]


def matrix(rows: int, columns: int) -> list[list[F]]:
    return [numbers(columns) for _ in range(rows)]


def relu(x: F) -> F:
    return x if x > 0 else F(0)


def times(rows: Any, x: Any) -> list[F]:
    return [sum((F(w) * v for w, v in zip(row, x, strict=True)), F(0)) for row in rows]


def plus(x: Any, y: Any) -> list[F]:
    return [F(a) + b for a, b in zip(x, y, strict=True)]


def network(parameters: Any, x: Any) -> list[F]:
    """W2 relu(W1 x + b1) + b2."""
    W1, b1, W2, b2 = parameters
    return plus(times(W2, [relu(a) for a in plus(times(W1, x), b1)]), b2)


def values(function: Any, *sizes: int) -> Any:
    """The vector or matrix in a column or table of an instance."""
    if len(sizes) == 1:
        return [function[i] for i in range(1, sizes[0] + 1)]
    return [[function[k, i] for i in range(1, sizes[1] + 1)] for k in range(1, sizes[0] + 1)]


# Section 4.1: piecewise linear functions


def cpwl_instances() -> Iterator[dict[str, Any]]:
    """Polyhedra as lists of rows (coefficients, bound), each with an affine function (coefficients, constant)."""
    none = ([0], 0)
    up, down = ([-1], 0), ([1], 0)
    shapes = [
        (1, [[down], [up]], [([-1], 0), ([1], 0)]),  # |x|
        (1, [[down], [up]], [([0], 0), ([0], 1)]),  # two values at 0: no function
        (1, [[down], [([-1], -1)]], [([0], 0), ([0], 5)]),  # X is not connected
        (1, [[none]], [([3], 1)]),
        (2, [[([-1, 1], 0)], [([1, -1], 0)]], [([1, 0], 0), ([0, 1], 0)]),  # max(x, y)
        (2, [[([-1, 1], 0)], [([1, -1], 0)]], [([1, 0], 0), ([0, 1], 1)]),
        (1, [[down, ([-1], 1)], [up, ([1], 1)], [([-1], -1)]], [([2], 0), ([-1], 0), ([0], -1)]),
    ]
    for d, cells, pieces in shapes:
        m = max(map(len, cells))
        rows = [[*cell, *[([0] * d, 0)] * (m - len(cell))] for cell in cells]
        grid = [F(-1), F(0), F(1, 1000), F(1, 2), F(1)]
        points = [column(p) for p in itertools.product(grid, repeat=d)]
        yield {
            "d": F(d),
            "n": F(len(cells)),
            "m": F(m),
            "A()": {
                (i, r, k): F(v)
                for i, c in enumerate(rows, 1)
                for r, (w, _) in enumerate(c, 1)
                for k, v in enumerate(w, 1)
            },
            "B()": table([[b for _, b in c] for c in rows]),
            "a()": table([w for w, _ in pieces]),
            "c()": column(c for _, c in pieces),
            "x()": points,
            "y()": points,
            "z()": points,
            "eps": [F(1, 3), F(4)],
            "delta": [F(1, 100), F(1)],
            "shape": (d, cells, pieces),
        }


@adequate(
    "s4.1.def4.1_cpwl",
    at=cpwl_instances(),
    misses=[
        ("polycell(A, B, d, m, i, x) & polycell(A, B, d, m, j, x) -> ", "false -> "),
        ("polycell(A, B, d, m, i, y) & ", ""),
        ("& polycell(A, B, d, m, j, z)", ""),
        ("(all l in 1..d. abs(z(l) - y(l)) < delta) ->", ""),
        ("abs(z(l) - y(l)) < delta", "z(l) - y(l) < delta"),
        ("< eps", "< eps/1000"),
    ],
)
def cpwl_is_continuous(v: Any) -> bool | None:
    """Where the affine functions agree on common points, values at points 1/1000 apart differ by less than 1/3."""
    d, cells, pieces = v["shape"]
    points = [list(p.values()) for p in v["x()"]]
    found: dict[tuple[F, ...], F] = {}
    for p in points:
        for cell, (w, c) in zip(cells, pieces, strict=True):
            if all(times([row], p)[0] <= bound for row, bound in cell):
                value = times([w], p)[0] + c
                if found.setdefault(tuple(p), value) != value:
                    return None
    pairs = itertools.product(found.items(), repeat=2)
    return (
        all(
            abs(f - g) < F(1, 3)
            for (p, f), (q, g) in pairs
            if max(abs(a - b) for a, b in zip(p, q, strict=True)) < F(1, 100)
        )
        and d > 0
    )


def graphs() -> Iterator[tuple[list[F], list[F]]]:
    """Points of a graph; the first coordinates are not always increasing, and there may be too few points."""
    yield [F(1), F(2)], [F(0), F(3)]
    for n in (2, 2, 3, 5):
        xs = sorted(RANDOM.sample([F(p, 6) for p in range(-60, 60)], n + 1))
        yield xs, numbers(n + 1)
        yield xs, [F(1)] * (n + 1)
        yield [xs[1], xs[0], *xs[2:]], numbers(n + 1)


GRAPHS = list(graphs())


def interpolated(xs: list[F], ys: list[F]) -> Callable[[F], F]:
    """Through all points, the first and the last line going on."""

    def f(x: F) -> F:
        k = max([i for i in range(len(xs) - 1) if xs[i] <= x], default=0)
        return (ys[k] * (xs[k + 1] - x) + ys[k + 1] * (x - xs[k])) / (xs[k + 1] - xs[k])

    return f


def slope_instances() -> Iterator[dict[str, Any]]:
    for xs, ys in GRAPHS:
        f = interpolated(xs, ys)
        m = [(b - a) / (q - p) for (p, q), (a, b) in zip(itertools.pairwise(xs), itertools.pairwise(ys), strict=True)]
        yield {
            "n": F(len(m)),
            "xs()": column(xs),
            "ys()": column(ys),
            "m()": [column(m), column(e + ODD for e in m)],
            "f()": [f, lambda x, f=f: f(x) + ODD],
            "x": [*xs, xs[0] - 2, xs[-1] + 3, (xs[0] + xs[1]) / 2],
        }


@adequate(
    "s4.1.slopes",
    at=slope_instances(),
    misses=[
        ("all k in 1..n + 1. f(xs(k))", "all k in 1..n + 1. f(xs(k) + 1)"),
        ("= ys(k + 1) - ys(k))", "= ys(k) - ys(k + 1))"),
        ("f(xs(k)) = ys(k)", "f(xs(k)) = ys(k) + m(1)"),
        ("m(k)*(xs(k + 1) - xs(k))", "m(1)*(xs(k + 1) - xs(k))"),
        ("(all x:Real. f(x) = ys(1) + m(1)*(x - xs(1)) + sum(k, 2, n, (m(k) - m(k - 1))*relu(x - xs(k)))) -> ", ""),
    ],
    still_true=[("2 <= n", "1 <= n")],
)
def slopes(v: Any) -> bool | None:
    xs, ys = list(v["xs()"].values()), list(v["ys()"].values())
    if len(xs) < 3 or sorted(set(xs)) != xs:
        return None
    m = list(v["m()"][0].values())
    f = v["f()"][0]
    lines = all(ys[k] + m[k] * (xs[k + 1] - xs[k]) == ys[k + 1] for k in range(len(m)))
    return lines and [f(x) for x in xs] == ys


def printed_line(xs: list[F], ys: list[F]) -> Any:
    """W1: one -1, n ones. b1: 0, 0, -x_2, ..., -x_n."""
    m = [(b - a) / (q - p) for (p, q), (a, b) in zip(itertools.pairwise(xs), itertools.pairwise(ys), strict=True)]
    W2 = [-m[0], m[0], *(b - a for a, b in itertools.pairwise(m))]
    return [[-1], *[[1]] * len(m)], [F(0), F(0), *(-x for x in xs[1:-1])], [W2], [ys[0] - m[0] * xs[0]]


def width_instances() -> Iterator[dict[str, Any]]:
    for (xs, ys), base in zip(GRAPHS, slope_instances(), strict=True):
        net = printed_line(xs, ys)
        for x in (*xs, xs[0] - 2, xs[-1] + 3, F(0)):
            yield {
                **base,
                "h": [F(len(net[0])), F(len(net[0]) + 1)],
                "W()": column([*(row[0] for row in net[0]), 0]),
                "b()": column([*net[1], 0]),
                "V()": column([*net[2][0], 0]),
                "c": net[3][0],
                "x": x,
                "f": wrong(network(net, [x])[0]),
                "points": (xs, ys),
            }


@adequate(
    "s4.1.cpwl_hidden_width",
    at=width_instances(),
    misses=[
        ("I[W(k) = 1]) = n", "I[W(k) = 1]) = h"),
        ("(x <= xs(2)", "(x <= xs(3)"),
        ("(xs(n) <= x", "(xs(n - 1) <= x"),
        ("f = sum(k, 1, h, V(k)*relu(W(k)*x + b(k))) + c -> ", ""),
        ("xs(k) <= x & x <= xs(k + 1) -> f", "xs(k) <= x -> f"),
    ],
)
def hidden_width(v: Any) -> bool | None:
    xs, ys = v["points"]
    if len(xs) < 3 or sorted(set(xs)) != xs:
        return None
    net, n = printed_line(xs, ys), len(xs) - 1
    hidden = len(net[0]) == len(net[1]) == len(net[2][0]) == n + 1 and net[0].count([1]) == n
    return hidden and network(net, [v["x"]]) == [interpolated(xs, ys)(v["x"])]


# Sections 4.2 and 4.4: residual connections, padding


def residual_instances() -> Iterator[dict[str, Any]]:
    for d, h in [(1, 0), (1, 2), (2, 1), (3, 2), (2, 0)]:
        f = (matrix(h, d), numbers(h), matrix(d, h), numbers(d))
        one = [[F(r == c) for c in range(d)] for r in range(d)]
        minus = [[-e for e in row] for row in one]
        bent = [[*a, *b, *c] for a, b, c in zip(f[2], minus, one, strict=True)]
        kept = [[*a, *b, *c] for a, b, c in zip(f[2], one, minus, strict=True)]
        yield {
            "d": F(d),
            "h": F(h),
            "W()": table(f[0]),
            "b()": column(f[1]),
            "V()": table(f[2]),
            "c()": column(f[3]),
            "g": F(h + 2 * d),
            "P()": table([*f[0], *one, *minus]),
            "q()": column([*f[1], *[0] * 2 * d]),
            "R()": [table(bent), table(kept)],
            "x()": [column(numbers(d)) for _ in range(3)],
        }


@adequate(
    "s4.2.residual_optional",
    at=residual_instances(),
    misses=[
        ("+ b(k))) + c(i))", "+ b(k))))"),
        ("x(i) + (sum(k, 1, g", "(sum(k, 1, g"),
        ("= x(i) + (sum(k, 1, h", "= 2*x(i) + (sum(k, 1, h"),
        (
            "ex g:Int, P:Int*Int->Real, q:Int->Real, R:Int*Int->Real.",
            "all g:Int, P:Int*Int->Real, q:Int->Real, R:Int*Int->Real.",
        ),
        ("relu(sum(l, 1, d, P(k, l)*x(l)) + q(k))", "(sum(l, 1, d, P(k, l)*x(l)) + q(k))"),
    ],
)
def residual_optional(v: Any) -> bool:
    """f' with [f.W2, -I, I] and x gives f(x); with [f.W2, I, -I] it gives f(x) + x by itself."""
    d, h, g = int(v["d"]), int(v["h"]), int(v["g"])
    f = (values(v["W()"], h, d), values(v["b()"], h), values(v["V()"], d, h), values(v["c()"], d))
    bent, kept = ((values(v["P()"], g, d), values(v["q()"], g), values(R, d, g), values(v["c()"], d)) for R in v["R()"])
    inputs = [list(x.values()) for x in v["x()"]]
    return all(
        plus(x, network(bent, x)) == network(f, x) and network(kept, x) == plus(x, network(f, x)) for x in inputs
    )


def padding_instances() -> Iterator[dict[str, Any]]:
    pairs = [(F(1), F(-3)), (F(-2), F(1, 2)), (F(0), F(0)), (F(-1), F(-3)), (F(2), F(9))]
    for (d, h, e, N), (x1, y1) in zip(
        [(2, 3, 1, 2), (1, 0, 1, 1), (2, 2, 2, 5), (3, 1, 1, 3), (2, 2, 3, 2)], pairs, strict=True
    ):
        net = (
            ([[1, 0], [-1, 0], [-1, 1]], [F(0)] * 3, [[1, -1, 1]], [F(0)])
            if h == 3
            else (matrix(h, d), numbers(h), matrix(e, h), numbers(e))
        )
        padded = (net[0], net[1], [*net[2], *[[F(0)] * h] * (N - e)], [*net[3], *[F(0)] * (N - e)])
        x = numbers(d)
        out = network(padded, x)
        both = network(([[1, 0], [-1, 0], [-1, 1]], [F(0)] * 3, [[1, -1, 1], [0, 0, 0]], [F(0)] * 2), [x1, y1])
        yield {
            "d": F(d),
            "h": F(h),
            "e": F(e),
            "N": F(N),
            "W()": table(net[0]),
            "b()": column(net[1]),
            "V()": table([*net[2], *[[ODD] * h] * N]),
            "c()": column([*net[3], *[ODD] * N]),
            "U()": table(padded[2]),
            "g()": column(padded[3]),
            "x()": column(x),
            "y()": [column(out), column([*out[:-1], out[-1] + ODD])],
            "x": x1,
            "y": y1,
            "out1": wrong(both[0]),
            "out2": wrong(both[1]),
        }


@adequate(
    "s4.4.padding",
    at=padding_instances(),
    misses=[
        ("out1 = max(x, y)", "out1 = x"),
        ("out2 = 0)", "out2 = out1)"),
        ("all i in e + 1..N. y(i) = 0", "all i in e..N. y(i) = 0"),
        ("(all i in 1..e. y(i) = sum", "(all i in 1..N. y(i) = sum"),
        ("& out2 = 0)", "& out2 = out1 - x)"),
    ],
)
def padding(v: Any) -> bool | None:
    d, h, e, most = (int(v[k]) for k in "dheN")
    maximum = network(([[1, 0], [-1, 0], [-1, 1]], [0] * 3, [[1, -1, 1], [0, 0, 0]], [0, 0]), [v["x"], v["y"]])
    if maximum != [max(v["x"], v["y"]), 0]:
        return False
    if most < e:
        return True
    x = list(v["x()"].values())
    net = (values(v["W()"], h, d), values(v["b()"], h), values(v["V()"], e, h), values(v["c()"], e))
    padded = (*net[:2], values(v["U()"], most, h), values(v["g()"], most))
    return network(padded, x) == [*network(net, x), *[0] * (most - e)]


# Section 4.7: a comparison jumps

RAMPS: list[Any] = [
    ([[1], [1]], [F(0), F(-1, 100)], [[100, -100]], [F(0)]),
    ([[1], [1], [1]], [F(1, 100), F(0), F(-1, 100)], [[100, -200, 100]], [F(0)]),
    ([], [], [[]], [F(1)]),
    ([[1]], [F(0)], [[1]], [F(0)]),
    ([[1], [1]], [F(1, 50), F(0)], [[50, -50]], [F(0)]),
]
AT = [F(0), F(1, 10**6), F(-1, 10**6), F(1, 200), F(-1, 200), F(1), F(-1), F(3)]
COMPARISONS: list[Callable[[F], bool]] = [lambda x: x > 0, lambda x: x >= 0, lambda x: x == 0]


def jump_instances() -> Iterator[dict[str, Any]]:
    for net in RAMPS:
        yield {
            "f()": [lambda x, net=net: network(net, [x])[0], *(lambda x, t=t: F(t(x)) for t in COMPARISONS)],
            "u": [F(0), F(1)],
            "tol": [F(1, 2)],
            "step": [F(1), F(1, 1000), F(1, 10**5)],
            "near": lambda env: [env["u"] - env["step"] / 2, env["u"], env["u"] + env["step"] / 2],
            "h": F(len(net[0])),
            "W()": column(row[0] for row in net[0]),
            "b()": column(net[1]),
            "V()": column(net[2][0]),
            "c": net[3][0],
            "x": AT,
            "net": net,
        }


@adequate(
    "s4.7.not_cpwl",
    at=jump_instances(),
    misses=[
        ("(all u:Real. continuousat(f, u)) ->", ""),
        ("all u:Real. continuousat(f, u)", "continuousat(f, 1)"),
        ("ex x:Real. f(x) != I[x = 0]", "all x:Real. f(x) != I[x = 0]"),
        ("+ c != I[0 < x]", "+ c != c"),
        ("+ c != I[x = 0]", "+ c != relu(x)"),
        ("+ c != I[0 <= x]", "+ c != 100*relu(x) - 100*relu(x - 1/100)"),
    ],
)
def no_network_compares(v: Any) -> bool:
    return all(any(network(v["net"], [x]) != [test(x)] for x in AT) for test in COMPARISONS)


# Sections 4.8 and 4.9


def size_instances() -> Iterator[dict[str, Any]]:
    for m in range(5):
        rows = [list(r) for r in itertools.product((0, 1), repeat=m)]
        for xi in (rows, [rows[0]] * len(rows), rows[::-1]):
            yield {
                "m": F(m),
                "b()": [column((2**j for j in range(m + 1)), 0), column((j + 1 for j in range(m + 1)), 0)],
                "xi()": {(k, i): F(e) for k, row in enumerate(xi) for i, e in enumerate(row, 1)},
                "rows": xi,
            }


@adequate(
    "s4.8.boolean_size",
    at=size_instances(),
    misses=[
        ("= pow(2, m)", "= pow(2, m) - 1"),
        ("sum(k, 0, b(m) - 1, 1)", "sum(k, 0, b(m), 1)"),
        (" & sum(i, 1, m, xi(k, i)*b(m - i)) = k", ""),
        ("-> k = l", "-> k != l"),
        ("(all i in 1..m. xi(k, i) = xi(l, i)) ->", "(all i in 2..m. xi(k, i) = xi(l, i)) ->"),
        ("b(j) = 2*b(j - 1)", "b(j) = b(j - 1) + 1"),
    ],
)
def boolean_size(v: Any) -> bool | None:
    """W1 has a row for each of the 2^m assignments."""
    m, rows = int(v["m"]), v["rows"]
    if [int("".join(map(str, row)) or "0", 2) for row in rows] != list(range(2**m)):
        return None
    return len({tuple(row) for row in rows}) == len(rows) == 2**m


def general_if(a: F, b: F, p: F, x: F, y: F) -> F:
    return network(([[b - a, 1, 0], [a - b, 0, 1]], [-b, -a], [[1, 1]], [a]), [p, x, y])[0]


@adequate(
    "s4.9.conditional_general",
    at=[
        {"a": F(a), "b": F(b), "p": F(p), "x": F(x), "y": F(y), "out": wrong(general_if(*map(F, (a, b, p, x, y))))}
        for a, b in [(0, 1), (-3, F(1, 2)), (2, 2), (-5, -4), (1, 0)]
        for p in (0, 1, F(1, 2))
        for x, y in [(a, b), (b, a), (a, a), (b, b), (F(a + b) / 2, b), (b + 1, a), (a, b + 3), (a - 1, a), (b, a - 2)]
    ],
    misses=[
        ("(p = 1 -> out = x)", "(p = 1 -> out = y)"),
        ("(p = 1 -> out = x)", "(out = x)"),
        ("a <= x & ", ""),
        ("x <= b & ", ""),
        ("a <= y & ", ""),
        ("& y <= b", ""),
        ("(p = 0 -> out = y)", "(p = 0 -> out = x)"),
        ("(p = 0 -> out = y)", "(p <= 1 -> out = y)"),
    ],
    still_true=[("a <= b -> ", "")],
)
def conditional(v: Any) -> bool | None:
    a, b, p, x, y = (v[k] for k in "abpxy")
    if a > b or p not in (0, 1) or not (a <= x <= b and a <= y <= b):
        return None
    return general_if(a, b, p, x, y) == (x if p == 1 else y)
