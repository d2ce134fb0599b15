"""A model as a machine, symbol by symbol, against passes of `forward` over whole words, in every number system."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

import symcook as sc
from symcook.decode import generate
from symcook.domains import make_domain
from symcook.domains.batch import Batch
from symcook.domains.mp import Mp
from symcook.domains.rowwise import Memos
from symcook.errors import BadInput, NoRun, NotExact, SymcookError, Undecided
from symcook.forward import Result, forward
from symcook.machine import Machine, follower
from symcook.model.choices import shown_word

NUMBERS = ("exact", "ball", "mpmath", "float64", "float32", "float16")
ADDED = ((None, None), ("CLS", None), (None, "EOS"), ("BOS", "EOS"))
NAMES = ("a", "b", "c", "d")


def drawn(seed: int, mask: str | None = None, normed: bool = True) -> sc.Transformer:
    """Two layers with up to three heads of every kind, odd names, irrational numbers, temperatures in i, norms in every
    placement that may refuse, tokens in front and behind, and any readout."""
    draw = random.Random(seed)

    def entry() -> Any:
        return draw.choice([0, 0, 1, -1, 2, Fraction(1, 2), Fraction(-1, 3)] + ["sqrt(2)"] * (seed % 3 == 0))

    def rows(m: int, n: int) -> list[list[Any]]:
        return [[entry() for _ in range(n)] for _ in range(m)]

    def head() -> sc.Head:
        soft = draw.random() < 0.3
        temperature = draw.choice([1, "1/2", "1/(i + 1)", "i + 1"]) if soft else 1
        scored = draw.random() < 0.5
        score = rows(1, 4) if scored else [[0] * 4]
        weighting = "softmax" if soft else draw.choice(["average", "leftmost", "rightmost"])
        seen = mask or draw.choice(["future", "strict-future"])
        written = draw.sample(NAMES, draw.choice([1, 2]))
        values = rows(len(written), 4)
        return sc.Head(NAMES, tuple(written), score, rows(1, 4), values, seen, weighting, temperature)

    def network() -> sc.FeedForward:
        kind = draw.choice(["relu", "relu", "step"])
        return sc.FeedForward(NAMES, ("c", "d"), rows(2, 4), rows(2, 1), rows(2, 2), rows(2, 1), kind)

    def layer() -> sc.Layer:
        heads = tuple(head() for _ in range(draw.choice([1, 1, 2, 3])))
        block = sc.SelfAttention(heads)
        if not normed or draw.random() < 0.7:
            return sc.Layer(block, draw.choice([network(), None]))
        norm = sc.LayerNorm(NAMES, epsilon=draw.choice([0, "1/4"]), zero_variance=draw.choice(["refuse", "zero"]))
        return sc.Layer(block, network(), (norm,), (norm,), draw.choice(["pre", "post"]))

    before, after = draw.choice(ADDED)
    tokens: dict[str, Any] = {"é☃": {"a": 1}, "0": {"a": entry(), "b": 1}}
    tokens |= {one: {"c": 1, "d": entry()} for one in (before, after) if one}
    positions = draw.choice([{}, {"c": "1/(i + 1)"}, {"b": "(-1)^i"}])
    embedding = sc.Embedding(
        sc.Space(NAMES), words=tokens, positions=positions, start=draw.choice([0, 1]), before=before, after=after
    )
    position = draw.choice(["first", "last", "each", "all"])
    kind = draw.choice(["sign", "zero"] + ["value", "largest"] * (position != "all"))
    weights = {"sign": rows(1, 2), "largest": rows(3, 2)}.get(kind)
    labels = ("p", "q", "r") if kind == "largest" else ()
    return sc.Transformer(
        "drawn", embedding, tuple(layer() for _ in range(2)), sc.Readout(kind, position, ("c", "d"), weights, labels)
    )


def outcome(ask: Any) -> Result | tuple[str, str]:
    try:
        return ask()
    except SymcookError as error:
        return type(error).__name__, str(error)


def same(one: Any, other: Any, name: str, word: Any) -> None:
    """What a machine and a whole pass say of a word: answers, all that the readout shows, and refusals in words."""
    if isinstance(other, tuple) and other[0] == "Undecided":
        return  # symbol by symbol, equal positions are known as equal where a whole pass may not see it
    if not isinstance(other, Result) or not isinstance(one, Result):
        assert isinstance(one, tuple) and isinstance(other, tuple), word
        assert one == other or other[0] == "NotExact", word  # each says the first that it meets
        return
    assert one.verdicts == other.verdicts and one.accept == other.accept, word
    near = {"float64": 1e-12, "float32": 1e-5, "float16": 1e-2}.get(name)
    places = range(len(word)) if other.model.readout.position in ("each", "all") else [other.place]
    for place in places:
        with other.domain.context():
            found, wanted = one.values(place), other.values(place)
            for key, value in wanted.items():
                if name == "ball":
                    assert found[key].overlaps(value), word
                elif near is not None:
                    assert found[key] == pytest.approx(value, rel=near, abs=near), word
                else:
                    assert found[key] == value, word
    if name in ("float64", "mpmath"):
        assert one.reliable == other.reliable, word


def followed(model: sc.Transformer, name: str, longest: int) -> Iterator[tuple[Any, Any, Any]]:
    """Every word to a length (the empty one where it is one): the machine's answer and that of a whole pass."""
    machine = Machine(model, make_domain(name))
    states: dict[tuple[str, ...], Any] = {}
    for n in range(longest + 1):
        for word in itertools.product(model.alphabet, repeat=n):
            if n == 0 and not model.embedding.added:
                states[()] = machine.start()
                continue
            whole = outcome(partial(forward, model, model.tokens(word), make_domain(name)))
            if word and not hasattr(states[word[:-1]], "memory"):
                states[word] = states[word[:-1]]  # nothing goes on from there; a word without a run has none longer
                assert isinstance(whole, tuple)
                yield model.tokens(word), whole, whole
                continue
            go_on = partial(machine.advance, states[word[:-1]], word[-1]) if word else machine.start
            states[word] = outcome(go_on)
            found = states[word] if isinstance(states[word], tuple) else outcome(partial(machine.result, states[word]))
            yield model.tokens(word), found, whole


