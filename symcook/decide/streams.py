"""Streams: functions of a string and a position with finitely many values, as two automata and a table.

The value of a stream at a position is `out[l, a, r]`: a is the symbol there, l the state of an automaton that has read
the symbols before it from the left, and r that of an automaton that has read the symbols after it from the right. Both
begin in state 0, and every l, a, r occurs in some string. The minimal form is unique up to the order of states, so
streams stay as small as the functions that they represent. `join` combines values at one position, `scan` folds the
values before each position, and `machine` turns a stream into an automaton.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from symcook.decide.automata import Automaton
from symcook.domains.cells import Array

CELLS = 30_000_000
"""The greatest number of entries of a table, and of pairs of states or values that are numbered."""


class TooLarge(Exception):
    """A table would pass `CELLS`; the message says how large it is."""


def _fits(size: int, what: str) -> None:
    """TooLarge, with `what`, where a table of this size would be too large."""
    if size > CELLS:
        raise TooLarge(what)


@dataclass(frozen=True, eq=False)
class Stream:
    """A stream over an alphabet of A symbols, with L left and R right states.

    left: L x A, the next left state for each state and symbol. right: R x A, the same from the right. out: L x A x R,
    the indices in `values` of the values.
    """

    left: Array
    right: Array
    out: Array
    values: Sequence[Any]

    @property
    def mirrored(self) -> Stream:
        """The stream of the reversed string."""
        return Stream(self.right, self.left, np.ascontiguousarray(self.out.transpose(2, 1, 0)), self.values)


def letters(values: Sequence[Hashable]) -> Stream:
    """The stream whose value depends on the symbol only: `values` has the value of each symbol of the alphabet."""
    numbers: dict[Hashable, int] = {}
    row = [numbers.setdefault(value, len(numbers)) for value in values]
    alone = np.zeros((1, len(row)), dtype=np.int32)
    return Stream(alone, alone, np.array(row, dtype=np.int32).reshape(1, -1, 1), list(numbers))


def cycle(size: int, values: Sequence[Hashable], letters: int, first: int = 0) -> Stream:
    """The stream whose value depends on the position only. States are counted 0, 1, ... from the left; after the last
    one, `size` - 1, they continue with `first`. In state k the value is `values[k]`. `letters` is the size of the
    alphabet."""
    onwards = [*range(1, size), first]
    left = np.repeat(np.array(onwards, dtype=np.int32)[:, None], letters, axis=1)
    numbers: dict[Hashable, int] = {}
    row = np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int32)
    out = np.repeat(row[:, None], letters, axis=1)[:, :, None]
    return minimal(Stream(left, np.zeros((1, letters), dtype=np.int32), np.ascontiguousarray(out), list(numbers)))


def _classes(moves: Array, rows: Array) -> tuple[Array, Array]:
    """The coarsest partition of states into classes with equal `rows` and with moves into equal classes.

    Returns the class of each state, and a state of each class. State 0 is in class 0.
    """
    row_numbers: dict[bytes, int] = {}
    class_of = np.array([row_numbers.setdefault(row.tobytes(), len(row_numbers)) for row in rows], dtype=np.int64)
    count = len(row_numbers)
    # Moore's refinement: states stay together while all their moves lead to one class.
    while True:
        finer = class_of
        for to in moves.T:
            _, finer = np.unique(finer * count + class_of[to], return_inverse=True)
        number = int(finer.max()) + 1
        if number == count:
            break
        class_of, count = finer, number
    # Classes in the order of their first states, so that state 0 is in class 0.
    _, first, numbers = np.unique(class_of, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[numbers], first[order]


def _halved(stream: Stream) -> tuple[Stream, Array]:
    """The stream with as few left states as possible, and the new left state of each old one."""
    states = len(stream.left)
    if states == 1:
        return stream, np.zeros(1, dtype=np.int64)
    own, member = _classes(stream.left, stream.out.reshape(states, -1))
    if len(member) == states:
        return stream, np.arange(states)
    left = own[stream.left[member]].astype(np.int32)
    return Stream(left, stream.right, np.ascontiguousarray(stream.out[member]), stream.values), own


def minimal(stream: Stream) -> Stream:
    """The stream with the fewest states on both sides. Merging states on one side does not change which states are
    equivalent on the other side, so each side is done once."""
    half, left = _halved(stream)
    turned, right = _halved(half.mirrored)
    smallest = turned.mirrored
    same = (smallest.out[left][:, :, right] == stream.out).all()
    _confirm(same and _follows(stream.left, smallest.left, left) and _follows(stream.right, smallest.right, right))
    return smallest


def _follows(moves: Array, others: Array, place: Array) -> bool:
    """Whether each string that leads to a state s by `moves` leads to the state `place[s]` by `others`."""
    return bool(place[0] == 0 and (others[place] == place[moves]).all())


def _confirm(holds: object) -> None:
    """RuntimeError where `holds` is false. Each new stream is compared with the streams from which it was made, so that
    a bug in its construction is noticed."""
    if not holds:
        raise RuntimeError("a stream is not what it was made of")


def _product(first: Array, second: Array) -> tuple[Array, Array, Array]:
    """The product of two automata, restricted to the pairs of states that strings reach: the moves of the pairs, and
    for each pair its state in the first and in the second automaton."""
    wide = len(second)
    _fits(len(first) * wide, f"{len(first)} by {wide} states")
    # Breadth-first search, level by level. The pair (x, y) has the code x*wide + y, and `numbers` maps codes to
    # indices.
    numbers = np.full(len(first) * wide, -1, dtype=np.int64)
    numbers[0] = 0
    pairs = [np.zeros(1, dtype=np.int64)]
    count = 1
    while len(pairs[-1]):
        x, y = np.divmod(pairs[-1], wide)
        new = np.unique(first[x].astype(np.int64) * wide + second[y])
        new = new[numbers[new] < 0]
        numbers[new] = np.arange(count, count + len(new))
        count += len(new)
        pairs.append(new)
    x, y = np.divmod(np.concatenate(pairs), wide)
    moves = numbers[first[x].astype(np.int64) * wide + second[y]].astype(np.int32)
    _confirm(_follows(moves, first, x) and _follows(moves, second, y))
    return moves, x, y


def joined(first: Stream, second: Stream) -> tuple[Stream, Array]:
    """Both streams over the same automata: the first as a stream, and the table `out` of the second."""
    left, lx, ly = _product(first.left, second.left)
    right, rx, ry = _product(first.right, second.right)
    size = len(left) * left.shape[1] * len(right)
    _fits(size, f"a table of {len(left)} by {len(right)} states over {left.shape[1]} symbols")
    out = first.out[lx][:, :, rx]
    return Stream(left, right, out, first.values), second.out[ly][:, :, ry]


def join(compute: Callable[[Any, Any], object], first: Stream, second: Stream) -> Stream:
    """The stream of `compute` of the values of both streams at each position."""
    both, second_codes = joined(first, second)
    wide = len(second.values)
    _fits(len(first.values) * wide, f"{len(first.values)} by {wide} values")
    codes = Stream(both.left, both.right, both.out * wide + second_codes, range(len(first.values) * wide))
    return _valued(codes, lambda c: compute(first.values[c // wide], second.values[c % wide]))


def each(compute: Callable[[Any], object], stream: Stream) -> Stream:
    """The stream of `compute` of the value at each position."""
    codes = Stream(stream.left, stream.right, stream.out, range(len(stream.values)))
    return _valued(codes, lambda code: compute(stream.values[code]))


def _valued(codes: Stream, value: Callable[[int], object]) -> Stream:
    """The minimal stream of `value` of the codes; `value` is called once for each code that occurs."""
    occurs = np.zeros(len(codes.values), dtype=bool)
    occurs[codes.out.reshape(-1)] = True
    place = np.full(len(codes.values), -1, dtype=np.int32)
    numbers: dict[Any, int] = {}
    for code in np.flatnonzero(occurs).tolist():
        place[code] = numbers.setdefault(value(code), len(numbers))
    return minimal(Stream(codes.left, codes.right, place[codes.out], list(numbers)))


def together(streams: Sequence[Stream]) -> Stream:
    """The stream of the tuples of the values at each position."""
    first, *others = streams
    return reduce(lambda tuples, more: join(lambda a, b: (*a, b), tuples, more), others, each(lambda a: (a,), first))


def scan(stream: Stream, start: Hashable, step: Callable[[Any, Any], Hashable]) -> Stream:
    """The stream of states of a scan: at each position, `start` after `step(state, value)` for all values before it.

    `step` is called for every value of the stream in each state that is reached, also for pairs that no string has; so
    `values` of the result may have states that do not occur, until `each` or `join` leaves them out.

    The values before a position depend on the symbols after it, by the right states of `stream`. So a left state of the
    result is a left state of the stream, together with the state of the scan for each right state of the stream.
    """
    _, letters, rights = stream.out.shape
    states, numbers = [start], {start: 0}
    table = np.full((16, len(stream.values)), -1, dtype=np.int32)

    def fill(asked: Array) -> None:
        """Complete the rows of the table (next state by state and value) for these states of the scan."""
        nonlocal table
        for state in np.flatnonzero(np.bincount(asked.reshape(-1))).tolist():
            while state >= len(table):
                table = np.concatenate([table, np.full_like(table, -1)])
            if table[state, 0] >= 0:
                continue
            for place, value in enumerate(stream.values):
                to = step(states[state], value)
                if to not in numbers:
                    numbers[to] = len(states)
                    states.append(to)
                table[state, place] = numbers[to]
        _fits(table.size, f"{len(states)} states of what a head has seen")

    behind = stream.right.T  # for each symbol and right state: the right state with the symbol before it
    # A left state of the result: a left state of the stream, and a function from right states to states of the scan.
    functions = [np.zeros(rights, dtype=np.int32)]
    lefts = [0]
    known = {(0, functions[0].tobytes()): 0}
    moves: list[Array] = []
    done = 0
    while done < len(lefts):
        block = slice(done, len(lefts))
        # All new left states at once, one symbol after another.
        function_block, came = np.array(functions[block]), np.array(lefts[block])
        fill(function_block)
        rows = np.empty((len(came), letters), dtype=np.int32)
        for letter in range(letters):
            new = table[function_block[:, behind[letter]], stream.out[came, letter]]
            for k, (to, function) in enumerate(zip(stream.left[came, letter].tolist(), new, strict=True)):
                key = (to, function.tobytes())
                if key not in known:
                    known[key] = len(lefts)
                    lefts.append(to)
                    functions.append(function)
                rows[k, letter] = known[key]
        _fits(len(lefts) * letters * rights, f"a table of {len(lefts)} by {rights} states over {letters} symbols")
        moves.append(rows)
        done = block.stop
    # The value at a position: the function at the right state before its symbol.
    out = np.stack([np.array(functions)[:, behind[letter]] for letter in range(letters)], axis=1)
    scanned = Stream(np.concatenate(moves), stream.right, out, states)
    _confirm(_continues(stream, scanned, np.array(lefts), table))
    return minimal(scanned)


def _continues(stream: Stream, result: Stream, lefts: Array, table: Array) -> bool:
    """Whether `result` is the scan of `stream`, where `lefts` has the left state of `stream` for each one of `result`.

    At the first position the state must be 0. At any other, it must be the entry of the table for the state and the
    value at the position before.
    """
    if not _follows(result.left, stream.left, lefts) or (result.out[0] != 0).any():
        return False
    values = stream.out[lefts]
    letters = range(values.shape[1])
    for letter in letters:
        for following in letters:
            behind = result.right[:, following]
            onwards = table[result.out[:, letter][:, behind], values[:, letter][:, behind]]
            if (onwards != result.out[result.left[:, letter], following]).any():
                return False
    return True


def scan_right(stream: Stream, start: Hashable, step: Callable[[Any, Any], Hashable]) -> Stream:
    """As `scan`, from the right: of the values after each position."""
    return scan(stream.mirrored, start, step).mirrored


def machine(stream: Stream, alphabet: Sequence[str]) -> Automaton:
    """The minimal automaton of the value at the last position; the empty string has no answer."""
    # A state is a left state of the stream and the index of the value at the last position, -1 for the empty string.
    numbers: dict[tuple[int, int], int] = {(0, -1): 0}
    moves = []
    for left, _ in (todo := [(0, -1)]):
        row = []
        for letter in range(len(alphabet)):
            to = int(stream.left[left, letter]), int(stream.out[left, letter, 0])
            if to not in numbers:
                numbers[to] = len(todo)
                todo.append(to)
            row.append(numbers[to])
        moves.append(tuple(row))
    answers = tuple(None if place < 0 else stream.values[place] for _, place in todo)
    return Automaton(tuple(alphabet), tuple(moves), answers).minimal()
