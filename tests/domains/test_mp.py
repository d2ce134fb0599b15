"""The mpmath domain against the balls and the dense pass, and rounding at every operation against Fractions."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import dense
import flint
import mpmath
import pytest
from families import together
from hypothesis import given, settings
from hypothesis import strategies as st

from symcook.domains import make_domain
from symcook.domains.ball import BallDomain
from symcook.domains.mp import Mp, digits_of
from symcook.errors import BadInput, SymcookError
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import ACTIVATIONS, MASKS, WEIGHTINGS, FeedForward, Head, Layer, LayerNorm, Mask, SelfAttention
from symcook.model.transformer import Transformer
from symcook.run import run

NAMES = ("a", "b", "c")
WORDS = {"x": {"a": 1}, "y": {"a": "-1/2", "b": 1}, "z": {"b": 1, "c": "1/3"}}
numbers = st.sampled_from([0, 1, -1, 2, "1/2", "-1/2"])


def matrices(rows: int, columns: int) -> Any:
    return st.lists(st.lists(numbers, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def models(draw: Any, mask: str, weighting: str) -> Transformer:
    """Two heads, a network and a norm over all of it, so that every operation meets every other."""
    temperature = draw(st.sampled_from([1, "1/2", "n", "1/(i + 1)"]))
    heads = [
        Head(NAMES, (name,), draw(matrices(2, 3)), draw(matrices(2, 3)), draw(matrices(1, 3)), mask, weighting,
             temperature)
        for name in ("b", "c")
    ]  # fmt: skip
    network = FeedForward(
        NAMES, ("a",), draw(matrices(2, 3)), draw(matrices(2, 1)), draw(matrices(1, 2)), draw(matrices(1, 1)),
        draw(st.sampled_from([a for a in ACTIVATIONS if a != "step"])),
    )  # fmt: skip
    epsilon, outcome = draw(st.sampled_from([(0, "zero"), (0, "refuse"), (1, "refuse"), ("1/100", "refuse")]))
    norm = LayerNorm(NAMES, gain=[1, 2, -1], bias=[0, "1/3", 1], epsilon=epsilon, zero_variance=outcome)
    placement = draw(st.sampled_from(["none", "post", "pre"]))
    norms = () if placement == "none" else (norm,)
    layer = Layer(SelfAttention(tuple(heads)), network, norms, norms, placement)
    embedding = Embedding(Space(NAMES), WORDS, positions=draw(st.sampled_from([{}, {"c": "i/n"}])))
    readout = draw(
        st.sampled_from(
            [
                Readout("value", "each", NAMES),
                Readout("distribution", "each", NAMES, [[1, 0, 1], [0, 1, 0], [1, 0, 1]], ("p", "q", "r")),
            ]
        )
    )
    return Transformer("drawn", embedding, (layer,), readout)


def rows(model: Transformer, word: str, domain: Any) -> list[dict[str, Any]] | None:
    """The values at each position; None where the domain refuses or leaves a choice open."""
    try:
        result = forward(model, tuple(word), domain)
    except SymcookError:
        return None
    with domain.context():
        return [result.values(place) for place in range(len(word))]


def as_fraction(value: Any) -> Fraction:
    mantissa, exponent = value.man_exp() if isinstance(value, flint.arb) else value.man_exp
    sign = -1 if not isinstance(value, flint.arb) and value < 0 and mantissa > 0 else 1
    return sign * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


@pytest.mark.layer_one(19)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("mask", MASKS)
def test_balls_hold_what_mpmath_computes_and_floats_are_near(mask: str, weighting: str) -> None:
    compared = []

    @settings(derandomize=True, max_examples=8, deadline=None, database=None)
    @given(models(mask, weighting), st.text("xyz", min_size=1, max_size=4))
    def compare(model: Transformer, word: str) -> None:
        number = dense.Decimal(60)
        try:
            expected = dense.read(model, list(word), number)
        except dense.ZeroVariance:
            for name in ("mpmath", "float64", "ball"):  # a rounded mean may hide that a variance is zero
                found = rows(model, word, make_domain(name))
                assert found is None or number.fragile
            return
        balls, decimals = rows(model, word, BallDomain(400)), rows(model, word, Mp(400))
        if balls is None:
            assert number.tie
            return
        assert decimals is not None
        compared.append(word)
        for (wanted, _), ball, decimal in zip(expected, balls, decimals, strict=True):
            for name, value in decimal.items():
                middle, radius = as_fraction(ball[name].mid()), as_fraction(ball[name].rad())
                assert abs(as_fraction(value) - middle) <= radius + Fraction(1, 2**330)
                with mpmath.workdps(60):
                    assert abs(value - wanted[name]) < mpmath.mpf(10) ** -45 * max(1, abs(wanted[name]))
        if number.fragile:
            return
        found = rows(model, word, make_domain("float64"))
        assert found is not None
        for ball, values in zip(balls, found, strict=True):
            middles = {name: float(x.mid()) for name, x in ball.items()}
            assert all(abs(values[c] - x) <= 2.0**-36 * max(1, abs(x)) for c, x in middles.items())

    compare()
    assert len(compared) >= 3


class Rounded:
    """Fractions rounded to nearest, ties to even, at p bits: an independent model of `--bits`."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def __call__(self, value: Fraction) -> Fraction:
        if value == 0:
            return value
        exponent = 0
        while abs(value) * Fraction(2) ** -exponent >= 2**self.bits:
            exponent += 1
        while abs(value) * Fraction(2) ** -exponent < 2 ** (self.bits - 1):
            exponent -= 1
        return round(value * Fraction(2) ** -exponent) * Fraction(2) ** exponent

    def total(self, values: list[Fraction]) -> Fraction:
        result = Fraction(0)
        for value in values:
            result = self(result + value)
        return result


@pytest.mark.parametrize("bits", [1, 2, 3, 8, 24])
def test_every_operation_is_rounded_from_left_to_right(bits: int) -> None:
    rounded, domain = Rounded(bits), Mp(bits)
    given = [Fraction(k, 7) for k in (3, -5, 11, 2, 19, -1, 8)]
    with domain.context():
        domain.begin(tuple({"x": x} for x in given), 1)
        x = domain.input("x")
        column = [rounded(v) for v in given]
        assert [as_fraction(v) for v in x] == column
        third = rounded(Fraction(1, 3))
        line = [rounded(rounded(Fraction(2, 7)) + rounded(third * v)) for v in column]
        assert [as_fraction(v) for v in domain.linear([(x, Fraction(1, 3))], Fraction(2, 7))] == line
        for mask in MASKS:
            seen = [[j for j in range(7) if dense.SEES[mask](i, j)] for i in range(7)]
            means = [
                rounded(rounded.total([column[j] for j in row]) / rounded(Fraction(len(row)))) if row else Fraction(0)
                for row in seen
            ]
            for weighting in ("average", "softmax"):
                found = domain.attend([], [], [x], Mask(mask), weighting, 1)[0]
                assert [as_fraction(v) for v in found] == means, (mask, weighting)
        pair = [[a, -b] for a, b in zip(column, column[::-1], strict=True)]
        norm = domain.layer_norm([x, [-v for v in reversed(x)]], 1, "refuse")
        for place, entries in enumerate(pair):
            mean = rounded(rounded.total(entries) / 2)
            centred = [rounded(e - mean) for e in entries]
            variance = rounded(rounded(rounded.total([rounded(c * c) for c in centred]) / 2) + 1)
            with mpmath.workprec(200):
                root = rounded(as_fraction(mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator)))
            assert [as_fraction(part[place]) for part in norm] == [rounded(c / root) for c in centred]


def test_few_bits_differ_from_many() -> None:
    """The negative control of the test above: sums that are rounded once at the end are another number."""
    domain = Mp(3)
    with domain.context():
        domain.begin(tuple({"x": x} for x in (8, 1, 1, 1)), 1)
        found = domain.attend([], [], [domain.input("x")], Mask.NONE, "average", 1)[0][0]
    assert as_fraction(found) == 2 and Rounded(3)(Fraction(11, 4)) != 2


def softmax_model(temperature: Any = 1) -> Transformer:
    head = Head(("q", "key", "v"), ("out",), [[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]], "none", "softmax", temperature)
    embedding = Embedding(Space(("q", "key", "v", "out")), inputs=("q", "key", "v"))
    return Transformer("lookup", embedding, (Layer(head),), Readout("value", "last", ("out",)))


def test_enormous_scores_are_taken_from_the_greatest() -> None:
    rows = [{"q": 10**9, "key": k, "v": v} for k, v in ((1, 1), (-1, 50), (1, 3))]
    assert run(softmax_model(), rows, "mpmath").output == {"out": "2"}
    assert run(softmax_model(), rows, "mpmath", bits=2).output == {"out": "2"}


def test_digits_and_bits_of_a_run() -> None:
    rows = [{"q": 1, "key": "log(3)", "v": 1}, {"q": 1, "key": 0, "v": 0}]
    out = run(softmax_model(), rows, "mpmath", digits=50).output["out"]
    assert out == "0.75"
    assert run(softmax_model(), rows, "mpmath", bits=8).result.domain.bits == 8
    third = [{"q": 0, "key": 0, "v": v} for v in (1, 0, 0)]
    assert run(softmax_model(), third, "mpmath", digits=40).output["out"] == "0." + "3" * 40
    assert digits_of(1) == 2 and digits_of(24) == 9
    assert run(softmax_model(), third, "mpmath", bits=1).output == {"out": "0.25"}  # 1/(1 + 1 + 1) with 3 rounded to 4


