"""Constructions of attention: claims written from the words of the papers (Cookbook, Section 5, Table 2; yang2026)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from proof.adequacy import ODD, adequate, column, draws, table
from proof.paper import same, softmax
from proof.statement_truth import CONTEXT, SLACK, real
from shared import relu

F = Fraction
RANDOM = draws(55)
KINDS = ("softmax", "average", "leftmost", "rightmost")


def number() -> F:
    return F(RANDOM.randint(-6, 6), RANDOM.randint(1, 3))


def bounded() -> F:
    return F(RANDOM.randint(0, 4), 4)


def weights(kind: str, scores: Sequence[Any]) -> list[Any]:
    """The attention weights of one row: softmax, or hard with its ties; nothing where nothing is seen."""
    if kind == "softmax":
        return softmax(scores)
    best = [j for j, s in enumerate(scores) if s == max(scores)]
    best = {"leftmost": best[:1], "rightmost": best[-1:]}.get(kind, best)
    return [F(int(j in best), max(len(best), 1)) for j in range(len(scores))]


def attend(kind: str, scores: Sequence[Any], values: Sequence[Any]) -> Any:
    return plain_dot(weights(kind, scores), values)


def plain_dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = F(0)
    for p, q in zip(a, b, strict=True):
        total = total + p * q if isinstance(p, F) and isinstance(total, F) else real(total) + real(p) * real(q)
    return total


def prefix(kind: str, scores: Any, values: Sequence[Any]) -> list[Any]:
    """Future mask: at position i (from 1) the scores of 1..i, as a function of i and j, and the values."""
    return [attend(kind, [scores(i, j) for j in range(1, i + 1)], values[:i]) for i in range(1, len(values) + 1)]


def gtzero(x: Any, eps: Any) -> Any:
    """GTZero_eps of Section 4.7."""
    x = real(x) if not isinstance(x, F) else x
    return max(x, 0) / eps - max(x - eps, 0) / eps


def mark(c: Any) -> Any:
    """GTZero_{1/3}(c - 1/3)."""
    return gtzero(c - F(1, 3), F(1, 3)) if isinstance(c, F) else gtzero(c - real(F(1, 3)), real(F(1, 3)))


def conditional(p: F, x: F, y: F) -> F:
    """The feed-forward layer of Section 4.9."""
    return relu(p + x - 1) + relu(-p + y)


# Section 5.1: identity and averages


def identity_instances() -> Iterator[dict[str, Any]]:
    for n, d in ((0, 1), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2)):
        for kind, entry in itertools.product(KINDS, (F(0), F(1))):
            x = [[number() for _ in range(n)] for _ in range(d)]
            rows = [weights(kind, [number() for _ in range(n)]) for _ in range(n)]
            wrong_ones = [[e + ODD for e in row] for row in x]
            attended = [[plain_dot(row, [real(e) for e in values]) for row in rows] for values in x]
            added = [
                [p + real(e) for p, e in zip(p_row, e_row, strict=True)]
                for p_row, e_row in zip(attended, x, strict=True)
            ]
            minus = [[-e for e in row] for row in x]
            yield {
                "n": F(n),
                "d": F(d),
                "WV()": table([[entry * (a == b) for b in range(d)] for a in range(d)]),
                "alpha()": {(i, j): w for i, row in enumerate(rows, 1) for j, w in enumerate(row, 1)},
                "x()": table(x),
                "y()": [*map(table, (x, minus, wrong_ones)), entries(added), entries(attended)],
                **any_scores(x, wrong_ones),
            }


def any_scores(x: list[list[F]], wrong_ones: list[list[F]]) -> dict[str, Any]:
    """The same coordinates behind a head with random query and key matrices of two rows."""
    queries, keys = ([[number() for _ in x] for _ in range(2)] for _ in "QW")
    return {
        "h": F(2),
        "g_Q()": table(queries),
        "g_W()": table(keys),
        "g_x()": table(x),
        "g_z1_x()": [table(x), table(wrong_ones)],
    }


def entries(rows: list[list[Any]]) -> dict[tuple[int, int], Any]:
    return {(a, i): e for a, row in enumerate(rows, 1) for i, e in enumerate(row, 1)}


@adequate(
    "s5.1.1.identity",
    at=identity_instances(),
    misses=[
        ("-> all i in 1..n. all a in 1..d. y(a, i) = x(a, i)", "-> all i in 1..n. all a in 1..d. y(a, i) = 2*x(a, i)"),
        ("-> all i in 1..n. all a in 1..d. y(a, i) = x(a, i)", "-> all i in 1..n. all a in 1..d. y(a, i) = 0"),
        ("+ x(a, i))", "- x(a, i))"),
        ("(all a in 1..d. all b in 1..d. WV(a, b) = 0) ->", ""),
        ("-> all i in 1..n. all a in 1..d. y(a, i) = x(a, i)", "-> all i in 1..n. all a in 1..d. x(a, i) = x(1, 1)"),
        ("g_z1_x(a, i) = g_x(a, i)", "g_z1_x(a, i) = 0"),
        ("run(family-attention-identity; ties = softmax; g_) ->", ""),
    ],
)
def identity(v: Any) -> bool | None:
    n, d = int(v["n"]), int(v["d"])
    if n < 1 or d < 1:
        return None
    if any(v["WV()"].values()):
        return True  # the family's values are zero
    zeros = [F(0)] * n
    return all(same(attend(kind, zeros, zeros) + e, e) for kind in KINDS for e in v["x()"].values())


def vector_instances() -> Iterator[dict[str, Any]]:
    for n, d in ((0, 1), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2)):
        for zero in (True, False):
            if not zero and n * d < 2:
                continue
            x = [[number() for _ in range(n)] for _ in range(d)]
            tied = [[F(RANDOM.randint(0, 1)) for _ in range(n)] for _ in range(n)]
            yield {
                "n": F(n),
                "d": F(d),
                "V()": table([[F(0) if zero else number() + 7 for _ in range(d)] for _ in range(d)]),
                "x()": table(x),
                "s()": table(tied),
                **any_scores(x, [[e + ODD for e in row] for row in x]),
            }


@adequate(
    "t2.identity",
    at=vector_instances(),
    misses=[
        (" + x(c, i) = x(c, i)", " + x(c, i) = 2*x(c, i)"),
        (" + x(c, i) = x(c, i)", " = x(c, i)"),
        (" + x(c, i) = x(c, i)", " + x(c, 1) = x(c, i)"),
        ("V(c, b) = 0", "V(c, b) = V(c, b)"),
        ("rhardmax(l. s(i, l), n, j)*sum(b, 1, d, V(c, b)*x(b, j))", "rhardmax(l. s(i, l), n, j)*x(c, j)"),
        ("g_z1_x(c, i) = g_x(c, i)", "g_z1_x(c, i) = 0"),
        ("run(family-attention-identity; ties = softmax; g_) ->", ""),
    ],
)
def vector_identity(v: Any) -> bool | None:
    n, d = int(v["n"]), int(v["d"])
    if n < 1 or d < 1:
        return None
    if any(v["V()"].values()):
        return True  # the family's values are zero
    x = v["x()"]
    out = []
    for c, i, kind in itertools.product(range(1, d + 1), range(1, n + 1), KINDS):
        values = [sum((v["V()"][c, b] * x[b, j] for b in range(1, d + 1)), F(0)) for j in range(1, n + 1)]
        scores = [v["s()"][i, j] for j in range(1, n + 1)]
        out.append(same(attend(kind, scores, values) + x[c, i], x[c, i]))
    return all(out)


def mean_instances() -> Iterator[dict[str, Any]]:
    for n, d in ((0, 1), (1, 1), (2, 1), (3, 2), (4, 1)):
        for scores in (F(0), None):
            x = [[number() for _ in range(n)] for _ in range(d)]
            if scores is None and n < 2:
                continue
            s = [F(0)] * n if scores == 0 else [F(j) for j in range(n)]
            row = [number() for _ in range(n)]
            means = [[sum(row, F(0)) / max(n, 1)] * n, [sum(row[:i]) / i for i in range(1, n + 1)]]
            means += [[e + ODD for e in mean] for mean in means]
            stored = {"x()": column(row), "mean()": list(map(column, means))}
            yield {"n": F(n), "d": F(d), "y()": table(x), "s()": column(s), **stored}


@adequate(
    "t2.uniform_avg",
    at=mean_instances(),
    misses=[
        ("sum(k, 1, i, y(c, k))/i", "sum(k, 1, n, y(c, k))/n"),
        ("sum(k, 1, i, y(c, k))/i", "sum(k, 1, i, y(c, k))/n"),
        ("sum(k, 1, i, y(c, k))/i", "sum(k, 1, i - 1, y(c, k))/i"),
        ("run(average)", "run(prefix-average)"),
        ("run(average-softmax)", "run(prefix-average-softmax)"),
        ("run(prefix-average)", "run(average)"),
        ("run(prefix-average-softmax)", "run(average-softmax)"),
        ("(run(prefix-average) -> all i in 1..n. mean(i)", "(1 <= n -> all i in 1..n. mean(i)"),
        ("hardmax(s, i, j)*x(j)", "rhardmax(s, i, j)*x(j)"),
        ("hardmax(s, n, j)*x(j)", "lhardmax(s, n, j)*x(j)"),
        ("(all j in 1..n. s(j) = 0)", "(all j in 1..n. s(j) = s(j))"),
        ("hardmax(s, i, j)*y(c, j)", "rhardmax(s, i, j)*y(c, j)"),
        ("hardmax(s, i, j)*y(c, j)", "lhardmax(s, i, j)*y(c, j)"),
    ],
)
def means(v: Any) -> bool | None:
    n, d = int(v["n"]), int(v["d"])
    if n < 1 or any(v["s()"].values()):
        return None
    out = []
    for c, i, kind in itertools.product(range(1, d + 1), range(1, n + 1), KINDS[:2]):
        x = [v["y()"][c, j] for j in range(1, n + 1)]
        out.append(same(attend(kind, [F(0)] * n, x), sum(x) / n))
        out.append(same(attend(kind, [F(0)] * i, x[:i]), sum(x[:i]) / i))
    return all(out)


# Section 5.2 and Table 2: first


def marked(n: int) -> dict[str, Any]:
    """Means of the signs by zero scores, and what leftmost attention to them finds; 1 where GTZero_{1/3} sees one."""
    signs = [F(-1) ** j for j in range(1, n + 1)]
    means = [[sum(-s for s in signs[:i]) / i for i in range(1, n + 1)], [F(1)] + [F(-1)] * (n - 1)]
    return {
        "n": F(n),
        "one()": column([1] * n),
        "alternating()": column(signs),
        "mean()": [column(m) for m in means],
        "first()": [column(mark(c) for c in m) for m in means] + [column([1] * n)],
    }


def first_instances() -> list[dict[str, Any]]:
    out = []
    for upto in range(1, 8):
        v = [number() for _ in range(upto)]
        out.append(
            {
                "s()": {j: F(0) for j in range(9)},
                "i": [F(i) for i in range(1, upto + 1)],
                "j": [F(j) for j in range(9)],
                "v()": column(v),
                **marked(upto),
            }
        )
    return [*out, {**out[2], "s()": {j: F(j == 3) for j in range(9)}}]


FIRST = first_instances()


def firsts(v: Any) -> dict[str, bool] | None:
    """By weighting: whether uniform attention to (-1)^i and GTZero_{1/3} mark the first position alone."""
    places = [int(i) for i in v["i"] if i >= 1]
    if any(v["s()"].values()) or not places:
        return None
    signs = [-(F(-1) ** j) for j in range(1, max(places) + 1)]
    marks = {kind: [mark(c) for c in prefix(kind, lambda i, j: F(0), signs)] for kind in KINDS}
    return {kind: all(same(marks[kind][i - 1], F(i == 1)) for i in places) for kind in KINDS}


@adequate("t2.first", at=FIRST, misses=[("| (all i", "& (all i")], false=True)
def first(v: Any) -> bool | None:
    """Marks the position with each weighting, or retrieves the value there; unique-hard with either side of ties."""
    found = firsts(v)
    if found is None:
        return None
    values = list(v["v()"].values())
    got = {kind: prefix(kind, lambda i, j: F(0), values) for kind in KINDS}
    retrieves = {kind: all(same(e, values[0]) for e in got[kind]) for kind in KINDS}
    return any(
        way["softmax"] and way["average"] and (way["leftmost"] or way["rightmost"]) for way in (found, retrieves)
    )


@adequate(
    "t2.first.corrected",
    at=FIRST,
    misses=[
        ("= v(1))", "= v(i))"),
        ("lhardmax(s, i, j)*v(j)", "rhardmax(s, i, j)*v(j)"),
        ("lhardmax(s, i, j)*v(j)", "hardmax(s, i, j)*v(j)"),
        (
            "firstmark(sum(j, 1, i, hardmax(s, i, j)*(-pow(-1, j)))) = I[i = 1]",
            "sum(j, 1, i, hardmax(s, i, j)*(-pow(-1, j))) = I[i = 1]",
        ),
        ("hardmax(s, i, j)*(-pow(-1, j))", "hardmax(s, i, j)*pow(-1, j)"),
        ("hardmax(s, i, j)*(-pow(-1, j))", "lhardmax(s, i, j)*(-pow(-1, j))"),
        ("(all j:Int. s(j) = 0)", "(all j:Int. s(j) = s(j))"),
        ("lhardmax(l. pow(-1, l), i, j)", "lhardmax(l. -pow(-1, l), i, j)"),
        ("lhardmax(l. pow(-1, l), i, j)", "lhardmax(l. 0, i, j)"),
        ("first(i) = I[i = 1]", "first(i) = I[i <= 2]"),
        ("1 <= n -> run(first-position-leftmost) ->", "1 <= n ->"),
    ],
)
def first_corrected(v: Any) -> bool | None:
    found = firsts(v)
    if found is None:
        return None
    values = list(v["v()"].values())
    first_value = prefix("leftmost", lambda i, j: F(0), values)
    signs = [-(F(-1) ** j) for j in range(1, int(max(v["i"])) + 1)]
    by_sign = [mark(c) for c in prefix("leftmost", lambda i, j: F(-1) ** j, signs)]
    if any(e != F(i == 1) for i, e in enumerate(by_sign, 1)):
        return False
    return found["softmax"] and found["average"] and all(e == values[0] for e in first_value)


# Section 5.4: predecessor


def heads(values: Sequence[F]) -> tuple[list[F], list[F]]:
    """pred.even and pred.odd: queries 1, keys -(-1)^j and (-1)^j, future mask, rightmost."""
    even = prefix("rightmost", lambda i, j: -(F(-1) ** j), values)
    return even, prefix("rightmost", lambda i, j: F(-1) ** j, values)


def formula(values: Sequence[F]) -> list[F]:
    evens, odds = heads(values)
    return [conditional(gtzero(F(-1) ** i, F(1)), a, b) for i, (a, b) in enumerate(zip(evens, odds, strict=True), 1)]


def with_a_run(v: dict[str, Any], made: Callable[[], F] = bounded) -> dict[str, Any]:
    """An instance with a run of the stored `predecessor` on values of its own; heads and output may be wrong."""
    n = int(v["n"])
    value = [made() for _ in range(n)]
    evens, odds = heads(value)
    mean = prefix("average", lambda i, j: F(0), [-(F(-1) ** j) for j in range(1, n + 1)])
    first, even = [mark(c) for c in mean], [gtzero(F(-1) ** i, F(1)) for i in range(1, n + 1)]
    pred = formula(value)
    out = [conditional(a, F(0), b) for a, b in zip(first, pred, strict=True)]
    whole = dict(value=value, mean=mean, first=first, even=even, pred=pred)
    return v | {
        **{f"{k}()": column(e) for k, e in whole.items()},
        "one()": column([F(1)] * n),
        "alternating()": column(F(-1) ** i for i in range(1, n + 1)),
        **{
            f"{k}()": [column(right), column(e + ODD for e in right)]
            for k, right in (("evens", evens), ("odds", odds), ("out", out))
        },
    }


def odd_instances(odd: int) -> Iterator[dict[str, Any]]:
    for m in range(5):
        for n in (2 * m + odd - 1, 2 * m + odd, 2 * m + odd + 2):
            if n >= 2 * m + odd or m in (1, 2):
                values = column((number() for _ in range(n + 4)), start=0)
                yield with_a_run({"n": F(n), "m": F(m), "v()": values}, number)


ODD_PLACES = tuple(odd_instances(1))


@adequate("s5.4.pred_odd", at=ODD_PLACES, false=True)
def odd_printed(v: Any) -> bool | None:
    """At i = 1 there is no v_0; what stands there is another number."""
    n, m = int(v["n"]), int(v["m"])
    if 2 * m + 1 > n:
        return None
    values = v["v()"]
    return heads([values[i] for i in range(1, n + 1)])[1][2 * m] == values[2 * m]


@adequate(
    "s5.4.pred_odd.corrected",
    at=ODD_PLACES,
    misses=[
        ("= v(2*m)", "= v(2*m - 1)"),
        ("= v(2*m)", "= v(2*m + 1)"),
        ("l. pow(-1, l)", "l. -pow(-1, l)"),
        ("rhardmax(", "lhardmax("),
        ("rhardmax(", "hardmax("),
        ("l. pow(-1, l)", "l. 0"),
        ("odds(2*m + 1) = value(2*m)", "evens(2*m + 1) = value(2*m)"),
        ("odds(2*m + 1) = value(2*m)", "odds(2*m + 1) = value(2*m + 1)"),
        ("run(predecessor) -> ", ""),
    ],
)
def odd(v: Any) -> bool | None:
    n, m = int(v["n"]), int(v["m"])
    if m < 1 or 2 * m + 1 > n:
        return None
    given = [[v[name][i] for i in range(1, n + 1)] for name in ("v()", "value()")]
    return all(heads(values)[1][2 * m] == values[2 * m - 1] for values in given)


@adequate(
    "s5.4.pred_even",
    at=odd_instances(0),
    misses=[
        ("= v(2*m - 1)", "= v(2*m)"),
        ("= v(2*m - 1)", "= v(1)"),
        ("l. -pow(-1, l)", "l. pow(-1, l)"),
        ("rhardmax(", "lhardmax("),
        ("rhardmax(", "hardmax("),
        ("evens(2*m) = value(2*m - 1)", "odds(2*m) = value(2*m - 1)"),
        ("evens(2*m) = value(2*m - 1)", "evens(2*m) = value(2*m)"),
        ("run(predecessor) -> ", ""),
    ],
)
def even(v: Any) -> bool | None:
    n, m = int(v["n"]), int(v["m"])
    if m < 1 or 2 * m > n:
        return None
    given = [[v[name][i] for i in range(1, n + 1)] for name in ("v()", "value()")]
    return all(heads(values)[0][2 * m - 1] == values[2 * m - 2] for values in given)


@adequate(
    "s5.4.is_even",
    at=[
        {
            "i": F(i),
            "eps": eps,
            "x": x,
            "out": [gtzero(x, eps), gtzero(x, eps) + ODD, F(1)],
            "m": [F(m) for m in range(5)],
        }
        for i in range(8)
        for eps in (F(1), F(3))
        for x in (F(-1) ** i, F(-1) ** (i + 1))
        if i > 0 or eps == 1
    ],
    misses=[
        ("i = 2*m", "i = 2*m + 1"),
        ("i = 2*m", "i = 4*m"),
        ("x = pow(-1, i)", "x = pow(-1, i + 1)"),
        ("eps = 1 &", "0 < eps &"),
        ("& x = pow(-1, i)", ""),
    ],
)
def is_even(v: Any) -> bool | None:
    if v["i"] < 1 or v["eps"] != 1 or v["x"] != F(-1) ** int(v["i"]):
        return None
    return gtzero(F(-1) ** int(v["i"]), F(1)) == (1 if v["i"] % 2 == 0 else 0)


def pred_instances() -> list[dict[str, Any]]:
    out = []
    for n in range(6):
        for case in range(4):
            values = [[bounded() for _ in range(n)], [F(1)] * n, [F(0)] * n, [number() + 2 for _ in range(n)]][case]
            if case == 3 and not 2 <= n <= 4:
                continue
            signs = [F(-1) ** i for i in range(1, n + 1)]
            evens, odds = heads(values)
            pred = [conditional(gtzero(s, F(1)), a, b) for s, a, b in zip(signs, evens, odds, strict=True)]
            mean = [sum(-s for s in signs[:i]) / F(i) for i in range(1, n + 1)]
            first = [mark(c) for c in mean]
            last = [conditional(f, F(0), p) for f, p in zip(first, pred, strict=True)]
            out.append(
                {
                    **prefixed("P", signs, values, (evens, odds, mean, first, pred)),
                    "P_out()": [column(last), column(pred), column(e + ODD for e in last)],
                    "n": F(n),
                    "v()": column(values),
                    "pred()": [column(pred), column(e + ODD for e in pred)],
                    "alternating()": column(signs),
                    "mean()": column(mean),
                    "first()": [column(first), column([F(0)] * n)],
                    "out()": [column(last), column(pred), column(e + ODD for e in last)],
                }
            )
    return out


def prefixed(run: str, signs: list[F], values: list[F], parts: Any) -> dict[str, Any]:
    """The columns of a run of the stored model under its own name."""
    even = [gtzero(s, F(1)) for s in signs]
    evens, odds, mean, first, pred = parts
    named = {"value": values, "one": [F(1)] * len(values), "alternating": signs, "odds": odds, "evens": evens}
    named |= {"mean": mean, "first": first, "even": even, "pred": pred}
    return {f"{run}_{name}()": column(entries) for name, entries in named.items()}


PRED = pred_instances()


def predecessors(v: Any) -> tuple[list[F], list[F]] | None:
    """The values and what the printed formula makes of them, where the paper's assumptions hold."""
    values = list(v["v()"].values())
    if not values or not all(0 <= e <= 1 for e in values):
        return None
    evens, odds = heads(values)
    return values, [
        conditional(gtzero(F(-1) ** i, F(1)), a, b) for i, (a, b) in enumerate(zip(evens, odds, strict=True), 1)
    ]


