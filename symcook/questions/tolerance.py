"""How far one weight may move before some string of a length gets another answer.

The weight becomes a symbol (`free`), and both sides of its value are searched for the nearest change. If strings can be
grouped, all are treated at once (`symcook.questions.along`); otherwise one by one (`_furthest`). The search for one
string is exact if the values are rational functions of the weight (or linear with sums of exponentials), and by
rigorous intervals otherwise (`_in_balls`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

from flint import fmpq

from symcook.compose.namedweights import read_weight, weight_value, with_weight
from symcook.compose.routing import fresh
from symcook.door import Progress, check_digits, door
from symcook.errors import BadInput, NoRun, NotExact, Undecided
from symcook.files import repeated
from symcook.model.symbols import Exact, fraction, from_sympy, symbol
from symcook.model.transformer import Parameter, Transformer
from symcook.numbers.balls import Ball, arb_of, ball, bits_for, hull, refine, resolving
from symcook.numbers.roots import Algebraic, ball_of
from symcook.questions.along import Along
from symcook.questions.answer import Answer, AnswerCell, asked_strings, keeping
from symcook.questions.intervals import NO_VALUE, at_point, between
from symcook.questions.moving import OneSymbol, exact_answers
from symcook.questions.reach import LeftOpen, Reach, decimal, enclosed, exactly, soonest
from symcook.questions.slope import falls, only_zero
from symcook.questions.straight import OneStraight
from symcook.words import Cover, Word
from symcook.words.cells import Cells
from symcook.words.inputs import Language

FIRST = Fraction(10007, 10**7)
"""The first step of a search by rigorous intervals. It is an odd fraction, so that answers are unlikely to change
exactly at the end of a step."""
ROOT_DIGITS = 30
"""The minimum number of decimals of an end that is the root of a polynomial."""
SIDES = {-1: "low", 1: "high"}
"""By direction in which the weight moves: the name of the end."""
TOGETHER = 1_000
"""The maximum number of strings that are run in one exact batch, at the model's own weight."""
FARTHEST = Fraction(2**10)
"""How far from the weight rigorous intervals are tried, as a multiple of the weight's absolute value, or of 1 if that
is larger."""


@door()
def tolerance(
    model: Transformer,
    weights: str | Sequence[str],
    max_length: int | None = None,
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
    """The interval in which one weight can change before a decision changes, at each length.

    The interval is the largest one around the weight's value in which every string keeps its answer; further away
    the answers may be right again. If the answers are rational functions of the weight (no layer norm, rational
    numbers), the ends are exact: rational, or a `Ball` around a root of a polynomial. They are also exact if softmax
    has rational scores that do not depend on the weight, and values are linear in the weight: an end may then be a
    quotient of sums of exponentials. Otherwise each end lies between two numbers at most 10^-digits apart: up to
    the first, rigorous intervals prove all answers right; at the second, some string is decided wrongly. A rational
    end is exact in this case too, if it is proved that the logit is exactly zero there and its slope has one sign
    around it.

    If heads average over earlier positions and numbers are linear in the weight, prefixes are grouped while the
    weight moves (`symcook.questions.along`), so that lengths of 100 are possible. The ends are the same as for
    single strings.

    Arguments:
        weights: str or a list of str. The weight that moves, such as "L1.head1.V[ones,one]", "L2.ff.W1[3,total]" or
            "readout[s]" (`symcook.questions.tolerance.free`). Several move together, those after a minus sign the
            other way.
        max_length: int or None (None). The maximum length in input symbols; by default that of the longest of
            finitely many inputs.
        min_length: int (1). The smallest length of a string; with 0 the empty string is included.
        inputs: a list of strings, a regular expression, a file or an automaton (None). The strings to test;
            all by default.
        sample: int or None (None). The number of strings that are drawn at random from `inputs`.
        seed: int (0). The seed of the draw.
        positions: "last", "all" or "after:SYMBOL" (None). The answers that count, for a readout at each position;
            all by default.
        values: {parameter: exact value} (None). A parameter without a value has its default.
        digits: int (6). Decimal digits of inexact ends; roots have at least 30.
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: Answer with a row for each length: "n", "low" and "high" (None: no end), "low_in" and "high_in"
    (whether the end itself belongs to the interval; None if that is unknown), "low_word" and "high_word" (a string
    whose answer changes there).

    Raises: BadInput: an invalid weight or length. NoRun: a string has no run at the weight's own value. Undecided:
    an answer is still unknown with 16,384 bits.

    Example:

    >>> import symcook as sc
    >>> row = sc.build("dyck-1-nonuniform", N=4).tolerance("L2.ff.b1[1]", 2).rows[1]
    >>> str(row["low"]), str(row["high"]), row["high_word"]
    ('0', '1/16', ')(')

    Source: chiang2022, Section 5.1 and Figure 3 (the sensitivity of PARITY to one weight).
    """
    digits = check_digits(digits)
    asked = asked_strings(model, max_length, min_length, inputs, sample, seed, positions)
    bound, extent = asked.counted(model.bind(values)), asked.extent(model, values)
    named = [weights] if isinstance(weights, str) else list(weights)
    moved, value = free(bound, named)
    name = moved.parameters[-1].name
    try:
        start: Fraction | None = fraction(value)
    except BadInput:
        raise BadInput(
            "a weight that moves must be rational", from_sympy(value), "choose a weight with a rational value"
        ) from None
    rows: list[dict[str, AnswerCell]] = []
    exact, method = True, ""  # whether all ends so far are exact, and how strings are gone through

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
            "tolerance", bound.name, {"free": named, "max_length": asked.longest},
            ("n", "low", "low_in", "low_word", "high", "high_in", "high_word"), tuple(rows), notes,
            ("low", "high"), "weight", f"{bound.name}: {', '.join(named)} with {extent.strings} right",
            nothing={"low": "no end", "high": "no end"}, inputs=asked, extent=extent,
        )  # fmt: skip

    try:
        # By side, the search by groups of strings; empty if the model does not allow groups.
        merged = {side: Along(moved, name, start, side, asked) for side in SIDES}
    except NotExact:
        merged = {}
    with keeping(rows, answered):
        for n in asked.lengths:
            method, ends = _ends_by_groups(merged, n) or _ends_by_strings(
                moved, name, start, asked.cover(n, moved), digits
            )
            row: dict[str, AnswerCell] = {"n": n}
            for side, (best, word, sure) in ends.items():
                exact = exact and sure
                row |= _end(bound, start, side, SIDES[side], best, word, digits)
            rows.append(row)
            if progress is not None:
                progress(n, asked.lengths[-1])
    return answered()


