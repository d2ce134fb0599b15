"""Representatives of all words of a length against every word by itself: how many each stands for, the smallest of
them, and what a model says of them, by whole passes of the exact domain."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from families import in_parts

import symcook as sc
from symcook.domains import rounding
from symcook.domains.exact import Exact
from symcook.errors import BadInput, NoRun, NotExact, Undecided
from symcook.export.guarantee import guarantee
from symcook.forward import forward
from symcook.words import Cover, Stand, every, rounded
from symcook.words.cells import Cells, Dependence, classes
from symcook.words.exact import ExactNumbers, Prefixes, mergeable, merged
from symcook.words.rounded import Hulls, streams

NAMES = ("a", "b", "c", "d")
ADDED = ((None, None), ("CLS", None), (None, "EOS"), ("BOS", "EOS"))


def drawn(seed: int, plain: bool = False) -> sc.Transformer:
    """Two layers of one to three heads, with Q unlike K, any mask, hard attention and norms that may refuse; or `plain`
    means of what stands before. Tokens in front and behind, relu and step, any readout, and odd names whose order is
    not that of the alphabet."""
    draw = random.Random(seed)

    def rows(m: int, n: int) -> list[list[Any]]:
        return [[draw.choice([0, 0, 1, -1, 2, Fraction(1, 2), Fraction(-1, 3)]) for _ in range(n)] for _ in range(m)]

    def head() -> sc.Head:
        writes = draw.sample(NAMES, draw.choice([1, 2]))
        if plain:
            mask, kind, scores = draw.choice(["future", "future", "strict-future"]), "average", ([[0] * 4], [[0] * 4])
        else:
            mask = draw.choice(["none", "none", "future", "past", "strict-past"])
            kind = draw.choice(["average", "average", "leftmost", "rightmost"])
            scores = (rows(1, 4), rows(1, 4)) if draw.random() < 0.4 else ([[0] * 4], [[0] * 4])
        return sc.Head(NAMES, tuple(writes), *scores, rows(len(writes), 4), mask, kind)

    def layer() -> sc.Layer:
        heads = sc.SelfAttention(tuple(head() for _ in range(draw.choice([1, 1, 2, 3]))))
        kind = draw.choice(["relu", "relu", "step"])
        network = sc.FeedForward(NAMES, ("c", "d"), rows(2, 4), rows(2, 1), rows(2, 2), rows(2, 1), kind)
        return sc.Layer(heads, draw.choice([network, None]))

    before, after = draw.choice(ADDED)
    tokens: dict[str, Any] = {"é☃": {"a": 1}, "0": {"a": draw.choice([0, 1, -2]), "b": 1}}
    tokens |= {one: {"c": 1, "d": 2} for one in (before, after) if one}
    positions = draw.choice([{}, {}, {"c": "1/(i + 1)"}, {"b": "(-1)^i"}] + [{"b": "i/n"}] * (not plain))
    embedding = sc.Embedding(
        sc.Space(NAMES), words=tokens, positions=positions, start=draw.choice([0, 1]), before=before, after=after
    )
    place = "last" if plain else draw.choice(["first", "last", "each", "all"])
    kind = draw.choice(["sign", "zero"] + ["value", "largest"] * (place != "all" and not plain))
    weights = {"sign": rows(1, 2), "largest": rows(3, 2)}.get(kind)
    labels = ("p", "q", "r") if kind == "largest" else ()
    readout = sc.Readout(kind, place, ("c", "d"), weights, labels)
    return sc.Transformer("drawn", embedding, tuple(layer() for _ in range(2)), readout)


def refusing(seed: int) -> sc.Transformer:
    """The same with a norm behind the first layer that may refuse: where all entries are alike, as here they all may be
    at some position of some words, as no token tells them apart but for the first two."""
    model = drawn(seed)
    norm = sc.LayerNorm(NAMES, epsilon=0, zero_variance="refuse")
    layer = sc.Layer(model.layers[0].attention, None, (norm,), (), "post")
    words: dict[str, Any] = {token: {} if k % 2 else {"a": 1} for k, token in enumerate(model.embedding.words or ())}
    readout = sc.Readout("zero", model.readout.position, ("c", "d"))
    return sc.Transformer("refusing", replace(model.embedding, words=words, positions={}), (layer,), readout)


def said(model: sc.Transformer, word: Any) -> Any:
    """What the readout shows where it looks; or that there is no run; None where values are not exact."""
    try:
        result = forward(model, model.tokens(word), Exact())
    except NoRun:
        return "no run"
    except NotExact:
        return None
    return [result.values(place) for place in result.places]


def lengths(model: sc.Transformer, most: int) -> range:
    return range(0 if model.embedding.added else 1, most + 1)


def whole(cover: Cover, alphabet: tuple[str, ...]) -> list[Stand]:
    """The representatives: words of the length, each once, that stand for all of them."""
    found = list(cover)
    assert all(type(words) is int and words > 0 and len(word) == cover.n for word, words in found)
    assert sum(words for _, words in found) == len(alphabet) ** cover.n
    assert len({word for word, _ in found}) == len(found) and cover.says
    return found


def test_every_word_once_in_order() -> None:
    assert ["".join(word) for word in every(("b", "a"), 2)] == ["bb", "ba", "ab", "aa"]
    assert list(every(("a",), 0)) == [()] and len(list(every("abc", 4))) == 81


@in_parts(5, "seed", range(50))
@pytest.mark.sweep
def test_one_word_for_all_of_a_class_by_counts(seed: int) -> None:
    """Each word, by the counts in the cells, has what its representative has, refusals too."""
    model = refusing(seed) if seed % 3 == 0 else drawn(seed)
    for n in lengths(model, 4):
        found = classes(n, model)
        stands, groups = whole(found, model.alphabet), {}
        for word in every(model.alphabet, n):
            key = tuple(tuple(sorted(Counter(word[place] for place in cell).items())) for cell in found.cells)
            groups.setdefault(key, []).append(word)
        assert sorted(stands) == sorted((group[0], len(group)) for group in groups.values())
        assert all(said(model, word) == said(model, group[0]) for group in groups.values() for word in group)


@pytest.mark.sweep
@pytest.mark.layer_two(0, 1, 2, 3)
@in_parts(10, "seed", range(100))
def test_one_state_for_all_prefixes_alike(seed: int) -> None:
    """A word of an entry has its values exactly; a state has the words that brute force finds in it, the first of which
    is the smallest: those whose running sums are alike, where no sum is kept by its ends."""
    model = drawn(seed, plain=True)
    embedding = replace(model.embedding, positions={"b": "i/n"}) if seed % 4 == 1 else model.embedding
    model = sc.Transformer(model.name, embedding, tuple(map(looking_back, model.layers)), model.readout)
    assert mergeable(model)
    levels = list(merged(model, lengths(model, 5)))
    assert [level.n for level in levels] == list(lengths(model, 5))
    assert [level.n for level in merged(model, range(2, 4))] == [2, 3]
    for level in levels:
        stands = whole(level, model.alphabet)
        values: dict[Any, list[Any]] = {}
        for word in every(model.alphabet, level.n):
            shown = said(model, word)
            values.setdefault(tuple(shown[0].values()), []).append(word)
        for entry in range(len(level.origin)):
            word = level.word(entry)
            columns = level.result.columns()
            assert [Fraction(str(column.values[entry])) for column in columns.values()] == list(
                said(model, word)[0].values()
            )
        if last_sums(level) != 1:  # states are exact: no more of them than answers need, each with all of its words
            by_answer: Counter[Any] = Counter()
            for word, words in stands:
                by_answer[tuple(said(model, word)[0].values())] += words
            assert by_answer == {key: len(group) for key, group in values.items()}
            assert {min(group, key=order(model)) for group in values.values()} <= {word for word, _ in stands}


def order(model: sc.Transformer) -> Any:
    return lambda word: [model.alphabet.index(token) for token in word]


def looking_back(layer: sc.Layer) -> sc.Layer:
    assert layer.attention is not None
    heads = [sc.Head(h.reads, h.writes, h.Q, h.K, h.V, "future") for h in layer.attention.heads]
    return sc.Layer(sc.SelfAttention(tuple(heads)), layer.feedforward)


def last_sums(level: Any) -> int:
    numbers = level.result.domain.numbers
    return len(set(range(len(numbers.sums))) - numbers.fed)


@in_parts(5, "seed", range(50))
@pytest.mark.sweep
def test_words_of_a_class_come_out_alike_in_every_runtime(seed: int) -> None:
    """With bits: what any arithmetic of the error model may make of a word is the same set for all words of its class,
    but for the last bits of balls, which is where sums were taken in another order."""
    model, bits = drawn(seed), {"float32": 24, "bfloat16": 8}
    for dtype, many in bits.items():
        for n in lengths(model, 3):
            found, groups = classes(n, model, bits=many), {}
            for word in every(model.alphabet, n):
                key = tuple(tuple(sorted(Counter(word[place] for place in cell).items())) for cell in found.cells)
                groups.setdefault(key, []).append(word)
            for group in groups.values():
                sets = [ends(model, word, dtype) for word in group]
                assert all(near(one, sets[0]) for one in sets), (dtype, group)


def ends(model: sc.Transformer, word: Any, dtype: str) -> Any:
    """The sets of what is watched, at each place; None where a choice stays open."""
    domain = rounding.domain(dtype)
    try:
        result = forward(model, model.tokens(word), domain)
    except (Undecided, BadInput):
        return None
    with domain.context():
        return [rounding.ends(column[place]) for column in result.columns().values() for place in result.places]


def near(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    pairs = zip(itertools.chain(*one), itertools.chain(*other), strict=True)
    return all(a == b or abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-12 for a, b in pairs)


def test_how_fine_the_classes_are() -> None:
    """Counts of symbols decide, in every type too, whatever the weights before the mean; what is added up of several
    weights at one position is one number of the type or is not, which changes nothing of that."""
    parity = sc.build("parity").bind()
    words = {"x": {"a": 1}, "y": {"a": 3}}
    embedding = sc.Embedding(sc.Space(("a", "b", "c")), words=words)
    head = sc.Head(("b",), ("c",), [[0]], [[0]], [[1]], "none")
    for scale in ("1/2", "1/3", "2049/2048"):
        network = sc.FeedForward(("a",), ("b",), [[scale], [scale]], [0, 0], [[1, 1]], [0])
        layers = (sc.Layer(None, network), sc.Layer(head))
        model = sc.Transformer("scaled", embedding, layers, sc.Readout("sign", "last", ("c",), [[1]]))
        for n in (2, 5):
            for one in (parity, model):
                assert classes(n, one).many == n + 1 == classes(n, one, bits=24).many == classes(n, one, bits=8).many


@in_parts(5, "seed", range(50))
@pytest.mark.sweep
def test_states_in_the_error_model_hold_all_their_words(seed: int) -> None:
    model = drawn(seed, plain=True)
    if not streams(model):
        return
    for n, level in zip(lengths(model, 4), Prefixes(model, Hulls(model, "float32")).levels(), strict=False):
        assert level.n == n
        shown = level.result.columns()
        for entry, (smallest, _) in enumerate(whole(level, model.alphabet)):
            for word in (smallest, level.word(entry)):
                for name, value in said(model, word)[0].items():
                    low, high = (float(end[entry % len(end)]) for end in (shown[name].low, shown[name].high))
                    assert low <= value <= high


def test_many_words_are_counted_exactly() -> None:
    """2^100 words in 149 states: no count overflows."""
    model = sc.build("dyck-1").bind()
    for numbers in (ExactNumbers(), Hulls(model, "float64")):
        level = next(itertools.islice(Prefixes(model, numbers).levels(), 69, None))
        assert sum(words for _, words in level) == 2**70 and level.n == 70
    found = classes(100, sc.build("parity").bind())
    assert sum(words for _, words in found) == 2**100 and found.many == 101


def test_only_means_of_what_stands_before_are_merged_by_prefixes() -> None:
    """A tie of the greatest scores of different keys is broken by which came last: running sums do not know it."""
    for weighting in ("leftmost", "rightmost", "average"):
        head = sc.Head(("a", "b"), ("c",), [[1, 0]], [[0, 1]], [[1, 1]], "future", weighting)
        embedding = sc.Embedding(sc.Space(("a", "b", "c")), words={"x": {"a": 1}, "y": {"a": 1, "b": 1}, "z": {"b": 1}})
        model = sc.Transformer("ties", embedding, (sc.Layer(head),), sc.Readout("zero", "last", ("c",)))
        assert not mergeable(model) and not streams(model)
        for n in (1, 2, 3, 4):
            assert len(whole(classes(n, model), model.alphabet)) >= 3
    assert classes(3, sc.build("induction-most-recent").bind()).many == 4**3


def seen_at_the_end(mask: str, weighting: str, values: list[int]) -> Fraction:
    """What the last position gets of these values by a head whose scores are all alike."""
    seen = values[-1:] if mask == "past" else [] if mask == "strict-past" else values
    seen = seen[:-1] if mask == "strict-future" else seen
    if not seen or weighting in ("leftmost", "rightmost"):
        return Fraction([*seen, 0][0] if weighting == "leftmost" else [0, *seen][-1])
    return Fraction(sum(seen), len(seen))


@pytest.mark.parametrize("weighting", ["leftmost", "rightmost", "average", "softmax"])
@pytest.mark.parametrize("mask", ["none", "future", "strict-future", "past", "strict-past"])
def test_heads_whose_scores_are_all_alike(weighting: str, mask: Any) -> None:
    """The first or the last of what is seen is no mean of it, and the mean of what stands behind no running sum. Either
    way each word has its own answer in what stands for it, and a guarantee holds the logit of all."""
    head = sc.Head(("a",), ("b",), [[0]], [[0]], [[1]], mask, weighting)
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {"a": -3}})
    model = sc.Transformer("alike", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("b",), [[1]]))
    mean = weighting in ("average", "softmax")
    assert mergeable(model) == (mean and mask == "future")
    assert streams(model) == (mean and mask in ("future", "strict-future"))
    found = guarantee(model, "float64", 4)
    for each in (*found["lengths"], *found["open"]):
        low, high = map(float, each["outputs"]["logit"])
        words = list(every(model.alphabet, each["length"])) if "input" not in each else [each["input"]]
        logits = [float(seen_at_the_end(mask, weighting, ["xy".index(t) * -4 + 1 for t in word])) for word in words]
        assert low <= min(logits) and max(logits) <= high
        assert min(logits) - low < 1e-9 and high - max(logits) < 1e-9


def test_constants_beside_tokens_keep_values_by_token() -> None:
    """The difference of two equal functions of a token and of what is one number everywhere is zero for each token, so
    that one run decides all words; of what a position says it is known by its ends alone."""
    for place, one in (("3", True), ("i", False)):
        names = ("t", "c", "o", "m")
        embedding = sc.Embedding(
            sc.Space(names), words={"x": {"t": 1}, "y": {"t": 2}}, positions={"c": place, "o": "1/2"}
        )
        network = sc.FeedForward(("t", "c"), ("o",), [[1, 1], [1, 1]], [0, 0], [[1, -1]], [0], "gelu")
        mean = sc.Head(("o",), ("m",), [[0]], [[0]], [[1]])
        readout = sc.Readout("sign", "last", ("m",), [[1]])
        model = sc.Transformer("constant", embedding, (sc.Layer(None, network), sc.Layer(mean)), readout)
        found = guarantee(model, "float64", 3)
        assert found["length"] == 3
        assert (found["lengths"][1]["runs"] == 1) == one
        assert (found["method"] == "any token at each position, from length 1") == one


def test_words_that_two_models_do_not_tell_apart() -> None:
    """Cells of both: of one that looks at the first symbol alone, and one that counts."""
    first, parity = sc.build("first").bind(), sc.build("parity").bind()
    found = classes(4, first, parity)
    assert found.cells == ((0,), (1, 2, 3)) and classes(4, first).cells == ((0,),)
    assert whole(found, ("0", "1"))[-1] == (("1", "1", "1", "1"), 1)


def test_the_empty_word_and_words_of_one_symbol() -> None:
    assert list(Cells(("a",), 3, ((0, 1, 2),))) == [(("a", "a", "a"), 1)]
    assert list(Cells(("a", "b"), 0, ())) == [((), 1)] == list(classes(0, sc.build("parity").bind()))
    assert list(Cells(("a", "b"), 2, ())) == [(("a", "a"), 4)]
    with pytest.raises(BadInput, match="at most 20,000"):
        list(Cells(("a", "b"), 20, tuple((place,) for place in range(20))))


@pytest.mark.parametrize("level", range(len(rounded.LEVELS)))
def test_boxes_are_the_words_of_their_cells(level: int) -> None:
    model = sc.build("parity").bind()
    for n in (1, 2, 5):
        stands = whole(rounded.cells(model, n, level, 24), ("0", "1"))
        found = list(rounded.boxes(model, n, level, 24))
        assert [("CLS", *word) for word, _ in stands] == [box.word for box in found]
        assert all(box.fixed[0] == "CLS" for box in found)


def test_numbers_that_no_runtime_holds_keep_words_apart() -> None:
    """x has the sum 1, y the sum 3/3, by a weight 1/3 that is rounded: one for exact numbers, two for a runtime; 2/2 by
    the weight 1/2 is 1 for both."""
    for weight, one in ((Fraction(1, 3), False), (Fraction(1, 2), True)):
        words: dict[str, Any] = {"x": {"a": 1}, "y": {"b": 1 / weight}}
        network = sc.FeedForward(("a", "b"), ("c",), [[1, weight]], [[0]], [[1]], [[0]])
        embedding = sc.Embedding(sc.Space(("a", "b", "c")), words=words)
        model = sc.Transformer(
            "third", embedding, (sc.Layer(None, network),), sc.Readout("sign", "last", ("c",), [[1]])
        )
        assert classes(2, model).many == 1
        assert (classes(2, model, bits=24).many == 1) == one


def test_a_position_that_sees_nothing_has_zero() -> None:
    """Behind a strict mask the first position takes no part in the mean: there it is 0, and -1 at all others, as every
    token says. So what a relu makes of token and mean depends on the token there alone in another way."""
    space = sc.Space(("t", "s", "m", "r", "out"))
    words: dict[str, Any] = {"x": {"t": 1, "s": -1}, "y": {"t": 2, "s": -1}}
    mean = sc.Head(("s",), ("m",), [[0]], [[0]], [[1]], "strict-future")
    network = sc.FeedForward(("t", "m"), ("r",), [[1, 2]], [[0]], [[1]], [[0]])
    total = sc.Head(("r",), ("out",), [[0]], [[0]], [[1]], "none")
    for start in (None, "CLS"):
        more: dict[str, Any] = {} if start is None else {start: {"t": 1, "s": -1}}
        embedding = sc.Embedding(space, words=words | more, before=start)
        layers = (sc.Layer(sc.SelfAttention((mean,)), network), sc.Layer(sc.SelfAttention((total,)), None))
        model = sc.Transformer("strict", embedding, layers, sc.Readout("value", "last", ("out",)))
        for bits in (None, 24):
            found = list(classes(3, model, bits=bits))
            shown = {said(model, stand.word)[0]["out"] for stand in found}
            every_word = [said(model, word)[0]["out"] for word in every(model.alphabet, 3)]
            assert shown == set(every_word)
            for value in shown:
                here = [stand.words for stand in found if said(model, stand.word)[0]["out"] == value]
                assert sum(here) == every_word.count(value)


def test_words_of_a_level_stay_those_of_that_level() -> None:
    """Though the states went on to greater lengths: a word is made of the positions before it."""
    model = drawn(3, plain=True)
    levels = list(itertools.islice(Prefixes(model, Hulls(model, "float32")).levels(), 5))
    for level in levels:
        for entry in range(0, len(level.origin), 3):
            assert len(level.word(entry)) == level.n
        assert all(len(stand.word) == level.n for stand in level)


def test_sums_that_hold_in_few_bits_hold_in_every_order() -> None:
    """Every partial sum of what is said to hold is a number of so many bits, and so is what is added; integers, halves
    and quarters of a small sum are said to hold."""
    r = random.Random(7)

    def fits(x: Fraction, bits: int) -> bool:
        top = abs(x.numerator)
        while top and top % 2 == 0:
            top //= 2
        return x.denominator & (x.denominator - 1) == 0 and top < 2**bits

    seen = set()
    for _ in range(3000):
        bits = r.choice([2, 3, 5])
        below = r.choice([[1], [1], [1, 2], [1, 2, 4, 8], [1, 3]])
        numbers = [Fraction(r.randint(-9, 9), r.choice(below)) for _ in range(r.choice([1, 2, 3, 4]))]
        said = Dependence(("x",), bits)._holds(numbers)
        subsets = itertools.product((0, 1), repeat=len(numbers))
        sums = [sum((x for x, one in zip(numbers, chosen, strict=True) if one), Fraction(0)) for chosen in subsets]
        assert not said or all(fits(x, bits) for x in (*sums, *numbers)), (numbers, bits)
        common = max(x.denominator for x in numbers)
        small = all(fits(x, bits) for x in numbers) and sum(map(abs, numbers)) * common <= 2**bits
        assert said or not small, (numbers, bits)
        seen.add((said, small))
    assert seen == {(True, True), (False, False)}
    assert Dependence(("x",))._holds([Fraction(1, 3), Fraction(10**9)])  # exact numbers all hold


@pytest.mark.parametrize(("kind", "one"), [("relu", True), ("step", True), ("gelu", False), ("gelu-tanh", False)])
def test_what_an_activation_makes_of_one(kind: str, one: bool) -> None:
    """x is that, y is 1, and z what it makes of 0: tokens are taken together where these are equal."""
    words: dict[str, Any] = {"x": {"a": 1}, "y": {"b": 1}, "z": {}}
    network = sc.FeedForward(("a",), ("c",), [[1]], [[0]], [[1]], [[0]], kind)
    copy = sc.FeedForward(("b",), ("c",), [[1]], [[0]], [[1]], [[0]])
    embedding = sc.Embedding(sc.Space(("a", "b", "c")), words=words)
    layers = (sc.Layer(None, network), sc.Layer(None, copy))
    model = sc.Transformer("one", embedding, layers, sc.Readout("value", "last", ("c",)))
    assert classes(1, model).many == 3  # whatever the position depends on, it takes each token
    words = {"x": {"a": 1}, "y": {"b": 1}}
    model = replace(model, embedding=sc.Embedding(sc.Space(("a", "b", "c")), words=words))
    assert list(classes(1, model)) == ([Stand(("x",), 2)] if one else [Stand(("x",), 1), Stand(("y",), 1)])


def test_sums_of_squares_that_need_more_bits_keep_tokens_apart() -> None:
    """25 + 25 + 1 + 1 and 16 + 16 + 9 + 9 + 1 + 1 are 52, so that what both norms make of the last two entries is the
    same; with numbers of 5 bits the two sums may come out differently."""
    names = ("a", "b", "c", "d", "e", "f")
    rows = {"x": (5, -5, 0, 0, 1, -1), "y": (4, -4, 3, -3, 1, -1)}
    words: dict[str, Any] = {token: dict(zip(names, row, strict=True)) for token, row in rows.items()}
    norm = sc.LayerNorm(names, epsilon=1)
    embedding = sc.Embedding(sc.Space(names), words=words)
    readout = sc.Readout("value", "last", ("e",))
    model = sc.Transformer("squares", embedding, (), readout, final_norm=norm)
    assert [classes(1, model, bits=bits).cells for bits in (None, 24, 5)] == [(), (), ((0,),)]


def test_a_gelu_of_one_is_less_than_one() -> None:
    """0.84: what 9/10 and 19/20 are above it differs, though both are below 1."""
    words: dict[str, Any] = {"x": {"a": 1, "b": "9/10"}, "y": {"a": 1, "b": "19/20"}}
    network = sc.FeedForward(("a",), ("c",), [[1]], [[0]], [[1]], [[0]], "gelu")
    above = sc.FeedForward(("b", "c"), ("d",), [[1, -1]], [[0]], [[1]], [[0]])
    embedding = sc.Embedding(sc.Space(("a", "b", "c", "d")), words=words)
    layers = (sc.Layer(None, network), sc.Layer(None, above))
    model = sc.Transformer("above", embedding, layers, sc.Readout("value", "last", ("d",)))
    assert list(classes(1, model)) == [Stand(("x",), 1), Stand(("y",), 1)]
