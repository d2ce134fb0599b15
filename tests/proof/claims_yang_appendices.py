"""Adequacy of what yang2026 says between its numbered statements, Section 4.4 to Appendix D, from the paper's words."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from proof.adequacy import adequate, column, table
from proof.claims_error import image, minus, most, norm, plus
from proof.claims_softmax import ahardmax, distance, e, listed, retrieved
from proof.claims_yang_sentences import BITS, near, rounded
from proof.paper import at_most, same, softmax
from proof.statement_truth import CONTEXT, real
from shared import relu

F = Fraction

# --- Section 4.4: counts ----------------------------------------------------------------------------------------------


def current() -> Iterator[dict[str, Any]]:
    for i in range(4):
        for x in BITS[i]:
            yield {"i": F(i), "x()": column([*x]), "c": [F(sum(x)), F(sum(x) + 1)]}
    yield {"i": F(2), "x()": column([2, 0]), "c": F(2)}


@adequate(
    "yang2026.thm20.current",
    at=current(),
    misses=[("-> c < i)", "-> c < i - 1)"), ("-> 0 < c)", "-> 1 < c)"), ("x(i) = 0 ->", "0 < 1 ->")],
)
def count_at_hand(v: Any) -> bool | None:
    x = listed(v, "x", "i")
    if not x or any(b not in (0, 1) for b in x):
        return None
    return sum(x) > 0 if x[-1] else sum(x) < len(x)


def averages() -> Iterator[dict[str, Any]]:
    for n in (1, 2, 3):
        for p in range(n + 2):
            x = [F(3), F(-1), F(5, 2)][:n]
            right = {i: sum(x[:i], F(0)) / i for i in range(1, n + 1)}
            yield {"n": F(n), "p": F(p), "x()": column(x), "mean()": [right, {i: m + 1 for i, m in right.items()}]}


@adequate(
    "yang2026.thm20.average",
    at=averages(),
    misses=[("/(n - p + 1)", "/(n - p + 2)"), ("-> mean(p) = sum(j, 1, p, x(j))/p", "-> mean(p) = sum(j, 1, p, x(j))")],
)
def averaged(v: Any) -> bool | None:
    n, p, x = int(v["n"]), int(v["p"]), listed(v, "x")
    if not 1 <= p <= n:
        return None
    left, right = x[:p], x[p - 1 :]
    return all(same(retrieved(softmax([0] * len(z)), z), sum(z) / len(z)) for z in (left, right))


def peaks() -> Iterator[dict[str, Any]]:
    for i, c, Lambda in itertools.product((1, 2, 3, 4), (0, 1, 2, 3, 4), (0, 1, 3)):
        for j in range(i + 2):
            yield {"i": F(i), "c": F(c), "Lambda": F(Lambda), "j": F(j)}


@adequate(
    "yang2026.thm20.unique",
    at=peaks(),
    misses=[
        ("<-> j = c)", "<-> j <= c)"),
        ("<-> j = c + 1)", "<-> j = c)"),
        ("1 <= Lambda", "0 <= Lambda"),
        ("<= 3*Lambda*(2*c*c - c^2)/i", "< 3*Lambda*(2*c*c - c^2)/i"),
    ],
)
def unique_peak(v: Any) -> bool | None:
    i, c, j = int(v["i"]), int(v["c"]), int(v["j"])
    if v["Lambda"] < 1 or not 1 <= j <= i or c > i:
        return None

    def greatest(at: int) -> bool:
        scores = [2 * at * k - k * k for k in range(1, i + 1)]
        return [k for k, s in enumerate(scores, 1) if s == max(scores)] == [at]

    return (c >= i or greatest(c + 1)) and (c < 1 or greatest(c))


def looked_up(t: Any, scale: Any, tau: Any, window: int) -> Any:
    scores = [real(scale) * real(2 * t * j - j * j) / real(tau) for j in range(1, window + 1)]
    return retrieved(softmax(scores), range(1, window + 1)) if window else real(0)


def right_counts() -> Iterator[dict[str, Any]]:
    for n in (1, 2, 3, 4):
        for i, c in itertools.product(range(n + 2), range(n + 2)):
            yield {
                "n": F(n),
                "i": F(i),
                "c": F(c),
                "tau": [F(1, n), F(9)],
                "x": near(
                    lambda env: (
                        looked_up(env["c"] + 1, F(3) / (env["n"] - env["i"] + 1), env["tau"], int(env["n"])) - 1
                        if env["i"] <= env["n"]
                        else F(0)
                    )
                ),
                "out": near(lambda env: rounded(env["x"])),
            }


@adequate(
    "yang2026.thm20.positive_right",
    at=right_counts(),
    misses=[
        ("out = I[0 < c]", "out = I[1 < c]"),
        ("abs(x - c) <= 4*exp", "abs(x - c) <= exp(-9)*exp"),
        ("- (c + 1)) < 1/4", "- (c + 1)) < 1/999"),
        ("tau = 1/n", "0 < tau"),
    ],
)
def right_positive(v: Any) -> bool | None:
    n, i, c = int(v["n"]), int(v["i"]), int(v["c"])
    if not (1 <= i <= n and 0 <= c < n - i + 1):
        return None
    x = looked_up(F(c + 1), F(3, n - i + 1), F(1, n), n) - 1
    bound = 4 * e(real(F(-3 * n, n - i + 1)))
    with_factor = abs(looked_up(F(c + 1), real(F(3, n - i + 1)) / real(2) ** 0.5, F(1, n), n) - (c + 1)) < 0.25
    good = at_most(abs(x - c), bound) and at_most(bound, 4 * e(real(-3))) and same(rounded(x), int(c > 0))
    return good and with_factor


def nothing() -> Iterator[dict[str, Any]]:
    for coefficients in ((), (0,), (0, 0), (1, 0), (1, -1), (0, 2)):
        for C in (-1, 0, 1):
            yield {
                "m": F(len(coefficients)),
                "lambda()": column(coefficients),
                "count()": column((3, 1)),
                "other()": column((0, 2)),
                "C": F(C),
            }


@adequate(
    "yang2026.thm20.constant",
    at=nothing(),
    misses=[
        ("sum(k, 1, m, abs(lambda(k))) = 0", "sum(k, 1, m, lambda(k)) = 0"),
        ("<-> C < 0)", "<-> C <= 0)"),
        ("<-> C < 0)", "<-> C < -1)"),
    ],
)
def constant(v: Any) -> bool | None:
    coefficients = listed(v, "lambda", "m")
    if any(coefficients):
        return None
    sums = [sum(a * v[name][k] for k, a in enumerate(coefficients, 1)) for name in ("count()", "other()")]
    return {v["C"] < s for s in sums} == {v["C"] < 0}


def predicates() -> Iterator[dict[str, Any]]:
    for n in (1, 2, 3):
        for i, c, theta in itertools.product(range(1, n + 2), range(1, n + 1), BITS[n + 1]):
            yield {
                "n": F(n),
                "i": F(i),
                "c": F(c),
                "tau": [F(1, n), F(9)],
                "gamma": [F(3 * n, max(n - i + 1, 1)), F(3, 9 * max(n - i + 1, 1))],
                "theta()": [column(theta, start=0), column([9] * (n + 1), start=0)],
            }


@adequate(
    "yang2026.thm20.theta_right",
    at=predicates(),
    misses=[
        ("- theta(c)) <= 4*exp(-gamma)", "- theta(c)) <= exp(-gamma)/99"),
        ("- theta(c)) < 1/4", "- theta(c)) < 1/999"),
        ("4*exp(-gamma) <= 1/4", "4*exp(-gamma) <= 1/9"),
        ("tau = 1/n", "0 < tau"),
        ("- theta(c))", "- theta(c - 1))"),
    ],
)
def right_predicate(v: Any) -> bool | None:
    n, i, c = int(v["n"]), int(v["i"]), int(v["c"])
    if not (1 <= i <= n and 1 <= c <= n - i + 1):
        return None
    theta = v["theta()"][0]
    gamma = F(3 * n, n - i + 1)
    soft = softmax([gamma * (2 * c * j - j * j) for j in range(1, n + 1)])
    error = abs(retrieved(soft, [theta[j] for j in range(1, n + 1)]) - real(theta[c]))
    milder = softmax([real(gamma * (2 * c * j - j * j)) / real(2) ** 0.5 for j in range(1, n + 1)])
    with_factor = abs(retrieved(milder, [theta[j] for j in range(1, n + 1)]) - real(theta[c]))
    return at_most(error, 4 * e(-real(gamma))) and 4 * e(-real(gamma)) <= 0.25 and with_factor < 0.25


def cooled(power: int) -> Iterator[dict[str, Any]]:
    for i in (1, 2, 3):
        for c, Lambda, theta in itertools.product(range(-1, i + 2), (0, 1, 3), BITS[i + 1][::3]):
            yield {
                "i": F(i),
                "c": F(c),
                "Lambda": F(Lambda),
                "tau": [F(1, i**power), F(9)],
                "theta()": column(theta, start=0),
            }


BOUNDS = [
    ("- (c + 1)) < 1/4", "- (c + 1)) < 1/9999"),
    ("*j) - c) <= 1/(4*Lambda)", "*j) - c) <= 1/(999999*Lambda)"),
    ("- theta(c)) < 1/4", "- theta(c)) < 1/9999"),
]


def bounds(v: Any, power: int) -> bool | None:
    i, c, Lambda = int(v["i"]), int(v["c"]), v["Lambda"]
    if Lambda < 1 or not 0 <= c <= i:
        return None
    tau = F(1, i**power)
    good = c >= i or abs(looked_up(F(c + 1), F(3, i), tau, i) - (c + 1)) < 0.25
    if c >= 1:
        soft = softmax([F(3, i) * (2 * c * j - j * j) / tau for j in range(1, i + 1)])
        theta = v["theta()"]
        good = good and at_most(abs(looked_up(F(c), 3 * Lambda / i, tau, i) - c), 1 / (4 * Lambda))
        good = good and abs(retrieved(soft, [theta[j] for j in range(1, i + 1)]) - real(theta[c])) < 0.25
    return good


@adequate("yang2026.thm21.bounds", at=cooled(1), misses=[*BOUNDS, ("tau = 1/i", "0 < tau")])
def thm21(v: Any) -> bool | None:
    return bounds(v, 1)


@adequate("yang2026.cor23.bounds", at=cooled(2), misses=[*BOUNDS[:1], ("tau = 1/i^2", "0 < tau")])
def cor23(v: Any) -> bool | None:
    return bounds(v, 2)


def words() -> Iterator[dict[str, Any]]:
    """Words with the truth of prev Q_1 and its count from a position on, or up to it; each of both also wrong."""
    for n in range(5):
        for w, i in itertools.product(BITS[n], range(1, n + 1)):
            right = [int(j > 0 and w[j - 1]) for j in range(n)]
            counts = [F(sum(right[i - 1 :])), F(sum(right[:i])), F(9)]
            truths = [column(right), column([1 - b for b in right])]
            yield {"n": F(n), "i": F(i), "w()": column(w), "t()": truths, "left": counts}
    yield {"n": F(1), "i": F(2), "w()": column((1, 1)), "t()": column((0, 1)), "left": F(1)}
    yield {"n": F(2), "i": F(2), "w()": column((2, 0)), "t()": column((0, 0)), "left": F(0)}


WORDS_BEFORE = tuple(words())


@adequate("yang2026.ex.parity.prev", at=WORDS_BEFORE, false=True)
def before_as_printed(v: Any) -> bool | None:
    """What is counted from i on: the letters from i - 1 to n - 1."""
    n, i, w = int(v["n"]), int(v["i"]), listed(v, "w", "n")
    if i > n or any(b not in (0, 1) for b in w):
        return None
    return sum(w[max(i - 2, 0) : n - 1]) == sum(w[: i - 1])


@adequate(
    "yang2026.ex.parity.prev.corrected",
    at=WORDS_BEFORE,
    misses=[
        ("sum(j, 1, i - 1, w(j))", "sum(j, 1, i, w(j))"),
        ("left = sum(j, 1, i, t(j))", "left = sum(j, i, n, t(j))"),
        ("left = sum(j, 1, i - 1", "left <= sum(j, 2, i - 1"),
        ("-> left = sum(j, 1, i, t(j)) ->", "->"),
    ],
)
def before(v: Any) -> bool | None:
    n, i, w = int(v["n"]), int(v["i"]), listed(v, "w", "n")
    if i > n or any(b not in (0, 1) for b in w):
        return None
    return sum([0, *w][:i]) == sum(w[: i - 1])


@adequate(
    "yang2026.fig1.pe",
    at=[{"n": F(n), "i": F(i)} for n in range(1, 6) for i in range(7)],
    misses=[
        ("i*n <= n^2", "i*n < n^2"),
        ("1/i <= 1", "1/i < 1"),
        ("i^2*n <= n^3", "i^2*n <= n^2"),
        ("i = n ->", "i <= n ->"),
    ],
)
def growth(v: Any) -> bool | None:
    n, i = v["n"], v["i"]
    if not 1 <= i <= n:
        return None
    one = all(0 <= x <= 1 for x in (i / n, 1 / i, 1 / (n - i + 1)))
    return one and max(i, i * i, n, i * n) <= n**2 and i * i * n <= n**3


# --- Section 5 --------------------------------------------------------------------------------------------------------


@adequate(
    "yang2026.s5.infinite",
    at=[
        {"M": F(len(f)), "f()": column(f), "i": [F(i) for i in range(1, 6)], "w()": column((1, 0, 0, 0, 0))}
        for f in ((), (1,), (1, F(1, 2)), (F(1, 3), 1, F(1, 2)), (0, -1, F(1, 4)))
    ],
    misses=[("f(m) != sum", "f(m) < sum"), ("f(m) != sum(j, 1, i,", "f(m) != i*sum(j, 1, i,")],
)
def no_finite_list(v: Any) -> bool | None:
    f = listed(v, "f", "M")
    return any(F(1, i) not in f for i in range(1, 6))


def cooling() -> Iterator[dict[str, Any]]:
    for s in ((0,), (0, 1), (1, 1), (1, 0, 1), (0, F(1, 2), 1), ()):
        for eps in (F(1), F(1, 5), F(0)):
            others = [max(s) - x for x in s if x != max(s)] if s else []
            top = min(others, default=F(1)) * eps / (2 * max(len(s), 1))
            yield {
                "n": F(len(s)),
                "s()": column(s),
                "eps": eps,
                "top": [F(top)],
                "tau": lambda env: [env["top"] / 2, env["top"] / 9, F(50)],
            }


@adequate(
    "yang2026.s5.softmax_limit",
    at=cooling(),
    misses=[("tau < top", "tau < top + 100"), ("hardmax(s, n, j)", "1/n"), ("hardmax(s, n, j)", "lhardmax(s, n, j)")],
)
def limit(v: Any) -> bool | None:
    s, eps = listed(v, "s"), v["eps"]
    if not s or eps <= 0:
        return None
    tau = v["top"][0] / 2
    soft = softmax([real(x) / real(tau) for x in s])
    return all(at_most(abs(real(a) - b), eps) for a, b in zip(ahardmax(s), soft, strict=True))


def scaled_queries() -> Iterator[dict[str, Any]]:
    for n, C, f in itertools.product((2, 3, 20), (F(1), F(5)), (F(2), F(3), F(40), F(-1))):
        yield {
            "n": F(n),
            "C": C,
            "f": f,
            "tau": [1 / f, 2 / f],
            "m": F(2),
            "d": F(2),
            "q()": column((2, -1)),
            "k()": {(place, a): F(place * a - 2, a) for place in (1, 2) for a in (1, 2)},
        }


@adequate(
    "yang2026.s6.flipflop",
    at=scaled_queries(),
    misses=[
        ("3 <= n", "2 <= n"),
        ("f <= C*n*log(n)", "f <= 99*C*n*log(n)"),
        ("tau = 1/f", "tau = 2/f"),
        ("1/(n*log(n)) < 1/n", "1/(n*log(n)) < 1/(2*n)"),
    ],
)
def flipflop(v: Any) -> bool | None:
    n, C, f = v["n"], v["C"], v["f"]
    most_f = real(C * n) * CONTEXT.log(real(n))
    if n < 3 or f <= 0 or real(f) > most_f:
        return None
    return at_most(1 / most_f, 1 / f) and 1 / (real(n) * CONTEXT.log(real(n))) < real(1 / n)


def flip_flops() -> Iterator[dict[str, Any]]:
    """Instructions with bits, right or wrong at a read; some with a wrong last write, or none at first."""
    for m in (2, 3, 4):
        for ops in itertools.product((0, 1, 2), repeat=m):
            for written in ((1, 0, 1, 0), (0, 1, 1, 0), (0, 0, 0, 0)):
                bits, latest = list(written[:m]), [1] * m
                for t in range(m):
                    writes = [p for p in range(t) if ops[p] == 0]
                    if ops[t] == 1 and writes:
                        latest[t] = writes[0] + 1 if written[0] and m == 4 else writes[-1] + 1
                        bits[t] = 1 - bits[latest[t] - 1] if not any(written) and t < 3 else bits[latest[t] - 1]
                for coded in ([3 if op == 2 else 2 for op in ops], [op + 2 for op in ops]):
                    u = [x for op, bit in zip(coded, bits, strict=True) for x in (op, bit)]
                    given = {"op": ops, "value": bits, "latest": latest, "u": u}
                    yield {"m": F(m), **{f"{name}()": column(xs) for name, xs in given.items()}, "given": given}


FLIP_FLOPS = tuple(flip_flops())


@adequate(
    "yang2026.s6.flipflop_instance",
    at=FLIP_FLOPS,
    misses=[
        ("ex i in 1..2*t - 2.", "ex i in 2..2*t - 2."),
        ("u(i + 1) = value(t)", "u(i + 1) != value(t)"),
        ("value(t) = value(latest(t))", "value(t) = 0"),
        ("<-> (all t in 2..m. op(t) = 1 -> ex", "<-> (all t in 3..m. op(t) = 1 -> ex"),
        ("(all k in latest(t) + 1..t - 1. op(k) != 0)", "(all k in latest(t) + 2..t - 1. op(k) != 0)"),
        ("(all k in i + 1..2*t - 2. u(k) != u(2*t - 1))", "(all k in i + 1..2*t - 2. u(k) != 3)"),
    ],
)
def flip_flop_by_induction(v: Any) -> bool | None:
    """In the language: each read repeats the last write. By the task: each read's bit is the answer there."""
    ops, bits, latest, u = (v["given"][name] for name in ("op", "value", "latest", "u"))
    if ops[0] != 0 or any(u[2 * t] != (3 if op == 2 else 2) for t, op in enumerate(ops)):
        return None
    language = task = True
    for t in (t for t in range(1, len(ops)) if ops[t] == 1):
        last = max(p for p in range(t) if ops[p] == 0)
        if latest[t] - 1 != last:
            return None
        language = language and bits[t] == bits[last]
        task = task and bits[t] == next(u[i + 1] for i in range(2 * t - 1, -1, -1) if u[i] == u[2 * t])
    return language == task


