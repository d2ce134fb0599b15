"""bound softmax-hardmax against brute force over score vectors, in mpmath and in exact exponential sums."""

import inspect
import itertools
import json
import random
import subprocess
import sys
import time
from fractions import Fraction

import mpmath
import pytest
from families import together
from shared import mpf

from symcook import bounds
from symcook.__main__ import dispatch
from symcook.bounds import softmax_hardmax
from symcook.errors import BadInput, Undecided
from symcook.numbers.expsum import exp_of

ZERO = Fraction(0)


def distance(scores, exp):
    """||ahardmax(s) - softmax(s)||_1 straight from the definitions, over whatever numbers `exp` returns."""
    top = max(scores)
    count = scores.count(top)
    weights = [exp(s - top) for s in scores]
    total = sum(weights)
    return sum(
        abs((Fraction(1, count) if s == top else ZERO) - w / total) for s, w in zip(scores, weights, strict=True)
    )


def mp_distance(scores):
    top = max(scores)
    count = mpmath.mpf(scores.count(top))
    weights = [mpmath.exp(mpf(s - top)) for s in scores]
    total = mpmath.fsum(weights)
    hard = [1 / count if s == top else mpmath.mpf(0) for s in scores]
    return mpmath.fsum(abs(h - w / total) for h, w in zip(hard, weights, strict=True))


def vectors(rng, n, gap, ties, amount):
    """Score vectors with that gap: random ones, the extremal ones for each number of maxima, and shuffles."""
    for maxima in range(1, n + 1 if ties else 2):
        yield [Fraction(3)] * maxima + [3 - gap] * (n - maxima)
        for _ in range(amount):
            drops = [gap * rng.choice([1, 1, Fraction(rng.randint(100, 300), 100)]) for _ in range(n - maxima)]
            scores = [Fraction(rng.randint(-5, 5))] * maxima
            scores += [scores[0] - d for d in drops]
            rng.shuffle(scores)
            yield scores


def survives(formula, ties=False):
    """Whether `formula(n, x)` with x = e^-gamma is the supremum as far as brute force can tell: reached, not passed."""
    rng = random.Random(1)
    with mpmath.workdps(40):
        small = mpmath.mpf(10) ** -30
        for n, gap in itertools.product((1, 2, 3, 4, 7), (Fraction(1, 10), Fraction(1), Fraction(5, 2), Fraction(9))):
            value = formula(n, mpmath.exp(-mpf(gap)))
            best = max(mp_distance(scores) for scores in vectors(rng, n, gap, ties, 12))
            if abs(best - value) > small:
                return False
    return True


def true_supremum(n, x):
    return 2 * (n - 1) * x / (1 + (n - 1) * x)


@pytest.mark.parametrize("ties", [False, True])
def test_the_formula_is_the_supremum(ties):
    assert survives(true_supremum, ties)


WRONG = {
    "n for n - 1": lambda n, x: 2 * n * x / (1 + n * x),
    "n for n - 1 above": lambda n, x: 2 * n * x / (1 + (n - 1) * x),
    "without the factor 2": lambda n, x: (n - 1) * x / (1 + (n - 1) * x),
    "without the maximum's weight": lambda n, x: 2 * (n - 1) * x,
    "total variation of n": lambda n, x: (n - 1) * x / (1 + n * x),
    "the claimed bound": lambda n, x: 2 * n * x,
    "e^-2 gamma": lambda n, x: true_supremum(n, x * x),
    "two maxima": lambda n, x: 2 * max(n - 2, 0) * x / (2 + max(n - 2, 0) * x),
    "a single competitor": lambda n, x: 2 * x / (1 + x) if n > 1 else 0 * x,
}


@together("name", WRONG)
def test_planted_formulas_are_rejected(name):
    assert not survives(WRONG[name]), name
    assert not survives(WRONG[name], ties=True), name


