"""Cross-entropy of the recipes of chiang2022 in expectation over all words of a length, by counts and closed forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import comb
from typing import Any, NamedTuple

import flint

from symcook.bounds.arguments import count
from symcook.bounds.models import settings
from symcook.bounds.result import Bound, decided, shown
from symcook.errors import BadInput, Undecided, unknown
from symcook.model.symbols import fraction
from symcook.numbers.balls import Ball, arb_of, check_digits, decide_sign, limit_for

arb = flint.arb


class Class(NamedTuple):
    """Words of one length with one logit: their share of all, whether they are members, and the logit at the current
    precision."""

    share: Fraction
    member: bool
    logit: Callable[[], flint.arb]


class Given(NamedTuple):
    """A length with CLS, and the symbols: the score scale (times log n where attention is scaled), epsilon, and the
    logit that Proposition 2 or 3 aims at, where one of them is used."""

    n: int
    c: Callable[[], flint.arb]
    epsilon: Fraction
    scaled: bool
    target: Callable[[], flint.arb] | None


def cross_entropy(
    model: str, n: int | str, values: str | Mapping[str, Any] | None = None, digits: int | str = 30
) -> Bound:
    """The mean of -log2 of the probability of the right answer over all 2^n words of n symbols, in bits; 1 bit.

    model: parity, first, first-flawed, parity-layernorm or first-layernorm. n: the number of symbols, CLS not counted;
    at most 1000 for parity-layernorm, which takes n^2 exponentials, and 10^5 for first-flawed, which takes n. values:
    scaled, eta, c and epsilon as in `error_propagation`, rational. Words with one logit are taken together: by the
    parity of k, the number of 1s, by k, by the first symbol, or by both. With s the logit, a member has log2(1 + e^-s).

    "one bit less this" is 1 - value, which plain attention sends to 0; "accuracy" is the share of the words whose
    answer is right, "open" where balls do not tell a logit from zero.

    Raises BadInput for another model and for n out of range.
    Source: chiang2022, Sections 3.4 and 4.3, Figure 2; the logits are those of Appendices A (with sinh in its last
    line) and B (with factors that depend on the position).
    """
    wanted = check_digits(digits)
    if model not in LOGITS:
        raise unknown("model with closed forms in the counts", str(model), list(LOGITS))
    length = count(n)
    most = {"parity-layernorm": 1000, "first-flawed": 10**5}.get(model)
    if most is not None and length > most:
        raise BadInput(f"{model} must have at most {most} symbols here", length, "give a smaller --n")
    case, text = _given(model, length, values)
    classes = list(LOGITS[model](case))

    def value() -> flint.arb:
        total = arb(0)
        for one in classes:
            s = one.logit()
            total += arb_of(one.share) * (-s if one.member else s).exp().log1p()
        return total / arb.const_log2()

    extra: dict[str, Ball | str] = {"one bit less this": shown(lambda: 1 - value(), wanted)}
    try:
        right = sum((one.share for one in classes if (_sign(one, wanted) > 0) is one.member), Fraction(0))
        extra["accuracy"] = shown(lambda: arb_of(right), wanted)
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


def _sign(one: Class, digits: int) -> int:
    return decide_sign(one.logit, "a logit", limit_for(digits))


def _given(model: str, length: int, values: str | Mapping[str, Any] | None) -> tuple[Given, dict[str, str]]:
    """The length with CLS and the symbols, and what was set as text."""
    from symcook.recipes import build, info

    found = settings(values)
    known = {argument.name for argument in info(model).arguments}
    arguments = info(model).read({name: value for name, value in found.items() if name in known})
    eta: Fraction | None = arguments.get("eta")
    exact = build(model, **arguments).values({name: value for name, value in found.items() if name not in known})
    numbers = {name: fraction(value) for name, value in exact.items()}
    c, n = numbers["c"], length + 1

    def scale() -> flint.arb:
        return arb_of(c) * (arb(n).log() if arguments["scaled"] else 1)

    def target() -> flint.arb:
        wanted = -arb_of(eta or 0).expm1().log()
        return wanted if wanted > 0 else -arb_of(Fraction(1, 2)).expm1().log()

    text = {name: str(value) for name, value in numbers.items()} | {"scaled": "yes" if arguments["scaled"] else "no"}
    text |= {} if eta is None else {"eta": str(eta)}
    epsilon = numbers.get("epsilon", Fraction(0))
    return Given(n, scale, epsilon, arguments["scaled"], None if eta is None else target), text


def _parity(given: Given) -> Iterator[Class]:
    """Appendix A: the sign and size of the logit depend on the parities of k and n."""
    n = given.n

    def logit(odd: bool) -> flint.arb:
        c = given.c()
        if n % 2 == 0:
            return (2 if odd else -2) * c.tanh() / n**2
        less, more = arb_of(Fraction(n - 1, 2)), arb_of(Fraction(n + 1, 2))
        below = n * (less * c.exp() + more * (-c).exp()) * (more * c.exp() + less * (-c).exp())
        return (n + 1 if odd else 1 - n) * (2 * c).sinh() / below

    for odd in (False, True):
        yield Class(Fraction(1, 2), odd, lambda odd=odd: logit(odd))


def _parity_normed(given: Given) -> Iterator[Class]:
    """Appendix B by position: the squares of position i sum to 2 + (i/n)^2 + (k/n)^2 + 1/n^2 before I[i = k]/n."""
    n, epsilon = given.n, given.epsilon

    def factor(i: int, k: int) -> flint.arb:
        before = Fraction(2 * n * n + i * i + k * k + 1, 9 * n * n)
        return _two_norms(arb_of(before), arb_of(Fraction(int(i == k), 9 * n * n)), epsilon)

    def logit(k: int) -> flint.arb:
        factors = [factor(i, k) for i in range(n)]
        scale = given.c() * factors[0]
        rising = [(scale * f if i % 2 == 0 else -scale * f).exp() for i, f in enumerate(factors)]
        falling = [1 / weight for weight in rising]
        here = factors[k] / n
        s = here * (falling[k] / sum(falling, arb(0)) - rising[k] / sum(rising, arb(0)))
        others = arb_of(Fraction(2 * n * n + k * k + 1 + int(k == 0), 9 * n * n))
        return _last(s, factors[0] ** 2 * others + s**2 / 9, 18, given)

    for k in range(n):
        yield Class(Fraction(comb(n - 1, k), 2 ** (n - 1)), k % 2 == 1, lambda k=k: logit(k))


def _first(given: Given) -> Iterator[Class]:
    """Eq. (1)."""

    def logit(starts: bool) -> flint.arb:
        s = arb_of(Fraction(1 if starts else -1, 2)) / (1 + (given.n - 1) * (-given.c()).exp())
        return s if given.target is None else 4 * given.target() * s

    for starts in (False, True):
        yield Class(Fraction(1, 2), starts, lambda starts=starts: logit(starts))


def _first_normed(given: Given) -> Iterator[Class]:
    """Eq. (1) with the factors of the norms at CLS and at position 1."""
    epsilon = given.epsilon

    def logit(starts: bool) -> flint.arb:
        cls = _two_norms(arb_of(Fraction(1, 6)), arb(0), epsilon)
        one = _two_norms(arb_of(Fraction(1, 3)), arb_of(Fraction(int(starts), 6)), epsilon)
        s = (one if starts else -one) / 2 / (1 + (given.n - 1) * (-given.c() * cls * one).exp())
        squares = (cls**2 + s**2) / 6
        if given.target is None or not given.scaled:
            return _last(s, squares, 12, given)
        return 4 * (arb_of(epsilon) + arb(5) / 24).sqrt() * given.target() * s * _two_norms(squares, arb(0), epsilon)

    for starts in (False, True):
        yield Class(Fraction(1, 2), starts, lambda starts=starts: logit(starts))


def _flawed(given: Given) -> Iterator[Class]:
    """Section 5.2: the logit depends on the first symbol and on k."""
    n = given.n

    def logit(starts: bool, k: int) -> flint.arb:
        e = given.c().exp()
        return ((e - 1) * arb_of(Fraction(1 if starts else -1, 2)) + arb_of(Fraction(2 * k - n, 2))) / (e + n - 1)

    for starts in (False, True):
        share = Fraction(1, 2 ** (n - 1))
        for rest in range(n - 1):
            k = rest + starts
            yield Class(share, starts, lambda starts=starts, k=k: logit(starts, k))
            share *= Fraction(n - 2 - rest, rest + 1)


def _last(s: flint.arb, squares: flint.arb, d: int, given: Given) -> flint.arb:
    """The logit s behind the norms of layer 2, where CLS has the mean square `squares`, and behind Proposition 2's
    layer over d coordinates, where that is used: a norm, (s, -s, 0, ..., 0), a norm, and the readout's weight."""
    epsilon = arb_of(given.epsilon)
    norms = _two_norms(squares, arb(0), given.epsilon)
    if given.target is None:
        return s * norms
    s = s * norms * (norms**2 * squares + epsilon).rsqrt()
    return given.target() * s * (s**2 + epsilon * d / 2).rsqrt()


def _two_norms(squares: flint.arb, added: flint.arb, epsilon: Fraction) -> flint.arb:
    """What two norms, around a part that adds `added` to the mean square `squares`, multiply a vector by."""
    e = arb_of(epsilon)
    return (squares + added + e * (squares + e)).rsqrt()


LOGITS: dict[str, Callable[[Given], Iterator[Class]]] = {
    "parity": _parity,
    "first": _first,
    "first-flawed": _flawed,
    "parity-layernorm": _parity_normed,
    "first-layernorm": _first_normed,
}
