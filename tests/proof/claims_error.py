"""How errors grow: Lemmas 28 to 33 and Theorem 26 of yang2026, Section 7 of the Cookbook, from the papers' words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from proof.adequacy import adequate, column, draws
from proof.statement_truth import CONTEXT, SLACK, real

F = Fraction
RANDOM = draws(31)
Vector = list[Any]
Rows = list[Vector]


def number() -> F:
    return F(RANDOM.randint(-6, 6), RANDOM.randint(1, 4))


def numbers(n: int) -> Vector:
    return [number() for _ in range(n)]


def rows(m: int, n: int) -> Rows:
    return [numbers(n) for _ in range(m)]


def full(m: int, n: int, value: Any) -> Rows:
    return [[F(value)] * n for _ in range(m)]


def norm(x: Vector) -> Any:
    return sum((abs(e) for e in x), F(0))


def plus(x: Vector, y: Vector) -> Vector:
    return [
        real(a) + real(b) if not isinstance(a, F) or not isinstance(b, F) else a + b for a, b in zip(x, y, strict=True)
    ]


def minus(x: Vector, y: Vector) -> Vector:
    return plus(x, [-b for b in y])


def image(W: Rows, x: Vector) -> Vector:
    out = []
    for row in W:
        total: Any = F(0)
        for w, e in zip(row, x, strict=True):
            total = total + w * e if isinstance(total, F) and isinstance(e, F) else real(total) + real(w) * real(e)
        out.append(total)
    return out


def relu(x: Vector) -> Vector:
    return [max(e, e * 0) for e in x]


def network(W: Rows, b: Vector, V: Rows, c: Vector, x: Vector) -> Vector:
    return plus(image(V, relu(plus(image(W, x), b))), c)


def most(*parts: Any) -> Any:
    """The greatest size of an entry."""
    return max(abs(e) for part in parts for e in (part if not isinstance(part[0], list) else itertools.chain(*part)))


def table(m: Rows) -> dict[tuple[int, int], Any]:
    return {(r, c): e for r, row in enumerate(m, 1) for c, e in enumerate(row, 1)}


def columns(sequence: Rows) -> dict[tuple[int, int], Any]:
    """x(a, i) of a sequence of vectors."""
    return {(a, i): e for i, x in enumerate(sequence, 1) for a, e in enumerate(x, 1)}


def at_most(a: Any, b: Any) -> bool:
    if isinstance(a, F) and isinstance(b, F):
        return a <= b
    a, b = real(a), real(b)
    return a <= b + SLACK * (1 + abs(a) + abs(b))


# Lemma 28


def affine_instances() -> Iterator[dict[str, Any]]:
    shapes = [(1, full(1, 1, 2), [F(3)], [F(1)]), (2, full(2, 2, 3), [F(1), F(1)], [F(2), F(1)])]
    shapes += [(3, full(3, 3, -1), [F(-2)] * 3, [F(1), F(0), F(4)]), (2, full(2, 2, 0), [F(0)] * 2, [F(0)] * 2)]
    shapes += [(d, rows(d, d), numbers(d), numbers(d)) for d in (1, 2, 2, 3, 3)]
    for d, W, b, x in shapes:
        yield {
            "d": F(d),
            "W()": table(W),
            "b()": column(b),
            "x()": column(x),
            "w": most(W),
            "c": most(b),
            "is": (d, W, b, x),
        }
    for d, W, b, x in shapes[:2]:
        yield {
            "d": F(d),
            "W()": table(W),
            "b()": column(b),
            "x()": column(x),
            "w": most(W),
            "c": most(b) / 2,
            "is": (d, W, b, x),
        }
        yield {
            "d": F(d),
            "W()": table(W),
            "b()": column(b),
            "x()": column(x),
            "w": most(W) / 2,
            "c": most(b),
            "is": (d, W, b, x),
        }


@adequate(
    "yang2026.lemma28",
    at=affine_instances(),
    misses=[
        ("d*w*onenorm(x, d) + d*c", "w*onenorm(x, d) + d*c"),
        ("d*w*onenorm(x, d) + d*c", "d*w*onenorm(x, d) + c"),
        ("d*w*onenorm(x, d) + d*c", "d*w*onenorm(x, d)"),
        ("<= d*w", "< d*w"),
        ("(all a in 1..d. abs(b(a)) <= c) -> ", ""),
        ("(all a in 1..d. all l in 1..d. abs(W(a, l)) <= w) -> ", ""),
    ],
)
def lemma28(v: Any) -> bool | None:
    d, W, b, x = v["is"]
    if v["w"] < most(W) or v["c"] < most(b):
        return None
    return norm(plus(image(W, x), b)) <= d * most(W) * norm(x) + d * most(b)


# Lemmas 29 (step) and 30: feed-forward layers


def layer_instances() -> Iterator[dict[str, Any]]:
    d1 = (1, F(1), [[F(-1)]], [F(0)], [[F(1)]], [F(0)], [F(1)], [F(1, 2)])  # the ReLU is off
    d2 = (2, F(2), full(2, 2, 2), [F(2)] * 2, full(2, 2, 2), [F(2)] * 2, [F(1), F(1)], [F(1), F(3, 4)])
    d3 = (1, F(3), [[F(3)]], [F(3)], [[F(3)]], [F(3)], [F(2)], [F(5, 2)])
    made = [d1, d2, d3]
    for d in (1, 2, 2, 3):
        W, V, b, g = rows(d, d), rows(d, d), numbers(d), numbers(d)
        made.append((d, max(F(1), most(W, V, b, g)), W, b, V, g, numbers(d), numbers(d)))
    made.append((2, F(1), *d2[2:]))  # parameters above p
    made.append((2, F(1), d2[2], [F(1)] * 2, d2[4], [F(1)] * 2, *d2[6:]))  # entries above p
    for d, p, W, b, V, g, c, z in made:
        apart = norm(minus(c, z))
        for eps in {apart, apart / 2}:
            yield {
                "d": F(d),
                "p": p,
                "W()": table(W),
                "b()": column(b),
                "V()": table(V),
                "g()": column(g),
                "n": F(2),
                "c()": column(c),
                "eps": eps,
                "is": (d, p, W, b, V, g, c, z),
            }


LAYERS = tuple(layer_instances())


def bounded(v: Any) -> bool:
    _, p, W, b, V, g, _, _ = v["is"]
    return most(W, V, b, g) <= p


@adequate("yang2026.lemma29.step", at=LAYERS, false=True)
def lemma29_step(v: Any) -> bool | None:
    if not bounded(v):
        return None
    d, p, W, b, V, g, c, _ = v["is"]
    without = norm(plus(c, plus(image(V, plus(image(W, c), b)), g)))
    return norm(plus(c, network(W, b, V, g, c))) <= without <= (d**2 * p**2 + 1) * norm(c) + d**2 * p**2 + d * p


@adequate(
    "yang2026.lemma29.step.corrected",
    at=LAYERS,
    misses=[
        ("(d^2*p^2 + 1)*onenorm(c, d) + d^2*p^2 + d*p", "d^2*p^2*onenorm(c, d) + d^2*p^2 + d*p"),
        ("(d^2*p^2 + 1)*onenorm(c, d) + d^2*p^2 + d*p", "(d^2*p^2 + 1)*onenorm(c, d) + d^2*p^2"),
        ("(d^2*p^2 + 1)*onenorm(c, d) + d^2*p^2 + d*p", "(d*p^2 + 1)*onenorm(c, d) + d^2*p^2 + d*p"),
        ("<= (d^2*p^2", "< (d^2*p^2"),
        ("<= onenorm(c, d) + d*p*onenorm(k. matvec(W, c, d, k) + b(k), d) + d*p &", "<= onenorm(c, d) + d*p &"),
        ("& entrybound(W, d, d, p) & entrybound(V, d, d, p)", ""),
    ],
)
def lemma29_corrected(v: Any) -> bool | None:
    if not bounded(v):
        return None
    d, p, W, b, V, g, c, _ = v["is"]
    middle = norm(c) + d * p * norm(plus(image(W, c), b)) + d * p
    return norm(plus(c, network(W, b, V, g, c))) <= middle <= (d**2 * p**2 + 1) * norm(c) + d**2 * p**2 + d * p


def pairs() -> Iterator[dict[str, Any]]:
    for v in LAYERS:
        c, z = v["is"][6:]
        yield v | {"c()": columns([c, z]), "z()": columns([z, z])}


@adequate(
    "yang2026.lemma30",
    at=pairs(),
    misses=[
        ("(d^2*p^2 + 1)*eps", "d^2*p^2*eps"),
        ("(d^2*p^2 + 1)*eps", "(d*p^2 + 1)*eps"),
        ("(d^2*p^2 + 1)*eps", "(d^2*p + 1)*eps"),
        ("<= (d^2*p^2 + 1)", "< (d^2*p^2 + 1)"),
        ("-> (all i in 1..n. onenorm(a. c(a, i) - z(a, i), d) <= eps)", ""),
        ("& entrybound(W, d, d, p) & entrybound(V, d, d, p)", ""),
    ],
)
def lemma30(v: Any) -> bool | None:
    d, p, W, b, V, g, c, z = v["is"]
    if not bounded(v) or norm(minus(c, z)) > v["eps"]:
        return None
    moved = minus(plus(network(W, b, V, g, c), c), plus(network(W, b, V, g, z), z))
    return norm(moved) <= (d**2 * p**2 + 1) * v["eps"]


# Lemmas 31 and 33: attention


def score(Q: Rows, K: Rows, x: Vector, z: Vector) -> Any:
    return real(sum(a * b for a, b in zip(image(Q, x), image(K, z), strict=True))) / CONTEXT.sqrt(len(Q))


def score_instances() -> Iterator[dict[str, Any]]:
    one = [[F(2)]]
    two = full(2, 2, 3)
    made = [
        (1, F(2), one, one, [[F(1)], [F(1)]], [[F(2)], [F(2)]], F(1)),
        (2, F(3), two, two, [[F(1), F(1)]] * 2, [[F(2), F(1)]] * 2, F(1)),
        (1, F(2), one, one, [[F(1)], [F(1)]], [[F(3)], [F(3)]], F(2)),  # eps > 1
        (1, F(1), one, one, [[F(1)], [F(1)]], [[F(2)], [F(2)]], F(1)),  # parameters above p
        (1, F(2), one, one, [[F(7)], [F(7)]], [[F(8)], [F(8)]], F(1)),  # h above H = 1
    ]
    for d in (1, 2, 3):
        Q, K, h = rows(d, d), rows(d, d), rows(2, d)
        g = [plus(x, [F(RANDOM.randint(-2, 2), 9 * d) for _ in range(d)]) for x in h]
        made.append((d, max(F(1), most(Q, K)), Q, K, h, g, max(norm(minus(a, b)) for a, b in zip(h, g, strict=True))))
    for k, (d, p, Q, K, h, g, eps) in enumerate(made):
        H = F(1) if k == 4 else max(F(1), most(h))
        yield {
            "d": F(d),
            "p": p,
            "Q()": table(Q),
            "K()": table(K),
            "n": F(2),
            "h()": columns(h),
            "g()": columns(g),
            "H": H,
            "eps": eps,
            "B": [real(3 * d * p**2) * CONTEXT.sqrt(d)],
            "is": (d, p, Q, K, h, g, H, eps),
        }


SCORES = tuple(score_instances())


def scored(v: Any) -> bool | None:
    d, p, Q, K, h, g, H, eps = v["is"]
    if most(Q, K) > p or most(h) > H or eps > 1:
        return None
    near = 1 / CONTEXT.sqrt(d) * real(2 * d**2 * p**2 * H * eps + d**2 * p**2 * eps**2)
    far = real(3 * d * p**2 * H * eps) * CONTEXT.sqrt(d)
    moved = (abs(score(Q, K, h[i], h[j]) - score(Q, K, g[i], g[j])) for i in range(2) for j in range(2))
    return at_most(near, far) and all(at_most(m, near) for m in moved)


@adequate(
    "yang2026.lemma31",
    at=[v for k, v in enumerate(SCORES) if k not in (2, 3, 4)],
    misses=[
        ("ex B:Real. B = 3*d*sqrt(d)*p^2 & 1 <= B", "ex B:Real. B = 2*d*sqrt(d)*p^2 & 1 <= B"),
        ("<= B*H*eps", "< B*H*eps"),
        ("<= B*H*eps", "<= B*H*eps^2"),
        ("<= B*H*eps", "<= B*eps/2"),
        ("<= B*H*eps", "<= B/sqrt(d)*H*eps"),
    ],
)
def lemma31(v: Any) -> bool | None:
    return scored(v)


@adequate(
    "yang2026.lemma31.step",
    at=SCORES,
    misses=[
        ("<= 3*d*sqrt(d)*p^2*H*eps", "<= 2*d*sqrt(d)*p^2*H*eps"),
        ("<= 3*d*sqrt(d)*p^2*H*eps", "< 3*d*sqrt(d)*p^2*H*eps"),
        ("<= 1/sqrt(d)*(2*d^2*p^2*H*eps + d^2*p^2*eps^2)", "<= 1/sqrt(d)*(2*d^2*p^2*H*eps)"),
        ("<= 1/sqrt(d)*(2*d^2*p^2*H*eps + d^2*p^2*eps^2)", "<= 1/sqrt(d)*(d^2*p^2*H*eps + d^2*p^2*eps^2)"),
        ("eps <= 1 & ", ""),
        ("(all i in 1..n. all a in 1..d. abs(h(a, i)) <= H) & ", ""),
        ("entrybound(Q, d, d, p) & entrybound(K, d, d, p) & ", ""),
    ],
)
def lemma31_step(v: Any) -> bool | None:
    return scored(v)


def mean_instances() -> Iterator[dict[str, Any]]:
    V = full(2, 2, 3)
    h = [[F(2), F(2)], [F(-2), F(-2)]]
    k = [[F(1), F(2)], [F(-3), F(-2)]]
    hot = ([[F(1), F(0)], [F(1), F(0)]], [[F(0), F(1)], [F(0), F(1)]])
    made = [(2, F(3), V, h, k, *hot), (1, F(1), [[F(1)]], [[F(1)], [F(-1)]], [[F(1)], [F(-1)]], *hot)]
    made.append((2, F(3), V, h, k, [[F(2), F(-1)]] * 2, hot[1]))  # a weight outside [0, 1]
    made.append((2, F(3), V, h, k, [[F(1), F(1)]] * 2, hot[1]))  # weights that sum to 2
    for d in (1, 2, 3):
        f, g = ([[F(a, 7), F(7 - a, 7)] for a in RANDOM.sample(range(8), 2)] for _ in range(2))
        x = rows(2, d)
        made.append((d, F(6), rows(d, d), x, [plus(e, numbers(d)) for e in x], f, g))
    for d, p, M, x, y, f, g in made:
        eps = max(norm(minus(a, b)) for a, b in zip(x, y, strict=True))
        t = max(norm(minus(a, b)) for a, b in zip(f, g, strict=True))
        for half in (1, 2):
            yield {
                "d": F(d),
                "p": p,
                "V()": table(M),
                "n": F(2),
                "h()": columns(x),
                "k()": columns(y),
                "f()": table(f),
                "g()": table(g),
                "H": most(x),
                "eps": eps,
                "t": t / half,
                "is": (d, p, M, x, y, f, g, most(x), eps, t / half),
            }


@adequate(
    "yang2026.lemma33",
    at=mean_instances(),
    misses=[
        ("d*p*(d*H*t + eps) + eps", "d*p*(H*t + eps) + eps"),
        ("d*p*(d*H*t + eps) + eps", "d*p*(d*H*t + eps)"),
        ("d*p*(d*H*t + eps) + eps", "p*(d*H*t + eps) + eps"),
        ("d*p*(d*H*t + eps) + eps", "d*p*(d*H*t) + eps"),
        ("<= d*p*(d*H*t", "< d*p*(d*H*t"),
        ("& sum(j, 1, n, abs(f(i, j) - g(i, j))) <= t", ""),
    ],
)
def lemma33(v: Any) -> bool | None:
    d, p, V, h, k, f, g, H, eps, t = v["is"]
    inside = all(0 <= e <= 1 for row in f + g for e in row) and all(sum(row) == 1 for row in f + g)
    if not inside or most(V) > p or any(norm(minus(a, b)) > t for a, b in zip(f, g, strict=True)):
        return None
    for i in range(2):
        c, z = (
            plus(
                [
                    sum(w * e for w, e in zip(weights[i], entries, strict=True))
                    for entries in zip(*(image(V, x) for x in s), strict=True)
                ],
                s[i],
            )
            for weights, s in ((f, h), (g, k))
        )
        if norm(minus(c, z)) > d * p * (d * H * t + eps) + eps:
            return False
    return True


# Theorem 26


def recursion_instances() -> Iterator[dict[str, Any]]:
    for L, K, n, x, gamma, tau in [
        (1, 1, 1, 1, F(1), F(1)),
        (2, 1, 2, 1, F(1, 2), F(1)),
        (2, 2, 1, 3, F(1), F(1, 2)),
        (3, 1, 1, 1, F(1, 3), F(1)),
        (3, 2, 4, 2, F(1, 7), F(1, 5)),
        (4, 1, 2, 1, F(1), F(1, 3)),
    ]:
        down = CONTEXT.exp(-real(gamma / tau))
        a, r = K * x * n * down, F(K * x**2) / tau
        for slack in (0, 1):
            e = [CONTEXT.mpf(0)]
            for _ in range(L):
                e.append(a + real(r) * e[-1] + slack * (len(e) == L))
            # both readings of a are offered; the errors fit the smaller one
            yield {
                "L": F(L),
                "K": F(K),
                "n": F(n),
                "x": F(x),
                "gamma": gamma,
                "tau": tau,
                "a": [a, K * x * n / down],
                "r": r,
                "e()": dict(enumerate(e)),
                "is": (L, K, n, x, gamma, tau, e),
            }
    yield {
        "L": F(2),
        "K": F(1),
        "n": F(1),
        "x": F(1),
        "gamma": F(1),
        "tau": F(2),
        "a": [CONTEXT.exp(-1) * 1],
        "r": F(1, 2),
        "e()": {0: F(0), 1: F(0), 2: F(0)},
        "is": (2, 1, 1, 1, F(1), F(2), [F(0)] * 3),
    }


RECURSION = tuple(recursion_instances())


def recursion(v: Any, sign: int) -> bool | None:
    L, K, n, x, gamma, tau, e = v["is"]
    if tau > 1:
        return None
    a = K * x * n * CONTEXT.exp(sign * real(gamma / tau))
    r = real(F(K * x**2) / tau)
    if any(e[k] > a + r * e[k - 1] + SLACK for k in range(1, L + 1)):
        return None
    total = sum(a * r**m for m in range(L))
    end = L * K * n * x * CONTEXT.exp(-real(gamma / tau)) * r ** (L - 1)
    return (
        at_most(e[L], total)
        and at_most(total, L * a * r ** (L - 1))
        and abs(L * a * r ** (L - 1) - end) <= SLACK * (1 + end)
    )


@adequate("yang2026.thm26.recursion", at=RECURSION, false=True)
def recursion_printed(v: Any) -> bool | None:
    return recursion(v, 1)


@adequate(
    "yang2026.thm26.recursion.corrected",
    at=RECURSION,
    misses=[
        ("= L*K*n*x*exp(-gamma/tau)", "= K*n*x*exp(-gamma/tau)"),
        ("<= L*a*pow(r, L - 1)", "<= a*pow(r, L - 1)"),
        ("e(L) <= sum(m, 0, L - 1, a*pow(r, m))", "e(L) <= sum(m, 0, L - 2, a*pow(r, m))"),
        ("e(L) <= sum", "e(L) < sum"),
        ("pow(K*x^2/tau, L - 1)", "pow(K*x/tau, L - 1)"),
        ("(all l in 1..L. e(l)", "(all l in 1..L - 1. e(l)"),
    ],
)
def recursion_corrected(v: Any) -> bool | None:
    return recursion(v, -1)


def final_instances() -> Iterator[dict[str, Any]]:
    """The greatest final error that the geometric series allows, and a tenth of it; temperatures around the bound."""
    for L, K, n, x, gamma, tau in [
        (2, 1, 1, 1, F(1), F(1)),
        (2, 1, 3, 1, F(1, 2), F(1, 9)),
        (2, 3, 2, 2, F(1), F(1, 40)),
        (3, 1, 1, 1, F(1), F(1)),
        (3, 2, 5, 1, F(1, 4), F(1, 100)),
        (4, 1, 2, 2, F(1), F(1, 60)),
        (2, 1, 1, 1, F(1), F(2)),
    ]:
        a, r = K * n * x * CONTEXT.exp(-real(gamma / tau)), real(F(K * x**2) / tau)
        c = F(2 * K * (L - 1) * x**2) / gamma
        for share, alpha in ((F(1), F(1, 2)), (F(1, 10), F(3)), (F(1), F(1, 1000))):
            beta = F(1)
            e = real(share) * sum(a * r**m for m in range(L))
            for goal in (alpha / n, alpha / n / 100, 2 * alpha / n):
                yield {
                    "L": F(L),
                    "K": F(K),
                    "n": F(n),
                    "x": F(x),
                    "gamma": gamma,
                    "tau": tau,
                    "r": F(K * x**2) / tau,
                    "c": [c, c / 2],
                    "e": e,
                    "alpha": alpha,
                    "beta": beta,
                    "goal": goal,
                    "is": (L, K, n, x, gamma, tau, r, c, e, alpha, goal),
                }


FINAL = tuple(final_instances())


def logs(v: Any, factor: bool) -> bool | None:
    L, K, n, x, gamma, tau, r, c, e, _, _ = v["is"]
    if tau > 1:
        return None
    log = CONTEXT.log
    front = log((L if factor else 1) * K * n * x)
    one = front - real(gamma / tau) + (L - 1) * log(r)
    two = front - real(gamma / tau) + (L - 1) * (log(real(c)) + (r - real(c)) / real(c))
    three = front - real(gamma / (2 * tau)) + (L - 1) * (log(real(c)) - 1)
    return at_most(log(e), one) and at_most(one, two) and at_most(two, three)


@adequate("yang2026.thm26.log", at=FINAL, false=True)
def log_printed(v: Any) -> bool | None:
    return logs(v, False)


@adequate(
    "yang2026.thm26.log.corrected",
    at=FINAL,
    misses=[
        ("log(e) <= log(L*K*n*x)", "log(e) <= log(K*n*x)"),
        (
            "<= log(L*K*n*x) - gamma/(2*tau) + (L - 1)*(log(c) - 1)",
            "<= log(L*K*n*x) - gamma/tau + (L - 1)*(log(c) - 1)",
        ),
        (
            "<= log(L*K*n*x) - gamma/(2*tau) + (L - 1)*(log(c) - 1)",
            "<= log(L*K*n*x) - gamma/(2*tau) + (L - 1)*(log(c) - 2)",
        ),
        ("c = 2*K*(L - 1)*x^2/gamma", "c = K*(L - 1)*x^2/gamma"),
        ("<= log(L*K*n*x) - gamma/tau + (L - 1)*(log(c) + (r - c)/c)", "<= log(L*K*n*x) - gamma/tau + (L - 1)*log(c)"),
    ],
)
def log_corrected(v: Any) -> bool | None:
    return logs(v, True)


def enough(v: Any, printed: bool) -> bool | None:
    L, K, n, x, gamma, tau, _, c, e, alpha, goal = v["is"]
    wanted = alpha / n
    if tau > 1 or not (goal <= wanted if printed else wanted <= goal):
        return None
    log = CONTEXT.log
    least = 2 / real(gamma) * (log((1 if printed else L) * K * n**2 * x / real(alpha)) + (L - 1) * (log(real(c)) - 1))
    if least > 1 / real(tau):
        return None
    return at_most(e, goal)


@adequate("yang2026.thm26.tau", at=FINAL, false=True)
def tau_printed(v: Any) -> bool | None:
    return enough(v, True)


@adequate(
    "yang2026.thm26.tau.corrected",
    at=FINAL,
    misses=[
        ("alpha/exp(beta*log(n)) <= goal", "goal <= alpha/exp(beta*log(n))"),
        ("2/gamma*(log(L*K", "1/100/gamma*(log(L*K"),
        ("-> 2/gamma*(log(L*K*exp((beta + 1)*log(n))*x/alpha) + (L - 1)*(log(c) - 1)) <= 1/tau", ""),
        ("-> e <= goal", "-> e <= goal/1000000000"),
        ("& alpha/exp(beta*log(n)) <= goal", ""),
    ],
)
def tau_corrected(v: Any) -> bool | None:
    return enough(v, False)


DEPTHS = (2, 3, 5, 10, 20, 40, 60)
LOW, BASES = (F(1, 1000), F(1)), (F(3, 2), F(2))


def by_depth(L: int, k: int, n: int, x: int, gamma: Any, alpha: Any) -> Any:
    """The temperature's bound, beta = 1, with constants that are k^L."""
    log = CONTEXT.log
    last = log(real(F(2 * k**L * (L - 1) * x**2) / gamma)) - 1
    return 2 / real(gamma) * (log(real(F(L * k**L * n**2 * x) / alpha)) + (L - 1) * last)


