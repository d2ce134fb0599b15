"""Exact batches against the dense Fraction pass of `dense`, which shares nothing with them but the block classes."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import dense
import numpy as np
import pytest
from families import together
from hypothesis import given, settings
from hypothesis import strategies as st

from symcook.domains import cells
from symcook.domains.batch import Batch, Grid, Listed, Words
from symcook.domains.cells import Cell, carrier, combine
from symcook.errors import NotExact
from symcook.forward import forward
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import MASKS, FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Transformer

NAMES = ("a", "b", "c")
HARD = ("average", "leftmost", "rightmost")


def compare(model, block, pieces=()):
    """Every live coordinate, every score and every answer at every position for every input of the block; with
    `pieces` ((length, words) ...) those of the cut words. A pass of the model itself has the same where it looks."""
    alone: Any = forward(model, block, Batch())
    model = replace(model, readout=replace(model.readout, position="each"))
    domain = Batch()
    result: Any = forward(model, block, domain)
    for name, column in alone.columns().items():
        found, whole = column[alone.place], result.columns()[name][alone.place]
        values = [
            [Fraction(v) / cell.denominator for v in domain.full(cell.numerators).tolist()] for cell in (found, whole)
        ]
        assert values[0] == values[1], name
    if alone.verdicts is not None:
        found, whole = alone.verdicts[alone.place], result.verdicts[alone.place]
        assert (domain.full(found) == domain.full(whole)).all()
    assert len(list(block)) == block.size == domain.size
    names = model.live[-1]
    for length, part in pieces or ((domain.length, block),):
        for code, sequence in enumerate(part):
            stream, answers = dense.run(model, sequence), dense.read(model, sequence)
            for place in range(length):
                for name in names:
                    assert _entry(domain, result.stream[name][place], code, length) == stream[place][name], (
                        sequence,
                        name,
                        place,
                    )
                shown, answer = answers[place]
                for name, column in result.columns().items():
                    assert _entry(domain, column[place], code, length) == shown[name], (sequence, name, place)
                if result.verdicts is not None:
                    assert domain.full(result.verdicts[place], length)[code] == answer, (sequence, place)
    for column in result.stream.values():
        for cell in column:
            assert max(abs(int(v)) for v in cell.numerators) <= cell.bound
            assert cell.numerators.dtype == carrier(cell.bound) or cell.numerators.dtype.itemsize >= 8


def _entry(domain, cell, code, length):
    return Fraction(int(domain.full(cell.numerators, length)[code]), cell.denominator)


def dyck(uniform_value=1, error_weight=-1):
    space = Space(("token", "balance", "error", "total"))
    first = Head(("token",), ("balance",), Q=[[0]], K=[[0]], V=[[uniform_value]], mask="future")
    second = Head(("error",), ("total",), Q=[[0]], K=[[0]], V=[[1]], mask="future")
    test = FeedForward(("balance",), ("error",), W1=[[error_weight]], b1=[0], W2=[[1]], b2=[0])
    return Transformer(
        "brackets",
        Embedding(space, words={"(": {"token": 1}, ")": {"token": -1}}),
        (Layer(first, test), Layer(second)),
        Readout("zero", "last", ("total", "balance")),
    )


def test_brackets_by_prefixes_and_by_blocks():
    model = dyck()
    for n in range(1, 6):
        compare(model, Words(("(", ")"), n))
    whole = Words(("(", ")"), 6)
    parts = list(whole.blocks(8))
    assert [p.size for p in parts] == [8] * 8
    assert [w for p in parts for w in p] == list(whole) == list(product("()", repeat=6))
    one = np.concatenate([_accept(model, part) for part in parts])
    assert (one == _accept(model, whole)).all()
    assert int(one.sum()) == 5  # the Catalan number of 3


def _accept(model, block):
    domain = Batch()
    return domain.full(forward(model, block, domain).accept)


def test_carriers_at_the_boundaries():
    for bound, kind in ((2**31 - 1, np.int32), (2**31, np.int64), (2**63 - 1, np.int64), (2**63, object)):
        assert carrier(bound) == np.dtype(kind)
        cell = Cell(np.array([1, -1], dtype=np.int32), 1, 1)
        scaled = combine([(cell, Fraction(bound))], Fraction(0))
        assert scaled.numerators.dtype == np.dtype(kind)
        assert [int(v) for v in scaled.numerators] == [bound, -bound]


@together("exponent", [31, 63])
@together("offset", [-2, -1, 0, 1])
def test_no_overflow_around_the_boundaries(exponent, offset):
    big = 2**exponent + offset
    space = Space(("token", "wide", "back"))
    grow = FeedForward(("token",), ("wide",), W1=[[1], [-1]], b1=[0, 0], W2=[[big, -big]], b2=[0])
    mean = Head(("wide",), ("back",), Q=[[0]], K=[[0]], V=[[1]], mask="future")
    model = Transformer(
        "wide",
        Embedding(space, words={"+": {"token": 1}, "-": {"token": -1}}),
        (Layer(None, grow), Layer(mean)),
        Readout("sign", "last", ("back",), weights=[[1]]),
    )
    compare(model, Words(("+", "-"), 4))
    assert _accept(model, Words(("+", "-"), 3)).tolist() == [w.count("+") >= 2 for w in product("+-", repeat=3)]


def test_hard_attention_with_ties_and_rows():
    space = Space(("q", "v", "index", "square", "one", "found"))
    head = Head(
        ("q", "one", "index", "square", "v"),
        ("found",),
        Q=[[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]],
        K=[[0, 0, 2, 0, 0], [0, 0, 0, -1, 0]],
        V=[[0, 0, 0, 0, 1]],
    )
    model = Transformer(
        "lookup",
        Embedding(space, inputs=("q", "v"), positions={"index": "i", "square": "i^2", "one": "1"}),
        (Layer(head),),
        Readout("value", "each", ("found",)),
    )
    queries = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(7)]  # halves tie two positions
    places = tuple([{"q": q, "v": Fraction(3**j, j + 1)} for q in queries] for j in range(3))
    compare(model, Grid(places))
    blocks = list(Grid(places).blocks(10))
    assert sum(b.size for b in blocks) == 125 and all(b.size <= 10 for b in blocks)
    assert [s for b in blocks for s in b] == list(Grid(places))


def test_a_tie_in_all_positions():
    space = Space(("x", "one", "mean"))
    head = Head(("one", "x"), ("mean",), Q=[[1, 0]], K=[[0, 0]], V=[[0, 1]])
    equal = Head(("one", "x"), ("mean",), Q=[[1, 0]], K=[[1, 0]], V=[[0, 1]], mask="future")
    for one in (head, equal):
        model = Transformer(
            "tie",
            Embedding(space, words={"a": {"x": 1, "one": 1}, "b": {"x": "1/3", "one": 1}, "c": {"one": 1}}),
            (Layer(one),),
            Readout("value", "each", ("mean",)),
        )
        compare(model, Words(("a", "b", "c"), 4))


def test_refusals():
    space = Space(("x", "y"))
    words = Embedding(space, words={"a": {"x": 1}})
    readout = Readout("value", "last", ("y",))
    soft = Layer(Head(("x",), ("y",), Q=[[1]], K=[[1]], V=[[1]], weighting="softmax"))
    block = FeedForward(("x",), ("y",), W1=[[1]], b1=[0], W2=[[1]], b2=[0], activation="gelu")
    normed = Layer(None, FeedForward(("x",), ("y",), [[1]], [0], [[1]], [0]), (), LayerNorm(("x", "y")), "post")
    with pytest.raises(NotExact, match="softmax"):
        forward(Transformer("refused", words, (soft,), readout), Words(("a",), 2), Batch(floats=True))
    for layer, text in ((Layer(None, block), "gelu"), (normed, "layer norm")):
        with pytest.raises(NotExact, match=text):
            forward(Transformer("refused", words, (layer,), readout), Words(("a",), 2), Batch())
    odds = Readout("distribution", "last", ("x",), [[1], [0]], ("p", "q"))
    with pytest.raises(NotExact, match="distribution"):
        forward(Transformer("odds", words, (), odds), Words(("a",), 2), Batch())
    root = FeedForward(("x",), ("y",), W1=[["pi"]], b1=[0], W2=[[1]], b2=[0])
    with pytest.raises(NotExact, match="rational"):
        forward(Transformer("root", words, (Layer(None, root),), readout), Words(("a",), 1), Batch())


@pytest.mark.layer_one(0, 4, 9, 14)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("weighting", HARD)
def test_every_mask_with_ties_and_empty_rows(mask, weighting):
    space = Space(("x", "one", "seen", "plain"))
    pick = Head(("x", "one"), ("seen",), Q=[[0, 1]], K=[[1, 0]], V=[[3, 1]], mask=mask, weighting=weighting)
    own = Head(("x", "one"), ("seen",), Q=[[1, 0]], K=[[1, 0]], V=[[1, 0]], mask=mask, weighting=weighting)
    plain = Head(("x",), ("plain",), Q=[[0]], K=[[0]], V=[[1]], mask=mask, weighting=weighting)
    model = Transformer(
        "masks",
        Embedding(space, words={"a": {"x": 1, "one": 1}, "b": {"x": "-1/2", "one": 1}, "c": {"one": 1}}),
        (Layer(SelfAttention((pick, own, plain))),),
        Readout("value", "each", ("seen", "plain")),
    )
    for n in (1, 2, 3):
        compare(model, Words(model.alphabet, n))
    assert (model.unfollowed() is None) is mask.endswith("future")


def test_positions_alone_may_decide_where_to_look():
    """Scores that no input changes: the static choice, with its own number of ties."""
    space = Space(("x", "one", "index", "found"))
    for weighting, mask, key in product(HARD, ("none", "strict-past"), ("(i - 2)^2", "-i", "0*i")):
        head = Head(("x", "one", "index"), ("found",), [[0, 1, 0]], [[0, 0, 1]], [[1, 0, 0]], mask, weighting)
        model = Transformer(
            "static",
            Embedding(space, words={"a": {"x": 1, "one": 1}, "b": {"one": 1}}, positions={"index": key}),
            (Layer(head),),
            Readout("sign", "each", ("found",), weights=[[1]]),
        )
        compare(model, Words(("a", "b"), 3))


def test_step_is_zero_at_zero():
    space = Space(("x", "y"))
    block = FeedForward(("x",), ("y",), [[1], [2]], [0, -1], [["1/3", 1]], [-1], activation="step")
    words = Embedding(space, words={"a": {"x": 1}, "b": {"x": "1/2"}, "c": {}, "d": {"x": -1}})
    model = Transformer("step", words, (Layer(None, block),), Readout("zero", "all", ("y",)))
    compare(model, Words(model.alphabet, 2))


def test_largest_is_the_first_of_several():
    space = Space(("x", "mean"))
    head = Head(("x",), ("mean",), [[0]], [[0]], [[1]], mask="future")
    words = Embedding(space, words={"a": {"x": 1}, "b": {"x": -1}, "c": {}})
    readout = Readout("largest", "each", ("x", "mean"), [[0, 1], [1, 0], ["1/2", "1/2"]], ("m", "x", "h"))
    model = Transformer("largest", words, (Layer(head),), readout)
    compare(model, Words(model.alphabet, 3))


def added(before=None, after=None, mask="none"):
    """Means over a word with added tokens, whose own values show where they stand."""
    space = Space(("x", "mean", "index"))
    head = Head(("x", "index"), ("mean",), [[0, 0]], [[0, 0]], [[1, 1]], mask=mask)
    words = {"a": {"x": 1}, "b": {"x": -1}, "[": {"x": 5}, "]": {"x": "1/7"}}
    used = {t: v for t, v in words.items() if t in ("a", "b", before, after)}
    embedding = Embedding(space, words=used, positions={"index": "i"}, start=0, before=before, after=after)
    return Transformer("added", embedding, (Layer(head),), Readout("value", "each", ("mean",)))


@pytest.mark.parametrize("mask", MASKS)
def test_added_tokens_stand_in_every_word(mask):
    for before, after in product((None, "["), (None, "]")):
        model = added(before, after, mask)
        prefix, suffix = ("[",) if before else (), ("]",) if after else ()
        block = Words(("a", "b"), 2 + len(prefix) + len(suffix), prefix, suffix)
        assert list(block) == [tuple(dense.typed(model, w)) for w in product("ab", repeat=2)]
        compare(model, block)
        parts = list(block.blocks(2))
        assert [p.size for p in parts] == [2, 2] and [w for p in parts for w in p] == list(block)


def test_one_pass_holds_every_shorter_word():
    for model in (dyck(), added("[", None, "strict-future"), added(None, None, "future")):
        assert model.unfollowed() is None
        before = () if model.embedding.before is None else ("[",)
        for prefix in ((), model.alphabet[1:]):
            block = Words(model.alphabet, 4 + len(before), (*before, *prefix))
            lengths = range(len(before) + len(prefix) + 1, block.n + 1)
            compare(model, block, [(n, block.cut(n)) for n in lengths])
    assert "mask anti-causal" in str(added(None, None, "past").unfollowed())
    whole = Transformer(
        "length",
        Embedding(Space(("x",)), words={"a": {}}, positions={"x": "i/n"}),
        (),
        Readout("value", "last", ("x",)),
    )
    assert "i/n" in str(whole.unfollowed())


def test_listed_words_are_the_same_numbers():
    model = dyck()
    chosen = tuple(w for w in product("()", repeat=5) if w.count("(") in (2, 3))
    compare(model, Listed(chosen))
    compare(model, Listed((("(", ")"),)))


def test_floats_round_where_integers_do_not():
    model = dyck(uniform_value="1/3")
    block = Words(("(", ")"), 6)
    exact, floats = (forward(model, block, Batch(floats=f)) for f in (False, True))
    assert all(cell.numerators.dtype == np.float64 for column in floats.stream.values() for cell in column)
    assert all(cell.numerators.dtype == np.int32 for cell in exact.stream["total"])
    for name, column in exact.stream.items():
        for a, b in zip(column, floats.stream[name], strict=True):
            assert (a.numerators == b.numerators).all() and a.denominator == b.denominator
    wide = FeedForward(("x",), ("x",), [[1], [-1]], [0, 0], [[2**60, -(2**60)]], [1])
    words = Embedding(Space(("x",)), words={"a": {"x": 1}, "b": {"x": -1}})
    both = Transformer("wide", words, (Layer(None, wide),), Readout("value", "last", ("x",)))
    exact, floats = (forward(both, Words(("a", "b"), 1), Batch(floats=f)) for f in (False, True))
    assert int(exact.stream["x"][0].numerators[0]) == 2**60 + 2
    assert int(floats.stream["x"][0].numerators[0]) != 2**60 + 2


def weighty(scale=2**70):
    """Brackets whose values need more than a machine word, with a layer that keeps them apart and one that merges."""
    model = dyck(error_weight=Fraction(-scale - 1, scale))
    words = {"(": {"token": Fraction(scale - 2, scale)}, ")": {"token": Fraction(-scale - 3, scale + 1)}}
    return Transformer("weighty", Embedding(model.space, words=words), model.layers, model.readout)


def test_wide_integers_by_values_and_one_by_one(monkeypatch):
    model = weighty()
    for n in (1, 2, 5):
        compare(model, Words(("(", ")"), n))
    block = Words(("(", ")"), 11)
    model = replace(model, readout=replace(model.readout, position="each"))
    coded = forward(model, block, Batch()).stream
    assert coded["balance"][-1].codes is not None and len(coded["balance"][-1].table) == 12
    assert coded["total"][-1].codes is not None and len(coded["total"][-1].table) < coded["total"][-1].size
    monkeypatch.setattr(cells, "_by_values", lambda parts, added: None)
    plain = forward(model, block, Batch()).stream
    for name, column in plain.items():
        for place, cell in enumerate(column):
            other = coded[name][place]
            assert (cell.denominator, cell.bound, cell.size) == (other.denominator, other.bound, other.size)
            assert (cell.numerators == other.numerators).all(), (name, place)
    assert plain["total"][-1].codes is None and plain["total"][-1].numerators.dtype == object


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.data())
@pytest.mark.sweep
def test_sums_of_wide_cells_are_sums_of_their_entries(data):
    """Cells of every kind: one entry, few values in many entries, all different, machine words and beyond."""
    parts, size = [], 1
    for _ in range(data.draw(st.integers(1, 4))):
        size *= data.draw(st.sampled_from([1, 2, 3, 40]))
        bound = data.draw(st.sampled_from([0, 1, 5, 2**20, 2**40, 2**80]))
        values = data.draw(st.lists(st.integers(-bound, bound), min_size=1, max_size=4))
        entries = np.array([values[k * k % len(values)] for k in range(size)], dtype=carrier(bound))
        if data.draw(st.booleans()) and bound >= size:
            entries = entries // size + np.arange(size)
            bound = 2 * bound
        parts.append((Cell(entries.astype(carrier(bound)), data.draw(st.integers(1, 6)), bound),
                      data.draw(st.sampled_from([Fraction(1), Fraction(-2, 3), Fraction(2**70, 7)]))))  # fmt: skip
    shift = data.draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(-(2**90))]))
    total = combine(parts, shift)
    twice = combine([(total, Fraction(1)), (cells.relu(total), Fraction(2**66))], Fraction(0))
    for code in {0, size // 2, size - 1, size // 3}:
        plain = shift
        for cell, weight in parts:
            plain += weight * Fraction(int(cell.numerators[code % cell.size]), cell.denominator)
        assert Fraction(int(total.numerators[code % total.size]), total.denominator) == plain
        both = Fraction(int(twice.numerators[code % twice.size]), twice.denominator)
        assert both == plain + 2**66 * max(plain, 0)


fractions = {Fraction(p, q) for q in range(1, 5) for p in range(-3 * q, 3 * q + 1)}
small = st.sampled_from(sorted(fractions, key=lambda f: (f.denominator, abs(f), f)))
entry = st.one_of(st.just(Fraction(0)), small)


@st.composite
def models(draw):
    """Models of up to three layers over three coordinates, with everything that the batch takes."""

    def matrix(rows, columns):
        return [[draw(entry) for _ in range(columns)] for _ in range(rows)]

    layers = []
    for _ in range(draw(st.integers(1, 3))):
        heads = []
        for _ in range(draw(st.integers(0, 2))):
            key = draw(st.integers(1, 2))
            writes = NAMES[: draw(st.integers(1, 2))]
            heads.append(Head(
                NAMES, writes, matrix(key, 3), matrix(key, 3), matrix(len(writes), 3),
                mask=draw(st.sampled_from(MASKS)), weighting=draw(st.sampled_from(HARD)),
            ))  # fmt: skip
        feedforward = None
        if not heads or draw(st.booleans()):
            hidden = draw(st.integers(1, 3))
            feedforward = FeedForward(
                NAMES, NAMES[1:], matrix(hidden, 3), [row[0] for row in matrix(hidden, 1)], matrix(2, hidden),
                [row[0] for row in matrix(2, 1)], activation=draw(st.sampled_from(["relu", "step"])),
            )  # fmt: skip
        layers.append(Layer(SelfAttention(tuple(heads)) if heads else None, feedforward))
    words = {token: {name: draw(small) for name in NAMES} for token in "xyz"[: draw(st.integers(1, 3))]}
    positions = {"c": draw(st.sampled_from(["i", "1/i", "i/n", "(-1)^i", "0"]))}
    embedding = Embedding(Space(NAMES), words=words, positions=positions)
    readout = draw(st.sampled_from([
        Readout("sign", "last", NAMES, weights=[[1, -1, 1]]), Readout("zero", "all", NAMES[1:]),
        Readout("largest", "each", NAMES, [[1, 0, 0], [0, 1, 0], ["1/2", "1/2", 0]], ("p", "q", "r")),
        Readout("value", "first", NAMES),
    ]))  # fmt: skip
    return Transformer("random", embedding, tuple(layers), readout)


@settings(max_examples=40, derandomize=True, deadline=None)
@given(models(), st.integers(1, 3))
def test_random_models(model, n):
    block = Words(model.alphabet, n)
    together = model.unfollowed() is None and model.embedding.after is None
    compare(model, block, [(m, block.cut(m)) for m in range(1, n + 1)] if together else ())


@pytest.mark.layer_one(0, 2, 7, 12, 14)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("temperature", [1, "2/3", "1/log(n + 1)", "1/(i + 1)"])
def test_softmax_is_that_of_one_word_after_the_other(mask, temperature):
    """Scores and values that differ by token and by position, a root that cancels, and a network behind them."""
    space = Space(("x", "one", "place", "seen", "out"))
    head = Head(
        ("x", "one", "place"), ("seen",), Q=[["sqrt(3)", "sqrt(3)", 0]], K=[[2, 0, 1]], V=[[3, 0, "1/2"]], mask=mask,
        weighting="softmax", temperature=temperature, scale="1/sqrt(3)",
    )  # fmt: skip
    words = {"a": {"x": 1, "one": 1}, "b": {"x": -1, "one": 2}, "c": {"one": 1}}
    model = Transformer(
        "soft",
        Embedding(space, words=words, positions={"place": "(-1)^i"}),
        (Layer(head, FeedForward(("seen",), ("out",), [[1], [-2]], [-1, 1], [[1, "1/3"]], [0])),),
        Readout("value", "each", ("seen", "out")),
    )
    result = forward(model, Words(tuple("abc"), 3), Batch())
    shown = {name: [result.domain.show(cell, 30) for cell in column] for name, column in result.columns().items()}
    for code, word in enumerate(product("abc", repeat=3)):
        alone = model.run("".join(word)).outputs
        assert [{name: column[place][code] for name, column in shown.items()} for place in range(3)] == alone


def test_softmax_over_many_combinations_is_left_to_single_runs():
    space = Space(("x", "one", "y"))
    head = Head(("x", "one"), ("y",), Q=[[0, 1]], K=[[1, 0]], V=[[1, 0]], weighting="softmax")
    words = {"0": {"one": 1}, "1": {"x": 1, "one": 1}}
    positions = {"x": "2^i"}
    readout = Readout("sign", "last", ("y",), weights=[[1]])
    model = Transformer("far", Embedding(space, words=words, positions=positions), (Layer(head),), readout)
    with pytest.raises(NotExact, match="few different rows of scores"):
        forward(model, Words(("0", "1"), 10), Batch())
