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
from symcook.door import check_digits
from symcook.errors import BadInput, NotExact, Undecided, require_known
from symcook.forward import Result, forward
from symcook.locks import PRECISION
from symcook.machine import follower
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.programs.running import speech_of
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
    """What greedy decoding wrote: the given symbols, those that it appended, whether it came to a label that ends a
    run, and which one."""

    given: tuple[str, ...]
    appended: tuple[str, ...]
    ended: bool
    end: str | None = None

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
    >>> from symcook.model.parts import FeedForward, Layer
    >>> from symcook.model.checks import Space
    >>> words = {"^": {}, "a": {"x": 1}, "b": {}}
    >>> block = FeedForward(("x",), ("x",), [[1]], [0], [[0]], [0])
    >>> readout = Readout("distribution", "each", ("x",), [[0], [0]], ("a", "b"))
    >>> coin = Transformer("coin", Embedding(Space(("x",)), words=words, before="^"), (Layer(None, block),), readout)
    >>> probability(coin, "abb", "exact").shown
    '1/8'
    """
    require_known("number system", domain, RUNNABLE)
    bound = model.bind(values)
    must = "the probability of a string needs a distribution readout"
    bound.readout.require(must, ("distribution",), "give kind distribution with a label for each symbol")
    # Two questions: P(word), each symbol from those before it; or P(word | given), each from the given inputs.
    if given is None:
        _autoregressive(bound)
        inputs = bound.tokens(word)
        end = end_label(bound)
        # The model's own first token is read, not answered; the end label is answered, not read.
        wanted = (*inputs[1:], *(() if end is None else (end,)))
        inputs = inputs[: len(wanted)]
        if not wanted:
            raise BadInput("a string without an end must have at least one symbol", "the empty string")
        one_pass = bound.unfollowed() is None  # then one pass serves every prefix
    else:
        inputs, wanted, one_pass = bound.tokens(given), tuple(word), True
        if len(inputs) != len(wanted):
            must = f"there must be a symbol for each of the {len(inputs)} positions"
            raise BadInput(must, len(wanted))
    for label in wanted:
        require_known("label", label, bound.readout.labels)
    asked = replace(bound, readout=replace(bound.readout, position="each" if one_pass else "last"))
    # Without one pass for all prefixes, a run for each, read at its last position.
    runs = [(inputs[:k], [(-1, label)]) for k, label in enumerate(wanted, 1)]
    return _product(asked, [(inputs, list(enumerate(wanted)))] if one_pass else runs, wanted, domain, digits)


AskedScores = tuple[Any, list[tuple[int, str]]]
"""An input, and the labels whose probabilities are asked for, each with the index of its position."""


def _product(
    model: Transformer, runs: Sequence[AskedScores], wanted: tuple[str, ...], name: str, digits: int
) -> Probability:
    """The product of the probabilities that the runs give, in the first number system that decides all its digits.
    Raises the last Undecided where none does."""
    digits = check_digits(digits)
    reason: Undecided | None = None
    for system in domains_for(name, digits):
        try:
            factors = [value for run in runs for value in _factors(model, run, system)]
        except Undecided as error:
            reason = error
            continue
        with PRECISION, system.context():
            value = factors[0]
            for factor in factors[1:]:
                value = value * factor
            # Not `digits` digits after the point but `digits` significant ones.
            places = digits + _leading_zeros(value)
            if system.settled(value, places):
                factors_shown = tuple(system.show(factor, digits) for factor in factors)
                return Probability(wanted, name, value, system.show(value, places), factors_shown)
    raise reason or Undecided(f"the probability has fewer than {digits} digits at the largest working precision.")


def _factors(model: Transformer, run: AskedScores, system: Domain) -> list[Any]:
    result = forward(model, run[0], system)
    with PRECISION, system.context():
        return [system.read(result.scores[label], place) for place, label in run[1]]


def _leading_zeros(value: Any) -> int:
    """The zeros behind the decimal point of a ball: a small probability is shown with as many digits as a large one."""
    if not hasattr(value, "mid") or not value.is_finite() or value.mid().is_zero():
        return 0
    mantissa, exponent = (int(part) for part in value.mid().man_exp())
    return max(0, -(abs(mantissa).bit_length() + exponent)) * 30103 // 100000  # log10(2) = 0.30103


def generate(
    model: Transformer,
    given: str | Sequence[str] = "",
    limit: int = LIMIT,
    domain: str = "exact",
    digits: int = 30,
    *,
    values: Mapping[str, Exact] | None = None,
) -> Decoded:
    """Greedy decoding: append the most probable symbol (the first of several), until a label that ends a run or
    `limit` symbols. See `stream`, which gives them one by one."""
    bound = model.bind(values)
    written = tuple(stream(bound, given, limit, domain, digits))
    if written and written[-1] in speech_of(bound).ends:
        return Decoded(tuple(given), written[:-1], True, written[-1])
    return Decoded(tuple(given), written, False)


def stream(
    model: Transformer,
    given: str | Sequence[str] = "",
    limit: int = LIMIT,
    domain: str | None = None,
    digits: int = 30,
    *,
    values: Mapping[str, Exact] | None = None,
    bits: int | None = None,
) -> Iterator[str]:
    """The labels that greedy decoding puts out behind `given`, each as it comes: at most `limit`, and none behind one
    that ends a run, which is a label that is no symbol of the alphabet, or one that the model's program names.

    The greatest score has the greatest probability, so that scores are compared and no exponential is needed: rational
    scores are decided in the exact domain. Without a domain numbers are exact, and balls where there are no exact ones.
    With mpmath every operation is rounded to `bits`, right or wrong, where that is given.
    A symbol costs as much as there are before it where the model can be followed (`symcook.machine`), else what the
    whole prefix costs. Raises BadInput where the model has no scores by label, has no symbol to start from, or comes to
    its greatest length; Undecided where a comparison stays open.

    >>> from symcook.compilers import compile
    >>> list(stream(compile("dfa", "(aa)*"), "aaa"))
    ['q0', 'q1', 'q0', 'q1', 'no']
    """
    names = ("exact", "ball") if domain is None else (domain,)
    for name in names:
        require_known("number system", name, RUNNABLE)
    if type(limit) is not int or limit < 0:
        raise BadInput("the maximum number of symbols must be an integer of at least 0", limit)

    digits = check_digits(digits)
    bound = model.bind(values)
    scores = _scoring(bound, "last")
    start = tuple(given)
    if start or bound.embedding.added:
        bound.tokens(start)  # says what it is not
    else:
        raise BadInput(
            "decoding must have a first symbol", "none", "give one, or a model that adds a token before the input"
        )
    ends, symbols = speech_of(bound).ends, frozenset(bound.alphabet)
    greatest = _greatest(scores, names, digits, bits)
    return _labels(start, limit, lambda label: label in ends or label not in symbols, greatest)


def _labels(
    start: tuple[str, ...], limit: int, ends: Callable[[str], bool], greatest: Callable[[Sequence[str]], str]
) -> Iterator[str]:
    written = start
    for _ in range(limit):
        label = greatest(written)
        yield label
        if ends(label):
            return
        written = (*written, label)


def _scoring(model: Transformer, position: str) -> Transformer:
    """The model with the greatest score as its answer; BadInput where it cannot go on by its answers."""
    model.readout.require(
        "a model that generates tokens must have a readout with labels", ("distribution", "largest", "groups")
    )
    if model.embedding.after is not None:
        raise BadInput("a model that continues its input must add no token after it", model.embedding.after, _NO_END)
    kind = "groups" if model.readout.groups else "largest"
    return replace(model, readout=replace(model.readout, kind=kind, position=position))


@dataclass(frozen=True)
class Continued:
    """A continuation beside what the model puts out: `answers` are the labels that it puts out in the places of the
    tokens, and `first` the place of the first one that is another, from 0; None where there is none."""

    given: tuple[str, ...]
    tokens: tuple[str, ...]
    answers: tuple[str, ...]
    first: int | None

    @property
    def agrees(self) -> bool:
        """Whether the model goes on so."""
        return self.first is None


def continued(
    model: Transformer,
    given: str | Sequence[str],
    tokens: Sequence[str],
    domain: str | None = None,
    digits: int = 30,
    *,
    values: Mapping[str, Exact] | None = None,
) -> Continued:
    """Whether a model goes on behind `given` with these tokens, by one pass over them all: each position must answer
    the next one. The answers up to the first difference are those of decoding; behind it they are to what was given.

    Raises BadInput where the model cannot be followed, so that an answer may rest on what stands behind it; Undecided.

    >>> from symcook.compilers import compile
    >>> model = compile("dfa", "(aa)*")
    >>> continued(model, "a", ["q0", "q1", "no"]).agrees, continued(model, "a", ["q0", "q0", "yes"]).first
    (True, 1)
    """
    bound = model.bind(values)
    why = bound.unfollowed()
    if why is not None:
        must = "a continuation is checked in one pass where no answer rests on what follows"
        raise BadInput(must, why, "decode it instead")
    # Any label of the readout may be asked about, and no other token.
    scores, start, tokens = _scoring(bound, "each"), tuple(given), tuple(tokens)
    for token in tokens:
        if bound.readout.index(token) is None:
            require_known("label", token, bound.readout.labels)
    if not tokens:
        return Continued(start, (), (), None)
    # The first answer is that of the last given position; what the last token answers is not asked.
    first = len(start) + bound.embedding.added - 1
    if first < 0:
        raise BadInput(
            "decoding must have a first symbol", "none", "give one, or a model that adds a token before the input"
        )
    read_tokens = bound.tokens((*start, *tokens[:-1]))
    reason: Undecided | NotExact | None = None
    names = ("exact", "ball") if domain is None else (domain,)
    for system in _systems(names, digits):
        try:
            result = forward(scores, read_tokens, system)
            answers = [result.label(place) for place in range(first, first + len(tokens))]
        except (Undecided, NotExact) as error:
            reason = error
            continue
        if None not in answers:
            labels = tuple(str(answer) for answer in answers)
            differing = (k for k, label in enumerate(labels) if label != tokens[k])
            return Continued(start, tokens, labels, next(differing, None))
    raise _open("a largest score", names, reason)


def extended(model: Transformer, given: str | Sequence[str], steps: int, domain: str | None = None) -> tuple[str, ...]:
    """The extension of a word by so many steps: f^0(x) = x and f^(k+1)(x) = f^k(x) f(f^k(x)), where f(x) is the label
    that the model answers behind x. No label ends it; one that is no symbol may only come last, else BadInput. Source:
    Merrill and Sabharwal (2024), Section 2."""
    bound = model.bind({})
    start = bound.embedding.typed(bound.tokens(given)) if given else ()
    greatest = _greatest(_scoring(bound, "last"), ("exact", "ball") if domain is None else (domain,), 30)
    labels = list[str]()
    for label in _labels(tuple(start), steps, lambda _: False, greatest):
        labels.append(label)
        if label not in bound.alphabet and len(labels) < steps:
            end = f"{len(labels)} steps where {label} comes then, which is no symbol"
            must = f"a string must be extended by at most {end}"
            raise BadInput(must, steps)
    return (*start, *labels)


def recognizes(
    model: Transformer, given: str | Sequence[str], steps: Callable[[int], int], yes: str, domain: str | None = None
) -> bool:
    """Whether a decoder with t(n) steps accepts a word x: whether the last of t(|x|) tokens that it puts out is `yes`.
    Source: Merrill and Sabharwal (2024), Section 2.

    >>> from symcook.compilers import compile
    >>> recognizes(compile("dfa", "(aa)*"), "aa", lambda n: n + 2, "yes")
    True
    """
    step_count = steps(len(given))
    if type(step_count) is not int or step_count < 1:
        raise BadInput("a string must be recognized in at least one step", step_count)
    return extended(model, given, step_count, domain)[-1] == yes


def _systems(names: Sequence[str], digits: int, bits: int | None = None) -> Iterator[Domain]:
    """The number systems to try, one after the other."""
    for name in names:
        yield from domains_for(name, digits, bits)


def _greatest(
    model: Transformer, names: Sequence[str], digits: int, bits: int | None = None
) -> Callable[[Sequence[str]], str]:
    """The label of the greatest score behind a word, for words that grow."""
    # Number systems from coarse to fine, each with a follower that keeps what it read of the prefix. Those that are
    # made are tried again for the next symbol; finer ones are made only when it is undecided.
    systems, followers = _systems(names, digits, bits), list[Callable[[Sequence[str]], Result]]()

    def ladder() -> Iterator[Callable[[Sequence[str]], Result]]:
        yield from followers
        for system in systems:
            followers.append(follower(model, system))
            yield followers[-1]

    def greatest(word: Sequence[str]) -> str:
        """The label of the greatest score after a string."""
        reason: Undecided | NotExact | None = None
        for follow in ladder():
            try:
                label = follow(word).label(-1)
            except (Undecided, NotExact) as error:
                reason = error
                continue
            if label is not None:
                return label
        prefix = " ".join(model.embedding.surround(word))
        raise _open(f"the largest score after {prefix}", names, reason)

    return greatest


def _open(what: str, names: Sequence[str], reason: Undecided | NotExact | None) -> Undecided | NotExact:
    """What is said where no number system tells which score is the greatest; `reason` is the last error among them."""
    if isinstance(reason, NotExact) and len(names) > 1:
        return Undecided(
            f"{what} was undecided, and neither number system decides it: rigorous intervals do not tell two "
            "scores apart, or they are "
            f"equal; and exact arithmetic refuses the model: {reason.must}, given {reason.shown}."
        )
    return reason or Undecided(
        f"{what} was undecided in {names[-1]} numbers, where two are too close to tell apart, or equal; exact "
        "arithmetic "
        "decides ties of rational scores."
    )


_NO_END = "make the end of a string a label of the readout instead"


def _autoregressive(model: Transformer) -> None:
    """BadInput where a model does not start with a token of its own, or adds one behind its input."""
    if model.embedding.before is None:
        must = "an autoregressive model must add a token before its input"
        raise BadInput(must, "none", "give the embedding a token before, or give the inputs")
    if model.embedding.after is not None:
        raise BadInput("an autoregressive model must add no token after its input", model.embedding.after, _NO_END)