WeightEnd = tuple[Reach | None, Any, bool]
"""The end to one side: how far the weight may go (None: there is no string), the string whose answer changes there, and
whether an exact method found it. An end that intervals found may be exact too (`_made_exact`)."""


def _ends_by_groups(merged: dict[int, Along], n: int) -> tuple[str, dict[int, WeightEnd]] | None:
    """How strings of `n` symbols are grouped, and the end of each side, by the groups in `merged`. None if they give no
    exact answer; then `merged` is emptied, so that larger lengths do not try it again."""
    try:
        if not merged:
            return None
        return Along.says, {side: (*along.reach(n), True) for side, along in merged.items()}
    except NotExact:
        merged.clear()
        return None


def _ends_by_strings(
    model: Transformer, name: str, start: Fraction, words: Cover, digits: int
) -> tuple[str, dict[int, WeightEnd]]:
    """How strings are gone through, and the end of each side, by one string of each class in `words`."""
    answers: dict[Word, Any] = {}
    if isinstance(words, Cells) and words.many <= TOGETHER:
        answers = exact_answers(model.bind({name: start}), [word for word, _ in words])
    return words.says, {side: _furthest(model, name, start, side, words, digits, answers) for side in SIDES}


def _furthest(
    model: Transformer, name: str, start: Fraction, side: int, words: Cover, digits: int, answers: dict[Word, Any]
) -> WeightEnd:
    """The end to one `side`, over all strings in `words`. `answers` caches the answers at the model's own weight."""
    # The exact methods that are still tried: rational functions of the weight, then linear values with sums of
    # exponentials. A method that fails for one string is dropped for all later ones. Intervals are the last resort.
    methods: list[type[OneSymbol]] = [OneSymbol, OneStraight]

    def reach_of(word: Word, best: Reach | None) -> Reach:
        """How far the weight may go for one string; `best` is the smallest reach so far, beyond which the search may
        stop."""
        limit = None if best is None else best.first
        while methods:
            try:
                along = methods[0](model, word, name, fmpq(start.numerator, start.denominator), side)
                if isinstance(along, OneStraight) and isinstance(limit, Algebraic):
                    raise NotExact("ends must be of one kind", limit)
                if word not in answers:
                    answers[word] = along.point(Fraction(0))
                return exactly(along.probe, along.point, answers[word], limit)
            except NotExact:
                del methods[0]
        return _in_balls(model, word, name, start, side, digits, best)

    return *soonest(words, reach_of), bool(methods)