def attended(scores: Sequence[F], values: Sequence[F]) -> list[F]:
    """Average-hard attention with a future mask: at i the mean of the values at the greatest scores up to i."""
    out = []
    for i in range(1, len(scores) + 1):
        weights = ahardmax(list(scores[:i]))
        out.append(sum((a * x for a, x in zip(weights, values, strict=False)), F(0)))
    return out


def flip_flop_runs() -> Iterator[dict[str, Any]]:
    """All strings of up to 3 symbols, those of 4 and 6 with bits in their places, some with another symbol."""
    short = [u for n in range(4) for u in itertools.product(range(5), repeat=n)]
    four = [(a, x, b, y) for a in range(3) for b in range(3) for x in (3, 4) for y in (3, 4)]
    six = [(0, x, b, y, 1, z) for b in range(4) for x in (3, 4) for y in (2, 3, 4) for z in (3, 4)]
    for u in [*short, *four, *six, (0, 3, 5, 3), (0, 5), (5, 3)]:
        n, places = len(u), range(1, len(u) + 1)
        run = {c: [F(s == k) for s in u] for k, c in enumerate(("write", "read", "ignore", "zero", "digit"))}
        run["data"] = [a + b for a, b in zip(run.pop("zero"), run["digit"], strict=True)]
        del run["ignore"]
        run |= {"one": [F(1)] * n, "sign": [F((-1) ** i) for i in places]}
        run |= {"share": [F(i, n) for i in places], "first": [F(i == 1) for i in places]}
        scores = [b - a for a, b in zip(run["sign"], run["share"], strict=True)]
        run |= {"wrote": attended(scores, run["write"]), "asked": attended(scores, run["read"])}
        run["saved"] = [relu(d + w - 1) for d, w in zip(run["data"], run["wrote"], strict=True)]
        run["uneven"] = [relu(-s) for s in run["sign"]]
        marked = zip(run["data"], run["sign"], run["first"], run["write"], strict=True)
        run["wrong"] = [relu(d - s - 1) + relu(s - d) + relu(f - w) for d, s, f, w in marked]
        later = [a + b for a, b in zip(run["saved"], run["share"], strict=True)]
        run["kept"] = attended(later, run["digit"])
        read = zip(run["asked"], run["data"], run["digit"], run["kept"], strict=True)
        run["differs"] = [relu(a + d + b - k - 2) + relu(a + d + k - b - 2) for a, d, b, k in read]
        run |= {"flaws": attended([F(0)] * n, run["wrong"]), "errors": attended([F(0)] * n, run["differs"])}
        offered = {f"{c}()": column(xs) for c, xs in run.items()}
        yield {
            "n": F(n),
            "w()": column(u),
            "m": [F(m) for m in range(1, 4)],
            **offered,
            "at": (u, run, (scores, later)),
        }


