"""Feed-forward layers, Boolean representations, layer norm and assembly: claims written from the paper's words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from proof.adequacy import ODD, adequate, column, draws, table, wrong
from proof.paper import times
from proof.statement_truth import CONTEXT, SLACK, real
from shared import relu

F = Fraction
RANDOM = draws(46)


def number() -> F:
    return F(RANDOM.randint(-12, 12), RANDOM.randint(1, 6))


def numbers(n: int) -> list[F]:
    return [number() for _ in range(n)]


def matrix(rows: int, columns: int) -> list[list[F]]:
    return [numbers(columns) for _ in range(rows)]


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


def knot_instances() -> Iterator[dict[str, Any]]:
    """Half-lines and intervals as rows (A, B), each with a line (slope, constant), and the points of the graph."""
    none, below, above = (0, 0), (1, 0), (-1, 0)
    shapes = [
        ([[below], [above]], [(-1, 0), (1, 0)], (-1, 0, 1)),  # |x|
        ([[below], [above]], [(1, 0), (2, 0)], (-1, 0, 1)),
        ([[below], [(-1, -1)], [above, (1, 1)]], [(0, 0), (0, 2), (2, 0)], (-1, 0, 1, 2)),  # the polyhedra not in order
        ([[none]], [(3, 1)], (0, 1, 2)),  # one polyhedron: two pieces of one slope
        ([[above], [below], [below]], [(2, 1), (-3, 1), (-3, 1)], (-2, 0, 5)),  # a polyhedron twice
        ([[below], [above]], [(0, 0), (0, 1)], (-1, 0, 1)),  # two values at 0
        ([[below], [(-1, -1)]], [(0, 0), (0, 5)], (-1, 0, 1)),  # no cover
    ]
    for cells, lines, points in shapes:
        m = max(map(len, cells))
        rows = [[*cell, *[(0, 0)] * (m - len(cell))] for cell in cells]
        xs = [F(x) for x in points]

        def f(x: F, rows: Any = rows, lines: Any = lines) -> F:
            return next((a * x + c for r, (a, c) in zip(rows, lines, strict=True) if inside(r, x)), F(0))

        ys = [f(x) for x in xs]
        yield {
            "n": F(len(cells)),
            "m": F(m),
            "A()": table([[a for a, _ in row] for row in rows]),
            "B()": table([[b for _, b in row] for row in rows]),
            "a()": column(a for a, _ in lines),
            "c()": column(c for _, c in lines),
            "f()": [f],
            "x": [F(-3), F(-1), F(0), F(1, 2), F(1), F(4)],
            "N": [F(len(xs) - 1)],
            "xs()": column(xs),
            "ys()": column(ys),
            "s()": column(
                (b - a) / (q - p) for (p, q), (a, b) in zip(itertools.pairwise(xs), itertools.pairwise(ys), strict=True)
            ),
            "is": (rows, lines, xs, f),
        }


def inside(rows: Any, x: F) -> bool:
    return all(a * x <= b for a, b in rows)


@adequate(
    "s4.1.knots",
    at=knot_instances(),
    misses=[
        ("(x <= xs(2)", "(x <= xs(3)"),
        ("(xs(N) <= x", "(xs(N - 1) <= x"),
        ("2 <= N", "3 <= N"),
        ("(s(k) - s(k - 1))*relu", "(s(k) + s(k - 1))*relu"),
    ],
)
def knots(v: Any) -> bool | None:
    rows, lines, xs, f = v["is"]
    for x in (F(-3), F(-1), F(0), F(1, 2), F(1), F(4)):
        values = {a * x + c for r, (a, c) in zip(rows, lines, strict=True) if inside(r, x)}
        if len(values) != 1:
            return None
    g = interpolated(xs, [f(x) for x in xs])
    return all(g(F(k, 3)) == f(F(k, 3)) for k in range(-12, 13))


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
        wide = matrix(d, max(d, h))
        f = (matrix(h, d), numbers(h), [row[:h] for row in wide], numbers(d))
        one = [[F(r == c) for c in range(d)] for r in range(d)]
        minus = [[-e for e in row] for row in one]
        bent = [[*a, *b, *c] for a, b, c in zip(f[2], minus, one, strict=True)]
        kept = [[*a, *b, *c] for a, b, c in zip(f[2], one, minus, strict=True)]
        forced = table(
            [plus(row, less) for row, less in zip(wide, [[*r, *[0] * (max(d, h) - d)] for r in minus], strict=True)]
        )
        fresh = {(a + d, b): wide[a - 1][b - 1] for a in range(1, d + 1) for b in range(1, d + 1)}
        tokens = [matrix(2, d) for _ in range(3)]
        yield {
            "d": F(d),
            "h": F(h),
            "W()": table(f[0]),
            "b()": column(f[1]),
            "V()": table(wide),
            "c()": column(f[3]),
            "g": F(h + 2 * d),
            "P()": table([*f[0], *one, *minus]),
            "q()": column([*f[1], *[0] * 2 * d]),
            "R()": [table(bent), table(kept)],
            "x()": [column(numbers(d)) for _ in range(3)],
            "U()": [lambda a, b, k=k: k.get((a, b), F(0)) for k in (forced, fresh)],
            "n": [F(1), F(2)],
            "z()": [lambda i, a, t=t, d=d: t[int(i) - 1][int(a) - 1] if a <= d else F(0) for t in tokens]
            + [lambda i, a, t=tokens[0]: t[int(i) - 1][(int(a) - 1) % len(t[0])]],
            "alpha()": [lambda i, j: F(i == j), lambda i, j: F(1, 2), lambda i, j: F(j == 1)],
            "values": wide,
            "tokens": tokens,
        }


RESIDUAL = list(residual_instances())


def cancelled(v: Any) -> bool:
    """f' with [f.W2, -I, I] and x gives f(x); with [f.W2, I, -I] it gives f(x) + x by itself."""
    d, h, g = int(v["d"]), int(v["h"]), int(v["g"])
    f = (values(v["W()"], h, d), values(v["b()"], h), values(v["V()"], d, h), values(v["c()"], d))
    bent, kept = ((values(v["P()"], g, d), values(v["q()"], g), values(R, d, g), values(v["c()"], d)) for R in v["R()"])
    inputs = [list(x.values()) for x in v["x()"]]
    return all(
        plus(x, network(bent, x)) == network(f, x) and network(kept, x) == plus(x, network(f, x)) for x in inputs
    )


def same_width(v: Any) -> bool:
    """One position forces V - I; whether weights on a grid then give two positions the mean of V z."""
    d = int(v["d"])
    V = [row[:d] for row in v["values"]]
    forced = [[e - (r == c) for c, e in enumerate(row)] for r, row in enumerate(V)]
    for z in v["tokens"]:
        mapped, new = [times(V, p) for p in z], [times(forced, p) for p in z]
        aim = [(a + b) / 2 for a, b in zip(*mapped, strict=True)]
        grid = [F(k, 4) for k in range(5)]
        mixed = [[plus(p, [w * a + (1 - w) * b for a, b in zip(*new, strict=True)]) for w in grid] for p in z]
        if not all(aim in choices for choices in mixed):
            return False
    return True


@adequate("s4.2.residual_optional", at=RESIDUAL, false=True)
def residual_optional(v: Any) -> bool:
    """Of attention at one width."""
    return same_width(v)


@adequate(
    "s4.2.residual_optional.corrected",
    at=RESIDUAL,
    misses=[
        (" + c(i)))", "))"),
        ("x(i) + (sum(k, 1, g", "(sum(k, 1, g"),
        ("= x(i) + (sum(k, 1, h", "= 2*x(i) + (sum(k, 1, h"),
        ("relu(sum(l, 1, d, P(k, l)*x(l)) + q(k))", "(sum(l, 1, d, P(k, l)*x(l)) + q(k))"),
        ("(all i in 1..n. all a in 1..d. z(i, d + a) = 0) ->", ""),
        ("= z(i, a) &", "= 0 &"),
        ("alpha(i, j)*sum(b, 1, d, V(a, b)*z(j, b))", "alpha(i, j)*sum(b, 1, d, V(a, b)*z(i, b))"),
        ("& ~(all d:Int", "& (all d:Int"),
    ],
)
def residual_beside(v: Any) -> bool:
    """Into entries that are zero attention writes V z, mixed by any weights; the others stay; never at one width."""
    d = int(v["d"])
    V = [row[:d] for row in v["values"]]
    U = [[F(0)] * 2 * d] * d + [row + [F(0)] * d for row in V]
    for z in v["tokens"]:
        padded = [p + [F(0)] * d for p in z]
        mapped, new = [times(V, p) for p in z], [times(U, p) for p in padded]
        for weights in ([1, 0], [F(1, 2), F(1, 2)], [F(-1), F(3)]):
            mixes = [times(turned(m, len(m[0])), weights) for m in (mapped, new)]
            if any(plus(p, mixes[1]) != p[:d] + mixes[0] for p in padded):
                return False
    return cancelled(v) and not same_width(v)


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
            "N": F(N),
            "W()": table(net[0]),
            "b()": column(net[1]),
            "U()": table(padded[2]),
            "g()": column(padded[3]),
            "x()": column(x),
            "y()": [column(out), column([*out[:-1], out[-1] + ODD])],
            "kept": [F(k) for k in range(1, e + 1)],
            **{
                key: lambda env, a=a, b=b: [b if "kept" in env else a]
                for key, a, b in (
                    ("e", F(e), F(N)),
                    ("V()", table([*net[2], *[[ODD] * h] * N]), table(padded[2])),
                    ("c()", column([*net[3], *[ODD] * N]), column(padded[3])),
                )
            },
            "z()": column(x),
            "out()": [column(out), column([*out[:-1], out[-1] + ODD])],
            "sizes": (d, h, e, N),
            "net": net,
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
        ("all r in kept + 1..e. out(r) = 0", "all r in kept..e. out(r) = 0"),
        ("(all r in kept + 1..e. c(r) = 0 & all u in 1..h. V(r, u) = 0) ->", ""),
    ],
)
def padding(v: Any) -> bool | None:
    _, h, e, most = v["sizes"]
    maximum = network(([[1, 0], [-1, 0], [-1, 1]], [0] * 3, [[1, -1, 1], [0, 0, 0]], [0, 0]), [v["x"], v["y"]])
    if maximum != [max(v["x"], v["y"]), 0]:
        return False
    if most < e:
        return True
    x = list(v["x()"].values())
    net = v["net"]
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
        {"low": F(a), "high": F(b), "p": F(p), "x": F(x), "y": F(y), "out": wrong(general_if(*map(F, (a, b, p, x, y))))}
        for a, b in [(0, 1), (-3, F(1, 2)), (2, 2), (-5, -4), (1, 0)]
        for p in (F(0), F(1), F(1, 2))
        for x, y in [(a, b), (b, a), (a, a), (b, b), (F(a + b) / 2, b), (b + 1, a), (a, b + 3), (a - 1, a), (b, a - 2)]
    ],
    misses=[
        ("(p = 1 -> out = x)", "(p = 1 -> out = y)"),
        ("(p = 1 -> out = x)", "(out = x)"),
        ("low <= x & ", ""),
        ("x <= high & ", ""),
        ("low <= y & ", ""),
        ("& y <= high", ""),
        ("(p = 0 -> out = y)", "(p = 0 -> out = x)"),
        ("(p = 0 -> out = y)", "(p <= 1 -> out = y)"),
    ],
    still_true=[("low <= high -> ", "")],
)
def conditional(v: Any) -> bool | None:
    a, b, p, x, y = (v[k] for k in ("low", "high", "p", "x", "y"))
    if a > b or p * (1 - p) != 0 or not (a <= x <= b and a <= y <= b):
        return None
    return general_if(a, b, p, x, y) == (x if p == 1 else y)


# Section 6: layer norm


def square_root(x: F) -> F | None:
    """The root of a square of a rational, else None."""
    p, q = (round(float(n) ** 0.5) for n in (x.numerator, x.denominator))
    return F(p, q) if x >= 0 and F(p, q) ** 2 == x else None


def mean(x: list[F]) -> F:
    return sum(x, F(0)) / len(x)


def variance(x: list[F]) -> F:
    return mean([(a - mean(x)) ** 2 for a in x])


def layer_norm(x: list[F], gamma: list[F], beta: list[F], eps: F) -> list[F] | None:
    """Definition 6.1 where the root is rational; None where it is not, or is 0."""
    root = square_root(variance(x) + eps)
    if not root:
        return None
    return [(a - mean(x)) / root * g + b for a, g, b in zip(x, gamma, beta, strict=True)]


