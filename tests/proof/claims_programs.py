"""Adequacy of the theorems about programs: a network whose tables are a formula, from the papers' words.

The networks are computed here, layer by layer, and the formulas by their definition; nothing of symcook is used.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from proof.adequacy import ODD, adequate, column
from proof.paper import softmax
from proof.statement_truth import real

F = Fraction
LETTER, NOT, AND, OR, SINCE, UNTIL = range(6)
TABLES = ("op", "letter", "left", "right")


class Formula(NamedTuple):
    """Lines (operator, letter, left, right), the lines read counted from 1."""

    lines: tuple[tuple[int, int, int, int], ...]

    def truths(self, word: Sequence[int]) -> list[list[bool]]:
        """Of each line at each position, by Definition 14."""
        done: list[list[bool]] = []
        places = range(len(word))
        for op, letter, left, right in self.lines:
            x, y = (done[k - 1] if op != LETTER else [False] * len(word) for k in (left, right))
            done.append(
                {
                    LETTER: lambda letter=letter: [b == letter for b in word],
                    NOT: lambda x=x: [not b for b in x],
                    AND: lambda x=x, y=y: [a and b for a, b in zip(x, y, strict=True)],
                    OR: lambda x=x, y=y: [a or b for a, b in zip(x, y, strict=True)],
                    SINCE: lambda x=x, y=y: [any(y[j] and all(x[j : i + 1]) for j in places[: i + 1]) for i in places],
                    UNTIL: lambda x=x, y=y: [any(y[j] and all(x[i : j + 1]) for j in places[i:]) for i in places],
                }[op]()
            )
        return done


def formulas(count: int) -> Iterator[Formula]:
    rng = random.Random("formulas")
    yield Formula(((LETTER, 0, 1, 1), (LETTER, 1, 1, 1), (SINCE, 0, 1, 2), (UNTIL, 0, 2, 3)))
    yield Formula(((LETTER, 0, 1, 1), (LETTER, 1, 1, 1), (UNTIL, 0, 1, 2), (NOT, 0, 3, 1)))
    yield Formula(((LETTER, 0, 1, 1), (NOT, 0, 1, 1), (AND, 0, 1, 2), (OR, 0, 1, 2)))
    yield Formula(((LETTER, 1, 1, 1),))
    for _ in range(4):  # whether there was a letter 0; the other way round, whether it is there
        yield Formula(((LETTER, 0, 1, 1), (NOT, 0, 1, 1), (OR, 0, 1, 2), (SINCE, 0, 3, 1)))
    for _ in range(count):
        lines = []
        for k in range(1, rng.randint(2, 5)):
            op = LETTER if k == 1 else rng.choice([LETTER, NOT, AND, OR, SINCE, SINCE, UNTIL, UNTIL])
            before = max(k - 1, 1)
            lines.append((op, rng.randrange(2), rng.randint(1, before), rng.randint(1, before)))
        yield Formula(tuple(lines))


def bend(x: Any) -> Any:
    return max(x, F(0))


def rounded(x: Any) -> Fraction:
    """What two ReLUs make of a number near a bit: the bit."""
    found = 2 * max(x - real(F(1, 4)), real(0)) - 2 * max(x - real(F(3, 4)), real(0))
    assert min(abs(found), abs(found - 1)) < real(F(1, 10**50))
    return F(int(found > real(F(1, 2))))


def scores(causal: bool, scaled: bool, i: int, n: int, stop: Any, sign: int, j: int) -> Any:
    """A score over the temperature, as Theorems 15 and 16 print them."""
    many, over = (F(i) ** 2, F(1, j)) if causal else (F(n), -sign * F(j, 2 * n))
    temperature = F(1) if scaled else 1 / many
    return (many if scaled else 1) * (3 if causal else 6) * (stop - over) / temperature


def network(formula: Formula, word: Sequence[int], scaled: bool, causal: bool) -> dict[str, dict[Any, Any]]:
    """A round a line: hidden bits, soft attention to the left and to the right, rounding. By (round, line, place)."""
    lines, n = range(1, len(formula.lines) + 1), len(word)
    out: dict[str, dict[Any, Any]] = {x: {} for x in ("c", "stop", "both", "since", "until")}
    for f, i in itertools.product(lines, range(1, n + 1)):
        op, letter, _, _ = formula.lines[f - 1]
        out["c"][0, f, i] = F(op == LETTER and word[i - 1] == letter)
        for x in ("stop", "both", "since", "until"):
            out[x][0, f, i] = F(0)
    for t in lines:
        op, _, left, right = formula.lines[t - 1]
        for x in out.values():
            x.update({(t, f, i): x[t - 1, f, i] for f in lines for i in range(1, n + 1)})
        pairs = {i: (out["c"][t - 1, left, i], out["c"][t - 1, right, i]) for i in range(1, n + 1)}
        for i, (a, b) in pairs.items():
            out["stop"][t, t, i], out["both"][t, t, i] = 1 - bend(a - b), bend(a + b - 1)
        for i, (a, b) in pairs.items():
            for x, kind, sign, seen in (("since", SINCE, 1, range(1, i + 1)), ("until", UNTIL, -1, range(i, n + 1))):
                if op == kind:
                    stops = out["stop"]
                    weights = softmax([real(scores(causal, scaled, i, n, stops[t, t, j], sign, j)) for j in seen])
                    out[x][t, t, i] = sum(p * real(out["both"][t, t, j]) for p, j in zip(weights, seen, strict=True))
            if op == NOT:
                out["c"][t, t, i] += bend(1 - a)
            elif op == AND:
                out["c"][t, t, i] += bend(a + b - 1)
            elif op == OR:
                out["c"][t, t, i] += bend(a + b) - bend(a + b - 1)
            elif op != LETTER:
                out["c"][t, t, i] += rounded(out["since" if op == SINCE else "until"][t, t, i])
    return out


def runs(causal: bool) -> Iterator[dict[str, Any]]:
    rng = random.Random("runs of formulas")
    found = [one for one in formulas(24 if causal else 12) if not causal or all(line[0] != UNTIL for line in one.lines)]
    for k, formula in enumerate(found):
        word = [rng.randrange(2) for _ in range(1 + k % 3)]
        n, lines = len(word), len(formula.lines)
        scaled = k % 2
        values = network(formula, word, bool(scaled), causal)
        places = range(1, n + 1)
        encoded = (
            {"inverse()": column(F(1, i) for i in places)} if causal else {"share()": column(F(i, n) for i in places)}
        )
        good = {
            "n": F(n), "w()": column(word), "L": F(lines), "S": F(2), "scaled": F(scaled),
            **{f"{x}()": column(cells) for x, cells in zip(TABLES, zip(*formula.lines, strict=True), strict=True)},
            "many()": column(((i**2 if causal else n) if scaled else 1) for i in places), **encoded,
            **{f"{x}()": table for x, table in values.items()},
            "formula": formula, "word": word, "right": True,
        }  # fmt: skip
        yield good
        changed = dict(values["c"])
        changed[lines, lines, 1] += ODD
        yield good | {"c()": changed, "right": False}
        if k < 4:
            yield good | {"scaled": F(2), "right": False}
            yield good | {"w()": column([2] * n), "right": False}
            yield good | {"op()": column([LETTER] * (lines - 1) + [UNTIL if causal else UNTIL + 1]), "right": False}
            yield good | {"left()": column([lines + 1] * lines), "right": False}


def near_misses(family: str) -> list[tuple[str, str]]:
    return [
        ("left, right, f i", "right, left, f i"),
        ("c(L, f, i)", "c(L - 1, f, i)"),
        ("op, letter", "op, left"),
        (f"-> run(family-{family})", "-> true"),
    ]


@adequate("yang2026.thm15", at=runs(False), misses=near_misses("since-until"))
def every_formula(v: Any) -> bool | None:
    """The last coordinates are the truths of the lines, at each position."""
    if not v["right"]:
        return None
    truths, last = v["formula"].truths(v["word"]), len(v["formula"].lines)
    return all(
        abs(real(v["c()"][last, f, i] - int(truth))) < real(F(1, 10**40))
        for f, row in enumerate(truths, 1)
        for i, truth in enumerate(row, 1)
    )


@adequate("yang2026.thm16", at=runs(True), misses=near_misses("since"))
def every_formula_with_since(v: Any) -> bool | None:
    return every_formula(v)
