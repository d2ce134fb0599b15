"""Construction checks of spaces and blocks, each with the wrong value that it is there for."""

import dataclasses
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pytest
import sympy
from families import together

from symcook.errors import BadInput
from symcook.model.checks import Space, matrix
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.symbols import exact, fraction
from symcook.model.transformer import Parameter, Transformer
from symcook.recipes import build

SPACE = Space(("a", "b", "c"))
NETWORK = FeedForward(("a", "b"), ("c",), [[1, 0], [0, 1]], [0, 0], [[1, -1]], [0])
HEAD = Head(("a", "b"), ("c",), Q=[[1, 0]], K=[[0, 1]], V=[[1, 1]])
READOUT = Readout("value", "last", ("c",))
WORDS = {"x": {"a": 1}, "y": {"b": "1/2"}}


def network(**change):
    facts = {"reads": ("a", "b"), "writes": ("c",), "W1": [[1, 0], [0, 1]], "b1": [0, 0], "W2": [[1, -1]], "b2": [0]}
    return FeedForward(**(facts | change))


def head(**change):
    facts = {"reads": ("a", "b"), "writes": ("c",), "Q": [[1, 0]], "K": [[0, 1]], "V": [[1, 1]]}
    return Head(**(facts | change))


def norm(**change):
    return LayerNorm(**({"reads": ("a", "b", "c")} | change))


def projected(**change):
    return norm(**({"writes": ("u", "v"), "projection": [[1, 0, 0], [0, 1, "1/2"]]} | change))


def embedding(**change):
    return Embedding(**({"space": SPACE, "words": WORDS} | change))


def transformer(**change):
    facts = {"name": "m", "embedding": embedding(), "layers": (Layer(None, NETWORK),), "readout": READOUT}
    return Transformer(**(facts | change))


def parameter(**change):
    return Parameter(**({"name": "eps", "default": "1/4", "lower": 0, "upper": 1} | change))


def test_the_unchanged_blocks_are_accepted():
    for make in (network, head, norm, projected, embedding, transformer, parameter):
        assert make() == make()