def moment_instances() -> Iterator[dict[str, Any]]:
    for d in (1, 2, 2, 3, 4):
        x = numbers(d)
        eps = F(400) - variance(x)
        outputs = [layer_norm(x, [F(g)] * d, [F(b)] * d, eps) for g, b in ((1, 0), (2, 0), (1, 1))]
        yield {
            "d": F(d),
            "x()": column(x),
            "eps": [eps, F(0)],
            "y()": [*(column(y or []) for y in outputs), column([ODD] * d)],
            "mu": wrong(mean(x)),
            "r": wrong(F(20)),
        }


@adequate(
    "s6.def6.1_ln",
    at=moment_instances(),
    misses=[
        ("k. 1, k. 0", "k. 2, k. 0"),
        ("k. 1, k. 0", "k. 1, k. 1"),
        ("y(k)^2)/d", "y(k)^2)"),
        ("sum(k, 1, d, y(k))/d = 0", "sum(k, 1, d, y(k))/d = mu"),
        ("/d)/(sum", "/d)*(sum"),
        ("layernormed(x, d, eps, k. 1, k. 0, y, mu, r) -> ", ""),
    ],
)
def moments(v: Any) -> bool:
    x = list(v["x()"].values())
    y = layer_norm(x, [F(1)] * len(x), [F(0)] * len(x), v["eps"][0])
    return y is not None and mean(y) == 0 and variance(y) == variance(x) / (variance(x) + v["eps"][0])


def norm(rows: Any) -> F:
    """The greatest absolute row sum."""
    return max((sum((abs(e) for e in row), F(0)) for row in rows), default=F(0))


def turned(rows: Any, columns: int) -> list[list[F]]:
    return [[row[k] for row in rows] for k in range(columns)]


def lipschitz_instances() -> Iterator[dict[str, Any]]:
    nets = [
        ([[F(1)]], [F(0)], [[F(1)]], [F(0)]),
        ([[F(3)]], [F(0)], [[F(1)]], [F(0)]),
        ([[F(1)]], [F(0)], [[F(-5)]], [F(2)]),
    ]
    nets += [(matrix(h, d), numbers(h), matrix(e, h), numbers(e)) for d, h, e in [(2, 3, 2), (1, 2, 3), (3, 1, 1)]]
    nets += [([[F(1), F(1)]], [F(0)], [[F(1)], [F(1)]], [F(0), F(0)]), ([], [], [[]], [F(1)])]
    nets += [([[F(-3)]], [F(0)], [[F(1)]], [F(0)])]
    for net in nets:
        d, h, e = len(net[0][0]) if net[0] else 1, len(net[0]), len(net[2])
        for x, z in [([F(1)] * d, [F(0)] * d), ([F(-1)] * d, [F(0)] * d), (numbers(d), numbers(d))]:
            y, u = network(net, x), network(net, z)
            yield {
                "d": F(d),
                "h": F(h),
                "e": F(e),
                "W()": table(net[0]),
                "b()": column(net[1]),
                "V()": table(net[2]),
                "c()": column(net[3]),
                "x()": column(x),
                "z()": column(z),
                "y()": column(y),
                "u()": [column(u), column([ODD] * e)],
                "A": [norm(net[0]), norm(turned(net[0], d)), F(1), F(-1)],
                "B": [norm(net[2]), norm(turned(net[2], h)), F(1), F(-1)],
                "t": max(abs(a - b) for a, b in zip(x, z, strict=True)),
                "net": net,
            }


@adequate(
    "s6.1.ffn_lipschitz",
    at=lipschitz_instances(),
    misses=[
        ("<= B*A*t)", "<= B*A*t/2)"),
        ("<= B*A*t)", "< B*A*t)"),
        ("<= B*A*t)", "<= A*t)"),
        ("<= B*A*t)", "<= B*t)"),
        ("B*A*sum(l, 1, d, abs(x(l) - z(l)))", "B*sum(l, 1, d, abs(x(l) - z(l)))"),
        ("B*A*sum(l, 1, d, abs(x(l) - z(l)))", "A*sum(l, 1, d, abs(x(l) - z(l)))"),
        ("B*A*sum(l, 1, d, abs(x(l) - z(l)))", "B*A*sum(l, 1, d, x(l) - z(l))"),
        (" & 0 <= B -> (all l in 1..d. sum", " -> (all l in 1..d. sum"),
        ("sum(k, 1, h, abs(W(k, l))) <= A", "sum(k, 1, h, W(k, l)) <= A"),
        ("(all i in 1..e. sum(k, 1, h, abs(V(i, k))) <= B) ->", ""),
    ],
)
def ffn_is_lipschitz(v: Any) -> bool:
    """||ff(x) - ff(z)|| <= ||W2|| ||W1|| ||x - z|| with operator norms, for two norms of vectors."""
    net, d, h, e = v["net"], int(v["d"]), int(v["h"]), int(v["e"])
    x, z = values(v["x()"], d), values(v["z()"], d)
    out = [a - b for a, b in zip(network(net, x), network(net, z), strict=True)]
    step = [a - b for a, b in zip(x, z, strict=True)]
    greatest = max(map(abs, out)) <= norm(net[2]) * norm(net[0]) * max(map(abs, step))
    total = sum(map(abs, out)) <= norm(turned(net[2], h)) * norm(turned(net[0], d)) * sum(map(abs, step))
    return greatest and total and len(out) == e


def homogeneous_instances() -> Iterator[dict[str, Any]]:
    for d, h, e in [(1, 0, 1), (1, 2, 1), (2, 3, 2), (3, 1, 2)]:
        for c in (F(0), F(1, 2), F(3), F(-2)):
            W, V, x = matrix(h, d), matrix(e, h), numbers(d)
            net = (W, [F(0)] * h, V, [F(0)] * e)
            y, z = network(net, x), network(net, [c * a for a in x])
            yield {
                "d": F(d),
                "h": F(h),
                "e": F(e),
                "W()": table(W),
                "V()": table(V),
                "x()": column(x),
                "y()": [column(y), column([ODD] * e)],
                "z()": [column(z), column([ODD] * e)],
                "c": c,
                "x": [F(-1), F(2)],
            }


@adequate(
    "s6.1.biasfree_homogeneous",
    at=homogeneous_instances(),
    misses=[
        ("0 <= c -> relu(c*x)", "relu(c*x)"),
        ("relu(c*x) = c*relu(x)", "relu(c*x) = relu(x)"),
        (" & 0 <= c -> (all i", " -> (all i"),
        ("z(i) = c*y(i)", "z(i) = c^2*y(i)"),
        ("z(i) = c*y(i)", "z(i) = y(i)"),
    ],
)
def biasfree(v: Any) -> bool | None:
    d, h, e, c = int(v["d"]), int(v["h"]), int(v["e"]), v["c"]
    if c < 0:
        return None
    net = (values(v["W()"], h, d), [F(0)] * h, values(v["V()"], e, h), [F(0)] * e)
    x = values(v["x()"], d)
    scalars = all(relu(c * a) == c * relu(a) for a in v["x"])
    return scalars and network(net, [c * a for a in x]) == [c * b for b in network(net, x)]


def normed_networks(gains: Sequence[F] = (F(1),)) -> Iterator[dict[str, Any]]:
    """Stacks of bias-free networks on R^2, with and without a layer norm before each; these gains, in turn."""
    one, odd = [[F(1), F(0)], [F(0), F(1)]], [[F(1), F(-1)], [F(-1), F(1)]]
    for layers, x, eps in [
        ([(one, one)], (1, 3), F(0)),
        ([(one, one)], (-2, 2), F(0)),
        ([(one, odd)], (F(3, 4), F(-3, 4)), F(1)),
        ([(one, odd), (one, odd)], (F(1), F(-1)), F(0)),
        ([(one, odd), (odd, one)], (F(3, 4), F(-3, 4)), F(0)),
        ([(one, one)], (5, 5), F(0)),
        ([(one, one)], (5, 5), F(4)),
        ([(one, odd), (one, odd)], (2, 5), F(0)),
        ([(odd, one)], (2, 2), F(1, 9)),
    ]:
        z, y, g = [[F(a) for a in x]], [[F(a) for a in x]], [[ODD, ODD]]
        mu, r = [], []
        for W, V in layers:
            gain = gains[len(mu) % len(gains)]
            normed = layer_norm(y[-1], [gain] * 2, [F(0)] * 2, eps)
            mu.append(mean(y[-1]))
            r.append(square_root(variance(y[-1]) + eps) or F(0))
            g.append(normed or [ODD, ODD])
            z.append(network((W, [0, 0], V, [0, 0]), z[-1]))
            y.append(network((W, [0, 0], V, [0, 0]), g[-1]))
        ratios = [b / a for a, b in zip(z[-1], y[-1], strict=True) if a]
        for u in ([F(1), F(0)], [F(-1), F(2)]):
            yield {
                "L": F(len(layers)),
                "d": F(2),
                "h": F(2),
                "W()": {(n, *k): e for n, (W, _) in enumerate(layers, 1) for k, e in table(W).items()},
                "V()": {(n, *k): e for n, (_, V) in enumerate(layers, 1) for k, e in table(V).items()},
                "G()": column([gains[n % len(gains)] for n in range(len(layers))]),
                "u()": column(u),
                "z()": table(z, 0),
                "y()": [table(y, 0), {k: e + ODD * (k[0] == len(layers)) for k, e in table(y, 0).items()}],
                "g()": table(g, 0),
                "mu()": column(mu),
                "r()": column(r),
                "eps": eps,
                "c": [*ratios, F(1)],
            }


def normed_layers(v: Any, centred: bool) -> bool | None:
    """The output's sign with layer norms is that without; None where a layer norm is undefined."""
    z, y, L = v["z()"], v["y()"][0], int(v["L"])
    if 0 in v["r()"].values() or min(v["G()"].values()) <= 0 or (centred and any(z[n, 1] + z[n, 2] for n in range(L))):
        return None
    with_norm, without = (v["u()"][1] * s[L, 1] + v["u()"][2] * s[L, 2] for s in (y, z))
    return (with_norm > 0) == (without > 0)


NORMED = [v for gains in ((F(1), F(2, 3)), (F(3),), (F(-2),)) for v in normed_networks(gains)]


@adequate("s6.1.ln_no_effect", at=NORMED, false=True)
def layer_norm_matters(v: Any) -> bool | None:
    return normed_layers(v, False)


@adequate(
    "s6.1.ln_no_effect.corrected",
    at=NORMED,
    misses=[
        ("(all l in 1..L. 0 < G(l))", "(all l in 1..L. 0 < G(l)^2)"),
        ("-> (all l in 1..L. sum(m, 1, d, z(l - 1, m)) = 0)", ""),
        ("(all l in 1..L. sum(m, 1, d, z(l - 1, m)) = 0)", "(all l in 1..L. sum(m, 1, d, z(l - 1, m)) <= 8)"),
        ("ex c:Real. 0 < c", "ex c:Real. 1 = c"),
        ("y(L, i) = c*z(L, i)", "y(L, i) = z(L, i)"),
        ("y(l, i) = sum(k, 1, h, V(l, i, k)*relu(sum(m, 1, d, W(l, k, m)*g(l, m))))", "y(l, i) = y(l, i)"),
    ],
)
def layer_norm_scales(v: Any) -> bool | None:
    return normed_layers(v, True)


def paired_instances() -> Iterator[dict[str, Any]]:
    for x in ([F(1)], [F(0)], [F(2), F(-3)], [F(0), F(1, 2)], numbers(3)):
        v = [*x, *(-a for a in x)]
        for gamma in ([F(1)] * len(v), [F(-2)] * len(v), [F(i) for i in range(1, len(v) + 1)], [F(0)] * len(v)):
            eps = F(144) - variance(v)
            y = layer_norm(v, gamma, [F(0)] * len(v), eps) or []
            yield {
                "d": F(len(x)),
                "x()": column(x),
                "v()": [column(v), column(e + ODD for e in v)],
                "eps": [eps, F(0)],
                "gamma()": column(gamma),
                "y()": [column(y), column(e + ODD for e in y)],
                "mu": wrong(F(0)),
                "r": wrong(F(12)),
                "c": [gamma[0] / 12, gamma[-1] / 12, gamma[1] / 12, F(1)],
            }


