"""bound error part by part, against constants worked out by hand, and random models attacked by `bound_error.py`."""

from fractions import Fraction
from functools import partial
from math import sqrt

import mpmath
import numpy as np
import pytest
from attacks import bound_error

from symcook.bounds import error_propagation as by_both_ways
from symcook.bounds import growth
from symcook.bounds.growth import normed_change
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Transformer
from symcook.proof.replay import replay

error_propagation = partial(by_both_ways, constants=True)

F = Fraction
SPACE = ("a", "b", "c")
WORDS = {"x": {"a": 1, "b": F(-1, 2)}, "y": {"a": F(1, 2), "c": 1}}
NET = FeedForward(("a", "b"), ("c",), W1=[[1, -2], [F(1, 2), 1]], b1=[F(1, 4), 0], W2=[[1, -3]], b2=[F(1, 2)])
NORM = LayerNorm(SPACE, gain=[1, -2, 1], bias=[0, -1, 1], epsilon=F(1, 4))
SMALL = F(1, 10**6)


def model(*layers, words=None, final=None, space=SPACE, **embedding):
    start = Embedding(Space(space), words=words or WORDS, **embedding)
    return Transformer("made", start, layers, Readout("value", "last", (space[0],)), final_norm=final)


def attends(*heads):
    return Layer(SelfAttention(heads), None)


def soft(temperature="1", scale=1):
    """Queries unlike keys: Q^T K = (0 0; 4 -2), so that mu = 4; the column sums of V are 1 and 3."""
    return Head(
        ("a", "b"),
        ("c",),
        Q=[[0, 2]],
        K=[[2, -1]],
        V=[[1, -3]],
        weighting="softmax",
        temperature=temperature,
        scale=scale,
    )


def soft_by_hand(e, X, factor=1):
    """What the head `soft` makes of an error e: e + 3 (2 tanh(T/2) X + e), T = 4 factor (2 X e + e^2)."""
    e, X = (mpmath.mpf(v.numerator) / v.denominator for v in (F(e), F(X)))
    T = 4 * factor * (2 * X * e + e * e)
    return e + 3 * (2 * mpmath.tanh(T / 2) * X + e)


def both(made, delta, n=None, **options):
    found = error_propagation(made, delta, n=n, **options)
    return F(found.value.mid), F(found.claimed.mid)


def close(ball, value):
    with mpmath.workdps(40):
        return abs(mpmath.mpf(ball.mid) - value) < mpmath.mpf(10) ** -25 * value


# --- Networks and norms -----------------------------------------------------------------------------------------------


def test_a_feed_forward_recipe_has_no_length():
    made = Transformer(
        "net", Embedding(Space(SPACE), inputs=("a", "b")), (Layer(None, NET),), Readout("value", "last", ("c",))
    )
    assert made.pointwise
    for n in (None, 1):  # |W2||W1| = (5/2, 5); d = 3, p = 3
        assert both(made, F(1, 10), n) == (F(6, 10), F(82, 10))
    with pytest.raises(BadInput, match="leave n out"):
        error_propagation(made, F(1, 10), n=2)
    assert both("min", F(1, 10))[0] > F(1, 10)


def test_the_model_is_named_as_it_is_written():
    made = Transformer(
        "Net A", Embedding(Space(SPACE), inputs=("a",)), (Layer(None, NET),), Readout("value", "last", ("c",))
    )
    assert "error: model = Net A, delta = 1/10" in error_propagation(made, F(1, 10)).text()


def test_a_network_without_hidden_units_adds_no_error():
    made = model(Layer(None, FeedForward(("a",), ("b",), W1=[], b1=[], W2=[[]], b2=[4])), attends(soft()))
    with mpmath.workdps(40):  # and 4 to the size: X = 3/2 + 4
        assert close(error_propagation(made, SMALL, n=2).value, soft_by_hand(SMALL, F(11, 2)))


def test_a_small_exact_bound_has_all_digits():
    found = error_propagation(model(Layer(None, NET)), F(1, 7 * 10**40))
    assert found.value.mid.startswith("8.5714285714285714285714285714") and found.value.mid.endswith("e-41")


