"""What a certificate says it compared: how many inputs of which lengths, which have no run, the first that differs, and
why no greater length was tried; each counted again here."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import trained
from families import together

import symcook as sc
from symcook.export import archive, certificate, guarantee, infloats
from symcook.export.certificate import compare
from symcook.run import run
from symcook.words.inputs import finite

F = Fraction
VALUES = (0, 1, -1, 2, F(1, 2), -2, F(-1, 2), F(1, 3), F(1, 7), F(-1, 1000))
"""What rows are made of, the first of them where many are too many."""


def mean(inputs: tuple[str, ...], weight: Any = 1) -> sc.Transformer:
    """Rows of numbers, and the mean of the first."""
    head = sc.Head((inputs[0],), ("m",), [[0]], [[0]], [[weight]], "none")
    embedding = sc.Embedding(sc.Space((*inputs, "m")), inputs=inputs)
    return sc.Transformer("mean", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("m",)))


def taken(inputs: int, n: int, most: int = 4096) -> int:
    """How many of the values each number of a row takes."""
    return max([k for k in range(2, 11) if k ** (inputs * n) <= most], default=2)


@together("inputs", [("a",), ("a", "b"), ("a", "b", "c")])
def test_rows_are_counted(inputs: tuple[str, ...]) -> None:
    model, many = mean(inputs), len(inputs)
    found = compare(model, archive.arrays(model, "float64", 4), 4)
    sizes = [taken(many, n) ** (many * n) for n in range(1, 5)]
    assert found["inputs"] == sum(sizes) and found["complete"] and found["ends"] is None
    assert found["greatest_length"] == 4 and found["first_difference"] is None
    assert "every sequence of rows over a grid of rational values of each length from 1" in found["method"]
    assert "values must agree within" in found["method"] and "exact integers" in found["method"]
    assert 0 <= found["largest_difference"] < 1e-12


@together("wrong", [1 + 1e-6, 2.0, float("nan")])
def test_the_first_row_that_differs(wrong: float) -> None:
    """Rows in the order of the values, the last number moving first."""
    model = mean(("a", "b"))
    m = archive.arrays(model, "float64", 3)
    found = compare(model, m | {"step1.head1.V": m["step1.head1.V"] * wrong}, 3)
    rows = itertools.product(VALUES, repeat=2)
    # 1e-6 of 1 is above what floats may be off, and of 0 nothing
    first = next(f"{a},{b}" for a, b in rows if not abs(float(a) * wrong - float(a)) <= 1e-9 * max(1, abs(a)))
    assert found["first_difference"] == first and found["ends"] == "the first input with another answer"
    assert (found["greatest_length"], found["inputs"], found["complete"]) == (0, 0, False)


def worded(
    readout: sc.Readout, before: str | None = None, epsilon: Any = None, temperature: str = "1"
) -> sc.Transformer:
    words: dict[str, Any] = {"x": {"a": 1}, "y": {"a": 2, "b": 1}} | ({before: {}} if before else {})
    head = sc.Head(("a",), ("m",), [[1]], [[1]], [[1]], "none", "average" if temperature == "1" else "softmax",
                   temperature=temperature)  # fmt: skip
    norm = sc.LayerNorm(("a", "b", "m"), epsilon=epsilon or 0, zero_variance="refuse") if epsilon is not None else None
    return sc.Transformer(
        "words", sc.Embedding(sc.Space(("a", "b", "m")), words=words, before=before), (sc.Layer(head),), readout,
        final_norm=norm,
    )  # fmt: skip


@together("before", [None, "^"])
def test_lengths_are_typed_in_sentences_and_whole_in_numbers(before: str | None) -> None:
    model, added = worded(sc.Readout("zero", "last", ("m",)), before), int(before is not None)
    patch = pytest.MonkeyPatch()
    patch.setattr(certificate, "BATCHED", 20)
    try:
        found = compare(model, archive.arrays(model, "float64", 8), 8)
    finally:
        patch.undo()
    counted, n = 0, 0 if added else 1
    while counted + 2**n <= 20:
        counted, n = counted + 2**n, n + 1
    assert found["inputs"] == counted and found["greatest_length"] == n - 1 + added
    assert found["ends"] == f"length {n} has {2**n} more inputs, and at most 20 are compared in exact batches"
    assert f"on every string of each length from {0 if added else 1}: answers must be equal" in found["method"]
    assert found["largest_difference"] is None and not found["complete"]


@together("epsilon", [0, 1])
@together("kind", ["zero", "value"])
def test_words_without_a_run_are_counted_apart(epsilon: int, kind: str) -> None:
    """One token whose entries are all alike has no variance, where it is read; values are roots, so that balls run."""
    readout = sc.Readout(kind, "each" if kind == "value" else "all", ("m",))
    words: dict[str, Any] = {"x": {"a": 1, "b": 1, "m": 1}, "y": {"a": 2}}
    norm = sc.LayerNorm(("a", "b", "m"), epsilon=epsilon, zero_variance="refuse")
    model = sc.Transformer("flat", sc.Embedding(sc.Space(("a", "b", "m")), words=words), (), readout, final_norm=norm)
    found = compare(model, archive.arrays(model, "float64", 3), 3)
    every = [w for n in (1, 2, 3) for w in itertools.product("xy", repeat=n)]
    none = [w for w in every if "x" in w] if epsilon == 0 else []
    assert found["no_run"] == {"inputs": len(none), "first": "x" if none else None}
    assert found["inputs"] == len(every) - len(none) and found["complete"]


def test_a_length_without_a_temperature() -> None:
    """At length 2 the temperature is zero, and no word of that length has a run; longer and shorter words have."""
    model = worded(sc.Readout("value", "last", ("m",)), temperature="(n - 2)^2 - 1/4")
    found = compare(model, archive.arrays(model, "float64", 3), 3)
    assert found["no_run"] == {"inputs": 4, "first": "xx"} and found["inputs"] == 2 + 8
    assert found["complete"] and found["greatest_length"] == 3


def test_one_by_one_what_batches_do_not_hold_costs_a_run_for_each_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where batches of exact integers turn out not to hold a model, the products are counted again, before it runs."""
    model = worded(sc.Readout("value", "last", ("m",)), epsilon=1)
    arrays, many = archive.arrays(model, "float64", 3), guarantee.weights(model)
    found, runs = compare(model, arrays, 3), [n * many * 2**n for n in (1, 2, 3)]
    assert found["complete"] and "one input at a time" in found["method"]
    for n, most in enumerate(runs):
        monkeypatch.setattr(guarantee, "MOST_PRODUCTS", most - 1)
        found = compare(model, arrays, 3)
        assert (found["greatest_length"], found["inputs"]) == (n, 2 ** (n + 1) - 2)
        assert found["ends"] == f"the model has {many} weights, too many for length {n + 1}"


