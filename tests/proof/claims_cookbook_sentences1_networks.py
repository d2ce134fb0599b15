"""Sentences of the Cookbook's Section 4 that no other row covers: claims written from the paper's words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proof.adequacy import ODD, adequate, column, table
from proof.claims_cookbook import are_bits, boolean_instances, numbered
from proof.claims_cookbook_sentences1 import matrix, number, plus, vector
from proof.paper import at_most, same, times
from proof.statement_truth import CONTEXT, real
from shared import relu

F = Fraction


def without_bends() -> Iterator[dict[str, Any]]:
    for d, h, e, p, q in ((1, 1, 1, 1, 0), (2, 3, 1, 1, 0), (2, 2, 2, F(1, 2), 3), (1, 0, 1, 2, 1), (1, 1, 0, 1, 0)):
        W, b, V, c = matrix(h, d), vector(h), matrix(e, h), vector(e)
        p, q = F(p), F(q)
        M = [[sum((row[k] * p * W[k][t] for k in range(h)), F(0)) for t in range(d)] for row in V]
        g = [sum((row[k] * (p * b[k] + q) for k in range(h)), s) for row, s in zip(V, c, strict=True)]
        yield {
            "d": F(d),
            "h": F(h),
            "e": F(e),
            "W()": table(W),
            "b()": column(b),
            "V()": table(V),
            "c()": column(c),
            "p": p,
            "q": q,
            "M()": [table(M)],
            "g()": [column(g)],
            "x()": [column(vector(d)) for _ in range(4)],
            "parts": (W, b, V, c, M, g),
        }


@adequate(
    "s4.nonlinear_needed",
    at=without_bends(),
    misses=[("V(i, k)*(p*", "V(i, k)*(2*p*"), ("+ q)) + c(i)", "+ 2*q + 1)) + c(i)"), ("(p*(sum", "relu(p*(sum")],
)
def affine_altogether(v: Any) -> bool | None:
    if not v["e"]:
        return None
    W, b, V, c, M, g = v["parts"]
    points = [list(x.values()) for x in v["x()"]]
    hidden = [[v["p"] * u + v["q"] for u in plus(times(W, x), b)] for x in points]
    return all(plus(times(V, u), c) == plus(times(M, x), g) for x, u in zip(points, hidden, strict=True))


def copies() -> Iterator[dict[str, Any]]:
    """Networks of one and two inputs, among them the maximum of Section 4.4."""
    for d, h, m in ((1, 1, 1), (1, 2, 1), (2, 2, 2), (3, 1, 1), (2, 0, 2), (0, 1, 1), (2, 3, 2)):
        W, b, V, c, x = matrix(h, m), vector(h), vector(h), number(), matrix(m, d)
        if d == 3:
            W, b, V, x = [[F(2)]], [F(1)], [F(-1)], [[F(1), F(2), F(-3)]]
        if h == 3:
            W, b, V, c = [[F(1), F(0)], [F(-1), F(0)], [F(-1), F(1)]], [F(0)] * 3, [F(1), F(-1), F(1)], F(0)
        inputs = [[x[e][a] for e in range(m)] for a in range(d)]
        y = [sum((w * relu(u) for w, u in zip(V, plus(times(W, one), b), strict=True)), c) for one in inputs]
        first = [row[0] for row in W]
        alone = [sum((w * relu(s * u + t) for w, s, t in zip(V, first, b, strict=True)), F(0)) for u in x[0]]
        yield {
            "d": F(d),
            "h": F(h),
            "m": F(m),
            "W()": table(W),
            "b()": column(b),
            "V()": column(V),
            "c": c,
            "x()": table(x),
            "y()": [column(y), column(e + ODD for e in y)],
            "parts": (W, b, V, c, inputs, y),
            "g_W()": [column(first), column(e + 1 for e in first)],
            "g_b()": column(b),
            "g_V()": column(V),
            "g_x()": column(x[0]),
            "g_out()": [column(alone), column(e + c for e in alone)],
        }


@adequate(
    "s4.3.vectors",
    at=copies(),
    misses=[
        ("x(e, a)) + b(k))", "x(e, 1)) + b(k))"),
        ("sum(e, 1, m, W(k, e)*x(e, a)) + b(k)", "sum(e, 1, m, W(k, e)*x(e, a))"),
        ("sum(e, 1, m, W(k, e)*x(e, a))", "sum(e, 1, m, W(k, 1)*x(e, a))"),
        ("x(e, a)) + b(k))) + c", "x(e, a)) + b(k)))"),
        ("relu(W(k, 1)*g_x(a)", "relu(W(k, 1)*g_x(1)"),
        ("relu(W(k, 1)*g_x(a) + b(k))", "relu(W(k, 1)*g_x(a))"),
    ],
)
def copies_of_a_network(v: Any) -> bool | None:
    """One network with a block of units for each coordinate; the coordinates of an input stand side by side."""
    if not v["d"]:
        return None
    W, b, V, c, inputs, y = v["parts"]
    d, h, m = len(inputs), len(W), int(v["m"])
    W1 = [[W[k][e] * (t == p) for e in range(m) for t in range(d)] for p in range(d) for k in range(h)]
    W2 = [[V[k] * (p == a) for p in range(d) for k in range(h)] for a in range(d)]
    hidden = [relu(u) for u in plus(times(W1, [one[e] for e in range(m) for one in inputs]), b * d)]
    return [u + c for u in times(W2, hidden)] == y


def halves() -> Iterator[dict[str, Any]]:
    grid = [F(-2), F(0), F(1, 3), F(1), F(5)]
    for turn in range(3):
        yield {
            "A()": [lambda i, r, k: (3 - 2 * i) * (3 - 2 * k)],
            "B()": [lambda i, r: F(0)],
            "a()": [lambda i, k: F(i == k), lambda i, k: F(i == 3 - k)],
            "c()": [lambda i: F(0)],
            "x()": [column(p) for p in itertools.product(grid[turn:], grid)],
        }


@adequate(
    "s4.4.cpwl",
    at=halves(),
    misses=[
        ("= max(x(1), x(2))", "= x(1) + x(2)"),
        ("= min(x(1), x(2))", "= 0"),
        ("ex i in 1..2. polycell", "all i in 1..2. polycell"),
    ],
)
def two_half_planes(v: Any) -> bool:
    points = [(x[1], x[2]) for x in v["x()"]]
    return all((min(x, y), max(x, y)) == ((x, y) if x <= y else (y, x)) for x, y in points)


PAIRS = [(F(0), F(0)), (F(1), F(-1)), (F(3, 2), F(4)), (F(-2), F(-5, 3))]


@adequate(
    "s4.6.quadratic",
    at=[{"x": x, "y": y} for x, y in PAIRS],
    misses=[("-1/2*y^2", "-1/2*y"), ("= x*y", "= 2*x*y")],
)
def product_by_squares(v: Any) -> bool:
    x, y = v["x"], v["y"]
    return ((x + y) ** 2 - x**2 - y**2) / 2 == x * y


@adequate(
    "s4.6.two_terms",
    at=[{"x": x, "y": y} for x, y in PAIRS],
    misses=[("y^2/sqrt(2*pi)", "y^2/sqrt(pi)"), ("= x*y", "= 2*x*y"), ("y/2", "y")],
)
def product_by_two_terms(v: Any) -> bool:
    def term(z: F) -> Any:
        return real(z) / 2 + real(z) ** 2 / CONTEXT.sqrt(2 * CONTEXT.pi)

    x, y = v["x"], v["y"]
    return same(CONTEXT.sqrt(CONTEXT.pi / 2) * (term(x + y) - term(x) - term(y)), x * y)


def gelu(x: Any) -> Any:
    return real(x) / 2 * (1 + CONTEXT.erf(real(x) / CONTEXT.sqrt(2)))


@adequate(
    "s4.6.gelu_not_quadratic",
    at=[
        {"a": F(a), "b": F(b), "c": F(c), "x": [F(x) for x in (0, 1, -1, 2, -2, 30)]}
        for a, b, c in ((0, 0, 0), (0, 1, 0), (1, F(1, 2), 0), (F(2, 5), F(1, 2), 0), (0, F(1, 2), 3))
    ],
    misses=[("gelu(x) !=", "gelu(x) ="), ("gelu(x) !=", "x !=")],
)
def gelu_is_no_parabola(v: Any) -> bool:
    return any(not same(gelu(x), v["a"] * x**2 + v["b"] * x + v["c"]) for x in v["x"])


def smoothed() -> Iterator[dict[str, Any]]:
    for d, h, s in ((1, 1, 1), (2, 2, 1), (2, 3, F(7, 2)), (1, 2, 40), (1, 0, 1), (1, 1, 0)):
        W, b, V, c, x = matrix(h, d), vector(h), vector(h), number(), vector(d)
        if h == 1:
            W, b, V, x = [[F(1)]], [F(-1, 4)], [F(-3)], [F(1)]
        yield {
            "d": F(d),
            "h": F(h),
            "W()": table(W),
            "b()": column(b),
            "V()": column(V),
            "c": lambda env, c=c, s=s: [c] if "d" in env else [F(s)],
            "s": F(s),
            "x()": column(x),
            "parts": (W, b, V, x),
            "x": x[0],
            "y": x[-1] - F(3, 4),
            "out": lambda env: (
                [
                    sum(
                        sign * gelu(env["c"] * u)
                        for sign, u in ((1, env["x"]), (-1, -env["x"]), (1, env["y"] - env["x"]))
                    )
                    / env["c"]
                    + more
                    for more in (0, ODD)
                ]
                if env["c"]
                else [F(0)]
            ),
        }


@adequate(
    "s4.6.relu_by_gelu",
    at=smoothed(),
    misses=[
        ("16998/100000/s", "16996/100000/s"),
        ("/s*sum", "/(2*s)*sum"),
        ("16998/100000/c*3", "1/1000/c"),
        ("abs(out - max(x, y))", "abs(out - x)"),
    ],
)
def error_of_gelu(v: Any) -> bool | None:
    """0.17/s for each unit: GELU falls short of ReLU by at most 0.17, at about 3/4."""
    W, b, V, x = v["parts"]
    if not v["s"]:
        return None
    units = plus(times(W, x), b)
    error = sum(
        (real(w) * (gelu(v["s"] * u) / real(v["s"]) - relu(u)) for w, u in zip(V, units, strict=True)), real(F(0))
    )
    return at_most(abs(error), F(16998, 100000) / v["s"] * sum(map(abs, V), F(0)))


def steps() -> Iterator[dict[str, Any]]:
    for eps in (F(1), F(1, 3), F(-1)):
        for x in (F(-2), -eps, -eps / 2, F(0), eps / 2, eps, F(5)):
            values = [
                (relu(x) - relu(x - eps)) / eps,
                (relu(x + eps) - relu(x)) / eps,
                (relu(x + eps) - 2 * relu(x) + relu(x - eps)) / eps,
            ]
            yield {"eps": eps, "tolerance": eps, "x": x, "out": sorted({*values, *(a * eps for a in values), ODD})}


STEPS = list(steps())


def exact(v: Any) -> bool | None:
    """Each printed function is the comparison just where it is said to be; right and left of 0 it leads from 0 to 1."""
    eps, x = v["eps"], v["x"]
    if eps <= 0:
        return None
    above, not_below = min(max(x / eps, F(0)), F(1)), min(max(1 + x / eps, F(0)), F(1))
    level = max(1 - abs(x / eps), F(0))
    said = [x <= 0 or x >= eps, x <= -eps or x >= 0, x == 0 or abs(x) >= eps]
    return [above == (x > 0), not_below == (x >= 0), level == (x == 0)] == said


adequate(
    "s4.7.exact_only",
    at=STEPS,
    misses=[
        ("x <= 0 | eps <= x)", "x <= 0 | eps < x)"),
        ("x <= -eps | 0 <= x)", "x <= -eps | 0 < x)"),
        ("x = 0 | eps <= abs(x)", "eps <= abs(x)"),
        ("0 < eps -> run(eqzero)", "eps != 0 -> run(eqzero)"),
    ],
)(exact)
adequate(
    "s4.7.exact_only_input",
    at=STEPS,
    misses=[
        ("x <= 0 | tolerance <= x)", "x <= 0 | tolerance < x)"),
        ("x <= -tolerance | 0 <= x)", "x <= -tolerance | 0 < x)"),
        ("x = 0 | tolerance <= abs(x)", "tolerance <= abs(x)"),
        ("0 < tolerance -> run(eqzero-input)", "tolerance != 0 -> run(eqzero-input)"),
    ],
)(exact)


BITS = [[], [0], [1], [0, 1, 1], [1, 1, 1], [2, 0], [0, 0]]


@adequate(
    "s4.8.true_count",
    at=[{"m": F(len(x)), "xi()": column(x), "bits": x} for x in BITS],
    misses=[("I[xi(i) = 1]", "I[xi(i) = 0]"), ("(all i in 1..m. bit(xi(i))) ->", "")],
)
def true_variables(v: Any) -> bool | None:
    return sum(v["bits"]) == v["bits"].count(1) if are_bits(v["bits"]) else None


@adequate(
    "s4.8.not_least",
    at=[
        {"m": F(len(x)), "x()": column(x), "b()": [column([2**j for j in range(len(x) + 1)], 0)], "bits": x}
        for x in BITS
    ],
    misses=[("+ (1 - m)", "+ (2 - m)"), ("1 < b(m)", "2 < b(m)"), ("1 <= m", "0 <= m")],
)
def one_unit_for_and(v: Any) -> bool | None:
    bits = v["bits"]
    if not bits or not are_bits(bits):
        return None
    return max(0, sum(bits) - len(bits) + 1) == int(all(bits)) and 2 ** len(bits) > 1


def signed() -> Iterator[dict[str, Any]]:
    for v in boolean_instances():
        bits = v["x()"]
        yield v | {
            "y()": bits,
            "x()": [{i: 2 * e - 1 for i, e in bits.items()}, {i: -e for i, e in bits.items()}],
            "b()": {1: F(0), **v["b()"]},
            "h": F(1),
            "W()": {(1, 1): F(-1)},
            "V()": {(1, 1): F(1)},
            "c()": column([F(1, 2)]),
            "x": [F(-1), F(0), F(1, 4), F(1)],
            **table_of_signs(int(v["m"]), v["xi()"], v["phi()"], list(bits.values())),
        }


def table_of_signs(m: int, xi: Any, phi: Any, bits: list[F]) -> dict[str, Any]:
    """The rows numbered from 1 where M is given, and what units of Section 4.8 make of the bits as signs."""
    rows, signs = numbered(m), [2 * e - 1 for e in bits]
    units = [sum((F(2 * a - 1, 2) * e for a, e in zip(row, signs, strict=True)), F(0)) - F(m, 2) + 1 for row in rows]
    out = sum((2 * phi[0][k] * relu(unit) for k, unit in enumerate(units)), F(-1))
    here = {(r, c): F(bit) for r, row in enumerate(rows, 1) for c, bit in enumerate(row, 1)}
    values = {r: phi[0][r - 1] for r in range(1, len(rows) + 1)}
    return {
        "xi()": lambda env: [here if "M" in env else xi],
        "phi()": lambda env: [values] if "M" in env else phi,
        "M": F(len(rows)),
        "p()": column(signs),
        "out": [out, out + ODD],
        "table": phi[0],
    }


SIGNED = tuple(signed())


@adequate("s4.8.other_reps", at=SIGNED, false=True)
def negation_of_half_lines(v: Any) -> bool:
    """No network jumps at 0; the one that is tried is 1/2 or more everywhere."""
    return any(relu(v["b()"][1] - x) + F(1, 2) <= 0 for x in v["x"])


@adequate(
    "s4.8.other_reps.corrected",
    at=SIGNED,
    misses=[
        ("= 2*phi(p) - 1", "= phi(p)"),
        ("-(m/2 - 1)", "-(m/2)"),
        ("x(i) = 2*y(i) - 1", "x(i) = -y(i)"),
        ("-> out = 2*phi(r) - 1", "-> out = phi(r)"),
        ("(all c in 1..m. p(c) = 2*xi(r, c) - 1) -> out", "p(1) = 2*xi(r, 1) - 1 -> out"),
    ],
)
def boolean_of_signs(v: Any) -> bool | None:
    """Rows of signs over 2; a unit is 1 where the row is x, else 0."""
    bits = [int(e) for e in v["y()"].values()]
    if not are_bits(bits):
        return True  # any numbers are inputs of the family's
    signs, m = [2 * e - 1 for e in bits], len(bits)
    rows = [[2 * e - 1 for e in xi] for xi in numbered(m)]
    phi = [v["table"][k] for k in range(len(rows))]
    units = [relu(F(sum(a * b for a, b in zip(row, signs, strict=True)), 2) - F(m, 2) + 1) for row in rows]
    return sum(2 * f * u for f, u in zip(phi, units, strict=True)) - 1 == 2 * phi[rows.index(signs)] - 1


@adequate(
    "s4.3.encoding_needed",
    at=[
        {
            "h": F(h),
            "W": F(W),
            "b": F(b),
            "V": F(V),
            "c": F(c),
            "x": [F(x) for x in (-12, -3, -1, 0, 1, 3, 9)],
        }
        for h, W, b, V, c in (
            (0, 1, 0, 1, 0),
            (1, 0, 2, 1, -1),
            (3, -1, 3, -1, 3),
            (2, 1, 9, 1, -9),
            (1, 0, 0, 0, F(1, 2)),
        )
    ],
    misses=[("!= x", "= x"), ("V*relu(W*x + b) + c", "x"), ("= 0)", "= x)")],
)
def one_unit_is_not_the_identity(v: Any) -> bool:
    """It is constant on one side."""
    return any(v["V"] * relu(v["W"] * x + v["b"]) + v["c"] != x for x in v["x"])
