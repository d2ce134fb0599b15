"""Recipes against the paper's printed matrices, against symcook.spec, and against a dense evaluation written here."""

import itertools
import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import sympy
from families import together
from shared import words

import symcook
from symcook.errors import BadInput
from symcook.model.expr import parse_formula, parse_term
from symcook.model.rationals import rational, truth
from symcook.model.symbols import exact, symbol
from symcook.recipes import build, info, names, reference, region
from symcook.recipes.arguments import rows as read_rows


def one_relu_layer(model):
    """Whether a model is one ReLU layer that shows one number."""
    block = model.layers[0].feedforward if model.pointwise and len(model.layers) == 1 and not model.normed else None
    return block is not None and block.activation == "relu" and len(model.readout.reads) == 1


FEEDFORWARD = [name for name in names() if one_relu_layer(build(name)) and not info(name).error]
"""Each on the grid below; the others have tests of their own."""
THREE_CASES = ("gtzero", "gezero", "eqzero", "gtzero-input", "gezero-input", "eqzero-input", "round")
"""Whose references have the window between yes and no too, Eqs. (29) to (34) and Section 5.7."""
GRID = [Fraction(p, q) for q in (1, 2, 7) for p in range(-2 * q, 3 * q + 1)]
TOLERANCES = [Fraction(1), Fraction(1, 2), Fraction(1, 7), Fraction(1, 1000)]

# Typed from the Cookbook, Sections 4.2 to 4.9, 5.2, 5.3.4, 5.7 and 6.4, row by row: W1, b1, W2, b2.
PRINTED = {
    "identity": ([[1], [-1]], [0, 0], [[1, -1]], [0]),
    "zero": ([[0]], [0], [[0]], [0]),
    "min": ([[1, 0], [-1, 0], [1, -1]], [0, 0, 0], [[1, -1, -1]], [0]),
    "max": ([[1, 0], [-1, 0], [-1, 1]], [0, 0, 0], [[1, -1, 1]], [0]),
    "add": ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0, 0, 0, 0], [[1, -1, 1, -1]], [0]),
    "gtzero": ([[1], [1]], [0, "-eps"], [["1/eps", "-1/eps"]], [0]),
    "gezero": ([[1], [1]], ["eps", 0], [["1/eps", "-1/eps"]], [0]),
    "eqzero": ([[1], [1], [1]], ["eps", 0, "-eps"], [["1/eps", "-2/eps", "1/eps"]], [0]),
    "gtzero-input": ([[1, 0], [1, -1]], [0, 0], [[1, -1]], [0]),
    "gezero-input": ([[1, 1], [1, 0]], [0, 0], [[1, -1]], [0]),
    "eqzero-input": ([[1, 1], [1, 0], [1, -1]], [0, 0, 0], [[1, -2, 1]], [0]),
    "if": ([[1, 1, 0], [-1, 0, 1]], [-1, 0], [[1, 1]], [0]),
    "clip": ([[1], [1]], ["delta", "-delta"], [[1, -1]], ["-delta"]),
}


def block(name, **arguments):
    return build(name, **arguments).layers[0].feedforward


def printed(W1, b1, W2, b2):
    """The four matrices as nested lists of sympy numbers."""

    def number(entry):
        return exact(entry, {name: symbol(name, "positive") for name in ("eps", "delta")} | {"c": symbol("c")})

    return [[[number(e) for e in row] for row in W1], [number(e) for e in b1], [[number(e) for e in row] for row in W2],
            [number(e) for e in b2]]  # fmt: skip


def given(ff):
    return [ff.W1.tolist(), list(ff.b1), ff.W2.tolist(), list(ff.b2)]


def fraction(value):
    assert value.is_Rational, value
    return Fraction(int(value.p), int(value.q))


MADE = {}


def once(make, thing, *more):
    """make(thing, *more), computed once for each object; it stays, so that no other one has its id."""
    key = (id(thing), *more)
    if key not in MADE:
        MADE[key] = thing, make(thing, *more)
    return MADE[key][1]


def entries(matrix):
    """The entries of a matrix by row, as Fractions."""
    return [[fraction(e) for e in row] for row in matrix.tolist()]


def bound(model, *values):
    return model.bind(dict(values))


def dense(matrix, vector):
    """Matrix times vector over Fractions."""
    return [sum((e * x for e, x in zip(row, vector, strict=True)), Fraction(0)) for row in once(entries, matrix)]


