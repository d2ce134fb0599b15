"""Language models: the probability of a string, and decoding symbol by symbol.

A model with a distribution readout gives at each position i a distribution p_i over its labels. Given inputs x of the
same length, a string y has the probability P(y | x) = prod_i p_i(y_i). An autoregressive model starts with a special
token (BOS), x_1 = BOS, and reads its own outputs, x_i = y_{i-1}: from a prefix it gives a distribution over the next
symbol. If one of its labels is not an input symbol (EOS), this label ends a string, and P is a distribution over all
strings. If every label is an input symbol, the probabilities of the strings of each length add up to 1.
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
from symcook.model.typedtext import tokens_of_text
from symcook.programs.running import speech_of
from symcook.run import domains_for

if TYPE_CHECKING:
    from symcook.domains.protocol import Domain

LIMIT = 64
"""The default for the greatest number of symbols that `generate` appends."""


@dataclass(frozen=True)
class Probability:
    """The probability of a string."""

    word: tuple[str, ...]
    domain: str
    """The name of the number system."""
    value: Any
    """The probability as a value of this number system."""
    shown: Any
    """The probability as in JSON."""
    factors: tuple[Any, ...]
    """The probabilities of its symbols, whose product it is, as in JSON."""


@dataclass(frozen=True)
class Decoded:
    """The result of greedy decoding."""

    given: tuple[str, ...]
    """The prefix that was given."""
    appended: tuple[str, ...]
    """The symbols after it, without a label that ended the run."""
    ended: bool
    """Whether a label ended the run, and not the limit."""
    end: str | None = None
    """This label."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """The prefix and the appended symbols."""
        return self.given + self.appended


def end_label(model: Transformer) -> str | None:
    """The label that ends a string: the only label that is not a symbol of the alphabet; None if there is none.

    Raises BadInput if there are several.
    """
    others = [label for label in model.readout.labels if label not in model.alphabet]
    if len(others) > 1:
        raise BadInput(
            "all labels except one, which ends a string, must be symbols of the alphabet",
            " ".join(others),
            "give a model with one label outside its alphabet",
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
    """The probability of `word`: P(word), including the end label after it if the model has one, or P(word | given).

    `given` is the input that the model reads, of the length of `word`. Without it the model is autoregressive and must
    have a special token before its input (and none after it). For balls the precision doubles until the first `digits`
    digits are known. Raises BadInput if the model has no distribution or the word does not fit it, NotExact if a score
    has no exact exponential, Undecided at the limit of precision.

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
    # Two cases: P(word), each symbol given those before it; or P(word | given), each symbol given the inputs.
    # `inputs` is what the model reads, `wanted` the label at each position whose probability is a factor.
    if given is None:
        _require_autoregressive(bound)
        require_answer_after_prefix(bound)
        inputs = bound.tokens(word)
        end = end_label(bound)
        # The special token is an input but not an answer; the end label is an answer but not an input.
        wanted = (*inputs[1:], *(() if end is None else (end,)))
        inputs = inputs[: len(wanted)]
        if not wanted:
            raise BadInput(
                "a string without an end must have at least one symbol", "the empty string", "give at least one symbol"
            )
        one_pass = bound.unfollowed() is None  # then one pass gives the answers after all prefixes
    elif not bound.readout.each:
        must = "the probability of a string given inputs needs an answer at each position"
        raise BadInput(must, f"a readout {bound.readout.where}", 'write position="each"')
    else:
        wanted = tokens_of_text(word, bound.readout.labels) if isinstance(word, str) else tuple(word)
        inputs, one_pass = bound.tokens(given), True
        if len(inputs) != len(wanted):
            must = f"there must be a symbol for each of the {len(inputs)} positions"
            raise BadInput(must, f"{len(wanted)} symbols", "give one symbol for each position")
    for label in wanted:
        require_known("label", label, bound.readout.labels)
    scoring_model = replace(bound, readout=replace(bound.readout, position="each" if one_pass else "last"))
    # Otherwise there is one run for each prefix, and its answer is at the last position.
    runs = [(inputs[:k], [(-1, label)]) for k, label in enumerate(wanted, 1)]
    return _product(scoring_model, [(inputs, list(enumerate(wanted)))] if one_pass else runs, wanted, domain, digits)


