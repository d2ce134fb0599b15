"""How far one weight may move before some string of a length gets another answer, by all strings at once.

The numbers are those of `symcook.questions.lines`. A piece ends at the first place at which something turns, an
activation or the answer; up to there every string of a class has the same answer, or the class is left open.
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
"""So many pieces of one length are looked at."""
ROUNDS = 12
"""So many times a class is parted."""


class Seen(NamedTuple):
    """What one pass says of a length: where something turns the piece ends (None: nowhere), and the smallest string
    whose answer in it is another one than at the weight as it stands (None where there is none). `near` is a string of
    the class whose answer may turn there, None where it is something else that turns."""

    end: fmpq | None
    wrong: Word | None
    near: Word | None = None


NO, YES, OPEN = 0, 1, 2


def _verdicts(model: Transformer, columns: Sequence[LineEntries], world: int) -> Array:
    """For each pair of entries whether all between them are accepted (YES), none is (NO), or neither is known."""
    numbers = [column.start if world == BASE else column.inside for column in columns]
    open_ = either([column.open for column in columns])
    if model.readout.signed:
        low, high = numbers[0][::2] > 0, numbers[0][1::2] > 0
        verdicts_found = np.where(low & high, YES, np.where(low | high, OPEN, NO))
    else:
        verdicts_found, refused = np.full(len(numbers[0]) // 2, YES), np.zeros(len(numbers[0]) // 2, dtype=bool)
        for column in numbers:
            low, high = column[::2], column[1::2]
            refused |= ((low > 0) & (high > 0)) | ((low < 0) & (high < 0))
            verdicts_found[~((low == 0) & (high == 0))] = OPEN
        verdicts_found = np.where(refused, NO, verdicts_found)
    return verdicts_found if open_ is None else np.where(open_[::2] & world, OPEN, verdicts_found)


def _seen(model: Transformer, line: Line, level: PrefixLevel, accepted: Array | None) -> Seen:
    watched: Any = level.result.watched.values()
    columns: list[LineEntries] = list(watched)
    domain: Any = level.result.domain
    asked = np.ones(len(level.origin) // 2, dtype=bool) if accepted is None else accepted[::2]
    turns = [column.turns for column in columns]
    end, near = least(line.end, domain.numbers.end), None
    for entry, turn in sorted((entry, turn) for turns_of in turns for entry, turn in turns_of.items()):
        if end is None or turn < end:
            end, near = turn, entry
    verdicts = []
    for world in (BASE, PIECE):
        verdicts_found = _verdicts(model, columns, world)
        unknown = [int(k) for k in np.flatnonzero((verdicts_found == OPEN) & asked)]
        if unknown:
            again, earlier = _in_parts(model, level, unknown, world)
            verdicts_found[unknown], end, near = again, least(end, earlier), None if earlier is not None else near
        verdicts.append(verdicts_found)
    wrong = np.flatnonzero((verdicts[0] != verdicts[1]) & asked)
    smallest = level.smallest(2 * int(wrong[0])) if len(wrong) else None
    return Seen(end, smallest, None if near is None else level.word(near))


def _in_parts(
    model: Transformer, level: PrefixLevel, pairs: Sequence[int], world: int
) -> tuple[list[int], fmpq | None]:
    """The verdicts on classes whose answer an activation leaves open, one number of which changes its sign between the
    two lines: these are parted by the line on which it is zero. And where the piece ends by what turns then."""
    entries = [2 * pair + k for pair in pairs for k in (0, 1)]
    origin, which = level.origin[entries], level.which[entries]
    sums_held = [[_alone(summed.take(origin), world) if summed else None for summed in head] for head in _held(level)]
    owner, verdict_sets, end = list(range(len(pairs))), [set[int]() for _ in pairs], None
    for _ in range(ROUNDS):
        result = level.states.run(level.tokens, which, tuple(map(tuple, sums_held)))
        columns, domain = list[Any](result.watched.values()), result.domain
        numbers: LineNumbers = domain.numbers  # type: ignore[attr-defined]
        open_ = either([column.open for column in columns])
        loose = [] if open_ is None else [int(k) for k in np.flatnonzero(open_[::2] & world)]
        for k, verdict in enumerate(_verdicts(model, columns, world)):
            if k not in loose:
                verdict_sets[owner[k]].add(int(verdict))
        if world == PIECE:
            end = least(end, numbers.end, *(turn for column in columns for turn in column.turns.values()))
        if not loose:
            break
        lines = [_parting(numbers, sums_held, k, world) for k in loose]
        chosen = [entry for k in loose for entry in (2 * k, 2 * k + 1, 2 * k, 2 * k + 1)]
        which, owner = which[chosen], [owner[k] for k in loose for _ in (0, 1)]
        sums_held = [[summed.take(chosen) if summed else None for summed in head] for head in sums_held]
        for k, (h, place, at, slope) in enumerate(lines):
            split_sum: Any = sums_held[h][place]
            if split_sum.slope is None:
                sums_held[h][place] = split_sum = replace(split_sum, slope=np.full(len(chosen), ZERO))
            for entry in (4 * k + 1, 4 * k + 2):
                split_sum.at[entry], split_sum.slope[entry] = at, slope
    else:
        raise NotExact(f"at most {ROUNDS} parts of a class are looked at", "more")
    if any(len(verdict_set) != 1 or OPEN in verdict_set for verdict_set in verdict_sets):
        raise NotExact("prefixes are grouped where all of a class have one answer", "a class that is open")
    return [verdict_set.pop() for verdict_set in verdict_sets], end


def _held(level: PrefixLevel) -> Sequence[Sequence[Any]]:
    return level.states.sums or [[None]]


def _alone(one: LineEntries, world: int) -> LineEntries:
    """A running sum in the one world, which the other one has too."""
    at = one.start if world == BASE else one.at
    slope = None if world == BASE else one.slope
    return replace(one, start=at, at=at.copy(), slope=None if slope is None else slope.copy())


def _parting(numbers: LineNumbers, held: Sequence[Sequence[Any]], pair: int, world: int) -> tuple[int, int, fmpq, fmpq]:
    """The sum in which a class is not one number, by head and place, and the line on which what was open first is
    zero. NotExact where it is none."""
    x = next(turned for turned in numbers.turned if turned.open is not None and turned.open[2 * pair] & world)
    low, high = (_line(x, entry, world) for entry in (2 * pair, 2 * pair + 1))
    for h, head in enumerate(held):
        for place, summed in enumerate(head):
            if summed is None or _line(summed, 2 * pair, PIECE) == _line(summed, 2 * pair + 1, PIECE):
                continue
            least_, most = (_line(summed, entry, PIECE) for entry in (2 * pair, 2 * pair + 1))
            wide, apart = ([b - a for a, b in zip(*ends, strict=True)] for ends in ((least_, most), (low, high)))
            times = apart[0] / wide[0] if wide[0] != 0 else apart[1] / wide[1]
            if times != 0 and [times * w for w in wide] == apart:
                return h, place, least_[0] - low[0] / times, least_[1] - low[1] / times
    raise NotExact("classes are parted by a running sum", "an activation that is no multiple of one")


def _line(one: LineEntries, entry: int, world: int) -> tuple[fmpq, fmpq]:
    if world == BASE:
        return one.start[entry], ZERO
    return one.at[entry], ZERO if one.slope is None else one.slope[entry]


class Along:
    """How far the symbol `name` of a model may go to one `side` of `start`, for the lengths that are asked in turn.
    Passes are shared: one goes on from the last length that it was asked about. NotExact where prefixes of the model
    cannot be grouped."""

    says = LineNumbers.says

    def __init__(self, model: Transformer, name: str, start: Fraction, side: int, asked: Strings) -> None:
        if not (mergeable(model) and model.decides):
            raise NotExact("prefixes are grouped where heads average what stands before", model.name)
        self.model, self.name, self.side = model, name, side
        self.start = fmpq(start.numerator, start.denominator)
        self.asked, self.reader = asked, asked.reader
        self.passes = Passes(asked.lengths, self._levels)

    def reach(self, n: int) -> tuple[Reach, Word | None]:
        """How far the answer to every string of `n` symbols stays, and the smallest string that has another behind."""
        at, last = ZERO, None
        for _ in range(PIECES):
            piece = self.passes.shown((at, last, True), n)
            if piece.wrong is not None:
                return Reach(ratio_of(at), ratio_of(at), True), piece.wrong
            if piece.end is None:
                return Reach(ratio_of(at), None), None
            nearer = None if piece.near is None else self.change(piece.near)
            if nearer is not None and nearer > at and (last is None or nearer < last):
                last = nearer
                continue
            at = at + piece.end
            alone = self.passes.shown((at, None, False), n)
            if alone.wrong is not None:
                return Reach(ratio_of(at), ratio_of(at), False), alone.wrong
            last = None if last is None or last <= at else last
        raise NotExact(f"at most {PIECES} pieces are looked at", f"more at length {n}")

    def change(self, word: Word) -> fmpq | None:
        """Where the answer to one string changes; None where it never does, or not at a rational place."""
        along = OneSymbol(self.model, word, self.name, self.start, self.side)
        reach_found = exactly(along.probe, along.point, along.point(Fraction(0)), None).first
        return fmpq(reach_found.numerator, reach_found.denominator) if isinstance(reach_found, Fraction) else None

    def _levels(self, piece: tuple[fmpq, fmpq | None, bool], lengths: Sequence[int]) -> Iterator[tuple[int, Seen]]:
        """What holds so far from the start: behind it, as far as a `last` place (None: without an end), or there
        alone."""
        at, last, moves = piece
        line = Line("", ZERO, ZERO, 0)

        def begin(length: int | None) -> Prefixes:
            nonlocal line
            line = Line(self.name, self.start, self.start + self.side * at, self.side if moves else 0,
                        None if last is None else last - at)  # fmt: skip
            numbers: Any = LineNumbers(line)
            return Prefixes(self.model, numbers, length, self.reader)

        try:
            for level in by_length(self.model, lengths, begin):
                all_count = level.labels is None or self.reader is None
                accepted = None if all_count else self.reader.accepting[level.labels]  # type: ignore[union-attr]
                yield level.n, _seen(self.model, line, level, accepted)
        except BadInput as error:
            raise NotExact(MUST, error.given) from None