def paired(v: Any, equal: bool) -> bool | None:
    """LN([x; -x]) = [cx; -cx] for some c."""
    x, gamma = list(v["x()"].values()), list(v["gamma()"].values())
    if equal and len(set(gamma)) > 1:
        return None
    double = [*x, *(-a for a in x)]
    y = layer_norm(double, gamma, [F(0)] * len(double), v["eps"][0]) or []
    ratios = {b / a for a, b in zip(double, y, strict=True) if a}
    return len(ratios) <= 1 and all(b == 0 for a, b in zip(double, y, strict=True) if not a)


PAIRED = list(paired_instances())


@adequate("s6.3.pairing", at=PAIRED, false=True)
def pairing(v: Any) -> bool | None:
    return paired(v, False)


@adequate(
    "s6.3.pairing.corrected",
    at=PAIRED,
    misses=[
        ("(all i in 1..2*d. gamma(i) = gamma(1)) ->", ""),
        ("1..2*d. gamma(i) = gamma(1)", "1..d. gamma(i) = gamma(1)"),
        ("mu = 0 &", "mu = 1 &"),
        ("y(d + i) = -(c*x(i))", "y(d + i) = c*x(i)"),
    ],
)
def pairing_equal(v: Any) -> bool | None:
    return paired(v, True)


def lipschitz_norms() -> Iterator[dict[str, Any]]:
    """Vectors (m + a, m - a, ...): their variance a^2 is a square, and for some a also with root^2 added."""
    for half, root, gamma in itertools.product(
        (1, 2), (F(1), F(1, 100)), ([1, -2, 3, 1], [20, 20, 20, 20], [0, 1, 0, 1], [0, 0, 0, 0])
    ):
        d = 2 * half
        steps = [F(3, 4) * root, F(0), F(-5, 12) * root, F(1, 10**6), F(-1, 10**6)]
        vectors = [[m + a, m - a] * half for a, m in zip(steps, [F(0), F(0), F(-2), F(0), F(0)], strict=True)]

        def output(which: str) -> Callable[[Any], list[Any]]:
            def offered(env: Any) -> list[Any]:
                x, gains, shifts = (list(env[k].values()) for k in (which, "gamma", "beta"))
                y = layer_norm(x, gains, shifts, env.get("eps", F(0)))
                return [] if y is None else [column(y)]

            return offered

        def root_of(which: str) -> Callable[[Any], list[Any]]:
            def offered(env: Any) -> list[Any]:
                r = square_root(variance(list(env[which].values())) + env.get("eps", F(0)))
                return [] if r is None else [r]

            return offered

        yield {
            "d": [F(d), F(1)] if half == 1 else F(d),
            "x()": [column(x) for x in vectors],
            "z()": [column(z) for z in vectors],
            "eps": [root**2, F(0)],
            "root": root,
            "gamma()": column(gamma[:d]),
            "beta()": column([F(7), F(-1), F(0), F(2)][:d]),
            "G": F(max(map(abs, gamma[:d]))),
            "y()": output("x"),
            "mu": lambda env: [mean(list(env["x"].values()))],
            "r": root_of("x"),
            "u()": output("z"),
            "nu": lambda env: [mean(list(env["z"].values()))],
            "s": root_of("z"),
            "t": lambda env: [max(abs(env["x"][i] - env["z"][i]) for i in env["x"])],
            "j": [F(1), F(2), F(3)],
            "K": [F(-1), F(1), F(10**4)],
            "vectors": vectors,
        }


LIPSCHITZ_NORMS = tuple(lipschitz_norms())


@adequate("s6.4.ln_lipschitz", at=LIPSCHITZ_NORMS, false=True)
def ln_lipschitz_printed(v: Any) -> bool:
    """With gamma = 0 two outputs are equal; otherwise the vectors near 0 have steep quotients."""
    return any(values(v["gamma()"], len(v["vectors"][0])))


@adequate(
    "s6.4.ln_lipschitz.corrected",
    at=LIPSCHITZ_NORMS,
    misses=[
        ("<= 2*(d + 1)*G/root*t", "<= G/root*t/2"),
        ("<= 2*(d + 1)*G/root*t", "<= 2*(d + 1)*G*t"),
        ("<= 2*(d + 1)*G/root*t", "<= 2*(d + 1)/root*t"),
        ("<= 2*(d + 1)*G/root*t", "< 2*(d + 1)*G/root*t"),
        (" & gamma(j) != 0", ""),
        ("2 <= d & 1 <= j", "1 <= d & 1 <= j"),
        ("layernormed(z, d, 0,", "layernormed(z, d, 1,"),
        ("K*t < abs(y(j) - u(j))", "K*t < 0"),
        ("& K*t < abs(y(j) - u(j))", "& 0 < t & 10^8*t < abs(y(j) - u(j))"),
    ],
)
def ln_lipschitz(v: Any) -> bool:
    """Difference quotients: at most 2(d + 1) max|gamma|/sqrt(eps) for eps > 0; above 10^4 somewhere for eps = 0."""
    vectors = v["vectors"]
    d = len(vectors[0])
    gamma, beta = values(v["gamma()"], d), values(v["beta()"], d)
    bounded, steep = True, {j for j in range(d) if gamma[j]}
    for x, z in itertools.product(vectors, repeat=2):
        step = max(abs(a - b) for a, b in zip(x, z, strict=True))
        smooth = [layer_norm(a, gamma, beta, v["root"] ** 2) or [] for a in (x, z)]
        if [] not in smooth:
            bound = 2 * (d + 1) * v["G"] / v["root"] * step
            bounded &= all(abs(a - b) <= bound for a, b in zip(*smooth, strict=True))
        sharp = [layer_norm(a, gamma, beta, F(0)) for a in (x, z)]
        if sharp[0] and sharp[1]:
            steep -= {j for j in range(d) if abs(sharp[0][j] - sharp[1][j]) > 10**4 * step}
    return bounded and not steep


# Section 6.4: the sign by layer norm


def twice(x: list[F]) -> list[F]:
    return [e for a in x for e in (-a, a)]


@adequate(
    "s6.4.doubling",
    at=[
        {"n": F(len(x)), "x()": column(x), "y()": [column(twice(x)), column([*twice(x)[:-1], ODD])]}
        for x in ([F(1)], [F(0)], [F(2), F(-3)], [F(1), F(1), F(1, 2)], [F(5), F(-1), F(0), F(9)])
    ],
    misses=[
        ("y(j))/(2*n) = 0", "y(j))/(2*n) = x(1)"),
        ("sum(j, 1, 2*n, y(j))", "sum(j, 1, n, y(j))"),
        ("doubled(x, n, y) ->", ""),
        ("y(j))/(2*n) = 0", "y(j)^2)/(2*n) = 0"),
    ],
)
def doubling(v: Any) -> bool:
    return mean(twice(list(v["x()"].values()))) == 0


def clipped(x: list[F], delta: F) -> list[F]:
    return [network(([[1], [1]], [delta, -delta], [[1, -1]], [-delta]), [a])[0] for a in x]


def sign_instances() -> Iterator[dict[str, Any]]:
    for delta in (F(1), F(1, 100), F(-1)):
        for x in ([1], [-3, 1], [5, 5, -1], [F(1, 7), 1], [0], [0, 0], [0, 0, 0, 1], [F(1, 2)], [-2, 0, 0, 0], [2, -3]):
            given = [delta * a for a in x]
            y = twice(given)
            z = clipped(y, delta)
            r = square_root(variance(z)) or F(0)
            out = [(a - mean(z)) / r for a in z] if r else [F(0)] * len(z)
            two = (given * 2)[:2]  # a run of the stored model, whose components stand before their negatives
            stream = clipped([*two, *(-a for a in two)], delta)
            dev = square_root(variance(stream))
            names = [f"{part}{suffix}" for suffix in ("", "_minus") for part in ("x1", "x2")]
            yield {
                **dict(zip(names, [*two, *(-a for a in two)], strict=True)),
                **{f"z2_{name}": e for name, e in zip(names, stream, strict=True)},
                **{f"y2_{name}": wrong(e / dev if dev else F(0)) for name, e in zip(names, stream, strict=True)},
                "mu2": mean(stream),
                "dev2": dev,
                "n": F(len(x)),
                "delta": delta,
                "x()": column(given),
                "y()": [column(y), column(e + ODD for e in y)],
                "z()": [column(z), column(e + ODD for e in z)],
                "out()": [column(out), column([F(1)] * len(z)), column(2 * e for e in out)],
                "mu": wrong(mean(z)),
                "r": wrong(r),
            }


@adequate(
    "s6.4.sign_by_ln",
    at=sign_instances(),
    misses=[
        ("delta <= abs(x(k))", "delta/8 <= abs(x(k))"),
        ("& 0 < delta ->", "& delta != 0 ->"),
        ("out(2*k - 1) = -1 & out(2*k) = 1)", "out(2*k - 1) = 1 & out(2*k) = 1)"),
        ("k. 1, k. 0, out", "k. 2, k. 0, out"),
        ("(x(k) < 0 -> out(2*k - 1) = 1", "(x(k) < 0 -> out(2*k - 1) = -1"),
        ("(x(k) < 0 -> ", "(x(k) < 1 -> "),
        ("(x1 < 0 -> y2_x1 = -1)", "(x1 < 0 -> y2_x1 = 1)"),
        ("(x2 < 0 -> y2_x2 = -1)", "(x2 < 0 -> y2_x2 = 1)"),
        ("y2_x2 = 1", "y2_x2_minus = 1"),
    ],
)
def sign_by_layer_norm(v: Any) -> bool | None:
    x, delta = list(v["x()"].values()), v["delta"]
    if delta <= 0 or min(map(abs, x)) < delta:
        return None
    z = clipped(twice(x), delta)
    out = layer_norm(z, [F(1)] * len(z), [F(0)] * len(z), F(0))
    return out == twice([F(1) if a > 0 else F(-1) for a in x])


def with_two_numbers() -> Iterator[dict[str, Any]]:
    """With a run of the stored model on two numbers, equal ones among them."""
    pairs = itertools.cycle([(F(1), F(3)), (F(2), F(2)), (F(1, 2), F(-1)), (F(0), F(0))])
    for v, (x, y) in zip(sign_instances(), pairs, strict=False):
        order = F((y < x) - (x < y))
        yield {
            **{{"x()": "u()", "y()": "t()"}.get(k, k): e for k, e in v.items()},
            "x": x,
            "y": y,
            "z1_x": x,
            "z1_y": y,
            "mu1": (x + y) / 2,
            "dev1": abs(x - y) / 2,
            "y1_x": wrong(order),
            "y1_y": wrong(-order),
        }


@adequate("s6.4.sign_zero", at=with_two_numbers(), false=True)
def sign_zero_printed(v: Any) -> bool | None:
    """The zero vector has no layer norm, so that its output may be anything."""
    x, delta = list(v["u()"].values()), v["delta"]
    if delta <= 0 or any(0 < abs(a) < delta for a in x):
        return None
    return any(x)


@adequate(
    "s6.4.sign_zero.corrected",
    at=with_two_numbers(),
    misses=[
        ("y1_x = I[y < x] - I[x < y]", "y1_x = I[y <= x] - I[x < y]"),
        ("y1_y = I[x < y] - I[y < x]", "y1_y = I[y < x] - I[x < y]"),
        ("-> (ex k in 1..n. u(k) != 0)", ""),
        ("(u(k) = 0 -> out", "(u(k) <= 0 -> out"),
        ("-> out(2*k - 1) = 0", "-> out(2*k - 1) = 1"),
        ("0 < u(k)*out(2*k)", "0 < out(2*k)"),
        ("I[u(j) != 0]) = n", "I[u(j) != 0]) = 1"),
        ("out(2*k - 1) = -out(2*k)", "out(2*k - 1) = out(2*k)"),
        ("-> (all j in 1..2*n. out(j)*r = z(j) - mu)", ""),
        ("-> (0 < r &", "-> (1 < r &"),
    ],
)
def sign_zero(v: Any) -> bool | None:
    """Where a component is 0, so is the output, and it has a value unless all are 0; the others grow with the zeros."""
    x, delta = list(v["u()"].values()), v["delta"]
    if delta <= 0 or any(0 < abs(a) < delta for a in x) or not any(x):
        return None
    z, ratio = clipped(twice(x), delta), F(len(x), sum(map(bool, x)))
    squares = [(b - mean(z)) ** 2 / variance(z) for b in z]
    signs = [(b > mean(z)) - (b < mean(z)) for b in z]
    wanted = twice([(a > 0) - (a < 0) for a in x])
    return signs == wanted and squares == [ratio * abs(s) for s in wanted]