WRONG = {
    "a space without coordinates": lambda: Space(()),
    "a coordinate twice": lambda: Space(("a", "a")),
    "a coordinate called i": lambda: Space(("i",)),
    "a coordinate called n": lambda: Space(("n",)),
    "a coordinate called logit": lambda: Space(("logit",)),
    "a coordinate that is no identifier": lambda: Space(("2x",)),
    "a coordinate with a dot": lambda: Space(("a.b",)),
    "a coordinate that is a number": lambda: Space((1,)),
    "routing to a coordinate that is not there": lambda: SPACE.routing(("d",)),
    "reads as text": lambda: network(reads="a"),
    "reads twice": lambda: network(reads=("a", "a")),
    "writes twice": lambda: network(writes=("c", "c"), W2=[[1, 1], [1, 1]], b2=[0, 0]),
    "W1 too narrow": lambda: network(W1=[[1], [0]]),
    "W1 with rows of different length": lambda: network(W1=[[1, 0], [1]]),
    "W1 too short": lambda: network(W1=[[1, 0]]),
    "W2 too wide": lambda: network(W2=[[1, -1, 0]]),
    "b2 too long": lambda: network(b2=[0, 0]),
    "a float in W1": lambda: network(W1=[[0.5, 0], [0, 1]]),
    "a sympy Float in W1": lambda: network(W1=sympy.Matrix([[sympy.Float(0.5), 0], [0, 1]])),
    "a bool in b1": lambda: network(b1=[True, 0]),
    "infinity in b1": lambda: network(b1=[sympy.oo, 0]),
    "an imaginary weight": lambda: network(b1=[sympy.I, 0]),
    "None in W2": lambda: network(W2=[[None, 1]]),
    "code in W2": lambda: network(W2=[["__import__('os')", 1]]),
    "an unknown activation": lambda: network(activation="gelu-erf"),
    "Q and K of different depth": lambda: head(Q=[[1, 0], [0, 1]]),
    "V too narrow": lambda: head(V=[[1]]),
    "an unknown mask": lambda: head(mask="hidden"),
    "an unknown weighting": lambda: head(weighting="hard"),
    "a scale of zero": lambda: head(scale=0),
    "a scale of a symbol": lambda: head(scale="s"),
    "a temperature of zero": lambda: head(temperature=0),
    "a temperature as float": lambda: head(temperature=0.5),
    "no heads": lambda: SelfAttention(()),
    "a temperature below zero": lambda: head(temperature="-1/2"),
    "a network among the heads": lambda: SelfAttention((HEAD, NETWORK)),
    "a norm of nothing": lambda: LayerNorm(()),
    "a norm that reads a coordinate twice": lambda: LayerNorm(("a", "a")),
    "a gain that is too short": lambda: norm(gain=[1, 1]),
    "a bias that is too long": lambda: norm(bias=[0, 0, 0, 0]),
    "a gain as float": lambda: norm(gain=[1.0, 1, 1]),
    "a negative epsilon": lambda: norm(epsilon="-1/10^9"),
    "an epsilon as float": lambda: norm(epsilon=1e-5),
    "an unknown outcome of zero variance": lambda: norm(zero_variance="nan"),
    "writes of a norm without projection": lambda: norm(writes=("x", "y", "z")),
    "a projection that is too wide": lambda: projected(projection=[[1, 0, 0, 0], [0, 1, 0, 0]]),
    "a projection that is too short": lambda: projected(projection=[[1, 0, 0]]),
    "a projection as float": lambda: projected(projection=[[0.5, 0, 0], [0, 1, 0]]),
    "a gain of the projection's other side": lambda: projected(gain=[1, 1, 1]),
    "an unknown placement": lambda: Layer(HEAD, attention_norms=(norm(),), placement="before"),
    "a norm without placement": lambda: Layer(HEAD, attention_norms=(norm(),)),
    "a placement without norm": lambda: Layer(HEAD, placement="pre"),
    "a norm for an attention that is not there": lambda: Layer(None, NETWORK, (norm(),), (norm(),), placement="post"),
    "a norm for one part of two": lambda: Layer(HEAD, NETWORK, (norm(),), (), placement="post"),
    "two norms before": lambda: Layer(HEAD, attention_norms=(norm(), norm()), placement="pre"),
    "no norm for several": lambda: Layer(HEAD, attention_norms=(), placement="multi pre"),
    "a projection where there is none": lambda: Layer(HEAD, attention_norms=(projected(),), placement="pre"),
    "a projection after": lambda: Layer(HEAD, attention_norms=(projected(),), placement="post"),
    "no projection where there is one": lambda: Layer(HEAD, attention_norms=(norm(),), placement="projected pre"),
    "two projections to one name": lambda: Layer(
        HEAD, attention_norms=(projected(), projected()), placement="multi pre"
    ),
    "a head for a norm": lambda: Layer(HEAD, attention_norms=(HEAD,), placement="pre"),
    "a norm over part of the residual stream": lambda: transformer(
        layers=(Layer(HEAD, attention_norms=(LayerNorm(("a", "b")),), placement="pre"),)
    ),
    "a norm outside the space": lambda: transformer(
        layers=(Layer(HEAD, attention_norms=(projected(reads=("a", "b", "d")),), placement="projected pre"),)
    ),
    "a head that reads what the norm does not write": lambda: transformer(
        layers=(Layer(HEAD, attention_norms=(projected(),), placement="projected pre"),)
    ),
    "a final norm over part of the residual stream": lambda: transformer(final_norm=LayerNorm(("a", "c"))),
    "a final norm with a projection": lambda: transformer(final_norm=projected()),
    "an undeclared epsilon": lambda: transformer(final_norm=norm(epsilon="delta")),
    "an undeclared gain in a layer": lambda: transformer(
        layers=(Layer(None, NETWORK, (), (norm(gain=["g", 1, 1]),), "pre"),)
    ),
    "i in the gain of a norm": lambda: transformer(final_norm=norm(gain=["i", 1, 1])),
    "an added token that is no string": lambda: embedding(before="BOS"),
    "an end that is no string": lambda: embedding(after="EOS"),
    "an added token without strings": lambda: Embedding(SPACE, inputs=("a",), before="x"),
    "nothing left to type": lambda: embedding(before="x", after="y"),
    "an added token that a user types": lambda: transformer(embedding=embedding(before="x")).tokens("xy"),
    "a string too long with its added token": lambda: transformer(embedding=embedding(before="x"), max_length=2).tokens(
        "yy"
    ),
    "largest without labels": lambda: Readout("largest", "last", ("c",), [[1], [2]]),
    "largest without weights": lambda: Readout("largest", "last", ("c",), labels=("p", "q")),
    "labels that do not fit the weights": lambda: Readout("largest", "last", ("c",), [[1], [2]], ("p", "q", "r")),
    "a label twice": lambda: Readout("distribution", "last", ("c",), [[1], [2]], ("p", "p")),
    "labels of a sign": lambda: Readout("sign", "last", ("c",), [[1]], ("p",)),
    "labels of a value": lambda: Readout("value", "last", ("c",), labels=("p",)),
    "the largest at all positions": lambda: Readout("largest", "all", ("c",), [[1], [2]], ("p", "q")),
    "a distribution at all positions": lambda: Readout("distribution", "all", ("c",), [[1], [2]], ("p", "q")),
    "an empty layer": lambda: Layer(),
    "a network for an attention": lambda: Layer(network()),
    "a head for a network": lambda: Layer(None, HEAD),
    "a number for a head": lambda: SelfAttention((1,)),
    "neither words nor inputs": lambda: embedding(words=None),
    "strings and inputs": lambda: embedding(inputs=("a",)),
    "no tokens": lambda: embedding(words={}),
    "a token with white space": lambda: embedding(words={"a b": {}}),
    "an empty token": lambda: embedding(words={"": {}}),
    "a token at an unknown coordinate": lambda: embedding(words={"x": {"d": 1}}),
    "a float in a token": lambda: embedding(words={"x": {"a": 0.1}}),
    "an unknown input": lambda: Embedding(SPACE, inputs=("d",)),
    "an unknown position coordinate": lambda: embedding(positions={"d": "i"}),
    "a position as float": lambda: embedding(positions={"a": 0.5}),
    "positions from 2": lambda: embedding(start=2),
    "positions from a float": lambda: embedding(start=1.0),
    "an unknown readout": lambda: Readout("maximum", "last", ("c",)),
    "an unknown place": lambda: Readout("value", "middle", ("c",)),
    "a readout of nothing": lambda: Readout("zero", "last", ()),
    "a sign without weights": lambda: Readout("sign", "last", ("c",)),
    "a zero test with weights": lambda: Readout("zero", "last", ("c",), weights=[[1]]),
    "weights of another width": lambda: Readout("sign", "last", ("c",), weights=[[1, 2]]),
    "a value at all positions": lambda: Readout("value", "all", ("c",)),
    "a symbol called n": lambda: parameter(name="n"),
    "a symbol called relu": lambda: parameter(name="relu"),
    "a symbol with a space": lambda: parameter(name="e ps"),
    "a default above the interval": lambda: parameter(default=2),
    "a default at the open side": lambda: parameter(default=0),
    "a default as float": lambda: parameter(default=0.5),
    "a bound with a symbol": lambda: parameter(upper="c"),
    "an interval upside down": lambda: parameter(default=None, lower=2),
    "an interval of one open end": lambda: parameter(default=None, lower=1),
    "a network that writes outside the space": lambda: transformer(layers=(Layer(None, network(writes=("d",))),)),
    "a head that reads outside the space": lambda: transformer(layers=(Layer(head(reads=("a", "d"))),)),
    "a readout outside the space": lambda: transformer(readout=Readout("value", "last", ("d",))),
    "an undeclared symbol in a weight": lambda: transformer(layers=(Layer(None, network(b1=["eps", 0])),)),
    "an undeclared symbol in a token": lambda: transformer(embedding=embedding(words={"x": {"a": "eps"}})),
    "an undeclared symbol in a temperature": lambda: transformer(layers=(Layer(head(temperature="tau")),)),
    "an undeclared symbol in a readout": lambda: transformer(readout=Readout("sign", "last", ("c",), weights=["t"])),
    "i in a weight": lambda: transformer(layers=(Layer(None, network(b1=["i", 0])),)),
    "n in a token": lambda: transformer(embedding=embedding(words={"x": {"a": "1/n"}})),
    "a symbol declared twice": lambda: transformer(parameters=(parameter(), parameter())),
    "a symbol named as a coordinate": lambda: transformer(parameters=(parameter(name="a"),)),
    "a maximum length of 0": lambda: transformer(max_length=0),
    "a maximum length as text": lambda: transformer(max_length="8"),
    "a maximum length as bool": lambda: transformer(max_length=True),
    "a value outside the interval": lambda: transformer(parameters=(parameter(),)).bind({"eps": 2}),
    "a value of an undeclared symbol": lambda: transformer().bind({"eps": 1}),
    "a symbolic value": lambda: transformer(parameters=(parameter(),)).bind({"eps": "t"}),
    "no value": lambda: transformer(parameters=(parameter(default=None),)).bind(),
    "a string of a foreign symbol": lambda: transformer().tokens("xz"),
    "the empty string": lambda: transformer().tokens(""),
    "a string that is too long": lambda: transformer(max_length=2).tokens("xyx"),
    "a string for rows": lambda: build("average").tokens("xy"),
    "rows for strings": lambda: transformer().rows([{"a": 1}]),
    "no rows": lambda: build("average").rows([]),
    "a row without its input": lambda: build("average").rows([{}]),
    "a row with a foreign input": lambda: build("average").rows([{"x": 1, "y": 2}]),
    "a row with a float": lambda: build("average").rows([{"x": 0.5}]),
    "two rows for one position": lambda: build("zero").rows([{"x": 1}, {"x": 2}]),
    "an irrational number as a Fraction": lambda: fraction(sympy.sqrt(2)),
}


