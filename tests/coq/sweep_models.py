"""Models with what no stored one has: GELU, leftmost, tokens at both ends, a norm and a temperature that refuse
inputs, a greatest length; norms in front of blocks in each placement, a temperature by the row, rows that see nothing.
Coq says that the relation, by `runrel`, holds of its run exactly where there is one; of another constant not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from accepted_by_coq import files_by_hand, with_coqc
from coqfiles import compiled, misjudged

from symcook.coq import models, reading
from symcook.model import modelfile
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Transformer
from symcook.proof.runrel import expand

pytestmark = with_coqc
FILES = Path(__file__).parent.parent.parent / "proofs" / "coq"


def document(start: int) -> Any:
    words = {"^": {"x": 2}, "a": {"x": 1}, "b": {"y": "1/2"}, "$": {"y": 1}}
    embedding = Embedding(Space(("x", "y")), words, start=start, before="^", after="$", positions={"y": "2^-i"})
    warm = Head(("x", "y"), ("x",), [[1, 0]], [[0, 2]], [[1, 1]], weighting="softmax", temperature="n - 5/2")
    first = Head(("x",), ("y",), [[1]], [[1]], [[1]], mask="future", weighting="leftmost")
    network = FeedForward(("x", "y"), ("y",), [[1, -1]], ["1/3"], [[2]], [0], "gelu")
    refusing = LayerNorm(("x", "y"), gain=[2, 1], bias=[0, "1/2"])
    giving = LayerNorm(("x", "y"), epsilon="1/5", zero_variance="zero")
    layer = Layer(SelfAttention((warm, first)), network, (refusing,), (giving,), "post")
    readout = Readout("sign", "last", ("x",), [[1]])
    return json.loads(modelfile.dumps(Transformer(f"pinned-{start}", embedding, (layer,), readout, max_length=9)))


def normed(placement: str, start: int) -> Any:
    """Norms in front of both blocks, which refuse inputs and do not; two heads on one coordinate, strict masks."""
    space = ("x", "y", "z")
    embedding = Embedding(Space(space), {"a": {"x": 1}, "b": {"y": "1/2"}}, start=start, positions={"z": "i"})
    if placement == "pre":
        seen = space
        ahead = (LayerNorm(space, gain=[2, 1, 1], bias=[0, "1/2", 0]),)
        then = (LayerNorm(space, epsilon="1/5", zero_variance="zero"),)
    else:
        seen = ("u", "v", "x")  # the last one is no coordinate here, but what the norm makes
        ahead = (
            LayerNorm(space, seen, gain=[2, 1, 1], bias=[0, "1/2", 0], projection=[[1, -1, 0], [0, 3, 0], [1, 1, 1]]),
        )
        then = (
            LayerNorm(space, seen, epsilon="1/5", projection=[[1, 0, 0], [0, 0, 0], [0, 1, -1]], zero_variance="zero"),
        )
    if placement == "multi pre":
        seen = (*seen, "s", "t")
        ahead += (LayerNorm(("y", "z"), ("s", "t"), projection=[[1, 2], [0, 1]], epsilon=1),)
        then += (LayerNorm(("x",), ("s", "t"), projection=[[1], [-1]], zero_variance="refuse"),)
    one, many = seen[:2], len(seen)
    warm = Head(
        one, ("x",), [[1, 0]], [[0, 2]], [[1, 1]], mask="strict-future", weighting="softmax", temperature="1/(i + 1)"
    )
    flat = Head(one, ("x", "z"), [[0, 0]], [[0, 0]], [[1, 0], [0, 1]], mask="strict-past", weighting="average")
    near = Head(seen, ("y",), [[1] * many], [[1] * many], [[1] * many], mask="past", weighting="rightmost")
    network = FeedForward(seen, ("y",), [[1] * many], ["1/3"], [[2]], [0], "relu")
    layer = Layer(SelfAttention((warm, flat, near)), network, ahead, then, placement)
    name = f"ahead-{start}-{placement.replace(' ', '-')}"
    return json.loads(modelfile.dumps(Transformer(name, embedding, (layer,), Readout("sign", "last", ("x",), [[1]]))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the file of a model requires."""
    path = tmp_path_factory.mktemp("coq") / "files"
    files_by_hand(path)
    path.mkdir(exist_ok=True)
    needed = ("Meaning", "Laws", "Model")
    texts = [((FILES / f"{name}.v").read_text(), path / f"{name}.v", path / f"{name}.vo") for name in needed]
    if not all(made.is_file() and own.read_text() == text for text, own, made in texts):
        for name, (text, own, _) in zip(needed, texts, strict=True):
            own.write_text(text)
            assert compiled(path, name)
    (path / "Definitions.v").write_text("From Symcook Require Import Meaning.\n")
    assert compiled(path, "Definitions")
    return path


def told(name: str, one: Any) -> str:
    """The file of a model, and after it the theorem about its words."""
    before, run = dict(reading.definitions().all), name.replace("-", "_")
    with pytest.MonkeyPatch.context() as patch:
        for module in (models, reading):
            patch.setattr(module, "stored_model", lambda _: one)
        text = models.model_file(name)
        reading.definitions().with_models(f"word({name})")
        word = reading.definitions().all[f"word_{run}"]
        word.sorts = {"n": "Int", "w": ("fun", ("Int",), "Int")}
        text += reading.Reading(reading.definitions()).definition(word) + "\n\n"
        arguments, constant = " ".join(word.params), models.written(name).module
        text += (
            f"Theorem words : forall (n : Z) (w : Z -> Z), {word.name} {arguments} <-> is_word ({constant} n) n w.\n"
        )
    for made in reading.definitions().all.keys() - before.keys():
        del reading.definitions().all[made]
    return text + f"Proof. words {word.name} {constant}. Qed.\n"


