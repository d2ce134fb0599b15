"""Reference of formulas of temporal logic: evaluates them by their definition. With the compiler it shares only the
syntax.

`truths` and `answers` evaluate a formula on one string, `Looking.block` on all strings of a block at once. `fold` and
`language` read a string once from left to right, as a state machine.

Source: Yang et al. (2026), Definitions 11 and 14. In "f since g" and "f until g", f must also be true at the position
where g is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, product

from symcook.errors import BadInput
from symcook.programs.formula import COUNTING, Formula, FormulaLine
from symcook.spec.counted import counted
from symcook.spec.fold import Fold
from symcook.spec.srasp import WordsByValue, lettered


def truths(formula: Formula, word: Sequence[str]) -> list[list[bool]]:
    """For each line of the formula: whether it is true at each position of the word. Raises BadInput for a TABLE that
    has no bit for a number that it meets."""
    n = len(word)
    table: list[list[bool]] = []
    for line in formula.lines:
        # f and g are the operands; a line without a left or right operand has -1 there.
        f = table[line.left] if line.left >= 0 else []
        g = table[line.right] if line.right >= 0 else []
        if line.op == "letters":
            row = [letter in line.letters for letter in word]
        elif line.op == "not":
            row = [not f_true for f_true in f]
        elif line.op == "and":
            row = [f_true and g_true for f_true, g_true in zip(f, g, strict=True)]
        elif line.op == "or":
            row = [f_true or g_true for f_true, g_true in zip(f, g, strict=True)]
        # At the first position prev is false, at the last one next.
        elif line.op == "prev":
            row = [False, *f][:n]
        elif line.op == "next":
            row = [*f[1:], False][:n]
        # Counting: a linear inequality of counts, the remainder of a count, or a bit for each value of a count.
        elif line.op == "at least":
            row = [
                sum(count.factor * _count(table[count.line], count.side, i) for count in line.counts) >= line.bound
                for i in range(n)
            ]
        elif line.op == "remainder":
            row = [number % line.divisor == line.bound for number in _predicate_numbers(line, table, n)]
        elif line.op == "table":
            numbers = _predicate_numbers(line, table, n)
            if max(numbers, default=-1) >= len(line.table):
                must = f"a TABLE must have a bit for each number that is looked up in it (of the string of length {n})"
                raise BadInput(must, f"{len(line.table)} bits and {max(numbers)}", "give a longer table")
            row = [line.table[number] == "1" for number in numbers]
        elif line.op == "since":
            row = _since(f, g)
        else:  # until is since read from the right
            row = _since(f[::-1], g[::-1])[::-1]
        table.append(row)
    return table


def _since(f: Sequence[bool], g: Sequence[bool]) -> list[bool]:
    """f since g at each position: whether g is true at some position up to it, and f from there on. So f is true here,
    and g is true here or f since g at the position before."""
    row, lasts = list[bool](), False
    for f_true, g_true in zip(f, g, strict=True):
        lasts = f_true and (g_true or lasts)
        row.append(lasts)
    return row


def _count(row: Sequence[bool], side: str, i: int) -> int:
    """The number of positions at which a line is true: up to index i for "left", else from i on; i included."""
    return sum(row[: i + 1] if side == "left" else row[i:])


def _predicate_numbers(line: FormulaLine, table: Sequence[Sequence[bool]], n: int) -> list[int]:
    """The number that a predicate is about, at each position: its count, or, without a count, the position itself."""
    counts = [_count(table[count.line], count.side, i) for count in line.counts for i in range(n)]
    return counts or list(range(1, n + 1))


def answers(formula: Formula, word: Sequence[str]) -> list[bool] | list[str]:
    """The answer of the formula at each position: its truth, or the label of the first output that is true there."""
    table = truths(formula, word)
    if not formula.labels:
        return table[formula.outputs[0][1]]
    return [next(str(label) for label, line in formula.outputs if table[line][i]) for i in range(len(word))]


class Looking:
    """A formula without counts as a function from a word to an answer at each position. `block` evaluates many words at
    once."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula

    def __call__(self, word: Sequence[str]) -> list[bool] | list[str]:
        return answers(self.formula, word)

    def block(self, choices: Sequence[Sequence[str]]) -> list[WordsByValue]:
        """The answers at each position for all words with these letters at each position, in the form of
        `symcook.spec.srasp.columns`. The rows of `table` have, for each position, the words at which the line is true,
        as the bits of a number."""
        letters, size = lettered(choices)
        n, all_strings = len(letters), (1 << size) - 1
        table: list[list[int]] = []
        for line in self.formula.lines:
            f = table[line.left] if line.left >= 0 else []
            g = table[line.right] if line.right >= 0 else []
            if line.op == "letters":
                row = [sum(words for letter, words in column.items() if letter in line.letters) for column in letters]
            # Boolean operations act on all words at once, bit by bit.
            elif line.op == "not":
                row = [all_strings ^ words for words in f]
            elif line.op in ("and", "or"):
                row = [a & b if line.op == "and" else a | b for a, b in zip(f, g, strict=True)]
            elif line.op in ("prev", "next"):
                row = [0, *f][:n] if line.op == "prev" else [*f[1:], 0][:n]
            else:
                # "f since g" is f and (g or "f since g" at the position before); until is the same from the right.
                pairs = [*zip(f, g, strict=True)][:: 1 if line.op == "since" else -1]
                row = [*accumulate(pairs, lambda held, now: now[0] & (now[1] | held), initial=0)][1:]
                row = row if line.op == "since" else row[::-1]
            table.append(row)
        return [self._answers([table[line][i] for _, line in self.formula.outputs], all_strings) for i in range(n)]

    def _answers(self, outputs: Sequence[int], remaining: int) -> WordsByValue:
        """The words with each answer at a position. `outputs` has the words at which each output is true, `remaining`
        all words. A word gets the label of its first true output, so it is then removed from `remaining`."""
        if not self.formula.labels:
            return {answer: words for answer, words in ((True, outputs[0]), (False, remaining ^ outputs[0])) if words}
        by_label: WordsByValue = {}
        for (label, _), words in zip(self.formula.outputs, outputs, strict=True):
            if words & remaining:
                by_label[str(label)] = by_label.get(str(label), 0) | words & remaining
            remaining &= ~words
        return by_label