@adequate("s5.4.pred_formula", at=PRED, misses=[("v(i - 1)", "v(i)")], false=True)
def pred_formula(v: Any) -> bool | None:
    found = predecessors(v)
    return found and found[1] == [F(0), *found[0][:-1]]


@adequate(
    "s5.4.pred_formula.corrected",
    at=PRED,
    misses=[
        ("P.pred(1) = P.value(1)", "P.pred(1) = 0"),
        ("P.out(i) = P.value(i - 1)", "P.out(i) = P.value(i)"),
        ("out(1) = 0", "out(1) = v(1)"),
        ("pred(1) = v(1)", "pred(1) = 0"),
        ("out(i) = v(i - 1)", "out(i) = v(i)"),
        ("all i in 2..n. pred(i) = v(i - 1)", "all i in 2..n. pred(i) = v(1)"),
        ("0 <= v(j) & v(j) <= 1", "0 <= v(j) & v(j) <= 9"),
    ],
)
def pred_corrected(v: Any) -> bool | None:
    found = predecessors(v)
    if found is None:
        return None
    values, pred = found
    out = [conditional(F(i == 1), F(0), p) for i, p in enumerate(pred, 1)]
    return out == [F(0), *values[:-1]] and pred == [values[0], *values[:-1]]


@adequate(
    "s5.4.pred_spec",
    at=PRED,
    misses=[
        ("out(i) = v(i - 1)", "out(i) = v(i)"),
        ("out(1) = 0", "out(1) = v(1)"),
        ("all i in 2..n. out(i) = v(i - 1)", "all i in 1..n. out(i) = v(1)"),
        ("relu(predheads(v, i) - first(i))", "relu(predheads(v, i))"),
        ("out(i) <= 1", "out(i) < 1"),
        ("0 <= v(j) & v(j) <= 1", "0 <= v(j)"),
    ],
)
def pred_spec(v: Any) -> bool | None:
    found = predecessors(v)
    if found is None:
        return None
    values, pred = found
    out = [conditional(F(i == 1), F(0), p) for i, p in enumerate(pred, 1)]
    return out == [F(0), *values[:-1]] and all(0 <= e <= 1 for e in out)


