"""Some of the models of `two_generators.py`, of which `campaign.py decisions` draws thousands; it finds faults."""

from __future__ import annotations

from typing import Any

import pytest
from attacks import two_generators
from attacks.two_generators import GENERATORS, attack


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("generator", GENERATORS)
def test_decisions_are_what_the_words_say(generator: str) -> None:
    compared = 0
    for number in range(1, 3):
        counts, wrong = attack(generator, 7, number, claims=10)
        compared += counts["models"]
        assert not wrong
    assert compared == 2


def test_a_claim_is_what_the_words_say() -> None:
    counts, wrong = attack("programs", 7, 3, claims=1)
    assert not wrong and sum(many for what, many in counts.items() if what.startswith("claim ")) == 1


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("generator", GENERATORS)
def test_a_model_that_means_something_else_is_found(generator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answers of the interpreter turned round: runs, the automaton, or a verdict contradict it."""
    whole = two_generators.Short.answer

    def turned(self: Any, word: Any) -> Any:
        right = whole(self, word)
        return not right if isinstance(right, bool) else right

    monkeypatch.setattr(two_generators.Short, "answer", turned)
    assert "Wrong" in "".join(attack(generator, 7, number, claims=10)[1] for number in range(2))
