"""Regions: each recipe's is all of where its formula holds, or says "at least".

Expected values are the recipe's formula, evaluated with fractions, and words counted by hand; what the model gives is
`test_recipes.evaluate`, which shares no code with the forward pass.
"""

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest
from families import together
from test_recipes import evaluate, out

from symcook.__main__ import main
from symcook.model.expr import parse_formula, parse_term
from symcook.model.rationals import rational, truth
from symcook.model.transformer import Parameter
from symcook.recipes import build, info, names, reference, region
from symcook.verify.stated import check_recipe

TINY = Fraction(1, 10**6)
WITH_EDGES = {"gtzero", "gezero", "eqzero", "gtzero-input", "gezero-input", "eqzero-input", "round", "if"}
"""Those whose region has edges that are looked at closely; of every other one that is all of where the formula holds a
test below asks the points outside."""


def near(*edges):
    """Edges of a region, points just beside them, and points between and beyond."""
    edges = sorted({Fraction(e) for e in edges})
    middles = [(p + q) / 2 for p, q in itertools.pairwise(edges)]
    return [*middles, edges[0] - 5, edges[-1] + 5, *(e + s for e in edges for s in (0, TINY, -TINY))]


def points(name):
    """(inputs, symbols) at and just beyond the edges of the region of a recipe."""
    if name == "round":
        return [({"x": x}, {}) for x in near(0, "1/4", "1/2", "3/4", 1)]
    if name == "if":
        axis = near(0, 1)
        return [({"p": Fraction(p), "x": x, "y": y}, {}) for p in (0, 1) for x in axis for y in axis]
    found = []
    for t in map(Fraction, ("1", "1/3", "1/1000")):
        if name.endswith("-input"):
            found += [({"x": x, "tolerance": s}, {}) for s in (t, -t, Fraction(0)) for x in near(-t, 0, t)]
        else:
            found += [({"x": x}, {"eps": t}) for x in near(-t, 0, t)]
    return found


OUTSIDE = [name for name in names() if info(name).largest and region(name) != "true" and build(name).pointwise]


@together("name", OUTSIDE)
def test_outside_of_a_largest_region_the_formula_fails(name):
    model, formula, inside = build(name), parse_term(info(name).formula), parse_formula(region(name))
    failed = 0
    for inputs, values in points(name):
        if not truth(inside, inputs | values):
            assert out(model, inputs, values)[model.readout.reads[0]] != rational(formula, inputs | values)
            failed += 1
    assert failed


def test_a_region_of_words_that_is_not_everything_is_looked_at():
    """Of the languages two have one: by length (test_chiang2022) and by the tolerance (below)."""
    found = {name for name in names() if build(name).alphabet and region(name) != "true"}
    assert found == {name for name in found if info(name).symbols}


@together("name", sorted(WITH_EDGES))
def test_the_region_holds_exactly_where_the_formula_does(name):
    """Inside, at the edge and 1/10^6 beyond it; negative tolerances too, and for `if` both bits."""
    model, formula, inside = build(name), parse_term(info(name).formula), parse_formula(region(name))
    outcomes = set()
    for inputs, values in points(name):
        holds = out(model, inputs, values)["out"] == rational(formula, inputs | values)
        assert holds is truth(inside, inputs | values), (inputs, values)
        outcomes.add(holds)
    assert outcomes == {True, False}


@pytest.mark.parametrize("f", ["gtzero", "gezero", "eqzero", "round"])
def test_cancel_residual_has_the_region_of_f(f):
    model, formula = build("cancel-residual", f=f), parse_term(info(f).formula)
    inside = parse_formula(region("cancel-residual", f=f))
    for inputs, values in points(f):
        assert (out(model, inputs, values)["x"] == rational(formula, inputs | values)) is truth(inside, inputs | values)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", ["if", "gtzero-input", "gezero-input", "eqzero-input"])
def test_the_grid_of_a_check_fills_the_wider_regions(name):
    found = check_recipe(name)
    assert found.holds and found.strings > 300
    if name == "if":
        for p, x, y in ((1, 7, -7), (0, -7, 7)):
            given = {"p": Fraction(p), "x": Fraction(x), "y": Fraction(y)}
            assert out(build("if"), given) == reference("if")(given)


def test_beyond_the_positions_a_query_reads_another_value():
    """value(query) means something at positions only; beside them the nearest is read, between two their mean."""
    model = build("lookup-quadratic")
    inside = parse_formula(region("lookup-quadratic"))
    values = [Fraction(v) for v in (3, 10, -4)]
    nearest = {1 + TINY: 3, 1 - TINY: 3, Fraction(3, 2): Fraction(13, 2), 0: 3, 4: -4, 3 + TINY: -4, 1: 3, 2: 10, 3: -4}
    for query, found in nearest.items():
        rows = [{"query": Fraction(query), "value": value} for value in values]
        assert evaluate(model, rows)[0]["found"] == found
        assert truth(inside, {"query": Fraction(query), "n": Fraction(3)}) is (query in (1, 2, 3))


def largest_tolerance(n):
    """By brute force: the least of max(total, |balance|) over the words to length n that are not well nested."""
    least = Fraction(10)
    for length in range(1, n + 1):
        for word in itertools.product((1, -1), repeat=length):
            counts = list(itertools.accumulate(word))
            total = sum(max(Fraction(-c, j), Fraction(0)) for j, c in enumerate(counts, 1)) / length
            if total or counts[-1]:
                least = min(least, max(total, Fraction(abs(counts[-1]), length)))
    return least


@together("n", range(1, 11))
@pytest.mark.sweep
def test_the_largest_tolerance_of_dyck(n):
    """1/(M (M - 1)) for the greatest even M <= N, but 1 and 1/3 for N = 1 and 3; the region says at least 1/N^2."""
    even = n - n % 2
    stated = {1: Fraction(1), 3: Fraction(1, 3)}.get(n) or Fraction(1, even * (even - 1))
    assert largest_tolerance(n) == stated >= Fraction(1, n * n)
    inside = parse_formula(region("dyck-1-nonuniform", N=n))
    assert truth(inside, {"eps": Fraction(1, n * n)}) and not truth(inside, {"eps": Fraction(1, n * n) + TINY})
    wide = replace(build("dyck-1-nonuniform", N=n), parameters=(Parameter("eps", lower=0, upper=2),))
    if n > 4:
        return
    spec = reference("dyck-1-nonuniform", {"N": n})
    words = ["".join(w) for length in range(1, n + 1) for w in itertools.product("()", repeat=length)]
    for eps, right in ((stated, True), (stated + TINY, False)):
        logits = {word: evaluate(wide, word, {"eps": eps})[-1]["accepted"] for word in words}
        assert all(logits[word] == int(spec(word)) for word in words) is right
        assert all((logits[word] > 0) is spec(word) for word in words) is right


def test_show_and_explain_say_at_least(capsys):
    for name, words in (("if", "at least where"), ("gtzero", "where"), ("dyck-1-nonuniform", "at least where")):
        assert main(["show", name]) == 0
        assert f"\nExact {words}: {region(name)}" in capsys.readouterr().out
        assert main(["explain", name]) == 0
        assert f"exact {words}  " in capsys.readouterr().out
        assert main(["explain", name, "--json"]) == 0
        assert f'"largest": {"false" if words.startswith("at") else "true"}' in capsys.readouterr().out
