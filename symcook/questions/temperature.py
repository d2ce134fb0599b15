"""The largest temperature at which softmax attention decides every string of a length as hard attention does.

If the scores are rational with denominator D, every value is a rational function of x = e^(-1/(D tau)), and the
temperature is given by a root of a polynomial (`_exactly`). Otherwise rigorous intervals enclose it between a
temperature up to which all answers are proved and one at which a string is decided otherwise (`_enclosed`).

The "hard" model has hard attention, and the "soft" model has softmax in its place, with the temperature as a symbol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import arb

from symcook.compose.cooling import all_heads, harden, plain_scores, soften
from symcook.compose.routing import fresh
from symcook.domains.ball import BallDomain as Balls
from symcook.domains.exact import Exact as ExactDomain
from symcook.domains.rowwise import Rowwise
from symcook.door import Progress, check_digits, door
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import check_temperatures, forward
from symcook.model.reads import BIASED_HEADS, NORMS_AND_GATES, ROTARY, PartsRead
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.numbers.balls import ball, bits_for, hull, refine
from symcook.numbers.roots import RealPlace, ball_of
from symcook.questions.answer import Answer, AnswerCell, asked_strings, keeping
from symcook.questions.cold import at_low_temperatures
from symcook.questions.intervals import at_point, between
from symcook.questions.line import Unit
from symcook.questions.moving import OneSymbol, answer
from symcook.questions.reach import LeftOpen, Reach, decimal, enclosed, exactly, soonest
from symcook.words import Cover
from symcook.words.inputs import Language

if TYPE_CHECKING:
    from symcook.domains.exact import ExactValue
    from symcook.questions.reach import RightAt, RightBetween, VerdictsAt
    from symcook.words import Word
    from symcook.words.inputs import Strings

READS = PartsRead("the question temperature", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY)

FIRST, LIMIT, COLDEST, NEAR = Fraction(10007, 10**6), Fraction(2**20), Fraction(1, 2**20), 10**6
"""For rigorous intervals: the first temperature that is tried, the largest, the smallest, and the number by which the
first one is divided to give the accuracy."""
ROUGH, STEADY = 10**3, 3
"""For a model with norms, whose intervals are short near the temperature of a change: the number in place of `NEAR`,
and how many intervals follow a failure before a longer one is tried."""
OPEN = dict.fromkeys(("tau", "word", "root", "rule"))
"""The cells of a row about which nothing is known, without its length."""
GAP_CLASSES = 2**12
"""The greatest number of classes of one length that are run for their score gaps alone."""
SHOWN = Fraction(1, 2**20)
"""The temperature at which a proof begins if it cannot begin at 0."""


@door()
def temperature(
    model: Transformer,
    max_length: int | None = None,
    *,
    min_length: int = 1,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    values: Mapping[str, Exact] | None = None,
    digits: int = 10,
    progress: Progress | None = None,
) -> Answer:
    """The largest softmax temperature at which the model decides as it does with hard attention, at each length.

    At every temperature below tau(n), the model with softmax attention decides every string of n input symbols as
    the model with hard attention does. The hard model has the model's own attention if that is hard, else
    average-hard attention; the soft model is `model.soften("tau")`. If the scores are rational numbers with the
    common denominator D, a weight is a power of x = e^(-1/(D tau)), every value is a rational function of x, and
    tau(n) = -1/(D log x) for a root x in (0, 1) of the polynomial in the row's "root". For other scores
    tau(n) is enclosed in a rigorous interval: at its lower end all answers are proved, at its upper end the answer to
    some string changes.

    "rule" is the paper's gamma/log(8 n), at which the weights of a row of scores are within 1/4 of those of hard
    attention, in all. Here n is the number of positions, and gamma the smallest score gap of the hard model at this
    length, of heads and positions on which the answer depends. That need not be near enough for the decision, and a
    decision may tolerate more.

    Arguments:
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
        digits: int (10). Digits of temperatures.
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: Answer with a row for each length: "n", "tau" (None if every temperature gives the same decisions, 0 if
    none is low enough), "word" (a string that is decided otherwise there), "root", and "rule" (None if no row has a
    gap, or the gap of some string is not known).

    Raises: BadInput: a model that does not decide about strings. NoRun: a length at which one of its own
    temperatures is not positive. Undecided: an answer is still unknown with 16,384 bits.

    Example:

    >>> import symcook as sc
    >>> sc.build("first-flawed").temperature(2).rows[1]["root"]
    'x = 1/2, x = e^(-1/tau)'

    Source: Cookbook, Section 5.7; merrill2024, Definition 7 (averages at ties; a low temperature breaks no tie).
    """
    digits = check_digits(digits)
    asked = asked_strings(model, max_length, min_length, inputs, sample, seed, positions)
    bound = plain_scores(asked.counted(model.bind(values)))
    for n in asked.lengths:
        positions_count, start = n + bound.embedding.added, bound.embedding.start
        # Checked on the model itself: the hard model has no temperatures, and the soft model multiplies them by a
        # symbol.
        domain = ExactDomain()
        domain.begin((None,) * positions_count, start)
        check_temperatures(bound, domain)
    answered = partial(
        Answer, "temperature", model.name, {"max_length": asked.longest}, ("n", *OPEN), vertical="tau",
        nothing={"tau": "every"}, inputs=asked, extent=asked.extent(model, values),
    )  # fmt: skip
    # If all scores of a head are equal, every temperature gives the same weights.
    if all(head.averages for head in all_heads(bound)):
        notes = {"scores": "every head is a plain average, so the temperature has no effect"}
        return answered(tuple({"n": n, **OPEN} for n in asked.lengths), notes, ("tau",))
    tau = fresh("tau", [*(p.name for p in bound.parameters), *bound.space])
    hard, soft = harden(bound), soften(bound, tau)
    rows: list[dict[str, AnswerCell]] = []
    # Whether all rows so far are exact, how strings are gone through, and below which temperature nothing is proved.
    exact, method, open_below = True, "", Fraction(0)

    def answer_so_far() -> Answer:
        """The answer for the lengths so far."""
        notes = {
            "method": method,
            "tau": "exact, as a root of a polynomial in x = e^(-1/(D tau)), for scores with denominator D" if exact else
            "a rigorous interval: at all lower temperatures the answers are those of hard attention, and at its upper "
            "end the answer of a string differs; 0: it differs at every temperature above 0; every: up to "
            f"{LIMIT}",
        }  # fmt: skip
        if open_below:
            below = f"temperatures below {open_below} are not covered"
            notes["open"] = f"{below}: rigorous intervals leave an answer open there"
        notes["rule"] = "tau = gamma/log(8 n) keeps the weights of each row within 1/4 (Cookbook, Section 5.7)"
        title = f"{model.name}: largest temperature that decides as hard attention"
        return answered(tuple(rows), notes, ("tau", "rule"), title=title)

    # By powers of x, exactly, until a length at which that is impossible; from then on by rigorous intervals.
    with keeping(rows, answer_so_far):
        for n in asked.lengths:
            words = asked.cover(n, hard, soft)
            method = words.says
            least = None
            if exact:
                try:
                    least = _exactly(hard, soft, words)
                except NotExact:
                    exact = False
            least = least or _enclosed(hard, soft, words)
            if not _tempered(bound):
                least = least._replace(gap=_least_gap(hard, asked, words, least.gap))
            open_below = max(open_below, least.shown)
            rows.append({"n": n, **_row(bound, least, n, digits)})
            if progress is not None:
                progress(n, asked.lengths[-1])
    return answer_so_far()


class _LengthResult(NamedTuple):
    """The result for one length."""

    best: Reach | None
    """The smallest reach over all strings: in x = e^(-1/(unit tau)), or in tau if `unit` is None. None: no string."""
    word: Any
    """The string that has this reach; None if no answer changes."""
    unit: int | None
    """The unit of x, a common denominator of the scores; None if `best` is in tau."""
    gap: Fraction | None
    """The smallest score gap of the hard model; None if there is none, or if that of some string is not known."""
    shown: Fraction = Fraction(0)
    """The answers are not proved at temperatures below this one."""


class _GapRecorder(ExactDomain):
    """The exact number system, which also records the smallest gap between the largest score of a row and the next."""

    gap: Any = None
    scoring = Rowwise.scoring  # `Exact.scoring` may replace scores by others in the same order, with other gaps

    def best(self, scores: Sequence[ExactValue], weighting: str, i: int, first: int) -> Any:
        """The positions that hard attention takes. Records the gap between the largest score and the next in `gap`."""
        top = max(scores)
        for score in scores:
            if score != top and (self.gap is None or top - score < self.gap):
                self.gap = top - score
        return super().best(scores, weighting, i, first)


def _hard_answer(hard: Transformer, word: Word) -> tuple[Any, Any, bool]:
    """The hard model's answer to a string, its smallest score gap on this string, and whether that gap is known. It is
    None if there is none; it is not known if the run is not exact."""
    domain: Any = _GapRecorder()
    try:
        hard_answer = answer(forward(hard, hard.tokens(word), domain))
    except NotExact:
        domain, hard_answer = None, answer(forward(hard, hard.tokens(word), Balls(256)))
    if hard_answer is None:
        raise Undecided(f"the hard model's answer to {hard.embedding.said(word)} was undecided")
    return hard_answer, None if domain is None else domain.gap, domain is not None


def _least_gap(hard: Transformer, asked: Strings, words: Cover, found: Fraction | None) -> Fraction | None:
    """The smallest score gap of the hard model on all strings of a length; None if there is none, or if that of some
    string is not known. `found` is the one on a string of each class of `words`. Strings with the same answer may have
    other gaps, as where two heads cancel: then one string of each finer class is run, of at most `GAP_CLASSES`."""
    if found is None or all(stand.words == 1 for stand in words):
        return found
    try:
        finer = asked.cover(words.n, hard, scores=True)
    except BadInput:  # too many classes of a language
        return None
    if finer.many > GAP_CLASSES:
        return None
    gaps: list[Any] = []
    for word, _ in finer:
        _, gap, gap_found = _hard_answer(hard, word)
        if not gap_found:
            return None
        gaps.extend([] if gap is None else [gap])
    gap = min(gaps, default=None)
    return Fraction(gap) if isinstance(gap, (Fraction, int)) else None


def _exactly(hard: Transformer, soft: Transformer, words: Cover) -> _LengthResult:
    """The result by powers of x = e^(-1/(unit tau)), which may grow from 0 to 1. The unit is enlarged until it is a
    common denominator of the scores of all strings. NotExact if the values are not rational functions of x."""
    unit = 1
    while True:
        try:
            return _least(hard, soft, words, partial(_in_powers, soft, unit), unit)
        except Unit as needed:
            unit = needed.args[0]


def _enclosed(hard: Transformer, soft: Transformer, words: Cover) -> _LengthResult:
    """The result by rigorous intervals of tau, which may grow from 0."""
    return _least(hard, soft, words, partial(_in_balls, soft), None)


def _least(
    hard: Transformer, soft: Transformer, words: Cover, reach_of: Callable[..., Reach], unit: int | None
) -> _LengthResult:
    """The result for the strings `words` of a length. `reach_of` returns the reach of one string, from the string, the
    expected answer and the smallest reach so far."""
    gaps: list[Any] = []
    every_gap = True
    open_from = Fraction(0)

    def reach(word: Word, best: Reach | None) -> Reach:
        """How far one string keeps the hard model's answer."""
        nonlocal open_from, every_gap
        expected, gap, gap_found = _hard_answer(hard, word)
        every_gap = every_gap and gap_found
        gaps.extend([] if gap is None else [gap])
        try:
            string_reach = reach_of(word, expected, best)
        except LeftOpen as error:
            at = f"was undecided above the temperature {decimal(error.last)}"
            input_text = hard.embedding.said(word)
            raise Undecided(
                f"the answer to {input_text} {at}: rigorous intervals decide it at no point there"
            ) from None
        open_from = max(open_from, string_reach.start)
        return string_reach

    # `soonest` calls `reach` for every string, so `gaps` and `open_from` are complete afterwards.
    best, worst = soonest(words, reach)
    gap = min(gaps, default=None) if every_gap else None  # a gap that is not known may be the smallest
    return _LengthResult(best, worst, unit, Fraction(gap) if isinstance(gap, (Fraction, int)) else None, open_from)


