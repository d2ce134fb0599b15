"""Answers of domains that round: what is called reliable, or decided, is right; exact numbers or precise balls say what
is right.

    python tests/attacks/test_rounding.py [COUNT] [SEED]

runs the attack on COUNT models and prints how many answers were left open.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import flint
import mpmath
import numpy as np
import pytest

from symcook.domains import make_domain
from symcook.domains.ball import BallDomain
from symcook.domains.rounding import EXP_ULPS, FORMATS, Format, Rounding
from symcook.errors import BadInput, Undecided
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import ACTIVATIONS, MASKS, WEIGHTINGS, FeedForward, Head, Layer, LayerNorm, Mask, SelfAttention
from symcook.model.transformer import Transformer
from symcook.run import run

NAMES = ("one", "a", "b", "c", "d")
RUNS: list[tuple[str, dict[str, Any]]] = [
    ("float64", {}), ("float32", {}), ("float16", {}), ("mpmath", {"digits": 15}), ("mpmath", {"digits": 40}),
    ("mpmath", {"bits": 8}), ("mpmath", {"bits": 24}), ("mpmath", {"bits": 60}),
]  # fmt: skip


def drawn(rng: random.Random) -> Transformer:
    """A model of words in x, y, z, with tokens of its own around them or not, that shows all its coordinates."""
    rational: list[Any] = [0, 0, 1, -1, 2, "1/2", "-1/3", "3/7", "1/10"]
    pool = rational + rng.choice([[], [], ["sqrt(2)", "-sqrt(3)/3", "log(2)", "exp(-1)"]])

    def matrix(rows: int, columns: int) -> list[list[Any]]:
        return [[rng.choice(pool) for _ in range(columns)] for _ in range(rows)]

    def head() -> Head:
        weighting, d = rng.choice(["average", "softmax", *WEIGHTINGS]), rng.choice([1, 2])
        writes = tuple(rng.sample(NAMES[1:], rng.choice([1, 2])))
        soft = weighting == "softmax"
        return Head(NAMES, writes, matrix(d, 5), matrix(d, 5), matrix(len(writes), 5), rng.choice(MASKS), weighting,
                    rng.choice([1, 1, "1/n", "i + 1", "1/log(n + 1)"]) if soft else 1,
                    rng.choice([1, "1/sqrt(d_key)"]) if soft else 1)  # fmt: skip

    def network() -> FeedForward:
        hidden = rng.choice([1, 2, 3])
        activation = rng.choice(["relu", "relu", "relu", *ACTIVATIONS])
        return FeedForward(NAMES, ("d", "b"), matrix(hidden, 5), matrix(hidden, 1), matrix(2, hidden), matrix(2, 1),
                           activation)  # fmt: skip

    def norm(projected: bool) -> LayerNorm:
        projection = [[int(r == c) or rng.choice([0, 0, "1/2"]) for c in range(5)] for r in range(5)]
        gain, bias = [rng.choice([1, -1, 2, "1/3"]) for _ in NAMES], [rng.choice([0, 0, 1, "1/7"]) for _ in NAMES]
        return LayerNorm(NAMES, NAMES, gain, bias, rng.choice([0, 1, "1/100", "1/100000"]),
                         projection if projected else None, rng.choice(["zero", "refuse"]))  # fmt: skip

    def layer() -> Layer:
        placement = rng.choice(["none", "none", "post", "pre", "projected pre"])
        heads = SelfAttention(tuple(head() for _ in range(rng.choice([1, 2]))))
        forwards = network() if rng.random() < 0.7 else None
        norms = [(norm(placement == "projected pre"),) if placement != "none" else () for _ in range(2)]
        return Layer(heads, forwards, norms[0], norms[1] if forwards else (), placement)

    words = {token: {"one": 1} | {name: rng.choice(pool) for name in NAMES[1:]} for token in ("x", "y", "z", "B", "E")}
    before, after = rng.choice([(None, None), ("B", None), ("B", "E")])
    words = {token: values for token, values in words.items() if token in ("x", "y", "z", before, after)}
    positions = rng.choice([{}, {"c": "i/n"}, {"d": "1/i"}, {"a": "(-1)^i"}, {"b": "sqrt(i)"}])
    embedding = Embedding(Space(NAMES), words, positions=positions, before=before, after=after)
    layers = tuple(layer() for _ in range(rng.choice([1, 1, 2])))
    return Transformer("drawn", embedding, layers, Readout("value", rng.choice(["first", "last"]), NAMES))


def precise(model: Transformer, tokens: tuple[str, ...], bits: int) -> Any:
    """The result in balls of so many bits; None where it has no value there, or balls leave a choice open."""
    domain = BallDomain(bits)
    with domain.context():
        try:
            return forward(model, tokens, domain)
        except (BadInput, Undecided):
            return None


def questions(seed: int, count: int) -> Iterator[tuple[Transformer, tuple[str, ...], bool]]:
    """Models with words whose decision has a margin of 10^-1 to 10^-45, or is a tie, and what is right."""
    rng = random.Random(seed)
    while count:
        model = drawn(rng)
        tokens = model.tokens("".join(rng.choice("xyz") for _ in range(rng.choice([1, 2, 3, 4, 6, 9]))))
        found = precise(model, tokens, 600)
        if found is None:
            continue
        with flint.ctx.workprec(600):
            values = found.values()
            name = rng.choice(NAMES[1:])
            if values["one"].contains(0):
                continue
            ratio = values[name] / values["one"]
            if not ratio.is_finite() or abs(ratio) > 10**6:
                continue
            middle = Fraction(*(int(part) for part in (ratio.mid().fmpq().p, ratio.mid().fmpq().q)))
        digits = rng.choice([1, 3, 5, 7, 9, 12, 14, 15, 16, 17, 20, 30, 45])
        near = Fraction(round(middle * 10**digits) + rng.choice([-1, 0, 1]), 10**digits)
        row = [-near if entry == "one" else int(entry == name) for entry in NAMES]
        model = replace(model, readout=Readout("sign", model.readout.position, NAMES, [row]))
        truth = precise(model, tokens, 4000)
        if truth is None or truth.accept is None:
            continue
        count -= 1
        yield model, tokens, truth.accept


def attack(count: int, seed: int) -> Counter[tuple[str, str]]:
    """How often each kind of run came to each end; AssertionError where one is wrong without saying so."""
    ends: Counter[tuple[str, str]] = Counter()
    for model, tokens, truth in questions(seed, count):
        word = [t for t in tokens if t not in (model.embedding.before, model.embedding.after)]
        for domain, options in RUNS:
            kind = " ".join([domain, *(f"{key}={value}" for key, value in options.items())])
            try:
                found = run(model, word, domain, **options)
            except (BadInput, Undecided) as error:
                ends[kind, "refused" if isinstance(error, BadInput) else "open"] += 1
                continue
            if found.simulates:
                assert found.result.reliable in (True, False)
                right = found.accept is truth
                assert right or not found.result.reliable, (seed, word, domain, options)
                ends[kind, ("reliable" if found.result.reliable else "right" if right else "wrong, and says so")] += 1
            else:
                assert found.accept in (truth, None), (seed, word, domain, options)
                ends[kind, "open" if found.accept is None else "reliable"] += 1
    return ends


@pytest.mark.sweep
@pytest.mark.parametrize("seed", [1, 3, 4, 5])
def test_what_is_reliable_is_right(seed: int) -> None:
    ends = attack(15, seed)
    assert ends["float64", "reliable"] > 5 and ends["float16", "wrong, and says so"] > 0


# --- A runtime that rounds as it likes, within the model --------------------------------------------------


def as_fraction(x: Any) -> Fraction:
    """A positive mpmath number."""
    return Fraction(int(x.man)) * Fraction(2) ** int(x.exp)


class Runtime:
    """Numbers of a format as Fractions. Sums run in a random order, by pairs or one by one, and exponentials are off by
    up to `EXP_ULPS`: what the error model allows, drawn at random."""

    def __init__(self, format: Format, rng: random.Random) -> None:
        self.format, self.rng = format, rng

    def round(self, x: Fraction) -> Fraction:
        if x == 0:
            return x
        exponent = abs(x.numerator).bit_length() - x.denominator.bit_length() - self.format.bits - 1
        while abs(x) >= Fraction(2) ** (exponent + self.format.bits):
            exponent += 1
        while abs(x) < Fraction(2) ** (exponent + self.format.bits - 1):
            exponent -= 1
        if self.format.least is not None:  # subnormal numbers have fewer bits
            exponent = max(exponent, self.format.least - self.format.bits + 1)
        return round(x / Fraction(2) ** exponent) * Fraction(2) ** exponent

    def total(self, parts: list[Fraction]) -> Fraction:
        left = list(parts)
        self.rng.shuffle(left)
        by_pairs = self.rng.random() < 0.5
        while len(left) > 1:
            first, second = left.pop(0), left.pop(0)
            left.insert(len(left) if by_pairs else 0, self.round(first + second))
        return left[0] if left else Fraction(0)

    def dot(self, first: list[Fraction], second: list[Fraction]) -> Fraction:
        if self.rng.random() < 0.3:  # fused, from the left
            total = Fraction(0)
            for a, b in zip(first, second, strict=True):
                total = self.round(total + a * b)
            return total
        return self.total([self.round(a * b) for a, b in zip(first, second, strict=True)])

    def softmax(self, scores: list[Fraction], values: list[Fraction]) -> Fraction:
        top = max(scores)
        weights = []
        for score in scores:
            moved = self.round(score - top)
            with mpmath.workprec(400):
                exact = mpmath.exp(mpmath.mpf(moved.numerator) / moved.denominator)
                value = as_fraction(exact)
            off = Fraction(self.rng.randint(-1000, 1000), 1000) * EXP_ULPS * Fraction(2) ** (1 - self.format.bits)
            near = self.round(value)
            weights.append(near if moved == 0 or abs(near * (1 + off) - value) > abs(off * value) else near * (1 + off))
        weights = [self.round(w) for w in weights]
        return self.round(self.dot(weights, values) / self.total(weights))

    def norm(self, entries: list[Fraction], epsilon: Fraction) -> list[Fraction]:
        mean = self.round(self.total(entries) / len(entries))
        centred = [self.round(x - mean) for x in entries]
        variance = self.round(self.round(self.dot(centred, centred) / len(entries)) + epsilon)
        with mpmath.workprec(400):
            root = mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator)
        below = self.round(as_fraction(root))
        return [self.round(c / below) for c in centred]


def holds(ball: Any, value: Fraction) -> bool:
    """Whether a set holds a number."""
    if isinstance(ball, flint.fmpq):
        return Fraction(int(ball.p), int(ball.q)) == value
    if not ball.is_finite():
        return True
    mid, rad = (Fraction(int(m)) * Fraction(2) ** int(e) for m, e in (ball.mid().man_exp(), ball.rad().man_exp()))
    return abs(mid - value) <= rad


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("format", [Format(5), Format(8), Format(11, -14, 16), Format(24, -126, 128)])
def test_the_sets_hold_what_such_a_runtime_computes(format: Format) -> None:
    rng = random.Random(format.bits)
    runtime, bounded = Runtime(format, rng), 0
    for trial in range(30):
        n = rng.choice([1, 2, 3, 5, 7])
        size = rng.choice([Fraction(1), Fraction(1, 10), Fraction(1, 1000)])
        draw = [[size * Fraction(rng.randint(-30, 30), rng.choice([1, 2, 3, 7])) for _ in range(n)] for _ in "qkv"]
        domain = Rounding(format)
        with domain.context():
            domain.begin(tuple(dict(zip("qkv", row, strict=True)) for row in zip(*draw, strict=True)), 1)
            columns = [domain.input(name) for name in "qkv"]
            q, k, v = ([runtime.round(x) for x in row] for row in draw)
            assert all(map(holds, columns[0], q))
            sets: list[list[Any]] = []
            weights = [Fraction(1, 3), Fraction(-2), Fraction(5, 7)]
            given = list(map(runtime.round, weights))
            sets.append(domain.linear(list(zip(columns, weights, strict=True)), Fraction(1, 10)))
            one, tenth = [Fraction(1)], runtime.round(Fraction(1, 10))
            computed = [[runtime.dot([*given, tenth], [*row, *one]) for row in zip(q, k, v, strict=True)]]
            sets.append(domain.attend([], [], [columns[2]], Mask.FUTURE, "average", 1)[0])
            computed.append(
                [runtime.round(runtime.total(v[: i + 1]) / runtime.round(Fraction(i + 1))) for i in range(n)]
            )
            with suppress(Undecided):  # few bits may leave open that a variance is above zero
                sets += domain.layer_norm(columns, Fraction(1, 100), "refuse")
                floor = runtime.round(Fraction(1, 100))
                normed = [runtime.norm(list(row), floor) for row in zip(q, k, v, strict=True)]
                computed += [list(column) for column in zip(*normed, strict=True)]
            sets.append(domain.attend([columns[0]], [columns[1]], [columns[2]], Mask.NONE, "softmax", 1)[0])
            computed.append([runtime.softmax([runtime.round(a * b) for b in k], v) for a in q])
        largest = 2.0 ** (format.most or 10**4) if format.most else float("inf")
        for place, (column, numbers) in enumerate(zip(sets, computed, strict=True)):
            for ball, number in zip(column, numbers, strict=True):
                assert abs(number) > largest or holds(ball, number), (trial, place)
                bounded += flint.arb(ball).is_finite()
    assert bounded > 250


def test_a_format_of_few_bits_is_not_held_by_the_sets_of_more() -> None:
    """The negative control of the test above."""
    domain = Rounding(Format(11))
    with domain.context():
        domain.begin(({"x": Fraction(1, 3)},), 1)
        (ball,) = domain.input("x")
    third = Runtime(Format(8), random.Random(0)).round(Fraction(1, 3))
    assert holds(ball, Fraction(1, 3)) and not holds(ball, third)


def test_scores_that_the_format_holds_are_rounded_as_products_too() -> None:
    """9*15 = 135 and 9*14 = 126 are both 128 in four bits (between 120, 128 and 144): a runtime sees a tie, and so the
    greatest score is not sure though every factor is a number of the format."""
    assert [Runtime(Format(4), random.Random(0)).round(Fraction(x)) for x in (135, 126)] == [128, 128]
    keys = ({"q": 9, "k": 15, "v": 1}, {"q": 9, "k": 14, "v": 0})
    for bits, sure in ((4, False), (8, True)):
        domain = Rounding(Format(bits))
        with domain.context():
            domain.begin(keys, 1)
            q, k, v = (domain.input(name) for name in "qkv")
            for weighting in ("average", "leftmost", "rightmost"):
                if sure:
                    assert domain.attend([q], [k], [v], Mask.NONE, weighting, 1)[0] == [1, 1]
                    continue
                with pytest.raises(Undecided, match="positions 1 and 2 in row 1"):
                    domain.attend([q], [k], [v], Mask.NONE, weighting, 1)


def test_integers_are_exact_as_far_as_the_format_holds_all_partial_sums() -> None:
    format = Format(11)
    assert format.total([flint.arb(x) for x in (900, -899, 47, -48)]) == 0
    exact, rounded = (format.total([flint.arb(x) for x in row]) for row in ((1000, 1000, 48), (2001, 2001, -3002)))
    assert exact.is_exact() and not rounded.is_exact() and holds(rounded, Fraction(1000))


def test_the_formats_are_those_of_numpy() -> None:
    for name, (stored, inner) in FORMATS.items():
        domain: Any = make_domain(name)
        for format, kind in ((stored, domain.kind), (inner, domain.wide)):
            info = np.finfo(kind)
            assert (format.bits, format.least, format.most) == (info.nmant + 1, info.minexp, info.maxexp)


# --- What the answers say --------------------------------------------------


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any, str]:
    from symcook.__main__ import main

    code = main([*arguments, "--json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if captured.out else None, captured.err


THIN = ("run", "dyck-1-nonuniform", "--set", "N=100", "--input")


def test_a_margin_below_the_rounding_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    from symcook.__main__ import main

    code, found, _ = document(capsys, *THIN, "())(", "--domain", "float64")
    assert (code, found["accept"], found["reliable"]) == (0, True, False)  # wrong, as a runtime would be
    code, found, _ = document(capsys, *THIN, "()()", "--domain", "float64")
    assert (code, found["accept"], found["reliable"]) == (0, True, True)
    code, found, error = document(capsys, *THIN, "())(", "--domain", "mpmath")
    assert (code, found["accept"]) == (3, None) and "was undecided" in error and "reliable" not in found
    for options in (["--domain", "mpmath", "--bits", "60"], ["--domain", "float32"]):
        assert document(capsys, *THIN, "())(", *options)[1]["reliable"] is False
    code, found, _ = document(capsys, "run", "gtzero", "--set", "x=1/3", "--set", "eps=1/10", "--domain", "float64")
    assert (code, found["reliable"]) == (0, None)  # nothing is decided
    assert main([*THIN, "())(", "--domain", "float64"]) == 0
    assert "the margin lies below the rounding bound of float64" in capsys.readouterr().out
    assert main([*THIN, "()", "--domain", "float64"]) == 0
    assert "margin" not in capsys.readouterr().out


@pytest.mark.sweep
def test_verdicts_of_mpmath_are_right_or_open() -> None:
    from symcook.recipes import build
    from symcook.spec.languages import dyck1

    ends = Counter()
    for size in (5, 64, 100, 10**6):
        model = build("dyck-1-nonuniform", N=str(size))
        rng = random.Random(size)
        for _ in range(25):
            word = "".join(rng.choice("()") for _ in range(rng.randint(1, min(size, 12))))
            found = run(model, word, "mpmath")
            assert found.accept in (dyck1(word), None), word
            ends[found.accept] += 1
    assert ends[True] and ends[False] and ends[None]


def test_a_value_that_rounding_has_eaten_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("run", "gtzero", "--set", "eps=1/10^400", "--set", "x=1", "--domain")
    code, found, error = document(capsys, *given, "mpmath")
    assert (code, [*found]) == (3, ["error"]) and "fewer than 30 digits" in error
    assert document(capsys, *given, "exact")[1]["output"] == {"out": "1"}
    for domain in ("float64", "float32", "float16"):
        code, found, error = document(capsys, *given, domain)
        assert (code, [*found], error.count("\n")) == (2, ["error"], 1)
        assert f"a value in {domain} must stay" in error


def extreme(rng: random.Random) -> Transformer:
    """A model whose weights lie at the ends of the range of floats and beyond."""
    size = rng.choice([3, 5, 38, 150, 308, 400])

    def weight() -> str:
        return f"{rng.choice([-1, 0, 1, 1, 3])}*10^{rng.choice([-size, 0, size, size // 2])}"

    def matrix(rows: int, columns: int) -> list[list[str]]:
        return [[weight() for _ in range(columns)] for _ in range(rows)]

    head = Head(NAMES, ("a", "b"), matrix(2, 5), matrix(2, 5), matrix(2, 5), rng.choice(MASKS), rng.choice(WEIGHTINGS))
    network = FeedForward(NAMES, ("c",), matrix(2, 5), matrix(2, 1), matrix(1, 2), matrix(1, 1),
                          rng.choice(ACTIVATIONS))  # fmt: skip
    norm = LayerNorm(NAMES, epsilon=rng.choice(["0", "1", f"10^-{size}"]), zero_variance="zero")
    placement = rng.choice(["none", "pre", "post"])
    norms = () if placement == "none" else (norm,)
    words = {token: {name: weight() for name in NAMES} for token in "xy"}
    labels: dict[str, Any] = {"weights": matrix(2, 5), "labels": ("p", "q")}
    readout = rng.choice([Readout("value", "each", NAMES), Readout("distribution", "last", NAMES, **labels),
                          Readout("sign", "last", NAMES, matrix(1, 5))])  # fmt: skip
    return Transformer(
        "extreme",
        Embedding(Space(NAMES), words),
        (Layer(SelfAttention((head,)), network, norms, norms, placement),),
        readout,
    )


def unending(value: Any) -> bool:
    """Whether an inf or a nan stands anywhere in a document."""
    if isinstance(value, dict):
        return any(map(unending, value.values()))
    if isinstance(value, list):
        return any(map(unending, value))
    return (isinstance(value, float) and not np.isfinite(value)) or value in ("inf", "-inf", "nan")


@pytest.mark.sweep
def test_no_float_run_ends_in_inf_or_nan() -> None:
    rng, answered = random.Random(3), 0
    for _ in range(120):
        model, word = extreme(rng), "".join(rng.choice("xy") for _ in range(rng.choice([1, 2, 3])))
        for domain in ("float64", "float32", "float16"):
            for trace in (False, True):
                try:
                    found = run(model, word, domain, trace=trace)
                except (BadInput, Undecided):
                    continue
                answered += 1
                assert not unending(found.to_json()), (domain, word)
                assert found.accept is not None or not model.decides
    assert answered > 50


if __name__ == "__main__":
    found = attack(*(int(text) for text in [*sys.argv[1:], "200", "1"][:2]))
    for (kind, end), number in sorted(found.items()):
        print(f"{kind:20} {end:20} {number}")
