"""The domain of all lengths against exact runs, word by word."""

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import forms_said
import pytest
from at_words import AtWord, alike, at_each, words

import symcook as sc
from symcook.closed import every_length
from symcook.domains import make_domain
from symcook.domains.lengths import Lengths, OutOfRules
from symcook.errors import BadInput
from symcook.forward import forward
from symcook.model.transformer import Transformer
from symcook.recipes import build


def compared(model: Transformer, longest: int, softmax: bool = False) -> tuple[int, int]:
    """How many values of all coordinates after each part agree, and how many columns are out of reach."""
    domain = Lengths(model)
    result = forward(model, ("",), domain, trace=True, weights=False)
    empty = model.embedding.before is not None or model.embedding.after is not None
    many = 0
    for word in words(model.alphabet, longest, empty):
        numbers: Any = make_domain("ball" if softmax else "exact")
        run = forward(model, model.embedding.surround(word), numbers, trace=True, weights=False)
        here = AtWord(model, domain.world, word)
        for step, other in zip(result.steps, run.steps, strict=True):
            for name, column in step.columns.items():
                for place, value in enumerate(at_each(here, column)):
                    wanted = numbers.read(other.columns[name], place)
                    assert same(value, wanted, numbers), (word, name, step.layer, step.part, place, value, wanted)
                    many += 1
    return many, sum(isinstance(c, OutOfRules) for c in result.steps[-1].columns.values())


def same(value: Any, wanted: Any, numbers: Any) -> bool:
    if numbers.name == "exact":
        return alike(value, Fraction(wanted)) if isinstance(wanted, int | Fraction) else _near(value, wanted)
    middle = Fraction(str(numbers.show(wanted, 30)["mid"])) if not isinstance(wanted, Fraction) else wanted
    return abs(float(value) - float(middle)) < 1e-13 * max(1, abs(float(middle)))


def _near(value: Any, wanted: Any) -> bool:
    from at_words import MP

    from symcook.model.symbols import to_sympy

    return abs(value - MP.mpf(str(to_sympy(wanted, {}).evalf(45)))) < MP.mpf(10) ** -25


def majority() -> Transformer:
    builder = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    mean = builder.add(sc.head(value={"mean": "vote"}, mask="future"))
    builder.readout("sign", "last", mean, weights=[1])
    return builder.build("majority")


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("name", ["dyck-1", "first-position", "count", "parity", "first", "first-flawed"])
def test_the_recipes_on_all_words_to_length_7(name: str) -> None:
    model = build(name)
    if model.parameters:
        model = model.bind({"c": Fraction(3, 2)})
    many, open_ = compared(model, 7 if name in ("dyck-1", "first-position", "count") else 5, bool(softmax(model)))
    assert many > 500
    assert open_ == 0


@pytest.mark.sweep
def test_values_beside_a_tolerance() -> None:
    """Zero tests of sums and of counts, at every position of all words to length 7."""
    model = build("dyck-1-nonuniform", N=7).bind({"eps": Fraction(1, 50)})
    many, open_ = compared(model, 7)
    assert (many > 500, open_) == (True, 0)


def softmax(model: Transformer) -> list[Any]:
    heads = (head for layer in model.layers if layer.attention for head in layer.attention.heads)
    return [head for head in heads if head.weighting == "softmax"]


@pytest.mark.parametrize("m", [2, 3, 4])
@pytest.mark.sweep
def test_quadratic_scores_have_one_greatest(m: int) -> None:
    many, open_ = compared(build("modulo", m=m), 6, m == 3)  # sqrt(3): in balls
    assert (many > 500, open_) == (True, 0)


