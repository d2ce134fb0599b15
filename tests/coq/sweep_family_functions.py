"""Each family that ships as a Coq function of its sizes, tables and choices to `model` (coqfamily.py): at those of the
stored instance its value is the stored model by computation, and at other sizes the constant of the instance that
Python makes. With another weight in the constant, or another number or sign in the file, Coq refuses that.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from accepted_by_coq import with_coqc
from asked_of_coq import Question, answered, features, to_ask
from coqfamily import Function
from sweep_models import folder as folder  # a fixture

from symcook.coq import models
from symcook.errors import BadInput
from symcook.model import modelfile
from symcook.model.family import Family, load, shipped
from symcook.model.instance import Instance
from symcook.model.plainfamily import PlainFamily
from symcook.proof.runrel import stored_model

pytestmark = with_coqc
ROOT = Path(__file__).parent.parent.parent
SIMPLER = {"counting", "counting-past", "lookup-almost-orthogonal", "tie-break"}
"""Where the stored text of a position is a simpler one, as -1/i for side/i: that it is the same function is proved."""
OTHERS: list[tuple[str, dict[str, str]]] = [
    ("lookup-one-hot", {"N": "3", "ties": "rightmost"}),
    ("dyck-k-d", {"K": "3", "D": "2", "left_ties": "rightmost"}),
    ("count", {"S": "4", "seen": "future"}),
    ("induction-most-recent", {"S": "11"}),
    ("induction-most-frequent", {"S": "2"}),
    ("lookup-quadratic", {"gamma": "3", "ties": "softmax"}),
    ("attention-identity", {"d": "3", "h": "2", "Q": "1 0 2 -1 1/2 0", "W": "0 1 1 0 0 -3", "ties": "softmax"}),
    ("boolean", {"m": "1", "M": "2", "xi": "0 1", "phi": "1 1"}),
    ("identity", {"d": "12"}),
    ("max", {"K": "1"}),
    (
        "relu-network",
        {"L": "2", "m": "2", "A": "1 -1/2", "W": "3 0 -1 2/3", "b": "0 1 -1 1/2", "V": "0 -1", "c": "1/7"},
    ),
    ("automaton", {"K": "1", "S": "1", "first": "1", "R": "3", "delta": "1", "final": "1"}),
    (
        "turing-no-start",
        {
            "Q": "2",
            "S": "1",
            "G": "1",
            "K": "1",
            "R": "1",
            "first": "1",
            "final": "0 1",
            "from": "1",
            "to": "2",
            "read": "0 0",
            "print": "0 1",
            "move": "1 -1",
        },
    ),
    ("since", {"L": "2", "S": "1", "scaled": "1", "op": "0 4", "letter": "0 0", "left": "1 1", "right": "1 1"}),
]
"""Sizes, tables and choices of which no model is stored."""


def stored() -> list[tuple[str, str, dict[str, str]]]:
    """The families with their stored instances and the values of these, as bridges have them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "proofs" / "scripts"))
        return list(run_path(str(ROOT / "proofs" / "scripts" / "bridges.py"))["BRIDGES"].values())


STORED = stored()
CASES = [*STORED, *((family, "", values) for family, values in OTHERS)]


def made(family: Family, values: Mapping[str, str]) -> Any:
    """The instance that Python makes, as a file of a model."""
    chosen = {key: value for key, value in values.items() if key in family.choices}
    plain = {key: value for key, value in values.items() if key not in family.choices}
    model = Instance(Family(family.document, chosen), plain).model(None, family.name)
    return json.loads(modelfile.dumps(model))


def made_again(document: Any) -> dict[str, str]:
    """What a norm before the network makes, as the function calls it, and as the model of Coq does, which adds _ to a
    name that a norm before the heads of the same layer has."""
    out = {}
    for number, layer in enumerate(document["layers"], 1):
        before, behind = (
            {name for norm in layer[block] for name in norm["writes"]}
            for block in ("attention_norms", "feedforward_norms")
        )
        out |= {f"y{number}_again_{name}": f"y{number}_{name}_" for name in sorted(before & behind)}
    return out


