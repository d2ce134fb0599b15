"""The statements about decoders of automata without strict masks and without $, beside numbers of their own: columns
computed here with many digits, one after the other, for automata and words at random."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from proof.adequacy import adequate, column
from proof.claims_decoders import drawn, last_norm, said, state_units
from proof.claims_programs import Automaton, Decoder, F, big, normed, relu

from symcook.proof.grammar import leading_names
from symcook.proof.replay import statements


class Seeing(Decoder):
    """The decoder whose columns see themselves: one head, whose query counts the own state."""

    def __init__(self, automaton: Automaton, letters: int, root: int, tokens: list[int]) -> None:
        self.automaton, self.S, self.R, self.tokens = automaton, letters, root, tokens
        self.K = len(automaton.final)
        self.T = self.S + self.K + 3
        self.values = {}
        for i, token in enumerate(tokens):
            code = [big(int(token == c)) for c in range(self.T)]
            self.rows("t", i, code)
            self.at("one", i, big(1))
            self.code_norm(("mu1", "dev1", "y1_v", "y1_minus", "y1_pad"), i, code)
            own, states = self.values["y1_v"], range(self.S + 1, self.S + self.K + 1)
            u = sum(own[0, j] for j in range(i + 1)) / big(i + 1)
            d = sum(own[c, j] for j in range(i + 1) for c in states) / big(i + 1)
            self.at("u", i, u)
            self.at("d", i, d)
            for tag, letter, x in (("", "a", d + u), ("_", "k", 1 - u - code[0])):
                mean, deviation, hashed = normed([x, u, -x, -u], F(1, 2))
                self.at(f"mu2{tag}", i, mean)
                self.at(f"dev2{tag}", i, deviation)
                for c, value in enumerate(hashed, 1):
                    self.at(f"y2_{letter}{c}", i, value)
            self.code_norm(("mu2__", "dev2__", "y2_v", "y2_minus", "y2_pad"), i, code)
            found = looked_up(self.values, "y2", "a", i, range(i + 1), self.S)
            self.rows("z", i, found, 1)
            parts = (("vt", code, 0), ("vz", found, 1))
            last_norm(self, "2", "___", i, parts)
            self.scores(i)

    def scores(self, i: int) -> None:
        x, z = ((lambda c, name=name: self.values[name][c, i]) for name in ("y2_vt", "y2_vz"))
        out, letters, end = [big(0)] * self.T, range(1, self.S + 1), self.S + self.K + 1
        state_units(self, out, x, z, lambda e: end + self.automaton.final[e - 1])
        whole, first = sum(x(c) for c in range(self.T)), self.automaton.first
        for c in letters:
            out[self.S + self.automaton.step[first - 1][c - 1]] += relu(sum(x(a) for a in letters) + z(c) - whole)
        out[end + self.automaton.final[first - 1]] += relu(x(0))
        for c in (end, end + 1):
            out[c] += relu(x(c))
        self.rows("o", i, out)


class Unmarked(Decoder):
    """The decoder without $: the first column is that before which nothing stands. Token 0 is no, the last yes."""

    def __init__(self, automaton: Automaton, letters: int, root: int, tokens: list[int]) -> None:
        self.automaton, self.S, self.R, self.tokens = automaton, letters, root, tokens
        self.K = len(automaton.final)
        self.T = self.S + self.K + 2
        self.values = {}
        for i, token in enumerate(tokens, 1):
            code, before = [big(int(token == c)) for c in range(self.T)], range(1, i)
            self.rows("t", i, code)
            self.at("one", i, big(1))
            self.pair(("mu1", "dev1", "y1_e1", "y1_e2"), i, big(1), big(-1), 1, 0)
            later = sum((self.values["y1_e1"][j] for j in before), big(0)) / big(i - 1 or 1)
            self.at("later", i, later)
            self.code_norm(("mu2", "dev2", "y2_v", "y2_minus", "y2_pad"), i, code)
            self.pair(("mu2_", "dev2_", "y2_lead", "y2_behind"), i, 1 - later, later, F(1, 2), F(1, 2))
            own, states = self.values["y2_v"], range(self.S + 1, self.S + self.K + 1)
            u = sum((self.values["y2_lead"][j] for j in before), big(0)) / big(i - 1 or 1)
            d = sum((own[c, j] for j in before for c in states), big(0)) / big(i - 1 or 1)
            self.at("u", i, u)
            self.at("d", i, d)
            for tag, letter, x, y in (
                ("", "a", big(0), big(1)), ("_", "b", d + u, u + 1 - later), ("__", "k", later, u + 1 - later),
            ):  # fmt: skip
                mean, deviation, hashed = normed([x, y, -x, -y], F(1, 2))
                self.at(f"mu3{tag}", i, mean)
                self.at(f"dev3{tag}", i, deviation)
                for c, value in enumerate(hashed, 1):
                    self.at(f"y3_{letter}{c}", i, value)
            self.code_norm(("mu3___", "dev3___", "y3_v", "y3_minus", "y3_pad"), i, code)
            first, found = (looked_up(self.values, "y3", q, i, before, self.S) for q in "ab")
            self.rows("y", i, first, 1)
            self.rows("z", i, found, 1)
            parts = (("vt", code, 0), ("vy", first, 1), ("vz", found, 1), ("vlater", [later], -1))
            last_norm(self, "3", "____", i, parts)
            self.scores(i)

    def pair(self, names: tuple[str, ...], i: int, x: Any, y: Any, gain: Any, bias: Any) -> None:
        mean, deviation, made = normed([x, y], gain)
        for name, value in zip(names, (mean, deviation, *(big(bias) + v for v in made)), strict=True):
            self.at(name, i, value)

    def scores(self, i: int) -> None:
        x, y, z = ((lambda c, name=name: self.values[name][c, i]) for name in ("y3_vt", "y3_vy", "y3_vz"))
        out, letters, end = [big(0)] * self.T, range(1, self.S + 1), self.S + self.K + 1
        verdict = lambda e: end * self.automaton.final[e - 1]  # noqa: E731
        state_units(self, out, x, z, verdict)
        whole, step = sum(x(c) for c in range(self.T)), self.automaton.step[self.automaton.first - 1]
        for c in letters:
            out[self.S + step[c - 1]] += relu(sum(x(a) for a in letters) + y(c) - whole)
            out[verdict(step[c - 1])] += relu(x(c) - self.values["y3_vlater"][i])
        for c in (0, end):
            out[c] += relu(x(c))
        self.rows("o", i, out)

    def next(self) -> int:
        last = len(self.tokens)
        return max(range(self.T), key=lambda c: (self.values["o"][c, last], -c))


def looked_up(values: dict[str, Any], layer: str, query: str, i: int, seen: range, letters: int) -> list[Any]:
    """What a head finds of the letters among the positions that it sees."""
    scores = {j: sum(values[f"{layer}_{query}{c}"][i] * values[f"{layer}_k{c}"][j] for c in range(1, 5)) for j in seen}
    best = [j for j, s in scores.items() if s > max(scores.values()) - big(F(1, 10**40))]
    total = lambda c: sum((values[f"{layer}_v"][c, j] for j in best), big(0))  # noqa: E731
    return [total(c) / big(len(best) or 1) for c in range(1, letters + 1)]


def decodings(made: Any, start: int) -> Iterator[dict[str, Any]]:
    """Automata and words with their tokens; and runs with another end, another state, or none at all."""
    rng = random.Random(f"variants {start}")
    for k in range(12):
        states = min(k + 1, 2)
        automaton, letters, root = drawn(rng, states)
        word = [rng.randint(1, letters) for _ in range((start, 1, 2, 3)[k % 4])]
        tokens = [*[0] * (1 - start), *word]
        while len(tokens) < 2 * len(word) + 2 - start:
            tokens.append(made(automaton, letters, root, tokens).next())
        end, read = tokens[-1], tokens[:-1]
        run = made(automaton, letters, root, read)
        good = said(run, word, tokens, start)
        yield good
        other = run.T - 1 if end != run.T - 1 else 0 if start else end - 1
        yield good | {"w()": column([*read, other], start), "run": "other end"}
        scores = dict(run.values["o"])
        scores[0, start] += big(9)
        yield good | {"o()": scores, "run": "no run"}
        if states == 2:
            yield good | {"q()": column([3 - q for q in automaton.reached(word)], 0), "run": "no run"}


def expected(v: Any, no: int, yes: int) -> list[int]:
    """The tokens behind the word by the automaton: its states from the second on, and the verdict."""
    walk = v["automaton"].reached(v["word"])
    return [int(v["S"]) + s for s in walk[1:]] + [(no, yes)[v["automaton"].final[walk[-1] - 1]]]


@adequate(
    "merrill2024.thm1.nonstrict",
    at=decodings(Seeing, 0),
    misses=[
        ("final(q(m)))", "1)"),
        ("S + K + 1 + final", "S + K + final"),
        ("w(m + k) = S + q(k)", "w(m + k) = S + q(0) + 1"),
        ("-> reached(first, delta, q, w, m)", "-> true"),
    ],
)
def by_columns_that_see_themselves(v: Any) -> bool | None:
    """Exactly the decoded tokens are the states of the run and the verdict."""
    if v["run"] == "no run":
        return None
    end, m = int(v["S"] + v["K"]) + 1, len(v["word"])
    same = [v["w()"][m + k] for k in range(1, m + 2)] == expected(v, end, end + 1)
    return same is (v["run"] == "decoded")


def unmarked() -> Iterator[dict[str, Any]]:
    """Also the empty word, behind which no column has run: with the scores of each token at position 0."""
    yield from decodings(Unmarked, 1)
    automaton, letters, root = drawn(random.Random("empty words"), 1)
    for token in range(letters + 3):
        empty = said(Unmarked(automaton, letters, root, []), [], [token], 1)
        scores = {(c, 0): big(int(c == token)) for c in range(letters + 3)}
        functions = {
            f"{name}()": {}
            for name in leading_names(statements()["merrill2024.thm1.nodollar"].expanded)
            if f"{name}()" not in empty
        }
        yield empty | functions | {"o()": scores}


@adequate("merrill2024.thm1.nodollar", at=unmarked(), false=True)
def without_a_start_printed(v: Any) -> bool | None:
    """The token behind the word and as many more is the verdict."""
    if v["run"] != "decoded":
        return None
    return v["w()"][2 * len(v["word"]) + 1] == expected(v, 0, int(v["S"] + v["K"]) + 1)[-1]


@adequate(
    "merrill2024.thm1.nodollar.corrected",
    at=unmarked(),
    misses=[
        ("final(q(m))*", "1*"),
        ("final(q(m))*(S + K + 1)", "final(q(m))*(S + K)"),
        ("-> reached(first, delta, q, w, m)", "-> true"),
    ],
)
def without_a_start(v: Any) -> bool | None:
    """The token m + 1 behind m letters is the verdict; where it is another one, nobody has put it out."""
    if v["run"] != "decoded" or not v["word"]:
        return None
    m = len(v["word"])
    tokens = [v["w()"][m + k] for k in range(1, m + 2)]
    return tokens[-1] == expected(v, 0, int(v["S"] + v["K"]) + 1)[-1]
