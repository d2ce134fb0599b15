"""The definitions of the four papers as objects of symcook, each against a direct transcription of its formula.

A case builds the object from blocks as the definition says and names the claim that it belongs to. `formula` is the
definition in plain Python over lists: Fractions where it stays rational, mpmath at 50 digits where an exponential or a
root is irrational. Every case runs in every domain: the value agrees within what the domain means, or the domain
refuses with the reason that the case names. ``docs/reference/definitions.md`` is the same list in words.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isqrt
from typing import Any

import mpmath
import pytest
from checkout import ROOT
from families import in_parts, together

from symcook.bounds import softmax_hardmax
from symcook.claims import inventory
from symcook.decode import probability
from symcook.derivation import derive
from symcook.domains import DOMAINS, make_domain
from symcook.domains.batch import Words
from symcook.errors import BadInput, NotExact, SymcookError, Undecided
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import parse_formula
from symcook.model.modelfile import dumps, loads
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.rationals import truth
from symcook.model.symbols import symbol, to_sympy
from symcook.model.transformer import Parameter, Transformer
from symcook.recipes import build, info, names
from symcook.verify.sweep import check

F = Fraction
HALF, THIRD = F(1, 2), F(1, 3)
DIGITS = 50

# --- Plain arithmetic ------------------------------------------------------------------------------------------------


class Irrational(Exception):
    """The definition leaves the rationals here."""


class Rationals:
    """Fractions; exp(0), integer powers and square roots of squares are all that is there beyond + - * /."""

    def __call__(self, x: Any) -> Any:
        return F(x)

    def exp(self, x: Any) -> Any:
        if x != 0:
            raise Irrational
        return F(1)

    def power(self, base: int, x: Any) -> Any:
        if x.denominator != 1:
            raise Irrational
        return F(base) ** int(x)

    def root(self, x: Any) -> Any:
        if x >= 0:
            found = F(isqrt(x.numerator), isqrt(x.denominator))
            if found**2 == x:
                return found
        raise Irrational


class Decimals:
    """mpmath at the working precision."""

    def __call__(self, x: Any) -> Any:
        return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, (int, F)) else mpmath.mpf(x)

    def exp(self, x: Any) -> Any:
        return mpmath.exp(x)

    def power(self, base: int, x: Any) -> Any:
        return mpmath.exp(mpmath.log(base) * x)

    def root(self, x: Any) -> Any:
        return mpmath.sqrt(x)


Vector = list[Any]
Sequences = list[Vector]
NONE: Any = None  # a score of minus infinity


def times(W: Sequence[Sequence[Any]], x: Vector, N: Any) -> Vector:
    return [sum((N(w) * v for w, v in zip(row, x, strict=True)), N(0)) for row in W]


def dot(x: Vector, y: Vector, N: Any) -> Any:
    return sum((a * b for a, b in zip(x, y, strict=True)), N(0))


def plus(*vectors: Vector) -> Vector:
    return [sum(parts[1:], parts[0]) for parts in zip(*vectors, strict=True)]


def softmax(s: Vector, N: Any, tau: Any = 1) -> Vector:
    """e^(s_j/tau) / sum_k e^(s_k/tau), where exp(-infinity) = 0; zero in a row without any score."""
    powers = [N(0) if x is NONE else N.exp(x / N(tau)) for x in s]
    return [p / sum(powers) for p in powers] if any(x is not NONE for x in s) else powers


def maximal(s: Vector) -> list[int]:
    """I(s) of Definition 5.1."""
    top = max((x for x in s if x is not NONE), default=NONE)
    return [j for j, x in enumerate(s) if x is not NONE and x == top]


def ahardmax(s: Vector, N: Any) -> Vector:
    best = maximal(s)
    return [N(1) / len(best) if j in best else N(0) for j in range(len(s))]


def lhardmax(s: Vector, N: Any) -> Vector:
    return [N(int(j in maximal(s)[:1])) for j in range(len(s))]


def rhardmax(s: Vector, N: Any) -> Vector:
    return [N(int(j in maximal(s)[-1:])) for j in range(len(s))]


WEIGH = {"softmax": softmax, "average": ahardmax, "leftmost": lhardmax, "rightmost": rhardmax}
SEES: dict[str, Callable[[int, int], bool]] = {
    "none": lambda i, j: True,
    "future": lambda i, j: j <= i,
    "strict-future": lambda i, j: j < i,
    "past": lambda i, j: j >= i,
    "strict-past": lambda i, j: j > i,
}


def attend(
    z: Sequences, WQ: Any, WK: Any, WV: Any, N: Any, S: Any = softmax, mask: str = "none", width: int = 0
) -> Any:
    """Definition 2.3: s_ij = (WQ z_i).(WK z_j)/sqrt(d_key), alpha_i = S(s_i), c_i = sum_j alpha_ij WV z_j."""
    c = []
    for i in range(len(z)):
        q, below = times(WQ, z[i], N), N.root(N(width or len(WQ)))
        s = [dot(q, times(WK, z[j], N), N) / below if SEES[mask](i, j) else NONE for j in range(len(z))]
        alpha = S(s, N)
        v = [times(WV, z[j], N) for j in range(len(z))]
        c.append([sum((alpha[j] * v[j][r] for j in range(len(z))), N(0)) for r in range(len(WV))])
    return c


def relu(x: Vector, N: Any) -> Vector:
    return [max(N(0), v) for v in x]


def ffn(x: Vector, W1: Any, b1: Any, W2: Any, b2: Any, N: Any) -> Vector:
    """Definition 2.5: W2 ReLU(W1 x + b1) + b2."""
    return plus(times(W2, relu(plus(times(W1, x, N), list(map(N, b1))), N), N), list(map(N, b2)))


def norm(x: Vector, eps: Any, N: Any, gamma: Any = None, beta: Any = None) -> Vector:
    """Definition 6.1."""
    d = len(x)
    mu = sum(x, N(0)) / d
    variance = sum(((v - mu) ** 2 for v in x), N(0)) / d
    below = N.root(variance + N(eps))
    return [(v - mu) / below * N(g) + N(b) for v, g, b in zip(x, gamma or [1] * d, beta or [0] * d, strict=True)]


def unit_norm(x: Vector, N: Any) -> Vector:
    """merrill2024, Section 3.1: x'/||x'|| with x' = x - mean(x)."""
    mean = sum(x, N(0)) / len(x)
    moved = [v - mean for v in x]
    length = N.root(sum((v * v for v in moved), N(0)))
    return [v / length for v in moved]


# --- Cases -----------------------------------------------------------------------------------------------------------

AB = ("a", "b")
D4 = ("a", "b", "c", "d")
WE = {"x": [1, HALF], "y": [-1, 2]}
Formula = Callable[[Sequence[str], Any], Any]


@dataclass(frozen=True)
class Case:
    """A model, and what its definition says: at each position the numbers that the readout shows, in their order.

    `refused`: where a domain has no value, its reason. `answers` for readouts that decide, one a position.
    """

    claim: str
    what: str
    model: Transformer
    formula: Formula
    refused: dict[str, str] = field(default_factory=dict)
    answers: Formula | None = None
    words: tuple[str, ...] = ("x", "xy", "yxx", "xyyx")

    @property
    def label(self) -> str:
        return f"{self.claim}-{self.what}"


UNEVEN = "softmax score must be rational|numbers must be rational|mix exponentials"
SOFTMAX: dict[str, str] = {}
NO_NORM = {"batch": "no layer norm"}
EITHER = {"batch": f"{UNEVEN}|no layer norm"}
CASES: list[Case] = []


def case(claim: str, what: str, model: Transformer, formula: Formula, **more: Any) -> None:
    CASES.append(Case(claim, what, model, formula, **more))


def vectors(word: Sequence[str], N: Any, table: Any = None) -> Sequences:
    """z_i = we(x_i)."""
    return [[N(v) for v in (table or WE)[t]] for t in word]


def encoder(
    *layers: Layer,
    names: tuple[str, ...] = AB,
    table: Any = None,
    readout: Readout | None = None,
    parameters: tuple[Parameter, ...] = (),
    final_norm: LayerNorm | None = None,
    **embedding: Any,
) -> Transformer:
    """Layers over word vectors, shown at every position."""
    words = {t: dict(zip(names, v, strict=False)) for t, v in (table or WE).items()}
    return Transformer(
        "definition",
        Embedding(Space(names), words=words, **embedding),
        layers,
        readout or Readout("value", "each", names),
        parameters,
        final_norm=final_norm,
    )


Q1, K1 = [[1, 0]], [[1, 1]]
Q2, K2 = [[1, 0], [0, 1]], [[1, -1], [1, 0]]
Q4, K4 = [[1, 0], [1, 1], [0, 1], [0, -1]], [[1, 0], [0, 1], [1, 0], [1, 1]]
V = [[1, 2], [-1, HALF]]
NET = ([[1, -1], [HALF, 1], [0, 1]], [0, -1, HALF], [[1, 0, 2], [-1, HALF, 1]], [1, F(-1, 4)])


