"""Claims of the Cookbook's Sections 7 to 9 that its other files leave out, written from the paper's words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import exp, log
from typing import Any

from proof.adequacy import ODD, adequate, column, draws, table
from proof.claims_cookbook import bracketed, well_nested, word_instances
from proof.claims_induction import MEANT, PRINTED, letters
from proof.claims_section9 import (
    BIGRAMS,
    DYCK12,
    SHORT,
    SINGLE,
    by_term,
    follow_counts,
    heads_columns,
    nested_by_stack,
    often,
    recent,
    shown,
    words,
)
from proof.statement_truth import CONTEXT, real
from shared import relu

F = Fraction
RANDOM = draws(78)


def number() -> F:
    return F(RANDOM.randint(-4, 4), RANDOM.randint(1, 2))


def matrix(rows: int, columns: int) -> list[list[F]]:
    return [[number() for _ in range(columns)] for _ in range(rows)]


def product(rows: Sequence[Sequence[Any]], x: Sequence[Any]) -> list[Any]:
    return [sum((F(a) * b for a, b in zip(row, x, strict=True)), F(0)) for row in rows]


class Padded(dict[Any, Any]):
    """0 outside, where an indicator is its factor."""

    def __missing__(self, _: Any) -> Fraction:
        return F(0)


def blotted(entries: dict[Any, Any]) -> list[dict[Any, Any]]:
    """What is right, and the same with the last entry changed, which the hypotheses must exclude."""
    if not entries:
        return [entries]
    last = list(entries)[-1]
    return [entries, type(entries)({**entries, last: entries[last] + ODD})]


# --- Section 7.1 ------------------------------------------------------------------------------------------------------


def compare(x: F, eps: F) -> list[F]:
    """What the three comparators of Section 4.7 put out."""
    return [
        (relu(x) - relu(x - eps)) / eps,
        (relu(x + eps) - relu(x)) / eps,
        (relu(x + eps) - 2 * relu(x) + relu(x - eps)) / eps,
    ]


def rounded(eps: F, value: F) -> F:
    return value if abs(value) >= eps else F(0)


def comparisons() -> Iterator[dict[str, Any]]:
    for eps, gap in itertools.product((F(-1), F(0), F(1, 3), F(1), F(5)), (F(1, 7), F(2))):
        yield {
            "eps": eps,
            "gap": [gap, F(0)],
            "v": [F(k) * gap / 2 for k in range(-3, 4)] + [eps / 2, -eps],
            "u": [F(0), gap],
            "c": [F(1, 2), abs(eps) / gap],
            "x": lambda at: [at["c"] * (at["v"] - at["u"]), F(0)] if "c" in at else [at["v"], F(0)],
            "out": lambda at: compare(at["x"], at["eps"]),
            "size": (eps, gap),
        }


@adequate(
    "s7.1.comparisons",
    at=comparisons(),
    misses=[
        ("I[eps <= abs(v)]", "I[eps/2 <= abs(v)]"),
        ("gap <= abs(v - u)", "0 <= gap"),
        ("out = I[u <= v]", "out = I[u < v]"),
        ("out = I[0 <= x]", "out = I[0 < x]"),
    ],
)
def compared_exactly(v: Any) -> bool | None:
    """At multiples of the gap, scaled so that the gap becomes eps, and rounded."""
    eps, gap = v["size"]
    if eps <= 0:
        return None
    pairs = itertools.product([k * gap for k in range(-3, 4)], repeat=2)
    return all(compare(rounded(eps, eps / gap * (a - b)), eps) == [a > b, a >= b, a == b] for a, b in pairs)


# --- Section 8 --------------------------------------------------------------------------------------------------------


def programs() -> Iterator[dict[str, Any]]:
    """One component over three layers: what is added, and what it then is."""
    for added in itertools.product((0, 2, -1), repeat=3):
        for start in (0, 1):
            held = list(itertools.accumulate(added, initial=start))
            yield {
                "L": F(3),
                "n": F(1),
                "d": F(1),
                "f()": {(k, 1, 1): F(x) for k, x in enumerate(added, 1)},
                "z()": {(k, 1, 1): F(x) for k, x in enumerate(held)},
                "added": added,
                "held": held,
            }


@adequate(
    "s8.1.straight_line",
    at=programs(),
    misses=[
        ("-> f(l, i, a) = 0))", "-> true))"),
        ("all l in k..L. z(l, i, a) = f(k, i, a)", "all l in k - 1..L. z(l, i, a) = f(k, i, a)"),
        ("all l in 0..k - 1.", "all l in 0..k."),
    ],
)
def set_once(v: Any) -> bool | None:
    added, held = v["added"], v["held"]
    if any(x and before for x, before in zip(added, held, strict=False)):
        return None
    layers = [k for k, x in enumerate(added) if x]
    return not layers or (len(layers) == 1 and all(x == added[layers[0]] for x in held[layers[0] + 1 :]))


def attended(V: Any, alpha: Any, z: Any) -> list[list[F]]:
    """The rows of alpha over the values V z."""
    values = [product(V, row) for row in z]
    return [[sum((a * x[e] for a, x in zip(row, values, strict=True)), F(0)) for e in range(len(V))] for row in alpha]


def scores(Q: Any, K: Any, z: Any) -> list[list[F]]:
    queries, keys = [product(Q, row) for row in z], [product(K, row) for row in z]
    return [[sum((a * b for a, b in zip(q, k, strict=True)), F(0)) for k in keys] for q in queries]


def wider() -> Iterator[dict[str, Any]]:
    """Attention from R^d to R^e, padded with zeros, and with something else in the place of zeros."""
    for n, d, h, e, N in [(1, 1, 1, 1, 2), (2, 2, 1, 1, 3), (2, 1, 2, 3, 3), (2, 1, 1, 1, 1), (2, 2, 1, 1, 1)]:
        Q, K, V, z, alpha = matrix(h, d), matrix(h, d), matrix(e, d), matrix(n, N + 1), matrix(n, n)
        zeros = [F(0)] * max(0, N - d)
        P, keys = [[*row, *zeros] for row in Q], [[*row, *zeros] for row in K]
        U = [[*row, *zeros] for row in V] + [[F(0)] * max(N, d)] * max(0, N - e)
        yield {
            **{key: F(x) for key, x in zip("ndheN", (n, d, h, e, N), strict=True)},
            **{f"{key}()": table(x) for key, x in zip("QKVz", (Q, K, V, z), strict=True)},
            "alpha()": table(alpha),
            "P()": blotted(table(P)),
            "O()": blotted(table(keys)),
            "U()": [*blotted(table(U)), table(U) | {(1, N): F(1)}],
            "all": (Q, K, V, P, keys, U, [row[:N] for row in z], alpha, d, e, N),
        }


@adequate(
    "s8.2.dim_match_sa",
    at=wider(),
    misses=[
        ("P(a, l) = 0 & O(a, l) = 0", "P(a, l) = 0"),
        ("(e < a | d < l ->", "(e < a ->"),
        ("= sum(j, 1, n, alpha(i, j)*sum(l, 1, d, V(a, l)*z(j, l)))", "= sum(j, 1, n, sum(l, 1, d, V(a, l)*z(j, l)))"),
        ("all a in e + 1..N.", "all a in e..N."),
    ],
)
def attention_padded(v: Any) -> bool | None:
    Q, K, V, P, keys, U, z, alpha, d, e, N = v["all"]
    if d > N or e > N:
        return None
    short = [row[:d] for row in z]
    right = [[*row, *[F(0)] * (N - e)] for row in attended(V, alpha, short)]
    return scores(P, keys, z) == scores(Q, K, short) and attended(U, alpha, z) == right


def layer(f: Any, alpha: Any, z: Any) -> list[list[F]]:
    """Definition 2.2 for given weights: attention and network, each with its residual connection."""
    V, W, g, U, r = f
    c = [[x + y for x, y in zip(row, more, strict=True)] for row, more in zip(z, attended(V, alpha, z), strict=True)]
    out = []
    for row in c:
        hidden = [relu(x + b) for x, b in zip(product(W, row), g, strict=True)]
        out.append([x + y + b for x, y, b in zip(row, product(U, hidden), r, strict=True)])
    return out


def two_heads() -> Iterator[dict[str, Any]]:
    for n, d, e, h, o in [(1, 1, 1, 1, 1), (2, 1, 2, 1, 2), (2, 2, 1, 2, 1), (1, 1, 0, 1, 0), (2, 1, 1, 0, 1)]:
        first = (matrix(d, d), matrix(h, d), [number() for _ in range(h)], matrix(d, h), [number() for _ in range(d)])
        second = (matrix(e, e), matrix(o, e), [number() for _ in range(o)], matrix(e, o), [number() for _ in range(e)])
        alpha, omega, z = matrix(n, n), matrix(n, n), matrix(n, d + e)
        keys = [matrix(1, d), matrix(1, d), matrix(1, e), matrix(1, e)]
        (V, W, g, U, r), (M, X, s, Y, t) = first, second
        E = [[*row, *[F(0)] * e] for row in W] + [[*[F(0)] * d, *row] for row in X]
        G = [[*row, *[F(0)] * o] for row in U] + [[*[F(0)] * h, *row] for row in Y]
        both = [
            [*x[:d], *y[d:]]
            for x, y in zip(
                [[*a, *b[d:]] for a, b in zip(attended(V, alpha, [row[:d] for row in z]), z, strict=True)],
                [[*b[:d], *a] for a, b in zip(attended(M, omega, [row[d:] for row in z]), z, strict=True)],
                strict=True,
            )
        ]
        c = [[x + y for x, y in zip(row, more, strict=True)] for row, more in zip(z, both, strict=True)]
        y = []
        for row in c:
            hidden = [relu(x + b) for x, b in zip(product(E, row), g + s, strict=True)]
            y.append([x + u + b for x, u, b in zip(row, product(G, hidden), r + t, strict=True)])
        named = {"Q": keys[0], "K": keys[1], "P": keys[2], "O": keys[3], "V": V, "W": W, "U": U, "M": M, "X": X, "Y": Y}
        yield {
            **{key: F(x) for key, x in zip("ndehomf", (n, d, e, h, o, 1, 1), strict=True)},
            **{f"{key}()": Padded(table(x)) for key, x in named.items()},
            **{f"{key}()": Padded(column(x)) for key, x in {"g": g, "r": r, "s": s, "t": t}.items()},
            **{f"{key}()": Padded(table(x)) for key, x in {"alpha": alpha, "omega": omega, "z": z}.items()},
            "E()": blotted(table(E)),
            "F()": blotted(table(G)),
            "q()": blotted(column(g + s)),
            "p()": blotted(column(r + t)),
            "c()": blotted(table(c)),
            "y()": blotted(table(y)),
            "all": (first, second, alpha, omega, z, d, y),
        }


@adequate(
    "s8.3.multihead",
    at=two_heads(),
    misses=[
        ("omega, n, e, o, u v. z(u, d + v), i, a)", "alpha, n, e, o, u v. z(u, d + v), i, a)"),
        ("layered(V, W, g, U, r, alpha,", "layered(V, W, g, U, r, omega,"),
        ("scoreof(P, O, f, e, u v. z(u, d + v), i, j)", "scoreof(P, O, f, e, z, i, j)"),
    ],
)
def one_layer_does_both(v: Any) -> bool:
    first, second, alpha, omega, z, d, y = v["all"]
    top, bottom = layer(first, alpha, [row[:d] for row in z]), layer(second, omega, [row[d:] for row in z])
    return y == [[*a, *b] for a, b in zip(top, bottom, strict=True)]


# --- Section 9.1 ------------------------------------------------------------------------------------------------------

TYPED = tuple({"n": F(len(w)), "K": F(3), "w()": column(w), "b": [F(b) for b in range(1, 5)], "word": w} for w in SHORT)


@adequate(
    "s9.1.induct_type",
    at=TYPED,
    misses=[
        ("ex c in 1..K. inductright(w, i, c) &", "ex c in 1..K. c = w(i) &"),
        ("inductoften(w, 1, K, i, b) -> b = c", "mostfollowed(w, 1, K, i, b) -> b = c"),
        ("all b:Int. inductright(w, i, b) -> b = c", "all b:Int. b = c"),
    ],
)
def one_output(v: Any) -> bool | None:
    """What followed last, and what followed most often, is one of the letters at each place."""
    w = v["word"]
    if not w or max(w) > 3:
        return None
    return all({recent(w, i), often(w, i, (1, 2, 3))} <= {1, 2, 3} for i in range(len(w)))


EXAMPLES = [
    {"w()": letters(word), "c": [F(c) for c in range(6)], "word": word} for word in (PRINTED, MEANT, "ACABDACPDC")
]


@adequate(
    "s9.1.1.last_example",
    at=EXAMPLES,
    fixed=True,
    misses=[("all k in 7..9.", "all k in 6..9."), ("<-> c = 3", "<-> c = 2"), ("w(6) = w(10)", "w(7) = w(10)")],
)
def predicts_c(v: Any) -> bool | None:
    word = v["word"]
    last = word.rfind("A", 0, 9)
    return None if word != PRINTED else (last, word[9], word[last + 1]) == (5, "A", "C")


@adequate(
    "s9.1.2.counts_example",
    at=EXAMPLES,
    fixed=True,
    misses=[
        ("I[w(j) = w(10)]) = 3", "I[w(j) = w(10)]) = 4"),
        ("followed(w, 10, 2) = 1", "followed(w, 10, 2) = 2"),
        ("<-> c = 3", "<-> c <= 3"),
    ],
)
def counts_of_a(v: Any) -> bool | None:
    word = v["word"]
    pairs = ["".join(pair) for pair in itertools.pairwise(word)]
    return None if word != PRINTED else (word[:9].count("A"), pairs.count("AC"), pairs.count("AB")) == (3, 2, 1)


def matches(w: Sequence[int]) -> dict[tuple[int, int], F]:
    """The dot products of one-hot queries and of one-hot predecessors as keys."""
    return {(i + 1, j + 1): F(int(j > 0 and w[j - 1] == w[i])) for i in range(len(w)) for j in range(i + 1)}


def before() -> Iterator[dict[str, Any]]:
    for w in SHORT:
        hot = {(i + 1, a): F(int(i > 0 and w[i - 1] == a)) for i in range(len(w)) for a in (1, 2, 3)}
        lower = [x - 1 for x in w]
        yield {
            "n": F(len(w)),
            "K": F(3),
            "u()": column(w),
            "found()": blotted(hot),
            "mean()": blotted(hot),
            "w()": column(lower),
            **shown(heads_columns(lower)),
            "word": w,
            "hot": hot,
        }


@adequate(
    "s9.1.1.pred_rule",
    at=before(),
    misses=[
        (
            "-> (all i in 1..n. all a in 1..K. found(i, a) = I[2 <= i & u(i - 1) = a]",
            "-> (all i in 1..n. all a in 1..K. found(i, a) = I[u(i) = a]",
        ),
        ("before_D(i) = I[2 <= i & w(i - 1) = 3]", "before_D(i) = I[w(i) = 2]"),
        ("sum(j, 1, i - 1, hardmax(l. l/n, i - 1, j)*I[u(j) = a])", "mean(i, a)"),
    ],
)
def one_hot_before(v: Any) -> bool | None:
    """Both constructions put all weight on the place before, and none at the first."""
    w = v["word"]
    if not w or max(w) > 3:
        return None
    rows = [[0, 0, 0], *[[int(b == a) for a in (1, 2, 3)] for b in w[:-1]]]
    return all(v["hot"][i + 1, a] == rows[i][a - 1] for i in range(len(w)) for a in (1, 2, 3))


def hard_average(row: Sequence[F], values: Sequence[F]) -> F:
    best = [j for j, s in enumerate(row) if s == max(row)]
    return sum((values[j] for j in best), F(0)) / len(best)


def broken_ties() -> Iterator[dict[str, Any]]:
    """Over three symbols, and words of three over more of them."""
    more = [(K, w) for K in (25, 49, 100) for w in ((1, 2, 1), (1, 1, 1))]
    for K, w in [*((3, w) for w in SHORT), *more]:
        s = matches(w)
        found = {}
        for i in range(1, len(w) + 1):
            row = [s[i, j] - F(1, j) for j in range(1, i + 1)]
            found |= {(i, a): hard_average(row, [F(int(b == a)) for b in w[:i]]) for a in range(1, K + 1)}
        given = {"n": F(len(w)), "K": F(K), "u()": column(w), "s()": blotted(s), "found()": blotted(found)}
        run = by_term(w, 3, 1, None, "g_") | {"S": F(3), "g_beta": F(1), "w()": column(b - 1 for b in w)}
        yield given | run | {"word": w, "right": found}


BROKEN_TIES = tuple(broken_ties())


@adequate("s9.1.1.tiebreak", at=BROKEN_TIES, false=True)
def last_by_scores(v: Any) -> bool | None:
    """By squares of fractions: the last match, at p, is above each other place j where 1/sqrt(K) > 1/p - 1/j. With
    W^(Q) for the keys the place i itself is above all others, which is right where i = p and where nothing matches."""
    w, K = v["word"], int(v["K"])
    if not w or max(w) > K:
        return None
    for i in range(1, len(w) + 1):
        p = max((j for j in range(2, i + 1) if w[j - 2] == w[i - 1]), default=0)
        if p and any(F(1, K) <= (F(1, p) - F(1, j)) ** 2 for j in range(p + 1, i + 1)):
            return False
    return True


@adequate(
    "s9.1.1.tiebreak.corrected",
    at=BROKEN_TIES,
    misses=[
        ("hardmax(l. s(i, l) - 1/l, i, j) = rhardmax", "hardmax(l. s(i, l), i, j) = rhardmax"),
        ("all a in 1..K. found(i, a) = I[a = c]", "all a in 1..K. found(i, a) = I[a = u(i)]"),
        ("= rhardmax(l. s(i, l), i, j)", "= lhardmax(l. s(i, l), i, j)"),
        ("g_found(a, i) = I[a = c]", "g_found(a, i) = I[a = c - 1]"),
        ("inductright(w, i, c - 1)", "c - 1 = w(i)"),
    ],
)
def last_by_average(v: Any) -> bool | None:
    w = v["word"]
    if not w or max(w) > 3:
        return None
    return all(v["right"][i + 1, a] == int(recent(w, i) == a) for i in range(len(w)) for a in (1, 2, 3))


def softened() -> Iterator[dict[str, Any]]:
    for w in [(), (1,), (2, 1), (1, 1, 1), (1, 2, 1, 2, 1), (1, 2, 3, 1, 1), (1, 4)]:
        for N in (len(w), len(w) + 2):
            tau = 1 / CONTEXT.log(8 * N) if N else F(1)
            given = {"N": F(N), "n": F(len(w)), "K": F(3), "u()": column(w), "s()": blotted(matches(w))}
            run = by_term(w, 3, 0, None, "g_") | by_term(w, 3, 0, 1 / real(tau), "h_")
            run |= {"S": F(3), "g_beta": F(1), "h_beta": 1 / real(tau), "w()": column(b - 1 for b in w)}
            yield given | run | {"tau": [tau, tau * 3], "word": w, "most": N}


SOFTENED = tuple(softened())


@adequate("s9.1.1.soft_average", at=SOFTENED, false=True)
def softmax_of_scores_is_near(v: Any) -> bool | None:
    """With the factor 1/sqrt(3) of three symbols, by floats: the greatest distance of a row is not near 1/4."""
    w = v["word"]
    if not w or max(w) > 3:
        return None
    return farthest(w, log(8 * v["most"]) / 3**0.5) <= 1 / 4


def farthest(w: tuple[int, ...], gap: float) -> float:
    """The greatest distance of hard and soft weights, where a match has a score higher by `gap`."""
    worst = 0.0
    for i in range(len(w)):
        row = [int(j > 0 and w[j - 1] == w[i]) for j in range(i + 1)]
        weights = [exp(s * gap) for s in row]
        hard = [int(s == max(row)) / row.count(max(row)) for s in row]
        worst = max(worst, sum(abs(a - x / sum(weights)) for a, x in zip(hard, weights, strict=True)))
    return worst


@adequate(
    "s9.1.1.soft_average.corrected",
    at=SOFTENED,
    misses=[
        ("<= 1/4", "<= 1/40"),
        ("sm(l. s(i, l)/tau, i, j)", "sm(l. s(i, l), i, j)"),
        ("& tau = 1/log(8*N)", ""),
        ("abs(g_found(c, i) - h_found(c, i)) <= 1/4", "g_found(c, i) <= h_found(c, i)"),
    ],
)
def softmax_is_near(v: Any) -> bool | None:
    """By floats; the greatest distance of a row is well below 1/4."""
    w = v["word"]
    if not w or max(w) > 3:
        return None
    return farthest(w, log(8 * v["most"])) <= 1 / 4


def orders() -> Iterator[dict[str, Any]]:
    for w in [(), (1,), (1, 1), (1, 2, 1, 3, 1), (1, 2, 1, 3, 1, 3, 1), (2, 3, 2, 1, 2, 3)]:
        for ranks in [(1, 2, 3), (3, 2, 1), (2, 5, -1), (1, 1, 2)]:
            yield {"n": F(len(w)), "K": F(3), "w()": column(w), "r()": column(ranks), "word": w, "ranks": ranks}


@adequate(
    "s9.1.2.ties",
    at=orders(),
    misses=[
        ("& (all a in 1..K. all b in 1..K. r(a) = r(b) -> a = b)", ""),
        ("& r(b) <= r(d)))", "& b <= d))"),
        ("ex c in 1..K", "ex c in 2..K"),
    ],
)
def one_answer(v: Any) -> bool | None:
    """The first in the order of the most frequent followers is one letter."""
    w, ranks = v["word"], v["ranks"]
    if len(set(ranks)) < 3 or not w:
        return None
    found = []
    for i in range(len(w)):
        counts = follow_counts(w, i, (1, 2, 3))
        most = [a for a in (1, 2, 3) if counts[a] == max(counts.values())]
        found.append([a for a in most if all(ranks[a - 1] <= ranks[b - 1] for b in most)])
    return all(len(one) == 1 for one in found)


PAIRED = [column(w) for w in [(1, 2, 1), (3, 2, 1), (2, 1, 1)]]


def bigram_codes() -> Iterator[dict[str, Any]]:
    places = [F(i) for i in (1, 2, 3)]
    for v in BIGRAMS:
        kept = {k: e for k, e in v.items() if k not in ("c", "s", "t", "c()", "p()")}
        yield kept | {"u()": PAIRED, "v()": PAIRED, "i": places, "j": places, "l": places}


@adequate(
    "s9.1.2.bigram_rule",
    at=bigram_codes(),
    misses=[
        ("& I[2 <= i & u(i - 1) = a] = I[2 <= j & v(j - 1) = a]", ""),
        ("u(i - 1) = v(j - 1))", "u(i - 1) = v(j))"),
        ("before_B(i) = I[2 <= i & w(i - 1) = 1]", "before_B(i) = I[w(i) = 1]"),
        ("is_C(i) = I[w(i) = 2]", "is_C(i) = I[w(i) = 1]"),
    ],
)
def codes_tell(v: Any) -> bool:
    """The two vectors at a place tell symbol and predecessor; the model holds both."""
    w, held = v["word"], v["columns"]
    if max(w) > 3:
        return True
    codes = {}
    for i, b in enumerate(w):
        code = tuple(held[f"{name}_{x}"][i] for name in ("is", "before") for x in "ABCD")
        codes.setdefault(code, set()).add((b, w[i - 1] if i else None))
    return all(len(pairs) == 1 for pairs in codes.values())


def count_pairs() -> Iterator[dict[str, Any]]:
    for w in [(1,), (1, 2), (1, 1, 1), (1, 2, 1, 3), (1, 2, 1, 2, 1), (2, 1, 2, 2, 3)]:
        for i, (c, d) in itertools.product(range(len(w) + 1), itertools.product((1, 2), repeat=2)):
            counts = follow_counts(w, i - 1, (1, 2)) if i else {1: 0, 2: 0}
            for N in (len(w) - 1, len(w), 9):
                yield {
                    "N": F(N),
                    "i": F(i),
                    "w()": column(w),
                    "c": F(c),
                    "d": F(d),
                    "eps": [F(1, N or 1), F(2, N or 1)],
                    "x": F(counts[c] - counts[d], i or 1),
                    "out": lambda at: [compare(at["x"], at["eps"])[1], compare(at["x"], at["eps"])[1] + ODD],
                    "at": (i, N, counts[c], counts[d]),
                }


@adequate(
    "s9.1.2.comparison",
    at=count_pairs(),
    misses=[
        ("eps = 1/N", "eps = 2/N"),
        ("out = I[followed(w, i, d) <= followed(w, i, c)]", "out = I[followed(w, i, d) < followed(w, i, c)]"),
    ],
)
def which_count(v: Any) -> bool | None:
    i, N, c, d = v["at"]
    if not 1 <= i <= N:
        return None
    return compare(F(c - d, i), F(1, N))[1] == int(c >= d)


# --- Section 9.2 ------------------------------------------------------------------------------------------------------


def derives(w: Sequence[int]) -> bool:
    """S -> empty | (S)S, by trying each partner of the first bracket."""
    if not w:
        return True
    return w[0] == 0 and any(w[m] == 1 and derives(w[1:m]) and derives(w[m + 1 :]) for m in range(1, len(w)))


def derivations() -> Iterator[dict[str, Any]]:
    for w in [*words((0, 1), 0, 1, 2, 3, 4), (0, 0, 1, 0, 1, 1), (0, 1, 1, 0), (0, 2), (2,)]:
        n = len(w)
        g = {(i, j): F(int(derives(w[i - 1 : j]))) for i in range(1, n + 2) for j in range(i - 1, n + 1)}
        yield {"n": F(n), "w()": column([9, *w, 9], 0), "g()": [g, g | {(1, n): 1 - g[1, n]}], "word": w}


@adequate(
    "s9.2.grammar",
    at=derivations(),
    misses=[
        ("<-> dyck(w, n)", "<-> height(w, n) = 0"),
        ("<-> dyck(w, n)", "<-> all i in 1..n. 0 <= height(w, i)"),
        ("g(1, n) = 1", "g(1, n) = 0"),
    ],
)
def both_definitions(v: Any) -> bool | None:
    w = v["word"]
    if set(w) - {0, 1}:
        return None
    heights = list(itertools.accumulate(1 - 2 * x for x in w))
    return derives(w) == (all(b >= 0 for b in heights) and (not heights or heights[-1] == 0))


@adequate(
    "s9.2.1.scaled",
    at=word_instances(),
    misses=[
        ("(balance(i) = 0 <-> height(w, i) = 0)", "(balance(i) = 0 <-> height(w, i) <= 0)"),
        ("& balance(n) = 0)", ")"),
        ("(0 < balance(i) <->", "(0 <= balance(i) <->"),
    ],
)
def sign_is_kept(v: Any) -> bool | None:
    if not bracketed(v):
        return None
    word = v["word"]
    counts = [word[:i].count("(") - word[:i].count(")") for i in range(1, len(word) + 1)]
    means = [F(b, i) for i, b in enumerate(counts, 1)]
    signs = all((b > 0) == (x > 0) and (b < 0) == (x < 0) for b, x in zip(counts, means, strict=True))
    return signs and well_nested(word) == (min(means) >= 0 and means[-1] == 0)


def number_of(word: Sequence[int], eps: F) -> dict[str, list[F]]:
    """The two-layer network, then both zero tests with the tolerance eps and their conjunction."""
    balance = [F(b, i) for i, b in enumerate(itertools.accumulate(1 - 2 * x for x in word), 1)]
    error = [relu(-b) for b in balance]
    total = [sum(error[:i], F(0)) / i for i in range(1, len(word) + 1)]
    tests = [[compare(x, eps)[2] for x in row] for row in (total, balance)]
    return {
        "token": [F(1 - 2 * x) for x in word],
        "balance": balance,
        "error": error,
        "total": total,
        "unviolated": tests[0],
        "level": tests[1],
        "accepted": [min(x, y) for x, y in zip(*tests, strict=True)],
    }


def tolerances() -> Iterator[dict[str, Any]]:
    for eps in (F(-1), F(0), F(1, 4), F(1, 3), F(1, 2), F(1), F(7, 2)):
        m = 1 if eps <= 0 else -(-1 // eps)
        word = [0] * int(m + 1) + [1] * int(m)
        held = number_of(word, eps or F(1))
        yield {"eps": eps, "n": F(len(word)), "w()": column(word), **shown(held), "word": word, "held": held}


@adequate(
    "s9.2.1.length_bound",
    at=tolerances(),
    misses=[("accepted(n) != I[dyck(w, n)]", "accepted(n) = 1"), ("!= I[dyck(w, n)]", "!= accepted(n)")],
)
def too_long(v: Any) -> bool | None:
    """One opening bracket too many, in a word so long that its share is below the tolerance."""
    word = [1 - 2 * x for x in v["word"]]
    return None if v["eps"] <= 0 else v["held"]["accepted"][-1] != int(nested_by_stack(word, len(word)))


def active_bits() -> Iterator[dict[str, Any]]:
    for bits in [*words((0, 1), 1, 2, 3, 4), (0, 1, 0, 0, 1, 0)]:
        yield {"n": F(len(bits)), "a()": column(bits), "bits": bits}
    yield {"n": F(0), "a()": {}, "bits": ()}
    yield {"n": F(2), "a()": column((0, 2)), "bits": (0, 2)}


@adequate(
    "s9.2.2.hard_weightings",
    at=active_bits(),
    misses=[
        (
            "hardmax(l. l/n + a(l), m - 1, j) = lhardmax(l. l/n + a(l), m - 1, j))",
            "hardmax(l. a(l), m - 1, j) = lhardmax(l. a(l), m - 1, j))",
        ),
        (
            "hardmax(l. a(m + l) - (m + l)/n, n - m, j) = rhardmax(l. a(m + l) - (m + l)/n, n - m, j)",
            "hardmax(l. a(m + l), n - m, j) = rhardmax(l. a(m + l), n - m, j)",
        ),
    ],
)
def no_two_alike(v: Any) -> bool | None:
    """No score of Eq. (48), nor of its mirror image, comes twice."""
    bits = v["bits"]
    if not bits or set(bits) - {0, 1}:
        return None
    n = len(bits)
    return all(len({a + sign * F(j, n) for j, a in enumerate(bits)}) == n for sign in (1, -1))


def adjacent(w: Sequence[int], active: Sequence[int]) -> list[int]:
    """The active bits behind a pass that marks matching neighbours among the active ones."""
    left = [i for i, a in enumerate(active) if a]
    out = list(active)
    for i, j in itertools.pairwise(left):
        if (w[i], w[j]) == (0, 1):
            out[i] = out[j] = 0
    return out


def passes() -> Iterator[dict[str, Any]]:
    for word in ["((())())()", "(()())()", "()()()()", "(()())(("]:
        w = ["()".index(b) for b in word]
        first = adjacent(w, [1] * len(w))
        second = adjacent(w, first)
        more = [9] * (11 - len(w))
        given = {"w()": column([*w, *more]), "a()": blotted(column([*first, *more])), "word": word}
        yield given | {"b()": [column([*second, *more]), column([*first, *more])], "bits": (first, second)}


PASSES = tuple(passes())


@adequate("s9.2.2.passes_example", at=PASSES, false=True, fixed=True)
def passes_as_printed(v: Any) -> bool | None:
    """Six are marked, as printed, but four are left."""
    return None if v["word"] != "((())())()" else (v["bits"][0].count(0), v["bits"][0].count(1)) == (6, 2)


@adequate(
    "s9.2.2.passes_example.corrected",
    at=PASSES,
    fixed=True,
    misses=[
        ("I[i = 1] + I[i = 6])", "I[i = 1] + I[i = 5])"),
        ("neighbours(a, 1, 6)", "neighbours(a, 2, 6)"),
        ("& (all q in 1..8. all p in q + 1..8. neighbours(a, q, p) & w(q) = 0 & w(p) = 1 -> b(q) = 0 & b(p) = 0)", ""),
    ],
)
def passes_as_meant(v: Any) -> bool | None:
    if v["word"] != "(()())()":
        return None
    first, second = v["bits"]
    marked = "".join(b for b, a in zip(v["word"], first, strict=True) if not a)
    left = "".join(b for b, a in zip(v["word"], first, strict=True) if a)
    return (marked, left, second) == ("()()()", "()", [0] * 8)


@adequate(
    "s9.2.2.unmatched_example",
    at=DYCK12,
    misses=[("w(i + 1) = 0 ->", "w(i + 1) = 1 ->"), ("w(i - 1) = 1 &", "w(i - 1) = 0 &")],
)
def no_partner(v: Any) -> bool | None:
    """Between ) and ( neither bracket has a partner beside it."""
    w = v["word"]
    if set(w) - {0, 1}:
        return None
    kept = adjacent(w, [1] * len(w))
    return all(kept[i] for i in range(1, len(w) - 1) if (w[i - 1], w[i + 1]) == (1, 0))


def bump(x: F) -> F:
    return relu(x + 1) - 2 * relu(x) + relu(x - 1)


def distinguished() -> Iterator[dict[str, Any]]:
    for value in (F(0), F(2), F(-2), F(1, 2), F(-9, 10), F(7), F(1), F(-1)):
        apart = [abs(value + 1), abs(value - 1)]
        c = sum((1 / x for x in apart if x), F(1))
        yield {
            "v": value,
            "c": [F(1), c],
            "b": [F(0), c * (abs(value) + 2) + 1],
            "o": [F(1), F(-1), F(0)],
            "l": [F(1), F(-1), value],
            "r": [F(1), F(-1), value],
            "s": lambda at: [at["c"] * (at["r"] + 1) + at["b"] * (at["o"] - 1), ODD],
            "t": lambda at: [at["c"] * (at["l"] - 1) + at["b"] * (at["o"] + 1), ODD],
            "weights": (c, c * (abs(value) + 2) + 1),
        }


@adequate(
    "s9.2.2.boundary_value",
    at=distinguished(),
    misses=[
        ("- I[o = -1 & l = 1]", "- I[l = 1]"),
        ("ex c:Real, b:Real.", "ex c:Real, b:Real. b = 0 &"),
    ],
)
def handles_the_ends(v: Any) -> bool | None:
    value, (c, b) = v["v"], v["weights"]
    if abs(value) == 1:
        return None
    for o, left, right in itertools.product((1, -1), (1, -1, value), (1, -1, value)):
        bit = 1 - bump(c * (right + 1) + b * (o - 1)) - bump(c * (left - 1) + b * (o + 1))
        if bit != int((o, right) != (1, -1) and (o, left) != (-1, 1)):
            return False
    return True


def unit_rows(*at: int) -> dict[tuple[int, int], F]:
    return {(1, c): F(int(c in at)) for c in range(1, 7)}


def states_after() -> Iterator[dict[str, Any]]:
    """States behind the first step, with a sixth entry 1; some matrices with one row."""
    for w in [*words((0, 1), 1, 2, 3, 4), (0, 2)]:
        kept = adjacent(w, [1] * len(w))
        n = len(w)
        rows = [
            [F(1 - 2 * b), F(a), F(0), F(0), F(i, n), F(1)] for i, (b, a) in enumerate(zip(w, kept, strict=True), 1)
        ]
        yield {
            "m": F(1),
            "Q()": [unit_rows(6), unit_rows(5), unit_rows(2), unit_rows(1, 2)],
            "K()": [unit_rows(2, 5), unit_rows(2), unit_rows(5)],
            "n": F(n),
            "w()": column([9, *w, 9], 0),
            "x()": [{(c, i): e for i, row in enumerate(rows, 1) for c, e in enumerate(row, 1)}],
            "word": w,
            "rows": rows,
        }


STATES_AFTER = tuple(states_after())


def scored(rows: Sequence[Sequence[F]], q: Any, k: Any, size: int, factor: Any) -> bool:
    """Whether queries and keys of one row give the scores of Eq. (48), times what `factor` says of i."""
    queries = [sum(q[1, c] * row[c - 1] for c in range(1, size + 1)) for row in rows]
    keys = [sum(k[1, c] * row[c - 1] for c in range(1, size + 1)) for row in rows]
    n = len(rows)
    return all(queries[i] * keys[j] == factor(i + 1) * (F(j + 1, n) + rows[j][1]) for i in range(n) for j in range(i))


@adequate("s9.2.2.scores_linear", at=STATES_AFTER, false=True)
def linear_scores(v: Any) -> bool:
    """Of the matrices that are offered: of those with five entries none has a query that is 1 everywhere."""
    if set(v["word"]) - {0, 1}:
        return True  # no word of brackets, so that nothing is said
    return any(scored(v["rows"], q, k, 5, lambda _: 1) for q in v["Q()"] for k in v["K()"])


@adequate(
    "s9.2.2.scores_linear.corrected",
    at=STATES_AFTER,
    misses=[
        ("6, b)) = j/n + x(2, j))", "6, b)) = j/n + 2*x(2, j))"),
        ("= i/n*(j/n + x(2, j)))", "= j/n + x(2, j))"),
    ],
)
def scores_with_a_factor(v: Any) -> bool:
    rows = v["rows"]
    n = len(rows)
    return scored(rows, unit_rows(6), unit_rows(2, 5), 6, lambda _: 1) and scored(
        rows, unit_rows(5), unit_rows(2, 5), 5, lambda i: F(i, n)
    )


SECOND = tuple(v | SINGLE | {"u": [F(0), F(1)]} for v in DYCK12)


@adequate(
    "s9.2.2.step2_ffn",
    at=SECOND,
    misses=[
        ("u = a*(1 - I[(o = 1 & r = -1) | (o = -1 & l = 1)])", "u = 1 - I[(o = 1 & r = -1) | (o = -1 & l = 1)]"),
        ("z3_right(i) = -1)", "z3_right(i) = 1)"),
        ("z4_left(i) = 0", "z4_left(i) = z3_left(i)"),
        ("= z2_active(i)*(1", "= 1*(1"),
    ],
)
def second_round(v: Any) -> bool | None:
    """One network at all its values; then the model, from what its heads fetched."""
    for o, a, left, right in itertools.product((1, -1), (0, 1), (0, 1, -1), (0, 1, -1)):
        matched = (o, right) == (1, -1) or (o, left) == (-1, 1)
        if a - max(0, a + o - right - 2) - max(0, a + left - o - 2) != int(a and not matched):
            return False
    w, held = v["word"], v["columns"]
    if set(w) - {0, 1}:
        return True
    for i, token in enumerate(held["token"]):
        matched = (token, held["z3_right"][i]) == (1, -1) or (token, held["z3_left"][i]) == (-1, 1)
        if held["z4_active"][i] != int(held["z2_active"][i] and not matched):
            return False
    return True


def zero_checks() -> Iterator[dict[str, Any]]:
    for v in DYCK12:
        n = len(v["word"])
        mean = F(sum(v["columns"]["z4_active"]), n)
        for N in (n - 1, n, n + 2):
            yield v | {
                "N": F(N),
                "eps": [F(1, N or 1), F(2, N or 1)],
                "x": [mean, mean + ODD],
                "out": lambda at: [compare(at["x"], at["eps"])[2], F(9)],
                "most": N,
                "mean": mean,
            }


@adequate(
    "s9.2.2.zero_check",
    at=zero_checks(),
    misses=[
        ("1/n <= x)", "2/n <= x)"),
        ("(x = 0 <->", "(x <= 1 <->"),
        ("eps = 1/N", "eps = 2/N"),
        (
            "out = I[dyck(w, n) & all i in 1..n. height(w, i) <= 2]",
            "out = I[dyck(w, n) & all i in 1..n. height(w, i) <= 1]",
        ),
    ],
)
def checked_by_the_mean(v: Any) -> bool | None:
    w, mean = v["word"], v["mean"]
    if set(w) - {0, 1} or len(w) > v["most"]:
        return None
    member = nested_by_stack([1 - 2 * x for x in w], 2)
    return (mean == 0) == member and compare(mean, F(1, v["most"]))[2] == int(member) and not 0 < mean < F(1, len(w))


def kinds() -> Iterator[dict[str, Any]]:
    for k in (0, 1, 2, 3):
        values = [F(x) for x in range(-k, k + 1)]
        c = 2 * k + 1
        yield {
            "k": F(k),
            "c": [F(1), F(c)],
            "e": [F(0), F(4 * k + 1), F(c * 2 * k + c)],
            "o": values,
            "l": values,
            "r": values,
            "a": [F(0), F(1), F(2)],
            "weights": (c, c * 2 * k + c),
        }


@adequate(
    "s9.2.3.ffn",
    at=kinds(),
    misses=[
        ("(o < 0 & l = -o)", "(o < 0 & l = o)"),
        ("= a*(1 - I", "= 1*(1 - I"),
        ("c = 2*k + 1", "c = 1"),
        ("e = 2*k + 2*k*c + 1", "e = 0"),
        ("& bit(a)", ""),
    ],
)
def any_kinds(v: Any) -> bool | None:
    """The bumps of all kinds, at all brackets, neighbours and bits."""
    k, (c, e) = int(v["k"]), v["weights"]
    if k < 1:
        return None
    near = range(-k, k + 1)
    for o, left, right, a in itertools.product([x for x in near if x], near, near, (0, 1)):
        opened = sum(bump(F(o - t + c * (right + t) + e * (a - 1))) for t in range(1, k + 1))
        closed = sum(bump(F(o + t + c * (left - t) + e * (a - 1))) for t in range(1, k + 1))
        matched = (o > 0 and right == -o) or (o < 0 and left == -o)
        if a - opened - closed != int(a and not matched):
            return False
    return True


def generated(o: Sequence[int]) -> bool:
    """S -> empty | (_t S )_t S, by trying each partner of the first bracket."""
    if not o:
        return True
    return o[0] > 0 and any(o[m] == -o[0] and generated(o[1:m]) and generated(o[m + 1 :]) for m in range(1, len(o)))


def typed_derivations() -> Iterator[dict[str, Any]]:
    longer = [
        (1, 2, -2, -1),
        (1, 2, -1, -2),
        (1, 1, 1, -1, -1, -1),
        (2, 1, -1, 1, -1, -2),
        (1, -2, 2, -1),
        (1, -1, 2, -2),
    ]
    for o in [*words((1, -1, 2, -2), 0, 1, 2, 3), *longer, (2, -2, -1, 1), (0, 1), (3, -3)]:
        n = len(o)
        g = {(i, j): F(int(generated(o[i - 1 : j]))) for i in range(1, n + 2) for j in range(i - 1, n + 1)}
        yield {
            "n": F(n),
            "K": F(2),
            "o()": column(o),
            "g()": [g, g | {(1, n): 1 - g[1, n]}],
            "D": [F(D) for D in range(5)],
            "word": o,
        }


@adequate(
    "s9.2.3.grammar",
    at=typed_derivations(),
    misses=[
        (
            "nested(o, n, D)",
            "((all m in 1..n. 0 <= nestlevel(o, l. 1, m) & nestlevel(o, l. 1, m) <= D) & nestlevel(o, l. 1, n) = 0)",
        ),
        ("nested(o, n, D)", "nested(o, n, D + 1)"),
        ("g(1, n) = 1 & all m in 1..n. nestlevel(o, l. 1, m) <= D", "g(1, n) = 1"),
    ],
)
def well_nested_of_kinds(v: Any) -> bool | None:
    """By a stack of brackets: what is generated, and its part of each depth."""
    o = v["word"]
    if any(not 1 <= abs(b) <= 2 for b in o):
        return None
    height = max(itertools.accumulate((b > 0) - (b < 0) for b in o), default=0)
    whole = nested_by_stack(o, len(o))
    return whole == generated(o) and all(nested_by_stack(o, D) == (whole and height <= D) for D in range(5))
