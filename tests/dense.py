"""A plain forward pass for tests, for every block: loops over numbers, nothing shared with symcook.forward or domains.

`rational` computes with Fractions and raises `Irrational` where a softmax, a root or a gelu leaves them; `decimal(60)`
computes with mpmath at that many digits. In decimals two numbers within 10^-(2/3 digits) of each other are taken as
equal, so that ties and zeros of rational numbers are seen. `sequence` is what forward takes: added tokens stand in it
already (`typed` puts them there).
"""

from contextlib import nullcontext
from fractions import Fraction
from functools import lru_cache
from math import isqrt

import mpmath
import sympy


class Irrational(Exception):
    """A value that is not rational was asked of the rational pass."""


class ZeroVariance(Exception):
    """A norm that refuses zero variance met it; the argument is the position, counted from the model's start."""


class Numbers:
    """What a pass notes about itself, for comparisons with numbers that round.

    `tie`: some choice (a maximum, a step, a sign, a zero test, a variance) met two equal numbers. `fragile`: one met
    numbers that are equal or close after an operation that a binary float does not do exactly.
    """

    def __init__(self):
        self.tie, self.fragile, self.dyadic, self._rounded = False, False, True, False

    def noted(self, value):
        """`value`, of which it is noted whether a short binary number can hold it."""
        self.dyadic = self.dyadic and value.is_Rational and value.q & (value.q - 1) == 0
        return value

    def divided(self, count):
        self._rounded = self._rounded or count & (count - 1) != 0
        return count

    def written(self):
        """A block has been computed: what it rounded is read from now on."""
        self.dyadic = self.dyadic and not self._rounded

    def equal(self, difference):
        """Whether two numbers of this difference are equal, where something discontinuous hangs on it."""
        same = self.is_zero(difference)
        self.tie = self.tie or same
        self.fragile = self.fragile or (abs(difference) < 1e-7 and not (same and self.dyadic))
        return same


@lru_cache(maxsize=1 << 14, typed=True)
def _fraction(value):
    """A rational number as sympy's and as a Fraction; None for the latter where it is not rational."""
    value = sympy.nsimplify(value) if isinstance(value, str) else sympy.sympify(value)
    return value, Fraction(int(value.p), int(value.q)) if value.is_Rational else None


@lru_cache(maxsize=1 << 14, typed=True)
def _decimal(value, precision):
    """A number as sympy's and as mpmath's at so many bits, which are those in force."""
    value = sympy.sympify(value)
    return value, value._to_mpmath(precision) + mpmath.mpf(0)


class Rational(Numbers):
    """Numbers as Fractions."""

    def context(self):
        return nullcontext()

    def __call__(self, value):
        value, made = _fraction(value)
        if made is None:
            raise Irrational(value)
        self.noted(value)
        return made

    def is_zero(self, x):
        return x == 0

    def exp(self, x):
        if x != 0:
            raise Irrational(f"exp({x})")
        return Fraction(1)

    def root(self, x):
        self._rounded = True
        p, q = isqrt(x.numerator), isqrt(x.denominator)
        if p * p != x.numerator or q * q != x.denominator:
            raise Irrational(f"sqrt({x})")
        return Fraction(p, q)

    def gelu(self, x, kind):
        if x != 0:
            raise Irrational(f"{kind}({x})")
        return Fraction(0)


class Decimal(Numbers):
    """Numbers of mpmath with so many digits."""

    def __init__(self, digits):
        super().__init__()
        self.digits = digits

    def context(self):
        return mpmath.workdps(self.digits)

    def __call__(self, value):
        with self.context():
            value, made = _decimal(value, mpmath.mp.prec)
        self.noted(value)
        return made

    def is_zero(self, x):
        return abs(x) < mpmath.mpf(10) ** (-2 * self.digits // 3)

    def exp(self, x):
        self._rounded = self._rounded or x != 0
        return mpmath.exp(x)

    def root(self, x):
        self._rounded = True
        return mpmath.sqrt(x)

    def gelu(self, x, kind):
        """x Phi(x) and its two approximations (Cookbook, Eqs. 25 and 26)."""
        self._rounded = True
        if kind == "gelu":
            return x * mpmath.ncdf(x)
        if kind == "gelu-tanh":
            inner = mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf(44715) / 1000000 * x**3)
            return x / 2 * (1 + mpmath.tanh(inner))
        if kind == "silu":
            return x / (1 + mpmath.exp(-x))
        assert kind == "gelu-sigmoid"
        return x / (1 + mpmath.exp(-mpmath.mpf(1702) / 1000 * x))


