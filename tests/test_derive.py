"""`derive` and `derive_cases`: cases cover the region, every position is shown, limits are stated, added tokens count.

Expected values come from the definitions by hand or from exact evaluation (`piecewise.evaluate`, `dense.run`).
"""

import random
from fractions import Fraction

import dense
import mpmath
import pytest
from attacks import piecewise
from families import together
from flint import fmpq

from symcook.derivation import MAX_CASES, derive, derive_cases
from symcook.domains.symbolic import Symbolic
from symcook.errors import BadInput, Undecided
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import parse_formula, parse_term
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.rationals import rational, truth
from symcook.model.symbols import lowered
from symcook.model.transformer import Parameter, Transformer
from symcook.numbers.evaluate import evaluate
from symcook.recipes import build


def network(*parts, readout=None, parameters=(), inputs=("x",)):
    """A feed-forward model with the coordinates x, y, z, of parts (reads, writes, W1, b1, W2, b2, activation)."""
    return Transformer(
        "network",
        Embedding(Space(("x", "y", "z")), inputs=inputs),
        tuple(Layer(None, FeedForward(*part)) for part in parts),
        readout or Readout("value", "last", ("z",)),
        parameters=parameters,
    )


def unit(reads, writes, weight, bias=0, kind="relu"):
    return ((reads,), (writes,), [[weight]], [bias], [[1]], [0], kind)


def symbol(name, lower=None, upper=None, shape="()"):
    """A parameter with the interval that two brackets show."""
    return Parameter(name, lower=lower, upper=upper, lower_open=shape[0] == "(", upper_open=shape[1] == ")")


def holding(cases, written=None, **point):
    """The outputs and verdict of the case that holds at a point; there must be one. `written`: text put for text."""
    values = {name: Fraction(value) for name, value in point.items()}

    def put(text):
        for old, new in (written or {}).items():
            text = text.replace(old, new)
        return text

    found = [d for d in cases if all(truth(parse_formula(put(text)), values) for text in d.conditions)]
    assert len(found) == 1, (values, [d.conditions for d in cases])
    return {name: rational(parse_term(put(text)), values) for name, text in found[0].output.items()}, found[0].accept


# Cases


def test_a_step_of_a_value_that_is_not_negative_has_a_case_zero():
    model = network(unit("x", "z", 0, "t + 1", "step"), parameters=(symbol("t", -1, 1, "[]"),))
    cases = derive_cases(model)
    assert [(d.conditions, d.output) for d in cases] == [(("0 < t + 1",), {"z": "1"}), (("t + 1 = 0",), {"z": "0"})]
    for t, expected in ((-1, 0), ("-999/1000", 1), (1, 1)):
        assert holding(cases, t=t) == ({"z": expected}, None)


BOXES = [
    piecewise.Box("a", lower, upper, shape[0] == "(", shape[1] == ")")
    for lower, upper in (("0", "1"), ("-1", "0"), ("0", None), (None, "0"), (None, None), ("-2", "3"))
    for shape in ("()", "[)", "(]", "[]")
    if (lower or shape[0] == "(") and (upper or shape[1] == ")")
]


@together("box", BOXES)
@together(("weight", "bias"), [(1, 0), (-1, 0), (-1, 1), (2, -1)])
def test_a_step_behind_a_relu_on_every_box(box, weight, bias):
    """z = step(w relu(a) + b), at the ends, inside, and at both bends."""
    parts = (unit("x", "y", 1), unit("y", "z", weight, bias, "step"))
    cases = derive_cases(network(*parts, parameters=(box.parameter(),)), {"x": "a"})
    for a in map(Fraction, ("-2", "-1", "-1/3", "0", "1/1000", "1/2", "1", "3")):
        if box.contains(a):
            expected = Fraction(weight * max(a, Fraction(0)) + bias > 0)
            assert holding(cases, a=a) == ({"z": expected}, None)


