"""Certificates cite the theorems about rounded runs, to lengths at which numpy meets no underflow and no overflow."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from checkout import ROOT

import symcook as sc
from symcook.__main__ import main
from symcook.export import archive, provedbits
from symcook.export.ranges import bits_kept, longest_in_range
from symcook.model.modelfile import load

MAJORITY = load(ROOT / "proofs/models/majority.json")


def arrays_of(model: sc.Transformer, dtype: str, n: int = 9) -> tuple[Any, dict[str, Any]]:
    roundings = dict[str, Any]()
    return archive.arrays(model.bind(model.values(None)), dtype, n, roundings), roundings


def answered(m: Any, model: sc.Transformer, strings: list[str]) -> Any:
    """The answers in numpy, which raises where a number overflows or underflows."""
    numbers = {token: k for k, token in enumerate(model.embedding.words or ())}
    tokens = np.array([[numbers[token] for token in model.tokens(string)] for string in strings])
    with np.errstate(under="raise", over="raise"):
        return archive.verdicts(m, archive.evaluate(m, archive.embed(m, tokens)))


def cited(model: sc.Transformer, dtype: str) -> dict[str, int]:
    m, roundings = arrays_of(model, dtype)
    return {one["id"]: one["length"] for one in provedbits.cited(model, None, m, roundings)}


def test_the_longest_strings_in_float16() -> None:
    """dyck-1 ends at 128 by its range (510 by its bits), majority with ties at 2^11."""
    dyck = sc.build("dyck-1")
    assert cited(dyck, "float16") == {"lem.floats_dyck": 128}
    m, _ = arrays_of(dyck, "float16")
    half = "(" * 64 + ")" * 64
    assert answered(m, dyck, [half, "()" * 64, "(" * 63 + ")" * 65, half[::-1]]).tolist() == [True, True, False, False]
    assert cited(MAJORITY, "float16") == {"lem.rounded_majority": 31, "lem.floats_majority": 2048}
    m, _ = arrays_of(MAJORITY, "float16")
    strings = ["a" * 1024 + "b" * 1024, "a" * 1025 + "b" * 1023, "b" * 1023 + "ac" + "a" * 1023]
    assert answered(m, MAJORITY, strings).tolist() == [False, True, True]


def test_an_induction_head_cites_at_every_length_of_its_range() -> None:
    """Its theorem has no bound on n; numbers of at most 1 leave no format. Each row of 0 and 1 is the symbol's."""
    model = sc.build("induction-most-recent")
    m, roundings = arrays_of(model, "float16")
    (theorem,) = provedbits.cited(model, None, m, roundings)
    assert theorem["id"] == "lem.floats_induction_stored" and theorem["accepts"] is None
    assert theorem["states"].startswith("all i in 1..n. all c in 0..3. inductright(w, i, c) -> found_A(i) = I[c = 0]")
    assert answered(m, model, ["AABCA"]).tolist() == [[0, 0, 1, 2, 1]]


def test_a_weight_with_a_larger_error_gives_fewer_bits() -> None:
    """sqrt(6) in float64 is off by 4.5e-16, more than 2^-51; the tables of this export have 9 tokens."""
    _, roundings = arrays_of(sc.build("first"), "float64")
    assert bits_kept(roundings, 53) == 50 and bits_kept({}, 53) == 53
    assert cited(sc.build("first"), "float64") == {"lem.rounded_first": 9}
    assert cited(sc.build("first"), "float16") == {}  # a weight of softmax may underflow


def chain(*weights: Fraction) -> sc.Transformer:
    """A recogniser that multiplies 1 by weights, one a layer."""
    names = [f"x{k}" for k in range(len(weights) + 1)]
    space = sc.Space(tuple(names))
    layers = tuple(
        sc.Layer(None, sc.FeedForward((a,), (b,), [[w]], [[0]], [[1]], [[0]]))
        for a, b, w in zip(names, names[1:], weights, strict=False)
    )
    embedding = sc.Embedding(space, words={"a": {names[0]: 1}})
    return sc.Transformer("chain", embedding, layers, sc.Readout("sign", "last", (names[-1],), [[1]]))


@pytest.mark.parametrize(
    ("weights", "inside"),
    [
        (("1/16384",), True),
        (("1/4096", "1/4096"), True),  # 2^-24, the least subnormal number, is exact
        (("1/4096", "1/8192"), False),
        (("1/4096", "1/3"), True),
        (("1/16384", "1/3"), False),
        (("256", "256"), False),
    ],
)
def test_what_leaves_the_range_of_float16(weights: tuple[str, ...], inside: bool) -> None:
    model = chain(*map(Fraction, weights))
    m, _ = arrays_of(model, "float16")
    assert longest_in_range(m, 5) == (5 if inside else 0)
    if inside or weights[0] == "256":
        return
    with pytest.raises(FloatingPointError):
        answered(m, model, ["a"])


def rows_of_numbers(m: Any, rows: list[list[float]]) -> Any:
    """The coordinate `found` in numpy, which raises where a number overflows or underflows."""
    with np.errstate(under="raise", over="raise"):
        return archive.evaluate(m, archive.place(m, np.array([rows])))[0, :, list(m["coordinates"]).index("found")]


