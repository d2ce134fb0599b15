"""What a certificate promises, against a runtime that rounds each operation and sums in any order (tests/runtimes.py),
and against its own sentence about sums; short, so that every turn of the tests runs all of it."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import dense
import numpy as np
import pytest
from families import in_parts, together
from runtimes import ORDERS, Runtime
from shared import lookup

import symcook as sc
from symcook.__main__ import main
from symcook.export import archive, run_npz, torch_code
from symcook.export.certificate import compare
from symcook.export.diff import diff
from symcook.export.guarantee import guarantee
from symcook.export.lens import Lens

U = Fraction(1, 2**8)
"""The unit roundoff of bfloat16, in which sums go wrong soonest."""


def mean_below(value: str, threshold: str) -> sc.Transformer:
    """Accept iff the mean of equal values is above a threshold, of words x, xx, xxx, ..."""
    head = sc.Head(("a",), ("m",), [[0]], [[0]], [[1]], "future", "average")
    embedding = sc.Embedding(sc.Space(("a", "one", "m")), words={"x": {"a": value, "one": 1}})
    readout = sc.Readout("sign", "last", ("m", "one"), [[1, f"-({threshold})"]])
    return sc.Transformer("mean-below", embedding, (sc.Layer(head),), readout)


def promised(model: sc.Transformer, dtype: str, longest: int) -> Any:
    return guarantee(model, dtype, longest)


def certain(found: Any) -> set[int]:
    """The lengths at which every decision is promised."""
    return {n for low, high in found["ranges"] for n in range(low, high + 1)}


# --- Long sums --------------------------------------------------------------------------------------------------------


def wrong_from(model: sc.Transformer, longest: int) -> int:
    """The least length at which terms added one by one in bfloat16 give the answer that the exact model does not."""
    runtime, total = Runtime("bfloat16"), 0.0
    value, one = runtime.number(model.embedding.words["x"]["a"]), runtime.number(model.readout.weights[0, 1])
    for n in range(1, longest + 1):
        total = runtime.round(total + value)
        if runtime.round(runtime.round(total / n) + one) > 0:
            return n
    raise AssertionError("no length")


def test_a_sum_of_many_terms_is_off_by_more_than_one_of_two() -> None:
    """1.75 added one by one: in bfloat16 each sum above 64 grows by 2, and so the mean comes out above 1.85."""
    model = mean_below("7/4", "37/20")
    first = wrong_from(model, 256)
    found = promised(model, "bfloat16", 256)
    assert 36 < first < 100
    assert found["length"] == 36 < first  # to there every sum is a multiple of 1/4 of at most 8 bits
    assert max(certain(found)) < first


@pytest.mark.sweep
@together(("value", "threshold"), [("7/4", "10/3"), ("129/128", "3/2"), ("1/3", "4/7"), ("-7/5", "-11/10")])
def test_the_error_of_a_long_sum_is_what_the_certificate_says(value: str, threshold: str) -> None:
    """The error model says that a sum of k terms is off by at most (k - 1) u/(1 - (k - 1) u) of the sizes: a decision
    holds as long as that is below its distance, and no shorter but for a few roundings more; so wide is what is shown.
    """
    size, distance = abs(Fraction(value)), Fraction(threshold) - Fraction(value)

    def longest(more: Fraction) -> int:
        k = 1
        while k * U < 1 and size * (k * U / (1 - k * U) + more) < distance:
            k += 1
        return k

    found = promised(mean_below(value, threshold), "bfloat16", 256)
    assert longest(8 * U) <= found["length"] <= longest(-2 * U) < 200
    for k, each in enumerate(found["lengths"]):
        low, high = map(Fraction, each["outputs"]["logit"])
        assert high - low <= 2 * size * k * U / (1 - k * U) + 16 * U * (size + abs(Fraction(threshold))), k


@pytest.mark.sweep
@together("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_sums_of_few_bits_are_exact_in_every_type(dtype: str) -> None:
    """With the mean of 3/4 against 3/4 itself: never above it, as no sum of these rounds within 2^8 positions; so with
    multiples of the least normal number of a type, and of the greatest power that it holds 64 times."""
    bits, least, top = {"float64": (53, -1022, 1024), "float32": (24, -126, 128), "float16": (11, -14, 16),
                        "bfloat16": (8, -126, 128)}[dtype]  # fmt: skip
    for value in ("3/4", f"3*2^({least})", f"3*2^({top - 9})"):
        assert promised(mean_below(value, value), dtype, 64)["length"] == 64, value
    inexact = promised(mean_below(f"(2^{bits} - 1)/2^{bits}", f"(2^{bits} - 1)/2^{bits}"), dtype, 8)
    assert inexact["length"] == 1  # beyond 1 there are multiples of 2^-bits that the type does not have
    if dtype != "float64":  # in which sums of float64 numbers overflow too
        beyond = promised(mean_below(f"2^{top - 2}", f"2^{top - 2}"), dtype, 8)
        assert beyond["length"] < 8  # the sum of 4 is no number of the type


# --- Products and sums of few terms -----------------------------------------------------------------------------------


def small(rng: random.Random) -> tuple[sc.Transformer, Fraction]:
    """A sum of products of two short binary numbers, or thirds, as the logit of the one word x; and its exact value."""

    def number() -> Fraction:
        odd = Fraction(rng.choice([1, 3, 5, 129, 131, 193, 255]), rng.choice([1, 2, 4, 64, 128, 2**10, 2**14]))
        return rng.choice([-1, 1]) * odd / rng.choice([1, 1, 1, 1, 3])

    names = tuple("abcd")
    values, inside, outside = ([number() for _ in names] for _ in range(3))
    if rng.random() < 0.4:  # nearly nothing is left, which a rounding may turn
        rest = sum((v * c for v, c in zip(values[:3], outside[:3], strict=True)), Fraction(0))
        values[3], outside[3] = round(-rest * 2**7) / Fraction(2**7), Fraction(1)
    rows = [[str(c) if r == k else 0 for k in range(4)] for r, c in enumerate(inside)]
    eye = [[int(r == k) for k in range(4)] for r in range(4)]
    network = sc.FeedForward(names, names, rows, [0] * 4, eye, [0] * 4)
    layers = (sc.Layer(None, network),) if rng.random() < 0.4 else ()
    words = {"x": dict(zip(names, map(str, values), strict=True))}
    readout = sc.Readout("sign", "last", names, [[str(c) for c in outside]])
    ends = [v + max(v * c, Fraction(0)) if layers else v for v, c in zip(values, inside, strict=True)]
    exact = sum((v * c for v, c in zip(ends, outside, strict=True)), Fraction(0))
    return sc.Transformer("small", sc.Embedding(sc.Space(names), words=words), layers, readout), exact


@pytest.mark.sweep
def test_what_is_promised_of_small_sums_is_what_runtimes_do() -> None:
    """Each logit of a promised word, in 12 runs with other orders of sums, has the exact sign and lies in the promised
    interval; and those that a runtime turns are not promised, of which there are many."""
    rng, held, turned = random.Random(5), 0, 0
    for _ in range(150):
        model, exact = small(rng)
        found = promised(model, "bfloat16", 1)
        logits = [Runtime("bfloat16", seed=k).read(model, "x")[0][0]["logit"] for k in range(12)]
        turned += any((y > 0) != (exact > 0) for y in logits)
        shown = [each["outputs"]["logit"] for each in found["lengths"] or found["open"]]
        low, high = (Fraction(end) for end in shown[0])
        assert all(low <= y <= high for y in (*map(Fraction, logits), exact)), model
        if found["length"]:
            held += 1
            assert all((y > 0) == (exact > 0) for y in logits)
            assert Fraction(found["lengths"][0]["margin"]) <= min(abs(y) for y in (*map(Fraction, logits), exact))
    assert held > 60 and turned > 15


@together(
    ("terms", "exact"),
    [
        ([("1", "1"), ("2^-12", "1"), ("-1", "1")], False),  # lost where the large ones are added first
        ([("1", "1"), ("2^-6", "1"), ("-1", "1")], True),
        ([("129/128", "129/128"), ("-65/64", "1")], False),  # a product of 15 bits
        ([("9/8", "9/8"), ("-5/4", "1")], True),
        ([("0", "1/3"), ("2^-12", "1")], True),  # nothing, times what no float is
        ([("1/3", "3"), ("-1", "1"), ("2^-12", "1")], False),
        ([("2^-100", "2^-40")], False),  # below half the least number
        ([("1", "2^-200")], False),  # a weight that is rounded to zero
        ([("2^-200", "1")], False),
    ],
)
def test_what_rounds_and_what_does_not(terms: Any, exact: bool) -> None:
    """The sign of a short sum in bfloat16, after a network that passes its numbers on and without one."""
    names = tuple(f"x{k}" for k in range(len(terms)))
    words = {"x": dict(zip(names, [v for v, _ in terms], strict=True))}
    readout = sc.Readout("sign", "last", names, [[c for _, c in terms]])
    model = sc.Transformer("few", sc.Embedding(sc.Space(names), words=words), (), readout)
    assert (promised(model, "bfloat16", 1)["length"] == 1) is exact


def test_sums_are_exact_to_as_many_bits_as_there_are() -> None:
    """(1 + 1 + 1 + 1 - 252 + 256)/512: the sizes sum to 1, and odd multiples of 1/512 above 1/2 have 9 bits, so that
    256 + 1 comes out as 256."""
    names = tuple("abcdef")
    words = {"x": dict(zip(names, ["1/512"] * 4 + ["-252/512", "1/2"], strict=True))}
    model = sc.Transformer(
        "bits", sc.Embedding(sc.Space(names), words=words), (), sc.Readout("sign", "last", names, [[1] * 6])
    )
    logits = {Runtime("bfloat16", seed=k).read(model, "x")[0][0]["logit"] for k in range(30)}
    found = promised(model, "bfloat16", 1)
    low, high = (found["lengths"] or found["open"])[0]["outputs"]["logit"]
    assert (
        Fraction(low) <= min(map(Fraction, logits)) < max(map(Fraction, logits)) == Fraction(8, 512) <= Fraction(high)
    )
    assert promised(model, "float16", 1)["lengths"][0]["outputs"]["logit"] == ["0.015625", "0.015625"]


# --- Causal models, word by word --------------------------------------------------------------------------------------

LETTERS = ("x", "y")


def causal(seed: int) -> sc.Transformer:
    """Averages over what stands to the left, a network behind them and averages of it, with thresholds near to values
    that words have."""
    rng, names = random.Random(seed), ("a", "b", "c", "d", "one")

    def table(rows: int) -> list[list[str]]:
        return [[rng.choice(["0", "1", "-1", "1/2", "2/3", "-5/4"]) for _ in names] for _ in range(rows)]

    def head(writes: str) -> sc.Head:
        mask, weighting = rng.choice(["future", "strict-future"]), rng.choice(["average", "softmax"])
        return sc.Head(names, tuple(writes), [[0] * 5], [[0] * 5], table(len(writes)), mask, weighting)

    network = sc.FeedForward(names, ("c",), table(2), ["0", "-1/8"], [["1", "-1"]], ["0"], rng.choice(["relu", "step"]))
    words = {t: {"a": rng.choice(["1", "1/3", "-5/4"]), "one": 1} for t in LETTERS}
    before = rng.choice([None, "B"])
    words |= {"B": {"b": 1, "one": 1}} if before else {}
    kind = ("sign", "zero", "largest")[seed % 3]
    more: dict[str, Any] = {}
    if kind == "sign":
        more = {"weights": [["0", "0", "1", rng.choice(["1", "-1"]), rng.choice(["1/7", "-1/3"])]]}
    if kind == "largest":
        more = {"weights": table(3), "labels": ("p", "q", "r")}
    reads = ("c", "d") if kind == "zero" else names
    layers = (sc.Layer(head("b"), network), sc.Layer(sc.SelfAttention((head("d"), head("c")))))
    embedding = sc.Embedding(sc.Space(names), words=words, before=before)
    return sc.Transformer(f"causal-{seed}", embedding, layers, sc.Readout(kind, "last", reads, **more))


@pytest.mark.layer_one(2)
@in_parts(3, "seed", range(9))
def test_every_promised_word_is_decided_by_every_runtime(seed: int) -> None:
    """All words to length 4, some to length 9: the exact answer, and what is shown lies in the interval; with
    averages divided behind their sums, and before them where the certificate speaks of that order too."""
    model = causal(seed)
    found = promised(model, "bfloat16", 10)
    added, rng, tried = model.embedding.added, random.Random(seed), 0
    parts = (found, found.get("divided_first") or {"lengths": []})
    for order, each in ((order, each) for order, part in zip(ORDERS, parts, strict=True) for each in part["lengths"]):
        typed = each["length"] - added
        every = list(product(LETTERS, repeat=typed)) if typed < 4 else []
        for word in every or [tuple(rng.choices(LETTERS, k=typed)) for _ in range(6)]:
            shown, answer = dense.read(model, dense.typed(model, word))[-1]
            floats, said = Runtime("bfloat16", order, tried).read(model, word)[-1]
            tried += 1
            assert said == answer, word
            for name, (low, high) in each["outputs"].items():
                assert Fraction(low) <= shown[name] <= Fraction(high), (word, name)
                assert Fraction(low) <= Fraction(floats[name]) <= Fraction(high), (word, name)
    for each in found["open"]:
        shown, _ = dense.read(model, dense.typed(model, each["input"]))[-1]
        for name, (low, high) in each["outputs"].items():
            assert low == "-inf" or Fraction(low) <= shown[name]
            assert high == "inf" or shown[name] <= Fraction(high)
    assert tried or found["open"]


@together(("constant", "answer"), [("0", True), ("1/3", False), (None, True)])
def test_a_coordinate_that_no_token_changes(constant: str | None, answer: bool) -> None:
    """A zero readout of one coordinate that is the same in all words, or never written, beside one that is not."""
    head = sc.Head(("a",), ("m",), [[0]], [[0]], [[1]], "future", "average")
    positions = {} if constant is None else {"fixed": constant}
    words = {"x": {"a": 1}, "y": {"a": -1}}
    embedding = sc.Embedding(sc.Space(("a", "m", "fixed")), words=words, positions=positions)
    model = sc.Transformer("beside", embedding, (sc.Layer(head),), sc.Readout("zero", "last", ("m", "fixed")))
    found = promised(model, "float32", 8)
    assert found["length"] == 8
    assert found["method"] == "strings with the same running sums grouped, from length 1"
    assert model("xy").accept is answer
    for n, each in enumerate(found["lengths"], 1):
        sizes = [abs(Fraction(2 * k - n, n)) for k in range(n + 1)]
        least = min(max(size, Fraction(constant or 0)) for size in sizes if size or not answer)
        assert least * Fraction(99, 100) < Fraction(each["margin"]) <= least


def test_scores_that_are_close_are_told_apart_by_their_distance() -> None:
    """p has the score 5 + the mean of +1 and -1, q 5 + 1/3: a tie at every third length, which q loses."""
    head = sc.Head(("a",), ("m",), [[0]], [[0]], [[1]], "future", "average")
    words = {"x": {"a": 1, "one": 1}, "y": {"a": -1, "one": 1}}
    embedding = sc.Embedding(sc.Space(("a", "one", "m")), words=words)
    for rows in ([[1, 5], [0, "16/3"]], [[0, "16/3"], [1, 5]]):
        readout = sc.Readout("largest", "last", ("m", "one"), rows, ("p", "q"))
        model = sc.Transformer("close", embedding, (sc.Layer(head),), readout)
        found = promised(model, "float32", 5)
        assert found["ranges"] == [[1, 2], [4, 5]]
        for each in found["lengths"]:
            n = each["length"]
            least = min(abs(Fraction(2 * k - n, n) - Fraction(1, 3)) for k in range(n + 1))
            assert least * Fraction(99, 100) < Fraction(each["margin"]) <= least


# --- Runs of the arrays -----------------------------------------------------------------------------------------------


def by_plain_loops(rows: list[tuple[int, int, int]], mask: str, weighting: str) -> list[Fraction]:
    found = []
    for i, (q, _, _) in enumerate(rows):
        seen = [j for j in range(len(rows)) if dense.SEES[mask](i, j)]
        top = max((q * rows[j][1] for j in seen), default=0)
        best = [j for j in seen if q * rows[j][1] == top]
        best = {"leftmost": best[:1], "rightmost": best[-1:]}.get(weighting, best)
        found.append(sum((Fraction(rows[j][2]) for j in best), Fraction(0)) / max(len(best), 1))
    return found


@together("weighting", ["leftmost", "rightmost", "average"])
@together("mask", ["none", "future", "strict-future", "past", "strict-past"])
def test_ties_in_arrays_and_in_the_script(mask: str, weighting: str, tmp_path: Any, capsys: Any) -> None:
    """Small keys, so that most rows have several greatest scores, not all of them side by side."""
    model = lookup(weighting, mask)
    model = sc.Transformer("ties", model.embedding, model.layers, sc.Readout("value", "each", ("out",)))
    m, rng = archive.arrays(model, "float64", 7), random.Random(f"{mask} {weighting}")
    np.savez(tmp_path / "m.npz", **m)
    for trial in range(6):
        rows = [(rng.choice([-1, 0, 1]), rng.choice([-1, 0, 1]), 2**k) for k in range(7)]
        expected = [float(v) for v in by_plain_loops(rows, mask, weighting)]
        z = archive.evaluate(m, archive.place(m, np.array([rows], dtype=float)))
        assert archive.shown(m, z)[0, :, 0].tolist() == pytest.approx(expected, rel=1e-14)
        if trial == 0:
            run_npz.main(str(tmp_path / "m.npz"), ";".join(",".join(map(str, row)) for row in rows))
            assert [float(v) for v in capsys.readouterr().out.split()[1:]] == pytest.approx(expected, rel=1e-14)


@together("outcome", ["zero", "refuse"])
def test_the_script_and_zero_variance(outcome: str, tmp_path: Any, capsys: Any) -> None:
    norm = sc.LayerNorm(("a", "b"), bias=[1, 2], zero_variance=outcome)
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1, "b": 1}, "y": {"a": 1}})
    model = sc.Transformer("flat", embedding, (), sc.Readout("value", "each", ("a",)), final_norm=norm)
    np.savez(tmp_path / "m.npz", **archive.arrays(model, "float64", 3))
    run_npz.main(str(tmp_path / "m.npz"), "yy")
    assert capsys.readouterr().out.split() == ["a", "2.0", "2.0"]
    if outcome == "zero":
        run_npz.main(str(tmp_path / "m.npz"), "yx")
        assert capsys.readouterr().out.split() == ["a", "2.0", "1.0"]
        return
    with pytest.raises(SystemExit) as ended:
        run_npz.main(str(tmp_path / "m.npz"), "yx")
    assert ended.value.code == 2 and "a variance above zero" in capsys.readouterr().err


@together("position", ["first", "last", "each"])
def test_the_comparison_names_the_first_word_that_parts(position: str) -> None:
    """Token values in arrays of which one letter's is wrong: the first word that shows it, and how far it is off."""
    words = {"x": {"a": "1/2"}, "y": {"a": "1/4"}, "z": {"a": 3}}
    embedding = sc.Embedding(sc.Space(("a", "b")), words=words)
    model = sc.Transformer("tokens", embedding, (), sc.Readout("value", position, ("a",)))
    m = archive.arrays(model, "float64", 3)
    wrong = {**m, "embedding": m["embedding"] + np.array([[0, 0], [0, 0], [3e-13, 0]])}
    assert compare(model, wrong, 3)["largest_difference"] == pytest.approx(1e-13, rel=1e-2)  # of 3, relative to it
    wrong["embedding"] = m["embedding"] + np.array([[0, 0], [1e-13, 0], [0, 0]])
    assert compare(model, wrong, 3)["largest_difference"] == pytest.approx(1e-13, rel=1e-2)  # of 1/4, as it is
    assert compare(model, m, 3)["largest_difference"] == 0
    wrong["embedding"] = m["embedding"] + np.array([[0, 0], [0, 0], [1, 0]])
    found = compare(model, wrong, 3)
    assert (found["first_difference"], found["greatest_length"]) == ("z", 0)
    wrong = dict(m)
    wrong["positions"] = np.array([[0.0, 0], [0, 0], [1, 0]])
    found = compare(model, wrong, 3)  # wrong at the third place alone
    if position == "first":
        assert found["first_difference"] is None and found["greatest_length"] == 3
    else:
        assert (found["first_difference"], found["greatest_length"], found["inputs"]) == ("xxx", 2, 12)