def quadratic_instances() -> Iterator[dict[str, Any]]:
    for n in range(5):
        places = range(1, n + 1)
        for case in range(3):
            values = [[bounded() for _ in range(n)], [F(1)] * n, [number() + 7 for _ in range(n)]][case]
            if case == 2 and n not in (1, 3):
                continue
            found = quadratic_lookup(values)
            signs = [F(-1) ** i for i in places]
            mean = [sum(-s for s in signs[:i]) / F(i) for i in places]
            first = [mark(c) for c in mean]
            last = [max(p - f, F(0)) for f, p in zip(first, found, strict=True)]
            yield {
                "n": F(n),
                "value()": column(values),
                "one()": column([F(1)] * n),
                "before()": column(i - 1 for i in places),
                "index()": column(places),
                "square()": column(i * i for i in places),
                "found()": [column(found), column(e + ODD for e in found)],
                "alternating()": column(signs),
                "mean()": column(mean),
                "first()": column(first),
                "out()": [column(last), column(e + ODD for e in last)],
            } | layers_at_a_mark(values, case == 2)


def quadratic_lookup(values: Sequence[F]) -> list[F]:
    places = range(1, len(values) + 1)
    return [attend("average", [F(2 * (i - 1) * j - j * j) for j in places], values) for i in places]