# Section 3.1 and Table 4: representations of Booleans

Vector = list[F]


def table_row(false: list[Vector], true: list[Vector]) -> tuple[bool, bool, bool]:
    """(minimum gap, fixed mean, fixed variance) of the samples: of single Booleans and of pairs of them."""
    gap = min(max(abs(a - b) for a, b in zip(p, q, strict=True)) for p in false for q in true)
    every = [*false, *true]
    vectors = every + [p + q for p, q in itertools.product(every, repeat=2)]
    return gap > F(1, 1000), len({mean(p) for p in vectors}) == 1, len({variance(p) for p in vectors}) == 1


def operations(false: list[Vector], true: list[Vector], negate: Any, both: Any, either: Any) -> bool:
    """The three functions compute not, and, or."""
    every = [(p, False) for p in false] + [(p, True) for p in true]
    low, high = false[0][0], true[0][0]

    def reads(p: Vector, value: bool) -> bool:
        """p is a Boolean of this value: beyond the boundary between the samples, or equal to one."""
        return p in (true if value else false) or (
            len(false) > 1 and (p[0] > 0 if value else p[0] < 0) and low < 0 < high
        )

    return all(reads(negate(p), not s) for p, s in every) and all(
        reads(both(p, q), s and t) and reads(either(p, q), s or t)
        for (p, s), (q, t) in itertools.product(every, repeat=2)
    )


def smaller(p: Vector, q: Vector) -> Vector:
    """min in the first entry, max in a second one."""
    return [min(p[0], q[0]), *(max(a, b) for a, b in zip(p[1:], q[1:], strict=True))]


def larger(p: Vector, q: Vector) -> Vector:
    return [max(p[0], q[0]), *(min(a, b) for a, b in zip(p[1:], q[1:], strict=True))]


def scalars(sample: list[Any], gaps: list[Any]) -> Iterator[dict[str, Any]]:
    """Instances for a representation by numbers: the values, vectors of one and of two Booleans, some gaps."""
    for x in range(3):
        numbers_ = [F(a) for a in (*sample, F(1, 3), F(-7), F(0))]
        yield {
            "x": numbers_,
            "y": numbers_[x:] + numbers_[:x],
            "gap": [F(g) for g in gaps],
            "m": [F(1), F(2), F(0)],
            "x()": [column(F(a) for a in p) for p in itertools.product(sample, repeat=2)],
            "y()": [column(F(a) for a in p) for p in itertools.product(sample, repeat=2)],
            "f()": [lambda a: 1 - a, lambda a: -a, lambda a: F(1 if a <= 0 else -1), lambda a: F(1)],
            "u": [F(0), F(1)],
            "tol": [F(1, 2)],
            "step": [F(1), F(1, 1000)],
            "near": lambda env: [env["u"] - env["step"] / 2, env["u"], env["u"] + env["step"] / 2],
        }


MEANS = ("meanof(x, m) != meanof(y, m)", "meanof(x, m) != meanof(x, m)")
SPREADS = ("varianceof(x, m) != varianceof(y, m)", "varianceof(x, m) != varianceof(x, m)")
TINY = F(1, 10**6)
NARROW = [("< gap)", "< 0)"), ("all gap:Real. 0 < gap ->", "all gap:Real.")]
CANDIDATES: list[Callable[[F], F]] = [lambda a: 1 - a, lambda a: -a, lambda a: F(1), lambda a: relu(a) - relu(-a)]


def no_candidate_negates() -> bool:
    """Of the continuous candidates none is positive on (-inf, 0] and at most 0 on (0, inf)."""
    samples = [F(-2), F(-1), F(0), TINY, F(1), F(3)]
    return not any(all((f(a) > 0) == (a <= 0) for a in samples) for f in CANDIDATES)


@adequate(
    "t4.halfline_closed",
    at=scalars([-1, 0, TINY, 1], [1, F(1, 1000), 0]),
    misses=[
        ("(all u:Real. continuousat(f, u)) ->", ""),
        ("x <= 0 -> 0 < f(x)", "x <= 0 -> 0 <= f(x)"),
        ("(all x:Real. 0 < x -> f(x) <= 0)", "(all x:Real. 0 < x -> f(x) <= 1)"),
        MEANS,
        SPREADS,
        *NARROW,
    ],
)
def halfline_closed(_: Any) -> bool:
    row = table_row([[F(-1)], [F(0)], [F(-5)]], [[TINY], [F(1)], [F(9)]])
    return no_candidate_negates() and row == (False, False, False)


@adequate(
    "t4.zero_one",
    at=scalars([0, 1], [1, 2]),
    misses=[
        ("1 - x = I[x = 0]", "1 - x = I[x = 1]"),
        ("min(x, y) = I[x = 1 & y = 1]", "max(x, y) = I[x = 1 & y = 1]"),
        ("max(x, y) = I[x = 1 | y = 1]", "min(x, y) = I[x = 1 | y = 1]"),
        ("0 < gap & all", "1 < gap & all"),
        ("x = 0 & y = 1 -> gap", "x = 0 -> gap"),
        MEANS,
        SPREADS,
    ],
)
def zero_one(_: Any) -> bool:
    false, true = [[F(0)]], [[F(1)]]
    computed = operations(false, true, lambda p: [1 - p[0]], smaller, larger)
    return computed and table_row(false, true) == (True, False, False)


@adequate(
    "t4.pm_one",
    at=scalars([-1, 1], [2, 3]),
    misses=[
        ("-x = 2*I[x = -1] - 1", "-x = 2*I[x = 1] - 1"),
        ("min(x, y) = 2*I[x = 1 & y = 1]", "min(x, y) = 2*I[x = 1 | y = 1]"),
        ("max(x, y) = 2*I[x = 1 | y = 1]", "max(x, y) = 2*I[x = 1 & y = 1]"),
        ("0 < gap & all", "2 < gap & all"),
        ("x = -1 & y = 1 -> gap", "x = -1 -> gap"),
        MEANS,
        SPREADS,
    ],
)
def pm_one(_: Any) -> bool:
    false, true = [[F(-1)]], [[F(1)]]
    computed = operations(false, true, lambda p: [-p[0]], smaller, larger)
    return computed and table_row(false, true) == (True, False, False)


@adequate(
    "t4.halfline_open",
    at=scalars([-1, -TINY, TINY, 1], [1, F(1, 1000), 0]),
    misses=[
        ("(0 < x & 0 < y -> 0 < min(x, y))", "(0 < x | 0 < y -> 0 < min(x, y))"),
        ("(x < 0 & y < 0 -> max(x, y) < 0)", "(x < 0 | y < 0 -> max(x, y) < 0)"),
        ("(0 < x -> -x < 0)", "(0 < x -> 1 - x < 0)"),
        MEANS,
        SPREADS,
        *NARROW,
    ],
    still_true=[("(x < 0 | 0 < x) & (y < 0 | 0 < y) ->", "")],
)
def halfline_open(_: Any) -> bool:
    false, true = [[F(-1)], [-TINY], [F(-8)]], [[F(1)], [TINY], [F(3)]]
    computed = operations(false, true, lambda p: [-p[0]], smaller, larger)
    return computed and table_row(false, true) == (False, False, False)


@adequate(
    "t4.zero_geone",
    at=scalars([0, 1, F(5, 2)], [1, 2]),
    misses=[
        ("(1 <= x -> relu(1 - x) = 0)", "(1 <= x -> 1 - x = 0)"),
        ("(x = 0 -> 1 <= relu(1 - x))", "(x = 0 -> 1 < relu(1 - x))"),
        ("(x = 0 | y = 0 -> min(x, y) = 0)", "(x = 0 | y = 0 -> max(x, y) = 0)"),
        ("(x = 0 & y = 0 -> max(x, y) = 0)", "(x = 0 | y = 0 -> max(x, y) = 0)"),
        ("0 < gap & all", "1 < gap & all"),
        MEANS,
        SPREADS,
    ],
)
def zero_geone(_: Any) -> bool:
    false, true = [[F(0)]], [[F(1)], [F(5, 2)], [F(40)]]
    computed = operations(false, true, lambda p: [relu(1 - p[0])], smaller, larger)
    return computed and table_row(false, true) == (True, False, False)


def paired_booleans(sizes: list[Any], gaps: list[Any]) -> Iterator[dict[str, Any]]:
    signed = [F(a) for s in sizes for a in (s, -F(s))]
    pairs = [[a, -a] for a in signed]
    vectors = [*pairs, *(p + q for p, q in itertools.product(pairs, repeat=2))]
    for turn in range(3):
        entries = signed[turn:] + signed[:turn] + [F(0), F(1, 3)]
        yield {
            **{k: entries for k in "ae"},
            **{k: entries[::-1] for k in "bc"},
            "gap": [F(g) for g in gaps],
            "m": [F(1), F(2)],
            "x()": [column([*p, *[ODD] * 4]) for p in vectors] + [column([ODD] * 6)],
            "y()": [column([*p, *[ODD] * 4]) for p in vectors],
        }


def negated(p: Vector) -> Vector:
    return [-a for a in p]


@adequate(
    "t4.pair_pm1",
    at=paired_booleans([1], [2, 3]),
    misses=[
        ("(-a = 1 <-> a = -1)", "(-a = 1 <-> a = 1)"),
        ("signpair(min(a, c), max(b, e), 1)", "signpair(min(a, c), min(b, e), 1)"),
        ("(max(a, c) = 1 <-> a = 1 | c = 1)", "(max(a, c) = 1 <-> a = 1 & c = 1)"),
        ("0 < gap & all", "2 < gap & all"),
        ("a = -1 & c = 1 -> gap", "a = -1 -> gap"),
        ("meanof(x, 2*m) = 0", "meanof(x, m) = 0"),
        ("varianceof(x, 2*m) = 1", "varianceof(x, m) = 1"),
        ("(all i in 1..m. signpair(x(2*i - 1), x(2*i), 1)) ->", ""),
    ],
)
def pair_pm1(_: Any) -> bool:
    false, true = [[F(-1), F(1)]], [[F(1), F(-1)]]
    return operations(false, true, negated, smaller, larger) and table_row(false, true) == (True, True, True)


def fixed_pairs() -> Iterator[dict[str, Any]]:
    """Pairs of a fixed size; the size 0, at which true and false are one, and a gap that is too large."""
    for s in (1, 3, 0):
        for v in paired_booleans([s or 1], [2 * s, 2 * s + 1]):
            yield v | {"s": F(s)}


FIXED_PAIRS = tuple(fixed_pairs())


def four_properties(s: Fraction) -> bool:
    false, true = [[-s, s]], [[s, -s]]
    return operations(false, true, negated, smaller, larger) and table_row(false, true) == (True, True, True)


@adequate("s3.1.no_best_rep", at=FIXED_PAIRS, false=True)
def no_pair_has_all(v: Any) -> bool | None:
    return None if v["s"] <= 0 else not four_properties(v["s"])


@adequate(
    "s3.1.no_best_rep.corrected",
    at=FIXED_PAIRS,
    misses=[
        ("(-a = s <-> a = -s)", "(-a = s <-> a = s)"),
        ("signpair(min(a, c), max(b, e), s)", "signpair(min(a, c), min(b, e), s)"),
        ("(max(a, c) = s <-> a = s | c = s)", "(max(a, c) = s <-> a = s & c = s)"),
        ("0 < gap & all", "2*s < gap & all"),
        ("meanof(x, 2*m) = 0", "meanof(x, m) = 0"),
        ("varianceof(x, 2*m) = s^2", "varianceof(x, 2*m) = s"),
    ],
)
def each_pair_has_all(v: Any) -> bool | None:
    return None if v["s"] <= 0 else four_properties(v["s"])


