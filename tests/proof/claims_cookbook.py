"""The claims of the Cookbook on networks, attention and their pieces, from the paper's words and printed matrices."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any

from proof.adequacy import ODD, adequate, column, draws, table, wrong
from proof.paper import same, softmax, times
from proof.statement_truth import CONTEXT, SLACK, real
from shared import relu

F = Fraction
GRID = [F(p, q) for q in (1, 3) for p in range(-2 * q, 2 * q + 1)]
SMALL = [F(-1), F(-1, 3), F(0), F(1, 2), F(2)]
RANDOM = draws(20)


def number() -> F:
    return F(RANDOM.randint(-12, 12), RANDOM.randint(1, 6))


# --- Networks and attention as the paper defines them (Definitions 2.3, 2.5 and 5.1), dense --------------------------


def network(parameters: Any, *x: Any) -> list[F]:
    """W2 relu(W1 x + b1) + b2."""
    W1, b1, W2, b2 = parameters
    hidden = [relu(a + b) for a, b in zip(times(W1, x), b1, strict=True)]
    return [a + b for a, b in zip(times(W2, hidden), b2, strict=True)]


def identity(d: int) -> list[list[int]]:
    return [[int(r == c) for c in range(d)] for r in range(d)]


def minus(rows: Any) -> Any:
    return [[-e for e in row] for row in rows]


def printed(name: str, eps: Any = None, d: int = 1) -> Any:
    """The matrices that the paper prints, with the first bias and so on as lists."""
    one = identity(d)
    beside = [[*a, *b] for a, b in zip(one, minus(one), strict=True)]
    return {
        "zero": lambda: ([[0] * d] * d, [0] * d, [[0] * d] * d, [0] * d),
        "identity": lambda: (one + minus(one), [0] * 2 * d, beside, [0] * d),
        "min": lambda: ([[1, 0], [-1, 0], [1, -1]], [0] * 3, [[1, -1, -1]], [0]),
        "max": lambda: ([[1, 0], [-1, 0], [-1, 1]], [0] * 3, [[1, -1, 1]], [0]),
        "add": lambda: ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0] * 4, [[1, -1, 1, -1]], [0]),
        "subtract": lambda: ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0] * 4, [[1, -1, -1, 1]], [0]),
        "gtzero": lambda: ([[1], [1]], [0, -eps], [[1 / eps, -1 / eps]], [0]),
        "gezero": lambda: ([[1], [1]], [eps, 0], [[1 / eps, -1 / eps]], [0]),
        "eqzero": lambda: ([[1], [1], [1]], [eps, 0, -eps], [[1 / eps, -2 / eps, 1 / eps]], [0]),
        "gtzero-input": lambda: ([[1, 0], [1, -1]], [0, 0], [[1, -1]], [0]),
        "gezero-input": lambda: ([[1, 1], [1, 0]], [0, 0], [[1, -1]], [0]),
        "eqzero-input": lambda: ([[1, 1], [1, 0], [1, -1]], [0, 0, 0], [[1, -2, 1]], [0]),
        "if": lambda: ([[1, 1, 0], [-1, 0, 1]], [-1, 0], [[1, 1]], [0]),
    }[name]()


def scores_of(Q: Any, K: Any, rows: Any, i: int) -> list[F]:
    query = times(Q, rows[i])
    return [sum((a * b for a, b in zip(query, times(K, row), strict=True)), F(0)) for row in rows]


def ahardmax(scores: list[F]) -> list[F]:
    best = [j for j, s in enumerate(scores) if all(s >= t for t in scores)]
    return [F(int(j in best), len(best)) for j in range(len(scores))]


# --- The claims and their instances -----------------------------------------------------------------------------------

# Section 4.3 to 4.6: identity, extrema, sums, products by constants


def vectors() -> Iterator[list[F]]:
    yield from ([x] for x in SMALL)
    yield from ([number() for _ in range(d)] for d in (2, 2, 3, 5))


def zero_instances() -> Iterator[dict[str, Any]]:
    for x in vectors():
        y = [a + b for a, b in zip(x, network(printed("zero", d=len(x)), *x), strict=True)]
        yield {"x": x[0], "z1_x": wrong(y[0]), "d": F(len(x)), "x()": column(x), "y()": column(y)}


@adequate(
    "s4.3.zero",
    at=zero_instances(),
    misses=[("z1_x = x)", "z1_x = 2*x)"), ("all i in 1..d. y(i) = x(i))", "all i in 1..d. y(i) = relu(x(i)))")],
)
def zero(v: Any) -> bool:
    x = list(v["x()"].values())
    return [a + b for a, b in zip(x, network(printed("zero", d=len(x)), *x), strict=True)] == x


@adequate(
    "s4.3.id_scalar",
    at=[{"x": x, "out": wrong(network(printed("identity"), x)[0])} for x in GRID],
    misses=[("out = x", "out = abs(x)"), ("out = x", "out = relu(x)")],
)
def id_scalar(v: Any) -> bool:
    return network(printed("identity"), v["x"]) == [v["x"]]


def id_instances() -> Iterator[dict[str, Any]]:
    for x in vectors():
        y = network(printed("identity", d=len(x)), *x)
        both = [column(y), column([*y[:-1], y[-1] + 1])]
        yield {"d": F(len(x)), "x()": column(x), "y()": both, "g_x()": column(x), "g_out()": both}


@adequate(
    "s4.3.id_vector",
    "t1.identity",
    at=[*id_instances(), {"d": F(0), "x()": {}, "y()": {}, "g_x()": {}, "g_out()": {}}],
    misses=[
        ("y(i) = x(i)", "y(i) = relu(x(i))"),
        ("y(i) = x(i)", "y(i) = x(d)"),
        ("g_out(c) = g_x(c)", "g_out(c) = g_x(d)"),
        ("run(family-identity; ; g_) ->", ""),
    ],
    still_true=[("1 <= d", "0 <= d")],
)
def id_vector(v: Any) -> bool | None:
    x = list(v["x()"].values())
    return network(printed("identity", d=len(x)), *x) == x if x else None


PAIRS = [*itertools.product(SMALL, SMALL), (F(10**9), F(1, 10**9)), *((number(), number()) for _ in range(20))]


def of_pairs(*names: str) -> list[dict[str, Any]]:
    """x, y and the outputs of these networks, with values beside them."""
    return [{"x": x, "y": y, "out": [o for n in names for o in wrong(network(printed(n), x, y)[0])]} for x, y in PAIRS]


@adequate(
    "s4.4.min",
    at=of_pairs("min"),
    misses=[("out = min(x, y)", "out = max(x, y)"), ("x - relu(x - y)", "x - relu(y - x)")],
)
def minimum(v: Any) -> bool:
    x, y = v["x"], v["y"]
    out = network(printed("min"), x, y)
    return out == [x - relu(x - y)] == [x if x <= y else y]


@adequate(
    "s4.4.max",
    at=of_pairs("max"),
    misses=[("out = max(x, y)", "out = min(x, y)"), ("x + relu(y - x)", "x + relu(x - y)")],
)
def maximum(v: Any) -> bool:
    x, y = v["x"], v["y"]
    out = network(printed("max"), x, y)
    return out == [x + relu(y - x)] == [y if x <= y else x]


@adequate(
    "t1.minmax",
    at=of_pairs("min", "max"),
    misses=[("out = min(x, y)", "out < max(x, y)"), ("out = max(x, y)", "y < out | out = x")],
)
def minmax(v: Any) -> bool:
    return minimum(v) and maximum(v)  # type: ignore[return-value]


@adequate(
    "t1.addsub",
    at=of_pairs("add", "subtract"),
    misses=[("out = x + y", "out = x - y"), ("out = x - y", "out = y - x")],
)
def addsub(v: Any) -> bool:
    x, y = v["x"], v["y"]
    return network(printed("add"), x, y) == [x + y] and network(printed("subtract"), x, y) == [x - y]


def add_instances() -> Iterator[dict[str, Any]]:
    for pair, x in zip(of_pairs("add", "subtract"), itertools.cycle(vectors()), strict=False):
        yield pair | {"d": F(len(x)), "x()": column(x), "a()": column(number() for _ in x)}


@adequate(
    "s4.5.add",
    at=add_instances(),
    misses=[("out = x + y", "out = max(x, y)"), ("a(l)*x(l))", "a(l)*relu(x(l)))"), ("out = x - y", "out < x")],
)
def add(v: Any) -> bool:
    """Addition, subtraction, and a linear function by the same pattern: units x_l and -x_l, weights a_l and -a_l."""
    x, a = list(v["x()"].values()), list(v["a()"].values())
    one = identity(len(x))
    linear = (one + minus(one), [0] * 2 * len(x), [a + [-e for e in a]], [0])
    return addsub(v) and network(linear, *x) == times([a], x)  # type: ignore[return-value]


def scale_instances() -> list[dict[str, Any]]:
    return [{"c": c, "x": x, "out": wrong(c * relu(x) - c * relu(-x))} for c, x in PAIRS]


@adequate(
    "s4.6.const_mul",
    at=scale_instances(),
    misses=[("out = c*x", "out = c*relu(x)"), ("= c*x)", "= abs(c)*x)")],
)
def const_mul(v: Any) -> bool:
    """The routing lemma multiplies W2 (after) or W1 (before) by c."""
    W1, b1, W2, b2 = printed("identity")
    after = (W1, b1, [[v["c"] * w for w in W2[0]]], b2)
    before = ([[v["c"] * w for w in row] for row in W1], b1, W2, b2)
    return network(after, v["x"]) == network(before, v["x"]) == [v["c"] * v["x"]]


@adequate(
    "t1.mulconst",
    at=scale_instances(),
    misses=[("out = c*x", "out = abs(c)*x"), ("out = c*x", "out = c*abs(x)")],
)
def mulconst(v: Any) -> bool:
    return const_mul(v)  # type: ignore[return-value]


# Section 4.7: comparisons

EPSILONS = [F(1), F(1, 2), F(1, 10**6), F(1000), F(0), F(-1)]


def around(eps: F) -> list[F]:
    return [*GRID, *(eps * f for f in (F(-3, 2), F(-1), F(-3, 4), F(-1, 2), F(1, 2), F(3, 4), F(1), F(3, 2)))]


def comparator_instances(name: str) -> Iterator[dict[str, Any]]:
    for eps in EPSILONS:
        for x in around(eps):
            out = network(printed(name, eps), x)[0] if eps > 0 else F(0)
            yield {"eps": eps, "x": x, "out": wrong(out)}


def by_cases(out: F, *cases: tuple[bool, F]) -> bool:
    """Each case that applies must give the output: a formula by cases that overlap says all of them."""
    assert any(holds for holds, _ in cases)
    return all(out == value for holds, value in cases if holds)


@adequate(
    "s4.7.gtzero",
    at=comparator_instances("gtzero"),
    misses=[("(x <= 0 | eps <= x", "(x <= 0 | eps/2 <= x"), ("I[0 < x]", "I[0 <= x]"), ("out = x/eps", "out = x")],
)
def gtzero(v: Any) -> bool | None:
    eps, x = v["eps"], v["x"]
    if eps <= 0:
        return None
    (out,) = network(printed("gtzero", eps), x)
    exact_there = not (x <= 0 or x >= eps) or out == int(x > 0)
    return exact_there and by_cases(out, (x <= 0, F(0)), (0 < x < eps, x / eps), (eps <= x, F(1)))


@adequate(
    "s4.7.gezero",
    at=comparator_instances("gezero"),
    misses=[("(x <= -eps | 0 <= x", "(x <= -eps/2 | 0 <= x"), ("I[0 <= x]", "I[0 < x]"), ("1 + x/eps", "1 + x")],
)
def gezero(v: Any) -> bool | None:
    eps, x = v["eps"], v["x"]
    if eps <= 0:
        return None
    (out,) = network(printed("gezero", eps), x)
    exact_there = not (x <= -eps or x >= 0) or out == int(x >= 0)
    return exact_there and by_cases(out, (x <= -eps, F(0)), (-eps < x < 0, 1 + x / eps), (x >= 0, F(1)))


@adequate(
    "s4.7.eqzero",
    at=comparator_instances("eqzero"),
    misses=[("(x = 0 | eps <= abs(x)", "(x = 0 | eps/2 <= abs(x)"), ("1 - abs(x/eps)", "1 - abs(x)")],
)
def eqzero(v: Any) -> bool | None:
    eps, x = v["eps"], v["x"]
    if eps <= 0:
        return None
    (out,) = network(printed("eqzero", eps), x)
    exact_there = not (x == 0 or abs(x) >= eps) or out == int(x == 0)
    size = abs(x)
    return exact_there and by_cases(out, (size >= eps, F(0)), (0 < size < eps, 1 - abs(x / eps)), (x == 0, F(1)))


TESTS: dict[str, Callable[[F], bool]] = {
    "gtzero": lambda x: x > 0,
    "gezero": lambda x: x >= 0,
    "eqzero": lambda x: x == 0,
}


def all_comparators() -> Iterator[dict[str, Any]]:
    for eps in EPSILONS:

        def outputs(env: Any, eps: F = eps) -> list[F]:
            return [network(printed(name, eps), env["x"])[0] for name in TESTS] if eps > 0 else [F(0)]

        for x in around(eps):
            yield {"eps": eps, "x": [x, eps / 2, -eps / 2], "out": outputs}


@adequate(
    "t1.comparators",
    at=all_comparators(),
    misses=[
        ("x <= 0 | eps <= x -> out", "x <= 0 | eps/2 <= x -> out"),
        ("run(gtzero) & out != I[0 < x]", "run(gtzero) & eps <= x & out != I[0 < x]"),
        ("run(eqzero) & out != I[x = 0]", "run(eqzero) & x = 0 & out != I[x = 0]"),
    ],
)
def comparators(v: Any) -> bool | None:
    """Exact where x is outside the window of width eps, and inside it not a comparison, whatever eps > 0 is."""
    eps = v["eps"]
    if eps <= 0:
        return None
    outside: dict[str, Callable[[F], bool]] = {
        "gtzero": lambda x: x <= 0 or x >= eps,
        "gezero": lambda x: x <= -eps or x >= 0,
        "eqzero": lambda x: x == 0 or abs(x) >= eps,
    }
    for name, test in TESTS.items():
        answers = {x: network(printed(name, eps), x)[0] == int(test(x)) for x in v["x"]}
        if all(answers.values()) or any(not good and outside[name](x) for x, good in answers.items()):
            return False
    return True


def input_instances(name: str) -> list[dict[str, Any]]:
    pairs = [(x, t) for t in (F(1), F(1, 3), F(0), F(-1, 2), F(-2), F(10**6)) for x in (*SMALL, F(-3, 4), t, t / 2, -t)]
    return [{"x": x, "tolerance": t, "out": wrong(network(printed(name), x, t)[0])} for x, t in pairs]


def input_cases(name: str, x: F, t: F) -> bool:
    """Equations (32) to (34)."""
    (out,) = network(printed(name), x, t)
    size = abs(x)
    return {
        "gtzero-input": lambda: by_cases(out, (x <= 0, F(0)), (0 < x < t, x), (t <= x, t)),
        "gezero-input": lambda: by_cases(out, (x <= -t, F(0)), (-t < x < 0, x + t), (x >= 0, t)),
        "eqzero-input": lambda: by_cases(out, (size >= t, F(0)), (0 < size < t, t - size), (x == 0, t)),
    }[name]()


DROPPED = ("0 <= tolerance ->", "-1 <= tolerance ->")
INPUT_MISSES = {
    "gtzero": [DROPPED, ("(tolerance <= x", "(tolerance/2 <= x")],
    "gezero": [DROPPED, ("(0 <= x", "(-tolerance/2 <= x")],
    "eqzero": [DROPPED, ("(tolerance <= abs(x)", "(tolerance/2 <= abs(x)")],
}


def register_inputs(short: str, name: str) -> None:
    @adequate(f"s4.7.{short}_input", at=input_instances(name), misses=INPUT_MISSES[short])
    def with_tolerance(v: Any) -> bool | None:
        return input_cases(name, v["x"], v["tolerance"]) if v["tolerance"] >= 0 else None


for _short in INPUT_MISSES:
    register_inputs(_short, f"{_short}-input")


# Section 4.8: Boolean functions


@adequate(
    "s4.8.connectives",
    at=[{"x": x, "y": y} for x, y in itertools.product((F(0), F(1), F(1, 2), F(-1)), repeat=2)],
    misses=[("bit(x) & bit(y)", "0 <= x & x <= 1 & bit(y)"), ("x = 1 | y = 1", "x = 1 | y = 0")],
)
def connectives(v: Any) -> bool | None:
    x, y = v["x"], v["y"]
    if not {x, y} <= {0, 1}:
        return None
    return (min(x, y) == 1) == (x == 1 and y == 1) and (max(x, y) == 1) == (x == 1 or y == 1) and 1 - x == int(x != 1)


def bit_pairs(least: int) -> Iterator[dict[str, Any]]:
    for m in range(least, 4):
        for a, x in itertools.product(itertools.product((0, 1), repeat=m), repeat=2):
            yield {"m": F(m), "a()": column(a), "x()": column(x)}
    yield {"m": F(2), "a()": column((1, 1)), "x()": column((2, 0))}
    yield {"m": F(2), "a()": column((1, 2)), "x()": column((1, 1))}
    yield {"m": F(1), "a()": column((0,)), "x()": column((-1,))}


def are_bits(*vectors: Any) -> bool:
    return all(e in (0, 1) for vector in vectors for e in vector)


@adequate(
    "s4.8.hidden_indicator",
    at=bit_pairs(0),
    misses=[
        ("bit(a(i)) & bit(x(i))", "bit(a(i))"),
        ("(m/2 - 1)", "m/2"),
        ("sum(i, 1, m, a(i)) + 1) = I[all", "sum(i, 1, m, a(i)) + 2) = I[all"),
    ],
)
def hidden_indicator(v: Any) -> bool | None:
    a, x = list(v["a()"].values()), list(v["x()"].values())
    if not are_bits(a, x):
        return None
    dot = sum((2 * p - 1) * (2 * q - 1) for p, q in zip(a, x, strict=True))
    first = relu(F(dot, 2) - (F(len(x), 2) - 1))
    second = relu(2 * sum(p * q for p, q in zip(a, x, strict=True)) - sum(x) - sum(a) + F(1))
    third = relu(sum((2 * p - 1) * q for p, q in zip(a, x, strict=True)) - sum(a) + F(1))
    return first == second == third == int(a == x)


@adequate(
    "s4.8.pm_dot",
    at=bit_pairs(0),
    misses=[("bit(a(i)) & bit(x(i))", "bit(a(i))"), ("= m)", "= m - 2)")],
    still_true=[("1 <= m", "0 <= m")],
)
def pm_dot(v: Any) -> bool | None:
    a, x = list(v["a()"].values()), list(v["x()"].values())
    if not are_bits(a, x) or not x:
        return None
    signs, others = [2 * p - 1 for p in a], [2 * q - 1 for q in x]
    return (signs == others) == (sum(p * q for p, q in zip(signs, others, strict=True)) == len(x))


def numbered(m: int) -> list[list[int]]:
    """xi_0, xi_1, ...: the binary digits of k, the last digit last, as the displayed rows have them."""
    return [[int(digit) for digit in format(k, f"0{m}b")] if m else [] for k in range(2**m)]


def boolean_instances() -> Iterator[dict[str, Any]]:
    for m in range(4):
        for phi in itertools.islice(itertools.product((0, 1), repeat=2**m), None, None, max(1, 2 ** (2**m) // 9)):
            for x in [*itertools.product((0, 1), repeat=m), *([(2, *(0,) * (m - 1))] if m else [])]:
                p = sum(digit * 2 ** (m - i) for i, digit in enumerate(x, 1))
                yield {
                    "m": F(m),
                    "b()": {j: F(2**j) for j in range(m + 1)},
                    "xi()": {(k, i): F(0) for k in range(8) for i in range(1, m + 1)} | table(numbered(m), 0),
                    "phi()": [{k: F(phi[k]) if k < len(phi) else F(0) for k in range(20)}],
                    "x()": column(x),
                    "p": [F(p), F(p + 1)],
                }


BOOLEAN_MISSES = [
    ("(all i in 1..m. bit(x(i))) -> p", "p"),
    ("(1 - sum(i, 1, m, xi(k, i)))", "(2 - sum(i, 1, m, xi(k, i)))"),
    ("= phi(p)", "= 1 - phi(p)"),
]
SHOWN_MISSES = [
    ("2*xi(0, i) - 1 = -1", "2*xi(0, i) - 1 = 1"),
    ("1 - sum(i, 1, m, xi(0, i)) = 1", "1 - sum(i, 1, m, xi(0, i)) = 0"),
    ("2*I[i = m] - 1", "2*I[i = 1] - 1"),
    ("2*I[i = m - 1] - 1", "2*I[i = m] - 1"),
    ("(2 <= m ->", "(1 <= m ->"),
    ("= -m + 1", "= m + 1"),
]


def boolean(v: Any) -> bool | None:
    x = [int(e) for e in v["x()"].values()]
    if not are_bits(x):
        return None
    rows = numbered(len(x))
    phi = {tuple(xi): v["phi()"][0][k] for k, xi in enumerate(rows)}
    W1 = [[2 * e - 1 for e in xi] for xi in rows]
    return network((W1, [1 - sum(xi) for xi in rows], [list(phi.values())], [0]), *x) == [phi[tuple(x)]]


def whole_tables() -> Iterator[dict[str, Any]]:
    """With the family's rows, numbered from 1, where M is given."""
    for v in boolean_instances():
        m, x = int(v["m"]), list(v["x()"].values())
        rows, phi = numbered(m), v["phi()"][0]
        here = {(r, c): F(bit) for r, row in enumerate(rows, 1) for c, bit in enumerate(row, 1)}
        values = {r: phi[r - 1] for r in range(1, 2**m + 1)}
        units = (1 - sum(row) + sum((2 * bit - 1) * e for bit, e in zip(row, x, strict=True)) for row in rows)
        out = sum((phi[k] * max(F(0), unit) for k, unit in enumerate(units)), F(0))  # of any numbers, bits or not
        chosen = {
            "xi()": lambda env, a=v["xi()"], b=here: [b if "M" in env else a],
            "phi()": lambda env, a=v["phi()"], b=values: [b] if "M" in env else a,
        }
        yield v | chosen | {"M": F(2**m), "p()": column(x), "out": wrong(out), "table": phi}