LineTruths = tuple[bool, ...]
"""The truth of every line at one position."""


def fold(formula: Formula) -> Fold | None:
    """The formula as a fold, with an answer at each position; None if it looks ahead or counts."""
    if any(line.op in ("next", "until", *COUNTING) for line in formula.lines):
        return None
    return Past(formula)


class Past(Fold):
    """A formula about the past as a fold with an answer at each position. Another process makes it from the formula."""

    def __init__(self, formula: Formula) -> None:
        last = counted(formula)
        super().__init__(last.start, last.step, last.answer, each=True)
        object.__setattr__(self, "formula", formula)

    def __reduce__(self) -> tuple[type[Past], tuple[Formula]]:
        return Past, (vars(self)["formula"],)


def language(formula: Formula) -> Fold:
    """The answer of the formula at the last position of a word, as a fold from left to right.

    Lines that look ahead are guessed. A state is a set of guesses: of all possible truths of the lines at the last
    letter that are consistent with the letters so far. At the last letter, next is false, and "f until g" is "f and g".
    On the empty string the answer is False, or None for a formula with labels. Raises BadInput for a formula with
    counts.
    """
    counting = [line.counted for line in formula.lines if line.op in COUNTING]
    if counting:
        do = "check compares the model with it on all strings up to a length, symcook compile --prove proves it"
        raise BadInput("a formula that is compared at every length must have no counts", counting[0], do)
    # A guess is a truth value for each line that looks ahead.
    ahead = [number for number, line in enumerate(formula.lines) if line.op in ("next", "until")]
    guesses = [dict(zip(ahead, bits, strict=True)) for bits in product((False, True), repeat=len(ahead))]

    def fits(before: LineTruths, now: LineTruths | None) -> bool:
        """Whether the guesses in `before` are right, given the truths `now` at the next position; None at the end."""
        for number in ahead:
            line = formula.lines[number]
            # `then`: for "next f" whether f, for "f until g" whether "f until g", is true at the next position
            then = now is not None and now[line.left if line.op == "next" else number]
            true = then if line.op == "next" else before[line.left] and (before[line.right] or then)
            if before[number] != true:
                return False
        return True

    def step(states: frozenset[LineTruths] | None, letter: str) -> frozenset[LineTruths]:
        """The next state; None is the state before the first letter."""
        if states is None:
            return frozenset(_next_truths(formula, guess, None, letter) for guess in guesses)
        # Each guess is checked one letter later: a state whose guess fails has no successor.
        successors = ((before, _next_truths(formula, guess, before, letter)) for before in states for guess in guesses)
        return frozenset(now for before, now in successors if fits(before, now))

    def answer(states: frozenset[LineTruths] | None) -> bool | str | None:
        """The answer if the word ends in this state."""
        if states is None:
            return None if formula.labels else False
        # At the end exactly one element has guessed right.
        (last,) = (state for state in states if fits(state, None))
        return _answer_at(formula, last)

    return Fold(None, step, answer)


def _next_truths(formula: Formula, guess: Mapping[int, bool], before: LineTruths | None, letter: str) -> LineTruths:
    """The truths of the lines at a letter, from those at the letter before it (None at the first). `guess` has the
    truths of the lines that look ahead."""
    now: list[bool] = []
    for number, line in enumerate(formula.lines):
        if number in guess:
            now.append(guess[number])
            continue
        f = line.left >= 0 and now[line.left]
        g = line.right >= 0 and now[line.right]
        # `last`: for "prev f" whether f, for "f since g" whether "f since g", was true at the letter before
        last = before is not None and before[line.left if line.op == "prev" else number]
        now.append(
            letter in line.letters if line.op == "letters"
            else not f if line.op == "not"
            else f and g if line.op == "and"
            else f or g if line.op == "or"
            else last if line.op == "prev"
            else f and (g or last)
        )  # fmt: skip
    return tuple(now)


def _answer_at(formula: Formula, now: LineTruths) -> bool | str | None:
    """The answer at a position where the lines have the truths `now`."""
    if not formula.labels:
        return now[formula.outputs[0][1]]
    return next(label for label, line in formula.outputs if now[line])