@adequate(
    "t4.pair_pmdelta",
    at=paired_booleans([1, TINY], [1, F(1, 1000)]),
    misses=[
        ("(0 < -a <-> a < 0)", "(0 < -a <-> 0 < a)"),
        ("max(b, e) = -min(a, c)", "max(b, e) = min(a, c)"),
        ("a < 0 | c < 0)", "a < 0 & c < 0)"),
        ("(max(a, c) < 0 <-> a < 0 & c < 0)", "(max(a, c) <= 1 <-> a < 0 & c < 0)"),
        ("abs(b - e) < gap", "abs(b - e) < gap/10^6"),
        ("meanof(x, 2*m) = 0", "meanof(x, m) = 0"),
        ("varianceof(x, 2*m) != varianceof(y, 2*m)", "varianceof(x, 2*m) != varianceof(x, 2*m)"),
    ],
)
def pair_pmdelta(_: Any) -> bool:
    false, true = [[-a, a] for a in (F(1), TINY, F(4))], [[a, -a] for a in (F(1), TINY, F(4))]
    return operations(false, true, negated, smaller, larger) and table_row(false, true) == (False, True, False)


@adequate(
    "s3.1.negation_discontinuous",
    at=scalars([-1, 0, TINY, 1], [1]),
    misses=[
        ("(all u:Real. continuousat(f, u)) ->", ""),
        ("0 < f(x)", "0 <= f(x)"),
        ("f(x) <= 0", "f(x) <= 1"),
        ("(x = 1 -> 1 - x = 0)", "(x = 1 -> 1 - x = 1)"),
        ("(x = 1 -> -x = -1)", "(x = 1 -> -x = 1)"),
        ("(x = -1 -> -x = 1)", "(x = -1 -> 1 - x = 1)"),
    ],
)
def negation(_: Any) -> bool:
    return no_candidate_negates() and [1 - F(0), 1 - F(1), -F(-1), -F(1)] == [1, 0, 1, -1]


@adequate(
    "s3.1.pair_rep",
    at=[
        {"x()": column(p), "y()": [column(p), column(2 * a for a in p)], "mu": wrong(mean(p)), "r": [F(1), F(2)]}
        for p in ([F(1), F(-1)], [F(-1), F(1)], [F(1), F(1)], [F(2), F(-2)], [F(-1), F(1), F(7)][:2])
    ],
    misses=[
        ("k. 1, k. 0", "k. 2, k. 0"),
        ("y(i) = x(i)", "y(i) = -x(i)"),
        ("(x(1) = 1 & x(2) = -1) | (x(1) = -1 & x(2) = 1) -> layernormed(x, 2, 0, k. 1,", "layernormed(x, 2, 0, k. 2,"),
        ("layernormed(x, 2, 0, k. 1, k. 0, y, mu, r) ->", ""),
    ],
)
def pair_rep(v: Any) -> bool | None:
    x = list(v["x()"].values())
    if x not in ([1, -1], [-1, 1]):
        return None
    return layer_norm(x, [F(1)] * 2, [F(0)] * 2, F(0)) == x


# Sections 3.2 to 3.5: categories, counts, special symbols


def families() -> Iterator[dict[str, Any]]:
    for k, d, rows in [
        (1, 1, [[1]]),
        (2, 2, [[1, 1], [1, -1]]),
        (2, 3, [[1, 2, 0], [-2, 1, 5]]),
        (3, 3, [[1, 1, 1], [1, -1, 0], [1, 1, -2]]),
        (3, 2, [[1, 0], [0, 1], [1, 1]]),
        (3, 2, [[1, 0], [0, 1], [0, 0]]),
        (0, 0, []),
        (2, 1, [[0], [0]]),
    ]:
        wide = max(k, d)
        hot = table([[int(a == b) for b in range(wide)] for a in range(k)])
        given = table([[*row, *[ODD] * (wide - d)] for row in rows])
        yield {"k": F(k), "d": F(d), "v()": [given, hot], "rows": rows}


@adequate(
    "s3.2.onehot_width",
    at=families(),
    misses=[
        ("-> k <= d)", "-> k < d)"),
        ("(all a in 1..k. all b in 1..k. a != b -> sum(l, 1, d, v(a, l)*v(b, l)) = 0) ->", ""),
        ("(all a in 1..k. 0 < sum(l, 1, d, v(a, l)^2)) ->", ""),
        ("0 < sum(l, 1, d, v(a, l)^2)", "0 <= sum(l, 1, d, v(a, l)^2)"),
        ("a != b -> sum(l, 1, k", "a <= b -> sum(l, 1, k"),
        ("v(a, l) = I[a = l]", "v(a, l) = v(a, l)"),
    ],
)
def width(v: Any) -> bool:
    """Where all products of two different nonzero vectors are 0, there are no more vectors than dimensions."""
    rows, k, d = v["rows"], int(v["k"]), int(v["d"])
    hot = [[F(a == b) for b in range(k)] for a in range(k)]

    def orthogonal(vectors: Any) -> bool:
        return all(any(p) for p in vectors) and not any(times([p], q)[0] for p, q in itertools.combinations(vectors, 2))

    return (not orthogonal(rows) or k <= d) and orthogonal(hot)


def near(a: Any, b: F) -> bool:
    return abs(a - real(b)) <= SLACK * 10


def softmax_mean(scores: list[F], x: list[F]) -> Any:
    weights = [CONTEXT.exp(real(s)) for s in scores]
    return sum(w * real(a) for w, a in zip(weights, x, strict=True)) / CONTEXT.fsum(weights)


def count_instances() -> Iterator[dict[str, Any]]:
    for bits in ([], [1], [0], [1, 0, 1], [0, 0, 1, 1], [1, 1], [2, 0]):
        for scores in ([0] * len(bits), list(range(len(bits)))):
            up_to = [sum(b == 1 for b in bits[:i]) for i in range(1, len(bits) + 1)]
            yield {
                "n": F(len(bits)),
                "x()": column(bits),
                "s()": column(scores),
                "C": wrong(F(sum(b == 1 for b in bits))),
                "P()": [column(up_to), column(p + ODD for p in up_to)],
                **shares(bits),
            }


def shares(word: list[int]) -> dict[str, Any]:
    """Letters numbered from 0, their marks, and of each letter its share of the word or of what was read."""
    n, letters = len(word), range(1, max(word, default=0) + 2)
    cells = [(c, i) for c in letters for i in range(1, n + 1)]
    whole = {(c, i): F(word.count(c - 1), n) for c, i in cells}
    read = {(c, i): F(word[:i].count(c - 1), i) for c, i in cells}
    return {
        "w()": column(word),
        "S": F(len(letters)),
        "is()": {(c, i): F(word[i - 1] == c - 1) for c, i in cells},
        "share()": [whole, read, {at: e + ODD for at, e in whole.items()}],
    }


@adequate(
    "s3.3.integer_reps",
    at=count_instances(),
    misses=[
        ("= C/n", "= C/(n + 1)"),
        ("= P(i)/i", "= P(i)/n"),
        ("(all j in 1..n. s(j) = 0) ->", ""),
        ("(all j in 1..n. bit(x(j))) ->", ""),
        ("C <= n", "C < n"),
        ("0 <= C", "0 < C"),
        ("I[w(j) = c - 1])/n", "I[w(j) = c - 1])/i"),
        ("I[w(j) = c - 1])/i", "I[w(j) = c - 1])/n"),
    ],
)
def counts(v: Any) -> bool | None:
    x, scores = list(v["x()"].values()), list(v["s()"].values())
    if not x:
        return None
    if any(scores) or not set(x) <= {0, 1}:
        return True  # of the family every word is one
    n = len(x)
    prefixes = all(near(softmax_mean(scores[:i], x[:i]), F(x[:i].count(F(1)), i)) for i in range(1, n + 1))
    return prefixes and near(softmax_mean(scores, x), F(x.count(F(1)), n))


def special_instances() -> Iterator[dict[str, Any]]:
    """Candidates for the values and for what is made of symbol and mean; words by length, the special symbol 0."""
    words = [{j: F(1) for j in range(9)} | {0: F(0)}, {j: F(2) for j in range(9)} | {0: F(0)}]
    words += [{j: F(1) for j in range(9)} | {n + 1: F(0)} for n in range(5)] + [{j: F(1) for j in range(9)}]
    words += [{j: F(1) for j in range(9)} | {0: F(2)}]  # of the stored model, where 2 is BOS
    for _ in range(3):
        yield {
            "begin()": {j: F(int(j == 0)) for j in range(9)},
            "inverse()": {j: F(1, j + 1) for j in range(9)},
            "v()": {0: F(1), 1: F(0), 2: F(0)},
            "g()": [lambda _, b: b, lambda a, b: 1 - a * b, lambda a, b: a + b, lambda _, b: b / (1 + b)],
            "n": [F(n) for n in range(5)],
            "w()": words,
        }


SPECIAL = list(special_instances())


def seen_means(v: Any, n: int, ends: bool, masked: bool) -> list[tuple[F, F]]:
    """Symbol and mean at each position of BOS a..a or a..a EOS; of a..a alone with EOS and the mask."""
    word = [F(1)] * n + [F(0)] if ends else [F(0)] + [F(1)] * n
    values = [v["v()"][a] for a in word]
    means = [mean(values[: i + 1] if masked else values) for i in range(n + 1)]
    return list(zip(word, means, strict=True))[: n if ends and masked else n + 1]


def some_function(v: Any, ends: bool, masked: bool) -> bool:
    """Whether one of the functions gives the printed value at every position for every length."""
    return any(
        all(
            g(*seen) == F(1, (i + (2 if ends else 1)) if masked else n + 1)
            for n in map(int, v["n"])
            for i, seen in enumerate(seen_means(v, n, ends, masked))
        )
        for g in v["g()"]
    )


@adequate("s3.4.one_over_nplus1", at=SPECIAL, false=True)
def special_everywhere(v: Any) -> bool:
    return all(some_function(v, ends, masked) for ends in (False, True) for masked in (False, True))


@adequate(
    "s3.4.one_over_nplus1.corrected",
    at=SPECIAL,
    misses=[
        ("& ~(ex v", "& (ex v"),
        ("sum(j, 0, i, v(w(j)))/(i + 1)) = 1/(i + 1)", "sum(j, 0, i, v(w(j)))/(i + 1)) = 1/(n + 1)"),
        ("sum(j, 0, n, v(w(j)))/(n + 1)) = 1/(n + 1)", "sum(j, 0, n, v(w(j)))/(n + 1)) = 1/(n + 2)"),
        ("sum(j, 1, n + 1, v(w(j)))", "sum(j, 1, n, v(w(j)))"),
        ("inverse(i) = 1/(i + 1)", "inverse(i) = 1/(i + 2)"),
        ("w(0) = 0 & ", ""),
        ("w(n + 1) = 0 & (all j in 1..n. w(j) != 0)", "(all j in 1..n. w(j) != 0)"),
    ],
)
def special_seen(v: Any) -> bool:
    """All but the future-masked mean with the symbol at the end, where positions 1 and 2 see the same."""
    seen = seen_means(v, 2, True, True)
    begun_or_whole = all(some_function(v, *kind) for kind in ((False, False), (False, True), (True, False)))
    stored = all(mean([F(1), *[F(0)] * i]) == F(1, i + 1) for i in range(5))
    return begun_or_whole and seen[0] == seen[1] and stored


def begun() -> Iterator[dict[str, Any]]:
    for word in ([], [0], [0, 1], [0, 1, 1], [0, 2, 1, 1], [1, 0], [1, 1], [0, 0], [0, 1, 0, 1]):
        for scores in ([0] * len(word), [3 * (i == 1) for i in range(len(word))]):
            places = range(1, len(word) + 1)
            encoding, share = column(F(1, i) for i in places), column(F(i, len(word)) for i in places)
            yield {
                "n": F(len(word)),
                "w()": column(word),
                "s()": column(scores),
                "pe()": [encoding, {i: x + ODD for i, x in encoding.items()}, share] if word else encoding,
                "word": word,
            }


@adequate(
    "s3.5.1.one_over_i",
    at=begun(),
    misses=[
        ("*I[w(j) = 0]) = 1/i & sum", "*I[w(j) = 0]) = 1/n & sum"),
        ("hardmax(s, i, j)*I[w(j) = 0]) = 1/i", "hardmax(s, i, j)*I[w(j) = 0]) = 1/(i + 1)"),
        ("(all j in 1..n. s(j) = 0) ->", ""),
        ("w(1) = 0 & ", ""),
        (" & (all j in 2..n. w(j) != 0)", ""),
        ("hardmax(s, i, j)*I[w(j) = 0]", "hardmax(s, n, j)*I[w(j) = 0]"),
        ("pe(i) = 1/i", "pe(i) = 1/n"),
        ("run(positional-encoding) ->", ""),
        ("run(positional-encoding)", "run(positional-encoding-share)"),
    ],
)
def one_over_i(v: Any) -> bool | None:
    word, scores = v["word"], list(v["s()"].values())
    if not word or word[0] != 0 or 0 in word[1:] or any(scores):
        return None
    marks = [F(a == 0) for a in word]
    soft = [softmax_mean(scores[:i], marks[:i]) for i in range(1, len(word) + 1)]
    return all(near(a, F(1, i)) and mean(marks[:i]) == F(1, i) for i, a in enumerate(soft, 1))