def layers_at_a_mark(values: list[F], beyond: bool) -> dict[str, Any]:
    """Layers that are steep by L, of which one is right for values of size at most L. Beyond: also another value, and
    the product, which is no layer."""
    L = max([F(1), *map(abs, values)])
    layers = [lambda a, v: relu(v - L * a) - relu(-v - L * a), lambda a, v: F(0), lambda a, v: v]
    return {
        "L": [L, L - 1],
        "f()": [*layers, lambda a, v: (1 - a) * v] if beyond else layers,
        "a": [F(0), F(1), F(1, 2)],
        "b": [F(0), F(1)],
        "v": [F(0), L, -L, *values, L + 1] if beyond else [F(0), L, -L, *values],
        "beyond": beyond,
    }


QUADRATIC = tuple(quadratic_instances())


@adequate("s5.4.pred_quadmax", at=QUADRATIC, false=True)
def pred_quadmax_printed(v: Any) -> bool:
    """A layer that is steep by L sets values of size at most L to 0; L + 1 no layer does that is steep by L."""
    return not v["beyond"]


@adequate(
    "s5.4.pred_quadmax.corrected",
    at=QUADRATIC,
    misses=[
        ("<-> j = i - 1", "<-> j = i"),
        ("found(i) = value(i - 1)", "found(i) = value(i)"),
        ("out(1) = 0", "found(1) = 0"),
        ("out(1) = 0", "out(1) = value(1)"),
        ("0 <= value(j) & value(j) <= 1", "value(j) = value(j)"),
        ("maximal(l. 2*(i - 1)*l - l^2, n, j)", "maximal(l. 2*i*l - l^2, n, j)"),
    ],
)
def pred_quadmax(v: Any) -> bool | None:
    values = list(v["value()"].values())
    if not values:
        return None
    n = len(values)
    best = {i: [j for j in range(1, n + 1) if all(2 * (i - 1) * (j - k) >= j * j - k * k for k in range(1, n + 1))]
            for i in range(2, n + 1)}  # fmt: skip
    found = quadratic_lookup(values)
    out = [conditional(F(i == 1), F(0), e) for i, e in enumerate(found, 1)]
    bounded = all(0 <= e <= 1 for e in values)
    return (
        all(best[i] == [i - 1] for i in best)
        and found[1:] == values[:-1]
        and (not bounded or out == [F(0), *values[:-1]])
    )