@pytest.mark.layer_one(0)
@pytest.mark.layer_two(*range(len(NUMBERS)))
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("seeds", [range(4), range(8, 16)])
def test_every_word_as_in_a_whole_pass(name: str, seeds: range) -> None:
    runs = refused = 0
    for seed in seeds:
        model = drawn(seed)
        for word, found, whole in followed(model, name, 4):
            runs, refused = runs + 1, refused + isinstance(whole, tuple)
            same(found, whole, name, (seed, *word)[1:])
    assert runs > 20 * len(seeds) and refused < runs


def test_a_word_without_a_run_stops_where_a_whole_pass_does() -> None:
    """A norm that refuses, and a temperature that is not positive at the third position."""
    norm = sc.LayerNorm(("a", "b"), epsilon=0, zero_variance="refuse")
    words_of = {"x": {"a": 1}, "y": {"a": 1, "b": 1}}
    readout = sc.Readout("sign", "last", ("a",), [[1]])
    head = sc.Head(("a",), ("b",), [[1]], [[1]], [[1]], "future", "softmax", "3 - i")
    block = sc.FeedForward(("a",), ("b",), [[1]], [0], [[0]], [0])
    for layer, word in ((sc.Layer(None, block, (), (norm,), "post"), "xxyx"), (sc.Layer(head), "xxx")):
        model = sc.Transformer("stops", sc.Embedding(sc.Space(("a", "b")), words=words_of), (layer,), readout)
        for name in ("exact", "ball", "float64", "mpmath"):
            machine = Machine(model, make_domain(name))
            state = machine.start()
            for k in range(1, len(word) + 1):
                try:
                    forward(model, tuple(word[:k]), make_domain(name))
                except (NoRun, NotExact) as error:
                    with pytest.raises(type(error)) as caught:
                        machine.step(state, word[k - 1])
                    assert str(caught.value) == str(error) and k == 3
                    break
                state, _ = machine.step(state, word[k - 1])
            else:
                raise AssertionError("the string has a run")


