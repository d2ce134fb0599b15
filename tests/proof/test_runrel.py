"""The run relation of a model says what `forward` computes in the exact domain, and nothing more.

The relation's text is evaluated by `statement_truth`, which uses no code of the kernel or of `forward`. Models: every
stored one, and generated ones over every mask, weighting and placement of norms, with scores full of ties.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from runpy import run_path
from typing import Any

import flint
import pytest
from proof.statement_truth import CONTEXT, real, texts, tree_of, truth

from symcook.domains import make_domain
from symcook.errors import BadInput
from symcook.forward import forward
from symcook.model.ends import Embedding, Readout
from symcook.model.layers import PLACEMENTS, Layer, SelfAttention
from symcook.model.modelfile import dumps, load, to_document
from symcook.model.parts import MASKS, WEIGHTINGS, FeedForward, Head, LayerNorm
from symcook.model.space import Space
from symcook.model.symbols import fraction
from symcook.model.transformer import Transformer
from symcook.proof.replay import proofs_directory
from symcook.proof.runrel import Relation, expand, stored_model
from symcook.recipes import build, names
from symcook.run import prepare
from symcook.spec.languages import dyck_bounded
from symcook.verify.sweep import check

OTHERS = run_path(str(proofs_directory() / "models.py"))["OTHERS"]
VALUES = {
    "eps": Fraction(1, 5000),
    "delta": Fraction(2, 3),
    "c": Fraction(-3, 2),
    "epsilon": Fraction(1, 7),
    "eta": Fraction(2, 7),
    "gamma": Fraction(1, 3),
}
NUMBERS = (Fraction(-2), Fraction(-1, 3), Fraction(0), Fraction(1, 4), Fraction(1))
FUNCTIONS = {
    "sqrt": lambda x: root(x),
    "erf": lambda x: CONTEXT.erf(real(x)),
    "sin": lambda x: CONTEXT.sin(real(x)),
    "cos": lambda x: CONTEXT.cos(real(x)),
}


def root(x: Any) -> Any:
    """The square root: a Fraction where it is one."""
    if isinstance(x, Fraction):
        above, below = (flint.fmpz(v).isqrt() for v in (x.numerator, x.denominator))
        if above * above == x.numerator and below * below == x.denominator:
            return Fraction(int(above), int(below))
    return CONTEXT.sqrt(real(x))


def plain(value: Any) -> Any:
    """A number of a domain as `statement_truth` has it: a Fraction, or 60 digits of an exact irrational."""
    if isinstance(value, Fraction):
        return value
    if hasattr(value, "ball"):
        with flint.ctx.workprec(400):
            return CONTEXT.mpf(value.ball().mid().str(80, radius=False))
    return CONTEXT.mpf(value)


class Recorded(Relation):
    """A relation that keeps the names of the stream after each part, and of what each norm reads and makes."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        self.streams: list[dict[str, str]] = []
        self.norms: list[tuple[int, dict[str, str], Mapping[str, Any], list[str], dict[str, str]]] = []
        super().__init__(model)

    def _embed(self) -> None:
        super()._embed()
        self.streams.append(dict(self.held))

    def _part(self, *given: Any) -> None:
        super()._part(*given)
        self.streams.append(dict(self.held))

    def _norm(self, number: int, norm: Mapping[str, Any]) -> dict[str, str]:
        before, count = dict(self.held), len(self.equations)
        made = super()._norm(number, norm)
        own = [re.match(r"\w+", equation)[0] for equation in self.equations[count : count + 2]]  # type: ignore[index]
        self.norms.append((len(self.streams) - 1, before, norm, own, made))
        return made


def flat(model: Transformer) -> list[tuple[Any, tuple[LayerNorm, ...], str]]:
    return [(block, norms, layer.placement) for layer in model.layers for block, norms in layer.blocks()]


def single(block: Any, norms: tuple[LayerNorm, ...], placement: str) -> Layer:
    if isinstance(block, FeedForward):
        return Layer(None, block, (), norms, placement)
    return Layer(block, None, norms, (), placement)


def streams(model: Transformer, sequence: Any, domain: str) -> tuple[list[Any], Any, Any]:
    system = make_domain(domain)
    result = forward(model, sequence, system, trace=True, weights=False)
    return [step.columns for step in result.steps], result, system


