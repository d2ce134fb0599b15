"""What `diff` says of models that balls cannot tell apart: sqrt(2) + sqrt(3) = sqrt(5 + 2 sqrt(6)), by squaring."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import symcook as sc
from symcook.__main__ import main
from symcook.model.structure import differences

ONE, SAME = "sqrt(2) + sqrt(3)", "sqrt(5 + 2*sqrt(6))"


def stepped(sign: int, shift: str = "0") -> sc.Transformer:
    """r = sign (1 - step(a - b)) + shift, with a - b = 0 of x, and 1 of y: the logit of x is sign + shift."""
    words = {"x": {"a": ONE, "b": SAME}, "y": {"a": 1}}
    net = sc.FeedForward(("a", "b"), ("r",), [[1, -1]], [0], [[-sign]], [f"{sign} + {shift}"], "step")
    readout = sc.Readout("sign", "last", ("r",), [[1]])
    return sc.Transformer("stepped", sc.Embedding(sc.Space(("a", "b", "r")), words), (sc.Layer(None, net),), readout)


def tied(sign: int) -> sc.Transformer:
    """A hard head averages c = 1 of x and -1 of y, with equal scores: o = 0 on xy. r = sign where o = 0, else 0."""
    embedding = sc.Embedding(
        sc.Space(("a", "o", "c", "m", "r")), {"x": {"a": ONE, "c": 1}, "y": {"a": SAME, "c": -1}}, positions={"o": 1}
    )
    head = sc.Head(("a", "c", "o"), ("m",), [[0, 0, 1]], [[1, 0, 0]], [[0, 1, 0]])
    net = sc.FeedForward(("m",), ("r",), [[1], [1], [1]], [1, 0, -1], [[sign, -2 * sign, sign]], [0])
    return sc.Transformer("tied", embedding, (sc.Layer(head, net),), sc.Readout("sign", "last", ("r",), [[1]]))


def soft(extra: Any = 0) -> sc.Transformer:
    """A softmax head over scores 0 and 1, and `extra` beside what it writes."""
    head = sc.Head(("o", "s"), ("m",), [[1, 0]], [[0, 1]], [[0, 1]], weighting="softmax")
    embedding = sc.Embedding(sc.Space(("o", "s", "m")), {"x": {"s": 1}, "y": {"m": extra}}, positions={"o": 1})
    return sc.Transformer("soft", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("m",), [[1]]))


@pytest.mark.parametrize(("pair", "length", "opened", "inputs"), [
    ((stepped(1), stepped(-1)), 1, 1, 2),  # x; of y both logits are 0
    ((stepped(1), stepped(-1)), 2, 4, 6),  # every word with an x
    ((tied(1), tied(-1)), 2, 2, 6),  # xy and yx
])  # fmt: skip
def test_opposite_answers_that_balls_cannot_tell_are_open(
    pair: Any, length: int, opened: int, inputs: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = pair[0].diff(pair[1], length)
    assert (found.open, found.inputs, found.different, found.first) == (opened, inputs, 0, None)
    assert found.same is None
    assert f"is undecided on {opened} of {inputs} inputs" in found.text() and "do not differ" not in found.text()
    files = [str(tmp_path / f"{k}.json") for k in range(2)]
    for model, file in zip(pair, files, strict=True):
        model.save(file)
    assert main(["diff", *files, "--max-length", str(length), "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert said["same"] is None and said["open"] == opened


def test_what_differs_behind_something_open_is_the_first_that_is_known() -> None:
    """x is open in the layer; of y the logits are 0 and 1/2, or of x [0, 1] and [5, 6]."""
    found = stepped(1).diff(stepped(1, "1/2"), 1)
    assert (found.same, found.open, found.different) == (False, 1, 1)
    assert found.first is not None and found.first["input"] == "y"
    assert "first input that is known: y" in found.text()
    found = stepped(1).diff(stepped(1, "5"), 1)
    assert (found.same, found.open, found.different) == (False, 0, 2)
    assert "that is known" not in found.text()


def test_values_within_tiny_balls_agree_as_far_as_is_said() -> None:
    """Means of softmax are balls; y alone, and what is all x, has an exact one: the mean of equal scores."""
    found = soft().diff(soft(), 2)
    assert (found.same, found.open, found.different, found.inputs, found.close) == (True, 0, 0, 6, 2)
    assert "do not differ, on 6 inputs; on 2 they are known to agree within 10^-20" in found.text()
    assert found.to_json()["close"] == 2 and found.to_json()["close_within"] == "1e-20"
    far = soft().diff(soft("1/10^40"), 2)  # apart however little: the balls have 256 bits
    assert far.same is False and far.first is not None and far.first["input"] == "y"
    assert soft().diff(soft("1/10^40"), 2, tolerance="1/10^40").answers == 2  # y and yy: a logit is 0, and one positive
    readout = sc.Readout("value", "last", ("m",))
    pair = [replace(model, readout=readout) for model in (soft(), soft("1/10^40"))]
    near = pair[0].diff(pair[1], 2, tolerance="1/10^40")
    assert near.same is True and near.close > 0 and "agree within 10^-20 beyond that" in near.text()
    exact = sc.build("dyck-1").diff(sc.build("dyck-1"), 3)
    assert (exact.same, exact.close, exact.open) == (True, 0, 0) and "agree" not in exact.text()


def test_both_a_structure_and_something_open() -> None:
    found = stepped(1).diff(tied(1), 1)
    assert found.same is False and found.structure


def placed(function: str, start: int = 1, longest: int | None = None) -> sc.Transformer:
    embedding = sc.Embedding(sc.Space(("a", "p")), {"x": {"a": 1}}, positions={"p": function}, start=start)
    return sc.Transformer("placed", embedding, (), sc.Readout("sign", "last", ("a",), [[1]]), max_length=longest)


@pytest.mark.parametrize(("pair", "sentence"), [
    ((placed("i"), placed("I[i <= 9]*i + I[9 < i]*(i + 1)")), "the position function of p is i and i*I"),
    ((placed("i"), placed("i", longest=8)), "the maximum length is unlimited and 8"),
    ((placed("1", start=0), placed("1")), "the number of the first position is 0 and 1"),
])  # fmt: skip
def test_what_differs_after_the_tested_lengths_is_said(pair: Any, sentence: str) -> None:
    found = pair[0].diff(pair[1], 3)
    assert found.first is None and found.same is False and sentence in found.text()


@pytest.mark.parametrize(
    ("one", "other"), [("(i + 1)^2", "i^2 + 2*i + 1"), ("i/n", "1/(n/i)"), ("1/(i + 1)/n", "1/(n*i + n)")]
)
def test_a_position_function_that_is_written_otherwise_is_the_same(one: str, other: str) -> None:
    assert placed(one).diff(placed(other), 3).same


def test_position_functions_that_agree_as_far_as_is_tried_are_undecided() -> None:
    """They differ at position 20 alone."""
    found = placed("i").diff(placed("i + I[i = 20]"), 3)
    assert found.same is None and found.structure == ()
    assert "whether the position function of p is the same: i and" in found.text()
    assert "do not differ" not in found.text()


def test_long_position_functions_are_shown_by_a_value_where_they_differ() -> None:
    """A table and a function that are equal at every position that there is are no difference."""

    def model(function: str, **more: Any) -> sc.Transformer:
        b = sc.Builder(words={"a": {}}, positions={"place": function}, **more)
        b.readout("value", "each", "place")
        return b.build("places")

    table = "if(i < 2, 1/2, if(i < 3, 1/4, if(i < 4, 1/8, if(i < 5, 1/16, if(i < 6, 1/32, 1/64)))))"
    short = model("2^(-i)", max_length=6)
    assert not [*differences(short, model(table, max_length=6))]
    lines = [*map(str, differences(short, model(table.replace("1/16", "1/15"), max_length=6)))]
    assert lines == ["the position function of place at i = 4, n = 4 is 1/16 and 1/15"]
    unlimited = [*map(str, differences(model("2^(-i)"), model(table)))]
    assert unlimited == ["the position function of place at i = 7, n = 7 is 1/128 and 1/64"]


def test_each_position_has_numbers_of_its_own() -> None:
    """The number of the first position and the mean of all: they are equal where all numbers are."""

    def read(weighting: str) -> sc.Transformer:
        head = sc.Head(("a",), ("m",), [[0]], [[0]], [[1]], weighting=weighting)
        readout = sc.Readout("value", "last", ("m",))
        return sc.Transformer(weighting, sc.Embedding(sc.Space(("a", "m")), inputs=("a",)), (sc.Layer(head),), readout)

    one, two = (read("leftmost").diff(read("average"), length) for length in (1, 2))
    assert (one.inputs, one.different, two.inputs, two.different) == (4, 0, 4 + 4**2, 4 * 3)


@pytest.mark.parametrize("turned", [False, True])
def test_a_coordinate_that_only_one_of_two_models_sets_is_compared(turned: bool) -> None:
    def set_to(number: int) -> sc.Transformer:
        words = {"x": {"s": 1}, "y": {"s": -1, "o": number}}
        embedding = sc.Embedding(sc.Space(("o", "s")), words)
        return sc.Transformer("set", embedding, (), sc.Readout("sign", "last", ("s",), [[1]]))

    one, other = map(set_to, (1, 0) if turned else (0, 1))
    found = one.diff(other, max_length=1).to_json()
    assert not found["same"] and found["different"] == 1
    first = {"input": "y", "coordinate": "o", "first": str(int(turned)), "second": str(int(not turned))}
    assert found["first"].items() >= first.items()
