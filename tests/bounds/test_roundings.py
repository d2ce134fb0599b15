"""bound error in a type of floats alone: against all orders of a sum, and against the error model said once more.

Weights and words are numbers of the type, so that roundings are all that moves. The numbers below are pairs, the exact
one and what roundings on the way add up to at most; the words of `symcook.domains.rounding` say what each step adds.
"""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from families import together
from runtimes import Runtime

import symcook as sc
from symcook.bounds import error_propagation

F = Fraction
MP = mpmath.mp.clone()
MP.dps = 50
TYPES = {"float32": (24, -126, 128), "float16": (11, -14, 16), "bfloat16": (8, -126, 128)}
NAMES = ("a", "b", "c", "d")


def bound(model: sc.Transformer, dtype: str, n: int) -> mpmath.mpf:
    found = error_propagation(model, n=n, dtype=dtype).value
    return MP.mpf(found.mid) + MP.mpf(found.rad)


def model(*layers: sc.Layer, words: Any = None, positions: Any = None) -> sc.Transformer:
    embedding = sc.Embedding(
        sc.Space(NAMES), words=words or {"x": {"a": 1, "b": "3/2"}}, positions=positions or {}, start=1
    )
    return sc.Transformer("made", embedding, layers, sc.Readout("value", "last", NAMES))


def network(
    W1: Any, b1: Any, W2: Any, b2: Any, kind: str = "relu", reads: Any = ("a", "b"), writes: Any = ("c",)
) -> sc.Layer:
    return sc.Layer(None, sc.FeedForward(reads, writes, W1, b1, W2, b2, kind))


# --- All orders -------------------------------------------------------------------------------------------------------


def orders(terms: list[Fraction], runtime: Runtime) -> set[float]:
    """What a sum may come to: two of the terms at a time, whichever."""
    if len(terms) == 1:
        return {float(terms[0])}
    found: set[float] = set()
    for j, k in itertools.combinations(range(len(terms)), 2):
        rest = [t for i, t in enumerate(terms) if i not in (j, k)]
        found |= orders([*rest, F(runtime.round(float(terms[j] + terms[k])))], runtime)
    return found


@together("dtype", ["float16", "bfloat16"])
def test_a_sum_whose_exact_value_is_a_number_of_the_type(dtype: str) -> None:
    """(256 + 1) - 1 in bfloat16 is 255, since 257 is no number of it: what cancels in the end is lost on the way. In a
    network, in averages, and in a softmax with equal scores."""
    big = F(2) ** TYPES[dtype][0]
    for terms in (
        [big, F(1), F(-1)],
        [big, F(1), F(-1), F(0)],
        [F(1), F(1), F(2), F(-4)],
        [big / 2, F(3), F(-3), F(0)],
    ):
        words, k = {"x": {"a": 1}}, len(terms)
        exact, runtime = sum(terms, F(0)), Runtime(dtype)
        kept = [t for t in terms if t]
        worst = max(abs(F(total) - exact) for total in orders(kept, runtime))
        made = network([[1]] * k, [0] * k, [[str(t) for t in terms]], [0], reads=("a",))
        assert MP.mpf(worst.numerator) / worst.denominator <= bound(model(made, words=words), dtype, 1), terms
        if k != 4:  # the average of four is divided without rounding
            continue
        worst = max(abs(F(runtime.round(total / 4)) - exact / 4) for total in orders(kept, runtime))
        places = dict(zip(range(1, 5), terms, strict=True))
        at = " + ".join(f"({places[p]})*({q})" for p, q in LAGRANGE.items())
        for weighting in ("average", "softmax"):
            head = sc.Head(("a", "b"), ("c",), [[0, 1]], [[0, 1]], [[1, 0]], "none", weighting)
            plain = sc.Head(("a",), ("c",), [[0]], [[0]], [[1]], "none", weighting)
            for one in (head, plain):
                made = model(sc.Layer(one), words={"x": {"b": 1}}, positions={"a": at})
                assert MP.mpf(worst.numerator) / worst.denominator <= bound(made, dtype, 4), (terms, weighting)


LAGRANGE = {
    1: "(2 - i)*(3 - i)*(4 - i)/6",
    2: "(i - 1)*(3 - i)*(4 - i)/2",
    3: "(i - 1)*(i - 2)*(4 - i)/2",
    4: "(i - 1)*(i - 2)*(i - 3)/6",
}
"""Polynomials that are 1 at one of the positions 1 to 4, and 0 at the others."""


# --- The error model, step by step ------------------------------------------------------------------------------------

EXP_ULPS, GELU_ULPS = 4, 8
Pair = tuple[Any, Any]
"""An exact number and how far it may be off."""