def environment(
    model: Transformer, relation: Recorded, given: Any, domain: str = "exact"
) -> tuple[dict[str, Any], list[str], bool | None]:
    """What forward computes, as values of the names in the relation; the names that can be changed; the verdict."""
    sequence, _ = prepare(model, given)
    steps, result, system = streams(model, sequence, domain)
    n, start = system.length, model.embedding.start
    env: dict[str, Any] = dict(FUNCTIONS)

    def put(name: str, column: Sequence[Any] | None) -> None:
        cells = {start + i: Fraction(0) if column is None else plain(column[i]) for i in range(n)}
        env.setdefault(name, cells)

    for name in model.embedding.inputs or ():
        put(name, [fraction(row[name]) for row in sequence])
    for held, columns in zip(relation.streams, steps, strict=False):
        for name, called in held.items():
            put(called, columns.get(name))
    parts = flat(model)

    def truncated(k: int, block: Any) -> Transformer:
        return replace(model, layers=tuple(single(*one) for one in [*parts[:k], block]), final_norm=None)

    for k, (block, norms, placement) in enumerate(parts):
        reading = "none" if placement == "post" else placement
        own = () if placement == "post" else norms
        if placement == "post":  # the sum before the norm
            columns = streams(truncated(k, (block, own, reading)), sequence, domain)[0][-1]
            for at, before, *_ in relation.norms:
                if at == k:
                    for name, called in before.items():
                        put(called, columns.get(name))
        for h, head in enumerate(block.heads if isinstance(block, SelfAttention) else (), 1):
            for name in head.writes:
                shared = [e for e in relation.equations if re.match(rf"z\d+_{h}_{name}\(", e)]
                for equation in shared if len(block.heads) > 1 else ():
                    columns = streams(truncated(k, (SelfAttention((head,)), own, reading)), sequence, domain)[0][-1]
                    old, new = ([plain(v) for v in c.get(name, [Fraction(0)] * n)] for c in (steps[k], columns))
                    assert len(shared) == 1
                    put(re.match(r"\w+", equation)[0], [b - a for a, b in zip(old, new, strict=True)])  # type: ignore[index]
    for _, before, norm, (mean, deviation), made in relation.norms:
        for name, column in normalised(norm, {c: env[called] for c, called in before.items()}, range(start, start + n)):
            put({"mean": mean, "deviation": deviation}.get(name) or made[name[1:]], list(column))
    if relation.pointwise:
        env = {name: cells[start] if isinstance(cells, dict) else cells for name, cells in env.items()}
    env |= {"n": Fraction(n)}
    if model.alphabet:
        vocabulary = list(model.embedding.words or ())
        env["w"] = {i: Fraction(vocabulary.index(t)) for i, t in enumerate(sequence, start)}
    fixed = {"n", "w", *FUNCTIONS, *(model.embedding.inputs or ())}
    return env, [name for name in env if name not in fixed], result.accept


def normalised(norm: Any, cells: Mapping[str, Any], places: range) -> Iterator[tuple[str, list[Any]]]:
    """Mean, deviation and result of a norm (its names with a dot in front), from Definition 6.1."""
    rows: list[dict[str, Any]] = []
    for i in places:
        x = [cells[name][i] if name in cells else Fraction(0) for name in norm["reads"]]
        exact = all(isinstance(e, Fraction) for e in x)
        number = (lambda text: Fraction(text)) if exact else lambda text: real(Fraction(text))
        x = x if exact else [real(e) for e in x]
        if norm["projection"] is not None:
            x = [sum(number(p) * e for p, e in zip(row, x, strict=True)) for row in norm["projection"]]
        mean = sum(x) / number(len(x))
        deviation = root(sum((e - mean) ** 2 for e in x) / number(len(x)) + number(norm["epsilon"]))
        if not exact and abs(real(deviation)) < CONTEXT.mpf(10) ** -50:
            deviation = Fraction(0)
        row = {"mean": mean, "deviation": deviation}
        for name, e, (gain,), (bias,) in zip(norm["writes"], x, norm["gain"], norm["bias"], strict=True):
            known = number if isinstance(deviation, Fraction) else lambda a: real(Fraction(a))
            row[f".{name}"] = known(bias)
            if deviation != 0:
                row[f".{name}"] += known(gain) * (e - mean if exact and known is number else real(e - mean)) / deviation
        rows.append(row)
    for name in rows[0]:
        yield name, [row[name] for row in rows]


def conjuncts(tree: Any) -> Iterator[Any]:
    yield from (part for side in tree[1:] for part in conjuncts(side)) if tree[0] == "&" else (tree,)


@cache
def mentions(tree: Any, name: str) -> bool:
    return tree == name or (isinstance(tree, tuple) and any(mentions(part, name) for part in tree))


def agrees(model: Transformer, given: Any, settings: Mapping[str, Any] | None = None, domain: str = "exact") -> None:
    """The relation holds of what forward computes; with one value changed, at a seeded position, it does not."""
    whole = model
    model = whole.bind(settings) if settings else whole
    relation = Recorded(to_document(whole))
    run = tree_of(relation.run())
    env, written, accept = environment(model, relation, given, domain)
    env |= settings or {}
    assert truth(run, env, {}), (given, relation.run(), env)
    if model.decides:
        assert truth(tree_of(relation.accept()), env, {}) == accept
    for changed in written:
        place = None if relation.pointwise else RANDOM.choice(sorted(env[changed]))
        value = env[changed] if place is None else env[changed][place]
        near = value + (Fraction(1, 97) if isinstance(value, Fraction) else CONTEXT.mpf(1) / 97)
        replaced = near if place is None else env[changed] | {place: near}
        touched = (part for part in conjuncts(run) if mentions(part, changed))  # the others hold still
        assert not all(truth(part, {**env, changed: replaced}, {}) for part in touched), (given, changed, place)


RANDOM = random.Random(44)


# --- The stored models ------------------------------------------------------------------------------------------------


def inputs(model: Transformer) -> list[Any]:
