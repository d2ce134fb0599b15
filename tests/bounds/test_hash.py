"""The layer-norm hash: gaps against mpmath by brute force, rounding against numpy's own formats."""

import time
from fractions import Fraction

import mpmath
import numpy
import pytest
from families import together

from symcook.__main__ import dispatch
from symcook.bounds import layernorm_hash
from symcook.bounds import sums as hashes
from symcook.errors import BadInput

MP = mpmath.mp.clone()
MP.dps = 70


def normalised(x):
    """layer_norm(x, 1, -x, -1) as merrill2024 defines it: less the mean, over the Euclidean norm."""
    row = [MP.mpf(x), MP.mpf(1), -MP.mpf(x), -MP.mpf(1)]
    mean = MP.fsum(row) / 4
    row = [v - mean for v in row]
    norm = MP.sqrt(MP.fsum(v * v for v in row))
    return [v / norm for v in row]


def gap(q, k):
    return 1 - MP.fsum(a * b for a, b in zip(normalised(q), normalised(k), strict=True))


@pytest.mark.parametrize("n", [2, 3, 5, 17])
def test_the_least_gap_by_brute_force(n):
    pairs = {(q, k): gap(q, k) for q in range(1, n + 1) for k in range(1, n + 1) if q != k}
    answer = layernorm_hash(n)
    middle, radius = MP.mpf(answer.value.mid), MP.mpf(answer.value.rad)
    assert abs(middle - min(pairs.values())) <= radius + MP.mpf(10) ** -60
    assert min(pairs, key=pairs.__getitem__) in ((n, n - 1), (n - 1, n))
    assert answer.holds is True and set(answer.verdicts().values()) == {"PROVED"}
    assert MP.mpf(answer.extra["Cookbook's scale"].mid) / middle - 4 < MP.mpf(10) ** -25


@pytest.mark.parametrize("n", [2, 10, 1000, 10**6])
def test_the_proved_remainder(n):
    value = MP.mpf(layernorm_hash(n).value.mid)
    assert MP.mpf(1) / (2 * n**4) < value < MP.mpf(1) / (2 * n**4) + MP.mpf(21) / (20 * MP.mpf(n) ** 5)


def test_the_tie_breaking_term():
    """By the recursion of Definition 6 instead of the closed form."""

    def f(i, k):
        return Fraction(1, i) if k == 0 else f(i - 1, k - 1) - f(i, k - 1)

    for n in (2, 4, 5, 6, 30):
        expected = f(n, 3) / 100 if n > 4 else Fraction(1, 1000) - Fraction(n, 10**10)
        assert hashes.tie_break(n) == expected
        answer = layernorm_hash(n, tie_break=True)
        assert MP.mpf(answer.extra["what it leaves"].mid) > 0
        assert "merrill2024.lemma10" in answer.proofs


def numpy_right(n, kind):
    """Every operation in numpy's format, which rounds each of them to the nearest."""
    codes = []
    for x in range(1, n + 1):
        root = numpy.sqrt((kind(x) * kind(x) + kind(1)) * kind(2))
        codes.append((kind(x) / root, kind(1) / root))
    right = []
    for q in range(n, 0, -1):
        scores = [codes[q - 1][0] * c + codes[q - 1][1] * d for c, d in codes]
        right.append(all(s < scores[q - 1] for k, s in enumerate(scores, 1) if k != q))
    return right


@together("n", range(2, 25))
def test_rounding_to_11_bits_is_float16(n):
    assert list(hashes._right(n, 11)) == numpy_right(n, numpy.float16)


@pytest.mark.parametrize("n", [40, 50, 60])
def test_rounding_to_24_bits_is_float32(n):
    assert list(hashes._right(n, 24)) == numpy_right(n, numpy.float32)


@pytest.mark.parametrize("p", [1, 2, 3, 11])
def test_integers_are_rounded_as_fractions_are(p):
    for value in [*range(1, 300), 2**40 - 1, 2**40 + 1, 3 * 2**39]:
        assert hashes._rounded_whole(value, p) == hashes.rounded(Fraction(value), p)


@pytest.mark.sweep
def test_the_search_at_its_greatest_n_takes_a_moment():
    started = time.process_time()
    assert hashes.least_precision(hashes.MAX_SEARCH) == 35
    assert time.process_time() - started < 10


def test_the_least_precision_is_least():
    for n in (2, 5, 9):
        p = hashes.least_precision(n)
        assert not all(hashes._right(n, p - 1))
        assert all(all(hashes._right(n, more)) for more in range(p, p + 20))


def test_roots_are_rounded_correctly():
    for p in (2, 5, 11):
        for value in [Fraction(a, b) for a in range(1, 40) for b in (1, 3, 7, 5**40)] + [Fraction(2**40 + 1, 3**20)]:
            with MP.workprec(p):
                rounded = MP.sqrt(MP.mpf(value.numerator)) if value.denominator == 1 else None
            if rounded is not None and value.numerator < 2**p:
                assert hashes.rounded_root(value, p) == Fraction(int(rounded * 2**40), 2**40)
            root = hashes.rounded_root(value, p)  # within half a unit of the last place, by squares
            unit = Fraction(2) ** (_log2(root) - p + 1)
            assert (root - unit / 2) ** 2 <= value <= (root + unit / 2) ** 2


def _log2(value):
    k = value.numerator.bit_length() - value.denominator.bit_length()
    return k if Fraction(2) ** k <= value else k - 1


@pytest.mark.parametrize(("n", "more"), [(0, {}), (1, {}), ("x", {}), (257, {"search": True}), (5, {"digits": 0})])
def test_bad_input(n, more):
    with pytest.raises(BadInput):
        layernorm_hash(n, **more)


def test_the_command(capsys):
    assert dispatch(["bound", "layernorm-hash", "--n", "8", "--tie-break", "--search"]) == 0
    assert "14 bits" in capsys.readouterr().out
