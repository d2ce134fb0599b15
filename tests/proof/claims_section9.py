"""Claims of the Cookbook's Section 9 about constructions: rounds of matching, induction heads, the number of Dyck-1."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import exp, log
from typing import Any

from proof.adequacy import ODD, adequate, column
from proof.claims_induction import MEANT, PRINTED, letters
from proof.statement_truth import CONTEXT, real

F = Fraction


def words(symbols: Sequence[int], *lengths: int) -> Iterator[tuple[int, ...]]:
    for n in lengths:
        yield from itertools.product(symbols, repeat=n)


def relu(x: Fraction) -> Fraction:
    return max(x, F(0))


def shown(columns: dict[str, list[Any]]) -> dict[str, Any]:
    """Values at positions 1 to n for the functions of a statement."""
    return {f"{name}()": column(values) for name, values in columns.items()}


def nested_by_stack(word: Sequence[int], depth: int) -> bool:
    """Well nested over brackets t and -t, never more than `depth` open."""
    stack: list[int] = []
    for b in word:
        if b > 0:
            stack.append(b)
            if len(stack) > depth:
                return False
        elif not stack or stack.pop() != -b:
            return False
    return not stack


# --- Section 9.2.2 and 9.2.3: rounds of matching ----------------------------------------------------------------------


def fetched(o: Sequence[int], a: Sequence[int], i: int) -> tuple[int, int]:
    """The tokens at the greatest scores of Eq. (48) to the left and right of place i (from 0), 0 at the ends."""
    n = len(o)
    left = max(range(i), key=lambda j: F(j + 1, n) + a[j], default=None)
    right = max(range(i + 1, n), key=lambda j: a[j] - F(j + 1, n), default=None)
    return 0 if left is None else o[left], 0 if right is None else o[right]


def stays(o: int, a: int, left: int, right: int) -> int:
    """Eq. (49) for a place."""
    return int(a and not (o > 0 and right == -o) and not (o < 0 and left == -o))


def matching_columns(o: Sequence[int], rounds: int) -> dict[str, list[Any]]:
    """What a stored model of matching holds, from the text: rounds that fetch, test, mark and clear."""
    n = len(o)
    a = [1] * n
    out: dict[str, list[Any]] = {
        "token": list(o),
        "active": a,
        "share": [F(i + 1, n) for i in range(n)],
        "one": [1] * n,
    }
    for t in range(rounds):
        before, after = f"z{2 * t + 1}_" if t else "", f"z{2 * t + 2}_"
        seen = [fetched(o, a, i) for i in range(n)]
        out[f"{before}left"], out[f"{before}right"] = [x for x, _ in seen], [y for _, y in seen]
        out[f"{before}closes"] = [int(x == -t) for (x, _), t in zip(seen, o, strict=True)]
        out[f"{before}closed"] = [int(y == -t) for (_, y), t in zip(seen, o, strict=True)]
        out[f"{before}opening"] = [int(t > 0) for t in o]
        a = [stays(t, b, x, y) for t, b, (x, y) in zip(o, a, seen, strict=True)]
        out[f"{after}active"] = a
        out |= {f"{after}{name}": [0] * n for name in ("left", "right", "closes", "closed", "opening")}
    return out


def dyck12_columns(word: Sequence[int]) -> dict[str, list[Any]]:
    """The stored model dyck-1-2 on a word over 0 and 1."""
    return matching_columns([1 - 2 * x for x in word], 2)


def dyck12() -> Iterator[dict[str, Any]]:
    for w in [*words((0, 1), 1, 2, 3, 4), (0, 0, 1, 0, 1, 1), (0, 0, 0, 1, 1, 1), (0, 1, 1, 0, 0, 1), (0, 2), (5,)]:
        right = dyck12_columns(w)
        yield {"n": F(len(w)), "w()": column([9, *w, 9], 0), **shown(right), "word": w, "columns": right} | SINGLE


SINGLE: dict[str, Any] = {"o": [F(1), F(-1)], "l": [F(0), F(1), F(-1)], "r": [F(0), F(1), F(-1)]} | {
    "a": [F(0), F(1)],
    "b": [F(0)],
    "c": [F(0)],
}
DYCK12 = tuple(dyck12())


@adequate(
    "s9.2.2.accept",
    "t3.dyck12",
    at=DYCK12,
    misses=[("height(w, i) <= 2", "height(w, i) <= 1"), ("& all i in 1..n. height(w, i) <= 2", "")],
)
def two_deep(v: Any) -> bool | None:
    if set(v["word"]) - {0, 1}:
        return None
    return (not any(v["columns"]["z4_active"])) == nested_by_stack([1 - 2 * x for x in v["word"]], 2)


@adequate(
    "s9.2.2.step1_fetch",
    at=DYCK12,
    misses=[
        ("left(i) = I[2 <= i]*bracket(w(i - 1))", "left(i) = bracket(w(i))"),
        ("I[w(i) = 1 & 2 <= i & w(i - 1) = 0]", "I[w(i) = 1 & 2 <= i]"),
        ("I[o = 1 & r = -1]", "I[o = 1 & r = 1]"),
        ("z2_right(i) = 0", "z2_right(i) = right(i)"),
    ],
)
def first_round(v: Any) -> bool | None:
    """Eq. (46) and (47), and one feed-forward part that does so, at all its values."""
    w, held = v["word"], v["columns"]
    one_part = all(
        1 - max(0, o - r - 1) - max(0, left - o - 1) == int(not ((o, r) == (1, -1) or (o, left) == (-1, 1)))
        for o, left, r in itertools.product((1, -1), (0, 1, -1), (0, 1, -1))
    )
    if set(w) - {0, 1}:
        return one_part
    o = [1 - 2 * x for x in w]
    for i, token in enumerate(o):
        left, right = o[i - 1] if i else 0, o[i + 1] if i + 1 < len(o) else 0
        matched = (token, right) == (1, -1) or (token, left) == (-1, 1)
        if (held["left"][i], held["right"][i], held["z2_active"][i]) != (left, right, int(not matched)):
            return False
    return one_part


TYPED = (1, -1, 2, -2)
"""The tokens of the stored model dyck-k-d in the order of its vocabulary."""


def carried(columns: dict[str, list[Any]], depth: int) -> dict[str, Any]:
    """The same columns in the words of the family: round t is the first argument, what stands inside of it begins with
    z1. The tests of a round are cleared at its end."""
    out: dict[str, Any] = {f"g_{name}()": column(columns[name]) for name in ("token", "share", "one")}
    for name in ("active", "left", "right", "closes", "closed", "opening"):
        first = columns["active"] if name == "active" else [0] * len(columns["token"])
        ends = [first, *(columns[f"z{2 * t}_{name}"] for t in range(1, depth + 1))]
        out[f"g_{name}()"] = {(t, i): F(x) for t, row in enumerate(ends) for i, x in enumerate(row, 1)}
        if name != "active":
            inside = [columns[name], *(columns[f"z{2 * t - 1}_{name}"] for t in range(2, depth + 1))]
            out[f"g_z1_{name}()"] = {(t, i): F(x) for t, row in enumerate(inside, 1) for i, x in enumerate(row, 1)}
    return out


def rounds() -> Iterator[dict[str, Any]]:
    """Rounds by Eqs. (48) and (49) to several depths, with a run of a model of that depth on the same brackets."""
    longer = [(1, 2, -2, -1), (1, 2, -1, -2), (1, 1, 1, -1, -1, -1), (2, 1, -1, 1, -1, -2), (1, -2, 2, -1)]
    deep = [(2, 1, 1, 2, -2, -1, -1, -2), (1,) * 5 + (-1,) * 5]
    for o in [*words(TYPED, 1, 2, 3), *longer, *deep, (0, 1), (3, -3)]:
        n = len(o)
        for depth in (1, 2, 3):
            a = {(0, i + 1): F(1) for i in range(n)}
            left, right = {}, {}
            for t in range(1, depth + 1):
                held = [int(a[t - 1, i + 1]) for i in range(n)]
                for i in range(n):
                    x, y = fetched(o, held, i)
                    left[t, i + 1], right[t, i + 1] = F(x), F(y)
                    a[t, i + 1] = F(stays(o[i], held[i], x, y))
            yield {
                "n": F(n),
                "K": F(2),
                "D": F(depth),
                "o()": column(o),
                "A()": a,
                "L()": left,
                "R()": right,
                **carried(matching_columns(o, depth), depth),
                "w()": column(TYPED.index(b) if b in TYPED else 9 for b in o),
                "word": o,
                "depth": depth,
            }


@adequate(
    "s9.2.3.dyckkD_accept",
    at=rounds(),
    misses=[
        ("nested(o, n, D)", "nested(o, n, D - 1)"),
        ("nested(o, n, D)", "nestlevel(o, l. 1, n) = 0"),
        ("A(D, i) = 0", "A(D - 1, i) = 0"),
        ("n, D)", "n, D - 1)"),
        ("n, D)", "n, D + 1)"),
        ("c*I[w(l) = 2*c - 2]", "I[w(l) = 2*c - 2]"),
    ],
)
def any_depth(v: Any) -> bool | None:
    """The rounds leave nothing of exactly the words of the depth, those of the model too."""
    o = v["word"]
    if any(not 1 <= abs(b) <= 2 for b in o):
        return None
    last = [v["g_active()"][v["depth"], i] for i in range(1, len(o) + 1)]
    model = (not any(last)) == nested_by_stack(o, v["depth"])
    return model and all(v["A()"][v["depth"], i] == 0 for i in range(1, len(o) + 1)) == nested_by_stack(o, v["depth"])


# --- Section 9.2.1 ----------------------------------------------------------------------------------------------------


def zero_one() -> Iterator[dict[str, Any]]:
    for w in [*words((0, 1), 1, 2, 3, 4), (0, 1, 1, 0, 0, 1), (0, 2), (5,)]:
        o = [1 - 2 * x for x in w]
        counts = list(itertools.accumulate(o))
        side = [(b > 0) - (b < 0) for b in counts]
        violated = [int(s < 0) for s in side]
        some = [int(any(violated[: i + 1])) for i in range(len(w))]
        held = {
            "token": o,
            "one": [1] * len(w),
            "balance": [F(b, i) for i, b in enumerate(counts, 1)],
            "side": side,
            "violated": violated,
            "uneven": [abs(s) for s in side],
            "any": some,
            "accepted": [max(0, 1 - x - abs(s)) for x, s in zip(some, side, strict=True)],
        }
        yield {"n": F(len(w)), "w()": column(w), **shown(held), **AT_ZERO, "word": w, "number": held["accepted"][-1]}


def tent(x: Fraction, y: Fraction, z: Fraction) -> Fraction:
    """Two ReLUs, as EqZero has: right on all words of up to 4 brackets, with slopes of at most 4."""
    return relu(1 - 4 * x - 4 * abs(y)) + 0 * z


def level(x: Fraction, y: Fraction, z: Fraction) -> Fraction:
    return F(1)


def exact(x: Fraction, y: Fraction, z: Fraction) -> Fraction:
    """Right on all words, and not continuous at 0."""
    return F(int(x == y == 0))


OPEN_ENDS = [(0, 1, 0, 1, 0), (0, 0, 0, 1, 1), (1, 0, 1, 0, 0), (0, 0, 1, 1, 0)]
STEPS = [F(0), F(1, 40), F(-1, 40)]
AT_ZERO = {
    "f()": [tent, level, exact],
    "e": [F(0), F(1, 2), F(1)],
    "d": lambda env: [F(0), env["e"] / 8],
    **dict.fromkeys("xyz", STEPS),
    "m": [F(m) for m in range(6)],
    "v()": [column(v) for v in OPEN_ENDS],
}


def missed(f: Any) -> bool:
    """Whether f of t_n, B_n/n and 1/n gives another number than that of the language at some word."""
    for word in (v[:m] for v in OPEN_ENDS for m in range(1, 6)):
        counts = list(itertools.accumulate(1 - 2 * b for b in word))
        total = sum((relu(F(-b, i)) for i, b in enumerate(counts, 1)), F(0)) / len(word)
        member = nested_by_stack([1 - 2 * b for b in word], len(word))
        if f(total, F(counts[-1], len(word)), F(1, len(word))) != member:
            return True
    return False


ZERO_ONE = tuple(zero_one())


@adequate("s9.2.1.uniform_limit", at=ZERO_ONE, false=True)
def no_single_number(v: Any) -> bool | None:
    """As printed there is no such network; it fails at this one, wherever its number is that of the language."""
    word = [1 - 2 * x for x in v["word"]]
    return not (set(v["word"]) - {0, 1} or v["number"] == nested_by_stack(word, len(word)))


@adequate(
    "s9.2.1.uniform_limit.corrected",
    at=ZERO_ONE,
    misses=[
        ("I[dyck(w, n)]", "I[height(w, n) = 0]"),
        ("<-> dyck(w, n)", "<-> height(w, n) = 0"),
        ("accepted(n) =", "1 - accepted(n) ="),
        ("abs(y) < d &", "1 <= abs(y) &"),
        ("!= I[dyck(v, m)]", "!= f(0, 0, 0)"),
        ("1 <= m & brackets(v, m)", "1 <= m & m <= 4 & brackets(v, m)"),
        ("ex d:Real. 0 < d", "ex d:Real. 0 <= d"),
    ],
)
def a_single_number(v: Any) -> bool | None:
    beyond = missed(tent) and missed(level)  # not exact, which is not continuous
    word = [1 - 2 * x for x in v["word"]]
    return beyond and (bool(set(v["word"]) - {0, 1}) or v["number"] == nested_by_stack(word, len(word)))


def states() -> Iterator[dict[str, Any]]:
    """A state for the matrices, and a run of dyck-1 for the second part."""
    w = (0, 1, 1, 0)
    o = [1 - 2 * x for x in w]
    balance = [F(sum(o[:i]), i) for i in range(1, 5)]
    error = [relu(-b) for b in balance]
    run = {"token": o, "balance": balance, "error": error, "total": [sum(error[:i]) / i for i in range(1, 5)]}
    pairs = list(itertools.product(range(1, 5), repeat=2))
    for opened, level, row in itertools.product((F(1), F(-1)), (F(-1), F(0), F(1, 2)), (2, 3)):
        keep = {(a, b): F(int(a == 3 and b == row)) for a, b in pairs}
        held = [opened, level, F(0), F(0)]
        added = [F(0), F(0), relu(-held[row - 1]), F(0)]
        yield {
            "L()": keep,
            "R()": {(a, b): F(-int(a == b)) for a, b in pairs},
            "x()": column(held),
            "y()": [column(x + y for x, y in zip(held, added, strict=True)), column([9] * 4)],
            "n": F(4),
            "w()": column(w),
            **shown(run),
            "row": row,
            "state": held,
            "added": added,
        }


STATES = tuple(states())


@adequate("s9.2.1.ffn_error", at=STATES, false=True)
def keeps_the_third_row(v: Any) -> bool | None:
    return v["added"][2] == relu(-v["state"][1]) if v["row"] == 3 else None


@adequate(
    "s9.2.1.ffn_error.corrected",
    at=STATES,
    misses=[("y(3) = relu(-x(2))", "y(3) = relu(x(2))"), ("relu(-(height(w, i)/i))", "relu(height(w, i)/i)")],
)
def moves_the_second_row(v: Any) -> bool | None:
    """The second part is met at every instance."""
    return v["row"] == 3 or v["added"][2] == relu(-v["state"][1])


# --- Section 9.1 ------------------------------------------------------------------------------------------------------


def recent(w: Sequence[int], i: int) -> int:
    """What followed the last earlier occurrence of the symbol at place i (from 0); itself where there is none."""
    for j in range(i - 1, -1, -1):
        if w[j] == w[i]:
            return w[j + 1]
    return w[i]


def follow_counts(w: Sequence[int], i: int, alphabet: Iterable[int]) -> dict[int, int]:
    """How often each symbol has followed that of place i, up to it."""
    return {c: sum(w[j] == w[i] and w[j + 1] == c for j in range(i)) for c in alphabet}


def often(w: Sequence[int], i: int, alphabet: Sequence[int]) -> int:
    """What most often followed the symbol at place i, the first of several; itself where it did not occur before."""
    counts = follow_counts(w, i, alphabet)
    return max(alphabet, key=lambda c: (counts[c], -c)) if w[i] in w[:i] else w[i]


SHORT = [(), *words((1, 2, 3), 1, 2, 3), (1, 2, 1, 1), (1, 2, 1, 3, 1), (2, 2, 2, 1), (1, 4)]


NAMES = "ABCD"


def lettered(prefix: str, rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    return {f"{prefix}_{x}": list(row) for x, row in zip(NAMES, rows, strict=True)}


def heads_columns(w: Sequence[int]) -> dict[str, list[Any]]:
    """What the stored induction head holds on a word over 0 to 3, from the text."""
    hot = [[int(b == k) for b in w] for k in range(4)]
    found = [[int(recent(w, i) == k) for i in range(len(w))] for k in range(4)]
    return lettered("is", hot) | lettered("before", [[0, *row[:-1]] for row in hot]) | lettered("found", found)


def beside_heads(v: dict[str, Any]) -> dict[str, Any]:
    """An instance over the letters 1 to 3, as u, with runs on the letters below by 1, as w, of the stored head and of
    the family's over three letters."""
    w = [x - 1 for x in v["word"]]
    held = heads_columns(w)
    z = {(i + 1, j + 1): F(int(j > 0 and w[j - 1] == w[i])) for i in range(len(w)) for j in range(i + 1)}
    rows = {
        name: {(a + 1, i + 1): held[f"{name}_{x}"][i] for a, x in enumerate("ABC") for i in range(len(w))}
        for name in ("is", "before", "found")
    }
    return {
        **{("u()" if name == "w()" else name): e for name, e in v.items()},
        **shown(held),
        **{f"found_{x}()": [column(e := held[f"found_{x}"]), column(F(b) + ODD for b in e)] for x in "AD"},
        **{f"g_{name}()": [row, {key: x + ODD for key, x in row.items()}] for name, row in rows.items()},
        "w()": column(w),
        "z()": [z, {at: x + ODD for at, x in z.items()}],
        "S": F(3),
    }