rational = Rational()
decimal = Decimal

SEES = {
    "none": lambda i, j: True,
    "future": lambda i, j: j <= i,
    "strict-future": lambda i, j: j < i,
    "past": lambda i, j: j >= i,
    "strict-past": lambda i, j: j > i,
}


def typed(model, word):
    """The sequence for a word that a user types: with the tokens that the model adds."""
    before, after = model.embedding.before, model.embedding.after
    return [t for t in (before,) if t is not None] + list(word) + [t for t in (after,) if t is not None]


@lru_cache(maxsize=1 << 12)
def _rows(matrix):
    return [[matrix[r, c] for c in range(matrix.shape[1])] for r in range(matrix.shape[0])]


def _times(matrix, names, vector, number):
    """matrix times the named entries of a vector."""
    result = []
    for row in _rows(matrix):
        total = number(0)
        for entry, name in zip(row, names, strict=True):
            total += number(entry) * vector[name]
        result.append(total)
    return result


@lru_cache(maxsize=1 << 14)
def _substituted(expression, place, n):
    return expression.subs({s: {"i": place, "n": n}[s.name] for s in expression.free_symbols})


def _at(expression, place, model, n, number):
    return number(_substituted(expression, place + model.embedding.start, n))


@lru_cache(maxsize=1 << 12)
def _factor(scale, temperature):
    return scale / temperature


@lru_cache(maxsize=1 << 12)
def _plain(Q, K):
    """Whether every score is 0 whatever stands there."""
    return all(Q[d, :].is_zero_matrix or K[d, :].is_zero_matrix for d in range(Q.shape[0]))


def _maximal(scores, number):
    """The indices of the scores that are equal to the greatest."""
    top = scores.index(max(scores))
    return [j for j, s in enumerate(scores) if j == top or number.equal(scores[top] - s)]


def _softmax(scores, number):
    shift = max(scores)
    weights = [number.exp(s - shift) for s in scores]
    number.divided(len(weights))
    return [w / sum(weights) for w in weights]


def _weights(scores, head, factor, number):
    """The weights of the positions that a row sees."""
    if head.weighting == "softmax":
        return _softmax([factor() * s for s in scores], number)
    best = list(range(len(scores))) if _plain(head.Q, head.K) else _maximal(scores, number)
    if head.weighting == "leftmost":
        best = [min(best)]
    elif head.weighting == "rightmost":
        best = [max(best)]
    else:
        assert head.weighting == "average"
    number.divided(len(best))
    return [number(1) / len(best) if j in best else number(0) for j in range(len(scores))]


def _attention(head, view, model, number):
    """What a head adds: at each position {coordinate: number}."""
    n = len(view)
    queries = [_times(head.Q, head.reads, x, number) for x in view]
    keys = [_times(head.K, head.reads, x, number) for x in view]
    values = [_times(head.V, head.reads, x, number) for x in view]
    added = []
    for i in range(n):
        seen = [j for j in range(n) if SEES[head.mask](i, j)]
        row = dict.fromkeys(head.writes, number(0))
        if seen:
            scores = [sum((q * k for q, k in zip(queries[i], keys[j], strict=True)), number(0)) for j in seen]
            weights = _weights(
                scores, head, lambda i=i: _at(_factor(head.scale, head.temperature), i, model, n, number), number
            )
            for weight, j in zip(weights, seen, strict=True):
                for name, v in zip(head.writes, values[j], strict=True):
                    row[name] += weight * v
        added.append(row)
    return added


def _activate(x, kind, number):
    if kind == "relu":
        return max(x, number(0))
    if kind == "step":
        return number(0) if number.equal(x) or x < 0 else number(1)
    return number.gelu(x, kind)


def _feedforward(block, x, number):
    inside = _times(block.W1, block.reads, x, number)
    hidden = [_activate(v + number(block.b1[h]), block.activation, number) for h, v in enumerate(inside)]
    names = list(range(len(hidden)))
    outside = _times(block.W2, names, dict(zip(names, hidden, strict=True)), number)
    return {name: v + number(block.b2[r]) for r, (name, v) in enumerate(zip(block.writes, outside, strict=True))}


