"""The run of a family's model has the family's relation at all sizes and tables: Coq is asked as coqrelation.py writes
it. The relation with another number, index, sign, mask or weighting is refused. Which of the questions a run asks, and
what is recorded of the others, asked_of_coq.py says."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from accepted_by_coq import with_coqc
from asked_of_coq import Question, answered, features, to_ask
from coqrelation import Theorem, cases, key
from sweep_family_functions import STORED, near
from sweep_models import folder as folder  # a fixture

from symcook.model.family import Family, load, shipped
from symcook.model.plainfamily import PlainFamily
from symcook.proof.runrel import expand

pytestmark = with_coqc
UNPROVED = {"turing"}
"""Coq has not answered about this one as it is today: see notes/coq.md."""
QUICK = 12_000
"""To this length a file is judged within a second, and all its neighbours are asked."""
LONG = {"automaton", "automaton-no-start", "automaton-nonstrict", "counting", "counting-past", "logic", "logic-past"}
LONG |= {"temporal", "temporal-past", "turing-no-start"}
"""No neighbour of these is asked: each would take from a quarter of a minute to four minutes."""


def usual(name: str, choices: Mapping[str, str]) -> bool:
    """Whether each choice is the first of its family's."""
    return all(choices[one] == many[0] for one, many in load(shipped(name)).choices.items())


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


def question(name: str, choices: Mapping[str, str]) -> Question:
    family, rng = load(shipped(name)), random.Random(key(name, choices))
    theorem = Theorem(family, choices)
    text, chosen = theorem.file(), ", ".join(f"{one} = {value}" for one, value in choices.items())
    assert expand(f"run(family-{name}; {chosen}; )") == f"({theorem.text})"
    asked = len(text) <= QUICK or (usual(name, choices) and name not in LONG)
    changed = [*others(family, choices, rng)] if asked else []
    assert changed or not asked or name == "attention-identity"
    if len(text) > QUICK:  # each takes as long
        changed = changed and rng.sample(changed, 1)
    wrong = [Theorem(family, choices, one) for one in changed]
    assert all(one.text != theorem.text for one in wrong)
    found, plain = tuple(one.file() for one in wrong), PlainFamily(family.document, choices)
    return Question(
        f"relation of {key(name, choices)}", features(plain, choices), text, found, ("functions", "relations")
    )


@cache
def questions() -> list[Question]:
    return [question(*case) for case in cases() if case[0] not in UNPROVED]


def test_the_run_has_the_relation_of_its_family_at_all_sizes(folder: Path) -> None:
    assert answered(folder, to_ask(questions())) is None
