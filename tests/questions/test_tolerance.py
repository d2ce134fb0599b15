"""How far weights may move, against runs of all words with the weight set to values inside and outside."""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any

import dense
import mpmath
import pytest
from asked import induction, words
from families import together
from flint import arb

import symcook as sc
from symcook.errors import NotExact, Undecided
from symcook.model.symbols import exact
from symcook.numbers.balls import Ball
from symcook.papers.chiang2022.figures import right_weights
from symcook.questions.intervals import NO_VALUE, at_point
from symcook.questions.reach import LeftOpen, enclosed
from symcook.questions.slope import Sloped, only_zero
from symcook.questions.tolerance import free, tolerance


def answers(model: sc.Transformer, n: int) -> list[Any]:
    """What the dense pass says of every word, in Fractions."""
    return [dense.accepts(model, dense.typed(model, word), dense.rational) for word in words(model.alphabet, n)]


def test_the_zero_test_of_dyck_1() -> None:
    """W1 of the only hidden unit, -1: the error is relu(w balance). At 0 nothing is one, above all that is right."""
    model = sc.build("dyck-1")
    found = model.tolerance("L1.ff.W1[1,balance]", 6)
    for row in found.rows:
        n = row["n"]
        assert row["low"] is None
        assert row["high"] == (0 if n % 2 == 0 else None)
        now = answers(model, n)
        for value in (Fraction(-1000), Fraction(-1, 1000)):
            assert answers(_dyck(value), n) == now
        assert (answers(_dyck(Fraction(0)), n) == now) is (n % 2 == 1)
    assert found.row(4)["high_word"] in ("())(", "))((", ")())")
    assert found.row(4)["high_in"] is False
    assert found.notes["ends"].startswith("exact")


def _dyck(value: Fraction) -> sc.Transformer:
    from dataclasses import replace

    model = sc.build("dyck-1")
    layer = model.layers[0]
    block = replace(layer.feedforward, W1=[[value]]) if layer.feedforward.W1.shape == (1, 1) else None
    assert block is not None
    return replace(model, layers=(replace(layer, feedforward=block), *model.layers[1:]))


@pytest.mark.sweep
def test_the_bias_of_a_zero_test() -> None:
    """In dyck-1-nonuniform the first bias of the zero tests may be anything above 0 and at most eps."""
    model = sc.build("dyck-1-nonuniform", N=8).bind()
    found = model.tolerance("L2.ff.b1[1]", 6, min_length=5)
    assert [found.row(n)["low"] for n in (5, 6)] == [None, 0]
    row = found.row(6)
    assert (row["low_in"], row["high"], row["high_in"]) == (False, Fraction(1, 64), True)
    now = answers(model, 6)
    for value, right in (("0", False), ("1/1000000", True), ("1/64", True), ("1/64 + 1/1000000", False), ("1", False)):
        assert (answers(_biased(model, value), 6) == now) is right


def _biased(model: sc.Transformer, value: str) -> sc.Transformer:
    from dataclasses import replace

    layer = model.layers[1]
    b1 = [exact(value), *layer.feedforward.b1[1:]]
    block = replace(layer.feedforward, b1=[[b] for b in b1])
    return replace(model, layers=(model.layers[0], replace(layer, feedforward=block), *model.layers[2:]))


def squares() -> sc.Transformer:
    """Accept iff w^2 > 2 behind a 1, where w = 3/2 stands in two layers."""
    embedding = sc.Embedding(sc.Space(("one", "a", "s", "unit")), words={"1": {"one": 1, "unit": 1}, "0": {"unit": 1}})
    first = sc.FeedForward(("one",), ("a",), [[1]], [[0]], [["3/2"]], [[0]])
    second = sc.FeedForward(("a",), ("s",), [["3/2"]], [[0]], [[1]], [[0]])
    readout = sc.Readout("sign", "last", ("s", "unit"), weights=[[1, -2]])
    return sc.Transformer("squares", embedding, (sc.Layer(None, first), sc.Layer(None, second)), readout)


def test_an_end_that_is_a_root() -> None:
    found = tolerance(squares(), ["L1.ff.W2[a,1]", "L2.ff.W1[1,a]"], 2)
    for row in found.rows:
        assert isinstance(row["low"], Ball)
        with mpmath.workdps(40):
            assert abs(mpmath.mpf(row["low"].mid) - mpmath.sqrt(2)) <= mpmath.mpf(row["low"].rad) < 1e-25
        assert (row["low_in"], row["low_word"][-1], row["high"]) == (False, "1", None)


