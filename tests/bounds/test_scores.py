"""Softmax of given scores, the quadratic lookup and temperatures: against mpmath, summed as defined."""

import json
from fractions import Fraction

import mpmath
import pytest
from families import together

from symcook import bounds
from symcook.__main__ import dispatch
from symcook.bounds import quadratic_lookup, softmax, softmax_of_scores, temperature
from symcook.errors import BadInput

MP = mpmath.mp.clone()
MP.dps = 80


def distance(scores, gamma):
    """||ahardmax(s) - softmax(gamma s)||_1 as defined, with 80 digits."""
    weights = [MP.exp(MP.mpf(gamma) * MP.mpf(s.numerator) / s.denominator) for s in scores]
    total, best = MP.fsum(weights), max(scores)
    hard = MP.mpf(1) / scores.count(best)
    return MP.fsum(abs((hard if s == best else 0) - w / total) for s, w in zip(scores, weights, strict=True))


def inside(ball, expected):
    """The expected number, good to 70 digits, lies in the ball; and the ball is small."""
    middle, radius = MP.mpf(ball.mid), MP.mpf(ball.rad)
    assert abs(middle - expected) <= radius + abs(expected) * MP.mpf(10) ** -60
    assert radius <= abs(middle) * MP.mpf(10) ** -29


def quadratic(n, q):
    return [Fraction(2 * q * j - j * j) for j in range(1, n + 1)]


@together(
    "scores",
    [
        *([3, 1, 0], [0, 0, 5], [5, 5, 1], [1], [2, 2], [0, "1/2", "1/3", 0], [-1, -2, -3, "-1/7"], list(range(40))),
        [7 * j % 31 for j in range(25)],  # most powers there
        [-j * j for j in range(25)],  # few, in steps of 2 more each
        [0, 10**6, 10**6 - 1, 10**6 - 40, 10**6 - 1000, 10**6 - 1000],  # what is far below is one ball
        [f"{j}/{j * j + 1}" for j in range(30)],
        [f"1/{2**127 - 1 + 2 * j}" for j in range(5)],  # no small common denominator
    ],
)
@together("gamma", [1, 7, Fraction(1, 3)])
def test_the_distance_of_given_scores(scores, gamma):
    exact = [Fraction(s) for s in scores]
    answer = softmax_of_scores(exact, gamma)
    inside(answer.value, distance(exact, MP.mpf(Fraction(gamma).numerator) / Fraction(gamma).denominator))
    assert answer.holds is True
    if len(set(exact)) == 1:
        assert answer.value.mid == answer.claimed.mid == "0"


def test_the_function_of_x():
    assert softmax_of_scores("3, 1, 0, 1").extra["for x = e^-gamma"] == "2*(2*x^2 + x^3)/(1 + 2*x^2 + x^3)"
    assert softmax_of_scores("1/2, 0").extra["for x = e^-gamma"] == "2*(x^(1/2))/(1 + x^(1/2))"
    assert softmax_of_scores("0, 0").extra["for x = e^-gamma"] == "0"


def test_scores_as_an_expression():
    assert str(softmax_of_scores("2*5*j - j^2", 1, n=9).value) == str(quadratic_lookup(1, n=9, q=5).value)
    assert str(softmax_of_scores("7", 2, n=4).value) == str(softmax_of_scores("7, 7, 7, 7", 2).value)
    assert str(softmax_of_scores("n/2", 2, n=4).value) == str(softmax_of_scores([2] * 4, 2).value)
    assert str(softmax_of_scores("7", 2).value) == str(softmax_of_scores([7], 2).value)
    assert str(softmax_of_scores("I[j = n]", 3, n=6).value) == str(softmax_of_scores("0,0,0,0,0,1", 3).value)


