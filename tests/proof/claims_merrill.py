"""Claims of merrill2024, from the paper's words: the layer-norm hash, ties, lookups, steps of Theorems 1 and 2."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import comb, factorial, prod
from typing import Any

from proof.adequacy import ODD, adequate, column, draws, wrong
from proof.statement_truth import CONTEXT, SLACK, real

F = Fraction
RANDOM = draws(2024)
MARGIN = CONTEXT.mpf(10) ** -40
POINTS = [F(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (1, 3), (-7, 2), (5, 1), (40, 1), (-1000, 1), (1, 1000))]


def near(a: Any, b: Any) -> bool:
    return bool(abs(real(a) - real(b)) <= SLACK * (1 + abs(real(a)) + abs(real(b))))


def layer_norm(v: Iterable[Any]) -> list[Any]:
    """x' / ||x'|| with x' = x - mean(x)."""
    x = [real(F(a)) if isinstance(a, int) else real(a) for a in v]
    mean = CONTEXT.fsum(x) / len(x)
    norm = CONTEXT.sqrt(CONTEXT.fsum((a - mean) ** 2 for a in x))
    return [(a - mean) / norm for a in x]


def phi(x: Any, y: Any = 1) -> list[Any]:
    return layer_norm([F(a) for a in (x, y, -x, -y)])


def dot(u: Iterable[Any], v: Iterable[Any]) -> Any:
    return CONTEXT.fsum(a * b for a, b in zip(u, v, strict=True))


def same(u: Iterable[Any], v: Iterable[Any]) -> bool:
    return all(near(a, b) for a, b in zip(u, v, strict=True))


def attend(scores: list[Any], values: list[list[Any]]) -> tuple[list[int], list[Any]]:
    """Saturated attention: the places of the maximal scores, and the mean of their values."""
    scores = [real(s) for s in scores]
    best = [k for k, s in enumerate(scores) if s >= max(scores) - MARGIN]
    return best, [sum((real(values[k][c]) for k in best), CONTEXT.mpf(0)) / len(best) for c in range(len(values[0]))]


# --- The hash (Definition 3, Lemmas 1, 2, 5, 8) -----------------------------------------------------------------------


@adequate(
    "merrill2024.def3.hash",
    at=[{"x": x, "y": y} for x in POINTS[:7] for y in POINTS[:5]],
    misses=[
        ("lnhash(x, y, 2) = y", "lnhash(x, y, 2) = x"),
        ("lnhash(x, y, 3) = -x", "lnhash(x, y, 3) = x"),
        ("lnhash(x, y, 4) = -y", "lnhash(x, y, 4) = y"),
        ("-y/sqrt(2*x^2 + 2*y^2)", "-y/sqrt(2*x^2 + y^2)"),
        ("unithash(x, y, c)", "unithash(y, x, c)"),
        ("^2) = 1", "^2) = 2"),
        ("c))/4 = 0", "c))/4 = 1/4"),
    ],
)
def def3(instance: Any) -> bool | None:
    x, y = instance["x"], instance["y"]
    if x == y == 0:
        return None
    root = CONTEXT.sqrt(real(2 * x * x + 2 * y * y))
    found = phi(x, y)
    return same(found, [real(a) / root for a in (x, y, -x, -y)]) and near(dot(found, found), 1) and near(sum(found), 0)


@adequate(
    "merrill2024.lemma1",
    at=[{"x": x, "i": i} for x in POINTS for i in (F(1), F(2), F(7), F(1, 3), F(1000), F(0), F(-1), F(-5, 2))],
    misses=[
        ("0 < i", "i != 0"),
        ("x/i, 1/i", "x/i, 1"),
        ("x/i, 1/i", "x, 1/i"),
        ("x/i, 1/i", "x/i^2, 1/i"),
        ("lnhash(x, 1, c)", "lnhash(x, 2, c)"),
        ("lnhash(x, 1, c)", "lnhash(x, -1, c)"),
    ],
)
def lemma1(instance: Any) -> bool | None:
    x, i = instance["x"], instance["i"]
    return same(phi(x / i, 1 / i), phi(x)) if i > 0 else None


@adequate(
    "merrill2024.lemma1.form",
    at=[{"x": x} for x in POINTS],
    misses=[
        ("lnhash(x, 1, 1) = x", "lnhash(x, 1, 1) = -x"),
        ("lnhash(x, 1, 2) = 1", "lnhash(x, 1, 2) = 2"),
        ("= -x/sqrt(2*x^2 + 2)", "= -x/sqrt(2*x^2 + 1)"),
        ("= -1/sqrt(2*x^2 + 2)", "= 1/sqrt(2*x^2 + 2)"),
        ("= -1/sqrt(2*x^2 + 2)", "= -1/sqrt(x^2 + 2)"),
    ],
)
def lemma1_form(instance: Any) -> bool:
    x = instance["x"]
    return same(phi(x), [real(a) / CONTEXT.sqrt(real(2 * x * x + 2)) for a in (x, F(1), -x, F(-1))])


@adequate(
    "merrill2024.lemma2",
    at=[{"q": q, "k": k} for q in POINTS for k in [*POINTS, -q]],
    misses=[
        ("hashdot(q, k) <= 1", "hashdot(q, k) < 1 - 1/1000000"),
        ("hashdot(q, k) <= 1", "hashdot(q, k) <= 9/10"),
        ("<-> q = k", "<-> q = -k"),
        ("<-> q = k", "<-> q^2 = k^2"),
        ("hashdot(q, k) = 1 <->", "hashdot(q, k) = -1 <->"),
        ("(q*k + 1)/", "(q*k - 1)/"),
        ("(k^2 + 1))", "(k^2 + 2))"),
    ],
)
def lemma2(instance: Any) -> bool:
    q, k = instance["q"], instance["k"]
    value = dot(phi(q), phi(k))
    form = real(q * k + 1) / CONTEXT.sqrt(real((q * q + 1) * (k * k + 1)))
    return near(value, form) and value <= 1 + SLACK and near(value, 1) == (q == k)


def multisets() -> Iterator[dict[str, Any]]:
    for m in (1, 2, 3):
        for _ in range(12):
            k = [RANDOM.randint(-8, 8) for _ in range(m)]
            for q in {min(k) - 1, min(k), max(k), max(k) + 1, max(k) + 5}:
                yield {"m": F(m), "q": F(q), "k()": column(k)}
    yield from ({"m": F(m), "q": F(q), "k()": column([2] * m)} for m in (1, 4) for q in (1, 2, 3))
    yield {"m": F(0), "q": F(1), "k()": {}}


@adequate(
    "merrill2024.lemma5",
    at=list(multisets()),
    misses=[
        ("k(j) < q)", "k(j) <= q)"),
        ("q < k(j))", "q <= k(j))"),
        ("q < k(j))", "q < k(j) + 1)"),
        ("~(all c in 1..4.", "(all c in 1..4."),
        ("in 1..4. lnhash", "in 2..1. lnhash"),
    ],
    still_true=[("(all j in 1..m. k(j) < q)", "(ex j in 1..m. k(j) < q)")],
)
def lemma5(instance: Any) -> bool | None:
    m, q, k = int(instance["m"]), instance["q"], list(instance["k()"].values())
    if m < 1 or not (all(a < q for a in k) or all(q < a for a in k)):
        return None
    rows = [phi(a) for a in k]
    return not same(phi(q), [CONTEXT.fsum(column) / m for column in zip(*rows, strict=True)])


@adequate(
    "merrill2024.lemma8.square",
    at=[{"i": i} for i in [*POINTS, F(2), F(3), F(10)]],
    misses=[
        ("3*i^2", "2*i^2"),
        ("- 2*i^3", "- 3*i^3"),
        ("- 2*i + 2", "- 2*i + 1"),
        ("= 1 - 1/", "= 1 + 1/"),
        ("i - 1)^2", "i + 1)^2"),
    ],
)
def lemma8_square(instance: Any) -> bool:
    i = instance["i"]
    return near(dot(phi(i), phi(i - 1)) ** 2, 1 - 1 / (i**4 - 2 * i**3 + 3 * i**2 - 2 * i + 2))


@adequate(
    "merrill2024.lemma8.sqrt",
    at=[
        {"y": y, "i": i}
        for y in (F(0), F(1), F(1, 2), F(-3), F(-100), F(1, 100))
        for i in (F(2), F(5, 2), F(9), F(1), F(-1))
    ],
    misses=[
        ("1 - y <= (1 - y/2)^2", "1 - y < (1 - y/2)^2"),
        ("<= (1 - y/2)^2", "<= (1 - y/2)^2 - y^2/3"),
        ("sqrt(1 - y) <= 1 - y/2", "sqrt(1 - y) < 1 - y/2"),
        ("sqrt(1 - y) <= 1 - y/2", "sqrt(1 - y) <= 1 - 3*y/4"),
        ("2 <= i", "1 <= i"),
        ("+ 4 <= 2*i^4", "+ 4 <= 2*i^4 - 13"),
        ("+ 4 <= 2*i^4", "+ 4 > 2*i^4"),
    ],
)
def lemma8_sqrt(instance: Any) -> bool:
    y, i = instance["y"], instance["i"]
    last = 2 * i**4 - 4 * i**3 + 6 * i**2 - 4 * i + 4 <= 2 * i**4 if i >= 2 else True
    return (1 - y / 2) ** 2 >= 1 - y and CONTEXT.sqrt(real(1 - y)) <= real(1 - y / 2) + SLACK and last