def _in_balls(
    model: Transformer, word: Word, name: str, start: Fraction, side: int, digits: int, best: Reach | None
) -> Reach:
    """How far the weight may go for one string, by rigorous intervals of the weight. `best` is the smallest reach so
    far, beyond which the search may stop. Undecided if no interval is short enough; NoRun if the string has no run at
    the weight's own value."""
    sequence = model.tokens(word)

    def right_at(moved: Fraction) -> bool:
        """Whether the answer at the distance `moved` from the weight is right."""
        return at_point(model, sequence, name, start + side * moved) == expected

    def right_between(low: Fraction, high: Fraction) -> bool:
        """Whether the answer is proved to be right for all distances from `low` to `high`."""
        ends = start + side * low, start + side * high
        if between(model, sequence, name, min(ends), max(ends)) == expected:
            return True
        # At the start the logit may be exactly zero, which no interval shows: then it must fall from there.
        return low == 0 and expected is False and falls(model, sequence, name, *ends)

    expected = at_point(model, sequence, name, start)
    if expected == NO_VALUE:
        none = f"none of {model.embedding.said(word)}"
        raise NoRun("with the present weight, the model must be defined on every string", none, "give fewer lengths")
    # The answer to another string changes at `best`. It is enough that this string is right from the start to there.
    if best is not None and best.first is not None and isinstance(best.last, Fraction) and right_at(best.last):
        if best.last == 0:
            return best
        # It may be wrong in between, or not proved for the whole way: then its own end is looked for.
        with suppress(Undecided):
            whole = enclosed(right_at, right_between, best.last, best.last, Fraction(1, 10**digits))
            if whole.first is None:
                return whole
    try:
        enclosure = enclosed(right_at, right_between, FIRST, FARTHEST * max(1, abs(start)), Fraction(1, 10**digits))
    except LeftOpen as error:
        input_text, at = model.embedding.said(word), decimal(start + side * error.last)
        beyond = f"{'below' if side < 0 else 'above'} the weight {at}"
        raise Undecided(
            f"the answer to {input_text} was undecided {beyond}: rigorous intervals decide it at no point there"
        ) from None
    return _made_exact(model, sequence, name, start, side, enclosure, expected)


def _made_exact(
    model: Transformer, sequence: object, name: str, start: Fraction, side: int, enclosure: Reach, expected: object
) -> Reach:
    """An end that intervals enclose, made exact: it is a rational number if the logit is proved to be zero at it and
    nowhere else in the enclosure. Otherwise the `enclosure` itself."""
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
    """The three cells of one side: the end, whether it belongs to the interval, and the string. All are None if there
    is no end."""
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


def free(model: Transformer, names: Sequence[str], name: str = "free") -> tuple[Transformer, Any]:
    """`model` with the weights of these `names` replaced by a new symbol (by its negative after a minus sign), and the
    value of the symbol in `model`. The new symbol is called `name`, if that is unused.

    A weight's name has the part, the matrix, and in brackets the row and column, each by its name or by its number from
    1: L1.head1.V[kind,one], L1.head2.Q[1,place], L2.ff.W1[3,total], L2.ff.b1[3], L2.ff.W2[level,3], readout[accepted].
    Raises BadInput for an unknown name, with the nearest one, for a weight that is named twice, and if the weights are
    not one number up to their signs.
    """
    weights = [read_weight(model, text) for text in names]
    if not weights:
        raise BadInput("the weight that moves must be named", "none", "give --free L1.head1.V[row,column]")
    if (twice := repeated(weight.place for weight in weights)) is not None:
        again = [text for text, weight in zip(names, weights, strict=True) if weight.place == twice]
        raise BadInput("each weight that moves must be named once", " and ".join(again), "leave one of them out")
    weight_values = {weight.sign * weight_value(model, weight) for weight in weights}
    if len(weight_values) > 1:
        values_text = ", ".join(map(from_sympy, weight_values))
        raise BadInput(
            "weights that move together must have the same absolute value",
            values_text,
            "name weights of equal absolute value",
        )
    name = fresh(name, [*(p.name for p in model.parameters), *model.space])
    new = symbol(name)
    model = replace(model, parameters=(*model.parameters, Parameter(name)))
    for weight in weights:
        model = with_weight(model, weight, weight.sign * new)
    return model, weight_values.pop()
