"""Every block in every domain against the plain dense pass of tests/dense.py, on generated models.

A domain may answer or refuse; it may not answer wrongly. What it may refuse is written here (`may_refuse`): NotExact
only where a value leaves what the domain can hold, Undecided only where numbers are equal or cannot be told apart,
BadInput only where the dense pass stops too (zero variance).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import dense
import mpmath
import pytest
import sympy
from families import in_pairs
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from symcook.domains import DOMAINS, RUNNABLE, make_domain
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import ACTIVATIONS, MASKS, WEIGHTINGS, FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.symbols import symbol, to_sympy
from symcook.model.transformer import Parameter, Transformer

DIGITS = 60
NAMES = ("a", "b", "c")
SPACE = Space(NAMES)
WORDS = {"x": {"a": 1}, "y": {"a": "-1/2", "b": 1}, "$": {"c": 2}}
SINGLE = ("exact", "ball", "mpmath", "float64", "symbolic")
TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "float16": 2e-2}
ROUNDED = ("mpmath", *TOLERANCE)
QUICK = settings(derandomize=True, max_examples=15, deadline=None, database=None, phases=[Phase.generate])


# --- Models ----------------------------------------------------------------------------------------------------------

entries = st.sampled_from([0, 0, 1, 1, -1, 2, "1/2", "-1/2", "1/3"])
short = st.sampled_from([0, 1, 1, -1, 2])


def matrices(rows: int, columns: int, numbers: Any = entries) -> Any:
    return st.lists(st.lists(numbers, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def heads(draw: Any, reads: tuple[str, ...] = NAMES, mask: str = "", weighting: str = "") -> Head:
    writes = draw(st.sampled_from([("b",), ("c",), ("a", "c")]))
    key = draw(st.integers(1, 2))
    zero = draw(st.integers(0, 3)) == 0
    return Head(
        reads,
        writes,
        Q=[[0] * len(reads)] if zero else draw(matrices(key, len(reads), short)),
        K=draw(matrices(1 if zero else key, len(reads), short)),
        V=draw(matrices(len(writes), len(reads))),
        mask=mask or draw(st.sampled_from(MASKS)),
        weighting=weighting or draw(st.sampled_from(WEIGHTINGS)),
        temperature=draw(st.sampled_from([1, 1, "1/2", "n", "1/(i + 1)"])),
        scale=1,
    )


@st.composite
def networks(draw: Any, reads: tuple[str, ...] = NAMES, activation: str = "") -> FeedForward:
    writes = draw(st.sampled_from([("b",), ("c", "a")]))
    hidden = draw(st.integers(1, 2))
    return FeedForward(
        reads,
        writes,
        W1=draw(matrices(hidden, len(reads))),
        b1=draw(matrices(hidden, 1)),
        W2=draw(matrices(len(writes), hidden)),
        b2=draw(matrices(len(writes), 1)),
        activation=activation or draw(st.sampled_from(["relu", "relu", "step"])),
    )


@st.composite
def norms(draw: Any, projected: bool, writes: tuple[str, ...] = ()) -> LayerNorm:
    m = len(writes) if projected else 3
    return LayerNorm(
        NAMES,
        writes if projected else (),
        gain=draw(st.lists(short, min_size=m, max_size=m)),
        bias=draw(st.lists(entries, min_size=m, max_size=m)),
        epsilon=draw(st.sampled_from([0, 0, 1, "1/4"])),
        projection=draw(matrices(m, 3, short)) if projected else None,
        zero_variance=draw(st.sampled_from(["refuse", "zero", "zero"])),
    )


@st.composite
def layers(draw: Any, placement: str = "none", weighting: str = "", mask: str = "", activation: str = "") -> Layer:
    reads = {"projected pre": ("u", "v"), "multi pre": ("u", "v", "s", "t")}.get(placement, NAMES)
    which = "both" if weighting and activation else "attention" if weighting else "network" if activation else ""
    which = which or draw(st.sampled_from(["attention", "network", "both"]))
    attention = network = None
    if which != "network":
        count = draw(st.integers(1, 2))
        attention = SelfAttention(tuple(draw(heads(reads, mask, weighting)) for _ in range(count)))
    if which != "attention":
        network = draw(networks(reads, activation))

    def those(part: Any) -> tuple[LayerNorm, ...]:
        if part is None or placement == "none":
            return ()
        if placement in ("post", "pre"):
            return (draw(norms(False)),)
        first = draw(norms(True, ("u", "v")))
        return (first,) if placement == "projected pre" else (first, draw(norms(True, ("s", "t"))))

    return Layer(attention, network, those(attention), those(network), placement)


@st.composite
def readouts(draw: Any, kind: str = "value") -> Readout:
    if kind == "value":
        return Readout("value", "each", NAMES)
    if kind == "zero":
        return Readout("zero", draw(st.sampled_from(["each", "all", "first", "last"])), ("a", "c"))
    if kind == "sign":
        return Readout("sign", draw(st.sampled_from(["each", "all", "last"])), NAMES, draw(matrices(1, 3)))
    return Readout(kind, "each", NAMES, draw(matrices(3, 3, short)), labels=("p", "q", "r"))


@st.composite
def models(
    draw: Any,
    placement: str = "none",
    weighting: str = "",
    mask: str = "",
    activation: str = "",
    kind: str = "value",
    count: int = 2,
) -> Transformer:
    added = draw(st.sampled_from([(None, None), (None, None), ("$", None), (None, "$"), ("$", "$")]))
    embedding = Embedding(
        SPACE,
        words=WORDS,
        positions=draw(st.sampled_from([{}, {"c": "i"}, {"b": "i/2", "c": "1/n"}])),
        start=draw(st.integers(0, 1)),
        before=added[0],
        after=added[1],
    )
    final = draw(norms(False)) if placement != "none" and draw(st.booleans()) else None
    made = [draw(layers(placement, weighting, mask, activation))]
    if count > 1 and draw(st.booleans()):
        made.insert(draw(st.integers(0, 1)), draw(layers(weighting="average")))
    return Transformer("drawn", embedding, tuple(made), draw(readouts(kind)), final_norm=final)


words = st.text("xy", min_size=1, max_size=3)


# --- What the dense pass says, and what a domain may refuse ---------------------------------------------------------


@dataclass(frozen=True)
class Expected:
    """The dense answers in decimals and, where it has them, in Fractions; None where the pass stops."""

    decimals: list[tuple[dict[str, Any], Any]] | None
    fractions: list[tuple[dict[str, Any], Any]] | None
    tie: bool
    fragile: bool


def expected(model: Transformer, sequence: list[str]) -> Expected:
    number, exact = dense.Decimal(DIGITS), dense.Rational()
    try:
        decimals = dense.read(model, sequence, number)
    except dense.ZeroVariance:
        decimals = None
    try:
        fractions = dense.read(model, sequence, exact)
    except (dense.Irrational, dense.ZeroVariance):
        fractions = None
    if fractions is not None:  # the two dense passes agree before either judges a domain
        assert decimals is not None
        for (left, said), (right, other) in zip(decimals, fractions, strict=True):
            assert said == other
            with mpmath.workdps(DIGITS):
                assert all(abs(left[c] - mpmath.mpf(v.numerator) / v.denominator) < 1e-50 for c, v in right.items())
    return Expected(decimals, fractions, number.tie, number.fragile)


def has(model: Transformer, *kinds: str) -> bool:
    """Whether a model has a gelu, a norm, a softmax with scores, or a distribution."""
    found = {"norm"} if model.final_norm is not None else set()
    for layer in model.layers:
        for part in layer.parts():
            if isinstance(part, LayerNorm):
                found.add("norm")
            elif isinstance(part, FeedForward):
                found.add("gelu" if part.activation.startswith("gelu") else part.activation)
            elif part.weighting == "softmax" and not part.uniform:
                found.add("softmax")
    return bool(found & set(kinds) or model.readout.kind in kinds)


SMOOTH = ("gelu", "silu")
"""Parts of the names of activations without exact values."""


def may_refuse(name: str, model: Transformer, known: Expected) -> bool:
    """Whether NotExact is an allowed answer of a domain.

    Floats and balls hold every value. The exact domain holds whatever stays rational, one softmax over rational
    scores, and one square root at a time; exact batches hold rational numbers over a denominator known beforehand, so
    no norm, gelu, silu or softmax of scores; closed forms are those of the exact domain and of what sympy writes for a
    norm.
    """
    if name in ("float64", "float32", "float16", "mpmath", "ball"):
        return False
    if name == "batch":
        return has(model, "norm", *SMOOTH, "softmax", "distribution")
    if name == "symbolic":
        return has(model, "norm", *SMOOTH) or (known.fractions is None and len(model.layers) > 1)
    if has(model, *SMOOTH):  # refused by its name, also where its value at 0 is rational
        return True
    if known.fractions is not None:
        return False
    sources = sum(has(model, kind) for kind in ("norm", "softmax", "distribution"))
    return has(model, "norm") or sources > 1 or len(model.layers) > 1


def may_stay_open(name: str, known: Expected) -> bool:
    """Whether Undecided is an allowed answer: balls cannot see that two numbers that they do not hold are equal, and
    mpmath holds no thirds."""
    if name == "ball":
        return known.tie and known.fragile
    if name == "mpmath":
        return known.tie
    return name == "symbolic" and known.fractions is None and known.tie


# --- Comparison ------------------------------------------------------------------------------------------------------


def text_value(text: str) -> Any:
    """A shown exact value at DIGITS digits."""
    with mpmath.workdps(DIGITS):
        return to_sympy(text, {}).evalf(DIGITS)._to_mpmath(mpmath.mp.prec)


def decimal(form: Any, seen: dict[Any, Any]) -> Any:
    """A closed form in decimals, with digits to spare. Each of its parts is computed once: sympy's evalf, which is
    left what is no sum, product, power or exp, computes it as often as it stands there."""
    if form not in seen:
        with mpmath.workdps(2 * DIGITS):
            if form.is_Rational:
                seen[form] = mpmath.mpf(form.p) / form.q
            elif form.is_Add or form.is_Mul or form.is_Pow or isinstance(form, sympy.exp):
                parts = [decimal(part, seen) for part in form.args]
                compute = {sympy.Add: mpmath.fsum, sympy.Mul: mpmath.fprod}.get(form.func)
                power = mpmath.exp if isinstance(form, sympy.exp) else mpmath.power
                seen[form] = compute(parts) if compute else power(*parts)
            else:
                seen[form] = form.evalf(2 * DIGITS)._to_mpmath(mpmath.mp.prec)
    return seen[form]


def agrees(name: str, got: Any, domain: Any, wanted: Any, fraction: Any, fragile: bool) -> bool:
    """Whether one value of a domain is the dense one, as far as the domain says."""
    if name in ("exact", "symbolic"):
        if fraction is not None:
            text = domain.show(got, 30)
            return set(text) <= set("-0123456789/") and Fraction(text) == fraction
        with mpmath.workdps(DIGITS):  # a closed form may be longer than what the reader takes, and slow to write
            if name == "symbolic":
                value = decimal(got, {})
            else:
                value = text_value(domain.show(got, 30))
            return abs(value - wanted) < mpmath.mpf(10) ** -45 * max(1, abs(wanted))
    if name == "ball":
        with mpmath.workdps(DIGITS):
            middle, radius = (mpmath.mpf(str(part.str(70, radius=False))) for part in (got.mid(), got.rad()))
            slack = mpmath.mpf(10) ** -50 * max(1, abs(wanted))
            return abs(middle - wanted) <= radius + slack and (fragile or radius < 1e-40)
    if name == "mpmath":
        with mpmath.workdps(DIGITS):
            return abs(got - wanted) <= mpmath.mpf(10) ** -40 * max(1, abs(wanted))
    return abs(got - float(wanted)) <= TOLERANCE[name] * max(1.0, abs(float(wanted)))


def places(name: str, model: Transformer, sequence: list[str]) -> list[int]:
    """The indices at which a domain has values: all, or that of the readout."""
    if name in RUNNABLE and model.readout.position in ("first", "last"):
        return [0 if model.readout.position == "first" else -1]
    return list(range(len(sequence)))


def check(name: str, model: Transformer, sequence: list[str], known: Expected) -> str:
    """Run one domain; "same", or the kind of its refusal, which must be an allowed one."""
    domain = make_domain(name, **({"bits": 256} if name in ("ball", "mpmath") else {}))
    try:
        result = forward(model, tuple(sequence), domain)
        with domain.context():
            columns = result.columns()
            shown = places(name, model, sequence)
            cells = [{c: domain.read(column, p) for c, column in columns.items()} for p in shown]
    except NotExact as error:
        assert may_refuse(name, model, known), (name, str(error))
        return "not exact"
    except Undecided as error:
        if name == "symbolic" and "the closed form has more than" in str(error):
            return "too long"  # what is drawn depends on what else the process has imported
        assert may_stay_open(name, known), (name, str(error))
        return "undecided"
    except BadInput as error:
        if name in ROUNDED and known.fragile:
            return "fragile"
        assert known.decimals is None, (name, str(error))
        assert "epsilon" in str(error), str(error)
        return "refused"
    if name in ROUNDED and known.fragile:
        return "fragile"
    if known.decimals is None:
        assert shown in ([0], [-1]), f"{name} gave a value where a norm has zero variance"
        return "narrow"  # the variance is zero at a position that is not read
    answers = [None] * len(sequence) if result.verdicts is None else list(result.verdicts)
    with domain.context():
        for place, row in zip(shown, cells, strict=True):
            wanted, said = known.decimals[place]
            exact = {} if known.fractions is None else known.fractions[place][0]
            for c, value in wanted.items():
                same = agrees(name, row[c], domain, value, exact.get(c), known.fragile)
                assert same, (name, c, place, domain.show(row[c], 30), str(exact.get(c, value)))
            if answers[place] is None and said is not None:
                assert may_stay_open(name, known), (name, "an open answer", place)
            else:
                assert answers[place] == said, (name, "answer", place)
    return "same"


def check_all(model: Transformer, word: str, names: tuple[str, ...] = SINGLE) -> dict[str, str]:
    sequence = dense.typed(model, word)
    known = expected(model, sequence)
    assert tuple(sequence) == model.tokens(word)
    return {name: check(name, model, sequence, known) for name in names}


# --- Tests -----------------------------------------------------------------------------------------------------------


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("mask", MASKS)
def test_masks_and_weightings(mask: str, weighting: str) -> None:
    @settings(QUICK, max_examples=8)
    @given(models(mask=mask, weighting=weighting), words)
    def run(model: Transformer, word: str) -> None:
        check_all(model, word)

    run()


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations(activation: str) -> None:
    @settings(QUICK)
    @given(models(activation=activation), words)
    def run(model: Transformer, word: str) -> None:
        check_all(model, word)

    run()


@pytest.mark.parametrize("placement", ["post", "pre", "projected pre", "multi pre"])
@pytest.mark.sweep
def test_norms(placement: str) -> None:
    @settings(QUICK, max_examples=20)
    @given(models(placement=placement, count=1), words)
    def run(model: Transformer, word: str) -> None:
        check_all(model, word)

    run()


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("kind", ["sign", "zero", "largest", "distribution"])
def test_readouts(kind: str) -> None:
    @settings(QUICK)
    @given(models(kind=kind), words)
    def run(model: Transformer, word: str) -> None:
        check_all(model, word)

    run()


# What each domain must answer, not only may: rational models are answered by all of them.


def one_head(mask: str, weighting: str, queries: bool = True) -> Transformer:
    """Ties among the scores, the maximum not first, and rows that see nothing under the strict masks."""
    head = Head(NAMES, ("b", "c"), [[1, 0, 0]] if queries else [[0, 0, 0]], [[1, 0, 0]], [[1, 2, 0], [0, 1, 1]], mask,
                weighting)  # fmt: skip
    words = {"x": {"a": 1, "b": 3}, "y": {"a": -1, "c": "1/4"}, "$": {"a": 0}}
    return Transformer(
        "one", Embedding(SPACE, words=words, positions={"c": "i"}), (Layer(head),), Readout("value", "each", NAMES)
    )


@pytest.mark.layer_one(0, 1)
@in_pairs(mask=MASKS, weighting=WEIGHTINGS, queries=[True, False])
def test_every_domain_answers_every_mask_and_weighting(mask: str, weighting: str, queries: bool) -> None:
    model = one_head(mask, weighting, queries)
    for word in ("x", "y", "xyx", "yxxy", "$y"):
        found = check_all(model, word, (*SINGLE, "float32", "float16"))
        assert set(found.values()) == {"same"}, found
    check_batch(model, 3, must_answer=weighting != "softmax" or not queries)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("activation", ["relu", "step"])
def test_every_domain_answers_rational_activations(activation: str) -> None:
    network = FeedForward(("a", "b"), ("c",), [[1, "1/2"], [-1, 1]], [0, "1/2"], [[1, "1/3"]], [1], activation)
    model = Transformer("one", Embedding(SPACE, words=WORDS), (Layer(None, network),), Readout("value", "each", NAMES))
    for word in ("x", "yx"):  # the first unit of y is zero, where the step jumps
        assert set(check_all(model, word).values()) == {"same"}
    check_batch(model, 2, must_answer=True)


@pytest.mark.parametrize("epsilon", [0, 1, "1/4"])
def test_one_norm_has_an_exact_value(epsilon: Any) -> None:
    """Several entries share one square root, also after a projection and a network over the normed entries."""
    norm = LayerNorm(NAMES, gain=[1, 2, -1], bias=[0, "1/3", 1], epsilon=epsilon)
    network = FeedForward(NAMES, ("c",), [[1, 1, 0], [0, -1, 1]], [0, "1/2"], [[1, -1]], [0])
    for layer in (Layer(None, network, (), (norm,), "pre"), Layer(None, network, (), (norm,), "post")):
        embedding = Embedding(SPACE, words={"x": {"a": 1}, "y": {"a": 2, "b": "1/3"}}, positions={"c": "i"})
        model = Transformer("one", embedding, (layer,), Readout("value", "each", NAMES))
        for word in ("x", "xy"):
            found = check_all(model, word)
            assert (found["exact"], found["ball"], found["float64"]) == ("same", "same", "same"), found


def constant(zero_variance: str, epsilon: Any) -> Transformer:
    norm = LayerNorm(NAMES, bias=[1, 2, 3], epsilon=epsilon, zero_variance=zero_variance)
    embedding = Embedding(
        SPACE, words={"x": {"a": "1/3", "b": "1/3", "c": "1/3"}, "y": {"a": 1}}, positions={"c": "(i - 1)*0"}
    )
    network = FeedForward(NAMES, ("a",), [[0, 0, 0]], [0], [[0]], [0])
    return Transformer(
        "flat", embedding, (Layer(None, network, (), (norm,), "pre"),), Readout("value", "each", NAMES), final_norm=norm
    )


def test_zero_variance_is_refused_with_its_position_or_declared() -> None:
    model = constant("refuse", 0)
    for name in SINGLE:
        with pytest.raises(BadInput, match="epsilon") as caught:
            forward(model, ("y", "x"), make_domain(name))
        assert "2" in str(caught.value)
    for epsilon in (1, "1/4"):
        found = check_all(constant("refuse", epsilon), "xx")
        assert {found[n] for n in ("exact", "ball", "float64")} == {"same"}, found
    sequence = ["x", "x"]
    known = expected(constant("zero", 0), sequence)
    assert known.fractions is not None and known.fractions[0][0] == {"a": 1, "b": 2, "c": 3}
    assert check("exact", constant("zero", 0), sequence, known) == "same"


def test_gelu_is_not_exact_and_says_where_it_is() -> None:
    for kind in ("gelu", "gelu-tanh", "gelu-sigmoid"):
        network = FeedForward(("a",), ("b",), [[1]], [0], [[1]], [0], kind)
        model = Transformer(
            "g", Embedding(SPACE, words=WORDS), (Layer(None, network),), Readout("value", "last", ("b",))
        )
        with pytest.raises(NotExact, match='domain="ball"'):
            model.run("x")
        found = check_all(model, "xy")
        assert (found["ball"], found["float64"]) == ("same", "same")


class Every:
    """All words of a length with the tokens that the model adds, as exact batches take them."""

    def __init__(self, model: Transformer, n: int) -> None:
        self._rows = [[token] for token in dense.typed(model, ())]
        at = 1 if model.embedding.before is not None else 0
        self._rows[at:at] = [list(model.alphabet)] * n
        self.size = len(model.alphabet) ** n

    def choices(self) -> list[tuple[str, ...]]:
        return [tuple(row) for row in self._rows]

    def __iter__(self) -> Any:
        return itertools.product(*self._rows)


def check_batch(model: Transformer, n: int, must_answer: bool = False) -> str:
    """Exact batches over all words of a length, word by word against the dense pass."""
    domain: Any = make_domain("batch")
    block = Every(model, n)
    known = [expected(model, list(sequence)) for sequence in block]
    try:
        result = forward(model, block, domain)
    except NotExact:
        assert not must_answer and may_refuse("batch", model, known[0])
        return "not exact"
    # behind the last attention a batch keeps the places alone at which the readout looks
    for place, at in zip(result.places, model.readout.places(len(block.choices())), strict=True):
        for c, column in result.columns().items():
            for each, text in zip(known, domain.show(domain.read(column, place), 30), strict=True):
                if each.fractions is not None:
                    assert Fraction(text) == each.fractions[at][0][c], (c, at)
                    continue
                assert each.decimals is not None
                wanted = each.decimals[at][0][c]
                with mpmath.workdps(DIGITS):
                    assert abs(text_value(text) - wanted) < mpmath.mpf(10) ** -45 * max(1, abs(wanted)), (c, at)
        if result.verdicts is not None:
            said = domain.full(result.verdicts[place])
            assert all(said[code] == each.fractions[at][1] for code, each in enumerate(known) if each.fractions)
    return "same"


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("kind", ["value", "sign", "zero", "largest"])
def test_batches_of_rational_models(kind: str) -> None:
    answered = []

    @settings(QUICK, max_examples=15)
    @given(models(kind=kind, activation="relu"), st.integers(1, 3))
    def run(model: Transformer, n: int) -> None:
        answered.append(check_batch(model, n, must_answer=not has(model, "softmax")))

    run()
    assert answered.count("same") >= len(answered) // 3


# Closed forms: a symbol in a value, set to numbers afterwards, gives what the exact domain computes with that number.


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_closed_forms_at_values_are_exact_values(weighting: str) -> None:
    answered = []

    @settings(QUICK, max_examples=15)
    @given(models(weighting=weighting, activation="relu"), words, st.sampled_from([Fraction(1, 2), Fraction(5, 3), 2]))
    def run(model: Transformer, word: str, value: Any) -> None:
        first = model.layers[0]
        if first.feedforward is None:
            return
        block = first.feedforward
        changed = replace(block, b2=block.b2 + block.b2.applyfunc(lambda _: symbol("t")))
        layer = replace(first, feedforward=changed)
        free = replace(model, layers=(layer, *model.layers[1:]), parameters=(Parameter("t", lower=0, upper=3),))
        sequence = model.tokens(word)
        domain: Any = make_domain("symbolic", parameters=free.parameters)
        try:
            result = forward(free, sequence, domain)
        except (Undecided, NotExact):  # a maximum among scores depends on t
            answered.append(False)
            return
        bound = free.bind({"t": value})
        known = expected(bound, list(sequence))
        answered.append(True)
        for place, (wanted, _) in enumerate(known.decimals or ()):
            for c, column in result.columns().items():
                got = domain.read(column, place).subs(symbol("t"), free.parameter("t").check(value))
                with mpmath.workdps(DIGITS):
                    assert abs(got.evalf(DIGITS)._to_mpmath(mpmath.mp.prec) - wanted[c]) < mpmath.mpf(10) ** -45

    run()
    assert answered.count(True) >= 3


# --- Negative controls: the comparison sees a wrong neighbour -------------------------------------------------------


def test_the_comparison_sees_a_wrong_neighbour() -> None:
    right = one_head("future", "average")
    for mask, weighting in (("none", "average"), ("strict-future", "average"), ("future", "rightmost")):
        sequence = list("xyxx")
        known = expected(one_head(mask, weighting), sequence)
        for name in ("exact", "ball", "float64", "symbolic"):
            with pytest.raises(AssertionError):
                check(name, right, sequence, known)
    known = expected(right, list("xyxx"))
    off = [({c: v * (1 + mpmath.mpf(10) ** -6) + mpmath.mpf(10) ** -6 for c, v in row.items()}, said)
           for row, said in known.decimals or ()]  # fmt: skip
    for name in ("ball", "float64"):
        with pytest.raises(AssertionError):
            check(name, right, list("xyxx"), replace(known, decimals=off))


def test_every_domain_is_compared() -> None:
    """A domain that is added must be compared here too."""
    assert set(DOMAINS) <= {*SINGLE, "batch", "mpmath", "float32", "float16"}