@pytest.mark.sweep
def test_a_sample_of_random_piecewise_models():
    """`python tests/attacks/piecewise.py --count 2400` runs more of them."""
    outcomes = []
    for seed in range(1, 16):
        r = random.Random(seed)
        outcome, wrong, count = piecewise.faults(piecewise.random_model(r), r, lines=3)
        assert not wrong, (seed, wrong[0])
        outcomes.append((outcome, count))
    assert sum(outcome == "cases" for outcome, _ in outcomes) >= 14
    assert sum(count for _, count in outcomes) > 400


def test_the_sample_sees_a_lost_case(monkeypatch):
    """A planted fault, that of a step whose value is never negative: the sample must notice."""
    resolve = Symbolic._resolve

    def never_zero(self, polynomial, put):
        for g, degree in enumerate(polynomial.degrees()):
            generator = self._field.generators[g] if degree else None
            if generator is not None and generator.kind == "step" and not self._signs.of(generator.argument) & 1:
                put[g] = self._field.one
        resolve(self, polynomial, put)

    monkeypatch.setattr(Symbolic, "_resolve", never_zero)
    r = random.Random(0)
    model = network(unit("x", "z", 1, 0, "step"), parameters=(symbol("a", 0, 1, "[]"),))
    case = piecewise.Piecewise(model, [piecewise.Box("a", "0", "1", False, False)], [{"x": "a"}], ())
    monkeypatch.setattr(piecewise, "COORDINATES", ("x", "y", "z"))
    outcome, wrong, _ = piecewise.faults(case, r)
    assert outcome == "cases" and wrong


def test_an_assumption_about_a_root_may_ask_for_the_box_of_that_root():
    """max(0, c - sqrt(c) - 1) + max(0, c - 2) + max(0, c - 5 sqrt(c) - 3), c >= 0, at squares and at c = 2."""
    part = (("x",), ("z",), [[1], [1], [1]], ["-sqrt(c) - 1", -2, "-5*sqrt(c) - 3"], [[1, 1, 1]], [0])
    cases = derive_cases(network(part, parameters=(symbol("c", 0, None, "[)"),)), {"x": "c"})
    for root in map(Fraction, (0, 1, "7/5", "3/2", "8/5", 2, 5, 6)):
        c = root * root
        expected = max(c - root - 1, Fraction(0)) + max(c - 2, Fraction(0)) + max(c - 5 * root - 3, Fraction(0))
        assert holding(cases, {"sqrt(c)": "root"}, c=c, root=root) == ({"z": expected}, None)


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("weight", ["exp(-c)", "tanh", "sqrt(c)"])
def test_assumptions_with_functions_end(weight):
    part = (("x",), ("z",), [[1], [1]], [f"-{weight}" if weight != "tanh" else "-exp(c)/(1 + exp(c))", -2],
            [[1, 1]], [0])  # fmt: skip
    cases = derive_cases(network(part, parameters=(symbol("c", 0, None, "[)"),)), {"x": "c"})
    assert 2 <= len(cases) <= 4


def test_a_weight_that_is_not_defined_for_some_values_says_for_which():
    model = network((("x",), ("z",), [[1]], [0], [["c/(c - min(1/2, c))"]], [0]), parameters=(symbol("c", 0, 1, "(]"),))
    with pytest.raises(BadInput, match=r"denominator must not be zero.*which is 0 where 2\*c - 1 <= 0"):
        derive_cases(model, {"x": 1})
    with pytest.raises(BadInput, match=r"which is 0 where 2\*c - 1 <= 0"):
        derive(model, {"x": 1})
    (found,) = derive_cases(model, {"x": 1}, {"c": "3/4"})
    assert found.output == {"z": "3"}