def constant(name: str, module: str, document: Any, change: random.Random | None = None) -> str:
    """A model as Coq has it, in a module of its own, perhaps with one entry of a matrix changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "stored_model", lambda _: document)
        one = models.WrittenModel(name)
        text = one.lists() + one.constant()
    if change is not None:
        entry = change.choice([*re.finditer(r"(?<=[\[ ])-?[0-9]+(?=[;\]])", text[: text.index("{|")])])
        text = f"{text[: entry.start()]}{int(entry[0]) + 1}{text[entry.end() :]}"
    return f"Module {module}.\nImport Meaning.Reading.\nOpen Scope R_scope.\n{text}\nEnd {module}.\n"


def near(family: Family, values: Mapping[str, str], rng: random.Random, many: int) -> Iterator[Family]:
    """The family with one number or sign of its layers or its embedding changed, so that the instance is another."""
    places = []

    def walk(part: Any, *path: Any) -> None:
        if isinstance(part, str):
            places.extend((path, found.span(), found[0]) for found in re.finditer(r"\b[0-9]+\b| [+-] ", part))
        elif isinstance(part, (dict, list)):
            for key, one in part.items() if isinstance(part, dict) else enumerate(part):
                walk(one, *path, key)

    walk(family.document["layers"], "layers")
    walk(family.document["embedding"], "embedding")
    right = made(family, values)
    for path, (begin, end), was in rng.sample(places, len(places)):
        document: Any = copy.deepcopy(family.document)
        inside = document
        for key in path[:-1]:
            inside = inside[key]
        text = inside[path[-1]]
        other = str(int(was) + 1) if was.isdigit() else " - " if was == " + " else " + "
        inside[path[-1]] = text[:begin] + other + text[end:]
        try:
            changed = Family(document)
            wrong = made(changed, values)
        except BadInput:  # an index out of its range, say
            continue
        if any(wrong[key] != right[key] for key in ("layers", "embedding", "max_length")):
            yield changed
            many -= 1
        if many == 0:
            return


def test_every_family_is_there() -> None:
    assert {family for family, *_ in CASES} == {path.stem for path in (ROOT / "proofs" / "families").glob("*.json")}


def question(name: str, model: str, values: Mapping[str, str]) -> Question:
    family, rng = load(shipped(name)), random.Random(f"{name} {model}")
    mine = made(family, values)
    document = stored_model(model) if model else mine
    names = dict(zip(mine["space"], document["space"], strict=True)) | made_again(document)
    module = models.WrittenModel(model).module if model else f"instance_of_{name.replace('-', '_')}"
    shown = model or f"instance-of-{name}"
    proof = "but_positions" if name in SIMPLER else "vm_compute; reflexivity"
    function = Function(family)

    def says(refused: bool, which: str, of: Function, index: object = "") -> str:
        """A value of the function, which is a model, and that it is this constant; or that this is not so."""
        value = f"Definition instance{index} (n : Z) : model := {of.at(values, names)}.\n"
        same = (
            f"Definition same{index} : forall n, {which}.{module} n = instance{index} n := ltac:(intros n; {proof}).\n"
        )
        return f"{value}{'Fail ' * refused}{same}"

    text = (
        "From Coq Require Import Reals ZArith QArith Lra List String.\n"
        "From Symcook Require Import Meaning Model functions.\n"
        "Import ListNotations.\nOpen Scope string_scope.\nOpen Scope Z_scope.\n"
        + constant(shown, "Right", document)
        + constant(shown, "Wrong", document, rng)
        + f"{function.text()}\n{says(False, 'Right', function)}{says(True, 'Wrong', function, '_wrong')}"
    )
    wrong = [*near(family, values, rng, 1)]
    assert wrong
    for index, one in enumerate(wrong):
        other = Function(one)
        other.called = f"{other.called}_{index}"
        text += f"{other.text()}\n{says(True, 'Right', other, index)}"
    chosen = {key: values.get(key, many[0]) for key, many in family.choices.items()}
    found = features(PlainFamily(family.document, chosen), chosen) | {f"stored {bool(model)}", f"proof {proof}"}
    called = f"function of {name}, {model or ' '.join(f'{key} = {value}' for key, value in values.items())}"
    return Question(called, found, text, (), ("functions",))


@cache
def questions() -> list[Question]:
    return [question(*case) for case in CASES]


def test_the_instances_are_values_of_the_functions_of_their_families(folder: Path) -> None:
    """The refusals stand in each file."""
    assert answered(folder, to_ask(questions())) is None