OTHERS = [
    ("longest := Some 9%Z", "longest := Some 8%Z"),
    ("longest := Some 9%Z", "longest := None"),
    ("(0) true", "(0) false"),
    ("(1 / 5) false", "(1 / 5) true"),
    ("softmax (1) (n - 5 / 2)", "softmax (1) (n - 3 / 2)"),
    ("future, alike leftmost)", "future, alike rightmost)"),
    ("gelu_units", "relu_units"),
    ("after_last := Some 3%Z", "after_last := None"),
    ("after_last := Some 3%Z", "after_last := Some 2%Z"),
    ("before := Some 0%Z", "before := None"),
]


@pytest.mark.parametrize("start", [0, 1])
def test_coq_sees_every_part_of_a_model(folder: Path, start: int) -> None:
    """Each change of the constant at one of the two starts."""
    source = told(f"pinned-{start}", document(start))
    assert all(entry in source for entry, _ in OTHERS)
    assert not misjudged(folder, [source], [source.replace(entry, other, 1) for entry, other in OTHERS[start::2]])


NORMED = {  # each placement, from which position on, and changes that are refused
    "pre": (
        0,
        (
            ("(fun i : Z => (1 / (i + 1) : R))", "(fun i : Z => (1 / (i + 2) : R))"),
            ("[2; 1; 1]", "[2; 1; 2]"),
        ),
    ),
    "projected pre": (1, (("Beside [", "Beside ["), ("true", "false"))),
    "multi pre": (
        0,
        (
            ("strict_past, alike average", "past, alike average"),
            ("strict_future, softmax_by", "future, softmax_by"),
        ),
    ),
}


@pytest.mark.parametrize("placement", ["pre", "projected pre", pytest.param("multi pre", marks=pytest.mark.campaign)])
def test_coq_reads_norms_in_front_of_blocks(folder: Path, placement: str) -> None:
    """In each placement a block reads what its norms make; with another weight, mask or projection it is refused: each
    change in one of the placements."""
    start, changes = NORMED[placement]
    one = normed(placement, start)
    ahead, wrong = told(one["name"], one), list[str]()
    for entry, other in changes:
        assert entry in ahead, entry
        if entry == other:  # the first entry of a projection
            wrong.append(re.sub(r"(Beside .*? \[\[)1;", r"\g<1>2;", ahead, count=1))
        else:
            wrong.append(ahead.replace(entry, other, 1))
    assert ahead not in wrong
    assert not misjudged(folder, [ahead], wrong)


FAMILIES = {  # each with changes of its stored instance, and of its relation, that are refused
    "network": (("[0; 1; - (1 / 2)] [", "[0; 1; - (1 / 3)] ["), (": Prop := forall", ": Prop := 0 < 0 /\\ forall")),
    "max": (("[[-1; 1]] [0] [[1]]", "[[-1; 1]] [0] [[2]]"), ("+ relu (x t - z2_out", "+ relu (x t + z2_out")),
    "count": (("[[1; 0]; [0; 1]]", "[[1; 0]; [1; 1]]"), ("fun j => is c j) / n", "fun j => is c j) / (n + 1)")),
    "boolean": (("[1; 0; 0; -1]", "[1; 0; 1; -1]"), ("+ 1 - sum 1 m", "- sum 1 m")),
    "dyck-k-d": (("+ z1_closed t i - 2)", "+ z1_closed t i - 1)"),),  # its weights: sweep_family_functions.py
}


def said(family: str) -> str:
    """The relation of a family at all sizes, as what a statement says of it, with the sorts of its names."""
    text = expand(f"run(family-{family}; ; )")
    pairs = [("n", "Int"), ("w", "Int->Int")] if re.search(r"\bn\b", text) else []
    pairs += [
        (name, sort) for name, _, sort in (one.partition(":") for one in expand(f"names(family-{family})").split(", "))
    ]
    sorts: dict[str, Any] = {}
    for name, sort in pairs:
        arguments, arrow, value = sort.rpartition("->")
        sorts[name] = ("fun", tuple(arguments.split("*")), value) if arrow else sort
    called = family.replace("-", "_")
    formula = reading.Reading(reading.definitions()).formula(reading.parsed(text), sorts)
    head = " ".join(f"({name} : {reading.sort_text(sort)})" for name, sort in sorts.items())
    return (
        f"Module Said.\nImport Meaning.Reading.\nDefinition {called}_relation {head} : Prop := {formula}.\n"
        "End Said.\nImport Said.\n"
    )


@pytest.mark.layer_two(0, 1, 2, 3)  # of dyck-k-d sweep_family_functions.py and sweep_family_relations.py ask too
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_a_function_of_its_sizes_and_tables(folder: Path, family: str) -> None:
    """Some families, each from end to end: the stored instance is the function's value by computation, and the relation
    that statements suppose is met by its run for all sizes and tables and by nothing else; other weights
    or signs are refused."""
    lemmas, *parts = re.split(
        r"^\(\* FAMILY (.*) \*\)\n", (Path(__file__).parent / "families.v").read_text(), flags=re.M
    )
    found = dict(
        zip((name.split(", ")[0] for name in parts[::2]), zip(parts[::2], parts[1::2], strict=True), strict=True)
    )
    assert found.keys() == FAMILIES.keys()
    names, proofs = found[family]
    whole = f"{lemmas}{models.written(names.split(', ')[1]).constant()}\n{said(family)}{proofs}"
    assert all(one in whole for one, _ in FAMILIES[family])
    assert not misjudged(folder, [whole], [whole.replace(one, other, 1) for one, other in FAMILIES[family]])