def test_a_root_that_is_not_defined_for_some_values_says_for_which():
    model = network((("x",), ("z",), [[1]], [0], [["sqrt(c - 1)"]], [0]), parameters=(symbol("c", 0),))
    with pytest.raises(BadInput, match=r"sqrt must not be negative.*c - 1, which is negative where c - 1 < 0; declare"):
        derive_cases(model, {"x": 1})
    assert derive_cases(model, {"x": 1}, {"c": 5})[0].output == {"z": "2"}


def test_a_division_by_what_vanishes_nowhere_in_a_case():
    """x/(1 + |a|) and x/(|a| - 3) on -1 <= a <= 1: two cases each, and no refusal."""
    for weight, at in (("1/(1 + abs(a))", Fraction(2, 3)), ("1/(abs(a) - 3)", Fraction(-2, 5))):
        model = network((("x",), ("z",), [[1]], [0], [[weight]], [0]), parameters=(symbol("a", -1, 1, "[]"),))
        cases = derive_cases(model, {"x": 1})
        for a in ("1/2", "-1/2"):
            assert holding(cases, a=a) == ({"z": at}, None)


def test_norms_without_variance_by_cases():
    """A norm of (a, b, b) with epsilon 0 that answers zeros: its first entry is +-sqrt(2) or 0."""
    norm = LayerNorm(("x", "y", "z"), epsilon=0, zero_variance="zero")
    block = FeedForward(("x",), ("x",), [[0]], [0], [[0]], [0])
    model = Transformer(
        "norm",
        Embedding(Space(("x", "y", "z")), inputs=("x", "y", "z")),
        (Layer(None, block, feedforward_norms=(norm,), placement="post"),),
        Readout("sign", "last", ("x",), weights=[[1]]),
        parameters=(symbol("a"), symbol("b")),
    )
    cases = derive_cases(model, {"x": "a", "y": "b", "z": "b"})
    for a, b, accept in ((1, 0, True), (0, 1, False), (2, 2, False)):
        values = {"a": Fraction(a), "b": Fraction(b)}
        (found,) = [d for d in cases if all(truth(parse_formula(t), values) for t in d.conditions)]
        assert found.accept is accept
        assert (found.output["logit"] == "0") is (a == b)


# Deciding


def deciding(kind, position, reads=("x", "y")):
    """Two rows of (x, y); a head puts the mean of x into z. Weights 1 and -2."""
    head = Head(("x",), ("z",), Q=[[0]], K=[[0]], V=[[1]])
    weights = [[1, -2][: len(reads)]] if kind == "sign" else None
    return Transformer(
        "deciding",
        Embedding(Space(("x", "y", "z")), inputs=("x", "y")),
        (Layer(SelfAttention((head,))),),
        Readout(kind, position, reads, weights),
        parameters=(symbol("a", -1, 1, "[]"), symbol("b")),
    )


ROWS = [{"x": "a", "y": "b"}, {"x": "a - 1", "y": "a*b"}]


@together("kind", ["sign", "zero"])
@together("position", ["first", "last", "each", "all"])
@together("reads", [("x",), ("x", "y"), ("y", "z")])
def test_verdicts_by_cases(kind, position, reads):
    """Every readout that decides, at a grid of points with all zeros of what it compares."""
    cases = derive_cases(deciding(kind, position, reads), ROWS)
    for a in map(Fraction, ("-1", "-1/2", "0", "1/2", "1")):
        for b in map(Fraction, ("-1", "0", "1/4", "1/2", "2")):
            values = {"a": a, "b": b}
            rows = [{"x": a, "y": b, "z": a - Fraction(1, 2)}, {"x": a - 1, "y": a * b, "z": a - Fraction(1, 2)}]
            verdicts = []
            for row in rows:
                read = [row[name] for name in reads]
                logit = sum(w * v for w, v in zip((1, -2), read, strict=False))
                verdicts.append(all(v == 0 for v in read) if kind == "zero" else logit > 0)
            (found,) = [d for d in cases if all(truth(parse_formula(t), values) for t in d.conditions)]
            expected = {"first": verdicts[0], "last": verdicts[1], "each": verdicts[1], "all": all(verdicts)}[position]
            assert found.accept is expected
            several = {"each": verdicts, "all": [None, None]}  # all together have one verdict
            assert [one.accept for one in found.each] == several.get(position, [])


