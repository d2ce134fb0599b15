"""Ziggurat scores, table lookup and tie-breaking: against sums as defined, in mpmath, and random scores."""

import random
from fractions import Fraction
from pkgutil import iter_modules

import flint
import mpmath
import pytest
import shared
from families import in_pairs, together

from symcook import bounds
from symcook.__main__ import dispatch
from symcook.bounds import falling, table_lookup, tie_break, ziggurat
from symcook.errors import BadInput

MP = mpmath.mp.clone()
MP.dps = 70
DRAW = random.Random(11)


def softmax(scores):
    return shared.softmax(scores, MP.exp)


def to(p, weights):
    """The L1 distance to the one-hot weights of position p (from 1)."""
    return MP.fsum(abs((j == p) - w) for j, w in enumerate(weights, 1))


def number(text):
    return MP.mpf(Fraction(text).numerator) / Fraction(text).denominator


def same(ball, expected):
    assert abs(MP.mpf(ball.mid) - expected) <= MP.mpf(ball.rad) + abs(expected) * MP.mpf(10) ** -55


@together("gamma", ["1", "1/3", "4"])
@together("n", range(2, 10))
def test_ziggurat(n, gamma):
    g = number(gamma)
    worst = max(to(p, softmax([-g * abs(j - p) for j in range(1, n + 1)])) for p in range(1, n + 1))
    answer = ziggurat(gamma, n)
    same(answer.value, worst)
    for _ in range(20):  # scores below the slopes stay below
        p = DRAW.randint(1, n)
        scores = [-g * abs(j - p) - (j != p) * MP.mpf(DRAW.random()) for j in range(1, n + 1)]
        assert to(p, softmax(scores)) <= worst
    assert answer.holds is True and set(answer.verdicts().values()) == {"PROVED"}
    assert MP.mpf(ziggurat(gamma).value.mid) > worst
    same(answer.extra["p at an end"], to(1, softmax([-g * abs(j - 1) for j in range(1, n + 1)])))


def test_ziggurat_without_end():
    same(ziggurat(2).value, 4 * MP.exp(-2) / (1 + MP.exp(-2)))
    same(ziggurat(2).extra["p at an end"], 2 * MP.exp(-2))
    assert ziggurat(5, 1).value.mid == "0" == ziggurat(5, 1).extra["p at an end"].mid and ziggurat(5, 1).holds


@together("gamma", ["1", "1/10", "3"])
@together("n", range(2, 9))
def test_table_lookup(n, gamma):
    g = number(gamma)

    def error(t):
        weights = softmax([g * (2 * t * j - j * j) for j in range(1, n + 1)])
        return abs(MP.fsum(w * j for j, w in enumerate(weights, 1)) - t)

    answer = table_lookup(gamma, n)
    same(answer.value, max(error(t) for t in range(1, n + 1)))
    assert answer.holds is (max(error(t) for t in range(1, n + 1)) <= 3 * MP.exp(-g) / 2)


def ratio(g):
    """e^gamma times the greatest error over all lengths."""
    return (
        MP.exp(g)
        * MP.nsum(lambda k: k * MP.exp(-g * k * k), [1, MP.inf])
        / (1 + MP.nsum(lambda k: MP.exp(-g * k * k), [1, MP.inf]))
    )


@pytest.mark.sweep
def test_the_least_gamma_of_lemma_7():
    place = MP.findroot(
        lambda g: ratio(g) - MP.mpf(3) / 2, (MP.mpf("0.11"), MP.mpf("0.13")), solver="anderson", tol=1e-90
    )
    found = table_lookup(1, digits=50).extra["3/2 suffices from gamma"]
    assert abs(MP.mpf(found.mid) - place) < MP.mpf(10) ** -50
    assert table_lookup("121/1000").holds is True
    assert table_lookup("120/1000").holds is False
    assert all(ratio(MP.mpf(k) / 100) < 1.5 for k in range(13, 300, 7))


@pytest.mark.parametrize("x", [Fraction(1, 10), Fraction(1, 2), Fraction(4, 5), Fraction(17, 20), Fraction(9, 10)])
def test_the_slope_that_the_least_gamma_rests_on(x):
    """g = 3/2 (1 + S) - e^gamma A summed by mpmath, and its derivative in x = e^-gamma by differences."""

    def g(t):
        return 3 * (1 + sum(t ** (k * k) for k in range(1, 60))) / 2 - sum(k * t ** (k * k - 1) for k in range(1, 60))

    with mpmath.workdps(50), flint.ctx.workprec(100):
        at = mpmath.mpf(x.numerator) / x.denominator
        ball = flint.arb(flint.fmpq(x.numerator, x.denominator))
        for found, right in ((falling._excess(ball), g(at)), (falling._fall(ball), mpmath.diff(g, at))):
            assert abs(found - flint.arb(mpmath.nstr(right, 40))) < 1e-12


