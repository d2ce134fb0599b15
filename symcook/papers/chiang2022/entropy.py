"""The expected cross-entropy of the recipes of chiang2022 over all words of a length, from closed forms.

All words with the same logit form a class. The logit of a class has a closed form in the length, the number of 1s and
the first symbol.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import comb
from typing import NamedTuple

import flint

from symcook.bounds.arguments import Bound, count, decided, number_tree, rational_value, settings, shown
from symcook.door import check_digits
from symcook.errors import BadInput, Undecided, unknown
from symcook.model.symbols import fraction
from symcook.numbers.balls import Ball, arb_of, decide_sign, limit_for
from symcook.words.inputs import require_sample

arb = flint.arb


class Class(NamedTuple):
    """Words of one length with the same logit."""

    share: Fraction
    """Their share of all words."""
    member: bool
    """Whether they are in the language."""
    logit: Callable[[], flint.arb]
    """Computes the logit at the current precision."""
    holds: Callable[[bool, int], bool]
    """Whether a word is in the class. Arguments: whether its first symbol is 1, and its number of 1s."""


class Given(NamedTuple):
    """The length and the parameters of a model."""

    n: int
    """The length, CLS included."""
    c: Callable[[], flint.arb]
    """Computes the factor of scores, with log n included if attention is scaled."""
    epsilon: Fraction
    """The epsilon of layer norm."""
    scaled: bool
    """Whether scores are multiplied by log n."""
    target: Callable[[], flint.arb] | None
    """Computes the logit at which Proposition 2 or 3 aims; None if neither is used."""
    weight: Fraction = Fraction(1)
    """The weight of Figure 3, by which every position learns weight*k/n; 1 in the paper."""


LogitFormula = Callable[[Given, flint.arb, Mapping[int, flint.arb]], flint.arb]
"""Computes a logit of PARITY. Arguments: the parameters; `at`, for the query at/n that every position has learnt; and
the hit of each position (see `hits`)."""


# The mean is that of -log2 of the probability of the right answer. CLS is no symbol; there are at most 1000 for
# parity-layernorm, which takes n^2 exponentials, and 10^5 for first-flawed, which takes n. Values of scaled, eta, c
# and epsilon are rational. Words with one logit are taken together: by the
# parity of k, the number of 1s, by k, by the first symbol, or by both. With s the logit, a member has log2(1 + e^-s).
#
# `weight` stands in parity and parity-layernorm in place of the 1 at row 6, column 2 of W^V of the first head, by
# which every position learns weight k/n, and in the negative beside it in parity-layernorm; rational, at least 0.
# With it parity takes n terms, and n is at most 10^5.
# A sample is drawn with `seed` by Python's random.Random; at most 10^6 symbols are drawn in all.
def cross_entropy(
    model: str,
    n: int | str,
    values: str | Mapping[str, object] | None = None,
    weight: Fraction | int | str = 1,
    sample: int | str | None = None,
    seed: int | str = 0,
    digits: int | str = 30,
) -> Bound:
    """The mean cross-entropy in bits over all strings of n symbols, against the worst possible, 1 bit.

    The mean is that of -log2 of the probability of the right answer. "one bit less this" in `extra` is 1 - value;
    "accuracy" is the share of strings whose answer is right, and "open" the share that intervals do not decide.

    Arguments:
        model: str. "parity", "first", "first-flawed", or one of their variants with layer norm.
        n: int. The length, without CLS; at most 1000 for parity-layernorm, and 10^5 for first-flawed and with weight.
        values: {name: exact} or str (None). Rational values of scaled, eta, c and epsilon, also as "c=2".
        weight: exact (1). The weight of Figure 3 in parity and parity-layernorm; rational, at least 0.
        sample: int or None (None). The mean over so many strings, drawn uniformly; at most 10^6 symbols in all.
        seed: int (0). The seed of the draw, for random.Random.
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound.

    Raises: BadInput: a model of another name, or an argument out of range.

    Example:

    >>> cross_entropy("first", 4, digits=4).holds
    True

    Source: chiang2022, Sections 3.4 and 4.3, Figure 2; the logits are those of Appendices A (with sinh in its last
    line) and B (with factors that depend on the position).
    """
    wanted = check_digits(digits)
    if model not in LOGITS:
        raise unknown("model with closed forms in the counts", str(model), list(LOGITS))
    # How long strings may be: parity has a closed form in n, other models are sums of n or n^2 terms.
    length = count(n)
    weight_value = _read_weight(model, weight)
    most = {"parity-layernorm": 1000, "first-flawed": 10**5}.get(model, None if weight_value == 1 else 10**5)
    if most is not None and length > most:
        raise BadInput(
            f"for the cross-entropy of {model}, the length n must be at most {most}", length, "give a smaller --n"
        )
    # The classes of strings, and in `text` the parameters that are reported.
    case, text = case_of(model, length, values)
    case = case._replace(weight=weight_value)
    text |= {} if weight_value == 1 else {"weight": str(weight_value)}
    classes = list(LOGITS[model](case))
    start = _read_seed(seed)
    require_sample(sample, start)
    if sample is not None:
        sample_size = count(sample)
        classes = _classes_of_sample(classes, length, sample_size, start)
        text |= {"sample": str(sample_size), "seed": str(start)}

    def value() -> flint.arb:
        """The mean over the classes of log2(1 + e^-s), where s is the logit, negated for words that are no members."""
        total = arb(0)
        for word_class in classes:
            s = word_class.logit()
            total += arb_of(word_class.share) * (-s if word_class.member else s).exp().log1p()
        return total / arb.const_log2()

    # If a logit is so near 0 that its sign is undecided, the accuracy is open, but the cross-entropy is not.
    extra: dict[str, Ball | str] = {"one bit less this": shown(lambda: 1 - value(), wanted)}
    try:
        right_share = sum(
            (word_class.share for word_class in classes if (_sign(word_class, wanted) > 0) is word_class.member),
            Fraction(0),
        )
        extra["accuracy"] = shown(lambda: arb_of(right_share), wanted)
    except Undecided:
        extra["accuracy"] = "open"
    return Bound(
        kind="cross-entropy",
        parameters={"model": model, "n": length, **text},
        value=shown(value, wanted),
        claimed=shown(lambda: arb(1), wanted),
        holds=decided(lambda: 1 - value(), wanted, "the distance from one bit"),
        attained=False,
        source="chiang2022, Sections 3.4 and 4.3, Figure 2",
        labels=("mean, in bits", "worst possible"),
        extra=extra,
    )


def _sign(word_class: Class, digits: int) -> int:
    """The sign of the logit of a class: 1, 0 or -1. Raises Undecided if no precision decides it."""
    return decide_sign(word_class.logit, "a logit", limit_for(digits))


def case_of(model: str, length: int, values: str | Mapping[str, object] | None) -> tuple[Given, dict[str, str]]:
    """The length and the parameters of a model, and its parameters as texts for a report."""
    from symcook.recipes import build, info

    all_settings = settings(values)
    # Some settings, such as eta, are arguments that build the model; the others are values of its symbols.
    arg_names = {argument.name for argument in info(model).arguments}
    arguments = info(model).read({name: value for name, value in all_settings.items() if name in arg_names})
    eta: Fraction | None = arguments.get("eta")
    values_by_name = build(model, **arguments).values(
        {name: value for name, value in all_settings.items() if name not in arg_names}
    )
    numbers = {name: fraction(value) for name, value in values_by_name.items()}
    c, n = numbers["c"], length + 1

    def scale() -> flint.arb:
        """The factor of scores, multiplied by log n if attention is scaled."""
        return arb_of(c) * (arb(n).log() if arguments["scaled"] else 1)

    def target() -> flint.arb:
        """The logit with the cross-entropy eta, -log(e^eta - 1), or that for eta = 1/2 if this is not positive."""
        wanted = -arb_of(eta or 0).expm1().log()
        return wanted if wanted > 0 else -arb_of(Fraction(1, 2)).expm1().log()

    text = {name: str(value) for name, value in numbers.items()} | {"scaled": "yes" if arguments["scaled"] else "no"}
    text |= {} if eta is None else {"eta": str(eta)}
    epsilon = numbers.get("epsilon", Fraction(0))
    return Given(n, scale, epsilon, arguments["scaled"], None if eta is None else target), text


def _read_weight(model: str, given: Fraction | int | str) -> Fraction:
    """The weight of Figure 3 as a rational number. Raises BadInput for a negative one, and for one other than 1 in a
    model without this weight."""
    what = "the weight"
    value = rational_value(number_tree(str(given), what), what)
    if value < 0:
        raise BadInput("the weight must not be negative", given, "give for example --weight 1")
    if value != 1 and not model.startswith("parity"):
        raise BadInput(
            "the weight of Figure 3 must be given only for the models parity and parity-layernorm",
            model,
            "leave --weight out",
        )
    return value


def _read_seed(given: int | str) -> int:
    """The seed as an integer."""
    try:
        return int(given)
    except ValueError:
        raise BadInput("a seed must be an integer", given, "give for example --seed 0") from None


def _classes_of_sample(classes: list[Class], length: int, sample_size: int, seed: int) -> list[Class]:
    """The classes with the shares that they have in a random sample of words, without classes that do not occur. Raises
    BadInput for a sample of more than 10^6 symbols."""
    if sample_size * length > 10**6:
        raise BadInput(
            "all strings of a sample together must have at most 10^6 symbols",
            sample_size * length,
            "draw fewer strings",
        )
    draw = random.Random(seed)
    counted = Counter[tuple[bool, int]]()  # words by first symbol (the highest bit) and number of 1s
    for _ in range(sample_size):
        bits = draw.getrandbits(length)
        counted[bits >= 1 << (length - 1), bits.bit_count()] += 1
    shares = [sum(times for word, times in counted.items() if word_class.holds(*word)) for word_class in classes]
    return [
        word_class._replace(share=Fraction(times, sample_size))
        for word_class, times in zip(classes, shares, strict=True)
        if times
    ]


def hits(at: Fraction, n: int) -> dict[int, Fraction]:
    """The hit of each position i from 0 to n - 1 by a query at the point `at`: the value of Figure 1's function,
    1 - |at - i|. Only positions with a positive hit are in the result."""
    low = at.numerator // at.denominator
    return {i: 1 - abs(at - i) for i in (low, low + 1) if 0 <= i < n and abs(at - i) < 1}


def _parity_classes(given: Given) -> Iterator[Class]:
    """The classes of parity (Appendix A): the logit depends on n and on the parity of k, the number of 1s."""
    n = given.n
    if given.weight != 1:
        yield from _classes_by_ones(parity_logit, given)  # Section 3.2 with another weight: the logit depends on k
        return

    def logit(odd: bool) -> flint.arb:
        c = given.c()
        if n % 2 == 0:
            return (2 if odd else -2) * c.tanh() / n**2
        low, high = arb_of(Fraction(n - 1, 2)), arb_of(Fraction(n + 1, 2))
        denominator = n * (low * c.exp() + high * (-c).exp()) * (high * c.exp() + low * (-c).exp())
        return (n + 1 if odd else 1 - n) * (2 * c).sinh() / denominator

    for odd in (False, True):
        yield Class(Fraction(1, 2), odd, lambda odd=odd: logit(odd), lambda _, k, odd=odd: k % 2 == odd)


def parity_logit(given: Given, _: flint.arb, hit: Mapping[int, flint.arb]) -> flint.arb:
    """The logit of parity for these hits of positions: one head attends more to odd positions, one to even ones."""
    n = given.n
    high, low = given.c().exp(), (-given.c()).exp()
    even, odd = (n + 1) // 2, n // 2
    rising, falling = even * high + odd * low, even * low + odd * high
    shares = (low / falling - high / rising, high / falling - low / rising)
    return sum((t / n * shares[i % 2] for i, t in hit.items()), arb(0))


def ones_logit(formula: LogitFormula, given: Given, weight: Fraction, k: int) -> flint.arb:
    """The logit of the words with k symbols 1, by `formula`, at a weight of Figure 3."""
    hit = {i: arb_of(t) for i, t in hits(weight * k, given.n).items()}
    return formula(given, arb_of(weight * k), hit)


def _classes_by_ones(formula: LogitFormula, given: Given) -> Iterator[Class]:
    """A class for each number of 1s, with its logit by `formula`."""
    for k in range(given.n):
        share = Fraction(comb(given.n - 1, k), 2 ** (given.n - 1))
        logit = partial(ones_logit, formula, given, given.weight, k)
        yield Class(share, k % 2 == 1, logit, lambda _, ones, k=k: ones == k)


def _normed_parity_classes(given: Given) -> Iterator[Class]:
    """The classes of parity-layernorm (Appendix B), with the weight of Figure 3."""
    return _classes_by_ones(normed_parity_logit, given)


def normed_parity_logit(given: Given, at: flint.arb, hit: Mapping[int, flint.arb]) -> flint.arb:
    """The logit of parity-layernorm if every position has learnt the query at/n, which has these hits.

    The squares of the entries at position i have the sum 2 + (i/n)^2 + (at/n)^2 + 1/n^2, plus (t/n)^2 for a hit t.
    """
    n, zero, e, square = given.n, arb(0), arb_of(given.epsilon), at**2

    def factor(i: int) -> flint.arb:
        """The factor of both norms at position i, as in `_norms_factor`; most positions have no hit."""
        before = (2 * n * n + i * i + 1 + square) / (9 * n * n)
        after = before + hit[i] ** 2 / (9 * n * n) if i in hit else before
        return (after + e * (before + e)).rsqrt()

    factors = [factor(i) for i in range(n)]
    scale = given.c() * factors[0]
    rising = [(scale * f if i % 2 == 0 else -scale * f).exp() for i, f in enumerate(factors)]
    falling = [1 / weight for weight in rising]
    below = sum(falling, zero), sum(rising, zero)
    s = sum((factors[i] * t / n * (falling[i] / below[0] - rising[i] / below[1]) for i, t in hit.items()), zero)
    others = (2 * n * n + 1 + at**2 + hit.get(0, zero) ** 2) / (9 * n * n)
    return _final_logit(s, factors[0] ** 2 * others + s**2 / 9, 18, given)


def _first_classes(given: Given) -> Iterator[Class]:
    """The classes of first (Eq. (1)): the logit depends on the first symbol, `starts` (whether it is 1)."""

    def logit(starts: bool) -> flint.arb:
        s = arb_of(Fraction(1 if starts else -1, 2)) / (1 + (given.n - 1) * (-given.c()).exp())
        return s if given.target is None else 4 * given.target() * s

    for starts in (False, True):
        yield Class(Fraction(1, 2), starts, lambda starts=starts: logit(starts), lambda first, _, s=starts: first is s)


def _normed_first_classes(given: Given) -> Iterator[Class]:
    """The classes of first-layernorm: Eq. (1) with the factors of the norms at CLS and at position 1."""
    epsilon = given.epsilon

    def logit(starts: bool) -> flint.arb:
        """The logit of the strings whose first symbol is 1 (`starts`), or is 0."""
        cls = _norms_factor(arb_of(Fraction(1, 6)), arb(0), epsilon)
        first_norm = _norms_factor(arb_of(Fraction(1, 3)), arb_of(Fraction(int(starts), 6)), epsilon)
        s = (first_norm if starts else -first_norm) / 2 / (1 + (given.n - 1) * (-given.c() * cls * first_norm).exp())
        squares = (cls**2 + s**2) / 6
        if given.target is None or not given.scaled:
            return _final_logit(s, squares, 12, given)
        return 4 * (arb_of(epsilon) + arb(5) / 24).sqrt() * given.target() * s * _norms_factor(squares, arb(0), epsilon)

    for starts in (False, True):
        yield Class(Fraction(1, 2), starts, lambda starts=starts: logit(starts), lambda first, _, s=starts: first is s)


def _flawed_classes(given: Given) -> Iterator[Class]:
    """The classes of first-flawed (Section 5.2): the logit depends on the first symbol and on k, the number of 1s."""
    n = given.n

    def logit(starts: bool, k: int) -> flint.arb:
        e = given.c().exp()
        return ((e - 1) * arb_of(Fraction(1 if starts else -1, 2)) + arb_of(Fraction(2 * k - n, 2))) / (e + n - 1)

    # The share is C(n - 2, ones_after)/2^(n - 1), for the number of 1s after the first symbol.
    for starts in (False, True):
        share = Fraction(1, 2 ** (n - 1))
        for ones_after in range(n - 1):
            k = ones_after + starts
            yield Class(
                share,
                starts,
                lambda starts=starts, k=k: logit(starts, k),
                lambda first, ones, s=starts, k=k: first is s and ones == k,
            )
            share *= Fraction(n - 2 - ones_after, ones_after + 1)


def _final_logit(s: flint.arb, squares: flint.arb, d: int, given: Given) -> flint.arb:
    """The final logit, computed from the value s before the norms of layer 2. CLS has the mean square `squares` there.
    If Proposition 2's layer over d coordinates is used, it follows: a norm, the vector (s, -s, 0, ..., 0), a norm, and
    the weight of the readout."""
    epsilon = arb_of(given.epsilon)
    norms = _norms_factor(squares, arb(0), given.epsilon)
    if given.target is None:
        return s * norms
    s = s * norms * (norms**2 * squares + epsilon).rsqrt()
    return given.target() * s * (s**2 + epsilon * d / 2).rsqrt()


def _norms_factor(squares: flint.arb, added: flint.arb, epsilon: Fraction) -> flint.arb:
    """The factor by which two norms together multiply a vector. Before the first norm its mean square is `squares`; the
    part between the norms adds `added` to the mean square, on the scale before the first norm."""
    e = arb_of(epsilon)
    return (squares + added + e * (squares + e)).rsqrt()


# By model: a function from the length and the parameters to the classes of its strings.
LOGITS: dict[str, Callable[[Given], Iterator[Class]]] = {
    "parity": _parity_classes,
    "first": _first_classes,
    "first-flawed": _flawed_classes,
    "parity-layernorm": _normed_parity_classes,
    "first-layernorm": _normed_first_classes,
}
