"""What Coq is asked about families, and asked.json, the record of what it has answered as it must.

A question is a file for Coq, with neighbours that it must refuse. The record has its seconds of processor time, and the
digest of all that Coq is asked with: the question, the files by hand that it requires, and Coq's version. A run of the
tests asks quick questions that together have each feature of the families, and every one that is not recorded as it is.

`python tests/coq/asked_of_coq.py FOLDER` asks and records what is not, in a folder with the compiled files of
proofs/coq; with `--all` it asks everything, and with names the questions whose names begin so.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from coqfiles import compiled, misjudged

from symcook.coq.chk import VERSION
from symcook.model.expr import Tree, children, names
from symcook.model.plainfamily import ONE, PlainFamily
from symcook.proof.audit import seals
from symcook.proof.files import proofs_directory

HERE = Path(__file__).parent
RECORD = HERE / "asked.json"
LONGEST = 4  # seconds


class Question(NamedTuple):
    """`own`: the files of this folder that it requires."""

    name: str
    features: frozenset[str]
    right: str
    wrong: tuple[str, ...]
    own: tuple[str, ...]

    @property
    def digest(self) -> str:
        folders = {HERE: self.own, proofs_directory() / "coq": ("Meaning", "Laws", "Model")}
        required = [(folder / f"{name}.v").read_bytes() for folder, names in folders.items() for name in names]
        return seals.digest(VERSION, self.right, *self.wrong, "", *required)

    @property
    def recorded(self) -> bool:
        return record().get(self.name, (0, ""))[1] == self.digest


@cache
def record() -> dict[str, tuple[int, str]]:
    return json.loads(RECORD.read_text()) if RECORD.is_file() else {}


def operators(tree: Tree) -> Iterator[str]:
    if tree[0] not in ("name", "num"):
        yield f"{tree[0]} relu" if tree[:2] == ("call", "relu") else tree[0]
    for one in children(tree):
        yield from operators(one)


def features(family: PlainFamily, choices: Mapping[str, str]) -> frozenset[str]:
    """What of a family is written for Coq in a way of its own."""
    readout, rounds = family.readout, [bool(part.over) for part in family.layers]
    found = {f"start {family.start}", f"readout {readout.kind}", *(f"chosen {one}" for one in choices.values())}
    found |= {f"table of {table.sort}, {len(table.over)} indices" for table in family.tables.values()}
    found |= {f"coordinates of {len(over)} indices" for over in family.space.values()}
    has = {"inputs": family.inputs, "positions": family.positions, "rounds": any(rounds)}
    has["layers behind rounds"] = any(rounds) and not rounds[-1]
    has |= {key: getattr(family, key) is not None for key in ("longest", "vocabulary", "before", "after")}
    found |= {key for key, value in has.items() if value}
    trees = [write.form for write in (*family.words, *family.positions)] + [readout.score]
    for layer in (layer for part in family.layers for layer in part.layers):
        found |= {f"norms {layer.placement}", f"{min(2, len(layer.heads))} heads"}
        trees += [write.form for write in layer.feedforward]
        for norm in (*layer.attention_norms, *layer.feedforward_norms):
            found |= {f"norm that {norm.zero}s", f"epsilon {norm.epsilon != ('num', 0, 1)}"}
            trees += [norm.gain, norm.bias, norm.epsilon, *(write.form for write in norm.writes)]
        for head in layer.heads:
            found |= {f"mask {head.mask}", f"weighting {head.weighting}", f"scale {head.scale != ONE}"}
            found |= {f"temperature of {sorted(names(head.temperature) & {'i', 'n'})}"}
            trees += [head.score, head.scale, head.temperature, *(write.form for write in head.writes)]
    return frozenset(found | {f"operator {one}" for tree in trees for one in operators(tree)})


def seconds(one: Question) -> int:
    return record().get(one.name, (1, ""))[0]


def to_ask(questions: Sequence[Question]) -> list[Question]:
    """Questions that together have each feature, chosen by how many features they add a second, without those whose
    features the others have; and those that are not recorded as they are. What has taken more than LONGEST is asked
    only then."""
    quick = [one for one in questions if seconds(one) <= LONGEST]
    missing = every = frozenset[str]().union(*(one.features for one in quick))
    chosen = [one for one in questions if not one.recorded]
    missing -= frozenset[str]().union(*(one.features for one in chosen))
    while missing:
        best = max(quick, key=lambda one: len(one.features & missing) / seconds(one))
        missing -= best.features
        chosen.append(best)
    for one in sorted(chosen, key=seconds, reverse=True):
        rest = [other for other in chosen if other is not one]
        if one.recorded and every <= frozenset[str]().union(*(other.features for other in rest)):
            chosen = rest
    return [one for one in questions if one in chosen]


def answered(folder: Path, questions: Sequence[Question]) -> str | None:
    """Asks all of them in one process. None, or what Coq says of the first that it judges otherwise."""
    for name in dict.fromkeys(name for one in questions for name in one.own):
        if not (folder / f"{name}.vo").is_file():
            shutil.copy(HERE / f"{name}.v", folder)
            assert compiled(folder, name)
    return misjudged(folder, [one.right for one in questions], [one for each in questions for one in each.wrong])


def main(folder: Path, more: Sequence[str]) -> None:
    from sweep_family_functions import questions as functions
    from sweep_family_relations import questions as relations

    found: dict[str, Any] = dict(record())
    questions = [*functions(), *relations()]
    for one in questions:
        named = any(one.name.startswith(name) for name in more)
        if named or "--all" in more or (not more and not one.recorded):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            if (wrong := answered(folder, [one])) is not None:
                sys.exit(f"{one.name}: {wrong}")
            used = max(1, round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before))
            print(one.name, used, flush=True)
            found[one.name] = (used, one.digest)
            write(found, questions)


def write(found: Mapping[str, Any], questions: Iterable[Question]) -> None:
    rows = sorted((one.name, found[one.name]) for one in questions if one.name in found)
    RECORD.write_text("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows) + "\n}\n")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    os.environ.setdefault("SYMCOOK_VERDICTS", str(HERE))  # where tests would look for what CI has left
    main(Path(sys.argv[1]), sys.argv[2:])
