"""Margins against plain loops over all words."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import dense
import mpmath
import pytest
from asked import dyck, first, induction, parity, shown, words
from hypothesis import given, settings
from test_crosscheck import QUICK, models

import symcook as sc
from symcook.errors import NoRun
from symcook.numbers.balls import Ball
from symcook.questions.margin import margin


def holds(cell: Any, value: Any) -> bool:
    """Whether a cell is, or encloses, a number."""
    if isinstance(cell, Fraction):
        return abs(value * cell.denominator - cell.numerator) < mpmath.mpf(10) ** -35
    assert isinstance(cell, Ball)
    with mpmath.workdps(40):
        return abs(mpmath.mpf(cell.mid) - value) <= mpmath.mpf(cell.rad) + mpmath.mpf(10) ** -35


def test_dyck_1_is_that_of_all_words() -> None:
    found = sc.build("dyck-1").margin(9)
    for row in found.rows:
        sizes = {"".join(word): dyck(word) for word in words("()", row["n"])}
        assert row["margin"] == row["rejected"] if "rejected" in row else True
        assert row["margin"] == min(size for size in sizes.values() if size is not None)
        assert sizes[row["word"]] == row["margin"]
    assert [row["n"] for row in found.rows] == list(range(1, 10))


@pytest.mark.sweep
def test_dyck_1_to_length_100() -> None:
    """Its recipe proves that the least total of a word that ends level is 1/(n (n - 1)), a balance at least 1/n."""
    found = sc.build("dyck-1").margin(100)
    for n in range(2, 101):
        row = found.row(n)
        assert row["margin"] == (Fraction(1, n * (n - 1)) if n % 2 == 0 else Fraction(1, n))
        assert dyck(row["word"]) == row["margin"]
        assert len(row["word"]) == n
    assert "enclosed" not in found.notes


@pytest.mark.sweep
def test_nonuniform_dyck_1_has_its_rejected_words_on_the_threshold() -> None:
    model = sc.build("dyck-1-nonuniform", N=8).bind()
    for row in model.margin(6).rows:
        logits = {word: shown(model, word, dense.rational)[0]["logit"] for word in words("()", row["n"])}
        assert row["margin"] == min(map(abs, logits.values())) == 0
        assert row["rejected"] == min(-x for x in logits.values() if x <= 0)
        assert row.get("accepted") == min((x for x in logits.values() if x > 0), default=None)


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize("name", ["parity", "first", "first-flawed"])
def test_softmax_models_are_those_of_all_words(name: str) -> None:
    logit = {"parity": parity, "first": first, "first-flawed": lambda word: first(word, True)}[name]
    with mpmath.workdps(40):
        for row in sc.build(name).margin(7).rows:
            logits = {"".join(word): logit(word) for word in words("01", row["n"])}
            assert holds(row["margin"], min(map(abs, logits.values())))
            assert holds(row["margin"], abs(logits[row["word"]]))
            for side, of in (("accepted", 1), ("rejected", -1)):
                sizes = [of * x for x in logits.values() if (x > 0) == (of == 1)]
                assert holds(row[side], min(sizes)) if sizes else row[side] is None


@pytest.mark.sweep
def test_parity_at_an_even_length() -> None:
    """Appendix A, for even n: 2 tanh(c)/n^2 in both classes."""
    row = margin(sc.build("parity"), 25, values={"c": 2}).row(25)
    with mpmath.workdps(40):
        assert holds(row["margin"], 2 * mpmath.tanh(2) / 26**2)
        assert holds(row["accepted"], 2 * mpmath.tanh(2) / 26**2)


def test_an_induction_head() -> None:
    model = induction()
    for row in model.margin(6).rows:
        logits = {"".join(word): shown(model, word, dense.rational)[0]["logit"] for word in words("01", row["n"])}
        assert row["margin"] == min(map(abs, logits.values())) == abs(logits[row["word"]])


def test_the_empty_word_is_asked_where_it_is_one() -> None:
    row = sc.build("parity").margin(1).row(0)
    assert (row["margin"], row["word"]) == (0, "")
    with pytest.raises(KeyError):
        sc.build("dyck-1").margin(1).row(0)


def summing(kind: str, steps: dict[int, tuple[str, str]]) -> sc.Transformer:
    """The mean of what stands at each position: of "y" and "x" these numbers, position by position, and then 0."""
    names = ("u", "t", "d", *(f"p{k}" for k in steps))
    rows, below, out = [], [], []
    for k, (no, yes) in steps.items():
        at = [int(name == f"p{k}") for name in names]
        rows += [[1, *at[1:]], at]
        below += [[-1], [0]]
        out += [Fraction(yes) - Fraction(no), Fraction(no)]
    table = sc.FeedForward(names, ("t",), rows, below, [out], [[0]])
    head = sc.Head(names, ("d",), [[0] * len(names)], [[0] * len(names)], [[int(x == "t") for x in names]], "future")
    words_ = {"x": {"u": 1}, "y": {"u": 0}}
    embedding = sc.Embedding(sc.Space(names), words=words_, positions={f"p{k}": f"I[i = {k}]" for k in steps})
    readout = sc.Readout(kind, "last", ("d",), weights=[[1]] if kind == "sign" else None)
    return sc.Transformer("summing", embedding, (sc.Layer(None, table), sc.Layer(head)), readout)


@pytest.mark.parametrize("kind", ["sign", "zero"])
@pytest.mark.parametrize("steps", [
    {1: ("1", "31/10"), 2: ("0", "2"), 3: ("-61/20", "-61/20")},
    {1: ("1", "31/10"), 2: ("0", "2"), 3: ("-1", "-1")},
    {1: ("1", "31/10"), 2: ("0", "2"), 3: ("-51/10", "-51/10")},
    {1: ("-1", "3"), 2: ("0", "2"), 3: ("-3", "-3"), 4: ("1", "7")},
])  # fmt: skip
def test_sums_between_two_that_part_at_zero_are_not_lost(kind: str, steps: dict[int, tuple[str, str]]) -> None:
    """Two words of one state whose sums are then on both sides of zero, or one of them at it: what stood between them
    may be nearer than both, and nothing that follows brings it back."""
    model = summing(kind, steps)
    found = model.margin(6)
    for row in found.rows:
        values = {}
        for word in words("yx", row["n"]):
            summed = [Fraction(steps[i][token == "x"]) for i, token in enumerate(word, 1) if i in steps]
            values[word] = sum(summed, Fraction(0)) / row["n"]
        sizes = [abs(value) for value in values.values() if kind == "sign" or value]
        with mpmath.workdps(40):
            least = mpmath.mpf(min(sizes).numerator) / min(sizes).denominator if sizes else None
            assert (row["margin"] is None) if least is None else holds(row["margin"], least), row
        for side, accepts in (("accepted", True), ("rejected", False)) if kind == "sign" else ():
            of = [abs(value) for value in values.values() if (value > 0) is accepts]
            if row.get(side) is not None:
                assert holds(row[side], mpmath.mpf(min(of).numerator) / min(of).denominator), (row, side)
            elif of:
                assert {"enclosed", "sides"} & found.notes.keys(), (row, side)


def test_a_zero_test_that_both_ends_pass_may_be_failed_between_them() -> None:
    """A hat over the mean of three: zero at 2/3 and at 2, and 2/3 at 4/3, which half of the words have."""
    model = summing("zero", {1: ("2", "4"), 2: ("0", "2")})
    names = model.space.names
    mean = [int(name == "d") for name in names]
    first, second = model.layers
    hat = sc.FeedForward(names, ("u",), [mean] * 3, [["-2/3"], ["-4/3"], [-2]], [[1, -2, 1]], [[0]])
    away = sc.FeedForward(names, ("u",), [[int(x == "u") for x in names]], [[0]], [[-1]], [[0]])
    layers = (first, sc.Layer(second.attention, away), sc.Layer(None, hat))
    row = sc.Transformer("hat", model.embedding, layers, sc.Readout("zero", "last", ("u",))).margin(3).row(3)
    assert row["margin"] == Fraction(2, 3) and row["word"][:2] in ("xy", "yx")


def test_the_greater_of_two_coordinates_is_least_where_they_are_alike() -> None:
    """max(d, 3 - d) for the mean d of three: 7/3 at both ends, 2/3 and 7/3, and 3/2 at 3/2, which half of the words
    have."""
    model = summing("zero", {1: ("2", "9/2"), 2: ("0", "5/2")})
    names = model.space.names
    rows = [[int(name == "u") for name in names], [int(name == "d") for name in names]]
    rest = sc.FeedForward(names, ("u",), rows, [[0], [0]], [[-1, -1]], [[3]])
    layers = (model.layers[0], sc.Layer(model.layers[1].attention, rest))
    row = sc.Transformer("rest", model.embedding, layers, sc.Readout("zero", "last", ("u", "d"))).margin(3).row(3)
    with mpmath.workdps(40):
        assert holds(row["margin"], mpmath.mpf(3) / 2), row


# --- Models by chance -------------------------------------------------------------------------------------------------


def causal(seed: int) -> sc.Transformer:
    """Plain means over what stands up to here, in one or two layers with ReLUs, and a readout at the last position."""
    draw = random.Random(seed)
    names = ("a", "b", "c", "d")

    def entry() -> Any:
        return draw.choice([0, 0, 1, -1, 2, Fraction(1, 2), Fraction(-1, 3)])

    def rows(m: int, n: int) -> list[list[Any]]:
        return [[entry() for _ in range(n)] for _ in range(m)]

    def head(write: str) -> sc.Head:
        return sc.Head(names, (write,), [[0] * 4], [[0] * 4], rows(1, 4), mask="future")

    def network(*writes: str) -> sc.FeedForward:
        return sc.FeedForward(names, writes, rows(2, 4), rows(2, 1), rows(len(writes), 2), rows(len(writes), 1))

    layers = [
        sc.Layer(head("b"), network("c")),
        sc.Layer(head("d"), network("c", "a") if draw.random() < 0.5 else None),
    ]
    added = draw.choice([(None, None), ("$", None), (None, "$"), ("$", "$")])
    tokens = {"x": {"a": 1}, "y": {"a": entry(), "b": 1}, "$": {"c": 1}}
    if added == (None, None):
        del tokens["$"]
    positions = draw.choice([{}, {"c": "1/n"}, {"b": "i"}])
    start = draw.choice([0, 1])
    embedding = sc.Embedding(
        sc.Space(names), words=tokens, positions=positions, start=start, before=added[0], after=added[1]
    )
    if draw.random() < 0.5:
        readout = sc.Readout("zero", "last", ("c", "d"))
    else:
        readout = sc.Readout("sign", "last", ("c", "d"), weights=[[1, entry() or 1]])
    return sc.Transformer("drawn", embedding, tuple(layers[: draw.choice([1, 2, 2])]), readout)


@pytest.mark.sweep
@pytest.mark.parametrize("seeds", [range(3, 10), range(10, 40)])
def test_merged_prefixes_hide_no_word(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    # As for strings, and classes of strings, that are too many to run each.
    monkeypatch.setattr("symcook.questions.margin._of_few", lambda *_: None)
    exact = enclosed = 0
    for seed in seeds:
        model = causal(seed)
        found = model.margin(5)
        assert "grouped" in found.notes["method"]
        for row in found.rows:
            sizes = {}
            for word in words(model.alphabet, row["n"]):
                seen = shown(model, word, dense.rational)[0]
                values = [seen["logit"]] if model.readout.kind == "sign" else list(seen.values())
                size = max(map(abs, values))
                if model.readout.kind == "sign" or size != 0:
                    sizes["".join(word)] = size
            if not sizes:
                assert row["margin"] is None
            elif isinstance(row["margin"], Fraction):
                exact += 1
                assert row["margin"] == min(sizes.values()) == sizes[row["word"]]
            else:
                enclosed += 1
                low, rad = Fraction(row["margin"].mid), Fraction(row["margin"].rad)
                assert low - rad <= min(sizes.values()) <= sizes[row["word"]] <= low + rad
    assert exact > 3 * len(seeds)
    assert enclosed > 0 or 8 not in seeds


def test_a_note_says_at_which_lengths_the_least_value_is_not_known() -> None:
    """A ball has an end that is no word's; the note names the one length, or how many there are and the first."""
    seen = set()
    for seed, longest in ((8, 4), (8, 5), (33, 2), (33, 4)):
        found = causal(seed).margin(longest)
        loose = [row["n"] for row in found.rows if isinstance(row["margin"], Ball)]
        seen.add(min(len(loose), 2))
        unknown = [row["n"] for row in found.rows if "rejected" not in row]
        assert (unknown == loose) and bool(loose) == ("accepted and of rejected" in found.notes.get("enclosed", ""))
        if not loose:
            assert "enclosed" not in found.notes
        elif len(loose) == 1:
            assert f"n = {loose[0]} " in found.notes["enclosed"] and "lengths" not in found.notes["enclosed"]
        else:
            assert f"{len(loose)} lengths from n = {loose[0]} " in found.notes["enclosed"]
    assert seen == {0, 1, 2}


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("kind", ["zero", "sign", "largest"])
def test_drawn_models(kind: str) -> None:
    @settings(QUICK, max_examples=15)
    @given(models(kind=kind, weighting="average"))
    def run(model: sc.Transformer) -> None:
        try:
            found = model.margin(2)
        except sc.Undecided:  # a tie of balls
            return
        for row in found.rows:
            sizes = [_distance(model, word) for word in words(model.alphabet, row["n"])]
            known = [size for size in sizes if size is not None]
            if not known:
                assert row["margin"] is None
            elif isinstance(row["margin"], Fraction):
                assert row["margin"] == min(known)
                for name, side in (("accepted", True), ("rejected", False)) if kind == "sign" else ():
                    decided = [one for word in words(model.alphabet, row["n"]) for one in _decided(model, word)]
                    assert row[name] == min((size for answer, size in decided if answer is side), default=None)

    run()