def test_the_best_constant_from_gamma_1_on():
    assert all(ratio(MP.mpf(g)) < 1 for g in (1, 2, 5, 20))
    assert ratio(MP.mpf(60)) > 1 - MP.mpf(10) ** -25


def rightmost(scores):
    return max(j for j, s in enumerate(scores, 1) if s == max(scores))


def changed(variant, scores, g):
    n = len(scores)
    return [
        {
            "a": g * n * n * (s - MP.mpf(1) / j),
            "b": 2 * g * n * (s + MP.mpf(j) / (2 * n)),
            "c": 2 * g * n * (s - MP.mpf(j) / (2 * n)),
        }[variant]
        for j, s in enumerate(scores, 1)
    ]


@in_pairs(n=range(2, 8), variant=["a", "b", "c"], gamma=["1", "1/5"])
def test_tie_break(n, variant, gamma):
    """Every score vector with values 0, -1 and -2: the supremum is reached by one of them, and by no more."""
    from itertools import product

    g, best = number(gamma), MP.mpf(0)
    for scores in product((0, -1, -2) if n < 6 else (0, -1), repeat=n):
        if max(scores) == 0:
            at = rightmost(scores) if variant != "c" else n + 1 - rightmost(scores[::-1])
            best = max(best, to(at, softmax(changed(variant, scores, g))))
    answer = tie_break(variant, gamma, n)
    same(answer.value, best)
    assert answer.holds is True and set(answer.verdicts().values()) == {"PROVED"}


def test_breaking_ties_costs_half_of_what_is_claimed():
    for variant in "abc":
        answer = tie_break(variant, 3, 200)
        assert 1.9 * MP.exp(-3) < MP.mpf(answer.value.mid) < 2 * MP.exp(-3) + MP.mpf(answer.value.rad)


@together(
    "call",
    [
        lambda: ziggurat(0),
        lambda: ziggurat(1, 0),
        lambda: ziggurat(0.5),
        lambda: table_lookup(-1),
        lambda: table_lookup(1, digits=0),
        lambda: tie_break("d", 1, 2),
        lambda: tie_break("b", 1, 0),
        lambda: tie_break("a", 0, 5),
    ],
)
def test_bad_input(call):
    with pytest.raises(BadInput):
        call()


def test_the_command(capsys):
    assert dispatch(["bound", "tie-break", "--variant", "b", "--gamma", "1", "--n", "8"]) == 0
    assert dispatch(["bound", "ziggurat", "--gamma", "1"]) == 0
    assert dispatch(["bound", "table-lookup", "--gamma", "1/10"]) == 1
    assert "0.1208315440" in capsys.readouterr().out


def test_the_functions_of_the_package_stay_after_their_modules_are_loaded() -> None:
    """A loaded module becomes an attribute of its package: a function of the same name would work only once."""
    for name in ("ziggurat", "temperature"):
        for _ in range(2):
            assert getattr(bounds, name)(gamma=1, n=4).holds
    modules = {module.name for module in iter_modules(bounds.__path__)}
    assert not modules & set(bounds.__all__)


@pytest.mark.parametrize("kind", ["ziggurat", "lookup"])
@pytest.mark.parametrize("n", [None, 6])
def test_a_great_gamma_leaves_nothing_open(kind: str, n: int | None) -> None:
    """Both sides are 4 x but for terms of order x^2: at x = e^(-10^6) that is a difference behind 434,294 digits, and
    still the claim is decided."""
    found = bounds.bound(kind, gamma=10**6, n=n, digits=5)
    assert found.holds is True and found.claimed is not None and found.value.mid == found.claimed.mid


@pytest.mark.parametrize("kind", ["ziggurat", "softmax-hardmax"])
def test_the_greatest_gamma(kind: str) -> None:
    """10^30 is taken, as the docstrings say, and 1 more is not."""
    assert bounds.bound(kind, gamma=10**30, n=3, digits=5).holds is True
    with pytest.raises(BadInput, match=r"gamma must be at most 10\^30"):
        bounds.bound(kind, gamma=10**30 + 1, n=3, digits=5)