@pytest.mark.layer_one(0, 2)
@pytest.mark.parametrize("mask", ["none", "future", "strict-future", "past", "strict-past"])
@pytest.mark.parametrize("place", ["i", "-i", "2*i - n", "i/n", "3 - i"])
def test_linear_scores_look_at_an_end(place: str, mask: str) -> None:
    """By the position, of each letter and of a token in front of them."""
    words = {"a": {"x": 1}, "b": {"x": -2}, "BOS": {"x": 5}}
    for weighting, before in (("average", None), ("average", "BOS"), ("leftmost", None), ("rightmost", "BOS")):
        builder = sc.Builder(
            words=words if before else {k: v for k, v in words.items() if k != "BOS"},
            positions={"p": place, "q": "1"}, before=before, start=0 if before else 1,
        )  # fmt: skip
        read = builder.add(sc.head({("q", "p"): 1}, {"there": "x"}, mask=mask, weighting=weighting))
        builder.readout("sign", "last", read, weights=[1])
        many, open_ = compared(builder.build("ends"), 4)
        assert (many > 300, open_) == (True, 0)


def test_a_majority_of_ones_own() -> None:
    many, open_ = compared(majority(), 7)
    assert (many, open_) == (2 * 2 * sum(n * 2**n for n in range(1, 8)) - sum(n * 2**n for n in range(1, 8)), 0)


PLACES = ["0", "(-1)^i", "i", "1/(i + 1)", "I[i = 1]", "i/n", "1/n", "(-1)^i*i", "I[i <= 2]", "2*i - n", "I[i = n]"]
MASKS = ["none", "future", "future", "strict-future", "past", "strict-past"]


def drawn(seed: int) -> tuple[Transformer, bool]:
    """A random model of two layers: counts, thresholds of counts, CLS or BOS, several heads, queries unlike keys."""
    rng = random.Random(seed)
    letters = rng.choice(["ab", "01", "abc", "()"])
    before = rng.choice([None, None, "CLS", "BOS"])
    table = {t: {"x": rng.randint(-2, 2), "y": rng.randint(0, 1)} for t in [*letters, *([before] if before else [])]}
    soft = rng.random() < 0.3
    space, layers = ["x", "y", "p"], []
    for layer in (1, 2):
        reads = [*space]
        heads = []
        for h in range(rng.randint(1, 2)):
            new = f"h{layer}{h}"
            value = f"{rng.choice([-1, 1, 2])}*{rng.choice(reads)} + {rng.choice([-1, 1])}*{rng.choice(reads)}"
            how: dict[str, Any] = {"mask": rng.choice(MASKS)}
            if soft and rng.random() < 0.6:
                pair = (rng.choice(["x", "y", "p"]), rng.choice(["x", "y"]))
                heads.append(sc.head({pair: rng.choice([1, -1])}, {new: value}, weighting="softmax", **how))
            else:
                heads.append(sc.head(value={new: value}, **how))
            space.append(new)
        units = {
            f"u{layer}{k}": f"relu({rng.choice([1, -1, 2])}*{space[-1 - k % 2]} + {rng.choice([0, 0, 1, -1])})"
            for k in (0, 1)
        }
        layers.append((heads, units))
        space += list(units)
    places = rng.choice(PLACES)
    embedding = sc.Embedding(
        sc.Space(tuple(space)), words=table, positions={"p": places}, before=before, start=rng.choice([0, 1])
    )
    parts = tuple(sc.Layer(sc.SelfAttention(tuple(heads)), sc.feedforward(units)) for heads, units in layers)
    return sc.Transformer(f"drawn-{seed}", embedding, parts, sc.Readout("value", "each", (space[-1],))), soft


@pytest.mark.layer_one(0, 1, 5)
@pytest.mark.parametrize("seed", range(24))
@pytest.mark.layer_two(every=3)
def test_drawn_models(seed: int) -> None:
    model, soft = drawn(seed)
    compared(model, 4 if len(model.alphabet) == 2 else 3, soft)