def test_a_value_that_nothing_settles() -> None:
    """Whether log(4) is 2 log(2): where that is asked and stays open, the comparison ends before the length."""
    words = {"x": {"a": "log(4)"}, "y": {"a": "2*log(2)"}}
    head = sc.Head(("a",), ("m",), [[1]], [[1]], [[1]], "none", "leftmost")
    embedding = sc.Embedding(sc.Space(("a", "m")), words=words)
    model = sc.Transformer("tie", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("m",), [[1]]))
    found = compare(model, archive.arrays(model, "float64", 3), 3)
    assert found["ends"] == "neither exact arithmetic nor rigorous intervals settle an answer at length 2"
    assert (found["greatest_length"], found["inputs"]) == (1, 2)


def test_how_far_floats_are_off() -> None:
    """The greatest of all lengths, relative to values above 1: by hand."""
    model = mean(("a",), "1/3")
    m = archive.arrays(model, "float32", 2)
    third, worst = float(np.float32(1 / 3)), 0.0
    for n in (1, 2):
        for row in itertools.product(VALUES[: taken(1, n)], repeat=n):
            exact = float(sum(row, F(0)) / n / 3)
            z = archive.place(m, np.array([[[float(v)] for v in row]]))
            got = float(archive.evaluate(m, z)[0, -1, 1])
            worst = max(worst, abs(got - exact) / max(1, abs(exact)))
    assert compare(model, m, 2)["largest_difference"] == pytest.approx(worst, rel=1e-12)
    assert worst > abs(third - 1 / 3) / 2


def test_exact_arithmetic_without_a_value_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores of two layers are products of two roots. The answers are those of numpy in either order."""
    model = trained.trained(6)
    strings, asked = ["abca", "bcab", "cabb"], []
    chosen = finite(model, strings)

    def counted(model: sc.Transformer, given: Any, domain: str) -> Any:
        asked.append(domain)
        return run(model, given, domain)

    monkeypatch.setattr(certificate, "run", counted)
    arrays = archive.arrays(model, "float64", 4)
    in_floats = compare(model, arrays, 4, asked=chosen)
    assert in_floats["complete"] and in_floats["inputs"] == 3 and not asked
    monkeypatch.setattr(infloats, "certified", lambda model, words: [None] * len(words))
    assert compare(model, arrays, 4, asked=chosen) == in_floats
    assert asked == ["exact", "ball", "ball", "ball"]


def test_an_open_answer_in_intervals_is_asked_exactly() -> None:
    """The mean of sqrt(2) and -sqrt(2) is 0 in exact numbers, which rejects; intervals leave it open."""
    head = sc.Head(("a",), ("m",), [[0]], [[0]], [[1]], "none")
    words = {"x": {"a": "sqrt(2)"}, "y": {"a": "-sqrt(2)"}}
    embedding = sc.Embedding(sc.Space(("a", "m")), words=words)
    model = sc.Transformer("roots", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("m",), [[1]]))
    assert run(model, "xy", "ball").undecided
    for exact in (True, False):
        no_runs = certificate._NoRuns()
        no_runs.exact = exact
        assert [certificate._single(model, tuple(word), no_runs) for word in ("x", "xy", "yyx")] == [True, False, False]
