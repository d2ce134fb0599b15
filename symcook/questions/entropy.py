"""How widely each head of a model attends: the entropy of its attention weights, over all strings of each length.

A row has the smallest and the largest entropy in bits, as balls with the digits asked for, and a string for each.
Strings with the same weights are run once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from flint import arb

from symcook.domains.ball import BallDomain
from symcook.door import Progress, check_digits, door
from symcook.errors import BadInput, Undecided, unknown
from symcook.forward import MOST_WEIGHTS, Result, forward
from symcook.locks import PRECISION
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.numbers.balls import ball, bits_for, ladder, limit_for, settled
from symcook.questions.answer import Answer, AnswerCell, asked_strings, keeping
from symcook.words import Cover
from symcook.words.inputs import Language

READS = StepsRead("the question entropy", **STEP_WORDS)


class AttendingRow(NamedTuple):
    """The attention weights of one head at one position."""

    step: int
    """The index of the head's sublayer among all sublayers."""
    head: int
    """The index of the head in its sublayer."""
    place: int
    """The index, from 0, of the position that attends."""
    name: str
    """The name of the head, with the position if all positions are asked about."""


class End(NamedTuple):
    """The smallest or largest entropy so far."""

    value: arb
    """The entropy in bits, as a ball."""
    word: str
    """The first string that has it, as far as the balls can be told apart."""


@door()
def entropy(
    model: Transformer,
    max_length: int | None = None,
    *,
    head: str | None = None,
    position: int | str | None = None,
    min_length: int = 1,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    values: Mapping[str, Exact] | None = None,
    digits: int = 10,
    progress: Progress | None = None,
) -> Answer:
    """The entropy of each head's attention weights, in bits, at each length: the smallest and the largest over all
    strings.

    The entropy of weights w is the sum of -w log2 w: 0 bits where one position has all the weight, log2 k for a
    plain mean of k positions. For a readout at all positions together, the default position is the last one. A
    string with the tokens that the model adds has at most 32 tokens. Strings with the same weights are run once.
    There is no entropy if the position has nothing to attend to. A head whose values are zero for every string
    writes nothing, and its weights are not computed; the note "none" names it.

    Arguments:
        max_length: int or None (None). The maximum length in input symbols; by default that of the longest of
            finitely many inputs.
        head: str or None (None). One head, such as "L2.head1"; all by default.
        position: int, "each" or None (None). The position that attends, as the model numbers them; by default that
            of the readout.
        min_length: int (1). The smallest length of a string; with 0 the empty string is included.
        inputs: a list of strings, a regular expression, a file or an automaton (None). The strings to test;
            all by default.
        sample: int or None (None). The number of strings that are drawn at random from `inputs`.
        seed: int (0). The seed of the draw.
        values: {parameter: exact value} (None). A parameter without a value has its default.
        digits: int (10). Digits after the point.
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: Answer with a row for each length and head: "n", "head" (with "each" also the position), "least" and
    "greatest" (balls), and the first strings that have these entropies, "least_word" and "word".

    Raises: BadInput: a model that does not read strings or has no attention; an invalid head, position or length;
    too many strings. Undecided: a choice of hard attention is not known, or the digits are not reached.

    Example:

    >>> import symcook as sc
    >>> [(row["n"], str(row["greatest"].mid)) for row in sc.build("dyck-1").entropy(2, head="L1.head1").rows]
    [(1, '0'), (2, '1')]

    Source: Cookbook, Definition 2.3, for the weights.
    """
    digits = check_digits(digits)
    within = asked_strings(model, max_length, min_length, inputs, sample, seed, decides=False)
    if within.longest + model.embedding.added > MOST_WEIGHTS:
        most = MOST_WEIGHTS - model.embedding.added
        raise BadInput(
            f"for attention entropy, the maximum length must be at most {most}",
            within.longest,
            f"give --max-length {most}",
        )
    # The positions that exist at the largest length. At smaller lengths, a position beyond the string has no row.
    first, last = model.embedding.start, model.embedding.start + within.longest + model.embedding.added - 1
    if position not in (None, "each") and (isinstance(position, str) or not first <= position <= last):
        must = f'a position must be an integer from {first} to {last}, or "each", at lengths to {within.longest}'
        raise BadInput(must, position, "give a position that every string of the lengths has")
    bound = model.bind(values)
    rows: list[Mapping[str, AnswerCell]] = []
    merged = False

    def answered() -> Answer:
        """The answer for the lengths so far."""
        method = "all strings one by one"
        if merged:
            method = "strings with the same attention weights are grouped"
        spread = any(str(row.get("least")) != str(row.get("greatest")) for row in rows)  # balls, as they are printed
        asked_with = {"max_length": within.longest, "head": head, "position": position}
        notes = {
            "entropy": f"of the attention weights at {_positions_text(bound, position)}, in bits",
            "method": method,
        }
        empty = [row for row in rows if "least" not in row]
        if empty:
            notes["none"] = "; ".join(dict.fromkeys(str(row["why"]) for row in empty))
        # "why" is a note of the whole answer, not a cell.
        cells = tuple({key: value for key, value in row.items() if key != "why"} for row in rows)
        return Answer(
            "entropy", bound.name, asked_with, ("n", "head", "least", "least_word", "greatest", "word"), cells, notes,
            ("least", "greatest") if spread else ("greatest",), "entropy of attention weights (bits)",
            f"Attention entropy of {bound.name}", by="head", inputs=within,
            extent=within.extent(model, values),
        )  # fmt: skip

    with keeping(rows, answered):
        for n in within.lengths:
            if n + model.embedding.added == 0:
                continue
            wanted = list(_rows(bound, n, head, position))
            words = within.cover(n, bound, traced=partial(_traced, wanted))
            merged = merged or words.many < within.many(n)
            rows += _length_rows(bound, n, wanted, words, digits)
            if progress is not None:
                progress(n, within.longest)
    return answered()