@adequate(
    "merrill2024.lemma8",
    at=[{"i": F(i)} for i in (-3, 0, 1, 2, 3, 4, 5, 7, 10, 50, 1000)],
    misses=[
        ("2 <= i", "1 <= i"),
        ("2*i^4", "12/10*i^4"),
        ("2*i^4", "19/10*i^4"),
        ("2*i^4", "2*i^3"),
        ("hashdot(i, i - 1)", "hashdot(i, i)"),
        ("<= 1 - 1/", "> 1 - 1/"),
    ],
    still_true=[("<= 1", "< 1")],
)
def lemma8(instance: Any) -> bool | None:
    i = instance["i"]
    return dot(phi(i), phi(i - 1)) <= real(1 - 1 / (2 * i**4)) if i >= 2 else None


def vectors() -> Iterator[list[int]]:
    yield from ([1], [2, 2], [0, 0, 0], [0, 1], [1, 2], [5, -3, 0], [1, 1, 2], [100, -1, 7, 7], [3, 0, 0, 0, 1])


@adequate(
    "merrill2024.def.layernorm",
    at=[{"d": F(len(x)), "x()": column(x)} for x in vectors()] + [{"d": F(0), "x()": column([1])}],
    misses=[
        ("^2)) = 1", "^2)) = 2"),
        ("/d = 0", "/d = 1"),
        ("layernorm(x, d, c)^2", "layernorm(x, d, c)"),
        ("sqrt(sum(c, 1, d", "sqrt(sum(c, 2, d"),
        ("sum(c, 1, d, layernorm(x, d, c))/d", "sum(c, 2, d, layernorm(x, d, c))/d"),
    ],
)
def layernorm(instance: Any) -> bool | None:
    x = list(instance["x()"].values())[: int(instance["d"])]
    if len(set(x)) < 2:
        return None
    found = layer_norm(x)
    return near(sum(found), 0) and near(dot(found, found), 1)


# --- The tie-breaking term (Definitions 6 and 7, Lemmas 9 and 10) -----------------------------------------------------


def differences(top: int = 16) -> dict[tuple[int, int], F]:
    """f(i, 0) = 1/i and f(i, k + 1) = f(i - 1, k) - f(i, k)."""
    f = {(i, 0): F(1, i) for i in range(1, top)}
    for k in range(8):
        f |= {(i, k + 1): f[i - 1, k] - f[i, k] for i in range(k + 2, top)}
    return f


def ties(f: dict[tuple[int, int], F]) -> dict[int, F]:
    return {i: F(1, 1000) - F(i, 10**10) if i <= 4 else f[i, 3] / 100 for i in range(1, 16)}


TABLE = differences()
TIES = ties(TABLE)
ROWS = {"i": [F(i) for i in range(-1, 12)], "k": [F(k) for k in range(-1, 6)], "m": [F(m) for m in range(-1, 6)]}
ROWS |= {"c()": lambda env: [{j: F((-1) ** (int(env["k"]) - j) * comb(int(env["k"]), j)) for j in range(9)}]}
FUNCTIONS = [TABLE, {**TABLE, (5, 2): TABLE[5, 2] + ODD}, {**TABLE, (3, 0): F(1)}]
TABLES = [{**ROWS, "f()": f} for f in [*FUNCTIONS, TABLE, TABLE, TABLE]]


def right(instance: Any) -> bool:
    f = instance["f()"]
    return all(abs(f[at] - TABLE[at]) == 0 for at in TABLE if at[0] < 12 and at[1] < 6)


def combination(f: Any) -> bool:
    """Whether f(i, k) is one linear combination of 1/i, ..., 1/(i - k) for all i; coefficients by the recursion."""
    rows = [[1]]
    for k in range(5):
        rows.append([(rows[k][j - 1] if j else 0) - (rows[k][j] if j <= k else 0) for j in range(k + 2)])
    return all(f[i, k] == sum(F(c, i - j) for j, c in enumerate(rows[k])) for k in range(6) for i in range(k + 1, 12))


@adequate("merrill2024.def6", at=TABLES, false=True)
def def6(instance: Any) -> bool | None:
    f = instance["f()"]
    pairs = [(i, k) for k in range(6) for i in range(k + 1, 12)]
    grows = all(f[i, k] <= f[i + 1, k] for i, k in pairs)
    across = all(f[i, k] <= f[i, k + 1] for i, k in pairs if k + 1 < i)
    return (grows or across) and combination(f) if right(instance) else None


@adequate(
    "merrill2024.def6.corrected",
    at=TABLES,
    misses=[
        ("f(i + 1, k) < f(i, k)", "f(i, k) < f(i + 1, k)"),
        ("f(i + 1, k) < f(i, k)", "2*f(i + 1, k) < f(i, k)"),
        ("0 <= k & k < i -> f(i + 1, k) < f(i, k)", "0 <= k & k + 1 < i -> f(i, k + 1) < f(i, k)"),
        ("c(j)/(i - j)", "c(j)/(i - j + 1)"),
        ("sum(j, 0, k, c", "sum(j, 1, k, c"),
        ("sum(j, 0, k, c(j)/(i - j))", "sum(j, 0, k, c(j)/(i - j)) + 1/1000"),
    ],
)
def def6_corrected(instance: Any) -> bool | None:
    f = instance["f()"]
    falls = all(f[i + 1, k] < f[i, k] for k in range(6) for i in range(k + 1, 12))
    return falls and combination(f) if right(instance) else None


def heads(top: int = 12) -> dict[tuple[int, int], F]:
    """Head m among the first i tokens: the share of token m + 1 in those behind the first m."""
    visible = {(m, i): [j for j in range(1, i + 1) if j > m] for i in range(1, top) for m in range(min(i, 6))}
    return {(m, i): F(sum(1 for j in seen if j == m + 1), len(seen)) for (m, i), seen in visible.items()}


OFF = [{**heads(), (2, 4): F(1)}, {**heads(), (0, 3): F(0)}, dict.fromkeys(heads(), F(0))]
PICKED = [{j: F(j) for j in range(1, 6)}, {j: F(j - 1) for j in range(1, 6)}]
HEADED = [table | {"u()": u, "head()": PICKED} for table in TABLES for u in (heads(), *OFF)]
"""Tables with the heads, with one head at one token wrong, and with the value 1 where no head looks; for k heads those
from 1 to k, and from 0 to k - 1."""


@adequate("merrill2024.def6.head", at=HEADED, false=True)
def def6_head_printed(instance: Any) -> bool | None:
    """Of one head, 0 or 1, the output at all i by one factor."""
    f, u = instance["f()"], instance["u()"]
    if not right(instance) or u != heads():
        return None
    return any(len({f[i, 1] / u[m, i] for i in range(2, 12)}) == 1 for m in (0, 1))


@adequate(
    "merrill2024.def6.head.corrected",
    at=HEADED,
    misses=[
        ("I[j = m + 1]))", "I[j = m]))"),
        ("I[m < j]/(i - m)", "I[m < j]/i"),
        ("u(m, i) = 1/(i - m))", "u(m, i) = 1/(i - m + 1))"),
        ("f(i, k) = sum(m, 0, k", "f(i, k) = sum(m, 1, k"),
        ("f(i, k) = sum(m, 0, k", "f(i, k) = sum(m, 0, k - 1"),
        ("c(m)*u", "-c(m)*u"),
    ],
)
def def6_head(instance: Any) -> bool | None:
    if not right(instance) or instance["u()"] != heads():
        return None
    u, f = heads(), instance["f()"]
    rows = [[(-1) ** (k - j) * comb(k, j) for j in range(k + 1)] for k in range(6)]
    return all(u[m, i] == F(1, i - m) for m, i in u) and all(
        f[i, k] == sum(c * u[m, i] for m, c in enumerate(rows[k])) for k in range(6) for i in range(k + 1, 12)
    )


@adequate(
    "merrill2024.lemma9",
    at=TABLES,
    misses=[
        ("prod(j, 1, k, j)", "prod(j, 1, k + 1, j)"),
        ("prod(j, 0, k, i - j)", "prod(j, 1, k, i - j)"),
        ("prod(j, 0, k, i - j)", "prod(j, 0, k + 1, i - j + 1)"),
        ("i - j)", "i + j)"),
        ("prod(j, 1, k, j)/", "1/"),
        ("= prod(j, 1", "= -prod(j, 1"),
    ],
)
def lemma9(instance: Any) -> bool | None:
    f = instance["f()"]
    pairs = [(i, k) for k in range(6) for i in range(k + 1, 12)]
    closed = all(f[i, k] == F(factorial(k), prod(i - j for j in range(k + 1))) for i, k in pairs)
    return closed if right(instance) else None


TIED = [
    {**ROWS, "f()": TABLE, "g()": g, "x": x}
    for g in (TIES, {**TIES, 3: F(1)}, {**TIES, 7: TIES[7] + ODD})
    for x in (F(5), F(-1), F(12))
]