def embeddings() -> Iterator[dict[str, Any]]:
    for _ in range(3):
        yield {
            "v()": column([1, 0], 0),
            "g()": [lambda _, b: b, lambda a, b: 1 - a * b, lambda a, b: a + b],
            "n": [F(1), F(2), F(3), F(5)],
            "w()": [column([0, 1, 1, 1, 1]), column([0] * 5), column([1] * 5)],
            "pe()": [column(F(i, n) for i in range(1, n + 1)) for n in (1, 2, 3, 5)],
        }


EMBEDDINGS = list(embeddings())


@adequate("s3.5.1.i_over_n", at=EMBEDDINGS, false=True)
def position_over_length(v: Any) -> bool:
    """The outputs at positions 2 and 3 of BOS a a are equal, whatever is computed; 2/3 and 1 are not."""
    for g in v["g()"]:
        x = [v["v()"][0], v["v()"][1], v["v()"][1]]
        if [g(F(w), mean(x)) for w in (0, 1, 1)] == [F(i, 3) for i in (1, 2, 3)]:
            return True
    return False


@adequate(
    "s3.5.1.i_over_n.corrected",
    at=EMBEDDINGS,
    misses=[
        ("= 1/n)", "= i/n)"),
        ("= 1/n)", "= 1/i)"),
        ("w(1) = 0 & ", ""),
        (" & (all j in 2..n. w(j) != 0)", ""),
        ("= 1/n)", "= 1/(n + 1))"),
        ("pe(i) = i/n", "pe(i) = 1/n"),
        ("(2 <= i -> 1/n < pe(i))", "(1 <= i -> 1/n < pe(i))"),
    ],
)
def one_over_length(v: Any) -> bool:
    """v = I[BOS] and the mean itself, which is i/n at the first position alone."""
    first = all(F(i, n) > F(1, n) for n in (2, 3, 5) for i in range(2, n + 1))
    return first and all(mean([v["v()"][0], *[v["v()"][1]] * (n - 1)]) == F(1, n) for n in (1, 2, 3, 5))


def powers() -> Iterator[dict[str, Any]]:
    for n in range(5):
        columns = {f"pe_{k}()": column(F(i) ** k for i in range(1, n + 1)) for k in (1, 2, 3)}
        other = {i: x + ODD for i, x in columns["pe_2()"].items()}
        yield {"n": F(n), **columns, "pe_2()": [columns["pe_2()"], other] if n else columns["pe_2()"]}


@adequate(
    "s3.5.1.powers",
    at=powers(),
    misses=[
        ("pe_3(i) = i^3", "pe_3(i) = i^2"),
        ("pe_2(q) - 1", "pe_2(q) - 2"),
        ("- i^2)", "- 2*i^2)"),
        ("j != q -> ", ""),
        ("2*q*pe_1(j) - pe_2(j)", "3*q*pe_1(j) - pe_2(j)"),
        ("run(positional-encoding-powers)", "1 <= n"),
    ],
)
def powers_look_up(v: Any) -> bool | None:
    """By q and j alone: 2 q j - j^2 falls off by the square of the distance, i^2 times that with the higher powers."""
    n = int(v["n"])
    if not n:
        return None
    places = range(1, n + 1)
    single = all(2 * q * j - j**2 + 1 <= q**2 for q in places for j in places if j != q)
    return single and all(2 * i**3 * j - i**2 * j**2 + i**2 <= i**4 for i in places for j in places if j != i)


# Section 8: the residual stream, routing


def product(a: list[list[F]], b: list[list[F]]) -> list[list[F]]:
    return [times(turned(b, len(b[0]) if b else 0), row) for row in a]


def cube(entries: Any) -> dict[tuple[int, int, int], F]:
    """Layers from 0, positions and entries from 1."""
    return {
        (n, i, a): F(e) for n, rows in enumerate(entries) for i, row in enumerate(rows, 1) for a, e in enumerate(row, 1)
    }


def stream_instances() -> Iterator[dict[str, Any]]:
    for layers, n, d in [(0, 1, 2), (1, 2, 1), (2, 2, 2), (3, 1, 1)]:
        attention, forward = ([[numbers(d) for _ in range(n)] for _ in range(layers + 1)] for _ in range(2))
        z = [[numbers(d) for _ in range(n)]]
        c = [[[ODD] * d for _ in range(n)]]
        for k in range(1, layers + 1):
            c.append([plus(p, q) for p, q in zip(attention[k], z[-1], strict=True)])
            z.append([plus(p, q) for p, q in zip(forward[k], c[-1], strict=True)])
        other = {k: e + ODD * (k[0] == layers) for k, e in cube(z).items()}
        yield {
            "L": F(layers),
            "n": F(n),
            "d": F(d),
            "A()": cube(attention),
            "H()": cube(forward),
            "c()": cube(c),
            "z()": [cube(z)] + [other] * (layers > 0),
        }


@adequate(
    "s8.1.residual_stream",
    at=stream_instances(),
    misses=[
        ("z(l, i, a) - z(l - 1, i, a)", "z(l, i, a)"),
        ("= A(l, i, a) + H(l, i, a)", "= H(l, i, a)"),
        ("z(0, i, a) + sum(k, 1, l,", "sum(k, 1, l,"),
        ("sum(k, 1, l, A(k, i, a) + H(k, i, a))", "sum(k, 1, L, A(k, i, a) + H(k, i, a))"),
        ("sum(k, 1, l, A(k, i, a) + H(k, i, a))", "sum(k, 1, l, A(k, i, a))"),
        (" & z(l, i, a) = H(l, i, a) + c(l, i, a)", ""),
    ],
)
def stream(v: Any) -> bool:
    """c = sa + z, z' = ff + c: the last z is the first with all outputs added."""
    layers, n, d = int(v["L"]), int(v["n"]), int(v["d"])
    for i, a in itertools.product(range(1, n + 1), range(1, d + 1)):
        z = v["z()"][0][0, i, a]
        for k in range(1, layers + 1):
            c = v["A()"][k, i, a] + z
            z = v["H()"][k, i, a] + c
            if z != v["z()"][0][k, i, a]:
                return False
        outputs = [v[name][k, i, a] for name in ("A()", "H()") for k in range(1, layers + 1)]
        if z != v["z()"][0][0, i, a] + sum(outputs, F(0)):
            return False
    return True


SIZES = [(2, 2, 1, 2, 2), (1, 3, 2, 2, 1), (3, 1, 2, 1, 3), (2, 3, 4, 1, 1), (1, 1, 0, 1, 1)]


def routed_networks() -> Iterator[dict[str, Any]]:
    for m, d, h, e, g in SIZES:
        net = (matrix(h, d), numbers(h), matrix(e, h), numbers(e))
        R, S, x = matrix(d, m), matrix(g, e), numbers(m)
        y = network(net, times(R, x))
        P = product(net[0], R)
        U = [times(turned(net[2], h), row) for row in S]
        yield {
            **{k: F(n) for k, n in zip("mdheg", (m, d, h, e, g), strict=True)},
            "W()": table(net[0]),
            "b()": column(net[1]),
            "V()": table(net[2]),
            "c()": column(net[3]),
            "R()": table(R),
            "S()": table(S),
            "P()": [table(P), table([[a + ODD for a in row] for row in P])],
            "U()": [table(U), table([[a + ODD for a in row] for row in U])],
            "q()": [column(times(S, net[3])), column([ODD] * g)],
            "x()": column(x),
            "y()": [column(y), column([ODD] * e)],
        }


@adequate(
    "s8.2.routing_ffn",
    at=routed_networks(),
    misses=[
        ("+ q(a)", "+ 2*q(a)"),
        ("(all a in 1..g. q(a) = sum(i, 1, e, S(a, i)*c(i))) ->", ""),
        ("(all a in 1..g. all k in 1..h. U(a, k) = sum(i, 1, e, S(a, i)*V(i, k))) ->", ""),
        ("(all k in 1..h. all j in 1..m. P(k, j) = sum(l, 1, d, W(k, l)*R(l, j))) ->", ""),
        ("relu(sum(j, 1, m, P(k, j)*x(j)) + b(k))", "relu(sum(j, 1, m, P(k, j)*x(j)))"),
        ("relu(sum(j, 1, m, P(k, j)*x(j)) + b(k))", "(sum(j, 1, m, P(k, j)*x(j)) + b(k))"),
    ],
)
def routing_ffn(v: Any) -> bool:
    """L o ff o R has W1 R, b1, L W2, L b2."""
    m, d, h, e, g = (int(v[k]) for k in "mdheg")
    R, S = values(v["R()"], d, m), values(v["S()"], g, e)
    net = (values(v["W()"], h, d), values(v["b()"], h), values(v["V()"], e, h), values(v["c()"], e))
    routed = (
        product(net[0], R),
        net[1],
        [times(turned(net[2], h), row) for row in S],
        times(S, net[3]),
    )
    x = values(v["x()"], m)
    return network(routed, x) == times(S, network(net, times(R, x)))


def routed_attention() -> Iterator[dict[str, Any]]:
    for n, (m, d, h, e, g) in zip((2, 1, 3, 2, 2), SIZES, strict=True):
        Q, K, V, R, S = matrix(h, d), matrix(h, d), matrix(e, d), matrix(d, m), matrix(g, e)
        z = matrix(n, m)
        y = [times(R, row) for row in z]
        U = product(product(S, V), R)
        yield {
            **{k: F(a) for k, a in zip("nmdheg", (n, m, d, h, e, g), strict=True)},
            "Q()": table(Q),
            "K()": table(K),
            "V()": table(V),
            "R()": table(R),
            "S()": table(S),
            "P()": [table(product(Q, R)), table([[ODD] * m] * h)],
            "O()": [table(product(K, R)), table([[ODD] * m] * h)],
            "U()": [table(U), table([[a + ODD for a in row] for row in U])],
            "z()": table(z),
            "y()": [table(y), table([[a + ODD for a in row] for row in y])],
            "alpha()": table(matrix(n, n)),
        }


@adequate(
    "s8.2.routing_sa",
    at=routed_attention(),
    misses=[
        ("(all a in 1..h. all p in 1..m. P(a, p) = sum(l, 1, d, Q(a, l)*R(l, p))) ->", ""),
        ("(all a in 1..h. all p in 1..m. O(a, p) = sum(l, 1, d, K(a, l)*R(l, p))) ->", ""),
        ("(all a in 1..g. all p in 1..m. U(a, p) = sum(i, 1, e, S(a, i)*sum(l, 1, d, V(i, l)*R(l, p)))) ->", ""),
        ("(all i in 1..n. all l in 1..d. y(i, l) = sum(p, 1, m, R(l, p)*z(i, p))) ->", ""),
        ("sum(l, 1, d, K(a, l)*y(j, l))", "sum(l, 1, d, Q(a, l)*y(j, l))"),
        ("V(k, l)*y(j, l)", "V(k, l)*y(i, l)"),
    ],
)
def routing_sa(v: Any) -> bool:
    """The same scores, and for any weights the routed values."""
    n, m, d, h, e, g = (int(v[k]) for k in "nmdheg")
    Q, K = values(v["Q()"], h, d), values(v["K()"], h, d)
    V, R, S = values(v["V()"], e, d), values(v["R()"], d, m), values(v["S()"], g, e)
    z, alpha = values(v["z()"], n, m), values(v["alpha()"], n, n)
    y = [times(R, row) for row in z]

    def scores(queries: Any, keys: Any, rows: Any) -> Any:
        return [[times([times(queries, p)], times(keys, q))[0] for q in rows] for p in rows]

    def attended(matrix_: Any, rows: Any) -> Any:
        mapped = [times(matrix_, row) for row in rows]
        return [times(turned(mapped, len(mapped[0])), weights) for weights in alpha]

    if scores(product(Q, R), product(K, R), z) != scores(Q, K, y):
        return False
    return attended(product(product(S, V), R), z) == [times(S, row) for row in attended(V, y)]


