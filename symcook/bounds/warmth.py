"""The largest temperature at which softmax attention stays within an error at one length.

`ByLayer` bounds the error from the constants of the layers, and gives a temperature that is certainly low enough;
`Floats` searches in float64 for the temperature at which some string errs too much, and `error_in_balls` certifies what
either finds.
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
from symcook.model.transformer import Transformer
from symcook.numbers.balls import arb_of
from symcook.present import present
from symcook.words import Word

BITS = 128
"""The precision of the bounds and of the runs in balls."""
WARMEST = 2**40
"""From here on a temperature counts as any."""
CLOSE = 0.98
"""Words whose error in float64 is less than this part of what is allowed are not looked at again."""
NEAR = Fraction(1, 1000)
"""How near the needed temperature is enclosed, relative to itself."""


def soft_at(model: Transformer, tau: Fraction | str) -> Transformer:
    """The average-hard model with softmax at a temperature, in every head that has scores."""

    def soft(head: Head) -> Head:
        return head if head.uniform else replace(head, weighting="softmax", temperature=tau)

    layers = (
        layer
        if layer.attention is None
        else replace(layer, attention=SelfAttention(tuple(map(soft, layer.attention.heads))))
        for layer in model.layers
    )
    return replace(model, layers=tuple(layers))


def rounded(value: arb, bits: int = 12) -> Fraction:
    """A rational number of so many bits, below a positive ball."""
    low = value.lower()
    exponent = int(low.log_base(2).floor().unique_fmpz() or 0) - bits
    scaled = (low * arb(2) ** -exponent).floor().unique_fmpz()
    return Fraction(int(present(scaled))) * Fraction(2) ** exponent


class HeadForm(NamedTuple):
    """A head by the sizes of its entries: |scale Q^T K| and |V|, the largest column sum of V and entry of the form."""

    form: Sparse
    values: Sparse
    column: Fraction
    greatest: Fraction


class ByLayer:
    """The error of a soft model by the constants of its layers at one length; see `symcook.bounds.hardsoft`."""

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
            for number, layer in enumerate(model.layers, 1)
            if layer.feedforward is not None and layer.feedforward.hidden
        }

    @staticmethod
    def _form(head: Head) -> HeadForm:
        """The head by sizes: the absolute score form and V."""
        scale = Fraction(1) if head.uniform else entry(head.scale)
        form = [(a, b, abs(scale * value)) for a, b, value in sparse(score_form(head))]
        V = sizes(rows_of(head.V))
        return HeadForm(form, sparse(V), column_sum(V), max((value for _, _, value in form), default=Fraction(0)))

    def error(self, tau: Fraction) -> arb:
        """A bound on the sum of the errors of all coordinates at a position, at the end."""
        # By coordinate; and beside it their sum, whose own bound is smaller where coordinates share an error.
        errors: dict[str, arb] = {}
        error_sum = arb(0)
        for number, layer in enumerate(self.model.layers, 1):
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
        self, head: Head, met: HeadSizes, form: HeadForm, tau: Fraction, errors: Mapping[str, arb], error_sum: arb,
        added: dict[str, arb],
    ) -> arb:  # fmt: skip
        """Add to `added`, by coordinate, what a head adds to the errors; returns what it adds to their sum."""
        form_entries, value_entries, column, mu = form
        read_errors = [errors.get(name, arb(0)) for name in head.reads]
        weight_distance = arb(0)
        if not head.uniform and met.ranges:
            # T of the module docstring of `hardsoft`, by the errors of coordinates or by their sum.
            linear = [(q + k) * x for q, k, x in zip(met.queries, met.keys, read_errors, strict=True)]
            score_change = sum(linear, arb(0)) + sum(
                (arb_of(m) * read_errors[a] * read_errors[b] for a, b, m in form_entries), arb(0)
            )
            largest = max(met.queries, default=ZERO) + max(met.keys, default=ZERO)
            score_change = score_change.min(largest * error_sum + arb_of(mu) * error_sum * error_sum)
            # How far softmax weights are from those of hardmax: moved scores, and softmax itself; never more than 2.
            weight_distance = 2 * (score_change / arb_of(tau) / 2).tanh()
            if met.gap is not None:
                mass = (self.length - 1) * (-arb(met.gap[0]) / arb_of(tau)).exp()
                weight_distance += 2 * mass / (1 + mass)
            weight_distance = weight_distance.min(arb(2))
        # Errors of the weights by the range of the values, and errors of the values through V.
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
        """The errors by coordinate and their sum after a feed-forward sublayer, whose relu does not increase them."""
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
        """A temperature at which the error is at most `allowed`, nearly the largest; None where all will do."""
        with PRECISION, flint.ctx.workprec(BITS):
            return _last(lambda tau: bool(self.error(tau) <= arb_of(allowed)))


def _last(good: Callable[[Fraction], bool]) -> Fraction | None:
    """Nearly the last temperature at which something holds that holds at low ones; None where it holds at all."""
    if good(Fraction(WARMEST)):
        return None
    # Bracket the temperature by powers of two, then bisect.
    low = Fraction(1)
    while not good(low):
        low /= 2
    while good(low * 2):
        low *= 2
    return _between(good, low, 10)  # to a thousandth of it


def _between(good: Callable[[Fraction], bool], low: Fraction, times: int) -> Fraction:
    """Nearly the last number between `low`, where something holds, and its double, where it does not."""
    step = low
    for _ in range(times):
        step /= 2
        if good(low + step):
            low += step
    return low


def _total(errors: Mapping[str, arb]) -> arb:
    return sum(errors.values(), arb(0))


def error_in_balls(soft: Transformer, words: Sequence[Word], ends: Sequence[Mapping[str, Sequence[fmpq]]],
                   tick: Callable[[], None] | None = None) -> tuple[arb, int]:  # fmt: skip
    """The largest error of a soft model over words at a position, the sum over the coordinates, with the number of the
    word that has it; `ends` are the streams of the hard model."""
    worst, where, domain = arb(0), 0, BallDomain(BITS)
    for number, (word, hard) in enumerate(zip(words, ends, strict=True)):
        result = forward(soft, soft.tokens(word), domain, trace=True, weights=False)
        with PRECISION, domain.context():
            columns = result.steps[-1].columns
            # The sum over coordinates at each position; equal exact numbers add nothing.
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
    """All words of a length through a soft model at once, in float64: for searches, which prove nothing."""

    def __init__(self, model: Transformer, met: HardRuns) -> None:
        import numpy as np

        from symcook.export.archive import arrays, embed

        # The arrays at temperature 1; another one only scales the factors of heads.
        names, letters = list(model.space), list(model.embedding.words or ())
        self.length = met.n + model.embedding.added
        self.arrays = arrays(soft_at(model, "1"), "float64", self.length)
        self.soft = [key.removesuffix("weighting") + "factor" for key, value in self.arrays.items()
                     if key.endswith(".weighting") and value == "softmax"]  # fmt: skip
        self.start = embed(
            self.arrays, np.array([[letters.index(token) for token in model.tokens(word)] for word in met.words])
        )
        zeros = [ZERO] * self.length
        hard_streams = np.array([[[int(x.p) / int(x.q) for x in end.get(c, zeros)] for c in names] for end in met.ends])
        self.right = hard_streams.transpose(0, 2, 1)

    def errors(self, tau: Fraction) -> Any:
        """The largest error of each word."""
        import numpy as np

        from symcook.export.archive import evaluate

        scale = {key: self.arrays.get(key, np.ones(self.length)) * float(1 / tau) for key in self.soft}
        return np.abs(evaluate(self.arrays | scale, self.start) - self.right).sum(axis=2).max(axis=1)

    def needed(self, allowed: Fraction, from_: Fraction) -> tuple[Fraction, list[int]] | None:
        """Nearly the smallest temperature above `from_` at which a word has a greater error, and the words that come
        near,
        the one with the largest error first; None where none has up to `WARMEST`, where scores count no more."""
        bound = float(allowed)

        def good(tau: Fraction) -> bool:
            return bool(self.errors(tau).max() <= bound)

        # Doubling, then bisection; the strings that come near are taken a little above.
        low = from_
        while low < WARMEST and good(low * 2):
            low *= 2
        if low >= WARMEST:
            return None
        low = _between(good, low, 14)
        by_word = self.errors(low * (1 + NEAR))
        order = [int(k) for k in (-by_word).argsort()]
        return low, [k for k in order if by_word[k] > bound * CLOSE] or order[:1]
