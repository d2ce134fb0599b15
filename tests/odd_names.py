"""Models at random whose coordinates, symbols, tokens and labels have the names that forms like to use themselves."""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from typing import Any

from forms_said import compared

import symcook as sc
from symcook.closed import every_length
from symcook.errors import BadInput, NotExact, Undecided

COORDINATES = (
    "x", "x_last", "x_1", "x_0", "x_j", "x_x", "x_after", "x_before", "x_there", "x_given", "x_x_last", "S1", "S2",
    "r1", "k1", "k2", "k_", "p", "p1", "p_j", "p1_j", "n1", "l", "q", "q1", "at", "count", "accept", "j_", "a", "b",
)  # fmt: skip
SYMBOLS = ("j", "k", "k1", "k2", "p", "p1", "p_j", "S1", "S2", "r1", "x_last", "x_1", "x_j", "l", "q", "w", "a")
TOKENS = (
    "0", "1", "2", "10", "i", "j", "n", "k", "k1", "p", "p_j", "S1", "x", "x_last", "all", "sum", "exp", "if", "I",
    "at", "mod", "w", "(", ")", '"', "'", "|", "&", "a", "b", "é", "1s", "a's", "count", "true", "pi", "l", "q", "-",
)  # fmt: skip
PLACES = ("i", "n - i", "1/(i + 1)", "(-1)^i", "i/n", "I[i = n]", "I[i <= 2]", "1/n", "i^2", "-i^2", "1")
MASKS = ("none", "future", "future", "strict-future", "past", "strict-past")


def drawn(seed: object) -> sc.Transformer:
    """A model of one to three blocks over words or inputs. BadInput where the drawn names do not fit together."""
    rng = random.Random(f"odd names {seed}")
    pool = rng.sample(COORDINATES, 12)
    symbols = [s for s in rng.sample(SYMBOLS, rng.choice([0, 0, 1, 2])) if s not in pool]
    parameters = [sc.Parameter(s, lower=0, upper=2, default=1) for s in symbols]
    more: dict[str, Any] = {"parameters": parameters, "start": rng.choice([0, 1, 1])}
    reads: list[str] = []
    if rng.random() < 0.4:
        reads = [pool.pop() for _ in range(rng.choice([1, 2]))]
        if "x" not in reads and rng.random() < 0.6:
            reads[0] = "x"
        more["inputs"] = reads
    else:
        reads = [pool.pop(), pool.pop()]
        none = (None, None)
        before, after = rng.choice([none, none, ("BOS", None), (None, "EOS"), ("BOS", "EOS"), ("1", None)])
        letters = [t for t in rng.sample(TOKENS, rng.choice([2, 2, 3])) if t not in (before, after)]
        rows = {t: {c: rng.randint(-2, 2) for c in reads} for t in (*letters, before, after) if t is not None}
        more |= {"words": rows, "before": before, "after": after}
    pool = [c for c in pool if c not in reads]
    given = reads[0]
    lookup = "inputs" in more and rng.random() < 0.5
    drawn_places = ("i", "1", "-i^2") if lookup else (rng.choice(PLACES), "1")
    places = {pool.pop(): place for place in drawn_places}
    here, one, *square = places
    reads = [*reads, *places]
    b = sc.Builder(positions=places, **more)
    for _ in range(rng.choice([1, 1, 2, 3])):
        new = pool.pop()
        value = " + ".join(f"{rng.choice([1, -1, 2])}*{c}" for c in rng.sample(reads, rng.choice([1, 2])))
        used = [s for s in symbols if rng.random() < 0.6]
        value += "".join(f" - {s}*{one}" for s in used)
        weighting = rng.choice(["average", "average", "leftmost", "rightmost", "softmax"])
        scores: Any = None
        if weighting == "softmax" or rng.random() < 0.25:
            scores = {(rng.choice(reads), rng.choice(reads)): rng.choice([1, -1, 2])}
        elif lookup and weighting != "average":  # at the position that is given
            scores = {(given, here): 2, (one, square[0]): 1}
        mask = "none" if lookup and scores else rng.choice(MASKS)
        b.add(sc.head(scores, {new: value}, mask=mask, weighting=weighting, symbols=used))
        reads.append(new)
        if rng.random() < 0.3:
            unit = pool.pop()
            activation = rng.choice(["relu", "step"])
            b.add(sc.feedforward({unit: f"{activation}({rng.choice([1, -1])}*{new} + {rng.randint(-1, 1)})"}))
            reads.append(unit)
    position = rng.choice(["last", "last", "first", "each", "all"])
    kind: Any = rng.choice(["sign", "sign", "zero", *(["largest"] if position != "all" else [])])
    looks = [reads[-1], *rng.sample(reads[:-1], rng.choice([0, 1]))]
    labels = tuple(rng.sample(("k", "S1", "p", "yes", "x_last", "k1"), 2)) if kind == "largest" else ()
    weights = None if kind == "zero" else [[rng.choice([1, -1, 2]) for _ in looks] for _ in labels or "1"]
    b.readout(kind, position, looks, weights=weights, labels=labels)
    return b.build(f"odd-{seed}")


def asked(seed: object, longest: int = 3) -> tuple[int, int, int] | None:
    """(1, strings, values) that were compared of a drawn model; None where there is none, or it has no form."""
    rng = random.Random(f"values {seed}")
    try:
        model = drawn(seed)
        found = every_length(model)
    except (BadInput, Undecided):
        return None
    values = {p.name: rng.choice([Fraction(1, 2), Fraction(1), Fraction(3, 2)]) for p in model.parameters}
    inputs = model.embedding.inputs
    try:
        return 1, *compared(found, 2 if inputs and len(inputs) > 1 else longest, values)
    except NotExact:  # a softmax of a softmax: the runs have no exact numbers
        return None


def main() -> int:
    """Ask COUNT models, from number FIRST on. Exit 1 where a text is wrong."""
    count, first = map(int, sys.argv[1:])
    wrong = 0
    for seed in range(first, first + count):
        try:
            asked(seed)
        except AssertionError as error:
            wrong += 1
            print(f"WRONG model {seed}: {error}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