def head(Q: Any = Q4, K: Any = K4, W: Any = V, weighting: str = "softmax", mask: str = "none", **more: Any) -> Head:
    return Head(AB, AB, Q, K, W, mask, weighting, scale="1/sqrt(d_key)", **more)


def network(net: Any = NET, names: tuple[str, ...] = AB) -> FeedForward:
    return FeedForward(names, names, *net)


def residual(c: Sequences, z: Sequences) -> Sequences:
    return [plus(x, y) for x, y in zip(c, z, strict=True)]


# Cookbook, Section 2

case(
    "cookbook.s2.1.notation",
    "coordinatewise, length-preserving, sums by position, indicator",
    encoder(
        Layer(None, FeedForward(AB, AB, [[1, 0], [0, 1]], [0, 0], [[1, 0], [0, 1]], [0, 0])),
        Layer(None, FeedForward(AB, AB, [[1, 0], [0, 1]], [0, 0], [[1, 0], [0, 1]], [0, 0], "step")),
    ),
    lambda w, N: [[u + N(int(u > 0)) for u in (v + max(N(0), v) for v in z)] for z in vectors(w, N)],
)
POSITIONS = {"a": "i/n", "b": "1/i"}


def _def21(w: Sequence[str], N: Any) -> Any:
    n = len(w)
    z = [plus(x, [N(F(i, n)), N(F(1, i))]) for i, x in enumerate(vectors(w, N), 1)]
    for _ in range(2):
        z = residual(attend(z, [[0, 0]], [[0, 0]], V, N, mask="future"), z)
        z = [plus(ffn(c, *NET, N), c) for c in z]
    return z


UNIFORM = Layer(head([[0, 0]], [[0, 0]], mask="future"), network())
case("cookbook.s2.2.def2.1", "L = 2", encoder(UNIFORM, UNIFORM, positions=POSITIONS), _def21)
case(
    "cookbook.s2.2.def2.1",
    "L = 0",
    encoder(positions=POSITIONS),
    lambda w, N: [plus(x, [N(F(i, len(w))), N(F(1, i))]) for i, x in enumerate(vectors(w, N), 1)],
)


def _two_soft(w: Sequence[str], N: Any) -> Any:
    z = vectors(w, N)
    for mask in ("future", "none"):
        z = residual(attend(z, [[1, 0]], [[0, 1]], [[1, 0], [0, HALF]], N, mask=mask), z)
    return z


case(
    "cookbook.s2.2.def2.1",
    "L = 2, soft",
    encoder(*(Layer(head([[1, 0]], [[0, 1]], [[1, 0], [0, HALF]], mask=mask)) for mask in ("future", "none"))),
    _two_soft,
    refused={"exact": UNEVEN, "batch": UNEVEN},
)


def _def22(w: Sequence[str], N: Any, S: Any = ahardmax) -> Any:
    z = vectors(w, N)
    middle = residual(attend(z, Q4, K4, V, N, S), z)
    return [plus(ffn(c, *NET, N), c) for c in middle]


case("cookbook.s2.2.2.def2.2", "hard", encoder(Layer(head(weighting="average"), network())), _def22)
case(
    "cookbook.s2.2.2.def2.2",
    "soft",
    encoder(Layer(head(), network())),
    lambda w, N: _def22(w, N, softmax),
    refused=SOFTMAX,
)


def _only(w: Sequence[str], N: Any, *weights: Any, **more: Any) -> Any:
    z = vectors(w, N)
    return residual(attend(z, *weights, N, **more), z)


for _name, _S in WEIGH.items():
    case(
        "cookbook.s2.2.2.def2.3",
        f"{_name}, d_key = 4",
        encoder(Layer(head(weighting=_name))),
        lambda w, N, S=_S: _only(w, N, Q4, K4, V, S=S),
        refused=SOFTMAX if _name == "softmax" else {},
    )
IRRATIONAL_SCALE = {"exact": UNEVEN, "batch": UNEVEN}
case(
    "cookbook.s2.2.2.def2.3",
    "softmax, d_key = 2",
    encoder(Layer(head(Q2, K2))),
    lambda w, N: _only(w, N, Q2, K2, V),
    refused=IRRATIONAL_SCALE,
)
for _claim, _mask in (
    ("cookbook.s2.2.2.future_mask", "future"),
    ("cookbook.s2.2.2.strict_future_mask", "strict-future"),
    ("cookbook.s5.past_mask", "past"),
    ("cookbook.s5.past_mask", "strict-past"),
    ("yang2026.def.mask", "future"),
    ("yang2026.def.mask", "past"),
):
    for _name, _S in WEIGH.items():
        case(
            _claim,
            f"{_mask}, {_name}",
            encoder(Layer(head(weighting=_name, mask=_mask))),
            lambda w, N, S=_S, mask=_mask: _only(w, N, Q4, K4, V, S=S, mask=mask),
            refused=SOFTMAX if _name == "softmax" else {},
        )
case(
    "cookbook.s2.2.2.def2.4_relu",
    "on R^2",
    # ReLU alone: the residual connection is cancelled by ReLU(-x) - ReLU(x).
    encoder(Layer(None, FeedForward(AB, AB, [[-1, 0], [0, -1]], [0, 0], [[1, 0], [0, 1]], [0, 0]))),
    lambda w, N: [relu(x, N) for x in vectors(w, N)],
)
case(
    "cookbook.s2.2.2.def2.5_ffn",
    "3 hidden units",
    encoder(Layer(None, network())),
    lambda w, N: [plus(x, ffn(x, *NET, N)) for x in vectors(w, N)],
)
WO = [[2, -1], [HALF, 3]]


def _no_wo(w: Sequence[str], N: Any) -> Any:
    z = vectors(w, N)
    return residual([times(WO, c, N) for c in attend(z, Q4, K4, V, N, ahardmax)], z)


case(
    "cookbook.s2.2.2.no_wo",
    "V' = WO WV",
    encoder(
        Layer(
            head(
                W=[[sum(WO[r][k] * V[k][c] for k in range(2)) for c in range(2)] for r in range(2)], weighting="average"
            )
        )
    ),
    _no_wo,
)
OUT = [[1, -1], [0, HALF], [HALF, 0]]


def _scores(w: Sequence[str], N: Any, W: Any = OUT) -> Any:
    return [times(W, z, N) for z in _only(w, N, Q4, K4, V, S=ahardmax)]


CLASSES = ("p", "q", "r")
HARD = Layer(head(weighting="average"))
case(
    "cookbook.s2.2.3.binary_unembedding",
    "W z > 0, read at the last position",
    encoder(HARD, readout=Readout("sign", "last", AB, [[1, -1]])),
    lambda w, N: [[*z, dot(z, [N(1), N(-1)], N)] for z in _only(w, N, Q4, K4, V, S=ahardmax)],
    answers=lambda w, N: [s > 0 for (s,) in _scores(w, N, [[1, -1]])],
)
case(
    "cookbook.s2.2.3.binary_unembedding",
    "strict: W z = 0 gives 0",
    encoder(readout=Readout("sign", "last", AB, [[2, 1]]), table={"x": [1, -2], "y": [1, F(-3, 2)]}),
    lambda w, N: [[*z, 2 * z[0] + z[1]] for z in vectors(w, N, {"x": [1, -2], "y": [1, F(-3, 2)]})],
    answers=lambda w, N: [t == "y" for t in w],
)
CLS_TABLE = {"CLS": [0, 1], "x": [1, HALF], "y": [-1, 2]}


def _with_cls(w: Sequence[str], N: Any) -> Any:
    z = vectors(w, N, CLS_TABLE)
    return residual(attend(z, Q4, K4, V, N, S=ahardmax), z)


case(
    "cookbook.s2.2.3.cls",
    "CLS at the beginning, the decision at its position",
    encoder(HARD, table=CLS_TABLE, before="CLS", readout=Readout("sign", "first", AB, [[1, -1]])),
    lambda w, N: [[*z, z[0] - z[1]] for z in _with_cls(["CLS", *w], N)],
    answers=lambda w, N: [z[0] - z[1] > 0 for z in _with_cls(["CLS", *w], N)],
)
case(
    "cookbook.s2.2.3.cls",
    "CLS at the end, the decision at its position",
    encoder(HARD, table=CLS_TABLE, after="CLS", readout=Readout("sign", "last", AB, [[1, -1]])),
    lambda w, N: [[*z, z[0] - z[1]] for z in _with_cls([*w, "CLS"], N)],
    answers=lambda w, N: [z[0] - z[1] > 0 for z in _with_cls([*w, "CLS"], N)],
)
case(
    "cookbook.s2.2.3.argmax_unembedding",
    "first of the largest",
    encoder(HARD, readout=Readout("largest", "each", AB, OUT, CLASSES)),
    _scores,
    answers=lambda w, N: [maximal(s)[0] for s in _scores(w, N)],
)
case(
    "cookbook.s2.2.3.lm_unembedding",
    "softmax at each position",
    encoder(HARD, readout=Readout("distribution", "each", AB, OUT, CLASSES)),
    lambda w, N: [softmax(s, N) for s in _scores(w, N)],
    refused={"batch": "not be a distribution"},
)
BOS = {"BOS": [0, 1], "x": [1, HALF], "y": [-1, 2]}
DECODER = encoder(
    Layer(head(weighting="average", mask="future")),
    table=BOS,
    before="BOS",
    readout=Readout("distribution", "each", AB, OUT, ("x", "y", "EOS")),
)


