"""The run of a family's model has the family's relation at all sizes and tables: Coq is asked as coqrelation.py writes
it, and accepts what relations.json says and no more, where that took it a minute at most. The relation with another
number, index, sign, mask or weighting is refused."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from coqrelation import RECORD, Theorem, accepted, asked, cases, key
from test_family_functions import STORED, near
from test_models import compiled
from test_models import folder as folder  # a fixture

from symcook.model.family import Family, load, shipped
from symcook.model.plainfamily import PlainFamily
from symcook.proof.runrel import expand

pytestmark = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
HERE = Path(__file__).parent
SECONDS: dict[str, int | None] = json.loads(RECORD.read_text())
CASES = [case for case in cases() if key(*case) in SECONDS]
SHORT = [case for case in CASES if (SECONDS[key(*case)] or 0) <= 60]
VALUES = {family: values for family, _, values in STORED}
MASKS = {"none": "future", "future": "strict-future", "strict-future": "future", "past": "strict-past"}


def others(family: Family, choices: Mapping[str, str], rng: random.Random) -> Iterator[PlainFamily]:
    """The family with a number or sign changed, with each other choice, and with another mask of its first head."""
    if family.name == "attention-identity":  # its head adds zero, by whatever weights
        return
    for one in near(family, VALUES[family.name], rng, 2):
        yield PlainFamily(one.document, choices)
    for choice, many in family.choices.items():
        for other in (other for other in many if other != choices[choice]):
            yield PlainFamily(family.document, {**choices, choice: other})
    document: Any = copy.deepcopy(family.document)
    layers = [layer for part in document["layers"] for layer in part.get("layers", [part])]
    heads = [head for layer in layers for head in layer.get("attention", ()) if head["mask"] in MASKS]
    if heads:
        heads[0]["mask"] = MASKS[heads[0]["mask"]]
        yield PlainFamily(document, choices)


def test_the_record_is_of_families_that_ship() -> None:
    assert SECONDS.keys() == {key(*case) for case in CASES}


@pytest.mark.parametrize("number", range(len(SHORT)))
def test_the_run_has_the_relation_of_its_family_at_all_sizes(folder: Path, number: int) -> None:
    name, choices = SHORT[number]
    for one in ("functions", "relations"):
        if not (folder / f"{one}.vo").is_file():
            shutil.copy(HERE / f"{one}.v", folder)
            assert compiled(folder, one)
    seconds = SECONDS[key(name, choices)]
    if seconds is None or seconds > 20:  # others take as long
        assert (asked(folder, name, choices) is None) is (seconds is None)
        return
    family, rng = load(shipped(name)), random.Random(key(name, choices))
    right = Theorem(family, choices)
    chosen = ", ".join(f"{one} = {value}" for one, value in choices.items())
    assert expand(f"run(family-{name}; {chosen}; )") == f"({right.text})"
    assert accepted(folder, right.file())
    wrong = [*others(family, choices, rng)]
    assert wrong or name == "attention-identity"
    for one in wrong:
        other = Theorem(family, choices, one)
        assert other.text != right.text
        assert not accepted(folder, other.file()), other.text
