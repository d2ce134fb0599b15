"""Ends and digits of answers on the side where little is going on: units that are off, defaults, formats."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
from families import together

import symcook as sc
from symcook.questions import precision


def softly(before: str, behind: str) -> sc.Transformer:
    """m, a softmax average of values above 0; then relu(m + 1) + c relu(m - 5), of which the second is 0, against
    1 + m/3: the answer changes where both weights of m are 1/3, exactly there for every word."""
    names = ("a", "one", "m", "y")
    head = sc.Head(("a", "one"), ("m",), [[0, 1]], [[1, 0]], [[1, 0]], "none", "softmax")
    network = sc.FeedForward(("m", "one"), ("y",), [[1, 1], [1, before]], [0, 0], [[1, behind]], [0])
    embedding = sc.Embedding(sc.Space(names), words={"x": {"a": 1, "one": 1}, "y": {"a": "1/2", "one": 1}})
    readout = sc.Readout("sign", "last", names, [[0, -1, "-1/3", 1]])
    return sc.Transformer("softly", embedding, (sc.Layer(head, network),), readout)


@together(("before", "behind"), [("-5", "-1000"), ("-5", "1000"), ("-3", "-2")])
def test_a_unit_that_is_off_does_not_blur_an_end(before: str, behind: str) -> None:
    found = softly(before, behind).tolerance(["L1.ff.W1[1,m]", "L1.ff.W1[2,m]"], 2, min_length=2)
    assert found.row(2)["low"] == Fraction(1, 3)
    assert found.row(2)["low_in"] is False


def test_the_digits_of_an_end_that_are_not_asked_for() -> None:
    """An end that is a root: e^k - 2 e^0 over words x and y, 0 at k = log(2); without digits named it is shown to as
    many as with six."""
    head = sc.Head(("a", "one"), ("m",), [[0, 1]], [[1, 0]], [[1, "-1"]], "none", "softmax")
    embedding = sc.Embedding(sc.Space(("a", "one", "m")), words={"x": {"a": 1, "one": 1}, "y": {"a": 0, "one": 1}})
    readout = sc.Readout("sign", "last", ("one", "m"), [["1/3", 1]])
    model = sc.Transformer("share", embedding, (sc.Layer(head),), readout)
    plain, six, seven = (model.tolerance("L1.head1.K[1,a]", 2, min_length=2, **more).row(2)["low"] for more in
                         ({}, {"digits": 6}, {"digits": 7}))  # fmt: skip
    assert str(plain) == str(six) != str(seven)
    assert abs(float(plain.mid) - 0.6931471805599453) <= float(plain.rad) + 1e-9


def test_bfloat16_is_that_of_other_libraries() -> None:
    info, format = ml_dtypes.finfo(ml_dtypes.bfloat16), precision.RUNTIMES["bfloat16"][0]
    assert (format.bits, format.least, format.most) == (info.nmant + 1, info.minexp, info.maxexp)


@together(("value", "kept"), [("2^(-120)", True), ("2^(-134)", False), ("2^(-160)", False)])
def test_what_bfloat16_holds_of_small_weights(value: str, kept: bool) -> None:
    """The one weight is a number of the format or is rounded to 0, as other libraries' bfloat16 does."""
    embedding = sc.Embedding(sc.Space(("a", "y")), words={"x": {"a": 1}})
    network = sc.FeedForward(("a",), ("y",), [[value]], [0], [[1]], [0])
    model = sc.Transformer("small", embedding, (sc.Layer(None, network),), sc.Readout("sign", "last", ("y",), [[1]]))
    assert bool(np.array(2.0 ** int(value[3:-1])).astype(ml_dtypes.bfloat16) > 0) is kept
    found = model.precision(1, formats=("bfloat16",)).extra["formats"]["bfloat16"]
    assert found["guaranteed"] == (1 if kept else None)
