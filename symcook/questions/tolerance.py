"""How far one weight may move before some string of a length gets another answer.

The weight becomes a symbol (`free`), and each side of its value is searched: by all strings at once where they can be
grouped (`symcook.questions.along`), else string by string (`_furthest`), exactly where the answer is a rational
function of the weight and by rigorous intervals where it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from flint import fmpq

from symcook.compose.routing import fresh
from symcook.door import Progress, check_digits, door
from symcook.errors import BadInput, NoRun, NotExact, Undecided, unknown
from symcook.model.parts import Part, SelfAttention
from symcook.model.symbols import Exact, fraction, from_sympy, symbol
from symcook.model.transformer import Parameter, Transformer
from symcook.numbers.balls import Ball, arb_of, ball, bits_for, hull, refine, resolving
from symcook.numbers.roots import Algebraic, ball_of
from symcook.questions.along import Along
from symcook.questions.answer import Answer, AnswerCell, keeping, lengths
from symcook.questions.intervals import NO_VALUE, at_point, between
from symcook.questions.moving import OneSymbol, exact_answers
from symcook.questions.reach import LeftOpen, Reach, decimal, enclosed, exactly, soonest
from symcook.questions.slope import falls, only_zero
from symcook.questions.straight import OneStraight
from symcook.words import Cover, Word
from symcook.words.cells import Cells
from symcook.words.inputs import Language, strings

FIRST = Fraction(10007, 10**7)
"""The first step in balls. A fraction that no weight at which answers change is likely to be."""
ROOT_DIGITS = 30
"""So many decimals at least of an end that is the root of a polynomial."""
SIDES = {-1: "low", 1: "high"}
TOGETHER = 1_000
"""Up to so many strings are run in one exact batch at the weight as it stands."""
FARTHEST = Fraction(2**10)
"""Balls are tried so far from the weight, times its size."""


@door()
def tolerance(
    model: Transformer,
    weights: str | Sequence[str],
    max_length: int,
    *,
    min_length: int = 1,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    values: Mapping[str, Exact] | None = None,
    digits: int = 6,
    progress: Progress | None = None,
) -> Answer:
    """How far one weight may move, by length.

    The interval of the weight in which every string of each length keeps its answer, with the strings whose answers
    change at the ends. The ends are exact where answers are rational functions of the weight; else they are enclosed.

    For example: symcook tolerance dyck-1-nonuniform --set N=8 --free 'L2.ff.b1[1]' --max-length 6

    weights --free WEIGHT: The weight that moves, such as L1.head1.V[ones,one], L2.ff.W1[3,total] or readout[s]. Given
      several times, they move together, those after a minus sign the other way.
    digits D: Decimals of ends that are not exact; of roots at least 30.

    Names of weights are read by `symcook.questions.tolerance.free`. The interval is the largest one around the weight's
    value; further off the answers may be right again. Where the answers are rational functions of the weight (no layer
    norm, rational numbers) the ends are exact: rational, or a ball around a root of a polynomial. So are they where
    softmax has rational scores that do not depend on the weight, and values are linear in it: the end may then be a
    quotient of sums of exponentials. Else each end lies between two numbers at most 10^-digits apart: up to the first
    all is shown by balls over whole intervals, at the second a word is wrong. It is exact there too where it is
    rational: the logit is exactly zero at it, and its slope has one sign around.

    Where heads average what stands before and numbers are linear in the weight, prefixes are merged while it moves
    (`symcook.questions.along`), so that lengths of 100 are possible; the ends are those of strings one by one.

    Rows have "low" and "high" (None: no end), "low_in" and "high_in" (whether the end itself belongs to the interval;
    None where that is not known), "low_word" and "high_word" (a word that changes there).
    Raises BadInput for a weight or a length that is none; Undecided where an answer stays open.
    Source: chiang2022, Section 5.1 and Figure 3 (the sensitivity of PARITY to one weight).
    """
    digits = check_digits(digits)
    asked = strings(model, lengths(model, max_length, min_length), inputs, sample, seed, positions)
    bound = asked.counted(model.bind(values))
    named = [weights] if isinstance(weights, str) else list(weights)
    moved, value = free(bound, named)
    name = moved.parameters[-1].name
    try:
        start: Fraction | None = fraction(value)
    except BadInput:
        raise BadInput("a weight that moves must be rational", from_sympy(value)) from None
    rows: list[dict[str, AnswerCell]] = []
    exact, method = True, ""

    def answered() -> Answer:
        """The answer for the lengths so far."""
        notes = {
            "weight": f"{', '.join(named)} = {from_sympy(value)}",
            "method": method,
            "ends": "exact: the answers are rational functions of the weight" if exact else
            f"within 10^-{digits}: right by rigorous intervals over whole intervals, and a wrong string beyond; a "
            "rational end is "
            f"exact, since the logit is exactly zero there and monotone around it; no end means none within "
            f"{FARTHEST} times the weight (or 1)",
        }  # fmt: skip
        return Answer(
            "tolerance", bound.name, {"free": named, "max_length": max_length},
            ("n", "low", "low_in", "low_word", "high", "high_in", "high_word"), tuple(rows), notes,
            ("low", "high"), "weight", f"{bound.name}: {', '.join(named)} with every string right",
            nothing={"low": "no end", "high": "no end"}, inputs=asked,
        )  # fmt: skip

    try:
        # All strings at once, in groups, where the model allows it.
        merged = {side: Along(moved, name, start, side, asked) for side in SIDES}
    except NotExact:
        merged = {}
    with keeping(rows, answered):
        for n in asked.lengths:
            method, ends = _ends(merged, n) or _by_words(moved, name, start, asked.cover(n, moved), digits)
            row: dict[str, AnswerCell] = {"n": n}
            for side, (best, word, sure) in ends.items():
                exact = exact and sure
                row |= _end(bound, start, side, SIDES[side], best, word, digits)
            rows.append(row)
            if progress is not None:
                progress(n, asked.lengths[-1])
    return answered()


WeightEnd = tuple[Reach | None, Any, bool]
"""How far the weight may go to one side, the string that ends it, and whether that is exact."""


def _ends(merged: dict[int, Along], n: int) -> tuple[str, dict[int, WeightEnd]] | None:
    """How strings of `n` symbols are grouped, and by side the end, by classes of prefixes; None where these have no
    exact answer. Greater lengths then do not try it again."""
    try:
        if not merged:
            return None
        return Along.says, {side: (*along.reach(n), True) for side, along in merged.items()}
    except NotExact:
        merged.clear()
        return None


def _by_words(
    model: Transformer, name: str, start: Fraction, words: Cover, digits: int
) -> tuple[str, dict[int, WeightEnd]]:
    """The same by one string of each class."""
    answers: dict[Word, Any] = {}
    if isinstance(words, Cells) and words.many <= TOGETHER:
        answers = exact_answers(model.bind({name: start}), [word for word, _ in words])
    return words.says, {side: _furthest(model, name, start, side, words, digits, answers) for side in SIDES}


def _furthest(
    model: Transformer, name: str, start: Fraction, side: int, words: Cover, digits: int, answers: dict[Word, Any]
) -> WeightEnd:
    """How far the weight may go to one side; `answers` keeps those at the weight as it stands."""
    # Rational functions of the weight first, then linear values with exponential sums; a way that fails once is not
    # tried for later strings. Intervals are the last resort.
    ways: list[type[OneSymbol]] = [OneSymbol, OneStraight]

    def reach_of(word: Word, best: Reach | None) -> Reach:
        """How far the weight may go for one string; `best` is the least so far, beyond which nothing is asked."""
        limit = None if best is None else best.first
        while ways:
            try:
                along = ways[0](model, word, name, fmpq(start.numerator, start.denominator), side)
                if isinstance(along, OneStraight) and isinstance(limit, Algebraic):
                    raise NotExact("ends must be of one kind", limit)
                if word not in answers:
                    answers[word] = along.point(Fraction(0))
                return exactly(along.probe, along.point, answers[word], limit)
            except NotExact:
                del ways[0]
        return _in_balls(model, word, name, start, side, digits, best)

    return *soonest(words, reach_of), bool(ways)


def _in_balls(
    model: Transformer, word: Word, name: str, start: Fraction, side: int, digits: int, best: Reach | None
) -> Reach:
    """How far the weight may go for one string, by balls over whole intervals of the weight."""
    sequence = model.tokens(word)

    def right_at(moved: Fraction) -> bool:
        return at_point(model, sequence, name, start + side * moved) == expected

    def right_between(low: Fraction, high: Fraction) -> bool:
        """Whether the answer is proved to be right for all distances from `low` to `high`."""
        ends = start + side * low, start + side * high
        if between(model, sequence, name, min(ends), max(ends)) == expected:
            return True
        # The start lies on the threshold itself, which no interval around it can tell: the logit falls from zero there.
        return low == 0 and expected is False and falls(model, sequence, name, *ends)

    expected = at_point(model, sequence, name, start)
    if expected == NO_VALUE:
        none = f"none of {model.embedding.said(word)}"
        raise NoRun("every string must have a run at the weight as it stands", none, "give fewer lengths")
    # Another string changes at `best`: it is enough that this one is right from the start to there.
    if best is not None and best.first is not None and isinstance(best.last, Fraction) and right_at(best.last):
        try:
            first = best.last
            if first == 0:
                return best
            return enclosed(right_at, right_between, first, first, Fraction(1, 10**digits))._replace(first=None)
        except Undecided:
            # The way to there is not shown whole: look for this string's own end.
            pass
    try:
        enclosure = enclosed(right_at, right_between, FIRST, FARTHEST * max(1, abs(start)), Fraction(1, 10**digits))
    except LeftOpen as error:
        input_text, at = model.embedding.said(word), decimal(start + side * error.last)
        beyond = f"{'below' if side < 0 else 'above'} the weight {at}"
        raise Undecided(
            f"the answer to {input_text} was undecided {beyond}: rigorous intervals show it on no interval there"
        ) from None
    return _sharp(model, sequence, name, start, side, enclosure, expected)


def _sharp(
    model: Transformer, sequence: object, name: str, start: Fraction, side: int, enclosure: Reach, expected: object
) -> Reach:
    """An end that balls enclose, as the rational number at which the logit is exactly zero, where that is proved."""
    if not isinstance(enclosure.first, Fraction) or not isinstance(enclosure.last, Fraction):
        return enclosure
    low, high = sorted((start + side * enclosure.last, start + side * enclosure.first))
    place = only_zero(model, sequence, name, low, high)
    if place is None:
        return enclosure
    at = side * (place - start)
    return Reach(at, at, expected is False)  # a logit of zero rejects


def _end(
    model: Transformer, start: Fraction, side: int, where: str, best: Reach | None, word: Word, digits: int
) -> dict[str, AnswerCell]:
    """The three cells of one side: the end, whether it belongs to the interval, and the string; None where there is
    no end."""
    if best is None or best.first is None or word is None:
        return {where: None, f"{where}_in": None, f"{where}_word": None}
    word_text = model.embedding.written(word)
    return {where: _number(start, side, best, digits), f"{where}_in": best.included, f"{where}_word": word_text}


def _number(start: Fraction, side: int, best: Reach, digits: int) -> Fraction | Ball:
    """The weight at which the answer changes: rational, or a ball around a root or around two numbers that enclose
    it."""
    if best.last == best.first:
        if isinstance(best.last, Fraction):
            return start + side * best.last
        place = best.last
        decimals = max(digits, ROOT_DIGITS)
        return ball(refine(lambda: arb_of(start) + side * ball_of(place), decimals), decimals)
    if not (isinstance(best.last, Fraction) and isinstance(best.first, Fraction)):
        raise RuntimeError("two ends that differ are rational")
    ends = (start + side * best.last, start + side * best.first)
    return ball(hull(*ends, resolving(min(ends), max(ends), bits_for(digits + 2))), digits + 2)


WRITTEN = re.compile(r"\s*(-?)\s*([A-Za-z0-9_.]+)\[([^\[\]]*)\]\s*")


class Weight(NamedTuple):
    """An entry of a matrix: the names of its part (L1.head1, L2.ff, readout) and matrix, and row and column from 0.
    With `sign` -1 it moves against the others."""

    sign: int
    part: str
    matrix: str
    row: int
    column: int


def free(model: Transformer, names: Sequence[str], name: str = "free") -> tuple[Transformer, Any]:
    """`model` with the weights of these names replaced by a new symbol (those with a minus sign by its negative), and
    the value that it stands for.

    A name is the part, the matrix, and in brackets row and column by what they are called or by number from 1:
    L1.head1.V[kind,one], L1.head2.Q[1,place], L2.ff.W1[3,total], L2.ff.b1[3], L2.ff.W2[level,3], readout[accepted].
    Raises BadInput with the nearest name where there is none, and where the weights are not one number.
    """
    weights = [_read(model, text) for text in names]
    if not weights:
        raise BadInput("a weight must be named", "none", "give --free L1.head1.V[row,column]")
    weight_values = {weight.sign * _value(model, weight) for weight in weights}
    if len(weight_values) > 1:
        values_text = ", ".join(map(from_sympy, weight_values))
        raise BadInput("weights that move together must be one number, up to their signs", values_text)
    name = fresh(name, [*(p.name for p in model.parameters), *model.space])
    new = symbol(name)
    model = replace(model, parameters=(*model.parameters, Parameter(name)))
    for weight in weights:
        model = _put(model, weight, weight.sign * new)
    return model, weight_values.pop()


def _parts(model: Transformer) -> Iterator[tuple[str, Part]]:
    """The heads and feed-forward layers with their names."""
    for number, layer in enumerate(model.layers, 1):
        if layer.attention is not None:
            for h, head in enumerate(layer.attention.heads, 1):
                yield f"L{number}.head{h}", head
        if layer.feedforward is not None:
            yield f"L{number}.ff", layer.feedforward


def _read(model: Transformer, text: str) -> Weight:
    """The weight that a text names, for example L2.ff.W1[3,total]. Raises BadInput or unknown for an invalid name."""
    match = WRITTEN.fullmatch(text)
    if match is None:
        raise BadInput("a weight must be written PART.MATRIX[ROW,COLUMN]", text, "as in L1.head1.V[kind,one]")
    sign, path, inside = -1 if match[1] else 1, match[2], [entry.strip() for entry in match[3].split(",")]
    # readout[score,coordinate]; a readout with one score needs no name for it.
    if path == "readout":
        rows = list(model.readout.labels or ("logit",))
        if model.readout.weights is None:
            readout_text = f"a {model.readout.kind} of {', '.join(model.readout.reads)}"
            raise BadInput("the readout must have weights", readout_text)
        if len(rows) == 1:
            inside = [rows[0], *inside] if len(inside) == 1 else inside
        return Weight(sign, path, "weights", *_places(text, inside, rows, list(model.readout.reads)))
    # PART.MATRIX[row,column]; a vector (one column, called "one") needs no column.
    parts = dict(_parts(model))
    part, _, matrix = path.rpartition(".")
    if part not in parts:
        raise unknown("part of the model", part or path, [*parts, *(["readout"] if model.readout.weights else [])])
    matrices = parts[part].matrices()
    if matrix not in matrices:
        raise unknown(f"matrix of {part}", matrix, list(matrices))
    sides = [_names(parts[part], side) for side in parts[part].FIELDS[matrix]]
    if sides[1] == ["one"] and len(inside) == 1:
        inside = [*inside, "one"]
    return Weight(sign, part, matrix, *_places(text, inside, *sides))


def _names(part: Part, side: str) -> list[str]:
    """What the rows or columns of a matrix are called."""
    if side == "reads":
        return list(part.reads)
    if side == "writes":
        return list(part.writes)
    return ["one"] if side == "one" else [str(k + 1) for k in range(part.sizes()[side])]


def _places(text: str, inside: list[str], rows: list[str], columns: list[str]) -> tuple[int, int]:
    """The row and column from 0. An entry is a name, or a number from 1."""
    if len(inside) != 2:
        raise BadInput("a weight must have a row and a column", text, f"rows: {_some(rows)}; columns: {_some(columns)}")
    indices = []
    for what, entry, names in (("row", inside[0], rows), ("column", inside[1], columns)):
        if entry in names:
            indices.append(names.index(entry))
        elif entry.isdecimal() and 1 <= int(entry[:9]) <= len(names) and len(entry) < 9:
            indices.append(int(entry) - 1)
        else:
            raise unknown(f"{what} of {text.partition('[')[0].strip()}", entry, names)
    return indices[0], indices[1]


def _some(names: list[str]) -> str:
    """The first six names."""
    return ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")


def _value(model: Transformer, weight: Weight) -> Any:
    """The number at a weight's place."""
    part: Any = model.readout if weight.part == "readout" else dict(_parts(model))[weight.part]
    return getattr(part, weight.matrix)[weight.row, weight.column]


def _put(model: Transformer, weight: Weight, value: object) -> Transformer:
    """The model with another value at a weight's place."""

    def changed(part: Any, where: str) -> Any:
        """A part with the value in place, if the weight is in this part."""
        if where != weight.part:
            return part
        changed_matrix = getattr(part, weight.matrix).as_mutable()
        changed_matrix[weight.row, weight.column] = value
        return replace(part, **{weight.matrix: changed_matrix.as_immutable()})

    layers = []
    for number, layer in enumerate(model.layers, 1):
        heads = enumerate(() if layer.attention is None else layer.attention.heads, 1)
        changed_heads = tuple(changed(head, f"L{number}.head{h}") for h, head in heads)
        feedforward = changed(layer.feedforward, f"L{number}.ff")
        layers.append(
            replace(layer, attention=SelfAttention(changed_heads) if changed_heads else None, feedforward=feedforward)
        )
    return replace(model, layers=tuple(layers), readout=changed(model.readout, "readout"))
