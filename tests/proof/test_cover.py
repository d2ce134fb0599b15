"""Covers by boxes: the certificates are accepted, small and shallow; what touches or is false gets a clean answer."""

import random
from fractions import Fraction

import pytest
from families import together
from proof.both import ask_both  # noqa: F401 (each test here asks both checkers)

from symcook.proof import kernel
from symcook.proof.grammar import read_formula
from symcook.proof.search.cover import cover, simplest
from symcook.proof.search.tactics import Citable, Stuck, intro_all, prove

AXIOMS = {f"ax:{name}": f for name, f in kernel.axioms().items()}
UNIT = "all x:Real, y:Real. 0 <= x & x <= 1 -> -1 <= y & y <= 1 -> "


def covered(text, **options):
    """The boxes and the nodes of an accepted proof."""
    goal = read_formula(text, {}, {})
    nodes = prove(Citable({}, AXIOMS), goal, lambda g: cover(intro_all(g), **options))
    boxes = leaves(nodes)
    assert kernel.check(goal, nodes).nodes == 2 * boxes + len(nodes) - 2
    return boxes, nodes


def leaves(nodes):
    return sum(leaves(p) for n in nodes if n["by"] == "em" for p in n["proofs"]) + (nodes[-1]["by"] == "interval")


def depth(nodes):
    return max((1 + depth(p) for n in nodes if n["by"] == "em" for p in n["proofs"]), default=0)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("all x:Real. 0 <= x & x <= 3 -> x*exp(-x) < 0.37", 65),
        ("all x:Real. 0 < x -> x < 5 -> x*(1 - erf(x/sqrt(2)))/2 < 0.1701", 150),
        ("all x:Real. -2 <= x & x <= 2 -> -30 <= x^2*(1 - x)*exp(x)", 100),
        ("all x:Real. 1/3 <= x & x <= 2 -> log(x) <= x - 9/10 + (x - 1)^2", 20),
        ("all x:Real. 0 <= x & x <= 1 -> x <= 1 + 1/1000", 1),
        ("all n:Int. -1/2 <= n & n <= 3 -> n*(3 - n) < 9/4 + 1/100", 100),
    ],
)
def test_one_variable(text, most):
    boxes, nodes = covered(text)
    assert boxes <= most
    assert depth(nodes) <= boxes.bit_length()


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize(
    ("text", "most"),
    [
        (UNIT + "x*y - x < 1/10 + x^2 + y^2", 16),
        (UNIT + "x*y*exp(-x - y) < 3/20", 100),
        (UNIT + "abs(x - y) <= 2 + 1/1000", 4),
        ("all x:Real, y:Real, z:Real. 0 <= x & x <= 1 & 0 <= y & y <= 1 & 0 <= z & z <= 1 -> x*y*z*(1 - x) < 3/10", 60),
    ],
)
def test_several_variables(text, most):
    boxes, nodes = covered(text)
    assert boxes <= most
    assert depth(nodes) <= 20


def test_bounds_are_the_tightest_and_need_not_be_the_first():
    covered("all x:Real. x <= 9 -> 0 <= x -> x < 1 -> -1 <= x -> x*x - x/2 < 3/5")
    covered("all x:Real. 1/2 <= x & x <= 1/2 -> x*exp(x) < 1")


@pytest.mark.sweep
@together(
    ("text", "why"),
    [
        ("all x:Real. 0 <= x & x <= 3 -> x*exp(-x) < 0.3678", "close|wrong way"),
        ("all x:Real. 0 <= x & x <= 3 -> x*x <= x^4", "wrong way round at"),
        ("all x:Real. 0 <= x & x <= 1 -> x < 1", "wrong way round at"),
        ("all x:Real. 0 <= x & x <= 1 -> 2*x <= 1 + x^2", "close|more than 1000 boxes"),
        ("all x:Real. 0 <= x & x <= 1 -> 1/x < 5", "wrong way|close"),
        (UNIT + "x*y < 1", "wrong way round at x = 1, y = 1|at k1 = 1, k2 = 1"),
        (UNIT + "x*y <= 1/2 + (x^2 + y^2)/2 - 1/2", "close|wrong way|more than"),
        ("all x:Real. 0 <= x -> x < 5", "no numeric bound on both sides"),
        ("all x:Real. 1 <= x & x <= 0 -> x < 5", "contradict"),
        ("all x:Real. 0 <= x & x <= 1 -> x = x*x", "comparisons only"),
        ("all f:Int->Real, n:Int. 0 <= n & n <= 1 -> sum(j, 0, n, f(j)) < 5", "bound|wrong way"),
    ],
)
def test_what_cannot_be_covered_is_told(text, why):
    with pytest.raises(Stuck, match=why):
        covered(text)


def test_the_size_is_bounded_and_precision_is_escalated():
    with pytest.raises(Stuck, match="more than 50 boxes"):
        covered("all x:Real. 0 <= x & x <= 3 -> x*exp(-x) < 0.37", boxes=50)
    digits = "0." + "3" * 40
    boxes, nodes = covered(f"all x:Real. 1/3 <= x & x <= 1/3 -> {digits} < x")
    assert boxes == 1
    assert nodes[-1]["prec"] > 64


def test_simplest_fraction_of_an_interval():
    rng = random.Random(5)
    for _ in range(200):
        low = Fraction(rng.randint(-50, 50), rng.randint(1, 30))
        high = low + Fraction(rng.randint(0, 20), rng.randint(1, 60))
        q = simplest(low, high)
        assert low <= q <= high
        d = next(d for d in range(1, 2000) if -(-low * d // 1) <= high * d)
        assert q.denominator == d