def feed(block, state):
    """State after a feed-forward part with its residual connection: nothing but matrices and max."""
    hidden = dense(block.W1, [state[name] for name in block.reads])
    hidden = [max(Fraction(0), h + fraction(b)) for h, b in zip(hidden, block.b1, strict=True)]
    output = dense(block.W2, hidden)
    changed = dict(state)
    for name, value, bias in zip(block.writes, output, block.b2, strict=True):
        changed[name] = changed[name] + value + fraction(bias)
    return changed


def attend(head, states):
    """States after average-hard attention with its residual connection, straight from Definitions 2.3 and 5.1."""
    read = [[state[name] for name in head.reads] for state in states]
    queries, keys, values = ([dense(m, x) for x in read] for m in (head.Q, head.K, head.V))
    result = []
    for i, state in enumerate(states):
        seen = range(i + 1 if head.mask == "future" else len(states))
        scores = {j: sum((q * k for q, k in zip(queries[i], keys[j], strict=True)), Fraction(0)) for j in seen}
        most = max(scores.values())
        best = [j for j in seen if scores[j] == most]
        changed = dict(state)
        for row, name in enumerate(head.writes):
            changed[name] += sum((values[j][row] for j in best), Fraction(0)) / len(best)
        result.append(changed)
    return result


def evaluate(model, sequence, values=None):
    """The states at all positions after the last layer, and nothing of symcook.forward in it."""
    model = once(bound, model, *(values or {}).items())
    embedding, n = model.embedding, len(sequence)
    states = []
    for place, entry in enumerate(sequence):
        state = dict.fromkeys(model.space, Fraction(0))
        row = embedding.words[entry] if embedding.words is not None else entry
        for name, value in row.items():
            state[name] += value if isinstance(value, Fraction) else fraction(value)
        for name, expression in embedding.positions.items():
            at = {s: {"i": place + embedding.start, "n": n}[s.name] for s in expression.free_symbols}
            state[name] += fraction(sympy.sympify(expression.subs(at)))
        states.append(state)
    for layer in model.layers:
        for head in layer.attention.heads if layer.attention is not None else ():
            states = attend(head, states)
        if layer.feedforward is not None:
            states = [feed(layer.feedforward, state) for state in states]
    return states


def out(model, inputs, values=None):
    state = evaluate(model, [inputs], values)[0]
    return {name: state[name] for name in model.readout.reads}


def settings(model):
    """Values of the symbols: all combinations of tolerances."""
    symbols = [p.name for p in model.parameters]
    return [dict(zip(symbols, chosen, strict=True)) for chosen in itertools.product(TOLERANCES, repeat=len(symbols))]


def points(model, values):
    """A grid of inputs, with the tolerances and their halves on it."""
    inputs = model.embedding.inputs
    axis = GRID if len(inputs) == 1 else GRID[::2] if len(inputs) == 2 else [*GRID[::5], Fraction(0), Fraction(1)]
    axis = [*axis, *values.values(), *(-v for v in values.values()), *(v / 2 for v in values.values())]
    return [dict(zip(inputs, row, strict=True)) for row in itertools.product(axis, repeat=len(inputs))]


def test_recipes_stand_by_paper_and_section():
    """The Cookbook's first, by section, what is in no paper last; each name once, and one file for each."""
    listed = [info(name) for name in names()]
    assert len(listed) == len(set(names())) >= 60
    papers = [facts.paper for facts in listed]
    assert papers == sorted(papers, key=lambda paper: (paper != "Cookbook", paper == "Other", paper))
    sections = [tuple(map(int, facts.section.split("."))) for facts in listed if facts.paper == "Cookbook"]
    assert sections == sorted(sections)
    folder = Path(symcook.__file__).parent / "recipes"
    assert len(names()) == sum(path.read_text().count("@recipe(") for path in folder.glob("*/*.py"))


@together("name", PRINTED)
def test_weights_are_the_printed_ones(name):
    assert given(block(name)) == printed(*PRINTED[name])


def test_the_comparison_of_weights_sees_one_wrong_entry():
    for name, matrices in PRINTED.items():
        for part, entries in enumerate(printed(*matrices)):
            for place, entry in enumerate(entries):
                wrong = printed(*matrices)
                if isinstance(entry, list):
                    wrong[part][place][-1] += 1
                else:
                    wrong[part][place] += 1
                assert given(block(name)) != wrong, (name, part, place)


