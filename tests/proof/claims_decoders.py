"""The statement about the decoder that writes down the run of an automaton, beside numbers of its own: columns computed
here with many digits, one after the other, for automata and words at random."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from proof.adequacy import adequate, column
from proof.claims_programs import Automaton, Decoder, F, big, normed, relu


class Runner(Decoder):
    """The decoder that puts out the first state too: one head, whose query is a position further."""

    def __init__(self, automaton: Automaton, letters: int, root: int, tokens: list[int]) -> None:
        self.automaton, self.S, self.R, self.tokens = automaton, letters, root, tokens
        self.K = len(automaton.final)
        self.T = self.S + self.K + 3
        self.values = {}
        codes = [[big(int(b == c)) for c in range(self.T)] for b in tokens]
        for i, code in enumerate(codes):
            self.rows("t", i, code)
            self.at("other", i, big(1 - 2 * (tokens[i] == 0)))
            self.at("u", i, big(int(tokens[i] == 0)))
            self.code_norm(("mu1", "dev1", "y1_v", "y1_minus", "y1_pad"), i, code)
            states = range(self.S + 1, self.S + self.K + 1)
            own = self.values["y1_v"]
            self.at("z1_u", i, self.values["u"][i] + sum((own[0, j] for j in range(i)), big(0)) / big(i or 1))
            self.at("d", i, sum((own[c, j] for j in range(i) for c in states), big(0)) / big(i or 1))
            u, d = self.values["z1_u"][i], self.values["d"][i]
            for tag, letter, x in (("", "a", d + u), ("_", "k", self.values["other"][i])):
                mean, deviation, hashed = normed([x, u, -x, -u], F(1, 2))
                self.at(f"mu2{tag}", i, mean)
                self.at(f"dev2{tag}", i, deviation)
                for c, value in enumerate(hashed, 1):
                    self.at(f"y2_{letter}{c}", i, value)
            self.code_norm(("mu2__", "dev2__", "y2_v", "y2_minus", "y2_pad"), i, code)
            found = self.found("a", i)
            self.rows("z", i, found, 1)
            last_norm(self, "2", "___", i, (("vt", code, 0), ("vz", found, 1)))
            self.scores(i)

    def scores(self, i: int) -> None:
        x, z = ((lambda c, name=name: self.values[name][c, i]) for name in ("y2_vt", "y2_vz"))
        out, end = [big(0)] * self.T, self.S + self.K + 1
        state_units(self, out, x, z, lambda e: end + self.automaton.final[e - 1])
        out[self.S + self.automaton.first] += relu(sum(x(c) for c in range(self.S + 1)))
        for c in (end, end + 1):
            out[c] += relu(x(c))
        self.rows("o", i, out)


def state_units(run: Decoder, out: list[Any], x: Any, z: Any, verdict: Any) -> None:
    """The units of the states, for each letter and for none."""
    whole, letters = sum(x(c) for c in range(run.T)), range(1, run.S + 1)
    for e, row in enumerate(run.automaton.step, 1):
        for c in letters:
            out[run.S + row[c - 1]] += relu(x(run.S + e) + z(c) - whole)
        out[verdict(e)] += relu(x(run.S + e) - sum(z(c) for c in letters))


def last_norm(run: Decoder, layer: str, tag: str, i: int, parts: tuple[tuple[str, list[Any], int], ...]) -> None:
    """The norm before the last part, over the parts and their opposites; a part that begins at -1 is one coordinate."""
    half = [x for _, values, _ in parts for x in values]
    mean, deviation, made = normed([*half, *(-x for x in half)], 1)
    run.at(f"mu{layer}{tag}", i, mean)
    run.at(f"dev{layer}{tag}", i, deviation)
    start = 0
    for sign in "vm":
        for name, values, first in parts:
            name, cells = f"y{layer}_{sign}{name[1:]}", made[start : start + len(values)]
            if first < 0:
                run.at(name, i, cells[0])
            else:
                run.rows(name, i, cells, first)
            start += len(values)


def drawn(rng: random.Random, states: int) -> tuple[Automaton, int, int]:
    """An automaton at random, with how many letters it reads and the root of the padded width."""
    letters = rng.randint(1, 2)
    step = tuple(tuple(rng.randint(1, states) for _ in range(letters)) for _ in range(states))
    final = rng.choice([(0, 1), (1, 0)])[:states]
    return Automaton(rng.randint(1, states), step, final), letters, rng.choice([3, 4])


def said(run: Decoder, word: list[int], tokens: list[int], start: int = 0) -> dict[str, Any]:
    """The numbers of a run by their names in a statement; `tokens` are what it read, from position `start` on, and the
    one behind."""
    automaton = run.automaton
    return {
        "m": F(len(word)), "n": F(len(run.tokens)), "w()": column(tokens, start),
        "q()": column(automaton.reached(word), 0),
        "K": F(run.K), "S": F(run.S), "first": F(automaton.first), "R": F(run.R), "v": [F(c) for c in range(run.T)],
        "delta()": {(e, c): F(s) for e, row in enumerate(automaton.step, 1) for c, s in enumerate(row, 1)},
        "final()": column(automaton.final),
        **{f"{name}()": dict(cells) for name, cells in run.values.items()},
        "automaton": automaton, "word": word, "run": "decoded",
    }  # fmt: skip


def decodings() -> Iterator[dict[str, Any]]:
    rng = random.Random("runs of automata")
    for k in range(12):
        states = min(k + 1, 2)
        automaton, letters, root = drawn(rng, states)
        word = [rng.randint(1, letters) for _ in range((0, 1, 2, 2)[k % 4])]
        tokens = [0, *word]
        while len(tokens) < 2 * len(word) + 3:
            tokens.append(Runner(automaton, letters, root, tokens).next())
        end, read = tokens[-1], tokens[:-1]
        run = Runner(automaton, letters, root, read)
        good = said(run, word, tokens)
        yield good
        yield good | {"w()": column([*read, end + (1 if end == letters + states + 1 else -1)], 0), "run": "other end"}
        if states == 2:  # another state is read in place of the first one
            other = [0, *word, letters + 3 - automaton.first, *tokens[len(word) + 2 : -1]]
            wrong = Runner(automaton, letters, root, other)
            yield good | said(wrong, word, [*other, end]) | {"run": "other state"}
            yield good | {"q()": column([3 - q for q in automaton.reached(word)], 0), "run": "no run"}
        scores = dict(run.values["o"])
        scores[0, 0] += big(9)
        yield good | {"o()": scores, "run": "no run"}


@adequate(
    "merrill2024.thm1.schedule",
    at=decodings(),
    misses=[
        ("final(q(m)))", "1)"),
        ("S + K + 1 + final", "S + K + final"),
        ("w(m + 1 + k) = S + q(k)", "w(m + 1 + k) = S + q(0) + 1"),
        ("-> reached(first, delta, q, w, m)", "-> true"),
        ("<-> v = S + q(0)", "<-> v = S + q(0) + 1"),
        ("all i in m..2*m + 1.", "all i in m..2*m."),
    ],
)
def every_run(v: Any) -> bool | None:
    """Exactly the decoded tokens are the states of the run, the first one first, and the verdict."""
    if v["run"] == "no run":
        return None
    word, automaton, letters, states = v["word"], v["automaton"], int(v["S"]), int(v["K"])
    walk = automaton.reached(word)
    wanted = [letters + s for s in walk] + [letters + states + 1 + automaton.final[walk[-1] - 1]]
    same = [v["w()"][len(word) + 1 + k] for k in range(len(word) + 2)] == wanted
    return same is (v["run"] == "decoded")
