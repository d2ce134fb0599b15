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
LETTER, NOT, AND, OR, SINCE, UNTIL, PREVIOUS, NEXT = range(8)
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
                    PREVIOUS: lambda x=x: [i > 0 and x[i - 1] for i in places],
                    NEXT: lambda x=x: [i + 1 < len(word) and x[i + 1] for i in places],
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
            "one()": column(F(1) for _ in places),
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


class Neighbours(NamedTuple):
    """A family with previous and next: which of its operators there are, and whether masks are to the left."""

    name: str
    operators: tuple[int, ...]
    causal: bool

    def formulas(self) -> Iterator[Formula]:
        rng = random.Random(f"formulas of {self.name}")
        for k in range(18):
            lines = [(LETTER, 0, 1, 1)]
            if k < len(self.operators):
                lines.append((self.operators[k], 0, 1, 1))
            for number in range(len(lines) + 1, rng.randint(3, 5)):
                op = rng.choice([LETTER, NOT, *self.operators, *self.operators])
                lines.append((op, rng.randrange(2), rng.randrange(1, number), rng.randrange(1, number)))
            yield Formula(tuple(lines))

    def weights(self, scaled: bool, i: int, n: int, seen: Sequence[int], right: bool, top: Any) -> list[Any]:
        """Of a head whose score is `top` at a position, with a term that prefers near ones."""
        many = F(i) ** 2 if self.causal else F(n)
        temperature = F(1) if scaled else 1 / many

        def score(j: int) -> Any:
            near = -F(1, j) if self.causal else F(j, 2 * n) * (-1 if right else 1)
            return (many if scaled else 1) * (3 if self.causal else 6) * (top(j) + near) / temperature

        return softmax([real(score(j)) for j in seen])

    def network(self, formula: Formula, word: Sequence[int], scaled: bool) -> dict[str, dict[Any, Any]]:
        """A round a line, as in `network`; by (round, line, place), and marks of the ends by place."""
        lines, n = range(1, len(formula.lines) + 1), len(word)
        hidden = ("stop", "both", "since", *(() if self.causal else ("until",)), "evens", "odds")
        hidden = (*hidden, *(() if self.causal else ("after", "later")))
        out: dict[str, dict[Any, Any]] = {x: {} for x in ("c", *hidden)}
        for f, i in itertools.product(lines, range(1, n + 1)):
            op, letter, _, _ = formula.lines[f - 1]
            out["c"][0, f, i] = F(op == LETTER and word[i - 1] == letter)
            for x in hidden:
                out[x][0, f, i] = F(0)
        for t in lines:
            op, _, left, right = formula.lines[t - 1]
            for x in out.values():
                x.update({(t, f, i): x[t - 1, f, i] for f in lines for i in range(1, n + 1)})
            a, b = ([F(0), *(out["c"][t - 1, k, i] for i in range(1, n + 1))] for k in (left, right))
            for i in range(1, n + 1):
                out["stop"][t, t, i], out["both"][t, t, i] = 1 - bend(a[i] - b[i]), bend(a[i] + b[i] - 1)
            for i in range(1, n + 1):
                ahead = op in (UNTIL, NEXT)
                seen = range(i, n + 1) if ahead else range(1, i + 1)
                if op in (SINCE, UNTIL):
                    x = "until" if ahead else "since"
                    p = self.weights(scaled, i, n, seen, ahead, lambda j, t=t: out["stop"][t, t, j])
                    out[x][t, t, i] = sum(q * real(out["both"][t, t, j]) for q, j in zip(p, seen, strict=True))
                    out["c"][t, t, i] += rounded(out[x][t, t, i])
                elif op in (PREVIOUS, NEXT):
                    for x, sign in (("after", 1), ("later", -1)) if ahead else (("evens", 1), ("odds", -1)):
                        p = self.weights(scaled, i, n, seen, ahead, lambda j, sign=sign: F(sign * (-1) ** j, 2))
                        found = sum(q * real(a[j]) for q, j in zip(p, seen, strict=True))
                        out[x][t, t, i] = found
                        edge = i == (n if ahead else 1)
                        if not edge and (-1) ** i == -sign:  # of the other parity
                            out["c"][t, t, i] += rounded(found)
                else:
                    truth = {NOT: bend(1 - a[i]), AND: bend(a[i] + b[i] - 1)}
                    truth |= {OR: bend(a[i] + b[i]) - bend(a[i] + b[i] - 1), LETTER: F(0)}
                    out["c"][t, t, i] += truth[op]
        return out

    def runs(self) -> Iterator[dict[str, Any]]:
        rng = random.Random(f"runs of {self.name}")
        for k, formula in enumerate(self.formulas()):
            word = [rng.randrange(2) for _ in range(1 + k % 4)]
            n, lines, scaled = len(word), len(formula.lines), k % 2
            values = self.network(formula, word, bool(scaled))
            places = range(1, n + 1)
            signs = [F((-1) ** i) for i in places]
            first = column(F(i == 1) for i in places)
            marks = {"seen()": column(-sum(signs[:i]) / i for i in places), "first()": first}
            if self.causal:
                marks |= {"inverse()": column(F(1, i) for i in places)}
            else:
                marks |= {"share()": column(F(i, n) for i in places), "last()": column(F(i == n) for i in places),
                          "ahead()": column(-sum(signs[i - 1 :]) / (n - i + 1) for i in places)}  # fmt: skip
            good = {
                "n": F(n), "w()": column(word), "L": F(lines), "S": F(2), "scaled": F(scaled),
                **{f"{x}()": column(cells) for x, cells in zip(TABLES, zip(*formula.lines, strict=True), strict=True)},
                "many()": column(((i**2 if self.causal else n) if scaled else 1) for i in places), **marks,
                "sign()": column(signs), "one()": column(F(1) for _ in places),
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
                yield good | {"left()": column([lines + 1] * lines), "right": False}


BOTH_WAYS = Neighbours("temporal", (PREVIOUS, NEXT, SINCE, UNTIL), False)
TO_THE_LEFT = Neighbours("temporal-past", (PREVIOUS, SINCE), True)


@adequate("yang2026.cor17", at=BOTH_WAYS.runs(), misses=near_misses("temporal"))
def every_temporal_formula(v: Any) -> bool | None:
    return every_formula(v)


@adequate("yang2026.cor18", at=TO_THE_LEFT.runs(), misses=near_misses("temporal-past"))
def every_formula_of_the_past(v: Any) -> bool | None:
    return every_formula(v)


@adequate(
    "yang2026.thm12",
    at=BOTH_WAYS._replace(operators=(PREVIOUS, NEXT)).runs(),
    misses=near_misses("temporal"),
)
def every_formula_of_neighbours(v: Any) -> bool | None:
    return every_formula(v)


@adequate(
    "yang2026.thm13",
    at=TO_THE_LEFT._replace(operators=(PREVIOUS,)).runs(),
    misses=near_misses("temporal-past"),
)
def every_formula_of_previous(v: Any) -> bool | None:
    return every_formula(v)


# --- Automata ---------------------------------------------------------------------------------------------------------


def big(x: Any) -> Any:
    """A number of many digits."""
    return real(F(x))


class Automaton(NamedTuple):
    """States and letters counted from 1."""

    first: int
    step: tuple[tuple[int, ...], ...]
    final: tuple[int, ...]

    def reached(self, word: Sequence[int]) -> list[int]:
        states = [self.first]
        for letter in word:
            states.append(self.step[states[-1] - 1][letter - 1])
        return states


def normed(entries: Sequence[Any], gain: Any) -> tuple[Any, Any, list[Any]]:
    """Mean, deviation, and what a layer norm makes of the entries."""
    mean = sum(entries) / big(len(entries))
    deviation = (sum((x - mean) ** 2 for x in entries) / big(len(entries))) ** 0.5
    return mean, deviation, [big(gain) * (x - mean) / deviation for x in entries]


def relu(x: Any) -> Any:
    return max(x, big(0))


class Decoder:
    """A decoder for an automaton on given tokens; `values` are its numbers by the names of the family."""

    def __init__(self, automaton: Automaton, letters: int, root: int, tokens: Sequence[int]) -> None:
        self.automaton, self.S, self.R, self.tokens = automaton, letters, root, tokens
        self.K = len(automaton.final)
        self.T = self.S + self.K + 3
        self.values: dict[str, dict[Any, Any]] = {}
        codes = [[big(int(b == c)) for c in range(self.T)] for b in tokens]
        for i, code in enumerate(codes):
            self.rows("t", i, code)
            self.at("other", i, big(1 - 2 * (tokens[i] == 0)))
            self.at("u", i, big(int(tokens[i] == 0)))
            self.code_norm(("mu1", "dev1", "y1_v", "y1_minus", "y1_pad"), i, code)
            own = self.values["y1_v"]
            seen = [[own[c, j] for c in range(self.T)] for j in range(i)]

            def share(cells: Sequence[int], seen: list[list[Any]] = seen) -> Any:
                return sum((row[c] for row in seen for c in cells), big(0)) / big(len(seen) or 1)

            self.at("z1_u", i, self.values["u"][i] + share([0]))
            self.at("d", i, share(range(self.S + 1, self.S + self.K + 1)))
            u, d = self.values["z1_u"][i], self.values["d"][i]
            for tag, letter, x in (
                ("", "a", d + u),
                ("_", "b", d + 2 * u - code[0]),
                ("__", "k", self.values["other"][i]),
            ):
                mean, deviation, hashed = normed([x, u, -x, -u], F(1, 2))
                self.at(f"mu2{tag}", i, mean)
                self.at(f"dev2{tag}", i, deviation)
                for c, value in enumerate(hashed, 1):
                    self.at(f"y2_{letter}{c}", i, value)
            self.code_norm(("mu2___", "dev2___", "y2_v", "y2_minus", "y2_pad"), i, code)
            found = [self.found(letter, i) for letter in "ab"]
            for name, values in zip("yz", found, strict=True):
                for c, value in enumerate(values, 1):
                    self.values.setdefault(name, {})[c, i] = value
            self.last_norm(i, code, found)
            self.scores(i)

    def at(self, name: str, i: int, value: Any) -> None:
        self.values.setdefault(name, {})[i] = value

    def rows(self, name: str, i: int, values: Sequence[Any], first: int = 0) -> None:
        self.values.setdefault(name, {}).update({(c, i): value for c, value in enumerate(values, first)})

    def code_norm(self, names: Sequence[str], i: int, code: Sequence[Any]) -> None:
        pads = 2 * (self.R**2 - self.T)
        mean, deviation, made = normed([*code, *(-x for x in code), *[big(0)] * pads], F(1, self.R))
        self.at(names[0], i, mean)
        self.at(names[1], i, deviation)
        for name, start, stop, first in (
            (names[2], 0, self.T, 0), (names[3], self.T, 2 * self.T, 0), (names[4], 2 * self.T, len(made), 1),
        ):  # fmt: skip
            self.rows(name, i, made[start:stop], first)

    def found(self, query: str, i: int) -> list[Any]:
        scores = [
            sum(self.values[f"y2_{query}{c}"][i] * self.values[f"y2_k{c}"][j] for c in range(1, 5)) for j in range(i)
        ]
        best = [j for j, s in enumerate(scores) if s > max(scores) - big(F(1, 10**40))]
        return [sum(self.values["y2_v"][c, j] for j in best) / big(len(best) or 1) for c in range(1, self.S + 1)]

    def last_norm(self, i: int, code: Sequence[Any], found: Sequence[Sequence[Any]]) -> None:
        half = [*code, *found[0], *found[1]]
        pads = 2 * (self.R**2 - self.T - 2 * self.S)
        mean, deviation, made = normed([*half, *(-x for x in half), *[big(0)] * pads], 1)
        self.at("mu2____", i, mean)
        self.at("dev2____", i, deviation)
        start = 0
        for name, many, first in (
            ("y2_vt", self.T, 0), ("y2_vy", self.S, 1), ("y2_vz", self.S, 1),
            ("y2_mt", self.T, 0), ("y2_my", self.S, 1), ("y2_mz", self.S, 1), ("y2_rest", pads, 1),
        ):  # fmt: skip
            self.rows(name, i, made[start : start + many], first)
            start += many

    def scores(self, i: int) -> None:
        x, y, z = ((lambda c, name=name: self.values[name][c, i]) for name in ("y2_vt", "y2_vy", "y2_vz"))
        states, letters = range(1, self.K + 1), range(1, self.S + 1)
        whole, out = sum(x(c) for c in range(self.T)), [big(0)] * self.T
        answer = lambda state: self.S + self.K + 1 + self.automaton.final[state - 1]  # noqa: E731
        step = lambda state, letter: self.automaton.step[state - 1][letter - 1]  # noqa: E731
        first = self.automaton.first
        for e in states:
            for c in letters:
                out[self.S + step(e, c)] += relu(x(self.S + e) + z(c) - whole)
            out[answer(e)] += relu(x(self.S + e) - sum(z(c) for c in letters))
        for c in letters:
            out[self.S + step(first, c)] += relu(sum(x(a) for a in letters) + y(c) - whole)
            out[answer(step(first, c))] += relu(x(c) - sum(y(a) for a in letters))
        out[answer(first)] += relu(x(0))
        for c in (self.S + self.K + 1, self.S + self.K + 2):
            out[c] += relu(x(c))
        self.rows("o", i, out)

    def next(self) -> int:
        """The token with the greatest score behind the last one."""
        last = len(self.tokens) - 1
        return max(range(self.T), key=lambda c: (self.values["o"][c, last], -c))


def decodings() -> Iterator[dict[str, Any]]:
    rng = random.Random("decoders")
    for k in range(10):
        states, letters = min(k + 1, 2), rng.randint(1, 2)
        step = tuple(tuple(rng.randint(1, states) for _ in range(letters)) for _ in range(states))
        final = rng.choice([(0, 1), (1, 0)])[:states]
        automaton = Automaton(rng.randint(1, states), step, final)
        root = next(r for r in range(1, 9) if 3 * letters + states + 3 <= r * r)
        word = [rng.randint(1, letters) for _ in range((0, 1, 2, 2, 3)[k % 5])]
        tokens = [0, *word]
        while len(tokens) < 2 * len(word) + 2:
            tokens.append(Decoder(automaton, letters, root, tokens).next())
        run = Decoder(automaton, letters, root, tokens)
        good = {
            "m": F(len(word)), "n": F(len(tokens)), "w()": column(tokens, 0), "q()": column(automaton.reached(word), 0),
            "K": F(states), "S": F(letters), "first": F(automaton.first), "R": F(root),
            "v": [F(c) for c in range(letters + states + 3)],
            "delta()": {(e, c): F(s) for e, row in enumerate(step, 1) for c, s in enumerate(row, 1)},
            "final()": column(automaton.final),
            **{f"{name}()": {key: value for key, value in cells.items()} for name, cells in run.values.items()},
            "y1_pad()": run.values.get("y1_pad", {}), "automaton": automaton, "word": word, "right": True,
        }  # fmt: skip
        yield good
        elsewhere = {(3, c): F(1) for c in range(1, letters + 1)}
        yield good | {
            "q()": column([3, *automaton.reached(word)[1:]], 0), "right": False,
            "final()": good["final()"] | {3: F(0)}, "delta()": good["delta()"] | elsewhere,
        }  # fmt: skip
        yield good | {"w()": column([*tokens[:-1], 0], 0), "right": False}
        wrong = dict(run.values["o"])
        wrong[0, 0] += big(1)
        yield good | {"o()": wrong, "right": False}


@adequate(
    "merrill2024.thm1",
    at=decodings(),
    misses=[
        ("final(q(m))", "final(q(0))"),
        ("final(q(m))", "1"),
        ("S + K + 1 +", "S + K +"),
        ("-> reached(first, delta, q, w, m)", "-> true"),
        ("w(2*m + 1)", "w(2*m)"),
    ],
)
def every_automaton(v: Any) -> bool | None:
    """After m + 1 steps the token is the answer: the last one for yes, the one before it for no."""
    if not v["right"]:
        return None
    word, automaton = v["word"], v["automaton"]
    accepted = automaton.final[automaton.reached(word)[-1] - 1] == 1
    return v["w()"][2 * len(word) + 1] == v["S"] + v["K"] + (2 if accepted else 1)
