"""Whatever stands in a field of a block is taken, or refused in one sentence; blocks are values and have hashes.

A list of things that people pass by mistake goes through every field of every block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from families import together

import symcook as sc
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.modelfile import dumps, loads, model_hash
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Parameter, Transformer
from symcook.numbers.balls import Ball
from symcook.recipes import build

SPACE = Space(("x", "y"))
HEAD = Head(("x",), ("x",), [[0]], [[0]], [[1]])
NETWORK = FeedForward(("x",), ("x",), [[1]], [0], [[1]], [0])
NORM = LayerNorm(("x", "y"))
LAYER = Layer(SelfAttention((HEAD,)), NETWORK)
READOUT = Readout("value", "last", ("x",))
WORDS = Embedding(SPACE, words={"a": {"x": 1}})

BLOCKS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "space": (Space, {"names": ("x",)}),
    "feed-forward": (FeedForward, {"reads": ("x",), "writes": ("x",), "W1": [[1]], "b1": [0], "W2": [[1]], "b2": [0],
                                   "activation": "relu"}),
    "head": (Head, {"reads": ("x",), "writes": ("x",), "Q": [[1]], "K": [[1]], "V": [[1]], "mask": "none",
                    "weighting": "average", "temperature": 1, "scale": 1}),
    "attention": (SelfAttention, {"heads": (HEAD,)}),
    "norm": (LayerNorm, {"reads": ("x",), "writes": ("x",), "gain": [1], "bias": [0], "epsilon": 1, "projection": None,
                         "zero_variance": "zero"}),
    "layer": (Layer, {"attention": SelfAttention((HEAD,)), "feedforward": NETWORK, "attention_norms": (NORM,),
                      "feedforward_norms": (NORM,), "placement": "pre"}),
    "embedding of strings": (Embedding, {"space": SPACE, "words": {"a": {}, "b": {}}, "inputs": None,
                                       "positions": {"x": 1}, "start": 1, "before": "b", "after": None}),
    "embedding of inputs": (Embedding, {"space": SPACE, "words": None, "inputs": ("x",), "positions": {"x": 1},
                                        "start": 0, "before": None, "after": None}),
    "readout": (Readout, {"kind": "largest", "position": "last", "reads": ("x",), "weights": [[1], [2]],
                          "labels": ("a", "b")}),
    "sign readout": (Readout, {"kind": "sign", "position": "all", "reads": ("x",), "weights": [1], "labels": ()}),
    "symbol": (Parameter, {"name": "c", "default": 1, "lower": 0, "upper": 2, "lower_open": True, "upper_open": False}),
    "model": (Transformer, {"name": "m", "embedding": WORDS, "layers": (LAYER,), "readout": READOUT, "parameters": (),
                            "max_length": 5, "source": "s", "final_norm": None}),
}  # fmt: skip
FIELDS = [(block, field) for block, (_, fields) in BLOCKS.items() for field in fields]


def garbage() -> list[Any]:
    """Made anew each time: some of it can be read once only."""
    return [
        None, True, False, 0, -1, 2, 10**5000, -(10**5000), 1.5, float("nan"), float("inf"), 1j, Decimal("1.5"),
        "", "ab", "x y", "x", "none ", "1/0", "q(", "1e5", "x" * 50_000, "\ud800", "a\nb", "\0", b"x", bytearray(b"x"),
        (), [], {}, set(), frozenset({"x"}), [1], ["x"], [["x"]], [None], [[]], [[1, 2], [3]], [[[1]]], [1, [2]],
        ("x", "x"), ("x", 1), (1, 2), [object()], [{}], {"x": None}, {"x": []}, {1: 2}, {"a": "b"}, {"a": {"x": {}}},
        {"a": {1: 1}}, {"a": {"x": 0.5}}, {("x",): 1}, {"a": None}, {"z": 1}, range(3), object(), type, len,
        Exception("x"), lambda: 0, iter([1]), (name for name in "ab"), np.array(5), np.array([1]), np.zeros((2, 2)),
        np.zeros((0, 0)), np.array(["none", "past"]), np.array([[1.5]]), np.array([None]), np.float64(1),
        np.int64(1), np.nan,
        sympy.nan, sympy.I, sympy.oo, sympy.zoo, sympy.Symbol("x"), sympy.Symbol("a b"), sympy.true, sympy.Float(1),
        sympy.Matrix([[1]]), sympy.zeros(0, 0), sympy.Matrix([[sympy.I]]), sympy.Symbol("x") < 1, sympy.Function("f"),
        sympy.Lambda(sympy.Symbol("x"), 1), sympy.FiniteSet(1), sympy.Tuple(1, 2),
        SPACE, HEAD, NETWORK, NORM, LAYER, READOUT, WORDS, Parameter("c"), Space,
    ]  # fmt: skip


@together(("block", "field"), FIELDS)
def test_every_field_takes_a_value_or_refuses_it_in_one_sentence(block: str, field: str) -> None:
    make, fields = BLOCKS[block]
    made = make(**fields)
    assert hash(made) == hash(make(**fields)) and made == make(**fields)
    refused = 0
    for value in garbage():
        try:
            taken = make(**{**fields, field: value})
        except BadInput as error:
            refused += 1
            assert len(str(error)) < 500 and "\n" not in str(error) and str(error).endswith((".", "?")), error
        else:
            hash(taken)
            if isinstance(taken, Transformer):
                assert loads(dumps(taken)) == taken
    assert refused > len(garbage()) / 2


@together(
    ("block", "field", "value"),
    [
        ("feed-forward", "reads", (1,)),
        ("head", "mask", np.array(["none", "past"])),
        ("readout", "labels", (1, 2)),
        ("symbol", "lower_open", 1),
        ("symbol", "upper_open", "no"),
        ("model", "name", 5),
        ("model", "source", None),
        ("model", "max_length", True),
        ("model", "final_norm", "post"),
        ("model", "parameters", ("c",)),
        ("embedding of strings", "start", True),
        ("embedding of strings", "before", ["b"]),
        ("embedding of strings", "positions", "i"),
        ("embedding of strings", "words", ("a", "a")),
        ("embedding of strings", "words", "xz"),
        ("embedding of strings", "space", ("x",)),
        ("embedding of inputs", "inputs", 0),
    ],
)
def test_what_looks_right_and_is_not(block: str, field: str, value: Any) -> None:
    make, fields = BLOCKS[block]
    with pytest.raises(BadInput):
        make(**{**fields, field: value})


@pytest.mark.parametrize("name", ["dyck-1", "average", "gtzero", "lookup-quadratic", "first-position"])
def test_equal_models_have_equal_hashes_and_can_be_keys(name: str) -> None:
    model, again = build(name), loads(dumps(build(name)))
    assert model == again and hash(model) == hash(again) and model_hash(model) == model_hash(again)
    assert len({model, again}) == 1 and {model: 1}[again] == 1
    other = replace(model, name="other")
    assert other != model and len({model, other}) == 2


def test_tokens_alone_are_one_hot() -> None:
    def one_hot(words: Any) -> Embedding:
        return Embedding(SPACE, words=words)

    assert one_hot("xy") == one_hot({"x": {"x": 1}, "y": {"y": 1}}) == one_hot(("x", "y"))
    assert one_hot("xy").alphabet == ("x", "y")
    with pytest.raises(BadInput, match="coordinate"):
        one_hot("xz")
    with pytest.raises(BadInput, match="twice"):
        one_hot("xx")


def test_a_coordinate_may_have_the_name_of_a_function_but_a_symbol_or_an_input_may_not() -> None:
    """Symbols and inputs stand in formulas, where the name would read as a function without arguments."""
    space = Space(("cos", "exp", "relu"))
    head = Head(("cos",), ("exp",), [[1]], [[1]], [[2]], mask="future", weighting="leftmost")
    layer = Layer(SelfAttention((head,)), FeedForward(("exp",), ("relu",), [[1]], [0], [[1]], [0]))
    model = Transformer(
        "names", Embedding(space, words={"a": {"cos": 3}}), (layer,), Readout("value", "last", ("relu", "cos"))
    )
    assert loads(dumps(model)) == model
    for domain in ("exact", "float64", "mpmath"):
        assert {name: float(value) for name, value in model.run("aa", domain).output.items()} == {"relu": 6, "cos": 3}
    for name in ("sum", "if", "pi", "all", "Int", "i", "n", "logit", "2x"):
        with pytest.raises(BadInput, match="coordinate's name"):
            Space((name,))
    for name in ("cos", "max"):
        with pytest.raises(BadInput):
            Parameter(name)
        with pytest.raises(BadInput):
            Embedding(Space((name,)), inputs=(name,))


def test_a_symbol_of_sympy_is_the_symbol_of_that_name_whatever_it_assumes() -> None:
    plain, positive = sympy.Symbol("i"), sympy.Symbol("c", positive=True)
    embedding = Embedding(SPACE, words={"a": {}}, positions={"x": plain * positive})
    model = Transformer("m", embedding, (LAYER,), READOUT, (Parameter("c", default=3),))
    assert model == loads(dumps(model)) and model.bind().parameters == ()
    assert model.bind().embedding.positions["x"] == 3 * model.symbols["i"]


def test_numbers_of_other_libraries_are_read_alike_everywhere() -> None:
    """A weight, the argument of a bound, a value of a sweep, and what a ball is compared with."""
    for two in (2, Fraction(2), sympy.Integer(2), np.int64(2), np.uint8(2), np.array(2)):
        b = sc.Builder(words={"a": {"v": two}, "b": {"v": 1}})
        b.readout("sign", "last", ["v"], weights=[two])
        assert b.build("m").embedding.words["a"]["v"] == 2  # type: ignore[index]
        assert sc.bound("softmax-hardmax", n=two, gamma=1).to_json()["parameters"]["n"] == 2
        assert sc.bound("softmax-hardmax", n=[two, 3], gamma=1).values[0] == "2"
        assert Ball("2", "0") == two
    for none in (True, np.bool_(True), np.float64(2), 2.0, sympy.Float(2)):
        with pytest.raises(BadInput):
            sc.bound("softmax-hardmax", n=none, gamma=1)
