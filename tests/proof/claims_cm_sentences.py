"""Claims of merrill2024 and chiang2022 that stand between the numbered results, from the papers' words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proof.adequacy import adequate, column, draws
from proof.claims_merrill import POINTS, TIED, attend, dot, layer_norm, near, phi, same, tied
from proof.claims_parity import column_of
from proof.statement_truth import CONTEXT, SLACK, real

F = Fraction
RANDOM = draws(28)


def numbers(values: dict[int, Fraction], n: int, start: int = 1) -> list[int]:
    return [int(values[j]) for j in range(start, n + 1)]


# --- Precision and attention (merrill2024, Section 2.1) ---------------------------------------------------------------


@adequate(
    "merrill2024.s2.1.indexes",
    at=[
        {"N": F(n), "p": F(p), "x()": [column([1] * n), column([0] * n), column([k % 2 for k in range(n)])]}
        for n in (0, 1, 2, 3, 4, 7, 8, 9)
        for p in (-1, 0, 1, 2, 3, 4, 5)
    ],
    misses=[
        ("log(N)/log(2) + 1 <= p", "log(N)/log(2) <= p"),
        ("N <= pow(2, p) - 1 &", "2*N <= pow(2, p) - 1 &"),
        ("<= pow(2, p) - 1)", "<= pow(2, p) - N - 1)"),
        ("-> log(N)/log(2) <= p", "-> log(N)/log(2) + 1 <= p"),
    ],
)
def indexes(instance: Any) -> bool | None:
    """The least number of bits of N lies between log2(N) and log2(N) + 1, and a sum of N bits is no greater."""
    n, p = int(instance["N"]), int(instance["p"])
    if n < 1 or p < 0:
        return None
    bits = len(f"{n:b}")
    enough = CONTEXT.log(n) / CONTEXT.log(2) + 1 <= p + SLACK
    if not enough and bits > p:
        return None
    return (not enough or bits <= p) and (bits > p or CONTEXT.log(n) / CONTEXT.log(2) <= p + SLACK)


@adequate(
    "merrill2024.s2.1.special",
    at=[
        {"s()": column(s), "n": F(len(s)), "p": F(p)}
        for s in ([], [0], [3, 3], [2, 2, 2, 2], [0, 1], [5, 0, 1], [1, 1, 0], [0, -1, -1, 4])
        for p in (0, 1, 2, 3, 4)
    ],
    misses=[
        ("= 1/n", "= 1/(n + 1)"),
        ("s(j) = s(1)", "s(j) <= s(1)"),
        ("s(j) < s(p)", "s(j) <= s(p)"),
        ("I[j = p]", "I[j != p]"),
    ],
)
def special(instance: Any) -> bool | None:
    n, p = int(instance["n"]), int(instance["p"])
    if not 1 <= p <= n:
        return None
    scores = numbers(instance["s()"], n)
    best = [k for k, s in enumerate(scores) if s == max(scores)]
    weights = [F(k in best, len(best)) for k in range(n)]
    if len(set(scores)) == 1:
        return weights == [F(1, n)] * n
    return weights == [F(k == p - 1) for k in range(n)] if best == [p - 1] else None


def subsets() -> Iterator[dict[str, Any]]:
    for v, chosen in (
        ([1, 2, 5], [1, 2]),
        ([1, 2, 5], [3, 1]),
        ([4, -1, 0, 7], [4, 2, 1]),
        ([2, 2, 9], [1, 2]),
        ([0, 3], [1, 2]),
        ([6, 1, 1], [2, 3]),
    ):
        m, r = len(v), len(chosen)
        matrix = {
            (row, e): (F(e == chosen[row - 1]) - F(chosen.count(e), r)) if row <= r else F(0)
            for row in range(1, m + 1)
            for e in range(1, m + 1)
        }
        off = dict(matrix) | {(1, 1): matrix[1, 1] + 1}
        yield {"m": F(m), "r": F(r), "at()": column([*chosen, 0, 0]), "M()": [matrix, off], "v()": column(v)}


@adequate(
    "merrill2024.s2.1.subset",
    at=list(subsets()),
    misses=[
        ("layernorm(l. v(at(l)), r, c)", "layernorm(l. v(l), r, c)"),
        ("= layernorm(l. v(at(l)), r, c)", "= v(at(c))"),
        ("M(l, e)*v(e)", "M(l, e)*v(e)^2"),
    ],
)
def subset(instance: Any) -> bool | None:
    m, r = int(instance["m"]), int(instance["r"])
    v, at = instance["v()"], numbers(instance["at()"], r)
    part = [v[a] for a in at]
    if len(set(part)) == 1:
        return None
    matrix = instance["M()"][0]
    image = [sum(matrix[row, e] * v[e] for e in range(1, m + 1)) for row in range(1, m + 1)]
    return same(layer_norm(image)[:r], layer_norm(part))


def prenorms() -> Iterator[dict[str, Any]]:
    for v, x, k in (([1, 2], [3, 0], 1), ([5, -1, 0], [1, 1, 2], 1), ([2, 2], [1, 2], 1), ([1, 4], [7, 7], 1)):
        out = layer_norm(x) if len(set(x)) > 1 else [F(0)] * len(x)
        yield {
            "m": F(len(v)),
            "v()": column(v),
            "x()": {(1, c): F(e) for c, e in enumerate(x, 1)},
            "out()": [{(1, c): e + off for c, e in enumerate(out, 1)} for off in (0, F(1, 7))],
            "k": F(k),
            "r": F(len(v)),
        }
    yield {"m": F(3), "v()": column([1, 2, 4]), "x()": {(1, c): F(c * c) for c in (1, 2, 3)}, "k": F(1), "r": F(3)} | {
        "out()": {(1, c): e for c, e in enumerate(layer_norm([1, 4, 9]), 1)}
    }


@adequate(
    "merrill2024.s2.1.prenorm",
    at=list(prenorms()),
    misses=[
        ("I[e = l]*v(e)", "I[e != l]*v(e)"),
        ("= layernorm(v, m, c)", "= layernorm(v, m, c)/2"),
        ("out(1, c) = layernorm", "out(1, c) = 1 + layernorm"),
    ],
)
def prenorm(instance: Any) -> bool | None:
    """The identity projects to v itself; one norm concatenated is that norm."""
    m = int(instance["m"])
    v = [instance["v()"][c] for c in range(1, m + 1)]
    x = [instance["x()"][1, c] for c in range(1, m + 1)]
    if len(set(v)) == 1 or len(set(x)) == 1:
        return None
    outs = instance["out()"]
    out = outs[0] if isinstance(outs, list) else outs
    return same([out[1, c] for c in range(1, m + 1)], layer_norm(x))


# --- Matching (merrill2024, Section 3.1) ------------------------------------------------------------------------------


@adequate(
    "merrill2024.s3.1.onehot",
    at=[
        {"m": F(m), "q": F(q), "k()": column(k), "n": F(len(k))}
        for m, k in ((1, [1]), (2, [1, 2]), (3, [2, 2, 3]), (3, [1, 1]), (4, [4, 1, 3, 4]), (2, [3, 1]), (2, []))
        for q in (0, 1, 2, 3)
    ],
    misses=[
        ("I[k(j) = q])", "1)"),
        ("(ex j in 1..n. k(j) = q)", "1 <= n"),
        ("<-> k(j) = q", "<-> k(j) != q"),
        ("I[c = q]*I[c = k(j)]", "I[c = q]*I[c <= k(j)]"),
    ],
)
def onehot(instance: Any) -> bool | None:
    m, q, n = (int(instance[name]) for name in ("m", "q", "n"))
    keys = numbers(instance["k()"], n)
    if not (1 <= q <= m and all(1 <= k <= m for k in keys)):
        return None
    code = [[F(c == k) for c in range(1, m + 1)] for k in range(m + 1)]
    scores = [sum(a * b for a, b in zip(code[q], code[k], strict=True)) for k in keys]
    if scores != [F(k == q) for k in keys]:
        return False
    return q not in keys or all((s == max(scores)) == (k == q) for s, k in zip(scores, keys, strict=True))


@adequate(
    "merrill2024.s3.1.denominators",
    at=[
        {
            "q": [F(1), F(0), F(-2), F(3)],
            "i": F(i),
            "j": [F(1), F(2), F(i - 1)],
            "k()": lambda env: [lambda j: F(j - 1)],
        }
        for i in (1, 2, 3, 4, 5, 9)
    ],
    misses=[
        ("j < i & q != 0", "j < i"),
        ("1 <= j & j < i", "1 <= j & j <= i"),
        ("-> k(j) = q)", "-> 0 <= k(j))"),
        ("4 <= i", "2 <= i"),
    ],
)
def denominators(instance: Any) -> bool | None:
    """Counts 0, 1, 2, ... at tokens 1, 2, ...: asked for 1, which token 2 has, the last token scores highest."""
    i = int(instance["i"])
    if i == 1:
        return None
    apart = all(q == 0 or F(q, i) != F(q, j) for q in (-2, 1, 3) for j in range(1, i))
    scores = [F(1, i) * F(j - 1, j) for j in range(1, i)]
    return apart and (i < 4 or scores.index(max(scores)) + 1 != 2)


# --- Numbers of steps (merrill2024, Theorems 1 and 2) -----------------------------------------------------------------


@adequate(
    "merrill2024.thm1.steps",
    at=[{"n": F(n)} for n in (-1, 0, 1, 2, 5)],
    false=True,
)
def steps1(instance: Any) -> bool | None:
    """Tokens that a run of the schedule appends to $x: q_0 to q_n, then the answer."""
    n = int(instance["n"])
    if n < 0:
        return None
    return len([*(f"q{m}" for m in range(n + 1)), "answer"]) == n + 1


@adequate(
    "merrill2024.thm1.steps.corrected",
    at=[{"n": F(n)} for n in (-1, 0, 1, 2, 5)],
    misses=[("= n + 2", "= n + 1"), ("2*n, 1", "2*n + 1, 1"), ("+ 1 =", "=")],
)
def steps1_corrected(instance: Any) -> bool | None:
    n = int(instance["n"])
    if n < 0:
        return None
    return len([*(f"q{m}" for m in range(n + 1)), "answer"]) == n + 2


@adequate("merrill2024.thm2.steps", at=[{"t": F(t)} for t in (-1, 0, 1, 2, 7)], false=True)
def steps2(instance: Any) -> bool | None:
    """A machine that takes t steps has the diffs delta_0 to delta_t, each a token."""
    t = int(instance["t"])
    return None if t < 0 else len([f"delta{m}" for m in range(t + 1)]) == t


@adequate(
    "merrill2024.thm2.steps.corrected",
    at=[{"t": F(t)} for t in (-1, 0, 1, 2, 7)],
    misses=[("= t + 1", "= t"), ("sum(m, 0, t, 1)", "sum(m, 1, t, 1)")],
)
def steps2_corrected(instance: Any) -> bool | None:
    t = int(instance["t"])
    return None if t < 0 else len([f"delta{m}" for m in range(t + 1)]) == t + 1


# --- Parts of the constructions (merrill2024, Sections 3.2 and 3.3) ---------------------------------------------------


def tables() -> Iterator[dict[str, Any]]:
    for Q, S in ((1, 1), (2, 1), (2, 3), (3, 2)):
        step = {(p, a): F(RANDOM.randint(1, Q)) for p in range(1, Q + 1) for a in range(1, S + 1)}
        for q, s, t in itertools.product((1, Q, Q + 1), (0, 1, S), (1, Q)):
            yield {"Q": F(Q), "S": F(S), "step()": step, "q": F(q), "s": F(s), "t": F(t)}


@adequate(
    "merrill2024.thm1.ffn",
    at=[
        *tables(),
        {"Q": F(2), "S": F(2), "step()": {(p, a): F(3 - p) for p in (1, 2) for a in (1, 2)}, "q": F(1), "s": F(2)}
        | {"t": F(2)},
    ],
    misses=[
        ("I[s = a] - 1", "I[s = a]"),
        ("I[q = p] + I[s = a] - 1", "I[q = p] + I[s = a] - 1/2"),
        ("I[step(q, s) = t]", "I[step(q, s) != t]"),
        ("I[q = p] +", "I[q <= p] +"),
    ],
)
def ffn1(instance: Any) -> bool | None:
    Q, S, q, s, t = (int(instance[name]) for name in ("Q", "S", "q", "s", "t"))
    if not (1 <= q <= Q and 1 <= s <= S):
        return None
    step = instance["step()"]
    units = {(p, a): max(0, (q == p) + (s == a) - 1) for p in range(1, Q + 1) for a in range(1, S + 1)}
    return sum(on for at, on in units.items() if step[at] == t) == (step[q, s] == t)


def tuples() -> Iterator[dict[str, Any]]:
    for sizes in ((2,), (2, 2), (2, 3), (2, 2, 2)):
        every = list(itertools.product(*(range(1, size + 1) for size in sizes)))
        code = {(j, m): F(e) for m, one in enumerate(every, 1) for j, e in enumerate(one, 1)}
        step = column([RANDOM.randint(1, 2) for _ in every])
        for p in {1, 2, len(every)}:
            for arg in (every[p - 1], every[0]):
                for t in (1, 2):
                    yield {"T": F(len(sizes)), "N": F(len(every)), "code()": code, "arg()": column(arg)} | {
                        "step()": step,
                        "p": F(p),
                        "t": F(t),
                    }


@adequate(
    "merrill2024.thm2.ffn",
    at=list(tuples()),
    misses=[
        ("- (T - 1))", "- (T - 2))"),
        ("- (T - 1))", "- T)"),
        ("= I[step(p) = t]", "= I[step(1) = t]"),
        ("-> ex j in 1..T. code(j, m) != arg(j)", "-> 0 <= 1"),
    ][:3],
)
def ffn2(instance: Any) -> bool | None:
    T, N, p, t = (int(instance[name]) for name in ("T", "N", "p", "t"))
    code, step = instance["code()"], instance["step()"]
    arg = numbers(instance["arg()"], T)
    if not 1 <= p <= N or any(code[j, p] != arg[j - 1] for j in range(1, T + 1)):
        return None
    found = [m for m in range(1, N + 1) if all(code[j, m] == arg[j - 1] for j in range(1, T + 1))]
    if found != [p]:
        return None
    units = [max(0, sum(code[j, m] == arg[j - 1] for j in range(1, T + 1)) - T + 1) for m in range(1, N + 1)]
    return sum(on for m, on in enumerate(units, 1) if step[m] == t) == (step[p] == t)


VECTORS = ([1], [2, 2], [0, 1], [1, 2], [5, -3, 0], [1, 1, 2], [100, -1, 7, 7], [3, 0, 0, 0, 1], [10**6, 0])


@adequate(
    "merrill2024.s3.3.unbounded",
    at=[{"d": F(len(v)), "x()": column(v)} for v in VECTORS],
    misses=[("<= 1", "<= 7/10"), ("abs(layernorm(x, d, c))", "abs(x(c))")],
)
def unbounded(instance: Any) -> bool | None:
    v = [instance["x()"][c] for c in range(1, int(instance["d"]) + 1)]
    return None if len(set(v)) == 1 else all(abs(e) <= 1 + SLACK for e in layer_norm(v))


@adequate(
    "merrill2024.thm2.fn9",
    at=[{"d": F(len(v)), "x()": column(v)} for v in VECTORS],
    misses=[("= layernorm(x, d, c)", "= x(c)"), ("= layernorm(x, d, c)", "= 2*layernorm(x, d, c)")],
)
def second_norm(instance: Any) -> bool | None:
    v = [instance["x()"][c] for c in range(1, int(instance["d"]) + 1)]
    return None if len(set(v)) == 1 else same(layer_norm(layer_norm(v)), layer_norm(v))


def diffs() -> Iterator[dict[str, Any]]:
    for k in (0, 1, 2):
        wrote, move = list(range(10, 11 + k)), [(-1) ** j for j in range(k + 2)]
        delta = column([7, *wrote, *move])
        for tau in range(k + 3):
            yield {"k": F(k), "tau": F(tau), "delta()": delta, "state": [F(7), F(8)], "wrote()": column(wrote)} | {
                "move()": column(move, 0)
            }


def component_is(instance: Any, place: int) -> bool | None:
    """The tuple (state, k + 1 symbols, k + 2 moves), its entries counted from 1."""
    k, tau = int(instance["k"]), int(instance["tau"])
    if not 1 <= tau <= k + 1:
        return None
    entries = [7, *range(10, 11 + k), *((-1) ** j for j in range(k + 2))]
    return entries[place + tau - 1] == instance["wrote()"][tau]


@adequate("merrill2024.thm2.component", at=list(diffs()), false=True)
def component(instance: Any) -> bool | None:
    return component_is(instance, 2)


@adequate(
    "merrill2024.thm2.component.corrected",
    at=list(diffs()),
    misses=[("delta(1 + tau)", "delta(2 + tau)"), ("delta(1 + tau)", "delta(tau)"), ("= wrote(tau)", "= move(tau)")],
)
def component_corrected(instance: Any) -> bool | None:
    return component_is(instance, 1)


@adequate(
    "merrill2024.thm2.detect",
    at=[
        {"flag()": column(bits, 0), "i": F(len(bits) - 1)}
        for bits in ([0], [0, 0], [1, 0], [0, 1], [0, 0, 0], [0, 1, 0, 0], [1, 1], [2, 0], [0, 0, 0, 1])
    ],
    misses=[("+ flag(i) <->", "<->"), ("0 <", "0 <="), ("ex j in 0..i.", "all j in 0..i."), ("0, i - 1", "1, i - 1")],
)
def detect(instance: Any) -> bool | None:
    i = int(instance["i"])
    flags = numbers(instance["flag()"], i, 0)
    if i < 1 or not set(flags) <= {0, 1}:
        return None
    return (F(sum(flags[:i]), i) + flags[i] > 0) == any(flags)


# --- Bounds of time and space (merrill2024, Section 4) ----------------------------------------------------------------


@adequate(
    "merrill2024.thm3.calls",
    at=[{"n": F(n), "t": F(t)} for n in (-1, 0, 1, 2, 5) for t in (-2, 0, 1, 3, 5)],
    misses=[
        ("(n + t)^2 <= 2*(n^2 + t^2)", "(n + t)^2 <= n^2 + t^2"),
        ("n + t) = (n + t)^2", "n + t) = n^2 + t^2"),
        ("i) <= 2*(n^2 + t^2)", "i) <= n^2/2 + t^2/2"),
    ],
)
def calls(instance: Any) -> bool | None:
    n, t = int(instance["n"]), int(instance["t"])
    if n < 0 or t < 0:
        return None
    most = len([(i, j) for i in range(n + t) for j in range(n + t)])
    seen = len([(i, j) for i in range(n + t) for j in range(i + 1)])
    return max(most, seen) <= 2 * (n * n + t * t)


@adequate(
    "merrill2024.thm4.space",
    at=[
        {"n": F(n), "t": t, "c": c} for n in (0, 1, 2, 100) for t in (F(0), F(1, 3), F(9)) for c in (F(-1), F(0), F(4))
    ],
    misses=[
        ("(1 + c)*", "c*"),
        ("<= (1 + c)*(t + log(n))", "<= (1 + c)*t"),
        ("<= (1 + c)*(t + log(n))", "<= (1 + c)*(t/2 + log(n))"),
    ],
)
def space(instance: Any) -> bool | None:
    n, t, c = instance["n"], instance["t"], instance["c"]
    if n < 1 or t < 0 or c < 0:
        return None
    left = real(t) + real(c) * CONTEXT.log(real(n + t))
    return left <= real(1 + c) * (real(t) + CONTEXT.log(real(n))) + SLACK


@adequate(
    "merrill2024.s4.simplify",
    at=[{"n": F(n), "t": t, "a": a} for n in (0, 1, 2, 100) for t in (F(0), F(1), F(9)) for a in (F(0), F(1, 2), F(2))],
    misses=[
        ("(1 + 1/a)*t", "t"),
        ("(1 + 1/a)*t", "(1 + a)*t"),
        ("a*log(n) <= t", "0 <= t"),
        ("t <= t + log(n)", "t < t + log(n)"),
    ],
)
def simplify(instance: Any) -> bool | None:
    n, t, a = instance["n"], instance["t"], instance["a"]
    if n < 1 or a <= 0 or real(a) * CONTEXT.log(real(n)) > real(t):
        return None
    total = real(t) + CONTEXT.log(real(n))
    return total <= real(1 + 1 / a) * real(t) + SLACK and total >= real(t)


def durations() -> Iterator[dict[str, Any]]:
    zero, growing = (lambda n: F(0)), (lambda n: F(len(f"{int(n):b}") - 1))
    for t in (zero, growing):
        for a in (F(-1), F(1), F(2), F(3)):
            sizes = [F(n) for n in (1, 2, 3, 8, 100, 1024)]
            yield {"t()": lambda env, t=t: [t], "a": a, "n": sizes, "C": [F(0), F(1), F(2), F(3), F(4), F(10)]}


DURATIONS = list(durations())


def within(instance: Any, bound: Any) -> bool | None:
    """Some constant serves all sizes that were tried."""
    (t,), a = instance["t()"]({}), instance["a"]
    sizes, logs = instance["n"], {n: CONTEXT.log(real(n)) for n in instance["n"]}
    if not all(real(t(n)) <= real(a) * logs[n] + SLACK for n in sizes):
        return None
    return any(
        all(real(t(n)) + logs[n] <= real(C) * bound(real(t(n)), logs[n]) + SLACK for n in sizes) for C in instance["C"]
    )


@adequate("merrill2024.s4.log", at=DURATIONS, false=True)
def few_steps(instance: Any) -> bool | None:
    return within(instance, lambda t, log: t)


@adequate(
    "merrill2024.s4.log.corrected",
    at=DURATIONS,
    misses=[("<= C*log(n)", "<= C*t(n)"), ("<= C*log(n)", "<= C")],
)
def few_steps_corrected(instance: Any) -> bool | None:
    return within(instance, lambda t, log: log)


def bits() -> Iterator[dict[str, Any]]:
    """Steps: none, a square, and so many that their logarithm is n."""
    counts = (lambda n: F(0)), (lambda n: F(n) * F(n) - F(n)), (lambda n: F(3) ** int(n))
    for t in counts:
        for a in (F(-1), F(1), F(2), F(3)):
            sizes = [F(n) for n in (2, 3, 8, 100)]
            yield {"t()": lambda env, t=t: [t], "a": a, "n": sizes, "C": [F(0), F(1), F(2), F(3), F(4), F(10)]}


BITS = list(bits())


def few_bits(instance: Any) -> bool:
    """Some multiple of log n is at least the number of bits, log(n + t(n)), at all sizes that were tried."""
    (t,) = instance["t()"]({})
    sizes = {n: (CONTEXT.log(real(n)), CONTEXT.log(real(n + t(n)))) for n in instance["n"]}
    return any(all(p <= real(C) * log + SLACK for log, p in sizes.values()) for C in instance["C"])


@adequate("merrill2024.thm3.add", at=BITS, false=True)
def bits_of_any_steps(instance: Any) -> bool | None:
    return few_bits(instance)


@adequate(
    "merrill2024.thm3.add.corrected",
    at=BITS,
    misses=[("0 <= t(n) & n + t(n) <= exp(a*log(n))", "0 <= t(n)"), ("<= C*log(n)", "<= -1")],
)
def bits_of_polynomial_steps(instance: Any) -> bool | None:
    (t,), a = instance["t()"]({}), real(instance["a"])
    if not all(real(n + t(n)) <= CONTEXT.exp(a * CONTEXT.log(real(n))) + SLACK for n in instance["n"]):
        return None
    return few_bits(instance)


# --- Appendix A.1 and C of merrill2024 --------------------------------------------------------------------------------


def squares() -> Iterator[dict[str, Any]]:
    """k norms padded to r^2, each block (1, -1)/sqrt(2) or the like."""
    for k in (0, 1, 2, 4, 5, 9):
        r = next(r for r in range(1, 9) if k <= r * r)
        block = layer_norm([0, 1]) if k % 2 else layer_norm([3, 1, -1])
        u = {(b, c): e for b in range(1, r * r + 1) for c, e in enumerate(block, 1)}
        spoilt = u | {(1, c): 2 * e for c, e in enumerate(block, 1)}
        yield {"k": F(k), "r": [F(q) for q in range(1, 5)], "u()": [u, spoilt], "m": F(len(block)), "mean": F(0)} | {
            "norm": [CONTEXT.sqrt(r * r), CONTEXT.sqrt(r * r + 3)]
        }


@adequate(
    "merrill2024.prop1.pad",
    at=list(squares()),
    misses=[
        ("k <= r^2", "k = r^2"),
        ("u(b, c)/r", "u(b, c)/r^2"),
        ("(r - 1)^2 < k", "r^2 < k"),
        ("sum(c, 1, m, u(b, c)^2) = 1", "1 <= sum(c, 1, m, u(b, c)^2)"),
    ],
)
def pad(instance: Any) -> bool | None:
    k = int(instance["k"])
    if k < 1:
        return None
    root = next(r for r in range(1, k + 1) if k <= r * r)
    m = int(instance["m"])
    row = [real(instance["u()"][0][1, c]) for c in range(1, m + 1)]
    return (root - 1) ** 2 < k and same(layer_norm(row * root**2), [e / root for e in row * root**2])


@adequate(
    "merrill2024.appC.rms",
    at=[
        {"d": F(len(v)), "x()": column(v)}
        for v in ([0], [0, 0], [1, -1], [2, 3, -5], [1, 1, -2, 0], [1, 2], [F(1, 3), 4, F(-1, 3), -4])
    ],
    misses=[
        ("sum(c, 1, d, x(c)) = 0", "0 <= sum(c, 1, d, x(c))"),
        ("1/sqrt(d)*(", "1*("),
        ("x(c)/sqrt(sum(b, 1, d, x(b)^2))", "x(c)/sqrt(2*sum(b, 1, d, x(b)^2))"),
    ],
)
def rms(instance: Any) -> bool | None:
    v = [instance["x()"][c] for c in range(1, int(instance["d"]) + 1)]
    if sum(v) != 0 or not any(v):
        return None
    mean_square = CONTEXT.sqrt(real(sum(e * e for e in v) / len(v)))
    return same(layer_norm(v), [real(e) / mean_square / CONTEXT.sqrt(len(v)) for e in v])


@adequate(
    "merrill2024.appC.steps",
    at=[
        {"x": x, "i": i, "v()": [column([x / i, 1 / i, -x / i, -1 / i]), column([x / i, 1 / i, -x / i, 1 - 1 / i])]}
        for x in POINTS[:6]
        for i in (F(1), F(2), F(1, 3), F(-1), F(50))
    ],
    misses=[
        ("v(c)*(i/sqrt(2*x^2 + 2))", "v(c)*(1/sqrt(2*x^2 + 2))"),
        ("= 1/sqrt(2*x^2 + 2)*quadruple(x, 1, c)", "= 1/sqrt(2*x^2 + 2)*quadruple(1, x, c)"),
        ("v(c)/sqrt(sum(b, 1, 4, v(b)^2))", "v(c)/sum(b, 1, 4, v(b)^2)"),
        ("= lnhash(x, 1, c)", "= lnhash(x, i, c)"),
    ],
)
def hash_steps(instance: Any) -> bool | None:
    x, i = instance["x"], instance["i"]
    if i <= 0:
        return None
    v = [x / i, 1 / i, -x / i, -1 / i]
    norm = CONTEXT.sqrt(real(sum(e * e for e in v)))
    root = CONTEXT.sqrt(real(2 * x * x + 2))
    forms = [[real(e) / norm for e in v], [real(e * i) / root for e in v], [real(e) / root for e in (x, 1, -x, -1)]]
    return all(same(form, phi(x / i, 1 / i)) for form in [*forms, phi(x)])


@adequate(
    "merrill2024.appC.chain",
    at=[{"q": q, "k": k} for q in POINTS for k in [*POINTS, -q]],
    misses=[
        ("2*q*k + 2", "2*q*k + 1"),
        ("1 = (q*k + 1)/", "-1 = (q*k + 1)/"),
        ("(q*k + 1)^2 =", "(q*k - 1)^2 ="),
        ("+ q^2 + k^2 + 1 <->", "+ q^2 + k^2 <->"),
        ("2*q*k = q^2 + k^2", "-2*q*k = q^2 + k^2"),
        ("0 = (q - k)^2", "0 = (q + k)^2"),
    ],
)
def chain(instance: Any) -> bool:
    q, k = instance["q"], instance["k"]
    form = real(2 * q * k + 2) / CONTEXT.sqrt(real((2 * q * q + 2) * (2 * k * k + 2)))
    lines = [
        near(real(q * k + 1) / CONTEXT.sqrt(real((q * q + 1) * (k * k + 1))), 1),
        (q * k + 1) ** 2 == (q * q + 1) * (k * k + 1),
        (q * k) ** 2 + 2 * q * k + 1 == (q * k) ** 2 + q * q + k * k + 1,
        2 * q * k == q * q + k * k,
        (q - k) ** 2 == 0,
    ]
    return near(dot(phi(q), phi(k)), form) and lines == [q == k] * 5


@adequate(
    "merrill2024.lemma5.z",
    at=[{"x": x, "y": y} for x in POINTS for y in POINTS],
    misses=[
        ("x < y ->", "x <= y ->"),
        ("lnhash(x, 1, 1)", "lnhash(x, 1, 2)"),
        ("x/sqrt(2*x^2 + 2) <", "2*x/sqrt(2*x^2 + 2) <"),
    ],
)
def increasing(instance: Any) -> bool:
    x, y = instance["x"], instance["y"]
    first, second = (real(e) / CONTEXT.sqrt(real(2 * e * e + 2)) for e in (x, y))
    return near(phi(x)[0], first) and (x >= y or first < second)


def heads() -> Iterator[dict[str, Any]]:
    for moves in ((), (1,), (-1,), (1, -1), (1, 1, 1), (-1, -1), (1, -1, -1), (-1, 1, 1, 1), (2,)):
        h = [0]
        for move in moves:
            h.append(h[-1] + move)
        yield {"h()": column(h, 0), "n": F(len(moves))}


def sides(instance: Any, fixed: bool) -> bool | None:
    n = int(instance["n"])
    h = numbers(instance["h()"], n, 0)
    if any(abs(b - a) != 1 for a, b in itertools.pairwise(h)):
        return None
    new = [m for m in range(1, n + 1) if h[m] not in h[:m]]
    found = [(all(h[m] < a for a in h[:m]), all(a < h[m] for a in h[:m])) for m in new]
    if fixed:
        return all(low for low, _ in found) or all(high for _, high in found)
    return all(low or high for low, high in found)


@adequate("merrill2024.appE.onesided", at=list(heads()), false=True)
def onesided(instance: Any) -> bool | None:
    return sides(instance, True)


@adequate(
    "merrill2024.appE.onesided.corrected",
    at=list(heads()),
    misses=[
        ("(all j in 0..m - 1. h(j) != h(m)) ->", "0 <= 1 ->"),
        ("| (all j in 0..m - 1. h(j) < h(m))", "| (all j in 0..m - 1. h(j) < h(m) - 1)"),
        ("(all j in 0..m - 1. h(m) < h(j))", "(all j in 0..m - 1. h(m) + 1 < h(j))"),
    ],
)
def onesided_corrected(instance: Any) -> bool | None:
    return sides(instance, False)


@adequate(
    "merrill2024.lemma8.chain",
    at=[{"i": [i]} for i in (F(2), F(3), F(1), F(0), F(-3), F(5, 2), F(40))],
    misses=[
        ("+ -1*-1)^2", "- -1*-1)^2"),
        ("(2*(i - 1)^2 + 2))", "(2*(i - 1)^2 + 1))"),
        ("i^2 + (i - 1)^2 + 1)", "i^2 + (i - 1)^2)"),
        ("1 - 1/(i^2*(i - 1)^2 + 2*i*(i - 1) + 2))", "1 - 1/(i^2*(i - 1)^2 + 2*i*(i - 1) + 1))"),
        ("- 2*i + 2))", "- 2*i + 3))"),
        ("- 4*i + 4) <= 1 - 1/(2*i^4)", "- 4*i + 4) <= 1 - 1/i^4"),
        ("2 <= i", "0 <= i"),
    ],
)
def square_chain(instance: Any) -> bool:
    (i,) = instance["i"]
    value = dot(phi(i), phi(i - 1))
    form = (i * (i - 1) + 1) ** 2 / ((i * i + 1) * ((i - 1) ** 2 + 1))
    last = 1 - 1 / (i**2 * (i - 1) ** 2 + 2 * i * (i - 1) + 2)
    if not (near(value**2, form) and form == last):
        return False
    if i < 2 or i.denominator != 1:
        return True
    half = 1 - 1 / (2 * i**4 - 4 * i**3 + 6 * i**2 - 4 * i + 4)
    return near(value, CONTEXT.sqrt(real(last))) and value <= real(half) + SLACK and half <= 1 - 1 / (2 * i**4)


def flagged(h: int) -> dict[str, Any]:
    low, high = phi(F(h))[0], phi(F(h + 1))[0]
    return {"h": F(h), "i": [F(i) for i in (0, 1, 2, 3, 7)], "a": [1 / (high - low)], "b": [high]}


@adequate(
    "merrill2024.def6.flag",
    at=[flagged(h) for h in (-2, 0, 1, 2, 3, 8)],
    misses=[
        ("i <= h <->", "i < h <->"),
        ("lnhash(i, 1, c)", "lnhash(1, i, c)"),
        ("lnhash(1, 1/i, 1) <=", "lnhash(1, i, 1) <="),
        ("I[i <= h] =", "I[i < h] ="),
        (") - relu(a*(b - lnhash(1, 1/i, 1)) - 1)", ")"),
        ("relu(a*(b - lnhash(1, 1/i, 1))) -", "relu(a*(lnhash(1, 1/i, 1) - b)) -"),
    ],
)
def flag(instance: Any) -> bool | None:
    """The first entry of the hash of i is compared with that of h, and falls on the steep part of the flag for no i."""
    h, (a,), (b,) = instance["h"], instance["a"], instance["b"]
    found = {i: phi(1, 1 / i)[0] for i in instance["i"] if i >= 1}
    steps = {i: max(a * (b - z), 0) - max(a * (b - z) - 1, 0) for i, z in found.items()}
    return all(
        same(phi(1, 1 / i), phi(i)) and (i <= h) == (z <= phi(h)[0] + SLACK) and abs(steps[i] - (i <= h)) < SLACK
        for i, z in found.items()
    )


@adequate(
    "merrill2024.lemma10.small",
    at=TIED,
    misses=[("1/1000 < 1/(2*i^4)", "1/500 < 1/(2*i^4)"), ("g(i) < 1/1000", "g(i) < 1/1001"), ("2*i^4", "4*i^4")],
)
def small(instance: Any) -> bool | None:
    return all(F(1, 1000) - F(i, 10**10) < F(1, 1000) < F(1, 2 * i**4) for i in range(1, 5)) if tied(instance) else None


# --- The input tape (merrill2024, proof of Theorem 2) -----------------------------------------------------------------


def tapes() -> Iterator[dict[str, Any]]:
    """Heads over the input: tokens 1 to n are the string, the others have a position each. a is the first key."""
    for n, moves in (
        (1, ()),
        (1, (1,)),
        (2, (1,)),
        (2, (1, 1, 1)),
        (2, (1, -1, 1)),
        (1, (-1, -1, -1, 1)),
        (3, (-1,)),
        (2, (2,)),
        (1, (1, 1)),
        (0, (1, -1)),
        (0, (-1, -1)),
        (0, (1, 1, -1)),
    ):
        h = [0]
        for move in moves:
            h.append(h[-1] + move)
        i = n + len(h)
        sigma = column(range(5, 5 + i)) | {0: F(4)}
        for first, factor, a in ((0, 1, 1), (1, 1, 1), (1, 2, 1), (0, 1, 0), (0, 2, 0), (1, 2, 0)):
            if n < a:
                continue
            keys = [phi(j) for j in range(a, n + 1)] + [phi(p) for p in h]
            scores = [dot(keys[-1], key) - factor * (j > n) for j, key in enumerate(keys[:-1], a)]
            best, retrieved = attend(scores, keys[:-1])
            shift = (first, factor, a) == (0, 1, 1)
            cells = {p: sigma[p + shift] for p in range(first, n + 1 - shift)}
            yield {
                "n": F(n),
                "h()": column(h, n + 1) | dict.fromkeys(range(n + 1), F(0)),
                "sigma()": dict(sigma) | {j: F(0) for j in range(-9, 0)} | {j: F(0) for j in range(i, i + 9)},
                "p": [F(p) for p in range(-4, 7)],
                "tape()": {p: cells.get(p, F(-1)) for p in range(-6, 9)},
                "blank": F(-1),
                "i": F(i),
                "a": F(a),
                "w": F(factor),
                "weight()": {j: F(j - 1 in best, len(best)) for j in range(1, i + 1)},
                "found()": column_of(retrieved),
                "tape from": first,
                "factor": factor,
                "moves": moves,
                "is": (keys[-1], retrieved, sum(sigma[j + a] for j in best) / len(best), h[-1]),
            }


TAPES = list(tapes())


def reads(v: Any, ways: tuple[tuple[int, int, int], ...]) -> bool | None:
    """By the head's output: the symbol where its hash is that of the position, a blank elsewhere."""
    first, factor = v["tape from"], v["factor"]
    if (first, factor, int(v["a"])) not in ways or any(abs(move) != 1 for move in v["moves"]):
        return None
    own, retrieved, symbol, place = v["is"]
    on_string = first <= place < int(v["n"]) + (first == int(v["a"]))
    match = same(retrieved, own)
    return match == on_string and (symbol if match else F(-1)) == v["tape()"][place]


@adequate("merrill2024.thm2.read", at=TAPES, false=True)
def read_as_printed(v: Any) -> bool | None:
    return reads(v, ((0, 1, 1),))


@adequate(
    "merrill2024.thm2.read.corrected",
    at=TAPES,
    misses=[
        ("= tape(h(i))) & (h(i) < a", "= tape(h(i) + 1)) & (h(i) < a"),
        ("if(a <= p & p <= n,", "if(1 <= p & p <= n,"),
        ("1 <= n & 2 <= w", "1 <= n & 1 <= w"),
        ("~(all c in 1..4. found(c) = inputkey(n, h, i, c))", "(all c in 1..4. found(c) = inputkey(n, h, i, c))"),
        ("& blank = tape(h(i))", "& blank = tape(h(i)) + 1"),
    ],
)
def read_right(v: Any) -> bool | None:
    return reads(v, ((1, 2, 1), (0, 1, 0), (0, 2, 0)))
