"""A machine that runs a stored model from its weights in floats, and keeps every number that it holds.

It reads the document of a model and no run relation, so that it is another source for what a rounded run may hold.
Numbers are fractions. `Bits` does each operation exactly and then rounds it to p bits; `Numpy` does it in a format of
numpy. A `Style` says in which order and by which formulas a machine computes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from symcook.model.expr import parse_term

mpmath.mp.prec = 400
Row = dict[int, Fraction]


def fraction(x: Any) -> Fraction:
    """An mpf as a fraction."""
    sign, mantissa, exponent, _ = x._mpf_
    value = Fraction(mantissa) * Fraction(2) ** exponent
    return -value if sign else value


def mpf(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


@dataclass(frozen=True)
class Style:
    """The choices of a machine."""

    inverse: bool = False  # a quotient is a product with a rounded inverse
    shuffled: bool = False  # sums in a random order
    tree: bool = False  # sums in pairs
    fused: bool = False  # a product is not rounded before it is added
    divided_first: bool = False  # weights are divided before the sum
    base_two: bool = False  # exponentials by powers of two
    shifted: bool = True  # the largest score of a row is subtracted

    @staticmethod
    def drawn(rng: random.Random) -> Style:
        return Style(**{one.name: rng.random() < 0.5 for one in fields(Style)})


class Bits:
    """Floats of p bits: rounded to "nearest", "toward zero", at "random", or to any neighbour ("adverse"). Exponents
    are unbounded, or from `least` on; results below are rounded to subnormal numbers, or flushed to zero."""

    def __init__(self, bits: int, mode: str, rng: random.Random, least: int | None = None, flush: bool = False) -> None:
        self.bits, self.mode, self.rng, self.least, self.flush = bits, mode, rng, least, flush
        self.unit = Fraction(1, 2 ** (bits if mode == "nearest" else bits - 1))
        self.underflow = False

    @property
    def tiny(self) -> Fraction:
        """The largest absolute error of an underflow."""
        assert self.least is not None
        return Fraction(2) ** (self.least if self.flush else self.least - self.bits)

    def rounded(self, x: Fraction) -> Fraction:
        if not x:
            return x
        exponent = abs(x).numerator.bit_length() - abs(x).denominator.bit_length()
        exponent -= Fraction(2) ** exponent > abs(x)
        if self.least is not None and exponent < self.least:
            if self.flush:
                self.underflow = True
                return Fraction(0)
            exponent = self.least
            self.underflow |= (x / Fraction(2) ** (exponent - self.bits + 1)).denominator != 1
        spacing = Fraction(2) ** (exponent - self.bits + 1)
        below, rest = divmod(abs(x) / spacing, 1)
        if self.mode == "nearest":
            below += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and below % 2)
        elif rest and self.mode != "toward zero":
            below += self.rng.random() < (float(rest) if self.mode == "random" else 0.5)
        return (spacing if x > 0 else -spacing) * below

    def multiply(self, a: Fraction, b: Fraction) -> Fraction:
        return self.rounded(a * b)

    def add(self, a: Fraction, b: Fraction) -> Fraction:
        return self.rounded(a + b)

    def divide(self, a: Fraction, b: Fraction) -> Fraction:
        return self.rounded(a / b)

    def fused(self, a: Fraction, b: Fraction, c: Fraction) -> Fraction:
        return self.rounded(a * b + c)

    def apply(self, function: Callable[[Any], Any], x: Fraction) -> Fraction:
        return self.rounded(fraction(function(mpf(x))))


class Numpy(Bits):
    """A format of numpy, with its own operations: ``np.float16`` or ``np.float32``."""

    def __init__(self, kind: type[np.floating[Any]], rng: random.Random) -> None:
        of = np.finfo(kind)
        super().__init__(of.nmant + 1, "nearest", rng, int(of.minexp))
        self.kind = kind

    def _done(self, op: Callable[..., Any], exact: Fraction, *numbers: Fraction) -> Fraction:
        with np.errstate(all="ignore"):
            out = Fraction(float(op(*(self.kind(float(x)) for x in numbers))))
        self.underflow |= out != exact and abs(exact) < Fraction(2) ** (self.least or 0)
        return out

    def multiply(self, a: Fraction, b: Fraction) -> Fraction:
        return self._done(np.multiply, a * b, a, b)

    def add(self, a: Fraction, b: Fraction) -> Fraction:
        return self._done(np.add, a + b, a, b)

    def divide(self, a: Fraction, b: Fraction) -> Fraction:
        return self._done(np.divide, a / b, a, b)

    def fused(self, a: Fraction, b: Fraction, c: Fraction) -> Fraction:
        return self.add(self.multiply(a, b), c)


class Machine:
    """One run of a model on a random input of length n. `values` has all coordinates by the names of the run, `kept`
    the other numbers that the machine holds: scores and shares by layer and head, ("unit", layer, unit), ("spread",
    norm, entry), ("under", norm) and ("logit",). `refused` is whether a norm met a variance of zero."""

    def __init__(self, document: Mapping[str, Any], of: Bits, style: Style, n: int, rng: random.Random) -> None:
        self.document, self.of, self.style, self.n, self.rng = document, of, style, n, rng
        embedding = document["embedding"]
        self.places = range(embedding["start"], embedding["start"] + n)
        self.symbols = {
            one["name"]: Fraction(1, 1000) if one["name"] == "epsilon" else Fraction(rng.choice((1, 2, 3, 5)))
            for one in document["symbols"]
        }
        self.values: dict[str, Row] = {}
        self.now: dict[str, str] = {}
        self.used = {*document["space"], *self.symbols}
        self.kept: dict[tuple[Any, ...], dict[Any, Fraction]] = {}
        self.norms, self.refused = 0, False
        self._embed(embedding)
        for number, layer in enumerate(document["layers"], 1):
            self._part(number, layer["attention"] or [], layer["attention_norms"], layer["placement"])
            nets = [layer["feedforward"]] if layer["feedforward"] else []
            self._part(number, nets, layer["feedforward_norms"], layer["placement"])
        if document["final_norm"]:
            self._part(len(document["layers"]) + 1, [], [document["final_norm"]], "post")
        if document["readout"]["kind"] == "sign":
            weights, reads = document["readout"]["weights"][0], document["readout"]["reads"]
            self.kept["logit",] = {i: self._dot(self._entries(weights, reads, self.now, i)) for i in self.places}

    # --- operations ---

    def weight(self, text: str, i: int | None = None) -> Fraction:
        """A weight or position function as it is stored."""
        names = {name: mpf(value) for name, value in self.symbols.items()} | {"n": mpmath.mpf(self.n)}
        names |= {} if i is None else {"i": mpmath.mpf(i)}
        return self.of.rounded(fraction(mpmath.mpf(evaluated(parse_term(text), names))))

    def _total(self, terms: Iterable[Fraction]) -> Fraction:
        parts = list(terms)
        if self.style.shuffled:
            self.rng.shuffle(parts)
        if self.style.tree:
            while len(parts) > 1:
                pairs = (parts[k : k + 2] for k in range(0, len(parts), 2))
                parts = [self.of.add(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
        total = parts[0] if parts else Fraction(0)
        for part in parts[1:]:
            total = self.of.add(total, part)
        return total

    def _dot(self, pairs: Iterable[tuple[Fraction, Fraction]], first: Fraction | None = None) -> Fraction:
        """A sum of products, and of `first`."""
        entries = list(pairs)
        if not self.style.fused:
            return self._total([*([] if first is None else [first]), *(self.of.multiply(a, b) for a, b in entries)])
        total = Fraction(0) if first is None else first
        for a, b in entries:
            total = self.of.fused(a, b, total)
        return total

    def _divide(self, a: Fraction, b: Fraction) -> Fraction:
        return self.of.multiply(a, self.of.divide(Fraction(1), b)) if self.style.inverse else self.of.divide(a, b)

    # --- the model ---

    def _embed(self, embedding: Mapping[str, Any]) -> None:
        words, first, last = list(embedding["words"] or {}), self.places[0], self.places[-1]
        typed = [k for k, token in enumerate(words) if token not in (embedding["before"], embedding["after"])]
        self.tokens = {i: self.rng.choice(typed) if typed else 0 for i in self.places}
        if embedding["before"] is not None:
            self.tokens[first] = words.index(embedding["before"])
        if embedding["after"] is not None:
            self.tokens[last] = words.index(embedding["after"])
        for name in self.document["space"]:
            position = embedding["positions"].get(name)
            rows = [row.get(name, "0") for row in (embedding["words"] or {}).values()]
            if name in (embedding["inputs"] or ()):
                low = 1 if name == "query" else -8  # the query of a lookup is a position
                drawn = {
                    i: Fraction(self.rng.randint(low, max(self.n, low)), self.rng.choice((1, 1, 3)))
                    for i in self.places
                }
                self._set(name, {i: self.of.rounded(x) for i, x in drawn.items()})
            elif position is not None or any(one != "0" for one in rows):
                table = {i: [self.weight(rows[self.tokens[i]])] if rows else [] for i in self.places}
                at = {i: [] if position is None else [self.weight(position, i)] for i in self.places}
                self._set(name, {i: self._total([*table[i], *at[i]]) for i in self.places})

    def _set(self, name: str, values: Row) -> None:
        self.values[name], self.now[name] = values, name

    def _name(self, stem: str, values: Row) -> str:
        while stem in self.values or stem in self.used:
            stem += "_"
        self.values[stem] = values
        return stem

    def _entries(
        self, weights: Sequence[str], reads: Sequence[str], view: Mapping[str, str], i: int
    ) -> list[tuple[Fraction, Fraction]]:
        named = zip(weights, reads, strict=True)
        return [(self.weight(w), self.values[view[c]][i]) for w, c in named if w != "0" and c in view]

    def _part(
        self, number: int, blocks: Sequence[Mapping[str, Any]], norms: Sequence[Mapping[str, Any]], placement: str
    ) -> None:
        view = dict(self.now)
        if not blocks and not norms:
            return
        if placement not in ("none", "post") and blocks:
            view = {name: made for norm in norms for name, made in self._norm(number, norm).items()}
        added: dict[str, list[tuple[int, dict[int, list[Fraction]]]]] = {}
        for h, block in enumerate(blocks, 1):
            made = self._head(block, view, number, h) if "mask" in block else self._network(block, view, number)
            for name, terms in made.items():
                added.setdefault(name, []).append((h, terms))
        for name, parts in added.items():
            if len(parts) > 1:  # what each of several heads adds has a name
                sums = [(h, {i: self._total(terms[i]) for i in self.places}) for h, terms in parts]
                for h, row in sums:
                    self._name(f"z{number}_{h}_{name}", row)
                parts = [(h, {i: [row[i]] for i in self.places}) for h, row in sums]
            old = {i: [self.values[self.now[name]][i]] if name in self.now else [] for i in self.places}
            new = {i: self._total([*old[i], *(x for _, terms in parts for x in terms[i])]) for i in self.places}
            if name in self.now:
                self.now[name] = self._name(f"z{number}_{name}", new)
            else:
                self._set(name, new)
        if placement == "post":
            for norm in norms:
                self.now |= self._norm(number, norm)

    def _network(
        self, block: Mapping[str, Any], view: Mapping[str, str], number: int
    ) -> dict[str, dict[int, list[Fraction]]]:
        units: list[Row] = []
        for k, (weights, (bias,)) in enumerate(zip(block["W1"], block["b1"], strict=True)):
            first = None if bias == "0" else self.weight(bias)
            inside = {i: self._dot(self._entries(weights, block["reads"], view, i), first) for i in self.places}
            self.kept["unit", number, k] = inside
            units.append({i: self._activated(block["activation"], x) for i, x in inside.items()})
        out = {}
        for name, weights, (bias,) in zip(block["writes"], block["W2"], block["b2"], strict=True):
            stored = [(self.weight(w), unit) for w, unit in zip(weights, units, strict=True) if w != "0"]
            last = [] if bias == "0" else [self.weight(bias)]
            out[name] = {i: [*(self.of.multiply(w, unit[i]) for w, unit in stored), *last] for i in self.places}
        return out

    def _activated(self, activation: str, x: Fraction) -> Fraction:
        if activation == "relu":
            return max(x, Fraction(0))
        if activation == "step":
            return Fraction(x > 0)
        inside = self.of.multiply(x, self.of.rounded(fraction(1 / mpmath.sqrt(2))))
        half = self.of.multiply(x, Fraction(1, 2))
        return self.of.multiply(half, self.of.add(Fraction(1), self.of.apply(mpmath.erf, inside)))

    def _norm(self, number: int, norm: Mapping[str, Any]) -> dict[str, str]:
        of, mean, under, deviation, made = self.of, Row(), Row(), Row(), {}
        rows = norm["projection"] or [["01"[a == b] for b in norm["reads"]] for a in norm["writes"]]
        entries = [{i: self._dot(self._entries(row, norm["reads"], self.now, i)) for i in self.places} for row in rows]
        epsilon, size = self.weight(norm["epsilon"]), of.rounded(Fraction(len(entries)))
        for i in self.places:
            mean[i] = self._divide(self._total(entry[i] for entry in entries), size)
            away = [of.add(entry[i], -mean[i]) for entry in entries]
            under[i] = self._divide(self._total(of.multiply(x, x) for x in away), size)
            under[i] = of.add(under[i], epsilon) if epsilon else under[i]
            deviation[i] = of.apply(mpmath.sqrt, under[i])
        self.refused |= norm["zero_variance"] == "refuse" and not all(deviation.values())
        self.kept["under", self.norms] = under
        self.kept |= {("spread", self.norms, k): entry for k, entry in enumerate(entries)}
        self.norms += 1
        self._name(f"mu{number}", mean)
        self._name(f"dev{number}", deviation)
        for name, entry, (gain,), (bias,) in zip(norm["writes"], entries, norm["gain"], norm["bias"], strict=True):
            values = {}
            for i in self.places:
                values[i] = self.weight(bias)
                if deviation[i]:
                    scaled = of.multiply(self.weight(gain), of.add(entry[i], -mean[i]))
                    normed = self._divide(scaled, deviation[i])
                    values[i] = normed if bias == "0" else of.add(normed, values[i])
            made[name] = self._name(f"y{number}_{name}", values)
        return made

    def _window(self, mask: str, i: int) -> range:
        first, behind = self.places[0], self.places[-1] + 1
        ends = {"none": (first, behind), "future": (first, i + 1), "strict-future": (first, i)}
        return range(*(ends | {"past": (i, behind), "strict-past": (i + 1, behind)})[mask])

    def _head(
        self, head: Mapping[str, Any], view: Mapping[str, str], number: int, h: int
    ) -> dict[str, dict[int, list[Fraction]]]:
        def projected(key: str) -> Iterator[dict[int, Fraction]]:
            for weights in head[key]:
                yield {i: self._dot(self._entries(weights, head["reads"], view, i)) for i in self.places}

        def nonzero(weights: Sequence[str]) -> bool:
            return any(w != "0" and c in view for w, c in zip(weights, head["reads"], strict=True))

        both = zip(
            zip(projected("Q"), projected("K"), strict=True), zip(head["Q"], head["K"], strict=True), strict=True
        )
        pairs = [pair for pair, (query, key) in both if nonzero(query) and nonzero(key)]
        values, out = list(projected("V")), {name: dict[int, list[Fraction]]() for name in head["writes"]}
        for i in self.places:
            seen = self._window(head["mask"], i)
            scores = {j: self._dot((query[i], key[j]) for query, key in pairs) for j in seen}
            weights, total = self._weights(head, scores, bool(pairs), (number, h, i)) if seen else ({}, Fraction(1))
            for name, value in zip(head["writes"], values, strict=True):
                live = [j for j in seen if weights[j]]
                if self.style.divided_first:
                    mean = self._total(self.of.multiply(self._divide(weights[j], total), value[j]) for j in live)
                else:
                    mean = self._divide(self._dot((weights[j], value[j]) for j in live), total)
                out[name][i] = [mean] if seen else []
        return out

    def _weights(
        self, head: Mapping[str, Any], scores: Row, scored: bool, at: tuple[int, int, int]
    ) -> tuple[Row, Fraction]:
        """The weights of a row, and what their sum is divided by."""
        of, (number, h, i), kept = self.of, at, self.kept
        uniform = {j: Fraction(1) for j in scores}
        if not scored and head["weighting"] in ("average", "softmax"):
            return uniform, of.rounded(Fraction(len(scores)))
        if head["weighting"] == "softmax":
            scale, temperature = (self.weight(head[key], i) for key in ("scale", "temperature"))
            scores = {j: of.multiply(scale, x) for j, x in scores.items()}
            if head["temperature"] != "1":
                scores = {j: self._divide(x, temperature) for j, x in scores.items()}
        kept.setdefault(("score", number, h), {}).update({(i, j): x for j, x in scores.items()})
        if head["weighting"] != "softmax":
            best = [j for j, x in scores.items() if x == max(scores.values())]
            best = {"leftmost": best[:1], "rightmost": best[-1:]}.get(head["weighting"], best)
            return {j: Fraction(j in best) for j in scores}, of.rounded(Fraction(len(best)))
        shift = max(scores.values()) if self.style.shifted else Fraction(0)
        shares = {}
        for j, x in scores.items():
            less = of.add(x, -shift)
            if self.style.base_two:
                power = of.multiply(less, of.rounded(fraction(1 / mpmath.log(2))))
                less, shares[j] = fraction(mpf(power) * mpmath.log(2)), of.apply(lambda y: mpmath.mpf(2) ** y, power)
            else:
                shares[j] = of.apply(mpmath.exp, less)
            kept.setdefault(("away", number, h), {})[i, j] = less
            kept.setdefault(("share", number, h), {})[i, j] = shares[j]
        kept.setdefault(("shift", number, h), {})[i] = shift
        total = kept.setdefault(("total", number, h), {})[i] = self._total(shares.values())
        return shares, total


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs, "exp": mpmath.exp, "sqrt": mpmath.sqrt, "erf": mpmath.erf, "relu": lambda x: max(x, mpmath.mpf(0)),
    "pow": lambda a, k: a ** int(k), "sin": mpmath.sin, "cos": mpmath.cos, "log": mpmath.log, "min": min, "max": max,
}  # fmt: skip
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "/": lambda a, b: a / b, "^": lambda a, b: a ** int(b),
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
}  # fmt: skip


def evaluated(tree: Any, names: Mapping[str, Any]) -> Any:
    """A term of numbers at 400 bits, or whether a formula holds. `names` has numbers, and functions of integers."""
    tag = tree[0]
    if tag == "num":
        return mpmath.mpf(tree[1]) / tree[2]
    if tag == "name":
        value = mpmath.pi if tree[1] == "pi" else names[tree[1]]
        return value() if callable(value) and tree[1] != "pi" else +value
    if tag == "call":
        arguments = [evaluated(one, names) for one in tree[2]]
        return _FUNCTIONS[tree[1]](*arguments) if tree[1] in _FUNCTIONS else names[tree[1]](*map(int, arguments))
    if tag in ("sum", "all in"):
        ends = (int(evaluated(end, names)) for end in tree[2:4])
        low, high = ends
        each = (evaluated(tree[4], {**names, tree[1]: mpmath.mpf(k)}) for k in range(low, high + 1))
        return mpmath.fsum(each) if tag == "sum" else all(each)
    if tag == "ex":  # ex k:Int. TERM = k
        return mpmath.isint(evaluated(tree[3][1], names))
    left = evaluated(tree[1], names)
    if tag == "neg":
        return -left
    if tag == "~":
        return not left
    if tag == "ind":
        return mpmath.mpf(1 if left else 0)
    if tag == "*":
        return left * evaluated(tree[2], names) if left else mpmath.mpf(0)
    if tag in ("&", "->", "|"):  # the second part may be undefined where the first one settles it
        settled = {"&": (False, False), "->": (False, True), "|": (True, True)}[tag]
        return settled[1] if bool(left) is settled[0] else evaluated(tree[2], names)
    return _BINARY[tag](left, evaluated(tree[2], names))