def test_a_small_bound_that_is_no_rational_has_all_digits():
    delta = F(1, 7 * 10**45)
    found = error_propagation(model(attends(soft())), delta, n=2)
    with mpmath.workdps(80):
        assert close(found.value, soft_by_hand(delta, F(3, 2)))
    assert len(found.value.mid) > 30 and found.claimed.mid == "8.437e-42"


def test_a_norm_before_a_network():
    # ours sqrt(2/3 6/(1/4)) = 4 and 1 + 5 4; papers 2 3 4 2/(1/2) = 96 and 1 + 81 96
    made = model(Layer(None, NET, (), (NORM,), "pre"))
    assert both(made, F(1, 100)) == (F(21, 100), F(7777, 100))


def test_a_norm_at_the_end():
    made = model(Layer(None, NET), final=NORM)
    found = error_propagation(made, F(1, 100))
    assert both(made, F(1, 100)) == (F(24, 100), F(7872, 100))  # 6 4, 82 96
    assert found.extra["after final norm"] == "0.24 (papers 78.72)"
    assert found.extra["after layer 1 feed-forward"] == "0.06 (papers 0.82)"


def several():
    one = LayerNorm(("a", "b"), ("u",), gain=[3], bias=[1], epsilon=F(1, 4), projection=[[1, -2]])
    two = LayerNorm(
        ("b", "c"), ("v", "r"), gain=[1, -7], bias=[0, 2], epsilon=F(1, 4), projection=[[1, F(1, 2)], [0, -3]]
    )
    net = FeedForward(("u", "v", "r"), ("c",), W1=[[1, -1, 2]], b1=[0], W2=[[F(1, 2)]], b2=[0])
    return model(Layer(None, net, (), (one, two), "multi pre"))


def test_several_norms_side_by_side():
    # one: a single entry is its own mean, 0; papers 2 1 2 3 2/(1/2) = 48
    # two: column sum 7/2, sqrt(1/2 50) = 5, 7/2 5/(1/2) = 35; papers 2 2 3 7 7/2/(1/2) = 588
    # the network: 1; papers (3 7)^2 = 441
    assert both(several(), F(1, 1000)) == (F(36, 1000), F(1 + 441 * 636, 1000))


def test_a_projected_norm():
    norm = LayerNorm(
        SPACE, ("u", "v"), gain=[1, -7], bias=[0, 0], epsilon=F(1, 4), projection=[[1, F(1, 2), 0], [0, -3, 1]]
    )
    net = FeedForward(("u",), ("a",), W1=[[1]], b1=[0], W2=[[1]], b2=[0])
    # two entries written, three read: 35 as above; papers 588 (3 7)^2
    assert both(model(Layer(None, net, (), (norm,), "projected pre")), F(1, 1000)) == (
        F(36, 1000),
        F(1 + 588 * 441, 1000),
    )


