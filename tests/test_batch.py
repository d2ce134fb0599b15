"""Exact batches against dense Fraction arithmetic that shares nothing with them but the block classes."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symcook.blocks import Embedding, FeedForward, Head, Layer, Readout, Space, Transformer
from symcook.domains.batch import Batch, Cell, Grid, Words, _combine, carrier
from symcook.errors import NotExact
from symcook.forward import forward

NAMES = ("a", "b", "c")


def dense(model, sequence):
    """The residual stream at the end: {coordinate: [Fraction]}, by definitions 2.1 to 2.5 of the Cookbook."""
    embedding = model.embedding
    start, n = embedding.start, len(sequence)
    rows = []
    for place, given_here in enumerate(sequence):
        values = dict(embedding.words[given_here]) if embedding.words is not None else dict(given_here)
        row = {name: Fraction(str(values.get(name, 0))) for name in model.space}
        for name, expression in embedding.positions.items():
            row[name] += Fraction(str(expression.subs({s: {"i": place + start, "n": n}[s.name]
                                                       for s in expression.free_symbols})))  # fmt: skip
        rows.append(row)

    def times(matrix, vector):
        return [
            sum((Fraction(str(matrix[r, c])) * v for c, v in enumerate(vector)), Fraction(0))
            for r in range(matrix.shape[0])
        ]

    for layer in model.layers:
        for head in layer.attention.heads if layer.attention else ():
            seen = [[row[name] for name in head.reads] for row in rows]
            q, k, v = ([times(m, x) for x in seen] for m in (head.Q, head.K, head.V))
            for i, row in enumerate(rows):
                visible = range(i + 1) if head.mask == "future" else range(n)
                scores = {j: sum((a * b for a, b in zip(q[i], k[j], strict=True)), Fraction(0)) for j in visible}
                best = [j for j in visible if scores[j] == max(scores.values())]
                for m, name in enumerate(head.writes):
                    row[name] += sum((v[j][m] for j in best), Fraction(0)) / len(best)
        if layer.feedforward:
            block = layer.feedforward
            for row in rows:
                hidden = times(block.W1, [row[name] for name in block.reads])
                hidden = [max(Fraction(0), h + Fraction(str(b))) for h, b in zip(hidden, block.b1, strict=True)]
                for name, out, bias in zip(block.writes, times(block.W2, hidden), block.b2, strict=True):
                    row[name] += out + Fraction(str(bias))
    return {name: [row[name] for row in rows] for name in model.space}


def compare(model, block):
    """Every coordinate at every position for every input of the block."""
    domain = Batch()
    result = forward(model, block, domain)
    assert len(list(block)) == block.size == domain.size
    for code, sequence in enumerate(block):
        expected = dense(model, sequence)
        for name, column in result.stream.items():
            for place, cell in enumerate(column):
                value = Fraction(int(domain.full(cell.numerators)[code]), cell.denominator)
                assert value == expected[name][place], (sequence, name, place)
    for column in result.stream.values():
        for cell in column:
            assert max(abs(int(v)) for v in cell.numerators) <= cell.bound
            assert cell.numerators.dtype == carrier(cell.bound) or cell.numerators.dtype.itemsize >= 8


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
        scaled = _combine([(cell, Fraction(bound))], Fraction(0))
        assert scaled.numerators.dtype == np.dtype(kind)
        assert [int(v) for v in scaled.numerators] == [bound, -bound]


@pytest.mark.parametrize("exponent", [31, 63])
@pytest.mark.parametrize("offset", [-2, -1, 0, 1])
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
    soft = Head(("x",), ("y",), Q=[[1]], K=[[1]], V=[[1]], weighting="softmax")
    words = Embedding(space, words={"a": {"x": 1}})
    readout = Readout("value", "last", ("y",))
    with pytest.raises(NotExact, match="softmax"):
        forward(Transformer("soft", words, (Layer(soft),), readout), Words(("a",), 2), Batch())
    root = FeedForward(("x",), ("y",), W1=[["sqrt(2)"]], b1=[0], W2=[[1]], b2=[0])
    with pytest.raises(NotExact, match="rational"):
        forward(Transformer("root", words, (Layer(None, root),), readout), Words(("a",), 1), Batch())


small = st.fractions(min_value=-3, max_value=3, max_denominator=4)


@st.composite
def models(draw):
    """Models of up to three layers over three coordinates, with heads of every kind that the batch takes."""

    def matrix(rows, columns):
        return [[draw(st.one_of(st.just(Fraction(0)), small)) for _ in range(columns)] for _ in range(rows)]

    layers = []
    for _ in range(draw(st.integers(1, 3))):
        attention = feedforward = None
        if draw(st.booleans()):
            key = draw(st.integers(1, 2))
            writes = NAMES[: draw(st.integers(1, 2))]
            attention = Head(
                NAMES, writes, matrix(key, 3), matrix(key, 3), matrix(len(writes), 3),
                mask=draw(st.sampled_from(["none", "future"])),
            )  # fmt: skip
        if attention is None or draw(st.booleans()):
            hidden = draw(st.integers(1, 3))
            feedforward = FeedForward(
                NAMES, NAMES[1:], matrix(hidden, 3), [row[0] for row in matrix(hidden, 1)], matrix(2, hidden),
                [row[0] for row in matrix(2, 1)],
            )  # fmt: skip
        layers.append(Layer(attention, feedforward))
    words = {token: {name: draw(small) for name in NAMES} for token in "xyz"[: draw(st.integers(1, 3))]}
    positions = {"c": draw(st.sampled_from(["i", "1/i", "i/n", "(-1)^i", "0"]))}
    embedding = Embedding(Space(NAMES), words=words, positions=positions, start=draw(st.sampled_from([1])))
    return Transformer("random", embedding, tuple(layers), Readout("sign", "last", NAMES, weights=[[1, -1, 1]]))


@settings(max_examples=60, derandomize=True, deadline=None)
@given(models(), st.integers(1, 3))
def test_random_models(model, n):
    compare(model, Words(model.alphabet, n))
