"""Each composition equals what it composes: symbolically, and exactly on all short words for generated models."""

import dataclasses
import itertools
import runpy
from fractions import Fraction

import dense
import mpmath
import pytest
import sympy
from checkout import ROOT
from families import together
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symcook.compose import (
    Builder,
    cancel_residual,
    identity_layer,
    pad,
    parallel,
    rename,
    reverse,
    route,
    serial,
    single_head,
    widen,
)
from symcook.derivation import derive
from symcook.domains import make_domain
from symcook.errors import BadInput
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.modelfile import dumps, load, loads
from symcook.model.parts import MASKS, FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.symbols import symbol
from symcook.model.transformer import Parameter, Transformer
from symcook.recipes import build
from symcook.spec.languages import dyck1

EXAMPLE = ROOT / "examples" / "compose.py"
LONGEST = 4
COORDINATES = ("a", "b", "c")
generated = settings(
    max_examples=10, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def words(longest=LONGEST, letters="xy"):
    return [word for n in range(1, longest + 1) for word in itertools.product(letters, repeat=n)]


def stream(model, sequence, kind="exact"):
    """All coordinates at every position after the last layer: a list of {coordinate: value}."""
    if model.embedding.words is not None:
        sequence = model.tokens(sequence)
    result = forward(model, sequence, make_domain(kind), trace=True, weights=False)
    return [
        {name: result.domain.read(column, place) for name, column in result.stream.items()}
        for place in result.everywhere
    ]


def kept(rows, names):
    """Rows with some coordinates only, under new names where `names` is a mapping."""
    names = names if isinstance(names, dict) else {name: name for name in names}
    return [{new: row[old] for old, new in names.items()} for row in rows]


# --- generated models ------------------------------------------------------------------------------------------------

number = st.sampled_from([0, 0, 1, -1, 2, Fraction(1, 2)])


def table(rows, columns):
    return st.lists(st.lists(number, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


def some(names):
    return st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True).map(tuple)


@st.composite
def heads(draw, names):
    reads, writes, d = draw(some(names)), draw(some(names)), draw(st.integers(1, 2))
    Q, K, V = draw(table(d, len(reads))), draw(table(d, len(reads))), draw(table(len(writes), len(reads)))
    weighting = draw(st.sampled_from(["average", "leftmost", "rightmost"]))
    return Head(reads, writes, Q, K, V, draw(st.sampled_from(MASKS)), weighting)


@st.composite
def networks(draw, names):
    reads, writes, h = draw(some(names)), draw(some(names)), draw(st.integers(1, 2))
    flat = [draw(table(h, len(reads))), draw(table(h, 1)), draw(table(len(writes), h)), draw(table(len(writes), 1))]
    return FeedForward(reads, writes, *flat, draw(st.sampled_from(["relu", "relu", "step"])))


@st.composite
def layers(draw, names):
    found = draw(st.lists(heads(names), max_size=3))
    network = draw(networks(names)) if not found or draw(st.booleans()) else None
    return Layer(SelfAttention(tuple(found)) if found else None, network)


@st.composite
def models(draw, names=COORDINATES, inputs=None, deepest=2, start=None):
    positions = {names[-1]: draw(st.sampled_from(["i", "n - i", "1/(i + 1)", "(-1)^i"]))} if draw(st.booleans()) else {}
    rows = {token: {names[0]: draw(number), names[1]: draw(number)} for token in "xy"} if inputs is None else None
    first = draw(st.integers(0, 1)) if start is None else start
    return Transformer(
        "generated",
        Embedding(Space(names), rows, inputs, positions, first),
        tuple(draw(st.lists(layers(names), max_size=deepest))),
        Readout("value", draw(st.sampled_from(["first", "last", "each"])), (names[0], names[1])),
    )


@pytest.mark.sweep
def test_the_generated_models_are_what_the_independent_pass_computes():
    """So that equality in `forward` below is equality of what the definitions say."""

    @generated
    @given(models(), models(names=("b", "c", "d")))
    def check(one, two):
        for model in (one, parallel(one, two), reverse(one), single_head(one)):
            for word in words(3):
                assert stream(model, word) == dense.run(model, word, dense.rational)

    check()


# --- serial ----------------------------------------------------------------------------------------------------------


@generated
@given(models(), models(names=("a", "b", "d"), inputs=("a", "b")))
@pytest.mark.sweep
def test_serial_is_the_second_on_what_the_first_leaves(first, second):
    both = serial(first, second)
    assert len(both.layers) == len(first.layers) + len(second.layers)
    assert both.embedding.start == first.embedding.start
    for word in words():
        below = stream(first, word)
        above = stream(second, [{name: _number(row[name]) for name in ("a", "b")} for row in below])
        together = stream(both, word)
        assert kept(together, second.space) == above
        assert kept(together, ("c",)) == kept(below, ("c",))
    assert both.readout == second.readout


def _number(value):
    return sympy.Rational(int(value.numerator), int(value.denominator))


@generated
@given(models(), layers(COORDINATES), layers(COORDINATES))
def test_serial_takes_layers_and_is_associative(model, one, two):
    assert serial(serial(model, one), two).layers == serial(model, (one, two)).layers == (*model.layers, one, two)


PAIRS = [("min", "clip"), ("add", "identity"), ("gtzero", "cpwl"), ("subtract", "scale"), ("max", "eqzero")]


@pytest.mark.layer_one(1, 3)
@pytest.mark.parametrize(("inner", "outer"), PAIRS)
def test_serial_of_feed_forward_recipes_derives_to_the_substituted_closed_form(inner, outer):
    """In the names of the inputs and of all symbols, by the cases of the outer one's closed form."""
    first = rename(build(inner), {"out": "middle"})
    second = rename(build(outer), {"x": "middle"})
    second = rename(second, symbols={p.name: f"{p.name}2" for p in second.parameters})
    both = serial(first, second)
    got = derive(both).expressions["out"]
    inside = derive(first).expressions["middle"]
    wanted = derive(second).expressions["out"].subs(symbol("middle"), inside)
    free = sorted(wanted.free_symbols, key=str)
    assert free
    assert {s.name for s in free} >= {s.name for s in inside.free_symbols}
    values = [sympy.Rational(k, 3) for k in range(-4, 5)]
    for point in itertools.islice(itertools.product(values, repeat=len(free)), 0, None, 7):
        here = dict(zip(free, point, strict=True))
        if all(here[s] > 0 for s in free if s.name.startswith(("eps", "delta"))):
            assert got.subs(here) == wanted.subs(here)
    if not got.has(sympy.Max):
        assert sympy.expand(got - wanted) == 0


def test_serial_unites_position_functions_that_both_have():
    first = _positioned({"one": 1}, ("x",), "y")
    second = _positioned({"one": 1}, ("y",), "z")
    both = serial(first, second)
    assert both.space.names == ("x", "one", "y", "z")
    assert both.run([{"x": 5}]).output == {"z": "7"}


def _positioned(positions, inputs, output):
    """output = inputs[0] + one, through relu(v) - relu(-v)."""
    space = Space((*inputs, *positions, output))
    block = FeedForward((inputs[0], "one"), (output,), [[1, 1], [-1, -1]], [0, 0], [[1, -1]], [0])
    return Transformer(
        "m", Embedding(space, inputs=inputs, positions=positions), (Layer(None, block),),
        Readout("value", "each", (output,)),
    )  # fmt: skip


@pytest.mark.parametrize(("one", "two", "both"), [(5, 8, 5), (8, 5, 5), (None, 6, 6), (6, None, 6), (None, None, None)])
def test_the_greatest_length_of_a_composition_is_the_lesser(one, two, both):
    first = dataclasses.replace(build("average"), max_length=one)
    second = dataclasses.replace(rename(build("prefix-average"), {"x": "mean", "mean": "again"}), max_length=two)
    assert serial(first, second).max_length == both
    assert parallel(first, dataclasses.replace(build("prefix-average"), max_length=two)).max_length == both


def test_serial_keeps_a_pre_norm_to_the_coordinates_that_it_had():
    """A norm over the whole stream becomes a projected one where the stream grows, and gives the same values."""
    first = _normed("pre", ("a", "b"))
    both = serial(first, rename(build("identity"), {"x": "a"}))
    assert {layer.placement for layer in both.layers} == {"projected pre", "none"}
    for word in words(3):
        assert kept(stream(both, word), first.space) == stream(first, word)


def _normed(placement, names):
    norm = LayerNorm(names, epsilon=1, gain=[2] * len(names), bias=[1] * len(names))
    block = FeedForward(names[:1], names[1:2], [[1]], [0], [[1]], [1])
    return Transformer(
        placement,
        Embedding(Space(names), {"x": {names[0]: 1}, "y": {names[0]: 3}}),
        (Layer(None, block, feedforward_norms=norm, placement=placement),),
        Readout("value", "each", names),
    )


# --- parallel --------------------------------------------------------------------------------------------------------


@generated
@given(models(deepest=3), models(names=("b", "c", "d"), deepest=1), st.booleans())
def test_parallel_is_both_side_by_side_at_every_position(first, second, stacked):
    """Equation (40), with unequal depth, start and shared names."""
    both = parallel(first, second, stacked=stacked)
    swapped = parallel(second, first, suffixes=("_2", "_1"), stacked=stacked)
    one = {"a": "a", "b": "b_1", "c": "c_1"}
    two = {"b": "b_2", "c": "c_2", "d": "d"}
    deeper = max(len(first.layers), len(second.layers))
    split = any(_activations(layers) == 2 for layers in itertools.zip_longest(first.layers, second.layers))
    if stacked:
        assert len(both.layers) == 2 * deeper
    elif not split:
        assert len(both.layers) == deeper
    for word in words():
        together = stream(both, word)
        assert kept(together, list(one.values())) == kept(stream(first, word), one)
        assert kept(together, list(two.values())) == kept(stream(second, word), two)
        assert stream(swapped, word) == together


def _activations(level):
    return len({layer.feedforward.activation for layer in level if layer is not None and layer.feedforward is not None})


def test_parallel_attention_symbolically():
    """Uniform attention with symbols for weights: closed forms at every position of all words to length 3."""
    first, second = _uniform("p", "q", "future"), _uniform("r", "s", "none")
    both = parallel(first, second)
    for word in words(3):
        for place in range(len(word)):
            got, one, two = (_closed(model, word, place) for model in (both, first, second))
            assert got == {f"{c}_1": v for c, v in one.items()} | {f"{c}_2": v for c, v in two.items()}


def _uniform(u, v, mask):
    head = Head(("token", "place"), ("mean",), Q=[[0, 0]], K=[[0, 0]], V=[[u, v]], mask=mask)
    space = Space(("token", "place", "mean"))
    return Transformer(
        "uniform",
        Embedding(space, {"x": {"token": u}, "y": {"token": -1}}, positions={"place": "i"}),
        (Layer(SelfAttention((head,)), FeedForward(("mean",), ("place",), [[v]], [u], [[1]], [0])),),
        Readout("value", "each", space.names),
        (Parameter(u), Parameter(v)),
    )


def _closed(model, word, place):
    """The coordinates at a position as sympy expressions in the model's symbols."""
    domain = make_domain("symbolic", parameters=model.parameters, inputs=())
    result = forward(model, model.tokens(word), domain)
    return {name: domain.read(column, place) for name, column in result.columns().items()}


def test_parallel_of_recipes_shares_their_inputs():
    both = parallel(build("min"), build("max"))
    assert both.embedding.inputs == ("x", "y")
    assert both.readout.reads == ("out_1", "out_2")
    forms = derive(both).expressions
    assert forms["out_1"] == derive(build("min")).expressions["out"]
    assert forms["out_2"] == derive(build("max")).expressions["out"]


def test_parallel_splits_a_level_with_two_activations():
    step = rename(build("identity"), {"out": "up"})
    step = dataclasses.replace(
        step, layers=(Layer(None, FeedForward(("x",), ("up",), [[1]], [0], [[1]], [0], "step")),)
    )
    both = parallel(build("identity"), step)
    assert [layer.feedforward.activation for layer in both.layers] == ["relu", "step"]
    assert both.run({"x": 3}).output == {"out": "3", "up": "1"}


def test_parallel_keeps_the_readout_of_one_model_or_takes_another():
    first, second = build("dyck-1"), build("dyck-1")
    assert parallel(first, second, readout="second").readout.reads == ("total_2", "balance_2")
    mine = Readout("zero", "last", ("total_1",))
    assert parallel(first, second, readout=mine).readout == mine
    shown = parallel(first, second).readout
    assert (shown.kind, shown.position) == ("value", "last")


def test_parallel_shares_a_symbol_that_both_declare_alike():
    both = parallel(build("dyck-1-nonuniform", N=9), build("dyck-1-nonuniform", N=9), readout="first")
    assert [p.name for p in both.parameters] == ["eps"]
    assert both.max_length == 9
    assert len(both.layers) == 3
    assert [both.run(w).accept for w in ("(())", "())(")] == [True, False]


@pytest.mark.parametrize(
    ("one", "two", "both"),
    [("first", "last", "each"), ("last", "first", "each"), ("first", "first", "first"), ("last", "last", "last"),
     ("each", "each", "each"), ("each", "last", "each"), ("first", "each", "each")],
)  # fmt: skip
def test_parallel_looks_where_both_look_or_everywhere(one, two, both):
    first, second = (
        dataclasses.replace(build("prefix-average"), readout=Readout("value", position, ("mean",)))
        for position in (one, two)
    )
    joint = parallel(first, second)
    assert joint.readout.position == both
    rows = [{"x": 1}, {"x": 3}]
    last = {"first": "1", "last": "2", "each": "2"}[both]
    assert joint.run(rows).output == {"mean_1": last, "mean_2": last}
    deciding = dataclasses.replace(build("dyck-1"), readout=Readout("zero", "all", ("total",)))
    assert parallel(deciding, deciding).readout.position == "each"


# --- routing ---------------------------------------------------------------------------------------------------------

NETWORK = FeedForward(("a", "b"), ("c",), [["u", 1], [0, "v"]], ["u", 0], [[1, "v"]], ["u"])
ROUTED = [[2, 0, -1], [0, "v", 1]]
SENT = [["u"], [1], [0]]


def _matrix(rows):
    return sympy.Matrix([[sympy.sympify(e, {"u": symbol("u"), "v": symbol("v")}) for e in row] for row in rows])


def test_routing_of_a_network_symbolically():
    """L ff(R x) for symbols everywhere, against the matrices multiplied out by hand."""
    block = route(NETWORK, reads=("p", "q", "r"), right=ROUTED, writes=("s", "t", "o"), left=SENT)
    assert (block.reads, block.writes) == (("p", "q", "r"), ("s", "t", "o"))
    x = sympy.Matrix(sympy.symbols("p q r", real=True))
    relu = sympy.Function("relu")

    def output(network, inside):
        hidden = (network.W1 * inside + network.b1).applyfunc(lambda e: relu(sympy.expand(e)))
        return (network.W2 * hidden + network.b2).applyfunc(sympy.expand)

    wanted = _matrix(SENT) * output(NETWORK, _matrix(ROUTED) * x)
    assert output(block, x) == wanted.applyfunc(sympy.expand)


HEAD = Head(("a", "b"), ("c",), Q=[["u", 1]], K=[[1, "v"]], V=[["v", -1]], mask="future", weighting="softmax")


def test_routing_of_a_head_symbolically():
    """The same scores and values from R x, with L on the values: for two positions with symbols for coordinates."""
    head = route(HEAD, reads=("p", "q", "r"), right=ROUTED, writes=("s", "t", "o"), left=SENT)
    assert (head.mask, head.weighting) == ("future", "softmax")
    x, y = (sympy.Matrix(sympy.symbols(f"p{k} q{k} r{k}", real=True)) for k in (1, 2))
    R, L = _matrix(ROUTED), _matrix(SENT)
    score = ((HEAD.Q * R * x).T * (HEAD.K * R * y))[0]
    assert sympy.expand(((head.Q * x).T * (head.K * y))[0] - score) == 0
    assert (head.V * y - L * (HEAD.V * R * y)).applyfunc(sympy.expand).is_zero_matrix


def test_routing_of_attention_routes_every_head_over_the_names_of_all():
    other = Head(("b", "d"), ("e",), Q=[[0, 0]], K=[[0, 0]], V=[[1, 2]])
    routed = route(SelfAttention((HEAD, other)), reads=("x", "y", "z"), writes=("out", "more"))
    assert [h.reads for h in routed.heads] == [("x", "y", "z")] * 2
    assert sympy.Matrix([[0, 0, 0], [0, 1, 2]]) == routed.heads[1].V


@generated
@given(models(), st.permutations(COORDINATES))
def test_routing_by_a_permutation_is_renaming(model, order):
    """Every block routed to permuted names, on a permuted embedding, is the model under other names."""
    names = dict(zip(COORDINATES, order, strict=True))

    def to(part):
        return route(part, reads=[names[c] for c in part.reads], writes=[names[c] for c in part.writes])

    moved = rename(model, names)
    built = tuple(
        Layer(
            layer.attention and SelfAttention(tuple(to(h) for h in layer.attention.heads)),
            layer.feedforward and to(layer.feedforward),
        )
        for layer in model.layers
    )
    assert moved.layers == built
    for word in words(3):
        assert stream(moved, word) == kept(stream(model, word), names)


def test_routing_repeats_and_drops_names():
    block = route(NETWORK, reads=("x", "x"), writes=(None,))
    assert block.reads == ("x",)
    assert _matrix([["u + 1"], ["v"]]) == block.W1
    assert block.writes == ()
    zero = route(NETWORK, reads=(None, "x"))
    assert _matrix([[1], ["v"]]) == zero.W1


@pytest.mark.parametrize("name", ["cpwl", "clip", "gtzero", "scale", "identity"])
def test_cancel_residual_symbolically(name):
    """x + f'(x) = f(x) in x and every symbol, for a recipe routed onto its own input."""
    model = build(name)
    block = route(model.layers[0].feedforward, writes=("x",))
    cancelled = dataclasses.replace(
        model,
        embedding=Embedding(Space(("x",)), inputs=("x",)),
        layers=(Layer(None, cancel_residual(block)),),
        readout=Readout("value", "last", ("x",)),
    )
    assert derive(cancelled).expressions["x"] == derive(model).expressions["out"]


def test_cancel_residual_has_the_printed_matrices():
    block = FeedForward(("x",), ("x",), [["u"]], ["v"], [["u"]], ["v"])
    cancelled = cancel_residual(block)
    assert _matrix([["u"], [1], [-1]]) == cancelled.W1
    assert cancelled.b1 == _matrix([["v"], [0], [0]])
    assert _matrix([["u", -1, 1]]) == cancelled.W2
    assert cancelled.b2 == _matrix([["v"]])


@pytest.mark.parametrize("activation", ["gelu", "gelu-tanh", "gelu-sigmoid"])
def test_cancel_residual_holds_for_every_gelu(activation):
    block = FeedForward(("x", "z"), ("y", "x"), [[1, 2]], [0], [[1], [-1]], ["1/3", 0], activation)
    row = {"x": "2/3", "y": 5, "z": "-1/7"}

    def run(network):
        model = Transformer(
            "m", Embedding(Space(("x", "y", "z")), inputs=("x", "y", "z")), (Layer(None, network),),
            Readout("value", "last", ("x", "y")),
        )  # fmt: skip
        return dense.run(model, [row], dense.decimal(50))[0]

    plain, cancelled = run(block), run(cancel_residual(block))
    with mpmath.workdps(50):
        assert abs(cancelled["x"] - (plain["x"] - mpmath.mpf(2) / 3)) < 1e-45
        assert abs(cancelled["y"] - (plain["y"] - 5)) < 1e-45
    assert cancelled["z"] == plain["z"]


# --- width, depth, reversal, heads -----------------------------------------------------------------------------------


@generated
@given(models(), st.integers(0, 2), st.integers(0, 2))
def test_padding_changes_no_value(model, deeper, wider):
    padded = pad(model, depth=len(model.layers) + deeper, width=3 + wider)
    assert (len(padded.layers), len(padded.space)) == (len(model.layers) + deeper, 3 + wider)
    for word in words(3):
        rows = stream(padded, word)
        assert kept(rows, COORDINATES) == stream(model, word)
        assert all(row[name] == 0 for row in rows for name in padded.space if name.startswith("unused"))


def test_widening_keeps_a_pre_norm_and_refuses_a_post_norm():
    model = _normed("pre", ("a", "b"))
    for word in words(3):
        assert kept(stream(widen(model, ("z",)), word), ("a", "b")) == stream(model, word)
    with pytest.raises(BadInput, match="cannot get more coordinates"):
        widen(_normed("post", ("a", "b")), ("z",))


@generated
@given(models())
def test_reversed_is_the_model_on_the_reversed_word(model):
    backwards = reverse(model)
    assert stream(reverse(backwards), ("x", "y", "y")) == stream(model, ("x", "y", "y"))
    for word in words():
        assert stream(backwards, word) == stream(model, word[::-1])[::-1]
        result, mirror = backwards.run(word), model.run(word[::-1])
        assert result.output == mirror.output or model.readout.position == "each"


def test_reversed_symbolically_with_temperature_and_added_tokens():
    """A temperature in i, CLS in front and position functions from 0: closed forms in the symbol, mirrored."""
    head = Head(("a", "at"), ("b",), Q=[[1, 0]], K=[[0, 1]], V=[["c", 1]], weighting="average")
    soft = Head(("at",), ("b",), Q=[[0]], K=[[0]], V=[["c"]], mask="past", weighting="softmax", temperature="i + n")
    model = Transformer(
        "m",
        Embedding(Space(("a", "b", "at")), {"^": {}, "x": {"a": 1}, "y": {"a": -1}}, None, {"at": "i^2/n"}, 0, "^"),
        (Layer(SelfAttention((head, soft))),),
        Readout("value", "first", ("b",)),
        (Parameter("c", lower=0),),
    )
    backwards = reverse(model)
    assert (backwards.embedding.before, backwards.embedding.after) == (None, "^")
    assert backwards.layers[0].attention.heads[1].mask == "future"
    for word in words(3):
        values = {"c": "2/3"}
        assert backwards.run(word, values=values).output == model.run(word[::-1], values=values).output


def test_reversal_mirrors_the_temperature():
    model = Transformer(
        "m",
        Embedding(Space(("a", "b")), {"x": {"a": 1}, "y": {"a": 2}}),
        (Layer(Head(("a",), ("b",), [[1]], [[1]], [[1]], "strict-future", "softmax", temperature="i")),),
        Readout("value", "each", ("b",)),
    )
    for word in words(3):
        ours = dense.run(reverse(model), word, dense.decimal(40))
        theirs = dense.run(model, word[::-1], dense.decimal(40))[::-1]
        with mpmath.workdps(40):
            assert all(abs(a["b"] - b["b"]) < 1e-35 for a, b in zip(ours, theirs, strict=True))


@generated
@given(models())
def test_single_heads_leave_every_coordinate_as_the_layer_does(model):
    single = single_head(model)
    assert all(layer.attention is None or len(layer.attention.heads) == 1 for layer in single.layers)
    for word in words():
        rows = stream(single, word)
        assert kept(rows, COORDINATES) == stream(model, word)
        assert all(row[name] == 0 for row in rows for name in single.space if name not in COORDINATES)


CROSSED = (
    Head(("a",), ("b",), Q=[[0]], K=[[0]], V=[["u"]], mask="strict-future"),
    Head(("b",), ("a",), Q=[[0]], K=[[0]], V=[["v"]]),
    Head(("a", "b"), ("a", "c"), Q=[[0, 0]], K=[[0, 0]], V=[[1, "u"], ["v", 1]], mask="past"),
)
"""Each head reads what another one writes, so that no order of them is right."""


def _crossed(attention, network=None):
    return Transformer(
        "crossed",
        Embedding(Space(COORDINATES), {"x": {"a": "u", "b": 1}, "y": {"b": "v"}}, positions={"c": "i"}),
        (Layer(attention, network),),
        Readout("value", "each", COORDINATES),
        (Parameter("u"), Parameter("v")),
    )


def test_single_heads_of_crossed_heads_symbolically():
    """With symbols for weights and tokens, where no order of the heads is right and new coordinates are needed."""
    uncrossed = tuple(dataclasses.replace(h, mask="none" if h.mask != "none" else "future") for h in CROSSED)
    model = _crossed(SelfAttention(uncrossed), FeedForward(("c",), ("a",), [["u"]], [0], [[1]], ["v"]))
    single = single_head(model)
    assert len(single.layers) == 4
    assert len(single.space) == 3 + 4
    for word in words(2):
        for place in range(len(word)):
            got, wanted = _closed(single, word, place), _closed(model, word, place)
            assert {c: sympy.simplify(v - wanted[c]) for c, v in got.items()} == dict.fromkeys(COORDINATES, 0)


def test_stacking_crossed_heads_naively_is_wrong():
    """What the new coordinates are for: one layer a head in the given order computes something else."""
    values = {"u": 1, "v": 2}
    model = _crossed(SelfAttention(CROSSED)).bind(values)
    naive = dataclasses.replace(model, layers=tuple(Layer(head) for head in model.layers[0].attention.heads))
    word = ("x", "y")
    assert stream(naive, word) != stream(model, word)
    assert kept(stream(single_head(model), word), COORDINATES) == stream(model, word)


def test_single_heads_of_a_layer_avoid_taken_names():
    stack = single_head(Layer(SelfAttention(CROSSED)), taken=("b_head1",))
    assert stack[0].attention.heads[0].writes == ("b_head1_2",)
    assert len(stack) == 3
    one = Layer(CROSSED[0])
    assert single_head(one) == (one,)


def test_independent_heads_are_stacked_without_new_coordinates():
    pair = (CROSSED[0], Head(("a",), ("b",), Q=[[1]], K=[[1]], V=[[1]]))
    stack = single_head(Layer(SelfAttention(pair)))
    assert [layer.attention.heads for layer in stack] == [(pair[0],), (pair[1],)]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("placement", ["pre", "projected pre"])
def test_single_heads_under_a_pre_norm(placement):
    projection = None if placement == "pre" else [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    norm = LayerNorm(COORDINATES, epsilon=1, projection=projection, writes=COORDINATES)
    network = FeedForward(("a",), ("c",), [[1]], [0], [[1]], [0])
    layer = Layer(SelfAttention(CROSSED), network, norm, norm, placement)
    model = dataclasses.replace(_crossed(CROSSED[0]), layers=(layer,)).bind({"u": 1, "v": 2})
    single = single_head(model)
    for word in words(3):
        ours = dense.run(single, word, dense.decimal(40))
        theirs = dense.run(model, word, dense.decimal(40))
        with mpmath.workdps(40):
            assert all(abs(a[c] - b[c]) < 1e-35 for a, b in zip(ours, theirs, strict=True) for c in COORDINATES)


def test_single_heads_refuse_a_post_norm_without_a_harmless_order():
    norm = LayerNorm(COORDINATES, epsilon=1)
    crossed = Layer(SelfAttention(CROSSED), None, norm, placement="post")
    with pytest.raises(BadInput, match="cannot get more coordinates"):
        single_head(crossed)
    pair = SelfAttention((CROSSED[0], CROSSED[0]))
    stack = single_head(Layer(pair, None, norm, placement="post"))
    assert [layer.placement for layer in stack] == ["none", "post"]


# --- renaming --------------------------------------------------------------------------------------------------------


def test_renaming_of_coordinates_and_symbols():
    model = rename(build("dyck-1-nonuniform"), {"token": "step"}, symbols={"eps": "tolerance"}, name="mine")
    assert model.name == "mine"
    assert model.space.names[0] == "step"
    assert [p.name for p in model.parameters] == ["tolerance"]
    assert model.run("()", values={"tolerance": "1/5000"}).accept is True


def test_renaming_with_a_final_norm():
    """A norm without projection and one with names of its own, at the end of the model."""
    block = FeedForward(("a",), ("b",), [[1]], [0], [[3]], [-1])
    whole = LayerNorm(("a", "b"), epsilon=1, gain=[2, 3], bias=[0, 1])
    model = dataclasses.replace(_normed("pre", ("a", "b")), layers=(Layer(None, block),), final_norm=whole)
    moved = rename(model, {"a": "p", "b": "q"})
    assert (moved.final_norm.reads, moved.final_norm.writes) == (("p", "q"), ("p", "q"))
    for word in words(2):
        assert stream(moved, word) == kept(stream(model, word), {"a": "p", "b": "q"})


def test_padding_the_width_alone_and_the_depth_alone():
    wide, deep = pad(build("dyck-1"), width=7), pad(build("dyck-1"), depth=4)
    assert (len(wide.space), len(wide.layers)) == (7, 2) and (len(deep.space), len(deep.layers)) == (4, 4)
    for word in ("()", ")(", "(())", "(("):
        assert wide.run(word).accept == deep.run(word).accept == dyck1(word)


def test_renaming_leaves_the_names_inside_a_projected_norm():
    norm = LayerNorm(("a", "b"), ("a", "u"), epsilon=1, projection=[[1, 0], [1, 1]])
    block = FeedForward(("a", "u"), ("b",), [[1, 1]], [0], [[1]], [0])
    model = dataclasses.replace(
        _normed("pre", ("a", "b")), layers=(Layer(None, block, feedforward_norms=norm, placement="projected pre"),)
    )
    moved = rename(model, {"a": "b", "b": "a"})
    for word in words(2):
        assert stream(moved, word) == kept(stream(model, word), {"a": "b", "b": "a"})


# --- the builder -----------------------------------------------------------------------------------------------------


@st.composite
def builders(draw):
    """A program of random steps, each on coordinates of earlier ones."""
    b = Builder(words={"x": {"c0": 1}, "y": {"c0": -2}}, positions={"c1": "i"})
    names = ["c0", "c1"]
    for step in range(draw(st.integers(1, 6))):
        reads, new = draw(some(names)), (f"s{step}",)
        if draw(st.booleans()):
            V = draw(table(1, len(reads)))
            Q, K = draw(table(1, len(reads))), draw(table(1, len(reads)))
            b.attention(new, reads, Q=Q, K=K, V=V, mask=draw(st.sampled_from(MASKS)))
        else:
            W1, b1, W2 = draw(table(2, len(reads))), draw(table(2, 1)), draw(table(1, 2))
            b.feedforward(new, reads, W1=W1, b1=b1, W2=W2, activation=draw(st.sampled_from(["relu", "relu", "step"])))
        names += new
    b.readout("value", "each", names)
    return b


@generated
@given(builders())
def test_packed_steps_compute_what_they_compute_one_after_the_other(b):
    packed, plain = b.build("packed"), b.build("plain", packed=False)
    assert len(packed.layers) <= len(plain.layers)
    for word in words():
        assert stream(packed, word) == stream(plain, word)


def example(name):
    """A function of examples/compose.py."""
    return runpy.run_path(str(EXAMPLE))[name]


def _least_depth(model):
    """The least number of layers, from an unpacked model: the longest chain of steps, two places to a layer."""
    place = {}
    for layer in model.layers:
        (block,) = [part for part in layer.parts()]
        at = max((place[name] + 1 for name in block.reads if name in place), default=0)
        is_network = isinstance(block, FeedForward)
        while at % 2 != is_network:
            at += 1
        place |= {name: max(at, place.get(name, 0)) for name in block.writes}
    return max(place.values()) // 2 + 1


@generated
@given(builders())
def test_the_depth_is_the_longest_chain_where_one_activation_is_used(b):
    plain = b.build("plain", packed=False)
    activations = {layer.feedforward.activation for layer in plain.layers if layer.feedforward is not None}
    if len(activations) < 2:
        assert len(b.build("packed").layers) == _least_depth(plain)


@pytest.mark.sweep
def test_the_builder_makes_dyck_1_nonuniform_in_its_three_layers():
    model, recipe = example("brackets")(8), build("dyck-1-nonuniform", N=8)
    assert len(model.layers) == len(recipe.layers) == 3
    assert model.parameters == recipe.parameters
    for word in words(6, "()"):
        assert model.run(word).accept == recipe.run(word).accept == dyck1("".join(word))
    for word in ("(())", ")(", "(()"):
        got, wanted = derive(model, word), derive(recipe, word)
        assert (got.output, got.accept) == (wanted.output, wanted.accept)


def test_independent_steps_stand_side_by_side_and_an_attention_shares_a_layer_with_the_network_after_it():
    b = Builder(inputs=("x",), positions={"place": "i"})
    b.attention("mean", "x")
    b.attention("upto", "place", mask="future")
    b.recipe("low", "min", reads={"x": "mean", "y": "upto"})
    b.recipe("high", "max", reads={"x": "mean", "y": "upto"})
    b.attention("more", ("mean", "x"), V=[[1, 1]])
    b.readout("value", "each", ("low", "high", "more"))
    model = b.build("m")
    assert [(len(layer.attention.heads), layer.feedforward is not None) for layer in model.layers] == [
        (2, True),
        (1, False),
    ]
    assert loads(dumps(model)) == model
    assert model.run([{"x": 4}, {"x": 0}]).outputs[1] == {"low": "3/2", "high": "2", "more": "4"}


def test_a_boolean_program_of_recipes_on_all_bits():
    """(p & q) | ~(q & r), with the ands side by side."""
    model = example("program")()
    assert len(model.layers) == 3
    for p, q, r in itertools.product((0, 1), repeat=3):
        assert model.run({"p": p, "q": q, "r": r}).output == {"either": str(int((p and q) or not (q and r)))}


def test_a_step_does_not_move_before_one_that_reads_what_it_writes():
    """out = max(0, m2 + c) reads c before x is added to c, although x is there earlier than m2."""
    one = Layer(Head(("x",), ("m",), Q=[[0]], K=[[0]], V=[[1]]))
    two = Layer(
        Head(("m",), ("m2",), Q=[[0]], K=[[0]], V=[[1]]), FeedForward(("m2", "c"), ("out",), [[1, 1]], [0], [[1]], [0])
    )
    three = Layer(None, FeedForward(("x",), ("c",), [[1]], [0], [[1]], [0]))
    space = Space(("x", "m", "m2", "c", "out"))
    model = Transformer("m", Embedding(space, inputs=("x",)), (one, two, three), Readout("value", "each", ("out", "c")))
    b = Builder(inputs=("x",))
    b.recipe(("out", "c"), model)
    b.readout("value", "each", ("out", "c"))
    rows = [{"x": 1}, {"x": 5}]
    assert b.build("m").run(rows).outputs == model.run(rows).outputs == [{"out": "3", "c": "1"}, {"out": "3", "c": "5"}]


def test_two_inputs_of_a_recipe_may_be_one_coordinate():
    """x + x = 2 x, in the name of the input."""
    b = Builder(inputs=("x",))
    b.recipe("twice", "add", reads={"x": "x", "y": "x"})
    b.readout("value", "last", "twice")
    assert derive(b.build("m")).expressions["twice"] == 2 * symbol("x")


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    out = capsys.readouterr().out
    assert "its mirror image: )( is accepted" in out
    assert example("brackets")(16) == load(tmp_path / "brackets.json")
    assert all(example("balanced")("".join(word)) == dyck1("".join(word)) for word in words(6, "()"))


@generated
@given(models(names=("a", "b", "c", "d"), inputs=("a",), start=0))
def test_inlining_any_model_equals_the_model(model):
    """Heads of a layer that read what others of the layer write see the stream before it."""
    changed = {name for layer in model.layers for part in layer.parts() for name in part.writes}
    if "a" in changed or "a" in model.embedding.positions:
        model = rename(model, {"a": "fed"})
        model = dataclasses.replace(model, embedding=dataclasses.replace(model.embedding, inputs=("b",)))
        if "b" in changed or "b" in model.embedding.positions:
            return
        source = "b"
    else:
        source = "a"
    outputs = tuple(name for name in model.space if name != source)
    model = dataclasses.replace(model, readout=Readout("value", "each", outputs))
    b = Builder(inputs=("given",), start=1)
    b.recipe([f"out_{name}" for name in outputs], model, reads={source: "given"})
    b.readout("value", "each", [f"out_{name}" for name in outputs])
    inlined = b.build("inlined")
    for values in itertools.product((-1, 0, 2), repeat=3):
        ours = stream(inlined, [{"given": sympy.Integer(v)} for v in values])
        theirs = stream(model, [{source: sympy.Integer(v)} for v in values])
        assert kept(ours, [f"out_{n}" for n in outputs]) == kept(theirs, {n: f"out_{n}" for n in outputs})


# --- bad input -------------------------------------------------------------------------------------------------------


def _builder():
    b = Builder(words={"x": {"a": 1}, "y": {}})
    b.attention("m", "a")
    return b


CLS = Transformer(
    "cls", Embedding(Space(("p", "q")), {"x": {}, "y": {"q": 1}}, before="x"), (), Readout("value", "last", ("p",))
)
PLAIN = Transformer(
    "plain", Embedding(Space(("p", "q")), {"x": {}, "y": {"q": 1}}), (), Readout("zero", "last", ("p",))
)
SAME = Transformer(
    "same", Embedding(Space(("x",)), inputs=("x",)), (identity_layer("x"),), Readout("value", "each", ("x",))
)
SAME_P = rename(SAME, {"x": "p"})
PLACED = Embedding(Space(("p",)), inputs=("p",), positions={"p": "i"})
WRITES = Transformer(
    "writes",
    Embedding(Space(("x", "out")), inputs=("x",)),
    (Layer(None, FeedForward(("x",), ("x", "out"), [[1]], [0], [[1], [2]], [0, 0])),),
    Readout("value", "last", ("out",)),
)
REFUSED = {
    "a second model that takes strings": (lambda: serial(PLAIN, PLAIN), "must read inputs"),
    "an input that the first has not": (
        lambda: serial(PLAIN, rename(build("identity"), {"x": "pp"})),
        "did you mean p",
    ),
    "a coordinate that is taken": (
        lambda: serial(PLAIN, rename(build("identity"), {"x": "p", "out": "q"})),
        "or new",
    ),
    "a position function that the first writes to": (
        lambda: serial(
            serial(_positioned({"one": 1}, ("x",), "y"), identity_layer("one")), _positioned({"one": 1}, ("y",), "z")
        ),
        "a position function of both",
    ),
    "a layer on other coordinates": (lambda: serial(PLAIN, identity_layer("qq")), "did you mean q"),
    "a norm before the end": (
        lambda: serial(dataclasses.replace(PLAIN, final_norm=LayerNorm(("p", "q"), epsilon=1)), identity_layer("q")),
        "must not end in a norm",
    ),
    "a post-norm in a wider stream": (
        lambda: serial(_normed("post", ("a", "b")), rename(build("identity"), {"x": "a"})),
        "cannot get more coordinates",
    ),
    "norms in parallel": (
        lambda: parallel(_normed("pre", ("a", "b")), PLAIN),
        "models in parallel must have no layer norm",
    ),
    "a final norm in parallel": (
        lambda: parallel(PLAIN, dataclasses.replace(PLAIN, final_norm=LayerNorm(("p", "q"), epsilon=1))),
        "models in parallel must have no layer norm",
    ),
    "other tokens": (lambda: parallel(PLAIN, build("dyck-1")), "the same alphabet"),
    "strings next to inputs": (lambda: parallel(PLAIN, build("average")), "both read strings"),
    "another added token": (lambda: parallel(PLAIN, CLS), "add the same special tokens"),
    "a shared input that is written": (lambda: parallel(build("identity"), SAME), "neither model may write"),
    "suffixes that collide": (lambda: parallel(PLAIN, PLAIN, suffixes=("_", "_")), "must still differ"),
    "two symbols of one name": (
        lambda: parallel(build("dyck-1-nonuniform", N=8), build("dyck-1-nonuniform", N=9)),
        "one default and one region",
    ),
    "a readout of neither": (lambda: parallel(PLAIN, PLAIN, readout="frist"), "did you mean first"),
    "a matrix of the wrong shape": (lambda: route(NETWORK, reads=("x",), right=[[1, 2]]), "must have shape 2 x 1"),
    "a left matrix of the wrong shape": (
        lambda: route(HEAD, writes=("x", "y"), left=[[1, 2]]),
        "must have shape 2 x 1",
    ),
    "too few names": (lambda: route(NETWORK, reads=("x",)), "a name for each of the 2"),
    "names twice next to a matrix": (lambda: route(NETWORK, reads=("x", "x"), right=[[1, 2], [1, 2]]), "different"),
    "text for names": (lambda: route(NETWORK, reads="ab"), "write \\('ab',\\)"),
    "the residual of a step": (
        lambda: cancel_residual(dataclasses.replace(NETWORK, activation="step")),
        "must satisfy x",
    ),
    "a depth below the model's": (lambda: pad(build("dyck-1"), depth=1), "at least 2"),
    "a width that is no integer": (lambda: pad(PLAIN, width="3"), "must be an integer"),
    "a coordinate that exists": (lambda: widen(PLAIN, ("q",)), "different names"),
    "an old name that does not exist": (lambda: rename(PLAIN, {"pq": "r"}), "did you mean"),
    "one name for two": (lambda: rename(PLAIN, {"p": "q"}), "different names"),
    "a symbol that does not exist": (
        lambda: rename(build("dyck-1-nonuniform"), symbols={"epps": "e"}),
        "did you mean eps",
    ),
    "a step that writes twice": (lambda: _builder().attention("m", "a"), "must write new coordinates; given: m"),
    "a step that reads what is not there": (lambda: _builder().attention("z", "mm"), "did you mean m"),
    "queries without keys": (lambda: _builder().attention("z", "a", Q=[[1]]), "given together"),
    "a copy of two to one": (lambda: _builder().attention("z", ("a", "m")), "as many coordinates"),
    "a model without readout": (lambda: _builder().build("z"), "must have a readout"),
    "a readout of nothing": (lambda: _builder().readout("value", "last", "mean"), "must be a known name"),
    "a recipe with strings": (lambda: _builder().recipe("z", "dyck-1"), "must take numeric inputs"),
    "a recipe that writes onto its input": (lambda: _builder().recipe("z", SAME), "must write new"),
    "a recipe that writes an input which it does not show": (
        lambda: _builder().recipe("z", WRITES, reads={"x": "a"}),
        "writes x",
    ),
    "an input of the second that is a position too": (
        lambda: serial(PLAIN, dataclasses.replace(SAME_P, embedding=PLACED)),
        "one of its position functions",
    ),
    "a recipe with a wrong input": (lambda: _builder().recipe("z", "min", reads={"xx": "a"}), "did you mean x"),
    "a recipe's input that is not there": (lambda: _builder().recipe("z", "min"), "must be a known name"),
    "a symbol out of its region": (
        lambda: _builder().recipe("z", "gtzero", reads={"x": "a"}, values={"eps": 0}),
        "0 < eps",
    ),
    "a symbol that is not declared": (
        lambda: _builder().recipe("z", "gtzero", reads={"x": "a"}, values={"eps": "e"}),
        "before it is used",
    ),
    "outputs without a name": (lambda: _builder().recipe((), "gtzero", reads={"x": "a"}), "a name for each output"),
    "a recipe that decides": (
        lambda: _builder().recipe(
            "z", dataclasses.replace(build("identity"), readout=Readout("zero", "last", ("out",))), reads={"x": "a"}
        ),
        "readout of values",
    ),
}


@together("case", REFUSED)
def test_what_does_not_fit_is_refused_in_one_sentence(case):
    act, text = REFUSED[case]
    with pytest.raises(BadInput, match=text) as caught:
        act()
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize("words", [{}, [], ""])
def test_a_builder_needs_a_token(words: object) -> None:
    with pytest.raises(BadInput, match="words must have at least one token; given: none; give words="):
        Builder(words=words)  # type: ignore[arg-type]