def tied(instance: Any) -> bool:
    return right(instance) and all(instance["g()"][i] == TIES[i] for i in range(1, 12))


@adequate(
    "merrill2024.def7",
    at=TIED,
    misses=[
        ("1/1000 - i/10000000000)", "1/1000 + i/10000000000)"),
        ("(i <= 4 ->", "(i <= 5 ->"),
        ("(5 <= i ->", "(4 <= i ->"),
        ("6/(100*i", "6/(99*i"),
        ("*(i - 3))", "*(i + 3))"),
        ("0 < g(i)", "1/1000 < g(i)"),
    ],
)
def def7(instance: Any) -> bool | None:
    g = instance["g()"]
    few = all(g[i] == F(1, 1000) - F(1, 10**10) * i for i in (2, 3, 4))
    many = all(g[i] == F(6, 100 * i * (i - 1) * (i - 2) * (i - 3)) for i in range(5, 12))
    return few and many and all(g[i] > 0 for i in range(2, 12)) if tied(instance) else None


# What head m gives at token i: saturated and strict, it attends to the tokens besides the first m; value 1 at token m.
HEADS = {(m, i): F(int(m < i), i - m if m < i else 1) for m in range(-1, 5) for i in range(1, 13)}
LAYER = {
    "c()": [{0: F(-1, 100), 1: F(3, 100), 2: F(-3, 100), 3: F(1, 100)}],
    "a()": [
        {
            2: F(824999999, 25 * 10**8),
            3: F(-2550000003, 5 * 10**9),
            4: F(700000023, 25 * 10**8),
            5: F(-3750001, 125 * 10**6),
        }
    ],
}


@adequate(
    "merrill2024.def7.monotone",
    at=[
        {**instance, **LAYER, "m": [F(m) for m in range(5)], "u()": u}
        for instance in TIED
        for u in (HEADS, {**HEADS, (2, 6): F(1)})
    ],
    misses=[
        ("g(i + 1) < g(i)", "g(i) < g(i + 1)"),
        ("g(i + 1) < g(i)", "g(i + 1) < 999/1000*g(i)"),
        ("g(i + 1) < g(i)", "g(i + 1) < g(i) - 1/1000000000"),
        ("u(0, i) - 1/r", "u(1, i) - 1/r"),
        ("sum(r, 2, 5", "sum(r, 2, 4"),
        ("sum(r, 2, 5", "sum(r, 3, 5"),
        ("c(m)*u(m, i)", "c(m)*u(m, i + 1)"),
        ("sum(m, 0, 3", "sum(m, 1, 3"),
        ("a(r)*relu", "-a(r)*relu"),
    ],
)
def def7_monotone(instance: Any) -> bool | None:
    """Heads that average over their window; at every token the same weights of heads and ReLUs give f(i)."""
    if not tied(instance):
        return None
    g, u = instance["g()"], {}
    for m in range(4):
        for i in range(1, 12):
            seen = [j for j in range(i) if j >= m] or list(range(i))
            u[m, i] = F(sum(j == m for j in seen), len(seen))
    if any(instance["u()"][at] != u[at] for at in u):
        return None
    (c,), (a,) = LAYER["c()"], LAYER["a()"]
    layer = all(
        g[i] == sum(c[m] * u[m, i] for m in range(4)) + sum(a[r] * max(F(0), u[0, i] - F(1, r)) for r in a)
        for i in range(1, 12)
    )
    return layer and all(g[i + 1] < g[i] for i in range(1, 12))


@adequate(
    "merrill2024.lemma10",
    at=TIED,
    misses=[
        ("g(i) < 1/(2*i^4)", "g(i) < 1/(4*i^4)"),
        ("g(i) < 1/(2*i^4)", "g(i) < 1/(2*i^5)"),
        ("!= 1/(2*x^4)", "= 1/(2*x^4)"),
        ("2*x^4 < 100/6", "2*x^4 > 100/6"),
        ("2*x^4 < 100/6", "4*x^4 < 100/6"),
        ("g(i) < 1/(2*i^4)", "1/(2*i^4) < g(i)"),
    ],
)
def lemma10(instance: Any) -> bool:
    g, x = instance["g()"], instance["x"]
    below = not tied(instance) or all(g[i] < F(1, 2 * i**4) for i in range(1, 12))
    z = x * (x - 1) * (x - 2) * (x - 3)
    return below and (F(6) / (100 * z) != 1 / (2 * x**4)) and (x < 5 or F(100, 6) * z > 2 * x**4)


# --- Lookups (Appendices D and E) -------------------------------------------------------------------------------------


def input_instances() -> Iterator[dict[str, Any]]:
    """Cells of decoding tokens after n input tokens. Token a is the first key, -w the last entry of the query."""
    for n, late in (
        (1, [0]),
        (1, [1]),
        (2, [1]),
        (2, [3]),
        (1, [-2, -2]),
        (1, [0, -1]),
        (1, [1, 1]),
        (2, [-3, 2]),
        (1, [-1, -1]),
        (1, [0, 0]),
        (0, [0]),
        (0, [1]),
        (0, [0, -1, 0]),
        (0, [0, 1, 1]),
        (0, [-1, -1]),
    ):
        h = {j: F(7) for j in range(1, n + 1)} | {n + 1 + k: F(p) for k, p in enumerate(late)} | {0: F(0)}
        sigma = {j: F(10 * j + 1) for j in range(1, n + 4)}
        for a, w in ((1, 2), (1, 1), (0, 1), (0, 2), (0, 0)):
            yield {"n": F(n), "h()": h, "i": F(n + len(late)), "a": F(a), "w": F(w), "sigma()": sigma}
    alone = {"h()": {0: F(-3), 1: F(1), 2: F(-3)}, "sigma()": column([1, 2, 3]), "w": F(2)}
    for n, i, a in ((2, 2, 1), (0, 1, 1), (1, 2, 0), (1, 2, 2)):
        yield alone | {"n": F(n), "i": F(i), "a": F(a)}


INPUTS = list(input_instances())


def read_input(instance: Any, flag: int, first: int = 1) -> tuple[list[int], list[Any], list[Any]]:
    """The head of Appendix D at token i: places attended to, first part of the output, and phi_i."""
    n, i, h = int(instance["n"]), int(instance["i"]), instance["h()"]
    keys = [phi(F(j)) if j <= n else phi(h[j]) for j in range(first, i)]
    query = phi(h[i])
    best, out = attend([dot(query, k) - (flag if n < j else 0) for j, k in enumerate(keys, first)], keys)
    return [k + first for k in best], out, query


def first_key(instance: Any) -> int | None:
    """The first token that is a key; None where none is an input token or $ at cell 0, and where w is too small."""
    n, i, a, w = (int(instance[k]) for k in "niaw")
    return a if n < i and a < w and (a == 1 <= n or a == 0 == instance["h()"][0]) else None


def lemma3_with(instance: Any, flag: int, first: int | None) -> bool | None:
    n, i = int(instance["n"]), int(instance["i"])
    if first is None or n < first or i <= n:
        return None
    _, out, query = read_input(instance, flag, first)
    return (first <= instance["h()"][i] <= n) == same(out, query)


@adequate("merrill2024.lemma3", at=INPUTS, false=True)
def lemma3(instance: Any) -> bool | None:
    return lemma3_with(instance, 1, 1)


@adequate(
    "merrill2024.lemma3.corrected",
    at=INPUTS,
    misses=[
        ("1 <= n & 2 <= w", "1 <= n & 1 <= w"),
        ("h(0) = 0 & 1 <= w", "h(0) = 0 & 0 <= w"),
        ("inputscore(w,", "inputscore(0,"),
        ("inputscore(w,", "inputscore(-w,"),
        ("a <= h(i) & h(i) <= n", "0 <= h(i) & h(i) <= n"),
        ("a <= h(i) & h(i) <= n", "1 <= h(i) & h(i) <= n"),
        ("a <= h(i) & h(i) <= n", "a <= h(i) & h(i) < n"),
        ("a <= h(i) & h(i) <= n", "a <= h(i) & h(i) <= n + 1"),
        ("a = 0 & 0 <= n & h(0) = 0 &", "a = 0 & 0 <= n &"),
        ("(a = 1 & 1 <= n &", "(a = 1 & n + 2 <= i &"),
    ],
)
def lemma3_corrected(instance: Any) -> bool | None:
    return lemma3_with(instance, int(instance["w"]), first_key(instance))


def backward_with(instance: Any, flag: int, first: int | None) -> bool | None:
    n, i, h = int(instance["n"]), int(instance["i"]), instance["h()"]
    if first is None or n < first or i <= n or first <= h[i] <= n:
        return None
    return all(j <= n for j in read_input(instance, flag, first)[0])


def chosen() -> Iterator[dict[str, Any]]:
    """Lookups with every set of input tokens to choose from."""
    walk = {"n": F(1), "h()": {0: F(0), 1: F(1), 2: F(0), 3: F(-1), 4: F(-2)}, "i": F(4)}
    for v in [*INPUTS, *({**walk, "a": F(a), "w": F(w)} for a, w in ((0, 1), (1, 1), (1, 2)))]:
        tokens = max(int(v["n"]), int(v["n"] + 1 - v["a"]))
        yield {**v, "picked()": [dict(enumerate(map(F, s), 1)) for s in itertools.product((0, 1), repeat=tokens)]}


