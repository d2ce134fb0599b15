"""The largest temperature at which softmax attention decides every string of a length as hard attention does.

Where the scores are rational, every value is a rational function of x = e^(-1/(D tau)), and the temperature is known
through a root of a polynomial (`_exactly`). Else rigorous intervals enclose it between a temperature up to which all
is proved and one at which a string is decided otherwise (`_enclosed`).
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
from symcook.errors import NotExact, Undecided
from symcook.forward import check_temperatures, forward
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.numbers.balls import ball, bits_for, hull, refine
from symcook.numbers.roots import RealPlace, ball_of
from symcook.questions.answer import Answer, AnswerCell, keeping, lengths
from symcook.questions.cold import at_low_temperatures
from symcook.questions.intervals import at_point, between
from symcook.questions.line import Unit
from symcook.questions.moving import OneSymbol, answer
from symcook.questions.reach import LeftOpen, Reach, decimal, enclosed, exactly, soonest
from symcook.words import Cover
from symcook.words.inputs import Language, strings

if TYPE_CHECKING:
    from symcook.domains.exact import ExactValue
    from symcook.questions.reach import RightAt, RightBetween, VerdictsAt
    from symcook.words import Word

FIRST, LIMIT, COLDEST, NEAR = Fraction(10007, 10**6), Fraction(2**20), Fraction(1, 2**10), 10**6
"""For rigorous intervals: the first temperature that is tried, the greatest, the least, and the relative accuracy, as
one over it."""
OPEN = dict.fromkeys(("tau", "word", "root", "rule"))
"""A row of which nothing is known."""
SHOWN = Fraction(1, 2**20)
"""The first temperature of the proof, where it cannot begin at 0."""


@door()
def temperature(
    model: Transformer,
    max_length: int,
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
    """The largest softmax temperature with the decisions of hard attention, by length.

    At every temperature below the one that is shown, the model with softmax attention decides every string of that
    length as the model with hard attention does. Where NAME has softmax, the model with hard attention is the one with
    average-hard attention in its place. The table also has the paper's gamma/log(8 n), at which every retrieved value
    is within 1/4.

    For example: symcook temperature first-flawed --max-length 6

    digits D: Digits of temperatures.

    This is tau(n) with: at every temperature below tau(n) the softened model decides every word of n typed symbols as
    the hard one does. The hard model keeps its own attention where that is hard; the soft one is
    `model.soften("tau")`. Where the scores are rational numbers, a weight is a power of x = e^(-1/(D tau)), D their
    common denominator, every value is a rational function of x, and tau(n) = -1/(D log x) for a root x in (0, 1) of the
    polynomial in the row's "root"; else it lies in a ball between a temperature up to which all is shown and one at
    which a word is decided otherwise. "tau" is None where every temperature will do, and 0 where none is low enough.

    "rule" is the paper's gamma/log(8 n) (Cookbook, Section 5.7), at which every retrieved value is within 1/4, n the
    positions and gamma the least score gap that the hard model meets at this length; a value so near need not
    be near enough for the decision, and a decision may stand much more. None where no row has a gap.

    Raises BadInput for a model that does not decide about words; NoRun for a length at which one of its own
    temperatures is not positive; Undecided where an answer stays open.
    Source: Cookbook, Section 5.7; merrill2024, Definition 7, for ties, which no temperature breaks.
    """
    digits = check_digits(digits)
    asked = strings(model, lengths(model, max_length, min_length), inputs, sample, seed, positions)
    bound = plain_scores(asked.counted(model.bind(values)))
    for n in asked.lengths:
        positions_count, start = n + bound.embedding.added, bound.embedding.start
        # On the model itself: the hard model has no temperatures, and in the soft one they are multiplied by a symbol.
        domain = ExactDomain()
        domain.begin((None,) * positions_count, start)
        check_temperatures(bound, domain)
    answered = partial(
        Answer, "temperature", model.name, {"max_length": max_length}, ("n", *OPEN), vertical="tau",
        nothing={"tau": "every"}, inputs=asked,
    )  # fmt: skip
    # Scores are constant: every temperature gives the same weights.
    if all(head.averages for head in all_heads(bound)):
        notes = {"scores": "every head is a plain average, so the temperature has no effect"}
        return answered(tuple({"n": n, **OPEN} for n in asked.lengths), notes, ("tau",))
    tau = fresh("tau", [*(p.name for p in bound.parameters), *bound.space])
    hard, soft = harden(bound), soften(bound, tau)
    rows: list[dict[str, AnswerCell]] = []
    exact, method, open_below = True, "", Fraction(0)

    def told() -> Answer:
        """The answer for the lengths so far."""
        notes = {
            "method": method,
            "tau": "exact, as a root of a polynomial in x = e^(-1/(D tau)), for scores with denominator D" if exact else
            "in a ball: all lower temperatures decide as hard attention does, and at its upper end a string is "
            "otherwise; 0 where the string is decided otherwise at every temperature from 0 on; every means up to "
            f"{LIMIT}",
        }  # fmt: skip
        if open_below:
            notes["open"] = f"temperatures below {open_below}, where scores become alike, are not shown"
        notes["rule"] = "tau = gamma/log(8 n) keeps every retrieved value within 1/4 (Cookbook, Section 5.7)"
        title = f"{model.name}: largest temperature that decides as hard attention"
        return answered(tuple(rows), notes, ("tau", "rule"), title=title)

    # Exactly, in powers of x, until a length where that is impossible; from then on in balls.
    with keeping(rows, told):
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
            open_below = max(open_below, least.shown)
            rows.append({"n": n, **_row(bound, least, n, digits)})
            if progress is not None:
                progress(n, asked.lengths[-1])
    return told()


class _Found(NamedTuple):
    """The least reach over the strings of a length (in x with its unit, or in tau with unit None), the string that has
    it, and the least score gap of the hard model. Temperatures below `shown` are not proved."""

    best: Reach | None
    word: Any
    unit: int | None
    gap: Fraction | None
    shown: Fraction = Fraction(0)


class _Watching(ExactDomain):
    """The exact domain, which also notes the least gap between the largest score of a row and the next one."""

    gap: Any = None
    scoring = Rowwise.scoring  # with the scores as they are

    def best(self, scores: Sequence[ExactValue], weighting: str, i: int, first: int) -> Any:
        """The positions that hard attention takes; it notes the gap between the largest score and the next."""
        top = max(scores)
        for score in scores:
            if score != top and (self.gap is None or top - score < self.gap):
                self.gap = top - score
        return super().best(scores, weighting, i, first)


def _hard(hard: Transformer, word: Word) -> tuple[Any, Any]:
    """The hard model's answer to a word, and the least score gap that it met there (None where it is not exact)."""
    domain: Any = _Watching()
    try:
        hard_answer = answer(forward(hard, hard.tokens(word), domain))
    except NotExact:
        domain, hard_answer = None, answer(forward(hard, hard.tokens(word), Balls(256)))
    if hard_answer is None:
        raise Undecided(f"the hard model's answer to {hard.embedding.said(word)} was undecided")
    return hard_answer, None if domain is None else domain.gap