AskedScores = tuple[Any, list[tuple[int, str]]]
"""An input of one run (no scores yet), and the labels whose probabilities are factors: (index of the position,
label)."""


def _product(
    model: Transformer, runs: Sequence[AskedScores], wanted: tuple[str, ...], name: str, digits: int
) -> Probability:
    """The product of the probabilities of the runs, in the first number system in which all `digits` digits are known.

    Raises the last Undecided if there is none.
    """
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
            # `digits` is the number of significant digits: a small probability needs more places after the point.
            places = digits + _leading_zeros(value)
            if system.settled(value, places):
                factors_shown = tuple(system.show(factor, digits) for factor in factors)
                return Probability(wanted, name, value, system.show(value, places), factors_shown)
    raise reason or Undecided(f"the probability has fewer than {digits} digits at the largest working precision.")


def _factors(model: Transformer, run: AskedScores, system: Domain) -> list[Any]:
    """The probabilities of the labels of one run."""
    result = forward(model, run[0], system)
    with PRECISION, system.context():
        return [system.read(result.scores[label], place) for place, label in run[1]]


def _leading_zeros(value: Any) -> int:
    """About the number of zeros after the decimal point of a ball below 1; 0 for other numbers."""
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
    """Greedy decoding: append the most probable symbol (the first of several) until a label ends the run, at most
    `limit` symbols. See `stream`, which returns the model's own labels one by one; here the tokens of a compiled
    decoder are shown by the names that its program has for them."""
    bound = model.bind(values)
    labels, speech = tuple(stream(bound, given, limit, domain, digits)), speech_of(bound)
    written = tuple(map(speech.text, labels))
    if labels and labels[-1] in speech.ends:
        return Decoded(_string(bound, given), written[:-1], True, written[-1])
    return Decoded(_string(bound, given), written, False)


def _no_start() -> BadInput:
    """The error of a decoding that has no token to begin with."""
    do = "give one, or a model that adds a token before the input"
    return BadInput("decoding must start from at least one token", "none", do)


def _string(model: Transformer, given: str | Sequence[str]) -> tuple[str, ...]:
    """A string as tokens; BadInput for a text that can be read in two ways."""
    return tokens_of_text(given, model.input_symbols, model.alphabet) if isinstance(given, str) else tuple(given)


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
    """The labels that greedy decoding outputs after `given`, each when it is computed: at most `limit`.

    A label that ends the run is the last one: a label that is not a symbol of the alphabet, or that the model's program
    names as an end. If the limit comes first, no label ends the run. The largest score has the largest probability, so
    scores are compared and no exponential is needed: rational scores are compared exactly. Without a domain, numbers
    are exact, or balls if there are no exact ones. With mpmath and `bits`, every operation is rounded to so many bits,
    and the output may be wrong. If the model can be run symbol by symbol (`symcook.machine`), the cost of a symbol is
    linear in the number of symbols before it; else it is that of a run on the whole prefix. Raises BadInput if the
    model has no scores by label, has no symbol to start from, or reaches its maximum length; Undecided if a comparison
    is undecided; NotExact if `domain` is "exact" and a score has no exact value. Errors of the arguments are raised by
    the call, all others when a label is read.

    >>> from symcook.compilers import compile
    >>> list(stream(compile("dfa", "(aa)*"), "aaa"))
    ['q0', 'q1', 'q0', 'q1', 'no']
    """
    names = ("exact", "ball") if domain is None else (domain,)
    for name in names:
        require_known("number system", name, RUNNABLE)
    if type(limit) is not int or limit < 0:
        raise BadInput("the maximum number of symbols must be an integer of at least 0", limit, "give for example 10")

    digits = check_digits(digits)
    bound = model.bind(values)
    scores = _with_largest_label(bound, "last")
    start = _string(bound, given)
    if start or bound.embedding.added:
        bound.tokens(start)  # raises BadInput for an invalid string
    else:
        raise _no_start()
    ends, symbols = speech_of(bound).ends, frozenset(bound.alphabet)
    greatest = _largest_label(scores, names, digits, bits)
    return _labels(start, limit, lambda label: label in ends or label not in symbols, greatest)