def _next(w: Sequence[str], N: Any) -> Any:
    z = vectors(["BOS", *w], N, BOS)
    z = residual(attend(z, Q4, K4, V, N, ahardmax, "future"), z)
    return [softmax(times(OUT, x, N), N) for x in z]


case(
    "cookbook.s2.2.3.autoregressive",
    "x_1 = BOS",
    DECODER,
    _next,
    refused={"batch": "not be a distribution"},
    words=("", "x", "xy", "yyx"),
)

# Cookbook, Section 5

case(
    "cookbook.s5.softmax",
    "of scores s_ij = a_j",
    encoder(
        Layer(Head(("a", "one"), ("c",), [[0, 1]], [[1, 0]], [[1, 0]], "none", "softmax")),
        names=("a", "one", "c"),
        table={"x": [1, 1], "y": [F(-1, 2), 1]},
        readout=Readout("value", "each", ("c",)),
    ),
    lambda w, N: [
        [dot(softmax([N({"x": 1, "y": F(-1, 2)}[t]) for t in w], N), [N({"x": 1, "y": F(-1, 2)}[t]) for t in w], N)]
        for _ in w
    ],
    refused=SOFTMAX,
)
LEVEL = {"x": [0, 1], "y": [1, 1], "z": [2, 1]}
FEW = tuple("".join(w) for n in (1, 2, 3) for w in itertools.product("xyz", repeat=n))


def _hard(w: Sequence[str], N: Any, S: Any) -> Any:
    """All weights in one number: sum_j alpha_j 2^-j."""
    alpha = S([N(LEVEL[t][0]) for t in w], N)
    return [[dot(alpha, [N(F(1, 2**j)) for j in range(1, len(w) + 1)], N)] for _ in w]


for _claim, (_name, _S) in itertools.product(("cookbook.s5.def5.1_hardmax", "yang2026.def2"), list(WEIGH.items())[1:]):
    case(
        _claim,
        f"{_name}: every weight, all scores of 0, 1, 2 up to length 3",
        encoder(
            Layer(Head(("s", "one", "p"), ("c",), [[0, 1, 0]], [[1, 0, 0]], [[0, 0, 1]], "none", _name)),
            names=("s", "one", "p", "c"),
            table=LEVEL,
            positions={"p": "1/2^i"},
            readout=Readout("value", "each", ("c",)),
        ),
        lambda w, N, S=_S: _hard(w, N, S),
        words=FEW,
    )

case(
    "cookbook.s5.4.pred_spec",
    "(0, v_1, ..., v_{n-1}): the rightmost position before",
    encoder(
        Layer(Head(("v",), ("out",), [[0]], [[0]], [[1]], "strict-future", "rightmost")),
        names=("v", "out"),
        table={"x": [HALF], "y": [1]},
        readout=Readout("value", "each", ("out",)),
    ),
    lambda w, N: [[v] for v in [N(0), *(N({"x": HALF, "y": 1}[t]) for t in w)][:-1]],
)
TERMS = ("-1/i", "1/i", "i/n", "-i/n")
case(
    "cookbook.s5.6.tiebreak_terms",
    "as position functions",
    encoder(
        names=("t1", "t2", "t3", "t4"),
        table={"x": [0], "y": [0]},
        positions=dict(zip(("t1", "t2", "t3", "t4"), TERMS, strict=True)),
    ),
    lambda w, N: [[N(F(-1, i)), N(F(1, i)), N(F(i, len(w))), N(F(-i, len(w)))] for i in range(1, len(w) + 1)],
)
for _term, _S in zip(TERMS, (rhardmax, lhardmax, rhardmax, lhardmax), strict=True):
    case(
        "cookbook.s5.6.tiebreak_terms",
        f"average-hard with {_term} added is {'rightmost' if _S is rhardmax else 'leftmost'}",
        encoder(
            Layer(Head(("s", "one", "p", "t"), ("c",), [[0, 1, 0, 0]], [[1, 0, 0, HALF]], [[0, 0, 1, 0]])),
            names=("s", "one", "p", "t", "c"),
            table=LEVEL,
            positions={"p": "1/2^i", "t": _term},
            readout=Readout("value", "each", ("c",)),
        ),
        lambda w, N, S=_S: _hard(w, N, S),
        words=FEW,
    )
case(
    "cookbook.s5.3.3.lh",
    "LN of (x, 1, -x, -1), epsilon = 0",
    encoder(
        names=D4,
        table={t: [v, 1, -v, -1] for t, v in (("x", F(3, 4)), ("y", F(-2)), ("z", F(0)))},
        final_norm=LayerNorm(D4),
    ),
    lambda w, N: [
        [N.root(N(2) / (x * x + 1)) * v for v in (x, N(1), -x, -N(1))]
        for x in (N({"x": F(3, 4), "y": F(-2), "z": F(0)}[t]) for t in w)
    ],
    refused=NO_NORM,
    words=("x", "y", "zyx"),
)

# Cookbook, Section 6: post-norm and pre-norm around attention and around a network

ABC = ("a", "b", "c")
WE3 = {"x": [1, HALF, 0], "y": [-1, 2, F(1, 4)]}
NET3 = ([[1, -1, 0], [0, 1, 1]], [0, HALF], [[1, 0], [0, 1], [1, -1]], [0, 1, 0])
Q3, K3, V3 = [[1, 0, 1]], [[0, 1, 1]], [[1, 0, 0], [0, 1, 1], [1, -1, 0]]
GAIN, BIAS = [1, 2, -1], [0, THIRD, 1]
NORM = LayerNorm(ABC, gain=GAIN, bias=BIAS, epsilon="1/4")
ATT3 = Head(ABC, ABC, Q3, K3, V3, weighting="average", scale="1/sqrt(d_key)")
NESTED = "at most one square root"
MIXED = "at most one square root|variance of a layer norm must be free of exponentials"


def ln(x: Vector, N: Any) -> Vector:
    return norm(x, F(1, 4), N, GAIN, BIAS)


case(
    "cookbook.s6.def6.1_ln",
    "epsilon = 1/4",
    encoder(names=ABC, table=WE3, final_norm=NORM),
    lambda w, N: [ln(x, N) for x in vectors(w, N, WE3)],
    refused=NO_NORM,
)
EPSILON = Parameter("e", default="1/4", lower=0)
case(
    "cookbook.s6.def6.1_ln",
    "epsilon a symbol, here 1/4",
    encoder(names=ABC, table=WE3, final_norm=replace(NORM, epsilon="e"), parameters=(EPSILON,)),
    lambda w, N: [ln(x, N) for x in vectors(w, N, WE3)],
    refused=NO_NORM,
)


def _around(w: Sequence[str], N: Any, f: Any, placement: str) -> Any:
    z = vectors(w, N, WE3)
    if placement == "post":
        return [ln(x, N) for x in residual(f(z), z)]
    y = residual(f([ln(x, N) for x in z]), z)
    return [ln(x, N) for x in y]  # one extra norm after the final layer


def _att3(N: Any, S: Any) -> Any:
    return lambda z: attend(z, Q3, K3, V3, N, S)


def _net3(N: Any) -> Any:
    return lambda z: [ffn(x, *NET3, N) for x in z]


for _place, _name in (("post", "average"), ("pre", "average"), ("post", "softmax"), ("pre", "softmax")):
    _final = NORM if _place == "pre" else None
    case(
        f"cookbook.s6.2.{_place}norm",
        f"around attention, {_name}",
        encoder(Layer(replace(ATT3, weighting=_name), None, NORM, (), _place), names=ABC, table=WE3, final_norm=_final),
        lambda w, N, place=_place, S=WEIGH[_name]: _around(w, N, _att3(N, S), place),
        refused=EITHER | ({"exact": MIXED} if _place == "pre" or _name == "softmax" else {}),
    )
for _place in ("post", "pre"):
    _final = NORM if _place == "pre" else None
    case(
        f"cookbook.s6.2.{_place}norm",
        "around a network",
        encoder(Layer(None, network(NET3, ABC), (), NORM, _place), names=ABC, table=WE3, final_norm=_final),
        lambda w, N, place=_place: _around(w, N, _net3(N), place),
        refused=NO_NORM | ({"exact": NESTED} if _place == "pre" else {}),
    )

# chiang2022: CLS at position 0, post-norm encoder with H = 2, sigmoid output at CLS, log-length scaled attention