def test_a_verdict_that_cases_do_not_change():
    """Decided without a split: accept and reject for all values; and open where cases are off."""
    model = network(unit("x", "z", 1, "c"), readout=Readout("sign", "last", ("z",), weights=[[1]]),
                    parameters=(symbol("c", 0),))  # fmt: skip
    assert [d.accept for d in derive_cases(model, {"x": 1})] == [True] == [derive(model, {"x": 1}).accept]
    assert [d.accept for d in derive_cases(model, {"x": "-c"})] == [False] == [derive(model, {"x": "-c"}).accept]
    assert derive(model, {"x": "c - 1"}).accept is None
    assert (
        "  verdict: undecided: the answer depends on the parameters"
        in derive(model, {"x": "c - 1"}).text().splitlines()
    )
    assert sorted(d.accept for d in derive_cases(model, {"x": "c - 1"})) == [False, True]


# Positions


def test_a_readout_at_each_position_shows_each_with_its_label():
    found = derive(build("first-position"), "010")
    assert found.text() == (
        "first-position on 010\n  position 1: first = 1\n  position 2: first = 0\n  position 3: first = 0"
    )
    assert found.to_json()["outputs"] == [
        {"position": place, "output": {"first": str(int(place == 1))}, "accept": None} for place in (1, 2, 3)
    ]
    assert found.output == {"first": "0"}
    assert "\\mathrm{first}_{1} &= 1 \\\\\n\\mathrm{first}_{2} &= 0 " in found.latex()
    assert ">position 2: first</th>" in found._repr_html_()


def test_each_position_in_symbols_and_by_cases():
    found = derive(build("prefix-average"), [{"x": "a"}, {"x": "b"}, {"x": "a"}])
    assert [one.output["mean"] for one in found.each] == ["a", "a/2 + b/2", "2*a/3 + b/3"]
    model = deciding("sign", "each", ("x",))
    text = derive(model, ROWS).text().splitlines()
    assert text[1:5] == [
        "  position 1: x = a",
        "  position 1: logit = a",
        "  position 1: verdict: undecided: the answer depends on the parameters",
        "  position 2: x = a - 1",
    ]
    for case in derive_cases(model, ROWS):
        assert [one.position for one in case.each] == [1, 2]
        assert [one.accept for one in case.each] == [case.conditions == ("0 < a",), False]


def test_readouts_at_one_position_keep_their_document():
    found = derive(build("dyck-1"), "()")
    assert "outputs" not in found.to_json() and found.each == ()
    assert found.text() == "dyck-1 on ()\n  total = 0\n  balance = 0\n  verdict: accept"


# Added tokens


def with_ends(before, after, start, position="each"):
    """Position, and the mean of `token` before; BOS counts 5, EOS counts -7 and CLS 5."""
    words = {"a": {"token": 1}, "long": {"token": "c"}}
    for name, value in ((before, 5), (after, -7)):
        if name is not None:
            words[name] = {"token": value}
    head = Head(("token",), ("mean",), Q=[[0]], K=[[0]], V=[[1]], mask="future")
    return Transformer(
        "ends",
        Embedding(
            Space(("token", "index", "mean")), words=words, positions={"index": "i/n"},
            start=start, before=before, after=after,
        ),
        (Layer(SelfAttention((head,))),),
        Readout("value", position, ("mean", "index")),
        parameters=(symbol("c"),),
    )  # fmt: skip


