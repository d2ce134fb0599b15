"""What a certificate calls decided: ends of outputs against every choice of numbers between them, with ties, points and
infinite ends; how ends are written; and each sentence that says what stays open."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import together

import symcook as sc
from symcook.__main__ import main
from symcook.domains.rounding import ends
from symcook.export.guarantee import decision, guarantee
from symcook.model.rationals import outward

F = Fraction
NAMES = ("a", "b", "c")


def reading(kind: str, many: int) -> sc.Transformer:
    names = NAMES[:many]
    weights = {"sign": [[1] * many], "largest": [[int(r == c) for c in range(many)] for r in range(many)]}.get(kind)
    more: dict[str, Any] = {"labels": names} if kind == "largest" else {}
    embedding = sc.Embedding(sc.Space(names), words={"x": {"a": 1}})
    return sc.Transformer("m", embedding, (), sc.Readout(kind, "last", names, weights, **more))


def answers(kind: str, box: list[tuple[float, float]]) -> set[Any]:
    """All that is said of numbers in a box: those at its ends, and between them where an end is no number of it."""
    grid = [sorted({low, high, (low + high) / 2} | ({0.0} if low <= 0 <= high else set())) for low, high in box]
    found = set()
    for point in itertools.product(*grid):
        if kind == "sign":
            found.add(point[0] > 0)
        elif kind == "zero":
            found.add(not any(point))
        else:
            found.add(point.index(max(point)))
    return found


def far(kind: str, box: list[tuple[float, float]]) -> float:
    """How far all numbers of a box that is decided are from being decided otherwise; inf where nothing is near."""
    if kind == "sign":
        (low, high) = box[0]
        return low if low > 0 else -high
    if kind == "zero":
        return math.inf if all(b == (0, 0) for b in box) else max(max(low, -high, 0) for low, high in box)
    best = next(iter(answers(kind, box)))
    return box[best][0] - max((high for k, (_, high) in enumerate(box) if k != best), default=-math.inf)


@together("kind", ["sign", "zero", "largest"])
@pytest.mark.sweep
def test_decisions_by_all_numbers_between_the_ends(kind: str) -> None:
    r, seen = random.Random(5), set()
    for _ in range(400):
        many, entries = 1 if kind == "sign" else r.choice([1, 2, 3]), r.choice([1, 1, 2, 4])
        if kind == "largest" and many == 1:
            many = 2
        boxes = []
        for _ in range(entries):
            wide = r.choice([0, 0, 1, 2])
            lows = [r.choice([-3, -2, -1, 0, 0, 0, 1, 2, 5]) for _ in range(many)]
            boxes.append([(float(low), float(low + r.randint(0, wide))) for low in lows])
        model = reading(kind, many)
        names = ["logit"] if kind == "sign" else list(NAMES[:many])
        found = {name: tuple(np.array([box[k][e] for box in boxes]) for e in (0, 1)) for k, name in enumerate(names)}
        said = [answers(kind, box) for box in boxes]
        first = next((k for k, one in enumerate(said) if len(one) > 1), None)
        margin, opened = decision(model, found)  # type: ignore[arg-type]
        assert opened == first, (kind, boxes)
        if first is None:
            least = min(far(kind, box) for box in boxes)
            assert margin == (None if least == math.inf else least), (kind, boxes)
        else:
            assert margin is None
        seen.add((first is None, margin is None, entries))
    assert len(seen) > 4


def test_what_may_be_anything_is_open() -> None:
    wild = {"logit": (np.array([1.0, -np.inf]), np.array([2.0, np.inf]))}
    assert decision(reading("sign", 1), wild) == (None, 1)
    zero = {"a": (np.array([-np.inf]), np.array([np.inf])), "b": (np.array([1.0]), np.array([np.inf]))}
    assert decision(reading("zero", 2), zero) == (1.0, None)


def test_ends_are_rounded_outwards() -> None:
    """To the next float on either side, and to ten digits; numbers that are floats, or of few digits, stay."""
    import flint

    with flint.ctx.workprec(200):
        for text, low, high in [("1/3", False, False), ("5/2", True, True), ("-7/3", False, False), ("0", True, True)]:
            x = F(text)
            ball = flint.arb(flint.fmpq(x.numerator, x.denominator))
            below, above = ends(ball)
            assert F(below) <= x <= F(above) and (F(below) == x) is low and (F(above) == x) is high
            assert above <= math.nextafter(math.nextafter(below, math.inf), math.inf)
        assert ends(flint.arb(0, flint.arb.pos_inf())) == (-math.inf, math.inf)
        assert ends(flint.fmpq(3, 4)) == (0.75, 0.75)  # type: ignore[arg-type]
    for low, high, said in [
        (0.1, 0.1, ["0.1", "0.1000000001"]), (0.5, 0.5, ["0.5", "0.5"]), (-0.1, 2.0, ["-0.1000000001", "2"]),
        (-math.inf, math.inf, ["-inf", "inf"]), (math.inf, math.inf, ["inf", "inf"]), (0.0, 0.0, ["0", "0"]),
        (1e-300, 1e300, [outward(1e-300, 0)[0], outward(0, 1e300)[1]]), (123456789012.0, 1.0, ["123456789000", "1"]),
    ]:  # fmt: skip
        found = outward(low, high)
        assert found == said, found
        if math.isfinite(low):
            assert F(found[0]) <= F(low) and F(found[1]) >= F(high)
            assert abs(F(found[0]) - F(low)) <= abs(F(low)) / 10**9


def mean(threshold: Any, kind: str = "sign") -> sc.Transformer:
    """The mean of 1/3 and -1/3, which no float is, less a threshold."""
    head = sc.Head(("a",), ("b",), [[0]], [[0]], [[1]], "future")
    embedding = sc.Embedding(
        sc.Space(("a", "b", "c")), words={"x": {"a": "1/3"}, "y": {"a": "-1/3"}}, positions={"c": str(threshold)}
    )
    weights = [[1, -1]] if kind == "sign" else None
    reads = ("b", "c") if kind == "sign" else ("b",)
    return sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout(kind, "last", reads, weights))


def test_why_a_guarantee_ends() -> None:
    """Each sentence with the length that it speaks of: a word on the threshold, one that comes near, a choice that is
    open, values that are not bounded, the greatest length, and the length of which the model takes no more."""
    found = guarantee(mean(0), "float64", 6)
    assert found["ranges"] == [[1, 1], [3, 3]] and found["why"] == "a string of length 2 is exactly on the threshold"
    assert [one["length"] for one in found["open"]] == [2, 4] and found["length"] == 1
    assert [one["input"] for one in found["open"]] == ["xy", "xxyy"]
    assert [one["exact"]["logit"] for one in found["open"]] == ["0", "0"]
    assert found["not_asked"] == {"lengths": [5, 6], "why": "the search stops after 2 failing lengths"}
    assert guarantee(mean(0), "float64", 4)["not_asked"] is None
    near = guarantee(mean("1/9 + 1/10^9"), "float16", 6)
    assert near["why"] == "the possible outputs of a string of length 3 reach the threshold"
    assert near["ranges"][0] == [1, 2] and near["length"] == 2
    whole = guarantee(mean("1/7"), "float64", 4)
    assert (
        whole["why"] == "this is the maximum length that was requested" and whole["length"] == 4 and whole["open"] == []
    )
    assert whole["method"] and guarantee(sc.build("average"), "float64", 2)["method"] is None
    assert "no longer input" in guarantee(limited(4), "float64", 4)["why"]
    tie = sc.Head(("a",), ("b",), [["1/3"]], [["1/7"]], [[1]], "none", "leftmost")
    embedding = sc.Embedding(sc.Space(("a", "b", "c")), words={"x": {"a": "3/5"}, "y": {"a": "3/5", "c": 1}})
    again = sc.Layer(sc.Head(("a", "c"), ("b",), [["1/3", 1]], [["1/7", "1/10^9"]], [[1, 1]], "none", "leftmost"))
    model = sc.Transformer("m", embedding, (sc.Layer(tie), again), sc.Readout("sign", "last", ("b",), [[1]]))
    open_ = guarantee(model, "float16", 3)
    assert "(tie, zero variance) is undecided for a string of length 2" in open_["why"]
    huge = mean(0, "value")
    words = {"x": {"a": "10^40"}, "y": {}}
    huge = sc.Transformer("m", sc.Embedding(huge.space, words=words), huge.layers, huge.readout)
    assert guarantee(huge, "float32", 3)["why"] == "the possible outputs of a string of length 1 are not bounded"


def limited(longest: int) -> sc.Transformer:
    made = mean("1/7")
    return sc.Transformer("m", made.embedding, made.layers, made.readout, max_length=longest)


@pytest.mark.parametrize("kind", ["sign", "value", "zero", "largest"])
def test_what_helps_is_said_where_the_other_order_is_less(kind: str) -> None:
    """Divided first the mean of three equal values may be off by a little: the threshold 1 is reached."""
    head = sc.Head(("a",), ("b",), [[0]], [[0]], [[1]], "future")
    apart = sc.FeedForward(("b", "c"), ("d",), [[1, -1], [-1, 1]], [0, 0], [[1, 1]], [0])
    names = sc.Space(("a", "b", "c", "d"))
    embedding = sc.Embedding(names, words={"x": {"a": 1}, "y": {"a": 1}}, positions={"c": "1"})
    reads = {"sign": ("b", "c"), "value": ("b",), "zero": ("d",), "largest": ("b", "c")}[kind]
    weights = {"sign": [[1, -1]], "largest": [[1, 0], [0, 1]]}.get(kind)
    readout = sc.Readout(kind, "last", reads, weights, ("mean", "one") if kind == "largest" else ())
    found = guarantee(sc.Transformer("m", embedding, (sc.Layer(head, apart),), readout), "float32", 4)
    if kind == "value":
        assert found["divided_first"]["help"] is None and found["length"] is None
        return
    assert found["ranges"] == [[1, 4]] and found["divided_first"]["ranges"] == [[1, 2], [4, 4]]  # 1/4 is a float
    helps = found["divided_first"]["help"]
    assert "normalise after summing" in helps and ("replace the test = 0 by |x| <= t" in helps) is (kind == "zero")
    assert "divides once, after" in found["error_model"] and "before the sum" in found["divided_first"]["error_model"]
    assert found["unit_roundoff"] == "2^-24" and found["added_tokens_counted"] == 0


def first_symbol() -> sc.Transformer:
    """Whether the first symbol is x, by a lookup that no running sum follows."""
    head = sc.Head(("a",), ("b",), [[0]], [[0]], [[1]], "none", "leftmost")
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {"a": -1}})
    return sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("b",), [[1]]))


def walk() -> sc.Transformer:
    """The mean of 1 and -1, which are kept apart, less a seventh."""
    made = mean("1/7")
    words = {"x": {"a": 1}, "y": {"a": -1}}
    embedding = sc.Embedding(made.space, words=words, positions={"c": "1/7"})
    return sc.Transformer("m", embedding, made.layers, made.readout)


def test_how_words_were_taken_together() -> None:
    """The way and the length from which it was taken, once for all lengths with the same."""
    assert guarantee(walk(), "float32", 5)["method"] == "strings with the same running sums grouped, from length 1"
    found = guarantee(first_symbol(), "float32", 5)
    assert found["method"] == "by what may stand at each position, from length 1"
    assert [each["runs"] for each in found["lengths"]] == [1] * 5 and found["ranges"] == [[1, 5]]
    assert [each["margin"] for each in found["lengths"]] == ["1"] * 5
    assert found["lengths"][2]["outputs"]["logit"] == ["-1", "1"]
    parity = guarantee(sc.build("parity").bind(), "float64", 4)
    alone, together_ = (
        "the first token fixed, from length 1",
        "strings with the same numbers of tokens grouped, from length 2",
    )
    assert parity["method"] == f"{alone}; {together_}"  # of one symbol both are all words; 10 and 01 are one


def test_a_certificate_that_would_take_too_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    from symcook.export import guarantee as module

    monkeypatch.setattr(module, "MOST_STATES", 3)
    found = guarantee(walk(), "float32", 9)
    assert found["why"] == "there are more than 3 different running sums at length 5" and found["ranges"] == [[1, 4]]
    monkeypatch.setattr(module, "RUNS", 7)
    found = guarantee(first_symbol(), "float32", 9)
    last = found["length"]
    assert found["why"] == f"length {last + 1} needs 1 run, and a certificate has at most 7 in all"
    assert 1 <= last <= 7 and found["ranges"] == [[1, last]] and found["open"] == []
    monkeypatch.setattr(module, "RUNS", 1000)
    monkeypatch.setattr(module, "MOST_PRODUCTS", 40)
    found = guarantee(first_symbol(), "float32", 9)
    assert found["why"].endswith("run, and a certificate has at most 1000 in all, with 40 products of weights")
    assert 1 <= found["length"] < 9


def test_words_that_stay_open() -> None:
    """Whether a word has a run, its exact outputs (at the first length) and what a runtime may show; no more than two
    lengths. The word is the first in the order of the alphabet that is open."""

    def asked(b: str, norm: sc.LayerNorm | None = None) -> list[dict[str, Any]]:
        embedding = sc.Embedding(sc.Space(("x", "y")), words={"a": {"x": 1}, "b": {"x": b}})
        readout = sc.Readout("sign", "last", ("x",), [[1]])
        return guarantee(sc.Transformer("t", embedding, (), readout, final_norm=norm), "float16", 4)["open"]

    refused = asked("0", sc.LayerNorm(("x", "y"), epsilon=0, zero_variance="refuse"))
    first = {"length": 1, "input": "b", "alone": True, "runs": False, "exact": None, "outputs": {}}
    assert refused == [first, first | {"length": 2, "input": "ab"}]
    tiny = asked("1/10^9")  # half the least subnormal number of float16 is 2^-25, about 2.98e-8
    assert [(one["length"], one["input"], one["alone"], one["runs"]) for one in tiny] == [
        (1, "b", True, True), (2, "ab", True, True)
    ]  # fmt: skip
    assert tiny[0]["exact"] == {"x": "1/1000000000", "logit": "1/1000000000"}
    for one in tiny:
        low, high = map(float, one["outputs"]["logit"])
        assert low == pytest.approx(1e-9 - 2**-25, rel=1e-3) and high == pytest.approx(1e-9 + 2**-25, rel=1e-3)
    assert asked("0") == asked("1/1000") == []


def test_which_lengths_were_not_asked_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In typed symbols, with why; in the document with the tokens that the model adds counted."""
    mean(0).save(tmp_path / "m.json")
    line = ["export", str(tmp_path / "m.json"), "-o", str(tmp_path / "m.npz"), "--force", "--max-length"]
    for most, lengths in [(8, "lengths 5 to 8 were"), (5, "length 5 was"), (4, None)]:
        assert main([*line, str(most)]) == 0
        said = [row.strip() for row in capsys.readouterr().out.splitlines()]
        rows = [row for row in said if "not tested" in row]
        assert rows == ([f"{lengths} not tested: the search stops after 2 failing lengths"] if lengths else [])
        assert (
            sum(row.startswith("length ") and " fails: on " in row and row.endswith("exactly 0") for row in said) == 2
        )
    b = sc.Builder(words={"CLS": {}, "a": {"v": "1/3"}, "b": {"v": "-1/3"}}, before="CLS")
    b.readout("sign", "first", b.attention("mean", reads="v", mask="none"), weights=[1])
    document = b.build("added").export(tmp_path / "n.npz", max_length=6)
    assert [one["length"] for one in document["guaranteed"]["open"]] == [3, 5]  # CLS a b, CLS a a b b
    assert document["guaranteed"]["not_asked"]["lengths"] == [6, 7]