CHOSEN = list(chosen())


@adequate("merrill2024.lemma3.backward", at=CHOSEN, false=True)
def lemma3_backward(instance: Any) -> bool | None:
    return backward_with(instance, 1, 1)


@adequate(
    "merrill2024.lemma3.backward.corrected",
    at=CHOSEN,
    misses=[
        ("1 <= n & 2 <= w", "1 <= n & 1 <= w"),
        ("h(0) = 0 & 1 <= w", "h(0) = 0 & 0 <= w"),
        ("h(i) < j)", "h(i) + 1 < j)"),
        ("j < h(i))", "j + 1 < h(i))"),
        ("picked(t)*unithash(t + a - 1, 1, c)", "picked(t)*unithash(t, 1, c)"),
        ("(h(i) < a | n < h(i))", "(h(i) < 1 | n < h(i))"),
        ("a = 0 & 0 <= n & h(0) = 0 &", "a = 0 & 0 <= n &"),
    ],
)
def lemma3_backward_corrected(instance: Any) -> bool | None:
    return backward_with(instance, int(instance["w"]), first_key(instance))


@adequate(
    "merrill2024.lemma4",
    at=INPUTS,
    misses=[
        ("= sigma(h(i))", "= sigma(h(i) + 1)"),
        ("inputscore(1, n, h, i, l)", "-inputscore(1, n, h, i, l)"),
        ("inputscore(1, n, h, i, l)", "inputscore(0, n, h, i, l)"),
        (
            "inputscore(1, n, h, i, j) < inputscore(1, n, h, i, h(i))",
            "inputscore(1, n, h, i, h(i)) < inputscore(1, n, h, i, j)",
        ),
        ("h(i) <= n", "h(i) <= n + 1"),
        ("j != h(i) ->", "j = h(i) ->"),
    ],
)
def lemma4(instance: Any) -> bool | None:
    n, i, h = int(instance["n"]), int(instance["i"]), instance["h()"]
    if n < 1 or i <= n or not 1 <= h[i] <= n:
        return None
    return read_input(instance, 1)[0] == [h[i]]


def tape_instances() -> Iterator[dict[str, Any]]:
    walks = [
        [0, 0],
        [0, 1],
        [1, 1],
        [0, 1, 0],
        [0, -1, 0],
        [1, 2, 3],
        [0, 0, 0],
        [-1, 0, -1],
        [0, 1, 2, 1],
        [1000, 1001, 1000],
        [2, 2, 1],
        [-1, -2, -3],
    ]
    walks += [[0, 2, 1], [0], [0, 1, 0, -1], [1, 0, -1, 0, 1], [0, 2, 3, 1], [-1, 1, 0]]
    for h in walks:
        i = len(h)
        delta = {j: F(3 * j + 1) for j in range(1, i + 1)}
        yield {
            "f()": TABLE,
            "g()": TIES,
            "h()": column(h),
            "i": F(i),
            "k": ROWS["k"],
            "delta()": delta,
            "p": [F(p) for p in range(i + 1)],
        }
    yield {
        "f()": TABLE,
        "g()": {**TIES, 2: F(1)},
        "h()": column([0, 0]),
        "i": F(2),
        "k": ROWS["k"],
        "delta()": column([1, 2]),
        "p": [F(1)],
    }


TAPES = list(tape_instances())


def one_sided(h: list[F]) -> bool:
    """New positions are all above, or all below, the earlier ones."""
    new = [m for m in range(1, len(h)) if h[m] not in h[:m]]
    return all(max(h[:m]) < h[m] for m in new) or all(h[m] < min(h[:m]) for m in new)


def tape(instance: Any, near_start: bool, beyond: bool = False) -> list[F] | None:
    """The positions, where the assumptions hold: those printed, or |h_j| <= j and, with `beyond`, a side for h_i."""
    h, i = list(instance["h()"].values()), int(instance["i"])
    if instance["g()"][i] != TIES[i] or i < 2:
        return None
    if not near_start:
        return h if one_sided(h) else None
    sided = not beyond or h[-1] in h[:-1] or max(h[:-1]) < h[-1] or h[-1] < min(h[:-1])
    return h if sided and all(abs(a) <= j for j, a in enumerate(h, 1)) else None


def read_tape(h: list[F]) -> tuple[list[int], list[Any], list[Any]]:
    """The head of Appendix E at the last token: query (phi_i, e_1), keys (phi_j, -psi_j)."""
    i = len(h)
    query = phi(h[-1] / i, F(1, i))
    keys = [phi(a / j, F(1, j)) for j, a in enumerate(h[:-1], 1)]
    best, out = attend([dot(query, k) - phi(TIES[j])[0] for j, k in enumerate(keys, 1)], keys)
    return [k + 1 for k in best], out, query


def lemma6_with(instance: Any, near_start: bool) -> bool | None:
    h = tape(instance, near_start, beyond=True)
    if h is None:
        return None
    _, out, query = read_tape(h)
    return (h[-1] in h[:-1]) == same(out, query)


@adequate("merrill2024.lemma6", at=TAPES, false=True)
def lemma6(instance: Any) -> bool | None:
    return lemma6_with(instance, False)


@adequate(
    "merrill2024.lemma6.corrected",
    at=TAPES,
    misses=[
        ("-j <= h(j) & h(j) <= j", "-1000 <= h(j)"),
        ("h(j) <= j", "h(j) <= 1001*j"),
        ("ex j in 1..i - 1. h(j) = h(i)", "ex j in 1..i - 1. h(j) != h(i)"),
        ("ex j in 1..i - 1. h(j) = h(i)", "ex j in 1..i - 2. h(j) = h(i)"),
        ("tiescore(g, h, i, l)", "-tiescore(g, h, i, l)"),
        ("unithash(h(i)/i, 1/i, c)", "unithash(h(i)/i, 1, c)"),
    ],
    still_true=[("(all j in 1..i - 1. h(i) < h(j))", "(ex j in 1..i - 1. h(i) < h(j))")],
)
def lemma6_corrected(instance: Any) -> bool | None:
    return lemma6_with(instance, True)


def lemma7_with(instance: Any, near_start: bool) -> bool | None:
    h = tape(instance, near_start)
    matches = [j for j in range(1, len(instance["h()"])) if instance["h()"][j] == instance["h()"][int(instance["i"])]]
    if h is None or not matches or F(matches[-1]) not in instance["p"]:
        return None
    return read_tape(h)[0] == matches[-1:]


@adequate("merrill2024.lemma7", at=TAPES, false=True)
def lemma7(instance: Any) -> bool | None:
    return lemma7_with(instance, False)


@adequate(
    "merrill2024.lemma7.corrected",
    at=TAPES,
    misses=[
        ("-j <= h(j) & h(j) <= j", "-1000 <= h(j)"),
        ("(all k in p + 1..i - 1. h(k) != h(i))", "(all k in p + 2..i - 1. h(k) != h(i))"),
        ("(all k in p + 1..i - 1. h(k) != h(i))", "(all k in 1..p - 1. h(k) != h(i))"),
        ("= delta(p)", "= delta(1)"),
        ("= delta(p)", "= delta(p) + 1"),
        ("& h(p) = h(i)", "& h(p) <= h(i)"),
        ("tiescore(g, h, i, l)", "tiescore(j. -g(j), h, i, l)"),
    ],
)
def lemma7_corrected(instance: Any) -> bool | None:
    return lemma7_with(instance, True)


@adequate(
    "merrill2024.s2.1.strict_needed",
    at=TAPES,
    misses=[
        ("tiescore(g, h, i, j) < tiescore(g, h, i, i)", "tiescore(g, h, i, i) < tiescore(g, h, i, j)"),
        ("tiescore(g, h, i, j)", "tiescore(j. -g(j), h, i, j)"),
        ("all j in 1..i - 1.", "all j in 1..i."),
    ],
)
def finds_itself(instance: Any) -> bool | None:
    """Among the columns up to the own one, the own one alone has the greatest score, on every walk."""
    h, i = list(instance["h()"].values()), int(instance["i"])
    if instance["g()"][i] != TIES[i]:
        return None
    keys = [phi(a / j, F(1, j)) for j, a in enumerate(h, 1)]
    return attend([dot(keys[-1], k) - phi(TIES[j])[0] for j, k in enumerate(keys, 1)], keys)[0] == [i - 1]


def gap_with(instance: Any, near_start: bool) -> bool | None:
    h = tape(instance, near_start)
    if h is None:
        return None
    i = len(h)
    first = [dot(phi(h[-1] / i, F(1, i)), phi(a / j, F(1, j))) for j, a in enumerate(h[:-1], 1)]
    second = [-phi(TIES[j])[0] for j in range(1, i)]
    return (
        all(first[j] < real(1 - F(1, 2 * i**4)) for j in range(i - 1) if h[j] != h[-1])
        and all(a < b for a, b in itertools.pairwise(second))
        and all(a < real(TIES[i]) for a in second)
        and TIES[i] < F(1, 2 * i**4)
    )