def strict_averages() -> Iterator[dict[str, Any]]:
    """With what a head sees that looks at j/n before each position, 0 where there is nothing."""
    for n in range(7):
        v = [number() for _ in range(n)]
        seen = [[F(j, n) for j in range(1, i)] for i in range(1, n + 1)]
        out = [attend("average", row, v[: len(row)]) if row else F(0) for row in seen]
        yield {
            "n": F(n),
            "v()": column(v),
            "value()": column(v),
            "one()": column([1] * n),
            "share()": column(F(i, n) for i in range(1, n + 1)),
            "out()": [column(out), column(e + ODD for e in out)],
        }


STRICT_AVERAGES = tuple(strict_averages())


def printed_row(i: int, n: int) -> list[F]:
    return [F(j, n) if j < i else F(0) for j in range(1, n + 1)]


@adequate("s5.4.pred_strict_ahat", at=STRICT_AVERAGES, false=True)
def pred_strict_ahat_printed(v: Any) -> bool | None:
    """At the first position the zeros are the largest, and all values are averaged."""
    n, values = int(v["n"]), list(v["v()"].values())
    found = [attend("average", printed_row(i, n), values) for i in range(1, n + 1)]
    return found == [F(0), *values[:-1]] if n else None


@adequate(
    "s5.4.pred_strict_ahat.corrected",
    at=STRICT_AVERAGES,
    misses=[
        ("(all i in 2..n. (all j", "(all i in 1..n. (all j"),
        ("out(1) = 0", "out(1) = value(1)"),
        ("out(i) = value(i - 1)", "out(i) = value(i)"),
        ("hardmax(l. l/n, i - 1, j)*v(j)) = v(i - 1)", "hardmax(l. l/n, i, j)*v(j)) = v(i - 1)"),
        ("hardmax(l. l/n, i - 1, j)*v(j)) = v(i - 1)", "hardmax(l. 0, i - 1, j)*v(j)) = v(i - 1)"),
        ("hardmax(l. I[l < i]*(l/n), n, j)*v(j)) = v(i - 1)", "hardmax(l. l/n, n, j)*v(j)) = v(i - 1)"),
        ("hardmax(l. I[l < i]*(l/n), n, j) = I[j = i - 1]", "hardmax(l. I[l <= i]*(l/n), n, j) = I[j = i - 1]"),
        ("hardmax(l. l/n, i - 1, j)*v(j)) = v(i - 1)", "hardmax(l. -l/n, i - 1, j)*v(j)) = v(i - 1)"),
    ],
)
def pred_strict_ahat(v: Any) -> bool | None:
    n, values = int(v["n"]), list(v["v()"].values())
    if n < 1:
        return None
    right = []
    for i in range(2, n + 1):
        row = printed_row(i, n)
        right.append(weights("average", row) == [F(j == i - 1) for j in range(1, n + 1)])
        right.append(attend("average", row, values) == values[i - 2])
        right.append(attend("average", row[: i - 1], values[: i - 1]) == values[i - 2])
    return all(right)


def strict_runs() -> Iterator[dict[str, Any]]:
    for n, k in itertools.product(range(6), (0, -1)):
        if k == 0 or n in (3, 4):
            v, value = ([number() for _ in range(n)] for _ in range(2))
            out = [F(0), *value][:n]
            yield {
                "n": F(n),
                "s()": column([F(k * j) for j in range(n)]),
                "v()": column(v),
                "value()": column(value),
                "out()": [column(out), column(e + ODD for e in out)],
            }


@adequate(
    "s5.4.pred_strict_uhat",
    at=strict_runs(),
    misses=[
        ("rhardmax(s, i - 1, j)*v(j)) = v(i - 1)", "lhardmax(s, i - 1, j)*v(j)) = v(i - 1)"),
        ("rhardmax(s, i - 1, j)*v(j)) = v(i - 1)", "hardmax(s, i - 1, j)*v(j)) = v(i - 1)"),
        ("rhardmax(s, i - 1, j)*v(j)) = v(i - 1)", "rhardmax(s, i - 1, j)*v(j)) = v(i)"),
        ("sum(j, 1, 0, rhardmax(s, 0, j)*v(j)) = 0", "sum(j, 1, 1, rhardmax(s, 1, j)*v(j)) = 0"),
        ("(all j in 1..n. s(j) = 0)", "(all j in 1..n. s(j) = s(j))"),
        ("out(i) = value(i - 1)", "out(i) = value(i)"),
        ("out(1) = 0 &", "out(1) = 1 &"),
    ],
)
def pred_strict_uhat(v: Any) -> bool | None:
    """By zero scores, and by the stored model, whose scores are zero: each position gets the value before it."""
    n = int(v["n"])
    if n < 1:
        return None
    found = []
    for name in ("v()", "value()") if not any(v["s()"].values()) else ("value()",):
        values = list(v[name].values())
        out = [attend("rightmost", [F(0)] * (i - 1), values[: i - 1]) for i in range(1, n + 1)]
        found.append(out == [F(0), *values[:-1]])
    return all(found)


