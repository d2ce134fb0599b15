"""Automata over strings with marked positions: the sets of (string, positions) that a formula defines.

A track is a named position of the string. An automaton with k tracks reads, at each position, a symbol and k bits: bit
j is set at the position of track j. Each automaton accepts only valid inputs: nonempty strings of the current language
in which each track is marked exactly once, with the track `LAST` at the last position. Automata are minimal, with
states in order of their first occurrence, so that equal sets are one object.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from symcook.proof.claims.bycounts.problem import OutsideFragment

StepTable = NDArray[np.int32]
"""The next state, by state (rows) and by symbol with bits (columns)."""
StateFlags = NDArray[np.bool_]
"""For each state, whether it is accepting."""
State = TypeVar("State", bound=Hashable)
LAST = "n"
"""The track of the last position."""
MOST_STATES = 10_000
"""The greatest number of states of an automaton; a product may have four times as many before it is minimised. 24
claims of an unseen set needed at most 50."""
MOST_COLUMNS = 4_096
"""The greatest number of columns of a table: symbols times 2^tracks. A table with all states has 41 million entries at
most. Those claims needed at most 384 columns."""


class TrackSet:
    """A minimal complete automaton over k tracks, in order of their names; it begins in state 0. `table` has the next
    state by state and column; the column of a symbol is symbol*2^k + bits, where bit j is set if track j is marked.
    `accepting` has a flag for each state, and `key` is equal for equal sets. `dead` is the state from which nothing is
    accepted, -1 without one; a minimal automaton has at most one."""

    __slots__ = ("accepting", "dead", "key", "table", "tracks")

    def __init__(self, tracks: tuple[str, ...], table: StepTable, accepting: StateFlags) -> None:
        self.tracks, self.table, self.accepting = tracks, table, accepting
        self.key = (tracks, table.tobytes(), accepting.tobytes())
        stays = (table == np.arange(len(table))[:, None]).all(axis=1) & ~accepting
        self.dead = int(stays.argmax()) if stays.any() else -1

    @property
    def empty(self) -> bool:
        """Whether the set is empty."""
        return not self.accepting.any()

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.table)


class Tracks:
    """Automata over strings of the symbols 0, .., `symbols` - 1, with positions numbered from `start`."""

    def __init__(self, symbols: int, start: int = 1) -> None:
        self.symbols, self.start = symbols, start
        self.known: dict[Any, TrackSet] = {}  # by `TrackSet.key`, so that equal sets are one object
        self.made: dict[Any, Any] = {}  # results by operation and operands
        self.largest = 0  # the most states that an automaton had before it was minimised
        self.nothing = self._atom((), [[0]], [False])
        self.language = self._atom((), [[1], [1]], [False, True])  # all nonempty strings

    def restrict(self, language: TrackSet) -> None:
        """Admit only the strings of `language` from now on; sets that were made before may not be used any more."""
        self.language = self.without(language, LAST)
        self.made.clear()

    # --- Making ----------------------------------------------------------------------------------------------------

    def _atom(self, tracks: tuple[str, ...], rows: Sequence[Sequence[int]], accepting: Sequence[bool]) -> TrackSet:
        """The automaton that does not depend on the symbols: `rows` has the next state by state and bits."""
        table = np.tile(np.array(rows, dtype=np.int32), (1, self.symbols))
        return self._minimal(tracks, table, np.array(accepting, dtype=bool))

    def _minimal(self, tracks: tuple[str, ...], table: StepTable, accepting: StateFlags) -> TrackSet:
        """The minimal automaton of a table; equal automata are one object."""
        self.largest = max(self.largest, len(table))
        table, accepting = minimal(table, accepting)
        smallest_set = TrackSet(tracks, table, accepting)
        return self.known.setdefault(smallest_set.key, smallest_set)

    def _columns(self, have: tuple[str, ...], wanted: tuple[str, ...]) -> NDArray[np.int64]:
        """For each column over the tracks `wanted`, the column over the tracks `have` with the same symbol and bits."""
        key = ("columns", have, wanted)
        if key not in self.made:
            if self.symbols << len(wanted) > MOST_COLUMNS:
                raise OutsideFragment(f"the statement compares {len(wanted)} positions at once")
            bits = np.arange(1 << len(wanted))
            own_bits = np.zeros(len(bits), dtype=np.int64)
            for k, track in enumerate(have):
                own_bits |= ((bits >> wanted.index(track)) & 1) << k
            self.made[key] = (np.arange(self.symbols)[:, None] * (1 << len(have)) + own_bits[None, :]).ravel()
        return self.made[key]

    def _product(self, a: TrackSet, b: TrackSet, name: str) -> TrackSet:
        """The product of `a` and `b` by ``and``, ``or`` or ``less``; for ``or``, both must have the same tracks, and
        for ``less`` `a` must have those of `b`."""
        key = (name, a, b)
        # Each product is made once.
        if key in self.made:
            return self.made[key]
        tracks = tuple(sorted({*a.tracks, *b.tracks}))
        following = self._pairs(a, b, name)
        # The pairs that are reached are numbered level by level; a row of the table is made for each level at once.
        number_of_pair = np.full(a.states * b.states, -1, dtype=np.int64)
        number_of_pair[0] = 0
        pairs_by_level, level, rows = [np.zeros(1, dtype=np.int64)], np.zeros(1, dtype=np.int64), []
        count = 1
        while len(level):
            codes = following(level)
            rows.append(codes)
            new = np.unique(codes[number_of_pair[codes] < 0])
            number_of_pair[new] = np.arange(count, count + len(new))
            count += len(new)
            if count > 4 * MOST_STATES:
                raise OutsideFragment(f"the automaton of the statement has more than {4 * MOST_STATES:,} states")
            pairs_by_level.append(new)
            level = new
        # From codes to numbers: `rows` has the codes that follow each pair.
        states = np.concatenate(pairs_by_level)
        table = number_of_pair[np.concatenate(rows)].astype(np.int32)
        first_accepting, second_accepting = a.accepting[states // b.states], b.accepting[states % b.states]
        if name == "and":
            accepting = first_accepting & second_accepting
        elif name == "or":
            accepting = first_accepting | second_accepting
        else:
            accepting = first_accepting & ~second_accepting
        self.made[key] = product_set = self._minimal(tracks, table, accepting)
        if product_set.states > MOST_STATES:
            raise OutsideFragment(f"the automaton of the statement has more than {MOST_STATES:,} states")
        return product_set

    def _pairs(self, a: TrackSet, b: TrackSet, name: str) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
        """The function that takes pairs of states of `a` and `b` to the pairs that follow, by pair and column. A pair
        of states (s, t) has the code s*b.states + t. Pairs from which the product accepts nothing, since `a` does not
        (or `b` does not, for ``and``), are one pair."""
        tracks = tuple(sorted({*a.tracks, *b.tracks}))
        left_table = a.table[:, self._columns(a.tracks, tracks)].astype(np.int64)
        right_table = b.table[:, self._columns(b.tracks, tracks)]
        left_dead, right_dead = (a.dead if name != "or" else -1), (b.dead if name == "and" else -1)
        dead = max(left_dead, 0) * b.states + (right_dead if left_dead < 0 else 0)

        def following(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
            left, right = left_table[pairs // b.states], right_table[pairs % b.states]
            codes = left * b.states + right
            if left_dead >= 0:
                codes[left == left_dead] = dead
            if right_dead >= 0:
                codes[right == right_dead] = dead
            return codes

        return following

    def _some(self, a: TrackSet, b: TrackSet, name: str) -> bool:
        """Whether the product of `a` and `b` by ``and`` or ``less`` accepts something: pairs of states are followed
        until one accepts, and no automaton is made."""
        if (name, a, b) in self.made:
            return not self.made[name, a, b].empty
        key = ("some", name, a, b)
        if key in self.made:
            return self.made[key]
        following = self._pairs(a, b, name)
        accepts = b.accepting if name == "and" else ~b.accepting
        seen = np.zeros(a.states * b.states, dtype=bool)
        level, found, count = np.zeros(1, dtype=np.int64), False, 0
        while len(level) and not found:
            seen[level] = True
            count += len(level)
            if count > 4 * MOST_STATES:
                raise OutsideFragment(f"the automaton of the statement has more than {4 * MOST_STATES:,} states")
            found = bool((a.accepting[level // b.states] & accepts[level % b.states]).any())
            if not found:
                codes = following(level).ravel()
                level = np.unique(codes[~seen[codes]])
        self.made[key] = found
        return found

    # --- Sets --------------------------------------------------------------------------------------------------------

    def valid(self, *tracks: str) -> TrackSet:
        """All strings with these tracks."""
        key = ("valid", tracks)
        if key not in self.made:
            out = self.language
            for track in tracks:
                # State 0 before the mark, 1 after it, 2 for a second one; LAST is refused where anything follows its
                # mark.
                one_mark = [[0, 1], [1, 2], [2, 2]]
                rows = one_mark if track != LAST else [[0, 1], [2, 2], [2, 2]]
                out = self._product(out, self._atom((track,), rows, [False, True, False]), "and")
            self.made[key] = out
        return self.made[key]

    def both(self, *parts: TrackSet) -> TrackSet:
        """The intersection of sets."""
        if not parts:
            return self.language
        out, *others = sorted({*parts}, key=lambda part: (part.states, len(part.tracks)))
        for part in others:
            if out.empty:
                return self.nothing
            out = self._product(out, part, "and")
        return out

    def either(self, *parts: TrackSet) -> TrackSet:
        """The union of sets, over the tracks of all those that are not empty."""
        parts = tuple(dict.fromkeys(part for part in parts if not part.empty))
        tracks = sorted({track for part in parts for track in part.tracks})
        out = self.nothing
        for part in parts:
            lifted_part = self.lifted(part, tracks)
            out = lifted_part if out.empty else self._product(out, lifted_part, "or")
        return out

    def less(self, a: TrackSet, b: TrackSet) -> TrackSet:
        """The elements of `a` that are not in `b`."""
        if a.empty or b.empty:
            return a
        return self._product(self.lifted(a, b.tracks), b, "less")

    def inside(self, a: TrackSet, b: TrackSet) -> bool:
        """Whether all elements of `a` are in `b`."""
        if a.empty or b.empty:
            return a.empty
        return not self._some(self.lifted(a, b.tracks), b, "less")

    def meet(self, *parts: TrackSet) -> bool:
        """Whether the intersection of sets has an element."""
        *first, last = sorted({*parts}, key=lambda part: (part.states, len(part.tracks))) or [self.language]
        joined = self.both(*first) if first else last
        if joined.empty or last.empty:
            return False
        return joined is last or self._some(joined, last, "and")

    def complement(self, a: TrackSet) -> TrackSet:
        """The valid inputs with these tracks that are not in a set."""
        return self.less(self.valid(*a.tracks), a)

    def lifted(self, a: TrackSet, tracks: Iterable[str]) -> TrackSet:
        """The same set with further tracks, marked anywhere."""
        missing_tracks = [track for track in tracks if track not in a.tracks]
        return self._product(a, self.valid(*missing_tracks), "and") if missing_tracks else a

    def renamed(self, a: TrackSet, names: Mapping[str, str]) -> TrackSet:
        """The same set with other names of tracks; two tracks that get one name are at one position."""
        if all(names.get(track, track) == track for track in a.tracks):
            return a
        new = [names.get(track, track) for track in a.tracks]
        tracks = tuple(sorted({*new}))
        bits = np.arange(1 << len(tracks))
        old_bits = np.zeros(len(bits), dtype=np.int64)
        # For each set of bits over the new tracks, the bits of the old ones: two tracks with one name have the same
        # bit.
        for k, track in enumerate(new):
            old_bits |= ((bits >> tracks.index(track)) & 1) << k
        columns = (np.arange(self.symbols)[:, None] * (1 << len(new)) + old_bits[None, :]).ravel()
        out = self._minimal(tracks, a.table[:, columns], a.accepting)
        return self.both(out, self.valid(LAST)) if LAST in new and LAST not in a.tracks else out

    def without(self, a: TrackSet, *tracks: str) -> TrackSet:
        """The strings, with the remaining tracks, for which some positions of the tracks `tracks` are accepted."""
        for track in tracks:
            if track in a.tracks:
                a = self._projected(a, track)
        return a

    def _split(self, a: TrackSet, track: str) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int64]]:
        """The tracks of `a` without `track`, and for each column over them the column of `a` without the mark of
        `track`, and the column with it."""
        other_tracks = tuple(name for name in a.tracks if name != track)
        k = a.tracks.index(track)
        column = np.arange(self.symbols << len(other_tracks))
        # A column is symbol*2^tracks + bits: a bit 0 or 1 is put in at place k.
        plain = (column >> k << (k + 1)) | (column & ((1 << k) - 1))
        return other_tracks, plain, plain | (1 << k)

    def _projected(self, a: TrackSet, track: str) -> TrackSet:
        """The automaton of "for some position of the track". Its states are the sets of states that `a` may have
        reached, with or without the mark so far; a set is an integer with a bit for each state."""
        key = ("without", a, track)
        if key not in self.made:
            other_tracks, plain, marked = self._split(a, track)
            # A state from which nothing is accepted is left out of the sets.
            bit = [0 if s == a.dead else 1 << s for s in range(a.states)]
            # By state and column the set of states that follow, without the mark or with it.
            step = [
                [bit[x] | bit[y] for x, y in zip(row[plain].tolist(), row[marked].tolist(), strict=True)]
                for row in a.table
            ]
            accepting_bits = sum(1 << s for s in range(a.states) if a.accepting[s])
            number, todo, rows = {bit[0]: 0}, [bit[0]], []
            for state_set in todo:
                # The states of the set, from its bits; the row of the set is the union of their rows.
                states, remaining_bits = [], state_set
                while remaining_bits:
                    states.append((remaining_bits & -remaining_bits).bit_length() - 1)
                    remaining_bits &= remaining_bits - 1
                row = [0] * len(plain) if not states else step[states[0]]
                for s in states[1:]:
                    row = [x | y for x, y in zip(row, step[s], strict=True)]
                rows.append([numbered(number, todo, x) for x in row])
            table = np.array(rows, dtype=np.int32)
            self.made[key] = self._minimal(
                other_tracks, table, np.array([bool(state_set & accepting_bits) for state_set in todo])
            )
        return self.made[key]

    def tallied(self, a: TrackSet, track: str, most: int, modulus: int = 0) -> list[TrackSet]:
        """For r = 0, .., `most`, the strings in which r positions of the track are accepted; the last set also has the
        strings with more. With a `modulus`, r is the number of positions modulo it, and `most` is ignored."""
        key = ("tallied", a, track, most, modulus)
        if key in self.made:
            return self.made[key]
        other_tracks, plain, marked = self._split(a, track)
        # A state is (base, counts): `base` is the state of the run that has not read the mark. At each position one
        # more run reads it, and `counts` has (state, number of such runs). All runs move together by one symbol.
        dead = [s == a.dead for s in range(a.states)]
        table = a.table.tolist()

        def cut(r: int) -> int:
            """The number of runs as it is stored: its remainder, or at most `most`."""
            return r % modulus if modulus else min(r, most)

        number: dict[Any, int] = {(0, ()): 0}
        todo: list[Any] = [*number]
        rows: list[list[int]] = []
        for base, counts in todo:
            row = []
            for plain_column, marked_column in zip(plain.tolist(), marked.tolist(), strict=True):
                new: dict[int, int] = {}
                for s, r in counts:
                    new[table[s][plain_column]] = new.get(table[s][plain_column], 0) + r
                new[table[base][marked_column]] = new.get(table[base][marked_column], 0) + 1
                # Runs that cannot be accepted any more are dropped, and so are states whose number is 0.
                new_counts = tuple(sorted((s, cut(r)) for s, r in new.items() if not dead[s] and cut(r)))
                row.append(numbered(number, todo, (table[base][plain_column], new_counts)))
            rows.append(row)
        grid = np.array(rows, dtype=np.int32)
        # The same table for each r: accepting are the states in which r runs are accepted.
        sums = np.array([cut(sum(r for s, r in counts if a.accepting[s])) for _, counts in todo])
        class_count = modulus or most + 1
        all_strings = self.valid(*other_tracks)
        self.made[key] = [
            self.both(self._minimal(other_tracks, grid, sums == r), all_strings) for r in range(class_count)
        ]
        return self.made[key]

    # --- Atoms -------------------------------------------------------------------------------------------------------

    def symbol(self, x: str, number: int) -> TrackSet:
        """The strings with this symbol at x."""
        # State 0 is before the mark, 1 after a mark at the symbol, 2 after a mark at another symbol.
        # The next state by state, symbol and bit.
        before_mark = [[0, 1 if s == number else 2] for s in range(self.symbols)]
        rows = [before_mark, [[1, 1]] * self.symbols, [[2, 2]] * self.symbols]
        table = np.array(rows, dtype=np.int32).reshape(3, -1)
        return self.both(self._minimal((x,), table, np.array([False, True, False])), self.valid(x))

    def apart(self, x: str, y: str, distance: int, exact: bool) -> TrackSet:
        """The strings with x - y = distance, or, where it is not `exact`, x - y <= distance."""
        if x == y:
            holds = distance == 0 if exact else distance >= 0
            return self.valid(x) if holds else self.nothing
        tracks = tuple(sorted((x, y)))
        # A state is (which marks were read, a number): after one mark, how many positions ago it was, counted up to the
        # cap; after both, x - y.
        cap = abs(distance) + 2
        number: dict[Any, int] = {("", 0): 0}
        todo, rows, accepting = [("", 0)], [], []
        for kind, far in todo:
            good = kind == "both" and (far == distance if exact else far <= distance)
            accepting.append(good)
            row = []
            for bits in range(4):
                at_x, at_y = (bits >> tracks.index(x)) & 1, (bits >> tracks.index(y)) & 1
                following = (kind, far)
                if kind == "" and at_x and at_y:
                    following = ("both", 0)
                elif kind == "" and (at_x or at_y):
                    following = ("x" if at_x else "y", 1)
                elif kind == "x":
                    following = ("both", -far) if at_y else ("x", min(far + 1, cap))
                elif kind == "y":
                    following = ("both", far) if at_x else ("y", min(far + 1, cap))
                row.append(numbered(number, todo, following))
            rows.append(row)
        return self.both(self._atom(tracks, rows, accepting), self.valid(*tracks))

    def at(self, x: str, place: int, exact: bool = True) -> TrackSet:
        """The strings with x = place, or, where it is not `exact`, x <= place."""
        steps = place - self.start
        if steps < 0:
            return self.nothing
        if steps > MOST_STATES:
            raise OutsideFragment(f"the statement has the position {place:,}")
        # States 0, .., steps count the positions before the mark. If not `exact`, the mark may come in each of them.
        done, dead = steps + 1, steps + 2
        rows = []
        for s in range(done):
            without_mark = s + 1 if s < steps else dead
            with_mark = done if s == steps or not exact else dead
            rows.append([without_mark, with_mark])
        rows += [[done, done], [dead, dead]]
        return self.both(self._atom((x,), rows, [s == done for s in range(done + 2)]), self.valid(x))

    def remainder(self, x: str, modulus: int, rest: int) -> TrackSet:
        """The strings with x = rest modulo the modulus."""
        # States 0, .., modulus - 1 are the number of positions read, modulo it.
        done, dead, first = modulus, modulus + 1, (rest - self.start) % modulus
        rows = [[(s + 1) % modulus, done if s == first else dead] for s in range(modulus)]
        rows += [[done, done], [dead, dead]]
        return self.both(self._atom((x,), rows, [s == done for s in range(dead + 1)]), self.valid(x))

    def reached(self, x: str, moves: Sequence[Sequence[int]], skipped: int) -> list[TrackSet]:
        """For each state of an automaton, the positions x at which the automaton is in that state after reading the
        symbol at x. `moves` has the next state by state and symbol. It begins in state 0, and does not read the symbol
        at the first `skipped` positions, none or one."""
        if skipped not in (0, 1):
            raise OutsideFragment(f"an automaton skips the symbols before position {skipped + self.start}")
        state_count = len(moves)
        # Each state occurs twice: before the mark x, and after it, where the state at x is kept to the end.
        rows = [[0] * self.symbols] * skipped + [*map(list, moves)]
        table = [[c for k in row for c in (skipped + k, skipped + state_count + k)] for row in rows]
        table += [[skipped + state_count + k] * (2 * self.symbols) for k in range(state_count)]
        grid, valid = np.array(table, dtype=np.int32), self.valid(x)
        ends = [np.arange(len(table)) == skipped + state_count + k for k in range(state_count)]
        return [self.both(self._minimal((x,), grid, end), valid) for end in ends]

    # --- Answers -----------------------------------------------------------------------------------------------------

    def smallest(self, a: TrackSet) -> tuple[int, ...] | None:
        """The shortest accepted string, the first of them in the order of the symbols; None for an empty set."""
        a = self.without(a, *a.tracks)
        strings_to: dict[int, tuple[int, ...]] = {0: ()}
        todo = [0]
        for s in todo:
            if a.accepting[s]:
                return strings_to[s]
            for symbol, to in enumerate(a.table[s].tolist()):
                if to not in strings_to:
                    strings_to[to] = (*strings_to[s], symbol)
                    todo.append(to)
        return None


def numbered(number: dict[State, int], todo: list[State], state: State) -> int:
    """The number of a state; a new state gets the next one."""
    if state not in number:
        number[state] = len(todo)
        todo.append(state)
        if len(todo) > MOST_STATES:
            raise OutsideFragment(f"the automaton of the statement has more than {MOST_STATES:,} states")
    return number[state]


def minimal(table: StepTable, accepting: StateFlags) -> tuple[StepTable, StateFlags]:
    """The minimal automaton, by refinement, its states in order of their first occurrence."""
    # States of one class are separated if the states that follow have different classes, until no class is divided any
    # more. Each row (its class, the classes that follow) is one block of bytes, by which its class is found.
    classes = accepting.astype(np.int32)
    count = len(np.unique(classes))
    while True:
        rows = np.ascontiguousarray(np.column_stack((classes, classes[table])), dtype=np.int32)
        data, width = rows.tobytes(), rows.itemsize * rows.shape[1]
        number: dict[bytes, int] = {}
        classes = np.array(
            [number.setdefault(data[k : k + width], len(number)) for k in range(0, len(data), width)], dtype=np.int32
        )
        new = len(number)
        if new == count:
            break
        count = new
    # One state stands for each class.
    representative = np.zeros(count, dtype=np.int64)
    representative[classes[::-1]] = np.arange(len(table))[::-1]
    small = classes[table[representative]]
    # Classes are numbered breadth first, in the order of their first occurrence.
    order, place, level = [classes[0]], np.full(count, -1, dtype=np.int32), np.array([classes[0]])
    place[classes[0]] = 0
    while len(level):
        reached = small[level].ravel()
        new, first = np.unique(reached, return_index=True)
        fresh = place[new] < 0
        level = new[fresh][np.argsort(first[fresh])]
        place[level] = np.arange(len(order), len(order) + len(level))
        order += level.tolist()
    chosen = np.array(order)
    return np.ascontiguousarray(place[small[chosen]], dtype=np.int32), accepting[representative[chosen]]