@adequate(
    "yang2026.s6.flipflop_ahat",
    at=flip_flop_runs(),
    misses=[
        ("word(flip-flop) -> ", ""),
        ("flipflop(w, n)", "flipflop(w, n) & w(n - 1) != 2"),
        ("scoregap(l. one(i)*(saved(l) + share(l)), i, 1/n)", "scoregap(l. one(i)*(saved(l) + share(l)), i, 2/n)"),
        ("scoregap(l. one(i)*(-sign(l) + share(l)), i, 1/n)", "scoregap(l. one(i)*(sign(l) + share(l)), i, 3/n)"),
        ("abs(share(i)) <= 1", "abs(share(i)) < 1"),
    ],
)
def flip_flop_by_ahat(v: Any) -> bool | None:
    """Instructions and bits in turn, a write first, each read with the bit written last; gaps of 1/n; entries to 1."""
    u, run, layers = v["at"]
    n = len(u)
    if n == 0 or any(s not in range(5) for s in u):
        return None
    said = n % 2 == 0 and u[0] == 0 and all(s in (0, 1, 2) for s in u[::2]) and all(s in (3, 4) for s in u[1::2])
    kept = 0
    for instruction, bit in zip(u[::2], u[1::2], strict=False):
        said = said and (instruction != 1 or bit == kept)
        kept = bit if instruction == 0 else kept
    accepted = not (run["flaws"][-1] or run["errors"][-1] or run["uneven"][-1])
    apart = all(max(s[:i]) - x >= F(1, n) for s in layers for i in range(1, n + 1) for x in s[:i] if x < max(s[:i]))
    start = ("write", "read", "data", "digit", "one", "sign", "share", "first")
    return accepted == said and apart and all(abs(x) <= 1 for c in start for x in run[c])