@together("n", range(1, 13))
@together("gamma", [1, "1/10"])
def test_lookup_against_the_definition(n, gamma):
    scale = MP.mpf(1) / (10 if gamma != 1 else 1)
    every = {q: distance(quadratic(n, q), scale) for q in range(1, n + 1)}
    for q, expected in every.items():
        inside(quadratic_lookup(gamma, n=n, q=q).value, expected) if n > 1 else None
    worst = quadratic_lookup(gamma, n=n)
    assert worst.holds is True
    if n > 1:
        inside(worst.value, max(every.values()))
    else:
        assert worst.value.mid == "0"


@pytest.mark.parametrize("gamma", ["1", "1/10", "1/1000", "3", "101/100"])
def test_lookup_over_all_lengths_is_a_theta_value(gamma):
    """Summed by mpmath over both sides, and by Jacobi's imaginary transformation."""
    g = MP.mpf(Fraction(gamma).numerator) / Fraction(gamma).denominator
    theta = MP.sqrt(MP.pi / g) * (1 + 2 * MP.nsum(lambda k: MP.exp(-((MP.pi * k) ** 2) / g), [1, MP.inf]))
    answer = quadratic_lookup(gamma)
    inside(answer.value, 2 * (theta - 1) / theta)
    assert not answer.attained and answer.holds
    assert set(answer.verdicts().values()) == {"PROVED"}
    assert MP.mpf(answer.extra["free of n"].mid) > MP.mpf(answer.value.mid)  # the proved bound, above and near
    assert MP.mpf(answer.extra["free of n"].mid) < MP.mpf(answer.claimed.mid)


def test_the_known_value_at_gap_one():
    """0.8717... for every length from 16 on, while 2 n/e grows."""
    for n in (16, 64, 256, 1024, None):
        assert quadratic_lookup(1, n=n, digits=12).value.mid.startswith("0.871737547562")


@pytest.mark.parametrize("gamma", ["10^30", "10^6"])
def test_a_huge_gap(gamma):
    answer = quadratic_lookup(gamma)
    assert answer.holds is True and answer.value.mid.startswith(answer.claimed.mid[:10])


@together(("n", "error"), [(2, "1/4"), (64, "1/4"), (64, "1/1000"), (1000, "3/4")])
@together("gamma", [1, 3])
def test_temperature(n, error, gamma):
    delta = MP.mpf(Fraction(error).numerator) / Fraction(error).denominator
    answer = temperature(n, gamma, error)

    def worst(tau):
        """The retrieved value 0 at the maximum and 1 elsewhere, softmax as defined."""
        weights = [MP.mpf(1)] + [MP.exp(-gamma / tau)] * (n - 1)
        return MP.fsum(weights[1:]) / MP.fsum(weights)

    sharp = MP.mpf(answer.value.mid)
    assert worst(sharp * (1 - MP.mpf(10) ** -20)) < delta < worst(sharp * (1 + MP.mpf(10) ** -20))
    inside(answer.claimed, gamma / MP.log(2 * n / delta))
    inside(answer.extra["error at the rule"], worst(gamma / MP.log(2 * n / delta)))
    inside(answer.extra["slack"], MP.log(2 * n / delta) / MP.log((n - 1) * (1 - delta) / delta))
    assert answer.holds is True


def test_weights_that_round_to_zero_in_numpy():
    """Just below the temperature the weight is zero, just above it is not, in numpy's own formats."""
    import numpy

    for name, kind in (("float16", numpy.float16), ("float32", numpy.float32), ("float64", numpy.float64)):
        tau = MP.mpf(temperature(64, 5).extra[f"hard in {name}"].mid)
        for nudge, zero in ((1 - MP.mpf(10) ** -9, True), (1 + MP.mpf(10) ** -9, False)):
            weight = MP.exp(-5 / (tau * nudge))
            _, mantissa, exponent, _ = weight._mpf_
            rounded = kind(float(Fraction(mantissa) * Fraction(2) ** exponent))  # a Fraction is rounded correctly
            assert (rounded == 0) == zero, name


