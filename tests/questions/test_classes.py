"""Words that are said to have one answer have one: in the plain forward pass, and under rounding."""

from __future__ import annotations

from collections import Counter
from typing import Any

import dense
import pytest
from asked import induction, words
from flint import arb, fmpq
from hypothesis import given, settings
from test_crosscheck import QUICK, models

import symcook as sc
from symcook.domains.mp import Mp
from symcook.domains.rounding import Format, Rounding
from symcook.errors import BadInput, Undecided
from symcook.forward import forward
from symcook.words.cells import classes


def grouped(model: sc.Transformer, n: int, bits: int | None = None) -> list[list[tuple[str, ...]]]:
    """The words of a length by the counts in their cells."""
    found = classes(n, model, bits=bits)
    groups: dict[Any, list[tuple[str, ...]]] = {}
    for word in words(model.alphabet, n):
        key = tuple(tuple(sorted(Counter(word[place] for place in cell).items())) for cell in found.cells)
        groups.setdefault(key, []).append(word)
    assert len(groups) == found.many
    assert sorted(found) == sorted((group[0], len(group)) for group in groups.values())  # smallest, and how many
    return list(groups.values())


def said(model: sc.Transformer, word: Any) -> Any:
    """What the readout shows, in decimals; the name of the error where there is none."""
    try:
        found = dense.read(model, dense.typed(model, word), dense.Decimal(60))
    except dense.ZeroVariance:
        return "no value"
    places = {"first": [0], "last": [-1]}.get(model.readout.position, range(len(found)))
    return [found[place][0] for place in places]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return all(abs(a[name] - b[name]) < 1e-30 for a, b in zip(one, other, strict=True) for name in a)


@pytest.mark.parametrize("placement", ["none", "post", "pre", "projected pre"])
@pytest.mark.parametrize("kind", ["zero", "sign", "largest"])
@pytest.mark.layer_two(every=3)
@pytest.mark.sweep
def test_words_of_a_class_have_the_same_values(placement: str, kind: str) -> None:
    merged = 0

    @settings(QUICK, max_examples=15)
    @given(models(placement=placement, kind=kind))
    def run(model: sc.Transformer) -> None:
        nonlocal merged
        for n in range(0 if model.embedding.added else 1, 4 if len(model.alphabet) == 2 else 3):
            for group in grouped(model, n):
                values = [said(model, word) for word in group]
                assert all(same(values[0], value) for value in values[1:]), group
                merged += len(group) - 1

    run()
    assert merged > 5


def alike(model: sc.Transformer, n: int, bits: int) -> int:
    """How many values of words were in the set for the word that stands for them; all must be."""
    compared = 0
    for group in grouped(model, n, bits):
        try:
            held = forward(model, model.tokens(group[0]), Rounding(Format(bits)))
            for word in group[1:]:
                got = forward(model, model.tokens(word), Mp(bits, simulates=True))
                for inside, value in zip(held.scores["logit"], got.scores["logit"], strict=True):
                    negative, mantissa, exponent, _ = value._mpf_
                    number = fmpq(-mantissa if negative else mantissa) * fmpq(2) ** exponent
                    assert arb(inside).contains(arb(number))
                    compared += 1
        except (Undecided, BadInput):  # a choice that rounding leaves open, or a norm without variance
            continue
    return compared


@pytest.mark.sweep
def test_words_of_a_class_are_computed_alike_by_every_runtime() -> None:
    """What one order of sums makes of a word lies in the set for the word that stands for it."""
    compared = 0

    @settings(QUICK, max_examples=40)
    @given(models(placement="post", kind="sign", mask="none", weighting="softmax"))
    def run(model: sc.Transformer) -> None:
        nonlocal compared
        compared += alike(model, 3, 8)

    run()
    assert compared > 30


@pytest.mark.layer_one(0, 2, 3, 4)
@pytest.mark.parametrize("name", ["parity", "parity-layernorm", "first", "first-flawed", "first-layernorm"])
def test_words_of_a_class_of_a_recipe_are_computed_alike(name: str) -> None:
    assert alike(sc.build(name).bind(), 4, 24) > 3


def test_how_many_classes_there_are() -> None:
    def many(name: str, n: int, bits: int | None = None) -> int:
        return classes(n, sc.build(name), bits=bits).many

    assert [many("parity", n) for n in range(4)] == [1, 2, 3, 4]
    assert [many("parity-layernorm", n) for n in (1, 20)] == [2, 21]
    assert [many("first", n) for n in (0, 1, 9)] == [1, 2, 2]
    assert [many("first-flawed", n) for n in (1, 9)] == [2, 18]
    assert [many("dyck-1", n) for n in (1, 5)] == [2, 32]
    assert classes(4, induction()).many == 16
    assert many("parity", 9, 11) == 10


def test_a_symbol_without_a_value_may_have_any() -> None:
    assert classes(5, sc.build("parity").soften()).many == 6


def test_too_many_classes_are_refused() -> None:
    with pytest.raises(sc.BadInput, match="must form at most 20,000"):
        list(classes(20, induction()))
