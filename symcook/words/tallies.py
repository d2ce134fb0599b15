"""How many strings of each class by counts lead a reference to each of its states. One pass over the positions counts
all strings."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

import numpy as np

from symcook.domains.cells import Array
from symcook.words import Word
from symcook.words.cells import Cells

LetterStep = Callable[[int, int], int]
"""From the numbers of a state and of a symbol to the number of the next state."""


class Tallies:
    """The tallies of one length after the other.

    `found` has an array of Python integers for each state: the numbers of strings that lead to it. An axis of the array
    is a cell and a symbol (all but the last symbol), and its index says how often the symbol is in the cell. Cells are
    in the order of their first positions.

    The tallies of a length continue those of the length before, as long as the positions so far are in the same cells.
    """

    def __init__(self, start: int, step: LetterStep, letters: int) -> None:
        self.start, self.step, self.letters = start, step, letters
        self.places: list[int] = []
        """The index of the cell of each position so far, -1 for a position in no cell."""
        self.found: dict[int, Array] = {}

    def of(self, cells: Cells) -> Mapping[int, Array]:
        """The tallies of all strings of `cells.n` symbols: `found` after this length, which must not be changed."""
        places = placed(cells)
        # If the positions so far are in other cells than for the length before, start again.
        if not self.found or places[: len(self.places)] != self.places:
            self.places, self.found = [], {self.start: np.ones((), dtype=object)}
        missing = (self.letters - 1) * len(cells.cells) - next(iter(self.found.values())).ndim
        # A cell that begins after the positions so far has counts of 0: an axis of size 1 for each of its symbols.
        new_axes = (1,) * missing
        self.found = {q: x.reshape(x.shape + new_axes) for q, x in self.found.items()}
        for cell in places[len(self.places) :]:
            self.found = self.moved(cell)
            self.places.append(cell)
        return self.found

    def moved(self, cell: int) -> dict[int, Array]:
        """The tallies after one more position, which is in the cell with index `cell` (-1: in no cell)."""
        any_array = next(iter(self.found.values()))
        # Each count in the position's cell may grow by 1. The last symbol is not counted, as the other counts imply its
        # count.
        grown = list(any_array.shape)
        axes = range(cell * (self.letters - 1), (cell + 1) * (self.letters - 1)) if cell >= 0 else range(0)
        for axis in axes:
            grown[axis] += 1
        result: dict[int, Array] = {}
        for state, words in self.found.items():
            for letter in range(self.letters):
                reached = self.step(state, letter)
                if reached not in result:
                    result[reached] = np.zeros(grown, dtype=object)
                # The same array, shifted by 1 along the axis of the symbol.
                place = [slice(0, size) for size in words.shape]
                if cell >= 0 and letter < self.letters - 1:
                    axis = axes[letter]
                    place[axis] = slice(1, words.shape[axis] + 1)
                result[reached][tuple(place)] += words
        return result


def placed(cells: Cells) -> list[int]:
    """The index of the cell of each position, -1 for a position in no cell."""
    places = [-1] * cells.n
    for number, cell in enumerate(sorted(cells.cells)):
        for place in cell:
            places[place] = number
    return places


def index(cells: Cells, word: Word) -> tuple[int, ...]:
    """The index of a string's class in an array of tallies."""
    counts: list[int] = []
    for cell in sorted(cells.cells):
        inside = [word[place] for place in cell]
        counts += map(inside.count, cells.alphabet[:-1])
    return tuple(counts)


def smallest(cells: Cells, start: int, step: LetterStep, wanted: Container[tuple[tuple[int, ...], int]]) -> Word | None:
    """The smallest string whose class (by its `index`) and last state are among the `wanted` pairs; None where there is
    none.

    The search is depth first, in the order of the alphabet. `dead` has the (depth, counts, state) from which no wanted
    string can be reached.
    """
    places, letters = placed(cells), len(cells.alphabet)
    dead: set[tuple[int, tuple[int, ...], int]] = set()
    word: list[int] = []
    path = [(start, (0,) * ((letters - 1) * len(cells.cells)))]
    letter = 0
    while True:
        # Invariant: `word` has the symbols chosen so far, `path` the state and counts before and after each of them,
        # and `letter` is the next symbol to try.
        state, counts = path[-1]
        depth = len(word)
        if depth == cells.n and (counts, state) in wanted:
            return tuple(cells.alphabet[k] for k in word)
        # No wanted string begins with these symbols: go back, and try the next symbol.
        if depth == cells.n or letter == letters or (depth, counts, state) in dead:
            dead.add((depth, counts, state))
            if not word:
                return None
            path.pop()
            letter = word.pop() + 1
            continue
        after = list(counts)
        if places[depth] >= 0 and letter < letters - 1:
            after[places[depth] * (letters - 1) + letter] += 1
        word.append(letter)
        path.append((step(state, letter), tuple(after)))
        letter = 0