@together(("before", "after"), [("<bos>", None), ("CLS", None), (None, "<eos>"), ("<bos>", "<eos>")])
@together("start", [0, 1])
def test_models_that_add_tokens_are_derived(before, after, start):
    """The tokens are added once, positions count them, and the values are those of an exact run and of a dense one."""
    model, word = with_ends(before, after, start), ("a", "long", "a")
    found = derive(model, word)
    assert found.symbols == ("c",)
    length = 3 + (before is not None) + (after is not None)
    assert [one.position for one in found.each] == list(range(start, start + length))
    tokens = [*([5] if before else []), 1, Fraction(2, 9), 1, *([-7] if after else [])]
    bound = model.bind({"c": "2/9"})
    ran, states = bound.run(word), dense.run(bound, model.tokens(word))
    for place, one in enumerate(found.each):
        got = {name: rational(parse_term(text), {"c": Fraction(2, 9)}) for name, text in one.output.items()}
        assert got == {"mean": Fraction(sum(tokens[: place + 1]), place + 1), "index": Fraction(start + place, length)}
        assert {name: Fraction(value) for name, value in ran.outputs[place].items()} == got
        assert {name: states[place][name] for name in got} == got
    assert [d.output for d in derive_cases(model, word)] == [found.output]


@pytest.mark.parametrize("position", ["first", "last"])
def test_readouts_of_models_that_add_tokens(position):
    found = derive(with_ends("CLS", "<eos>", 0, position), ("a",))
    mean = {"first": Fraction(5), "last": Fraction(-1, 3)}[position]
    assert found.output == {"mean": str(mean), "index": {"first": "0", "last": "2/3"}[position]}


# Limits


@pytest.mark.sweep
def test_more_cases_than_the_limit_are_refused_with_it_and_progress_is_told():
    """Seven free inputs through ReLUs: 128 cases."""
    names = tuple(f"x{k}" for k in range(7))
    eye = [[int(r == c) for c in range(7)] for r in range(7)]
    block = FeedForward(names, ("z",), eye, [0] * 7, [[1] * 7], [0])
    embedding = Embedding(Space((*names, "z")), inputs=names)
    model = Transformer("wide", embedding, (Layer(None, block),), Readout("value", "last", ("z",)))
    told = []
    with pytest.raises(Undecided, match=f"wide on .* needs more than {MAX_CASES} cases; set a symbol or an input"):
        derive_cases(model, progress=lambda found, most: told.append((found, most)))
    assert {most for _, most in told} == {MAX_CASES}
    counts = [found for found, _ in told]
    assert counts == sorted(counts) and set(counts) == set(range(MAX_CASES + 1))
    six = {name: 1 for name in names[:1]}
    assert len(derive_cases(model, six)) == MAX_CASES


@pytest.mark.parametrize("impossible", [None, 0, 3])
def test_exactly_as_many_cases_as_the_limit_are_derived(monkeypatch, impossible):
    """The number of a way that no values allow; it may be the last, or the first."""
    import symcook.derivation
    from symcook.domains.signs import Impossible

    def found(self, choices):
        way = 2 * choices.take(2) + choices.take(2)
        if way == impossible:
            raise Impossible("no values")
        return way

    monkeypatch.setattr(symcook.derivation._Task, "derive", found)
    model = build("min")
    cases = derive_cases(model)
    monkeypatch.setattr(symcook.derivation, "MAX_CASES", len(cases))
    assert len(cases) == 4 - (impossible is not None) and derive_cases(model) == cases
    monkeypatch.setattr(symcook.derivation, "MAX_CASES", len(cases) - 1)
    with pytest.raises(Undecided, match=f"needs more than {len(cases) - 1} cases"):
        derive_cases(model)


def test_ways_that_no_values_allow_are_limited_too(monkeypatch):
    import symcook.derivation

    monkeypatch.setattr(symcook.derivation, "MAX_TRIED", 2)
    with pytest.raises(Undecided, match="more than 2 ways to decide its comparisons"):
        derive_cases(build("gtzero"))


# Numbers that are not rational, and quotients