def _exactly(hard: Transformer, soft: Transformer, words: Cover) -> _Found:
    """How far x = e^(-1/(unit tau)) may grow from 0 to 1; the unit is a common denominator of the scores of all
    strings."""
    unit = 1
    while True:
        try:
            return _least(hard, soft, words, partial(_in_powers, soft, unit), unit)
        except Unit as needed:
            unit = needed.args[0]


def _enclosed(hard: Transformer, soft: Transformer, words: Cover) -> _Found:
    """How far tau may grow from 0, by rigorous intervals."""
    return _least(hard, soft, words, partial(_in_balls, soft), None)


def _least(
    hard: Transformer, soft: Transformer, words: Cover, reach_of: Callable[..., Reach], unit: int | None
) -> _Found:
    """The least reach over the strings of a length, where `reach_of` gives that of one; and the least score gap."""
    gaps: list[Any] = []
    open_from = Fraction(0)

    def reach(word: Word, best: Reach | None) -> Reach:
        """How far one string keeps the hard model's answer."""
        nonlocal open_from
        expected, gap = _hard(hard, word)
        gaps.extend([] if gap is None else [gap])
        try:
            string_reach = reach_of(word, expected, best)
        except LeftOpen as error:
            at = f"was undecided above the temperature {decimal(error.last)}"
            input_text = hard.embedding.said(word)
            raise Undecided(
                f"the answer to {input_text} {at}: rigorous intervals show it on no interval there"
            ) from None
        open_from = max(open_from, string_reach.start)
        return string_reach

    # Every string is asked for the least reach so far, so that `gaps` and `open_from` are complete afterwards.
    best, worst = soonest(words, reach)
    gap = min(gaps, default=None)
    return _Found(best, worst, unit, Fraction(gap) if isinstance(gap, (Fraction, int)) else None, open_from)