def depth_instances() -> Iterator[dict[str, Any]]:
    for k, n, x, gamma, alpha in [
        (2, 1, 1, F(1), F(1)),
        (2, 5, 2, F(1, 3), F(1, 4)),
        (7, 2, 1, F(1, 2), F(3)),
        (1, 3, 1, F(1), F(1, 9)),
        (50, 1, 1, F(1), F(1)),
    ]:
        for at in DEPTHS:
            yield {
                "k": F(k),
                "n": F(n),
                "x": F(x),
                "gamma": gamma,
                "alpha": alpha,
                "beta": F(1),
                "L": [F(at)],
                "c": [F(2 * k**at * (at - 1) * x**2) / gamma],
                "bound": (bound := by_depth(at, k, n, x, gamma, alpha)),
                "bound()": {at: bound},
                "low": list(LOW),
                "base": [*BASES, F(1)],
                "is": (at, k, n, x, gamma, alpha),
            }


DEPTH = tuple(depth_instances())


@adequate(
    "yang2026.thm26.depth.corrected",
    at=DEPTH,
    misses=[
        ("2/gamma*L^2*(1 +", "2/gamma*L*(1 +"),
        ("1 + log(k) + abs", "1 + log(k)/2 + abs"),
        ("1 + log(k) + abs", "log(k) + abs"),
    ],
)
def quadratic_depth(v: Any) -> bool:
    L, k, n, x, gamma, alpha = v["is"]
    log = CONTEXT.log
    parts = 1 + log(real(F(k))) + abs(log(real(alpha))) + 3 * log(real(F(n * x) / gamma))
    return at_most(by_depth(L, k, n, x, gamma, alpha), 2 / real(gamma) * L**2 * parts)


