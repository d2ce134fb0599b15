"""Random models that compare counts, and the same as plain loops: `python counting_models.py [MODELS]` compares their
machines with the loops on all words to length 7, and decides each against random counters, and counts."""

from __future__ import annotations

import itertools
import random
import sys
from fractions import Fraction
from typing import Any

import symcook as sc


def drawn(rng: random.Random) -> dict[str, Any]:
    """A model as plain numbers: a mean of letter values, a unit of it, and a mean of the unit."""
    letters = rng.choice(["ab", "ab", "abc"])
    cls = rng.random() < 0.3
    tokens = [*letters, *(["CLS"] if cls else [])]
    kind = rng.choice(["sign", "zero", "zero", "largest"])
    reads = rng.choice([["mean"], ["mean", "some"], ["some"], ["unit", "mean"], ["unit", "some"]])
    width = {"sign": 1, "zero": 0, "largest": 3}[kind]
    return {
        "letters": letters, "cls": cls,
        "table": {t: {"vote": rng.randint(-2, 2), "own": rng.choice([0, 0, 1])} for t in tokens},
        "unit": (rng.choice([-1, 1, 2]), rng.choice([0, 0, 1, -1]), rng.choice([0, 0, 0, 1, -1])),
        "act": rng.choice(["relu", "step"]),
        "mask": rng.choice(["future", "future", "none"]),
        "kind": kind, "reads": reads, "rows": [[rng.choice([-1, 1, 2]) for _ in reads] for _ in range(width)],
        "position": rng.choice(["last", "last", "last", "all", "each"]) if kind == "zero" else "last",
    }  # fmt: skip


def model(spec: dict[str, Any]) -> sc.Transformer:
    """The same as a model."""
    embedding = sc.Embedding(
        sc.Space(("vote", "own", "one", "mean", "unit", "some")), words=spec["table"], positions={"one": 1},
        before="CLS" if spec["cls"] else None,
    )  # fmt: skip
    a, b, c = spec["unit"]
    unit = sc.FeedForward(("mean", "own"), ("unit",), [[a, b]], [c], [[1]], [0], spec["act"])
    layers = (
        sc.Layer(sc.head(value={"mean": "vote"}, mask="future"), unit),
        sc.Layer(sc.head(value={"some": "unit"}, mask=spec["mask"])),
    )
    labels = ("x", "y", "z") if spec["kind"] == "largest" else ()
    readout = sc.Readout(spec["kind"], spec["position"], tuple(spec["reads"]), spec["rows"] or None, labels)
    return sc.Transformer("counts", embedding, layers, readout)


def answers(spec: dict[str, Any], word: str) -> list[Any]:
    """The answer to a word (at each position for each), by loops."""
    rows = [spec["table"][t] for t in ([*(["CLS"] if spec["cls"] else []), *word])]
    a, b, c = spec["unit"]
    stream: list[dict[str, Any]] = []
    for i, row in enumerate(rows, 1):
        mean = Fraction(sum(r["vote"] for r in rows[:i]), i)
        inner = a * mean + b * row["own"] + c
        stream.append({"mean": mean, "unit": max(Fraction(0), inner) if spec["act"] == "relu" else int(inner > 0)})
    for i, x in enumerate(stream, 1):
        seen = stream[:i] if spec["mask"] == "future" else stream
        x["some"] = sum(y["unit"] for y in seen) * Fraction(1, len(seen))
    found: list[Any] = []
    for x in stream:
        values = [x[c] for c in spec["reads"]]
        if spec["kind"] == "zero":
            found.append(all(v == 0 for v in values))
            continue
        scores = [sum(w * v for w, v in zip(row, values, strict=True)) for row in spec["rows"]]
        found.append(scores[0] > 0 if spec["kind"] == "sign" else "xyz"[scores.index(max(scores))])
    return found if spec["position"] == "each" else [all(found) if spec["position"] == "all" else found[-1]]


def words(spec: dict[str, Any]) -> list[str]:
    longest = 7 if len(spec["letters"]) == 2 else 5
    return [
        "".join(w)
        for n in range(0 if spec["cls"] else 1, longest + 1)
        for w in itertools.product(spec["letters"], repeat=n)
    ]


def counter(rng: random.Random, spec: dict[str, Any], votes: bool) -> sc.Fold:
    """A counter that may be the model: it adds the letters' votes (or random ones), remembers being below zero or not,
    and compares with zero."""
    by = {t: row["vote"] if votes else rng.randint(-1, 1) for t, row in spec["table"].items()}
    dead, sign, test = rng.random() < 0.4, rng.choice([1, -1]), rng.randrange(3)

    def step(state: tuple[int, bool], letter: str) -> tuple[int, bool]:
        total = state[0] + by[letter]
        below = total < 0 if sign > 0 else total > 0
        return total, state[1] or (dead and below)

    def answer(state: tuple[int, bool]) -> bool:
        total, gone = state
        return not gone and (total == 0 if test == 0 else total > 0 if test == 1 else total < 0)

    return sc.Fold((by.get("CLS", 0), False), step, answer)


def compared(seed: int) -> tuple[str, str]:
    """What came of the machine, and of a decision: "agrees", "refused", "wrong ...", a verdict."""
    from symcook.decide import decide
    from symcook.decide.counting import Counting
    from symcook.decide.finite import OutOfReach

    rng = random.Random(seed)
    spec = drawn(rng)
    made = model(spec)
    try:
        machine = Counting(made)
    except OutOfReach as error:
        return f"refused: {error}", ""
    expected = {word: answers(spec, word) for word in words(spec)}
    for word, answer in expected.items():
        state, got = machine.initial, []
        for letter in word:
            state = machine.step(state, letter)
            got.append(machine.answer(state))
        if (got if spec["position"] == "each" else [machine.answer(state)]) != answer:
            return f"wrong at {word}", ""
    if spec["kind"] == "largest" or spec["position"] == "each":
        return "agrees", ""
    fold = counter(rng, spec, rng.random() < 0.8)
    found = decide(made, fold)
    differ = [word for word in expected if expected[word][0] != fold(word)]
    if found.verdict == "different":
        right = found.word == tuple(differ[0]) if differ else len(found.word or ()) > max(map(len, expected))
    else:
        right = not differ and (found.certificate is None or found.certificate.check())
    return "agrees", found.verdict if right else f"wrong: {found.to_json()}, {differ[:3]}"


if __name__ == "__main__":
    count: dict[tuple[str, str], int] = {}
    for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2000):
        outcome = compared(seed)
        if "wrong" in "".join(outcome):
            print(seed, outcome, flush=True)
        key = (outcome[0].partition(" at ")[0].partition(":")[0], outcome[1].partition(":")[0])
        count[key] = count.get(key, 0) + 1
    print(count)
