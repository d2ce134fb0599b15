"""Boxes of words: every word lies in one, and what it gives lies in the sets of its box."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
import trained
from families import together
from test_export import EVERYTHING, SPACE, WORDS, a_head, a_network

from symcook.domains import make_domain, rounding
from symcook.errors import Undecided
from symcook.export import archive
from symcook.export.guarantee import _Guarantee, guarantee
from symcook.forward import forward
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Head, Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.recipes import build
from symcook.words.rounded import CLASSES, LEVELS, Box, Boxed, boxes, cells

TYPED = {"x": {"a": 1, "b": "1/3"}, "y": {"a": -1, "c": 1}, "z": {"a": "1/7"}}


def plain(mask: str, weighting: str, **ends: Any) -> Transformer:
    """Averages over everything, of what the token says and of what a network makes of it, then attention by score."""
    mean = Head(("a", "b"), ("c", "b"), [[0, 0]], [[1, 1]], [[1, 2], [0, "1/3"]], mask, weighting)
    layers = (Layer(None, a_network("relu")), Layer(SelfAttention((mean, a_head(mask="none", weighting="softmax")))))
    words = TYPED | {token: {"c": 2} for token in ends.values()}
    embedding = Embedding(SPACE, words=words, positions={"b": "i/n"} if mask == "past" else {}, **ends)
    return Transformer(
        "plain", embedding, (*layers, Layer(mean, a_network("step"))), Readout("value", "each", SPACE.names)
    )


MODELS = {
    **{f"{mask} {kind}": plain(mask, kind) for mask in ("none", "future", "past") for kind in ("average", "softmax")},
    "around": plain("none", "average", before="CLS", after="EOS"),
    "leftmost": plain("none", "leftmost", before="CLS"),
    **{what: EVERYTHING[what] for what in ("none softmax", "past softmax", "post", "multi pre", "gelu", "pre")},
}


def words_of(model: Transformer, box: Box) -> set[tuple[str, ...]]:
    """The words of a box, by its definition."""
    found = set()
    for typed in product(model.alphabet, repeat=len(box.fixed) - model.embedding.added):
        word = model.embedding.surround(typed)
        free = [token for token, fixed in zip(word, box.fixed, strict=True) if fixed is None]
        if all(fixed in (None, token) for token, fixed in zip(word, box.fixed, strict=True)) and (
            not box.counted or Counter(free) == Counter(box.word[place] for place in box.free)
        ):
            found.add(tuple(word))
    return found


@together("level", [k for k in range(len(LEVELS)) if k != CLASSES])
@together("what", ["none average", "around"])
def test_the_boxes_of_a_length_are_all_words_once(what: str, level: int) -> None:
    model = MODELS[what]
    n = 3 + model.embedding.added
    parts = [words_of(model, box) for box in boxes(model, n, level, 24)]
    assert [len(part) for part in parts] == [words for _, words in cells(model, n, level, 24)]
    assert sum(map(len, parts)) == 27 == len(set().union(*parts)) and len(parts) == cells(model, n, level, 24).many
    assert all(min(part) == box.word for box, part in zip(boxes(model, n, level, 24), parts, strict=True))


@pytest.mark.layer_one(1, 10)
@pytest.mark.parametrize("what", MODELS)
def test_every_word_lies_in_the_sets_of_its_box(what: str) -> None:
    model = MODELS[what]
    n = 3 + model.embedding.added
    m = archive.arrays(model, "float32", n)
    number = {token: k for k, token in enumerate(model.embedding.words or WORDS)}
    checked = 0
    for level in range(len(LEVELS)):
        for box in boxes(model, n, level, 24):
            domain = rounding.domain("float32", Boxed)
            domain.box = box
            try:
                result = forward(model, box.fixed, domain, trace=True, weights=False)
            except Undecided:
                continue
            with domain.context():
                ends = np.array([[rounding.ends(x) for x in result.stream[name]] for name in model.space])
            words = sorted(words_of(model, box))
            z = archive.evaluate(m, archive.embed(m, np.array([[number[t] for t in word] for word in words])))
            for word, found in zip(words, z, strict=True):
                low, high = ends[..., 0].T, ends[..., 1].T
                assert ((low <= found) & (found <= high)).all(), (box, word)
                checked += 1
    assert checked >= len(model.alphabet) ** 3


def test_words_with_the_same_counts_are_as_sharp_as_one() -> None:
    """PARITY: what a box of words with k ones may give is no wider than what one word of it may."""
    model = build("parity").bind()
    box = list(boxes(model, 7, 2, 53))[2]
    widths = []
    for one in (box, Box(box.word, model.alphabet)):
        domain = rounding.domain("float64", Boxed)
        domain.box = one
        with domain.context():
            low, high = rounding.ends(forward(model, one.fixed, domain).values()["logit"])
        widths.append(high - low)
    assert 0 < widths[0] <= 2 * widths[1] < 1e-12


@pytest.mark.layer_one(2)
@pytest.mark.parametrize(("name", "n"), [("parity-layernorm", 7), ("first-layernorm", 7), ("first-flawed", 6)])
def test_classes_say_what_every_word_by_itself_says(name: str, n: int) -> None:
    """Fewer runs, and the same enclosures of outputs and the same margin as from all words of the length."""
    model = build(name).bind()
    found = []
    for level in (CLASSES, len(LEVELS) - 1):
        at = _Guarantee(model, "float64", n, None)
        at.one_length(n, 1, level, at.cover(n, level))
        found.append((at.runs, at.lengths[0].margin, at.lengths[0].outputs["logit"]))
    (fewer, margin, ends), (every, least, hull) = found
    assert fewer < every == 2 ** (n - model.embedding.added)
    assert margin == pytest.approx(least, rel=1e-12) and ends == pytest.approx(hull, rel=1e-12)


def test_words_that_a_runtime_tells_apart_are_no_class() -> None:
    """dyck-1-nonuniform looks at every prefix: no word stands for another."""
    model = build("dyck-1-nonuniform").bind()
    assert cells(model, 4, CLASSES, 53).many == 16


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "dtype", "right"), [
    ("parity-layernorm", "float32", lambda word: word.count("1") % 2 == 1),
    ("first-layernorm", "float16", lambda word: word[0] == "1"),
])  # fmt: skip
def test_guarantees_by_classes_hold_in_real_runs(name: str, dtype: str, right: Callable[[str], bool]) -> None:
    """At lengths that no list of all words reaches: numpy's answers to shuffled words of every count."""
    model, rng, n = build(name).bind(), random.Random(0), 20
    assert guarantee(model, dtype, 12)["ranges"] == [[2, 12]]
    m = archive.arrays(model, dtype, n)
    number = {token: k for k, token in enumerate(model.embedding.words or ())}
    for length in (11, n - 1):  # typed symbols; 12 and 20 with CLS
        typed = ["".join(rng.sample("1" * k + "0" * (length - k), length)) for k in range(length + 1)]
        words = [model.embedding.surround(tuple(word)) for word in typed]
        z = archive.evaluate(m, archive.embed(m, np.array([[number[t] for t in word] for word in words])))
        assert archive.verdicts(m, z).tolist() == list(map(right, typed))


@together("first", [False, True])
def test_a_string_of_a_dense_model_is_run_by_products_of_matrices(first: bool) -> None:
    """Its sets overlap those of the pass by coordinates, and have the numbers of numpy."""
    model, word = trained.trained(7, layers=1), tuple("abcab")
    box = Box(word, model.alphabet)
    ends = _Guarantee(model, "float64", 5, None, first).run(box)[1]
    domain = rounding.domain("float64", Boxed, first)
    domain.box = box
    coordinates = forward(model, word, domain).columns()
    floats = forward(model, word, make_domain("float64")).columns()
    for name, (low, high) in ends.items():
        assert len(low) == 5 and (low <= floats[name]).all() and (floats[name] <= high).all()
        for place, x in enumerate(coordinates[name]):
            at_low, at_high = rounding.ends(x)
            assert at_low <= high[place] and low[place] <= at_high