def strict_instances() -> list[dict[str, Any]]:
    out = []
    for n in range(5):
        scores = [[number() / 3 for _ in range(n)] for _ in range(n)]
        rows = [[*weights("softmax", row[:i]), *[F(0)] * (n - i)] for i, row in enumerate(scores)]
        right = {(i, j): w for i, row in enumerate(rows, 1) for j, w in enumerate(row, 1)}
        out.append({"n": F(n), "s()": table(scores), "alpha()": [right, {k: w + 1 for k, w in right.items()}]})
    return out


STRICT = strict_instances()


@adequate("s5.4.strict_weights", at=STRICT, misses=[("<-> j < i", "<-> j <= i")], false=True)
def strict_weights(v: Any) -> bool | None:
    """Non-negative at exactly the positions before i: softmax over j < i, and exp(-infinity) = 0 elsewhere."""
    n = int(v["n"])
    return (
        None
        if n < 1
        else all((v["alpha()"][0][i, j] >= 0) == (j < i) for i in range(1, n + 1) for j in range(1, n + 1))
    )


@adequate(
    "s5.4.strict_weights.corrected",
    at=STRICT,
    misses=[
        ("0 < alpha(i, j)", "0 <= alpha(i, j)"),
        ("<-> j < i", "<-> j <= i"),
        ("<-> j < i", "<-> j < i - 1"),
        ("<-> j < i", "<-> i < j"),
        ("alpha(i, j) = 0)", "alpha(i, j) = alpha(i, j))"),
    ],
)
def strict_positive(v: Any) -> bool | None:
    n = int(v["n"])
    return (
        None if n < 1 else all((v["alpha()"][0][i, j] > 0) == (j < i) for i in range(1, n + 1) for j in range(1, n + 1))
    )


# Table 2: predecessor and index lookup


TABLE_2 = [
    {"n": F(n), "v()": column(values)}
    for n in range(6)
    for values in ([bounded() for _ in range(n)], [number() for _ in range(n)], [F(2)] * n, [F(-2)] * n)
]


def strict_lookups(values: Sequence[F], kinds: Sequence[str]) -> bool:
    n = len(values)
    scores = [F(j, n) for j in range(1, n + 1)]
    return all(attend(k, scores[: i - 1], values[: i - 1]) == values[i - 2] for i in range(2, n + 1) for k in kinds)


def one_head(values: Sequence[F], kind: str, broken: bool) -> bool:
    """Whether a head over positions of the other parity finds i - 1; `broken` has -1/j beside twice the score."""
    for i in range(2, len(values) + 1):
        other = [F(1 if (i - j) % 2 else -1) for j in range(1, i + 1)]
        scores = [2 * s - F(1, j) if broken else s for j, s in enumerate(other, 1)]
        if attend(kind, scores, values[:i]) != values[i - 2]:
            return False
    return True


TABLE_2_RUNS = list(map(with_a_run, TABLE_2))


@adequate(
    "t2.predecessor", at=TABLE_2_RUNS, misses=[("predheads(v, i) = v(i - 1)", "predheads(v, i) = v(i)")], false=True
)
def t2_predecessor(v: Any) -> bool | None:
    values = list(v["v()"].values())
    return (formula(values)[1:] == values[:-1] and strict_lookups(values, ["average"])) if values else None


@adequate(
    "t2.predecessor.corrected",
    at=TABLE_2_RUNS,
    misses=[
        ("out(1) = 0 &", "out(1) = 1 &"),
        ("out(i) = value(i - 1)", "out(i) = value(i)"),
        ("-> out(1) = 0", "-> pred(1) = 0"),
        ("v(j) <= 1) -> ", "v(j) <= 2) -> "),
        ("0 <= v(j) & ", ""),
        ("predheads(v, i) = v(i - 1)", "predheads(v, i) = v(i)"),
        ("lhardmax(l. l/n, i - 1, j)*v(j)) = v(i - 1)", "lhardmax(l. l/n, i, j)*v(j)) = v(i - 1)"),
        ("lhardmax(l. l/n, i - 1, j)*v(j)) = v(i - 1)", "lhardmax(l. 0, i - 1, j)*v(j)) = v(i - 1)"),
        ("lhardmax(l. l/n, i - 1, j)*v(j)) = v(i - 1)", "lhardmax(l. l/n, i - 1, j)*v(j)) = v(1)"),
        ("rhardmax(l. -pow(-1, i)*pow(-1, l), i, j)", "hardmax(l. -pow(-1, i)*pow(-1, l), i, j)"),
        ("rhardmax(l. -pow(-1, i)*pow(-1, l), i, j)", "lhardmax(l. -pow(-1, i)*pow(-1, l), i, j)"),
        ("pow(-1, l) - 1/l", "pow(-1, l)"),
        ("pow(-1, l) - 1/l", "pow(-1, l) + 1/l"),
    ],
)
def t2_predecessor_corrected(v: Any) -> bool | None:
    values = list(v["v()"].values())
    if not values:
        return None
    inside = all(0 <= e <= 1 for e in values)
    right = (not inside or formula(values)[1:] == values[:-1]) and strict_lookups(values, KINDS[1:])
    return right and one_head(values, "rightmost", broken=False) and one_head(values, "average", broken=True)


def lookup_instances() -> Iterator[dict[str, Any]]:
    for n in range(1, 5):
        for q in range(n + 2):
            for gamma in (F(-1), F(1, 2), F(2)):
                v = [F(1) if j != q else F(-1) for j in range(1, n + 1)] if gamma == 2 else [number() for _ in range(n)]
                if (1 <= q <= n and gamma > 0) or n == 2:
                    yield {
                        "n": F(n),
                        "q": F(q),
                        "v()": column(v),
                        "gamma": gamma,
                        "B": [max(map(abs, v)), max(map(abs, v)) / 9 - 1],
                        **asking(n, q, gamma, v),
                    }