def retrieved() -> Iterator[dict[str, Any]]:
    for w in SHORT:
        n = len(w)
        places = range(1, n + 1)
        s = {(i, j): F(int(j > 1 and w[j - 2] == w[i - 1])) for i in places for j in range(1, i + 1)}
        at = {i: max(range(1, i + 1), key=lambda j: (s[i, j], j)) for i in places}
        found = {(i, a): F(int(w[at[i] - 1] == a)) for i in places for a in (1, 2, 3)}
        given = {
            "n": F(n),
            "K": F(3),
            "w()": column(w),
            "s()": [s, {key: x + ODD for key, x in s.items()}],
            "found()": [found, {key: x + ODD for key, x in found.items()}],
            "word": w,
            "right": found,
        }
        yield beside_heads(given)


@adequate(
    "s9.1.1.retrieve_rule",
    at=retrieved(),
    misses=[
        ("found(i, a) = I[a = c]", "found(i, a) = I[a = u(i)]"),
        ("inductright(u, i, c) <->", "true <->"),
        ("inductright(w, i, c - 1)", "true"),
        ("g_found(a, i) = I[a = c]", "g_is(a, i) = I[a = c]"),
        ("-> run(family-induction-most-recent; ; g_)", ""),
    ],
)
def retrieves(v: Any) -> bool | None:
    w = v["word"]
    if not w or max(w) > 3:
        return None
    return all(v["right"][i + 1, a] == int(recent(w, i) == a) for i in range(len(w)) for a in (1, 2, 3))