@adequate(
    "t1.boolean",
    at=whole_tables(),
    misses=[
        *BOOLEAN_MISSES,
        ("out = phi(r)", "out = 1 - phi(r)"),
        ("(all c in 1..m. p(c) = xi(r, c)) -> out", "p(1) = xi(r, 1) -> out"),
    ],
)
def every_table(v: Any) -> bool | None:
    found = boolean({**v, "phi()": [v["table"]]})
    return True if found is None else found  # any numbers are inputs of the family's, and out is right


@adequate(
    "s4.8.boolean_ffn",
    at=whole_tables(),
    misses=[*BOOLEAN_MISSES, *SHOWN_MISSES, ("out = phi(r)", "out = phi(1)"), ("out = phi(r)", "out = phi(r) + 1")],
)
def boolean_shown(v: Any) -> bool | None:
    """And the display: rows of -1, with 1 last or last but one, and of 1; biases 1, 0, 0 and -m + 1."""
    m = len(v["x()"])
    rows = [[2 * e - 1 for e in xi] for xi in numbered(m)]
    shown = [[-1] * m, [-1] * (m - 1) + [1], [-1] * (m - 2) + [1, -1]][: 1 + min(m, 2)]
    biases = [1 - sum(xi) for xi in numbered(m)]
    display = rows[: len(shown)] == shown and rows[-1] == [1] * m and biases[: len(shown)] == [1, 0, 0][: len(shown)]
    computed = boolean({**v, "phi()": [v["table"]]})
    return True if computed is None else computed and display and biases[-1] == -m + 1  # as every_table