@adequate("merrill2024.lemma6.gap", at=TAPES, false=True)
def gap(instance: Any) -> bool | None:
    return gap_with(instance, False)


@adequate(
    "merrill2024.lemma6.gap.corrected",
    at=TAPES,
    misses=[
        ("h(j) != h(i) -> sum", "h(j) = h(i) -> sum"),
        ("< 1 - 1/(2*i^4)", "< 1 - 1/(i^3)"),
        ("-unithash(g(j), 1, 1) < -unithash(g(k), 1, 1)", "-unithash(g(k), 1, 1) < -unithash(g(j), 1, 1)"),
        ("-unithash(g(j), 1, 1) < g(i)", "unithash(g(j), 1, 1) < g(i)/2"),
        ("g(i) < 1/(2*i^4)", "g(i) < 1/(4*i^5)"),
        ("-j <= h(j) & h(j) <= j", "-1000 <= h(j)"),
        ("tiescore(g, h, i, k) < tiescore(g, h, i, j)", "tiescore(g, h, i, j) < tiescore(g, h, i, k)"),
        ("h(k) != h(i) -> tiescore", "k != j -> tiescore"),
    ],
)
def gap_corrected(instance: Any) -> bool | None:
    """The bounds, and what they are for: every match scores higher than every other key."""
    bounds, h = gap_with(instance, True), tape(instance, True)
    if bounds is None or h is None:
        return None
    i = len(h)
    scores = [dot(phi(h[-1] / i, F(1, i)), phi(a / j, F(1, j))) - phi(TIES[j])[0] for j, a in enumerate(h[:-1], 1)]
    matches = [s for s, a in zip(scores, h, strict=False) if a == h[-1]]
    others = [s for s, a in zip(scores, h, strict=False) if a != h[-1]]
    return bounds and (not matches or not others or min(matches) > max(others))


# --- Heads and lookups of Sections 2 and 3 ----------------------------------------------------------------------------

SCORES = [[1], [2, 2], [0, 1], [1, 0, 1], [3, 3, 3], [1, 1, 0], [-1, -2, -3], [0, 5, 5, 2]]


@adequate(
    "merrill2024.def.saturated",
    at=[{"n": F(len(s)), "s()": column(s), "v": wrong(F(s.count(max(s))))} for s in SCORES]
    + [{"n": F(0), "s()": column([1]), "v": F(0)}],
    misses=[
        ("hardmax(s, n, j)) = 1", "hardmax(s, n, j)) = v"),
        ("hardmax(s, n, j) = 1/v", "hardmax(s, n, j) = 1/n"),
        ("(~maximal(s, n, j) & hardmax(s, n, j) = 0)", "(maximal(s, n, j) & hardmax(s, n, j) = 0)"),
        ("hardmax(s, n, j) = 0", "hardmax(s, n, j) = 1/n"),
        ("1 <= v", "2 <= v"),
    ],
)
def saturated(instance: Any) -> bool | None:
    s = list(instance["s()"].values())[: int(instance["n"])]
    if not s:
        return None
    v = s.count(max(s))
    weights = [F(int(a == max(s)), v) for a in s]
    return v >= 1 and sum(weights) == 1 and all(w in (0, F(1, v)) for w in weights)


def matches() -> Iterator[dict[str, Any]]:
    keys = [[0], [1], [0, 0], [0, 1], [1, 2, 1], [5, -5, 5], [0, 7, 0], [F(1, 2), 3], [3, F(1, 2)], [10, 11, 12]]
    for k in keys:
        for q in {k[0], k[-1], F(4)}:
            v = column([F(2 * j + 1) for j in range(len(k))])
            yield {"q": F(q), "k()": column(k), "v()": v, "i": F(len(k) + 1)}
    yield {"q": F(1), "k()": column([1]), "v()": column([1]), "i": F(1)}


@adequate("merrill2024.s3.1.lookup", at=list(matches()), false=True)
def lookup_printed(instance: Any) -> bool | None:
    """Without a match the nearest hash has the weight."""
    q, k = instance["q"], list(instance["k()"].values())
    return q in k if instance["i"] >= 2 else None


@adequate(
    "merrill2024.s3.1.lookup.corrected",
    at=list(matches()),
    misses=[
        ("I[k(j) = q]*v(j)", "I[k(j) = q]*v(1)"),
        ("hashmatch(q, k, i, l)", "-hashmatch(q, k, i, l)"),
        ("hashmatch(q, k, i, l)", "0"),
        ("hashmatch(q, k, i, l)", "hashmatch(-q, k, i, l)"),
        ("sum(j, 1, i - 1, I[k(j) = q])", "sum(j, 1, i - 1, 1)"),
        ("I[k(j) = q]*v(j)", "I[k(j) <= q]*v(j)"),
    ],
)
def lookup(instance: Any) -> bool | None:
    q, k, v = instance["q"], list(instance["k()"].values()), list(instance["v()"].values())
    i = int(instance["i"])
    if i < 2 or q not in k:
        return None
    scores = [dot(phi(q / i, F(1, i)), phi(F(a) / j, F(1, j))) for j, a in enumerate(k, 1)]
    _, out = attend(scores, [[a] for a in v])
    return near(out[0], sum((b for a, b in zip(k, v, strict=True) if a == q), F(0)) / k.count(q))


@adequate(
    "merrill2024.s3.1.direct",
    at=[
        {"q": F(q), "i": F(i), "k": F(k), "j": F(j)}
        for q in (1, 2, -3, 0)
        for i in (1, 2, 6, 0)
        for k in (1, 4, -1, 0)
        for j in (1, 2, 4)
    ],
    misses=[
        ("<= 1", "< 1"),
        ("= 1 <-> q/i = k/j", "= 1 <-> q = k"),
        ("= 1 <-> q/i = k/j", "= 1 <-> q/i = -k/j"),
        ("= 1 <->", "= 1/2 <->"),
        ("unithash(q/i, 1, c)", "unithash(q, 1, c)"),
    ],
)
def direct(instance: Any) -> bool | None:
    q, i, k, j = (instance[n] for n in "qikj")
    if i <= 0 or j <= 0:
        return None
    value = dot(phi(q / i), phi(k / j))
    return value <= 1 + SLACK and near(value, 1) == (q / i == k / j)


def texts_with_start() -> Iterator[dict[str, Any]]:
    """Words $x with one $ at token 0, and some with another one, or none."""
    for n in (0, 1, 2, 4):
        for i in (0, 1, 2, 3, 5, 6):
            x = [9, *(RANDOM.randint(1, 3) for _ in range(7))]
            yield {"x()": column(x, 0), "dollar": F(9), "n": F(n), "i": F(i)}
    yield {"x()": column([9, 9, 1], 0), "dollar": F(9), "n": F(0), "i": F(3)}
    yield {"x()": column([1, 2, 1], 0), "dollar": F(9), "n": F(0), "i": F(3)}


WORDS = list(texts_with_start())


def starts(instance: Any) -> list[F] | None:
    """The tokens before i, where the first is the only $."""
    x = [instance["x()"][j] for j in range(int(instance["i"]))]
    return x if x and x[0] == instance["dollar"] and instance["dollar"] not in x[1:] else None


@adequate(
    "merrill2024.thm1.invi",
    at=WORDS,
    misses=[
        ("= 1/i", "= 1/(i + 1)"),
        ("sum(j, 0,", "sum(j, 1,"),
        ("I[x(j) = dollar]", "I[x(j) != dollar]"),
        ("x(0) = dollar ->", "x(0) <= dollar ->"),
        ("(all j in 1..i - 1. x(j) != dollar)", "(all j in 1..i - 1. x(j) <= dollar)"),
    ],
)
def invi(instance: Any) -> bool | None:
    x = starts(instance)
    return None if x is None else F(x.count(instance["dollar"]), len(x)) == 1 / instance["i"]


@adequate(
    "merrill2024.thm1.invd",
    at=WORDS,
    misses=[
        ("= 1/(i - n)", "= 1/i"),
        ("= 1/(i - n)", "= 1/(i - n + 1)"),
        ("sum(j, 0, i - 1, I[j = 0 | n < j])", "sum(j, 1, i, I[j = 0 | n < j]) + 1/2"),
        ("I[j = 0 | n < j])", "I[j = 0 | n <= j])"),
        ("I[x(j) = dollar]", "1"),
    ],
)
def invd(instance: Any) -> bool | None:
    x, n, i = starts(instance), int(instance["n"]), int(instance["i"])
    if x is None or i <= n:
        return None
    seen = [a for j, a in enumerate(x) if j == 0 or j > n]
    return F(seen.count(instance["dollar"]), len(seen)) == F(1, i - n)