def last_heads() -> Iterator[dict[str, Any]]:
    """Alphabets of one to four letters: entry a of each vector at position i."""
    for w in [*words((0, 1, 2, 3), 1, 2), *words((0, 3), 3), (0, 2, 0, 1, 0), (1, 2, 1, 1), (0, 4), (5,)]:
        n, held = len(w), heads_columns(w)
        for many in range(1, 5):
            rows = {
                name: {(a + 1, i + 1): held[f"{name}_{x}"][i] for a, x in enumerate(NAMES[:many]) for i in range(n)}
                for name in ("is", "before", "found")
            }
            shifted = {f"{name}()": [row, {key: x + ODD for key, x in row.items()}] for name, row in rows.items()}
            yield {"n": F(n), "S": F(many), "w()": column(w), **shifted, "word": w, "right": rows["found"]}


@adequate(
    "t3.induction",
    at=last_heads(),
    misses=[
        ("found(a, i) = I[a = c]", "found(a, i) = I[a = 1]"),
        ("inductright(w, i, c - 1)", "(2 <= i & c - 1 = w(i - 1))"),
        ("found(a, i) = I[a = c]", "found(a, i) = I[a <= c]"),
    ],
)
def last_follower(v: Any) -> bool | None:
    """The hypotheses leave no other values than these, so that those of the model are what the words say."""
    w = v["word"]
    return None if max(w) >= v["S"] else all(v["right"][recent(w, i) + 1, i + 1] == 1 for i in range(len(w)))