# Section 4.9


def if_instances() -> list[dict[str, Any]]:
    values = (F(0), F(1, 3), F(1), F(2), F(-1, 2))
    return [
        {"p": p, "x": x, "y": y, "out": wrong(network(printed("if"), p, x, y)[0])}
        for p, x, y in itertools.product((F(0), F(1), F(1, 2), F(2)), values, values)
    ]


def chooses(v: Any) -> bool:
    return network(printed("if"), v["p"], v["x"], v["y"]) == [v["x"] if v["p"] == 1 else v["y"]]


def in_unit(v: Any) -> bool:
    return v["p"] in (0, 1) and 0 <= v["x"] <= 1 and 0 <= v["y"] <= 1


IF_MISSES = [("x <= 1", "x <= 2"), ("0 <= y", "-1 <= y"), ("(p = 1 -> out = x)", "(p = 1 -> out = y)")]


@adequate("s4.9.conditional", at=if_instances(), misses=[*IF_MISSES, ("relu(y - p)", "relu(y) - p")])
def conditional(v: Any) -> bool | None:
    p, x, y = v["p"], v["x"], v["y"]
    if not in_unit(v):
        return None
    return chooses(v) and network(printed("if"), p, x, y) == [relu(p + x - 1) + relu(y - p)]


@adequate("t1.conditional", at=if_instances(), false=True)
def conditional_of_reals(v: Any) -> bool | None:
    return chooses(v) if v["p"] in (0, 1) else None