def test_the_least_positive_number_of_each_format():
    import numpy

    for name in ("float16", "float32", "float64"):
        assert Fraction(float(numpy.finfo(name).smallest_subnormal)) == Fraction(1, 2 ** softmax.SMALLEST[name])
    assert softmax.SMALLEST["bfloat16"] == 126 + 7  # float32's exponents, 7 fraction bits
    for name, k in softmax.SMALLEST.items():
        inside(temperature(64, 5).extra[f"hard in {name}"], 5 / ((k + 1) * MP.log(2)))


def test_the_lines_of_an_answer():
    answer = softmax_of_scores("3, 1/2, 0")
    assert answer.labels == ("L1 distance", "2 n e^(-gamma gap)")
    assert (answer.extra["score gap"], answer.extra["maximal scores"]) == ("5/2", "1")
    assert softmax_of_scores("4, 4").extra["score gap"] == "none: all scores are equal"


def test_scores_of_many_digits():
    tiny = Fraction(1, 10**5000)
    answer = softmax_of_scores([tiny, 2 * tiny])
    assert answer.extra["score gap"] == "1/1" + "0" * 5000 and answer.value.mid == "1"
    assert answer.parameters["scores"].startswith("1/1000")


@together(
    ("call", "must"),
    [
        (lambda: softmax_of_scores([]), "at least one score"),
        (lambda: softmax_of_scores([0.5]), "must be exact"),
        (lambda: softmax_of_scores("q"), "no names except j"),
        (lambda: softmax_of_scores("j"), "needs the length n"),
        (lambda: softmax_of_scores("1, 2", n=3), "the number of scores"),
        (lambda: softmax_of_scores("1, 2", 0), "gamma must be positive"),
        (lambda: quadratic_lookup(-1), "gamma must be positive"),
        (lambda: quadratic_lookup(1, n=0), "n must be an integer"),
        (lambda: quadratic_lookup(1, n=3, q=4), "a position from 1 to n"),
        (lambda: quadratic_lookup(1, q=4), "needs the number of positions"),
        (lambda: quadratic_lookup(1, digits=0), "digits"),
        (lambda: temperature(1, 1), "n must be an integer"),
        (lambda: temperature(5, 1, 1), "between 0 and 1"),
        (lambda: temperature(5, 1, 0), "between 0 and 1"),
        (lambda: temperature(2, 1, "1/2"), "below"),
        (lambda: temperature(3, 1, "2/3"), "below"),
        (lambda: temperature(7, 1, "3/7 + 3/7"), "below"),
        (lambda: temperature(5, 1, bits="x"), "bits must be"),
    ],
)
def test_bad_input(call, must):
    with pytest.raises(BadInput, match=must):
        call()


def test_the_command(capsys):
    assert dispatch(["bound", "softmax", "--scores", "3,1,0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["holds"] is True
    assert dispatch(["bound", "lookup", "--gamma", "1/2", "--n", "8", "--q", "3"]) == 0
    assert "at q = 3" in capsys.readouterr().out
    assert dispatch(["bound", "temperature", "--n", "64", "--gamma", "1", "--bits", "8"]) == 0
    assert "8 fractional bits" in capsys.readouterr().out


@together("kind", list(bounds.KINDS.values()))
def test_every_kind_names_proofs_that_exist(kind):
    from inspect import signature

    assert {a.name for a in kind.arguments} | {"digits"} == set(signature(kind.load()).parameters)


def test_commas_within_brackets_and_lists_that_are_cut():
    """An expression with a function of several arguments is one, with its score at each j; what is listed says that
    there is more."""
    rows = {"max(j, 3)": [3, 3, 3, 4], "mod(j, 2)": [1, 0, 1, 0], "if(j = 1, 3, 0)": [3, 0, 0, 0]}
    for text, scores in rows.items():
        inside(softmax_of_scores(text, n=4).value, distance([Fraction(s) for s in scores], 1))
    inside(softmax_of_scores("max(1, 2), 1").value, distance([Fraction(2), Fraction(1)], 1))
    shown = [softmax_of_scores(list(range(many))).parameters["scores"] for many in (12, 13)]
    assert [one.endswith(", ...") for one in shown] == [False, True]