def asking(n: int, q: int, gamma: F, v: list[F]) -> dict[str, Any]:
    """Every position asks for q: what average-hard attention and softmax find."""
    scores = [F(2 * q * j - j * j) for j in range(1, n + 1)]
    found = [attend("average", scores, v), attend("softmax", [gamma * s for s in scores], v)]
    return {
        "g_gamma": [gamma, gamma + 1],
        "g_query()": column([q] * n),
        "g_one()": column([1] * n),
        "g_index()": column(range(1, n + 1)),
        "g_square()": column(j * j for j in range(1, n + 1)),
        "g_value()": column(v),
        "g_found()": [{i: one for i in range(1, n + 1)} for one in (*found, found[0] + ODD)],
    }


@adequate(
    "t2.index_lookup",
    at=lookup_instances(),
    misses=[
        ("rhardmax(l. 2*q*l - l^2, n, j)*v(j)) = v(q)", "rhardmax(l. 2*q*l - l^2, n, j)*v(j)) = v(1)"),
        ("rhardmax(l. 2*q*l - l^2, n, j)*v(j)) = v(q)", "rhardmax(l. q*l - l^2, n, j)*v(j)) = v(q)"),
        ("<= 4*exp(-gamma)*B", "<= exp(-gamma)*B"),
        ("<= 4*exp(-gamma)*B", "<= 0"),
        ("<= 4*exp(-gamma)*B", "<= 4*exp(-2*gamma)*B"),
        ("& (all j in 1..n. abs(v(j)) <= B)", ""),
        ("g_query(i) = q -> g_found(i) = g_value(q)", "g_query(i) = q -> g_found(i) = g_value(1)"),
        ("run(family-lookup-quadratic; ; g_) ->", ""),
    ],
)
def index_lookup(v: Any) -> bool | None:
    n, q, gamma = int(v["n"]), int(v["q"]), v["gamma"]
    if not 1 <= q <= n or gamma <= 0:
        return None
    values = list(v["v()"].values())
    scores = [F(2 * q * j - j * j) for j in range(1, n + 1)]
    exact = all(attend(kind, scores, values) == values[q - 1] for kind in KINDS[1:])
    error = abs(attend("softmax", [gamma * s for s in scores], values) - real(values[q - 1]))
    return exact and bool(error <= 4 * CONTEXT.exp(-real(gamma)) * real(v["B"][0]) + SLACK)


# Section 5.5: several heads


def head_weights(kind: str, Q: Any, K: Any, x: Any, n: int) -> list[list[Any]]:
    """The attention weights of one head: x is a list of coordinates, each a list over positions."""
    queries, keys = (
        [[sum((w * x[b][i] for b, w in enumerate(row)), F(0)) for row in M] for i in range(n)] for M in (Q, K)
    )
    return [weights(kind, [sum((a * b for a, b in zip(q, k, strict=True)), F(0)) for k in keys]) for q in queries]


def head_output(rows: Any, V: Any, x: Any, n: int) -> list[list[Any]]:
    values = [[sum((w * x[b][j] for b, w in enumerate(row)), F(0)) for j in range(n)] for row in V]
    return [[plain_dot(rows[i], value) for i in range(n)] for value in values]


def three(lists: Any) -> dict[tuple[int, int, int], Any]:
    return {(h, a, b): e for h, M in enumerate(lists, 1) for a, row in enumerate(M, 1) for b, e in enumerate(row, 1)}


def head_instances(accumulate: bool) -> Iterator[dict[str, Any]]:
    """Heads on x, and the stack of single-head layers simulated: a block for each head, or one for their sum."""
    for H, n, d, m in ((0, 1, 1, 1), (1, 1, 1, 1), (2, 2, 1, 1), (2, 2, 2, 1), (3, 2, 1, 2), (2, 3, 1, 1)):
        for kind, other in zip(KINDS, (*KINDS[:3], "average"), strict=True):
            Q, K = ([[[number() / 2 for _ in range(d)] for _ in range(m)] for _ in range(H)] for _ in "QK")
            V = [[[number() for _ in range(d)] for _ in range(d)] for _ in range(H)]
            x = [[number() for _ in range(n)] for _ in range(d)]
            if kind != other:
                Q = [[[F(0) for _ in row] for row in M] for M in Q]  # ties, which the two weightings treat differently
                if n < 2 or H < 2:
                    continue
            rows = [head_weights(kind, Q[h], K[h], x, n) for h in range(H)]
            beta = [head_weights(other, Q[h], K[h], x, n) for h in range(H)]
            outputs = [head_output(rows[h], V[h], x, n) for h in range(H)]
            single = [head_output(beta[h], V[h], x, n) for h in range(H)]
            z: dict[tuple[int, int, int, int], Any] = {}
            for c, i in itertools.product(range(d), range(n)):
                for h in range(H + 1):
                    z[h, 0, c + 1, i + 1] = x[c][i]
                    for r in range(1, H + 1):
                        written = [single[k][c][i] for k in range(h) if accumulate or k + 1 == r]
                        if not accumulate or r == 1:
                            z[h, r, c + 1, i + 1] = plain_dot(written, [F(1)] * len(written)) if written else F(0)
            heads_sum = [[plain_dot([o[c][i] for o in outputs], [F(1)] * H) for i in range(n)] for c in range(d)]
            stacked = [[plain_dot([o[c][i] for o in single], [F(1)] * H) for i in range(n)] for c in range(d)]
            yield {
                "H": F(H),
                "k": F(H),
                "n": F(n),
                "d": F(d),
                "m": F(m),
                "Q()": three(Q),
                "K()": three(K),
                "V()": three(V),
                "x()": table(x),
                "alpha()": three(rows),
                "beta()": three(beta),
                "z()": z,
                "y()": [
                    {(c, i): e + extra for c, row in enumerate(stacked, 1) for i, e in enumerate(row, 1)}
                    for extra in ([F(0), ODD] if all(isinstance(e, F) for row in stacked for e in row) else [0])
                ],
                "same": kind == other,
                "heads": heads_sum,
                "stack": stacked,
            }


CONCLUSION = "sum(h, 1, H, sum(j, 1, n, alpha(h, i, j)*headvalue(V, d, h, x, c, j)))"
HEAD_MISSES = [
    (CONCLUSION, CONCLUSION.replace("h, 1, H", "h, 2, H")),
    (CONCLUSION, CONCLUSION.replace("j, 1, n", "j, 1, n - 1")),
    (CONCLUSION, CONCLUSION.replace("alpha(h, i, j)", "alpha(1, i, j)")),
    (CONCLUSION, CONCLUSION.replace("alpha(h, i, j)", "alpha(h, j, i)")),
    (CONCLUSION, CONCLUSION.replace("V, d, h, x, c, j", "V, d, 1, x, c, j")),
    (CONCLUSION, CONCLUSION.replace("V, d, h, x, c, j", "V, d, h, x, c, i")),
]