@adequate("t1.conditional.corrected", at=if_instances(), misses=IF_MISSES)
def conditional_of_unit(v: Any) -> bool | None:
    return chooses(v) if in_unit(v) else None


# Sections 4.1 and 4.2


def slopes(xs: list[F], ys: list[F]) -> list[F]:
    return [(b - a) / (v - u) for a, b, u, v in zip(ys, ys[1:], xs, xs[1:], strict=False)]


def line_instances(networked: bool) -> Iterator[dict[str, Any]]:
    lists = [
        ([0, 1, 2], [0, 1, 0]),
        ([-2, F(-1, 2), 1, 4], [1, 1, -3, 2]),
        ([F(1, 7), F(2, 7), 5, 6, 8], [number() for _ in range(5)]),
        ([-3, -2, -1], [5, 0, 0]),
        ([0, 1], [2, 7]),
        ([1, 0, 2], [0, 1, 0]),
        ([0, 2, 1, 3], [0, 1, 5, 0]),
    ]
    for xs, ys in lists:
        xs, ys = list(map(F, xs)), list(map(F, ys))
        m = slopes(xs, ys)
        between = [(a + b) / 2 for a, b in itertools.pairwise(xs)]
        for x in sorted({*xs, *between, min(xs) - 2, max(xs) + 3, F(0), F(-9)}):
            out = network(line_network(xs, ys), x)[0] if networked else relu_sum_of(xs, ys, x)
            values = {"xs()": column(xs), "ys()": column(ys), "m()": column(m)}
            yield {"n": F(len(m)), **values, "x": x, "f": wrong(out)}


def relu_sum_of(xs: list[F], ys: list[F], x: F) -> F:
    m = slopes(xs, ys)
    return ys[0] + m[0] * (x - xs[0]) + sum((m[k] - m[k - 1]) * relu(x - xs[k]) for k in range(1, len(m)))


def line_network(xs: list[F], ys: list[F]) -> Any:
    """The printed network: W1 one -1 and n ones, b1 = [0; 0; -x_2; ...; -x_n]."""
    m = slopes(xs, ys)
    n = len(m)
    W2 = [-m[0], m[0], *(m[k] - m[k - 1] for k in range(1, n))]
    return [[-1]] + [[1]] * n, [0, 0, *(-x for x in xs[1:n])], [W2], [ys[0] - m[0] * xs[0]]


def on_lines(v: Any, value: F) -> bool | None:
    """`value` is f(x): between neighbouring points by interpolation, outside by the first or last line."""
    xs, ys = list(v["xs()"].values()), list(v["ys()"].values())
    n, x = len(xs) - 1, v["x"]
    if n < 2 or sorted(set(xs)) != xs:
        return None
    for k in range(n):
        low = x >= xs[k] or k == 0
        high = x <= xs[k + 1] or k == n - 1
        if low and high and value * (xs[k + 1] - xs[k]) != ys[k] * (xs[k + 1] - x) + ys[k + 1] * (x - xs[k]):
            return False
    return True


LINE_MISSES = [
    ("(x <= xs(2)", "(x <= xs(3)"),
    ("(xs(n) <= x", "(xs(n - 1) <= x"),
    ("(all k in 1..n. xs(k) < xs(k + 1))", "(all k in 1..n. xs(k) != xs(k + 1))"),
]
ONE_LINE = ("2 <= n", "1 <= n")  # with one line only, formula and network are right as well


@adequate(
    "s4.1.relu_sum",
    at=line_instances(False),
    misses=LINE_MISSES,
    still_true=[ONE_LINE],
)
def relu_sum(v: Any) -> bool | None:
    return on_lines(v, relu_sum_of(list(v["xs()"].values()), list(v["ys()"].values()), v["x"]))


@adequate(
    "s4.1.cpwl_ffn",
    at=[v | {"P": v["n"], "out": v["f"]} for v in line_instances(True)],
    misses=[
        *LINE_MISSES,
        ("out = ys(r) + m(r)*(x - xs(r))", "out = ys(r) + m(1)*(x - xs(r))"),
        ("(xs(P) <= x -> out", "(xs(1) <= x -> out"),
    ],
    still_true=[ONE_LINE],
)
def cpwl_ffn(v: Any) -> bool | None:
    return on_lines(v, network(line_network(list(v["xs()"].values()), list(v["ys()"].values())), v["x"])[0])