@adequate("yang2026.thm26.depth", at=DEPTH, false=True)
def exponential_depth(v: Any) -> bool | None:
    """Of the powers tried, one is below the bound."""
    L, k, *_ = v["is"]
    return any(at_most(real(low * base**L), v["bound"]) for low in LOW for base in BASES) if k >= 2 else None


@adequate(
    "yang2026.thm26.goal",
    at=FINAL,
    misses=[
        ("2/gamma*(log(K", "1/gamma*(log(K"),
        ("exp((beta + 1)*log(n))", "exp(beta*log(n))"),
        ("- gamma/(2*tau) + (L - 1)*(log(c) - 1) <= log(alpha", "- gamma/(2*tau) + (L - 1)*log(c) <= log(alpha"),
    ],
)
def goal(v: Any) -> bool | None:
    L, K, n, x, gamma, tau, _, c, _, alpha, _ = v["is"]
    if tau > 1:
        return None
    log = CONTEXT.log
    rest = (L - 1) * (log(real(c)) - 1)
    if 2 / real(gamma) * (log(K * n**2 * x / real(alpha)) + rest) > 1 / real(tau):
        return None
    return at_most(log(K * n * x) - real(gamma / (2 * tau)) + rest, log(real(alpha / n)))


def poly_instances() -> Iterator[dict[str, Any]]:
    for L, K, alpha, beta, k, m in [
        (2, 1, F(1), F(1), 0, 0),
        (2, 3, F(1, 9), F(2), 2, 1),
        (3, 1, F(5), F(1, 2), 1, 2),
        (4, 2, F(1), F(3), 3, 0),
        (1, 2, F(1, 3), F(1), 2, 1),
        (1, 1, F(1), F(1), 0, 0),
    ]:
        log = CONTEXT.log
        C = 2 * (abs(log(K / real(alpha))) + real(beta) + 1 + m + (L - 1) * (log(2 * K * L) + 2 * m + k))
        lengths = [F(n) for n in (3, 10, 1000, 10**6)]
        yield {
            "L": F(L),
            "K": F(K),
            "alpha": alpha,
            "beta": beta,
            "k": F(k),
            "m": F(m),
            "C": [C],
            "n": lengths,
            "x": lambda env: [F(1), env["n"] ** int(env["m"])],
            "gamma": lambda env: [1 / env["n"] ** int(env["k"])],
            "c": lambda env: [2 * env["K"] * (env["L"] - 1) * env["x"] ** 2 / env["gamma"]],
            "q": lambda env: [depth_term(int(env["L"]), env["c"]), 10**40],
            "is": (L, K, alpha, beta, k, m, C),
        }


def depth_term(L: int, c: Any) -> Any:
    return F(0) if L == 1 else (L - 1) * (CONTEXT.log(real(c)) - 1)


@adequate(
    "yang2026.thm26.poly",
    at=poly_instances(),
    misses=[
        ("C*pow(n, k)*log(n)", "C*log(n)"),
        ("C*pow(n, k)*log(n)", "C*pow(n, k)"),
        ("C*pow(n, k)*log(n)", "C/10*pow(n, k)*log(n)"),
        ("(L = 1 -> q = 0) & ", ""),
        ("(2 <= L -> q", "(3 <= L -> q"),
    ],
)
def poly(v: Any) -> bool | None:
    L, K, alpha, beta, k, m, C = v["is"]
    log = CONTEXT.log
    for n in (3, 10, 1000, 10**6):
        for x in (1, n**m):
            front = log(K * CONTEXT.mpf(n) ** (real(beta) + 1) * x / real(alpha))
            least = 2 * n**k * (front + depth_term(L, F(2 * K * (L - 1) * x**2 * n**k)))
            if not at_most(least, C * n**k * log(n)):
                return False
    return True


# Runs of small transformers


Layer = tuple[Rows, Rows, Rows, Rows, Vector, Rows, Vector]


def ahardmax(scores: Vector) -> Vector:
    best = [real(s) >= real(max(scores)) - SLACK for s in scores]
    return [F(int(b), sum(best)) for b in best]


