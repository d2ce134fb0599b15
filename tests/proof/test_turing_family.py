"""The family of decoders that run machines: instances against an interpreter, and why it has no bridge."""

import itertools
import random

import pytest
from proof.family_cases import family

from symcook.errors import BadInput
from symcook.model.instance import Instance, instance
from symcook.model.modelfile import to_document
from symcook.proof.search.bridge import Bridge, checked
from symcook.run import run

Row = tuple[int, tuple[int, ...], int, list[int], list[int]]


def machine(rng: random.Random, states: int, symbols: int, tapes: int) -> list[Row]:
    """A complete table; the last state halts, tape 0 is the input."""
    return [
        (
            state,
            reads,
            rng.randint(1, states),
            [rng.randint(0, symbols) for _ in reads],
            [rng.choice((-1, 1)) for _ in reads],
        )
        for state in range(1, states)
        for reads in itertools.product(range(symbols + 1), repeat=tapes)
    ]


def wanted(rows: list[Row], states: int, letters: int, word: list[int], limit: int) -> list[int]:
    """The tokens behind a word: the rows that the machine uses, then its output up to a blank."""
    numbers = {(state, reads): number for number, (state, reads, *_) in enumerate(rows, 1)}
    tapes: list[dict[int, int]] = [{} for _ in rows[0][1]]
    tapes[0] = dict(enumerate(word))
    heads, state, out = [0] * len(tapes), 1, []
    while state < states and len(out) < limit:
        number = numbers[state, tuple(tape.get(head, 0) for tape, head in zip(tapes, heads, strict=True))]
        _, _, state, prints, moves = rows[number - 1]
        for tape in range(1, len(tapes)):
            tapes[tape][heads[tape]] = prints[tape]
        heads = [head + move for head, move in zip(heads, moves, strict=True)]
        out.append(letters + number)
    while state == states and len(out) < limit:
        symbol = tapes[-1].get(heads[-1], 0)
        out.append(letters + len(rows) + 1 + symbol)
        heads[-1] += 1
        if not symbol:
            break
    return out


def values_of(rows: list[Row], states: int, letters: int, symbols: int) -> dict[str, object]:
    tapes = range(len(rows[0][1]))
    return {
        "Q": states, "S": letters, "G": symbols, "K": len(tapes) - 1, "R": len(rows), "first": 1,
        "final": [0] * (states - 1) + [1], "from": [row[0] for row in rows], "to": [row[2] for row in rows],
        "read": [[row[1][t] for row in rows] for t in tapes], "print": [[row[3][t] for row in rows] for t in tapes],
        "move": [[row[4][t] for row in rows] for t in tapes],
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_instances_run_machines(seed: int) -> None:
    rng = random.Random(seed)
    states, letters, symbols, tapes = rng.choice([(2, 1, 1, 2), (3, 1, 1, 2), (3, 2, 2, 2), (2, 1, 1, 3)])
    rows = machine(rng, states, symbols, tapes)
    names = ["$", *(f"a{k}" for k in range(letters)), *(f"r{k}" for k in range(len(rows)))]
    names += [f"o{k}" for k in range(symbols + 1)]
    model = instance(family("turing"), values_of(rows, states, letters, symbols), names)
    for length in range(4):
        word = [rng.randint(1, letters) for _ in range(length)]
        tokens = wanted(rows, states, letters, word, 10)
        made = run(model, [names[token] for token in (*word, *tokens[:-1])], domain="ball")
        assert [made.result.label(length + k) for k in range(len(tokens))] == [names[token] for token in tokens]


def test_the_smallest_instance_is_too_deep_for_a_bridge() -> None:
    values = values_of([(1, (1, 0), 2, [0, 1], [1, -1])], 2, 1, 1)
    read = family("turing")
    with pytest.raises(BadInput, match=r"must have a relation that the checker reads.*at most 300 deep"):
        checked(Bridge(read, Instance(read, values), to_document(instance(read, values)), "bridge.tried"))