def piece_instances() -> Iterator[dict[str, Any]]:
    """Functions of one variable by their lines, each on its interval, first to last and last to first; and max(0, x, y)
    of two. A, a: with the number of a coordinate, and without it, of a function of one variable."""
    for v in line_instances(True):
        xs, ys = list(v["xs()"].values()), list(v["ys()"].values())
        n, m = len(xs) - 1, slopes(xs, ys)
        if n < 2 or sorted(set(xs)) != xs:
            continue
        ends = [None, *xs[1:-1], None]
        order = range(1, n + 1) if v["x"] < xs[1] else range(n, 0, -1)
        bounds = {(i, r): ends[p - 1 if r == 1 else p] for i, p in enumerate(order, 1) for r in (1, 2)}
        W1, b1, W2, b2 = line_network(xs, ys)
        yield v | {
            "P": v["n"],
            "out": v["f"],
            "d": F(1),
            "m": F(2),
            "A()": [lambda i, r, *_, at=bounds: F(0) if at[int(i), int(r)] is None else F(-1 if r == 1 else 1)],
            "B()": {k: F(0) if e is None else (-e if k[1] == 1 else e) for k, e in bounds.items()},
            "a()": [lambda i, *_, at=[m[p - 1] for p in order]: at[int(i) - 1]],
            "c()": column(ys[p - 1] - m[p - 1] * xs[p - 1] for p in order),
            "f()": [partial(relu_sum_of, xs, ys)],
            "t": [v["x"], *xs],
            "N": F(n),
            "s()": column(m),
            "x()": [column([e]) for e in (v["x"], *xs)],
            "h": [F(len(b1))],
            "W()": [{(k, 1): F(row[0]) for k, row in enumerate(W1, 1)}],
            "b()": [column(b1)],
            "V()": [column(W2[0])],
            "e": [F(b2[0])],
            "is": 1,
        }
    rows = {(1, 1): (1, 0), (1, 2): (0, 1), (2, 1): (-1, 0), (2, 2): (-1, 1), (3, 1): (0, -1), (3, 2): (1, -1)}
    points = [column(at) for at in itertools.product((F(-2), F(0), F(1, 3), F(5)), repeat=2)]
    units = [(1, 0), (0, 1), (1, -1), (-1, 1), (1, 1)]
    (line,) = (v for v in line_instances(True) if v["n"] == 3 and v["x"] == 0 and v["xs()"][1] == -2)
    yield line | {
        "P": line["n"],
        "out": line["f"],
        "d": F(2),
        "m": F(2),
        "A()": [lambda i, r, *k: F(rows[int(i), int(r)][int(k[0]) - 1] if k else 0)],
        "B()": [lambda i, r: F(0)],
        "a()": [lambda i, *k: F(i == k[0] + 1 if k else 0)],
        "c()": [lambda i: F(0)],
        "f()": [lambda t: F(1)],
        "t": F(0),
        "x()": points,
        "h": [F(1), F(2), F(5)],
        "W()": [{(k, j): F(u[j - 1]) for k, u in enumerate(units, 1) for j in (1, 2)}],
        "b()": [column([0] * 5)],
        "V()": [column(v) for v in ([1, 1, 0, 0, 0], [1, 0, 0, 1, 0], [F(1, 2), F(1, 2), F(1, 4), F(1, 4), F(1, 4)])],
        "e": [F(0)],
        "is": 2,
    }


PIECES = tuple(piece_instances())


@adequate("t1.cpwl", at=PIECES, false=True)
def any_cpwl(v: Any) -> bool | None:
    """One feed-forward layer: that of Section 4.1 for one variable; max(0, x, y) has its kinks on half-lines only."""
    return v["is"] == 1


@adequate(
    "t1.cpwl.corrected",
    at=PIECES,
    misses=[
        *LINE_MISSES[:2],
        ("out = ys(r) + m(r)*(x - xs(r))", "out = ys(r) + m(1)*(x - xs(r))"),
        ("xs(P) <= x -> out", "xs(2) <= x -> out"),
        ("(s(k) - s(k - 1))*relu(t", "(s(k) + s(k - 1))*relu(t"),
        ("2 <= N", "5 <= N"),
        ("all k in 1..N. xs(k) < xs(k + 1)", "all k in 1..N. xs(k + 1) < xs(k)"),
    ],
)
def cpwl_of_one_variable(v: Any) -> bool | None:
    """The printed network is f at x, and at every point t, in whatever order its polyhedra are numbered."""
    if v["is"] == 2:
        return True
    xs, ys = list(v["xs()"].values()), list(v["ys()"].values())
    return cpwl_ffn(v) and all(network(line_network(xs, ys), t)[0] == v["f()"][0](t) for t in v["t"])


def inner_networks() -> Iterator[tuple[Any, list[F]]]:
    for d, h in [(1, 0), (1, 1), (2, 1), (2, 3), (3, 2), (1, 2), (2, 0)]:
        for _ in range(4):
            W1 = [[number() for _ in range(d)] for _ in range(h)]
            W2 = [[number() for _ in range(h)] for _ in range(d)]
            yield (W1, [number() for _ in range(h)], W2, [number() for _ in range(d)]), [number() for _ in range(d)]


def without_residual(f: Any) -> Any:
    """f' of Section 4.2: W1 = [f.W1; I; -I], b1 = [f.b1; 0; 0], W2 = [f.W2, -I, I], b2 = f.b2."""
    W1, b1, W2, b2 = f
    one = identity(len(W2))
    wide = [[*a, *b, *c] for a, b, c in zip(W2, minus(one), one, strict=True)]
    return [*W1, *one, *minus(one)], [*b1, *[0] * 2 * len(one)], wide, b2


def residual_instances() -> Iterator[dict[str, Any]]:
    for f, x in inner_networks():
        y = [a + b for a, b in zip(x, network(without_residual(f), *x), strict=True)]
        sizes = {"d": F(len(x)), "h": F(len(f[0])), "x()": column(x), "y()": [column(y), column(e + ODD for e in y)]}
        yield {**sizes, "W()": table(f[0]), "b()": column(f[1]), "V()": table(f[2]), "c()": column(f[3])}


def cancelled_instances() -> Iterator[dict[str, Any]]:
    for v, x in zip(residual_instances(), itertools.cycle([F(-2), F(0), F(1, 3), F(1), F(7, 2)]), strict=False):
        yield v | {"x": x, "z1_x": wrong(1 - abs(x - 1))}


@adequate(
    "s4.2.cancel_residual",
    "t1.cancel_residual",
    at=cancelled_instances(),
    misses=[
        (" + c(i))", ")"),
        ("all i in 1..d. y(i) = sum", "all i in 1..d. y(i) - x(i) = sum"),
        ("z1_x = min(x, 2 - x)", "z1_x = x + min(x, 2 - x)"),
    ],
)
def cancel_residual(v: Any) -> bool:
    """Every f by its widened network; and the tent through (0, 0), (1, 1), (2, 0), without its residual connection."""
    d, h = int(v["d"]), int(v["h"])
    W1 = [[v["W()"][k, i] for i in range(1, d + 1)] for k in range(1, h + 1)]
    W2 = [[v["V()"][i, k] for k in range(1, h + 1)] for i in range(1, d + 1)]
    f = (W1, list(v["b()"].values()), W2, list(v["c()"].values()))
    x = list(v["x()"].values())
    whole = [a + b for a, b in zip(network(without_residual(f), *x), x, strict=True)] == network(f, *x)
    tent = line_network([F(0), F(1), F(2)], [F(0), F(1), F(0)])
    return whole and network(without_residual(tent), v["x"])[0] + v["x"] == 1 - abs(v["x"] - 1)


# Section 5.1.2: averages


def average_instances(prefix: bool) -> Iterator[dict[str, Any]]:
    for n in range(5):
        for zero_scores in (True, False):
            x = [number() for _ in range(n)]
            scores = [F(0)] * n if zero_scores else [F(i % 3) for i in range(n)]
            means = uniform(x, prefix)
            near_miss = column([*means[:-1], means[-1] + 1]) if n else {}
            yield {"n": F(n), "x()": column(x), "mean()": [column(means), near_miss], "s()": column(scores)}


def uniform(x: list[F], prefix: bool) -> list[F]:
    """Average-hard attention with zero queries and keys and W_V = I, by Definitions 2.3 and 5.1."""
    out = []
    for i in range(len(x)):
        window = x[: i + 1] if prefix else x
        weights = ahardmax([F(0)] * len(window))
        out.append(sum((a * e for a, e in zip(weights, window, strict=True)), F(0)))
    return out


def averages(v: Any, prefix: bool) -> bool | None:
    x = list(v["x()"].values())
    if not x or any(v["s()"].values()):
        return None
    hard = uniform(x, prefix)
    for i in range(len(x)):
        window = x[: i + 1] if prefix else x
        mean = sum(window, F(0)) / len(window)
        soft = sum(a * real(e) for a, e in zip(softmax([F(0)] * len(window)), window, strict=True))
        if hard[i] != mean or not same(soft, mean):
            return False
    return True


ZERO_SCORES = ("(all j in 1..n. s(j) = 0) ->", "(all j in 1..n. 0 <= s(j)) ->")


@adequate(
    "s5.1.2.avg",
    at=average_instances(False),
    misses=[ZERO_SCORES, ("sum(k, 1, n, x(k))/n", "sum(k, 1, n, x(k))/(n + 1)")],
)
def average(v: Any) -> bool | None:
    return averages(v, False)


