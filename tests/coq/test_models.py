"""A model with what no stored one has: GELU, leftmost, tokens at both ends, a norm and a temperature that refuse
inputs, a greatest length. Coq says that the relation, written by `runrel`, holds of its run exactly where there is one;
of another constant it does not."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symcook.coq import models, reading
from symcook.model import modelfile
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.layers import Layer, SelfAttention
from symcook.model.parts import FeedForward, Head, LayerNorm
from symcook.model.transformer import Transformer

pytestmark = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the file of a model requires."""
    path = tmp_path_factory.mktemp("coq")
    for name in ("Meaning", "Laws", "Model"):
        shutil.copy(FILES / f"{name}.v", path)
        assert compiled(path, name)
    (path / "Definitions.v").write_text("From Symcook Require Import Meaning.\n")
    assert compiled(path, "Definitions")
    return path


def compiled(folder: Path, name: str) -> bool:
    command = ["coqc", "-q", "-w", "none", "-noglob", "-Q", ".", "Symcook", f"{name}.v"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module", params=[0, 1])
def source(request: pytest.FixtureRequest) -> Iterator[str]:
    """The file of the model, and after it the theorem about its words."""
    name, one = f"pinned-{request.param}", document(request.param)
    before = dict(reading.definitions().all)
    with pytest.MonkeyPatch.context() as patch:
        for module in (models, reading):
            patch.setattr(module, "stored_model", lambda _: one)
        text = models.model_file(name)
        reading.definitions().with_models(f"word({name})")
        word = reading.definitions().all[f"word_pinned_{request.param}"]
        word.sorts = {"n": "Int", "w": ("fun", ("Int",), "Int")}
        text += reading.Reading(reading.definitions()).definition(word) + "\n\n"
        arguments, constant = " ".join(word.params), models.written(name).module
        text += (
            f"Theorem words : forall (n : Z) (w : Z -> Z), {word.name} {arguments} <-> is_word ({constant} n) n w.\n"
        )
        yield text + f"Proof. words {word.name} {constant}. Qed.\n"
        for made in reading.definitions().all.keys() - before.keys():
            del reading.definitions().all[made]


OTHERS = [
    ("longest := Some 9%Z", "longest := Some 8%Z"),
    ("longest := Some 9%Z", "longest := None"),
    ("(0) true", "(0) false"),
    ("(1 / 5) false", "(1 / 5) true"),
    ("softmax (1) (n - 5 / 2)", "softmax (1) (n - 3 / 2)"),
    ("future, leftmost)", "future, rightmost)"),
    ("gelu_units", "relu_units"),
    ("after_last := Some 3%Z", "after_last := None"),
    ("after_last := Some 3%Z", "after_last := Some 2%Z"),
    ("before := Some 0%Z", "before := None"),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("number", range(-1, len(OTHERS)))
def test_coq_sees_every_part_of_a_model(folder: Path, source: str, number: int) -> None:
    if number < 0:
        (folder / "right.v").write_text(source)
        assert compiled(folder, "right")
        return
    entry, other = OTHERS[number]
    assert entry in source, entry
    (folder / "wrong.v").write_text(source.replace(entry, other, 1))
    assert not compiled(folder, "wrong"), (entry, other)
