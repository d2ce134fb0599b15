"""Adequacy of the theorems about formulas that count: Definition 19 read off the paper, and the network by hand.

Nothing of symcook is used.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from proof.adequacy import ODD, adequate, column
from proof.claims_programs import AND, LETTER, NOT, OR, bend, rounded
from proof.paper import softmax
from proof.statement_truth import real

F = Fraction
POSITION, LEFT, RIGHT, MORE = 8, 9, 10, 11
"""A predicate of the position, of a count to the left, to the right; a sum of counts that is greater than a number."""


class Line(NamedTuple):
    op: int
    letter: int = 0
    left: int = 1
    right: int = 1
    predicate: Callable[[int, int], int] = lambda n, k: 0
    lefts: Mapping[int, int] = MappingProxyType({})
    rights: Mapping[int, int] = MappingProxyType({})
    bound: int = 0


def odd(n: int, k: int) -> int:
    return k % 2


def mixed(n: int, k: int) -> int:
    return (n + k * k) % 3 % 2


def truths(lines: Sequence[Line], word: Sequence[int]) -> list[list[bool]]:
    """Of each line at each position."""
    n, done = len(word), list[list[bool]]()
    for line in lines:
        x, y = (done[k - 1] if k <= len(done) else [False] * n for k in (line.left, line.right))

        def value(i: int, line: Line = line, x: list[bool] = x, y: list[bool] = y) -> bool:
            before = [sum(row[: i + 1]) for row in done]
            behind = [sum(row[i:]) for row in done]
            if line.op == MORE:
                total = sum(a * before[k - 1] for k, a in line.lefts.items())
                return total + sum(a * behind[k - 1] for k, a in line.rights.items()) > line.bound
            return bool(
                {
                    LETTER: lambda: word[i] == line.letter,
                    NOT: lambda: not x[i],
                    AND: lambda: x[i] and y[i],
                    OR: lambda: x[i] or y[i],
                    POSITION: lambda: line.predicate(n, i + 1),
                    LEFT: lambda: line.predicate(n, before[line.left - 1]),
                    RIGHT: lambda: line.predicate(n, behind[line.left - 1]),
                }[line.op]()
            )

        done.append([value(i) for i in range(n)])
    return done


def formulas(right: bool) -> Iterator[tuple[Line, ...]]:
    rng = random.Random(f"formulas that count {right}")
    a, b = Line(LETTER, 0), Line(LETTER, 1)
    yield (
        a,
        Line(MORE, lefts={1: 1}, rights={1: -1} if right else {}),
        Line(RIGHT if right else LEFT, left=2, predicate=odd),
    )
    yield (a, b, Line(MORE, lefts={1: 1, 2: -2}, bound=-1))
    yield (a, Line(LEFT, left=1, predicate=odd), Line(POSITION, predicate=mixed), Line(AND, left=2, right=3))
    for _ in range(14):
        lines = [rng.choice([a, b, Line(POSITION, predicate=mixed)])]
        while len(lines) < 4 and (len(lines) < 2 or rng.random() < 0.8):
            k = len(lines)
            op: int = rng.choice([NOT, AND, OR, LETTER, LEFT, MORE, MORE, *([RIGHT, RIGHT] if right else [])])
            some = {e: rng.choice([-2, -1, 1, 2]) for e in range(1, k + 1) if rng.random() < 0.7}
            others = {e: rng.choice([-1, 1]) for e in range(1, k + 1) if right and rng.random() < 0.5}
            sides = rng.randint(1, k), rng.randint(1, k)
            lines.append(Line(op, rng.randrange(2), *sides, rng.choice([odd, mixed]), some, others, rng.randint(-1, 1)))
        yield tuple(lines)


def network(lines: Sequence[Line], word: Sequence[int], right: bool, sure: int) -> dict[str, dict[Any, Any]]:
    """A round a line: lookups of its predicate, its bit, its shares, its counts. Names as in the family; the scores are
    those of Theorem 20 over the temperature, for the number of other positions and one more."""
    n, many = len(word), range(1, len(lines) + 1)
    places = range(1, n + 1)
    sides = [
        ("left", "lcount", "below", "above", LEFT),
        *([("right", "rcount", "rbelow", "rabove", RIGHT)] if right else []),
    ]
    names = ["c", *(x for s, *rest, _ in sides for x in (f"{s}mean", f"{s}less", *rest))]
    out: dict[str, dict[Any, Any]] = {x: {(0, f, i): F(0) for f in many for i in places} for x in names}

    def looked(i: int, others: Any, width: int, seen: range, factor: int, value: Callable[[int], Any]) -> Any:
        steep = F(3 * factor * (n if right else i), width)
        weights = softmax([real(steep * (2 * (others + 1) * j - j * j)) for j in seen])
        return sum(p * real(value(j)) for p, j in zip(weights, seen, strict=True))

    for (f, line), i in itertools.product(enumerate(lines, 1), places):
        out["c"][0, f, i] = F(
            (line.op == LETTER and word[i - 1] == line.letter) or (line.op == POSITION and line.predicate(n, i))
        )
    for t, line in enumerate(lines, 1):
        for x in out.values():
            x.update({(t, f, i): x[t - 1, f, i] for f in many for i in places})
        c = {(e, i): out["c"][t - 1, e, i] for e in many for i in places}
        for i in places:
            a, b = c[line.left, i], c[line.right, i]
            for s, _, low, high, op in sides:
                width = i if s == "left" else n - i + 1
                seen = range(1, i + 1) if s == "left" else places
                if line.op == op:
                    others = out[f"{s}less"][t, line.left, i] * width
                    out[low][t, t, i] = looked(i, others, width, seen, 1, lambda j, line=line: line.predicate(n, j - 1))
                    out[high][t, t, i] = looked(i, others, width, seen, 1, lambda j, line=line: line.predicate(n, j))
                    out["c"][t, t, i] += rounded(out[high][t, t, i] + real(a - 1)) + rounded(
                        out[low][t, t, i] - real(a)
                    )
            if line.op == MORE:
                total = real(-line.bound)
                for factors, cnt in ((line.lefts, "lcount"), (line.rights, "rcount")):
                    total += sum(
                        (real(p) * (real(out[cnt][t, e, i]) + real(c[e, i])) for e, p in factors.items()), real(0)
                    )
                out["c"][t, t, i] += rounded(total)
            out["c"][t, t, i] += {NOT: bend(1 - a), AND: bend(a + b - 1), OR: bend(a + b) - bend(a + b - 1)}.get(
                line.op, 0
            )
        own = [out["c"][t, t, i] for i in places]
        for s, cnt, *_ in sides:
            for i in places:
                width = i if s == "left" else n - i + 1
                mean = sum(own[:i] if s == "left" else own[i - 1 :]) / F(width)
                less = bend(mean) - bend(own[i - 1] + F(1, width) - 1)
                out[f"{s}mean"][t, t, i], out[f"{s}less"][t, t, i] = mean, less
                seen = range(1, i + 1) if s == "left" else places
                out[cnt][t, t, i] = looked(i, less * width, width, seen, sure, lambda j: j - 1)
    return out


def runs(right: bool) -> Iterator[dict[str, Any]]:
    rng = random.Random(f"runs of formulas that count {right}")
    for number, lines in enumerate(formulas(right)):
        many = len(lines)
        word = [rng.randrange(2) for _ in range(1 + number % 3)]
        n = len(word)
        longest, scaled = n + number % 2, number % 2
        pairs = list(itertools.product(range(1, many + 1), repeat=2))
        sure = max(1, *(sum(map(abs, [*one.lefts.values(), *one.rights.values()])) for one in lines), 1)
        factor = n if right and scaled else 1
        places = range(1, n + 1)
        theta = {
            (f, m * (longest + 1) + k): F(line.predicate(m, k) if m else 0)
            for f, line in enumerate(lines, 1)
            for m in range(longest + 1)
            for k in range(longest + 1)
        }
        good = {
            "n": F(n), "w()": column(word), "L": F(many), "S": F(2), "N": F(longest), "Lambda": F(sure),
            "op()": column(one.op for one in lines), "letter()": column(one.letter for one in lines),
            "left()": column(one.left for one in lines), "right()": column(one.right for one in lines),
            "theta()": theta, "bound()": column(one.bound for one in lines),
            "lam()": {(f, e): F(lines[f - 1].lefts.get(e, 0)) for f, e in pairs},
            "inv()": column(F(1, i) for i in places), "pos()": column(places),
            "key()": column(i * factor for i in places), "sq()": column(i * i * factor for i in places),
            "one()": column(F(1) for _ in places),
            "here()": {(f, i): F(one.predicate(n, i)) for f, one in enumerate(lines, 1) for i in places},
            "prior()": {(f, i): F(one.predicate(n, i - 1)) for f, one in enumerate(lines, 1) for i in places},
            **{f"{x}()": table for x, table in network(lines, word, right, sure).items()},
            "lines": lines, "word": word, "right": True,
        }  # fmt: skip
        if right:
            good |= {"scaled": F(scaled), "back()": column(F(1, n - i + 1) for i in places),
                     "rho()": {(f, e): F(lines[f - 1].rights.get(e, 0)) for f, e in pairs}}  # fmt: skip
        yield good
        changed = dict(good["c()"])
        changed[many, many, 1] += ODD
        yield good | {"c()": changed, "right": False}
        if number < 4:
            yield good | {"N": F(n - 1), "right": False}
            yield good | {"Lambda": F(0), "right": False}
            yield good | {"w()": column([2] * n), "right": False}


def misses(family: str) -> list[tuple[str, str]]:
    return [
        ("f i. c(L, f, i)", "f i. c(L - 1, f, i)"),
        ("theta, N, lam", "theta, N - 1, lam"),
        ("op, letter", "op, left"),
        (f"-> run(family-{family})", "-> true"),
    ]


@adequate("yang2026.thm20", at=runs(True), misses=[*misses("counting"), ("lam, rho", "rho, lam")])
def every_formula_that_counts(v: Any) -> bool | None:
    """The last coordinates are the truths of the lines, at each position."""
    if not v["right"]:
        return None
    last = len(v["lines"])
    return all(
        abs(real(v["c()"][last, f, i] - int(truth))) < real(F(1, 10**40))
        for f, row in enumerate(truths(v["lines"], v["word"]), 1)
        for i, truth in enumerate(row, 1)
    )


class Masked(NamedTuple):
    """A transformer of two coordinates with one future-masked head and one unit a layer; weights are those of each."""

    embed: tuple[tuple[int, int], tuple[int, int]]
    places: tuple[tuple[int, int], tuple[int, int]]
    query: tuple[int, int]
    key: tuple[int, int]
    value: tuple[int, int]  # into the second coordinate
    read: tuple[int, int]
    offset: int
    write: int  # into the second coordinate
    layers: int


MASKED = (
    Masked(((0, 0), (0, 1)), ((0, 0), (0, 0)), (0, 0), (0, 0), (0, 0), (0, 0), 0, 0, 0),  # the symbol itself
    Masked(((1, 0), (1, 1)), ((0, 1), (0, 0)), (1, 0), (0, 2), (0, 1), (0, -1), 1, 2, 1),
    Masked(((0, 1), (1, 0)), ((2, 0), (1, 1)), (1, -1), (1, 1), (-1, 1), (1, 0), -1, -1, 2),
)


def future_masked(net: Masked, power: int) -> tuple[dict[str, Any], list[list[Any]]]:
    """What the network at tau(i) = 1/i^power computes on 00 and 01, and its second coordinate at the end."""
    z, a, ends = dict[Any, Any](), dict[Any, Any](), list[list[Any]]()
    for x in (0, 1):
        rows = [
            [real(e + p) for e, p in zip(net.embed[s], place, strict=True)]
            for s, place in zip((0, x), net.places, strict=True)
        ]
        for layer in range(net.layers + 1):
            z |= {(x, layer, e, i): row[e - 1] for i, row in enumerate(rows, 1) for e in (1, 2)}
            if layer == net.layers:
                break
            middle = list[list[Any]]()
            for i, row in enumerate(rows, 1):
                weights = softmax([dot(net.query, row) * dot(net.key, seen) * i**power for seen in rows[:i]])
                found = sum(p * dot(net.value, seen) for p, seen in zip(weights, rows, strict=False))
                middle.append([row[0], row[1] + found])
            a |= {(x, layer, e, i): row[e - 1] for i, row in enumerate(middle, 1) for e in (1, 2)}
            rows = [[p, q + net.write * max(real(0), dot(net.read, (p, q)) + net.offset)] for p, q in middle]
        ends.append([row[1] for row in rows])
    return {"z()": z, "a()": a}, ends


def dot(weights: Sequence[int], vector: Sequence[Any]) -> Any:
    return sum((w * real(x) for w, x in zip(weights, vector, strict=True)), real(0))


def with_networks(given: Iterator[dict[str, Any]], power: int) -> Iterator[dict[str, Any]]:
    """Runs of formulas, each beside one of the networks; a fourth is no run: it is 1 where the formula is true."""
    found = [(net, *future_masked(net, power)) for net in MASKED]
    net, run, _ = found[0]
    found.append((net, run | {"z()": run["z()"] | {(1, 0, 2, 1): F(1)}}, [[0, 0], [0, 1]]))
    for one, (net, run, ends) in zip(given, itertools.cycle(found), strict=False):
        layers = range(net.layers)
        yield one | run | {
            "D": F(net.layers), "d": F(2), "k": F(1), "m": F(1), "g": F(2), "ends": ends,
            "E()": {(s, e): F(net.embed[s][e - 1]) for s in (0, 1) for e in (1, 2)},
            "P()": {(e, i): F(net.places[i - 1][e - 1]) for i in (1, 2) for e in (1, 2)},
            "Q()": {(q, 1, e): F(net.query[e - 1]) for q in layers for e in (1, 2)},
            "K()": {(q, 1, e): F(net.key[e - 1]) for q in layers for e in (1, 2)},
            "V()": {(q, e, f): F(net.value[f - 1] * (e == 2)) for q in layers for e in (1, 2) for f in (1, 2)},
            "W()": {(q, 1, e): F(net.read[e - 1]) for q in layers for e in (1, 2)},
            "b()": {(q, 1): F(net.offset) for q in layers},
            "U()": {(q, e, 1): F(net.write * (e == 2)) for q in layers for e in (1, 2)},
            "u()": {(q, e): F(0) for q in layers for e in (1, 2)},
        }  # fmt: skip


PAST = list(with_networks(runs(False), 1))


@adequate("yang2026.thm21", at=PAST, false=True)
def a_mask_and_the_count_behind_it(v: Any) -> bool | None:
    """Whether the network has at each position of 00 and 01 if a 1 is there or later."""
    return all(
        abs(real(found) - any(word[i:])) < real(F(1, 10**40))
        for word, ends in zip(((0, 0), (0, 1)), v["ends"], strict=True)
        for i, found in enumerate(ends)
    )


@adequate("yang2026.thm21.corrected", at=PAST, misses=misses("counting-past"))
def every_formula_that_counts_to_the_left(v: Any) -> bool | None:
    return every_formula_that_counts(v)


# --- The definitions of the logics ------------------------------------------------------------------------------------


def count_terms() -> Iterator[dict[str, Any]]:
    """Terms of counts, with what their difference comes to, worked out beside them."""
    rng = random.Random("count terms")
    for number in range(10):
        p = rng.randint(1, 3)
        lefts = rng.randint(0, p)
        kinds, places, sides = list[int](), list[int](), list[tuple[int, int]]()
        sums: list[tuple[dict[int, int], int]] = []
        for t in range(1, 5):
            kind = rng.choice([0, 3] if t == 1 else [0, 1, 2, 2, 3])
            place, (a, b) = rng.randint(1, p), (rng.randint(1, max(t - 1, 1)), rng.randint(1, max(t - 1, 1)))
            factors, constant = ({place: 1}, 0) if kind == 0 else ({}, 1)
            if kind in (1, 2):
                sign = 1 if kind == 1 else -1
                (first, x), (second, y) = sums[a - 1], sums[b - 1]
                factors = {k: first.get(k, 0) + sign * second.get(k, 0) for k in range(1, p + 1)}
                constant = x + sign * y
            kinds, places, sides = [*kinds, kind], [*places, place], [*sides, (a, b)]
            sums.append((factors, constant))

        def apart(v: Any, sums: Any = tuple(sums), p: int = p) -> tuple[dict[int, Fraction], Fraction]:
            (one, x), (other, y) = sums[int(v["s"]) - 1], sums[int(v["t"]) - 1]
            return column(other.get(k, 0) - one.get(k, 0) for k in range(1, p + 1)), F(x - y)

        counts = [[rng.randint(0, 3) for _ in range(p)] for _ in range(3)] + [[0] * p]

        def values(v: Any, sums: Any = tuple(sums)) -> list[dict[int, Fraction]]:
            return [column(sum(a * v["count"][k] for k, a in fs.items()) + one for fs, one in sums)]

        good = {
            "m": F(4), "p": F(p), "lefts": F(lefts), "kind()": column(kinds), "g()": column(places),
            "l()": column(a for a, _ in sides), "r()": column(b for _, b in sides),
            "lambda()": lambda v, apart=apart: [apart(v)[0]], "C": lambda v, apart=apart: [apart(v)[1]],
            "count()": [column(c) for c in counts],
            "T()": values, "right": True,
        }  # fmt: skip
        yield good
        if number < 3:
            yield good | {"lefts": F(p + 1), "right": False}


@adequate(
    "yang2026.thm20.rewrite",
    at=count_terms(),
    misses=[("C < sum", "C <= sum"), ("T(s) < T(t)", "T(t) < T(s)")],
)
def a_comparison_of_terms(v: Any) -> bool | None:
    """The factors and the number that subtracting one term from the other gives, whatever the counts are."""
    return True if v["right"] else None
