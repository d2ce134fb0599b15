"""Balls enclose exact values computed without them, at every precision, and never guess a comparison."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import flint
import mpmath
import pytest
from families import together
from shared import lookup, rows

from symcook.domains.ball import LIMIT_BITS, BallDomain
from symcook.domains.rounding import FORMATS, Format, Rounding
from symcook.domains.rowwise import visible
from symcook.errors import BadInput, Undecided
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import ACTIVATIONS, MASKS, WEIGHTINGS, FeedForward, Head, Layer, Mask
from symcook.model.symbols import lowered
from symcook.model.transformer import Transformer
from symcook.run import run


def encloses(ball, value):
    """Whether the ball (or the rational, as a point) holds a Fraction, in integers of its own midpoint and radius."""
    if isinstance(ball, flint.fmpq):
        return Fraction(int(ball.p), int(ball.q)) == value
    mid, rad = (Fraction(int(m)) * Fraction(2) ** int(e) for m, e in (ball.mid().man_exp(), ball.rad().man_exp()))
    return abs(mid - value) <= rad


EQUAL = ("log(6)", "log(2) + log(3)")
"""Two forms of one irrational number, which balls never show to be equal."""


def test_a_sum_of_nothing_has_an_entry_for_each_position():
    domain = BallDomain(64)
    domain.begin(({"x": 1}, {"x": 2}, {"x": 4}), 1)
    assert domain.linear([], 5) == [5, 5, 5]
    assert domain.linear([(domain.input("x"), 2)], 5) == [7, 9, 13]


def saturated(domain, entries):
    """2 relu(x - 1/4) - 2 relu(x - 3/4), the rounding of Section 5.7, of a column."""
    up, down = (domain.activate(domain.linear([(entries, 1)], -Fraction(k, 4)), "relu") for k in (1, 3))
    return domain.linear([(up, 2), (down, -2)], 0)


def test_what_cancels_leaves_a_rational():
    domain = BallDomain(64)
    domain.begin(("a", "b", "c"), 1)
    with domain.context():
        given = domain.embed({name: lowered(f"sqrt({k})/2") for name, k in zip("abc", (3, 2, 1), strict=True)})
        assert [type(x) for x in given] == [flint.arb, flint.arb, flint.fmpq]
        rounded = saturated(domain, given)  # sqrt 3/2 and sqrt 2/2 lie above 3/4 and between
        assert rounded[0] == 1
        assert isinstance(rounded[0], flint.fmpq)
        assert isinstance(rounded[1], flint.arb)
        assert rounded[1].contains(2 * (flint.arb(2).sqrt() / 2) - flint.fmpq(1, 2))
        assert rounded[2] == flint.fmpq(1, 2)
        thrice = domain.linear([(given, 3)], 7)
        assert domain.linear([(thrice, 1), (given, -3)], 0) == [7, 7, 7]
        assert domain.linear([(thrice, Fraction(1, 3))], -Fraction(7, 3))[0] is given[0]


def test_equal_balls_of_other_objects_do_not_cancel():
    domain = BallDomain(64)
    domain.begin(("a",), 1)
    with domain.context():
        one, other = (domain.embed({"a": lowered(text)}) for text in EQUAL)
        (left,) = domain.linear([(one, 1), (other, -1)], 5)
        assert isinstance(left, flint.arb)
        assert left.contains(5)
        assert not left.is_exact()


def test_what_is_rounded_does_not_cancel():
    domain = Rounding(*FORMATS["float32"])
    domain.begin(("a",), 1)
    with domain.context():
        given = domain.embed({"a": lowered("sqrt(3)/2")})
        (left,) = saturated(domain, given)
        assert isinstance(left, flint.arb)
        assert not left.is_exact()


def test_the_working_precision_is_restored():
    before = flint.ctx.prec
    with BallDomain(777).context():
        assert flint.ctx.prec == 777
    assert flint.ctx.prec == before
    with pytest.raises(ZeroDivisionError), BallDomain(999).context():
        _ = 1 // 0
    assert flint.ctx.prec == before


@together("bits", [16, 53, 200])
@together("mask", MASKS)
def test_softmax_of_logarithms_is_rational(bits, mask):
    # with scores log(k) the weights are k over their sum
    counts, values = [3, 1, 7, 2, 5], [Fraction(1, 3), Fraction(-2), Fraction(0), Fraction(9, 7), Fraction(1)]
    given = lookup(mask=mask).rows(rows(q=[1] * 5, key=[f"log({c})" for c in counts], v=values))
    domain = BallDomain(bits)
    result = forward(lookup(mask=mask), given, domain)
    for i, ball in enumerate(result.stream["out"]):
        seen = visible(Mask(mask), i, 5)
        expected = sum((counts[j] * values[j] for j in seen), Fraction(0)) / (sum(counts[j] for j in seen) or 1)
        assert encloses(ball, expected)
        assert not encloses(ball, expected + Fraction(1, 100)) or bits == 16


def test_softmax_against_mpmath_with_roots_and_a_temperature():
    model = lookup(temperature="1/(i + n)")
    given = rows(q=["sqrt(2)", "pi", -1], key=["exp(1/3)", 0, "log(2)"], v=["1/3", "sin(1)", -4])
    shown = run(model, given, "ball", digits=60).outputs
    with mpmath.workdps(90):
        q = [mpmath.sqrt(2), mpmath.pi, mpmath.mpf(-1)]
        k = [mpmath.exp(mpmath.mpf(1) / 3), mpmath.mpf(0), mpmath.log(2)]
        v = [mpmath.mpf(1) / 3, mpmath.sin(1), mpmath.mpf(-4)]
        for i in range(3):
            weights = [mpmath.exp((i + 1 + 3) * q[i] * k[j]) for j in range(3)]
            expected = sum(w * x for w, x in zip(weights, v, strict=True)) / sum(weights)
            error = abs(mpmath.mpf(shown[i]["mid"]) - expected)
            assert error <= mpmath.mpf(shown[i]["rad"]) + mpmath.mpf(10) ** -80
            assert mpmath.mpf(shown[i]["rad"]) <= mpmath.mpf(10) ** -60 * max(1, abs(expected))


def test_enormous_scores_neither_overflow_nor_vanish():
    given = rows(q=[10**9] * 3, key=[1, -1, 1], v=[1, 50, 3])
    out = run(lookup(), given, "ball", digits=40).outputs
    assert all(answer["mid"] == "2" for answer in out)


def test_hard_attention_decides_exact_ties_and_refuses_open_ones():
    tie = rows(q=[1, 1, 1], key=[2, 5, 5], v=[7, 1, 2])
    assert [a["mid"] for a in run(lookup("average"), tie, "ball").outputs] == ["1.5"] * 3
    for key in (["1/3", "1/3"], ["sqrt(2)", "sqrt(2)"]):  # rational, or one number given twice
        assert [a["mid"] for a in run(lookup("average"), rows(q=[1, 1], key=key, v=[0, 1]), "ball").outputs] == [
            "0.5"
        ] * 2
    with pytest.raises(Undecided, match="positions 1 and 2 in row 1"):
        run(lookup("average"), rows(q=[1, 1], key=EQUAL, v=[0, 1]), "ball")
    near = rows(q=[1, 1], key=["1/3", "1/3 + 10^-400"], v=[0, 1])
    assert [a["mid"] for a in run(lookup("average"), near, "ball").outputs] == ["1", "1"]


def comparison(weight, kind="sign"):
    space = Space(("x", "y", "z"))
    block = FeedForward(("x", "y"), ("z",), [[1, -1]], [0], [[weight]], [0])
    readout = Readout("sign", "last", ("z",), weights=[[1]]) if kind == "sign" else Readout("zero", "last", ("z",))
    return Transformer("comparison", Embedding(space, inputs=("x", "y")), (Layer(None, block),), readout)


def test_verdicts_have_three_values():
    open_one = dict(zip("xy", EQUAL, strict=True))
    for kind in ("sign", "zero"):
        found = run(comparison(1, kind), open_one, "ball")
        assert found.accept is None and found.undecided
        assert found.result.domain.bits == LIMIT_BITS
    assert run(comparison(1), {"x": "1/3 + 10^-500", "y": "1/3"}, "ball").accept is True
    assert run(comparison(1), {"x": "1/3", "y": "1/2"}, "ball").accept is False
    assert run(comparison(1, "zero"), {"x": "1/3", "y": "1/2"}, "ball").accept is True  # ReLU of a negative ball is 0
    assert run(comparison(1, "zero"), {"x": 2, "y": 2}, "ball").accept is True
    assert run(comparison(1, "zero"), {"x": "sqrt(3)", "y": "sqrt(2)"}, "ball").accept is False


def test_a_run_is_undecided_where_any_position_that_answers_is_open():
    model = replace(comparison(1, "zero"), readout=Readout("zero", "each", ("z",)))
    head = Head(("z",), ("z",), Q=[[0]], K=[[0]], V=[[0]])  # makes the model one of sequences
    model = replace(model, layers=(*model.layers, Layer(head)))
    rows = [dict(zip("xy", EQUAL, strict=True)), {"x": 2, "y": 1}]
    found = run(model, rows, "ball")
    assert found.outputs == [None, False] and found.undecided
    rows[0] = {"x": "1/3", "y": "1/3"}
    for domain in ("exact", "ball"):
        found = run(model, rows, domain)
        assert found.outputs == [True, False] and not found.undecided


def test_relu_of_a_straddling_ball_encloses_both_sides():
    domain = BallDomain(64)
    with domain.context():
        for mid, rad in ((0, 1), ("0.25", "1"), ("-0.25", "1")):
            ball = domain.activate([flint.arb(mid, rad)], "relu")[0]
            assert encloses(ball, Fraction(0)) and encloses(ball, Fraction(mid) + Fraction(rad))
            assert not encloses(ball, Fraction(-1, 1000))
        assert domain.activate([flint.arb(-3, 1)], "relu")[0] == 0
        assert domain.activate([flint.arb(3, 1)], "relu")[0] > 1
        assert not domain.activate([flint.arb.nan()], "relu")[0].is_finite()


def test_an_unbounded_ball_decides_nothing():
    domain = BallDomain(64)
    with domain.context():
        wild = [flint.arb.nan(), flint.arb(0, flint.arb.pos_inf())]
        assert domain.positive(wild) == [None, None] == domain.zero(wild)
        assert not any(domain.settled(x, 1) for x in wild)


def test_settled_is_relative_above_one_and_absolute_below():
    domain = BallDomain(200)
    with domain.context():
        assert domain.settled(flint.arb("1e20", "1e9"), 10) and not domain.settled(flint.arb("1e20", "1e11"), 10)
        assert domain.settled(flint.arb("1e-20", "1e-11"), 10) and not domain.settled(flint.arb("1e-20", "1e-9"), 10)
        assert domain.settled(flint.arb(5), 100_000)


def test_prefix_means_of_integers_stay_decided():
    space = Space(("token", "mean"))
    head = Head(("token",), ("mean",), [[0]], [[0]], [[1]], mask="future")
    embedding = Embedding(space, words={"+": {"token": 1}, "-": {"token": -1}})
    model = Transformer("mean", embedding, (Layer(head),), Readout("zero", "each", ("mean",)))
    word = "++-+--+-+-" * 30
    expected = [word[:i].count("+") == word[:i].count("-") for i in range(1, len(word) + 1)]
    assert run(model, word, "ball").outputs == expected


def inputs(domain, **columns):
    """Columns of exact inputs, begun in a domain whose context is entered."""
    exact_rows = [{name: lowered(value) for name, value in row.items()} for row in rows(**columns)]
    domain.begin(tuple(exact_rows), 1)
    return [domain.input(name) for name in columns]


@together("weighting", ["average", "leftmost", "rightmost"])
@together("mask", MASKS)
def test_hard_rows_of_rationals_are_exact_choices(mask, weighting):
    keys, values = [2, -1, 2, 0, 2, -3], [Fraction(1, 3), 1, 4, Fraction(-2, 7), 9, 11]
    domain = BallDomain(100)
    with domain.context():
        q, k, v = inputs(domain, q=[1, -1, 0, 1, -2, 1], k=keys, v=values)
        for queries, numbers in (([q], [1, -1, 0, 1, -2, 1]), ([q, q], [1, -1, 0, 1, -2, 1]), ([], [0] * 6)):
            found = domain.attend(queries, [k] * len(queries), [v], Mask(mask), weighting, 1)[0]
            for i, ball in enumerate(found):
                scores = {j: numbers[i] * keys[j] for j in visible(Mask(mask), i, 6)}
                best = [j for j, s in scores.items() if s == max(scores.values())]
                best = {"leftmost": best[:1], "rightmost": best[-1:]}.get(weighting, best)
                expected = sum((Fraction(values[j]) for j in best), Fraction(0)) / (len(best) or 1)
                assert encloses(ball, expected) and isinstance(ball, flint.fmpq)


def test_an_open_choice_is_open_only_where_it_matters():
    domain = BallDomain(64)
    with domain.context():
        one, open_ones, v = inputs(domain, one=[2] * 3, k=[*EQUAL, 0], v=[1, 2, 3])
        other = inputs(domain, k=[*EQUAL[::-1], 0])[0]
        for weighting in WEIGHTINGS:
            if weighting == "softmax":
                continue
            with pytest.raises(Undecided, match="positions 1 and 2 in row 1"):
                domain.attend([one], [open_ones], [v], Mask.NONE, weighting, 1)
        assert domain.largest([open_ones, other]) == [None, None, 0]
        assert domain.largest([one, other]) == [0, 0, 0] and domain.largest([other, one]) == [1, 1, 1]
        assert domain.largest([other, other]) == [0, 0, 0]


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_activations_enclose_their_definitions(kind):
    points = ["-1e9", "-1000", "-31/3", "-1", "-1/1000", "0", "1/1000", "2/3", "5", "1e9"]
    domain = BallDomain(200)
    with domain.context(), mpmath.workdps(120):
        for text in points:
            x = Fraction(text)
            ball = flint.arb(domain.activate([domain.number(x)], kind)[0])
            t = mpmath.mpf(x.numerator) / x.denominator
            inner = mpmath.sqrt(2 / mpmath.pi) * (t + mpmath.mpf(44715) / 10**6 * t**3)
            wanted = {
                "relu": lambda t=t: max(t, mpmath.mpf(0)),
                "step": lambda t=t: mpmath.mpf(t > 0),
                "gelu": lambda t=t: t * mpmath.erfc(-t / mpmath.sqrt(2)) / 2,
                "gelu-tanh": lambda t=t, u=inner: t / (1 + mpmath.exp(-2 * u)),
                "gelu-sigmoid": lambda t=t: t / (1 + mpmath.exp(-mpmath.mpf(1702) / 1000 * t)),
                "silu": lambda t=t: t / (1 + mpmath.exp(-t)),
            }[kind]()
            scale = max(abs(wanted), mpmath.mpf(10) ** -50)
            middle = mpmath.mpf(ball.mid().str(100, radius=False))
            radius = mpmath.mpf(ball.rad().str(30, radius=False))
            assert abs(middle - wanted) <= radius * 1.0001 + scale * mpmath.mpf(10) ** -50, (text, wanted)
            assert radius <= scale * mpmath.mpf(10) ** -40
        wide = domain.activate([flint.arb(0, 1)], kind)[0]
        assert wide.contains(flint.arb(domain.activate([flint.arb("0.75")], kind)[0]))
        assert wide.contains(flint.arb(domain.activate([flint.arb("-0.75")], kind)[0]))


def test_layer_norm_encloses_and_decides_zero_variance_or_says_so():
    domain = BallDomain(128)
    with domain.context():
        columns = inputs(domain, a=[3, 0, 7], b=[-3, 0, 7], c=[0, 0, 7])
        normed = domain.layer_norm(columns, 0, "zero")
        assert (normed[0][0] ** 2 * 2 - 3).contains(0) and normed[2][0] == 0  # variance 6: 3/sqrt 6
        assert all(column[place] == 0 for column in normed for place in (1, 2))
        with pytest.raises(BadInput, match=r"position 2.*epsilon"):
            domain.layer_norm(columns, 0, "refuse")
        open_ones = inputs(domain, a=[0, EQUAL[0]], b=[1, EQUAL[1]])
        for outcome in ("zero", "refuse"):
            with pytest.raises(Undecided, match="position 2"):
                domain.layer_norm(open_ones, 0, outcome)
        assert all(abs(column[1]) < 1e-30 for column in domain.layer_norm(open_ones, 1, "refuse"))
        for text in ("1/3", "sqrt(2)"):  # a rational, or one number twice
            equal = inputs(domain, a=[0, text], b=[1, text])
            assert [column[1] for column in domain.layer_norm(equal, 0, "zero")] == [0, 0]
            with pytest.raises(BadInput, match=r"position 2.*epsilon"):
                domain.layer_norm(equal, 0, "refuse")
        assert [c[0] for c in domain.layer_norm(inputs(domain, a=[1], b=[Fraction(1, 3)]), 0, "refuse")] == [1, -1]


def test_distribution_of_logarithms_is_rational():
    domain = BallDomain(160)
    with domain.context():
        columns = inputs(domain, a=["0", 10**6], b=["log(3)", 10**6], c=["log(4)", -(10**6)])
        found = domain.distribution(columns)
        assert [encloses(column[0], Fraction(k, 8)) for column, k in zip(found, (1, 3, 4), strict=True)] == [True] * 3
        assert not encloses(found[0][0], Fraction(1, 7))
        assert found[0][1].contains(flint.arb("0.5")) and found[2][1] < flint.arb("1e-100000")


def test_scores_beyond_float64_are_compared():
    domain = BallDomain(64)
    with domain.context():
        q, k, v = inputs(domain, q=[1, 1], k=[10**400, 10**400 + 10**390], v=[1, 2])
        assert domain.attend([q], [k], [v], Mask.NONE, "softmax", 1)[0][0].contains(2)


def test_what_is_rational_is_decided():
    # every verdict of this model compares rationals such as 1/3 with tolerances such as 1/4096
    from symcook.recipes import build
    from symcook.spec.languages import dyck1

    model = build("dyck-1-nonuniform")
    for n in range(1, 6):
        for letters in product("()", repeat=n):
            word = "".join(letters)
            found = run(model, word, "ball")
            assert found.accept is dyck1(word), word
            assert found.result.domain.bits == 164  # the precision that 30 digits start from


def test_a_long_rational_becomes_a_ball():
    domain = BallDomain(64)
    with domain.context():
        short, long = inputs(domain, a=[Fraction(1, 3**1000)], b=[Fraction(1, 3**20000)])
        assert isinstance(short[0], flint.fmpq) and isinstance(long[0], flint.arb)
        assert isinstance(domain.linear([(short, 1), (long, 1)], 0)[0], flint.arb)


def test_a_mean_of_equal_numbers_is_rounded_as_any_other():
    """In 4 bits 14 + 14 + 14 is 40 (42 to even), and 40/3 is 13: that the mean is 14 is not certain."""
    space = Space(("one", "vote", "mean"))
    head = Head(("one", "vote"), ("mean",), [[0, 0]], [[0, 0]], [[0, 1]])
    words = {"a": {"one": 1, "vote": 14}}
    model = Transformer("m", Embedding(space, words), (Layer(head),), Readout("value", "last", ("mean",)))
    domain = Rounding(Format(4))
    column = forward(model, tuple("aaa"), domain, trace=True).stream["mean"]
    with domain.context():
        assert flint.arb(column[2]).contains(13) and flint.arb(column[2]).contains(14)