@pytest.mark.parametrize("epsilon", [F(1, 2), F(3)])
def test_a_norm_whose_root_is_irrational(epsilon):
    norm = LayerNorm(SPACE, gain=[1, -2, 1], epsilon=epsilon)
    found = error_propagation(model(Layer(None, NET, (), (norm,), "post")), F(1, 100))
    with mpmath.workdps(40):
        root = mpmath.sqrt(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        assert close(found.value, 2 / root * 6 / 100)  # 8 and 4/3 are squared
        assert close(found.claimed, 48 / root * 82 / 100)


# --- Sizes and softmax ------------------------------------------------------------------------------------------------


def test_the_size_counts_added_tokens_and_their_positions():
    words = WORDS | {"BOS": {"a": -2}, "EOS": {"b": 1}}
    made = model(attends(soft()), words=words, positions={"a": "-i"}, before="BOS", after="EOS")
    with mpmath.workdps(40):  # |-2 - 4|: any token may stand at any of the four positions
        assert close(error_propagation(made, SMALL, n=2).value, soft_by_hand(SMALL, 6))


def test_the_size_after_a_network():
    made = model(Layer(None, NET), attends(soft()))
    with mpmath.workdps(40):  # X = 3/2 + 5 3/2 + |W2||b1| + |b2| = 3/2 + 15/2 + 1/4 + 1/2
        assert close(error_propagation(made, SMALL, n=2).value, soft_by_hand(6 * SMALL, F(39, 4)))


def test_the_size_after_attention():
    made = model(attends(soft()), attends(soft()))
    with mpmath.workdps(40):  # X = 3/2, then 3/2 + 3 3/2
        first = soft_by_hand(F(1, 10**9), F(3, 2))
        T = 4 * (2 * 6 * first + first**2)
        expected = first + 3 * (2 * mpmath.tanh(T / 2) * 6 + first)
        assert close(error_propagation(made, F(1, 10**9), n=2).value, expected)


def test_the_size_after_a_norm():
    made = model(Layer(None, NET, (), (NORM,), "post"), attends(soft()))
    with mpmath.workdps(40):  # X = 3 (1 + 2 + 1) + 2; the error 24
        assert close(error_propagation(made, SMALL, n=2).value, soft_by_hand(24 * SMALL, 14))


def test_the_size_before_a_norm_is_that_of_the_norm():
    made = model(Layer(SelfAttention((soft(),)), None, (NORM,), (), "pre"))
    with mpmath.workdps(40):
        inner = soft_by_hand(4 * SMALL, 14) - mpmath.mpf(4) / 10**6
        assert close(error_propagation(made, SMALL, n=2).value, inner + mpmath.mpf(1) / 10**6)


def test_the_papers_size_is_at_least_1():
    tiny = {"x": {"a": F(1, 4)}, "y": {"c": F(-1, 8)}}
    found = error_propagation(model(attends(soft()), words=tiny), SMALL, n=2)
    with mpmath.workdps(40):
        e, d, p = mpmath.mpf(1) / 10**6, 3, 3
        assert close(found.value, soft_by_hand(SMALL, F(1, 4)))
        assert close(found.claimed, e + d * p * (d * 4 * (3 * d**2 * p**2 * e) + e))


@pytest.mark.parametrize(
    ("temperature", "start", "factor"),
    [("i", 1, 1), ("1/i", 1, 3), ("i + 1", 0, 1), ("1/(i + 1)", 0, 3), ("n", 1, F(1, 3)), ("4 - i", 1, 1)],
)
def test_the_greatest_factor_of_all_positions(temperature, start, factor):
    made = model(attends(soft(temperature)), start=start)
    with mpmath.workdps(40):
        expected = soft_by_hand(SMALL, F(3, 2), mpmath.mpf(factor.numerator) / factor.denominator)
        assert close(error_propagation(made, SMALL, n=3).value, expected)


def test_the_scale_is_a_factor():
    made = model(attends(soft(scale=F(1, 4))))
    with mpmath.workdps(40):
        assert close(error_propagation(made, SMALL, n=3).value, soft_by_hand(SMALL, F(3, 2), mpmath.mpf(1) / 4))


def test_a_temperature_that_is_not_positive_is_refused():
    with pytest.raises(BadInput, match="a temperature must be positive"):
        error_propagation(model(attends(soft("5 - 2*i"))), SMALL, n=3)


def test_heads_add_up():
    plain = [Head(("a", "b"), ("c",), Q=[[0, 0]], K=[[1, 2]], V=[V]) for V in ([2, -1], [F(1, 2), 3])] + [
        Head(("a",), ("b", "c"), Q=[[1]], K=[[0]], V=[[1], [-5]])
    ]
    assert both(model(attends(*plain)), F(1, 100)) == (F(12, 100), F(46, 100))  # 1 + 2 + 3 + 6; 1 + 3 (3 5)


def test_scores_that_cancel_are_uniform():
    head = Head(("a", "b"), ("c",), Q=[[1, 1], [1, 1]], K=[[2, 3], [-2, -3]], V=[[1, 1]])
    assert both(model(attends(head)), F(1, 100), 3)[0] == F(2, 100)


@pytest.mark.parametrize(("delta", "taken"), [(1, True), (1 + F(1, 10**9), False), (F(3, 2), False), (2, False)])
def test_an_error_of_1_before_softmax_is_the_greatest(delta, taken):
    if taken:
        assert both(model(attends(soft())), delta, 2)[0] > 1
    else:
        with pytest.raises(BadInput, match="must be at most 1"):
            error_propagation(model(attends(soft())), delta, n=2)


def test_the_error_before_softmax_counts_the_norm():
    made = model(Layer(SelfAttention((soft(),)), None, (NORM,), (), "pre"))
    assert both(made, F(1, 96), 2)[0] > 0  # the papers' 96
    with pytest.raises(BadInput, match="must be at most 1"):
        error_propagation(made, F(1, 95), n=2)


# --- Hard heads -----------------------------------------------------------------------------------------------------


def behind(query, positions="i", weighting="average", last=None):
    """q = relu(a) after a network, then scores q_i p_j: the gap is the least q, and the stream is at most 2 + 2 + 3."""
    words = {"x": {"a": query}, "y": {"a": 2}}
    copy = FeedForward(("a",), ("q",), W1=[[1]], b1=[0], W2=[[1]], b2=[0])
    head = Head(("q", "p"), ("c",), Q=[[1, 0]], K=[[0, 1]], V=[[0, 1]], weighting=weighting)
    later = () if last is None else (Layer(None, last),)
    space = ("a", "q", "p", "c")
    return model(Layer(None, copy), attends(head), *later, words=words, space=space, positions={"p": positions})


@pytest.mark.parametrize("positions", ["i", "4 - i"])  # the greatest stream at the last position, and at the first
def test_a_gap_that_is_just_kept_and_just_closed(positions):
    # delta 1/100: an error of 2/100 after the network, scores move by 2 7 2/100 + (2/100)^2 = 701/2500
    with pytest.raises(BadInput, match="a gap of 701/1250, scores that move by up to 701/2500"):
        error_propagation(behind(F(701, 1250), positions), F(1, 100), n=3)
    assert both(behind(F(702, 1250), positions), F(1, 100), 3)[0] == F(4, 100)  # 2 (1 + 1)


def test_what_comes_after_a_hard_head_does_not_count_for_its_gap():
    last = FeedForward(("a",), ("q", "p"), W1=[[1]], b1=[7], W2=[[-1], [3]], b2=[0, 1])
    with pytest.raises(BadInput, match="a gap of 701/1250, scores that move by up to 701/2500"):
        error_propagation(behind(F(701, 1250), last=last), F(1, 100), n=3)
    # 4/100 before the last part, whose column sum is 1 + 3
    assert both(behind(F(702, 1250), last=last), F(1, 100), 3)[0] == F(20, 100)


def one_coordinate(Q, K, positions=None, words=None, **options):
    head = Head(("one", "p"), ("out",), Q=[Q], K=[K], V=[[0, 100]], **options)
    return model(
        attends(head),
        words=words or {"x": {}, "y": {}},
        space=("one", "p", "out"),
        positions={"one": "1", "p": "i"} if positions is None else positions,
    )


@pytest.mark.parametrize("weighting", ["average", "leftmost", "rightmost"])
def test_the_score_of_a_key_is_its_position(weighting):
    """The plain hard head: every query looks for the greatest p_j."""
    found = both(one_coordinate([1, 0], [0, 1], weighting=weighting), F(1, 1000), 3)
    assert found[0] == F(101, 1000)


@pytest.mark.parametrize("weighting", ["average", "leftmost", "rightmost"])
def test_scores_that_all_tie_are_refused(weighting):
    """The score is p_i, the same for every key: any error decides the choice."""
    with pytest.raises(BadInput, match=r"must have a score gap.*a tie at position 1"):
        error_propagation(one_coordinate([0, 1], [1, 0], weighting=weighting), F(1, 1000), n=3)


def test_a_tie_names_its_position():
    made = one_coordinate([1, 0], [0, 1], {"one": "1", "p": "min(i, 2)"}, mask="future")
    with pytest.raises(BadInput, match="a tie at position 3"):
        error_propagation(made, F(1, 1000), n=3)


def test_an_embedding_of_zeros():
    zero = {"x": {}, "y": {}}
    tied = one_coordinate([1, 0], [0, 1], {}, zero)
    with pytest.raises(BadInput, match="a tie"):
        error_propagation(tied, F(1, 1000), n=2)
    assert both(tied, F(1, 1000), 1)[0] == F(101, 1000)  # one position: nothing to choose
    assert both(model(attends(soft()), words=zero), SMALL, 2)[0] > 0


def test_a_hard_head_that_sees_at_most_one_position():
    made = one_coordinate([0, 1], [1, 0], mask="strict-future")
    assert both(made, F(1, 1000), 2)[0] == F(101, 1000)


def test_a_hard_head_before_what_is_irrational():
    """Only what stands before the head must be rational."""
    head = Head(("a", "p"), ("c",), Q=[[1, 2]], K=[[0, 1]], V=[[1, 0]])
    made = model(
        attends(head),
        attends(soft("1/log(n + 2)")),
        words={"x": {"a": 1}, "y": {"a": 2}},
        space=("a", "b", "c", "p"),
        positions={"p": "i"},
    )
    assert error_propagation(made, F(1, 10**6), n=3).holds is True


@pytest.mark.parametrize("early", ["softmax", "pre", "roots"])
def test_a_hard_head_behind_what_is_irrational_is_refused(early):
    head = Head(("a", "b"), ("c",), Q=[[1, 2]], K=[[0, 1]], V=[[1, 0]])
    layers = {
        "softmax": (attends(soft()), attends(head)),
        "pre": (Layer(SelfAttention((head,)), None, (NORM,), (), "pre"),),
        "roots": (Layer(None, NET, (), (NORM,), "post"), attends(head)),
    }[early]
    with pytest.raises(BadInput, match=r"must be exact, before any softmax|must be rational"):
        error_propagation(model(*layers, positions={"b": "i"}), SMALL, n=2)


# --- The constant of layer norm ---------------------------------------------------------------------------------------


def change(x, step, k, eps):
    """How much a step along coordinate k changes the layer norm of x, in the L1 norm, a unit of the step."""
    moved = x.copy()
    moved[k] += step

    def normed(v):
        v = v - v.mean()
        return v / np.sqrt((v**2).mean() + eps)

    return np.abs(normed(moved) - normed(x)).sum() / step


def test_the_constant_of_layer_norm_is_reached_for_two_entries():
    norm = LayerNorm(("a", "b"), epsilon=F(1, 4))
    assert normed_change(norm)[0] == 4  # 1/epsilon
    assert 2 - 1e-6 < change(np.zeros(2), 1e-4, 0, 1 / 4) <= 2


def test_no_change_exceeds_the_constant_of_layer_norm():
    rng = np.random.default_rng(3)
    for _ in range(2000):
        d, eps = rng.integers(2, 90), 10.0 ** rng.integers(-3, 2)
        x = rng.normal(size=d) * 10.0 ** rng.uniform(-2, 2) * sqrt(eps)
        grown = change(x, 10.0 ** rng.uniform(-4, 1), rng.integers(d), eps)
        assert grown <= sqrt((d - 1) / eps) * (1 + 1e-9)


def test_small_entries_are_not_the_worst_for_many_coordinates():
    """2 (1 - 1/d) is the growth at 0; with 64 entries other vectors grow by more."""
    d, p = 64, 20
    best = max(
        change(np.sqrt(d) * np.array([a] + [-(a + q) / p] * p + [q / (d - 1 - p)] * (d - 1 - p)) * r, 1e-6, 0, 1)
        for a in np.linspace(0.3, 0.8, 11)
        for q in np.linspace(1, 4, 13)
        for r in (0.5, 1, 1.5, 2, 3)
    )
    assert 2 * (1 - 1 / d) < 2 < best < sqrt(d - 1)


def test_the_constant_is_proved():
    (verdict,) = replay(["lem.norm_layernorm"])
    assert verdict.status == "PROVED"


# --- Random models --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", [range(5000, 5003), range(5003, 5016)])
@pytest.mark.sweep
def test_random_models_keep_their_bounds(seeds):
    outcomes = [bound_error.attack(seed) for seed in seeds]
    assert [k for k, (outcome, _, _) in zip(seeds, outcomes, strict=True) if outcome == "exceeded"] == []
    assert 2 * sum(outcome == "kept" for outcome, _, _ in outcomes) > len(seeds)


def test_the_attack_notices_transposed_scores(monkeypatch):
    right = growth.score_form
    monkeypatch.setattr(growth, "score_form", lambda head: [list(row) for row in zip(*right(head), strict=True)])
    assert bound_error.attack(40)[0] == bound_error.attack(171)[0] == "exceeded"


def test_the_command(capsys):
    assert bound_error.main(5, 0) == 0
    assert "kept" in capsys.readouterr().out


@pytest.mark.parametrize("constants", [True, False])
def test_a_model_without_parts_moves_as_its_embedding_does(constants):
    found = by_both_ways("positional-encoding", "1/1000", n=2, constants=constants)
    assert F(found.value.mid) == F(found.claimed.mid) == F(1, 1000) and found.holds
