"""Adequacy of what yang2026 says between its numbered statements, Sections 1 to 4, from the paper's words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from proof.adequacy import ODD, adequate, column
from proof.claims_softmax import (
    ahardmax,
    distance,
    e,
    has_gap,
    listed,
    lookup_met,
    lookup_scores,
    lookups,
    maxima,
    retrieved,
    rhardmax,
    ziggurat_met,
    ziggurats,
)
from proof.paper import at_most, same, softmax
from proof.statement_truth import CONTEXT, real
from shared import relu

F = Fraction
BITS = {n: list(itertools.product((0, 1), repeat=n)) for n in range(5)}
SCORES = [s for n in (1, 2, 3) for s in itertools.product((0, 1, F(5, 2)), repeat=n)]


def near(right: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], list[Any]]:
    """What an equation gives of the names before it, and a value beside that."""
    return lambda env: [right(env), right(env) + real(ODD)]


# --- Sections 1 to 3 --------------------------------------------------------------------------------------------------


SEEN = [{"n": F(len(s)), "s()": column(s)} for s in [(), *SCORES, (0, 0, 0, 9)]]


@adequate("yang2026.s1.soft_weights", at=SEEN, false=True)
def soft_weights_printed(v: Any) -> bool | None:
    """With a future mask, which position 1 of several has the weight 1 under."""
    s = listed(v, "s")
    if not s:
        return None
    rows = [softmax(s[:i]) for i in range(1, len(s) + 1)]
    return len(s) == 1 or all(w < 1 for row in rows for w in row)


@adequate(
    "yang2026.s1.soft_weights.corrected",
    at=SEEN,
    misses=[("2 <= n ->", "1 <= n ->"), ("n = 1 ->", "1 <= n ->"), ("0 < sm", "1/2 < sm"), ("< 1)", "< 9/10)")],
)
def soft_weights(v: Any) -> bool | None:
    s = listed(v, "s")
    if not s:
        return None
    weights = softmax(s)
    return all(w > 0 for w in weights) and (weights == [1] if len(s) == 1 else all(w < 1 for w in weights))


def changed_symbol() -> Iterator[dict[str, Any]]:
    for n, p in itertools.product((0, 1, 2, 3, 7), (0, 1, 2, 7)):
        zeros, one = [0] * 7, [int(j == p) for j in range(1, 8)]
        for x, y in ((zeros, one), (one, zeros)):
            yield {"n": F(n), "p": F(p), "x()": column(x), "y()": column(y)}


@adequate(
    "yang2026.s1.ahat_sensitivity",
    at=changed_symbol(),
    misses=[
        ("*y(j)) = 1", "*y(j)) = 1/n"),
        ("hardmax(l. y(l), n, j)", "sm(l. y(l), n, j)"),
        ("*x(j)) = 0", "*x(j)) = 1"),
        ("hardmax(l. y(l), n, j)", "hardmax(l. 0, n, j)"),
    ],
)
def ahat_sensitivity(v: Any) -> bool | None:
    n, p, x, y = int(v["n"]), int(v["p"]), listed(v, "x"), listed(v, "y")
    if not 1 <= p <= n or any(x) or y != [int(j == p) for j in range(1, n + 1)]:
        return None
    return all(sum(a * b for a, b in zip(ahardmax(z), z, strict=True)) == found for z, found in ((x, 0), (y, 1)))


def embeddings() -> Iterator[dict[str, Any]]:
    for yes, no in (([1], [0]), ([1, 2], [3, -1]), ([F(1, 2), 0], [F(1, 2), 0]), ([0, 5], [1, 5]), ([], [])):
        gap = sum((abs(F(a) - b) for a, b in zip(yes, no, strict=True)), F(0))
        outputs = [{(n, a): F(x) for n in (1, 2) for a, x in enumerate(out, 1)} for out in (yes, no)]
        yield {
            "d": F(len(yes)),
            "yes()": column(yes),
            "no()": column(no),
            "g": [gap, gap / 3],
            "n": [F(1), F(2)],
            "y()": outputs[0],
            "z()": outputs[::-1],
        }


@adequate(
    "yang2026.s2.2.gap",
    at=embeddings(),
    misses=[("(ex a in 1..d. yes(a) != no(a))", "0 < 1"), ("0 < g", "9 < g"), ("= g", "= 3/2*g")],
)
def output_gap(v: Any) -> bool | None:
    yes, no = (listed(v, name, "d") for name in ("yes", "no"))
    return None if yes == no else sum(abs(a - b) for a, b in zip(yes, no, strict=True)) > 0


GAPS = [
    {"n": F(len(s)), "s()": column(s), "gamma": g}
    for s, g in itertools.product([(), *SCORES], (F(1), F(5, 2), F(3), F(-1)))
]


@adequate("yang2026.s3.stronger", at=GAPS, false=True)
def stronger_printed(v: Any) -> bool | None:
    s = listed(v, "s")
    return None if not s or not has_gap(s, v["gamma"]) else len(s) > 1


@adequate(
    "yang2026.s3.stronger.corrected",
    at=GAPS,
    misses=[
        ("<= 2*n*exp(-gamma) & (", "<= exp(-gamma)/9 & ("),
        ("3 <= n ->", "2 <= n ->"),
        ("4*exp(-gamma) <", "6*exp(-gamma) <"),
        ("n = 2 ->", "n = 3 ->"),
        ("3/2*exp(-gamma) <", "2*exp(-gamma) <"),
    ],
)
def stronger(v: Any) -> bool | None:
    s = listed(v, "s")
    if not s or not has_gap(s, v["gamma"]):
        return None
    n, power = len(s), e(-real(v["gamma"]))
    known = 2 * n * power
    below = n == 1 or (same(4 * power, known) if n == 2 else bool(4 * power < known))
    return at_most(distance(ahardmax(s), softmax(s)), known) and below and bool(real(F(3, 2)) * power < known * n)


def hills() -> Iterator[dict[str, Any]]:
    rows = [(0,), (0, 1), (2, 0), (0, 1, 0), (-2, 0, -1), (0, -9, -2), (0, 0, 0), (-1, 0, -2, -3), (0, 1, 2, 1), ()]
    for s, p, gamma in itertools.product(rows, (1, 2, 3), (F(1), F(1, 2), F(0))):
        yield {"n": F(len(s)), "s()": column(s), "p": F(p), "gamma": gamma}


@adequate(
    "yang2026.s3.1.ziggurat",
    at=hills(),
    misses=[
        ("scoregap(s, n, gamma))", "scoregap(s, n, 2*gamma))"),
        ("s(j + 1) <= s(j) - gamma)", "s(j + 1) <= s(j))"),
        ("(all j in 1..p - 1. s(j) <= s(j + 1) - gamma)", "1 <= p"),
        ("-> tieless", "-> (all j in 1..n - 1. s(j) <= s(j + 1)) & tieless"),
    ],
)
def ziggurat(v: Any) -> bool | None:
    s, p, gamma = listed(v, "s"), int(v["p"]), v["gamma"]
    if not 1 <= p <= len(s) or gamma <= 0:
        return None
    steps = all(s[j] <= s[j + 1] - gamma for j in range(p - 1)) and all(
        s[j + 1] <= s[j] - gamma for j in range(p - 1, len(s) - 1)
    )
    condition = all(x <= s[p - 1] - abs(j - p) * gamma for j, x in enumerate(s, 1))
    if not steps and not condition:
        return None
    return (condition or not steps) and (not condition or (maxima(s) == [p - 1] and has_gap(s, gamma)))


def chain() -> Iterator[dict[str, Any]]:
    for v in ziggurats(True):
        if v["n"] < 7 and v["gamma"] in (F(1, 2), F(5), F(0), F(-3)):
            c = near(lambda env: 2 * e(-real(env["gamma"])) / (1 - e(-real(env["gamma"]))) if env["gamma"] else F(1))
            yield v | {"a": F(3), "c": c}


@adequate(
    "yang2026.lemma6.values",
    at=chain(),
    misses=[
        ("= 2*(1 - 1/(1 + c))", "= 1 - 1/(1 + c)"),
        ("<= 4*exp(-gamma)*V", "<= exp(-gamma)/2*V"),
        ("abs(v(j)) <= V)", "v(j) <= V)"),
    ],
)
def lemma6_values(v: Any) -> bool | None:
    values = listed(v, "v")
    if v["gamma"] <= 0 or not ziggurat_met(v) or any(abs(x) > v["V"] for x in values):
        return None
    s, x = listed(v, "s"), e(-real(v["gamma"]))
    c = 2 * x / (1 - x)
    hard, soft = ahardmax(s), softmax(s)
    far = distance(hard, soft) * real(v["V"])
    return (
        same(2 * (1 - 3 / (3 + c * 3)), 2 * (1 - 1 / (1 + c)))
        and at_most(abs(retrieved(hard, values) - retrieved(soft, values)), far)
        and at_most(far, 4 * x * real(v["V"]))
    )


def tables() -> Iterator[dict[str, Any]]:
    for v in lookups():
        for values, V in (([5, -5, 5, 5, 5, -5] * 2, 5), ([-9, 1, 1, 1, 1, 1] * 2, 1)):
            for gamma in (v["gamma"], F(0)):
                yield v | {"v()": column(values), "V": F(V), "gamma": gamma}


@adequate(
    "yang2026.s3.2.lookup",
    at=tables(),
    misses=[("= v(t)", "= v(1)"), ("0 < gamma", "0 <= gamma"), ("I[j = t])", "I[j <= t])"), ("= v(t)", "= v(n)")],
)
def table_lookup(v: Any) -> bool | None:
    if not lookup_met(v) or v["gamma"] <= 0:
        return None
    return maxima(lookup_scores(v)) == [v["t"] - 1]


@adequate(
    "yang2026.s3.2.bounded",
    at=tables(),
    misses=[
        ("- abs(j - t)*gamma)", "- 2*abs(j - t)*gamma)"),
        ("4*exp(-gamma)*V", "4*exp(-9*gamma)*V"),
        ("abs(v(j)) <= V", "v(j) <= V"),
        ("4*exp(-gamma)*V", "4*exp(-gamma)"),
    ],
)
def bounded_lookup(v: Any) -> bool | None:
    values = listed(v, "v")
    if not lookup_met(v) or v["gamma"] <= 0 or any(abs(x) > v["V"] for x in values):
        return None
    s, t = lookup_scores(v), int(v["t"])
    falls = all(x <= s[t - 1] - abs(j - t) * v["gamma"] for j, x in enumerate(s, 1))
    error = abs(retrieved(softmax(s), values) - real(values[t - 1]))
    return falls and at_most(error, 4 * e(-real(v["gamma"])) * real(v["V"]))


def normalised() -> Iterator[dict[str, Any]]:
    for v in lookups():
        yield v | {
            "Z": near(
                lambda env: sum(e(-real(env["gamma"] * (k - env["t"]) ** 2)) for k in range(1, int(env["n"]) + 1))
            )
        }


TAIL = "sum(j, t + 1, n, exp(-gamma*(j - t)^2)*(j - t))"


@adequate(
    "yang2026.lemma7.reindex",
    at=normalised(),
    misses=[
        ("*j) = t", "*j) = n"),
        (f"1/Z*{TAIL} <= {TAIL}", f"Z*{TAIL} <= {TAIL}"),
        ("sum(k, 1, n - t, ", "sum(k, 1, n - t - 1, "),
        ("n, j)*(t - j)))", "n, j)*(t + 1 - j)))"),
        (f"n, j)*(j - t)) = 1/Z*{TAIL}", f"n, j)*(j - t)) = {TAIL}"),
    ],
)
def reindexed(v: Any) -> bool | None:
    if not lookup_met(v) or v["gamma"] < 1:
        return None
    s, t, n = lookup_scores(v), int(v["t"]), int(v["n"])
    weights = list(enumerate(softmax(s), 1))
    terms = [e(-real(v["gamma"] * k * k)) * k for k in range(1, n - t + 1)]
    Z = sum(e(-real(v["gamma"] * (k - t) ** 2)) for k in range(1, n + 1))
    right = sum((a * (j - t) for j, a in weights if j > t), real(F(0)))
    mean = sum(a * j for j, a in weights)
    return (
        maxima(s) == [t - 1]
        and same(abs(t - mean), abs(sum(a * (t - j) for j, a in weights)))
        and same(right, sum(terms, real(F(0))) / Z)
        and at_most(right, sum(terms, real(F(0))))
    )


@adequate(
    "yang2026.lemma7.tail",
    at=[
        {"gamma": g, "x": [F(-1, 2), F(0), F(3)], "m": [F(m) for m in range(5)]}
        for g in (F(1), F(3, 2), F(9), F(1, 2), F(1, 9))
    ],
    misses=[
        ("0 <= x ->", "-1 <= x ->"),
        ("<= 1/2*exp(-gamma)", "<= 1/3*exp(-gamma)"),
        ("sum(k, 2, m, exp(-gamma*k^2)*k) <=", "sum(k, 1, m, exp(-gamma*k^2)*k) <="),
        ("1 <= m ->", "0 <= m ->"),
    ],
)
def series_tail(v: Any) -> bool | None:
    g = real(v["gamma"])
    if g < 1:
        return None
    rest = sum(e(-g * k * k) * k for k in range(2, 5))
    return at_most(rest, e(-g) / (2 * g)) and at_most(e(-g) / (2 * g), e(-g) / 2)


@adequate(
    "yang2026.lemma7.integral",
    at=[
        {
            "gamma": g,
            "x": [F(1, 3), F(1), F(3, 2)],
            "y": [F(1, 2), F(1), F(5, 4), F(3, 2), F(4), F(60)],
            "m": [F(m) for m in range(5)],
            "eps": [F(1, 50), F(3)],
            "X": [F(1), F(51)],
        }
        for g in (F(1), F(3, 2), F(9), F(1, 9), F(-1))
    ],
    misses=[
        ("<= exp(-gamma*x^2)*x*(y - x)", "<= exp(-gamma*y^2)*y*(y - x)"),
        ("1 <= x & x <= y", "1/3 <= x & x <= y"),
        ("sum(k, 2, m, exp", "sum(k, 1, m, exp"),
        ("exp(-gamma*y^2)/(2*gamma) <= eps", "exp(-gamma*y^2)/(2*gamma) <= eps - 3"),
        ("1 <= gamma", "1/9 <= gamma"),
    ],
)
def tail_integral(v: Any) -> bool | None:
    g = real(v["gamma"])
    if g < 1:
        return None

    def f(x: Any) -> Any:
        return e(-g * real(x) ** 2) * real(x)

    for x, y in itertools.combinations((F(1), F(5, 4), F(3, 2), F(4)), 2):
        area = CONTEXT.quad(f, [real(x), real((x + y) / 2), real(y)])
        if abs(area - (e(-g * real(x) ** 2) - e(-g * real(y) ** 2)) / (2 * g)) > 1e-15:
            return False
        if not (at_most(f(y) * real(y - x), area) and at_most(area, f(x) * real(y - x))):
            return False
    whole = CONTEXT.quad(f, [1, 2, 4, CONTEXT.inf])
    return abs(whole - e(-g) / (2 * g)) < 1e-15 and at_most(sum(f(k) for k in range(2, 5)), whole)


def margins() -> Iterator[dict[str, Any]]:
    rows = [(0,), (0, 0), (0, 1), (1, 0), (0, 0, 0), (1, 0, 1), (0, 1, 1), (F(5, 2), 0, 1), (1, F(1, 2)), (2, 2, 0)]
    for s in rows:
        for p, j, gamma, delta in itertools.product(
            range(1, len(s) + 1), range(1, len(s) + 1), (F(1), F(1, 3), F(0)), (F(1), F(1, 2))
        ):
            yield {"n": F(len(s)), "s()": column(s), "delta": delta, "gamma": gamma, "p": F(p), "j": F(j)}


@adequate(
    "yang2026.lemma8.steps",
    at=margins(),
    misses=[
        ("1 <= delta", "1/2 <= delta"),
        ("s(p) + p/(2*n)) - 2*gamma*n*(s(j) + j/(2*n)) = ", "s(p) + p/n) - 2*gamma*n*(s(j) + j/n) = "),
        ("gamma*n^2*(1 - 1/1 + 1/n) = gamma*n", "gamma*n^2*(1 - 1/1 + 1/n) = gamma*n^2"),
        ("gamma*abs(p - j) <= gamma*n^2*((p - j)/(p*j))", "2*gamma*abs(p - j) <= gamma*n^2*((p - j)/(p*j))"),
        ("- n/(2*n)) = gamma*(1 + n)", "- n/(2*n)) = gamma*n"),
        ("-> gamma*(1 + n) <=", "-> gamma*(2 + n) <="),
        ("-> p <= j &", "-> p < j &"),
    ],
)
def margin_steps(v: Any) -> bool | None:
    s, gamma, n, p, j = listed(v, "s"), v["gamma"], int(v["n"]), int(v["p"]), int(v["j"])
    if v["delta"] < 1 or not has_gap(s, v["delta"]) or gamma <= 0 or s[p - 1] != max(s):
        return None
    best = maxima(s)
    if p - 1 not in (best[0], best[-1]):
        return None

    def margin(hat: Callable[[Any, int], Any]) -> Any:
        return gamma * (hat(s[p - 1], p) - hat(s[j - 1], j))

    by_square = margin(lambda x, k: n**2 * (x - F(1, k)))
    right, left = (margin(lambda x, k, sign=sign: 2 * n * (x + sign * F(k, 2 * n))) for sign in (1, -1))
    away = gamma * abs(p - j)
    good = True
    if p - 1 == best[-1]:
        if s[j - 1] == s[p - 1]:
            good = j <= p and by_square == gamma * n**2 * F(p - j, p * j) >= away and right == away
        else:
            first, second = gamma * n**2 * (1 - F(1, p) + F(1, j)), 2 * gamma * n * (1 + F(p - j, 2 * n))
            good = by_square >= first >= gamma * n >= away and right >= second >= gamma * (1 + n) >= away
    if p - 1 == best[0]:
        good = good and ((p <= j and left == away) if s[j - 1] == s[p - 1] else left >= gamma * (1 + n))
    return good


@adequate(
    "yang2026.s3.4.approx",
    at=[
        {"delta": d, "b": b, "x": x, "gamma": g}
        for d, b, x, g in itertools.product(
            (F(1, 4), F(0), F(1, 2)),
            (F(0), F(1), F(2)),
            (F(0), F(1, 4), F(1, 2), F(3, 4), F(1), F(9, 8)),
            (F(3), F(5), F(2)),
        )
    ],
    misses=[
        ("4*exp(-gamma) < 1/4", "4*exp(-gamma) < 1/9"),
        ("delta < 1/2", "delta <= 1/2"),
        ("3 <= gamma", "2 <= gamma"),
        ("b = 1 -> 1 - delta <= x", "b = 1 -> 1 <= x"),
    ],
)
def approximate(v: Any) -> bool | None:
    delta, b, x, g = (v[name] for name in ("delta", "b", "x", "gamma"))
    first = delta < F(1, 2) and b in (0, 1) and abs(x - b) <= delta
    if not first and g < 3:
        return None
    treated = (x <= delta, 1 - delta <= x)
    return (not first or treated == (b == 0, b == 1)) and (g < 3 or 4 * e(-real(g)) < 0.25)


# --- Section 4.1 ------------------------------------------------------------------------------------------------------


def operands() -> Iterator[dict[str, Any]]:
    for p, q, r in ((1, 2, 3), (3, 1, 2), (1, 1, 2), (1, 2, 2), (1, 2, 4)):
        for x, y, new in itertools.product((0, 1, 2), (0, 1), (0, 1)):
            c = {a: F(7) for a in (1, 2, 3, 4)}
            c |= {r: F(new)} | {q: F(y)} | {p: F(x)}
            yield {"d": F(3), "p": F(p), "q": F(q), "r": F(r), "c()": c}


@adequate(
    "yang2026.thm12.boolean",
    at=operands(),
    misses=[
        ("I[c(p) = 1 | c(q) = 1]", "I[c(p) = 1 & c(q) = 1]"),
        ("k. -1,", "k. 0,"),
        ("c(r) = 0", "c(r) <= 1"),
        ("(c(p) = 0 | c(p) = 1)", "c(p) <= 2"),
        ("I[~(c(p) = 1)]", "I[~(c(q) = 1)]"),
    ],
)
def boolean(v: Any) -> bool | None:
    p, q, r = (int(v[name]) for name in "pqr")
    c = [v["c()"][a] for a in (1, 2, 3)]
    if max(p, q, r) > 3 or r in (p, q) or c[p - 1] not in (0, 1) or c[q - 1] not in (0, 1) or c[r - 1]:
        return None
    x, y = c[p - 1], c[q - 1]
    new = [1 - relu(x), relu(x + y - 1), 1 - relu(1 - x - y)]
    return new == [int(not x), int(x and y), int(x or y)]


@adequate(
    "yang2026.thm12.uhat",
    at=[{"i": F(i), "v()": column([9, 4, 1, 5, 2, 7, 3], start=0), "m": [F(0), F(1), F(2)]} for i in range(1, 7)],
    misses=[
        ("= v(i - 1))", "= v(i))"),
        ("2 <= i", "1 <= i"),
        ("rhardmax(l. -pow", "lhardmax(l. -pow"),
        ("(odd(i) -> sum", "(0 < 1 -> sum"),
        ("(~odd(i) -> sum", "(0 < 1 -> sum"),
    ],
)
def predecessor_head(v: Any) -> bool | None:
    i = int(v["i"])
    if i < 2:
        return None
    scores = [(-1) ** j * (1 if i % 2 else -1) for j in range(1, i + 1)]
    return rhardmax(scores)[i - 2] == 1


def odd_signs() -> Iterator[dict[str, Any]]:
    for n, i in [(1, 1), (2, 1), (2, 2), (3, 2), (5, 4), (6, 5), (6, 6), (9, 2), (2, 3), (3, 0), (30, 3)]:
        for bits in itertools.product((0, 1), repeat=min(i, 3)):
            yield {
                "n": F(n),
                "i": F(i),
                "tau": [F(1, n), F(2)],
                "v()": [column((bits * 4)[:i]), column([2] * i)],
            }


@adequate(
    "yang2026.thm12.odd",
    at=odd_signs(),
    misses=[
        ("<-> j = e)", "<-> j = i)"),
        ("<-> j = e)", "<-> j < e)"),
        ("rhardmax(l. 1/2", "lhardmax(l. 1/2"),
        ("l/(2*n))/tau", "l/(2*n))"),
        ("4*exp(-3) <", "6*exp(-3) <"),
        ("(all k in e + 1..i. pow(-1, k) = 1)", "e <= i"),
    ],
)
def second_attention(v: Any) -> bool | None:
    n, i = int(v["n"]), int(v["i"])
    if not 1 <= i <= n:
        return None
    plain = [F(1 if j % 2 else -1, 2) for j in range(1, i + 1)]
    hat = [6 * (s + F(j, 2 * n)) for j, s in enumerate(plain, 1)]
    last = i if i % 2 else i - 1
    values = [v["v()"][0][j] for j in range(1, i + 1)]
    error = abs(retrieved(rhardmax(plain), values) - retrieved(softmax([s * n for s in hat]), values))
    return maxima(hat) == [last - 1] and at_most(error, 4 * e(real(-3))) and 4 * e(real(-3)) < 0.25


def selected(a: Any, b: Any, sign: int, mark: Any) -> Any:
    """The network that tests parity, rounds and blanks the marked position, by its four ReLUs."""
    shifts = (a - (1 + sign) - 2 * mark, b - (1 - sign) - 2 * mark)
    return sum(2 * max(x - F(1, 4), 0 * x) - 2 * max(x - F(3, 4), 0 * x) for x in map(real, shifts))


def heads(hat: Callable[[int, int, int], Any], env: Any, start: int, stop: int, sign: int) -> Any:
    """Soft attention with these scores over the temperature, to the positions start to stop."""
    places = range(start, stop + 1)
    if not places:
        return F(0)
    scores = [real(hat(j, sign, int(env.get("n", 0)))) / real(env["tau"]) for j in places]
    return retrieved(softmax(scores), [env["v"][j] for j in places])


def neighbours(hat: Callable[[int, int, int], Any], step: int, with_n: bool) -> Iterator[dict[str, Any]]:
    """Truth values at all positions, the two attentions, the mark, and what the network makes of them."""
    for n in (1, 2, 3):
        for i, bits in itertools.product(range(n + 2), BITS[n]):
            start, stop = (1, i) if step < 0 else (i, n)
            marked = 1 if step < 0 else n
            yield {
                **({"n": F(n)} if with_n else {}),
                "i": F(i),
                "tau": [F(1, n if with_n else max(i, 1) ** 2), F(9)],
                "v()": column([1, *bits, 1, 1], start=0),
                "a": near(lambda env, start=start, stop=stop: heads(hat, env, start, stop, 1)),
                "b": near(lambda env, start=start, stop=stop: heads(hat, env, start, stop, -1)),
                "m": [F(int(i == marked)), F(int(i != marked))],
                "out": near(lambda env: selected(env["a"], env["b"], (-1) ** int(env["i"]), env["m"])),
            }


def neighbour(v: Any, hat: Callable[[int, int, int], Any], step: int) -> bool | None:
    i, n = int(v["i"]), int(v.get("n", v["i"]))
    if not 1 <= i <= n:
        return None
    start, stop = (1, i) if step < 0 else (i, n)
    env = {"n": n, "tau": v["tau"][0], "v": v["v()"]}
    a, b = (heads(hat, env, start, stop, sign) for sign in (1, -1))
    there = start <= i + step <= stop
    return same(selected(a, b, (-1) ** i, F(int(not there))), v["v()"][i + step] if there else 0)


def by_n(sign: int) -> Callable[[int, int, int], Any]:
    return lambda j, kind, n: 6 * (F(kind * (-1) ** j, 2) + sign * F(j, 2 * n))


def by_inverse(j: int, kind: int, n: int) -> Any:
    return 3 * (F(kind * (-1) ** j, 2) - F(1, j))


PREVIOUS = [
    ("v(i - 1) = 1]", "v(i) = 1]"),
    ("I[2 <= i &", "I["),
    ("-> m = I[i = 1]", "-> 0 <= m"),
]


@adequate(
    "yang2026.thm12.previous",
    at=neighbours(by_n(1), -1, True),
    misses=[*PREVIOUS, ("tau = 1/n", "0 < tau")],
)
def previous(v: Any) -> bool | None:
    return neighbour(v, by_n(1), -1)


@adequate(
    "yang2026.thm12.next",
    at=neighbours(by_n(-1), 1, True),
    misses=[
        ("v(i + 1) = 1]", "v(i) = 1]"),
        ("I[i + 1 <= n &", "I["),
        ("-> m = I[i = n]", "-> 0 <= m"),
        ("tau = 1/n", "0 < tau"),
    ],
)
def following(v: Any) -> bool | None:
    return neighbour(v, by_n(-1), 1)


@adequate(
    "yang2026.thm13.previous",
    at=neighbours(by_inverse, -1, False),
    misses=[*PREVIOUS, ("tau = 1/i^2", "0 < tau")],
)
def future_previous(v: Any) -> bool | None:
    return neighbour(v, by_inverse, -1)


def scalings() -> Iterator[dict[str, Any]]:
    for m, d, f in itertools.product((1, 2, 3), (1, 2), (F(3), F(1, 2), F(-1))):
        yield {
            "m": F(m),
            "d": F(d),
            "f": f,
            "tau": [1 / f, 2 * f],
            "q()": column((2, -1)),
            "k()": {(place, a): F(place * a - 2, a) for place in range(1, 4) for a in (1, 2)},
        }


@adequate(
    "yang2026.thm12.scale",
    at=scalings(),
    misses=[("tau = 1/f", "tau = 2*f"), ("(f*k(l, a))", "k(l, a)"), ("f*q(a)*k(l, a)", "q(a)*k(l, a)")],
)
def scale_or_cool(v: Any) -> bool | None:
    m, d, f = int(v["m"]), int(v["d"]), v["f"]
    if f <= 0:
        return None
    plain = [sum(v["q()"][a] * v["k()"][place, a] for a in range(1, d + 1)) for place in range(1, m + 1)]
    root = real(d) ** 0.5
    hot = softmax([real(f * s) / root for s in plain])
    return all(same(a, b) for a, b in zip(hot, softmax([real(s) / root / real(1 / f) for s in plain]), strict=True))


# --- Section 4.2 ------------------------------------------------------------------------------------------------------


def pairs(*names: str) -> Iterator[dict[str, Any]]:
    for i in (1, 2, 3):
        for x, y in itertools.product(BITS[i], repeat=2):
            yield {"i": F(i), **{f"{name}()": column(b) for name, b in zip(names, (x, y), strict=True)}}
    yield {"i": F(0), **{f"{name}()": {} for name in names}}
    yield {"i": F(1), **{f"{name}()": {1: F(2)} for name in names}}


def since(x: Sequence[Any], y: Sequence[Any]) -> bool:
    """At the last position."""
    return any(y[j] == 1 and all(b == 1 for b in x[j:]) for j in range(len(x)))


@adequate(
    "yang2026.thm15.cases",
    at=pairs("x", "y"),
    misses=[
        ("-> k <= j) & ex q", "-> k < j) & ex q"),
        ("(x(j) = 0 ->", "(x(j) = 1 ->"),
        ("(x(j) = 1 & y(j) = 1 ->", "(y(j) = 1 ->"),
        ("(all k in j + 1..i. x(k) = 1 & y(k) = 0)", "j <= i"),
    ],
)
def looking_left(v: Any) -> bool | None:
    x, y = (listed(v, name, "i") for name in "xy")
    if not x or any(b not in (0, 1) for b in x + y):
        return None
    j = len(x) - 1
    while j >= 0 and x[j] and not y[j]:
        j -= 1
    later = [k for k, b in enumerate(y) if b and k > j]
    if j < 0:
        return not any(y) and not since(x, y)
    return not later and since(x, y) == bool(x[j] and y[j])


def rounded(x: Any) -> Any:
    return 2 * max(real(x) - F(1, 4), real(0)) - 2 * max(real(x) - F(3, 4), real(0))


def attended(hat: Callable[[Any, int, int], Any], env: Any, start: int, stop: int) -> Any:
    places = range(start, stop + 1)
    if not places or any(env[name][j] not in (0, 1) for name in "fg" for j in places):
        return F(0)
    stops = {j: int(not env["f"][j] or env["g"][j] == 1) for j in places}
    scores = [real(hat(stops[j], j, int(env.get("n", 0)))) / real(env["tau"]) for j in places]
    return retrieved(softmax(scores), [F(int(env["f"][j] == env["g"][j] == 1)) for j in places])


def operators(hat: Callable[[Any, int, int], Any], until: bool, with_n: bool) -> Iterator[dict[str, Any]]:
    for v in pairs("f", "g"):
        length = int(v["i"])
        for n, i in ((length, 1), (length, length)) if until else ((length, length), (length + 2, length)):
            if until and not length:
                n, i = 1, 2
            start, stop = (i, n) if until else (1, i)
            yield v | {
                **({"n": F(n)} if with_n else {}),
                "i": F(i),
                "tau": [*([F(1, n or 1), F(1, 2 * (n or 1))] if with_n else [F(1, max(i, 1) ** 2)]), F(9)],
                "x": near(lambda env, start=start, stop=stop: attended(hat, env, start, stop)),
                "out": near(lambda env: rounded(env["x"])),
            }


def operator(v: Any, hat: Callable[[Any, int, int], Any], until: bool) -> bool | None:
    i, n = int(v["i"]), int(v.get("n", v["i"]))
    start, stop = (i, n) if until else (1, i)
    f, g = ([v[f"{name}()"][j] for j in range(start, stop + 1)] if 1 <= i <= n else [] for name in "fg")
    if not f or any(b not in (0, 1) for b in f + g):
        return None
    wanted = since(f[::-1], g[::-1]) if until else since(f, g)
    found = [attended(hat, {"n": n, "tau": tau, "f": v["f()"], "g": v["g()"]}, start, stop) for tau in v["tau"][:-1]]
    return all(abs(x - wanted) < 0.25 and same(rounded(x), int(wanted)) for x in found)


def tie(sign: int) -> Callable[[Any, int, int], Any]:
    return lambda stop, j, n: 6 * (stop + sign * F(j, 2 * n))


@adequate(
    "yang2026.thm15.since",
    at=operators(tie(1), False, True),
    misses=[
        ("(all k in q..i. f(k) = 1)]", "(all k in q + 1..i. f(k) = 1)]"),
        ("g(q) = 1 & (all", "f(q) = 1 & (all"),
        ("tau <= 1/n", "tau <= 9"),
        ("x <= 1/4", "x <= -1"),
    ],
)
def since_layer(v: Any) -> bool | None:
    return operator(v, tie(1), False)


@adequate(
    "yang2026.thm15.until",
    at=operators(tie(-1), True, True),
    misses=[
        ("(all k in i..q. f(k) = 1)]", "(all k in i..q - 1. f(k) = 1)]"),
        ("g(q) = 1 & (all", "f(q) = 1 & (all"),
        ("tau <= 1/n", "tau <= 9"),
        ("x <= 1/4", "x <= -1"),
    ],
)
def until_layer(v: Any) -> bool | None:
    return operator(v, tie(-1), True)


def inverse_tie(stop: Any, j: int, n: int) -> Any:
    return 3 * (stop - F(1, j))


@adequate(
    "yang2026.thm16.since",
    at=operators(inverse_tie, False, False),
    misses=[
        ("(all k in q..i. f(k) = 1)]", "(all k in q + 1..i. f(k) = 1)]"),
        ("<= 4*exp(-3)", "<= exp(-3)/99"),
        ("tau = 1/i^2", "0 < tau"),
        ("x <= 1/4", "x <= -1"),
    ],
)
def future_since(v: Any) -> bool | None:
    good = operator(v, inverse_tie, False)
    if not good:
        return good
    i = int(v["i"])
    stops = [F(int(not v["f()"][j] or v["g()"][j] == 1)) for j in range(1, i + 1)]
    values = [F(int(v["f()"][j] == v["g()"][j] == 1)) for j in range(1, i + 1)]
    soft = softmax([inverse_tie(s, j, 0) * i * i for j, s in enumerate(stops, 1)])
    return at_most(abs(retrieved(rhardmax(stops), values) - retrieved(soft, values)), 4 * e(real(-3)))
