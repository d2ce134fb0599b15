"""Bridges of instances at random: each is accepted by both checkers, or refused with a sentence that says why.

2,000 instances by a command, with the share that has a bridge:

    python tests/proof/test_family_bridges.py 2000 [SEED]
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from proof.family_cases import NAMES, case, chosen, family
from proof.stored import second

from symcook.errors import BadInput
from symcook.model.instance import Instance, instance
from symcook.model.modelfile import to_document
from symcook.proof import replay
from symcook.proof.bridges.bridge import Bridge, checked
from symcook.proof.statements import certify

ONE_ROW = "must have as input"  # no attention is left in it, so that its inputs are numbers
ALIKE = "must have equations that are the model's by computation alone"  # a score that is zero at these values
KNOWN = (ONE_ROW, ALIKE)
"""Why an instance may have no bridge."""
DEAR = {"logic-past", "turing", "turing-no-start"}
"""Left to the campaign `cases`: `bridges` draws more of these, and `logic` and `temporal` have the same rules."""
DEEP = {"counting", "counting-past", "logic", "logic-past"}
"""Families whose instances soon nest deeper than an expression may."""
COUNTS = dict.fromkeys(("turing", "turing-no-start", "temporal", "temporal-past", "since", "since-until"), 1)
COUNTS |= dict.fromkeys(("automaton", "automaton-no-start", "automaton-nonstrict", "automaton-run"), 1)
COUNTS |= {"counting": 2, "counting-past": 6, "logic": 3, "logic-past": 3, "before": 2, "behind": 2}
"""So many instances of the families whose instances are large; the command makes as many as one wants."""


def bridged(name: str, rng: random.Random, label: str) -> tuple[Bridge, dict[str, Any]] | str:
    """The bridge of an instance at random with its certificate, or the sentence by which it is refused."""
    read = family(name, chosen(name, rng))
    values, _ = case(name, rng)
    try:
        made = Bridge(read, Instance(read, values), to_document(instance(read, values)), label)
        certificate, verdict = checked(made)
    except BadInput as error:
        return str(error)
    assert verdict.status == "PROVED", (name, values, verdict.reason)
    return made, certificate


def accepted_again(found: list[tuple[Bridge, dict[str, Any]]], folder: Path) -> None:
    """The second checker accepts them too."""
    (folder / "certificates").mkdir()
    statements: dict[str, str] = {}
    for made, certificate in found:
        (folder / "certificates" / f"{made.statement.id}.json").write_text(json.dumps(certificate))
        first, *blocks = certify.expanded(made.statement, certificate).rstrip("\n").split("\n\n")
        statements |= {"": first} | {block.partition("\n")[0]: block for block in blocks}
    for label in {one for _, certificate in found for one in certify.below(certificate)}:
        stored = replay.library().root / "certificates" / f"{label}.json"
        (folder / "certificates" / stored.name).write_bytes(stored.read_bytes())
    (folder / "expanded.txt").write_text("\n\n".join(statements.values()) + "\n")
    lines = second(folder / "expanded.txt", folder / "certificates")
    said = [line for line in lines if "bridge.random" in line]
    assert len(said) == len(found) and all("PROVED" in line for line in said), lines[-5:]


@cache
def at_random(name: str) -> list[tuple[Bridge, dict[str, Any]] | str]:
    rng = random.Random(f"bridges {name}")
    return [bridged(name, rng, f"bridge.random_{NAMES.index(name)}_{k}") for k in range(COUNTS.get(name, 4))]


@pytest.mark.layer_two(every=8)
@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.campaign if name in DEAR else ()) for name in NAMES]
)
def test_an_instance_at_random_has_a_bridge_or_a_sentence(name: str) -> None:
    found = at_random(name)
    sentences = [one for one in found if isinstance(one, str)]
    assert all(any(part in one for part in KNOWN) for one in sentences), found
    assert len(found) - len(sentences) >= (1 if name in DEEP or name in COUNTS else 2)


@pytest.mark.sweep
def test_the_second_checker_accepts_them_too(tmp_path: Path) -> None:
    """The shortest certificate of each family but the dear ones; about all that are made, the command asks."""
    made = [[one for one in at_random(name) if not isinstance(one, str)] for name in NAMES if name not in DEAR]
    accepted_again([min(some, key=lambda one: len(json.dumps(one[1]))) for some in made], tmp_path)


@pytest.mark.sweep
def test_a_column_of_a_machine_may_be_the_number_of_the_row(tmp_path: Path) -> None:
    """Row 1 reads 1 on the work tape and row 2 reads 2; the input head stays."""
    values = {
        "Q": 2, "S": 1, "G": 2, "K": 1, "R": 2, "first": 2, "final": "0 1", "from": "1 1", "to": "2 2",
        "read": [[2, 1], [1, 2]], "print": [[1, 1], [1, 1]], "move": [[0, 0], [1, -1]],
    }  # fmt: skip
    read = family("turing")
    made = Bridge(read, Instance(read, values), to_document(instance(read, values)), "bridge.random_0")
    certificate, verdict = checked(made)
    assert verdict.status == "PROVED", verdict.reason
    accepted_again([(made, certificate)], tmp_path)


def main(count: int, seed: int = 2026) -> None:
    from tempfile import TemporaryDirectory

    rng, made, refused = random.Random(seed), Counter[str](), Counter[str]()
    kept: list[tuple[Bridge, dict[str, Any]]] = []
    done = 0
    while done < count:
        for name in NAMES:
            done += 1
            found = bridged(name, rng, f"bridge.random_{done}")
            if isinstance(found, str):
                refused[f"{name}: {found[:110]}"] += 1
            else:
                made[name] += 1
                kept.append(found)
        if len(kept) >= 200 or done >= count:
            with TemporaryDirectory() as folder:
                accepted_again(kept, Path(folder))
            kept = []
    print(f"{done} instances of {len(NAMES)} families: {sum(made.values())} bridges, accepted by both checkers")
    for sentence, many in refused.most_common():
        print(f"  {many} {sentence}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
