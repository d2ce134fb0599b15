"""Reference of S-RASP programs: evaluates them line by line, position by position. With the compiler it shares only the
syntax.

`values` evaluates one word. `columns` evaluates all words of a block at once: at each position it has, for every value,
the words in which the value occurs there, as the bits of a number.

Source: Strobl et al. (2025) for S-RASP; Weiss et al. (2021) for select, aggregate and selector width. RASP does not
define the aggregate of letters from several positions; here it is the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from symcook.programs.srasp import Srasp, SraspLine

# Comparisons and operations of two values, by name. The operations "pair and" and "pair or" act on truths, and on sets
# of words as the bits of a number.
SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip
JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b, "product": lambda a, b: a * b, "and": lambda a, b: a and b, "or": lambda a, b: a or b,
    "pair and": lambda a, b: a & b, "pair or": lambda a, b: a | b,
}  # fmt: skip
SEES: dict[str, Callable[[int, int], bool]] = {
    "none": lambda i, j: True, "future": lambda i, j: j <= i, "strict-future": lambda i, j: j < i,
    "past": lambda i, j: j >= i, "strict-past": lambda i, j: j > i,
}  # fmt: skip
"""By the name of a mask: whether position i sees position j."""


def values(program: Srasp, word: Sequence[str]) -> list[list[Any]]:
    """For each line its values at the positions of the word: letters as text, truths, or Fractions. A selector has at
    each position i a row with a truth for each position j."""
    table: list[list[Any]] = []
    for line in program.lines:
        table.append(_line_values(line, [table[k] for k in line.reads], word))
    return table


def _line_values(line: SraspLine, reads: Sequence[list[Any]], word: Sequence[str]) -> list[Any]:
    """The values of one line at all positions, from those of the lines that it reads."""
    op, n = line.op, len(word)
    # Inputs and constants, then operations position by position.
    if op == "in":
        return list(word)
    if op == "indices":
        return [Fraction(i) for i in range(n)]
    if op in ("length", "constant"):
        return [Fraction(n) if op == "length" else line.value] * n
    if op == "times":
        return [line.value * a for a in reads[0]]
    if op == "not":
        return [not a for a in reads[0]]
    if op in ("sum", "product", "and", "or", "compare"):
        act = SIGNS[line.value] if op == "compare" else JOINS[op]
        return [act(a, b) for a, b in zip(*reads, strict=True)]
    if op == "if":
        return [a if test else b for test, a, b in zip(*reads, strict=True)]
    if op == "psum":
        return [sum((a for j, a in enumerate(reads[0]) if SEES[line.value](i, j)), Fraction(0)) for i in range(n)]
    # Selectors have a row of truths for each position i: comparisons of keys and queries, and their combinations.
    if op == "select":
        return [[SIGNS[line.value](key, query) for key in reads[0]] for query in reads[1]]
    if op in ("key", "query"):
        return [list(reads[0]) if op == "key" else [reads[0][i]] * n for i in range(n)]
    if op == "pair not":
        return [[not a for a in row] for row in reads[0]]
    if op in ("pair and", "pair or"):
        return [[JOINS[op](a, b) for a, b in zip(*rows, strict=True)] for rows in zip(*reads, strict=True)]
    # Lines that read a selector: the number of selected positions, or a value from them.
    if op == "width":
        return [Fraction(sum(row)) for row in reads[0]]
    return [_selected_value(line, i, reads) for i in range(n)]


def _selected_value(line: SraspLine, i: int, reads: Sequence[list[Any]]) -> Any:
    """The value of "left", "right" or "aggregate" at index i: the first, the last, or the mean of the selected values;
    the default if no position is selected. `reads` has the selector, the values and the defaults."""
    chosen, value, default = reads[0][i], reads[1], reads[2][i]
    if line.op == "aggregate":
        selected_values = [value[j] for j, is_chosen in enumerate(chosen) if is_chosen]
        if isinstance(default, str):  # letters have no mean: take the first
            return selected_values[0] if selected_values else default
        return (
            sum(map(Fraction, selected_values), Fraction(0)) / len(selected_values)
            if selected_values
            else Fraction(default)
        )
    selected_values = [value[j] for j, is_chosen in enumerate(chosen) if is_chosen and SEES[line.value](i, j)]
    return selected_values[0 if line.op == "left" else -1] if selected_values else default


def answers(program: Srasp, word: Sequence[str]) -> list[Any]:
    """The output of the program at each position."""
    return values(program, word)[program.output]


WordsByValue = dict[Any, int]
"""The values at one position: for each value the words in which it occurs there, as the bits of a number. Each word is
in exactly one of these sets."""


def columns(program: Srasp, choices: Sequence[Sequence[str]]) -> list[WordsByValue]:
    """The output of the program at each position, for all words with a letter of `choices` at each position. Bit k
    stands for word number k in lexicographic order."""
    every, size = lettered(choices)
    table: list[list[Any]] = []
    for line in program.lines:
        table.append(_line_columns(line, [table[k] for k in line.reads], every, (1 << size) - 1))
    return table[program.output]


def lettered(choices: Sequence[Sequence[str]]) -> tuple[list[WordsByValue], int]:
    """The words with each letter at each position, as bits, and the number of words. The letters of a position must be
    different; the words are in lexicographic order by the order of the letters in `choices`."""
    size = 1
    for letters in choices:
        size *= len(letters)
    columns_of: list[WordsByValue] = []
    run_length = size
    # At a position, words with the same letter form runs of `run_length` words, and the letters repeat with `period`.
    for letters in choices:
        period, run_length = run_length, run_length // len(letters)
        # a number with one bit at the start of each period
        starts = ((1 << size) - 1) // ((1 << period) - 1)
        columns_of.append({a: starts * ((1 << run_length) - 1) << (k * run_length) for k, a in enumerate(letters)})
    return columns_of, size


def _line_columns(
    line: SraspLine, reads: Sequence[list[Any]], letters: list[WordsByValue], all_strings: int
) -> list[Any]:
    """The values of one line at all positions, each with the words in which it occurs; for a selector, at each position
    i and each j the words in which i selects j. `reads` has the lines that this line reads."""
    op, n = line.op, len(letters)
    # Inputs and constants, then operations position by position: for each combination of operand values, the words with
    # this combination get its result.
    if op == "in":
        return letters
    if op == "indices":
        return [{Fraction(i): all_strings} for i in range(n)]
    if op in ("length", "constant"):
        return [{Fraction(n) if op == "length" else line.value: all_strings}] * n
    if op == "times":
        return [_mapped(lambda a: line.value * a, column) for column in reads[0]]
    if op == "not":
        return [_mapped(lambda a: not a, column) for column in reads[0]]
    if op in ("sum", "product", "and", "or", "compare"):
        act = SIGNS[line.value] if op == "compare" else JOINS[op]
        return [_joined(act, a, b) for a, b in zip(*reads, strict=True)]
    if op == "if":
        return [_united((a, test.get(True, 0)), (b, test.get(False, 0))) for test, a, b in zip(*reads, strict=True)]
    if op == "psum":
        return [_summed([reads[0][j] for j in range(n) if SEES[line.value](i, j)], all_strings) for i in range(n)]
    # Selectors.
    if op == "select":
        return [[_joined(SIGNS[line.value], key, query).get(True, 0) for key in reads[0]] for query in reads[1]]
    if op in ("key", "query"):
        return [[reads[0][j if op == "key" else i].get(True, 0) for j in range(n)] for i in range(n)]
    if op == "pair not":
        return [[all_strings & ~a for a in row] for row in reads[0]]
    if op in ("pair and", "pair or"):
        return [[JOINS[op](a, b) for a, b in zip(*rows, strict=True)] for rows in zip(*reads, strict=True)]
    # Lines that read a selector: the number of selected positions, or a mean of numbers.
    if op == "width":
        unit, none = Fraction(1), Fraction(0)
        return [_summed([{unit: a, none: all_strings & ~a} for a in row], all_strings) for row in reads[0]]
    if op == "aggregate" and not any(isinstance(value, str) for column in reads[2] for value in column):
        return [_means(row, reads[1], default, all_strings) for row, default in zip(reads[0], reads[2], strict=True)]
    # The first or last selected value (an aggregate of letters has the first): go through the positions j in order, for
    # "right" from the last one, and give the value at j to the words that select j and none of the positions done.
    result = []
    for i in range(n):
        order = range(n) if line.op != "right" else range(n)[::-1]
        unselected, parts = all_strings, []
        for j in order:
            if line.op == "aggregate" or SEES[line.value](i, j):
                parts.append((reads[1][j], unselected & reads[0][i][j]))
                unselected &= ~reads[0][i][j]
        result.append(_united(*parts, (reads[2][i], unselected)))
    return result


def _mapped(act: Callable[[Any], Any], column: WordsByValue) -> WordsByValue:
    """The function `act` of the values of a column."""
    mapped_words: WordsByValue = {}
    for a, bits in column.items():
        mapped_words[act(a)] = mapped_words.get(act(a), 0) | bits
    return mapped_words


def _joined(act: Callable[[Any, Any], Any], first: WordsByValue, second: WordsByValue) -> WordsByValue:
    """The function `act` of the values of two columns, word by word."""
    joined_words: WordsByValue = {}
    for a, bits in first.items():
        for b, others in second.items():
            if common := bits & others:
                value = act(a, b)
                joined_words[value] = joined_words.get(value, 0) | common
    return joined_words


def _united(*parts: tuple[WordsByValue, int]) -> WordsByValue:
    """The column with the values of each part (column, words) for the words of that part."""
    united_words: WordsByValue = {}
    for column, words in parts:
        for a, bits in column.items():
            if bits & words:
                united_words[a] = united_words.get(a, 0) | (bits & words)
    return united_words


def _summed(row: Sequence[WordsByValue], every: int) -> WordsByValue:
    """The sum of the columns in `row`, word by word."""
    total: WordsByValue = {Fraction(0): every}
    for column in row:
        total = _joined(JOINS["sum"], total, column)
    return total


def _means(chosen: Sequence[int], row: Sequence[WordsByValue], default: WordsByValue, every: int) -> WordsByValue:
    """The mean of the values in `row` over the chosen positions, or the default for words that choose none. `chosen`
    has the words that choose each position."""
    # Each value of `total` is the pair (sum, number) of the chosen values so far.
    total: WordsByValue = {(Fraction(0), 0): every}
    for bits, column in zip(chosen, row, strict=True):
        here = _united((_mapped(lambda a: (Fraction(a), 1), column), bits), ({(Fraction(0), 0): every}, every & ~bits))
        total = _joined(lambda a, b: (a[0] + b[0], a[1] + b[1]), total, here)
    nonempty = {a: bits for a, bits in total.items() if a[1]}
    none = total.get((Fraction(0), 0), 0)
    return _united((_mapped(lambda a: a[0] / a[1], nonempty), every), (_mapped(Fraction, default), none))


class Interpreted:
    """A program as a function from a word to an answer at each position. `block` evaluates many words at once."""

    def __init__(self, program: Srasp) -> None:
        self.program = program

    def __call__(self, word: Sequence[str]) -> list[Any]:
        return answers(self.program, word)

    def block(self, choices: Sequence[Sequence[str]]) -> list[WordsByValue]:
        """The answers for all words with a letter of `choices` at each position, as `columns` returns them."""
        return columns(self.program, choices)