def by_term(word: Sequence[int], letters: int, term: int, beta: Any, prefix: str = "") -> dict[str, Any]:
    """What the two heads of an induction find over the letters 1 to `letters`, by scores less term/j: average-hard
    attention, or softmax of beta times the scores."""
    n, rows = len(word), range(1, letters + 1)
    found: dict[tuple[int, int], Any] = {}
    for i in range(1, n + 1):
        scores = [int(j > 1 and word[j - 2] == word[i - 1]) - F(term, j) for j in range(1, i + 1)]
        weights: list[Any] = [F(s == max(scores)) for s in scores]
        if beta is not None:
            weights = [CONTEXT.exp(beta * real(s)) for s in scores]
        for c in rows:
            found[c, i] = sum(x for x, b in zip(weights, word, strict=False) if b == c) / sum(weights)
    named = {
        "is": {(c, i): F(word[i - 1] == c) for c in rows for i in range(1, n + 1)},
        "one": column([1] * n),
        "inverse": column(F(1, i) for i in range(1, n + 1)),
        "before": {(c, i): F(i > 1 and word[i - 2] == c) for c in rows for i in range(1, n + 1)},
        "found": [found, {at: e + (ODD if beta is None else real(ODD)) for at, e in found.items()}],
    }
    return {f"{prefix}{name}()": entries for name, entries in named.items()} | {f"{prefix}term": F(term)}


