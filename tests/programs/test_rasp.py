"""RASP as Python objects: programs as users of tracr write them, against loops, and their texts."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from shared import words

import symcook as sc
from symcook.errors import BadInput
from symcook.programs import rasp
from symcook.programs.srasp_grammar import WORDS
from symcook.programs.srasp_reading import read_srasp
from symcook.spec.srasp import answers

EQ, LT, LEQ, TRUE = rasp.Comparison.EQ, rasp.Comparison.LT, rasp.Comparison.LEQ, rasp.Comparison.TRUE


def reverse() -> rasp.SOp:
    opposite = (rasp.length - rasp.indices).named("opposite")
    opposite = (opposite - 1).named("opposite_1")
    return rasp.Aggregate(rasp.Select(rasp.indices, opposite, EQ).named("reversing"), rasp.tokens).named("reverse")


def histogram() -> rasp.SOp:
    return rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, EQ).named("same")).named("hist")


def share_before(test: rasp.SOp) -> rasp.SOp:
    prevs = rasp.Select(rasp.indices, rasp.indices, LEQ)
    return rasp.numerical(rasp.Aggregate(prevs, rasp.numerical(test), default=0))


def shuffle_dyck(pairs: list[str]) -> rasp.SOp:
    """As tracr's library has it, in outline: a verdict about the whole word, at each position."""
    balances = [
        rasp.LinearSequenceMap(share_before(rasp.tokens == a), share_before(rasp.tokens == b), 1, -1) for a, b in pairs
    ]
    negative, zero = balances[0] < 0, balances[0] == 0
    for balance in balances[1:]:
        negative, zero = negative | (balance < 0), zero & (balance == 0)
    everywhere = rasp.Select(rasp.indices, rasp.indices, TRUE)
    some = rasp.Aggregate(everywhere, rasp.numerical(rasp.Map(lambda x: x, negative)), default=0).named("has_neg")
    last = rasp.Select(rasp.indices, rasp.length - 1, EQ)
    return rasp.Aggregate(last, zero).named("last_zero") & ~some


def sort(keys: rasp.SOp) -> rasp.SOp:
    smaller = rasp.Select(keys, keys, LT) | rasp.Select(keys, keys, EQ) & rasp.Select(rasp.indices, rasp.indices, LT)
    place = rasp.SelectorWidth(smaller).named("place")
    return rasp.Aggregate(rasp.Select(place, rasp.indices, EQ), rasp.tokens)


def shuffled(word: str, pairs: list[str]) -> bool:
    for a, b in pairs:
        sums = [word[:i].count(a) - word[:i].count(b) for i in range(len(word) + 1)]
        if min(sums) < 0 or sums[-1]:
            return False
    return True


def shares(word: str) -> list[Fraction]:
    return [Fraction(word[:i].count("a"), i) for i in range(1, len(word) + 1)]


