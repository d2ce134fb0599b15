"""bound error by constants of the parts: ours and the papers', against the formulas of `symcook.bounds.growth`, for
random models: Q unlike K, several heads, temperatures, norms in every placement, a final norm, tokens in front and
behind, positions that depend on the length."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
import sympy
from attacks.bound_error import made
from families import every

import symcook as sc
from symcook.bounds import error_propagation
from symcook.errors import BadInput

MP = mpmath.mp.clone()
MP.dps = 40
CHECKED: list[int] = []


def at(expression: Any, i: int, n: int) -> Any:
    found = sympy.sympify(expression)
    return found.subs({s: {"i": i, "n": n}[s.name] for s in found.free_symbols})


def number(value: Any) -> Any:
    return MP.mpf(str(sympy.N(value, 40)))


def rows(matrix: Any) -> list[list[Any]]:
    return [[number(matrix[r, c]) for c in range(matrix.shape[1])] for r in range(matrix.shape[0])]


def column(matrix: list[list[Any]]) -> Any:
    """The greatest sum of a column's sizes."""
    return max(sum(abs(e) for e in entries) for entries in zip(*matrix, strict=True))


def times(a: Any, b: Any) -> Any:
    return [[sum(x * y for x, y in zip(row, entries, strict=True)) for entries in zip(*b, strict=True)] for row in a]


def sizes(a: Any) -> Any:
    return [[abs(e) for e in row] for row in a]


class Constants:
    def __init__(self, model: sc.Transformer, delta: Any, n: int) -> None:
        self.model, self.n = model, n + model.embedding.added
        embedding, start = model.embedding, model.embedding.start
        every_matrix = [m for step in model.sublayers if step.block is not None for p in step.all_parts
                        for m in p.matrices().values()]  # fmt: skip
        self.width = max([len(model.space), *(m.shape[0] for m in every_matrix)])
        self.greatest = max([MP.mpf(1), *(abs(e) for m in every_matrix for row in rows(m) for e in row)])
        self.size = MP.mpf(0)
        for i in range(start, start + self.n):
            for row in embedding.words.values():
                here = {c: number(row.get(c, 0)) + number(at(embedding.positions.get(c, 0), i, self.n))
                        for c in model.space}  # fmt: skip
                self.size = max(self.size, sum(map(abs, here.values())))
        self.ours = self.papers = delta

    def through(self) -> tuple[Any, Any]:
        for step in self.model.sublayers:
            if step.block is not None:
                self.block(step)
            if step.after is not None:
                one, other = self.norm(step.after)
                self.ours, self.papers, self.size = one * self.ours, other * self.papers, self.normed(step.after)
        return self.ours, self.papers

    def norm(self, norm: Any) -> tuple[Any, Any]:
        m, epsilon = len(norm.writes), number(norm.epsilon)
        gains = [abs(row[0]) for row in rows(norm.gain)]
        c = 1 if norm.projection is None else column(rows(norm.projection))
        ours = c * MP.sqrt(MP.mpf(m - 1) / m * sum(g * g for g in gains) / epsilon)
        return ours, 2 * m * (m + 1) * max(gains) * c / MP.sqrt(epsilon)

    def normed(self, norm: Any) -> Any:
        return len(norm.writes) * sum(abs(r[0]) for r in rows(norm.gain)) + sum(abs(r[0]) for r in rows(norm.bias))

    def block(self, step: Any) -> None:
        size, ours, papers = self.size, self.ours, self.papers
        if step.before:
            size = sum(map(self.normed, step.before))
            factors = [self.norm(norm) for norm in step.before]
            ours, papers = sum(f for f, _ in factors) * ours, sum(f for _, f in factors) * papers
        block = step.block
        if hasattr(block, "heads"):
            for head in block.heads:
                self.head(head, size, ours, papers)
            self.size += sum(column(rows(head.V)) for head in block.heads) * size
            return
        inside = times(sizes(rows(block.W2)), sizes(rows(block.W1)))
        self.ours += column(inside) * ours
        self.papers += (self.width * self.greatest) ** 2 * papers
        constant = times(sizes(rows(block.W2)), sizes(rows(block.b1)))
        self.size += column(inside) * size + sum(r[0] for r in constant) + sum(abs(r[0]) for r in rows(block.b2))

    def head(self, head: Any, size: Any, ours: Any, papers: Any) -> None:
        c = column(rows(head.V))
        form = times([list(r) for r in zip(*rows(head.Q), strict=True)], rows(head.K))
        mu = max(abs(e) for row in form for e in row)
        if mu == 0:
            self.ours, self.papers = self.ours + c * ours, self.papers + self.width * self.greatest * papers
            return
        assert head.weighting == "softmax"
        start = self.model.embedding.start
        factor = max(number(head.scale) / number(at(head.temperature, i, self.n)) for i in range(start, start + self.n))
        weights = 2 * MP.tanh(factor * mu * (2 * size * ours + ours**2) / 2)
        self.ours += c * (size * weights + ours)
        h = max(size, MP.mpf(1))
        score = factor * 3 * (self.width * self.greatest) ** 2 * h * papers
        self.papers += self.width * self.greatest * (self.width * h * 4 * score + papers)


def drawn(seed: int) -> tuple[sc.Transformer, int]:
    model, n, r = made(seed)
    layers = []
    for layer in model.layers:
        attention = layer.attention
        if attention is not None:
            heads = [replace(h, weighting="softmax") if h.weighting != "softmax" and not h.uniform else h
                     for h in attention.heads]  # fmt: skip
            attention = replace(attention, heads=tuple(heads))
        layers.append(replace(layer, attention=attention))
    positions = {**model.embedding.positions, "p": r.choice(["i", "i/n", "n - i", "(i+1)/n", "n"])}
    return replace(model, layers=tuple(layers), embedding=replace(model.embedding, positions=positions)), n


def check(seed: int) -> None:
    model, n = drawn(seed)
    for power in (2, 5, 9, 14, 22, 32):
        delta = Fraction(1, 10**power)
        try:
            found = error_propagation(model, delta, n=n, digits=20, constants=True)
        except BadInput as error:
            assert "smaller delta" in str(error) or "hard head" in str(error), error
            continue
        ours, papers = Constants(model, MP.mpf(1) / 10**power, n).through()
        for ball, wanted in ((found.value, ours), (found.claimed, papers)):
            assert abs(MP.mpf(ball.mid) - wanted) <= MP.mpf(10) ** -15 * abs(wanted), (seed, power)
        assert found.holds is (ours <= papers)
        CHECKED.append(seed)
        return


@pytest.mark.sweep
def test_constants_of_random_models() -> None:
    CHECKED.clear()
    every([(seed,) for seed in range(100, 150)], check)
    assert len(CHECKED) > 25


def test_constants_are_for_changes_of_the_embedding() -> None:
    """Alone: not beside a type of floats, and not of one."""
    for given in ({"dtype": "float32"}, {"dtype": "float32", "delta": "1/1000"}):
        with pytest.raises(BadInput, match="the papers' constants are only for errors in the embedding"):
            error_propagation("dyck-1", n=2, constants=True, **given)
    assert error_propagation("dyck-1", n=2, constants=True, delta="1/1000").value.mid
