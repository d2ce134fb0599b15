"""The decision margin of a model: for each length, how near a decision comes to its threshold, and for which string.

A logit of 0.001 decides like one of 10, but a small rounding error changes it. Strings are grouped where the model
cannot tell them apart, by running sums (`_of_level`) or by one string for each class (`_of_batch`, `_of_words`).
Distances are exact where they are rational, else balls; where only a line between two known strings is known, a lower
bound is kept as well (`_between`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

from flint import arb, ctx, fmpq

from symcook.domains.ball import BallDomain, BallValue
from symcook.door import Progress, check_digits, door
from symcook.errors import NotExact, Undecided
from symcook.forward import Result, forward
from symcook.locks import PRECISION
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.numbers.balls import ball, bits_for, hull, ladder, ratio_of, settled
from symcook.numbers.expsum import ExpSum
from symcook.questions.answer import Answer, AnswerCell, keeping, lengths
from symcook.words import Cover
from symcook.words.exact import PrefixLevel, mergeable, merged, moved
from symcook.words.inputs import Language, strings

if TYPE_CHECKING:
    from symcook.domains.cells import Array
    from symcook.words import Word

LIMIT_BITS = 2**13
SPARE = 20
"""Bits beyond the asked digits to which a row is rounded."""
FEW = 16
"""Fewer strings than this are run one by one."""
WHAT = {
    "sign": "|logit|, the distance of the logit from its threshold 0",
    "zero": "the largest |coordinate| tested for zero; strings with margin 0 are left out",
    "largest": "the difference between the two largest scores",
}
"""By readout, what the margin is."""
SIDES = {"accepted": True, "rejected": False}
"""The least distance among the words of one side alone."""


@door()
def margin(
    model: Transformer,
    max_length: int,
    *,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    values: Mapping[str, Exact] | None = None,
    digits: int = 10,
    progress: Progress | None = None,
) -> Answer:
    """Decision margin, by length.

    The smallest distance of a decision from its threshold over all strings of each length, and a string that has it. It
    is exact where it is rational, else a rigorous interval. Strings with the same answer are one class: for dyck-1 or
    parity a length of 100 is possible. For a model that distinguishes all strings there are too many classes from some
    length on.

    For example: symcook margin parity --max-length 20 --plot margin

    digits D: Relative digits of what is not rational.

    A sign readout: |logit|. A zero test: the greatest |coordinate| that is tested, over the words in which it is not 0;
    what passes the test lies on it. Largest: the difference of the two greatest scores. With a readout at each position
    the least of them, accepted or rejected as the position is; at all, what decides (the least where all accept, else
    the greatest of those that do not).

    Where the model allows, words are merged (`symcook.words.exact`), or one word stands for all with the same answer
    (`symcook.words.cells`). The values are exact where they are rational, else
    balls of the asked relative digits. A row whose least value is known to lie between two numbers only has both, in a
    ball, and says so in the notes.

    Raises BadInput for a model that does not decide about words or has too many classes of them; Undecided where a
    value stays open. Source: the margin is that of Section 3.4 of chiang2022, whose cross-entropy falls with it.
    """
    digits = check_digits(digits)
    asked = strings(model, lengths(model, max_length), inputs, sample, seed, positions)
    bound = asked.counted(model.bind(values))
    two = bound.readout.signed
    least_by_length: dict[int, _Least] = {}
    method = ""

    def answered() -> Answer:
        """The answer for the lengths so far."""
        notes = {"margin": WHAT["sign" if two else "zero" if bound.decides else "largest"], "method": method}
        notes |= _interval_notes(least_by_length, two)
        with PRECISION, ctx.workprec(digits * 10 // 3 + SPARE):  # 10/3 bits a digit
            rows = tuple(_row(bound, n, least, digits) for n, least in least_by_length.items())
        return Answer(
            "margin", bound.name, {"max_length": max_length, **_texts(model, values)},
            ("n", "margin", "word", *(SIDES if two else ())), rows, notes,
            tuple(SIDES) if two else ("margin",), "margin", f"Smallest margin of {bound.name}",
            logarithmic=True, inputs=asked,
        )  # fmt: skip

    with keeping(least_by_length, answered):
        # Prefixes with the same running sums are one class: the lengths share one pass, and long strings are possible.
        if mergeable(bound) and bound.decides:
            try:
                reader = asked.reader
                for level in merged(bound, asked.lengths, reader):
                    accepted = None if level.labels is None or reader is None else reader.accepting[level.labels]
                    least_by_length[level.n], method = _of_level(bound, level, accepted), level.says
                    if progress is not None:
                        progress(level.n, asked.lengths[-1])
            except NotExact:
                # The classes cannot give an exact margin at some length: all lengths are done again by strings.
                least_by_length.clear()
        # By strings, or one for each class of strings; an exact batch first, rigorous intervals where it has no values.
        for n in asked.lengths if not least_by_length else ():
            words = asked.cover(n, bound)
            least_by_length[n], method = _of_batch(bound, words, digits) or _of_words(bound, words, digits), words.says
            if progress is not None:
                progress(n, asked.lengths[-1])
    return answered()


def _interval_notes(least_by_length: Mapping[int, _Least], two_sides: bool) -> dict[str, str]:
    """Notes on the lengths whose least distance, or that of one side alone, is known as an interval only."""
    notes = {}
    enclosed = [n for n, least in least_by_length.items() if not least.exact]
    if enclosed:
        notes["enclosed"] = f"at {_spans(enclosed)} the smallest value is not known exactly: it lies in the interval"
    one_side = []
    for n, least in least_by_length.items():
        if two_sides and least.exact and not all(map(least.known, SIDES.values())):
            one_side.append(n)
    if one_side:
        at = _spans(one_side)
        notes["sides"] = f"at {at} that of one side is not known exactly: it lies in the interval, if any string does"
    return notes


def _texts(model: Transformer, values: Mapping[str, Exact] | None) -> dict[str, str]:
    """The values that were given, as text."""
    from symcook.model.symbols import from_sympy

    return {name: from_sympy(value) for name, value in model.values(values).items()}


def _spans(numbers: Sequence[int]) -> str:
    return f"n = {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} lengths from n = {numbers[0]}"


def _row(model: Transformer, n: int, least: _Least, digits: int) -> Mapping[str, AnswerCell]:
    """The cells of one length; only "n" is filled where no string has a margin. A value that is not exact has its
    interval."""
    row: dict[str, AnswerCell] = {"n": n, "margin": None, "word": None}
    if least.nearest is None:
        return row
    upper = _smallest(list(least.sides.values()))
    row["margin"] = _cell(upper if least.exact else min(least.inside.values()), upper, digits)
    row["word"] = model.embedding.written(least.word)
    if least.exact and model.decides:
        for name, side in SIDES.items():
            upper_of_side = least.sides.get(side)
            lower = upper_of_side if least.known(side) else least.inside[side]
            row[name] = None if upper_of_side is None or lower is None else _cell(lower, upper_of_side, digits)
    return row


def _cell(low: BallValue, high: BallValue, digits: int) -> AnswerCell:
    """A number where both ends are the same rational one, else a ball around both."""
    if type(low) is fmpq and type(high) is fmpq and low == high:
        return ratio_of(low)
    return ball(hull(arb(low), arb(high), ctx.prec), digits, relative=True)


# --- One word for a class ---------------------------------------------------------------------------------------------


def distances(result: Result) -> list[tuple[bool | None, BallValue | None]]:
    """The decision of a run in balls and its distance from the threshold; with a readout at each position one pair for
    each. The decision is None for a readout by largest score; the distance is None where a zero test is passed."""
    readout, pairs = result.model.readout, list[tuple[bool | None, BallValue | None]]()
    for place in result.places:
        values = [column[place] for column in result.watched.values()]
        side = result.domain.verdict(result.verdicts, place) if readout.decides else None
        pairs.append((side, readout.distance(values, _largest, lambda x: arb(x).mid())))
    if readout.each or len(pairs) == 1:
        return pairs
    # The readout decides at all positions together: it accepts where every position does.
    if any(accept is None for accept, _ in pairs):
        raise Undecided("the answer at some position was undecided")
    refusing = [size for accept, size in pairs if not accept and size is not None]
    # Rejected: all rejecting positions must turn before the string is accepted, so the farthest one counts.
    if refusing:
        return [(False, _largest(refusing))]
    # Accepted: it is rejected as soon as one position turns, so the nearest one counts.
    sizes = [size for _, size in pairs if size is not None]
    return [(True, _smallest(sizes) if sizes else None)]


def _greater(a: BallValue, b: BallValue) -> BallValue:
    return max(a, b) if type(a) is fmpq and type(b) is fmpq else arb(a).max(arb(b))


def _largest(values: Sequence[BallValue]) -> BallValue:
    return reduce(_greater, values)


def _smallest(values: Sequence[BallValue]) -> BallValue:
    return reduce(lambda a, b: min(a, b) if type(a) is fmpq and type(b) is fmpq else arb(a).min(arb(b)), values)


class _Least:
    """The least distance so far, on each side (accepted, rejected) and over all, and the string that has it."""

    def __init__(self) -> None:
        self.sides: dict[bool | None, BallValue] = {}
        """By side, the least distance of a string that is known."""
        self.inside: dict[bool | None, BallValue] = {}
        """By side, a lower bound for the strings that are only known to lie between two known ones."""
        self.nearest: BallValue | None = None
        self.word: Any = None

    def take(self, side: bool | None, distance: BallValue | None, word: Word | int) -> None:
        """Note a distance of a string (None: a passed zero test, which has none)."""
        if distance is None:
            return
        if self.nearest is None or _middle(distance) < _middle(self.nearest):
            self.nearest, self.word = distance, word
        self.sides[side] = _smallest([self.sides[side], distance]) if side in self.sides else distance

    @property
    def value(self) -> BallValue | None:
        """The least distance of both sides together; None where no string has one."""
        return _smallest(list(self.sides.values())) if self.sides else None

    def known(self, side: bool | None) -> bool:
        """Whether the least distance of a side is that of a known string, not only a bound."""
        return side not in self.inside or (side in self.sides and not self.inside[side] < self.sides[side])

    @property
    def exact(self) -> bool:
        """Whether the least distance of all is that of a known string."""
        least = self.value
        return least is None or all(not low < least for low in self.inside.values())


def _of_words(model: Transformer, words: Cover, digits: int) -> _Least:
    """The least distances over all words of a length, to the digits."""
    first = bits_for(digits)
    reason: Undecided | None = None
    for bits in ladder(first, LIMIT_BITS):
        least, domain = _Least(), BallDomain(bits)
        try:
            with PRECISION, domain.context():
                for word, _ in words:  # (string, how many are in its class)
                    for side, size in distances(forward(model, model.tokens(word), domain)):
                        least.take(side, size, word)
        except Undecided as error:
            reason = error
            continue
        if all(isinstance(size, fmpq) or settled(size, digits, relative=True) for size in least.sides.values()):
            return least
    raise reason or Undecided(
        f"the margin at length {words.n} was undecided at {LIMIT_BITS} bits; ask for fewer digits."
    )


def _of_batch(model: Transformer, words: Cover, digits: int) -> _Least | None:
    """The same by one exact batch, with a ball for each value that occurs, far fewer than strings; None where a batch
    has no exact values, or where the readout is at every position."""
    from symcook.domains.batch import Batch, Listed
    from symcook.words.keyed import grouped

    domain, words_listed = Batch(), [word for word, _ in words]
    # One column per position would be needed, or the set-up costs more than it saves.
    if model.readout.everywhere or len(words_listed) < FEW:
        return None
    try:
        result = forward(model, Listed(tuple(map(model.embedding.surround, words_listed))), domain)
    except NotExact:
        return None
    cells = [column[model.readout.place] for column in result.watched.values()]
    # Strings with equal values in all columns that the readout compares share one row; `places` has one string of each.
    codes = [domain.full(cell.numerators if cell.codes is None else cell.codes) for cell in cells]
    places = grouped(codes, len(words_listed))[1]
    rows = [[domain.full(cell.numerators)[place] * Fraction(1, cell.denominator) for cell in cells] for place in places]
    # Values of a layer norm, say, have no exact form in a batch.
    if not all(isinstance(value, (Fraction, ExpSum)) for row in rows for value in row):
        return None
    # Only exponential sums need balls; they are evaluated again at more bits until the digits are settled.
    for bits in ladder(bits_for(digits), LIMIT_BITS):
        least = _Least()
        with PRECISION, BallDomain(bits).context():
            for place, row in zip(places, rows, strict=True):
                values = [fmpq(x.numerator, x.denominator) if isinstance(x, Fraction) else x.ball() for x in row]
                distance = model.readout.distance(values, _largest, lambda x: arb(x).mid())
                side = (row[0] > 0 if model.readout.signed else distance is None) if model.readout.decides else None
                least.take(side, distance, words_listed[place])
        if all(
            isinstance(distance, fmpq) or settled(distance, digits, relative=True) for distance in least.sides.values()
        ):
            return least
    return None


def _middle(x: BallValue) -> BallValue:
    return fmpq_of(x) if isinstance(x, arb) else x


def fmpq_of(x: arb) -> fmpq:
    """The middle of a ball."""
    mantissa, exponent = x.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


# --- Merged prefixes --------------------------------------------------------------------------------------------------


def _of_level(model: Transformer, level: PrefixLevel, accepted: Array | None) -> _Least:
    """The least distances of the strings of a level: of all, or of those whose entries are `accepted`. Entries 2k and
    2k + 1 are the two strings of class k with the least and the greatest running sum.

    Raises NotExact where some string may fail a zero test, but none is known to."""
    least, distances = _Least(), _sizes(model, _watched(level.result))
    for entry, (side, distance) in enumerate(distances):
        if accepted is None or accepted[entry]:
            least.take(side, distance, entry)
    # The other strings of a class lie on the line between its two entries.
    domain: Any = level.result.domain
    turning, watched, least_value = domain.numbers.turns, _watched(level.result), cast(Any, least.value)
    rows = list(zip(*turning, *watched, strict=True))
    for low in range(0, len(rows), 2):
        if rows[low] == rows[low + 1] or not (accepted is None or accepted[low]):
            continue
        ends = list(zip(rows[low], rows[low + 1], strict=True))
        activations, compared = ends[: len(turning)], ends[len(turning) :]
        on_threshold = not all((distances[low][1], distances[low + 1][1]))
        bent = any(map(_crosses_zero, activations))
        if domain.numbers.jumps:  # a step also jumps where an input leaves zero
            bent = bent or any(a != b and not a * b for a, b in activations)
        passes = any(_crosses_zero(pair) or (on_threshold and pair[0] != pair[1]) for pair in compared)
        # Else all is linear in between, and some coordinate is nowhere nearer to zero than at the nearer of its ends.
        if bent or passes or not (on_threshold or max(min(abs(a), abs(b)) for a, b in compared) >= least_value):
            _between(model, level, low, least)
    if least.nearest is not None:
        least.word = level.word(least.word)
    elif least.inside:
        raise NotExact("prefixes are grouped where one that is kept fails the zero test", "others that may")
    return least


def _crosses_zero(ends: tuple[Any, Any]) -> bool:
    """Whether two numbers have opposite signs."""
    return ends[0] < 0 < ends[1] or ends[1] < 0 < ends[0]


def _line_ends(at_third: Any, at_two_thirds: Any) -> tuple[Any, Any]:
    """The values at 0 and 1 of the straight line through those at 1/3 and 2/3."""
    return 2 * at_third - at_two_thirds, 2 * at_two_thirds - at_third


def _sizes(model: Transformer, watched: Sequence[Sequence[fmpq]]) -> list[tuple[bool, fmpq | None]]:
    """The side of each entry and its distance; None where a zero test is passed."""
    readout, distances_by_entry = model.readout, []
    for row in zip(*watched, strict=True):
        distance = readout.distance(row, max)
        distances_by_entry.append((row[0] > 0 if readout.signed else distance is None, distance))
    return distances_by_entry


def _between(model: Transformer, level: PrefixLevel, low: int, least: _Least) -> None:
    """Notes in `least` a lower bound of the distances between entry `low` and the next one, the ends of a segment.

    The segment is cut where something turns. Inside a piece everything is linear, but a step may jump at its ends. So
    the ends are run themselves, and the inside is extrapolated from its thirds."""
    # Parts of the segment from the first entry (0) to the second one (1) that have not been looked at.
    todo = [(fmpq(0), fmpq(1))]
    while todo:
        start, end = todo.pop()
        third = (end - start) / 3
        result = moved(level, low, [start, start + third, end - third, end])
        # A value that has opposite signs at the ends of the part turns inside it: both sides of its zero are done
        # again.
        for _, at_third, at_two_thirds, _ in _turning(result):
            at_start, at_end = _line_ends(at_third, at_two_thirds)
            if _crosses_zero((at_start, at_end)):
                middle = start + (end - start) * at_start / (at_start - at_end)
                todo += [(start, middle), (middle, end)]
                break
        else:
            # Nothing turns: all is linear inside, and the least distance there is at one of its extrapolated ends. The
            # ends themselves may lie beyond a jump.
            columns = []
            for at_start, at_third, at_two_thirds, at_end in _watched(result):
                columns.append((at_start, *_line_ends(at_third, at_two_thirds), at_end))
            first, *inside, last = _sizes(model, columns)
            least_inside = min(distance or fmpq(0) for _, distance in inside)
            for side, distance in (first, *((side, size and least_inside) for side, size in inside), last):
                if distance is not None:
                    least.inside[side] = min(distance, least.inside.get(side, distance))


def _watched(result: Result) -> list[Any]:
    """The columns that the readout compares with 0."""
    return [column.values for column in result.watched.values()]


def _turning(result: Result) -> list[Any]:
    """The columns whose zeros break a line: the inputs of activations, what the readout compares with 0, and the
    differences of two absolute values of these (where the largest coordinate becomes another one)."""
    domain: Any = result.domain
    watched = _watched(result)
    return [*domain.numbers.turns, *watched, *(abs(a) - abs(b) for a, b in combinations(watched, 2))]