class Steps:
    """What each step adds, for numbers of which only roundings are unknown."""

    def __init__(self, dtype: str) -> None:
        self.bits, self.least, _ = TYPES[dtype]
        self.unit, self.tiny = MP.mpf(2) ** -self.bits, MP.mpf(2) ** (self.least - self.bits)
        self.flushed = MP.mpf(2) ** self.least

    def holds(self, x: Any) -> bool:
        scaled = x * MP.mpf(2) ** 60
        whole = abs(int(MP.nint(scaled)))
        return x == 0 or (abs(scaled) == whole and whole // (whole & -whole) < 2**self.bits and abs(x) >= self.flushed)

    def size(self, x: Pair) -> Any:
        return abs(x[0]) + x[1]

    def rounded(self, x: Any, off: Any) -> Pair:
        if off == 0 and self.holds(x):
            return x, MP.mpf(0)
        return x, off + (abs(x) + off) * self.unit + self.tiny

    def times(self, a: Pair, b: Pair) -> Pair:
        if (0, 0) in (a, b):
            return MP.mpf(0), MP.mpf(0)
        return self.rounded(a[0] * b[0], a[1] * self.size(b) + (b[1] * self.size(a) if b[1] else 0))

    def growth(self, roundings: int) -> Any:
        return roundings * self.unit / (1 - roundings * self.unit)

    def total(self, terms: list[Pair]) -> Pair:
        kept = [t for t in terms if t != (0, 0)]
        if len(kept) < 2:
            return kept[0] if kept else (MP.mpf(0), MP.mpf(0))
        whole, off, size = sum(x for x, _ in kept), sum(e for _, e in kept), sum(map(self.size, kept))
        if off == 0:  # exact where all partial sums are numbers of the type: multiples of one power of two
            grid = MP.mpf(2) ** -40
            while all(x % (2 * grid) == 0 for x, _ in kept):
                grid *= 2
            if size / grid <= 2**self.bits:
                return whole, MP.mpf(0)
        return whole, off + size * self.growth(len(kept) - 1)

    def over(self, a: Pair, by: int) -> Pair:
        return a if by == 1 else self.rounded(a[0] / by, a[1] / by)

    def row(self, terms: list[tuple[Pair, Any]], bias: Any = 0) -> Pair:
        first = [(MP.mpf(bias), MP.mpf(0))] if bias else []
        return self.total(first + [x if c == 1 else self.times((MP.mpf(c), MP.mpf(0)), x) for x, c in terms])

    def softmax(self, scores: list[Any], values: list[Pair]) -> Pair:
        """Scores are exact. Each weight: the difference, the exponential and a product; then two sums and a quotient;
        a weight below the least normal number may be lost."""
        k, u = len(scores), self.unit
        if k == 1:
            return values[0]
        weights = [MP.exp(s) / sum(MP.exp(t) for t in scores) for s in scores]
        weight = MP.exp(2 * max(map(abs, scores)) * u) * (1 + 2 * EXP_ULPS * u) * (1 + u) - 1
        above = (1 + weight) * (1 + u) * (1 + self.growth(k - 1))
        below = 1 - ((1 + weight) * (1 + self.growth(k - 1)) - 1)
        size = sum(w * self.size(v) for w, v in zip(weights, values, strict=True))
        lost = 4 * k * (self.flushed + self.tiny) * (1 + max(map(self.size, values)))
        off = size * (above * (1 + u) / below - 1) + lost + self.tiny
        off += sum(w * e for w, (_, e) in zip(weights, values, strict=True))
        return sum(w * x for w, (x, _) in zip(weights, values, strict=True)), off

    def gelu(self, x: Any, kind: str) -> Pair:
        factor = {
            "gelu": lambda: MP.ncdf(x),
            "gelu-tanh": lambda: (1 + MP.tanh(MP.sqrt(2 / MP.pi) * (x + MP.mpf("0.044715") * x**3))) / 2,
            "gelu-sigmoid": lambda: 1 / (1 + MP.exp(-MP.mpf("1.702") * x)),
        }[kind]()
        if x == 0:
            return MP.mpf(0), MP.mpf(0)
        product = abs(x) * 2 * GELU_ULPS * self.unit + abs(x * factor) * self.unit * (1 + 2 * GELU_ULPS * self.unit)
        return x * factor, product + self.tiny

    def norm(self, entries: list[Pair], epsilon: Any, gain: list[Any], bias: list[Any]) -> list[Pair]:
        k = len(entries)
        mean = self.over(self.total(entries), k)
        centred = [self.total([x, (-mean[0], mean[1])]) for x in entries]
        squares = [self.times(x, x) for x in centred]
        squares = [
            self.rounded(x[0] ** 2, 2 * x[1] * self.size(x)) if x[1] else s
            for x, s in zip(centred, squares, strict=True)
        ]
        below = self.total([self.over(self.total(squares), k), (MP.mpf(epsilon), MP.mpf(0))])
        least = max(below[0] - below[1], MP.mpf(epsilon))
        root = self.rounded(MP.sqrt(below[0]), below[1] / (2 * MP.sqrt(least)))
        smallest = root[0] - root[1]
        found = []
        for x, g, b in zip(centred, gain, bias, strict=True):
            ratio = self.size(x) / smallest
            quotient = self.rounded(x[0] / root[0], x[1] / smallest + root[1] * ratio / smallest)
            found.append(self.row([(quotient, g)], b))
        return found


def close(found: Any, expected: Any, what: Any) -> None:
    """As great as the error model says, and not greater but for what balls round."""
    assert expected * (1 - MP.mpf(10) ** -25) <= found <= expected * (1 + MP.mpf(10) ** -6), (what, found, expected)


def exactly(*numbers: Any) -> list[Pair]:
    return [(MP.mpf(F(x).numerator) / F(x).denominator, MP.mpf(0)) for x in numbers]


EVERY = list(TYPES)


@together("dtype", EVERY)
def test_networks(dtype: str) -> None:
    """Products, sums of products and biases, and the sum with the stream."""
    r, steps = random.Random(5), Steps(dtype)
    for _ in range(30):
        a, b = (r.choice(["1", "3/2", "-5/4", "77/64"]) for _ in range(2))
        W1 = [[r.choice(["1", "-1", "3", "99/64", "-7/8"]) for _ in range(2)] for _ in range(2)]
        b1, b2 = ([r.choice(["0", "1", "65/64", "-33/32"]) for _ in range(size)] for size in (2, 1))
        W2 = [[r.choice(["1", "-1", "101/64", "3"]) for _ in range(2)]]
        kind = r.choice(["relu", "step"])
        made = model(network(W1, b1, W2, b2, kind, writes=("b",)), words={"x": {"a": a, "b": b}})
        stream = exactly(a, b)
        inside = [
            steps.row([(x, number(c)) for x, c in zip(stream, row, strict=True)], number(bias))
            for row, bias in zip(W1, b1, strict=True)
        ]
        if any(abs(x) <= e for x, e in inside):
            continue
        seen = [x if x[0] > 0 else (MP.mpf(0), MP.mpf(0)) for x in inside]
        hidden = [(MP.mpf(x[0] > 0), MP.mpf(0)) for x in seen] if kind == "step" else seen
        terms = [(stream[1], 1), *((h, number(c)) for h, c in zip(hidden, W2[0], strict=True))]  # one sum, as exported
        expected = steps.row(terms, number(b2[0]))[1]
        close(bound(made, dtype, 1), expected, (a, b, W1, b1, W2, b2, kind))


def number(text: Any) -> Any:
    return MP.mpf(F(text).numerator) / F(text).denominator


@together("dtype", EVERY)
@together("kind", ["gelu", "gelu-tanh", "gelu-sigmoid"])
def test_gelus(dtype: str, kind: str) -> None:
    steps = Steps(dtype)
    for x in ("0", "1", "-1", "3/4", "-5/2", "3"):
        made = model(network([[x]], [0], [[1]], [0], kind, reads=("a",)), words={"x": {"a": 1}})
        close(bound(made, dtype, 1), steps.gelu(number(x), kind)[1], (kind, x))


@together("dtype", EVERY)
def test_attention(dtype: str) -> None:
    """Softmax with scores at each temperature, masks with rows of one and of none, and plain averages of values that
    are themselves off, by a product with a weight."""
    steps = Steps(dtype)
    seen = {"none": lambda i: range(1, 5), "future": lambda i: range(1, i + 1), "strict-future": lambda i: range(1, i)}
    for mask, sees in seen.items():
        for temperature, weight, plain in [
            ("1", "1", False), ("2", "1", False), ("1/2", "77/64", False), ("1", "-1", False), ("1", "1", True),
            ("1", "77/64", True),
        ]:  # fmt: skip
            Q, K = ([[0]], [[0]]) if plain else ([[1]], [["1/2"]])
            heads = sc.Head(("a",), ("c",), Q, K, [[weight]], mask, "softmax", temperature=temperature)
            made = model(sc.Layer(heads), words={"x": {}}, positions={"a": "2*i - 4"})
            worst = MP.mpf(0)
            for i in range(1, 5):
                values = [steps.times(exactly(weight)[0], exactly(2 * j - 4)[0]) if number(weight) != 1
                          else exactly(2 * j - 4)[0] for j in sees(i)]  # fmt: skip
                if not values:
                    continue
                if plain:
                    off = steps.over(steps.total(values), len(values))[1]
                else:
                    scores = [MP.mpf(2 * i - 4) * (j - 2) / number(temperature) for j in sees(i)]
                    off = steps.softmax(scores, values)[1]
                worst = max(worst, off)
            found = bound(made, dtype, 4)
            close(found, worst, (mask, temperature, weight, plain)) if worst else None
            assert worst or found == 0


@together("dtype", EVERY)
def test_norms(dtype: str) -> None:
    """Before a network that passes everything on, and behind one."""
    steps = Steps(dtype)
    for entries in (("1", "3/2", "-1", "1/2"), ("3", "77/64", "0", "-2"), ("8", "-8", "0", "0")):
        for epsilon, gain, bias in ((1, [1, 1, 1, 1], [0, 0, 0, 0]), ("1/4", [2, "3/2", -1, 1], [1, 0, "77/64", -1])):
            norm = sc.LayerNorm(NAMES, gain=gain, bias=bias, epsilon=epsilon)
            nothing = sc.FeedForward(NAMES, ("a",), [[0] * 4], [0], [[0]], [0])
            words = {"x": dict(zip(NAMES, entries, strict=True))}
            made = model(sc.Layer(None, nothing, (), (norm,), "post"), words=words)
            expected = steps.norm(exactly(*entries), number(epsilon), list(map(number, gain)), list(map(number, bias)))
            close(bound(made, dtype, 1), sum(e for _, e in expected), (entries, epsilon))


def test_what_is_beyond_the_type() -> None:
    """A number at the end of float16 is left open, and one of half its size is not."""
    for weight, fits in (("30000", True), ("45000", False)):
        made = model(network([[1]], [0], [[weight]], [0], reads=("a",)), words={"x": {"a": "3/2"}})
        if fits:
            assert bound(made, "float16", 1) < 64
        else:
            with pytest.raises(sc.BadInput, match="beyond the type"):
                bound(made, "float16", 1)


@together("dtype", ["float32", "float16"])
def test_an_error_beside_the_roundings(dtype: str) -> None:
    """A change of the embedding that is next to nothing adds next to nothing to what a type of floats does, weights
    that it does not hold among it; a change that is much greater than the roundings is all that there is."""
    words = {"x": {"a": "1/3", "b": 2}, "y": {"a": "-1/7", "c": 1}}
    head = sc.Head(("a", "b"), ("c", "d"), [["1/3", 1]], [[1, "1/5"]], [["1/7", 1], [1, 1]], "future", "softmax")
    net = sc.FeedForward(("a", "c"), ("b",), [["1/3", "1/9"], [1, 0]], ["1/11", 0], [["3/7", 1]], ["1/13"], "gelu")
    norm = sc.LayerNorm(NAMES, gain=["1/3"] * 4, bias=[0] * 4, epsilon="1/10")
    made = model(sc.Layer(head), sc.Layer(None, net, (), (norm,), "post"), words=words, positions={"d": "i/3"})

    def answer(**given: Any) -> Any:
        found = error_propagation(made, n=2, **given).value
        return MP.mpf(found.mid) + MP.mpf(found.rad)

    alone, beside = answer(dtype=dtype), answer(dtype=dtype, delta="1/10^30")
    assert alone <= beside <= alone * MP.mpf("1.1")  # entries that may move apart are no longer known to be equal
    if dtype == "float32":
        plain, both = answer(delta="1/1000"), answer(dtype=dtype, delta="1/1000")
        assert plain + alone / 10 < both < plain * (1 + MP.mpf(10) ** -2)


def test_which_word_is_named() -> None:
    """The first word and the first position at which the greatest change is met; of other words none."""
    words = {"x": {"a": 1}, "y": {"a": -1}, "z": {"a": 1}}
    W1 = [[1, 0], [-1, 0]]
    for W2, place, said in (([[2, 1]], 1, "xx"), ([[1, 2]], 2, "xy"), ([[1, 1]], 1, "xx")):
        made = model(network(W1, ["1/2", "1/2"], W2, [0]), words=words)
        found = error_propagation(made, delta="1/1000", n=2)
        assert found.extra["coordinate c"].endswith(f", at position {place} of {said}"), (W2, found.extra)


def test_a_norm_that_refuses() -> None:
    """A word with equal entries has no run, and so no bound: said with the position."""
    norm = sc.LayerNorm(NAMES, epsilon=0, zero_variance="refuse")
    nothing = sc.FeedForward(NAMES, ("a",), [[0] * 4], [0], [[0]], [0])
    for entries, runs in (({}, False), ({"a": 1}, True)):
        made = model(sc.Layer(None, nothing, (), (norm,), "post"), words={"x": entries})
        if runs:
            assert bound(made, "float32", 1) > 0
        else:
            with pytest.raises(sc.BadInput, match=r"i = 1|position 1"):
                bound(made, "float32", 1)
