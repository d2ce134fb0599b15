"""Bits and formats against runs of every word, and against a float16 pass of its own that adds in any order."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from asked import induction, words

import symcook as sc
from symcook.questions.precision import precision


def right(name: str, word: Any) -> bool:
    """The language."""
    if name == "first":
        return word[0] == "1"
    if name == "parity":
        return word.count("1") % 2 == 1
    height = 0
    for token in word:
        height += 1 if token == "(" else -1
        if height < 0:
            return False
    return height == 0


@pytest.mark.parametrize(("name", "n"), [
    ("parity", 4), ("parity", 5),
    ("first", 4), ("first", 5), ("dyck-1", 6),
])  # fmt: skip
@pytest.mark.layer_two(every=2)
@pytest.mark.sweep
def test_bits_are_those_of_all_words(name: str, n: int) -> None:
    model = sc.build(name)
    row = precision(model, n, min_length=n, formats=()).row(n)
    every = list(words(model.alphabet, n))

    def wrong(bits: int) -> list[str]:
        return ["".join(w) for w in every if model.run(w, "mpmath", bits=bits).accept is not right(name, w)]

    enough = row["enough"]
    assert all(wrong(bits) == [] for bits in range(enough, enough + 3))
    failing = [bits for bits in range(1, enough) if wrong(bits)]
    assert row["fails"] == max(failing, default=None)
    if failing:
        assert row["word"] in wrong(row["fails"])


def test_an_induction_head() -> None:
    model = induction()
    row = precision(model, 4, min_length=4, formats=("float16",)).row(4)
    exact = {w: model.run(w).accept for w in words("01", 4)}
    assert all(model.run(w, "mpmath", bits=row["enough"]).accept is exact[w] for w in exact)
    assert model.run(row["word"], "mpmath", bits=row["fails"]).accept is not exact[tuple(row["word"])]


def float16_parity(word: Any, draw: random.Random) -> bool:
    """PARITY in numpy float16, every number rounded when it is stored and sums in any order."""
    n, f = len(word) + 1, np.float16

    def total(values: Any) -> Any:
        values = list(values)
        draw.shuffle(values)
        result = f(0)
        for value in values:
            result = f(result + f(value))
        return result

    ones = f(total([f(token == "1") for token in word]) / f(n))
    unit = f(f(1) / f(n))
    hit = []
    for i in range(n):
        place = f(i / n)
        terms = [
            max(f(0), total([ones, -place, -unit])),
            f(-2 * max(f(0), total([ones, -place]))),
            max(f(0), total([ones, -place, unit])),
        ]
        hit.append(total(terms))
    parts = []
    for sign in (-1, 1):
        weights = [f(np.exp(f(sign * (-1) ** i))) for i in range(n)]
        above = total([f(w * h) for w, h in zip(weights, hit, strict=True)])
        parts.append(f(-sign) * f(above / total(weights)))
    return bool(total(parts) > 0)


def test_what_is_guaranteed_in_float16_holds_in_any_order_of_sums() -> None:
    """To n = 7, and not at 8: test_carry_note.py."""
    answer = precision(sc.build("parity"), 7, min_length=7, formats=("float16",))
    assert answer.extra["formats"]["float16"]["guaranteed"] == 7
    draw = random.Random(3)
    for n in range(1, 8):
        for word in words("01", n):
            for _ in range(3):
                assert float16_parity(word, draw) is right("parity", word)


def share_above(least: str) -> sc.Transformer:
    """Accept iff more than that share of the symbols is 1."""
    words = {"1": {"one": 1, "unit": 1}, "0": {"unit": 1}}
    embedding = sc.Embedding(sc.Space(("one", "unit", "mean")), words=words)
    head = sc.Head(("one",), ("mean",), [[0]], [[0]], [[1]])
    readout = sc.Readout("sign", "last", ("mean", "unit"), weights=[[1, f"-({least})"]])
    return sc.Transformer("share", embedding, (sc.Layer(head),), readout)


@pytest.mark.sweep
def test_a_word_beyond_is_found_that_fails() -> None:
    """8 bits do not tell 5/9 from a little less; of the lengths 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18 the last is the
    first at which a word has such a share."""
    model = share_above("5/9 - 1/5000")
    found = precision(model, 2, formats=("bfloat16", "float64"), beyond=18).extra["formats"]
    assert found["float64"]["length"] is None
    found = found["bfloat16"]
    assert (found["guaranteed"], found["length"], found["first"]) == (2, 18, False)
    word = found["wrong"]
    assert (len(word), word.count("1")) == (18, 10)
    assert found["exact"] is True is not found["gives"]
    assert model.run(word, "mpmath", bits=8).accept is found["gives"]


@pytest.mark.sweep
def test_a_word_of_parity_beyond_is_found_that_fails() -> None:
    """With 8 bits, as in bfloat16, PARITY of 151 symbols goes wrong; numpy and mpmath say so when they run the word."""
    model = sc.build("parity")
    found = precision(model, 2, formats=("bfloat16",), beyond=151).extra["formats"]["bfloat16"]
    assert (found["guaranteed"], found["length"], found["first"]) == (1, 151, False)
    word = found["wrong"]
    assert len(word) == 151
    assert found["exact"] is right("parity", word) is not found["gives"]
    assert model.run(word, "mpmath", bits=8).accept is found["gives"]
    assert model.run(word, "ball").accept is found["exact"]


def test_the_empty_word_of_parity_has_no_bits_that_are_enough() -> None:
    """Its logit is 0, the threshold itself, and no rounding is sure to leave it there."""
    found = sc.build("parity").precision(1, min_length=0, formats=("float64",))
    assert found.row(0)["enough"] is None
    assert found.extra["formats"]["float64"]["guaranteed"] is None
    assert sc.build("parity").precision(1, formats=("float64",)).extra["formats"]["float64"]["guaranteed"] == 1


def test_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(sc.BadInput, match="did you mean float16"):
        sc.build("first").precision(3, formats=("float1",))
    with pytest.raises(sc.BadInput, match="smallest length"):
        sc.build("first").precision(3, min_length=4)
    monkeypatch.setattr("symcook.words.cells.MOST", 200)
    with pytest.raises(sc.BadInput, match="must form at most 200 groups with equal answers; given: 256 at length 8"):
        induction().margin(15)


def kept(bad: int, before: str | None = None, low: str = "1/4096") -> sc.Transformer:
    """Accepts iff (1 + e) - 1 > 0, where e is `low` for inputs of `bad` positions, else 1: float16 has no number
    1 + 1/4096, which it makes 1."""
    words: dict[str, dict[str, int]] = {token: {} for token in ("x", "y", before) if token is not None}
    space = sc.Space(("o", "e", "h"))
    embedding = sc.Embedding(space, words, positions={"o": 1, "e": f"if(n = {bad}, {low}, 1)"}, before=before)
    net = sc.FeedForward(("o", "e"), ("h",), [[1, 1]], [0], [[1]], [0])
    return sc.Transformer("kept", embedding, (sc.Layer(None, net),), sc.Readout("sign", "last", ("h", "o"), [[1, -1]]))


def test_what_is_guaranteed_holds_of_shorter_words_than_those_asked_about() -> None:
    """At n = 1 float16 decides otherwise; float32 has 24 bits."""
    for least in (1, 2, 3):
        formats = kept(1).precision(3, min_length=least).extra["formats"]
        assert formats["float16"] | {"gives": False, "exact": True} == formats["float16"]
        assert (formats["float16"]["guaranteed"], formats["float16"]["wrong"], formats["float16"]["length"]) == (
            None,
            "x",
            1,
        )
        assert (formats["float32"]["from"], formats["float32"]["guaranteed"]) == (1, 3)
    found = kept(2).precision(3, min_length=3)
    assert found.extra["formats"]["float16"]["guaranteed"] == 1
    assert (
        found.notes["float16"] == "answers guaranteed up to n = 1; for xx (n = 2) it answers reject instead of accept"
    )


def test_from_which_length_on_is_guaranteed_where_there_is_an_empty_word() -> None:
    """It is decided otherwise, and asked about with the least length 0 alone."""
    found = kept(1, "CLS").precision(2, formats=("float16",))
    assert found.extra["formats"]["float16"]["from"] == 1 and found.extra["formats"]["float16"]["guaranteed"] == 2
    assert found.notes["float16"] == "answers guaranteed from n = 1 to n = 2 (the maximum length)"
    found = kept(1, "CLS").precision(2, min_length=0, formats=("float16", "float32"))
    assert (
        found.notes["float16"]
        == "answers guaranteed at no length; for the empty string (n = 0) it answers reject instead of accept"
    )
    assert found.notes["float32"] == "answers guaranteed from n = 0 to n = 2 (the maximum length)"


def test_a_shorter_word_without_a_run_is_no_refusal_and_no_guarantee() -> None:
    """A softmax head at temperature n - 1 has none at n = 1."""
    head = sc.Head(("o",), ("h",), [[1]], [[1]], [[1]], weighting="softmax", temperature="n - 1")
    embedding = sc.Embedding(sc.Space(("o", "h")), {"x": {}}, positions={"o": 1})
    made = sc.Transformer("late", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("h",), [[1]]))
    with pytest.raises(sc.SymcookError):
        made.precision(2)
    found = made.precision(2, min_length=2, formats=("float64",))
    assert found.row(2)["enough"] is not None and found.extra["formats"]["float64"]["guaranteed"] is None
    assert found.notes["float64"] == "answers guaranteed at no length; no tested string up to n = 2 fails"


def test_two_unknown_numbers_are_not_called_equal() -> None:
    """In few bits a sum of 16 terms may be anything, and so may another one: neither surely wins as the first of equal
    ones, as labels or as keys. In 3 bits the sum of equal terms stops growing, and the wrong one is the greater."""
    names = (*(f"c{k}" for k in range(16)), "pos", "out")
    even, steep = ["55/1000"] * 16, ["785/1000"] + ["1/1000"] * 15
    letters = {"x": dict(zip(names, even, strict=False)), "y": dict(zip(names, steep, strict=False))}
    embedding = sc.Embedding(sc.Space(names), words=letters, positions={"pos": "i"})
    one, place = [[0] * 16 + [1, 0]], [[1] * 16 + [0, 0]]
    head = sc.Head(names, ("out",), one, place, one, mask="none", weighting="leftmost")
    readout = sc.Readout("sign", "last", ("out", "pos"), [[1, "-3/4"]])
    keys = sc.Transformer("keys", embedding, (sc.Layer(sc.SelfAttention((head,))),), readout)
    ones = sc.Embedding(sc.Space(names[:16]), words={"x": dict.fromkeys(names[:16], 1)})
    labels = sc.Readout("largest", "last", names[:16], [even, steep], ("p", "q"))
    scores = sc.Transformer("scores", ones, (), labels)
    for model, word in ((keys, "xy"), (scores, "x")):
        exact = model.run(word).result.answers
        row = model.precision(len(word), min_length=len(word), inputs=[word], formats=()).row(len(word))
        assert model.run(word, "mpmath", bits=3).result.answers != exact and row["fails"] == 3
        assert all(model.run(word, "mpmath", bits=b).result.answers == exact for b in range(row["enough"], 24))


@pytest.mark.sweep
def test_a_dense_model_is_tried_in_so_few_bits_that_a_product_may_be_anything() -> None:
    names = tuple(f"c{k}" for k in range(16))
    embedding = sc.Embedding(sc.Space(names), words={t: dict.fromkeys(names, x) for t, x in (("x", 1), ("y", -1))})
    hidden = sc.FeedForward(names, ("c0",), [[1] * 16] * 32, [["1/3"]] * 32, [[1] * 32], [[0]])
    readout = sc.Readout("sign", "last", ("c0", "c1"), [[1, -1]])
    model = sc.Transformer("seventeen", embedding, (sc.Layer(None, hidden),), readout)
    assert model.dense and isinstance(model.precision(1, formats=()).row(1)["enough"], int)


def test_equal_rows_of_attention_may_be_rounded_apart() -> None:
    """Softmax gives every position one mean, whose products are keys: equal ones, of which the leftmost counts. numpy
    computes all rows in one product of matrices, which may round its last rows in another way, as it does at n = 9."""
    names = ("a", "one", "place", "v1", "v2", "out")

    def row(**numbers: Any) -> list[Any]:
        return [numbers.get(name, 0) for name in names]

    embedding = sc.Embedding(sc.Space(names), words={"x": {"a": 1, "one": 1}}, positions={"place": "i"})
    values = [row(a=1, place="1/3"), row(place="1/7")]
    means = sc.Head(names, ("v1", "v2"), [row(a=1)], [row(a="1/3", place="1/5")], values, mask="none")
    keys, place = [row(v1="1/3", v2="-1/2")], [row(place=1)]
    first = sc.Head(names, ("out",), [row(one=1)], keys, place, mask="none", weighting="leftmost")
    readout = sc.Readout("sign", "last", ("out", "one"), [[-1, "3/2"]])
    model = sc.Transformer("rows", embedding, (sc.Layer(sc.SelfAttention((means,))), sc.Layer(first)), readout)
    found = model.precision(2, formats=("float64",))
    assert model.run("xx").accept is True
    assert isinstance(found.row(1)["enough"], int) and found.row(2)["enough"] is None
    assert found.extra["formats"]["float64"]["guaranteed"] == 1


def test_nothing_is_guaranteed_where_a_weight_of_0_meets_an_overflow() -> None:
    """The hidden unit of size 2^17 is beyond float16; its weight is 0, but in a product of matrices 0 times infinity is
    no number, as numpy shows."""
    space = sc.Space(("x", "one", "y"))
    embedding = sc.Embedding(space, words={"a": {"x": 1, "one": 1}, "b": {"x": -1, "one": 1}})
    network = sc.FeedForward(
        ("x", "one"), ("y",), W1=[[1, 0], [0, 2**9], [0, 1]], b1=[[0], [0], [0]], W2=[[1, 0, 0]], b2=[[0]]
    )
    wide = sc.FeedForward(("one",), ("one",), W1=[[2**8]], b1=[[0]], W2=[[1]], b2=[[0]])
    readout = sc.Readout("sign", "last", ("y",), weights=[[1]])
    layers = (sc.Layer(feedforward=wide), sc.Layer(feedforward=network))
    model = sc.Transformer("overflow", embedding, layers, readout)
    with np.errstate(all="ignore"):
        hidden = np.float16([[1, 0], [0, 2**9], [0, 1]]) @ np.float16([1, 257])
        assert np.isnan(np.float16([1, 0, 0]) @ hidden)
    formats = model.precision(2, formats=["float16", "float32"]).to_json()["formats"]
    assert formats["float16"]["guaranteed"] is None and formats["float32"]["guaranteed"] == 2