def blends() -> Iterator[dict[str, Any]]:
    """One row by softmax, with tau = 1/log(8 N) and with 1/(N^2 log(8 N))."""
    for w in [(1,), (2, 1), (2, 1, 2), (1, 2, 1, 1), (1, 2, 1, 3, 1), (1, 4)]:
        i = len(w)
        for power in (0, 2):
            factor = i**power * CONTEXT.log(8 * i)
            scores = [(int(j > 0 and w[j - 1] == w[-1]) - CONTEXT.mpf(1) / (j + 1)) * factor for j in range(i)]
            weights = [CONTEXT.exp(x) for x in scores]
            found = {a: sum(x for x, b in zip(weights, w, strict=True) if b == a) / sum(weights) for a in (1, 2, 3)}
            run = by_term(w, 3, 1, i**2 * CONTEXT.log(8 * i))
            yield run | {
                "n": F(i),
                "S": F(3),
                "beta": i**2 * CONTEXT.log(8 * i),
                "N": F(i),
                "i": F(i),
                "K": F(3),
                "w()": lambda env, w=w: [column(b - 1 for b in w) if "n" in env else column(w)],
                "found()": lambda env, run=run, found=found: run["found()"] if "S" in env else [found],
                "power": power,
                "word": w,
            }


BLENDS = tuple(blends())


