"""Words counted by class and by the state of a reader, and hard attention as a fold by key: against every word, and
every sequence of keys and values, by itself."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from families import together

from symcook.domains.cells import Cell, carrier
from symcook.errors import Unmerged
from symcook.words.cells import Cells
from symcook.words.keyed import KEYS, KeepApart, KeyFold, grouped, masked, taken, tight
from symcook.words.tallies import Tallies, index, placed, smallest


def some_cells(r: random.Random, alphabet: tuple[str, ...], n: int) -> Cells:
    """Positions in cells at random, some in none, in any order."""
    places = list(range(n))
    r.shuffle(places)
    cells: list[tuple[int, ...]] = []
    while places:
        size = r.randint(1, len(places))
        cells.append(tuple(sorted(places[:size])))
        places = places[size + r.choice([0, 0, 1]) :]
    return Cells(alphabet, n, tuple(cells))


@pytest.mark.parametrize("seed", range(12))
def test_tallies_are_counts_of_words(seed: int) -> None:
    r = random.Random(seed)
    alphabet: tuple[str, ...] = ("b", "a", "c")[: r.choice([1, 2, 2, 3])]
    states = r.randint(1, 4)
    moves = [[r.randrange(states) for _ in alphabet] for _ in range(states)]
    start = r.randrange(states)
    tallies = Tallies(start, lambda state, letter: moves[state][letter], len(alphabet))
    for n in range(6):
        cells = some_cells(r, alphabet, n) if seed % 2 else Cells(alphabet, n, ((*range(n),),) if n else ())
        ordered = sorted(cells.cells)
        assert placed(cells) == [next((k for k, c in enumerate(ordered) if p in c), -1) for p in range(n)]
        wanted: Counter[Any] = Counter()
        first: dict[Any, tuple[str, ...]] = {}
        for word in product(alphabet, repeat=n):
            state = start
            for token in word:
                state = moves[state][alphabet.index(token)]
            place = tuple(sum(word[p] == a for p in cell) for cell in ordered for a in alphabet[:-1])
            assert index(cells, word) == place
            wanted[place, state] += 1
            first.setdefault((place, state), word)
        found = tallies.of(cells)
        got = {(place, state): int(table[place]) for state, table in found.items() for place in np.ndindex(table.shape)}
        assert {key: many for key, many in got.items() if many} == dict(wanted)
        for _ in range(4):
            asked = set(r.sample(sorted(wanted), r.randint(1, len(wanted))))
            order: list[Any] = list(product(alphabet, repeat=n))
            least = order[min(order.index(first[key]) for key in asked)]
            assert smallest(cells, start, lambda state, letter: moves[state][letter], asked) == least
        nowhere = {((99,), 0)}
        assert smallest(cells, start, lambda state, letter: moves[state][letter], nowhere) is None


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_numbered_as_they_come_up(seed: int) -> None:
    """Small integers, wide ones, such as do not fit a machine, and so many columns that their product does not."""
    r = random.Random(seed)
    entries, columns = r.randint(1, 30), []
    for _ in range(r.choice([0, 1, 2, 5, 40])):
        kind = r.choice(["bool", "same", "small", "wide", "huge"])
        values: list[Any] = [
            {"bool": r.random() < 0.5, "same": 7, "small": r.randint(-2, 2), "wide": r.choice([-(2**61), 3, 2**61]),
             "huge": r.choice([2**70, -(2**70), 0])}[kind] for _ in range(entries)
        ]  # fmt: skip
        columns.append(np.array(values, dtype={"bool": bool, "huge": object}.get(kind, np.int64)))
    state, first = grouped(columns, entries)
    rows = [tuple(int(c[k]) for c in columns) for k in range(entries)]
    number: dict[Any, int] = {}
    wanted = [number.setdefault(row, len(number)) for row in rows]
    assert state.tolist() == wanted and first.tolist() == [wanted.index(k) for k in range(len(number))]


@pytest.mark.parametrize("seed", range(20))
def test_cells_without_common_factors(seed: int) -> None:
    r = random.Random(seed)
    shared = r.choice([1, 1, 2, 6, 2**33])
    denominator = shared * r.choice([1, 5, 12])
    size = r.choice([10, 2**34, 2**70])
    values = [shared * r.randint(-size, size) for _ in range(5)]
    cell = Cell(np.array(values, dtype=carrier(max(map(abs, values)))), denominator, 2**200)
    found = tight(cell)
    got = [int(x) for x in found.numerators]
    assert [Fraction(x, found.denominator) for x in got] == [Fraction(x, denominator) for x in values]
    assert found.bound == max(map(abs, got)) and found.table.dtype == carrier(found.bound)
    assert found.denominator == 1 or np.gcd.reduce([*map(abs, got), found.denominator]) == 1
    here = np.array([True, False, True, False, False])
    assert [int(x) for x in masked(here, cell).numerators] == [values[0], 0, values[2], 0, 0]
    assert [int(x) for x in taken(cell, np.array([3, 3, 0])).numerators] == [values[3], values[3], values[0]]
    one = Cell(cell.table[:1], denominator, cell.bound)
    assert taken(one, np.array([0, 0])) is one


@together("denominator", [1, 2, 2**31, 2**40, 2**70, 3**50])
def test_zeros_of_any_denominator(denominator: int) -> None:
    """Share all of it, in every carrier; and great common factors leave what fits."""
    for kind in (np.int32, np.int64, object):
        found = tight(Cell(np.array([0, 0], dtype=kind), denominator, 5))
        assert (found.table.tolist(), found.denominator, found.bound) == ([0, 0], 1, 0)
    for size in (1, 2**20, 2**35, 2**80):
        values = [denominator * size, -denominator * size]
        found = tight(Cell(np.array(values, dtype=carrier(values[0])), denominator, values[0]))
        assert (found.table.tolist(), found.denominator, found.bound) == ([size, -size], 1, size)


def column(values: list[Fraction]) -> Cell:
    below = int(np.lcm.reduce([x.denominator for x in values]))
    numbers = [int(x * below) for x in values]
    bound = max(map(abs, numbers))
    return Cell(np.array(numbers, dtype=carrier(bound)), below, bound)


@pytest.mark.layer_one(3, 6, 12, 15)
@pytest.mark.parametrize("weighting", ["average", "leftmost", "rightmost"])
@pytest.mark.parametrize("seed", range(8))
def test_attention_by_key_is_attention(weighting: str, seed: int) -> None:
    """Every sequence of keys and values to length 4: what is kept answers as all positions do. With counts and order
    always; without them where it does not ask for more, and where it does, positions with the greatest score have
    different values."""
    r = random.Random(seed)
    width, values = r.choice([1, 2]), [Fraction(0), Fraction(1, 2), Fraction(-2, 3)]
    halves = [Fraction(k, 2) for k in range(-4, 5)]
    keys = [list(key) for key in r.sample(list(product(halves, repeat=width)), 3)]
    if seed % 3 == 1:
        keys[2] = keys[0]
    sequences = list(product(range(3), range(2), range(3), range(3), range(2)))
    if seed % 3 == 0:  # each key has one value, so that nothing more needs to be kept under it
        steps = [[(keys[a], [values[a]]) for a in (s[0], s[2], s[3], (s[1] + s[0]) % 3)] for s in sequences]
    else:
        steps = [
            [(keys[s[0]], [values[s[1]]]), (keys[s[2]], [values[s[4]]]), (keys[s[3]], [values[s[0]]]),
             (keys[(s[0] + s[4]) % 3], [values[s[3]]])] for s in sequences
        ]  # fmt: skip
    many = len(steps)

    def best(before: list[Any], query: list[Fraction]) -> tuple[Fraction, bool]:
        """What a row gets, and whether positions with the greatest score differ."""
        scores = [sum(q * k for q, k in zip(query, key, strict=True)) for key, _ in before]
        top = [v[0] for s, (_, v) in zip(scores, before, strict=True) if s == max(scores)]
        value = {"average": sum(top, Fraction(0)) / len(top), "leftmost": top[0], "rightmost": top[-1]}[weighting]
        return value, len(set(top)) > 1

    for kept in (True, False):
        fold = KeyFold(weighting, kept, 5, lambda given: given)
        assert [int(x) for c in fold.read(None, [], 2) for x in c.numerators] == [0, 0]
        table, alone = None, False
        for depth in range(4):
            now = [column([step[depth][0][c] for step in steps]) for c in range(width)]
            new = [column([step[depth][1][0] for step in steps])]
            try:
                table = fold.joined(table, now, new, many)
            except KeepApart as open_:
                assert not kept and open_.kept == {("head", 5)} and weighting == "average"
                same = [{v[0] for k, v in step[: depth + 1] if k == key} for step in steps for key in keys]
                assert any(len(found) > 1 for found in same)
                alone = True
                break
            assert len(set(table.keys)) == len(table.keys) == len(table.present)
            for number, key in enumerate(table.keys):
                assert table.present[number].tolist() == [
                    any(tuple(k) == key for k, _ in step[: depth + 1]) for step in steps
                ]
            for _ in range(3):
                query = [Fraction(r.randint(-2, 2), r.choice([1, 3])) for _ in range(width)]
                asked = [column([query[c]] * many) for c in range(width)]
                wanted = [best(step[: depth + 1], query) for step in steps]
                try:
                    (found,) = fold.read(table, asked, 1)
                except KeepApart as open_:
                    assert not kept and open_.kept == {("head", 5)} and any(differ for _, differ in wanted)
                    continue
                got = [Fraction(int(x), found.denominator) for x in np.broadcast_to(found.numerators, many)]
                assert got == [value for value, _ in wanted], (kept, depth, query)
            chosen = np.array(r.sample(range(many), many))
            moved = table.take(chosen)
            assert [a.tolist() for a in moved.columns()] == [
                np.broadcast_to(a, many)[chosen].tolist() for a in table.columns()
            ]
        assert not (alone and seed % 3 == 0)


def test_a_head_has_so_many_keys() -> None:
    for many in (KEYS, KEYS + 1):
        fold = KeyFold("average", False, 0, lambda given: f"head 1: {given}")
        keys = [column([Fraction(k) for k in range(many)])]
        if many == KEYS:
            assert len(fold.joined(None, keys, [column([Fraction(0)] * many)], many).keys) == KEYS
        else:
            with pytest.raises(Unmerged, match=f"at most {KEYS} different keys.*head 1: more than {KEYS}"):
                fold.joined(None, keys, [column([Fraction(0)] * many)], many)
