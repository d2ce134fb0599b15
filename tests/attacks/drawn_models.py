"""Models over short words with every trait that is drawn, and what an independent forward pass says of all words.

The oracle is `dense`: Fractions, else 60 digits. A word has no run where a norm that refuses meets zero variance at any
position, a temperature is not positive, or the word is longer than the model takes.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import dense
import mpmath
import sympy

import symcook as sc
from symcook.model.parts import ACTIVATIONS, MASKS, WEIGHTINGS
from symcook.numbers.balls import Ball

LONGEST, DIGITS = 4, 60

# --- Models -----------------------------------------------------------------------------------------------------------

NAMES = (("a", "b", "c", "d"), ("odd", "bit", "height", "run"), ("count", "accept", "first", "last"),
         ("y1_a", "z1_a", "mu1", "a"), ("dyck", "w1", "sum1", "at"))  # fmt: skip
PLACES = ("i", "i/n", "(-1)^i", "1/n", "I[i = 1]", "I[i = n]", "1/(i + 1)", "n - i", "2^-i", "(1/2)^i", "sqrt(i)")
WARM = ("1", "1", "2", "1/n", "1/(i + 1)", "n - 3/2", "1/log(n + 1)")


def drawn(seed: int, number: int) -> sc.Transformer:
    """A model over words in two or three symbols; which parts and traits it has is drawn."""
    rng = random.Random(f"{seed} {number}")
    pool = ["0", "0", "1", "-1", "2", "1/2", "-1/3", "3/7", "-5/4", *rng.choice([[], [], [], ["sqrt(2)"], ["exp(-1)"]])]
    names = rng.choice(NAMES)[: rng.choice([2, 3, 4])]
    soft = rng.random() < 0.5

    def rows(m: int, n: int) -> list[list[str]]:
        return [[rng.choice(pool) for _ in range(n)] for _ in range(m)]

    def head() -> sc.Head:
        d, writes = rng.choice([1, 1, 2]), tuple(rng.sample(names, rng.choice([1, 2])))
        plain = rng.random() < 0.3
        scores = [rows(d, len(names)) if not plain else [["0"] * len(names)] * d for _ in "QK"]
        weighting = rng.choice(["average", "softmax", *WEIGHTINGS] if soft else ["average", "leftmost", "rightmost"])
        warm = rng.choice(WARM) if weighting == "softmax" and not plain else "1"
        return sc.Head(names, writes, *scores, rows(len(writes), len(names)), rng.choice(MASKS), weighting, warm)

    def network() -> sc.FeedForward:
        h, kind = rng.choice([1, 2]), rng.choice(["relu", "relu", "step", *(ACTIVATIONS if soft else ["step"])])
        writes = tuple(rng.sample(names, rng.choice([1, 2])))
        return sc.FeedForward(names, writes, rows(h, len(names)), rows(h, 1), rows(len(writes), h),
                              rows(len(writes), 1), kind)  # fmt: skip

    def norm(projected: bool = False) -> sc.LayerNorm:
        m = len(names)
        gain, bias = [rng.choice(["1", "2", "-1"]) for _ in names], [rng.choice(["0", "0", "1/7"]) for _ in names]
        return sc.LayerNorm(names, names, gain, bias, rng.choice(["0", "0", "1/10", "1"]),
                            rows(m, m) if projected else None, rng.choice(["zero", "refuse"]))  # fmt: skip

    def layer() -> sc.Layer:
        placement = rng.choice(["none"] * 6 + ["post", "pre", "projected pre"])
        parts = [sc.SelfAttention(tuple(head() for _ in range(rng.choice([1, 1, 2])))), network()]
        parts = rng.choice([parts, [parts[0], None], [parts[0], None], [None, parts[1]]])
        norms = [(norm(placement == "projected pre"),) if placement != "none" and part else () for part in parts]
        return sc.Layer(*parts, *norms, placement)

    letters = rng.choice(["xy", "xy", "()", "xyz"])
    before, after = rng.choice([(None, None), (None, None), ("CLS", None), (None, "EOS"), ("BOS", "EOS")])
    tokens = [*letters, *(t for t in (before, after) if t)]
    words = {t: {name: rng.choice(pool) for name in names if rng.random() < 0.7} for t in tokens}
    positions = {name: rng.choice(PLACES) for name in names if rng.random() < 0.25}
    embedding = sc.Embedding(sc.Space(names), words, positions=positions, start=rng.choice([0, 1, 1]), before=before,
                             after=after)  # fmt: skip
    kind = rng.choice(["sign", "sign", "zero", "largest", "value"])
    position = rng.choice(["last", "last", "first", "each", "all"] if kind in ("sign", "zero") else
                          ["last", "first", "each"])  # fmt: skip
    reads = tuple(rng.sample(names, rng.choice([1, len(names)])))
    more: dict[str, Any] = {"sign": {"weights": rows(1, len(reads))}, "zero": {}, "value": {}}.get(
        kind, {"weights": rows(3, len(reads)), "labels": ("p", "q", "r")})  # fmt: skip
    layers = tuple(layer() for _ in range(rng.choice([1, 1, 2])))
    return sc.Transformer(f"model-{number}", embedding, layers, sc.Readout(kind, position, reads, **more),
                          max_length=rng.choice([None] * 5 + [2 + embedding.added]),
                          final_norm=norm() if rng.random() < 0.08 else None)  # fmt: skip


# --- The oracle -------------------------------------------------------------------------------------------------------


class NoRun(Exception):
    """The word has no run."""


def pass_of(model: sc.Transformer, word: Sequence[str], ask: Callable[..., Any] = dense.read) -> Any:
    """What `ask` of `dense` says of a typed word; NoRun where it has no run."""
    tokens = dense.typed(model, word)
    n, start = len(tokens), model.embedding.start
    if model.max_length is not None and n > model.max_length:
        raise NoRun("too long")
    for layer in model.layers:
        for head in layer.attention.heads if layer.attention else ():
            for i in range(start, start + n) if head.weighting == "softmax" else ():
                if not head.temperature.subs({s: {"i": i, "n": n}[s.name] for s in head.temperature.free_symbols}) > 0:
                    raise NoRun("temperature")
    try:
        try:
            return ask(model, tokens, dense.rational)
        except dense.Irrational:
            number = dense.decimal(DIGITS)
            with number.context():
                return ask(model, tokens, number)
    except dense.ZeroVariance:
        raise NoRun("variance") from None


class Oracle:
    """All typed words of each length, and what the model shows and answers."""

    def __init__(self, model: sc.Transformer, longest: int = LONGEST) -> None:
        self.model, self.known = model, dict[tuple[str, ...], Any]()
        self.least = 0 if model.embedding.added else 1
        self.words = {n: list(itertools.product(model.alphabet, repeat=n)) for n in range(self.least, longest + 1)}

    def read(self, word: Sequence[str]) -> list[tuple[dict[str, Any], Any]] | None:
        """None where there is no run."""
        word = tuple(word)
        if word not in self.known:
            try:
                self.known[word] = pass_of(self.model, word)
            except NoRun:
                self.known[word] = None
        return self.known[word]

    def runs(self, n: int) -> list[tuple[str, ...]]:
        return [word for word in self.words.get(n, ()) if self.read(word) is not None]

    def most(self, n: int) -> int:
        """n, or the greatest length that the model takes."""
        return min(n, (self.model.max_length or 99) - self.model.embedding.added)

    def answer(self, word: Sequence[str]) -> Any:
        return answer_of(self.model, self.read(word))


def answer_of(model: sc.Transformer, rows: Any) -> Any:
    answers = [answer for _, answer in rows]
    return {"first": answers[0], "last": answers[-1], "all": all(answers), "each": answers}[model.readout.position]


def answers(model: sc.Transformer, words: Sequence[Any]) -> list[Any]:
    """The answers of a model that a question was asked about with a number put in; None for a word without a run."""
    oracle = Oracle(model, 0)
    return [None if oracle.read(word) is None else oracle.answer(word) for word in words]


def decimal(value: Any) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction | int) else value


def holds(cell: Any, value: Any) -> bool:
    """Whether a cell of an answer, exact or a ball, is this number."""
    with mpmath.workdps(DIGITS):
        if isinstance(cell, dict):
            cell = Ball(cell["mid"], cell["rad"])
        if isinstance(cell, str):
            cell = pass_through(cell)
        value = decimal(value)
        slack = (1 + abs(value)) * mpmath.mpf(10) ** (-DIGITS // 2)
        if isinstance(cell, Ball):
            return bool(abs(mpmath.mpf(cell.mid) - value) <= mpmath.mpf(cell.rad) + slack)
        return bool(abs(decimal(cell) - value) <= slack)


def pass_through(text: str) -> Any:
    value = sympy.sympify(text.replace("^", "**"), rational=True)
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else value.evalf(DIGITS)._to_mpmath(4 * DIGITS)