def _in_powers(soft: Transformer, unit: int, word: Word, expected: VerdictsAt, best: Reach | None) -> Reach:
    """How far x may grow before one string is decided otherwise; beyond `best` it does not look."""
    along = OneSymbol(soft, word, soft.parameters[-1].name, None, unit=unit)
    top: RealPlace = Fraction(1) if best is None or best.first is None else best.first
    reach = exactly(along.probe, along.point, expected, top)
    return Reach(reach.last, None) if reach.first == 1 else reach  # no temperature has x = 1


def _in_balls(soft: Transformer, word: Word, expected: VerdictsAt, best: Reach | None) -> Reach:
    """How far the temperature may rise from 0 before one string is decided otherwise, by rigorous intervals."""
    sequence, name = soft.tokens(word), soft.parameters[-1].name

    def right_at(tau: Fraction) -> bool:
        return at_point(soft, sequence, name, tau) == expected

    def right_between(low: Fraction, high: Fraction) -> bool:
        return between(soft, sequence, name, low, high, warm=True) == expected

    # Another string changes at `best.last`: it is enough that this one is right from 0 to there.
    if best is not None and best.first is not None:
        if not isinstance(best.last, Fraction):
            raise RuntimeError("a temperature of a run in balls is rational")
        if best.last == 0:
            return best
        if right_at(best.last):
            return _from_cold(right_at, right_between, best.last, best.last, best.last)._replace(first=None)
    # A first temperature at which the string is right; at lower and lower ones, as the answer is wrong.
    first = FIRST
    while not right_at(first):
        low = at_low_temperatures(soft, sequence, name, first)
        # Wrong at all temperatures down to 0: no temperature is low enough.
        if low is not None and low != expected:
            return Reach(Fraction(0), Fraction(0), False)
        first /= 16
        if first < COLDEST:
            string = soft.embedding.said(soft.embedding.typed(sequence))
            raise Undecided(
                f"{string} is decided otherwise down to the temperature {float(16 * first):.3g}, and whether it is so "
                "at all lower ones was undecided"
            )
    return _from_cold(right_at, right_between, first, LIMIT, first / NEAR)


def _from_cold(
    right_at: RightAt, right_between: RightBetween, first: Fraction, limit: Fraction, near: Fraction
) -> Reach:
    """`enclosed` from temperature 0 on. Where that is undecided (scores that are equal in the limit alone) it begins at
    SHOWN, then at 16 times as much, and so on: the remaining weights of the softmax become large enough for balls."""
    start = Fraction(0)
    while True:
        try:
            return enclosed(right_at, right_between, first, limit, near, start=start)
        except LeftOpen:
            if start == first:
                raise
            start = min(first, max(SHOWN, 16 * start))


def _row(model: Transformer, least: _Found, n: int, digits: int) -> dict[str, AnswerCell]:
    """The cells of one length; a cell stays None where every temperature is right or no score gap is known."""
    row: dict[str, AnswerCell] = {**OPEN}
    positions = n + model.embedding.added
    tempered = any(head.weighting == "softmax" and head.temperature != 1 for head in all_heads(model))
    if least.gap is not None and not tempered:
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
