"""What `diff` says of answers, compared with loops over all strings: places, kinds, groups, orders of labels."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
from shared import words

import symcook as sc
from symcook.model.structure import differences

TOKENS = {"a": (1, 0), "b": (0, 0), "c": (1, 2)}
"""x and y of each token; m is the mean of x so far."""
# The label y has the score y in both orders of labels.
ROWS = {"largest": [[1, 0], [0, 1]], "turned": [[0, 1], [1, 0]], "groups": [[1, 0], [0, 1], [0, 0], [1, 1]]}
KINDS = ("sign", "zero", "value", "largest", "turned", "distribution", "groups")
CASES = [
    (kind, position)
    for kind, position in product(KINDS, ("first", "last", "each", "all"))
    if position != "all" or kind in ("sign", "zero")
]


def model(kind: str, position: str) -> sc.Transformer:
    """Two scores that are tied on some strings: m and y. "turned" has the labels of "largest" in the other order."""
    space = sc.Space(("x", "y", "m"))
    embedding = sc.Embedding(space, {token: dict(zip("xy", row, strict=True)) for token, row in TOKENS.items()})
    head = sc.Head(("x",), ("m",), [[0]], [[0]], [[1]], mask="future")
    labels = {"largest": ("m", "y"), "turned": ("y", "m"), "distribution": ("m", "y"), "groups": ("m", "y", "0", "s")}
    rows = {**ROWS, "sign": [[1, -1]], "distribution": ROWS["largest"]}.get(kind)
    readout = sc.Readout(
        "largest" if kind == "turned" else kind,
        position,
        ("m", "y"),
        rows,
        labels.get(kind, ()),
        (2, 2) if kind == "groups" else (),
    )
    return sc.Transformer(kind, embedding, (sc.Layer(head),), readout)


def answer(kind: str, position: str, string: str) -> Any:
    """By hand: one answer at each position that counts, or the conjunction; None of a distribution, whose scores are in
    place of its probabilities."""
    found = []
    for k in range(len(string)):
        m, y = Fraction(sum(TOKENS[c][0] for c in string[: k + 1]), k + 1), Fraction(TOKENS[string[k]][1])
        found.append({
            "sign": m > y,
            "zero": m == y == 0,
            "value": (m, y),
            "largest": "m" if m >= y else "y",
            "turned": "y" if y >= m else "m",
            "distribution": m - y,
            "groups": ("m" if m >= y else "y") + ("," + ("0" if m + y <= 0 else "s")),
        }[kind])  # fmt: skip
    return {"first": found[0], "last": found[-1], "each": found, "all": all(x is True for x in found)}[position]


SHAPES = {"sign": "verdict", "zero": "verdict", "turned": "label", "largest": "label", "groups": "label"}


@pytest.mark.sweep
def test_answers_of_every_two_readouts_are_compared_or_said_not_to_be() -> None:
    wrong = []
    for (kind, position), (far, place) in combinations_with_replacement(CASES, 2):
        one, other = model(kind, position), replace(model(far, place), name="other")
        found = one.diff(other, 2)
        comparable = SHAPES.get(kind, kind) == SHAPES.get(far, far) and (position == "each") is (place == "each")
        apart = [w for w in words(2, "abc") if answer(kind, position, w) != answer(far, place, w)]
        if found.to_json()["different_answers_only"] != (len(apart) if comparable else None):
            wrong.append((kind, position, far, place, found.answers, len(apart)))
        text, same_readout = found.text(), (kind, position) == (far, place)
        if ("answers are not compared" in text) is comparable or found.same is not same_readout:
            wrong.append((kind, position, far, place, text))
        if comparable and apart and (found.first is None or " and agree" in text or "differ" not in text):
            wrong.append((kind, position, far, place, text))
        if not comparable and found.first is None and "have values that agree" not in text:
            wrong.append((kind, position, far, place, text))
    assert not wrong, wrong[:5]


def test_the_first_answer_that_differs() -> None:
    """b has m = y = 0: not positive; behind it m is positive again."""
    found = model("sign", "all").diff(model("sign", "last"), 2)
    assert found.first == {
        "input": "ba", "layer": 1, "part": "answer", "position": 2, "coordinate": "verdict",
        "first": "reject", "second": "accept",
    }  # fmt: skip
    assert [line.strip() for line in found.text().splitlines()[-3:]] == [
        "first input: ba", "first difference: answer, position 2, verdict", "the first has reject, the second accept",
    ]  # fmt: skip
    assert found.to_json()["different_answers_only"] == found.different == 3  # ba, and cb and ca by m > y
    tied = model("largest", "each").diff(model("turned", "each"), 1)
    assert tied.first is not None and (tied.first["input"], tied.first["position"]) == ("b", 1)
    assert "first difference: answer, position 1, label" in tied.text()


def test_readouts_of_different_shape_are_named() -> None:
    found = model("largest", "each").diff(model("value", "last"), 2)
    says = "answers are not compared: largest gives a label at each position, value gives values of m, y"
    assert [line.strip() for line in found.text().splitlines()[:2]] == [
        "largest and value are built differently and have values that agree, on 12 inputs", says,
    ]  # fmt: skip
    assert found.to_json()["different_answers_only"] is None and found.first is None


def test_an_answer_may_differ_within_a_tolerance() -> None:
    """The logit of b is 0, or 1/8: within 1/4, and of the other side."""

    def logit(shift: str) -> sc.Transformer:
        embedding = sc.Embedding(sc.Space(("x",)), {"a": {"x": 1}, "b": {"x": shift}})
        return sc.Transformer("m", embedding, (), sc.Readout("sign", "last", ("x",), [[1]]))

    found = logit("0").diff(logit("1/8"), 1, tolerance="1/4")
    assert (found.same, found.different, found.answers) == (False, 1, 1)
    assert found.text().splitlines()[0].endswith("differ by more than 1/4 or in the answer, on 1 of 2 inputs")
    assert logit("1").diff(logit("7/8"), 1, tolerance="1/4").same


def test_an_answer_that_balls_leave_open_is_open() -> None:
    """The logit is 0, sqrt(2) + sqrt(3) less its square root, which no ball shows."""
    words_of = {"a": {"x": "sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6))"}}
    embedding = sc.Embedding(sc.Space(("x",)), words_of)
    one = sc.Transformer("m", embedding, (), sc.Readout("sign", "last", ("x",), [[1]]))
    assert one.diff(one, 1).same is None
    value = replace(one, readout=sc.Readout("value", "last", ("x",)))
    assert value.diff(value, 1).same is True and value.diff(value, 1).close == 1


@pytest.mark.parametrize(("sizes", "same"), [((2, 2), True), ((1, 3), False), ((3, 1), False)])
def test_the_sizes_of_groups_are_structure(sizes: tuple[int, int], same: bool) -> None:
    one = model("groups", "last")
    other = replace(one, readout=replace(one.readout, groups=sizes))
    assert [str(it) for it in differences(one, other)] == (
        [] if same else [f"the groups of the readout is (2, 2) and {sizes}"]
    )
    found = one.diff(other, 2)
    assert found.same is same and (found.answers == 0) is same