@pytest.mark.parametrize(
    ("name", "dtype", "length"),
    [
        ("lookup-quadratic", "float32", 418),
        ("predecessor-quadratic", "float32", 418),
        ("lookup-quadratic", "float16", 3),
    ],
)
def test_lookups_cite_for_inputs_in_a_range(name: str, dtype: str, length: int) -> None:
    """96*n^2*u <= 1; in float16 a fourth row may underflow. With inputs at both ends of the range numpy neither
    overflows nor underflows, and each query for a position gets the value there within 3 roundings."""
    m, roundings = arrays_of(sc.build(name), dtype, 500 if dtype == "float32" else 20)
    (theorem,) = provedbits.cited(sc.build(name), None, m, roundings)
    assert theorem["length"] == length and theorem["accepts"] is None
    k = int(theorem["where"][-1].rpartition("^")[2])
    assert theorem["where"][-1] == f"each input is 0 or a number of {dtype} of a size from 2^-{k} to 2^{k}"
    assert 2**k > length
    values = [(-1) ** j * 2.0 ** (k if j % 3 else -k) if j % 5 else 0.0 for j in range(length)]
    if name == "lookup-quadratic":
        found, wanted = rows_of_numbers(m, [[length - j, v] for j, v in enumerate(values)]), np.array(values[::-1])
    else:
        found, wanted = rows_of_numbers(m, [[v] for v in values])[1:], np.array(values[:-1])
    assert (abs(found - wanted) <= 4 * abs(wanted) * 2.0 ** -theorem["bits"]).all()


def test_a_norm_is_not_read() -> None:
    m, _ = arrays_of(sc.build("first-layernorm"), "float32")
    assert longest_in_range(m, 5) == 0


def test_certificates_cite() -> None:
    """The line is printed, and a model whose parameter has another value is covered too."""
    exported = sc.build("dyck-1").arrays(max_length=2, dtype="float32")
    assert exported.document["theorems"] == [
        {"id": "lem.floats_dyck", "accepts": "dyck(w, n)", "states": "accept <-> dyck(w, n)", "where": []}
        | {"divided_last": True, "bits": 24, "length": 4194302}
    ]
    line = "lem.floats_dyck proves every decision up to length 4,194,302 in float32, if attention normalises"
    assert line in exported.text()
    twice = sc.build("first").arrays(values={"c": 2}, max_length=3, dtype="float32").document["theorems"]
    least = ["the input has at least 1 symbol"]
    assert [(one["id"], one["where"], one["length"]) for one in twice] == [("lem.rounded_first", least, 4)]


@pytest.mark.parametrize(
    ("bits", "string", "line"),
    [
        (5, "(())", "lem.floats_dyck covers strings up to length 6 in 5 bits, and no longer ones"),
        (4, "(())", "covers strings up to length 2 in 4 bits, and no longer ones; this string has length 4"),
        (3, "()", "lem.floats_dyck covers no string in 3 bits"),
        (500, "()", "lem.floats_dyck covers strings up to length 2^64 and more in 500 bits"),
    ],
)
def test_a_run_in_bits_names_the_length(bits: int, string: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """4*(n + 2)*u <= 1 gives 2^bits/4 - 2."""
    assert main(["run", "dyck-1", "--input", string, "--domain", "mpmath", "--bits", str(bits)]) == 0
    assert line in capsys.readouterr().out


def test_a_theorem_without_a_limit_covers_every_length(capsys: pytest.CaptureFixture[str]) -> None:
    """lem.floats_induction_stored limits n by no premise; lem.floats_dyck does, at 500 bits too."""
    model = str(ROOT / "proofs/models/induction-most-recent.json")
    assert main(["run", model, "--input", "ABAB", "--domain", "mpmath", "--bits", "8"]) == 0
    assert "lem.floats_induction_stored covers strings of every length in 8 bits" in capsys.readouterr().out
    (theorem,) = provedbits.in_bits(sc.build("dyck-1"), None, 500)
    assert not theorem["every_length"] and provedbits.covered_lengths(theorem) == "up to length 2^64 and more"


def test_a_run_of_numbers_in_bits(capsys: pytest.CaptureFixture[str]) -> None:
    """96*n^2 <= 2^12 at n = 6."""
    assert main(["run", "lookup-quadratic", "--rows", "1,5;2,6", "--domain", "mpmath", "--bits", "12"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "lem.rounded_lookup_quadratic covers inputs up to length 6 in 12 bits where 1 <= a and a <= n" in text


def test_a_run_in_bits_without_a_theorem(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "parity", "--input", "01", "--domain", "mpmath", "--bits", "20"]) == 0
    assert "no proved theorem covers runs of this model in 20 bits" in capsys.readouterr().out
    assert main(["run", "first", "--input", "1", "--domain", "mpmath", "--bits", "8", "--json"]) == 0
    (theorem,) = json.loads(capsys.readouterr().out)["theorems"]
    assert theorem == {
        "id": "lem.rounded_first", "accepts": "w(1) = 1", "states": "accept <-> w(1) = 1",
        "where": ["the input has at least 1 symbol"], "floats": False, "length": 28, "every_length": False,
    }  # fmt: skip