def test_weights_that_move_the_other_way() -> None:
    """w in one layer and -w in the other: the product is the same, and so is the interval."""
    from dataclasses import replace

    model = squares()
    first = replace(model.layers[0].feedforward, W1=[[1]], W2=[["-3/2"]])
    second = replace(model.layers[1].feedforward, W1=[["-3/2"]])
    moved = replace(model, layers=(sc.Layer(None, first), sc.Layer(None, second)))
    found = tolerance(moved, ["-L1.ff.W2[a,1]", "-L2.ff.W1[1,a]"], 1)
    assert found.row(1)["low"].mid == tolerance(model, ["L1.ff.W2[1,1]", "L2.ff.W1[1,1]"], 1).row(1)["low"].mid


def test_softmax_with_a_rational_end() -> None:
    """FIRST answers by the sign of w/2 - ... : with the weight w of hit, position 1 holds w - 1/2 behind a 1, whatever
    the weights of softmax are."""
    row = sc.build("first").tolerance("L2.head1.V[s,hit]", 3, min_length=3).row(3)
    assert (row["low"], row["low_word"], row["low_in"], row["high"]) == (Fraction(1, 2), "100", False, None)


def test_rational_ends_beside_irrational_ones() -> None:
    """first-flawed with the weight w of start, by hand: behind 01 the logit is e (w - 1/2)/(e + 2), and behind 1 it is
    (e (w + 1/2) - 1/2)/(e + 1)."""
    model = sc.build("first-flawed")
    row = model.tolerance("L1.head1.V[s,start]", 2).row(2)
    assert (row["high"], row["high_word"], row["high_in"]) == (Fraction(1, 2), "01", True)
    low = model.tolerance("L1.head1.V[s,start]", 1).row(1)["low"]
    assert isinstance(low, Ball) and abs(mpmath.mpf(low.mid) - (1 / mpmath.e - 1) / 2) <= mpmath.mpf(low.rad)


def tied(c: str) -> sc.Transformer:
    """One head of hard attention: a has the score `c`, b has 1/3, and the values 2 and -1."""
    space = sc.Space(("score", "value", "unit", "found"))
    words = {"a": {"score": c, "value": 2, "unit": 1}, "b": {"score": "1/3", "value": -1, "unit": 1}}
    parameters = (sc.Parameter("c"),)
    head = sc.Head(("score", "value", "unit"), ("found",), [[0, 0, 1]], [[1, 0, 0]], [[0, 1, 0]], weighting="average")
    readout = sc.Readout("sign", "last", ("found",), weights=[[1]])
    return sc.Transformer("tied", sc.Embedding(space, words=words), (sc.Layer(head),), readout, parameters=parameters)


def test_a_tie_that_no_ball_tells_is_told_exactly() -> None:
    """At c = 1/3, which is no binary number, both tokens have the greatest score: the mean of 2 and -1 accepts."""
    model = tied("c")
    for c, wanted in ((Fraction(1, 3), True), (Fraction(33, 100), False), (Fraction(34, 100), True)):
        assert at_point(model, model.tokens("ab"), "c", c) is wanted
    assert at_point(tied("1/c"), tied("1/c").tokens("ab"), "c", Fraction(0)) == NO_VALUE


@pytest.mark.sweep
def test_what_stays_open_is_said_of_the_word_and_of_the_weight() -> None:
    """The weight is 1, and 1/2 the way that balls show: the sentence is about 3/2, and not about the way."""
    with pytest.raises(Undecided, match=r"the answer to 11 was undecided above the weight 1\.5:"):
        tolerance(sc.build("parity", scaled="yes"), "L1.head1.V[1,1]", 2, min_length=2)


