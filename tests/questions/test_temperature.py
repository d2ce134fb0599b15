"""Temperatures against runs of all words by plain loops at temperatures on both sides."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import dense
import mpmath
import pytest
from asked import induction, last_symbol, words

import symcook as sc
from symcook.compose import harden, soften
from symcook.numbers.balls import Ball


def ends(cell: Any) -> tuple[Fraction, Fraction]:
    """Rational temperatures just below and just above a ball."""
    assert isinstance(cell, Ball)
    mid, rad = Fraction(cell.mid), Fraction(cell.rad)
    return mid - rad - mid / 10**6, mid + rad + mid / 10**6


def answers(model: sc.Transformer, n: int, tau: Fraction | None = None) -> dict[str, Any]:
    """What the dense pass says of every word; with a temperature, in decimals."""
    given = model if tau is None else model.bind({"tau": tau})
    number = dense.rational if tau is None else dense.Decimal(40)
    return {"".join(w): dense.accepts(given, dense.typed(given, w), number) for w in words(model.alphabet, n)}


def test_a_root_that_is_golden() -> None:
    """Behind 001 the soft weights of 0, 0, 1 are x^2, x, 1 for x = e^(-1/(2 tau)): right while x^2 + x < 1."""
    found = last_symbol().temperature(5)
    assert [row["tau"] for row in found.rows[:2]] == [None, None]
    row = found.row(3)
    assert row["root"] == "x^2 + x - 1 = 0, x = e^(-1/(2 tau))"
    with mpmath.workdps(40):
        golden = (mpmath.sqrt(5) - 1) / 2
        assert abs(mpmath.mpf(row["tau"].mid) + 1 / (2 * mpmath.log(golden))) <= mpmath.mpf(row["tau"].rad)
    assert found.notes["tau"].startswith("exact")


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("make", "n"), [
    (last_symbol, 3), (last_symbol, 5),
    (induction, 4),
])  # fmt: skip
def test_below_all_are_as_the_hard_model_and_above_the_word_is_not(make: Any, n: int) -> None:
    model = make()
    row = model.temperature(n, min_length=n).row(n)
    below, above = ends(row["tau"])
    hard, soft = answers(harden(model), n), model.soften()
    for tau in (below, below / 2, below / 5, below / 20):
        assert answers(soft, n, tau) == hard
    assert answers(soft, n, above)[row["word"]] != hard[row["word"]]


@pytest.mark.sweep
def test_an_answer_on_its_threshold_is_asked_from_where_balls_can_tell() -> None:
    """The second head averages over the places where the first found most. Of cb that is 0, which rejects, and by soft
    attention it is a little less, at low temperatures by less than balls can tell."""
    built = sc.Builder(
        words={"a": {"a": 1, "one": 1}, "b": {"b": 1, "one": 1}, "c": {"one": 1}}, positions={"place": "i"}
    )
    found = {("a", "b"): 2, ("b", "a"): 1}
    built.add(sc.head(found, {"m": "a - 2*b"}, weighting="average", mask="future"))
    second = built.add(sc.head({("one", "m"): 1}, {"most": "m - 1/3*a"}, weighting="average"))
    built.readout("sign", "last", second, weights=[1])
    model = built.build("threshold")
    answer = model.temperature(2, min_length=2)
    assert answer.row(2)["tau"] is None and answer.notes["open"].startswith("temperatures below 1/65536 ")
    hard = answers(model, 2)
    for tau in (Fraction(1, 16), Fraction(1, 2), Fraction(1), Fraction(100)):
        assert answers(model.soften(), 2, tau) == hard


def test_flawed_first_has_one_over_log_n() -> None:
    """Section 5.2: right iff n - 1 < exp(c/tau), where n counts CLS; so tau = 1/log(n - 1)."""
    found = sc.build("first-flawed").temperature(6)
    for n in range(2, 7):
        row = found.row(n)
        assert (row["root"], row["word"]) == (f"x = 1/{n}, x = e^(-1/tau)", "1" + "0" * (n - 1))
        with mpmath.workdps(40):
            assert abs(mpmath.mpf(row["tau"].mid) - 1 / mpmath.log(n)) <= mpmath.mpf(row["tau"].rad) + 1e-35
            rule = 1 / mpmath.log(8 * (n + 1))
            assert abs(mpmath.mpf(row["rule"].mid) - rule) <= mpmath.mpf(row["rule"].rad) + 1e-35
    assert found.row(1)["tau"] is None


@pytest.mark.layer_one(1, 2, 3)
@pytest.mark.parametrize("name", ["parity", "first", "dyck-1", "dyck-1-nonuniform"])
def test_models_that_no_temperature_confuses(name: str) -> None:
    model = sc.build(name)
    assert [row["tau"] for row in model.temperature(5).rows] == [None] * 5
    if name in ("parity", "first"):
        for tau in (Fraction(1, 10), Fraction(1), Fraction(50)):
            soft = soften(model).bind({"tau": tau})
            for word in words("01", 4):
                wanted = word.count("1") % 2 == 1 if name == "parity" else word[0] == "1"
                assert soft.run(word, "ball").accept is wanted


def test_a_tie_that_softmax_does_not_break() -> None:
    """Leftmost attention over equal scores takes the first symbol; softmax the mean, at every temperature."""
    embedding = sc.Embedding(sc.Space(("zero", "one", "unit", "found")), words={
        "0": {"zero": 1, "unit": 1}, "1": {"one": 1, "unit": 1},
    })  # fmt: skip
    reads = ("zero", "one", "unit")
    head = sc.Head(reads, ("found",), [[0, 0, 1]], [[0, 0, 1]], [[-1, 1, 0]], weighting="leftmost")
    readout = sc.Readout("sign", "last", ("found",), weights=[[1]])
    model = sc.Transformer("leftmost", embedding, (sc.Layer(head),), readout)
    found = model.temperature(2)
    assert found.row(1)["tau"] is None
    assert (found.row(2)["tau"], found.row(2)["word"]) == (0, "10")


def test_the_softened_model() -> None:
    model = last_symbol()
    soft = model.soften("t")
    assert [p.name for p in soft.parameters] == ["t"]
    assert soft.layers[0].attention.heads[0].weighting == "softmax"
    with pytest.raises(sc.BadInput, match="must have a name that the model does not use yet"):
        soft.soften("t")
    with pytest.raises(sc.BadInput, match="not only plain averages"):
        sc.build("dyck-1").soften()


def test_a_temperature_that_is_scaled_by_log_n_is_enclosed() -> None:
    """With Eq. (2) n^(-1/tau) stands for x, so that tau = log(n)/log(n - 1), for n = 4 with CLS."""
    row = sc.build("first-flawed", scaled=True).temperature(3, min_length=3).row(3)
    with mpmath.workdps(30):
        assert abs(mpmath.mpf(row["tau"].mid) - mpmath.log(4) / mpmath.log(3)) <= mpmath.mpf(row["tau"].rad)
    assert row["rule"] is None
    assert row["root"] is None


def test_a_hardened_model_has_no_temperature_left():
    model = sc.build("lookup-quadratic")
    hard = harden(model.soften())
    assert hard.parameters == ()
    rows = [{"query": 2, "value": 1}, {"query": 1, "value": 0}]
    assert hard.run(rows).outputs == model.run(rows).outputs == ["0", "1"]
    assert [p.name for p in harden(sc.build("parity")).parameters] == ["c"]  # which stands in scores


@pytest.mark.parametrize("weighting", ["leftmost", "rightmost"])
def test_a_tie_that_is_broken_without_scores_is_no_plain_average(weighting: str) -> None:
    """Softmax of scores that are all zero is the mean, which is no first symbol at any temperature."""
    b = sc.Builder(words={"a": {"is_a": 1}, "b": {}})
    b.add(sc.head(value={"picked": "is_a"}, weighting=weighting, mask="causal"))
    b.readout("zero", "last", b.add(sc.feedforward({"differ": "relu(picked - is_a) + relu(is_a - picked)"})))
    model = b.build("same")
    found = model.temperature(4)
    for row in found.rows:
        n = row["n"]
        soft = answers(soften(model), n, Fraction(1, 1000))
        assert (row["tau"] is None) == (answers(model, n) == soft), row
        assert row["tau"] in (None, 0) and (row["word"] is None or soft[row["word"]] != answers(model, n)[row["word"]])
    assert {row["tau"] for row in found.rows} == {None, 0}, found.rows


@pytest.mark.parametrize("kind", ["biased", "rotary", "normed"])
def test_the_rule_has_the_gap_of_scaled_scores(kind: str) -> None:
    """A head with the scale 1/4 has the rule and the temperature of the head whose queries are a quarter as large."""
    words = {"a": {"s": 1, "one": 1}, "b": {"one": 1, "t": 1}}
    embedding = sc.Embedding(sc.Space(("one", "s", "t", "out")), words=words)

    def row(scale: str, larger: str) -> dict[str, str | None]:
        """The row of length 3 as texts, with this scale and with queries or gains that are so many times as large."""
        fields: dict[str, Any] = {"K": [[0, 1, 0], [0, 0, 1]], "V": [[0, 1, 0]], "mask": "causal", "scale": scale}
        if kind == "biased":
            head = sc.BiasedHead(
                ("one", "s", "t"), ("out",), Q=[[0, 0, 0]] * 2, q_bias=[larger, 0], slope="-1/16", **fields
            )
        elif kind == "rotary":
            head = sc.RotaryHead(
                ("one", "s", "t"), ("out",), Q=[[0, 0, 0]] * 2, q_bias=[larger, 0], angles=[0], **fields
            )
        else:
            head = sc.RotaryHead(
                ("one", "s", "t"), ("out",), Q=[[7, 0, 0], [1, 0, 0]], q_gain=[larger, 0], k_gain=[1, 1], **fields
            )
        readout = sc.Readout("sign", "last", ("out", "one"), weights=[[1, "-1/2"]])
        found = sc.Transformer(kind, embedding, (sc.Layer(head),), readout).temperature(3, min_length=3).row(3)
        return {key: None if cell is None else str(cell) for key, cell in found.items()}

    scaled, plain = row("1/4", "1"), row("1", "1/4")
    assert plain["rule"] is not None or kind == "normed"
    assert scaled == plain


def test_without_the_gap_of_each_string_there_is_no_rule() -> None:
    """Of bca the gap is below 1/400, and has two roots, so that no exact run has it. The gap of add is 2/25, which was
    taken for the smallest."""
    entries = {"a": (3, 4), "b": (5, 4), "c": (3, 2), "d": (4, 3)}
    words = {token: {"x": x, "y": y} for token, (x, y) in entries.items()}
    norm = sc.RMSNorm(("x", "y"), ("p", "q"), projection=[[1, 0], [0, 1]])
    head = sc.Head(("p", "q"), ("r",), Q=[[0, 1], [1, 0]], K=[[1, 0], [0, 1]], V=[[1, 0]], weighting="average")
    model = sc.Transformer(
        "normed",
        sc.Embedding(sc.Space(("x", "y", "r")), words=words),
        (sc.Layer(head, attention_norms=norm, placement="projected pre"),),
        sc.Readout("sign", "last", ("r",), [[1]]),
    )
    assert model.temperature(inputs=["add"]).rows[0]["rule"] is not None
    assert model.temperature(inputs=["add", "bca"]).rows[0]["rule"] is None


@pytest.mark.parametrize("kind", ["constant", "cancelled"])
def test_the_rule_has_the_gap_of_every_string(kind: str) -> None:
    """The numbers of symbols determine the answer, and not the scores: a query of 1/100 needs an a behind a b. The
    first string of a class is sorted and has none, so that its smallest gap is 1."""
    table = {"a": {"one": 1, "x": 3, "y": "1/100", "v": 1}, "b": {"one": 1, "y": 1, "v": -1}}
    b = sc.Builder(words=table, positions={"place": "i"})
    b.add(sc.head(value={"before": "x"}, mask="strict-future", weighting="rightmost"))
    values = {"u": "one"} if kind == "constant" else {"u": "v", "u_again": "v"}
    for name, value in values.items():
        score = {("before", "place"): 1, ("y", "place"): 1}
        b.add(sc.head(score, {name: value}, mask="causal", weighting="average"))
    again = "one" if kind == "constant" else "u_again"
    b.add(sc.head(value={"mean": f"v + u - {again}"}, mask="causal", weighting="average"))
    b.readout("sign", "last", ("mean",), weights=[1])
    model = b.build("order")
    query = {"aa": Fraction(301, 100), "ab": Fraction(4), "bb": Fraction(1), "ba": Fraction(1, 100)}

    def rule(inputs: str | None, least: Fraction) -> None:
        """At n = 4 the rule is that of this gap: keys are the positions, so that a query is the gap of its row."""
        answer = model.temperature(4, min_length=4, inputs=inputs)
        assert "grouped" in answer.notes["method"] or inputs is not None
        with mpmath.workdps(30):
            wanted = mpmath.mpf(least.numerator) / least.denominator / mpmath.log(32)
            cell = answer.row(4)["rule"]
            assert abs(mpmath.mpf(cell.mid) - wanted) <= mpmath.mpf(cell.rad) + 1e-30

    rule(None, min(query.values()))
    for language in ("aa(ab|ba)", "(a|b)bbb", "aab(a|b)"):
        strings = [word for word in map("".join, words("ab", 4)) if re.fullmatch(language, word)]
        rule(language, min(query[word[i : i + 2]] for word in strings for i in range(3)))


def test_a_string_that_is_right_again_at_a_higher_temperature_is_wrong_in_between() -> None:
    """`ab` is right up to 51, `bb` up to 10 and again at 51, which was taken for all temperatures up to there."""
    letters = {"a": {"x": -2, "y": 1}, "b": {"x": 2, "y": 1}, "E": {"x": -2, "y": 2}}
    embedding = sc.Embedding(sc.Space(("x", "y", "z", "u")), words=letters, after="E")
    one = sc.Head(("x", "y"), ("z",), [[2, 0], [1, 1]], [[-2, 0], [-2, -1]], [[1, -1]], "past", "softmax")
    two = sc.Head(("x", "y", "z"), ("u",), [[1, -2, 2]], [[1, 1, 1]], [[2, 1, 1]], "past", "softmax")
    layers = tuple(sc.Layer(sc.SelfAttention((head,))) for head in (one, two))
    readout = sc.Readout("sign", "first", ("x", "y", "z", "u"), [[1, 1, 2, -1]])
    model = sc.Transformer("two", embedding, layers, readout)
    (row,) = model.temperature(inputs=["ab", "bb"]).rows
    assert row["word"] == "bb" and 10 < ends(row["tau"])[0] < ends(row["tau"])[1] < 11
    found = answers(model.soften(), 2, Fraction(25))
    assert found["bb"] != answers(harden(model), 2)["bb"] and found["ab"] == answers(harden(model), 2)["ab"]
