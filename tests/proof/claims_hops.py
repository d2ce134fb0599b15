"""The k-hop induction head of Section 6 of Yang et al. 2026, followed hop by hop, beside formulas in soft attention."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from proof.adequacy import ODD, F, adequate, column
from proof.claims_programs import AND, BOTH_WAYS, LETTER, NOT, OR, PREVIOUS, SINCE, TABLES, Formula
from proof.claims_softmax import ahardmax, has_gap
from proof.paper import at_most, softmax
from proof.statement_truth import real

SHORT = ("op", "a", "l", "r")
"""The tables of a formula in the statement about formulas alone."""


def behind(word: Sequence[int], i: int) -> int:
    """The position after the last one before i with the symbol of i; 0 where there is none."""
    return max((j + 1 for j in range(1, i) if word[j - 1] == word[i - 1]), default=0)


def hop(word: Sequence[int], i: int, k: int) -> int:
    """Where k hops from i lead."""
    for _ in range(k):
        i = behind(word, i) if i else 0
    return i


def tower(size: int, k: int) -> tuple[Formula, list[int]]:
    """A formula, and its line for each symbol that k hops may lead to."""
    lines: list[tuple[int, int, int, int]] = []

    def put(op: int, left: int = 1, right: int = 1, letter: int = 0) -> int:
        lines.append((op, letter, left, right))
        return len(lines)

    letters = [put(LETTER, letter=b) for b in range(size)]
    here = letters
    after = [put(PREVIOUS, b) for b in letters]
    elsewhere = [put(NOT, b) for b in after]
    for _ in range(k):
        found = []
        for x in here:
            parts = [
                put(AND, q, put(SINCE, put(OR, v, x), put(AND, p, x)))
                for q, p, v in zip(letters, after, elsewhere, strict=True)
            ]
            whole = parts[0]
            for part in parts[1:]:
                whole = put(OR, whole, part)
            found.append(whole)
        here = found
    return Formula(tuple(lines)), here


def soft_runs(formula: Formula, words: Sequence[Sequence[int]], scaled: int) -> dict[str, Any]:
    """A formula and its run in the soft attention of Corollary 17 on each of some words, and one wrong last value."""
    lines = len(formula.lines)
    tables = {tuple(w): BOTH_WAYS.network(formula, w, scaled == 1) for w in words}
    known = [column(word) for word in words]

    def spelled(env: Any) -> tuple[int, ...]:
        return tuple(int(env["w"][i]) for i in range(1, int(env["n"]) + 1))

    def of(what: Any) -> Any:
        return lambda env: [column(what(spelled(env), i) for i in range(1, int(env["n"]) + 1))]

    def network(name: str) -> Any:
        def found(env: Any) -> list[Any]:
            right = tables[spelled(env)][name]
            return [right] if name != "c" else [right, right | {(lines, lines, 1): right[lines, lines, 1] + ODD}]

        return found

    hidden = ("c", "stop", "both", "since", "until", "evens", "odds", "after", "later")
    return {
        "scaled": F(scaled), "L": F(lines),
        **{f"{x}()": column(cells) for x, cells in zip(TABLES, zip(*formula.lines, strict=True), strict=True)},
        "n": sorted({F(len(w)) for w in words}),
        "w()": lambda env: [w for w in known if len(w) == env["n"]],
        "many()": of(lambda word, i: F(len(word) if scaled == 1 else 1)),
        "share()": of(lambda word, i: F(i, len(word))), "sign()": of(lambda word, i: F((-1) ** i)),
        "one()": of(lambda word, i: F(1)), "first()": of(lambda word, i: F(i == 1)),
        "seen()": of(lambda word, i: F(-sum((-1) ** j for j in range(1, i + 1)), i)),
        "ahead()": of(lambda word, i: F(-sum((-1) ** j for j in range(i, len(word) + 1)), len(word) - i + 1)),
        "last()": of(lambda word, i: F(i == len(word))),
        **{f"{x}()": network(x) for x in hidden},
        "words": words,
    }  # fmt: skip


def runs() -> Iterator[dict[str, Any]]:
    cases = [
        (1, 1, 0, [[0], [0, 0]]),
        (1, 2, 1, [[0, 0]]),
        (2, 1, 0, [[0, 1, 0], [1, 1]]),
        (0, 1, 0, [[0]]),
        (1, 1, 2, [[0]]),
    ]
    for size, k, scaled, words in cases:
        formula, ends = tower(max(size, 1), k)

        def each(env: Any, what: Any) -> list[Any]:
            return [what([int(env["w"][i]) for i in range(1, int(env["n"]) + 1)])]

        yield soft_runs(formula, words, scaled) | {
            "S": F(size), "K": F(k), "x": lambda env, ends=ends: [F(ends[int(env["b"])]), F(1)],
            "g()": lambda env, each=each: each(
                env, lambda word: {0: F(0)} | column(behind(word, i) for i in range(1, len(word) + 1))
            ),
            "h()": lambda env, each=each, k=k: each(
                env, lambda word: {(q, i): F(hop(word, i, q)) for q in range(k + 1) for i in range(len(word) + 1)}
            ),
        }  # fmt: skip


@adequate(
    "yang2026.s6.induction",
    at=runs(),
    misses=[
        ("I[1 <= h(K, i) & w(h(K, i)) = b]", "I[1 <= h(K, i)]"),
        ("w(h(K, i)) = b]", "w(i) = b]"),
        ("h(K, i) & w(h(K, i))", "h(K - 1, i) & w(h(K - 1, i))"),
        ("-> run(family-temporal)", "-> true"),
    ],
)
def hops_by_formulas(v: Any) -> bool | None:
    """The lines of the tower are true where the hops lead to their symbol, and there alone."""
    size, k = int(v["S"]), int(v["K"])
    if size < 1 or v["scaled"] not in (0, 1):
        return None
    formula, ends = tower(size, k)
    return all(
        formula.truths(word)[ends[b] - 1][i - 1] == (hop(word, i, k) > 0 and word[hop(word, i, k) - 1] == b)
        for word in v["words"]
        for b in range(size)
        for i in range(1, len(word) + 1)
    )


def depths(formula: Formula) -> list[int]:
    """How deep since and previous stand in each line."""
    done: list[int] = []
    for op, _, left, right in formula.lines:
        below = 0 if op == LETTER else max(done[left - 1], done[right - 1])
        done.append(below + (op in (SINCE, PREVIOUS)))
    return done


def defined() -> Iterator[dict[str, Any]]:
    for size, longest in ((1, 3), (2, 4), (3, 2), (0, 1)):
        formula, ends = tower(max(size, 1), 1)
        words = [w for n in range(1, longest + 1) for w in itertools.product(range(max(size, 1)), repeat=n)]

        def truths(env: Any, formula: Formula = formula) -> list[Any]:
            word = [int(env["w"][i]) for i in range(1, int(env["n"]) + 1)]
            rows = formula.truths(word)
            right = {(f, i): F(int(b)) for f, row in enumerate(rows, 1) for i, b in enumerate(row, 1)}
            return [right, right | {(len(rows), 1): 1 - right[len(rows), 1]}]

        yield {
            "S": F(size), "m": F(len(formula.lines)),
            **{f"{x}()": column(cells) for x, cells in zip(SHORT, zip(*formula.lines, strict=True), strict=True)},
            "d()": column(depths(formula)),
            "x": lambda env, ends=ends: [F(ends[int(env["c"])]), F(1)],
            "n": [F(n) for n in range(1, longest + 1)],
            "w()": lambda env, words=words: [column(w) for w in words if len(w) == env["n"]],
            "z()": truths, "words": words,
        }  # fmt: skip


@adequate(
    "yang2026.s6.induction_ltl",
    at=defined(),
    misses=[
        ("w(j + 1) = c", "w(j) = c"),
        ("all k in j + 1..i - 1. w(k) != w(i)", "all k in 1..j - 1. w(k) != w(i)"),
        ("d(x) <= 2", "d(x) <= 1"),
        ("& truths(op, a, l, r, z, m, w, n)", ""),
    ],
    fixed=True,
)
def task_by_formulas(v: Any) -> bool | None:
    """The task by its words: the rightmost place before with the same symbol, and the symbol behind it."""
    size = int(v["S"])
    if size < 1:
        return None
    formula, ends = tower(size, 1)

    def task(word: Sequence[int], i: int) -> int | None:
        places = [j for j in range(1, i) if word[j - 1] == word[i - 1]]
        return word[places[-1]] if places else None

    return all(
        formula.truths(word)[ends[c] - 1][i - 1] == (task(word, i) == c)
        for word in v["words"]
        for c in range(size)
        for i in range(1, len(word) + 1)
    )


FLIP_FLOP = Formula((
    (LETTER, 0, 1, 1), (LETTER, 3, 1, 1), (LETTER, 4, 1, 1), (OR, 0, 2, 3), (PREVIOUS, 0, 1, 1), (AND, 0, 4, 5),
))  # fmt: skip
"""A w and a bit: the flip-flop language up to length 2. The formula of the proof has 33 lines."""


def flip_flops() -> Iterator[dict[str, Any]]:
    words = [[0], [0, 3], [0, 4], [1, 3], [0, 1]]
    for size, scaled, some in ((5, 1, words[:2]), (5, 1, words[2:4]), (5, 1, words[3:]), (5, 0, words), (6, 1, words)):
        yield {"S": F(size), "m": [F(1), F(2)]} | soft_runs(FLIP_FLOP, some, scaled)


@adequate(
    "yang2026.s6.flipflop_smat",
    at=flip_flops(),
    misses=[
        ("scaled = 1 -> ex", "scaled <= 1 -> ex"),
        ("flipflop(w, n)", "flipflop(w, n) & w(n) != 4"),
        ("many(i) = n)", "many(i) = 2*n)"),
        ("n <= 2*(n*log(n))", "n <= n*log(n)"),
    ],
)
def flip_flops_by_softmax(v: Any) -> bool | None:
    """A w, then a bit: of two symbols no others are in the language, and of one none is. log 2 > 1/2."""
    if v["S"] != 5 or v["scaled"] != 1:
        return None
    return all(FLIP_FLOP.truths(word)[-1][-1] == (word in ([0, 3], [0, 4])) for word in v["words"])


Rows = list[list[F]]


def hop_layer(net: dict[str, Any], x: list[list[Any]], attend: Any) -> tuple[list[list[Any]], list[list[Any]]]:
    """What attention to the positions up to i leaves at i, and what the whole layer makes of it."""
    d = len(x[0])

    def product(matrix: Rows, z: list[Any]) -> list[Any]:
        return [sum(m * e for m, e in zip(row, z, strict=True)) for row in matrix]

    left, made = [], []
    for i, own in enumerate(x):
        alpha = attend(hop_scores(net, x, i))
        found = [product(net["V"], other) for other in x[: i + 1]]
        c = [sum(a * z[e] for a, z in zip(alpha, found, strict=True)) + own[e] for e in range(d)]
        units = [max(u + b, 0 * u) for u, b in zip(product(net["W"], c), net["b"], strict=True)]
        left.append(c)
        made.append([u + e for u, e in zip(product(net["U"], units), c, strict=True)])
    return left, made


def hop_scores(net: dict[str, Any], x: list[list[Any]], i: int) -> list[Any]:
    """Of the first coordinate alone, over the root of 1 or 4 coordinates."""
    return [net["score"] * x[i][0] * other[0] / (1 if len(x[0]) == 1 else 2) for other in x[: i + 1]]


def zeros(d: int) -> Rows:
    return [[F(0)] * d for _ in range(d)]


def nets() -> Iterator[tuple[int, int, int, dict[str, Any]]]:
    """Symbols, hops, the coordinate of the answer and a layer: the symbol itself; with one symbol all positions but the
    first, as a hop leads back to where it starts; of two symbols the mean of +1 and -1 up to position 2."""
    plain = {"V": zeros(1), "W": zeros(1), "b": [F(0)], "U": zeros(1), "score": 1}
    yield 2, 0, 1, plain | {"start": lambda e, i: [F(e)]}
    yield 1, 1, 1, plain | {"start": lambda e, i: [F(i > 1)]}
    yield 1, 2, 1, plain | {"start": lambda e, i: [F(i > 1)]}
    mean, units, writes = zeros(4), zeros(4), zeros(4)
    mean[1][0] = F(1)
    units[0][1], units[1][1], units[0][3], units[1][3] = F(1), F(-1), F(-1), F(-1)
    writes[2][0], writes[2][1] = F(1), F(2)
    yield 2, 1, 3, {
        "V": mean, "W": units, "b": [F(0)] * 4, "U": writes, "score": 0,
        "start": lambda e, i: [F(3 - 2 * e), F(0), F(0), F(i == 1)],
    }  # fmt: skip
    yield 0, 1, 1, plain | {"start": lambda e, i: [F(e)]}


def hop_words(size: int) -> list[tuple[int, ...]]:
    return [w for n in (1, 2) for w in itertools.product(range(1, size + 1), repeat=n)]


def cold_softmax(scores: list[Any]) -> list[Any]:
    return softmax([real(s) for s in scores])


def hop_nets() -> Iterator[dict[str, Any]]:
    for size, k, out, net in nets():
        start = net["start"]
        d = len(net["b"])
        query = {(1, a, e): F(net["score"] * (a == e == 1)) for a in range(1, d + 1) for e in range(1, d + 1)}

        def table(rows: Rows, d: int = d) -> dict[tuple[int, int, int], F]:
            return {(1, a, e): rows[a - 1][e - 1] for a in range(1, d + 1) for e in range(1, d + 1)}

        def spelled(env: Any) -> list[int]:
            return [int(env["w"][i]) for i in range(1, int(env["n"]) + 1)]

        def stream(env: Any, part: int, attend: Any, net: Any = net) -> list[Any]:
            x = [net["start"](e, i) for i, e in enumerate(spelled(env), 1)]
            left, made = hop_layer(net, x, attend)
            rows = {0: x, 1: made} if part else {1: left}
            return [{(t, a, i): z for t, r in rows.items() for i, v in enumerate(r, 1) for a, z in enumerate(v, 1)}]

        def ends(env: Any, k: int = k) -> list[Any]:
            word = spelled(env)
            right = {(q, i): F(hop(word, i, q)) for q in range(k + 1) for i in range(len(word) + 1)}
            return [right, right | {(k, 1): F(1 - right[k, 1])}]

        yield {
            "S": F(size), "K": F(k), "L": F(1), "d": F(d), "q": F(out),
            "Q()": query, "R()": {at: F(at[1] == at[2] == 1) for at in query},
            **{f"{name}()": table(net[name]) for name in "VWU"},
            "b()": {(1, a): x for a, x in enumerate(net["b"], 1)}, "f()": {(1, a): F(0) for a in range(1, d + 1)},
            "we()": {(e, a): z - start(1, 1)[a - 1] for e in (1, 2) for a, z in enumerate(start(e, 1), 1)},
            "pe()": [lambda n, i, a, start=start: start(1, int(i))[int(a) - 1]],
            "tau()": [lambda m: F(1)],
            "m": [F(1), F(2)], "n": [F(1), F(2)],
            "w()": lambda env, size=size: [{0: F(0)} | column(w) for w in hop_words(size) if len(w) == env["n"]],
            "g()": lambda env: [{0: F(0)} | column(behind(spelled(env), i) for i in range(1, int(env["n"]) + 1))],
            "y()": ends,
            **{x: lambda env, p=p, s=stream: s(env, p, ahardmax) for x, p in (("h()", 1), ("c()", 0))},
            **{x: lambda env, p=p, s=stream: s(env, p, cold_softmax) for x, p in (("v()", 1), ("u()", 0))},
            "is": net,
        }  # fmt: skip


@adequate(
    "yang2026.s6.khop_ahat",
    at=hop_nets(),
    misses=[
        ("h(L, q, i) = I[1 <= y(K, i)]*w(y(K, i))", "h(L, q, i) = w(i)"),
        ("& hops(w, n, g, y, K) ", ""),
        ("i, 1/n^2", "i, 5/n^2"),
        ("<= 1/4", "<= -1/4"),
        ("0 < tau(m)", "1 < tau(m)"),
    ],
)
def hops_by_ahat(v: Any) -> bool | None:
    """The net gives the symbol where the hops lead, or 0; gaps of 1/n^2; with softmax it is at most 1/4 away."""
    size, k, out, net = int(v["S"]), int(v["K"]), int(v["q"]), v["is"]
    if size < 1:
        return None
    for word in hop_words(size):
        x = [net["start"](e, i) for i, e in enumerate(word, 1)]
        hard, soft = (hop_layer(net, x, attend)[1] for attend in (ahardmax, cold_softmax))
        for i in range(1, len(word) + 1):
            place = hop(word, i, k)
            answer = word[place - 1] if place else 0
            near = at_most(abs(real(soft[i - 1][out - 1]) - answer), F(1, 4))
            if hard[i - 1][out - 1] != answer or not near:
                return False
            if not has_gap(hop_scores(net, x, i - 1), F(1, len(word) ** 2)):
                return False
    return True


def bracket_net() -> dict[str, Any]:
    """One type, up to two symbols: position 2 sees position 1 alone and is 1 where it is right and that is left."""
    found, units, writes = zeros(4), zeros(4), zeros(4)
    found[2][1] = F(1)
    units[0][2], units[0][1], units[0][0] = F(1), F(-1), F(-2)
    writes[3][0] = F(1)
    return {
        "V": found, "W": units, "b": [F(1), F(0), F(0), F(0)], "U": writes, "score": 1,
        "start": lambda e, i: [F(1, i), F(e == 1), F(0), F(0)],
    }  # fmt: skip


def well_formed(word: tuple[int, ...]) -> bool:
    """Brackets of one type, 1 and 2."""
    heights = [sum(3 - 2 * e for e in word[:m]) for m in range(len(word) + 1)]
    return min(heights) >= 0 and heights[-1] == 0


def bracket_nets() -> Iterator[dict[str, Any]]:
    net = bracket_net()
    start = net["start"]

    def spelled(env: Any) -> list[int]:
        return [int(env["w"][i]) for i in range(1, int(env["n"]) + 1)]

    def stream(env: Any, part: int, attend: Any, net: Any) -> list[Any]:
        x = [start(e, i) for i, e in enumerate(spelled(env), 1)]
        left, made = hop_layer(net, x, attend)
        rows = {0: x, 1: made} if part else {1: left}
        return [{(t, a, i): z for t, r in rows.items() for i, v in enumerate(r, 1) for a, z in enumerate(v, 1)}]

    def table(rows: Rows) -> dict[tuple[int, int, int], F]:
        return {(1, a, e): rows[a - 1][e - 1] for a in range(1, 5) for e in range(1, 5)}

    for kinds, score in ((1, 1), (1, 2), (1, 4), (0, 1)):
        net = bracket_net() | {"score": score}
        query = {(1, a, e): F(score * (a == e == 1)) for a in range(1, 5) for e in range(1, 5)}
        keys = {at: F(at[1] == at[2] == 1) for at in query}
        yield {
            "K": F(kinds), "L": F(1), "d": F(4), "q": F(4), "C": F(20), "N": F(2), "Q()": query, "R()": keys,
            **{f"{name}()": table(net[name]) for name in "VWU"},
            "b()": {(1, a): x for a, x in enumerate(net["b"], 1)}, "f()": {(1, a): F(0) for a in range(1, 5)},
            "we()": {(e, a): z - start(1, 1)[a - 1] for e in (1, 2) for a, z in enumerate(start(e, 1), 1)},
            "pe()": [lambda n, i, a: start(1, int(i))[int(a) - 1]],
            "tau()": [lambda m: F(1, 100)],
            "m": [F(1), F(2)], "n": [F(1), F(2)],
            "w()": lambda env: [{0: F(0)} | column(w) for w in hop_words(2) if len(w) == env["n"]],
            "o()": lambda env: [{0: F(0)} | column(3 - 2 * e for e in spelled(env))],
            **{x: lambda env, p=p, net=net: stream(env, p, ahardmax, net) for x, p in (("h()", 1), ("c()", 0))},
            **{x: lambda env, p=p, net=net: stream(env, p, very_cold, net) for x, p in (("v()", 1), ("u()", 0))},
            "is": net,
        }  # fmt: skip


def very_cold(scores: list[Any]) -> list[Any]:
    return softmax([real(100 * s) for s in scores])


@adequate(
    "yang2026.s6.dyck",
    at=bracket_nets(),
    misses=[
        ("h(L, q, i) = I[balanced(o, i)]", "h(L, q, i) = 0"),
        ("i, 1/n^3", "i, 5/n^3"),
        ("<= 1/4", "<= -1/4"),
        ("0 < tau(m)", "1 < tau(m)"),
        ("C*(n^3*log(n))", "C*log(n)"),
    ],
)
def brackets_by_ahat(v: Any) -> bool | None:
    """The net says of each prefix whether it is balanced; gaps of 1/n^3; with softmax it is at most 1/4 away."""
    kinds, out, net = int(v["K"]), int(v["q"]), v["is"]
    if kinds < 1:
        return None
    for word in hop_words(2):
        x = [net["start"](e, i) for i, e in enumerate(word, 1)]
        hard, soft = (hop_layer(net, x, attend)[1] for attend in (ahardmax, very_cold))
        for i in range(1, len(word) + 1):
            answer = int(well_formed(word[:i]))
            near = at_most(abs(real(soft[i - 1][out - 1]) - answer), F(1, 4))
            gap = has_gap(hop_scores(net, x, i - 1), F(1, len(word) ** 3))
            if hard[i - 1][out - 1] != answer or not near or not gap:
                return False
    return True