def selections(pairs: bool) -> Iterator[dict[str, Any]]:
    """phi by the printed formula (one ReLU a hash), or with two; for some instances one entry is off."""

    def relu(a: Any) -> Any:
        return max(a, a * 0)

    decoding = [
        (i, n, d, F(1, i - n)) for i, n, d in [(1, 0, 0), (1, 0, 1), (3, 1, 0), (3, 1, 1), (7, 2, 1), (2, 0, 2)]
    ]
    elsewhere = [
        (2, 2, 0, F(1)),
        (1, 4, 0, F(1)),
        (3, 3, 0, F(-7, 2)),
        (5, 4, 0, F(9)),
        (3, 1, 1, F(1)),
        (2, 2, 1, F(1)),
    ]
    for i, n, d, u in [*decoding, *elsewhere]:
        one, two = phi(F(1, i)), phi(u)
        values = [relu(a - d) + relu(b + d - 1) for a, b in zip(one, two, strict=True)]
        if pairs:
            values = [v - relu(-a - d) - relu(-b + d - 1) for v, a, b in zip(values, one, two, strict=True)]
        for off in (0, 1):
            yield {
                "i": F(i),
                "n": F(n),
                "d": F(d),
                "u": u,
                "phi()": {c: v + off * (c == 3) for c, v in enumerate(values, 1)},
                "off": off,
            }


SELECTIONS = [
    {**a, "phi()": [a["phi()"], b["phi()"]]} for a, b in zip(selections(False), selections(True), strict=True)
]


def select_with(instance: Any, pairs: bool) -> bool | None:
    i, n, d = (int(instance[k]) for k in "ind")
    if d not in (0, 1) or instance["off"] or (d and (i <= n or instance["u"] != F(1, i - n))):
        return None
    vector = list(instance["phi()"][pairs].values())
    return same(vector, phi(F(1, i - n if d else i))) and same(layer_norm(vector), vector)


@adequate("merrill2024.thm1.select", at=SELECTIONS, false=True)
def select(instance: Any) -> bool | None:
    return select_with(instance, False)


@adequate(
    "merrill2024.thm1.select.corrected",
    at=SELECTIONS,
    misses=[
        ("(d = 0 -> phi(c) = unithash(1/i, 1, c))", "(d = 1 -> phi(c) = unithash(1/i, 1, c))"),
        ("(d = 1 -> phi(c) = unithash(1/(i - n), 1, c))", "(d = 1 -> phi(c) = unithash(1/i, 1, c))"),
        ("layernorm(phi, 4, c) = phi(c)", "layernorm(phi, 4, c) = 2*phi(c)"),
        ("layernorm(phi, 4, c)", "layernorm(phi, 3, c)"),
        ("unithash(1/i, 1, c)) & (d = 1", "unithash(1/i, 1, 5 - c)) & (d = 1"),
        ("(d = 1 -> n < i & u = 1/(i - n))", "(d = 1 -> n < i)"),
        ("- relu(d - 1 - unithash(u, 1, c))", "- relu(-d - unithash(u, 1, c))"),
    ],
)
def select_corrected(instance: Any) -> bool | None:
    return select_with(instance, True)


@adequate(
    "merrill2024.thm1.retrieve",
    at=[
        {"n": F(n), "i": F(i), "sigma()": column([7, -1, 4, 2, 9, 5])}
        for n, i in [(1, 2), (2, 3), (2, 4), (3, 4), (3, 5), (3, 6), (2, 5), (2, 2), (0, 1)]
    ],
    misses=[
        ("= sigma(i - n)", "= sigma(i - n + 1)"),
        ("= sigma(i - n)", "= sigma(1)"),
        ("I[l <= n]*sum(c, 1, 4, unithash(1/(i - n), 1, c)", "I[l <= n]*sum(c, 1, 4, unithash(1/i, 1, c)"),
        ("I[l <= n]*sum", "-I[l <= n]*sum"),
        ("j != i - n ->", "j = i - n ->"),
    ],
)
def retrieve(instance: Any) -> bool | None:
    n, i = int(instance["n"]), int(instance["i"])
    if not n < i <= 2 * n:
        return None
    query = phi(F(1, i - n))
    scores = [dot(query, phi(F(1, j))) if j <= n else 0 for j in range(1, i)]
    return attend(scores, [[a] for a in range(1, i)])[0] == [i - n - 1]


MOVES = [
    {"n": F(n), "i": F(i), "move()": column([F(m) for m in moves], 0)}
    for moves in (
        [0] * 6,
        [5, 1, 1, 1, 1, 1],
        [0, 3, -1, 1, -1, -1],
        [9, -1, 1, 1, 1, 0],
        [0, 0, 1, 1, 1, 1],
        [0, 0, 0, 0, -1, 1],
    )
    for n in (0, 1, 3, -1)
    for i in (1, 2, 4, 5)
]


def moved(instance: Any) -> tuple[int, int, list[F]] | None:
    n, i = int(instance["n"]), int(instance["i"])
    return (n, i, [instance["move()"][j] for j in range(i)]) if 0 <= n < i else None


@adequate("merrill2024.thm2.head", at=MOVES, false=True)
def head(instance: Any) -> bool | None:
    """Query 1, key I[x_j not in Sigma], value the move; saturated attention to the tokens before i. $ is or is not."""
    given = moved(instance)
    if given is None or any(given[2][: given[0] + 1]):
        return None
    n, i, moves = given
    heads = [attend([F(int(j > n or (j == 0 and key))) for j in range(i)], [[m] for m in moves])[1] for key in (0, 1)]
    return any(near(out[0], sum(moves[n + 1 :], F(0)) / i) for out in heads)


@adequate(
    "merrill2024.thm2.head.corrected",
    at=MOVES,
    misses=[
        ("I[n < j - 1]", "I[n <= j - 1]"),
        ("I[n < j - 1]", "1"),
        ("move(j))/i", "move(j))/(i - n)"),
        ("hardmax(l. 0, i, j)", "hardmax(l. I[n < l - 1], i, j)"),
        ("sum(j, n + 1, i - 1", "sum(j, n, i - 1"),
    ],
)
def head_corrected(instance: Any) -> bool | None:
    given = moved(instance)
    if given is None:
        return None
    n, i, moves = given
    _, out = attend([F(0)] * i, [[m if j > n else F(0)] for j, m in enumerate(moves)])
    return near(out[0], sum(moves[n + 1 :], F(0)) / i)


@adequate(
    "merrill2024.thm2.update",
    at=[{"h": F(h), "d": F(d), "i": F(i)} for h in (-4, -1, 0, 1, 6) for d in (-1, 0, 1, 2) for i in (0, 1, 2, 7)],
    misses=[
        ("(d = 0 & h = 0)", "d = 0"),
        ("d = -1 |", "d = 2 |"),
        ("(h - 1)/i)", "(h + 1)/i)"),
        ("(h + d)/i", "h/i"),
        ("(h + d)/i", "(h - d)/i"),
    ],
)
def update(instance: Any) -> bool | None:
    h, d, i = (instance[k] for k in "hdi")
    if i < 1 or not (d in (1, -1) or d == h == 0):
        return None
    selected = (h + 1) / i if d == 1 else (h - 1) / i if d == -1 else F(0)
    return selected == (h + d) / i


@adequate(
    "merrill2024.thm2.inputhash",
    at=[{"i": F(i), "h": F(h)} for i in (-2, 0, 1, 2, 5, 100) for h in (-3, -1, 0, 1, 8)],
    misses=[
        ("unithash(1, 1/i, c)", "unithash(1, i, c)"),
        ("unithash(i, 1, c)", "unithash(1, i, c)"),
        ("unithash(h/i, 1/i, c)", "unithash(h, 1/i, c)"),
        ("= unithash(h, 1, c)", "= unithash(-h, 1, c)"),
        ("1 <= i", "i != 0"),
    ],
)
def inputhash(instance: Any) -> bool | None:
    i, h = instance["i"], instance["h"]
    return same(phi(F(1), 1 / i), phi(i)) and same(phi(h / i, 1 / i), phi(h)) if i >= 1 else None


def tape_walks() -> Iterator[dict[str, Any]]:
    walks = [
        [0, 0, 1, 0],
        [0, 1, 0],
        [0, 1, 2],
        [0, 0, 0, 1],
        [0, 1, 2, 1],
        [0, -1, 0],
        [0, 0, -1, -2],
        [0, 1, 1, 0],
        [0, 1, 0, 1],
        [0, 1, 3],
        [1, 0, 1],
        [0, 1, 1],
        [0, 1],
    ]
    for h in walks:
        i = len(h) - 1
        key = [None, *h[:-2], h[-1]]
        keys = {j: F(a) for j, a in enumerate(key) if a is not None}
        wrote = {j: F(2 * j + 5) for j in range(-1, i + 1)}
        yield {
            "f()": TABLE,
            "g()": TIES,
            "k": ROWS["k"],
            "h()": column(h, 0),
            "key()": [keys, {**keys, 1: F(9)}],
            "wrote()": wrote,
            "i": F(i),
        }


WALKS = list(tape_walks())


def work_tape(instance: Any, repaired: bool) -> bool | None:
    """Cells written step by step, against what the head returns: a diff, or another hash where there was no visit."""
    h, i, wrote = list(instance["h()"].values()), int(instance["i"]), instance["wrote()"]
    if i < 2 or h[0] != 0 or any(abs(a - b) > 1 for a, b in itertools.pairwise(h)) or h[-1] == h[-2]:
        return None
    first = 0 if repaired else 1  # steps count from 0 in the repaired head, whose keys reach back to h(0)
    tape: dict[F, F] = {}
    for j in range(first, i):
        tape[h[j]] = wrote[j]
    query = phi(h[i] / i, F(1, i))
    keys = [phi(h[j - 1 if repaired else j] / j, F(1, j)) for j in range(1, i)]
    scores = [dot(query, k) - phi(TIES[j])[0] for j, k in enumerate(keys, 1)]
    _, out = attend(scores, [[*k, wrote[j - 1]] for j, k in enumerate(keys, 1)])
    return near(out[4], tape[h[i]]) if h[i] in tape else not same(out[:4], query)