CASES: dict[str, tuple[Callable[[], rasp.SOp], str, int, Callable[[str], list[Any]]]] = {
    "reverse": (reverse, "ab", 6, lambda w: list(w[::-1])),
    "histogram": (histogram, "abc", 5, lambda w: [w.count(a) for a in w]),
    "length": (lambda: rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, TRUE)), "ab", 5,
               lambda w: [len(w)] * len(w)),
    "sort by letters": (lambda: sort(rasp.tokens), "abc", 5, sorted),
    "sort": (lambda: sort(rasp.Map("abc".index, rasp.tokens)), "abc", 5, sorted),
    "shares": (lambda: share_before(rasp.tokens == "a"), "ab", 6, shares),
    "shuffle 1": (lambda: shuffle_dyck(["()"]), "()", 8, lambda w: [shuffled(w, ["()"])] * len(w)),
    "shuffle 2": (lambda: shuffle_dyck(["()", "[]"]), "()[]", 4, lambda w: [shuffled(w, ["()", "[]"])] * len(w)),
    "map by values": (lambda: rasp.Map(lambda a: 2 if a in "ab" else -1, rasp.tokens) * 3, "abc", 3,
                      lambda w: [6 if a in "ab" else -3 for a in w]),
    "map of numbers": (lambda: rasp.Map(lambda k: k % 2, rasp.Map(int, rasp.tokens)), "123", 3,
                       lambda w: [int(a) % 2 for a in w]),
    "map read off": (lambda: rasp.Map(lambda k: 2 * k + 1, rasp.indices), "ab", 4,
                     lambda w: [2 * i + 1 for i in range(len(w))]),
    "two at once": (lambda: rasp.SequenceMap(lambda a, b: a + b, rasp.indices, histogram()), "ab", 4,
                    lambda w: [i + w.count(a) for i, a in enumerate(w)]),
    "two letters": (lambda: rasp.SequenceMap(lambda a, b: a if a < b else b, rasp.tokens, reverse()), "ab", 4,
                    lambda w: [min(a, b) for a, b in zip(w, w[::-1], strict=True)]),
    "predicate": (lambda: rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, lambda k, q: k < q)), "abc", 4,
                  lambda w: [sum(b < a for b in w) for a in w]),
    "predicate of counts": (lambda: rasp.SelectorWidth(rasp.Select(histogram(), rasp.Map("abc".index, rasp.tokens),
                            lambda k, q: k > q)), "abc", 4,
                            lambda w: [sum(w.count(b) > "abc".index(a) for b in w) for a in w]),
    "shift": (lambda: rasp.Aggregate(rasp.Select(rasp.indices, rasp.indices - 1, EQ), rasp.tokens), "ab", 4,
              lambda w: ["?", *w[:-1]]),
    "rare": (lambda: histogram() <= 1, "abc", 5, lambda w: [w.count(a) <= 1 for a in w]),
    "half": (lambda: share_before(rasp.tokens == "a") / 2 > Fraction(1, 4), "ab", 6,
             lambda w: [x > Fraction(1, 2) for x in shares(w)]),
    "no one": (lambda: rasp.Aggregate(rasp.ConstantSelector(False), rasp.indices, 7), "ab", 3, lambda w: [7] * len(w)),
    "full": (lambda: rasp.Full("z"), "ab", 2, lambda w: ["z"] * len(w)),
}  # fmt: skip


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("name", CASES)
def test_a_program_of_objects_against_a_loop(name: str) -> None:
    make, letters, longest, wanted = CASES[name]
    sop = make()
    program = read_srasp(sop.source(letters))
    model = sc.compile("srasp", sop, alphabet=letters)
    assert model.program is not None and model.program.source == sop.source(letters)
    for word in words(min(longest, 4), letters):
        assert answers(program, word) == wanted(word), (sop.source(letters), word)
    assert model.check(wanted, longest).holds


@pytest.mark.parametrize("label", sorted({*WORDS, "out", "v1", "v2", "_x", "opp_idx-1", "x y", "é", ""}))
def test_a_name_that_is_none_in_a_text_is_left_out(label: str) -> None:
    """tracr's library calls its length "length", and what stands below it "opp_idx-1"."""
    whole = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, TRUE)).named(label)
    opposite = (whole - rasp.indices - 1).named(label)
    sop = rasp.Aggregate(rasp.Select(rasp.indices, opposite, EQ).named(label), rasp.tokens).named(label)
    assert sc.compile("srasp", sop, alphabet="ab").run("aab").outputs == ["b", "a", "a"]


def test_an_object_says_what_it_is() -> None:
    assert repr(histogram()) == "<SOp hist: selector_width>"
    assert repr(rasp.tokens) == "<SOp tokens>" and repr(rasp.tokens == "a") == "<SOp compare>"
    assert repr(rasp.Select(rasp.tokens, rasp.tokens, EQ)) == "<RaspSelector select>"
    with pytest.raises(BadInput, match=r"alphabet.*run"):
        rasp.tokens("ab")  # tracr evaluates a sequence that is called


def test_text_and_objects_say_the_same() -> None:
    text = 'x(i) = aggregate(select(indices, length - indices - 1, ==), tokens, "?")'
    sop = rasp.Aggregate(rasp.Select(rasp.indices, rasp.length - rasp.indices - 1, EQ), rasp.tokens, "?")
    one, two = sc.compile("srasp", text, alphabet="ab"), sc.compile("srasp", sop, alphabet="ab")
    assert one.layers == two.layers and one.embedding == two.embedding