@pytest.mark.parametrize("roots", ["sqrt(i - 1)", "sqrt(i - 1)/i", "sqrt(i - 1) + sqrt(n - i)"])
def test_a_root_is_positive_only_where_its_argument_is(roots: str) -> None:
    """At n = 1 the logit is the root of 0, and the string is rejected; the form said: accept."""
    b = sc.Builder(words={"a": {"v": 1}}, positions={"p": roots})
    b.readout("sign", "last", "p", weights=[1])
    model = b.build("m")
    assert [model.run("a" * n, "ball").accept for n in (1, 2, 3)] == [False, True, True]
    assert "  accept <-> 0 < sqrt(n - 1)\n" in every_length(model).text()


def chain(words_of: Any, positions: dict[str, str], *parts: Any, weights: int = 1) -> Transformer:
    """A model of heads and hidden layers one after the other that answers by the sign of the last coordinate."""
    b = sc.Builder(words=words_of, positions=positions)
    for part in parts:
        (last,) = b.add(part)
    b.readout("sign", "last", last, weights=[weights])
    return b.build("chain")


A, AB = {"a": {"v": 1}}, {"a": {"v": 1}, "b": {"v": -1}}
ONE = {"one": "1"}
ATTACKS = {
    "a sum that is nonnegative in one region alone": lambda: chain(
        A, {"x": "n - 3", "q": "1/i"}, sc.feedforward({"u": "relu(x)"}), sc.head(value={"A": "u + q"}),
        sc.feedforward({"z": "relu(0 - A)"}), sc.head(value={"B": "x + q + z"}), weights=-1),
    "a step of a sum, then a mean": lambda: chain(
        AB, {"h": "1/2"}, sc.head(value={"bal": "v"}, mask="future"), sc.feedforward({"err": "relu(0 - bal)"}),
        sc.head(value={"tot": "err"}, mask="future"), sc.feedforward({"t": "step(tot)"}),
        sc.head(value={"m": "t - h"}, mask="future")),
    "a step of a sum as a score": lambda: chain(
        AB, ONE, sc.head(value={"bal": "v"}, mask="future"), sc.feedforward({"err": "relu(0 - bal)"}),
        sc.head(value={"tot": "err"}, mask="future"), sc.feedforward({"t": "step(tot)"}),
        sc.head({("one", "t"): 1}, value={"m": "v"}, weighting="leftmost")),
    "the logarithm of another term": lambda: chain(A, {"p": "log(1/n)"}, sc.head(value={"m": "p"}), weights=-1),
    "a parabola with its top between two positions": lambda: chain(
        A, {"kk": "3*i - i^2", "p": "(i - 1)*(2 - i)", "one": "1"},
        sc.head({("one", "kk"): 1}, value={"m": "p"}, weighting="leftmost")),
    "a token at 2 beside a bound of the length": lambda: chain(
        {"a": {"v": 1}, "b": {}}, {"e": "I[i = 2]", "f": "I[n <= 3]", "one": "1"},
        sc.feedforward({"y": "relu(v + e - 1)"}), sc.head(value={"h": "y"}), sc.feedforward({"t": "step(h)"}),
        sc.feedforward({"u": "relu(t + f - 1)"}), sc.head(value={"m": "u"})),
    "tokens called like counts": lambda: chain(
        {"a:j": {"z": 0}, "j": {"z": 1}}, ONE, sc.head(value={"h": "2*z"}), sc.feedforward({"u": "step(h - z)"}),
        sc.head(value={"m": "u"}, weighting="leftmost")),
    "a root of a falling number with a rising factor": lambda: chain(
        A, {"p": "1 - i*sqrt(n - i)"}, sc.feedforward({"u": "step(p)"}),
        sc.head(value={"f": "u"}, weighting="leftmost")),
}  # fmt: skip


@pytest.mark.layer_one(0, 3, 4, 7)
@pytest.mark.parametrize("attack", ATTACKS)
def test_what_an_adversary_found(attack: str) -> None:
    """Each of these had a value or a verdict that some string did not have; a column without a rule has none."""
    many, _ = compared(ATTACKS[attack](), 5, softmax=True)
    assert many