@adequate(
    "s5.1.2.avg_prefix",
    at=average_instances(True),
    misses=[ZERO_SCORES, ("sum(k, 1, i, x(k))/i", "sum(k, 1, n, x(k))/n")],
)
def average_prefix(v: Any) -> bool | None:
    return averages(v, True)


# Section 5.2: the first position


def first_columns(n: int) -> tuple[list[F], list[F]]:
    """c_i by uniform future-masked attention with W_V = -1 on (-1)^i, and GTZero_1/3(c_i - 1/3)."""
    c = uniform([-(F(-1) ** i) for i in range(1, n + 1)], True)
    return c, [network(printed("gtzero", F(1, 3)), e - F(1, 3))[0] for e in c]


def first_instances() -> Iterator[dict[str, Any]]:
    for n in range(9):
        c, first = first_columns(n)
        signs = [(-1) ** i for i in range(1, n + 1)]
        yield {
            "n": F(n),
            "alternating()": column(signs),
            "mean()": [column(c), column(e + ODD for e in c)],
            "first()": [column(first), column(e + ODD for e in first)],
        }


@adequate(
    "s5.2.first_attention",
    at=first_instances(),
    misses=[("mean(i) <= 1/3", "mean(i) <= 1/4"), ("mean(i) <= 1/3", "mean(i) < 1/3"), ("2..n", "1..n")],
)
def first_attention(v: Any) -> bool | None:
    c, _ = first_columns(int(v["n"]))
    return c[0] == 1 and all(0 <= e <= F(1, 3) for e in c[1:]) if c else None


@adequate("s5.2.first", at=first_instances(), misses=[("I[i = 1]", "I[i <= 2]"), ("I[i = 1]", "I[i = 1 & i < n]")])
def first(v: Any) -> bool | None:
    _, out = first_columns(int(v["n"]))
    return out == [1, *[0] * (len(out) - 1)] if out else None


@adequate(
    "s5.2.one_over_i",
    at=first_instances(),
    misses=[("= 1/i", "= 1/(i + 1)"), ("sum(j, 1, i, first(j))/i", "sum(j, 1, n, first(j))/n")],
)
def one_over_i(v: Any) -> bool | None:
    _, out = first_columns(int(v["n"]))
    return uniform(out, True) == [F(1, i) for i in range(1, len(out) + 1)] if out else None


# Section 5.3.4: lookup by quadratic maximization


def positions() -> list[dict[str, Any]]:
    return [{"n": F(n), "q": F(q)} for n in range(6) for q in range(n + 3)]


@adequate(
    "s5.3.4.argmax",
    at=positions(),
    misses=[("1 <= q & q <= n", "1 <= q"), ("<-> j = q", "<-> j = q | j = q + 1"), ("2*q*l", "q*l")],
)
def argmax(v: Any) -> bool | None:
    n, q = int(v["n"]), int(v["q"])
    if not 1 <= q <= n:
        return None
    scores = {j: 2 * q * j - j * j for j in range(1, n + 1)}
    return [j for j in scores if scores[j] == max(scores.values())] == [q]


@adequate(
    "s5.3.4.gap",
    at=positions(),
    misses=[("1 <= (2*q", "1 < (2*q"), ("2 <= n", "1 <= n"), ("= 1", "= 2"), ("1 <= q & q <= n", "1 <= q")],
    still_true=[("q <= n", "q <= n + 1")],
)
def gap(v: Any) -> bool | None:
    n, q = int(v["n"]), int(v["q"])
    if n < 2 or not 1 <= q <= n:
        return None
    return min((2 * q * q - q * q) - (2 * q * j - j * j) for j in range(1, n + 1) if j != q) == 1


WQ = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]
WK = [[0, 0, 2, 0, 0], [0, 0, 0, -1, 0]]


def looked_up(queries: list[F], values: list[F]) -> list[F]:
    rows = [[q, F(1), F(i), F(i * i), v] for i, (q, v) in enumerate(zip(queries, values, strict=True), 1)]
    weights = [ahardmax(scores_of(WQ, WK, rows, i)) for i in range(len(rows))]
    return [sum((a * row[4] for a, row in zip(w, rows, strict=True)), F(0)) for w in weights]


def lookup_instances() -> Iterator[dict[str, Any]]:
    for n in range(5):
        asked = [*itertools.product(range(1, n + 1), repeat=n)][:30]
        if n:
            asked += [(0,) * n, (n + 1,) * n, (F(3, 2),) * n, (*range(1, n), F(1, 2))]
        for queries in asked:
            values = [number() for _ in queries]
            found = looked_up([F(q) for q in queries], values)
            yield {
                "n": F(n),
                "query()": column(queries),
                "value()": column(values),
                "one()": column([1] * n),
                "index()": column(range(1, n + 1)),
                "square()": column(i * i for i in range(1, n + 1)),
                "found()": [column(found), column(e + ODD for e in found)],
            }


@adequate(
    "s5.3.4.quadmax",
    at=lookup_instances(),
    misses=[("found(i) = value(q)", "found(q) = value(i)"), ("found(i) = value(q)", "found(i) = value(1)")],
    # Each position is right for itself: what the other positions ask does not matter.
    still_true=[("1 <= n & (all i in 1..n. ex q in 1..n. query(i) = q) ->", "1 <= n ->")],
)
def quadmax(v: Any) -> bool | None:
    queries, values = list(v["query()"].values()), list(v["value()"].values())
    n = len(values)
    if n == 0 or not all(q in range(1, n + 1) for q in queries):
        return None
    return looked_up(queries, values) == [values[int(q) - 1] for q in queries]


# Section 5.7: softmax against hardmax


def score_instances() -> Iterator[dict[str, Any]]:
    for n, p, gamma in itertools.product((1, 2, 3, 5), (1, 2, 4), (F(1, 10**6), F(1), F(5), F(40))):
        for extra in (F(1, 1000), F(3), F(0)):
            below = [gamma + extra] * n if extra < 1 else [gamma + extra * j for j in range(1, n + 1)]
            scores = column(2 - (b if j != p else 0) for j, b in enumerate(below, 1))
            yield {"n": F(n), "p": F(p), "gamma": gamma, "s()": scores}
    yield {"n": F(3), "p": F(1), "gamma": F(1), "s()": column((0, 1, 1))}
    yield {"n": F(2), "p": F(2), "gamma": F(0), "s()": column((0, 1))}
    yield {"n": F(2), "p": F(1), "gamma": F(-1), "s()": column((0, F(1, 2)))}
    yield {"n": F(0), "p": F(1), "gamma": F(1), "s()": {}}


@adequate(
    "s5.7.lemma5.3",
    at=score_instances(),
    misses=[("2*n*exp(-gamma)", "n*exp(-gamma)"), ("2*n*exp(-gamma)", "2*exp(-gamma)")],
    # A gap of exactly gamma is enough (the paper needs this for gap 1 in 5.3.4), and so is 2*(n - 1)*e^-gamma.
    still_true=[("s(j) < s(p) - gamma", "s(j) <= s(p) - gamma"), ("2*n*exp(-gamma)", "2*(n - 1)*exp(-gamma)")],
)
def softmax_hardmax(v: Any) -> bool | None:
    n, p, gamma = int(v["n"]), int(v["p"]), v["gamma"]
    s = list(v["s()"].values())
    if n < 1 or not 1 <= p <= n or gamma <= 0 or any(s[j] >= s[p - 1] - gamma for j in range(n) if j != p - 1):
        return None
    distance = sum(abs(real(a) - b) for a, b in zip(ahardmax(s), softmax(s), strict=True))
    return bool(distance <= 2 * n * CONTEXT.exp(-real(gamma)) + SLACK)


def tau_instances() -> Iterator[dict[str, Any]]:
    for N, gamma in itertools.product((0, 1, 2, 64), (F(1), F(1, 1000), F(25), F(0), F(-1))):
        tau = real(gamma) / CONTEXT.log(8 * N) if N else F(1)
        for d, h, lower in ((1, 1, gamma), (2, 3, gamma * 2), (3, 2, gamma / 2)):
            yield {
                "N": F(N),
                "gamma": gamma,
                "tau": [tau, tau + 1],
                "d": F(d),
                "h": F(h),
                "W()": table([[number() for _ in range(d)] for _ in range(h)]),
                "z()": column(number() for _ in range(d)),
                "key()": column(number() for _ in range(h)),
                "t": F(3),
                "s": 3 - lower,
            }


