"""The readers of run relations refuse what they do not read, and the equations of what they read stay as they are."""

import hashlib
import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from symcook.errors import BadInput
from symcook.model.plainfamily import PlainFamily
from symcook.proof.familyrel import FamilyRelation
from symcook.proof.files import proofs_directory
from symcook.proof.runrel import Relation

DIGESTS = json.loads(Path(__file__).with_name("relations.json").read_text(encoding="utf-8"))
"""For each stored model and family the beginning of the SHA-256 of its run relation, written before keys were refused.
Every certificate about a model rests on this text."""
READERS: dict[str, Callable[[Any], object]] = {
    "models": Relation,
    "families": lambda document: FamilyRelation(PlainFamily(document)),
}


def stored(folder: str, name: str) -> Any:
    return json.loads((proofs_directory() / folder / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("folder", DIGESTS)
def test_the_text_of_a_relation_stays_the_same_to_the_byte(folder: str) -> None:
    names = [name for name in DIGESTS[folder] if (proofs_directory() / folder / f"{name}.json").is_file()]
    assert len(names) >= 30
    for name in names:
        relation: Any = READERS[folder](stored(folder, name))
        assert hashlib.sha256(relation.run().encode()).hexdigest()[:16] == DIGESTS[folder][name], name


def parts(document: Any, folder: str) -> dict[str, list[dict[str, Any]]]:
    """The objects of a document by kind."""
    rounds = [part for part in document["layers"] if "for" in part]
    layers = [layer for part in document["layers"] for layer in part.get("layers", [part])]
    norms = [norm for layer in layers for key in layer if key.endswith("_norms") for norm in layer[key]]
    found = {
        "top": [document], "embedding": [document["embedding"]], "readout": [document["readout"]], "layer": layers,
        "head": [head for layer in layers for head in layer.get("attention") or ()],
        "norm": [*norms, *filter(None, [document.get("final_norm")])],
    }  # fmt: skip
    if folder == "models":
        networks = [layer["feedforward"] for layer in layers if layer["feedforward"]]
        return {**found, "network": networks, "symbol": document["symbols"]}
    return {**found, "table": [*document.get("tables", {}).values()], "rounds": rounds}


@pytest.mark.parametrize("folder", DIGESTS)
def test_an_unknown_key_of_each_part_is_refused(folder: str) -> None:
    seen = set()
    for name in DIGESTS[folder]:
        document = stored(folder, name)
        for kind, objects in parts(document, folder).items():
            # The first and the last of a kind stand for all; each kind is tried on a few documents.
            for one in () if (kind, 3) in seen else [*objects[:1], *objects[1:][-1:]]:
                seen.add(next((kind, n) for n in range(9) if (kind, n) not in seen))
                one["invented"] = "1"
                with pytest.raises(BadInput, match=r"must have only fields that .* reads; given: invented"):
                    READERS[folder](document)
                del one["invented"]
    assert {kind for kind, _ in seen} == {*parts(stored(folder, next(iter(DIGESTS[folder]))), folder)}


WORDS = {"activation": "network", "mask": "head", "weighting": "head", "zero_variance": "norm", "placement": "layer"}


@pytest.mark.parametrize("folder", DIGESTS)
def test_an_unknown_word_of_each_part_is_refused(folder: str) -> None:
    tried = set()
    for name in DIGESTS[folder]:
        document = stored(folder, name)
        for key, kind in (WORDS | {"kind": "readout"}).items():
            for one in parts(document, folder).get(kind, [])[:1]:
                if key not in tried and key in one:
                    changed = deepcopy(one)
                    one[key] = "invented"
                    with pytest.raises(BadInput):
                        relation: Any = READERS[folder](document)
                        relation.accept()
                    one |= changed
                    tried.add(key)
    assert tried == {*WORDS, "kind"} - ({"activation"} if folder == "families" else set())


def test_what_translates_a_model_for_coq_reads_every_key_that_the_relation_reads() -> None:
    from symcook.proof import runrel

    text = (Path(runrel.__file__).parents[1] / "coq" / "models.py").read_text(encoding="utf-8")
    for kind in ("a head", "a feed-forward layer", "a layer norm"):
        missing = [key for key in runrel._KEYS[kind].split() if f'"{key}"' not in text]
        assert not missing, f"symcook/coq/models.py does not read {missing} of {kind}"
