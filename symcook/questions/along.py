"""How far one weight may move before some string of a length gets another answer, for all strings at once.

The numbers are those of `symcook.questions.lines`: on a piece they are linear in the weight. A piece ends at the first
place at which an activation or an answer may change. On the piece each class of strings has one answer; a class for
which this is not known is split (`_split_verdicts`). `Along.reach` goes from piece to piece until the answer to some
string changes.

A "world" is one of the two forms of the numbers: BASE, at the model's own weight, or PIECE, on the piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from flint import fmpq

from symcook.domains.cells import Array
from symcook.errors import BadInput, NotExact
from symcook.model.transformer import Transformer
from symcook.numbers.balls import ratio_of
from symcook.questions.lines import BASE, MUST, PIECE, Line, LineEntries, LineNumbers, either, least
from symcook.questions.moving import OneSymbol
from symcook.questions.reach import Reach, exactly
from symcook.words import Word
from symcook.words.exact import ZERO, Passes, Prefixes, PrefixLevel, by_length, mergeable

if TYPE_CHECKING:
    from symcook.words.inputs import Strings

PIECES = 200
"""The maximum number of passes over pieces for one length; a piece that is tried again with an earlier end counts
again."""
ROUNDS = 12
"""The maximum number of rounds for open classes. A round runs their parts, and cuts each part that is still open in
two for the next round."""


class Seen(NamedTuple):
    """The result of one pass for a length."""

    end: fmpq | None
    """The t at which the piece ends; None if it has no end."""
    wrong: Word | None
    """The smallest string whose answer on the piece differs from its answer at the model's own weight; None if there is
    none."""
    near: Word | None = None
    """A string of the class whose answer may change at the end of the piece. None if the piece has no end, or if
    something else than a number that the readout compares ends it: an activation, a part of a split class, or the limit
    that the caller gave."""


NO, YES, OPEN = 0, 1, 2
"""The verdicts on a class: all its strings are rejected, all are accepted, or it is not known."""


def _verdicts(model: Transformer, columns: Sequence[LineEntries], world: int) -> Array:
    """The verdict on each class (a pair of entries, its low and its high line) in one world. `columns` are the numbers
    that the readout compares with zero."""
    numbers = [column.start if world == BASE else column.inside for column in columns]
    open_bits = either([column.open for column in columns])
    # The sign of a logit: open if it differs on the two lines of the class.
    if model.readout.signed:
        low, high = numbers[0][::2] > 0, numbers[0][1::2] > 0
        verdicts = np.where(low & high, YES, np.where(low | high, OPEN, NO))
    else:
        # A zero test: rejected if some coordinate has one sign on both lines, accepted if all are zero on both.
        verdicts, rejected = np.full(len(numbers[0]) // 2, YES), np.zeros(len(numbers[0]) // 2, dtype=bool)
        for column in numbers:
            low, high = column[::2], column[1::2]
            rejected |= ((low > 0) & (high > 0)) | ((low < 0) & (high < 0))
            verdicts[~((low == 0) & (high == 0))] = OPEN
        verdicts = np.where(rejected, NO, verdicts)
    return verdicts if open_bits is None else np.where(open_bits[::2] & world, OPEN, verdicts)


def _level_result(model: Transformer, line: Line, level: PrefixLevel, accepted: Array | None) -> Seen:
    """The result for the strings of one `level`, or for those whose entries are `accepted`: where the piece ends, and
    the smallest string whose answer on the piece differs from its answer at the model's own weight."""
    watched: Any = level.result.watched.values()
    columns: list[LineEntries] = list(watched)
    domain: Any = level.result.domain
    counted = np.ones(len(level.origin) // 2, dtype=bool) if accepted is None else accepted[::2]
    turns = [column.turns for column in columns]
    end, turning_entry = least(line.end, domain.numbers.end), None
    # The piece ends at the latest where the first of the compared numbers becomes zero.
    for entry, turn in sorted((entry, turn) for turns_of in turns for entry, turn in turns_of.items()):
        if end is None or turn < end:
            end, turning_entry = turn, entry
    verdicts = []
    # The verdicts in both worlds; an open class is split.
    for world in (BASE, PIECE):
        verdicts_there = _verdicts(model, columns, world)
        unknown = [int(k) for k in np.flatnonzero((verdicts_there == OPEN) & counted)]
        if unknown:
            again, earlier = _split_verdicts(model, level, unknown, world)
            verdicts_there[unknown], end = again, least(end, earlier)
            if earlier is not None:
                turning_entry = None
        verdicts.append(verdicts_there)
    wrong = np.flatnonzero((verdicts[0] != verdicts[1]) & counted)
    smallest = level.smallest(2 * int(wrong[0])) if len(wrong) else None
    return Seen(end, smallest, None if turning_entry is None else level.word(turning_entry))


def _split_verdicts(
    model: Transformer, level: PrefixLevel, pairs: Sequence[int], world: int
) -> tuple[list[int], fmpq | None]:
    """The verdicts on the open classes `pairs`, and the t at which the piece ends because a number in one of their
    parts becomes zero (None: it does not end there, or the world is BASE). NotExact if a class gets no single verdict.

    If a class is open because the input of an activation has opposite signs on its two lines, it is split at the line
    on which this input is zero, until each part has a verdict. A part is not split if only the number that the readout
    compares differs in sign on the two lines: then there is no verdict."""
    # Only the open classes, with the numbers of one world: `which` are their last tokens, `sums` their running sums.
    entries = [2 * pair + k for pair in pairs for k in (0, 1)]
    origin, which = level.origin[entries], level.which[entries]
    kept_sums = _running_sums(level)
    sums = [[_one_world(total.take(origin), world) if total else None for total in head] for head in kept_sums]
    owner, verdict_sets, end = list(range(len(pairs))), [set[int]() for _ in pairs], None
    # Each round runs the parts that are still open. `owner` has the class that each part belongs to; a decided part
    # adds its verdict to the set of its owner.
    for _ in range(ROUNDS):
        result = level.states.run(level.tokens, which, tuple(map(tuple, sums)))
        columns, domain = list[Any](result.watched.values()), result.domain
        numbers: LineNumbers = domain.numbers  # type: ignore[attr-defined]
        open_bits = either([column.open for column in columns])
        open_pairs = [] if open_bits is None else [int(k) for k in np.flatnonzero(open_bits[::2] & world)]
        for k, verdict in enumerate(_verdicts(model, columns, world)):
            if k not in open_pairs:
                verdict_sets[owner[k]].add(int(verdict))
        if world == PIECE:
            end = least(end, numbers.end, *(turn for column in columns for turn in column.turns.values()))
        if not open_pairs:
            break
        # An open part (low, high) becomes (low, cut) and (cut, high): on the line `cut`, the input of the activation
        # that left it open is zero.
        lines = [_cut(numbers, sums, k, world) for k in open_pairs]
        chosen = [entry for k in open_pairs for entry in (2 * k, 2 * k + 1, 2 * k, 2 * k + 1)]
        which, owner = which[chosen], [owner[k] for k in open_pairs for _ in (0, 1)]
        sums = [[summed.take(chosen) if summed else None for summed in head] for head in sums]
        for k, (h, place, at, slope) in enumerate(lines):
            split_sum: Any = sums[h][place]
            if split_sum.slope is None:
                sums[h][place] = split_sum = replace(split_sum, slope=np.full(len(chosen), ZERO))
            # Of the four entries of the two halves, the inner two lie on the cut.
            for entry in (4 * k + 1, 4 * k + 2):
                split_sum.at[entry], split_sum.slope[entry] = at, slope
    else:
        raise NotExact(f"a group of prefixes is split into at most {ROUNDS} parts", "more parts")
    # The parts of a class disagree, or the two lines of a part do, so that the class has no single verdict.
    if any(len(verdict_set) != 1 or OPEN in verdict_set for verdict_set in verdict_sets):
        raise NotExact(
            "to test prefixes in groups, all prefixes of a group must have the same answer",
            "a group with an undecided answer",
        )
    return [verdict_set.pop() for verdict_set in verdict_sets], end


def _running_sums(level: PrefixLevel) -> Sequence[Sequence[Any]]:
    """The running sums of a level, by head. A level without sums has one head with the sum None."""
    return level.states.sums or [[None]]


def _one_world(total: LineEntries, world: int) -> LineEntries:
    """A copy of a running sum in which both forms are those of one world."""
    at = total.start if world == BASE else total.at
    slope = None if world == BASE else total.slope
    return replace(total, start=at, at=at.copy(), slope=None if slope is None else slope.copy())


def _cut(numbers: LineNumbers, sums: Sequence[Sequence[Any]], pair: int, world: int) -> tuple[int, int, fmpq, fmpq]:
    """Where to split the class `pair`: the head and the index of a running sum, and the value and slope of this sum for
    which the first open activation input is zero. NotExact if that input is not an affine function of one sum."""
    opened = next(turned for turned in numbers.turned if turned.open is not None and turned.open[2 * pair] & world)
    low, high = (_line_of(opened, entry, world) for entry in (2 * pair, 2 * pair + 1))
    # Look for a running sum with input = factor*sum + constant on the two lines, for the values and for the slopes. In
    # either world the sums are read as on a piece: `_one_world` has put the values of that world into `at` and `slope`.
    for h, head in enumerate(sums):
        for place, summed in enumerate(head):
            if summed is None or _line_of(summed, 2 * pair, PIECE) == _line_of(summed, 2 * pair + 1, PIECE):
                continue
            least_sum, greatest_sum = (_line_of(summed, entry, PIECE) for entry in (2 * pair, 2 * pair + 1))
            sum_spread = [b - a for a, b in zip(least_sum, greatest_sum, strict=True)]
            input_spread = [b - a for a, b in zip(low, high, strict=True)]
            factor = input_spread[0] / sum_spread[0] if sum_spread[0] != 0 else input_spread[1] / sum_spread[1]
            if factor != 0 and [factor * spread for spread in sum_spread] == input_spread:
                return h, place, least_sum[0] - low[0] / factor, least_sum[1] - low[1] / factor
    raise NotExact(
        "to test prefixes in groups, one running sum must tell the groups apart",
        "an activation that is not a multiple of such a sum",
    )


def _line_of(column: LineEntries, entry: int, world: int) -> tuple[fmpq, fmpq]:
    """The value and the slope of one entry in a world."""
    if world == BASE:
        return column.start[entry], ZERO
    return column.at[entry], ZERO if column.slope is None else column.slope[entry]


class Along:
    """How far the symbol `name` of a model may move to one `side` of `start`, by length.

    Lengths are asked about in rising order. They share the passes: a pass over a piece continues from the length that
    it has reached."""

    says = LineNumbers.says

    def __init__(self, model: Transformer, name: str, start: Fraction, side: int, asked: Strings) -> None:
        """`asked` are the strings that the question is about. NotExact if prefixes of the model cannot be grouped, or
        if it does not accept or reject."""
        if not (mergeable(model) and model.decides):
            raise NotExact("to test prefixes in groups, every head must average earlier positions", model.name)
        self.model, self.name, self.side = model, name, side
        self.start = fmpq(start.numerator, start.denominator)
        self.asked, self.reader = asked, asked.reader
        self.passes = Passes(asked.lengths, self._levels)

    def reach(self, n: int) -> tuple[Reach, Word | None]:
        """How far every string of `n` symbols keeps its answer, and the smallest string whose answer changes there
        (None if no answer changes). NotExact if the classes do not decide it, or after `PIECES` passes."""
        # The answers are the same up to `at`, where the next piece begins. `end_bound` is the distance by which that
        # piece must end (None: no limit).
        at, end_bound = ZERO, None
        for _ in range(PIECES):
            piece = self.passes.shown((at, end_bound, True), n)
            # Wrong right after `at`, although right at it.
            if piece.wrong is not None:
                return Reach(ratio_of(at), ratio_of(at), True), piece.wrong
            # The piece has no end.
            if piece.end is None:
                return Reach(ratio_of(at), None), None
            nearer = None if piece.near is None else self.change(piece.near)
            # On a shorter piece the two lines of a class enclose its strings more tightly. So if the answer to the
            # string `near` changes after `at`, try again with a piece that ends there at the latest.
            if nearer is not None and nearer > at and (end_bound is None or nearer < end_bound):
                end_bound = nearer
                continue
            at = at + piece.end
            # The answers at the end of the piece itself.
            alone = self.passes.shown((at, None, False), n)
            if alone.wrong is not None:
                return Reach(ratio_of(at), ratio_of(at), False), alone.wrong
            end_bound = None if end_bound is None or end_bound <= at else end_bound
        raise NotExact(f"at most {PIECES} pieces are looked at", f"more at length {n}")

    def change(self, word: Word) -> fmpq | None:
        """The distance from `start` at which the answer to one string changes; None if it never does, or not at a
        rational place."""
        along = OneSymbol(self.model, word, self.name, self.start, self.side)
        reach = exactly(along.probe, along.point, along.point(Fraction(0)), None).first
        return fmpq(reach.numerator, reach.denominator) if isinstance(reach, Fraction) else None

    def _levels(self, piece: tuple[fmpq, fmpq | None, bool], lengths: Sequence[int]) -> Iterator[tuple[int, Seen]]:
        """For each length, the result of the pass over one `piece` (at, last, moves). The piece begins at the distance
        `at` from the start and ends by `last` (None: no limit). If `moves` is false, it is the place `at` alone."""
        at, last, moves = piece
        line = Line("", ZERO, ZERO, 0)

        def begin(length: int | None) -> Prefixes:
            """The empty prefixes of a pass; sets `line` to the line of this pass."""
            nonlocal line
            line = Line(self.name, self.start, self.start + self.side * at, self.side if moves else 0,
                        None if last is None else last - at)  # fmt: skip
            numbers: Any = LineNumbers(line)
            return Prefixes(self.model, numbers, length, self.reader)

        try:
            for level in by_length(self.model, lengths, begin):
                all_count = level.labels is None or self.reader is None
                accepted = None if all_count else self.reader.accepting[level.labels]  # type: ignore[union-attr]
                yield level.n, _level_result(self.model, line, level, accepted)
        except BadInput as error:
            raise NotExact(MUST, error.given) from None