@together("what", WRONG)
def test_a_wrong_value_is_refused_in_one_sentence(what):
    with pytest.raises(BadInput) as caught:
        WRONG[what]()
    message = str(caught.value)
    assert "\n" not in message and 10 < len(message) < 400 and message[-1] in ".?"


def test_typos_name_the_nearest():
    with pytest.raises(BadInput, match="did you mean balance"):
        build("dyck-1").space.require(["balanc"])
    with pytest.raises(BadInput, match="did you mean causal"):
        head(mask="futur")
    with pytest.raises(BadInput, match="did you mean eps"):
        build("gtzero").bind({"ep": 1})


def test_a_float_names_its_exact_alternative():
    with pytest.raises(BadInput, match="1/2"):
        network(b1=[0.5, 0])


def test_routing_reads_and_writes():
    """Lemma 8.1: R reads, its transpose writes; R times its transpose is the identity."""
    route = SPACE.routing(("c", "a"))
    assert route.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert (route * route.T).tolist() == [[1, 0], [0, 1]]
    assert "b" in SPACE and "d" not in SPACE and len(SPACE) == 3 and list(SPACE) == ["a", "b", "c"]


def test_numbers_may_be_given_in_four_ways():
    ways = [[1, "1/2"], [sympy.Integer(1), Fraction(1, 2)], ["2/2", sympy.Rational(1, 2)]]
    first, *others = [network(b1=way) for way in ways]
    assert all(other == first for other in others)
    assert matrix(sympy.Matrix([[1, 2]]), (1, 2), "M") == matrix([1, 2], (1, 2), "M") == matrix([[1, 2]], (1, 2), "M")
    assert network(W1=[], b1=[], W2=[[]]).hidden == 0


