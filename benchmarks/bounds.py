"""Bounds against mpmath, which encloses nothing and has one gamma at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from timing import Row, best, faster, longer, same

DIGITS = 1000
N = 1024
LARGE = 10**6
SECOND = 1.0


def near(ball: Any, number: Any, digits: int) -> bool:
    """Whether an mpmath number lies within the ball, or off by what mpmath's own rounding explains."""
    import mpmath

    with mpmath.workdps(digits + 20):
        allowed = mpmath.mpf(ball.rad) + abs(number) * mpmath.mpf(10) ** (5 - digits)
        return bool(abs(mpmath.mpf(ball.mid) - number) <= allowed)


def summed(scores: Sequence[int], gamma: Fraction, digits: int) -> Any:
    """The L1 distance of softmax and hardmax by mpmath in the fewest operations: 2 S/(k + S), one exp a score."""
    import mpmath

    with mpmath.workdps(digits + 10):
        top = max(scores)
        scale = mpmath.mpf(gamma.numerator) / gamma.denominator
        rest = mpmath.fsum(mpmath.exp(scale * (s - top)) for s in scores if s != top)
        return 2 * rest / (scores.count(top) + rest)


def generic(n: int, below: int) -> list[int]:
    """Integers without a pattern, the same in every run."""
    state, found = 1, []
    for _ in range(n):
        state = state * 6364136223846793005 % 2**64 + 1442695040888963407
        found.append((state >> 33) % below)
    return found


def sums() -> Iterator[Row]:
    from symcook.bounds import quadratic_lookup, softmax_of_scores

    middle = (N + 1) // 2
    lookup = [2 * middle * j - j * j for j in range(1, N + 1)]
    few, many = generic(N, 3 * N), generic(N, LARGE)
    cases: list[tuple[str, Sequence[int], Fraction, Callable[[Fraction], Any]]] = []
    for gamma in (Fraction(1), Fraction(1, 10)):
        cases += [
            ("the quadratic lookup", lookup, gamma, lambda g: quadratic_lookup(g, n=N, digits=DIGITS)),
            ("its scores as any others", lookup, gamma, lambda g: softmax_of_scores(lookup, g, digits=DIGITS)),
            ("integers below 3 n", few, gamma, lambda g: softmax_of_scores(few, g, digits=DIGITS)),
            (f"integers below {LARGE:,}", many, gamma, lambda g: softmax_of_scores(many, g, digits=DIGITS)),
        ]
    for name, scores, gamma, call in cases:
        ours, theirs, answer, number = best(
            lambda call=call, g=gamma: call(g), lambda s=scores, g=gamma: summed(s, g, DIGITS), 9, time.thread_time
        )
        what = f"{name}, n = {N}, gamma = {gamma}, {DIGITS} digits: against summing with mpmath"
        same(near(answer.value, number, DIGITS), what)
        yield faster(what, ours, theirs, 100)


def closed() -> Iterator[Row]:
    """Closed forms at n = 10^6; the other side is one second."""
    from symcook import bounds

    calls: dict[str, dict[str, Any]] = {
        "softmax-hardmax": {"gamma": 1},
        "lookup": {"gamma": 1},
        "ziggurat": {"gamma": 1},
        "table-lookup": {"gamma": 1},
        "layernorm-hash": {},
        "temperature": {"gamma": 1},
    }
    for digits in (30, DIGITS):
        for name, given in calls.items():
            function = bounds.kind(name).load()

            def run(function: Any = function, given: Any = given, digits: int = digits) -> Any:
                return function(n=LARGE, digits=digits, **given)

            ours, _, answer, _ = best(run, lambda: None, 3, time.thread_time)
            what = f"{name} at n = {LARGE:,}, {digits} digits: against one second"
            same(answer.holds is True, what)
            yield longer(what, ours, SECOND, 1)


def constants() -> Iterator[Row]:
    """The constants of GELU. mpmath looks for the maxima from a good start and proves nothing about them."""
    import mpmath

    from symcook.bounds import gelu, gelu_multiply, gelu_relu

    def bend(form: str, z: Any) -> tuple[Any, Any]:
        """T(z) and T'(z)."""
        if form == "erf":
            return mpmath.erf(z / mpmath.sqrt(2)), mpmath.sqrt(2 / mpmath.pi) * mpmath.exp(-(z**2) / 2)
        root, small = mpmath.sqrt(2 / mpmath.pi), mpmath.mpf(44715) / 10**6
        t = mpmath.tanh(root * (z + small * z**3))
        return t, (1 - t * t) * root * (1 + 3 * small * z**2)

    def product(form: str, digits: int) -> Any:
        with mpmath.workdps(digits + 10):
            half = mpmath.sqrt(mpmath.pi / 2) / 2

            def rest(z: Any) -> tuple[Any, Any]:
                t, slope = bend(form, z)
                return z * z / 2 - half * z * t, z - half * (t + z * slope)

            def steep(s: Any) -> Any:
                (big, rise), (small, gentle) = rest(s), rest(s / 2)
                return s * (rise - gentle) - 3 * (big - 2 * small)

            s = mpmath.findroot(steep, mpmath.mpf("2.05"))
            return (rest(s)[0] - 2 * rest(s / 2)[0]) / s**3

    def rate(form: str, digits: int) -> Any:
        with mpmath.workdps(digits + 10):

            def steep(u: Any) -> Any:
                t, slope = bend(form, u)
                return 1 - t - u * slope

            u = mpmath.findroot(steep, mpmath.mpf("0.75"))
            return u * (1 - bend(form, u)[0]) / 2

    def ours_of(function: Callable[..., Any], form: str, digits: int, afresh: bool) -> Callable[[], Any]:
        def run() -> Any:
            if afresh:
                gelu._shape.cache_clear()
            else:
                gelu._shape(form).maxima.clear()
            return function(form=form, digits=digits)

        return run

    for digits in (50, DIGITS):
        for form in gelu.FORMS:
            for name, function, theirs, afresh in (
                ("least K of the product, its shape proved anew", gelu_multiply, product, True),
                ("least K of the product, its shape known", gelu_multiply, product, False),
                ("rate of GELU to ReLU", gelu_relu, rate, False),
            ):
                ours, other, answer, number = best(
                    ours_of(function, form, digits, afresh),
                    lambda theirs=theirs, form=form, digits=digits: theirs(form, digits),
                    3,
                    time.thread_time,
                )
                what = f"{name}, {form}, {digits} digits: against mpmath"
                same(near(answer.value, number, digits), what)
                yield faster(what, ours, other, None)


def rows() -> Iterator[Row]:
    yield from sums()
    yield from closed()
    yield from constants()
