"""Float64 does what a float runtime does: close to exact where that is well conditioned, and no better."""

import math
import random
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from families import together
from shared import lookup, rows

from symcook.domains import floats, make_domain
from symcook.domains.rowwise import visible
from symcook.errors import BadInput, Undecided
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import ACTIVATIONS, MASKS, WEIGHTINGS, FeedForward, Head, Layer, Mask
from symcook.model.symbols import exact, lowered, symbol
from symcook.model.transformer import Transformer
from symcook.numbers.evaluate import float_of
from symcook.run import run
from symcook.verify.sweep import check

WORDS = Embedding(Space(("token", "mean", "out")), words={"+": {"token": 1}, "-": {"token": "-1/3"}})


def by_definition(score, values, seen, weighting):
    """One row of attention, in Fractions but for the exponentials."""
    scores = {j: score(j) for j in seen}
    if not scores:
        return 0.0
    top = max(scores.values())
    if weighting == "softmax":
        weights = {j: math.exp(float(s - top)) for j, s in scores.items()}
        return sum(w * values[j] for j, w in weights.items()) / sum(weights.values())
    best = [j for j, s in scores.items() if s == top]
    best = {"leftmost": best[:1], "rightmost": best[-1:]}.get(weighting, best)
    return float(sum((values[j] for j in best), Fraction(0)) / len(best))


KINDS = {"float64": 2.0**-48, "float32": 2.0**-20, "float16": 2.0**-9}


@together("kind", KINDS)
@together("weighting", WEIGHTINGS)
@together("mask", MASKS)
def test_scans_blocks_and_running_sums_follow_the_definition_in_every_type(kind, mask, weighting):
    # small dyadic numbers: scores are exact, ties are many, and maxima stand anywhere
    generator = random.Random(f"{mask} {weighting}")
    for n in (1, 2, 3, 17):
        for same_query in (False, True):
            q, k, v = ([generator.randint(-2, 2) for _ in range(n)] for _ in range(3))
            q = [generator.choice([-2, 1])] * n if same_query else q
            domain = make_domain(kind)
            with domain.context():
                domain.begin(tuple({"q": a, "k": b, "v": c} for a, b, c in zip(q, k, v, strict=True)), 1)
                columns = [domain.input(name) for name in "qkv"]
                scored = domain.attend([columns[0]], [columns[1]], [columns[2], columns[1]], Mask(mask), weighting, 1)
                plain = domain.attend([], [], [columns[2]], Mask(mask), weighting, 1)
            assert all(column.dtype == kind for column in (*scored, *plain))
            for i in range(n):
                seen = visible(Mask(mask), i, n)
                for found, values in ((scored[0], v), (scored[1], k)):
                    wanted = by_definition(lambda j, a=q[i], k=k: a * k[j], values, seen, weighting)
                    assert abs(float(found[i]) - wanted) <= 2 * KINDS[kind]
                wanted = by_definition(lambda j: 0, v, seen, weighting)
                assert abs(float(plain[0][i]) - wanted) <= 2 * KINDS[kind]


