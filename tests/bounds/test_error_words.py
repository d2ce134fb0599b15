"""bound error by words: against the worst change that a search finds, and against runs in the types of floats.

The search runs the plain pass of `attacks.bound_error`; the exact values beside the float runs are those of
`dense` at 60 digits.
"""

import itertools
from fractions import Fraction
from types import SimpleNamespace

import dense
import flint
import mpmath
import numpy as np
import pytest
from attacks.bound_error import embedded, passed
from attacks.bound_error import made as made_at_random
from families import together

from symcook.bounds import error_propagation
from symcook.bounds.error import Moves, _ends, few_enough, moves
from symcook.bounds.growth import BothErrors
from symcook.domains import make_domain
from symcook.domains.ball import BallDomain
from symcook.errors import BadInput, Undecided
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Transformer
from symcook.numbers.balls import Ball
from symcook.recipes import build

F = Fraction
SHIPPED = [
    ("dyck-1", 4, F(1, 1000)),
    ("dyck-1-nonuniform", 4, F(1, 10**6)),
    ("parity", 3, F(1, 10**4)),
    ("first", 3, F(1, 10**4)),
    ("first-flawed", 3, F(1, 10**4)),
    ("first-layernorm", 2, F(1, 10**5)),
    ("parity-layernorm", 2, F(1, 10**5)),
]


def worst(model, word, delta):
    """The greatest changes found of each entry after the last layer, and of the sum at one position: along the
    steepest entry of each position, by differences."""
    start = embedded(model, word)
    clean, (n, d) = passed(model, start), start.shape
    tried = list(itertools.product(range(d), (1, -1)))

    def change(entries):
        moved = start.copy()
        for j, (k, sign) in entries:
            moved[j, k] += sign * delta
        return passed(model, moved) - clean

    alone = [{entry: change([(j, entry)]) for entry in tried} for j in range(n)]
    best, whole = np.zeros((n, d)), 0.0
    for p in range(n):
        aims = [lambda x, p=p, c=c, s=s: s * x[p, c] for c in range(d) for s in (1, -1)]
        for aim in (*aims, lambda x, p=p: np.abs(x[p]).sum()):
            found = np.abs(change([(j, max(tried, key=lambda e: aim(alone[j][e]))) for j in range(n)]))
            best, whole = np.maximum(best, found), max(whole, found.sum(axis=1).max())
    return best.max(axis=0), whole


@pytest.mark.layer_one(4)
@pytest.mark.parametrize(("name", "n", "delta"), SHIPPED)
def test_each_coordinate_is_bounded_and_nearly_reached(name, n, delta):
    model = build(name).bind()
    found = moves(model, n, delta, None, 192)
    each, whole = np.zeros(len(model.space)), 0.0
    for word in itertools.product(model.alphabet, repeat=n):
        entries, total = worst(model, word, float(delta))
        each, whole = np.maximum(each, entries), max(whole, total)
    assert found.words == len(model.alphabet) ** n
    assert whole <= float(found.stream) * (1 + 1e-6) <= 10 * whole
    for reached, coordinate in zip(each, model.space, strict=True):
        bound = float(found.coordinates[coordinate][0])
        assert reached <= bound * (1 + 1e-6) <= 10 * reached + 1e-12, coordinate


@pytest.mark.layer_one(0, 12, 13, 14)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize(("name", "n"), [(name, n) for name, n, _ in SHIPPED if "layernorm" not in name])
def test_runs_in_floats_stay_within(name, n, dtype):
    model = build(name).bind()
    found = moves(model, n, None, dtype, 192)
    scores = found.scores or {name: found.coordinates[name] for name in model.readout.reads}
    number, moved = dense.decimal(60), 0.0
    for word in itertools.product(model.alphabet, repeat=n):
        sequence = model.tokens(word)
        shown = dense.read(model, sequence, number)[0 if model.readout.position == "first" else -1][0]
        result = forward(model, sequence, make_domain(dtype))
        for score, value in result.values().items():
            if score in scores:
                with mpmath.workdps(60):
                    off = float(abs(mpmath.mpf(float(value)) - shown[score]))
                moved = max(moved, off)
                assert off <= float(scores[score][0]), (word, score)
    assert moved > 0 or name == "dyck-1-nonuniform"


def test_the_stored_weights_alone_move_the_outputs_nearly_as_much_as_is_said():
    """A model of one product with a weight that no float holds; the arithmetic of this run is exact."""
    weight = F(10**9 + 1, 3 * 10**9)
    model = made(SelfAttention((Head(("a",), ("b",), Q=[[0]], K=[[0]], V=[[weight]], mask="future"),)))
    off = abs(F(float(np.float32(float(weight)))) - weight)
    bound = float(moves(model, 1, None, "float32", 128).coordinates["b"][0])
    assert float(off) <= bound <= float(off) + 2 * 2.0**-24


def made(attention=None, feedforward=None, norms=(), words=None, placement="none"):
    embedding = Embedding(Space(("a", "b")), words=words or {"x": {"a": 1}, "y": {"a": F(-1, 2), "b": 1}})
    layer = Layer(attention, feedforward, norms if attention else (), () if attention else norms, placement)
    return Transformer("made", embedding, (layer,), Readout("value", "last", ("b",)))


