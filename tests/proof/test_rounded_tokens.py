"""The decoder of Theorem 1 of merrill2024 on machines that round, with the bits of lem.rounded_automaton, and near
misses of its lemmas."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from proof.roundingmachine import Bits, Machine, Style
from proof.stored import load_module

from symcook.errors import BadInput, Rejected
from symcook.proof import replay
from symcook.proof.runrel import stored_model
from symcook.proof.search.prooftext import BadProof
from symcook.proof.search.tactics import Stuck

WORDS = ("$", "a", "b", "p", "q", "no", "yes")
R = 3
"""The size R of the stored decoder: S + K + 3 = 7 <= R^2."""


class Typed(Machine):
    """A machine that reads these tokens."""

    def __init__(self, typed: Sequence[int], bits: Bits, style: Style, rng: random.Random) -> None:
        self.typed = dict(enumerate(typed))
        super().__init__(stored_model("automaton-run-parity"), bits, style, len(typed), rng)

    @property
    def tokens(self) -> Mapping[int, int]:
        return self.typed

    @tokens.setter
    def tokens(self, drawn: Mapping[int, int]) -> None:
        """The tokens that were drawn are not read."""


def generated(string: str) -> list[str]:
    """The states p, q by the number of b's read so far, from the first one on, and the verdict, by hand."""
    states = ["pq"[string[:k].count("b") % 2] for k in range(len(string) + 1)]
    return [*states, "yes" if states[-1] == "q" else "no"]


def least_bits(n: int, truncated: bool) -> int:
    """The least p with 2048*(n + R)^4*u <= 1, where u is 2^-p, or 2^(1 - p) for truncation."""
    return next(p for p in range(99) if 2048 * (n + R) ** 4 <= 2 ** (p - truncated))


def chosen(tokens: Sequence[str], bits: int, mode: str, seed: int) -> list[str | None]:
    """The token with the strictly largest score at each position; None in a tie."""
    rng = random.Random(f"{tokens} {seed}")
    machine = Typed([WORDS.index(token) for token in tokens], Bits(bits, mode, rng), Style.drawn(rng), rng)
    answers: list[str | None] = []
    for i in range(len(tokens)):
        scores = [Fraction(machine.values[f"o{label}"][i]) for label in range(len(WORDS))]
        answers.append(WORDS[scores.index(max(scores))] if scores.count(max(scores)) == 1 else None)
    return answers


STRINGS = [*map("".join, (string for m in range(4) for string in product("ab", repeat=m)))]


@pytest.mark.layer_one(0, 4, 9)
@pytest.mark.parametrize("string", STRINGS)
def test_machines_with_these_bits_generate_the_run(string: str) -> None:
    """From the last symbol on each answer is the next state, then the verdict; before it, the first state."""
    tokens = ["$", *string, *generated(string)]
    m, n = len(string), 2 * len(string) + 2
    for seed, mode in enumerate(("nearest", "toward zero", "random", "adverse")):
        bits = least_bits(n, mode != "nearest")
        answers = chosen(tokens[:-1], bits, mode, seed)
        assert answers[m:] == tokens[m + 1 :] and answers[:m] == ["p"] * m


@pytest.mark.sweep
def test_machines_with_few_bits_do_not() -> None:
    """With 4 bits some string of three symbols goes wrong: the number of bits is a premise."""
    assert any(
        chosen(["$", *string, *generated(string)][:-1], 4, "adverse", seed)[3:] != generated(string)
        for string in STRINGS[-8:]
        for seed in range(5)
    )


# --- Near misses ------------------------------------------------------------------------------------------------------

NEAR = [
    ("lem.rounded_ahead", "3*g <= 4*N", "g <= 4*N"),
    ("lem.bits_for_automata", "+ 12 <= p", "+ 11 <= p"),
    ("lem.bits_for_automata", "4*log", "3*log"),
    ("lem.rounded_best", "o(l) < o(r))", "o(l) <= o(r))"),
    ("lem.rounded_leaks", "<= e*(S + K)", "<= e*S"),
    ("lem.rounded_leaks", "b = s & a = c -> t(s, c) != l", "b != s & a = c -> t(s, c) != l"),
    ("lem.rounded_opened", "-> g - e <=", "-> g <="),
    ("lem.rounded_found_sum", "<= 32*(R^2*h)", "<= 16*(R^2*h)"),
    ("lem.rounded_one_hot_sums", "<= g + m*(N - M + 1) + p", "<= g + m*(N - M + 1)"),
    ("lem.rounded_last_mean", "<= 13*h", "<= 6*h"),
    ("lem.rounded_automaton", "2048*", "512*"),
    ("lem.rounded_automaton_bits", "+ 12 <= b", "+ 10 <= b"),
    pytest.param("lem.rounded_last_norm", "<= 48*", "<= 24*", marks=pytest.mark.campaign),
    pytest.param("lem.rounded_score_low", "e*(S + 2*K + 3)", "e*(S + K)", marks=pytest.mark.campaign),
    pytest.param("lem.rounded_choice", "8*(R^2*e) <= g", "(R^2*e) <= g", marks=pytest.mark.campaign),
    pytest.param("lem.rounded_automaton_token", "1024*(R^4*h)", "512*(R^4*h)", marks=pytest.mark.campaign),
    pytest.param("lem.rounded_automaton_decodes", "final(q(m))", "final(q(0))", marks=pytest.mark.campaign),
]


@pytest.mark.layer_one(0, 1, 3)
@pytest.mark.parametrize(("name", "old", "new"), NEAR)
def test_a_near_miss_about_tokens_has_no_proof(name: str, old: str, new: str) -> None:
    """With fewer bits, a tie or a smaller error than there is the text of a lemma proves nothing."""
    build, known = load_module("build"), replay.statements()
    text = known[name].written
    assert old in text
    changed: Any = replace(known[name], written=text.replace(old, new))
    with pytest.raises((Stuck, BadProof, Rejected, BadInput)):
        build.build(name, build.script_of(name), {**known, name: changed})
