"""Adequacy of the claims of Chiang and Cholak (2022) and of the Cookbook's Sections 2 and 9, from the papers' words.

The networks are computed from the printed weights, position by position, CLS at position 0, n = |w| + 1 positions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from proof.adequacy import ODD, adequate, column
from proof.claims_section9 import beside_heads, dyck12_columns, shown
from proof.paper import at_most, same, softmax
from proof.statement_truth import CONTEXT, SLACK, real

F = Fraction
e = CONTEXT.exp
CLS = 2
SIZES = (F(1, 4), F(1), F(3))


def average(scores: Sequence[Any], values: Sequence[Any]) -> Any:
    return CONTEXT.fsum(a * real(v) for a, v in zip(softmax(scores), values, strict=True))


def cosine(i: int) -> int:
    """cos(i pi)."""
    return -1 if i % 2 else 1


def words(*sizes: int) -> Iterator[tuple[int, ...]]:
    for n in sizes:
        yield from itertools.product((0, 1), repeat=n)


# --- PARITY: Sections 3.1 and 3.2 -------------------------------------------------------------------------------------


def fnn() -> Iterator[dict[str, Any]]:
    for x in [*words(0, 1, 2, 3), (1, 0, 1, 1), (0, 2), (1, -1, 1)]:
        n, k = len(x), sum(x)
        hidden = [int(k - j + F(1, 2) > 0) for j in range(1, n + 1)]
        yield {
            "n": F(n),
            "x()": column(x),
            "k": [F(k), F(k + 1)],
            "W()": {(j, i): F(1) for j in range(1, n + 1) for i in range(1, n + 1)},
            "b()": [{j: t - j for j in range(1, n + 1)} for t in (F(1, 2), F(0))],
            "h()": [column(hidden), column([int(k > j) for j in range(1, n + 1)])],
            "y": [F(0), F(1)],
            "m": [F(t) for t in range(-1, n + 2)],
            **three(x),
        }


def three(x: Sequence[int]) -> dict[str, Any]:
    """The network of three inputs on x, of another number of inputs on nothing that is a bit."""
    given = x if len(x) == 3 else (5, 5, 5)
    hidden = [int(sum(given) - j + F(1, 2) > 0) for j in (1, 2, 3)]
    out = int(hidden[0] - hidden[1] + hidden[2] - F(1, 2) > 0)
    return {f"{name}{j}": F(v) for j, v in enumerate(given, 1) for name in "bx"} | {
        "h1": F(hidden[0]),
        "h2": F(hidden[1]),
        "h3": F(hidden[2]),
        "out": [F(out), F(1 - out)],
    }


def bits(v: Any) -> list[int] | None:
    x = [int(v["x()"][i]) for i in range(1, int(v["n"]) + 1)]
    return x if x and set(x) <= {0, 1} else None


@adequate(
    "chiang2022.s3.1.rumelhart.h1",
    at=fnn(),
    misses=[
        ("I[j <= k]", "I[j < k]"),
        ("I[j <= k]", "I[j <= k + 1]"),
        ("I[j <= k]", "I[k <= j]"),
        ("-j + 1/2)", "-j)"),
        ("h(j) = I[j <= k]", "h(j) = I[j <= n]"),
        ("h2 = I[2 <= b1", "h2 = I[1 <= b1"),
    ],
)
def rumelhart_hidden(v: Any) -> bool | None:
    x = bits(v)
    if x is None:
        return None
    return all((sum(x) - j + F(1, 2) > 0) == (sum(x) >= j) for j in range(1, len(x) + 1))


@adequate(
    "chiang2022.s3.1.rumelhart",
    at=fnn(),
    misses=[
        ("I[odd(k)]", "I[odd(k + 1)]"),
        ("I[odd(k)]", "I[odd(n)]"),
        ("+ -1/2]", "+ 1/2]"),
        ("pow(-1, j + 1)*h", "pow(-1, j)*h"),
        ("I[odd(k)]", "I[1 <= k]"),
        ("out = I[odd(b1 + b2 + b3)]", "out = I[1 <= b1 + b2 + b3]"),
    ],
)
def rumelhart_output(v: Any) -> bool | None:
    x = bits(v)
    if x is None:
        return None
    hidden = [int(sum(x) >= j) for j in range(1, len(x) + 1)]
    return int(sum((-1) ** (j + 1) * h for j, h in enumerate(hidden, 1)) - F(1, 2) > 0) == sum(x) % 2


def weights(n: int, c: Any) -> tuple[list[Any], list[Any]]:
    """The two heads of layer 2 at CLS: scores -c cos(i pi) and c cos(i pi)."""
    return softmax([-c * cosine(i) for i in range(n)]), softmax([c * cosine(i) for i in range(n)])


def logit(n: int, k: int, c: Any) -> Any:
    one, two = weights(n, c)
    values = [F(int(i == k), n) for i in range(n)]
    return CONTEXT.fsum(a * real(x) for a, x in zip(one, values, strict=True)) - CONTEXT.fsum(
        a * real(x) for a, x in zip(two, values, strict=True)
    )


def z_one(n: int, c: Any) -> Any:
    return real(F(n - 1, 2)) * e(real(c)) + real(F(n + 1, 2)) * e(-real(c))


def z_two(n: int, c: Any) -> Any:
    return real(F(n + 1, 2)) * e(real(c)) + real(F(n - 1, 2)) * e(-real(c))


def embedded(w: Sequence[int]) -> list[tuple[int, list[F]]]:
    """At each position the symbol, and its one-hot vector over 0, 1 and CLS."""
    return [(symbol, [F(int(symbol == a)) for a in (0, 1, CLS)]) for symbol in (CLS, *w)]


def columns(rows: Sequence[Sequence[Any]], *labels: str) -> dict[str, Any]:
    """The entries of each position as functions of it, by name."""
    return {f"{label}()": {i: row[b] for i, row in enumerate(rows)} for b, label in enumerate(labels)}


def parity_run(w: Sequence[int], c: Any) -> dict[str, Any]:
    """All that PARITY of Section 3.2 computes on a word, by its printed matrices, and the word."""
    n, k = len(w) + 1, sum(x == 1 for x in w)
    rows = []
    for i, (_, hot) in enumerate(embedded(w)):
        x = [*hot, F(i, n), F(cosine(i)), F(k, n), F(1, n)]
        hidden = [max(F(0), -x[3] + x[5] + step * x[6]) for step in (-1, 0, 1)]
        rows.append([*x, hidden[0] - 2 * hidden[1] + hidden[2]])
    hits = [row[7] for row in rows]
    for row in rows:
        one = average([real(c) * real(row[2]) * -cosine(j) for j in range(n)], hits)
        two = average([real(c) * real(row[2]) * cosine(j) for j in range(n)], [-x for x in hits])
        row += [one, two, one + two]
    names = ("zero", "one", "cls", "place", "alternating", "ones", "unit", "hit", "z2_1_s", "z2_2_s", "s")
    word = {0: F(CLS), 1: F(0), **{i: F(x) for i, x in enumerate(w, 1)}}
    found = columns(rows, *names)
    return {"n": F(n), "c": c, "k": [F(k), F(k + 1)], "w()": word, **found, "word": tuple(w)}


def counts(*signs: F) -> list[dict[str, Any]]:
    """Words with k ones in front for every k and length, some others, and one with another symbol."""
    made = [(1,) * k + (0,) * (n - 1 - k) for n in range(1, 6) for k in range(n)]
    out = []
    for c in (*SIZES, *signs):
        for w in [*made, (0, 1), (0, 1, 1), (1, 2)] if c == 1 else made[1::2]:
            k = w.count(1) // 2
            out.append({**parity_run(w, c), "m": [F(t) for t in range(3)], "l": [F(k), F(k + 1)]})
    return out


RUNS = counts(F(0), F(-1))
ANY = [v for v in RUNS if v["c"] in (F(1), F(0))]


def in_alphabet(v: Any) -> bool:
    return set(v["word"]) <= {0, 1}


def given(v: Any) -> tuple[int, int, Any] | None:
    """n, k and c, where the word is one and c > 0."""
    n, k, c = len(v["word"]) + 1, sum(v["word"]), v["c"]
    return (n, k, c) if in_alphabet(v) and c > 0 else None


@adequate(
    "chiang2022.s3.2.embed",
    at=ANY,
    misses=[
        ("place(i) = i/n", "place(i) = (i + 1)/n"),
        ("alternating(i) = pow(-1, i)", "alternating(i) = pow(-1, i + 1)"),
        ("I[w(i) = 2]", "I[w(i) = 1]"),
        ("zero(i) = I[w(i) = 0]", "zero(i) = I[w(i) = 1]"),
    ],
)
def parity_embedding(v: Any) -> bool | None:
    if not in_alphabet(v):
        return None
    w, n = (CLS, *v["word"]), len(v["word"]) + 1
    return all(
        [v[f"{name}()"][i] for name in ("zero", "one", "cls", "place", "alternating")]
        == [int(w[i] == 0), int(w[i] == 1), int(i == 0), F(i, n), cosine(i)]
        for i in range(n)
    )


@adequate(
    "chiang2022.s3.2.posrange",
    at=ANY,
    misses=[
        ("(n - 1)/n)", "n/n)"),
        ("place(i) = 0", "place(i) = 1/n"),
        ("alternating(i) = -1)", "alternating(i) = 1)"),
        ("alternating(i) = 1)", "alternating(i) = -1)"),
        ("place(i) <= (n - 1)/n", "place(i) < (n - 1)/n"),
    ],
)
def position_ranges(v: Any) -> bool | None:
    if not in_alphabet(v):
        return None
    n = len(v["word"]) + 1
    found = [F(i, n) for i in range(n)]
    return (
        min(found) == 0 and max(found) == F(n - 1, n) and all(cosine(i) == (1 if i % 2 == 0 else -1) for i in range(n))
    )


@adequate(
    "chiang2022.s3.2.att1",
    at=ANY,
    misses=[
        ("ones(i) = k/n", "ones(i) = k/(n + 1)"),
        ("unit(i) = 1/n", "unit(i) = k/n"),
        ("ones(i) = k/n", "ones(i) = (k + 1)/n"),
    ],
)
def first_attention(v: Any) -> bool | None:
    if not in_alphabet(v):
        return None
    w = (CLS, *v["word"])
    means = [F(sum(x == a for x in w), len(w)) for a in (1, CLS)]
    return means == [F(sum(v["word"]), len(w)), F(1, len(w))]


@adequate(
    "chiang2022.s3.2.ffn1",
    at=ANY,
    misses=[
        ("I[i = k]/n", "I[i <= k]/n"),
        ("max(0, k - i - 1)", "max(0, k - i)"),
        ("max(0, k - i + 1)", "max(0, k - i + 2)"),
        ("I[i = k]/n", "I[i = k]"),
    ],
)
def tent_in_the_network(v: Any) -> bool | None:
    if not in_alphabet(v):
        return None
    n, k = len(v["word"]) + 1, sum(v["word"])
    return all(v["hit()"][i] == F(max(0, k - i - 1) - 2 * max(0, k - i) + max(0, k - i + 1), n) for i in range(n))


@adequate(
    "chiang2022.s3.2.layer2",
    at=RUNS,
    misses=[
        ("I[k = 0]/n", "I[k = 1]/n"),
        ("place(0) = 0", "place(0) = 1/n"),
        ("alternating(0) = 1", "alternating(0) = -1"),
        ("s(0) = paritylogit(c, n, k)", "s(0) = paritylogit(-c, n, k)"),
    ],
)
def second_layer(v: Any) -> bool | None:
    here = given(v)
    if here is None:
        return None
    n, k, _ = here
    return v["hit()"][0] == F(int(k == 0), n) and same(v["s()"][0], logit(*here))


@adequate(
    "chiang2022.s3.2.evenodd",
    at=RUNS,
    misses=[
        (") < sum(", ") = sum("),
        ("sum(l, 0, m,", "sum(l, 1, m,"),
        ("sum(l, 0, m,", "sum(l, 0, m - 1,"),
        ("clsweight(j. c*alternating(j), n, 2*l)", "clsweight(j. -(c*alternating(j)), n, 2*l)"),
        ("n, i)*-hit(i))", "n, i)*hit(i))"),
    ],
)
def parts_differ(v: Any) -> bool | None:
    n = len(v["word"]) + 1
    if not in_alphabet(v) or n % 2 == 0:
        return None
    one, two = weights(n, v["c"])
    return bool(sum(one[1::2]) < sum(two[0::2]))


@adequate(
    "chiang2022.fig1",
    at=[{"i": F(i), "k": F(k)} for i, k in itertools.product(range(-3, 5), repeat=2)],
    misses=[
        ("I[i = k]", "I[i <= k]"),
        ("2*max(0, k - i)", "max(0, k - i)"),
        ("k - i + 1)", "k - i)"),
        ("I[i = k]", "I[i + 1 = k]"),
        ("k - i - 1)", "k - i - 2)"),
    ],
)
def tent(v: Any) -> bool | None:
    i, k = v["i"], v["k"]
    return max(0, k - i - 1) - 2 * max(0, k - i) + max(0, k - i + 1) == int(i == k)


@adequate(
    "chiang2022.s3.2.s_even",
    at=RUNS,
    misses=[
        ("2*tanh(c)/n^2", "tanh(c)/n^2"),
        ("2*tanh(c)/n^2", "2*tanh(c)/n"),
        ("pow(-1, k + 1)*(2", "pow(-1, k)*(2"),
        ("n = 2*m ->", "n = 2*m + 1 ->"),
        ("(odd(k) -> 0 <", "(~odd(k) -> 0 <"),
        ("s(0) < 0)", "0 < s(0))"),
    ],
)
def even_length(v: Any) -> bool | None:
    here = given(v)
    if here is None or here[0] % 2:
        return None
    n, k, c = here
    s = logit(n, k, c)
    return same(s, (-1) ** (k + 1) * 2 * CONTEXT.tanh(real(c)) / n**2) and (s > 0 if k % 2 else s < 0)


@adequate(
    "chiang2022.s3.2.sign",
    at=RUNS,
    misses=[
        ("<-> odd(k))", "<-> ~odd(k))"),
        ("2 <= n & ~odd(k)", "~odd(k)"),
        ("2 <= n & ~odd(k)", "3 <= n & ~odd(k)"),
        ("<-> odd(k))", "<-> 2 <= k)"),
    ],
)
def signs_right(v: Any) -> bool | None:
    here = given(v)
    if here is None:
        return None
    s = logit(*here)
    return (s > SLACK) == (here[1] % 2 == 1) and (s < -SLACK) == (here[1] % 2 == 0 and here[0] >= 2)


@adequate(
    "chiang2022.prop1",
    at=RUNS,
    misses=[
        ("(accept(parity) <-> odd(k))", "(accept(parity) <-> ~odd(k))"),
        ("(1/2 < sigmoid(s(0)) <-> odd(k))", "(1/2 < sigmoid(-s(0)) <-> odd(k))"),
        ("(1/2 < sigmoid(s(0)) <-> odd(k))", "(1/2 <= sigmoid(s(0)) <-> odd(k))"),
    ],
)
def parity_is_recognized(v: Any) -> bool | None:
    here = given(v)
    if here is None:
        return None
    return (logit(*here) > SLACK) == (v["word"].count(1) % 2 == 1)


@adequate(
    "chiang2022.s3.2.O1n",
    at=[*RUNS, *({**parity_run(w, F(30)), "m": F(1), "l": F(0)} for w in ((1,), (1, 0)))],
    misses=[
        ("<= 1/n", "<= 9/10/n"),
        ("<= 1/n", "<= 1/(n + 1)"),
        ("< 2/n^2", "< 19/10/n^2"),
        ("~odd(n) ->", "odd(n) ->"),
    ],
    still_true=[("<= 1/n", "< 1/n")],
)
def order_of_logit(v: Any) -> bool | None:
    here = given(v)
    if here is None:
        return None
    n = here[0]
    size = abs(logit(*here))
    return at_most(size, F(1, n)) and (n % 2 == 1 or bool(size < real(F(2, n * n))))


# --- Appendix A -------------------------------------------------------------------------------------------------------


@adequate(
    "chiang2022.appA.even.alpha",
    at=RUNS,
    misses=[
        ("exp(pow(-1, i)*c)/(n/2", "exp(pow(-1, i)*c)/(n"),
        ("exp(pow(-1, i + 1)*c)/(n/2*(exp(c) + exp(-c)))) = 1", "exp(pow(-1, i + 1)*c)/(n/2*(exp(c) - exp(-c)))) = 1"),
        ("n = 2*m", "n = 2*m + 1"),
        ("sum(i, 0, n - 1, exp(pow(-1, i)*c)", "sum(i, 0, n, exp(pow(-1, i)*c)"),
    ],
)
def even_weights(v: Any) -> bool | None:
    n, c = len(v["word"]) + 1, v["c"]
    if not in_alphabet(v) or n % 2:
        return None
    total = real(F(n, 2)) * (e(real(c)) + e(-real(c)))
    one, two = weights(n, c)
    found = [(e(real((-1) ** (i + 1) * c)) / total, e(real((-1) ** i * c)) / total) for i in range(n)]
    return all(same(a, x) and same(b, y) for a, b, (x, y) in zip(one, two, found, strict=True)) and all(
        same(sum(f[k] for f in found), 1) for k in (0, 1)
    )


@adequate(
    "chiang2022.appA.even.s",
    at=RUNS,
    misses=[
        (
            "n^2/2*(exp(c) + exp(-c)))) & s(0) = pow(-1, k + 1)*(2*tanh",
            "n^2*(exp(c) + exp(-c)))) & s(0) = pow(-1, k + 1)*(2*tanh",
        ),
        ("2*tanh(c)", "tanh(2*c)"),
        ("1/n*clsweight(j. c*pow(-1, j), n, k)", "clsweight(j. c*pow(-1, j), n, k)"),
        ("- exp(pow(-1, k)*c)", "+ exp(pow(-1, k)*c)"),
        ("n = 2*m ->", "n = 2*m + 1 ->"),
    ],
)
def even_chain(v: Any) -> bool | None:
    n, k, c = len(v["word"]) + 1, v["word"].count(1), real(v["c"])
    if n % 2 or not in_alphabet(v):
        return None
    s, (one, two) = logit(n, k, v["c"]), weights(n, v["c"])
    total = real(F(n * n, 2)) * (e(c) + e(-c))
    chain = [
        one[k] / n - two[k] / n,
        (e((-1) ** (k + 1) * c) - e((-1) ** k * c)) / total,
        (-1) ** (k + 1) * (e(c) - e(-c)) / total,
        (-1) ** (k + 1) * 2 * CONTEXT.tanh(c) / n**2,
    ]
    return all(same(s, x) for x in chain)


@adequate(
    "chiang2022.appA.odd.Z",
    at=RUNS,
    misses=[
        ("alternatetwo(c, n) - exp", "alternateone(c, n) - exp"),
        ("(n*alternateone(c, n)", "(alternateone(c, n)"),
        ("exp(pow(-1, i)*c)/alternatetwo", "exp(pow(-1, i)*c)/alternateone"),
        ("n = 2*m + 1", "n = 2*m"),
        ("- exp(pow(-1, k)*c)", "- exp(pow(-1, k + 1)*c)"),
    ],
)
def odd_weights(v: Any) -> bool | None:
    n, k, c = len(v["word"]) + 1, v["word"].count(1), v["c"]
    if n % 2 == 0 or not in_alphabet(v):
        return None
    one, two = weights(n, c)
    z1, z2 = z_one(n, c), z_two(n, c)
    right = all(
        same(one[i], e(real((-1) ** (i + 1) * c)) / z1) and same(two[i], e(real((-1) ** i * c)) / z2) for i in range(n)
    )
    return right and same(
        logit(n, k, c), (e(real((-1) ** (k + 1) * c)) * z2 - e(real((-1) ** k * c)) * z1) / (n * z1 * z2)
    )


@adequate("chiang2022.appA.odd.keven", at=RUNS, false=True)
def odd_k_even(v: Any) -> bool | None:
    here = given(v)
    if here is None or here[0] % 2 == 0 or here[1] % 2:
        return None
    n, _, c = here
    s, total = logit(*here), n * z_one(n, c) * z_two(n, c)
    return same(s, -(n - 1) * CONTEXT.sinh(2 * real(c)) / total) and bool(s < -SLACK)


@adequate(
    "chiang2022.appA.odd.keven.corrected",
    at=RUNS,
    misses=[
        ("3 <= n ->", "1 <= n ->"),
        ("(n = 1 ->", "(n = 3 ->"),
        ("-((n - 1)*", "-((n + 1)*"),
        ("k = 2*l", "k = 2*l + 1"),
        ("exp(2*c) - exp(-2*c)", "exp(2*c) + exp(-2*c)"),
    ],
)
def odd_k_even_right(v: Any) -> bool | None:
    here = given(v)
    if here is None or here[0] % 2 == 0 or here[1] % 2:
        return None
    n, _, c = here
    s, total = logit(*here), n * z_one(n, c) * z_two(n, c)
    return same(s, -(n - 1) * CONTEXT.sinh(2 * real(c)) / total) and (same(s, 0) if n == 1 else bool(s < 0))


@adequate("chiang2022.appA.odd.kodd", at=RUNS, false=True)
def odd_k_odd(v: Any) -> bool | None:
    here = given(v)
    if here is None or here[0] % 2 == 0 or here[1] % 2 == 0:
        return None
    n, _, c = here
    s, total = logit(*here), n * z_one(n, c) * z_two(n, c)
    return same(s, (n + 1) * CONTEXT.cosh(2 * real(c)) / total) and bool(s > 0)


@adequate(
    "chiang2022.appA.odd.kodd.corrected",
    at=RUNS,
    misses=[
        ("(n + 1)*((exp(2*c) - exp", "(n + 1)*((exp(2*c) + exp"),
        ("(n + 1)*((exp", "(n - 1)*((exp"),
        ("k = 2*l + 1", "k = 2*l"),
        ("0 < s(0)", "1/n < s(0)"),
        ("(n + 1)/2*exp(-2*c)", "(n - 1)/2*exp(-2*c)"),
    ],
)
def odd_k_odd_right(v: Any) -> bool | None:
    here = given(v)
    if here is None or here[0] % 2 == 0 or here[1] % 2 == 0:
        return None
    n, _, c = here
    s, total = logit(*here), n * z_one(n, c) * z_two(n, c)
    return same(s, (n + 1) * CONTEXT.sinh(2 * real(c)) / total) and bool(s > 0)


# --- FIRST: Section 3.3 -----------------------------------------------------------------------------------------------


def first_layer(w: Sequence[int], scale: F | int = 1) -> list[list[F]]:
    """a^{1,i}: the embedding, times a factor, and the FFN with rows (-1, 0, -1, 1)."""
    out = []
    for i, symbol in enumerate([CLS, *w]):
        a = [scale * F(x) for x in (symbol == 0, symbol == 1, symbol == CLS, i == 1)]
        out.append([*a, max(F(0), -a[0] - a[2] + a[3])])
    return out


def first_logit(w: Sequence[int], c: Any) -> Any:
    a = first_layer(w)
    return average([c * a[0][2] * x[3] for x in a], [-x[3] / 2 + x[4] for x in a])


def flawed_logit(w: Sequence[int], c: Any) -> Any:
    a = first_layer(w)
    return average([c * a[0][2] * x[3] for x in a], [-x[0] / 2 + x[1] / 2 - x[2] / 2 for x in a])


def net(w: Sequence[int], s: Any, **more: Any) -> dict[str, Any]:
    a = first_layer(w)
    found = {(b, i): x for i, row in enumerate(a) for b, x in enumerate(row, 1)}
    word = {0: F(CLS), 1: F(0), **{i: F(x) for i, x in enumerate(w, 1)}}
    return {"n": F(len(a)), "w()": word, "z()": found, "s": [s, s + real(F(1, 97))], **more}


WORDS = [*words(0, 1, 2, 3), (1, 0, 0, 1, 0)]


def first_run(w: Sequence[int], c: Any, flawed: bool = False) -> dict[str, Any]:
    """All that FIRST of Section 3.3 computes on a word, or its variant of Section 5.2, and the word."""
    rows = first_layer(w)
    values = [-x[0] / 2 + x[1] / 2 - x[2] / 2 if flawed else -x[3] / 2 + x[4] for x in rows]
    logits = [average([real(c) * real(at[2]) * real(x[3]) for x in rows], values) for at in rows]
    names = ("zero", "one", "cls", "start", "s") if flawed else ("zero", "one", "cls", "start", "hit", "s")
    found = columns([[*x[: len(names) - 1], s] for x, s in zip(rows, logits, strict=True)], *names)
    word = {0: F(CLS), 1: F(0), **{i: F(x) for i, x in enumerate(w, 1)}}
    k = sum(x == 1 for x in w)
    return {"n": F(len(rows)), "c": c, "k": [F(k), F(k + 1)], "w()": word, **found, "word": tuple(w)}


def networks() -> list[dict[str, Any]]:
    right = [first_run(w, c) for w, c in itertools.product(WORDS, (F(1, 2), F(2)))]
    return [*right, first_run((1, 0), F(-1)), first_run((1, 2), F(1))]


NETWORKS = networks()


def valid(v: Any) -> bool:
    return v.get("c", 1) > 0 and set(v["word"]) <= {0, 1}


def starts(v: Any) -> int:
    return int(v["word"][:1] == (1,))


@adequate(
    "chiang2022.s3.3.embed",
    at=NETWORKS,
    misses=[
        ("start(i) = I[i = 1]", "start(i) = I[i = 0]"),
        ("cls(i) = I[w(i) = 2]", "cls(i) = I[w(i) = 1]"),
        ("zero(i) = I[w(i) = 0]", "zero(i) = I[w(i) = 1]"),
    ],
)
def first_embedding(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    w = (CLS, *v["word"])
    return all(
        [v[f"{name}()"][i] for name in ("zero", "one", "cls", "start")] == [x == 0, x == 1, i == 0, i == 1]
        for i, x in enumerate(w)
    )


@adequate(
    "chiang2022.s3.3.ffn",
    at=NETWORKS,
    misses=[
        ("I[w(i) = 1 & i = 1]", "I[w(i) = 1]"),
        ("I[w(i) = 1 & i = 1]", "I[i = 1]"),
        ("I[w(i) = 1 & i = 1]", "I[w(i) = 0 & i = 1]"),
    ],
)
def first_feedforward(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    return all(row[4] == int(i == 1 and row[1] == 1) for i, row in enumerate(first_layer(v["word"])))


@adequate("chiang2022.s3.3.eq1", at=NETWORKS, false=True)
def eq1(v: Any) -> bool | None:
    if not valid(v):
        return None
    return same(
        first_logit(v["word"], v["c"]),
        e(real(v["c"])) / (e(real(v["c"])) + len(v["word"])) * (starts(v) - real(F(1, 2))),
    )


@adequate(
    "chiang2022.s3.3.eq1.corrected",
    at=NETWORKS,
    misses=[
        ("2 <= n ->", "1 <= n ->"),
        ("n - 1)*(I", "n)*(I"),
        ("- 1/2)) &", "- 1/3)) &"),
        ("s(0) = 0", "s(0) = -1/2"),
        ("I[w(1) = 1]", "I[w(1) = 0]"),
    ],
)
def eq1_right(v: Any) -> bool | None:
    if not valid(v):
        return None
    s = first_logit(v["word"], v["c"])
    if not v["word"]:
        return same(s, 0)
    return same(s, e(real(v["c"])) / (e(real(v["c"])) + len(v["word"])) * (starts(v) - real(F(1, 2))))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + e(-real(x)))


def distance(w: Sequence[int], c: Any) -> Any:
    """Of the output of FIRST from 1/2."""
    return abs(sigmoid(first_logit(w, c)) - real(F(1, 2)))


LONGER = [{**v, "m": [v["n"], v["n"] + 1, v["n"] + 3]} for v in NETWORKS]


def first_recognized(v: Any, nearer: bool) -> bool:
    w, c = v["word"], v["c"]
    near = at_most(distance(w, c), e(real(c)) / (len(w) + 1))
    right = (first_logit(w, c) > SLACK) == bool(starts(v))
    return right and near and nearer


def nearer(v: Any) -> bool:
    """Each word with one and with three symbols more, than the word itself."""
    w, c = v["word"], v["c"]
    return all(bool(distance((*w, *(1,) * more), c) < distance(w, c)) for more in (1, 3))


@adequate("chiang2022.s3.3.first", at=LONGER, false=True)
def first_decides(v: Any) -> bool | None:
    return first_recognized(v, nearer(v)) if valid(v) else None


@adequate(
    "chiang2022.s3.3.first.corrected",
    at=LONGER,
    misses=[
        ("(1/2 < sigmoid(s(0)) <-> 2 <= n & w(1) = 1)", "(1/2 < sigmoid(s(0)) <-> w(1) = 0)"),
        ("(accept(first) <-> 2 <= n & w(1) = 1)", "(accept(first) <-> w(1) = 0)"),
        ("<= exp(c)/n", "<= 1/10/n"),
        ("2 <= n & n < m ->", "2 <= n & n <= m ->"),
        ("2 <= n & n < m ->", "1 <= n & n < m ->"),
        ("(n = 1 -> ", "(n = 2 -> "),
        ("exp(c)/2*(1/(exp(c) + n - 1))) - 1/2)", "exp(c)*(1/(exp(c) + n - 1))) - 1/2)"),
        ("(1/2 < sigmoid(s(0))", "(1/2 < sigmoid(-s(0))"),
    ],
    still_true=[("<= exp(c)/n", "<= exp(c)/(2*n)")],
)
def first_decides_and_fades(v: Any) -> bool | None:
    """For the empty word the output is 1/2, to which no other word is as near."""
    if not valid(v):
        return None
    return first_recognized(v, nearer(v) if v["word"] else same(distance((), v["c"]), real(0)))


@adequate(
    "chiang2022.s3.3.a20",
    at=NETWORKS,
    misses=[
        ("cls(0) = 1", "cls(0) = 0"),
        ("hit(0) = 0", "hit(0) = 1"),
        ("zero(0) = 0 &", "zero(0) = 1 &"),
        ("2 <= n -> s(0)", "1 <= n -> s(0)"),
        ("one(0) = 0 &", "one(0) = 1 &"),
    ],
)
def vector_at_cls(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    s, c = first_logit(v["word"], v["c"]), e(real(v["c"]))
    right = not v["word"] or same(s, c / (c + len(v["word"])) * (starts(v) - real(F(1, 2))))
    return first_layer(v["word"])[0] == [0, 0, 1, 0, 0] and right


@adequate(
    "chiang2022.s5.2.zero",
    at=NETWORKS,
    misses=[
        ("i != 1 ->", "i != 2 ->"),
        ("start(i) = 0 &", "start(i) = 1 &"),
        ("hit(i) = 0 &", "cls(i) = 0 &"),
        ("i != 1 ->", "i <= 1 ->"),
    ],
)
def others_are_zero(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    return all(x[3] == x[4] == 0 for i, x in enumerate(first_layer(v["word"])) if i != 1)


def entropies() -> list[dict[str, Any]]:
    """Both networks on one word: each has a hit and a logit s, and the hypotheses say whose."""
    made = [(v, parity_run(v["word"], v["c"])) for v in NETWORKS if set(v["word"]) <= {0, 1}]
    return [{**other, **v, **{x: [other[x], v[x]] for x in ("hit()", "s()")}} for v, other in made]


@adequate(
    "chiang2022.s3.4.accuracy",
    at=[{**v, "m": [F(t) for t in range(3)]} for v in entropies()],
    misses=[
        ("(accept(first) <-> 2 <= n & w(1) = 1)", "(accept(first) <-> w(1) = 0)"),
        ("(accept(parity) <-> odd(k))", "(accept(parity) <-> ~odd(k))"),
        ("(accept(first) <-> 2 <= n & w(1) = 1)", "(accept(first) <-> 3 <= n & w(1) = 1)"),
    ],
)
def both_decide(v: Any) -> bool | None:
    if v["c"] <= 0:
        return None
    n, k = len(v["word"]) + 1, sum(v["word"])
    return (logit(n, k, v["c"]) > SLACK) == (k % 2 == 1) and (first_logit(v["word"], v["c"]) > SLACK) == bool(starts(v))


def scaled_layers() -> list[dict[str, Any]]:
    """Both networks on one word, and factors of the first and of the second layer."""
    factors_of = [(F(1, 3), F(2)), (F(2), F(1, 100)), (F(1), F(50)), (F(-1), F(1)), (F(1), F(-1))]
    return [
        {**v, "t": t, "u": u, "p": u, "q": t, "m": [F(x) for x in range(3)]} for v in entropies() for t, u in factors_of
    ]


@adequate(
    "chiang2022.s4.1.scaling",
    at=scaled_layers(),
    misses=[
        ("= I[accept(first)]", "= I[w(1) = 0]"),
        ("-1/2*(t*start(i)) + t*hit(i)", "-1/2*(t*start(i)) + hit(i)"),
        ("= I[accept(parity)]", "= I[~odd(n)]"),
        ("*-(t*hit(i)))", "*(t*hit(i)))"),
        ("q*(p*start(i))) = p*q*hit(i)", "q*(p*start(i))) = q*hit(i)"),
        ("q*(sum(j, 0, n - 1, p*cls(j))/n)) = p*q*hit(i)", "q*(sum(j, 0, n - 1, p*cls(j))/n)) = p*hit(i)"),
        ("= p*q*ones(i)", "= p*ones(i)"),
        ("q*(p*place(i))) + q*(sum(j, 0, n - 1, p*one(j))/n) -", "q*place(i)) + q*(sum(j, 0, n - 1, p*one(j))/n) -"),
    ],
)
def scaling_keeps_decisions(v: Any) -> bool | None:
    """First layers on p times the embedding, their attention times q; then t and u times what the layers make."""
    c, t, u, p, q = v["c"], v["t"], v["u"], v["p"], v["q"]
    if p <= 0 or q <= 0:  # then one of t and u is not positive either
        return None
    for i, (old, new) in enumerate(zip(first_layer(v["word"]), first_layer(v["word"], p * q), strict=True)):
        share = [p * q * x for x in (F(i, len(v["word"]) + 1), F(sum(v["word"]), len(v["word"]) + 1))]
        unit = p * q * F(1, len(v["word"]) + 1)
        tent = [max(F(0), share[1] - share[0] + m * unit) for m in (-1, 0, 1)]
        right = p * q * F(int(i == sum(v["word"])), len(v["word"]) + 1)
        if new != [p * q * x for x in old] or tent[0] - 2 * tent[1] + tent[2] != right:
            return False
    if c <= 0:
        return True
    n, k = len(v["word"]) + 1, sum(v["word"])
    first = real(u * t) * first_logit(v["word"], c * t**2)
    return bool(real(u * t) * logit(n, k, c * t**2) > SLACK) == (k % 2 == 1) and bool(first > SLACK) == bool(starts(v))


def bits_lost(s: Any) -> Any:
    """Cross-entropy in bits of a decision that is right, with logit s."""
    return CONTEXT.log(1 + e(-abs(s))) / CONTEXT.log(2)


@adequate(
    "chiang2022.s3.4.ce",
    at=entropies(),
    misses=[
        ("1 - exp(c)/(n*log(2))", "1 - 1/100/(n*log(2))"),
        ("1 - 1/(n*log(2))", "1 - 1/100/(n*log(2))"),
        ("(2 <= n -> crossbits(abs(s(0))) < 1)", "(1 <= n -> crossbits(abs(s(0))) < 1)"),
        ("crossbits(abs(s(0))) <= 1", "crossbits(abs(s(0))) < 9/10"),
        ("crossbits(abs(s(0))) <= 1", "crossbits(-abs(s(0))) <= 1"),
    ],
)
def entropy_tends_to_one(v: Any) -> bool | None:
    n, c = len(v["word"]) + 1, v["c"]
    if c <= 0:
        return None
    pairs = [(logit(n, sum(v["word"]), c), 1), (first_logit(v["word"], c), e(real(c)))]
    return all(
        at_most(1 - f / (n * CONTEXT.log(2)), bits_lost(s))
        and at_most(bits_lost(s), 1)
        and (n == 1 or bits_lost(s) < 1)
        for s, f in pairs
    )


@adequate(
    "chiang2022.fig2.first.noln",
    at=NETWORKS,
    misses=[
        ("exp(c)/2*(1/(exp(c) + n - 1)))))/log(2)", "exp(c)*(1/(exp(c) + n - 1)))))/log(2)"),
        ("2 <= n & 0 < c", "1 <= n & 0 < c"),
        ("< 1", "< 9/10"),
        ("1 - exp(c)/2*(1/(exp(c) + n - 1))*(1/log(2)) <=", "1 - exp(c)/9*(1/(exp(c) + n - 1))*(1/log(2)) <="),
    ],
)
def curve_of_first(v: Any) -> bool | None:
    n, c = len(v["word"]) + 1, v["c"]
    if c <= 0 or n == 1 or set(v["word"]) - {0, 1}:
        return None
    lost, x = bits_lost(first_logit(v["word"], c)), e(real(c)) / (2 * (e(real(c)) + n - 1))
    return same(lost, CONTEXT.log(1 + e(-x)) / CONTEXT.log(2)) and 1 - x / CONTEXT.log(2) <= lost < 1


@adequate(
    "chiang2022.fig2.parity.noln",
    at=counts(F(0), F(-1)),
    misses=[
        ("(2*tanh(c)/n^2)))/log(2)", "(tanh(c)/n^2)))/log(2)"),
        ("n = 2*m", "n = 2*m + 1"),
        ("< 1", "< 9/10"),
        ("1 - 2*tanh(c)/n^2*(1/log(2)) <=", "1 - tanh(c)/9/n^2*(1/log(2)) <="),
    ],
)
def curve_of_parity(v: Any) -> bool | None:
    here = given(v)
    if here is None or here[0] % 2:
        return None
    n, k, c = here
    lost, x = bits_lost(logit(n, k, c)), 2 * CONTEXT.tanh(real(c)) / n**2
    return same(lost, CONTEXT.log(1 + e(-x)) / CONTEXT.log(2)) and 1 - x / CONTEXT.log(2) <= lost < 1


# --- Sections 5.2 and 5.3, Proposition 3 ------------------------------------------------------------------------------


def flawed_networks() -> list[dict[str, Any]]:
    right = [first_run(w, c, flawed=True) for w, c in itertools.product(WORDS, (F(1, 2), F(2)))]
    return [*right, first_run((1, 2), F(1), flawed=True)]


@adequate(
    "chiang2022.s5.2.flawed",
    at=flawed_networks(),
    misses=[
        ("exp(c) - 1)/", "exp(c))/"),
        ("(k - n/2)", "(k - (n - 1)/2)"),
        ("1/(exp(c) + n - 1)*(k", "1/(exp(c) + n)*(k"),
        ("I[2 <= n & w(1) = 1]", "I[2 <= n & w(1) = 0]"),
    ],
)
def flawed_formula(v: Any) -> bool | None:
    if not valid(v):
        return None
    n, c = len(v["word"]) + 1, e(real(v["c"]))
    right = (c - 1) / (c + n - 1) * (starts(v) - real(F(1, 2))) + (sum(v["word"]) - real(F(n, 2))) / (c + n - 1)
    return same(flawed_logit(v["word"], v["c"]), right)


def thresholds() -> Iterator[dict[str, Any]]:
    for n, c in [
        (1, F(1)),
        (2, F(1, 10)),
        (3, F(1, 2)),
        (3, F(3, 4)),
        (4, F(1)),
        (4, F(11, 10)),
        (5, F(2)),
        (5, F(-1)),
    ]:
        # The strings of this length that can fail: 1 followed by zeros, 0 followed by ones, and one more.
        w = [tuple([1] + [0] * (n - 2)), tuple([0] + [1] * (n - 2)), tuple([1] * (n - 1))] if n > 1 else [()]
        runs = [first_run(x, c, flawed=True) for x in w]
        names = ("zero", "one", "cls", "start", "s")

        def of_word(label: str, runs: list[dict[str, Any]] = runs) -> Any:
            """The function of the run on the word that is bound."""
            return lambda env: [next(v[label] for v in runs if v["w()"] == env["w"])]

        yield {"n": F(n), "c": c, "w()": [v["w()"] for v in runs]} | {f"{x}()": of_word(f"{x}()") for x in names}


@adequate(
    "chiang2022.s5.2.threshold",
    at=thresholds(),
    misses=[
        ("log(n - 1) < c", "log(n - 2 + 1/2) < c"),
        ("c <= log(n - 1)", "c <= log(n)"),
        ("log(n - 1) < c ->", "c < log(n - 1) ->"),
    ],
)
def threshold(v: Any) -> bool | None:
    n, c = int(v["n"]), v["c"]
    if n < 2 or c <= 0:
        return None
    right = all((flawed_logit(w, c) > 0) == (w[0] == 1) for w in words(n - 1))
    return right == bool(real(c) > CONTEXT.log(n - 1))


def scaled(w: Sequence[int], flawed: bool) -> dict[str, Any]:
    """Scores times log n, c = 1; other values of c are offered, which the statement must exclude."""
    log = CONTEXT.log(len(w) + 1)
    return {**first_run(w, log, flawed), "c": [F(1), log]}


@adequate(
    "chiang2022.s5.3.flawed",
    at=[scaled(w, flawed=True) for w in [*WORDS, (0, 1, 1, 1), (1, 0, 0, 0), (1, 2)]],
    misses=[
        ("(n - 1)/(2*n - 1)", "n/(2*n - 1)"),
        ("(k - n/2)", "(k - n/3)"),
        ("<-> w(1) = 1)", "<-> w(1) = 0)"),
        ("1/(2*n - 1)*(k", "1/(2*n)*(k"),
    ],
)
def scaled_flawed(v: Any) -> bool | None:
    if not v["word"] or set(v["word"]) - {0, 1}:
        return None
    w, n, k = v["word"], len(v["word"]) + 1, sum(v["word"])
    s = F(n - 1, 2 * n - 1) * (starts(v) - F(1, 2)) + F(1, 2 * n - 1) * (k - F(n, 2))
    return same(flawed_logit(w, CONTEXT.log(n)), s) and (s > 0) == bool(starts(v))


SCALED = [scaled(w, flawed=False) for w in [*WORDS, (1,) * 11, (0,) * 11, (1, 2)]]


@adequate("chiang2022.prop3.noln", at=SCALED, false=True)
def no_norm(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    n = len(v["word"]) + 1
    s = first_logit(v["word"], CONTEXT.log(n))
    return (
        same(s, F(n, 2 * n - 1) * (starts(v) - F(1, 2))) and bool(real(F(1, 4)) < abs(s)) and at_most(abs(s), F(1, 2))
    )


@adequate(
    "chiang2022.prop3.noln.corrected",
    at=SCALED,
    misses=[
        ("1/4 < abs(s(0))", "27/100 < abs(s(0))"),
        ("I[w(1) = 1]", "I[w(1) = 0]"),
        ("n/(2*n - 1)", "n/(2*n)"),
        ("abs(s(0)) <= 1/3", "abs(s(0)) <= 3/10"),
        ("<-> w(1) = 1)", "<-> w(1) = 0)"),
    ],
)
def no_norm_right(v: Any) -> bool | None:
    if not v["word"] or set(v["word"]) - {0, 1}:
        return None
    n = len(v["word"]) + 1
    s = first_logit(v["word"], CONTEXT.log(n))
    return (
        same(s, F(n, 2 * n - 1) * (starts(v) - F(1, 2)))
        and bool(real(F(1, 4)) < abs(s))
        and at_most(abs(s), F(1, 3))
        and bool(s > 0) == bool(starts(v))
    )


def twelve(s: F) -> list[F]:
    half = [F(0), F(0), F(1), F(0), F(0), s]
    return [*half, *(-x for x in half)]


@adequate(
    "chiang2022.prop3.var",
    at=[
        {"s": s, "x()": [column(twelve(s)), column([*twelve(s)[:11], F(5)]), column(twelve(s)[:6] * 2)]}
        for s in (F(0), F(1, 3), F(-1, 2), F(2))
    ],
    misses=[
        ("1/6*(1 + s^2)", "1/12*(1 + s^2)"),
        ("1/6*(1 + s^2)", "1/6*(1 + s)"),
        ("meanof(x, 12) = 0", "meanof(x, 12) = s"),
        ("varianceof(x, 12)", "varianceof(x, 6)"),
        ("-x(b)", "x(b)"),
    ],
)
def variance(v: Any) -> bool | None:
    x = twelve(v["s"])
    mean = sum(x) / 12
    return mean == 0 and sum((y - mean) ** 2 for y in x) / 12 == (1 + v["s"] ** 2) / 6


# --- Proposition 2 ----------------------------------------------------------------------------------------------------


def added() -> Iterator[dict[str, Any]]:
    for x, w, b in [
        ((1, -2), (3, 1), 1),
        ((F(1, 2), 0, -1), (1, 1, 1), 0),
        ((2, 2, -3, 1), (0, 1, 0, -1), F(-1, 2)),
        ((0, 0), (1, 1), 0),
        ((5,), (1,), 1),
    ]:
        d = len(x)
        first = [[int(p == q) for q in range(d)] for p in range(d)] + [
            [-int(p == q) for q in range(d)] for p in range(d)
        ]
        second = [[-int(p == r) for p in range(d)] + [int(p == r) for p in range(d)] for r in range(d)]
        for r, sign in ((0, 1), (1, -1))[:d]:
            second[r] = [a + sign * t for a, t in zip(second[r], [*w, *(-u for u in w)], strict=True)]
        hidden = [max(F(0), sum(F(a) * F(t) for a, t in zip(row, x, strict=True))) for row in first]
        bias = [b, -b, *([0] * (d - 2))][:d]
        y = [
            sum(F(a) * h for a, h in zip(row, hidden, strict=True)) + q + t
            for row, q, t in zip(second, bias, x, strict=True)
        ]
        yield {
            "d": F(d),
            "x()": column(x),
            "W()": {i: F(0) for i in range(-d, 2 * d + 1)} | column(w),
            "b": F(b),
            "y()": [column(y), column([*y[:-1], y[-1] + 1])],
        }


@adequate(
    "chiang2022.prop2.ffn",
    at=added(),
    misses=[("y(2) = -(sum", "y(2) = (sum"), ("*x(l)) + b &", "*x(l)) - b &"), ("y(r) = 0", "y(r) = x(r)")],
)
def added_layer(v: Any) -> bool | None:
    d = int(v["d"])
    if d < 2:
        return None
    s = sum((v["W()"][i] * v["x()"][i] for i in range(1, d + 1)), F(0)) + v["b"]
    y = v["y()"][0]
    return [y[i] for i in range(1, d + 1)] == [s, -s, *([F(0)] * (d - 2))]


def normed(x: Sequence[Any], eps: Any) -> tuple[list[Any], Any, Any]:
    """The layer norm (zeros where the deviation is 0), the mean and the deviation."""
    entries = [CONTEXT.mpf(1) * real(F(a) if isinstance(a, int) else a) for a in x]
    mean = CONTEXT.fsum(entries) / len(x)
    r = CONTEXT.sqrt(CONTEXT.fsum((a - mean) ** 2 for a in entries) / len(x) + real(F(eps)))
    return [(a - mean) / r if r else a * 0 for a in entries], mean, r


def pairs() -> Iterator[dict[str, Any]]:
    for d, s in itertools.product((1, 2, 3, 4), (F(1), F(-1, 2), F(0), F(7))):
        x = [s, -s, *([F(0)] * (d - 2))][:d]
        y, mean, r = normed(x, 0)
        yield {"d": F(d), "s": s, "y()": column_of(y), "mu": mean, "r": r}


def column_of(entries: Sequence[Any], start: int = 1) -> dict[int, Any]:
    return dict(enumerate(entries, start))


@adequate("chiang2022.prop2.ln", at=pairs(), false=True)
def unit_variance(v: Any) -> bool | None:
    d, s = int(v["d"]), v["s"]
    if d < 2:
        return None
    if s == 0:
        return False
    y, _, _ = normed([s, -s, *([0] * (d - 2))], 0)
    root = CONTEXT.sqrt(real(F(d, 2)))
    return any(same(y[0], t * root) and same(y[1], -t * root) for t in (1, -1)) and all(same(x, 0) for x in y[2:])


@adequate(
    "chiang2022.prop2.ln.corrected",
    at=pairs(),
    misses=[
        ("y(2) = sqrt(d/2)", "y(2) = -sqrt(d/2)"),
        ("y(1) = sqrt(d/2) & y(2) = -sqrt(d/2)", "y(1) = sqrt(d) & y(2) = -sqrt(d)"),
        ("s != 0", "s != 1"),
        ("y(k) = 0", "y(k) = 1"),
        ("(s < 0 ->", "(s < 2 ->"),
    ],
)
def unit_variance_right(v: Any) -> bool | None:
    d, s = int(v["d"]), v["s"]
    if d < 2 or s == 0:
        return None
    y, _, _ = normed([s, -s, *([0] * (d - 2))], 0)
    root = CONTEXT.sqrt(real(F(d, 2))) * (1 if s > 0 else -1)
    return same(y[0], root) and same(y[1], -root) and all(same(x, 0) for x in y[2:])


def output_weight(eta: Any, d: int) -> Any:
    return -CONTEXT.log(e(real(eta)) - 1) / CONTEXT.sqrt(real(F(d, 2)))


def rescaled() -> Iterator[dict[str, Any]]:
    for eta, d, s in itertools.product((F(1, 10), F(1, 2), F(69, 100), F(7, 10), F(2)), (2, 3, 5), (F(1), F(-2))):
        c = output_weight(eta, d)
        yield {
            "eta": eta,
            "d": F(d),
            "s": s,
            "c": [c, c + 1, -c, -CONTEXT.log(e(real(eta)) + 1) / CONTEXT.sqrt(real(F(d, 2)))],
        }
    yield {"eta": F(1, 2), "d": F(2), "s": F(0), "c": output_weight(F(1, 2), 2)}
    yield {"eta": F(1, 2), "d": F(1), "s": F(1), "c": output_weight(F(1, 2), 1)}


def decision(v: Any) -> bool:
    d, s = int(v["d"]), v["s"]
    y, _, _ = normed([s, -s, *([0] * (d - 2))], 0)
    return bool(output_weight(v["eta"], d) * y[0] > 0) == bool(s > 0)


@adequate("chiang2022.prop2.c", at=rescaled(), false=True)
def keeps_language(v: Any) -> bool | None:
    return None if v["d"] < 2 or v["s"] == 0 else decision(v)


@adequate(
    "chiang2022.prop2.c.corrected",
    at=rescaled(),
    misses=[
        ("eta < log(2)", "eta < log(8)"),
        ("<-> 0 < s)", "<-> s < 0)"),
        ("-1/sqrt(d/2)*log", "1/sqrt(d/2)*log"),
        ("d, 1) <->", "d, 2) <->"),
        ("eta < log(2)", "eta < 1"),
    ],
)
def keeps_language_right(v: Any) -> bool | None:
    return None if v["d"] < 2 or v["s"] == 0 or v["eta"] > F(7, 10) - F(1, 1000) else decision(v)


@adequate("chiang2022.prop2.ce", at=rescaled(), false=True)
def entropy_is_eta(v: Any) -> bool | None:
    d = int(v["d"])
    if d < 2:
        return None
    x = output_weight(v["eta"], d) * CONTEXT.sqrt(real(F(d, 2)))
    return same(CONTEXT.log(sigmoid(x)), v["eta"]) and same(CONTEXT.log(1 - sigmoid(-x)), v["eta"])


@adequate(
    "chiang2022.prop2.ce.corrected",
    at=rescaled(),
    misses=[
        ("-log(1 - sigmoid(-c*sqrt(d/2))) = eta", "-log(1 - sigmoid(c*sqrt(d/2))) = eta"),
        ("-log(sigmoid(c*sqrt(d/2))) = eta", "log(sigmoid(c*sqrt(d/2))) = eta"),
        ("log(exp(eta) - 1)", "log(exp(eta) + 1)"),
        ("c = -1/sqrt(d/2)", "c = 1/sqrt(d/2)"),
        ("-log(sigmoid(c*sqrt(d/2))) = eta", "-log(sigmoid(c*sqrt(d))) = eta"),
    ],
)
def entropy_is_eta_right(v: Any) -> bool | None:
    d = int(v["d"])
    if d < 2:
        return None
    x = output_weight(v["eta"], d) * CONTEXT.sqrt(real(F(d, 2)))
    return same(-CONTEXT.log(sigmoid(x)), v["eta"]) and same(-CONTEXT.log(1 - sigmoid(-x)), v["eta"])


# --- Appendix B -------------------------------------------------------------------------------------------------------


def close_vectors() -> Iterator[dict[str, Any]]:
    """Two vectors and their norms; behind them, for K, two that epsilon = 0 sends to (1, -1) and to (-1, 1)."""

    def three(entries: Sequence[Any]) -> dict[int, Any]:
        return column_of([*entries, F(0), F(0)][:3])

    for x, z, eps, K in [
        ((F(1), F(-1)), (F(1, 2), F(-1, 2)), F(1), F(1)),
        ((F(1, 100), F(-1, 100)), (F(-1, 100), F(1, 100)), F(1), F(1)),
        ((F(1, 10), F(-1, 10)), (F(0), F(0)), F(4), F(1, 2)),
        ((F(2), F(0), F(-1)), (F(2), F(1), F(-1)), F(1, 2), F(2)),
        ((F(1, 50), F(0), F(-1, 50)), (F(0), F(0), F(0)), F(2), F(1)),
        ((F(3),), (F(1),), F(1), F(0)),
        ((F(1), F(2)), (F(2), F(1)), F(0), F(1)),
        ((F(1), F(2)), (F(2), F(1)), F(1), F(-1)),
        ((F(1, 10), F(-1, 10)), (F(-1, 10), F(1, 10)), F(1), F(1, 10)),
    ]:
        (y, mu, r), (u, nu, s) = normed(x, eps), normed(z, eps)
        t = 1 / (K**2 + 1)
        yield {
            "d": F(len(x)),
            "x()": [three(x), three([t, -t])],
            "z()": [three(z), three([-t, t])],
            "y()": [three(y), three([F(1), F(-1)])],
            "u()": [three(u), three([F(-1), F(1)])],
            "mu": [mu, F(0)],
            "r": [r, t],
            "nu": [nu, F(0)],
            "s": [s, t],
            "eps": eps,
            "K": K,
            "here": (x, z, y, u),
        }


@adequate(
    "chiang2022.s4.2.lipschitz",
    at=close_vectors(),
    misses=[
        ("d - 1 <= eps*K^2", "0 <= eps*K^2"),
        ("layernormed(z, 2, 0, l. 1", "layernormed(z, 2, 1, l. 1"),
        ("< onenorm(k. y(k) - u(k), 2)", "< onenorm(k. x(k) - z(k), 2)"),
        ("d - 1 <= eps*K^2", "d - 2 <= eps*K^2"),
    ],
)
def norm_is_lipschitz(v: Any) -> bool | None:
    x, z, y, u = v["here"]
    steep = v["K"] * 4 / (v["K"] ** 2 + 1) < 4  # epsilon = 0: (t, -t) and (-t, t), however close, come out 4 apart
    if v["eps"] <= 0 or v["K"] < 0 or len(x) - 1 > v["eps"] * v["K"] ** 2:
        return steep
    far = sum(abs(a - b) for a, b in zip(x, z, strict=True))
    return steep and at_most(CONTEXT.fsum(abs(a - b) for a, b in zip(y, u, strict=True)), v["K"] * far)


def homogeneous() -> Iterator[dict[str, Any]]:
    for t in (F(1, 3), F(2), F(0), F(-1)):
        W = {(1, 1): F(1), (1, 2): F(-2), (2, 1): F(1, 2), (2, 2): F(3), (3, 1): F(0), (3, 2): F(1)}
        V = {(1, 1): F(1), (1, 2): F(-1), (1, 3): F(2)}
        for x in ((F(1), F(1)), (F(-1), F(2))):
            yield {"d": F(2), "m": F(3), "W()": W, "V()": V, "x()": column(x), "t": t, "a": F(1)}


def scaled_networks() -> list[dict[str, Any]]:
    """Any network without biases, and the first layers of PARITY and FIRST on one word, by one factor."""
    made = [v for v in entropies() if v["c"] == 2][:8]
    return [{**v, **general} for v in made for general in homogeneous()]


@adequate(
    "chiang2022.appB.homog",
    at=scaled_networks(),
    misses=[
        ("= t*ffnout", "= t^2*ffnout"),
        ("V, k. 0, d, m, x, a)", "V, k. 1, d, m, x, a)"),
        ("W, k. 0, V, k. 0, d, m, x", "W, k. 1, V, k. 0, d, m, x"),
        ("l. t*x(l)", "l. x(l)"),
        ("t*ones(i) + t*unit(i)) = t*hit(i)", "t*ones(i) + t*unit(i)) = hit(i)"),
        ("+ t*start(i)) = t*hit(i)", "+ start(i)) = t*hit(i)"),
    ],
)
def scaling_passes(v: Any) -> bool | None:
    t = v["t"]
    if t <= 0:
        return None

    def net_of(x: Sequence[F]) -> F:
        hidden = [max(F(0), v["W()"][k, 1] * x[0] + v["W()"][k, 2] * x[1]) for k in (1, 2, 3)]
        return sum((v["V()"][1, k] * h for k, h in enumerate(hidden, 1)), F(0))

    x = [v["x()"][1], v["x()"][2]]
    return net_of([t * a for a in x]) == t * net_of(x)


NINE = ("zero", "one", "cls", "place", "alternating", "ones", "unit", "hit", "s")


def parity_with_norms(w: Sequence[int], c: Any, eps: F) -> dict[str, Any]:
    """All that PARITY with norms of Section 4 computes on a word: entries x, then -x, and a norm behind each part."""
    names = (*NINE, *(f"{x}_minus" for x in NINE))
    n, k, out = len(w) + 1, sum(x == 1 for x in w), {}

    def keep(label: str, rows: Sequence[Sequence[Any]], *only: str) -> None:
        for x in only or names:
            out[label.format(x) + "()"] = {i: row[names.index(x)] for i, row in enumerate(rows)}

    def norm(number: str, rows: Sequence[Sequence[Any]], label: str) -> list[list[Any]]:
        made = [normed(row, eps) for row in rows]
        out[f"mu{number}()"] = {i: m[1] for i, m in enumerate(made)}
        out[f"dev{number}()"] = {i: m[2] for i, m in enumerate(made)}
        keep(label, [m[0] for m in made])
        return [m[0] for m in made]

    plain = [[*hot, F(i, n), F(cosine(i)), F(k, n), F(1, n), F(0), F(0)] for i, (_, hot) in enumerate(embedded(w))]
    a = [[*x, *(-y for y in x)] for x in plain]
    keep("{}", a, *(x for x in names if not x.startswith(("hit", "s_")) and x != "s"))
    a = norm("1", a, "y1_{}")
    for x in a:
        hidden = [max(-x[3] + x[5] + step * x[6], x[3] * 0) for step in (-1, 0, 1)]
        x[7] += hidden[0] - 2 * hidden[1] + hidden[2]
        x[16] -= hidden[0] - 2 * hidden[1] + hidden[2]
    keep("z1_{}", a, "hit", "hit_minus")
    a = norm("1_", a, "y1_{}_")
    for sign, head in ((-1, 1), (1, 2)):
        found = [average([real(c) * at[2] * sign * x[4] for x in a], [-sign * x[7] for x in a]) for at in a]
        out[f"z2_{head}_s()"], out[f"z2_{head}_s_minus()"] = (column_of([t * y for y in found], 0) for t in (1, -1))
    for i, x in enumerate(a):
        x[8] += out["z2_1_s()"][i] + out["z2_2_s()"][i]
        x[17] -= out["z2_1_s()"][i] + out["z2_2_s()"][i]
    keep("z2_{}", a, "s", "s_minus")
    a = norm("2", a, "y2_{}")
    keep("z2_{}", a, "zero", "zero_minus")
    norm("2_", a, "y2_{}_")
    word = {0: F(CLS), 1: F(0), **{i: F(x) for i, x in enumerate(w, 1)}}
    return {"n": F(n), "c": c, "epsilon": eps, "k": [F(k), F(k + 1)], "w()": word, **out, "word": tuple(w)}


def factors(w: Sequence[int], v: dict[str, Any]) -> dict[str, Any]:
    """The product of the deviations, as reciprocals: of the first layer and of the second at each position."""
    first = column_of([1 / (v["dev1()"][i] * v["dev1_()"][i]) for i in range(len(w) + 1)], 0)
    second = column_of([1 / (v["dev2()"][i] * v["dev2_()"][i]) for i in range(len(w) + 1)], 0)
    return {**v, "f()": first, "g()": second, "g": second[0], "r": v["z2_s()"][0], "m": [F(t) for t in range(3)]}


RUNS_WITH_NORMS = [
    ((), 1, 0, 1, 1, 1), ((), 1, 1, 2, 1, 1), ((1,), 1, 0, 2, 1, 3), ((0,), 1, F(1, 10), 1, 1, 1),
    ((1, 0), 3, 0, F(1, 2), 3, 1), ((1, 1), 1, 1, 1, 1, 1), ((0, 0), F(1, 4), F(1, 100), F(1, 2), 3, 1),
    ((0, 1, 1), 1, F(1, 10), 1, 2, F(1, 2)), ((1, 1, 1), 3, 2, F(1, 2), 2, 1), ((1, 0, 1, 1), 1, 0, 1, 1, 1),
    ((1, 2), 1, 1, 1, 1, 1), ((1, 0), 0, 1, 1, 1, 1), ((1, 1), -1, 0, 1, 1, 1), ((0,), 1, 1, -1, 1, 1),
]  # fmt: skip
"""A word, c, epsilon, and one factor for each of three norms."""


def parity_of(v: Any) -> tuple[int, int] | None:
    return (len(v["word"]) + 1, sum(v["word"])) if in_alphabet(v) else None


def layers() -> Iterator[dict[str, Any]]:
    """A run of PARITY with norms, and beside it the second layer with one factor for all positions."""
    for w, *numbers in RUNS_WITH_NORMS:
        c, eps, A, C, C2 = map(F, numbers)
        n, k = len(w) + 1, sum(x == 1 for x in w)
        a = {
            (b, j): F({3: int(j == 0), 5: cosine(j)}.get(b, 0)) + (F(int(j == k), n) if b == 8 else 0)
            for b in range(1, 10)
            for j in range(n)
        }
        z = {at: A * C * x for at, x in a.items()}
        one = [c * z[3, 0] * -z[5, j] for j in range(n)]
        two = [c * z[3, 0] * z[5, j] for j in range(n)]
        values = [z[8, j] for j in range(n)]
        s = real(C2) * (average(one, values) + average(two, [-x for x in values]))
        run = factors(w, parity_with_norms(w, c, eps))
        at = [abs(run["y1_alternating_()"][j]) for j in range(n)]
        scalars = {"A1": [*at, at[0] * at[0], F(1)], "C1": F(1), "C2": [run["g"], F(1)], "a()": a, "z()": z, "s": s}
        yield {**run, **scalars, "m": [F(t) for t in range(-1, 4)]}


LAYERS = list(layers())


def factors_found(v: Any) -> tuple[int, int, list[Any]] | None:
    """n, k and the factors of the first layer by position, where the word is one, c > 0 and epsilon >= 0."""
    here = parity_of(v)
    if here is None or v["c"] <= 0 or v["epsilon"] < 0:
        return None
    return (*here, [abs(v["y1_alternating_()"][j]) for j in range(here[0])])


@adequate("chiang2022.appB.logits", at=LAYERS, false=True)
def logits_linear(v: Any) -> bool | None:
    here = factors_found(v)
    if here is None:
        return None
    n, k, f = here
    return all(same(f[0] * f[j], f[k]) for j in range(n))


@adequate("chiang2022.appB.parity", at=LAYERS, false=True)
def parity_normed(v: Any) -> bool | None:
    here = factors_found(v)
    if here is None or here[0] % 2:
        return None
    n, k, f = here
    s, u = v["y2_s_()"][0], 1 / (v["dev2()"][0] * v["dev2_()"][0])
    formula = [(-1) ** (k + 1) * 2 * u * t * CONTEXT.tanh(t * real(v["c"])) / n**2 for t in f]
    return any(same(s, x) for x in formula) and bool(s > 0) == (k % 2 == 1)


SIX = ("zero", "one", "cls", "start", "hit", "s")


def normed_run(w: Sequence[int], c: Any, eps: F) -> dict[str, Any]:
    """All that FIRST with norms of Section 4 computes on a word: entries x, then -x, and a norm behind each part."""
    names = (*SIX, *(f"{x}_minus" for x in SIX))
    out: dict[str, Any] = {}

    def keep(label: str, rows: Sequence[Sequence[Any]], only: Sequence[str] = names) -> None:
        for x in only:
            out[label.format(x) + "()"] = {i: row[names.index(x)] for i, row in enumerate(rows)}

    def norm(number: str, rows: Sequence[Sequence[Any]], label: str) -> list[list[Any]]:
        made = [normed(row, eps) for row in rows]
        out[f"mu{number}()"] = {i: m[1] for i, m in enumerate(made)}
        out[f"dev{number}()"] = {i: m[2] for i, m in enumerate(made)}
        keep(label, [m[0] for m in made])
        return [m[0] for m in made]

    plain = [[*row[:4], F(0), F(0)] for row in first_layer(w)]
    a = [[*x, *(-e for e in x)] for x in plain]
    keep("{}", a, [x for x in names if x[:3] not in ("hit", "s", "s_m")])
    keep("z1_{}", a, ("zero", "zero_minus"))
    a = norm("1", a, "y1_{}")
    hidden = [max(row[3] - row[0] - row[2], row[0] * 0) for row in a]
    a = [[*x[:4], x[4] + h, *x[5:10], x[10] - h, x[11]] for x, h in zip(a, hidden, strict=True)]
    keep("z1_{}", a, ("hit", "hit_minus"))
    a = norm("1_", a, "y1_{}_")
    values = [-x[3] / 2 + x[4] for x in a]
    added = [average([real(c) * at[2] * x[3] for x in a], values) for at in a]
    a = [[*x[:5], x[5] + s, *x[6:11], x[11] - s] for x, s in zip(a, added, strict=True)]
    keep("z2_{}", a, ("s", "s_minus"))
    a = norm("2", a, "y2_{}")
    keep("z2_{}", a, ("zero", "zero_minus"))
    norm("2_", a, "y2_{}_")
    e, h = real(eps), int(w[:1] == (1,))
    p, q = (1 / CONTEXT.sqrt(real(v) * (1 + e) + e**2 + real(x)) for v, x in ((F(1, 6), F(0)), (F(1, 3), F(h, 6))))
    r = added[0]
    g = 1 / CONTEXT.sqrt((p**2 + r**2) / 6 * (1 + e) + e**2)
    word = {0: F(CLS), 1: F(0), **{i: F(x) for i, x in enumerate(w, 1)}}
    factors = {"p": p, "q": q, "g": g, "r": r}
    return {"n": F(len(a)), "c": c, "epsilon": eps, "w()": word, **out, **factors, "word": tuple(w)}


def first_normed() -> Iterator[dict[str, Any]]:
    for w, A, C, C2 in [
        ((), 1, 1, 1),
        ((1,), 2, 1, 1),
        ((0, 1), F(1, 2), 3, 2),
        ((1, 1), 1, 1, 3),
        ((1, 0, 1), 2, 2, F(1, 2)),
        ((1, 2), 1, 1, 1),
        ((1,), -1, 1, 1),
    ]:
        v = net(w, first_logit(w, F(1)))
        t = F(A) * F(C)
        z = {at: t * x for at, x in v["z()"].items()}
        n = len(w) + 1
        s = real(F(C2)) * average([z[3, 0] * z[4, j] for j in range(n)], [-z[4, j] / 2 + z[5, j] for j in range(n)])
        run = normed_run(w, F(1), abs(t) / 10 - F(1, 10))
        yield {
            **run,
            **v,
            "x()": v["z()"],
            "z()": z,
            "t": v["s"][0],
            "s": [s, s + 1],
            "c": F(1),
            "A1": [run["p"], run["q"], F(1)],
            "C1": F(1),
            "C2": [run["g"], F(1)],
            "f": [run["p"], run["q"], F(1)],
            "word": w,
            "scale": t,
        }


FIRSTS = list(first_normed())


@adequate("chiang2022.appB.first", at=FIRSTS, false=True)
def first_with_norm(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    n, u = len(v["word"]) + 1, 1 / (v["dev2()"][0] * v["dev2_()"][0])
    factors_of = [1 / (v["dev1()"][i] * v["dev1_()"][i]) for i in range(n)]
    formula = [e(t) / (e(t) + n - 1) * u * t * (starts(v) - real(F(1, 2))) for t in factors_of]
    return any(same(v["y2_s_()"][0], x) for x in formula)


@adequate(
    "chiang2022.appB.first.corrected",
    at=FIRSTS,
    misses=[
        ("exp(c*p*q)/", "exp(c*p)/"),
        ("<-> 2 <= n & w(1) = 1)", "<-> w(1) = 0)"),
        ("(w(1) = 0 -> y2_s_(0) < 0)", "y2_s_(0) < 0"),
        ("(n = 1 -> y2_s_(0) = 0)", "(n = 1 -> y2_s_(0) < 0)"),
        ("I[w(1) = 1]/6) = 1", "I[w(1) = 0]/6) = 1"),
        ("y2_s_(0) = g*r &", "y2_s_(0) = r &"),
        ("(1/3*(1 + epsilon)", "(1/6*(1 + epsilon)"),
    ],
)
def first_with_norm_right(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    logit = v["y2_s_()"][0]
    if not v["word"]:
        return same(logit, 0)
    p, q, n = v["p"], v["q"], len(v["word"]) + 1
    r = e(p * q) / (e(p * q) + n - 1) * q * (starts(v) - real(F(1, 2)))
    return same(logit, v["g"] * r) and bool(logit > 0) == bool(starts(v)) and bool(logit < 0) != bool(starts(v))


def factors_of_first(v: Any) -> list[Any]:
    """Of each position, what both norms of the first layer divide by, inverted."""
    return [1 / (v["dev1()"][i] * v["dev1_()"][i]) for i in range(len(v["word"]) + 1)]


@adequate("chiang2022.appB.first.factors", at=FIRSTS, false=True)
def one_factor_of_first(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    t = factors_of_first(v)
    return all(same(x, t[0]) for x in t) and (len(t) == 1 or same(t[0] * t[1], t[0]))


@adequate(
    "chiang2022.appB.first.factors.corrected",
    at=FIRSTS,
    misses=[
        ("p*f*(c*I[i = 1])", "f*(c*I[i = 1])"),
        ("y1_start_(i) = f*I[i = 1]", "y1_start_(i) = p*I[i = 1]"),
        ("y1_zero_(i) = f*I[w(i) = 0]", "y1_zero_(i) = p*I[w(i) = 0]"),
        ("f*(I[i = 1]*I[w(1) = 1] - 1/2*I[i = 1])", "f*f*(I[i = 1]*I[w(1) = 1] - 1/2*I[i = 1])"),
        ("f^2*((1 + I[i = 1])/6", "f^2*(1/6"),
    ],
)
def factors_of_first_right(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    t, symbols, e1 = factors_of_first(v), [CLS, *v["word"]], real(v["epsilon"])
    for i, symbol in enumerate(symbols):
        hit = i == 1 and symbol == 1
        entries = zip(SIX, (symbol == 0, symbol == 1, symbol == CLS, i == 1, hit), strict=False)
        square = (real(F(1 + (i == 1), 6)) * (1 + e1)) + e1**2 + real(F(int(hit), 6))
        if not (same(t[i] ** 2 * square, 1) and all(same(v[f"y1_{x}_()"][i], t[i] * int(on)) for x, on in entries)):
            return False
    return True


def surely_first() -> list[dict[str, Any]]:
    """Both networks with scores times log n, c = 1, and other values of c that the statement must exclude."""
    out = []
    for w, eps in itertools.product([(), (1,), (0,), (0, 1), (1, 0, 0), (1, 2)], (F(0), F(1, 100), F(1, 2), F(1))):
        log = CONTEXT.log(len(w) + 1)
        v = first_run(w, log) | normed_run(w, log, eps)
        out.append({**v, "c": [log, F(2)], "eta": [F(1, 10), F(1, 2), F(2)]})
    return out


@adequate(
    "chiang2022.prop3",
    at=surely_first(),
    misses=[
        ("1/8 <= abs(s(0) - 1/8)", "1/7 <= abs(s(0) - 1/8)"),
        ("I[0 < s(0) - 1/8] = I[2 <= n & w(1) = 1]", "I[0 < s(0) - 1/8] = I[2 <= n & w(1) = 0]"),
        ("epsilon <= 1/2", "epsilon <= 1"),
        ("-log(sigmoid(-(8*log(", "-log(sigmoid(-(7*log("),
        ("y2_s_(0) - 1/8/sqrt(5/24 + epsilon)] = I[2 <= n & w(1) = 1]", "y2_s_(0)] = I[2 <= n & w(1) = 0]"),
        ("<= eta", "<= eta/2"),
    ],
)
def first_is_sure(v: Any) -> bool | None:
    """With the bias -b, and the weight that makes a logit of size b cost eta."""
    w, eps = v["word"], v["epsilon"]
    if set(w) - {0, 1}:
        return None
    found = [(first_logit(w, CONTEXT.log(len(w) + 1)), real(F(1, 8)))]
    if eps <= F(1, 2):
        found.append((v["y2_s_()"][0], 1 / (8 * CONTEXT.sqrt(real(F(5, 24) + eps)))))
    member = w[:1] == (1,)
    for plain, b in found:
        x = plain - b
        weights = {eta: -CONTEXT.log(e(real(eta)) - 1) / b for eta in (F(1, 10), F(1, 2))}
        lost = {eta: CONTEXT.log(1 + e(-weight * x if member else weight * x)) for eta, weight in weights.items()}
        if not (at_most(b, abs(x)) and bool(x > 0) == member and all(at_most(lost[eta], eta) for eta in lost)):
            return False
    return True


def last_norm_keeps(v: Any) -> bool:
    """Whether the last norm of FIRST changes nothing at any position."""
    names = [*SIX, *(f"{x}_minus" for x in SIX)]
    read = [v["z2_zero()" if x == "zero" else "z2_zero_minus()" if x == "zero_minus" else f"y2_{x}()"] for x in names]
    made = [v[f"y2_{x}_()"] for x in names]
    return all(same(a[i], b[i]) for a, b in zip(made, read, strict=True) for i in range(len(v["word"]) + 1))


@adequate("chiang2022.appB.A2", at=FIRSTS, false=True)
def second_norm(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    return last_norm_keeps(v) and all(same(v["dev2_()"][i], 1) for i in range(len(v["word"]) + 1))


@adequate(
    "chiang2022.appB.A2.corrected",
    at=FIRSTS,
    misses=[
        ("1 - epsilon/dev2(i)^2 + epsilon", "1 - epsilon/dev2(i)^2"),
        ("(epsilon = 0 -> y2", "(0 <= epsilon -> y2"),
        ("(epsilon = 0 | dev2(i) = 1)", "dev2(i) = 1"),
        ("y2_cls_(i) = y2_cls(i)", "y2_cls_(i) = y1_cls_(i)"),
    ],
)
def second_norm_right(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    eps, places = real(v["epsilon"]), range(len(v["word"]) + 1)
    entries = [[v[f"y1_{x}_()"][i] for x in SIX[:5]] + [v["z2_s()"][i]] for i in places]
    size = [CONTEXT.fsum(x**2 for x in row) / 6 for row in entries]
    right = all(same(v["dev2_()"][i] ** 2, size[i] / (size[i] + eps) + eps) for i in places)
    return right and (v["epsilon"] > 0 or last_norm_keeps(v))


def normed_layers() -> Iterator[dict[str, Any]]:
    for w, eps in itertools.product([(), (1,), (0,), (0, 1), (2,)], (F(0), F(1, 10))):
        n, k = len(w) + 1, sum(w)
        x = {}
        for i, symbol in enumerate([CLS, *w]):
            entries = [
                int(symbol == 0),
                int(symbol == 1),
                int(symbol == CLS),
                F(i, n),
                cosine(i),
                F(k, n),
                F(1, n),
                0,
                0,
            ]
            x |= {(b, i): F(a) for b, a in enumerate(entries, 1)}
        p = {(b, i): x[b, i] if b <= 9 else -x[b - 9, i] for b in range(1, 19) for i in range(n)}
        rows = [normed([p[b, i] for b in range(1, 19)], eps) for i in range(n)]
        y = {(b, i): row[0][b - 1] for i, row in enumerate(rows) for b in range(1, 19)}
        scale = [1 / row[2] for row in rows]
        yield {
            "n": F(n),
            "w()": {0: F(CLS), **{i: F(a) for i, a in enumerate(w, 1)}},
            "k": F(k),
            "eps": eps,
            "x()": x,
            "p()": p,
            "y()": y,
            "d": F(9),
            "C1": scale,
            "word": w,
            "scales": scale,
            **(run := factors(w, parity_with_norms(w, F(1), eps))),
            "A1": [1 / run["dev1_()"][i] for i in range(n)],
        }


NORMED = list(normed_layers())


@adequate("chiang2022.appB.scalars", at=NORMED, false=True)
def one_scalar(v: Any) -> bool | None:
    if not set(v["word"]) <= {0, 1}:
        return None
    both = [1 / (v["dev1()"][i] * v["dev1_()"][i]) for i in range(len(v["word"]) + 1)]
    return all(same(a, x[0]) for x in (v["scales"], both) for a in x)


@adequate(
    "chiang2022.appB.scalars.corrected",
    at=NORMED,
    misses=[
        ("y1_place_(i) = f(i)*", "y1_place_(i) = f(0)*"),
        ("y2_s_minus_(i) = -(g(i)*", "y2_s_minus_(i) = (g(i)*"),
        ("I[i = k]/(9*n^2)) = 1", "I[i = k]/(9*n^2)) = 2"),
        ("(2 + (i^2 + k^2 + 1)/n^2)/9", "(2 + (i^2 + k^2)/n^2)/9"),
        ("y1_hit_(i) = f(i)*(I[i = k]/n)", "y1_hit_(i) = f(i)*(I[i = k])"),
    ],
)
def scalars_by_position(v: Any) -> bool | None:
    here = parity_of(v)
    if here is None:
        return None
    n, k = here
    one = real(F(1))
    for i in range(n):
        size = (2 + F(i * i + k * k + 1, n * n)) / 9
        square = 1 / (real(size) * (1 + real(v["epsilon"])) + real(v["epsilon"]) ** 2 + real(F(int(i == k), 9 * n * n)))
        entries = [*embedded(v["word"])[i][1], F(i, n), F(cosine(i)), F(k, n), F(1, n), F(int(i == k), n), F(0)]
        for x, entry in zip(NINE, entries, strict=True):
            if not same(v[f"y1_{x}_()"][i], CONTEXT.sqrt(square) * real(entry) * one):
                return False
    return True


@adequate(
    "chiang2022.appB.logits.corrected",
    at=LAYERS,
    misses=[
        ("f(0)*f(j)*(c*pow(-1, j))", "f(j)*(c*pow(-1, j))"),
        ("f(0)*f(j)*(c*-pow(-1, j))", "f(0)*f(0)*(c*-pow(-1, j))"),
        ("y1_hit_(j) = f(j)*", "y1_hit_(j) = f(0)*"),
        ("(c*-pow(-1, j))", "(c*pow(-1, j))"),
    ],
)
def logits_by_position(v: Any) -> bool | None:
    here = parity_of(v)
    if here is None:
        return None
    n, k = here
    f = [v["y1_cls_()"][0], *(abs(v["y1_alternating_()"][j]) for j in range(1, n))]
    return all(same(v["y1_hit_()"][j], f[j] * real(F(int(j == k), n))) for j in range(n))


@adequate(
    "chiang2022.appB.parity.corrected",
    at=LAYERS,
    misses=[
        ("clsweight(j. c*f(0)*f(j)*", "clsweight(j. c*f(j)*"),
        ("(0 < y2_s_(0) <-> odd(k))", "(0 < y2_s_(0) <-> ~odd(k))"),
        ("<-> 2 <= n & ~odd(k))", "<-> ~odd(k))"),
        ("r = f(k)/n*", "r = f(0)/n*"),
        ("(k^2 + 1 + I[0 = k])/n^2", "(k^2 + 1)/n^2"),
    ],
)
def parity_by_position(v: Any) -> bool | None:
    here = parity_of(v)
    if here is None or v["c"] <= 0:
        return None
    n, k = here
    f = [abs(v["y1_alternating_()"][j]) for j in range(n)]
    scores = [real(v["c"]) * f[0] * f[j] * cosine(j) for j in range(n)]
    weights_of = softmax([-x for x in scores])[k] - softmax(scores)[k]
    r, logit = f[k] / n * weights_of, v["y2_s_()"][0]
    e = real(v["epsilon"])
    squares = f[0] ** 2 * (2 + real(F(k * k + 1 + int(k == 0), n * n))) + r**2
    right = same(logit, r / CONTEXT.sqrt(squares / 9 * (1 + e) + e**2))
    sign = same(logit, 0) if n == 1 else bool(logit > 0) if k % 2 else bool(logit < 0)
    return right and sign


@adequate(
    "chiang2022.s4.1.pairing",
    at=LAYERS,
    misses=[
        ("z1_hit_minus(i) = -z1_hit(i)", "z1_hit_minus(i) = z1_hit(i)"),
        ("z2_s_minus(i) = -z2_s(i)", "z2_s_minus(i) = -y1_s_(i)"),
        ("mu2_(i) = 0", "mu2_(i) = 1"),
        ("0 < dev1(i)", "1 < dev1(i)"),
        ("y2_one_minus_(i) = -y2_one_(i)", "y2_one_minus_(i) = -y2_zero_(i)"),
    ],
)
def paired_everywhere(v: Any) -> bool | None:
    here = parity_of(v)
    if here is None:
        return None
    pairs_of = [
        (f"y{layer}_{x}{end}()", f"y{layer}_{x}_minus{end}()") for x in NINE for layer in "12" for end in ("", "_")
    ]
    return all(
        same(v[a][i], -v[b][i]) and v[f"dev{d}()"][i] > 0 and same(v[f"mu{d}()"][i], 0)
        for a, b in pairs_of
        for i in range(here[0])
        for d in ("1", "1_", "2", "2_")
    )


# --- Definitions that state something ---------------------------------------------------------------------------------


@adequate(
    "chiang2022.def.output",
    at=[{"s": s, "y": [sigmoid(s), sigmoid(s) / 2]} for s in (F(-3), F(-1, 100), F(0), F(1, 100), F(2))],
    misses=[
        ("(1/2 < y", "(1/2 <= y"),
        ("(1/2 < y", "(1/3 < y"),
        ("<-> 0 < s", "<-> s < 0"),
        ("y < 1", "y < 3/4"),
        ("0 < y &", "1/4 < y &"),
    ],
)
def accepts(v: Any) -> bool | None:
    return (1 / (1 + e(-real(v["s"]))) > real(F(1, 2)) + SLACK) == (v["s"] > 0)


@adequate(
    "chiang2022.def.att",
    at=[
        {
            "n": F(n),
            "s()": {i: F(i * i, 3) - 1 for i in range(n)},
            "v()": {i: F(2 - i) for i in range(n)},
            "low": low,
            "high": F(2),
        }
        for n, low in itertools.product(range(5), (F(-2), F(0)))
    ],
    misses=[
        ("clsweight(s, n, j)) = 1", "clsweight(s, n, j)) < 1"),
        ("<= high", "<= low"),
        ("0 < clsweight", "1/2 < clsweight"),
        ("sum(j, 0, n - 1, clsweight(s, n, j)) = 1", "sum(j, 1, n - 1, clsweight(s, n, j)) = 1"),
    ],
)
def weights_average(v: Any) -> bool | None:
    n = int(v["n"])
    values = [v["v()"][i] for i in range(n)]
    if n < 1 or not all(v["low"] <= x <= v["high"] for x in values):
        return None
    a = softmax([v["s()"][i] for i in range(n)])
    mean = CONTEXT.fsum(p * real(x) for p, x in zip(a, values, strict=True))
    return all(p > 0 for p in a) and same(sum(a), 1) and at_most(v["low"], mean) and at_most(mean, v["high"])


@adequate(
    "chiang2022.eq2",
    at=[{"n": F(n), "m": F(m)} for n, m in itertools.product(range(6), range(-1, 5)) if n or m < 0],
    misses=[
        ("= pow(n, m) &", "= pow(n, m + 1) &"),
        ("exp(log(n)*m)", "exp(log(n)*2*m)"),
        ("1/pow(n, m)", "pow(n, m)"),
        ("exp(log(n)*-m)", "exp(log(n)*m)"),
        ("exp(log(n)*m)", "exp(n*m)"),
    ],
)
def powers(v: Any) -> bool | None:
    n, m = int(v["n"]), int(v["m"])
    if n < 1 or m < 0:
        return None
    return same(e(CONTEXT.log(n) * m), n**m) and same(e(-CONTEXT.log(n) * m), F(1, n**m))


# --- Cookbook, Sections 2 and 9 ---------------------------------------------------------------------------------------


def matrices() -> Iterator[dict[str, Any]]:
    for d, n, shift in itertools.product((0, 1, 2), (1, 3), (0, 1, 2)):
        WO, WV = (
            {(a, b): F((a * p + b * b + shift) % 5 - 2) for a in range(1, d + 1) for b in range(1, d + 1)}
            for p in (2, 4)
        )
        U = {
            (a, b): sum((WO[a, c] * WV[c, b] for c in range(1, d + 1)), F(0))
            for a in range(1, d + 1)
            for b in range(1, d + 1)
        }
        alpha = {(i, j): F(i + 2 * j + shift, 3) for i in range(1, n + 1) for j in range(1, n + 1)}
        z = {(b, j): F((b + 1) * j * j - 3 * shift) for b in range(1, d + 1) for j in range(1, n + 1)}
        yield {"d": F(d), "n": F(n), "WO()": WO, "WV()": WV, "U()": [U], "alpha()": alpha, "z()": z}


@adequate(
    "s2.2.2.no_wo",
    at=matrices(),
    misses=[
        ("sum(a, 1, d, WO(b, a)", "sum(a, 1, d, WO(a, b)"),
        ("WV(a, l)", "WV(l, a)"),
        ("WO(b, a)*", ""),
        ("sum(j, 1, n, alpha(i, j)*sum(l, 1, d, WV", "sum(j, 2, n, alpha(i, j)*sum(l, 1, d, WV"),
    ],
)
def output_matrix(v: Any) -> bool | None:
    d, n = int(v["d"]), int(v["n"])
    if d < 1:
        return None
    times = lambda M, x: [sum((M[a, b] * x[b - 1] for b in range(1, d + 1)), F(0)) for a in range(1, d + 1)]  # noqa: E731
    columns = [[v["z()"][b, j] for b in range(1, d + 1)] for j in range(1, n + 1)]

    def head(M: Any, i: int) -> list[F]:
        found = [times(M, x) for x in columns]
        return [sum((v["alpha()"][i, j] * found[j - 1][b] for j in range(1, n + 1)), F(0)) for b in range(d)]

    return all(head(v["U()"][0], i) == times(v["WO()"], head(v["WV()"], i)) for i in range(1, n + 1))


LANGUAGES = [
    ("half", [F(1)], lambda n, m: F(1, 2), True),
    ("rare", [F(1)], lambda n, m: 1 / (n + 2) ** 2, False),
    ("third", [F(1)], lambda n, m: F(1, 3) + F(1, 3) / (n + 1), True),
    ("never", [F(1)], lambda n, m: F(0), None),
    ("always", [F(1)], lambda n, m: F(1), None),
    ("two letters", [F(1, 3), F(2, 3)], lambda n, m: F(1, 2) if m % 2 else F(1, 3), True),
    ("two letters, rare", [F(3, 4), F(1, 4)], lambda n, m: 1 / ((n + 2) ** 2 + (m == 1)), False),
    ("three letters", [F(1, 2), F(1, 3), F(1, 6)], lambda n, m: F(2, 5), True),
]


def languages() -> Iterator[dict[str, Any]]:
    """Language models by how they stop: string number m of n symbols goes on as numbers K(m - 1) + 1 to Km."""
    for name, shares, stop, true in LANGUAGES:
        K = len(shares)
        last = {1: 15, 2: 6, 3: 4}[K]
        reach = [[F(1)]]
        for n in range(last + 1):
            each = enumerate(reach[n], 1)
            reach.append([q * (1 - stop(F(n), F(m))) * share for m, q in each for share in shares])
        yield {
            "K": F(K),
            "count()": [lambda n, K=K: F(K) ** int(n)],
            "next()": [lambda n, m, a, stop=stop, shares=shares: (1 - stop(n, m)) * shares[int(a) - 1]],
            "stop()": [stop],
            "q()": [lambda n, m, reach=reach: reach[int(n)][int(m) - 1]],
            "reach": reach,
            "name": name,
            "true": true,
            "eps": [F(1, 4), F(1, 100)] if K == 1 else [F(1, 4)],
            "N": [F(t) for t in range(last + 1)],
            "n": [F(t) for t in range(last)],
            "c": [F(1, 3), F(1, 2)],
        }


def masses(v: Any) -> list[F]:
    """Probability of the strings of at most N symbols, for each N: what is said, less what goes on."""
    return [1 - sum(row, F(0)) for row in v["reach"][1:]]


LEFT = list(languages())


@adequate("s2.2.3.autoregressive", at=LEFT, false=True)
def sums_to_one(v: Any) -> bool | None:
    if v["true"] is None:
        return None
    return all(max(masses(v)) >= 1 - eps for eps in v["eps"])


@adequate(
    "s2.2.3.autoregressive.corrected",
    at=LEFT,
    misses=[
        ("c <= stop(n, m)", "0 <= stop(n, m)"),
        ("1 - sum(m, 1, count(N + 1), q(N + 1, m))", "1 - sum(m, 1, count(N), q(N, m))"),
        ("q(n, m)*stop(n, m))) < 1)", "q(n, m)*stop(n, m))) < 1/2)"),
        ("q(n, m)*stop(n, m))) = 1", "q(n, m)*stop(n, m)^2)) = 1"),
    ],
)
def mass_left(v: Any) -> bool | None:
    if v["true"] is None:
        return None
    if max(masses(v)) >= 1:
        return False
    return not v["true"] or all(max(masses(v)) >= 1 - eps for eps in v["eps"])


def strings() -> Iterator[dict[str, Any]]:
    for w in [w for n in range(5) for w in itertools.product((1, 2), repeat=n)] + [(1, 3, 2, 1, 3), (1, 4)]:
        n = len(w)
        table = {(i, j): F(int(j > 1 and w[j - 2] == w[i - 1])) for i in range(1, n + 1) for j in range(1, i + 1)}
        yield {
            "n": F(n),
            "K": F(3),
            "w()": column(w),
            "s()": [table, {at: x + 1 for at, x in table.items()}],
            "word": w,
        }


def rows(v: Any) -> list[list[int]] | None:
    """The scores of each position against 1..i: one-hot query against the one-hot code of the predecessor."""
    w = v["word"]
    if not w or max(w) > 3:
        return None
    codes = [[int(a == b) for a in (1, 2, 3)] for b in w]
    keys = [[0, 0, 0], *codes[:-1]]
    return [[sum(a * b for a, b in zip(codes[i], keys[j], strict=True)) for j in range(i + 1)] for i in range(len(w))]


@adequate("s9.1.1.max_positions", at=strings(), false=True)
def best_is_same(v: Any) -> bool | None:
    found = rows(v)
    if found is None:
        return None
    w = v["word"]
    return all((x == max(row)) == (w[j] == w[i]) for i, row in enumerate(found) for j, x in enumerate(row))


@adequate(
    "s9.1.1.max_positions.corrected",
    at=strings(),
    misses=[
        ("ex m in 2..i. w(m - 1)", "ex m in 1..i. w(m)"),
        ("(2 <= j & w(j - 1) = w(i))", "(2 <= j & w(j) = w(i))"),
        ("| ~(ex m in 2..i. w(m - 1) = w(i))", ""),
        ("ex m in 2..i", "ex m in 2..i - 1"),
    ],
)
def best_follows_same(v: Any) -> bool | None:
    found = rows(v)
    if found is None:
        return None
    w = v["word"]
    for i, row in enumerate(found):
        after = {j for j in range(1, i + 1) if w[j - 1] == w[i]}
        if {j for j, x in enumerate(row) if x == max(row)} != (after or set(range(i + 1))):
            return False
    return True


DOTS = " + ".join(f"is_{x}(i)*before_{x}(j)" for x in "ABCD")


BESIDE_HEADS = tuple(map(beside_heads, strings()))


@adequate("s9.1.1.gap", at=BESIDE_HEADS, false=True)
def score_gap_is_one(v: Any) -> bool | None:
    """Scores are 0 and 1/sqrt(K): a gap of 1 where all are equal, or over one symbol."""
    found = rows(v)
    if found is None:
        return None
    return v["K"] == 1 or all(len(set(row)) < 2 for row in found)


@adequate(
    "s9.1.1.gap.corrected",
    at=BESIDE_HEADS,
    misses=[
        ("z(i, l), i, 1)", "z(i, l), i, 11/10)"),
        ("z(i, j) = 0 | z(i, j) = 1", "z(i, j) = 0"),
        ("z(i, j) = 0 | z(i, j) = 1", "z(i, j) = 1"),
        (f"z(i, j) = {DOTS}", "z(i, j) = z(i, j)"),
        ("s(i, l), i, 1)", "s(i, l), i, 11/10)"),
        ("s(i, j) = 0 | s(i, j) = 1", "s(i, j) = 0"),
        ("s(i, j) = 0 | s(i, j) = 1", "s(i, j) = 1"),
        ("s(i, l), i, 1)", "s(i, l), i, 2)"),
        ("i, 1/sqrt(K))", "i, 1)"),
    ],
)
def gap_is_one(v: Any) -> bool | None:
    found = rows(v)
    if found is None:
        return None
    return all(set(row) <= {0, 1} and all(x == max(row) or x <= max(row) - 1 for x in row) for row in found)


def traces() -> Iterator[dict[str, Any]]:
    for w in [*words(0, 1, 2, 3), (1, 0, 1, 0), (0, 1, 1, 0), (0, 0, 1, 1), (0, 2)]:
        n = len(w)
        opened = [1 - 2 * x for x in w]
        balance = [F(sum(opened[: i + 1]), i + 1) for i in range(n)]
        error = [max(F(0), -b) for b in balance]
        total = [F(sum(error[: i + 1]), i + 1) for i in range(n)]
        lists = [[F(x) for x in opened], balance, error, total]
        z = {
            (t, c, i): (lists[c - 1][i - 1] if c <= t + 1 else F(0))
            for t in range(4)
            for c in range(1, 5)
            for i in range(1, n + 1)
        }
        yield {
            "n": F(n),
            "w()": column(w),
            "z()": [z, {at: x + (at[0] == 3) for at, x in z.items()}],
            "token()": column(opened),
            "balance()": column(balance),
            "error()": column(error),
            "total()": [column(total), column(x + ODD for x in total)],
            "word": w,
            "right": z,
        }


@adequate(
    "s9.2.1.state_trace",
    at=traces(),
    misses=[
        ("z(3, 4, i) = sum(j, 1, i, relu(-height(w, j)/j))/i", "z(3, 4, i) = sum(j, 1, i, relu(-height(w, j)/j))/n"),
        ("z(2, 3, i) = relu(-height(w, i)/i)", "z(2, 3, i) = relu(height(w, i)/i)"),
        ("z(1, 2, i) = height(w, i)/i", "z(1, 2, i) = height(w, i)"),
        ("z(3, 3, i) = relu(-height(w, i)/i)", "z(3, 3, i) = 0"),
        ("z(2, 4, i) = 0", "z(2, 4, i) = 1"),
        ("error(i) = z(3, 3, i)", "error(i) = z(1, 3, i)"),
        ("total(i) = z(3, 4, i)", "total(i) = z(3, 4, n)"),
        ("run(dyck-1) ->", ""),
    ],
)
def trace(v: Any) -> bool | None:
    w = v["word"]
    if not w or set(w) - {0, 1}:
        return None
    for i in range(1, len(w) + 1):
        heights = [w[:j].count(0) - w[:j].count(1) for j in range(1, i + 1)]
        errors = [max(F(0), -F(b, j)) for j, b in enumerate(heights, 1)]
        state = [F(1 - 2 * w[i - 1]), F(heights[-1], i), errors[-1], F(sum(errors), i)]
        if any(v["right"][t, c, i] != (state[c - 1] if c <= t + 1 else 0) for t in range(4) for c in range(1, 5)):
            return False
    return True


def active() -> Iterator[dict[str, Any]]:
    """Bits, of which one at p is looked for from m, with a run of the stored dyck-1-2 on a word of that length."""
    runs = [(1,), (0, 0), (1, 0, 0), (0, 0, 1, 0), (1, 0, 0, 1, 1, 0)]
    matched = {len(w): shown(dyck12_columns(w)) | {"w()": column(w)} for w in runs}
    for a in [*words(1, 2, 3, 4), (0, 1, 0, 0, 1, 0), (1, 2)]:
        n = len(a)
        for i, p in itertools.product(range(1, n + 1), range(1, n + 2)):
            given = {"n": F(n), "a()": column(a) | {n + 1: F(1)}, "m": F(i), "p": F(p), "bits": a}
            yield {**given, **matched[n]}


@adequate("s9.2.2.step2_scores", at=active(), false=True)
def one_is_unmatched(v: Any) -> bool | None:
    """Each side of m that has positions has an active one."""
    a, m = v["bits"], int(v["m"])
    sides = [side for side in (a[: m - 1], a[m:]) if side]
    return all(1 in side for side in sides) if sides and not set(a) - {0, 1} else None


@adequate(
    "s9.2.2.step2_scores.corrected",
    at=active(),
    misses=[
        ("lhardmax(l. l/n + a(l), m - 1, j) = I[j = p]", "lhardmax(l. l/n + a(l), m - 1, j) = I[j = 1]"),
        ("rhardmax(l. l/n + a(l), m - 1, j) = I[j = p]", "rhardmax(l. a(l) - l/n, m - 1, j) = I[j = p]"),
        ("(all k in m + 1..p - 1. a(k) = 0)", "m < n"),
        ("(all k in p + 1..m - 1. a(k) = 0)", "1 < m"),
        ("z3_right(m) = token(p)", "z3_right(m) = token(m)"),
        ("z3_left(m) = token(p)", "right(m) = token(p)"),
        ("(all q in p + 1..m - 1. a(q) = 0)", "1 < m"),
        ("(all q in 1..n. z2_active(q) = a(q))", "1 <= n"),
        ("-> right(m) = token(p)", "-> left(m) = token(p)"),
        ("& a(p) = 1", ""),
        ("lhardmax(l. a(m + l) - (m + l)/n, n - m, j)", "lhardmax(l. a(m + l) + (m + l)/n, n - m, j)"),
        (
            "rhardmax(l. a(m + l) - (m + l)/n, n - m, j) = I[m + j = p]",
            "rhardmax(l. a(m + l), n - m, j) = I[m + j = p]",
        ),
    ],
)
def nearest(v: Any) -> bool | None:
    """Where p is the nearest active position on a side, it alone has the greatest score of that side."""
    a, n, i, p = v["bits"], int(v["n"]), int(v["m"]), int(v["p"])
    if set(a) - {0, 1} or p > n or not a[p - 1]:
        return None
    on = [j for j in range(1, n + 1) if a[j - 1]]
    left, right = [j for j in on if j < i], [j for j in on if j > i]
    if p in left and p == max(left):
        scores = {k: F(k, n) + a[k - 1] for k in range(1, i)}
    elif p in right and p == min(right):
        scores = {k: a[k - 1] - F(k, n) for k in range(i + 1, n + 1)}
    else:
        return None
    return [k for k, score in scores.items() if score == max(scores.values())] == [p]


def found_values() -> Iterator[dict[str, Any]]:
    for a, o in [
        ((1,), (1,)),
        ((1, 1), (1, -1)),
        ((0, 0, 1), (1, -1, 1)),
        ((1, 0, 0, 1), (1, 1, -1, -1)),
        ((0, 0, 0), (-1, 1, -1)),
        ((0, 1, 1, 0, 0), (1, -1, 1, 1, -1)),
        ((2,), (1,)),
    ]:
        n = len(a)
        left = [max(range(1, i), key=lambda j: F(j, n) + a[j - 1], default=0) for i in range(1, n + 1)]
        right = [max(range(i + 1, n + 1), key=lambda j: a[j - 1] - F(j, n), default=0) for i in range(1, n + 1)]
        read = lambda at: [F(o[j - 1]) if j else F(0) for j in at]  # noqa: B023, E731
        yield {
            "n": F(n),
            "o()": column(o),
            "a()": column(a),
            "l()": [column(read(left)), column([9] * n)],
            "r()": [column(read(right)), column([9] * n)],
            "bits": a,
            "tokens": o,
            "left": read(left),
            "right": read(right),
        }


def unmatched(v: Any, i: int) -> tuple[int | None, int | None]:
    on = [j for j, x in enumerate(v["bits"], 1) if x]
    return max((j for j in on if j < i), default=None), min((j for j in on if j > i), default=None)


@adequate("s9.2.2.step2_values", at=found_values(), false=True)
def values_are_nearest(v: Any) -> bool | None:
    if set(v["bits"]) - {0, 1}:
        return None
    n = len(v["bits"])
    for i in range(1, n + 1):
        for j, x, there in zip(unmatched(v, i), (v["left"][i - 1], v["right"][i - 1]), (i > 1, i < n), strict=True):
            if there and (j is None or x != v["tokens"][j - 1]):
                return False
    return True


@adequate(
    "s9.2.2.step2_values.corrected",
    at=found_values(),
    misses=[
        ("l(i) = o(i - 1)", "l(i) = 0"),
        ("r(i) = o(i + 1)", "r(i) = -o(i + 1)"),
        ("(all k in i + 1..p - 1. a(k) = 0) -> r", "i < n -> r"),
        ("(all k in p + 1..i - 1. a(k) = 0) -> l", "1 < i -> l"),
        ("r(i) = o(p)) & (2", "r(i) = o(i)) & (2"),
    ],
)
def values_or_neighbours(v: Any) -> bool | None:
    a, o = v["bits"], v["tokens"]
    if set(a) - {0, 1}:
        return None
    for i in range(1, len(a) + 1):
        ends = (i - 1 if i > 1 else None, i + 1 if i < len(a) else None)
        for j, end, x in zip(unmatched(v, i), ends, (v["left"][i - 1], v["right"][i - 1]), strict=True):
            at = j or end
            if at and x != o[at - 1]:
                return False
    return True


# --- Proposition 3 with layer norm ------------------------------------------------------------------------------------


def logits_with_norms(*epsilons: F) -> list[dict[str, Any]]:
    """Scores times log n, c = 1, with the logit that the network has without norms, and another one."""
    out = []
    for w, eps in itertools.product([(), (1,), (0,), (0, 1), (1, 2)], epsilons or (F(1, 100), F(2), F(0))):
        n = len(w) + 1
        s = F(n, 2 * n - 1) * (int(w[:1] == (1,)) - F(1, 2))
        out.append({**normed_run(w, CONTEXT.log(n), eps), "c": [F(1), F(2)], "s": [s, s + 1]})
    return out


LOGITS = logits_with_norms()


def logit_asked(v: Any) -> bool:
    return bool(v["word"]) and not set(v["word"]) - {0, 1} and v["epsilon"] > 0


@adequate("chiang2022.prop3.lnlogit", at=LOGITS, false=True)
def normed_logit(v: Any) -> bool | None:
    if not logit_asked(v):
        return None
    s = first_logit(v["word"], CONTEXT.log(len(v["word"]) + 1))
    return same(v["y2_s_()"][0], s / CONTEXT.sqrt((1 + s**2) / 6 + real(v["epsilon"])))


@adequate(
    "chiang2022.prop3.lnlogit.corrected",
    at=LOGITS,
    misses=[
        ("exp(log(n)*(p*q))/", "exp(log(n)*p)/"),
        ("(q*(I[w(1) = 1] - 1/2))", "(I[w(1) = 1] - 1/2)"),
        ("r/sqrt((p^2 + r^2)/6*(1 + epsilon)", "r/sqrt((1 + r^2)/6*(1 + epsilon)"),
        ("*(1 + epsilon) + epsilon^2)", "*(1 + epsilon))"),
    ],
)
def normed_logit_right(v: Any) -> bool | None:
    if not logit_asked(v):
        return None
    eps = real(v["epsilon"])
    entries = [v[f"y1_{x}_()"][0] for x in SIX[:5]] + [v["z2_s()"][0]]
    size = CONTEXT.fsum(x**2 for x in entries) / 6
    return same(v["y2_s_()"][0], entries[5] / CONTEXT.sqrt(size * (1 + eps) + eps**2))


BOUNDS = [*LOGITS, *logits_with_norms(F(1, 2), F(51, 100))]


def printed_bound(v: Any) -> bool:
    return bool(abs(v["y2_s_()"][0]) > real(F(1, 4)) / CONTEXT.sqrt(real(F(5, 24) + v["epsilon"])))


@adequate("chiang2022.prop3.lnbound", at=BOUNDS, false=True)
def normed_bound(v: Any) -> bool | None:
    return printed_bound(v) if logit_asked(v) else None


@adequate(
    "chiang2022.prop3.lnbound.corrected",
    at=BOUNDS,
    misses=[
        ("1/4/sqrt(5/24 + epsilon)", "1/2/sqrt(5/24 + epsilon)"),
        ("epsilon <= 1/2", "epsilon <= 2"),
    ],
)
def normed_bound_right(v: Any) -> bool | None:
    small = bool(v["word"]) and not set(v["word"]) - {0, 1} and 0 <= v["epsilon"] <= F(1, 2)
    return printed_bound(v) if small else None


@adequate(
    "s9.2.1.two_layers",
    at=traces(),
    misses=[
        ("z(3, 4, n) = 0 & z(3, 2, n) = 0", "z(3, 4, n) = 0"),
        ("z(3, 4, n) = 0 & z(3, 2, n) = 0", "z(3, 2, n) = 0"),
        ("z(3, 4, n) = 0 & z(3, 2, n) = 0", "z(3, 3, n) = 0 & z(3, 2, n) = 0"),
        ("(dyck(w, n) <->", "(~dyck(w, n) <->"),
    ],
)
def two_layers_decide(v: Any) -> bool | None:
    w = v["word"]
    if not w or set(w) - {0, 1}:
        return None
    heights = list(itertools.accumulate(1 - 2 * x for x in w))
    member = min(heights) >= 0 and heights[-1] == 0
    return member == (v["right"][3, 4, len(w)] == 0 and v["right"][3, 2, len(w)] == 0)


SOFT = list(traces())


@adequate("s9.2.1.requires_hard", at=SOFT, false=True)
def soft_attention_is_wrong(v: Any) -> bool:
    """The trace with scores 0 and softmax is the same; it would have to decide wrongly."""
    return two_layers_decide(v) is False


@adequate(
    "s9.2.1.requires_hard.corrected",
    at=SOFT,
    misses=[
        ("z(3, 4, n) = 0 & z(3, 2, n) = 0", "z(3, 4, n) = 0"),
        ("z(3, 4, n) = 0 & z(3, 2, n) = 0", "z(3, 2, n) = 0"),
        ("(dyck(w, n) <->", "(~dyck(w, n) <->"),
    ],
)
def soft_attention_decides(v: Any) -> bool | None:
    n = len(v["word"])
    for i in range(1, n + 1):  # the softmax of equal scores is the mean that the trace has
        if not all(same(x, real(F(1, i))) for x in softmax([real(F(0))] * i)):
            return False
    return two_layers_decide(v)