def softmax(scores: Vector) -> Vector:
    raw = [CONTEXT.exp(real(s) - real(max(scores))) for s in scores]
    return [w / CONTEXT.fsum(raw) for w in raw]


def run(layer: Layer, x: Rows, seen: Callable[[int], range], tau: Any = None) -> tuple[Rows, Rows]:
    """What attention and the layer leave; average-hard without a temperature. Position i sees seen(i)."""
    Q, K, V, W, b, U, g = layer
    c = []
    for i in range(len(x)):
        scores = [score(Q, K, x[i], x[j]) for j in seen(i)]
        weights = ahardmax(scores) if tau is None else softmax([s / real(tau) for s in scores])
        images = [image(V, x[j]) for j in seen(i)]
        total = [F(0)] * len(x[i])
        for w, v in zip(weights, images, strict=True):
            total = plus(total, [w * e if isinstance(w, F) and isinstance(e, F) else real(w) * real(e) for e in v])
        c.append(plus(total, x[i]))
    return c, [plus(network(W, b, U, g, e), e) for e in c]


def parameters(t: int, layer: Layer) -> dict[str, dict[Any, Any]]:
    """The entries of layer t under the names of the statements."""
    found: dict[str, dict[Any, Any]] = {}
    for name, part in zip(("Q", "K", "V", "W", "b", "U", "g"), layer, strict=True):
        if isinstance(part[0], list):
            found[name] = {(t, *at): e for at, e in table(part).items()}
        else:
            found[name] = {(t, a): e for a, e in enumerate(part, 1)}
    return found


def bounded_layers(layers: list[Layer], p: Any) -> bool:
    return all(most(part) <= p for layer in layers for part in layer)


def ahat_instances() -> Iterator[dict[str, Any]]:
    big = (full(2, 2, 2), full(2, 2, 2), full(2, 2, 2), full(2, 2, 2), [F(2)] * 2, full(2, 2, 2), [F(2)] * 2)
    small = (full(1, 1, 1), full(1, 1, 1), full(1, 1, 1), full(1, 1, 0), [F(0)], full(1, 1, 0), [F(0)])
    cases: list[tuple[list[Layer], Any, Rows, Any]] = [
        ([], F(1), [[F(3)], [F(-3)]], F(3)),
        ([big], F(2), [[F(1), F(1)], [F(1), F(1)]], F(1)),
        ([big, big], F(2), [[F(1), F(1)], [F(1), F(1)]], F(1)),
        ([small, small], F(1), [[F(2)], [F(1)], [F(-1)]], F(2)),
        ([big], F(2), [[F(40), F(40)], [F(40), F(1)]], F(1)),  # x above X
        ([big], F(1), [[F(1), F(1)], [F(1), F(1)]], F(1)),  # parameters above p
    ]
    for d in (1, 2):
        layers = [
            (rows(d, d), rows(d, d), rows(d, d), rows(d, d), numbers(d), rows(d, d), numbers(d)) for _ in range(2)
        ]
        x = rows(3, d)
        cases.append((layers, F(6), x, max(F(1), most(x))))
    for layers, p, x, X in cases:
        n, d = len(x), len(x[0])
        masks = (lambda i: range(i + 1), lambda i, n=n: range(i, n), lambda _, n=n: range(n))
        for seen in masks:
            h, c = {(0, a, i): e for (a, i), e in columns(x).items()}, {}
            streams = [x]
            for t, layer in enumerate(layers, 1):
                inside, after = run(layer, streams[-1], seen)
                streams.append(after)
                c |= {(t, a, i): e for (a, i), e in columns(inside).items()}
                h |= {(t, a, i): e for (a, i), e in columns(after).items()}
            names: dict[str, dict[Any, Any]] = {}
            for t, layer in enumerate(layers, 1):
                for name, part in parameters(t, layer).items():
                    names.setdefault(name, {}).update(part)

            def soft(
                env: Any, layers: Any = layers, x: Any = x, seen: Any = seen
            ) -> tuple[dict[Any, Any], dict[Any, Any]]:
                k, u, stream = {(0, a, i): e for (a, i), e in columns(x).items()}, {}, x
                for t, layer in enumerate(layers, 1):
                    inside, stream = run(layer, stream, seen, env["tau"])
                    u |= {(t, a, i): e for (a, i), e in columns(inside).items()}
                    k |= {(t, a, i): e for (a, i), e in columns(stream).items()}
                return u, k

            yield {
                **{f"{name}()": names.get(name, {}) for name in ("Q", "K", "V", "W", "b", "U", "g")},
                "L": F(len(layers)),
                "d": F(d),
                "p": p,
                "n": F(n),
                "X": X,
                "c()": c,
                "h()": h,
                "o()": {(t, i): F(seen(i - 1)[0]) for t in range(1, len(layers) + 1) for i in range(1, n + 1)},
                "w()": {(t, i): F(len(seen(i - 1))) for t in range(1, len(layers) + 1) for i in range(1, n + 1)},
                "eps": [F(1, 10**6)],
                "top": [F(1, 10**6)],
                "tau": [F(1, 10**7)],
                "u()": lambda env, soft=soft: [soft(env)[0]],
                "k()": lambda env, soft=soft: [soft(env)[1]],
                "is": (layers, p, x, X, streams, seen),
            }


AHATS = tuple(ahat_instances())


@adequate(
    "yang2026.lemma29",
    at=AHATS,
    misses=[
        ("<= pow(2*(d^2*p^2 + 1)*(d*p + 1), t)*d*X & pow", "<= pow(d*p + 1, t)*d*X & pow"),
        ("<= pow(2*(d^2*p^2 + 1)*(d*p + 1), t)*d*X & pow", "<= pow(2*(d^2*p^2 + 1)*(d*p + 1), t)*X & pow"),
        ("<= pow(2*(d^2*p^2 + 1)*(d*p + 1), t)*d*X & pow", "<= d*X & pow"),
        ("<= pow(2*(d^2*p^2 + 1)*(d*p + 1), L)*d*X", "< pow(2*(d^2*p^2 + 1)*(d*p + 1), L)*d*X"),
        ("& (all i in 1..n. all a in 1..d. abs(h(0, a, i)) <= X)", ""),
    ],
)
def lemma29(v: Any) -> bool | None:
    layers, p, x, X, streams, _ = v["is"]
    if most(x) > X or not bounded_layers(layers, p):
        return None
    d = len(x[0])
    K = 2 * (d**2 * p**2 + 1) * (d * p + 1)
    return all(at_most(norm(e), K**t * d * X) for t, stream in enumerate(streams) for e in stream)


@adequate(
    "yang2026.s5.limit",
    at=AHATS,
    misses=[
        ("<= eps", "< 0"),
        ("onenorm(a. h(L, a, i) - k(L, a, i), d)", "onenorm(a. h(L, a, i) + k(L, a, i), d)"),
        ("<= eps", "<= -eps"),
    ],
)
def limit(v: Any) -> bool | None:
    layers, p, x, X, streams, seen = v["is"]
    if most(x) > X or not bounded_layers(layers, p):
        return None
    soft = x
    for layer in layers:
        soft = run(layer, soft, seen, F(1, 10**7))[1]
    return all(at_most(norm(minus(a, b)), F(1, 10**6)) for a, b in zip(streams[-1], soft, strict=True))


def words_instances() -> Iterator[dict[str, Any]]:
    sizes = [(1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 2, 2), (3, 2, 1), (1, 3, 1), (0, 1, 1)]
    for (k, n, L), past in itertools.product(sizes, (False, True)):
        listed = list(itertools.product(range(1, k + 1), repeat=n))
        h = {(r, t, 1, i): number() for r in range(1, len(listed) + 1) for t in range(L) for i in range(1, n + 1)}
        if n == 3:  # only the first two are near each other, and a past mask hides the first from the second
            h = {(1, 0, 1, i): F(e, 10) for i, e in enumerate((10, 11, 50), 1)}
        gaps = []
        for r in range(1, len(listed) + 1):
            for t in range(L):
                for i in range(1, n + 1):
                    window = range(i, n + 1) if past else range(1, n + 1)
                    seen = sorted({h[r, t, 1, i] * h[r, t, 1, j] for j in window})
                    gaps += [seen[-1] - seen[-2]] if len(seen) > 1 else []
        yield {
            "k": F(k),
            "n": F(n),
            "M": F(max(1, len(listed))),
            "letter()": {(r, i): F(e) for r, w in enumerate(listed, 1) for i, e in enumerate(w, 1)},
            "x()": [column(w) for w in itertools.product(range(k + 2), repeat=n)],
            "L": F(L),
            "d": F(1),
            "Q()": [lambda *_: F(1)],
            "K()": [lambda *_: F(1)],
            "o()": [lambda t, i, past=past: (i - 1) * past],
            "w()": [lambda t, i, n=n, past=past: F(n) - (i - 1) * past],
            "h()": h,
            "gamma": min(gaps, default=F(1)),
            "is": (k, n, listed, gaps),
        }


@adequate(
    "yang2026.prop24",
    at=words_instances(),
    misses=[
        ("ex r in 1..M. all i", "ex r in 1..M - 1. all i"),
        ("1 <= x(i) & x(i) <= k", "0 <= x(i) & x(i) <= k"),
        ("1 <= x(i) & x(i) <= k", "1 <= x(i) & x(i) <= k + 1"),
        ("w(t, i), gamma)", "w(t, i), 2*gamma)"),
        ("i, o(t, i) + j)", "i, j)"),
        ("0 < gamma", "gamma < 0"),
    ],
)
def prop24(v: Any) -> bool | None:
    k, n, listed, gaps = v["is"]
    if k < 1:
        return None
    return len(set(listed)) == k**n and min(gaps, default=F(1)) > 0


# Lemma 25