@pytest.mark.parametrize("name", ["j", "k", "S1", "r2"])
def test_a_parameter_with_a_name_of_the_form_keeps_it(name: str) -> None:
    b = sc.Builder(words=A, positions={"q": "1/i", "one": "1"}, parameters=[sc.Parameter(name, lower=0, upper=1)])
    mean = b.add(sc.head(value={"m": f"q - {name}*one"}, symbols=[name]))
    b.readout("sign", "last", mean, weights=[1])
    found = every_length(b.build("m"))
    (form,) = found.forms
    assert name in form.symbols and f"0 < {name}" in form.text()
    assert forms_said.compared(found, 4, {name: Fraction(2, 3)})[1] > 15


def test_a_temperature_that_fails_at_one_length_leaves_shorter_strings_in() -> None:
    b = sc.Builder(words=A, positions={"p": "n - 2", "one": "1"})
    soft = b.add(sc.head({("one", "v"): 1}, {"h": "p"}, weighting="softmax", temperature="(n - 2)^2"))
    b.readout("sign", "last", soft, weights=[1])
    with pytest.raises(BadInput, match="positive for shorter strings, and not at n = 2"):
        every_length(b.build("m"))


def test_a_sum_is_nonnegative_only_in_its_region() -> None:
    """The logit is positive at n = 1 and 2 alone; the form said "reject" of all lengths."""
    model = ATTACKS["a sum that is nonnegative in one region alone"]()
    assert [model.run("a" * n).accept for n in (1, 2, 3, 4)] == [True, True, False, False]
    assert "  accept <-> 0 < -sum(j, 1, n, " in every_length(model).text()


def test_a_condition_on_an_input_and_the_position_is_at_the_first_position() -> None:
    """The first position has the leftmost step of x(n) - i; the condition was left at a free i."""
    b = sc.Builder(inputs=["x"], positions={"p": "i"})
    b.add(sc.head(value={"l": "x"}, weighting="rightmost"))
    b.add(sc.feedforward({"t": "step(l - p)"}))
    b.add(sc.head(value={"m": "t"}, weighting="leftmost"))
    b.readout("sign", "last", "m", weights=[1])
    assert [form.conditions for form in every_length(b.build("m")).forms] == [("1 < x(n)",), ("x(n) <= 1",)]


def attending(**parts: Any) -> Transformer:
    """A model of two coordinates whose head takes the mean of what is before."""
    embedding = sc.Embedding(sc.Space(("x", "y")), {"a": {"x": 3, "y": 4}, "b": {"y": -2}})
    head = sc.Head(("x", "y"), ("x", "y"), [], [], [["1/2", 0], [0, "1/2"]], "future")
    return sc.Transformer("m", embedding, (sc.Layer(head, **parts),), sc.Readout("sign", "last", ("y",), [[1]]))


def test_gated_units_and_rms_norms_have_forms() -> None:
    sides = [[1, 0], [0, -1]], [[1, 1], [0, 1]], [[1, 0], [1, -2]]
    many, open_ = compared(attending(feedforward=sc.GatedUnits(("x", "y"), ("x", "y"), *sides, "relu", [1, -1])), 5)
    assert many > 1000 and open_ == 0
    for norm in (sc.RMSNorm(("x", "y"), epsilon="1/3", gain=[2, -1]), sc.RMSNorm(("x", "y"), zero_square="zero")):
        # The root of the second is above zero by what the letters give, without an epsilon.
        assert compared(attending(attention_norms=norm, placement="pre"), 5, softmax=True)[1] == 0


def test_a_gate_without_rule_says_so() -> None:
    gate = sc.GatedUnits(("x",), ("x",), [[1]], [[1]], [[1]], "silu")
    with pytest.raises(BadInput, match="there is no rule for silu"):
        every_length(replace(attending(feedforward=gate), readout=sc.Readout("value", "last", ("x",))))