def test_what_cannot_be_followed_is_refused_with_one_sentence() -> None:
    def refused(model: sc.Transformer, domain: Any = None) -> str:
        with pytest.raises(BadInput) as caught:
            Machine(model, domain or make_domain("exact"))
        assert str(caught.value).count("\n") == 0
        return str(caught.value)

    for mask in ("none", "past", "strict-past"):
        assert f"mask {shown_word(mask)}" in refused(drawn(1, mask))
    model = drawn(1, normed=False)
    whole = replace(model, embedding=replace(model.embedding, positions={"c": "i/n"}))
    assert "position function of c is i/n" in refused(whole)
    head = sc.Head(("a",), ("b",), [[1]], [[1]], [[1]], "future", "softmax", "1/log(n + 1)")
    assert "n changes as the string grows" in refused(replace(model, layers=(sc.Layer(head),)))
    assert whole.unfollowed(length_known=True) is None and model.unfollowed() is None
    assert "use derive" in refused(model, make_domain("symbolic"))


def test_symbols_lengths_and_the_empty_word() -> None:
    model = replace(drawn(2, normed=False), max_length=4)
    embedding = replace(model.embedding, before=None, after=None, words={"x": {"a": 1}, "y": {}})
    machine = Machine(replace(model, embedding=embedding), make_domain("exact"))
    with pytest.raises(BadInput, match="at least one symbol"):
        machine.result(machine.start())
    with pytest.raises(BadInput, match="alphabet x y"):
        machine.advance(machine.start(), "z")
    state = machine.start()
    for symbol in "xyxy":
        state = machine.advance(state, symbol)
    with pytest.raises(BadInput, match="length at most 4"):
        machine.advance(state, "x")


def test_one_state_goes_on_in_many_ways() -> None:
    """A state is a value: what is run behind it does not change it."""
    model = drawn(5, normed=False)
    machine = Machine(model, make_domain("ball"))
    state = machine.advance(machine.start(), model.alphabet[0])
    first = [machine.step(state, token)[1] for token in model.alphabet]
    for token in reversed(model.alphabet):
        machine.advance(machine.advance(state, token), token)
    again = [machine.step(state, token)[1] for token in model.alphabet]
    for one, other in zip(first, again, strict=True):
        assert one.verdicts == other.verdicts
        assert all(one.values()[key].overlaps(other.values()[key]) for key in one.values())


def test_equal_positions_stay_equal_one_after_the_other() -> None:
    """Scores that are irrational and tie: the ball of a symbol is one object whenever it comes."""
    block = sc.FeedForward(("a",), ("b",), [[1]], ["sqrt(2)"], [["sqrt(3)"]], [0])
    look = sc.Head(("b",), ("c",), [[1]], [[1]], [[1]], "future", "average")
    embedding = sc.Embedding(sc.Space(("a", "b", "c")), words={"x": {"a": 1}, "y": {}})
    model = sc.Transformer(
        "tied", embedding, (sc.Layer(None, block), sc.Layer(look)), sc.Readout("sign", "last", ("c",), [[1]])
    )
    machine = Machine(model, make_domain("ball"))
    state = machine.start()
    for symbol in "xyxxy":
        state, found = machine.step(state, symbol)  # in balls that were made apart, a tie would stay open
        assert found.accept is True
    with pytest.raises(Undecided):
        apart = Machine(model, make_domain("ball"))
        state = apart.advance(apart.start(), "x")
        domain: Any = apart.domain
        domain._memo = Memos()
        domain._recalled.clear()
        apart.step(state, "x")


def test_rows_of_inputs() -> None:
    """Models over numbers, row by row."""
    for name in ("prefix-average", "predecessor", "predecessor-strict"):
        bound = sc.build(name).bind()
        inputs = bound.embedding.inputs or ()
        machine = Machine(bound, make_domain("exact"))
        state, rows = machine.start(), []
        for k in range(1, 5):
            rows.append({one: Fraction((-2) ** k, k) for one in inputs})
            state, result = machine.step(state, rows[-1])
            whole = forward(bound, bound.rows(rows), make_domain("exact"))
            assert result.values() == whole.values() and result.verdicts == whole.verdicts