def _norm(norm, stream, model, number):
    """What a norm writes at each position."""
    result = []
    for place, x in enumerate(stream):
        if norm.projection is None:
            entries = [x[name] for name in norm.reads]
        else:
            entries = _times(norm.projection, norm.reads, x, number)
        m = len(entries)
        mean = sum(entries, number(0)) / number.divided(m)
        variance = sum(((e - mean) ** 2 for e in entries), number(0)) / m + number(norm.epsilon)
        if number.equal(variance):
            if norm.zero_variance == "refuse":
                raise ZeroVariance(place + model.embedding.start)
            scaled = [number(0)] * m
        elif all(number.is_zero(e - mean) for e in entries):
            scaled = [number(0)] * m  # whatever the root of epsilon is
        else:
            scaled = [(e - mean) / number.root(variance) for e in entries]
        result.append(
            {
                name: number(norm.gain[r]) * e + number(norm.bias[r])
                for r, (name, e) in enumerate(zip(norm.writes, scaled, strict=True))
            }
        )
    number.written()
    return result


def _part(block, norms, placement, stream, model, number):
    """The stream after the attention or the feed-forward part of a layer, which may be absent."""
    if block is None:
        return stream
    view = stream
    if placement in ("pre", "projected pre", "multi pre"):
        parts = [_norm(norm, stream, model, number) for norm in norms]
        view = [{name: v for part in parts for name, v in part[j].items()} for j in range(len(stream))]
    if hasattr(block, "heads"):
        added = [_attention(head, view, model, number) for head in block.heads]
    else:
        added = [[_feedforward(block, x, number) for x in view]]
    number.written()
    result = []
    for j, x in enumerate(stream):
        z = dict(x)
        for rows in added:
            for name, v in rows[j].items():
                z[name] += v
        result.append(z)
    if placement == "post":
        changed = _norm(norms[0], result, model, number)
        result = [{**z, **new} for z, new in zip(result, changed, strict=True)]
    return result


def run(model, sequence, number=rational):
    """The residual stream at the end: a list of {coordinate: number}, one a position."""
    with number.context():
        names, words, inputs = list(model.embedding.space), model.embedding.words, model.embedding.inputs
        stream = []
        for j, item in enumerate(sequence):
            row = words[item] if inputs is None else item
            z = {name: number(row.get(name, 0)) for name in names}
            for name, expression in model.embedding.positions.items():
                z[name] += _at(expression, j, model, len(sequence), number)
            stream.append(z)
        for layer in model.layers:
            stream = _part(layer.attention, layer.attention_norms, layer.placement, stream, model, number)
            stream = _part(layer.feedforward, layer.feedforward_norms, layer.placement, stream, model, number)
        if model.final_norm is not None:
            stream = [
                {**z, **new} for z, new in zip(stream, _norm(model.final_norm, stream, model, number), strict=True)
            ]
        return stream


def read(model, sequence, number=rational):
    """What the readout sees and says at each position: a list of ({name: number}, answer).

    The names are those that the readout reads, with "logit" for a sign readout, or the labels of a largest or a
    distribution readout. The answer is True or False for sign and zero, the index of the first largest score for
    largest, and None for value and distribution.
    """
    stream = run(model, sequence, number)
    readout, result = model.readout, []
    with number.context():
        for z in stream:
            shown, answer = {name: z[name] for name in readout.reads}, None
            scores = [] if readout.weights is None else _times(readout.weights, readout.reads, z, number)
            if readout.kind == "sign":
                shown["logit"] = scores[0]
                answer = not number.equal(scores[0]) and scores[0] > 0
            elif readout.kind == "zero":
                answer = all([number.equal(v) for v in shown.values()])
            elif readout.kind == "largest":
                shown = dict(zip(readout.labels, scores, strict=True))
                answer = min(_maximal(scores, number))
            elif readout.kind == "distribution":
                shown = dict(zip(readout.labels, _softmax(scores, number), strict=True))
            result.append((shown, answer))
    return result


def accepts(model, sequence, number=rational):
    """The verdict of a model that decides: a list for a readout at each position."""
    answers = [answer for _, answer in read(model, sequence, number)]
    where = model.readout.position
    return {"first": answers[0], "last": answers[-1], "all": all(answers), "each": answers}[where]