def only(W1, W2, activation="relu"):
    ones = [[0]] * len(W1)
    return FeedForward(("a",), ("b",), W1=W1, b1=ones, W2=[W2], b2=[[0]], activation=activation)


def test_what_cancels_in_the_model_cancels_in_the_bound():
    """relu(a) - relu(-a) = a, also where a may have either sign; the two parts alone would count twice."""
    words = {"x": {}}
    pair = moves(made(feedforward=only([[1], [-1]], [1, -1]), words=words), 1, F(1, 8), None, 128)
    assert float(pair.coordinates["b"][0]) == pytest.approx(1 / 8)
    scaled = moves(made(feedforward=only([[2], [-3]], [3, -2]), words=words), 1, F(1, 8), None, 128)
    assert float(scaled.coordinates["b"][0]) == pytest.approx(6 / 8)
    alike = moves(made(feedforward=only([[1], [1]], [1, -1]), words=words), 1, F(1, 8), None, 128)
    assert float(alike.coordinates["b"][0]) == pytest.approx(1 / 8)  # b itself
    sides = moves(made(feedforward=only([[1], [-1]], [1, 1]), words=words), 1, F(1, 8), None, 128)
    assert float(sides.coordinates["b"][0]) == pytest.approx(2 / 8)  # |a| and b, as if apart


@pytest.mark.parametrize("kind", ["gelu", "gelu-tanh", "gelu-sigmoid"])
def test_smooth_activations(kind):
    """The greatest change of gelu around 1 and -1/2 is at an end, as it is monotone there; by mpmath."""
    made_one = made(feedforward=only([[1]], [1], kind))
    number = dense.decimal(40)
    with mpmath.workdps(40):
        steps = [(x, s) for x in (mpmath.mpf(1), mpmath.mpf(-1) / 2) for s in (1, -1)]
        most = max(abs(number.gelu(x + s * mpmath.mpf("1e-6"), kind) - number.gelu(x, kind)) for x, s in steps)
    bound = float(moves(made_one, 1, F(1, 10**6), None, 128).coordinates["b"][0])
    assert float(most) <= bound <= 1.001 * float(max(most, mpmath.mpf("1e-6")))


def test_a_step_or_a_tie_that_the_errors_reach_is_refused():
    with pytest.raises(BadInput, match="activation must be relu"):
        error_propagation(made(feedforward=only([[1]], [1], "step"), words={"x": {}}), F(1, 10), n=1)
    far = error_propagation(made(feedforward=only([[1]], [1], "step")), F(1, 10), n=2)
    assert far.claimed is None and far.holds is None and far.value.mid.startswith("0.1")
    with pytest.raises(BadInput, match="too small to change"):
        error_propagation(made(feedforward=only([[1]], [1], "step"), words={"x": {}}), n=1, dtype="float32", delta=1)


def fetching(large, small):
    """o by softmax over a of c, which is large beside x and small beside y."""
    embedding = Embedding(Space(("a", "c", "o")), words={"x": {"a": 1, "c": large}, "y": {"a": F(1, 3), "c": small}})
    head = Head(("a", "c"), ("o",), Q=[[1, 0]], K=[[1, 0]], V=[[0, 1]], weighting="softmax")
    layer, readout = Layer(SelfAttention((head,)), None), Readout("value", "last", ("o",))
    return Transformer("fetching", embedding, (layer,), readout)


def test_a_mean_of_equal_values_is_rounded_too():
    """sum(w v)/sum(w) is not v in floats, though all values are v."""
    value = F(2**24 - 1, 2**24)
    model = fetching(value, value)
    bound = F(float(moves(model, 5, None, "float32", 192).coordinates["o"][0]))
    seen = 0
    for word in itertools.product("xy", repeat=5):
        found = forward(model, model.tokens(word), make_domain("float32"), trace=True, weights=False).steps[-1]
        seen = max([seen, *(abs(F(float(x)) - value) for x in found.columns["o"])])
    assert 0 < seen <= bound < F(1, 10**5)


@pytest.mark.parametrize("large", [60000, -60000])
def test_what_may_overflow_on_the_way_is_refused(large):
    """The sum of products lies beyond float16, though the mean does not; so does the sum of hidden units."""
    with pytest.raises(BadInput, match="beyond the type of floats"):
        error_propagation(fetching(large, large), n=3, dtype="float16")
    embedding = Embedding(Space(("a", "b")), words={"x": {"a": 20000}})
    net = FeedForward(("a",), ("b",), [[1]] * 6, [[0]] * 6, [[1, 1, 1, 1, -1, -1]], [[0]], activation="relu")
    with pytest.raises(BadInput, match="beyond the type of floats"):
        error_propagation(
            Transformer("sums", embedding, (Layer(None, net),), Readout("value", "last", ("b",))), n=1, dtype="float16"
        )