def _positions_text(model: Transformer, position: int | str | None) -> str:
    """The positions that attend, as text."""
    if position is None:
        return f"the {'first' if model.readout.first else 'last'} position"
    return "every position" if position == "each" else f"position {position}"


def _rows(model: Transformer, n: int, head: str | None, position: int | str | None) -> Iterator[AttendingRow]:
    """The heads and positions that the question is about, for strings of length n; none if the asked position is beyond
    this length. BadInput for a model without attention and for an unknown head."""
    # The index of the sublayer, the index of the head in it, and the head's name, in the order of the layers.
    names = []
    for step, sublayer in enumerate(READS.of(model).sublayers):
        names += [(step, h, f"L{sublayer.layer}.head{h + 1}") for h in range(len(sublayer.heads))]
    if not names:
        raise BadInput("the model must have attention", model.name, "choose one with a head")
    if head is not None and head not in [name for _, _, name in names]:
        raise unknown("head", head, [name for _, _, name in names])
    length, start = n + model.embedding.added, model.embedding.start
    # The readout's position, all positions, or the one that is asked about, unless it is beyond this length.
    if position is None:
        places = [model.readout.shown % length]
    elif position == "each":
        places = list(range(length))
    else:
        places = [int(position) - start] if int(position) - start < length else []
    for step, h, name in names:
        if head in (None, name):
            for place in places:
                yield AttendingRow(step, h, place, f"{name} at {place + start}" if position == "each" else name)


def _weights(result: Result, row: AttendingRow) -> list[Any]:
    """The weights of the head of `row`, one column for each position that is attended to; empty if the head writes
    nothing, so that its weights are not computed."""
    blocks = [step for step in result.steps if step.part != "embedding"]
    return list(blocks[row.step].attention[row.head])