def test_identity_and_zero_of_vectors():
    """Eq. (22) and the zero network for d = 3, written out."""
    W1 = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]]
    W2 = [[1, 0, 0, -1, 0, 0], [0, 1, 0, 0, -1, 0], [0, 0, 1, 0, 0, -1]]
    assert given(block("identity", d=3)) == printed(W1, [0] * 6, W2, [0] * 3)
    assert given(block("zero", d=3)) == printed([[0] * 3] * 3, [0] * 3, [[0] * 3] * 3, [0] * 3)
    assert build("identity", d=3).readout.reads == ("out1", "out2", "out3")
    assert build("zero", d="3").readout.reads == ("x1", "x2", "x3")


def test_weights_that_the_paper_gives_in_words():
    """Routing (Lemma 8.1) for subtract and scale; Eq. (29) with eps 1/2 of x - 1/4 for round."""
    assert given(block("subtract")) == printed([[1, 0], [-1, 0], [0, -1], [0, 1]], [0] * 4, [[1, -1, 1, -1]], [0])
    assert given(block("scale")) == printed([[1], [-1]], [0, 0], [["c", "-c"]], [0])
    assert build("scale").parameters[0].default == 2
    assert given(block("round")) == printed([[1], [1]], ["-1/4", "-3/4"], [[2, -2]], [0])


def test_boolean_of_three_bits_as_printed():
    """Eq. (35) for m = 3: rows (-1 -1 -1), (-1 -1 1), (-1 1 -1), ..., (1 1 1) and b1 = (1, 0, 0, ..., -2)."""
    W1 = [[-1, -1, -1], [-1, -1, 1], [-1, 1, -1], [-1, 1, 1], [1, -1, -1], [1, -1, 1], [1, 1, -1], [1, 1, 1]]
    ff = block("boolean", table="00010111")
    assert given(ff) == printed(W1, [1, 0, 0, -1, 0, -1, -1, -2], [[0, 0, 0, 1, 0, 1, 1, 1]], [0])
    assert ff.reads == ("p1", "p2", "p3")


def test_cpwl_as_printed():
    """Section 4.1 for n = 3 pieces through (-2, 1), (0, -1), (1/2, 3), (2, 3): slopes -1, 8, 0."""
    ff = block("cpwl", points="-2,1; 0,-1; 1/2,3; 2,3")
    assert given(ff) == printed([[-1], [1], [1], [1]], [0, 0, 0, "-1/2"], [[1, -1, 9, -8]], [-1])
    assert ff.hidden == 4
    assert block("cpwl", points=[(-2, 1), (0, -1), ("1/2", 3), (Fraction(2), sympy.Integer(3))]) == ff


def test_cancel_residual_of_a_recipe_with_arguments():
    """The points of the text are (0, 0), (1, 1), (2, 3), the last slope goes on; values by hand."""
    f = "cpwl( points = 0,0; 1,1; 2,3 )"
    model, spec = build("cancel-residual", f=f), reference("cancel-residual", {"f": f})
    for x, wanted in (("-2", -2), ("1/2", "1/2"), ("3/2", 2), ("2", 3), ("3", 5)):
        assert out(model, {"x": Fraction(x)}) == {"x": Fraction(wanted)} == spec({"x": Fraction(x)})
    assert region("by-gelu", f="boolean(table=01)") == "0 < c & ((p1 = 0 | p1 = 1))"
    three = "points=0,0; 1,1; 2,3"
    for wrong in (f"cpwl({three}", "cpwl(0,0)", f"cpwl({three}, points=1)", "cpwl()x", "cpwl(d=2)"):
        with pytest.raises(BadInput):
            build("cancel-residual", f=wrong)


def test_cancel_residual_as_printed():
    """Section 4.2 around GTZero: f'.W1 = [f.W1; 1; -1], f'.b1 = [f.b1; 0; 0], f'.W2 = [f.W2, -1, 1], f'.b2 = f.b2."""
    ff = block("cancel-residual", f="gtzero")
    expected = printed([[1], [1], [1], [-1]], [0, "-eps", 0, 0], [["1/eps", "-1/eps", -1, 1]], [0])
    assert given(ff) == expected
    assert (ff.reads, ff.writes) == (("x",), ("x",))
    assert [p.name for p in build("cancel-residual", f="clip").parameters] == ["delta"]


