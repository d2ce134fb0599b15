"""Faults in stored models, a tie broken the other way or another mask, are found with their shortest word: by a
decision for every length, by words that are merged, and by the command, as loops over all words find it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from shared import document

import symcook as sc
from symcook.decide.decision import decide
from symcook.model.modelfile import save
from symcook.recipes import build, reference
from symcook.run import run
from symcook.verify.merged import merged

OTHER = {"leftmost": "rightmost", "rightmost": "leftmost"}
MASKS = {
    "future": "strict-future",
    "strict-future": "future",
    "none": "future",
    "past": "strict-past",
    "strict-past": "past",
}
MODELS = {"dyck-1-2": 7, "induction-most-recent": 4, "dyck-1": 6, "dyck-1-zero-one": 6}
"""Models, and the length to which their words are run one by one."""


def changed(model: sc.Transformer) -> Iterator[tuple[str, sc.Transformer]]:
    """The model with one head changed, and what was changed."""
    for number, layer in enumerate(model.layers):
        for place, head in enumerate(layer.attention.heads if layer.attention else ()):
            made = {"tie": replace(head, weighting=OTHER[head.weighting])} if head.weighting in OTHER else {}
            for kind, other in {**made, "mask": replace(head, mask=MASKS[head.mask])}.items():
                heads = [*layer.attention.heads]
                heads[place] = other
                layers = [*model.layers]
                layers[number] = replace(layer, attention=replace(layer.attention, heads=tuple(heads)))
                yield f"{kind} {number} {place}", replace(model, name="planted", layers=tuple(layers))


FAULTS = [(name, what) for name in MODELS for what, _ in changed(build(name))]


def shortest(model: sc.Transformer, fold: sc.Fold, most: int) -> str | None:
    """By running every word."""
    for n in range(1, most + 1):
        for word in itertools.product(model.alphabet, repeat=n):
            said = run(model, word, "exact").to_json()
            if (said["outputs"] if model.readout.each else said["accept"]) != fold(word):
                return "".join(word)
    return None


OUT_OF_REACH = {"dyck-1", "dyck-1-zero-one"}
"""Models whose means over changed masks are no machine that counts: a decision is refused, and words are merged."""


@pytest.mark.layer_one(0, 8, 10, 11)
@pytest.mark.parametrize(("name", "what"), FAULTS)
def test_a_planted_fault_is_found_with_its_shortest_word(name: str, what: str) -> None:
    model, fold = dict(changed(build(name)))[what], reference(name, {})
    word, found, at_once = (
        shortest(model, fold, MODELS[name]),
        decide(model, fold),
        merged(model.bind(), fold, MODELS[name]),
    )
    assert (found.verdict == "refused") == (name in OUT_OF_REACH)
    if found.verdict != "refused":
        assert found.verdict == "different" and found.word is not None and "".join(found.word) == word
    assert (at_once.smallest is None or "".join(at_once.smallest)) == (True if word is None else word)
    assert (at_once.wrong == 0) == (word is None)


def test_enough_of_them_are_faults() -> None:
    """Of two changes no word notices anything: the last position of a mean alone, where a word is accepted."""
    unnoticed = [
        one for one in FAULTS if shortest(dict(changed(build(one[0])))[one[1]], reference(one[0], {}), 4) is None
    ]
    assert len(FAULTS) == 13 and unnoticed == [("dyck-1", "mask 1 0"), ("dyck-1-zero-one", "mask 2 0")]


def test_the_command_says_the_shortest_word(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = dict(changed(build("induction-most-recent")))["tie 0 0"]
    file = save(model, tmp_path / "planted.json")
    found = document(capsys, "decide", file, "--against", "induction-most-recent", code=1)
    assert (found["verdict"], found["word"]) == ("different", "ABA")