def one_layer_instances() -> Iterator[dict[str, Any]]:
    """d = L = 1, all of Q, K, V one, no feed-forward part; embeddings 0, so that any gap and x_max = 1 will do."""
    d, p, P = 1, 1, F(2 * 2 * 2)
    B = (d**2 * p**2 + 1) * (2 * d * p * P + 12 * d**2 * p**3 * P**2 + d * p + 1)
    one, zero = [lambda *_: F(1)], [lambda *_: F(0)]
    for first, n in [(None, 2), (F(1), 2), (F(1, 2), 1), (F(3), 3)]:

        def inputs(env: Any, first: Any = first, n: int = n) -> Rows:
            """For the printed statement numbers far apart; for the corrected one those of a run."""
            D = 8 * env["B"] + 1
            if first is None and "k" in env:
                return [[1 / D], [1 / D - D]]
            return [[(first or F(1)) * (1 if i == 0 else F(-1, 3) * i)] for i in range(n)]

        def outputs(env: Any, part: int, soft: bool, n: int = n, inputs: Any = inputs) -> dict[Any, Any]:
            layer = ([[F(1)]], [[F(1)]], [[F(1)]], [[F(0)]], [F(0)], [[F(0)]], [F(0)])
            return columns(run(layer, inputs(env), lambda i: range(n), F(1) if soft else None)[part])

        yield {
            "L": F(1),
            "d": F(1),
            "k": F(1),
            "Q()": one,
            "K()": one,
            "V()": one,
            "W()": zero,
            "b()": zero,
            "U()": zero,
            "g()": zero,
            "we()": zero,
            "pe()": zero,
            "X()": one,
            "gamma()": one,
            "tau()": one,
            "m": [F(1), F(n)],
            "letter()": [lambda i: F(1)],
            "h()": zero,
            "c()": lambda env, o=outputs: [o(env, 0, False)] if "B" in env else [lambda *_: F(0)],
            "B": [B],
            "n": F(n),
            "small": [F(1, 100)],
            "eps": [F(1, 100)],
            "t": [F(1)],
            "p": lambda env, o=outputs: [F(1)],
            "p()": lambda env, o=outputs: [o(env, 0, False)],
            "x()": lambda env, f=inputs: [columns(f(env))],
            "z()": lambda env, f=inputs: [columns(f(env))],
            "y()": lambda env, o=outputs: [o(env, 1, False)],
            "u()": lambda env, o=outputs: [o(env, 0, True)],
            "v()": lambda env, o=outputs: [o(env, 1, True)],
            "o()": [lambda i: F(0)],
            "w()": [lambda i, n=n: F(n)],
            "X": F(1),
            "gamma": F(1, 100),
            "tau": F(1),
            "is": (first, n, B),
        }


ONE_LAYER = tuple(one_layer_instances())


@adequate("yang2026.lemma25", at=ONE_LAYER, false=True)
def lemma25_printed(v: Any) -> bool | None:
    """With g as far apart as D = 8 K + 1 the outputs differ by a share of D."""
    first, _, B = v["is"]
    if first is not None:
        return True
    D = 8 * B + 1
    weight = 1 / (1 + CONTEXT.exp(1))  # the scores of the first position are 1/D^2 and 1/D^2 - 1
    return at_most(weight * real(D), B * (2 * CONTEXT.exp(-1) + real(F(1, 100))))


@adequate(
    "yang2026.lemma25.corrected",
    at=ONE_LAYER,
    misses=[
        ("<= B*X*(n*exp(-gamma/tau) + X/tau*eps)", "<= X*(n*exp(-gamma/tau) + X/tau*eps)/100"),
        ("<= B*X*(n*exp(-gamma/tau) + X/tau*eps)", "<= B*X*(X/tau*eps)/1000"),
        ("<= B*X*(n*exp(-gamma/tau) + X/tau*eps)", "<= 0"),
        ("1 <= B &", "B <= 1 &"),
    ],
)
def lemma25_corrected(v: Any) -> bool | None:
    first, n, B = v["is"]
    x = [[(first or F(1)) * (1 if i == 0 else F(-1, 3) * i)] for i in range(n)]
    layer = ([[F(1)]], [[F(1)]], [[F(1)]], [[F(0)]], [F(0)], [[F(0)]], [F(0)])
    hard, soft = (run(layer, x, lambda i: range(n), tau)[1] for tau in (None, F(1)))
    bound = B * (n * CONTEXT.exp(-real(F(1, 100))) + real(F(1, 100)))
    return all(at_most(norm(minus(a, b)), bound) for a, b in zip(hard, soft, strict=True))


def chain_instances() -> Iterator[dict[str, Any]]:
    P = F(8)
    K1 = F(3)
    K2 = K1 * P
    K3, K4 = P * (2 + 4 * K2), F(2)
    K5 = K3 + K4 * P
    for x, shift, tau, eps in [
        ([[F(0)]], F(0), F(1, 10**5), F(1, 10**10)),
        ([[F(1)], [F(0)]], F(1, 10), F(1), F(1, 10)),
        ([[F(1)], [F(-1)]], F(1, 4), F(1, 3), F(1, 4)),
        ([[F(1)], [F(1)]], F(1), F(1, 5), F(1)),
        ([[F(1)], [F(0)]], F(0), F(1, 50), F(1, 10)),
    ]:
        n = len(x)
        z = [[e + shift * (-1) ** i for e in row] for i, row in enumerate(x)]
        layer = ([[F(1)]], [[F(1)]], [[F(1)]], [[F(0)]], [F(0)], [[F(0)]], [F(0)])
        yield {
            "d": F(1),
            "L": F(1),
            "p": F(1),
            "K1": K1,
            "K2": K2,
            "K3": K3,
            "K4": K4,
            "K5": K5,
            "Q()": {(1, 1): F(1)},
            "K()": {(1, 1): F(1)},
            "V()": {(1, 1): F(1)},
            "n": F(n),
            "o()": [lambda i: F(0)],
            "w()": [lambda i, n=n: F(n)],
            "X": F(1),
            "H": F(1),
            "gamma": F(1),
            "tau": tau,
            "eps": eps,
            "x()": columns(x),
            "z()": columns(z),
            "c()": columns(run(layer, x, lambda i, n=n: range(n))[0]),
            "u()": columns(run(layer, z, lambda i, n=n: range(n), tau)[0]),
            "is": (x, z, tau, eps, (K1, K2, K3, K4, K5), layer),
        }


CHAIN = tuple(chain_instances())


def chain(v: Any, factor: bool) -> bool | None:
    x, z, tau, eps, (K1, K2, K3, K4, K5), layer = v["is"]
    n = len(x)
    E = n * CONTEXT.exp(-1 / real(tau))
    last = real(K4 * (eps if factor else 1))
    inside = E + real(eps / tau)
    for i in range(n):
        s, r = ([a[i][0] * b[0] for b in a] for a in (x, z))
        if any(abs(a - b) > K1 * eps for a, b in zip(s, r, strict=True)) or K1 * eps > K2 * eps:
            return False
        weights = minus(ahardmax(s), softmax([real(e / tau) for e in r]))
        if not at_most(norm(weights), 2 * E + real(4 * K2 * eps / tau)):
            return False
        c, u = run(layer, x, lambda i: range(n))[0][i], run(layer, z, lambda i: range(n), tau)[0][i]
        if not at_most(norm(minus(c, u)), K3 * inside + last) or not at_most(K3 * inside + last, K5 * inside):
            return False
    return True


@adequate("yang2026.lemma25.chain", at=CHAIN, false=True)
def chain_printed(v: Any) -> bool | None:
    return chain(v, False)


@adequate(
    "yang2026.lemma25.chain.corrected",
    at=CHAIN,
    misses=[
        ("<= K5*X*(n*exp(-gamma/tau) + X*eps/tau)", "<= K3*X*(n*exp(-gamma/tau) + X*eps/tau)"),
        ("<= K1*H*eps)", "<= K1*H*eps/10)"),
        ("+ K4*H*eps <= K5", "+ K4*H <= K5"),
        ("<= 2*n*exp(-gamma/tau) + 4*K2*X*eps/tau", "<= 2*n*exp(-gamma/tau)/10"),
        ("1 <= K5 &", "K5 < K3 &"),
    ],
)
def chain_corrected(v: Any) -> bool | None:
    return chain(v, True)


# The Cookbook, Section 7


def step_instances() -> Iterator[dict[str, Any]]:
    for eps in (F(1, 3), F(1), F(5)):
        for gap in (F(1, 7), F(2)):
            c = eps / gap
            yield {
                "eps": eps,
                "gap": gap,
                "c": [c],
                "x": [F(k, 2) * eps for k in range(-2, 5)] + [F(0), gap],
                "y": [F(0), -gap, F(1)],
                "is": eps,
            }
    yield {"eps": F(0), "gap": F(1), "c": [F(1)], "x": [F(0)], "y": [F(0)], "is": None}
    yield {"eps": F(-1), "gap": F(1), "c": [F(1)], "x": [F(0)], "y": [F(0)], "is": None}


def gtzero(eps: Any, x: Any) -> Any:
    """The three cases of Section 4.7."""
    return F(0) if x <= 0 else x / eps if x < eps else F(1)


def rounded(eps: Any, x: Any) -> Any:
    return F(0) if x < eps else x


@adequate(
    "s7.1.rounded_step",
    at=step_instances(),
    misses=[
        ("I[y < x]", "I[y <= x]"),
        ("x <= y | gap <= x - y", "x <= y | gap/2 <= x - y | y + 1/100 < x"),
        ("= I[0 < roundedoff(x, eps)])", "= I[0 < x])"),
        (
            "1/eps*relu(roundedoff(x, eps)) - 1/eps*relu(roundedoff(x, eps) - eps)",
            "1/eps*relu(x) - 1/eps*relu(x - eps)",
        ),
        ("relu(roundedoff(x, eps) - eps) = ", "relu(roundedoff(x, eps) - 2*eps) = "),
        ("relu(roundedoff(c*(x - y), eps) - eps) = I[y < x]", "relu(roundedoff(x - y, eps) - eps) = I[y < x]"),
    ],
)
def rounded_step(v: Any) -> bool | None:
    eps = v["is"]
    if eps is None:
        return None
    single = all(gtzero(eps, rounded(eps, x)) == int(rounded(eps, x) > 0) for x in v["x"])
    pairs = ((x, y) for x in v["x"] for y in v["y"] if x <= y or x - y >= v["gap"])
    return single and all(gtzero(eps, rounded(eps, eps / v["gap"] * (x - y))) == int(x > y) for x, y in pairs)