def test_a_word_on_the_threshold_at_the_weight_itself() -> None:
    """Of cba the weights of a and b are equal, so that the logit is (V - 1)/(2 + 1/e^2): 0 as it stands, which rejects,
    and negative below. The word ends what is above, and is no reason to leave open what is below."""
    built = sc.Builder(
        words={"a": {"a": 1, "one": 1}, "b": {"b": 1, "one": 1}, "c": {"one": 1}}, positions={"part": "i/n"}
    )
    scores = {("one", "part"): 3, ("a", "b"): 1}
    heard = built.add(sc.head(scores, {"m": "a - b"}, weighting="softmax", temperature="1/n"))
    built.readout("sign", "last", heard, weights=[1])
    model = built.build("threshold")
    row = tolerance(model, "L1.head1.V[m,a]", 3, min_length=3).row(3)
    assert (row["high"], row["high_in"], row["high_word"]) == (1, True, "cba")
    low = row["low"]
    assert isinstance(low, Ball)
    moved, _ = free(model, ["L1.head1.V[m,a]"])
    name = moved.parameters[-1].name

    def given(value: Fraction) -> list[bool]:
        bound = moved.bind({name: value})
        return [dense.accepts(bound, dense.typed(bound, word), dense.Decimal(60)) for word in words("abc", 3)]

    least, most = (Fraction(low.mid) + side * Fraction(low.rad) for side in (-1, 1))
    assert given(most) == given((1 + most) / 2) == given(1 - Fraction(1, 10**9))
    assert given(least) != given(most) != given(1 + Fraction(1, 10**9))


def test_a_place_beyond_all_floats_is_said() -> None:
    far = Fraction(10**400)
    with pytest.raises(LeftOpen, match=r"beyond 1\.0*e\+400") as error:
        enclosed(lambda _: True, lambda _low, high: high <= far, far, 2 * far, Fraction(1, 10))
    assert error.value.last == far


def test_a_root_has_the_digits_that_are_asked_for() -> None:
    low = tolerance(squares(), ["L1.ff.W2[a,1]", "L2.ff.W1[1,a]"], 1, digits=70).row(1)["low"]
    assert isinstance(low, Ball)
    with mpmath.workdps(90):
        assert abs(mpmath.mpf(low.mid) - mpmath.sqrt(2)) <= mpmath.mpf(low.rad) < mpmath.mpf(10) ** -70


def test_only_a_shown_zero_is_an_end() -> None:
    """Where the simplest number of an interval is no zero, or the logit has no slope, nothing is said."""
    model, _ = free(sc.build("first").bind(), ["L2.head1.V[s,hit]"])
    name, word = model.parameters[-1].name, model.tokens("100")
    assert only_zero(model, word, name, Fraction(49, 100), Fraction(51, 100)) == Fraction(1, 2)
    assert only_zero(model, word, name, Fraction(51, 100), Fraction(52, 100)) is None
    assert only_zero(model, model.tokens("000"), name, Fraction(49, 100), Fraction(51, 100)) is None


def test_slopes_hold_what_differences_are() -> None:
    """relu at a kink, products and quotients: each difference lies between the least and the greatest slope."""
    domain = Sloped("t", Fraction(0), Fraction(1, 2))

    def f(t: float) -> float:
        return max(t - 0.2, 0.0) / (1 + t * t) - t

    with domain.context():
        x, one, less = (domain.number(value) for value in (("name", "t"), Fraction(1), Fraction(-1, 5)))
        bent = domain.activation(domain.total([x, less]), "relu")
        found = domain.over(bent, domain.total([one, domain.times(x, x)]))
        slope = domain.slope(domain.total([found, domain.times(domain.number(Fraction(-1)), x)]))
    places = [k / 40 for k in range(21)]
    assert all(slope.contains(arb((f(b) - f(a)) / (b - a))) for a in places for b in places if a < b)
    assert slope.is_finite() and slope.rad() < 4
    with pytest.raises(Undecided):
        domain.activation(domain.total([x, less]), "step")
    with pytest.raises(NotExact):
        domain.number(("*", ("name", "t"), ("name", "t")))


NORMED = ("parity-layernorm", ["L1.head1.V[ones,one]", "-L1.head1.V[ones_minus,one]"], {"epsilon": 0}, 3)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("name", "free", "values", "n", "digits"), [
    ("parity", ["L1.head1.V[ones,one]"], {}, 4, 4),
    (*NORMED, 1),
    (*NORMED, 2),
])  # fmt: skip
@pytest.mark.layer_two(every=2)
def test_the_intervals_of_figure_3(name: str, free: list[str], values: dict[str, Any], n: int, digits: int) -> None:
    """Those of `symcook.papers.chiang2022.figures`, which has closed forms of its own."""
    other = right_weights(name, n, values, digits=4)  # at least as near
    row = sc.build(name).tolerance(free, n, min_length=n, values=values, digits=digits).row(n)
    for end, (one, two) in (("low", (other.below, other.low)), ("high", (other.high, other.above))):
        shown = row[end]
        mid, rad = (Fraction(shown.mid), Fraction(shown.rad)) if isinstance(shown, Ball) else (shown, Fraction(0))
        assert mid - rad <= two
        assert one <= mid + rad
        assert rad < Fraction(1, 10**digits)


