"""Sentences of the Cookbook's Sections 5 and 6 that no other row covers: claims written from the paper's words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proof.adequacy import ODD, adequate, column, draws, table, wrong
from proof.claims_attention import PRED, conditional, predecessors
from proof.paper import at_most, same, softmax, times
from proof.statement_truth import CONTEXT, real
from shared import relu

F = Fraction
RANDOM = draws(1129)


def vector(size: int) -> list[F]:
    return [F(RANDOM.randint(-9, 9), RANDOM.randint(1, 4)) for _ in range(size)]


# Section 5.2: GTZero_{1/3}(c - 1/3)

MARKS = [
    {
        "c": F(c),
        "eps": [F(1, 3), F(1, 2)],
        "x": [F(c) - F(1, 3), F(c)],
        "out": sorted({F(t, 12) for t in range(-3, 25)} | {3 * F(c) - 1}),
    }
    for c in (0, F(1, 5), F(1, 3), F(1, 2), 1, 2, -1, F(5, 12))
]


def after_gtzero(c: Any, sign: int) -> F:
    """Weights 3 and -3 of Eq. (29) at 1/3, read at c - 1/3, with the output as it is or negated."""
    return sign * (3 * relu(c - F(1, 3)) - 3 * relu(c - F(1, 3) - F(1, 3)))


@adequate("s5.2.gtzero_modified", at=MARKS, false=True)
def sign_turned(v: Any) -> bool | None:
    c = v["c"]
    return after_gtzero(c, -1) == (c == 1) if 0 <= c <= F(1, 3) or c == 1 else None


@adequate(
    "s5.2.gtzero_modified.corrected",
    at=MARKS,
    misses=[("-3*relu(c - 2/3)", "-3*relu(c - 1/2)"), ("c <= 1/3)", "c <= 1/2)"), ("x = c - 1/3", "x = c")],
)
def bias_alone(v: Any) -> bool:
    c = v["c"]
    said = not (0 <= c <= F(1, 3) or c == 1) or after_gtzero(c, 1) == (c == 1)
    return said and after_gtzero(c, 1) == min(max(3 * (c - F(1, 3)), F(0)), F(1))


# Section 5.3: almost orthogonal vectors, and the layer norm hash by soft attention


def sign_matrices() -> Iterator[dict[str, Any]]:
    for m, N, eps, scale in itertools.product((1, 4, 9), (1, 2, 3), (F(1, 2), F(1), F(1, 3)), (1, 2)):
        root = {1: 1, 4: 2, 9: 3}[m]
        for signs in (
            [[1] * N] * m,
            [[(-1) ** (a * i // 2) for i in range(N)] for a in range(m)],
            [[RANDOM.choice((1, -1)) for _ in range(N)] for _ in range(m)],
        ):
            X = [[F(scale * s, root) for s in row] for row in signs]
            yield {"m": F(m), "N": F(N), "eps": eps, "X()": table(X), "rows": X}


@adequate(
    "s5.3.2.jl",
    at=list(sign_matrices())[::2],
    misses=[("(1 + eps)", "1"), ("(1 - eps)*", "(1 - eps/2)*"), ("= 1/m)", "= 4/m)"), ("= X(a, i))", "= X(a, 1))")],
)
def projected_onehots(v: Any) -> bool | None:
    """A e_i are the columns; squared distances of two of them against 2, as of one-hot vectors."""
    X, eps = v["rows"], v["eps"]
    if any(e * e * len(X) != 1 for row in X for e in row):
        return None
    onehot = [[F(k == i) for k in range(len(X[0]))] for i in range(len(X[0]))]
    codes = [times(X, e) for e in onehot]
    if codes != [list(c) for c in zip(*X, strict=True)]:
        return False
    pairs = list(itertools.combinations(codes, 2))
    dots = all(abs(times([x], y)[0]) <= eps for x, y in pairs) and all(times([x], x)[0] >= 1 - eps for x in codes)
    apart = [sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), F(0)) for x, y in pairs]
    return dots == all(2 * (1 - eps) <= d <= 2 * (1 + eps) for d in apart)


def hashed(q: Any, j: Any) -> Any:
    """lh(q).lh(j): each is sqrt(2/(x^2 + 1)) (x, 1, -x, -1)."""
    return 4 * (q * j + 1) / CONTEXT.sqrt(real((q * q + 1) * (j * j + 1)))


@adequate(
    "s5.3.3.soft_error",
    at=[
        {"n": F(n), "q": F(q), "c": F(c)}
        for n, q, c in ((1, 1, 1), (2, 1, F(1, 2)), (3, 2, 1), (5, 5, 1), (2, 3, 1), (6, 1, F(1, 9)), (2, 1, 2))
    ],
    misses=[("exp(8)/n", "1/n"), ("exp(8)/n", "exp(1/10)/n")],
)
def weight_of_the_query(v: Any) -> bool | None:
    n, q, c = int(v["n"]), int(v["q"]), v["c"]
    if not (1 <= q <= n and 0 < c <= 1):
        return None
    weights = softmax([real(c) * hashed(q, j) for j in range(1, n + 1)])
    return at_most(weights[q - 1], CONTEXT.exp(8) / n)


# Section 5.4: another value at the first position


def defaults() -> Iterator[dict[str, Any]]:
    for v, e in zip(PRED, itertools.cycle([F(0), F(1), F(2, 3), F(1, 2), F(3, 2)]), strict=False):
        first, pred = (list(v[name][0].values()) for name in ("first()", "pred()"))
        out = [conditional(f, e, p) for f, p in zip(first, pred, strict=True)]
        outs = [column(out), column(a + ODD for a in out), column(pred)]
        own = {f"D{name[1:]}": entries for name, entries in v.items() if name.startswith("P_")}
        yield v | own | {"e": e, "out()": outs, "D_out()": outs}


@adequate(
    "s5.4.default",
    at=defaults(),
    misses=[
        ("out(1) = e", "out(1) = 0"),
        ("pred(1) = v(1)", "pred(1) = e"),
        ("out(i) = v(i - 1)", "out(i) = v(i)"),
        ("e <= 1 &", "e <= 2 &"),
        ("D.out(1) = e", "D.out(1) = D.value(1)"),
        ("D.out(i) = D.value(i - 1)", "D.out(i) = D.value(1)"),
    ],
)
def other_default(v: Any) -> bool | None:
    found = predecessors(v)
    if found is None or v["e"] > 1:
        return None
    values, pred = found
    out = [conditional(F(i == 1), v["e"], p) for i, p in enumerate(pred, 1)]
    return out == [v["e"], *values[:-1]] and pred == [values[0], *values[:-1]]


# Section 5.6: too big a term


def two_scores() -> Iterator[dict[str, Any]]:
    for c in (F(1), F(4), F(1, 10), F(0), F(7, 3), F(-1)):
        yield {"c": c, "s()": [column([0, c / 4]), column([0, c])], "r()": [column([c / 4, 0]), column([c, 0])]}


@adequate(
    "s5.6.care",
    at=two_scores(),
    misses=[
        ("s(2) = c/4", "s(2) = c"),
        ("r(1) = c/4", "r(1) = c"),
        ("maximal(l. r(l) + c*(l/2), 2, 2)", "maximal(l. r(l) + c*(l/2), 2, 1)"),
        ("maximal(s, 2, 2)", "maximal(s, 2, 1)"),
        ("0 < c ->", "0 <= c ->"),
    ],
)
def term_wins(v: Any) -> bool | None:
    """n = 2: in each of the four cases the other position wins with the term."""
    c = v["c"]
    if c <= 0:
        return None
    low, high = [F(0), c / 4], [c / 4, F(0)]
    terms = {"leftmost": [F(1), F(1, 2)], "rightmost": [-F(1), -F(1, 2)]}
    shares = {"leftmost": [-F(1, 2), -F(1)], "rightmost": [F(1, 2), F(1)]}
    for t in (terms, shares):
        left = [s + c * a for s, a in zip(low, t["leftmost"], strict=True)]
        right = [s + c * a for s, a in zip(high, t["rightmost"], strict=True)]
        if not (left[0] > left[1] and right[1] > right[0]):
            return False
    return low[1] > low[0] and high[0] > high[1]


# Section 5.7


def soft_rows() -> Iterator[dict[str, Any]]:
    for n, s in ((1, vector(1)), (2, vector(2)), (2, vector(2)), (3, [F(0)] * 3), (5, vector(5))):
        yield {
            "n": F(n),
            "s()": column(s),
            "v()": [
                column(vector(n)),
                column([F(0)] * n),
                column([F(5), F(0), F(-1), F(-1), F(-1)][:n]),
                column([F(1)] + [F(0)] * (n - 1)),
            ],
        }


SOFT_ROWS = tuple(soft_rows())


@adequate("s5.7.positive_attention", at=SOFT_ROWS, false=True)
def no_position_has_all(v: Any) -> bool | None:
    """Of one position the only weight is 1."""
    n = int(v["n"])
    return all(0 < w < 1 for w in softmax([v["s()"][j] for j in range(1, n + 1)])) if n else None


@adequate(
    "s5.7.positive_attention.corrected",
    at=SOFT_ROWS,
    misses=[
        ("sm(s, n, j) < 1)", "sm(s, n, j) < 1/2)"),
        ("*v(j)) < v(p)", "*v(j)) < 0"),
        ("2 <= n", "1 <= n"),
        ("& (ex j in 1..n. v(j) < v(p))", ""),
        ("(all j in 1..n. v(j) <= v(p)) &", ""),
    ],
)
def every_position_counts(v: Any) -> bool | None:
    n = int(v["n"])
    if n < 2:
        return None
    weights = softmax([v["s()"][j] for j in range(1, n + 1)])
    values = [[u[j] for j in range(1, n + 1)] for u in v["v()"]]
    less = [u for u in values if min(u) < max(u)]
    found = [sum(w * real(a) for w, a in zip(weights, u, strict=True)) for u in less]
    return all(0 < w < 1 for w in weights) and all(c < real(max(u)) for c, u in zip(found, less, strict=True))


def long_rows() -> Iterator[dict[str, Any]]:
    for gamma, tau in ((1, 1), (2, 1), (1, F(1, 2)), (F(1, 2), 3), (0, 1)):
        N = int(2 * CONTEXT.exp(2 * real(F(gamma) / tau))) + 1
        for least, s in ((1, quadratic), (F(gamma), lambda n, p, j, gamma=gamma: F(gamma) * (j == p))):
            yield {
                "gamma": F(gamma),
                "tau": F(tau),
                "N": [F(N)],
                "longest": N,
                "n": [F(n) for n in (1, N, N + 1)],
                "p": [F(1), F(N), F(N + 2)],
                "s()": [s],
                "least": least,
            }


def quadratic(n: Any, p: Any, j: Any) -> Any:
    """Quadratic maximization, whose least gap is 1."""
    return F(2 * p * j - j * j)


LONG_ROWS = tuple(long_rows())


@adequate("s5.7.tau_depends", at=LONG_ROWS, false=True)
def every_fixed_temperature_fails(v: Any) -> bool | None:
    """For the scores that are given, at the lengths and places that are tried."""
    if v["gamma"] <= 0 or v["least"] < v["gamma"]:
        return None
    pairs = [(int(n), int(p)) for n in v["n"] for p in v["p"] if 1 <= p <= n]
    rows = [(softmax([v["s()"][0](n, p, j) / v["tau"] for j in range(1, n + 1)]), p) for n, p in pairs]
    return any(row[p - 1] < real(F(3, 4)) for row, p in rows)


@adequate(
    "s5.7.tau_depends.corrected",
    at=LONG_ROWS,
    misses=[("1/2 <= abs", "99/100 <= abs"), ("N <= n", "1 <= n"), ("I[j = p]) - 1)", "1) - 1)")],
)
def fixed_temperature_fails(v: Any) -> bool | None:
    gamma, tau, N = v["gamma"], v["tau"], v["longest"]
    if gamma <= 0:
        return None
    peak = CONTEXT.exp(real(gamma / tau))
    return all(1 - peak / (peak + n - 1) >= 0.5 for n in (N, N + 1))


# Section 6


def lipschitz_parts() -> Iterator[dict[str, Any]]:
    for d, e in ((1, 1), (2, 1), (3, 2)):
        W, x, z = ([vector(d) for _ in range(e)], vector(d), vector(d)) if d > 1 else ([[F(1)]], [F(1)], [F(0)])
        t, A = max(abs(a - b) for a, b in zip(x, z, strict=True)), max(sum(map(abs, row)) for row in W)
        yield {
            "d": F(d),
            "e": F(e),
            "W()": table(W),
            "x()": column(x),
            "z()": column(z),
            "A": [A, F(0)],
            "t": [t, F(0)],
            "x": [F(-2), F(1), x[0]],
            "y": [F(3), F(0)],
            "z": [F(5, 2), z[0]],
            "u": [F(0), F(-1), F(2)],
            "K": [F(2), F(1, 3)],
            "L": [F(3), F(0)],
            "p": [F(1), F(2)],
            "q": [F(0), F(2)],
            "u()": [lambda p, q: abs(p - q)],
            "v()": [lambda p, q: 2 * abs(p - q), lambda p, q: abs(p - q) / 3],
            "w()": [lambda p, q: 6 * abs(p - q), lambda p, q: F(0), lambda p, q: abs(p - q)],
            "parts": (W, x, z, A, t),
        }


@adequate(
    "s6.1.operations",
    at=lipschitz_parts(),
    misses=[
        ("<= A*t)", "<= A*t/2)"),
        ("<= L*K*u(p, q)", "<= L*u(p, q)"),
        ("<= abs(x - z) + abs(y - u)", "<= abs(x - z)"),
        ("abs(relu(x) - relu(z)) <= abs(x - z)", "abs(relu(x) - relu(z)) <= abs(x - z)/2"),
        ("(all p:Int, q:Int. v(p, q) <= K*u(p, q)) ->", ""),
    ],
)
def operations(v: Any) -> bool:
    W, x, z, A, t = v["parts"]
    moved = all(abs(a - b) <= A * t for a, b in zip(times(W, x), times(W, z), strict=True))
    numbers = [F(-2), F(1), F(5, 2), F(0)]
    bent = all(abs(relu(a) - relu(b)) <= abs(a - b) for a in numbers for b in numbers)
    added = all(abs(a + b - c - a) <= abs(b - c) for a, b, c in itertools.product(numbers, repeat=3))
    return moved and bent and added and all(3 * (2 * s) <= 6 * s for s in (F(0), F(2)))


def unmoved() -> Iterator[dict[str, Any]]:
    for m, eps, gain, shift, t in (
        (1, 0, 1, 0, 2),
        (2, 5, 1, 0, 2),
        (1, 0, 2, 0, 2),
        (2, F(9, 4), -1, F(1, 3), 2),
        (1, 0, 0, 1, 3),
        (1, 0, 1, 1, 2),
    ):
        t, r = F(t), {F(0): F(t), F(5): F(3), F(9, 4): F(5, 2)}[F(eps)]
        v = [t] * m + [-t] * m
        gains, shifts = [F(gain)] * (2 * m), [F(shift)] * (2 * m)
        y = [a / r * g + s for a, g, s in zip(v, gains, shifts, strict=True)]
        yield {
            "m": F(m),
            "eps": F(eps),
            "gain()": column(gains),
            "shift()": column(shifts),
            "t": t,
            "v()": [column(v), column(y)],
            "y()": [column(y), column(a + ODD for a in y)],
            "mu": wrong(F(0)),
            "r": [r, r + 1],
            "parts": (v, y, abs(F(gain)) + abs(F(shift)) < t),
        }


@adequate(
    "s6.3.not_identity",
    at=unmoved(),
    misses=[
        ("abs(gain(1)) + abs(shift(1)) < t", "0 < t"),
        ("y(1) != v(1)", "y(1) = v(1)"),
        ("abs(shift(1)) < t", "abs(shift(1)) <= t"),
    ],
)
def not_left_alone(v: Any) -> bool | None:
    x, y, large = v["parts"]
    return y[0] != x[0] if large else None


def doubled_vectors() -> Iterator[dict[str, Any]]:
    """Beside each vector another one of as many components, whose mean square is 25."""
    for x in ([1], [-3], [2, -2], [1, 7], [2, 2, -2], [1, 1, 0], [5, 1, 7], [0, 0], []):
        n = len(x)
        y = [F(a) for e in x for a in (-e, e)]
        square = sum((a * a for a in y), F(0)) / (2 * n) if n else F(0)
        r = CONTEXT.sqrt(real(square))
        out = {j: real(a) / r for j, a in enumerate(y, 1)} if square else column(y)
        root = {F(1): F(1), F(9): F(3), F(4): F(2), F(25): F(5)}.get(square)
        if root:
            out = column(a / root for a in y)
        other = {1: [5], 2: [1, 7], 3: [5, 1, 7]}.get(n, [])
        double = [F(a) for e in other for a in (-e, e)]
        yield {
            "n": F(n),
            "x()": [column(x), column(other)],
            "y()": [column(y), column(-a for a in y), column(double)],
            "out()": [out, column(a / 5 for a in double)],
            "mu": F(0),
            "r": [root or r, F(5)],
            "delta": F(1),
            "j": [F(j) for j in range(1, 2 * n + 1)],
            "vector": (x, out),
        }


DOUBLED = tuple(doubled_vectors())


@adequate("s6.4.clip_needed", at=DOUBLED, false=True)
def no_sign_without_a_clip(v: Any) -> bool | None:
    """One component over its own size is a sign; of two and more some vector has other outputs, as (1, 7) has."""
    n = len(v["vector"][0])
    return n > 1 if n else None


@adequate(
    "s6.4.clip_needed.corrected",
    at=DOUBLED,
    misses=[
        ("abs(x(k)) = abs(x(1))", "x(k) = x(1)"),
        ("(all j in 1..2*n. abs(out(j)) = 1)", "(all j in 1..n. abs(out(j)) <= 1)"),
        ("(all j in 1..2*n. abs(out(j)) = 1)", "(ex j in 1..2*n. abs(out(j)) = 1)"),
        ("(all j in 1..2*n. abs(out(j)) = 1)", "(all j in 1..2*n. out(j) = 1)"),
    ],
)
def all_of_one_size(v: Any) -> bool | None:
    x, out = v["vector"]
    if not x:
        return None
    return not any(x) or all(same(abs(a), F(1)) for a in out.values()) == (len({abs(e) for e in x}) == 1)


def two_pairs() -> Iterator[dict[str, Any]]:
    for s, t, e, eps in (
        (1, 1, 7, 0),
        (2, 0, 1, F(1, 10)),
        (F(1, 2), 3, 4, 5),
        (1, 2, 2, 0),
        (1, 3, 2, 0),
        (0, 1, 2, 1),
    ):
        made = []
        for far in (t, e):
            x = [F(s), -F(s), F(far), -F(far)]
            r = CONTEXT.sqrt(real(F(s * s + far * far) / 2 + eps))
            made.append((x, [real(a) / r for a in x], r))
        (x, u, p), (z, w, r) = made
        yield {
            "s": F(s),
            "t": F(t),
            "e": F(e),
            "eps": F(eps),
            "x()": [column(x), column(z)],
            "z()": [column(z), column(x)],
            "u()": [dict(enumerate(u, 1))],
            "w()": [dict(enumerate(w, 1))],
            "mu": wrong(F(0)),
            "rho": F(0),
            "p": p,
            "r": r,
            "first": (u[0], w[0]),
        }


@adequate(
    "s6.4.all_components",
    at=two_pairs(),
    misses=[("w(1) < u(1)", "u(1) <= w(1)"), ("t < e", "t <= e"), ("0 < s &", "0 <= s &"), ("t < e", "0 < e")],
)
def others_count(v: Any) -> bool | None:
    if not (v["s"] > 0 and v["t"] < v["e"]):
        return None
    u, w = v["first"]
    return bool(w < u)