def test_blocks_are_frozen():
    model = transformer()
    for block, name in ((model, "name"), (NETWORK, "W1"), (HEAD, "mask"), (SPACE, "names"), (READOUT, "kind")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(block, name, None)
    assert isinstance(model.embedding.words, MappingProxyType)
    with pytest.raises(TypeError):
        model.embedding.words["z"] = {}
    with pytest.raises(TypeError):
        NETWORK.W1[0, 0] = 5


def test_what_a_caller_changes_later_does_not_reach_a_block():
    words, rows = {"x": {"a": 1}}, [[1, 0], [0, 1]]
    made, net = embedding(words=words), network(W1=rows)
    words["x"]["a"] = 7
    words["y"] = {}
    rows[0][0] = 7
    assert made.words == {"x": {"a": 1}} and net.W1[0, 0] == 1


def test_scale_of_the_definition_and_uniform_heads():
    """Definition 2.3 divides by the root of the key dimension."""
    assert head(Q=[[1, 0], [0, 1]], K=[[1, 0], [0, 1]], scale="1/sqrt(d_key)").scale == 1 / sympy.sqrt(2)
    assert head(scale="1/sqrt(d_key)").scale == 1
    assert head(Q=[[0, 0]]).uniform and head(K=[[0, 0]]).uniform and not HEAD.uniform
    assert not head(Q=[[0, 0], [1, 0]], K=[[1, 1], [1, 0]]).uniform
    assert head(Q=[[0, 0], [1, 0]], K=[[1, 1], [0, 0]]).uniform


def test_parameters_say_their_interval_and_keep_to_it():
    eps = Parameter("eps", lower=0, upper="1/16")
    assert eps.region == "0 < eps & eps <= 1/16"
    assert eps.check("1/16") == sympy.Rational(1, 16)
    for value in (0, "-1", "1/15"):
        with pytest.raises(BadInput, match="1/16"):
            eps.check(value)
    closed = Parameter("t", lower=0, upper=1, lower_open=False, upper_open=True)
    assert closed.region == "0 <= t & t < 1"
    assert closed.check(0) == 0
    with pytest.raises(BadInput):
        closed.check(1)
    assert Parameter("t").region == "true" and Parameter("t").check(-5) == -5
    assert Parameter("t", lower="sqrt(2)").check("3/2") == sympy.Rational(3, 2)


def test_binding_replaces_symbols_and_keeps_the_rest():
    model = transformer(
        embedding=embedding(words={"x": {"a": "eps"}}, positions={"b": "i*eps"}),
        layers=(Layer(head(temperature="eps/n", V=[["eps", 1]]), network(b2=["1/eps"])),),
        readout=Readout("sign", "last", ("c",), weights=["eps"]),
        parameters=(parameter(), Parameter("t", default=3)),
    )
    bound = model.bind({"eps": "1/2"}, require=False)
    assert [p.name for p in bound.parameters] == ["t"]
    i, n = bound.symbols["i"], bound.symbols["n"]
    assert bound.embedding.words["x"]["a"] == sympy.Rational(1, 2)
    assert bound.embedding.positions["b"] == i / 2
    attention = bound.layers[0].attention
    assert attention.heads[0].temperature == 1 / (2 * n) and attention.heads[0].V.tolist() == [
        [sympy.Rational(1, 2), 1]
    ]
    assert bound.layers[0].feedforward.b2[0] == 2 and bound.readout.weights[0] == sympy.Rational(1, 2)
    assert model.bind().parameters == () and model.bind().readout.weights[0] == sympy.Rational(1, 4)
    assert model.parameters[0].name == "eps"


def test_norms_stand_with_their_blocks():
    """A norm alone may stand for the tuple of one; parts come in the order of the forward pass."""
    inside = head(reads=("u", "v"))
    layer = Layer(inside, None, projected(), placement="projected pre")
    assert layer == Layer(inside, None, (projected(),), (), "projected pre")
    both = Layer(HEAD, NETWORK, norm(), norm(epsilon=1), "post")
    assert [type(part).__name__ for part in both.parts()] == ["LayerNorm", "Head", "LayerNorm", "FeedForward"]
    assert transformer(layers=(layer, both), final_norm=norm()).layers[1].feedforward_norms[0].epsilon == 1
    several = Layer(inside, None, (projected(writes=("u", "x")), projected(writes=("v", "y"))), placement="multi pre")
    assert transformer(layers=(several,)).layers[0].placement == "multi pre"
    assert norm().gain.tolist() == [[1]] * 3 and norm().bias.tolist() == [[0]] * 3 and norm().writes == ("a", "b", "c")


def test_binding_reaches_every_head_and_norm():
    layer = Layer(SelfAttention((HEAD, head(V=[["eps", 1]]))), None, norm(gain=["eps", 1, 1]), placement="pre")
    model = transformer(
        layers=(layer,), final_norm=norm(epsilon="eps", bias=[0, "eps", 0]), parameters=(parameter(),)
    ).bind({"eps": "1/3"})
    third = sympy.Rational(1, 3)
    assert model.layers[0].attention.heads[1].V[0] == third and model.layers[0].attention_norms[0].gain[0] == third
    assert model.final_norm.epsilon == third and model.final_norm.bias[1] == third and not model.parameters


def test_binding_leaves_alone_what_has_no_symbol():
    """Parts without the symbol stay the same objects, with what was worked out of them."""
    mixed = Layer(SelfAttention((HEAD, head(V=[["eps", 1]]))), NETWORK)
    model = transformer(
        embedding=embedding(positions={"b": "1/i"}),
        layers=(Layer(HEAD, NETWORK), mixed),
        readout=Readout("sign", "last", ("c",), weights=["sqrt(2)"]),
        final_norm=norm(),
        parameters=(parameter(),),
    )
    bound = model.bind({"eps": "1/3"})
    assert bound.layers[0] is model.layers[0] and bound.layers[1] is not mixed
    assert bound.layers[1].attention.heads[0] is HEAD and bound.layers[1].feedforward is NETWORK
    assert bound.layers[1].attention.heads[1].V.tolist() == [[sympy.Rational(1, 3), 1]]
    assert bound.embedding is model.embedding and bound.readout is model.readout
    assert bound.final_norm is model.final_norm and bound.parameters == ()


def test_added_tokens_are_not_typed():
    model = transformer(embedding=embedding(words={"^": {}, "x": {"a": 1}, "$": {}}, before="^", after="$"))
    assert model.alphabet == ("x",) and model.embedding.added == 2
    assert model.tokens("xx") == ("^", "x", "x", "$") and model.tokens("") == ("^", "$")
    with pytest.raises(BadInput, match="alphabet"):
        model.tokens("^x")


def test_a_single_head_may_stand_for_its_attention():
    assert Layer(HEAD) == Layer(SelfAttention((HEAD,)))
    assert [type(part) for part in Layer(HEAD, NETWORK).parts()] == [Head, FeedForward]


def test_what_a_model_says_of_itself():
    assert build("gtzero").pointwise and not build("average").pointwise and not build("lookup-quadratic").pointwise
    assert build("dyck-1").decides and not build("first-position").decides
    assert build("dyck-1").alphabet == ("(", ")") and build("average").alphabet == ()
    assert build("dyck-1").tokens(["(", ")"]) == ("(", ")")


def test_parts_in_the_wrong_place_are_refused() -> None:
    space = Space(("v", "m"))
    head: Any = Head(("v",), ("m",), [[0]], [[0]], [[1]])
    block: Any = FeedForward(("v",), ("m",), [[1]], [0], [[1]], [0])
    embedding, readout = Embedding(space, words={"a": {"v": 1}}), Readout("value", "last", ("m",))
    for layers in (head, Layer(head), (head,), (block,), (Layer(head), SelfAttention((head,)))):
        with pytest.raises(BadInput, match="layers must be a tuple of layers; given: "):
            Transformer("m", embedding, layers, readout)
    with pytest.raises(BadInput, match="attention of a layer must be a SelfAttention; given: FeedForward"):
        Layer(block)
    with pytest.raises(BadInput, match="feedforward of a layer must be a FeedForward or a GatedUnits; given: Head"):
        Layer(None, head)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Head(("x",), ("x",), Q=1, K=[[1]], V=[[1]]),
        lambda: Head(("x",), ("x",), Q=[[1]], K=[[1]], V=None),
        lambda: FeedForward(("x",), ("x",), [[1]], 0, [[1]], [0]),
        lambda: FeedForward(("x",), ("x",), "1", [0], [[1]], [0]),
    ],
)
def test_what_is_no_matrix_is_refused_in_one_sentence(make) -> None:
    with pytest.raises(BadInput, match="must be a matrix"):
        make()


