"""Long sums: Euler and Maclaurin's formula against sums term by term in mpmath, and bounds at sizes that need it."""

from fractions import Fraction

import flint
import mpmath
import pytest
from families import in_pairs, together

from symcook.bounds import quadratic_lookup, sums, table_lookup, tie_break
from symcook.errors import Undecided

MP = mpmath.mp.clone()
MP.dps = 60


def encloses(ball, expected):
    """Whether an arb ball holds the number, but for the rounding of mpmath, and is narrow."""
    slack = flint.arb(MP.nstr(expected, 58), float(abs(expected)) * 1e-55)
    return bool(ball.overlaps(slack)) and bool(ball.rad() <= abs(ball.mid()) * flint.arb(10) ** -30)


SQUARES = [(2, 60), (2, None), (3, 100), (3, 1000), (4, 3000), (4, None), (5, 70), (9, 500)]


@pytest.mark.layer_one(0, 1, 4, 5, 6, 7, 8, 12, 13, 14, 15)
@in_pairs(powers=SQUARES, first=[1, 2], few=[20, 10**6])
def test_squares(powers, first, few, monkeypatch):
    power, m = powers
    """By the formula (few = 20) and term by term."""
    monkeypatch.setattr(sums, "FEW", few)
    gamma = MP.mpf(10) ** -power
    terms = [(k, MP.exp(-gamma * k * k)) for k in range(first, (m or 4000) + 1)]
    with flint.ctx.workprec(160):
        mass, mean = sums.squares(flint.arb(flint.fmpq(1, 10**power)), m, first)
        assert encloses(mass, MP.fsum(t for _, t in terms))
        assert encloses(mean, MP.fsum(k * t for k, t in terms))


def test_no_terms():
    assert all(value.is_zero() for value in (*sums.squares(flint.arb(1), 0), *sums.squares(flint.arb(1), 1, 2)))


@pytest.mark.layer_one(0, 1, 2, 3, 12, 13)
@pytest.mark.parametrize("few", [20, 10**6])
@pytest.mark.parametrize(("power", "n"), [(0, 3), (0, 500), (1, 4000), (2, 3000), (3, 4000), (6, 3000), (30, 2500)])
def test_hyperbolic(power, n, few, monkeypatch):
    monkeypatch.setattr(sums, "FEW", few)
    gamma = MP.mpf(10) ** -power
    with flint.ctx.workprec(160):
        found = sums.hyperbolic(flint.arb(flint.fmpq(1, 10**power)), n)
        assert encloses(found, MP.fsum(MP.exp(-gamma * n * k / MP.mpf(n - k)) for k in range(1, n)))


def test_the_radius_counts(monkeypatch):
    """The formula is refused where its remainder does not get small, and too many terms are not added."""
    narrow = sums.Smooth(lambda t: (-t).exp(), lambda m: flint.arb(1), (flint.arb(1) / 10, flint.arb(1)))
    with flint.ctx.workprec(160):
        assert sums.euler_maclaurin(narrow, None) is None
    monkeypatch.setattr(sums, "FEW", 10)
    monkeypatch.setattr(sums, "MAX_TERMS", 100)
    with flint.ctx.workprec(2000), pytest.raises(Undecided, match="positions have a weight that counts"):
        sums.squares(flint.arb(1) / 20, None)  # 166 terms; the remainder is about e^(-20 pi^2) at best
    with flint.ctx.workprec(2000), pytest.raises(Undecided, match="positions have a weight that counts"):
        sums.hyperbolic(flint.arb(1) / 20, 5000)
    monkeypatch.setattr(sums, "MAX_TERMS", 20)
    with flint.ctx.workprec(2000), pytest.raises(Undecided, match="positions have a weight that counts"):
        sums.squares(flint.arb(1) / 20, None)  # so many that no end is sought


def test_the_cap_of_flint_stays():
    before = flint.ctx.cap
    with flint.ctx.workprec(2000):
        sums.squares(flint.arb(1) / 10**9, None)
    assert flint.ctx.cap == before


def close(ball, expected, digits=28):
    assert abs(MP.mpf(ball.mid) - expected) <= abs(expected) * MP.mpf(10) ** -digits


@pytest.mark.parametrize("power", [6, 30, 300])
def test_table_lookup_with_a_small_gamma(power):
    """S = sqrt(pi/gamma)/2 - 1/2 and A = 1/(2 gamma) - 1/12 - gamma/120 + ... from the values of zeta."""
    gamma = MP.mpf(10) ** -power
    with MP.workdps(700):
        exact = MP.mpf(10) ** -power
        mass = MP.sqrt(MP.pi / exact) / 2 - MP.mpf(1) / 2
        mean = sum((-exact) ** j / MP.factorial(j) * MP.zeta(-1 - 2 * j) for j in range(7)) + 1 / (2 * exact)
        expected = mean / (1 + mass)
    answer = table_lookup(f"1/10^{power}")
    close(answer.value, expected)
    assert answer.holds is False and gamma > 0


def test_lookup_at_a_great_length():
    gamma, n = MP.mpf(10) ** -30, 10**18
    mass = MP.sqrt(MP.pi / gamma) - 1  # both sides are long enough
    answer = quadratic_lookup("1/10^30", n)
    close(answer.value, 2 * mass / (1 + mass))
    assert answer.holds is True
    same = quadratic_lookup("1/10^30", 10**6)  # every weight is about 1
    close(same.value, 2 * (1 - 1 / MP.mpf(10**6)), 12)


@together("gamma", ["1/1000", "1/3", "2"])
@together("n", [2, 3, 7, 12, 30])
def test_the_last_place_is_the_worst_for_breaking_ties(n, gamma):
    """Variant (a) at every place, by the exponents of the derivation."""
    g = MP.mpf(Fraction(gamma).numerator) / Fraction(gamma).denominator

    def at(p):
        powers = [Fraction(n * n, j) - Fraction(n * n, p) for j in range(1, p)]
        powers += [n * n - Fraction(n * n, p) + Fraction(n * n, j) for j in range(p + 1, n + 1)]
        mass = MP.fsum(MP.exp(-g * MP.mpf(e.numerator) / e.denominator) for e in powers)
        return 2 * mass / (1 + mass)

    close(tie_break("a", gamma, n).value, max(at(p) for p in range(1, n + 1)))


def test_breaking_ties_at_a_great_length():
    n = 10**6
    mass = MP.fsum(MP.exp(-MP.mpf(n) * k / (n - k) / 100) for k in range(1, 15_000))
    close(tie_break("a", "1/100", n).value, 2 * mass / (1 + mass))
    assert tie_break("a", "1/10^40", 10**18).holds is True
    assert tie_break("a", 1, 2**13_000).value.mid.startswith("0.7357588823428846")  # 2/e