def _traced(rows: list[AttendingRow], result: Result) -> Iterator[Any]:
    """The weights that must be equal for two strings to be in one class: each as its column and the index in it."""
    return ((column, row.place) for row in rows for column in _weights(result, row))


def _length_rows(
    model: Transformer, n: int, rows: list[AttendingRow], words: Cover, digits: int
) -> list[Mapping[str, AnswerCell]]:
    """The table's rows for length n, one for each of `rows`, computed with enough bits for `digits` digits. Undecided
    if the largest number of bits is too small, or if a choice of hard attention stays open."""
    for bits in ladder(bits_for(digits), limit_for(digits)):
        ends: dict[AttendingRow, tuple[End, End]] = {}
        idle_rows: set[AttendingRow] = set()
        for word, _ in words:
            domain = BallDomain(bits)
            try:
                result = forward(model, model.tokens(word), domain, trace=True)
            except Undecided:
                if bits > 4 * bits_for(digits):  # more bits do not decide a tie of irrational numbers
                    raise
                break
            with PRECISION, domain.context():
                written = model.embedding.written(word)
                for row in rows:
                    columns = _weights(result, row)
                    if not columns:
                        idle_rows.add(row)
                    entropy_ball = _entropy([column[row.place] for column in columns])
                    if entropy_ball is not None:
                        ends[row] = _wider(ends.get(row), End(entropy_ball, written))
        else:  # no string was undecided at these bits
            if all(settled(end.value, digits) for pair in ends.values() for end in pair):
                return [_row(n, row, ends.get(row), digits, row in idle_rows) for row in rows]
    raise Undecided(f"an entropy at length {n} did not reach {digits} digits; ask for fewer.")


def _entropy(weights: list[arb]) -> arb | None:
    """The entropy of these weights, in bits; None if there are no weights, or all are 0."""
    if not weights or all(type(w) is not arb and w == 0 for w in weights):
        return None
    shares = [w for w in weights if type(w) is arb or w != 0]
    # The entropy of k equal weights is log2 k, an exact integer if k is a power of 2.
    if all(type(w) is not arb and w == shares[0] for w in shares) and len(shares).bit_count() == 1:
        return arb(len(shares).bit_length() - 1)
    total = arb(0)
    for weight in shares:
        w = arb(weight)
        if w.is_zero() or w == 1:
            continue
        if not w > 0:  # the ball contains 0. -w log w grows from 0 at w = 0 up to w = 1/e; it is at most 1/e
            top = w.abs_upper()
            total += arb(0).union(-top * top.log() if 3 * top < 1 else arb(1))
        else:
            total -= w * w.log()
    return (total / arb(2).log()).nonnegative_part()


def _wider(known: tuple[End, End] | None, end: End) -> tuple[End, End]:
    """The smallest and the largest entropy so far (`known`, None before the first string) with one more string."""
    if known is None:
        return end, end
    low, high = known
    least, greatest = low.value.min(end.value), high.value.max(end.value)
    return (
        End(least, end.word if end.value < low.value else low.word),
        End(greatest, end.word if end.value > high.value else high.word),
    )


def _row(n: int, row: AttendingRow, ends: tuple[End, End] | None, digits: int, idle: bool) -> Mapping[str, AnswerCell]:
    """The cells of one row of the table. If there is no entropy, "why" has the reason: the head is `idle`, that is it
    writes nothing; or the position has nothing to attend to."""
    cells: dict[str, AnswerCell] = {"n": n, "head": row.name}
    if ends is None and idle:
        name = row.name.split()[0]
        cells["why"] = (
            f"{name} writes nothing: its values are zero for every string, so its attention weights have no effect"
        )
    elif ends is None:
        cells["why"] = "a position that may attend to nothing has no attention weights"
    if ends is not None:
        low, high = ends
        cells |= {"least": ball(low.value, digits), "least_word": low.word}
        cells |= {"greatest": ball(high.value, digits), "word": high.word}
    return cells
