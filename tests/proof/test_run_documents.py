"""Documents whose relation is refused, or read by itself: names that would mean something else, sorts, lengths and
powers."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from typing import Any

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.model.expr import parse_term
from symcook.model.modelfile import to_document
from symcook.model.rationals import rational
from symcook.proof.runrel import Relation, _readable, expand


def document(**more: Any) -> dict[str, Any]:
    """A network over numbers: y = relu(2 x)."""
    network = sc.FeedForward(("x",), ("y",), [[2]], [[0]], [[1]], [[0]])
    embedding = sc.Embedding(sc.Space(("x", "y")), inputs=("x",), **more)
    model = sc.Transformer("mine", embedding, (sc.Layer(None, network),), sc.Readout("sign", "last", ("y",), [[1]]))
    return json.loads(json.dumps(to_document(model)))


def symbol(name: str) -> dict[str, Any]:
    return {"name": name, "lower": "0", "default": "1"}


@pytest.mark.parametrize("name", ["x", "i", "n", "w", "1a", "a b"])
def test_a_symbol_that_would_mean_something_else(name: str) -> None:
    """A coordinate, a word of the language, or no name at all."""
    found = document()
    Relation(found | {"symbols": [symbol("c")]})
    with pytest.raises(BadInput, match="a symbol in a statement must be a name of its own"):
        Relation(found | {"symbols": [symbol(name)]})


def test_what_is_read_and_written_is_there() -> None:
    for change in (
        lambda d: d["embedding"].update(inputs=["x", "z"]),
        lambda d: d["embedding"].update(positions={"z": "i"}),
        lambda d: d["readout"].update(reads=["z"]),
        lambda d: d["layers"][0]["feedforward"].update(reads=["z"]),
        lambda d: d["layers"][0]["feedforward"].update(writes=["z"]),
    ):
        found = document()
        change(found)
        with pytest.raises(BadInput, match="a block must read and write coordinates of the space"):
            Relation(found)


def test_a_norm_reads_what_is_there() -> None:
    norm = sc.LayerNorm(("x", "y"), ("u", "v"), projection=[[1, -1], [-1, 1]], epsilon=1)
    network = sc.FeedForward(("u", "v"), ("y",), [[2, 1]], [[0]], [[1]], [[0]])
    embedding = sc.Embedding(sc.Space(("x", "y")), inputs=("x",))
    layer = sc.Layer(None, network, (), (norm,), "projected pre")
    model = sc.Transformer("mine", embedding, (layer,), sc.Readout("value", "last", ("y",)))
    found = json.loads(json.dumps(to_document(model)))
    Relation(found)
    found["layers"][0]["feedforward_norms"][0]["reads"] = ["x", "z"]
    with pytest.raises(BadInput, match="the norms of its placement"):
        Relation(found)


def test_what_stands_at_each_position_is_a_function_of_it() -> None:
    """Without attention and positions, numbers stay numbers, and no length is in the relation."""
    plain, placed = document(), document(positions={"x": "i"})
    assert Relation(plain).sorts() == {"x": "Real", "y": "Real"}
    assert set(Relation(placed).sorts().values()) == {"Int->Real"} and len(Relation(placed).sorts()) == 3
    assert "n" not in Relation(plain | {"max_length": 5}).run().replace("min", "")
    assert "n <= 5" in Relation(placed | {"max_length": 5}).run()


def test_an_input_beside_a_position_has_a_name_of_its_own() -> None:
    (first,) = [name for name in Relation(document(positions={"x": "i"})).sorts() if name not in ("x", "y")]
    assert first == "z0_x" and f"{first}(i) = x(i) + i" in Relation(document(positions={"x": "i"})).run()


def test_the_document_at_hand_is_written_out() -> None:
    """Not one that is stored under the name."""
    asked: list[str] = []

    def model(name: str) -> dict[str, Any]:
        asked.append(name)
        return document()

    for name in ("mine", "dyck-1"):
        assert expand(f"run({name}) -> accept({name})", model) == "(y = relu(2*x)) -> (0 < y)"
    assert set(asked) == {"mine", "dyck-1"}


def test_words_are_bracketed_where_ends_are_added() -> None:
    """(all i. A) as a premise, and A at the first position & ... as a whole."""
    plain = sc.Transformer(
        "m",
        sc.Embedding(sc.Space(("a",)), words={"x": {"a": 1}, "y": {}}),
        (),
        sc.Readout("sign", "last", ("a",), [[1]]),
    )
    assert Relation(to_document(plain)).word() == "all i in 1..n. w(i) = 0 | w(i) = 1"
    for before, after in (("C", None), (None, "C"), ("C", "E")):
        words: dict[str, Any] = {"x": {"a": 1}, "y": {}} | {end: {} for end in (before, after) if end}
        embedding = sc.Embedding(sc.Space(("a",)), words=words, before=before, after=after)
        model = sc.Transformer("m", embedding, (), sc.Readout("sign", "last", ("a",), [[1]]))
        text = Relation(to_document(model)).word()
        assert text.count("(") == text.count(")")
        depth = list(itertools.accumulate((c == "(") - (c == ")") for c in text))
        assert min(depth) >= 0


def test_powers_in_both_directions_keep_their_values() -> None:
    """Sums within sums in the exponent, with signs; the base a number, of either sign, or not."""
    exponents = ["(i - n)", "(n - (i - 1))", "(-i + 2)", "(i - (n - i))", "(-(i - n))", "(n - i - i)"]
    for base, exponent in itertools.product(["2", "(1/2)", "(-3)", "(-2/3)", "(n + 1)"], exponents):
        text = f"{base}^{exponent}"
        read = _readable(text)
        assert "^" not in read
        for i, n in itertools.product(range(4), repeat=2):
            at = {"i": Fraction(i), "n": Fraction(n)}

            def power(tree: Any, at: Any = at) -> Fraction:
                if tree[0] == "call" and tree[1] == "pow":
                    return rational(tree[2][0], at) ** int(rational(tree[2][1], at))
                if tree[0] == "*":
                    return power(tree[1]) * power(tree[2])
                return rational(tree, at)

            expected = Fraction(rational(parse_term(base), at)) ** int(rational(parse_term(exponent), at))
            assert power(parse_term(read)) == expected, (text, read)


def test_a_placement_has_its_number_of_norms() -> None:
    """One before or behind a block, as many projected ones as there are for "multi pre" but not none, and none without
    a placement."""
    for placement, projected, counts in (
        ("none", False, {0}),
        ("pre", False, {1}),
        ("post", False, {1}),
        ("projected pre", True, {1}),
        ("multi pre", True, {1, 2, 3}),
    ):
        for count in range(4):
            found = document()
            writes = [["u"], ["v"], ["t"]][:count] if projected else [["x", "y"]] * count
            reads = [name for names in writes for name in names] if projected and count else ["x", "y"]
            layer = found["layers"][0]
            layer["placement"] = placement
            layer["feedforward"] |= {"reads": reads, "W1": [["1"] * len(reads)]}
            layer["feedforward_norms"] = [
                {
                    "reads": ["x", "y"],
                    "writes": names,
                    "gain": [["1"]] * len(names),
                    "bias": [["0"]] * len(names),
                    "epsilon": "1",
                    "projection": [["1", "-1"]] if projected else None,
                    "zero_variance": "zero",
                }
                for names in writes
            ]
            if count in counts:
                Relation(found)
            else:
                with pytest.raises(BadInput, match="the norms of its placement"):
                    Relation(found)


def test_one_layer_with_attention_makes_positions_differ() -> None:
    """Though another one has none: everything is a function of the position."""
    head = sc.Head(("x",), ("y",), [[0]], [[0]], [[1]], "future")
    network = sc.FeedForward(("x",), ("y",), [[2]], [[0]], [[1]], [[0]])
    embedding = sc.Embedding(sc.Space(("x", "y")), inputs=("x",))
    readout = sc.Readout("value", "last", ("y",))
    for layers in ((sc.Layer(None, network), sc.Layer(head)), (sc.Layer(head), sc.Layer(None, network))):
        relation = Relation(to_document(sc.Transformer("m", embedding, layers, readout)))
        assert set(relation.sorts().values()) == {"Int->Real"}