# --- What else is made of the arrays ----------------------------------------------------------------------------------


@together(
    ("tokens", "shown"),
    [(("(", ")"), "'(('"), (("up", "down"), "['up']"), (("a", "bb"), "['a']"), (("B", "x", "yy"), "['x']")],
)
def test_the_example_in_a_module_is_an_input(tokens: Any, shown: str) -> None:
    """Of tokens of one letter a word of two, of others a list; without what the model adds."""
    embedding = sc.Embedding(
        sc.Space(("a",)), words={t: {"a": 1} for t in tokens}, before="B" if "B" in tokens else None
    )
    model = sc.Transformer("t", embedding, (), sc.Readout("value", "last", ("a",)))
    assert torch_code.example(archive.arrays(model, "float32", 3)) == shown


def test_an_unembedding_shows_coordinates_as_they_are() -> None:
    """A readout of values, in the state dict of another library: rows of the identity, in the readout's order."""
    embedding = sc.Embedding(sc.Space(("a", "b", "c")), words={"x": {"a": 1, "b": 2}, "y": {"c": 3}})
    network = sc.FeedForward(("a",), ("b",), [[1]], [0], [[1]], [0])
    model = sc.Transformer("t", embedding, (sc.Layer(None, network),), sc.Readout("value", "last", ("c", "a")))
    assert Lens(archive.arrays(model, "float32", 3)).unembedding().tolist() == [[0, 0, 1], [1, 0, 0]]