def test_the_value_is_the_formula_at_fifty_digits():
    with mpmath.workdps(80):
        for n, gap in itertools.product((1, 2, 5, 64, 1000), ("1/7", "1", "5", "40", "log(8*64)", "sqrt(2)")):
            if gap.startswith("log"):
                gamma = mpmath.log(512)
            else:
                gamma = mpmath.sqrt(2) if gap.startswith("sqrt") else mpf(Fraction(gap))
            x = mpmath.exp(-gamma)
            for ties in (False, True):
                answer = softmax_hardmax(n, gap, ties=ties, digits=50)
                for printed, number in ((answer.value, true_supremum(n, x)), (answer.claimed, 2 * n * x)):
                    mid, rad = mpmath.mpf(printed.mid), mpmath.mpf(printed.rad)
                    assert abs(mid - number) <= rad + mpmath.mpf(10) ** -75 * number
                    assert rad <= mpmath.mpf(10) ** -50 * mid
                assert answer.holds is True and answer.attained


def test_exact_distances_never_pass_the_value():
    """In exact exponential sums: the extremal vector gives the formula itself, others stay strictly below it."""
    for n, gap in itertools.product((2, 3, 4), (Fraction(1, 2), Fraction(2))):
        x = exp_of(-gap)
        value = 2 * (n - 1) * x / (1 + (n - 1) * x)
        assert distance([ZERO] + [-gap] * (n - 1), exp_of) == value
        for maxima in range(2, n + 1):
            tied = distance([ZERO] * maxima + [-gap] * (n - maxima), exp_of)
            assert tied == 2 * (n - maxima) * x / (maxima + (n - maxima) * x)
            assert tied < value
        assert distance([ZERO] + [-gap - Fraction(1, 1000)] + [-gap] * (n - 2), exp_of) < value
        claimed = 2 * n * x
        assert claimed - value == 2 * x * (1 + n * (n - 1) * x) / (1 + (n - 1) * x)
        assert claimed > value


def test_gamma_that_is_a_logarithm_gives_a_rational():
    """gamma = log 512, n = 64: the supremum is 126/575 and the paper's bound 1/4."""
    answer = softmax_hardmax(64, "log(8*64)", digits=40)
    for printed, exact in ((answer.value, Fraction(126, 575)), (answer.claimed, Fraction(1, 4))):
        assert abs(Fraction(printed.mid) - exact) <= Fraction(printed.rad) <= exact / 10**40


def test_one_position_is_exactly_zero():
    for ties in (False, True):
        answer = softmax_hardmax(1, "5", ties=ties)
        assert answer.value.to_json() == {"mid": "0", "rad": "0"}
        assert answer.holds is True


def test_a_thousand_digits_large_n_and_large_gamma():
    started = time.process_time()
    answer = softmax_hardmax(10**6, "10^6", digits=1000)
    assert time.process_time() - started < 5
    with mpmath.workdps(1100):
        x = mpmath.exp(-(mpmath.mpf(10) ** 6))
        for printed, number in ((answer.value, true_supremum(10**6, x)), (answer.claimed, 2 * 10**6 * x)):
            assert abs(mpmath.mpf(printed.mid) - number) <= mpmath.mpf(printed.rad)
            assert mpmath.mpf(printed.rad) <= mpmath.mpf(10) ** -1000 * number
    assert answer.holds is True
    assert softmax_hardmax(10**18, "log(10)/10^30", digits=3).holds is True


def test_exact_arguments_other_than_text():
    assert softmax_hardmax("64", 5).to_json() == softmax_hardmax(64, "5").to_json()
    assert softmax_hardmax(3, Fraction(1, 2)) == softmax_hardmax(3, "1/2")


def test_json_and_text():
    answer = softmax_hardmax(64, "5", digits=20)
    document = json.loads(json.dumps(answer.to_json()))
    assert set(document) == {
        "kind",
        "parameters",
        "value",
        "claimed",
        "holds",
        "attained",
        "extra",
        "proofs",
        "statements",
    }
    assert document["parameters"] == {"n": 64, "gamma": "5", "ties": False}
    assert document["value"] == {"mid": answer.value.mid, "rad": answer.value.rad}
    shown = answer.text()
    assert answer.value.mid in shown and answer.claimed.mid in shown and "holds" in shown
    with pytest.raises(TypeError):
        answer.parameters["n"] = 5