@adequate("merrill2024.thm2.worktape", at=WALKS, false=True)
def worktape(instance: Any) -> bool | None:
    return work_tape(instance, False)


@adequate(
    "merrill2024.thm2.worktape.corrected",
    at=WALKS,
    misses=[
        ("= wrote(p))", "= wrote(p + 1))"),
        ("(all k in p + 1..i - 1. h(k) != h(i))", "(all k in 0..p - 1. h(k) != h(i))"),
        ("key(j) = h(j - 1)", "key(j) <= 9"),
        ("h(i) != h(i - 1)", "h(i) != h(i - 1) + 5"),
        ("(all j in 0..i - 1. h(j) != h(i)) -> ~", "(all j in 0..i - 1. h(j) != h(i)) | 3 <= i -> ~"),
        ("wrote(j - 1)", "wrote(j)"),
    ],
)
def worktape_corrected(instance: Any) -> bool | None:
    return work_tape(instance, True)


def output_walks() -> Iterator[dict[str, Any]]:
    """Walks up to the halting step, then to the right (or not, which the hypotheses exclude)."""
    walks = [
        ([0, 0, 1, 0], 0),
        ([0, 1, 0], 1),
        ([0, 1, 0], 0),
        ([0, 0, 0, -1], 0),
        ([0, 0, -1], 1),
        ([0, 1, 1, 0], 0),
        ([0, 1, 2], 1),
        ([0, -1, 0], 1),
        ([0, 1, 1], 0),
        ([0, 2, 1], 0),
        ([0, 1], 1),
    ]
    for h, more in walks:
        stop = len(h) - 1
        for way in (1, 0) if more else (1,):
            whole = h + [h[-1] + way * k for k in range(1, more + 1)]
            i = len(whole) - 1
            keys = {j: F(whole[j - 1]) for j in range(1, i)} | {i: F(whole[i])}
            yield {
                "f()": TABLE,
                "g()": TIES,
                "k": ROWS["k"],
                "h()": column(whole, 0),
                "key()": [keys, {**keys, 1: F(9)}],
                "wrote()": {j: F(2 * j + 5) for j in range(-1, i + 1)},
                "stop": F(stop),
                "i": F(i),
            }


OUTPUTS = list(output_walks())


def output_tape(instance: Any, repaired: bool) -> bool | None:
    """The same, with nothing written from the halting step on, and moves to the right from there."""
    h, stop, i = list(instance["h()"].values()), int(instance["stop"]), int(instance["i"])
    if any(h[j] != h[stop] + j - stop for j in range(stop, i + 1)):
        return None
    if stop < 2 or any(abs(a - b) > 1 for a, b in itertools.pairwise(h[: stop + 1])) or h[stop] == h[stop - 1]:
        return None
    wrote = instance["wrote()"]
    tape = {h[j]: wrote[j] for j in range(0 if repaired else 1, stop)}
    query = phi(h[i])
    keys = [phi(h[j - 1 if repaired else j]) for j in range(1, i)]
    scores = [dot(query, k) - phi(TIES[j])[0] for j, k in enumerate(keys, 1)]
    _, out = attend(scores, [[*k, wrote[j - 1]] for j, k in enumerate(keys, 1)])
    return near(out[4], tape[h[i]]) if h[i] in tape else not same(out[:4], query)


@adequate("merrill2024.thm2.output", at=OUTPUTS, false=True)
def output(instance: Any) -> bool | None:
    return output_tape(instance, False)


@adequate(
    "merrill2024.thm2.output.corrected",
    at=OUTPUTS,
    misses=[
        ("= wrote(p))", "= wrote(p + 1))"),
        ("(all k in p + 1..stop - 1. h(k) != h(i))", "(all k in 0..p - 1. h(k) != h(i))"),
        ("key(j) = h(j - 1)", "key(j) <= 9"),
        ("key(j) = h(j - 1)", "key(j) >= h(j - 1)"),
        ("wrote(j - 1)", "wrote(j)"),
        ("(all j in 0..stop - 1. h(j) != h(i)) -> ~", "(all j in 0..stop - 1. h(j) != h(i)) | 2 <= i -> ~"),
    ],
)
def output_corrected(instance: Any) -> bool | None:
    return output_tape(instance, True)


@adequate(
    "merrill2024.thm3.mult",
    at=[
        {"cost": cost, "a": F(a), "b": F(b), "p": F(p), "n": F(n), "t": F(t)}
        for a, b, p, n, t in [
            (1, 1, 1, 1, 0),
            (1, 1, 4, 2, 0),
            (2, 1, 4, 100, 3),
            (1, 2, 3, 5, 0),
            (1, 8, 3, 2, 0),
            (0, 1, 2, 3, 1),
            (-1, 1, 2, 3, 1),
            (3, 1, F(5, 2), 20, 5),
            (1, -2, 2, 5, 5),
        ]
        for cost in (CONTEXT.mpf(a) * p * CONTEXT.log(p), CONTEXT.mpf(a) * p * p + 1, CONTEXT.mpf(-3))
    ],
    misses=[
        ("cost <= a*p^2", "cost <= a*p"),
        ("0 <= a", "-5 <= a"),
        ("<= a*(p*log(p))", "<= a*p^2 + 1"),
        ("cost <= a*b^2*log(n + t)^2", "cost <= a*b*log(n + t)"),
        ("p <= b*log(n + t) ->", "p <= 10*b^2*log(n + t) ->"),
    ],
)
def mult(instance: Any) -> bool | None:
    cost, a, b, p, n, t = (real(instance[k]) for k in ("cost", "a", "b", "p", "n", "t"))
    if a < 0 or p < 1 or cost > a * p * CONTEXT.log(p) + SLACK:
        return None
    bits = n >= 1 and t >= 0 and p <= b * CONTEXT.log(n + t)
    return cost <= a * p**2 + SLACK and (not bits or cost <= a * (b * CONTEXT.log(n + t)) ** 2 + SLACK)


def blocks() -> Iterator[dict[str, Any]]:
    half = 1 / CONTEXT.sqrt(2)
    rows = {
        "two": [half, -half],
        "four": [F(1, 2), F(-1, 2), F(1, 2), F(-1, 2)],
        "other": [F(1, 2), F(1, 2), F(-1, 2), F(-1, 2)],
        "off": [F(1), F(0)],
        "small": [F(1, 4), F(-1, 4), F(1, 4), F(-1, 4)],
        "three": layer_norm([1, 2, 6]),
    }
    for names in (
        ["two"],
        ["two"] * 3,
        ["four"],
        ["four", "other"],
        ["other"] * 4,
        ["three"],
        ["three", "three"],
        ["off"],
        ["small"],
        ["two", "off"],
    ):
        u = {(b, c): e for b, name in enumerate(names, 1) for c, e in enumerate(rows[name], 1)}
        k, r = len(names), len(rows[names[0]])
        mean = CONTEXT.fsum(real(e) for e in u.values()) / (k * r)
        norm = CONTEXT.sqrt(CONTEXT.fsum((real(e) - mean) ** 2 for e in u.values()))
        yield {"u()": u, "k": F(k), "r": F(r), "mean": mean, "norm": [norm, norm + real(ODD)]}


@adequate(
    "merrill2024.prop1.scale",
    at=list(blocks()),
    misses=[
        ("/sqrt(k)", "/k"),
        ("/sqrt(k)", ""),
        ("(u(b, c) - mean)/norm", "(u(b, c) + norm)/norm"),
        ("sum(c, 1, r, u(b, c)^2) = 1", "sum(c, 1, r, u(b, c)^2) <= 1"),
        ("norm = sqrt", "norm >= sqrt"),
    ],
)
def scale(instance: Any) -> bool | None:
    u, k, r = instance["u()"], int(instance["k"]), int(instance["r"])
    rows = [[u[b, c] for c in range(1, r + 1)] for b in range(1, k + 1)]
    if not all(near(sum(map(real, row)), 0) and near(dot(map(real, row), map(real, row)), 1) for row in rows):
        return None
    whole = [e for row in rows for e in row]
    return same(layer_norm(whole), [real(e) / CONTEXT.sqrt(k) for e in whole])


def projected() -> Iterator[dict[str, Any]]:
    for rows in (
        [[1, 2]],
        [[1, 2], [0, -5]],
        [[1, 1, 4], [2, 0, 0], [3, 2, 1]],
        [[0, 1, 1, 1]],
        [[1, 1]],
        [[1, 2], [3, 3]],
    ):
        x = {(b, c): F(e) for b, row in enumerate(rows, 1) for c, e in enumerate(row, 1)}
        out = {
            (b, c): e for b, row in enumerate(rows, 1) if len(set(row)) > 1 for c, e in enumerate(layer_norm(row), 1)
        }
        for off in (0, 1):
            yield {
                "x()": x,
                "out()": {at: e + off * (at == (1, 2)) for at, e in out.items()},
                "k": F(len(rows)),
                "r": F(len(rows[0])),
                "off": off,
            }


