"""A formula that counts as a fold whose code can be followed where counts are open: plain integers, tuples and text.

A state has the truths at the last letter of the lines that later letters need, a number for each line whose places to
the left are counted, and the remainders of the numbers of which no more is asked. What is asked of the last position
alone, as a count to the right there, is worked out by the answer.
"""

from __future__ import annotations

from typing import Any

from symcook.errors import BadInput
from symcook.programs.formula import COUNTING, Formula
from symcook.spec.fold import Fold


def counted(formula: Formula) -> Fold:
    """What a formula answers at the last position of a string, read once from the left to the right.

    Raises BadInput where it looks ahead from an earlier position, or has a TABLE.
    """
    lines = [
        (line.op, line.left, line.right, tuple(sorted(line.letters)),
         tuple((one.factor, one.side, one.line) for one in line.counts), line.bound, line.divisor)
        for line in formula.lines
    ]  # fmt: skip
    early = _early(formula)
    for number, line in enumerate(formula.lines):
        right = any(one.side == "right" for one in line.counts)
        if line.op in ("next", "until", "table") or (right and number in early) or (right and line.op != "at least"):
            must = "a formula that counts is decided where it looks back, with sums of counts and their remainders"
            raise BadInput(must, formula.text(number))
    lefts = sorted({one.line for line in formula.lines for one in line.counts if one.side == "left"})
    places = {line: place for place, line in enumerate(lefts)}
    rests = [number for number, line in enumerate(formula.lines) if line.op == "remainder"]
    rest_places = {number: place for place, number in enumerate(rests)}
    shown = [(label, line) for label, line in formula.outputs]

    def truths(number: int, known: dict[int, bool], totals: Any, over: Any, letter: str, before: Any) -> bool:
        op, left, right, letters, counts, bound, _ = lines[number]
        if op == "letters":
            return letter in letters
        if op == "not":
            return not known[left]
        if op == "and":
            return known[left] and known[right]
        if op == "or":
            return known[left] or known[right]
        if op == "prev":
            return before is not None and before[left]
        if op == "since":
            return known[left] and (known[right] or (before is not None and before[number]))
        if op == "remainder":
            return over[rest_places[number]] == bound
        total = 0
        for factor, side, line in counts:
            total = total + factor * (totals[places[line]] if side == "left" else int(known[line]))
        return bool(total >= bound)

    def step(state: Any, letter: str) -> Any:
        before, totals, over, _ = state
        known: dict[int, bool] = {}
        totals, over = list(totals), list(over)
        for number in range(len(lines)):
            if number not in early:
                continue
            op, _, _, _, counts, _, divisor = lines[number]
            if op == "remainder":
                more = int(known[counts[0][2]]) if counts else 1
                over[rest_places[number]] = (over[rest_places[number]] + more) % divisor
            known[number] = truths(number, known, totals, over, letter, before)
            if number in places and known[number]:
                totals[places[number]] = totals[places[number]] + 1
        return tuple([known.get(number, False) for number in range(len(lines))]), tuple(totals), tuple(over), letter

    def answer(state: Any) -> Any:
        before, totals, over, letter = state
        if before is None:
            return None
        known = {number: before[number] for number in early}
        for number in range(len(lines)):
            if number not in early:
                known[number] = truths(number, known, totals, over, letter, None)
        for label, line in shown:
            if label is None or known[line]:
                return known[line] if label is None else label
        return None

    return Fold((None, (0,) * len(lefts), (0,) * len(rests), ""), step, answer)


def _early(formula: Formula) -> dict[int, bool]:
    """The lines whose truth at a letter is needed later, or for a line that is: of prev, since, and what is counted."""
    early: dict[int, bool] = {}
    for number in range(len(formula.lines) - 1, -1, -1):
        line = formula.lines[number]
        if line.op in ("prev", "since") or line.op == "remainder":
            early |= dict.fromkeys((number, *line.reads), True)
        elif line.op in COUNTING:
            early |= dict.fromkeys((one.line for one in line.counts if one.side == "left"), True)
        if number in early:
            early |= dict.fromkeys(line.reads, True)
    return early