def matched_networks() -> Iterator[dict[str, Any]]:
    for d, h, e, most in [(1, 2, 3, 3), (3, 2, 1, 3), (2, 1, 2, 4), (2, 3, 1, 2), (1, 0, 1, 1), (2, 1, 2, 1)]:
        net = (matrix(h, d), numbers(h), matrix(e, h), numbers(e))
        wide = max(most, d, e)
        P = [[*row, *[F(0)] * (wide - d)] for row in net[0]]
        U = [*net[2], *[[F(0)] * h] * (wide - e)]
        q = [*net[3], *[F(0)] * (wide - e)]
        yield {
            **{k: F(n) for k, n in zip("dheN", (d, h, e, most), strict=True)},
            "W()": table([[*row, *[ODD] * (wide - d)] for row in net[0]]),
            "b()": column(net[1]),
            "V()": table([*net[2], *[[ODD] * h] * (wide - e)]),
            "c()": column([*net[3], *[ODD] * (wide - e)]),
            "P()": [table(P), table([[*row[:-1], row[-1] + ODD] for row in P])],
            "U()": [table(U), table([*U[:-1], [a + ODD for a in U[-1]]])],
            "q()": [column(q), column([*q[:-1], q[-1] + ODD])],
            "x()": [column(numbers(wide)) for _ in range(4)],
            "net": net,
        }


@adequate(
    "s8.2.dim_match",
    at=matched_networks(),
    misses=[
        ("+ b(k))) + q(i) = 0", "+ b(k))) + q(i) = c(i)"),
        (" & (all i in e + 1..N. q(i) = 0)", ""),
        (" & all l in d + 1..N. P(k, l) = 0", ""),
        (" & all i in e + 1..N. U(i, k) = 0", ""),
        ("(all i in 1..e. q(i) = c(i)) & ", ""),
        ("(all i in 1..e. sum(k, 1, h, U", "(all i in 1..N. sum(k, 1, h, U"),
    ],
)
def dim_match(v: Any) -> bool | None:
    """On embedded inputs the padded network agrees, and is 0 beyond."""
    d, h, e, most = (int(v[k]) for k in "dheN")
    if most < max(d, e):
        return None
    padded = (
        values(v["P()"][0], h, most),
        values(v["b()"], h),
        values(v["U()"][0], most, h),
        values(v["q()"][0], most),
    )
    inputs = [values(x, most) for x in v["x()"]]
    return all(network(padded, x) == [*network(v["net"], x[:d]), *[0] * (most - e)] for x in inputs)


def routed_vectors() -> Iterator[dict[str, Any]]:
    for p in ([1], [0], [2, 1], [2, 0], [1, 1, 3], [3, 0, 2], [5, 1]):
        d, h, e = len(p), 2, 2
        z = numbers(d)
        y = [z[k - 1] if 0 < k <= d else F(0) for k in p]
        R = [[F(m == k) for m in range(1, d + 1)] for k in p]
        yield {
            "d": F(d),
            "h": F(h),
            "e": F(e),
            "p()": column(p),
            "z()": {**column(z), 0: ODD, 5: ODD},
            "y()": [column(y), column(a + ODD for a in y)],
            "R()": [table(R), table([[a + ODD for a in row] for row in R])],
            "W()": table(matrix(h, d)),
            "b()": column(numbers(h)),
            "V()": table(matrix(e, h)),
            "c()": column(numbers(e)),
            "Q()": table(matrix(e, d)),
            "map": p,
            **in_the_family(d, h, e, z, y, R),
        }


def in_the_family(d: int, h: int, e: int, z: list[F], y: list[F], R: Any) -> dict[str, Any]:
    """The network whose first matrix takes in R, on the vector before it."""
    net = (matrix(h, d), numbers(h), matrix(e, h), numbers(e))
    out = network((product(net[0], R), *net[1:]), z)
    return {
        "W()": table(net[0]),
        "b()": column(net[1]),
        "V()": table(net[2]),
        "c()": column(net[3]),
        "g_W()": [table(product(net[0], R)), table(net[0])],
        "g_b()": column(net[1]),
        "g_V()": table(net[2]),
        "g_c()": column(net[3]),
        "g_z()": [column(z), column(y)],
        "g_out()": [column(out), column(a + ODD for a in out), column(network(net, y)), column(network(net, z))],
    }


@adequate(
    "t3.routing",
    at=routed_vectors(),
    misses=[
        (" & (p(l) = 0 -> y(l) = 0)", ""),
        (" & (p(l) != 0 -> y(l) = z(p(l)))", ""),
        ("(all l in 1..d. all m in 1..d. R(l, m) = I[m = p(l)]) ->", ""),
        ("sum(l, 1, d, Q(i, l)*y(l))", "sum(l, 1, d, Q(i, l)*z(l))"),
        ("sum(l, 1, d, W(k, l)*y(l))", "sum(l, 1, d, W(k, l)*z(l))"),
        ("R(l, m)*z(m)) = y(l))", "R(l, m)*z(m)) = z(l))"),
        ("& (all m in 1..d. g_z(m) = z(m))", ""),
        (" & all m in 1..d. g_W(k, m) = sum(l, 1, d, W(k, l)*R(l, m))", ""),
    ],
)
def routing(v: Any) -> bool | None:
    """A matrix of zeros and ones reorders, duplicates, zeroes; what follows takes it in."""
    d, h, e = (int(v[k]) for k in "dhe")
    if max(v["map"]) > d:
        return None
    z = values(v["z()"], d)
    y = [z[k - 1] if k else F(0) for k in v["map"]]
    R = [[F(m == k) for m in range(1, d + 1)] for k in v["map"]]
    net = (values(v["W()"], h, d), values(v["b()"], h), values(v["V()"], e, h), values(v["c()"], e))
    Q = values(v["Q()"], e, d)
    same = network((product(net[0], R), *net[1:]), z) == network(net, y)
    return times(R, z) == y and same and times(product(Q, R), z) == times(Q, y)


# Section 8.3: composition


class Layer:
    """Definition 2.2 with average-hard attention and random weights of small integers."""

    def __init__(self, d: int, h: int, m: int) -> None:
        self.sizes = (d, h, m)
        small = [[RANDOM.choice((F(-1), F(0), F(1), F(2))) for _ in range(d)] for _ in range(2 * m + d + h)]
        self.Q, self.K, self.V, self.W1 = small[:m], small[m : 2 * m], small[2 * m : 2 * m + d], small[2 * m + d :]
        self.b1, self.W2, self.b2 = numbers(h), matrix(d, h), numbers(d)

    def weights(self, z: list[list[F]]) -> list[list[F]]:
        out = []
        for p in z:
            scores = [times([times(self.Q, p)], times(self.K, q))[0] for q in z]
            best = [F(s == max(scores)) for s in scores]
            out.append([b / sum(best) for b in best])
        return out

    def run(self, z: list[list[F]]) -> list[list[F]]:
        mapped = [times(self.V, row) for row in z]
        attended = [plus(p, times(turned(mapped, len(p)), w)) for p, w in zip(z, self.weights(z), strict=True)]
        return [plus(c, network((self.W1, self.b1, self.W2, self.b2), c)) for c in attended]

    def widened(self, before: int, after: int) -> Layer:
        """f' of Lemma 8.3: zeros for `before` entries above and `after` entries below."""
        d, h, m = self.sizes

        def wide(rows: Any) -> Any:
            return [[F(0)] * before + row + [F(0)] * after for row in rows]

        new = Layer(before + d + after, h, m)
        above, below = [[F(0)] * new.sizes[0]] * before, [[F(0)] * new.sizes[0]] * after
        new.Q, new.K, new.W1, new.b1 = wide(self.Q), wide(self.K), wide(self.W1), self.b1
        new.V = above + wide(self.V) + below
        new.W2 = [[F(0)] * h] * before + self.W2 + [[F(0)] * h] * after
        new.b2 = [F(0)] * before + self.b2 + [F(0)] * after
        return new


def total_function(entries: dict[Any, Any]) -> Callable[..., F]:
    """A table with a value everywhere: the formal statement multiplies what lies outside by 0."""
    return lambda *at: entries.get(at[0] if len(at) == 1 else at, ODD)


def parameters(layers: list[Layer], names: str) -> dict[str, Any]:
    """Q K V W1 b1 W2 b2 of all layers under these names, layers from 1."""
    out = {}
    for name, field in zip(names, ("Q", "K", "V", "W1", "b1", "W2", "b2"), strict=True):
        entries: dict[Any, Any] = {}
        for n, layer in enumerate(layers, 1):
            value = getattr(layer, field)
            found = table(value) if field not in ("b1", "b2") else column(value)
            entries |= {(n, *(k if isinstance(k, tuple) else (k,))): e for k, e in found.items()}
        out[f"{name}()"] = total_function(entries)
    return out


def by_layers(values_: list[Any], first: int = 1) -> Callable[..., F]:
    return total_function({(n, *k): e for n, rows in enumerate(values_, first) for k, e in table(rows).items()})


def offered(instance: dict[str, Any]) -> dict[str, Any]:
    """A function as the only value offered: by itself it would be asked for the values."""
    return {k: [v] if callable(v) else v for k, v in instance.items()}


def spoiled(function: Callable[..., F], layer: int) -> Callable[..., F]:
    """Another value in one layer."""
    return lambda *at: function(*at) + (ODD if at[0] == layer else 0)


def below(function: Callable[..., F], d: int) -> Callable[..., F]:
    """Other values in the entries after the d-th."""
    return lambda *at: function(*at) + (ODD if at[-1] > d else 0)


def runs(layers: list[Layer], start: list[list[F]]) -> list[list[list[F]]]:
    out = [start]
    for layer in layers:
        out.append(layer.run(out[-1]))
    return out


def side_by_side_runs(levels: tuple[int, int], n: int, d: int, e: int) -> dict[str, Any]:
    """Two random transformers and what Lemma 8.3 makes of them; a level that one of them has not changes nothing."""
    h, o, m, f = 2, 1, 1, 2
    one, two = [Layer(d, h, m) for _ in range(levels[0])], [Layer(e, o, f) for _ in range(levels[1])]
    z, x = runs(one, matrix(n, d)), runs(two, matrix(n, e))
    Z = [[p + q for p, q in zip(z[0], x[0], strict=True)]]
    T, beta, zeta = [], [], []
    for first, second in itertools.zip_longest(one, two):
        if first:
            beta.append(first.widened(0, e).weights(Z[-1]))
        T.append(first.widened(0, e).run(Z[-1]) if first else Z[-1])
        if second:
            zeta.append(second.widened(d, 0).weights(T[-1]))
        Z.append(second.widened(d, 0).run(T[-1]) if second else T[-1])
    return {
        **{k: F(a) for k, a in zip("JLndehomf", (*levels, n, d, e, h, o, m, f), strict=True)},
        **parameters(one, "QKVWgUr"),
        **parameters(two, "POMXsYt"),
        "alpha()": by_layers([a.weights(p) for a, p in zip(one, z, strict=False)]),
        "omega()": by_layers([a.weights(p) for a, p in zip(two, x, strict=False)]),
        "beta()": [by_layers(beta), spoiled(by_layers(beta), 1)],
        "zeta()": [by_layers(zeta), spoiled(by_layers(zeta), 1)],
        "z()": by_layers(z, 0),
        "x()": by_layers(x, 0),
        "T()": by_layers(T),
        "Z()": [
            by_layers(Z, 0),
            spoiled(by_layers(Z, 0), 0),
            spoiled(by_layers(Z, 0), max(levels)),
            below(by_layers(Z, 0), d),
        ],
        "layers": (one, two, z[0], x[0]),
    }


def transformers() -> Iterator[dict[str, Any]]:
    for levels, n, d, e in [(0, 1, 1, 1), (1, 2, 1, 2), (2, 2, 2, 1), (2, 1, 1, 1), (1, 3, 2, 2)]:
        both = side_by_side_runs((levels, levels), n, d, e)
        yield {k: v for k, v in both.items() if k != "J"}


def unequal() -> Iterator[dict[str, Any]]:
    for J, L, n, d, e in [(0, 0, 1, 1, 1), (0, 1, 1, 1, 2), (1, 2, 2, 1, 1), (2, 0, 1, 2, 1), (3, 1, 2, 1, 1)]:
        yield side_by_side_runs((J, L), n, d, e)


PAIRS = list(map(offered, transformers()))


