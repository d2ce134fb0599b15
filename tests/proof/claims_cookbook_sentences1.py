"""Sentences of the Cookbook's Sections 2 and 3 that no other row covers: claims written from the paper's words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from proof.adequacy import ODD, adequate, column, draws, table
from proof.claims_attention import formula, strict_lookups
from proof.claims_cookbook import are_bits
from proof.paper import same, softmax, times
from proof.statement_truth import CONTEXT, real
from shared import relu

F = Fraction
RANDOM = draws(1128)


def number() -> F:
    return F(RANDOM.randint(-9, 9), RANDOM.randint(1, 4))


def matrix(rows: int, columns: int) -> list[list[F]]:
    return [[number() for _ in range(columns)] for _ in range(rows)]


def vector(size: int) -> list[F]:
    return [number() for _ in range(size)]


def plus(x: Sequence[Any], y: Sequence[Any]) -> list[Any]:
    return [a + b for a, b in zip(x, y, strict=True)]


# Section 2


def affine_maps() -> Iterator[dict[str, Any]]:
    for d in (0, 1, 1, 1, 2, 3):
        yield from (
            {
                "d": F(d),
                "W()": table(W),
                "b()": column(b),
                "x()": [
                    column([F(0)] * d),
                    *(column([t * (i == p) for i in range(d)]) for p in range(d) for t in (1, -1)),
                ],
                "map": (W, b),
            }
            for W, b in (
                (matrix(d, d), vector(d)),
                ([[F(i == j) for j in range(d)] for i in range(d)], [F(0)] * d),
                ([[F(5)] * d for _ in range(d)], [F(7)] * d),
            )
        )


@adequate(
    "s2.2.2.relu_nonlinear",
    at=affine_maps(),
    misses=[("!=", "="), ("relu(x(i))", "x(i)"), ("1 <= d", "0 <= d")],
)
def relu_is_not_affine(v: Any) -> bool | None:
    """f(e) + f(-e) = 2 f(0) for affine f; of ReLU the left side is e."""
    if not v["d"]:
        return None
    W, b = v["map"]
    points = [list(x.values()) for x in v["x()"]]
    return any([relu(a) for a in x] != plus(times(W, x), b) for x in points)


def strings_given() -> Iterator[dict[str, Any]]:
    """K letters; the distribution at position i does not depend on the string."""
    for K, n in ((0, 1), (1, 3), (2, 3), (3, 2), (2, 2)):
        u = matrix(n + 1, K)
        share = [softmax(row) for row in u] if K else []
        words = [list(itertools.product(range(K), repeat=m)) for m in range(n + 1)]

        def chance(word: Sequence[int], share: Any = share) -> Any:
            return CONTEXT.fprod(share[i][a] for i, a in enumerate(word, 1))

        found = [[chance(word) for word in row] for row in words]
        yield {
            "K": F(K),
            "u()": [lambda i, a, u=u: u[int(i)][int(a) - 1]],
            "count()": [lambda m, K=K: F(K) ** int(m)],
            "q()": [
                lambda m, p, found=found: found[int(m)][int(p) - 1],
                lambda m, p, found=found: found[int(m)][int(p) - 1] + (m == 2),
            ],
            "i": [F(i) for i in range(n)],
            "n": [F(m) for m in range(n + 1)],
            "found": found,
        }


@adequate(
    "s2.2.3.lm_distribution",
    at=strings_given(),
    misses=[
        ("q(n, m)) = 1", "q(n, m)^2) = 1"),
        ("0 < q(n, m)", "1/2 < q(n, m)"),
        ("sm(b. u(i, b), K, a)) = 1", "sm(b. u(i, b), K, a)^2) = 1"),
        ("1..K. 0 < sm", "1..K. 1/2 < sm"),
    ],
)
def distribution_over_strings(v: Any) -> bool | None:
    if not v["K"]:
        return None
    return all(all(q > 0 for q in row) and same(CONTEXT.fsum(row), F(1)) for row in v["found"])


def lengths() -> Iterator[dict[str, Any]]:
    for member in (lambda n: n % 2, lambda n: int(n in (1, 4)), lambda n: 0, lambda n: 1, lambda n: 2 * (n == 3)):
        yield {
            "member()": [lambda n, member=member: F(member(int(n)))],
            "pe()": [lambda n, i, member=member: F(member(int(n)))],
            "b()": [lambda N, k, member=member: F(member(int(k)))],
            "n": [F(n) for n in range(1, 7)],
            "N": [F(n) for n in range(1, 6)],
            "member": member,
        }


def hat(n: int, k: int) -> int:
    return max(0, 1 - abs(n - k))


@adequate(
    "s2.3.undecidable",
    at=lengths(),
    misses=[
        ("(0 < pe(n, n) <-> member(n) = 1)", "(0 < pe(n, n) <-> member(n) = 0)"),
        ("2*relu(n - k)", "relu(n - k)"),
        ("n <= N", "n <= N + 1"),
    ],
)
def any_language_of_lengths(v: Any) -> bool | None:
    member: Callable[[int], int] = v["member"]
    if not are_bits([member(n) for n in range(1, 7)]):
        return None
    small = [(n, N) for N in range(1, 6) for n in range(1, N + 1)]
    return all((sum(member(k) * hat(n, k) for k in range(1, N + 1)) > 0) == (member(n) == 1) for n, N in small)


def heads_of_few_values() -> Iterator[dict[str, Any]]:
    for n, d, e in ((1, 2, 1), (2, 2, 1), (2, 3, 2), (3, 2, 2), (2, 1, 2), (0, 2, 1)):
        V, alpha, z = matrix(e, d), matrix(n, n), matrix(d, n)
        whole, below = ([*V, *([F(a)] * d for _ in range(d - e))] for a in (0, 1))

        def head(W: Any, alpha: Any = alpha, z: Any = z) -> Any:
            values = [times(W, list(x)) for x in zip(*z, strict=True)]
            return [
                [sum((a * u[row] for a, u in zip(at, values, strict=True)), F(0)) for at in alpha]
                for row in range(len(W))
            ]

        results = [head(whole)[:d], head(below)[:d], [[x + ODD for x in row] for row in head(whole)]]
        yield {
            "n": F(n),
            "d": F(d),
            "e": F(e),
            "V()": table(V),
            "U()": [table(whole), table(below)],
            "alpha()": table(alpha),
            "z()": table(z),
            "c()": [lambda a, i, c=c: c[int(a) - 1][int(i) - 1] if a <= len(c) else ODD for c in results],
            "wanted": (head(whole), head(V)),
            "v()": column([[F(1, 3), F(1), F(0)], [F(2)] * 3][e - 1][:n]),
        }


FEW_VALUES = tuple(heads_of_few_values())


@adequate("s2.2.table2_types", at=FEW_VALUES, false=True)
def of_all_values(v: Any) -> bool | None:
    values = list(v["v()"].values())
    return formula(values)[1:] == values[:-1] if values else None


@adequate(
    "s2.2.table2_types.corrected",
    at=FEW_VALUES,
    misses=[
        ("0 <= v(j) & v(j) <= 1", "0 <= v(j) & v(j) <= 2"),
        ("hardmax(l. l/n, i - 1, j)", "hardmax(l. l/n, i, j)"),
        ("& all a in e + 1..d. c(a, i) = 0", "& all a in e + 1..d. c(a, i) = 1"),
        ("(all a in e + 1..d. all b in 1..d. U(a, b) = 0) ->", ""),
        ("e <= d", "e <= d + 1"),
        ("alpha(i, j)*sum(b, 1, d, V(a, b)*z(b, j))", "alpha(i, j)*sum(b, 1, d, V(1, b)*z(b, j))"),
    ],
)
def into_all_entries(v: Any) -> bool | None:
    values = list(v["v()"].values())
    if not values:
        return None
    inside = all(0 <= one <= 1 for one in values)
    (c, few), padded = v["wanted"], v["e"] <= v["d"]
    return (
        (not padded or c == [*few, *([F(0)] * len(c[0]) for _ in range(len(c) - len(few)))])
        and (not inside or formula(values)[1:] == values[:-1])
        and strict_lookups(values, ["average"])
    )


def normed(x: Sequence[Any], eps: Any) -> tuple[list[Any], Any, Any]:
    """LN with gamma 1 and beta 0, its mean and its root."""
    mu = sum(x, F(0)) / len(x)
    r = CONTEXT.sqrt(real(sum(((a - mu) ** 2 for a in x), F(0)) / len(x) + eps))
    return [real(a - mu) / r for a in x], mu, r


def stacked() -> Iterator[dict[str, Any]]:
    for s, t, eps in ((1, 2, 0), (1, 3, F(1, 10)), (F(1, 2), 40, 5), (2, 2, 0), (2, 1, F(1, 3)), (1, 2, F(1, 7))):
        x, y = [F(s), -F(s)], [F(t), -F(t)]
        (u, mu, p), (v, nu, q), (w, rho, r) = (normed(one, F(eps)) for one in (x, y, x + y))
        yield {
            "s": F(s),
            "t": F(t),
            "eps": F(eps),
            "x()": column(x),
            "y()": column(y),
            "z()": [column(x + y), column(y + x)],
            "u()": {1: u[0], 2: u[1]},
            "v()": {1: v[0], 2: v[1]},
            "w()": dict(enumerate(w, 1)),
            "mu": mu,
            "nu": nu,
            "rho": rho,
            "p": p,
            "q": q,
            "r": r,
        }


@adequate(
    "s2.2.table3_norm",
    at=stacked(),
    misses=[("w(1) < u(1)", "u(1) < w(1)"), ("v(1) < w(3)", "w(3) < v(1)"), ("s < t", "s <= t")],
)
def norm_of_a_stack(v: Any) -> bool | None:
    s, t, eps = v["s"], v["t"], v["eps"]
    if not 0 < s < t:
        return None
    parts = [normed([one, -one], eps)[0][0] for one in (s, t)]
    whole = normed([s, -s, t, -t], eps)[0]
    return bool(whole[0] < parts[0] and parts[1] < whole[2])


# Section 3


def small_networks() -> Iterator[dict[str, Any]]:
    for d, h in ((1, 0), (1, 2), (2, 2), (2, 3), (3, 1), (0, 1)):
        W, b, V, c = matrix(h, d), vector(h), vector(h), number()
        yield {
            "d": F(d),
            "h": F(h),
            "W()": table(W),
            "b()": column(b),
            "V()": column(V),
            "c": c,
            "s()": [column(s) for s in itertools.product((0, 1), repeat=h)],
            "x()": [column(vector(d)) for _ in range(6)] + [column([F(0)] * d)],
            "network": (W, b, V, c),
        }


@adequate(
    "s3.1.ffn_cpwl",
    at=small_networks(),
    misses=[
        ("0 <= (2*s(k) - 1)*", "0 <= 2*s(k)*"),
        ("V(k)*s(k)*b(k)", "V(k)*b(k)"),
        ("V(k)*s(k)*W(k, l)", "V(k)*W(k, l)"),
        ("ex s:Int->Int. (all k in 1..h. bit(s(k)))", "ex s:Int->Int. (all k in 1..h. s(k) = 1)"),
    ],
)
def affine_where_the_signs_stay(v: Any) -> bool | None:
    if not v["d"]:
        return None
    W, b, V, c = v["network"]
    for x in (list(x.values()) for x in v["x()"]):
        before = plus(times(W, x), b)
        for s in itertools.product((0, 1), repeat=len(b)):
            if all(u >= 0 if on else u <= 0 for u, on in zip(before, s, strict=True)):
                value = sum((w * relu(u) for w, u in zip(V, before, strict=True)), c)
                if value != sum((w * on * u for w, on, u in zip(V, s, before, strict=True)), c):
                    return False
    return True


def truths() -> Iterator[dict[str, Any]]:
    """Numbers that stand for truth values in some representation, and a few that do not."""
    for turn in range(3):
        entries = [F(e) for e in (0, 1, -1, 3, F(1, 2))]
        entries = entries[turn:] + entries[:turn]
        yield {
            **{k: [*entries, F(2), F(1, 100), F(-1, 100)] for k in ("x", "x1", "x2", "out", "out1", "out2")},
            "f()": [
                lambda x: max(F(-1), min(F(1), 9 * x)),
                lambda x: F(x > 0),
                lambda x: 2 * F(x > 0) - 1,
                lambda x: x,
            ],
            "tol": [F(1), F(1, 2), F(1, 10)],
            "step": [F(1), F(1, 10), F(1, 100)],
            "near": [F(t, 200) for t in (-300, -20, -1, 0, 1, 20, 300)],
        }


@adequate(
    "s3.1.convert",
    at=truths(),
    misses=[
        ("run(convert-zero-one-signs) -> (x = 0 -> out = -1)", "run(convert-zero-one-signs) -> (x = 0 -> out = 0)"),
        (
            "run(convert-zero-or-more-zero-one) -> (x = 0 -> out = 0) & (1 <= x",
            "run(convert-zero-or-more-zero-one) -> (x = 0 -> out = 0) & (0 <= x",
        ),
        ("(1 <= x -> out = 1)", "(1 <= x -> out = x)"),
        ("(x1 = 1 & x2 = -1 -> out = 1)", "(x1 = 1 & x2 = -1 -> out = 0)"),
        ("(x = 1 -> out1 = 1 & out2 = -1)", "(x = 1 -> out1 = 1 & out2 = 1)"),
        ("continuousat(f, 0)", "f(0) <= 0"),
    ],
)
def converted(v: Any) -> bool:
    """The maps that a reader would write down, and no jump at 0 of what is continuous there."""
    to_signs, to_bits, cut = (lambda x: 2 * x - 1), (lambda x: (x + 1) / 2), (lambda x: min(x, F(1)))
    simple = [to_signs(F(0)), to_signs(F(1)), to_bits(F(-1)), to_bits(F(1)), cut(F(0)), cut(F(1)), cut(F(3))]
    tame = v["f()"][0]
    return simple == [-1, 1, 0, 1, 0, 1, 1] and tame(F(-1, 200)) != tame(F(0)) != tame(F(1, 200)) != 1


def families() -> Iterator[dict[str, Any]]:
    third = F(1, 3)
    for d, rows in (
        (2, [[1, 1], [1, -1]]),
        (2, [[F(3, 5), F(4, 5)], [F(-4, 5), F(3, 5)]]),
        (3, [[0, 1, 0], [1, 0, 0]]),
        (1, [[1]]),
        (3, [[2 * third, 2 * third, third], [third, -2 * third, 2 * third], [2 * third, -third, -2 * third]]),
        (2, [[1, 0], [1, 1]]),
        (2, [[0, 0]]),
        (1, []),
    ):
        yield {"k": F(len(rows)), "d": F(d), "v()": table(rows), "rows": [[F(e) for e in row] for row in rows]}


FAMILIES = list(families())


def dots(rows: Any) -> list[list[F]]:
    return [times(rows, row) for row in rows]


@adequate("s3.2.orthogonal_onehot", at=FAMILIES, false=True)
def orthogonal_is_onehot(v: Any) -> bool | None:
    rows, products = v["rows"], dots(v["rows"])
    pairs = [(a, b) for a in range(len(rows)) for b in range(len(rows)) if a != b]
    if not rows or any(products[a][a] <= 0 for a in range(len(rows))) or any(products[a][b] for a, b in pairs):
        return None
    return all(sorted(row) == [0] * (len(row) - 1) + [1] for row in rows)


@adequate(
    "s3.2.orthogonal_onehot.corrected",
    at=FAMILIES,
    misses=[
        ("I[l = a]*I[l = b]) = 0)", "I[l = a]*I[l = b]) = 1)"),
        ("I[l = c]*I[l = a]", "I[l = a]"),
        ("<-> a = c)", "<-> a <= c)"),
        ("= I[a = b])", "= I[a = b]*sum(e, 1, d, v(a, e)^2))"),
    ],
)
def orthonormal_is_like_onehot(v: Any) -> bool | None:
    k, products = len(v["rows"]), dots(v["rows"])
    if not k:
        return None
    onehot = [[F(a == b) for a in range(k)] for b in range(k)]
    return dots(onehot) == onehot and (products != onehot or all(max(row) == row[c] for c, row in enumerate(products)))


def codings() -> Iterator[dict[str, Any]]:
    for p, codes in (
        (0, [0]),
        (0, [0, 0]),
        (1, [1, 0]),
        (1, [0, 1, 2]),
        (2, [3, 0, 2]),
        (2, [3, 0, 2, 1]),
        (1, [0, 0, 0]),
        (2, [4]),
    ):
        yield {
            "p": F(p),
            "C": F(len(codes) - 1),
            "code()": column(codes, 0),
            "codes": codes,
            "b()": [column([2**j for j in range(p + 1)], 0), column([3**j for j in range(p + 1)], 0)],
        }


@adequate(
    "s3.3.precision",
    at=codings(),
    misses=[
        ("C <= b(p) - 1", "C <= b(p) - 2"),
        ("(all x in 0..C. all y in 0..C. code(x) = code(y) -> x = y) ->", ""),
        ("code(x) <= b(p) - 1)", "code(x) <= b(p))"),
    ],
)
def codes_are_few(v: Any) -> bool | None:
    codes, words = v["codes"], 2 ** int(v["p"])
    if len(set(codes)) < len(codes) or not set(codes) <= set(range(words)):
        return None
    return len(codes) <= words


def counts() -> Iterator[dict[str, Any]]:
    for C, D, m in ((0, 0, 1), (1, 0, 1), (0, 1, 2), (2, 1, 3), (3, 3, 5), (1, 4, 5), (3, 1, 2)):
        share = F(1, m)
        yield {
            "C": F(C),
            "D": F(D),
            "m": F(m),
            "x": [C * share, (C - D) * share],
            "y": D * share,
            "tolerance": [share, 2 * share],
            "out": sorted({F(a) * share for a in (C + D, C - D, D - C, 0, 1)} | {ODD}),
        }


@adequate(
    "s3.3.positionwise",
    at=counts(),
    misses=[
        ("out = (C + D)/m", "out = (C - D)/m"),
        ("out = (C - D)/m", "out = (D - C)/m"),
        ("I[D < C]/m", "I[D <= C]/m"),
        ("I[D <= C]/m", "I[D < C]/m"),
        ("I[C = D]/m", "I[C <= D]/m"),
        ("tolerance = 1/m -> run(eqzero-input)", "tolerance = 2/m -> run(eqzero-input)"),
    ],
)
def counts_at_one_position(v: Any) -> bool | None:
    C, D, m = v["C"], v["D"], v["m"]
    if max(C, D) > m:
        return None
    x, y, tolerance = C / m, D / m, 1 / m
    truth = [min(max(x - y, F(0)), tolerance), min(max(x - y + tolerance, F(0)), tolerance)]
    return x + y == (C + D) / m and [t * m for t in truth] == [int(C > D), int(C >= D)]


ORDERS = [(1, 1, 0, [1]), (2, 1, 1, [2, 1]), (2, 2, 1, [2, 1]), (3, 1, 2, [2, 3, 1]), (2, 1, 1, [1, 1])]


def orders() -> Iterator[dict[str, Any]]:
    for n, d, h, sigma in ORDERS:
        Q, K, V, W, g, U, r = (
            matrix(1, d),
            matrix(1, d),
            matrix(d, d),
            matrix(h, d),
            vector(h),
            matrix(d, h),
            vector(d),
        )
        z, root = matrix(n, d), F(2)
        x = [z[p - 1] for p in sigma]

        def weights(rows: Any, Q: Any = Q, K: Any = K, root: Any = root) -> list[list[Any]]:
            q, k = ([times(M, row)[0] for row in rows] for M in (Q, K))
            return [softmax([a * b / root for b in k]) for a in q]

        back = [sigma.index(p) + 1 if p in sigma else 1 for p in range(1, n + 1)]
        yield {
            "n": F(n),
            "d": F(d),
            "h": F(h),
            "m": F(1),
            "root": root,
            "Q()": table(Q),
            "K()": table(K),
            "V()": table(V),
            "W()": table(W),
            "g()": column(g),
            "U()": table(U),
            "r()": column(r),
            "sigma()": column(sigma),
            "tau()": column(back),
            "z()": table(z),
            "x()": [table(x), table(z)],
            "alpha()": [entries(weights(z)), entries(masked(weights(z)))],
            "beta()": [entries(w) for rows in (x, z) for w in (weights(rows), masked(weights(rows)))],
            "layer": (weights, (V, W, g, U, r), z, x, sigma),
        }


def entries(rows: list[list[Any]]) -> dict[tuple[int, int], Any]:
    return {(i, j): e for i, row in enumerate(rows, 1) for j, e in enumerate(row, 1)}


def masked(rows: list[list[Any]]) -> list[list[Any]]:
    """The weights of a future mask: each row as far as its position, over its sum."""
    return [[a / sum(row[:i]) if j < i else real(F(0)) for j, a in enumerate(row)] for i, row in enumerate(rows, 1)]


def layer(weights: Any, parameters: Any, rows: Any) -> list[list[Any]]:
    V, W, g, U, r = parameters
    alpha, values = weights(rows), [times(V, row) for row in rows]
    out = []
    for i, row in enumerate(rows):
        c = [real(a) + sum(w * real(u[t]) for w, u in zip(alpha[i], values, strict=True)) for t, a in enumerate(row)]
        hidden = [
            max(real(F(0)), sum((real(w) * a for w, a in zip(line, c, strict=True)), real(b)))
            for line, b in zip(W, g, strict=True)
        ]
        out.append(
            [
                a + sum((real(w) * u for w, u in zip(line, hidden, strict=True)), real(b))
                for a, line, b in zip(c, U, r, strict=True)
            ]
        )
    return out


ORDERS = tuple(orders())


@adequate("s3.5.permutation", at=ORDERS, false=True)
def order_of_tokens_under_a_mask(v: Any) -> bool | None:
    return permuted(v, masked)


@adequate(
    "s3.5.permutation.corrected",
    at=ORDERS,
    misses=[
        ("z, sigma(i), a)", "z, i, a)"),
        ("x(i, b) = z(sigma(i), b)", "x(i, b) = z(i, b)"),
        ("scoreof(Q, K, m, d, x, i, l)/root, n, j)", "scoreof(Q, K, m, d, z, i, l)/root, n, j)"),
    ],
)
def order_of_tokens(v: Any) -> bool | None:
    return permuted(v, lambda weights: weights)


def permuted(v: Any, mask: Any) -> bool | None:
    weights, parameters, z, x, sigma = v["layer"]
    if sorted(sigma) != list(range(1, len(sigma) + 1)):
        return None
    old, new = (layer(lambda rows: mask(weights(rows)), parameters, rows) for rows in (z, x))
    return all(same(a, b) for row, p in zip(new, sigma, strict=True) for a, b in zip(row, old[p - 1], strict=True))


@adequate(
    "s3.5.1.bounded",
    at=[
        {"n": [F(n) for n in range(low, 12)], "i": [F(i) for i in range(-1, 9)], "bound": [F(-3), F(top)]}
        for low, top in ((0, F(1, 2)), (1, 10), (1, F(21, 2)))
    ],
    misses=[("i/n <= 1", "i/n < 1"), ("0 < i/n", "1/3 < i/n"), ("1..n. bound < i", "1..n. bound < i/n")],
)
def share_of_the_length(v: Any) -> bool:
    pairs = [(i, n) for n in v["n"] for i in v["i"] if 1 <= i <= n]
    return all(0 < i / n <= 1 for i, n in pairs) and max(v["n"]) > max(v["bound"])