def test_attention_matrices_as_printed():
    (head,) = build("lookup-quadratic").layers[0].attention.heads
    assert head.Q.tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]
    assert head.K.tolist() == [[0, 0, 2, 0, 0], [0, 0, 0, -1, 0]]
    assert head.V.tolist() == [[0, 0, 0, 0, 1]]
    assert head.reads == ("query", "one", "index", "square", "value")
    assert (head.mask, head.weighting, head.scale, head.temperature) == ("none", "average", 1, 1)
    for name, mask, value in (
        ("average", "none", 1),
        ("prefix-average", "future", 1),
        ("first-position", "future", -1),
    ):
        (head,) = build(name).layers[0].attention.heads
        assert head.uniform and list(head.V) == [value] and head.mask == mask
    test = build("first-position").layers[0].feedforward
    assert given(test) == printed([[1], [1]], ["-1/3", "-2/3"], [[3, -3]], [0])


def test_dyck_layers_as_stated():
    model = build("dyck-1")
    assert tuple(model.space) == ("token", "balance", "error", "total")
    assert len(model.layers) == 2
    for layer, of, to in zip(model.layers, ("token", "error"), ("balance", "total"), strict=True):
        (head,) = layer.attention.heads
        assert head.uniform and head.mask == "future" and head.weighting == "average" and list(head.V) == [1]
        assert (head.reads, head.writes) == ((of,), (to,))
    assert given(model.layers[0].feedforward) == printed([[-1]], [0], [[1]], [0])
    longer = build("dyck-1-nonuniform", N=7)
    assert longer.max_length == 7
    (eps,) = longer.parameters
    assert (eps.default, eps.region) == (sympy.Rational(1, 49), "0 < eps & eps <= 1/49")
    assert build("dyck-1-nonuniform").parameters[0].default == sympy.Rational(1, 4096)


@pytest.mark.layer_one(0, 1, 2, 3, 4, 9, 19)
@pytest.mark.parametrize("name", FEEDFORWARD)
def test_feedforward_recipes_equal_their_reference_and_their_facts(name):
    """Dense evaluation = reference = `computes` on the grid; = `formula` inside `region`; = forward on a few points."""
    model, facts = build(name), info(name)
    computes, formula, inside = parse_term(facts.computes), parse_term(facts.formula), parse_formula(facts.region)
    output = model.readout.reads[0]
    compared = within = 0
    for values in settings(model):
        expected = reference(name, values=values)
        for k, inputs in enumerate(points(model, values)):
            answer = out(model, inputs, values)
            everything = inputs | values
            exact_here = truth(inside, everything)
            compared += 1
            within += exact_here
            assert answer == {output: rational(computes, everything)}, inputs
            promised = name in THREE_CASES and inputs.get("tolerance", 1) > 0
            if exact_here or promised:
                assert answer == expected(inputs), (inputs, values)
            if exact_here:
                assert answer[output] == rational(formula, everything), (inputs, values)
            if k % 17 == 0:
                shown = model.run(inputs, values=values).output
                assert {c: Fraction(v) for c, v in shown.items()} == answer
    assert compared >= 16 and within >= 4


@together("name", [n for n in FEEDFORWARD if info(n).region == "true"])
def test_a_region_of_everything_is_meant(name):
    model = build(name)
    formula = parse_term(info(name).formula)
    for values in settings(model):
        for inputs in points(model, values):
            assert out(model, inputs, values)[model.readout.reads[0]] == rational(formula, inputs | values)


@pytest.mark.sweep
def test_boolean_on_every_table_of_up_to_three_bits():
    for m in (1, 2, 3):
        assignments = [dict(zip((f"p{c + 1}" for c in range(m)), map(Fraction, xi), strict=True))
                       for xi in itertools.product((0, 1), repeat=m)]  # fmt: skip
        for table in itertools.product("01", repeat=2**m):
            model, expected = build("boolean", table="".join(table)), reference("boolean", {"table": "".join(table)})
            for bit, inputs in zip(table, assignments, strict=True):
                assert out(model, inputs) == expected(inputs) == {"out": int(bit)}
    assert region("boolean", table="00010111").count("&") == 2


