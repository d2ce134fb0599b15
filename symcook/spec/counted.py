"""A formula with counts as a fold, written with plain integers, tuples and text, so that its code can also be executed
symbolically, with unknown counts.

The state has four parts: the truths of the lines at the last letter, False for those that later letters do not need;
for each line that is counted to the left in an inequality or a remainder, its count so far; for each remainder line,
the remainder; and the last letter. A line that matters only at the last position, such as a count to the right, is
evaluated by `answer`.
"""

from __future__ import annotations

from typing import Any

from symcook.errors import BadInput
from symcook.programs.formula import COUNTING, Formula
from symcook.spec.fold import Fold


def counted(formula: Formula) -> Fold:
    """The answer of a formula at the last position of a string, as a fold from left to right.

    Raises BadInput for a formula that looks ahead from an earlier position, or has a TABLE.
    """
    needed = _needed_later(formula)
    _check_looks_back(formula, needed)
    # The code of the fold is made of what `decide.allowed` lists: the lines become plain tuples, the steps closures.
    lines: tuple[tuple[Any, ...], ...] = tuple(
        (line.op, line.left, line.right, tuple(sorted(line.letters)), tuple(map(tuple, line.counts)), line.bound)
        for line in formula.lines
    )
    # By number of a line: the index of its total in the state, or of its remainder, and the divisor.
    counted_lines = sorted({count.line for line in formula.lines for count in line.counts if count.side == "left"})
    total_index = {line: index for index, line in enumerate(counted_lines)}
    divided = [number for number, line in enumerate(formula.lines) if line.op == "remainder"]
    remainder_index = {number: index for index, number in enumerate(divided)}
    divisors = {number: formula.lines[number].divisor for number in divided}
    # By number of a remainder line: the lines that it counts; without one it counts positions.
    added = {number: tuple(count.line for count in formula.lines[number].counts) for number in divided}
    outputs = tuple((label, line) for label, line in formula.outputs)

    def truth(number: int, true: tuple[bool, ...], totals: Any, remainders: Any, letter: str, before: Any) -> bool:
        """Whether the line `number` is true at a letter. `true` has the truths of the lines before it, `before` the
        truths of all lines at the letter before."""
        op, left_line, right_line, letters, counts, bound = lines[number]
        if op == "letters":
            return letter in letters
        if op == "not":
            return not true[left_line]
        if op == "and":
            return true[left_line] and true[right_line]
        if op == "or":
            return true[left_line] or true[right_line]
        if op == "prev":
            return before is not None and before[left_line]
        if op == "since":
            return true[left_line] and (true[right_line] or (before is not None and before[number]))
        # Counting: the remainder is in the state; otherwise a linear inequality of counts. A count to the right is
        # needed only at the last position, where it is the truth there.
        if op == "remainder":
            return remainders[remainder_index[number]] == bound
        total = 0
        for factor, side, line in counts:
            total = total + factor * (totals[total_index[line]] if side == "left" else int(true[line]))
        return bool(total >= bound)

    def step(state: Any, letter: str) -> Any:
        """The state after one more letter. The needed lines are evaluated in order; a line's remainder or total is
        updated with it."""
        before, totals, remainders, _ = state
        true: tuple[bool, ...] = ()
        for number in range(len(lines)):
            if number in divisors:
                amount = int(true[added[number][0]]) if added[number] else 1
                at, divisor = remainder_index[number], divisors[number]
                after = remainders[at] + amount  # at most the divisor; % takes constants only, see `decide.allowed`
                after = 0 if after == divisor else after
                remainders = tuple([after if k == at else r for k, r in enumerate(remainders)])
            now = number in needed and truth(number, true, totals, remainders, letter, before)
            if now and number in total_index:
                at = total_index[number]
                totals = tuple([total + 1 if k == at else total for k, total in enumerate(totals)])
            true = (*true, now)
        return true, totals, remainders, letter

    def answer(state: Any) -> Any:
        """The answer if the string ends in this state."""
        last, totals, remainders, letter = state
        if last is None:  # the empty string has no last position
            return None
        true: tuple[bool, ...] = ()
        for number in range(len(lines)):
            # Lines with prev and since are all in `needed`: the letter before is not needed.
            now = last[number] if number in needed else truth(number, true, totals, remainders, letter, None)
            true = (*true, now)
        for label, line in outputs:
            if label is None or true[line]:
                return true[line] if label is None else label
        return None

    return Fold((None, (0,) * len(counted_lines), (0,) * len(divided), ""), step, answer)


def _check_looks_back(formula: Formula, needed: tuple[int, ...]) -> None:
    """Raise BadInput for a TABLE, and for a line that depends on later letters, except an inequality with a count to
    the right that is needed at the last position only."""
    for number, line in enumerate(formula.lines):
        ahead = line.op in ("next", "until") or any(count.side == "right" for count in line.counts)
        at_the_end = line.op == "at least" and number not in needed
        if line.op == "table" or (ahead and not at_the_end):
            must = "in a formula with counts, each part must look back only, and compare counts or their remainders"
            raise BadInput(must, formula.text(number), "compare all strings up to a length: symcook check")


def _needed_later(formula: Formula) -> tuple[int, ...]:
    """The numbers of the lines whose truth at a letter is needed at later letters, in order: lines with prev and since,
    remainders, lines that are counted to the left, and the lines that these read."""
    needed = set[int]()
    for number in range(len(formula.lines) - 1, -1, -1):
        line = formula.lines[number]
        if line.op in ("prev", "since", "remainder"):
            needed |= {number, *line.reads}
        elif line.op in COUNTING:
            needed |= {count.line for count in line.counts if count.side == "left"}
        if number in needed:
            needed |= {*line.reads}
    return tuple(sorted(needed))