@pytest.mark.parametrize("make, said", [
    (lambda: rasp.Map(lambda k: k % 2, rasp.indices), "at most 64 different numbers"),
    (lambda: rasp.indices * 1j, "exact number"),
    (lambda: rasp.tokens + 1, "a number"),
    (lambda: rasp.SelectorWidth(rasp.Select(histogram(), histogram(), LT)), "hist(i) and hist(i)"),
    (lambda: rasp.Map(lambda k: str(k), rasp.indices), "at most 64 different numbers"),
    (lambda: rasp.Select(rasp.tokens, rasp.tokens, EQ), "symcook.programs.rasp"),
    (lambda: rasp.indices / 0, "not 0"),
    (lambda: rasp.Aggregate(rasp.Select(rasp.indices, rasp.indices, LT), rasp.tokens, 0), "one type"),
])  # fmt: skip
def test_what_is_out_of_reach_gets_a_sentence(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        sc.compile("srasp", make(), alphabet="ab")
    assert said in str(caught.value)


@pytest.mark.sweep
def test_objects_need_an_alphabet_and_may_stand_deep() -> None:
    with pytest.raises(BadInput, match="alphabet"):
        sc.compile("srasp", histogram())
    deep: Any = rasp.indices
    for _ in range(10_000):
        deep = ~(deep == 1)
    with pytest.raises(BadInput, match="1000"):
        sc.compile("srasp", deep, alphabet="ab")


NUMERALS: dict[str, tuple[Any, list[str]]] = {
    "a product": (lambda: rasp.Map(lambda x: x * 2, rasp.tokens), ["1", "2", "3"]),
    "a sum of two": (lambda: rasp.SequenceMap(lambda x, y: x + y, rasp.tokens, rasp.tokens), ["1", "2"]),
    "a number": (lambda: rasp.Map(lambda x: x == 1, rasp.tokens), ["1", "2"]),
    "one of some": (lambda: rasp.Map(lambda x: x in (1, 2), rasp.tokens), ["1", "2"]),
    "a sum in a predicate": (
        lambda: rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, lambda k, q: k == q + 1)), ["1", "2"],
    ),
    "an order": (
        lambda: rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.GT)), ["9", "10"],
    ),
    "an order in a predicate": (
        lambda: rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, lambda k, q: k > q)), ["9", "10"],
    ),
    "an order in a function": (lambda: rasp.Map(lambda x: x < "5", rasp.tokens), ["9", "10"]),
}  # fmt: skip


@pytest.mark.parametrize("what", NUMERALS)
def test_arithmetic_on_letters_that_are_numbers_is_never_of_text(what: str) -> None:
    program, alphabet = NUMERALS[what]
    with pytest.raises(BadInput, match=r"to use a symbol as a number|letters that are numbers"):
        sc.compile("srasp", program(), alphabet=alphabet)


def test_the_number_of_a_letter_is_asked_for() -> None:
    doubled = sc.compile("srasp", rasp.Map(lambda x: int(x) * 2, rasp.tokens), alphabet=["1", "2", "30"])
    assert doubled.run(["1", "30", "2"]).outputs == [2, 60, 4]
    greater = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, lambda k, q: int(k) > int(q)))
    assert sc.compile("srasp", greater, alphabet=["9", "10"]).run(["9", "10"]).outputs == [1, 0]
    same = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.GT))
    assert sc.compile("srasp", same, alphabet=["09", "10"]).run(["09", "10"]).outputs == [1, 0]


def test_what_a_function_raises_at_a_value_is_a_sentence() -> None:
    """An empty selection of letters gives ?, for which the table has nothing."""
    after = rasp.Aggregate(rasp.Select(rasp.indices, rasp.indices + 1, rasp.Comparison.EQ), rasp.tokens)
    sentence = r"a value for every value of the sequences that it is applied to; given: KeyError \('\?'\) at \?"
    with pytest.raises(BadInput, match=sentence):
        sc.compile("srasp", rasp.Map(lambda x: {"a": 1, "b": 2}[x], after), alphabet="ab")
