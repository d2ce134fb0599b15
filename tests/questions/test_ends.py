"""Ends of `tolerance` and `temperature` that are called exact, against a plain forward pass at the ends, on both
sides of them and between: models in which a relu bends, a step jumps or a hard head turns while the answer stays."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import dense
import mpmath
import pytest
from asked import words
from families import in_parts

import symcook as sc
from symcook.compose import harden, soften
from symcook.numbers.balls import Ball
from symcook.questions.cold import at_low_temperatures
from symcook.questions.tolerance import free

DIGITS = 60
"""With these the plain pass takes numbers within 10^-40 for equal, and an end is asked to 10^-30."""
READOUTS = [(kind, position) for kind in ("sign", "zero") for position in ("first", "last", "each", "all")]
READOUTS += [("largest", position) for position in ("first", "last", "each")]


def answers(model: sc.Transformer, n: int, number: Any) -> dict[str, Any]:
    """What the plain pass says of every word of a length."""
    found = {}
    for word in words(model.alphabet, n):
        read = [answer for _, answer in dense.read(model, dense.typed(model, word), number)]
        where = model.readout.position
        found["".join(word)] = {"first": read[0], "last": read[-1], "each": read, "all": all(read)}[where]
    return found


def at(model: sc.Transformer, name: str, value: Any, n: int) -> dict[str, Any]:
    """The same with a number of the model at a value, which may be a decimal of 30 digits that stands for a root: two
    numbers are then equal where they are within 10^-20 of each other."""
    return answers(model.bind({name: value}), n, dense.Decimal(DIGITS // 2))


def check_end(model: sc.Transformer, name: str, start: Fraction, row: Any, where: str, now: Any) -> None:
    """One end of an interval around `start`: as it is now up to the end, and another answer at it or behind."""
    n, end, side = row["n"], row[where], 1 if where == "high" else -1
    if end is None:
        for step in (Fraction(1, 7), 1, 3, 20, 500):
            assert at(model, name, start + side * step, n) == now, step
        return
    place = Fraction(end.mid) if isinstance(end, Ball) else Fraction(end)
    for k in range(8):
        assert place == start or at(model, name, start + (place - start) * Fraction(k, 8), n) == now, k
    held, word, apart = row[f"{where}_in"], row[f"{where}_word"], at(model, name, place, n)
    assert held is (apart == now)
    if held:
        apart = at(model, name, place + side * Fraction(1, 10**9), n)
    assert apart[word] != now[word]


def square(readout: Any) -> sc.Transformer:
    """z = relu(t^2 - 2) + 1, where t stands twice: it is 1 or more whatever t is."""
    b = sc.Builder(words={"a": {"x": 1}})
    b.feedforward("y", "x", W1=[[1]], b1=[0], W2=[[1]])
    b.feedforward("z", "y", W1=[[1]], b1=[-2], W2=[[1]], b2=[1])
    kind, position = readout
    weights = {"sign": [[1]], "zero": None, "largest": [[1], [-1]]}[kind]
    b.readout(kind, position, "z", weights=weights, labels=("P", "M") if kind == "largest" else ())
    return b.build("square", packed=False)


@pytest.mark.parametrize("readout", READOUTS)
def test_a_bend_that_changes_no_answer_is_no_end(readout: Any) -> None:
    found = square(readout).tolerance(["L1.ff.W1[1,1]", "L2.ff.W1[1,1]"], 1)
    assert found.row(1)["high"] is None
    assert found.notes["ends"].startswith("exact")


@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize("activation", ["relu", "step"])
def test_a_temperature_at_which_no_answer_changes_is_no_end(readout: Any, activation: str) -> None:
    """A head over the places from here on weighs a by e^(5/(3 tau)); what it finds passes a threshold at a root, behind
    which y is 1 or more, or 1 or 2: never zero and always above it."""
    embedding = sc.Embedding(sc.Space(("y", "a", "found")), words={"a": {"a": 1}, "b": {}})
    head = sc.Head(("a",), ("found",), [[1]], [["5/3"]], [["7/4"]], mask="past")
    block = sc.FeedForward(("found",), ("y",), [[1]], [[-1]], [[1]], [[1]], activation=activation)
    kind, position = readout
    weights = {"sign": [[1]], "zero": None, "largest": [[1], [-1]]}[kind]
    ending = sc.Readout(kind, position, ("y",), weights=weights, labels=("P", "M") if kind == "largest" else ())
    model = sc.Transformer("turn", embedding, (sc.Layer(head, block),), ending)
    assert [row["tau"] for row in model.temperature(3).rows] == [None] * 3


def some_model(seed: int, heads: int = 2) -> sc.Transformer:
    """Two layers with relu or step, averages or hard heads in the first `heads` of them, and any readout."""
    r = random.Random(seed)
    names = ("x", "y", "z")

    def matrix(rows: int, columns: int) -> list[list[Any]]:
        return [[Fraction(r.choice([-3, -2, -1, 0, 1, 1, 2, 3]), r.choice([1, 1, 2, 3])) for _ in range(columns)]
                for _ in range(rows)]  # fmt: skip

    embedding = sc.Embedding(
        sc.Space(names), words={"a": {"x": 1, "y": -1}, "b": {"y": 2, "z": 1}}, positions={"z": "1/n"}
    )
    layers = []
    for layer in range(2):
        mask, weighting = r.choice(["none", "future", "past"]), r.choice(["average", "leftmost", "rightmost"])
        head = sc.Head(names, ("z",), matrix(1, 3), matrix(1, 3), matrix(1, 3), mask=mask, weighting=weighting)
        block = sc.FeedForward(names, ("x", "y"), matrix(2, 3), matrix(2, 1), matrix(2, 2), matrix(2, 1),
                               activation=r.choice(["relu", "step"]))  # fmt: skip
        layers.append(sc.Layer(head if layer < heads else None, block))
    kind, position = r.choice(READOUTS)
    rows = {"sign": 1, "zero": 0, "largest": 2}[kind]
    ending = sc.Readout(kind, position, ("x", "y") if kind != "zero" else ("x",),
                        weights=matrix(rows, 2) if rows else None, labels=("P", "M") if rows == 2 else ())  # fmt: skip
    return sc.Transformer(f"seed {seed}", embedding, tuple(layers), ending)


def weight_of(model: sc.Transformer, seed: int) -> list[str]:
    """A weight, or two of one value that move together, so that products of them have irrational roots."""
    first, second = (layer.feedforward for layer in model.layers)
    pairs = [
        (f"L1.ff.W1[{a},{b}]", f"L2.ff.W1[{c},{d}]")
        for a, b, c, d in product((1, 2), (1, 2, 3), (1, 2), (1, 2, 3))
        if first.W1[a - 1, b - 1] == second.W1[c - 1, d - 1] != 0
    ]
    return list(random.Random(seed).choice(pairs)) if pairs else ["L1.ff.W1[1,1]"]


def tolerated(seed: int) -> None:
    model = some_model(seed)
    names = weight_of(model, seed)
    found = model.tolerance(names, 2)
    assert found.notes["ends"].startswith("exact")
    moved, value = free(model, names)
    start, name = Fraction(int(value.p), int(value.q)), moved.parameters[-1].name
    for row in found.rows:
        now = answers(model, row["n"], dense.rational)
        for side in ("low", "high"):
            check_end(moved, name, start, row, side, now)


def cooled(seed: int) -> None:
    model = some_model(seed, heads=1)  # scores of a second one are no rational numbers
    if model.layers[0].attention.heads[0].uniform:
        return
    soft = soften(model)
    found = model.temperature(2)
    for row in found.rows:
        if row["tau"] == 0:
            continue
        if row["tau"] is not None and row["root"] is None:  # not called exact
            continue
        now = answers(harden(model), row["n"], dense.rational)
        if row["tau"] is None:
            for tau in (Fraction(1, 3), 1, 5, 100):
                assert at(soft, "tau", tau, row["n"]) == now
            continue
        mid = Fraction(row["tau"].mid)
        for tau in (mid / 4, mid / 2, mid * (1 - Fraction(1, 10**8))):
            assert at(soft, "tau", tau, row["n"]) == now
        near = at(soft, "tau", mid * (1 + Fraction(1, 10**8)), row["n"])
        place = at_root(soft, row["n"], row["root"], mid)
        assert near[row["word"]] != now[row["word"]] or place[row["word"]] != now[row["word"]]


def at_root(soft: sc.Transformer, n: int, root: str, near: Fraction) -> dict[str, Any]:
    """The answers at the temperature itself, from its equation and a number of ten digits."""
    equation, x = root.split(", x = e^(-1/")
    unit = 1 if x.startswith("tau") else int(x.split()[0].strip("("))
    left, right = equation.split(" = ")
    with mpmath.workdps(DIGITS):
        if left == "x":
            value = mpmath.mpf(Fraction(right).numerator) / Fraction(right).denominator
        else:
            value = mpmath.findroot(
                lambda x: eval(left.replace("^", "**"), {"x": x}),
                mpmath.exp(-mpmath.mpf(near.denominator) / (unit * near.numerator)),
            )
        exact = Fraction(mpmath.nstr(-1 / (unit * mpmath.log(value)), 50))
    return at(soft, "tau", exact, n)


@pytest.mark.sweep
@pytest.mark.layer_two(0)
@in_parts(4, "seed", range(50))
def test_ends_of_weights(seed: int) -> None:
    tolerated(seed)


@pytest.mark.sweep
@pytest.mark.layer_two(0)
@in_parts(2, "seed", range(40))
def test_ends_of_temperatures(seed: int) -> None:
    cooled(seed)


def test_a_temperature_that_is_zero() -> None:
    """dyck-1-2 on (()): the first symbol stays active by a little at every temperature, and hard attention has none."""
    model = sc.build("dyck-1-2")
    row = model.temperature(4, min_length=4).row(4)
    assert (row["tau"], row["word"]) == (0, "(())")
    soft = soften(model)
    assert dense.accepts(harden(model), list("(())"), dense.rational)
    for tau in ("1/10", "1/20", "1/50", "1/100"):
        assert not dense.accepts(soft.bind({"tau": tau}), list("(())"), dense.Decimal(120)), tau


@pytest.mark.sweep
@in_parts(2, "seed", range(30))
def test_all_low_temperatures_at_once(seed: int) -> None:
    """What is said of every temperature from 0 to 1/20 holds at some of them."""
    model = some_model(seed)
    soft = soften(model) if any(not layer.attention.heads[0].uniform for layer in model.layers) else None
    for word in product("ab", repeat=2 if soft else 0):
        found = at_low_temperatures(soft, soft.tokens(word), "tau", Fraction(1, 20))
        for tau in (Fraction(1, 20), Fraction(1, 33), Fraction(1, 90)):
            wanted = dense.accepts(soft.bind({"tau": tau}), list(word), dense.Decimal(400))
            assert found is None or found == (tuple(wanted) if isinstance(wanted, list) else wanted), (word, tau)