def norm_instances() -> Iterator[dict[str, Any]]:
    made = [(2, 2, [[F(1), F(1)], [F(3), F(0)]], [F(2), F(-1)]), (1, 3, [[F(2), F(-2), F(2)]], [F(1), F(-1), F(1)])]
    made += [(2, 1, [[F(1)], [F(-4)]], [F(3)])] + [(m, d, rows(m, d), numbers(d)) for m, d in ((2, 3), (3, 2), (1, 1))]
    for m, d, A, x in made:
        V, W, b, c, z = rows(2, m), A, numbers(m), numbers(2), numbers(d)
        for wrong in (0, 1):
            yield {
                "m": F(m),
                "d": F(d),
                "A()": table(A),
                "M()": column([max(map(abs, row)) * (1 - F(wrong, 2)) for row in A]),
                "x()": column(x),
                "q": F(2),
                "W()": table(W),
                "b()": column(b),
                "V()": table(V),
                "c()": column(c),
                "N()": column([max(map(abs, row)) for row in V]),
                "z()": column(z),
                "is": None if wrong and any(max(map(abs, row)) for row in A) else (A, x, V, b, c, z),
            }


def entry_norm(A: Rows) -> Any:
    return sum(max(map(abs, row)) for row in A)


@adequate(
    "s7.2.norm_choice",
    at=norm_instances(),
    misses=[
        ("sum(i, 1, q, N(i))*sum(i, 1, m, M(i))*onenorm", "sum(i, 1, q, N(i))*M(1)/100*onenorm"),
        ("<= sum(i, 1, m, M(i))*onenorm(x, d))", "<= M(1)*onenorm(x, d))"),
        ("<= sum(i, 1, m, M(i))*onenorm(x, d))", "< sum(i, 1, m, M(i))*onenorm(x, d))"),
        ("<= sum(i, 1, m, M(i))*onenorm(x, d))", "<= sum(i, 1, m, M(i))*abs(x(1)))"),
    ],
)
def norm_choice(v: Any) -> bool | None:
    if v["is"] is None:
        return None
    A, x, V, b, c, z = v["is"]
    moved = norm(minus(network(A, b, V, c, z), network(A, b, V, c, x)))
    return norm(image(A, x)) <= entry_norm(A) * norm(x) and moved <= entry_norm(V) * entry_norm(A) * norm(minus(z, x))


def ffn_instances() -> Iterator[dict[str, Any]]:
    made = [([[F(2)]], [F(0)], [[F(3)]], [F(1)], [F(1)], [F(2)])]
    made += [
        (rows(h, d), numbers(h), rows(2, h), numbers(2), numbers(d), numbers(d))
        for d, h in ((1, 2), (2, 2), (3, 1), (2, 4))
    ]
    for W, b, V, c, x, z in made:
        m, d, q = len(W), len(x), len(V)
        columns_ = [sum(abs(V[a][k]) * abs(W[k][j]) for a in range(q) for k in range(m)) for j in range(d)]
        K = max(columns_)
        yield {
            "d": F(d),
            "m": F(m),
            "q": F(q),
            "W()": table(W),
            "b()": column(b),
            "V()": table(V),
            "c()": column(c),
            "K": [K],
            "x()": column(x),
            "z()": column(z),
            "delta": [norm(minus(z, x)), norm(minus(z, x)) / 3],
            "is": (W, b, V, c, x, z, K),
        }


@adequate(
    "s7.2.prop7.2",
    at=ffn_instances(),
    misses=[
        ("<= K*delta", "<= K*delta/100"),
        ("<= K*delta", "< K*delta"),
        ("onenorm(l. z(l) - x(l), d) <= delta -> ", ""),
        ("<= K*delta", "<= delta/100"),
    ],
)
def prop72(v: Any) -> bool | None:
    W, b, V, c, x, z, K = v["is"]
    return norm(minus(network(W, b, V, c, z), network(W, b, V, c, x))) <= K * norm(minus(z, x))


def attention_instances() -> Iterator[dict[str, Any]]:
    """One coordinate, all weights 1, n = 2: at position 1 the query is the first number."""
    for X, x, z in [
        (F(1), (F(0), F(1)), None),  # the second run has t = 1/(4 K + 2) in place of 0
        (F(1), (F(1), F(1, 2)), (F(1), F(3, 4))),
        (F(2), (F(2), F(-2)), (F(1), F(-1))),
        (F(3), (F(1, 3), F(0)), (F(1, 3), F(1, 7))),
    ]:
        B = 4 * X * (2 * X + 1) + 1

        def moved(env: Any, x: Any = x, z: Any = z) -> tuple[Any, Any]:
            return z or (1 / (4 * env["B"] + 2), x[1])

        def apart(env: Any, x: Any = x, moved: Any = moved) -> list[Any]:
            return [max(abs(a - b) for a, b in zip(x, moved(env), strict=True))]

        yield {
            "d": F(1),
            "m": F(1),
            "Q()": {(1, 1): F(1)},
            "K()": {(1, 1): F(1)},
            "V()": {(1, 1): F(1)},
            "X": X,
            "B": [B],
            "n": F(2),
            "x()": columns([[e] for e in x]),
            "z()": lambda env, moved=moved: [columns([[e] for e in moved(env)])],
            "delta": apart,
            "b": [F(1), F(2)],
            "e": [F(1), F(2)],
            "is": (X, x, moved({"B": B}), B),
        }


ATTENTION = tuple(attention_instances())


UNMASKED, FUTURE, STRICT, PAST = [slice(2)] * 2, [slice(1), slice(2)], [slice(1)], [slice(2), slice(1, 2)]
"""What each position sees; the first one with a strict mask nothing, so that there `STRICT` has the second alone."""


def attention(v: Any, weighting: Callable[[Vector], Vector], masks: Sequence[Sequence[slice]] = (UNMASKED,)) -> bool:
    _, x, z, B = v["is"]
    delta = max(abs(a - b) for a, b in zip(x, z, strict=True))
    for mask in masks:
        for i, seen in enumerate(mask, 2 - len(mask)):
            one, two = (
                sum(real(w) * real(e) for w, e in zip(weighting([s[i] * e for e in s[seen]]), s[seen], strict=True))
                for s in (x, z)
            )
            if not at_most(abs(real(one) - real(two)), B * delta):
                return False
    return True


@adequate("s7.2.prop7.3", at=ATTENTION, false=True)
def prop73_printed(v: Any) -> bool | None:
    return attention(v, softmax) and attention(v, ahardmax)


@adequate(
    "s7.2.prop7.3.corrected",
    at=ATTENTION,
    misses=[
        ("<= B*delta", "<= delta/100"),
        ("<= B*delta", "<= B*delta^2/100"),
        ("<= B*delta", "<= B*delta/1000"),
        ("<= B*delta", "<= 0"),
        ("matvec(V, l. z(l, j + b - 1), d, a)), d)", "matvec(V, l. z(l, j), d, a)), d)"),
    ],
)
def prop73_corrected(v: Any) -> bool | None:
    return attention(v, softmax, (UNMASKED, FUTURE, STRICT, PAST))


def residual_instances() -> Iterator[dict[str, Any]]:
    made = [([F(0)], [F(1)], [F(0)], [F(2)]), ([F(1), F(1)], [F(2), F(0)], [F(0), F(0)], [F(5), F(-1)])]
    made += [tuple(numbers(d) for _ in range(4)) for d in (1, 2, 3)]  # type: ignore[misc]
    for x, z, y, u in made:
        delta, eps = norm(minus(z, x)), norm(minus(u, y))
        for share in (F(1), F(1, 2)):
            yield {
                "d": F(len(x)),
                "x()": column(x),
                "z()": column(z),
                "y()": column(y),
                "u()": column(u),
                "delta": delta * share,
                "eps": eps,
                "is": (x, z, y, u, delta * share, eps),
            }


@adequate(
    "s7.2.prop7.4",
    at=residual_instances(),
    misses=[
        ("<= eps + delta", "<= eps"),
        ("<= eps + delta", "<= delta"),
        ("<= eps + delta", "< eps + delta"),
        ("d) <= eps + delta)", "d) <= eps)"),
        ("<= eps + delta", "<= max(eps, delta)"),
        ("onenorm(l. z(l) - x(l), d) <= delta & ", ""),
        ("(all l in 1..d. abs(z(l) - x(l)) <= delta) & ", ""),
    ],
)
def prop74(v: Any) -> bool | None:
    """For the sum of the entries and for the greatest one, each where its hypotheses hold."""
    x, z, y, u, delta, eps = v["is"]
    found = [
        size(minus(plus(u, z), plus(y, x))) <= eps + delta
        for size in (norm, lambda w: max(map(abs, w)))
        if size(minus(z, x)) <= delta and size(minus(u, y)) <= eps
    ]
    return all(found) if found else None


def norm_layer(x: Vector, eps: Any, gain: Vector, shift: Vector) -> tuple[Vector, Any, Any]:
    mean = sum(x) / len(x)
    root = CONTEXT.sqrt(real(sum((e - mean) ** 2 for e in x) / len(x) + eps))
    return [real(e - mean) / root * real(g) + real(s) for e, g, s in zip(x, gain, shift, strict=True)], mean, root


def normed_instances() -> Iterator[dict[str, Any]]:
    made = [
        ([F(0), F(0)], [F(1, 2), F(-1, 2)], F(1, 100), [F(1), F(2)], [F(0), F(1)]),
        ([F(3)], [F(4)], F(1), [F(1)], [F(0)]),
    ]
    made += [
        (x, plus(x, [F(1, 9)] * len(x)), F(1, 4), numbers(len(x)), numbers(len(x))) for x in (numbers(2), numbers(3))
    ]
    made += [([F(1), F(2), F(4)], [F(1), F(2), F(5)], F(1, 1000), [F(1)] * 3, [F(0)] * 3)]
    for x, z, eps, gain, shift in made:
        d = len(x)
        K = 2 * d * (d + 1) * real(max(map(abs, gain))) / CONTEXT.sqrt(real(eps))
        y, mu, r = norm_layer(x, eps, gain, shift)
        u, nu, s = norm_layer(z, eps, gain, shift)
        yield {
            "d": F(d),
            "eps": eps,
            "gamma()": column_any(gain),
            "beta()": column_any(shift),
            "X": norm(x),
            "K": [K],
            "x()": column(x),
            "z()": column(z),
            "y()": column_any(y),
            "mu": mu,
            "r": r,
            "u()": column_any(u),
            "nu": nu,
            "s": s,
            "delta": [norm(minus(z, x))],
            "is": (x, z, eps, gain, shift, K),
        }


def column_any(entries: Vector) -> dict[int, Any]:
    return dict(enumerate(entries, 1))