# --- Appendix A -------------------------------------------------------------------------------------------------------


def roundings() -> Iterator[dict[str, Any]]:
    for p, extra, up in itertools.product((1, 2), (1, 2), ("even", "up", "down", "floor")):
        P, Q = 2**p, 2**extra

        def r(k: int, P: int = P, Q: int = Q, up: str = up) -> int:
            low = k // Q
            if up == "floor" or 2 * (k % Q) < Q:
                return low
            if 2 * (k % Q) == Q:
                low += {"even": low % 2, "up": 1, "down": 0}[up]
            else:
                low += 1
            return min(low, P - 1)

        image_of = [r(k) for k in range(P * Q)]
        for y in range(P):
            u = image_of.index(y)
            v = image_of.index(y + 1) if y + 1 < P else 0
            yield {
                "p": F(p),
                "e": F(extra),
                "P": [F(P), F(P + 1)],
                "Q": F(Q),
                "r()": column(image_of, start=0),
                "y": F(y),
                "u": [F(u), F(u + 1)],
                "v": [F(v), F(v + 1)],
            }


ROUNDINGS = tuple(roundings())


def between(v: Any, least: int) -> bool | None:
    P, Q, y = 2 ** int(v["p"]), 2 ** int(v["e"]), int(v["y"])
    image_of = [int(v["r()"][k]) for k in range(P * Q)]
    nearest = all(abs(r * Q - k) == min(abs(z * Q - k) for z in range(P)) for k, r in enumerate(image_of))
    if v["e"] < least or y + 1 >= P or not nearest:
        return None
    return image_of.index(y + 1) - image_of.index(y) > 1


@adequate("yang2026.lemma27.between", at=ROUNDINGS, false=True)
def between_printed(v: Any) -> bool | None:
    return between(v, 1)


@adequate(
    "yang2026.lemma27.between.corrected",
    at=ROUNDINGS,
    misses=[
        ("2 <= e", "1 <= e"),
        ("u < k & k < v", "u + 1 < k & k + 1 < v"),
        ("u < k & k < v", "u < k - 1 & k < v - 1"),
    ],
)
def between_corrected(v: Any) -> bool | None:
    return between(v, 2)


