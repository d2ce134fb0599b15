"""Whether what a machine holds satisfies the relation of a run that rounds.

`python tests/proof/roundedruns.py COUNT FIRST` draws runs of stored models with the seeds from FIRST on, and prints a
line with WRONG where one is outside.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import mpmath
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from proof.roundingmachine import Bits, Machine, Numpy, Style, evaluated, mpf

from symcook.model.expr import Tree, parse_formula
from symcook.proof.definitions import NormMean, UnitsRow
from symcook.proof.roundings import RoundedRun
from symcook.proof.runrel import Relation, stored_model

MODES = ("nearest", "toward zero", "random", "adverse")
MODELS = (
    "first", "parity", "dyck-1", "flip-flop", "first-layernorm", "parity-layernorm", "first-layernorm-surer",
    "lookup-quadratic", "lookup-one-hot", "lookup-tetrahedron", "predecessor-quadratic", "majority", "tie-break",
    "first-position-softmax", "max-by-gelu", "multiply-gelu", "automaton-run-parity", "turing-step", "sinusoidal",
    "induction-by-term", "predecessor-strict-average", "dyck-1-2", "sign", "rumelhart-parity", "dyck-1-zero-one",
    "lookup-layernorm-hash",
)  # fmt: skip
FORMATS = ("float16", "float32", "bfloat16", "e4m3", "flushed")
"""Formats with their range; the last one is float16 without subnormal numbers."""
ERRORS: tuple[Tree, ...] = (("name", "unit_of_error"), ("name", "tiny_error"))


class Related(NamedTuple):
    """A relation with the tree of each part, and where the machine has what it names."""

    run: RoundedRun
    parts: list[tuple[str, Any]]
    where: dict[tuple[str, object], tuple[Any, ...]]


def related(name: str, underflow: bool = False, floats: bool = False) -> Related:
    """The rounded relation of a stored model."""
    relation = Relation(stored_model(name))
    run = RoundedRun(relation, ERRORS if underflow else ERRORS[:1], floats)
    where: dict[tuple[str, object], tuple[Any, ...]] = {("logit", None): ("logit",)}
    networks = {n: layer["feedforward"] for n, layer in enumerate(relation.model["layers"], 1) if layer["feedforward"]}
    norms = 0
    rows = {n: iter(net["W2"]) for n, net in networks.items()}
    for one in relation.definitions:
        if one.block is not None:
            for stem in ("score", "shift", "away", "share", "total"):
                where[stem, one.block] = (stem, one.block.layer, one.block.head)
        if isinstance(one.row, UnitsRow) and one.block is not None:
            used = [k for k, w in enumerate(next(rows[one.block.layer])) if w != "0"]
            for k, (_, unit) in zip(used, one.row.units, strict=True):
                where["unit", id(unit)] = ("unit", one.block.layer, k)
        if isinstance(one.row, NormMean):
            for k, entry in enumerate(one.row.entries.parts()):
                where["spread", id(entry)] = ("spread", norms, k)
            norms += 1
        if one.function.startswith("dev"):
            where["under", one.function] = ("under", norms - 1)
    return Related(run, [(text, parse_formula(text)) for text in run.parts], where)


stored = cache(related)


def held(machine: Machine, of: Related) -> dict[str, Any]:
    """What the machine holds, by the names of the relation."""

    def function(values: dict[Any, Any]) -> Callable[..., Any]:
        return lambda *at: mpf(values[at[0] if len(at) == 1 else at] if at else next(iter(values.values())))

    names: dict[str, Any] = {name: mpf(value) for name, value in machine.symbols.items()}
    names |= {"n": mpmath.mpf(machine.n), "w": lambda i: mpmath.mpf(machine.tokens[i])}
    names |= {name: function(values) for name, values in machine.values.items()}
    return names | {call[1]: function(machine.kept[of.where[key]]) for key, call in of.run.made.items()}


def outside(machine: Machine, of: Related) -> list[str]:
    """The parts of the relation that the machine does not satisfy."""
    names = held(machine, of) | {"unit_of_error": mpf(machine.of.unit)}
    if machine.of.least is not None:
        names["tiny_error"] = mpf(machine.of.tiny)
    return [text for text, tree in of.parts if not evaluated(tree, names)]


def drawn(name: str, seed: int, divided_last: bool = False) -> Machine:
    """A run of a model with the number of bits, the rounding and the order of a random machine; `divided_last` for the
    means of floats."""
    rng = random.Random(f"{name} {seed}")
    longest = stored_model(name)["max_length"]
    n = rng.randint(2, min(6, int(longest or 6)))
    of = Bits(rng.choice((3, 4, 5, 6, 8, 11, 24)), rng.choice(MODES), rng)
    style = replace(Style.drawn(rng), divided_first=False) if divided_last else Style.drawn(rng)
    return Machine(stored_model(name), of, style, n, rng)


def in_format(name: str, seed: int, kind: str) -> Machine | None:
    """A run of a model in a format with its range: of numpy, or by its number of bits and its least exponent. None
    where a number overflows."""
    rng = random.Random(f"{name} {seed} {kind}")
    known = {"bfloat16": (8, -126), "e4m3": (4, -6), "flushed": (11, -14)}
    if kind in known:
        of = Bits(known[kind][0], "nearest", rng, known[kind][1], flush=kind == "flushed")
    else:
        of = Numpy(getattr(np, kind), rng)
    n = rng.randint(2, min(6, int(stored_model(name)["max_length"] or 6)))
    try:
        return Machine(stored_model(name), of, Style.drawn(rng), n, rng)
    except OverflowError:
        return None


def wrong(count: int, first: int) -> Iterator[str]:
    """A line for each run of the seeds that is outside."""
    for seed in range(first, first + count):
        name = MODELS[seed % len(MODELS)]
        machine = drawn(name, seed)
        if not machine.refused and (parts := outside(machine, stored(name))):
            yield f"WRONG {name} seed {seed}: {parts[0][:300]}"
        machine = drawn(name, seed, divided_last=True)
        if not machine.refused and (parts := outside(machine, stored(name, floats=True))):
            yield f"WRONG {name} seed {seed} in floats: {parts[0][:300]}"
        for kind in FORMATS:
            ranged = in_format(name, seed, kind)
            if ranged is None or ranged.refused:
                continue
            # With the absolute error a run is inside; without it, where nothing underflows.
            both = [outside(ranged, stored(name, underflow=True)), outside(ranged, stored(name))]
            if parts := both[0] or ([] if ranged.of.underflow else both[1]):
                yield f"WRONG {name} seed {seed} in {kind}: {parts[0][:300]}"


if __name__ == "__main__":
    found = list(wrong(*map(int, sys.argv[1:3])))
    print("\n".join(found) or "all runs are inside")
    sys.exit(bool(found))