def test_models_of_rows_that_part_at_two_positions() -> None:
    """What stands first, and the mean: equal of one row, and the first input that tells them apart has two."""
    head = sc.Head(("a",), ("m",), [[0]], [[0]], [[1]], "none", "leftmost")
    mean = sc.Head(("a",), ("m",), [[0]], [[0]], [[1]], "none", "average")
    embedding = sc.Embedding(sc.Space(("a", "b", "m")), inputs=("a", "b"))
    one, other = (
        sc.Transformer("t", embedding, (sc.Layer(h),), sc.Readout("value", "last", ("m",))) for h in (head, mean)
    )
    first = diff(one, other, 2).first
    assert first is not None and first["input"] == "a=0, b=0; a=1, b=0"
    assert diff(one, one, 2).inputs == 4**2 + 4**4
    words = {"B": {"a": 1}, "x": {"a": 2}}
    empty, other = (
        sc.Transformer("t", sc.Embedding(sc.Space(("a",)), words={**words, "B": {"a": value}}, before="B"), (), readout)
        for value in (1, 3)
        for readout in [sc.Readout("value", "first", ("a",))]
    )
    first = diff(empty, other, 2).first
    assert first is not None and first["input"] == ""  # B alone


@together("kind", ["gelu", "gelu-tanh", "gelu-sigmoid", "relu", "step"])
def test_activations_in_the_script(kind: str, tmp_path: Any, capsys: Any) -> None:
    network = sc.FeedForward(("a",), ("b",), [[1]], [0], [[1]], [0], kind)
    embedding = sc.Embedding(sc.Space(("a", "b")), inputs=("a",))
    model = sc.Transformer("t", embedding, (sc.Layer(None, network),), sc.Readout("value", "each", ("b",)))
    values = [Fraction(k, 4) for k in (-12, -3, -1, 0, 1, 2, 9)]
    np.savez(tmp_path / "m.npz", **archive.arrays(model, "float64", 1))
    run_npz.main(str(tmp_path / "m.npz"), ";".join(str(float(v)) for v in values))
    expected = [row["b"] for row in dense.run(model, [{"a": v} for v in values], dense.decimal(30))]
    assert [float(v) for v in capsys.readouterr().out.split()[1:]] == pytest.approx(
        list(map(float, expected)), abs=1e-14
    )


