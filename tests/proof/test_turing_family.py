"""The family of decoders that run machines: instances against an interpreter, their bridges, and what has none."""

import copy
import itertools
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from proof.family_cases import FAMILIES, family
from proof.stored import second
from proof.test_bridges import numbers_of

from symcook.errors import BadInput, Rejected
from symcook.model.family import Family
from symcook.model.instance import Instance, instance
from symcook.model.modelfile import to_document
from symcook.proof import terms
from symcook.proof.bridges.bridge import Bridge, Unbridged, checked
from symcook.proof.runrel import Relation
from symcook.proof.statements import certify
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
            [rng.choice((-1, 0, 1)) for _ in reads],
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


@pytest.mark.layer_one(1)
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


COPY: list[Row] = [
    (1, (1, 0), 1, [0, 1], [1, 1]),
    (1, (0, 0), 2, [0, 0], [-1, -1]),
    (2, (1, 1), 2, [0, 1], [-1, -1]),
    (2, (0, 0), 3, [0, 0], [1, 1]),
]
"""The word on the output, and back to where it begins."""
STEP = values_of([(1, (1, 0), 2, [0, 1], [1, -1])], 2, 1, 1)
DOCUMENT = to_document(instance(family("turing"), STEP))


def bridge(values: dict[str, object], document: Any = None, read: Any = None) -> Bridge:
    read = read or family("turing")
    return Bridge(read, Instance(read, values), document or to_document(instance(read, values)), "bridge.m")


@pytest.mark.sweep
def test_the_machine_that_copies_has_a_bridge(tmp_path: Path) -> None:
    """4 rows, 3 states: larger than the stored one, whose values have a name each."""
    made = bridge(values_of(COPY, 3, 1, 1))
    certificate, verdict = checked(made)
    assert verdict.status == "PROVED" and {"defined", "inhabited"} <= certificate.keys()
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates" / "bridge.m.json").write_text(json.dumps(certificate))
    (tmp_path / "expanded.txt").write_text(certify.expanded(made.statement, certificate))
    assert any("PROVED" in line for line in second(tmp_path / "expanded.txt", tmp_path / "certificates"))


LETTER = {"Q": 2, "S": 1, "G": 1, "K": 1, "R": 1, "first": "1", "final": "0 1", "from": "1", "to": "2"}
LETTER |= {"read": "0 0", "print": "0 1", "move": "1 -1"}
"""One row, where the word begins with the letter."""


@pytest.mark.sweep
def test_without_the_first_token_the_smallest_machine_has_a_bridge(tmp_path: Path) -> None:
    read = family("turing-no-start")
    made = bridge(LETTER, read=read)
    certificate, verdict = checked(made)
    assert verdict.status == "PROVED" and {"defined", "inhabited"} <= certificate.keys()
    (tmp_path / "certificates").mkdir()
    (tmp_path / "certificates" / "bridge.m.json").write_text(json.dumps(certificate))
    (tmp_path / "expanded.txt").write_text(certify.expanded(made.statement, certificate))
    assert any("PROVED" in line for line in second(tmp_path / "expanded.txt", tmp_path / "certificates"))
    other = to_document(instance(read, LETTER | {"first": "2"}))
    with pytest.raises(Unbridged, match=r"structure; given: the list of coordinates that the feed-forward of layer "):
        checked(bridge(LETTER, other, read))


@pytest.mark.sweep
def test_a_machine_too_large_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a formula may have fewer symbols, as 27 rows stay below what it may have."""
    monkeypatch.setattr(terms, "MAX_SIZE", 10_000)
    reads = itertools.product(range(3), repeat=2)
    rows: list[Row] = [(state, read, 1, [0, 1], [1, 1]) for read in reads for state in (1, 2, 3)]
    with pytest.raises((BadInput, Rejected), match=r"exceeds 10000 symbols"):
        checked(bridge(values_of(rows, 4, 2, 2)))


NEIGHBOURS = [
    ("a key where the head is, not where it was", '"I[1 <= t]*p(t) + I[t = 0]*(one - bos - u)"',
     '"I[1 <= t]*at(t) + I[t = 0]*(one - bos - u)"'),
    ("a key of the input one token off", '"I[1 <= t]*p(t) + I[t = 0]*(one - bos - u)"',
     '"I[1 <= t]*p(t) + I[t = 0]*(one - bos)"'),
    ("a tie-breaking term of order 1/j^2", '"c1": "small"', '"c1": "u"'),
    ("a tie-breaking term of order 1/j", '(c2 - vone)*(d1 + vbos)', '-vone*(d1 + vbos)'),
    ("tokens that see themselves", '"strict-future"', '"future"'),
    ("the leftmost of equal scores", '"weighting": "average"', '"weighting": "leftmost"'),
    ("a move the other way", '"sum(r, 1, R, I[w = S + r & -1 = move(t, r)])"',
     '"sum(r, 1, R, I[w = S + r & -1 = move(t, r)]) + I[w = 0]"'),
    ("an answer for the next row", "I[l = S + r]*relu(hs(from(r))", "I[l = S + r + 1]*relu(hs(from(r))"),
    ("$ finds less than a match does", "3*vbos", "2*vbos"),
]  # fmt: skip
"""The family with one thing changed."""


@pytest.mark.sweep
@pytest.mark.parametrize(("what", "old", "new"), NEIGHBOURS)
@pytest.mark.layer_two(every=3)
def test_a_neighbour_of_the_family_has_no_bridge(what: str, old: str, new: str) -> None:
    text = (FAMILIES / "turing.json").read_text(encoding="utf-8")
    assert text.count(old) >= 1, what
    other = Family(json.loads(text.replace(old, new)))
    with pytest.raises(Unbridged):
        bridge(STEP, copy.deepcopy(DOCUMENT), other).certificate()


ENTRIES = [("to", [1]), ("first", 2), ("read", [[0], [0]]), ("print", [[0], [0]]), ("move", [[-1], [-1]])]


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "entry"), ENTRIES)
def test_another_entry_of_the_table_is_another_machine(name: str, entry: object) -> None:
    with pytest.raises(Unbridged, match=r"must have its weights; given: .*, at "):
        bridge(STEP | {name: entry}, copy.deepcopy(DOCUMENT)).certificate()


WEIGHTS = [p for p in numbers_of(DOCUMENT) if p[0] in ("embedding", "layers")]
KINDS = {tuple(part for part in path if isinstance(part, str)): path for path in WEIGHTS[:: len(WEIGHTS) // 12]}
"""One weight of each kind of matrix."""


@cache
def run_of_the_step() -> str:
    return Relation(DOCUMENT).run()


@pytest.mark.sweep
@pytest.mark.parametrize("path", KINDS.values(), ids=str)
@pytest.mark.layer_two(every=3)
def test_a_changed_weight_is_named(path: tuple[Any, ...]) -> None:
    edited = copy.deepcopy(DOCUMENT)
    at: Any = edited
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = str(-int(at[path[-1]].partition("/")[0]) - 3)
    assert Relation(edited).run() != run_of_the_step()
    with pytest.raises(Unbridged, match=r"must have its weights; given: .*, at "):
        bridge(STEP, edited).certificate()