CLS = {"CLS": [0, 1, 1, 0], "x": [1, 0, HALF, 1], "y": [0, 2, -1, 1]}
case(
    "chiang2022.def.input",
    "WE(w_i) + PE(i), i from 0, n = |w| + 1",
    encoder(names=D4, table=CLS, before="CLS", start=0, positions={"c": "i/n", "d": "(-1)^i"}),
    lambda w, N: [
        plus(x, [N(0), N(0), N(F(i, len(w) + 1)), N((-1) ** i)]) for i, x in enumerate(vectors(["CLS", *w], N, CLS))
    ],
    words=("", "x", "yx", "xyx"),
)
I4 = [[int(r == c) for c in range(4)] for r in range(4)]
WQ1, WK1 = I4, [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
WQ2, WK2 = [[0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]], [[-1, 0, 0, 0]] * 4
WV1, WV2 = [[0, 1, 0, 0], [HALF, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0]], [[1, 1, 0, 0], [0, 0, 0, 1], [0] * 4, [1] * 4]
F1, FB1 = [[1, 0, -1, 0], [0, 1, 0, 1], [-1, -1, 0, 1]], [0, HALF, 1]
F2, FB2 = [[1, 0, 1], [0, 1, 0], [-1, 0, HALF], [0, 0, 2]], [0, 1, 0, -1]
PLAIN4 = LayerNorm(D4, epsilon="1/100")


def _layer(word: Sequence[str], N: Any, factor: Any = None) -> Any:
    a = vectors(["CLS", *word], N, CLS)
    heads = [attend(a, q, k, v, N, factor or softmax) for q, k, v in ((WQ1, WK1, WV1), (WQ2, WK2, WV2))]
    c = [norm(plus(*parts), F(1, 100), N) for parts in zip(*heads, a, strict=True)]
    h = [relu(plus(times(F1, x, N), list(map(N, FB1))), N) for x in c]
    return [norm(plus(times(F2, u, N), list(map(N, FB2)), x), F(1, 100), N) for u, x in zip(h, c, strict=True)]


def both_heads(weighting: str = "softmax", temperature: Any = 1) -> SelfAttention:
    return SelfAttention(
        tuple(
            Head(D4, D4, q, k, v, "none", weighting, temperature, "1/sqrt(d_key)")
            for q, k, v in ((WQ1, WK1, WV1), (WQ2, WK2, WV2))
        )
    )


POST = Layer(both_heads(), FeedForward(D4, D4, F1, FB1, F2, FB2), PLAIN4, PLAIN4, "post")
EXP_ROOT = {"exact": MIXED} | EITHER
CLS_WORDS = ("", "x", "yx", "xxy")
case(
    "chiang2022.def.layer",
    "post-norm, H = 2, d = 4",
    encoder(POST, names=D4, table=CLS, before="CLS", start=0),
    _layer,
    refused=EXP_ROOT,
    words=CLS_WORDS,
)
case(
    "chiang2022.def.att",
    "V^T softmax(K q/sqrt(d))",
    encoder(
        Layer(Head(D4, D4, WQ1, WK1, WV1, "none", "softmax", 1, "1/sqrt(d_key)")),
        names=D4,
        table=CLS,
        before="CLS",
        start=0,
    ),
    lambda w, N: (lambda a: residual(attend(a, WQ1, WK1, WV1, N), a))(vectors(["CLS", *w], N, CLS)),
    refused=SOFTMAX,
    words=CLS_WORDS,
)
OUTPUT = [1, -1, HALF]
case(
    "chiang2022.def.output",
    "sigma(W a + b) > 1/2 at CLS, b at a constant coordinate",
    encoder(
        Layer(Head(("a", "b"), ("a", "b"), [[0, 0]], [[0, 0]], V)),
        names=("a", "b", "one"),
        table={"CLS": [0, 1, 1], "x": [1, HALF, 1], "y": [-1, 2, 1]},
        before="CLS",
        start=0,
        readout=Readout("sign", "first", ("a", "b", "one"), [[*OUTPUT[:2], OUTPUT[2]]]),
    ),
    lambda w, N: [[*z, N(1), z[0] - z[1] + N(HALF)] for z in _output(w, N)],
    answers=lambda w, N: [mpmath.sigmoid(float(z[0] - z[1] + N(HALF))) > 0.5 for z in _output(w, N)],
    words=CLS_WORDS,
)


def _output(w: Sequence[str], N: Any) -> Any:
    a = vectors(["CLS", *w], N, {"CLS": [0, 1], "x": [1, HALF], "y": [-1, 2]})
    return residual(attend(a, [[0, 0]], [[0, 0]], V, N), a)


# The stream of a post-norm model has no coordinate to spare for a constant: b is then added to a coordinate by b2.
SHIFT = Layer(None, FeedForward(D4, ("a",), [[0, 0, 0, 0]], [0], [[0]], [HALF]))
case(
    "chiang2022.def.output",
    "after post-norm, b by the b2 of an empty network",
    encoder(
        POST, SHIFT, names=D4, table=CLS, before="CLS", start=0, readout=Readout("sign", "first", D4, [[1, -1, 0, 1]])
    ),
    lambda w, N: [[a + N(HALF), b, c, d, a - b + d + N(HALF)] for a, b, c, d in _layer(w, N)],
    answers=lambda w, N: [a - b + d + N(HALF) > 0 for a, b, c, d in _layer(w, N)],
    refused=EXP_ROOT,
    words=CLS_WORDS,
)
for _eps, _text in ((F(1, 100), "epsilon = 1/100"), (F(0), "epsilon = 0")):
    case(
        "chiang2022.def.ln",
        _text,
        encoder(names=D4, table=CLS, before="CLS", start=0, final_norm=LayerNorm(D4, epsilon=_eps)),
        lambda w, N, eps=_eps: [norm(x, eps, N) for x in vectors(["CLS", *w], N, CLS)],
        refused=NO_NORM,
        words=CLS_WORDS,
    )


def powers(s: Vector, N: Any) -> Vector:
    """softmax((log n) s): weights n^s."""
    n = len(s)
    weights = [N.power(n, x) for x in s]
    return [x / sum(weights) for x in weights]


EVEN = {"CLS": [0, 1, 0, 0], "x": [1, 0, 0, 1], "y": [0, 1, 1, 1]}
WQE = [[2 * v for v in row] for row in I4]  # scores over sqrt(4) are then integers
case(
    "chiang2022.eq2",
    "temperature 1/log(n), integer scores",
    encoder(
        Layer(Head(D4, D4, WQE, WK1, WV1, "none", "softmax", "1/log(n)", "1/sqrt(d_key)")),
        names=D4,
        table=EVEN,
        before="CLS",
        start=0,
    ),
    lambda w, N: (lambda a: residual(attend(a, WQE, WK1, WV1, N, powers), a))(vectors(["CLS", *w], N, EVEN)),
    refused=SOFTMAX,
    words=CLS_WORDS,
)


case(
    "chiang2022.eq2",
    "temperature 1/log(n), scores that are halves",
    encoder(
        Layer(Head(D4, D4, I4, WK1, WV1, "none", "softmax", "1/log(n)", "1/sqrt(d_key)")),
        names=D4,
        table=EVEN,
        before="CLS",
        start=0,
    ),
    lambda w, N: (lambda a: residual(attend(a, I4, WK1, WV1, N, powers), a))(vectors(["CLS", *w], N, EVEN)),
    refused=dict.fromkeys(("exact", "batch"), r"a power must be rational to stay exact; given: .3.\^"),
    words=CLS_WORDS,
)


def _paired(w: Sequence[str], N: Any) -> Any:
    """Section 4.1: every argument of a norm is (u, -u), so that the norm divides it by one number."""
    table = {"x": [1, HALF], "y": [-1, 2]}
    a = vectors(w, N, table)
    u = residual(attend(a, [[0, 0]], [[0, 0]], V, N), a)
    length = [N.root(dot(x, x, N) / len(x)) for x in u]
    return [[v / below for v in (*x, *(-v for v in x))] for x, below in zip(u, length, strict=True)]


PAIRS = {t: [*v, *(-x for x in v)] for t, v in WE.items()}
case(
    "chiang2022.s4.1.pairing",
    "(u, -u) through a post-norm with epsilon = 0",
    encoder(
        Layer(
            Head(D4, D4, [[0] * 4], [[0] * 4], [[*r, 0, 0] for r in V] + [[*(-x for x in r), 0, 0] for r in V]),
            None,
            LayerNorm(D4),
            (),
            "post",
        ),
        names=D4,
        table=PAIRS,
    ),
    _paired,
    refused=NO_NORM,
)

# merrill2024: unit-norm layer norm, projected and multi pre-norm, decoder step, Appendix A

UNIT4 = LayerNorm(D4, gain=[HALF] * 4)  # 1/sqrt(m) for m = 4
WE4 = {"x": [1, 0, HALF, 1], "y": [0, 2, -1, 1]}
case(
    "merrill2024.def.layernorm",
    "gain 1/sqrt(4)",
    encoder(names=D4, table=WE4, final_norm=UNIT4),
    lambda w, N: [unit_norm(x, N) for x in vectors(w, N, WE4)],
    refused=NO_NORM,
)
IRRATIONAL_GAIN = {"exact": UNEVEN} | NO_NORM
case(
    "merrill2024.def.layernorm",
    "gain 1/sqrt(3)",
    encoder(names=ABC, table=WE3, final_norm=LayerNorm(ABC, gain=["1/sqrt(3)"] * 3)),
    lambda w, N: [unit_norm(x, N) for x in vectors(w, N, WE3)],
    refused=NO_NORM,
)
M = [[1, 0, 0, 1], [0, 1, -1, 0], [2, 0, 1, 0], [0, 0, 0, 1]]
U4 = ("u1", "u2", "u3", "u4")
COPY = FeedForward(
    U4, D4, [*I4, *[[-v for v in r] for r in I4]], [0] * 8, [[*r, *(-v for v in r)] for r in I4], [0] * 4
)
case(
    "merrill2024.def4.projnorm",
    "M 4 x 4, added to the residual stream",
    encoder(
        Layer(None, COPY, (), LayerNorm(D4, U4, gain=[HALF] * 4, projection=M), "projected pre"), names=D4, table=WE4
    ),
    lambda w, N: [plus(x, unit_norm(times(M, x, N), N)) for x in vectors(w, N, WE4)],
    refused=NO_NORM,
)
M1, M2 = [[1, 0, 0, 1], [0, 1, -1, 0]], [[2, 0, 1, 0], [0, 0, 0, 1]]


def multi(gain: Any) -> tuple[LayerNorm, LayerNorm]:
    return (
        LayerNorm(D4, U4[:2], gain=[gain] * 2, projection=M1),
        LayerNorm(D4, U4[2:], gain=[gain] * 2, projection=M2),
    )


def multi_norm(x: Vector, N: Any) -> Vector:
    return [*unit_norm(times(M1, x, N), N), *unit_norm(times(M2, x, N), N)]


case(
    "merrill2024.def5.multinorm",
    "k = 2, M_i 2 x 4, gain 1/sqrt(2)",
    encoder(Layer(None, COPY, (), multi("1/sqrt(2)"), "multi pre"), names=D4, table=WE4),
    lambda w, N: [plus(x, multi_norm(x, N)) for x in vectors(w, N, WE4)],
    refused=NO_NORM,
)

MASKS2 = {"future": "c(i) = i", "strict-future": "c(i) = i - 1"}
WQA, WKA, WVA = [[1, 0, 0, 0], [0, 0, 1, 0]], [[0, 1, 0, 0], [1, 0, 0, 0]], [[1, 0, 0, 0], [0, 1, 0, 1]]
WQB, WKB, WVB = [[0, 0, 0, 1], [0, 1, 0, 0]], [[0, 0, 1, 0], [1, 0, 0, 1]], [[0, 1, 1, 0], [0, 0, 0, 2]]
STEP_NET = (F1, FB1, F2, FB2)
GAMMA = [[1, 0, 0, -1], [0, 1, 0, 0], [0, 0, 1, 1]]


def _step(w: Sequence[str], N: Any, mask: str, S: Any) -> Any:
    """Definition 2 with h = 2 heads over m = 4: head outputs concatenated, f a network with residual, output gamma."""
    h = [plus(x, [N(0), N(0), N(0), N(F(1, 2**i))]) for i, x in enumerate(vectors(w, N, WE4), 1)]
    width = 0 if S is softmax else 1  # where only the order of scores matters the factor is left out
    first, second = (attend(h, *W, N, S, mask, width) for W in ((WQA, WKA, WVA), (WQB, WKB, WVB)))
    o = [plus([*a, *b], x) for a, b, x in zip(first, second, h, strict=True)]
    h = [plus(ffn(x, *STEP_NET, N), x) for x in o]
    return [times(GAMMA, x, N) for x in h]


def decoder(mask: str, weighting: str, scale: Any) -> Transformer:
    heads = SelfAttention(
        (
            Head(D4, ("a", "b"), WQA, WKA, WVA, mask, weighting, 1, scale),
            Head(D4, ("c", "d"), WQB, WKB, WVB, mask, weighting, 1, scale),
        )
    )
    return encoder(
        Layer(heads, FeedForward(D4, D4, *STEP_NET)),
        names=D4,
        table=WE4,
        positions={"d": "1/2^i"},
        readout=Readout("largest", "each", D4, GAMMA, CLASSES),
    )


for _mask, _what in MASKS2.items():
    for _name, _S in (("average", ahardmax), ("softmax", softmax)):
        for _claim in ("merrill2024.def1.transformer", "merrill2024.def2.step"):
            case(
                _claim,
                f"{_what}, {_name}",
                decoder(_mask, _name, "1/sqrt(d_key)" if _name == "softmax" else 1),
                lambda w, N, mask=_mask, S=_S: _step(w, N, mask, S),
                answers=lambda w, N, mask=_mask, S=_S: [maximal(s)[0] for s in _step(w, N, mask, S)],
                refused=IRRATIONAL_SCALE if _name == "softmax" else {},
            )
case(
    "merrill2024.def.saturated",
    "weights 0 or 1/v",
    decoder("future", "average", 1),
    lambda w, N: _step(w, N, "future", ahardmax),
    answers=lambda w, N: [maximal(s)[0] for s in _step(w, N, "future", ahardmax)],
)
case(
    "merrill2024.appA2.embed",
    "v_sigma + f(i)",
    encoder(names=D4, table=WE4, positions={"b": "1/i", "d": "i^2"}),
    lambda w, N: [plus(x, [N(0), N(F(1, i)), N(0), N(i * i)]) for i, x in enumerate(vectors(w, N, WE4), 1)],
)
# Biases of queries, keys and values stand at a coordinate that is 1. What a block under a pre-norm reads comes from its
# norms only, so the 1 is a norm of its own: one entry, zero variance, the bias alone.
ONE = LayerNorm(D4, ("one",), bias=[1], projection=[[0, 0, 0, 0]], zero_variance="zero")
U5 = (*U4, "one")
BQ, BK, BV, BO = [HALF, 1], [0, -1], [1, HALF], [HALF, 0, 1, 0]


def with_bias(W: Any, b: Any) -> Any:
    return [[*row, x] for row, x in zip(W, b, strict=True)]


def _similar(w: Sequence[str], N: Any, S: Any = softmax) -> Any:
    h = vectors(w, N, WE4)
    bar = [[*multi_norm(x, N), N(1)] for x in h]
    heads = (
        attend(bar, with_bias(q, BQ), with_bias(k, BK), with_bias(v, BV), N, S, "future")
        for q, k, v in ((WQA, WKA, WVA), (WQB, WKB, WVB))
    )
    return h, [[*a, *b] for a, b in zip(*heads, strict=True)]


def similar_heads(weighting: str = "softmax") -> tuple[Head, ...]:
    return tuple(
        Head(U5, n, with_bias(q, BQ), with_bias(k, BK), with_bias(v, BV), "future", weighting, 1, "1/sqrt(d_key)")
        for n, q, k, v in ((D4[:2], WQA, WKA, WVA), (D4[2:], WQB, WKB, WVB))
    )


PRE = (*multi("1/sqrt(2)"), ONE)
case(
    "merrill2024.appA3.sim",
    "exp(q.k/sqrt(m/h)) with biases over multi pre-norm",
    encoder(Layer(SelfAttention(similar_heads()), None, PRE, (), "multi pre"), names=D4, table=WE4),
    lambda w, N: (lambda h, a: residual(a, h))(*_similar(w, N)),
    refused=IRRATIONAL_GAIN | EITHER,
)
# o = W_o a + b_o + h: W_o is a factor of V, b_o a head that averages the constant (over all positions, so that it is
# there in every row).
WOUT = [[1, 0, 0, 1], [0, HALF, 1, 0], [0, 0, 1, 0], [2, 0, 0, -1]]


def out_heads() -> tuple[Head, ...]:
    parts = []
    for number, (q, k, v) in enumerate(((WQA, WKA, WVA), (WQB, WKB, WVB))):
        own = [row[2 * number : 2 * number + 2] for row in WOUT]
        values = with_bias(v, BV)
        product = [[sum(own[r][t] * values[t][c] for t in range(2)) for c in range(5)] for r in range(4)]
        query, key = with_bias(q, BQ), with_bias(k, BK)
        parts.append(Head(U5, D4, query, key, product, "future", "softmax", 1, "1/sqrt(d_key)"))
    parts.append(Head(("one",), D4, [[0]], [[0]], [[x] for x in BO]))
    return tuple(parts)


def _activation(w: Sequence[str], N: Any) -> Any:
    h, a = _similar(w, N)
    o = [plus(times(WOUT, x, N), list(map(N, BO)), y) for x, y in zip(a, h, strict=True)]
    return [plus(ffn(multi_norm(x, N), *STEP_NET, N), x) for x in o]


case(
    "merrill2024.appA4.activation",
    "o = W_o a + b_o + h, then a network under multi pre-norm",
    encoder(
        Layer(SelfAttention(out_heads()), FeedForward(U4, D4, *STEP_NET), PRE, multi("1/sqrt(2)"), "multi pre"),
        names=D4,
        table=WE4,
    ),
    _activation,
    refused=IRRATIONAL_GAIN | EITHER,
    words=("x", "xy", "yxx"),
)

# yang2026


def _yang(w: Sequence[str], N: Any, S: Any) -> Any:
    h = vectors(w, N)
    c = residual(attend(h, Q4, K4, V, N, S), h)
    return [plus(ffn(x, *NET, N), x) for x in c]


for _name, _S in WEIGH.items():
    case(
        "yang2026.def1",
        _name,
        encoder(Layer(head(weighting=_name), network())),
        lambda w, N, S=_S: _yang(w, N, S),
        refused=SOFTMAX if _name == "softmax" else {},
    )
TAU = Parameter("tau", default="1/2", lower=0)
for _tau, _value in (("tau", lambda n: HALF), ("1/n", lambda n: F(1, n)), ("1", lambda n: F(1))):
    case(
        "yang2026.def3",
        f"temperature {_tau}",
        encoder(Layer(head(temperature=_tau)), parameters=(TAU,) if _tau == "tau" else ()),
        lambda w, N, tau=_value: _only(w, N, Q4, K4, V, S=lambda s, N: softmax(s, N, tau(len(s)))),
        refused=SOFTMAX,
    )

# --- Every case in every domain --------------------------------------------------------------------------------------

SLACK = {"float64": 1e-12, "float32": 2e-5, "float16": 2e-2}


def known(one: Case, word: str) -> Any:
    """What the formula says, in Fractions if it can."""
    try:
        return one.formula(tuple(word), Rationals()), True
    except Irrational:
        return one.formula(tuple(word), Decimals()), False


def number(value: Any) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, (int, F)) else value


