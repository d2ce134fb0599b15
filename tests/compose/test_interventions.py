"""Interventions beside the same models written by hand, and beside the definitions in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from shared import words

import symcook as sc
from symcook.compose import sizes
from symcook.errors import BadInput
from symcook.model.expr import parse_term

SPACE = ("x", "y", "one", "out")
WORDS = {"a": {"x": 1, "one": 1}, "b": {"y": 2, "one": 1}, "BOS": {"one": 1}}


def mixed(norm: str = "") -> sc.Transformer:
    """BOS, positions from 0, two heads of which one looks for something, a feed-forward layer, a second layer."""
    first = sc.Head(("x", "y", "one"), ("out", "y"), [[1, 0, 1]], [[0, 1, 1]], [[1, 0, 0], [0, 1, 1]], mask="causal")
    second = sc.Head(("x", "one"), ("out",), [[0, 1]], [[1, 0]], [[0, 3]], mask="strict-causal", weighting="leftmost")
    units = sc.FeedForward(("y", "out"), ("x",), [[1, -1], [2, 1]], [0, "1/2"], [[1, -2]], ["1/4"])
    norms: dict[str, Any] = {}
    if norm == "whole":
        whole = sc.LayerNorm(SPACE, epsilon=1)
        norms = {"attention_norms": whole, "feedforward_norms": whole, "placement": "pre"}
    layers = (
        sc.Layer(sc.SelfAttention((first, second)), units, **norms),
        sc.Layer(sc.Head(("out", "x"), ("one",), [], [], [[1, 1]])),
    )
    embedding = sc.Embedding(sc.Space(SPACE), WORDS, start=0, before="BOS")
    readout = sc.Readout("sign", "each", ("one", "out"), [[1, -1]])
    return sc.Transformer("mixed", embedding, layers, readout)


def same(one: sc.Transformer, other: sc.Transformer, coordinates: tuple[str, ...], domain: str = "exact") -> None:
    for word in ("", "a", "b", "ab", "bba", "abab"):
        a, b = one.run(word, domain), other.run(word, domain)
        for name in coordinates:
            assert a.array(name).tolist() == b.array(name).tolist(), (word, name)
        assert a.outputs == b.outputs


@pytest.mark.parametrize("norm", ["", "whole"])
def test_a_part_that_adds_nothing_is_a_part_that_is_not_there(norm: str) -> None:
    model = mixed(norm)
    first, second = model.layers[0].attention.heads
    domain = "float64" if norm else "exact"
    for name, kept in (("L1.head1", second), ("L1.head2", first)):
        layer = replace(model.layers[0], attention=sc.SelfAttention((kept,)))
        without_head = model.without(head=name)
        same(without_head, replace(model, layers=(layer, model.layers[1])), SPACE, domain)
        assert without_head.name == f"mixed without {name}"
    layer = replace(model.layers[0], feedforward=None, feedforward_norms=())
    same(model.without(feedforward=1), replace(model, layers=(layer, model.layers[1])), SPACE, domain)
    # The numbers of layers and heads stay, so that one intervention follows another.
    both = model.without(head="L1.head1").without(head="L1.head2").without(head="L2.head1")
    assert both.run("ab").array("out").tolist() == [0, 0, 0] and len(both.layers) == 2


def test_an_ablation_is_a_theorem() -> None:
    """Without its feed-forward layer dyck-1 counts brackets and forgets their order."""
    dyck = sc.build("dyck-1")
    ablated = dyck.without(feedforward=1)

    def counts(word: str) -> bool:
        return word.count("(") == word.count(")")

    assert ablated.check(counts, 8).holds
    compared = dyck.diff(ablated, 6)
    changed = next(word for word in words(6) if dyck(word).accept != ablated(word).accept)
    assert compared.first_answer == {"input": changed, "first": "reject", "second": "accept"} and changed == ")("
    assert "first input whose answer changes: )(" in compared.text()
    assert compared.to_json()["first_answer"]["input"] == ")("
    assert "  accept <-> 2*count(\"(\") = n" in ablated.derive().text().splitlines()


@pytest.mark.sweep
def test_the_theorem_of_an_ablation_is_proved() -> None:
    assert sc.build("dyck-1").without(feedforward=1).prove("accept <-> count('(') = count(')')").status == "PROVED"


def dyck_by_hand(word: str, patch: Callable[[str, int], Fraction | None]) -> dict[str, list[Fraction]]:
    """The coordinates of dyck-1 in plain Python; `patch` gives the value of a coordinate at a position, or None."""
    found: dict[str, list[Fraction]] = {}

    def put(name: str, values: list[Fraction]) -> list[Fraction]:
        found[name] = [value if (new := patch(name, i)) is None else new for i, value in enumerate(values, 1)]
        return found[name]

    def means(values: list[Fraction]) -> list[Fraction]:
        return [Fraction(sum(values[: i + 1]), i + 1) for i in range(len(values))]

    token = put("token", [Fraction(1 if symbol == "(" else -1) for symbol in word])
    balance = put("balance", means(token))
    error = put("error", [max(Fraction(0), -one) for one in balance])
    put("total", means(error))
    return found


@pytest.mark.parametrize("coordinate", ["token", "balance", "error", "total"])
def test_a_patch_is_what_it_is_by_hand(coordinate: str) -> None:
    """What tokens write, a head whose layer has a feed-forward layer after it, that layer, and the last head."""
    value = Fraction(2, 3)
    model = sc.build("dyck-1").patched(coordinate=coordinate, position=2, value=value)
    for word in words(4):
        wanted = dyck_by_hand(word, lambda name, i: value if (name, i) == (coordinate, 2) else None)
        run = model.run(word)
        for name, values in wanted.items():
            assert [Fraction(int(v.p), int(v.q)) for v in run.array(name, exact=True)] == values, (word, name)
        assert run.accept == (wanted["total"][-1] == wanted["balance"][-1] == 0)


def test_values_from_another_string_and_their_mean() -> None:
    dyck = sc.build("dyck-1")
    assert dyck.patched("balance", 2, from_string="((").run("))").array("balance").tolist() == [-1, 1]
    mean = dyck.patched("balance", 2, value="mean", inputs=["((", "()", "))", "((("])
    assert mean.run("))").array("balance").tolist() == [-1, 0.25] == dyck.patched(
        "balance", 2, inputs=["((", "()", "))", "((("]
    ).run("))").array("balance").tolist()


def test_positions_count_special_tokens() -> None:
    """BOS is position 0 where position functions count from 0."""
    model = mixed().patched("out", 1, value=7)
    for word in ("a", "bab"):
        changed, plain = model.run(word), mixed().run(word)
        assert changed.array("out").tolist() == [7 if i == 1 else v for i, v in enumerate(plain.array("out"))]
    assert model.run("").array("out").tolist() == mixed().run("").array("out").tolist()


def test_a_position_function_is_replaced_by_another() -> None:
    """Without a new coordinate, and so under a norm over the whole residual stream too; so what nothing writes."""
    norm = sc.LayerNorm(("x", "place", "idle"), epsilon=1)
    embedding = sc.Embedding(sc.Space(("x", "place", "idle")), {"a": {"x": 1}}, positions={"place": "i/n"})
    head = sc.Head(("place", "idle"), ("x",), [], [], [[1, 1]])
    readout = sc.Readout("sign", "last", ("x",), [[1]])
    model = sc.Transformer("places", embedding, (sc.Layer(head),), readout, final_norm=norm)
    with pytest.raises(BadInput, match="layer norm over the whole residual stream; given: the layer norm of layer 1"):
        model.patched("x", 1, value=0)
    plain = replace(model, final_norm=None)
    changed = plain.patched("place", 2, value=5)
    assert changed.run("aaa").array("place", exact=True).tolist() == [Fraction(1, 3), 5, 1]
    assert changed.space == plain.space and len(changed.layers) == len(plain.layers)
    idle = plain.patched("idle", 3, value="1/2")
    assert idle.run("aaa").array("idle").tolist() == [0, 0, 0.5]
    assert idle.run("aaa").array("x").tolist() == [float(1 + Fraction(2, 3) + Fraction(1, 6))] * 3


def test_what_has_no_bound_is_refused_with_its_writer() -> None:
    rows = sc.build("max")
    with pytest.raises(BadInput, match=r"must have a bound.*; given: \w+, written by the embedding"):
        rows.patched(rows.embedding.inputs[0], 1, value=0)
    embedding = sc.Embedding(sc.Space(("x", "place", "y")), {"a": {"x": 1}}, positions={"place": "i"})
    head = sc.Head(("place",), ("y",), [], [], [[1]], mask="causal")
    model = sc.Transformer("grows", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("y",), [[1]]))
    with pytest.raises(BadInput, match="given: y, written by head 1 of layer 1; patch a coordinate"):
        model.patched("y", 1, value=0)
    assert model.patched("place", 1, value=0).run("aa").array("y").tolist() == [0, 1]


def test_patches_that_are_not_said_whole_are_refused() -> None:
    dyck = sc.build("dyck-1")
    for ask, text in (
        (lambda: dyck.patched("balance", 2), "must be given in exactly one way; given: 0 ways"),
        (lambda: dyck.patched("balance", 2, value=1, from_string="()"), "given: 2 ways"),
        (lambda: dyck.patched("balance", 2, value="mean"), "the inputs over which the mean is taken"),
        (lambda: dyck.patched("balance", 2, inputs=[]), "over at least one input"),
        (lambda: dyck.patched("balance", 3, from_string="()"), "long enough to have the position 3; given: ()"),
        (lambda: dyck.patched("balance", 0, value=1), "counted from 1; given: 0"),
        (lambda: dyck.patched("balence", 1, value=1), "did you mean balance?"),
        (lambda: dyck.patched("balance", 1, value="eps"), "must be a number; given: eps"),
        (lambda: dyck.patched("balance", 1, value=0.5), "a value must be exact, not a Python float"),
        (lambda: sc.build("gtzero").patched("x", 1, value=1), "bind them first: model.bind()"),
        (lambda: dyck.without(), "given: neither"),
        (lambda: dyck.without(head="L1.head1", feedforward=1), "given: both"),
        (lambda: dyck.without(head="L1.ff"), "known: L1.head1, L2.head1"),
        (lambda: dyck.without(feedforward=2), "did you mean L1.ff?"),
        (lambda: dyck.with_weights({"L1.ff.b1[2]": 1}), "known: 1"),
        (lambda: dyck.with_weights({"L1.ff": 1}), "must be a known name"),
        (lambda: dyck.with_weights({"L1.head1.V": [[1, 2]]}), "must have shape 1 x 1"),
        (lambda: dyck.with_weights({"-L1.ff.b1[1]": 1}), "must have no sign"),
        (lambda: dyck.with_weights({"L1.ff.b1[1]": 1, "L1.ff.b1[1,one]": 2}), "each weight must be given once"),
        (lambda: dyck.with_weights({"L1.ff.b1": [1], "L1.ff.b1[1]": 2}), "each weight must be given once"),
        (lambda: dyck.with_weights({"readout": [[1]]}), "weights must be given for the readouts sign"),
    ):
        with pytest.raises(BadInput) as error:
            ask()
        assert text in str(error.value), str(error.value)


def test_weights_are_replaced_by_name_and_whole() -> None:
    model = mixed()
    one = model.with_weights({"L1.ff.W1[2,out]": "1/3", "readout[out]": 2, "L1.head1.V": [[0, 0, 5], [0, 0, 0]]})
    assert one.layers[0].feedforward.W1.tolist() == [[1, -1], [2, Fraction(1, 3)]]
    assert one.readout.weights.tolist() == [[1, 2]] and model.readout.weights.tolist() == [[1, -1]]
    assert one.layers[0].attention.heads[0].V.tolist() == [[0, 0, 5], [0, 0, 0]]
    assert one.layers[0].attention.heads[1] == model.layers[0].attention.heads[1]
    assert model.with_weights({"readout": [[0, 1]]}, name="other").name == "other"
    assert model.with_weights({}) == replace(model, name="mixed with other weights")


def test_a_model_with_an_intervention_is_not_its_program() -> None:
    """It keeps no program, which `check` would take for its specification."""
    compiled = sc.compile("ltl", "prev Q_a", alphabet="ab")
    assert compiled.program is not None
    head = next(f"L{n}.head1" for n, layer in enumerate(compiled.layers, 1) if layer.attention)
    assert compiled.without(head=head).program is None and compiled.with_weights({}).program is None


@pytest.mark.parametrize(
    "text, start, bound",
    [("1/i", 1, 1), ("1/i", 0, None), ("-3/(2*n)", 1, Fraction(3, 2)), ("i", 1, None), ("i/n", 0, 1), ("(-1)^i", 0, 1),
     ("cos(i)", 1, 1), ("1/2 - 1/(i + 1)", 0, Fraction(3, 2)), ("if(i = 2, 3, 1/2)", 1, 3), ("I[i = n]", 1, 1),
     ("exp(i)", 1, None), ("2^i", 1, None), ("(1/2)^i", 1, 1), ("1/i^2", 1, 1), ("n - i", 1, None)],
)  # fmt: skip
def test_sizes_of_position_functions(text: str, start: int, bound: Fraction | None) -> None:
    from symcook.model.symbols import exact

    assert sizes.of_position(parse_term(text), start) == bound
    if bound is not None:
        for n in range(1, 9):
            for i in range(start, start + n):
                assert abs(exact(text).subs({"i": i, "n": n})) <= bound


def test_sizes_hold_on_every_run() -> None:
    """Sublayer by sublayer, with irrational weights and all activations; the bounds rise, so that they are not idle."""
    for activation in ("relu", "step", "gelu", "gelu-tanh", "gelu-sigmoid"):
        base = mixed()
        units = replace(base.layers[0].feedforward, activation=activation, W1=[["sqrt(2)", -1], [2, 1]])
        model = replace(base, layers=(replace(base.layers[0], feedforward=units), base.layers[1]))
        for word in ("", "ab", "bbba"):
            run = model.run(word, "ball", trace=True)
            for steps, document in enumerate(run.trace):
                bounds = sizes.sizes_after(model, steps)
                for name, values in document["coordinates"].items():
                    bound = bounds[name]
                    assert bound is not None and all(abs(float(one["mid"])) <= bound for one in values)
        totals = [sum(value or 0 for value in sizes.sizes_after(model, steps).values()) for steps in range(4)]
        assert all(a <= b for a, b in pairwise(totals)) and totals[0] < totals[-1]


def test_positions_are_those_of_statements() -> None:
    """`first` has CLS at 0; its hit is 1 where i = 1 and the token is 1, so that a patch at 1 makes 01 accepted."""
    model = sc.build("first").bind(c=5)
    patched = model.patched("hit", position=1, value=1)
    assert patched.run("01").accept is True and model.run("01").accept is False
    assert patched.run("01").array("hit").tolist() == [0, 1, 0]
    assert model.patched("hit", 1, from_string="10").run("01").accept is True
    assert [model.run("01").attribution(position=i).position for i in (0, 1, 2)] == [0, 1, 2]
    assert model.run("01").attribution().position == 0  # the answer is read at CLS
    for wrong in (lambda: model.patched("hit", -1, value=1), lambda: model.run("01").attribution(position=3)):
        with pytest.raises(BadInput, match="counted from 0"):
            wrong()