@pytest.mark.parametrize("bits", [0, -1, True, "8", 2.5, 10**9])
def test_a_number_of_bits_must_be_one(bits: Any) -> None:
    with pytest.raises(BadInput, match="bits"):
        run(softmax_model(), [{"q": 1, "key": 1, "v": 1}], "mpmath", bits=bits)


@pytest.mark.parametrize("domain", ["exact", "ball", "float64", "float32", "float16"])
def test_bits_are_for_mpmath_only(domain: str) -> None:
    with pytest.raises(BadInput, match="mpmath"):
        run(softmax_model(), [{"q": 1, "key": 1, "v": 1}], domain, bits=8)


@together("domain", ["mpmath", "float32", "float16", "ball"])
@together("temperature", ["2 - i", "if(i = 1, 1, -1)", "3 - n"])
def test_a_temperature_must_be_positive_at_every_position(domain: str, temperature: str) -> None:
    row = {"q": 1, "key": 1, "v": 1}
    assert run(softmax_model(temperature), [row], domain).output
    for n in (3, 4):
        with pytest.raises(BadInput):
            run(softmax_model(temperature), [row] * n, domain)


def test_zero_variance_is_refused_with_its_position() -> None:
    norm = LayerNorm(("a", "b"), epsilon=0)
    network = FeedForward(("a", "b"), ("a",), [[1, 0]], [0], [[1]], [0])
    embedding = Embedding(Space(("a", "b")), {"x": {"a": 1}, "y": {"a": 2, "b": 2}})
    model = Transformer(
        "flat", embedding, (Layer(None, network, (), (norm,), "pre"),), Readout("value", "last", ("a",))
    )
    for domain in ("mpmath", "ball", "float64", "float32", "float16"):
        with pytest.raises(BadInput, match=r"position 3.*epsilon"):
            run(model, "xxy", domain)


def test_a_trace_shows_every_part_at_every_position() -> None:
    head = Head(("a",), ("b",), [[0]], [[0]], [[1]], "strict-future")
    network = FeedForward(("b",), ("c",), [[1]], [0], [[2]], [0])
    embedding = Embedding(Space(NAMES), {"x": {"a": 1}, "y": {"a": -3}})
    model = Transformer("traced", embedding, (Layer(head, network),), Readout("value", "last", ("c",)))
    token, mean = ["1", "-3", "1"], ["0", "1", "-1"]
    for domain, half in (("exact", "1/2"), ("mpmath", "0.5")):
        weights = [["0", "0", "0"], ["1", "0", "0"], [half, half, "0"]]
        assert run(model, "xyx", domain, trace=True).to_json()["trace"] == [
            {"layer": 0, "part": "embedding", "coordinates": {"a": token}},
            {"layer": 1, "part": "attention", "coordinates": {"a": token, "b": mean}, "attention": [weights]},
            {"layer": 1, "part": "feed-forward", "coordinates": {"a": token, "b": mean, "c": ["0", "2", "0"]}},
        ]
        assert "trace" not in run(model, "xyx", domain).to_json()
    assert run(model, "xyx", "float16", trace=True).trace[1]["coordinates"]["b"] == [0.0, 1.0, -1.0]


def test_the_command_shows_a_trace_and_takes_bits(capsys: pytest.CaptureFixture[str]) -> None:
    from symcook.__main__ import main

    assert main(["run", "dyck-1", "--input", "(())", "--trace"]) == 0
    text = capsys.readouterr().out
    assert "after the embedding\n  position  1  2  3   4\n  token     1  1  -1  -1\n" in text
    assert "after layer 1, attention\n" in text and "  balance   1  1  1/3  0\n" in text
    assert main(["run", "dyck-1", "--input", "(()", "--domain", "mpmath", "--bits", "2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["domain"] == "mpmath" and document["output"]["balance"] == "0.38"  # 3/8: a third in two bits
    for options in (["--domain", "mpmath", "--bits", "0"], ["--bits", "8"], ["--domain", "ball", "--bits", "8"]):
        assert main(["run", "dyck-1", "--input", "()", *options]) == 2
        assert "bits" in capsys.readouterr().err


def test_a_wide_trace_is_cut_into_tables() -> None:
    from symcook.report.document import stream_table

    lines = stream_table({"token": ["1"] * 99, "mean": ["-1/3"] * 99}, 0).splitlines()
    assert max(map(len, lines)) <= 120 and sum(line.split().count("-1/3") for line in lines) == 99
    assert lines[0].split()[:3] == ["position", "0", "1"] and lines[3].startswith("  position")