def close(name: str, domain: Any, got: Any, wanted: Any) -> bool:
    """Whether a value of a domain is the formula's, as far as the domain promises."""
    tiny = mpmath.mpf(10) ** -40
    if name in ("exact", "symbolic"):
        text = domain.show(got, 30)
        if isinstance(wanted, F) and re.fullmatch(r"-?\d+(/\d+)?", text):
            return F(text) == wanted
        value = to_sympy(text, {}).evalf(DIGITS + 10)._to_mpmath(mpmath.mp.prec)
        return abs(value - number(wanted)) < tiny
    if name == "ball":
        middle, radius = (mpmath.mpf(part.str(70, radius=False)) for part in (got.mid(), got.rad()))
        assert radius < tiny
        return abs(middle - number(wanted)) <= radius + tiny
    slack = tiny if name == "mpmath" else mpmath.mpf(SLACK[name])
    return abs(mpmath.mpf(got) - number(wanted)) <= slack * max(1, abs(number(wanted)))


def opened(name: str, model: Transformer) -> Any:
    return make_domain(name, **({"bits": 256} if name in ("ball", "mpmath") else {}))


def run_case(one: Case, name: str, model: Transformer | None = None) -> None:
    """Run all words of a case in one domain; AssertionError where it is not the formula."""
    model = (model or one.model).bind()
    for word in one.words:
        domain = opened(name, model)
        result = forward(model, model.tokens(word), domain, trace=True, weights=False)
        with mpmath.workdps(DIGITS + 10):
            rows, _ = known(one, word)
            assert len(rows) == domain.length  # length-preserving
            said = None if one.answers is None else one.answers(tuple(word), Decimals())
        columns = list(result.columns().values())
        for place, row in enumerate(rows):
            with domain.context():
                values = [domain.read(column, place) for column in columns]
            for got, wanted in zip(values, row, strict=True):
                with mpmath.workdps(DIGITS + 10):
                    assert close(name, domain, got, wanted), (name, word, place, str(got), str(wanted))
        if said is not None:
            assert list(result.verdicts or ()) == said


