"""Temperatures at which softmax attention stays within an error at one length.

`ByLayer` bounds the error by the constants of the layers, which gives a temperature that is certainly low enough.
`Floats` searches in float64 for the temperature at which the error of some string is too large. `error_in_balls`
computes rigorous errors, which certify the results of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import flint
from flint import arb, fmpq

from symcook.bounds.arguments import entry
from symcook.bounds.growth import column_sum, product, rows_of, score_form, sizes
from symcook.bounds.hardruns import ZERO, HardRuns, HeadSizes, Sparse, head_places, sparse
from symcook.domains.ball import BallDomain
from symcook.forward import forward
from symcook.locks import PRECISION
from symcook.model.parts import FeedForward, Head, SelfAttention
from symcook.model.reads import PartsRead
from symcook.model.transformer import Transformer
from symcook.numbers.balls import arb_of, ladder, ratio_of
from symcook.numbers.evaluate import float_of
from symcook.present import present
from symcook.words import Word

READS = PartsRead("the bound of soft runs")

BITS = 128
"""The precision in bits of the bounds, and of the first runs in balls."""
LIMIT_BITS = 2**13
"""The maximum precision of runs in balls, in bits."""
WARMEST = 2**40
"""The highest temperature that is tried."""
CLOSE = 0.98
"""Strings whose error in float64 is below this fraction of the allowed error are not run again in balls, unless no
string is above it: then the one with the largest error is."""
NEAR = Fraction(1, 1000)
"""The first relative half-width of the interval in which the needed temperature is enclosed."""


def soft_at(model: Transformer, tau: Fraction | str) -> Transformer:
    """The average-hard model with softmax at temperature `tau` in every head that has scores."""

    def soft(head: Head) -> Head:
        return head if head.uniform else replace(head, weighting="softmax", temperature=tau)

    layers = (
        layer
        if layer.attention is None
        else replace(layer, attention=SelfAttention(tuple(map(soft, layer.attention.heads))))
        for layer in READS.of(model).layers
    )
    return replace(model, layers=tuple(layers))


def rounded(value: arb, bits: int = 12) -> Fraction:
    """A rational number with `bits` bits below a positive ball, near its lower end."""
    low = value.lower()
    exponent = int(low.log_base(2).floor().unique_fmpz() or 0) - bits
    scaled = (low * arb(2) ** -exponent).floor().unique_fmpz()
    return Fraction(int(present(scaled))) * Fraction(2) ** exponent


class HeadForm(NamedTuple):
    """The absolute entries of a head."""

    form: Sparse
    """|scale Q^T K|."""
    values: Sparse
    """|V|."""
    column: Fraction
    """The largest column sum of |V|."""
    greatest: Fraction
    """The largest entry of `form`."""


class ByLayer:
    """Bounds of the error of a softmax model by the constants of its layers, at one length: see
    `symcook.bounds.hardsoft`.

    `forms` has the data of each head, by (layer, number); `networks` has for each layer with hidden units |W1|, |W2|
    and the largest column sum of |W2| |W1|.
    """

    def __init__(self, model: Transformer, met: HardRuns) -> None:
        self.model, self.met = model, met
        self.length = met.n + model.embedding.added
        self.forms = {place[:2]: self._form(place.head) for place in head_places(model)}
        self.networks = {
            number: (
                sparse(sizes(rows_of(layer.feedforward.W1))),
                sparse(sizes(rows_of(layer.feedforward.W2))),
                column_sum(product(sizes(rows_of(layer.feedforward.W2)), sizes(rows_of(layer.feedforward.W1)))),
            )
            for number, layer in enumerate(READS.of(model).layers, 1)
            if layer.feedforward is not None and layer.feedforward.hidden
        }

    @staticmethod
    def _form(head: Head) -> HeadForm:
        """The absolute entries of a head."""
        scale = Fraction(1) if head.uniform else entry(head.scale)
        form = [(a, b, abs(scale * value)) for a, b, value in sparse(score_form(head))]
        V = sizes(rows_of(head.V))
        return HeadForm(form, sparse(V), column_sum(V), max((value for _, _, value in form), default=Fraction(0)))

    def error(self, tau: Fraction | None) -> arb:
        """A bound of the sum of the errors of all coordinates, at any position at the end of the run; with None one
        that holds at every temperature."""
        # Bound the error of each coordinate, and separately their sum, whose bound is smaller if coordinates share an
        # error.
        errors: dict[str, arb] = {}
        error_sum = arb(0)
        for number, layer in enumerate(READS.of(self.model).layers, 1):
            added: dict[str, arb] = {}
            added_to_sum = arb(0)
            for place, head in enumerate(layer.attention.heads if layer.attention else (), 1):
                added_to_sum += self._head(
                    head, self.met.heads[number, place], self.forms[number, place], tau, errors, error_sum, added
                )
            for name, value in added.items():
                errors[name] = errors.get(name, arb(0)) + value
            error_sum = _total(errors).min(error_sum + added_to_sum)
            if number in self.networks and layer.feedforward is not None:
                errors, error_sum = self._network(layer.feedforward, self.networks[number], errors, error_sum)
        return _total(errors).min(error_sum)

    def _head(
        self, head: Head, met: HeadSizes, form: HeadForm, tau: Fraction | None, errors: Mapping[str, arb],
        error_sum: arb, added: dict[str, arb],
    ) -> arb:  # fmt: skip
        """Adds to the entries of `added`, by coordinate, the errors that a head adds. Returns the error that it adds to
        the sum of all coordinates."""
        form_entries, value_entries, column, mu = form
        read_errors = [errors.get(name, arb(0)) for name in head.reads]
        weight_distance = arb(0)
        if not head.uniform and met.ranges:
            # 1. T of the docstring of `symcook.bounds.hardsoft`, by the errors of coordinates or by their sum.
            linear = [(q + k) * x for q, k, x in zip(met.queries, met.keys, read_errors, strict=True)]
            score_change = sum(linear, arb(0)) + sum(
                (arb_of(m) * read_errors[a] * read_errors[b] for a, b, m in form_entries), arb(0)
            )
            largest = max(met.queries, default=ZERO) + max(met.keys, default=ZERO)
            score_change = score_change.min(largest * error_sum + arb_of(mu) * error_sum * error_sum)
            # 2. The L1 distance of the softmax weights from those of hardmax: by the change of scores, and by softmax
            # itself; at most 2. At low temperatures any change of scores may change all weights, and at high ones
            # the other positions have as much weight as the first.
            if tau is None:
                weight_distance = arb(0) if score_change == 0 else arb(2)
            else:
                weight_distance = 2 * (score_change / arb_of(tau) / 2).tanh()
            if met.gap is not None:
                mass = (self.length - 1) * (arb(1) if tau is None else (-arb(met.gap[0]) / arb_of(tau)).exp())
                weight_distance += 2 * mass / (1 + mass)
            weight_distance = weight_distance.min(arb(2))
        # 3. The error by the weights, which is bounded by the range of the values, and the errors of the values through
        # V.
        for w, name in enumerate(head.writes):
            value = weight_distance / 2 * met.ranges[w] if met.ranges else arb(0)
            added[name] = added.get(name, arb(0)) + value
        for w, k, v in value_entries:
            added[head.writes[w]] += arb_of(v) * read_errors[k]
        return weight_distance / 2 * met.apart + arb_of(column) * error_sum

    @staticmethod
    def _network(
        block: FeedForward, matrices: tuple[Sparse, Sparse, Fraction], errors: Mapping[str, arb], error_sum: arb
    ) -> tuple[dict[str, arb], arb]:
        """(errors of coordinates, bound of their sum) after a feed-forward sublayer; relu does not increase errors."""
        W1, W2, column = matrices
        inside = [arb(0)] * block.hidden
        for h, k, value in W1:
            inside[h] = inside[h] + arb_of(value) * errors.get(block.reads[k], arb(0))
        errors_after = dict(errors)
        for w, h, value in W2:
            name = block.writes[w]
            errors_after[name] = errors_after.get(name, arb(0)) + arb_of(value) * inside[h]
        return errors_after, _total(errors_after).min(error_sum * (1 + arb_of(column)))

    def warmest(self, allowed: Fraction) -> Fraction | None:
        """A temperature at which the error is at most `allowed`, and nearly the first one above which the bound is
        greater, or `WARMEST`; None if it is at every temperature."""

        def good(tau: Fraction | None) -> bool:
            return bool(self.error(tau) <= arb_of(allowed))

        with PRECISION, flint.ctx.workprec(BITS):
            return None if good(None) else _last(good)


def _last(good: Callable[[Fraction], bool]) -> Fraction:
    """A temperature at which `good` holds, which holds at all low ones: nearly the first one above which it does not
    hold, by doubling and bisection, or `WARMEST`."""
    low = Fraction(1)
    while not good(low):
        low /= 2
    while low < WARMEST and good(low * 2):
        low *= 2
    return low if low >= WARMEST else _bisected(good, low, 10)  # within a thousandth


def _bisected(good: Callable[[Fraction], bool], low: Fraction, times: int) -> Fraction:
    """Nearly the largest number between `low`, where `good` holds, and 2 low, where it does not, by `times`
    bisections."""
    step = low
    for _ in range(times):
        step /= 2
        if good(low + step):
            low += step
    return low


def _total(errors: Mapping[str, arb]) -> arb:
    """The sum of the errors of all coordinates."""
    return sum(errors.values(), arb(0))


def error_in_balls(soft: Transformer, words: Sequence[Word], ends: Sequence[Mapping[str, Sequence[fmpq]]],
                   bound: arb, tick: Callable[[], None] | None = None) -> tuple[arb, int]:  # fmt: skip
    """(largest L1 error of the softmax model at a position, index of the string that has it), over the strings `words`.
    `ends` has the final residual stream of the hard model for each of them. The precision rises until the error is
    known to be at most `bound` or above it; it is open in the result if `LIMIT_BITS` are too few."""
    for bits in ladder(BITS, LIMIT_BITS):
        worst, where = _error_at(bits, soft, words, ends, tick if bits == BITS else None)
        if worst <= bound or worst > bound:
            break
    return worst, where


def _error_at(bits: int, soft: Transformer, words: Sequence[Word], ends: Sequence[Mapping[str, Sequence[fmpq]]],
              tick: Callable[[], None] | None) -> tuple[arb, int]:  # fmt: skip
    """`error_in_balls` with a working precision of `bits`."""
    worst, where, domain = arb(0), 0, BallDomain(bits)
    for number, (word, hard) in enumerate(zip(words, ends, strict=True)):
        result = forward(soft, soft.tokens(word), domain, trace=True, weights=False)
        with PRECISION, domain.context():
            columns = result.steps[-1].columns
            # The sum over coordinates at each position; equal rationals have the difference 0.
            for place in range(len(soft.tokens(word))):
                distance = arb(0)
                for name, column in columns.items():
                    hard_value, soft_value = hard[name][place] if name in hard else ZERO, column[place]
                    if type(soft_value) is not fmpq or soft_value != hard_value:
                        distance += abs(arb(soft_value) - arb(hard_value))
                if distance.upper() > worst.upper():
                    worst, where = distance, number
        if tick is not None:
            tick()
    return worst, where


class Floats:
    """Runs of the softmax model on all strings of a length at once, in float64: for searches, without proof."""

    def __init__(self, model: Transformer, met: HardRuns) -> None:
        import numpy as np

        from symcook.export.archive import arrays, embed

        # `arrays` are those at temperature 1; another temperature only scales the factors of scores, whose keys are in
        # `soft`. `start` has the embeddings of all strings, `right` the final residual streams of the hard model.
        names, letters = list(model.space), list(model.embedding.words or ())
        self.length = met.n + model.embedding.added
        self.arrays = arrays(soft_at(model, "1"), "float64", self.length)
        self.soft = [key.removesuffix("weighting") + "factor" for key, value in self.arrays.items()
                     if key.endswith(".weighting") and value == "softmax"]  # fmt: skip
        self.start = embed(
            self.arrays, np.array([[letters.index(token) for token in model.tokens(word)] for word in met.words])
        )
        zeros = [ZERO] * self.length
        hard_streams = np.array(
            [[[float_of(ratio_of(x)) for x in end.get(c, zeros)] for c in names] for end in met.ends]
        )
        self.right = hard_streams.transpose(0, 2, 1)

    def errors(self, tau: Fraction) -> Any:
        """For each string, the largest L1 error at a position."""
        import numpy as np

        from symcook.export.archive import evaluate

        scale = {key: self.arrays.get(key, np.ones(self.length)) * float_of(1 / tau) for key in self.soft}
        return np.abs(evaluate(self.arrays | scale, self.start) - self.right).sum(axis=2).max(axis=1)

    def needed(self, allowed: Fraction, from_: Fraction) -> tuple[Fraction, list[int]] | None:
        """(temperature, indices of strings): a temperature from `from_` on at which no string has an error above
        `allowed`, while one has a little above it; and the strings whose error at a slightly higher temperature comes
        near `allowed`, or the one with the largest error, the largest error first. No string may have a larger error at
        `from_` itself, which is not tried. The temperature is doubled, up to `WARMEST`, and bisected; None if no string
        has a larger error at these temperatures."""
        bound = float(allowed)

        def good(tau: Fraction) -> bool:
            return bool(self.errors(tau).max() <= bound)

        # Doubling, then bisection. The errors of strings are compared at a slightly higher temperature.
        low = from_
        while low < WARMEST and good(low * 2):
            low *= 2
        if low >= WARMEST:
            return None
        low = _bisected(good, low, 14)
        by_word = self.errors(low * (1 + NEAR))
        order = [int(k) for k in (-by_word).argsort()]
        return low, [k for k in order if by_word[k] > bound * CLOSE] or order[:1]
