"""The decision margin of a model: for each length, how near a decision comes to its threshold, and for which string.

A logit of 0.001 decides like a logit of 10, but a small rounding error changes it. Strings that the model cannot tell
apart are grouped: by running sums (`_of_level`), or by one string for each class (`_of_batch`, `_of_words`). Distances
are exact if they are rational, otherwise balls. For strings that are only known to lie between two others, there is a
lower bound of their distances (`_bound_between`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

from flint import arb, ctx, fmpq

from symcook.domains.ball import BallDomain, BallValue
from symcook.door import Progress, check_digits, door
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import Result, forward
from symcook.locks import PRECISION
from symcook.model.answers import brief
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.numbers.balls import ball, bits_for, hull, ladder, ratio_of, settled
from symcook.numbers.expsum import ExpSum
from symcook.questions.answer import Answer, AnswerCell, asked_strings, keeping, lengths
from symcook.questions.nearest import FROM, NearStrings, nearest_of
from symcook.words import Cover, Stand
from symcook.words.cells import MOST, Cells
from symcook.words.exact import PrefixLevel, mergeable, merged, moved
from symcook.words.inputs import Language, Strings, Within

if TYPE_CHECKING:
    from symcook.domains.cells import Array
    from symcook.words import Word

LIMIT_BITS = 2**13
"""The maximum precision of balls, in bits."""
SPARE = 20
"""The number of bits of a row beyond those for the digits asked for."""
FEW = 16
"""Fewer strings than this are run one by one."""
WHAT = {
    "sign": "|logit|, the distance of the logit from its threshold 0",
    "zero": "the largest |coordinate| tested for zero; strings with margin 0 are left out",
    "largest": "the difference between the two largest scores",
    "groups": "the difference between the two largest scores of a group of labels, the smallest of all groups",
}
"""By kind of readout: the margin of a string, for the notes of an answer."""
SIDES = {"accepted": True, "rejected": False}
"""By column for the strings of one side alone: the decision."""


@door()
def margin(
    model: Transformer,
    max_length: int | None = None,
    *,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    values: Mapping[str, Exact] | None = None,
    digits: int = 10,
    progress: Progress | None = None,
) -> Answer:
    """The decision margin of the model at each length: the smallest distance of a decision from its threshold.

    The margin of a string depends on the readout. "sign": |logit|. "zero": the largest |coordinate| that is tested;
    a string that passes the test has all of them on the threshold, and no margin. "largest": the difference of the
    two largest scores; "groups": the smallest such difference of a group of labels. For a readout at each position
    it is the smallest margin of a position, accepted or rejected as that position is. For a readout at all positions
    together it is the smallest margin if all positions accept, else the largest margin of a rejecting position.

    If the model allows it, strings are grouped (`symcook.words.exact`), or one string stands for all with the same
    answer (`symcook.words.cells`). If the smallest value is only known to lie between two numbers, the row has a
    rigorous interval (`Ball`) that contains both, and a note states this. For a dense model, such as a trained one,
    strings are first run in certified floats, and more than 4,096 of a length are grouped by prefixes (hulls). The note
    "hulls stop" names the first length and the block at which they leave more strings than can be run.

    Arguments:
        max_length: int or None (None). The maximum length in input symbols; by default that of the longest of
            finitely many inputs.
        inputs: a list of strings, a regular expression, a file or an automaton (None). The strings to test;
            all by default.
        sample: int or None (None). The number of strings that are drawn at random from `inputs`.
        seed: int (0). The seed of the draw.
        positions: "last", "all" or "after:SYMBOL" (None). The answers that count, for a readout at each position;
            all by default.
        values: {parameter: exact value} (None). A parameter without a value has its default.
        digits: int (10). Significant digits of values that are not rational.
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: Answer with a row for each length: "n", "margin" (a Fraction or a `Ball`), "word" (a string with this
    margin), "accepted" and "rejected" (the smallest margins of accepted and rejected strings: None where no such string
    is known; left out where the margin of all strings is not exact).

    Raises: BadInput: a model that does not decide about strings, or too many classes of strings. Undecided: a value
    is still unknown with 16,384 bits.

    Example:

    >>> import symcook as sc
    >>> [(row["n"], str(row["margin"])) for row in sc.build("dyck-1").margin(2).rows]
    [(1, '1'), (2, '1/2')]

    Source: the margin is that of Section 3.4 of chiang2022, whose cross-entropy falls with it.
    """
    digits = check_digits(digits)
    lengths(model, 1, decides=False)  # BadInput for a model that does not read strings
    must = "the model must decide (a readout by sign, zero test or largest score)"
    model.readout.require(must, tuple(WHAT), "choose one that decides")
    asked = asked_strings(model, max_length, 0, inputs, sample, seed, positions, decides=False)
    bound = asked.counted(model.bind(values))
    has_sides = bound.readout.signed
    least_by_length: dict[int, _Least] = {}
    method = ""
    nearest = nearest_of(bound, asked)
    hulls: dict[str, str] = {}

    def answered() -> Answer:
        """The answer for the lengths so far."""
        labels = "groups" if bound.readout.groups else "largest"
        notes = {"margin": WHAT["sign" if has_sides else "zero" if bound.decides else labels], "method": method}
        notes |= _interval_notes(least_by_length, has_sides) | hulls
        with PRECISION, ctx.workprec(digits * 10 // 3 + SPARE):  # 10/3 bits a digit
            rows = tuple(_row(bound, n, least, digits) for n, least in least_by_length.items())
        return Answer(
            "margin", bound.name, {"max_length": asked.longest},
            ("n", "margin", "word", *(SIDES if has_sides else ())), rows, notes,
            tuple(SIDES) if has_sides else ("margin",), "margin", f"Smallest margin of {bound.name}",
            logarithmic=True, inputs=asked, extent=asked.extent(model, values),
        )  # fmt: skip

    with keeping(least_by_length, answered):
        # Prefixes with the same running sums are one class: the lengths share one pass, and long strings are possible.
        if mergeable(bound) and bound.decides:
            try:
                reader = asked.reader
                for level in merged(bound, asked.lengths, reader):
                    accepted = None if level.labels is None or reader is None else reader.accepting[level.labels]
                    least, method = _of_level(bound, level, accepted), level.says
                    least_by_length[level.n] = (
                        least if least.certain else _of_few(bound, asked, level.n, digits) or least
                    )
                    if progress is not None:
                        progress(level.n, asked.lengths[-1])
            except NotExact:
                # At some length the classes give no exact margin: then all lengths are done again by strings.
                least_by_length.clear()
        # By strings, or by one string for each class: in an exact batch or, if that has no values, by intervals.
        for n in asked.lengths if not least_by_length else ():
            near = None
            if nearest is not None and n and (asked.many(n) >= FROM):
                near = nearest.at(n)
            if near is not None:
                least_by_length[n], method = _of_near(bound, n, near, digits), near.says
                if near.stopped is not None:
                    hulls.setdefault("hulls stop", near.stopped)
            else:
                words = asked.cover(n, bound)
                least = _of_batch(bound, words, digits) or _of_words(bound, words, digits)
                least_by_length[n], method = least, words.says
            if progress is not None:
                progress(n, asked.lengths[-1])
    return answered()


def _interval_notes(least_by_length: Mapping[int, _Least], two_sides: bool) -> dict[str, str]:
    """Notes on the lengths for which the smallest distance of all strings, or of one side alone, is only known to be in
    an interval. `two_sides` says whether rows have columns for each side."""
    notes = {}
    open_strings = [word for least in least_by_length.values() for word in least.open]
    if open_strings:
        others = f" and of {len(open_strings) - 1} more" if len(open_strings) > 1 else ""
        notes["undecided"] = f"the margin of {brief(open_strings[0], 60)}{others} was undecided at {LIMIT_BITS} bits"
    enclosed = [n for n, least in least_by_length.items() if not least.exact]
    if enclosed:
        sides = "; the smallest values of accepted and of rejected strings are not known there" * two_sides
        notes["enclosed"] = (
            f"at {_spans(enclosed)} the smallest value is not known exactly: it lies in the interval{sides}"
        )
    one_side = []
    for n, least in least_by_length.items():
        if two_sides and least.exact and not all(map(least.known, SIDES.values())):
            one_side.append(n)
    if one_side:
        at = _spans(one_side)
        where = "in the interval, if any string has that answer"
        notes["sides"] = f"at {at} the margin of one side is not known exactly: it is {where}"
    return notes


def _spans(numbers: Sequence[int]) -> str:
    """The lengths in a note, as text: one length, or their number and the first one."""
    return f"n = {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} lengths from n = {numbers[0]}"


def _row(model: Transformer, n: int, least: _Least, digits: int) -> Mapping[str, AnswerCell]:
    """The cells of the length `n`. Only "n" is filled if no string has a margin. A value that is not exact has its
    interval; if the margin of all strings is not exact, the columns of the sides are empty."""
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
    """The number, if `low` and `high` are the same rational number; else a ball around both."""
    if type(low) is fmpq and type(high) is fmpq and low == high:
        return ratio_of(low)
    return ball(hull(arb(low), arb(high), ctx.prec), digits, relative=True)


# --- One string for a class -------------------------------------------------------------------------------------------


def distances(result: Result) -> list[tuple[bool | None, BallValue | None]]:
    """The decision of a run and its distance from the threshold; for a readout at each position, one pair for each
    position. The decision is None for a readout by largest score; the distance is None if a zero test is passed.
    Undecided if the readout is at all positions together and the decision at one of them is open."""
    readout, pairs = result.model.readout, list[tuple[bool | None, BallValue | None]]()
    for place in result.places:
        values = [column[place] for column in result.watched.values()]
        side = result.domain.verdict(result.verdicts, place) if readout.decides else None
        pairs.append((side, readout.distance(values, _largest, lambda x: arb(x).mid())))
    if readout.each or len(pairs) == 1:
        return pairs
    # The readout decides at all positions together: it accepts if every position does.
    if any(accept is None for accept, _ in pairs):
        raise Undecided("the answer at some position was undecided")
    refusing = [size for accept, size in pairs if not accept and size is not None]
    # Rejected: the string is accepted only if all rejecting positions change, so the largest distance counts.
    if refusing:
        return [(False, _largest(refusing))]
    # Accepted: the string is rejected as soon as one position changes, so the smallest distance counts.
    sizes = [size for _, size in pairs if size is not None]
    return [(True, _smallest(sizes) if sizes else None)]


def _greater(a: BallValue, b: BallValue) -> BallValue:
    return max(a, b) if type(a) is fmpq and type(b) is fmpq else arb(a).max(arb(b))


def _largest(values: Sequence[BallValue]) -> BallValue:
    return reduce(_greater, values)


def _smallest(values: Sequence[BallValue]) -> BallValue:
    return reduce(lambda a, b: min(a, b) if type(a) is fmpq and type(b) is fmpq else arb(a).min(arb(b)), values)


class _Least:
    """The smallest distance so far, of each side (accepted, rejected) and of all strings, and the string that has it.

    A string is known if it was run itself; other strings lie between two known ones."""

    def __init__(self) -> None:
        self.sides: dict[bool | None, BallValue] = {}
        """By side: the smallest distance of a known string."""
        self.inside: dict[bool | None, BallValue] = {}
        """By side: a lower bound of the distances of the other strings."""
        self.nearest: BallValue | None = None
        """The smallest distance of all known strings, by the midpoints of balls."""
        self.word: Any = None
        """The string with the distance `nearest`; in `_of_level`, its entry."""
        self.open: list[str] = []
        """The strings whose distance is not known to the digits asked for, or not at all."""

    def take(self, side: bool | None, distance: BallValue | None, word: Word | int) -> None:
        """Take the distance of one known string into account. It is None for a passed zero test, which has none."""
        if distance is None:
            return
        if self.nearest is None or _middle(distance) < _middle(self.nearest):
            self.nearest, self.word = distance, word
        self.sides[side] = _smallest([self.sides[side], distance]) if side in self.sides else distance

    def bound(self, sides: Iterable[bool | None], size: BallValue | None) -> None:
        """Take into account that some string has a distance inside the ball `size` (None: any distance), and is of one
        of the `sides`."""
        low = fmpq(0) if size is None else max(fmpq(0), fmpq_of(arb(size).lower()))
        for either in sides:
            self.inside[either] = min(low, self.inside.get(either, low))

    @property
    def value(self) -> BallValue | None:
        """The smallest distance of all known strings; None if no string has a distance."""
        return _smallest(list(self.sides.values())) if self.sides else None

    def known(self, side: bool | None) -> bool:
        """Whether the smallest distance of a side is the distance of a known string: the bound is not below it."""
        return side not in self.inside or (side in self.sides and not self.inside[side] < self.sides[side])

    @property
    def certain(self) -> bool:
        """Whether the smallest distances of all strings and of each side are distances of known strings."""
        return self.exact and all(map(self.known, SIDES.values()))

    @property
    def exact(self) -> bool:
        """Whether the smallest distance of all strings is the distance of a known string."""
        least = self.value
        return least is None or all(not low < least for low in self.inside.values())


def _of_words(model: Transformer, words: Cover, digits: int) -> _Least:
    """The smallest distances over the strings `words` of a length, by balls with `digits` relative digits.

    A string whose distance is open at `LIMIT_BITS` gives a lower bound, and is noted. Undecided if all strings are."""
    least, todo = _Least(), [word for word, _ in words]  # (string, how many are in its class)
    any_side: Iterable[bool | None] = SIDES.values() if model.decides else (None,)
    reason: Undecided | None = None
    for bits in ladder(bits_for(digits), LIMIT_BITS):
        open_words: list[Word] = []
        for word in todo:
            domain = BallDomain(bits)
            with PRECISION, domain.context():
                try:
                    pairs = distances(forward(model, model.tokens(word), domain))
                except Undecided as error:
                    reason = error
                    open_words.append(word)
                    continue
                # Beyond the smallest distances of both sides, no digits are needed.
                if all(_is_known(side, size, least, model, digits) for side, size in pairs):
                    for side, size in pairs:
                        least.take(side, size, word)
                    continue
                open_words.append(word)
                if bits == LIMIT_BITS:
                    for side, size in pairs:
                        least.bound(any_side if side is None else (side,), size)
        todo = open_words
        if not todo:
            return least
    if not least.sides:
        raise reason or Undecided(
            f"the margin at length {words.n} was undecided at {LIMIT_BITS} bits; ask for fewer digits."
        )
    least.open = [model.embedding.said(word) for word in todo]
    if reason is not None:
        least.bound(any_side, None)
    return least


def _of_near(model: Transformer, n: int, near: NearStrings, digits: int) -> _Least:
    """The smallest distances over the strings of a length of which `near` has the nearest ones."""
    least = _of_words(model, Within(Cells(model.alphabet, n, ()), tuple(Stand(word, 1) for word in near.words)), digits)
    with PRECISION, ctx.workprec(128):  # a bound is a float
        for sides, low in near.others:
            least.bound(sides, arb(fmpq(low.numerator, low.denominator)))
    return least


def _is_known(side: bool | None, size: BallValue | None, least: _Least, model: Transformer, digits: int) -> bool:
    """Whether a distance is known well enough: exactly, to `digits` digits, or to be no smallest one."""
    if side is None and model.decides:
        return False
    if size is None or isinstance(size, fmpq) or settled(size, digits, relative=True):
        return True
    return side in least.sides and bool(arb(size) > arb(least.sides[side]))


def _of_few(model: Transformer, asked: Strings, n: int, digits: int) -> _Least | None:
    """The smallest distances of all strings of a length, by an exact run of each, or of one of each class where the
    strings are more than `MOST`; None where the classes are more too, or have no exact values."""
    try:
        words = asked.apart(n) if asked.many(n) <= MOST else asked.cover(n, model)
    except BadInput:
        return None
    return _of_batch(model, words, digits)


def _of_batch(model: Transformer, words: Cover, digits: int) -> _Least | None:
    """As `_of_words`, by one exact run of all strings, with a ball for each different value. None if there are few
    strings, if such a run has no exact values, if the readout is at every position, or if `LIMIT_BITS` are too few."""
    from symcook.domains.batch import Batch, Listed
    from symcook.words.keyed import grouped

    domain, words_listed = Batch(), [word for word, _ in words]
    # A readout at every position would need one column for each; with few strings, the run is not worth its set-up.
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
    # Some values, such as those of a layer norm, have no exact form in a batch.
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
    """The midpoint of a ball, or the number itself."""
    return fmpq_of(x) if isinstance(x, arb) else x


def fmpq_of(x: arb) -> fmpq:
    """The midpoint of a ball, as a rational number."""
    mantissa, exponent = x.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


# --- Grouped prefixes -------------------------------------------------------------------------------------------------


def _of_level(model: Transformer, level: PrefixLevel, accepted: Array | None) -> _Least:
    """The smallest distances of the strings of a level, or of those whose entries are `accepted`. Entries 2k and 2k + 1
    are the two strings of class k with the smallest and the largest running sum.

    Raises NotExact if some string may fail a zero test, but no known string does."""
    least, distances = _Least(), _decisions(model, _watched(level.result))
    for entry, (side, distance) in enumerate(distances):
        if accepted is None or accepted[entry]:
            least.take(side, distance, entry)
    # The other strings of a class lie on the line between its two entries. `rows` has, by entry, the inputs of the
    # activations and then the numbers that the readout compares with zero.
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
        # Otherwise all numbers are linear on the line, and one that is compared is at least as far from zero as the
        # smallest distance at both ends: no string in between is nearer.
        if bent or passes or not (on_threshold or max(min(abs(a), abs(b)) for a, b in compared) >= least_value):
            _bound_between(model, level, low, least)
    if least.nearest is not None:
        least.word = level.word(least.word)
    elif least.inside:
        raise NotExact(
            "to test prefixes in groups, every dropped prefix must pass the zero test when the kept one does",
            "prefixes that may not",
        )
    return least


def _crosses_zero(ends: tuple[Any, Any]) -> bool:
    """Whether two numbers have opposite signs."""
    return ends[0] < 0 < ends[1] or ends[1] < 0 < ends[0]


def _line_ends(at_third: Any, at_two_thirds: Any) -> tuple[Any, Any]:
    """The values at 0 and at 1 of the linear function with these values at 1/3 and at 2/3."""
    return 2 * at_third - at_two_thirds, 2 * at_two_thirds - at_third


def _decisions(model: Transformer, watched: Sequence[Sequence[fmpq]]) -> list[tuple[bool, fmpq | None]]:
    """For each entry, whether it is accepted, and its distance; the distance is None if a zero test is passed."""
    readout, distances_by_entry = model.readout, []
    for row in zip(*watched, strict=True):
        distance = readout.distance(row, max)
        distances_by_entry.append((row[0] > 0 if readout.signed else distance is None, distance))
    return distances_by_entry


def _bound_between(model: Transformer, level: PrefixLevel, low: int, least: _Least) -> None:
    """Set in `least` a lower bound of the distances on the segment between entry `low` (0) and the next entry (1).

    The segment is cut where the input of an activation, or a number that is compared, becomes zero. Inside a piece all
    numbers are linear, but a step may jump at the ends of the piece. So the ends are run themselves, and the values
    inside are extrapolated from the points at 1/3 and 2/3 of the piece."""
    # The pieces that have not been looked at.
    todo = [(fmpq(0), fmpq(1))]
    while todo:
        start, end = todo.pop()
        third = (end - start) / 3
        result = moved(level, low, [start, start + third, end - third, end])
        # A value with opposite signs at the ends is zero inside the piece: look at both sides of that zero.
        for _, at_third, at_two_thirds, _ in _breaking_columns(result):
            at_start, at_end = _line_ends(at_third, at_two_thirds)
            if _crosses_zero((at_start, at_end)):
                middle = start + (end - start) * at_start / (at_start - at_end)
                todo += [(start, middle), (middle, end)]
                break
        else:
            # No value is zero inside, so all numbers are linear there, and the smallest distance inside is at one of
            # the extrapolated ends. The values at the ends themselves may differ from these by a jump.
            columns = []
            for at_start, at_third, at_two_thirds, at_end in _watched(result):
                columns.append((at_start, *_line_ends(at_third, at_two_thirds), at_end))
            first, *inside, last = _decisions(model, columns)
            least_inside = min(distance or fmpq(0) for _, distance in inside)
            for side, distance in (first, *((side, size and least_inside) for side, size in inside), last):
                if distance is not None:
                    least.inside[side] = min(distance, least.inside.get(side, distance))


def _watched(result: Result) -> list[Any]:
    """The columns that the readout compares with 0."""
    return [column.values for column in result.watched.values()]


def _breaking_columns(result: Result) -> list[Any]:
    """The columns at whose zeros the distance stops being linear: the inputs of activations, the numbers that the
    readout compares with 0, and the differences of two of their absolute values (at a zero of such a difference another
    coordinate may become the largest)."""
    domain: Any = result.domain
    watched = _watched(result)
    return [*domain.numbers.turns, *watched, *(abs(a) - abs(b) for a, b in combinations(watched, 2))]