def different(v: Any, least: int) -> bool | None:
    """Whether the points from m(y) to m(y + 1) are on no line: with one between they are not, as no value fits."""
    P, Q, y = 2 ** int(v["p"]), 2 ** int(v["e"]), int(v["y"])
    if between(v, least) is None:
        return None
    image_of = [int(v["r()"][k]) for k in range(P * Q)]
    u, w = image_of.index(y), image_of.index(y + 1)
    return any((image_of[k] - y) * (w - u) != k - u for k in range(u, w + 1))


LINED = [
    v | {"a": [F(0), v["Q"], v["Q"] / 2], "b": [v["y"], v["y"] - v["u"][0], v["y"] - v["u"][0] / 2]} for v in ROUNDINGS
]
"""With lines: constant, and of the slopes that a step over one number and over two has."""


@adequate("yang2026.lemma27.different", at=LINED, false=True)
def different_printed(v: Any) -> bool | None:
    return different(v, 1)


@adequate(
    "yang2026.lemma27.different.corrected",
    at=LINED,
    misses=[
        ("2 <= e", "1 <= e"),
        ("all k in u..v. r(k)", "all k in u..u. r(k)"),
        ("all k in u..v. r(k)", "all k in u..v - 1. r(k)"),
    ],
)
def different_corrected(v: Any) -> bool | None:
    return different(v, 2)


def least_pieces(points: list[F]) -> list[int]:
    """The piece of each point when each piece, from the left, is as long as it can be."""
    found = [1, 1]
    for k in range(2, len(points)):
        start = found.index(found[-1])
        straight = k - start < 2 or points[k] - points[k - 1] == points[start + 1] - points[start]
        found.append(found[-1] if straight else found[-1] + 1)
    return found