@adequate(
    "s5.7.tau",
    at=tau_instances(),
    misses=[
        ("log(8*N) <= t/tau", "log(9*N) <= t/tau"),
        ("(gamma <= t - s", "(gamma/2 <= t - s"),
        ("= 1/tau*sum", "= sum"),
    ],
)
def tau(v: Any) -> bool | None:
    N, gamma, W = int(v["N"]), v["gamma"], v["W()"]
    if N < 1 or gamma <= 0:
        return None
    scale = 1 / (real(gamma) / CONTEXT.log(8 * N))
    rows, columns = range(1, int(v["h"]) + 1), range(1, int(v["d"]) + 1)
    query = [sum(W[a, b] * v["z()"][b] for b in columns) for a in rows]
    scaled = [sum(scale * real(W[a, b]) * real(v["z()"][b]) for b in columns) for a in rows]
    keys = list(v["key()"].values())
    product = sum(real(a) * real(b) for a, b in zip(query, keys, strict=True))
    agrees = same(sum(a * real(b) for a, b in zip(scaled, keys, strict=True)), scale * product)
    old = v["t"] - v["s"]
    new = scale * real(v["t"]) - scale * real(v["s"])
    aim = CONTEXT.log(8 * N)
    return bool(agrees and (old < gamma or new >= aim - SLACK) and (old != gamma or same(new, aim)))


VALUES = [F(0), F(1), F(1, 2), F(7, 10)]


@adequate(
    "s5.7.rounding",
    at=[
        {"x": x, "out": wrong(network(([[1], [1]], [F(-1, 4), F(-3, 4)], [[2, -2]], [0]), x)[0]), "v": VALUES}
        for x in (*GRID, F(1, 4), F(3, 4), F(3, 10), F(7, 10), F(-(10**6)), F(10**6))
    ],
    misses=[
        ("(x <= 1/4 -> out", "(x <= 3/10 -> out"),
        ("(3/4 <= x -> out", "(7/10 <= x -> out"),
        ("abs(x - v) <= 1/4", "abs(x - v) <= 3/10"),
        ("bit(v) & ", ""),
    ],
)
def rounding(v: Any) -> bool | None:
    """GTZero_{1/2}(c - 1/4) is the value 0 or 1 from which c differs by at most 1/4."""
    c = v["x"]
    (out,) = network(printed("gtzero", F(1, 2)), c - F(1, 4))
    for bit in (0, 1):
        if abs(c - bit) <= F(1, 4) and not (out == bit and (c >= F(3, 4) if bit else c <= F(1, 4))):
            return False
    return out == 0 if c <= F(1, 4) else out == 1 if c >= F(3, 4) else None


# Section 6.4


def clip_instances() -> Iterator[dict[str, Any]]:
    for delta in (F(1), F(1, 1000), F(50), F(0), F(-1, 2)):
        for x in (*SMALL, delta, -delta, delta * 2, -delta * 3, delta / 2, -delta * F(3, 4), F(3, 10)):
            low, high = clip_outputs(delta, x)
            yield {"delta": delta, "x": x, "y1": wrong(low), "y2": wrong(high), "out": wrong(low)}


def clip_outputs(delta: F, x: F) -> list[F]:
    """The printed parameters with b2 = [-delta; delta], as two outputs."""
    return network(([[1], [1]], [delta, -delta], [[1, -1], [1, -1]], [-delta, delta]), x)


@adequate("s6.4.clip", at=clip_instances(), false=True)
def clip(v: Any) -> bool | None:
    delta, x = v["delta"], v["x"]
    if delta <= 0 or abs(x) < delta:
        return None
    return clip_outputs(delta, x) == [delta if x > 0 else -delta] * 2


@adequate(
    "s6.4.clip.corrected",
    at=clip_instances(),
    misses=[("delta <= abs(x)", "delta/2 <= abs(x)"), ("0 < delta", "-1 <= delta")],
)
def clip_corrected(v: Any) -> bool | None:
    delta, x = v["delta"], v["x"]
    if delta <= 0 or abs(x) < delta:
        return None
    return clip_outputs(delta, x)[0] == (delta if x > 0 else -delta)


# Section 9.2.1: Dyck-1


def brackets(n: int) -> list[str]:
    return ["".join(letters) for letters in itertools.product("()", repeat=n)]


def balances(word: str) -> list[int]:
    return [word[:i].count("(") - word[:i].count(")") for i in range(1, len(word) + 1)]


def well_nested(word: str) -> bool:
    """Membership by the grammar S -> empty | (S)S: taking () away leaves nothing."""
    while "()" in word:
        word = word.replace("()", "")
    return word == ""


def two_layers(word: str) -> dict[str, list[F]]:
    """Equations (41) to (44): o_i, B_i/i, E_i, t_i, by uniform future-masked attention and one relu."""
    token = [F(1) if letter == "(" else F(-1) for letter in word]
    balance = uniform(token, True)
    error = [relu(-b) for b in balance]
    return {"token": token, "balance": balance, "error": error, "total": uniform(error, True)}


def word_values(word: str) -> dict[str, Any]:
    """w and the four coordinates; a letter other than a bracket is number 2, outside the alphabet."""
    letters = column({"(": 0, ")": 1}.get(letter, 2) for letter in word)
    columns: dict[str, Any] = {f"{k}()": column(c) for k, c in two_layers(word).items()}
    columns["total()"] = [columns["total()"], column(e + ODD for e in columns["total()"].values())]
    return {"n": F(len(word)), "w()": letters, "word": word, **columns}


def word_instances() -> list[dict[str, Any]]:
    words = [w for n in range(6) for w in brackets(n)] + ["(())()", "())(()", ")(", "((()))", "x", "()x", "x()"]
    return [word_values(w) for w in words]


def bracketed(v: Any) -> bool:
    return v["word"] != "" and set(v["word"]) <= set("()")


@adequate(
    "s9.2.1.balance",
    at=word_instances(),
    misses=[("balance(i) = height(w, i)/i", "balance(i) = height(w, i)/n"), ("I[w(l) = 1]", "I[w(l) = 0]")],
)
def balance(v: Any) -> bool | None:
    """(1/i) sum o_j = (O_i - C_i)/i = B_i/i."""
    if not bracketed(v):
        return None
    word = v["word"]
    for i, mean in enumerate(two_layers(word)["balance"], 1):
        opened, closed = word[:i].count("("), word[:i].count(")")
        if not mean == F(opened - closed, i) == F(balances(word)[i - 1], i):
            return False
    return True


@adequate("s9.2.1.overview", at=word_instances(), false=True)
def balance_printed(v: Any) -> bool | None:
    return two_layers(v["word"])["balance"] == balances(v["word"]) if bracketed(v) else None


@adequate(
    "s9.2.1.overview.corrected",
    at=word_instances(),
    misses=[("= height(w, i)/i", "= height(w, i)"), ("i*balance(i)", "n*balance(i)")],
)
def balance_divided(v: Any) -> bool | None:
    if not bracketed(v):
        return None
    word = v["word"]
    return all(i * b == c for i, (b, c) in enumerate(zip(two_layers(word)["balance"], balances(word), strict=True), 1))


@adequate(
    "s9.2.1.violation",
    at=word_instances(),
    misses=[("height(w, i) < 0)", "height(w, i) <= 0)"), ("(0 < error(i)", "(0 <= error(i)")],
)
def violation(v: Any) -> bool | None:
    if not bracketed(v):
        return None
    errors, heights = two_layers(v["word"])["error"], balances(v["word"])
    rows = zip(errors, heights, itertools.count(1))
    return all(e == max(F(0), F(-h, i)) and (e > 0) == (h < 0) for e, h, i in rows)