def test_a_readout_at_the_first_position_is_what_is_shown() -> None:
    """In each length the outputs are those of the first position, though others hold other numbers."""
    head = sc.Head(("a",), ("m",), [[0]], [[0]], [[1]], "future", "average")
    embedding = sc.Embedding(sc.Space(("a", "m")), words={"x": {"a": 1}, "y": {"a": 3}}, positions={"a": "4*i"})
    readout = sc.Readout("sign", "first", ("m",), [["1"]])
    found = promised(sc.Transformer("first", embedding, (sc.Layer(head),), readout), "float32", 4)
    assert found["length"] == 4
    for each in found["lengths"]:
        low, high = map(Fraction, each["outputs"]["logit"])
        assert 5 - Fraction(1, 10**5) < low <= 5 and 7 <= high < 7 + Fraction(1, 10**5)
        assert low - Fraction(1, 10**9) <= Fraction(each["margin"]) <= 5


def test_what_a_certificate_says_of_how_it_was_made() -> None:
    """Whether answers or values were compared, and whether an output or a choice on the way is not certain."""
    model = mean_below("7/4", "37/20")
    assert compare(model, archive.arrays(model, "float64", 2), 2)["method"].endswith("answers must be equal")
    shown = sc.Transformer("t", model.embedding, model.layers, sc.Readout("value", "last", ("m",)))
    assert "values must agree within" in compare(shown, archive.arrays(shown, "float64", 2), 2)["method"]
    assert "reach the threshold" in promised(model, "bfloat16", 60)["why"]
    scored = sc.Head(("a", "one"), ("m",), [[0, 1]], [["1/3", 0]], [[1, 0]], "none", "rightmost")
    words = {"x": {"a": "1/7", "one": 1}, "y": {"a": "1001/7000", "one": 1}}
    near = sc.Transformer("near", sc.Embedding(sc.Space(("a", "one", "m")), words=words), (sc.Layer(scored),),
                          sc.Readout("sign", "last", ("m",), [[1]]))  # fmt: skip
    found = promised(near, "bfloat16", 3)
    assert found["length"] == 1 and "a comparison before the output" in found["why"]


