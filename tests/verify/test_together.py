"""Texts about a recipe, evaluated for all inputs of a piece together: as counted by hand, and as one by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symcook import recipes
from symcook.domains.batch import Words
from symcook.errors import BadInput, SymcookError
from symcook.model.symbols import fraction
from symcook.model.transformer import Transformer
from symcook.numbers.together import FEW, Together, over
from symcook.verify.answers import Expected
from symcook.verify.stated import Stated, check_facts
from symcook.words import every


def nested(word: str) -> bool:
    """Whether brackets of two kinds match, at most four deep."""
    stack: list[str] = []
    for letter in word:
        if letter in "([":
            stack.append({"(": ")", "[": "]"}[letter])
        elif not stack or stack.pop() != letter:
            return False
        if len(stack) > 4:
            return False
    return not stack


def successor(word: str) -> str:
    """What followed the last letter where it stood before, the latest time; the letter itself where it did not."""
    before = word.rfind(word[-1], 0, len(word) - 1)
    return word[-1] if before < 0 else word[before + 1]


ORACLES: dict[str, Callable[[str], Any]] = {
    "dyck-k-d": nested,
    "parity": lambda word: word.count("1") % 2 == 1,
    "count": lambda word: [Fraction(word.count("a"), len(word))] * len(word),
    "induction-most-recent": lambda word: [successor(word[:i]) for i in range(1, len(word) + 1)],
}


def text(name: str, written: str | None = None, kind: str = "formula") -> tuple[Transformer, Stated]:
    info, model = recipes.info(name), recipes.build(name)
    tree = info._replace(**{kind: written or getattr(info, kind)}).text(kind, model.decides)
    symbols = {key: value for key, value in info.read({}).items() if isinstance(value, (int, Fraction))}
    symbols |= {key: fraction(value) for key, value in model.values(None).items()}
    return model, Stated(model, kind, tree, symbols, "exact")


def answered(model: Transformer, reference: Any, n: int) -> list[list[Any]]:
    """For each word of n typed symbols, in order, the answers that a block of all of them gives."""
    before, after = model.embedding.ends
    piece = Words(model.alphabet, n + model.embedding.added, before, after)
    block = Expected(model, reference, {}).block(piece, piece.n)
    columns = [[known[code] for code in codes] for known, codes in block]
    return [[one[0] if isinstance(one, tuple) else one for one in row] for row in zip(*columns, strict=True)]


@pytest.mark.parametrize("name", ORACLES)
def test_all_words_together_have_the_answers_counted_by_hand(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, stated = text(name)
    monkeypatch.setattr(Stated, "__call__", None)  # no word is asked by itself
    for n in range(1, 5):
        wanted = [ORACLES[name]("".join(word)) for word in every(model.alphabet, n)]
        if model.readout.labelled:
            wanted = [[model.readout.index(label) for label in row] for row in wanted]
        assert answered(model, stated, n) == [row if model.readout.each else [row] for row in wanted]


@pytest.mark.parametrize("name", ["dyck-k-d", "dyck-1-2", "dyck-1-nonuniform", "first-position"])
@pytest.mark.sweep
def test_what_a_run_leaves_is_that_of_each_word(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, stated = text(name, kind="computes")
    singly = [[stated("".join(word)) for word in every(model.alphabet, n)] for n in range(1, 5)]
    monkeypatch.setattr(Stated, "__call__", None)
    for n, words in enumerate(singly, 1):
        assert answered(model, stated, n) == [row if model.readout.each else [row] for row in words]


@pytest.mark.parametrize(
    "written",
    [
        "sum(j, 1, w(i) + 1, j)/3",  # a range whose end differs
        "if(w(1) = 0, 5, 1/w(1))",  # a branch that only some may be asked
        "if(w(i) = 1, w(1 + w(1)*0), C(n) - w(n))*sum(j, 1, i, w(j)*j)",
        "w(1 + mod(ones(n), n))",  # a position that differs
        "max(w(1), -w(i)/2) + min(C(i), ones(n))^2 + prod(j, 1, i, 1 + w(j))",
        "floor(C(n)/2) + sign(w(1) - w(n)) + abs(w(1) - C(n)) + relu(-w(i))",
        "I[(w(1) = 0 -> w(n) = 1) | ~(w(i) < 1 & w(1) <= w(n)) <-> (ex j in 1..n. w(j) = 0)]",
    ],
)
def test_together_is_one_by_one(written: str) -> None:
    model, stated = text("count", written)
    for n in range(1, 5):
        wanted = [stated("".join(word)) for word in every(model.alphabet, n)]
        assert answered(model, stated, n) == wanted


def test_the_first_word_that_fails_says_why() -> None:
    model, stated = text("count", "1/(w(n) + w(1))")
    with pytest.raises(BadInput, match="denominator"):
        answered(model, stated, 2)
    with pytest.raises(BadInput, match="position"):
        answered(model, text("count", "w(1 + n*w(n))")[1], 2)


def test_the_counterexample_is_the_smallest_word(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = recipes.info("dyck-k-d")
    monkeypatch.setitem(recipes._RECIPES, "dyck-k-d", facts._replace(formula="w(n) = 2 & w(1) = 1 | n < 3"))
    found = check_facts("dyck-k-d", 3)[0]
    letters = recipes.build("dyck-k-d").alphabet
    claimed = {"".join(word): len(word) < 3 or (word[-1] == letters[2] and word[0] == letters[1])
               for n in (1, 2, 3) for word in every(letters, n)}  # fmt: skip
    wrong = [word for word, said in claimed.items() if said is not nested(word)]
    assert found.counterexample is not None and found.first.input == wrong[0]
    assert (found.mismatches, found.strings) == (len(wrong), 84)


@pytest.mark.sweep
def test_what_is_run_in_batches_is_asked_together(monkeypatch: pytest.MonkeyPatch) -> None:
    failed: list[Stated] = []
    together = Stated.together

    def counted(self: Stated, *given: Any) -> Any:
        try:
            return together(self, *given)
        except SymcookError:
            failed.append(self)
            raise

    monkeypatch.setattr(Stated, "together", counted)
    for name in ("dyck-1", "dyck-1-2", "induction-most-frequent", "tie-break", "modulo", "clip", "parity"):
        failed.clear()
        found = check_facts(name, 3)
        assert all("one by one" in found[one.kind == "computes"].method for one in failed), name


def test_many_combinations_are_sorted() -> None:
    values = tuple(range(FEW))
    first, second = Together(values, np.arange(FEW)), Together(values, np.arange(FEW)[::-1])
    total = over(lambda a, b: 2 * a - b, first, second)
    assert isinstance(total, Together)
    assert [total.values[k] for k in total.codes] == [2 * k - (FEW - 1 - k) for k in range(FEW)]
    assert over(lambda a, b: a + b, first, second) == FEW - 1


def test_no_number_of_combinations_is_too_large() -> None:
    size, chance = 4096, random.Random(5)
    rows = [chance.sample(range(size), size) for _ in range(7)]  # 4096^7 combinations, of which 4096 occur
    parts = [Together(tuple(row), np.arange(size)) for row in rows]
    found = over(lambda *values: sum(k * value for k, value in enumerate(values)), *parts)
    assert isinstance(found, Together)
    assert [found.values[k] for k in found.codes] == [
        sum(k * x for k, x in enumerate(xs)) for xs in zip(*rows, strict=True)
    ]
