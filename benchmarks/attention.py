"""Attention at great lengths and to many digits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from timing import Row, best, faster, longer, peak, same

DIGITS = 50
ROW = 1024
LAYER = 128
LONG = 10_000


def balls() -> Iterator[Row]:
    """Softmax in balls against mpmath at the same precision, which bounds nothing."""
    from fractions import Fraction

    import flint
    import mpmath

    from symcook.domains.ball import BallDomain
    from symcook.model.parts import Mask
    from symcook.numbers.balls import bits_for

    bits = bits_for(DIGITS)
    domain = BallDomain(bits)
    exact = [Fraction((7 * j) % 101 - 50, 7) for j in range(ROW)]
    with domain.context():
        domain.begin(("a",), 1)
        scores: list[Any] = [[flint.arb(domain.number(x))] for x in exact]
    with mpmath.workprec(bits):
        plain = [mpmath.mpf(x.numerator) / x.denominator for x in exact]

    def close(found: list[Any], reference: list[Any]) -> bool:
        pairs = zip(found, (flint.arb(mpmath.nstr(r, 60)) for r in reference), strict=True)
        return all(abs(f - r) < flint.arb("1e-45") for f, r in pairs)

    def ours() -> Any:
        with domain.context():
            return domain.distribution(scores)

    def softmax(row: list[Any]) -> list[Any]:
        top = max(row)
        weights = [mpmath.exp(x - top) for x in row]
        total = mpmath.fsum(weights)
        return [w / total for w in weights]

    def theirs() -> Any:
        with mpmath.workprec(bits):
            return softmax(plain)

    seconds, other, found, reference = best(ours, theirs, 25, time.thread_time)
    what = f"softmax of {ROW} scores, {DIGITS} digits: balls against mpmath"
    with domain.context():
        near = all(
            abs(f[0] - flint.arb(mpmath.nstr(r, 60))) < flint.arb("1e-45")
            for f, r in zip(found, reference, strict=True)
        )
    same(near, what)
    yield faster(what, seconds, other, 10)

    with domain.context():
        domain.begin(("a",) * LAYER, 1)
        column: list[Any] = [score[0] for score in scores[:LAYER]]

    def layer() -> Any:
        with domain.context():
            return domain.attend([column], [column], [column], Mask.NONE, "softmax", 1)

    def plain_layer() -> Any:
        with mpmath.workprec(bits):
            row = plain[:LAYER]
            return [mpmath.fdot(softmax([q * k for k in row]), row) for q in row]

    seconds, other, found, reference = best(layer, plain_layer, 5, time.thread_time)
    what = f"a softmax head over {LAYER} positions, {DIGITS} digits: balls against mpmath"
    with domain.context():
        near = all(
            abs(f - flint.arb(mpmath.nstr(r, 60))) < flint.arb("1e-45")
            for f, r in zip(found[0], reference, strict=True)
        )
    same(near, what)
    yield faster(what, seconds, other, None)


def floats() -> Iterator[Row]:
    """The float64 domain against what a user writes with whole matrices."""
    import numpy as np

    from symcook.domains.floats import Float64
    from symcook.model.parts import Mask

    def column(n: int) -> Any:
        return np.cos(np.arange(n) * 0.37)

    def attend(n: int, mask: str, weighting: str, scored: bool) -> Any:
        domain = Float64()
        domain.begin(("a",) * n, 1)
        x = column(n)
        queries, keys = ([x], [x[::-1].copy()]) if scored else ([], [])
        return lambda: domain.attend(queries, keys, [x], Mask(mask), weighting, 1)[0]

    short, long = attend(10**5, "future", "average", False), attend(4 * 10**5, "future", "average", False)
    four, one, found, _ = best(long, short, 15)
    same(abs(float(found[-1]) - float(column(4 * 10**5).mean())) < 1e-9, "causal uniform attention")
    what = "causal uniform attention in float64: 400,000 positions against 100,000 (4 is linear)"
    yield longer(what, four, one, 6, peak_mib=peak(short), positions=10**5)

    def dense(hidden: Any) -> Any:
        x = column(LONG)
        scores = np.outer(x, x[::-1])
        if hidden is not None:
            scores = scores + hidden
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return weights @ x

    for mask, causal in (("none", False), ("future", True)):
        hidden = np.where(np.tri(LONG, dtype=bool), 0.0, -np.inf) if causal else None
        blocks = attend(LONG, mask, "softmax", True)
        ours, other, found, reference = best(blocks, lambda hidden=hidden: dense(hidden), 4)
        what = f"softmax attention in float64, {LONG:,} positions, mask {mask}: by blocks against whole matrices"
        same(bool(np.abs(found - reference).max() < 1e-9), what)
        held = {"peak_mib": peak(blocks), "other_peak_mib": peak(lambda hidden=hidden: dense(hidden))}
        yield faster(what, ours, other, 5, **held)


def rows() -> Iterator[Row]:
    yield from balls()
    yield from floats()