@together("kind", KINDS)
@together("activation", ACTIVATIONS)
def test_activations_are_near_those_of_balls(kind, activation):
    domain, balls = make_domain(kind), make_domain("ball")
    values = [Fraction(x, 8) for x in (-800, -300, -100, -40, -17, -8, -1, 0, 1, 8, 17, 40, 100, 300, 800)]
    found = []
    for system in (domain, balls):
        with system.context():
            system.begin(tuple({"x": x} for x in values), 1)
            column = system.activate(system.input("x"), activation)
            found.append([float(system.read(column, place)) for place in range(len(values))])
    assert all(abs(a - b) <= KINDS[kind] * max(1, abs(b)) for a, b in zip(*found, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_norm_distribution_and_largest_are_near_those_of_balls(kind):
    generator = random.Random(4)
    rows = [{c: Fraction(generator.randint(-16, 16), 4) for c in "abc"} for _ in range(9)]
    rows += [{"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 2, "c": 2}]
    found = []
    for name in (kind, "ball"):
        system = make_domain(name)
        with system.context():
            system.begin(tuple(rows), 1)
            columns = [system.input(c) for c in "abc"]
            parts = system.layer_norm(columns, Fraction(1, 100), "refuse") + system.distribution(columns)
            parts += system.layer_norm(columns, 0, "zero")
            found.append([float(system.read(c, j)) for c in parts for j in range(len(rows))])
            firsts = [list(row.values()).index(max(row.values())) for row in rows]
            assert system.largest(columns) == firsts
            with pytest.raises(BadInput, match=r"position 10.*epsilon"):
                system.layer_norm(columns, 0, "refuse")
    assert all(abs(a - b) <= 4 * KINDS[kind] for a, b in zip(*found, strict=True))


@pytest.mark.layer_one(0, 2)
@pytest.mark.parametrize("mask", MASKS)
def test_running_means_follow_exact_ones(mask):
    head = Head(("token",), ("mean",), [[0]], [[0]], [[1]], mask=mask)
    model = Transformer("mean", WORDS, (Layer(head),), Readout("value", "each", ("mean",)))
    word = "".join(random.Random(5).choices("+-", k=300))
    values = [Fraction(1) if c == "+" else Fraction(-1, 3) for c in word]
    found = run(model, word, "float64").outputs
    for i, value in enumerate(found, 1):
        seen = [values[j] for j in visible(Mask(mask), i - 1, 300)]
        assert type(value) is float and math.isclose(value, sum(seen) / (len(seen) or 1), abs_tol=1e-12)


@pytest.mark.parametrize("block", [1, 7, 2**20])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_attention_by_blocks_follows_the_definition(monkeypatch, block, mask, weighting):
    monkeypatch.setattr(floats, "BLOCK", block)
    generator = random.Random(9)
    q, k, v = ([Fraction(generator.randint(-6, 6), 2) for _ in range(9)] for _ in range(3))
    found = run(lookup(weighting, mask, "1/i"), rows(q=q, key=k, v=v), "float64").outputs
    for i in range(9):
        wanted = by_definition(lambda j, i=i: q[i] * k[j] * (i + 1), v, visible(Mask(mask), i, 9), weighting)
        assert math.isclose(found[i], wanted, rel_tol=1e-12, abs_tol=1e-12)


def test_softmax_of_enormous_scores_is_finite():
    out = run(lookup(), rows(q=[10**9] * 3, key=[1, -1, 1], v=[1, 50, 3]), "float64").outputs
    assert out == [2.0, 2.0, 2.0]


def test_hard_attention_sees_ties_as_floats_do():
    # 1/10 + 2/10 and 3/10 tie exactly; as float64 they differ, and the first is the greater
    head = Head(("a", "b", "v"), ("out",), [[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 0]], [[0, 0, 1]])
    embedding = Embedding(Space(("a", "b", "v", "out")), inputs=("a", "b", "v"))
    model = Transformer("tie", embedding, (Layer(head),), Readout("value", "first", ("out",)))
    given = [{"a": 1, "b": 1, "v": 0}, {"a": "1/10", "b": "2/10", "v": 1}, {"a": "3/10", "b": 0, "v": 3}]
    assert run(model, given, "float64").output == run(model, given).output | {"out": 0.0}
    assert 0.1 + 0.2 > 0.3
    only = Head(("a", "b", "v"), ("out",), [[0, 0, 1], [0, 0, 1]], [[1, 0, 0], [0, 1, 0]], [[0, 0, 1]])
    model = Transformer("tie", embedding, (Layer(only),), Readout("value", "first", ("out",)))
    given = [{"a": "1/10", "b": "2/10", "v": 1}, {"a": "3/10", "b": 0, "v": 3}]
    assert run(model, given, "float64").output == {"out": 1.0}
    assert run(model, given).output == {"out": "2"}


def test_a_float_verdict_may_be_wrong_and_says_so_as_a_float_would():
    block = FeedForward(("token",), ("out",), [[1]], ["10^-20"], [[1]], [0])
    readout = Readout("zero", "last", ("mean",))
    model = Transformer("tiny", WORDS, (Layer(None, block), Layer(None, FeedForward(
        ("out", "token"), ("mean",), [[1, -1]], [0], [[1]], [0]))), readout)  # fmt: skip
    assert run(model, "+").accept is False and run(model, "+", "float64").accept is True


@pytest.mark.parametrize("kind", ["float64", "float32", "float16"])
def test_overflow_is_refused_in_one_sentence(kind):
    def network(first, second):
        block = FeedForward(("token",), ("out",), [[first]], [0], [[second]], [0])
        return Transformer("big", WORDS, (Layer(None, block),), Readout("sign", "last", ("out",), weights=[[1]]))

    for model in (network("10^300", "10^300"), network("10^400", "-10^400")):
        with pytest.raises(BadInput, match=f'a value in {kind} must stay between .* use .*domain="ball"'):
            run(model, "+", kind)


@together("kind", ["float64", "float32"])
@together("weighting", WEIGHTINGS)
@together("mask", MASKS)
def test_scores_beyond_the_range_are_refused(kind, weighting, mask):
    given = rows(q=[10**30, 10**30, 10**31], key=[10**290, 10**291, -1], v=[1, 2, 3])
    with pytest.raises(BadInput, match=f"a value in {kind} must stay between"):
        run(lookup(weighting, mask), given, kind)


def test_a_variance_beyond_the_range_is_refused():
    domain = make_domain("float64")
    domain.begin(({"x": 10**200, "y": -(10**200)},), 1)
    with domain.context(), pytest.raises(BadInput, match="a value in float64 must stay between"):
        domain.layer_norm([domain.input(name) for name in "xy"], 0, "refuse")


def test_a_position_function_without_a_value_is_bad_input():
    embedding = Embedding(Space(("x",)), words={"a": {}}, positions={"x": "1/(i - 2)"})
    block = FeedForward(("x",), ("x",), [[1]], [0], [[1]], [0])
    model = Transformer("pole", embedding, (Layer(None, block),), Readout("value", "last", ("x",)))
    for domain in ("float64", "ball", "exact"):
        assert run(model, "a", domain).output
        with pytest.raises(BadInput):
            run(model, "aa", domain)
    with pytest.raises(BadInput):
        check(model, lambda w: 0, 2)


def test_long_inputs_in_linear_memory():
    head = Head(("token",), ("mean",), [[0]], [[0]], [[1]], mask="future")
    model = Transformer("mean", WORDS, (Layer(head),), Readout("value", "last", ("mean",)))
    value = run(model, "+" * 100_000, "float64").output["mean"]  # a dense score matrix would take 80 GB
    assert np.isclose(value, 1.0)


@pytest.mark.parametrize(("kind", "limit"), [("float16", "65504"), ("float32", "3.4028")])
def test_what_leaves_the_range_of_a_narrow_type_is_bad_input(kind, limit):
    for weight in ("10^20", "10^400"):
        block = FeedForward(("token",), ("out",), [[weight]], [0], [[weight]], [0])
        model = Transformer("big", WORDS, (Layer(None, block),), Readout("value", "last", ("out",)))
        with pytest.raises(BadInput, match=limit):
            run(model, "+", kind)
    norm_of_large = make_domain(kind)
    norm_of_large.begin(({"x": 60000, "y": -60000},), 1)
    assert norm_of_large.layer_norm([norm_of_large.input(c) for c in "xy"], 0, "refuse")[0][0] == 1


def test_a_number_that_is_none_is_an_open_answer():
    domain = make_domain("float64")
    column = np.array([math.nan, 1.0, 0.0])
    assert domain.positive(column) == [None, True, False] and domain.zero(column) == [None, False, True]
    assert domain.largest([column, column[::-1]]) == [None, 0, None]


POSITIONS = ["i/n", "(-1)^i*i/n", "if(i = 3, 0, 1/(i - 3))", "sqrt(i) - log(i + 1)", "if(2*i <= n, exp(-i), 1/i^2)",
             "sum(j, 1, 3, j*i)", "sum(j, 1, i, 1/j)", "max(i, n/2)*sin(pi*i/n)", "I[i/3 = 1]*tanh(i)", "abs(2 - i)",
             "2^i", "I[i = 1 | ~(i < n) & i > 2]", "erf(i/n)", "i^(1/3)",
             "cos(i) + I[i/10 + 2/10 <= 3/10]", "cos(i) + I[i < 3 & i/10 + 2/10 <= 3/10]",
             "cos(i) + I[i/10 + 2/10 <= 3/10 & i < 3]", "cos(i) + I[11*pi + i*pi = (i + 11)*pi]"]  # fmt: skip


@together("start", [0, 1])
@together("text", POSITIONS)
def test_position_functions_at_once_are_those_one_by_one(text, start):
    domain = make_domain("float64")
    expression = exact(text)
    domain.begin(("a",) * 9, start)
    found = domain.positions(lowered(expression))
    for place in range(9):
        value = expression.subs({symbol("i"): start + place, symbol("n"): 9}).doit()
        assert math.isclose(found[place], float_of(lowered(value)), rel_tol=1e-13, abs_tol=1e-14), place


def test_poles_and_open_comparisons_of_position_functions_are_refused():
    domain = make_domain("float32")
    domain.begin(("a",) * 4, 1)
    for text in ("1/(i - 2)", "log(i - 1)", "if(i = 2, 1/(i - 2), 1)"):
        with pytest.raises(BadInput):
            domain.positions(lowered(text))
    with pytest.raises(Undecided):
        domain.positions(lowered("if(log(8) = 3*log(2), i, 0)"))


def test_softmax_and_hard_attention_of_many_positions_stay_small():
    n = 10_000
    domain, generator = make_domain("float64"), np.random.default_rng(1)
    domain.begin(("a",) * n, 1)
    q, k, v = (generator.normal(size=n) for _ in range(3))
    for weighting in ("softmax", "average"):
        tracemalloc.start()
        with domain.context():
            found = domain.attend([q], [k], [v], Mask.FUTURE, weighting, 1)[0]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 16 * 2**20, peak  # one dense score matrix would take 763 MiB
        scores = q[-1] * k
        weights = np.exp(scores - scores.max()) if weighting == "softmax" else (scores == scores.max()).astype(float)
        assert math.isclose(found[-1], weights @ v / weights.sum(), rel_tol=1e-11)
