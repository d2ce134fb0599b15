"""Index lookup (Cookbook, Section 5.3 and Table 5): claims written from the paper's words and printed matrices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from proof.adequacy import ODD, adequate, column, draws
from proof.paper import same, softmax
from proof.statement_truth import CONTEXT, SLACK, real

F = Fraction
RANDOM = draws(53)
Codes = Callable[[int], list[Any]]


def number() -> F:
    return F(RANDOM.randint(-12, 12), RANDOM.randint(1, 6))


def dot(x: Any, y: Any) -> Any:
    total: Any = F(0)
    for a, b in zip(x, y, strict=True):
        exact = isinstance(a, Fraction) and isinstance(b, Fraction)
        total = total + a * b if exact and isinstance(total, Fraction) else real(total) + real(a) * real(b)
    return total


def maxima(scores: list[Any]) -> list[int]:
    """I(s) of Definition 5.1, from 1."""
    return [j for j, s in enumerate(scores, 1) if all(t < s or same(s, t) for t in scores)]


def ahardmax(scores: list[Any]) -> list[F]:
    best = maxima(scores)
    return [F(int(j in best), len(best)) for j in range(1, len(scores) + 1)]


# Section 5: masks and weightings


def masked_instances() -> Iterator[dict[str, Any]]:
    """Past masking with exp(-inf) = 0: the weights, and others."""
    for n, i in [(1, 1), (2, 1), (2, 2), (3, 2), (4, 1), (4, 3), (4, 4), (3, 0), (3, 4)]:
        s = [number() / 4 for _ in range(n)]
        e = [CONTEXT.exp(real(a)) if j >= i else CONTEXT.mpf(0) for j, a in enumerate(s, 1)]
        weights = [a / CONTEXT.fsum(e) for a in e] if 1 <= i <= n else [F(0)] * n
        found = {j: CONTEXT.mpf(0) + a for j, a in enumerate(weights, 1)}
        yield {"n": F(n), "i": F(i), "s()": column(s), "alpha()": [found, {j: a + 1 for j, a in found.items()}]}


@adequate(
    "s5.past_mask",
    at=masked_instances(),
    misses=[
        ("j < i -> alpha(j) = 0", "j <= i -> alpha(j) = 0"),
        ("0 < alpha(j)", "alpha(j) < 1"),
        ("alpha(j) = exp(s(j))/sum(k, i, n, exp(s(k)))", "alpha(j) = exp(s(j))/sum(k, 1, n, exp(s(k)))"),
        ("sum(j, 1, n, alpha(j)) = 1", "sum(j, i + 1, n, alpha(j)) = 1"),
        ("all j in i..n. alpha", "all j in 1..n. alpha"),
    ],
)
def past_mask(v: Any) -> bool | None:
    n, i = int(v["n"]), int(v["i"])
    if not 1 <= i <= n:
        return None
    scores = list(v["s()"].values())
    weights = {**dict.fromkeys(range(1, i), 0), **dict(enumerate(softmax(scores[i - 1 :]), i))}
    return all(same(weights[j], v["alpha()"][0][j]) for j in weights) and same(sum(weights.values()), 1)


def score_lists() -> list[list[F]]:
    fixed = [
        [],
        [0],
        [5],
        [0, 0],
        [1, 1],
        [0, 1],
        [1, 0],
        [0, 0, 0],
        [2, 1, 2],
        [1, 2, 2],
        [2, 2, 1],
        [0, 3, 1, 3],
        [1, 2, 3, 0],
    ]
    return [[F(a) for a in s] for s in fixed] + [[number() for _ in range(n)] for n in (2, 3, 5)]


@adequate(
    "s5.softmax",
    at=[{"n": F(len(s)), "s()": column(s), "c": c} for s in score_lists() for c in (F(0), F(-3), F(1, 2))],
    misses=[
        ("sm(s, n, j) <= 1", "sm(s, n, j) < 1"),
        ("0 < sm(s, n, j)", "1/n <= sm(s, n, j)"),
        ("sum(j, 1, n, sm(s, n, j)) = 1", "sum(j, 2, n, sm(s, n, j)) = 1"),
        ("s(l) + c", "s(l) + c*l"),
        ("s(l) + c", "s(l)*c"),
        ("1 <= n", "0 <= n"),
    ],
)
def softmax_facts(v: Any) -> bool | None:
    s = list(v["s()"].values())
    if not s:
        return None
    weights, shifted = softmax(s), softmax([a + v["c"] for a in s])
    positive = all(0 < w <= 1 for w in weights) and same(CONTEXT.fsum(weights), 1)
    return positive and all(same(a, b) for a, b in zip(weights, shifted, strict=True))


@adequate(
    "s5.def5.1_hardmax",
    at=[{"n": F(len(s)), "s()": column(s)} for s in score_lists()],
    misses=[
        ("(tieless(s, n) -> all j", "(1 <= n -> all j"),
        ("hardmax(s, n, j) <= 1", "hardmax(s, n, j) < 1"),
        ("0 <= hardmax(s, n, j)", "0 < hardmax(s, n, j)"),
        ("sum(j, 1, n, rhardmax(s, n, j)) = 1", "sum(j, 1, n, rhardmax(s, n, j)*j) = 1"),
        ("sum(j, 1, n, lhardmax(s, n, j)) = 1", "sum(j, 1, n - 1, lhardmax(s, n, j)) = 1"),
        ("sum(j, 1, n, hardmax(s, n, j)) = 1", "sum(j, 1, n, hardmax(s, n, j)) = sum(m, 1, n, I[maximal(s, n, m)])"),
        ("lhardmax(s, n, j) = I[j = p]", "hardmax(s, n, j) = I[j = p]"),
        ("1 <= n", "0 <= n"),
    ],
)
def hardmaxes(v: Any) -> bool | None:
    s = list(v["s()"].values())
    if not s:
        return None
    best = [i for i, a in enumerate(s, 1) if a == max(s)]
    left, right = ([int(i == edge(best)) for i in range(1, len(s) + 1)] for edge in (min, max))
    average = [F(int(i in best), len(best)) for i in range(1, len(s) + 1)]
    unit = all(sum(w) == 1 and all(0 <= a <= 1 for a in w) for w in (left, right, average))
    return unit and (len(best) > 1 or left == right == average)


# Section 5.3: what a lookup is


def chosen_instances() -> Iterator[dict[str, Any]]:
    """Scores greatest at q_i alone, with ties, or elsewhere."""
    for n, ask in [
        (1, (1,)),
        (2, (1, 1)),
        (2, (2, 1)),
        (3, (3, 3, 1)),
        (3, (2, 1, 2)),
        (2, (0, 1)),
        (0, ()),
        (3, (1, 2, 4)),
    ]:
        values = [number() for _ in range(n)]
        for at_query, first, other in ((2, 0, 0), (2, 2, 0), (0, 2, 2)):
            rows = [[F(at_query if j == q else first if j == 1 else other) for j in range(1, n + 1)] for q in ask]
            found = [dot(ahardmax(row), values) for row in rows]
            yield {
                "n": F(n),
                "q()": column(ask),
                "v()": column(values),
                "s()": {(i, j): a for i, row in enumerate(rows, 1) for j, a in enumerate(row, 1)},
                "found()": [column(found), column(e + ODD for e in found)],
            }


@adequate(
    "s5.3.lookup_spec",
    at=chosen_instances(),
    misses=[
        ("found(i) = v(q(i))", "found(q(i)) = v(i)"),
        ("found(i) = v(q(i))", "found(i) = v(i)"),
        ("s(i, j) < s(i, q(i))", "s(i, j) <= s(i, q(i))"),
        ("j != q(i) -> s(i, j) < s(i, q(i))", "j != q(i) -> s(i, q(i)) < s(i, j)"),
        ("found(i) = v(q(i))", "found(i) = v(q(1))"),
    ],
)
def lookup_spec(v: Any) -> bool | None:
    n, ask, values = int(v["n"]), [int(q) for q in v["q()"].values()], list(v["v()"].values())
    if n < 1 or any(not 1 <= q <= n for q in ask):
        return None
    rows = [[v["s()"][i, j] for j in range(1, n + 1)] for i in range(1, n + 1)]
    if any(maxima(row) != [q] for row, q in zip(rows, ask, strict=True)):
        return None
    return [dot(ahardmax(row), values) for row in rows] == [values[q - 1] for q in ask]


def attend(codes: Codes, width: int, ask: list[int], values: list[F], factor: Any) -> tuple[list[list[Any]], list[Any]]:
    """The scores before the factor, and what average-hard attention with the printed matrices returns."""
    columns = [[*codes(q), *codes(i), v] for i, (q, v) in enumerate(zip(ask, values, strict=True), 1)]
    wide = 2 * width + 1
    WQ = [[F(int(b == a)) for b in range(wide)] for a in range(width)]
    WK = [[F(int(b == width + a)) for b in range(wide)] for a in range(width)]
    WV = [F(int(b == 2 * width)) for b in range(wide)]
    queries, keys = ([[dot(row, z) for row in W] for z in columns] for W in (WQ, WK))
    scores = [[dot(q, k) for k in keys] for q in queries]
    looked = [dot(WV, z) for z in columns]
    return scores, [dot(ahardmax([dot([s], [factor]) for s in row]), looked) for row in scores]


def lookups(codes: Codes, width: int, ask: tuple[int, ...]) -> dict[str, Any]:
    """Columns [x_q; x_i; v_i], and as outputs what hard attention gives with the factor c, and something else."""
    values = [number() for _ in ask]
    n = len(ask)
    z = {}
    for i, (q, v) in enumerate(zip(ask, values, strict=True), 1):
        z.update({(b, i): e for b, e in enumerate([*codes(q), *codes(i), v], 1)})

    def found(env: Any) -> list[dict[int, Any]]:
        out = attend(codes, width, list(ask), values, env["c"])[1]
        return [
            dict(enumerate(out, 1)),
            {i: e + ODD if isinstance(e, F) else e + real(ODD) for i, e in enumerate(out, 1)},
        ]

    factors = [F(1), F(2, 5), F(-1)] if n < 3 else [F(1)]
    return {"n": F(n), "q()": column(ask), "v()": column(values), "z()": z, "c": factors, "found()": found}


def asked(v: Any) -> tuple[int, list[int], list[F]] | None:
    """n, the queries and the values, where the queries are positions."""
    n, ask = int(v["n"]), [int(q) for q in v["q()"].values()]
    return (n, ask, list(v["v()"].values())) if n >= 1 and all(1 <= q <= n for q in ask) else None


def one_hot(N: int) -> Codes:
    return lambda p: [F(int(a == p)) for a in range(1, N + 1)]


ASKED = [(1,), (1, 1), (2, 1), (2, 2), (3, 1, 3), (2, 3, 1), (0,), (1, 4)]


def one_hot_instances() -> list[dict[str, Any]]:
    sizes = [(N, ask) for ask in ASKED for N in (1, 2, 3) if len(ask) - 1 <= N]
    return [{"N": F(N), **lookups(one_hot(N), N, ask)} for N, ask in sizes]


FOUND = [
    ("found(i) = v(q(i))", "found(i) = v(i)"),
    ("found(i) = v(q(i))", "found(i) = v(q(1))"),
    ("0 < c", "c != 0"),
]


def with_a_run(v: dict[str, Any]) -> dict[str, Any]:
    """An instance with a run of the stored model on the same queries and values; looked is what the matrices give."""
    queries, values = list(v["q()"].values()), list(v["v()"].values())
    found = [values[int(q) - 1] if 1 <= q <= len(values) else F(0) for q in queries]
    columns = {f"at{k}()": column(F(i == k) for i in range(1, len(values) + 1)) for k in range(1, 9)}
    codes = {f"query{k}()": column(F(q == k) for q in queries) for k in range(1, 9)}
    return {
        **{("looked()" if name == "found()" else name): e for name, e in v.items()},
        **columns,
        **codes,
        "query()": column(queries),
        "value()": column(values),
        "found()": [column(found), column(e + ODD for e in found)],
    }


@adequate(
    "s5.3.1.onehot",
    at=list(map(with_a_run, one_hot_instances())),
    misses=[
        *((old.replace("found", "looked"), new.replace("found", "looked")) for old, new in FOUND),
        ("found(i) = value(p)", "found(i) = value(i)"),
        ("query(i) = p -> ", ""),
        ("blockscore(z, N, i, j) = I[j = q(i)]", "blockscore(z, N, i, j) = I[j = i]"),
        ("N + a, i) = I[a = i]", "N + a, i) = I[a = q(i)]"),
        ("a, i) = I[a = q(i)] &", "a, i) = I[a = i] &"),
        ("2*N + 1, i) = v(i)", "2*N + 1, i) = v(q(i))"),
        ("n <= N", "n <= N + 1"),
        ("all j in 1..n. blockscore(z, N, i, j) = I[j = q(i)]", "all j in 1..n. blockscore(z, N, i, j) = I[j <= q(i)]"),
    ],
)
def onehot(v: Any) -> bool | None:
    N, given = int(v["N"]), asked(v)
    if given is None or given[0] > N:
        return None
    n, ask, values = given
    scores, found = attend(one_hot(N), N, ask, values, F(1))
    return scores == [[int(j == q) for j in range(1, n + 1)] for q in ask] and found == [values[q - 1] for q in ask]


def with_both(v: dict[str, Any]) -> dict[str, Any]:
    """found is what the matrices give where c is asked for, and of the run elsewhere."""
    run, looked = with_a_run(v), v["found()"]
    places, N = range(1, len(v["v()"]) + 1), range(1, int(v["N"]) + 1)
    run |= {
        "at()": {(c, i): F(c == i) for c in N for i in places},
        "hot()": {(c, i): F(v["q()"][i] == c) for c in N for i in places},
    }
    return {**v, **run, "found()": lambda env: looked(env) if "c" in env else run["found()"]}


@adequate(
    "t5.onehot",
    at=list(map(with_both, one_hot_instances())),
    misses=[
        ("found(i) = value(p)", "found(i) = value(i)"),
        ("query(i) = p -> ", ""),
        *FOUND,
        ("n <= N", "n <= N + 1"),
        ("2*N + 1 <= 3*N", "2*N + 1 <= 2*N"),
        ("2*N <= 2*N + 1", "3*N <= 2*N + 1"),
    ],
)
def onehot_row(v: Any) -> bool | None:
    """Width Theta(N), between 2N and 3N, for every N >= 1; the lookup where it applies."""
    N, given = int(v["N"]), asked(v)
    grows = 2 * N <= len(one_hot(N)(1)) * 2 + 1 <= 3 * N
    if given is None or given[0] > N:
        return grows
    _, ask, values = given
    return grows and attend(one_hot(N), N, ask, values, F(1))[1] == [values[q - 1] for q in ask]


GAPS = [
    {"N": F(N), "n": F(n), "p": F(p), "j": [F(j) for j in range(1, n + 1)]}
    for N in range(1, 6)
    for n in range(N + 2)
    for p in range(n + 2)
]


def one_hot_gap(v: Any, scaled: bool) -> Any:
    """The least difference of the best score and another one; None outside the hypotheses."""
    N, n, p = (int(v[k]) for k in ("N", "n", "p"))
    if not 2 <= n <= N or not 1 <= p <= n:
        return None
    codes = one_hot(N)
    scores = [dot(codes(p), codes(j)) for j in range(1, n + 1)]
    least = min(scores[p - 1] - s for j, s in enumerate(scores, 1) if j != p)
    return real(least) / CONTEXT.sqrt(N) if scaled else least


@adequate("s5.3.1.gap", at=GAPS, false=True)
def one_hot_score_gap(v: Any) -> bool | None:
    least = one_hot_gap(v, scaled=True)
    return None if least is None else same(least, 1)


@adequate(
    "s5.3.1.gap.corrected",
    at=GAPS,
    misses=[
        ("I[a = p]*I[a = j])/sqrt(N) = 1/sqrt(N)", "I[a = p]*I[a = j])/sqrt(N) = 1"),
        ("I[a = p]*I[a = j]) = 1 & sum", "I[a = p]*I[a = j]) = 2 & sum"),
        ("all j in 1..n. j != p", "all j in 1..n. j <= n"),
        ("= 1/sqrt(N)", "= 1/N"),
        ("I[a = p]*I[a = j]) = 1)", "I[a = p]*I[a = p]) = 1)"),
        ("2 <= n & n <= N", "1 <= n & n <= N"),
    ],
)
def gap(v: Any) -> bool | None:
    plain, scaled = one_hot_gap(v, False), one_hot_gap(v, True)
    return None if plain is None else plain == 1 and same(scaled, 1 / CONTEXT.sqrt(int(v["N"])))


SIZES = [F(1), F(1, 2), F(1, 4), F(3)]


def least_size(N: int, eps: F, k: F) -> int:
    """m by Eq. (38)."""
    return math.ceil(12 * real(k) / real(eps) ** 2 * CONTEXT.log(2 * N))


def dimension_instances() -> Iterator[dict[str, Any]]:
    """k = log(1/delta)/log(2) is enough for N >= 2; C from 12k/eps^2*(log 2N)/log N + 1/log N at N = 2."""
    for N, eps, delta in itertools.product([1, 2, 3, 10, 1000], SIZES, [F(1, 2), F(1, 1000), F(1), F(2)]):
        k = max(math.ceil(-CONTEXT.log(real(delta), 2)), 1)
        m = least_size(N, eps, F(k))
        constant = 24 * real(F(k)) / real(eps) ** 2 + 1 / CONTEXT.log(2)
        yield {"N": F(N), "eps": eps, "delta": delta, "k": F(k), "m": [F(m), F(m - 1), F(m + 1)], "C": constant}
    yield {"N": F(2), "eps": F(0), "delta": F(0), "k": F(0), "m": F(1), "C": F(1)}


DIMENSIONS = tuple(dimension_instances())


@adequate("s5.3.2.ao_dimension", at=DIMENSIONS, false=True)
def dimension_printed(v: Any) -> bool | None:
    """Every power of 1 is 1."""
    return v["N"] > 1 or v["delta"] >= 1 if v["delta"] > 0 else None


@adequate(
    "s5.3.2.ao_dimension.corrected",
    at=DIMENSIONS,
    misses=[
        ("exp(-k*log(N)) <= delta", "exp(k*log(N)) <= delta"),
        ("all N:Int. 2 <= N", "all N:Int. 1 <= N"),
        ("m <= C*log(N)", "m + 1 <= C*log(N)/2"),
        ("12*k/eps^2*log(2*N) <= m)", "12*k/eps^2*log(2*N) <= m - 1)"),
        ("2 <= N & m - 1 < 12*k/eps^2*log(2*N) ->", "1 <= N & m - 1 < 12*k/eps^2*log(2*N) ->"),
        ("delta < 1 & 0 < k", "delta <= 1 & 0 < k"),
        ("delta < exp(-k*log(1))", "delta < exp(-k*log(2))"),
    ],
)
def dimension(v: Any) -> bool | None:
    """For N >= 2; every power of 1 is 1, so that none is at most delta < 1."""
    if v["eps"] <= 0:
        return None
    N, m = int(v["N"]), v["m"][0]
    power = N == 1 or same(0, max(CONTEXT.mpf(0), real(F(1, N) ** int(v["k"])) - real(v["delta"])))
    return power and (N == 1 or bool(real(m) <= real(v["C"]) * CONTEXT.log(N)))


CODES = [[[1]], [[1, 1], [1, -1]], [[1, 2, 0], [-2, 1, 5]], [[1], [0]], [[1, 0], [0, 1], [1, 1]], [[1], [2]]]


@adequate(
    "s5.3.1.width",
    at=[
        {**v, "C": 2 * real(v["C"]) + 1 / CONTEXT.log(2), "P": F(len(codes)), "h": F(len(codes[0])), "codes": codes}
        | {"X()": {(a, i): F(e) for i, code in enumerate(codes, 1) for a, e in enumerate(code, 1)}}
        for v, codes in zip(dimension_instances(), itertools.cycle(CODES), strict=False)
    ],
    misses=[
        ("2*P + 1 <= 2*h + 1", "2*P + 1 <= 2*h"),
        ("2*P + 1 <= 2*h + 1", "2*P + 1 >= 2*h + 2"),
        ("(all i in 1..P. 0 < sum(a, 1, h, X(a, i)^2)) ->", ""),
        ("(all i in 1..P. all j in 1..P. i != j -> sum(a, 1, h, X(a, i)*X(a, j)) = 0) ->", ""),
        ("2*m + 1 <= C*log(N)", "2*m + 1 <= C*log(N)/4"),
        ("2 <= N & m", "1 <= N & m"),
        ("2*m + 1 <= C*log(N)", "m^2 <= C*log(N)"),
    ],
)
def width(v: Any) -> bool | None:
    """Orthogonal codes are no shorter than the one-hot ones, and 2m + 1 <= C log N."""
    N, m, codes = int(v["N"]), v["m"][0] if isinstance(v["m"], list) else v["m"], v["codes"]
    orthogonal = all(map(any, codes)) and not any(dot(x, y) for x, y in itertools.combinations(codes, 2))
    needed = not orthogonal or len(codes[0]) >= len(one_hot(len(codes))(1))
    return needed and (N == 1 or v["eps"] <= 0 or bool(2 * real(m) + 1 <= real(v["C"]) * CONTEXT.log(N)))


# Section 5.3.2: almost orthogonal vectors


def near(vectors: list[list[Any]], eps: Any) -> bool:
    """Eq. (37)."""
    products: Any = [[dot(x, y) for y in vectors] for x in vectors]
    slack: Any = F(0)
    if any(not isinstance(e, Fraction) for row in products for e in row):
        eps, slack, products = real(eps), SLACK, [[real(e) for e in row] for row in products]
    indices = range(len(vectors))
    long = all(products[i][i] >= 1 - eps - slack for i in indices)
    return long and all(abs(products[i][j]) <= eps + slack for i in indices for j in indices if i != j)


FAMILIES: list[tuple[F, list[list[F]]]] = [
    (F(1, 4), [[F(1), F(0)], [F(0), F(1)]]),
    (F(1, 4), [[F(1), F(0)], [F(1, 4), F(1)]]),
    (F(1, 4), [[F(9, 10), F(0)], [F(-1, 5), F(2)]]),
    (F(1, 4), [[F(1), F(0)], [F(3, 10), F(1)]]),
    (F(1, 4), [[F(4, 5), F(0)], [F(0), F(1)]]),
    (F(3, 5), [[F(13, 20), F(0)], [F(9, 10), F(1, 2)]]),
    (F(1, 100), [[F(1), F(0), F(1, 10)], [F(0), F(1), F(0)], [F(1, 11), F(0), F(-1)]]),
    (F(1, 2), [[F(3, 4)], [F(2, 3)]]),
    (F(1, 4), [[F(1)]]),
    (F(19, 100), [[F(9, 10), F(0)], [F(19, 90), F(1)]]),
]


def family_instances() -> Iterator[dict[str, Any]]:
    for eps, vectors in FAMILIES:
        N, m = len(vectors), len(vectors[0])
        for ask in [(1,), (1, 1), (2, 1), (2, 2), (0,), (3, 1, 2)]:
            if (len(ask) <= N + 1 and m < 3) or (ask == (3, 1, 2) and N == 3):
                yield family(eps, vectors, ask)


def family(eps: F, vectors: list[list[F]], ask: tuple[int, ...]) -> dict[str, Any]:
    N, m = len(vectors), len(vectors[0])

    def codes(p: int) -> list[F]:
        return vectors[p - 1] if 1 <= p <= N else [F(0)] * m

    X = {(a, i): e for i, x in enumerate(vectors, 1) for a, e in enumerate(x, 1)}
    outside = {(a, i): F(0) for a in range(1, m + 1) for i in (N + 1, N + 2)}
    there = lookups(codes, m, ask)
    looked, values = there["found()"], list(there["v()"].values())
    n, wanted = len(ask), [codes(q) for q in ask]
    weights = [[dot(code, codes(j)) for j in range(1, n + 1)] for code in wanted]
    best = [[j for j, s in enumerate(row) if s == max(row)] for row in weights]
    found = [sum((values[j] for j in row), F(0)) / len(row) for row in best]
    return {
        "m": F(m),
        "N": F(N),
        "X()": {**X, **outside},
        "eps": eps,
        "vectors": vectors,
        **there,
        "query()": column(ask),
        "value()": column(values),
        "code()": {(a, i): e for i in range(1, n + 1) for a, e in enumerate(codes(i), 1)},
        "asked()": {(a, i): e for i, code in enumerate(wanted, 1) for a, e in enumerate(code, 1)},
        "found()": lambda env: [column(found), column(e + ODD for e in found)] if "query" in env else looked(env),
    }


@adequate(
    "s5.3.2.ao_lookup",
    at=family_instances(),
    misses=[
        *FOUND,
        ("eps < 1/2 ->", "eps < 1 ->"),
        ("blockscore(z, m, i, j) <= eps", "blockscore(z, m, i, j) < eps"),
        ("blockscore(z, m, i, j) <= eps", "blockscore(z, m, i, j) <= eps/2"),
        ("1 - eps <= blockscore", "1 <= blockscore"),
        ("nearorthogonal(X, m, N, eps)", "nearorthogonal(X, m, 1, eps)"),
        ("j != q(i) -> blockscore(z, m, i, j)", "j != i -> blockscore(z, m, i, j)"),
        ("query(i) = q -> found(i) = value(q)", "query(i) = q -> found(i) = value(1)"),
        ("query(i) = q -> found(i) = value(q)", "found(i) = value(q)"),
    ],
)
def almost_orthogonal(v: Any) -> bool | None:
    given, eps, vectors = asked(v), v["eps"], v["vectors"]
    if not 1 <= v["n"] <= len(vectors) or not near(vectors, eps):
        return None
    if given is None:  # the family's layer has a run for any query
        return True if eps < F(1, 2) else None
    n, ask, values = given
    scores, found = attend(lambda p: vectors[p - 1], len(vectors[0]), ask, values, F(1))
    high = all(row[q - 1] >= 1 - eps for row, q in zip(scores, ask, strict=True))
    low = all(row[j - 1] <= eps for row, q in zip(scores, ask, strict=True) for j in range(1, n + 1) if j != q)
    return high and low and (eps >= F(1, 2) or found == [values[q - 1] for q in ask])


Matrix = Callable[[Any, Any], Any]


def padded(vectors: list[list[Any]]) -> Matrix:
    """X(a, i), and 0 outside."""
    entries = {(a, i): e for i, x in enumerate(vectors, 1) for a, e in enumerate(x, 1)}
    return lambda a, i: entries.get((int(a), int(i)), F(0))


def sharp(eps: F) -> list[list[Any]]:
    """x_1 = (sqrt(1 - eps), 0), x_2 = (eps/sqrt(1 - eps), 1): the gap is 1 - 2 eps."""
    root = CONTEXT.sqrt(real(1 - eps))
    return [[root, F(0)], [real(eps) / root, F(1)]]


def gap_instances() -> Iterator[dict[str, Any]]:
    for eps, vectors in [*FAMILIES, (F(0), FAMILIES[0][1])]:
        sizes = {"m": F(len(vectors[0])), "N": F(len(vectors)), "eps": eps, "vectors": vectors}
        yield {**sizes, "X()": [padded(vectors), padded(sharp(eps))]}


GAP_INSTANCES = tuple(gap_instances())


@adequate("s5.3.2.ao_gap", at=GAP_INSTANCES, false=True)
def orthogonal_gap_printed(v: Any) -> bool | None:
    """Of the families that are given: the least difference at each place."""
    eps, vectors = v["eps"], v["vectors"]
    if not 0 < eps < F(1, 2) or len(vectors) < 2:
        return None
    families = [vectors, sharp(eps)] if len(vectors) == len(vectors[0]) == 2 else [vectors]
    fitting = [xs for xs in families if near(xs, eps if xs is vectors else real(eps))]
    gaps = [min(dot(x, x) - dot(x, y) for y in xs if x is not y) for xs in fitting for x in xs]
    return all(same(gap, 1 - 2 * eps) for gap in gaps) if fitting else None


@adequate(
    "s5.3.2.ao_gap.corrected",
    at=GAP_INSTANCES,
    misses=[
        ("1 - 2*eps <= sum", "1 - 2*eps < sum"),
        ("1 - 2*eps <= sum", "1 - eps <= sum"),
        ("j != p", "j <= N"),
        ("= 1 - 2*eps)", "= 1 - 3*eps)"),
        ("nearorthogonal(X, m, N, eps)", "nearorthogonal(X, m, 1, eps)"),
        ("= 1 - 2*eps)", "< 1 - 2*eps)"),
    ],
)
def orthogonal_gap(v: Any) -> bool | None:
    eps, vectors = v["eps"], v["vectors"]
    if not 0 < eps < F(1, 2):
        return None
    pair = sharp(eps)
    attained = near(pair, real(eps)) and same(dot(pair[0], pair[0]) - dot(pair[0], pair[1]), 1 - 2 * eps)
    if len(vectors) < 2 or not near(vectors, eps):
        return attained
    gaps = [dot(x, x) - dot(x, y) for x in vectors for y in vectors if x is not y]
    return attained and min(gaps) >= 1 - 2 * eps


def signs_of(columns: list[int], m: int) -> list[list[Any]]:
    """Vectors of signs over sqrt(m) from whole numbers."""
    return [[real(F(1 - 2 * (c >> a & 1))) / CONTEXT.sqrt(m) for a in range(m)] for c in columns]


def capacity_instances() -> Iterator[dict[str, Any]]:
    """c = eps^2/8 for eps <= 1; unit vectors where there are few, sign vectors, or none."""
    few = [(F(1), 4, 1), (F(1, 2), 4, 2), (F(1, 2), 8, 1), (F(1, 4), 3, 3), (F(3), 2, 4), (F(1, 5), 2, 2), (F(0), 1, 1)]
    for eps, m, N in few:
        vectors = [[F(int(a == i)) for a in range(m)] for i in range(N)]
        yield {"eps": eps, "m": F(m), "N": F(N), "families": [vectors, signs_of(list(range(N)), m)]}
    yield {"eps": F(4, 5), "m": F(12), "N": F(2), "families": [signs_of([0, 3], 12)]}
    yield {"eps": F(4, 5), "m": F(12), "N": F(15), "families": [signs_of([0, 3], 12)]}


def with_capacity(v: dict[str, Any]) -> dict[str, Any]:
    return {**v, "c": real(min(v["eps"], F(1)) ** 2) / 8, "X()": [padded(vectors) for vectors in v["families"]]}


@adequate(
    "s5.3.2.ao_capacity",
    at=map(with_capacity, capacity_instances()),
    misses=[
        ("N <= exp(c*m)", "N <= 8*exp(c*m)"),
        ("nearorthogonal(X, m, N, eps)", "nearorthogonal(X, m, N, eps - 1/4)"),
        ("0 < c &", "1 < c &"),
        ("nearorthogonal(X, m, N, eps)", "nearorthogonal(X, m, N + 1, eps)"),
        ("1 <= m & 1 <= N & N <= exp(c*m)", "1 <= m & 1 <= N"),
    ],
)
def capacity(v: Any) -> bool | None:
    """Where N <= e^(cm), one of the families at hand satisfies Eq. (37)."""
    if v["eps"] <= 0:
        return None
    m, N = int(v["m"]), int(v["N"])
    if CONTEXT.exp(v["c"] * m) < N:
        return True
    return any(near(vectors, v["eps"]) for vectors in v["families"])


def probability_instances() -> Iterator[dict[str, Any]]:
    """All sign matrices, each once; and one list in which the first stands twice."""
    cases = [
        (1, F(1), F(1), F(1, 20)),
        (1, F(1, 2), F(1, 2), F(1)),
        (2, F(1), F(99, 100), F(1, 20)),
        (2, F(1, 2), F(995, 1000), F(1, 100)),
        (2, F(19, 20), F(19, 20), F(1, 10)),
        (2, F(5), F(1, 2), F(1)),
        (2, F(5), F(1, 3), F(1)),
        (2, F(3), F(1, 2), F(1)),
        (2, F(9), F(1, 10), F(4)),
        (2, F(-5), F(1, 2), F(1)),
        (1, F(3), F(1), F(1)),
        (3, F(6), F(1, 3), F(1)),
    ]
    for N, eps, delta, k in cases:
        yield space(N, least_size(N, eps, k), eps, delta, k)
    yield space(2, 1, F(1, 2), F(1, 2), F(1))


def space(N: int, m: int, eps: F, delta: F, k: F) -> dict[str, Any]:
    small = N * m <= 4
    every: list[tuple[int, ...]] = [*itertools.product((1, -1), repeat=N * m)] if small else [(1,) * (N * m)]

    def entries(rows: list[tuple[int, ...]]) -> dict[tuple[int, int, int], F]:
        one = itertools.product(range(1, m + 1), range(1, N + 1))
        places = [*enumerate(one)]
        return {(a, i, r): F(row[b]) for r, row in enumerate(rows, 1) for b, (a, i) in places}

    matrices = [{(a, i): e for (a, i, _), e in entries([row]).items()} for row in every]
    both = [entries(every), entries([every[0], *every[:-1]])]
    sizes = {"N": F(N), "m": F(m), "M": F(len(every)), "eps": eps, "delta": delta, "k": k}
    return {**sizes, "sign()": both if small else both[:1], "w()": matrices, "small": small}


def success(v: Any) -> F | None:
    """The share of families that satisfy Eq. (37), where m is as Eq. (38) says."""
    N, m, eps, delta, k = int(v["N"]), int(v["m"]), v["eps"], v["delta"], v["k"]
    power = CONTEXT.power(N, -real(k))
    if eps <= 0 or not v["small"] or power > real(delta) + SLACK or m != least_size(N, eps, k):
        return None
    count = 0
    for signs in itertools.product((1, -1), repeat=N * m):
        vectors = [signs[m * i : m * i + m] for i in range(N)]
        products = [abs(sum(a * b for a, b in zip(x, y, strict=True))) for x, y in itertools.combinations(vectors, 2)]
        count += all(p <= eps * m for p in products)
    return F(count, 2 ** (N * m))


PROBABILITIES = [v for v in probability_instances() if v["small"]]


@adequate("s5.3.2.ao_probability", at=PROBABILITIES, false=True)
def probability(v: Any) -> bool | None:
    share = success(v)
    return None if share is None else share <= 1 - v["delta"]


@adequate(
    "s5.3.2.ao_probability.corrected",
    at=PROBABILITIES,
    misses=[
        ("1 <= k", "0 < k"),
        ("0 < eps", "eps != 0"),
        ("12*k/eps^2*log(2*N) <= m &", "1 <= m &"),
        ("1 - delta <= sum", "1 + delta <= sum"),
        ("eps)])/M", "eps)])/(M + 1)"),
        ("eps)])/M", "eps/20)])/M"),
    ],
)
def probability_corrected(v: Any) -> bool | None:
    share = success(v)
    return None if share is None or v["k"] < 1 else share >= 1 - v["delta"]


def table_sizes() -> Iterator[dict[str, Any]]:
    """m by Eq. (38) with eps = 1/4 and k = 1; the columns for a lookup would be too long here."""
    for N, more in [(2, 0), (3, 0), (4, 0), (1, 0), (2, 1), (2, -1), (3, -100), (5, 0)]:
        m = math.ceil(192 * CONTEXT.log(2 * N)) + more
        units = padded([[F(int(a == i)) for a in range(N)] for i in range(N)])
        nothing = {"Y()": [units], "q()": [{}], "v()": [{}], "z()": [{}]}
        yield {"more": more, "sizes": (N, m, units), **nothing, **corners(N, m, units)}


CORNERS = [[F(1), F(1), F(1)], [F(1), F(-1), F(-1)], [F(-1), F(1), F(-1)], [F(-1), F(-1), F(1)]]


def corners(N: int, m: int, units: Any) -> dict[str, Any]:
    """A lookup among the corners of a tetrahedron, for a run, whose length is asked for first; n = 0 elsewhere."""
    ask = (2, 4, 1, 1) if N % 2 else (1, 3, 3)
    values = [number() for _ in ask]
    rows = [[dot(CORNERS[q - 1], CORNERS[j]) for j in range(len(ask))] for q in ask]
    best = [[j for j, s in enumerate(row) if s == max(row)] for row in rows]
    found = [sum((values[j] for j in row), F(0)) / len(row) for row in best]
    return {
        "n": lambda env: [F(0)] if "N" in env else [F(len(ask))],
        "N": lambda env: [F(4)] if "n" in env else [F(N)],
        "m": lambda env: [F(3)] if "n" in env else [F(m)],
        "c": [F(1, 3), F(1)],
        "eps": [F(1, 3), F(2, 3)],
        "X()": lambda env: [padded(CORNERS)] if "eps" in env else [units],
        "query()": column(ask),
        "value()": column(values),
        "code()": {(a, i): e for i in range(1, len(ask) + 1) for a, e in enumerate(CORNERS[i - 1], 1)},
        "asked()": {(a, i): e for i, q in enumerate(ask, 1) for a, e in enumerate(CORNERS[q - 1], 1)},
        "found()": [column(found), column(e + ODD for e in found)],
    }


@adequate(
    "t5.almost_orth",
    at=table_sizes(),
    misses=[
        ("773*log(N)", "770*log(N)"),
        ("384*log(N) <=", "772*log(N) <="),
        ("2 <= N", "1 <= N"),
        ("nearorthogonal(X, m, N, 1/4)", "nearorthogonal(X, m, N + 1, 1/4)"),
        ("2*m + 1 <= 773*log(N)", "m^2 <= 773*log(N)"),
        ("384*log(N) <= 2*m + 1", "N^8 <= 2*m + 1"),
        ("query(i) = q -> found(i) = value(q)", "found(i) = value(q)"),
        ("query(i) = q -> found(i) = value(q)", "query(i) = q -> found(i) = value(i)"),
    ],
)
def table_row(v: Any) -> bool | None:
    """The width is within constants of log N; the unit vectors are a family; lookups are claimed in Section 5.3.2."""
    N, m, units = v["sizes"]
    if N < 2 or v["more"]:
        return True  # of the corners
    vectors = [[units(a, i) for a in range(1, m + 1)] for i in range(1, N + 1)]
    return bool(384 * CONTEXT.log(N) <= 2 * m + 1 <= 773 * CONTEXT.log(N)) and near(vectors, F(1, 4))


# Section 5.3.3: the layer-norm hash


def layer_norm(x: list[Any]) -> list[Any]:
    """Definition 6.1 with eps = 0, beta = 0, gamma = 1."""
    x = [real(F(e)) if isinstance(e, int | Fraction) else e for e in x]
    mean = CONTEXT.fsum(x) / len(x)
    deviation = CONTEXT.sqrt(CONTEXT.fsum((e - mean) ** 2 for e in x) / len(x))
    return [(e - mean) / deviation for e in x]


def lh(x: Any) -> list[Any]:
    return layer_norm([x, 1, -x, -1])


NUMBERS = [F(0), F(1), F(-1), F(2), F(7), F(-10), F(1, 3), F(1000)]
COMPONENTS = [F(c) for c in range(6)]


@adequate(
    "s5.3.3.lh",
    at=[{"x": x, "c": c} for x in NUMBERS for c in COMPONENTS],
    misses=[
        ("sqrt(2/(x^2 + 1))", "sqrt(1/(x^2 + 1))"),
        ("x^2 + 1", "x^2 + 2"),
        ("quadruple(x, 1, c)", "quadruple(1, x, c)"),
        ("sqrt(2/(x^2 + 1))", "2/sqrt(x^2 + 1)"),
        ("quadruple(x, 1, b)", "quadruple(x, 2, b)"),
        ("4, c)", "3, c)"),
    ],
    still_true=[("c <= 4", "c <= 5")],
)
def hash_form(v: Any) -> bool | None:
    x, c = v["x"], int(v["c"])
    if not 1 <= c <= 4:
        return None
    return same(lh(x)[c - 1], CONTEXT.sqrt(2 / (real(x) ** 2 + 1)) * real([x, F(1), -x, F(-1)][c - 1]))


SCALES = [
    {"k": k, "x": x, "c": c} for k in (F(1), F(2), F(1, 7), F(-1), F(-3), F(0)) for x in NUMBERS[:6] for c in COMPONENTS
]


@adequate("s5.3.3.lh_scale", at=SCALES, false=True)
def hash_scale(v: Any) -> bool | None:
    """lh(kx) = lh(x)."""
    c = int(v["c"])
    return same(lh(v["k"] * v["x"])[c - 1], lh(v["x"])[c - 1]) if 1 <= c <= 4 else None


@adequate(
    "s5.3.3.lh_scale.corrected",
    at=SCALES,
    misses=[
        ("0 < k ->", "k != 0 ->"),
        ("k < 0 ->", "k != 0 ->"),
        ("= -lhash(x, c)", "= lhash(x, c)"),
        ("quadruple(k*x, k, b)", "quadruple(k*x, 1, b)"),
        ("= lhash(x, c))", "= k*lhash(x, c))"),
        ("= -lhash(x, c)", "= lhash(k*x, c)"),
    ],
)
def hash_scale_corrected(v: Any) -> bool | None:
    """The four numbers that are normalised scaled together, by k > 0; by k < 0 the sign changes."""
    c, k, x = int(v["c"]), v["k"], v["x"]
    if not 1 <= c <= 4 or k == 0:
        return None
    return same(layer_norm([k * x, k, -k * x, -k])[c - 1], (1 if k > 0 else -1) * lh(x)[c - 1])


@adequate(
    "s5.3.3.lh_from_ratio",
    at=[{"x": x, "i": F(i), "c": c} for x in NUMBERS[:6] for i in (1, 2, 9, 0, -2) for c in COMPONENTS],
    misses=[
        ("x/i, 1/i, b", "x/i, 1, b"),
        ("x/i, 1/i, b", "x, 1/i, b"),
        ("lhash(x, c) =", "lhash(x/i, c) ="),
        ("1 <= i", "i != 0"),
        ("4, c)", "3, c)"),
    ],
)
def from_ratio(v: Any) -> bool | None:
    c, x, i = int(v["c"]), v["x"], int(v["i"])
    return same(lh(x)[c - 1], layer_norm([x / i, F(1, i), -x / i, F(-1, i)])[c - 1]) if i >= 1 and 1 <= c <= 4 else None


@adequate(
    "s5.3.3.lh_key",
    at=[
        {"i": F(i), "j": F(j), "q": F(q), "c": c}
        for i, j, q in [(1, 1, 1), (2, 3, 1), (5, 2, 4), (3, 3, 3), (1, 7, 9), (0, 1, 1), (2, -2, 1), (-1, 2, 2)]
        for c in COMPONENTS
    ],
    misses=[
        ("1, 1/j, b", "1, j, b"),
        ("1, 1/j, b", "1/j, 1, b"),
        ("q/i, 1/i, b", "q/i, 1, b"),
        ("1 <= j", "j != 0"),
        ("lhash(j, c) =", "lhash(1/j, c) ="),
        ("lhash(q, c) =", "lhash(i, c) ="),
    ],
)
def key(v: Any) -> bool | None:
    c, i, j, q = (int(v[name]) for name in "cijq")
    if i < 1 or j < 1 or not 1 <= c <= 4:
        return None
    keys, queries = layer_norm([1, F(1, j), -1, F(-1, j)]), layer_norm([F(q, i), F(1, i), F(-q, i), F(-1, i)])
    return same(lh(j)[c - 1], keys[c - 1]) and same(lh(q)[c - 1], queries[c - 1])


@adequate(
    "s5.3.3.lh_norm_factor",
    at=[{"x": x} for x in NUMBERS],
    misses=[
        ("^2)) = 2", "^2)) = 1"),
        ("= 2*((quadruple", "= 4*((quadruple"),
        ("lhash(x, c)^2", "abs(lhash(x, c))"),
        ("(quadruple(x, 1, c) - sum", "(quadruple(x, 2, c) - sum"),
        ("lhash(x, c) = 2*(", "lhash(x, c) = -2*("),
    ],
)
def norm_factor(v: Any) -> bool:
    """Against the layer norm that divides by the Euclidean norm."""
    x = [real(v["x"]), CONTEXT.mpf(1), -real(v["x"]), CONTEXT.mpf(-1)]
    mean = CONTEXT.fsum(x) / 4
    norm = CONTEXT.sqrt(CONTEXT.fsum((e - mean) ** 2 for e in x))
    twice = all(same(a, 2 * (e - mean) / norm) for a, e in zip(lh(v["x"]), x, strict=True))
    return twice and same(CONTEXT.sqrt(CONTEXT.fsum(a**2 for a in lh(v["x"]))), 2)


def hash_instances() -> list[dict[str, Any]]:
    return [lookups(lh, 4, ask) for ask in [(1,), (1, 1), (2, 1), (3, 1, 1), (0,), (2,)]]


@adequate(
    "s5.3.3.lh_argmax",
    at=hash_instances(),
    misses=[
        *FOUND,
        ("<-> j = q(i)", "<-> j <= q(i)"),
        ("lhash(q(i), a)*lhash(l, a)", "lhash(i, a)*lhash(l, a)"),
        ("lhash(q(i), a)*lhash(j, a)", "lhash(i, a)*lhash(j, a)"),
        ("1 <= q(i) & q(i) <= n", "q(i) <= n"),
    ],
)
def hash_argmax(v: Any) -> bool | None:
    given = asked(v)
    if given is None:
        return None
    n, ask, values = given
    scores, found = attend(lh, 4, ask, values, F(1))
    right = all(same(s, dot(lh(q), lh(j))) for q, row in zip(ask, scores, strict=True) for j, s in enumerate(row, 1))
    unique = all(maxima([dot(lh(q), lh(j)) for j in range(1, n + 1)]) == [q] for q in ask)
    return right and unique and all(same(f, values[q - 1]) for f, q in zip(found, ask, strict=True))


@adequate(
    "t5.lnhash",
    at=hash_instances(),
    misses=[*FOUND, ("found(i) = v(q(i))", "found(i) = v(1)"), ("= v(q(i))", "= 2*v(q(i))")],
)
def hash_row(v: Any) -> bool | None:
    given = asked(v)
    if given is None:
        return None
    found = attend(lh, 4, given[1], given[2], F(1))[1]
    return len(lh(1)) * 2 + 1 == 9 and all(same(f, given[2][q - 1]) for f, q in zip(found, given[1], strict=True))


def least_gap(n: int) -> Any:
    """The least of s(q, q) - s(q, j) over q and j in [n], j != q; None where there is none."""
    gaps = [dot(lh(q), lh(q)) - dot(lh(q), lh(j)) for q in range(1, n + 1) for j in range(1, n + 1) if j != q]
    return min(gaps) if gaps else None


def least_instances() -> Iterator[dict[str, Any]]:
    for n, m in [(2, 3), (3, 4), (2, 4), (4, 4), (3, 2), (1, 2), (1, 1)]:
        g, h = (least_gap(size) or CONTEXT.mpf(0) for size in (n, m))
        yield {"n": F(n), "m": F(m), "g": [g, 2 * g + 1], "h": [h, g]}


@adequate(
    "s5.3.3.lh_gap",
    at=least_instances(),
    misses=[
        ("h < g", "h < g/4"),
        ("n < m", "n <= m"),
        ("h < g", "g < h"),
        ("h < g", "2*h = g"),
        ("leasthash(h, m)", "leasthash(h, n)"),
        ("n < m", "n != m"),
    ],
    still_true=[("2 <= n", "1 <= n")],
)
def gap_decreases(v: Any) -> bool | None:
    n, m = int(v["n"]), int(v["m"])
    return bool(least_gap(m) < least_gap(n)) if 2 <= n < m else None


def residual_instances() -> Iterator[dict[str, Any]]:
    """Four components that hold x/i, and others."""
    others: list[list[Any]] = [[], [0], [1], [2, -2], [F(1, 2), F(1, 2)], [5, -2, -3], [0, 0, 0]]
    for (x, i), rest in itertools.product([(F(1), 1), (F(3), 2), (F(0), 3), (F(-2), 1)], others):
        u = [x / i, F(1, i), -x / i, F(-1, i), *map(F, rest)]
        normed, wanted = layer_norm(u), lh(x)
        d = len(u)
        f = [normed[1] / wanted[1], -normed[1] / wanted[1]]
        yield {"d": F(d), "u()": column(u), "x": x, "i": F(i), "c": [F(c) for c in range(1, d + 1)], "f": f}
    yield {"d": F(3), "u()": column([1, 1, -1, -1]), "x": F(1), "i": F(1), "c": F(1), "f": F(1)}


RESIDUALS = [*residual_instances()]


def four_of(v: Any) -> list[Any] | None:
    return list(v["u()"].values()) if v["d"] >= 4 else None


@adequate("s5.3.3.selective_ln", at=RESIDUALS, false=True)
def selective(v: Any) -> bool | None:
    """LN after the mask gives lh(x); without it, a multiple of lh(x)."""
    u = four_of(v)
    if u is None:
        return None
    masked = layer_norm([*u[:4], *[0] * (len(u) - 4)])[:4]
    right = all(same(a, b) for a, b in zip(masked, lh(v["x"]), strict=True))
    return right and is_multiple(layer_norm(u)[:4], lh(v["x"]))


def is_multiple(x: list[Any], y: list[Any]) -> bool:
    return all(same(a * y[1], x[1] * b) for a, b in zip(x, y, strict=True))


@adequate(
    "s5.3.3.selective_ln.corrected",
    at=RESIDUALS,
    misses=[
        ("sqrt(d)/2*lhash(x, c)", "lhash(x, c)"),
        ("sqrt(d)/2", "sqrt(d)/4"),
        ("sum(b, 5, d, u(b)) = 0", "0 = 0"),
        ("I[b <= 4]*u(b)", "I[b <= 5]*u(b)"),
        ("0 < f", "f < 0"),
        ("all c in 1..4. laynorm(u, d, c)", "all c in 1..d. laynorm(u, d, c)"),
    ],
)
def selective_corrected(v: Any) -> bool | None:
    u = four_of(v)
    if u is None:
        return None
    d = len(u)
    masked = layer_norm([*u[:4], *[0] * (d - 4)])
    right = all(same(a, CONTEXT.sqrt(d) / 2 * b) for a, b in zip(masked[:4], lh(v["x"]), strict=True))
    rest = all(same(a, 0) for a in masked[4:])
    found = layer_norm(u)[:4]
    return right and rest and (sum(u[4:]) != 0 or (is_multiple(found, lh(v["x"])) and found[1] > 0))


# Section 5.3.4: quadratic maximization with scaled queries or keys

SCALED = [
    {"n": F(n), "q": F(q), "f": f} for n in range(5) for q in range(n + 2) for f in (F(1), F(1, 3), F(7), F(0), F(-1))
]


def best_of(n: int, score: Callable[[int], F]) -> list[int]:
    return maxima([score(j) for j in range(1, n + 1)])


@adequate("s5.3.4.scaled", at=SCALED, false=True)
def scaled(v: Any) -> bool | None:
    n, q = int(v["n"]), int(v["q"])
    if not 1 <= q <= n:
        return None
    queries = all(best_of(n, lambda j, i=i: F(2 * q * j - j * j, i)) == [q] for i in [*range(1, n + 1), n])
    return queries and best_of(n, lambda j: F(1, j) * (2 * q * j) + F(1, j) * (-j * j)) == [q]


@adequate(
    "s5.3.4.scaled.corrected",
    at=SCALED,
    misses=[
        ("0 < f", "f != 0"),
        ("1/n*(2*q*l - l^2)", "1/l*(2*q*l - l^2)"),
        ("f*(2*q*l - l^2)", "f*(q*l - l^2)"),
        ("1 <= q & q <= n", "1 <= q"),
        ("1/i*(2*q*l - l^2)", "(2*q/i*l - l^2)"),
        ("0 < f", "0 <= f"),
    ],
)
def scaled_corrected(v: Any) -> bool | None:
    """The whole query, or all keys, scaled by one positive number."""
    n, q, f = int(v["n"]), int(v["q"]), v["f"]
    if not 1 <= q <= n or f <= 0:
        return None
    factors = [f, F(1, n), *(F(1, i) for i in range(1, n + 1))]
    return all(best_of(n, lambda j, e=e: dot([e * q, e], [F(2 * j), F(-j * j)])) == [q] for e in factors)


def quadratic_instances() -> Iterator[dict[str, Any]]:
    for queries in [(), (1,), (2, 2), (1, 2), (2, 1), (3, 3, 1), (1, 3, 2), (0, 1), (F(3, 2), 1), (1, 3)]:
        values = [number() for _ in queries]
        found = quadratic([F(q) for q in queries], values)
        yield {
            "n": F(len(queries)),
            "query()": column(queries),
            "value()": column(values),
            "one()": column([1] * len(queries)),
            "index()": column(range(1, len(queries) + 1)),
            "square()": column(i * i for i in range(1, len(queries) + 1)),
            "found()": [column(found), column(e + ODD for e in found)],
        }


def quadratic(queries: list[F], values: list[F]) -> list[F]:
    """The printed matrices on columns [q_i; 1; i; i^2; v_i]."""
    columns = [[q, F(1), F(i), F(i * i), v] for i, (q, v) in enumerate(zip(queries, values, strict=True), 1)]
    keys = [[2 * z[2], -z[3]] for z in columns]
    return [dot(ahardmax([dot(z[:2], k) for k in keys]), [z[4] for z in columns]) for z in columns]


@adequate(
    "t5.quadmax",
    at=quadratic_instances(),
    misses=[
        ("found(i) = value(q)", "found(q) = value(i)"),
        ("found(i) = value(q)", "found(i) = value(1)"),
        ("found(i) = value(q)", "found(i) = value(i)"),
        ("query(i) = q -> found", "query(i) <= q -> found"),
        ("query(i) = q -> found", "query(1) = q -> found"),
    ],
)
def quadratic_row(v: Any) -> bool | None:
    queries, values = list(v["query()"].values()), list(v["value()"].values())
    if not queries or any(q not in range(1, len(queries) + 1) for q in queries):
        return None
    return quadratic(queries, values) == [values[int(q) - 1] for q in queries]