@adequate(
    "merrill2024.def5.multinorm",
    at=list(projected()),
    misses=[
        ("= sqrt(k)", "= k"),
        ("= sqrt(k)", "= 1"),
        ("/(k*r) = 0", "/(k*r) = 1"),
        ("sum(c, 1, r, out(b, c)^2)", "sum(c, 1, r, out(b, c))"),
        ("sum(c, 1, r, out(b, c)^2)", "sum(c, 2, r, out(b, c)^2)"),
    ],
)
def multinorm(instance: Any) -> bool | None:
    k, r = int(instance["k"]), int(instance["r"])
    rows = [[instance["x()"][b, c] for c in range(1, r + 1)] for b in range(1, k + 1)]
    if instance["off"] or any(len(set(row)) < 2 for row in rows):
        return None
    out = [e for row in rows for e in layer_norm(row)]
    return near(sum(out), 0) and near(CONTEXT.sqrt(dot(out, out)), CONTEXT.sqrt(k))


def input_heads() -> Iterator[dict[str, Any]]:
    h = column([4, -2, 0, 1, -3])
    for n, i, j in itertools.product((1, 3, 0), (1, 3, 5), (1, 2, 4)):
        query, key = (phi(F(t)) if 1 <= t <= n else phi(h[t]) for t in (i, j))
        for last in (-1, 1):
            yield {
                "n": F(n),
                "h()": h,
                "i": F(i),
                "j": F(j),
                "query()": column_of([*query, F(last)]),
                "key()": column_of([*key, F(int(j > n))]),
            }


def column_of(entries: Iterable[Any]) -> dict[int, Any]:
    return dict(enumerate(entries, 1))


@adequate(
    "merrill2024.appD.head",
    at=list(input_heads()),
    misses=[
        ("- I[j > n]", "+ I[j > n]"),
        ("- I[j > n]", "- I[j >= n]"),
        ("hashdot(h(i), h(j)) - 1", "hashdot(h(i), h(j))"),
        ("hashdot(h(i), j)", "hashdot(i, j)"),
        ("= hashdot(i, j)", "= hashdot(h(i), h(j))"),
        ("query(5) = -1", "query(5) <= 1"),
    ],
)
def input_head(instance: Any) -> bool | None:
    n, i, j, h = int(instance["n"]), int(instance["i"]), int(instance["j"]), instance["h()"]
    if n < 1 or instance["query()"][5] != -1:
        return None
    score = dot(map(real, instance["query()"].values()), map(real, instance["key()"].values()))
    a, b = (phi(F(t)) if 1 <= t <= n else phi(h[t]) for t in (i, j))
    return near(score, dot(a, b) - int(j > n))


def tape_heads() -> Iterator[dict[str, Any]]:
    h = column([4, -2, 0, 1, -3])
    for i, j in itertools.product((1, 3, 5), (1, 2, 4)):
        query = [*phi(h[i] / i, F(1, i)), F(1), F(0), F(0), F(0)]
        key = [*phi(h[j] / j, F(1, j)), *(-a for a in phi(TIES[j]))]
        for off in (0, 1):
            yield {
                "g()": TIES,
                "h()": h,
                "i": F(i),
                "j": F(j),
                "query()": column_of(query),
                "key()": column_of([*key[:-1], key[-1] + off]),
                "off": off,
            }


@adequate(
    "merrill2024.appE.head",
    at=list(tape_heads()),
    misses=[
        ("- g(j)/sqrt", "+ g(j)/sqrt"),
        ("- g(j)/sqrt(2*g(j)^2 + 2)", "- g(j)"),
        ("- g(j)/sqrt(2*g(j)^2 + 2)", "- g(i)/sqrt(2*g(i)^2 + 2)"),
        ("hashdot(h(i), h(j))", "hashdot(h(i)/i, h(j))"),
        ("sum(c, 1, 8", "sum(c, 1, 4"),
    ],
)
def tape_head(instance: Any) -> bool | None:
    if instance["off"]:
        return None
    score = dot(map(real, instance["query()"].values()), map(real, instance["key()"].values()))
    h, j = instance["h()"], int(instance["j"])
    f = real(TIES[j])
    return near(score, dot(phi(h[int(instance["i"])]), phi(h[j])) - f / CONTEXT.sqrt(2 * f * f + 2))


# --- Proposition 1 ----------------------------------------------------------------------------------------------------


def simulations() -> Iterator[dict[str, Any]]:
    """Projections M_b v, padded rows (centred, or not), the blocks of k layers (or with twice their negative part)."""
    for k, r, v in [(1, 2, [1, 2]), (2, 2, [1, -1, 2, 0]), (1, 3, [0, 1, 5]), (2, 1, [1, 2]), (2, 2, [0, 0, 0, 0])]:
        m = k * r
        M = {
            (b, c, e): F(RANDOM.randint(-3, 3))
            for b in range(1, k + 1)
            for c in range(1, r + 1)
            for e in range(1, m + 1)
        }
        x = {
            (b, c): sum(M[b, c, e] * v[e - 1] for e in range(1, m + 1))
            for b in range(1, k + 1)
            for c in range(1, r + 1)
        }
        rows = [[x[b, c] for c in range(1, r + 1)] for b in range(1, k + 1)]
        if any(len(set(row)) < 2 for row in rows):
            blank = {(b, c): F(0) for b in range(1, k + 1) for c in range(1, m + 1)}
            yield simulation(k, r, M, v, x, [blank], [{}], F(0), [F(1)])
            continue
        padded, blocks = [], []
        for centre in (1, 0):
            p = [[a - centre * sum(row) / r for a in row] + [F(0)] * (m - r) for row in rows]
            padded.append({(b, c): a for b, row in enumerate(p, 1) for c, a in enumerate(row, 1)})
            for sign in (1, -1):
                normed = [[a if sign > 0 or a > 0 else 2 * a for a in layer_norm(row)[:r]] for row in p]
                layers = range(k + 1)
                blocks.append(
                    {
                        (n, b, c): normed[b - 1][c - 1] * (b <= n)
                        for n in layers
                        for b in range(1, k + 1)
                        for c in range(1, r + 1)
                    }
                )
        yield simulation(
            k,
            r,
            M,
            v,
            x,
            padded,
            blocks,
            lambda env: [last_norm(env)[0]],
            lambda env: [last_norm(env)[1] * t for t in (1, 2)],
        )


def last_norm(env: Any) -> tuple[Any, Any]:
    """Mean and norm of what the last layer reads."""
    whole = [real(a) for (n, _, _), a in env["block"].items() if n == env["k"]]
    mean = CONTEXT.fsum(whole) / len(whole)
    return mean, CONTEXT.sqrt(CONTEXT.fsum((a - mean) ** 2 for a in whole))


def simulation(k: int, r: int, M: Any, v: Any, x: Any, p: Any, block: Any, mean: Any, norm: Any) -> dict[str, Any]:
    W = {(a, b, c): F(RANDOM.randint(-5, 5)) for a in (1, 2) for b in range(1, k + 1) for c in range(1, r + 1)}
    functions = {"M()": M, "v()": column(v), "x()": x, "p()": p, "block()": block, "W()": W}
    return {**functions, "k": F(k), "r": F(r), "mean": mean, "norm": norm, "a": [F(1), F(2)]}


@adequate(
    "merrill2024.prop1",
    at=list(simulations()),
    misses=[
        ("sqrt(k)*W(a, b, c)", "k*W(a, b, c)"),
        ("sqrt(k)*W(a, b, c)", "W(a, b, c)"),
        ("p(b, c) = x(b, c) - sum(e, 1, r, x(b, e))/r", "p(b, c) = x(b, c)"),
        ("- relu(-layernorm(e. p(l, e), k*r, c))", "- 2*relu(-layernorm(e. p(l, e), k*r, c))"),
        ("layernorm(e. x(b, e), r, c)", "layernorm(e. x(b, e), r, 1)"),
        ("norm = sqrt(", "norm = 2*sqrt("),
        ("*W(a, b, c)*((block(k, b, c)", "*W(a, b, c)*((block(k - 1, b, c)"),
    ],
)
def prop1(instance: Any) -> bool | None:
    k, r, v = int(instance["k"]), int(instance["r"]), list(instance["v()"].values())
    M, W = instance["M()"], instance["W()"]
    rows = [[sum(M[b, c, e] * v[e - 1] for e in range(1, k * r + 1)) for c in range(1, r + 1)] for b in range(1, k + 1)]
    if any(len(set(row)) < 2 for row in rows):
        return None
    multi = [a for row in rows for a in layer_norm(row)]
    stream: list[Any] = []
    for row in rows:  # one layer for each: centred, padded, normed, written
        stream += layer_norm([a - sum(row) / r for a in row] + [F(0)] * (k * r - r))[:r]
    weights = [[real(W[a, b, c]) for b in range(1, k + 1) for c in range(1, r + 1)] for a in (1, 2)]
    final = layer_norm(stream)
    return all(near(CONTEXT.sqrt(k) * dot(row, final), dot(row, multi)) for row in weights)