def test_layer_norm_without_epsilon_away_from_zero_variance():
    norm = LayerNorm(("a", "b"), epsilon=0)
    model = made(feedforward=only([[1]], [3]), norms=(norm,), placement="post")
    found = error_propagation(model, F(1, 100), n=1)
    assert found.claimed is None and "papers' constants" in found.extra
    flat = made(feedforward=only([[1]], [1]), norms=(norm,), placement="post", words={"x": {"a": 1}})
    with pytest.raises(BadInput, match="epsilon > 0"):
        error_propagation(flat, F(1, 100), n=1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "an error bound needs the size of the errors, or a float type whose rounding causes the errors"),
        ({"dtype": "float31", "n": 3}, "did you mean float32"),
        ({"dtype": "float32"}, "needs the length n"),
        ({"dtype": "float16", "n": 2, "model": "dyck-1-nonuniform", "values": "N=1000"}, "range of|too small"),
        ({"dtype": "float32", "n": 40}, "too many"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(BadInput, match=message):
        error_propagation(**({"model": "dyck-1"} | given))


def test_the_words_are_gone_through_where_they_are_few():
    model = build("dyck-1").bind()
    assert few_enough(model, 8, F(1, 10)) and not few_enough(model, 40, F(1, 10))
    long = error_propagation("dyck-1", F(1, 10), n=40)
    assert long.value.mid == "0.8" and "too many" in long.extra["not shown"]


@together("seed", range(9000, 9012))
def test_random_models_in_float32_stay_within(seed):
    """Every coordinate at every position of models with masks, hard heads, norms and added tokens; exact values are
    balls of 256 bits."""
    model, n, _ = made_at_random(seed)
    try:
        found = moves(model, min(n, 2), None, "float32", 160)
    except Undecided:  # a tie that rounding may break
        return
    for word in itertools.islice(itertools.product(model.alphabet, repeat=min(n, 2)), 4):
        sequence = model.tokens(word)
        exact = forward(model, sequence, BallDomain(256), trace=True, weights=False).steps[-1].columns
        floats = forward(model, sequence, make_domain("float32"), trace=True, weights=False).steps[-1].columns
        with flint.ctx.workprec(256):
            for name, column in exact.items():
                for place, value in enumerate(column):
                    off = abs(flint.arb(value) - flint.arb(float(floats[name][place])))
                    assert off <= found.coordinates[name][0] + flint.arb(2) ** -200, (word, name, place)


@together("seed", range(9100, 9112))
@pytest.mark.sweep
def test_a_tiny_error_grows_by_the_derivatives(seed):
    """Of random models: at each position along the steepest entry, so that the bound of a coordinate is delta times the
    sum over positions of the greatest partial derivative there; by differences, where both sides agree (no kink)."""
    model, n, _ = made_at_random(seed)
    n, delta, step = min(n, 2), F(1, 2**100), 1e-6
    try:
        found = moves(model, n, delta, None, 400)
    except Undecided:  # a tie
        return
    best, smooth = np.zeros(len(model.space)), True
    for word in itertools.product(model.alphabet, repeat=n):
        start = embedded(model, word)
        clean, (length, d) = passed(model, start), start.shape
        slopes = np.zeros((length, d, *clean.shape))
        for j, k in itertools.product(range(length), range(d)):
            there, back = (passed(model, start + sign * step * unit(length, d, j, k)) - clean for sign in (1, -1))
            slopes[j, k] = np.abs(there - back) / (2 * step)
            smooth = smooth and bool((np.abs(there + back) <= 1e-4 * step * (1 + np.abs(there))).all())
        best = np.maximum(best, slopes.max(axis=1).sum(axis=0).max(axis=0))
    for reached, coordinate in zip(best, model.space, strict=True):
        bound = float(found.coordinates[coordinate][0] / flint.arb(flint.fmpq(1, 2**100)))
        assert reached <= bound * (1 + 1e-4) + 1e-6, coordinate
        assert not smooth or bound <= reached * (1 + 1e-3) + 1e-6, coordinate


def unit(length, d, j, k):
    row = np.zeros((length, d))
    row[j, k] = 1
    return row


@pytest.mark.parametrize(
    ("ours", "papers", "stream", "shown", "holds"),
    [
        (1, 2, None, "1", True), (2, 1, None, "2", False), (2, 2, None, "2", True), (2, 1, "1/2", "0.5", True),
        (2, 1, "3/2", "1.5", False), (2, 1, 3, "2", False), (2, 4, 3, "2", True), (None, None, "3/2", "1.5", None),
    ],
)  # fmt: skip
def test_the_smaller_of_two_bounds_is_set_against_that_of_the_papers(ours, papers, stream, shown, holds):
    """By constants or by words, whichever is less; without constants nothing is claimed."""
    parts = lambda: [SimpleNamespace(error=BothErrors(flint.fmpq(ours), flint.fmpq(papers)))]  # noqa: E731
    table = [] if ours is None else [(Ball(str(ours), "0"), Ball(str(papers), "0"))]
    reached = None
    if stream is not None:
        part = F(stream)
        reached = Moves(parts=[("layer 1", flint.arb(flint.fmpq(part.numerator, part.denominator)))])
    found, theirs, less = _ends(parts, table, reached, 20)
    assert (found.mid, less) == (shown, holds) and (theirs is None) == (ours is None)
