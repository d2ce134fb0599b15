"""The run of a family's model has the family's relation at all sizes and tables: Coq is asked as coqrelation.py writes
it. The relation with another number, index, sign, mask or weighting is refused. What took Coq longer than twelve
seconds, and by other than the usual weightings longer than three, stands in relations.json, with the digest of all that
it was asked with; coqrelation.py asks again."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from coqfiles import compiled, misjudged
from coqrelation import RECORD, Theorem, cases, key, question
from test_family_functions import STORED, near
from test_models import folder as folder  # a fixture

from symcook.model.family import Family, load, shipped
from symcook.model.plainfamily import PlainFamily
from symcook.proof.runrel import expand

pytestmark = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
HERE = Path(__file__).parent
RECORDED: dict[str, tuple[int, str]] = json.loads(RECORD.read_text())
UNPROVED = {"turing"}
"""Coq has not answered about this one as it is today: see notes/coq.md."""


def usual(name: str, choices: Mapping[str, str]) -> bool:
    """Whether each choice is the first of its family's."""
    return all(choices[one] == many[0] for one, many in load(shipped(name)).choices.items())


CASES = [case for case in cases() if case[0] not in UNPROVED]
SHORT = [case for case in CASES if RECORDED[key(*case)][0] <= (12 if usual(*case) else 3)]
VALUES = {family: values for family, _, values in STORED}
MASKS = {"none": "future", "future": "strict-future", "strict-future": "future", "past": "strict-past"}


def others(family: Family, choices: Mapping[str, str], rng: random.Random) -> Iterator[PlainFamily]:
    """The family with the next one of each choice; at the usual choices also with a number or sign changed, and with
    another mask of its first head."""
    if family.name == "attention-identity":  # its head adds zero, by whatever weights
        return
    for choice, many in family.choices.items():
        after = many[(many.index(choices[choice]) + 1) % len(many)]
        yield PlainFamily(family.document, {**choices, choice: after})
    if not usual(family.name, choices):
        return
    for one in near(family, VALUES[family.name], rng, 1):
        yield PlainFamily(one.document, choices)
    document: Any = copy.deepcopy(family.document)
    layers = [layer for part in document["layers"] for layer in part.get("layers", [part])]
    heads = [head for layer in layers for head in layer.get("attention", ()) if head["mask"] in MASKS]
    if heads:
        heads[0]["mask"] = MASKS[heads[0]["mask"]]
        yield PlainFamily(document, choices)


def test_the_record_is_of_families_that_ship_as_they_are() -> None:
    """Where this fails: ``python tests/coq/coqrelation.py FOLDER FAMILY``, in a folder with the compiled files."""
    assert RECORDED.keys() == {key(*case) for case in CASES}
    for case in CASES:
        if case not in SHORT:
            assert question(*case)[1] == RECORDED[key(*case)][1], key(*case)


@pytest.mark.parametrize("name", dict.fromkeys(name for name, _ in SHORT))
def test_the_run_has_the_relation_of_its_family_at_all_sizes(folder: Path, name: str) -> None:
    for one in ("functions", "relations"):
        if not (folder / f"{one}.vo").is_file():
            shutil.copy(HERE / f"{one}.v", folder)
            assert compiled(folder, one)
    family, right, wrong = load(shipped(name)), list[str](), list[str]()
    for choices in (choices for other, choices in SHORT if other == name):
        rng, theorem = random.Random(key(name, choices)), Theorem(family, choices)
        chosen = ", ".join(f"{one} = {value}" for one, value in choices.items())
        assert expand(f"run(family-{name}; {chosen}; )") == f"({theorem.text})"
        right.append(theorem.file())
        changed = [*others(family, choices, rng)]
        assert changed or name == "attention-identity"
        if RECORDED[key(name, choices)][0] > 1:  # each takes as long
            changed = rng.sample(changed, 1)
        found = [Theorem(family, choices, one) for one in changed]
        assert all(one.text != theorem.text for one in found)
        wrong += [one.file() for one in found]
    assert not misjudged(folder, right, wrong)