def _in_powers(soft: Transformer, unit: int, word: Word, expected: VerdictsAt, best: Reach | None) -> Reach:
    """How far x may grow before one string is decided otherwise; the search ends at `best`, the smallest reach so
    far."""
    along = OneSymbol(soft, word, soft.parameters[-1].name, None, unit=unit)
    top: RealPlace = Fraction(1) if best is None or best.first is None else best.first
    reach = exactly(along.probe, along.point, expected, top)
    return Reach(reach.last, None) if reach.first == 1 else reach  # x = 1 is an infinite temperature


def _in_balls(soft: Transformer, word: Word, expected: VerdictsAt, best: Reach | None) -> Reach:
    """How far the temperature may rise from 0 before one string is decided otherwise, by rigorous intervals. `best` is
    the smallest reach so far, beyond which the search may stop. Undecided if no temperature is found at which the
    answer is right, and it is not proved to be wrong at all low ones; LeftOpen if no interval is short enough."""
    sequence, name = soft.tokens(word), soft.parameters[-1].name
    normed = any(step.norms for step in READS.of(soft).sublayers)
    steady = STEADY * normed

    def right_at(tau: Fraction) -> bool:
        """Whether the answer at the temperature `tau` is right."""
        return at_point(soft, sequence, name, tau) == expected

    def right_between(low: Fraction, high: Fraction) -> bool:
        """Whether the answer is proved to be right at all temperatures from `low` to `high`."""
        return between(soft, sequence, name, low, high, warm=True) == expected

    # The answer to another string changes at `best.last`. It is enough that this string is right from 0 to there.
    limit = LIMIT
    if best is not None and best.first is not None:
        if not isinstance(best.last, Fraction):
            raise RuntimeError("a temperature of a run in balls is rational")
        limit = best.last
        if limit == 0:
            return best
        if right_between(Fraction(0), limit):
            return Reach(limit, None)
    # Look for a first temperature at which the answer is right, at lower and lower temperatures down to `COLDEST`.
    first = min(FIRST, limit)
    while not right_at(first):
        low = at_low_temperatures(soft, sequence, name, first)
        # Wrong at all temperatures down to 0: no temperature is low enough.
        if low is not None and low != expected:
            return Reach(Fraction(0), Fraction(0), False)
        first /= 16
        if first < COLDEST:
            string = soft.embedding.said(soft.embedding.typed(sequence))
            raise Undecided(
                f"the decision of {string} differs down to the temperature {float(16 * first):.3g}; whether it differs "
                "at every lower temperature is undecided"
            )
    return _from_cold(right_at, right_between, first, limit, first / (ROUGH if normed else NEAR), steady)