def test_the_sides_of_a_readout_at_each_position_are_those_of_positions() -> None:
    """x gives 1 and y -3, wherever they stand: a word that begins with x is no word whose -3 is accepted."""
    for inner in ({}, {"after": "$"}):
        space = sc.Space(("a",))
        tokens = {"x": {"a": 1}, "y": {"a": -3}} | ({"$": {"a": 2}} if inner else {})
        head = sc.Head(("a",), ("a",), [[0]], [[0]], [[0]])
        model = sc.Transformer(
            "signs", sc.Embedding(space, tokens, **inner), (sc.Layer(head),), sc.Readout("sign", "each", ("a",), [[1]])
        )
        rows = {row["n"]: (row["margin"], row["accepted"], row["rejected"]) for row in model.margin(3).rows}
        assert rows == ({0: (2, 2, None)} if inner else {}) | dict.fromkeys((1, 2, 3), (1, 1, 3))


def _distance(model: sc.Transformer, word: Any) -> Fraction | None:
    """The distance of the decision, from the definition."""
    return min((size for _, size in _decided(model, word) if size is not None), default=None)


def _decided(model: sc.Transformer, word: Any) -> list[tuple[Any, Any]]:
    """Answers and their distances: one a position where each is read, else one."""
    rows = dense.read(model, dense.typed(model, word), dense.rational)
    kind, position = model.readout.kind, model.readout.position
    rows = {"first": rows[:1], "last": rows[-1:]}.get(position, rows)
    sizes = []
    for seen, answer in rows:
        if kind == "largest":
            best, other = sorted(seen.values())[-1:-3:-1]
            sizes.append((None, best - other))
        elif kind == "sign":
            sizes.append((answer, abs(seen["logit"])))
        else:
            sizes.append((answer, max(map(abs, seen.values())) or None))
    if position == "each" or len(sizes) == 1:
        return sizes
    if not all(answer for answer, _ in sizes):
        return [(False, max(size for answer, size in sizes if not answer))]
    return [(True, min((size for _, size in sizes if size is not None), default=None))]