@adequate(
    "s7.2.prop7.5",
    at=normed_instances(),
    misses=[
        ("<= K*delta", "<= delta"),
        ("<= K*delta", "<= K*delta/1000"),
        ("<= K*delta", "<= 0"),
        ("<= K*delta", "<= delta^2"),
    ],
)
def prop75(v: Any) -> bool | None:
    x, z, eps, gain, shift, K = v["is"]
    moved = minus(norm_layer(z, eps, gain, shift)[0], norm_layer(x, eps, gain, shift)[0])
    return at_most(norm(moved), K * real(norm(minus(z, x))))


def stacked_instances() -> Iterator[dict[str, Any]]:
    """d = 1 or 2, two symbols (two more, far away, are no symbols), sublayers with norms before or after them."""
    for d, kinds, before, after, eps in [
        (1, [], [], [], F(0)),
        (1, [0], [0], [0], F(0)),
        (2, [0, 1], [0, 0], [0, 0], F(0)),
        (2, [0, 1], [1, 0], [0, 1], F(1, 4)),
        (2, [1, 0], [0, 1], [1, 1], F(0)),
        (1, [0, 1], [1, 1], [0, 0], F(0)),  # zero variance at d = 1
    ]:
        M = len(kinds)
        V, W, U = ([rows(d, d) for _ in range(M)] for _ in range(3))
        b, c, gain, shift, gain2, shift2 = ([numbers(d) for _ in range(M)] for _ in range(6))
        we = {(e, a): F(10) ** 12 if e in (0, 3) else number() for e in range(4) for a in range(1, d + 1)}
        P = F(2)

        def put(norm_: tuple[int, Any, Vector, Vector], x: Vector) -> Vector:
            return normed(x, *norm_[1:]) if norm_[0] else x

        def whole(
            env: Any,
            part: str,
            given: Any = (d, kinds, before, after, eps, V, W, U, b, c, gain, shift, gain2, shift2, we, put),
        ) -> Any:
            d, kinds, before, after, eps, V, W, U, b, c, gain, shift, gain2, shift2, we, put = given
            n = int(env["n"])
            stream = [[we[int(env["x"][i]), a] + env["pe"](i, a) for a in range(1, d + 1)] for i in range(1, n + 1)]
            found = {"z": {(0, *at): e for at, e in columns(stream).items()}, "u": {}, "y": {}}
            for t, kind in enumerate(kinds, 1):
                seen = [put((before[t - 1], eps, gain[t - 1], shift[t - 1]), x) for x in stream]
                added = []
                for i in range(n):
                    if kind == 0:
                        images = [image(V[t - 1], x) for x in seen[: i + 1]]
                        added.append([CONTEXT.fsum(map(real, e)) / (i + 1) for e in zip(*images, strict=True)])
                    else:
                        added.append(network(W[t - 1], b[t - 1], U[t - 1], c[t - 1], seen[i]))
                inside = [plus(x, e) for x, e in zip(stream, added, strict=True)]
                stream = [put((after[t - 1], eps, gain2[t - 1], shift2[t - 1]), x) for x in inside]
                for name, sequence in (("z", stream), ("u", seen), ("y", inside)):
                    found[name] |= {(t, *at): e for at, e in columns(sequence).items()}
            return found[part]

        bound = most([we[e, a] for e in (1, 2) for a in range(1, d + 1)]) * d + P
        for t in range(M):
            inside = bound + (d * norm(gain[t]) + norm(shift[t])) * before[t]
            entries = norm([e for part in (V[t], W[t], U[t]) for row in part for e in row]) + norm(b[t]) + norm(c[t])
            bound += entries * inside * d if kinds[t] == 0 else entries * (entries * inside + entries) + entries
            bound += (d * norm(gain2[t]) + norm(shift2[t])) * after[t]
        flat = {
            name: {(t, a): e for t, v in enumerate(part, 1) for a, e in enumerate(v, 1)}
            for name, part in (
                ("gain()", gain),
                ("shift()", shift),
                ("gain2()", gain2),
                ("shift2()", shift2),
                ("b()", b),
                ("c()", c),
            )
        }
        cubes = {
            name: {(t, *at): e for t, m in enumerate(part, 1) for at, e in table(m).items()}
            for name, part in (("V()", V), ("W()", W), ("U()", U))
        }
        yield {
            "M": F(M),
            "d": F(d),
            "m": F(d),
            "k": F(2),
            "kind()": column(kinds),
            "pre()": column(before),
            "post()": column(after),
            "eps()": column([eps] * M),
            **flat,
            **cubes,
            "we()": we,
            "P": P,
            "X": [bound],
            "n": [F(1), F(3)],
            "x()": [column(w) for w in ((1, 2, 1), (2, 2, 2), (0, 1, 1), (1, 3, 1))],
            "pe()": [lambda i, a, d=d: F(2) / d, lambda i, a, d=d: F(1, int(i)) / d, lambda i, a: F(10) ** 12],
            "A()": [lambda t, i, j: F(1) / i if j <= i else F(0)],
            **{f"{name}()": lambda env, w=whole, name=name: [w(env, name)] for name in "zuy"},
            "mu": lambda env: [norm_mean(env)],
            "r": lambda env: [norm_root(env)],
            "is": (whole, d, bound, P),
        }
    yield {**last_stacked(), "eps()": column([F(-1)]), "is": None}


def last_stacked() -> dict[str, Any]:
    """One attention sublayer whose eps is negative."""
    zero = [lambda *_: F(0)]
    names = (
        "gain()",
        "shift()",
        "gain2()",
        "shift2()",
        "b()",
        "c()",
        "V()",
        "W()",
        "U()",
        "we()",
        "pe()",
        "A()",
        "z()",
        "u()",
        "y()",
    )
    return {
        "M": F(1),
        "d": F(1),
        "m": F(1),
        "k": F(2),
        "kind()": column([0]),
        "pre()": column([0]),
        "post()": column([0]),
        **dict.fromkeys(names, zero),
        "P": F(2),
        "X": [F(5)],
        "n": [F(1)],
        "x()": column([1]),
    }


def normed_entries(env: Any) -> tuple[Vector, Any]:
    """The vector that a layer norm of the run reads, from the names bound so far: before or after the sublayer."""
    x = env["x"] if callable(env.get("x")) else None
    assert x is not None
    d = int(env["d"])
    return [x(F(a)) for a in range(1, d + 1)], env["eps"]


def norm_mean(env: Any) -> Any:
    entries, _ = normed_entries(env)
    return CONTEXT.fsum(map(real, entries)) / len(entries)


def norm_root(env: Any) -> Any:
    entries, eps = normed_entries(env)
    mean = norm_mean(env)
    return CONTEXT.sqrt(CONTEXT.fsum((real(e) - mean) ** 2 for e in entries) / len(entries) + real(eps))


@adequate(
    "s7.2.prop7.1",
    at=stacked_instances(),
    misses=[
        ("<= X", "<= X/1000000"),
        ("<= X", "< 0"),
        ("& onenorm(a. pe(i, a), d) <= P", ""),
        ("1 <= x(i) & x(i) <= k", "0 <= x(i) & x(i) <= k"),
        ("1 <= x(i) & x(i) <= k", "1 <= x(i) & x(i) <= k + 1"),
        ("onenorm(a. pe(i, a), d) <= P", "onenorm(a. pe(i, a), d) <= P^60"),
    ],
)
def prop71(v: Any) -> bool | None:
    if v["is"] is None:
        return None
    whole, d, bound, _ = v["is"]
    for n in (1, 3):
        for word in ((1, 2, 1), (2, 2, 2)):
            for pe in v["pe()"][:2]:
                stream = whole({"n": n, "x": column(word), "pe": pe}, "z")
                for t, i in {(t, i) for t, _, i in stream}:
                    if not at_most(norm([stream[t, a, i] for a in range(1, d + 1)]), bound):
                        return False
    return True


def bounded_instances() -> Iterator[dict[str, Any]]:
    """d = 1 or 2; a uniform head over the positions so far; then a function of the vector and of what the head puts out
    (a sum, GELU of it, or one a thousand times as steep as its L says), and a layer norm or none."""
    gelu = lambda e: real(e) / 2 * (1 + CONTEXT.erf(real(e) / CONTEXT.sqrt(2)))  # noqa: E731
    functions: dict[str, tuple[Callable[[Vector], Vector], F]] = {
        "sum": (lambda v: v, F(1)),
        "gelu": (lambda v: [gelu(e) + 3 for e in v], F(2)),
        "steep": (lambda v: [1000 * e for e in v], F(1)),
    }
    for d, layers, eps in [
        (1, [], F(0)),
        (1, [("sum", 0)], F(0)),
        (2, [("gelu", 0), ("sum", 1)], F(0)),
        (2, [("sum", 1), ("gelu", 0)], F(1, 4)),
        (1, [("gelu", 1)], F(0)),  # zero variance at d = 1
        (1, [("steep", 0)], F(0)),
        (2, [("steep", 1)], F(0)),
    ]:
        M, size = len(layers), 3 * d
        V = [full(d, d, F(1, 2)) for _ in layers]
        gain, shift = ([[F(a + r) for a in range(d)] for _ in layers] for r in (1, -1))
        we = {(e, a): F(10) ** 12 if e in (0, 3) else F(e * a, 3) for e in range(4) for a in range(1, d + 1)}

        def whole(
            env: Any, part: str, given: Any = (d, layers, eps, V, gain, shift, we, functions)
        ) -> dict[tuple[int, int, int], Any]:
            d, layers, eps, V, gain, shift, we, functions = given
            n = int(env["n"])
            stream = [[we[int(env["x"][i]), a] + env["pe"](i, a) for a in range(1, d + 1)] for i in range(1, n + 1)]
            found = {"z": {(0, *at): e for at, e in columns(stream).items()}, "h": {}, "y": {}}
            for t, (name, on) in enumerate(layers):
                images = [image(V[t], x) for x in stream]
                heads = [[sum(e) / (i + 1) for e in zip(*images[: i + 1], strict=True)] for i in range(n)]
                inside = [functions[name][0](plus(x, h)) for x, h in zip(stream, heads, strict=True)]
                stream = [normed(x, eps, gain[t], shift[t]) if on else x for x in inside]
                for word, sequence in (("z", stream), ("h", heads), ("y", inside)):
                    found[word] |= {(t + 1, *at): e for at, e in columns(sequence).items()}
            return found[part]

        bound = most([we[e, a] for e in (1, 2) for a in range(1, d + 1)]) * d + 2
        for t, (name, on) in enumerate(layers):
            bound = size + functions[name][1] * (bound + d * bound)
            bound += (d * norm(gain[t]) + norm(shift[t])) * on
        yield {
            "M": F(M),
            "d": F(d),
            "k": F(2),
            "V()": {(t, *at): e for t, m in enumerate(V, 1) for at, e in table(m).items()},
            "L()": column([functions[name][1] for name, _ in layers]),
            "C()": column([size] * M),
            "post()": column([on for _, on in layers]),
            "eps()": column([eps] * M),
            "gain()": {(t, a): e for t, v in enumerate(gain, 1) for a, e in enumerate(v, 1)},
            "shift()": {(t, a): e for t, v in enumerate(shift, 1) for a, e in enumerate(v, 1)},
            "we()": we,
            "P": F(2),
            "X": [bound],
            "n": [F(1), F(3)],
            "x()": [column(w) for w in ((1, 2, 1), (2, 2, 2), (0, 1, 1), (1, 3, 1))],
            "pe()": [lambda i, a, d=d: F(2) / d, lambda i, a, d=d: F(1, int(i)) / d, lambda i, a: F(10) ** 12],
            "A()": [lambda t, i, j: F(1) / i if j <= i else F(0)],
            **{f"{name}()": lambda env, w=whole, name=name: [w(env, name)] for name in "zhy"},
            "mu": lambda env: [norm_mean(env)],
            "r": lambda env: [norm_root(env)],
            "is": (whole, d, bound, {name for name, on in layers if not on}),
        }