# --- Batches ----------------------------------------------------------------------------------------------------------


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("seeds", [range(6), range(12, 24)])
def test_a_batch_follows_all_words_at_once(seeds: range) -> None:
    ran = 0
    for seed in seeds:
        model = drawn(3 * seed + 1, normed=False)
        machine = Machine(model, Batch())
        try:
            state = machine.start()
            for n in range(1, 4):
                state, result = machine.step(state, tuple(model.alphabet))
                check_batch(model, result, n)
                ran += 1
        except NotExact:
            continue
    assert ran > len(seeds)


def check_batch(model: sc.Transformer, result: Any, n: int) -> None:
    domain = result.domain
    for code, word in enumerate(itertools.product(model.alphabet, repeat=n)):
        whole = forward(model, model.tokens(word), make_domain("exact"))
        places = range(n + model.embedding.added) if model.readout.position in ("each", "all") else [whole.place]
        for place in places:
            if whole.verdicts is not None:
                assert domain.full(result.verdicts[place])[code] == whole.verdicts[place], (word, place)
            for name, value in whole.values(place).items():
                cell = result.columns()[name][place]
                assert domain.full(cell.numerators)[code] * Fraction(1, cell.denominator) == value, (word, name)


def test_some_symbols_at_a_place() -> None:
    model = sc.build("dyck-1")
    machine = Machine(model, Batch())
    state = machine.start()
    for options in (("(",), ("(", ")"), (")",)):
        state, result = machine.step(state, options)
    shown: Any = result
    assert shown.domain.full(shown.verdicts[-1]).tolist() == [False, False]
    with pytest.raises(BadInput, match="alphabet"):
        machine.advance(state, ("(", "x"))


def test_a_batch_keeps_the_readout_alone_behind_the_last_attention() -> None:
    """Softmax over all positions, asked at one: a narrowed pass does a row where a readout at each does all."""
    from symcook.domains.batch import Listed

    model = sc.build("first").bind()
    chosen = tuple(model.tokens("0" * k + "1" + "0" * (59 - k)) for k in (0, 30))
    begun = time.process_time()
    alone: Any = forward(model, Listed(chosen), Batch())
    short = time.process_time() - begun
    assert len(alone.domain.rows) == 1
    shown = replace(model, readout=replace(model.readout, position="each"))
    begun = time.process_time()
    whole: Any = forward(shown, Listed(chosen), Batch())
    long = time.process_time() - begun
    domain = alone.domain
    assert domain.full(alone.verdicts[0]).tolist() == domain.full(whole.verdicts[alone.place]).tolist()
    assert long > 5 * short


# --- What stands on it ------------------------------------------------------------------------------------------------


def test_a_follower_says_what_whole_passes_say() -> None:
    """In any order of words, for models that can be followed and for one that cannot."""
    for seed, mask in ((4, None), (7, None), (7, "none")):
        model = drawn(seed, mask, normed=False)
        follow = follower(model, make_domain("ball"))
        every = [word for n in range(1, 5) for word in itertools.product(model.alphabet, repeat=n)]
        for word in random.Random(seed).sample(every, 25):
            tokens = model.tokens(word)
            whole = outcome(partial(forward, model, tokens, make_domain("ball")))
            same(outcome(partial(follow, word)), whole, "ball", tokens)


class Counting(Mp):
    """mpmath numbers that count how many entries linear maps have made."""

    made = 0

    def linear(self, terms: Any, bias: Any) -> Any:
        found = super().linear(terms, bias)
        Counting.made += len(found)
        return found


def test_the_cost_of_a_symbol_does_not_grow_with_the_square() -> None:
    """Each step makes the entries of one position, whatever was seen."""
    model = drawn(1, normed=False)
    machine = Machine(model, Counting(64, simulates=True))
    state, costs = machine.start(), []
    for _ in range(30):
        before = Counting.made
        state = machine.advance(state, model.alphabet[0])
        costs.append(Counting.made - before)
    assert len(set(costs[1:])) == 1