@adequate(
    "s5.5.multihead",
    at=head_instances(False),
    misses=[
        *HEAD_MISSES,
        ("-> all j in 1..n. alpha(h, i, j) = beta(h, i, j)", "-> all j in 1..n. alpha(h, i, j) = alpha(h, i, j)"),
    ],
)
def multihead(v: Any) -> bool | None:
    return stacked(v)


@adequate("t2.multihead", at=head_instances(False), misses=HEAD_MISSES)
def table_multihead(v: Any) -> bool | None:
    return stacked(v)


def stacked(v: Any) -> bool | None:
    """The stack gives the sum of the heads, where both use one weighting."""
    if v["H"] < 1 or not v["same"]:
        return None
    pairs = zip(v["heads"], v["stack"], strict=True)
    return all(same(a, b) for left, right in pairs for a, b in zip(left, right, strict=True))


@adequate(
    "yang2026.s2.heads",
    at=head_instances(True),
    misses=[
        *(
            (old.replace("h, 1, H", "h, 1, k"), new.replace("h, 1, H", "h, 1, k").replace("h, 2, H", "h, 2, k"))
            for old, new in HEAD_MISSES
        ),
        ("= x(c, i) + sum", "= sum"),
        ("-> all j in 1..n. alpha(h, i, j) = beta(h, i, j)", "-> all j in 1..n. alpha(h, i, j) = alpha(h, i, j)"),
    ],
)
def accumulated(v: Any) -> bool | None:
    return stacked(v)


# yang2026, Proposition 10


def uniform(values: Sequence[F], past: bool) -> list[F]:
    """Uniform attention to 1..i, or past-masked to i..n."""
    n = len(values)
    windows = [values[i:] if past else values[: i + 1] for i in range(n)]
    return [sum(w, F(0)) / len(w) for w in windows]


def prop10_instances(past: bool) -> Iterator[dict[str, Any]]:
    for n in range(8):
        c = uniform([F(-1) ** (j + 1) for j in range(1, n + 1)], past)
        f = [mark(e) + (mark(-e) if past else 0) for e in c]
        g = uniform(f, past)
        for s in ([F(0)] * n, [F(j) for j in range(n)]):
            if any(s) and n not in (3, 4):
                continue
            yield {
                "n": F(n),
                "s()": column(s),
                "c()": [column(c), column(e + ODD for e in c)],
                "f()": [column(f), column(e + ODD for e in f)],
                "g()": [column(g), column(e + ODD for e in g)],
            }


def prop10(v: Any, past: bool) -> tuple[list[F], list[F], list[F]] | None:
    n = int(v["n"])
    if n < 1 or any(v["s()"].values()):
        return None
    c = uniform([F(-1) ** (j + 1) for j in range(1, n + 1)], past)
    f = [mark(e) + (mark(-e) if past else 0) for e in c]
    return c, f, uniform(f, past)


@adequate(
    "yang2026.prop10a",
    at=prop10_instances(False),
    misses=[
        ("c(i) <= 1/3", "c(i) <= 1/4"),
        ("c(i) <= 1/3", "c(i) < 1/3"),
        ("all i in 2..n. c(i)", "all i in 1..n. c(i)"),
        ("f(i) = I[i = 1]", "f(i) = I[i = n]"),
        ("f(i) = I[i = 1]", "c(i) = I[i = 1]"),
        ("c(1) = 1", "c(1) = -1"),
    ],
)
def prop10a(v: Any) -> bool | None:
    found = prop10(v, False)
    if found is None:
        return None
    c, f, _ = found
    return c[0] == 1 and all(e <= F(1, 3) for e in c[1:]) and f == [F(i == 0) for i in range(len(f))]


def last_positions() -> Iterator[dict[str, Any]]:
    """With a run of the stored model: its mean is c and its last mark f."""
    for v in prop10_instances(True):
        n = int(v["n"])
        yield v | {
            "w()": column([F(0)] * n),
            "alternating()": column(F(-1) ** i for i in range(1, n + 1)),
            "mean()": v["c()"],
            "last()": v["f()"],
        }


@adequate(
    "yang2026.prop10b",
    at=last_positions(),
    misses=[
        ("last(i) = I[i = n]", "last(i) = I[i = 1]"),
        ("last(i) = I[i = n]", "mean(i) = I[i = n]"),
        ("c(i) <= 1/3", "c(i) <= 1/4"),
        ("-1/3 <= c(i)", "0 <= c(i)"),
        ("-1/3 <= c(i)", "-1/3 < c(i)"),
        ("all i in 1..n - 1.", "all i in 1..n."),
        ("f(i) = I[i = n]", "f(i) = I[i = 1]"),
        ("(c(n) = 1 | c(n) = -1)", "c(n) = 1"),
    ],
)
def prop10b(v: Any) -> bool | None:
    found = prop10(v, True)
    if found is None:
        return None
    c, f, _ = found
    inside = all(-F(1, 3) <= e <= F(1, 3) for e in c[:-1])
    return c[-1] in (1, -1) and inside and f == [F(i == len(f) - 1) for i in range(len(f))]


@adequate(
    "yang2026.prop10c",
    at=prop10_instances(False),
    misses=[
        ("g(i) = 1/i", "g(i) = 1/n"),
        ("g(i) = 1/i", "g(i) = 1/(i + 1)"),
        ("g(i) = 1/i", "g(i) = 1/(n + 1 - i)"),
        ("g(i) = 1/i", "g(i) = f(i)"),
    ],
)
def prop10c(v: Any) -> bool | None:
    found = prop10(v, False)
    return found and found[2] == [F(1, i) for i in range(1, len(found[2]) + 1)]


@adequate(
    "yang2026.prop10d",
    at=prop10_instances(True),
    misses=[
        ("1/(n + 1 - i)", "1/i"),
        ("1/(n + 1 - i)", "1/(n + 2 - i)"),
        ("1/(n + 1 - i)", "1/n"),
        ("g(i) = 1/(n + 1 - i)", "g(i) = f(i)"),
    ],
)
def prop10d(v: Any) -> bool | None:
    found = prop10(v, True)
    n = int(v["n"])
    return found and found[2] == [F(1, n + 1 - i) for i in range(1, n + 1)]
