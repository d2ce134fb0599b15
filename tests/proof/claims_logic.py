"""Adequacy of Corollaries 22 and 23: formulas that look elsewhere and count, and the network by hand.

The truths are those of Definitions 11, 14 and 19, the rounds those of Corollaries 17 and 18 followed by those of
Theorems 20 and 21. Nothing of symcook is used.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from proof import claims_counting as counting
from proof.adequacy import ODD, adequate, column
from proof.claims_counting import LEFT, MORE, POSITION, RIGHT, Line, mixed, odd
from proof.claims_programs import (
    AND,
    BOTH_WAYS,
    LETTER,
    NEXT,
    NOT,
    OR,
    PREVIOUS,
    SINCE,
    UNTIL,
    bend,
    every_formula,
    rounded,
)
from proof.claims_programs import runs as temporal_runs
from proof.paper import softmax
from proof.statement_truth import real

F = Fraction


def truths(lines: Sequence[Line], word: Sequence[int]) -> list[list[bool]]:
    """Of each line at each position; what looks elsewhere is for `counting.truths` a predicate of the position."""
    n, done, said = len(word), list[list[bool]](), list[Line]()
    for line in lines:
        x, y = (done[k - 1] if k <= len(done) else [False] * n for k in (line.left, line.right))
        elsewhere = {
            SINCE: [any(y[j] and all(x[j : i + 1]) for j in range(i + 1)) for i in range(n)],
            UNTIL: [any(y[j] and all(x[i : j + 1]) for j in range(i, n)) for i in range(n)],
            PREVIOUS: [False, *x[:-1]],
            NEXT: [*x[1:], False],
        }.get(line.op)
        row = line
        if elsewhere is not None:
            row = Line(POSITION, predicate=lambda n, k, row=tuple(elsewhere): int(row[k - 1]))
        said.append(row)
        done.append(counting.truths(said, word)[-1])
    return done


def formulas(past: bool) -> Iterator[tuple[Line, ...]]:
    rng = random.Random(f"formulas of both kinds {past}")
    a = Line(LETTER, 0)
    looks = [PREVIOUS, SINCE] if past else [PREVIOUS, NEXT, SINCE, UNTIL]
    count = [LEFT, MORE] if past else [LEFT, RIGHT, MORE]
    behind = Line(PREVIOUS, left=1)
    yield a, behind, Line(MORE, lefts={2: 1, 1: -1} if past else {2: 1}, rights={} if past else {1: -1})
    for op in looks:  # of a count, and a count of it
        yield a, Line(MORE, lefts={1: 2}, bound=1), Line(op, left=2, right=1), Line(LEFT, left=3, predicate=odd)
    for _ in range(10):
        lines = [rng.choice([a, Line(LETTER, 1), Line(POSITION, predicate=mixed)])]
        while len(lines) < 4 and (len(lines) < 2 or rng.random() < 0.8):
            k = len(lines)
            some = {e: rng.choice([-2, -1, 1, 2]) for e in range(1, k + 1) if rng.random() < 0.7}
            others = {e: rng.choice([-1, 1]) for e in range(1, k + 1) if not past and rng.random() < 0.5}
            op, sides = rng.choice([NOT, AND, OR, *looks, *looks, *count]), (rng.randint(1, k), rng.randint(1, k))
            lines.append(Line(op, rng.randrange(2), *sides, rng.choice([odd, mixed]), some, others, rng.randint(-1, 1)))
        yield tuple(lines)


def network(lines: Sequence[Line], word: Sequence[int], past: bool, sure: int) -> dict[str, dict[Any, Any]]:
    """A round a line: what is looked at elsewhere, or looked up; then shares and counts of the line. All scores are
    over the temperature, 1/i^2 (past) or 1/n."""
    n, many = len(word), range(1, len(lines) + 1)
    places = range(1, n + 1)
    sides = [("left", "lcount", "below", "above", LEFT)]
    hidden = ["stop", "both", "since", "evens", "odds"]
    if not past:
        sides.append(("right", "rcount", "rbelow", "rabove", RIGHT))
        hidden += ["until", "after", "later"]
    names = ["c", *hidden, *(x for s, *rest, _ in sides for x in (f"{s}mean", f"{s}less", *rest))]
    out: dict[str, dict[Any, Any]] = {x: {(0, f, i): F(0) for f in many for i in places} for x in names}

    def found(seen: Sequence[int], score: Any, value: Any) -> Any:
        weights = softmax([real(score(j)) for j in seen])
        return sum(p * real(value(j)) for p, j in zip(weights, seen, strict=True))

    def near(i: int, top: Any, right: bool) -> Any:
        """A score with its tie-breaking term, over the temperature."""
        if past:
            return lambda j: 3 * F(i) ** 2 * (top(j) - F(1, j))
        return lambda j: 6 * F(n) * (top(j) + F(j, 2 * n) * (-1 if right else 1))

    def looked(i: int, others: Any, width: int, seen: Sequence[int], factor: int, value: Any) -> Any:
        steep = F(3 * factor * (i * i if past else n), width)
        return found(seen, lambda j: steep * (2 * (others + 1) * j - j * j), value)

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
            out["stop"][t, t, i], out["both"][t, t, i] = 1 - bend(a - b), bend(a + b - 1)
        for i in places:
            a, b = c[line.left, i], c[line.right, i]
            ahead = line.op in (UNTIL, NEXT)
            seen = range(i, n + 1) if ahead else range(1, i + 1)
            if line.op in (SINCE, UNTIL):
                x = "until" if ahead else "since"
                top = near(i, lambda j, t=t: out["stop"][t, t, j], ahead)
                out[x][t, t, i] = found(seen, top, lambda j, t=t: out["both"][t, t, j])
                out["c"][t, t, i] += rounded(out[x][t, t, i])
            for x, sign in (("after", 1), ("later", -1)) if ahead else (("evens", 1), ("odds", -1)):
                if line.op in (PREVIOUS, NEXT):
                    top = near(i, lambda j, sign=sign: F(sign * (-1) ** j, 2), ahead)
                    out[x][t, t, i] = found(seen, top, lambda j, line=line, c=c: c[line.left, j])
                    if i != (n if ahead else 1) and (-1) ** i == -sign:  # of the other parity
                        out["c"][t, t, i] += rounded(out[x][t, t, i])
            for s, _, low, high, op in sides:
                width, seen = (i, range(1, i + 1)) if s == "left" else (n - i + 1, places)
                if line.op == op:
                    others = out[f"{s}less"][t, line.left, i] * width
                    out[low][t, t, i] = looked(i, others, width, seen, 1, lambda j, line=line: line.predicate(n, j - 1))
                    out[high][t, t, i] = looked(i, others, width, seen, 1, lambda j, line=line: line.predicate(n, j))
                    out["c"][t, t, i] += rounded(out[high][t, t, i] + real(a - 1))
                    out["c"][t, t, i] += rounded(out[low][t, t, i] - real(a))
            if line.op == MORE:
                total = real(-line.bound)
                for factors, cnt in ((line.lefts, "lcount"), (line.rights, "rcount")):
                    for e, p in factors.items():
                        total += real(p) * (real(out[cnt][t, e, i]) + real(c[e, i]))
                out["c"][t, t, i] += rounded(total)
            out["c"][t, t, i] += {NOT: bend(1 - a), AND: bend(a + b - 1), OR: bend(a + b) - bend(a + b - 1)}.get(
                line.op, 0
            )
        own = [out["c"][t, t, i] for i in places]
        for (s, cnt, *_), i in itertools.product(sides, places):
            width, seen = (i, range(1, i + 1)) if s == "left" else (n - i + 1, places)
            mean = sum(own[:i] if s == "left" else own[i - 1 :]) / F(width)
            less = bend(mean) - bend(own[i - 1] + F(1, width) - 1)
            out[f"{s}mean"][t, t, i], out[f"{s}less"][t, t, i] = mean, less
            out[cnt][t, t, i] = looked(i, less * width, width, seen, sure, lambda j: j - 1)
    return out


def runs(past: bool) -> Iterator[dict[str, Any]]:
    rng = random.Random(f"runs of formulas of both kinds {past}")
    for number, lines in enumerate(formulas(past)):
        many = len(lines)
        word = [rng.randrange(2) for _ in range(1 + number % 3)]
        n = len(word)
        longest, scaled = n + number % 2, number % 2
        pairs = list(itertools.product(range(1, many + 1), repeat=2))
        sure = max(1, *(sum(map(abs, [*one.lefts.values(), *one.rights.values()])) for one in lines), 1)
        factor = n if not past and scaled else 1
        places = range(1, n + 1)
        cells = list(itertools.product(range(1, many + 1), places))
        signs = [F((-1) ** i) for i in places]
        theta = {
            (f, m * (longest + 1) + k): F(line.predicate(m, k) if m and line.op in (POSITION, LEFT, RIGHT) else 0)
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
            "sign()": column(signs), "pos()": column(places), "one()": column(F(1) for _ in places),
            "key()": column(i * factor for i in places), "sq()": column(i * i * factor for i in places),
            "here()": {(f, i): theta[f, n * (longest + 1) + i] for f, i in cells},
            "prior()": {(f, i): theta[f, n * (longest + 1) + i - 1] for f, i in cells},
            "seen()": column(-sum(signs[:i]) / i for i in places), "first()": column(F(i == 1) for i in places),
            "inv()": column(F(1, i) for i in places),
            **{f"{x}()": table for x, table in network(lines, word, past, sure).items()},
            "lines": lines, "word": word, "right": True,
        }  # fmt: skip
        if not past:
            good |= {
                "scaled": F(scaled), "many()": column((n if scaled else 1) for _ in places),
                "share()": column(F(i, n) for i in places), "last()": column(F(i == n) for i in places),
                "ahead()": column(-sum(signs[i - 1 :]) / (n - i + 1) for i in places),
                "back()": column(F(1, n - i + 1) for i in places),
                "rho()": {(f, e): F(lines[f - 1].rights.get(e, 0)) for f, e in pairs},
            }  # fmt: skip
        yield good
        changed = dict(good["c()"])
        changed[many, many, 1] += ODD
        yield good | {"c()": changed, "right": False}
        if number < 4:
            yield good | {"N": F(n - 1), "right": False}
            yield good | {"Lambda": F(0), "right": False}
            yield good | {"w()": column([2] * n), "right": False}
            yield good | {"op()": column([LETTER] * (many - 1) + [12]), "right": False}


@adequate("yang2026.cor22", at=runs(False), misses=[*counting.misses("logic"), ("lam, rho", "rho, lam")])
def every_formula_of_both_kinds(v: Any) -> bool | None:
    """The last coordinates are the truths of the lines, at each position."""
    if not v["right"]:
        return None
    last = len(v["lines"])
    return all(
        abs(real(v["c()"][last, f, i] - int(truth))) < real(F(1, 10**40))
        for f, row in enumerate(truths(v["lines"], v["word"]), 1)
        for i, truth in enumerate(row, 1)
    )


PAST = list(counting.with_networks(runs(True), 2))


@adequate("yang2026.cor23", at=PAST, false=True)
def a_mask_and_the_count_behind_it(v: Any) -> bool | None:
    return counting.a_mask_and_the_count_behind_it(v)


@adequate("yang2026.cor23.corrected", at=PAST, misses=counting.misses("logic-past"))
def every_such_formula_of_the_past(v: Any) -> bool | None:
    return every_formula_of_both_kinds(v)


# --- Figure 1 ---------------------------------------------------------------------------------------------------------


class Nothing(dict[Any, Fraction]):
    """A function that is 0 wherever nothing is said: of the families that an instance is not about."""

    def __missing__(self, key: Any) -> Fraction:
        return F(0)


def of_each_row() -> Iterator[dict[str, Any]]:
    neighbours = BOTH_WAYS._replace(operators=(PREVIOUS, NEXT)).runs()
    found = [*itertools.islice(neighbours, 24), *itertools.islice(temporal_runs(False), 24)]
    found += itertools.islice(counting.runs(True), 24)
    names = {name for one in found for name in one if name.endswith("()")}
    for one in found:
        yield {name: Nothing() for name in names} | {"N": F(0), "Lambda": F(0)} | one


@adequate(
    "yang2026.fig1",
    at=of_each_row(),
    misses=[
        ("abs(sign(i)) <= 1", "abs(sign(i)) < 1"),
        ("back(i) <= 1", "back(i) < 1"),
        ("sq(i) <= n^2", "sq(i) < n^2"),
        ("pos(i) <= n^2", "pos(i) < n^2"),
        ("lam, rho", "rho, lam"),
    ],
)
def each_row(v: Any) -> bool | None:
    """The truths of each row's formulas, beside encodings that grow as the figure says."""
    if not v["right"]:
        return None
    n = v["n"]
    most = n if v["scaled"] else 1
    if "formula" in v:
        within = all(abs(x) <= most for x in v["many()"].values()) and all(0 <= x <= 1 for x in v["share()"].values())
        return within and every_formula(v)
    within = all(0 <= x <= n**2 * most for name in ("pos()", "key()", "sq()") for x in v[name].values())
    return within and every_formula_of_both_kinds(v)