@pytest.mark.parametrize("make", [lambda: Space("vm"), lambda: Embedding(Space(("v",)), words="ab"),
                                  lambda: Embedding(Space(("v",)), words={"a": 1})])  # fmt: skip
def test_text_and_numbers_are_no_names_and_no_words(make) -> None:
    with pytest.raises(BadInput):
        make()


def test_integer_arrays_are_matrices_and_floats_are_exact_only_where_it_is_said() -> None:
    """0.1 in float64 is 3602879701896397/2^55, and no number near it."""
    import numpy as np

    tenth = Fraction(3602879701896397, 2**55)
    block = FeedForward(("x", "y"), ("z",), np.array([[1, -2]]), np.array([3]), np.array([[4]]), np.array([0]))
    assert block == FeedForward(("x", "y"), ("z",), [[1, -2]], [3], [[4]], [0])
    floats = {"W1": np.array([[0.1, -0.5]]), "b1": [0.1], "W2": np.array([[1.0]]), "b2": np.zeros(1)}
    with pytest.raises(BadInput, match="must be exact, not an array of floats"):
        FeedForward(("x", "y"), ("z",), **floats)
    assert FeedForward(("x", "y"), ("z",), **floats, exact=True) == FeedForward(
        ("x", "y"), ("z",), [[tenth, "-1/2"]], [tenth], [[1]], [0]
    )
    head = Head(("x",), ("z",), [[0.1]], [[1]], [[0.5]], weighting="softmax", temperature=0.25, exact=True)
    assert (head.Q[0, 0], head.temperature) == (exact(tenth), exact("1/4"))
    assert LayerNorm(("x", "y"), epsilon=0.1, gain=np.array([0.5, 2]), exact=True).epsilon == exact(tenth)
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(BadInput, match="exact"):
            Head(("x",), ("z",), [[wrong]], [[1]], [[1]], exact=True)
    with pytest.raises(BadInput, match="shape"):
        FeedForward(("x", "y"), ("z",), np.array([1, 2, 3]), [3], [[4]], [0])


def test_a_readout_says_which_kind_it_is_where_another_is_needed() -> None:
    READOUT.require("something must be shown", ("value", "zero"))
    with pytest.raises(BadInput, match="something must be decided; given: a readout of kind value; choose another"):
        READOUT.require("something must be decided", ("sign", "zero"), "choose another")