def _labels(
    start: tuple[str, ...], limit: int, ends: Callable[[str], bool], greatest: Callable[[Sequence[str]], str]
) -> Iterator[str]:
    """The labels after `start`, at most `limit`: `greatest` gives the label after a string, `ends` says which is
    last."""
    written = start
    for _ in range(limit):
        label = greatest(written)
        yield label
        if ends(label):
            return
        written = (*written, label)


def _with_largest_label(model: Transformer, position: str) -> Transformer:
    """The model with the label of the largest score as its answer, read at `position`.

    Raises BadInput if the model cannot continue a string by its answers, as where it answers at the first position.
    """
    model.readout.require(
        "a model that generates tokens must have a readout with labels", ("distribution", "largest", "groups")
    )
    if model.embedding.after is not None:
        raise BadInput(
            "a model that continues its input must add no special token after the input", model.embedding.after, _NO_END
        )
    require_answer_after_prefix(model)
    kind = "groups" if model.readout.groups else "largest"
    return replace(model, readout=replace(model.readout, kind=kind, position=position))


@dataclass(frozen=True)
class Continued:
    """The comparison of a given continuation of a string with the outputs of the model."""

    given: tuple[str, ...]
    """The string."""
    tokens: tuple[str, ...]
    """The given continuation."""
    answers: tuple[str, ...]
    """The label that the model outputs at each of its positions."""
    first: int | None
    """The index (from 0) of the first label that differs from its token; None if all are equal."""

    @property
    def agrees(self) -> bool:
        """Whether the model continues the string in this way."""
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
    """Whether a model continues `given` with these tokens, by one pass over all of them: the answer at each position
    must be the next token. Up to the first difference the answers are those of decoding; after it they are answers to
    the given tokens. In floats they may differ from those of decoding, which adds in another order.

    Raises BadInput if an answer of the model may depend on later symbols, for a token that is no label, and for one
    after a label that ends the run; Undecided if an answer is undecided; NotExact if `domain` is "exact" and a score
    has no exact value.

    >>> from symcook.compilers import compile
    >>> model = compile("dfa", "(aa)*")
    >>> continued(model, "a", ["q0", "q1", "no"]).agrees, continued(model, "a", ["q0", "q0", "yes"]).first
    (True, 1)
    """
    bound = model.bind(values)
    why = bound.unfollowed()
    if why is not None:
        must = "a continuation is checked in one pass only if no answer depends on later symbols"
        raise BadInput(must, why, "decode it step by step instead")
    # Each token must be a label of the readout.
    scores, start, tokens = _with_largest_label(bound, "each"), _string(bound, given), tuple(tokens)
    for token in tokens:
        if bound.readout.index(token) is None:
            require_known("label", token, bound.readout.labels)
    ends = speech_of(bound).ends
    if (last := next((k for k, token in enumerate(tokens[:-1]) if token in ends), None)) is not None:
        must = "a label that ends the run must be the last token of a continuation"
        raise BadInput(must, f"{tokens[last]}, and then {tokens[last + 1]}", "leave out what follows it")
    if not tokens:
        return Continued(start, (), (), None)
    # The answers begin at the last given position; the answer at the last token is not needed.
    first = len(start) + bound.embedding.added - 1
    if first < 0:
        raise _no_start()
    read_tokens = bound.tokens((*start, *tokens[:-1]))
    reason: Undecided | NotExact | None = None
    names = ("exact", "ball") if domain is None else (domain,)
    # The first number system in which all answers are decided.
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
    raise _undecided_error("a largest score", names, reason)


