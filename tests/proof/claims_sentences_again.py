"""Claims of sentences that a whole reading of the papers found without a row or covered in part."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from proof.adequacy import adequate, column, wrong
from proof.claims_merrill import POINTS, ROWS, TABLE, TIES, attend, dot, near, one_sided, phi, same
from proof.statement_truth import CONTEXT, SLACK, at_most, real

F = Fraction


@adequate(
    "merrill2024.s3.1.scale",
    at=[
        {"x": x, "y": y, "t": t}
        for x in POINTS[:6]
        for y in POINTS[:4]
        for t in (F(2), F(1, 3), F(1000), F(1), F(0), F(-1))
    ],
    misses=[
        ("0 < t", "t != 0"),
        ("t*x, t*y", "t*x, y"),
        ("t*x, t*y", "x, t*y"),
        ("lnhash(x, y, c)", "t*lnhash(x, y, c)"),
    ],
)
def scale_invariant(v: Any) -> bool | None:
    x, y, t = v["x"], v["y"], v["t"]
    return same(phi(t * x, t * y), phi(x, y)) if t > 0 and (x or y) else None


UNITS = (
    [F(1)],
    [F(-1)],
    [F(3, 5), F(4, 5)],
    [F(4, 5), F(-3, 5)],
    [F(0), F(1)],
    [F(2, 3), F(-1, 3), F(2, 3)],
    [F(1, 2), F(1, 2), F(-1, 2), F(1, 2)],
    [F(1), F(1)],
    [F(0)],
)


@adequate(
    "merrill2024.appC.unit",
    at=[
        {"d": F(len(u)), "u()": column(u), "v()": column(v)}
        for u, v in itertools.product(UNITS, UNITS)
        if len(u) == len(v)
    ],
    misses=[
        ("u(c)*v(c)) <= 1", "u(c)*v(c)) <= 9/10"),
        ("u(c)*v(c)) <= 1", "u(c)*v(c)) < 1"),
        ("u(c)*v(c)) <= 1", "abs(u(c)*v(c))) <= 9/10"),
        ("u(c)*u(c)) = 1", "u(c)*v(c)) = 1"),
        ("sum(c, 1, d, v(c)^2) = 1", "sum(c, 1, d, v(c)^2) <= 2"),
    ],
)
def unit_vectors(v: Any) -> bool | None:
    a, b = ([v[name][c] for c in range(1, int(v["d"]) + 1)] for name in ("u()", "v()"))
    if sum(e * e for e in a) != 1 or sum(e * e for e in b) != 1:
        return None
    return sum(p * q for p, q in zip(a, b, strict=True)) <= 1


def short_heads() -> Iterator[dict[str, Any]]:
    """Sequences of positions with input tokens 1 to n; `first` is the product of the hashes of tokens i and j."""
    for n in (1, 2, 3):
        for tail in ([0], [1, 1], [0, 1], [2, 3], [-1, 0, -1], [3, 1, 2], [1, 2, 1]):
            h = {n + k: F(p) for k, p in enumerate(tail, 1)} | {k: F(9) for k in range(1, n + 1)}
            i = n + len(tail)
            for j in range(1, i + 1):
                yield {"n": F(n), "i": F(i), "j": F(j), "h()": h, "first": wrong(dot(hashed(n, h, i), hashed(n, h, j)))}


def hashed(n: int, h: Any, i: int) -> list[Any]:
    return phi(i if i <= n else h[i])


@adequate(
    "merrill2024.lemma3.terms",
    at=short_heads(),
    misses=[
        ("first - I[n < j]", "first + I[n < j]"),
        ("first <= 1", "first <= 9/10"),
        ("(j <= n & h(i) = j)", "(j < n & h(i) = j)"),
        ("(n < j & h(i) = h(j))", "(n < j & h(i) < h(j))"),
        ("(j <= n & h(i) = j)", "h(i) = j"),
    ],
)
def two_terms(v: Any) -> bool | None:
    n, i, j, h = int(v["n"]), int(v["i"]), int(v["j"]), v["h()"]
    if not (n < i and j < i):
        return None
    first = dot(hashed(n, h, i), hashed(n, h, j))
    match = h[i] == (j if j <= n else h[j])
    query, key = [*hashed(n, h, i), -1], [*hashed(n, h, j), int(n < j)]
    total = dot(query, key)
    return first <= 1 + SLACK and near(first, 1) == match and near(total, first - int(n < j))


def clipped() -> Iterator[dict[str, Any]]:
    """All vectors of -delta and delta with up to four entries, and some others, with their layer norm."""
    vectors = [list(v) for d in (1, 2, 3, 4) for v in itertools.product((-1, 1), repeat=d)]
    for delta in (F(1), F(1, 3), F(5)):
        for signs in [*vectors, [1, 0], [2, -2], [1, -1, 0]]:
            x = [delta * s for s in signs]
            mean = sum(x) / len(x)
            r = CONTEXT.sqrt(real(sum((e - mean) ** 2 for e in x) / len(x)))
            out = [(real(e) - real(mean)) / r for e in x] if r > SLACK else [real(F(0)) for _ in x]
            yield {
                "d": F(len(x)),
                "delta": delta,
                "x()": column(x),
                "out()": [dict(enumerate(out, 1))],
                "mu": wrong(mean),
                "r": wrong(r),
                "vector": (x, out, mean, delta),
            }


@adequate(
    "cookbook.s6.4.mean_needed",
    at=clipped(),
    misses=[
        ("<-> mu = 0", "<-> 0 <= mu"),
        ("out(k) = x(k)/delta) <->", "out(k) = -x(k)/delta) <->"),
        ("out(k) = x(k)/delta) <->", "out(k) = x(k)) <->"),
    ],
)
def needs_mean_zero(v: Any) -> bool | None:
    x, out, mean, delta = v["vector"]
    if any(abs(e) != delta for e in x) or len(set(x)) == 1:
        return None
    return all(near(a, 1 if e > 0 else -1) for a, e in zip(out, x, strict=True)) == (mean == 0)


def without_a_match() -> Iterator[dict[str, Any]]:
    """Positions of earlier tokens and of token i, inputs of length n, and all sets of tokens.

    With a constant tie-breaking term several tokens may be maximal."""
    walks = ([0, 1], [3, 0], [0, 1, 2], [1, -1, 0], [1, -1, 3, 0], [0, 2, 1], [0, 1, 0], [2, 2], [0, -1, -2, -3])
    for walk in walks:
        for n, ties in ((1, TIES), (2, TIES), (4, TIES), (1, dict.fromkeys(range(1, 12), F(1, 1000)))):
            i = len(walk)
            size = max(n, i - 1)
            subsets = [dict(enumerate(map(F, s), 1)) for s in itertools.product((0, 1), repeat=size)]
            fixed = {"f()": TABLE, "k": ROWS["k"], "picked()": subsets}
            yield {"h()": column(walk), "i": F(i), "g()": ties, "n": F(n), **fixed}


WITHOUT = list(without_a_match())


def returned(v: Any) -> tuple[list[int], list[int], bool]:
    """Positions, the maximal tokens, and whether the head returns the mean of their hashes."""
    i, h, g = int(v["i"]), v["h()"], v["g()"]
    keys = {j: phi(h[j] / j, F(1, j)) for j in range(1, i + 1)}
    scores = [dot(keys[i], keys[j]) - phi(g[j])[0] for j in range(1, i)]
    best, found = attend(scores, [keys[j] for j in range(1, i)])
    hashes = [phi(h[j + 1]) for j in best]
    mean = same(found, [sum(column_) / len(best) for column_ in zip(*hashes, strict=True)])
    return [int(p) for p in h.values()], [j + 1 for j in best], mean


@adequate("merrill2024.lemma6.backward", at=WITHOUT, false=True)
def mean_within_the_input(v: Any) -> bool | None:
    walk, best, mean = returned(v)
    met = v["g()"] == TIES and v["n"] < len(walk) and one_sided([F(p) for p in walk])
    if walk[-1] in walk[:-1] or not met:
        return None
    return mean and max(best) <= v["n"]


@adequate(
    "merrill2024.lemma6.backward.corrected",
    at=WITHOUT,
    misses=[
        ("unithash(h(j), 1, c))/sum", "unithash(h(j) + 1, 1, c))/sum"),
        ("/sum(j, 1, i - 1, picked(j))", ""),
        ("hardmax(l.", "sm(l."),
        ("1 <= sum(j, 1, i - 1, picked(j))", "2 <= sum(j, 1, i - 1, picked(j))"),
    ],
)
def mean_of_hashes(v: Any) -> bool | None:
    walk, _, mean = returned(v)
    return None if walk[-1] in walk[:-1] else mean


def pairs_of_tokens() -> Iterator[dict[str, Any]]:
    """Each earlier token, and token i itself, beside token i; `first` is the product of their hashes."""
    for walk in ([0, 1, 0], [3, 3], [0, -1, -1, 2], [1000, 1001, 1000]):
        i = len(walk)
        keys = [phi(F(p, j), F(1, j)) for j, p in enumerate(walk, 1)]
        for j in range(1, i + 1):
            first = wrong(dot(keys[i - 1], keys[j - 1]))
            yield {"h()": column(walk), "i": F(i), "j": F(j), "g()": TIES, "first": first}


@adequate(
    "merrill2024.lemma6.terms",
    at=pairs_of_tokens(),
    misses=[
        ("first + -unithash(g(j), 1, 1)", "first + unithash(g(j), 1, 1)"),
        ("first <= 1", "first < 1"),
        ("(first = 1 <-> h(i) = h(j))", "(first = 1 <-> h(i) <= h(j))"),
    ],
)
def two_terms_of_the_work_tape(v: Any) -> bool | None:
    """Query (phi_i, e_1) and key (phi_j, -psi_j), of eight entries, multiplied out."""
    i, j, h = int(v["i"]), int(v["j"]), v["h()"]
    if j >= i:
        return None
    here, there = phi(h[i] / i, F(1, i)), phi(h[j] / j, F(1, j))
    first, psi = dot(here, there), phi(v["g()"][j])
    total = dot([*here, 1, 0, 0, 0], [*there, *(-e for e in psi)])
    return near(total, first - psi[0]) and first <= 1 + SLACK and near(first, 1) == (h[i] == h[j])


@adequate(
    "merrill2024.lemma6.side",
    at=[
        {"h()": column(walk), "i": F(len(walk))}
        for n in (1, 2, 3)
        for walk in itertools.product((-1, 0, 1, 2), repeat=n)
    ],
    misses=[
        ("onesided(h, i) ->", "0 < 1 ->"),
        ("(all j in 1..i - 1. h(j) != h(i))", "0 < 1"),
        ("| (all j in 1..i - 1. h(i) < h(j))", ""),
    ],
)
def one_side(v: Any) -> bool | None:
    """A position that is none of those before it is below or above all of them, on a side that is fixed for all."""
    h = list(v["h()"].values())
    new = [(h[:m], h[m]) for m in range(1, len(h)) if h[m] not in h[:m]]
    fixed = all(max(old) < p for old, p in new) or all(p < min(old) for old, p in new)
    if len(h) < 2 or not fixed or h[-1] in h[:-1]:
        return None
    return h[-1] > max(h[:-1]) or h[-1] < min(h[:-1])


def counted() -> Iterator[dict[str, Any]]:
    """Predicates on 0 to n as bits; the lookup is right for positive counts, or not, and anything for the count 0."""
    for n in (0, 1, 2):
        for bits in itertools.product((0, 1), repeat=n + 1):
            for c in range(-1, n + 2):
                for looked in (0, 1, 2):
                    positive = int(c > 0)
                    out = max(looked + positive - 1, 0) + max(bits[0] - positive, 0)
                    yield {
                        "n": F(n),
                        "c": F(c),
                        "theta()": column([*bits, 0, 0], 0),
                        "test": [F(positive), F(1 - positive)],
                        "looked": F(looked),
                        "out": [F(out), F(out + 1)],
                    }


@adequate(
    "yang2026.thm20.theta_zero",
    at=counted(),
    misses=[
        ("relu(theta(0) - test)", "relu(theta(0))"),
        ("relu(looked + test - 1)", "relu(looked)"),
        ("0 < c -> looked", "1 < c -> looked"),
        ("-> out = theta(c)", "-> out = theta(0)"),
    ],
)
def zero_count(v: Any) -> bool | None:
    """The value of the predicate, by cases: at a count of 0 it is theta(0), elsewhere what was looked up."""
    n, c, theta, looked = int(v["n"]), int(v["c"]), v["theta()"], v["looked"]
    if not 0 <= c <= n or looked not in (0, 1) or (c > 0 and looked != theta[c]):
        return None
    return (theta[0] if c == 0 else looked) == theta[c]


HALF = F(1, 2)
MOVES = [
    {
        "h": [F(h) for h in positions],
        "i": [F(i) for i in steps],
        "d": [F(d) for d in moves],
        "a": [F(0), HALF, F(1)],
        "b": [F(0), HALF, F(1)],
        "c": [F(0), HALF, F(1)],
        "e": [F(0), -HALF, F(-1)],
        "f": [F(0), F(1)],
        "g": F(0),
    }
    for positions in ([0], [-2, 0, 3])
    for steps in ([1], [2], [1, 2], [2, 5, 9])
    for moves in ([1], [-1], [1, -1], [1, 0], [1, 0, -1])
]
"""Positions, steps and moves, and the weights that an affine map may have."""


@adequate("merrill2024.thm2.linear", at=MOVES, false=True)
def affine_choice(v: Any) -> bool:
    """One move, or one step (where h/i is read and 1/i is a number of the map), can be had; not both moves at two. The
    printed step has no move 0."""
    return len([move for move in v["d"] if move]) == 1 or len(v["i"]) == 1


@adequate(
    "merrill2024.thm2.linear.corrected",
    at=MOVES,
    misses=[
        ("relu((h + 1)/i", "((h + 1)/i"),
        ("- 2*I[d != 1])", "- I[d != 1])"),
        ("- 2*I[d != 1])", "- 2*I[d = -1])"),
        (" + relu(1/i - I[d != 0])", ""),
    ],
)
def two_units(v: Any) -> bool:
    return all(
        (h - 1) / i + max(F(0), 2 / i - 2 * (d != 1)) + max(F(0), 1 / i - (d != 0)) == (h + d) / i
        for h in v["h"]
        for i in v["i"]
        for d in v["d"]
    )


PIECES = [
    {name: F(value) for name, value in zip("abuxvyz", values, strict=True)}
    | {
        "P": [F(2), F(3)],
        "rounded()": [column(r) for r in ((values[5], values[6], a * x + b), (values[5], values[6], 9))],
    }
    for a, b in ((2, 1), (F(1, 3), 0), (-1, 2), (0, 3))
    for u, x, v in ((0, 1, 2), (-3, 0, F(1, 2)), (1, 1, 2), (0, 2, 2), (2, 1, 0))
    for values in ((a, b, u, x, v, a * u + b, a * v + b), (a, b, u, x, v, a * u + b, a * v + b + 1))
]
"""Lines at three points, right values and a wrong one; ranges with nothing between these, and with the value at x."""


@adequate(
    "yang2026.lemma27.affine",
    at=PIECES,
    misses=[
        ("y < a*x + b", "y + 1 < a*x + b"),
        ("a*x + b < z", "a*x + b < y"),
        ("u < x & x < v", "u <= x & x < v"),
        ("u < x & x < v", "u < x & x <= v"),
        ("rounded(k) <= y | z <= rounded(k)", "rounded(k) <= z"),
        ("~(ex k in 1..P. rounded(k) = a*x + b)", "~(ex k in 1..P. rounded(k) = a*u + b)"),
    ],
)
def between(v: Any) -> bool | None:
    """The value of an affine map between two points lies between those at the points, so in no range without a gap."""
    low, high = v["a"] * v["u"] + v["b"], v["a"] * v["v"] + v["b"]
    if not v["u"] < v["x"] < v["v"] or (v["y"], v["z"]) != (low, high) or low >= high:
        return None
    found = v["a"] * v["x"] + v["b"]
    consecutive = (r for r in ({low, high}, {low, high, F(9)}) if not any(low < y < high for y in r))
    return low < found < high and all(found not in r for r in consecutive)


SIDES = [
    {"m": F(len(k)), "q": F(q), "k()": column(k)}
    for q in (-3, 0, 1, 4)
    for k in ([], [2], [-1], [0, 2], [2, 3], [-5, -4], [5, 7, 9], [-9, -4, -4], [-1, 9, 9])
]


def first_of_the_mean(v: Any) -> tuple[bool, Any, Any] | None:
    """Whether all k_j are below q, with the first entries of the mean of their hashes and of the hash of q."""
    m, q, k = int(v["m"]), v["q"], list(v["k()"].values())
    below, above = all(a < q for a in k), all(a > q for a in k)
    return (below, CONTEXT.fsum(phi(a)[0] for a in k) / m, phi(q)[0]) if m >= 1 and (below or above) else None


@adequate("merrill2024.lemma5.mean", at=SIDES, false=True)
def mean_below(v: Any) -> bool | None:
    """As printed: below, on either side."""
    found = first_of_the_mean(v)
    return found and found[1] < found[2]


@adequate(
    "merrill2024.lemma5.mean.corrected",
    at=SIDES,
    misses=[
        ("(all j in 1..m. k(j) < q)", "(ex j in 1..m. k(j) < q)"),
        ("(all j in 1..m. q < k(j))", "(ex j in 1..m. q < k(j))"),
        ("lnhash(q, 1, 1) < sum", "lnhash(q, 1, 1) + 1/2 < sum"),
        ("/m < lnhash(q, 1, 1))", " < lnhash(q, 1, 1))"),
    ],
)
def mean_on_one_side(v: Any) -> bool | None:
    found = first_of_the_mean(v)
    if found is None:
        return None
    below, mean, own = found
    return mean < own if below else mean > own


LENGTHS = range(1, 41)


def factors() -> Iterator[dict[str, Any]]:
    """Scales c(n), and gaps that some of them reach at every length; scores of one sign or two, some above 1."""

    def scores(names: Any) -> list[dict[int, F]]:
        n = int(names["n"])
        pairs = ((1, 0), (-1, 0), (1, -1), (-1, 1), (2, -2))
        return [{j: F(top if j == 1 else low) for j in range(1, n + 1)} for top, low in pairs]

    scales = (
        lambda n: F(n),
        lambda n: CONTEXT.log(n),
        lambda n: -CONTEXT.log(n) / 2,
        lambda n: CONTEXT.log(n) / 4,
        lambda n: F(3),
        lambda n: F(0),
    )
    for scale in scales:
        for gap in (F(1, 10), F(1, 2), F(9, 10), F(-1)):
            fixed = {"kappa": [F(1, 10), F(-1)], "n": [F(n) for n in LENGTHS], "s()": scores}
            yield {"gap": gap, "c()": {n: scale(n) for n in LENGTHS}, **fixed}


FACTORS = list(factors())


def reached(v: Any) -> bool:
    """Whether scores between -1 and 1 give the first position the weight `gap` at every length."""
    rest = {n: CONTEXT.exp(-2 * abs(real(c))) * (n - 1) for n, c in v["c()"].items()}
    return v["gap"] > 0 and all(at_most(real(v["gap"]) * (1 + r), real(F(1))) for r in rest.values())


@adequate("yang2026.s4.3.factor", at=FACTORS, false=True)
def linear_factor(v: Any) -> bool | None:
    return all(at_most(real(F(n, 10)), abs(real(v["c()"][n]))) for n in LENGTHS) if reached(v) else None


@adequate(
    "yang2026.s4.3.factor.corrected",
    at=FACTORS,
    misses=[
        ("(log(n) + log(gap))/2", "log(n) + log(gap)"),
        ("abs(s(j)) <= 1", "abs(s(j)) <= 2"),
        ("1/2 <= sm(l. log(n)*I[l = 1]", "3/5 <= sm(l. log(n)*I[l = 1]"),
        ("sm(l. log(n)*I[l = 1]", "sm(l. log(n)/2*I[l = 1]"),
        ("gap <= sm(", "gap/9 <= sm("),
    ],
)
def logarithmic_factor(v: Any) -> bool | None:
    if not reached(v):
        return None
    needed = all(at_most(CONTEXT.log(real(v["gap"] * n)) / 2, abs(real(v["c()"][n]))) for n in LENGTHS)
    return needed and all(at_most(F(1, 2), F(n, 2 * n - 1)) for n in LENGTHS)


def one_letter(weights: tuple[int, ...], layers: int, strict: bool) -> dict[str, dict[tuple[int, ...], F]]:
    """a and aa through layers of one entry and one hidden unit, its activations before and after the hidden unit."""
    start, value, read, bias, write, shift = map(F, weights)
    z: dict[tuple[int, ...], F] = {}
    a: dict[tuple[int, ...], F] = {}
    for n in (1, 2):
        row = [start] * n
        z |= {(n, 0, 1, i): start for i in range(1, n + 1)}
        for layer in range(layers):
            seen = [F(0), *row[:-1]] if strict else row
            middle = [x + value * y for x, y in zip(row, seen, strict=True)]
            row = [x + write * max(F(0), read * x + bias) + shift for x in middle]
            a |= {(n, layer, 1, i): x for i, x in enumerate(middle, 1)}
            z |= {(n, layer + 1, 1, i): x for i, x in enumerate(row, 1)}
    return {"z()": z, "a()": a}


NETWORKS = (((1, 1, 0, 0, 0, 0), 1), ((2, -1, 1, 0, 1, 1), 1), ((-1, 3, -1, 1, 2, 0), 2), ((1, 2, 1, -1, 1, -2), 2))


def words_of_one_letter() -> Iterator[dict[str, Any]]:
    """Networks, with what becomes of a and aa where a position sees itself and where it does not."""
    for weights, layers in NETWORKS:
        start, value, read, bias, write, shift = map(F, weights)
        runs = [one_letter(weights, layers, strict) for strict in (False, True)]
        below, words = range(layers), [(n, i) for n in (1, 2) for i in range(1, n + 1)]
        heads = [{(n, layer, i): F(p(i)) for n, i in words for layer in below} for p in (int, lambda i: max(1, i - 1))]
        single = {"V()": value, "W()": read, "U()": write}
        yield {
            **{name: dict.fromkeys(((layer, 1, 1) for layer in below), x) for name, x in single.items()},
            **{name: dict.fromkeys(((layer, 1) for layer in below), x) for name, x in (("b()", bias), ("u()", shift))},
            **{name: [run[name] for run in runs] for name in ("z()", "a()")},
            "L": F(layers),
            "d": F(1),
            "m": F(1),
            "e()": {1: start},
            "p()": heads,
            "n": [F(1), F(2)],
            "i": [F(1), F(2)],
            "l": [F(layer) for layer in below],
            "network": (weights, layers),
        }


WORDS = list(words_of_one_letter())


def told_apart(v: Any, strict: bool) -> bool:
    weights, layers = v["network"]
    last = one_letter(weights, layers, strict)["z()"]
    return last[1, layers, 1, 1] != last[2, layers, 1, 2]


@adequate("yang2026.s4.3.uhat_masks", at=WORDS, false=True)
def masks_that_see_themselves(v: Any) -> bool | None:
    return told_apart(v, strict=False)


@adequate(
    "yang2026.s4.3.uhat_masks.corrected",
    at=WORDS,
    misses=[
        ("p(n, l, i) <= i - 1", "p(n, l, i) <= 0"),
        ("z(1, L, c, 1) != z(2, L, c, 2)", "z(1, L, c, 1) != z(2, L, c, 1)"),
        ("I[1 < i]", "I[0 < i]"),
        ("+ u(l, c)", "- u(l, c) + 1"),
    ],
)
def strict_masks(v: Any) -> bool | None:
    return told_apart(v, strict=True)