def test_sums_above_the_greatest_float_are_promised_nothing(tmp_path: Path) -> None:
    """Two of these letters sum to more than any float holds: nothing is promised of them, and nothing warns."""
    b = sc.Builder(words={"a": {"x": 2**1023}, "b": {"x": -(2**1023)}})
    b.readout("sign", "last", b.add(sc.head(value={"mean": "x"}, mask="future")), weights=[1])
    found = b.build("big").export(tmp_path / "big.npz", max_length=3)["guaranteed"]
    assert found["ranges"] in ([], [[1, 1]])


# --- The printed error of values --------------------------------------------------------------------------------------


def test_the_printed_error_holds_at_each_length_also_where_it_falls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One number is printed for all lengths: values that get smaller have their greatest error at the first one."""
    value = Fraction(100000, 21)
    block = sc.FeedForward(("p",), ("v",), [[1]], [[0]], [["1/7"]], [[0]])
    embedding = sc.Embedding(sc.Space(("p", "v")), words={"x": {}}, positions={"p": "100000/(3*n)"})
    model = sc.Transformer("falling", embedding, (sc.Layer(None, block),), sc.Readout("value", "last", ("v",)))
    weights = tmp_path / "falling.npz"
    model.save(tmp_path / "falling.json")
    assert main(["export", str(tmp_path / "falling.json"), "-o", str(weights), "--dtype", "float16"]) == 0
    printed = re.search(r"every value within (\S+) of the exact one up to length 16\n", capsys.readouterr().out)
    assert printed is not None
    errors = []
    for n in range(1, 17):
        run_npz.main(str(weights), "x" * n)
        shown = re.fullmatch(r"v (\S+)", capsys.readouterr().out.strip())
        assert shown is not None
        errors.append(abs(Fraction(shown[1]) - value / n))
    assert errors[0] > 2 > errors[-1]
    assert max(errors) <= Fraction(printed[1])


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("mask", ["none", "future"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_mean_that_comes_out_even_is_exact(tmp_path: Path, dtype: str, mask: str) -> None:
    """The mean of 1s and 3s is 2 where there are as many of each: divided behind the sum it is exactly 2 in floats too,
    and any other mean is off by 1/12 at least."""
    names = ("x", "mean")
    words = {"a": {"x": 1, "mean": -2}, "b": {"x": 3, "mean": -2}}
    head = sc.Head(("x",), ("mean",), [[0]], [[0]], [[1]], mask, "average")
    embedding = sc.Embedding(sc.Space(names), words=words)
    model = sc.Transformer("even", embedding, (sc.Layer(head),), sc.Readout("zero", "last", ("mean",)))
    known = model.export(tmp_path / "m.npz", dtype=dtype, max_length=6)
    assert known["guaranteed"]["ranges"] == [[1, 6]]
    for n in (2, 4, 6):
        for k, word in enumerate(product("ab", repeat=n)):
            wanted = word.count("a") == word.count("b")
            assert model.run(word).accept is wanted
            assert Runtime(dtype, "behind", seed=k).answer(model, word) is wanted


@pytest.mark.parametrize("name", ["dyck-1", "parity-layernorm", "first"])
def test_the_module_for_torch_takes_every_step(name: str) -> None:
    """By its text: each step of the archive once, in order, and each array that a step has is read behind `forward`."""
    m = archive.arrays(sc.build(name).bind(), "float32", 4)
    text = torch_code.code(m, "m", "0" * 64)
    assert re.findall(r"# step (\d+), of layer", text) == [str(s) for s in range(1, int(m["steps"]) + 1)]
    behind = text[text.index("def forward") :]
    for key in m:
        if re.fullmatch(r"step\d+\.(head\d+\.[QKV]|[Wb][12])", key):
            assert f"self.{key}" in behind, key