def run_batch(one: Case) -> None:
    """Exact batches over all words up to length 3, through symcook.verify."""
    model = one.model.bind()
    labels = model.readout.kind == "largest"

    def reference(word: Any) -> Any:
        if one.answers is not None:
            answers = one.answers(tuple(word), Rationals())
            if labels:
                answers = [model.readout.labels[index] for index in answers]
        else:
            names = list(model.readout.reads)
            answers = [dict(zip(names, row, strict=True)) for row in one.formula(tuple(word), Rationals())]
        return (
            answers if model.readout.position == "each" else answers[{"first": 0, "last": -1}[model.readout.position]]
        )

    try:
        one.formula(model.alphabet[:1] * 3, Rationals())
    except Irrational:
        irrational_batch(one, model)
        return
    found = check(model, reference, 3)
    assert found.holds, found.counterexample
    assert "integer arithmetic in batches" in found.method
    assert found.strings == sum(len(model.alphabet) ** n for n in (1, 2, 3))


def irrational_batch(one: Case, model: Transformer) -> None:
    """Exact batches of what softmax makes irrational, against the formula in decimals."""
    assert one.answers is None and model.readout.position == "each"
    before = () if model.embedding.before is None else (model.embedding.before,)
    for n in (1, 2, 3):
        result = forward(model, Words(model.alphabet, n + len(before), before), make_domain("batch"))
        domain: Any = result.domain
        table = [[domain.show(cell, DIGITS) for cell in column] for column in result.columns().values()]
        with mpmath.workdps(DIGITS + 10):
            for code, word in enumerate(itertools.product(model.alphabet, repeat=n)):
                for place, row in enumerate(one.formula(word, Decimals())):
                    for column, wanted in zip(table, row, strict=True):
                        value = to_sympy(column[place][code], {}).evalf(DIGITS + 10)._to_mpmath(mpmath.mp.prec)
                        assert abs(value - wanted) < mpmath.mpf(10) ** -DIGITS * max(1, abs(wanted))


def run_refused(one: Case, name: str) -> None:
    """The domain refuses for the reason that the case names; what it answers all the same is right."""
    model = one.model.bind()
    if name == "batch":
        before = () if model.embedding.before is None else (model.embedding.before,)
        with pytest.raises(NotExact, match=one.refused[name]):
            forward(model, Words(model.alphabet, 3, before), make_domain("batch"))
        return
    reasons = []
    for word in one.words:
        try:
            run_case(replace(one, words=(word,)), name)
        except (NotExact, Undecided) as error:
            reasons.append(str(error))
    assert reasons
    for reason in reasons:
        assert re.search(one.refused[name], reason), reason
        assert "domain" in reason  # where to go instead


MANY = len(DOMAINS)
IN_DOMAINS = [(one, name) for k, one in enumerate(CASES) for name in [*DOMAINS, *DOMAINS][k % MANY : k % MANY + MANY]]
"""So ordered that a day's part holds every domain."""


@pytest.mark.layer_one(1)
@in_parts(32, ("one", "name"), IN_DOMAINS)
@pytest.mark.layer_two(every=3)
def test_definition(one: Case, name: str) -> None:
    if name in one.refused:
        run_refused(one, name)
    elif name == "batch":
        run_batch(one)
    else:
        run_case(one, name)


@pytest.mark.layer_one(1)
@in_parts(4, "one", CASES)
def test_closed_form(one: Case) -> None:
    """derive gives the formula at the position that the readout shows, for words of length 1 and 2."""
    for word in one.words[:2]:
        derived = derive(one.model, word)
        bound = {symbol(p.name): p.default for p in one.model.parameters}
        with mpmath.workdps(DIGITS + 10):
            rows, _ = known(one, word)
            place = 0 if one.model.readout.position == "first" else -1
            for value, wanted in zip(derived.expressions.values(), rows[place], strict=True):
                got = value.subs(bound).evalf(DIGITS + 10)._to_mpmath(mpmath.mp.prec)
                assert abs(got - number(wanted)) < mpmath.mpf(10) ** -40, (word, str(value))
            if one.model.decides and one.answers is not None:
                assert derived.accept == one.answers(tuple(word), Decimals())[place]


def test_model_files() -> None:
    """Every object goes through a model file unchanged."""
    assert [one.label for one in CASES if loads(dumps(one.model)) != one.model] == []


# --- What is more than a value at a position -------------------------------------------------------------------------


def text_value(text: str) -> Any:
    return to_sympy(text, {}).evalf(DIGITS + 10)._to_mpmath(mpmath.mp.prec)


LM = next(one for one in CASES if one.claim == "cookbook.s2.2.3.lm_unembedding").model
GIVEN = replace(LM, readout=replace(LM.readout, labels=("x", "y", "z")))


def shown_value(shown: Any) -> Any:
    if isinstance(shown, str):
        return text_value(shown)
    return mpmath.mpf(shown["mid"] if isinstance(shown, dict) else shown)


@together("name", ["exact", "ball", "mpmath", "float64"])
@together("word", ["x", "yx", "xyy"])
@pytest.mark.sweep
def test_probability_of_a_string_given_inputs(word: str, name: str) -> None:
    """cookbook.s2.2.3.lm_unembedding: P(y|x) = prod_i [y_i]_{y_i}; over all y of the length they add up to 1."""
    total = mpmath.mpf(0)
    with mpmath.workdps(DIGITS + 10):
        factors = [softmax(s, Decimals()) for s in _scores(tuple(word), Decimals())]
        for y in itertools.product("xyz", repeat=len(word)):
            got = shown_value(probability(GIVEN, y, name, 45, given=word).shown)
            wanted = mpmath.fprod(row["xyz".index(label)] for row, label in zip(factors, y, strict=True))
            assert abs(got - wanted) < (mpmath.mpf("1e-12") if name == "float64" else mpmath.mpf("1e-40"))
            total += got
        assert abs(total - 1) < mpmath.mpf("1e-12")


