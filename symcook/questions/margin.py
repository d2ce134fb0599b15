"""The margin of a model: how near a decision comes to its threshold, at each length, and in which word."""

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
"""Fewer words are as well run one by one."""
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
        notes = {"margin": WHAT["sign" if two else "zero" if bound.decides else "largest"], "method": method}
        loose = [n for n, least in least_by_length.items() if not least.exact]
        if loose:
            notes["enclosed"] = f"at {_spans(loose)} the smallest value is not known exactly: it lies in the interval"
        sides = [
            n
            for n, least_of in least_by_length.items()
            if two and least_of.exact and not all(map(least_of.known, SIDES.values()))
        ]
        if sides:
            at = _spans(sides)
            notes["sides"] = (
                f"at {at} that of one side is not known exactly: it lies in the interval, if any string does"
            )
        with PRECISION, ctx.workprec(digits * 10 // 3 + SPARE):
            rows = tuple(_row(bound, n, least, digits) for n, least in least_by_length.items())
        return Answer(
            "margin", bound.name, {"max_length": max_length, **_texts(model, values)},
            ("n", "margin", "word", *(SIDES if two else ())), rows, notes,
            tuple(SIDES) if two else ("margin",), "margin", f"Smallest margin of {bound.name}",
            logarithmic=True, inputs=asked,
        )  # fmt: skip

    with keeping(least_by_length, answered):
        if mergeable(bound) and bound.decides:
            try:
                reader = asked.reader
                for level in merged(bound, asked.lengths, reader):
                    accepted = None if level.labels is None or reader is None else reader.accepting[level.labels]
                    least_by_length[level.n], method = _of_level(bound, level, accepted), level.says
                    if progress is not None:
                        progress(level.n, asked.lengths[-1])
            except NotExact:
                least_by_length.clear()
        for n in asked.lengths if not least_by_length else ():
            words = asked.cover(n, bound)
            least_by_length[n], method = _of_batch(bound, words, digits) or _of_words(bound, words, digits), words.says
            if progress is not None:
                progress(n, asked.lengths[-1])
    return answered()


def _texts(model: Transformer, values: Mapping[str, Exact] | None) -> dict[str, str]:
    from symcook.model.symbols import from_sympy

    return {name: from_sympy(value) for name, value in model.values(values).items()}


def _spans(numbers: Sequence[int]) -> str:
    return f"n = {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} lengths from n = {numbers[0]}"


def _row(model: Transformer, n: int, found: _Least, digits: int) -> Mapping[str, AnswerCell]:
    row: dict[str, AnswerCell] = {"n": n, "margin": None, "word": None}
    if found.nearest is not None:
        least = _fewest(list(found.sides.values()))
        row["margin"] = _cell(least if found.exact else min(found.inside.values()), least, digits)
        row["word"] = model.embedding.written(found.word)
        if found.exact and model.decides:
            for name, side in SIDES.items():
                size = found.sides.get(side)
                low = size if found.known(side) else found.inside[side]
                row[name] = None if size is None or low is None else _cell(low, size, digits)
    return row


def _cell(low: BallValue, high: BallValue, digits: int) -> AnswerCell:
    if type(low) is fmpq and type(high) is fmpq and low == high:
        return ratio_of(low)
    return ball(hull(arb(low), arb(high), ctx.prec), digits, relative=True)


# --- One word for a class ---------------------------------------------------------------------------------------------


def distances(result: Result) -> list[tuple[bool | None, BallValue | None]]:
    """On which side a decision of a run in balls is (None of a largest score), and how far from its threshold: None
    where a zero test is passed everywhere. A readout at each position has one for each."""
    readout, distances_found = result.model.readout, list[tuple[bool | None, BallValue | None]]()
    for place in result.places:
        values = [column[place] for column in result.watched.values()]
        side = result.domain.verdict(result.verdicts, place) if readout.decides else None
        distances_found.append((side, readout.distance(values, _most, lambda x: arb(x).mid())))
    if readout.each or len(distances_found) == 1:
        return distances_found
    if any(accept is None for accept, _ in distances_found):
        raise Undecided("the answer at some position was undecided")
    refusing = [size for accept, size in distances_found if not accept and size is not None]
    if refusing:
        return [(False, _most(refusing))]
    sizes = [size for _, size in distances_found if size is not None]
    return [(True, _fewest(sizes) if sizes else None)]


def _greater(a: BallValue, b: BallValue) -> BallValue:
    return max(a, b) if type(a) is fmpq and type(b) is fmpq else arb(a).max(arb(b))


def _most(values: Sequence[BallValue]) -> BallValue:
    return reduce(_greater, values)


def _fewest(values: Sequence[BallValue]) -> BallValue:
    return reduce(lambda a, b: min(a, b) if type(a) is fmpq and type(b) is fmpq else arb(a).min(arb(b)), values)


class _Least:
    """The least distance so far on each side, and over all: what encloses it, and the word that has it."""

    def __init__(self) -> None:
        self.sides: dict[bool | None, BallValue] = {}
        self.inside: dict[bool | None, BallValue] = {}
        """By side a number that no distance is below of words that are known to lie between others."""
        self.nearest: BallValue | None = None
        self.word: Any = None

    def take(self, side: bool | None, size: BallValue | None, word: Word | int) -> None:
        if size is None:
            return
        if self.nearest is None or _middle(size) < _middle(self.nearest):
            self.nearest, self.word = size, word
        self.sides[side] = _fewest([self.sides[side], size]) if side in self.sides else size

    @property
    def value(self) -> BallValue | None:
        return _fewest(list(self.sides.values())) if self.sides else None

    def known(self, side: bool | None) -> bool:
        """Whether the least of a side is that of a word."""
        return side not in self.inside or (side in self.sides and not self.inside[side] < self.sides[side])

    @property
    def exact(self) -> bool:
        """Whether the least of all is."""
        least = self.value
        return least is None or all(not low < least for low in self.inside.values())


def _of_words(model: Transformer, words: Cover, digits: int) -> _Least:
    """The least distances over all words of a length, to the digits."""
    first = bits_for(digits)
    reason: Undecided | None = None
    for bits in ladder(first, LIMIT_BITS):
        least_found, domain = _Least(), BallDomain(bits)
        try:
            with PRECISION, domain.context():
                for word, _ in words:
                    for side, size in distances(forward(model, model.tokens(word), domain)):
                        least_found.take(side, size, word)
        except Undecided as error:
            reason = error
            continue
        if all(isinstance(size, fmpq) or settled(size, digits, relative=True) for size in least_found.sides.values()):
            return least_found
    raise reason or Undecided(
        f"the margin at length {words.n} was undecided at {LIMIT_BITS} bits; ask for fewer digits."
    )


def _of_batch(model: Transformer, words: Cover, digits: int) -> _Least | None:
    """The same by one exact batch, with a ball for each value that occurs, which is far fewer than words; None where a
    batch has no exact values, or more places are looked at than one."""
    from symcook.domains.batch import Batch, Listed
    from symcook.words.keyed import grouped

    domain, stands = Batch(), [word for word, _ in words]
    if model.readout.everywhere or len(stands) < FEW:
        return None
    try:
        result = forward(model, Listed(tuple(map(model.embedding.surround, stands))), domain)
    except NotExact:
        return None
    cells = [column[model.readout.place] for column in result.watched.values()]
    codes = [domain.full(cell.numerators if cell.codes is None else cell.codes) for cell in cells]
    places = grouped(codes, len(stands))[1]
    rows = [[domain.full(cell.numerators)[place] * Fraction(1, cell.denominator) for cell in cells] for place in places]
    if not all(isinstance(value, (Fraction, ExpSum)) for row in rows for value in row):
        return None
    for bits in ladder(bits_for(digits), LIMIT_BITS):
        least_found = _Least()
        with PRECISION, BallDomain(bits).context():
            for place, row in zip(places, rows, strict=True):
                values = [fmpq(x.numerator, x.denominator) if isinstance(x, Fraction) else x.ball() for x in row]
                size = model.readout.distance(values, _most, lambda x: arb(x).mid())
                side = (row[0] > 0 if model.readout.signed else size is None) if model.readout.decides else None
                least_found.take(side, size, stands[place])
        if all(isinstance(size, fmpq) or settled(size, digits, relative=True) for size in least_found.sides.values()):
            return least_found
    return None


def _middle(x: BallValue) -> BallValue:
    return fmpq_of(x) if isinstance(x, arb) else x


def fmpq_of(x: arb) -> fmpq:
    """The middle of a ball."""
    mantissa, exponent = x.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


# --- Merged prefixes --------------------------------------------------------------------------------------------------


def _of_level(model: Transformer, level: PrefixLevel, accepted: Array | None) -> _Least:
    """The least distances that words of a level are known to have: all words, or those whose entries are `accepted`.
    Raises NotExact where some may fail a zero test, but none is known to."""
    least_found, sizes = _Least(), _sizes(model, _watched(level.result))
    for entry, size in enumerate(sizes):
        if accepted is None or accepted[entry]:
            least_found.take(*size, entry)
    domain: Any = level.result.domain
    bends, watched, least = domain.numbers.turns, _watched(level.result), cast(Any, least_found.value)
    rows = list(zip(*bends, *watched, strict=True))
    for low in range(0, len(rows), 2):
        if rows[low] == rows[low + 1] or not (accepted is None or accepted[low]):
            continue
        ends = [(a, b, a < 0 < b or b < 0 < a) for a, b in zip(rows[low], rows[low + 1], strict=True)]
        edge = not all((sizes[low][1], sizes[low + 1][1]))
        bent = any(over or (domain.numbers.jumps and a != b and not a * b) for a, b, over in ends[: len(bends)])
        ends_shown = ends[len(bends) :]
        passed = any(over or (edge and a != b) for a, b, over in ends_shown)
        # else all is straight on the line, and the greatest coordinate is nowhere below the least of each
        if bent or passed or not (edge or max(min(abs(a), abs(b)) for a, b, _ in ends_shown) >= least):
            _between(model, level, low, least_found)
    if least_found.nearest is not None:
        least_found.word = level.word(least_found.word)
    elif least_found.inside:
        raise NotExact("prefixes are grouped where one that is kept fails the zero test", "others that may")
    return least_found


def _sizes(model: Transformer, watched: Sequence[Sequence[fmpq]]) -> list[tuple[bool, fmpq | None]]:
    """The side of each entry and its distance; None where a zero test is passed."""
    readout, sizes_found = model.readout, []
    for row in zip(*watched, strict=True):
        size = readout.distance(row, max)
        sizes_found.append((row[0] > 0 if readout.signed else size is None, size))
    return sizes_found


def _between(model: Transformer, level: PrefixLevel, low: int, found: _Least) -> None:
    """What distances between an entry and the next, the ends of a line, are not below. Where something turns on the way
    the line is broken there. Inside of a piece all is straight, up to its ends, where a step may jump; so the ends are
    looked at by themselves, and the inside by what two points of it say of its ends."""
    todo = [(fmpq(0), fmpq(1))]
    while todo:
        start, end = todo.pop()
        third = (end - start) / 3
        result = moved(level, low, [start, start + third, end - third, end])
        # The values at a third and at two thirds say what a straight line has at the ends.
        for _, third_value, two_thirds, _ in _turning(result):
            at_start, at_end = 2 * third_value - two_thirds, 2 * two_thirds - third_value
            if at_start < 0 < at_end or at_end < 0 < at_start:
                middle = start + (end - start) * at_start / (at_start - at_end)
                todo += [(start, middle), (middle, end)]
                break
        else:
            at_ends = [(a, 2 * c - d, 2 * d - c, b) for a, c, d, b in _watched(result)]
            first, *inside, last = _sizes(model, at_ends)
            least = min(size or fmpq(0) for _, size in inside)
            for side, size in (first, *((side, size and least) for side, size in inside), last):
                if size is not None:
                    found.inside[side] = min(size, found.inside.get(side, size))


def _watched(result: Result) -> list[Any]:
    """What is compared with 0 in the readout."""
    return [column.values for column in result.watched.values()]


def _turning(result: Result) -> list[Any]:
    """What turns at zero: what activations see, what the readout compares, and which of two of these is greater."""
    domain: Any = result.domain
    watched = _watched(result)
    return [*domain.numbers.turns, *watched, *(abs(a) - abs(b) for a, b in combinations(watched, 2))]
