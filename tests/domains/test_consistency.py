"""Whether linear forms may hold together: answers against the simplex of the proof search, and their reasons."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from symcook.closed import every_length
from symcook.domains import consistency
from symcook.domains.consistency import Consistency, FormRow, Premises, row, solved
from symcook.domains.linear import SCALE, STRICT
from symcook.domains.names import I, J, N, count
from symcook.proof.inequalities.simplex import solve
from symcook.recipes import build

NAMES = (I, J, N, count("a"))
SMALL = Fraction(1, 10**9)


def drawn(draw: random.Random, strict: bool) -> list[FormRow]:
    """Rows with few names and small numbers, some of which say that a form is positive."""
    out = []
    for _ in range(draw.randint(2, 7)):
        terms = {v: draw.randint(-2, 2) for v in draw.sample(NAMES, draw.randint(1, 3))}
        above = {STRICT: -1} if strict and draw.random() < 0.4 else {}
        out.append(row((terms | above, Fraction(draw.randint(-5, 5), draw.choice((1, 1, 2))))))
    return out


def by_simplex(rows: list[FormRow]) -> bool:
    """The same by the simplex: a form less its slack is 0. What is positive is taken for a small number."""
    equations = []
    for k, (terms, c) in enumerate(rows):
        coefficients: dict[object, int] = dict(terms)
        small = coefficients.pop(STRICT, 0)
        scaled = {v: Fraction(x) for v, x in coefficients.items()}
        equations.append(({**scaled, f"slack {k}": Fraction(-1)}, -c - small * SMALL))
    return solve(equations, NAMES) is not None


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("strict", [False, True])
def test_answers_are_those_of_the_simplex_and_come_with_a_reason(strict: bool) -> None:
    draw, counts, wrong = random.Random(f"consistency {strict}"), {True: 0, False: 0}, []
    shared = Consistency()
    for _ in range(400):
        rows = drawn(draw, strict)
        expected = by_simplex(rows)
        cut = draw.randint(0, len(rows))
        if shared.possible(Premises(rows[:cut]), rows[cut:]) is not expected:
            wrong.append(rows)
        counts[expected] += 1
        rows = [*Premises(rows).least.items()]
        point, core = solved(rows)
        if point is None:
            assert set(core) <= set(rows) and not by_simplex(list(core))
        else:
            assert not strict or point[STRICT] > 0
            assert all(sum(x * point[v] for v, x in terms) + c * point[SCALE] >= 0 for terms, c in rows)
    assert not wrong
    assert min(counts.values()) > 50


def test_most_questions_about_a_model_are_answered_by_earlier_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    worked = []
    monkeypatch.setattr(consistency, "solved", lambda rows: worked.append(rows) or solved(rows))
    asked = []
    possible = Consistency.possible
    monkeypatch.setattr(Consistency, "possible", lambda *a: asked.append(a) or possible(*a))
    every_length(build("parity"))
    assert 0 < 4 * len(worked) < len(asked)
