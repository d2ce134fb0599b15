"""What balls show of a function on intervals is shown everywhere where the derivation needs it: the intervals lie end
to end, and each function is the one that is meant; and sums that are cut short hold what is left out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import mpmath
import pytest

from symcook.bounds import falling, gelu

F = Fraction
MP = mpmath.mp.clone()
MP.dps = 50


@pytest.mark.parametrize("form", gelu.FORMS)
def test_the_shape_of_gelu_is_shown_from_0_to_where_the_tail_begins(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R is convex, z R'' - R' positive and D rising, bent and falling: each on intervals without a gap, from 0 to 12,
    the maximum of D within the middle one; beyond 12 `tail` is asked."""
    shown: dict[str, tuple[F, F]] = {}
    tails: list[int] = []
    monkeypatch.setattr(gelu._Shape, "show", lambda self, what, f, low, high: shown.update({what: (low, high)}))
    monkeypatch.setattr(gelu._Shape, "tail", lambda self: tails.append(1))
    shape = gelu._Shape(form)
    near, far = F(3, 8), F(12)
    assert tails == [1] and gelu.FAR == 12
    assert shown["R'''' > 0 near 0"] == (0, near) and shown["R'' > 0"] == (near, far)
    assert shown["z R'' - R' > 0"] == (near, far)  # below it follows from R'''' > 0: both are 0 at 0
    rises, bends, falls = shown["D rises"], shown["D bends down"], shown["D falls"]
    assert shown["D rises near 0"] == (0, near) == (0, rises[0])
    assert rises[1] == bends[0] == shape.top[0] and bends[1] == falls[0] == shape.top[1] and falls[1] == far
    with flint.ctx.workprec(100):
        best = shape.best()
        assert best > gelu.arb_of(bends[0]) and best < gelu.arb_of(bends[1])
        assert gelu._slope(form, best).contains(0) and best.rad() < 1e-25


def moments(x: Any) -> tuple[Any, Any]:
    """Sums of k x^(k^2 - 1) and of x^(k^2) over k >= 1."""
    terms = range(1, 90)
    return MP.fsum(k * x ** (k * k - 1) for k in terms), MP.fsum(x ** (k * k) for k in terms)


def test_where_three_halves_is_enough() -> None:
    """g = 3/2 (1 + S) - e^gamma A: its value and its slope at many places, by mpmath."""
    for k in (0, 1, 20, 50, 79, 80, 85, 90):
        x, place = MP.mpf(k) / 100, F(k, 100)
        with flint.ctx.workprec(120):
            mean, mass = falling._moments(gelu.arb_of(place))
            value, slope = falling._excess(gelu.arb_of(place)), falling._fall(gelu.arb_of(place)) if k else None
        wanted = moments(x)
        for found, right in ((mean, wanted[0]), (mass, wanted[1]), (value, 3 * (1 + wanted[1]) / 2 - wanted[0])):
            assert abs(MP.mpf(found.mid().str(40, radius=False)) - right) < MP.mpf(10) ** -30, k
            assert found.rad() < 1e-30
        if slope is not None:
            right = MP.fsum(MP.mpf(3) / 2 * j * j * x ** (j * j - 1) - j * (j * j - 1) * x ** (j * j - 2)
                            for j in range(1, 90))  # fmt: skip
            assert abs(MP.mpf(slope.mid().str(40, radius=False)) - right) < MP.mpf(10) ** -28, k


def test_the_sign_of_g_is_shown_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above 0 on [0, 4/5], and falling on [4/5, 9/10], at whose ends it has both signs."""
    asked: list[tuple[Any, F, F]] = []
    monkeypatch.setattr(falling, "positive_on", lambda f, low, high: asked.append((f, low, high)) or True)
    falling._one_zero.cache_clear()
    try:
        assert falling._one_zero()
    finally:
        falling._one_zero.cache_clear()
    (first, low, turn), (second, again, high) = asked
    assert (low, turn, again, high) == (0, F(4, 5), F(4, 5), F(9, 10))
    with flint.ctx.workprec(80):
        for k in (81, 85, 89):
            x = gelu.arb_of(F(k, 100))
            assert second(x).overlaps(-falling._fall(x)) and second(x) > 0
            assert first(x).overlaps(falling._excess(x))
        assert falling._excess(gelu.arb_of(turn)) > 0 > falling._excess(gelu.arb_of(high))


@pytest.mark.parametrize("last", [3, 4, 6])
def test_what_is_left_out_of_a_slope_is_in_its_ball(last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few terms added one by one, at places where the later ones shrink by a half."""
    monkeypatch.setattr(falling, "isqrt", lambda bits: last - 40)
    for k in (10, 40, 60):
        x = MP.mpf(k) / 100
        with flint.ctx.workprec(150):
            found = falling._fall(gelu.arb_of(F(k, 100)))
        right = MP.fsum(MP.mpf(3) / 2 * j * j * x ** (j * j - 1) - j * (j * j - 1) * x ** (j * j - 2)
                        for j in range(1, 90))  # fmt: skip
        off = abs(MP.mpf(found.mid().str(40, radius=False)) - right)
        radius = MP.mpf(found.rad().str(20, radius=False))
        assert off <= radius <= 4 * last**3 * x ** (last * last - 2), (last, k)


@pytest.mark.parametrize("bits", [4, 6, 10, 16])
def test_moments_with_few_bits_hold_all_terms(bits: int) -> None:
    for k in (50, 70, 80, 90):
        with flint.ctx.workprec(bits):
            found = falling._moments(flint.arb(flint.fmpq(k, 100)))
        for one, right in zip(found, moments(MP.mpf(k) / 100), strict=True):
            with flint.ctx.workprec(200):
                assert one.contains(flint.arb(MP.nstr(right, 40))), (bits, k)