def test_arguments_reach_the_reference():
    vector = {"x1": Fraction(1, 2), "x2": Fraction(-3), "x3": Fraction(0)}
    expected = {"out1": Fraction(1, 2), "out2": Fraction(-3), "out3": Fraction(0)}
    assert out(build("identity", d=3), vector) == reference("identity", {"d": 3})(vector) == expected
    assert out(build("zero", d=3), vector) == reference("zero", {"d": 3})(vector) == vector
    for c in (Fraction(0), Fraction(-5, 3), Fraction(7)):
        for x in GRID:
            assert out(build("scale"), {"x": x}, {"c": c}) == {"out": c * x}
            assert reference("scale", values={"c": c})({"x": x}) == {"out": c * x}
    assert reference("scale")({"x": Fraction(3)}) == {"out": 6}
    bends = {"points": "-1,0; 0,1; 1,0; 3,-5/2; 4,4"}
    model, spec = build("cpwl", **bends), reference("cpwl", bends)
    for x in [*GRID, Fraction(50), Fraction(-50), Fraction(7, 2)]:
        assert out(model, {"x": x}) == spec({"x": x})


@together("f", ["identity", "scale", "gtzero", "gezero", "eqzero", "cpwl", "clip", "round"])
def test_cancel_residual_replaces_x_by_f_of_x(f):
    model, inner = build("cancel-residual", f=f), build(f)
    for values in settings(model):
        spec = reference("cancel-residual", {"f": f}, values)
        for x in GRID:
            assert out(model, {"x": x}, values) == spec({"x": x}) == {"x": out(inner, {"x": x}, values)["out"]}
    assert region("cancel-residual", f=f) == info(f).region


def test_averages_and_lookup_equal_their_references():
    lookup, fetched = build("lookup-quadratic"), reference("lookup-quadratic")
    means = [(build(name), reference(name)) for name in ("average", "prefix-average")]
    for n in range(1, 4):
        for values in itertools.product((Fraction(0), Fraction(1), Fraction(-1, 3)), repeat=n):
            rows = [{"x": value} for value in values]
            for model, spec in means:
                assert [{"mean": state["mean"]} for state in evaluate(model, rows)] == spec(rows)
        values = [Fraction(k * k, 3) for k in range(1, n + 1)]
        for queries in itertools.product([*range(1, n + 1), Fraction(3, 2)], repeat=n):
            rows = [{"query": Fraction(q), "value": v} for q, v in zip(queries, values, strict=True)]
            assert [{"found": state["found"]} for state in evaluate(lookup, rows)] == fetched(rows)
    run = lookup.run([{"query": 2, "value": "1/3"}, {"query": 1, "value": 5}])
    assert run.outputs == ["5", "1/3"]


def test_first_position():
    for n in range(1, 30):
        word = ("01" * n)[:n]
        states = evaluate(build("first-position"), word)
        assert [{"first": state["first"]} for state in states] == reference("first-position")(word)
        assert all(state["mean"] <= Fraction(1, 3) for state in states[1:])
    assert build("first-position", alphabet="ab").run("abba").outputs == ["1", "0", "0", "0"]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("longest", "members"), [(5, 3), (8, 22)])
def test_dyck_on_all_words(longest, members):
    model, spec = build("dyck-1"), reference("dyck-1")
    bounded = build("dyck-1-nonuniform", N=8)
    at_default = bounded.bind()
    accepted = 0
    for word in words(longest):
        last = evaluate(model, word)[-1]
        verdict = last["total"] == 0 and last["balance"] == 0
        assert verdict == spec(word)
        accepted += verdict
        for eps in (Fraction(1, 64), Fraction(1, 100)):
            end = evaluate(bounded, word, {"eps": eps})[-1]
            assert end["accepted"] == int(verdict)
            assert {end["unviolated"], end["level"]} <= {0, 1}
        if len(word) <= 6:
            assert model.run(word).accept is verdict
            assert at_default.run(word).accept is verdict
    assert accepted == members  # 1 of length 2, 2 of 4, 5 of 6, 14 of 8