def largest_error(v: Any, power: int) -> float | None:
    """By floats: what the row retrieves against what followed last. At N = 1 both temperatures are one."""
    w = v["word"]
    if max(w) > 3 or (v["power"] != power and len(w) > 1):
        return None
    factor = len(w) ** power * log(8 * len(w))
    weights = [exp((int(j > 0 and w[j - 1] == w[-1]) - 1 / (j + 1)) * factor) for j in range(len(w))]
    right = recent(w, len(w) - 1)
    return max(
        abs(sum(x for x, b in zip(weights, w, strict=True) if b == a) / sum(weights) - (a == right)) for a in (1, 2, 3)
    )


@adequate("s9.1.1.soft", at=BLENDS, false=True)
def soft_as_printed(v: Any) -> bool | None:
    error = largest_error(v, 0)
    return None if error is None else error <= 1 / 4


@adequate("s9.1.1.soft.corrected", at=BLENDS, misses=[
    ("1/4", "1/10^9"),
    ("inductright(w, i, c)", "c = w(1)"),
    ("inductright(w, i, c - 1)", "c - 1 = w(1)"),
])  # fmt: skip
def soft_repaired(v: Any) -> bool | None:
    error = largest_error(v, 2)
    if error is None:  # the family's letters are three, and its beta is the right one
        return None if max(v["word"]) > 3 else True
    return error <= 1 / 4