def test_an_induction_head_keeps_its_answers_inside() -> None:
    """The readout's bias -1/7 may go from the greatest rejected mean up to the least accepted one."""
    model = induction()
    found = model.tolerance("readout[unit]", 4, min_length=4)
    means = {dense.run(model, dense.typed(model, word))[-1]["found"] for word in words("01", 4)}
    row = found.row(4)
    assert row["low"] == -min(mean for mean in means if mean > Fraction(1, 7))
    assert row["high"] == -max(mean for mean in means if mean <= Fraction(1, 7))
    assert (row["low_in"], row["high_in"]) == (False, True)


@together(("name", "said"), [
    ("L1.head1.V[balanc,token]", "did you mean balance"),
    ("L1.head1.W[balance,token]", "matrix of L1.head1"),
    ("L1.head2.V[balance,token]", "did you mean L1.head1"),
    ("L1.head1.V[3,token]", "row of L1.head1.V"),
    ("L1.head1.V", "must be written PART.MATRIX"),
    ("L1.head1.V[1]", "a row and a column"),
    ("readout[total]", "must have weights"),
    ("", "must be written"),
])  # fmt: skip
def test_bad_names(name: str, said: str) -> None:
    with pytest.raises(sc.BadInput, match=said):
        sc.build("dyck-1").tolerance(name, 3)


def test_weights_that_differ_do_not_move_together() -> None:
    with pytest.raises(sc.BadInput, match="must have the same absolute value"):
        tolerance(squares(), ["L1.ff.W2[a,1]", "-L2.ff.W1[1,a]"], 1)


@pytest.mark.parametrize("digits", [6, 15, 16, 30, 40])
def test_an_end_in_balls_has_as_many_digits_as_asked(digits: int) -> None:
    """Softmax over a and b has the mean tanh(1/2) at "ab", the least above the threshold; by mpmath."""
    space = sc.Space(("s", "v", "one", "mean"))
    embedding = sc.Embedding(space, {"a": {"s": 1, "v": 1}, "b": {"s": 0, "v": -1}}, positions={"one": "1"})
    head = sc.Head(("s", "v", "one"), ("mean",), [[0, 0, 1]], [[1, 0, 0]], [[0, 1, 0]], weighting="softmax")
    layer = sc.Layer(sc.SelfAttention((head,)))
    readout = sc.Readout("sign", "last", ("mean", "one"), weights=[1, Fraction(-1, 10)])
    model = sc.Transformer("soft", embedding, (layer,), readout)
    found = tolerance(model, "readout[one]", 2, min_length=2, digits=digits)
    low = found.rows[0]["low"]
    assert isinstance(low, Ball)
    with mpmath.workdps(digits + 20):
        off = abs(mpmath.mpf(low.mid) + mpmath.tanh(mpmath.mpf(1) / 2))
        assert off <= mpmath.mpf(low.rad) <= mpmath.mpf(10) ** -digits


def test_a_string_that_is_right_again_further_on_is_wrong_in_between() -> None:
    """With x = e^w the logit of `abc` has the sign of x^2 - 6x + 8, that of `aad` the sign of 5 - x. At log 5 both are
    right, and `abc` was taken as right up to there; it is wrong from log 2 on."""
    letters = {"a": {"one": 1, "v": 8}, "b": {"one": 1, "s": 1, "v": -6}}
    letters |= {"c": {"one": 1, "s": 2, "v": 1}, "d": {"one": 1, "s": 1, "v": "-16/5"}}
    embedding = sc.Embedding(sc.Space(("one", "s", "v", "m")), words=letters)
    # The values are irrational, so that the ends are enclosed.
    head = sc.Head(("one", "s", "v"), ("m",), [[1, 0, 0]], [[0, 0, 0]], [[0, 0, "sqrt(2)"]], "none", "softmax")
    layer = sc.Layer(sc.SelfAttention((head,)))
    model = sc.Transformer("bends", embedding, (layer,), sc.Readout("sign", "last", ("m",), [[1]]))
    for given, high, word in ((["aad"], log(5), "aad"), (["abc"], log(2), "abc"), (["aad", "abc"], log(2), "abc")):
        (row,) = model.tolerance("L1.head1.K[1,s]", inputs=given).rows
        assert row["high_word"] == word and abs(float(row["high"].mid) - high) < 1e-6 and row["low"] is None