@pytest.mark.parametrize("temperature", ["3 - i", "4 - n", "2 - n + i"])
def test_words_without_a_run_have_no_margin(temperature: str) -> None:
    """Plain means by a softmax whose temperature is not positive somewhere from length 3 on: prefixes are merged at the
    positions and lengths that they have."""
    head = sc.Head(("a",), ("b",), [[0]], [[0]], [[1]], "future", "softmax", temperature)
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {}})
    model = sc.Transformer("cooled", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("b",), [[1]]))
    assert [row["accepted"] for row in model.margin(2).rows] == [1, Fraction(1, 2)]
    with pytest.raises(NoRun, match="temperature must be positive"):
        model.margin(4)


def test_as_many_digits_as_are_asked_for() -> None:
    """first at one symbol, by the logit e/(2 (e + 1)) of Section 3.3 of chiang2022."""
    for digits in (10, 25, 60):
        cell = sc.build("first").margin(1, digits=digits).row(1)["margin"]
        assert isinstance(cell, Ball)
        with mpmath.workdps(90):
            assert mpmath.mpf(cell.rad) <= mpmath.mpf(cell.mid) * mpmath.mpf(10) ** -digits
            assert abs(mpmath.mpf(cell.mid) - first("1")) <= mpmath.mpf(cell.rad)


def test_many_strings_in_few_classes_have_an_exact_margin() -> None:
    """2^15 and 2^16 strings, which the counts of symbols determine: their means are (n - 2k)/n."""
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.add(sc.head(value={"mean": "vote"}, mask="causal"))
    b.readout("sign", "last", "mean", weights=[1])
    rows = {row["n"]: row for row in b.build("votes").margin(17).rows}
    for n in (15, 16, 17):
        means = [Fraction(n - 2 * k, n) for k in range(n + 1)]
        assert rows[n]["margin"] == min(map(abs, means))
        assert rows[n]["accepted"] == min(mean for mean in means if mean > 0)
        assert rows[n]["rejected"] == min(-mean for mean in means if mean <= 0)