def test_autoregressive_strings() -> None:
    """cookbook.s2.2.3.autoregressive: P(y EOS) of all strings up to a length, and of what is longer, add up to 1."""
    labels = ("x", "y", "EOS")
    with mpmath.workdps(DIGITS + 10):
        total = mpmath.mpf(0)
        for length in range(4):
            for word in itertools.product("xy", repeat=length):
                rows = _next(word, Decimals())
                wanted = mpmath.fprod(row[labels.index(t)] for row, t in zip(rows, (*word, "EOS"), strict=True))
                got = shown_value(probability(DECODER, word, "ball", 45).shown)
                assert abs(got - wanted) < mpmath.mpf("1e-40")
                total += got
                if length == 3:  # what goes on after three symbols
                    prefix = mpmath.fprod(row[labels.index(t)] for row, t in zip(rows[:-1], word, strict=True))
                    total += prefix * (1 - rows[-1][2])
        assert abs(total - 1) < mpmath.mpf("1e-40")


def test_uniformity() -> None:
    """cookbook.s2.3.uniformity: what depends on n is a position function or a temperature, what depends on N stands in
    the recipe's declaration, and a model with a greatest length refuses a longer input."""
    assert all(info(name).uniformity for name in names())
    model = replace(encoder(positions={"a": "1/n"}), max_length=2)
    assert model.run("xy").output == {"a": "-1/2", "b": "2"}
    with pytest.raises(BadInput, match="length at most 2"):
        model.run("xyx")
    with pytest.raises(BadInput, match="declared"):  # a weight must not depend on n
        encoder(Layer(None, FeedForward(AB, ("a",), [["n", 0]], [0], [[1]], [0])))


TIES = encoder(
    Layer(
        SelfAttention(
            tuple(
                Head(("s", "one", "p"), ("c",), [[0, 1, 0]], [[1, 0, 0]], [[0, 0, sign]], "none", which)
                for which, sign in (("leftmost", 1), ("rightmost", -1))
            )
        )
    ),
    names=("s", "one", "p", "c"),
    table=LEVEL,
    positions={"p": "i"},
    readout=Readout("zero", "last", ("c",)),
)


def test_tieless() -> None:
    """cookbook.s5.7.def5.2: tieless iff the first and the last maximal position are one; then all hardmaxes agree."""

    def tieless(word: str) -> bool:
        scores = [LEVEL[t][0] for t in word]
        return scores.count(max(scores)) == 1

    found = check(TIES, tieless, 5)
    assert found.holds and "batches" in found.method and found.strings == sum(3**n for n in range(1, 6))
    assert not check(TIES, lambda word: True, 2).holds
    for word in filter(tieless, FEW):
        scores = [F(LEVEL[t][0]) for t in word]
        assert ahardmax(scores, F) == lhardmax(scores, F) == rhardmax(scores, F)
    for name in ("exact", "ball", "mpmath", "float64", "float32", "float16"):
        assert [TIES.run(word, name).accept for word in ("x", "xy", "zxz")] == [True, True, False]
    assert derive(TIES, "zxz").accept is False


def entries(name: str, length: int, index: str) -> str:
    """The entry of a list of named numbers at an index, as text of the grammar."""
    text = f"{name}{length}"
    for j in range(length - 1, 0, -1):
        text = f"if({index} = {j}, {name}{j}, {text})"
    return text


def holds(text: str, **values: Any) -> bool:
    return truth(parse_formula(text), {name: F(value) for name, value in values.items()})


def gap_formula(n: int) -> str:
    s, top = entries("s", n, "j"), entries("s", n, "p")
    return f"ex p in 1..n. all j in 1..n. {s} <= {top} & ({s} = {top} | {s} <= {top} - gamma)"


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_gap(n: int) -> None:
    """cookbook.s5.7.def5.2, s5.6.gap_condition: formulas of the grammar, decided at given scores."""
    for scores in itertools.product([F(0), HALF, F(2)], repeat=n):
        named = {f"s{j}": v for j, v in enumerate(scores, 1)} | {"n": n}
        others = [v for v in scores if v != max(scores)]
        for gamma in (THIRD, HALF, F(3, 2), F(7, 4)):
            wanted = all(v <= max(scores) - gamma for v in others)
            assert holds(gap_formula(n), **named, gamma=gamma) is wanted
        s = entries("s", n, "k")
        one = f"sum(p, 1, n, I[all k in 1..n. {s} <= {entries('s', n, 'p')}]) = 1"
        assert holds(one, **named) is (len(others) == n - 1)


def test_gap_is_an_argument_of_the_bound() -> None:
    """cookbook.s5.7.def5.2: the distance of softmax from hardmax at a gap of exactly gamma is the bound's value."""
    bound = softmax_hardmax(3, 2)
    with mpmath.workdps(40):
        weights = softmax([mpmath.mpf(v) for v in (0, -2, -2)], Decimals())
        distance = abs(1 - weights[0]) + weights[1] + weights[2]
        assert abs(distance - mpmath.mpf(str(bound.to_json()["value"]["mid"]))) < mpmath.mpf("1e-25")
    with pytest.raises(BadInput, match="positive"):
        softmax_hardmax(3, 0)


def test_almost_orthogonal() -> None:
    """cookbook.s5.3.2.ao_def at three vectors of R^2."""
    x, y = (lambda c, i: entries(f"{c}", 3, i)), "abs"
    product = f"{x('a', 'i')}*{x('a', 'j')} + {x('b', 'i')}*{x('b', 'j')}"
    text = f"all i in 1..3. all j in 1..3. if(i = j, 1 - ({product}), {y}({product})) <= eps"
    good = {"a1": 1, "b1": 0, "a2": 0, "b2": 1, "a3": F(1, 10), "b3": F(-1, 10)}
    assert not holds(text, **good, eps=F(1, 10))  # the third is too short
    assert holds(text, **good, eps=F(98, 100))
    assert not holds(text, **{**good, "a3": 1, "b3": 0}, eps=F(9, 10))


def test_functions_of_definitions_6_2_and_6_3() -> None:
    """cookbook.s6.1.def6.2_lipschitz, def6.3_homogeneous at points, for a network without bias and one with."""

    def made(bias: Any) -> Callable[[Any], Any]:
        block = FeedForward(("a",), ("b",), [[2], [-1]], [0, bias], [[1, 1]], [0])
        space = Embedding(Space(AB), inputs=("a",))
        model = Transformer("f", space, (Layer(None, block),), Readout("value", "last", ("b",)))
        return lambda x: F(model.run({"a": x}).output["b"])

    lipschitz, homogeneous = "abs(fx - fy) <= k*abs(x - y)", "fcx = c*fx"
    for f, scales in ((made(0), True), (made(1), False)):
        points = [F(v, 3) for v in range(-6, 7)]
        pairs = [{"x": x, "y": y, "fx": f(x), "fy": f(y)} for x in points for y in points]
        assert all(holds(lipschitz, **pair, k=2) for pair in pairs)
        assert not all(holds(lipschitz, **pair, k=1) for pair in pairs)
        found = [holds(homogeneous, c=c, fx=f(x), fcx=f(c * x)) for c in (F(0), HALF, F(3)) for x in points]
        assert all(found) is scales


def test_index_lookup() -> None:
    """cookbook.s5.3.lookup_spec: the output at i is v_{q_i}, for all queries in [n] with generic values."""
    model = build("lookup-quadratic")
    for n in (1, 2, 3):
        values = [F(3 * j + 1, j + 2) for j in range(n)]
        for queries in itertools.product(range(1, n + 1), repeat=n):
            rows = [{"query": q, "value": v} for q, v in zip(queries, values, strict=True)]
            for name in ("exact", "ball", "mpmath", "float64", "float32", "float16"):
                got = [shown_value(v) for v in model.run(rows, name).outputs]
                wanted = [number(values[q - 1]) for q in queries]
                slack = SLACK.get(name, 1e-25)
                assert all(abs(a - b) <= slack * max(1, abs(b)) for a, b in zip(got, wanted, strict=True)), name


@pytest.mark.xfail(strict=True, raises=BadInput, reason="S is softmax or one of three hardmaxes, not any function")
def test_any_weighting() -> None:
    """cookbook.s2.2.2.def2.3 leaves S free; merrill2024.def1.transformer leaves the similarity s free."""
    Head(AB, AB, Q1, K1, V, weighting="sparsemax")


@pytest.mark.xfail(strict=True, raises=BadInput, reason="f^l is attention plus network, not any function")
def test_any_activation_function() -> None:
    """merrill2024.def1.transformer leaves f^l: (D^m)^h x D^m -> D^m free; Appendix A.4 makes it a network."""
    FeedForward(AB, AB, *NET, activation="table")


@pytest.mark.xfail(strict=True, raises=SymcookError, reason="PE is an expression in i and n, not any function")
def test_any_position_function() -> None:
    """chiang2022.def.input has PE: N -> R^d arbitrary."""
    encoder(positions={"a": lambda i: i})


