"""Claims of chiang2022 that stand between the numbered results, from the paper's words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proof.adequacy import adequate, column, draws
from proof.claims_parity import (
    NETWORKS,
    RUNS,
    SIZES,
    column_of,
    given,
    in_alphabet,
    normed,
    normed_run,
    parity_run,
    weights,
)
from proof.paper import at_most, same, softmax
from proof.statement_truth import CONTEXT, SLACK, real

F = Fraction
RANDOM = draws(2022)


def confident() -> Iterator[dict[str, Any]]:
    """Logits of two strings, on both sides of 0 and not, within the bound and not."""
    for s in (F(0), F(1, 100), F(1, 2), F(2)):
        for t in (F(0), F(-1, 100), F(-1, 2), F(1, 4)):
            for n in (1, 2, 5):
                for wide in (F(1, 8), F(1, 2), F(1), F(3)):
                    yield {"s": s, "t": t, "n": F(n), "B": wide * n * abs(s - t)}


@adequate(
    "chiang2022.s1.low_confidence",
    at=list(confident()),
    misses=[
        ("sigmoid(s) <= 1/2 + B/(2*n)", "sigmoid(s) <= 1/2 + B/(8*n)"),
        ("1/2 - B/(2*n) <= sigmoid(t)", "1/2 - B/(8*n) <= sigmoid(t)"),
        ("1 - B/(n*log(2)) <= crossbits(s)", "1 - B/(4*n*log(2)) <= crossbits(s)"),
        ("1 - B/(n*log(2)) <= crossbits(-t)", "1 - B/(4*n*log(2)) <= crossbits(-t)"),
        ("crossbits(s) < 1", "crossbits(-s) < 1"),
        ("crossbits(-t) <= 1", "crossbits(-t) < 1"),
        ("0 < s & t <= 0", "0 <= s & t <= 0"),
        ("0 < s & t <= 0", "0 < s & t <= 1"),
        ("abs(s - t) <= B/n", "abs(s - t) <= 10*B/n"),
        ("sigmoid(t) <= 1/2", "sigmoid(t) < 1/2"),
    ],
)
def unsure(v: Any) -> bool | None:
    """y = sigma(s) is the probability of 1; the cross-entropy in bits is -log2 of that of the right answer."""
    s, t, n, wide = (real(v[name]) for name in ("s", "t", "n", "B"))
    if n < 1 or v["n"] * abs(v["s"] - v["t"]) > v["B"] or s <= 0 or t > 0:
        return None
    yes, no = (1 / (1 + CONTEXT.exp(-x)) for x in (s, t))
    lost, lost_no = (-CONTEXT.log(p) / CONTEXT.log(2) for p in (yes, 1 - no))
    half, near = CONTEXT.mpf(1) / 2, wide / (2 * n)
    least = 1 - wide / (n * CONTEXT.log(2))
    right = half < yes and at_most(yes, half + near) and at_most(half - near, no) and at_most(no, half)
    return right and at_most(least, lost) and lost < 1 and at_most(least, lost_no) and at_most(lost_no, 1)


@adequate(
    "chiang2022.s1.worst",
    at=[{"s": s} for s in (F(0), F(1), F(-1), F(1, 100), F(-1, 100), F(7), F(-30))],
    misses=[
        ("/log(2) < 1)", "/log(2) < 1/2)"),
        ("(0 < s -> -log(sigmoid(s))/log(2) < 1)", "(0 < s -> -log(sigmoid(s))/log(2) < 1/2)"),
        ("(s < 0 ->", "(s < 1 ->"),
        ("(s <= 0 ->", "(s <= 1 ->"),
        ("(0 < s ->", "(0 <= s ->"),
        ("(1 - sigmoid(0))/log(2) = 1", "(1 - sigmoid(0)) = 1"),
    ],
)
def at_most_one_bit(v: Any) -> bool:
    """The probability of the right answer is y = sigma(s) above 1/2, and 1 - y otherwise."""
    s = real(v["s"])
    y = 1 / (1 + CONTEXT.exp(-s))
    lost = -CONTEXT.log(y if y > CONTEXT.mpf(1) / 2 else 1 - y) / CONTEXT.log(2)
    return lost < 1 if s != 0 else same(lost, 1)


def flips() -> Iterator[dict[str, Any]]:
    for w in ([1], [0], [1, 0], [0, 1, 1], [1, 1, 0, 1], [0, 0, 0], [2, 1]):
        for p in range(len(w) + 2):
            for off in (0, 1):
                v = [1 - x if i == p else x for i, x in enumerate(w, 1)]
                v[-1] += off
                yield {"n": F(len(w)), "w()": column(w), "v()": column(v), "p": F(p), "words": (w, v, off)} | {
                    "m": [F(m) for m in range(4)]
                }


def flipped(v: Any) -> tuple[list[int], list[int]] | None:
    w, changed, off = v["words"]
    return (w, changed) if 1 <= v["p"] <= len(w) and set(w) <= {0, 1} and not off else None


@adequate(
    "chiang2022.s1.parity_flip",
    at=list(flips()),
    misses=[
        ("<-> ~odd(", "<-> odd("),
        ("if(i = p, 1 - w(i), w(i))", "if(i = p, 2 - w(i), w(i))"),
        ("1, n, v(i)", "2, n, v(i)"),
    ],
)
def parity_is_sensitive(v: Any) -> bool | None:
    found = flipped(v)
    return None if found is None else found[0].count(1) % 2 != found[1].count(1) % 2


@adequate(
    "chiang2022.s1.first_flip",
    at=list(flips()),
    misses=[("~(w(1) = 1)", "w(1) = 1"), ("(p != 1 ->", "(p != 2 ->"), ("if(i = p, 1 - w(i)", "if(i = p, w(i)")],
)
def first_is_sensitive(v: Any) -> bool | None:
    found = flipped(v)
    if found is None:
        return None
    w, changed = ("".join(map(str, word)) for word in found)
    return (w.startswith("1") != changed.startswith("1")) == (v["p"] == 1)


def lengths(*sets: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """Runs of PARITY on one word of each of several lengths, chosen by n."""
    names = ("w", "zero", "one", "cls", "place", "alternating", "ones", "unit", "hit", "z2_1_s", "z2_2_s", "s")
    for sizes in sets:
        runs = {n: parity_run((1,) * (n - 1), F(1)) for n in sizes}
        yield {
            "n": [F(n) for n in sizes],
            "c": F(1),
            "k": lambda env: [env["n"] - 1],
            **{f"{name}()": (lambda env, key=f"{name}()", runs=runs: [runs[int(env["n"])][key]]) for name in names},
            "sizes": sizes,
            "g()": [lambda i: F((-1) ** int(i))],
        }


ENCODERS = [lambda i, n=d: F(i, n) for d in (1, 2, 3, 4, 5, 6)]
"""i/n of the position and n, or of the position alone with one number in place of n."""
PE = [{**v, "f()": ENCODERS} for v in lengths((2,), (3,), (2, 3), (2, 4), (3, 5, 6), (1, 2, 3))]


@adequate("chiang2022.s2.2.1.pe", at=PE, false=True)
def one_function_of_the_position(v: Any) -> bool:
    """Whether i/n is the same at every length that has the position."""
    return all(len({F(i, n) for n in v["sizes"] if i < n}) <= 1 for i in range(max(v["sizes"])))


@adequate(
    "chiang2022.s2.2.1.pe.corrected",
    at=PE,
    misses=[("place(i) = f(i, n)", "place(i) = f(i, n + 1)"), ("alternating(i) = g(i)", "alternating(i) = g(i + 1)")],
)
def one_function_of_both(v: Any) -> bool:
    return all(v["place()"]({"n": F(n)})[0][i] == F(i, n) for n in v["sizes"] for i in range(n))


@adequate(
    "chiang2022.s3.2.period",
    at=[
        {"i": F(i), "f": [F(1), F(1, 2), F(1, 7)], "P": [F(1), F(6), F(44, 7)], "x": [F(0), F(1), F(-2, 3)]}
        for i in (0, 1, 2, 5, 8)
    ],
    misses=[
        ("cos((i + 2)*pi)", "cos((i + 1)*pi)"),
        ("!= cos(i*pi)", "= cos(i*pi)"),
        ("= pow(-1, i)", "= pow(-1, i + 1)"),
        ("sin(1*(x + 2*pi))", "sin(1*(x + pi))"),
        ("2 < 2*pi", "7 < 2*pi"),
    ],
)
def short_period(v: Any) -> bool:
    i = int(v["i"])
    at = [CONTEXT.cos((i + step) * CONTEXT.pi) for step in (0, 1, 2)]
    least = all(
        CONTEXT.fsum(abs(CONTEXT.sin(f * (x + P)) - CONTEXT.sin(f * x)) for x in range(9)) > 0
        for f in map(real, v["f"])
        for P in (1, 3, 6)
    )
    return same(at[0], (-1) ** i) and same(at[2], at[0]) and not same(at[1], at[0]) and least and 2 * CONTEXT.pi > 2


@adequate(
    "chiang2022.s3.2.trick",
    at=[
        {"n": F(n), "m": F(n // 2), "k": F(k), "l": F(k // 2), "c": c}
        for n in (3, 4, 5, 7)
        for k in (0, 2, 3, 4, 6)
        for c in (F(1, 2), F(2), F(-1))
    ],
    misses=[
        ("-> 0 < sum", "-> 0 > sum"),
        ("0 < c &", "-2 < c &"),
        ("sum(i, 1, k, clsweight(j. c*pow(-1, j + 1)", "sum(i, 2, k, clsweight(j. c*pow(-1, j + 1)"),
    ],
)
def even_counts_look_odd(v: Any) -> bool | None:
    n, k, c = int(v["n"]), int(v["k"]), v["c"]
    if c <= 0 or n % 2 == 0 or k % 2 or not 2 <= k <= n - 1:
        return None
    one, two = weights(n, c)
    return bool(sum(one[1 : k + 1]) > sum(two[1 : k + 1]))


@adequate(
    "chiang2022.s3.2.attends",
    at=RUNS,
    misses=[("odd(i) & ~odd(j)", "odd(j) & ~odd(i)"), ("odd(i) & ~odd(j)", "odd(i)"), ("-> 0 < c", "-> -2 < c")],
)
def heads_prefer(v: Any) -> bool | None:
    here = given(v)
    if here is None:
        return None
    n, _, c = here
    if n == 1:
        return True
    one, two = weights(n, c)
    return min(one[1::2]) > max(one[0::2]) and max(two[1::2]) < min(two[0::2])


def shares(v: Any) -> list[Any] | None:
    """The weights of CLS in layer 2 of FIRST: score c at position 1, 0 elsewhere."""
    w, c = v["word"], v["c"]
    if not w or c <= 0 or not set(w) <= {0, 1}:
        return None
    return softmax([real(c) * (i == 1) for i in range(len(w) + 1)])


@adequate("chiang2022.s3.3.focus", at=NETWORKS, false=True)
def focus_of_every_string(v: Any) -> bool | None:
    """Position 1 has the greatest weight of CLS; the empty string has no position 1."""
    if v["c"] <= 0 or not set(v["word"]) <= {0, 1}:
        return None
    found = shares(v)
    return found is not None and all(i == 1 or bool(x < found[1]) for i, x in enumerate(found))


@adequate(
    "chiang2022.s3.3.focus.corrected",
    at=NETWORKS,
    misses=[
        ("= 1/(exp(c) + n - 1)", "= 1/(exp(c) + n)"),
        ("= exp(c)/(exp(c) + n - 1)", "= exp(c)/(exp(c) + n)"),
        ("i != 1", "i = 1"),
    ],
)
def focus(v: Any) -> bool | None:
    found = shares(v)
    if found is None:
        return None
    total = CONTEXT.exp(real(v["c"])) + len(found) - 1
    others = [x for i, x in enumerate(found) if i != 1]
    return same(found[1], CONTEXT.exp(real(v["c"])) / total) and all(same(x, 1 / total) for x in others)


@adequate(
    "chiang2022.s5.2.mostly",
    at=NETWORKS,
    misses=[
        ("(1/2 < clsweight", "(1/3 < clsweight"),
        ("<-> log(n - 1) < c", "<-> log(n) < c"),
        ("n, 1) < 1", "n, 1) < 1/2"),
        ("i != 1 ->", "i = 1 ->"),
    ],
)
def mostly(v: Any) -> bool | None:
    found = shares(v)
    if found is None:
        return None
    others = [x for i, x in enumerate(found) if i != 1]
    half = found[1] > sum(others)
    return max(others) < found[1] < 1 and half == (CONTEXT.log(len(others)) < real(v["c"]))


def vectors() -> Iterator[tuple[list[Fraction], Fraction]]:
    for x in ([1, 2], [3, -1, 0], [5, 5, 1, 1], [F(1, 3), 0], [2, 0, 0, 0, -7]):
        for eps in (F(0), F(1, 100), F(3)):
            yield [F(a) for a in x], eps


MOMENTS = (
    [
        {
            "d": F(len(x)),
            "x()": column(x),
            "eps": eps,
            "y()": [column_of(y), column_of([y[0] + 1, *y[1:]])],
            "mu": mu,
            "r": r,
        }
        for x, eps in vectors()
        for y, mu, r in [normed(x, eps)]
    ]
    + [{"d": F(1), "x()": column([2]), "eps": F(1), "y()": column([0]), "mu": F(2), "r": F(1)}]
    + [{"d": F(1), "x()": column([2]), "eps": F(0), "y()": column([0]), "mu": F(2), "r": F(1)}] * 3
    + [{"d": F(2), "x()": column([0, 0]), "eps": F(1), "y()": column([0, 0]), "mu": F(0), "r": F(1)}]
)


@adequate("chiang2022.s4.moments", at=MOMENTS, false=True)
def moments_printed(v: Any) -> bool | None:
    """The result of a constant vector has variance 0."""
    if v["eps"] <= 0:
        return None
    return len({v["x()"][b] for b in range(1, int(v["d"]) + 1)}) > 1


@adequate(
    "chiang2022.s4.moments.corrected",
    at=MOMENTS,
    misses=[
        ("varianceof(y, d) = varianceof(x, d)/", "varianceof(y, d) = 1/"),
        ("meanof(y, d) = 0", "meanof(y, d) = mu"),
        ("<-> eps = 0", "<-> 0 <= eps"),
        ("varianceof(y, d) <= 1 &", "varianceof(y, d) < 1 &"),
        ("1 - eps/varianceof(x, d) <= varianceof(y, d)", "1 - eps/2/varianceof(x, d) <= varianceof(y, d)"),
        ("(varianceof(x, d) = 0 -> varianceof(y, d) = 0)", "(varianceof(x, d) = 0 -> varianceof(y, d) = 1)"),
    ],
)
def moments(v: Any) -> bool | None:
    d = int(v["d"])
    x = [real(v["x()"][b]) for b in range(1, d + 1)]
    mean = sum(x) / d
    spread = sum((a - mean) ** 2 for a in x) / d
    if spread + real(v["eps"]) <= SLACK:
        return None
    y, _, _ = normed([v["x()"][b] for b in range(1, d + 1)], v["eps"])
    left = sum(real(b) ** 2 for b in y) / d
    fits = same(left, spread / (spread + real(v["eps"]))) and left <= 1 + SLACK
    fits = fits and (left >= 1 - real(v["eps"]) / spread - SLACK if spread > SLACK else same(left, 0))
    return same(sum(real(b) for b in y), 0) and fits and same(left, 1) == (v["eps"] == 0)


@adequate(
    "chiang2022.prop2.kept",
    at=[
        {
            "d": F(len(a)),
            "a()": column(a),
            "x()": column_of(x),
            "mu": mu,
            "r": r,
            "u()": [column_of(x), column_of([x[0] + 1, *x[1:]])],
        }
        | {"nu": F(0), "q": [F(1), F(2)]}
        for a, eps in vectors()
        for x, mu, r in [normed(a, eps)]
    ],
    misses=[("u(b) = x(b)", "u(b) = a(b)"), ("u(b) = x(b)", "u(b) = 2*x(b)")],
)
def norm_keeps(v: Any) -> bool | None:
    d = int(v["d"])
    a = [v["a()"][b] for b in range(1, d + 1)]
    x, _, _ = normed(a, 0)
    if not all(same(x[b - 1], v["x()"][b]) for b in range(1, d + 1)):
        return None
    again, _, _ = normed(x, 0)
    return all(same(s, t) for s, t in zip(again, x, strict=True))


@adequate(
    "chiang2022.appA.even.qkv",
    at=RUNS,
    misses=[
        ("hit(i) = I[i = k]/n", "hit(i) = I[i = k]"),
        ("pow(-1, i + 1)", "pow(-1, i)"),
        ("-hit(i) = -(I[i = k]/n)", "hit(i) = -(I[i = k]/n)"),
        ("c*sqrt(9)*cls(0)", "c*sqrt(8)*cls(0)"),
    ],
)
def queries_keys_values(v: Any) -> bool | None:
    if not in_alphabet(v):
        return None
    n, k = len(v["word"]) + 1, sum(v["word"])
    keys = [same(v["alternating()"][i], CONTEXT.cos(i * CONTEXT.pi)) for i in range(n)]
    return all(keys) and all(v["hit()"][i] == F(int(i == k), n) for i in range(n))


@adequate(
    "chiang2022.appA.counts",
    at=[{"n": F(n), "m": [F(m) for m in range(-2, 6)]} for n in (-1, 0, 1, 2, 3, 5, 6, 7, 9)],
    misses=[
        ("I[odd(i)]) = (n - 1)/2", "I[odd(i)]) = (n + 1)/2"),
        ("I[~odd(i)]) = (n + 1)/2", "I[~odd(i)]) = n/2"),
        ("sum(i, 0, n - 1, I[odd(i)])", "sum(i, 1, n, I[odd(i)])"),
    ],
)
def unequal_numbers(v: Any) -> bool | None:
    n = int(v["n"])
    if n < 1 or n % 2 == 0:
        return None
    return len(range(1, n, 2)) == F(n - 1, 2) and len(range(0, n, 2)) == F(n + 1, 2)


def scalings() -> Iterator[dict[str, Any]]:
    for n, c, t in itertools.product((0, 1, 2, 4), (F(-1), F(1, 2), *SIZES[1:2]), (F(0), F(1, 3), F(2))):
        keys, values = ([F(RANDOM.randint(-2, 2)) for _ in range(n)] for _ in range(2))
        yield {"n": F(n), "a": F(1), "b()": column(keys, 0), "v()": column(values, 0), "c": c, "t": t}
    yield {"n": F(2), "a": F(1), "b()": column([1, 0], 0), "v()": column([3, 1], 0), "c": F(1), "t": F(2)}


def with_factors() -> Iterator[dict[str, Any]]:
    """The same, with a factor for each position, equal ones and others."""
    for v in scalings():
        n, t = int(v["n"]), v["t"]
        others = [t, 2 * t, t / 3, t][:n]
        for factors in ([t] * max(n, 1), others or [t]):
            yield v | {"t()": column(factors, 0), "factors": factors, "k": [v["c"] * t * t, v["c"] * t, F(1)]}


SCALINGS = tuple(with_factors())


@adequate("chiang2022.appB.absorb", at=SCALINGS, false=True)
def absorbed_printed(v: Any) -> bool | None:
    """A factor for each position; one constant does where they are equal, or where no keys differ after scaling."""
    n, c, factors = int(v["n"]), v["c"], v["factors"]
    if n < 1 or c <= 0 or min(factors) <= 0:
        return None
    keys = [v["b()"][i] for i in range(n)]
    scaled = softmax([real(c * factors[0] * v["a"] * t * b) for t, b in zip(factors, keys, strict=False)])
    return any(all(map(same, scaled, softmax([real(k * v["a"] * b) for b in keys]))) for k in v["k"] if k > 0)


@adequate(
    "chiang2022.appB.absorb.corrected",
    at=SCALINGS,
    misses=[("t^2*c*a*b(j)", "t*c*a*b(j)"), ("= t*sum", "= sum"), ("0 < t^2*c &", "1 < t^2*c &")],
)
def absorbed(v: Any) -> bool | None:
    n, c, t = int(v["n"]), v["c"], v["t"]
    if n < 1 or c <= 0 or t <= 0:
        return None
    keys, values = ([v[name][i] for i in range(n)] for name in ("b()", "v()"))
    scaled = softmax([real(c * t * v["a"] * t * b) for b in keys])
    other = softmax([real(t * t * c * v["a"] * b) for b in keys])
    left = sum(x * real(t * y) for x, y in zip(scaled, values, strict=True))
    return same(left, real(t) * sum(x * real(y) for x, y in zip(other, values, strict=True)))


LAYERS = [
    normed_run(w, F(1), eps) for w in ((), (1,), (0,), (1, 0), (0, 1, 1), (1, 2)) for eps in (F(0), F(1, 10), F(2))
] + [normed_run((1,), F(1), F(-1, 20))]


def layers_agree(v: Any, printed: bool) -> bool | None:
    """LN(c, -c) and LN(a, -a) at each position of the first layer; c and a as they are without norms where `printed`.

    Else a is c-bar after the feed-forward part and the residual connection.
    """
    w, eps = v["word"], v["epsilon"]
    if not set(w) <= {0, 1} or eps < 0:
        return None
    names = ("zero", "one", "cls", "start", "hit", "s")
    for i, symbol in enumerate((2, *w)):
        c = [F(symbol == 0), F(symbol == 1), F(symbol == 2), F(i == 1), F(0), F(0)]
        first = normed([*c, *(-x for x in c)], eps)[0]
        before = c if printed else first
        a = [*before[:4], before[4] + max(before[3] - before[0] - before[2], 0 * before[0]), before[5]]
        second = normed([*a, *(-x for x in a)], eps)[0]
        for label, row in (("y1_{}()", first), ("y1_{}_()", second)):
            if not all(same(v[label.format(x)][i], row[b]) for b, x in enumerate(names)):
                return False
    return True


@adequate("chiang2022.s4.1.layers", at=LAYERS, false=True)
def norms_as_printed(v: Any) -> bool | None:
    return layers_agree(v, True)


@adequate(
    "chiang2022.s4.1.layers.corrected",
    at=LAYERS,
    misses=[
        ("+ I[a = 4]*I[i = 1], epsilon, 1)", "+ I[a = 4], epsilon, 1)"),
        ("y1_s_minus_(i) = -y1_s_(i)", "y1_zero_minus_(i) = y1_zero_(i)"),
        ("+ I[a = 5]*z1_hit(i) + I[a = 6]*y1_s(i), epsilon, 5)", "+ I[a = 6]*y1_s(i), epsilon, 5)"),
        ("+ I[a = 6]*y1_s(i), epsilon, 3)", "+ I[a = 6]*y1_s(i), epsilon + 1, 3)"),
    ],
)
def norms_of_pairs(v: Any) -> bool | None:
    return layers_agree(v, False)


def modified_layers() -> Iterator[dict[str, Any]]:
    """A layer of d = 1 to 3 with heads and hidden units, its parameters modified as printed; and slips in each part."""
    for n, d, h, e, eps in ((1, 1, 0, 0, F(1)), (2, 1, 1, 2, F(0)), (2, 3, 2, 1, F(1, 10)), (3, 2, 1, 3, F(2))):
        for slip in (None, None, "M", "O", "q", "x"):
            number = lambda: F(RANDOM.randint(1, 9), RANDOM.randint(1, 4))  # noqa: E731
            heads, cells, units, places = range(1, h + 1), range(1, d + 1), range(1, e + 1), range(n)
            alpha = {(a, i, j): number() for a in heads for i in places for j in places}
            f = {(k, i): number() for k in units for i in places}
            V = {(a, m, k): number() - 2 for a in heads for m in cells for k in cells}
            U, b = {(m, k): number() - 2 for m in cells for k in units}, {m: number() for m in cells}
            M = {}
            for (a, m, k), x in V.items():
                M |= {(a, m, k): x, (a, d + m, k): -x, (a, m, d + k): F(0), (a, d + m, d + k): F(0)}
            B = U | {(d + m, k): -x for (m, k), x in U.items()}
            q = b | {d + m: -x for m, x in b.items()}
            x = {(m, i): number() for m in cells for i in places}
            x |= {(d + m, i): -value for (m, i), value in x.items()}
            whole = {"M": M, "O": B, "q": q, "x": x}.get(slip or "", {})
            for key in list(whole)[-1:]:
                whole[key] += 1
            u, v, y, z, mu, r, nu, s = {}, {}, {}, {}, {}, {}, {}, {}
            both = range(1, 2 * d + 1)
            for i in places:
                for m in both:
                    heard = [alpha[a, i, j] * M[a, m, k] * x[k, j] for a in heads for j in places for k in both]
                    u[m, i] = sum(heard, x[m, i])
                row, mu[i], r[i] = normed([u[m, i] for m in both], eps)
                y |= {(m, i): row[m - 1] for m in both}
                v |= {(m, i): sum((real(B[m, k] * f[k, i]) for k in units), real(q[m])) + y[m, i] for m in both}
                row, nu[i], s[i] = normed([v[m, i] for m in both], eps)
                z |= {(m, i): row[m - 1] for m in both}
            sizes = {"n": F(n), "d": F(d), "h": F(h), "e": F(e), "eps": eps}
            given_ = {"alpha": alpha, "f": f, "V": V, "U": U, "b": b, "M": M, "O": B, "q": q, "x": x}
            made = {"u": u, "y": y, "v": v, "z": z, "mu": mu, "r": r, "nu": nu, "s": s}
            yield sizes | {f"{name}()": value for name, value in (given_ | made).items()} | {"slip": whole and slip}


@adequate(
    "chiang2022.s4.1.zeromean",
    at=list(modified_layers()),
    misses=[
        ("z(d + l, i) = -z(l, i)", "z(d + l, i) = z(l, i)"),
        ("y(l, i) = u(l, i)/r(i)", "y(l, i) = u(l, i)"),
        ("nu(i) = 0", "nu(i) = 1"),
        ("u(d + l, i) = -u(l, i)", "u(d + l, i) = -x(l, i)"),
    ],
)
def argument_has_zero_mean(v: Any) -> bool | None:
    """Each norm reads a vector beside its negative, so that it only divides by its deviation."""
    if v["slip"]:
        return None
    d = int(v["d"])
    for before, after in (("u()", "y()"), ("v()", "z()")):
        for i in range(int(v["n"])):
            read, made = ([real(v[name][m, i]) for m in range(1, 2 * d + 1)] for name in (before, after))
            size = CONTEXT.sqrt(sum(x * x for x in read) / (2 * d) + real(v["eps"]))
            halves = all(same(a, -b) for a, b in zip(read[:d], read[d:], strict=True))
            if not halves or not all(same(b * size, a) for a, b in zip(read, made, strict=True)):
                return False
    return True