def extended(model: Transformer, given: str | Sequence[str], steps: int, domain: str | None = None) -> tuple[str, ...]:
    """The extension of a string by `steps` labels: f^0(x) = x and f^(k+1)(x) = f^k(x) f(f^k(x)), where f(x) is the
    label that the model outputs after x. Source: Merrill and Sabharwal (2024), Section 2.

    No label ends the run. Raises BadInput if a label other than the last one is not a symbol of the alphabet.
    """
    bound = model.bind({})
    start = bound.embedding.typed(bound.tokens(given)) if given else ()
    greatest = _largest_label(
        _with_largest_label(bound, "last"), ("exact", "ball") if domain is None else (domain,), 30
    )
    labels = list[str]()
    for label in _labels(tuple(start), steps, lambda _: False, greatest):
        labels.append(label)
        if label not in bound.alphabet and len(labels) < steps:
            must = f"this string must be extended by at most {len(labels)} steps: the model ends it with {label}"
            raise BadInput(must, steps, f"give {len(labels)} steps or fewer")
    return (*start, *labels)


def recognizes(
    model: Transformer, given: str | Sequence[str], steps: Callable[[int], int], yes: str, domain: str | None = None
) -> bool:
    """Whether a decoder with t(n) steps accepts a string x: whether the last of the t(|x|) tokens that it outputs is
    `yes`. Source: Merrill and Sabharwal (2024), Section 2.

    >>> from symcook.compilers import compile
    >>> recognizes(compile("dfa", "(aa)*"), "aa", lambda n: n + 2, "yes")
    True
    """
    given = _string(model, given)
    step_count = steps(len(given))
    if type(step_count) is not int or step_count < 1:
        raise BadInput(
            "the number of decoding steps to recognize a string must be at least 1", step_count, "give for example 10"
        )
    return extended(model, given, step_count, domain)[-1] == yes


def _systems(names: Sequence[str], digits: int, bits: int | None = None) -> Iterator[Domain]:
    """The number systems to try, one after the other."""
    for name in names:
        yield from domains_for(name, digits, bits)


def _largest_label(
    model: Transformer, names: Sequence[str], digits: int, bits: int | None = None
) -> Callable[[Sequence[str]], str]:
    """A function from a string to the label of the largest score after it; fast if each string extends the one before.

    `names`, `digits` and `bits` give the number systems.
    """
    # The number systems from coarse to fine, each with a `follower`, which keeps its state after the last string. Those
    # already made are used again for the next string; finer ones are made only when all of these are undecided.
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
        raise _undecided_error(f"the largest score after {prefix}", names, reason)

    return greatest


def _undecided_error(what: str, names: Sequence[str], reason: Undecided | NotExact | None) -> Undecided | NotExact:
    """The error if no number system decides which score is the largest; `reason` is the error of the last one."""
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
"""The hint for a model with a special token after its input."""


def require_answer_after_prefix(model: Transformer) -> None:
    """Raise BadInput if the answers of a model do not continue its input: an answer at the first position is about no
    later symbol."""
    if not model.readout.continues:
        must = "a model that continues its input must answer at the last position or at each"
        raise BadInput(must, f"a readout {model.readout.where}", 'write position="last"')


def _require_autoregressive(model: Transformer) -> None:
    """Raise BadInput if a model has no special token before its input, or has one after it."""
    if model.embedding.before is None:
        must = "an autoregressive model must add a token before its input"
        raise BadInput(must, "none", "give the embedding a token before, or give the inputs")
    if model.embedding.after is not None:
        raise BadInput("an autoregressive model must add no token after its input", model.embedding.after, _NO_END)