OFTEN = tuple(
    {"n": F(len(w)), "K": F(3), "w()": column(w), "c": [F(c) for c in (1, 2, 3)], "word": w}
    for w in [w for w in SHORT if max(w, default=0) < 4]
)


def bigram_columns(w: Sequence[int]) -> dict[str, list[Any]]:
    """What the stored model holds, from the text of Section 9.1.2."""
    n = len(w)
    hot = [[int(b == k) for b in w] for k in range(4)]
    before = [[0, *row[:-1]] for row in hot]
    out: dict[str, list[Any]] = lettered("is", hot) | {"inverse": [F(1, i) for i in range(1, n + 1)]}
    out |= lettered("before", before)
    follows = [[F(0)] * n for _ in range(4)]
    for s, t in itertools.product(range(4), repeat=2):
        pair = [int(x and y) for x, y in zip(before[s], hot[t], strict=True)]
        count = [F(sum(pair[:i]), i) for i in range(1, n + 1)]
        out |= {f"pair_{s + 1}_{t + 1}": pair, f"count_{s + 1}_{t + 1}": count}
        follows[t] = [f + (c if b == s else 0) for f, c, b in zip(follows[t], count, w, strict=True)]
    none = [sum(f[i] for f in follows) for i in range(n)]
    score = [[follows[t][i] + relu(hot[t][i] + F(1, i + 1) - 1 - none[i]) for i in range(n)] for t in range(4)]
    return out | lettered("follows", follows) | lettered("score", score)


def bigrams() -> Iterator[dict[str, Any]]:
    for w in [*words((0, 1, 2, 3), 1, 2), *words((0, 3), 3), (0, 2, 0, 3, 0), (1, 1, 2, 1, 2, 1), (0, 4), (5,)]:
        held = bigram_columns(w)
        yield {"n": F(len(w)), "w()": column(w), **shown(held), "word": w, "columns": held} | {
            "K": F(3),
            "c": [F(k) for k in range(4)],
            "s": F(1),
            "t": F(2),
            "c()": [[F(0)] * 4, [F(0), F(0), F(1, 2), F(0)]],
            "p()": [[F(0), F(1), F(0), F(0)], [F(0), F(1, 2), F(0), F(0)], [F(0)] * 4],
        }


BIGRAMS = tuple(bigrams())