def _from_cold(
    right_at: RightAt, right_between: RightBetween, first: Fraction, limit: Fraction, near: Fraction, steady: int
) -> Reach:
    """`enclosed` from temperature 0 on. If that is undecided, because scores are equal only in the limit, it begins at
    `SHOWN`, then at 16 times as much, and so on, until the weights of the softmax are large enough to tell apart from
    0 by intervals. LeftOpen if it is undecided from `first` on too."""
    start = Fraction(0)
    while True:
        try:
            return enclosed(right_at, right_between, first, limit, near, start=start, steady=steady)
        except LeftOpen:
            if start == first:
                raise
            start = min(first, max(SHOWN, 16 * start))


def _tempered(model: Transformer) -> bool:
    """Whether the model has softmax with temperatures of its own."""
    return any(head.weighting == "softmax" and head.temperature != 1 for head in all_heads(READS.of(model)))


def _row(model: Transformer, least: _LengthResult, n: int, digits: int) -> dict[str, AnswerCell]:
    """The cells of one length. "tau", "word" and "root" are None if every temperature is right; "root" also if "tau" is
    0 or not exact. "rule" is None if no score gap is known, or if the model has softmax with temperatures of its
    own."""
    row: dict[str, AnswerCell] = {**OPEN}
    positions = n + model.embedding.added
    if least.gap is not None and not _tempered(model):
        rate = Fraction(least.gap)
        rule = refine(lambda: ball_of(rate) / arb(8 * positions).log(), digits, relative=True)
        row["rule"] = ball(rule, digits, relative=True)
    best, unit = least.best, least.unit
    if best is None or best.first is None or least.word is None:
        return row
    row["word"] = model.embedding.written(least.word)
    place = best.last
    # No temperature is low enough; a root of a polynomial in x; or a ball between a right and a wrong temperature.
    if best.first == place == 0:
        return row | {"tau": Fraction(0)}
    if best.first == place and unit is not None:
        equation = f"x = {place}" if isinstance(place, Fraction) else place.text("x")
        row["root"] = f"{equation}, x = e^(-1/{'tau' if unit == 1 else f'({unit} tau)'})"
        row["tau"] = ball(refine(lambda: -1 / (unit * ball_of(place).log()), digits), digits)
        return row
    if not (isinstance(place, Fraction) and isinstance(best.first, Fraction)):
        raise RuntimeError("a temperature of a run in balls is rational")
    return row | {"tau": ball(hull(place, best.first, bits_for(digits)), digits, relative=True)}