@adequate(
    "s8.3.parallel",
    "t3.parallel",
    at=PAIRS,
    misses=[
        ("Z(L, i, a) = z(L, i, a)", "Z(L, i, a) = x(L, i, a)"),
        ("Z(L, i, d + a) = x(L, i, a)", "Z(L, i, a) = x(L, i, a)"),
        ("Z(L, i, d + a) = x(L, i, a)", "Z(L, i, d + a) = x(0, i, a)"),
        (
            "(all i in 1..n. (all a in 1..d. Z(0, i, a) = z(0, i, a)) & all a in 1..e. Z(0, i, d + a) = x(0, i, a)) ->",
            "",
        ),
        ("Z(0, i, d + a) = x(0, i, a)", "Z(0, i, d + a) = Z(0, i, d + a)"),
    ],
)
def side_by_side(v: Any) -> bool:
    """Eq. 40: the stacked transformers, f1' below f2' at each level."""
    one, two, first, second = v["layers"]
    state = [p + q for p, q in zip(first, second, strict=True)]
    d, e = len(first[0]), len(second[0])
    for upper, lower in zip(one, two, strict=True):
        state = lower.widened(d, 0).run(upper.widened(0, e).run(state))
    return state == [p + q for p, q in zip(runs(one, first)[-1], runs(two, second)[-1], strict=True)]


def widened_layers() -> Iterator[dict[str, Any]]:
    for n, d, e in [(1, 1, 1), (2, 1, 2), (2, 2, 1), (3, 1, 1), (1, 2, 0)]:
        one, two = Layer(d, 2, 1), Layer(e, 1, 2)
        z = matrix(n, d + e)
        single = {
            k: (lambda *at, f=f: f(1, *at))
            for k, f in (parameters([one], "QKVWgUr") | parameters([two], "POMXsYt")).items()
        }
        yield {
            **{k: F(a) for k, a in zip("ndehomf", (n, d, e, 2, 1, 1, 2), strict=True)},
            **single,
            "alpha()": total_function(table(one.widened(0, e).weights(z))),
            "omega()": total_function(table(two.widened(d, 0).weights(z))),
            "z()": total_function(table(z)),
            "layers": (one, two, z),
        }


@adequate(
    "s8.3.parallel_widen",
    at=map(offered, widened_layers()),
    misses=[
        ("upperscore(Q, K, m, d, e, z, i, j) = scoreof(Q, K, m, d, z, i, j)", "upperscore(Q, K, m, d, e, z, i, j) = 0"),
        ("scoreof(P, O, f, e, p q. z(p, d + q), i, j)", "scoreof(P, O, f, e, z, i, j)"),
        ("all a in d + 1..d + e. upperlayer", "all a in d..d + e. upperlayer"),
        ("(all i in 1..n. all a in 1..d. lowerlayer", "(all i in 1..n. all a in 1..d + e. lowerlayer"),
        (
            "e, o, z, i, d + a) = layered(M, X, s, Y, t, omega, n, e, o, p q. z(p, d + q), i, a)",
            "e, o, z, i, d + a) = layered(M, X, s, Y, t, omega, n, e, o, z, i, a)",
        ),
        ("z, i, a) = layered(V, W, g, U, r, alpha, n, d, h, z, i, a)", "z, i, a) = z(i, a)"),
    ],
)
def widen(v: Any) -> bool:
    """f1' is f1 on the top and nothing below, f2' the other way round, and they commute."""
    one, two, z = v["layers"]
    d, e = one.sizes[0], two.sizes[0]
    upper, lower = one.widened(0, e), two.widened(d, 0)
    top, bottom = one.run([row[:d] for row in z]), two.run([row[d:] for row in z])
    first = upper.run(z) == [p + row[d:] for p, row in zip(top, z, strict=True)]
    second = lower.run(z) == [row[:d] + q for q, row in zip(bottom, z, strict=True)]
    return first and second and upper.run(lower.run(z)) == lower.run(upper.run(z)) and len(z[0]) == d + e


def stacked() -> Iterator[dict[str, Any]]:
    for J, L, n, d in [(1, 1, 2, 2), (1, 1, 1, 1), (1, 1, 3, 1), (0, 2, 2, 1), (2, 1, 2, 2), (1, 2, 1, 2)]:
        layers = [Layer(d, 2, 1) for _ in range(J + L)]
        z = runs(layers, matrix(n, d))
        later = runs(layers[J:], z[J])
        other = runs(layers[J:], matrix(n, d))
        turns = [a.weights(p) for a, p in zip(layers[J:], other, strict=False)]
        weights = [a.weights(p) for a, p in zip(layers, z, strict=False)]
        # For `serial` the second run is numbered like the stack.
        x = by_layers(z, 0) if J == L == 1 else by_layers(later, 0)
        yield {
            "J": F(J),
            "L": F(L),
            **{k: F(a) for k, a in zip("ndhm", (n, d, 2, 1), strict=True)},
            **parameters(layers, "QKVWgUr"),
            "alpha()": by_layers(weights),
            "omega()": [by_layers(weights), by_layers(weights[J:]), by_layers(turns)],
            "z()": by_layers(z, 0),
            "x()": [x, by_layers(later, 0), by_layers(other, 0), spoiled(x, 2)],
            "layers": (layers, J, z[0]),
        }


STACKS = list(map(offered, stacked()))


def in_sequence(v: Any) -> bool:
    """Running all layers is running the first J, then the others on their output."""
    layers, J, start = v["layers"]
    return runs(layers, start)[-1] == runs(layers[J:], runs(layers[:J], start)[-1])[-1]


def flat(layer: Layer) -> Layer:
    """Without queries: every weighting gives all positions the same weight."""
    layer.Q = [[F(0)] * len(row) for row in layer.Q]
    return layer


def idle(d: int) -> Layer:
    """The layer that changes nothing."""
    layer = flat(Layer(d, 2, 1))
    layer.V, layer.W2, layer.b2 = [[F(0)] * d for _ in range(d)], [[F(0)] * 2 for _ in range(d)], [F(0)] * d
    return layer


def hinges() -> list[Layer]:
    """x3 becomes x3 + relu(x2 - x1), then x3 + relu(x1 + x3): with max(0, x1, x2) in it."""
    out = []
    for row in ([F(-1), F(1), F(0)], [F(1), F(0), F(1)]):
        layer = flat(Layer(3, 1, 1))
        layer.V, layer.W1, layer.b1 = [[F(0)] * 3 for _ in range(3)], [row], [F(0)]
        layer.W2, layer.b2 = [[F(0)], [F(0)], [F(1)]], [F(0)] * 3
        out.append(layer)
    return out


def two_and_one() -> Iterator[dict[str, Any]]:
    """Two layers, and one: where the second does nothing, and two whose result has its kinks on half-lines."""
    cases = [([flat(Layer(d, 2, 1)), idle(d)], [matrix(n, d)]) for n, d in [(1, 2), (2, 2), (3, 1)]]
    cases += [(hinges(), [[[*map(F, x), F(0)]] for x in itertools.product((-3, 1, 2), repeat=2)])]
    for layers, starts in cases:
        n, (d, h, m) = len(starts[0]), layers[0].sizes
        for start in starts if h == 2 else starts[-1:]:
            z = runs(layers, start)
            weights = by_layers([a.weights(p) for a, p in zip(layers, z, strict=False)])
            one = {x: [lambda *at, f=f: f(1, *at)] for x, f in parameters(layers, "ABCXfYs").items()}
            all_runs = [by_layers(runs(layers, other), 0) for other in starts]
            yield {
                **{k: F(a) for k, a in zip("ndhm", (n, d, h, m), strict=True)},
                **parameters(layers, "QKVWgUr"),
                **one,
                "e": [F(h)],
                "q": [F(m)],
                "alpha()": weights,
                "omega()": weights,
                "z()": all_runs,
                "x()": [by_layers(z, 0), spoiled(by_layers(z, 0), 2)],
                "layers": (layers, 1, start),
            }


TWO_AND_ONE = list(map(offered, two_and_one()))


@adequate("s8.3.serial", at=TWO_AND_ONE, false=True)
def one_layer(v: Any) -> bool:
    """A layer that does nothing can be left out; max(0, x, y) needs two."""
    layers, _, _ = v["layers"]
    return not any(any(row) for row in layers[1].W2)


@adequate(
    "s8.3.serial.corrected",
    at=TWO_AND_ONE,
    misses=[
        ("z(2, i, a) = x(2, i, a)", "z(2, i, a) = x(1, i, a)"),
        ("z(2, i, a) = x(2, i, a)", "z(1, i, a) = x(2, i, a)"),
        ("z(2, i, a) = x(2, i, a)", "z(2, i, a) = 0"),
        ("x(l, i, a) = layered", "0*x(l, i, a) = 0*layered"),
    ],
)
def serial(v: Any) -> bool:
    return in_sequence(v)


@adequate(
    "s8.3.serial_sequences",
    at=STACKS,
    misses=[
        ("z(J + l, i, a) = x(l, i, a)", "z(l, i, a) = x(l, i, a)"),
        ("z(J + l, i, a) = x(l, i, a)", "z(J + l, i, a) = x(0, i, a)"),
        ("(all i in 1..n. all a in 1..d. x(0, i, a) = z(J, i, a)) ->", ""),
        ("x(l, i, a) = layered", "0*x(l, i, a) = 0*layered"),
    ],
)
def sequences(v: Any) -> bool:
    return in_sequence(v)


def embedded() -> Iterator[dict[str, Any]]:
    for word, d, e in [([1, 2, 1], 1, 2), ([2], 2, 1), ([1, 1], 1, 1), ([3, 1], 2, 2)]:
        A, B, P, R = matrix(3, d), matrix(3, e), matrix(len(word), d), matrix(len(word), e)
        C, S = ([p + q for p, q in zip(a, b, strict=True)] for a, b in ((A, B), (P, R)))
        yield {
            "n": F(len(word)),
            "d": F(d),
            "e": F(e),
            **{f"{k}()": total_function(table(a)) for k, a in zip("ABPR", (A, B, P, R), strict=True)},
            "C()": [
                total_function(table(C)),
                total_function({}),
                lambda a, b, C=C, d=d: C[int(a) - 1][int(b) - 1] + (b <= d),
            ],
            "S()": [total_function(table(S)), total_function({}), below(total_function(table(S)), d)],
            "w()": column(word),
            "sigma": [F(1), F(2), F(3)],
            "parts": (A, B, P, R, C, S, word),
        }


@adequate(
    "s8.3.parallel_embedding",
    at=map(offered, embedded()),
    misses=[
        ("= B(w(i), a) + R(i, a)", "= A(w(i), a) + P(i, a)"),
        ("= A(w(i), a) + P(i, a)", "= A(w(i), a)"),
        ("C(w(i), d + a) + S(i, d + a) =", "C(w(i), a) + S(i, a) ="),
        ("& all a in 1..e. S(i, d + a) = R(i, a)", ""),
        ("(all a in 1..d. C(sigma, a) = A(sigma, a)) & ", ""),
    ],
)
def embedding(v: Any) -> bool:
    A, B, P, R, C, S, word = v["parts"]
    return all(plus(C[a - 1], S[i]) == plus(A[a - 1], P[i]) + plus(B[a - 1], R[i]) for i, a in enumerate(word))


@adequate(
    "s8.3.parallel_depth",
    at=map(offered, unequal()),
    misses=[
        ("= 2*max(J, L)", "= 2*min(J, L)"),
        ("= 2*max(J, L)", "= J + L"),
        ("1 + 1) =", "1) ="),
        ("(all a in 1..d. Z(max(J, L), i, a) = z(J, i, a))", "(all a in 1..d. Z(min(J, L), i, a) = z(J, i, a))"),
        ("Z(max(J, L), i, d + a) = x(L, i, a)", "Z(max(J, L), i, d + a) = x(0, i, a)"),
        (" & all a in 1..e. Z(0, i, d + a) = x(0, i, a)", ""),
    ],
)
def depth(v: Any) -> bool:
    """Eq. 40 for transformers of different depths; two layers for each level of the deeper one."""
    one, two, first, second = v["layers"]
    state, layers = [p + q for p, q in zip(first, second, strict=True)], 0
    d, e = len(first[0]), len(second[0])
    for upper, lower in itertools.zip_longest(one, two):
        layers += 2
        state = upper.widened(0, e).run(state) if upper else state
        state = lower.widened(d, 0).run(state) if lower else state
    right = state == [p + q for p, q in zip(runs(one, first)[-1], runs(two, second)[-1], strict=True)]
    return right and layers == 2 * max(len(one), len(two))