def test_decoding_is_that_of_whole_prefixes_and_computes_each_position_once(monkeypatch: pytest.MonkeyPatch) -> None:
    space = sc.Space(("a", "b", "one", "mean"))
    tokens = {"BOS": {"one": 1}, "a": {"a": 1, "one": 1}, "b": {"b": 1, "one": 1}}
    head = sc.Head(("a", "b"), ("mean",), [[0, 0]], [[0, 0]], [[1, -1]], "future")
    readout = sc.Readout("distribution", "last", space.names, [[0, 1, 1, -2], [1, 0, "1/2", 2]], ("a", "b"))
    model = sc.Transformer("writes", sc.Embedding(space, words=tokens, before="BOS"), (sc.Layer(head),), readout)
    scores = replace(model, readout=replace(readout, kind="largest"))
    for domain in ("exact", "ball", "float64", "mpmath"):
        found = generate(model, limit=12, domain=domain)
        expected: list[str] = []
        for _ in range(12):
            expected.append(str(forward(scores, model.tokens(expected), make_domain(domain)).label(-1)))
        assert found.appended == tuple(expected)

    advanced, own = 0, Machine.advance

    def counted(machine: Machine, *given: Any) -> Any:
        nonlocal advanced
        advanced += 1
        return own(machine, *given)

    monkeypatch.setattr(Machine, "advance", counted)
    generate(model, limit=100)
    assert 90 <= advanced <= 100  # whole prefixes again would be 5050 positions


# --- What only some positions are asked for ---------------------------------------------------------------------------


def test_a_readout_that_looks_first_stays_without_an_answer() -> None:
    """What has no exact value at the first position has none for any longer word."""
    block = sc.FeedForward(("a",), ("b",), [[1]], [0], [[1]], [0], "gelu")
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {}})
    readout = sc.Readout("sign", "first", ("b",), [[1]])
    model = sc.Transformer("first", embedding, (sc.Layer(None, block),), readout)
    machine = Machine(model, make_domain("exact"))
    state = machine.start()
    for symbol in "xyy":
        state = machine.advance(state, symbol)
        with pytest.raises(NotExact, match="gelu"):
            machine.result(state)


def test_positions_that_nobody_asks_for_may_overflow() -> None:
    """A network that leaves the type of floats at a letter, of which a token behind the word knows nothing."""
    block = sc.FeedForward(("a",), ("b",), [[2]], [0], [[1]], [0])
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 60000}, "$": {"a": 1}}, after="$")
    readout = sc.Readout("sign", "last", ("b",), [[1]])
    model = sc.Transformer("behind", embedding, (sc.Layer(None, block),), readout)
    machine = Machine(model, make_domain("float16"))
    state = machine.start()
    for n in range(1, 4):
        state, result = machine.step(state, "x")
        assert result.values() == forward(model, model.tokens("x" * n), make_domain("float16")).values()


def test_what_cancels_between_positions_cancels_in_steps() -> None:
    """A letter fetched from the position before, and a linear map of it: their difference is a rational number."""
    names = ("a", "b", "c", "d", "e", "f")
    first = sc.FeedForward(("a",), ("b",), [["sqrt(2)"]], [1], [[1]], [0])
    second = sc.FeedForward(("b",), ("c",), [[2]], [1], [[1]], [0])
    fetch = sc.SelfAttention(
        tuple(
            sc.Head((one,), (other,), [[0]], [[0]], [[1]], "strict-future", "rightmost") for one, other in ("bd", "ce")
        )
    )
    test = sc.FeedForward(("d", "e"), ("f",), [[-2, 1]], [0], [[1]], [-1])
    layers = (sc.Layer(None, first), sc.Layer(None, second), sc.Layer(fetch, test))
    embedding = sc.Embedding(sc.Space(names), words={"x": {"a": 1}, "y": {"a": 2}})
    model = sc.Transformer("cancels", embedding, layers, sc.Readout("zero", "last", ("f",)))
    machine = Machine(model, make_domain("ball"))
    state, found = machine.step(machine.start(), "x")
    for n, symbol in enumerate("yxx", 2):
        state, found = machine.step(state, symbol)
        assert found.accept is True
        assert forward(model, model.tokens("xyxx"[:n]), make_domain("ball")).accept is True