@together(
    ("name", "arguments"),
    [
        ("gtzer", {}),
        ("gtzero", {"eps": 0}),
        ("gtzero", {"esp": 1}),
        ("identity", {"d": 0}),
        ("identity", {"d": 257}),
        ("identity", {"d": "3/2"}),
        ("identity", {"d": "x"}),
        ("identity", {"d": True}),
        ("identity", {"dimension": 2}),
        ("identity", {"d": 2.0}),
        ("identity", {"d": None}),
        ("identity", {"d": float("nan")}),
        ("identity", {"d": "sqrt(2)"}),
        ("boolean", {"table": "011"}),
        ("boolean", {"table": ""}),
        ("boolean", {"table": "1"}),
        ("boolean", {"table": "01a1"}),
        ("boolean", {"table": 110}),
        ("boolean", {"table": [0, 1, 2, 0]}),
        ("boolean", {"table": "0" * 2**13}),
        ("cpwl", {"points": "0,0; 1,1"}),
        ("cpwl", {"points": "0,0; 0,1; 1,1"}),
        ("cpwl", {"points": "0,0; 1,1; 2"}),
        ("cpwl", {"points": ""}),
        ("cpwl", {"points": 3}),
        ("cpwl", {"points": [(0, 0), (1, 0.5), (2, 0)]}),
        ("cpwl", {"points": "0,0;" * 10_001}),
        ("cancel-residual", {"f": "min"}),
        ("cancel-residual", {"f": "gtzer"}),
        ("cancel-residual", {"f": ["gtzero"]}),
        ("first-position", {"alphabet": ""}),
        ("first-position", {"alphabet": "00"}),
        ("first-position", {"alphabet": "0 0"}),
        ("first-position", {"alphabet": 1}),
        ("dyck-1-nonuniform", {"N": 0}),
        ("dyck-1-nonuniform", {"N": "64.5"}),
        ("dyck-1-nonuniform", {"N": 10**10}),
        ("dyck-1", {"N": 64}),
    ],
)
def test_bad_arguments_are_refused(name, arguments):
    with pytest.raises(BadInput) as caught:
        build(name, **arguments)
    assert str(caught.value).count("\n") == 0 and len(str(caught.value)) < 400


def test_a_typo_names_the_nearest_recipe_and_argument():
    with pytest.raises(BadInput, match="did you mean dyck-1"):
        info("dyk-1")
    with pytest.raises(BadInput, match="did you mean points"):
        build("cpwl", point="0,0; 1,1; 2,0")


@pytest.mark.parametrize("eps", ["0", "-1", "1/4095", "1"])
def test_dyck_tolerances_outside_the_interval(eps):
    with pytest.raises(BadInput, match="1/4096"):
        build("dyck-1-nonuniform").bind({"eps": eps})


def test_comparators_have_no_default_tolerance():
    with pytest.raises(BadInput, match="eps"):
        build("gtzero").run({"x": 1})
    with pytest.raises(BadInput, match="eps"):
        build("gtzero").run({"x": 1}, values={"eps": 0})
    with pytest.raises(BadInput, match="eps"):
        reference("gtzero")
    with pytest.raises(BadInput, match="did you mean eps"):
        reference("gtzero", values={"ep": Fraction(1)})


def test_rows():
    assert read_rows("1/2,0; 1,min(1, 3)", "rows", 2) == ((Fraction(1, 2), 0), (1, 1))
    assert read_rows("1;2", "rows", 1) == ((1,), (2,))
    assert read_rows([1, Fraction(1, 2)], "rows", 1) == ((1,), (Fraction(1, 2),))
    for bad in ("1,2,3", "1,2;", ";", "1,(2", {"a": 1}, b"1,2", []):
        with pytest.raises(BadInput):
            read_rows(bad, "rows", 2)


@together("name", names())
def test_facts_are_complete(name):
    facts, model = info(name), build(name)
    for text in (facts.summary, facts.source, facts.formula, facts.words, facts.computes, facts.uniformity):
        assert text and text == text.strip() and "\n" not in text
    assert re.match(r"(Cookbook|[A-Z].* 20[0-9]{2}|Other), ", facts.source)
    if facts.kind == "language":
        parse_formula(facts.formula), parse_formula(facts.computes)
    else:
        parse_term(facts.formula), parse_term(facts.computes)
    parse_formula(facts.region)
    assert model.name == name and model.source
    assert json.loads(json.dumps(facts.to_json()))["name"] == name
    if name != "cancel-residual":
        assert [s.name for s in facts.symbols] == [p.name for p in model.parameters]
    for argument in facts.arguments:
        assert argument.read(argument.default, argument.name) is not None or argument.default == "none"


def test_claims_are_in_the_inventory():
    tables = (Path(symcook.__file__).parent / "data" / "claims").glob("*.tsv")
    known = {line.split("\t")[0] for table in tables for line in table.read_text(encoding="utf-8").splitlines()}
    for name in names():
        claims = info(name).claims
        assert len(set(claims)) == len(claims) and (claims or info(name).paper == "Other")
        assert set(claims) <= known, set(claims) - known


def test_listing_imports_nothing_heavy():
    code = (
        "import sys; from symcook.recipes import info, names; [info(n).to_json() for n in names()]; "
        "heavy = {'sympy', 'numpy', 'mpmath', 'flint'}; "
        "bad = heavy & set(sys.modules); "
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
