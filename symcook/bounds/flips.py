"""How much the output of a model changes when one symbol of its input does.

A *line* is a set of strings that differ at one position only. The largest change at a position is the largest range of
an output over a line. Models with uniform attention, relu and rational numbers are run in exact batches, and have a
proved bound C/n. Other models are run in rigorous intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any, ClassVar

import flint
import numpy as np
from flint import arb

from symcook.bounds.arguments import Bound, count, entry, read_model, shown, words_of_length, written
from symcook.domains.batch import Batch, Listed, Words, nth
from symcook.domains.cells import Array
from symcook.domains.protocol import Coefficient, unknown_activation
from symcook.domains.rowwise import RowColumn, Rowwise
from symcook.door import check_digits
from symcook.errors import BadInput, NotExact
from symcook.forward import Result, forward
from symcook.locks import PRECISION
from symcook.model.extent import Extent
from symcook.model.parts import FeedForward, Head
from symcook.model.reads import PartsRead
from symcook.model.transformer import Transformer
from symcook.numbers.balls import Ball, arb_of, ball, bits_for, refine
from symcook.numbers.expsum import ExpSum
from symcook.numbers.roots import Root
from symcook.words import Word
from symcook.words.cells import MOST, classes, few
from symcook.words.inputs import Language, Strings, strings

READS = PartsRead("the bound of sensitivity")

LIMIT = 2**16
"""The largest number of strings that are compared."""
IN_BALLS = 2**12
"""The largest number of strings that are compared by runs in balls."""
LONGEST = 1_000
"""The greatest length at which strings are grouped into classes with the same outputs."""
NONE = arb(0)


# With C the value is exact: all words are run in exact batches, and the greatest difference between two words that
# differ in one symbol is the greatest range of the outputs along one position, the others fixed.
#
# The bound: with uniform attention a coordinate that head h writes changes at position i by at most
# |V_h| times the mean of the changes at the positions that i sees, and a feed-forward part passes on |W2| |W1| times
# the changes. From the changes of the embedding at the one changed position these give, for every n, a bound for each
# coordinate and position; the greatest over the changed position is C/n, and C is shown; where it is greater at
# 2 n, the answer says so. The papers say O(1/n) without a constant. Without masks, and where the readout does not see
# the changed symbol itself, C is bounded as n grows; with a future mask it need not be: in dyck-1 the first symbol
# moves the balance at position i by 2/i, and the mean of these is of order (log n)/n, which is reached.
def sensitivity(
    model: str | Transformer,
    n: int | str,
    values: str | Mapping[str, object] | None = None,
    inputs: Language | None = None,
    sample: int | str | None = None,
    seed: int | str = 0,
    positions: str | None = None,
    digits: int | str = 30,
) -> Bound:
    """The largest change of a model's output when one of n symbols changes, against a proved C/n.

    An output is the logit of a sign readout, or else each coordinate or score that the readout shows. The constant C
    exists for models whose heads average uniformly, with relu and rational numbers; then the value is exact. For any
    other model the value is an interval, and there is no bound. If the readout answers at every position, the answer at
    the changed position is left out and shown apart: the residual connection carries the symbol there.

    Arguments:
        model: str or Transformer. A recipe, a family, a model file or a model that reads strings.
        n: int. The length; at most 2^16 strings with different outputs, and 2^12 for models without C.
        values: {name: exact} or str (None). Arguments of the recipe and values of parameters, also as "eps=1/8".
        inputs: language (None). The first string is in this language; the second may be any string.
        sample: int or None (None). How many strings of `inputs` are drawn.
        seed: int (0). The seed of the draw.
        positions: str (None). The answers that count, of a readout at every position: "last", "all" or "after:SYMBOL".
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound. `extra` has C.

    Raises: BadInput: n out of range, too many strings, a model over rows, or a readout at every position where the
    changed position is the only one. Undecided: a choice of hard attention that intervals do not decide.

    Example:

    >>> sensitivity("dyck-1", 4, digits=4).holds
    True

    Source: chiang2022, Section 1 (Hahn's Lemma 5); Cookbook, Section 6.4.
    """
    # 1. Check the arguments.
    wanted = check_digits(digits)
    chosen, name, of_model = read_model(model, values)
    extent = Extent(values=of_model)
    length = count(n)
    # Refuse models that read numbers, and a readout for which no position is left but the changed one.
    if not chosen.alphabet:
        raise BadInput(
            "sensitivity needs a model that reads strings", name, "give one with an alphabet, such as dyck-1"
        )
    added = chosen.embedding.added
    draw = None if sample is None else count(sample, "sample"), count(seed, "seed", 0)
    strings_to_run = strings(chosen, range(length, length + 1), inputs, *draw, positions)
    chosen = strings_to_run.counted(chosen)
    everywhere = chosen.readout.everywhere
    if everywhere and length + added == 1:
        must = "for an output at every position, a string must have a position other than that of the changed symbol"
        raise BadInput(must, f"{name} with n = 1", "give n = 2")
    # 2. A model outside the hypotheses of the theorem has no C: compute the change only, in balls.
    if (why := _outside_theorem(chosen)) is not None:
        chosen.check_length(length + added)
        return _by_balls(Flips(chosen, strings_to_run, IN_BALLS, name, extent, f", since it has {why}"), wanted, why)
    # 3. Otherwise run all strings in one exact batch.
    flips = Flips(chosen, strings_to_run, LIMIT, name, extent)
    chosen.check_length(length + added)
    try:
        value, where, at_changed = _largest_change(flips, forward(chosen, flips.block, Batch()))
        # C at n, and at 2 n to see whether it increases.
        bound, doubled = (_proved_constant(chosen, size, everywhere) * size for size in (length, 2 * length))
    except NotExact:
        why = "numbers that are not rational"
        return _by_balls(Flips(chosen, strings_to_run, IN_BALLS, name, extent, f", since it has {why}"), wanted, why)
    extra: dict[str, Ball | str] = {"value times n": written(value * length), "C": written(bound)}
    if doubled > bound:
        extra["C grows with n"] = f"it is {written(doubled)} for n = {2 * length}"
    if everywhere:
        extra["at the changed position"] = written(at_changed)
    return Bound(
        kind="sensitivity",
        parameters={"model": name, "n": length},
        value=shown(lambda: arb_of(value), wanted),
        claimed=shown(lambda: arb_of(bound / length), wanted),
        holds=value * length <= bound,
        attained=True,
        where=where,
        source="chiang2022, Section 1; Cookbook, Section 6.4",
        labels=_bound_labels(everywhere),
        proofs=("lem.layers_net", "lem.mean_step"),
        extra=extra,
        inputs=strings_to_run.to_json(),
        extent=extent,
    )


class Flips:
    """The strings of one length to run, and the lines that they form.

    With a language these are its strings, and all strings that differ from one of them in one symbol. Otherwise these
    are all strings; if symbols at some positions may be exchanged (`symcook.words.cells`), one string stands for all
    with the same outputs.

    Arguments:
        limit: the largest number of strings that are run; BadInput, with the model's `name` and `why`, for more.
    """

    def __init__(
        self, model: Transformer, strings_to_run: Strings, limit: int, name: str, extent: Extent, why: str = ""
    ) -> None:
        (self.n,), self.model, self.name, self.inputs = strings_to_run.lengths, model, name, strings_to_run.to_json()
        self.extent = extent
        n, letters = self.n, model.alphabet
        self.language_rows: Array | None = None
        """With a language: the numbers of its strings among `words`, else None."""
        self._lines: list[list[list[int]]] = []
        """For each place, its lines as numbers of strings; empty if all strings are run in order."""
        must = f"{name} must have at most {limit} strings with those that differ in one symbol{why}"
        # `changed` has for each place the strings in which the symbol there is changed: those of the language, or one
        # for each class of strings with the same outputs, or None if there are too many classes.
        changed: Sequence[list[Word]] | None
        if strings_to_run.restricted:
            if strings_to_run.many(n) > limit:
                raise BadInput(must, f"{strings_to_run.many(n)} strings", "give --sample 100")
            self.asked = list(strings_to_run.each(n))
            self.language_rows = np.arange(len(self.asked))
            changed, first = [self.asked] * n, self.asked
        else:
            changed, first = _by_classes(model, n, limit), [(letters[0],) * n]
        if changed is None:  # no classes: all strings, numbered in order
            words = words_of_length(model, n, limit, name, why)
            self.words: Sequence[Word] = list(words) if limit == IN_BALLS else ()
            self.block: Any = Words(letters, n + model.embedding.added, *model.embedding.ends)
            return
        # Form the lines, and number their strings in the order in which they occur.
        numbers = {word: k for k, word in enumerate(first)}
        for p, strings_to_change in enumerate(changed):
            lines = [[(*word[:p], letter, *word[p + 1 :]) for letter in letters] for word in strings_to_change]
            self._lines.append([[numbers.setdefault(word, len(numbers)) for word in line] for line in lines])
            if len(numbers) > limit:
                raise BadInput(must, f"more than {limit} strings", "give --sample 100 to draw 100 strings")
        self.words = list(numbers)
        self.block = Listed(tuple(map(model.embedding.surround, self.words)))

    def word(self, number: int) -> Word:
        """The string with this number."""
        return self.words[number] if self.words else nth(self.block, number)

    def lines(self, p: int) -> Array:
        """The lines at place `p`: a row of numbers of strings for each string of the language, or for each line of all
        strings. Lines with the same outputs as another line are left out."""
        if self._lines:
            return np.array(self._lines[p], dtype=int).reshape(-1, len(self.model.alphabet))
        # All strings in order: the symbol at place p is a digit of the number, so the lines are a reshape of all
        # numbers.
        letters = len(self.model.alphabet)
        numbers = np.arange(letters**self.n).reshape(letters**p, letters, -1)
        return numbers.swapaxes(1, 2).reshape(-1, letters)

    def counts(self, place: int) -> Array:
        """For each row of `lines`, whether the output at `place` counts; one True for all rows without a language."""
        if self.language_rows is None:
            return np.ones((), dtype=bool)
        readout, tokens = self.model.readout, map(self.model.tokens, self.asked)
        return np.array([bool(readout.counted(sequence, [place % len(sequence)])) for sequence in tokens])

    def pair_text(self, first: int, second: int) -> str:
        """Two strings as text."""
        embedding = self.model.embedding
        words = map(self.word, (first, second))
        return " and ".join(embedding.said(word if self.words else embedding.typed(word)) for word in words)


def _by_classes(model: Transformer, n: int, limit: int) -> list[list[Word]] | None:
    """For each place the strings in which the symbol there is changed, one for each class of strings with the same
    outputs. None if that saves no runs or is not worth the search, if the strings are more than `limit`, if n is above
    `LONGEST`, or if the readout is at every position."""
    letters = model.alphabet
    if model.readout.everywhere or n > LONGEST or few(len(letters) ** n, model):
        return None
    cells = classes(n, model)
    if cells.many * max(1, len(cells.cells)) * len(letters) > min(limit, MOST, len(letters) ** n):
        return None
    by_place: list[list[Word]] = [[] for _ in range(n)]
    for cell in cells.cells:  # positions whose symbols may be exchanged: the first one stands for all of them
        p, without_p = cell[0], tuple(other[1:] if other == cell else other for other in cells.cells)
        remaining = [word for word, _ in replace(cells, cells=without_p)]
        by_place[p] = sorted(remaining, key=lambda word: list(map(letters.index, word)))
    return by_place


def _bound_labels(everywhere: bool) -> tuple[str, str]:
    """What value and claimed of the `Bound` are called."""
    return f"largest change{' at the other positions' * everywhere}", "proved C/n"


def _rational(value: Any) -> Fraction:
    """An entry of a batch as a Fraction; NotExact if it is irrational."""
    if isinstance(value, (Root, ExpSum)):
        raise NotExact(
            "exact sensitivity is computed only for models with rational values",
            value,
            "rigorous intervals take others",
        )
    return value if isinstance(value, Fraction) else Fraction(int(value))


def _outside_theorem(model: Transformer) -> str | None:
    """What in a model is outside the hypotheses of the bound C/n, as text; None if nothing is."""
    # For norms, scores, other activations and probabilities, no constant bounds the growth of a change.
    for step in READS.of(model).sublayers:
        if step.norms:
            return "a final norm" if step.block is None else f"a layer norm in layer {step.layer}"
        for part in step.parts:
            if isinstance(part, Head) and not part.averages:
                return f"scores or a unique choice in layer {step.layer}"
            if isinstance(part, FeedForward) and part.activation != "relu":
                return f"{part.activation} in layer {step.layer}"
    return "probabilities of a softmax" if model.readout.labels and not model.readout.answers else None


def _by_balls(flips: Flips, digits: int, why: str) -> Bound:
    """The largest change, by runs of all strings in balls; `why` there is no C."""
    model, n = flips.model, flips.n
    everywhere, before = model.readout.everywhere, len(model.embedding.ends[0])
    lines = [flips.lines(p).tolist() for p in range(n)]
    where, at_changed = "no symbol changes an output", NONE

    def greatest() -> arb:
        """The largest change at flint's precision, which `refine` raises until the digits are certain. It also sets
        `where` (the pair of strings with the change) and `at_changed`."""
        nonlocal where, at_changed
        table = _outputs_in_balls(model, flips.words, max(64, flint.ctx.prec))
        best, at_changed, where = NONE, NONE, "no symbol changes an output"
        for (place, output), values in table.items():
            for p in range(n):
                counts = np.broadcast_to(flips.counts(place), len(lines[p]))
                for row in np.flatnonzero(counts).tolist():
                    line = lines[p][row]
                    # Compare all pairs of a line; with a language, only the string of the language with each other
                    # string.
                    pairs = combinations(line, 2) if flips.language_rows is None else product([row], line)
                    changes = [(abs(values[a] - values[b]), a, b) for a, b in pairs if a != b]
                    change = NONE
                    for size, _, _ in changes:
                        change = change.max(size)
                    if everywhere and place == p + before:  # the changed position itself has its own maximum
                        at_changed = at_changed.max(change)
                    elif not change < best:
                        if change > best:  # certainly; if the balls overlap, the earlier pair stays
                            _, a, b = max(changes, key=lambda pair: pair[0].mid())
                            ends = (a, b) if values[a].mid() <= values[b].mid() else (b, a)
                            where = f"by {output} between {flips.pair_text(*ends)}"
                        best = best.max(change)
        return best

    value = refine(greatest, digits, what="the largest change")
    extra: dict[str, Ball | str] = {"value times n": _shown_times(value, n, digits)}
    extra["no proved C/n"] = f"the model has {why}"
    if everywhere:
        extra["at the changed position"] = ball(at_changed, digits)
    return Bound(
        kind="sensitivity",
        parameters={"model": flips.name, "n": n},
        value=ball(value, digits),
        claimed=None,
        holds=None,
        attained=True,
        where=where,
        source="chiang2022, Section 1; Cookbook, Section 6.4",
        labels=_bound_labels(everywhere),
        extra=extra,
        inputs=flips.inputs,
        extent=flips.extent,
    )


def _shown_times(value: arb, n: int, digits: int) -> Ball:
    """value times n."""
    with PRECISION, flint.ctx.workprec(bits_for(digits) + 64):
        return ball(value * n, digits)


def _outputs_in_balls(model: Transformer, words: Sequence[Word], bits: int) -> dict[tuple[int, str], list[arb]]:
    """(place that the readout reads, name of an output) -> its value for each string."""
    from symcook.domains.ball import BallDomain as Balls

    length = len(words[0]) + model.embedding.added
    table: dict[tuple[int, str], list[arb]] = {}
    for word in words:
        result = forward(model, model.tokens(word), Balls(bits))
        for name, column in result.watched.items():
            for place in result.everywhere if model.readout.everywhere else result.places:
                table.setdefault((place % length, name), []).append(result.domain.read(column, place))
    return table


def _largest_change(flips: Flips, result: Result) -> tuple[Fraction, str, Fraction]:
    """(largest change, text of the strings that have it, largest change at the changed position itself).

    The last number is used for readouts at every position, whose other changes do not include it.
    """
    domain: Any = result.domain
    model, everywhere = flips.model, flips.model.readout.everywhere
    before = len(model.embedding.ends[0])
    best, where, at_changed = Fraction(0), "no symbol changes an output", Fraction(0)
    for name, column in result.watched.items():
        for place in result.places:
            cell = domain.read(column, place)
            table, counts = domain.full(cell.numerators), flips.counts(place)
            # The spread of a line is its largest minus its smallest output.
            for p in range(flips.n):
                lines = flips.lines(p)
                if not len(lines):
                    continue
                values = table[lines]
                low, high = np.min(values, axis=1), np.max(values, axis=1)
                spread = np.asarray(high - low)
                # With a language: the distance of its string from the farthest output of the line.
                if flips.language_rows is not None:
                    of_language = table[flips.language_rows]
                    spread = np.where(counts, np.maximum(high - of_language, of_language - low), 0)
                change = _rational(spread.max()) / cell.denominator
                if everywhere and place == p + before:  # the changed position itself has its own maximum
                    at_changed = max(at_changed, change)
                elif change > best:
                    best, row = change, int(np.argmax(spread))
                    ends = [int(lines[row][choose(values[row])]) for choose in (np.argmin, np.argmax)]
                    # One of the two strings is that of the language; the other has the output farthest from it.
                    if flips.language_rows is not None:
                        farthest = 0 if of_language[row] - low[row] == spread[row] else 1
                        ends[1 - farthest] = row
                    where = f"by {name} between {flips.pair_text(*ends)}"
    return best, where, at_changed


def _proved_constant(model: Transformer, n: int, everywhere: bool) -> Fraction:
    """The proved bound of the change of an output for n input symbols: the maximum over the changed position."""
    before, best = len(model.embedding.ends[0]), Fraction(0)
    for changed in range(before, before + n):
        # Any string will do: `Changes` uses the ranges of the embedding, not the tokens.
        word = model.embedding.surround((model.alphabet[0],) * n)
        watched = forward(model, word, Changes(changed, model.alphabet)).watched.values()
        places = [p for p in model.readout.places(len(word)) if not everywhere or p != changed]
        best = max([best, *(column[p] for p in places for column in watched)])
    return best


class Changes(Rowwise):
    """The domain of bounds on the change of each coordinate if the symbol at one place (counted from 0) is replaced.

    The embedding changes by at most the range of its entries. A linear map changes by at most the sum of the absolute
    weights times the changes, so biases and signs are left out; relu passes a change on.
    """

    name: ClassVar[str] = "changes"
    nothing = Fraction(0)

    def __init__(self, place: int, alphabet: Sequence[str]) -> None:
        super().__init__()
        self.place, self.alphabet = place, alphabet

    def embed(self, table: Mapping[str, Coefficient]) -> RowColumn:
        entries = [entry(table[token]) for token in self.alphabet]
        return [max(entries) - min(entries) if row == self.place else self.nothing for row in self.rows]

    def positions(self, expression: Coefficient) -> RowColumn:
        return [self.nothing] * len(self.rows)

    def linear(self, terms: Sequence[tuple[RowColumn, Coefficient]], bias: Coefficient) -> RowColumn:
        return super().linear(terms, 0)

    def number(self, value: Coefficient) -> Fraction:
        return abs(entry(value))

    def activation(self, x: Fraction, kind: str) -> Fraction:
        if kind != "relu":  # whose slope is at most 1
            raise unknown_activation(kind)
        return x

    def is_positive(self, x: Fraction) -> None:
        return None

    def is_zero(self, x: Fraction) -> None:
        return None

    def first_largest(self, scores: Sequence[Fraction]) -> None:
        return None