def test_positions_that_are_irrational():
    """sqrt(i) and 1/sqrt(i) at i = 1, 2, 3, 4, beside rational positions."""
    model = Transformer(
        "roots",
        Embedding(Space(("x", "root", "inverse")), inputs=("x",),
                  positions={"root": "sqrt(i)", "inverse": "1/sqrt(n + i)"}),
        (),
        Readout("value", "each", ("root", "inverse")),
    )  # fmt: skip
    found = derive(model, [{"x": 0}] * 4)
    assert [one.output["root"] for one in found.each] == ["1", "sqrt(2)", "sqrt(3)", "2"]
    assert [one.output["inverse"] for one in found.each] == ["sqrt(5)/5", "sqrt(6)/6", "sqrt(7)/7", "sqrt(2)/4"]
    one = derive(model, [{"x": 0}])
    assert one.output == {"root": "1", "inverse": "sqrt(2)/2"}


@pytest.mark.parametrize(
    ("weight", "shape", "at", "expected"),
    [("1/c", (None, 0), -2, "-1/2"), ("1/(c - 3)", (None, 3), 1, "-1/2"), ("c/(c^2 + 1)", (None, None), -2, "-2/5"),
     ("1/(c*(c + 1))", (None, -1), -2, "1/2"), ("1/c^3", (None, 0), -2, "-1/8")],
)  # fmt: skip
def test_division_by_what_is_negative(weight, shape, at, expected):
    model = network((("x",), ("z",), [[1]], [0], [[weight]], [0]), parameters=(symbol("c", *shape),))
    (case,) = derive_cases(model, {"x": 1})
    assert derive(model, {"x": 1}).output == case.output
    assert rational(parse_term(case.output["z"]), {"c": Fraction(at)}) == Fraction(expected)


def test_exponentials_of_symbols_as_coefficients():
    """e^c, e^-c and e^(2c)/e, whose product is e^(2c - 1): against mpmath."""
    for weight, exponent in (("exp(c)", 1), ("exp(-c)", -1), ("exp(2*c)/exp(c)^3", -1), ("exp(c/2)*exp(-2*c)", -1.5)):
        model = network((("x",), ("z",), [[1]], [0], [[weight]], [0]), parameters=(symbol("c"),))
        text = derive(model, {"x": 2}).output["z"]
        with mpmath.workdps(40):
            c = mpmath.mpf(1) / 3
            got = mpmath.mpf(evaluate(parse_term(text), {"c": Fraction(1, 3)}).mid().str(35, radius=False))
            assert abs(got - 2 * mpmath.exp(exponent * c)) < mpmath.mpf(10) ** -12, (weight, text)


@pytest.mark.parametrize("kind", ["relu", "step"])
def test_a_quotient_whose_denominator_has_either_sign(kind):
    """max(0, x/y), I[x/y > 0] and of (x - 1)/(y + x + 1/7): at points on all sides of both lines."""
    domain = Symbolic(inputs=("x", "y"))
    domain.begin(({"x": lowered("x"), "y": lowered("y")},), 1)
    (x,), (y,) = domain.input("x"), domain.input("y")
    one = domain.linear([], 1)[0]
    quotients = (
        (x / y, lambda a, b: a / b),
        ((x - one) / (y + x + fmpq(1, 7)), lambda a, b: (a - 1) / (b + a + Fraction(1, 7))),
    )
    for value, by_hand in quotients:
        text = domain.show(domain.read(domain.activate([value], kind), 0), 30)
        for a in map(Fraction, (-3, "-1/2", "1/3", 2)):
            for b in map(Fraction, (-2, "-1/3", "1/5", 3)):
                inside = by_hand(a, b)
                expected = max(inside, Fraction(0)) if kind == "relu" else Fraction(inside > 0)
                assert rational(parse_term(text), {"x": a, "y": b}) == expected, (text, a, b)