@adequate("s9.1.2.bigramcount", at=BIGRAMS, false=True)
def counted_by_a_value_matrix(v: Any) -> bool:
    """One matrix on [letter; letter before] whose mean is the count of 1 2 over i: of those offered."""
    w = v["word"]
    if min(w) < 1 or max(w) > 3:
        return True  # no word over these letters, so that nothing is said
    for c, p in itertools.product(v["c()"], v["p()"]):
        values = [c[b] + (p[a] if a else 0) for a, b in zip([0, *w], w, strict=False)]
        if all(sum(values[:i]) == list(itertools.pairwise(w[:i])).count((1, 2)) for i in range(1, len(w) + 1)):
            return True
    return False


@adequate(
    "s9.1.2.bigramcount.corrected",
    at=BIGRAMS,
    misses=[
        ("i*count_1_1(i) = sum(j, 2, i", "count_1_1(i) = sum(j, 2, i"),
        ("I[w(j - 1) = 3 & w(j) = 0]", "I[w(j - 1) = 0 & w(j) = 3]"),
    ],
)
def counts(v: Any) -> bool | None:
    w = v["word"]
    if max(w) > 3:
        return None
    return all(
        (i + 1) * v["columns"][f"count_{s + 1}_{t + 1}"][i] == list(itertools.pairwise(w[: i + 1])).count((s, t))
        for s, t in itertools.product(range(4), repeat=2)
        for i in range(len(w))
    )


@adequate("s9.1.2.select_rule", at=BIGRAMS, false=True)
def rule_as_printed(v: Any) -> bool | None:
    """The first of the greatest counts against the definition, over letters 1 to 3."""
    w = v["word"]
    if min(w) < 1 or max(w) > 3:
        return None
    for i in range(len(w)):
        found = follow_counts(w, i, (1, 2, 3))
        if min(c for c in found if found[c] == max(found.values())) != often(w, i, (1, 2, 3)):
            return False
    return True


@adequate(
    "s9.1.2.select_rule.corrected",
    at=BIGRAMS,
    misses=[
        ("inductoften(w, 0, 3, i, 0)", "mostfollowed(w, 0, 3, i, 0)"),
        ("inductoften(w, 0, 3, i, 2)", "inductright(w, i, 2)"),
        ("score_C(i) < score_D(i)", "score_C(i) <= score_D(i)"),
    ],
)
def rule_repaired(v: Any) -> bool | None:
    w = v["word"]
    if max(w) > 3:
        return None
    for i in range(len(w)):
        scores = [v["columns"][f"score_{x}"][i] for x in NAMES]
        if scores.index(max(scores)) != often(w, i, (0, 1, 2, 3)):
            return False
    return True


def answers() -> Iterator[dict[str, Any]]:
    right = "ACCBDBAAAC"
    for word, out in itertools.product(
        (PRINTED, MEANT, MEANT[:8] + "P" + MEANT[9:]), (right, right[:1] + "D" + right[2:], "ACCBDBAADC")
    ):
        yield {"w()": letters(word), "v()": letters(out), "word": word, "out": out}


ANSWERS = tuple(answers())


def as_words(v: Any, word: str) -> bool | None:
    if v["word"] != word or v["out"] != "ACCBDBAAAC":
        return None
    w = ["ABCDP".index(c) for c in word]
    return "".join("ABCDP"[often(w, i, range(5))] for i in range(len(w))) == v["out"]


FREQUENT_MISSES = [("v(2) = 3", "v(2) = 4"), ("w(9) = 3", "w(9) = 5")]


@adequate("s9.1.2.frequent_example", at=ANSWERS, false=True, fixed=True)
def frequent_printed(v: Any) -> bool | None:
    return as_words(v, PRINTED)


@adequate(
    "s9.1.2.frequent_example.corrected", "s9.1.2.retrieve_example", at=ANSWERS, misses=FREQUENT_MISSES, fixed=True
)
def frequent_meant(v: Any) -> bool | None:
    return as_words(v, MEANT)