def test_notation_of_chiang2022() -> None:
    """chiang2022.def.notation: I[phi] is 1 or 0; the identity matrix keeps a vector and a zero matrix makes it zero."""
    for x in (F(-1), F(0), F(1, 2), F(3)):
        assert truth(parse_formula("I[0 < x] = 1"), {"x": x}) == (x > 0)
        assert truth(parse_formula("I[0 < x] = 0"), {"x": x}) == (x <= 0)
    zeros, ones = [[0, 0, 0]] * 3, [[int(a == b) for b in range(3)] for a in range(3)]
    for matrix, kept in ((zeros, F(0)), (ones, F(1))):
        net = FeedForward(("a", "b", "e"), ("x", "y", "z"), W1=matrix, b1=[0] * 3, W2=ones, b2=[0] * 3)
        names = ("a", "b", "e", "x", "y", "z")
        model = encoder(Layer(None, net), names=names, table={"t": [1, F(1, 2), 3]})
        shown = model.run("t").output
        assert [F(shown[name]) for name in ("x", "y", "z")] == [kept, kept / 2, 3 * kept]


def test_recognize() -> None:
    """chiang2022.def.recognize: accepted at CLS exactly when the word is in the language, the empty string included."""
    more = encoder(
        Layer(Head(("v",), ("m",), [[0]], [[0]], [[1]])),
        names=("v", "m"),
        table={"CLS": [0], "x": [1], "y": [-1]},
        before="CLS",
        start=0,
        readout=Readout("sign", "first", ("m",), [[1]]),
    )
    found = check(more, lambda word: word.count("x") > word.count("y"), 8)
    assert found.holds and "batches" in found.method
    assert more.run("").accept is False
    wrong = check(more, lambda word: word.count("x") >= word.count("y"), 8)
    assert wrong.counterexample is not None and wrong.first.input == ""
    wrong = check(more, lambda word: word != "" and word.count("x") >= word.count("y"), 8)
    assert wrong.counterexample is not None and wrong.first.input == "xy"


def paired_verdicts(factor: Any) -> list[Any]:
    table = {t: [v * factor for v in row] for t, row in PAIRS.items()}
    attention = Head(D4, D4, [[0] * 4], [[0] * 4], [[*r, 0, 0] for r in V] + [[*(-x for x in r), 0, 0] for r in V])
    model = encoder(
        Layer(attention, None, LayerNorm(D4), (), "post"),
        names=D4,
        table=table,
        readout=Readout("sign", "last", D4, [[1, -1, 0, 0]]),
    )
    found = []
    for word in ("".join(w) for n in (1, 2, 3) for w in itertools.product("xy", repeat=n)):
        said = {model.run(word, name).accept for name in ("exact", "ball", "float64")} | {derive(model, word).accept}
        assert len(said) == 1
        found.append(said.pop())
    return found


def test_scaling() -> None:
    """chiang2022.s4.1.scaling: with epsilon = 0 a paired post-norm model decides the same at every scale."""
    plain = paired_verdicts(1)
    assert True in plain and False in plain
    for factor in (F(1, 100), THIRD, 2, 50):
        assert paired_verdicts(factor) == plain


def normed(x: Any, epsilon: Any, name: str = "exact") -> list[Any]:
    """LN(x, -x)."""
    block = FeedForward(AB, ("a",), [[0, 0]], [0], [[0]], [0])
    model = Transformer(
        "ln",
        Embedding(Space(AB), inputs=AB),
        (Layer(None, block),),
        Readout("value", "last", AB),
        final_norm=LayerNorm(AB, epsilon=epsilon),
    )
    output = model.run({"a": x, "b": -x}, name).output
    return [shown_value(output[c]) for c in AB]


def test_lipschitz() -> None:
    """chiang2022.s4.2.lipschitz: epsilon = 0 keeps a jump between inputs that meet; epsilon > 0 does not."""
    for m in (1, 10, 10**6):
        assert normed(F(1, m), 0) == [1, -1] and normed(F(-1, m), 0) == [-1, 1]
        for name in ("exact", "ball", "float64"):
            up, down = normed(F(1, m), F(1, 4), name)[0], normed(F(-1, m), F(1, 4), name)[0]
            assert abs(up - down) <= number(F(2, m) / HALF)  # |LN x - LN y| <= |x - y|/sqrt(epsilon) in this direction
    for name in ("exact", "float64"):
        with pytest.raises(BadInput, match="variance"):
            normed(0, 0, name)


def test_p_precision() -> None:
    """merrill2024.def1.transformer over D_p: mpmath rounds every operation to p bits; zero bits are refused."""
    model = decoder("future", "softmax", "1/sqrt(d_key)")
    for bits, slack in ((11, 0.1), (24, 1e-4), (53, 1e-12)):
        domain = make_domain("mpmath", bits=bits)
        result = forward(model, tuple("xyx"), domain)
        with mpmath.workdps(DIGITS):
            wanted = _step("xyx", Decimals(), "future", softmax)
        with domain.context():
            values = [[domain.read(column, p) for column in result.columns().values()] for p in range(3)]
        for row, good in zip(values, wanted, strict=True):
            for value, exact in zip(row, good, strict=True):
                assert abs(int(value.man)).bit_length() <= bits
                assert abs(value - exact) <= slack * max(1, abs(exact))
    with pytest.raises(BadInput, match="bits"):
        model.run("xyx", "mpmath", bits=0)


# --- Negative controls: an object that is not the definition is seen --------------------------------------------------


def found_case(claim: str, what: str = "") -> Case:
    return next(one for one in CASES if one.claim == claim and what in one.what)


WRONG = [
    ("cookbook.s2.2.2.def2.3", "softmax, d_key = 4", encoder(Layer(replace(head(), scale=1)))),
    ("cookbook.s2.2.2.strict_future_mask", "average", encoder(Layer(head(weighting="average", mask="future")))),
    ("cookbook.s5.past_mask", "past, softmax", encoder(Layer(head(mask="strict-past")))),
    ("yang2026.def2", "rightmost", found_case("yang2026.def2", "leftmost").model),
    ("yang2026.def3", "1/n", encoder(Layer(head(temperature="n")))),
    ("cookbook.s6.def6.1_ln", "1/4", encoder(names=ABC, table=WE3, final_norm=replace(NORM, epsilon=1))),
    (
        "cookbook.s6.2.prenorm",
        "around a network",
        encoder(Layer(None, network(NET3, ABC), (), NORM, "pre"), names=ABC, table=WE3),
    ),
    ("merrill2024.def.layernorm", "gain 1/sqrt(4)", encoder(names=D4, table=WE4, final_norm=LayerNorm(D4))),
    (
        "chiang2022.eq2",
        "",
        encoder(
            Layer(Head(D4, D4, WQE, WK1, WV1, "none", "softmax", 1, "1/sqrt(d_key)")),
            names=D4,
            table=EVEN,
            before="CLS",
            start=0,
        ),
    ),
]


@together("name", [n for n in DOMAINS if n != "batch"])
@together(("claim", "what", "model"), WRONG)
def test_a_wrong_object_is_seen(claim: str, what: str, model: Transformer, name: str) -> None:
    with pytest.raises((AssertionError, NotExact)) as caught:
        run_case(found_case(claim, what), name, model)
    assert caught.type is AssertionError or name == "exact"


def test_a_wrong_object_is_seen_in_batches() -> None:
    one = found_case("cookbook.s2.2.2.strict_future_mask", "average")
    with pytest.raises(AssertionError):
        run_batch(replace(one, model=encoder(Layer(head(weighting="average", mask="future")))))


# --- The list is whole -----------------------------------------------------------------------------------------------

ELSEWHERE = {  # tests of this file that are no cases
    "cookbook.s2.3.uniformity",
    "cookbook.s5.6.gap_condition",
    "cookbook.s5.7.def5.2",
    "cookbook.s5.3.2.ao_def",
    "cookbook.s5.3.lookup_spec",
    "cookbook.s6.1.def6.2_lipschitz",
    "cookbook.s6.1.def6.3_homogeneous",
    "chiang2022.def.notation",
    "chiang2022.def.recognize",
    "chiang2022.s4.1.scaling",
    "chiang2022.s4.2.lipschitz",
}


def wanted_claims() -> set[str]:
    """Cookbook, Sections 2, 5, 6; chiang2022, Sections 2 and 4; what merrill2024 and yang2026 define as blocks."""
    table = inventory()
    result = {n for n, c in table.items() if c.kind == "definition" and re.match(r"cookbook\.s[256]\.", n)}
    result |= {n for n, c in table.items() if c.paper == "chiang2022" and re.match(r"§(2|4)|Eq\. \(2\)", c.location)}
    result -= {n for n, c in table.items() if c.paper == "chiang2022" and c.kind == "identity"}
    result |= {n for n in table if re.match(r"merrill2024\.(def[1245]\.|appA|def\.(layernorm|saturated))", n)}
    result |= {n for n in table if re.match(r"yang2026\.def([123]|\.mask)$", n)}
    return result | {"cookbook.s2.2.2.no_wo", "cookbook.s2.2.3.autoregressive"}


def test_every_definition_is_here_and_in_the_notes() -> None:
    here = {one.claim for one in CASES} | ELSEWHERE
    assert wanted_claims() == here
    notes = (ROOT / "docs" / "reference" / "definitions.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([^`]+)`", notes, re.MULTILINE)) == here
