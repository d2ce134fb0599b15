"""Language models: the probability of a string, and decoding symbol by symbol.

A model with a distribution readout gives at position i a distribution y_i over its labels. Given inputs x of the same
length, a string has the probability P(y | x) = prod_i [y_i]_{y_i}. An autoregressive model starts with a token of its
own (BOS) and takes x_1 = BOS, x_i = y_{i-1}: from a prefix it gives a distribution over what comes next. Where one of
its labels is no symbol that a user types (EOS), that label ends a string, and P is a distribution over all strings;
where every label is a symbol, the strings of each length have probabilities that add up to 1.
Source: Cookbook, Section 2.2.3 (Eqs. 19 and 20).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from symcook.domains import RUNNABLE
from symcook.errors import BadInput, Undecided, require_known
from symcook.forward import Result, forward
from symcook.machine import follower, unfollowed
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.run import domains_for

if TYPE_CHECKING:
    from symcook.domains.protocol import Domain

LIMIT = 64
"""How many symbols `generate` appends at most, unless it is told another number."""


@dataclass(frozen=True)
class Probability:
    """The probability of a string: a value of the domain, and as JSON has it; `factors` are those of its symbols."""

    word: tuple[str, ...]
    domain: str
    value: Any
    shown: Any
    factors: tuple[Any, ...]


@dataclass(frozen=True)
class Decoded:
    """What greedy decoding wrote: the given symbols, those that it appended, and whether it came to the end label."""

    given: tuple[str, ...]
    appended: tuple[str, ...]
    ended: bool

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.given + self.appended


def end_label(model: Transformer) -> str | None:
    """The label that ends a string: the only one that is no symbol of the alphabet; None where there is none.

    Raises BadInput where there are several.
    """
    others = [label for label in model.readout.labels if label not in model.alphabet]
    if len(others) > 1:
        raise BadInput(
            "one label at most may be no symbol of the alphabet: the one that ends a string", " ".join(others)
        )
    return others[0] if others else None


def probability(
    model: Transformer,
    word: str | Sequence[str],
    domain: str = "ball",
    digits: int = 30,
    *,
    given: str | Sequence[str] | None = None,
    values: Mapping[str, Exact] | None = None,
) -> Probability:
    """The probability of `word`: P(word), with the end label behind it where the model has one, or P(word | given).

    `given`, of the length of `word`, is what the model reads; without it the model is autoregressive and must add a
    token in front (and none behind). For balls the precision doubles until the first `digits` digits are there.
    Raises BadInput where the model has no distribution or the word does not fit it, NotExact where a score has no
    exact exponential, Undecided at the limit of precision.

    >>> from symcook.model.ends import Embedding, Readout
    >>> from symcook.model.layers import Layer
    >>> from symcook.model.parts import FeedForward
    >>> from symcook.model.checks import Space
    >>> words = {"^": {}, "a": {"x": 1}, "b": {}}
    >>> block = FeedForward(("x",), ("x",), [[1]], [0], [[0]], [0])
    >>> readout = Readout("distribution", "each", ("x",), [[0], [0]], ("a", "b"))
    >>> coin = Transformer("coin", Embedding(Space(("x",)), words=words, before="^"), (Layer(None, block),), readout)
    >>> probability(coin, "abb", "exact").shown
    '1/8'
    """
    require_known("domain", domain, RUNNABLE)
    bound = model.bind(values)
    if bound.readout.kind != "distribution":
        must = "the probability of a string needs a distribution readout"
        raise BadInput(must, bound.readout.kind, "give kind distribution with a label for each symbol")
    if given is None:
        _autoregressive(bound)
        inputs = bound.tokens(word)
        end = end_label(bound)
        wanted = (*inputs[1:], *(() if end is None else (end,)))
        inputs = inputs[: len(wanted)]
        if not wanted:
            raise BadInput("a string without an end must have at least one symbol", "the empty string")
        whole = unfollowed(bound) is None  # then one pass serves every prefix
    else:
        inputs, wanted, whole = bound.tokens(given), tuple(word), True
        if len(inputs) != len(wanted):
            must = f"there must be a symbol for each of the {len(inputs)} positions"
            raise BadInput(must, len(wanted))
    for label in wanted:
        require_known("label", label, bound.readout.labels)
    asked = replace(bound, readout=replace(bound.readout, position="each" if whole else "last"))
    runs = [(inputs[:k], [(-1, label)]) for k, label in enumerate(wanted, 1)]
    return _product(asked, [(inputs, list(enumerate(wanted)))] if whole else runs, wanted, domain, digits)


Asked = tuple[Any, list[tuple[int, str]]]
"""An input, and the labels whose probabilities are asked for, each with the index of its position."""


def _product(model: Transformer, runs: Sequence[Asked], wanted: tuple[str, ...], name: str, digits: int) -> Probability:
    from symcook.numbers.balls import check_digits

    digits = check_digits(digits)
    reason: Undecided | None = None
    for system in domains_for(name, digits):
        try:
            factors = [value for run in runs for value in _factors(model, run, system)]
        except Undecided as error:
            reason = error
            continue
        with system.context():
            value = factors[0]
            for factor in factors[1:]:
                value = value * factor
            places = digits + _leading_zeros(value)
            if system.settled(value, places):
                shown = tuple(system.show(factor, digits) for factor in factors)
                return Probability(wanted, name, value, system.show(value, places), shown)
    raise reason or Undecided(f"the probability has fewer than {digits} digits at the greatest working precision.")


def _factors(model: Transformer, run: Asked, system: Domain) -> list[Any]:
    result = forward(model, run[0], system)
    with system.context():
        return [system.read(result.scores[label], place) for place, label in run[1]]


def _leading_zeros(value: Any) -> int:
    """The zeros behind the decimal point of a ball: a small probability is shown with as many digits as a large one."""
    if not hasattr(value, "mid") or not value.is_finite() or value.mid().is_zero():
        return 0
    mantissa, exponent = (int(part) for part in value.mid().man_exp())
    return max(0, -(abs(mantissa).bit_length() + exponent)) * 30103 // 100000


def generate(
    model: Transformer,
    given: str | Sequence[str] = "",
    limit: int = LIMIT,
    domain: str = "exact",
    digits: int = 30,
    *,
    values: Mapping[str, Exact] | None = None,
) -> Decoded:
    """Greedy decoding: append the most probable symbol (the first of several), until the end label or `limit` symbols.

    The greatest score has the greatest probability, so that scores are compared and no exponential is needed: rational
    scores are decided in the exact domain. A symbol costs as much as there are before it where the model can be
    followed (`symcook.machine`), else what the whole prefix costs. Raises BadInput where the model has no scores by
    label, has no symbol to start from, or comes to its greatest length; Undecided where a comparison stays open.
    """
    require_known("domain", domain, RUNNABLE)
    if type(limit) is not int or limit < 0:
        raise BadInput("the greatest number of symbols must be an integer of at least 0", limit)
    from symcook.numbers.balls import check_digits

    digits = check_digits(digits)
    bound = model.bind(values)
    readout = bound.readout
    if not readout.labels:
        raise BadInput("decoding needs a readout of kind distribution or largest", readout.kind)
    if bound.embedding.after is not None:
        raise BadInput("a model that continues its input must add no token behind it", bound.embedding.after, _NO_END)
    end = end_label(bound)
    start = tuple(given)
    if start or bound.embedding.added:
        bound.tokens(start)  # says what it is not
    else:
        raise BadInput("decoding must have a first symbol", "none", "give one, or a model that adds a token in front")
    scores = replace(bound, readout=replace(readout, kind="largest", position="last"))
    greatest = _greatest(scores, domain, digits)
    written: list[str] = []
    while len(written) < limit:
        label = greatest(start + tuple(written))
        if label == end:
            return Decoded(start, tuple(written), True)
        written.append(label)
    return Decoded(start, tuple(written), False)


def _greatest(model: Transformer, name: str, digits: int) -> Callable[[Sequence[str]], str]:
    """The label of the greatest score behind a word, for words that grow."""
    systems, met = iter(domains_for(name, digits)), list[Callable[[Sequence[str]], Result]]()

    def ladder() -> Iterator[Callable[[Sequence[str]], Result]]:
        yield from met
        for system in systems:
            met.append(follower(model, system))
            yield met[-1]

    def greatest(word: Sequence[str]) -> str:
        reason: Undecided | None = None
        for follow in ladder():
            try:
                label = follow(word).label(-1)
            except Undecided as error:
                reason = error
                continue
            if label is not None:
                return label
        prefix = " ".join(model.embedding.surround(word))
        raise reason or Undecided(
            f"the greatest score after {prefix} stayed open in {name} numbers; try the exact domain."
        )

    return greatest


_NO_END = "make the end of a string a label of the readout instead"


def _autoregressive(model: Transformer) -> None:
    """BadInput where a model does not start with a token of its own, or adds one behind its input."""
    if model.embedding.before is None:
        must = "an autoregressive model must add a token in front of its input"
        raise BadInput(must, "none", "give the embedding a token before, or give the inputs")
    if model.embedding.after is not None:
        raise BadInput("an autoregressive model must add no token behind its input", model.embedding.after, _NO_END)