@adequate(
    "s3.3.bounded_values",
    at=bounded_instances(),
    misses=[
        ("<= X", "<= X/1000000"),
        ("<= X", "< 0"),
        ("& onenorm(a. pe(i, a), d) <= P", ""),
        ("1 <= x(i) & x(i) <= k", "0 <= x(i) & x(i) <= k"),
        ("1 <= x(i) & x(i) <= k", "1 <= x(i) & x(i) <= k + 1"),
        ("C(t) + L(t)*(onenorm", "C(t) + 1000*L(t)*(onenorm"),
    ],
)
def bounded_values(v: Any) -> bool | None:
    """Of a function that is too steep nothing is said; behind a layer norm it is bounded all the same."""
    whole, d, bound, plain = v["is"]
    words = [column(word) for word in ((1, 2, 1), (2, 2, 2))]
    for n, x, pe in itertools.product((1, 3), words, v["pe()"][:2]):
        stream = whole({"n": n, "x": x, "pe": pe}, "z")
        for t, i in {(t, i) for t, _, i in stream}:
            if "steep" not in plain and not at_most(norm([stream[t, a, i] for a in range(1, d + 1)]), bound):
                return False
    return True


def normed(x: Vector, eps: F, gain: Vector, shift: Vector) -> Vector:
    """Layer norm; its bias where variance and epsilon are 0."""
    mean = CONTEXT.fsum(map(real, x)) / len(x)
    variance = CONTEXT.fsum((real(e) - mean) ** 2 for e in x) / len(x)
    if variance + real(eps) == 0:
        return shift
    root = CONTEXT.sqrt(variance + real(eps))
    return [(real(e) - mean) / root * real(p) + real(q) for e, p, q in zip(x, gain, shift, strict=True)]


def greatest_column(m: Rows) -> F:
    """By how much a matrix stretches the sum of the sizes of entries, at most."""
    return max(sum((abs(e) for e in part), F(0)) for part in zip(*m, strict=True))


def changed_instances() -> Iterator[dict[str, Any]]:
    """Two symbols; the words agree but at p, one pair also elsewhere. Layers by kind: attention with softmax (0), ReLU
    networks (1), GELU (2), or a jump between what attention leaves of the two words (3); each with its residual.

    L and C are a Lipschitz constant of what a position does, and its size at zero; a jump has neither that L nor any.
    """
    for d, kinds, B, lengths in [
        (1, [], F(2), [F(3)]),
        (1, [], F(2), [F(1)]),
        (1, [0], F(2), [F(4), F(5)]),
        (2, [0, 1], F(10) ** 6, [F(2), F(4)]),
        (2, [1, 0], F(10) ** 6, [F(3)]),
        (1, [0, 0], F(10) ** 4, [F(4)]),
        (1, [0, 2], F(10) ** 4, [F(4)]),
        (1, [0, 3], F(10), [F(4)]),
    ]:
        M, first, plain = len(kinds), not kinds, set(kinds) <= {0, 1}
        Q, K, V, W, U = ([full(d, d, 1) if d == 1 else rows(d, d) for _ in range(M)] for _ in range(5))
        b, c = ([numbers(d) if plain else [F(0)] * d for _ in range(M)] for _ in range(2))
        we = {(e, a): F(e if a == 1 else number()) / (1 if first else 2) for e in (1, 2) for a in range(1, d + 1)}
        middle = [F(0)]
        L = [
            {0: F(1), 1: 1 + greatest_column(U[t]) * greatest_column(W[t]), 2: F(3), 3: F(1)}[k]
            for t, k in enumerate(kinds)
        ]
        C = [norm(network(W[t], b[t], U[t], c[t], [F(0)] * d)) + (100 if k == 3 else 0) for t, k in enumerate(kinds)]

        def heads(x: Rows, t: int, seen: Any, given: Any = (Q, K, V)) -> Rows:
            """What the head of layer t puts out at each position, also where nothing uses it."""
            Q, K, V = given
            images, out = [image(V[t], e) for e in x], []
            for i in range(len(x)):
                window = len(x) if seen is None else int(seen(F(t + 1), F(i + 1)))
                weights = softmax([score(Q[t], K[t], x[i], x[j]) for j in range(window)])
                parts = zip(*images[:window], strict=True)
                out.append([CONTEXT.fsum(w * real(e) for w, e in zip(weights, p, strict=True)) for p in parts])
            return out

        def whole(
            n: int, word: Any, seen: Any = None, given: Any = (d, kinds, W, U, b, c, we, middle, heads)
        ) -> list[Rows]:
            d, kinds, W, U, b, c, we, middle, heads = given
            streams = [[[we[int(word[i]), a] + F(1, i) for a in range(1, d + 1)] for i in range(1, n + 1)]]
            for t, kind in enumerate(kinds):
                x = streams[-1]
                if kind == 0:
                    added = heads(x, t, seen)
                elif kind == 1:
                    added = [network(W[t], b[t], U[t], c[t], e) for e in x]
                elif kind == 2:
                    added = [[real(e) / 2 * (1 + CONTEXT.erf(real(e) / CONTEXT.sqrt(2))) for e in v] for v in x]
                else:
                    added = [[F(100 if real(e) > real(middle[0]) else 0) for e in v] for v in x]
                streams.append([plus(e, f) for e, f in zip(x, added, strict=True)])
            return streams

        def stream(env: Any, word: str, whole: Any = whole) -> dict[Any, Any]:
            found = whole(int(env["n"]), env[word], env.get("w"))
            return {(t, *at): e for t, x in enumerate(found) for at, e in columns(x).items()}

        def put_out(env: Any, word: str, whole: Any = whole, heads: Any = heads) -> dict[Any, Any]:
            found = enumerate(whole(int(env["n"]), env[word])[:-1])
            return {(t + 1, *at): e for t, x in found for at, e in columns(heads(x, t, None)).items()}

        words = [(1, 1, 2, 1, 2), (2, 1, 2, 1, 2), (2, 2, 2, 1, 2)]
        if 3 in kinds:
            one, two = (whole(4, column(word))[1][1][0] for word in words[:2])
            middle[0] = (one + two) / 2
        yield {
            "M": F(M),
            "d": F(d),
            "q": F(d),
            "m": F(d),
            "k": F(2),
            "kind()": column(kinds),
            **{
                f"{name}()": {(t, *at): e for t, m in enumerate(part, 1) for at, e in table(m).items()}
                for name, part in zip("QKVWU", (Q, K, V, W, U), strict=True)
            },
            **{
                f"{name}()": {(t, a): e for t, v in enumerate(part, 1) for a, e in enumerate(v, 1)}
                for name, part in (("b", b), ("c", c))
            },
            "we()": we,
            "L()": column_any(L),
            "C()": column_any(C),
            "P": F(d),
            "B": [B],
            "n": lengths,
            "x()": [column(words[0])],
            "y()": [column(w) for w in words[1:]],
            "p": [F(1)],
            "w()": lambda env: [lambda t, i, n=env["n"]: n, lambda t, i: i],
            "pe()": [lambda i, a: F(1) / i],
            "z()": lambda env, s=stream: [s(env, "x")],
            "u()": lambda env, s=stream: [s(env, "y")],
            "h()": lambda env, s=put_out: [s(env, "x")],
            "g()": lambda env, s=put_out: [s(env, "y")],
            "is": (whole, lengths, words, B, {*kinds}),
        }


CHANGED = tuple(changed_instances())


def changes(v: Any, windows: Iterable[Any]) -> bool:
    """At the positions but the changed one, whose symbol the residual connection keeps."""
    whole, lengths, words, B, _ = v["is"]
    for n, seen in itertools.product(map(int, lengths), windows):
        one, two = (whole(n, column(w), seen)[-1] for w in words[:2])
        for i, (x, z) in enumerate(zip(one, two, strict=True), 1):
            if i != 1 and not at_most(n * norm(minus(x, z)), B):
                return False
    return True


def future(t: Any, i: Any) -> Any:
    return i


@adequate("s6.4.hahn_sensitivity", at=CHANGED, false=True)
def changes_masked_or_not(v: Any) -> bool | None:
    """The printed sentence is refuted of ReLU networks already; of other functions its statement says nothing."""
    return changes(v, (None, future)) if v["is"][-1] <= {0, 1} else True


@adequate(
    "s6.4.hahn_sensitivity.corrected",
    at=CHANGED,
    misses=[
        ("i != p -> onenorm", "onenorm"),
        ("i != p -> onenorm", "i = p -> onenorm"),
        ("<= B/n", "<= B/n/10000000"),
        ("<= B/n", "< 0"),
        ("& (all i in 1..n. i != p -> x(i) = y(i))", ""),
        ("& steadylayers(M, L, d, n, z, h, u, g)", ""),
    ],
)
def changes_elsewhere(v: Any) -> bool | None:
    """Of a function that jumps nothing is said."""
    return 3 in v["is"][-1] or changes(v, (None,))