def covered() -> Iterator[dict[str, Any]]:
    """All ways to break ties among multiples of 1/2^e that are rounded to integers, and integers that are cut off."""
    for p, extra in ((1, 1), (2, 1), (1, 2), (2, 2)):
        P, Q = 2**p, 2**extra
        ties = [range(k // Q, min(k // Q + 1, P - 1) + 1) if 2 * (k % Q) == Q else () for k in range(P * Q)]
        ways = [tie or (min((2 * k + Q) // (2 * Q), P - 1),) for k, tie in enumerate(ties)]
        for image_of in itertools.product(*ways):
            yield in_pieces([F(k, Q) for k in range(P * Q)], [F(y) for y in image_of], p)
    for p, more in ((1, 1), (2, 1), (2, 2)):
        yield in_pieces(
            [F(k) for k in range(2 ** (p + more))], [F(min(k, 2**p - 1)) for k in range(2 ** (p + more))], p
        )


def in_pieces(fine: list[F], points: list[F], p: int) -> dict[str, Any]:
    """Numbers with what they are rounded to, integers of p bits, in as few pieces as there may be, and in fewer."""
    pieces, P, step = least_pieces(points), 2**p, fine[1] - fine[0]
    starts = [pieces.index(m) for m in range(1, pieces[-1] + 1)]
    slopes = [points[s + 1] - points[s] if pieces[s + 1 : s + 2] == [pieces[s]] else F(0) for s in starts]
    return {
        "p": F(p),
        "q": F(len(fine).bit_length() - 1),
        "P": [F(P), F(P + 1)],
        "Q": F(len(fine)),
        "g()": defaultdict(F, column(fine)),
        "y()": defaultdict(F, column(range(P))),
        "r()": defaultdict(F, column(y + 1 for y in points)),
        "M": [F(pieces[-1] - 1), F(pieces[-1])],
        "piece()": [column(pieces), column(min(m, pieces[-1] - 1) for m in pieces)],
        "a()": column(slope / step for slope in slopes),
        "b()": column(points[s] - slope * s for s, slope in zip(starts, slopes, strict=True)),
        "step": step,
    }


COVERED = tuple(covered())


@adequate("yang2026.lemma27.rounding", at=COVERED, false=True)
def rounding_printed(v: Any) -> bool:
    return max(least_pieces([v["r()"][k] for k in range(1, int(v["Q"]) + 1)])) >= 2 ** int(v["p"])


@adequate(
    "yang2026.lemma27.rounding.corrected",
    at=COVERED,
    misses=[
        ("-> P <= M", "-> P + 1 <= M"),
        ("1 <= piece(k) & piece(k) <= M &", "1 <= piece(k) &"),
        ("& y(r(k)) = a(piece(k))*g(k) + b(piece(k))", ""),
        ("& (all k in 1..P - 1. ex l in 1..Q. y(k) < g(l) & g(l) < y(k + 1))", ""),
    ],
)
def rounding(v: Any) -> bool | None:
    """The least number of pieces, by pieces as long as they can be, is the number of p-bit numbers."""
    if v["step"] == 1:
        return None
    return max(least_pieces([v["r()"][k] for k in range(1, int(v["Q"]) + 1)])) == 2 ** int(v["p"])


# --- Appendix C -------------------------------------------------------------------------------------------------------


def affine() -> Iterator[dict[str, Any]]:
    shapes = [(1, [[2]], [3], [1]), (2, [[3, 3], [3, 3]], [1, 1], [2, 1]), (2, [[1, -2], [0, 1]], [-1, 2], [1, 1])]
    shapes += [(2, [[0, 0], [0, 0]], [0, 0], [5, -5]), (3, [[1, 1, -1]] * 3, [0, 2, 0], [1, -1, 3])]
    for d, W, b, x in shapes:
        for w, c in ((max(abs(a) for row in W for a in row), max(map(abs, b))), (1, 1)):
            yield {
                "d": F(d),
                "W()": table(W),
                "b()": column(b),
                "x()": column(x),
                "w": F(w),
                "c": F(c),
                "is": (d, [[F(a) for a in row] for row in W], [F(a) for a in b], [F(a) for a in x]),
            }


@adequate(
    "yang2026.lemma28.chain",
    at=affine(),
    misses=[
        ("= d*w*onenorm(x, d) + d*c", "= w*onenorm(x, d) + d*c"),
        (
            "<= sum(k, 1, d, abs(sum(l, 1, d, W(k, l)*x(l)))) + onenorm(b, d)",
            "<= sum(k, 1, d, abs(sum(l, 1, d, W(k, l)*x(l))))",
        ),
        ("<= sum(k, 1, d, w*onenorm(x, d)) + d*c", "<= w*onenorm(x, d) + d*c"),
    ],
)
def affine_chain(v: Any) -> bool | None:
    d, W, b, x = v["is"]
    if v["w"] < most(W) or v["c"] < most(b):
        return None
    first, second = norm(image(W, x)) + norm(b), d * v["w"] * norm(x) + d * v["c"]
    return norm(plus(image(W, x), b)) <= first <= second


def layers() -> Iterator[dict[str, Any]]:
    V1, V2 = [[F(1)]], [[F(2), F(-2)], [F(2), F(2)]]
    for d, p, V, g, f in (
        (1, F(1), V1, [[F(1)]], [F(1)]),
        (2, F(2), V2, [[F(3), F(-1)], [F(3), F(1)]], [F(0), F(1)]),
        (2, F(2), V2, [[F(3), F(-1)], [F(0), F(1)]], [F(1, 2), F(1, 2)]),
        (1, F(1), [[F(3)]], [[F(1)]], [F(1)]),
        (1, F(3), [[F(3)]], [[F(2)]], [F(2)]),
        (1, F(3), [[F(3)]], [[F(2)], [F(5)]], [F(1), F(0)]),
    ):
        n = len(g)
        for i, S in itertools.product(range(1, n + 1), (F(1), F(2), F(5))):
            values = [image(V, row) for row in g]
            c = [g[i - 1][a] + sum((f[j] * values[j][a] for j in range(n)), F(0)) for a in range(d)]
            yield {
                "d": F(d),
                "p": p,
                "n": F(n),
                "X": [F(1), F(3)],
                "x()": column([1, -1][:d]),
                "V()": table(V),
                "g()": {(a, j): x for j, row in enumerate(g, 1) for a, x in enumerate(row, 1)},
                "f()": column(f),
                "i": F(i),
                "c()": [column(c), column([x + 1 for x in c])],
                "S": S,
                "C": lambda env, d=d: [sum(abs(env["c"][a]) for a in range(1, d + 1))],
                "is": (d, p, V, g, f, c, S),
            }


@adequate(
    "yang2026.lemma29.steps",
    at=layers(),
    misses=[
        ("C <= (d*p + 1)*S", "C <= d*p*S"),
        ("onenorm(x, d) <= d*X", "onenorm(x, d) <= X"),
        ("<= 2*(d^2*p^2 + 1)*(d*p + 1)*S", "<= (d^2*p^2 + 1)*(d*p + 1)*S"),
        ("sum(j, 1, n, f(j)) = 1", "0 < 1"),
        ("entrybound(V, d, d, p)", "0 < 1"),
    ],
)
def growth_steps(v: Any) -> bool | None:
    d, p, V, g, f, c, S = v["is"]
    if most(V) > p or sum(f) != 1 or any(norm(row) > S for row in g):
        return None
    high, factor = (d * p + 1) * S, d * d * p * p + 1
    values = all(norm(image(V, row)) <= d * p * norm(row) for row in g)
    last = factor * norm(c) + d * d * p * p + d * p <= 2 * factor * (d * p + 1) * S
    return values and norm(c) <= high and d * d * p * p + d * p <= factor * (d * p + 1) and last


def errors() -> Iterator[dict[str, Any]]:
    W, V, b = [[F(2), F(-2)], [F(2), F(2)]], [[F(1), F(0)], [F(-2), F(2)]], [F(1), F(-5)]
    for c, z, eps, p in itertools.product(([1, 2], [0, 0]), ([1, 2], [1, F(3, 2)]), (F(1, 2), F(3)), (F(2), F(1))):
        for x, y in ((F(-1), F(2)), (F(3), F(1))):
            yield {
                "x": x,
                "y": y,
                "d": F(2),
                "p": p,
                "W()": table(W),
                "V()": table(V),
                "b()": column(b),
                "g()": column(b),
                "c()": column(c),
                "z()": column(z),
                "y()": column(c),
                "u()": column(z),
                "eps": eps,
                "is": (W, V, b, [F(a) for a in c], [F(a) for a in z]),
            }


@adequate(
    "yang2026.lemma30.steps",
    at=errors(),
    misses=[
        ("<= abs(x - y))", "<= x - y)"),
        ("<= d*p*onenorm", "<= p/2*onenorm"),
        ("<= d*p*eps", "<= p*eps"),
        ("= onenorm(a. matvec(W, l. c(l) - z(l), d, a), d)", "= onenorm(a. c(a) - z(a), d)"),
    ],
)
def network_steps(v: Any) -> bool | None:
    W, V, b, c, z = v["is"]
    good = abs(relu(v["x"]) - relu(v["y"])) <= abs(v["x"] - v["y"])
    if v["p"] < 2 or norm(minus(c, z)) > v["eps"]:
        return good
    inner = norm(minus(plus(image(W, c), b), plus(image(W, z), b)))
    outer = norm(minus(image(V, c), image(V, z)))
    return good and inner <= 4 * v["eps"] and outer <= 4 * norm(minus(c, z))


def products() -> Iterator[dict[str, Any]]:
    W = [[F(2), F(-2)], [F(2), F(2)]]
    for h, g, eps, p in itertools.product(
        ([1, 2], [0, -1], [2, 0]), ([1, 2], [1, F(3, 2)]), (F(1, 2), F(4)), (F(2), F(1))
    ):
        yield {
            "d": F(2),
            "p": p,
            "W()": table(W),
            "h()": column(h),
            "g()": column(g),
            "eps": eps,
            "q()": column(h),
            "k()": column((3, -1)),
            "r()": column(g),
            "m()": column((2, 5)),
            "is": (W, [F(a) for a in h], [F(a) for a in g]),
        }


@adequate(
    "yang2026.lemma31.chain",
    at=products(),
    misses=[
        ("<= d*p*eps", "<= p*eps"),
        ("(r(a) - q(a))*(m(a) - k(a)))", "(r(a) - q(a))*(m(a) + k(a)))"),
        ("onenorm(q, d)*onenorm(k, d)", "onenorm(q, d)*onenorm(k, d)/2"),
        ("entrybound(W, d, d, p)", "0 < 1"),
    ],
)
def score_steps(v: Any) -> bool | None:
    W, q, r = v["is"]
    k, m = [F(3), F(-1)], [F(2), F(5)]

    def dot(a: Any, b: Any) -> F:
        return sum((x * y for x, y in zip(a, b, strict=True)), F(0))

    dq, dk = minus(r, q), minus(m, k)
    good = dot(q, k) - dot(r, m) == -dot(q, dk) - dot(dq, k) - dot(dq, dk) and abs(dot(q, k)) <= norm(q) * norm(k)
    if v["p"] >= 2 and norm(minus(q, r)) <= v["eps"]:
        good = good and norm(minus(image(W, q), image(W, r))) <= 4 * v["eps"]
    return good


@adequate(
    "yang2026.lemma32.triangle",
    at=[
        {"n": F(len(s)), "s()": column(s), "r()": column(r), "tau": tau}
        for s, r in (((1,), (2,)), ((0, 1), (1, 0)), ((0, 0), (0, 3)), ((1, 0, 1), (1, 0, 0)), ((), ()))
        for tau in (F(1), F(1, 3), F(0))
    ],
    misses=[
        ("+ sum(j, 1, n, abs(sm(l. s(l)/tau, n, j) - sm(l. r(l)/tau, n, j)))", ""),
        ("+ sum", "- sum"),
    ],
)
def triangle(v: Any) -> bool | None:
    s, r, tau = listed(v, "s"), listed(v, "r"), v["tau"]
    if not s or tau <= 0:
        return None
    soft, other = (softmax([real(x) / real(tau) for x in row]) for row in (s, r))
    return at_most(distance(ahardmax(s), other), distance(ahardmax(s), soft) + distance(soft, other))


def mixtures() -> Iterator[dict[str, Any]]:
    V = [[F(2), F(-1)], [F(1), F(3)]]
    for h, k, f, g in (
        ([[1, 2], [0, -1]], [[1, 2], [0, -1]], (1, 0), (F(1, 2), F(1, 2))),
        ([[2, 2], [-2, -2]], [[2, 1], [-2, -2]], (1, 0), (0, 1)),
        ([[1, 0]], [[1, F(1, 2)]], (1,), (1,)),
        ([[1, 0], [1, 1]], [[1, F(1, 2)], [0, 1]], (F(1, 3), F(2, 3)), (F(2, 3), F(1, 3))),
        ([[1, 0]], [[1, 0]], (2,), (1,)),
    ):
        n = len(h)
        hs, ks = ([[F(x) for x in row] for row in rows] for rows in (h, k))
        for i, H, eps, t in itertools.product(range(1, n + 1), (F(1), F(2)), (F(1), F(1, 4)), (F(2), F(1, 2))):
            outs = []
            for rows, weights in ((hs, f), (ks, g)):
                means = [image(V, row) for row in rows]
                outs.append([rows[i - 1][a] + sum(F(weights[j]) * means[j][a] for j in range(n)) for a in (0, 1)])
            yield {
                "d": F(2),
                "V()": table(V),
                "n": F(n),
                "h()": {(a, j): x for j, row in enumerate(hs, 1) for a, x in enumerate(row, 1)},
                "k()": {(a, j): x for j, row in enumerate(ks, 1) for a, x in enumerate(row, 1)},
                "f()": column(f),
                "g()": column(g),
                "H": H,
                "eps": eps,
                "t": t,
                "i": F(i),
                "c()": [column(outs[0]), column([x + 1 for x in outs[0]])],
                "z()": column(outs[1]),
                "is": (V, hs, ks, [F(x) for x in f], [F(x) for x in g], outs, i),
            }


@adequate(
    "yang2026.lemma33.steps",
    at=mixtures(),
    misses=[
        ("<= d*H*t + eps", "<= H*t + eps"),
        ("<= d*H*t + eps", "<= d*H*t"),
        ("+ h(a, i) - k(a, i))", "- h(a, i) + k(a, i))"),
        ("<= abs(f(j) - g(j))*onenorm(a. h(a, j), d) + g(j)*onenorm", "<= g(j)*onenorm"),
    ],
)
def mixture_steps(v: Any) -> bool | None:
    V, h, k, f, g, outs, i = v["is"]
    H, eps, t = v["H"], v["eps"], v["t"]
    far = sum(abs(a - b) for a, b in zip(f, g, strict=True))
    apart = [norm(minus(x, y)) for x, y in zip(h, k, strict=True)]
    if most(*h) > H or max(apart) > eps or sum(f) != 1 or sum(g) != 1 or far > t:
        return None
    parts = [minus([a * e_ for e_ in x], [b * e_ for e_ in y]) for a, b, x, y in zip(f, g, h, k, strict=True)]
    total = [sum((part[a] for part in parts), F(0)) for a in (0, 1)]
    identity = minus(*outs) == plus(image(V, total), minus(h[i - 1], k[i - 1]))
    caps = [abs(a - b) * norm(x) + b * eps for a, b, x in zip(f, g, h, strict=True)]
    each = all(norm(part) <= cap for part, cap in zip(parts, caps, strict=True))
    return identity and each and norm(total) <= sum(map(norm, parts)) <= sum(caps) <= 2 * H * t + eps


@adequate(
    "yang2026.thm26.taylor",
    at=[{"r": r, "c": c} for r in (F(0), F(1, 9), F(1), F(7)) for c in (F(1, 2), F(1), F(4), F(-1))],
    misses=[("1/c*(r - c)", "1/c*(r - c)/2"), ("1/c*(r - c)", "(r - c)"), ("log(c) + ", "")],
)
def tangent(v: Any) -> bool | None:
    r, c = v["r"], v["c"]
    if r <= 0 or c <= 0:
        return None
    return at_most(CONTEXT.log(real(r)), CONTEXT.log(real(c)) + real((r - c) / c))


def orders() -> Iterator[dict[str, Any]]:
    for L, K, alpha, beta in ((2, 1, F(1), F(1)), (3, 5, F(1, 2), F(2)), (2, 9, F(7), F(1, 3)), (1, 1, F(1), F(1))):
        yield {
            "L": F(L),
            "K": F(K),
            "alpha": alpha,
            "beta": beta,
            "C": [F(400)],
            "n": [F(1), F(2), F(30)],
            "x": [F(1), F(9)],
            "gamma": [F(1), F(1, 50)],
            "c": near(lambda env: 2 * env["K"] * (env["L"] - 1) * env["x"] ** 2 / env["gamma"]),
        }


@adequate(
    "yang2026.thm26.order",
    at=orders(),
    misses=[
        ("C*(1/gamma*log(n*x/gamma))", "C*log(n)/9999"),
        ("C*(1/gamma*log(n*x/gamma))", "C/999*(1/gamma*log(n*x/gamma))"),
    ],
)
def order(v: Any) -> bool | None:
    if v["L"] < 2:
        return None
    L, K, alpha, beta = (real(v[name]) for name in ("L", "K", "alpha", "beta"))
    log = CONTEXT.log
    ratios = []
    for n, x, gamma in itertools.product((2, 30), (1, 9), (real(1), real(F(1, 50)))):
        r0 = 2 * K * (L - 1) * x * x / gamma
        bound = 2 / gamma * (log(K * real(n) ** (beta + 1) * x / alpha) + (L - 1) * (log(r0) - 1))
        ratios.append(bound / (log(n * x / gamma) / gamma))
    return max(ratios) <= 400


# --- Appendix D -------------------------------------------------------------------------------------------------------


def programs() -> Iterator[dict[str, Any]]:
    for n in range(4):
        for o in itertools.product((1, -1, 2, 0)[: 4 if n < 3 else 2], repeat=n):
            found = []
            for printed in (False, True):
                counts = [
                    [sum(side * o[i if printed else j] > 0 for j in range(i + 1)) for i in range(n)] for side in (1, -1)
                ]
                found.append([column(c) for c in counts])
            yield {
                "n": F(n),
                "o()": column(o),
                "sleft()": [found[0][0], found[1][0]],
                "sright()": [found[0][1], found[1][1]],
            }


PROGRAMS = tuple(programs())


def sums(v: Any, printed: bool) -> bool | None:
    o = listed(v, "o")
    if not o or 0 in o:
        return None
    good = True
    for i in range(len(o)):
        left, right = (sum(side * o[i if printed else j] > 0 for j in range(i + 1)) for side in (1, -1))
        good = good and (left, right) == (sum(x > 0 for x in o[: i + 1]), sum(x < 0 for x in o[: i + 1]))
    return good


@adequate("yang2026.appD.sums", at=PROGRAMS, false=True)
def sums_printed(v: Any) -> bool | None:
    return sums(v, True)


@adequate(
    "yang2026.appD.sums.corrected",
    at=PROGRAMS,
    misses=[("= i &", "= n &"), ("= nestlevel(o, l. 1, i)", "= nestlevel(o, l. 1, n)"), ("o(i) != 0", "i <= n")],
)
def sums_corrected(v: Any) -> bool | None:
    return sums(v, False)


def depths() -> Iterator[dict[str, Any]]:
    for n in range(5):
        for o in itertools.product((1, -2) if n else (1,), repeat=n):
            left, right = (sum(side * x > 0 for x in o) for side in (1, -1))
            yield {
                "i": F(n),
                "o()": column(o),
                "left": F(left),
                "right": F(right),
                "d": near(lambda env: env["left"] - env["right"] + (env["i"] > 0 and env["o"][env["i"]] < 0)),
            }
    yield {"i": F(1), "o()": column((0,)), "left": F(0), "right": F(0), "d": F(0)}


@adequate(
    "yang2026.appD.depth",
    at=depths(),
    misses=[
        ("d = max(", "d = min("),
        ("left < right <->", "left <= right <->"),
        ("nestlevel(o, l. 1, i) < 0)", "nestlevel(o, l. 1, i - 1) < 0)"),
    ],
)
def depth(v: Any) -> bool | None:
    o = listed(v, "o", "i")
    if not o or 0 in o:
        return None
    levels = [sum((x > 0) - (x < 0) for x in o[:m]) for m in (len(o) - 1, len(o))]
    return levels[1] + (o[-1] < 0) == max(levels)


def prefix_sums(o: Sequence[F], printed: bool) -> tuple[list[int], list[int]]:
    def total(side: int, i: int) -> int:
        return sum(side * o[i if printed else j] > 0 for j in range(i + 1))

    left, right = ([total(side, i) for i in range(len(o))] for side in (1, -1))
    return left, right


def program(o: Sequence[F], left: Sequence[int], right: Sequence[int]) -> dict[str, list[Any]]:
    """The lines of the program, given its first two."""
    n = len(o)
    er1 = [int(right[i] > left[i]) for i in range(n)]
    d = [left[i] - right[i] + int(o[i] < 0) for i in range(n)]
    check = [next((o[j] for j in reversed(range(i)) if d[j] == d[i]), F(0)) for i in range(n)]
    er2 = [int(o[i] < 0 and not (check[i] > 0 and o[i] == -check[i])) for i in range(n)]
    ok = [int(not any(er1[: i + 1]) and not any(er2[: i + 1])) for i in range(n)]
    out = [int(ok[i] and left[i] == right[i]) for i in range(n)]
    return {"er1": er1, "d": d, "check": check, "er2": er2, "ok": ok, "out": out}


def balanced(word: Sequence[F]) -> bool:
    stack: list[F] = []
    for bracket in word:
        if bracket > 0:
            stack.append(bracket)
        elif not stack or stack.pop() != -bracket:
            return False
    return not stack


def dyck_words() -> Iterator[dict[str, Any]]:
    words_ = [o for n in range(5) for o in itertools.product((1, -1, 2, -2), repeat=n)]
    for o in [*words_[::3], (0,), (1, 0), (1, 2, -2, -1), (1, 2, -1, -2), (2, -2, 1, -1), (1, -1), (1, -2)]:
        o = [F(x) for x in o]
        sums_ = [prefix_sums(o, printed) for printed in (True, False)]

        def rest(name: str, o: list[F] = o) -> Callable[[Any], list[Any]]:
            def made(env: Any) -> list[Any]:
                known = ([int(env[side][i]) for i in range(1, len(o) + 1)] for side in ("sleft", "sright"))
                found = program(o, *known)[name]
                return [column(found), column([1 - x for x in found])] if name == "out" else [column(found)]

            return made

        yield {
            "n": F(len(o)),
            "o()": column(o),
            "sleft()": [column(left) for left, _ in sums_],
            "sright()": [column(right) for _, right in sums_],
            **{f"{name}()": rest(name) for name in ("er1", "d", "check", "er2", "ok", "out")},
        }


DYCK_WORDS = tuple(dyck_words())


def dyck(v: Any, printed: bool) -> bool | None:
    o = listed(v, "o")
    if not o or 0 in o:
        return None
    found = program(o, *prefix_sums(o, printed))["out"]
    return found == [int(balanced(o[: i + 1])) for i in range(len(o))]


@adequate("yang2026.appD.dyck", at=DYCK_WORDS, false=True)
def dyck_printed(v: Any) -> bool | None:
    return dyck(v, True)


@adequate(
    "yang2026.appD.dyck.corrected",
    at=DYCK_WORDS,
    misses=[
        ("& wellpaired(o, i)]", "]"),
        ("& nestlevel(o, l. 1, i) = 0 &", "&"),
        ("(all m in 1..i. 0 <= nestlevel(o, l. 1, m)) &", ""),
    ],
)
def dyck_corrected(v: Any) -> bool | None:
    return dyck(v, False)
