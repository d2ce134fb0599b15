"""What a runtime makes of a model's weights: a plain pass that rounds each operation to a type of float.

Sums run in an order that is drawn anew each time, by pairs or one by one, with products rounded or fused into the sum.
The weights of an average are divided by their sum behind the sum of values ("behind", as the exported files do) or
before it ("before", as people write it). Nothing here is shared with symcook; the model is only read.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy
from dense import SEES, ZeroVariance, typed

FORMATS = {"float64": (53, -1074), "float32": (24, -149), "float16": (11, -24), "bfloat16": (8, -133)}
"""Bits, and the exponent of the least number."""
ORDERS = ("behind", "before")


@lru_cache(maxsize=1 << 14)
def _rounded(value: Any, bits: int, least: int) -> float:
    """An exact number rounded once."""
    number = sympy.sympify(value)
    if not number.is_Rational:
        number = sympy.Rational(str(sympy.N(number, 60)))
    if number == 0:
        return 0.0
    size = abs(int(number.p)).bit_length() - int(number.q).bit_length()
    exponent = size - bits - 1
    while abs(number) >= sympy.Integer(2) ** (exponent + bits):
        exponent += 1
    exponent = max(exponent, least)
    scaled = number / sympy.Integer(2) ** exponent
    whole, rest = divmod(int(scaled.p), int(scaled.q))
    if 2 * rest > scaled.q or (2 * rest == scaled.q and whole % 2):
        whole += 1
    return math.ldexp(whole, exponent)


@lru_cache(maxsize=1 << 14)
def _at(expression: Any, i: int, n: int) -> Any:
    return expression.subs({s: {"i": i, "n": n}[s.name] for s in expression.free_symbols})


@lru_cache(maxsize=1 << 12)
def _rows(matrix: Any) -> list[list[Any]]:
    return [[matrix[r, c] for c in range(matrix.shape[1])] for r in range(matrix.shape[0])]


class Runtime:
    """A type of float, where averages are divided, and the orders of sums by a seed."""

    def __init__(self, dtype: str, order: str = "behind", seed: int = 0) -> None:
        assert order in ORDERS
        self.bits, self.least = FORMATS[dtype]
        self.order, self.rng = order, random.Random(seed)

    def number(self, value: Any) -> float:
        return _rounded(value, self.bits, self.least)

    def round(self, x: float) -> float:
        """A float64 result rounded once more; what float64 computes of two short numbers is rounded as if once."""
        if self.bits == 53 or x == 0 or not math.isfinite(x):
            return x
        exponent = max(math.frexp(x)[1] - self.bits, self.least)
        return math.ldexp(round(math.ldexp(x, -exponent)), exponent)

    def total(self, terms: Sequence[float]) -> float:
        left = list(terms)
        self.rng.shuffle(left)
        if self.rng.random() < 0.5:
            while len(left) > 1:
                left = [self.round(a + b) for a, b in zip(left[::2], left[1::2])] + left[len(left) & ~1 :]  # noqa: B905
            return left[0] if left else 0.0
        found = left[0] if left else 0.0
        for term in left[1:]:
            found = self.round(found + term)
        return found

    def dot(self, weights: Sequence[Any], values: Sequence[float], more: Sequence[float] = ()) -> float:
        """The sum of weights times values, and of `more`; terms with the weight 0 are left out."""
        pairs = [(self.number(w), v) for w, v in zip(weights, values, strict=True) if w != 0]
        if self.bits < 53 and self.rng.random() < 0.3:  # fused
            found = self.total(more)
            for w, v in pairs:
                found = self.round(found + w * v)
            return found
        return self.total([*more, *(self.round(w * v) for w, v in pairs)])

    def mean(self, weights: Sequence[float], values: Sequence[float]) -> float:
        """The average of values by weights that do not yet sum to 1."""
        whole = self.total(weights)
        if self.order == "before":
            return self.total([self.round(self.round(w / whole) * v) for w, v in zip(weights, values, strict=True)])
        products = [v if w == 1 else self.round(w * v) for w, v in zip(weights, values, strict=True)]
        return self.round(self.total(products) / whole)

    # --- The pass ---

    def run(self, model: Any, tokens: Sequence[str]) -> list[dict[str, float]]:
        """The residual stream at the end, of a word with the tokens that the model adds."""
        start, n = model.embedding.start, len(tokens)
        stream = []
        for j, token in enumerate(tokens):
            row = model.embedding.words[token]
            z = {name: self.number(row.get(name, 0)) for name in model.embedding.space}
            for name, term in model.embedding.positions.items():
                z[name] = self.round(z[name] + self.number(_at(term, start + j, n)))
            stream.append(z)
        for layer in model.layers:
            for block, norms in (
                (layer.attention, layer.attention_norms),
                (layer.feedforward, layer.feedforward_norms),
            ):
                if block is None:
                    continue
                view = stream
                if layer.placement in ("pre", "projected pre", "multi pre"):
                    view = [{k: v for norm in norms for k, v in self.norm(norm, z, start + j).items()}
                            for j, z in enumerate(stream)]  # fmt: skip
                stream = self.written(block, view, stream, model)
                if layer.placement == "post":
                    stream = [{**z, **self.norm(norms[0], z, start + j)} for j, z in enumerate(stream)]
        if model.final_norm is not None:
            stream = [{**z, **self.norm(model.final_norm, z, start + j)} for j, z in enumerate(stream)]
        return stream

    def written(self, block: Any, view: Any, stream: Any, model: Any) -> list[dict[str, float]]:
        result = []
        parts = block.heads if hasattr(block, "heads") else (block,)
        made = [self.head(p, view, model) if hasattr(p, "V") else [self.network(p, z) for z in view] for p in parts]
        for j, z in enumerate(stream):
            new = dict(z)
            for name in z:
                terms = [rows[j][name] for rows in made if name in rows[j]]
                if terms:
                    new[name] = self.total([z[name], *terms])
            result.append(new)
        return result

    def network(self, block: Any, z: Any) -> dict[str, float]:
        row, hidden = [z[name] for name in block.reads], []
        for weights, (bias,) in zip(_rows(block.W1), _rows(block.b1), strict=True):
            x = self.dot(weights, row, [self.number(bias)] if bias != 0 else [])
            hidden.append(self.activation(x, block.activation))
        outs = zip(block.writes, _rows(block.W2), _rows(block.b2), strict=True)
        return {name: self.dot(w, hidden, [self.number(b)] if b != 0 else []) for name, w, (b,) in outs}

    def activation(self, x: float, kind: str) -> float:
        if kind == "relu":
            return max(x, 0.0)
        if kind == "step":
            return float(x > 0)
        if kind == "gelu":
            return self.round(x * self.round(math.erfc(-x / math.sqrt(2)) / 2))
        if kind == "gelu-tanh":
            return self.round(x * self.round((1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2))
        slope = {"gelu-sigmoid": 1.702, "silu": 1}[kind]
        return self.round(x * self.round(1 / (1 + math.exp(-slope * x))))

    def head(self, head: Any, view: Any, model: Any) -> list[dict[str, float]]:
        n, start = len(view), model.embedding.start
        values = [[self.dot(w, [z[c] for c in head.reads]) for z in view] for w in _rows(head.V)]
        plain = all(all(e == 0 for e in q) or all(e == 0 for e in k)
                    for q, k in zip(_rows(head.Q), _rows(head.K), strict=True))  # fmt: skip
        kept = self.rng.getstate()

        def rows(matrix: Any) -> list[list[float]]:
            """Of each position; equal entries have equal results, so the orders of sums are the same at all."""
            found = []
            for z in view:
                self.rng.setstate(kept)
                found.append([self.dot(w, [z[c] for c in head.reads]) for w in _rows(matrix)])
            return found

        queries, keys = ([], []) if plain else (rows(head.Q), rows(head.K))
        kept = self.rng.getstate()
        result = []
        for i in range(n):
            seen = [j for j in range(n) if SEES[head.mask](i, j)]
            if not seen:
                result.append(dict.fromkeys(head.writes, 0.0))
                continue
            scores = [0.0] * len(seen)
            if not plain:
                for k, j in enumerate(seen):
                    self.rng.setstate(kept)
                    scores[k] = self.total([self.round(a * b) for a, b in zip(queries[i], keys[j], strict=True)])
            if head.weighting == "softmax":
                if not plain:
                    factor = self.number(_at(head.scale / head.temperature, start + i, n))
                    scores = [self.round(factor * s) for s in scores]
                weights = [self.round(math.exp(self.round(s - max(scores)))) for s in scores]
            else:
                best = [k for k, s in enumerate(scores) if s == max(scores)]
                best = {"average": best, "leftmost": best[:1], "rightmost": best[-1:]}[head.weighting]
                seen, weights = [seen[k] for k in best], [1.0] * len(best)
            self.rng.seed(self.rng.random())
            result.append(
                {c: self.mean(weights, [row[j] for j in seen]) for c, row in zip(head.writes, values, strict=True)}
            )
        return result

    def norm(self, norm: Any, z: Any, place: int) -> dict[str, float]:
        row = [z[name] for name in norm.reads]
        if norm.projection is not None:
            row = [self.dot(w, row) for w in _rows(norm.projection)]
        mean = self.round(self.total(row) / len(row))
        moved = [self.round(x - mean) for x in row]
        variance = self.round(self.total([self.round(x * x) for x in moved]) / len(row))
        variance = self.round(variance + self.number(norm.epsilon))
        if variance == 0 and norm.zero_variance == "refuse":
            raise ZeroVariance(place)
        root = self.round(math.sqrt(variance)) or 1.0
        found = {}
        for name, x, (gain,), (bias,) in zip(norm.writes, moved, _rows(norm.gain), _rows(norm.bias), strict=True):
            y = self.round(self.round(x / root) * self.number(gain))
            found[name] = self.round(y + self.number(bias))
        return found

    def read(self, model: Any, word: Sequence[str]) -> list[tuple[dict[str, float], Any]]:
        """What the readout shows and says at each position of a typed word, as `dense.read` does."""
        readout, result = model.readout, []
        for z in self.run(model, typed(model, word)):
            row = [z[name] for name in readout.reads]
            shown, answer = dict(zip(readout.reads, row, strict=True)), None
            scores = [] if readout.weights is None else [self.dot(w, row) for w in _rows(readout.weights)]
            if readout.kind == "sign":
                shown["logit"], answer = scores[0], scores[0] > 0
            elif readout.kind == "zero":
                answer = not any(row)
            elif readout.kind == "largest":
                shown, answer = dict(zip(readout.labels, scores, strict=True)), scores.index(max(scores))
            elif readout.kind == "distribution":
                weights = [self.round(math.exp(self.round(s - max(scores)))) for s in scores]
                whole = self.total(weights)
                shown = {k: self.round(w / whole) for k, w in zip(readout.labels, weights, strict=True)}
            result.append((shown, answer))
        return result

    def answer(self, model: Any, word: Sequence[str]) -> Any:
        """The verdict, the label's index, or the list of them."""
        answers = [answer for _, answer in self.read(model, word)]
        where = model.readout.position
        return {"first": answers[0], "last": answers[-1], "all": all(answers), "each": answers}[where]