@adequate(
    "s9.2.1.aggregate",
    at=word_instances(),
    misses=[
        ("(0 < total(n) <-> ex i in 1..n. height(w, i) < 0)", "(0 < total(n) <-> ex i in 1..n. height(w, i) <= 0)"),
        ("(0 < total(n) <->", "(1/n < total(n) <->"),
        ("(0 < total(n) <-> ex i in 1..n. height", "(0 < total(n) <-> ex i in n..n. height"),
    ],
)
def aggregate(v: Any) -> bool | None:
    """t_i is the mean of the errors so far; t_n > 0 where some prefix has a negative balance, else 0."""
    if not bracketed(v):
        return None
    columns = two_layers(v["word"])
    for i, t in enumerate(columns["total"], 1):
        if t * i != sum(columns["error"][:i]):
            return False
    total, violated = columns["total"][-1], min(balances(v["word"])) < 0
    return total > 0 if violated else total == 0


@adequate(
    "s9.2.1.accept",
    "t3.dyck1",
    at=word_instances(),
    misses=[
        ("dyck(w, n)", "height(w, n) = 0"),
        ("dyck(w, n)", "(all i in 1..n. 0 <= height(w, i))"),
        ("<-> dyck(w, n)", "<-> dyck(w, n) & w(1) = w(n)"),
    ],
)
def accepts(v: Any) -> bool | None:
    if not bracketed(v):
        return None
    columns = two_layers(v["word"])
    return (columns["total"][-1] == 0 and columns["balance"][-1] == 0) == well_nested(v["word"])


def length_instances(longest: int) -> list[dict[str, Any]]:
    """For each length all words over the brackets, and one that is not."""
    out = []
    for n in range(longest + 1):
        words = [column({"(": 0, ")": 1}[letter] for letter in w) for w in brackets(n)] + [column([5] * n)]
        out.append({"n": F(n), "w()": words, "m": [F(m) for m in range(-1, n + 1)]})
    return out


@cache
def least(n: int, what: str) -> F:
    """The least nonzero |B_n|/n or t_n over all words of length n."""
    ends = {
        "balance": lambda w: abs(F(balances(w)[-1], n)),
        "total": lambda w: two_layers(w)["total"][-1],
    }[what]
    return min(value for value in map(ends, brackets(n)) if value != 0)


def spelled(*names: str) -> Iterator[dict[str, Any]]:
    """Words of six to ten letters: the printed ones, longer ones that begin with them, and others."""
    words = ["((())", "((()))", "((())(", "(()())()", "((())())()", ")())()", ")())())", "()()()", "((((((((((", "))"]
    columns = [column({"(": 0, ")": 1}.get(letter, 2) for letter in word.ljust(10, "x")) for word in words]
    for pair in itertools.product(zip(words, columns, strict=True), repeat=len(names)):
        yield {f"{name}()": c for name, (_, c) in zip(names, pair, strict=True)} | dict(
            zip(names, (word for word, _ in pair), strict=True)
        )


@adequate("s9.2.dyck1_examples", at=spelled("w", "v"), false=True)
def printed_members(v: Any) -> bool | None:
    if not (v["w"].startswith("((())") and v["v"].startswith(")())()")):
        return None
    return well_nested("((())") and not well_nested(")())()")


@adequate(
    "s9.2.dyck1_examples.corrected",
    at=spelled("w", "v"),
    misses=[("dyck(w, 6)", "dyck(w, 5)"), ("~dyck(v, 6)", "dyck(v, 6)")],
)
def right_members(v: Any) -> bool | None:
    if not (v["w"].startswith("((()))") and v["v"].startswith(")())()")):
        return None
    return well_nested("((()))") and not well_nested(")())()")


def within_two(word: str) -> bool:
    return well_nested(word) and max(balances(word)) <= 2


@adequate("s9.2.2.example", at=spelled("w"), false=True)
def printed_depth_two(v: Any) -> bool | None:
    return within_two("((())())()") if v["w"].startswith("((())())()") else None


@adequate(
    "s9.2.2.example.corrected",
    at=spelled("w"),
    misses=[("height(w, i) <= 2", "height(w, i) <= 1"), ("dyck(w, 8)", "dyck(w, 7)")],
)
def right_depth_two(v: Any) -> bool | None:
    return within_two("(()())()") if v["w"].startswith("(()())()") else None


@adequate("s9.2.1.min_B", at=length_instances(6), false=True)
def min_balance(v: Any) -> bool | None:
    n = int(v["n"])
    return least(n, "balance") == F(1, n) if n else None


@adequate(
    "s9.2.1.min_B.corrected",
    at=length_instances(6),
    misses=[("2/n <= abs(", "2/n < abs("), ("(odd(n) -> ex", "(ex"), ("1/n <= abs(height", "1/n < abs(height")],
)
def min_balance_corrected(v: Any) -> bool | None:
    n = int(v["n"])
    return least(n, "balance") == F(1 if n % 2 else 2, n) if n else None


@adequate("s9.2.1.min_t", at=length_instances(6), false=True)
def min_total(v: Any) -> bool | None:
    n = int(v["n"])
    return least(n, "total") == F(1, n * n) if n else None


@adequate(
    "s9.2.1.min_t.corrected",
    at=length_instances(6),
    misses=[
        ("-> 1/n^2 <= sum", "-> 1/n^2 < sum"),
        ("(odd(n) -> ex", "(ex"),
        ("1/(n - 1)/n <= sum", "1/(n - 1)/n < sum"),
        ("= 1/(n - 1)/n)", "= 1/n^2)"),
    ],
)
def min_total_corrected(v: Any) -> bool | None:
    """1/n^2 for odd n, and 1/(n (n - 1)) for even n, so that 1/n^2 is a bound for all."""
    n = int(v["n"])
    return least(n, "total") == F(1, n * (n if n % 2 else n - 1)) if n else None


def decide_instances() -> Iterator[dict[str, Any]]:
    lengths = [(N, n) for N in range(1, 5) for n in range(N + 1)] + [(2, 4), (1, 3), (0, 1)]
    for N, n in lengths:
        for eps in {F(1, N * N or 1), F(1, 7 * (N * N + 1)), F(1, N or 1), F(0), F(-1)}:
            for word in [*brackets(n), "x" * n]:
                values = word_values(word)
                del values["total()"]
                yield values | {"N": F(N), "eps": eps} | decided(word, eps)


def decided(word: str, eps: F) -> dict[str, Any]:
    """EqZero_eps of t_i and of B_i/i, and their AND by the min of Section 4.8, at every position."""
    columns = two_layers(word)
    if eps <= 0:
        nothing = column([0] * len(word))
        return {"total()": column(columns["total"]), "unviolated()": nothing, "level()": nothing, "accepted()": nothing}
    unviolated = [network(printed("eqzero", eps), t)[0] for t in columns["total"]]
    level = [network(printed("eqzero", eps), b)[0] for b in columns["balance"]]
    accepted = [network(printed("min"), a, b)[0] for a, b in zip(unviolated, level, strict=True)]
    out = {"total": columns["total"], "unviolated": unviolated, "level": level}
    answers = [column(accepted), column(e + ODD for e in accepted)]
    return {f"{k}()": column(c) for k, c in out.items()} | {"accepted()": answers}


@adequate(
    "s9.2.1.nonuniform",
    at=decide_instances(),
    misses=[
        ("eps <= 1/N^2", "eps <= 1/N"),
        ("n <= N", "n <= 2*N"),
        ("I[dyck(w, n)]", "I[height(w, n) = 0]"),
    ],
)
def nonuniform(v: Any) -> bool | None:
    N, eps, word = int(v["N"]), v["eps"], v["word"]
    if not bracketed(v) or N < 1 or not 0 < eps <= F(1, N * N) or len(word) > N:
        return None
    answer = decided(word, eps)["accepted()"][0][len(word)]
    return answer == int(well_nested(word))