@together(
    ("n", "gamma", "digits"),
    [
        (0, "5", 30),
        (-1, "5", 30),
        (True, "5", 30),
        (1.0, "5", 30),
        ("x", "5", 30),
        (5, "0", 30),
        (5, "-1", 30),
        (5, "log(1)", 30),
        (5, "log(1/2)", 30),
        (5, "1 - 1", 30),
        (5, 0.5, 30),
        (5, True, 30),
        (5, None, 30),
        (5, "x", 30),
        (5, "1/0", 30),
        (5, "__import__('os')", 30),
        (5, "", 30),
        (5, "1 < 2", 30),
        (5, "log(-1)", 30),
        (5, "5", 0),
        (5, "5", -3),
        (5, "5", 1.5),
        (5, "5", 10**9),
    ],
)
def test_bad_input(n, gamma, digits):
    with pytest.raises(BadInput):
        softmax_hardmax(n, gamma, digits=digits)


def test_a_tiny_value_has_all_digits():
    MP = mpmath.mp.clone()
    MP.dps = 60
    x = 5 * MP.exp(-100)
    for ball, value in (
        (softmax_hardmax(6, 100).value, 2 * x / (1 + x)),
        (softmax_hardmax(6, 100).extra["error of a value in [0, 1]"], x / (1 + x)),
        (softmax_hardmax(6, 100).claimed, 12 * MP.exp(-100)),
    ):
        assert abs(MP.mpf(ball.mid) - value) < value * MP.mpf(10) ** -29


def test_a_value_far_below_the_last_bit_has_all_digits():
    """e^-gamma at gamma = 10^30/3 costs a hundred bits of relative precision."""
    answer = softmax_hardmax(6, "10^30/3")
    for ball in (answer.value, answer.extra["error of a value in [0, 1]"], answer.claimed):
        size, radius = (int(text.partition("e")[2]) for text in (ball.mid, ball.rad))
        assert size - radius >= 30


def test_a_count_of_many_digits_is_bad_input():
    for text in ("1" * 4300, "1" * 4301, "1" * 5000):
        with pytest.raises(BadInput, match="below 2\\^14000"):
            softmax_hardmax(text, 5)
    assert softmax_hardmax("1" * 4000, 5).holds is True


def test_numbers_too_long_to_print_are_bad_input():
    with pytest.raises(BadInput, match="too many digits"):
        softmax_hardmax(10**5000, "5")
    with pytest.raises(BadInput, match="too many digits"):
        softmax_hardmax(5, "5", digits=10**5000)


def test_a_gap_of_unknown_sign_stays_undecided():
    with pytest.raises(Undecided, match="gamma > 0"):
        softmax_hardmax(5, "log(6) - log(2) - log(3)")
    with pytest.raises(Undecided):
        softmax_hardmax(5, "exp(exp(exp(exp(100))))")


def test_kinds_are_named_and_typos_helped():
    assert bounds.kind("softmax-hardmax").load()(2, 1).holds is True
    with pytest.raises(BadInput, match="did you mean softmax-hardmax"):
        bounds.kind("softmax-hardmx")


def test_the_table_names_the_arguments_of_each_function():
    for kind in bounds.KINDS.values():
        own = inspect.signature(kind.load()).parameters
        assert [*kind.names] == [name for name in own if name != "digits"]
        assert [a.name for a in kind.arguments if a.required] == [n for n, p in own.items() if p.default is p.empty]


def test_the_registry_imports_nothing_heavy():
    code = (
        "import sys, symcook.bounds; list(symcook.bounds.KINDS)\n"
        "assert not {'flint', 'sympy', 'mpmath', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_command_has_the_options_of_the_kind(monkeypatch):
    kind = bounds.KINDS["softmax-hardmax"]
    with pytest.raises(BadInput) as refused:
        dispatch(["bound", "softmax-hardmax", "--n", "2"])
    assert "softmax-hardmax must have --gamma" in refused.value.sentence
    assert dispatch(["bound", "softmax-hardmax", "--n", "2", "--gamma", "1", "--ties"]) == 0
    monkeypatch.setattr(kind, "arguments", kind.arguments[:2])
    with pytest.raises(BadInput) as refused:
        dispatch(["bound", "softmax-hardmax", "--n", "2", "--gamma", "1", "--ties"])
    assert "must have only the options --n, --gamma" in refused.value.sentence
