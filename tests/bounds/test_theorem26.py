"""The constants of Lemmas 25 and 28 to 33 of yang2026 and the temperature of Theorem 26, written down anew from the
paper with mpmath, for models of one to three layers, one or two heads, fractions and tokens that are added."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from math import log
from typing import Any

import mpmath
import pytest

import symcook as sc
from symcook.bounds.arguments import written
from symcook.bounds.theorem26 import Constants, at_most_one, fitted
from symcook.bounds.warmth import WARMEST, _last, rounded

MP = mpmath.mp.clone()
MP.dps = 50


def model(
    layers: int, heads: int = 1, big: str = "1", before: str | None = None, scored: bool = True
) -> sc.Transformer:
    """Words of two coordinates; each layer has heads with 3 x 2 queries, and a network of one unit."""
    b = sc.Builder(words={"a": {"x": "1/2", "y": 1}, "b": {"x": 0, "y": 1}, "^": {}}, before=before)
    for k in range(layers):
        for h in range(heads):
            scores = {("x", "y"): big, ("y", "y"): "1/3"} if scored else {}
            b.add(sc.head(scores, {f"v{k}{h}": f"v{k - 1}0" if k else "x"}, weighting="average"))
        if k % 2:
            b.add(sc.feedforward({f"r{k}": "-2/5*relu(x + 1/7)"}))
    b.readout("value", "each", "v00")
    return b.build("layers")


CASES = [
    (1, 1, "1", None), (1, 2, "7/2", "^"), (2, 1, "9/4", "^"), (2, 3, "1", None), (3, 2, "5/2", "^"), (4, 1, "3", None)
]  # fmt: skip


def sizes(m: sc.Transformer) -> tuple[int, Fraction, int]:
    """The greatest of width, key size and hidden units; the greatest size of a parameter, at least 1; the heads."""
    d, p, heads = len(m.space), Fraction(1), 1
    for layer in m.layers:
        found = list(layer.attention.heads) if layer.attention else []
        heads = max(heads, len(found))
        network = layer.feedforward
        grids: list[Any] = [g for h in found for g in (h.Q, h.K, h.V)]
        grids += [] if network is None else [network.W1, network.b1, network.W2, network.b2]
        d = max([d, *(h.Q.rows for h in found), network.hidden if network else 0])
        p = max([p, *(abs(Fraction(str(g[r, c]))) for g in grids for r in range(g.rows) for c in range(g.cols))])
    return d, p, heads


def greatest(d: int, p: Fraction, H: int, L: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """K of Lemmas 29, 30, 31 and 25, with H heads for the one of the paper."""
    K29 = 2 * (d**2 * p**2 + 1) * (H * d * p + 1)
    K31 = 3 * d**2 * p**2
    h_max = d * K29 ** (L - 1)
    return K29, d**2 * p**2 + 1, K31, (d**2 * p**2 + 1) * (H * d * p * h_max * 4 * K31 * h_max + H * d * p + 1)


def needed(K: Fraction, L: int, n: int, gamma: Fraction, x: Fraction, error: Fraction) -> Any:
    """gamma/tau: log(L K n x/eps) for one layer, else 2 (that + (L - 1)(log(2 K (L - 1) x^2/gamma) - 1))."""

    def of(f: Fraction) -> Any:
        return MP.mpf(f.numerator) / f.denominator

    first = MP.log(of(L * K * n * x / error))
    return first if L == 1 else 2 * (first + (L - 1) * (MP.log(of(2 * K * (L - 1) * x**2 / gamma)) - 1))


@pytest.mark.parametrize("case", CASES)
def test_constants_as_the_lemmas_have_them(case: tuple[int, int, str, str | None]) -> None:
    m = model(*case)
    d, p, H = sizes(m)
    L = case[0]
    K29, K30, K31, K25 = greatest(d, p, H, L)
    told = Constants(m).told()
    assert (int(told["d"]), Fraction(told["p_max"]), int(told["layers"]), int(told["heads"])) == (d, p, L, H)
    assert [Fraction(told[f"lemma{k}"]) for k in (28, 29, 30, 31, 25)] == [d * p, K29, K30, K31, K25]
    assert told["lemma32"] == "2*n*exp(-gamma/tau) + 4*eps/tau"
    assert told["lemma33"] == f"{written(H * d * p)}*({d}*h_max*eps_1 + eps) + eps"
    assert told["theorem26"] == Constants(m).rule("gamma", "x_max", "error")


@pytest.mark.parametrize("case", CASES)
def test_the_temperature_by_its_formula_and_from_below(case: tuple[int, int, str, str | None]) -> None:
    """The rule as it is printed is at most the formula, and the temperature of a length too, both nearly as great."""
    m = model(*case)
    L, added = case[0], 0 if case[3] is None else 1
    K = greatest(*sizes(m), L)[3]
    known, r = Constants(m), random.Random(26)
    for _ in range(12):
        n, x = r.randint(1, 60), Fraction(r.randint(1, 9), 1 if r.random() < 0.5 else 2)
        gamma, error = Fraction(1, r.randint(1, 30)), Fraction(1, r.randint(1, 40))
        x = max(x, Fraction(1))
        best = MP.mpf(gamma.numerator) / gamma.denominator / needed(K, L, n + added, gamma, x, error)
        tau = known.tau(n, gamma, x, error)
        assert 0 <= best - MP.mpf(tau.numerator) / tau.denominator <= best / 2**11
        rule = known.rule(f"({gamma})", f"({x})", f"({error})")
        assert rule is not None
        value = float(eval(rule.replace("^", "**"), {"log": log, "n": n}))
        assert value <= best * (1 + 1e-9)
        parts = 2 if L > 1 else 1
        rounding = parts / 100 * best * best * gamma.denominator / gamma.numerator  # a hundredth in the denominator
        assert best - value <= rounding * MP.mpf("1.01")
    one, half, third = Fraction(1), Fraction(1, 2), Fraction(1, 3)
    assert known.tau(5, Fraction(7), one, third) == known.tau(5, one, one, third)
    assert known.tau(5, half, one, Fraction(9)) == known.tau(5, half, one, one)


def test_no_rule_without_scores() -> None:
    known = Constants(model(2, scored=False))
    assert known.rule("1", "1", "1") is None and known.told()["theorem26"] == "1"


def test_a_model_without_layers_counts_as_one_of_one_head() -> None:
    bare = sc.Transformer("t", model(1).embedding, (), sc.Readout("value", "each", ("x",)))
    told = Constants(bare).told()
    assert (told["layers"], told["heads"], told["p_max"], told["d"]) == ("1", "1", "1", str(len(bare.space)))
    assert [Fraction(told[f"lemma{k}"]) for k in (29, 30, 31, 25)] == list(greatest(len(bare.space), Fraction(1), 1, 1))


def test_expressions_for_gaps_and_sizes() -> None:
    """c/n^k is at most every value and equal to one, c n^k at least every value, with k at most 3."""
    r = random.Random(7)
    seen = set()
    for _ in range(400):
        below, k = r.random() < 0.5, r.randint(0, 4)
        lengths = sorted(r.sample(range(1, 9), r.randint(1, 5)))
        values = {n: Fraction(r.choice([1, 1, 1, 2, 3])) * Fraction(n) ** (-k if below else k) for n in lengths}
        text = fitted(values, below)
        if text is None:
            continue
        _, _, power = text.partition("/n" if below and "/n" in text else "n")
        got = {n: Fraction(str(eval_at(text, n))) for n in lengths}
        assert all(got[n] <= values[n] if below else got[n] >= values[n] for n in lengths), (values, text)
        assert any(got[n] == values[n] for n in lengths), (values, text)
        seen.add((below, text.count("n"), power))
    assert len(seen) > 6


def eval_at(text: str, n: int) -> Fraction:
    """An expression of numbers, n, *, / and ^ in fractions."""
    text = re.sub(r"\d+", lambda d: f"Fraction({d[0]})", text).replace("^Fraction", "**int")
    return eval(text, {"Fraction": Fraction, "n": Fraction(n), "int": int})


@pytest.mark.parametrize("text, expected", [
    ("1/2", "1/2"), ("3", "1"), ("3/n", "1/n"), ("3/n^2", "1/n^2"), ("1/n", "1/n"), ("2/3/n^2", "2/3/n^2"), ("1", "1"),
    ("1/(n + 1)", "min(1/(n + 1), 1)"), ("n", "min(n, 1)"), ("2*n", "min(2*n, 1)"), ("7/2/n^3", "1/n^3"),
    ("(1/n)", "min((1/n), 1)"), ("2/n - 3/(2*n)", "min(2/n - 3/(2*n), 1)"), ("1/n + 5", "min(1/n + 5, 1)"),
    ("1/n^2 + 1", "min(1/n^2 + 1, 1)"), ("3/n*2", "min(3/n*2, 1)"), ("1/n/n", "min(1/n/n, 1)"),
])  # fmt: skip
def test_gaps_are_at_most_one(text: str, expected: str) -> None:
    assert at_most_one(text) == expected
    for n in (1, 2, 5):
        value = eval_at(text, n)
        shown = min(eval_at(text, n), Fraction(1)) if "min" in expected else eval_at(expected, n)
        assert shown <= min(value, Fraction(1))


def test_nearly_the_last_temperature() -> None:
    r = random.Random(5)
    for _ in range(60):
        last = Fraction(r.randint(1, 10**6), 10 ** r.randint(0, 9))
        found = _last(lambda tau, last=last: tau <= last)
        assert found <= last < found * Fraction(1001, 1000)
    assert _last(lambda _: True) == WARMEST > _last(lambda tau: tau < 2**40) > WARMEST * Fraction(999, 1000)


def test_numbers_from_below() -> None:
    import flint

    r = random.Random(11)
    for _ in range(50):
        value, bits = Fraction(r.randint(1, 10**9), r.randint(1, 10**9)), r.choice([3, 12])
        with flint.ctx.workprec(80):
            found = rounded(flint.arb(flint.fmpq(value.numerator, value.denominator)), bits)
        assert found <= value < found * (1 + Fraction(1, 2 ** (bits - 1)))
        odd = found.numerator // (found.numerator & -found.numerator)
        assert odd.bit_length() <= bits + 1 and found.denominator & (found.denominator - 1) == 0
